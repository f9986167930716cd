// target: avx512
// width: 16
// local: 16 1 1
// Sixteen numbers are one register, which the indices permute.
constant int table[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
kernel void k(global int *x) {
    size_t i = get_global_id(0);
    x[i] = table[x[i] & 15];
}
//= machine code by our generator for AVX-512
//= ; k: 196 bytes of code, 80 bytes of stack
//=   push rbp
//=   mov rbp, rsp
//=   and rsp, -64
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
//=   mov rax, r10
//=   shl rax, 4
//=   vmovups zmm0, [r8 + rax*4]
//=   vpandd zmm0, zmm0, [constants + 0x0]{1to16}
//=   vmovups zmm1, [r9]
//=   vpermd zmm0, zmm0, zmm1
//=   vmovups [r8 + rax*4], zmm0
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
