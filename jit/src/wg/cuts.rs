//! Cuts: the places where all work-items of a group meet before any goes on.
//!
//! Every convergent instruction is one, save scans that a work-item reaches at most once between two cuts: the loop over
//! the work-items does those on its way (see `collective`).

use crate::ir::entity::Entity;
use crate::ir::{Block, Func, Inst, Op, Target, Term};
use rustc_hash::FxHashSet;

/// A cut. Number 0 is the entry; the others are convergent instructions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    /// The block that begins here.
    pub block: Block,
    /// The convergent instruction, first of `block`; `None` for the entry.
    pub inst: Option<Inst>,
}

/// Splits blocks so that each cut's instruction begins a block without parameters that has exactly one predecessor,
/// and gives the entry block no predecessor. Returns the cuts, the entry first.
pub(super) fn split(func: &mut Func) -> Vec<Cut> {
    isolate_entry(func);
    let wanted = cut_insts(func);
    let mut cuts = vec![Cut { block: func.entry(), inst: None }];
    let mut at = 0;
    while at < func.layout.len() {
        let block = func.layout[at];
        let found = func.blocks[block].insts.iter().position(|i| wanted.contains(i));
        // A block made below begins with its own convergent instruction: look behind it.
        let is_cut = cuts.last().is_some_and(|cut| cut.block == block && cut.inst.is_some());
        let next = match found {
            Some(0) if is_cut => func.blocks[block].insts[1..].iter().position(|i| wanted.contains(i)).map(|n| n + 1),
            other => other,
        };
        if let Some(n) = next {
            let rest = func.blocks[block].insts.split_off(n);
            let cut = func.add_block();
            let term = std::mem::replace(&mut func.blocks[block].term, Term::Jump(Target::plain(cut)));
            let inst = rest[0];
            func.blocks[cut].insts = rest;
            func.blocks[cut].term = term;
            func.layout.insert(at + 1, cut);
            cuts.push(Cut { block: cut, inst: Some(inst) });
        }
        at += 1;
    }
    cuts
}

/// The instructions that cut.
fn cut_insts(func: &Func) -> FxHashSet<Inst> {
    let mut cuts = FxHashSet::default();
    let mut scans = Vec::new();
    for &block in &func.layout {
        for (at, &inst) in func.blocks[block].insts.iter().enumerate() {
            match func.insts[inst].op {
                op if is_scan(op) => scans.push((block, at, inst)),
                op if op.is_convergent() => _ = cuts.insert(inst),
                _ => {}
            }
        }
    }
    for (block, at, inst) in scans {
        if comes_back(func, &cuts, block, at) {
            cuts.insert(inst);
        }
    }
    cuts
}

/// True if some way leads from an instruction back to it without a cut.
fn comes_back(func: &Func, cuts: &FxHashSet<Inst>, block: Block, at: usize) -> bool {
    let has_cut = |insts: &[Inst]| insts.iter().any(|i| cuts.contains(i));
    let insts = &func.blocks[block].insts;
    if has_cut(&insts[at..]) || has_cut(&insts[..at]) {
        return false;
    }
    let mut seen = vec![false; func.blocks.len()];
    let mut work = vec![block];
    while let Some(from) = work.pop() {
        for to in func.blocks[from].term.targets().iter().map(|t| t.block) {
            if to == block {
                return true;
            }
            if !std::mem::replace(&mut seen[to.index()], true) && !has_cut(&func.blocks[to].insts) {
                work.push(to);
            }
        }
    }
    false
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
