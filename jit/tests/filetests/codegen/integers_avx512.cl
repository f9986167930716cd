// target: avx512
// width: 16
// local: 16 1 1
// Rotations, leading zeros and products of 64 bits are instructions here; three operands of logic are one.
kernel void k(global uint *x, global ulong *y) {
    size_t i = get_global_id(0);
    x[i] = rotate(x[i], 9u) ^ (clz(x[i]) & 255 | x[i] >> 3);
    y[i] *= y[i] + 5;
}
//= machine code by our generator for AVX-512
//= ; k: 264 bytes of code, 80 bytes of stack
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
//=   mov rax, [rdi]
//=   lea r9, [rax + r11*4]
//=   mov rax, [rdi + 0x8]
//=   lea r8, [rax + r11*8]
//= b1:
//=   cmp rdx, rcx
//=   jae b10
//= b5:
//=   mov rdi, r10
//=   shl rdi, 4
//=   vmovups zmm2, [r9 + rdi*4]
//=   vprold zmm0, zmm2, 9
//=   vplzcntd zmm1, zmm2
//=   vpsrld zmm2, zmm2, 3
//=   vpternlogd zmm0, zmm1, zmm2, 30
//=   vmovups [r9 + rdi*4], zmm0
//=   vmovupd zmm1, [r8 + rdi*8]
//=   vmovupd zmm0, [r8 + rdi*8 + 0x40]
//=   vpaddq zmm2, zmm1, [constants + 0x0]{1to8}
//=   vpaddq zmm4, zmm0, [constants + 0x0]{1to8}
//=   vpmullq zmm6, zmm1, zmm2
//=   vpmullq zmm8, zmm0, zmm4
//=   vmovupd [r8 + rdi*8], zmm6
//=   vmovupd [r8 + rdi*8 + 0x40], zmm8
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
