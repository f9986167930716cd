//! Common, relational and geometric functions, the functions that take numbers apart, and vector loads and stores, in
//! machine code against plain Rust.
#![allow(unsafe_code, reason = "runs generated code")]

#[path = "support/kernel.rs"]
mod kernel;

use kernel::{Buffer, Program};
use std::cmp::Ordering;

const VALUES: [f64; 24] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    2.0,
    -3.25,
    1e10,
    -1e10,
    1e-10,
    0.1,
    100.0,
    1e30,
    -1e30,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    1e-40,
    -1e-310,
    f32::MAX as f64,
    f32::MIN_POSITIVE as f64,
    7.75,
    -0.1,
];

fn floats(values: &[f64]) -> Buffer {
    Buffer::new(&values.iter().flat_map(|&x| (x as f32).to_le_bytes()).collect::<Vec<_>>())
}

fn doubles(values: &[f64]) -> Buffer {
    Buffer::new(&values.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<_>>())
}

/// Every value beside every other.
fn pairs() -> (Vec<f64>, Vec<f64>) {
    VALUES.iter().flat_map(|&x| VALUES.iter().map(move |&y| (x, y))).unzip()
}

/// Evaluates `expr` over `a`, `b` and the vectors made of four neighbours.
fn eval(expr: &str, ret: &str, ty: &str, a: &[f64], b: &[f64]) -> Buffer {
    let source = format!(
        "kernel void k(global {ret} *o, global const {ty} *pa, global const {ty} *pb) {{\
         size_t i = get_global_id(0); {ty}4 a = vload4(i, pa); {ty}4 b = vload4(i, pb);\
         vstore4({expr}, i, o); }}"
    );
    let make = |values: &[f64]| if ty == "float" { floats(values) } else { doubles(values) };
    let (mut a_buffer, mut b_buffer) = (make(a), make(b));
    let mut out = Buffer::zeroed(a.len() * 8);
    Program::new(&source).run("k", (a.len() / 4) as u64, &mut [&mut out, &mut a_buffer, &mut b_buffer]);
    out
}

fn eval_float(expr: &str, a: &[f64], b: &[f64]) -> Vec<f32> {
    eval(expr, "float", "float", a, b).words()[..a.len()].iter().map(|&bits| f32::from_bits(bits)).collect()
}

fn eval_double(expr: &str, a: &[f64], b: &[f64]) -> Vec<f64> {
    eval(expr, "double", "double", a, b).long_words().iter().map(|&bits| f64::from_bits(bits)).collect()
}

#[test]
fn relational_functions() {
    let (a, b) = pairs();
    type Test = (&'static str, fn(f64, f64) -> bool);
    let compare: [Test; 9] = [
        ("isequal(a, b)", |x, y| x == y),
        ("isnotequal(a, b)", |x, y| x != y),
        ("isgreater(a, b)", |x, y| x > y),
        ("isgreaterequal(a, b)", |x, y| x >= y),
        ("isless(a, b)", |x, y| x < y),
        ("islessequal(a, b)", |x, y| x <= y),
        ("islessgreater(a, b)", |x, y| x.partial_cmp(&y).is_some_and(Ordering::is_ne)),
        ("isordered(a, b)", |x, y| !x.is_nan() && !y.is_nan()),
        ("isunordered(a, b)", |x, y| x.is_nan() || y.is_nan()),
    ];
    for (expr, want) in compare {
        let got = eval(expr, "int", "float", &a, &b).words();
        let scalars =
            "(int4)(F(a.x, b.x), F(a.y, b.y), F(a.z, b.z), F(a.w, b.w))".replace('F', &expr[..expr.len() - 6]);
        let scalar = eval(&scalars, "int", "float", &a, &b).words();
        let got_double = eval(expr, "long", "double", &a, &b).long_words();
        for at in 0..a.len() {
            let (x, y) = (a[at] as f32, b[at] as f32);
            let truth = want(f64::from(x), f64::from(y));
            assert_eq!(got[at] as i32, -i32::from(truth), "{expr} of {x:e}, {y:e}");
            assert_eq!(scalar[at], u32::from(truth), "scalar {expr} of {x:e}, {y:e}");
            assert_eq!(got_double[at] as i64, -i64::from(want(a[at], b[at])), "{expr} of {:e}, {:e}", a[at], b[at]);
        }
    }
    type Class = (&'static str, fn(f64) -> bool, fn(f32) -> bool);
    let classes: [Class; 5] = [
        ("isfinite", f64::is_finite, f32::is_finite),
        ("isinf", f64::is_infinite, f32::is_infinite),
        ("isnan", f64::is_nan, f32::is_nan),
        ("isnormal", f64::is_normal, f32::is_normal),
        ("signbit", f64::is_sign_negative, f32::is_sign_negative),
    ];
    for (name, double, float) in classes {
        let got = eval(&format!("{name}(a)"), "int", "float", &a, &b).words();
        let scalars = "(int4)(F(a.x), F(a.y), F(a.z), F(a.w))".replace('F', name);
        let scalar = eval(&scalars, "int", "float", &a, &b).words();
        let got_double = eval(&format!("{name}(a)"), "long", "double", &a, &b).long_words();
        for at in 0..a.len() {
            let truth = float(a[at] as f32);
            assert_eq!(got[at] as i32, -i32::from(truth), "{name}({:e})", a[at]);
            assert_eq!(scalar[at], u32::from(truth), "scalar {name}({:e})", a[at]);
            assert_eq!(got_double[at] as i64, -i64::from(double(a[at])), "{name}({:e})", a[at]);
        }
    }
}

#[test]
fn any_and_all_look_at_sign_bits() {
    let source = "kernel void k(global int *o, global const int *p) { size_t i = get_global_id(0);\
                  int4 v = vload4(i, p);\
                  vstore4((int4)(any(v), all(v), any(v.x), all(v.xy)), i, o); }";
    let cases: [[i32; 4]; 4] = [[1, 2, 3, 4], [-1, 2, 3, 4], [-1, i32::MIN, -3, -4], [1, -1, 0, 0]];
    let mut input = Buffer::new(&cases.as_flattened().iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<_>>());
    let mut out = Buffer::zeroed(64);
    Program::new(source).run("k", 4, &mut [&mut out, &mut input]);
    assert_eq!(out.words(), [0, 0, 0, 0, 1, 0, 1, 0, 1, 1, 1, 1, 1, 0, 0, 0]);
}

fn close(got: f64, want: f64, relative: f64) -> bool {
    got == want || (got.is_nan() && want.is_nan()) || (got - want).abs() <= relative * want.abs()
}

#[test]
fn common_functions() {
    let (a, b) = pairs();
    type Test = (&'static str, f64, fn(f64, f64) -> Option<f64>);
    fn unless_nan(x: f64, y: f64, value: f64) -> Option<f64> {
        (!x.is_nan() && !y.is_nan()).then_some(value)
    }
    let tests: [Test; 9] = [
        ("max(a, b)", 0.0, |x, y| unless_nan(x, y, x.max(y))),
        ("min(a, b)", 0.0, |x, y| unless_nan(x, y, x.min(y))),
        ("max(a, 0.5f)", 0.0, |x, _| unless_nan(x, x, x.max(0.5))),
        ("clamp(a, -1.0f, 2.0f)", 0.0, |x, _| unless_nan(x, x, x.clamp(-1.0, 2.0))),
        ("degrees(a)", 2e-7, |x, _| Some(x.to_degrees())),
        ("radians(a)", 2e-7, |x, _| (x.abs() > 1e-30 || x == 0.0).then(|| x.to_radians())),
        ("sign(a)", 0.0, |x, _| {
            Some(if x.is_nan() {
                0.0
            } else if x == 0.0 {
                x
            } else {
                x.signum()
            })
        }),
        ("step(a, b)", 0.0, |x, y| Some(if y < x { 0.0 } else { 1.0 })),
        ("smoothstep(-1.0f, 3.0f, a)", 1e-6, |x, _| {
            let t = ((x + 1.0) / 4.0).clamp(0.0, 1.0);
            unless_nan(x, x, t * t * (3.0 - 2.0 * t))
        }),
    ];
    for (expr, relative, want) in tests {
        let got = eval_float(expr, &a, &b);
        let double = eval_double(&expr.replace('f', ""), &a, &b);
        for at in 0..a.len() {
            let (x, y) = (f64::from(a[at] as f32), f64::from(b[at] as f32));
            if let Some(want) = want(x, y) {
                assert!(
                    close(f64::from(got[at]), f64::from(want as f32), relative),
                    "{expr} of {x:e}, {y:e}: {}",
                    got[at]
                );
            }
            if let Some(want) = want(a[at], b[at]) {
                let (x, y) = (a[at], b[at]);
                assert!(close(double[at], want, relative * 1e-8), "{expr} of {x:e}, {y:e}: {}", double[at]);
            }
        }
    }
    let got = eval_float("mix(a, b, 0.25f)", &[1.0, 2.0, -4.0, 8.0], &[3.0, 2.0, 4.0, 0.0]);
    assert_eq!(got, [1.5, 2.0, -2.0, 6.0]);
}

#[test]
fn geometric_functions() {
    // Vectors of moderate, huge and tiny length; with an infinity; zero.
    let a = [
        [1.0, 2.0, -3.0, 4.0],
        [1e30, -2e30, 1e29, 3e30],
        [1e-30, 2e-30, -1e-30, 0.0],
        [f64::INFINITY, 1.0, -2.0, 0.0],
        [0.0, 0.0, -0.0, 0.0],
        [0.1, 0.2, 0.3, 0.4],
    ];
    let b = [
        [4.0, -5.0, 6.0, 0.5],
        [1.0, 2.0, 3.0, 4.0],
        [1.0, 1.0, 1.0, 1.0],
        [1.0, 0.0, 0.0, 0.0],
        [3.0, 4.0, 0.0, 12.0],
        [0.5, 0.25, -1.0, 2.0],
    ];
    let (fa, fb) = (a.as_flattened(), b.as_flattened());
    let round = |v: &[f64; 4]| v.map(|x| f64::from(x as f32));
    let length = |v: &[f64]| {
        let m = v.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        if m == 0.0 || m.is_infinite() { m } else { m * v.iter().map(|x| (x / m) * (x / m)).sum::<f64>().sqrt() }
    };
    // One expression gives the widths 1 to 4.
    let by_width = |f: &str, two: bool| {
        let call =
            |swizzle: &str| if two { format!("{f}(a{swizzle}, b{swizzle})") } else { format!("{f}(a{swizzle})") };
        let scalar = if two { format!("{f}(a.x, b.x)") } else { format!("{f}(a.x)") };
        format!("(FLOAT4)({scalar}, {}, {}, {})", call(".xy"), call(".xyz"), call(""))
    };
    for (name, relative, two) in [("dot", 1e-6, true), ("length", 2e-7, false), ("distance", 3e-7, true)] {
        let got = eval_float(&by_width(name, two).replace("FLOAT4", "float4"), fa, fb);
        let double = eval_double(&by_width(name, two).replace("FLOAT4", "double4"), fa, fb);
        for row in 0..a.len() {
            for width in 1..=4 {
                let want = |x: &[f64; 4], y: &[f64; 4]| match name {
                    "dot" => (0..width).map(|n| x[n] * y[n]).sum::<f64>(),
                    "length" => length(&x[..width]),
                    _ => length(&(0..width).map(|n| x[n] - y[n]).collect::<Vec<_>>()),
                };
                let (float, want_float) = (got[row * 4 + width - 1], want(&round(&a[row]), &round(&b[row])));
                assert!(
                    close(f64::from(float), f64::from(want_float as f32), relative),
                    "{name}, {row}, {width}: {float}"
                );
                let (value, want) = (double[row * 4 + width - 1], want(&a[row], &b[row]));
                assert!(close(value, want, relative * 1e-8), "{name} of double, {row}, {width}: {value}, want {want}");
            }
        }
    }
    let got = eval_float("normalize(a)", fa, fb);
    let double = eval_double("normalize(a)", fa, fb);
    for row in 0..a.len() {
        for n in 0..4 {
            let want = match row {
                3 => [1.0, 0.0, -0.0, 0.0][n],
                4 => a[4][n],
                _ => a[row][n] / length(&a[row]),
            };
            let value = got[row * 4 + n];
            assert!(
                close(f64::from(value), want, 3e-7) && value.is_sign_negative() == want.is_sign_negative(),
                "{row} {n}"
            );
            assert!(close(double[row * 4 + n], want, 1e-15), "normalize of double, {row} {n}");
        }
    }
    // Components of a long vector that are small beside the others keep their digits.
    let far = [3.35e153, 1.90281e90, -1.23456789e-132, 7.71265e-30, -1e300, 1e300, 1e-5, 1e300];
    let double = eval_double("normalize(a)", &far, &far);
    for (v, got) in far.chunks(4).zip(double.chunks(4)) {
        let scaled: Vec<f64> = v.iter().map(|x| x * 2f64.powi(-400)).collect();
        let length = length(&scaled);
        for n in 0..4 {
            assert!(close(got[n], v[n] / length * 2f64.powi(-400), 1e-15), "normalize of {v:?}: {got:?}");
        }
    }
    let cross = eval_float("cross(a, b)", fa, fb);
    assert_eq!(&cross[..4], [2.0 * 6.0 - 15.0, -12.0 - 6.0, -5.0 - 8.0, 0.0]);
    let cross3 = eval_double("(double4)(cross(a.xyz, b.xyz), 7.0)", fa, fb);
    assert_eq!(&cross3[..4], [-3.0, -18.0, -13.0, 7.0]);
    let fast = eval_float("(float4)(fast_length(b), fast_distance(b, b), fast_normalize(b.xy))", fa, fb);
    assert_eq!(&fast[16..20], [13.0, 0.0, 0.6, 0.8]);
}

#[test]
fn results_through_pointers() {
    let source = "kernel void k(global float *o, global int *n, global const float *p) { size_t i = get_global_id(0);\
        float4 v = vload4(i, p); float4 w; int4 e; local float4 l; global float *out = o + 32 * i;\
        vstore4(fract(v, &w), 0, out); vstore4(w, 1, out);\
        vstore4(modf(v, &l), 2, out); vstore4(l, 3, out);\
        vstore4(frexp(v, &e), 4, out); vstore4(e, 0, n + 16 * i);\
        vstore4(remquo(v, (float4)(3.0f), &e), 5, out); vstore4(e, 1, n + 16 * i);\
        vstore4(sincos(v, &w), 6, out); vstore4(w, 7, out);\
        vstore4(ilogb(v), 2, n + 16 * i);\
        float s; int f; n[16 * i + 12] = (int)frexp(v.x, n + 16 * i + 13); lgamma_r(v.y, &f); n[16 * i + 14] = f; }";
    let values = [1.75, -2.5, 0.0, 100.25, f64::from(f32::MIN_POSITIVE) / 8.0, -1e-30, 1e30, -7.0];
    let mut input = floats(&values);
    let mut out = Buffer::zeroed(2 * 32 * 4);
    let mut ints = Buffer::zeroed(2 * 16 * 4);
    Program::new(source).run("k", 2, &mut [&mut out, &mut ints, &mut input]);
    let (out, ints) = (out.words(), ints.words());
    for (at, &x) in values.iter().enumerate() {
        let x = x as f32;
        let get = |which: usize| f32::from_bits(out[at / 4 * 32 + which * 4 + at % 4]);
        let int = |which: usize| ints[at / 4 * 16 + which * 4 + at % 4] as i32;
        let fract = (x - x.floor()).min(1.0 - f32::EPSILON / 2.0);
        assert_eq!((get(0), get(1)), (fract, x.floor()), "fract({x:e})");
        assert_eq!((get(2), get(3)), (x.fract(), x.trunc()), "modf({x:e})");
        let exponent = if x == 0.0 { 0 } else { f64::from(x).abs().log2().floor() as i32 + 1 };
        assert_eq!(int(0), exponent, "frexp({x:e})");
        assert_eq!(f64::from(get(4)) * 2f64.powi(exponent), f64::from(x), "frexp({x:e})");
        assert_eq!(int(2), if x == 0.0 { i32::MIN } else { exponent - 1 }, "ilogb({x:e})");
        if x.abs() < 1000.0 {
            let quotient = (f64::from(x) / 3.0).round_ties_even();
            assert_eq!((f64::from(get(5)), int(1)), (f64::from(x) - 3.0 * quotient, quotient as i32), "remquo({x:e})");
            assert!((get(6) - x.sin()).abs() < 1e-6 && (get(7) - x.cos()).abs() < 1e-6, "sincos({x:e})");
        }
    }
    assert_eq!([ints[13], ints[14], ints[16 + 14]], [1, u32::MAX, u32::MAX]);
}

#[test]
fn powers_with_integer_exponents() {
    let source = "kernel void k(global float *o, global const float *p) { size_t i = get_global_id(0);\
        float2 v = vload2(i, p);\
        vstore2(pown(v, (int2)(3, -2)), 0, o + 8 * i); vstore2(rootn(v, (int2)(3, 2)), 1, o + 8 * i);\
        vstore2(ldexp(v, (int2)(4, -150)), 2, o + 8 * i); vstore2(ldexp(v, 1), 3, o + 8 * i); }";
    let mut input = floats(&[-8.0, 4.0, 27.0, 0.25]);
    let mut out = Buffer::zeroed(64);
    Program::new(source).run("k", 2, &mut [&mut out, &mut input]);
    let got: Vec<f32> = out.words().into_iter().map(f32::from_bits).collect();
    let tiny = |x: f64| (x * 2f64.powi(-150)) as f32;
    assert_eq!(got[..8], [-512.0, 0.0625, -2.0, 2.0, -128.0, tiny(4.0), -16.0, 8.0]);
    assert_eq!(got[8..], [19683.0, 16.0, 3.0, 0.5, 432.0, tiny(0.25), 54.0, 0.5]);
}

#[test]
fn shuffles_take_indices_modulo_the_length() {
    let source = "kernel void k(global uint *o, global const uint *p) {\
        uint4 a = vload4(0, p); uint4 b = vload4(1, p); uint8 m = vload8(1, p);\
        vstore8(shuffle(a, m), 0, o); vstore8(shuffle2(a, b, m), 1, o); }";
    let words: Vec<u32> = vec![10, 11, 12, 13, 20, 21, 22, 23, 0, 3, 4, 7, 8, 13, 2, 255];
    let mut input = Buffer::new(&words.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<_>>());
    let mut out = Buffer::zeroed(64);
    Program::new(source).run("k", 1, &mut [&mut out, &mut input]);
    assert_eq!(out.words()[..8], [10, 13, 10, 13, 10, 11, 12, 13]);
    assert_eq!(out.words()[8..], [10, 13, 20, 23, 10, 21, 12, 23]);
}

#[test]
fn half_loads_and_stores_round_as_named() {
    let source = "kernel void k(global ushort *o, global float *back, global const float *p) {\
        float4 v = vload4(0, p); global half *h = (global half *)o;\
        vstore_half4(v, 0, h); vstore_half4_rtz(v, 1, h); vstore_half4_rtp(v, 2, h); vstore_half4_rtn(v, 3, h);\
        vstorea_half3(v.xyz, 4, h); vstore_half(v.x, 20, h);\
        vstore4(vload_half4(0, h), 0, back); back[4] = vload_half(20, h); }";
    let mut input = floats(&[1.0 + 2f64.powi(-11), -1.0 - 2f64.powi(-12), 65519.9, 2f64.powi(-25)]);
    let (mut out, mut back) = (Buffer::zeroed(48), Buffer::zeroed(20));
    Program::new(source).run("k", 1, &mut [&mut out, &mut back, &mut input]);
    let got: Vec<u16> = out.bytes().chunks_exact(2).map(|c| u16::from_le_bytes([c[0], c[1]])).collect();
    assert_eq!(got[..4], [0x3c00, 0xbc00, 0x7bff, 0]);
    assert_eq!(got[4..8], [0x3c00, 0xbc00, 0x7bff, 0]);
    assert_eq!(got[8..12], [0x3c01, 0xbc00, 0x7c00, 1]);
    assert_eq!(got[12..16], [0x3c00, 0xbc01, 0x7bff, 0]);
    assert_eq!(got[16..21], [0x3c00, 0xbc00, 0x7bff, 0, 0x3c00]);
    let back: Vec<f32> = back.words().into_iter().map(f32::from_bits).collect();
    assert_eq!(back, [1.0, -1.0, 65504.0, 0.0, 1.0]);
}
