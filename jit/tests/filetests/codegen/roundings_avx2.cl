// target: avx2
// width: 8
// local: 8 1 1
// The nearest float steps towards zero where it lies beyond.
kernel void k(global int *x, global float *y) {
    size_t i = get_global_id(0);
    y[i] = convert_float_rtz(x[i]);
}
//= machine code by our generator for AVX2
//= ; k: 352 bytes of code, 64 bytes of stack
//=   push rbp
//=   mov rbp, rsp
//=   push r15
//=   sub rsp, 8
//=   and rsp, -32
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
//=   jae b10
//= b5:
//=   mov r9, r10
//=   shl r9, 3
//=   add r9, r11
//=   vmovups ymm1, [r15 + r9*4]
//=   vpand ymm0, ymm1, [constants + 0x0]
//=   vpand ymm1, ymm1, [constants + 0x20]
//=   vcvtdq2ps ymm2, ymm1
//=   vcvtdq2ps ymm1, ymm0
//=   vaddps ymm0, ymm2, ymm1
//=   vsubps ymm2, ymm0, ymm2
//=   vpand ymm3, ymm0, [constants + 0x40]
//=   vpxor ymm1, ymm1, ymm3
//=   vpxor ymm3, ymm2, ymm3
//=   vcmpps ymm5, ymm1, ymm3, 17
//=   vpaddd ymm7, ymm0, ymm5
//=   vmovups [r8 + r9*4], ymm7
//=   add rdx, 1
//=   lea r10, [r10 + 0x1]
//=   xor eax, eax
//=   cmp r10, rsi
//=   cmove r10, rax
//= b6:
//=   cmp rdx, rcx
//=   jb b5
//= b10:
//=   vzeroupper
//=   lea rsp, [rbp - 0x8]
//=   pop r15
//=   pop rbp
//=   ret
