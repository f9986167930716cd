//! Where debuggers find variables of the source: the addresses of those of the current work-item, and of local memory,
//! are in slots of the work-group function, which stay what they are from the first region to the last. Programs of
//! which debuggers know no variables have no such slots.

use super::assemble::GroupBuilder;
use super::geometry::ItemLoop;
use crate::ir::op::Flags;
use crate::ir::variable::Variable;
use crate::ir::{Attr, Slot, SlotId, Value};

impl GroupBuilder<'_> {
    /// Leaves the addresses of local variables.
    pub(super) fn tell_of_local_variables(&mut self) {
        let locals = self.locals;
        for (at, name, variable) in &locals.variables {
            let local = self.launch().local;
            let place = self.b.ptr_off(local, *at as i64);
            let slot = self.address_slot(name, variable);
            self.leave_address(slot, place);
        }
    }

    /// Leaves the addresses of a work-item's variables.
    pub(super) fn tell_of_variables(&mut self, items: &ItemLoop) {
        let old = self.old;
        for (slot, data) in old.slots.iter() {
            let Some(variable) = &data.variable else { continue };
            let place = self.slot_place(slot, items);
            let to = match self.variables.get(&slot) {
                Some(&to) => to,
                None => self.address_slot(&data.name, &Variable { stride: data.stride(), ..*variable.clone() }),
            };
            self.variables.insert(slot, to);
            self.leave_address(to, place);
        }
    }

    fn address_slot(&mut self, name: &str, variable: &Variable) -> SlotId {
        let variable = Some(Box::new(Variable { is_address: true, ..variable.clone() }));
        self.b.func.slots.push(Slot { variable, ..Slot::new(name.to_owned(), 8, 8) })
    }

    fn leave_address(&mut self, slot: SlotId, place: Value) {
        let (to, attr) = (self.b.slot_addr(slot), Attr { flags: Flags::VOLATILE, ..Attr::default() });
        self.b.store(to, place, attr);
    }
}
