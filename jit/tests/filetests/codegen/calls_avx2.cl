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
//= ; k: 132 bytes of code, 80 bytes of stack
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
//=   movsxd rax, r13d
//=   imul r14, rax, 500
//=   mov rbx, [rdi + 0x8]
//= b1:
//=   cmp rdx, rcx
//=   mov r15, rdx
//=   mov [rsp], rcx
//=   jae b10
//= b5:
//=   lea rdi, [r12 + r14*8]
//=   lea rsi, [rbx + r14*8]
//=   mov edx, 0xfa0
//=   mov r10, @Memcpy
//=   call r10
//=   mov [r12 + 0x4], r13d
//=   mov rdx, r15
//=   add rdx, 1
//= b6:
//=   mov rcx, [rsp]
//=   cmp rdx, rcx
//=   jae b10
//= b7:
//=   mov r15, rdx
//=   mov [rsp], rcx
//=   jmp b5
//= b10:
//=   vzeroupper
//=   lea rsp, [rbp - 0x28]
//=   pop r15
//=   pop r14
//=   pop r13
//=   pop r12
//=   pop rbx
//=   pop rbp
//=   ret
