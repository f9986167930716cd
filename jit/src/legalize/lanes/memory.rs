//! Memory access of lanes: whole vectors, under a mask or not. Lanes with addresses of their own: `indexed`.
//!
//! A lane whose mask is not set must not touch its memory. Where the machine has no such access, that lane accesses a
//! dummy slot instead: no branch, no fault.

use super::{Made, each, width_of};
use crate::ir::{Attr, Block, Imm, InstData, Op, Scalar, Target, Term, Type, Value};
use crate::legalize::pieces::{Layout, Pieces};
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
    pub(super) fn load_vector(&self, inst: &InstData, result: Value) -> (Pieces, u8) {
        let ty = self.old.ty(result);
        let width = width_of(ty.elem);
        (self.load_parts(ty, self.scalar(inst.args[0]), inst.attr, width), width)
    }

    pub(super) fn load_masked(&self, inst: &InstData, result: Value) -> Made {
        let &[ptr, mask, other] = &inst.args[..] else { return None };
        if self.is_full(mask) {
            return Some(self.load_vector(inst, result));
        }
        let ty = self.old.ty(result);
        let width = width_of(ty.elem);
        let ptr = self.scalar(ptr);
        let (masks, others) = (self.parts(mask, width), self.parts(other, width));
        let part = self.layout(ty, width).part;
        if self.has_masked_access(ty) {
            let load = |(i, at): (usize, Value)| {
                self.out.typed(Op::LoadMasked, part, &[at, masks[i], others[i]], Imm::None, inst.attr)
            };
            return Some((self.places(ptr, ty).enumerate().map(load).collect(), width));
        }
        let all = self.all(mask);
        let bits = self.mask_bits(mask);
        let [whole, single, after] = self.fork(all);
        self.out.block.set(whole);
        let loaded = self.load_parts(ty, ptr, inst.attr, width);
        self.out.jump(after, &loaded);
        self.out.block.set(single);
        let lanes: Pieces = (0..ty.lanes)
            .map(|i| {
                let at = self.out.offset(ptr, u64::from(i) * u64::from(ty.elem.bytes()));
                let at = self.or_dummy(bits, i, at);
                self.out.typed(Op::Load, legal_lane(ty), &[at], Imm::None, one_lane(inst.attr))
            })
            .collect();
        let built = self.put_together(&lanes, ty, width);
        let parts = self.select_parts(&masks, &built, &others);
        self.out.jump(after, &parts);
        self.out.block.set(after);
        Some((each(&parts, |_| self.out.func_mut().add_param(after, part)), width))
    }

    /// Where the parts of a vector lie.
    fn places(&self, ptr: Value, ty: Type) -> impl Iterator<Item = Value> + '_ {
        let Layout { per, count, .. } = self.layout(ty, width_of(ty.elem));
        let step = per as u64 * u64::from(ty.elem.bytes());
        (0..count as u64).map(move |i| self.out.offset(ptr, i * step))
    }

    pub(super) fn store_masked(&self, inst: &InstData) -> bool {
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
            for (i, at) in self.places(ptr, ty).enumerate() {
                self.out.push(Op::StoreMasked, None, &[at, parts[i], masks[i]], Imm::None, inst.attr);
            }
            return true;
        }
        let all = self.all(mask);
        let bits = self.mask_bits(mask);
        let [whole, single, after] = self.fork(all);
        self.out.block.set(whole);
        self.store_parts(ty, ptr, &parts, inst.attr, width);
        self.out.jump(after, &[]);
        self.out.block.set(single);
        for i in 0..ty.lanes {
            let lane = self.stored_lane(ty, &parts, i);
            let at = self.out.offset(ptr, u64::from(i) * u64::from(ty.elem.bytes()));
            let at = self.or_dummy(bits, i, at);
            self.out.push(Op::Store, None, &[at, lane], Imm::None, one_lane(inst.attr));
        }
        self.out.jump(after, &[]);
        self.out.block.set(after);
        true
    }

    /// Lanes of whole registers are picked there; others come from memory.
    pub(super) fn permute(&self, inst: &InstData, result: Value) -> Made {
        let &[a, b, index] = &inst.args[..] else { return None };
        let ty = self.old.ty(result);
        let width = width_of(ty.elem);
        let layout = self.layout(ty, width);
        if a == b
            && let Some(picked) = self.permute_one(ty, a, index)
        {
            return Some((picked, width));
        }
        let (a, b) = (self.parts(a, width), self.parts(b, width));
        if layout.count == 1 && layout.part.lanes == ty.lanes && self.target.permutes(layout.part) {
            let args = [a[0], b[0], self.parts(index, width)[0]];
            let picked = self.out.typed(Op::Permute, layout.part, &args, Imm::None, inst.attr);
            return Some((Pieces::from_elem(picked, 1), width));
        }
        let bytes = u64::from(layout.part.bytes()) * layout.count as u64;
        let whole = u64::from(ty.bytes());
        // The lanes of the second vector follow those of the first; what is beyond them comes to lie behind.
        let slot = self.out.func_mut().add_slot(whole + bytes, 16);
        let table = self.out.slot_addr(slot);
        let behind = self.out.offset(table, whole);
        self.store_parts(ty, table, &a, inst.attr, width);
        self.store_parts(ty, behind, &b, inst.attr, width);
        let load = |i: Value| {
            let i = self.out.op2c(Op::And, self.out.resize(i, Scalar::I64, Op::Zext), 2 * u64::from(ty.lanes) - 1);
            let imm = Imm::Scale { scale: ty.elem.bytes(), disp: 0 };
            let at = self.out.emit(Op::PtrAdd, self.out.ty(table), &[table, i], imm);
            self.out.typed(Op::Load, legal_lane(ty), &[at], Imm::None, one_lane(inst.attr))
        };
        Some((self.put_together(&each(&self.lanes(index), load), ty, width), width))
    }

    /// True if the machine accesses whole parts of this type under a mask.
    pub(super) fn has_masked_access(&self, ty: Type) -> bool {
        self.target.accesses_under_masks(ty.elem.bits()) && self.is_whole(ty)
    }

    /// True if lanes fill their parts.
    pub(super) fn is_whole(&self, ty: Type) -> bool {
        usize::from(ty.lanes).is_multiple_of(self.layout(ty, width_of(ty.elem)).per)
    }

    /// A lane to be stored by itself: the first one of a register is a float there, the others are extracted as
    /// integers.
    pub(super) fn stored_lane(&self, ty: Type, parts: &[Value], lane: u8) -> Value {
        let per = self.layout(ty, width_of(ty.elem)).per;
        let (part, lane) = (parts[usize::from(lane) / per], usize::from(lane) % per);
        let elem = if lane == 0 { float_of(ty.elem) } else { ty.elem.as_int() };
        let part = self.out.bitcast(self.out.ty(part).with_elem(elem), part);
        self.part_lane(part, lane)
    }

    /// The address if bit `i` is set, else that of the dummy slot.
    pub(super) fn or_dummy(&self, bits: Value, i: u8, at: Value) -> Value {
        let slot = *self.dummy.get_or_init(|| self.out.func_mut().add_slot(16, 16));
        let dummy = self.out.convert(Op::AsCast, self.out.ty(at), self.out.slot_addr(slot));
        self.out.select(self.bit(bits, i), at, dummy)
    }

    /// Ends the block in a branch on `cond`: the blocks where it holds, where not, and the one that both lead to.
    fn fork(&self, cond: Value) -> [Block; 3] {
        let blocks = [(); 3].map(|()| self.out.func_mut().add_block());
        self.out.func_mut().layout.extend(blocks);
        self.out.end(Term::Br { cond, then: Target::plain(blocks[0]), els: Target::plain(blocks[1]) });
        blocks
    }
}
