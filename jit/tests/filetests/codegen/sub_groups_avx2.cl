// target: avx2
// local: 64 1 1
// options: -cl-std=CL3.0
kernel __attribute__((intel_reqd_sub_group_size(8))) void reduce(global float *a)
{
    size_t i = get_global_id(0);
    a[i] = sub_group_reduce_add(a[i]);
}
kernel __attribute__((intel_reqd_sub_group_size(8))) void exchange(global int *a)
{
    size_t i = get_global_id(0);
    a[i] = sub_group_shuffle(a[i], a[i]) + sub_group_shuffle_xor(a[i], 5);
}
//= machine code by our generator for AVX2
//= ; reduce: 195 bytes of code, 80 bytes of stack
//=   push rbp
//=   mov rbp, rsp
//=   push rbx
//=   push r12
//=   push r14
//=   sub rsp, 8
//=   and rsp, -32
//=   mov r10, rdx
//=   mov r12, [rsi + 0x18]
//=   mov r14, [rsi + 0x48]
//=   mov r8, [rdi]
//=   mov eax, 0x1
//=   test r14, r14
//=   mov rdi, r14
//=   cmove rdi, rax
//=   xor edx, edx
//=   mov rax, r10
//=   div rdi
//=   xor r9d, r9d
//=   test r14, r14
//=   cmove rax, r9
//=   imul rax, r14
//=   mov rdx, r10
//=   mov rbx, rdx
//=   sub rbx, rax
//= b1:
//=   cmp rdx, rcx
//=   jae b13
//= b5:
//=   mov r9, rbx
//=   shl r9, 6
//=   add r9, r12
//=   xor r10d, r10d
//= b6:
//=   mov r11, r9
//=   add r11, r10
//=   vmovups ymm0, [r8 + r11*4]
//=   vperm2i128 ymm1, ymm0, ymm0, 17
//=   vaddps xmm0, xmm1, xmm0
//=   vpunpckhqdq xmm1, xmm0, xmm0
//=   vaddps xmm0, xmm1, xmm0
//=   vpshufd xmm1, xmm0, 1
//=   vaddss xmm1, xmm1, xmm0
//=   vpbroadcastd ymm3, ymm1
//=   vmovups [r8 + r11*4], ymm3
//=   lea r10, [r10 + 0x8]
//=   cmp r10, 64
//=   jb b6
//= b8:
//=   add rdx, 1
//=   lea rbx, [rbx + 0x1]
//=   xor eax, eax
//=   cmp rbx, r14
//=   cmove rbx, rax
//= b9:
//=   cmp rdx, rcx
//=   jb b5
//= b13:
//=   vzeroupper
//=   lea rsp, [rbp - 0x18]
//=   pop r14
//=   pop r12
//=   pop rbx
//=   pop rbp
//=   ret
