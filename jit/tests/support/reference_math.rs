//! What math functions are, in double: the host's library, and what it lacks, with the error each of our functions may
//! have. Whoever uses it for double must allow for the host's own error.
#![allow(dead_code, reason = "each test uses a part")]

use std::f64::consts::PI;

#[allow(clippy::missing_safety_doc, reason = "the host's math library on values")]
unsafe extern "C" {
    pub safe fn acosh(x: f64) -> f64;
    pub safe fn asinh(x: f64) -> f64;
    pub safe fn atanh(x: f64) -> f64;
    pub safe fn erf(x: f64) -> f64;
    pub safe fn erfc(x: f64) -> f64;
    pub safe fn exp10(x: f64) -> f64;
    pub safe fn tgamma(x: f64) -> f64;
    pub safe fn lgamma(x: f64) -> f64;
    pub safe fn lgamma_r(x: f64, sign: &mut i32) -> f64;
    pub safe fn remainder(x: f64, y: f64) -> f64;
    pub safe fn remquo(x: f64, y: f64, quotient: &mut i32) -> f64;
    pub safe fn frexp(x: f64, exponent: &mut i32) -> f64;
    pub safe fn nextafter(x: f64, y: f64) -> f64;
    pub safe fn nextafterf(x: f32, y: f32) -> f32;
    pub safe fn logb(x: f64) -> f64;
    pub safe fn fdim(x: f64, y: f64) -> f64;
}

/// A function of one argument.
pub struct Unary {
    pub name: &'static str,
    /// Limits for float and double in ulp: what the bodies promise.
    pub float: f64,
    pub double: f64,
    /// Whether a half result is exact, not one that is computed in float and rounded.
    pub exact: bool,
    pub of: fn(f64) -> f64,
}

/// A function of two arguments.
pub struct Binary {
    pub name: &'static str,
    pub float: f64,
    pub double: f64,
    pub of: fn(f64, f64) -> f64,
}

const fn unary(name: &'static str, float: f64, double: f64, of: fn(f64) -> f64) -> Unary {
    Unary { name, float, double, exact: float == 0.0, of }
}

const fn binary(name: &'static str, float: f64, double: f64, of: fn(f64, f64) -> f64) -> Binary {
    Binary { name, float, double, of }
}

pub const UNARY: &[Unary] = &[
    unary("acos", 1.5, 1.5, f64::acos),
    unary("acosh", 2.5, 2.5, |x| acosh(x)),
    unary("acospi", 0.6, 2.5, |x| x.acos() / PI),
    unary("asin", 2.5, 2.5, f64::asin),
    unary("asinh", 2.5, 2.5, |x| asinh(x)),
    unary("asinpi", 0.6, 3.2, |x| x.asin() / PI),
    unary("atan", 1.5, 2.5, f64::atan),
    unary("atanh", 2.5, 2.5, |x| atanh(x)),
    unary("atanpi", 0.6, 3.0, |x| x.atan() / PI),
    unary("cbrt", 0.6, 1.0, f64::cbrt),
    unary("ceil", 0.0, 0.0, f64::ceil),
    unary("cos", 1.7, 1.7, f64::cos),
    unary("cosh", 2.5, 2.5, f64::cosh),
    unary("cospi", 2.0, 2.0, cospi),
    unary("degrees", 1.0, 1.0, |x| x * (180.0 / PI)),
    unary("erf", 1.2, 1.5, |x| erf(x)),
    unary("erfc", 5.0, 5.0, |x| erfc(x)),
    unary("exp", 1.2, 1.2, f64::exp),
    unary("exp2", 1.0, 1.0, f64::exp2),
    unary("exp10", 1.2, 2.0, |x| exp10(x)),
    unary("expm1", 2.0, 2.0, f64::exp_m1),
    unary("fabs", 0.0, 0.0, f64::abs),
    unary("floor", 0.0, 0.0, f64::floor),
    unary("log", 1.0, 1.5, f64::ln),
    unary("log10", 1.6, 1.8, f64::log10),
    unary("log1p", 1.6, 1.5, f64::ln_1p),
    unary("log2", 1.5, 1.8, f64::log2),
    unary("logb", 0.0, 0.0, |x| logb(x)),
    unary("radians", 1.0, 1.0, |x| x * (PI / 180.0)),
    unary("rint", 0.0, 0.0, f64::round_ties_even),
    unary("round", 0.0, 0.0, f64::round),
    unary("rsqrt", 1.6, 1.6, |x| 1.0 / x.sqrt()),
    unary("sign", 0.0, 0.0, sign),
    unary("sin", 1.7, 1.7, f64::sin),
    unary("sinh", 2.5, 2.7, f64::sinh),
    unary("sinpi", 2.2, 2.0, sinpi),
    unary("sqrt", 0.5, 0.0, f64::sqrt),
    unary("tan", 3.0, 4.0, f64::tan),
    unary("tanh", 1.4, 3.0, f64::tanh),
    unary("tanpi", 3.0, 4.5, tanpi),
    unary("tgamma", 0.6, 10.0, |x| if x < 0.0 && x.floor() == x { f64::NAN } else { tgamma(x) }),
    unary("trunc", 0.0, 0.0, f64::trunc),
];

pub const BINARY: &[Binary] = &[
    binary("atan2", 2.2, 2.7, f64::atan2),
    binary("atan2pi", 0.6, 3.0, |y, x| y.atan2(x) / PI),
    binary("fdim", 0.5, 0.0, |x, y| fdim(x, y)),
    binary("fmod", 0.0, 0.0, |x, y| x % y),
    binary("hypot", 0.6, 1.5, f64::hypot),
    binary("maxmag", 0.0, 0.0, maxmag),
    binary("minmag", 0.0, 0.0, minmag),
    binary("pow", 1.5, 2.5, f64::powf),
    binary("remainder", 0.0, 0.0, |x, y| remainder(x, y)),
];

/// What is left of x beside the nearest multiple of 2; exact.
fn reduce(x: f64) -> f64 {
    x - 2.0 * (0.5 * x).round_ties_even()
}

/// Sine of pi times x, by reduction of x.
pub fn sinpi(x: f64) -> f64 {
    if !x.is_finite() {
        return f64::NAN;
    }
    let r = reduce(x);
    let r = if r.abs() > 0.5 { 1f64.copysign(r) - r } else { r };
    let y = if r.abs() > 0.25 { ((0.5 - r.abs()) * PI).cos().copysign(r) } else { (r * PI).sin() };
    if y == 0.0 { 0f64.copysign(x) } else { y }
}

/// Cosine of pi times x.
pub fn cospi(x: f64) -> f64 {
    if !x.is_finite() {
        return f64::NAN;
    }
    let r = reduce(x).abs();
    if r > 0.75 {
        -((1.0 - r) * PI).cos()
    } else if r > 0.25 {
        ((0.5 - r) * PI).sin()
    } else {
        (r * PI).cos()
    }
}

/// Tangent of pi times x; its zeros and infinities as "Additional Requirements Beyond ISO/IEC 9899:TC2" has them.
pub fn tanpi(x: f64) -> f64 {
    if !x.is_finite() {
        return f64::NAN;
    }
    if x.trunc() == x {
        let odd = reduce(x) != 0.0;
        return if odd { -0f64.copysign(x) } else { 0f64.copysign(x) };
    }
    if (2.0 * x).trunc() == 2.0 * x {
        let even = reduce((x - 0.5).trunc()) == 0.0;
        return if even { f64::INFINITY } else { f64::NEG_INFINITY };
    }
    sinpi(x) / cospi(x)
}

fn sign(x: f64) -> f64 {
    match x {
        x if x.is_nan() => 0.0,
        x if x == 0.0 => x,
        x => 1f64.copysign(x),
    }
}

/// The operand of larger magnitude, or the larger one.
pub fn maxmag(x: f64, y: f64) -> f64 {
    match x.abs().partial_cmp(&y.abs()) {
        Some(std::cmp::Ordering::Greater) => x,
        Some(std::cmp::Ordering::Less) => y,
        _ => x.max(y),
    }
}

/// The operand of smaller magnitude, or the smaller one.
pub fn minmag(x: f64, y: f64) -> f64 {
    match x.abs().partial_cmp(&y.abs()) {
        Some(std::cmp::Ordering::Less) => x,
        Some(std::cmp::Ordering::Greater) => y,
        _ => x.min(y),
    }
}

/// Distance in units of the last place of the exact result, which `want` stands for. `overflow` is what infinity counts
/// as.
fn ulps(got: f64, want: f64, mantissa_bits: i32, min_exponent: i32, overflow: f64) -> f64 {
    if want.is_nan() || got.is_nan() {
        return if want.is_nan() && got.is_nan() { 0.0 } else { f64::INFINITY };
    }
    if got == want {
        return 0.0;
    }
    let exponent = if want == 0.0 { min_exponent } else { (logb(want) as i32 - mantissa_bits + 1).max(min_exponent) };
    let finite = |x: f64| if x.is_infinite() { overflow.copysign(x) } else { x };
    let (got, want) = (finite(got), finite(want));
    // Scaled before the difference is taken, so that nothing overflows or underflows.
    let unit = |x: f64| {
        if exponent < -1000 { x * 2f64.powi(1000) / 2f64.powi(exponent + 1000) } else { x / 2f64.powi(exponent) }
    };
    (unit(got) - unit(want)).abs()
}

/// The error of a float in ulp; none where it is the float nearest to `want`.
pub fn float_ulps(got: f32, want: f64) -> f64 {
    if got == want as f32 { 0.0 } else { ulps(f64::from(got), want, 24, -149, 2f64.powi(128)) }
}

/// The error of a double in ulp.
pub fn double_ulps(got: f64, want: f64) -> f64 {
    ulps(got, want, 53, -1074, f64::MAX)
}
