// target: avx512
// width: 16
// local: 16 1 1
// A rounding is a part of the instruction.
kernel void k(global int *x, global float *y) {
    size_t i = get_global_id(0);
    y[i] = convert_float_rtz(x[i]);
}
//= machine code by our generator for AVX-512
//= ; k: 134 bytes of code, 80 bytes of stack
//=   push rbp
//=   mov rbp, rsp
//=   and rsp, -64
//=   mov r9, rdx
//=   mov r11, [rsi + 0x18]
//=   mov rsi, [rsi + 0x48]
//=   mov r10, [rdi]
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
//=   sub r9, rax
//= b1:
//=   cmp rdx, rcx
//=   jae b10
//= b5:
//=   mov rax, r9
//=   shl rax, 4
//=   add rax, r11
//=   vmovups zmm0, [r10 + rax*4]
//=   vcvtdq2ps zmm0, zmm0, {rz-sae}
//=   vmovups [r8 + rax*4], zmm0
//=   add rdx, 1
//=   lea r9, [r9 + 0x1]
//=   xor eax, eax
//=   cmp r9, rsi
//=   cmove r9, rax
//= b6:
//=   cmp rdx, rcx
//=   jb b5
//= b10:
//=   vzeroupper
//=   leave
//=   ret
