int add(int a, int b) { return a + b; } kernel void k(global int *o) { *o = add(1, 2) + add(1.5f, 'a'); }
//= accepted

int add(int a, int b) { return a + b; } kernel void k(global int *o) { *o = add(1); }
//= 1:77: error: too few arguments to function call, expected 2, have 1
//= 1:5: note: 'add' declared here
//= rejected

int add(int a, int b) { return a + b; } kernel void k(global int *o) { *o = add(1, 2, 3); }
//= 1:77: error: too many arguments to function call, expected 2, have 3
//= 1:5: note: 'add' declared here
//= rejected

int add(int a, int b); kernel void k(global int *o) { *o = add(1, 2); }
//= 1:60: error: undefined reference to 'add'
//= rejected

int add(int a, int b); kernel void k(global int *o) { *o = add(1, 2); } int add(int a, int b) { return a + b; }
//= accepted

int f(int a); float f(int a) { return a; }
//= 1:21: error: conflicting types for 'f'
//= 1:5: note: previous declaration is here
//= rejected

int f(int a) { return a; } int f(int a) { return a; }
//= 1:32: error: redefinition of 'f'
//= 1:5: note: previous definition is here
//= rejected

int f(int a) { return a; } int f(float a) { return a; }
//= 1:32: error: conflicting types for 'f'
//= 1:5: note: previous declaration is here
//= rejected

int __attribute__((overloadable)) f(int a) { return 1; } int __attribute__((overloadable)) f(float a) { return 2; } kernel void k(global int *o) { *o = f(1) + f(1.0f); }
//= accepted

int __attribute__((overloadable)) f(int a, float b) { return 1; } int __attribute__((overloadable)) f(float a, int b) { return 2; } kernel void k(global int *o) { *o = f(1, 1); }
//= 1:169: error: call to 'f' with arguments 'int', 'int' is ambiguous
//= rejected

int f(int n) { return n ? f(n - 1) : 0; } kernel void k(global int *o) { *o = f(3); }
//= 1:27: error: recursion is not supported: 'f' calls itself
//= rejected

int g(int n); int f(int n) { return n ? g(n - 1) : 0; } int g(int n) { return f(n); } kernel void k(global int *o) { *o = f(3); }
//= 1:41: error: recursion is not supported: 'f' calls 'g' again
//= 1:61: note: the cycle is 'g' → 'f' → 'g'
//= rejected

kernel void k(global int *o, int n) { if (n) k(o, n - 1); }
//= 1:46: error: recursion is not supported: 'k' calls itself
//= rejected

int f(int n) { return n; } kernel void k(global int *o) { int (*p)(int) = f; *o = p(1); }
//= 1:64: error: function pointers are not supported
//= rejected

typedef int F(int); kernel void k(global int *o) { F *p = 0; *o = 1; }
//= 1:54: error: function pointers are not supported
//= rejected

int f(int (*g)(int)) { return g(1); }
//= 1:12: error: function pointers are not supported
//= rejected

int f(int g(int)) { return g(1); }
//= 1:7: error: function pointers are not supported
//= rejected

int f(int n, ...) { return n; }
//= 1:6: error: invalid prototype, variadic arguments are not allowed in OpenCL
//= rejected

int f(a, b) int a; int b; { return a + b; }
//= 1:7: error: unknown type name 'a'
//= 1:10: error: unknown type name 'b'
//= 1:12: error: expected ';' after top level declarator
//= 1:27: error: expected external declaration
//= 1:17: error: program scope variable must reside in constant address space
//= 1:24: error: program scope variable must reside in constant address space
//= rejected

f(int a) { return a; }
//= 1:1: error: type specifier missing, defaults to 'int'
//= rejected

int f() { return 1; } kernel void k(global int *o) { *o = f() + f(1); }
//= 1:65: error: too many arguments to function call, expected 0, have 1
//= 1:5: note: 'f' declared here
//= rejected

int f(void) { return 1; } kernel void k(global int *o) { *o = f(); }
//= accepted

int f(void, int a) { return 1; }
//= 1:7: error: argument may not have 'void' type
//= rejected

int f(void a) { return 1; }
//= 1:7: error: argument may not have 'void' type
//= rejected

int f(int a, int a) { return a; }
//= 1:18: error: redefinition of 'a'
//= 1:11: note: previous definition is here
//= rejected

int f(int, float); kernel void k(global int *o) { *o = 1; }
//= accepted

int f(int, float) { return 1; }
//= accepted

int f(int a[3], int b[][4]) { return a[0] + b[1][2]; } kernel void k(global int *o) { int a[3] = { 1 }, b[2][4] = { { 0 } }; *o = f(a, b); }
//= accepted

int f(int *a) { return *a; } kernel void k(global int *o) { *o = f(o); }
//= 1:68: error: passing '__global int *' to parameter of type '__private int *' changes address space of pointer
//= rejected

int f(global const int *a) { return *a; } kernel void k(global int *o) { *o = f(o); }
//= accepted

int f(global int *a) { return *a; } kernel void k(global const int *o, global int *p) { *p = f(o); }
//= 1:96: warning: passing '__global const int *' to parameter of type '__global int *' discards qualifiers
//= accepted

static int f(int a) { return a; } inline int g(int a) { return a; } static inline int h(int a) { return a; } kernel void k(global int *o) { *o = f(1) + g(2) + h(3); }
//= accepted

extern int f(int a) { return a; } kernel void k(global int *o) { *o = f(1); }
//= accepted

struct P { int x, y; }; struct P swap(struct P p) { struct P q = { p.y, p.x }; return q; } kernel void k(global int *o) { struct P p = { 1, 2 }; *o = swap(p).x * 10 + swap(swap(p)).x; }
//= accepted

int a[3] f(void) { return 0; }
//= 1:9: error: expected ';' after top level declarator
//= 1:5: error: program scope variable must reside in constant address space
//= rejected

typedef int A[3]; A f(void);
//= 1:22: error: function cannot return type 'int[3]'
//= rejected

int f(int x) { int g(int y) { return y; } return g(x); }
//= 1:29: error: function definition is not allowed here
//= rejected

kernel void k(global int *o) { int g(int); *o = g(1); } int g(int x) { return x; }
//= accepted

int max(int a) { return a; } kernel void k(global int *o) { *o = max(3); }
//= accepted

kernel void k(global int *o) { int max = 3, sin = 4; *o = max + sin; }
//= accepted

kernel void k(global int *o) { int max = 3; *o = max(1, 2) + max; }
//= 1:50: error: called object type 'int' is not a function or function pointer
//= rejected

float4 f(float4 a, float4 b) { return a * b; } kernel void k(global float *o) { *o = f(1, (float4)(2)).x; }
//= accepted

int f(int a) { a = 5; return a; } kernel void k(global int *o) { int a = 1; *o = f(a) + a; }
//= accepted

int f(const int a) { a = 5; return a; }
//= 1:22: error: cannot assign to variable 'a' with const-qualified type 'int'
//= rejected

restrict int f(int a) { return a; }
//= 1:1: error: restrict requires a pointer ('int' is invalid)
//= rejected

int f(int restrict a) { return a; }
//= 1:7: error: restrict requires a pointer ('int' is invalid)
//= rejected

int f(int *restrict a, int *const restrict volatile b) { return *a + *b; } kernel void k(global int *o) { int x = 1; *o = f(&x, &x); }
//= accepted

register int f(int a) { return a; }
//= 1:1: error: OpenCL C does not support the 'register' storage class specifier
//= rejected

int f(register int a) { return a; } kernel void k(global int *o) { *o = f(1); }
//= 1:7: error: OpenCL C does not support the 'register' storage class specifier
//= rejected

int f(static int a) { return a; }
//= 1:7: error: invalid storage class specifier in function declarator
//= rejected

void f(local int *p) { *p = 1; } kernel void k(global int *o) { local int x; f(&x); barrier(CLK_LOCAL_MEM_FENCE); *o = x; }
//= accepted
