//! Digits of floating-point numbers, exact to the last one asked for, ties to even: what C's `%f %e %g %a` print
//! without sign, `0x` and field. Decimal expansions come from the standard library, whose formatting with a precision
//! is exact.

use super::{FloatStyle, Spec};

/// More decimal digits than any `f64` has behind its first: what follows is zeros.
const MAX_DIGITS: usize = 1100;

/// The text of a number that is not negative.
pub fn digits(value: f64, style: FloatStyle, spec: &Spec) -> String {
    let text = if value.is_nan() {
        "nan".to_owned()
    } else if value.is_infinite() {
        "inf".to_owned()
    } else {
        match style {
            FloatStyle::F => fixed(value, spec.precision.unwrap_or(6), spec.alternative),
            FloatStyle::E => scientific(value, spec.precision.unwrap_or(6), spec.alternative),
            FloatStyle::G => general(value, spec.precision.unwrap_or(6).max(1), spec.alternative),
            FloatStyle::A => hexadecimal(value, spec.precision, spec.alternative),
        }
    };
    if spec.upper { text.to_ascii_uppercase() } else { text }
}

fn fixed(value: f64, precision: usize, point: bool) -> String {
    let exact = precision.min(MAX_DIGITS);
    let mut text = format!("{value:.exact$}");
    text.extend(std::iter::repeat_n('0', precision - exact));
    if precision == 0 && point {
        text.push('.');
    }
    text
}

/// Digits with a point behind the first, and the decimal exponent.
fn significant(value: f64, precision: usize) -> (String, i32) {
    let exact = precision.min(MAX_DIGITS);
    let text = format!("{value:.exact$e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let mut digits = digits.to_owned();
    digits.extend(std::iter::repeat_n('0', precision - exact));
    (digits, exponent.parse().unwrap_or(0))
}

fn with_exponent(digits: &str, exponent: i32) -> String {
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.unsigned_abs())
}

fn scientific(value: f64, precision: usize, point: bool) -> String {
    let (mut digits, exponent) = significant(value, precision);
    if precision == 0 && point {
        digits.push('.');
    }
    with_exponent(&digits, exponent)
}

/// "if P > X >= -4, the conversion is with style f and precision P - (X + 1); otherwise … style e and precision P - 1";
/// trailing zeros go unless the alternative form is asked for.
fn general(value: f64, precision: usize, alternative: bool) -> String {
    let (digits, exponent) = significant(value, precision - 1);
    let in_range = exponent >= -4 && i64::from(exponent) < precision as i64;
    if in_range {
        let behind = (precision as i64 - 1 - i64::from(exponent)) as usize;
        let text = fixed(value, behind, alternative);
        return if alternative { text } else { trimmed(&text).to_owned() };
    }
    let mut digits = digits;
    if alternative && precision == 1 {
        digits.push('.');
    }
    with_exponent(if alternative { &digits } else { trimmed(&digits) }, exponent)
}

fn trimmed(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

/// Without `0x`. The first digit is 1 for normal numbers and 0 for others; rounding may make it 2.
fn hexadecimal(value: f64, precision: Option<usize>, point: bool) -> String {
    let bits = value.to_bits();
    let fraction = bits & ((1 << 52) - 1);
    let biased = (bits >> 52) as i32;
    let (mut whole, exponent) = match (biased, fraction) {
        (0, 0) => (0, 0),
        (0, _) => (fraction, -1022),
        _ => (fraction | 1 << 52, biased - 1023),
    };
    let digits = match precision {
        None => 13 - (fraction.trailing_zeros().min(52) / 4) as usize,
        Some(n) => n,
    };
    if digits < 13 {
        let dropped = 4 * (13 - digits) as u32;
        let rest = whole & ((1 << dropped) - 1);
        let half = 1u64 << (dropped - 1);
        whole >>= dropped;
        whole += u64::from(rest > half || rest == half && whole & 1 == 1);
        whole <<= dropped;
    }
    let mut text = format!("{:x}", whole >> 52);
    if digits > 0 || point {
        text.push('.');
    }
    let behind = format!("{:013x}", whole & ((1 << 52) - 1));
    text.push_str(&behind[..digits.min(13)]);
    text.extend(std::iter::repeat_n('0', digits.saturating_sub(13)));
    let sign = if exponent < 0 { '-' } else { '+' };
    text + &format!("p{sign}{}", exponent.unsigned_abs())
}
