//! Fills every private variable with zeros where its function begins (`-clift-zero-private`), so that no kernel sees what
//! others left behind. For modules as lowered: variables are slots.

use crate::ir::entity::Entity;
use crate::ir::op::{Attr, Op};
use crate::ir::{Func, Imm, Module, SlotId, Type};
use crate::launch::AddrSpace;

/// Runs the pass on a module's own functions.
pub fn run(module: &mut Module) {
    module.funcs.values_mut().filter(|func| func.has_body() && !func.is_builtin).for_each(fill);
}

fn fill(func: &mut Func) {
    let span = crate::source::Span::DUMMY;
    let mut first = Vec::new();
    for n in 0..func.slots.len() {
        let id: SlotId = Entity::from_index(n);
        let size = func.slots[id].size;
        let mut add = |op, ty, args: &[_], imm| {
            let inst = func.make_inst(op, ty, args, imm, Attr::default(), span);
            first.push(inst);
            func.insts[inst].result
        };
        let Some(slot) = add(Op::SlotAddr, Some(Type::ptr(AddrSpace::Private)), &[], Imm::Slot(id)) else { continue };
        let Some(zero) = add(Op::Const, Some(Type::I8), &[], Imm::Bits(0)) else { continue };
        let Some(count) = add(Op::Const, Some(Type::I64), &[], Imm::Bits(size)) else { continue };
        add(Op::Memset, None, &[slot, zero, count], Imm::None);
    }
    let entry = func.entry();
    first.append(&mut func.blocks[entry].insts);
    func.blocks[entry].insts = first;
}
