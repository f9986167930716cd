// target: avx2
// width: 8
// local: 8 1 1
// Eight numbers a register. Shifts by one amount for all take it as an immediate.
kernel void k(global int *x, global const int *y) {
    size_t i = get_global_id(0);
    x[i] = max(x[i] * 7, y[i] >> 5) - (x[i] & ~y[i]);
}
//= machine code by our generator for AVX2
//= ; k: 172 bytes of code, 48 bytes of stack
//=   push rbp
//=   mov rbp, rsp
//=   and rsp, -32
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
//=   jae b6
//= b3:
//=   mov r8, r10
//=   shl r8, 3
//=   vmovups ymm0, [rsi + r8*4]
//=   vpslld ymm1, ymm0, 3
//=   vpsubd ymm2, ymm1, ymm0
//=   vmovups ymm1, [rdi + r8*4]
//=   vpsrad ymm3, ymm1, 5
//=   vpmaxsd ymm2, ymm2, ymm3
//=   vpandn ymm0, ymm1, ymm0
//=   vpsubd ymm0, ymm2, ymm0
//=   vmovups [rsi + r8*4], ymm0
//=   add rdx, 1
//=   lea r10, [r10 + 0x1]
//=   xor r8d, r8d
//=   cmp r10, r9
//=   cmove r10, r8
//=   cmp rdx, rcx
//=   jb b3
//= b6:
//=   vzeroupper
//=   leave
//=   ret
