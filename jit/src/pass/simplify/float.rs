//! Floats: only identities that hold for every value in the operation's rounding mode.

use super::{Node, Simplify};
use crate::ir::softfloat::{F16, F32, Format, to_f64};
use crate::ir::{Attr, Flags, FloatPred, Imm, Op, Rounding, Scalar, Value};
use crate::pass::ifconv::float_extremum;

/// Steps from a float to what tells that it is no NaN.
const MOST_STEPS: u8 = 4;

/// The least number that is not denormal; twice its inverse is the greatest power of two.
fn least_normal(format: Format) -> f64 {
    match format {
        F16 => 2f64.powi(-14),
        F32 => 2f64.powi(-126),
        _ => f64::MIN_POSITIVE,
    }
}

impl Simplify<'_> {
    pub(super) fn float(&mut self, node: &Node) -> Option<Value> {
        let Node { op, ty, ref args, attr, .. } = *node;
        let a = args[0];
        let b = args.get(1).copied().unwrap_or(a);
        let format = Format::of(ty.elem);
        let c = self.bits(b).filter(|_| args.len() == 2 && ty.is_float());
        let number = c.map(|bits| to_f64(format, bits));
        let zero = |negative: bool| number.is_some_and(|x| x == 0.0 && x.is_sign_negative() == negative);
        // x + 0 is x if it keeps the sign of a zero x: -0 is neutral, but under rtn +0 is.
        let neutral_negative = attr.rm != Rounding::Rtn;
        // Else what is left out would have made a zero of it.
        let stays = |v: Value| ty.elem == Scalar::F16 || !self.may_be_flushed(v, MOST_STEPS);
        match op {
            Op::Fadd if zero(neutral_negative) && stays(a) => Some(a),
            Op::Fsub if zero(!neutral_negative) && stays(a) => Some(a),
            // Never -0.
            Op::Fadd if zero(false) && self.def(a).is_some_and(|d| matches!(d.op, Op::Sitofp | Op::Uitofp)) => Some(a),
            Op::Fmul | Op::Fdiv if number == Some(1.0) && stays(a) => Some(a),
            // The same value in every mode, sooner.
            Op::Fmul if number == Some(2.0) => Some(self.make(Op::Fadd, ty, &[a, a], Imm::None, attr)),
            Op::Fmul | Op::Fdiv if number == Some(-1.0) && stays(a) => {
                Some(self.make(Op::Fneg, ty, &[a], Imm::None, attr))
            }
            Op::Fmul if attr.flags.contains(Flags::NNAN | Flags::NSZ) => self.product_with_truth(node),
            Op::Fadd => {
                if let Some(x) = self.operand_of(b, Op::Fneg) {
                    return Some(self.make(Op::Fsub, ty, &[a, x], Imm::None, attr));
                }
                self.operand_of(a, Op::Fneg).map(|x| self.make(Op::Fsub, ty, &[b, x], Imm::None, attr))
            }
            Op::Fsub => self.operand_of(b, Op::Fneg).map(|x| self.make(Op::Fadd, ty, &[a, x], Imm::None, attr)),
            Op::Fdiv => self.divide_by_constant(node, format, number?),
            Op::Fma => {
                let (x, y, z) = (args[0], args[1], args[2]);
                match [x, y].map(|v| self.bits(v).map(|bits| to_f64(format, bits))) {
                    [_, Some(1.0)] => Some(self.make(Op::Fadd, ty, &[x, z], Imm::None, attr)),
                    [Some(1.0), _] => Some(self.make(Op::Fadd, ty, &[y, z], Imm::None, attr)),
                    _ => None,
                }
            }
            // Not negative: the conversion that machines have.
            Op::Uitofp => {
                let bits = self.b.func.ty(a).elem.bits();
                (bits > 1 && self.is_natural(a)).then(|| self.make(Op::Sitofp, ty, &[a], Imm::None, attr))
            }
            Op::Fneg => self.operand_of(a, Op::Fneg),
            Op::Fabs => match self.def(a)?.op {
                Op::Fabs => Some(a),
                Op::Fneg => {
                    let x = self.def(a)?.args[0];
                    Some(self.make(Op::Fabs, ty, &[x], Imm::None, attr))
                }
                _ => None,
            },
            Op::Fmin | Op::Fmax if a == b => Some(a),
            // One instruction of most machines, once nothing need be done for a NaN in the second place.
            Op::Fmin | Op::Fmax if attr.flags.contains(Flags::NNAN) || self.is_number(b, MOST_STEPS) => {
                Some(self.extremum(op, [a, b]))
            }
            // What compares equal is the same.
            Op::Fmin | Op::Fmax
                if self.is_number(a, MOST_STEPS) && [a, b].into_iter().all(|v| self.has_no_sign(v, MOST_STEPS)) =>
            {
                Some(self.extremum(op, [b, a]))
            }
            // So is what compares equal with such a constant.
            Op::Fmin | Op::Fmax
                if self.bits(a).map(|bits| to_f64(format, bits)).is_some_and(|x| !x.is_nan() && x != 0.0) =>
            {
                Some(self.extremum(op, [b, a]))
            }
            Op::Fptrunc => {
                let same = self.operand_of(a, Op::Fpext).filter(|&x| self.b.func.ty(x) == ty && stays(x));
                same.or_else(|| self.narrow_result(node))
            }
            Op::Fcmp => self.narrow_comparison(node),
            Op::Ceil | Op::Floor | Op::Trunc | Op::Rint => {
                matches!(self.def(a)?.op, Op::Ceil | Op::Floor | Op::Trunc | Op::Rint | Op::Sitofp | Op::Uitofp)
                    .then_some(a)
            }
            _ => None,
        }
    }

    /// `x * (c ? 1 : 0)` is `c ? x : 0`, but for the product of an infinity and zero and for zeros' signs.
    fn product_with_truth(&mut self, node: &Node) -> Option<Value> {
        let (a, b) = (node.args[0], node.args[1]);
        let can_be = |this: &Self, x: Value, truth: Value| {
            let is_selection = this.def(truth).is_some_and(|def| def.op == Op::Select);
            is_selection && this.is_truth(truth, MOST_STEPS) && !this.may_be_flushed(x, MOST_STEPS)
        };
        let [x, truth] = [[a, b], [b, a]].into_iter().find(|&[x, truth]| can_be(self, x, truth))?;
        (node.ty.elem != Scalar::F16).then(|| self.times_truth(x, truth))
    }

    /// True for one, zero and selections of these, as so many steps say.
    fn is_truth(&self, v: Value, steps: u8) -> bool {
        if let Some(bits) = self.bits(v) {
            return [0.0, 1.0].contains(&to_f64(Format::of(self.b.func.ty(v).elem), bits));
        }
        let (Some(def), Some(steps)) = (self.def(v), steps.checked_sub(1)) else { return false };
        def.op == Op::Select && def.args[1..].iter().all(|&v| self.is_truth(v, steps))
    }

    /// The product of a value and such a one.
    fn times_truth(&mut self, x: Value, truth: Value) -> Value {
        match self.bits(truth) {
            Some(bits) if to_f64(Format::of(self.b.func.ty(truth).elem), bits) == 0.0 => truth,
            Some(_) => x,
            None => {
                let &[c, yes, no] = &self.def(truth).expect("a selection").args[..] else { unreachable!() };
                let (yes, no) = (self.times_truth(x, yes), self.times_truth(x, no));
                self.make(Op::Select, self.b.func.ty(x), &[c, yes, no], Imm::None, Attr::default())
            }
        }
    }

    /// `a < b ? a : b`, or that of the greater.
    fn extremum(&mut self, op: Op, [a, b]: [Value; 2]) -> Value {
        let ty = self.b.func.ty(a);
        let pred = if op == Op::Fmin { FloatPred::OLt } else { FloatPred::OGt };
        let truth = ty.with_elem(Scalar::I1);
        let c = self.make(Op::Fcmp, truth, &[a, b], Imm::FloatPred(pred), Attr::default());
        self.make(Op::Select, ty, &[c, a, b], Imm::None, Attr::default())
    }

    /// True if a float is no NaN, as so many steps of what makes it say.
    fn is_number(&self, v: Value, steps: u8) -> bool {
        use Op::{Ceil, Fabs, Floor, Fmax, Fmin, Fneg, Fpext, Fptrunc, Rint, Sitofp, Trunc, Uitofp};
        if let Some(bits) = self.bits(v) {
            return !to_f64(Format::of(self.b.func.ty(v).elem), bits).is_nan();
        }
        let (Some(def), Some(steps)) = (self.def(v), steps.checked_sub(1)) else { return false };
        match def.op {
            Sitofp | Uitofp => true,
            Fneg | Fabs | Ceil | Floor | Trunc | Rint | Fpext | Fptrunc => self.is_number(def.args[0], steps),
            Fmin | Fmax => def.args.iter().any(|&v| self.is_number(v, steps)),
            // What `extremum` makes: of a NaN in the first place, too, it gives the second.
            Op::Select if float_extremum(self.b.func, def.args[0], def.args[1], def.args[2]).is_some() => {
                self.is_number(def.args[2], steps)
            }
            _ => false,
        }
    }

    /// True if a float has no sign, or is a NaN, as so many steps of what makes it say.
    fn has_no_sign(&self, v: Value, steps: u8) -> bool {
        if let Some(bits) = self.bits(v) {
            return !to_f64(Format::of(self.b.func.ty(v).elem), bits).is_sign_negative();
        }
        let (Some(def), Some(steps)) = (self.def(v), steps.checked_sub(1)) else { return false };
        match def.op {
            Op::Fabs | Op::Uitofp => true,
            Op::Fmin | Op::Fmax => def.args.iter().all(|&v| self.has_no_sign(v, steps)),
            Op::Select => def.args[1..].iter().all(|&v| self.has_no_sign(v, steps)),
            _ => false,
        }
    }

    /// True if arithmetic makes zeros of denormal numbers, and this may be one: it comes from no arithmetic, as far as
    /// so many steps say.
    fn may_be_flushed(&self, v: Value, steps: u8) -> bool {
        use Op::{Fadd, Fdiv, Fma, Fmul, Fsub, Select, Sitofp, Sqrt, Uitofp};
        if !self.b.func.flushes_denormals {
            return false;
        }
        if let Some(bits) = self.bits(v) {
            let format = Format::of(self.b.func.ty(v).elem);
            let x = to_f64(format, bits);
            return x != 0.0 && x.abs() < least_normal(format);
        }
        let (Some(def), Some(steps)) = (self.def(v), steps.checked_sub(1)) else { return true };
        match def.op {
            Fadd | Fsub | Fmul | Fdiv | Fma | Sqrt | Sitofp | Uitofp => false,
            Select => def.args[1..].iter().any(|&v| self.may_be_flushed(v, steps)),
            _ => true,
        }
    }

    /// A quotient by a power of two as a product with its inverse: both are the exact value rounded once.
    fn divide_by_constant(&mut self, node: &Node, format: Format, x: f64) -> Option<Value> {
        let Node { ty, ref args, attr, .. } = *node;
        let inverse = 1.0 / x;
        let (low, high) = (least_normal(format), 2.0 / least_normal(format));
        let power_of_two = x.to_bits() & ((1 << 52) - 1) == 0;
        let normal = |x: f64| x.abs() >= low && x.abs() <= high;
        if !power_of_two || !normal(x) || !normal(inverse) {
            return None;
        }
        let format = (crate::ir::softfloat::F64, format);
        let bits = crate::ir::softfloat::convert(format.0, format.1, inverse.to_bits(), Rounding::Rte);
        let inverse = self.b.bits(ty, bits);
        Some(self.make(Op::Fmul, ty, &[args[0], inverse], Imm::None, attr))
    }
}
