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
//=   mov r9, rdx
//=   mov r11, [rsi + 0x18]
//=   mov rsi, [rsi + 0x48]
//=   mov eax, 0x1
//=   test rsi, rsi
//=   mov r8, rsi
//=   cmove r8, rax
//=   xor edx, edx
//=   mov rax, r9
//=   div r8
//=   xor r8d, r8d
//=   test rsi, rsi
//=   cmove rax, r8
//=   imul rax, rsi
//=   mov rdx, r9
//=   mov r10, rdx
//=   sub r10, rax
//=   mov rax, [rdi]
//=   lea r9, [rax + r11*4]
//=   mov rax, [rdi + 0x8]
//=   lea r8, [rax + r11*4]
//= b1:
//=   cmp rdx, rcx
//=   jae b13
//= b5:
//=   mov rdi, r10
//=   shl rdi, 4
//=   vmovups zmm0, [r9 + rdi*4]
//=   vpcmpd k1, zmm0, [constants + 0x0]{1to16}, 6
//=   kortestw k1, k1
//=   je b8
//= b7:
//=   vmovdqu32 zmm0{k1}{z}, [r8 + rdi*4]
//=   vpslld zmm1, zmm0, 2
//=   vpsubd zmm0, zmm1, zmm0
//=   vmovdqu32 [r9 + rdi*4]{k1}, zmm0
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
//=   leave
//=   ret
