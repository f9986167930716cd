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
//=   mov r10, rdx
//=   mov r11, rdi
//=   mov rdi, [rsi + 0x48]
//=   mov r9d, 0x1
//=   test rdi, rdi
//=   mov r8, rdi
//=   cmove r8, r9
//=   xor edx, edx
//=   mov rax, r10
//=   div r8
//=   xor r8d, r8d
//=   test rdi, rdi
//=   cmove rax, r8
//=   imul rax, rdi
//=   mov rdx, r10
//=   sub r10, rax
//=   mov r9, @table
//=   mov rax, r11
//=   mov rax, [rax]
//=   mov rsi, [rsi + 0x18]
//=   lea r8, [rax + rsi*4]
//=   cmp rdx, rcx
//=   jae b6
//= b3:
//=   mov rsi, r10
//=   shl rsi, 3
//=   vmovups ymm0, [r8 + rsi*4]
//=   vpand ymm0, ymm0, [constants + 0x0]
//=   vxorps xmm1, xmm1, xmm1
//=   vpcmpeqd ymm2, ymm2, ymm2
//=   vmovaps ymm3, ymm2
//=   vpgatherdd ymm1, [r9 + ymm0*4], ymm3
//=   vmovups [r8 + rsi*4], ymm1
//=   add rdx, 1
//=   lea r10, [r10 + 0x1]
//=   xor eax, eax
//=   cmp r10, rdi
//=   cmove r10, rax
//=   cmp rdx, rcx
//=   jb b3
//= b6:
//=   vzeroupper
//=   leave
//=   ret
