//! f16 as i16 bits: exact widening, and narrowing with one rounding of any mode, in integer arithmetic.

use super::Legalizer;
use crate::ir::{Attr, FloatPred, Imm, IntPred, Op, Rounding, Type, Value};

const F32_SIGN: u64 = 0x8000_0000;

impl Legalizer<'_> {
    /// f16 bits to f32, exact; NaN payloads are kept.
    pub(super) fn half_to_f32(&mut self, half: Value) -> Value {
        let bits = self.out.convert(Op::Zext, Type::I32, half);
        self.half_bits_to_f32(bits)
    }

    /// As `half_to_f32`, from the bits as 32-bit integers: a scalar or a vector.
    pub(super) fn half_bits_to_f32(&mut self, bits: Value) -> Value {
        let out = &mut self.out;
        let magnitude = out.op2c(Op::And, bits, 0x7fff);
        let shifted = out.op2c(Op::Shl, magnitude, 13);
        // Read as f32 this is the value times 2^-112, subnormals included.
        let small = out.as_f32(shifted);
        let scale = out.f32_like(small, f32::from_bits(0x7780_0000));
        let scaled = out.op2(Op::Fmul, small, scale);
        let scaled = out.as_int(scaled);
        // Infinities and NaNs get the top exponent.
        let special = out.op2c(Op::Or, shifted, 0x7f80_0000);
        let is_special = out.icmpc(IntPred::SGe, magnitude, 0x7c00);
        let finite = out.select(is_special, special, scaled);
        let sign = out.op2c(Op::And, bits, 0x8000);
        let sign = out.op2c(Op::Shl, sign, 16);
        let result = out.op2(Op::Or, finite, sign);
        out.as_f32(result)
    }

    /// f16 bits to f64, exact.
    pub(super) fn half_to_f64(&mut self, half: Value) -> Value {
        let single = self.half_to_f32(half);
        self.out.convert(Op::Fpext, Type::F64, single)
    }

    /// f32 to f16 bits, rounded once.
    pub(super) fn f32_to_half(&mut self, single: Value, rm: Rounding) -> Value {
        if rm != Rounding::Rte && self.machine.half_conversions {
            let lanes = self.as_lanes(single);
            let attr = Attr { rm, ..Attr::default() };
            let halves = self.out.typed(Op::Fptrunc, Type::I16.with_lanes(8), &[lanes], Imm::None, attr);
            return self.out.typed(Op::Extract, Type::I16, &[halves], Imm::Lane(0), Attr::default());
        }
        let bits = self.f32_to_half_bits(single, rm);
        self.out.convert(Op::Trunci, Type::I16, bits)
    }

    /// As `f32_to_half`, with the result as 32-bit integers. Vectors are rounded to nearest only.
    pub(super) fn f32_to_half_bits(&mut self, single: Value, rm: Rounding) -> Value {
        let out = &mut self.out;
        let bits = out.as_int(single);
        let magnitude = out.op2c(Op::And, bits, !F32_SIGN);
        let sign = out.op2c(Op::Lshr, bits, 16);
        let sign = out.op2c(Op::And, sign, 0x8000);
        let rounded = match rm {
            Rounding::Rte => {
                // Subnormal results: adding 0.5 makes the f32 adder round at f16's last place.
                let value = out.as_f32(magnitude);
                let half = out.f32_like(value, 0.5);
                let sum = out.op2(Op::Fadd, value, half);
                let sum = out.as_int(sum);
                let subnormal = out.op2c(Op::Sub, sum, u64::from(0.5f32.to_bits()));
                // Normal results: add just under half of the last place, and the last bit itself for ties.
                let odd = out.op2c(Op::Lshr, magnitude, 13);
                let odd = out.op2c(Op::And, odd, 1);
                let normal =
                    out.op2c(Op::Add, magnitude, u64::from((15u32.wrapping_sub(127) << 23).wrapping_add(0xfff)));
                let normal = out.op2(Op::Add, normal, odd);
                let normal = out.op2c(Op::Lshr, normal, 13);
                let is_subnormal = out.icmpc(IntPred::SLt, magnitude, 113 << 23);
                let finite = out.select(is_subnormal, subnormal, normal);
                // From 65520 on the rounded value has left f16's range.
                let overflow = out.icmpc(IntPred::SGe, magnitude, 143 << 23);
                let infinity = out.like(magnitude, 0x7c00);
                out.select(overflow, infinity, finite)
            }
            _ => {
                // Truncate: shift out 13 bits, or more below f16's normal range.
                let exponent = out.op2c(Op::Lshr, magnitude, 23);
                let fraction = out.op2c(Op::And, magnitude, 0x7f_ffff);
                let significand = out.op2c(Op::Or, fraction, 0x80_0000);
                let distance = out.bits(Type::I32, 126);
                let shift = out.op2(Op::Sub, distance, exponent);
                let shift = out.op2c(Op::MinS, shift, 31);
                let subnormal = out.op2(Op::Lshr, significand, shift);
                let restored = out.op2(Op::Shl, subnormal, shift);
                let subnormal_rest = out.icmp(IntPred::Ne, restored, significand);
                // Zero has no leading one.
                let nonzero = out.icmpc(IntPred::Ne, magnitude, 0);
                let subnormal_rest = out.op2(Op::And, subnormal_rest, nonzero);
                let normal = out.op2c(Op::Sub, magnitude, 112 << 23);
                let normal_low = out.op2c(Op::And, normal, 0x1fff);
                let normal_rest = out.icmpc(IntPred::Ne, normal_low, 0);
                let normal = out.op2c(Op::Lshr, normal, 13);
                let is_subnormal = out.icmpc(IntPred::SLt, magnitude, 113 << 23);
                let truncated = out.select(is_subnormal, subnormal, normal);
                let rest = out.select(is_subnormal, subnormal_rest, normal_rest);
                // Beyond the largest finite half.
                let beyond = out.icmpc(IntPred::SGe, magnitude, 143 << 23);
                let largest = out.bits(Type::I32, 0x7bff);
                let truncated = out.select(beyond, largest, truncated);
                let rest = out.op2(Op::Or, rest, beyond);
                let stepped = match rm {
                    Rounding::Rtz | Rounding::Rte => truncated,
                    Rounding::Rtp | Rounding::Rtn => {
                        let pred = if rm == Rounding::Rtp { IntPred::Eq } else { IntPred::Ne };
                        let away = out.icmpc(pred, sign, 0);
                        let up = out.op2(Op::And, rest, away);
                        let up = out.convert(Op::Zext, Type::I32, up);
                        out.op2(Op::Add, truncated, up)
                    }
                };
                let infinite = out.icmpc(IntPred::Eq, magnitude, 0x7f80_0000);
                let infinity = out.like(magnitude, 0x7c00);
                out.select(infinite, infinity, stepped)
            }
        };
        let nan = out.icmpc(IntPred::SGt, magnitude, 0x7f80_0000);
        let payload = out.op2c(Op::Lshr, magnitude, 13);
        let payload = out.op2c(Op::And, payload, 0x3ff);
        let quiet = out.op2c(Op::Or, payload, 0x7e00);
        let rounded = out.select(nan, quiet, rounded);
        out.op2(Op::Or, rounded, sign)
    }

    /// f64 to f16 bits, rounded once: the step through f32 rounds to odd, which keeps every later rounding exact.
    pub(super) fn f64_to_half(&mut self, double: Value, rm: Rounding) -> Value {
        let single = self.narrow_to_odd(double);
        self.f32_to_half(single, rm)
    }

    /// f64 to f32, an inexact result made odd in its last place.
    pub(super) fn narrow_to_odd(&mut self, double: Value) -> Value {
        let out = &mut self.out;
        let nearest = out.convert(Op::Fptrunc, Type::F32, double);
        let back = out.convert(Op::Fpext, Type::F64, nearest);
        let back_magnitude = out.op1(Op::Fabs, back);
        let magnitude = out.op1(Op::Fabs, double);
        let too_large = out.fcmp(FloatPred::OGt, back_magnitude, magnitude);
        let inexact = out.fcmp(FloatPred::ONe, back, double);
        let bits = out.as_int(nearest);
        let step = out.convert(Op::Zext, Type::I32, too_large);
        let truncated = out.op2(Op::Sub, bits, step);
        let sticky = out.convert(Op::Zext, Type::I32, inexact);
        let odd = out.op2(Op::Or, truncated, sticky);
        out.bitcast(Type::F32, odd)
    }
}
