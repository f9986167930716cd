// target: avx2
// width: 8
// local: 8 1 1
// The nearest float steps towards zero where it lies beyond.
kernel void k(global int *x, global float *y) {
    size_t i = get_global_id(0);
    y[i] = convert_float_rtz(x[i]);
}
//= machine code by our generator for AVX2
//= ; k: 288 bytes of code, 48 bytes of stack
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
//=   mov rax, [rdi + 0x8]
//=   lea r9, [rax + r11*4]
//=   mov rax, [rdi]
//=   lea r8, [rax + r11*4]
//= b1:
//=   cmp rdx, rcx
//=   jae b10
//= b5:
//=   mov rdi, r10
//=   shl rdi, 3
//=   vmovups ymm1, [r8 + rdi*4]
//=   vpand ymm0, ymm1, [constants + 0x0]
//=   vpand ymm1, ymm1, [constants + 0x20]
//=   vcvtdq2ps ymm2, ymm1
//=   vcvtdq2ps ymm1, ymm0
//=   vaddps ymm0, ymm2, ymm1
//=   vsubps ymm2, ymm0, ymm2
//=   vpand ymm4, ymm0, [constants + 0x40]
//=   vpxor ymm3, ymm1, ymm4
//=   vpxor ymm5, ymm2, ymm4
//=   vcmpps ymm7, ymm3, ymm5, 17
//=   vpaddd ymm9, ymm0, ymm7
//=   vmovups [r9 + rdi*4], ymm9
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
//=   leave
//=   ret
