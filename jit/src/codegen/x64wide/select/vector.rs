//! Vector ops on integers and masks, conversions between vectors; reductions. What moves lanes is in `lanes`.

use super::Select;
use super::value::{Source, len, op, wide};
use crate::codegen::x64wide::code::*;
use crate::codegen::x64wide::encode::{Code, Imm};
use crate::codegen::x64wide::mir::{MInst, Rm, S};
use crate::error::CodeError;
use crate::ir::{self, InstData, IntPred, Op, Scalar, Type, Value};
use regalloc2::{RegClass, VReg};

/// 0 to 3 for elements of 1, 2, 4, 8 bytes.
pub(super) fn log_bytes(elem: Scalar) -> usize {
    elem.bytes().trailing_zeros() as usize
}

/// Number in the families of mask instructions.
pub(super) fn mask_size(lanes: u8) -> usize {
    match lanes {
        0..=8 => 0,
        9..=16 => 1,
        17..=32 => 2,
        _ => 3,
    }
}

impl Select<'_> {
    pub(super) fn vector(&mut self, inst: &InstData) -> Result<(), CodeError> {
        use Op::*;
        let ty = inst.result.map_or(Type::I1, |r| self.func.ty(r));
        let of_masks = ty.elem == Scalar::I1 && ty.is_vector();
        let reg = match inst.op {
            And | Or | Xor | Not if of_masks => self.mask_logic(inst, ty),
            Icmp => {
                let mask = self.int_compare(inst)?;
                self.mask_result(mask, ty)
            }
            MaskAny | MaskAll => {
                let zero = self.constant(Type::I32, 0);
                let cond = if inst.op == MaskAny { self.any(inst, Cc::Ne)? } else { self.all(inst)? };
                let super::cond::Cond::One(cc) = cond else { return Err(self.unsupported(inst)) };
                let reg = self.set_cc(zero, cc);
                self.define_clean(inst, reg);
                return Ok(());
            }
            MaskBits => self.mask_bits(inst.args[0]),
            LoadMasked => self.load_masked(inst, ty)?,
            StoreMasked => return self.store_masked(inst),
            Gather => self.gather(inst, ty)?,
            Scatter => return self.scatter(inst),
            Splat | Build | Extract | Insert | Shuffle | ExtractDyn | Iota | Permute | Swizzle => {
                self.lanes(inst, ty)?
            }
            Reduce => self.reduce(inst)?,
            Trunci | Sext | Zext => self.resize(inst, ty)?,
            Narrow => self.narrow_saturated(inst, ty)?,
            _ if of_masks => return Err(self.unsupported(inst)),
            _ => self.lanewise(inst, ty)?,
        };
        self.define(inst, reg);
        Ok(())
    }

    // ---- masks

    pub(super) fn mask_op(&mut self, code: Code, v: Option<VReg>, rm: VReg) -> VReg {
        let to = self.new_mask();
        self.push(MInst { reg: S::Def(to), v: v.map_or(S::No, S::Use), rm: Rm::Reg(S::Use(rm)), ..op(code) });
        to
    }

    fn mask_logic(&mut self, inst: &InstData, ty: Type) -> VReg {
        if let Some(reg) = self.bitwise_tree(inst, ty) {
            return reg;
        }
        if inst.op == Op::And
            && let Some(reg) = self.compare_under_mask(inst)
        {
            return reg;
        }
        let n = mask_size(ty.lanes);
        let a = self.value(inst.args[0]);
        let Some(&b) = inst.args.get(1) else { return self.mask_op(KNOT[n], None, a) };
        let b = self.value(b);
        let code = match inst.op {
            Op::And => KAND[n],
            Op::Or => KOR[n],
            _ => KXORS[n],
        };
        self.mask_op(code, Some(a), b)
    }

    /// `cond ? a : b` of masks.
    pub(super) fn select_masks(&mut self, inst: &InstData) -> Result<(), CodeError> {
        let [cond, a, b] = [0, 1, 2].map(|n| inst.args[n]);
        let ty = self.func.ty(a);
        let cond = if self.func.ty(cond).is_vector() { self.value(cond) } else { self.spread(cond) };
        let (a, b) = (self.value(a), self.value(b));
        let n = mask_size(ty.lanes);
        let then = self.mask_op(KAND[n], Some(cond), a);
        let els = self.mask_op(KANDN[n], Some(cond), b);
        let reg = self.mask_op(KOR[n], Some(then), els);
        self.define(inst, reg);
        Ok(())
    }

    /// A scalar boolean in all bits of a mask.
    pub(super) fn spread(&mut self, v: Value) -> VReg {
        if !self.has_evex() {
            let sign = self.sign_from_bool(v);
            let all = self.new_vec();
            self.push(MInst { reg: S::Def(all), rm: Rm::Reg(S::Use(sign)), len: 1, ..op(VPBROADCAST[3]) });
            return all;
        }
        let from = self.value(v);
        let all = self.new_gpr();
        self.push(MInst { rm: Rm::Reg(S::Mod(from, all)), size: 8, ..op(NEG) });
        self.mask_from(all)
    }

    pub(super) fn mask_from(&mut self, bits: VReg) -> VReg {
        self.mask_op(KMOV_IN[3], None, bits)
    }

    /// A mask that is to be tested, in a mask register if there are such: what tests vectors (`vptest`, `vmovmsk`)
    /// knows the lower half of 32 registers only.
    fn tested_mask(&mut self, v: Value) -> VReg {
        let (ty, mask) = (self.func.ty(v), self.value(v));
        if ty.elem == Scalar::I1 { mask } else { self.sign_mask(mask, ty) }
    }

    /// The bits of a mask in a general register.
    pub(super) fn mask_bits(&mut self, v: Value) -> VReg {
        let lanes = self.func.ty(v).lanes;
        let mask = self.tested_mask(v);
        let to = self.new_gpr();
        if mask.class() == RegClass::Float {
            let ty = self.func.ty(v);
            let code = VMOVMSK[log_bytes(ty.elem).max(1) - 1];
            self.push(MInst { reg: S::Def(to), rm: Rm::Reg(S::Use(mask)), len: len(ty), ..op(code) });
            return to;
        }
        let code = KMOV_OUT[mask_size(lanes)];
        self.push(MInst { reg: S::Def(to), rm: Rm::Reg(S::Use(mask)), ..op(code) });
        if lanes < 8 { self.alu_with_imm(4, to, (1 << lanes) - 1, 4) } else { to }
    }

    /// Flags for `mask.any`.
    pub(super) fn any(&mut self, inst: &InstData, cc: Cc) -> Result<super::cond::Cond, CodeError> {
        let ty = self.func.ty(inst.args[0]);
        if ty.elem != Scalar::I1 && !self.has_evex() {
            let mask = self.value(inst.args[0]);
            let test = MInst { reg: S::Use(mask), rm: Rm::Reg(S::Use(mask)), len: len(ty), ..op(VPTEST) };
            return Ok(self.flags_of(test, cc));
        }
        let lanes = ty.lanes;
        if lanes < 8 {
            let bits = self.mask_bits(inst.args[0]);
            let test = MInst { reg: S::Use(bits), rm: Rm::Reg(S::Use(bits)), size: 4, ..op(TEST) };
            return Ok(self.flags_of(test, cc));
        }
        let mask = self.tested_mask(inst.args[0]);
        let test = MInst { reg: S::Use(mask), rm: Rm::Reg(S::Use(mask)), ..op(KORTEST[mask_size(lanes)]) };
        Ok(self.flags_of(test, cc))
    }

    /// Flags for `mask.all`.
    pub(super) fn all(&mut self, inst: &InstData) -> Result<super::cond::Cond, CodeError> {
        let ty = self.func.ty(inst.args[0]);
        if ty.elem != Scalar::I1 && !self.has_evex() {
            let (mask, ones) = (self.value(inst.args[0]), self.constant(ty, u64::MAX >> (64 - ty.elem.bits())));
            let test = MInst { reg: S::Use(mask), rm: Rm::Reg(S::Use(ones)), len: len(ty), ..op(VPTEST) };
            return Ok(self.flags_of(test, Cc::B));
        }
        let lanes = ty.lanes;
        if lanes < 8 {
            let bits = self.mask_bits(inst.args[0]);
            let test = MInst { rm: Rm::Reg(S::Use(bits)), size: 4, imm: Imm::I32((1 << lanes) - 1), ..op(ALU_IMM[7]) };
            return Ok(self.flags_of(test, Cc::E));
        }
        // The carry tells that all bits are set.
        self.any(inst, Cc::B)
    }

    /// A mask with bit `lane` replaced by a boolean.
    pub(super) fn insert_bit(&mut self, mask: Value, bit: Value, lane: u8) -> VReg {
        let mask = self.value(mask);
        let all = self.new_gpr();
        self.push(MInst { reg: S::Def(all), rm: Rm::Reg(S::Use(mask)), ..op(KMOV_OUT[3]) });
        let others = self.constant(Type::I64, !(1 << lane));
        let rest = self.new_gpr();
        self.push(MInst { reg: S::Mod(others, rest), rm: Rm::Reg(S::Use(all)), size: 8, ..op(AND) });
        let bit = self.value(bit);
        let bit = self.shift_imm(SHL_IMM, bit, u32::from(lane), 8);
        let to = self.new_gpr();
        self.push(MInst { reg: S::Mod(rest, to), rm: Rm::Reg(S::Use(bit)), size: 8, ..op(OR) });
        self.mask_from(to)
    }

    /// Lanes of two masks as `Shuffle` picks them.
    pub(super) fn shuffle_masks(&mut self, a: Value, b: Value, picks: &[u8], ty: Type) -> Option<VReg> {
        let lanes = self.func.ty(a).lanes;
        let start = *picks.first()?;
        if picks.iter().zip(start..).all(|(&p, i)| p == i) && usize::from(start) + picks.len() <= usize::from(lanes) {
            let from = self.value(a);
            if start == 0 {
                return Some(from);
            }
            let to = self.new_mask();
            let imm = Imm::I8(start as i8);
            self.push(MInst { reg: S::Def(to), rm: Rm::Reg(S::Use(from)), imm, ..op(KSHIFTR[mask_size(lanes)]) });
            return Some(to);
        }
        let joins = picks.len() == 2 * usize::from(lanes) && picks.iter().zip(0..).all(|(&p, i)| p == i);
        if joins && matches!(lanes, 8 | 16 | 32) {
            let (low, high) = (self.value(a), self.value(b));
            return Some(self.mask_op(KUNPCK[mask_size(lanes)], Some(high), low));
        }
        // As integers of a size that fills the register.
        let elem = match lanes.max(ty.lanes) {
            0..=16 => Scalar::I32,
            17..=32 => Scalar::I16,
            _ => Scalar::I8,
        };
        let (from, to) = (Type::scalar(elem).with_lanes(lanes), ty.with_elem(elem));
        let (a, b) = (self.value(a), self.value(b));
        let (a, b) = (self.mask_result(a, from), self.mask_result(b, from));
        let moved = self.shuffle_regs(a, b, from, picks, to)?;
        Some(self.sign_mask(moved, to))
    }

    /// A mask without anything behind its last lane.
    pub(super) fn exact_mask(&mut self, v: Value, register_lanes: u32) -> VReg {
        let lanes = u32::from(self.func.ty(v).lanes);
        if lanes >= register_lanes.max(8) || lanes == register_lanes {
            return self.value(v);
        }
        let bits = self.mask_bits(v);
        self.mask_from(bits)
    }

    fn int_compare(&mut self, inst: &InstData) -> Result<VReg, CodeError> {
        let ir::Imm::IntPred(pred) = inst.imm else { return Err(self.unsupported(inst)) };
        let ty = self.func.ty(inst.args[0]);
        if ty.elem == Scalar::I1 {
            return Err(self.unsupported(inst));
        }
        if !self.has_evex() {
            return Ok(self.compare_integers(pred, ty, inst.args[0], inst.args[1]));
        }
        if let Some(mask) = self.test_bits(inst) {
            return Ok(mask);
        }
        let signed = matches!(pred, IntPred::SLt | IntPred::SLe | IntPred::SGt | IntPred::SGe);
        let number = match pred {
            IntPred::Eq => 0,
            IntPred::SLt | IntPred::ULt => 1,
            IntPred::SLe | IntPred::ULe => 2,
            IntPred::Ne => 4,
            IntPred::SGe | IntPred::UGe => 5,
            IntPred::SGt | IntPred::UGt => 6,
        };
        let n = log_bytes(ty.elem);
        let first = self.value(inst.args[0]);
        let source = self.source(inst.args[1], n >= 2);
        let to = self.new_mask();
        let code = if signed || number == 0 || number == 4 { VPCMP[n] } else { VPCMPU[n] };
        self.push(MInst {
            reg: S::Def(to),
            v: S::Use(first),
            rm: source.rm,
            bcast: source.bcast,
            bytes: source.bytes,
            len: len(ty),
            imm: Imm::I8(number),
            ..op(code)
        });
        Ok(to)
    }

    // ---- arithmetic

    fn lanewise(&mut self, inst: &InstData, ty: Type) -> Result<VReg, CodeError> {
        use Op::*;
        let n = log_bytes(ty.elem);
        let small = ty.elem.bytes() <= 2;
        if matches!(inst.op, And | Or | Xor | Not)
            && let Some(reg) = self.bitwise_tree(inst, ty)
        {
            return Ok(reg);
        }
        if let Some(reg) = self.add_dot(inst, ty) {
            return Ok(reg);
        }
        let code = match inst.op {
            Add => VPADD[n],
            Sub => VPSUB[n],
            Mul if n == 3 && !self.has_evex() => {
                let (a, b) = (self.value(inst.args[0]), self.value(inst.args[1]));
                return Ok(self.multiply_64(ty, a, b));
            }
            Mul if n > 0 => VPMULL[n - 1],
            And => VPAND[wide(ty.elem)],
            Or => VPOR[wide(ty.elem)],
            Xor => VPXOR[wide(ty.elem)],
            MinS => VPMINS[n],
            MinU => VPMINU[n],
            MaxS => VPMAXS[n],
            MaxU => VPMAXU[n],
            AddSatS if small => VSAT[0][n],
            AddSatU if small => VSAT[1][n],
            SubSatS if small => VSAT[2][n],
            SubSatU if small => VSAT[3][n],
            RhaddU if small => VPAVG[n],
            MulHiS if n == 1 => VPMULHW[0],
            MulHiU if n == 1 => VPMULHW[1],
            Dot2S => {
                let first = self.value(inst.args[0]);
                let source = self.source(inst.args[1], false);
                return Ok(self.binary(VPMADDWD, ty, first, source));
            }
            Dot4Us if self.scope.target.byte_dots => return Ok(self.dot(inst, ty, None)),
            MulHiS | MulHiU if n == 2 => return Ok(self.mul_high_32(inst, ty)),
            Shl | Lshr | Ashr | Rotl => return self.vector_shift(inst, ty),
            Neg => {
                let zero = self.constant(ty, 0);
                let source = self.source(inst.args[0], n >= 2);
                return Ok(self.binary(VPSUB[n], ty, zero, source));
            }
            Not => {
                let from = self.value(inst.args[0]);
                return Ok(if self.has_evex() {
                    self.ternary(0x55, ty, from, from, from)
                } else {
                    self.invert(ty, from)
                });
            }
            AbsS if n == 3 && !self.has_evex() => {
                let from = self.value(inst.args[0]);
                let sign = self.signs_of_64(ty, from);
                let source = self.in_reg(sign);
                let flipped = self.binary(VPXOR[1], ty, from, source);
                return Ok(self.binary(VPSUB[3], ty, flipped, source));
            }
            AbsS => {
                let source = self.source(inst.args[0], n >= 2);
                return Ok(self.vec_unary(VPABS[n], ty, source));
            }
            Clz if n >= 2 && self.scope.target.leading_zeros => {
                let source = self.source(inst.args[0], true);
                return Ok(self.vec_unary(VPLZCNT[n - 2], ty, source));
            }
            Popcnt if n == 0 && !self.scope.target.counts_bits(8) => {
                let from = self.value(inst.args[0]);
                return Ok(self.count_in_bytes(ty, from));
            }
            Popcnt if self.scope.target.counts_bits(8 << n) => {
                let source = self.source(inst.args[0], n >= 2);
                return Ok(self.vec_unary(VPOPCNT[n], ty, source));
            }
            Ctz if self.scope.target.counts_bits(8 << n) => {
                // The bits below the lowest set one.
                let from = self.value(inst.args[0]);
                let ones = self.constant(ty, u64::MAX >> (64 - ty.elem.bits()));
                let ones = self.in_reg(ones);
                let less = self.binary(VPADD[n], ty, from, ones);
                let below = self.ternary(0x0a, ty, from, from, less);
                let source = self.in_reg(below);
                return Ok(self.vec_unary(VPOPCNT[n], ty, source));
            }
            Bitcast => return Ok(self.value(inst.args[0])),
            _ => return Err(self.unsupported(inst)),
        };
        let commutes = inst.op.is_commutative();
        let (a, b) = match inst.args[..] {
            [a, b] if commutes && self.foldable(a) && !self.foldable(b) => (b, a),
            [a, b] => (a, b),
            _ => return Err(self.unsupported(inst)),
        };
        let first = self.value(a);
        let source = self.source(b, n >= 2);
        Ok(self.binary(code, ty, first, source))
    }

    /// Any function of three bits: bit 4a + 2b + c of the table.
    pub(super) fn ternary(&mut self, table: u8, ty: Type, a: VReg, b: VReg, c: VReg) -> VReg {
        let to = self.new_vec();
        self.push(MInst {
            reg: S::Mod(a, to),
            v: S::Use(b),
            rm: Rm::Reg(S::Use(c)),
            len: len(ty),
            imm: Imm::I8(table as i8),
            ..op(VPTERNLOG[0])
        });
        to
    }

    fn mul_high_32(&mut self, inst: &InstData, ty: Type) -> VReg {
        let code = VPMULDQ[usize::from(inst.op == Op::MulHiU)];
        let (a, b) = (self.value(inst.args[0]), self.value(inst.args[1]));
        let source = self.in_reg(b);
        let even = self.binary(code, ty, a, source);
        let even = self.vec_shift_imm(VPSRL_IMM[2], ty, even, 32);
        let a = self.vec_shift_imm(VPSRL_IMM[2], ty, a, 32);
        // All lanes of a constant are alike.
        let is_constant = self.func.const_bits(inst.args[1]).is_some();
        let b = if is_constant { b } else { self.vec_shift_imm(VPSRL_IMM[2], ty, b, 32) };
        let source = self.in_reg(b);
        let odd = self.binary(code, ty, a, source);
        if !self.has_evex() {
            return self.vec_pair_imm(VPBLENDD, ty, even, odd, 0xaa);
        }
        let bits = self.constant(Type::I32, 0xaaaa);
        let mask = self.mask_from(bits);
        let odd = self.in_reg(odd);
        self.blend(ty.with_elem(Scalar::I32), mask, even, odd)
    }

    pub(super) fn vec_shift_imm(&mut self, code: Code, ty: Type, from: VReg, by: u32) -> VReg {
        let to = self.new_vec();
        // The result is the operand that other instructions have as their second one.
        self.push(MInst { v: S::Def(to), rm: Rm::Reg(S::Use(from)), len: len(ty), imm: Imm::I8(by as i8), ..op(code) });
        to
    }

    fn vector_shift(&mut self, inst: &InstData, ty: Type) -> Result<VReg, CodeError> {
        let bits = ty.elem.bits();
        let by = inst.args[1];
        let uniform = match self.func.def_inst(by) {
            Some(d) if d.op == Op::Splat => Some(d.args[0]),
            _ if !self.func.ty(by).is_vector() => Some(by),
            _ => None,
        };
        if ty.elem == Scalar::I8 {
            let constant = self.func.const_bits(by).or_else(|| self.func.const_bits(uniform?));
            return match uniform {
                _ if let Some(amount) = constant.filter(|_| inst.op != Op::Rotl) => {
                    Ok(self.shift_bytes_by_constant(inst, ty, amount as u32 & 7))
                }
                Some(amount) => self.shift_bytes_by_one(inst, ty, amount),
                None => self.shift_bytes(inst, ty),
            };
        }
        let n = log_bytes(ty.elem) - 1;
        if inst.op == Op::Rotl && n == 0 {
            return self.rotate_words(inst, ty);
        }
        let from = self.value(inst.args[0]);
        if let Some(amount) = self.func.const_bits(by).or_else(|| uniform.and_then(|u| self.func.const_bits(u))) {
            let amount = amount as u32 & (bits - 1);
            if inst.op == Op::Ashr && n == 2 && !self.has_evex() {
                return Ok(self.shift_64_signed(ty, from, amount));
            }
            let code = match inst.op {
                Op::Shl => VPSLL_IMM[n],
                Op::Lshr => VPSRL_IMM[n],
                Op::Ashr => VPSRA_IMM[n],
                _ => VPROL_IMM[n - 1],
            };
            return Ok(self.vec_shift_imm(code, ty, from, amount));
        }
        if let Some(uniform) = uniform
            && inst.op != Op::Rotl
        {
            let amount = self.value(uniform);
            let amount = self.alu_with_imm(4, amount, bits as i32 - 1, 4);
            let amount = self.vec_from(Rm::Reg(S::Use(amount)), 4);
            if inst.op == Op::Ashr && n == 2 && !self.has_evex() {
                return Ok(self.shift_64_signed_by(ty, from, amount));
            }
            let code = match inst.op {
                Op::Shl => VPSLL[n],
                Op::Lshr => VPSRL[n],
                _ => VPSRA[n],
            };
            let source = self.in_reg(amount);
            return Ok(self.binary(code, ty, from, source));
        }
        if !self.func.ty(by).is_vector() {
            return Err(self.unsupported(inst));
        }
        let amount = self.value(by);
        if inst.op == Op::Rotl {
            let source = self.in_reg(amount);
            return Ok(self.binary(VPROLV[n - 1], ty, from, source));
        }
        let is_masked = self
            .func
            .def_inst(by)
            .is_some_and(|d| d.op == Op::And && self.func.const_bits(d.args[1]) == Some(u64::from(bits) - 1));
        let amount = if is_masked { amount } else { self.masked_amount(ty, amount) };
        let code = match inst.op {
            Op::Shl => VPSLLV[n],
            Op::Lshr => VPSRLV[n],
            _ => VPSRAV[n],
        };
        let source = self.in_reg(amount);
        Ok(self.binary(code, ty, from, source))
    }

    /// Shift amounts modulo the width.
    fn masked_amount(&mut self, ty: Type, amount: VReg) -> VReg {
        let mask = self.mask_source(ty, u64::from(ty.elem.bits()) - 1);
        self.binary(VPAND[wide(ty.elem)], ty, amount, mask)
    }

    /// A constant in all lanes as an operand of a bitwise instruction.
    fn mask_source(&mut self, ty: Type, bits: u64) -> Source {
        if ty.elem.bytes() >= 4 || !self.has_evex() {
            return self.mask_constant(ty, bits);
        }
        let reg = self.constant(ty, bits);
        self.in_reg(reg)
    }

    /// Words rotate as two shifts.
    fn rotate_words(&mut self, inst: &InstData, ty: Type) -> Result<VReg, CodeError> {
        if !self.func.ty(inst.args[1]).is_vector() {
            return Err(self.unsupported(inst));
        }
        let (from, amount) = (self.value(inst.args[0]), self.value(inst.args[1]));
        let left = self.masked_amount(ty, amount);
        let zero = self.constant(ty, 0);
        let source = self.in_reg(amount);
        let negative = self.binary(VPSUB[1], ty, zero, source);
        let right = self.masked_amount(ty, negative);
        let (left, right) = (self.in_reg(left), self.in_reg(right));
        let up = self.binary(VPSLLV[0], ty, from, left);
        let down = self.binary(VPSRLV[0], ty, from, right);
        let down = self.in_reg(down);
        Ok(self.binary(VPOR[0], ty, up, down))
    }

    /// As `shift_bytes_by_one`, by an amount that the compiler knows.
    fn shift_bytes_by_constant(&mut self, inst: &InstData, ty: Type, amount: u32) -> VReg {
        let from = self.value(inst.args[0]);
        let words = ty.with_elem(Scalar::I16).with_lanes((ty.lanes / 2).max(1));
        let left = inst.op == Op::Shl;
        let kept = if left { 0xffu8 << amount } else { 0xffu8 >> amount };
        let moved = self.vec_shift_imm(if left { VPSLL_IMM[0] } else { VPSRL_IMM[0] }, words, from, amount);
        let kept = self.constant(ty, kept.into());
        let kept = self.in_reg(kept);
        let logical = self.binary(VPAND[0], ty, moved, kept);
        if inst.op != Op::Ashr {
            return logical;
        }
        let sign = self.constant(ty, (0x80u8 >> amount).into());
        let sign = self.in_reg(sign);
        let flipped = self.binary(VPXOR[0], ty, logical, sign);
        self.binary(VPSUB[0], ty, flipped, sign)
    }

    /// Bytes shift by one amount as words; then what came from their neighbours goes.
    fn shift_bytes_by_one(&mut self, inst: &InstData, ty: Type, amount: Value) -> Result<VReg, CodeError> {
        if inst.op == Op::Rotl {
            return Err(self.unsupported(inst));
        }
        let from = self.value(inst.args[0]);
        let words = ty.with_elem(Scalar::I16).with_lanes((ty.lanes / 2).max(1));
        let amount = self.value(amount);
        let amount = self.alu_with_imm(4, amount, 7, 4);
        let shift = |this: &mut Self, constant: u64, code: Code| {
            let bits = this.constant(Type::I32, constant);
            let to = this.new_gpr();
            this.push(MInst { reg: S::Def(to), v: S::Use(amount), rm: Rm::Reg(S::Use(bits)), size: 4, ..op(code) });
            this.broadcast_gpr(to, ty)
        };
        let left = inst.op == Op::Shl;
        let kept = shift(self, 0xff, if left { SHLX } else { SHRX });
        let by = self.vec_from(Rm::Reg(S::Use(amount)), 4);
        let by = self.in_reg(by);
        let moved = self.binary(if left { VPSLL[0] } else { VPSRL[0] }, words, from, by);
        let kept = self.in_reg(kept);
        let logical = self.binary(VPAND[0], ty, moved, kept);
        if inst.op != Op::Ashr {
            return Ok(logical);
        }
        // The sign bit, moved along, spreads upwards in a difference.
        let sign = shift(self, 0x80, SHRX);
        let sign = self.in_reg(sign);
        let flipped = self.binary(VPXOR[0], ty, logical, sign);
        Ok(self.binary(VPSUB[0], ty, flipped, sign))
    }

    /// Bytes shift as words.
    fn shift_bytes(&mut self, inst: &InstData, ty: Type) -> Result<VReg, CodeError> {
        let by = self.func.ty(inst.args[1]);
        if ty.lanes > 32 || inst.op == Op::Rotl || !by.is_vector() {
            return Err(self.unsupported(inst));
        }
        let words = ty.with_elem(Scalar::I16);
        let (from, amount) = (self.value(inst.args[0]), self.value(inst.args[1]));
        let (Some(extend), Some(zero_extend), Some(back)) =
            (widen(1, 2, inst.op == Op::Ashr), widen(1, 2, false), narrow(2, 1))
        else {
            return Err(self.unsupported(inst));
        };
        let source = self.in_reg(from);
        let from = self.vec_unary(extend, words, source);
        let source = self.in_reg(amount);
        let amount = self.vec_unary(zero_extend, words, source);
        let mask = self.mask_source(words, 7);
        let amount = self.binary(VPAND[0], words, amount, mask);
        let code = match inst.op {
            Op::Shl => VPSLLV[0],
            Op::Lshr => VPSRLV[0],
            _ => VPSRAV[0],
        };
        let source = self.in_reg(amount);
        let shifted = self.binary(code, words, from, source);
        Ok(self.narrow_to(back, words, shifted))
    }

    /// An instruction whose result stands in the place of memory.
    pub(super) fn narrow_to(&mut self, code: Code, from_ty: Type, from: VReg) -> VReg {
        let to = self.new_vec();
        self.push(MInst { reg: S::Use(from), rm: Rm::Reg(S::Def(to)), len: len(from_ty), ..op(code) });
        to
    }

    // ---- conversions

    fn resize(&mut self, inst: &InstData, ty: Type) -> Result<VReg, CodeError> {
        let from = self.func.ty(inst.args[0]);
        if from.elem == Scalar::I1 {
            let mask = self.value(inst.args[0]);
            if inst.op == Op::Sext {
                return Ok(self.mask_result(mask, ty));
            }
            let one = self.pool(&1u64.to_le_bytes()[..ty.elem.bytes() as usize]);
            let to = self.new_vec();
            self.push(MInst {
                reg: S::Def(to),
                rm: Rm::Mem(one),
                bytes: ty.elem.bytes() as u8,
                k: S::Use(mask),
                zero: true,
                len: len(ty),
                ..op(VPBROADCAST[log_bytes(ty.elem)])
            });
            return Ok(to);
        }
        if ty.elem == Scalar::I1 {
            let n = log_bytes(from.elem);
            let first = self.value(inst.args[0]);
            let one = self.mask_source(from, 1);
            let to = self.new_mask();
            self.push(MInst {
                reg: S::Def(to),
                v: S::Use(first),
                rm: one.rm,
                bcast: one.bcast,
                bytes: one.bytes,
                len: len(from),
                ..op(VPTESTM[n])
            });
            return Ok(to);
        }
        if inst.op == Op::Trunci {
            let code = narrow(from.elem.bytes(), ty.elem.bytes()).ok_or_else(|| self.unsupported(inst))?;
            let reg = self.value(inst.args[0]);
            return Ok(self.narrow_to(code, from, reg));
        }
        let code =
            widen(from.elem.bytes(), ty.elem.bytes(), inst.op == Op::Sext).ok_or_else(|| self.unsupported(inst))?;
        let reg = self.value(inst.args[0]);
        let source = self.in_reg(reg);
        Ok(self.vec_unary(code, ty, source))
    }

    pub(super) fn vector_conversion(
        &mut self,
        inst: &InstData,
        from: Type,
        to: Type,
        round: Option<u8>,
    ) -> Result<(), CodeError> {
        // The instruction's length is that of the longer side.
        let longer = if from.elem.bytes() > to.elem.bytes() { from } else { to };
        let arg = self.value(inst.args[0]);
        let source = self.in_reg(arg);
        let code = match (inst.op, from.elem, to.elem) {
            (Op::Fpext, Scalar::F32, _) => VCVTPS2PD,
            (Op::Fpext, Scalar::F16 | Scalar::I16, Scalar::F32) => VCVTPH2PS,
            (Op::Fptrunc, Scalar::F64, Scalar::F32) => VCVTPD2PS,
            (Op::Fptrunc, Scalar::F32, Scalar::F16 | Scalar::I16) => {
                let to = self.new_vec();
                let imm = Imm::I8(round.unwrap_or(0) as i8);
                self.push(MInst { reg: S::Use(arg), rm: Rm::Reg(S::Def(to)), len: len(from), imm, ..op(VCVTPS2PH) });
                self.define(inst, to);
                return Ok(());
            }
            (Op::Uitofp, Scalar::I32, Scalar::F32 | Scalar::F64) if !self.has_evex() => {
                let reg = self.unsigned_to_floats(arg, to);
                self.define(inst, reg);
                return Ok(());
            }
            (Op::Fptosi | Op::Fptoui, Scalar::F32, Scalar::I32)
                if inst.attr.rm == ir::Rounding::Rtz && !self.has_evex() =>
            {
                let reg = self.floats_to_ints(arg, from, inst.op == Op::Fptosi);
                self.define(inst, reg);
                return Ok(());
            }
            (Op::Sitofp | Op::Uitofp, Scalar::I32 | Scalar::I64, Scalar::F32 | Scalar::F64) => {
                super::float::int_to_float_code(from.elem, to.elem, inst.op == Op::Uitofp)
            }
            (Op::Fptosi | Op::Fptoui, Scalar::F32 | Scalar::F64, Scalar::I32 | Scalar::I64)
                if inst.attr.rm == ir::Rounding::Rtz =>
            {
                let used = from.with_lanes(from.lanes.min(to.lanes));
                let reg = self.truncate(arg, used, to.elem, inst.op == Op::Fptosi);
                self.define(inst, reg);
                return Ok(());
            }
            _ => return Err(self.unsupported(inst)),
        };
        let exact = matches!(code.name, "vcvtps2pd" | "vcvtph2ps" | "vcvtdq2pd" | "vcvtudq2pd");
        let reg = match round.filter(|_| !exact) {
            Some(round) => {
                let to = self.new_vec();
                self.push(MInst { reg: S::Def(to), rm: source.rm, round: Some(round), ..op(code) });
                self.note_length(longer, Some(round));
                to
            }
            None => self.vec_unary(code, longer, source),
        };
        self.define(inst, reg);
        Ok(())
    }
}
