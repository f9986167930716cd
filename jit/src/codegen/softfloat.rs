//! Fused multiply-add of f64 in any rounding, in integer arithmetic. Slow and plain.

use crate::ir::Rounding;

/// A finite f64 as sign, significand and exponent: `significand * 2^exponent`.
fn parts(x: f64) -> (bool, u64, i32) {
    let bits = x.to_bits();
    let exponent = (bits >> 52 & 0x7ff) as i32;
    let fraction = bits & ((1 << 52) - 1);
    let (significand, exponent) = if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent - 1075) };
    (x.is_sign_negative(), significand, exponent)
}

/// a*b + c, rounded once.
pub(super) fn fma(a: f64, b: f64, c: f64, rm: Rounding) -> f64 {
    if !(a.is_finite() && b.is_finite() && c.is_finite()) {
        return a.mul_add(b, c);
    }
    let ((sign_a, sig_a, exp_a), (sign_b, sig_b, exp_b), (sign_c, sig_c, exp_c)) = (parts(a), parts(b), parts(c));
    let product_sign = sign_a != sign_b;
    let product = u128::from(sig_a) * u128::from(sig_b);
    let product_exp = exp_a + exp_b;
    if product == 0 || sig_c == 0 {
        if product == 0 && sig_c == 0 {
            let negative = if rm == Rounding::Rtn { product_sign || sign_c } else { product_sign && sign_c };
            return if negative { -0.0 } else { 0.0 };
        }
        return if product == 0 { c } else { assemble(product_sign, product, product_exp, false, rm) };
    }
    // The operand that reaches higher, shifted up to bit 125; the other one aligned to it, lost bits kept as sticky.
    let (p, p_exp) = normalize(product, product_exp);
    let (q, q_exp) = normalize(u128::from(sig_c), exp_c);
    let p_larger = (p_exp, p) >= (q_exp, q);
    let ((big, big_exp, sign), (small, small_exp, small_sign)) = if p_larger {
        ((p, p_exp, product_sign), (q, q_exp, sign_c))
    } else {
        ((q, q_exp, sign_c), (p, p_exp, product_sign))
    };
    let distance = big_exp.abs_diff(small_exp);
    let (aligned, lost) = if distance > 127 {
        (0, true)
    } else {
        (small >> distance, small << (128 - distance.max(1)) != 0 && distance > 0)
    };
    if sign == small_sign {
        return assemble(sign, big + aligned, big_exp, lost, rm);
    }
    // With lost bits the true difference lies one below the truncated one, plus something.
    let difference = big - aligned - u128::from(lost);
    if difference == 0 && !lost {
        return if rm == Rounding::Rtn { -0.0 } else { 0.0 };
    }
    assemble(sign, difference, big_exp, lost, rm)
}

/// Shifts the leading one to bit 125.
fn normalize(x: u128, exp: i32) -> (u128, i32) {
    let shift = x.leading_zeros() as i32 - 2;
    if shift >= 0 { (x << shift, exp - shift) } else { (x >> -shift, exp - shift) }
}

/// Rounds `x * 2^exp` (and a little more if `sticky`) to f64. `x` is not zero.
fn assemble(negative: bool, x: u128, exp: i32, sticky: bool, rm: Rounding) -> f64 {
    let top = 127 - x.leading_zeros() as i32;
    // Exponent of the last place of the result.
    let unit = (exp + top - 52).max(-1074);
    let shift = unit - exp;
    let (kept, rest) = if shift <= 0 {
        (x << -shift, false)
    } else if shift > 127 {
        (0, true)
    } else {
        (x >> shift, x & ((1 << shift) - 1) != 0)
    };
    let half = if shift > 0 && shift <= 128 { x >> (shift - 1) & 1 == 1 } else { false };
    let below_half = sticky || shift > 128 || shift > 1 && x & ((1 << (shift - 1)) - 1) != 0;
    let inexact = rest || sticky;
    let up = match rm {
        Rounding::Rte => half && (below_half || kept & 1 == 1),
        Rounding::Rtz => false,
        Rounding::Rtp => inexact && !negative,
        Rounding::Rtn => inexact && negative,
    };
    let significand = kept as u64 + u64::from(up);
    // Adding the significand to the exponent field lets a carry flow over; its leading one counts as 1.
    let field = (unit + 1074) as u64;
    let magnitude = if significand >> 52 == 0 { significand } else { (field << 52) + significand };
    const INFINITY: u64 = 0x7ff << 52;
    let magnitude = if magnitude >= INFINITY {
        let to_infinity = match rm {
            Rounding::Rte => true,
            Rounding::Rtz => false,
            Rounding::Rtp => !negative,
            Rounding::Rtn => negative,
        };
        if to_infinity { INFINITY } else { INFINITY - 1 }
    } else {
        magnitude
    };
    f64::from_bits(magnitude | u64::from(negative) << 63)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_agrees_with_the_host() {
        let mut state = 0x9e37_79b9_7f4a_7c15u64;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        let special = [0.0, -0.0, 1.0, -1.0, f64::MIN_POSITIVE, f64::from_bits(1), f64::MAX, -f64::MAX, 0.5, 3.0];
        for i in 0..200_000 {
            let mut pick = |_| match next() % 4 {
                0 => special[(next() % 10) as usize],
                1 => f64::from_bits((next() & 0x800f_ffff_ffff_ffff) | (1000 + next() % 60) << 52),
                2 => f64::from_bits((next() & 0x8000_0000_0000_00ff) | (960 + next() % 120) << 52),
                _ => f64::from_bits(next()),
            };
            let [a, b, c] = std::array::from_fn(&mut pick);
            let (got, want) = (fma(a, b, c, Rounding::Rte), a.mul_add(b, c));
            assert!(
                got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan(),
                "{i}: fma({a:e}, {b:e}, {c:e}) = {got:e}, not {want:e}"
            );
        }
    }

    #[test]
    fn directed_results_bracket_the_true_one() {
        let (a, b, c) = (1.0 + f64::EPSILON, 1.0 - f64::EPSILON, f64::EPSILON);
        let nearest = fma(a, b, c, Rounding::Rte);
        let (down, up) = (fma(a, b, c, Rounding::Rtn), fma(a, b, c, Rounding::Rtp));
        assert!(down <= nearest && nearest <= up && down.next_up() == up);
        assert_eq!(fma(f64::MAX, 2.0, 1.0, Rounding::Rtz), f64::MAX);
        assert_eq!(fma(f64::MAX, -2.0, 1.0, Rounding::Rtp), -f64::MAX);
        assert!(fma(1.0, 1.0, -1.0, Rounding::Rtn).is_sign_negative());
    }
}
