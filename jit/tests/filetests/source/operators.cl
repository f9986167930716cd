kernel void k(global int *o) { int a = 7, b = 2; o[0] = a + b - a * b / b % b; o[1] = a << b >> 1; o[2] = (a & b) | (a ^ b); o[3] = ~a + -b + +a + !b; }
//= accepted

kernel void k(global int *o) { int a = 7; a += 1; a -= 1; a *= 2; a /= 2; a %= 5; a <<= 1; a >>= 1; a &= 3; a |= 4; a ^= 1; o[0] = a; }
//= accepted

kernel void k(global float *o) { float a = 7; o[0] = a % 2; }
//= 1:56: error: invalid operands to binary expression ('float' and 'int')
//= rejected

kernel void k(global float *o) { float a = 7; o[0] = a & 2; }
//= 1:56: error: invalid operands to binary expression ('float' and 'int')
//= rejected

kernel void k(global float *o) { float a = 7; o[0] = ~a; }
//= 1:54: error: invalid argument type 'float' to unary expression
//= rejected

kernel void k(global float *o) { float a = 7; a <<= 1; o[0] = a; }
//= 1:49: error: invalid operands to binary expression ('float' and 'int')
//= rejected

kernel void k(global float *o) { float a = 7; a |= 1; o[0] = a; }
//= 1:49: error: invalid operands to binary expression ('float' and 'int')
//= rejected

kernel void k(global int *o) { 5 = *o; }
//= 1:32: error: expression is not assignable
//= rejected

kernel void k(global int *o) { const int a = 1; a = 2; *o = a; }
//= 1:49: error: cannot assign to variable 'a' with const-qualified type 'int'
//= rejected

kernel void k(global int *o) { const int a = 1; a++; *o = a; }
//= 1:49: error: cannot increment variable 'a' with const-qualified type 'int'
//= rejected

kernel void k(global int *o) { *o + 1 = 2; }
//= 1:32: error: expression is not assignable
//= rejected

kernel void k(global int *o) { int a[3], b[3]; a = b; *o = a[0]; }
//= 1:48: error: array type 'int[3]' is not assignable
//= rejected

kernel void k(global int *o) { (*o)++ = 1; }
//= 1:32: error: expression is not assignable
//= rejected

kernel void k(global int *o) { int a = 1; (a) = 2; (a, a) = 3; *o = a; }
//= 1:52: error: expression is not assignable
//= rejected

kernel void k(global int *o) { int a = 1, b = 2; *o = a ? b : 3.5f; *o = a > b ? a : b; *o = a ?: b; }
//= accepted

kernel void k(global int *o) { struct { int x; } s; s.x = 1; *o = s + 1; }
//= 1:69: error: invalid operands to binary expression ('struct (anonymous)' and 'int')
//= rejected

kernel void k(global int *o) { struct A { int x; } a; struct B { int x; } b; b.x = 1; a = b; *o = a.x; }
//= 1:91: error: assigning to 'struct A' from incompatible type 'struct B'
//= rejected

kernel void k(global int *o) { struct A { int x; } a = { 1 }, b; b = a; *o = b.x + (a = b).x; }
//= accepted

kernel void k(global int *o) { struct A { int x; } a = { 1 }; *o = a == a; }
//= 1:70: error: invalid operands to binary expression ('struct A' and 'struct A')
//= rejected

kernel void k(global int *o) { struct A { int x; } a = { 1 }; *o = !a; }
//= 1:68: error: invalid argument type 'struct A' to unary expression
//= rejected

kernel void k(global int *o) { struct A { int x; } a = { 1 }; if (a) *o = 1; }
//= 1:67: error: statement requires expression of scalar type ('struct A' invalid)
//= rejected

kernel void k(global int *o) { struct A { int x; } a = { 1 }; *o = (int)a; }
//= 1:68: error: operand of type 'struct A' where arithmetic or pointer type is required
//= rejected

kernel void k(global int *o) { int x = 1; *o = x->y; }
//= 1:48: error: member reference type 'int' is not a pointer
//= rejected

kernel void k(global int *o) { struct A { int x; } a = { 1 }, *p = &a; *o = p.x; }
//= 1:79: error: member reference type '__private struct A *' is a pointer; did you mean to use '->'?
//= rejected

kernel void k(global int *o) { struct A { int x; } a = { 1 }; *o = a->x; }
//= 1:68: error: member reference type 'struct A' is not a pointer; did you mean to use '.'?
//= rejected

kernel void k(global int *o) { struct A { int x; } a = { 1 }; *o = a.y; }
//= 1:70: error: no member named 'y' in 'struct A'
//= rejected

kernel void k(global int *o) { int x = 1; *o = *x; }
//= 1:48: error: indirection requires pointer operand ('int' invalid)
//= rejected

kernel void k(global int *o) { *o = &5; }
//= 1:37: error: cannot take the address of an rvalue of type 'int'
//= rejected

kernel void k(global int *o) { int x; *o = &x == 0; *o = &x && 1; *o = !o; }
//= accepted

kernel void k(global int *o) { int x = 1; *o = x[0]; }
//= 1:48: error: subscripted value is not an array, pointer, or vector
//= rejected

kernel void k(global int *o) { *o = o[1.5f]; }
//= 1:39: error: array subscript is not an integer
//= rejected

kernel void k(global int *o) { *o = 1[o] + o[(char)1] + o[1u] + o[true]; }
//= accepted

kernel void k(global int *o) { *o = o + o; }
//= 1:39: error: invalid operands to binary expression ('__global int *' and '__global int *')
//= rejected

kernel void k(global int *o) { *o = o * 2; }
//= 1:39: error: invalid operands to binary expression ('__global int *' and 'int')
//= rejected

kernel void k(global int *o) { *o = -o; }
//= 1:37: error: invalid argument type '__global int *' to unary expression
//= rejected

kernel void k(global int *o, global float *p) { *o = o - p; }
//= 1:56: error: '__global int *' and '__global float *' are not pointers to compatible types
//= rejected

kernel void k(global int *o, global int *p) { *o = (o + 1 - p) + (o < p) + (o == p); o += 1; o -= 2; o++; --o; }
//= accepted

kernel void k(global int *o) { *o = o + 1.0f; }
//= 1:39: error: invalid operands to binary expression ('__global int *' and 'float')
//= rejected

kernel void k(global int *o) { *o = 1 - o; }
//= 1:39: error: invalid operands to binary expression ('int' and '__global int *')
//= rejected

kernel void k(global int *o) { *o = o == 5; }
//= 1:39: warning: comparison between pointer and integer ('__global int *' and 'int')
//= accepted

kernel void k(global int *o, global float *p) { *o = o == p; }
//= 1:56: warning: comparison of distinct pointer types ('__global int *' and '__global float *')
//= accepted

kernel void k(global int *o) { *o = 1 / 0; *o = 1 % 0; }
//= 1:39: warning: division by zero is undefined
//= 1:51: warning: remainder by zero is undefined
//= accepted

kernel void k(global int *o) { *o = 1 << 32; *o = 1 << -1; *o = 1 >> 40; }
//= 1:39: warning: shift count >= width of type
//= 1:53: warning: shift count is negative
//= 1:67: warning: shift count >= width of type
//= accepted

kernel void k(global int *o) { int x = sizeof(*o) + sizeof o + sizeof(int[3]) + sizeof x; *o = x; }
//= accepted

kernel void k(global int *o) { *o = sizeof(struct T); }
//= 1:37: error: invalid application of 'sizeof' to an incomplete type 'struct T'
//= rejected

kernel void k(global int *o) { *o = sizeof(k); }
//= 1:44: error: taking the address of function 'k': function pointers are not supported
//= rejected

kernel void k(global int *o) { *o = (1, 2, 3); int a = 1, b = (a++, a); *o = b; }
//= accepted

kernel void k(global int *o) { *o = undeclared; }
//= 1:37: error: use of undeclared identifier 'undeclared'
//= rejected

kernel void k(global int *o) { int value = 1; *o = valve; }
//= 1:52: error: use of undeclared identifier 'valve'; did you mean 'value'?
//= rejected

kernel void k(global int *o) { *o = get_global_idd(0); }
//= 1:37: error: use of undeclared identifier 'get_global_idd'; did you mean 'get_global_id'?
//= rejected

kernel void k(global int *o) { *o = get_global_id; }
//= 1:37: error: taking the address of function 'get_global_id': function pointers are not supported
//= rejected

kernel void k(global int *o) { int x = x; goto end; end: *o = 1; }
//= accepted

kernel void k(global int *o) { *o = ({ int y = 3; y + 1; }); }
//= accepted

kernel void k(global int *o) { int i = 0; i = i++ + ++i; *o = i; }
//= accepted

kernel void k(global long *o) { *o = 1L << 40; *o += 5u; *o = (long)1.5e10; *o = 0x7fffffffffffffff; }
//= accepted

kernel void k(global uint *o) { *o = -1; *o = 4294967296; }
//= 1:47: warning: implicit conversion from 'long' to 'uint' changes value from 4294967296 to 0
//= accepted

kernel void k(global uchar *o) { *o = 256; *o = -129; *o = 'a'; }
//= 1:39: warning: implicit conversion from 'int' to 'uchar' changes value from 256 to 0
//= accepted

kernel void k(global int *o) { *o = 1.5; float f = 1; f = 2.5; int i = f; *o = i; }
//= accepted

kernel void k(global int *o) { int *p = 5; *o = *p; }
//= 1:41: error: incompatible integer to pointer conversion initializing '__private int *' with an expression of type 'int'
//= rejected

kernel void k(global int *o) { int *p = 0, *q = NULL, x = 1; p = &x; *o = *p + (q == 0); }
//= accepted

kernel void k(global int *o) { int x = 1; int y = &x; *o = y; }
//= 1:51: error: incompatible pointer to integer conversion initializing 'int' with an expression of type '__private int *'
//= rejected

kernel void k(global int *o) { int x = 1; ulong a = (ulong)&x; int *p = (int *)a; *o = *p; }
//= accepted

kernel void k(global int *o) { const int x = 1; int *p = &x; *o = *p; }
//= 1:58: warning: initializing '__private int *' with an expression of type '__private const int *' discards qualifiers
//= accepted

kernel void k(global int *o) { float f = 1; int *p = &f; *o = *p; }
//= 1:54: warning: incompatible pointer types initializing '__private int *' with an expression of type '__private float *'
//= accepted

kernel void k(global int *o) { float f = (float)o; *o = 1; }
//= 1:42: error: '__global int *' cannot be cast to type 'float'
//= rejected

kernel void k(global int *o) { global int *p = (global int *)1.5f; *o = 1; }
//= 1:48: error: 'float' cannot be cast to type '__global int *'
//= rejected
