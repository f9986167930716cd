//! Loops that are left when they find something look at everything instead, and remember whether they found it: then
//! no turn depends on the ones before, and turns can run in lanes (if-conversion of a loop's exit; the textbook's
//! control speculation).
//!
//! ```text
//! head(i): br i < 32, b, none;     b: …; br c, found, latch
//!   → head(i, f): br i < 32, b, end;     b: …; f' = f or c; jump latch;     end: br f, found, none
//! ```
//! Loops in which the header asks what the turn before has found, as of `i < 32 && !found`, are the same with the test
//! gone. Flags that are set as `found |= c`, bytes for the language, are made of the byte and not of its truth, so that
//! they are sums that lanes know.
//!
//! Only loops with few turns, which do nothing but compute, and load from private arrays what is inside these in every
//! turn, and from which nothing comes but the way on which they are left. Takes the form of work-group functions; works
//! on innermost loops where nothing else gives lanes. Linear.

use super::inner_loops::MAX_WORK;
use crate::analysis::address::Address;
use crate::analysis::alias::is_pure_call;
use crate::analysis::induction::Counted;
use crate::ir::cfg::Cfg;
use crate::ir::dom::{Dominators, Loop, Loops};
use crate::ir::entity::Entity;
use crate::ir::op::Flags;
use crate::ir::{Block, Builder, Func, Imm, Inst, InstData, IntPred, Op, Target, Term, Type, Value};
use crate::loops::lcssa::escaping;

/// Most vectors of turns.
const MAX_VECTORS: u64 = 4;

/// Runs the pass for vectors of so many lanes; true if there was such a loop.
pub(crate) fn run(func: &mut Func, width: u8) -> bool {
    let mut any = false;
    // Loops stay where they are: what is added is one block behind each.
    let (cfg, dom, loops) = Loops::of_func(func);
    let most = MAX_WORK / func.n_live_insts().max(1);
    for n in loops.innermost().take(most) {
        let l = &loops.loops[n];
        any |= join_flags(func, &cfg, l);
        if let Some(search) = Search::find(func, &cfg, &dom, l, u64::from(width) * MAX_VECTORS) {
            search.rewrite(func, l);
            any = true;
        }
    }
    any
}

/// A loop that is left by the end of its count, or for what it finds.
struct Search {
    /// What is in front of the loop, and its latch.
    before: Block,
    latch: Block,
    /// The block that ends the count, and where it leads then.
    test: Block,
    none: Target,
    /// The block that asks for what is to be found, where it leads then, and whether that is if the condition is true.
    ask: Block,
    found: Target,
    if_true: bool,
    /// The header's parameter that holds whether the turn before has found it, if that is what is asked for.
    before_turn: Option<usize>,
}

impl Search {
    fn find(func: &Func, cfg: &Cfg, dom: &Dominators, l: &Loop, most: u64) -> Option<Self> {
        let (before, &[latch]) = (l.entry(cfg)?, &l.latches[..]) else { return None };
        let is_out = |t: &Target| !l.blocks.contains(&t.block);
        let mut exits = l.blocks.iter().flat_map(|&b| {
            let targets = func.blocks[b].term.targets();
            targets.into_iter().filter(|t| is_out(t)).map(|t| (b, t.clone())).collect::<Vec<_>>()
        });
        let ends = [exits.next()?, exits.next()?];
        let is_two = exits.next().is_none() && ends[0].0 != ends[1].0;
        let counted = |b: Block| Counted::by_test(func, cfg, l, b).filter(|_| b == l.header || b == latch);
        let at = is_two.then(|| ends.iter().position(|&(b, _)| counted(b).is_some()))??;
        let [(test, none), (ask, found)] = [ends[at].clone(), ends[1 - at].clone()];
        let Term::Br { then, .. } = &func.blocks[ask].term else { return None };
        let counted = counted(test)?;
        let turns = counted.turns(func)?;
        let in_every = dom.dominates(ask, latch) && func.blocks[before].term.only_target(l.header).is_some();
        let if_true = is_out(then);
        // What the last turn finds nobody asks for: both ways out must be one.
        let is_early = test == l.header;
        let before_turn = (is_early && found == none).then(|| asked_flag(func, cfg, l, ask, if_true)).flatten();
        let flag = before_turn.map(|at| func.blocks[l.header].params[at]);
        let homes = func.homes(&l.blocks);
        let is_own = |v: &Value| homes[v.index()].is_some() && Some(*v) != flag;
        let leaves_values = none.args.iter().chain(&found.args).any(is_own)
            || escaping(func, &l.blocks, |b| l.blocks.contains(&b)).keys().any(is_own);
        // A test in the header comes once more than what is behind it.
        let runs = turns - u64::from(is_early);
        let may_run = |(block, inst): (Block, Inst)| match func.insts[inst].op {
            Op::Load => !(is_early && block == test) && is_inside(func, &counted, runs, &func.insts[inst]),
            op => op.is_pure() || is_pure_call(&func.insts[inst]),
        };
        let may_run = (1..=most).contains(&runs) && func.insts_of(&l.blocks).all(may_run);
        let search = Self { before, latch, test, none, ask, found, if_true, before_turn };
        (in_every && !leaves_values && may_run).then_some(search)
    }

    fn rewrite(self, func: &mut Func, l: &Loop) {
        let Term::Br { cond, then, els } = func.blocks[self.ask].term.clone() else { return };
        let stay = Term::Jump(if self.if_true { els } else { then });
        let (found, next) = if let Some(at) = self.before_turn {
            func.blocks[self.ask].term = stay;
            let found = func.blocks[l.header].params[at];
            let now = func.blocks[self.latch].term.only_target(l.header).expect("a latch").args[at];
            let next = Builder::new(func, self.latch).op(Op::Or, &[found, now]);
            let targets = func.blocks[self.latch].term.targets_mut();
            targets.into_iter().filter(|t| t.block == l.header).for_each(|t| t.args[at] = next);
            (found, next)
        } else {
            let found = func.add_param(l.header, Type::I32);
            let zero = Builder::new(func, self.before).i32(0);
            hand(func, self.before, l.header, zero);
            let mut b = Builder::new(func, self.ask);
            let cond = if self.if_true { cond } else { b.op(Op::Not, &[cond]) };
            let now = b.convert(Op::Zext, Type::I32, cond);
            let next = b.op(Op::Or, &[found, now]);
            b.end(stay);
            hand(func, self.latch, l.header, next);
            (found, next)
        };
        if self.found == self.none {
            return;
        }
        let end = func.add_block();
        for target in func.blocks[self.test].term.targets_mut() {
            if target.block == self.none.block && *target == self.none {
                *target = Target::plain(end);
            }
        }
        // The header asks in front of a turn, the latch behind it.
        let last = if self.test == l.header { found } else { next };
        let mut b = Builder::new(func, end);
        let any = b.icmp_bits(IntPred::Ne, last, 0);
        b.end(Term::Br { cond: any, then: self.found, els: self.none });
        let place = func.layout.iter().position(|&b| b == self.latch).expect("in the layout");
        func.layout.insert(place + 1, end);
    }
}

/// The place of the header's parameter that a branch asks for, if it is 0 at first and what a condition was in the
/// turn before, and the loop is left where it is not 0.
fn asked_flag(func: &Func, cfg: &Cfg, l: &Loop, ask: Block, if_true: bool) -> Option<usize> {
    let Term::Br { cond, .. } = func.blocks[ask].term else { return None };
    let flag = truth_of(func, cond, if if_true { IntPred::Ne } else { IntPred::Eq })?;
    flags(func, cfg, l)
        .into_iter()
        .find(|&(at, first)| func.blocks[l.header].params[at] == flag && first == 0)
        .map(|(at, _)| at)
}

/// What is compared with 0.
fn truth_of(func: &Func, cond: Value, pred: IntPred) -> Option<Value> {
    let data = func.def_inst(cond).filter(|data| data.imm == Imm::IntPred(pred) && data.op == Op::Icmp)?;
    (func.const_bits(data.args[1]) == Some(0)).then_some(data.args[0])
}

/// The header's parameters that are 0 or 1: their places, and what they are at first.
fn flags(func: &Func, cfg: &Cfg, l: &Loop) -> Vec<(usize, u64)> {
    let (Some(before), &[latch]) = (l.entry(cfg), &l.latches[..]) else { return Vec::new() };
    let [first, next] = [before, latch].map(|b| func.blocks[b].term.only_target(l.header));
    let (Some(first), Some(next)) = (first, next) else { return Vec::new() };
    let is_truth =
        |v: Value| func.def_inst(v).is_some_and(|data| data.op == Op::Zext && func.ty(data.args[0]) == Type::I1);
    let known = first.args.iter().zip(&next.args).enumerate();
    known.filter_map(|(at, (&a, &b))| Some((at, func.const_bits(a).filter(|&n| n < 2 && is_truth(b))?))).collect()
}

/// Flags to which conditions are added by `or` or `and`: `zext (flag != 0 or c)` → `flag or zext c`.
fn join_flags(func: &mut Func, cfg: &Cfg, l: &Loop) -> bool {
    let &[latch] = &l.latches[..] else { return false };
    let mut any = false;
    for (at, _) in flags(func, cfg, l) {
        let flag = func.blocks[l.header].params[at];
        let now = func.blocks[latch].term.only_target(l.header).expect("a latch").args[at];
        let joined = func.def_inst(now).and_then(|zext| func.def_inst(zext.args[0]));
        let Some(InstData { op: op @ (Op::Or | Op::And), args, .. }) = joined else { continue };
        let (op, args) = (*op, args.clone());
        let Some(own) = args.iter().position(|&v| truth_of(func, v, IntPred::Ne) == Some(flag)) else { continue };
        let ty = func.ty(flag);
        let Some(home) = l.blocks.iter().copied().find(|&b| defines(func, b, now)) else { continue };
        let mut b = Builder::behind(func, home, now);
        let cond = b.convert(Op::Zext, ty, args[1 - own]);
        let next = b.op(op, &[flag, cond]);
        let targets = func.blocks[latch].term.targets_mut();
        targets.into_iter().filter(|t| t.block == l.header).for_each(|t| t.args[at] = next);
        any = true;
    }
    any
}

fn defines(func: &Func, block: Block, v: Value) -> bool {
    func.blocks[block].insts.iter().any(|&inst| func.insts[inst].result == Some(v))
}

/// True for a load from a private array that is inside it in all of so many turns.
fn is_inside(func: &Func, counted: &Counted, turns: u64, data: &InstData) -> bool {
    let address = Address::of(func, data.args[0]);
    let Some(slot) = address.slot(func) else { return false };
    let (size, bytes) = (func.slots[slot].size, data.result.map_or(0, |v| func.ty(v).bytes()));
    let ends = match address.terms[..] {
        [] => [address.disp; 2],
        [(index, scale)] => {
            let Some(first) = func.const_bits(counted.first).filter(|&n| n < 1 << 31) else { return false };
            let from = match func.def_inst(index) {
                Some(d) if matches!(d.op, Op::Sext | Op::Zext) => d.args[0],
                _ => index,
            };
            let last = first as i64 + counted.step * (turns as i64 - 1);
            if from != counted.counter.now || !(0..1 << 31).contains(&last) {
                return false;
            }
            [first as i64, last].map(|n| address.disp.wrapping_add(n * i64::from(scale)))
        }
        _ => return false,
    };
    let is_in = |at: i64| u64::try_from(at).is_ok_and(|at| at + u64::from(bytes) <= size);
    !data.attr.flags.contains(Flags::VOLATILE) && ends.into_iter().all(is_in)
}

/// Hands a value over with the edges from a block to another.
fn hand(func: &mut Func, from: Block, to: Block, v: Value) {
    let targets = func.blocks[from].term.targets_mut();
    targets.into_iter().filter(|t| t.block == to).for_each(|t| t.args.push(v));
}
