//! Work-items away from all edges run without guards and clamps: a group, or a row, in which none would leave early for its
//! index being past the end, and no index would be held to the edge of an image, gets a loop of its own.
//!
//! ```text
//! rows y: items x: br x ≥ w or y ≥ h, end, body … max.s(x + a, lo) …
//!   → br all of them inside, (rows y: items x: body … x + a …), (as it was)
//! ```
//! There, nothing has a mask, accesses at `x + a` are whole vectors, and all rows take the same way. A test at the first
//! and the last work-item suffices, since indices grow from work-item to work-item. In the same way a loop whose counter might
//! wrap for all that is known, as in `for (int j = get_global_id(0); j < n; j += get_global_size(0))`, gets a copy for bounds
//! below which it does not. Takes the form of `loops::ItemLoop`.

use super::induction;
use super::loops::{ItemLoop, closed, counted};
use super::memory;
use super::split::push;
use crate::ir::cfg::Cfg;
use crate::ir::dom::{Dominators, Loop, Loops, Postdominators};
use crate::ir::entity::Entity;
use crate::ir::op::Flags;
use crate::ir::{Block, Func, Imm, Inst, IntPred, Op, Scalar, SlotId, Target, Term, Type, Value, ValueDef};
use rustc_hash::FxHashMap;

/// Most instructions of a loop and its copies.
const MAX_INSTS: usize = 1200;
/// Levels of operations that are looked through.
const DEPTH: u32 = 8;
/// Most that an index grows by from work-item to work-item, so that one below 2³¹ is not passed within a group.
const MAX_STRIDE: u64 = 1 << 10;

/// An index of which a bound is asked, and what follows if it keeps to it.
struct Fact {
    inst: Inst,
    index: Value,
    /// How the index relates to the bound for all work-items.
    pred: IntPred,
    bound: Value,
    kind: Kind,
}

/// What an instruction is where a fact holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A clamp: the index.
    Clamp,
    /// A comparison that is a guard: this.
    Guard(bool),
    /// A sum that is the next value of a counter below the bound: it does not wrap. The index is what is added.
    Step,
}

/// A loop over work-items, or one over their rows with that loop in it.
struct Nest {
    header: Block,
    before: Block,
    /// How `before` enters it.
    entry: Target,
    blocks: Vec<Block>,
    homes: Vec<Option<Block>>,
    /// What counts, its first value, and the value at which it ends.
    counters: Vec<(Value, Value, Value)>,
    cfg: Cfg,
    dom: Dominators,
    loops: Loops,
}

/// Makes such loops for the item loop of a header. The headers of their item loops, and what they are for.
pub(super) fn split(func: &mut Func, header: Block) -> Vec<(Block, &'static str)> {
    let size: usize = func.layout.iter().map(|&b| func.blocks[b].insts.len()).sum();
    if size > 2 * MAX_INSTS {
        return Vec::new();
    }
    let Ok(items) = ItemLoop::prepare(func, header) else { return Vec::new() };
    let mut made = Vec::new();
    let mut asked = 0;
    if let Some(group) = Nest::of_rows(func, &items) {
        let facts = group.facts(func);
        if !facts.is_empty() && group.size(func) <= MAX_INSTS / 2 {
            asked = facts.len();
            made.push((group.copy(func, header, &facts), "inner groups, "));
        }
    }
    // In other groups there may be such rows. Where there is no loop within, `edge` sees to guards at less expense.
    let row = Nest::of_items(func, &items);
    let facts = row.facts(func);
    let gathers = facts.iter().any(|f| !matches!(f.kind, Kind::Guard(_))) && (made.is_empty() || facts.len() < asked);
    let guards = made.is_empty() && !facts.is_empty() && row.inner().next().is_some();
    if (gathers || guards) && row.size(func) <= MAX_INSTS / (2 + made.len()) {
        made.push((row.copy(func, header, &facts), "inner rows, "));
    }
    made
}

/// What must hold of the operands so that a clamp is its first one; of a comparison, what it compares.
fn relation(func: &Func, inst: Inst) -> Option<IntPred> {
    let data = &func.insts[inst];
    match (data.op, &data.imm) {
        (Op::MaxS, _) => Some(IntPred::SGe),
        (Op::MinS, _) => Some(IntPred::SLe),
        (Op::MaxU, _) => Some(IntPred::UGe),
        (Op::MinU, _) => Some(IntPred::ULe),
        (Op::Icmp, &Imm::IntPred(pred)) if !matches!(pred, IntPred::Eq | IntPred::Ne) => Some(pred),
        _ => None,
    }
}

impl Nest {
    fn of_items(func: &Func, items: &ItemLoop) -> Self {
        let cfg = Cfg::new(func);
        let dom = Dominators::new(&cfg);
        let counter = func.blocks[items.header].params[items.count];
        let entry = func.blocks[items.before].term.targets()[0].clone();
        Self {
            header: items.header,
            before: items.before,
            counters: vec![(counter, entry.args[items.count], items.bound)],
            entry,
            homes: func.homes(&items.blocks),
            blocks: items.blocks.clone(),
            loops: Loops::new(func, &cfg, &dom),
            cfg,
            dom,
        }
    }

    /// The rows around an item loop, if all rows have the same number of work-items.
    fn of_rows(func: &Func, items: &ItemLoop) -> Option<Self> {
        let mut nest = Self::of_items(func, items);
        let l = nest.loops.loops.iter().find(|l| func.blocks[l.header].rows && l.blocks.contains(&items.header))?;
        let before = closed(func, &nest.cfg, l)?;
        let (count, bound) = counted(func, l.header, l.latches[0], &|b| l.blocks.contains(&b))?;
        let entry = func.blocks[before].term.targets()[0].clone();
        let (_, first_item, items_end) = nest.counters[0];
        nest.counters.push((func.blocks[l.header].params[count], entry.args[count], bound));
        (nest.homes, nest.blocks) = (func.homes(&l.blocks), l.blocks.clone());
        (nest.header, nest.before, nest.entry) = (l.header, before, entry);
        (nest.is_fixed(func, first_item) && nest.is_fixed(func, items_end)).then_some(nest)
    }

    fn size(&self, func: &Func) -> usize {
        self.blocks.iter().map(|&b| func.blocks[b].insts.len()).sum()
    }

    /// The loops within.
    fn inner(&self) -> impl Iterator<Item = &Loop> {
        self.loops.loops.iter().filter(|l| l.header != self.header && self.blocks.contains(&l.header))
    }

    /// True if a value is there before the loop, or may be.
    fn is_fixed(&self, func: &Func, v: Value) -> bool {
        self.homes[v.index()].is_none() || func.const_bits(v).is_some()
    }

    /// What to ask in front of the loop.
    fn facts(&self, func: &Func) -> Vec<Fact> {
        let wanted = self.wanted(func);
        let mut facts: Vec<Fact> = Vec::new();
        for &inst in self.blocks.iter().flat_map(|&b| &func.blocks[b].insts) {
            let (Some(pred), &[a, b], Some(result)) =
                (relation(func, inst), &func.insts[inst].args[..], func.insts[inst].result)
            else {
                continue;
            };
            let is_clamp = func.insts[inst].op != Op::Icmp;
            let (mut index, bound, pred) = match (self.is_fixed(func, a), self.is_fixed(func, b)) {
                (false, true) => (a, b, pred),
                (true, false) => (b, a, if is_clamp { pred } else { pred.swapped() }),
                _ => continue,
            };
            let kind = match wanted.get(&result) {
                _ if is_clamp => Kind::Clamp,
                Some(&outcome) => Kind::Guard(outcome),
                None => continue,
            };
            let pred = if kind == Kind::Guard(false) { pred.inverted() } else { pred };
            // Held to the other bound before.
            while let Some(inner) =
                facts.iter().find(|f| f.kind == Kind::Clamp && func.insts[f.inst].result == Some(index))
            {
                index = inner.index;
            }
            let strides: Option<Vec<u64>> =
                self.counters.iter().map(|&(counter, ..)| self.stride(func, index, counter, DEPTH)).collect();
            let ty = func.ty(index);
            if matches!(ty.elem, Scalar::I32 | Scalar::I64)
                && !ty.is_vector()
                && strides.is_some_and(|s| s.iter().all(|&s| s <= MAX_STRIDE) && s.iter().any(|&s| s > 0))
            {
                facts.push(Fact { inst, index, pred, bound, kind });
            }
        }
        facts.extend(self.steps(func));
        facts
    }

    /// Counters of loops, and below which bound they are increased.
    fn steps(&self, func: &Func) -> Vec<Fact> {
        let mut facts = Vec::new();
        for l in self.inner() {
            for counter in induction::find(func, &self.cfg, l, &self.homes) {
                let ValueDef::Inst(inst) = func.values[counter.next].def else { continue };
                let home = self.homes[counter.next.index()].expect("in the loop");
                // A branch on the way to the sum that asks for a bound.
                let asked = l.blocks.iter().find_map(|&b| {
                    let Term::Br { cond, then, els } = &func.blocks[b].term else { return None };
                    let data = func.def_inst(*cond)?;
                    let (pred, bound) = match (&data.imm, &data.args[..]) {
                        (&Imm::IntPred(pred), &[a, b]) if a == counter.now => (pred, b),
                        (&Imm::IntPred(pred), &[a, b]) if b == counter.now => (pred.swapped(), a),
                        _ => return None,
                    };
                    let leads = |t: &Target| self.cfg.preds(t.block).len() == 1 && self.dom.dominates(t.block, home);
                    let pred = match (leads(then), leads(els)) {
                        (true, _) => pred,
                        (_, true) => pred.inverted(),
                        _ => return None,
                    };
                    let below = matches!(pred, IntPred::SLt | IntPred::SLe | IntPred::ULt | IntPred::ULe);
                    (below && self.is_fixed(func, bound)).then_some((pred, bound))
                });
                if let Some((pred, bound)) = asked
                    && counter.flag(func).is_none()
                    && counter.is_extended_as(flag(pred))
                    && self.is_fixed(func, counter.step)
                    && counter.is_extended(func, l, flag(pred))
                {
                    facts.push(Fact { inst, index: counter.step, pred, bound, kind: Kind::Step });
                }
            }
        }
        facts
    }

    /// Which way conditions go if nothing of the body is passed over.
    fn wanted(&self, func: &Func) -> FxHashMap<Value, bool> {
        let cfg = &self.cfg;
        let behind = Postdominators::new(func, cfg);
        let mut work: Vec<(Value, bool)> = Vec::new();
        for &b in &self.blocks {
            let Term::Br { cond, then, els } = &func.blocks[b].term else { continue };
            let is_latch = [then, els].iter().any(|t| cfg.number(t.block) <= cfg.number(b));
            match behind.of(b) {
                Some(end) if !is_latch && end == els.block => work.push((*cond, true)),
                Some(end) if !is_latch && end == then.block => work.push((*cond, false)),
                _ => {}
            }
        }
        let mut wanted = FxHashMap::default();
        while let Some((v, outcome)) = work.pop() {
            wanted.insert(v, outcome);
            match func.def_inst(v) {
                Some(data) if data.op == if outcome { Op::And } else { Op::Or } => {
                    work.extend(data.args.iter().map(|&v| (v, outcome)));
                }
                Some(data) if data.op == Op::Not => work.push((data.args[0], !outcome)),
                _ => {}
            }
        }
        wanted
    }

    /// By how much a value grows with a counter, modulo its type's range, if it is made of counters and of what is there before
    /// the loop.
    fn stride(&self, func: &Func, v: Value, counter: Value, depth: u32) -> Option<u64> {
        if v == counter {
            return Some(1);
        }
        if self.is_fixed(func, v) || self.counters.iter().any(|&(other, ..)| v == other) {
            return Some(0);
        }
        let data = func.def_inst(v).filter(|_| depth > 0)?;
        let of = |i: usize| self.stride(func, data.args[i], counter, depth - 1);
        match data.op {
            Op::Add => Some(of(0)?.wrapping_add(of(1)?)),
            Op::Sub => Some(of(0)?.wrapping_sub(of(1)?)),
            Op::Mul => Some(of(0)?.wrapping_mul(func.const_bits(data.args[1])?)),
            Op::Shl => Some(of(0)? << func.const_bits(data.args[1]).filter(|&by| by < 16)?),
            Op::Trunci => of(0),
            _ => None,
        }
    }

    /// Makes a copy in which the facts hold, behind a test that they do. The copy of a block.
    fn copy(&self, func: &mut Func, block: Block, facts: &[Fact]) -> Block {
        let one = push(func, self.before, Op::Const, Type::I64, &[], Imm::Bits(1));
        let ends: Vec<(Value, [Value; 2])> = self
            .counters
            .iter()
            .map(|&(counter, first, bound)| {
                (counter, [first, push(func, self.before, Op::Sub, Type::I64, &[bound, one], Imm::None)])
            })
            .collect();
        let mut all = None;
        for fact in facts {
            if fact.kind == Kind::Step {
                let holds = self.stays_below(func, fact);
                all =
                    Some(all.map_or(holds, |all| push(func, self.before, Op::And, Type::I1, &[all, holds], Imm::None)));
                continue;
            }
            let [low, high] = [0, 1].map(|end| {
                let at: Vec<(Value, Value)> = ends.iter().map(|&(counter, ends)| (counter, ends[end])).collect();
                self.repeat(func, fact.index, &at)
            });
            let (grows, asked) = match fact.pred {
                IntPred::SLt | IntPred::SLe => (IntPred::SLe, high),
                IntPred::SGt | IntPred::SGe => (IntPred::SLe, low),
                IntPred::ULt | IntPred::ULe => (IntPred::ULe, high),
                _ => (IntPred::ULe, low),
            };
            let bound = self.repeat(func, fact.bound, &[]);
            // From the first to the last nothing wraps, or the last would be the smaller one.
            for (pred, a, b) in [(grows, low, high), (fact.pred, asked, bound)] {
                let holds = push(func, self.before, Op::Icmp, Type::I1, &[a, b], Imm::IntPred(pred));
                all =
                    Some(all.map_or(holds, |all| push(func, self.before, Op::And, Type::I1, &[all, holds], Imm::None)));
            }
        }
        // What nothing else accesses is each work-item's, whose lanes both copies lay out for themselves.
        let others: Vec<Block> = func.layout.iter().copied().filter(|b| !self.blocks.contains(b)).collect();
        let others = memory::slots(func, &others);
        let mut slots = memory::slots(func, &self.blocks);
        slots.retain(|slot| !others.contains(slot));
        let slots: Vec<(SlotId, u64)> = slots.into_iter().map(|slot| (slot, func.slots[slot].size)).collect();
        let copies = func.copy_blocks(&self.blocks);
        let blocks: Vec<Block> = copies.blocks().collect();
        memory::replace_slots(func, &blocks, &slots);
        for fact in facts {
            let v = copies.value(func.insts[fact.inst].result.expect("an operation"));
            let new = match fact.kind {
                Kind::Clamp => copies.value(fact.index),
                Kind::Guard(outcome) => push(func, self.before, Op::Const, Type::I1, &[], Imm::Bits(outcome.into())),
                Kind::Step => {
                    if let ValueDef::Inst(copy) = func.values[v].def {
                        func.insts[copy].attr.flags |= flag(fact.pred);
                    }
                    continue;
                }
            };
            replace(func, &blocks, v, new);
        }
        func.blocks[self.before].term = Term::Br {
            cond: all.expect("a fact"),
            then: Target { block: copies.block(self.header), args: self.entry.args.clone() },
            els: self.entry.clone(),
        };
        copies.block(block)
    }

    /// True if a number that relates to the fact's bound as it says can be increased by the fact's index without wrapping:
    /// if that is not more, as an unsigned number, than what is left above the bound.
    fn stays_below(&self, func: &mut Func, fact: &Fact) -> Value {
        let (extend, bits) = if flag(fact.pred) == Flags::NSW { (Op::Sext, 31) } else { (Op::Zext, 32) };
        let [step, bound] = [fact.index, fact.bound].map(|v| {
            let v = self.repeat(func, v, &[]);
            match func.ty(v) == Type::I64 {
                true => v,
                false => push(func, self.before, extend, Type::I64, &[v], Imm::None),
            }
        });
        let equal = matches!(fact.pred, IntPred::SLe | IntPred::ULe);
        let end = (1u64 << bits) - u64::from(equal);
        let end = push(func, self.before, Op::Const, Type::I64, &[], Imm::Bits(end));
        let left = push(func, self.before, Op::Sub, Type::I64, &[end, bound], Imm::None);
        push(func, self.before, Op::Icmp, Type::I1, &[step, left], Imm::IntPred(IntPred::ULe))
    }

    /// The value that `v` has where the counters are `at` some values, computed before the loop.
    fn repeat(&self, func: &mut Func, v: Value, at: &[(Value, Value)]) -> Value {
        if let Some(&(_, at)) = at.iter().find(|&&(counter, _)| counter == v) {
            return at;
        }
        if self.homes.get(v.index()).copied().flatten().is_none() {
            return v;
        }
        let data = func.def_inst(v).expect("made of counters").clone();
        let args: Vec<Value> = data.args.iter().map(|&arg| self.repeat(func, arg, at)).collect();
        push(func, self.before, data.op, func.ty(v), &args, data.imm)
    }
}

/// As what a number does not wrap that stays below a bound in this sense.
fn flag(pred: IntPred) -> Flags {
    match pred {
        IntPred::SLt | IntPred::SLe | IntPred::SGt | IntPred::SGe => Flags::NSW,
        _ => Flags::NUW,
    }
}

/// Uses `new` in place of `old`.
fn replace(func: &mut Func, blocks: &[Block], old: Value, new: Value) {
    for &b in blocks {
        for inst in func.blocks[b].insts.clone() {
            func.insts[inst].args.iter_mut().filter(|v| **v == old).for_each(|v| *v = new);
        }
        func.blocks[b].term.map_values(|v| if v == old { new } else { v });
    }
}
