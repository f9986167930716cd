//! Which values are the same for all work-items of a group that compute them (level G of the design: work-group-uniform).
//!
//! A value varies if it comes from the work-item's own ids, memory or atomics, if an operand varies, or, for a block
//! parameter, if a varying branch decides by which edge or how often the block is entered. A branch decides about the blocks
//! between it and its immediate postdominator, that one included. Plain loads from an address that does not vary are taken
//! to agree: if they did not, some work-item would write what another reads without a barrier between; but atomic operations
//! that order memory do that just as well. Must not know regions' code.

use super::cuts::Cut;
use super::live::ValueSet;
use crate::ir::cfg::Cfg;
use crate::ir::dom::Postdominators;
use crate::ir::entity::Entity;
use crate::ir::op::{Flags, Order};
use crate::ir::{Block, Func, InstData, Op, Term, Type, Value};
use crate::launch::AddrSpace;
use crate::pass::alias::is_pure_call;

/// What varies among the work-items of a group.
pub(super) struct Uniformity {
    /// The varying values.
    pub varying: ValueSet,
    /// Blocks that end in a varying branch by which work-items may part for different cuts, or some of them return.
    parts: Vec<bool>,
    /// Blocks that a varying branch decides about: some work-items may come there, others not, or not as often.
    apart: Vec<bool>,
}

impl Uniformity {
    /// Analyses a split kernel. One without cuts needs no answers.
    pub(super) fn new(func: &Func, cuts: &[Cut]) -> Self {
        let varying = ValueSet::new(func.values.len());
        if cuts.len() == 1 {
            return Self { varying, parts: Vec::new(), apart: Vec::new() };
        }
        let cfg = Cfg::new(func);
        let post = Postdominators::new(func, &cfg);
        let [divergent, parts, apart] = [0; 3].map(|_| vec![false; func.blocks.len()]);
        let is_ordering = |data: &InstData| match data.op {
            Op::AtomicLoad | Op::AtomicRmw | Op::AtomicCas => {
                !matches!(data.attr.order, Order::Relaxed | Order::Release)
            }
            // Who knows what a function does.
            Op::Call => !is_pure_call(data),
            op => op == Op::Fence,
        };
        let is_ordered = func.live_insts().any(|(_, inst)| is_ordering(&func.insts[inst]));
        let mut this = Analysis { func, cuts, post, varying, divergent, parts, apart, is_ordered };
        // Facts only grow, so that this ends; mostly after two or three rounds.
        while cfg.rpo().iter().filter(|&&block| this.visit(block)).count() > 0 {}
        Self { varying: this.varying, parts: this.parts, apart: this.apart }
    }

    /// True if all work-items that run a region leave it by the same exit.
    pub(super) fn leaves_together(&self, region: &[Block]) -> bool {
        !region.iter().any(|b| self.parts.get(b.index()).copied().unwrap_or(false))
    }

    /// True if all work-items execute a block equally often. Only for blocks that were analysed.
    pub(super) fn is_together(&self, block: Block) -> bool {
        !self.apart[block.index()]
    }
}

struct Analysis<'f> {
    func: &'f Func,
    cuts: &'f [Cut],
    post: Postdominators,
    varying: ValueSet,
    /// Blocks whose branch is known to vary.
    divergent: Vec<bool>,
    /// See `Uniformity`.
    parts: Vec<bool>,
    /// See `Uniformity`.
    apart: Vec<bool>,
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
            if let Some(result) = inst.result
                && !self.varying.contains(result)
                && self.varies(inst)
            {
                changed |= self.mark(result);
            }
        }
        for target in data.term.targets() {
            for (&param, &arg) in self.func.blocks[target.block].params.iter().zip(&target.args) {
                changed |= self.varying.contains(arg) && self.mark(param);
            }
        }
        let condition = match &data.term {
            Term::Br { cond, .. } => Some(*cond),
            Term::Switch { value, .. } => Some(*value),
            _ => None,
        };
        if condition.is_some_and(|c| self.varying.contains(c))
            && !std::mem::replace(&mut self.divergent[block.index()], true)
        {
            changed = true;
            self.diverge(block);
        }
        changed
    }

    fn mark(&mut self, v: Value) -> bool {
        let is_new = !self.varying.contains(v);
        self.varying.insert(v);
        is_new
    }

    fn varies(&self, inst: &InstData) -> bool {
        let operands = || inst.args.iter().any(|&a| self.varying.contains(a));
        match inst.op {
            Op::Lid | Op::Gid | Op::SlotAddr => true,
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

    /// True for a load from memory that work-items may write.
    fn is_shared(&self, load: &InstData) -> bool {
        let constant = self.func.ty(load.args[0]) == Type::ptr(AddrSpace::Constant);
        !constant && !load.attr.flags.contains(Flags::INVARIANT)
    }

    /// The parameters of all blocks about which a varying branch decides.
    fn diverge(&mut self, branch: Block) {
        let meet = self.post.of(branch);
        let mut seen = vec![false; self.func.blocks.len()];
        let mut work: Vec<Block> = self.func.blocks[branch].term.targets().iter().map(|t| t.block).collect();
        while let Some(block) = work.pop() {
            if std::mem::replace(&mut seen[block.index()], true) {
                continue;
            }
            for &param in &self.func.blocks[block].params {
                self.varying.insert(param);
            }
            if Some(block) != meet {
                self.apart[block.index()] = true;
                let targets = self.func.blocks[block].term.targets();
                self.parts[branch.index()] |= targets.is_empty() || self.cuts.iter().any(|cut| cut.block == block);
                work.extend(targets.iter().map(|t| t.block));
            }
        }
    }
}
