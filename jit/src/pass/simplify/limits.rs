//! What follows from the ranges of integers (`analysis::range`): comparisons with one outcome, and limits that limit
//! nothing.
//!
//! ```text
//! x = min.s(max.s(i, 0), n - 1)      x < 0  →  n - 1 < 0       x ≥ n  →  false
//! ```

use super::Simplify;
use crate::analysis::range::{Range, Ranges};
use crate::interp::value::signed;
use crate::ir::op::Flags;
use crate::ir::{IntPred, Op, Type, Value};

impl Simplify<'_> {
    /// The outcome of a comparison of integers, if it is the same for all that the operands can be.
    pub(super) fn outcome(&self, pred: IntPred, a: Value, b: Value) -> Option<bool> {
        let is_signed = is_signed(pred);
        let bits = self.b.func.ty(a).elem.bits();
        let (x, y) = match self.distance(a, b).filter(|_| is_signed != Some(false)) {
            Some(distance) => (Range::new(distance, distance), Range::new(0, 0)),
            None => {
                let signed = is_signed.unwrap_or(false);
                let ranges = Ranges { func: self.b.func, signed, known: &|_| None };
                let (y, full) = (ranges.of(b), Range::full(bits, signed));
                (if y == full { full } else { ranges.of(a) }, y)
            }
        };
        let (less, not_less) = (x.most < y.least, x.least >= y.most);
        let (more, not_more) = (x.least > y.most, x.most <= y.least);
        let (yes, no) = match pred {
            IntPred::Eq => (false, less || more),
            IntPred::Ne => (less || more, false),
            IntPred::SLt | IntPred::ULt => (less, not_less),
            IntPred::SGe | IntPred::UGe => (not_less, less),
            IntPred::SGt | IntPred::UGt => (more, not_more),
            _ => (not_more, more),
        };
        (yes || no).then_some(yes)
    }

    /// How far a signed number is from another, if that does not wrap.
    fn distance(&self, a: Value, b: Value) -> Option<i128> {
        if a == b {
            return Some(0);
        }
        let sum = self.def_op(a, Op::Add).filter(|d| d.args[0] == b && d.attr.flags.contains(Flags::NSW))?;
        let by = self.bits(sum.args[1])?;
        Some(signed(by, self.b.func.ty(a).elem.bits()).into())
    }

    /// A comparison of the lesser or greater of two numbers: that of one of them, if that of the other has one outcome.
    pub(super) fn compare_limited(&mut self, pred: IntPred, ty: Type, a: Value, b: Value) -> Option<Value> {
        let is_signed = is_signed(pred)?;
        let is_limit = |v: Value| self.def(v).is_some_and(|d| limits(d.op) == Some(is_signed));
        if !is_limit(a) {
            return is_limit(b).then(|| self.compare_first_limited(pred.swapped(), ty, b, a))?;
        }
        self.compare_first_limited(pred, ty, a, b)
    }

    fn compare_first_limited(&mut self, pred: IntPred, ty: Type, a: Value, b: Value) -> Option<Value> {
        let data = self.def(a)?;
        let is_min = matches!(data.op, Op::MinS | Op::MinU);
        let (x, y) = (data.args[0], data.args[1]);
        let asks_less = matches!(pred, IntPred::SLt | IntPred::SLe | IntPred::ULt | IntPred::ULe);
        // The lesser is less than something if either is, and not less if both are not; and so on.
        let suffices = is_min == asks_less;
        for (one, other) in [(x, y), (y, x)] {
            match self.outcome(pred, one, b) {
                Some(yes) if yes == suffices => return Some(self.b.bits(ty, u64::from(yes))),
                Some(_) => return Some(self.icmp(pred, ty, other, b)),
                None => {}
            }
        }
        None
    }

    /// The lesser or greater of two numbers, if it is always the same of the two.
    pub(super) fn limit(&self, op: Op, a: Value, b: Value) -> Option<Value> {
        let is_signed = limits(op)?;
        let ranges = Ranges { func: self.b.func, signed: is_signed, known: &|_| None };
        let (y, full) = (ranges.of(b), Range::full(self.b.func.ty(a).elem.bits(), is_signed));
        if y == full {
            return None;
        }
        let x = ranges.of(a);
        let (a, b) = if matches!(op, Op::MinS | Op::MinU) { (a, b) } else { (b, a) };
        match () {
            () if x.most <= y.least => Some(a),
            () if y.most <= x.least => Some(b),
            () => None,
        }
    }
}

/// Whether a comparison is of signed numbers; nothing for those of equality.
fn is_signed(pred: IntPred) -> Option<bool> {
    match pred {
        IntPred::Eq | IntPred::Ne => None,
        IntPred::SLt | IntPred::SLe | IntPred::SGt | IntPred::SGe => Some(true),
        _ => Some(false),
    }
}

/// Whether an operation is the lesser or greater of two signed numbers, or of two others.
fn limits(op: Op) -> Option<bool> {
    match op {
        Op::MinS | Op::MaxS => Some(true),
        Op::MinU | Op::MaxU => Some(false),
        _ => None,
    }
}
