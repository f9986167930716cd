//! What is done with the bits of floats: what class of number one is, and singles that halves can hold; which types
//! conversions of `bfloat16` have. Spec: SPIR-V, "Relational and Logical Instructions", "OpQuantizeToF16";
//! SPV_INTEL_bfloat16_conversion; LLVM Language Reference, "llvm.is.fpclass".

use super::function::FuncCx;
use super::words::Inst;
use crate::ir::{FloatPred, Imm, IntPred, Op as Kir, Scalar, Type, Value};
use spirv::Op;

/// The bits of a float as an integer, and what integers of its width mean.
struct Bits {
    value: Value,
    /// Without the sign.
    size: Value,
    ty: Type,
    infinity: u64,
    least_normal: u64,
    /// The bit that tells quiet NaNs from signaling ones.
    quiet: u64,
}

/// The bits of the least single that is a normal half.
pub(super) const LEAST_NORMAL_HALF: u32 = (127 - 14) << 23;

impl FuncCx<'_> {
    fn bits_of(&mut self, v: Value) -> Result<Bits, String> {
        let of = self.e.func.ty(v);
        let (infinity, ones) = match of.elem {
            Scalar::F16 => (0x7c00, 0x7fff),
            Scalar::F32 => (0x7f80_0000, 0x7fff_ffff),
            Scalar::F64 => (0x7ff0_0000_0000_0000, u64::MAX >> 1),
            _ => return Err("a float is wanted".into()),
        };
        let ty = of.with_elem(of.elem.as_int());
        let value = self.e.as_type(v, ty);
        let ones = self.e.bits(ty, ones);
        let size = self.e.same(Kir::And, &[value, ones]);
        let least_normal = infinity & (!infinity + 1);
        Ok(Bits { value, size, ty, infinity, least_normal, quiet: least_normal >> 1 })
    }

    /// Compares an integer of the width of a float.
    fn compare_bits(&mut self, bits: &Bits, v: Value, pred: IntPred, with: u64) -> Value {
        let with = self.e.bits(bits.ty, with);
        self.e.emit(Kir::Icmp, bits.ty.with_elem(Scalar::I1), &[v, with], Imm::IntPred(pred))
    }

    /// Whether `from <= v < to`.
    fn is_within(&mut self, bits: &Bits, from: u64, to: u64) -> Value {
        let from_value = self.e.bits(bits.ty, from);
        let above = self.e.same(Kir::Sub, &[bits.size, from_value]);
        self.compare_bits(bits, above, IntPred::ULt, to - from)
    }

    /// What kind of float an operand is.
    pub(super) fn class(&mut self, op: Op, inst: &Inst, to: Type) -> Result<Value, String> {
        let v = self.operand(inst, 0)?;
        let ty = self.e.func.ty(v);
        if !ty.is_float() || to != ty.with_elem(Scalar::I1) {
            return Err("a float is wanted, and a boolean for each component".into());
        }
        if op == Op::IsNan {
            return Ok(self.e.emit(Kir::Fcmp, to, &[v, v], Imm::FloatPred(FloatPred::Uno)));
        }
        let bits = self.bits_of(v)?;
        Ok(match op {
            Op::SignBitSet => self.e.sign_mask(bits.value),
            Op::IsInf => self.compare_bits(&bits, bits.size, IntPred::Eq, bits.infinity),
            Op::IsFinite => self.compare_bits(&bits, bits.size, IntPred::ULt, bits.infinity),
            _ => self.is_within(&bits, bits.least_normal, bits.infinity),
        })
    }

    /// `llvm.is.fpclass`: whether a float is of one of the classes whose bits are set in an integer of 32 bits.
    pub(super) fn is_of_classes(&mut self, v: Value, classes: Value, to: Type) -> Result<Value, String> {
        let bits = self.bits_of(v)?;
        if to != bits.ty.with_elem(Scalar::I1) {
            return Err("a boolean for each component is wanted".into());
        }
        self.want(classes, Type::I32)?;
        let (infinity, normal) = (bits.infinity, bits.least_normal);
        let quiet = infinity + bits.quiet;
        // Sizes of the class, and its bits among the negative and the positive numbers.
        let ranges = [
            (infinity + 1, quiet, 0, 0),
            (quiet, quiet + bits.quiet, 1, 1),
            (infinity, infinity + 1, 2, 9),
            (normal, infinity, 3, 8),
            (1, normal, 4, 7),
            (0, 1, 5, 6),
        ];
        let sign = self.e.sign_mask(bits.value);
        let mut any = self.e.bits(to, 0);
        for (from, below, negative, positive) in ranges {
            let [negative, positive] = [negative, positive].map(|class: u32| {
                let class = self.e.bits(Type::I32, 1 << class);
                let asked = self.e.same(Kir::And, &[classes, class]);
                let asked = self.e.is_true(asked);
                if to.is_vector() { self.e.emit(Kir::Splat, to, &[asked], Imm::None) } else { asked }
            });
            let asked = self.e.emit(Kir::Select, to, &[sign, negative, positive], Imm::None);
            let is = self.is_within(&bits, from, below);
            let is = self.e.same(Kir::And, &[is, asked]);
            any = self.e.same(Kir::Or, &[any, is]);
        }
        Ok(any)
    }

    /// The single that is nearest among halves; what is too small for a normal half is zero.
    pub(super) fn quantized(&mut self, v: Value, to: Type) -> Result<Value, String> {
        self.want(v, to)?;
        if to.elem != Scalar::F32 {
            return Err("singles are quantized".into());
        }
        let bits = self.bits_of(v)?;
        let half = self.e.emit(Kir::Fptrunc, to.with_elem(Scalar::F16), &[v], Imm::None);
        let half = self.e.emit(Kir::Fpext, to, &[half], Imm::None);
        let sign = self.e.same(Kir::Xor, &[bits.value, bits.size]);
        let zero = self.e.as_type(sign, to);
        let is_small = self.compare_bits(&bits, bits.size, IntPred::ULt, LEAST_NORMAL_HALF.into());
        Ok(self.e.emit(Kir::Select, to, &[is_small, zero, half], Imm::None))
    }

    /// Whether these are singles, and as many integers that are such in 16 bits.
    pub(super) fn bfloat16_types(&self, [singles, ints]: [Type; 2]) -> Result<(), String> {
        match singles.elem == Scalar::F32 && ints == singles.with_elem(Scalar::I16) {
            true => Ok(()),
            false => Err("singles become integers of 16 bits, or those singles".into()),
        }
    }
}
