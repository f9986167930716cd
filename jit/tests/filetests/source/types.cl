kernel void k(global int *o) { char c = 1; uchar uc = 2; short s = 3; ushort us = 4; int i = 5; uint ui = 6; long l = 7; ulong ul = 8; *o = c + uc + s + us + i + ui + l + ul; }
//= accepted

kernel void k(global int *o) { unsigned char a = 1; unsigned short b = 1; unsigned int c = 1; unsigned long d = 1; signed char e = 1; unsigned f = 1; signed g = 1; short int h = 1; long int m = 1; int unsigned n = 1; long unsigned int q = 1; *o = a + b + c + d + e + f + g + h + m + n + q; }
//= accepted

kernel void k(global int *o) { bool b = 3; _Bool c = 0.5f; *o = b + c + sizeof(bool); }
//= accepted

kernel void k(global int *o) { size_t a = 1; ptrdiff_t b = -1; intptr_t c = -1; uintptr_t d = 1; *o = a + b + c + d + (sizeof(size_t) == sizeof(void *)); }
//= accepted

kernel void k(global int *o) { long long x = 1; *o = x; }
//= accepted

kernel void k(global int *o) { unsigned float x = 1; *o = x; }
//= 1:41: error: cannot combine with previous 'unsigned' declaration specifier
//= rejected

kernel void k(global int *o) { short long x = 1; *o = x; }
//= 1:38: error: cannot combine with previous 'short' declaration specifier
//= rejected

kernel void k(global int *o) { signed unsigned x = 1; *o = x; }
//= 1:39: error: cannot combine with previous 'signed' declaration specifier
//= rejected

kernel void k(global int *o) { long double x = 1; *o = x; }
//= 1:37: error: 'long double' is reserved in OpenCL C
//= rejected

kernel void k(global int *o) { int int x = 1; *o = x; }
//= 1:36: error: cannot combine with previous 'int' declaration specifier
//= rejected

kernel void k(global float *o) { quad x = 1; *o = x; }
//= 1:34: error: unknown type name 'quad'
//= rejected

kernel void k(global float *o) { float x[3]; half3x2 m; *o = x[0]; }
//= 1:46: error: unknown type name 'half3x2'; did you mean 'half2'?
//= rejected

kernel void k(global int *o) { void v; *o = 1; }
//= 1:37: error: variable has incomplete type 'void'
//= rejected

kernel void k(global int *o) { void *p = o; *p = 1; }
//= 1:42: error: initializing '__private void *' with an expression of type '__global int *' changes address space of pointer
//= 1:45: error: incomplete type 'void' is not assignable
//= rejected

void f(void) {} kernel void k(global int *o) { *o = f(); }
//= 1:53: error: assigning to 'int' from incompatible type 'void'
//= rejected

kernel void k(global int *o) { half h; *o = 1; }
//= 1:37: error: declaring variable of type 'half' is not allowed
//= rejected

half f(global half *p) { return *p; }
//= 1:6: error: declaring function return value of type 'half' is not allowed; did you forget * ?
//= rejected

kernel void k(global half *p, global float *o) { *o = vload_half(0, p); vstore_half(*o, 1, p); }
//= accepted

kernel void k(global half *p, global float *o) { *o = *p; }
//= 1:55: error: loading directly from pointer to type 'half' requires cl_khr_fp16; use vload_half instead
//= rejected

kernel void k(global half *p, global float *o) { *p = *o; }
//= 1:50: error: assigning directly to pointer to type 'half' requires cl_khr_fp16; use vstore_half instead
//= rejected

kernel void k(global float *o) { float5 v; *o = 1; }
//= 1:34: error: unknown type name 'float5'; did you mean 'float'?
//= rejected

kernel void k(global float *o) { bool4 v; *o = 1; }
//= 1:34: error: unknown type name 'bool4'; did you mean 'bool'?
//= rejected

kernel void k(global double *o) { double d = 1.5; double4 v = (double4)(d); o[0] = v.w; }
//= accepted

#pragma OPENCL EXTENSION cl_khr_fp64 : enable
kernel void k(global double *o) { o[0] = 1.5; }
//= accepted

struct S { int a; }; kernel void k(global int *o) { struct S s; struct T t; *o = s.a; }
//= 1:74: error: variable has incomplete type 'struct T'
//= rejected

struct S { int a; struct S s; };
//= 1:28: error: field has incomplete type 'struct S'
//= rejected

struct S { int a; struct S *next; }; kernel void k(global int *o) { struct S a = { 1, 0 }, b = { 2, &a }; *o = b.next->a; }
//= accepted

struct S { int a; float a; };
//= 1:25: error: duplicate member 'a'
//= 1:16: note: previous declaration is here
//= rejected

struct { int a; } s; 
//= 1:19: error: program scope variable must reside in constant address space
//= rejected

union U { int i; float f; struct { short lo, hi; }; }; kernel void k(global int *o) { union U u; u.f = 1; *o = u.i + u.lo; }
//= accepted

struct S { int a : 3; };
//= 1:16: error: bit-fields are not supported in OpenCL
//= rejected

struct S { int n; int tail[]; };
//= 1:23: error: flexible array members are not supported in OpenCL
//= rejected

struct S { void f(void); };
//= 1:17: error: field declared as a function
//= rejected

struct S { event_t e; };
//= 1:20: error: the 'event_t' type cannot be used to declare a structure or union field
//= rejected

struct S { int x; } kernel void k(global int *o) { *o = 1; }
//= 1:28: error: cannot combine with previous 'struct' declaration specifier
//= rejected

struct S; kernel void k(global struct S *s, global int *o) { *o = 1; }
//= accepted

struct S; kernel void k(global struct S *s, global int *o) { *o = s->a; }
//= 1:67: error: incomplete definition of type 'struct S'
//= rejected

enum E { A, B = 5, C }; kernel void k(global int *o) { enum E e = C; *o = e + A + sizeof(enum E); }
//= accepted

enum E { A, A };
//= 1:13: error: redefinition of 'A'
//= 1:10: note: previous definition is here
//= rejected

enum E { A = 1.5 };
//= 1:14: error: value of enumerator 'A' has non-integer type 'double'
//= rejected

enum E { A = x };
//= 1:14: error: use of undeclared identifier 'x'
//= rejected

enum E { BIG = 0xffffffff, NEG = -1 }; kernel void k(global long *o) { *o = BIG; }
//= accepted

typedef int T; typedef int T; typedef float T;
//= 1:45: error: redefinition of 'T'
//= 1:28: note: previous definition is here
//= rejected

typedef int T; kernel void k(global T *o) { T T = 3; *o = T; }
//= accepted

typedef int A[4]; kernel void k(global int *o) { A a = { 1, 2, 3, 4 }; A b[2] = { { 1 }, { 2 } }; *o = a[3] + b[1][0] + sizeof(A); }
//= accepted

typedef void F(int); F g; void g(int x) {} kernel void k(global int *o) { g(1); *o = 1; }
//= accepted

kernel void k(global int *o) { int n = 3; int a[n]; *o = a[0]; }
//= 1:49: error: variable length arrays are not supported in OpenCL
//= rejected

kernel void k(global int *o) { int a[-1]; *o = 1; }
//= 1:38: error: array size is negative (-1)
//= rejected

kernel void k(global int *o) { int a[1.5]; *o = 1; }
//= 1:38: error: size of array has non-integer type 'double'
//= rejected

kernel void k(global int *o) { const int n = 3; enum { N = 3 }; int a[N], b[2 * N + 1]; *o = sizeof(a) + sizeof(b) + n; }
//= accepted

kernel void k(global int *o) { int a[2][3]; int (*p)[3] = a; p[1][2] = 7; *o = a[1][2] + sizeof(*p) + (&a)[0][1][2]; }
//= accepted

kernel void k(global int *o) { int *a[3]; int (*b)[3]; int x = 1; a[1] = &x; int arr[3] = { 1, 2, 3 }; b = &arr; *o = *a[1] + (*b)[2]; }
//= accepted

kernel void k(global int *o) { typeof(1 + 2.0f) x = 2.5f; typeof(o) p = o; __typeof__(int) y = 1; *p = x + y; }
//= accepted

kernel void k(global int *o) { _Static_assert(sizeof(int) == 4, "int"); *o = 1; }
//= accepted

kernel void k(global int *o) { _Static_assert(sizeof(int) == 8, "int is short"); *o = 1; }
//= 1:47: error: static assertion failed: int is short
//= rejected

kernel void k(global int *o) { int x = sizeof(void); *o = x; }
//= accepted

kernel void k(global int *o) { *o = sizeof(int3) + sizeof(float3) + sizeof(uchar3) + sizeof(double3) + sizeof(struct { char a; int3 b; }); }
//= accepted

kernel void k(global int *o) { *o = _Alignof(int3) + __alignof__(double) + _Alignof(struct { char c; long l; }); }
//= accepted

_Complex float z;
//= 1:1: error: unknown type name '_Complex'
//= 1:10: error: cannot combine with previous 'type-name' declaration specifier
//= rejected

kernel void k(global int *o) { _Imaginary float z; *o = 1; }
//= 1:32: error: unknown type name '_Imaginary'
//= 1:43: error: cannot combine with previous 'type-name' declaration specifier
//= rejected

kernel void k(global int *o) { wchar_t w; *o = 1; }
//= 1:32: error: unknown type name 'wchar_t'; did you mean 'char'?
//= rejected
