//! Work grows about as a source does, in each way in which a source can grow: four times as many of something must not
//! take much more than four times the work from source to machine code. Work is counted, not timed: in bytes of memory
//! asked for, as each analysis of a function begins with tables that are as large as the function.
#![allow(unsafe_code, reason = "counts what the system's allocator is asked for")]

#[path = "support/counting.rs"]
mod counting;

use clift_jit::{SpecKey, build};

/// Bytes asked for from a source to machine code for groups of 64.
fn work(source: &str) -> u64 {
    let before = counting::bytes();
    let built = build(source.as_bytes(), "-cl-std=CL3.0", &[]);
    let program = built.program.unwrap_or_else(|_| panic!("{}", built.log));
    let key = SpecKey { local_size: Some([64, 1, 1]), small_ids: true, ..SpecKey::default() };
    let last = program.kernels().len() - 1;
    if let Err(e) = program.code(last, key) {
        panic!("{}", e.message);
    }
    counting::bytes() - before
}

fn repeat(n: usize, part: impl Fn(usize) -> String) -> String {
    (0..n).map(part).collect()
}

fn list(n: usize, part: impl Fn(usize) -> String) -> String {
    (0..n).map(part).collect::<Vec<_>>().join(", ")
}

fn kernel(body: &str) -> String {
    format!(
        "kernel void k(global int *a) {{ int i = get_global_id(0), l = get_local_id(0), x = a[i]; {body} a[i] = x; }}"
    )
}

/// What there is more of, how many, and how to make a source of so many.
type Way = (&'static str, usize, fn(usize) -> String);

const FLOW: &[Way] = &[
    ("branches", 32, |n| {
        kernel(&repeat(n, |j| format!("if (x & {}) x = x * 3 + a[(i + {j}) & 63]; else x ^= {j};", 1 << (j % 20))))
    }),
    ("stores in branches", 32, |n| {
        kernel(&repeat(n, |j| format!("if (x & {}) x += a[x & 63]; else a[(x + {j}) & 63] = x;", 1 << (j % 20))))
    }),
    ("returns", 32, |n| kernel(&repeat(n, |j| format!("if (x == {j}) return; x = x * 3 + a[{j}];")))),
    ("selections", 32, |n| kernel(&format!("x = {}0;", repeat(n, |j| format!("x == {j} ? {} : ", j * 7))))),
    ("conditions", 32, |n| kernel(&format!("if ({}x) x = 1;", repeat(n, |j| format!("a[{j}] > {j} || "))))),
    ("nested branches", 16, |n| kernel(&(repeat(n, |j| format!("if (x > a[{j}]) {{ x += {j};")) + &"}".repeat(n)))),
    ("cases", 64, |n| kernel(&format!("switch (x) {{ {} }}", repeat(n, |j| format!("case {j}: x *= a[{j}]; break;"))))),
    ("switches", 16, |n| {
        kernel(&repeat(n, |j| format!("switch (x & 3) {{ case 0: x += {j}; break; case 1: x ^= a[{j}]; break; }}")))
    }),
    ("jumps", 32, |n| {
        kernel(&repeat(n, |j| format!("L{j}: x = x * 3 + a[{j}]; if (x & {}) goto L{};", j + 1, (j * 7 + 3) % n)))
    }),
    ("loops", 16, |n| kernel(&repeat(n, |j| format!("for (int q = 0; q < a[{j}]; q++) x = x * 3 + a[(i + q) & 63];")))),
    // Each counter may be in each factor: that they are not is found once.
    ("products in loops", 10, |n| {
        let parts =
            repeat(n, |j| format!("for (int q = 0; q < d; q++) s += a[(((q * w + 1) * h) * d + 1) * w + x + {j}];"));
        format!(
            "kernel void k(global int *a, int w, int h, int d) {{ int x = get_global_id(0), s = 0; {parts} a[x] = s; }}"
        )
    }),
    ("unrolled loops", 16, |n| kernel(&repeat(n, |j| format!("for (int q = 0; q < 5; q++) x = x * 3 + a[q + {j}];")))),
    ("nested loops", 4, |n| {
        kernel(&(repeat(n, |j| format!("for (int q{j} = 0; q{j} < a[{j}]; q{j}++) {{ x += a[q{j}];")) + &"}".repeat(n)))
    }),
];

const BARRIERS: &[Way] = &[
    ("barriers", 32, |n| kernel(&repeat(n, |j| format!("a[(i + {j}) & 63] += {j}; barrier(CLK_GLOBAL_MEM_FENCE);")))),
    ("barriers in branches", 16, |n| {
        kernel(&repeat(n, |j| format!("if (a[{j}]) {{ x += a[i + {j}]; barrier(CLK_GLOBAL_MEM_FENCE); }}")))
    }),
    ("barriers in loops", 8, |n| {
        kernel(&repeat(n, |j| format!("for (int q = 0; q < a[{j}]; q++) {{ x += q; barrier(CLK_LOCAL_MEM_FENCE); }}")))
    }),
    ("loops behind barriers", 16, |n| {
        let body = repeat(n, |j| {
            format!("barrier(CLK_LOCAL_MEM_FENCE); for (uint q = 0; q < n; q++) t[l] += a[l + q * {}];", j + 1)
        });
        format!(
            "kernel void k(global const uint *a, global uint *b, uint n, local uint *t) \
             {{ uint l = get_local_id(0); {body} b[l] = t[l]; }}"
        )
    }),
    ("reductions", 16, |n| kernel(&repeat(n, |j| format!("x += work_group_reduce_add(x + {j});")))),
];

const CALLS: &[Way] = &[
    ("calls", 32, |n| {
        "int f(int x, global int *a, int j) { for (int q = 0; q < a[j]; q++) x = x * 3 + a[q]; return x; }".to_owned()
            + &kernel(&repeat(n, |j| format!("x = f(x, a, {j});")))
    }),
    ("functions", 32, |n| {
        repeat(n, |j| format!("int f{j}(int x) {{ for (int q = 0; q < {j}; q++) x = x * 3 + {j}; return x; }}"))
            + &kernel(&repeat(n, |j| format!("x = f{j}(x);")))
    }),
    ("functions that call each other", 64, |n| {
        let more = |j: usize| format!("int f{}(int x) {{ return f{j}(x) * 3 + {j}; }}", j + 1);
        "int f0(int x) { return x; }".to_owned() + &repeat(n, more) + &kernel(&format!("x = f{n}(x);"))
    }),
    ("builtins", 32, |n| kernel(&format!("float y = x; {} x = y;", repeat(n, |j| format!("y = sin(y) + {j};"))))),
    ("kernels", 32, |n| repeat(n, |j| format!("kernel void k{j}(global int *a) {{ a[0] = {j}; }}")) + &kernel("")),
    ("arguments", 64, |n| {
        format!(
            "int f({}) {{ return {}0; }}",
            list(n, |j| format!("int b{j}")),
            repeat(n, |j| format!("b{j} * {j} + "))
        ) + &kernel(&format!("x = f({});", list(n, |j| format!("a[{j}]"))))
    }),
    ("kernel arguments", 64, |n| {
        let sum = repeat(n, |j| format!("b{j}[i] + "));
        format!(
            "kernel void k({}) {{ int i = get_global_id(0); b0[i] = {sum}0; }}",
            list(n, |j| format!("global int *b{j}"))
        )
    }),
    ("values to print", 64, |n| {
        kernel(&format!("printf(\"{}\", {});", "%d ".repeat(n), list(n, |j| format!("a[{j}]"))))
    }),
    ("wrong formats", 64, |n| kernel(&format!("printf(\"{}\");", "%d %y ".repeat(n)))),
    ("atomics", 64, |n| kernel(&repeat(n, |j| format!("atomic_add(a + {j}, i);")))),
];

const DATA: &[Way] = &[
    ("operations", 128, |n| kernel(&repeat(n, |j| format!("x = x * {j} + 7; x ^= x >> 3;")))),
    ("stores", 128, |n| kernel(&repeat(n, |j| format!("a[i + {j}] = {j};")))),
    ("loads", 128, |n| kernel(&repeat(n, |j| format!("x += a[i + {j}];")))),
    ("gathers", 64, |n| kernel(&repeat(n, |j| format!("x += a[x & {j}];")))),
    ("variables", 64, |n| {
        kernel(
            &(repeat(n, |j| format!("int v{j} = a[{j}];"))
                + &repeat(n, |j| format!("x += v{j} * v{};", (j * 7 + 1) % n))),
        )
    }),
    ("variables across a barrier", 64, |n| {
        let uses = repeat(n, |j| format!("x += v{j};"));
        kernel(&format!("{} barrier(1); {uses}", repeat(n, |j| format!("int v{j} = a[i + {j}];"))))
    }),
    ("local variables", 64, |n| {
        let names = repeat(n, |j| format!("local int s{j}[16]; s{j}[l & 15] = x + {j};"));
        kernel(&format!("{names} barrier(1); {}", repeat(n, |j| format!("x += s{j}[(l + 1) & 15];"))))
    }),
    ("private arrays", 32, |n| {
        let names = repeat(n, |j| format!("int p{j}[8]; p{j}[i & 7] = x;"));
        kernel(&(names + &repeat(n, |j| format!("x += p{j}[(i + 1) & 7];"))))
    }),
    // More than `sroa` takes apart, so that both sizes are compiled in the same way.
    ("differences of pointers", 5, |n| {
        let body = repeat(n, |j| format!("x = x * {} + (x >> 1);", 2 * j + 3));
        kernel(&format!("int t[8]; t[x & 7] = x; int *p = t + (x & 7); x = (int)(p - t) + t[l & 7]; {body}"))
    }),
    ("pointers into an array", 8, |n| {
        let walks =
            repeat(n, |j| format!("for (int q = 0; q < a[{j}]; q++) *p++ = x; x += *p; p = x & 1 ? p : t + {j};"));
        kernel(&format!("int t[64]; t[l & 63] = x; int *p = t; {walks} x += t[x & 63];"))
    }),
    ("bytes of words", 32, |n| {
        let read = "x += b[0] << 24 | b[1] << 16 | b[2] << 8 | b[3];";
        let write = "b[4] = x >> 8; b[5] = x;";
        kernel(&repeat(n, |j| format!("{{ global uchar *b = (global uchar *)(a + i + {j}); {read} {write} }}")))
    }),
    ("bytes side by side", 64, |n| {
        kernel(&format!(
            "global uchar *b = (global uchar *)(a + i); {}",
            repeat(n, |j| format!("b[{j}] = x >> {};", j % 4 * 8))
        ))
    }),
    ("members", 128, |n| {
        let fill = repeat(n, |j| format!("s.m{j} = a[i + {j}];"));
        format!("struct s {{ {} }};", repeat(n, |j| format!("int m{j};")))
            + &kernel(&format!("struct s s; {fill} struct s t = s; {}", repeat(n, |j| format!("x += t.m{j};"))))
    }),
    ("structures", 64, |n| {
        repeat(n, |j| format!("struct s{j} {{ int m; }};"))
            + &kernel(&repeat(n, |j| format!("struct s{j} t{j} = {{{j}}};")))
    }),
    ("program-scope variables", 64, |n| {
        repeat(n, |j| format!("constant int g{j}[4] = {{{j}, 2, 3, 4}};"))
            + &kernel(&repeat(n, |j| format!("x += g{j}[i & 3];")))
    }),
    ("initialisers", 256, |n| {
        format!("constant int g[] = {{{}}};", list(n, |j| format!("{j}"))) + &kernel("x = g[i & 7];")
    }),
    ("strings", 64, |n| kernel(&repeat(n, |j| format!("printf(\"string {j}\\n\");")))),
    ("strings to print", 64, |n| kernel(&repeat(n, |j| format!("printf(\"%s\", \"string {j}\\n\");")))),
    ("characters", 1024, |n| kernel(&format!("printf(\"{}\");", "x".repeat(n)))),
];

const TEXT: &[Way] = &[
    ("macros", 128, |n| {
        repeat(n, |j| if j == 0 { "#define M0 0\n".into() } else { format!("#define M{j} (M{} + 1)\n", j - 1) })
            + &kernel("x = M40;")
    }),
    ("uses of a macro", 64, |n| {
        "#define M(x, y) ((x) * 3 + (y))\n".to_owned()
            + &kernel(&repeat(n, |j| format!("a[{j}] = M(a[{j}], M(i, {j}));")))
    }),
    ("conditional lines", 128, |n| {
        repeat(n, |j| format!("#if defined(A{j}) || {j} > 5\n#define B{j} {j}\n#endif\n")) + &kernel("")
    }),
    ("comments", 1024, |n| "/* x */ // y\n".repeat(n) + &kernel("")),
    ("typedefs", 64, |n| {
        repeat(n, |j| format!("typedef int t{j};")) + &kernel(&repeat(n, |j| format!("t{j} y{j} = {j};")))
    }),
    ("enumerators", 128, |n| format!("enum {{ {} }};", list(n, |j| format!("e{j}"))) + &kernel("x = e0;")),
    ("nested scopes", 50, |n| kernel(&("{ int y = i; ".repeat(n) + &"}".repeat(n)))),
    ("declarators", 128, |n| kernel(&format!("int {};", list(n, |j| format!("v{j} = i"))))),
    ("constants within constants", 32, |n| {
        format!("constant int y = {}2; constant int z = {}2;", "!".repeat(n), "(bool)".repeat(n))
            + &kernel("x = y + z;")
    }),
    ("sums", 128, |n| kernel(&format!("x = {}0;", repeat(n, |j| format!("a[{j}] + "))))),
];

/// Most times the work for four times as much. Loops over work-items are looked at in their whole function each, in
/// tables without much else: in the square of their number at worst.
const LINEAR: f64 = 6.0;
const SQUARE: f64 = 14.0;

#[test]
fn work_grows_as_sources_do() {
    let mut text = String::new();
    let mut is_good = true;
    work(&kernel("x++;"));
    for (ways, most) in [(FLOW, LINEAR), (CALLS, LINEAR), (DATA, LINEAR), (TEXT, LINEAR), (BARRIERS, SQUARE)] {
        for (name, n, make) in ways {
            let [few, many] = [*n, 4 * n].map(|n| work(&make(n)));
            let ratio = many as f64 / few as f64;
            is_good &= ratio <= most;
            text.push_str(&format!("{name:32} {n:5} {:8} KiB  x{ratio:.1}\n", few >> 10));
        }
    }
    println!("{text}");
    assert!(is_good, "\n{text}");
}
