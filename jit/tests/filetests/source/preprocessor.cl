#define PASTE(a, b) a##b
#define STR(x) #x
kernel void k(global int *o) { int PASTE(x, 1) = 5; constant char *s = STR(a  "b\n" + c); *o = x1 + s[0]; }
//= accepted

#define CALL(f, ...) f(__VA_ARGS__)
#define LIST(...) { __VA_ARGS__ }
kernel void k(global int *o) { int a[] = LIST(1, 2, 3); *o = CALL(max, a[0], a[1]); }
//= accepted

#define EMPTY()
#define F(a, b) a + b
kernel void k(global int *o) { *o = F(1, (2, 3)) EMPTY(); }
//= accepted

#define F(a) a
kernel void k(global int *o) { *o = F(1, 2); }
//= 2:37: error: too many arguments for macro 'F': it takes 1, here are 2
//= 1:9: note: macro defined here
//= 2:37: error: use of undeclared identifier 'F'
//= rejected

#define F(a, b) a
kernel void k(global int *o) { *o = F(1); }
//= 2:37: error: too few arguments for macro 'F': it takes 2, here is 1
//= 1:9: note: macro defined here
//= 2:37: error: use of undeclared identifier 'F'
//= rejected

#define F(a) a
kernel void k(global int *o) { *o = F(1; }
//= 2:37: error: unterminated argument list invoking macro 'F'
//= 1:9: note: macro defined here
//= 2:38: error: expected ';' after expression
//= 2:37: error: use of undeclared identifier 'F'
//= rejected

#define F(a, a) a
//= 1:14: error: duplicate macro parameter name
//= rejected

#define F(a b) a
//= 1:13: error: expected ',' or ')' in macro parameter list
//= rejected

#define 5 x
//= 1:9: error: macro name must be an identifier
//= rejected

#define defined 1
//= 1:9: error: this name cannot be a macro
//= rejected

#define X 1
#define X 2
kernel void k(global int *o) { *o = X; }
//= 2:9: warning: macro 'X' redefined
//= 1:9: note: previous definition is here
//= accepted

#define X 1
#define X 1
#undef X
#undef NEVER
#ifndef X
kernel void k(global int *o) { *o = 1; }
#endif
//= accepted

#define BAD(x) #y
//= 1:16: error: '#' is not followed by a macro parameter
//= rejected

#define BAD ## x
//= 1:13: error: '##' cannot appear at either end of a macro expansion
//= rejected

#define CAT(a, b) a ## b
kernel void k(global int *o) { *o = CAT(1, +); }
//= 2:41: error: pasting formed '1+', which is no token
//= 2:46: error: expected expression
//= rejected

#define X X + 1
#define A B
#define B A
kernel void k(global int *o) { int X0 = 1, A = 2; *o = X0 + A; }
//= accepted

#if 1 + 2 * 3 == 7 && defined(FOO) == 0 && !defined BAR
kernel void k(global int *o) { *o = 1; }
#else
#error "wrong"
#endif
//= accepted

#if 0
#error "not here"
#elif 1
kernel void k(global int *o) { *o = 1; }
#elif 1 / 0
#else
#error "nor here"
#endif
//= accepted

#if 1 / 0
#endif
//= 1:7: error: division by zero in #if expression
//= rejected

#if
#endif
//= 1:1: error: #if with no expression
//= rejected

#if 1 +
#endif
//= 1:8: error: expected a value in #if expression
//= rejected

#if (1
#endif
//= 1:7: error: expected ')' in #if expression
//= rejected

#if 1.5
#endif
//= 1:5: error: floating-point constant in #if expression
//= rejected

#ifdef
#endif
//= 1:2: error: macro name missing in #ifdef
//= rejected

#if 1
kernel void k(global int *o) { *o = 1; }
//= 1:1: error: unterminated conditional directive
//= rejected

#endif
//= 1:1: error: #endif without #if
//= rejected

#else
//= 1:1: error: #else without #if
//= rejected

#elif 1
//= 1:1: error: #elif without #if
//= rejected

#if 1
#else
#else
#endif
//= 3:1: error: #else after #else
//= 1:1: note: the conditional began here
//= rejected

#error this is wrong
//= 1:1: error: #error this is wrong
//= rejected

#warning this is odd
kernel void k(global int *o) { *o = 1; }
//= 1:1: warning: #warning this is odd
//= accepted

#nonsense
//= 1:2: error: invalid preprocessing directive '#nonsense'
//= rejected

#include "missing.h"
//= 1:10: error: 'missing.h' file not found
//= rejected

#include <stdio.h>
//= 1:10: error: 'stdio.h' file not found
//= rejected

#include
//= 1:1: error: expected "FILENAME" or <FILENAME>
//= rejected

#line 40 "other.cl"
kernel void k(global int *o) { *o = x; }
//= other.cl:40:37: error: use of undeclared identifier 'x'
//= rejected

#line 0
//= accepted

#line x
//= 1:7: error: #line needs a decimal line number
//= rejected

#pragma once upon a time
kernel void k(global int *o) { *o = 1; }
//= accepted

#
kernel void k(global int *o) { *o = __LINE__; constant char *f = __FILE__; *o += f[0]; }
//= accepted

kernel void k(global int *o) { *o = 1; \
*o = 2; /* a comment
over lines */ *o = 3; // and \
*o = x;
}
//= accepted

/* never closed
kernel void k(global int *o) { *o = 1; }
//= 1:1: error: unterminated /* comment
//= rejected

//! -DN=3 -D M=4 -DFLAG -UFLAG
kernel void k(global int *o) { *o = N + M; }
#ifdef FLAG
#error "undefined again"
#endif
//= <options>:1:21: error: unknown option '-UFLAG'
//= rejected

//! -D "F(x)=x+1"
kernel void k(global int *o) { *o = F(2); }
//= accepted

_Pragma("OPENCL EXTENSION cl_khr_fp64 : enable") kernel void k(global double *o) { *o = 1; }
//= accepted

kernel void k(global int *o) { *o = __COUNTER__ + __COUNTER__ + __OPENCL_C_VERSION__ + __ENDIAN_LITTLE__; }
//= accepted

#ifdef __opencl_c_int64
#error "a macro of 3.0"
#endif
kernel void k(global int *o) { *o = __OPENCL_C_VERSION__ == CL_VERSION_1_2; }
//= accepted

//! -cl-std=CL3.0
#ifndef __opencl_c_generic_address_space
#error "a macro of 3.0"
#endif
#if !defined(__opencl_c_atomic_scope_device) || !defined(cl_khr_int64_base_atomics) || !defined(cl_khr_extended_bit_ops)
#error "missing"
#endif
kernel void k(global int *o) { *o = __OPENCL_C_VERSION__ == CL_VERSION_3_0; }
//= accepted

kernel void k(global int *o) { constant char *s = __func__; *o = s[0]; }
//= accepted

//! -cl-std=CL1.1
kernel void k(global int *o) { constant char *s = __func__; *o = s[0]; }
//= 2:51: error: use of undeclared identifier '__func__'
//= rejected
