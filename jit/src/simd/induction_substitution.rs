//! Loop normalisation and induction-variable substitution (Allen and Kennedy, "Optimizing Compilers for Modern
//! Architectures", "Enhancing Dependence Testing"), for loops within an item loop. What goes round until a number is
//! met, up or down, counts from 0 to a last value instead; and an index beside the counter that grows by the same
//! number in each turn becomes a sum and a product, of which `versioning` sees whether it wraps and that neighbours
//! stay neighbours:
//!
//! ```text
//! head(n, j): … zext j …; j' = j + s; n' = n - 1; br n' != 0, head(n', j'), out
//!   → head(k): … zext (j₀ + k * s) …; k' = k + 1 (nuw); br k <u n₀ - 1, head(k'), out       k = 0 at first
//! ```
//! Compilers in front of SPIR-V leave such loops, and people write them. Counters of 64 bits become ones of 32 where
//! the number of turns is known to fit. Takes kernels in the form of work-group functions. Must not touch sums that are
//! known not to wrap: `widen_induction` does more for these.

use super::{item_headers, no_wrap};
use crate::analysis::induction::{Bound, Counted, Induction, Step};
use crate::ir::cfg::Cfg;
use crate::ir::clone::rematerialise;
use crate::ir::dom::{Dominators, Loop, Loops};
use crate::ir::entity::Entity;
use crate::ir::op::Flags;
use crate::ir::{Attr, Block, Builder, Func, Imm, IntPred, Op, Term, Type, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// Levels of operations of which the number of turns may be made again in front of the item loop, and of conditions.
const DEPTH: u32 = 4;
/// Most branches in front of a loop that are asked about the number of turns.
const MAX_GUARDS: usize = 32;

/// Runs the pass.
pub(crate) fn run(func: &mut Func) -> bool {
    let mut any = false;
    for header in item_headers(func) {
        let (cfg, dom, loops) = Loops::of_func(func);
        let Some(items) = loops.loops.iter().position(|l| l.header == header) else { continue };
        let (homes, addresses) = (func.homes(&func.layout), no_wrap::addresses(func, &loops.loops[items].blocks));
        // What takes the place of counters and indices.
        let mut values = FxHashMap::default();
        for l in (0..loops.loops.len()).filter(|&l| l != items && loops.contains(items, loops.loops[l].header)) {
            let nested = Nested { cfg: &cfg, dom: &dom, loops: &loops, homes: &homes, items, number: l };
            nested.rewrite(func, &addresses, &mut values);
        }
        if !values.is_empty() {
            any = true;
            for block in func.layout.clone() {
                func.map_uses(block, |v| values.get(&v).copied().unwrap_or(v));
            }
        }
    }
    any
}

/// A loop within an item loop.
struct Nested<'a> {
    cfg: &'a Cfg,
    dom: &'a Dominators,
    loops: &'a Loops,
    /// Where the values are made which were there when the pass began.
    homes: &'a [Option<Block>],
    items: usize,
    number: usize,
}

impl Nested<'_> {
    fn get(&self) -> &Loop {
        &self.loops.loops[self.number]
    }

    fn rewrite(&self, func: &mut Func, addresses: &FxHashSet<Value>, values: &mut FxHashMap<Value, Value>) {
        let l = self.get();
        let (Some(before), &[latch]) = (l.entry(self.cfg), &l.latches[..]) else { return };
        let counted = [latch, l.header].into_iter().find_map(|b| Some((Counted::by_test(func, self.cfg, l, b)?, b)));
        let Some((counted, test)) = counted.filter(|(c, _)| c.step.abs() == 1 && c.counter.extension.is_none()) else {
            return;
        };
        let mut others: Vec<Induction> = Induction::all(func, l).filter(|i| i.now != counted.counter.now).collect();
        others.retain(|i| self.is_auxiliary(func, i) && addresses.contains(&i.now));
        let count = match counted.bound.pred {
            IntPred::Ne => match self.normalise(func, &counted, (before, latch, test), values) {
                Some(count) => count,
                None => return,
            },
            // The counter of a loop that is normal but for its first value.
            IntPred::SLt | IntPred::ULt if counted.step == 1 && func.ty(counted.counter.now) == Type::I32 => {
                if others.is_empty() {
                    return;
                }
                let mut b = Builder::at(func, l.header, 0);
                difference(&mut b, counted.counter.now, counted.first)
            }
            _ => return,
        };
        others.iter().for_each(|other| self.substitute(func, other, count, values));
    }

    /// True for numbers of 32 bits that grow by the same one in each turn, and may wrap for all that is known.
    fn is_auxiliary(&self, func: &Func, i: &Induction) -> bool {
        let is_fixed = |v: Value| func.const_bits(v).is_some() || self.is_outside(v, self.number);
        let is_even = |step: Step| matches!(step, Step::Value(v) if is_fixed(v));
        func.ty(i.now) == Type::I32 && i.extension.is_none() && is_even(i.step) && i.no_wrap(func).is_none()
    }

    /// Gives a loop that ends where its counter meets a number one that counts from 0 up, of 32 bits, if the last of
    /// these is known in front of the item loop. The new counter.
    fn normalise(
        &self,
        func: &mut Func,
        counted: &Counted,
        (before, latch, test): (Block, Block, Block),
        values: &mut FxHashMap<Value, Value>,
    ) -> Option<Value> {
        let Counted { counter, first, step, bound } = *counted;
        let l = self.get();
        // A test in the header decides before the turn, others whether there is one more.
        let is_early = test == l.header && test != latch;
        if is_early && bound.is_next || func.blocks[latch].term.only_target(l.header).is_none() {
            return None;
        }
        let outermost = self.outermost(func, &[first, bound.than])?;
        let place = self.loops.loops[outermost].entry(self.cfg)?;
        let ty = func.ty(counter.now);
        if !(ty == Type::I32 || ty == Type::I64 && self.is_small(func, counted, is_early)) {
            return None;
        }
        let mut b = Builder::new(func, place);
        let is_there = |_: &Func, v: Value| if self.is_outside(v, outermost) { Ok(v) } else { Err(v) };
        let [from, to] = [first, bound.than].map(|v| {
            let v = rematerialise(&mut b, v, &is_there);
            if ty == Type::I64 { b.convert(Op::Trunci, Type::I32, v) } else { v }
        });
        let turns = if step == 1 { difference(&mut b, to, from) } else { difference(&mut b, from, to) };
        // What is compared behind the turn that it counts is one ahead.
        let last = if bound.is_next { b.op_bits(Op::Sub, turns, 1) } else { turns };
        let count = func.add_param(l.header, Type::I32);
        let zero = Builder::new(func, before).bits(Type::I32, 0);
        hand(func, before, l.header, zero);
        let mut b = Builder::new(func, latch);
        let one = b.bits(Type::I32, 1);
        let next = b.op_attr(Op::Add, &[count, one], Attr { flags: Flags::NUW, ..Attr::default() });
        hand(func, latch, l.header, next);
        let mut b = Builder::new(func, test);
        let pred = if bound.if_true { IntPred::ULt } else { IntPred::UGe };
        let new = b.icmp(pred, count, last);
        if let Term::Br { cond, .. } = &mut func.blocks[test].term {
            *cond = new;
        }
        let mut b = Builder::at(func, l.header, 0);
        let wide = if ty == Type::I64 { b.convert(Op::Zext, ty, count) } else { count };
        let now = if step == 1 { sum(&mut b, first, wide) } else { difference(&mut b, first, wide) };
        values.insert(counter.now, now);
        Some(count)
    }

    /// Makes an index the sum of its first value and a product.
    fn substitute(&self, func: &mut Func, other: &Induction, count: Value, values: &mut FxHashMap<Value, Value>) {
        let l = self.get();
        let (Some(first), Step::Value(step)) = (other.first(func, self.cfg, l), other.step) else { return };
        // Behind the instructions that made the counter.
        let at = func.blocks[l.header].insts.iter().position(|&inst| func.insts[inst].result == Some(count));
        let mut b = Builder::at(func, l.header, at.map_or(0, |at| at + 1));
        let by = match b.func.const_bits(step) {
            Some(1) => count,
            Some(bits) => b.op_bits(Op::Mul, count, bits),
            None => b.op(Op::Mul, &[count, step]),
        };
        let now = sum(&mut b, first, by);
        values.insert(other.now, now);
    }

    /// The outermost loop, the item loop or one around it, in front of which some values are there or can be made
    /// again.
    fn outermost(&self, func: &Func, values: &[Value]) -> Option<usize> {
        let around = std::iter::successors(Some(self.items), |&l| self.loops.loops[l].parent);
        around.take_while(|&l| values.iter().all(|&v| self.can_repeat(func, v, l, DEPTH))).last()
    }

    /// True for what is made outside a loop.
    fn is_outside(&self, v: Value, l: usize) -> bool {
        let home = self.homes.get(v.index()).copied().flatten();
        home.is_some_and(|home| !self.loops.contains(l, home))
    }

    /// True for what is there in front of a loop, and for what is made of that and of constants.
    fn can_repeat(&self, func: &Func, v: Value, l: usize, depth: u32) -> bool {
        let is_plain =
            |op: Op| matches!(op, Op::Const | Op::Add | Op::Sub | Op::Neg | Op::Mul | Op::Shl | Op::Sext | Op::Zext);
        let can = |v: Value| depth > 0 && self.can_repeat(func, v, l, depth - 1);
        self.is_outside(v, l) || func.def_inst(v).is_some_and(|d| is_plain(d.op) && d.args.iter().all(|&v| can(v)))
    }

    /// True if a loop with a counter of 64 bits is known to go round at least once, or to ask at least once, and fewer
    /// than 2³² times: if from the one end, a constant that is not negative, to the other, the extension of 32 bits,
    /// some branch in front of the loop knows the way.
    fn is_small(&self, func: &Func, counted: &Counted, is_early: bool) -> bool {
        let Counted { first, step, bound: Bound { than, is_next, .. }, .. } = *counted;
        let (low, high) = if step == 1 { (first, than) } else { (than, first) };
        let Some(low) = func.const_bits(low).filter(|&bits| bits < 1 << 31) else { return false };
        let Some(x) = func.def_inst(high).filter(|d| matches!(d.op, Op::Zext | Op::Sext)).map(|d| d.args[0]) else {
            return false;
        };
        // The least number of turns follows from `high - low`: that must be 1 for what is compared ahead.
        let least = low + u64::from(is_next && !is_early);
        func.ty(x) == Type::I32 && self.is_at_least(func, x, least)
    }

    /// True if a branch that dominates the loop knows a signed number to be at least so much.
    fn is_at_least(&self, func: &Func, v: Value, least: u64) -> bool {
        let ways = std::iter::successors(Some(self.get().header), |&b| self.dom.idom(b)).take(MAX_GUARDS);
        ways.into_iter().any(|to| {
            let Some(from) = self.dom.idom(to) else { return false };
            let Term::Br { cond, then, els } = &func.blocks[from].term else { return false };
            let holds = match (then.block == to, els.block == to) {
                (true, false) => true,
                (false, true) => false,
                _ => return false,
            };
            let outside = self.cfg.preds(to).iter().filter(|&&b| !self.dom.dominates(to, b)).count() == 1;
            outside && implies(func, *cond, holds, (v, least), DEPTH)
        })
    }
}

/// True if a condition, or its contrary, says of a signed number that it is at least so much; conjunctions count.
fn implies(func: &Func, cond: Value, holds: bool, (v, least): (Value, u64), depth: u32) -> bool {
    let Some(d) = func.def_inst(cond).filter(|_| depth > 0) else { return false };
    let part = |&c: &Value| implies(func, c, holds, (v, least), depth - 1);
    match (d.op, &d.imm) {
        (Op::And, _) if holds => d.args.iter().any(part),
        (Op::Or, _) if !holds => d.args.iter().any(part),
        (Op::Icmp, &Imm::IntPred(pred)) => {
            let pred = if holds { pred } else { pred.inverted() };
            let (pred, other) = match d.args[..] {
                [a, b] if a == v => (pred, b),
                [a, b] if b == v => (pred.swapped(), a),
                _ => return false,
            };
            let Some(other) = func.const_bits(other).map(|bits| i64::from(bits as i32)) else { return false };
            match pred {
                IntPred::SGt => other + 1 >= least as i64,
                IntPred::SGe => other >= least as i64,
                _ => false,
            }
        }
        _ => false,
    }
}

/// Hands a value over with the one edge from a block to another.
fn hand(func: &mut Func, from: Block, to: Block, v: Value) {
    for target in func.blocks[from].term.targets_mut() {
        if target.block == to {
            target.args.push(v);
        }
    }
}

fn sum(b: &mut Builder<'_>, x: Value, y: Value) -> Value {
    if b.func.const_bits(x) == Some(0) { y } else { b.op(Op::Add, &[x, y]) }
}

fn difference(b: &mut Builder<'_>, x: Value, y: Value) -> Value {
    if b.func.const_bits(y) == Some(0) { x } else { b.op(Op::Sub, &[x, y]) }
}
