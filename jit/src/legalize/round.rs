//! Directed roundings without touching the host's control register: the exact error of the nearest result decides a step
//! of one unit in the last place. Everything is branch-free. Spec: cl_khr_select_fprounding_mode.
//!
//! f32: sums are rounded to odd in f64 and products are exact there; quotients of f32 never lie on a boundary of f32 in
//! f64 unless they are exact. f64: the error of a sum by Fast2Sum, of a product and a quotient by fma on scaled operands.
//! Fused multiply-add of f64 stays an `Fma` with its rounding, for which the code generator calls a helper.

use super::Legalizer;
use crate::ir::{Attr, FloatPred, Imm, IntPred, Op, Rounding, Scalar, Type, Value};

const F64_SIGN: u64 = 1 << 63;

/// Attributes of a conversion from float as the legal form has it.
pub(super) const TRUNCATE: Attr = Attr {
    flags: crate::ir::op::Flags::empty(),
    rm: Rounding::Rtz,
    align: 0,
    order: crate::ir::Order::SeqCst,
    scope: crate::ir::Scope::Device,
};

impl Legalizer<'_> {
    /// An arithmetic op with a directed rounding.
    pub(super) fn rounded(&mut self, op: Op, elem: Scalar, rm: Rounding, args: &[Value]) -> Option<Value> {
        if elem == Scalar::F32 {
            let wide: smallvec::SmallVec<[Value; 3]> =
                args.iter().map(|&a| self.out.convert(Op::Fpext, Type::F64, a)).collect();
            let result = match op {
                Op::Fadd => self.sum_to_odd(wide[0], wide[1], rm),
                Op::Fsub => {
                    let minus = self.out.op1(Op::Fneg, wide[1]);
                    self.sum_to_odd(wide[0], minus, rm)
                }
                Op::Fmul | Op::Fdiv => self.out.op2(op, wide[0], wide[1]),
                Op::Fma => {
                    let product = self.out.op2(Op::Fmul, wide[0], wide[1]);
                    self.sum_to_odd(product, wide[2], rm)
                }
                _ => return None,
            };
            return Some(self.narrow(result, rm));
        }
        Some(match op {
            Op::Fadd => self.sum(args[0], args[1], rm),
            Op::Fsub => {
                let minus = self.out.op1(Op::Fneg, args[1]);
                self.sum(args[0], minus, rm)
            }
            Op::Fmul => self.product(args[0], args[1], rm),
            Op::Fdiv => self.quotient(args[0], args[1], rm),
            Op::Fma => self.out.typed(Op::Fma, Type::F64, args, Imm::None, Attr { rm, ..Attr::default() }),
            _ => return None,
        })
    }

    /// f64 to f32.
    pub(super) fn narrow(&mut self, double: Value, rm: Rounding) -> Value {
        let nearest = self.out.convert(Op::Fptrunc, Type::F32, double);
        if rm == Rounding::Rte {
            return nearest;
        }
        let out = &mut self.out;
        let back = out.convert(Op::Fpext, Type::F64, nearest);
        let bits = out.as_int(nearest);
        let stepped = match rm {
            Rounding::Rtz => {
                let back_magnitude = out.op1(Op::Fabs, back);
                let magnitude = out.op1(Op::Fabs, double);
                let too_large = out.fcmp(FloatPred::OGt, back_magnitude, magnitude);
                let step = out.convert(Op::Zext, Type::I32, too_large);
                out.op2(Op::Sub, bits, step)
            }
            _ => {
                let pred = if rm == Rounding::Rtp { FloatPred::OLt } else { FloatPred::OGt };
                let wrong_side = out.fcmp(pred, back, double);
                // Towards +inf positive patterns grow and negative ones shrink; towards -inf the other way.
                let sign = out.op2c(Op::Ashr, bits, 31);
                let direction = if rm == Rounding::Rtp {
                    out.op2c(Op::Or, sign, 1)
                } else {
                    let flipped = out.op1(Op::Not, sign);
                    out.op2c(Op::Or, flipped, 1)
                };
                let zero = out.like(bits, 0);
                let step = out.select(wrong_side, direction, zero);
                out.op2(Op::Add, bits, step)
            }
        };
        out.bitcast(Type::F32, stepped)
    }

    /// a + b in f64, an inexact sum made odd. For operands far from overflow. Rounding decides the sign of an exact zero.
    pub(super) fn sum_to_odd(&mut self, a: Value, b: Value, rm: Rounding) -> Value {
        let out = &mut self.out;
        let sum = out.op2(Op::Fadd, a, b);
        let b_part = out.op2(Op::Fsub, sum, a);
        let a_part = out.op2(Op::Fsub, sum, b_part);
        let a_error = out.op2(Op::Fsub, a, a_part);
        let b_error = out.op2(Op::Fsub, b, b_part);
        let error = out.op2(Op::Fadd, a_error, b_error);
        let zero = out.f64(0.0);
        let inexact = out.fcmp(FloatPred::ONe, error, zero);
        let bits = out.as_int(sum);
        let error_bits = out.as_int(error);
        let signs = out.op2(Op::Xor, bits, error_bits);
        // Towards zero first, if the sum was rounded away from it.
        let away = out.icmpc(IntPred::SLt, signs, 0);
        let away = out.op2(Op::And, away, inexact);
        let step = out.convert(Op::Zext, Type::I64, away);
        let truncated = out.op2(Op::Sub, bits, step);
        let sticky = out.convert(Op::Zext, Type::I64, inexact);
        let odd = out.op2(Op::Or, truncated, sticky);
        let odd = out.bitcast(Type::F64, odd);
        if rm == Rounding::Rtn { self.negative_zero_sum(a, b, odd) } else { odd }
    }

    /// The sign that rounding towards -inf gives a sum that is exactly zero: minus, unless both operands are +0.
    pub(super) fn negative_zero_sum(&mut self, a: Value, b: Value, sum: Value) -> Value {
        let out = &mut self.out;
        let zero = out.f64(0.0);
        let is_zero = out.fcmp(FloatPred::OEq, sum, zero);
        let (a, b) = (out.as_int(a), out.as_int(b));
        let signs = out.op2(Op::Or, a, b);
        let sign = out.op2c(Op::And, signs, F64_SIGN);
        let bits = out.as_int(sum);
        let result = out.select(is_zero, sign, bits);
        out.bitcast(Type::F64, result)
    }

    /// Steps a nearest f64 result by the sign of its error (true value minus result). `exact_infinity` tells whether an
    /// infinite result is the true one; otherwise the result overflowed.
    fn step(&mut self, result: Value, error: Value, exact_infinity: Value, rm: Rounding) -> Value {
        let out = &mut self.out;
        let magnitude = out.op1(Op::Fabs, result);
        let infinity = out.f64(f64::INFINITY);
        let is_infinite = out.fcmp(FloatPred::OEq, magnitude, infinity);
        let zero = out.f64(0.0);
        let bits = out.as_int(result);
        // The error of an overflow points back.
        let back = out.op1(Op::Fneg, result);
        let back = out.as_int(back);
        let no_error = out.bits(Type::I64, 0);
        let at_infinity = out.select(exact_infinity, no_error, back);
        let error_bits = out.as_int(error);
        let error_bits = out.select(is_infinite, at_infinity, error_bits);
        let error = out.bitcast(Type::F64, error_bits);
        let signs = out.op2(Op::Xor, bits, error_bits);
        let one = out.bits(Type::I64, 1);
        let minus_one = out.bits(Type::I64, u64::MAX);
        let opposite = out.icmpc(IntPred::SLt, signs, 0);
        let stepped = match rm {
            Rounding::Rtz | Rounding::Rte => {
                let inexact = out.fcmp(FloatPred::ONe, error, zero);
                let too_large = out.op2(Op::And, inexact, opposite);
                let step = out.convert(Op::Zext, Type::I64, too_large);
                out.op2(Op::Sub, bits, step)
            }
            _ => {
                let pred = if rm == Rounding::Rtp { FloatPred::OGt } else { FloatPred::OLt };
                let wrong_side = out.fcmp(pred, error, zero);
                // Patterns grow away from zero.
                let direction = out.select(opposite, minus_one, one);
                let step = out.select(wrong_side, direction, no_error);
                out.op2(Op::Add, bits, step)
            }
        };
        out.bitcast(Type::F64, stepped)
    }

    fn is_finite(&mut self, v: Value) -> Value {
        let magnitude = self.out.op1(Op::Fabs, v);
        let infinity = self.out.f64(f64::INFINITY);
        self.out.fcmp(FloatPred::OLt, magnitude, infinity)
    }

    /// True unless all operands are finite: an infinite result then needs no step.
    fn any_infinite(&mut self, a: Value, b: Value) -> Value {
        let a = self.is_finite(a);
        let b = self.is_finite(b);
        let both = self.out.op2(Op::And, a, b);
        self.out.op1(Op::Not, both)
    }

    fn sum(&mut self, a: Value, b: Value, rm: Rounding) -> Value {
        let out = &mut self.out;
        let sum = out.op2(Op::Fadd, a, b);
        // Fast2Sum cannot overflow where the sum does not.
        let (a_magnitude, b_magnitude) = (out.op1(Op::Fabs, a), out.op1(Op::Fabs, b));
        let swap = out.fcmp(FloatPred::OLt, a_magnitude, b_magnitude);
        let large = out.select(swap, b, a);
        let small = out.select(swap, a, b);
        let part = out.op2(Op::Fsub, sum, large);
        let error = out.op2(Op::Fsub, small, part);
        let exact_infinity = self.any_infinite(a, b);
        let result = self.step(sum, error, exact_infinity, rm);
        if rm == Rounding::Rtn { self.negative_zero_sum(a, b, result) } else { result }
    }

    fn product(&mut self, a: Value, b: Value, rm: Rounding) -> Value {
        let out = &mut self.out;
        let product = out.op2(Op::Fmul, a, b);
        // A tiny product's error would underflow: scale both operands by 2^600. (An operand that overflows by that has a
        // zero beside it, and NaN as error means none.)
        let magnitude = out.op1(Op::Fabs, product);
        let tiny = out.f64(power_of_two(-900));
        let is_tiny = out.fcmp(FloatPred::OLt, magnitude, tiny);
        let (large, one) = (out.f64(power_of_two(600)), out.f64(1.0));
        let scale = out.select(is_tiny, large, one);
        let scaled_a = out.op2(Op::Fmul, a, scale);
        let scaled_b = out.op2(Op::Fmul, b, scale);
        let scaled = out.op2(Op::Fmul, product, scale);
        let scaled = out.op2(Op::Fmul, scaled, scale);
        let minus = out.op1(Op::Fneg, scaled);
        let error = out.op3(Op::Fma, scaled_a, scaled_b, minus);
        let exact_infinity = self.any_infinite(a, b);
        self.step(product, error, exact_infinity, rm)
    }

    fn quotient(&mut self, a: Value, b: Value, rm: Rounding) -> Value {
        let quotient = self.out.op2(Op::Fdiv, a, b);
        // Residual a - q*b on operands brought between 2^-500 and 2^500; q is scaled along in two equal steps.
        let (a_half, _) = self.half_scale(a);
        let (b_half, b_inverse) = self.half_scale(b);
        let out = &mut self.out;
        let q_half = out.op2(Op::Fmul, a_half, b_inverse);
        let scaled = |out: &mut super::Out, v: Value, half: Value| {
            let once = out.op2(Op::Fmul, v, half);
            out.op2(Op::Fmul, once, half)
        };
        let scaled_a = scaled(out, a, a_half);
        let scaled_b = scaled(out, b, b_half);
        let scaled_q = scaled(out, quotient, q_half);
        let minus = out.op1(Op::Fneg, scaled_q);
        let residual = out.op3(Op::Fma, minus, scaled_b, scaled_a);
        let residual = out.as_int(residual);
        let b_bits = out.as_int(b);
        let b_sign = out.op2c(Op::And, b_bits, F64_SIGN);
        let error = out.op2(Op::Xor, residual, b_sign);
        let error = out.bitcast(Type::F64, error);
        let zero = out.f64(0.0);
        let by_zero = out.fcmp(FloatPred::OEq, b, zero);
        let infinite = self.any_infinite(a, b);
        let exact_infinity = self.out.op2(Op::Or, by_zero, infinite);
        self.step(quotient, error, exact_infinity, rm)
    }

    /// Square root of the scale that brings `v` near 1, and its inverse: 2^300, 1 or 2^-300.
    fn half_scale(&mut self, v: Value) -> (Value, Value) {
        let out = &mut self.out;
        let magnitude = out.op1(Op::Fabs, v);
        let (low, high) = (out.f64(power_of_two(-500)), out.f64(power_of_two(500)));
        let is_small = out.fcmp(FloatPred::OLt, magnitude, low);
        let is_large = out.fcmp(FloatPred::OGt, magnitude, high);
        let (up, one, down) = (out.f64(power_of_two(300)), out.f64(1.0), out.f64(power_of_two(-300)));
        let half = out.select(is_large, down, one);
        let half = out.select(is_small, up, half);
        let inverse = out.select(is_large, up, one);
        let inverse = out.select(is_small, down, inverse);
        (half, inverse)
    }

    /// A 64-bit integer to f32 or f64.
    pub(super) fn int64_to_float(&mut self, op: Op, to: Scalar, v: Value, rm: Rounding) -> Value {
        let out = &mut self.out;
        let signed = op == Op::Sitofp;
        // Both halves are exact, and so is the error of their sum.
        let high = out.op2c(if signed { Op::Ashr } else { Op::Lshr }, v, 32);
        let low = out.op2c(Op::And, v, 0xffff_ffff);
        let high = out.convert(Op::Sitofp, Type::F64, high);
        let low = out.convert(Op::Sitofp, Type::F64, low);
        let scale = out.f64(power_of_two(32));
        let high = out.op2(Op::Fmul, high, scale);
        if to == Scalar::F32 {
            // +0 + +0 is +0 in every mode.
            let sum = self.sum_to_odd(high, low, Rounding::Rtz);
            return self.narrow(sum, rm);
        }
        let sum = out.op2(Op::Fadd, high, low);
        let part = out.op2(Op::Fsub, sum, high);
        let error = out.op2(Op::Fsub, low, part);
        let never = out.bits(Type::I1, 1);
        self.step(sum, error, never, rm)
    }
}

/// 2^n for normal n.
fn power_of_two(n: i64) -> f64 {
    f64::from_bits(((n + 1023) as u64) << 52)
}
