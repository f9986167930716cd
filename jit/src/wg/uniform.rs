//! Divergence analysis: which values are the same for all work-items of a group that compute them (group-uniform). The
//! rules are those of Coutinho, Sampaio, Pereira and Meira, "Divergence Analysis and Optimizations" (2011).
//!
//! A value varies if it comes from the work-item's own ids (but for dimensions in which the group is known to have one
//! work-item), memory or atomics, if an operand varies, or, for a block
//! parameter, if a varying branch decides by which edge or how often the block is entered. A branch decides about the
//! blocks between it and its immediate postdominator, that one included. Plain loads from an address that does not vary
//! are taken to agree: if they did not, some work-item would write what another reads without a barrier between; but
//! atomic operations that order memory do that just as well. Must not know how regions are copied.

use super::barriers::Barriers;
use crate::analysis::alias::is_pure_call;
use crate::ir::cfg::{Cfg, reached};
use crate::ir::dom::Postdominators;
use crate::ir::entity::{Entity, EntitySet};
use crate::ir::op::{Flags, Order};
use crate::ir::{Block, Func, Imm, InstData, Op, Term, Type, Value};
use crate::launch::AddrSpace;

/// What varies among the work-items of a group.
pub(super) struct Uniformity {
    /// The varying values.
    pub varying: EntitySet<Value>,
    /// Blocks that were analysed.
    blocks: usize,
    /// Blocks that end in a varying branch by which work-items may reach different barriers, or some of them return.
    separating: EntitySet<Block>,
    /// Blocks that a varying branch decides about: some work-items may come there, others not, or not as often.
    divergent: EntitySet<Block>,
}

impl Uniformity {
    /// Analyses a split kernel for groups of this size, if that is known. One without barriers needs no answers.
    pub(super) fn new(func: &Func, barriers: &Barriers, local_size: Option<[u32; 3]>) -> Self {
        let blocks = func.blocks.len();
        let [separating, divergent, branches] = [0; 3].map(|_| EntitySet::new(blocks));
        let this = Self { varying: EntitySet::new(func.values.len()), blocks, separating, divergent };
        if barriers.is_one_region() {
            return this;
        }
        let cfg = Cfg::new(func);
        let post = Postdominators::new(func, &cfg);
        let is_ordering = |data: &InstData| match data.op {
            Op::AtomicLoad | Op::AtomicRmw | Op::AtomicCas => {
                !matches!(data.attr.order, Order::Relaxed | Order::Release)
            }
            // Who knows what a function does.
            Op::Call => !is_pure_call(data),
            op => matches!(op, Op::Fence | Op::Device),
        };
        let is_ordered = func.live_insts().any(|(_, inst)| is_ordering(&func.insts[inst]));
        let mut analysis = Analysis { func, barriers, local_size, post, found: this, branches, is_ordered };
        // Facts only grow, so that this ends; mostly after two or three rounds.
        while cfg.rpo().iter().filter(|&&block| analysis.visit(block)).count() > 0 {}
        analysis.found
    }

    /// Nothing is the same for all, and everything may part them.
    pub(super) fn none(func: &Func) -> Self {
        let all = |n: usize| {
            let mut set = EntitySet::new(n);
            (0..n).for_each(|at| _ = set.insert(Block::from_index(at)));
            set
        };
        let mut varying = EntitySet::new(func.values.len());
        func.values.keys().for_each(|v| _ = varying.insert(v));
        let blocks = func.blocks.len();
        Self { varying, blocks, separating: all(blocks), divergent: all(blocks) }
    }

    /// True if all work-items that run a region leave it by the same exit.
    pub(super) fn leave_together(&self, region: &[Block]) -> bool {
        !region.iter().any(|&b| self.separating.contains(b))
    }

    /// True if all work-items are known to execute a block equally often.
    pub(super) fn is_together(&self, block: Block) -> bool {
        block.index() < self.blocks && !self.divergent.contains(block)
    }
}

struct Analysis<'f> {
    func: &'f Func,
    barriers: &'f Barriers,
    local_size: Option<[u32; 3]>,
    post: Postdominators,
    found: Uniformity,
    /// Blocks whose branch is known to vary.
    branches: EntitySet<Block>,
    /// A work-item may see what others have written since the last barrier.
    is_ordered: bool,
}

impl Analysis<'_> {
    /// Applies the rules to one block; true if that changed anything.
    fn visit(&mut self, block: Block) -> bool {
        let data = &self.func.blocks[block];
        let mut changed = false;
        for &inst in &data.insts {
            let inst = &self.func.insts[inst];
            let is_new = |v: Value| !self.found.varying.contains(v) && self.varies(inst);
            if let Some(result) = inst.result.filter(|&v| is_new(v)) {
                changed |= self.found.varying.insert(result);
            }
        }
        for target in data.term.targets() {
            for (&param, &arg) in self.func.blocks[target.block].params.iter().zip(&target.args) {
                changed |= self.found.varying.contains(arg) && self.found.varying.insert(param);
            }
        }
        let condition = match &data.term {
            Term::Br { cond, .. } => Some(*cond),
            Term::Switch { value, .. } => Some(*value),
            _ => None,
        };
        if condition.is_some_and(|c| self.found.varying.contains(c)) && self.branches.insert(block) {
            changed = true;
            self.diverge(block);
        }
        changed
    }

    fn varies(&self, inst: &InstData) -> bool {
        let operands = || inst.args.iter().any(|&a| self.found.varying.contains(a));
        match inst.op {
            Op::Lid | Op::Gid => !self.has_one_item(&inst.imm),
            Op::SlotAddr | Op::SgLid | Op::SgId | Op::SgSize => true,
            Op::WgScanInc | Op::WgScanExc => true,
            // The group's own result, whatever the operands.
            op if op.is_convergent() => false,
            Op::Load => {
                inst.attr.flags.contains(Flags::VOLATILE) || operands() || self.is_ordered && self.is_shared(inst)
            }
            op if op.is_pure() => operands(),
            _ => true,
        }
    }

    /// True for a dimension in which the group is known to have one work-item.
    fn has_one_item(&self, dim: &Imm) -> bool {
        matches!((self.local_size, dim), (Some(size), &Imm::Dim(d)) if size[usize::from(d)] == 1)
    }

    /// True for a load from memory that work-items may write.
    fn is_shared(&self, load: &InstData) -> bool {
        let constant = self.func.ty(load.args[0]) == Type::ptr(AddrSpace::Constant);
        !constant && !load.attr.flags.contains(Flags::INVARIANT)
    }

    /// What follows from a varying branch: parameters of the blocks about which it decides vary, and these blocks
    /// diverge.
    fn diverge(&mut self, branch: Block) {
        let meet = self.post.of(branch);
        let targets = self.func.blocks[branch].term.targets();
        let starts = targets.iter().map(|t| t.block);
        for block in reached(self.func, starts, |from, _| Some(from) != meet) {
            for &param in &self.func.blocks[block].params {
                self.found.varying.insert(param);
            }
            if Some(block) != meet {
                self.found.divergent.insert(block);
                if self.func.blocks[block].term.n_targets() == 0 || self.barriers.at(block).is_some() {
                    self.found.separating.insert(branch);
                }
            }
        }
    }
}
