// target: avx2
// local: 1 1 1
// Bytes shift as words, by what the compiler knows, and lose what came from their neighbours.
kernel void k(global char16 *x, global uchar16 *y) {
    *y = *y << (uchar16)3 ^ *y >> (uchar16)1;
    *x = *x >> (char16)2;
}
//= machine code by our generator for AVX2
//= ; k: 192 bytes of code, 16 bytes of stack
//=   push rbp
//=   mov rbp, rsp
//=   mov rsi, [rdi]
//=   mov r8, [rdi + 0x8]
//=   cmp rdx, rcx
//=   jae b6
//= b3:
//=   vmovups xmm14, [r8]
//=   vpsllw xmm0, xmm14, 3
//=   vmovaps xmm1, [constants + 0x0]
//=   vpand xmm0, xmm0, xmm1
//=   vpsrlw xmm1, xmm14, 1
//=   vmovaps xmm2, [constants + 0x10]
//=   vpand xmm1, xmm1, xmm2
//=   vpxor xmm0, xmm0, xmm1
//=   vmovups [r8], xmm0
//=   vmovups xmm0, [rsi]
//=   vpsrlw xmm0, xmm0, 2
//=   vmovaps xmm1, [constants + 0x20]
//=   vpand xmm1, xmm0, xmm1
//=   vmovaps xmm0, [constants + 0x30]
//=   vpxor xmm1, xmm1, xmm0
//=   vpsubb xmm0, xmm1, xmm0
//=   vmovups [rsi], xmm0
//=   add rdx, 1
//=   cmp rdx, rcx
//=   jb b3
//= b6:
//=   vzeroupper
//=   leave
//=   ret
