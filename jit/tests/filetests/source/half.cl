kernel void k(global half *o) { half h = 1; vstore_half(1.0f, 0, o); }
//= 1:38: error: declaring variable of type 'half' is not allowed
//= rejected

kernel void k(half h, global float *o) { o[0] = h; }
//= 1:15: error: declaring function parameter of type 'half' is not allowed; did you forget * ?
//= rejected

kernel void k(global half *o, global float *f) { vstore_half(vload_half(0, o), 1, o); vstore4(vload_half4(1, o), 0, f); f[0] = sizeof(half); }
//= accepted

half f(void);
kernel void k(global half *o) { o[0] = o[1]; o[2] = 1.0h; }
//= 1:6: error: declaring function return value of type 'half' is not allowed; did you forget * ?
//= 2:40: error: loading directly from pointer to type 'half' requires cl_khr_fp16; use vload_half instead
//= 2:33: error: assigning directly to pointer to type 'half' requires cl_khr_fp16; use vstore_half instead
//= 2:53: error: use of type 'half' requires cl_khr_fp16 support
//= 2:46: error: assigning directly to pointer to type 'half' requires cl_khr_fp16; use vstore_half instead
//= rejected

#pragma OPENCL EXTENSION cl_khr_fp16 : enable
half f(half x) { return x * 2; }
kernel void k(half h, half3 v, global half *o) { o[0] = f(h) + v.z + 1.5h; vstore3(v, 0, o); }
//= accepted

#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void k(half h, global half *o) { o[0] = h; }
#pragma OPENCL EXTENSION cl_khr_fp16 : disable
kernel void l(half h, global half *o) { o[0] = h; }
//= 4:15: error: declaring function parameter of type 'half' is not allowed; did you forget * ?
//= rejected

#ifndef cl_khr_fp16
#error not there
#endif
kernel void k(global int *o) { o[0] = HALF_DIG + HALF_MANT_DIG + HALF_MAX_10_EXP + HALF_MAX_EXP + HALF_MIN_10_EXP + HALF_MIN_EXP + HALF_RADIX; }
//= accepted

#ifdef FP_FAST_FMA_HALF
#error no machine instruction does it
#endif
kernel void k(global int *o) { o[0] = 1; }
//= accepted

//! -cl-std=CL3.0
kernel void k(half h, global half *o) { o[0] = h + 1; o[1] = h * HALF_MAX - HALF_MIN + HALF_EPSILON; o[2] = M_E_H + M_PI_H + M_SQRT1_2_H; }
//= accepted

//! -cl-std=CL3.0
kernel void k(half h, global half *o) { o[0] = h % h; }
//= 2:50: error: invalid operands to binary expression ('half' and 'half')
//= rejected

//! -cl-std=CL3.0
kernel void k(half h, global half *o) { o[0] = ~h; o[1] = h & 1; o[2] = h << 1; }
//= 2:48: error: invalid argument type 'half' to unary expression
//= 2:61: error: invalid operands to binary expression ('half' and 'int')
//= 2:75: error: invalid operands to binary expression ('half' and 'int')
//= rejected

//! -cl-std=CL3.0
kernel void k(half h, global half *o) { switch (h) { case 1: o[h] = 1; } }
//= 2:49: error: statement requires expression of integer type ('half' invalid)
//= 2:64: error: array subscript is not an integer
//= rejected

//! -cl-std=CL3.0
kernel void k(half4 v, float f, global half4 *o) { o[0] = v * f; }
//= 2:61: error: scalar operand type has greater rank than the type of the vector element ('half4' and 'float')
//= rejected

//! -cl-std=CL3.0
kernel void k(half4 v, half h, long l, float4 f, global half4 *o) { o[0] = v * 2.0 + h * 3 - l; f *= h; o[0].x = f.x; }
//= accepted

//! -cl-std=CL3.0
kernel void k(half4 v, short4 s, int4 i, global half4 *o) { o[0] = s ? v : -v; s = v < v; o[0] = i ? v : -v; }
//= 2:100: error: vector condition type 'int4' and result type 'half4' do not have the same number of elements of the same size
//= rejected

//! -cl-std=CL3.0
kernel void k(half4 v, float4 f, global half4 *o) { o[0] = f; }
//= 2:60: error: assigning to 'half4' from incompatible type 'float4'
//= rejected

//! -cl-std=CL3.0
kernel void k(half4 v, global float4 *o) { *o = convert_float4(v) + convert_float4_rtp(v); o[1].xy = convert_float2(as_half2(1)); }
//= accepted

//! -cl-std=CL3.0
kernel void k(half4 v, global int *o) { o[0] = as_short(v.x); o[1] = as_int(v.xy); o[2] = as_int(v.x); }
//= 2:91: error: cannot reinterpret 'half' as 'int': the sizes differ (2 and 4 bytes)
//= rejected

//! -cl-std=CL3.0
kernel void k(half h, global half *o) { o[0] = convert_half_sat(1); }
//= 2:48: error: use of undeclared identifier 'convert_half_sat'
//= rejected

//! -cl-std=CL3.0
kernel void k(half h, global uchar *o) { o[0] = convert_uchar_sat_rte(h); o[1] = convert_uchar(h); h = convert_half_rtn(1e-9); }
//= accepted

//! -cl-std=CL3.0
kernel void k(half h, global half *o) { half w; int e; half2 w2; int2 e2; o[0] = fract(h, &w) + modf(h, o) + frexp(h, &e) + lgamma_r(h, &e) + remquo(h, h, &e) + sincos(h, &w); o[1] = frexp((half2)(h), &e2).x + fract((half2)(h), &w2).y; }
//= accepted

//! -cl-std=CL3.0
kernel void k(half h, global half *o) { float w; o[0] = fract(h, &w); }
//= accepted

//! -cl-std=CL3.0
kernel void k(half4 v, half h, global half *o) { o[0] = max(v, h).x + min(v, h).x + fmax(v, h).x + clamp(v, h, h).x + mix(v, v, h).x + step(h, v).x + smoothstep(h, h, v).x + ldexp(v, 1).x; }
//= accepted

//! -cl-std=CL3.0
kernel void k(half4 v, global half *o) { o[0] = dot(v, v) + length(v.xyz) + distance(v.xy, v.zw) + cross(v, v).w + normalize(v).x; o[1] = fast_length(v); }
//= 2:139: error: no matching function for call to 'fast_length' with arguments 'half4'
//= rejected

//! -cl-std=CL3.0
kernel void k(half h, global half *o) { o[0] = pow(h, 2); o[1] = pow(h, 2.0f); o[2] = sqrt(h); o[3] = nan((ushort)1); o[4] = native_sin(h); }
//= accepted

//! -cl-std=CL3.0
kernel void k(half8 v, global half *o) { o[0] = shuffle(v, (ushort4)(0, 9, 1, 2)).y + shuffle2(v, v, (ushort2)(15, 0)).x; o[1] = select(v, v, (short8)(1)).x + bitselect(v, v, v).x; o[2] = any(isnan(v)) + all(v == v); }
//= accepted

//! -cl-std=CL3.0
kernel void k(half8 v, global half *o) { o[0] = shuffle(v, (uint4)(0, 9, 1, 2)).y; o[1] = select(v, v, (int8)(1)).x; }
//= 2:49: error: no matching function for call to 'shuffle' with arguments 'half8', 'uint4'
//= 2:91: error: no matching function for call to 'select' with arguments 'half8', 'half8', 'int8'
//= rejected

//! -cl-std=CL3.0
kernel void k(local half4 *l, global half4 *g) { event_t e = async_work_group_copy(l, g, 8, 0); e = async_work_group_strided_copy(g, l, 4, 2, e); wait_group_events(1, &e); prefetch(g, 4); }
//= accepted

//! -cl-std=CL3.0
kernel void k(half h, global half *o) { o[0] = work_group_reduce_add(h) + work_group_scan_inclusive_min(h) + work_group_scan_exclusive_max(h) + work_group_broadcast(h, 0); }
//= accepted

//! -cl-std=CL3.0
kernel void k(read_only image2d_t i, write_only image2d_t w, sampler_t s, global half4 *o) { o[0] = read_imageh(i, s, (float2)(0.5f)) + read_imageh(i, (int2)(1)); write_imageh(w, (int2)(0), o[1]); }
//= accepted

kernel void k(read_only image2d_t i, global float4 *o) { o[0] = convert_float4(read_imageh(i, (int2)(1))); }
//= 1:80: error: function 'read_imageh' requires #pragma OPENCL EXTENSION cl_khr_fp16 : enable
//= rejected

//! -cl-std=CL3.0
kernel void k(global half *o) { o[0] = 1h; }
//= 2:40: error: invalid suffix 'h' on integer constant
//= rejected

//! -cl-std=CL3.0
kernel void k(global half *o) { o[0] = 1.0H + .5h + 0x1p-3h + 1e-30h; o[1] = 65520.0h; }
//= accepted

//! -cl-std=CL3.0
struct s { half h; half4 v; char c; }; global half counter = 1.5h; constant half4 table[2] = { (half4)(1), 2 };
kernel void k(struct s s, global struct s *o) { half a[2][3] = { { 1, 2 }, { 3 } }; union { half h; short s; } u = { s.h }; o[0] = s; o[1].h = counter + table[1].x + a[1][0]; o[1].c = u.s; }
//= accepted

//! -cl-std=CL3.0
kernel void k(local half *l, global half *o) { atomic_half a; atomic_xchg(l, 1.0h); }
//= 2:48: error: type 'atomic_half' is not supported
//= 2:63: error: no matching function for call to 'atomic_xchg' with arguments '__local half *', 'half'
//= rejected
