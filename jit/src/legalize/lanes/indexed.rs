//! Gathers and scatters: each lane at an address of its own.
//!
//! The machine's own have lanes of 32 and 64 bits with indices that are as wide, or, with mask registers, wider. Narrower lanes
//! are gathered as the words that they lie in, which no page border divides, or at least none that does not divide what
//! is asked for. `table` looks up what registers hold. All else goes lane by lane.

use super::memory::{float_of, one_lane};
use super::width_of;
use crate::ir::op::Flags;
use crate::ir::{Attr, Imm, InstData, Op, Rounding, Scalar, Type, Value};
use crate::legalize::Legalizer;
use crate::legalize::pieces::Pieces;
use crate::pass::known::upper_bound;

/// An index that counts bytes.
const BYTES: Imm = Imm::Scale { scale: 1, disp: 0 };

impl Legalizer<'_> {
    /// True if the machine accesses each lane of whole parts of this type at its own address.
    fn has_indexed_access(&self, ty: Type) -> bool {
        ty.elem.bits() >= 32 && self.has_masked_access(ty)
    }

    pub(super) fn gather(&mut self, inst: &InstData) -> bool {
        let (Some(result), &[base, index, mask, other]) = (inst.result, &inst.args[..]) else { return false };
        let three = inst.attr.flags.contains(Flags::THREE);
        if !three && self.look_up(inst) {
            return true;
        }
        let ty = self.old.ty(result);
        let width = width_of(ty.elem);
        if !three
            && self.has_indexed_access(ty)
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
        let gathered = match three {
            true => self.gather_three(inst, ty),
            false => self.gather_far(inst, ty).or_else(|| self.gather_words(inst, ty)),
        };
        if let Some(parts) = gathered {
            self.set_parts(result, &parts, width);
            return true;
        }
        let bits = self.bits_unless_full(mask);
        let base = self.scalar(base);
        let indices = self.lanes(index);
        // As floats where there are such: all loads come before the first insertion, and vector registers are the freer ones.
        let bits_ty = if three { ty } else { ty.with_elem(float_of(ty.elem)) };
        let lanes: Pieces = (0..ty.lanes)
            .map(|i| {
                let at = self.lane_address(inst, base, indices[usize::from(i)], bits, i);
                match three {
                    true => self.load_three(at, ty.elem, inst.attr),
                    false => self.out.typed(Op::Load, bits_ty.lane(), &[at], Imm::None, one_lane(inst.attr)),
                }
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
        let far = self.machine.masks && ty.elem.bits() == 32;
        if !far || !self.has_indexed_access(ty) {
            return None;
        }
        let wide = ty.with_elem(Scalar::I64);
        let part = self.layout(ty, 32).part.with_lanes(self.layout(wide, 64).per as u8);
        Some((part, self.gather_indices(index, wide)?, self.parts(mask, 64)))
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

    /// Narrow elements out of words that they lie in; the indices have 32 bits.
    fn gather_words(&mut self, inst: &InstData, ty: Type) -> Option<Pieces> {
        let [base, index, mask, _] = inst.args[..] else { return None };
        let Imm::Scale { scale, disp } = inst.imm else { return None };
        let bytes = ty.elem.bytes();
        let (from, words) = (self.old.ty(index), ty.with_elem(Scalar::I32));
        // No element lies in two aligned words; else it lies in the two bytes before the second and the two behind.
        let aligned = bytes == 1 || (inst.attr.align != 1 && scale.is_multiple_of(bytes) && disp % 2 == 0);
        let near = scale == 1 || scale == 2 && aligned || (scale.is_multiple_of(4) && scale > 0);
        if bytes > 2 || from.elem != Scalar::I32 || !near || !self.has_indexed_access(words) {
            return None;
        }
        // Bytes of the first word that lie before the element.
        let (mut word, mut before) = self.aligned_down(base, disp, 3);
        if !aligned && scale >= 4 {
            let over = self.halves_over(before);
            before = self.out.op2(Op::Sub, before, over);
            word = self.out.typed(Op::PtrAdd, self.out.ty(word), &[word, over], BYTES, Attr::default());
        }
        let before = self.out.convert(Op::Trunci, Type::I32, before);
        let part = self.layout(words, 32).part;
        let before = self.out.convert(Op::Splat, part, before);
        let (indices, masks) = (self.parts(index, 32), self.parts(mask, 32));
        let none = self.out.bits(part, 0);
        let is_small = upper_bound(self.old, index) < 1 << 29;
        let mut gathered = Pieces::new();
        for (&index, &mask) in indices.iter().zip(&masks) {
            let (mut index, mut step, mut byte) = if scale >= 4 {
                (index, scale, before)
            } else if is_small {
                let byte = if scale == 2 { self.out.op2c(Op::Shl, index, 1) } else { index };
                let byte = self.out.op2(Op::Add, byte, before);
                (self.out.op2c(Op::Lshr, byte, 2), 4, self.out.op2c(Op::And, byte, 3))
            } else {
                // Which word, without overflow, and which byte of it.
                let per = 2 / scale;
                let high = self.out.op2c(Op::Ashr, index, u64::from(per));
                let low = self.out.op2c(Op::And, index, u64::from(4 / scale - 1));
                let low = if scale == 2 { self.out.op2c(Op::Shl, low, 1) } else { low };
                let byte = self.out.op2(Op::Add, low, before);
                let more = self.out.op2c(Op::Lshr, byte, 2);
                (self.out.op2(Op::Add, high, more), 4, self.out.op2c(Op::And, byte, 3))
            };
            if !aligned && scale < 4 {
                let over = self.halves_over(byte);
                byte = self.out.op2(Op::Sub, byte, over);
                index = self.out.op2c(Op::Shl, index, 1);
                let half = self.out.op2c(Op::Lshr, over, 1);
                (index, step) = (self.out.op2(Op::Add, index, half), 2);
            }
            let imm = Imm::Scale { scale: step, disp: 0 };
            let word = self.out.typed(Op::Gather, part, &[word, index, mask, none], imm, Attr::default());
            let bits = self.out.op2c(Op::Shl, byte, 3);
            gathered.push(self.out.op2(Op::Lshr, word, bits));
        }
        let narrow = if bytes == 1 { Scalar::I8 } else { Scalar::I16 };
        let parts = self.convert_pieces(Op::Trunci, words, narrow, Rounding::Rte, &gathered)?;
        Some(self.others_where_unset(inst, parts))
    }

    /// A pointer and a displacement as an address of which the bits of a mask are not set, and, as `i64`, those that
    /// were.
    fn aligned_down(&mut self, base: Value, disp: i64, mask: u64) -> (Value, Value) {
        let base = self.scalar(base);
        let ptr = self.out.ty(base);
        let at = self.out.typed(Op::PtrOff, ptr, &[base], Imm::Disp(disp), Attr::default());
        let bits = self.out.convert(Op::PtrToInt, Type::I64, at);
        let before = self.out.op2c(Op::And, bits, mask);
        let back = self.out.op1(Op::Neg, before);
        (self.out.typed(Op::PtrAdd, ptr, &[at, back], BYTES, Attr::default()), before)
    }

    /// 2 for byte 3 of a word, where an element of two bytes is not in that word alone; 0 for the others.
    fn halves_over(&mut self, byte: Value) -> Value {
        let next = self.out.op2c(Op::Add, byte, 1);
        let over = self.out.op2c(Op::Lshr, next, 2);
        self.out.op2c(Op::Shl, over, 1)
    }

    /// What a gather gives, with its last operand's lanes where its mask is not set.
    fn others_where_unset(&mut self, inst: &InstData, parts: Pieces) -> Pieces {
        let [_, _, mask, other] = inst.args[..] else { return parts };
        if self.is_full(mask) || self.old.const_bits(other) == Some(0) {
            return parts;
        }
        let width = width_of(self.old.ty(other).elem);
        let (masks, others) = (self.parts(mask, width), self.parts(other, width));
        (0..parts.len()).map(|i| self.select_part(masks[i], parts[i], others[i])).collect()
    }

    /// Elements of which three quarters are asked for, out of words that start at multiples of half an element: what is
    /// accessed in addition is the other quarter of an aligned half.
    fn gather_three(&mut self, inst: &InstData, ty: Type) -> Option<Pieces> {
        let [base, index, mask, _] = inst.args[..] else { return None };
        let Imm::Scale { scale, disp } = inst.imm else { return None };
        let (from, quarter) = (self.old.ty(index), ty.elem.bytes() / 4);
        let near = from.elem == Scalar::I32 && ty.elem == Scalar::I32 && (scale == 1 || scale.is_multiple_of(2));
        if !self.has_indexed_access(ty) {
            return None;
        }
        let indices = match (near, ty.elem) {
            (true, _) => (self.layout(ty, 32).part, self.parts(index, 32), self.parts(mask, 32)),
            (_, Scalar::I32) => self.far_indices(ty, index, mask)?,
            _ => (self.layout(ty, 64).part, self.gather_indices(index, ty)?, self.parts(mask, 64)),
        };
        let (part, indices, masks) = indices;
        let (word, odd) = self.aligned_down(base, disp, quarter.into());
        let lane = if near { Type::I32 } else { Type::I64 };
        let odd = self.out.resize(odd, lane.elem, Op::Zext);
        let odd = self.out.convert(Op::Splat, self.out.ty(indices[0]), odd);
        let none = self.out.bits(part, 0);
        let (mut gathered, mut amounts) = (Pieces::new(), Pieces::new());
        for (&index, &mask) in indices.iter().zip(&masks) {
            let (index, step, quarters) = match (near, scale) {
                (true, 1) => {
                    // Which half, without overflow, and which quarter of it.
                    let low = self.out.op2c(Op::And, index, 1);
                    let more = self.out.op2(Op::And, low, odd);
                    let high = self.out.op2c(Op::Ashr, index, 1);
                    (self.out.op2(Op::Add, high, more), 2, self.out.op2(Op::Xor, low, odd))
                }
                (true, _) => (index, scale, odd),
                _ => {
                    let bytes = match scale {
                        1 => index,
                        _ if scale.is_power_of_two() => self.out.op2c(Op::Shl, index, scale.trailing_zeros().into()),
                        _ => {
                            let scale = self.out.like(index, scale.into());
                            self.int_part(Op::Mul, Scalar::I64, &[index, scale])?
                        }
                    };
                    let at = self.out.op2(Op::Add, bytes, odd);
                    let even = self.out.op2c(Op::And, at, !u64::from(quarter));
                    (even, 1, self.out.op2c(Op::And, at, quarter.into()))
                }
            };
            let imm = Imm::Scale { scale: step, disp: 0 };
            gathered.push(self.out.typed(Op::Gather, part, &[word, index, mask, none], imm, Attr::default()));
            amounts.push(self.out.op2c(Op::Shl, quarters, 3));
        }
        if !near && ty.elem == Scalar::I32 {
            let wide = ty.with_elem(Scalar::I64);
            amounts = self.convert_pieces(Op::Trunci, wide, Scalar::I32, Rounding::Rte, &amounts)?;
            gathered = self.join_all(ty, gathered, usize::from(part.lanes));
        }
        let shifted = gathered.iter().zip(&amounts).map(|(&v, &by)| self.out.op2(Op::Lshr, v, by)).collect();
        Some(self.others_where_unset(inst, shifted))
    }

    /// Three quarters of an element as a scalar.
    fn load_three(&mut self, at: Value, elem: Scalar, attr: Attr) -> Value {
        let (half, quarter) = if elem == Scalar::I32 { (Scalar::I16, Scalar::I8) } else { (Scalar::I32, Scalar::I16) };
        let low = self.out.typed(Op::Load, Type::scalar(half), &[at], Imm::None, one_lane(attr));
        let next = self.out.offset(at, half.bytes().into());
        let high = self.out.typed(Op::Load, Type::scalar(quarter), &[next], Imm::None, one_lane(attr));
        let [low, high] = [low, high].map(|v| self.out.convert(Op::Zext, Type::scalar(elem), v));
        let high = self.out.op2c(Op::Shl, high, half.bits().into());
        self.out.op2(Op::Or, low, high)
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
