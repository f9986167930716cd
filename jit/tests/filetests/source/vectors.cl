kernel void k(global float *o) { float4 v = (float4)(1, 2, 3, 4); o[0] = v.x + v.s1 + v.S2 + v.w; }
//= accepted

kernel void k(global float *o) { float4 v = (float4)(1.0f); float8 w = (float8)(v, v); float16 x = (float16)(w, 1, 2, v, (float2)(3)); o[0] = x.sf + x.sF; }
//= accepted

kernel void k(global float *o) { float4 v = (float4)(1, 2, 3); o[0] = v.x; }
//= 1:45: error: too few elements in vector literal of type 'float4' (expected 4, have 3)
//= rejected

kernel void k(global float *o) { float4 v = (float4)(1, 2, 3, 4, 5); o[0] = v.x; }
//= 1:45: error: too many elements in vector literal of type 'float4' (expected 4, have 5)
//= rejected

kernel void k(global float *o) { float4 v = (float4)((float2)(1), (float3)(2)); o[0] = v.x; }
//= 1:45: error: too many elements in vector literal of type 'float4' (expected 4, have 5)
//= rejected

kernel void k(global float *o) { float4 v = (float4)(1, (int2)(2), 3); o[0] = v.x; }
//= 1:64: error: vector literal of type 'float4' has an element of type 'int2'
//= rejected

kernel void k(global float *o) { float4 v = 1; v = 2.5f; v += 1; o[0] = v.x; }
//= accepted

kernel void k(global float *o) { float4 v = { 1, 2, 3, 4 }; float4 w = { (float2)(1), 2 }; o[0] = v.x + w.z; }
//= 1:87: error: too few elements in vector literal of type 'float4' (expected 4, have 3)
//= rejected

kernel void k(global float *o) { float2 v = 1; o[0] = v.z; }
//= 1:57: error: vector component access exceeds type 'float2'
//= rejected

kernel void k(global float *o) { float3 v = 1; o[0] = v.w; }
//= 1:57: error: vector component access exceeds type 'float3'
//= rejected

kernel void k(global float *o) { float4 v = 1; o[0] = v.s4; }
//= 1:57: error: vector component access exceeds type 'float4'
//= rejected

kernel void k(global float *o) { float4 v = 1; o[0] = v.xs1.x; }
//= 1:57: error: vector component name 'xs1' is not valid for type 'float4'
//= rejected

kernel void k(global float *o) { float4 v = 1; o[0] = v.q; }
//= 1:57: error: vector component name 'q' is not valid for type 'float4'
//= rejected

kernel void k(global float *o) { float4 v = 1; o[0] = v.xyzwx.x; }
//= 1:57: error: vector component access has invalid length 5: supported are 1, 2, 3, 4, 8, 16
//= rejected

kernel void k(global float *o) { float4 v = 1; o[0] = v.s01234.x; }
//= 1:57: error: vector component access exceeds type 'float4'
//= rejected

kernel void k(global float *o) { float8 v = 1; o[0] = v.x + v.y + v.z + v.w + v.s7; }
//= accepted

kernel void k(global float *o) { float4 v = 1; v.xz = (float2)(3, 4); v.wzyx = v; v.lo = v.hi; v.even = v.odd; o[0] = v.x; }
//= accepted

kernel void k(global float *o) { float4 v = 1; v.xx = (float2)(3, 4); o[0] = v.x; }
//= 1:48: error: vector is not assignable (contains duplicate components)
//= rejected

kernel void k(global float *o) { float4 v = 1; v.xy = (float4)(1); o[0] = v.x; }
//= 1:55: error: assigning to 'float2' from incompatible type 'float4'
//= rejected

kernel void k(global float *o) { float4 v = 1; v.xyz.x = 5; v.hi.lo = 2; o[0] = v.z; }
//= accepted

kernel void k(global float *o) { float v = 1; o[0] = v.x; }
//= 1:56: error: member reference base type 'float' is not a structure, union or vector
//= rejected

kernel void k(global float *o) { float4 v = 1; global float *p = &v.x; private float *q = &v.y; o[0] = *q; }
//= 1:66: error: address of vector element requested
//= 1:91: error: address of vector element requested
//= rejected

kernel void k(global float *o) { float4 v = 1; float *p = &v.xy; o[0] = *p; }
//= 1:59: error: address of vector element requested
//= rejected

kernel void k(global float *o) { float4 v = 1; o[0] = v[2]; int i = 1; v[i] = 3; o[1] = v[i]; }
//= accepted

kernel void k(global float *o) { float4 v = 1; o[0] = v.rgba.x; }
//= 1:57: warning: vector component name 'rgba' is a feature from OpenCL C 3.0 onwards
//= accepted

//! -cl-std=CL3.0
kernel void k(global float *o) { float4 v = 1; v.rg = v.ba; o[0] = v.r + v.a; }
//= accepted

//! -cl-std=CL3.0
kernel void k(global float *o) { float4 v = 1; o[0] = v.rx.x; }
//= 2:57: error: vector component name 'rx' is not valid for type 'float4'
//= rejected

kernel void k(global int *o) { int4 a = 1, b = 2; int4 c = a < b; c = a == b && c; c = !a; c = ~a; c = a ? b : c; o[0] = c.x; }
//= accepted

kernel void k(global int *o) { int4 a = 1; float4 f = 1; a = a + f; o[0] = a.x; }
//= 1:64: error: cannot convert between vector values of different type ('int4' and 'float4')
//= rejected

kernel void k(global int *o) { int4 a = 1; int2 b = 2; a = a + b; o[0] = a.x; }
//= 1:62: error: cannot convert between vector values of different type ('int4' and 'int2')
//= rejected

kernel void k(global int *o) { int4 a = 1; a = a + 1.5f; o[0] = a.x; }
//= 1:50: error: scalar operand type has greater rank than the type of the vector element ('int4' and 'float')
//= rejected

kernel void k(global int *o) { char4 a = 1; a = a + (char)2; a = a * 3; int i = 4; a = a + i; o[0] = a.x; }
//= 1:90: error: scalar operand type has greater rank than the type of the vector element ('char4' and 'int')
//= rejected

kernel void k(global int *o) { float4 a = 1; a = a % 2; o[0] = 1; }
//= 1:52: error: invalid operands to binary expression ('float4' and 'int')
//= rejected

kernel void k(global int *o) { float4 a = 1; a = a << 2; o[0] = 1; }
//= 1:52: error: invalid operands to binary expression ('float4' and 'int')
//= rejected

kernel void k(global int *o) { int4 a = 1; a = a << (int4)(1, 2, 3, 4); a = a >> 1; a <<= 2u; a = 1 << a; o[0] = a.x; }
//= 1:101: error: requested shift is a vector of type 'int4' but the first operand is not a vector ('int')
//= rejected

kernel void k(global int *o) { int4 a = 1; if (a) o[0] = 1; }
//= 1:48: error: statement requires expression of scalar type ('int4' invalid)
//= rejected

kernel void k(global int *o) { int4 a = 1; while (a.x < 3) a++; o[0] = a.y; }
//= accepted

kernel void k(global int *o) { float4 c = 1; int4 a = c ? (int4)(1) : (int4)(2); o[0] = a.x; }
//= 1:55: error: vector condition of type 'float4' must have elements of integer type
//= rejected

kernel void k(global int *o) { int4 c = -1; long4 a = c ? (long4)(1) : (long4)(2); o[0] = a.x; }
//= 1:57: error: vector condition type 'int4' and result type 'long4' do not have the same number of elements of the same size
//= rejected

kernel void k(global int *o) { int4 a = (int4)(float4)(1); o[0] = a.x; }
//= 1:41: error: invalid conversion between vector type 'float4' and 'int4'
//= 1:41: note: use convert_int4() for values or as_int4() for bits
//= rejected

kernel void k(global int *o) { int4 a = convert_int4((float4)(1.5f)); a = as_int4((float4)(1)); o[0] = a.x; }
//= accepted

kernel void k(global int *o) { int4 a = (float4)(1); o[0] = a.x; }
//= 1:41: error: initializing 'int4' with an expression of incompatible type 'float4'
//= rejected

kernel void k(global int *o) { float3 a = as_float3((float4)(1)); float4 b = as_float4(a); o[0] = a.x + b.x; }
//= accepted

kernel void k(global int *o) { float4 v = as_float4(1.0); o[0] = v.x; }
//= 1:43: error: cannot reinterpret 'double' as 'float4': the sizes differ (8 and 16 bytes)
//= rejected

kernel void k(global int *o) { *o = vec_step(int4) + vec_step(float3) + vec_step(char) + vec_step((float2)(1)) + vec_step(void); }
//= accepted

kernel void k(global int *o) { *o = vec_step(struct S); }
//= 1:37: error: 'vec_step' requires built-in scalar or vector type, 'struct S' invalid
//= rejected

kernel void k(global float4 *p) { p[0].xy = p[1].zw; p[get_global_id(0)].s3 = 1; p->x = 2; (*p).y = 3; }
//= accepted

float4 make(float x) { return (float4)(x, x, x, x); } kernel void k(global float *o) { o[0] = make(2).y; make(1).x = 3; }
//= 1:106: error: expression is not assignable
//= rejected

kernel void k(global float *o) { float4 v = (float4)(1, 2, 3, 4).wzyx; o[0] = v.x + ((float2)(1, 2)).y; }
//= accepted

kernel void k(global int *o) { int2 a = (int2)(1, 2); a++; ++a; a--; int2 b = -a; b = +a; o[0] = a.x + b.y; }
//= accepted

kernel void k(global int *o) { int2 a = 1; o[0] = a == 1; }
//= 1:51: error: assigning to 'int' from incompatible type 'int2'
//= rejected

kernel void k(global int *o) { int2 a = 1; int b = a; o[0] = b; }
//= 1:52: error: initializing 'int' with an expression of incompatible type 'int2'
//= rejected

kernel void k(global int *o) { int2 a = 1; switch (a) { case 1: break; } o[0] = 1; }
//= 1:52: error: statement requires expression of integer type ('int2' invalid)
//= rejected

kernel void k(global int *o) { int2 a = 1; int arr[4]; o[0] = arr[a]; }
//= 1:67: error: array subscript is not an integer
//= rejected

kernel void k(global uchar *o) { uchar4 v = (uchar4)(1, 2, 300, -1); o[0] = v.z; }
//= accepted

kernel void k(global int *o) { int2 *p; private int2 v = (int2)(1, 2); p = &v; p->x = 5; o[0] = v.x; }
//= accepted
