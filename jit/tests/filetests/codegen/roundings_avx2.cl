// target: avx2
// width: 8
// local: 8 1 1
// The nearest float steps towards zero where it lies beyond.
kernel void k(global int *x, global float *y) {
    size_t i = get_global_id(0);
    y[i] = convert_float_rtz(x[i]);
}
//= machine code by our generator for AVX2
//= ; k: 352 bytes of code, 48 bytes of stack
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
//=   mov rsi, [rax + 0x8]
//=   lea rsi, [rsi + rdi*4]
//=   mov rax, [rax]
//=   lea rdi, [rax + rdi*4]
//=   cmp rdx, rcx
//=   jae b6
//= b3:
//=   mov r8, r10
//=   shl r8, 3
//=   vmovups ymm1, [rdi + r8*4]
//=   vpand ymm0, ymm1, [constants + 0x0]
//=   vpand ymm1, ymm1, [constants + 0x20]
//=   vcvtdq2ps ymm2, ymm1
//=   vcvtdq2ps ymm1, ymm0
//=   vaddps ymm0, ymm2, ymm1
//=   vsubps ymm2, ymm0, ymm2
//=   vpand ymm3, ymm0, [constants + 0x40]
//=   vpxor ymm1, ymm1, ymm3
//=   vpxor ymm2, ymm2, ymm3
//=   vcmpps ymm1, ymm1, ymm2, 17
//=   vpaddd ymm3, ymm0, ymm1
//=   vmovups [rsi + r8*4], ymm3
//=   add rdx, 1
//=   lea r10, [r10 + 0x1]
//=   xor r11d, r11d
//=   cmp r10, r9
//=   cmove r10, r11
//=   cmp rdx, rcx
//=   jb b3
//= b6:
//=   vzeroupper
//=   leave
//=   ret
