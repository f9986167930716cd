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
//=   mov rsi, [rax]
//=   lea rsi, [rsi + rdi*4]
//=   mov rax, [rax + 0x8]
//=   lea rdi, [rax + rdi*8]
//=   cmp rdx, rcx
//=   jae b6
//= b3:
//=   mov r8, r10
//=   shl r8, 4
//=   vmovups zmm2, [rsi + r8*4]
//=   vprold zmm0, zmm2, 9
//=   vplzcntd zmm1, zmm2
//=   vpsrld zmm2, zmm2, 3
//=   vpternlogd zmm0, zmm1, zmm2, 30
//=   vmovups [rsi + r8*4], zmm0
//=   vmovupd zmm1, [rdi + r8*8]
//=   vmovupd zmm0, [rdi + r8*8 + 0x40]
//=   vpaddq zmm3, zmm1, [constants + 0x0]{1to8}
//=   vpaddq zmm2, zmm0, [constants + 0x0]{1to8}
//=   vpmullq zmm1, zmm1, zmm3
//=   vpmullq zmm2, zmm0, zmm2
//=   vmovupd [rdi + r8*8], zmm1
//=   vmovupd [rdi + r8*8 + 0x40], zmm2
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
