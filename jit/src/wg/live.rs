//! Which values live across cuts, which of them are cheap to compute again (rematerialisation), and which are the
//! group's.

use super::cuts::Cut;
use super::uniform::Uniformity;
use crate::ir::entity::Entity;
use crate::ir::{Block, Func, Imm, Inst, Op, SlotId, Value, ValueDef};
use rustc_hash::{FxHashMap, FxHashSet};

/// Highest cost of an expression that is computed again rather than saved.
const REMAT_COST: u32 = 6;

/// A set of values.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ValueSet(Vec<u64>);

impl ValueSet {
    pub(super) fn new(n: usize) -> Self {
        Self(vec![0; n.div_ceil(64)])
    }
    /// True if the value is in the set.
    pub(super) fn contains(&self, v: Value) -> bool {
        self.0[v.index() / 64] >> (v.index() % 64) & 1 != 0
    }
    pub(super) fn insert(&mut self, v: Value) {
        self.0[v.index() / 64] |= 1 << (v.index() % 64);
    }
    fn remove(&mut self, v: Value) {
        self.0[v.index() / 64] &= !(1 << (v.index() % 64));
    }
    /// Adds all of `other`; true if that changed anything.
    fn union(&mut self, other: &ValueSet) -> bool {
        let mut changed = false;
        for (a, b) in self.0.iter_mut().zip(&other.0) {
            changed |= *b & !*a != 0;
            *a |= b;
        }
        changed
    }
    /// Members in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = Value> + '_ {
        self.0.iter().enumerate().flat_map(|(i, &word)| {
            (0..64).filter(move |bit| word >> bit & 1 != 0).map(move |bit| Value::from_index(i * 64 + bit))
        })
    }
}

/// Liveness facts that the assembly needs.
pub(super) struct Live {
    /// For each cut: values defined before it that are used after it (kernel parameters left out).
    pub after: Vec<ValueSet>,
    /// Values live across some cut that have to be saved in the record.
    pub saved: ValueSet,
    /// Values live across some cut that are computed again in each region.
    pub remat: ValueSet,
    /// Those that vary and are computed again from `group`'s, as far as ids and parameters don't do.
    pub derived: ValueSet,
    /// Values live across some cut that are the same for all work-items of a group: kept once.
    pub group: ValueSet,
}

/// Computes liveness at the cuts of a split function.
pub(super) fn analyse(func: &Func, cuts: &[Cut], uniformity: &Uniformity) -> Live {
    let n = func.values.len();
    if cuts.len() == 1 {
        // Nothing lives across the entry; large kernels without barriers need no liveness.
        let none = ValueSet::new(n);
        let [saved, remat, derived] = [(); 3].map(|()| none.clone());
        return Live { after: vec![none.clone()], saved, remat, derived, group: none };
    }
    let mut live_in: FxHashMap<Block, ValueSet> = func.layout.iter().map(|&b| (b, ValueSet::new(n))).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for &block in func.layout.iter().rev() {
            let set = walk_back(func, block, &live_in, 0, n);
            if let Some(old) = live_in.get_mut(&block) {
                changed |= old.union(&set);
            }
        }
    }
    let entry = func.entry();
    let mut across = ValueSet::new(n);
    let mut after = Vec::new();
    for cut in cuts {
        let mut set = walk_back(func, cut.block, &live_in, usize::from(cut.inst.is_some()), n);
        let result = cut.inst.and_then(|inst| func.insts[inst].result);
        result.iter().for_each(|&r| set.remove(r));
        func.blocks[entry].params.iter().for_each(|&p| set.remove(p));
        across.union(&set);
        after.push(set);
    }
    let [mut remat, mut derived, mut group, mut saved] = [0; 4].map(|_| ValueSet::new(n));
    for v in across.iter() {
        let mut parts = Vec::new();
        if cost(func, v, REMAT_COST).is_some() {
            remat.insert(v);
        } else if !uniformity.varying.contains(v) {
            group.insert(v);
        } else if cost_from(func, v, REMAT_COST, &mut |part| is_part(func, uniformity, part, &mut parts)).is_some() {
            derived.insert(v);
            parts.iter().for_each(|&part| group.insert(part));
            for set in after.iter_mut().filter(|set| set.contains(v)) {
                // What a value is made of is there wherever the value is.
                parts.iter().for_each(|&part| set.insert(part));
            }
        } else {
            saved.insert(v);
        }
    }
    Live { after, saved, remat, derived, group }
}

/// True, and noted, if a value is the group's and not cheap to compute.
fn is_part(func: &Func, uniformity: &Uniformity, v: Value, parts: &mut Vec<Value>) -> bool {
    let is = !uniformity.varying.contains(v) && cost(func, v, REMAT_COST).is_none();
    if is {
        parts.push(v);
    }
    is
}

/// Values live before instruction number `from` of a block.
fn walk_back(func: &Func, block: Block, live_in: &FxHashMap<Block, ValueSet>, from: usize, n: usize) -> ValueSet {
    let data = &func.blocks[block];
    let mut set = ValueSet::new(n);
    for target in data.term.targets() {
        let mut below = live_in[&target.block].clone();
        func.blocks[target.block].params.iter().for_each(|&p| below.remove(p));
        set.union(&below);
    }
    data.term.for_each_value(|v| set.insert(v));
    for &inst in data.insts[from..].iter().rev() {
        let inst = &func.insts[inst];
        inst.result.iter().for_each(|&r| set.remove(r));
        inst.args.iter().for_each(|&a| set.insert(a));
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
        Op::IsLocal | Op::IsPrivate => return None,
        _ => 1,
    };
    let mut sum = own;
    for &arg in &data.args {
        sum += cost_from(func, arg, budget.checked_sub(sum)?, is_there)?;
    }
    (sum <= budget).then_some(sum)
}

/// Private slots that may hold something when a work-item goes on behind a cut: those accessed in front of it and
/// behind it, and those whose address goes elsewhere.
pub(super) fn slots_across(func: &Func, cuts: &[Cut]) -> FxHashSet<SlotId> {
    let (roots, mut across) = slot_pointers(func);
    let accessed = |block: Block| {
        let pointers = func.blocks[block].insts.iter().flat_map(|&i| &func.insts[i].args);
        pointers.filter_map(|v| roots.get(v)).copied().collect::<FxHashSet<_>>()
    };
    let is_cut: FxHashSet<Block> = cuts.iter().map(|cut| cut.block).collect();
    let used: FxHashMap<Block, FxHashSet<SlotId>> = func.layout.iter().map(|&b| (b, accessed(b))).collect();
    // Slots accessed on some way to a block, since the last cut and before it.
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
            if is_cut.contains(&to) {
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
fn slot_pointers(func: &Func) -> (FxHashMap<Value, SlotId>, FxHashSet<SlotId>) {
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
