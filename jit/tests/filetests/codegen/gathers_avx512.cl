// target: avx512
// width: 16
// local: 16 1 1
// Both are instructions, under a mask that they use up.
kernel void k(global int *x, global const int *y, global const int *at) {
    size_t i = get_global_id(0);
    x[at[i]] = y[at[i + 1]];
}
//= machine code by our generator for AVX-512
//= ; k: 177 bytes of code, 96 bytes of stack
//=   push rbp
//=   mov rbp, rsp
//=   push rbx
//=   push r15
//=   and rsp, -64
//=   mov r10, rdx
//=   mov r11, [rsi + 0x18]
//=   mov rsi, [rsi + 0x48]
//=   mov r15, [rdi]
//=   mov r8, [rdi + 0x8]
//=   mov r9, [rdi + 0x10]
//=   mov eax, 0x1
//=   test rsi, rsi
//=   mov rdi, rsi
//=   cmove rdi, rax
//=   xor edx, edx
//=   mov rax, r10
//=   div rdi
//=   xor edi, edi
//=   test rsi, rsi
//=   cmove rax, rdi
//=   imul rax, rsi
//=   mov rdx, r10
//=   mov rbx, rdx
//=   sub rbx, rax
//= b1:
//=   cmp rdx, rcx
//=   jae b10
//= b5:
//=   mov r10, rbx
//=   shl r10, 4
//=   add r10, r11
//=   vmovups zmm1, [r9 + r10*4 + 0x4]
//=   vxorps xmm0, xmm0, xmm0
//=   kxnorq k1, k1, k1
//=   kmovq k2, k1
//=   vpgatherdd zmm0{k2}, [r8 + zmm1*4]
//=   vmovups zmm1, [r9 + r10*4]
//=   vpscatterdd zmm0{k1}, [r15 + zmm1*4]
//=   add rdx, 1
//=   lea rbx, [rbx + 0x1]
//=   xor edi, edi
//=   cmp rbx, rsi
//=   cmove rbx, rdi
//= b6:
//=   cmp rdx, rcx
//=   jb b5
//= b10:
//=   vzeroupper
//=   lea rsp, [rbp - 0x10]
//=   pop r15
//=   pop rbx
//=   pop rbp
//=   ret
