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
//=   mov r9, rdx
//=   mov r11, [rsi + 0x48]
//=   mov eax, 0x1
//=   test r11, r11
//=   mov r8, r11
//=   cmove r8, rax
//=   xor edx, edx
//=   mov rax, r9
//=   div r8
//=   xor r8d, r8d
//=   test r11, r11
//=   cmove rax, r8
//=   imul rax, r11
//=   mov rdx, r9
//=   mov r8, rdx
//=   sub r8, rax
//=   mov rax, [rdi]
//=   mov rsi, [rsi + 0x18]
//=   lea rsi, [rax + rsi*2]
//= b1:
//=   cmp rdx, rcx
//=   jae b10
//= b5:
//=   mov rdi, r8
//=   shl rdi, 3
//=   vmovups xmm1, [rsi + rdi*2]
//=   vcvtph2ps ymm0, ymm1
//=   vcvtph2ps ymm1, ymm1
//=   vmulps ymm0, ymm0, ymm1
//=   vcvtps2ph ymm0, ymm0, 0
//=   vcvtph2ps ymm0, ymm0
//=   vmovaps xmm1, [constants + 0x0]
//=   vcvtph2ps ymm1, ymm1
//=   vaddps ymm0, ymm0, ymm1
//=   vcvtps2ph ymm1, ymm0, 0
//=   vmovups [rsi + rdi*2], xmm1
//=   add rdx, 1
//=   lea r8, [r8 + 0x1]
//=   xor r9d, r9d
//=   cmp r8, r11
//=   cmove r8, r9
//= b6:
//=   cmp rdx, rcx
//=   jb b5
//= b10:
//=   vzeroupper
//=   leave
//=   ret
