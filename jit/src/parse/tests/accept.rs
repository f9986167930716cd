//! Sources that parse, and their trees.

use super::{expr, tree, tree_with};
use crate::ast::{Expr, ExprId, ExprKind};

#[test]
fn integer_types_in_every_spelling() {
    for (name, spellings) in [
        ("char", &["char", "signed char", "char signed"][..]),
        ("uchar", &["unsigned char", "char unsigned", "uchar"]),
        ("short", &["short", "short int", "int short", "signed short", "short signed", "int signed short"]),
        ("ushort", &["unsigned short", "short unsigned int", "int unsigned short", "ushort"]),
        ("int", &["int", "signed", "signed int", "int signed", "__signed__ int"]),
        ("uint", &["unsigned", "unsigned int", "int unsigned", "uint"]),
        ("long", &["long", "long int", "int long", "signed long", "long signed int", "long long", "long int long"]),
        ("ulong", &["unsigned long", "long unsigned int", "int long unsigned", "unsigned long long int", "ulong"]),
        ("bool", &["bool", "_Bool"]),
        ("half", &["half"]),
        ("size_t", &["size_t"]),
        ("float4", &["float4"]),
        ("image2d_array_depth_t", &["image2d_array_depth_t"]),
        ("atomic_flag", &["atomic_flag"]),
    ] {
        for spelling in spellings {
            assert_eq!(tree(&format!("{spelling} x;")), format!("(decl x {name})\n"), "{spelling}");
            assert_eq!(tree(&format!("const {spelling} x;")), format!("(decl x (const {name}))\n"), "{spelling}");
            assert_eq!(tree(&format!("{spelling} const x;")), format!("(decl x (const {name}))\n"), "{spelling}");
        }
    }
}

#[test]
fn every_vector_type_is_known() {
    for elem in ["char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "half", "float", "double"] {
        for n in [2, 3, 4, 8, 16] {
            assert_eq!(tree(&format!("{elem}{n} x;")), format!("(decl x {elem}{n})\n"));
        }
    }
}

#[test]
fn declarators_turn_inside_out() {
    for (source, dump) in [
        ("int *p;", "(decl p (* int))"),
        ("int *p, q, r[3];", "(decl p (* int)) (decl q int) (decl r (array 3 int))"),
        ("int a[2][3];", "(decl a (array 2 (array 3 int)))"),
        ("int *a[2];", "(decl a (array 2 (* int)))"),
        ("int (*a)[2];", "(decl a (* (array 2 int)))"),
        ("int (*f)(int, float x);", "(decl f (* (fn ((_ int) (x float)) int)))"),
        ("int *(*f[4])(void);", "(decl f (array 4 (* (fn () (* int)))))"),
        ("void (^b)(int) ;", "(decl b (^ (fn ((_ int)) void)))"),
        ("int (x);", "(decl x int)"),
        (
            "int f(int (*)(int), int (g)(void), int a[static 3], int b[const], int c[*]);",
            "(decl f (fn ((_ (* (fn ((_ int)) int))) (g (fn () int)) (a (array static 3 int)) (b (array const [] int)) (c (array [*] int))) int))",
        ),
        ("__global const float *restrict p;", "(decl p (* restrict (global const float)))"),
        ("const __global float *__local *volatile p;", "(decl p (* volatile (* local (global const float))))"),
        ("float const volatile global *p;", "(decl p (* (global const volatile float)))"),
        ("float * __attribute__((nosvm)) p;", "(decl p (* (@nosvm) float))"),
        (
            "extern int printf(__constant char *restrict fmt, ...);",
            "(decl printf extern (fn ((fmt (* restrict (constant char)))) ... int))",
        ),
    ] {
        assert_eq!(tree(source).trim_end(), dump, "{source}");
    }
}

#[test]
fn kernels_in_every_spelling() {
    for source in [
        "__kernel void f(__global int *p) {}",
        "kernel void f(global int *p) {}",
        "void kernel f(int global *p) {}",
        "void __kernel f(int __global *p) {}",
    ] {
        assert_eq!(tree(source), "(function f kernel (fn ((p (* (global int)))) void) { })\n", "{source}");
    }
    for source in [
        "__kernel __attribute__((reqd_work_group_size(1,2,3))) void f() {}",
        "__attribute__((reqd_work_group_size(1,2,3)))\n__kernel void f() {}",
        "__kernel void __attribute__((reqd_work_group_size(1,2,3))) f() {}",
        "__kernel void f() __attribute__((reqd_work_group_size(1,2,3))) {}",
    ] {
        assert_eq!(
            tree(source),
            "(function f kernel (@reqd_work_group_size 1 2 3) (fn () empty void) { })\n",
            "{source}"
        );
    }
    assert_eq!(
        tree("__attribute__((vec_type_hint(float4)))\n__attribute__((work_group_size_hint(1,1,1))) kernel void f() {}"),
        "(function f kernel (@vec_type_hint float4) (@work_group_size_hint 1 1 1) (fn () empty void) { })\n"
    );
    assert_eq!(tree("void kernel test(){}"), "(function test kernel (fn () empty void) { })\n");
}

#[test]
fn opaque_parameters() {
    assert_eq!(
        tree(
            "kernel void f(read_only image2d_t a, __write_only image3d_t b, sampler_t s, read_write pipe int4 p, queue_t q) {}"
        ),
        "(function f kernel (fn ((a (read_only image2d_t)) (b (write_only image3d_t)) (s sampler_t) \
         (p (pipe read_write int4)) (q queue_t)) void) { })\n"
    );
}

#[test]
fn structs_unions_enums() {
    for (source, dump) in [
        ("struct S { int a, *b; float c[4]; };", "(declare (struct S ((a int) (b (* int)) (c (array 4 float)))))"),
        (
            "typedef struct __attribute__ ((packed)) T { char c; } T;",
            "(decl T typedef (struct T (@packed) ((c char))))",
        ),
        (
            "typedef struct { int x; } __attribute__((aligned(8), packed)) T; T t;",
            "(decl T typedef (struct (@aligned 8) (@packed) ((x int))))\n(decl t T)",
        ),
        (
            "struct { union { int i; float f; }; struct S *next; } x;",
            "(decl x (struct ((_ (union ((i int) (f float)))) (next (* (struct S))))))",
        ),
        (
            "struct S { int a : 3, : 2; unsigned b : 1; };",
            "(declare (struct S ((a int : 3) (_ int : 2) (b uint : 1))))",
        ),
        ("enum E { A, B = 2, C = A + 1, } e;", "(decl e (enum E (A B = 2 C = (+ A 1))))"),
        ("const struct S { int a; } s = { 1 };", "(decl s (struct const S ((a int))) = { 1 })"),
        ("struct S { int uint; float4 half4; } s;", "(decl s (struct S ((uint int) (half4 float4))))"),
    ] {
        assert_eq!(tree(source).trim_end(), dump, "{source}");
    }
}

#[test]
fn initializers() {
    for (source, dump) in [
        ("constant int a[] = { 1, 2, 3, };", "(decl a (array [] (constant int)) = { 1 2 3 })"),
        ("int a[2][2] = {{1, 2}, {3}};", "(decl a (array 2 (array 2 int)) = { { 1 2 } { 3 } })"),
        (
            "struct S s = { .a = 1, .b.c[2] = 3, [4] = 5, [1 ... 2] = 6 };",
            "(decl s (struct S) = { .a = 1 .b .c (at 2) = 3 (at 4) = 5 (at 1 2) = 6 })",
        ),
        ("float4 v = (float4)(1.0f, 2.f, .5f, 0.0f);", "(decl v float4 = (cast-list float4 1.0f 2.0f 0.5f 0.0f))"),
        ("int a[] = {};", "(decl a (array [] int) = { })"),
        ("constant char *s = \"ab\" \"c\";", "(decl s (* (constant char)) = \"abc\")"),
    ] {
        assert_eq!(tree(source).trim_end(), dump, "{source}");
    }
}

#[test]
fn operators_bind_as_in_c() {
    for (source, dump) in [
        ("a + b * c - d", "(- (+ a (* b c)) d)"),
        ("a << b + c < d", "(< (<< a (+ b c)) d)"),
        ("a & b == c", "(& a (== b c))"),
        ("a | b ^ c & d", "(| a (^ b (& c d)))"),
        ("a || b && c", "(|| a (&& b c))"),
        ("a = b = c += d", "(= a (= b (+= c d)))"),
        ("a ? b : c ? d : e", "(?: a b (?: c d e))"),
        ("a ? b, c : d", "(?: a (, b c) d)"),
        ("a ?: b", "(?: a b)"),
        ("a, b, c", "(, a b c)"),
        ("-a++", "(- (_++ a))"),
        ("!~*&a", "(! (~ (* (& a))))"),
        ("++*p--", "(++_ (* (_-- p)))"),
        ("a - -b", "(- a (- b))"),
        ("a[1][2].b->c(d, e)", "(call (-> (. (index (index a 1) 2) b) c) d e)"),
        ("a <<= b >> c", "(<<= a (>> b c))"),
        ("a * b / c % d", "(% (/ (* a b) c) d)"),
        ("'x' + 1u + 2L + 3UL + 1.5 + 2.0h", "(+ (+ (+ (+ (+ '120' 1u) 2l) 3ul) 1.5) 2.0h)"),
        ("true + false", "(+ 1 0)"),
        ("f(a, (b, c))", "(call f a ((, b c)))"),
    ] {
        assert_eq!(expr(source), dump, "{source}");
    }
}

#[test]
fn casts_and_vector_literals() {
    for (source, dump) in [
        ("(int)a + b", "(+ (cast int a) b)"),
        ("(int)-a", "(cast int (- a))"),
        ("-(int)a", "(- (cast int a))"),
        ("(float)(a)", "(cast-list float a)"),
        ("(int)(a, b)", "(cast-list int a b)"),
        ("(int)(a).x", "(cast int (. (a) x))"),
        ("(int)(a)[1]", "(cast int (index (a) 1))"),
        ("(float4)(a, b).xyz", "(. (cast-list float4 a b) xyz)"),
        ("((float4)(a)).hi.S0f", "(. (. ((cast-list float4 a)) hi) S0f)"),
        ("(int4)((int2)(a), b, c)", "(cast-list int4 (cast-list int2 a) b c)"),
        ("-(int2)(a)", "(- (cast-list int2 a))"),
        ("(float4)a", "(cast float4 a)"),
        ("(float)(int)a", "(cast float (cast int a))"),
        ("((__global float4 *)p)[i]", "(index ((cast (* (global float4)) p)) i)"),
        ("(int (*)[3])p", "(cast (* (array 3 int)) p)"),
        ("(struct S){ 1, .b = 2 }.a", "(. (literal (struct S) { 1 .b = 2 }) a)"),
        ("(int[]){ 1 }[0]", "(index (literal (array [] int) { 1 }) 0)"),
        ("(void)a", "(cast void a)"),
        ("(a)", "(a)"),
        ("(a)(b)", "(call (a) b)"),
        ("(unsigned long int)(a)", "(cast-list ulong a)"),
        ("(const int)a", "(cast (const int) a)"),
        ("(float4)(0) + (float4)(1)", "(+ (cast-list float4 0) (cast-list float4 1))"),
        ("(uint)((a) & 1)", "(cast-list uint (& (a) 1))"),
        ("(int)({ 1; })", "(cast int (stmt-expr { 1 }))"),
        ("src.s55E939DbF63397Eb", "(. src s55E939DbF63397Eb)"),
    ] {
        assert_eq!(expr(source), dump, "{source}");
    }
    assert_eq!(
        tree("typedef float4 V; typedef V W; float2 f() { return (W)(1, 2).xy; }").lines().last(),
        Some("(function f (fn () empty float2) { (return (. (cast-list W 1 2) xy)) })")
    );
}

#[test]
fn sizeof_and_its_kin() {
    for (source, dump) in [
        ("sizeof(int)", "(sizeof type int)"),
        ("sizeof(int) * 2", "(* (sizeof type int) 2)"),
        ("sizeof a", "(sizeof a)"),
        ("sizeof(a)", "(sizeof (a))"),
        ("sizeof(a)[0]", "(sizeof (index (a) 0))"),
        ("sizeof -a + b", "(+ (sizeof (- a)) b)"),
        ("sizeof sizeof(int)", "(sizeof (sizeof type int))"),
        ("sizeof( sizeof(int) )", "(sizeof ((sizeof type int)))"),
        ("sizeof( global void* )", "(sizeof type (* (global void)))"),
        ("sizeof(int){ 1 }", "(sizeof (literal int { 1 }))"),
        ("sizeof(image2d_t)", "(sizeof type image2d_t)"),
        ("vec_step(float4) + vec_step(a)", "(+ (vec_step type float4) (vec_step (a)))"),
        ("__alignof__(int)", "(alignof type int)"),
        ("__builtin_offsetof(struct S, a.b[2])", "(offsetof (struct S) .a .b (at 2))"),
        ("__builtin_astype(a, float4)", "(as_type float4 a)"),
    ] {
        assert_eq!(expr(source), dump, "{source}");
    }
}

#[test]
fn statements() {
    for (source, dump) in [
        ("if (a) b; else if (c) d; else { e; }", "(if a b else (if c d else { e }))"),
        ("if (a) if (b) c; else d;", "(if a (if b c else d))"),
        ("while (a) { b; continue; }", "(while a { b continue })"),
        ("do a++; while (a < 3)", "(do (_++ a) (< a 3))"),
        (
            "for (int i = 0, j = 1; i < n; i++, j--) ;",
            "(for (decl i int = 0) (decl j int = 1) (< i n) (, (_++ i) (_-- j)) ;)",
        ),
        ("for (;;) break;", "(for _ _ _ break)"),
        ("for (i = 0; ; ) ;", "(for (= i 0) _ _ ;)"),
        (
            "switch (a) { case 1: case 2 ... 4: b; break; default: c; }",
            "(switch a { (label (case 1) (case 2 4) b) break (label default c) })",
        ),
        ("x: y: a; goto x;", "(label x y a) (goto x)"),
        ("return a, b", "(return (, a b))"),
        ("__attribute__((opencl_unroll_hint(2))) for (;;) ;", "(@opencl_unroll_hint 2) (for _ _ _ ;)"),
        ("__attribute__((opencl_unroll_hint)) while (1) ;", "(@opencl_unroll_hint) (while 1 ;)"),
        ("__local float t[16][17];", "(decl t (array 16 (array 17 (local float))))"),
        ("struct { int a; } s", "(decl s (struct ((a int))))"),
        ("int f(int)", "(decl f (fn ((_ int)) int))"),
        ("uint uint = 3; uint++", "(decl uint uint = 3) (_++ uint) "),
        ("_Static_assert(sizeof(int) == 4, \"x\")", "(static_assert (== (sizeof type int) 4))"),
        ("const size_t i = get_global_id(0)", "(decl i (const size_t) = (call get_global_id 0))"),
    ] {
        assert_eq!(expr(source).trim_end_matches(" ;"), dump.trim_end(), "{source}");
    }
}

#[test]
fn names_shadow_types() {
    assert_eq!(
        tree("typedef int T; void f(int T) { T * 2; { float T; (T) - 1; } } T t;"),
        "(decl T typedef int)\n(function f (fn ((T int)) void) { (* T 2) { (decl T float) (- (T) 1) } })\n(decl t T)\n"
    );
    // A scope's end brings the type back, also for names of builtin types and functions.
    assert_eq!(
        tree("void f() { { int event_t = 1; event_t * 2; } event_t * p; unsigned int max = 0; max++; }"),
        "(function f (fn () empty void) { { (decl event_t int = 1) (* event_t 2) } (decl p (* event_t)) (decl max uint = 0) (_++ max) })\n"
    );
    assert_eq!(
        tree("typedef unsigned int uint; typedef float float4[4]; enum { half4 }; int x = half4;"),
        "(decl uint typedef uint)\n(decl float4 typedef (array 4 float))\n(declare (enum (half4)))\n(decl x int = half4)\n"
    );
    // Labels and members have name spaces of their own.
    assert_eq!(
        tree("typedef int T; struct S { int T; }; void f(struct S s) { T: s.T = 1; goto T; }").lines().last(),
        Some("(function f (fn ((s (struct S))) void) { (label T (= (. s T) 1)) (goto T) })")
    );
}

#[test]
fn blocks() {
    assert_eq!(expr("^{ a; }"), "(block { a })");
    assert_eq!(expr("^(local void *p){ a; }"), "(block ((p (* (local void)))) { a })");
    assert_eq!(expr("^int (int x) { return x; }(3)"), "(call (block ((x int)) int { (return x) }) 3)");
    assert_eq!(
        expr("void (^const b)(void) = ^{ a; }"),
        "(decl b (^ const (fn () void)) = (block { a })) ;".trim_end_matches(" ;")
    );
}

#[test]
fn pipe_and_generic_are_names_in_old_versions() {
    assert_eq!(tree_with("int pipe; int generic;", ""), "(decl pipe int)\n(decl generic int)\n");
}

#[test]
fn pragmas_stay_where_they_are() {
    assert_eq!(
        tree(
            "#pragma OPENCL EXTENSION cl_khr_select_fprounding_mode : enable\n\
             #pragma OPENCL SELECT_ROUNDING_MODE rtz\n\
             float f(float a, float b) {\n#pragma OPENCL FP_CONTRACT OFF\n\
             float c = a +\n#pragma OPENCL SELECT_ROUNDING_MODE rte\nb;\n\
             if (c)\n#pragma unroll 4\nfor (;;) ;\n\
             return c;\n#pragma OPENCL SELECT_ROUNDING_MODE rtz\n}\n"
        ),
        "(#extension cl_khr_select_fprounding_mode enable)\n(#rounding rtz)\n(function f (fn ((a float) (b float)) float) { (#fp_contract off) (decl c float = (+ a b)) \
         (#rounding rte) (if c { (#unroll 4) (for _ _ _ ;) }) (return c) (#rounding rtz) })\n"
    );
}

#[test]
fn declarations_without_meaning_are_harmless() {
    assert_eq!(tree(";;"), "");
    assert_eq!(tree("struct S; enum E; union U;"), "(declare (struct S))\n(declare (enum E))\n(declare (union U))\n");
    assert_eq!(
        tree("inline static int f(void) { return 0; }"),
        "(function f static inline (fn () int) { (return 0) })\n"
    );
    assert_eq!(tree("__extension__ typedef int T;"), "(decl T typedef int)\n");
    assert_eq!(tree("__attribute__((foo(a + \"b\" (c)), )) int x __attribute__(());"), "(decl x (@foo) int)\n");
    assert_eq!(tree("typeof(1 + 2) x; __typeof__(int *) y;"), "(decl x (typeof (+ 1 2)))\n(decl y (typeof (* int)))\n");
    assert_eq!(tree("_Static_assert(1, \"m\");"), "(static_assert 1)\n");
    assert_eq!(tree(""), "");
}

/// Odd spellings that the conformance suite's kernels have.
#[test]
fn conformance_suite_spellings() {
    for (source, dump) in [
        (
            "kernel void k(global  const volatile  half16* restrict argument0, __global int /*3*/ *srcA) {}",
            "(function k kernel (fn ((argument0 (* restrict (global const volatile half16))) (srcA (* (global int)))) void) { })",
        ),
        ("const sampler_t s = A | B | C;", "(decl s (const sampler_t) = (| (| A B) C))"),
        (
            "void f() { event_t e; e = async_work_group_copy(d, s, (size_t)(n * 2), (event_t)0); wait_group_events(1, &e); }",
            "(function f (fn () empty void) { (decl e event_t) (= e (call async_work_group_copy d s (cast-list size_t (* n 2)) \
             (cast event_t 0))) (call wait_group_events 1 (& e)) })",
        ),
        (
            "static constant float a = 2.78; __constant char *where = \"a.cl\" \"\";",
            "(decl a static (constant float) = 2.78)\n(decl where (* (constant char)) = \"a.cl\")",
        ),
        (
            "void f() { typedef struct { uchar a; half8 t; } S; global S *p = (global S *)q; x = ((local S *)p)[i].t.s0; }",
            "(function f (fn () empty void) { (decl S typedef (struct ((a uchar) (t half8)))) (decl p (* (global S)) = \
             (cast (* (global S)) q)) (= x (. (. (index ((cast (* (local S)) p)) i) t) s0)) })",
        ),
        ("volatile __global atomic_int v = ATOMIC_VAR_INIT(3);", "(decl v (global volatile atomic_int) = (3))"),
        (
            "int4 *p = &a[1], var = (int4)((int4)(0));",
            "(decl p (* int4) = (& (index a 1))) (decl var int4 = (cast-list int4 (cast-list int4 0)))",
        ),
        (
            "struct bar access_foo() { return foo[get_global_id(0)]; }",
            "(function access_foo (fn () empty (struct bar)) { (return (index foo (call get_global_id 0))) })",
        ),
        (
            "void f(ulong *p) { *p = (ulong)&arr; dst.lo.odd = ((int4)(a)).hi; }",
            "(function f (fn ((p (* ulong))) void) { (= (* p) (cast ulong (& arr))) (= (. (. dst lo) odd) (. ((cast-list int4 a)) hi)) })",
        ),
    ] {
        assert_eq!(tree(source).trim_end(), dump, "{source}");
    }
    let params: Vec<String> = (0..1002).map(|i| format!("queue_t q{i}")).collect();
    assert!(tree(&format!("kernel void f({}) {{}}", params.join(", "))).contains("(q1001 queue_t)"));
}

#[test]
fn float_literals_are_rounded_once() {
    // In float the halfway point 1 + 2^-24 and a bit more must go up; by way of double it would go to even, down.
    let parsed = super::parse_with("float x = 1.00000005960464477540f; float y = 0x1.000001000000001p0f;", "");
    let lits: Vec<_> = (0..parsed.ast.count::<Expr>())
        .filter_map(|i| match parsed.ast[ExprId::new(i)].kind {
            ExprKind::Float(lit) => Some(lit.f32.to_bits()),
            _ => None,
        })
        .collect();
    assert_eq!(lits, [0x3f80_0001, 0x3f80_0001]);
}
