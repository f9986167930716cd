//! Arithmetic conversions. Spec: OpenCL C, "Conversions and Type Casting"; cl_intel_bfloat16_conversions.

use super::Extras;
use super::emit::Emitter;
use crate::ir::{Attr, Flags, FloatPred, Imm, Op, Rounding, Scalar, Type, Value};

impl Emitter<'_> {
    /// Converts between arithmetic types with equal lane counts; signs are those of integers, first the operand's.
    /// `sat` clamps to an integer target's range.
    pub(crate) fn convert_lanes(&mut self, v: Value, dst: Type, signed: [bool; 2], sat: bool, rm: Rounding) -> Value {
        let src = self.func.ty(v);
        let attr = Attr { rm, ..Attr::default() };
        let [from_signed, to_signed] = signed;
        match (src.is_float(), dst.is_float()) {
            (false, false) => self.int_to_int(v, dst, from_signed, to_signed, sat),
            (false, true) => {
                let v = if src.elem.bits() == 1 {
                    self.emit(Op::Zext, Type::I32.with_lanes(src.lanes), &[v], Imm::None)
                } else {
                    v
                };
                let op = if from_signed { Op::Sitofp } else { Op::Uitofp };
                self.emit_attr(op, dst, &[v], Imm::None, attr)
            }
            (true, false) => {
                let op = if to_signed { Op::Fptosi } else { Op::Fptoui };
                let is_checked = !sat && self.out.extras.contains(Extras::RANGES);
                let flags = if is_checked { Flags::IN_RANGE } else { Flags::empty() };
                if sat || dst.elem.bits() >= 32 {
                    return self.emit_attr(op, dst, &[v], Imm::None, Attr { flags, ..attr });
                }
                if is_checked {
                    self.emit_attr(op, dst, &[v], Imm::None, Attr { flags, ..attr });
                }
                self.float_to_narrow(v, dst, rm)
            }
            (true, true) => match src.elem.bits().cmp(&dst.elem.bits()) {
                std::cmp::Ordering::Less => self.emit(Op::Fpext, dst, &[v], Imm::None),
                std::cmp::Ordering::Equal => v,
                std::cmp::Ordering::Greater => self.emit_attr(Op::Fptrunc, dst, &[v], Imm::None, attr),
            },
        }
    }

    /// To an integer of 8 or 16 bits as C compilers of this machine do it and as programs expect it, whose hosts often
    /// compute the same: what is out of range is that of an `int`, modulo 2 to the number of bits.
    pub(crate) fn float_to_narrow(&mut self, v: Value, dst: Type, rm: Rounding) -> Value {
        let int =
            self.emit_attr(Op::Fptosi, dst.with_elem(Scalar::I32), &[v], Imm::None, Attr { rm, ..Attr::default() });
        self.emit(Op::Trunci, dst, &[int], Imm::None)
    }

    fn int_to_int(&mut self, v: Value, dst: Type, from_signed: bool, to_signed: bool, sat: bool) -> Value {
        let src = self.func.ty(v);
        let v = if sat { self.clamp(v, dst, from_signed, to_signed) } else { v };
        match src.elem.bits().cmp(&dst.elem.bits()) {
            std::cmp::Ordering::Less if from_signed => self.emit(Op::Sext, dst, &[v], Imm::None),
            std::cmp::Ordering::Less => self.emit(Op::Zext, dst, &[v], Imm::None),
            std::cmp::Ordering::Equal => v,
            std::cmp::Ordering::Greater => self.emit(Op::Trunci, dst, &[v], Imm::None),
        }
    }

    /// Clamps a source value to the target's range, in the source type.
    fn clamp(&mut self, v: Value, dst: Type, from_signed: bool, to_signed: bool) -> Value {
        let src = self.func.ty(v);
        let (sb, db) = (src.elem.bits(), dst.elem.bits());
        let max_bits = |bits: u32, signed: bool| bits - u32::from(signed);
        let ones = |n: u32| if n >= 64 { u64::MAX } else { (1u64 << n) - 1 };
        let mut v = v;
        if from_signed && (!to_signed || db < sb) {
            // Lower bound: 0, or the target's minimum sign-extended to the source's width.
            let low = if to_signed { !ones(db - 1) & ones(sb) } else { 0 };
            let low = self.bits(src, low);
            v = self.same(Op::MaxS, &[v, low]);
        }
        if max_bits(db, to_signed) < max_bits(sb, from_signed) {
            let high = self.bits(src, ones(max_bits(db, to_signed)));
            v = self.same(if from_signed { Op::MinS } else { Op::MinU }, &[v, high]);
        }
        v
    }

    /// The `bfloat16` nearest to a `float`, ties to even, in integers of 16 bits: the upper half of the rounded bits.
    /// A NaN stays one and becomes quiet. (`vcvtneps2bf16` is no help: denormals are zeros to it.)
    pub(crate) fn bfloat16_of(&mut self, v: Value, to: Type) -> Value {
        let ty = to.with_elem(Scalar::I32);
        let bits = self.as_type(v, ty);
        let [half, one, below_half, quiet] = [16, 1, 0x7fff, 1 << 22].map(|number| self.bits(ty, number));
        let kept = self.same(Op::Lshr, &[bits, half]);
        let is_odd = self.same(Op::And, &[kept, one]);
        let sum = self.same(Op::Add, &[bits, below_half]);
        let rounded = self.same(Op::Add, &[sum, is_odd]);
        let nan = self.same(Op::Or, &[bits, quiet]);
        let is_nan = self.emit(Op::Fcmp, ty.with_elem(Scalar::I1), &[v, v], Imm::FloatPred(FloatPred::Uno));
        let bits = self.emit(Op::Select, ty, &[is_nan, nan, rounded], Imm::None);
        let upper = self.same(Op::Lshr, &[bits, half]);
        self.emit(Op::Trunci, to, &[upper], Imm::None)
    }

    /// The `float` with these upper bits.
    pub(crate) fn float_of_bfloat16(&mut self, v: Value, to: Type) -> Value {
        let ty = to.with_elem(Scalar::I32);
        let wide = self.emit(Op::Zext, ty, &[v], Imm::None);
        let half = self.bits(ty, 16);
        let bits = self.same(Op::Shl, &[wide, half]);
        self.as_type(bits, to)
    }
}
