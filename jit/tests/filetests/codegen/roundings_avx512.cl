// target: avx512
// width: 16
// local: 16 1 1
// A rounding is a part of the instruction.
kernel void k(global int *x, global float *y) {
    size_t i = get_global_id(0);
    y[i] = convert_float_rtz(x[i]);
}
//= machine code by our generator for AVX-512
//= ; k: 143 bytes of code, 80 bytes of stack
//=   push rbp
//=   mov rbp, rsp
//=   and rsp, -64
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
//=   mov rax, r10
//=   shl rax, 4
//=   vmovups zmm0, [r8 + rax*4]
//=   vcvtdq2ps zmm0, zmm0, {rz-sae}
//=   vmovups [r9 + rax*4], zmm0
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
