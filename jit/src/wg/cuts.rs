//! Cuts: the places where all work-items of a group meet.

use crate::ir::{Block, Func, Inst, Op, Target, Term};

/// A cut. Number 0 is the entry; the others are convergent instructions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    /// The block that begins here.
    pub block: Block,
    /// The convergent instruction, first of `block`; `None` for the entry.
    pub inst: Option<Inst>,
}

/// Splits blocks so that each convergent instruction begins a block without parameters that has exactly one predecessor,
/// and gives the entry block no predecessor. Returns the cuts, the entry first.
pub(super) fn split(func: &mut Func) -> Vec<Cut> {
    isolate_entry(func);
    let mut cuts = vec![Cut { block: func.entry(), inst: None }];
    let mut at = 0;
    while at < func.layout.len() {
        let block = func.layout[at];
        let found = func.blocks[block].insts.iter().position(|&i| func.insts[i].op.is_convergent());
        // A block made below begins with its own convergent instruction: look behind it.
        let is_cut = cuts.last().is_some_and(|cut| cut.block == block && cut.inst.is_some());
        let next = match found {
            Some(0) if is_cut => func.blocks[block].insts[1..]
                .iter()
                .position(|&i| func.insts[i].op.is_convergent())
                .map(|n| n + 1),
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

/// True if the cut leaves a value behind for each work-item alone (scans).
pub(super) fn result_per_item(op: Op) -> bool {
    matches!(op, Op::WgScanInc | Op::WgScanExc)
}
