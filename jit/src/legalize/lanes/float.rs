//! Float arithmetic on parts.

use crate::ir::{Op, Rounding, Scalar, Type, Value};
use crate::legalize::Legalizer;
use crate::legalize::pieces::{Pieces, int_of};

impl Legalizer<'_> {
    /// A float op on one part; `None` if there is no way to do it there.
    pub(super) fn float_part(&mut self, op: Op, rm: Rounding, elem: Scalar, args: &[Value]) -> Option<Value> {
        use Op::*;
        if elem == Scalar::F16 {
            return self.half_bits(op, rm, args);
        }
        let ty = self.out.ty(args[0]);
        let attr = crate::ir::Attr { rm, ..Default::default() };
        Some(match op {
            Fadd | Fsub | Fmul | Fdiv | Fma if rm != Rounding::Rte && !self.machine.directed => {
                return self.rounded(op, rm, args);
            }
            Fadd | Fsub | Fmul | Fdiv | Fma => self.out.typed(op, ty, args, crate::ir::Imm::None, attr),
            Fneg | Fabs | Sqrt | Ceil | Floor | Trunc | Rint => self.out.op1(op, args[0]),
            Fmin | Fmax => self.out.op2(op, args[0], args[1]),
            Copysign => {
                let out = &mut self.out;
                let sign_bit = 1u64 << (elem.bits() - 1);
                let all = u64::MAX >> (64 - elem.bits());
                let (a, b) = (out.as_int(args[0]), out.as_int(args[1]));
                let magnitude = out.op2c(And, a, all ^ sign_bit);
                let sign = out.op2c(And, b, sign_bit);
                let both = out.op2(Or, magnitude, sign);
                out.bitcast(ty, both)
            }
            _ => return None,
        })
    }

    /// What f16 does on its bits, or the machine on vectors of it.
    fn half_bits(&mut self, op: Op, rm: Rounding, args: &[Value]) -> Option<Value> {
        const SIGN: u64 = 0x8000;
        debug_assert_eq!(self.out.ty(args[0]).elem, int_of(16));
        Some(match op {
            Op::Fneg => self.out.op2c(Op::Xor, args[0], SIGN),
            Op::Fabs => self.out.op2c(Op::And, args[0], 0x7fff),
            Op::Copysign => {
                let magnitude = self.out.op2c(Op::And, args[0], 0x7fff);
                let sign = self.out.op2c(Op::And, args[1], SIGN);
                self.out.op2(Op::Or, magnitude, sign)
            }
            Op::Fadd | Op::Fsub | Op::Fmul | Op::Fdiv | Op::Fma | Op::Sqrt if self.machine.half_arithmetic => {
                let attr = crate::ir::Attr { rm, ..Default::default() };
                self.out.typed(op, self.out.ty(args[0]), args, crate::ir::Imm::None, attr)
            }
            _ => return None,
        })
    }

    /// a * b + c of halves, rounded once to nearest: the product is exact in f32, and the sum is rounded to odd there, so that
    /// its last place, two behind those of f16, tells what the last rounding must know.
    pub(super) fn fused_halves(&mut self, ty: Type, args: &[Pieces]) -> Option<Pieces> {
        let wide = ty.with_elem(Scalar::F32);
        let [a, b, c] = [0, 1, 2].map(|n| self.convert_pieces(Op::Fpext, ty, Scalar::F32, Rounding::Rte, &args[n]));
        let (a, b, c) = (a?, b?, c?);
        let sums: Pieces = (0..a.len())
            .map(|i| {
                let product = self.out.op2(Op::Fmul, a[i], b[i]);
                self.sum_to_odd(product, c[i])
            })
            .collect();
        self.convert_pieces(Op::Fptrunc, wide, Scalar::F16, Rounding::Rte, &sums)
    }
}
