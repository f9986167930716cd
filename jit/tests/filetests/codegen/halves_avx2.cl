// target: avx2
// width: 8
// local: 8 1 1
// Halves become floats and halves again, by instructions.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void k(global half *x) {
    size_t i = get_global_id(0);
    x[i] = x[i] * x[i] + (half)1;
}
//= machine code by our generator for AVX2
//= ; k: 208 bytes of code, 48 bytes of stack
//=   push rbp
//=   mov rbp, rsp
//=   and rsp, -32
//=   mov r10, rdi
//=   mov r11, rdx
//=   mov rdi, [rsi + 0x48]
//=   mov r9d, 0x1
//=   test rdi, rdi
//=   mov r8, rdi
//=   cmove r8, r9
//=   xor edx, edx
//=   mov rax, r11
//=   div r8
//=   xor r8d, r8d
//=   test rdi, rdi
//=   cmove rax, r8
//=   imul rax, rdi
//=   mov rdx, r11
//=   mov r9, rdx
//=   sub r9, rax
//=   mov rax, r10
//=   mov rax, [rax]
//=   mov rsi, [rsi + 0x18]
//=   lea rsi, [rax + rsi*2]
//=   cmp rdx, rcx
//=   jae b6
//= b3:
//=   mov r8, r9
//=   shl r8, 3
//=   vmovups xmm1, [rsi + r8*2]
//=   vcvtph2ps ymm0, ymm1
//=   vcvtph2ps ymm1, ymm1
//=   vmulps ymm0, ymm0, ymm1
//=   vcvtps2ph ymm0, ymm0, 0
//=   vcvtph2ps ymm0, ymm0
//=   vmovaps xmm1, [constants + 0x0]
//=   vcvtph2ps ymm1, ymm1
//=   vaddps ymm0, ymm0, ymm1
//=   vcvtps2ph ymm0, ymm0, 0
//=   vmovups [rsi + r8*2], xmm0
//=   add rdx, 1
//=   lea r9, [r9 + 0x1]
//=   xor r8d, r8d
//=   cmp r9, rdi
//=   cmove r9, r8
//=   cmp rdx, rcx
//=   jb b3
//= b6:
//=   vzeroupper
//=   leave
//=   ret
