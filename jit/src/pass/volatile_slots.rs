//! Volatile private variables become ordinary ones, which nobody can tell apart: no other work-item and no device sees
//! private memory. So that `mem2reg` can make values of them:
//!
//! ```text
//! volatile int tid = get_local_id(0);  … tid … tid …   →   int tid = get_local_id(0);  …
//! ```
//! Programs write this to have less kept in registers. What they mean otherwise stays: a loop that writes such a
//! variable is there to take time, and volatile floats keep products and sums from being fused. Only variables whose
//! address goes nowhere else. In front of inlining, which puts bodies into loops. Linear.

use crate::ir::dom::Loops;
use crate::ir::entity::Entity;
use crate::ir::op::Flags;
use crate::ir::{Func, Imm, Inst, InstData, Op, SlotId, Type, Value};
use crate::launch::AddrSpace;
use rustc_hash::FxHashMap;

/// Runs the pass.
pub fn run(func: &mut Func) {
    if !func.live_insts().any(|(_, inst)| is_volatile(func, &func.insts[inst])) {
        return;
    }
    func.remove_unreachable();
    let (_, _, loops) = Loops::of_func(func);
    let mut pointers: FxHashMap<Value, SlotId> = FxHashMap::default();
    let mut stays = vec![false; func.slots.len()];
    let mut accesses: Vec<(Inst, SlotId)> = Vec::new();
    for &block in &func.layout {
        for &inst in &func.blocks[block].insts {
            let data = &func.insts[inst];
            let slots =
                |args: &[Value]| -> Vec<SlotId> { args.iter().filter_map(|v| pointers.get(v).copied()).collect() };
            let first = data.args.first().and_then(|v| pointers.get(v).copied());
            let is_float = |v: Option<Value>| v.is_some_and(|v| func.ty(v).is_float());
            match (data.op, &data.imm, first) {
                (Op::SlotAddr, Imm::Slot(slot), _) => pointers.extend(data.result.map(|v| (v, *slot))),
                (Op::PtrOff | Op::PtrAdd, _, Some(slot)) => pointers.extend(data.result.map(|v| (v, slot))),
                (Op::Load, _, Some(slot)) => {
                    stays[slot.index()] |= is_float(data.result);
                    accesses.push((inst, slot));
                }
                (Op::Store, _, Some(slot)) => {
                    stays[slot.index()] |= is_float(Some(data.args[1])) || loops.of(block).is_some();
                    slots(&data.args[1..]).into_iter().for_each(|escaped| stays[escaped.index()] = true);
                    accesses.push((inst, slot));
                }
                _ => slots(&data.args).into_iter().for_each(|escaped| stays[escaped.index()] = true),
            }
        }
        func.blocks[block].term.for_each_value(|v| {
            if let Some(slot) = pointers.get(&v) {
                stays[slot.index()] = true;
            }
        });
    }
    for (inst, _) in accesses.into_iter().filter(|(_, slot)| !stays[slot.index()]) {
        func.insts[inst].attr.flags -= Flags::VOLATILE;
    }
}

fn is_volatile(func: &Func, data: &InstData) -> bool {
    let is_access = matches!(data.op, Op::Load | Op::Store) && data.attr.flags.contains(Flags::VOLATILE);
    is_access && func.ty(data.args[0]) == Type::ptr(AddrSpace::Private)
}
