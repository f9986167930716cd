//! Floating-point arithmetic: f16 by way of f32 or f64, directed roundings handed to `round`.

use super::Legalizer;
use crate::ir::{Attr, Imm, InstData, Op, Rounding, Scalar, Type, Value};
use smallvec::SmallVec;

impl Legalizer<'_> {
    /// One component of a float op; `None` if there is no such op.
    pub(super) fn float(&mut self, inst: &InstData, elem: Scalar, args: &[Value]) -> Option<Value> {
        use Op::*;
        let rm = match inst.op {
            Fadd | Fsub | Fmul | Fdiv | Fma => inst.attr.rm,
            _ => Rounding::Rte,
        };
        match elem {
            Scalar::F16 => self.float16(inst, rm, args),
            Scalar::F32 | Scalar::F64 if rm != Rounding::Rte && !self.machine.directed => {
                self.rounded(inst.op, rm, args)
            }
            Scalar::F32 | Scalar::F64 => {
                let ty = if inst.op == Fcmp { Type::I1 } else { Type::scalar(elem) };
                Some(self.out.typed(inst.op, ty, args, inst.imm.clone(), Attr { rm, ..inst.attr }))
            }
            _ => None,
        }
    }

    fn float16(&mut self, inst: &InstData, rm: Rounding, args: &[Value]) -> Option<Value> {
        use Op::*;
        const SIGN: u64 = 0x8000;
        Some(match inst.op {
            Fneg => self.out.op2c(Xor, args[0], SIGN),
            Fabs => self.out.op2c(And, args[0], !SIGN),
            Copysign => {
                let magnitude = self.out.op2c(And, args[0], !SIGN);
                let sign = self.out.op2c(And, args[1], SIGN);
                self.out.op2(Or, magnitude, sign)
            }
            Fcmp => {
                let (a, b) = (self.half_to_f32(args[0]), self.half_to_f32(args[1]));
                self.out.typed(Fcmp, Type::I1, &[a, b], inst.imm.clone(), inst.attr)
            }
            // Exact in f64, or (the quotient) never on a boundary between two halves unless exact.
            Fadd | Fsub | Fmul | Fdiv if rm != Rounding::Rte => {
                let (a, b) = (self.half_to_f64(args[0]), self.half_to_f64(args[1]));
                let mut result = self.out.op2(inst.op, a, b);
                if matches!(inst.op, Fadd | Fsub) && rm == Rounding::Rtn {
                    let b = if inst.op == Fsub { self.out.op1(Fneg, b) } else { b };
                    result = self.negative_zero_sum(a, b, result);
                }
                self.f64_to_half(result, rm)
            }
            // The product is exact in f64, and the sum is rounded to odd, so the last rounding is the only one.
            Fma => {
                let wide: SmallVec<[Value; 3]> = args.iter().map(|&a| self.half_to_f64(a)).collect();
                let product = self.out.op2(Fmul, wide[0], wide[1]);
                let mut sum = self.sum_to_odd(product, wide[2]);
                if rm == Rounding::Rtn {
                    sum = self.negative_zero_sum(product, wide[2], sum);
                }
                self.f64_to_half(sum, rm)
            }
            // f32 has more than twice the bits of f16 and two more: rounding twice is rounding once.
            op => {
                let wide: SmallVec<[Value; 3]> = args.iter().map(|&a| self.half_to_f32(a)).collect();
                let result = self.out.typed(op, Type::F32, &wide, Imm::None, Attr { rm: Rounding::Rte, ..inst.attr });
                self.f32_to_half(result, Rounding::Rte)
            }
        })
    }
}
