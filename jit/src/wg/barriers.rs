//! Barriers: the points where all work-items of a group meet before any goes on.
//!
//! The explicit ones are convergent instructions: barriers and collectives. Implicit ones are, as in pocl, the kernel's
//! entry and branches that the group takes as a whole between two others (`add_branches`). A scan that a work-item
//! reaches at most once between two barriers needs none of its own: the work-item loop computes it on its way (see
//! `collective`). Must not know how regions are copied.

use super::uniform::Uniformity;
use crate::ir::cfg::reached;
use crate::ir::entity::{Entity, EntitySet};
use crate::ir::{Block, Func, Inst, MetKind, Op, Target, Term};
use crate::race::Meeting;
use rustc_hash::{FxHashMap, FxHashSet};

/// The barriers of a kernel. Number 0 is the entry.
#[derive(Default)]
pub(super) struct Barriers {
    list: Vec<Barrier>,
    numbers: FxHashMap<Block, usize>,
    /// Work-items tell that they arrive (`Meeting::Arrive`): barrier number n + 1 is number n of `Func::met`.
    pub is_checked: bool,
}

/// A point where all work-items of a group meet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Barrier {
    /// The block that begins here.
    pub block: Block,
    /// What makes it one.
    pub kind: BarrierKind,
}

/// Kinds of barriers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BarrierKind {
    /// The kernel's entry, and the targets of a branch that the group takes.
    Implicit,
    /// A convergent instruction, first of the block.
    Explicit(Inst),
    /// A branch, all of the block, that the group takes as a whole.
    Branch,
}

impl Barrier {
    /// Its convergent instruction.
    pub(super) fn inst(self) -> Option<Inst> {
        match self.kind {
            BarrierKind::Explicit(inst) => Some(inst),
            _ => None,
        }
    }
}

impl Barriers {
    /// Splits blocks so that each barrier's instruction begins a block without parameters that has exactly one
    /// predecessor, and gives the entry block no predecessor.
    pub(super) fn split(func: &mut Func) -> Self {
        isolate_entry(func);
        let is_checked = take_arrivals(func);
        let explicit = explicit_barriers(func, is_checked);
        let mut this = Self { is_checked, ..Self::default() };
        this.add(func.entry(), BarrierKind::Implicit);
        let mut at = 0;
        while at < func.layout.len() {
            let block = func.layout[at];
            let from = this.skip(block);
            if let Some(n) = func.blocks[block].insts[from..].iter().position(|i| explicit.contains(i)) {
                let rest = func.blocks[block].insts.split_off(from + n);
                let next = func.add_block();
                let term = std::mem::replace(&mut func.blocks[block].term, Term::Jump(Target::plain(next)));
                this.add(next, BarrierKind::Explicit(rest[0]));
                func.blocks[next].insts = rest;
                func.blocks[next].term = term;
                func.layout.insert(at + 1, next);
            }
            at += 1;
        }
        let met = func.met.iter().filter(|met| met.what != MetKind::SubGroup).count();
        debug_assert!(!is_checked || this.list.len() == met + 1, "numbers are those of `Func::met`");
        this
    }

    /// Makes barriers of the branches that the group takes as a whole and that decide to which barriers it goes: they
    /// are then taken once per group, and loops around barriers are loops around regions. Blocks made here have no
    /// parameters and one predecessor.
    pub(super) fn add_branches(&mut self, func: &mut Func, uniformity: &Uniformity) {
        let next = self.next(func);
        for block in func.layout.clone() {
            let Term::Br { cond, then, els } = func.blocks[block].term.clone() else { continue };
            let decides = next[then.block.index()] != next[els.block.index()];
            if !decides || uniformity.varying.contains(cond) || !uniformity.is_together(block) {
                continue;
            }
            let branch = func.add_block();
            let [then, els] = [then, els].map(|target| {
                let way = func.add_block();
                func.blocks[way].term = Term::Jump(target);
                func.layout.push(way);
                self.add(way, BarrierKind::Implicit);
                Target::plain(way)
            });
            func.blocks[branch].term = Term::Br { cond, then, els };
            func.layout.push(branch);
            self.add(branch, BarrierKind::Branch);
            func.blocks[block].term = Term::Jump(Target::plain(branch));
        }
    }

    /// Which barriers come next for who enters a block, by block: their blocks, and the entry's for the kernel's end.
    fn next(&self, func: &Func) -> Vec<EntitySet<Block>> {
        let mut next = vec![EntitySet::new(func.blocks.len()); func.blocks.len()];
        for &block in &func.layout {
            if self.at(block).is_some_and(|k| k > 0) {
                next[block.index()].insert(block);
            } else if func.blocks[block].term.targets().is_empty() {
                next[block.index()].insert(func.entry());
            }
        }
        let mut changed = true;
        while changed {
            changed = false;
            for &block in func.layout.iter().rev().filter(|&&b| self.at(b).is_none()) {
                for target in func.blocks[block].term.targets() {
                    let behind = next[target.block.index()].clone();
                    changed |= next[block.index()].union(&behind);
                }
            }
        }
        next
    }

    fn add(&mut self, block: Block, kind: BarrierKind) {
        self.numbers.insert(block, self.list.len());
        self.list.push(Barrier { block, kind });
    }

    /// All barriers; in a kernel without any, the entry alone.
    pub(super) fn list(&self) -> &[Barrier] {
        &self.list
    }
    pub(super) fn len(&self) -> usize {
        self.list.len()
    }
    /// True if nothing but the kernel's ends bounds its only region.
    pub(super) fn is_one_region(&self) -> bool {
        self.len() == 1
    }
    /// The number of the barrier at which a block begins.
    pub(super) fn at(&self, block: Block) -> Option<usize> {
        self.numbers.get(&block).copied()
    }
    /// The convergent instruction of barrier `k`.
    pub(super) fn inst(&self, k: usize) -> Option<Inst> {
        self.list[k].inst()
    }
    /// How many instructions of a block belong to the barrier at which it begins.
    pub(super) fn skip(&self, block: Block) -> usize {
        usize::from(self.at(block).is_some_and(|k| self.inst(k).is_some()))
    }
}

/// Takes out what tells that work-items arrive somewhere; true if anything did.
fn take_arrivals(func: &mut Func) -> bool {
    let arrives = |&(_, inst): &(Block, Inst)| {
        let data = &func.insts[inst];
        let code = if data.op == Op::Meet { func.const_bits(data.args[0]) } else { None };
        code.is_some_and(|code| matches!(Meeting::from_bits(code), Meeting::Arrive { .. }))
    };
    let found: FxHashSet<Inst> = func.live_insts().filter(arrives).map(|(_, inst)| inst).collect();
    for &block in &func.layout {
        func.blocks[block].insts.retain(|inst| !found.contains(inst));
    }
    !found.is_empty()
}

/// The convergent instructions at which work-items have to wait: if they are checked, scans as well.
fn explicit_barriers(func: &Func, is_checked: bool) -> FxHashSet<Inst> {
    let mut found = FxHashSet::default();
    let mut scans = Vec::new();
    for &block in &func.layout {
        for (at, &inst) in func.blocks[block].insts.iter().enumerate() {
            match func.insts[inst].op {
                op if is_scan(op) => scans.push((block, at, inst)),
                op if op.is_convergent() => _ = found.insert(inst),
                _ => {}
            }
        }
    }
    for (block, at, inst) in scans {
        if is_checked || comes_back(func, &found, block, at) {
            found.insert(inst);
        }
    }
    found
}

/// True if some path leads from an instruction back to it without a barrier.
fn comes_back(func: &Func, barriers: &FxHashSet<Inst>, block: Block, at: usize) -> bool {
    let has_barrier = |insts: &[Inst]| insts.iter().any(|i| barriers.contains(i));
    let insts = &func.blocks[block].insts;
    if has_barrier(&insts[at..]) || has_barrier(&insts[..at]) {
        return false;
    }
    let region = reached(func, [block].into_iter(), |_, to| !has_barrier(&func.blocks[to].insts));
    region.iter().any(|&b| func.blocks[b].term.targets().iter().any(|t| t.block == block))
}

/// If a branch leads back to the entry block, puts a fresh entry block before it.
fn isolate_entry(func: &mut Func) {
    let entry = func.entry();
    let looped = func.layout.iter().any(|&b| func.blocks[b].term.targets().iter().any(|t| t.block == entry));
    if looped {
        let fresh = func.add_block();
        for ty in func.params.clone() {
            func.add_param(fresh, ty);
        }
        let args = func.blocks[fresh].params.as_slice().into();
        func.blocks[fresh].term = Term::Jump(Target { block: entry, args });
        func.layout.insert(0, fresh);
    }
}

/// True for scans: their result differs from work-item to work-item.
pub(super) fn is_scan(op: Op) -> bool {
    matches!(op, Op::WgScanInc | Op::WgScanExc)
}
