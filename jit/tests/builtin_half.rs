//! Half arithmetic and functions in machine code, against exact arithmetic and the host's double functions: every bit
//! pattern for functions of one argument, special values and random pairs for those of two, every vector width against
//! the scalar. A function computed in float and rounded once is off by hardly more than half an ulp. Spec: OpenCL C,
//! "Relative Error as ULPs", table of half-precision operations. Conversions from types of 16 bits, on all values, to
//! every type in every rounding mode.
#![allow(unsafe_code, reason = "calls the host's math library and generated code")]

#[path = "support/kernel.rs"]
mod kernel;

#[path = "support/reference_math.rs"]
mod reference_math;
#[path = "support/rng.rs"]
mod rng;

use clift_jit::SpecKey;
use half::f16;
use kernel::{Buffer, Program};
use reference_math::{UNARY, fdim, frexp, lgamma, logb, maxmag, minmag, remainder, remquo};
use rng::Rng;
use std::f64::consts::PI;

const WIDTHS: [usize; 6] = [1, 2, 3, 4, 8, 16];
/// A multiple of every width.
const STEP: usize = 48;

/// The function's error in ulp: exact, or through float.
const EXACT: f64 = 0.0;
const ROUNDED: f64 = 0.501;

fn value(bits: u16) -> f64 {
    f16::from_bits(bits).to_f64()
}

/// The nearest half, ties to even; in steps that are exact.
fn round(x: f64) -> u16 {
    if !x.is_finite() || x == 0.0 {
        return f16::from_f64(x).to_bits();
    }
    let exponent = ((x.to_bits() >> 52 & 0x7ff) as i32 - 1023).max(-14);
    let unit = 2f64.powi(exponent - 10);
    let rounded = (x / unit).round_ties_even() * unit;
    f16::from_f64(if rounded.abs() > 65504.0 { f64::INFINITY.copysign(x) } else { rounded.abs().copysign(x) }).to_bits()
}

fn same(a: u16, b: u16) -> bool {
    a == b || (value(a).is_nan() && value(b).is_nan())
}

/// Distance in units of the last place of `want`; infinity counts as 2^16.
fn ulps(got: f64, want: f64) -> f64 {
    if got.is_nan() || want.is_nan() {
        return if got.is_nan() && want.is_nan() { 0.0 } else { f64::INFINITY };
    }
    let finite = |x: f64| x.clamp(-65536.0, 65536.0);
    let exponent = if want == 0.0 { -14 } else { (logb(want) as i32).clamp(-14, 15) };
    (finite(got) - finite(want)).abs() / 2f64.powi(exponent - 10)
}

/// Every bit pattern, and a few again to make a multiple of `STEP`.
fn every() -> Vec<u16> {
    (0..0x10000usize.next_multiple_of(STEP)).map(|n| n as u16).collect()
}

/// Numbers around which something changes.
const CORNERS: &[u16] = &[
    0x0000, 0x0001, 0x0002, 0x0003, 0x03fe, 0x03ff, 0x0400, 0x0401, 0x07ff, 0x0800, 0x13ff, 0x2000, 0x37ff, 0x3800,
    0x3801, 0x3bff, 0x3c00, 0x3c01, 0x3e00, 0x3e48, 0x4000, 0x4200, 0x4248, 0x4500, 0x4b80, 0x5bff, 0x63d0, 0x6400,
    0x6401, 0x6800, 0x77ff, 0x7800, 0x7bfe, 0x7bff, 0x7c00, 0x7e00,
];

/// Every corner of both signs beside every other, then random pairs, half of them of similar size.
fn pairs(len: usize) -> [Vec<u16>; 2] {
    let corners: Vec<u16> = CORNERS.iter().flat_map(|&x| [x, x | 0x8000]).collect();
    let mut rng = Rng(0x9e37_79b9_7f4a_7c15);
    let [mut a, mut b] = [Vec::new(), Vec::new()];
    for n in 0..len.next_multiple_of(STEP) {
        let bits = rng.next();
        let (x, y) = match corners.get(n / corners.len()) {
            Some(&x) => (x, corners[n % corners.len()]),
            None if n % 2 == 0 => (bits as u16, (bits >> 16) as u16),
            None => {
                (bits as u16, (bits as u16 ^ 0x8000 & (bits >> 17) as u16).wrapping_add((bits >> 32) as u16 % 0x2000))
            }
        };
        a.push(x);
        b.push(y);
    }
    [a, b]
}

fn half_buffer(values: &[u16]) -> Buffer {
    Buffer::new(&values.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<_>>())
}

fn int_buffer(values: &[i32]) -> Buffer {
    Buffer::new(&values.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<_>>())
}

fn halves(buffer: &Buffer) -> Vec<u16> {
    buffer.bytes().chunks_exact(2).map(|c| u16::from_le_bytes([c[0], c[1]])).collect()
}

/// An argument's column.
enum Column<'a> {
    Half(&'a [u16]),
    Int(&'a [i32]),
}

/// Runs `call` (of `a`, `b`, `c`, vectors of one width) for every width; the scalar's results, and what it left in `e`,
/// a half or an int beside each result. `CODE(x)` is the bits of x, `TRUTH(x)` 0 or 1 for what a comparison gives.
fn run(call: &str, second: &str, columns: &[Column]) -> (Vec<u16>, Vec<u8>) {
    let mut source = String::new();
    let names = ["a", "b", "c"];
    for width in WIDTHS {
        let n = if width == 1 { String::new() } else { width.to_string() };
        let mut params = String::new();
        let mut body = format!("{second}{n} e = 0; ");
        for (column, name) in columns.iter().zip(names) {
            let ty = if matches!(column, Column::Half(_)) { "half" } else { "int" };
            params += &format!(", global const {ty} *p{name}");
            body += &match width {
                1 => format!("{ty} {name} = p{name}[i]; "),
                _ => format!("{ty}{n} {name} = vload{n}(i, p{name}); "),
            };
        }
        body += &match width {
            1 => format!("o[i] = {call}; q[i] = e;"),
            _ => format!("vstore{n}({call}, i, o); vstore{n}(e, i, q);"),
        };
        source += &format!(
            "#define CODE(x) as_ushort{n}(x)\n#define TRUTH(x) {}\n\
             kernel void k{width}(global half *o, global {second} *q{params}) {{ size_t i = get_global_id(0); {body} }}\n\
             #undef CODE\n#undef TRUTH\n",
            if width == 1 { "(x)".into() } else { format!("convert_int{n}(-(x))") },
        );
    }
    let program = Program::new(&source);
    let mut inputs: Vec<Buffer> = columns
        .iter()
        .map(|column| match column {
            Column::Half(values) => half_buffer(values),
            Column::Int(values) => int_buffer(values),
        })
        .collect();
    let len = match &columns[0] {
        Column::Half(values) => values.len(),
        Column::Int(values) => values.len(),
    };
    let mut first = None;
    for width in WIDTHS {
        let mut out = Buffer::zeroed(2 * len);
        let mut beside = Buffer::zeroed(len * if second == "int" { 4 } else { 2 });
        let mut buffers = vec![&mut out, &mut beside];
        buffers.extend(inputs.iter_mut());
        program.run(&format!("k{width}"), (len / width) as u64, &mut buffers);
        let got = (halves(&out), beside.bytes());
        match &first {
            None => first = Some(got),
            Some(first) => {
                let differs = first.0.iter().zip(&got.0).position(|(&a, &b)| !same(a, b));
                let pair = differs.map(|i| (i, first.0[i], got.0[i]));
                assert!(pair.is_none(), "{call}: width {width} differs from the scalar: {pair:x?}");
                // Which NaN comes out depends on the processor's conversions of signalling ones.
                let beside = |bytes: &[u8]| bytes.chunks_exact(2).map(|c| u16::from_le_bytes([c[0], c[1]])).collect();
                let [one, other]: [Vec<u16>; 2] = [beside(&first.1), beside(&got.1)];
                let alike = |(&a, &b): (&u16, &u16)| if second == "half" { same(a, b) } else { a == b };
                assert!(one.iter().zip(&other).all(alike), "{call}: width {width} leaves something else in `e`");
            }
        }
    }
    first.expect("there are widths")
}

fn apply(call: &str, columns: &[Column]) -> Vec<u16> {
    run(call, "half", columns).0
}

/// Fails where a result is off by more than the limit; what it is off in ulp, 0 if it is the nearest half.
fn judge(name: &str, x: &[f64], got: u16, want: f64, limit: f64) -> f64 {
    let number = value(got);
    if limit == EXACT {
        let expected = round(want);
        assert!(same(got, expected), "{name} at {x:?}: got {number:e}, want {want:e}");
        return 0.0;
    }
    // An inexact result that rounds correctly may lie half an ulp beyond the largest number.
    let error = if same(got, round(want)) { 0.0 } else { ulps(number, want) };
    assert!(error <= limit, "{name} at {x:?}: got {number:e}, want {want:e}, {error:.4} ulp");
    let zeros = number == 0.0 && want == 0.0;
    assert!(!zeros || number.is_sign_negative() == want.is_sign_negative(), "{name} at {x:?}: sign of 0");
    error
}

/// Prints the largest error of a function; of one that is rounded at least that of rounding.
fn report(name: &str, limit: f64, errors: impl Iterator<Item = f64>) {
    println!("{name} of half: {:.4} ulp at most", errors.fold(limit.min(0.5), f64::max));
}

type Binary = fn(f64, f64) -> f64;

#[test]
fn functions_of_one_argument_on_every_half() {
    let args = every();
    let lgamma: fn(f64) -> f64 = |x| lgamma(x);
    let functions = UNARY.iter().map(|f| {
        let limit = if f.exact {
            EXACT
        } else if f.name == "sqrt" {
            0.5
        } else {
            ROUNDED
        };
        (f.name, limit, f.of)
    });
    for (name, limit, reference) in functions.chain([("lgamma", ROUNDED, lgamma)]) {
        let got = apply(&format!("{name}(a)"), &[Column::Half(&args)]);
        let errors = args.iter().zip(got).map(|(&x, got)| judge(name, &[value(x)], got, reference(value(x)), limit));
        report(name, limit, errors);
    }
}

fn powr(x: f64, y: f64) -> f64 {
    let bad = x < 0.0 || x.is_nan() || y.is_nan() || (y == 0.0 && (x == 0.0 || x.is_infinite()));
    if bad || (x == 1.0 && y.is_infinite()) { f64::NAN } else { x.abs().powf(y) }
}

const BINARY: &[(&str, f64, Binary)] = &[
    ("a + b", EXACT, |x, y| x + y),
    ("a - b", EXACT, |x, y| x - y),
    ("a * b", EXACT, |x, y| x * y),
    ("a / b", EXACT, |x, y| x / y),
    ("atan2(a, b)", ROUNDED, f64::atan2),
    ("atan2pi(a, b)", ROUNDED, |y, x| y.atan2(x) / PI),
    ("copysign(a, b)", EXACT, f64::copysign),
    ("fdim(a, b)", EXACT, |x, y| fdim(x, y)),
    ("fmod(a, b)", EXACT, |x, y| x % y),
    ("hypot(a, b)", ROUNDED, f64::hypot),
    ("pow(a, b)", ROUNDED, f64::powf),
    ("powr(a, b)", ROUNDED, powr),
    ("remainder(a, b)", EXACT, |x, y| remainder(x, y)),
];

/// Functions that may return either of two zeros.
const CHOICES: &[(&str, Binary)] =
    &[("fmax(a, b)", f64::max), ("fmin(a, b)", f64::min), ("maxmag(a, b)", maxmag), ("minmag(a, b)", minmag)];

#[test]
fn operators_and_functions_of_two_arguments() {
    let [a, b] = pairs(1 << 17);
    let columns = [Column::Half(&a), Column::Half(&b)];
    for &(call, limit, reference) in BINARY {
        let errors = apply(call, &columns).into_iter().enumerate().map(|(at, got)| {
            let (x, y) = (value(a[at]), value(b[at]));
            judge(call, &[x, y], got, reference(x, y), limit)
        });
        report(call, limit, errors);
    }
    for &(call, reference) in CHOICES {
        for (at, got) in apply(call, &columns).into_iter().enumerate() {
            let (x, y) = (value(a[at]), value(b[at]));
            let want = reference(x, y);
            let (got, nan) = (value(got), want.is_nan());
            assert!(got == want || (nan && got.is_nan()), "{call} at {x:e}, {y:e}: got {got:e}, want {want:e}");
        }
    }
}

#[test]
fn fused_multiply_add_rounds_once() {
    let [a, b] = pairs(1 << 17);
    let mut rng = Rng(0x1234_5678_9abc_def1);
    // Addends near the product's last place, near its negative, and anywhere.
    let c: Vec<u16> = (0..a.len())
        .map(|at| {
            let bits = rng.next();
            let product = value(a[at]) * value(b[at]);
            match bits % 4 {
                0 => round(product * 2f64.powi(11)),
                1 => round(product * -(2f64.powi(-11))),
                2 => round(-product).wrapping_add(bits as u16 >> 13),
                _ => (bits >> 40) as u16,
            }
        })
        .collect();
    let columns = [Column::Half(&a), Column::Half(&b), Column::Half(&c)];
    for call in ["fma(a, b, c)", "mad(a, b, c)"] {
        for (at, got) in apply(call, &columns).into_iter().enumerate() {
            let [x, y, z] = [a[at], b[at], c[at]].map(value);
            // The product is exact in double; the sum is not where the operands are far apart.
            let (product, sum) = (x * y, x * y + z);
            let part = sum - product;
            let error = (product - (sum - part)) + (z - part);
            let truth = match () {
                () if !sum.is_finite() || error == 0.0 => sum,
                // Between two halves, never on the middle: a step towards the true value is as good.
                () if (error > 0.0) == (sum > 0.0) => f64::from_bits(sum.to_bits() + 1),
                () => f64::from_bits(sum.to_bits() - 1),
            };
            assert!(same(got, round(truth)), "{call} at {x:e}, {y:e}, {z:e}: got {:e}", value(got));
        }
    }
}

#[test]
fn powers_and_scalings_by_integers() {
    let [a, b] = pairs(1 << 16);
    let n: Vec<i32> = b
        .iter()
        .enumerate()
        .map(|(at, &y)| match at % 4 {
            0 => i32::from(y as i16),
            1 => i32::from(y as i16) % 60,
            2 => i32::from(y as i16) % 8,
            _ => (u32::from(y) * 65537) as i32,
        })
        .collect();
    let columns = [Column::Half(&a), Column::Int(&n)];
    let rootn = |x: f64, n: i32| {
        if n == 0 || (x < 0.0 && n % 2 == 0) {
            return f64::NAN;
        }
        let y = x.abs().powf(1.0 / f64::from(n));
        if n % 2 != 0 { y.copysign(x) } else { y }
    };
    let pown = |x: f64, n: i32| {
        let y = x.abs().powf(f64::from(n));
        if n % 2 != 0 { y.copysign(x) } else { y }
    };
    let ldexp = |x: f64, n: i32| x * 2f64.powi(n.clamp(-1000, 1000));
    type Scaling<'a> = &'a dyn Fn(f64, i32) -> f64;
    let cases: [(&str, f64, Scaling); 3] =
        [("pown(a, b)", ROUNDED, &pown), ("rootn(a, b)", ROUNDED, &rootn), ("ldexp(a, b)", EXACT, &ldexp)];
    for (call, limit, reference) in cases {
        let errors = apply(call, &columns).into_iter().enumerate().map(|(at, got)| {
            let x = value(a[at]);
            judge(call, &[x, f64::from(n[at])], got, reference(x, n[at]), limit)
        });
        report(call, limit, errors);
    }
}

#[test]
fn neighbours() {
    let [a, b] = pairs(1 << 16);
    for (at, got) in apply("nextafter(a, b)", &[Column::Half(&a), Column::Half(&b)]).into_iter().enumerate() {
        let (x, y) = (value(a[at]), value(b[at]));
        // Positions on the line of all halves.
        let place = |bits: u16| if bits & 0x8000 != 0 { -i32::from(bits & 0x7fff) } else { i32::from(bits) };
        if x.is_nan() || y.is_nan() {
            assert!(value(got).is_nan(), "nextafter({x:e}, {y:e})");
            continue;
        }
        let step = place(b[at]).cmp(&place(a[at])) as i32;
        assert_eq!(place(got), place(a[at]) + step, "nextafter({x:e}, {y:e})");
    }
}

#[test]
fn parts_of_every_half() {
    let args = every();
    let column = [Column::Half(&args)];
    let int = |bytes: &[u8], at: usize| i32::from_le_bytes(bytes[4 * at..4 * at + 4].try_into().expect("four bytes"));
    let second = |bytes: &[u8], at: usize| u16::from_le_bytes([bytes[2 * at], bytes[2 * at + 1]]);

    let (mantissas, exponents) = run("frexp(a, &e)", "int", &column);
    let (signs, gammas) = (run("lgamma_r(a, &e)", "int", &column), apply("lgamma(a)", &column));
    let (fractions, floors) = run("fract(a, &e)", "half", &column);
    let (rests, wholes) = run("modf(a, &e)", "half", &column);
    let (sines, cosines) = run("sincos(a, &e)", "half", &column);
    let (sine, cosine) = (apply("sin(a)", &column), apply("cos(a)", &column));
    let (_, logs) = run("(e = ilogb(a), a)", "int", &column);
    for (at, &bits) in args.iter().enumerate() {
        let x = value(bits);
        let mut exponent = 0;
        let mantissa = frexp(x, &mut exponent);
        assert!(same(mantissas[at], round(mantissa)), "frexp({x:e})");
        assert!(!x.is_finite() || int(&exponents, at) == exponent, "frexp({x:e}): exponent {}", int(&exponents, at));
        let log = match () {
            () if x == 0.0 => i32::MIN,
            () if !x.is_finite() => i32::MAX,
            () => logb(x) as i32,
        };
        assert_eq!(int(&logs, at), log, "ilogb({x:e})");
        // fract: below 1 and correctly rounded otherwise.
        let fraction = match () {
            () if x.is_infinite() => 0f64.copysign(x),
            () if x.floor() == x => 0f64.copysign(x),
            () => value(round(x - x.floor())).min(1.0 - 2f64.powi(-11)),
        };
        let fraction = if x.is_nan() { x } else { fraction };
        assert!(same(fractions[at], round(fraction)), "fract({x:e}): {:e}", value(fractions[at]));
        assert!(same(second(&floors, at), round(x.floor())), "fract({x:e}): floor");
        let rest = if x.trunc() == x { 0f64.copysign(x) } else { x - x.trunc() };
        assert!(same(rests[at], round(rest)), "modf({x:e}): {:e}", value(rests[at]));
        assert!(same(second(&wholes, at), round(x.trunc())), "modf({x:e}): whole part");
        assert!(same(sines[at], sine[at]) && same(second(&cosines, at), cosine[at]), "sincos({x:e})");
        assert!(same(signs.0[at], gammas[at]), "lgamma_r({x:e})");
        let pole = x <= 0.0 && x.floor() == x;
        let negative = x < 0.0 && remainder(x.floor(), 2.0) != 0.0;
        let sign = if pole || x.is_nan() { 0 } else { 1 - 2 * i32::from(negative) };
        assert_eq!(int(&signs.1, at), sign, "lgamma_r({x:e}): sign");
    }
}

#[test]
fn classes_and_comparisons() {
    let args = every();
    let truths = |bytes: Vec<u8>| -> Vec<bool> { bytes.chunks_exact(4).map(|c| c == [1, 0, 0, 0]).collect() };
    type Class = fn(f16) -> bool;
    let classes: [(&str, Class); 5] = [
        ("isfinite", f16::is_finite),
        ("isinf", f16::is_infinite),
        ("isnan", f16::is_nan),
        ("isnormal", f16::is_normal),
        ("signbit", f16::is_sign_negative),
    ];
    for (name, class) in classes {
        let got = truths(run(&format!("(e = TRUTH({name}(a)), a)"), "int", &[Column::Half(&args)]).1);
        for (&x, got) in args.iter().zip(got) {
            assert_eq!(got, class(f16::from_bits(x)), "{name} of {x:#x}");
        }
    }
    let [a, b] = pairs(1 << 15);
    type Comparison = fn(f64, f64) -> bool;
    let comparisons: [(&str, Comparison); 14] = [
        ("a == b", |x, y| x == y),
        ("a != b", |x, y| x != y),
        ("a < b", |x, y| x < y),
        ("a <= b", |x, y| x <= y),
        ("a > b", |x, y| x > y),
        ("a >= b", |x, y| x >= y),
        ("a && b", |x, y| x != 0.0 && y != 0.0),
        ("isequal(a, b)", |x, y| x == y),
        ("isnotequal(a, b)", |x, y| x != y),
        ("isless(a, b)", |x, y| x < y),
        ("isgreaterequal(a, b)", |x, y| x >= y),
        ("islessgreater(a, b)", |x, y| x.partial_cmp(&y).is_some_and(|order| order.is_ne())),
        ("isordered(a, b)", |x, y| !x.is_nan() && !y.is_nan()),
        ("isunordered(a, b)", |x, y| x.is_nan() || y.is_nan()),
    ];
    for (call, reference) in comparisons {
        let columns = [Column::Half(&a), Column::Half(&b)];
        let got = truths(run(&format!("(e = TRUTH({call}), a)"), "int", &columns).1);
        for (at, got) in got.into_iter().enumerate() {
            assert_eq!(got, reference(value(a[at]), value(b[at])), "{call} at {:#x}, {:#x}", a[at], b[at]);
        }
    }
}

#[test]
fn codes_of_nan() {
    let args = every();
    for (&code, got) in args.iter().zip(apply("nan(CODE(a))", &[Column::Half(&args)])) {
        assert!(value(got).is_nan() && got & 0x1ff == code & 0x1ff, "nan({code:#x}): {got:#x}");
    }
}

#[test]
fn remquo_has_seven_bits_of_the_quotient() {
    let [a, b] = pairs(1 << 16);
    let (rests, quotients) = run("remquo(a, b, &e)", "int", &[Column::Half(&a), Column::Half(&b)]);
    for (at, got) in rests.into_iter().enumerate() {
        let (x, y) = (value(a[at]), value(b[at]));
        let mut quotient = 0;
        let want = remquo(x, y, &mut quotient);
        assert!(same(got, round(want)), "remquo({x:e}, {y:e}): {:e}", value(got));
        if want.is_nan() {
            continue;
        }
        let bytes = &quotients[4 * at..4 * at + 4];
        let mine = i32::from_le_bytes(bytes.try_into().expect("four bytes"));
        // The host gives three bits or more; the truth is within reach of exact arithmetic where the quotient is small.
        assert_eq!(mine & 7, quotient & 7, "remquo({x:e}, {y:e}): quotient {mine}, not {quotient}");
        assert!(mine == 0 || (mine < 0) == ((x < 0.0) != (y < 0.0)), "remquo({x:e}, {y:e}): sign of {mine}");
        if (x / y).abs() < 1e9 {
            let whole = ((x - want) / y) as i64;
            assert_eq!(i64::from(mine).abs(), whole.abs() & 127, "remquo({x:e}, {y:e}): quotient");
        }
    }
}

/// What is converted: types of 16 bits, all of whose values are tried.
const SOURCES: [&str; 3] = ["half", "short", "ushort"];
const MODES: [&str; 5] = ["", "_rte", "_rtz", "_rtp", "_rtn"];
const INTEGERS: [(&str, i128, i128); 8] = [
    ("char", -(1 << 7), (1 << 7) - 1),
    ("uchar", 0, (1 << 8) - 1),
    ("short", -(1 << 15), (1 << 15) - 1),
    ("ushort", 0, (1 << 16) - 1),
    ("int", -(1 << 31), (1 << 31) - 1),
    ("uint", 0, (1 << 32) - 1),
    ("long", -(1 << 63), (1 << 63) - 1),
    ("ulong", 0, (1 << 64) - 1),
];
const FLOATS: [&str; 3] = ["half", "float", "double"];

/// The number that bits of a source stand for.
fn value_of(source: &str, bits: u16) -> f64 {
    match source {
        "half" => value(bits),
        "short" => f64::from(bits.cast_signed()),
        _ => f64::from(bits),
    }
}

/// A whole number in a mode.
fn whole(x: f64, mode: &str) -> f64 {
    match mode {
        "_rtz" => x.trunc(),
        "_rtp" => x.ceil(),
        "_rtn" => x.floor(),
        _ => x.round_ties_even(),
    }
}

/// The bits of an integer as those of a long; none where the result is undefined.
fn integer(source: &str, x: f64, [least, most]: [i128; 2], is_saturated: bool, mode: &str) -> Option<u64> {
    if x.is_nan() {
        return is_saturated.then_some(0);
    }
    // Floats lose their fractions by themselves.
    let number = whole(x, if mode.is_empty() { "_rtz" } else { mode });
    // Halves are below 2^16, or infinite.
    let number = if number.is_infinite() { i128::from(number.signum() as i64) << 100 } else { number as i128 };
    let size = most - least + 1;
    match number {
        number if (least..=most).contains(&number) => Some(number as u64),
        number if is_saturated => Some(number.clamp(least, most) as u64),
        // Integers lose their upper bits.
        number if source != "half" => Some(((number - least).rem_euclid(size) + least) as u64),
        _ => None,
    }
}

/// The bits of a half in a mode.
fn half_bits(x: f64, mode: &str) -> u64 {
    if x == 0.0 || !x.is_finite() {
        return f16::from_f64(x).to_bits().into();
    }
    let exponent = ((x.to_bits() >> 52 & 0x7ff) as i32 - 1023).max(-14);
    let unit = 2f64.powi(exponent - 10);
    let rounded = whole(x / unit, mode) * unit;
    let away = matches!((mode, x > 0.0), ("" | "_rte", _) | ("_rtp", true) | ("_rtn", false));
    let most = if away { f64::INFINITY } else { 65504.0 };
    let result = if rounded.abs() > 65504.0 { most.copysign(x) } else { rounded.copysign(x) };
    f16::from_f64(result).to_bits().into()
}

/// The bits of what a value becomes, in 64 bits; none where anything may come out.
fn want(source: &str, bits: u16, target: &str, is_saturated: bool, mode: &str) -> Option<u64> {
    let x = value_of(source, bits);
    if let Some(&(_, least, most)) = INTEGERS.iter().find(|(name, ..)| *name == target) {
        return integer(source, x, [least, most], is_saturated, mode);
    }
    // Which NaN comes out does not matter.
    (!x.is_nan()).then(|| match target {
        "half" => half_bits(x, mode),
        "float" => (x as f32).to_bits().into(),
        _ => x.to_bits(),
    })
}

/// Spec: OpenCL C, "Explicit Conversions".
#[test]
fn conversions_of_every_half_short_and_ushort() {
    for source in SOURCES {
        let integers = INTEGERS.iter().flat_map(|(name, ..)| [(*name, false), (*name, true)]);
        let targets: Vec<(&str, bool)> = integers.chain(FLOATS.map(|name| (name, false))).collect();
        let mut text = String::new();
        for (target, is_saturated) in &targets {
            let sat = if *is_saturated { "_sat" } else { "" };
            let bits = match *target {
                "half" => "as_ushort",
                "float" => "as_uint",
                "double" => "as_ulong",
                _ => "(long)",
            };
            for mode in MODES {
                let call = format!("convert_{target}{sat}{mode}");
                text += &format!(
                    "kernel void k_{call}(global ulong *o, global const {source} *a) {{
                        size_t i = get_global_id(0);
                        o[i] = (ulong){bits}({call}(a[i]));
                    }}\n"
                );
            }
        }
        let program = Program::new(&text);
        let args = half_buffer(&(0..=u16::MAX).collect::<Vec<u16>>());
        for (target, is_saturated) in targets {
            let sat = if is_saturated { "_sat" } else { "" };
            for mode in MODES {
                let call = format!("convert_{target}{sat}{mode}");
                let out = Buffer::zeroed(8 << 16);
                let key = SpecKey { small_ids: true, ..SpecKey::default() };
                program.run_as(&format!("k_{call}"), key, [256, 256], &[out.address(), args.address()]);
                for (bits, got) in (0..=u16::MAX).zip(out.long_words()) {
                    let want = want(source, bits, target, is_saturated, mode).unwrap_or(got);
                    assert!(got == want, "{call} of {source} {bits:#06x}: {got:#x}, not {want:#x}");
                }
            }
        }
    }
}
