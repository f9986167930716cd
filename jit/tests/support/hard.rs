//! Values on which rounding goes wrong: special ones, and random ones near ties, near overflow, among subnormals, and
//! near cancellation.

use clift_jit::ir::{Op, Scalar};

/// A xorshift generator.
pub struct Rng(u64);

impl Rng {
    /// One for each seed.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() >> 33) as usize % n
    }
}

/// All bits of a kind.
pub fn mask(kind: Scalar) -> u64 {
    u64::MAX >> (64 - kind.bits())
}

/// Bits of the fraction, and exponent of one as it is stored.
fn format(kind: Scalar) -> (u32, u64) {
    match kind {
        Scalar::F16 => (10, 15),
        Scalar::F32 => (23, 127),
        _ => (52, 1023),
    }
}

/// About a hundred values: zeros, subnormals, ends of ranges, neighbours of powers of two, ties, infinities, NaNs.
pub fn specials(kind: Scalar) -> Vec<u64> {
    let (digits, bias) = format(kind);
    let value = |exp: u64, fraction: u64| exp << digits | fraction;
    let (full, top, half) = ((1u64 << digits) - 1, 2 * bias + 1, 1u64 << (digits - 1));
    let third = full / 3;
    let mut v = vec![
        0,
        1,
        2,
        3,
        full / 2,
        full - 1,
        full,
        value(1, 0),
        value(1, 1),
        value(1, full),
        value(2, 0),
        value(bias / 2, 0),
        value(bias / 2, third),
        value(bias / 2 + 1, full),
        value(bias - u64::from(digits) - 2, 0),
        value(bias - u64::from(digits) - 1, 0),
        value(bias - u64::from(digits) - 1, 1),
        value(bias - u64::from(digits), 0),
        value(bias - u64::from(digits), full),
        value(bias - 2, third),
        value(bias - 1, 0),
        value(bias - 1, 1),
        value(bias - 1, full - 1),
        value(bias - 1, full),
        value(bias, 0),
        value(bias, 1),
        value(bias, 2),
        value(bias, third),
        value(bias, half),
        value(bias, full - 1),
        value(bias, full),
        value(bias + 1, 0),
        value(bias + 1, 1),
        value(bias + 1, half),
        value(bias + 1, half / 2),
        value(bias + 3, third),
        value(bias + u64::from(digits).min(bias - 1), 0),
        value(bias + u64::from(digits).min(bias - 1), 1),
        value(bias + (u64::from(digits) + 1).min(bias), 0),
        value(bias + bias / 2, third),
        value(bias + bias / 2 + 1, 0),
        value(top - 2, 0),
        value(top - 2, full),
        value(top - 1, 0),
        value(top - 1, 1),
        value(top - 1, full - 1),
        value(top - 1, full),
        value(top, 0),
        value(top, half),
        value(top, half | 5),
    ];
    let negative: Vec<u64> = v.iter().map(|x| x | ((mask(kind) >> 1) + 1)).collect();
    v.extend(negative);
    v
}

/// One random value.
fn random(kind: Scalar, rng: &mut Rng) -> u64 {
    let (digits, bias) = format(kind);
    let any = rng.bits() & mask(kind);
    let fraction = any & ((1 << digits) - 1);
    let sign = any & ((mask(kind) >> 1) + 1);
    let with = |exp: u64, fraction: u64| sign | exp << digits | fraction;
    match rng.below(8) {
        // Near one, with all digits or with few.
        0 | 1 => with(bias - 3 + rng.below(7) as u64, fraction),
        2 => with(
            bias - 2 + rng.below(5) as u64,
            fraction & !(((1u64 << digits) - 1) >> (1 + rng.below(digits as usize))),
        ),
        // Subnormal or nearly; near overflow.
        3 => with(rng.below(4) as u64, fraction >> rng.below(digits as usize)),
        4 => with(2 * bias - rng.below(3) as u64, fraction),
        5 => specials(kind)[rng.below(specials(kind).len())],
        _ => any,
    }
}

/// Operands for `op`: three values of which the second or third is chosen to make the result hard to round.
pub fn random_row(kind: Scalar, op: Op, rng: &mut Rng) -> [u64; 3] {
    let (digits, bias) = format(kind);
    let mut row = [random(kind, rng), random(kind, rng), random(kind, rng)];
    let sign = (mask(kind) >> 1) + 1;
    let exponent = |x: u64| (x & (sign - 1)) >> digits;
    let fraction = |x: u64| x & ((1 << digits) - 1);
    let with_exponent =
        |x: u64, exp: i64| (x & !((sign - 1) ^ ((1 << digits) - 1))) | (exp.clamp(0, 2 * bias as i64) as u64) << digits;
    match (op, rng.below(5)) {
        // Half a unit of the first operand, exactly or nearly; or just the same exponent with the other sign.
        (Op::Fadd | Op::Fsub, 0) => {
            let exp = exponent(row[0]) as i64 - i64::from(digits) - 2 + rng.below(4) as i64;
            row[1] = with_exponent(row[1], exp);
            if rng.below(2) == 0 {
                row[1] &= !((1 << digits) - 1);
            }
        }
        (Op::Fadd | Op::Fsub, 1) => {
            let near = row[0].wrapping_add(rng.below(5) as u64).wrapping_sub(2) & mask(kind);
            row[1] = near ^ (sign * rng.below(2) as u64);
        }
        // Products near the ends of the range.
        (Op::Fmul | Op::Fma, 0) => {
            let exp = bias as i64 - exponent(row[0]) as i64 + rng.below(6) as i64 - 3;
            row[1] = with_exponent(
                row[1],
                exp + if rng.below(2) == 0 { 0 } else { -(i64::from(digits)) + rng.below(2 * digits as usize) as i64 },
            );
        }
        (Op::Fmul | Op::Fma, 1) => {
            row[1] = with_exponent(row[1], 3 * bias as i64 - exponent(row[0]) as i64 + rng.below(4) as i64 - 2)
        }
        // Few digits in both factors: exact products and ties.
        (Op::Fmul | Op::Fma | Op::Fdiv, 2) => {
            let keep = 1 + rng.below(digits as usize);
            for x in &mut row[..2] {
                *x &= !((1u64 << (digits as usize - keep.min(digits as usize / 2 + 1))) - 1);
            }
        }
        // Quotients near one, and near the ends of the range.
        (Op::Fdiv, 0) => {
            row[1] = with_exponent(row[0] ^ rng.bits() & 7, exponent(row[0]) as i64 + rng.below(3) as i64 - 1)
        }
        (Op::Fdiv, 1) => {
            row[1] = with_exponent(row[1], exponent(row[0]) as i64 + bias as i64 - 2 + rng.below(5) as i64)
        }
        _ => {}
    }
    if op == Op::Fma && rng.below(2) == 0 {
        // An addend that cancels the product, or that is about its last place.
        let product = exponent(row[0]) as i64 + exponent(row[1]) as i64 - bias as i64;
        row[2] = with_exponent(
            row[2],
            product
                + [0, 1, -i64::from(digits), i64::from(digits), -2 * i64::from(digits), 2 * i64::from(digits)]
                    [rng.below(6)]
                + rng.below(3) as i64
                - 1,
        );
        if fraction(row[2]) & 1 == 0 {
            row[2] = row[2] & !(sign | ((1 << digits) - 1))
                | ((row[0] ^ row[1] ^ sign) & sign)
                | fraction(row[0]).wrapping_add(fraction(row[1])) & ((1 << digits) - 1);
        }
    }
    row
}

/// Integers of every size, many of them next to what a float of some precision can hold.
pub fn integers(kind: Scalar, n: usize, rng: &mut Rng) -> Vec<u64> {
    let bits = kind.bits() as usize;
    let mut values = vec![0, 1, mask(kind), mask(kind) >> 1, (mask(kind) >> 1) + 1, mask(kind) - 1];
    while values.len() < n {
        let size = 1 + rng.below(bits);
        let mut v = rng.bits() >> (64 - size);
        let digits = [11, 24, 53][rng.below(3)];
        if size > digits {
            // A tie, or one beside it.
            let drop = size - digits;
            match rng.below(4) {
                0 => v = v >> drop << drop | 1 << (drop - 1),
                1 => v = (v >> drop << drop | 1 << (drop - 1)).wrapping_add(rng.below(3) as u64).wrapping_sub(1),
                2 => v = v >> drop << drop,
                _ => {}
            }
        }
        values.push(if rng.below(2) == 0 { v } else { v.wrapping_neg() } & mask(kind));
    }
    values
}

/// Floats of `from` that are hard to round to `to`: ties and their neighbours, ends of the range, subnormal results.
pub fn for_narrowing(from: Scalar, to: Scalar, n: usize, rng: &mut Rng) -> Vec<u64> {
    let mut values = specials(from);
    let (digits, bias) = format(from);
    let (to_digits, to_bias) = format(to);
    let drop = digits.saturating_sub(to_digits);
    while values.len() < n {
        let any = random(from, rng);
        if drop == 0 {
            values.push(any);
            continue;
        }
        let range = 2 * (to_bias + u64::from(to_digits)) as usize + 8;
        let exp = bias - to_bias - u64::from(to_digits) - 4 + rng.below(range) as u64;
        let sign = any & ((mask(from) >> 1) + 1);
        // Below the normal numbers more digits go.
        let lost = u64::from(drop) + (bias + 1 - to_bias).saturating_sub(exp);
        let lost = lost.min(u64::from(digits));
        let mut fraction = rng.bits() & ((1 << digits) - 1);
        match rng.below(5) {
            0 => fraction = fraction >> lost << lost | 1 << (lost - 1),
            1 => {
                let tie = fraction >> lost << lost | 1 << (lost - 1);
                fraction = tie.wrapping_add(rng.below(3) as u64).wrapping_sub(1) & ((1 << digits) - 1);
            }
            2 => fraction = fraction >> lost << lost,
            3 => fraction |= ((1 << digits) - 1) ^ ((1 << lost) - 1),
            _ => {}
        }
        values.push(if rng.below(8) == 0 { any } else { sign | exp << digits | fraction });
    }
    values
}
