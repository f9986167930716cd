//! IEEE arithmetic in every format and rounding mode, exact by integer arithmetic: for constant expressions, the passes
//! and the interpreter. A NaN result of an arithmetic operation is the positive quiet NaN without payload; sign
//! operations keep bits. Knows numbers only, no KIR values.

use crate::ir::op::Rounding;
use crate::ir::ty::Scalar;
use std::cmp::Ordering;

/// A binary floating-point format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// Significand bits, the hidden one included.
    precision: u32,
    /// Exponent of the largest finite numbers.
    emax: i32,
    /// Width in bits.
    bits: u32,
    /// Results that denormal numbers would stand for are zeros.
    flushes: bool,
}

/// binary16.
pub const F16: Format = Format { precision: 11, emax: 15, bits: 16, flushes: false };
/// binary32.
pub const F32: Format = Format { precision: 24, emax: 127, bits: 32, flushes: false };
/// binary64.
pub const F64: Format = Format { precision: 53, emax: 1023, bits: 64, flushes: false };

impl Format {
    /// The format of a float kind; other kinds count as f64.
    pub fn of(elem: Scalar) -> Format {
        match elem {
            Scalar::F16 => F16,
            Scalar::F32 => F32,
            _ => F64,
        }
    }
    /// The format with so many bits.
    pub fn of_bits(bits: u8) -> Format {
        match bits {
            16 => F16,
            32 => F32,
            _ => F64,
        }
    }
    /// The format in which results that are denormal, as rounded without a least exponent, are zeros with their sign,
    /// as processors have it where they "flush to zero". Of binary16 there is none.
    pub fn flushing(self, flushes: bool) -> Format {
        Format { flushes: flushes && self.bits > 16, ..self }
    }
    fn sign_bit(self) -> u64 {
        1 << (self.bits - 1)
    }
    fn inf(self) -> u64 {
        ((1 << (self.bits - self.precision)) - 1) << (self.precision - 1)
    }
    /// The quiet NaN that arithmetic returns.
    pub fn nan(self) -> u64 {
        self.inf() | 1 << (self.precision - 2)
    }
    fn signed(self, negative: bool, magnitude: u64) -> u64 {
        if negative { magnitude | self.sign_bit() } else { magnitude }
    }
}

/// A number taken apart: ± mant · 2^exp.
#[derive(Clone, Copy, Debug)]
struct Parts {
    negative: bool,
    mant: u128,
    exp: i32,
}

enum Class {
    Nan,
    Inf(bool),
    Finite(Parts),
}

fn decode(f: Format, bits: u64) -> Class {
    let negative = bits & f.sign_bit() != 0;
    let frac = bits & ((1 << (f.precision - 1)) - 1);
    let biased = (bits & (f.sign_bit() - 1)) >> (f.precision - 1);
    let top = (1u64 << (f.bits - f.precision)) - 1;
    let lowest = 1 - f.emax - (f.precision as i32 - 1);
    match biased {
        b if b == top && frac != 0 => Class::Nan,
        b if b == top => Class::Inf(negative),
        0 => Class::Finite(Parts { negative, mant: u128::from(frac), exp: lowest }),
        b => Class::Finite(Parts {
            negative,
            mant: u128::from(frac | 1 << (f.precision - 1)),
            exp: lowest + b as i32 - 1,
        }),
    }
}

/// The nearest number of the format in the direction of `rm`. The lowest bit of `mant` may stand for "and a bit more"
/// if there are more than two bits below the format's precision.
fn round(f: Format, x: Parts, rm: Rounding) -> u64 {
    let Parts { negative, mant, exp } = x;
    if mant == 0 {
        return f.signed(negative, 0);
    }
    let leading = exp + 127 - mant.leading_zeros() as i32;
    let least = if f.flushes { leading } else { leading.max(1 - f.emax) };
    let mut quantum = least - (f.precision as i32 - 1);
    let shift = quantum - exp;
    let (mut m, rest) = match shift {
        ..=0 => ((mant << -shift) as u64, Ordering::Less),
        1..=127 => {
            let rem = mant & ((1 << shift) - 1);
            let half = 1u128 << (shift - 1);
            ((mant >> shift) as u64, rem.cmp(&half))
        }
        _ => (0, Ordering::Less),
    };
    let inexact = shift > 0 && (shift > 127 || mant & ((1 << shift) - 1) != 0);
    let up = inexact
        && match rm {
            Rounding::Rte => rest == Ordering::Greater || (rest == Ordering::Equal && m & 1 == 1),
            Rounding::Rtz => false,
            Rounding::Rtp => !negative,
            Rounding::Rtn => negative,
        };
    if up {
        m += 1;
        if m == 1 << f.precision {
            m >>= 1;
            quantum += 1;
        }
    }
    if m < 1 << (f.precision - 1) {
        return f.signed(negative, m);
    }
    let e = quantum + f.precision as i32 - 1;
    if e < 1 - f.emax {
        return f.signed(negative, 0);
    }
    if e > f.emax {
        let to_inf = match rm {
            Rounding::Rte => true,
            Rounding::Rtz => false,
            Rounding::Rtp => !negative,
            Rounding::Rtn => negative,
        };
        return f.signed(negative, if to_inf { f.inf() } else { f.inf() - 1 });
    }
    let biased = (e + f.emax) as u64;
    f.signed(negative, biased << (f.precision - 1) | (m & ((1 << (f.precision - 1)) - 1)))
}

/// Shifts right; bits lost are kept as a one in the lowest place.
fn jam(mant: u128, shift: u32) -> u128 {
    match shift {
        0 => mant,
        1..=127 => mant >> shift | u128::from(mant & ((1 << shift) - 1) != 0),
        _ => u128::from(mant != 0),
    }
}

/// a + b for significands of up to 106 bits.
fn sum(f: Format, a: Parts, b: Parts, rm: Rounding) -> u64 {
    let leading = |x: &Parts| x.exp + 127 - x.mant.leading_zeros() as i32;
    match (a.mant, b.mant) {
        (0, 0) => {
            let negative = if a.negative == b.negative { a.negative } else { rm == Rounding::Rtn };
            return f.signed(negative, 0);
        }
        (0, _) => return round(f, b, rm),
        (_, 0) => return round(f, a, rm),
        _ => {}
    }
    let (a, b) = if leading(&a) >= leading(&b) { (a, b) } else { (b, a) };
    // The larger one to bit 125: room for a carry, and what falls off below cannot meet a cancellation.
    let up = a.mant.leading_zeros() as i32 - 2;
    let (big, exp) = (a.mant << up, a.exp - up);
    let shift = exp - b.exp;
    let small = if shift <= 0 { b.mant << -shift } else { jam(b.mant, shift as u32) };
    if a.negative == b.negative {
        return round(f, Parts { negative: a.negative, mant: big + small, exp }, rm);
    }
    match big.cmp(&small) {
        Ordering::Equal => f.signed(rm == Rounding::Rtn, 0),
        Ordering::Greater => round(f, Parts { negative: a.negative, mant: big - small, exp }, rm),
        Ordering::Less => round(f, Parts { negative: b.negative, mant: small - big, exp }, rm),
    }
}

/// a + b.
pub fn add(f: Format, a: u64, b: u64, rm: Rounding) -> u64 {
    match (decode(f, a), decode(f, b)) {
        (Class::Nan, _) | (_, Class::Nan) => f.nan(),
        (Class::Inf(x), Class::Inf(y)) if x != y => f.nan(),
        (Class::Inf(x), _) | (_, Class::Inf(x)) => f.signed(x, f.inf()),
        (Class::Finite(x), Class::Finite(y)) => sum(f, x, y, rm),
    }
}

/// a - b.
pub fn sub(f: Format, a: u64, b: u64, rm: Rounding) -> u64 {
    add(f, a, b ^ f.sign_bit(), rm)
}

/// -a, NaN too.
pub fn neg(f: Format, a: u64) -> u64 {
    a ^ f.sign_bit()
}

/// a * b.
pub fn mul(f: Format, a: u64, b: u64, rm: Rounding) -> u64 {
    let negative = (a ^ b) & f.sign_bit() != 0;
    match (decode(f, a), decode(f, b)) {
        (Class::Nan, _) | (_, Class::Nan) => f.nan(),
        (Class::Inf(_), Class::Finite(x)) | (Class::Finite(x), Class::Inf(_)) if x.mant == 0 => f.nan(),
        (Class::Inf(_), _) | (_, Class::Inf(_)) => f.signed(negative, f.inf()),
        (Class::Finite(x), Class::Finite(y)) => {
            round(f, Parts { negative, mant: x.mant * y.mant, exp: x.exp + y.exp }, rm)
        }
    }
}

/// a / b.
pub fn div(f: Format, a: u64, b: u64, rm: Rounding) -> u64 {
    let negative = (a ^ b) & f.sign_bit() != 0;
    match (decode(f, a), decode(f, b)) {
        (Class::Nan, _) | (_, Class::Nan) | (Class::Inf(_), Class::Inf(_)) => f.nan(),
        (Class::Inf(_), _) => f.signed(negative, f.inf()),
        (_, Class::Inf(_)) => f.signed(negative, 0),
        (Class::Finite(x), Class::Finite(y)) => match (x.mant, y.mant) {
            (0, 0) => f.nan(),
            (0, _) => f.signed(negative, 0),
            (_, 0) => f.signed(negative, f.inf()),
            _ => {
                let up = x.mant.leading_zeros() as i32 - 1;
                let n = x.mant << up;
                let mant = (n / y.mant) | u128::from(!n.is_multiple_of(y.mant));
                round(f, Parts { negative, mant, exp: x.exp - up - y.exp }, rm)
            }
        },
    }
}

/// a * b + c rounded once.
pub fn fma(f: Format, a: u64, b: u64, c: u64, rm: Rounding) -> u64 {
    let negative = (a ^ b) & f.sign_bit() != 0;
    match (decode(f, a), decode(f, b), decode(f, c)) {
        (Class::Nan, _, _) | (_, Class::Nan, _) | (_, _, Class::Nan) => f.nan(),
        (Class::Inf(_), Class::Finite(x), _) | (Class::Finite(x), Class::Inf(_), _) if x.mant == 0 => f.nan(),
        (Class::Inf(_), _, Class::Inf(z)) | (_, Class::Inf(_), Class::Inf(z)) if z != negative => f.nan(),
        (Class::Inf(_), _, _) | (_, Class::Inf(_), _) => f.signed(negative, f.inf()),
        (_, _, Class::Inf(z)) => f.signed(z, f.inf()),
        (Class::Finite(x), Class::Finite(y), Class::Finite(z)) => {
            sum(f, Parts { negative, mant: x.mant * y.mant, exp: x.exp + y.exp }, z, rm)
        }
    }
}

/// Conversion between formats.
pub fn convert(from: Format, to: Format, bits: u64, rm: Rounding) -> u64 {
    match decode(from, bits) {
        Class::Nan => to.nan(),
        Class::Inf(negative) => to.signed(negative, to.inf()),
        Class::Finite(x) => round(to, x, rm),
    }
}

/// An integer as a float.
pub fn from_int(to: Format, negative: bool, magnitude: u64, rm: Rounding) -> u64 {
    round(to, Parts { negative: negative && magnitude != 0, mant: u128::from(magnitude), exp: 0 }, rm)
}

/// To an integer by `rm`; `None` for NaN. Saturates at ±2^100, beyond every integer type.
pub fn to_int(from: Format, bits: u64, rm: Rounding) -> Option<i128> {
    let x = match decode(from, bits) {
        Class::Nan => return None,
        Class::Inf(true) => return Some(-(1 << 100)),
        Class::Inf(false) => return Some(1 << 100),
        Class::Finite(x) => x,
    };
    let magnitude = match x.exp {
        64.. => 1i128 << 100,
        0..64 => ((x.mant << x.exp) as i128).min(1 << 100),
        _ => {
            let shift = (-x.exp).min(127) as u32;
            let (int, rem, half) = ((x.mant >> shift) as i128, x.mant & ((1 << shift) - 1), 1u128 << (shift - 1));
            let up = match rm {
                Rounding::Rte => rem > half || (rem == half && int & 1 == 1),
                Rounding::Rtz => false,
                Rounding::Rtp => rem != 0 && !x.negative,
                Rounding::Rtn => rem != 0 && x.negative,
            };
            int + i128::from(up)
        }
    };
    Some(if x.negative { -magnitude } else { magnitude })
}

/// The nearest integer of a width, in its low bits; a NaN is 0.
pub fn to_int_saturated(from: Format, bits: u64, is_signed: bool, width: u32, rm: Rounding) -> u64 {
    let n = width - u32::from(is_signed);
    let (low, high) = (if is_signed { -(1i128 << n) } else { 0 }, (1i128 << n) - 1);
    to_int(from, bits, rm).unwrap_or(0).clamp(low, high) as u64 & (u64::MAX >> (64 - width))
}

/// The integral float in the direction of `rm`; keeps the sign of zero.
pub fn integral(f: Format, bits: u64, rm: Rounding) -> u64 {
    match decode(f, bits) {
        Class::Nan => f.nan(),
        // Already integral.
        Class::Inf(_) => bits,
        Class::Finite(x) if x.exp >= 0 => bits,
        Class::Finite(x) => {
            let int = to_int(f, bits, rm).unwrap_or(0);
            f.signed(x.negative, from_int(f, false, int.unsigned_abs() as u64, Rounding::Rte))
        }
    }
}

/// The value as f64; exact.
pub fn to_f64(f: Format, bits: u64) -> f64 {
    match f {
        F32 => f64::from(f32::from_bits(bits as u32)),
        F64 => f64::from_bits(bits),
        _ => f64::from_bits(convert(f, F64, bits, Rounding::Rte)),
    }
}

/// True for denormal numbers and the least normal ones, to which what is less may have been rounded.
pub fn is_tiny(f: Format, bits: u64) -> bool {
    let magnitude = bits & (f.sign_bit() - 1);
    (1..=1 << (f.precision - 1)).contains(&magnitude)
}

/// True for NaNs.
pub fn is_nan(f: Format, bits: u64) -> bool {
    bits & (f.sign_bit() - 1) > f.inf()
}

/// Square root, to nearest even.
pub fn sqrt(f: Format, bits: u64) -> u64 {
    let x = to_f64(f, bits);
    if x.is_nan() || x < 0.0 {
        return f.nan();
    }
    match f {
        F32 => u64::from((x as f32).sqrt().to_bits()),
        F64 => x.sqrt().to_bits(),
        // f64 has more than twice the precision of binary16 and two bits, so rounding twice is rounding once.
        _ => convert(F64, f, x.sqrt().to_bits(), Rounding::Rte),
    }
}

/// C's fmod; exact.
pub fn rem(f: Format, a: u64, b: u64) -> u64 {
    let r = to_f64(f, a) % to_f64(f, b);
    if r.is_nan() { f.nan() } else { convert(F64, f, r.to_bits(), Rounding::Rte) }
}

/// OpenCL's fmin (`Ordering::Less`) or fmax (`Ordering::Greater`): the other operand for one NaN; the second of
/// two that compare equal.
pub fn extreme(f: Format, a: u64, b: u64, wanted: Ordering) -> u64 {
    match (is_nan(f, a), is_nan(f, b)) {
        (true, true) => f.nan(),
        (true, false) => b,
        (false, true) => a,
        _ if to_f64(f, a).partial_cmp(&to_f64(f, b)) == Some(wanted) => a,
        _ => b,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A generator of interesting bit patterns.
    struct Gen(u64);

    impl Gen {
        fn next(&mut self) -> u64 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            self.0
        }
        /// Special values, short significands and any bits, with exponents near each other often enough.
        fn float(&mut self, f: Format) -> u64 {
            let any = self.next() & (f.sign_bit() | (f.sign_bit() - 1));
            match self.next() % 8 {
                0 => f.signed(
                    any & 1 == 1,
                    [0, 1, f.inf(), f.inf() - 1, f.nan(), 1 << (f.precision - 1)][(any >> 1) as usize % 6],
                ),
                1 => any & !((1 << (f.precision - 4)) - 1),
                2..6 => {
                    let bias = f.emax as u64;
                    let exp = bias - 3 + (any >> 40) % 6;
                    f.signed(any & 1 == 1, exp << (f.precision - 1) | (self.next() & ((1 << (f.precision - 1)) - 1)))
                }
                _ => any,
            }
        }
    }

    fn canon32(x: f32) -> u64 {
        if x.is_nan() { F32.nan() } else { u64::from(x.to_bits()) }
    }

    fn canon64(x: f64) -> u64 {
        if x.is_nan() { F64.nan() } else { x.to_bits() }
    }

    #[test]
    fn agrees_with_the_machine_to_nearest() {
        let mut g = Gen(0x9e3779b97f4a7c15);
        for _ in 0..60_000 {
            let [a, b, c] = [0; 3].map(|_| g.float(F32));
            let [x, y, z] = [a, b, c].map(|v| f32::from_bits(v as u32));
            let rm = Rounding::Rte;
            assert_eq!(add(F32, a, b, rm), canon32(x + y), "{x:?} + {y:?}");
            assert_eq!(mul(F32, a, b, rm), canon32(x * y), "{x:?} * {y:?}");
            assert_eq!(div(F32, a, b, rm), canon32(x / y), "{x:?} / {y:?}");
            assert_eq!(fma(F32, a, b, c, rm), canon32(x.mul_add(y, z)), "{x:?} * {y:?} + {z:?}");
            assert_eq!(convert(F32, F64, a, rm), canon64(f64::from(x)));
            let [a, b, c] = [0; 3].map(|_| g.float(F64));
            let [x, y, z] = [a, b, c].map(f64::from_bits);
            assert_eq!(add(F64, a, b, rm), canon64(x + y), "{x:?} + {y:?}");
            assert_eq!(mul(F64, a, b, rm), canon64(x * y), "{x:?} * {y:?}");
            assert_eq!(div(F64, a, b, rm), canon64(x / y), "{x:?} / {y:?}");
            assert_eq!(fma(F64, a, b, c, rm), canon64(x.mul_add(y, z)), "{x:?} * {y:?} + {z:?}");
            assert_eq!(convert(F64, F32, a, rm), canon32(x as f32), "{x:?}");
            assert_eq!(integral(F64, a, Rounding::Rtn), canon64(x.floor()), "{x:?}");
            assert_eq!(integral(F64, a, Rounding::Rtp), canon64(x.ceil()), "{x:?}");
            assert_eq!(integral(F64, a, rm), canon64(x.round_ties_even()), "{x:?}");
            assert_eq!(from_int(F64, false, a, rm), canon64(a as f64));
            assert_eq!(from_int(F32, false, a, rm), canon32(a as f32));
            let h = g.float(F16);
            if !is_nan(F16, h) {
                assert_eq!(to_f64(F16, h), half::f16::from_bits(h as u16).to_f64());
            }
        }
    }

    /// Directed results lie on their side of the exact value and are neighbours.
    #[test]
    fn directed_modes_bracket() {
        let key = |f: Format, bits: u64| -> i128 {
            let magnitude = i128::from(bits & (f.sign_bit() - 1));
            if bits & f.sign_bit() != 0 { -magnitude } else { magnitude }
        };
        let mut g = Gen(0x2545f4914f6cdd1d);
        for f in [F16, F32, F64] {
            for n in 0..40_000 {
                let [a, b, c] = [0; 3].map(|_| g.float(f));
                let run = |rm| match n % 5 {
                    0 => add(f, a, b, rm),
                    1 => mul(f, a, b, rm),
                    2 => div(f, a, b, rm),
                    3 => fma(f, a, b, c, rm),
                    _ => convert(F64, f, a.wrapping_mul(0x9e3779b97f4a7c15), rm),
                };
                let [near, zero, up, down] = [Rounding::Rte, Rounding::Rtz, Rounding::Rtp, Rounding::Rtn].map(run);
                if is_nan(f, near) {
                    assert_eq!([zero, up, down], [near; 3]);
                    continue;
                }
                let (low, high) = (key(f, down), key(f, up));
                assert!(high == low || high == low + 1, "{a:#x} {b:#x} {c:#x}: {down:#x} {up:#x}");
                assert!(near == up || near == down);
                assert!(zero == up || zero == down);
                assert!(key(f, zero).abs() <= low.abs().max(high.abs()));
            }
        }
    }

    #[test]
    fn directed_examples() {
        let f = |x: f32| u64::from(x.to_bits());
        let (one, tiny) = (f(1.0), f(f32::from_bits(1)));
        assert_eq!(add(F32, one, tiny, Rounding::Rtp), f(1.0 + f32::EPSILON));
        assert_eq!(add(F32, one, tiny, Rounding::Rtn), one);
        assert_eq!(sub(F32, one, tiny, Rounding::Rtz), f(1.0 - f32::EPSILON / 2.0));
        assert_eq!(sub(F32, one, one, Rounding::Rtn), f(-0.0));
        assert_eq!(sub(F32, one, one, Rounding::Rtp), f(0.0));
        assert_eq!(div(F32, one, f(3.0), Rounding::Rtz), f(f32::from_bits(0x3eaaaaaa)));
        assert_eq!(div(F32, one, f(3.0), Rounding::Rtp), f(f32::from_bits(0x3eaaaaab)));
        assert_eq!(mul(F32, f(f32::MAX), f(2.0), Rounding::Rtz), f(f32::MAX));
        assert_eq!(mul(F32, f(-f32::MAX), f(2.0), Rounding::Rtp), f(-f32::MAX));
        assert_eq!(mul(F32, tiny, f(0.25), Rounding::Rtp), tiny);
        assert_eq!(mul(F32, tiny, f(0.25), Rounding::Rtn), 0);
        assert_eq!(from_int(F32, false, 16_777_217, Rounding::Rtp), f(16_777_218.0));
        assert_eq!(to_int(F32, f(-2.5), Rounding::Rte), Some(-2));
        assert_eq!(to_int(F32, f(-2.5), Rounding::Rtn), Some(-3));
        assert_eq!(to_int(F32, f(0.1), Rounding::Rtp), Some(1));
        assert_eq!(sqrt(F16, 0x4000), 0x3da8);
        assert_eq!(rem(F32, f(-5.5), f(2.0)), f(-1.5));
    }
}
