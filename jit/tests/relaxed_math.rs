//! Functions of less precision: `native_` and `half_` ones, and what `-cl-fast-relaxed-math` makes of the others, in
//! machine code against the host's library in double, within the limits of the specification: OpenCL C, "Relative Error
//! as ULPs", "ULP Values for Single-Precision Built-in Math Functions With Unsafe Math Optimizations". Every 2003rd
//! float where a function is defined; all vector widths give the bits of the scalar.
#![allow(unsafe_code, reason = "calls the host's math library and generated code")]

#[path = "support/kernel.rs"]
mod kernel;
#[path = "support/reference_math.rs"]
mod reference_math;

use clift_jit::SpecKey;
use kernel::{Buffer, Program};
use reference_math::{exp10, float_ulps};
use std::f64::consts::PI;

/// How far a result may be off.
#[derive(Clone, Copy)]
enum Limit {
    /// In ulp.
    Ulps(f64),
    /// In ulp, 2 for each unit of the argument more.
    Growing(f64),
    /// Absolute in [-pi, pi]; anything in [-1, 1] elsewhere.
    Sine(f64),
    /// Absolute in [1/2, 2], elsewhere in ulp.
    Log(f64, f64),
}
use Limit::{Growing, Log, Sine, Ulps};

/// A function of one argument: its name, the range of sizes of its arguments, whether these may be negative.
struct Unary(&'static str, [f32; 2], bool, Limit, fn(f64) -> f64);

const ALL: [f32; 2] = [f32::MIN_POSITIVE, f32::MAX];
const SPECIFIED_ABSOLUTE: f64 = 1.0 / 2048.0;
const SPECIFIED_LOG: Limit = Log(1.0 / 2_097_152.0, 3.0);
const HALF: Limit = Ulps(8192.0);

const RELAXED: &[Unary] = &[
    Unary("exp", ALL, true, Growing(3.0), f64::exp),
    Unary("exp2", ALL, true, Growing(3.0), f64::exp2),
    Unary("exp10", ALL, true, HALF, |x| exp10(x)),
    Unary("log", ALL, false, SPECIFIED_LOG, f64::ln),
    Unary("log2", ALL, false, SPECIFIED_LOG, f64::log2),
    Unary("log10", ALL, false, SPECIFIED_LOG, f64::log10),
    Unary("sin", ALL, true, Sine(SPECIFIED_ABSOLUTE), f64::sin),
    Unary("cos", ALL, true, Sine(SPECIFIED_ABSOLUTE), f64::cos),
    Unary("tan", ALL, true, HALF, f64::tan),
    Unary("rsqrt", ALL, false, Ulps(2.0), |x| 1.0 / x.sqrt()),
    Unary("sqrt", ALL, false, Ulps(0.5), f64::sqrt),
    Unary("1.0f / ", [f32::MIN_POSITIVE, 8.507_059e37], true, Ulps(2.5), |x| 1.0 / x),
];

/// The range of sines and cosines: 2^16.
const NEAR: [f32; 2] = [f32::MIN_POSITIVE, 65536.0];

/// What the headers of the bodies promise, at most what `half_` functions may.
const NATIVE: &[Unary] = &[
    Unary("native_rsqrt", ALL, false, Ulps(1.5), |x| 1.0 / x.sqrt()),
    Unary("native_sqrt", ALL, false, Ulps(0.5), f64::sqrt),
    Unary("half_rsqrt", ALL, false, HALF, |x| 1.0 / x.sqrt()),
    Unary("half_sqrt", ALL, false, HALF, f64::sqrt),
    Unary("half_recip", ALL, true, HALF, |x| 1.0 / x),
    Unary("native_recip", ALL, true, HALF, |x| 1.0 / x),
    Unary("half_exp", ALL, true, HALF, f64::exp),
    Unary("half_log2", ALL, false, HALF, f64::log2),
    Unary("half_sin", NEAR, true, Ulps(3.0), f64::sin),
    Unary("half_cos", NEAR, true, Ulps(3.0), f64::cos),
    Unary("half_tan", NEAR, true, HALF, f64::tan),
    Unary("native_tan", NEAR, true, HALF, f64::tan),
];

fn run(program: &Program, kernel: &str, arguments: &[&[f32]]) -> Vec<u32> {
    let bytes = |column: &[f32]| Buffer::new(&column.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<_>>());
    let out = Buffer::zeroed(4 * arguments[0].len());
    let columns: Vec<Buffer> = arguments.iter().map(|column| bytes(column)).collect();
    let words: Vec<u64> = [&out].into_iter().chain(&columns).map(Buffer::address).collect();
    let key = SpecKey { small_ids: true, ..SpecKey::default() };
    program.run_as(kernel, key, [(arguments[0].len() / GROUP) as u64, GROUP as u64], &words);
    out.words()
}

const GROUP: usize = 64;

/// Scalar code of a call in groups; the same call on vectors.
fn program(call: &str, second: bool, options: &str) -> Program {
    let b = if second { ", global const float *b" } else { "" };
    Program::with_options(
        &format!(
            "#define WHOLE convert_int
            kernel void one(global float *o, global const float *a{b}) {{
                size_t i = get_global_id(0);
                float x = a[i], y = {}; (void)y;
                o[i] = {call};
            }}
            #undef WHOLE
            #define WHOLE convert_int4
            kernel void four(global float *o, global const float *a{b}) {{
                size_t i = get_global_id(0);
                if (i & 3) return;
                float4 x = vload4(i / 4, a), y = {}; (void)y;
                vstore4({call}, i / 4, o);
            }}",
            if second { "b[i]" } else { "0" },
            if second { "vload4(i / 4, b)" } else { "0" }
        ),
        options,
    )
}

fn check(functions: &[Unary], options: &str) {
    for Unary(name, [least, most], signed, limit, of) in functions {
        let sizes = (least.to_bits()..=most.to_bits()).step_by(2003).chain([1f32, 0.5, 2.0, 3.0].map(f32::to_bits));
        let mut arguments: Vec<f32> =
            sizes.flat_map(|bits| [bits, if *signed { bits | 1 << 31 } else { bits }]).map(f32::from_bits).collect();
        arguments.resize(arguments.len().next_multiple_of(GROUP), 1.0);
        let program = program(&format!("{name}(x)"), false, options);
        let got = run(&program, "one", &[&arguments]);
        assert!(got == run(&program, "four", &[&arguments]), "{name} of vectors");
        let mut worst = (0.0, 0.0);
        for (&x, &bits) in arguments.iter().zip(&got) {
            let (got, x) = (f32::from_bits(bits), f64::from(x));
            let want = of(x);
            let (ulps, off) = (float_ulps(got, want), (f64::from(got) - want).abs());
            let is_right = match *limit {
                Ulps(limit) => ulps <= limit,
                Growing(limit) => ulps <= limit + (2.0 * x.abs()).floor(),
                Sine(limit) if x.abs() <= PI => off <= limit,
                Sine(_) => got.abs() <= 1.0001,
                Log(limit, _) if (0.5..=2.0).contains(&x) => off <= limit,
                Log(_, limit) => ulps <= limit,
            };
            assert!(is_right, "{options} {name}({x:e}): {got:e}, wanted {want:e}: {ulps} ulp, {off:e}");
            if ulps > worst.0 {
                worst = (ulps, x);
            }
        }
        println!("{options} {name}: {:.2} ulp at {:e}", worst.0, worst.1);
    }
}

#[test]
fn relaxed_functions_are_within_the_limits() {
    check(RELAXED, "-cl-fast-relaxed-math");
    check(RELAXED, "-cl-unsafe-math-optimizations");
}

#[test]
fn native_and_half_functions_are_within_the_limits() {
    check(NATIVE, "");
}

#[test]
fn powers_and_quotients_are_within_the_limits() {
    let mut state = 1u64;
    let mut random = || {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (state >> 33) as u32
    };
    let n = 1 << 18;
    // Bases of all sizes and near 1, exponents that keep the power a normal number.
    let mut bases = Vec::new();
    let mut exponents = Vec::new();
    for i in 0..n {
        let bits = if i % 2 == 0 { 0x0080_0000 + random() % 0x7e80_0000 } else { 0x3f00_0000 + random() % 0x0100_0000 };
        let x = f32::from_bits(bits);
        let log = f64::from(x).log2();
        let most = if log == 0.0 { 1e6 } else { (125.0 / log).abs().min(1e7) };
        bases.push(x);
        exponents.push((most * (f64::from(random()) / f64::from(1u32 << 30) - 1.0)) as f32);
    }
    let cases = [
        ("", "half_powr(x, y)"),
        ("", "native_powr(x, y)"),
        ("-cl-unsafe-math-optimizations", "pow(x, y)"),
        ("-cl-fast-relaxed-math", "powr(x, y)"),
        ("-cl-fast-relaxed-math", "pown(x, WHOLE(y))"),
    ];
    for (options, call) in cases {
        let is_whole = call.contains("WHOLE");
        let program = program(call, true, options);
        let got = run(&program, "one", &[&bases, &exponents]);
        assert!(got == run(&program, "four", &[&bases, &exponents]), "{call} of vectors");
        let mut worst = 0f64;
        for ((&x, &y), &bits) in bases.iter().zip(&exponents).zip(&got) {
            let y = if is_whole { y.trunc() } else { y };
            let ulps = float_ulps(f32::from_bits(bits), f64::from(x).powf(f64::from(y)));
            assert!(ulps <= 8192.0, "{options} {call} of {x:e}, {y:e}: {ulps} ulp");
            worst = worst.max(ulps);
        }
        println!("{options} {call}: {worst:.1} ulp");
    }
    let within = |random: u32| f32::from_bits(0x2080_0000 + random % 0x3e00_0000);
    let (x, y): (Vec<f32>, Vec<f32>) = (0..n).map(|_| (within(random()), within(random()))).unzip();
    let exact = "-cl-fp32-correctly-rounded-divide-sqrt -cl-fast-relaxed-math";
    let cases = [("", "x / y", 0.0), (exact, "x / y", 0.0), ("-cl-unsafe-math-optimizations", "x / y", 2.5)];
    let functions = [("", "native_divide(x, y)", 1.5), ("", "half_divide(x, y)", 0.0)];
    for (options, call, limit) in cases.into_iter().chain(functions) {
        let got = run(&program(call, true, options), "one", &[&x, &y]);
        for ((&x, &y), &bits) in x.iter().zip(&y).zip(&got) {
            let ulps = float_ulps(f32::from_bits(bits), f64::from(x) / f64::from(y));
            assert!(ulps <= limit, "{options} {call} of {x:e} and {y:e}: {ulps} ulp");
        }
    }
}

/// Zeros, infinities, NaN and subnormal numbers where a program may rely on them.
#[test]
fn special_arguments() {
    let inf = f32::INFINITY;
    let cases: &[(&str, f32, f32)] = &[
        ("exp(x)", -inf, 0.0),
        ("exp(x)", -1000.0, 0.0),
        ("exp(x)", 1000.0, inf),
        ("native_exp(x)", -1000.0, 0.0),
        ("native_exp2(x)", 1000.0, inf),
        ("1.0f / (1.0f + exp(x))", 1000.0, 0.0),
        ("native_recip(1.0f + native_exp(x))", 1000.0, 0.0),
        ("log(x)", 0.0, -inf),
        ("native_log2(x)", inf, inf),
        ("half_log(x)", 1e-40, -92.103_4),
        ("half_log(x)", -1.0, f32::NAN),
        ("sin(x)", -0.0, -0.0),
        ("half_sin(x)", 0.0, 0.0),
        ("native_sqrt(x)", 0.0, 0.0),
        ("native_sqrt(x)", inf, inf),
        ("x * native_rsqrt(x)", 0.0, 0.0),
        ("clamp(native_rsqrt(x) * 1e19f, 1.0f, 2.0f)", inf, 1.0),
        ("half_rsqrt(x)", 0.0, inf),
        ("rsqrt(x)", inf, 0.0),
        ("pow(x, 3.0f)", -2.0, -8.0),
        ("pow(x, 0.5f)", 0.0, 0.0),
        ("pown(x, 3)", -2.0, -8.0),
        ("pown(x, -2)", 0.0, inf),
        ("pown(x, -1)", -inf, -0.0),
        ("pown(x, 0)", f32::NAN, 1.0),
        ("pown(x, 3)", 1e-41, 0.0),
        ("half_powr(x, 2.0f)", 0.0, 0.0),
    ];
    for options in ["", "-cl-fast-relaxed-math"] {
        for &(call, x, want) in cases {
            let got = f32::from_bits(run(&program(call, false, options), "one", &[&[x; GROUP]])[0]);
            let close = float_ulps(got, f64::from(want)) <= 64.0 && got.is_sign_negative() == want.is_sign_negative();
            assert!(close || got.is_nan() && want.is_nan(), "{options} {call} of {x:e}: {got:e}, wanted {want:e}");
        }
    }
}
