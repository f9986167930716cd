// target: avx512
// width: 16
// local: 16 1 1
// The comparison is a mask register, under which lanes load, compute and store.
kernel void k(global int *x, global const int *y) {
    size_t i = get_global_id(0);
    if (x[i] > 5) x[i] = y[i] * 3;
}
//= machine code by our generator for AVX-512
//= ; k: 196 bytes of code, 96 bytes of stack
//=   push rbp
//=   mov rbp, rsp
//=   push r15
//=   sub rsp, 8
//=   and rsp, -64
//=   mov r9, rdx
//=   mov r11, [rsi + 0x18]
//=   mov rsi, [rsi + 0x48]
//=   mov r15, [rdi]
//=   mov r8, [rdi + 0x8]
//=   mov eax, 0x1
//=   test rsi, rsi
//=   mov rdi, rsi
//=   cmove rdi, rax
//=   xor edx, edx
//=   mov rax, r9
//=   div rdi
//=   xor edi, edi
//=   test rsi, rsi
//=   cmove rax, rdi
//=   imul rax, rsi
//=   mov rdx, r9
//=   mov r10, rdx
//=   sub r10, rax
//= b1:
//=   cmp rdx, rcx
//=   jae b13
//= b5:
//=   mov r9, r10
//=   shl r9, 4
//=   add r9, r11
//=   vmovups zmm0, [r15 + r9*4]
//=   vpcmpd k1, zmm0, [constants + 0x0]{1to16}, 6
//=   kortestw k1, k1
//=   je b8
//= b7:
//=   vmovdqu32 zmm0{k1}{z}, [r8 + r9*4]
//=   vpslld zmm1, zmm0, 2
//=   vpsubd zmm0, zmm1, zmm0
//=   vmovdqu32 [r15 + r9*4]{k1}, zmm0
//= b8:
//=   add rdx, 1
//=   lea r10, [r10 + 0x1]
//=   xor edi, edi
//=   cmp r10, rsi
//=   cmove r10, rdi
//= b9:
//=   cmp rdx, rcx
//=   jb b5
//= b13:
//=   vzeroupper
//=   lea rsp, [rbp - 0x8]
//=   pop r15
//=   pop rbp
//=   ret
