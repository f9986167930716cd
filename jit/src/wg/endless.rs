//! Loops that never end get a way out that no launch takes: sub-groups are lanes, and those need loops over work-items
//! that every path through a kernel comes back to.

use crate::ir::cfg::Cfg;
use crate::ir::entity::Entity;
use crate::ir::{Block, Builder, Func, Imm, IntPred, Op, Target, Term, Type};

/// Gives every cycle from which no block that ends the function can be reached a branch to such a block.
pub(super) fn give_ends(func: &mut Func) {
    let cfg = Cfg::new(func);
    let mut ends = vec![false; func.blocks.len()];
    let mut work: Vec<Block> = Vec::new();
    work.extend(cfg.rpo().iter().copied().filter(|&block| func.blocks[block].term.targets().is_empty()));
    while let Some(block) = work.pop() {
        if !std::mem::replace(&mut ends[block.index()], true) {
            work.extend(cfg.preds(block));
        }
    }
    let mut place = vec![0; func.blocks.len()];
    cfg.rpo().iter().enumerate().for_each(|(n, block)| place[block.index()] = n);
    // Each path that does not end goes backwards somewhere.
    let is_back = |&block: &Block| cfg.preds(block).iter().any(|from| place[from.index()] >= place[block.index()]);
    let cycles: Vec<Block> = cfg.rpo().iter().copied().filter(|b| !ends[b.index()]).filter(is_back).collect();
    for block in cycles {
        let [rest, end] = [func.add_block(), func.add_block()];
        let at = func.layout.iter().position(|&b| b == block).expect("in the layout");
        func.layout.insert(at + 1, rest);
        func.layout.push(end);
        func.blocks[rest].insts = std::mem::take(&mut func.blocks[block].insts);
        func.blocks[rest].term = std::mem::replace(&mut func.blocks[block].term, Term::Unreachable);
        func.blocks[end].term = Term::Ret(None);
        let mut b = Builder::new(func, block);
        let groups = b.emit(Op::Ngrp, Type::I64, &[], Imm::Dim(0));
        let zero = b.bits(Type::I64, 0);
        let cond = b.icmp(IntPred::Eq, groups, zero);
        b.end(Term::Br { cond, then: Target::plain(end), els: Target::plain(rest) });
    }
}
