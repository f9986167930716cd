kernel void k(global int *o) { int n = 0; for (int i = 0; i < 4; i++) n += i; for (;;) { if (n++ > 9) break; continue; } while (n > 3) n--; do n++; while (n < 5); *o = n; }
//= accepted

kernel void k(global int *o) { switch (*o) { case 0: case 1: *o = 2; break; case 'a': *o = 3; default: *o = 4; } }
//= accepted

kernel void k(global int *o) { switch (*o) { case 1: break; case 1: break; } }
//= 1:61: error: duplicate case value '1'
//= 1:46: note: previous case defined here
//= rejected

kernel void k(global int *o) { switch (*o) { default: break; default: break; } }
//= 1:62: error: multiple default labels in one switch
//= 1:46: note: previous default label is here
//= rejected

kernel void k(global int *o) { switch (*o) { case 1.5f: break; } }
//= 1:51: error: case value has non-integer type 'float'
//= rejected

kernel void k(global int *o) { int x = 1; switch (*o) { case x: break; } }
//= 1:62: error: case value is not an integer constant expression
//= rejected

kernel void k(global int *o) { switch (1.5f) { case 1: break; } }
//= 1:40: error: statement requires expression of integer type ('float' invalid)
//= rejected

kernel void k(global int *o) { switch (*o) case 1: *o = 2; }
//= accepted

kernel void k(global int *o) { switch (*o) { int x; case 1: x = 2; *o = x; } }
//= accepted

kernel void k(global int *o) { switch ((char)*o) { case 300: *o = 1; } }
//= accepted

kernel void k(global int *o) { case 1: *o = 1; }
//= 1:32: error: 'case' statement not in switch statement
//= rejected

kernel void k(global int *o) { default: *o = 1; }
//= 1:32: error: 'default' statement not in switch statement
//= rejected

kernel void k(global int *o) { break; }
//= 1:32: error: 'break' statement not in loop or switch statement
//= rejected

kernel void k(global int *o) { continue; }
//= 1:32: error: 'continue' statement not in loop statement
//= rejected

kernel void k(global int *o) { switch (*o) { case 1: continue; } }
//= 1:54: error: 'continue' statement not in loop statement
//= rejected

kernel void k(global int *o) { for (int i = 0; i < 3; i++) switch (i) { case 1: continue; default: break; } *o = 1; }
//= accepted

kernel void k(global int *o) { goto nowhere; }
//= 1:37: error: use of undeclared label 'nowhere'
//= rejected

kernel void k(global int *o) { here: *o = 1; here: *o = 2; }
//= 1:46: error: redefinition of label 'here'
//= 1:32: note: previous definition is here
//= rejected

kernel void k(global int *o) { int n = 0; again: if (n++ < 3) goto again; goto out; *o = 5; out: *o = n; }
//= accepted

kernel void k(global int *o) { int i = 0; a: i++; if (i > 20) goto d; if (i & 1) goto b; goto c; b: i += 2; goto a; c: i += 3; if (i % 3) goto b; goto a; d: *o = i; }
//= accepted

kernel void k(global int *o) { unused: ; *o = 1; }
//= accepted

kernel void k(global int *o) { label: int x = 1; *o = x; }
//= 1:39: warning: label followed by a declaration is a C23 extension
//= accepted

kernel void k(global int *o) { if (*o) int x = 1; }
//= 1:40: error: expected expression
//= rejected

kernel void k(global int *o) { if *o *o = 1; }
//= 1:35: error: expected '(' after 'if'
//= rejected

kernel void k(global int *o) { else *o = 1; }
//= 1:32: error: expected expression
//= rejected

kernel void k(global int *o) { if (*o) { *o = 1; } else if (*o > 2) ; else { } }
//= accepted

kernel void k(global int *o) { while () *o = 1; }
//= 1:39: error: expected expression
//= rejected

kernel void k(global int *o) { do *o = 1; while (0) }
//= 1:52: error: expected ';' after do/while statement
//= rejected

kernel void k(global int *o) { for (int i = 0, j = 5; i < j; i++, j--) *o = i; *o = i; }
//= 1:85: error: use of undeclared identifier 'i'
//= rejected

kernel void k(global int *o) { for (i = 0; i < 3; i++) *o = i; }
//= 1:37: error: use of undeclared identifier 'i'
//= 1:44: error: use of undeclared identifier 'i'
//= 1:51: error: use of undeclared identifier 'i'
//= 1:61: error: use of undeclared identifier 'i'
//= rejected

kernel void k(global int *o) { return 1; }
//= 1:39: error: void function 'k' should not return a value
//= rejected

int f(void) { return; } kernel void k(global int *o) { *o = f(); }
//= 1:15: error: non-void function 'f' should return a value
//= rejected

int f(int x) { if (x) return 1; } kernel void k(global int *o) { *o = f(*o); }
//= 1:33: warning: non-void function does not return a value in all control paths
//= accepted

int f(void) { } kernel void k(global int *o) { *o = f(); }
//= 1:15: warning: non-void function does not return a value
//= accepted

void f(global int *o) { return (void)(*o = 1); } kernel void k(global int *o) { f(o); }
//= accepted

float4 f(void) { return 1; } kernel void k(global float *o) { *o = f().x; }
//= accepted

int f(void) { return (float4)(1); }
//= 1:22: error: returning 'float4' from a function with incompatible result type 'int'
//= rejected

kernel void k(global int *o) { ; ; { { } } *o = 1; }
//= accepted

kernel void k(global int *o) { *o = 1 }
//= 1:38: error: expected ';' after expression
//= rejected

kernel void k(global int *o) { *o = 1; 
//= 1:39: error: expected '}'
//= 1:30: note: to match this '{'
//= rejected

kernel void k(global int *o) { int x = 1; { int x = 2; *o = x; } { float x = 3; *o += x; } *o += x; }
//= accepted

kernel void k(global int *o) { int x = 1; int x = 2; *o = x; }
//= 1:47: error: redefinition of 'x'
//= 1:36: note: previous definition is here
//= rejected

kernel void k(int o) { int o = 2; }
//= 1:28: error: redefinition of 'o'
//= 1:19: note: previous definition is here
//= rejected

kernel void k(global int *o) { int n = 0; __attribute__((opencl_unroll_hint(4))) for (int i = 0; i < 8; i++) n += i; __attribute__((opencl_unroll_hint)) while (n > 5) n--; *o = n; }
//= accepted

kernel void k(global int *o) { __attribute__((opencl_unroll_hint(2))) *o = 1; }
//= 1:47: error: 'opencl_unroll_hint' attribute is for 'for', 'while' and 'do' statements only
//= rejected

kernel void k(global int *o) { int n = 0; __attribute__((opencl_unroll_hint(-1))) for (int i = 0; i < 8; i++) n += i; *o = n; }
//= 1:58: error: 'opencl_unroll_hint' attribute requires a positive integral constant
//= rejected

kernel void k(global int *o) {
    int n = 0;
    #pragma unroll
    for (int i = 0; i < 8; i++) n += i;
    #pragma unroll 3
    for (int i = 0; i < 8; i++) n += i;
    #pragma nounroll
    do n--; while (n > 3);
    *o = n;
}
//= accepted

kernel void k(global int *o) { asm("nop"); }
//= 1:32: error: inline assembly is not supported in OpenCL C
//= rejected

kernel void k(global int *o) { try { *o = 1; } }
//= 1:35: error: expected ';' after expression
//= 1:32: error: use of undeclared identifier 'try'
//= rejected
