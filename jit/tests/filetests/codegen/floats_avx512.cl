// target: avx512
// width: 16
// local: 16 1 1
// One operand may be in memory. Nothing is fused that the source does not fuse.
kernel void k(global float *x, global const float *y, float s) {
    size_t i = get_global_id(0);
    x[i] = fma(x[i], y[i], s) * y[i + 1] + s;
}
//= machine code by our generator for AVX-512
//= ; k: 171 bytes of code, 80 bytes of stack
//=   push rbp
//=   mov rbp, rsp
//=   and rsp, -64
//=   mov r10, rdx
//=   mov r8, [rsi + 0x18]
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
//=   vpbroadcastd zmm0, [rdi + 0x10]
//=   mov rax, [rdi]
//=   lea rsi, [rax + r8*4]
//=   mov rax, [rdi + 0x8]
//=   lea rdi, [rax + r8*4]
//=   cmp rdx, rcx
//=   jae b6
//= b3:
//=   mov r8, r10
//=   shl r8, 4
//=   vmovups zmm1, [rsi + r8*4]
//=   vmovups zmm2, [rdi + r8*4]
//=   vfmadd213ps zmm1, zmm2, zmm0
//=   vmovups zmm2, [rdi + r8*4 + 0x4]
//=   vfmadd213ps zmm1, zmm2, zmm0
//=   vmovups [rsi + r8*4], zmm1
//=   add rdx, 1
//=   lea r10, [r10 + 0x1]
//=   xor eax, eax
//=   cmp r10, r9
//=   cmove r10, rax
//=   cmp rdx, rcx
//=   jb b3
//= b6:
//=   vzeroupper
//=   leave
//=   ret
