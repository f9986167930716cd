//! Floating-point arithmetic: f16 by way of f32 or f64, directed roundings handed to `round`.

use super::Legalizer;
use super::expr::Expr;
use crate::ir::{Attr, Imm, InstData, Op, Rounding, Scalar, Type, Value};
use smallvec::SmallVec;

impl Legalizer<'_> {
    /// One component of a float op; `None` if there is no such op.
    pub(super) fn float(&self, inst: &InstData, elem: Scalar, args: &[Value]) -> Option<Value> {
        use Op::*;
        let rm = match inst.op {
            Fadd | Fsub | Fmul | Fdiv | Fma => inst.attr.rm,
            _ => Rounding::Rte,
        };
        match elem {
            Scalar::F16 => self.half_bits(inst.op, args).or_else(|| self.float16(inst, rm, args)),
            Scalar::F32 | Scalar::F64 if rm != Rounding::Rte && !self.target.directed => {
                self.rounded(inst.op, rm, args)
            }
            Scalar::F32 | Scalar::F64 => {
                let ty = if inst.op == Fcmp { Type::I1 } else { Type::scalar(elem) };
                Some(self.out.typed(inst.op, ty, args, inst.imm.clone(), Attr { rm, ..inst.attr }))
            }
            _ => None,
        }
    }

    /// What f16 does on its bits, as a scalar or a part.
    pub(super) fn half_bits(&self, op: Op, args: &[Value]) -> Option<Value> {
        const SIGN: u64 = 0x8000;
        let a = self.out.expr(args[0]);
        Some(match op {
            Op::Fneg => (a ^ SIGN).v,
            Op::Fabs => (a & !SIGN).v,
            Op::Copysign => copysign(a, self.out.expr(args[1])).v,
            _ => return None,
        })
    }

    fn float16(&self, inst: &InstData, rm: Rounding, args: &[Value]) -> Option<Value> {
        use Op::*;
        let wide = |widen: &dyn Fn(Value) -> Value| args.iter().map(|&a| widen(a)).collect::<SmallVec<[Value; 3]>>();
        let double = || wide(&|a| self.half_to_f64(a));
        Some(match inst.op {
            Fcmp => self.out.typed(Fcmp, Type::I1, &wide(&|a| self.half_to_f32(a)), inst.imm.clone(), inst.attr),
            // Exact in f64, or (the quotient) never on a boundary between two halves unless exact.
            Fadd | Fsub | Fmul | Fdiv if rm != Rounding::Rte => {
                let args = double();
                let mut result = self.out.op2(inst.op, args[0], args[1]);
                if matches!(inst.op, Fadd | Fsub) && rm == Rounding::Rtn {
                    let b = if inst.op == Fsub { self.out.op1(Fneg, args[1]) } else { args[1] };
                    result = self.negative_zero_sum(args[0], b, result);
                }
                self.f64_to_half(result, rm)
            }
            // The product is exact in f64, and the sum is rounded to odd, so the last rounding is the only one.
            Fma => {
                let args = double();
                let product = self.out.op2(Fmul, args[0], args[1]);
                let mut sum = self.sum_to_odd(product, args[2]);
                if rm == Rounding::Rtn {
                    sum = self.negative_zero_sum(product, args[2], sum);
                }
                self.f64_to_half(sum, rm)
            }
            // f32 has more than twice the bits of f16 and two more: rounding twice is rounding once.
            op => {
                let attr = Attr { rm: Rounding::Rte, ..inst.attr };
                let result = self.out.typed(op, Type::F32, &wide(&|a| self.half_to_f32(a)), Imm::None, attr);
                self.f32_to_half(result, Rounding::Rte)
            }
        })
    }
}

/// The magnitude of one float with the sign of another; of f16, on the bits.
pub(super) fn copysign<'o>(magnitude: Expr<'o>, sign: Expr<'o>) -> Expr<'o> {
    let (a, b) = (magnitude.as_int(), sign.as_int());
    let bit = 1u64 << (a.bits() - 1);
    ((a & !bit) | (b & bit)).bitcast(magnitude.ty())
}
