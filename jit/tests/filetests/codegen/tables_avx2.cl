// target: avx2
// width: 8
// local: 8 1 1
// Without mask registers the same is a gather from the table in memory.
constant int table[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
kernel void k(global int *x) {
    size_t i = get_global_id(0);
    x[i] = table[x[i] & 15];
}
//= machine code by our generator for AVX2
//= ; k: 224 bytes of code, 48 bytes of stack
//=   push rbp
//=   mov rbp, rsp
//=   and rsp, -32
//=   mov r9, rdx
//=   mov r11, [rsi + 0x48]
//=   mov eax, 0x1
//=   test r11, r11
//=   mov r8, r11
//=   cmove r8, rax
//=   xor edx, edx
//=   mov rax, r9
//=   div r8
//=   xor r8d, r8d
//=   test r11, r11
//=   cmove rax, r8
//=   imul rax, r11
//=   mov rdx, r9
//=   sub r9, rax
//=   mov r8, @table
//=   mov rax, [rdi]
//=   mov rsi, [rsi + 0x18]
//=   lea rdi, [rax + rsi*4]
//= b1:
//=   cmp rdx, rcx
//=   jae b10
//= b5:
//=   mov rsi, r9
//=   shl rsi, 3
//=   vmovups ymm0, [rdi + rsi*4]
//=   vpand ymm0, ymm0, [constants + 0x0]
//=   vxorps xmm1, xmm1, xmm1
//=   vpcmpeqd ymm2, ymm2, ymm2
//=   vmovaps ymm3, ymm2
//=   vpgatherdd ymm1, [r8 + ymm0*4], ymm3
//=   vmovups [rdi + rsi*4], ymm1
//=   add rdx, 1
//=   lea r9, [r9 + 0x1]
//=   xor esi, esi
//=   cmp r9, r11
//=   cmove r9, rsi
//= b6:
//=   cmp rdx, rcx
//=   jb b5
//= b10:
//=   vzeroupper
//=   leave
//=   ret
