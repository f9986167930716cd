//! Speed of the front end's first stages: source bytes per second, and what a build costs before its first token.
//! `cargo bench -p clift-jit --bench frontend`; compare with a saved baseline by criterion's `--baseline`.

use clift_jit::pp::Preprocessor;
use clift_jit::session::Session;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use std::fmt::Write;
use std::hint::black_box;

/// Plain code, as generators write it.
fn plain(n_kernels: usize) -> String {
    let mut source = String::new();
    for i in 0..n_kernels {
        write!(
            source,
            "// Kernel number {i}.\n__kernel void saxpy_{i}(__global const float *x, __global float *restrict y, float a)\n{{\n    \
             const size_t gid = get_global_id(0);\n    if (gid >= {i}u) return;\n    /* a comment of some length */\n    \
             y[gid] = fma(a, x[gid], y[gid]) * 1.5e-3f + (float)(gid & 0xffu) / {i}.25f;\n}}\n\n"
        )
        .unwrap();
    }
    source
}

/// Code that is mostly macros.
fn macros(n_uses: usize) -> String {
    let mut source = String::from(
        "#define MIN(a, b) ((a) < (b) ? (a) : (b))\n#define CAT(a, b) a##b\n#define STEP(x, i) \\\n    x += MIN(x, CAT(v, i)); \\\n    \
         x ^= (x << 13) | (i)\n#define TWO(x) STEP(x, 1); STEP(x, 2)\n",
    );
    for _ in 0..n_uses {
        source.push_str("    TWO(state); y = MIN(MIN(state, INT_MAX), M_PI_F);\n");
    }
    source
}

fn preprocess(c: &mut Criterion) {
    let mut group = c.benchmark_group("pp");
    for (name, source) in [("plain", plain(3000)), ("macros", macros(10_000)), ("plain-10x", plain(30_000))] {
        group.throughput(Throughput::Bytes(source.len() as u64));
        group.bench_with_input(BenchmarkId::from_parameter(name), &source, |b, source| {
            b.iter(|| {
                let mut session = Session::new("");
                let tokens = Preprocessor::new(&mut session, black_box(source.as_bytes()), &[]).tokens();
                assert!(!session.diags.has_errors());
                tokens.len()
            });
        });
    }
    group.finish();
    c.bench_function("pp/empty-program", |b| {
        b.iter(|| {
            let mut session = Session::new(black_box(""));
            Preprocessor::new(&mut session, b"kernel void f() {}", &[]).tokens().len()
        });
    });
}

criterion_group!(benches, preprocess);
criterion_main!(benches);
