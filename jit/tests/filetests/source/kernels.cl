int kernel k(global int *o) { return 1; }
//= 1:12: error: kernel must have void return type
//= rejected

kernel int k(global int *o) { return 1; }
//= 1:12: error: kernel must have void return type
//= rejected

kernel void main(global int *o) { *o = 1; }
//= 1:13: error: a function in an OpenCL program cannot be called 'main'
//= rejected

kernel static void k(global int *o) { *o = 1; }
//= 1:20: error: kernel functions cannot be declared static
//= rejected

kernel void k(int *p) { *p = 1; }
//= 1:20: error: pointer arguments to kernel functions must reside in '__global', '__constant' or '__local' address space
//= rejected

kernel void k(private int *p) { *p = 1; }
//= 1:28: error: pointer arguments to kernel functions must reside in '__global', '__constant' or '__local' address space
//= rejected

kernel void k(global int **p) { **p = 1; }
//= 1:28: error: pointer arguments to kernel functions must reside in '__global', '__constant' or '__local' address space
//= rejected

//! -cl-std=CL3.0
kernel void k(global int *global *p) { **p = 1; }
//= accepted

kernel void k(bool b) { }
//= 1:20: error: 'bool' cannot be used as the type of a kernel parameter
//= rejected

kernel void k(size_t n) { }
//= 1:22: error: 'size_t' cannot be used as the type of a kernel parameter
//= rejected

kernel void k(ptrdiff_t n, intptr_t m, uintptr_t l) { }
//= 1:25: error: 'ptrdiff_t' cannot be used as the type of a kernel parameter
//= 1:37: error: 'intptr_t' cannot be used as the type of a kernel parameter
//= 1:50: error: 'uintptr_t' cannot be used as the type of a kernel parameter
//= rejected

kernel void k(half h) { }
//= 1:15: error: declaring function parameter of type 'half' is not allowed; did you forget * ?
//= rejected

kernel void k(event_t e) { }
//= 1:23: error: 'event_t' cannot be used as the type of a kernel parameter
//= rejected

kernel void k(void *p) { }
//= 1:21: error: pointer arguments to kernel functions must reside in '__global', '__constant' or '__local' address space
//= rejected

kernel void k(global void *p) { }
//= accepted

kernel void k(global bool *p) { *p = true; }
//= accepted

struct S { int a; float b[3]; }; kernel void k(struct S s, global float *o) { *o = s.b[1]; }
//= accepted

struct S { int *p; }; kernel void k(struct S s) { }
//= 1:46: error: struct kernel parameters may not contain pointers ('struct S')
//= rejected

struct S { global int *p; }; kernel void k(global struct S *s) { }
//= accepted

struct S { bool b; }; kernel void k(struct S s) { }
//= 1:46: error: 'struct S' cannot be used as the type of a kernel parameter: it has a member of type bool, size_t, ptrdiff_t, intptr_t or uintptr_t
//= rejected

kernel void k(float4 v, int3 w, char c, global float *o) { *o = v.x + w.z + c; }
//= accepted

kernel void k(int a[4]) { }
//= 1:19: error: pointer arguments to kernel functions must reside in '__global', '__constant' or '__local' address space
//= rejected

kernel void k(global int a[4]) { a[1] = 2; }
//= accepted

kernel void k(local int *p, local float4 *q) { p[0] = 1; q->x = 2; }
//= accepted

kernel void k(constant int *p, global int *o) { *o = *p; }
//= accepted

kernel void k(constant int *p) { *p = 1; }
//= 1:34: error: cannot assign to __constant-qualified lvalue of type 'int'
//= rejected

kernel void k(global int *o); kernel void k(global int *o) { *o = 1; }
//= accepted

kernel void k(global int *o) { *o = 1; } kernel void k(global int *o) { *o = 2; }
//= 1:54: error: redefinition of 'k'
//= 1:13: note: previous definition is here
//= rejected

kernel void a(global int *o) { *o = 1; } kernel void b(global int *o) { a(o); }
//= accepted

kernel void k(void) { }
//= accepted

kernel void k() { }
//= accepted

kernel k(global int *o) { *o = 1; }
//= 1:8: error: type specifier missing, defaults to 'int'
//= rejected

void kernel k(global int *o) { *o = 1; }
//= accepted

kernel __attribute__((reqd_work_group_size(4, 2, 1))) void k(global int *o) { *o = 1; }
//= accepted

kernel __attribute__((reqd_work_group_size(4, 2))) void k(global int *o) { *o = 1; }
//= 1:23: error: 'reqd_work_group_size' attribute requires exactly 3 arguments
//= rejected

kernel __attribute__((reqd_work_group_size(0, 1, 1))) void k(global int *o) { *o = 1; }
//= 1:23: error: 'reqd_work_group_size' attribute must be greater than 0
//= rejected

kernel __attribute__((reqd_work_group_size(n, 1, 1))) void k(global int *o) { *o = 1; }
//= 1:44: error: use of undeclared identifier 'n'
//= rejected

kernel __attribute__((reqd_work_group_size(8, 1, 1), work_group_size_hint(8, 1, 1), vec_type_hint(float4))) void k(global int *o) { *o = 1; }
//= accepted

kernel __attribute__((vec_type_hint(struct S))) void k(global int *o) { *o = 1; }
//= 1:23: error: invalid attribute argument 'struct S': expecting a vector or vectorizable scalar type
//= rejected

__attribute__((work_group_size_hint(8, 1, 1))) kernel void k(global int *o) { *o = 1; }
//= accepted

__attribute__((reqd_work_group_size(8, 1, 1))) void f(void) { } kernel void k(global int *o) { f(); *o = 1; }
//= 1:16: error: 'reqd_work_group_size' attribute is for kernel functions only
//= rejected

kernel __attribute__((unknown_attribute)) void k(global int *o) { *o = 1; }
//= 1:23: warning: unknown attribute 'unknown_attribute' ignored
//= accepted

kernel void k(global int *o) { local int x = 1; *o = x; }
//= 1:42: error: '__local' variable cannot have an initializer
//= rejected

kernel void k(global int *o) { if (*o) { local int x; x = 1; *o = x; } }
//= 1:52: error: variables in the local address space can only be declared in the outermost scope of a kernel function
//= rejected

void f(void) { local int x; }
//= 1:26: error: non-kernel function variable cannot be declared in local address space
//= rejected

kernel void k(global int *o) { local int a[4], *p = a; p[0] = 1; *o = a[0]; }
//= accepted

kernel void k(global int *o) { global int x; *o = 1; }
//= 1:43: error: function scope variable cannot be declared in global address space
//= rejected

kernel void k(global int *o) { constant int x = 1; *o = x; }
//= accepted

kernel void k(global int *o) { constant int x = *o; *o = x; }
//= 1:49: error: initializer element is not a compile-time constant
//= rejected

kernel void k(global int *o) { local int *constant p = 0; *o = 1; }
//= accepted

kernel __kernel void k(global int *o) { *o = 1; }
//= accepted

kernel int x;
//= 1:12: error: program scope variable must reside in constant address space
//= rejected

kernel void k(__global int *restrict o, __constant const float *c, volatile __global int *v, read_only global int *r) { *o = 1; }
//= 1:94: error: access qualifier can only be used for pipe and image type
//= rejected
