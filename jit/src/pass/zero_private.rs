//! Fills every private variable with zeros where its function begins (`-clift-zero-private`), so that no kernel sees
//! what others left behind. For modules as lowered: variables are slots.

use crate::ir::entity::Entity;
use crate::ir::op::{Attr, Op};
use crate::ir::{Builder, Func, Imm, Module, SlotId, Type};

/// Runs the pass on a module's own functions.
pub fn run(module: &mut Module) {
    module.funcs.values_mut().filter(|func| func.has_body() && !func.is_builtin).for_each(fill);
}

fn fill(func: &mut Func) {
    let entry = func.entry();
    let mut b = Builder::at(func, entry, 0);
    for n in 0..b.func.slots.len() {
        let id: SlotId = Entity::from_index(n);
        let size = b.func.slots[id].size;
        let (slot, zero, count) = (b.slot_addr(id), b.bits(Type::I8, 0), b.bits(Type::I64, size));
        b.push(Op::Memset, None, &[slot, zero, count], Imm::None, Attr::default());
    }
}
