//! Exact binary floating point in every rounding mode, for constant folding: what the machine would compute, bit for bit,
//! without touching its rounding mode. Values are IEEE bits zero-extended to 64.

use crate::ir::op::Rounding;

/// A binary format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Format {
    /// Bits of the significand after the leading one.
    frac: u32,
    /// Bits of the exponent.
    exp: u32,
}

/// binary16.
pub(super) const F16: Format = Format { frac: 10, exp: 5 };
/// binary32.
pub(super) const F32: Format = Format { frac: 23, exp: 8 };
/// binary64.
pub(super) const F64: Format = Format { frac: 52, exp: 11 };

impl Format {
    /// The format with so many bits.
    pub(super) fn of_bits(bits: u8) -> Self {
        match bits {
            16 => F16,
            32 => F32,
            _ => F64,
        }
    }

    fn bias(self) -> i32 {
        (1 << (self.exp - 1)) - 1
    }

    fn sign_bit(self) -> u64 {
        1 << (self.frac + self.exp)
    }

    fn inf(self) -> u64 {
        ((1 << self.exp) - 1) << self.frac
    }

    fn nan(self) -> u64 {
        self.inf() | 1 << (self.frac - 1)
    }
}

/// An unpacked value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Num {
    Nan,
    Inf(bool),
    Zero(bool),
    /// (-1)^sign * mant * 2^exp, mant > 0.
    Finite(bool, u128, i32),
}

fn unpack(bits: u64, f: Format) -> Num {
    let sign = bits & f.sign_bit() != 0;
    let frac = bits & ((1 << f.frac) - 1);
    let exp = (bits >> f.frac) & ((1 << f.exp) - 1);
    let shift = f.bias() + f.frac as i32;
    if exp == (1 << f.exp) - 1 {
        if frac == 0 { Num::Inf(sign) } else { Num::Nan }
    } else if exp == 0 {
        if frac == 0 { Num::Zero(sign) } else { Num::Finite(sign, u128::from(frac), 1 - shift) }
    } else {
        Num::Finite(sign, u128::from(frac | 1 << f.frac), exp as i32 - shift)
    }
}

/// Whether a magnitude with this remainder goes up. `low`: lowest kept bit; `half`, `rest`: first dropped bit, and any other.
fn goes_up(rm: Rounding, sign: bool, low: bool, half: bool, rest: bool) -> bool {
    match rm {
        Rounding::Rte => half && (rest || low),
        Rounding::Rtz => false,
        Rounding::Rtp => !sign && (half || rest),
        Rounding::Rtn => sign && (half || rest),
    }
}

/// Rounds mant * 2^exp into a format. Bits that were dropped before may be summed up in the lowest bit of `mant` if it has
/// at least two bits more than the format.
fn pack(sign: bool, mant: u128, exp: i32, f: Format, rm: Rounding) -> u64 {
    let s = if sign { f.sign_bit() } else { 0 };
    if mant == 0 {
        return s;
    }
    let top = 127 - mant.leading_zeros() as i32;
    let min_exp = 1 - f.bias() - f.frac as i32;
    // Exponent of the lowest kept bit.
    let keep = (exp + top - f.frac as i32).max(min_exp);
    let shift = keep - exp;
    let mut kept = if shift <= 0 {
        (mant << -shift) as u64
    } else if shift >= 128 {
        u64::from(goes_up(rm, sign, false, false, true))
    } else {
        let kept = (mant >> shift) as u64;
        let half = mant >> (shift - 1) & 1 == 1;
        let rest = shift > 1 && mant & ((1u128 << (shift - 1)) - 1) != 0;
        kept + u64::from(goes_up(rm, sign, kept & 1 == 1, half, rest))
    };
    let mut keep = keep;
    if kept >> (f.frac + 1) != 0 {
        kept >>= 1;
        keep += 1;
    }
    if kept >> f.frac == 0 {
        // Subnormal or zero.
        return s | kept;
    }
    let biased = keep + f.bias() + f.frac as i32;
    if biased >= (1 << f.exp) - 1 {
        let to_inf = match rm {
            Rounding::Rte => true,
            Rounding::Rtz => false,
            Rounding::Rtp => !sign,
            Rounding::Rtn => sign,
        };
        return s | if to_inf { f.inf() } else { f.inf() - 1 };
    }
    s | (biased as u64) << f.frac | (kept & ((1 << f.frac) - 1))
}

/// Adds two finite values with their signs; exact but for a sticky lowest bit.
fn sum(a: (bool, u128, i32), b: (bool, u128, i32), f: Format, rm: Rounding) -> u64 {
    // Both normalised to bit 124, so that there is room for a carry and every format keeps guard bits.
    let norm = |(s, m, e): (bool, u128, i32)| {
        let up = m.leading_zeros() as i32 - 3;
        if up >= 0 { (s, m << up, e - up) } else { (s, m >> -up | u128::from(m & 7 != 0), e - up) }
    };
    let (mut a, mut b) = (norm(a), norm(b));
    if (a.2, a.1) < (b.2, b.1) {
        std::mem::swap(&mut a, &mut b);
    }
    let gap = (a.2 - b.2) as u32;
    let small = if gap == 0 {
        b.1
    } else if gap >= 127 {
        1
    } else {
        b.1 >> gap | u128::from(b.1 & ((1u128 << gap) - 1) != 0)
    };
    if a.0 == b.0 {
        return pack(a.0, a.1 + small, a.2, f, rm);
    }
    let diff = a.1 - small;
    if diff == 0 {
        return if rm == Rounding::Rtn { f.sign_bit() } else { 0 };
    }
    pack(a.0, diff, a.2, f, rm)
}

fn zero_sum(a: bool, b: bool, f: Format, rm: Rounding) -> u64 {
    let sign = if a == b { a } else { rm == Rounding::Rtn };
    if sign { f.sign_bit() } else { 0 }
}

fn signed(sign: bool, bits: u64, f: Format) -> u64 {
    if sign { bits | f.sign_bit() } else { bits }
}

/// a + b.
pub(super) fn add(a: u64, b: u64, f: Format, rm: Rounding) -> u64 {
    match (unpack(a, f), unpack(b, f)) {
        (Num::Nan, _) | (_, Num::Nan) => f.nan(),
        (Num::Inf(x), Num::Inf(y)) => {
            if x == y {
                a
            } else {
                f.nan()
            }
        }
        (Num::Inf(_), _) => a,
        (_, Num::Inf(_)) => b,
        (Num::Zero(x), Num::Zero(y)) => zero_sum(x, y, f, rm),
        (Num::Zero(_), _) => b,
        (_, Num::Zero(_)) => a,
        (Num::Finite(s, m, e), Num::Finite(t, n, g)) => sum((s, m, e), (t, n, g), f, rm),
    }
}

/// a - b.
pub(super) fn sub(a: u64, b: u64, f: Format, rm: Rounding) -> u64 {
    add(a, neg(b, f), f, rm)
}

/// -a, NaN too.
pub(super) fn neg(a: u64, f: Format) -> u64 {
    a ^ f.sign_bit()
}

/// a * b.
pub(super) fn mul(a: u64, b: u64, f: Format, rm: Rounding) -> u64 {
    match (unpack(a, f), unpack(b, f)) {
        (Num::Nan, _) | (_, Num::Nan) => f.nan(),
        (Num::Inf(_), Num::Zero(_)) | (Num::Zero(_), Num::Inf(_)) => f.nan(),
        (Num::Inf(s), Num::Inf(t) | Num::Finite(t, ..)) | (Num::Finite(s, ..), Num::Inf(t)) => {
            signed(s != t, f.inf(), f)
        }
        (Num::Zero(s), Num::Zero(t) | Num::Finite(t, ..)) | (Num::Finite(s, ..), Num::Zero(t)) => signed(s != t, 0, f),
        (Num::Finite(s, m, e), Num::Finite(t, n, g)) => pack(s != t, m * n, e + g, f, rm),
    }
}

/// a / b.
pub(super) fn div(a: u64, b: u64, f: Format, rm: Rounding) -> u64 {
    match (unpack(a, f), unpack(b, f)) {
        (Num::Nan, _) | (_, Num::Nan) => f.nan(),
        (Num::Inf(_), Num::Inf(_)) | (Num::Zero(_), Num::Zero(_)) => f.nan(),
        (Num::Inf(s), Num::Zero(t) | Num::Finite(t, ..)) => signed(s != t, f.inf(), f),
        (Num::Finite(s, ..), Num::Zero(t)) => signed(s != t, f.inf(), f),
        (Num::Zero(s), Num::Inf(t) | Num::Finite(t, ..)) | (Num::Finite(s, ..), Num::Inf(t)) => signed(s != t, 0, f),
        (Num::Finite(s, m, e), Num::Finite(t, n, g)) => {
            let up = m.leading_zeros() as i32 - 1;
            let (m, e) = (m << up, e - up);
            // At least 127 - 53 quotient bits; the remainder goes into a sticky bit below them.
            let (q, r) = (m / n, m % n);
            pack(s != t, q << 1 | u128::from(r != 0), e - g - 1, f, rm)
        }
    }
}

/// a * b + c, rounded once.
pub(super) fn fma(a: u64, b: u64, c: u64, f: Format, rm: Rounding) -> u64 {
    let (x, y, z) = (unpack(a, f), unpack(b, f), unpack(c, f));
    let (Num::Finite(s, m, e), Num::Finite(t, n, g)) = (x, y) else {
        // The product is exact: zero, infinity or NaN.
        return add(mul(a, b, f, rm), c, f, rm);
    };
    match z {
        Num::Nan => f.nan(),
        Num::Inf(_) => c,
        Num::Zero(_) => pack(s != t, m * n, e + g, f, rm),
        Num::Finite(u, o, h) => sum((s != t, m * n, e + g), (u, o, h), f, rm),
    }
}

/// C's fmod.
pub(super) fn rem(a: u64, b: u64, f: Format) -> u64 {
    let wide = |bits| f64::from_bits(convert(bits, f, F64, Rounding::Rte));
    // Exact in double, and the result fits the narrow format.
    convert((wide(a) % wide(b)).to_bits(), F64, f, Rounding::Rte)
}

/// Float to float.
pub(super) fn convert(bits: u64, from: Format, to: Format, rm: Rounding) -> u64 {
    match unpack(bits, from) {
        Num::Nan => to.nan(),
        Num::Inf(s) => signed(s, to.inf(), to),
        Num::Zero(s) => signed(s, 0, to),
        Num::Finite(s, m, e) => pack(s, m, e, to, rm),
    }
}

/// Integer to float.
pub(super) fn from_int(value: i128, to: Format, rm: Rounding) -> u64 {
    pack(value < 0, value.unsigned_abs(), 0, to, rm)
}

/// Float to integer; out of range goes to the nearest end of `low..=high`, NaN to 0.
pub(super) fn to_int(bits: u64, from: Format, rm: Rounding, low: i128, high: i128) -> i128 {
    let (sign, m, e) = match unpack(bits, from) {
        Num::Nan | Num::Zero(_) => return 0,
        Num::Inf(s) => return if s { low } else { high },
        Num::Finite(s, m, e) => (s, m, e),
    };
    let magnitude = if e >= 0 {
        if e > 70 {
            return if sign { low } else { high };
        }
        m << e
    } else if e <= -127 {
        u128::from(goes_up(rm, sign, false, false, true))
    } else {
        let kept = m >> -e;
        let half = m >> (-e - 1) & 1 == 1;
        let rest = m & ((1u128 << (-e - 1)) - 1) != 0;
        kept + u128::from(goes_up(rm, sign, kept & 1 == 1, half, rest))
    };
    let value = if sign { -(magnitude as i128) } else { magnitude as i128 };
    value.clamp(low, high)
}

/// The value as double (exact for every format here).
pub(super) fn to_f64(bits: u64, from: Format) -> f64 {
    f64::from_bits(convert(bits, from, F64, Rounding::Rte))
}

#[cfg(test)]
mod tests {
    use super::{F16, F32, F64, add, convert, div, fma, from_int, mul, rem, sub, to_int};
    use crate::ir::op::Rounding;

    const SPECIAL: &[u64] = &[
        0x0000_0000,
        0x8000_0000,
        0x3f80_0000,
        0xbf80_0000,
        0x7f80_0000,
        0xff80_0000,
        0x7f7f_ffff,
        0xff7f_ffff,
        0x0080_0000,
        0x0000_0001,
        0x8000_0001,
        0x007f_ffff,
        0x3f80_0001,
        0x3f7f_ffff,
        0x4b80_0000,
        0x4b80_0001,
        0x3eaa_aaab,
        0x3400_0000,
        0x33ff_ffff,
        0x3380_0000,
        0x7f00_0000,
        0x0100_0000,
        0x4049_0fdb,
        0xc049_0fdb,
        0x1234_5678,
        0x7e96_7699,
    ];

    fn same(got: u64, want: f32) -> bool {
        if want.is_nan() { f32::from_bits(got as u32).is_nan() } else { got == u64::from(want.to_bits()) }
    }

    fn random(state: &mut u64) -> u64 {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        *state
    }

    #[test]
    fn nearest_is_what_the_machine_computes() {
        let mut state = 0x9e37_79b9_7f4a_7c15;
        let mut pairs: Vec<(u64, u64)> = SPECIAL.iter().flat_map(|&a| SPECIAL.iter().map(move |&b| (a, b))).collect();
        pairs.extend((0..100_000).map(|_| (random(&mut state) & 0xffff_ffff, random(&mut state) & 0xffff_ffff)));
        for (a, b) in pairs {
            let (x, y) = (f32::from_bits(a as u32), f32::from_bits(b as u32));
            let rm = Rounding::Rte;
            assert!(same(add(a, b, F32, rm), x + y), "{a:x} + {b:x}");
            assert!(same(sub(a, b, F32, rm), x - y), "{a:x} - {b:x}");
            assert!(same(mul(a, b, F32, rm), x * y), "{a:x} * {b:x}");
            assert!(same(div(a, b, F32, rm), x / y), "{a:x} / {b:x}");
            assert!(same(rem(a, b, F32), x % y), "{a:x} % {b:x}");
            let c = random(&mut state) & 0xffff_ffff;
            let z = f32::from_bits(c as u32);
            assert!(same(fma(a, b, c, F32, rm), x.mul_add(y, z)), "fma {a:x} {b:x} {c:x}");
            let wide = convert(a, F32, F64, rm);
            assert!(x.is_nan() || wide == f64::from(x).to_bits());
            let h = convert(a, F32, F16, rm);
            let want = half::f16::from_f32(x);
            assert!(x.is_nan() || h == u64::from(want.to_bits()), "half of {a:x}: {h:x} {want:?}");
        }
    }

    #[test]
    fn doubles_too() {
        let mut state = 12345;
        for _ in 0..100_000 {
            let (a, b, c) = (random(&mut state), random(&mut state), random(&mut state));
            let (x, y, z) = (f64::from_bits(a), f64::from_bits(b), f64::from_bits(c));
            let same =
                |got: u64, want: f64| if want.is_nan() { f64::from_bits(got).is_nan() } else { got == want.to_bits() };
            let rm = Rounding::Rte;
            assert!(same(add(a, b, F64, rm), x + y));
            assert!(same(mul(a, b, F64, rm), x * y));
            assert!(same(div(a, b, F64, rm), x / y));
            assert!(same(fma(a, b, c, F64, rm), x.mul_add(y, z)));
            assert_eq!(convert(a, F64, F32, rm) as u32, if x.is_nan() { 0x7fc0_0000 } else { (x as f32).to_bits() });
        }
    }

    /// Directed results enclose the exact one and are neighbours, or all are equal.
    #[test]
    fn directed_modes_enclose() {
        let mut state = 777;
        for _ in 0..100_000 {
            let (a, b) = (random(&mut state) & 0xffff_ffff, random(&mut state) & 0xffff_ffff);
            let (x, y) = (f64::from(f32::from_bits(a as u32)), f64::from(f32::from_bits(b as u32)));
            let exact = x * y;
            if !exact.is_finite() || exact == 0.0 {
                continue;
            }
            let value = |rm| f64::from(f32::from_bits(mul(a, b, F32, rm) as u32));
            let (down, up, zero) = (value(Rounding::Rtn), value(Rounding::Rtp), value(Rounding::Rtz));
            assert!(down <= exact && exact <= up, "{a:x} * {b:x}");
            assert_eq!(zero, if exact > 0.0 { down } else { up });
            let gap = (f32::to_bits(up as f32) as i32).wrapping_sub(f32::to_bits(down as f32) as i32).unsigned_abs();
            assert!(gap <= 1 || up == 0.0 || down == 0.0, "{a:x} * {b:x}: {down} {up}");
        }
    }

    #[test]
    fn exact_zero_sums_are_negative_only_downwards() {
        let (one, minus) = (0x3f80_0000, 0xbf80_0000);
        assert_eq!(add(one, minus, F32, Rounding::Rtn), 0x8000_0000);
        for rm in [Rounding::Rte, Rounding::Rtz, Rounding::Rtp] {
            assert_eq!(add(one, minus, F32, rm), 0);
        }
    }

    #[test]
    fn overflow_follows_the_mode() {
        let max = 0x7f7f_ffff;
        let results = [Rounding::Rte, Rounding::Rtz, Rounding::Rtp, Rounding::Rtn].map(|rm| add(max, max, F32, rm));
        assert_eq!(results, [0x7f80_0000, 0x7f7f_ffff, 0x7f80_0000, 0x7f7f_ffff]);
    }

    #[test]
    fn integers_convert_both_ways() {
        let mut state = 99;
        for _ in 0..50_000 {
            let n = random(&mut state) as i64 >> (random(&mut state) % 60);
            assert_eq!(from_int(i128::from(n), F32, Rounding::Rte), u64::from((n as f32).to_bits()));
            assert_eq!(from_int(i128::from(n), F64, Rounding::Rte), (n as f64).to_bits());
            let x = f64::from_bits(random(&mut state));
            let (low, high) = (i128::from(i32::MIN), i128::from(i32::MAX));
            assert_eq!(to_int(x.to_bits(), F64, Rounding::Rtz, low, high), i128::from(x as i32));
        }
        let half_way = 2.5f64.to_bits();
        let modes = [Rounding::Rte, Rounding::Rtz, Rounding::Rtp, Rounding::Rtn];
        assert_eq!(modes.map(|rm| to_int(half_way, F64, rm, -99, 99)), [2, 2, 3, 2]);
        assert_eq!(modes.map(|rm| to_int((-2.5f64).to_bits(), F64, rm, -99, 99)), [-2, -2, -2, -3]);
    }
}
