// target: avx512
// width: 16
// local: 16 1 1
// Both are instructions, under a mask that they use up.
kernel void k(global int *x, global const int *y, global const int *at) {
    size_t i = get_global_id(0);
    x[at[i]] = y[at[i + 1]];
}
//= machine code by our generator for AVX-512
//= ; k: 176 bytes of code, 96 bytes of stack
//=   push rbp
//=   mov rbp, rsp
//=   push rbx
//=   sub rsp, 8
//=   and rsp, -64
//=   mov rbx, rdx
//=   mov r11, [rsi + 0x48]
//=   mov r9, [rdi]
//=   mov r10, [rdi + 0x8]
//=   mov eax, 0x1
//=   test r11, r11
//=   mov r8, r11
//=   cmove r8, rax
//=   xor edx, edx
//=   mov rax, rbx
//=   div r8
//=   xor r8d, r8d
//=   test r11, r11
//=   cmove rax, r8
//=   imul rax, r11
//=   mov rdx, rbx
//=   sub rbx, rax
//=   mov rax, [rdi + 0x10]
//=   mov rsi, [rsi + 0x18]
//=   lea r8, [rax + rsi*4]
//= b1:
//=   cmp rdx, rcx
//=   jae b10
//= b5:
//=   mov rax, rbx
//=   shl rax, 4
//=   vmovups zmm1, [r8 + rax*4 + 0x4]
//=   vxorps xmm0, xmm0, xmm0
//=   kxnorq k1, k1, k1
//=   kmovq k2, k1
//=   vpgatherdd zmm0{k2}, [r10 + zmm1*4]
//=   vmovups zmm1, [r8 + rax*4]
//=   vpscatterdd zmm0{k1}, [r9 + zmm1*4]
//=   add rdx, 1
//=   lea rbx, [rbx + 0x1]
//=   xor esi, esi
//=   cmp rbx, r11
//=   cmove rbx, rsi
//= b6:
//=   cmp rdx, rcx
//=   jb b5
//= b10:
//=   vzeroupper
//=   lea rsp, [rbp - 0x8]
//=   pop rbx
//=   pop rbp
//=   ret
