//! Volatile private variables become ordinary ones, which nobody can tell apart: no other work-item and no device sees
//! private memory. So that `mem2reg` can make values of them:
//!
//! ```text
//! volatile int tid = get_local_id(0);  … tid … tid …   →   int tid = get_local_id(0);  …
//! ```
//! Programs write this to have less kept in registers. What they mean otherwise stays: a loop that writes such a
//! variable is there to take time, and volatile floats keep products and sums from being fused. Only variables whose
//! address goes nowhere else, and that debuggers are not told of. In front of inlining, which puts bodies into loops.
//! Linear.

use crate::analysis::slots::SlotPointers;
use crate::ir::dom::Loops;
use crate::ir::entity::Entity;
use crate::ir::op::Flags;
use crate::ir::{Func, Inst, InstData, Op, SlotId, Type};
use crate::launch::AddrSpace;
use rustc_hash::FxHashSet;

/// Runs the pass.
pub fn run(func: &mut Func) {
    if !func.live_insts().any(|(_, inst)| is_volatile(func, &func.insts[inst])) {
        return;
    }
    func.remove_unreachable();
    let (_, _, loops) = Loops::of_func(func);
    let in_loops: FxHashSet<Inst> =
        func.live_insts().filter(|&(block, _)| loops.of(block).is_some()).map(|(_, inst)| inst).collect();
    let mut accesses: Vec<(Inst, SlotId)> = Vec::new();
    let slots = SlotPointers::new(func, |inst, data, [place, _]| {
        let (Some((slot, _)), ty) = (place, data.result.or(data.args.get(1).copied()).map(|v| func.ty(v))) else {
            return false;
        };
        accesses.push((inst, slot));
        let is_plain = data.op == Op::Load || data.op == Op::Store && !in_loops.contains(&inst);
        is_plain && ty.is_some_and(|ty| !ty.is_float())
    });
    let is_hidden = |slot: SlotId| !slots.escaped[slot.index()] && func.slots[slot].variable.is_none();
    let hidden: Vec<Inst> = accesses.into_iter().filter(|&(_, slot)| is_hidden(slot)).map(|(inst, _)| inst).collect();
    for inst in hidden {
        func.insts[inst].attr.flags -= Flags::VOLATILE;
    }
}

fn is_volatile(func: &Func, data: &InstData) -> bool {
    let is_access = matches!(data.op, Op::Load | Op::Store) && data.attr.flags.contains(Flags::VOLATILE);
    is_access && func.ty(data.args[0]) == Type::ptr(AddrSpace::Private)
}
