// target: avx512
// width: 16
// local: 16 1 1
// A rounding is a part of the instruction.
kernel void k(global int *x, global float *y) {
    size_t i = get_global_id(0);
    y[i] = convert_float_rtz(x[i]);
}
//= machine code by our generator for AVX-512
//= ; k: 182 bytes of code, 80 bytes of stack
//=   push rbp
//=   mov rbp, rsp
//=   and rsp, -64
//=   mov r8, rdx
//=   mov r10, rdi
//=   mov rdi, [rsi + 0x18]
//=   mov r9, [rsi + 0x48]
//=   mov r11d, 0x1
//=   test r9, r9
//=   mov rsi, r9
//=   cmove rsi, r11
//=   xor edx, edx
//=   mov rax, r8
//=   div rsi
//=   xor esi, esi
//=   test r9, r9
//=   cmove rax, rsi
//=   imul rax, r9
//=   mov rdx, r8
//=   sub r8, rax
//=   mov rax, r10
//=   mov rsi, [rax + 0x8]
//=   lea rsi, [rsi + rdi*4]
//=   mov rax, [rax]
//=   lea rdi, [rax + rdi*4]
//=   cmp rdx, rcx
//=   jae b6
//=   nop [rax + rax]
//=   nop [rax + rax]
//=   nop [rax + rax]
//=   nop [rax + rax]
//= b3:
//=   mov rax, r8
//=   shl rax, 4
//=   vmovups zmm0, [rdi + rax*4]
//=   vcvtdq2ps zmm0, zmm0, {rz-sae}
//=   vmovups [rsi + rax*4], zmm0
//=   add rdx, 1
//=   lea r8, [r8 + 0x1]
//=   xor eax, eax
//=   cmp r8, r9
//=   cmove r8, rax
//=   cmp rdx, rcx
//=   jb b3
//= b6:
//=   vzeroupper
//=   leave
//=   ret
