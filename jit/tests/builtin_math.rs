//! Math functions in machine code against the host's, within the limits of the specification (cut to what the bodies
//! promise), and every vector width against the scalar, bit for bit. Spec: OpenCL C, "Relative Error as ULPs".
#![allow(unsafe_code, reason = "calls the host's math library and generated code")]

#[path = "support/kernel.rs"]
mod kernel;

#[path = "support/reference_math.rs"]
mod reference_math;
#[path = "support/rng.rs"]
mod rng;

use kernel::{Buffer, Program};
use reference_math::{BINARY, UNARY, double_ulps, float_ulps, lgamma, nextafter, nextafterf};
use rng::Rng;
use std::f64::consts::PI;

const SPECIAL: &[f64] = &[
    0.0,
    1.0,
    0.5,
    1.5,
    2.0,
    2.5,
    3.0,
    4.0,
    5.0,
    7.0,
    10.0,
    22.0,
    38.5,
    88.7,
    100.0,
    103.9,
    127.9,
    170.5,
    // Beside a pole of tgamma, where 1 / Gamma is subnormal.
    173.00000000001455,
    308.2,
    709.7,
    745.1,
    1023.5,
    1074.5,
    8388608.5,
    16777217.0,
    33554432.0,
    9007199254740993.0,
    1e10,
    1e22,
    1e300,
    0.25,
    0.75,
    0.9999999,
    1.0000001,
    1e-5,
    1e-10,
    1e-38,
    1e-40,
    1e-45,
    1e-300,
    1e-310,
    // The smallest numbers, where a product with a fraction keeps no digits.
    5e-324,
    1e-323,
    2e-323,
    2.8e-45,
    5.6e-45,
    f64::MAX,
    f64::MIN_POSITIVE,
    f64::INFINITY,
    std::f64::consts::FRAC_PI_2,
    PI,
];

/// Arguments: specials of both signs, patterns over the whole range, numbers of everyday size. A multiple of 48.
fn arguments(from_bits: fn(u64) -> f64, round: fn(f64) -> f64, len: usize) -> Vec<f64> {
    let mut rng = Rng(0x9e37_79b9_7f4a_7c15);
    let mut out: Vec<f64> = SPECIAL.iter().flat_map(|&x| [round(x), round(-x)]).chain([f64::NAN]).collect();
    while out.len() < len.next_multiple_of(48) {
        let scale = [1.0, 4.0, 40.0, 1000.0][out.len() % 4];
        out.push(from_bits(rng.next()));
        // In [-1, 1).
        let mut unit = || (rng.next() >> 10) as f64 / 2f64.powi(53) - 1.0;
        out.push(round(unit() * scale));
        out.push(round(1.0 + unit() * 0.3));
    }
    out.truncate(len.next_multiple_of(48));
    out
}

fn float_arguments(len: usize) -> Vec<f64> {
    arguments(|bits| f64::from(f32::from_bits(bits as u32)), |x| f64::from(x as f32), len)
}

fn double_arguments(len: usize) -> Vec<f64> {
    arguments(f64::from_bits, |x| x, len)
}

/// So many times as many arguments as otherwise: `MATH_SCALE`.
fn scale() -> usize {
    std::env::var("MATH_SCALE").map_or(1, |text| text.parse().expect("MATH_SCALE is a number"))
}

/// A kernel per width that applies `name` to whole vectors.
fn program(name: &str, ty: &str, n_args: usize) -> Program {
    let mut source = String::new();
    for width in [1, 2, 3, 4, 8, 16] {
        let load = |arg: &str| if width == 1 { format!("{arg}[i]") } else { format!("vload{width}(i, {arg})") };
        let args = ["a", "b"][..n_args].iter().map(|arg| load(arg)).collect::<Vec<_>>().join(", ");
        let params: String = ["a", "b"][..n_args].iter().map(|arg| format!(", global const {ty} *{arg}")).collect();
        let store =
            if width == 1 { format!("o[i] = {name}({args})") } else { format!("vstore{width}({name}({args}), i, o)") };
        source +=
            &format!("kernel void k{width}(global {ty} *o{params}) {{ size_t i = get_global_id(0); {store}; }}\n");
    }
    Program::new(&source)
}

/// Runs all widths on the columns of `args`; the scalar's results as bits of the type.
fn run(name: &str, ty: &str, args: &[Vec<f64>]) -> Vec<u64> {
    let size = if ty == "float" { 4 } else { 8 };
    let bytes = |column: &Vec<f64>| -> Vec<u8> {
        let float = |x: &f64| (*x as f32).to_le_bytes().to_vec();
        column.iter().flat_map(|x| if size == 4 { float(x) } else { x.to_le_bytes().to_vec() }).collect()
    };
    let mut inputs: Vec<Buffer> = args.iter().map(|column| Buffer::new(&bytes(column))).collect();
    let program = program(name, ty, args.len());
    let len = args[0].len();
    let mut first: Vec<u64> = Vec::new();
    for width in [1, 2, 3, 4, 8, 16] {
        let mut out = Buffer::zeroed(len * size);
        let mut buffers = vec![&mut out];
        buffers.extend(inputs.iter_mut());
        program.run(&format!("k{width}"), (len / width) as u64, &mut buffers);
        let results: Vec<u64> =
            if size == 4 { out.words().into_iter().map(u64::from).collect() } else { out.long_words() };
        if width == 1 {
            first = results;
        } else if let Some(at) = (0..len).find(|&at| first[at] != results[at]) {
            let x: Vec<f64> = args.iter().map(|column| column[at]).collect();
            panic!("{name} of {ty}{width} at {x:?}: {:#x}, but {:#x} for the scalar", results[at], first[at]);
        }
    }
    first
}

/// Compares with the reference, and prints the largest error.
fn check(name: &str, limits: [f64; 2], len: usize, columns: usize, reference: &dyn Fn(&[f64]) -> f64) {
    for (ty, limit) in ["float", "double"].into_iter().zip(limits) {
        let column = if ty == "float" { float_arguments(len) } else { double_arguments(len) };
        let n = column.len();
        let args: Vec<Vec<f64>> = match columns {
            1 => vec![column],
            // Every special beside every other, then pairs from the list.
            _ => {
                let few = SPECIAL.len() * 2 + 1;
                let pairs =
                    (0..n).map(|at| if at < few * few { (at / few, at % few) } else { (at, (at * 7 + 13) % n) });
                let (a, b): (Vec<usize>, Vec<usize>) = pairs.unzip();
                [a, b].iter().map(|index| index.iter().map(|&at| column[at]).collect()).collect()
            }
        };
        let got = run(name, ty, &args);
        let mut worst = (0.0, vec![]);
        for (at, &bits) in got.iter().enumerate() {
            let x: Vec<f64> = args.iter().map(|column| column[at]).collect();
            let want = reference(&x);
            let (value, error) = if ty == "float" {
                let value = f32::from_bits(bits as u32);
                (f64::from(value), float_ulps(value, want))
            } else {
                let value = f64::from_bits(bits);
                (value, double_ulps(value, want))
            };
            // What the host's double functions are themselves off.
            let of_host = match name {
                "erfc" => 2.1,
                "tgamma" => 6.1,
                _ => 1.1,
            };
            let slack = if limit > 0.0 && ty == "double" { of_host } else { 0.0 };
            assert!(error <= limit + slack, "{name} of {ty} at {x:?}: got {value:e}, want {want:e}, {error:.2} ulp");
            let zeros = value == 0.0 && want == 0.0 && limit > 0.0 && !name.contains("mag");
            assert!(
                !zeros || value.is_sign_negative() == want.is_sign_negative(),
                "{name} of {ty} at {x:?}: sign of 0"
            );
            if error > worst.0 {
                worst = (error, x);
            }
        }
        println!("{name} of {ty}: {:.2} ulp at most, at {:?}", worst.0, worst.1);
    }
}

#[test]
fn functions_of_one_argument() {
    for f in UNARY {
        check(f.name, [f.float, f.double], 12_000 * scale(), 1, &|x| (f.of)(x[0]));
    }
}

#[test]
fn functions_of_two_arguments() {
    for f in BINARY {
        check(f.name, [f.float, f.double], 16_000 * scale(), 2, &|x| (f.of)(x[0], x[1]));
    }
}

#[test]
fn sincos_gives_the_bits_of_sin_and_cos() {
    let program = Program::new(
        "kernel void float_(global float4 *o, global const float *a) {
            size_t i = get_global_id(0);
            float c, s = sincos(a[i], &c);
            o[i] = (float4)(s, sin(a[i]), c, cos(a[i]));
        }
        kernel void double_(global double4 *o, global const double *a) {
            size_t i = get_global_id(0);
            double c, s = sincos(a[i], &c);
            o[i] = (double4)(s, sin(a[i]), c, cos(a[i]));
        }",
    );
    let floats: Vec<u8> = float_arguments(12_000).iter().flat_map(|&x| (x as f32).to_le_bytes()).collect();
    let doubles: Vec<u8> = double_arguments(12_000).iter().flat_map(|x| x.to_le_bytes()).collect();
    for (kernel, size, args) in [("float_", 4, floats), ("double_", 8, doubles)] {
        let mut out = Buffer::zeroed(4 * args.len());
        program.run(kernel, (args.len() / size) as u64, &mut [&mut out, &mut Buffer::new(&args)]);
        for (x, got) in args.chunks_exact(size).zip(out.bytes().chunks_exact(4 * size)) {
            let [s, sine, c, cosine] = std::array::from_fn(|n| &got[n * size..][..size]);
            assert!(s == sine && c == cosine, "{kernel}: {x:x?} gives {got:x?}");
        }
    }
}

#[test]
fn lgamma_away_from_its_negative_zeros() {
    let args = double_arguments(12_000);
    let got = run("lgamma", "double", std::slice::from_ref(&args));
    for (&x, bits) in args.iter().zip(got) {
        let (value, want) = (f64::from_bits(bits), lgamma(x));
        let close = value == want || (value.is_nan() && want.is_nan());
        let error = (value - want).abs();
        assert!(
            close || error <= 1e-14 * want.abs().max(x.abs().min(30.0)),
            "lgamma({x:e}): got {value:e}, want {want:e}"
        );
    }
}

#[test]
fn nextafter_steps_to_the_neighbour() {
    let columns = |mut args: Vec<f64>| {
        let first = args.clone();
        args.rotate_left(5);
        vec![first, args]
    };
    let floats = columns(float_arguments(9_600));
    for (at, bits) in run("nextafter", "float", &floats).into_iter().enumerate() {
        let (x, y) = (floats[0][at] as f32, floats[1][at] as f32);
        let want = nextafterf(x, y);
        let got = f32::from_bits(bits as u32);
        assert!(got == want || (got.is_nan() && want.is_nan()), "nextafter({x:e}, {y:e}) = {got:e}");
    }
    let doubles = columns(double_arguments(9_600));
    for (at, bits) in run("nextafter", "double", &doubles).into_iter().enumerate() {
        let (x, y) = (doubles[0][at], doubles[1][at]);
        let want = nextafter(x, y);
        let got = f64::from_bits(bits);
        assert!(got == want || (got.is_nan() && want.is_nan()), "nextafter({x:e}, {y:e}) = {got:e}");
    }
}

/// Values that must be met exactly. Spec: OpenCL C, "Additional Requirements Beyond ISO/IEC 9899:TC2".
const PRESCRIBED: &[(&str, f64)] = &[
    ("acospi(ONE)", 0.0),
    ("acospi(-ONE)", 1.0),
    ("acospi((T)1.5)", f64::NAN),
    ("asinpi(-ZERO)", -0.0),
    ("asinpi(ONE)", 0.5),
    ("asinpi((T)-1.5)", f64::NAN),
    ("atanpi(-ZERO)", -0.0),
    ("atanpi(INF)", 0.5),
    ("atanpi(-INF)", -0.5),
    ("atan2pi(ZERO, -ZERO)", 1.0),
    ("atan2pi(-ZERO, -ZERO)", -1.0),
    ("atan2pi(-ZERO, ZERO)", -0.0),
    ("atan2pi(-ZERO, -ONE)", -1.0),
    ("atan2pi(-ZERO, ONE)", -0.0),
    ("atan2pi(-ONE, ZERO)", -0.5),
    ("atan2pi(ONE, -ZERO)", 0.5),
    ("atan2pi(-ONE, -INF)", -1.0),
    ("atan2pi(-ONE, INF)", -0.0),
    ("atan2pi(-INF, ONE)", -0.5),
    ("atan2pi(-INF, -INF)", -0.75),
    ("atan2pi(INF, INF)", 0.25),
    ("ceil((T)-0.5)", -0.0),
    ("cospi(ZERO)", 1.0),
    ("cospi((T)-1.5)", 0.0),
    ("cospi((T)0.5)", 0.0),
    ("cospi(INF)", f64::NAN),
    ("exp10(-ZERO)", 1.0),
    ("exp10(-INF)", 0.0),
    ("exp10(INF)", f64::INFINITY),
    ("fdim(ONE, NOT)", f64::NAN),
    ("fdim(NOT, ONE)", f64::NAN),
    ("fmod(ZERO, NOT)", f64::NAN),
    ("fract(-ZERO, &w)", -0.0),
    ("fract(INF, &w)", 0.0),
    ("fract(-INF, &w)", -0.0),
    ("(fract(-INF, &w), w)", f64::NEG_INFINITY),
    ("fract(NOT, &w)", f64::NAN),
    ("fract((T)-1e-40, &w) < ONE", 1.0),
    ("(frexp(-INF, &n), (T)n)", 0.0),
    ("frexp(-INF, &n)", f64::NEG_INFINITY),
    ("(n = 9, frexp(NOT, &n), (T)n)", 0.0),
    ("(n = 9, lgamma_r(ZERO, &n), (T)n)", 0.0),
    ("(n = 9, lgamma_r((T)-3, &n), (T)n)", 0.0),
    ("lgamma_r(-ZERO, &n)", f64::INFINITY),
    ("modf(-INF, &w)", -0.0),
    ("pow(-ZERO, -INF)", f64::INFINITY),
    ("pow(ZERO, (T)-3)", f64::INFINITY),
    ("pow(-ZERO, (T)-3)", f64::NEG_INFINITY),
    ("pow(-ZERO, (T)3)", -0.0),
    ("pow(-ONE, INF)", 1.0),
    ("pow(ONE, NOT)", 1.0),
    ("pow(NOT, ZERO)", 1.0),
    ("pow(-INF, (T)3)", f64::NEG_INFINITY),
    ("pow(-INF, (T)-3)", -0.0),
    ("pow(-INF, (T)0.5)", f64::INFINITY),
    ("pow((T)-2, (T)0.5)", f64::NAN),
    ("pown(NOT, 0)", 1.0),
    ("pown(-ZERO, -3)", f64::NEG_INFINITY),
    ("pown(-ZERO, -2)", f64::INFINITY),
    ("pown(-ZERO, 2)", 0.0),
    ("pown(-ZERO, 3)", -0.0),
    ("powr((T)3, -ZERO)", 1.0),
    ("powr(-ZERO, (T)-3)", f64::INFINITY),
    ("powr(-ZERO, -INF)", f64::INFINITY),
    ("powr(-ZERO, (T)3)", 0.0),
    ("powr(ONE, (T)7)", 1.0),
    ("powr(-ONE, (T)2)", f64::NAN),
    ("powr(ZERO, ZERO)", f64::NAN),
    ("powr(INF, ZERO)", f64::NAN),
    ("powr(ONE, -INF)", f64::NAN),
    ("powr((T)2, NOT)", f64::NAN),
    ("powr(NOT, ZERO)", f64::NAN),
    ("rint((T)-0.5)", -0.0),
    ("(n = 9, remquo(INF, ONE, &n), (T)n)", 0.0),
    ("(n = 9, remquo(ONE, ZERO, &n), (T)n)", 0.0),
    ("remquo(ONE, ZERO, &n)", f64::NAN),
    ("remquo(ONE, INF, &n)", 1.0),
    ("rootn(-ZERO, -3)", f64::NEG_INFINITY),
    ("rootn(-ZERO, -2)", f64::INFINITY),
    ("rootn(-ZERO, 2)", 0.0),
    ("rootn(-ZERO, 3)", -0.0),
    ("rootn(-ONE, 2)", f64::NAN),
    ("rootn(ONE, 0)", f64::NAN),
    ("round((T)-0.25)", -0.0),
    ("sinpi(-ZERO)", -0.0),
    ("sinpi((T)3)", 0.0),
    ("sinpi((T)-2)", -0.0),
    ("sinpi(INF)", f64::NAN),
    ("tanpi(-ZERO)", -0.0),
    ("tanpi(INF)", f64::NAN),
    ("tanpi((T)2)", 0.0),
    ("tanpi((T)-2)", -0.0),
    ("tanpi((T)3)", -0.0),
    ("tanpi((T)-3)", 0.0),
    ("tanpi((T)0.5)", f64::INFINITY),
    ("tanpi((T)-1.5)", f64::INFINITY),
    ("tanpi((T)1.5)", f64::NEG_INFINITY),
    ("tanpi((T)-0.5)", f64::NEG_INFINITY),
    ("trunc((T)-0.5)", -0.0),
    ("hypot(NOT, -INF)", f64::INFINITY),
    ("maxmag((T)-3, (T)2)", -3.0),
    ("minmag((T)-3, NOT)", -3.0),
    ("tgamma(-ZERO)", f64::NEG_INFINITY),
    ("tgamma((T)-2)", f64::NAN),
    ("(T)ilogb(INF)", 2147483647.0),
];

#[test]
fn prescribed_values() {
    for ty in ["float", "double"] {
        let mut source = format!("typedef {ty} T;\nkernel void k(global T *o, global const T *p) {{\n");
        source += "T ZERO = p[0], ONE = p[1], INF = p[2], NOT = p[3]; T w; int n;\n";
        for (at, (expr, _)) in PRESCRIBED.iter().enumerate() {
            source += &format!("o[{at}] = ({expr});\n");
        }
        source += "}";
        let inputs = [0.0, 1.0, f64::INFINITY, f64::NAN];
        let bytes = |x: &f64| if ty == "float" { (*x as f32).to_le_bytes().to_vec() } else { x.to_le_bytes().to_vec() };
        let mut input = Buffer::new(&inputs.iter().flat_map(bytes).collect::<Vec<u8>>());
        let mut out = Buffer::zeroed(PRESCRIBED.len() * 8);
        Program::new(&source).run("k", 1, &mut [&mut out, &mut input]);
        for (at, &(expr, want)) in PRESCRIBED.iter().enumerate() {
            let got = match ty {
                "float" => f64::from(f32::from_bits(out.words()[at])),
                _ => f64::from_bits(out.long_words()[at]),
            };
            let want = if ty == "float" { f64::from(want as f32) } else { want };
            let same = if want.is_nan() { got.is_nan() } else { got.to_bits() == want.to_bits() };
            assert!(same, "{expr} of {ty} is {got:?}, not {want:?}");
        }
    }
}
