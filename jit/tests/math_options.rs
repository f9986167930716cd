//! The `-cl-*` options that trade precision for speed: what each permits is done, nothing else changes, and
//! `-cl-single-precision-constant` makes unsuffixed literals float. How far functions may be off: `relaxed_math.rs`.
//! Spec: OpenCL API, "Math Intrinsics Options", "Optimization Options".
#![allow(unsafe_code, reason = "runs generated code")]

#[path = "support/kernel.rs"]
mod kernel;

use clift_jit::control::CAN_FLUSH;
use clift_jit::features::has_fast_fma;
use clift_jit::{Emit, SpecKey, build};
use kernel::{Buffer, Program};

/// With these no result of the kernel changes.
const HARMLESS: [&str; 8] = [
    "-cl-no-signed-zeros",
    "-cl-fp32-correctly-rounded-divide-sqrt",
    "-cl-opt-disable",
    "-cl-strict-aliasing",
    "-cl-uniform-work-group-size",
    "-cl-no-subgroup-ifp",
    "-cl-kernel-arg-info",
    "-cl-no-signed-zeros -cl-mad-enable -g -w",
];

/// Results that these may change: of the functions and divisions of floats, of the extrema of NaN. Two of them include
/// `-cl-denorms-are-zero`.
const PERMITTED: [(&str, &[usize]); 3] = [
    ("-cl-unsafe-math-optimizations", &[3, 8, 12, 14]),
    ("-cl-finite-math-only", &[9]),
    ("-cl-fast-relaxed-math", &[3, 8, 9, 12, 14]),
];

const VALUES: [f32; 14] = [
    0.0,
    -0.0,
    1.0,
    -3.0,
    1e-40,
    -1e-45,
    f32::MIN_POSITIVE,
    f32::MAX,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
    0.1,
    16777217.0,
    2.5e-20,
];

const SOURCE: &str = "
kernel void k(global float *o, global double *d, global int *n, global const float *a, global const float *b) {
    size_t i = get_global_id(0);
    float x = a[i], y = b[i];
    double X = x, Y = y;
    global float *f = o + 16 * i;
    f[0] = x + 0.0f; f[1] = x * 0.0f; f[2] = x - x; f[3] = x / y; f[4] = 1 / x; f[5] = sqrt(x); f[6] = x * y + x;
    f[7] = (x + y) - y; f[8] = x * y / y; f[9] = fmax(x, y); f[10] = -x; f[11] = 0.0f - x; f[12] = x / 3; f[13] = mad(x, y, x);
    f[14] = exp2(x); f[15] = x * 1e-30f * 1e-10f;
    d[4 * i] = X / Y; d[4 * i + 1] = sqrt(X) * Y + X; d[4 * i + 2] = X * 1e-300 * 1e-20; d[4 * i + 3] = 0.1;
    n[4 * i] = isnan(x) | isinf(y) << 1 | (x == x) << 2 | (x != y) << 3 | signbit(x) << 4 | isnormal(y) << 5;
    n[4 * i + 1] = !(x < y); n[4 * i + 2] = sizeof(0.1);
#ifdef __FAST_RELAXED_MATH__
    n[4 * i + 3] = 1;
#endif
}";

/// Runs the kernel on all pairs.
fn run(options: &str) -> (Vec<u32>, Vec<u64>, Vec<u32>) {
    let (a, b): (Vec<f32>, Vec<f32>) = VALUES.iter().flat_map(|&x| VALUES.map(|y| (x, y))).unzip();
    let floats = |v: &[f32]| Buffer::new(&v.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<_>>());
    let (mut o, mut d, mut n) =
        (Buffer::zeroed(a.len() * 64), Buffer::zeroed(a.len() * 32), Buffer::zeroed(a.len() * 16));
    let program = Program::with_options(SOURCE, options);
    program.run("k", a.len() as u64, &mut [&mut o, &mut d, &mut n, &mut floats(&a), &mut floats(&b)]);
    (o.words(), d.long_words(), n.words())
}

#[test]
fn options_change_what_they_permit() {
    let plain = run("");
    let pairs = VALUES.len() * VALUES.len();
    for (i, y) in (0..pairs).map(|i| (i, VALUES[i % VALUES.len()])) {
        let x = VALUES[i / VALUES.len()];
        for (at, want) in [(3, x / y), (4, 1.0 / x), (5, x.sqrt()), (12, x / 3.0), (15, x * 1e-30 * 1e-10)] {
            let got = f32::from_bits(plain.0[16 * i + at]);
            assert!(got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan(), "{at} of {x:e}, {y:e}: {got:e}");
        }
    }
    let all = HARMLESS.map(|options| (options, &[][..])).into_iter().chain(PERMITTED);
    for (options, permitted) in all {
        let (o, d, mut n) = run(options);
        for i in 0..pairs {
            assert_eq!(n[4 * i + 3], u32::from(options.contains("fast-relaxed")), "{options}");
            n[4 * i + 3] = 0;
        }
        for (i, (got, want)) in o.iter().zip(&plain.0).enumerate() {
            let (x, y) = (VALUES[i / 16 / VALUES.len()], VALUES[i / 16 % VALUES.len()]);
            if permitted.contains(&(i % 16)) && (i % 16 != 9 || x.is_nan() || y.is_nan()) {
                continue;
            }
            let has_denormals = x.is_subnormal() || y.is_subnormal() || f32::from_bits(*want).is_subnormal();
            if has_denormals && permitted.len() > 1 && CAN_FLUSH {
                continue;
            }
            assert_eq!(got, want, "{options}: result {} of {x:e}, {y:e}", i % 16);
        }
        for (got, want) in d.iter().zip(&plain.1) {
            let is_flushed = permitted.len() > 1 && CAN_FLUSH && f64::from_bits(*want).is_subnormal();
            assert!(got == want || is_flushed && *got << 1 == 0, "{options}: {got:x}, not {want:x}");
        }
        assert_eq!(n, plain.2, "{options}");
    }
}

/// With `-cl-denorms-are-zero` each operation has the nearest result, or zero with its sign where that would be
/// denormal.
#[test]
fn denormals_are_zeros() {
    let single = |x: f32| if x.is_subnormal() && CAN_FLUSH { 0.0_f32.copysign(x) } else { x };
    let double = |x: f64| if x.is_subnormal() && CAN_FLUSH { 0.0_f64.copysign(x) } else { x };
    for options in ["-cl-denorms-are-zero", "-cl-denorms-are-zero -cl-no-signed-zeros -g -cl-opt-disable"] {
        let (o, d, _) = run(options);
        for (i, y) in (0..VALUES.len() * VALUES.len()).map(|i| (i, VALUES[i % VALUES.len()])) {
            let x = VALUES[i / VALUES.len()];
            let wanted = [
                (0, single(x + 0.0)),
                (1, x * 0.0),
                (2, x - x),
                (3, single(x / y)),
                (4, single(1.0 / x)),
                (7, single(single(x + y) - y)),
                (8, single(single(x * y) / y)),
                (10, -x),
                (11, single(0.0 - x)),
                (12, single(x / 3.0)),
                (15, single(single(x * 1e-30) * 1e-10)),
            ];
            for (at, want) in wanted {
                let got = f32::from_bits(o[16 * i + at]);
                let is_right = got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan();
                assert!(is_right, "{options}: result {at} of {x:e}, {y:e}: {got:e}, not {want:e}");
            }
            let [x, y] = [x, y].map(f64::from);
            for (at, want) in [(0, double(x / y)), (2, double(double(x * 1e-300) * 1e-20))] {
                let got = f64::from_bits(d[4 * i + at]);
                let is_right = got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan();
                assert!(is_right, "{options}: double {at} of {x:e}, {y:e}: {got:e}, not {want:e}");
            }
        }
    }
}

/// A product that went through a variable or a function, in one block, in vectors, with another use, under the pragma.
const PRODUCTS: &str = "
float times(float x, float y) { float p = x * y; return p; }
kernel void k(global float *o, float a, float b, float c, float8 v) {
    float p = a * b;
    o[0] = p + c;
    o[1] = c - times(a, b);
    o[2] = a * c + b;
    float q = c * b;
    o[3] = q - a;
    o[4] = q;
    float8 w = v * b;
    o[5] = (w - c).s7;
    {
        #pragma OPENCL FP_CONTRACT OFF
        float r = b * b;
        o[6] = r + c;
    }
}";

#[test]
fn products_are_fused_where_permitted() {
    let asm = |options: &str| {
        let program = build(PRODUCTS.as_bytes(), options, &[]).program.unwrap_or_else(|_| panic!("builds"));
        program.emit(0, SpecKey { small_ids: true, ..SpecKey::default() }, Emit::Kir).expect("compiles")
    };
    let fused = |options: &str| asm(options).matches("= fma").count();
    let fast = usize::from(has_fast_fma());
    assert_eq!(fused(""), fast, "only the product in an expression");
    for options in ["-cl-mad-enable", "-cl-unsafe-math-optimizations", "-cl-fast-relaxed-math"] {
        assert_eq!(fused(options), 4 * fast, "{}", asm(options));
    }
    assert_eq!(fused("-cl-finite-math-only"), fast);
}

/// Quotients by one value share its reciprocal, and by a constant are products.
#[test]
fn quotients_share_a_reciprocal_where_permitted() {
    let source = "kernel void k(global float *o, float a, float b, float c, double d) {
        o[0] = a / c; o[1] = b / c; o[2] = a / 3.0f; o[3] = d / 3.0;
    }";
    let divisions = |options: &str| {
        let program = build(source.as_bytes(), options, &[]).program.unwrap_or_else(|_| panic!("builds"));
        let kir = program.emit(0, SpecKey { small_ids: true, ..SpecKey::default() }, Emit::Kir).expect("compiles");
        kir.matches("= fdiv").count()
    };
    assert_eq!(divisions(""), 4);
    assert_eq!(divisions("-cl-unsafe-math-optimizations"), 2);
    assert_eq!(divisions("-cl-fast-relaxed-math -cl-fp32-correctly-rounded-divide-sqrt"), 4);
}

#[test]
fn single_precision_constants() {
    let (plain, single) = (run(""), run("-cl-single-precision-constant"));
    assert_eq!((plain.1[3], plain.2[2]), (0.1f64.to_bits(), 8));
    assert_eq!((single.1[3], single.2[2]), (f64::from(0.1f32).to_bits(), 4));
    // Literals with a suffix and everything that is no literal stay as they are.
    assert_eq!(plain.0, single.0);
    assert_eq!(plain.1[0], single.1[0]);
}
