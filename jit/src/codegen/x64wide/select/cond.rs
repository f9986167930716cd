//! Scalar comparisons: as flags for branches and conditional moves, as booleans in registers.

use super::value::{Source, len, op, wide};
use super::{Select, Val};
use crate::codegen::x64wide::code::{self, *};
use crate::codegen::x64wide::encode::Imm;
use crate::codegen::x64wide::mir::{Kind, MInst, Rm, S};
use crate::error::CodeError;
use crate::ir::entity::Entity;
use crate::ir::{self, FloatPred, InstData, IntPred, Op, Type, Value};
use regalloc2::VReg;

/// What of the flags makes a condition true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cond {
    One(Cc),
    Both(Cc, Cc),
    Either(Cc, Cc),
}

/// The condition of an integer comparison.
pub(super) fn int_cc(pred: IntPred) -> Cc {
    match pred {
        IntPred::Eq => Cc::E,
        IntPred::Ne => Cc::Ne,
        IntPred::SLt => Cc::L,
        IntPred::SLe => Cc::Le,
        IntPred::SGt => Cc::G,
        IntPred::SGe => Cc::Ge,
        IntPred::ULt => Cc::B,
        IntPred::ULe => Cc::Be,
        IntPred::UGt => Cc::A,
        IntPred::UGe => Cc::Ae,
    }
}

/// The predicate of `vcmp`, quiet.
pub(super) fn float_predicate(pred: FloatPred) -> i8 {
    match pred {
        FloatPred::OEq => 0,
        FloatPred::OLt => 17,
        FloatPred::OLe => 18,
        FloatPred::Uno => 3,
        FloatPred::UNe => 4,
        FloatPred::UGe => 21,
        FloatPred::UGt => 22,
        FloatPred::Ord => 7,
        FloatPred::UEq => 8,
        FloatPred::ULt => 25,
        FloatPred::ULe => 26,
        FloatPred::ONe => 12,
        FloatPred::OGe => 29,
        FloatPred::OGt => 30,
    }
}

/// The condition after `vucomi`, and whether its operands are to be swapped.
fn float_cond(pred: FloatPred) -> (Cond, bool) {
    use Cond::*;
    match pred {
        FloatPred::OEq => (Both(Cc::E, Cc::Np), false),
        FloatPred::UNe => (Either(Cc::Ne, Cc::P), false),
        FloatPred::OGt => (One(Cc::A), false),
        FloatPred::OGe => (One(Cc::Ae), false),
        FloatPred::OLt => (One(Cc::A), true),
        FloatPred::OLe => (One(Cc::Ae), true),
        FloatPred::ULt => (One(Cc::B), false),
        FloatPred::ULe => (One(Cc::Be), false),
        FloatPred::UGt => (One(Cc::B), true),
        FloatPred::UGe => (One(Cc::Be), true),
        FloatPred::UEq => (One(Cc::E), false),
        FloatPred::ONe => (One(Cc::Ne), false),
        FloatPred::Ord => (One(Cc::Np), false),
        FloatPred::Uno => (One(Cc::P), false),
    }
}

impl Select<'_> {
    /// Sets the flags for a scalar boolean; nothing but moves may come between this and the use of the flags.
    pub(super) fn condition(&mut self, v: Value) -> Result<Cond, CodeError> {
        let func = self.func;
        let late = matches!(self.vals[v.index()], Val::Later) && !self.made.contains_key(&v);
        match func.def_inst(v) {
            Some(inst) if late && matches!(inst.op, Op::Icmp | Op::Fcmp) => self.compare(inst),
            Some(inst) if late && inst.op == Op::MaskAny => self.any(inst, Cc::Ne),
            Some(inst) if late && inst.op == Op::MaskAll => self.all(inst),
            _ => {
                let reg = self.value(v);
                self.push(MInst { reg: S::Use(reg), rm: Rm::Reg(S::Use(reg)), size: 4, ..op(TEST) });
                Ok(Cond::One(Cc::Ne))
            }
        }
    }

    /// Emits a scalar comparison.
    fn compare(&mut self, inst: &InstData) -> Result<Cond, CodeError> {
        match inst.imm {
            ir::Imm::IntPred(pred) => Ok(Cond::One(self.compare_ints(pred, inst.args[0], inst.args[1]))),
            ir::Imm::FloatPred(pred) => {
                let (cond, swap) = float_cond(pred);
                let (a, b) = if swap { (inst.args[1], inst.args[0]) } else { (inst.args[0], inst.args[1]) };
                let first = self.value(a);
                let source = self.source(b, false);
                let code = VUCOMI[wide(self.func.ty(a).elem)];
                self.push(MInst { reg: S::Use(first), rm: source.rm, bytes: source.bytes, ..op(code) });
                Ok(cond)
            }
            _ => Err(self.unsupported(inst)),
        }
    }

    fn compare_ints(&mut self, pred: IntPred, a: Value, b: Value) -> Cc {
        let ty = self.func.ty(a);
        let size = ty.elem.bytes() as u8;
        if self.imm(a).is_some() && self.imm(b).is_none() {
            return self.compare_ints(pred.swapped(), b, a);
        }
        if let Some(imm) = self.imm(b) {
            if imm == 0
                && !matches!(pred, IntPred::ULt | IntPred::ULe | IntPred::UGt | IntPred::UGe)
                && !self.foldable(a)
            {
                let reg = self.value(a);
                self.push(MInst { reg: S::Use(reg), rm: Rm::Reg(S::Use(reg)), size, ..op(TEST) });
                return int_cc(pred);
            }
            let rm = self.int_source(a, size);
            self.compare_imm(rm, size, imm);
            return int_cc(pred);
        }
        if self.foldable(a) && !self.foldable(b) {
            return self.compare_ints(pred.swapped(), b, a);
        }
        let first = self.value(a);
        let rm = self.int_source(b, size);
        self.push(MInst { reg: S::Use(first), rm, size, ..op(CMP) });
        int_cc(pred)
    }

    fn compare_imm(&mut self, rm: Rm, size: u8, imm: i32) {
        let (code, imm) = alu_imm(7, size, imm);
        self.push(MInst { rm, size, imm, ..op(code) });
    }

    /// Compares a register with a constant of type `ty`.
    pub(super) fn compare_bits(&mut self, reg: VReg, ty: Type, bits: u64) {
        let size = ty.elem.bytes() as u8;
        let shift = 64 - ty.elem.bits();
        match i32::try_from((bits << shift) as i64 >> shift) {
            Ok(imm) => self.compare_imm(Rm::Reg(S::Use(reg)), size, imm),
            Err(_) => {
                let c = self.constant(ty, bits);
                self.push(MInst { reg: S::Use(reg), rm: Rm::Reg(S::Use(c)), size, ..op(CMP) });
            }
        }
    }

    /// A scalar comparison as a boolean.
    pub(super) fn set_bool(&mut self, inst: &InstData) -> Result<(), CodeError> {
        let reg = match inst.imm {
            ir::Imm::FloatPred(_) => {
                let mask = self.float_mask(inst);
                if self.has_evex() {
                    let to = self.new_gpr();
                    self.push(MInst { reg: S::Def(to), rm: Rm::Reg(S::Use(mask)), ..op(KMOV_OUT[2]) });
                    to
                } else {
                    let bits = self.gpr_from(mask, 4);
                    self.alu_with_imm(4, bits, 1, 4)
                }
            }
            _ => {
                let zero = self.constant(Type::I32, 0);
                let Cond::One(cc) = self.compare(inst)? else { return Err(self.unsupported(inst)) };
                self.set_cc(zero, cc)
            }
        };
        self.define_clean(inst, reg);
        Ok(())
    }

    /// The flags as 0 or 1; `zero` is a register with zero that was made before the flags.
    pub(super) fn set_cc(&mut self, zero: VReg, cc: Cc) -> VReg {
        let to = self.new_gpr();
        self.push(MInst { rm: Rm::Reg(S::Mod(zero, to)), size: 1, ..op(code::setcc(cc)) });
        to
    }

    /// A float comparison, scalar or vector, as a mask.
    pub(super) fn float_mask(&mut self, inst: &InstData) -> VReg {
        let ir::Imm::FloatPred(pred) = inst.imm else { unreachable!("comparisons have predicates") };
        let ty = self.func.ty(inst.args[0]);
        let first = self.value(inst.args[0]);
        let source = self.source(inst.args[1], true);
        self.compare_floats(float_predicate(pred), ty, first, source)
    }

    /// A comparison of floats of type `ty`, scalar or vector, as a mask.
    pub(super) fn compare_floats(&mut self, pred: i8, ty: Type, first: VReg, source: Source) -> VReg {
        let to = self.new_mask();
        let family = if self.has_evex() { VCMP } else { VCMP_VECTOR };
        self.push(MInst {
            reg: S::Def(to),
            v: S::Use(first),
            rm: source.rm,
            bcast: source.bcast,
            bytes: source.bytes,
            len: if ty.is_vector() { len(ty) } else { 0 },
            imm: Imm::I8(pred),
            ..op(family[wide(ty.elem) + if ty.is_vector() { 0 } else { 2 }])
        });
        to
    }

    /// A scalar boolean as a mask of lane 0, of type `ty`.
    pub(super) fn scalar_mask(&mut self, v: Value, ty: Type) -> VReg {
        let late = matches!(self.vals[v.index()], Val::Later) && !self.made.contains_key(&v);
        match self.func.def_inst(v) {
            Some(inst) if late && inst.op == Op::Fcmp => {
                let mask = self.float_mask(inst);
                // The sign of 64 bits is in the second word.
                let stretch = !self.has_evex() && self.func.ty(inst.args[0]).elem.bytes() < ty.elem.bytes();
                if stretch { self.vec_imm(VPSHUFD, Type::I32.with_lanes(4), mask, 0) } else { mask }
            }
            _ if !self.has_evex() => self.sign_from_bool(v),
            _ => {
                let reg = self.value(v);
                let to = self.new_mask();
                self.push(MInst { reg: S::Def(to), rm: Rm::Reg(S::Use(reg)), ..op(KMOV_IN[2]) });
                to
            }
        }
    }

    /// Scalar integers (and pointers and booleans) by conditional moves.
    pub(super) fn select_int(&mut self, inst: &InstData) -> Result<VReg, CodeError> {
        let [cond, a, b] = [0, 1, 2].map(|n| inst.args[n]);
        let size = self.size_of(a);
        let (then, els) = (self.value(a), self.value(b));
        let moves = match self.condition(cond)? {
            Cond::One(cc) => vec![(els, then, cc)],
            Cond::Both(x, y) => vec![(then, els, x.negate()), (then, els, y.negate())],
            Cond::Either(x, y) => vec![(els, then, x), (els, then, y)],
        };
        let mut at = moves[0].0;
        for (_, other, cc) in moves {
            let to = self.new_gpr();
            self.push(MInst { reg: S::Mod(at, to), rm: Rm::Reg(S::Use(other)), size, ..op(code::cmov(cc)) });
            at = to;
        }
        Ok(at)
    }

    /// A branch on the flags of a fresh pseudo instruction.
    pub(super) fn flags_of(&mut self, inst: MInst, cc: Cc) -> Cond {
        debug_assert!(matches!(inst.kind, Kind::Op(_)));
        self.push(inst);
        Cond::One(cc)
    }
}

/// An arithmetic instruction with an immediate, in the shortest form.
pub(super) fn alu_imm(digit: usize, size: u8, imm: i32) -> (crate::codegen::x64wide::encode::Code, Imm) {
    let code = ALU_IMM[digit];
    match (size, i8::try_from(imm)) {
        (1, _) => (code, Imm::I8(imm as i8)),
        // Opcode 83 sign-extends a byte.
        (_, Ok(short)) => (crate::codegen::x64wide::encode::Code { op: 0x83, byte: false, ..code }, Imm::I8(short)),
        (2, _) => (code, Imm::I16(imm as i16)),
        _ => (code, Imm::I32(imm)),
    }
}
