//! Gathers and scatters: each lane at an address of its own.
//!
//! The machine's own have lanes of 32 and 64 bits with indices that are as wide, or, with mask registers, wider.
//! Narrower lanes are gathered as the words that they lie in, which no page border divides, or at least none that does
//! not divide what is asked for. `table` looks up what registers hold. All else goes lane by lane.

use super::memory::{float_of, one_lane};
use super::{Made, each, width_of};
use crate::analysis::range::upper_bound;
use crate::ir::op::Flags;
use crate::ir::{Attr, Imm, InstData, Op, Rounding, Scalar, Type, Value};
use crate::legalize::Legalizer;
use crate::legalize::expr::Expr;
use crate::legalize::pieces::Pieces;

impl Legalizer<'_> {
    /// True if the machine accesses each lane of whole parts of this type at its own address.
    fn has_indexed_access(&self, ty: Type) -> bool {
        self.target.gather && ty.elem.bits() >= 32 && self.is_whole(ty)
    }

    pub(super) fn gather(&self, inst: &InstData, result: Value) -> Made {
        let &[base, index, mask, other] = &inst.args[..] else { return None };
        let three = inst.attr.flags.contains(Flags::THREE);
        let ty = self.old.ty(result);
        let width = width_of(ty.elem);
        let gathered = match three {
            true => self.gather_three(inst, ty),
            false => self
                .look_up(inst, ty)
                .or_else(|| self.gather_near(inst, ty))
                .or_else(|| self.gather_far(inst, ty))
                .or_else(|| self.gather_words(inst, ty)),
        };
        if let Some(parts) = gathered {
            return Some((parts, width));
        }
        let bits = self.bits_unless_full(mask);
        let base = self.scalar(base);
        let indices = self.lanes(index);
        // As floats where there are such: all loads come before the first insertion, and vector registers are the freer
        // ones.
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
        let mut parts = each(&self.put_together(&lanes, bits_ty, width), |v| self.out.bitcast(part, v));
        if bits.is_some() {
            let (masks, others) = (self.parts(mask, width), self.parts(other, width));
            parts = self.select_parts(&masks, &parts, &others);
        }
        Some((parts, width))
    }

    /// At indices as wide as the elements.
    fn gather_near(&self, inst: &InstData, ty: Type) -> Option<Pieces> {
        let &[base, index, mask, other] = &inst.args[..] else { return None };
        if !self.has_indexed_access(ty) {
            return None;
        }
        let index = self.gather_indices(index, ty)?;
        let width = width_of(ty.elem);
        let (base, part) = (self.scalar(base), self.layout(ty, width).part);
        let (masks, others) = (self.parts(mask, width), self.parts(other, width));
        let gather = |i: usize| {
            let args = [base, index[i], masks[i], others[i]];
            self.out.typed(Op::Gather, part, &args, inst.imm.clone(), inst.attr)
        };
        Some((0..masks.len()).map(gather).collect())
    }

    pub(super) fn scatter(&self, inst: &InstData) -> bool {
        let [base, index, value, mask] = inst.args[..] else { return false };
        let ty = self.old.ty(value);
        let width = width_of(ty.elem);
        let base = self.scalar(base);
        if self.target.scatter
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
        if self.target.scatter
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

    /// For 32-bit elements at 64-bit indices: the type of what one register of indices reaches, the indices, their
    /// masks.
    fn far_indices(&self, ty: Type, index: Value, mask: Value) -> Option<(Type, Pieces, Pieces)> {
        let far = self.target.masks && ty.elem.bits() == 32;
        if !far || !self.has_indexed_access(ty) {
            return None;
        }
        let wide = ty.with_elem(Scalar::I64);
        let part = self.layout(ty, 32).part.with_lanes(self.layout(wide, 64).per as u8);
        Some((part, self.gather_indices(index, wide)?, self.parts(mask, 64)))
    }

    /// The piece of number `i` among those of type `part` that parts as large or larger consist of.
    fn piece(&self, part: Type, parts: &[Value], i: usize) -> Value {
        let (per, whole) = (usize::from(part.lanes), usize::from(self.out.ty(parts[0]).lanes));
        let (v, at) = (parts[i * per / whole], i * per % whole);
        if per == whole {
            return v;
        }
        match self.out.const_bits(v) {
            Some(bits) => self.out.bits(part, bits),
            None => self.out.shuffle(part, [v, v], at..at + per),
        }
    }

    /// 32-bit elements at 64-bit indices.
    fn gather_far(&self, inst: &InstData, ty: Type) -> Option<Pieces> {
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
    fn gather_words(&self, inst: &InstData, ty: Type) -> Option<Pieces> {
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
            let over = halves_over(before);
            before = before - over;
            word = word.plus_bytes(over);
        }
        let part = self.layout(words, 32).part;
        let before = before.convert(Op::Trunci, Type::I32).convert(Op::Splat, part);
        let (indices, masks) = (self.parts(index, 32), self.parts(mask, 32));
        let none = self.out.bits(part, 0);
        let is_small = upper_bound(self.old, index) < 1 << 29;
        let mut gathered = Pieces::new();
        for (&index, &mask) in indices.iter().zip(&masks) {
            let index = self.out.expr(index);
            let (mut index, mut step, mut byte) = if scale >= 4 {
                (index, scale, before)
            } else if is_small {
                let at = if scale == 2 { index << 1 } else { index };
                let byte = at + before;
                (byte.lshr(2), 4, byte & 3)
            } else {
                // Which word, without overflow, and which byte of it.
                let high = index.ashr(u64::from(2 / scale));
                let low = index & u64::from(4 / scale - 1);
                let low = if scale == 2 { low << 1 } else { low };
                let byte = low + before;
                (high + byte.lshr(2), 4, byte & 3)
            };
            if !aligned && scale < 4 {
                let over = halves_over(byte);
                byte = byte - over;
                (index, step) = ((index << 1) + over.lshr(1), 2);
            }
            let imm = Imm::Scale { scale: step, disp: 0 };
            let word = self.out.emit(Op::Gather, part, &[word.v, index.v, mask, none], imm);
            let bits = byte << 3;
            gathered.push(self.out.expr(word).lshr(bits).v);
        }
        let parts = self.convert_pieces(Op::Trunci, words, ty.elem.as_int(), Rounding::Rte, &gathered)?;
        Some(self.others_where_unset(inst, parts))
    }

    /// A pointer and a displacement as an address of which the bits of a mask are not set, and, as `i64`, those that
    /// were.
    fn aligned_down(&self, base: Value, disp: i64, mask: u64) -> (Expr<'_>, Expr<'_>) {
        let base = self.scalar(base);
        let at = self.out.expr(self.out.emit(Op::PtrOff, self.out.ty(base), &[base], Imm::Disp(disp)));
        let before = at.convert(Op::PtrToInt, Type::I64) & mask;
        (at.plus_bytes(-before), before)
    }

    /// What a gather gives, with its last operand's lanes where its mask is not set.
    fn others_where_unset(&self, inst: &InstData, parts: Pieces) -> Pieces {
        let [_, _, mask, other] = inst.args[..] else { return parts };
        if self.is_full(mask) || self.old.const_bits(other) == Some(0) {
            return parts;
        }
        let width = width_of(self.old.ty(other).elem);
        let (masks, others) = (self.parts(mask, width), self.parts(other, width));
        self.select_parts(&masks, &parts, &others)
    }

    /// Elements of which three quarters are asked for, out of words that start at multiples of half an element: what is
    /// accessed in addition is the other quarter of an aligned half.
    fn gather_three(&self, inst: &InstData, ty: Type) -> Option<Pieces> {
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
        let lane = if near { Scalar::I32 } else { Scalar::I64 };
        let odd = odd.resize(lane, Op::Zext).convert(Op::Splat, self.out.ty(indices[0]));
        let none = self.out.bits(part, 0);
        let (mut gathered, mut amounts) = (Pieces::new(), Pieces::new());
        for (&index, &mask) in indices.iter().zip(&masks) {
            let index = self.out.expr(index);
            let (index, step, quarters) = match (near, scale) {
                (true, 1) => {
                    // Which half, without overflow, and which quarter of it.
                    let low = index & 1;
                    let more = low & odd;
                    (index.ashr(1) + more, 2, low ^ odd)
                }
                (true, _) => (index, scale, odd),
                _ => {
                    let bytes = match scale {
                        1 => index,
                        _ if scale.is_power_of_two() => index << u64::from(scale.trailing_zeros()),
                        _ => {
                            let args = [index.v, index.like(scale.into()).v];
                            self.out.expr(self.int_part(Op::Mul, Scalar::I64, &args)?)
                        }
                    };
                    let at = bytes + odd;
                    (at & !u64::from(quarter), 1, at & u64::from(quarter))
                }
            };
            let imm = Imm::Scale { scale: step, disp: 0 };
            gathered.push(self.out.emit(Op::Gather, part, &[word.v, index.v, mask, none], imm));
            amounts.push((quarters << 3).v);
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
    fn load_three(&self, at: Value, elem: Scalar, attr: Attr) -> Value {
        let (half, quarter) = if elem == Scalar::I32 { (Scalar::I16, Scalar::I8) } else { (Scalar::I32, Scalar::I16) };
        let load =
            |elem: Scalar, at: Value| self.out.typed(Op::Load, Type::scalar(elem), &[at], Imm::None, one_lane(attr));
        let low = load(half, at);
        let high = load(quarter, self.out.offset(at, half.bytes().into()));
        let [low, high] = [low, high].map(|v| self.out.expr(v).convert(Op::Zext, Type::scalar(elem)));
        let high = high << u64::from(half.bits());
        (low | high).v
    }

    /// Indices as wide as the elements, part by part.
    pub(super) fn gather_indices(&self, index: Value, ty: Type) -> Option<Pieces> {
        let from = self.old.ty(index);
        let parts = self.parts(index, width_of(from.elem));
        match (from.elem, ty.elem.bits()) {
            (Scalar::I32, 64) => self.convert_pieces(Op::Sext, from, Scalar::I64, Rounding::Rte, &parts),
            (elem, bits) if elem.bits() == bits => Some(parts),
            _ => None,
        }
    }

    fn bits_unless_full(&self, mask: Value) -> Option<Value> {
        if self.is_full(mask) { None } else { Some(self.mask_bits(mask)) }
    }

    /// Where lane `i` of a gather or scatter lies: `bits` has the mask unless all lanes are set.
    fn lane_address(&self, inst: &InstData, base: Value, index: Value, bits: Option<Value>, i: u8) -> Value {
        let index = self.out.resize(index, Scalar::I64, Op::Sext);
        let at = self.out.emit(Op::PtrAdd, self.out.ty(base), &[base, index], inst.imm.clone());
        bits.map_or(at, |bits| self.or_dummy(bits, i, at))
    }
}

impl<'o> Expr<'o> {
    /// A pointer so many bytes further.
    fn plus_bytes(self, by: Expr<'o>) -> Expr<'o> {
        let imm = Imm::Scale { scale: 1, disp: 0 };
        self.out.expr(self.out.emit(Op::PtrAdd, self.ty(), &[self.v, by.v], imm))
    }
}

/// 2 for byte 3 of a word, where an element of two bytes is not in that word alone; 0 for the others.
fn halves_over(byte: Expr<'_>) -> Expr<'_> {
    (byte + 1).lshr(2) << 1
}
