//! Arithmetic in `double` on numbers that are `float`s, as literals without a suffix bring it about, is done in `float`
//! where that gives the same numbers (LLVM's narrowing of `fptrunc` and `fcmp`).
//!
//! ```text
//! fptrunc (fmul (fpext x), 0.5)  →  fmul x, 0.5        fcmp.ogt (fpext x), 0.1  →  fcmp.ogt x, (0.1 rounded down)
//! ```
//! A sum, difference, product, quotient or root of `float`s that is rounded to `double` and then to `float` is the one
//! that is rounded to `float` at once (Figueroa, "When is double rounding innocuous?", 1995), in each rounding mode. It
//! is not so for `fma`, nor where denormal numbers are flushed in between.

use super::{Node, Simplify};
use crate::ir::softfloat::{F32, F64, convert};
use crate::ir::{Attr, Flags, FloatPred, Imm, Op, Rounding, Scalar, Type, Value};

/// Most bits of integers that are all `float`s.
const INTEGER_BITS: u32 = 16;

impl Simplify<'_> {
    /// What a conversion of `double` to `float` is without `double`.
    pub(super) fn narrow_result(&mut self, node: &Node) -> Option<Value> {
        let data = self.def(node.args[0])?;
        let (op, args, imm, attr) = (data.op, data.args.clone(), data.imm.clone(), data.attr);
        let is_double = self.b.func.ty(node.args[0]).elem == Scalar::F64 && node.ty.elem == Scalar::F32;
        if !is_double || self.b.func.flushes_denormals {
            return None;
        }
        let values = match op {
            Op::Fadd | Op::Fsub | Op::Fmul | Op::Fdiv | Op::Sqrt if attr.rm == node.attr.rm => &args[..],
            Op::Fneg | Op::Fabs | Op::Fmin | Op::Fmax | Op::Floor | Op::Ceil | Op::Trunc => &args[..],
            Op::Select => &args[1..],
            _ => return None,
        };
        let mut narrow = self.narrowed(values, node.ty)?;
        if op == Op::Select {
            narrow.insert(0, args[0]);
        }
        // It was no product of the sum that its own conversion goes to.
        let attr = Attr { flags: attr.flags - Flags::CONTRACT, ..attr };
        Some(self.make(op, node.ty, &narrow, imm, attr))
    }

    /// A comparison of `double`s that are `float`s.
    pub(super) fn narrow_comparison(&mut self, node: &Node) -> Option<Value> {
        let ty = self.b.func.ty(node.args[0]);
        let &Imm::FloatPred(pred) = &node.imm else { return None };
        if ty.elem != Scalar::F64 || self.b.func.flushes_denormals {
            return None;
        }
        let ty = ty.with_elem(Scalar::F32);
        if let Some(args) = self.narrowed(&node.args, ty) {
            return Some(self.make(Op::Fcmp, node.ty, &args, Imm::FloatPred(pred), node.attr));
        }
        // With the next `float` below or above what is none.
        let (at, bits) = (0..2).find_map(|at| Some((at, self.bits(node.args[at])?)))?;
        let [x] = self.narrowed(&[node.args[1 - at]], ty)?[..] else { return None };
        let (pred, is_less) = match pred {
            FloatPred::OLt | FloatPred::OLe => (FloatPred::OLt, true),
            FloatPred::ULt | FloatPred::ULe => (FloatPred::ULt, true),
            FloatPred::OGt | FloatPred::OGe => (FloatPred::OGt, false),
            FloatPred::UGt | FloatPred::UGe => (FloatPred::UGt, false),
            _ => return None,
        };
        if f64::from_bits(bits).is_nan() {
            return None;
        }
        // `x < c` if x is less than the next one above, `x > c` if it is greater than the next one below.
        let rm = if is_less == (at == 1) { Rounding::Rtp } else { Rounding::Rtn };
        let bound = self.b.bits(ty, convert(F64, F32, bits, rm));
        let args = if at == 0 { [bound, x] } else { [x, bound] };
        Some(self.make(Op::Fcmp, node.ty, &args, Imm::FloatPred(pred), node.attr))
    }

    /// The `float`s that `double`s are, if all are and not all are constants.
    fn narrowed(&mut self, values: &[Value], ty: Type) -> Option<Vec<Value>> {
        if values.iter().all(|&v| self.bits(v).is_some()) || !values.iter().all(|&v| self.is_float(v, ty)) {
            return None;
        }
        Some(values.iter().map(|&v| self.as_float(v, ty)).collect())
    }

    fn is_float(&self, v: Value, ty: Type) -> bool {
        if let Some(bits) = self.bits(v) {
            return convert(F32, F64, convert(F64, F32, bits, Rounding::Rte), Rounding::Rte) == bits;
        }
        self.def(v).is_some_and(|data| match data.op {
            Op::Fpext => self.b.func.ty(data.args[0]) == ty,
            Op::Sitofp | Op::Uitofp => self.is_short(data.args[0]),
            _ => false,
        })
    }

    /// True for integers of few bits, extended or not.
    fn is_short(&self, v: Value) -> bool {
        let bits = |v: Value| self.b.func.ty(v).elem.bits();
        let data = self.def(v).filter(|data| matches!(data.op, Op::Sext | Op::Zext));
        bits(v) <= INTEGER_BITS || data.is_some_and(|data| bits(data.args[0]) <= INTEGER_BITS)
    }

    /// What `is_float`, as one.
    fn as_float(&mut self, v: Value, ty: Type) -> Value {
        if let Some(bits) = self.bits(v) {
            return self.b.bits(ty, convert(F64, F32, bits, Rounding::Rte));
        }
        let data = self.def(v).expect("a conversion");
        let (op, arg, attr) = (data.op, data.args[0], data.attr);
        if op == Op::Fpext { arg } else { self.make(op, ty, &[arg], Imm::None, attr) }
    }
}
