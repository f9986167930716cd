//! Work-items away from all edges run without guards and clamps: a group, or a row, in which none would leave early for
//! its index being past the end, and no index would be held to the edge of an image, gets a loop of its own.
//!
//! ```text
//! rows y: items x: br x ≥ w or y ≥ h, end, body … max.s(x + a, lo) …
//!   → br all of them inside, (rows y: items x: body … x + a …), (as it was)
//! ```
//! There, nothing has a mask, accesses at `x + a` are whole vectors, and all rows take the same way. A test at the
//! first and the last work-item suffices, since indices grow from work-item to work-item, and what they are reflected
//! to at an edge falls. Selections between an index and what stands in for it past an edge, as in `i < n ? i : 0`, are
//! clamps in this sense, and so are branches around code that mends an index (`pass::identity_loops` puts them around
//! loops that do). In the same way a loop whose counter might wrap for all that is known, as in
//! `for (int j = get_global_id(0); j < n; j += get_global_size(0))`, gets a copy for bounds below which it does not,
//! and a loop with `uint` sums as indices one for launches in which these do not wrap (`no_wrap`). Work-items whose
//! flat index lies in one row of an image get a loop in which its remainder grows as it does (`one_row`). Takes the
//! form of `item_loop::ItemLoop`.

use super::Place;
use super::item_loop::{ItemLoop, counted};
use super::memory;
use super::no_wrap::{self, Changes, Growth};
use super::one_row;
use super::widen_induction;
use crate::analysis::induction::{Bound, Counted, Induction, Step};
use crate::ir::cfg::Cfg;
use crate::ir::clone::rematerialise;
use crate::ir::dom::{Dominators, Loop, Loops, Postdominators};
use crate::ir::entity::Entity;
use crate::ir::op::Flags;
use crate::ir::{
    Block, Builder, Func, Imm, Inst, InstData, IntPred, Op, Scalar, SlotId, Target, Term, Type, Value, ValueDef,
};
use crate::loops::lcssa::entry_of_closed;
use crate::loops::version;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;

/// Most instructions of a loop and its copies.
const MAX_INSTS: usize = 1200;
/// The same for the first copy where it makes whole accesses of indices that were gathered.
const MAX_DIVIDED: usize = 8000;
/// Most counters of loops within that are looked at.
const MAX_TURNS: usize = 32;
/// Most blocks of a branch that mends an index.
const MAX_MENDING: usize = 12;

/// Outcomes of conditions.
type Conditions = Vec<(Value, bool)>;

/// An index of which a bound is asked, and what follows if it keeps to it.
#[derive(Clone, Copy)]
pub(super) struct Fact {
    pub inst: Inst,
    pub index: Value,
    /// How the index relates to the bound for all work-items.
    pub pred: IntPred,
    pub bound: Value,
    pub kind: Kind,
}

/// What an instruction is where a fact holds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A clamp: the index.
    Clamp,
    /// A clamp of an index and what falls as the index grows, such as its reflection at an edge, which is the bound:
    /// the index.
    Mirror,
    /// A comparison that is a guard: this.
    Guard(bool),
    /// A comparison that decides between an index and what stands in for it: this.
    Choice(bool),
    /// A condition that is the same throughout the nest and decides so: this.
    Given(bool),
    /// A sum that is the next value of a counter below the bound: it does not wrap. The index is what is added.
    Step,
    /// The extension of an index to 64 bits: it grows by this from work-item to work-item. No bound is asked, only that
    /// the index does not wrap.
    Extension(i64),
    /// The remainder of an index, if its quotient is the same throughout the nest: it grows as the index does.
    Remainder,
    /// That quotient.
    Quotient,
}

/// A counter of a loop within a nest that has the same values in all work-items, from its first one up to a bound.
#[derive(Clone, Copy)]
pub(super) struct Turn {
    pub counter: Value,
    pub first: Value,
    /// How it relates to the bound in `body` and what that dominates.
    pub pred: IntPred,
    pub bound: Value,
    pub body: Block,
}

/// What a value is taken for.
pub(super) enum Is {
    /// This one.
    Value(Value),
    /// The result of a division with one quotient.
    Divided(Kind),
}

/// A loop over work-items, or one over their rows with that loop in it.
pub(super) struct Nest {
    pub header: Block,
    pub before: Block,
    /// In reverse postorder.
    pub blocks: Vec<Block>,
    pub homes: Vec<Option<Block>>,
    /// What counts, its first value, and the value at which it ends: work-items, and rows.
    pub counters: Vec<(Value, Value, Value)>,
    /// Counters of the loops within.
    pub turns: Vec<Turn>,
    /// Results of clamps and selections, and joins behind branches, as the indices that they are where the facts hold.
    pub resolved: FxHashMap<Value, Value>,
    /// Remainders and quotients of which that is asked.
    pub divided: FxHashMap<Value, Kind>,
    /// How values change with the counters, as deep as has been looked.
    pub known: RefCell<FxHashMap<(Value, u32), Changes>>,
    cfg: Cfg,
    dom: Dominators,
    loops: Loops,
}

/// Makes such loops for the item loop of a header. The headers of the item loops that there are then, and what they are
/// for; none for work-items whose indices wrap.
pub(super) fn split(func: &mut Func, header: Block) -> Vec<(Block, Place)> {
    if func.n_live_insts() > 2 * MAX_DIVIDED {
        return vec![(header, Place::Any)];
    }
    let header = without_wrap(func, header).unwrap_or(header);
    let mut made = inner(func, header);
    made.push((header, Place::Any));
    made
}

/// Makes a loop for indices that do not wrap, and has the other one stay scalar. The header of its item loop.
fn without_wrap(func: &mut Func, header: Block) -> Option<Block> {
    let items = ItemLoop::prepare(func, header).ok()?;
    let row = Nest::of_items(func, &items);
    if func.size_of(&row.blocks) > MAX_INSTS / 2 {
        return None;
    }
    let facts = row.extensions(func);
    if facts.is_empty() {
        return None;
    }
    let group = Nest::of_rows(func, &items).map(|nest| (nest.extensions(func), nest));
    let (facts, nest) = group.filter(|(found, _)| found.len() >= facts.len()).unwrap_or((facts, row));
    let copy = nest.copy(func, header, &facts);
    for &b in &nest.blocks {
        (func.blocks[b].items, func.blocks[b].rows) = (false, None);
    }
    Some(copy)
}

/// Makes loops for groups or rows in which no guard or clamp matters.
fn inner(func: &mut Func, header: Block) -> Vec<(Block, Place)> {
    let Ok(items) = ItemLoop::prepare(func, header) else { return Vec::new() };
    let mut made = Vec::new();
    let mut asked = 0;
    if let Some(mut group) = Nest::of_rows(func, &items)
        && func.size_of(&group.blocks) <= MAX_DIVIDED / 2
    {
        let facts = group.facts(func);
        if !facts.is_empty() && func.size_of(&group.blocks) <= most(&facts) / 2 {
            asked = facts.len();
            made.push((group.copy(func, header, &facts), Place::InnerGroups));
        }
    }
    // In other groups there may be such rows. Where there is no loop within, `index_set_split` sees to guards at less
    // expense.
    let mut row = Nest::of_items(func, &items);
    if func.size_of(&row.blocks) > MAX_DIVIDED / 2 {
        return made;
    }
    let facts = row.facts(func);
    let gathers = facts.iter().any(|f| !matches!(f.kind, Kind::Guard(_))) && (made.is_empty() || facts.len() < asked);
    let guards = made.is_empty() && !facts.is_empty() && row.inner().next().is_some();
    let most = if made.is_empty() { most(&facts) / 2 } else { MAX_INSTS / 3 };
    if (gathers || guards) && func.size_of(&row.blocks) <= most {
        made.push((row.copy(func, header, &facts), Place::InnerRows));
    }
    made
}

/// Most instructions of a loop and the first copy in which these hold.
fn most(facts: &[Fact]) -> usize {
    if facts.iter().any(|f| f.kind == Kind::Remainder) { MAX_DIVIDED } else { MAX_INSTS }
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
        let (cfg, dom, loops) = Loops::of_func(func);
        let counter = func.blocks[items.header].params[items.count];
        let entry = func.blocks[items.before].term.target(0);
        let mut nest = Self {
            header: items.header,
            before: items.before,
            counters: vec![(counter, entry.args[items.count], items.bound)],
            homes: func.homes(&items.blocks),
            blocks: items.blocks.clone(),
            turns: Vec::new(),
            resolved: FxHashMap::default(),
            divided: FxHashMap::default(),
            known: RefCell::default(),
            cfg,
            dom,
            loops,
        };
        nest.turns = nest.find_turns(func);
        nest
    }

    /// The rows around an item loop, if all rows have the same number of work-items.
    fn of_rows(func: &Func, items: &ItemLoop) -> Option<Self> {
        let mut nest = Self::of_items(func, items);
        let rows = |l: &&Loop| func.blocks[l.header].rows.is_some() && l.blocks.contains(&items.header);
        let l = nest.loops.loops.iter().find(rows)?;
        let before = entry_of_closed(func, &nest.cfg, l)?;
        let Counted { counter, first, bound, .. } = counted(func, &nest.cfg, l)?;
        let (_, first_item, items_end) = nest.counters[0];
        nest.counters.push((counter.now, first, bound.than));
        (nest.homes, nest.blocks) = (func.homes(&l.blocks), l.blocks.clone());
        nest.cfg.sort(&mut nest.blocks);
        (nest.header, nest.before) = (l.header, before);
        nest.turns = nest.find_turns(func);
        (nest.is_fixed(func, first_item) && nest.is_fixed(func, items_end)).then_some(nest)
    }

    /// The loops within.
    fn inner(&self) -> impl Iterator<Item = &Loop> {
        self.loops.loops.iter().filter(|l| l.header != self.header && self.blocks.contains(&l.header))
    }

    /// True if a value is there before the loop, or may be.
    pub(super) fn is_fixed(&self, func: &Func, v: Value) -> bool {
        self.homes[v.index()].is_none() || func.const_bits(v).is_some()
    }

    /// What to ask in front of the loop.
    fn facts(&mut self, func: &Func) -> Vec<Fact> {
        let facts = self.facts_with(func, false);
        // That holds in fewer places than that no edge is near.
        let is_near = |f: &Fact| matches!(f.kind, Kind::Clamp | Kind::Mirror | Kind::Choice(_) | Kind::Given(_));
        if facts.iter().any(is_near) {
            return facts;
        }
        let wanted = self.resolved.clone();
        self.resolved.clear();
        self.known.borrow_mut().clear();
        let with = self.facts_with(func, true);
        if self.divided.len() <= one_row::MOST {
            return with;
        }
        (self.resolved, self.divided) = (wanted, FxHashMap::default());
        self.known.borrow_mut().clear();
        facts
    }

    /// The same, with or without remainders and quotients.
    fn facts_with(&mut self, func: &Func, divisions: bool) -> Vec<Fact> {
        let addresses = no_wrap::addresses(func, &self.blocks);
        let mended = self.mended(func, &addresses);
        let mut wanted = self.wanted(func, &mended);
        let mut facts: Vec<Fact> = Vec::new();
        for block in self.blocks.clone() {
            if let Some((_, between)) = mended.iter().find(|(join, _)| *join == block)
                && let Some((args, conds)) = self.passed(func, block, between[0], &addresses)
                && self.decide(func, conds, &mut wanted, &mut facts)
            {
                let now: Vec<Value> = args.iter().map(|&v| self.resolve(v)).collect();
                let params = func.blocks[block].params.iter().copied();
                params.zip(now).for_each(|(param, now)| self.learn(param, Is::Value(now)));
            }
            for &inst in &func.blocks[block].insts {
                self.facts_of(func, (inst, divisions), &addresses, &mut wanted, &mut facts);
            }
        }
        facts.extend(self.extensions(func));
        facts.extend(self.steps(func));
        facts
    }

    /// What to ask so that an instruction's result is known.
    fn facts_of(
        &mut self,
        func: &Func,
        (inst, divisions): (Inst, bool),
        addresses: &FxHashSet<Value>,
        wanted: &mut FxHashMap<Value, bool>,
        facts: &mut Vec<Fact>,
    ) {
        let data = &func.insts[inst];
        let Some(result) = data.result else { return };
        match data.op {
            Op::Icmp => {
                let outcome = wanted.get(&result).copied();
                facts.extend(outcome.and_then(|outcome| self.asked(func, inst, Kind::Guard(outcome))));
            }
            Op::Select if addresses.contains(&result) => {
                let Some(first) = self.chosen(func, data) else { return };
                if self.decide(func, vec![(data.args[0], first)], wanted, facts) {
                    self.learn(result, Is::Value(self.resolve(data.args[if first { 1 } else { 2 }])));
                }
            }
            op if divisions && one_row::is_division(op) && addresses.contains(&result) => {
                if let Some(fact) = self.divided(func, inst) {
                    self.learn(result, Is::Divided(fact.kind));
                    facts.push(fact);
                }
            }
            _ => {
                let fact = self.asked(func, inst, Kind::Clamp).or_else(|| self.mirrored(func, inst));
                if let Some(fact) = fact {
                    self.learn(result, Is::Value(fact.index));
                    facts.push(fact);
                }
            }
        }
    }

    /// What is asked so that a clamp is its index, or a comparison has an outcome.
    fn asked(&self, func: &Func, inst: Inst, kind: Kind) -> Option<Fact> {
        let pred = relation(func, inst)?;
        let &[a, b] = &func.insts[inst].args[..] else { return None };
        let (index, bound, pred) = match (self.is_fixed(func, a), self.is_fixed(func, b)) {
            (false, true) => (a, b, pred),
            (true, false) => (b, a, if kind == Kind::Clamp { pred } else { pred.swapped() }),
            _ => return None,
        };
        let pred = if matches!(kind, Kind::Guard(false) | Kind::Choice(false)) { pred.inverted() } else { pred };
        let index = self.resolve(index);
        let ty = func.ty(index);
        let fits = |growth: Growth| match growth {
            Growth::By(s) if ty == Type::I64 => (0..=no_wrap::MAX_STRIDE).contains(&s),
            Growth::By(s) => s.abs() <= no_wrap::MAX_STRIDE,
            Growth::Evenly => ty == Type::I32,
        };
        let known = matches!(ty.elem, Scalar::I32 | Scalar::I64) && !ty.is_vector();
        let growths = self.growths(func, index).filter(|_| known)?;
        let (own, turns) = growths.split_at(self.counters.len());
        let grows = own.iter().all(|&g| fits(g)) && own.iter().any(|&g| g != Growth::By(0));
        (grows && self.is_below(func, inst, turns)).then_some(Fact { inst, index, pred, bound, kind })
    }

    /// What is asked so that a clamp of two values, of which one grows and the other one falls, is the one that grows.
    fn mirrored(&self, func: &Func, inst: Inst) -> Option<Fact> {
        let (Op::MaxS | Op::MinS, &[a, b]) = (func.insts[inst].op, &func.insts[inst].args[..]) else { return None };
        let ty = func.ty(a);
        if ty.is_vector() || !matches!(ty.elem, Scalar::I32 | Scalar::I64) {
            return None;
        }
        // By how much at least and at most, with work-items and rows.
        let range = |v: Value| {
            let growths = self.growths(func, v)?;
            let (own, turns) = growths.split_at(self.counters.len());
            let by = |g: &Growth| if let Growth::By(s) = g { Some(*s) } else { None };
            let own: Vec<i64> = own.iter().map(by).collect::<Option<_>>()?;
            let (least, most) = (own.iter().copied().min()?, own.iter().copied().max()?);
            let small = least >= -no_wrap::MAX_STRIDE && most <= no_wrap::MAX_STRIDE;
            (small && turns.iter().all(|&g| g == Growth::By(0))).then_some((least, most))
        };
        let [a, b] = [a, b].map(|v| self.resolve(v));
        let (index, bound) = match (range(a)?, range(b)?) {
            ((0.., 1..), (..0, ..=0)) => (a, b),
            ((..0, ..=0), (0.., 1..)) => (b, a),
            _ => return None,
        };
        Some(Fact { inst, index, pred: relation(func, inst)?, bound, kind: Kind::Mirror })
    }

    /// True if the counters of loops within that an index grows with are below their bounds where it is used.
    pub(super) fn is_below(&self, func: &Func, inst: Inst, turns: &[Growth]) -> bool {
        let home = func.insts[inst].result.and_then(|v| self.homes[v.index()]);
        self.turns.iter().zip(turns).all(|(turn, &growth)| {
            growth == Growth::By(0) || home.is_some_and(|home| self.dom.dominates(turn.body, home))
        })
    }

    /// True if a value changes from work-item to work-item or from row to row; none if that is not known.
    fn grows(&self, func: &Func, v: Value) -> Option<bool> {
        Some(self.growths(func, v)?[..self.counters.len()].iter().any(|&g| g != Growth::By(0)))
    }

    /// Which operand of a selection is the index, not what stands in for it.
    fn chosen(&self, func: &Func, data: &InstData) -> Option<bool> {
        let ways = [1, 2].map(|i| (i == 1, data.args[i], vec![(data.args[0], i == 1)]));
        self.only_index(func, ways).map(|(first, _)| first)
    }

    /// The only one of several values that is an index; if more are, the one that conditions compare.
    fn only_index<T>(
        &self,
        func: &Func,
        ways: impl IntoIterator<Item = (T, Value, Vec<(Value, bool)>)>,
    ) -> Option<(T, Vec<(Value, bool)>)> {
        let mut ways: Vec<_> = ways.into_iter().filter(|way| self.grows(func, way.1) == Some(true)).collect();
        if ways.len() > 1 {
            let is_compared = |&(_, v, ref conds): &(T, Value, Vec<(Value, bool)>)| {
                let mut leaves = Vec::new();
                conds.iter().for_each(|&(cond, _)| comparisons(func, cond, &mut leaves));
                leaves.iter().any(|d| d.args.iter().any(|&arg| self.resolve(arg) == self.resolve(v)))
            };
            ways.retain(is_compared);
        }
        let way = ways.pop().filter(|_| ways.is_empty())?;
        Some((way.0, way.2))
    }

    /// Takes in what to ask so that conditions have these outcomes. False if that cannot be asked, or contradicts what
    /// is `wanted`.
    fn decide(
        &self,
        func: &Func,
        mut work: Vec<(Value, bool)>,
        wanted: &mut FxHashMap<Value, bool>,
        facts: &mut Vec<Fact>,
    ) -> bool {
        let mut found = Vec::new();
        while let Some((v, outcome)) = work.pop() {
            let ValueDef::Inst(inst) = func.values[v].def else { return false };
            let data = &func.insts[inst];
            if self.is_fixed(func, v) && wanted.get(&v).is_none_or(|&w| w == outcome) {
                let (pred, kind) = (IntPred::Eq, Kind::Given(outcome));
                found.push((v, Fact { inst, index: v, pred, bound: v, kind }, outcome));
                continue;
            }
            match (data.op, self.asked(func, inst, Kind::Choice(outcome))) {
                (Op::And, _) if outcome => work.extend(data.args.iter().map(|&v| (v, true))),
                (Op::Or, _) if !outcome => work.extend(data.args.iter().map(|&v| (v, false))),
                (Op::Not, _) => work.push((data.args[0], !outcome)),
                (Op::Icmp, Some(fact)) if wanted.get(&v).is_none_or(|&w| w == outcome) => {
                    found.push((v, fact, outcome))
                }
                _ => return false,
            }
        }
        for (v, fact, outcome) in found {
            wanted.insert(v, outcome);
            if !facts.iter().any(|f| f.inst == fact.inst) {
                facts.push(fact);
            }
        }
        true
    }

    /// Joins behind branches to code that does nothing but mend an index that is past an edge, and the blocks between,
    /// the one in which ways part first.
    fn mended(&self, func: &Func, addresses: &FxHashSet<Value>) -> Vec<(Block, Vec<Block>)> {
        let mut found = Vec::new();
        for &join in self.blocks.iter().filter(|&&b| func.blocks[b].params.iter().any(|v| addresses.contains(v))) {
            let preds = self.cfg.preds(join);
            let goes_round = preds.iter().any(|&b| self.cfg.number(b) >= self.cfg.number(join));
            let Some(top) = self.dom.idom(join).filter(|top| !goes_round && self.blocks.contains(top)) else {
                continue;
            };
            let mut between = vec![top];
            let mut work: Vec<Block> = preds.to_vec();
            while let Some(b) = work.pop() {
                if !between.contains(&b) && between.len() <= MAX_MENDING {
                    between.push(b);
                    work.extend(self.cfg.preds(b));
                }
            }
            let is_pure = |&b: &Block| func.blocks[b].insts.iter().all(|&i| func.insts[i].op.is_pure());
            if preds.len() > 1 && between.len() <= MAX_MENDING && between[1..].iter().all(is_pure) {
                found.push((join, between));
            }
        }
        found
    }

    /// The way to a join that an index takes which needs no mending: what it passes there, and the outcomes of
    /// conditions from `top` on.
    fn passed<'a>(
        &self,
        func: &'a Func,
        join: Block,
        top: Block,
        addresses: &FxHashSet<Value>,
    ) -> Option<(&'a [Value], Conditions)> {
        let params = &func.blocks[join].params;
        let mut preds = self.cfg.preds(join).to_vec();
        preds.dedup();
        let edges = preds.into_iter().flat_map(|from| {
            let targets = func.blocks[from].term.targets().into_iter().enumerate();
            targets.filter(|(_, t)| t.block == join).map(move |(n, t)| (from, n == 0, &t.args[..]))
        });
        let ways = edges.filter_map(|(from, first, args)| {
            let of_address = params.iter().zip(args).filter(|(p, _)| addresses.contains(p));
            let index = of_address.map(|(_, &v)| v).find(|&v| self.grows(func, v) == Some(true))?;
            Some((args, index, self.way(func, top, from, first)?))
        });
        self.only_index(func, ways)
    }

    /// The outcomes of conditions that lead from `top` to an edge, the first or the other one of a block; none if there
    /// are several ways.
    fn way(&self, func: &Func, top: Block, from: Block, first: bool) -> Option<Conditions> {
        let (mut at, mut first, mut conds) = (from, first, Vec::new());
        loop {
            match &func.blocks[at].term {
                Term::Jump(_) => {}
                Term::Br { cond, .. } => conds.push((*cond, first)),
                _ => return None,
            }
            if at == top {
                return Some(conds);
            }
            let &[above] = self.cfg.preds(at) else { return None };
            first = func.blocks[above].term.targets()[0].block == at;
            at = above;
        }
    }

    /// Counters of loops, and below which bound they are increased.
    fn steps(&self, func: &Func) -> Vec<Fact> {
        let mut facts = Vec::new();
        for l in self.inner() {
            for counter in widen_induction::find(func, &self.cfg, l, &self.homes) {
                let (ValueDef::Inst(inst), Step::Value(step)) = (func.values[counter.next].def, counter.step) else {
                    continue;
                };
                if let Some(Bound { pred, than, .. }) = self.bounded(func, l, &counter)
                    && counter.no_wrap(func).is_none()
                    && counter.is_extended_as(flag(pred))
                    && self.is_fixed(func, step)
                    && widen_induction::is_extended(func, l, &counter, flag(pred))
                {
                    facts.push(Fact { inst, index: step, pred, bound: than, kind: Kind::Step });
                }
            }
        }
        facts
    }

    /// The bound below which a counter is increased, and where it is below.
    fn bounded(&self, func: &Func, l: &Loop, counter: &Induction) -> Option<Bound> {
        let home = self.homes[counter.next.index()]?;
        let leads = |t: &Target| self.cfg.preds(t.block).len() == 1 && self.dom.dominates(t.block, home);
        let bounds = l.blocks.iter().filter_map(|&b| counter.bound(func, b, leads));
        bounds.filter(|bound| !bound.is_next && bound.is_upper()).find(|bound| self.is_fixed(func, bound.than))
    }

    /// Counters of 32 bits that do not wrap.
    fn find_turns(&self, func: &Func) -> Vec<Turn> {
        let mut turns = Vec::new();
        for l in self.inner() {
            for counter in Induction::all(func, l).filter(|c| func.ty(c.now) == Type::I32 && c.extension.is_none()) {
                let by = counter.by(func).filter(|&by| by > 0);
                let first = counter.first(func, &self.cfg, l).filter(|&v| self.is_fixed(func, v));
                let (Some(by), Some(first)) = (by, first) else { continue };
                let Some(bound) = self.bounded(func, l, &counter).or_else(|| self.repeated(func, l, &counter)) else {
                    continue;
                };
                let flags = func.def_inst(counter.next).expect("a sum").attr.flags;
                let is_next_below = by == 1 && !bound.is_next && matches!(bound.pred, IntPred::SLt | IntPred::ULt);
                if flags.contains(flag(bound.pred)) || is_next_below {
                    let Bound { is_next, than, to, .. } = bound;
                    // Whoever comes round has a counter that was below, and is one more.
                    let pred = match bound.pred {
                        IntPred::SLt if !is_next && to == l.header => IntPred::SLe,
                        IntPred::ULt if !is_next && to == l.header => IntPred::ULe,
                        pred => pred,
                    };
                    turns.push(Turn { counter: counter.now, first, pred, bound: than, body: to });
                }
            }
        }
        turns.truncate(MAX_TURNS);
        turns
    }

    /// The bound that a counter's test at the end of a turn has. What is in the loop runs with the first value, and as
    /// long as that test says.
    fn repeated(&self, func: &Func, l: &Loop, counter: &Induction) -> Option<Bound> {
        let &[latch] = &l.latches[..] else { return None };
        let bound = counter.bound(func, latch, |t| t.block == l.header)?;
        let is_below = matches!(bound.pred, IntPred::SLt | IntPred::ULt) && counter.by(func) == Some(1);
        (is_below && self.is_fixed(func, bound.than)).then_some(bound)
    }

    /// Which way conditions go if nothing of the body is passed over.
    fn wanted(&self, func: &Func, mended: &[(Block, Vec<Block>)]) -> FxHashMap<Value, bool> {
        let cfg = &self.cfg;
        let behind = Postdominators::new(func, cfg);
        let mut work: Vec<(Value, bool)> = Vec::new();
        for &b in self.blocks.iter().filter(|b| !mended.iter().any(|(_, between)| between.contains(b))) {
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

    /// Makes a copy in which the facts hold, behind a test that they do. The copy of a block.
    fn copy(&self, func: &mut Func, block: Block, facts: &[Fact]) -> Block {
        let mut b = Builder::new(func, self.before);
        let mut ends: Vec<(Value, [Value; 2])> = Vec::new();
        for &(counter, first, bound) in &self.counters {
            let [first, bound] = [first, bound].map(|v| self.repeat(&mut b, v, &[]));
            ends.push((counter, [first, b.op_bits(Op::Sub, bound, 1)]));
        }
        let all = facts.iter().fold(None, |all, fact| Some(self.ask(&mut b, fact, &ends, all)));
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
                Kind::Clamp | Kind::Mirror => copies.value(fact.index),
                Kind::Guard(outcome) | Kind::Choice(outcome) | Kind::Given(outcome) => {
                    Builder::new(func, self.before).bits(Type::I1, outcome.into())
                }
                Kind::Extension(stride) => self.linear(func, fact, stride, &copies),
                Kind::Remainder | Kind::Quotient => self.in_one_row(func, fact, &ends, &copies),
                Kind::Step => {
                    if let ValueDef::Inst(copy) = func.values[v].def {
                        func.insts[copy].attr.flags |= flag(fact.pred);
                    }
                    continue;
                }
            };
            blocks.iter().for_each(|&b| func.map_uses(b, |u| if u == v { new } else { u }));
        }
        version::choose(func, self.before, all.expect("a fact"), &copies);
        copies.block(block)
    }

    /// Asks whether a fact holds, and what has been asked before it; `ends`: first and last values of the counters.
    fn ask(&self, b: &mut Builder<'_>, fact: &Fact, ends: &[(Value, [Value; 2])], all: Option<Value>) -> Value {
        let holds = match fact.kind {
            Kind::Step => Some(self.stays_below(b, fact)),
            Kind::Given(true) => Some(self.repeat(b, fact.index, &[])),
            Kind::Given(false) => {
                let given = self.repeat(b, fact.index, &[]);
                Some(b.op(Op::Not, &[given]))
            }
            Kind::Remainder | Kind::Quotient => Some(self.has_one_quotient(b, fact, ends)),
            _ => self.stays_within(b, fact, ends),
        };
        if let Some(holds) = holds {
            return b.and(all, holds);
        }
        let [low, high] = self.at_ends(b, fact.index, ends);
        let mirror = (fact.kind == Kind::Mirror).then(|| self.at_ends(b, fact.bound, ends));
        let (grows, asked) = match fact.pred {
            IntPred::SLt | IntPred::SLe => (IntPred::SLe, high),
            IntPred::SGt | IntPred::SGe => (IntPred::SLe, low),
            IntPred::ULt | IntPred::ULe => (IntPred::ULe, high),
            _ => (IntPred::ULe, low),
        };
        // From the first to the last nothing wraps, or the last would be the smaller one; what falls, the other way
        // round.
        let (bound, falls) = match mirror {
            Some([first, last]) => {
                let bound = if fact.pred == IntPred::SLe { last } else { first };
                (bound, Some((IntPred::SLe, last, first)))
            }
            None => (self.repeat(b, fact.bound, &[]), None),
        };
        let asked = [(grows, low, high), (fact.pred, asked, bound)].into_iter().chain(falls);
        let all = asked.fold(all, |all, (pred, x, y)| {
            let holds = b.icmp(pred, x, y);
            Some(b.and(all, holds))
        });
        all.expect("there are questions")
    }

    /// The values that `v` has where all counters have their first values, and their last, computed before the loop.
    pub(super) fn at_ends(&self, b: &mut Builder<'_>, v: Value, ends: &[(Value, [Value; 2])]) -> [Value; 2] {
        [0, 1].map(|end| {
            let at = ends.iter().map(|&(counter, ends)| (counter, ends[end]));
            // What does not grow with them may still name the counters of loops within.
            let at: Vec<(Value, Value)> = at.chain(self.turns.iter().map(|t| (t.counter, t.first))).collect();
            self.repeat(b, v, &at)
        })
    }

    /// True if a number that relates to the fact's bound as it says can be increased by the fact's index without
    /// wrapping: if that is not more, as an unsigned number, than what is left above the bound.
    fn stays_below(&self, b: &mut Builder<'_>, fact: &Fact) -> Value {
        let (extend, bits) = if flag(fact.pred) == Flags::NSW { (Op::Sext, 31) } else { (Op::Zext, 32) };
        let [step, bound] = [fact.index, fact.bound].map(|v| {
            let v = self.repeat(b, v, &[]);
            match b.func.ty(v) == Type::I64 {
                true => v,
                false => b.convert(extend, Type::I64, v),
            }
        });
        let equal = matches!(fact.pred, IntPred::SLe | IntPred::ULe);
        let end = (1i64 << bits) - i64::from(equal);
        let end = b.i64(end);
        let left = b.op(Op::Sub, &[end, bound]);
        b.icmp(IntPred::ULe, step, left)
    }

    /// The value that `v` has where the counters are `at` some values, computed before the loop.
    pub(super) fn repeat(&self, b: &mut Builder<'_>, v: Value, at: &[(Value, Value)]) -> Value {
        rematerialise(b, v, &|_, v| {
            let v = self.resolve(v);
            let v = at.iter().find(|&&(counter, _)| counter == v).map_or(v, |&(_, now)| now);
            // A constant may be in the nest.
            if self.homes.get(v.index()).copied().flatten().is_none() { Ok(v) } else { Err(v) }
        })
    }
}

/// The comparisons that a condition is made of.
fn comparisons<'a>(func: &'a Func, cond: Value, found: &mut Vec<&'a InstData>) {
    match func.def_inst(cond) {
        Some(data) if data.op == Op::Icmp => found.push(data),
        Some(data) if matches!(data.op, Op::And | Op::Or | Op::Not) => {
            data.args.iter().for_each(|&v| comparisons(func, v, found));
        }
        _ => {}
    }
}

/// As what a number does not wrap that stays below a bound in this sense.
fn flag(pred: IntPred) -> Flags {
    if pred.is_signed() { Flags::NSW } else { Flags::NUW }
}
