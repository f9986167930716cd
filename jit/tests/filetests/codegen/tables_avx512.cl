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
//=   mov rax, r9
//=   shl rax, 4
//=   vmovups zmm0, [rdi + rax*4]
//=   vpandd zmm0, zmm0, [constants + 0x0]{1to16}
//=   vmovups zmm1, [r8]
//=   vpermd zmm0, zmm0, zmm1
//=   vmovups [rdi + rax*4], zmm0
//=   add rdx, 1
//=   lea r9, [r9 + 0x1]
//=   xor eax, eax
//=   cmp r9, r11
//=   cmove r9, rax
//= b6:
//=   cmp rdx, rcx
//=   jb b5
//= b10:
//=   vzeroupper
//=   leave
//=   ret
