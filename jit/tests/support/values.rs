//! Values of every kind on which ops go wrong: where something changes, and random ones with structure.
#![allow(dead_code, reason = "each test uses a part")]

use crate::rng::Rng;
use clift_jit::ir::{Op, Scalar};

/// Values where ops go wrong.
pub fn specials(kind: Scalar) -> Vec<u64> {
    let bits = kind.bits();
    let ones = u64::MAX >> (64 - bits);
    if kind == Scalar::I1 {
        return vec![0, 1];
    }
    if kind.is_int() {
        let mut v = vec![0, 1, 2, 3, 7, 10, ones, ones - 1, ones >> 1, (ones >> 1) + 1, (ones >> 1) - 1, 0x55 & ones];
        v.extend([8, 15, 16, 31, 32, 63, 64].iter().map(|x| x & ones));
        v.extend([bits / 2, bits - 2].map(|n| (1u64 << n) & ones));
        v.extend([24, 53].map(|n: u32| ((1u64 << n.min(bits - 1)) + 1) & ones));
        return v;
    }
    let (mantissa, exponent_bits) = match kind {
        Scalar::F16 => (10, 5),
        Scalar::F32 => (23, 8),
        _ => (52, 11),
    };
    let bias = (1u64 << (exponent_bits - 1)) - 1;
    let value = |exp: u64, fraction: u64| exp << mantissa | fraction;
    let full = (1u64 << mantissa) - 1;
    let top = (1u64 << exponent_bits) - 1;
    let mut v = vec![
        0,
        1,
        2,
        full,
        value(1, 0),
        value(1, 1),
        value(bias, 0),
        value(bias, 1),
        value(bias - 1, 0),
        value(bias - 1, full),
        value(bias, full),
        value(bias + 1, 1 << (mantissa - 1)),
        value(bias + 1, 1 << (mantissa - 2)),
        value(top - 1, full),
        value(top - 1, full - 1),
        value(top, 0),
        value(top, 1 << (mantissa - 1)),
        value(top, 1 << (mantissa - 1) | 1),
    ];
    for limit in [7, 8, 15, 16, 31, 32, 63, 64] {
        if bias + limit < top {
            v.extend([value(bias + limit, 0), value(bias + limit - 1, full), value(bias + limit, 1)]);
        }
    }
    for other in [(5, 15), (8, 127), (11, 1023)] {
        // The edges of the narrower formats: largest finite, smallest normal, smallest subnormal.
        let digits = [10, 23, 52][[5, 8, 11].iter().position(|&x| x == other.0).unwrap_or(0)];
        if other.1 < bias {
            v.extend([
                value(bias + other.1, full),
                value(bias + other.1, full ^ full >> digits),
                value(bias + 1 - other.1, 0),
            ]);
            v.extend([
                value(bias + 1 - other.1 - digits, 0),
                value(bias - other.1 - digits, 0),
                value(bias - other.1 - digits, 1),
            ]);
        }
    }
    let negative: Vec<u64> = v.iter().map(|x| x | 1 << (bits - 1)).collect();
    v.extend(negative);
    v
}

/// A random value with interesting structure.
pub fn random(kind: Scalar, rng: &mut Rng) -> u64 {
    let bits = kind.bits();
    let ones = u64::MAX >> (64 - bits);
    let raw = rng.next();
    if kind.is_int() {
        return match raw % 4 {
            0 => raw >> 8 & 0xff & ones,
            1 => (raw >> 8) >> (raw % 56),
            2 => !((raw >> 8) >> (raw % 56)),
            _ => rng.next(),
        } & ones;
    }
    let x = rng.next() & ones;
    let (mantissa, exponent_bits) = match kind {
        Scalar::F16 => (10, 5),
        Scalar::F32 => (23, 8),
        _ => (52, 11),
    };
    let bias = (1u64 << (exponent_bits - 1)) - 1;
    let exponent_mask = ((1u64 << exponent_bits) - 1) << mantissa;
    match raw % 4 {
        // Near 1, with few bits set, or anything at all.
        0 => (x & !exponent_mask) | (bias - 4 + raw / 8 % 9) << mantissa,
        1 => (x & !exponent_mask & !(ones >> (bits - mantissa / 2))) | (bias - 2 + raw / 8 % 5) << mantissa,
        2 => (x & !exponent_mask) | (bias / 2 + raw / 8 % bias) << mantissa,
        _ => x,
    }
}

/// Whether two results of `op` are the same: where its rules leave a choice, either will do.
pub fn equal(kind: Scalar, op: Op, a: u64, b: u64) -> bool {
    if a == b {
        return true;
    }
    let (nan_above, sign) = match kind {
        Scalar::F16 => (0x7c00u64, 1u64 << 15),
        Scalar::F32 => (0x7f80_0000, 1 << 31),
        Scalar::F64 => (0x7ff0_0000_0000_0000, 1 << 63),
        _ => return false,
    };
    if matches!(op, Op::Fneg | Op::Fabs | Op::Copysign | Op::Select) {
        return false;
    }
    a & !sign > nan_above && b & !sign > nan_above
}
