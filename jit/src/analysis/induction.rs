//! Induction variables, bounds that tests set for them, and counted loops.
//!
//! ```text
//! header(i = first, ..): …; next = i + step; … br (i or next) < bound, (round the loop), (out of it)
//! ```

use super::range::{Range, Ranges};
use crate::ir::cfg::Cfg;
use crate::ir::dom::{Dominators, Loop};
use crate::ir::op::Flags;
use crate::ir::{Block, Func, Imm, IntPred, Op, Target, Term, Value, ValueDef};

/// A parameter of a loop's header that grows from turn to turn (a basic induction variable, where the step is
/// invariant).
#[derive(Clone, Copy, Debug)]
pub struct Induction {
    /// The parameter.
    pub now: Value,
    /// Its place among the header's.
    pub at: usize,
    /// Its value in the next turn.
    pub next: Value,
    /// What is added.
    pub step: Step,
    /// How it is extended for a sum of more bits that is cut off again: `next = trunc(sext(now) + step)`.
    pub extension: Option<Op>,
}

/// By how much an induction variable grows.
#[derive(Clone, Copy, Debug)]
pub enum Step {
    /// A number, not necessarily the same in each turn; wider than the variable where that is extended.
    Value(Value),
    /// Bytes, for an address.
    Bytes(i64),
}

impl Induction {
    /// All of a loop with one way back.
    pub fn all<'a>(func: &'a Func, l: &'a Loop) -> impl Iterator<Item = Self> + 'a {
        let back = match l.latches[..] {
            [latch] => func.blocks[latch].term.only_target(l.header),
            _ => None,
        };
        let params = func.blocks[l.header].params.iter().enumerate();
        back.into_iter().flat_map(move |back| params.clone().zip(&back.args)).filter_map(|((at, &now), &next)| {
            let (step, extension) = added(func, now, next)?;
            Some(Self { now, at, next, step, extension })
        })
    }

    /// That of a parameter of the header.
    pub fn of(func: &Func, l: &Loop, now: Value) -> Option<Self> {
        Self::all(func, l).find(|i| i.now == now)
    }

    /// The step, if it is constant, as a signed number.
    pub fn by(&self, func: &Func) -> Option<i64> {
        match self.step {
            Step::Value(v) => {
                let unused = 64 - func.ty(self.now).elem.bits();
                Some((func.const_bits(v)? as i64) << unused >> unused)
            }
            Step::Bytes(by) => Some(by),
        }
    }

    /// What each way into the loop starts it with.
    pub fn starts<'a>(&self, func: &'a Func, cfg: &'a Cfg, l: &'a Loop) -> impl Iterator<Item = Value> + 'a {
        let at = self.at;
        let preds = cfg.preds(l.header).iter().filter(|&b| !l.latches.contains(b));
        let targets = preds.flat_map(|&b| func.blocks[b].term.targets()).filter(|t| t.block == l.header);
        targets.map(move |t| t.args[at])
    }

    /// What it starts with, if there is one way in.
    pub fn first(&self, func: &Func, cfg: &Cfg, l: &Loop) -> Option<Value> {
        let mut starts = self.starts(func, cfg, l);
        starts.next().filter(|_| starts.next().is_none())
    }

    /// As what it does not wrap, by the flags of its sum: `NSW` or `NUW`.
    pub fn no_wrap(&self, func: &Func) -> Option<Flags> {
        let flags = func.def_inst(self.next)?.attr.flags;
        [Flags::NSW, Flags::NUW].into_iter().find(|&flag| flags.contains(flag) && self.is_extended_as(flag))
    }

    /// True if the sum, where it does not wrap in this sense, is one of the variable's extension in the same sense.
    pub fn is_extended_as(&self, flag: Flags) -> bool {
        self.extension.is_none_or(|op| op == if flag == Flags::NSW { Op::Sext } else { Op::Zext })
    }

    /// What it is compared with at the end of a block, where one of two edges leads where it should.
    pub fn bound(&self, func: &Func, block: Block, leads: impl Fn(&Target) -> bool) -> Option<Bound> {
        let Term::Br { cond, then, els } = &func.blocks[block].term else { return None };
        let test = func.def_inst(*cond).filter(|data| data.op == Op::Icmp)?;
        let (&Imm::IntPred(pred), &[a, b]) = (&test.imm, &test.args[..]) else { return None };
        let is_own = |v: Value| v == self.now || v == self.next;
        let (own, pred, than) = match (is_own(a), is_own(b)) {
            (true, false) => (a, pred, b),
            (false, true) => (b, pred.swapped(), a),
            _ => return None,
        };
        let (if_true, to) = match (leads(then), leads(els)) {
            (true, false) => (true, then.block),
            (false, true) => (false, els.block),
            _ => return None,
        };
        let pred = if if_true { pred } else { pred.inverted() };
        Some(Bound { pred, than, is_next: own != self.now, if_true, to })
    }
}

/// What `next` adds to `now`, and how that is extended for it.
fn added(func: &Func, now: Value, next: Value) -> Option<(Step, Option<Op>)> {
    let data = func.def_inst(next)?;
    let is_extension =
        |v: Value| func.def_inst(v).filter(|d| matches!(d.op, Op::Sext | Op::Zext) && d.args[0] == now).map(|d| d.op);
    match (data.op, &data.imm, &data.args[..]) {
        _ if func.ty(now).is_vector() => None,
        (Op::Add, _, &[a, b]) if a == now => Some((Step::Value(b), None)),
        (Op::Add, _, &[a, b]) if b == now => Some((Step::Value(a), None)),
        (Op::PtrOff, &Imm::Disp(by), &[a]) if a == now => Some((Step::Bytes(by), None)),
        (Op::Trunci, _, &[sum]) => {
            let sum = func.def_inst(sum).filter(|d| d.op == Op::Add)?;
            let &[a, b] = &sum.args[..] else { return None };
            match (is_extension(a), is_extension(b)) {
                (Some(op), _) => Some((Step::Value(b), Some(op))),
                (_, Some(op)) => Some((Step::Value(a), Some(op))),
                _ => None,
            }
        }
        _ => None,
    }
}

/// What holds of an induction variable where an edge leads.
#[derive(Clone, Copy, Debug)]
pub struct Bound {
    /// How it relates to `than`.
    pub pred: IntPred,
    /// What it is compared with.
    pub than: Value,
    /// The value of the next turn is compared, not that of this one.
    pub is_next: bool,
    /// The edge is taken if the block's condition is true.
    pub if_true: bool,
    /// Where it leads.
    pub to: Block,
}

impl Bound {
    /// True if the variable does not pass it upwards.
    pub fn is_upper(&self) -> bool {
        matches!(self.pred, IntPred::SLt | IntPred::SLe | IntPred::ULt | IntPred::ULe)
    }
}

/// A loop that goes round while a variable with a constant step is on one side of an invariant bound.
#[derive(Clone, Copy, Debug)]
pub struct Counted {
    /// What counts.
    pub counter: Induction,
    /// Its first value.
    pub first: Value,
    /// Its step; not 0.
    pub step: i64,
    /// What holds where the loop goes on.
    pub bound: Bound,
}

impl Counted {
    /// By the test at the end of a block of the loop, which leads out or on.
    pub fn by_test(func: &Func, cfg: &Cfg, l: &Loop, test: Block) -> Option<Self> {
        let (counter, bound) = Induction::all(func, l)
            .find_map(|counter| Some((counter, counter.bound(func, test, |t| l.blocks.contains(&t.block))?)))?;
        let fits = func.ty(counter.now).is_int() && is_invariant(func, l, bound.than);
        let step = counter.by(func).filter(|&step| fits && step != 0)?;
        Some(Self { counter, first: counter.first(func, cfg, l)?, step, bound })
    }

    /// By the test at the loop's one latch.
    pub fn at_latch(func: &Func, cfg: &Cfg, l: &Loop) -> Option<Self> {
        let &[latch] = &l.latches[..] else { return None };
        Self::by_test(func, cfg, l, latch)
    }

    /// How often the header runs, if that follows from constants and no other test ends the loop before; the test must
    /// be made in each turn.
    pub fn turns(&self, func: &Func) -> Option<u64> {
        let [first, than] = [self.first, self.bound.than].map(|v| func.const_bits(v));
        let bits = func.ty(self.counter.now).elem.bits();
        let first = if self.bound.is_next { first?.wrapping_add(self.step as u64) } else { first? };
        turns(bits, first, self.step, self.bound.pred, than?)
    }

    /// What the counter is in the loop's header, if it goes up between constant ends: natural numbers, the same read as
    /// signed or not.
    pub fn range(&self, func: &Func) -> Option<Range> {
        let is_below = matches!(self.bound.pred, IntPred::ULt | IntPred::SLt) && self.step > 0;
        let [first, than] = [func.const_bits(self.first)?, func.const_bits(self.bound.than)?];
        // Where the test comes before the step, the last value is one that does not pass it.
        let end = if self.bound.is_next { than } else { than.checked_add(self.step as u64)? };
        let range = Range::new(i128::from(first), i128::from(end) - 1);
        let all = Range::full(func.ty(self.counter.now).elem.bits(), true);
        // The first sum, of which `turns` does not know that it is one, may pass the end of its type.
        let next = Range::new(range.least, range.least + i128::from(self.step));
        let is_natural = first < than && all.contains(range) && all.contains(next);
        // It passes no end of its type on the way.
        self.turns(func).filter(|_| is_below && is_natural).map(|_| range)
    }

    /// How often the header runs at most, if the first value and the bound are in known ranges and the counter moves
    /// towards its bound without passing an end of its type; likewise. `ranges` are read as the test compares.
    pub fn most_turns(&self, func: &Func, ranges: &Ranges<'_>) -> Option<u64> {
        use IntPred::{SGe, SGt, SLe, SLt, UGe, UGt, ULe, ULt};
        let all = Range::full(func.ty(self.counter.now).elem.bits(), ranges.signed);
        let (mut first, than, step) = (ranges.of(self.first), ranges.of(self.bound.than), i128::from(self.step));
        if self.bound.is_next {
            first = Range::new(first.least + step, first.most + step);
        }
        // What is left to go at most, and the first value that may be too far.
        let (left, end) = match self.bound.pred {
            ULt | SLt if step > 0 => (than.most - first.least, than.most - 1 + step),
            ULe | SLe if step > 0 => (than.most + 1 - first.least, than.most + step),
            UGt | SGt if step < 0 => (first.most - than.least, than.least + 1 + step),
            UGe | SGe if step < 0 => (first.most + 1 - than.least, than.least + step),
            _ => return None,
        };
        let more = (left.max(0) + step.abs() - 1) / step.abs();
        (all.contains(first) && all.contains(Range::new(end, end))).then(|| u64::try_from(1 + more).ok())?
    }
}

/// Most tests of a loop that are looked at: each costs as much as the loop has blocks.
const MAX_TESTS: usize = 64;

/// The branches of a loop that are passed in each turn, at most `MAX_TESTS`; those of header and latches come first.
pub fn tests<'a>(func: &'a Func, dom: &'a Dominators, l: &'a Loop) -> impl Iterator<Item = Block> + 'a {
    let is_end = |block: &Block| *block == l.header || l.latches.contains(block);
    let others = l.blocks.iter().filter(move |block| !is_end(block));
    let latches = l.latches.iter().filter(|&&latch| latch != l.header);
    let all = [l.header].into_iter().chain(latches.copied()).chain(others.copied());
    let is_branch = |block: &Block| func.blocks[*block].term.n_targets() > 1;
    all.filter(is_branch).filter(|&block| l.latches.iter().all(|&latch| dom.dominates(block, latch))).take(MAX_TESTS)
}

/// True for constants and for what a loop does not compute.
pub fn is_invariant(func: &Func, l: &Loop, v: Value) -> bool {
    match func.values[v].def {
        ValueDef::Param(block, _) => !l.blocks.contains(&block),
        ValueDef::Inst(inst) => {
            func.insts[inst].op == Op::Const || !l.blocks.iter().any(|&b| func.blocks[b].insts.contains(&inst))
        }
    }
}

/// The least n ≥ 1 for which `first + (n - 1) * step` does not relate to `than`, modulo 2 to the number of bits; none
/// if there is none, or if the sum passes an end of the range before.
fn turns(bits: u32, first: u64, step: i64, pred: IntPred, than: u64) -> Option<u64> {
    use IntPred::{Eq, Ne, SGe, SGt, SLe, SLt, UGe, UGt, ULe, ULt};
    let all = u64::MAX >> (64 - bits);
    let is_signed = pred.is_signed();
    let falls = matches!(pred, SGt | SGe | UGt | UGe) || pred == Ne && step < 0;
    // As unsigned numbers below their bound: signed ones are moved up by half of all, what is above its bound is
    // mirrored.
    let above = |v: u64| (if is_signed { v ^ 1 << (bits - 1) } else { v } ^ if falls { u64::MAX } else { 0 }) & all;
    let (first, than) = (above(first), above(than));
    let step = (if falls { step.wrapping_neg() } else { step }) as u64 & all;
    let than = match pred {
        Eq => return if first != than { Some(1) } else { (step != 0).then_some(2) },
        Ne => {
            let left = than.wrapping_sub(first) & all;
            return if left == 0 { Some(1) } else { (left.checked_rem(step)? == 0).then(|| left / step + 1) };
        }
        SLe | SGe | ULe | UGe => u128::from(than) + 1,
        SLt | SGt | ULt | UGt => u128::from(than),
    };
    if u128::from(first) >= than {
        return Some(1);
    }
    let left = than - u128::from(first);
    let more = if step == 0 { return None } else { left.div_ceil(u128::from(step)) };
    (u128::from(first) + more * u128::from(step) <= u128::from(all)).then(|| more as u64 + 1)
}
