// target: avx2
// width: 8
// local: 64 1 1
// disjoint
// Base, scaled index and offset are parts of the instruction that loads, computes or stores.
kernel void k(global float *x, global const float *y) {
    size_t i = get_global_id(0);
    x[i + 3] = y[i + 1] + y[i + 100];
}
//= machine code by our generator for AVX2
//= ; k: 273 bytes of code, 64 bytes of stack
//=   push rbp
//=   mov rbp, rsp
//=   push rbx
//=   push r12
//=   and rsp, -32
//=   mov r11, rdx
//=   mov r8, [rsi + 0x18]
//=   mov r10, [rsi + 0x48]
//=   mov rsi, [rdi]
//=   mov rdi, [rdi + 0x8]
//=   mov eax, 0x1
//=   test r10, r10
//=   mov r9, r10
//=   cmove r9, rax
//=   xor edx, edx
//=   mov rax, r11
//=   div r9
//=   xor r9d, r9d
//=   test r10, r10
//=   cmove rax, r9
//=   imul rax, r10
//=   mov rdx, r11
//=   mov r12, rdx
//=   sub r12, rax
//=   cmp rdx, rcx
//=   jae b9
//= b3:
//=   mov rax, r12
//=   shl rax, 6
//=   add rax, r8
//=   lea r9, [rdi + rax*4]
//=   lea r11, [rsi + rax*4]
//=   xor ebx, ebx
//=   nop [rax + rax]
//=   nop [rax + rax]
//=   nop [rax + rax]
//= b4:
//=   vmovups ymm0, [r9 + rbx*4 + 0x4]
//=   vaddps ymm0, ymm0, [r9 + rbx*4 + 0x190]
//=   vmovups ymm1, [r9 + rbx*4 + 0x24]
//=   vaddps ymm1, ymm1, [r9 + rbx*4 + 0x1b0]
//=   vmovups ymm2, [r9 + rbx*4 + 0x44]
//=   vaddps ymm2, ymm2, [r9 + rbx*4 + 0x1d0]
//=   vmovups ymm3, [r9 + rbx*4 + 0x64]
//=   vaddps ymm3, ymm3, [r9 + rbx*4 + 0x1f0]
//=   vmovups [r11 + rbx*4 + 0xc], ymm0
//=   vmovups [r11 + rbx*4 + 0x2c], ymm1
//=   vmovups [r11 + rbx*4 + 0x4c], ymm2
//=   vmovups [r11 + rbx*4 + 0x6c], ymm3
//=   lea rbx, [rbx + 0x20]
//=   cmp rbx, 64
//=   jb b4
//= b6:
//=   add rdx, 1
//=   lea r12, [r12 + 0x1]
//=   xor eax, eax
//=   cmp r12, r10
//=   cmove r12, rax
//=   cmp rdx, rcx
//=   jb b3
//= b9:
//=   vzeroupper
//=   lea rsp, [rbp - 0x10]
//=   pop r12
//=   pop rbx
//=   pop rbp
//=   ret
