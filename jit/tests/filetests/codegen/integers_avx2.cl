// target: avx2
// width: 8
// local: 8 1 1
// Eight numbers a register. Shifts by one amount for all take it as an immediate.
kernel void k(global int *x, global const int *y) {
    size_t i = get_global_id(0);
    x[i] = max(x[i] * 7, y[i] >> 5) - (x[i] & ~y[i]);
}
//= machine code by our generator for AVX2
//= ; k: 169 bytes of code, 48 bytes of stack
//=   push rbp
//=   mov rbp, rsp
//=   and rsp, -32
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
//=   jae b10
//= b5:
//=   mov rdi, r10
//=   shl rdi, 3
//=   vmovups ymm0, [r9 + rdi*4]
//=   vpslld ymm1, ymm0, 3
//=   vpsubd ymm2, ymm1, ymm0
//=   vmovups ymm1, [r8 + rdi*4]
//=   vpsrad ymm3, ymm1, 5
//=   vpmaxsd ymm2, ymm2, ymm3
//=   vpandn ymm0, ymm1, ymm0
//=   vpsubd ymm1, ymm2, ymm0
//=   vmovups [r9 + rdi*4], ymm1
//=   add rdx, 1
//=   lea r10, [r10 + 0x1]
//=   xor r11d, r11d
//=   cmp r10, rsi
//=   cmove r10, r11
//= b6:
//=   cmp rdx, rcx
//=   jb b5
//= b10:
//=   vzeroupper
//=   leave
//=   ret
