//! What takes other instructions, or several, on a machine without EVEX: masks are vectors of integers 0 and -1 whose
//! signs select, and AVX2 lacks unsigned comparisons, most arithmetic on 64-bit integers, and conversions of unsigned
//! integers. Shuffles are in `shuffle`.

use super::Select;
use super::cond::float_predicate;
use super::value::{Source, len, op, wide};
use super::vector::log_bytes;
use crate::codegen::x64wide::code::{self, *};
use crate::codegen::x64wide::encode::{Code, Imm};
use crate::codegen::x64wide::mir::{MInst, Rm, S};
use crate::error::CodeError;
use crate::ir::{FloatPred, InstData, IntPred, Op, Scalar, Type, Value};
use regalloc2::VReg;

/// 2^exp as f32 or f64.
fn power(elem: Scalar, exp: u64) -> u64 {
    if elem == Scalar::F32 { (exp + 127) << 23 } else { (exp + 1023) << 52 }
}

/// All bits of an element.
fn ones(ty: Type) -> u64 {
    u64::MAX >> (64 - ty.elem.bits())
}

impl Select<'_> {
    /// `code(from, imm)`.
    pub(super) fn vec_imm(&mut self, code: Code, ty: Type, from: VReg, imm: u8) -> VReg {
        let to = self.new_vec();
        self.push(MInst {
            reg: S::Def(to),
            rm: Rm::Reg(S::Use(from)),
            len: len(ty),
            imm: Imm::I8(imm as i8),
            ..op(code)
        });
        to
    }

    /// `code(a, b, imm)`.
    pub(super) fn vec_pair_imm(&mut self, code: Code, ty: Type, a: VReg, b: VReg, imm: u8) -> VReg {
        let to = self.new_vec();
        self.push(MInst {
            reg: S::Def(to),
            v: S::Use(a),
            rm: Rm::Reg(S::Use(b)),
            len: len(ty),
            imm: Imm::I8(imm as i8),
            ..op(code)
        });
        to
    }

    /// `code(a, b)`.
    pub(super) fn vec_pair(&mut self, code: Code, ty: Type, a: VReg, b: VReg) -> VReg {
        let source = self.in_reg(b);
        self.binary(code, ty, a, source)
    }

    // ---- masks

    /// A scalar boolean as the sign of lane 0, whatever its width.
    pub(super) fn sign_from_bool(&mut self, v: Value) -> VReg {
        let from = self.value(v);
        let all = self.new_gpr();
        self.push(MInst { rm: Rm::Reg(S::Mod(from, all)), size: 8, ..op(NEG) });
        self.vec_from(Rm::Reg(S::Use(all)), 8)
    }

    /// The complement of all bits.
    pub(super) fn invert(&mut self, ty: Type, v: VReg) -> VReg {
        let all = self.constant(ty.with_elem(ty.elem.as_int()), ones(ty));
        self.vec_pair(VPXOR[0], ty, v, all)
    }

    /// A comparison of vectors of integers. The machine knows equal and, for signed ones, greater.
    pub(super) fn compare_integers(&mut self, pred: IntPred, ty: Type, a: Value, b: Value) -> VReg {
        use IntPred::*;
        let n = log_bytes(ty.elem);
        if matches!(pred, Eq | Ne) {
            let (a, b) = if self.foldable(a) && !self.foldable(b) { (b, a) } else { (a, b) };
            let first = self.value(a);
            let source = self.source(b, false);
            let equal = self.binary(VPCMPEQ[n], ty, first, source);
            return if pred == Eq { equal } else { self.invert(ty, equal) };
        }
        let unsigned = matches!(pred, ULt | ULe | UGt | UGe);
        if unsigned && n < 3 {
            // a >= b if a is the larger one.
            let up = matches!(pred, UGe | ULt);
            let first = self.value(a);
            let source = self.source(b, false);
            let extreme = self.binary(if up { VPMAXU[n] } else { VPMINU[n] }, ty, first, source);
            let holds = self.vec_pair(VPCMPEQ[n], ty, extreme, first);
            return if matches!(pred, UGe | ULe) { holds } else { self.invert(ty, holds) };
        }
        let swap = matches!(pred, SLt | SGe | ULt | UGe);
        let (a, b) = if swap { (b, a) } else { (a, b) };
        let greater = if unsigned {
            let flip = |this: &mut Self, v: Value| {
                let from = this.value(v);
                let sign = this.mask_constant(ty, 1 << 63);
                this.binary(VPXOR[0], ty, from, sign)
            };
            let (a, b) = (flip(self, a), flip(self, b));
            self.vec_pair(VPCMPGT[n], ty, a, b)
        } else {
            let first = self.value(a);
            let source = self.source(b, false);
            self.binary(VPCMPGT[n], ty, first, source)
        };
        if matches!(pred, SLe | SGe | ULe | UGe) { self.invert(ty, greater) } else { greater }
    }

    /// Masks, or what else has only 0 and -1, with lanes of half the size: those of the first operand, then of the
    /// second; or those of the first alone.
    pub(super) fn narrow_saturated(&mut self, inst: &InstData, ty: Type) -> Result<VReg, CodeError> {
        let from = self.func.ty(inst.args[0]);
        let n = log_bytes(ty.elem);
        if n > 1 || ty.elem.bytes() * 2 != from.elem.bytes() || self.has_evex() {
            return Err(self.unsupported(inst));
        }
        let (a, b) = (self.value(inst.args[0]), self.value(inst.args[1]));
        if from.bytes() == 2 * ty.bytes() {
            let upper = self.upper_half(a, from, 16);
            return Ok(self.vec_pair(VPACKSS[n], ty, a, upper));
        }
        let packed = self.vec_pair(VPACKSS[n], ty, a, b);
        // The instruction works on halves.
        Ok(if len(ty) > 0 { self.vec_imm(VPERMQ_IMM, ty, packed, 0xd8) } else { packed })
    }

    pub(super) fn load_by_signs(&mut self, inst: &InstData, ty: Type) -> Result<VReg, CodeError> {
        let [ptr, mask, other] = [0, 1, 2].map(|n| inst.args[n]);
        if ty.elem.bytes() < 4 {
            return Err(self.unsupported(inst));
        }
        let signs = self.value(mask);
        let mem = self.mem(ptr);
        let to = self.new_vec();
        self.push(MInst {
            reg: S::Def(to),
            v: S::Use(signs),
            rm: Rm::Mem(mem),
            bytes: 16 << len(ty),
            len: len(ty),
            ..op(VPMASKMOV[wide(ty.elem)])
        });
        let zero =
            self.func.const_bits(other) == Some(0) || self.func.def_inst(other).is_some_and(|d| d.op == Op::Undef);
        if zero {
            return Ok(to);
        }
        let other = self.value(other);
        let loaded = self.in_reg(to);
        Ok(self.blend(ty, signs, other, loaded))
    }

    pub(super) fn store_by_signs(&mut self, inst: &InstData, ty: Type, reg: VReg) -> Result<(), CodeError> {
        let [ptr, _, mask] = [0, 1, 2].map(|n| inst.args[n]);
        if ty.elem.bytes() < 4 {
            return Err(self.unsupported(inst));
        }
        let signs = self.value(mask);
        let mem = self.mem(ptr);
        self.push(MInst {
            reg: S::Use(reg),
            v: S::Use(signs),
            rm: Rm::Mem(mem),
            bytes: 16 << len(ty),
            len: len(ty),
            ..op(VPMASKMOV_STORE[wide(ty.elem)])
        });
        Ok(())
    }

    /// A vector with one lane replaced: by a blend with the scalar in all lanes.
    pub(super) fn insert_by_blend(&mut self, whole: VReg, ty: Type, scalar: VReg, lane: u8) -> VReg {
        let size = ty.elem.bytes();
        let spread = if scalar.class() == regalloc2::RegClass::Int {
            self.broadcast_gpr(scalar, ty)
        } else {
            let to = self.new_vec();
            let code = VPBROADCAST[log_bytes(ty.elem)];
            self.push(MInst { reg: S::Def(to), rm: Rm::Reg(S::Use(scalar)), len: len(ty), ..op(code) });
            to
        };
        if size >= 4 {
            let words = size / 4;
            let picks = ((1u32 << words) - 1) << (words * u32::from(lane));
            return self.vec_pair_imm(VPBLENDD, ty, whole, spread, picks as u8);
        }
        let bytes = (0..ty.bytes()).map(|i| if i / size == u32::from(lane) { 0xff } else { 0 }).collect();
        let mask = self.constant_vector(ty, bytes);
        let source = self.in_reg(spread);
        self.blend(ty, mask, whole, source)
    }

    // ---- integers

    /// Products of 64-bit lanes from those of 32 bits.
    pub(super) fn multiply_64(&mut self, ty: Type, a: VReg, b: VReg) -> VReg {
        let low = self.vec_pair(VPMULDQ[1], ty, a, b);
        let a_high = self.vec_shift_imm(VPSRL_IMM[2], ty, a, 32);
        let b_high = self.vec_shift_imm(VPSRL_IMM[2], ty, b, 32);
        let first = self.vec_pair(VPMULDQ[1], ty, a_high, b);
        let second = self.vec_pair(VPMULDQ[1], ty, b_high, a);
        let middle = self.vec_pair(VPADD[3], ty, first, second);
        let middle = self.vec_shift_imm(VPSLL_IMM[2], ty, middle, 32);
        self.vec_pair(VPADD[3], ty, low, middle)
    }

    /// -1 for negative 64-bit lanes, else 0.
    pub(super) fn signs_of_64(&mut self, ty: Type, v: VReg) -> VReg {
        let zero = self.constant(ty, 0);
        self.vec_pair(VPCMPGT[3], ty, zero, v)
    }

    /// Signed shift down of 64-bit lanes.
    pub(super) fn shift_64_signed(&mut self, ty: Type, from: VReg, by: u32) -> VReg {
        match by {
            0 => from,
            63 => self.signs_of_64(ty, from),
            _ => {
                // The sign bit, moved along, spreads upwards in a difference.
                let moved = self.vec_shift_imm(VPSRL_IMM[2], ty, from, by);
                let sign = self.constant(ty, 1 << (63 - by));
                let flipped = self.vec_pair(VPXOR[1], ty, moved, sign);
                self.vec_pair(VPSUB[3], ty, flipped, sign)
            }
        }
    }

    /// As `shift_64_signed`, by a vector register's lowest lane.
    pub(super) fn shift_64_signed_by(&mut self, ty: Type, from: VReg, by: VReg) -> VReg {
        let sign = self.constant(ty, 1 << 63);
        let sign = self.vec_pair(VPSRL[2], ty, sign, by);
        let moved = self.vec_pair(VPSRL[2], ty, from, by);
        let flipped = self.vec_pair(VPXOR[1], ty, moved, sign);
        self.vec_pair(VPSUB[3], ty, flipped, sign)
    }

    /// Set bits of each byte: by a table for each half of it.
    pub(super) fn count_in_bytes(&mut self, ty: Type, from: VReg) -> VReg {
        let table: Vec<u8> = (0..ty.bytes() as u8).map(|i| (i & 15).count_ones() as u8).collect();
        let table = self.constant_vector(ty, table);
        let nibble = self.constant(ty, 15);
        let low = self.vec_pair(VPAND[0], ty, from, nibble);
        let high = self.vec_shift_imm(VPSRL_IMM[0], ty, from, 4);
        let high = self.vec_pair(VPAND[0], ty, high, nibble);
        let low = self.vec_pair(VPSHUFB, ty, table, low);
        let high = self.vec_pair(VPSHUFB, ty, table, high);
        self.vec_pair(VPADD[0], ty, low, high)
    }

    // ---- conversions

    /// Signed integers of 32 or 64 bits to a scalar float, to nearest.
    pub(super) fn int_to_scalar(&mut self, v: Value, to: Type) -> VReg {
        let size = self.func.ty(v).bytes() as u8;
        let rm = self.int_source(v, size);
        // The instruction keeps the rest of a register: let it be a fresh one.
        let rest = self.constant(to, 0);
        let reg = self.new_vec();
        let code = VCVTSI2S[wide(to.elem)];
        self.push(MInst { reg: S::Def(reg), v: S::Use(rest), rm, size, bytes: size, ..op(code) });
        reg
    }

    /// A scalar float's operation with a constant.
    fn with_constant(&mut self, code: Code, ty: Type, v: VReg, bits: u64) -> VReg {
        let constant = if bits == 0 {
            let zero = self.constant(ty, 0);
            self.in_reg(zero)
        } else {
            let mem = self.pool(&bits.to_le_bytes()[..ty.bytes() as usize]);
            Source { rm: Rm::Mem(mem), bcast: false, bytes: ty.bytes() as u8 }
        };
        self.binary(code, ty, v, constant)
    }

    /// A float, or zero for NaN; scalar or vector.
    fn zero_for_nan(&mut self, ty: Type, v: VReg) -> VReg {
        let own = self.in_reg(v);
        let ordered = self.compare_floats(float_predicate(FloatPred::Ord), ty, v, own);
        let whole = if ty.is_vector() { ty } else { ty.with_lanes((16 / ty.bytes()) as u8) };
        self.vec_pair(VANDP[wide(ty.elem)], whole, v, ordered)
    }

    fn truncate_scalar(&mut self, ty: Type, v: VReg, size: u8) -> VReg {
        let to = self.new_gpr();
        self.push(MInst { reg: S::Def(to), rm: Rm::Reg(S::Use(v)), size, ..op(VCVTTS2SI[wide(ty.elem)]) });
        to
    }

    /// A scalar float to an integer of 32 or 64 bits, towards zero, saturating, NaN gives 0. The machine gives the most
    /// negative integer for all that does not fit.
    pub(super) fn scalar_to_int(&mut self, v: VReg, from: Type, to: Type, signed: bool) -> VReg {
        if to.elem == Scalar::I32 {
            // In f64, which has all limits.
            let mut at = v;
            if from.elem == Scalar::F32 {
                at = self.vec_pair(VCVTSS2SD, Type::F32, v, v);
            }
            let ty = Type::F64;
            let (limit, size) = if signed { (2_147_483_647f64, 4) } else { (4_294_967_295f64, 8) };
            // The maximum of NaN and something is that.
            at = if signed { self.zero_for_nan(ty, at) } else { self.with_constant(VMAX[3], ty, at, 0) };
            at = self.with_constant(VMIN[3], ty, at, limit.to_bits());
            return self.truncate_scalar(ty, at, size);
        }
        let row = 2 + wide(from.elem);
        if signed {
            let at = self.zero_for_nan(from, v);
            let result = self.truncate_scalar(from, at, 8);
            let most = self.constant(Type::I64, i64::MAX as u64);
            return self.if_at_least(from, at, 63, most, result);
        }
        let at = self.with_constant(VMAX[row], from, v, 0);
        let small = self.truncate_scalar(from, at, 8);
        // Beyond 2^63: what is left of it, below the sign of the first result.
        let rest = self.with_constant(VSUB[row], from, at, power(from.elem, 63));
        let large = self.truncate_scalar(from, rest, 8);
        let sign = self.shift_imm(SAR_IMM, small, 63, 8);
        let large = self.gpr_pair(AND, large, sign);
        let result = self.gpr_pair(OR, small, large);
        let most = self.constant(Type::I64, u64::MAX);
        self.if_at_least(from, at, 64, most, result)
    }

    fn gpr_pair(&mut self, code: Code, a: VReg, b: VReg) -> VReg {
        let to = self.new_gpr();
        self.push(MInst { reg: S::Mod(a, to), rm: Rm::Reg(S::Use(b)), size: 8, ..op(code) });
        to
    }

    /// `then` if the float is 2^exp or more, else `els`.
    fn if_at_least(&mut self, ty: Type, v: VReg, exp: u64, then: VReg, els: VReg) -> VReg {
        let bits = power(ty.elem, exp);
        let mem = self.pool(&bits.to_le_bytes()[..ty.bytes() as usize]);
        let code = VUCOMI[wide(ty.elem)];
        self.push(MInst { reg: S::Use(v), rm: Rm::Mem(mem), bytes: ty.bytes() as u8, ..op(code) });
        let to = self.new_gpr();
        self.push(MInst { reg: S::Mod(els, to), rm: Rm::Reg(S::Use(then)), size: 8, ..op(code::cmov(Cc::Ae)) });
        to
    }

    /// f32 lanes to 32-bit integers, as `scalar_to_int`.
    pub(super) fn floats_to_ints(&mut self, v: VReg, ty: Type, signed: bool) -> VReg {
        let truncate = |this: &mut Self, v: VReg| {
            let source = this.in_reg(v);
            this.vec_unary(VCVTTPS2DQ, ty, source)
        };
        let at_least = |this: &mut Self, v: VReg, exp: u64| {
            let limit = this.mask_constant(ty, power(Scalar::F32, exp));
            this.compare_floats(float_predicate(FloatPred::OGe), ty, v, limit)
        };
        if signed {
            let at = self.zero_for_nan(ty, v);
            let result = truncate(self, at);
            // The most negative integer becomes the largest one.
            let large = at_least(self, at, 31);
            return self.vec_pair(VPXOR[0], ty, result, large);
        }
        let zero = self.constant(ty, 0);
        let at = self.vec_pair(VMAX[0], ty, v, zero);
        let small = truncate(self, at);
        let base = self.mask_constant(ty, power(Scalar::F32, 31));
        let rest = self.binary(VSUB[0], ty, at, base);
        let large = truncate(self, rest);
        let sign = self.vec_shift_imm(VPSRA_IMM[1], ty, small, 31);
        let large = self.vec_pair(VPAND[0], ty, large, sign);
        let result = self.vec_pair(VPOR[0], ty, small, large);
        let huge = at_least(self, at, 32);
        self.vec_pair(VPOR[0], ty, result, huge)
    }

    /// Unsigned 32-bit lanes to floats, to nearest: as digits of powers of two, which are taken off again.
    pub(super) fn unsigned_to_floats(&mut self, v: VReg, to: Type) -> VReg {
        if to.elem == Scalar::F64 {
            let ints = to.with_elem(Scalar::I64);
            let source = self.in_reg(v);
            let long = match widen(4, 8, false) {
                Some(code) => self.vec_unary(code, ints, source),
                None => v,
            };
            let base = self.constant(to, power(Scalar::F64, 52));
            let digits = self.vec_pair(VPOR[0], to, long, base);
            return self.vec_pair(VSUB[1], to, digits, base);
        }
        let ints = to.with_elem(Scalar::I32);
        let low_base = self.constant(to, power(Scalar::F32, 23));
        let low = self.vec_pair_imm(VPBLENDW, to, v, low_base, 0xaa);
        let high = self.vec_shift_imm(VPSRL_IMM[1], ints, v, 16);
        let high_base = self.mask_constant(to, power(Scalar::F32, 39));
        let high = self.binary(VPOR[0], to, high, high_base);
        // Exact; the sum is rounded once.
        let both = self.mask_constant(to, power(Scalar::F32, 39) | 1 << 7);
        let high = self.binary(VSUB[0], to, high, both);
        self.vec_pair(VADD[0], to, high, low)
    }
}
