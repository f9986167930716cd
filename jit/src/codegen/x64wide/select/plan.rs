//! What is not computed where it stands: loads that an instruction can take as its memory operand, and cheap ops that
//! are better done where they are used.

use super::fold::Folds;
use crate::ir::entity::Entity;
use crate::ir::op::{Effects, Flags};
use crate::ir::{Block, Func, Inst, Op, Value};
use crate::target::Target;

/// Facts about a function, made before selection.
pub(super) struct Plan {
    uses: Vec<u32>,
    dies: Vec<bool>,
    bases: Vec<bool>,
    late: Vec<bool>,
    preds: Vec<u32>,
    /// Ops that come into others' instructions.
    pub folds: Folds,
}

impl Plan {
    pub fn new(func: &Func, target: &Target) -> Self {
        let mut plan = Self {
            uses: vec![0; func.values.len()],
            dies: vec![false; func.values.len()],
            bases: vec![false; func.values.len()],
            late: vec![false; func.insts.len()],
            preds: vec![0; func.blocks.len()],
            folds: Folds::default(),
        };
        plan.find_bases(func);
        // The block of all uses; none if they are in several.
        let mut user: Vec<Option<Block>> = vec![None; func.values.len()];
        let mut several = vec![false; func.values.len()];
        for &block in &func.layout {
            let data = &func.blocks[block];
            let mut note = |v: Value| {
                plan.uses[v.index()] += 1;
                several[v.index()] |= user[v.index()].is_some_and(|b| b != block);
                user[v.index()] = Some(block);
            };
            data.insts.iter().flat_map(|&i| &func.insts[i].args).for_each(|&v| note(v));
            data.term.for_each_value(&mut note);
            data.term.for_each_target(|t| plan.preds[t.block.index()] += 1);
        }
        for (block, inst) in func.live_insts() {
            if let Some(result) = func.insts[inst].result {
                plan.dies[result.index()] = plan.uses[result.index()] == 1 && user[result.index()] == Some(block);
            }
        }
        for &block in &func.layout {
            plan.folds.note(func, block, target, |v| plan.dies[v.index()]);
        }
        // Place of the instruction that uses a value, for values used once; and where late instructions are done.
        let mut consumer = vec![usize::MAX; func.values.len()];
        for &block in &func.layout {
            let data = &func.blocks[block];
            let n = data.insts.len();
            for (at, &i) in data.insts.iter().enumerate() {
                func.insts[i].args.iter().for_each(|v| consumer[v.index()] = at);
            }
            data.term.for_each_value(|v| consumer[v.index()] = n);
            // For each place the next one that writes memory.
            let mut next_write = vec![n + 1; n + 1];
            for at in (0..n).rev() {
                next_write[at] = if writes(func, data.insts[at]) { at } else { next_write[at + 1] };
            }
            let mut done_at: Vec<usize> = (0..=n).collect();
            for at in (0..n).rev() {
                let inst = &func.insts[data.insts[at]];
                let Some(result) = inst.result else { continue };
                if user[result.index()] != Some(block) || several[result.index()] {
                    continue;
                }
                let once = plan.dies[result.index()];
                let place = consumer[result.index()];
                let is_late = match inst.op {
                    Op::Load if once && !inst.attr.flags.contains(Flags::VOLATILE) => {
                        // A write at the very place of use comes after the load.
                        done_at[place] != usize::MAX && next_write[at + 1] >= done_at[place]
                    }
                    Op::Icmp | Op::Fcmp if !func.ty(inst.args[0]).is_vector() => true,
                    Op::Fneg | Op::Fabs | Op::MaskAny | Op::MaskAll => true,
                    _ => plan.folds.takes(data.insts[at]),
                };
                if is_late {
                    plan.late[data.insts[at].index()] = true;
                    done_at[at] = if once { done_at[place] } else { usize::MAX };
                }
            }
        }
        for &block in &func.layout {
            for &inst in &func.blocks[block].insts {
                // A constant needs no place of its own.
                if matches!(func.insts[inst].op, Op::Const | Op::Undef) {
                    plan.late[inst.index()] = true;
                }
            }
        }
        plan
    }

    fn find_bases(&mut self, func: &Func) {
        let mut homes: Vec<Option<Block>> = vec![None; func.values.len()];
        for (block, inst) in func.live_insts() {
            if let Some(result) = func.insts[inst].result {
                homes[result.index()] = Some(block);
            }
        }
        for (block, inst) in func.live_insts().filter(|&(_, inst)| func.insts[inst].op == Op::PtrAdd) {
            let base = func.insts[inst].args[0];
            self.bases[base.index()] |= homes[base.index()].is_some_and(|home| home != block);
        }
    }

    /// True if a pointer is indexed in other blocks than its own: it had better be in one register, as they may be in
    /// loops.
    pub fn is_base(&self, v: Value) -> bool {
        self.bases[v.index()]
    }

    /// True if an instruction is done where its result is used.
    pub fn is_late(&self, inst: Inst) -> bool {
        self.late[inst.index()]
    }

    /// Number of uses of a value.
    pub fn uses(&self, v: Value) -> u32 {
        self.uses[v.index()]
    }

    /// True if a value's only use is in the block that computes it: an instruction may overwrite its register.
    pub fn dies(&self, v: Value) -> bool {
        self.dies[v.index()]
    }

    /// Number of edges into a block.
    pub fn preds(&self, block: Block) -> u32 {
        self.preds[block.index()]
    }
}

/// True if memory may be different after the instruction.
fn writes(func: &Func, inst: Inst) -> bool {
    func.insts[inst].op.row().effects.intersects(Effects::WRITES | Effects::ORDERED)
}
