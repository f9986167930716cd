#pragma OPENCL EXTENSION cl_khr_nothing : enable
kernel void k(global int *o) { *o = 1; }
//= 1:26: warning: extension 'cl_khr_nothing' is not supported; pragma ignored
//= accepted

#pragma OPENCL EXTENSION cl_khr_fp64
kernel void k(global int *o) { *o = 1; }
//= 1:1: warning: expected 'EXTENSION name : enable' or ': disable'; pragma ignored
//= accepted

#pragma OPENCL EXTENSION all : disable
kernel void k(global int *o) { *o = 1; }
//= accepted

#pragma OPENCL FP_CONTRACT OFF
kernel void k(global float *o) { *o = o[1] * o[2] + o[3]; }
//= accepted

#pragma OPENCL FP_CONTRACT MAYBE
kernel void k(global float *o) { *o = o[1] * o[2] + o[3]; }
//= 1:1: warning: expected ON, OFF or DEFAULT after FP_CONTRACT; pragma ignored
//= accepted

#pragma OPENCL EXTENSION cl_khr_select_fprounding_mode : enable
#pragma OPENCL SELECT_ROUNDING_MODE rtz
kernel void k(global float *o) { *o = o[1] * o[2]; }
//= accepted

#pragma OPENCL EXTENSION cl_khr_select_fprounding_mode : enable
#pragma OPENCL SELECT_ROUNDING_MODE up
kernel void k(global float *o) { *o = o[1] * o[2]; }
//= 2:1: warning: expected rte, rtz, rtp or rtn after SELECT_ROUNDING_MODE; pragma ignored
//= accepted

kernel void k(global int *o) { *o = work_group_reduce_add(1); }
//= 1:37: error: function 'work_group_reduce_add' requires OpenCL C 3.0 (-cl-std=CL3.0)
//= rejected

//! -cl-std=CL3.0
kernel void k(global int *o) { *o = work_group_reduce_add(*o); }
//= accepted

kernel void k(global int *o) { work_group_barrier(CLK_LOCAL_MEM_FENCE); }
//= 1:32: error: function 'work_group_barrier' requires OpenCL C 3.0 (-cl-std=CL3.0)
//= rejected

//! -cl-std=CL3.0
kernel void k(global int *o) { work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group); *o = 1; }
//= accepted

//! -cl-std=CL1.0
kernel void k(global int *o) { *o = clamp(*o, 1, 5); }
//= 2:37: error: call to 'clamp' with arguments 'int', 'int', 'int' is ambiguous
//= rejected

//! -cl-std=CL1.1
kernel void k(global int *o) { *o = popcount(*o); }
//= 2:37: error: function 'popcount' requires OpenCL C 1.2 or later
//= rejected

//! -cl-std=CL1.1
kernel void k(global int *o) { printf("%d\n", *o); }
//= 2:32: error: function 'printf' requires OpenCL C 1.2 or later
//= rejected

kernel void k(global uint *o) { *o = ctz(*o); }
//= 1:38: error: function 'ctz' requires OpenCL C 3.0 (-cl-std=CL3.0)
//= rejected

//! -cl-std=CL3.0
kernel void k(global uint *o) { *o = ctz(*o) + bit_reverse(*o) + bitfield_extract_unsigned(*o, 1u, 3u); }
//= accepted

kernel void k(global int *o) { pipe int p; *o = 1; }
//= 1:32: error: unknown type name 'pipe'
//= 1:37: error: cannot combine with previous 'type-name' declaration specifier
//= rejected

//! -cl-std=CL3.0
kernel void k(read_only pipe int p) { }
//= accepted

//! -cl-std=CL3.0
kernel void k(global int *o) { void (^b)(void) = ^{ }; b(); }
//= accepted

//! -cl-std=CL3.0
kernel void k(queue_t q) { }
//= accepted

//! -cl-std=CL3.0
kernel void k(global int *o) { enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), 0); }
//= 2:32: error: illegal call to 'enqueue_kernel': expected a block as argument 4 or 7
//= rejected

//! -cl-std=CL3.0
kernel void k(global int *o) { *o = sub_group_reduce_add(1) + get_sub_group_id(); }
//= accepted

//! -cl-std=CL2.0
kernel void k(global int *o) { create_user_event(); }
//= accepted

//! -cl-std=CL2.0
kernel void k(write_only pipe int p) { }
//= accepted

//! -cl-std=CL3.0
kernel void k(read_write pipe int p) { }
//= 2:15: error: access qualifier 'read_write' cannot be used for pipes
//= rejected

//! -cl-std=CL3.0
kernel void k(pipe int *p) { }
//= 2:24: error: pointer to type 'read_only pipe int' is invalid in OpenCL
//= rejected

//! -cl-std=CL3.0
struct packet { int n; global int *p; }; kernel void k(pipe struct packet p) { }
//= 2:56: error: 'struct packet' cannot be the type of a pipe's packets
//= rejected

//! -cl-std=CL3.0
kernel void k(write_only pipe int p, global float *x) { write_pipe(p, x); }
//= 2:57: error: 'write_pipe' on a pipe of 'int' takes no pointer to 'float'
//= rejected

//! -cl-std=CL9
kernel void k(global int *o) { *o = 1; }
//= <options>:1:1: error: 'CL9' is no version of OpenCL C
//= rejected

//! -Werror
kernel void k(global int *o) { *o = 1 / 0; }
//= 2:39: error: division by zero is undefined [-Werror]
//= rejected

//! -w
kernel void k(global int *o) { *o = 1 / 0; }
//= accepted

//! -cl-nonsense
kernel void k(global int *o) { *o = 1; }
//= <options>:1:1: error: unknown option '-cl-nonsense'
//= rejected

kernel void k(global float *o) { *o = sin(1.0f) + native_cos(2.0f) + half_exp(1.0f); *o = sin(o); }
//= 1:91: error: no matching function for call to 'sin' with arguments '__global float *'
//= rejected

kernel void k(global float *o) { *o = sin(1); }
//= 1:39: error: call to 'sin' with arguments 'int' is ambiguous
//= rejected

kernel void k(global float *o) { *o = max(1.0f, 2); *o = max(1.0f, 2.0); *o = fmax(o[0], 2); }
//= accepted

kernel void k(global float *o) { *o = pow(2.0f); }
//= 1:39: error: no matching function for call to 'pow' with arguments 'float'
//= rejected

kernel void k(global float *o) { *o = fma((float2)(1), 2, 3).x; }
//= accepted

kernel void k(global int *o) { *o = mul24(1.5f, 2); }
//= accepted

kernel void k(global int *o) { *o = abs(-1) + abs((int2)(1)).x + min((char)1, (char)2); *o = hadd(1, 2u); }
//= accepted

kernel void k(global int *o, local int *l) { event_t e = async_work_group_copy(l, o, 4, 0); wait_group_events(1, &e); *o = l[0]; }
//= accepted

kernel void k(global int *o, global int *p) { async_work_group_copy(o, p, 4, 0); }
//= 1:47: error: no matching function for call to 'async_work_group_copy' with arguments '__global int *', '__global int *', 'int', 'int'
//= rejected

kernel void k(global int *o, local int *l) { event_t e = 5; event_t f = 0; *o = 1; }
//= 1:58: error: initializing 'event_t' with an expression of incompatible type 'int'
//= rejected

kernel void k(global int *o) { event_t e; e = e + 1; }
//= 1:49: error: invalid operands to binary expression ('event_t' and 'int')
//= rejected

kernel void k(global int *o) { atomic_add(o, 1); atom_inc(o); atomic_add(o, 1.5f); }
//= accepted

kernel void k(global float *o) { atomic_add(o, 1.0f); }
//= 1:34: error: no matching function for call to 'atomic_add' with arguments '__global float *', 'float'
//= rejected

kernel void k(global long *o) { atom_add(o, 1L); }
//= accepted

kernel void k(global int *o) { barrier(); }
//= 1:32: error: no matching function for call to 'barrier' with no arguments
//= rejected

kernel void k(global int *o) { barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); mem_fence(CLK_GLOBAL_MEM_FENCE); *o = get_global_id(0) + get_work_dim(); }
//= accepted

kernel void k(global int *o) { *o = get_global_id(); }
//= 1:37: error: no matching function for call to 'get_global_id' with no arguments
//= rejected

kernel void k(global int *o) { *o = shuffle((int4)(1, 2, 3, 4), (uint2)(3, 0)).x + shuffle2((int2)(1), (int2)(2), (uint4)(0, 1, 2, 3)).w; }
//= accepted

kernel void k(global int *o) { *o = shuffle((int4)(1, 2, 3, 4), (int2)(3, 0)).x; }
//= 1:37: error: no matching function for call to 'shuffle' with arguments 'int4', 'int2'
//= rejected

kernel void k(global int *o) { *o = select(1, 2, 3u) + any((int2)(1)) + all((int4)(-1)) + isnan(1.0f); *o = any(1.0f); }
//= 1:109: error: call to 'any' with arguments 'float' is ambiguous
//= rejected

kernel void k(global int *o) { vstore4((int4)(1), 0, o); *o = vload2(1, o).x; vstore3((int4)(1), 0, o); }
//= 1:79: error: no matching function for call to 'vstore3' with arguments 'int4', 'int', '__global int *'
//= rejected

kernel void k(constant int *c) { vstore4((int4)(1), 0, c); }
//= 1:34: error: no matching function for call to 'vstore4' with arguments 'int4', 'int', '__constant int *'
//= rejected

kernel void k(global int *o) { *o = convert_int_rte(1.5f) + convert_uchar_sat(300) + convert_int4(1.5f).x; }
//= 1:86: error: no matching function for call to 'convert_int4' with argument 'float'
//= 1:86: note: 'convert_int4' takes a value with 4 component(s)
//= rejected

kernel void k(global float *o) { *o = convert_float_sat(1); }
//= 1:39: error: use of undeclared identifier 'convert_float_sat'
//= rejected

kernel void k(global int *o) { *o = convert_foo(1); }
//= 1:37: error: use of undeclared identifier 'convert_foo'
//= rejected

kernel void k(global int *o) { *o = as_int(1.5f) + as_int((short2)(1)) + as_short(1); }
//= 1:74: error: cannot reinterpret 'int' as 'short': the sizes differ (4 and 2 bytes)
//= rejected

kernel void k(read_only image2d_t i, sampler_t s, global float4 *o) { *o = read_imagef(i, s, (int2)(0)); }
//= accepted

kernel void k(write_only image2d_t i, sampler_t s, global float4 *o) { *o = read_imagef(i, s, (int2)(0)); }
//= 1:77: error: no matching function for call to 'read_imagef' with arguments 'write_only image2d_t', 'sampler_t', 'int2'
//= rejected

kernel void k(read_write image2d_t i) { }
//= 1:15: error: 'read_write' of 'image2d_t' requires OpenCL C 2.0 or later
//= rejected

kernel void k(global image2d_t i) { }
//= 1:15: error: parameter may not be qualified with an address space
//= rejected

kernel void k(global int *o) { image2d_t i; }
//= 1:42: error: the 'read_only image2d_t' type can only be used as a function parameter in OpenCL
//= rejected

kernel void k(image2d_t *i) { }
//= 1:25: error: pointer to type 'read_only image2d_t' is invalid in OpenCL
//= rejected

struct S { image2d_t i; sampler_t s; };
//= 1:22: error: the 'read_only image2d_t' type cannot be used to declare a structure or union field
//= 1:35: error: the 'sampler_t' type cannot be used to declare a structure or union field
//= rejected

image2d_t f(void);
//= 1:11: error: declaring function return value of type 'read_only image2d_t' is not allowed
//= rejected

sampler_t f(void);
//= 1:11: error: declaring function return value of type 'sampler_t' is not allowed
//= rejected

kernel void k(sampler_t s) { s = s + 1; }
//= 1:36: error: invalid operands to binary expression ('sampler_t' and 'int')
//= 1:30: error: cannot assign to a variable of type 'sampler_t'
//= rejected

constant sampler_t s = CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST; const sampler_t t = 0; kernel void k(read_only image2d_t i, global float4 *o) { const sampler_t u = CLK_NORMALIZED_COORDS_FALSE; *o = read_imagef(i, s, (int2)(0)) + read_imagef(i, t, (int2)(0)) + read_imagef(i, u, (int2)(0)); }
//= accepted

kernel void k(read_only image2d_t i, sampler_t a, global float4 *o) { const sampler_t b = a; *o = read_imagef(i, b, (int2)(0)); }
//= accepted

kernel void k(read_only image2d_t i, global float4 *o) { sampler_t s; *o = read_imagef(i, s, (int2)(0)); }
//= 1:68: error: variable of type 'sampler_t' must be initialized
//= rejected

kernel void k(read_only image2d_t i, global float4 *o) { sampler_t s = 0; s = 1; *o = read_imagef(i, s, (int2)(0)); }
//= 1:75: error: cannot assign to a variable of type 'sampler_t'
//= rejected

kernel void k(sampler_t s, sampler_t t) { s = t; }
//= 1:43: error: cannot assign to a variable of type 'sampler_t'
//= rejected

kernel void k(global int *o) { local sampler_t s; }
//= 1:48: error: the 'sampler_t' type cannot be used with the '__local' address space qualifier
//= rejected

sampler_t s = 0; kernel void k(read_only image2d_t i, global float4 *o) { *o = read_imagef(i, s, (int2)(0)); }
//= 1:11: error: global sampler requires a const or constant address space qualifier
//= rejected

constant sampler_t s;
//= 1:20: error: variable in constant address space must be initialized
//= rejected

//! -cl-std=CL3.0
global sampler_t s = 0;
//= 2:18: error: the 'sampler_t' type cannot be used with the '__global' address space qualifier
//= rejected

//! -cl-std=CL3.0
sampler_t s;
//= 2:11: error: global sampler requires a const or constant address space qualifier
//= rejected

//! -cl-std=CL3.0
kernel void k(read_only image2d_t i, global float4 *o) { static const sampler_t s = 0; *o = read_imagef(i, s, (int2)(0)); }
//= accepted

local sampler_t s = 1;
//= 1:17: error: program scope variable must reside in constant address space
//= rejected

kernel void k(global int *o) { printf("%d %s %v4f\n", 1, "x", (float4)(1)); printf("%n", o); printf(o); printf(); }
//= 1:72: warning: vector specifier without a length modifier in '%v4f'
//= 1:85: error: conversion specifier 'n' is not supported in OpenCL C
//= 1:101: error: passing '__global int *' to parameter of type '__constant const char *' changes address space of pointer
//= 1:105: error: no matching function for call to 'printf' with no arguments
//= rejected

kernel void k(global int *o) { *o = malloc(4); }
//= 1:37: error: use of undeclared identifier 'malloc'
//= rejected

//! -cl-std=CL3.1 -Werror
kernel void k(global long *p) { size_t n = 1; printf("%zu %td %#zx %zi\n", n, *p, n, *p); }
//= accepted

//! -cl-std=CL3.1
kernel void k(global float *f) { printf("%v2zd %zf %zd\n", (long2)(1, 2), f[0], 1); }
//= 2:42: warning: length modifier in '%v2zd' is not OpenCL C's: 'l' is for 64 bits
//= 2:75: warning: length modifier is for integers in '%zf'
//= 2:81: warning: format '%zd' wants 'long' but the argument has type 'int'
//= accepted

kernel void k(global int *o, local float4 *l) { event_t e = async_work_group_copy_2D2D(l, 0, o, 8, sizeof(int), 4, 4, 16, 4, 0); async_work_group_copy_fence(CLK_LOCAL_MEM_FENCE); e = async_work_group_copy_3D3D(o, 1, l, 0, 2, 4, 2, 2, 8, 16, 4, 8, e); wait_group_events(1, &e); }
//= accepted

kernel void k(global int *o, const local int *l) { async_work_group_copy_2D2D(l, 0, o, 0, 4, 4, 4, 4, 4, 0); async_work_group_copy_2D2D(o, 0, o, 0, 4, 4, 4, 4, 4, 0); }
//= 1:79: error: passing '__local const int *' to a parameter of 'async_work_group_copy_2D2D' that is written to
//= 1:110: error: no matching function for call to 'async_work_group_copy_2D2D' with arguments '__global int *', 'int', '__global int *', 'int', 'int', 'int', 'int', 'int', 'int', 'int'
//= rejected

kernel void k(global ushort4 *o, float4 f, local int *l) { l[0] = 1; intel_work_group_barrier_arrive(CLK_LOCAL_MEM_FENCE); intel_work_group_barrier_wait(CLK_LOCAL_MEM_FENCE); *o = intel_convert_bfloat164_as_ushort4(f); float3 back = intel_convert_as_bfloat163_float3(o->xyz); }
//= accepted

kernel void k(global ushort4 *o, float4 f) { *o = intel_convert_bfloat162_as_ushort2(f); intel_work_group_barrier_wait(CLK_LOCAL_MEM_FENCE, 1); }
//= 1:51: error: no matching function for call to 'intel_convert_bfloat162_as_ushort2' with arguments 'float4'
//= 1:90: error: no matching function for call to 'intel_work_group_barrier_wait' with arguments 'int', 'int'
//= rejected
