// target: avx512
// width: 16
// local: 16 1 1
// The comparison is a mask register, under which lanes load, compute and store.
kernel void k(global int *x, global const int *y) {
    size_t i = get_global_id(0);
    if (x[i] > 5) x[i] = y[i] * 3;
}
//= machine code by our generator for AVX-512
//= ; k: 196 bytes of code, 80 bytes of stack
//=   push rbp
//=   mov rbp, rsp
//=   and rsp, -64
//=   mov r8, rdi
//=   mov r10, rdx
//=   mov rdi, [rsi + 0x18]
//=   mov r9, [rsi + 0x48]
//=   mov r11d, 0x1
//=   test r9, r9
//=   mov rsi, r9
//=   cmove rsi, r11
//=   xor edx, edx
//=   mov rax, r10
//=   div rsi
//=   xor esi, esi
//=   test r9, r9
//=   cmove rax, rsi
//=   imul rax, r9
//=   mov rdx, r10
//=   sub r10, rax
//=   mov rax, r8
//=   mov rsi, [rax]
//=   lea rsi, [rsi + rdi*4]
//=   mov rax, [rax + 0x8]
//=   lea rdi, [rax + rdi*4]
//=   cmp rdx, rcx
//=   jae b9
//= b3:
//=   mov r8, r10
//=   shl r8, 4
//=   vmovups zmm0, [rsi + r8*4]
//=   vpcmpd k1, zmm0, [constants + 0x0]{1to16}, 6
//=   kortestw k1, k1
//=   je b6
//= b5:
//=   vmovdqu32 zmm0{k1}{z}, [rdi + r8*4]
//=   vpslld zmm1, zmm0, 2
//=   vpsubd zmm0, zmm1, zmm0
//=   vmovdqu32 [rsi + r8*4]{k1}, zmm0
//= b6:
//=   add rdx, 1
//=   lea r10, [r10 + 0x1]
//=   xor eax, eax
//=   cmp r10, r9
//=   cmove r10, rax
//=   cmp rdx, rcx
//=   jb b3
//= b9:
//=   vzeroupper
//=   leave
//=   ret
