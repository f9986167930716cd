//! f16 as i16 bits: exact widening, and narrowing with one rounding of any mode, in integer arithmetic.

use super::Legalizer;
use super::expr::Expr;
use crate::ir::{Attr, FloatPred, Imm, IntPred, Op, Rounding, Type, Value};

const F32_SIGN: u64 = 0x8000_0000;

impl Legalizer<'_> {
    /// f16 bits to f32, exact; NaN payloads are kept.
    pub(super) fn half_to_f32(&self, half: Value) -> Value {
        self.half_bits_to_f32(self.out.convert(Op::Zext, Type::I32, half))
    }

    /// As `half_to_f32`, from the bits as 32-bit integers: a scalar or a vector.
    pub(super) fn half_bits_to_f32(&self, bits: Value) -> Value {
        let bits = self.out.expr(bits);
        let magnitude = bits & 0x7fff;
        let shifted = magnitude << 13;
        // Read as f32 this is the value times 2^-112, subnormals included.
        let scaled = (shifted.as_f32() * 0x7780_0000).as_int();
        // Infinities and NaNs get the top exponent.
        let special = shifted | 0x7f80_0000;
        let finite = magnitude.icmp(IntPred::SGe, 0x7c00).select(special, scaled);
        (finite | ((bits & 0x8000) << 16)).as_f32().v
    }

    /// f16 bits to f64, exact.
    pub(super) fn half_to_f64(&self, half: Value) -> Value {
        self.out.convert(Op::Fpext, Type::F64, self.half_to_f32(half))
    }

    /// f32 to f16 bits, rounded once.
    pub(super) fn f32_to_half(&self, single: Value, rm: Rounding) -> Value {
        if rm != Rounding::Rte && self.target.half_conversions {
            let attr = Attr { rm, ..Attr::default() };
            let lanes = self.out.as_lanes(single);
            let halves = self.out.typed(Op::Fptrunc, Type::I16.with_lanes(8), &[lanes], Imm::None, attr);
            return self.out.extract(halves, 0);
        }
        self.out.convert(Op::Trunci, Type::I16, self.f32_to_half_bits(single, rm))
    }

    /// As `f32_to_half`, with the result as 32-bit integers. Vectors are rounded to nearest only.
    pub(super) fn f32_to_half_bits(&self, single: Value, rm: Rounding) -> Value {
        let bits = self.out.expr(single).as_int();
        let magnitude = bits & !F32_SIGN;
        let sign = bits.lshr(16) & 0x8000;
        let rounded = match rm {
            Rounding::Rte => nearest(magnitude),
            _ => directed(magnitude, sign, rm),
        };
        let nan = magnitude.icmp(IntPred::SGt, 0x7f80_0000);
        let quiet = magnitude.lshr(13) & 0x3ff | 0x7e00;
        (nan.select(quiet, rounded) | sign).v
    }

    /// f64 to f16 bits, rounded once: the step through f32 rounds to odd, which keeps every later rounding exact.
    pub(super) fn f64_to_half(&self, double: Value, rm: Rounding) -> Value {
        self.f32_to_half(narrow_to_odd(self.out.expr(double)).v, rm)
    }
}

/// The bits of the half that is nearest to a float.
fn nearest(magnitude: Expr<'_>) -> Expr<'_> {
    // Subnormal results: adding 0.5 makes the f32 adder round at f16's last place.
    let half = u64::from(0.5f32.to_bits());
    let subnormal = (magnitude.as_f32() + half).as_int() - half;
    // Normal results: add just under half of the last place, and the last bit itself for ties.
    let odd = magnitude.lshr(13) & 1;
    let below = u64::from((15u32.wrapping_sub(127) << 23).wrapping_add(0xfff));
    let normal = (magnitude + below + odd).lshr(13);
    let finite = magnitude.icmp(IntPred::SLt, 113 << 23).select(subnormal, normal);
    // From 65520 on the rounded value has left f16's range.
    magnitude.icmp(IntPred::SGe, 143 << 23).select(magnitude.like(0x7c00), finite)
}

/// The bits of the next half in a direction.
fn directed<'o>(magnitude: Expr<'o>, sign: Expr<'o>, rm: Rounding) -> Expr<'o> {
    // Truncate: shift out 13 bits, or more below f16's normal range.
    let exponent = magnitude.lshr(23);
    let significand = magnitude & 0x7f_ffff | 0x80_0000;
    let shift = (exponent.like(126) - exponent).op(Op::MinS, 31);
    let subnormal = significand.lshr(shift);
    let subnormal_rest = (subnormal << shift).icmp(IntPred::Ne, significand);
    // Zero has no leading one.
    let subnormal_rest = subnormal_rest & magnitude.icmp(IntPred::Ne, 0);
    let normal = magnitude - (112 << 23);
    let normal_rest = (normal & 0x1fff).icmp(IntPred::Ne, 0);
    let normal = normal.lshr(13);
    let is_subnormal = magnitude.icmp(IntPred::SLt, 113 << 23);
    let truncated = is_subnormal.select(subnormal, normal);
    let rest = is_subnormal.select(subnormal_rest, normal_rest);
    // Beyond the largest finite half.
    let beyond = magnitude.icmp(IntPred::SGe, 143 << 23);
    let truncated = beyond.select(magnitude.like(0x7bff), truncated);
    let rest = rest | beyond;
    let stepped = match rm {
        Rounding::Rtz | Rounding::Rte => truncated,
        Rounding::Rtp | Rounding::Rtn => {
            let away = sign.icmp(if rm == Rounding::Rtp { IntPred::Eq } else { IntPred::Ne }, 0);
            truncated + (rest & away).convert(Op::Zext, Type::I32)
        }
    };
    magnitude.icmp(IntPred::Eq, 0x7f80_0000).select(magnitude.like(0x7c00), stepped)
}

/// f64 to f32, an inexact result made odd in its last place.
fn narrow_to_odd(double: Expr<'_>) -> Expr<'_> {
    let nearest = double.convert(Op::Fptrunc, Type::F32);
    let back = nearest.convert(Op::Fpext, Type::F64);
    let too_large = back.abs().fcmp(FloatPred::OGt, double.abs());
    let inexact = back.fcmp(FloatPred::ONe, double);
    let truncated = nearest.as_int() - too_large.convert(Op::Zext, Type::I32);
    (truncated | inexact.convert(Op::Zext, Type::I32)).as_f32()
}
