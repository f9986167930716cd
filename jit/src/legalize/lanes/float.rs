//! Float arithmetic on parts.

use crate::ir::{Attr, Imm, Op, Rounding, Scalar, Type, Value};
use crate::legalize::Legalizer;
use crate::legalize::float::copysign;
use crate::legalize::pieces::Pieces;

impl Legalizer<'_> {
    /// A float op on one part; `None` if there is no way to do it there.
    pub(super) fn float_part(&self, op: Op, rm: Rounding, elem: Scalar, args: &[Value]) -> Option<Value> {
        use Op::*;
        let ty = self.out.ty(args[0]);
        let attr = Attr { rm, ..Attr::default() };
        Some(match op {
            Fadd | Fsub | Fmul | Fdiv | Fma | Sqrt if elem == Scalar::F16 && self.target.half_arithmetic => {
                self.out.typed(op, ty, args, Imm::None, attr)
            }
            _ if elem == Scalar::F16 => return self.half_bits(op, args),
            Fadd | Fsub | Fmul | Fdiv | Fma if rm != Rounding::Rte && !self.target.directed => {
                return self.rounded(op, rm, args);
            }
            Fadd | Fsub | Fmul | Fdiv | Fma => self.out.typed(op, ty, args, Imm::None, attr),
            Fneg | Fabs | Sqrt | Ceil | Floor | Trunc | Rint => self.out.op1(op, args[0]),
            Fmin | Fmax => self.out.op2(op, args[0], args[1]),
            Copysign => copysign(self.out.expr(args[0]), self.out.expr(args[1])).v,
            _ => return None,
        })
    }

    /// a * b + c of halves, rounded once to nearest: the product is exact in f32, and the sum is rounded to odd there,
    /// so that its last place, two behind those of f16, tells what the last rounding must know.
    pub(super) fn fused_halves(&self, ty: Type, args: &[Pieces]) -> Option<Pieces> {
        let wide = ty.with_elem(Scalar::F32);
        let [a, b, c] = [0, 1, 2].map(|n| self.convert_pieces(Op::Fpext, ty, Scalar::F32, Rounding::Rte, &args[n]));
        let (a, b, c) = (a?, b?, c?);
        let sums: Pieces = (0..a.len()).map(|i| self.sum_to_odd(self.out.op2(Op::Fmul, a[i], b[i]), c[i])).collect();
        self.convert_pieces(Op::Fptrunc, wide, Scalar::F16, Rounding::Rte, &sums)
    }
}
