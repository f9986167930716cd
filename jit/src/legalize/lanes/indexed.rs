//! Gathers and scatters: each lane at an address of its own.
//!
//! The machine's own have lanes of 32 and 64 bits with indices that are as wide, or, with mask registers, wider. Narrower lanes
//! are gathered as the words that they lie in, which no page border divides. `table` knows what goes
//! without. All else goes lane by lane.

use super::memory::{float_of, one_lane};
use super::width_of;
use crate::ir::{Attr, Imm, InstData, Op, Rounding, Scalar, Type, Value};
use crate::legalize::Legalizer;
use crate::legalize::pieces::Pieces;
use crate::pass::known::upper_bound;

impl Legalizer<'_> {
    /// True if the machine accesses each lane of whole parts of this type at its own address.
    fn has_indexed_access(&self, ty: Type) -> bool {
        ty.elem.bits() >= 32 && self.has_masked_access(ty)
    }

    pub(super) fn gather(&mut self, inst: &InstData) -> bool {
        let (Some(result), &[base, index, mask, other]) = (inst.result, &inst.args[..]) else { return false };
        if self.look_up(inst) {
            return true;
        }
        let ty = self.old.ty(result);
        let width = width_of(ty.elem);
        if self.has_indexed_access(ty)
            && let Some(index) = self.gather_indices(index, ty)
        {
            let base = self.scalar(base);
            let part = self.layout(ty, width).part;
            let (masks, others) = (self.parts(mask, width), self.parts(other, width));
            let parts: Pieces = (0..masks.len())
                .map(|i| {
                    let args = [base, index[i], masks[i], others[i]];
                    self.out.typed(Op::Gather, part, &args, inst.imm.clone(), inst.attr)
                })
                .collect();
            self.set_parts(result, &parts, width);
            return true;
        }
        if let Some(parts) = self.gather_far(inst, ty).or_else(|| self.gather_words(inst, ty)) {
            self.set_parts(result, &parts, width);
            return true;
        }
        let bits = self.bits_unless_full(mask);
        let base = self.scalar(base);
        let indices = self.lanes(index);
        // As floats where there are such: all loads come before the first insertion, and vector registers are the freer ones.
        let bits_ty = ty.with_elem(float_of(ty.elem));
        let lanes: Pieces = (0..ty.lanes)
            .map(|i| {
                let at = self.lane_address(inst, base, indices[usize::from(i)], bits, i);
                self.out.typed(Op::Load, bits_ty.lane(), &[at], Imm::None, one_lane(inst.attr))
            })
            .collect();
        let part = self.layout(ty, width).part;
        let built = self.put_together(&lanes, bits_ty, width);
        let mut parts: Pieces = built.iter().map(|&v| self.out.bitcast(part, v)).collect();
        if bits.is_some() {
            let (masks, others) = (self.parts(mask, width), self.parts(other, width));
            parts = (0..parts.len()).map(|i| self.select_part(masks[i], parts[i], others[i])).collect();
        }
        self.set_parts(result, &parts, width);
        true
    }

    pub(super) fn scatter(&mut self, inst: &InstData) -> bool {
        let [base, index, value, mask] = inst.args[..] else { return false };
        let ty = self.old.ty(value);
        let width = width_of(ty.elem);
        let base = self.scalar(base);
        if self.machine.scatter
            && self.has_indexed_access(ty)
            && let Some(index) = self.gather_indices(index, ty)
        {
            let (masks, parts) = (self.parts(mask, width), self.parts(value, width));
            for i in 0..parts.len() {
                let args = [base, index[i], parts[i], masks[i]];
                self.out.push(Op::Scatter, None, &args, inst.imm.clone(), inst.attr);
            }
            return true;
        }
        if self.machine.scatter
            && let Some((part, indices, masks)) = self.far_indices(ty, index, mask)
        {
            let parts = self.parts(value, width);
            for (i, (index, mask)) in indices.into_iter().zip(masks).enumerate() {
                let piece = self.piece(part, &parts, i);
                self.out.push(Op::Scatter, None, &[base, index, piece, mask], inst.imm.clone(), inst.attr);
            }
            return true;
        }
        let bits = self.bits_unless_full(mask);
        let indices = self.lanes(index);
        let parts = self.parts(value, width);
        for i in 0..ty.lanes {
            let at = self.lane_address(inst, base, indices[usize::from(i)], bits, i);
            let lane = self.stored_lane(ty, &parts, i);
            self.out.push(Op::Store, None, &[at, lane], Imm::None, one_lane(inst.attr));
        }
        true
    }

    /// For 32-bit elements at 64-bit indices: the type of what one register of indices reaches, the indices, their masks.
    fn far_indices(&mut self, ty: Type, index: Value, mask: Value) -> Option<(Type, Pieces, Pieces)> {
        let from = self.old.ty(index);
        let far = self.machine.masks && ty.elem.bits() == 32 && from.elem == Scalar::I64;
        if !far || !self.has_indexed_access(ty) {
            return None;
        }
        let per = self.layout(from, 64).per;
        let part = self.layout(ty, 32).part.with_lanes(per as u8);
        Some((part, self.parts(index, 64), self.parts(mask, 64)))
    }

    /// The piece of number `i` among those of type `part` that parts as large or larger consist of.
    fn piece(&mut self, part: Type, parts: &[Value], i: usize) -> Value {
        let (per, whole) = (usize::from(part.lanes), usize::from(self.out.ty(parts[0]).lanes));
        let (v, at) = (parts[i * per / whole], i * per % whole);
        if per == whole {
            return v;
        }
        if let Some(bits) = self.out.func.const_bits(v) {
            return self.out.bits(part, bits);
        }
        let picks: Vec<u8> = (at..at + per).map(|lane| lane as u8).collect();
        self.out.typed(Op::Shuffle, part, &[v, v], Imm::Lanes(picks.into()), Attr::default())
    }

    /// 32-bit elements at 64-bit indices.
    fn gather_far(&mut self, inst: &InstData, ty: Type) -> Option<Pieces> {
        let [base, index, mask, other] = inst.args[..] else { return None };
        let (part, indices, masks) = self.far_indices(ty, index, mask)?;
        let base = self.scalar(base);
        let others = self.parts(other, 32);
        let mut parts = Pieces::new();
        for (i, (index, mask)) in indices.into_iter().zip(masks).enumerate() {
            let other = self.piece(part, &others, i);
            parts.push(self.out.typed(Op::Gather, part, &[base, index, mask, other], inst.imm.clone(), inst.attr));
        }
        Some(self.join_all(ty, parts, usize::from(part.lanes)))
    }

    /// Narrow elements out of the aligned words that they lie in; the indices have 32 bits.
    fn gather_words(&mut self, inst: &InstData, ty: Type) -> Option<Pieces> {
        let [base, index, mask, other] = inst.args[..] else { return None };
        let Imm::Scale { scale, disp } = inst.imm else { return None };
        let bytes = ty.elem.bytes();
        let (from, words) = (self.old.ty(index), ty.with_elem(Scalar::I32));
        // No element lies in two words.
        let aligned = bytes == 1 || (inst.attr.align != 1 && scale.is_multiple_of(bytes) && disp % 2 == 0);
        let near = matches!(scale, 1 | 2) || (scale.is_multiple_of(4) && scale > 0);
        if bytes > 2 || from.elem != Scalar::I32 || !aligned || !near || !self.has_indexed_access(words) {
            return None;
        }
        let base = self.scalar(base);
        let (ptr, i64) = (self.out.ty(base), Type::I64);
        let at = self.out.typed(Op::PtrOff, ptr, &[base], Imm::Disp(disp), Attr::default());
        let at_bits = self.out.convert(Op::PtrToInt, i64, at);
        // Bytes of the first word that lie before it.
        let before = self.out.op2c(Op::And, at_bits, 3);
        let back = self.out.op1(Op::Neg, before);
        let first = Imm::Scale { scale: 1, disp: 0 };
        let word = self.out.typed(Op::PtrAdd, ptr, &[at, back], first, Attr::default());
        let before = self.out.convert(Op::Trunci, Type::I32, before);
        let part = self.layout(words, 32).part;
        let before = self.out.convert(Op::Splat, part, before);
        let (indices, masks) = (self.parts(index, 32), self.parts(mask, 32));
        let none = self.out.bits(part, 0);
        let is_small = upper_bound(self.old, index) < 1 << 29;
        let mut gathered = Pieces::new();
        for (&index, &mask) in indices.iter().zip(&masks) {
            let (index, step, byte) = if scale >= 4 {
                (index, scale, before)
            } else if is_small {
                let byte = if scale == 2 { self.out.op2c(Op::Shl, index, 1) } else { index };
                let byte = self.out.op2(Op::Add, byte, before);
                (self.out.op2c(Op::Lshr, byte, 2), 4, byte)
            } else {
                // Which word, without overflow, and which byte of it.
                let per = 2 / scale;
                let high = self.out.op2c(Op::Ashr, index, u64::from(per));
                let low = self.out.op2c(Op::And, index, u64::from(4 / scale - 1));
                let low = if scale == 2 { self.out.op2c(Op::Shl, low, 1) } else { low };
                let byte = self.out.op2(Op::Add, low, before);
                let more = self.out.op2c(Op::Lshr, byte, 2);
                (self.out.op2(Op::Add, high, more), 4, byte)
            };
            let imm = Imm::Scale { scale: step, disp: 0 };
            let word = self.out.typed(Op::Gather, part, &[word, index, mask, none], imm, Attr::default());
            let byte = self.out.op2c(Op::And, byte, 3);
            let bits = self.out.op2c(Op::Shl, byte, 3);
            gathered.push(self.out.op2(Op::Lshr, word, bits));
        }
        let narrow = if bytes == 1 { Scalar::I8 } else { Scalar::I16 };
        let mut parts = self.convert_pieces(Op::Trunci, words, narrow, Rounding::Rte, &gathered)?;
        if !self.is_full(mask) && self.old.const_bits(other) != Some(0) {
            let width = width_of(ty.elem);
            let (masks, others) = (self.parts(mask, width), self.parts(other, width));
            parts = (0..parts.len()).map(|i| self.select_part(masks[i], parts[i], others[i])).collect();
        }
        Some(parts)
    }

    /// Indices as wide as the elements, part by part.
    pub(super) fn gather_indices(&mut self, index: Value, ty: Type) -> Option<Pieces> {
        let from = self.old.ty(index);
        let parts = self.parts(index, width_of(from.elem));
        match (from.elem, ty.elem.bits()) {
            (Scalar::I32, 64) => self.convert_pieces(Op::Sext, from, Scalar::I64, crate::ir::Rounding::Rte, &parts),
            (elem, bits) if elem.bits() == bits => Some(parts),
            _ => None,
        }
    }

    fn bits_unless_full(&mut self, mask: Value) -> Option<Value> {
        if self.is_full(mask) { None } else { Some(self.mask_bits(mask)) }
    }

    /// Where lane `i` of a gather or scatter lies: `bits` has the mask unless all lanes are set.
    fn lane_address(&mut self, inst: &InstData, base: Value, index: Value, bits: Option<Value>, i: u8) -> Value {
        let index = self.out.resize(index, Scalar::I64, Op::Sext);
        let ty = self.out.ty(base);
        let at = self.out.typed(Op::PtrAdd, ty, &[base, index], inst.imm.clone(), Attr::default());
        match bits {
            Some(bits) => self.or_dummy(bits, i, at),
            None => at,
        }
    }
}
