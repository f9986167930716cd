//! Floating-point ops and conversions, scalar and vector, with embedded rounding; selection of floats by masks.

use super::Select;
use super::cond::float_predicate;
use super::value::{Source, len, op, wide};
use super::vector::log_bytes;
use crate::codegen::x64wide::code::*;
use crate::codegen::x64wide::encode::{Code, Imm};
use crate::codegen::x64wide::mir::{MInst, Rm, S};
use crate::error::CodeError;
use crate::ir::{FloatPred, InstData, Op, Rounding, Scalar, Type, Value};
use regalloc2::{RegClass, VReg};

/// The rounding control of an op; none for the default.
fn control(rm: Rounding) -> Option<u8> {
    match rm {
        Rounding::Rte => None,
        Rounding::Rtn => Some(1),
        Rounding::Rtp => Some(2),
        Rounding::Rtz => Some(3),
    }
}

/// The row of a family ps, pd, ss, sd.
fn row(ty: Type) -> usize {
    wide(ty.elem) + if ty.is_vector() { 0 } else { 2 }
}

impl Select<'_> {
    /// `code(v, source)` into a new vector register.
    pub(super) fn binary(&mut self, code: Code, ty: Type, v: VReg, source: Source) -> VReg {
        let to = self.new_vec();
        self.push(MInst {
            reg: S::Def(to),
            v: S::Use(v),
            rm: source.rm,
            bcast: source.bcast,
            bytes: source.bytes,
            len: if ty.is_vector() { len(ty) } else { 0 },
            ..op(code)
        });
        to
    }

    /// `code(source)` into a new vector register.
    pub(super) fn vec_unary(&mut self, code: Code, ty: Type, source: Source) -> VReg {
        let to = self.new_vec();
        self.push(MInst {
            reg: S::Def(to),
            rm: source.rm,
            bcast: source.bcast,
            bytes: source.bytes,
            len: if ty.is_vector() { len(ty) } else { 0 },
            ..op(code)
        });
        to
    }

    /// A register as a source.
    pub(super) fn in_reg(&self, reg: VReg) -> Source {
        Source { rm: Rm::Reg(S::Use(reg)), bcast: false, bytes: 0 }
    }

    pub(super) fn float(&mut self, inst: &InstData) -> Result<(), CodeError> {
        use Op::*;
        let Some(result) = inst.result else { return Err(self.unsupported(inst)) };
        let ty = self.func.ty(inst.args[0]);
        if ty.elem == Scalar::F16 {
            return Err(self.unsupported(inst));
        }
        let arg = |n: usize| inst.args[n];
        let rm = control(inst.attr.rm);
        if ty.elem == Scalar::I16 {
            let reg = self.halves(inst, ty, rm)?;
            self.define(inst, reg);
            return Ok(());
        }
        let reg = match inst.op {
            Fadd => self.arith(VADD[row(ty)], ty, arg(0), arg(1), rm, true),
            Fsub => self.arith(VSUB[row(ty)], ty, arg(0), arg(1), rm, false),
            Fmul => self.arith(VMUL[row(ty)], ty, arg(0), arg(1), rm, true),
            Fdiv => self.arith(VDIV[row(ty)], ty, arg(0), arg(1), rm, false),
            Fma => self.fma(inst, ty, rm),
            Fneg => {
                let (of, code) = self.without_abs(arg(0));
                self.with_mask(code[wide(ty.elem)], ty, of, 1 << (ty.elem.bits() - 1))
            }
            Fabs => self.with_mask(VANDP[wide(ty.elem)], ty, arg(0), !(1 << (ty.elem.bits() - 1))),
            Copysign => self.copysign(ty, arg(0), arg(1)),
            Sqrt if ty.is_vector() => {
                let source = self.source(arg(0), true);
                self.vec_unary(VSQRT[row(ty)], ty, source)
            }
            Sqrt => {
                let from = self.value(arg(0));
                let source = self.in_reg(from);
                self.binary(VSQRT[row(ty)], ty, from, source)
            }
            Rint => self.round(ty, arg(0), 8),
            Floor => self.round(ty, arg(0), 9),
            Ceil => self.round(ty, arg(0), 10),
            Trunc => self.round(ty, arg(0), 11),
            Fmin => self.float_extremum(VMIN[row(ty)], ty, inst),
            Fmax => self.float_extremum(VMAX[row(ty)], ty, inst),
            Fcmp => {
                let mask = self.float_mask(inst);
                self.mask_result(mask, self.func.ty(result))
            }
            _ => return Err(self.unsupported(inst)),
        };
        self.define(inst, reg);
        Ok(())
    }

    /// Arithmetic on vectors of f16, which are i16 in the legal form.
    fn halves(&mut self, inst: &InstData, ty: Type, round: Option<u8>) -> Result<VReg, CodeError> {
        let args: Vec<VReg> = inst.args.iter().map(|&a| self.value(a)).collect();
        let to = self.new_vec();
        let (code, reg, v, last) = match (inst.op, &args[..]) {
            (Op::Fadd, &[a, b]) => (VADDPH, S::Def(to), S::Use(a), b),
            (Op::Fsub, &[a, b]) => (VSUBPH, S::Def(to), S::Use(a), b),
            (Op::Fmul, &[a, b]) => (VMULPH, S::Def(to), S::Use(a), b),
            (Op::Fdiv, &[a, b]) => (VDIVPH, S::Def(to), S::Use(a), b),
            (Op::Sqrt, &[a]) => (VSQRTPH, S::Def(to), S::No, a),
            (Op::Fma, &[a, b, c]) => (VFMADD213PH, S::Mod(a, to), S::Use(b), c),
            _ => return Err(self.unsupported(inst)),
        };
        let len = if round.is_none() { len(ty) } else { 0 };
        self.push(MInst { reg, v, rm: Rm::Reg(S::Use(last)), len, round, ..op(code) });
        self.note_length(ty, round);
        Ok(to)
    }

    /// A mask as the type of a comparison's result has it: as it is, or as integers 0 and -1.
    pub(super) fn mask_result(&mut self, mask: VReg, ty: Type) -> VReg {
        if ty.elem == Scalar::I1 || mask.class() == RegClass::Float {
            return mask;
        }
        let to = self.new_vec();
        let code = VPMOVM2[ty.elem.bytes().trailing_zeros() as usize];
        self.push(MInst { reg: S::Def(to), rm: Rm::Reg(S::Use(mask)), len: len(ty), ..op(code) });
        to
    }

    fn arith(&mut self, code: Code, ty: Type, a: Value, b: Value, round: Option<u8>, commutes: bool) -> VReg {
        if round.is_some() {
            let (a, b) = (self.value(a), self.value(b));
            let to = self.new_vec();
            self.push(MInst { reg: S::Def(to), v: S::Use(a), rm: Rm::Reg(S::Use(b)), round, ..op(code) });
            self.note_length(ty, round);
            return to;
        }
        let (a, b) = if commutes && self.foldable(a) && !self.foldable(b) { (b, a) } else { (a, b) };
        let first = self.value(a);
        let source = self.source(b, true);
        self.binary(code, ty, first, source)
    }

    /// Embedded rounding works on 64 bytes, but leaves only zeros beyond what the operands have.
    pub(super) fn note_length(&mut self, ty: Type, round: Option<u8>) {
        if ty.is_vector() && round.is_some() {
            self.out.dirty = true;
        }
    }

    /// The operand of a negation, or the value itself.
    fn without_sign(&self, v: Value) -> (Value, bool) {
        match self.func.def_inst(v) {
            Some(d) if d.op == Op::Fneg && !self.made.contains_key(&v) && !self.in_register(v) => (d.args[0], true),
            _ => (v, false),
        }
    }

    /// What a negation flips the sign of; or, of an absolute value, the operand, whose sign it sets.
    fn without_abs(&self, v: Value) -> (Value, [Code; 2]) {
        match self.func.def_inst(v) {
            Some(d) if d.op == Op::Fabs && !self.made.contains_key(&v) && !self.in_register(v) => (d.args[0], VORP),
            _ => (v, VXORP),
        }
    }

    fn fma(&mut self, inst: &InstData, ty: Type, round: Option<u8>) -> VReg {
        let (mut a, minus_a) = self.without_sign(inst.args[0]);
        let (mut b, minus_b) = self.without_sign(inst.args[1]);
        let (c, minus_c) = self.without_sign(inst.args[2]);
        let minus = minus_a != minus_b;
        let memory = round.is_none();
        if self.foldable(a) && !self.foldable(b) {
            std::mem::swap(&mut a, &mut b);
        }
        let n = row(ty);
        // Over the addend, if nobody else needs it; over a factor if the addend comes from memory.
        let dies = |v: Value| self.plan.dies(v);
        let over_addend = !(memory && self.foldable(c)) && (self.plan.uses(c) == 1 || !dies(a) && !dies(b));
        let (code, over, first, last) = if over_addend {
            let code = match (minus, minus_c) {
                (false, false) => VFMADD231[n],
                (true, false) => VFNMADD231[n],
                (false, true) => VFMSUB231[n],
                (true, true) => VFNMSUB231[n],
            };
            (code, c, a, b)
        } else {
            if !dies(a) && dies(b) {
                std::mem::swap(&mut a, &mut b);
            }
            let code = match (minus, minus_c) {
                (false, false) => VFMADD213[n],
                (true, false) => VFNMADD213[n],
                (false, true) => VFMSUB213[n],
                (true, true) => VFNMSUB213[n],
            };
            (code, a, b, c)
        };
        let over = self.value(over);
        let first = self.value(first);
        let source = if memory {
            self.source(last, true)
        } else {
            let reg = self.value(last);
            self.in_reg(reg)
        };
        let to = self.new_vec();
        self.push(MInst {
            reg: S::Mod(over, to),
            v: S::Use(first),
            rm: source.rm,
            bcast: source.bcast,
            bytes: source.bytes,
            len: if ty.is_vector() && round.is_none() { len(ty) } else { 0 },
            round,
            ..op(code)
        });
        self.note_length(ty, round);
        to
    }

    /// A bitwise op with a constant in all lanes.
    fn with_mask(&mut self, code: Code, ty: Type, v: Value, bits: u64) -> VReg {
        let from = self.value(v);
        let source = self.mask_constant(ty, bits);
        let ty = if ty.is_vector() { ty } else { Type::F32.with_lanes(4) };
        self.binary(code, ty, from, source)
    }

    /// A constant as memory operand of a bitwise op: whole, or one element for all lanes.
    pub(super) fn mask_constant(&mut self, ty: Type, bits: u64) -> Source {
        let length = if ty.is_vector() { len(ty) } else { 0 };
        if length > 0 && self.has_evex() {
            let bytes = ty.elem.bytes() as usize;
            let mem = self.pool(&bits.to_le_bytes()[..bytes]);
            return Source { rm: Rm::Mem(mem), bcast: true, bytes: bytes as u8 };
        }
        let total = 16 << length;
        let mem = self.pool_splat(ty, bits, total);
        Source { rm: Rm::Mem(mem), bcast: false, bytes: total as u8 }
    }

    fn copysign(&mut self, ty: Type, a: Value, b: Value) -> VReg {
        let sign_bit = 1 << (ty.elem.bits() - 1);
        if !self.has_evex() {
            let n = wide(ty.elem);
            let magnitude = self.with_mask(VANDP[n], ty, a, !sign_bit);
            let sign = self.with_mask(VANDP[n], ty, b, sign_bit);
            let ty = if ty.is_vector() { ty } else { Type::F32.with_lanes(4) };
            let source = self.in_reg(sign);
            return self.binary(VPOR[n], ty, magnitude, source);
        }
        let (magnitude, sign) = (self.value(a), self.value(b));
        let source = self.mask_constant(ty, sign_bit);
        let to = self.new_vec();
        // Bit by bit: mask ? sign : magnitude, with operands magnitude, sign, mask.
        self.push(MInst {
            reg: S::Mod(magnitude, to),
            v: S::Use(sign),
            rm: source.rm,
            bcast: source.bcast,
            bytes: source.bytes,
            len: if ty.is_vector() { len(ty) } else { 0 },
            imm: Imm::I8(0xd8u8 as i8),
            ..op(VPTERNLOG[wide(ty.elem)])
        });
        to
    }

    fn round(&mut self, ty: Type, v: Value, mode: i8) -> VReg {
        let from = self.value(v);
        let to = self.new_vec();
        let scalar = !ty.is_vector();
        self.push(MInst {
            reg: S::Def(to),
            v: if scalar { S::Use(from) } else { S::No },
            rm: Rm::Reg(S::Use(from)),
            len: if scalar { 0 } else { len(ty) },
            imm: Imm::I8(mode),
            ..op(VRNDSCALE[row(ty)])
        });
        to
    }

    fn float_extremum(&mut self, code: Code, ty: Type, inst: &InstData) -> VReg {
        let (a, b) = (self.value(inst.args[0]), self.value(inst.args[1]));
        self.repaired_extremum(code, ty, a, b)
    }

    /// The machine's minimum gives its second operand if either is NaN, so only a NaN there is left to repair.
    pub(super) fn repaired_extremum(&mut self, code: Code, ty: Type, a: VReg, b: VReg) -> VReg {
        let source = self.in_reg(b);
        let machine = self.binary(code, ty, a, source);
        let mask = self.compare_floats(float_predicate(FloatPred::Uno), ty, b, source);
        if !self.has_evex() {
            let source = self.in_reg(a);
            return self.blend(ty, mask, machine, source);
        }
        let to = self.new_vec();
        let len = if ty.is_vector() { len(ty) } else { 0 };
        self.push(MInst {
            reg: S::Mod(machine, to),
            rm: Rm::Reg(S::Use(a)),
            k: S::Use(mask),
            len,
            ..op(VMOVAP[wide(ty.elem)])
        });
        to
    }

    // ---- selection

    pub(super) fn select(&mut self, inst: &InstData) -> Result<(), CodeError> {
        let [cond, a, b] = [0, 1, 2].map(|n| inst.args[n]);
        let ty = self.func.ty(a);
        if super::class(ty) == RegClass::Int {
            let reg = self.select_int(inst)?;
            self.define(inst, reg);
            return Ok(());
        }
        if let Some(is_min) = crate::pass::ifconv::float_extremum(self.func, cond, a, b) {
            let code = if is_min { VMIN[row(ty)] } else { VMAX[row(ty)] };
            let first = self.value(a);
            let source = self.source(b, ty.is_vector());
            let reg = self.binary(code, ty, first, source);
            self.define(inst, reg);
            return Ok(());
        }
        if super::class(ty) == RegClass::Vector {
            return self.select_masks(inst);
        }
        let cond_ty = self.func.ty(cond);
        let mask = match (cond_ty.elem, cond_ty.is_vector()) {
            (Scalar::I1, true) => self.value(cond),
            (Scalar::I1, false) if ty.is_vector() => self.spread(cond),
            (Scalar::I1, false) => self.scalar_mask(cond, ty),
            _ => self.int_mask(cond),
        };
        if let Some(reg) = self.under_mask(ty, mask, a, b) {
            self.define(inst, reg);
            return Ok(());
        }
        let els = self.value(b);
        let source = if ty.is_vector() {
            self.source(a, true)
        } else {
            let reg = self.value(a);
            self.in_reg(reg)
        };
        let reg = self.blend(ty, mask, els, source);
        self.define(inst, reg);
        Ok(())
    }

    /// Lanes of `then` where the mask is set, else of `els`.
    pub(super) fn blend(&mut self, ty: Type, mask: VReg, els: VReg, then: Source) -> VReg {
        let to = self.new_vec();
        let code = match ty.elem {
            elem if !self.has_evex() => VBLENDV[log_bytes(elem).max(1) - 1],
            Scalar::F32 | Scalar::F64 => VBLENDMP[wide(ty.elem)],
            elem => VPBLENDM[elem.bytes().trailing_zeros() as usize],
        };
        self.push(MInst {
            reg: S::Def(to),
            v: S::Use(els),
            rm: then.rm,
            bcast: then.bcast,
            bytes: then.bytes,
            k: S::Use(mask),
            len: if ty.is_vector() { len(ty) } else { 0 },
            ..op(code)
        });
        to
    }

    /// A vector of integers 0 and -1 as a mask.
    fn int_mask(&mut self, v: Value) -> VReg {
        let ty = self.func.ty(v);
        let reg = self.value(v);
        self.sign_mask(reg, ty)
    }

    /// The sign bits of integers as a mask.
    pub(super) fn sign_mask(&mut self, reg: VReg, ty: Type) -> VReg {
        if !self.has_evex() {
            return reg;
        }
        let mask = self.new_mask();
        let code = VPMOV2M[ty.elem.bytes().trailing_zeros() as usize];
        self.push(MInst { reg: S::Def(mask), rm: Rm::Reg(S::Use(reg)), len: len(ty), ..op(code) });
        mask
    }

    // ---- conversions

    pub(super) fn bitcast(&mut self, inst: &InstData) -> Result<(), CodeError> {
        let Some(result) = inst.result else { return Err(self.unsupported(inst)) };
        let (from, to) = (self.func.ty(inst.args[0]), self.func.ty(result));
        let reg = match (super::class(from), super::class(to)) {
            (a, b) if a == b => self.value(inst.args[0]),
            (RegClass::Int, RegClass::Float) => {
                let rm = match from.bytes() {
                    4 | 8 => self.int_source(inst.args[0], from.bytes() as u8),
                    _ => Rm::Reg(S::Use(self.value(inst.args[0]))),
                };
                self.vec_from(rm, from.bytes().max(4))
            }
            (RegClass::Float, RegClass::Int) => {
                let reg = self.value(inst.args[0]);
                self.gpr_from(reg, to.bytes().max(4))
            }
            _ => return Err(self.unsupported(inst)),
        };
        self.define(inst, reg);
        Ok(())
    }

    pub(super) fn conversion(&mut self, inst: &InstData) -> Result<(), CodeError> {
        let Some(result) = inst.result else { return Err(self.unsupported(inst)) };
        let (from, to) = (self.func.ty(inst.args[0]), self.func.ty(result));
        let round = control(inst.attr.rm);
        let arg = inst.args[0];
        let reg = match inst.op {
            _ if from.is_vector() => return self.vector_conversion(inst, from, to, round),
            Op::Fptrunc | Op::Fpext if from.elem != Scalar::F16 && to.elem != Scalar::F16 => {
                let reg = self.value(arg);
                let code = if inst.op == Op::Fptrunc { VCVTSD2SS } else { VCVTSS2SD };
                let round = round.filter(|_| inst.op == Op::Fptrunc);
                let target = self.new_vec();
                self.push(MInst { reg: S::Def(target), v: S::Use(reg), rm: Rm::Reg(S::Use(reg)), round, ..op(code) });
                target
            }
            Op::Sitofp if from.elem.bytes() >= 4 && !self.has_evex() => self.int_to_scalar(arg, to),
            Op::Fptosi | Op::Fptoui if to.elem.bytes() >= 4 && inst.attr.rm == Rounding::Rtz && !self.has_evex() => {
                let source = self.value(arg);
                self.scalar_to_int(source, from, to, inst.op == Op::Fptosi)
            }
            Op::Sitofp | Op::Uitofp if from.elem.bytes() >= 4 && self.has_evex() => {
                let unsigned = inst.op == Op::Uitofp;
                if round.is_some() {
                    self.int_to_float_rounded(arg, from, to, unsigned, round)
                } else {
                    self.int_to_float(arg, from, to, unsigned)
                }
            }
            Op::Fptosi | Op::Fptoui if to.elem.bytes() >= 4 && inst.attr.rm == Rounding::Rtz => {
                let source = self.value(arg);
                let lanes = from.with_lanes((16 / from.elem.bytes().max(to.elem.bytes())) as u8);
                let ints = self.truncate(source, lanes, to.elem, inst.op == Op::Fptosi);
                self.gpr_from(ints, to.bytes())
            }
            _ => return Err(self.unsupported(inst)),
        };
        self.define(inst, reg);
        Ok(())
    }

    /// To nearest, by way of the packed instruction, which depends on nothing but its operand.
    fn int_to_float(&mut self, arg: Value, from: Type, to: Type, unsigned: bool) -> VReg {
        let bytes = from.bytes();
        let rm = self.int_source(arg, bytes as u8);
        let ints = self.vec_from(rm, bytes);
        let code = int_to_float_code(from.elem, to.elem, unsigned);
        let source = self.in_reg(ints);
        self.vec_unary(code, Type::F32.with_lanes(4), source)
    }

    /// In a directed mode; as `int_to_float`, with a length of 64 bytes that embedded rounding takes.
    fn int_to_float_rounded(&mut self, arg: Value, from: Type, to: Type, unsigned: bool, round: Option<u8>) -> VReg {
        if from.elem == Scalar::I32 && to.elem == Scalar::F64 {
            // Exact, and without rounding control.
            return self.int_to_float(arg, from, to, unsigned);
        }
        let bytes = from.bytes();
        let rm = self.int_source(arg, bytes as u8);
        let ints = self.vec_from(rm, bytes);
        let code = int_to_float_code(from.elem, to.elem, unsigned);
        let target = self.new_vec();
        self.push(MInst { reg: S::Def(target), rm: Rm::Reg(S::Use(ints)), round, ..op(code) });
        self.out.dirty = true;
        target
    }

    /// Float to integer, towards zero, saturating, NaN gives 0. The machine gives the most negative integer, or the
    /// largest unsigned one, for all that does not fit.
    pub(super) fn truncate(&mut self, from: VReg, ty: Type, to: Scalar, signed: bool) -> VReg {
        let Some(code) = float_to_int_code(ty.elem, to, signed) else { unreachable!("all pairs of 32 and 64 bits") };
        let ints = Type::scalar(to).with_lanes(ty.lanes);
        let length = len(ints).max(len(ty));
        let valid = if signed {
            let own = self.in_reg(from);
            self.compare_floats(float_predicate(FloatPred::Ord), ty, from, own)
        } else {
            let zero = self.constant(ty, 0);
            let zero = self.in_reg(zero);
            self.compare_floats(float_predicate(FloatPred::OGe), ty, from, zero)
        };
        let result = self.new_vec();
        self.push(MInst {
            reg: S::Def(result),
            rm: Rm::Reg(S::Use(from)),
            k: S::Use(valid),
            zero: true,
            len: length,
            ..op(code)
        });
        if !signed {
            return result;
        }
        // 2^31 or 2^63 and more.
        let exponent = u64::from(to.bits() - 1);
        let limit = if ty.elem == Scalar::F32 { (exponent + 127) << 23 } else { (exponent + 1023) << 52 };
        let limit = self.mask_constant(ty, limit);
        let large = self.compare_floats(float_predicate(FloatPred::OGe), ty, from, limit);
        let most = self.mask_constant(ints, u64::MAX >> (65 - to.bits()));
        let fixed = self.new_vec();
        let code = if most.bcast { VPBROADCAST[2 + wide(to)] } else { VMOVDQU[2 + wide(to)] };
        self.push(MInst {
            reg: S::Mod(result, fixed),
            rm: most.rm,
            bytes: most.bytes,
            k: S::Use(large),
            len: len(ints),
            ..op(code)
        });
        fixed
    }
}

/// The packed conversion from integers.
pub(super) fn int_to_float_code(from: Scalar, to: Scalar, unsigned: bool) -> Code {
    match (from, to, unsigned) {
        (Scalar::I32, Scalar::F32, false) => VCVTDQ2PS,
        (Scalar::I32, Scalar::F32, true) => VCVTUDQ2PS,
        (Scalar::I32, _, false) => VCVTDQ2PD,
        (Scalar::I32, _, true) => VCVTUDQ2PD,
        (_, Scalar::F32, false) => VCVTQQ2PS,
        (_, Scalar::F32, true) => VCVTUQQ2PS,
        (_, _, false) => VCVTQQ2PD,
        (_, _, true) => VCVTUQQ2PD,
    }
}

/// The packed conversion to integers towards zero.
pub(super) fn float_to_int_code(from: Scalar, to: Scalar, signed: bool) -> Option<Code> {
    Some(match (from, to, signed) {
        (Scalar::F32, Scalar::I32, true) => VCVTTPS2DQ,
        (Scalar::F32, Scalar::I32, false) => VCVTTPS2UDQ,
        (Scalar::F32, Scalar::I64, true) => VCVTTPS2QQ,
        (Scalar::F32, Scalar::I64, false) => VCVTTPS2UQQ,
        (Scalar::F64, Scalar::I32, true) => VCVTTPD2DQ,
        (Scalar::F64, Scalar::I32, false) => VCVTTPD2UDQ,
        (Scalar::F64, Scalar::I64, true) => VCVTTPD2QQ,
        (Scalar::F64, Scalar::I64, false) => VCVTTPD2UQQ,
        _ => return None,
    })
}
