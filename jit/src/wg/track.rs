//! What tracked accesses (`crate::race`) are told of work-groups and work-items: where groups begin and work-items
//! meet, and which work-item it is. Must not know what is made of that.

use super::Kernel;
use super::assemble::{GroupBuilder, slot_for};
use super::geometry::{GroupLoop, ItemLoop};
use crate::ir::{Attr, FENCE_COPIES, Imm, Inst, IntPred, Op, SlotId, Type, Value};
use crate::launch::AddrSpace;
use crate::race::Meeting;

/// Memory regions of a barrier (`Imm::FenceFlags`).
const LOCAL: u8 = 1;
const GLOBAL: u8 = 2;

/// True if a kernel says what it accesses, or it is checked whether its copies are waited for.
pub(super) fn is_tracked(kernel: &Kernel) -> bool {
    let func = &kernel.func;
    func.live_insts().any(|(_, inst)| matches!(func.insts[inst].op, Op::Track | Op::Meet | Op::SgMeet))
        || checks_copies(kernel)
}

/// True if it is checked whether a kernel's copies are waited for.
pub(super) fn checks_copies(kernel: &Kernel) -> bool {
    let is_copy = |inst| kernel.func.insts[inst].op == Op::AsyncCopy;
    kernel.barriers.is_checked && kernel.func.live_insts().any(|(_, inst)| is_copy(inst))
}

impl GroupBuilder<'_> {
    /// The first thing that a group does.
    pub(super) fn begin_tracking(&mut self, groups: &GroupLoop) {
        if self.is_tracked || self.context.places.is_some() || !self.doubtful.is_empty() {
            let number = self.read_slot(groups.g, Type::I64);
            self.push_meeting(Meeting::Group { order: self.loop_order.map(|d| d as u8) }, [number; 2]);
        }
    }

    /// All work-items have come to a convergent instruction.
    pub(super) fn meet_at(&mut self, inst: Inst) {
        let data = &self.old.insts[inst];
        let meeting = match (data.op, &data.imm) {
            (Op::Barrier, Imm::FenceFlags(flags)) => {
                let is = |flag: u8| flags & flag != 0;
                Meeting::Barrier { local: is(LOCAL), global: is(GLOBAL), copies: is(FENCE_COPIES) }
            }
            // The group copies, and its work-items wait.
            (Op::AsyncCopy, _) => Meeting::Barrier { local: true, global: true, copies: false },
            _ => return,
        };
        if self.is_tracked {
            let zero = self.b.i64(0);
            self.push_meeting(meeting, [zero; 2]);
        }
    }

    /// What comes last in a group.
    pub(super) fn end_tracking(&mut self) {
        if self.checks_copies {
            let zero = self.b.i64(0);
            self.push_meeting(Meeting::End, [zero; 2]);
        }
    }

    /// The group copies at barrier `k`, with these operands of `Op::AsyncCopy`.
    pub(super) fn tell_of_copy(&mut self, k: usize, operands: &[Value]) {
        let &[dst, src, bytes, lines, dst_line, src_line, planes, _, _, event] = operands else { return };
        if !self.checks_copies || !self.old.met[k - 1].is_checked {
            return;
        }
        let [one, zero] = [1, 0].map(|n| self.b.i64(n));
        self.push_meeting(Meeting::Copy { site: k as u32 - 1 }, [event, zero]);
        let is_line = self.b.icmp(IntPred::Eq, lines, one);
        let is_plane = self.b.icmp(IntPred::Eq, planes, one);
        let all = self.b.op(Op::Mul, &[bytes, lines]);
        for (ptr, stride, writes) in [(dst, dst_line, true), (src, src_line, false)] {
            let is_dense = self.b.icmp(IntPred::Eq, stride, bytes);
            let is_whole = self.b.op(Op::Or, &[is_dense, is_line]);
            let is_whole = self.b.op(Op::And, &[is_whole, is_plane]);
            let count = self.b.op(Op::Select, &[is_whole, all, zero]);
            let address = self.b.convert(Op::PtrToInt, Type::I64, ptr);
            self.push_meeting(Meeting::CopySide { writes }, [address, count]);
        }
    }

    /// The group waits for copies, whose events work-items have left in slots.
    pub(super) fn tell_of_waits(&mut self, inst: Inst, slots: &[SlotId]) {
        if self.checks_copies {
            let zero = self.b.i64(0);
            for event in self.operands(inst, slots) {
                self.push_meeting(Meeting::Wait, [event, zero]);
            }
        }
    }

    pub(super) fn push_meeting(&mut self, meeting: Meeting, [number, more]: [Value; 2]) {
        let (code, env) = (self.b.i64(meeting.to_bits() as i64), self.env());
        self.b.push(Op::Meet, None, &[code, env, number, more], Imm::None, Attr::default());
    }

    /// The operands of `Op::Meet` of a work-item.
    pub(super) fn meeting(&mut self, code: Value, items: &ItemLoop) -> [Value; 4] {
        if self.b.func.const_bits(code) == Some(Meeting::Enqueue.to_bits()) {
            return [code, self.env(), items.index, self.b.i64(1)];
        }
        let zero = self.b.i64(0);
        [code, self.env(), zero, zero]
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
