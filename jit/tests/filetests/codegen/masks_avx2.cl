// target: avx2
// width: 8
// local: 8 1 1
// The comparison is a vector of zeros and ones, whose signs choose the lanes.
kernel void k(global int *x, global const int *y) {
    size_t i = get_global_id(0);
    if (x[i] > 5) x[i] = y[i] * 3;
}
//= machine code by our generator for AVX2
//= ; k: 224 bytes of code, 48 bytes of stack
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
//=   jae b9
//= b3:
//=   mov r8, r10
//=   shl r8, 3
//=   vmovups ymm0, [rsi + r8*4]
//=   vpcmpgtd ymm0, ymm0, [constants + 0x0]
//=   vptest ymm0, ymm0
//=   je b6
//= b5:
//=   vpmaskmovd ymm1, ymm0, [rdi + r8*4]
//=   vpslld ymm2, ymm1, 2
//=   vpsubd ymm1, ymm2, ymm1
//=   vpmaskmovd [rsi + r8*4], ymm0, ymm1
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
