kernel void k(global int *o) { int a[3] = { 1, 2, 3 }, b[] = { 4, 5 }, c[4] = { 1 }; *o = a[2] + b[1] + c[3] + sizeof(b); }
//= accepted

kernel void k(global int *o) { int a[2] = { 1, 2, 3 }; *o = a[0]; }
//= 1:51: warning: excess elements in array initializer
//= accepted

kernel void k(global int *o) { int a[] ; *o = 1; }
//= 1:36: error: definition of variable with array type needs an explicit size or an initializer
//= rejected

kernel void k(global int *o) { int a[2] = 5; *o = a[0]; }
//= 1:43: error: array initializer must be an initializer list
//= rejected

kernel void k(global int *o) { int a[2][2] = { 1, 2, 3, 4 }, b[2][2] = { { 1 }, { 2, 3 } }; *o = a[1][0] + b[1][1]; }
//= accepted

kernel void k(global int *o) { int a[5] = { [1] = 2, 3, [4] = 9 }, b[] = { [7] = 1 }; *o = a[2] + sizeof(b); }
//= accepted

kernel void k(global int *o) { int a[2] = { [2] = 1 }; *o = a[0]; }
//= 1:45: error: array designator index (2) exceeds array bounds (2)
//= rejected

kernel void k(global int *o) { int a[2] = { [-1] = 1 }; *o = a[0]; }
//= 1:45: error: array designator index (-1) exceeds array bounds (2)
//= rejected

kernel void k(global int *o) { int n = 1, a[2] = { [n] = 1 }; *o = a[0]; }
//= 1:53: error: array designator is not an integer constant expression
//= rejected

struct P { int x, y; }; kernel void k(global int *o) { struct P p = { .y = 2, .x = 1 }, q = { .y = 5 }, r = { 3, 4 }; *o = p.x + q.x + r.y; }
//= accepted

struct P { int x, y; }; kernel void k(global int *o) { struct P p = { .z = 2 }; *o = p.x; }
//= 1:72: error: field designator 'z' does not refer to any field in type 'struct P'
//= rejected

struct P { int x, y; }; kernel void k(global int *o) { struct P p = { 1, 2, 3 }; *o = p.x; }
//= 1:77: warning: excess elements in struct initializer
//= accepted

struct P { int x[2]; struct { int a, b; } s; }; kernel void k(global int *o) { struct P p = { 1, 2, 3, 4 }, q = { .s.b = 7, .x[1] = 6 }; *o = p.s.b + q.x[1]; }
//= accepted

union U { int i; float f; }; kernel void k(global int *o) { union U u = { 1 }, v = { .f = 2 }; *o = u.i + v.i; }
//= accepted

kernel void k(global int *o) { int x = { 5 }; *o = x; }
//= accepted

kernel void k(global int *o) { int x = { 5, 6 }; *o = x; }
//= 1:45: warning: excess elements in scalar initializer
//= accepted

kernel void k(global int *o) { int x = { }; *o = x; }
//= 1:40: error: scalar initializer cannot be empty
//= rejected

kernel void k(global int *o) { int a[3] = { 0 }, b[2] = { }; *o = a[2] + b[1]; }
//= accepted

kernel void k(global int *o) { char s[] = "abc", t[2] = "ab", u[3] = { "xy" }; *o = sizeof(s) + t[1] + u[2]; }
//= accepted

kernel void k(global int *o) { char s[2] = "abc"; *o = s[0]; }
//= 1:44: warning: initializer-string for char array is too long
//= accepted

kernel void k(global int *o) { int s[] = "abc"; *o = s[0]; }
//= 1:42: error: array initializer must be an initializer list
//= rejected

kernel void k(global int *o) { constant char *s = "abc"; *o = s[1]; }
//= accepted

kernel void k(global int *o) { char *s = "abc"; *o = s[1]; }
//= 1:42: error: initializing '__private char *' with an expression of type '__constant char *' changes address space of pointer
//= rejected

kernel void k(global int *o) { float4 v = { 1, 2, 3, 4 }, a[2] = { { 1 }, { 2, 2, 2, 2 } }; *o = v.x; }
//= 1:70: error: too few elements in vector literal of type 'float4' (expected 4, have 1)
//= rejected

kernel void k(global int *o) { float4 a[2] = { (float4)(1), (float4)(2) }; float4 b[2] = { 1, 2 }; *o = a[1].x; }
//= accepted

kernel void k(global int *o) { *o = ((int[]){ 1, 2, 3 })[1] + (int){ 4 } + ((struct { int a, b; }){ .b = 3 }).b; }
//= accepted

struct P { int x, y; }; int sum(struct P p) { return p.x + p.y; } kernel void k(global int *o) { *o = sum((struct P){ 1, 2 }); struct P *q = &(struct P){ 3, 4 }; *o += q->y; }
//= accepted

kernel void k(global int *o) { int a[3] = (int[3]){ 1, 2, 3 }; *o = a[0]; }
//= 1:43: error: array initializer must be an initializer list
//= rejected

constant int a = 1, b[] = { 1, 2 }, c[2][2] = { { 1 }, { 2 } }; constant float f = 1.5, g = 1 / 3.0f; constant float4 v = (float4)(1, 2, 3, 4); kernel void k(global int *o) { *o = a + b[1] + c[1][0] + (int)(f + g + v.w); }
//= accepted

constant int a;
//= 1:14: error: variable in constant address space must be initialized
//= rejected

constant int a = sin(1.0f);
//= 1:18: error: initializer element is not a compile-time constant
//= rejected

constant int a = 3, b = a + 1; kernel void k(global int *o) { *o = b; }
//= accepted

constant int a[2] = { 1, 2 }; constant int *constant p = &a[1]; constant int *constant q = a; kernel void k(global int *o) { *o = *p + *q; }
//= accepted

constant int *constant p = 5;
//= 1:28: error: incompatible integer to pointer conversion initializing '__constant int *' with an expression of type 'int'
//= rejected

constant struct { int x; float y[2]; } s = { 1, { 2, 3 } }; kernel void k(global float *o) { *o = s.x + s.y[1]; }
//= accepted

constant int a = 1; constant int a = 2;
//= 1:34: error: redefinition of 'a'
//= 1:14: note: previous definition is here
//= rejected

extern constant int a; constant int a = 2; kernel void k(global int *o) { *o = a; }
//= accepted

extern constant int a; kernel void k(global int *o) { *o = a; }
//= 1:60: error: undefined reference to 'a'
//= rejected

constant int a[] = { [3] = 1 }; kernel void k(global int *o) { *o = sizeof(a); }
//= accepted

constant char *constant names[] = { "a", "b" "c", "" }; kernel void k(global int *o) { *o = names[1][1]; }
//= accepted

kernel void k(global int *o) { int a[1000000000][1000000000]; *o = 1; }
//= 1:37: error: array is too large
//= rejected

kernel void k(global int *o) { int a[4] = { [0 ... 3] = 7 }; *o = a[2]; }
//= accepted
