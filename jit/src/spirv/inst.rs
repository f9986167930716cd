//! Instructions that compute: arithmetic, comparisons, conversions, composites. The table `SAME` has those that are one
//! operation of KIR; the rest is spelled out. Spec: SPIR-V, "Instructions".

use super::function::{Def, FuncCx};
use super::words::{Id, Inst};
use crate::ir::op::Rounding;
use crate::ir::{Attr, Flags, FloatPred, Imm, IntPred, Op as Kir, Scalar, Type, Value};
use spirv::{Decoration, Op};

/// Kinds of numbers that an operation takes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Takes {
    Ints,
    Floats,
    Bools,
}

/// Operations whose operands and result have one type.
const SAME: &[(Op, Kir, Takes)] = &[
    (Op::SNegate, Kir::Neg, Takes::Ints),
    (Op::IAdd, Kir::Add, Takes::Ints),
    (Op::ISub, Kir::Sub, Takes::Ints),
    (Op::IMul, Kir::Mul, Takes::Ints),
    (Op::UDiv, Kir::DivU, Takes::Ints),
    (Op::SDiv, Kir::DivS, Takes::Ints),
    (Op::UMod, Kir::RemU, Takes::Ints),
    (Op::SRem, Kir::RemS, Takes::Ints),
    (Op::Not, Kir::Not, Takes::Ints),
    (Op::BitwiseOr, Kir::Or, Takes::Ints),
    (Op::BitwiseXor, Kir::Xor, Takes::Ints),
    (Op::BitwiseAnd, Kir::And, Takes::Ints),
    (Op::BitReverse, Kir::Bitrev, Takes::Ints),
    (Op::UCountLeadingZerosINTEL, Kir::Clz, Takes::Ints),
    (Op::UCountTrailingZerosINTEL, Kir::Ctz, Takes::Ints),
    (Op::IAddSatINTEL, Kir::AddSatS, Takes::Ints),
    (Op::UAddSatINTEL, Kir::AddSatU, Takes::Ints),
    (Op::ISubSatINTEL, Kir::SubSatS, Takes::Ints),
    (Op::USubSatINTEL, Kir::SubSatU, Takes::Ints),
    (Op::IAverageINTEL, Kir::HaddS, Takes::Ints),
    (Op::UAverageINTEL, Kir::HaddU, Takes::Ints),
    (Op::IAverageRoundedINTEL, Kir::RhaddS, Takes::Ints),
    (Op::UAverageRoundedINTEL, Kir::RhaddU, Takes::Ints),
    (Op::LogicalOr, Kir::Or, Takes::Bools),
    (Op::LogicalAnd, Kir::And, Takes::Bools),
    (Op::LogicalNotEqual, Kir::Xor, Takes::Bools),
    (Op::LogicalNot, Kir::Not, Takes::Bools),
    (Op::FNegate, Kir::Fneg, Takes::Floats),
    (Op::FAdd, Kir::Fadd, Takes::Floats),
    (Op::FSub, Kir::Fsub, Takes::Floats),
    (Op::FMul, Kir::Fmul, Takes::Floats),
    (Op::FDiv, Kir::Fdiv, Takes::Floats),
    (Op::FRem, Kir::Frem, Takes::Floats),
    (Op::FmaKHR, Kir::Fma, Takes::Floats),
];

/// Comparisons of integers.
const ICMP: &[(Op, IntPred)] = &[
    (Op::IEqual, IntPred::Eq),
    (Op::INotEqual, IntPred::Ne),
    (Op::PtrEqual, IntPred::Eq),
    (Op::PtrNotEqual, IntPred::Ne),
    (Op::UGreaterThan, IntPred::UGt),
    (Op::SGreaterThan, IntPred::SGt),
    (Op::UGreaterThanEqual, IntPred::UGe),
    (Op::SGreaterThanEqual, IntPred::SGe),
    (Op::ULessThan, IntPred::ULt),
    (Op::SLessThan, IntPred::SLt),
    (Op::ULessThanEqual, IntPred::ULe),
    (Op::SLessThanEqual, IntPred::SLe),
];

/// Comparisons of floats.
const FCMP: &[(Op, FloatPred)] = &[
    (Op::FOrdEqual, FloatPred::OEq),
    (Op::FUnordEqual, FloatPred::UEq),
    (Op::FOrdNotEqual, FloatPred::ONe),
    (Op::FUnordNotEqual, FloatPred::UNe),
    (Op::FOrdLessThan, FloatPred::OLt),
    (Op::FUnordLessThan, FloatPred::ULt),
    (Op::FOrdGreaterThan, FloatPred::OGt),
    (Op::FUnordGreaterThan, FloatPred::UGt),
    (Op::FOrdLessThanEqual, FloatPred::OLe),
    (Op::FUnordLessThanEqual, FloatPred::ULe),
    (Op::FOrdGreaterThanEqual, FloatPred::OGe),
    (Op::FUnordGreaterThanEqual, FloatPred::UGe),
    (Op::LessOrGreater, FloatPred::ONe),
    (Op::Ordered, FloatPred::Ord),
    (Op::Unordered, FloatPred::Uno),
];

fn row<T: Copy>(table: &[(Op, T)], op: Op) -> Option<T> {
    table.iter().find(|row| row.0 == op).map(|row| row.1)
}

impl FuncCx<'_> {
    /// Translates an instruction of a body.
    pub(super) fn inst(&mut self, inst: &Inst) -> Result<(), String> {
        let op = inst.op().ok_or("unknown instruction")?;
        self.e.span = crate::source::Span { lo: inst.at as u32, hi: (inst.at + inst.words.len() + 1) as u32 };
        if let Some(done) = self.terminator(op, inst) {
            return done;
        }
        match op {
            Op::Phi | Op::Nop | Op::LoopMerge | Op::SelectionMerge | Op::LoopControlINTEL => Ok(()),
            Op::FunctionCall => self.call(inst),
            Op::AssumeTrueKHR => Ok(()),
            _ if self.memory_inst(op, inst)? => Ok(()),
            _ if self.atomic_effect(op, inst)? || self.group_effect(op, inst)? || self.image_effect(op, inst)? => {
                Ok(())
            }
            _ if self.pipe_effect(op, inst)? || self.device_effect(op, inst)? => Ok(()),
            _ => {
                let (ty, id) = (inst.word(0)?, inst.word(1)?);
                match self.result(op, inst, ty)? {
                    Some(def) => self.define(id, ty, def),
                    None => Ok(()),
                }
            }
        }
    }

    /// What an instruction gives; `None` if its type is void.
    fn result(&mut self, op: Op, inst: &Inst, ty: Id) -> Result<Option<Def>, String> {
        if let Some(done) = self.function_inst(op, inst, ty)? {
            return Ok(done);
        }
        if let Some(def) = self.composite(op, inst, ty)? {
            return Ok(Some(def));
        }
        if let Some(def) = self.atomic(op, inst, ty)? {
            return Ok(Some(def));
        }
        if let Some(def) = self.group(op, inst, ty)? {
            return Ok(Some(def));
        }
        if let Some(def) = self.pipe_result(op, inst, ty)? {
            return Ok(Some(def));
        }
        if let Some(def) = self.device_result(op, inst, ty)? {
            return Ok(Some(def));
        }
        if let Some(def) = self.image(op, inst, ty)? {
            return Ok(Some(def));
        }
        let to = self.kir(ty)?;
        if let Some(value) = self.arithmetic(op, inst, to)? {
            return Ok(Some(Def::Value(value)));
        }
        if let Some(value) = self.comparison(op, inst, to)? {
            return Ok(Some(Def::Value(value)));
        }
        if let Some(value) = self.conversion(op, inst, to)? {
            return Ok(Some(Def::Value(value)));
        }
        Err("this instruction is not supported".into())
    }

    /// Operand number `n` of an instruction with a result.
    pub(super) fn operand(&mut self, inst: &Inst, n: usize) -> Result<Value, String> {
        self.value(inst.word(n + 2)?)
    }

    /// How an instruction on floats rounds, and what it may do.
    fn float_attr(&self, id: Id, elem: Scalar) -> Attr {
        let n = match elem {
            Scalar::F16 => 0,
            Scalar::F32 => 1,
            _ => 2,
        };
        let rm = self.module.rounding(id).unwrap_or(self.float.rm[n]);
        let mut flags = self.float.flags;
        if let Some(&[mode, ..]) = self.module.decoration(id, Decoration::FPFastMathMode) {
            // Bits of FP Fast Math Mode: NotNaN 1, NotInf 2, NSZ 4, AllowRecip 8, Fast 16, AllowContract 0x10000.
            let fast = mode & 16 != 0;
            flags.set(Flags::NNAN, fast || mode & 3 == 3);
            flags.set(Flags::NSZ, fast || mode & 4 != 0);
            flags.set(Flags::ARCP, fast || mode & 8 != 0);
            // Modules without SPV_KHR_float_controls2 have no bit for it.
            let by_default = !self.module.has_float_controls2 && self.float.flags.contains(Flags::CONTRACT);
            let may_fuse = fast || mode & 0x1_0000 != 0 || by_default;
            flags.set(Flags::CONTRACT, may_fuse && crate::features::has_fast_fma());
        }
        if self.module.decoration(id, Decoration::NoContraction).is_some() {
            flags -= Flags::CONTRACT;
        }
        Attr { rm, flags, ..Attr::default() }
    }

    fn arithmetic(&mut self, op: Op, inst: &Inst, to: Type) -> Result<Option<Value>, String> {
        let id = inst.word(1)?;
        if let Some(&(_, kir, takes)) = SAME.iter().find(|row| row.0 == op) {
            let is_bool = to.elem == Scalar::I1;
            let fits = match takes {
                Takes::Ints => to.is_int() && !is_bool,
                Takes::Floats => to.is_float(),
                Takes::Bools => is_bool,
            };
            let mut args = Vec::with_capacity(3);
            for &arg in inst.rest(2) {
                args.push(self.value(arg)?);
            }
            if !fits || args.iter().any(|&v| self.e.func.ty(v) != to) {
                return Err("the operands do not have the type of the result".into());
            }
            let attr = match takes {
                Takes::Floats if kir != Kir::Fneg => self.float_attr(id, to.elem),
                Takes::Ints => self.wrap_attr(kir, id),
                _ => Attr::default(),
            };
            return Ok(Some(match (kir, &args[..]) {
                (Kir::Fdiv, &[a, b]) => self.e.divide(a, b, attr),
                _ => self.e.emit_attr(kir, to, &args, Imm::None, attr),
            }));
        }
        Ok(Some(match op {
            Op::ShiftRightLogical | Op::ShiftRightArithmetic | Op::ShiftLeftLogical => self.shift(op, inst, to)?,
            Op::SMod | Op::FMod => self.modulo(inst, to)?,
            Op::VectorTimesScalar => {
                let (v, s) = (self.operand(inst, 0)?, self.operand(inst, 1)?);
                self.want(s, to.lane())?;
                let s = self.e.emit(Kir::Splat, to, &[s], Imm::None);
                self.want(v, to)?;
                let attr = self.float_attr(id, to.elem);
                self.e.emit_attr(Kir::Fmul, to, &[v, s], Imm::None, attr)
            }
            Op::IMul32x16INTEL | Op::UMul32x16INTEL => {
                let (a, b) = (self.operand(inst, 0)?, self.operand(inst, 1)?);
                self.want(a, to)?;
                self.want(b, to.with_elem(Scalar::I16))?;
                let signed = op == Op::IMul32x16INTEL;
                let b = self.e.convert_lanes(b, to, [signed; 2], false, Rounding::Rte);
                self.e.same(Kir::Mul, &[a, b])
            }
            Op::BitCount => {
                let v = self.operand(inst, 0)?;
                let from = self.e.func.ty(v);
                if !from.is_int() || from.elem == Scalar::I1 || !to.is_int() || from.lanes != to.lanes {
                    return Err("bits of integers are counted".into());
                }
                let count = self.e.same(Kir::Popcnt, &[v]);
                self.e.convert_lanes(count, to, [false; 2], false, Rounding::Rte)
            }
            Op::ArithmeticFenceEXT => {
                let v = self.operand(inst, 0)?;
                self.want(v, to)?;
                if !to.is_float() {
                    return Err("floats are kept apart".into());
                }
                self.e.same(Kir::Apart, &[v])
            }
            Op::Dot => self.dot(inst, to)?,
            Op::Select => self.select(inst, to)?,
            Op::ExpectKHR | Op::CopyObject | Op::CopyLogical => self.operand(inst, 0)?,
            _ => return Ok(None),
        }))
    }

    /// Facts about sums that do not wrap.
    fn wrap_attr(&self, op: Kir, id: Id) -> Attr {
        let mut flags = Flags::empty();
        if matches!(op, Kir::Add | Kir::Sub | Kir::Mul) {
            flags.set(Flags::NSW, self.module.decoration(id, Decoration::NoSignedWrap).is_some());
            flags.set(Flags::NUW, self.module.decoration(id, Decoration::NoUnsignedWrap).is_some());
        }
        Attr { flags, ..Attr::default() }
    }

    /// That an operand has this type.
    pub(super) fn want(&self, v: Value, ty: Type) -> Result<(), String> {
        let found = self.e.func.ty(v);
        if found == ty { Ok(()) } else { Err(format!("an operand of type {found} where {ty} is wanted")) }
    }

    fn shift(&mut self, op: Op, inst: &Inst, to: Type) -> Result<Value, String> {
        let (v, by) = (self.operand(inst, 0)?, self.operand(inst, 1)?);
        self.want(v, to)?;
        let from = self.e.func.ty(by);
        if !from.is_int() || from.lanes != to.lanes || from.elem == Scalar::I1 {
            return Err("a shift by what is no such integer".into());
        }
        let by = self.e.convert_lanes(by, to, [false; 2], false, Rounding::Rte);
        let kir = match op {
            Op::ShiftRightLogical => Kir::Lshr,
            Op::ShiftRightArithmetic => Kir::Ashr,
            _ => Kir::Shl,
        };
        Ok(self.e.same(kir, &[v, by]))
    }

    /// A remainder with the sign of the divisor.
    fn modulo(&mut self, inst: &Inst, to: Type) -> Result<Value, String> {
        let (a, b) = (self.operand(inst, 0)?, self.operand(inst, 1)?);
        self.want(a, to)?;
        self.want(b, to)?;
        let mask = to.with_elem(Scalar::I1);
        let zero = self.e.bits(to, 0);
        let (rem, is_odd, sum) = if to.is_float() {
            let rem = self.e.same(Kir::Frem, &[a, b]);
            let attr = Attr { rm: self.float_attr(inst.word(1)?, to.elem).rm, ..Attr::default() };
            let sum = self.e.emit_attr(Kir::Fadd, to, &[rem, b], Imm::None, attr);
            let [x, y] = [rem, b].map(|v| self.e.emit(Kir::Fcmp, mask, &[v, zero], Imm::FloatPred(FloatPred::OLt)));
            let differ = self.e.same(Kir::Xor, &[x, y]);
            let some = self.e.emit(Kir::Fcmp, mask, &[rem, zero], Imm::FloatPred(FloatPred::ONe));
            (rem, self.e.same(Kir::And, &[differ, some]), sum)
        } else {
            let rem = self.e.same(Kir::RemS, &[a, b]);
            let sum = self.e.same(Kir::Add, &[rem, b]);
            let signs = self.e.same(Kir::Xor, &[rem, b]);
            let differ = self.e.sign_mask(signs);
            let some = self.e.emit(Kir::Icmp, mask, &[rem, zero], Imm::IntPred(IntPred::Ne));
            (rem, self.e.same(Kir::And, &[differ, some]), sum)
        };
        Ok(self.e.emit(Kir::Select, to, &[is_odd, sum, rem], Imm::None))
    }

    fn dot(&mut self, inst: &Inst, to: Type) -> Result<Value, String> {
        let (a, b) = (self.operand(inst, 0)?, self.operand(inst, 1)?);
        let ty = self.e.func.ty(a);
        self.want(b, ty)?;
        if !ty.is_float() || ty.lane() != to {
            return Err("a dot product of what are no such vectors".into());
        }
        let attr = self.float_attr(inst.word(1)?, to.elem);
        let products = self.e.emit_attr(Kir::Fmul, ty, &[a, b], Imm::None, attr);
        let mut sum = self.e.extract(products, 0);
        for lane in 1..ty.lanes {
            let next = self.e.extract(products, lane);
            sum = self.e.emit_attr(Kir::Fadd, to, &[sum, next], Imm::None, attr);
        }
        Ok(sum)
    }

    fn select(&mut self, inst: &Inst, to: Type) -> Result<Value, String> {
        let [c, a, b] = [0, 1, 2].map(|n| self.operand(inst, n));
        let (c, a, b) = (c?, a?, b?);
        self.want(a, to)?;
        self.want(b, to)?;
        let cond = self.e.func.ty(c);
        if cond.elem != Scalar::I1 || (cond.lanes != 1 && cond.lanes != to.lanes) {
            return Err("the condition is no boolean".into());
        }
        Ok(self.e.emit(Kir::Select, to, &[c, a, b], Imm::None))
    }

    fn comparison(&mut self, op: Op, inst: &Inst, to: Type) -> Result<Option<Value>, String> {
        let mut pair = || -> Result<(Value, Value, Type), String> {
            let (a, b) = (self.operand(inst, 0)?, self.operand(inst, 1)?);
            let ty = self.e.func.ty(a);
            if to != ty.with_elem(Scalar::I1) {
                return Err("the result is no boolean for each component".into());
            }
            Ok((a, b, ty))
        };
        if let Some(pred) = row(ICMP, op) {
            let (a, b, ty) = pair()?;
            if ty.is_float() || ty.elem == Scalar::I1 {
                return Err("integers are compared".into());
            }
            let b = self.cast(b, ty);
            self.want(b, ty)?;
            return Ok(Some(self.e.emit(Kir::Icmp, to, &[a, b], Imm::IntPred(pred))));
        }
        if let Some(pred) = row(FCMP, op) {
            let (a, b, ty) = pair()?;
            if !ty.is_float() {
                return Err("floats are compared".into());
            }
            self.want(b, ty)?;
            return Ok(Some(self.e.emit(Kir::Fcmp, to, &[a, b], Imm::FloatPred(pred))));
        }
        Ok(Some(match op {
            Op::LogicalEqual => {
                let (a, b, _) = pair()?;
                self.want(a, to)?;
                self.want(b, to)?;
                let differ = self.e.same(Kir::Xor, &[a, b]);
                self.e.same(Kir::Not, &[differ])
            }
            Op::Any | Op::All => {
                let v = self.operand(inst, 0)?;
                let ty = self.e.func.ty(v);
                if ty.elem != Scalar::I1 || !ty.is_vector() {
                    return Err("a vector of booleans is wanted".into());
                }
                let kir = if op == Op::Any { Kir::MaskAny } else { Kir::MaskAll };
                self.e.emit(kir, Type::I1, &[v], Imm::None)
            }
            Op::IsNan | Op::IsInf | Op::IsFinite | Op::IsNormal | Op::SignBitSet => self.class(op, inst, to)?,
            _ => return Ok(None),
        }))
    }

    fn conversion(&mut self, op: Op, inst: &Inst, to: Type) -> Result<Option<Value>, String> {
        let id = inst.word(1)?;
        let is_saturated = self.module.is_saturated(id);
        let (signed, from_float, to_float, saturates) = match op {
            Op::ConvertFToU => ([true, false], true, false, true),
            Op::ConvertFToS => ([true, true], true, false, true),
            Op::ConvertSToF => ([true, true], false, true, false),
            Op::ConvertUToF => ([false, true], false, true, false),
            Op::UConvert => ([false, false], false, false, is_saturated),
            Op::SConvert => ([true, true], false, false, is_saturated),
            Op::SatConvertSToU => ([true, false], false, false, true),
            Op::SatConvertUToS => ([false, true], false, false, true),
            Op::FConvert => ([true, true], true, true, false),
            Op::QuantizeToF16 => {
                let v = self.operand(inst, 0)?;
                return self.quantized(v, to).map(Some);
            }
            Op::ConvertFToBF16INTEL => {
                let v = self.operand(inst, 0)?;
                self.bfloat16_types([self.e.func.ty(v), to])?;
                return Ok(Some(self.e.bfloat16_of(v, to)));
            }
            Op::ConvertBF16ToFINTEL => {
                let v = self.operand(inst, 0)?;
                self.bfloat16_types([to, self.e.func.ty(v)])?;
                return Ok(Some(self.e.float_of_bfloat16(v, to)));
            }
            _ => return self.recast(op, inst, to),
        };
        let v = self.operand(inst, 0)?;
        let from = self.e.func.ty(v);
        let is_number = |ty: Type| !ty.is_ptr() && ty.elem != Scalar::I1;
        if from.is_float() != from_float || to.is_float() != to_float || from.lanes != to.lanes {
            return Err("the types do not fit the conversion".into());
        }
        if !is_number(from) || !is_number(to) {
            return Err("numbers are converted".into());
        }
        let n = if to.elem == Scalar::F16 { 0 } else { usize::from(to.elem == Scalar::F64) + 1 };
        let default = if to_float { self.float.rm[n] } else { Rounding::Rtz };
        let rm = self.module.rounding(id).unwrap_or(default);
        if from_float && !to_float && !is_saturated && to.elem.bits() < 32 {
            return Ok(Some(self.e.float_to_narrow(v, to, rm)));
        }
        Ok(Some(self.e.convert_lanes(v, to, signed, saturates, rm)))
    }

    /// Conversions that keep bits, and those of pointers.
    fn recast(&mut self, op: Op, inst: &Inst, to: Type) -> Result<Option<Value>, String> {
        let pointers = matches!(
            op,
            Op::PtrCastToGeneric
                | Op::GenericCastToPtr
                | Op::GenericCastToPtrExplicit
                | Op::PtrCastToCrossWorkgroupALTERA
                | Op::CrossWorkgroupCastToPtrALTERA
        );
        if !pointers && !matches!(op, Op::ConvertPtrToU | Op::ConvertUToPtr | Op::Bitcast) {
            return Ok(None);
        }
        let v = self.operand(inst, 0)?;
        let from = self.e.func.ty(v);
        let explicit = op == Op::GenericCastToPtrExplicit;
        Ok(Some(match (from.is_ptr(), to.is_ptr()) {
            (true, true) if explicit => match to.elem {
                Scalar::Ptr(space) => self.e.in_space(v, space),
                _ => v,
            },
            (true, true) => self.cast(v, to),
            _ if pointers => return Err("pointers are converted".into()),
            (true, false) if to.is_int() && !to.is_vector() && to != Type::I1 => {
                let address = self.e.emit(Kir::PtrToInt, Type::I64, &[v], Imm::None);
                self.e.convert_lanes(address, to, [false; 2], false, Rounding::Rte)
            }
            (false, true) if from.is_int() && !from.is_vector() && from != Type::I1 => {
                let address = self.e.convert_lanes(v, Type::I64, [false; 2], false, Rounding::Rte);
                self.e.emit(Kir::IntToPtr, to, &[address], Imm::None)
            }
            // Both parts of an address, the low one first.
            (true, false) if op == Op::Bitcast && to.is_int() && to.bytes() == 8 && to.elem != Scalar::I1 => {
                let address = self.e.emit(Kir::PtrToInt, Type::I64, &[v], Imm::None);
                self.e.as_type(address, to)
            }
            (false, true) if op == Op::Bitcast && from.is_int() && from.bytes() == 8 && from.elem != Scalar::I1 => {
                let address = self.e.as_type(v, Type::I64);
                self.e.emit(Kir::IntToPtr, to, &[address], Imm::None)
            }
            (false, false) if op == Op::Bitcast => {
                if from.bytes() != to.bytes() || [from, to].iter().any(|ty| ty.elem == Scalar::I1) {
                    return Err("the types have different sizes".into());
                }
                self.e.as_type(v, to)
            }
            _ => return Err("the types do not fit the conversion".into()),
        }))
    }
}
