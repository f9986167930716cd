//! What tracked accesses (`crate::race`) are told of work-groups and work-items: where groups begin and work-items
//! meet, and which work-item it is. Must not know what is made of that.

use super::assemble::{GroupBuilder, slot_for};
use super::geometry::{GroupLoop, ItemLoop};
use crate::ir::{Attr, Func, Imm, Inst, Op, Type, Value};
use crate::launch::AddrSpace;
use crate::race::Meeting;

/// Memory regions of a barrier (`Imm::FenceFlags`).
const LOCAL: u8 = 1;
const GLOBAL: u8 = 2;

/// True if a kernel says what it accesses.
pub(super) fn is_tracked(kernel: &Func) -> bool {
    kernel.live_insts().any(|(_, inst)| matches!(kernel.insts[inst].op, Op::Track | Op::Meet))
}

impl GroupBuilder<'_> {
    /// The first thing that a group does.
    pub(super) fn begin_tracking(&mut self, groups: &GroupLoop) {
        if self.is_tracked {
            let number = self.read_slot(groups.g, Type::I64);
            self.push_meeting(Meeting::Group { order: self.loop_order.map(|d| d as u8) }, number);
        }
    }

    /// All work-items have come to a convergent instruction.
    pub(super) fn meet_at(&mut self, inst: Inst) {
        let data = &self.old.insts[inst];
        let meeting = match (data.op, &data.imm) {
            (Op::Barrier, Imm::FenceFlags(flags)) => {
                Meeting::Barrier { local: flags & LOCAL != 0, global: flags & GLOBAL != 0 }
            }
            // The group copies, and its work-items wait.
            (Op::AsyncCopy, _) => Meeting::Barrier { local: true, global: true },
            _ => return,
        };
        if self.is_tracked {
            let zero = self.b.i64(0);
            self.push_meeting(meeting, zero);
        }
    }

    fn push_meeting(&mut self, meeting: Meeting, number: Value) {
        let code = self.b.i64(meeting.to_bits() as i64);
        let [code, env, _] = self.meeting(code);
        self.b.push(Op::Meet, None, &[code, env, number], Imm::None, Attr::default());
    }

    /// The operands of `Op::Meet`.
    pub(super) fn meeting(&mut self, code: Value) -> [Value; 3] {
        [code, self.env(), self.b.i64(0)]
    }

    /// `Op::Track` of a work-item. What it stores goes to a slot, where the tracker finds it.
    pub(super) fn track(&mut self, args: &[Value], items: &ItemLoop) {
        let (ptr, code) = (args[0], args[1]);
        let private = Type::ptr(AddrSpace::Private);
        let value = match args.get(2) {
            Some(&value) => {
                let slot = slot_for(self.b.func, self.b.func.ty(value));
                self.write_slot(slot, value);
                self.b.slot_addr(slot)
            }
            None => self.b.bits(private, 0),
        };
        let (env, mask) = (self.env(), self.b.i64(1));
        self.b.push(Op::Track, None, &[ptr, env, mask, items.index, value, code], Imm::None, Attr::default());
    }
}
