//! Unroll-and-jam: a loop takes several turns at once, instruction by instruction, through the loops within it.

use crate::ir::cfg::Cfg;
use crate::ir::dom::Loop;
use crate::ir::op::Flags;
use crate::ir::{Attr, Block, Builder, Copies, Func, Inst, IntPred, Op, Term, Type, Value};
use rustc_hash::FxHashSet;

/// A closed loop that counts in constant steps, whose turns take the same way through its body and may be done in any
/// order.
pub struct Jam<'a> {
    /// The loop, with one latch.
    pub l: &'a Loop,
    /// The only parameter of its header.
    pub counter: Value,
    /// What it grows by.
    pub step: u64,
    /// As what kind of number it is exact: `NSW`, `NUW` or both.
    pub exact: Flags,
    /// Values that are not the same in all turns, the counter among them.
    pub varying: &'a FxHashSet<Value>,
}

impl Jam<'_> {
    /// Does `n` turns at once, a divisor of the `turns` that there are in all: from 0 up, where the latch compares the
    /// next count. `groups` are as for `interleave`.
    pub fn apply(
        &self,
        func: &mut Func,
        cfg: &Cfg,
        (n, turns): (u32, u64),
        groups: impl Fn(&Func, Block) -> Vec<Vec<Inst>>,
    ) {
        self.interleave(func, cfg, n, groups);
        let latch = self.l.latches[0];
        let mut b = Builder::new(func, latch);
        let by = b.bits(Type::I64, u64::from(n) * self.step);
        let bound = b.bits(Type::I64, turns * self.step);
        let next = b.op(Op::Add, &[self.counter, by]);
        let more = b.icmp(IntPred::ULt, next, bound);
        if let Term::Br { cond, then, .. } = &mut func.blocks[latch].term {
            *cond = more;
            then.args[0] = next;
        }
    }

    /// Has a turn do `n`, but for how the loop counts and when it ends. `groups` are the instructions of a block, in
    /// order, as they are to be copied together, all of a group varying or none.
    pub fn interleave(&self, func: &mut Func, cfg: &Cfg, n: u32, groups: impl Fn(&Func, Block) -> Vec<Vec<Inst>>) {
        let mut blocks = self.l.blocks.clone();
        cfg.sort(&mut blocks);
        // What the values of the first turn are in the others.
        let mut copies = vec![Copies::default(); n as usize - 1];
        for &block in &blocks {
            for v in func.blocks[block].params.clone().into_iter().filter(|v| self.is_own(*v)) {
                for copy in &mut copies {
                    let ty = func.ty(v);
                    copy.set(v, func.add_param(block, ty));
                }
            }
        }
        for &block in &blocks {
            let groups = groups(func, block);
            func.blocks[block].insts.clear();
            let mut b = Builder::new(func, block);
            if block == self.l.header {
                for (by, copy) in (1..).zip(&mut copies) {
                    let by = b.bits(b.func.ty(self.counter), by * self.step);
                    let exact = Attr { flags: self.exact, ..Attr::default() };
                    copy.set(self.counter, b.op_attr(Op::Add, &[self.counter, by], exact));
                }
            }
            for group in groups {
                group.iter().for_each(|&inst| b.place(inst));
                if b.func.insts[group[0]].result.is_none_or(|v| self.varying.contains(&v)) {
                    copies.iter_mut().for_each(|copy| group.iter().for_each(|&inst| _ = copy.inst(&mut b, inst)));
                }
            }
        }
        blocks.iter().for_each(|&block| self.hand_over(func, block, &copies));
    }

    /// True for parameters of which each turn gets its own.
    fn is_own(&self, v: Value) -> bool {
        v != self.counter && self.varying.contains(&v)
    }

    /// Gives the parameters of the other turns their values. On the way out the last turn's are used, as they are where
    /// the latch tests.
    fn hand_over(&self, func: &mut Func, block: Block, copies: &[Copies]) {
        let mut term = func.blocks[block].term.clone();
        for target in term.targets_mut() {
            if !self.l.blocks.contains(&target.block) {
                target.args = copies.last().expect("more than one turn").values(&target.args);
                continue;
            }
            let params = func.blocks[target.block].params.iter().zip(&target.args);
            let first: Vec<Value> = params.filter(|&(&param, _)| self.is_own(param)).map(|(_, &v)| v).collect();
            // In the order in which the parameters were added.
            for v in first {
                target.args.extend(copies.iter().map(|copy| copy.value(v)));
            }
        }
        func.blocks[block].term = term;
    }
}
