//! Exact conversion of floating-point constants: one rounding from the digits as written to any format in any mode.
//!
//! A constant is digits × 10^e or bits × 2^e. Both become an integer of at least 66 significant bits times a power of
//! two and one sticky bit that says whether anything is left below; then `round` decides once. Method: big integers
//! with small factors only (10 and 5^13), no estimates.

use super::token::PragmaRounding;

/// A binary floating-point format of IEEE 754.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// binary16.
    Half,
    /// binary32.
    Float,
    /// binary64.
    Double,
}

/// A converted constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Converted {
    /// The format's encoding, in the low bits.
    pub bits: u64,
    /// Whether the constant is larger than the format's largest finite number, so that it was cut or became infinity.
    pub is_overflow: bool,
    /// Whether the value differs from what is written.
    pub is_inexact: bool,
}

/// Digits beyond these only count as "more than nothing": enough to tell any number from the middle of two doubles.
const MAX_DIGITS: usize = 800;

impl Format {
    /// Bits of the significand, with the hidden one.
    fn precision(self) -> u32 {
        match self {
            Self::Half => 11,
            Self::Float => 24,
            Self::Double => 53,
        }
    }

    /// Exponent of the smallest subnormal number's bit.
    fn min_exp(self) -> i64 {
        match self {
            Self::Half => -24,
            Self::Float => -149,
            Self::Double => -1074,
        }
    }

    fn infinity(self) -> u64 {
        match self {
            Self::Half => 0x7c00,
            Self::Float => 0x7f80_0000,
            Self::Double => 0x7ff0_0000_0000_0000,
        }
    }
}

/// Converts the constant `text`: decimal or hexadecimal (a suffix is ignored), or `inf`, `nan`. Malformed text converts
/// as far as it makes sense.
pub fn convert(text: &str, format: Format, mode: PragmaRounding) -> Converted {
    let bytes = text.as_bytes();
    let (value, exp, sticky) = match bytes {
        b"inf" => return Converted { bits: format.infinity(), is_overflow: false, is_inexact: false },
        b"nan" => {
            let quiet = 1 << (format.precision() - 2);
            return Converted { bits: format.infinity() | quiet, is_overflow: false, is_inexact: false };
        }
        [b'0', b'x' | b'X', rest @ ..] => hexadecimal(rest),
        _ => decimal(bytes),
    };
    round(&value, exp, sticky, format, mode)
}

/// To the nearest double, ties to even.
pub fn to_f64(text: &str) -> f64 {
    f64::from_bits(convert(text, Format::Double, PragmaRounding::Rte).bits)
}

/// An integer, least significant word first, no leading zero words.
#[derive(Clone, Debug, Default)]
struct Big(Vec<u32>);

impl Big {
    fn mul_add(&mut self, factor: u32, add: u32) {
        let mut carry = u64::from(add);
        for word in &mut self.0 {
            carry += u64::from(*word) * u64::from(factor);
            *word = carry as u32;
            carry >>= 32;
        }
        if carry != 0 {
            self.0.push(carry as u32);
        }
    }

    /// Divides; whether there is a remainder.
    fn div(&mut self, divisor: u32) -> bool {
        let mut rest = 0u64;
        for word in self.0.iter_mut().rev() {
            rest = rest << 32 | u64::from(*word);
            *word = (rest / u64::from(divisor)) as u32;
            rest %= u64::from(divisor);
        }
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
        rest != 0
    }

    fn shift_left_words(&mut self, words: usize) {
        if !self.0.is_empty() {
            self.0.splice(0..0, std::iter::repeat_n(0, words));
        }
    }

    fn bit_len(&self) -> i64 {
        self.0.last().map_or(0, |top| self.0.len() as i64 * 32 - i64::from(top.leading_zeros()))
    }

    fn bit(&self, at: i64) -> bool {
        at >= 0 && self.0.get((at / 32) as usize).is_some_and(|word| word >> (at % 32) & 1 != 0)
    }

    /// Whether a bit below `at` is set.
    fn any_below(&self, at: i64) -> bool {
        let words = (at / 32).max(0) as usize;
        self.0.iter().take(words).any(|&w| w != 0)
            || at > 0 && self.0.get(words).is_some_and(|w| w & ((1u32 << (at % 32)) - 1) != 0)
    }

    /// Bits from `at` on, as far as 64 of them.
    fn shifted(&self, at: i64) -> u64 {
        let (words, bits) = ((at / 32) as usize, at % 32);
        let word = |i: usize| u128::from(self.0.get(words + i).copied().unwrap_or(0));
        ((word(0) | word(1) << 32 | word(2) << 64) >> bits) as u64
    }
}

fn decimal(bytes: &[u8]) -> (Big, i64, bool) {
    let mut value = Big::default();
    let mut n_digits = 0;
    let mut exp = 0i64;
    let mut sticky = false;
    let mut in_fraction = false;
    let mut at = 0;
    while let Some(&b) = bytes.get(at) {
        match b {
            b'.' => in_fraction = true,
            b'0'..=b'9' => {
                if n_digits < MAX_DIGITS {
                    value.mul_add(10, u32::from(b - b'0'));
                    n_digits += usize::from(!value.0.is_empty());
                    exp -= i64::from(in_fraction);
                } else {
                    sticky |= b != b'0';
                    exp += i64::from(!in_fraction);
                }
            }
            _ => break,
        }
        at += 1;
    }
    if let Some(b'e' | b'E') = bytes.get(at) {
        exp += exponent(&bytes[at + 1..]);
    }
    if value.0.is_empty() {
        return (value, 0, false);
    }
    if sticky {
        // Keeps the value below the next number of `MAX_DIGITS` digits and above this one.
        value.mul_add(10, 1);
        exp -= 1;
    }
    // Beyond these every format overflows or rounds to zero's neighbour.
    if n_digits as i64 + exp > 400 {
        return (Big(vec![1]), 4000, false);
    }
    if n_digits as i64 + exp < -400 {
        return (Big(vec![0, 0, 1]), -4000, true);
    }
    let mut exp2 = exp;
    if exp >= 0 {
        for _ in 0..exp {
            value.mul_add(5, 0);
        }
        return (value, exp2, false);
    }
    // value × 2^exp / 5^-exp, with at least 66 bits left after the division (5^n has fewer than 2.33n bits).
    let words = (-exp as usize * 75).div_ceil(32 * 32) + 3;
    value.shift_left_words(words);
    exp2 -= words as i64 * 32;
    let mut sticky = false;
    let mut fives = -exp;
    while fives > 0 {
        let step = fives.min(13);
        sticky |= value.div(5u32.pow(step as u32));
        fives -= step;
    }
    (value, exp2, sticky)
}

fn hexadecimal(bytes: &[u8]) -> (Big, i64, bool) {
    let mut value = Big::default();
    let mut n_digits = 0;
    let mut exp = 0i64;
    let mut sticky = false;
    let mut in_fraction = false;
    let mut at = 0;
    while let Some(&b) = bytes.get(at) {
        match (b, (b as char).to_digit(16)) {
            (b'.', _) => in_fraction = true,
            (_, Some(digit)) if n_digits < MAX_DIGITS => {
                value.mul_add(16, digit);
                n_digits += usize::from(!value.0.is_empty());
                exp -= 4 * i64::from(in_fraction);
            }
            (_, Some(digit)) => {
                sticky |= digit != 0;
                exp += 4 * i64::from(!in_fraction);
            }
            _ => break,
        }
        at += 1;
    }
    if let Some(b'p' | b'P') = bytes.get(at) {
        exp += exponent(&bytes[at + 1..]);
    }
    if value.0.is_empty() { (value, 0, false) } else { (value, exp, sticky) }
}

/// A signed decimal number, cut at ± a million.
fn exponent(bytes: &[u8]) -> i64 {
    let (sign, digits) = match bytes {
        [b'-', rest @ ..] => (-1, rest),
        [b'+', rest @ ..] => (1, rest),
        _ => (1, bytes),
    };
    let digits = digits.iter().take_while(|b| b.is_ascii_digit());
    sign * digits.fold(0, |n: i64, b| (n * 10 + i64::from(b - b'0')).min(1_000_000))
}

/// (value + something below one if sticky) × 2^exp.
fn round(value: &Big, exp: i64, sticky: bool, format: Format, mode: PragmaRounding) -> Converted {
    let len = value.bit_len();
    if len == 0 {
        return Converted { bits: 0, is_overflow: false, is_inexact: false };
    }
    let precision = i64::from(format.precision());
    let infinity = format.infinity();
    // Exponent of the result's last bit.
    let unit = (len + exp - precision).max(format.min_exp());
    let shift = unit - exp;
    let (mut bits, half, rest) = if shift > len {
        (0, false, true)
    } else if shift <= 0 {
        (value.shifted(0) << (-shift).min(63), false, sticky)
    } else {
        (value.shifted(shift), value.bit(shift - 1), value.any_below(shift - 1) || sticky)
    };
    let up = match mode {
        PragmaRounding::Rte => half && (rest || bits & 1 != 0),
        PragmaRounding::Rtp => half || rest,
        PragmaRounding::Rtz | PragmaRounding::Rtn => false,
    };
    bits += u64::from(up);
    let biased = (unit - format.min_exp()) as u64;
    if biased > infinity >> (precision - 1) || (biased << (precision - 1)) + bits >= infinity {
        let bits = match mode {
            PragmaRounding::Rte | PragmaRounding::Rtp => infinity,
            PragmaRounding::Rtz | PragmaRounding::Rtn => infinity - 1,
        };
        return Converted { bits, is_overflow: true, is_inexact: true };
    }
    Converted { bits: (biased << (precision - 1)) + bits, is_overflow: false, is_inexact: half || rest }
}

#[cfg(test)]
mod tests {
    use super::{Format, convert};
    use crate::lex::token::PragmaRounding::{Rte, Rtn, Rtp, Rtz};

    #[test]
    fn agrees_with_the_standard_library() {
        let mut state = 88172645463325252u64;
        let mut texts: Vec<String> =
            ["0", "0.0", "1", "1e0", ".5", "5.", "123456789012345678901234567890", "1e400", "1e-400"]
                .iter()
                .map(|s| (*s).to_owned())
                .collect();
        texts.extend(
            ["2.4703282292062327208e-324", "2.4703282292062328e-324", "1.7976931348623158e308", "1e23"]
                .map(String::from),
        );
        texts.extend(
            ["9007199254740993", "9007199254740992.99999999999999999999999", "16777217", "1e-45", "7e-46"]
                .map(String::from),
        );
        for _ in 0..4000 {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            texts.push(format!("{:e}", f64::from_bits(state & 0x7fef_ffff_ffff_ffff)));
            texts.push(format!("{}.{}e{}", state >> 40, state & 0xff_ffff, (state >> 24) as i8));
        }
        for text in &texts {
            let double = convert(text, Format::Double, Rte).bits;
            assert_eq!(double, text.parse::<f64>().unwrap().to_bits(), "{text}");
            let float = convert(text, Format::Float, Rte).bits;
            assert_eq!(float, u64::from(text.parse::<f32>().unwrap().to_bits()), "{text}");
        }
    }

    #[test]
    fn directed_modes_enclose_the_value() {
        for text in ["0.1", "1e-50", "3.14159", "1e39", "65519", "1e-9", "0x1.000001p0", "0x1.00000001p-130"] {
            for format in [Format::Half, Format::Float, Format::Double] {
                let [down, nearest, up] = [Rtn, Rte, Rtp].map(|mode| convert(text, format, mode).bits);
                assert_eq!(convert(text, format, Rtz).bits, down, "{text}");
                assert!(nearest == down || nearest == up, "{text} {format:?}");
                let is_inexact = convert(text, format, Rte).is_inexact;
                assert_eq!(up, down + u64::from(is_inexact), "{text} {format:?}");
            }
        }
        assert_eq!(convert("1.5", Format::Float, Rtp).bits, u64::from(1.5f32.to_bits()));
    }

    #[test]
    fn half_rounds_once() {
        // Just above the middle of 1 and its successor, by less than float can tell.
        assert_eq!(convert("1.00048828125000000001", Format::Half, Rte).bits, 0x3c01);
        assert_eq!(convert("1.00048828125", Format::Half, Rte).bits, 0x3c00);
        assert_eq!(convert("65504", Format::Half, Rte).bits, 0x7bff);
        assert_eq!(convert("65519.999", Format::Half, Rte).bits, 0x7bff);
        let over = convert("65520", Format::Half, Rte);
        assert_eq!((over.bits, over.is_overflow), (0x7c00, true));
        assert_eq!(convert("65520", Format::Half, Rtz).bits, 0x7bff);
        assert_eq!(convert("2.98e-8", Format::Half, Rte).bits, 0);
        assert_eq!(convert("2.99e-8", Format::Half, Rte).bits, 1);
    }

    #[test]
    fn hexadecimal_and_long_constants() {
        assert_eq!(convert("0x1.fffffep127", Format::Float, Rte).bits, 0x7f7f_ffff);
        assert_eq!(convert("0x1.ffffffp127", Format::Float, Rte).bits, 0x7f80_0000);
        assert_eq!(convert("0x1p-1074", Format::Double, Rte).bits, 1);
        assert_eq!(convert("0x.8p-1074", Format::Double, Rte).bits, 0);
        assert_eq!(convert("0x.8p-1074", Format::Double, Rtp).bits, 1);
        assert_eq!(convert("0x1.8p1f", Format::Double, Rte).bits, 3f64.to_bits());
        assert_eq!(convert("0x0p99999999999999999999", Format::Double, Rte).bits, 0);
        assert_eq!(convert("0x1p-99999999999999999999", Format::Double, Rtp).bits, 1);
        let long = format!("1{}e-5000", "0".repeat(5000));
        assert_eq!(convert(&long, Format::Double, Rte).bits, 1f64.to_bits());
        let above = format!("1.{}1", "0".repeat(5000));
        assert_eq!(convert(&above, Format::Double, Rtp).bits, 1f64.to_bits() + 1);
        assert_eq!(convert(&above, Format::Double, Rte).bits, 1f64.to_bits());
        assert_eq!(convert(&"9".repeat(100_000), Format::Double, Rtz).bits, f64::MAX.to_bits());
    }
}
