//! Sources with mistakes, and what is said about them: one message for each mistake, and no more.

use super::log;

/// Source, then `line:column severity: message` for each message.
const CASES: &[(&str, &[&str])] = &[
    ("void f() { int x = 1\n return; }", &["1:21 error: expected ';' at end of declaration"]),
    ("void f() { g(1, 2; }", &["1:18 error: expected ')'", "1:13 note: to match this '('"]),
    ("void f() { a = b + ; c = ; d; }", &["1:20 error: expected expression", "1:26 error: expected expression"]),
    ("void f() { if (x { y; } z; }", &["1:18 error: expected ')'", "1:15 note: to match this '('"]),
    ("foo x;", &["1:1 error: unknown type name 'foo'"]),
    (
        "void f() { flaot4 x; unit y = 3; foo * p = 0; foo bar; }",
        &[
            "1:12 error: unknown type name 'flaot4'; did you mean 'float4'?",
            "1:22 error: unknown type name 'unit'; did you mean 'uint'?",
            "1:34 error: unknown type name 'foo'",
            "1:47 error: unknown type name 'foo'",
        ],
    ),
    ("kernal void f() {}", &["1:1 error: unknown type name 'kernal'; did you mean 'kernel'?"]),
    ("__kernal void f() {}", &["1:1 error: unknown type name '__kernal'; did you mean '__kernel'?"]),
    ("void f( { }", &["1:9 error: expected parameter declarator"]),
    ("void f() { for (int i = 0, i < 3; i++) ; }", &["1:26 error: expected ';' at end of declaration"]),
    ("void f() { for (i = 0; i < 3) ; x; }", &["1:29 error: expected ';' in 'for' statement specifier"]),
    ("void f() { ", &["1:11 error: expected '}'", "1:10 note: to match this '{'"]),
    ("void f() { if (x) { y; }", &["1:25 error: expected '}'", "1:10 note: to match this '{'"]),
    ("}", &["1:1 error: extraneous closing brace ('}')"]),
    ("int x", &["1:6 error: expected ';' after top level declarator"]),
    ("int x int y;", &["1:6 error: expected ';' after top level declarator"]),
    ("int a b;", &["1:6 error: expected ';' after top level declarator"]),
    ("int 3;", &["1:5 error: expected identifier or '('"]),
    ("int;", &["1:1 warning: declaration does not declare anything"]),
    ("int x = ;", &["1:9 error: expected expression"]),
    ("int a[3;", &["1:8 error: expected ']'", "1:6 note: to match this '['"]),
    ("int a[] = { 1, 2;\nint b;", &["1:17 error: expected '}'", "1:11 note: to match this '{'"]),
    ("struct S { int a int b; };", &["1:17 error: expected ';' at end of declaration list"]),
    ("struct S { int a; float b }; int y;", &["1:26 error: expected ';' at end of declaration list"]),
    (
        "struct S { foo a; int b; } int x;",
        &["1:12 error: unknown type name 'foo'", "1:27 error: expected ';' after struct"],
    ),
    ("struct S { int a; }\nint x;", &["1:20 error: expected ';' after struct"]),
    ("struct ;", &["1:8 error: declaration of anonymous struct must be a definition"]),
    ("enum { 1 };", &["1:8 error: expected identifier"]),
    ("long short x;", &["1:6 error: cannot combine with previous 'long' declaration specifier"]),
    ("unsigned float x;", &["1:10 error: cannot combine with previous 'unsigned' declaration specifier"]),
    ("int float x;", &["1:5 error: cannot combine with previous 'int' declaration specifier"]),
    ("long double x;", &["1:6 error: 'long double' is reserved in OpenCL C"]),
    ("signed unsigned x;", &["1:8 error: cannot combine with previous 'signed' declaration specifier"]),
    ("long long long x;", &["1:11 error: cannot combine with previous 'long' declaration specifier"]),
    ("static extern int x;", &["1:8 error: cannot combine with previous 'static' declaration specifier"]),
    ("const const int x;", &["1:7 warning: duplicate 'const' declaration specifier"]),
    ("global local int *p;", &["1:8 error: multiple address spaces specified for type"]),
    ("global global int *p;", &["1:8 warning: multiple identical address spaces specified for type"]),
    ("void f(int, foo x, bar *y) {}", &["1:13 error: unknown type name 'foo'", "1:20 error: unknown type name 'bar'"]),
    ("void f(x, y) {}", &["1:8 error: unknown type name 'x'", "1:11 error: unknown type name 'y'"]),
    ("void f(int x int y) {}", &["1:14 error: expected ')'", "1:7 note: to match this '('"]),
    (
        "void f() { x = (foo)y; z = (foo *)y; }",
        &["1:17 error: unknown type name 'foo'", "1:29 error: unknown type name 'foo'"],
    ),
    ("void f() { x = float4(1, 2, 3, 4); y; }", &["1:16 error: unexpected type name 'float4': expected expression"]),
    (
        "void f() { case: ; x: }",
        &["1:16 error: expected expression", "1:23 warning: label at end of compound statement is a C23 extension"],
    ),
    ("void f() { case 1 x; }", &["1:18 error: expected ':' after 'case'"]),
    ("void f() { do x; }", &["1:18 error: expected 'while' in do/while loop"]),
    ("void f() { do x; while (1) y; }", &["1:27 error: expected ';' after do/while statement"]),
    ("void f() { else x; }", &["1:12 error: expected expression"]),
    ("void f() { void g() { x; } y; }", &["1:21 error: function definition is not allowed here"]),
    (
        "void f() { a.3; b.; c->; d.if; }",
        &[
            "1:13 error: expected ';' after expression",
            "1:19 error: expected identifier",
            "1:24 error: expected identifier",
            "1:28 error: expected identifier",
            "1:30 error: expected '(' after 'if'",
        ],
    ),
    ("void f() { a ? b; c; }", &["1:17 error: expected ':'", "1:14 note: to match this '?'"]),
    ("void f() { asm(\"nop\"); x; }", &["1:12 error: inline assembly is not supported in OpenCL C"]),
    ("void f() { goto 3; return return; }", &["1:17 error: expected identifier", "1:27 error: expected expression"]),
    ("x = 3;", &["1:1 error: type specifier missing, defaults to 'int'"]),
    ("f();", &["1:1 error: type specifier missing, defaults to 'int'"]),
    (
        "__attribute__((reqd_work_group_size(1, 2 void f() {}",
        &[
            "1:42 error: expected ')'",
            "1:36 note: to match this '('",
            "1:53 error: expected ')'",
            "1:15 note: to match this '('",
        ],
    ),
    ("__attribute__(packed) int x;", &["1:15 error: expected '(' after '('"]),
    ("const x = 3;", &["1:7 error: type specifier missing, defaults to 'int'"]),
    ("void f(global *p) {}", &["1:15 error: type specifier missing, defaults to 'int'"]),
    ("local y[3];", &["1:7 error: type specifier missing, defaults to 'int'"]),
    ("void f() { int x = { 1, .y 2 }; int z; }", &["1:28 error: expected '=' or another designator"]),
    ("void f() { a + (b * (c + d); e; }", &["1:28 error: expected ')'", "1:16 note: to match this '('"]),
    ("void f() { a[1; b; }", &["1:15 error: expected ']'", "1:13 note: to match this '['"]),
    ("void f() { 1 2 3; }", &["1:13 error: expected ';' after expression"]),
    ("typedef int T; void f() { T T T; }", &["1:30 error: expected ';' at end of declaration"]),
    ("void f() { int x; } }\nint y;", &["1:21 error: extraneous closing brace ('}')"]),
    ("void f() { x) ; }", &["1:13 error: extraneous ')' before ';'"]),
    ("void f(int a, ) {}", &["1:15 error: expected parameter declarator"]),
    ("void f() { g(a, ); }", &["1:17 error: expected expression"]),
    ("void f() { g(int); }", &["1:14 error: unexpected type name 'int': expected expression"]),
    ("void f() { int g(int x, y); }", &["1:25 error: unknown type name 'y'"]),
    ("int (x;", &["1:7 error: expected ')'", "1:5 note: to match this '('"]),
    ("int *;", &["1:6 error: expected identifier or '('"]),
    (
        "kernel void f(global float *a) {\n  a[0] = 1.0f\n  a[1] = 2.0f;\n}\n",
        &["2:14 error: expected ';' after expression"],
    ),
    ("static int f(static int x);", &["1:14 error: invalid storage class specifier in function declarator"]),
    ("sizeof(int);", &["1:1 error: expected external declaration"]),
    ("void f() { if x > 3) y; else z; }", &["1:15 error: expected '(' after 'if'"]),
    ("void f() { while () x; }", &["1:19 error: expected expression"]),
    (
        "void f() { switch (x) { case 1: int y; default: } }",
        &[
            "1:33 warning: label followed by a declaration is a C23 extension",
            "1:49 warning: label at end of compound statement is a C23 extension",
        ],
    ),
    ("void f() { x = ^; }", &["1:17 error: expected expression"]),
    ("void f() { if (a) int x; }", &["1:19 error: expected expression"]),
    ("struct S { int a; }\nkernel void f() {}", &["1:20 error: expected ';' after struct"]),
    ("enum E { A }\nfloat4 x;", &["1:13 error: expected ';' after enum"]),
    ("struct S { struct { int b; } int c; };", &["1:29 error: expected ';' after struct"]),
    ("void f() { struct S { int a; } s, t; struct T { int b; } const u; }", &[]),
    ("void f() { if (x { y; } else z; w; }", &["1:18 error: expected ')'", "1:15 note: to match this '('"]),
    ("void f(int a { a; }\nint x;", &["1:14 error: expected ')'", "1:7 note: to match this '('"]),
    ("void f() { x = y z; w; }", &["1:17 error: expected ';' after expression"]),
    ("void f() { int a = 3, b = , c = 4; }", &["1:27 error: expected expression"]),
    ("void f() { g((int)); }", &["1:19 error: expected expression"]),
    (
        "kernel void f(global flot4 *p, cosnt int n) { p[0] = n; }",
        &[
            "1:22 error: unknown type name 'flot4'; did you mean 'float4'?",
            "1:32 error: unknown type name 'cosnt'; did you mean 'const'?",
        ],
    ),
    ("typedef float4 vec; void f() { vce x; }", &["1:32 error: unknown type name 'vce'; did you mean 'vec'?"]),
    ("void f() { return 1 }\nvoid g() { return 2; }", &["1:20 error: expected ';' after return statement"]),
    (
        "void f() { int x = (1 + 2; int y = 3); }",
        &["1:26 error: expected ')'", "1:20 note: to match this '('", "1:37 error: extraneous ')' before ';'"],
    ),
    ("typedef x;", &["1:9 error: type specifier missing, defaults to 'int'"]),
    ("void f() { for (;;; ) x; }", &["1:19 error: expected expression"]),
    (
        "void f() { struct S s = { .a 1 }; s.; }",
        &["1:30 error: expected '=' or another designator", "1:37 error: expected identifier"],
    ),
    (
        "int f(int a[), int b);",
        &["1:13 error: expected expression", "1:22 error: expected ')'", "1:6 note: to match this '('"],
    ),
    ("struct S { int a; }; void f(S *s) {}", &["1:29 error: must use 'struct' tag to refer to type 'S'"]),
    ("pipe x;", &["1:6 error: type specifier missing, defaults to 'int'"]),
    ("void f(read_only write_only image2d_t i) {}", &["1:18 error: multiple access qualifiers"]),
    ("void f() { goto; }", &["1:16 error: expected identifier"]),
    ("void f() { x ? : ; }", &["1:18 error: expected expression"]),
    ("_Static_assert(1, 2);", &["1:19 error: expected string literal for diagnostic message in static_assert"]),
];

#[test]
fn every_mistake_is_reported_once() {
    for (source, expected) in CASES {
        let log = log(source);
        assert_eq!(log.lines().collect::<Vec<_>>(), *expected, "{source}");
    }
}

#[test]
fn what_the_lexer_reports_is_not_reported_again() {
    for source in ["void f() { @ x; }", "void f() { x = y @ z; w; }", "void f() { x = 08; }", "int @;"] {
        assert_eq!(log(source).lines().filter(|line| line.contains("error")).count(), 1, "{source}: {}", log(source));
    }
}

#[test]
fn mistakes_at_macros_are_shown_where_the_macro_is_used() {
    let source = "#define ONE 1\n#define TWO 2\nvoid f() {\n  int x = ONE\n  int y = TWO;\n}\n";
    assert_eq!(log(source), "4:11 error: expected ';' at end of declaration\n");
}

#[test]
fn contraction_pragmas_stand_at_file_scope_or_first_in_a_block() {
    let pragma = "\n#pragma OPENCL FP_CONTRACT OFF\n";
    for misplaced in [
        "float f(float a,@float b) { return a; }",
        "float f(float a)@{ return a; }",
        "struct S {@int a; };",
        "int x[] = {@1 };",
        "void f(float a) { a = 1;@a = 2; }",
        "void f(float a) { float b;@a = 2; }",
        "void f(float a) { a = 1;@}",
        "void f(float a) { a = a *@a; }",
        "void f(float a) { if (a)@a = 2; }",
        "void f(float a) { if (a)@{ a = 2; } }",
        "void f(float a) { for (;;)@a = 2; }",
        "void f(float a) { l:@a = 2; goto l; }",
        "void f(int a) { switch (a) { case 1:@a = 2; } }",
    ] {
        assert_eq!(
            log(&misplaced.replace('@', pragma)),
            "2:1 warning: 'FP_CONTRACT' pragma can only appear at file scope or at the start of a compound statement\n",
            "{misplaced}"
        );
    }
    for placed in [
        "@int x;@int y;@",
        "struct S { int a; };@void f(void);@",
        "void f(void) {@}@;@",
        "void f(float a) {@@{@a = 2; } }",
        "void f(float a) { if (a) {@a = 2; } else {@} switch (1) {@default: {@} } }",
        "void f(float a) { a = ({@float b; b; }); }",
    ] {
        assert_eq!(log(&placed.replace('@', pragma)), "", "{placed}");
    }
    assert_eq!(log("void f(float a) {\n#pragma unroll\n_Pragma(\"STDC FP_CONTRACT ON\") for (;;) a = 2; }"), "");
}
