//! No input makes the parser fail, hang, or build a tree that is too deep.

use super::super::{MAX_NESTING, MAX_TREE_DEPTH, parse};
use super::{log, parse_with};
use crate::ast::{Decl, Expr, Stmt, Type, dump};
use crate::diag::{Diagnostics, Style};
use crate::lex::token::Token;
use crate::pp::Preprocessor;
use crate::session::Session;

/// Runs `f` with the stack that compilations get.
fn with_stack(f: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(64 << 20).spawn(f).expect("a thread starts");
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}

#[test]
fn deep_nesting_is_an_error() {
    with_stack(|| {
        let deep = |open: &str, close: &str| format!("{}1{}", open.repeat(10_000), close.repeat(10_000));
        for source in [
            format!("int x = {};", deep("(", ")")),
            format!("int x = {};", deep("a[", "]")),
            format!("int x = {};", deep("f(", ")")),
            format!("int x = {};", deep("- ", "")),
            format!("int x = {};", deep("*", "")),
            format!("int x = {};", deep("!", "")),
            format!("int x = {};", deep("(int)", "")),
            format!("int x = {};", deep("(int)(", ")")),
            format!("int x = {};", deep("(int2)(", ")")),
            format!("int x = {};", deep("sizeof ", "")),
            format!("int x = {};", deep("sizeof(int[", "])")),
            format!("int x = {};", deep("{", "}")),
            format!("int x = {};", deep("(int[]){", "}")),
            format!("int x = {};", deep("a ? ", ": 1")),
            format!("int x = {};", deep("({", ";})")),
            format!("int x = {};", deep("^{", ";}")),
            format!("int x = {};", deep("1 + (", ")")),
            format!("int x = {};", deep("(typeof(", "))1")),
            format!("int x = {};", deep("__builtin_astype(", ", int)")),
            format!("int x = {};", deep("(struct { int a[", "]; })1")),
            format!("int {} x;", "*".repeat(10_000)),
            format!("int {}x{};", "(".repeat(10_000), ")".repeat(10_000)),
            format!("int {}x{};", "(*".repeat(10_000), ")[1]".repeat(10_000)),
            format!("int x{};", "[1]".repeat(10_000)),
            format!("int x{};", "()".repeat(10_000)),
            format!("int x{};", deep("(int y", ")")),
            format!("{}int x;{}", "struct {".repeat(10_000), "} y;".repeat(10_000)),
            format!("__attribute__(({})) int x;", deep("aligned(", ")")),
            format!("void f() {{ {} }}", deep("{", ";}")),
            format!("void f() {{ {}; }}", deep("if (1) ", "")),
            format!("void f() {{ {}; }}", deep("while (1) ", "")),
            format!("void f() {{ {} }}", deep("do ", "; while (1);")),
            format!("void f() {{ {}; }}", deep("for (;;) ", "")),
            format!("void f() {{ {}; }}", deep("if (1) ; else ", "")),
        ] {
            let log = log(&source);
            let expected = format!("nesting level exceeds maximum of {MAX_NESTING}");
            let head: String = source.chars().take(40).collect();
            // `else` is not followed by `if` in the last one, so that each one nests.
            assert!(log.contains(&expected) || head.contains("else"), "{head}: {log}");
            assert!(log.lines().count() <= 3, "{head}: {log}");
        }
    });
}

#[test]
fn nesting_up_to_the_limit_works() {
    with_stack(|| {
        let n = MAX_NESTING - 2;
        let parens = format!("void f() {{ {}1{}; }}", "(".repeat(n), ")".repeat(n));
        assert_eq!(log(&parens), "");
        let braces = format!("void f() {{ {}1;{} }}", "{".repeat(n), "}".repeat(n));
        assert_eq!(log(&braces), "");
    });
}

#[test]
fn long_chains_work_or_are_an_error() {
    with_stack(|| {
        let n = 100_000;
        let too_complex = format!("expression is too complex: more than {MAX_TREE_DEPTH} levels of operators");
        for source in [
            format!("int x = a{};", " + a".repeat(n)),
            format!("int x = a{};", " ? a : a".repeat(n)),
            format!("int x = a{};", " = a".repeat(n)),
            format!("int x = a{};", ".a".repeat(n)),
            format!("int x = a{};", "[0]".repeat(n)),
            format!("int x = a{};", "()".repeat(n)),
            format!("int x = a{};", "++".repeat(n)),
            format!("int x = a{};", " || a && a".repeat(n)),
        ] {
            let log = log(&source);
            assert!(log.contains(&too_complex) && log.lines().count() == 1, "{log}");
        }
        let else_ifs = format!("void f() {{ if (a) b; {} }}", "else if (a) b; ".repeat(n));
        assert!(log(&else_ifs).contains("'else if' in a row"));
        for source in [
            format!("void f() {{ a{}; }}", ", a".repeat(n)),
            format!("void f() {{ {}; }}", "case 1: ".repeat(n)),
            format!("void f() {{ {} }}", "a;".repeat(n)),
            format!("void f() {{ f(a{}); }}", ", a".repeat(n)),
            format!("int x[] = {{ {} }};", "1, ".repeat(n)),
            format!("enum {{ {} }};", "A, ".repeat(n)),
            format!("struct S {{ {} }};", "int a;".repeat(n)),
            format!("int x{};", ", x".repeat(n)),
            format!("void f(int a{});", ", int b".repeat(n)),
            "int x;".repeat(n),
            ";".repeat(n),
            format!("{} int x;", "__attribute__((a)) ".repeat(n)),
            format!("void f() {{ if (a) b; {} }}", "else if (a) b; ".repeat(1000)),
            format!("int x = a{};", " + a".repeat(MAX_TREE_DEPTH as usize - 10)),
        ] {
            let log = log(&source);
            assert_eq!(log, "", "{}", &source[..40]);
        }
    });
}

#[test]
fn errors_end_after_a_while() {
    let parsed = parse_with(&"int 3; ".repeat(10_000), "");
    assert!(parsed.session.diags.n_errors() < 100);
    let parsed = parse_with(&"} ".repeat(10_000), "");
    assert!(parsed.session.diags.n_errors() < 100);
}

const KERNELS: &[&str] = &[
    "typedef struct __attribute__((packed)) { float4 pos; int kind : 3; union { int i; float f; }; } body_t;
     constant float table[4][2] = { { 1.0f, 2.0f }, [2] = { .5f } };
     float sq(const float x) { return x * x; }
     __attribute__((reqd_work_group_size(64, 1, 1)))
     __kernel void nbody(__global const body_t *restrict in, __global float4 *out, __local float4 *tile, const uint n)
     {
         size_t i = get_global_id(0);
         float4 acc = (float4)(0.0f, 0.0f, 0.0f, 1.0f);
         #pragma unroll 4
         for (uint j = 0, k; j < n; j += get_local_size(0)) {
             tile[get_local_id(0)] = in[j + get_local_id(0)].pos;
             barrier(CLK_LOCAL_MEM_FENCE);
             for (k = 0; k < get_local_size(0); ++k) {
                 float4 d = tile[k] - in[i].pos;
                 float r = native_rsqrt(d.x * d.x + d.y * d.y + sq(d.z) + 1e-6f);
                 acc.xyz += d.xyz * (r * r * r) * (k == 0 ? 1.f : d.s3);
             }
             barrier(CLK_LOCAL_MEM_FENCE);
         }
         if (i < n && !isnan(acc.x)) out[i] = acc; else if (i == n) out[i] = (float4)(0); else { return; }
     }",
    "enum Op { ADD, SUB = 5, MUL, };
     #pragma OPENCL FP_CONTRACT OFF
     static int apply(enum Op op, int a, int b) {
         switch (op) {
         case ADD: return a + b;
         case SUB: { int t = a - b; return t; }
         case MUL: a *= b; break;
         default: goto out;
         }
         do { a >>= 1; if (a & 1) continue; } while (a > 100);
     out:
         return a > 0 ? a : b ? -b : ~a;
     }
     kernel void go(global int *p, global const int (*m)[8], local int *restrict l, read_only image2d_t img, sampler_t s) {
         int x = p[0], *q = (int *)0, a[2][3] = {{1, 2, 3}};
         uint4 u = convert_uint4_sat_rte(read_imagef(img, s, (int2)(x, 1)).xyzw);
         void (^blk)(int) = ^(int v) { printf(\"%d\\n\", v); };
         struct S { int a, b; } st = { .b = 2, .a = 1 }, *sp = &st;
         while (x--) { p[x] = apply(ADD, sp->a, m[x][3]) + (int)sizeof(struct S) + (int)sizeof a[0] + vec_step(u); }
         p[1] = ((global int4 *)p)[2].hi.x; q = &a[1][2]; blk(*q), l[0] = 'a';
         u.s0123 = (uint4)(1u, (uint2)(2, 3), 4), u.lo = as_uint2((ulong)5UL);
     }",
];

/// A small generator of pseudo-random numbers.
struct Rng(u64);

impl Rng {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % n.max(1)
    }
}

#[test]
fn the_kernels_to_mutate_are_right() {
    for source in KERNELS {
        assert_eq!(log(source), "");
    }
}

#[test]
fn mutated_sources_do_no_harm() {
    with_stack(|| {
        let mut rng = Rng(1);
        for source in KERNELS {
            let mut session = Session::new("-cl-std=CL3.0");
            let original = Preprocessor::new(&mut session, source.as_bytes(), &[]).tokens();
            for round in 0..1000 {
                let mut tokens = original.clone();
                for _ in 0..=rng.below(if round % 10 == 0 { 40 } else { 3 }) {
                    mutate(&mut tokens, &mut rng);
                }
                session.diags = Diagnostics::new();
                let ast = parse(&tokens, &mut session);
                let nodes = ast.count::<Expr>() + ast.count::<Stmt>() + ast.count::<Type>() + ast.count::<Decl>();
                assert!(nodes <= 10 * tokens.len() + 100, "{nodes} nodes from {} tokens", tokens.len());
                assert!(session.diags.list().len() < 200);
                assert_eq!(session.log(Style::Plain).is_empty(), session.diags.list().is_empty());
                // The printer walks the whole tree: every id must be good.
                assert!(dump::dump(&ast, &session.interner).len() >= ast.items.len());
            }
        }
    });
}

#[test]
fn mutated_bytes_do_no_harm() {
    with_stack(|| {
        let mut rng = Rng(2);
        for source in KERNELS {
            for _ in 0..200 {
                let mut bytes = source.as_bytes().to_vec();
                for _ in 0..=rng.below(4) {
                    let at = rng.below(bytes.len());
                    match rng.below(3) {
                        0 => bytes[at] = rng.below(128) as u8,
                        1 => drop(bytes.remove(at)),
                        _ => bytes.insert(at, b"(){}[];,*&\"'#\\\n/"[rng.below(16)]),
                    }
                }
                let parsed = parse_with(&String::from_utf8_lossy(&bytes), "");
                let Session { diags, .. } = &parsed.session;
                assert_eq!(parsed.session.log(Style::Plain).is_empty(), diags.list().is_empty());
                assert!(dump::dump(&parsed.ast, &parsed.session.interner).len() >= parsed.ast.items.len());
            }
        }
    });
}

/// Deletes, doubles, exchanges or moves tokens, but not the last one, which is `Eof`.
fn mutate(tokens: &mut Vec<Token>, rng: &mut Rng) {
    let n = tokens.len() - 1;
    if n < 2 {
        return;
    }
    let (i, j) = (rng.below(n), rng.below(n));
    match rng.below(6) {
        0 | 1 => {
            tokens.remove(i);
        }
        2 => tokens.insert(i, tokens[i]),
        3 => tokens.swap(i, j),
        4 => tokens[i].kind = tokens[j].kind,
        _ => {
            let (lo, hi) = (i.min(j), i.max(j).min(i.min(j) + 12));
            let piece: Vec<Token> = tokens[lo..hi].to_vec();
            let at = rng.below(n);
            tokens.splice(at..at, piece);
        }
    }
}
