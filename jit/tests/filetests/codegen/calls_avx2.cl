// target: avx2
// local: 1 1 1
// What is large is copied by a function of ours, which takes its arguments as C's do. What lives across the call has
// registers that it keeps.
typedef struct { int a[1000]; } S;
kernel void k(global S *x, global const S *y, int n) {
    x[n] = y[n];
    x[0].a[1] = n;
}
//= machine code by our generator for AVX2
//= ; k: 142 bytes of code, 80 bytes of stack
//=   push rbp
//=   mov rbp, rsp
//=   push rbx
//=   push r12
//=   push r13
//=   push r14
//=   push r15
//=   sub rsp, 24
//=   mov r12, [rdi]
//=   mov r13d, [rdi + 0x10]
//=   movsxd r10, r13d
//=   imul r14, r10, 500
//=   mov r15, [rdi + 0x8]
//=   cmp rdx, rcx
//=   mov rbx, rdx
//=   mov [rsp], rcx
//=   jae b6
//=   nop [rax + rax]
//=   nop
//= b3:
//=   lea rdi, [r12 + r14*8]
//=   lea rsi, [r15 + r14*8]
//=   mov edx, 0xfa0
//=   mov r10, @Memcpy
//=   call r10
//=   mov [r12 + 0x4], r13d
//=   mov rdx, rbx
//=   add rdx, 1
//=   mov rcx, [rsp]
//=   cmp rdx, rcx
//=   jae b6
//= b4:
//=   mov rbx, rdx
//=   mov [rsp], rcx
//=   jmp b3
//= b6:
//=   vzeroupper
//=   lea rsp, [rbp - 0x28]
//=   pop r15
//=   pop r14
//=   pop r13
//=   pop r12
//=   pop rbx
//=   pop rbp
//=   ret
