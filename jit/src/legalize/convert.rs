//! Conversions between integers and floats of all widths.

use super::Legalizer;
use crate::ir::{Attr, Imm, IntPred, Op, Rounding, Scalar, Type, Value};

impl Legalizer<'_> {
    /// One component of a conversion; `None` if there is no such conversion.
    pub(super) fn conversion(&self, op: Op, from: Scalar, to: Scalar, v: Value, rm: Rounding) -> Option<Value> {
        let ty = Type::scalar(to);
        Some(match (op, from, to) {
            (Op::Trunci | Op::Sext | Op::Zext, ..) => self.out.convert(op, ty, v),
            (Op::Fpext, Scalar::F16, Scalar::F32) => self.half_to_f32(v),
            (Op::Fpext, Scalar::F16, Scalar::F64) => self.half_to_f64(v),
            (Op::Fpext, Scalar::F32, Scalar::F64) => self.out.convert(op, ty, v),
            (Op::Fptrunc, Scalar::F32, Scalar::F16) => self.f32_to_half(v, rm),
            (Op::Fptrunc, Scalar::F64, Scalar::F16) => self.f64_to_half(v, rm),
            (Op::Fptrunc, Scalar::F64, Scalar::F32) => self.narrow(v, rm),
            (Op::Sitofp | Op::Uitofp, ..) => self.int_to_float(op, from, to, v, rm),
            (Op::Fptosi | Op::Fptoui, ..) => self.float_to_int(op, from, to, v, rm),
            _ => return None,
        })
    }

    fn int_to_float(&self, op: Op, from: Scalar, to: Scalar, v: Value, rm: Rounding) -> Value {
        let signed = op == Op::Sitofp;
        let directed = rm != Rounding::Rte;
        // Up to 16 bits are exact in f32, up to 32 in f64. (What f32 rounds overflows f16 in any case.)
        let inexact = match to {
            Scalar::F32 => from.bits() > 16,
            Scalar::F64 => from.bits() > 32,
            _ => false,
        };
        if directed && inexact && self.target.directed && matches!(to, Scalar::F32 | Scalar::F64) {
            let (v, op) = match from {
                Scalar::I32 if !signed => (self.out.convert(Op::Zext, Type::I64, v), Op::Sitofp),
                _ => (v, op),
            };
            return self.out.typed(op, Type::scalar(to), &[v], Imm::None, Attr { rm, ..Attr::default() });
        }
        if directed && inexact {
            return self.int_to_rounded(op, to, v, rm);
        }
        // Everything narrower than 64 bits is a signed value of some width.
        let (v, op) = match (from, signed) {
            (Scalar::I64, _) => (v, op),
            (Scalar::I32, true) => (v, Op::Sitofp),
            (Scalar::I32, false) => (self.out.convert(Op::Zext, Type::I64, v), Op::Sitofp),
            (_, true) => (self.out.convert(Op::Sext, Type::I32, v), Op::Sitofp),
            (_, false) => (self.out.convert(Op::Zext, Type::I32, v), Op::Sitofp),
        };
        match to {
            Scalar::F16 => {
                let single = match op {
                    Op::Uitofp => self.unsigned64_to_float(Scalar::F32, v),
                    _ => self.out.convert(op, Type::F32, v),
                };
                self.f32_to_half(single, rm)
            }
            _ if op == Op::Uitofp => self.unsigned64_to_float(to, v),
            _ => self.out.convert(op, Type::scalar(to), v),
        }
    }

    /// Unsigned 64 bits, to nearest. Cranelift's own sequence branches, and writes its result over a register it does
    /// not clear first, which ties each iteration of a loop to the one before.
    fn unsigned64_to_float(&self, to: Scalar, v: Value) -> Value {
        // The top half is halved with a sticky last bit, so that doubling gives the same rounding.
        let v = self.out.expr(v);
        let low = v & 1;
        let half = v.lshr(1) | low;
        let large = v.icmp(IntPred::SLt, 0);
        let float = large.select(half, v).convert(Op::Sitofp, Type::scalar(to));
        large.select(float + float, float).v
    }

    /// A float rounded to an integral one, unless truncation follows.
    pub(super) fn rounded_to_integral(&self, v: Value, rm: Rounding) -> Value {
        match rm {
            Rounding::Rtz => v,
            Rounding::Rte => self.out.op1(Op::Rint, v),
            Rounding::Rtp => self.out.op1(Op::Ceil, v),
            Rounding::Rtn => self.out.op1(Op::Floor, v),
        }
    }

    fn float_to_int(&self, op: Op, from: Scalar, to: Scalar, v: Value, rm: Rounding) -> Value {
        let v = if from == Scalar::F16 { self.half_to_f32(v) } else { v };
        let v = self.rounded_to_integral(v, rm);
        let attr = super::round::TRUNCATE;
        if to.bits() >= 32 {
            return self.out.typed(op, Type::scalar(to), &[v], Imm::None, attr);
        }
        let wide = self.out.typed(Op::Fptosi, Type::I32, &[v], Imm::None, attr);
        let (low, high) = match op {
            Op::Fptosi => (-(1i64 << (to.bits() - 1)), (1i64 << (to.bits() - 1)) - 1),
            _ => (0, (1i64 << to.bits()) - 1),
        };
        let clamped = self.out.expr(wide).op(Op::MaxS, low as u64).op(Op::MinS, high as u64);
        clamped.convert(Op::Trunci, Type::scalar(to)).v
    }
}
