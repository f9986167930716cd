kernel void k(global long *o) { *o = 10 + 010 + 0x10 + 0b11 + 1u + 1L + 1UL + 1lu + 0xffffffffffffffffu; }
//= accepted

kernel void k(global long *o) { *o = 09; }
//= 1:38: error: invalid digit '9' in octal constant
//= rejected

kernel void k(global long *o) { *o = 0x; }
//= 1:38: error: invalid suffix 'x' on integer constant
//= rejected

kernel void k(global long *o) { *o = 0b2; }
//= 1:38: error: invalid digit '2' in binary constant
//= rejected

kernel void k(global long *o) { *o = 1uu; }
//= 1:38: error: invalid suffix 'uu' on integer constant
//= rejected

kernel void k(global long *o) { *o = 12abc; }
//= 1:38: error: invalid suffix 'abc' on integer constant
//= rejected

kernel void k(global long *o) { *o = 99999999999999999999; }
//= 1:38: error: integer constant is too large for any type
//= rejected

kernel void k(global float *o) { *o = 1.f + .5f + 1e3f + 1E-2F + 0x1p3f + 0x1.8p-1f + 1. + 2.5; }
//= accepted

kernel void k(global float *o) { *o = 1e; }
//= 1:39: error: exponent has no digits
//= rejected

kernel void k(global float *o) { *o = 0x1.5; }
//= 1:39: error: hexadecimal floating constant requires an exponent
//= rejected

kernel void k(global float *o) { *o = 1.5ff; }
//= 1:39: error: invalid suffix 'ff' on floating constant
//= rejected

kernel void k(global float *o) { *o = 1.5h; }
//= 1:39: error: use of type 'half' requires cl_khr_fp16 support
//= rejected

kernel void k(global float *o) { *o = 1e999; *o = 1e99f; }
//= accepted

kernel void k(global float *o) { *o = 1.5L; }
//= accepted

kernel void k(global int *o) { *o = 'a' + '\n' + '\0' + '\x41' + '\101' + '\'' + '\\' + '"'; }
//= accepted

kernel void k(global int *o) { *o = ''; }
//= 1:37: error: empty character constant
//= rejected

kernel void k(global int *o) { *o = 'ab'; }
//= 1:37: warning: multi-character character constant
//= accepted

kernel void k(global int *o) { *o = 'a; }
//= 1:37: error: missing terminating ' character
//= rejected

kernel void k(global int *o) { *o = '\q'; }
//= 1:37: warning: unknown escape sequence '\q'
//= accepted

kernel void k(global int *o) { *o = '\x'; }
//= 1:37: error: \x used with no following hex digits
//= rejected

kernel void k(global int *o) { constant char *s = "tab\t" "joined\x41" "\101"; *o = s[0]; }
//= accepted

kernel void k(global int *o) { constant char *s = "open; *o = 1; }
//= 1:51: error: missing terminating " character
//= rejected

kernel void k(global int *o) { *o = 1 @ 2; }
//= 1:39: error: stray '@' in program
//= rejected

kernel void k(global int *o) { *o = 1 $ 2; }
//= 1:38: error: expected ';' after expression
//= rejected

kernel void k(global int *o) { *o = 1 ` 2; }
//= 1:39: error: stray '`' in program
//= rejected

kernel void k(global int *o) <% *o = 1; int a<:2:>; a<:0:> = 2; %>
//= accepted

kernel void k(global int *o) { int naïve = 1; *o = naïve; }
//= accepted

kernel void k(global int *o) { int _x1 = 1, X_y = 2, __z = 3; *o = _x1 + X_y + __z; }
//= accepted

kernel void k(global int *o) { int for = 1; }
//= 1:36: error: expected identifier or '('
//= rejected

kernel void k(global int *o) { int kernel = 1; }
//= 1:43: error: expected identifier or '('
//= rejected

kernel void k(global int *o) { int float4 = 1; *o = float4; }
//= accepted

kernel void k(global int *o) { auto int x = 1; *o = x; }
//= 1:32: error: OpenCL C does not support the 'auto' storage class specifier
//= rejected

kernel void k(global int *o) { register int x = 1; *o = x; }
//= 1:32: error: OpenCL C does not support the 'register' storage class specifier
//= rejected

kernel void k(global int *o) { static int x = 1; *o = x; }
//= 1:43: error: variables in function scope cannot be declared static
//= rejected

kernel void k(global int *o) { extern int x; *o = x; }
//= 1:43: error: extern variable must reside in constant address space
//= rejected

typedef static int T;
//= 1:9: error: cannot combine with previous 'typedef' declaration specifier
//= rejected

static extern constant int x = 1;
//= 1:8: error: cannot combine with previous 'static' declaration specifier
//= rejected

kernel void k(global int *o) { typedef int T = 5; *o = 1; }
//= 1:44: error: illegal initializer (only variables can be initialized)
//= rejected
