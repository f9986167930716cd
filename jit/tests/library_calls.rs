//! Library functions of constants that become something simpler: against double precision, at all kinds of numbers.
#![allow(unsafe_code, reason = "runs generated code")]

#[path = "support/ndrange.rs"]
mod ndrange;
#[path = "support/rng.rs"]
mod rng;

use ndrange::{Given, Kernel, Range};
use rng::Rng;

const LANES: [u8; 2] = [8, 16];

/// Units in the last place that a power may be wrong by, of the 16 that the specification allows.
const MOST_ULP: f64 = 8.0;

/// Numbers of all kinds.
fn numbers() -> Vec<f32> {
    let special =
        [0.0, 1.0, 2.0, f32::MIN_POSITIVE, 1e-45, 1e-40, f32::MAX, f32::INFINITY, 1.844_674_4e19, 1e19, 5.4e-20];
    let mut rng = Rng(3);
    let mut all: Vec<f32> = special.iter().flat_map(|&x| [x, -x]).chain([f32::NAN]).collect();
    while all.len() < 512 {
        let x = f32::from_bits(rng.next() as u32);
        all.push(if rng.one_in(2) { x.abs().sqrt() } else { x });
    }
    all
}

/// What a kernel makes of each.
fn run(call: &str) -> Vec<f32> {
    let source = format!("kernel void k(global float *x) {{ size_t i = get_global_id(0); x[i] = {call}; }}");
    let bytes = numbers().iter().flat_map(|x| x.to_le_bytes()).collect();
    let range = Range { global: [512, 1, 1], local: [64, 1, 1] };
    let out = Kernel::from_source(&source).run_as(range, &[Given::Buffer(bytes)], &|bytes| {
        bytes.as_chunks::<4>().0.iter().map(|&b| Bits(f32::from_le_bytes(b))).collect::<Vec<_>>()
    });
    out[0].iter().map(|x| x.0).collect()
}

/// A number that is itself, or any NaN.
#[derive(Clone, Copy, Debug)]
struct Bits(f32);

impl PartialEq for Bits {
    fn eq(&self, other: &Self) -> bool {
        self.0.to_bits() == other.0.to_bits() || self.0.is_nan() && other.0.is_nan()
    }
}

fn check(call: &str, most_ulp: f64, want: impl Fn(f64) -> f64) {
    for (x, got) in numbers().into_iter().zip(run(call)) {
        let want = want(f64::from(x));
        let nearest = want as f32;
        if Bits(got) == Bits(nearest) {
            continue;
        }
        let ulp =
            f64::from(nearest.abs().max(f32::MIN_POSITIVE).next_up()) - f64::from(nearest.abs().max(f32::MIN_POSITIVE));
        // The largest number may be infinity.
        let got = if got.is_infinite() { f64::from(got.signum()) * 2f64.powi(128) } else { f64::from(got) };
        let want = if nearest.is_infinite() { f64::from(nearest.signum()) * 2f64.powi(128) } else { want };
        let error = (got - want).abs() / ulp;
        assert!(error <= most_ulp, "{call} of {x:e}: {got:e}, not {want:e}: {error} ulp");
    }
}

#[test]
fn powers() {
    for exponent in [-8, -5, -3, -2, -1, 1, 2, 3, 4, 7, 8] {
        let power = |x: f64| x.powi(exponent);
        let real = |x: f64| if x < 0.0 { f64::NAN } else { (x + 0.0).powi(exponent) };
        check(&format!("pow(x[i], {exponent}.0f)"), MOST_ULP, power);
        check(&format!("pown(x[i], {exponent})"), MOST_ULP, power);
        check(&format!("powr(x[i], {exponent}.0f)"), MOST_ULP, real);
    }
}

#[test]
fn roots() {
    check("pow(x[i], 0.5f)", 1.0, |x| x.powf(0.5));
    check("pow(x[i], -0.5f)", 2.0, |x| x.powf(-0.5));
    for (sign, exponent) in [("", 0.5), ("-", -0.5)] {
        let real = |x: f64| if x < 0.0 { f64::NAN } else { x.abs().powf(exponent) };
        check(&format!("powr(x[i], {sign}0.5f)"), 2.0, real);
        check(&format!("rootn(x[i], {sign}2)"), 2.0, real);
    }
}

#[test]
fn scaling() {
    for n in [-126, -100, -3, -1, 0, 1, 24, 127] {
        check(&format!("ldexp(x[i], {n})"), 0.5, |x| x * 2f64.powi(n));
    }
}
