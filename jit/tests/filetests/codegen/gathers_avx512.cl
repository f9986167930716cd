// target: avx512
// width: 16
// local: 16 1 1
// Both are instructions, under a mask that they use up.
kernel void k(global int *x, global const int *y, global const int *at) {
    size_t i = get_global_id(0);
    x[at[i]] = y[at[i + 1]];
}
//= machine code by our generator for AVX-512
//= ; k: 179 bytes of code, 96 bytes of stack
//=   push rbp
//=   mov rbp, rsp
//=   push rbx
//=   sub rsp, 8
//=   and rsp, -64
//=   mov rbx, rdx
//=   mov r8, [rsi + 0x48]
//=   mov r9, [rdi]
//=   mov r11, [rdi + 0x8]
//=   mov eax, 0x1
//=   test r8, r8
//=   mov r10, r8
//=   cmove r10, rax
//=   xor edx, edx
//=   mov rax, rbx
//=   div r10
//=   xor r10d, r10d
//=   test r8, r8
//=   cmove rax, r10
//=   imul rax, r8
//=   mov rdx, rbx
//=   mov r10, rdx
//=   sub r10, rax
//=   mov rax, [rdi + 0x10]
//=   mov rsi, [rsi + 0x18]
//=   lea rsi, [rax + rsi*4]
//=   cmp rdx, rcx
//=   jae b6
//= b3:
//=   mov rax, r10
//=   shl rax, 4
//=   vmovups zmm1, [rsi + rax*4 + 0x4]
//=   vxorps xmm0, xmm0, xmm0
//=   kxnorq k1, k1, k1
//=   kmovq k2, k1
//=   vpgatherdd zmm0{k2}, [r11 + zmm1*4]
//=   vmovups zmm1, [rsi + rax*4]
//=   vpscatterdd zmm0{k1}, [r9 + zmm1*4]
//=   add rdx, 1
//=   lea r10, [r10 + 0x1]
//=   xor eax, eax
//=   cmp r10, r8
//=   cmove r10, rax
//=   cmp rdx, rcx
//=   jb b3
//= b6:
//=   vzeroupper
//=   lea rsp, [rbp - 0x8]
//=   pop rbx
//=   pop rbp
//=   ret
