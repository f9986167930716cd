//! Bounds of loops: a counted loop that does nothing from some count on ends there.
//!
//! ```text
//! head(i, ..): ..pure..; br i < x, body, latch     latch: next = i + 1; br next < n, head(next, ..), exit
//! ```
//! with `x` and `n` known before the loop and nothing of the loop used behind it becomes a loop up to min(n, x), left
//! out when `x` is not positive. That is the loop over work-items of `if (get_local_id(0) < x) ...`; for
//! `if (get_global_id(0) < x)` the test is of `base + i`, with a sum of 64 bits or 32 that does not wrap. `i == 0` is
//! `i < 1`. Of several such tests with constants, one behind the other, the largest counts. Counts start at 0; `n` is a
//! constant, at least 1, or the loop is over work-items, of which there is always one. Uses the natural loops; keeps
//! convergent operations (there are none).

use crate::analysis::induction::{Counted, Induction};
use crate::ir::cfg::Cfg;
use crate::ir::dom::{Dominators, Loop, Loops};
use crate::ir::entity::Entity;
use crate::ir::op::Flags;
use crate::ir::{Block, Builder, Func, Imm, IntPred, Op, Scalar, Target, Term, Type, Value};
use crate::loops::lcssa::entry_if_closed;
use smallvec::SmallVec;
use std::cmp::Reverse;

/// Most tests one behind the other.
const MAX_TESTS: usize = 8;

/// Runs the pass, but for loops over work-items in loops over their rows. Where work-items are in sub-groups of so
/// many, loops end behind whole ones only.
pub fn run(func: &mut Func, sub_group: Option<u8>) {
    bound(func, false, sub_group);
}

/// For those: behind `simd::versioning`, which does more for guards of rows.
pub fn run_in_rows(func: &mut Func) {
    bound(func, true, None);
}

fn bound(func: &mut Func, in_rows: bool, sub_group: Option<u8>) {
    let cfg = Cfg::new(func);
    let loops = Loops::new(func, &cfg, &Dominators::new(&cfg));
    let mut homes = func.homes(&func.layout);
    let of_rows = |l: &Loop| {
        let mut rows = loops.loops.iter().filter(|outer| func.blocks[outer.header].rows.is_some());
        func.blocks[l.header].items && rows.any(|outer| outer.blocks.contains(&l.header))
    };
    let mut users = func.user_blocks();
    let found: Vec<&Loop> = loops.loops.iter().filter(|l| l.blocks.len() > 1 && of_rows(l) == in_rows).collect();
    for l in found {
        let is_whole = |x: Value, n: u8| func.const_bits(x).is_some_and(|x| x.is_multiple_of(n.into()));
        if let Some(found) = find(func, &cfg, l, &homes, &users)
            && sub_group.is_none_or(|n| {
                found.tests.iter().all(|test| test.base.is_none() && test.x.is_some_and(|x| is_whole(x, n)))
            })
        {
            apply(func, &found, &mut homes);
            // What is new is used in front of the loop and at its end.
            users.resize(func.values.len(), [found.before, found.latch].into_iter().collect());
        }
    }
}

/// A loop that can be bounded.
struct Found {
    latch: Block,
    /// The block before the loop and the one behind it.
    before: Block,
    exit: Target,
    /// Those that must all fail for nothing to happen, the last one to fail first.
    tests: SmallVec<[Test; 1]>,
    n: Value,
    /// The incremented count, of 64 bits or 32.
    next: Value,
}

/// A test of the count, at the end of a block.
struct Test {
    block: Block,
    /// What the count is compared with, 1 if none; whether that has 64 bits, or 32; whether the comparison is signed.
    x: Option<Value>,
    wide: bool,
    signed: bool,
    /// What is added to the count before it is compared.
    base: Option<Value>,
    body: Target,
}

fn find(func: &Func, cfg: &Cfg, l: &Loop, homes: &[Option<Block>], users: &[SmallVec<[Block; 2]>]) -> Option<Found> {
    let head = l.header;
    let &[latch] = &l.latches[..] else { return None };
    let inside = |v: Value| homes[v.index()].is_some_and(|b| l.blocks.contains(&b));
    // The count, from 0 up by 1 to a constant.
    let counted = Counted::at_latch(func, cfg, l).filter(|c| c.bound.pred == IntPred::ULt && c.bound.if_true)?;
    let (Induction { now: count, next, .. }, n) = (counted.counter, counted.bound.than);
    let is_known = func.const_bits(n).map_or(func.blocks[head].items, |n| (1..=1 << 31).contains(&n))
        && matches!(func.ty(count).elem, Scalar::I32 | Scalar::I64);
    let counts = counted.bound.is_next && counted.step == 1 && func.const_bits(counted.first) == Some(0);
    let Term::Br { els: exit, .. } = &func.blocks[latch].term else { return None };
    if !is_known || !counts || inside(n) {
        return None;
    }
    // Nothing else happens where no branch is taken; the loop is left at the latch only, and nothing of it is used
    // behind.
    let idle = |b: Block| {
        func.blocks[b]
            .insts
            .iter()
            .map(|&i| &func.insts[i])
            .all(|d| d.op.is_pure() || d.op == Op::Load && !d.attr.flags.contains(Flags::VOLATILE))
    };
    let mut tests = SmallVec::new();
    let mut block = head;
    while block != latch || tests.is_empty() {
        let test = test(func, l, block, count, &inside).filter(|_| idle(block) && tests.len() < MAX_TESTS);
        let (test, next) = test.filter(|(test, _)| block != latch && test.body.block != latch)?;
        tests.push(test);
        block = next;
    }
    let are_known = tests.len() == 1 || tests.iter().all(|test: &Test| test.bound(func).is_some());
    if !are_known || !idle(latch) || exit.args.iter().any(|&v| inside(v)) {
        return None;
    }
    let before = entry_if_closed(func, cfg, l, users)?;
    // The largest one comes first.
    tests.sort_by_key(|test| Reverse(test.bound(func)));
    Some(Found { latch, before, exit: exit.clone(), tests, n, next })
}

/// The test of the count at the end of a block of a loop, and where it leads if it fails.
fn test(func: &Func, l: &Loop, block: Block, count: Value, inside: &dyn Fn(Value) -> bool) -> Option<(Test, Block)> {
    let within = |b: Block| l.blocks.contains(&b);
    let Term::Br { cond, then: body, els } = &func.blocks[block].term else { return None };
    if !els.args.is_empty() || !within(body.block) || !within(els.block) || els.block == l.header {
        return None;
    }
    let zero = |&(_, x): &(Value, Value)| func.const_bits(x) == Some(0);
    let (signed, value, x) = match [IntPred::SLt, IntPred::ULt, IntPred::Eq].map(|pred| compared(func, *cond, pred)) {
        [Some((value, x)), ..] => (true, value, Some(x)),
        [_, Some((value, x)), _] => (false, value, Some(x)),
        [.., equal] => (false, equal.filter(zero)?.0, None),
    };
    if func.ty(value).elem.bits() < 32 || x.is_some_and(inside) {
        return None;
    }
    let flag = if signed { Flags::NSW } else { Flags::NUW };
    let sum = match func.def_inst(value).filter(|d| d.op == Op::Trunci) {
        Some(d) if d.args[0] == count || d.attr.flags.contains(flag) => d.args[0],
        _ => value,
    };
    // The count as an `int` is the number that it was.
    let is_count = |v: Value| {
        let narrow = || func.def_inst(v).filter(|d| d.op == Op::Trunci && d.attr.flags.contains(flag));
        v == count || narrow().is_some_and(|d| d.args[0] == count)
    };
    let base = match func.def_inst(sum).filter(|d| d.op == Op::Add && d.attr.flags.contains(flag)) {
        Some(d) if is_count(d.args[1]) && !inside(d.args[0]) => Some(d.args[0]),
        Some(d) if is_count(d.args[0]) && !inside(d.args[1]) => Some(d.args[1]),
        _ => None,
    };
    if sum != count && base.is_none() {
        return None;
    }
    let wide = x.is_none_or(|x| func.ty(x).elem.bits() == 64);
    Some((Test { block, x, wide, signed, base, body: body.clone() }, els.block))
}

/// Operands of a comparison of this kind.
fn compared(func: &Func, cond: Value, pred: IntPred) -> Option<(Value, Value)> {
    let data = func.def_inst(cond).filter(|d| d.op == Op::Icmp && d.imm == Imm::IntPred(pred))?;
    Some((data.args[0], data.args[1]))
}

/// Bounds the loop; `homes` learns of the new values.
fn apply(func: &mut Func, found: &Found, homes: &mut Vec<Option<Block>>) {
    let is_wide = func.ty(found.next) == Type::I64;
    let before = found.before;
    let Term::Jump(entry) = func.blocks[before].term.clone() else { unreachable!("found so") };
    let mut b = Builder::new(func, before);
    let zero = b.i64(0);
    let n = if is_wide { found.n } else { b.convert(Op::Zext, Type::I64, found.n) };
    let first = &found.tests[0];
    let end = first.end(&mut b, n);
    let less = if first.signed && first.base.is_none() { IntPred::SLt } else { IntPred::ULt };
    let any = b.icmp(less, zero, end);
    let end = if is_wide { end } else { b.convert(Op::Trunci, Type::I32, end) };
    b.end(Term::Br { cond: any, then: entry, els: found.exit.clone() });
    homes.resize(func.values.len(), Some(before));
    let again = Builder::new(func, found.latch).icmp(IntPred::ULt, found.next, end);
    homes.push(Some(found.latch));
    if let Term::Br { cond, .. } = &mut func.blocks[found.latch].term {
        *cond = again;
    }
    let bound = first.bound(func);
    let always = found.tests.iter().take_while(|test| test.bound(func) == bound).count();
    for test in &found.tests[..always] {
        func.blocks[test.block].term = Term::Jump(test.body.clone());
    }
}

impl Test {
    /// The count from which on it fails, or `n` if that is less; not positive if it never holds, and 0 above a base. Of
    /// 64 bits.
    fn end(&self, b: &mut Builder<'_>, n: Value) -> Value {
        let (extend, min) = if self.signed { (Op::Sext, Op::MinS) } else { (Op::Zext, Op::MinU) };
        let x = match self.x {
            None => b.i64(1),
            Some(x) if self.wide => x,
            Some(x) => b.convert(extend, Type::I64, x),
        };
        let Some(base) = self.base else { return b.op(min, &[x, n]) };
        // What is left above the base, if anything: not negative, and perhaps more than fits a signed number.
        let base = if b.func.ty(base) == Type::I64 { base } else { b.convert(extend, Type::I64, base) };
        let (op, more, less) = if self.signed { (Op::MaxS, x, base) } else { (Op::MinU, x, base) };
        let near = b.op(op, &[more, less]);
        let ends = if self.signed { [near, base] } else { [x, near] };
        let left = b.op(Op::Sub, &ends);
        b.op(Op::MinU, &[left, n])
    }

    /// What the count is compared with, if that is a constant.
    fn bound(&self, func: &Func) -> Option<u64> {
        let x = self.x.map_or(Some(1), |x| func.const_bits(x)).filter(|_| self.base.is_none())?;
        // A negative one never holds: none is less.
        let is_negative = self.signed && x >> (if self.wide { 63 } else { 31 }) & 1 != 0;
        Some(if is_negative { 0 } else { x })
    }
}
