struct S { char c; int i; } __attribute__((packed)); struct T { char c __attribute__((aligned(16))); }; kernel void k(global int *o) { *o = sizeof(struct S) * 100 + sizeof(struct T); }
//= accepted

typedef struct __attribute__((packed)) { char c; double d; } P; kernel void k(global int *o) { *o = sizeof(P); }
//= accepted

kernel void k(global int *o) { int x __attribute__((aligned(64))) = 1; *o = x; }
//= accepted

kernel void k(global int *o) { int x __attribute__((aligned(3))) = 1; *o = x; }
//= 1:53: error: requested alignment 3 is not a power of 2 up to 4096
//= rejected

kernel void k(global int *o) { int x __attribute__((aligned(-4))) = 1; *o = x; }
//= 1:53: error: requested alignment -4 is not a power of 2 up to 4096
//= rejected

kernel void k(global int *o) { int x __attribute__((aligned(o))) = 1; *o = x; }
//= 1:61: error: 'aligned' attribute has non-integer type '__global int *'
//= rejected

kernel void k(global int *o) { int x __attribute__((aligned)) = 1; *o = x + ((ulong)&x & 15); }
//= accepted

kernel void k(global int *o __attribute__((endian(host)))) { *o = 1; }
//= accepted

kernel void k(global int *o) { int x __attribute__((unused)); *o = 1; }
//= accepted

kernel void k(global int *o) { int x __attribute__((mystery(1, "two"))) = 3; *o = x; }
//= 1:53: warning: unknown attribute 'mystery' ignored
//= accepted

kernel void k(global int *o) { int x __attribute__(unused); *o = 1; }
//= 1:52: error: expected '(' after '('
//= rejected

kernel void k(global int *o) { int x __attribute__((aligned(8)); *o = 1; }
//= 1:64: error: expected ')'
//= 1:51: note: to match this '('
//= rejected

int f(int) __attribute__((overloadable, const)); int __attribute__((overloadable)) f(int x) { return x; } kernel void k(global int *o) { *o = f(1); }
//= accepted

__attribute__((always_inline)) int f(int x) { return x; } __attribute__((noinline)) int g(int x) { return x; } kernel void k(global int *o) { *o = f(1) + g(2); }
//= accepted

kernel __attribute__((reqd_work_group_size(1, 1, 1))) __attribute__((reqd_work_group_size(2, 1, 1))) void k(global int *o) { *o = 1; }
//= 1:70: error: attribute 'reqd_work_group_size' is already applied with different arguments
//= rejected

struct A { size_t n; }; kernel void k(struct A a) { }
//= 1:48: error: 'struct A' cannot be used as the type of a kernel parameter: it has a member of type bool, size_t, ptrdiff_t, intptr_t or uintptr_t
//= rejected

struct A { int n; }; struct B { struct A a[2]; bool c; }; kernel void k(struct B b) { }
//= 1:82: error: 'struct B' cannot be used as the type of a kernel parameter: it has a member of type bool, size_t, ptrdiff_t, intptr_t or uintptr_t
//= rejected

struct A { size_t n; }; kernel void k(global struct A *a) { a->n = 1; }
//= accepted

void main(void) { }
//= 1:6: error: a function in an OpenCL program cannot be called 'main'
//= rejected

local event_t e;
//= 1:15: error: program scope variable must reside in constant address space
//= rejected

kernel void k(global int *o) { local event_t e; constant event_t f = 0; *o = 1; }
//= 1:46: error: the 'event_t' type cannot be used with the '__local' address space qualifier
//= 1:66: error: the 'event_t' type cannot be used with the '__constant' address space qualifier
//= rejected
