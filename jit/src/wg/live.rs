//! Liveness across barriers, and what becomes of each value that lives across one: it is rematerialised (cheap to
//! compute again), kept once for the group (uniform), or spilled to the context. In place of an address the index is
//! spilled that it is made of, which takes less memory and lets vector code address by base and index.

use super::barriers::Barriers;
use super::context::memory_type;
use super::uniform::Uniformity;
use crate::ir::entity::EntitySet;
use crate::ir::{Block, Func, Imm, Inst, Op, SlotId, Value, ValueDef};
use rustc_hash::{FxHashMap, FxHashSet};

/// Highest cost of an expression that is computed again rather than spilled.
const REMAT_COST: u32 = 6;

/// The same for sums of multiples of ids: lanes compute these as scalars, and such addresses stay known as consecutive.
const AFFINE_COST: u32 = 16;
/// The same for what is alike along a row of work-items: it is computed once for each row.
const ROW_COST: u32 = 40;
/// Highest cost of what is like an id: one that was converted.
const ID_COST: u32 = 2;

type ValueSet = EntitySet<Value>;

/// Values that live across barriers. The four sets behind `after` have none in common.
pub(super) struct Live {
    /// For each barrier: values defined before it that are used after it (kernel parameters left out).
    pub after: Vec<ValueSet>,
    /// Computed again in each region.
    pub rematerialised: ValueSet,
    /// The same for all work-items of a group: kept once.
    pub uniform: ValueSet,
    /// Varying, and computed again from `uniform` and `spilled` ones, as far as ids and parameters don't do.
    pub derived: ValueSet,
    /// The others: kept in the context.
    pub spilled: ValueSet,
}

impl Live {
    /// Computes liveness at the barriers of a split function; rows of work-items go along dimension `inner`.
    pub(super) fn new(func: &Func, barriers: &Barriers, uniformity: &Uniformity, inner: usize) -> Self {
        let n = func.values.len();
        let [rematerialised, uniform, derived, spilled] = [0; 4].map(|_| ValueSet::new(n));
        let mut this = Self { after: Vec::new(), rematerialised, uniform, derived, spilled };
        if barriers.is_one_region() {
            // Nothing lives across the entry; large kernels without barriers need no liveness.
            this.after.push(ValueSet::new(n));
            return this;
        }
        let live_in = live_in(func);
        let mut across = ValueSet::new(n);
        for barrier in barriers.list() {
            let mut set = live_from(func, barrier.block, &live_in, barriers.skip(barrier.block));
            let result = barrier.inst().and_then(|inst| func.insts[inst].result);
            result.iter().for_each(|&r| set.remove(r));
            func.blocks[func.entry()].params.iter().for_each(|&p| set.remove(p));
            across.union(&set);
            this.after.push(set);
        }
        for v in across.iter() {
            this.decide(func, uniformity, v, inner);
        }
        for v in this.spilled.iter().collect::<Vec<_>>() {
            this.narrow(func, uniformity, v);
        }
        this
    }

    /// Puts a value that lives across a barrier into one of the sets.
    fn decide(&mut self, func: &Func, uniformity: &Uniformity, v: Value, inner: usize) {
        let mut parts = Vec::new();
        let mut is_part = |v: Value| {
            // What is cheap and the same for all is made once, too, in front of the loop over work-items.
            let is = !uniformity.varying.contains(v) && cost(func, v, 0).is_none();
            parts.extend((is && cost(func, v, REMAT_COST).is_none()).then_some(v));
            is
        };
        if cost(func, v, REMAT_COST).is_some() {
            self.rematerialised.insert(v);
        } else if !uniformity.varying.contains(v) {
            self.uniform.insert(v);
        } else if cost_from(func, v, REMAT_COST, &mut is_part).is_some()
            || (cost_from(func, v, AFFINE_COST, &mut is_part).is_some() && is_affine(func, uniformity, v, AFFINE_COST))
            || (cost_from(func, v, ROW_COST, &mut is_part).is_some() && is_of_row(func, uniformity, v, inner))
        {
            self.derived.insert(v);
            for &part in &parts {
                self.uniform.insert(part);
                self.keep_with(part, &[v]);
            }
        } else {
            self.spilled.insert(v);
        }
    }

    /// What values are made of is there wherever one of them is.
    fn keep_with(&mut self, part: Value, made: &[Value]) {
        for set in self.after.iter_mut().filter(|set| made.iter().any(|&v| set.contains(v))) {
            set.insert(part);
        }
    }

    /// Spills in place of a value what it is cheaply computed from, if that is smaller.
    fn narrow(&mut self, func: &Func, uniformity: &Uniformity, v: Value) {
        let bytes = |v: Value| memory_type(func.ty(v)).bytes();
        let (mut parts, mut inner) = (Vec::new(), Vec::new());
        let mut is_part = |u: Value| {
            let is_varying = uniformity.varying.contains(u);
            match cost(func, u, if is_varying { ID_COST } else { REMAT_COST }) {
                Some(0) => return false,
                // Not worth to be kept.
                Some(_) if u != v => return true,
                _ => {}
            }
            let is = u != v && (!is_varying || self.spilled.contains(u) || bytes(u) < bytes(v));
            if is { &mut parts } else { &mut inner }.push(u);
            is
        };
        if cost_from(func, v, REMAT_COST, &mut is_part).is_none() {
            return;
        }
        let new = parts.iter().filter(|&&u| uniformity.varying.contains(u) && !self.spilled.contains(u));
        if new.map(|&u| bytes(u)).sum::<u32>() >= bytes(v) {
            return;
        }
        self.spilled.remove(v);
        self.derived.insert(v);
        for &part in &parts {
            if uniformity.varying.contains(part) {
                self.rematerialised.remove(part);
                self.derived.remove(part);
                self.spilled.insert(part);
            } else {
                self.uniform.insert(part);
            }
            // Those in between may be computed behind an earlier barrier than the value is.
            let made: Vec<Value> = inner.iter().copied().filter(|&u| is_made_of(func, u, part, &parts)).collect();
            self.keep_with(part, &made);
        }
    }
}

/// True if a value is a sum of multiples of ids, with factors that are the same for the group, in an expression of at
/// most so many levels.
fn is_affine(func: &Func, uniformity: &Uniformity, v: Value, levels: u32) -> bool {
    let is_uniform = |v: Value| !uniformity.varying.contains(v);
    let (ValueDef::Inst(inst), Some(below)) = (func.values[v].def, levels.checked_sub(1)) else { return is_uniform(v) };
    let data = &func.insts[inst];
    is_uniform(v)
        || match (data.op, &data.args[..]) {
            (Op::Lid, _) => true,
            (Op::Add | Op::Sub | Op::PtrAdd | Op::PtrOff | Op::Sext | Op::Zext | Op::Trunci, args) => {
                args.iter().all(|&arg| is_affine(func, uniformity, arg, below))
            }
            (Op::Mul, &[a, b]) if is_uniform(a) => is_affine(func, uniformity, b, below),
            (Op::Mul | Op::Shl, &[a, b]) => is_uniform(b) && is_affine(func, uniformity, a, below),
            _ => false,
        }
}

/// True if a value, which is computed from ids, is the same for all work-items of a row along a dimension.
fn is_of_row(func: &Func, uniformity: &Uniformity, v: Value, inner: usize) -> bool {
    if !uniformity.varying.contains(v) {
        return true;
    }
    func.def_inst(v).is_some_and(|data| match (data.op, &data.imm) {
        (Op::Lid, &Imm::Dim(d)) => usize::from(d) != inner,
        _ => !data.args.is_empty() && data.args.iter().all(|&arg| is_of_row(func, uniformity, arg, inner)),
    })
}

/// True if a value that is cheaply computed from several parts is computed from this one.
fn is_made_of(func: &Func, v: Value, part: Value, parts: &[Value]) -> bool {
    let ValueDef::Inst(inst) = func.values[v].def else { return false };
    let mut args = func.insts[inst].args.iter();
    args.any(|&arg| if parts.contains(&arg) { arg == part } else { is_made_of(func, arg, part, parts) })
}

/// Values live at the start of each block.
fn live_in(func: &Func) -> FxHashMap<Block, ValueSet> {
    let mut sets: FxHashMap<Block, ValueSet> =
        func.layout.iter().map(|&b| (b, ValueSet::new(func.values.len()))).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for &block in func.layout.iter().rev() {
            let set = live_from(func, block, &sets, 0);
            changed |= sets.get_mut(&block).is_some_and(|old| old.union(&set));
        }
    }
    sets
}

/// Values live before instruction number `from` of a block.
fn live_from(func: &Func, block: Block, live_in: &FxHashMap<Block, ValueSet>, from: usize) -> ValueSet {
    let data = &func.blocks[block];
    let mut set = ValueSet::new(func.values.len());
    for target in data.term.targets() {
        let mut below = live_in[&target.block].clone();
        func.blocks[target.block].params.iter().for_each(|&p| below.remove(p));
        set.union(&below);
    }
    data.term.for_each_value(|v| _ = set.insert(v));
    for &inst in data.insts[from..].iter().rev() {
        let inst = &func.insts[inst];
        inst.result.iter().for_each(|&r| set.remove(r));
        inst.args.iter().for_each(|&a| _ = set.insert(a));
    }
    if from == 0 {
        data.params.iter().for_each(|&p| set.remove(p));
    }
    set
}

/// Cost of computing a value again from ids, constants, addresses and kernel parameters, if that is at most `budget`.
fn cost(func: &Func, v: Value, budget: u32) -> Option<u32> {
    cost_from(func, v, budget, &mut |_| false)
}

/// The same from values that `is_there`, too, each at the cost of an instruction.
fn cost_from(func: &Func, v: Value, budget: u32, is_there: &mut dyn FnMut(Value) -> bool) -> Option<u32> {
    if is_there(v) {
        return (budget > 0).then_some(1);
    }
    let inst: Inst = match func.values[v].def {
        ValueDef::Param(block, _) => return (block == func.entry()).then_some(0),
        ValueDef::Inst(inst) => inst,
    };
    let data = &func.insts[inst];
    if !data.op.is_pure() {
        return None;
    }
    let own = match data.op {
        Op::Const | Op::Undef | Op::SlotAddr | Op::LocalAddr | Op::GlobalAddr => return Some(0),
        Op::Lid | Op::Grp | Op::Lsz | Op::Elsz | Op::Gsz | Op::Ngrp | Op::Goff | Op::WorkDim => return Some(0),
        Op::DivS | Op::DivU | Op::RemS | Op::RemU | Op::Fdiv | Op::Sqrt | Op::Frem => return None,
        Op::IsLocal | Op::IsPrivate | Op::CheckArg | Op::CheckObject => return None,
        _ => 1,
    };
    let mut sum = own;
    for &arg in &data.args {
        sum += cost_from(func, arg, budget.checked_sub(sum)?, is_there)?;
    }
    (sum <= budget).then_some(sum)
}

/// Private slots that may hold something when a work-item goes on behind a barrier: those accessed in front of it and
/// behind it, and those whose address goes elsewhere.
pub(super) fn slots_across(func: &Func, barriers: &Barriers) -> FxHashSet<SlotId> {
    let (roots, mut across) = slot_pointers(func);
    let accessed = |block: Block| {
        let pointers = func.blocks[block].insts.iter().flat_map(|&i| &func.insts[i].args);
        pointers.filter_map(|v| roots.get(v)).copied().collect::<FxHashSet<_>>()
    };
    let used: FxHashMap<Block, FxHashSet<SlotId>> = func.layout.iter().map(|&b| (b, accessed(b))).collect();
    // Slots accessed on some way to a block, since the last barrier and before it.
    let mut states: FxHashMap<Block, [FxHashSet<SlotId>; 2]> = FxHashMap::default();
    let mut work: Vec<Block> = func.layout.iter().rev().copied().filter(|b| !used[b].is_empty()).collect();
    while let Some(block) = work.pop() {
        let [mut since, before] = states.entry(block).or_default().clone();
        across.extend(used[&block].intersection(&before));
        since.extend(&used[&block]);
        for to in func.blocks[block].term.targets().iter().map(|t| t.block) {
            let [next, past] = states.entry(to).or_default();
            let n = next.len() + past.len();
            past.extend(&before);
            if barriers.at(to).is_some() {
                past.extend(&since)
            } else {
                next.extend(&since)
            }
            if next.len() + past.len() > n {
                work.push(to);
            }
        }
    }
    across
}

/// The slot that each pointer leads into, and slots of which not all pointers are known.
pub(super) fn slot_pointers(func: &Func) -> (FxHashMap<Value, SlotId>, FxHashSet<SlotId>) {
    let mut roots: FxHashMap<Value, SlotId> = FxHashMap::default();
    let mut n = usize::MAX;
    while roots.len() != n {
        n = roots.len();
        for data in func.live_insts().map(|(_, i)| &func.insts[i]) {
            let root = match (data.op, &data.imm) {
                (Op::SlotAddr, &Imm::Slot(slot)) => Some(slot),
                (Op::PtrAdd | Op::PtrOff, _) => data.args.first().and_then(|v| roots.get(v)).copied(),
                _ => None,
            };
            if let (Some(slot), Some(result)) = (root, data.result) {
                roots.insert(result, slot);
            }
        }
    }
    let mut unknown = FxHashSet::default();
    for data in func.live_insts().map(|(_, i)| &func.insts[i]) {
        let places = match data.op {
            Op::PtrAdd | Op::PtrOff | Op::Load | Op::Store | Op::Memset => 1,
            Op::Memcpy => 2,
            _ => 0,
        };
        unknown.extend(data.args.iter().skip(places).filter_map(|v| roots.get(v)));
    }
    for &block in &func.layout {
        func.blocks[block].term.for_each_value(|v| unknown.extend(roots.get(&v)));
    }
    (roots, unknown)
}
