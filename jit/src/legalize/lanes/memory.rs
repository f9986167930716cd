//! Memory access of lanes: whole vectors, under a mask or not. Lanes with addresses of their own: `indexed`.
//!
//! A lane whose mask is not set must not touch its memory. Where the machine has no such access, that lane accesses a dummy
//! slot instead: no branch, no fault.

use super::width_of;
use crate::ir::{Attr, Block, Imm, InstData, Op, Scalar, SlotId, Target, Term, Type, Value};
use crate::legalize::pieces::Pieces;
use crate::legalize::{Legalizer, legal_lane};

/// Attributes of the scalar accesses that a vector's falls apart into.
pub(super) fn one_lane(attr: Attr) -> Attr {
    Attr { align: 0, ..attr }
}

/// The float kind of a width, or the integer one where Cranelift has no such float.
pub(super) fn float_of(elem: Scalar) -> Scalar {
    match elem.bits() {
        32 => Scalar::F32,
        64 => Scalar::F64,
        _ => elem.as_int(),
    }
}

impl Legalizer<'_> {
    pub(super) fn load_vector(&mut self, inst: &InstData) -> bool {
        let Some(result) = inst.result else { return false };
        let ty = self.old.ty(result);
        let width = width_of(ty.elem);
        let ptr = self.scalar(inst.args[0]);
        let parts = self.load_parts(ty, ptr, inst.attr, width);
        self.set_parts(result, &parts, width);
        true
    }

    pub(super) fn load_masked(&mut self, inst: &InstData) -> bool {
        let (Some(result), &[ptr, mask, other]) = (inst.result, &inst.args[..]) else { return false };
        let ty = self.old.ty(result);
        let width = width_of(ty.elem);
        let ptr = self.scalar(ptr);
        if self.is_full(mask) {
            let parts = self.load_parts(ty, ptr, inst.attr, width);
            self.set_parts(result, &parts, width);
            return true;
        }
        let (masks, others) = (self.parts(mask, width), self.parts(other, width));
        if self.has_masked_access(ty) {
            let layout = self.layout(ty, width);
            let step = layout.per as u64 * u64::from(ty.elem.bytes());
            let parts: Pieces = (0..layout.count)
                .map(|i| {
                    let at = self.out.offset(ptr, i as u64 * step);
                    self.out.typed(Op::LoadMasked, layout.part, &[at, masks[i], others[i]], Imm::None, inst.attr)
                })
                .collect();
            self.set_parts(result, &parts, width);
            return true;
        }
        let all = self.all(mask);
        let bits = self.mask_bits(mask);
        let [whole, single, after] = self.fork(all);
        self.out.block = whole;
        let loaded = self.load_parts(ty, ptr, inst.attr, width);
        self.leave(after, &loaded);
        self.out.block = single;
        let lanes: Pieces = (0..ty.lanes)
            .map(|i| {
                let at = self.out.offset(ptr, u64::from(i) * u64::from(ty.elem.bytes()));
                let at = self.or_dummy(bits, i, at);
                self.out.typed(Op::Load, legal_lane(ty), &[at], Imm::None, one_lane(inst.attr))
            })
            .collect();
        let built = self.put_together(&lanes, ty, width);
        let parts: Pieces = (0..built.len()).map(|i| self.select_part(masks[i], built[i], others[i])).collect();
        self.leave(after, &parts);
        self.out.block = after;
        let part = self.layout(ty, width).part;
        let joined: Pieces = parts.iter().map(|_| self.out.func.add_param(after, part)).collect();
        self.set_parts(result, &joined, width);
        true
    }

    pub(super) fn store_masked(&mut self, inst: &InstData) -> bool {
        let [ptr, value, mask] = inst.args[..] else { return false };
        let ty = self.old.ty(value);
        let width = width_of(ty.elem);
        let ptr = self.scalar(ptr);
        let parts = self.parts(value, width);
        if self.is_full(mask) {
            self.store_parts(ty, ptr, &parts, inst.attr, width);
            return true;
        }
        if self.has_masked_access(ty) {
            let masks = self.parts(mask, width);
            let step = self.layout(ty, width).per as u64 * u64::from(ty.elem.bytes());
            for i in 0..parts.len() {
                let at = self.out.offset(ptr, i as u64 * step);
                self.out.push(Op::StoreMasked, None, &[at, parts[i], masks[i]], Imm::None, inst.attr);
            }
            return true;
        }
        let all = self.all(mask);
        let bits = self.mask_bits(mask);
        let [whole, single, after] = self.fork(all);
        self.out.block = whole;
        self.store_parts(ty, ptr, &parts, inst.attr, width);
        self.leave(after, &[]);
        self.out.block = single;
        for i in 0..ty.lanes {
            let lane = self.stored_lane(ty, &parts, i);
            let at = self.out.offset(ptr, u64::from(i) * u64::from(ty.elem.bytes()));
            let at = self.or_dummy(bits, i, at);
            self.out.push(Op::Store, None, &[at, lane], Imm::None, one_lane(inst.attr));
        }
        self.leave(after, &[]);
        self.out.block = after;
        true
    }

    /// Lanes of whole registers are picked there; others come from memory.
    pub(super) fn permute(&mut self, inst: &InstData) -> bool {
        let (Some(result), &[a, b, index]) = (inst.result, &inst.args[..]) else { return false };
        let ty = self.old.ty(result);
        let width = width_of(ty.elem);
        let layout = self.layout(ty, width);
        let (a, b) = (self.parts(a, width), self.parts(b, width));
        if layout.count == 1 && layout.part.lanes == ty.lanes && self.machine.permutes(layout.part) {
            let index = self.parts(index, width);
            let picked = self.out.typed(Op::Permute, layout.part, &[a[0], b[0], index[0]], Imm::None, inst.attr);
            self.set_parts(result, &[picked], width);
            return true;
        }
        let bytes = u64::from(layout.part.bytes()) * layout.count as u64;
        let whole = u64::from(ty.bytes());
        // The lanes of the second vector follow those of the first; what is beyond them comes to lie behind.
        let slot = crate::ir::Slot { size: whole + bytes, align: 16, name: String::new() };
        let slot = self.out.func.slots.push(slot);
        let table = self.out.slot_addr(slot);
        let behind = self.out.offset(table, whole);
        self.store_parts(ty, table, &a, inst.attr, width);
        self.store_parts(ty, behind, &b, inst.attr, width);
        let lanes: Pieces = self
            .lanes(index)
            .into_iter()
            .map(|i| {
                let i = self.out.resize(i, Scalar::I64, Op::Zext);
                let last = self.out.bits(Type::I64, 2 * u64::from(ty.lanes) - 1);
                let i = self.out.typed(Op::And, Type::I64, &[i, last], Imm::None, Attr::default());
                let imm = Imm::Scale { scale: ty.elem.bytes(), disp: 0 };
                let at = self.out.typed(Op::PtrAdd, self.out.ty(table), &[table, i], imm, Attr::default());
                self.out.typed(Op::Load, legal_lane(ty), &[at], Imm::None, one_lane(inst.attr))
            })
            .collect();
        let picked = self.put_together(&lanes, ty, width);
        self.set_parts(result, &picked, width);
        true
    }

    /// True if the machine accesses whole parts of this type under a mask; mask registers have a bit for each byte.
    pub(super) fn has_masked_access(&self, ty: Type) -> bool {
        let whole = usize::from(ty.lanes).is_multiple_of(self.layout(ty, width_of(ty.elem)).per);
        self.machine.masked_memory && (ty.elem.bits() >= 32 || self.machine.masks) && whole
    }

    /// A lane to be stored by itself: the first one of a register is a float there, the others are extracted as integers.
    pub(super) fn stored_lane(&mut self, ty: Type, parts: &[Value], lane: u8) -> Value {
        let per = self.layout(ty, width_of(ty.elem)).per;
        let (part, lane) = (parts[usize::from(lane) / per], usize::from(lane) % per);
        let elem = if lane == 0 { float_of(ty.elem) } else { ty.elem.as_int() };
        let part = self.out.bitcast(self.out.ty(part).with_elem(elem), part);
        self.part_lane(part, lane)
    }

    /// The address if bit `i` is set, else that of the dummy slot.
    pub(super) fn or_dummy(&mut self, bits: Value, i: u8, at: Value) -> Value {
        let slot = self.dummy_slot();
        let dummy = self.out.slot_addr(slot);
        let dummy = self.out.convert(Op::AsCast, self.out.ty(at), dummy);
        let is_set = self.bit(bits, i);
        self.out.select(is_set, at, dummy)
    }

    fn dummy_slot(&mut self) -> SlotId {
        *self.dummy.get_or_insert_with(|| {
            self.out.func.slots.push(crate::ir::Slot { size: 16, align: 16, name: String::new() })
        })
    }

    // ---- control flow

    /// Ends the block in a branch on `cond`: the blocks where it holds, where not, and the one that both lead to.
    fn fork(&mut self, cond: Value) -> [Block; 3] {
        let blocks = [(); 3].map(|()| {
            let block = self.out.func.add_block();
            self.out.func.layout.push(block);
            block
        });
        let term = Term::Br { cond, then: Target::plain(blocks[0]), els: Target::plain(blocks[1]) };
        let block = self.out.block;
        self.out.func.blocks[block].term = term;
        blocks
    }

    fn leave(&mut self, to: Block, args: &[Value]) {
        let block = self.out.block;
        self.out.func.blocks[block].term = Term::Jump(Target { block: to, args: args.iter().copied().collect() });
    }
}
