//! What debuggers are told of lanes (`ir::variable`): variables are arrays, of which each lane has an element, and
//! `__active` says which lanes do what stands at the current line. Only sub-groups of programs that keep their
//! variables come here in lanes, whose slots of addresses (`wg::variables`) hold lane 0's.

use super::item_loop::ItemLoop;
use super::widen::Widen;
use crate::ir::op::Flags;
use crate::ir::variable::{Encoding, Variable, VariableType};
use crate::ir::{Attr, Func, Imm, InstData, Op, Origin, Scalar, Slot, SlotId, Type};
use crate::launch::AddrSpace;
use std::sync::Arc;

/// What says which lanes are active.
const ACTIVE: &str = "__active";

/// The slot of a variable's address, if that is what is stored.
pub(super) fn told_of(func: &Func, data: &InstData) -> Option<SlotId> {
    let place = *data.args.first().filter(|_| data.op == Op::Store)?;
    let InstData { op: Op::SlotAddr, imm: Imm::Slot(slot), .. } = func.def_inst(place)? else { return None };
    func.slots[*slot].variable.as_ref().is_some_and(|variable| variable.is_address).then_some(*slot)
}

/// Where debuggers are to find which lanes of a loop are active, if they are told of its variables.
pub(super) fn slot_of_active(func: &mut Func, items: &ItemLoop, width: u8) -> Option<SlotId> {
    let declared = {
        let slot = func.data_of(&items.blocks).find_map(|data| told_of(func, data))?;
        func.slots[slot].variable.as_ref()?.declared
    };
    if let Some((slot, _)) = func.slots.iter().find(|(_, slot)| slot.variable.is_some() && slot.name == ACTIVE) {
        return Some(slot);
    }
    let ty = VariableType::Base { name: "bool".into(), encoding: Encoding::Boolean, size: 1 };
    let variable = Variable { lanes: width, stride: 1, ..Variable::new(Arc::new(ty), declared) };
    let slot = Slot::new(ACTIVE.to_owned(), width.into(), 1);
    Some(func.slots.push(Slot { variable: Some(Box::new(variable)), ..slot }))
}

impl Widen<'_> {
    /// Leaves the address of lane 0's variable, from which on there is one for each lane.
    pub(super) fn tell_of_variable(&mut self, slot: SlotId, store: &InstData) {
        if let Some(variable) = &mut self.func.slots[slot].variable {
            variable.lanes = self.width;
        }
        let place = self.one_of(store.args[1], 0);
        let to = self.emit(Op::SlotAddr, self.func.ty(store.args[0]), &[], Imm::Slot(slot));
        self.push(Op::Store, None, &[to, place], Imm::None, store.attr);
    }

    /// Leaves which lanes are active, in front of the block's first line.
    pub(super) fn tell_of_lanes(&mut self) {
        let Some(slot) = self.active else { return };
        self.origin = Origin::UNKNOWN;
        let ty = self.mask_type().with_elem(Scalar::I8);
        let lanes = match self.mask {
            Some(mask) => self.emit(Op::Zext, ty, &[mask], Imm::None),
            None => self.constant(ty, 1),
        };
        let to = self.emit(Op::SlotAddr, Type::ptr(AddrSpace::Private), &[], Imm::Slot(slot));
        let attr = Attr { flags: Flags::VOLATILE, ..Attr::default() };
        self.push(Op::Store, None, &[to, lanes], Imm::None, attr);
    }
}
