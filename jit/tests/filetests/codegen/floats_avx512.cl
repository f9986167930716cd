// target: avx512
// width: 16
// local: 16 1 1
// One operand may be in memory. Nothing is fused that the source does not fuse.
kernel void k(global float *x, global const float *y, float s) {
    size_t i = get_global_id(0);
    x[i] = fma(x[i], y[i], s) * y[i + 1] + s;
}
//= machine code by our generator for AVX-512
//= ; k: 174 bytes of code, 80 bytes of stack
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
//=   vpbroadcastd zmm0, [rdi + 0x10]
//=   mov rax, [rdi]
//=   lea r9, [rax + r11*4]
//=   mov rax, [rdi + 0x8]
//=   lea r8, [rax + r11*4]
//= b1:
//=   cmp rdx, rcx
//=   jae b10
//= b5:
//=   mov rdi, r10
//=   shl rdi, 4
//=   vmovups zmm1, [r9 + rdi*4]
//=   vmovups zmm2, [r8 + rdi*4]
//=   vfmadd213ps zmm1, zmm2, zmm0
//=   vmovups zmm2, [r8 + rdi*4 + 0x4]
//=   vfmadd213ps zmm1, zmm2, zmm0
//=   vmovups [r9 + rdi*4], zmm1
//=   add rdx, 1
//=   lea r10, [r10 + 0x1]
//=   xor edi, edi
//=   cmp r10, rsi
//=   cmove r10, rdi
//= b6:
//=   cmp rdx, rcx
//=   jb b5
//= b10:
//=   vzeroupper
//=   leave
//=   ret
