kernel void k(global int *g, local int *l, constant int *c) { g = l; }
//= 1:67: error: assigning '__local int *' to '__global int *' changes address space of pointer
//= rejected

kernel void k(global int *g, local int *l, constant int *c) { g = c; }
//= 1:67: error: assigning '__constant int *' to '__global int *' changes address space of pointer
//= rejected

kernel void k(global int *g, constant int *c) { c = g; }
//= 1:53: error: assigning '__global int *' to '__constant int *' changes address space of pointer
//= rejected

kernel void k(global int *g) { global int *p = (global int *)(ulong)g; local int *l = (local int *)g; *p = 1; }
//= 1:87: error: casting '__global int *' to type '__local int *' changes address space of pointer
//= rejected

kernel void k(global int *g, local int *l) { int a = g == l; *g = a; }
//= 1:56: error: comparison between ('__global int *' and '__local int *') which are pointers to non-overlapping address spaces
//= rejected

kernel void k(global int *g, local int *l) { *g = *(1 ? g : l); }
//= 1:55: error: conditional operator with the second and third operands of type ('__global int *' and '__local int *') which are pointers to non-overlapping address spaces
//= rejected

//! -cl-std=CL3.0
int take(int *p) { return *p; } kernel void k(global int *g, local int *l) { int x = 1; *l = 2; *g = take(g) + take(l) + take(&x); }
//= accepted

//! -cl-std=CL3.0
int take(int *p) { return *p; } kernel void k(global int *g, constant int *c) { *g = take(c); }
//= 2:91: error: passing '__constant int *' to parameter of type '__generic int *' changes address space of pointer
//= rejected

//! -cl-std=CL3.0
int take(global int *p) { return *p; } kernel void k(global int *g) { int *any = g; *g = take(any); }
//= 2:95: error: passing '__generic int *' to parameter of type '__global int *' changes address space of pointer
//= rejected

//! -cl-std=CL3.0
int take(global int *p) { return *p; } kernel void k(global int *g) { int *any = g; *g = take((global int *)any) + take(to_global(any)); }
//= accepted

//! -cl-std=CL3.0
kernel void k(global int *g, constant int *c) { int *p = (int *)c; *g = *p; }
//= 2:58: error: casting '__constant int *' to type '__generic int *' changes address space of pointer
//= rejected

//! -cl-std=CL3.0
kernel void k(global int *g, constant int *c) { to_global(c); }
//= 2:49: error: no matching function for call to 'to_global' with arguments '__constant int *'
//= rejected

//! -cl-std=CL3.0
kernel void k(global int *g) { int **pp; global int *p = g; pp = &p; *g = **pp; }
//= 2:66: error: assigning '__private __global int **' to '__generic __generic int **' changes address space of nested pointer
//= rejected

//! -cl-std=CL3.0
kernel void k(global int *g) { int *p = g, **pp = &p; **pp = 1; }
//= accepted

//! -cl-std=CL3.0
int n = 3; static int m; constant int c = 4; int *p = &n; kernel void k(global int *g) { m += n++; *g = *p + m + c; }
//= accepted

//! -cl-std=CL3.0
local int l;
//= 2:11: error: program scope variable must reside in global or constant address space
//= rejected

//! -cl-std=CL3.0
private int p;
//= 2:13: error: program scope variable must reside in global or constant address space
//= rejected

//! -cl-std=CL3.0
generic int p;
//= 2:13: error: program scope variable must reside in global or constant address space
//= rejected

//! -cl-std=CL3.0
kernel void k(global int *g) { static int n = 2; static constant int c = 1; n += c; *g = n; }
//= accepted

//! -cl-std=CL3.0
kernel void k(global int *g) { static int n = *g; *g = n; }
//= 2:47: error: initializer element is not a compile-time constant
//= rejected

//! -cl-std=CL3.0
kernel void k(global int *g) { static local int n; *g = n; }
//= 2:49: error: static and extern variables must reside in global or constant address space
//= rejected

//! -cl-std=CL3.0
extern int other; kernel void k(global int *g) { *g = other; }
//= 2:55: error: undefined reference to 'other'
//= rejected

//! -cl-std=CL3.0
global atomic_int a = ATOMIC_VAR_INIT(1); kernel void k(global int *g) { *g = atomic_fetch_add(&a, 1); atomic_store(&a, *g + 1); }
//= accepted

//! -cl-std=CL3.0
kernel void k(global atomic_int *a) { *a = 1; }
//= 2:39: error: an object of type 'atomic_int' can be used with atomic functions only
//= rejected

//! -cl-std=CL3.0
kernel void k(global atomic_int *a, global int *g) { *g = *a + 1; }
//= 2:59: error: an object of type 'atomic_int' can be used with atomic functions only
//= rejected

//! -cl-std=CL3.0
kernel void k(global atomic_int *a) { (*a)++; }
//= 2:39: error: an object of type 'atomic_int' can be used with atomic functions only
//= rejected

//! -cl-std=CL3.0
kernel void k(atomic_int a) { }
//= 2:26: error: 'atomic_int' cannot be used as the type of a kernel parameter
//= rejected

//! -cl-std=CL3.0
kernel void k(global int *g) { atomic_int a = 1; *g = 1; }
//= 2:43: error: only atomic variables in the global address space can be initialized
//= rejected

//! -cl-std=CL3.0
kernel void k(global int *g) { atomic_fetch_add(g, 1); }
//= 2:32: error: no matching function for call to 'atomic_fetch_add' with arguments '__global int *', 'int'
//= rejected

//! -cl-std=CL3.0
kernel void k(global atomic_float *f) { atomic_fetch_add(f, 1.0f); }
//= accepted

//! -cl-std=CL3.0
kernel void k(global atomic_flag *f, global int *g) { *g = atomic_flag_test_and_set(f); atomic_flag_clear_explicit(f, memory_order_release); }
//= accepted

kernel void k(global int *g) { atomic_int a; *g = 1; }
//= 1:32: error: type 'atomic_int' requires OpenCL C 3.0 (-cl-std=CL3.0)
//= rejected

kernel void k(global int *g) { *g = memory_order_relaxed; }
//= 1:37: error: use of undeclared identifier 'memory_order_relaxed'
//= rejected

//! -cl-std=CL3.0
kernel void k(global int *g) { *g = memory_scope_sub_group; }
//= accepted
