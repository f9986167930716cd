//! Scalar integer ops.

use super::cond::{alu_imm, int_cc};
use super::value::op;
use super::{Select, gpr_size};
use crate::codegen::x64wide::code::{self, *};
use crate::codegen::x64wide::encode::{Code, Imm};
use crate::codegen::x64wide::mir::{Kind, MInst, RAX, RCX, RDX, Rm, S, gpr};
use crate::error::CodeError;
use crate::ir::{InstData, IntPred, Op, Scalar, Type, Value};
use regalloc2::{Operand, VReg};

impl Select<'_> {
    pub(super) fn int(&mut self, inst: &InstData) -> Result<(), CodeError> {
        use Op::*;
        let Some(result) = inst.result else { return Err(self.unsupported(inst)) };
        let ty = self.func.ty(result);
        let size = gpr_size(ty);
        let arg = |n: usize| inst.args[n];
        let reg = match inst.op {
            Add => self.add(arg(0), arg(1), size),
            Sub => self.alu(SUB, 5, arg(0), arg(1), size),
            And => self.alu_commuting(AND, 4, arg(0), arg(1), size),
            Or => self.alu_commuting(OR, 1, arg(0), arg(1), size),
            Xor => self.alu_commuting(XOR, 6, arg(0), arg(1), size),
            Mul => self.mul(arg(0), arg(1), size),
            Not if ty == Type::I1 => {
                let from = self.value(arg(0));
                self.alu_with_imm(6, from, 1, 4)
            }
            Not => self.modify(NOT, arg(0), size),
            Neg => self.modify(NEG, arg(0), size),
            Shl | Lshr | Ashr => self.shift(inst.op, ty, arg(0), arg(1)),
            Rotl => self.rotate(ty, arg(0), arg(1)),
            MulHiU | MulHiS if ty.elem == Scalar::I64 => self.mul_high(inst.op == MulHiS, arg(0), arg(1)),
            DivS | DivU | RemS | RemU if size == 8 || ty.elem == Scalar::I32 => {
                self.divide(inst.op, ty, arg(0), arg(1))
            }
            Bswap if ty == Type::I8 => self.value(arg(0)),
            Bswap => {
                let from = self.value(arg(0));
                self.swap_bytes(from, ty.elem.bits(), size)
            }
            Clz | Ctz | Popcnt | Bitrev => self.bits(inst.op, ty, arg(0)),
            MinS => self.extremum(IntPred::SLt, ty, arg(0), arg(1)),
            MaxS => self.extremum(IntPred::SGt, ty, arg(0), arg(1)),
            MinU => self.extremum(IntPred::ULt, ty, arg(0), arg(1)),
            MaxU => self.extremum(IntPred::UGt, ty, arg(0), arg(1)),
            AbsS => self.abs(ty, arg(0)),
            Trunci if ty == Type::I1 => {
                let from = self.value(arg(0));
                self.alu_with_imm(4, from, 1, 4)
            }
            Trunci => self.value(arg(0)),
            Zext if self.func.ty(arg(0)) == Type::I1 => self.value(arg(0)),
            Sext if self.func.ty(arg(0)) == Type::I1 => {
                let from = self.value(arg(0));
                let to = self.new_gpr();
                self.push(MInst { rm: Rm::Reg(S::Mod(from, to)), size, ..op(NEG) });
                to
            }
            Zext => self.extend(arg(0), false, size),
            Sext => self.extend(arg(0), true, size),
            _ => return Err(self.unsupported(inst)),
        };
        let zeroes = match inst.op {
            Add | Sub | And | Or | Xor | Mul | Not | Neg | Shl | Lshr | Rotl | Clz | Ctz | Popcnt => {
                ty.elem == Scalar::I32
            }
            Zext => true,
            _ => false,
        };
        if zeroes {
            self.define_clean(inst, reg)
        } else {
            self.define(inst, reg)
        }
        Ok(())
    }

    /// `from op imm`.
    pub(super) fn alu_with_imm(&mut self, digit: usize, from: VReg, imm: i32, size: u8) -> VReg {
        let to = self.new_gpr();
        let (code, imm) = alu_imm(digit, size, imm);
        self.push(MInst { rm: Rm::Reg(S::Mod(from, to)), size, imm, ..op(code) });
        to
    }

    fn alu(&mut self, code: Code, digit: usize, a: Value, b: Value, size: u8) -> VReg {
        let first = self.value(a);
        if let Some(imm) = self.imm(b) {
            return self.alu_with_imm(digit, first, imm, size);
        }
        let rm = self.int_source(b, size);
        let to = self.new_gpr();
        self.push(MInst { reg: S::Mod(first, to), rm, size, ..op(code) });
        to
    }

    fn alu_commuting(&mut self, code: Code, digit: usize, a: Value, b: Value, size: u8) -> VReg {
        let swap = self.imm(a).is_some() || (self.foldable(a) && self.imm(b).is_none() && !self.foldable(b));
        if swap { self.alu(code, digit, b, a, size) } else { self.alu(code, digit, a, b, size) }
    }

    /// A sum; not over its first operand if that is still needed.
    fn add(&mut self, a: Value, b: Value, size: u8) -> VReg {
        use crate::codegen::x64wide::mir::{Base, Mem};
        let (a, b) = if self.imm(a).is_some() { (b, a) } else { (a, b) };
        if self.plan.uses(a) > 1 && !self.foldable(a) {
            let first = self.value(a);
            let mem = match self.imm(b) {
                Some(disp) => Some(Mem { base: Base::Reg(first), index: None, scale: 1, disp }),
                None if self.plan.uses(b) > 1 && !self.foldable(b) => {
                    let second = self.value(b);
                    Some(Mem { base: Base::Reg(first), index: Some(second), scale: 1, disp: 0 })
                }
                None => None,
            };
            if let Some(mem) = mem {
                return self.unary(LEA, size, Rm::Mem(mem));
            }
            return self.alu(ADD, 0, b, a, size);
        }
        self.alu_commuting(ADD, 0, a, b, size)
    }

    fn mul(&mut self, a: Value, b: Value, size: u8) -> VReg {
        let (a, b) = if self.imm(a).is_some() { (b, a) } else { (a, b) };
        if let Some(factor) = self.imm(b) {
            if factor > 0 && factor.unsigned_abs().is_power_of_two() {
                let first = self.value(a);
                return self.shift_imm(SHL_IMM, first, factor.trailing_zeros(), size);
            }
            let rm = self.int_source(a, size);
            let (code, imm) = match i8::try_from(factor) {
                Ok(short) => (IMUL_IMM8, Imm::I8(short)),
                Err(_) => (IMUL_IMM, Imm::I32(factor)),
            };
            let to = self.new_gpr();
            self.push(MInst { reg: S::Def(to), rm, size, imm, ..op(code) });
            return to;
        }
        let (a, b) = if self.foldable(a) && !self.foldable(b) { (b, a) } else { (a, b) };
        let first = self.value(a);
        let rm = self.int_source(b, size);
        let to = self.new_gpr();
        self.push(MInst { reg: S::Mod(first, to), rm, size, ..op(IMUL) });
        to
    }

    /// An instruction that changes its operand in place.
    fn modify(&mut self, code: Code, v: Value, size: u8) -> VReg {
        let from = self.value(v);
        let to = self.new_gpr();
        self.push(MInst { rm: Rm::Reg(S::Mod(from, to)), size, ..op(code) });
        to
    }

    pub(super) fn shift_imm(&mut self, code: Code, from: VReg, by: u32, size: u8) -> VReg {
        if by == 0 {
            return from;
        }
        let to = self.new_gpr();
        self.push(MInst { rm: Rm::Reg(S::Mod(from, to)), size, imm: Imm::I8(by as i8), ..op(code) });
        to
    }

    fn shift(&mut self, kind: Op, ty: Type, a: Value, by: Value) -> VReg {
        let size = gpr_size(ty);
        let width = ty.elem.bits();
        let (imm_code, code) = match kind {
            Op::Shl => (SHL_IMM, SHLX),
            Op::Lshr => (SHR_IMM, SHRX),
            _ => (SAR_IMM, SARX),
        };
        let from = match kind {
            Op::Lshr if width < 32 => self.extend(a, false, 4),
            Op::Ashr if width < 32 => self.extend(a, true, 4),
            _ => self.value(a),
        };
        if let Some(bits) = self.func.const_bits(by) {
            return self.shift_imm(imm_code, from, bits as u32 & (width - 1), size);
        }
        let mut amount = self.value(by);
        if width < 32 {
            amount = self.alu_with_imm(4, amount, width as i32 - 1, 4);
        }
        let to = self.new_gpr();
        self.push(MInst { reg: S::Def(to), v: S::Use(amount), rm: Rm::Reg(S::Use(from)), size, ..op(code) });
        to
    }

    fn rotate(&mut self, ty: Type, a: Value, by: Value) -> VReg {
        let size = ty.elem.bytes() as u8;
        let from = self.value(a);
        let to = self.new_gpr();
        if let Some(bits) = self.func.const_bits(by) {
            let left = bits as u32 & (ty.elem.bits() - 1);
            if size >= 4 {
                let right = (ty.elem.bits() - left) & (ty.elem.bits() - 1);
                let imm = Imm::I8(right as i8);
                self.push(MInst { reg: S::Def(to), rm: Rm::Reg(S::Use(from)), size, imm, ..op(RORX) });
            } else {
                self.push(MInst { rm: Rm::Reg(S::Mod(from, to)), size, imm: Imm::I8(left as i8), ..op(ROL_IMM) });
            }
            return to;
        }
        let amount = self.value(by);
        let mut inst = MInst { rm: Rm::Reg(S::Mod(from, to)), size, ..op(ROL_CL) };
        inst.fixed.push(Operand::reg_fixed_use(amount, gpr(RCX)));
        self.push(inst);
        to
    }

    fn mul_high(&mut self, signed: bool, a: Value, b: Value) -> VReg {
        let (first, second) = (self.value(a), self.value(b));
        let (high, low) = (self.new_gpr(), self.new_gpr());
        let mut inst = MInst { rm: Rm::Reg(S::Use(second)), size: 8, ..op(if signed { IMUL1 } else { MUL }) };
        inst.fixed.push(Operand::reg_fixed_use(first, gpr(RAX)));
        inst.fixed.push(Operand::reg_fixed_def(high, gpr(RDX)));
        inst.fixed.push(Operand::reg_fixed_def(low, gpr(RAX)));
        self.push(inst);
        high
    }

    /// Division whose divisor is known to be harmless.
    fn divide(&mut self, kind: Op, ty: Type, a: Value, b: Value) -> VReg {
        let size = gpr_size(ty);
        let signed = matches!(kind, Op::DivS | Op::RemS);
        let remainder = matches!(kind, Op::RemS | Op::RemU);
        if let Some(bits) = self.func.const_bits(b)
            && let Some(reg) = self.divide_by(ty, signed, remainder, a, bits)
        {
            return reg;
        }
        let (low, divisor) = (self.value(a), self.value(b));
        let high = self.new_gpr();
        if signed {
            let mut extend = MInst { size, ..MInst::new(Kind::SignRax) };
            extend.fixed.push(Operand::reg_fixed_use(low, gpr(RAX)));
            extend.fixed.push(Operand::reg_fixed_def(high, gpr(RDX)));
            self.push(extend);
        } else {
            self.push(MInst { reg: S::Def(high), size: 4, ..MInst::new(Kind::Zero) });
        }
        let (quotient, rest) = (self.new_gpr(), self.new_gpr());
        let mut inst = MInst { rm: Rm::Reg(S::Use(divisor)), size, ..op(if signed { IDIV } else { DIV }) };
        inst.fixed.push(Operand::reg_fixed_use(low, gpr(RAX)));
        inst.fixed.push(Operand::reg_fixed_use(high, gpr(RDX)));
        inst.fixed.push(Operand::reg_fixed_def(quotient, gpr(RAX)));
        inst.fixed.push(Operand::reg_fixed_def(rest, gpr(RDX)));
        self.push(inst);
        if remainder { rest } else { quotient }
    }

    /// Division by a constant of 2 or more (as signed: of absolute value 2 or more, positive): by shifts, or by the
    /// high half of a product.
    fn divide_by(&mut self, ty: Type, signed: bool, remainder: bool, a: Value, bits: u64) -> Option<VReg> {
        let width = ty.elem.bits();
        let size = gpr_size(ty);
        let divisor = if signed { u64::try_from((bits << (64 - width)) as i64 >> (64 - width)).ok()? } else { bits };
        if divisor < 2 {
            return None;
        }
        let log = 63 - divisor.leading_zeros();
        let from = self.value(a);
        let quotient = if divisor.is_power_of_two() && !signed {
            if remainder && let Ok(mask) = i32::try_from(divisor - 1) {
                return Some(self.alu_with_imm(4, from, mask, size));
            }
            self.shift_imm(SHR_IMM, from, log, size)
        } else if divisor.is_power_of_two() {
            // Towards zero: a negative dividend first gets divisor - 1.
            let sign = self.shift_imm(SAR_IMM, from, width - 1, size);
            let bias = self.shift_imm(SHR_IMM, sign, width - log, size);
            let sum = self.add_regs(from, bias, size);
            self.shift_imm(SAR_IMM, sum, log, size)
        } else if width == 32 {
            self.divide_32(signed, a, from, divisor, log)
        } else {
            return None;
        };
        if !remainder {
            return Some(quotient);
        }
        let imm = Imm::I32(i32::try_from(divisor).ok().or_else(|| (width == 32).then_some(divisor as i32))?);
        let product = self.new_gpr();
        self.push(MInst { reg: S::Def(product), rm: Rm::Reg(S::Use(quotient)), size, imm, ..op(IMUL_IMM) });
        let to = self.new_gpr();
        self.push(MInst { reg: S::Mod(from, to), rm: Rm::Reg(S::Use(product)), size, ..op(SUB) });
        Some(to)
    }

    /// 32-bit division by a constant that is no power of two: with m = floor(2^(32+log) / d) + 1, x * m >> (32+log) is
    /// exact for all x below 2^32 - or needs 33 bits for m, which a 64-bit product in two steps has room for.
    fn divide_32(&mut self, signed: bool, a: Value, from: VReg, divisor: u64, log: u32) -> VReg {
        let factor = (1u64 << (32 + log)) / divisor + 1;
        if signed {
            let wide = self.extend(a, true, 8);
            let product = self.mul_const(wide, factor);
            let high = self.shift_imm(SAR_IMM, product, 32 + log, 8);
            // One more for negative dividends.
            let sign = self.shift_imm(SAR_IMM, from, 31, 4);
            let to = self.new_gpr();
            self.push(MInst { reg: S::Mod(high, to), rm: Rm::Reg(S::Use(sign)), size: 4, ..op(SUB) });
            return to;
        }
        let wide = self.extend(a, false, 8);
        // The smallest precision that is exact: with log + 1 bits more the factor has 33 bits.
        let error = factor * divisor - (1u64 << (32 + log));
        if error <= 1 << log {
            let product = self.mul_const(wide, factor);
            return self.shift_imm(SHR_IMM, product, 32 + log, 8);
        }
        let factor = ((1u128 << (33 + log)) / u128::from(divisor) + 1 - (1 << 32)) as u64;
        let product = self.mul_const(wide, factor);
        let high = self.shift_imm(SHR_IMM, product, 32, 8);
        // (x - high) / 2 + high, then the rest of the shift.
        let rest = self.new_gpr();
        self.push(MInst { reg: S::Mod(wide, rest), rm: Rm::Reg(S::Use(high)), size: 8, ..op(SUB) });
        let half = self.shift_imm(SHR_IMM, rest, 1, 8);
        let sum = self.add_regs(half, high, 8);
        self.shift_imm(SHR_IMM, sum, log, 8)
    }

    pub(super) fn mul_const(&mut self, reg: VReg, factor: u64) -> VReg {
        let to = self.new_gpr();
        match i32::try_from(factor) {
            Ok(imm) => {
                let imm = Imm::I32(imm);
                self.push(MInst { reg: S::Def(to), rm: Rm::Reg(S::Use(reg)), size: 8, imm, ..op(IMUL_IMM) });
            }
            Err(_) => {
                let factor = self.constant(Type::I64, factor);
                self.push(MInst { reg: S::Mod(factor, to), rm: Rm::Reg(S::Use(reg)), size: 8, ..op(IMUL) });
            }
        }
        to
    }

    pub(super) fn add_regs(&mut self, a: VReg, b: VReg, size: u8) -> VReg {
        let to = self.new_gpr();
        self.push(MInst { reg: S::Mod(a, to), rm: Rm::Reg(S::Use(b)), size, ..op(ADD) });
        to
    }

    fn bits(&mut self, kind: Op, ty: Type, a: Value) -> VReg {
        let width = ty.elem.bits();
        let size = gpr_size(ty);
        match kind {
            Op::Ctz if width < 32 => {
                // A bit behind the last one ends the search.
                let from = self.value(a);
                let guarded = self.alu_with_imm(1, from, 1 << width, 4);
                self.unary(TZCNT, 4, Rm::Reg(S::Use(guarded)))
            }
            Op::Bitrev => {
                let from = if width < 32 { self.extend(a, false, 4) } else { self.value(a) };
                self.reverse(from, width, size)
            }
            _ if width < 32 => {
                let from = self.extend(a, false, 4);
                if kind == Op::Popcnt {
                    return self.unary(POPCNT, 4, Rm::Reg(S::Use(from)));
                }
                let zeros = self.unary(LZCNT, 4, Rm::Reg(S::Use(from)));
                self.alu_with_imm(5, zeros, 32 - width as i32, 4)
            }
            _ => {
                let rm = self.int_source(a, size);
                let code = match kind {
                    Op::Ctz => TZCNT,
                    Op::Clz => LZCNT,
                    _ => POPCNT,
                };
                self.unary(code, size, rm)
            }
        }
    }

    /// Bits within bytes by swapping neighbours, then the bytes.
    fn reverse(&mut self, from: VReg, width: u32, size: u8) -> VReg {
        let mut at = from;
        for (by, mask) in [(1, 0x5555_5555_5555_5555u64), (2, 0x3333_3333_3333_3333), (4, 0x0f0f_0f0f_0f0f_0f0f)] {
            let mask = if size == 8 { mask } else { mask & 0xffff_ffff };
            let mask = self.constant(Type::I64, mask);
            let down = self.shift_imm(SHR_IMM, at, by, size);
            let down = self.and_regs(down, mask, size);
            let up = self.and_regs(at, mask, size);
            let up = self.shift_imm(SHL_IMM, up, by, size);
            let to = self.new_gpr();
            self.push(MInst { reg: S::Mod(down, to), rm: Rm::Reg(S::Use(up)), size, ..op(OR) });
            at = to;
        }
        if width == 8 { at } else { self.swap_bytes(at, width, size) }
    }

    /// The bytes of a register in reverse order; of 16 bits, whatever is above them.
    fn swap_bytes(&mut self, at: VReg, width: u32, size: u8) -> VReg {
        let swapped = self.new_gpr();
        self.push(MInst { rm: Rm::Reg(S::Mod(at, swapped)), size, ..op(BSWAP) });
        if width == 16 { self.shift_imm(SHR_IMM, swapped, 16, 4) } else { swapped }
    }

    fn and_regs(&mut self, a: VReg, b: VReg, size: u8) -> VReg {
        let to = self.new_gpr();
        self.push(MInst { reg: S::Mod(a, to), rm: Rm::Reg(S::Use(b)), size, ..op(AND) });
        to
    }

    /// The first operand if the predicate holds, else the second.
    fn extremum(&mut self, pred: IntPred, ty: Type, a: Value, b: Value) -> VReg {
        let signed = matches!(pred, IntPred::SLt | IntPred::SGt);
        let narrow = ty.elem.bits() < 32;
        let size = gpr_size(ty);
        let get = |this: &mut Self, v: Value| if narrow { this.extend(v, signed, 4) } else { this.value(v) };
        let (a, b) = (get(self, a), get(self, b));
        self.push(MInst { reg: S::Use(a), rm: Rm::Reg(S::Use(b)), size, ..op(CMP) });
        let to = self.new_gpr();
        let code = code::cmov(int_cc(pred));
        self.push(MInst { reg: S::Mod(b, to), rm: Rm::Reg(S::Use(a)), size, ..op(code) });
        to
    }

    fn abs(&mut self, ty: Type, v: Value) -> VReg {
        let size = gpr_size(ty);
        let from = if ty.elem.bits() < 32 { self.extend(v, true, 4) } else { self.value(v) };
        let negated = self.new_gpr();
        self.push(MInst { rm: Rm::Reg(S::Mod(from, negated)), size, ..op(NEG) });
        let to = self.new_gpr();
        let code = code::cmov(Cc::S);
        self.push(MInst { reg: S::Mod(negated, to), rm: Rm::Reg(S::Use(from)), size, ..op(code) });
        to
    }
}
