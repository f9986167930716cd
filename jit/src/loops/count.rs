//! Loops that test at their top whether a counter has met or passed a bound, for transformations that do several turns
//! at once: whether there are as many turns more.

use crate::analysis::induction::{Bound, Counted, Induction};
use crate::ir::cfg::Cfg;
use crate::ir::dom::Loop;
use crate::ir::op::Flags;
use crate::ir::{Block, Builder, Copies, Func, IntPred, Op, Term, Value};

/// Furthest that a counter goes in a turn.
const MOST_STEP: u64 = 256;

/// How such a loop counts. Nothing else need end it.
#[derive(Clone, Copy, Debug)]
pub struct Count {
    /// The parameter of the header.
    pub counter: Value,
    /// What it grows by.
    pub step: i64,
    /// What it is compared with; from outside the loop.
    pub limit: Value,
    /// The header's condition is true where there is a turn more.
    more_if: bool,
    /// The counter is exact as a number with a sign.
    pub signed: bool,
    /// The same without a sign.
    pub unsigned: bool,
}

impl Count {
    /// That of a loop, by its header's test.
    pub fn of(func: &Func, cfg: &Cfg, l: &Loop) -> Option<Self> {
        let Counted { counter, step, bound, .. } = Counted::by_test(func, cfg, l, l.header)?;
        let Bound { pred, than: limit, is_next, if_true: more_if, .. } = bound;
        let Induction { now: counter, next, extension, .. } = counter;
        // What is left, `limit - counter`, is then how often the loop goes round, or one less, times the step.
        let (up, signed, unsigned) = match pred {
            IntPred::SLt | IntPred::SLe => (true, true, false),
            IntPred::SGt | IntPred::SGe => (false, true, false),
            IntPred::ULt | IntPred::ULe => (true, false, true),
            IntPred::UGt | IntPred::UGe => (false, false, true),
            IntPred::Ne => (step > 0, false, false),
            IntPred::Eq => return None,
        };
        // One more than the last may be past the end of the type, unless the bound leaves room for the step.
        let by_one = step.unsigned_abs() == 1;
        let nsw = func.def_inst(next).is_some_and(|sum| sum.attr.flags.contains(Flags::NSW));
        let (signed, unsigned) = (signed && by_one || nsw, unsigned && by_one);
        // A constant may be anywhere.
        let is_outside = !func.data_of(&l.blocks).any(|data| data.result == Some(limit));
        let fits =
            is_outside && !is_next && extension.is_none() && (step > 0) == up && step.unsigned_abs() <= MOST_STEP;
        fits.then_some(Self { counter, step, limit, more_if, signed, unsigned })
    }

    /// Asks, where the builder is, whether there are `turns` turns more if the header's parameters have these values,
    /// by a copy of the header's instructions, which must be such as may run once more where the header would run next.
    pub fn has_more(&self, b: &mut Builder<'_>, header: Block, values: &[Value], turns: i64) -> Value {
        let Term::Br { cond: more, .. } = b.func.blocks[header].term else { panic!("the header tests") };
        let mut copies = Copies::default();
        b.func.blocks[header].params.iter().zip(values).for_each(|(&param, &v)| copies.set(param, v));
        b.func.blocks[header].insts.clone().into_iter().for_each(|inst| _ = copies.inst(b, inst));
        let now = copies.value(self.counter);
        let ends = if self.step > 0 { [self.limit, now] } else { [now, self.limit] };
        let left = b.op(Op::Sub, &ends);
        let many = b.icmp_bits(IntPred::UGt, left, (turns - 1).unsigned_abs() * self.step.unsigned_abs());
        let mut more = copies.value(more);
        if !self.more_if {
            more = b.op(Op::Not, &[more]);
        }
        b.op(Op::And, &[more, many])
    }
}
