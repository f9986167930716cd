//! What moves lanes: splats, vectors from scalars and back, shuffles, masked memory, gathers, scatters, reductions.

use super::Select;
use super::value::{Source, len, op, wide};
use super::vector::{log_bytes, mask_size};
use crate::codegen::x64wide::code::*;
use crate::codegen::x64wide::encode::{Code, Imm};
use crate::codegen::x64wide::mir::{Base, MInst, Mem, Rm, S};
use crate::error::CodeError;
use crate::ir::{self, CollectiveOp, InstData, Op, Scalar, Type, Value};
use regalloc2::{RegClass, VReg};

impl Select<'_> {
    pub(super) fn lanes(&mut self, inst: &InstData, ty: Type) -> Result<VReg, CodeError> {
        let of_masks = inst.args.first().is_some_and(|&a| self.func.ty(a).elem == Scalar::I1) || ty.elem == Scalar::I1;
        match (inst.op, &inst.imm) {
            (Op::Splat, _) if of_masks => Ok(self.spread(inst.args[0])),
            (Op::Extract, ir::Imm::Lane(lane)) if of_masks => {
                let bits = self.mask_bits(inst.args[0]);
                let low = self.shift_imm(SHR_IMM, bits, u32::from(*lane), 8);
                Ok(self.alu_with_imm(4, low, 1, 4))
            }
            (Op::Insert, ir::Imm::Lane(lane)) if of_masks => Ok(self.insert_bit(inst.args[0], inst.args[1], *lane)),
            (Op::Shuffle, ir::Imm::Lanes(picks)) if of_masks => {
                let (a, b) = (inst.args[0], inst.args[1]);
                self.shuffle_masks(a, b, picks, ty).ok_or_else(|| self.unsupported(inst))
            }
            _ if of_masks => Err(self.unsupported(inst)),
            (Op::Splat, _) => Ok(self.splat(inst.args[0], ty)),
            (Op::Build, _) => self.build(inst, ty),
            (Op::Extract, ir::Imm::Lane(lane)) => {
                let reg = self.value(inst.args[0]);
                Ok(self.extract(reg, self.func.ty(inst.args[0]), *lane))
            }
            (Op::Insert, ir::Imm::Lane(lane)) => {
                let undef = self.func.def_inst(inst.args[0]).is_some_and(|d| d.op == Op::Undef);
                if undef && *lane == 0 && ty.elem.bytes() >= 4 {
                    return Ok(self.as_lane(inst.args[1]));
                }
                let reg = self.value(inst.args[0]);
                Ok(self.insert(reg, ty, inst.args[1], *lane))
            }
            (Op::Shuffle, ir::Imm::Lanes(picks)) => {
                let (a, b) = (inst.args[0], inst.args[1]);
                let (first, second) = (self.value(a), self.value(b));
                self.shuffle_regs(first, second, self.func.ty(a), picks, ty).ok_or_else(|| self.unsupported(inst))
            }
            (Op::Permute, _) => {
                let n = log_bytes(ty.elem);
                let from = self.func.ty(inst.args[0]);
                let has = match n {
                    _ if !self.has_evex() => n == 2 && ty.bytes() == 32,
                    0 => self.scope.target.byte_permutes,
                    _ => true,
                };
                if !has || ty.bytes() < 16 {
                    return Err(self.unsupported(inst));
                }
                let [a, b, index] = [0, 1, 2].map(|i| self.value(inst.args[i]));
                // The bit that says of which vector means nothing. On words and bytes that is an instruction of EVEX.
                if inst.args[0] == inst.args[1] && from == ty && n == 2 && ty.bytes() >= 32 {
                    return Ok(self.vec_pair(VPERM[2], ty, index, a));
                }
                if !self.has_evex() {
                    // The bit that says of which vector becomes the sign.
                    let [first, second] = [a, b].map(|v| self.vec_pair(VPERM[2], ty, index, v));
                    let mask = self.vec_shift_imm(VPSLL_IMM[1], ty, index, 28);
                    let second = self.in_reg(second);
                    return Ok(self.blend(ty, mask, first, second));
                }
                let to = self.new_vec();
                let rm = Rm::Reg(S::Use(b));
                self.push(MInst { reg: S::Mod(index, to), v: S::Use(a), rm, len: len(from), ..op(VPERMI2[n]) });
                Ok(to)
            }
            (Op::Swizzle, _) => {
                let [bytes, index] = [0, 1].map(|i| self.value(inst.args[i]));
                Ok(self.vec_pair(VPSHUFB, ty, bytes, index))
            }
            (Op::ExtractDyn, _) => self.extract_any(inst, ty),
            (Op::Iota, _) => {
                let bytes: Vec<u8> = (0..u64::from(ty.lanes))
                    .flat_map(|i| i.to_le_bytes().into_iter().take(ty.elem.bytes() as usize))
                    .collect();
                Ok(self.constant_vector(ty, bytes))
            }
            _ => Err(self.unsupported(inst)),
        }
    }

    /// A vector of constant bytes, as an operand in memory.
    pub(super) fn constant_bytes(&mut self, ty: Type, mut bytes: Vec<u8>) -> Source {
        let total = 16usize << len(ty);
        bytes.resize(total, 0);
        Source { rm: Rm::Mem(self.pool(&bytes)), bcast: false, bytes: total as u8 }
    }

    /// A vector of constant bytes.
    pub(super) fn constant_vector(&mut self, ty: Type, mut bytes: Vec<u8>) -> VReg {
        let total = 16usize << len(ty);
        bytes.resize(total, 0);
        let mem = self.pool(&bytes);
        let to = self.new_vec();
        self.push(MInst { reg: S::Def(to), rm: Rm::Mem(mem), bytes: total as u8, len: len(ty), ..op(VMOVAPS) });
        to
    }

    fn splat(&mut self, v: Value, ty: Type) -> VReg {
        let n = log_bytes(ty.elem);
        if let Some(bits) = self.func.const_bits(v) {
            return self.constant(ty, bits);
        }
        let to = self.new_vec();
        let mut inst = MInst { reg: S::Def(to), len: len(ty), ..op(VPBROADCAST[n]) };
        if let Some(mem) = self.late_load(v) {
            inst.rm = Rm::Mem(mem);
            inst.bytes = ty.elem.bytes() as u8;
        } else {
            let reg = self.value(v);
            inst.rm = Rm::Reg(S::Use(reg));
            if reg.class() == RegClass::Int {
                return self.broadcast_gpr(reg, ty);
            }
        }
        self.push(inst);
        to
    }

    /// A general register's low element in all lanes.
    pub(super) fn broadcast_gpr(&mut self, from: VReg, ty: Type) -> VReg {
        let n = log_bytes(ty.elem);
        let (code, from) = match self.has_evex() {
            true => (VPBROADCAST_GPR[n], from),
            false => (VPBROADCAST[n], self.vec_from(Rm::Reg(S::Use(from)), ty.elem.bytes().max(4))),
        };
        let to = self.new_vec();
        self.push(MInst { reg: S::Def(to), rm: Rm::Reg(S::Use(from)), len: len(ty), ..op(code) });
        to
    }

    /// A scalar as lane 0 of a vector register.
    fn as_lane(&mut self, v: Value) -> VReg {
        let reg = self.value(v);
        match reg.class() {
            RegClass::Int => self.vec_from(Rm::Reg(S::Use(reg)), self.func.ty(v).bytes().max(4)),
            _ => reg,
        }
    }

    fn build(&mut self, inst: &InstData, ty: Type) -> Result<VReg, CodeError> {
        let size = ty.elem.bytes() as usize;
        let constants: Option<Vec<u64>> = inst.args.iter().map(|&a| self.func.const_bits(a)).collect();
        if let Some(bits) = constants {
            let bytes = bits.iter().flat_map(|b| b.to_le_bytes().into_iter().take(size)).collect();
            return Ok(self.constant_vector(ty, bytes));
        }
        // Quarters of 16 bytes, then their join.
        let per = 16 / size;
        let quarter = Type::scalar(ty.elem).with_lanes(per as u8);
        let mut parts = Vec::new();
        for chunk in inst.args.chunks(per) {
            let mut at = if size >= 4 { self.as_lane(chunk[0]) } else { self.splat(chunk[0], quarter) };
            for (lane, &v) in chunk.iter().enumerate().skip(1) {
                let reg = self.value(v);
                let from = if reg.class() == RegClass::Int { reg } else { self.gpr_from(reg, size as u32) };
                let to = self.new_vec();
                self.push(MInst {
                    reg: S::Def(to),
                    v: S::Use(at),
                    rm: Rm::Reg(S::Use(from)),
                    imm: Imm::I8(lane as i8),
                    ..op(VPINSR[log_bytes(ty.elem)])
                });
                at = to;
            }
            parts.push(at);
        }
        let mut whole = parts[0];
        for (n, &part) in parts.iter().enumerate().skip(1) {
            let to = self.new_vec();
            self.push(MInst {
                reg: S::Def(to),
                v: S::Use(whole),
                rm: Rm::Reg(S::Use(part)),
                imm: Imm::I8(n as i8),
                len: len(ty),
                ..op(VINSERT_X4)
            });
            whole = to;
        }
        Ok(whole)
    }

    /// One lane of a vector.
    pub(super) fn extract(&mut self, from: VReg, ty: Type, lane: u8) -> VReg {
        let size = ty.elem.bytes();
        let float = ty.elem.is_float();
        let lane = u32::from(lane);
        if !self.has_evex() && lane * size >= 16 {
            let upper = self.upper_half(from, ty, 16);
            let half = ty.with_lanes(ty.lanes / 2);
            return self.extract(upper, half, (lane - 16 / size) as u8);
        }
        if lane == 0 && size >= 4 {
            return if float { from } else { self.gpr_from(from, size) };
        }
        if size >= 4 {
            if !float && lane * size < 16 {
                let to = self.new_gpr();
                let imm = Imm::I8(lane as i8);
                self.push(MInst { reg: S::Use(from), rm: Rm::Reg(S::Def(to)), imm, ..op(VPEXTR[log_bytes(ty.elem)]) });
                return to;
            }
            if !self.has_evex() {
                let picks = if size == 8 { 0xee } else { lane as u8 };
                let words = Type::I32.with_lanes(4);
                let to = self.vec_imm(VPSHUFD, words, from, picks);
                return if float { to } else { self.gpr_from(to, size) };
            }
            let to = self.new_vec();
            self.push(MInst {
                reg: S::Def(to),
                v: S::Use(from),
                rm: Rm::Reg(S::Use(from)),
                imm: Imm::I8(lane as i8),
                len: len(ty),
                ..op(VALIGN[wide(ty.elem)])
            });
            return if float { to } else { self.gpr_from(to, size) };
        }
        let (mut from, per) = (from, 16 / size);
        if lane >= per {
            let to = self.new_vec();
            let imm = Imm::I8((lane / per) as i8);
            self.push(MInst { reg: S::Use(from), rm: Rm::Reg(S::Def(to)), imm, len: len(ty), ..op(VEXTRACT_X4) });
            from = to;
        }
        let to = self.new_gpr();
        let imm = Imm::I8((lane % per) as i8);
        self.push(MInst { reg: S::Use(from), rm: Rm::Reg(S::Def(to)), imm, ..op(VPEXTR[log_bytes(ty.elem)]) });
        to
    }

    fn insert(&mut self, whole: VReg, ty: Type, v: Value, lane: u8) -> VReg {
        let n = log_bytes(ty.elem);
        let reg = self.value(v);
        let to = self.new_vec();
        if reg.class() == RegClass::Int && len(ty) == 0 {
            self.push(MInst {
                reg: S::Def(to),
                v: S::Use(whole),
                rm: Rm::Reg(S::Use(reg)),
                imm: Imm::I8(lane as i8),
                ..op(VPINSR[n])
            });
            return to;
        }
        if !self.has_evex() {
            return self.insert_by_blend(whole, ty, reg, lane);
        }
        let bit = self.constant(Type::I64, 1 << lane);
        let mask = self.mask_from(bit);
        let code = if reg.class() == RegClass::Int { VPBROADCAST_GPR[n] } else { VPBROADCAST[n] };
        self.push(MInst {
            reg: S::Mod(whole, to),
            rm: Rm::Reg(S::Use(reg)),
            k: S::Use(mask),
            len: len(ty),
            ..op(code)
        });
        to
    }

    fn extract_any(&mut self, inst: &InstData, ty: Type) -> Result<VReg, CodeError> {
        let whole = self.func.ty(inst.args[0]);
        let n = log_bytes(whole.elem);
        if n < 2 || !self.has_evex() || !self.func.ty(inst.args[1]).elem.is_int() {
            return Err(self.unsupported(inst));
        }
        let from = self.value(inst.args[0]);
        let index = self.value(inst.args[1]);
        let lanes = i32::from(whole.lanes);
        let index = self.alu_with_imm(4, index, (lanes as u32).next_power_of_two() as i32 - 1, 4);
        let index = self.vec_from(Rm::Reg(S::Use(index)), 4);
        // The instruction has no form of 16 bytes for 64-bit lanes.
        let length = len(whole).max(1);
        let to = self.new_vec();
        self.push(MInst { reg: S::Def(to), v: S::Use(index), rm: Rm::Reg(S::Use(from)), len: length, ..op(VPERM[n]) });
        Ok(if ty.is_float() { to } else { self.gpr_from(to, ty.bytes()) })
    }

    /// Lanes of two vectors of type `from`.
    pub(super) fn shuffle_regs(&mut self, a: VReg, b: VReg, from: Type, picks: &[u8], ty: Type) -> Option<VReg> {
        let lanes = from.lanes;
        let n = log_bytes(ty.elem);
        let follows = |start: u8| picks.iter().zip(start..).all(|(&p, i)| p == i);
        if follows(0) && picks.len() <= usize::from(lanes) {
            return Some(a);
        }
        if follows(lanes) && picks.len() <= usize::from(lanes) {
            return Some(b);
        }
        if !self.has_evex() {
            return self.shuffle_vectors(a, b, from, picks, ty);
        }
        let one = picks.iter().all(|&p| p < lanes);
        let length = len(from).max(len(ty));
        if follows(0) && from.bytes().is_power_of_two() && from.bytes() >= 16 {
            // Two vectors one after the other.
            let code = if from.bytes() == 16 { VINSERT_X4 } else { VINSERT_Y4 };
            let to = self.new_vec();
            let imm = Imm::I8(1);
            self.push(MInst { reg: S::Def(to), v: S::Use(a), rm: Rm::Reg(S::Use(b)), imm, len: length, ..op(code) });
            return Some(to);
        }
        let start = u32::from(*picks.first()?) * from.elem.bytes();
        if one && follows(picks[0]) && ty.bytes() >= 16 && start.is_multiple_of(ty.bytes()) && len(from) > 0 {
            // An aligned piece.
            let code = if ty.bytes() == 16 { VEXTRACT_X4 } else { VEXTRACT_Y4 };
            let to = self.new_vec();
            let imm = Imm::I8((start / ty.bytes()) as i8);
            self.push(MInst { reg: S::Use(a), rm: Rm::Reg(S::Def(to)), imm, len: len(from), ..op(code) });
            return Some(to);
        }
        if one && n == 2 && length == 0 {
            let imm = picks.iter().enumerate().fold(0, |bits, (i, &p)| bits | (p & 3) << (2 * i));
            let to = self.new_vec();
            let imm = Imm::I8(imm as i8);
            self.push(MInst { reg: S::Def(to), rm: Rm::Reg(S::Use(a)), imm, ..op(VPSHUFD) });
            return Some(to);
        }
        if let Some(moved) = self.shift_lanes(a, b, from, picks, ty) {
            return Some(moved);
        }
        if n == 0 && !self.scope.target.byte_permutes {
            return self.shuffle_vectors(a, b, from, picks, ty);
        }
        let size = ty.elem.bytes() as usize;
        // Lanes of the second vector count from the register's end.
        let register_lanes = (16usize << length) / size;
        let indices: Vec<u8> = picks
            .iter()
            .flat_map(|&p| {
                let i = if p < lanes { usize::from(p) } else { register_lanes + usize::from(p - lanes) };
                (i as u64).to_le_bytes().into_iter().take(size)
            })
            .collect();
        let index_ty = Type::scalar(ty.elem.as_int()).with_lanes(register_lanes as u8);
        let index = self.constant_vector(index_ty, indices);
        let to = self.new_vec();
        if one && length > 0 {
            let rm = Rm::Reg(S::Use(a));
            self.push(MInst { reg: S::Def(to), v: S::Use(index), rm, len: length, ..op(VPERM[n]) });
        } else {
            let rm = Rm::Reg(S::Use(b));
            self.push(MInst { reg: S::Mod(index, to), v: S::Use(a), rm, len: length, ..op(VPERMI2[n]) });
        }
        Some(to)
    }

    /// Lanes that follow each other in two whole vectors, or go round in one.
    fn shift_lanes(&mut self, a: VReg, b: VReg, from: Type, picks: &[u8], ty: Type) -> Option<VReg> {
        let (lanes, start) = (from.lanes, *picks.first()?);
        let both = picks.iter().zip(start..).all(|(&p, i)| p == i);
        let around = start < lanes && picks.iter().zip(start..).all(|(&p, i)| p == i % lanes);
        let bytes = u32::from(start) * from.elem.bytes();
        if from != ty || from.bytes() != 16 << len(from) || !(both || around) || !bytes.is_multiple_of(4) {
            return None;
        }
        let size = from.elem.bytes().max(4);
        let to = self.new_vec();
        self.push(MInst {
            reg: S::Def(to),
            v: S::Use(if around { a } else { b }),
            rm: Rm::Reg(S::Use(a)),
            imm: Imm::I8((bytes / size) as i8),
            len: len(from),
            ..op(VALIGN[usize::from(size == 8)])
        });
        Some(to)
    }

    // ---- reductions

    pub(super) fn reduce(&mut self, inst: &InstData) -> Result<VReg, CodeError> {
        let ir::Imm::Collective(how) = inst.imm else { return Err(self.unsupported(inst)) };
        let ty = self.func.ty(inst.args[0]);
        if ty.elem == Scalar::I1 || ty.elem == Scalar::F16 {
            return Err(self.unsupported(inst));
        }
        let whole = self.value(inst.args[0]);
        if ty.elem.is_float() {
            let row = 2 + wide(ty.elem);
            let mut at = self.extract(whole, ty, 0);
            for lane in 1..ty.lanes {
                let next = self.extract(whole, ty, lane);
                let source = self.in_reg(next);
                at = match how {
                    CollectiveOp::Fadd => self.binary(VADD[row], ty.lane(), at, source),
                    CollectiveOp::Fmul => self.binary(VMUL[row], ty.lane(), at, source),
                    CollectiveOp::Fmin => self.repaired_extremum(VMIN[row], ty.lane(), at, next),
                    CollectiveOp::Fmax => self.repaired_extremum(VMAX[row], ty.lane(), at, next),
                    _ => return Err(self.unsupported(inst)),
                };
            }
            return Ok(at);
        }
        let n = log_bytes(ty.elem);
        let code = match how {
            CollectiveOp::Add => VPADD[n],
            CollectiveOp::Mul if n > 0 => VPMULL[n - 1],
            CollectiveOp::And => VPAND[0],
            CollectiveOp::Or => VPOR[0],
            CollectiveOp::Xor => VPXOR[0],
            CollectiveOp::MinS => VPMINS[n],
            CollectiveOp::MinU => VPMINU[n],
            CollectiveOp::MaxS => VPMAXS[n],
            CollectiveOp::MaxU => VPMAXU[n],
            _ => return Err(self.unsupported(inst)),
        };
        // The upper half onto the lower one, until one lane is left.
        let (mut at, mut lanes) = (whole, ty.lanes);
        while lanes > 1 {
            let half = lanes / 2;
            let bytes = u32::from(half) * ty.elem.bytes();
            let now = ty.with_lanes(lanes);
            let upper = self.upper_half(at, now, bytes);
            let upper = self.in_reg(upper);
            at = self.binary(code, now.with_lanes(half), at, upper);
            lanes = half;
        }
        Ok(self.extract(at, ty.with_lanes(1).with_lanes((16 / ty.elem.bytes()) as u8), 0))
    }

    /// What lies from byte `bytes` on in a vector, moved to the start.
    pub(super) fn upper_half(&mut self, from: VReg, ty: Type, bytes: u32) -> VReg {
        let to = self.new_vec();
        let inst = match bytes {
            32 => MInst { reg: S::Use(from), rm: Rm::Reg(S::Def(to)), imm: Imm::I8(1), len: 2, ..op(VEXTRACT_Y4) },
            16 => MInst {
                reg: S::Use(from),
                rm: Rm::Reg(S::Def(to)),
                imm: Imm::I8(1),
                len: len(ty).max(1),
                ..op(VEXTRACT_X4)
            },
            8 | 4 => {
                let imm = Imm::I8(if bytes == 8 { 0xee_u8 as i8 } else { 0x55 });
                MInst { reg: S::Def(to), rm: Rm::Reg(S::Use(from)), imm, ..op(VPSHUFD) }
            }
            // 1 or 2 bytes within 64 bits.
            _ => MInst { v: S::Def(to), rm: Rm::Reg(S::Use(from)), imm: Imm::I8(8 * bytes as i8), ..op(VPSRL_IMM[2]) },
        };
        self.push(inst);
        to
    }

    // ---- masked memory

    /// True if all lanes of a mask are known to be set.
    fn is_full(&self, mask: Value) -> bool {
        self.func.const_bits(mask).is_some_and(|bits| bits & 1 == 1)
    }

    /// Lanes of a register of this type's length.
    fn register_lanes(ty: Type) -> u32 {
        (16 << len(ty)) / ty.elem.bytes()
    }

    pub(super) fn load_masked(&mut self, inst: &InstData, ty: Type) -> Result<VReg, CodeError> {
        let [ptr, mask, other] = [0, 1, 2].map(|n| inst.args[n]);
        if self.is_full(mask) {
            let mem = self.mem(ptr);
            return self.load_from(ty, mem).ok_or_else(|| self.unsupported(inst));
        }
        if !self.has_evex() {
            return self.load_by_signs(inst, ty);
        }
        let k = self.exact_mask(mask, Self::register_lanes(ty));
        let zero =
            self.func.const_bits(other) == Some(0) || self.func.def_inst(other).is_some_and(|d| d.op == Op::Undef);
        let to = self.new_vec();
        let reg = if zero { S::Def(to) } else { S::Mod(self.value(other), to) };
        let mem = self.mem(ptr);
        self.push(MInst {
            reg,
            rm: Rm::Mem(mem),
            bytes: 16 << len(ty),
            k: S::Use(k),
            zero,
            len: len(ty),
            ..op(VMOVDQU[log_bytes(ty.elem)])
        });
        Ok(to)
    }

    pub(super) fn store_masked(&mut self, inst: &InstData) -> Result<(), CodeError> {
        let [ptr, v, mask] = [0, 1, 2].map(|n| inst.args[n]);
        let ty = self.func.ty(v);
        let reg = self.value(v);
        if self.is_full(mask) {
            return self.store_value(inst, ty, reg);
        }
        if !self.has_evex() {
            return self.store_by_signs(inst, ty, reg);
        }
        let k = self.exact_mask(mask, Self::register_lanes(ty));
        let store = VMOVDQU_STORE[log_bytes(ty.elem)];
        if self.streams(inst, ty) {
            self.stream(ty, reg, ptr, store, Some((k, KORTEST[mask_size(ty.lanes)])));
            return Ok(());
        }
        let mem = self.mem(ptr);
        self.push(MInst {
            reg: S::Use(reg),
            rm: Rm::Mem(mem),
            bytes: 16 << len(ty),
            k: S::Use(k),
            len: len(ty),
            ..op(store)
        });
        Ok(())
    }

    /// The accesses of a gather or scatter: first lane, type of the indices, memory operand. Products that no address
    /// can express need indices of 64 bits, and thus two accesses for 16 lanes.
    fn indexed_memory(&mut self, inst: &InstData, base: Value, index: Value) -> Option<Vec<(u8, Type, Mem)>> {
        let ir::Imm::Scale { scale, disp } = inst.imm else { return None };
        let (base, disp) = self.indexed_base(base, disp);
        let mem = |index: VReg, scale: u8| Mem { base, index: Some(index), scale, disp };
        let ty = self.func.ty(index);
        let reg = self.value(index);
        if matches!(scale, 1 | 2 | 4 | 8) {
            return Some(vec![(0, ty, mem(reg, scale as u8))]);
        }
        let wide_ty = ty.with_elem(Scalar::I64);
        if ty.elem == Scalar::I64 {
            let (reg, factor) = self.scaled_indices(reg, ty, scale, false);
            return Some(vec![(0, ty, mem(reg, factor))]);
        }
        let per = ty.lanes.min(if self.has_evex() { 8 } else { 4 });
        let wide_ty = wide_ty.with_lanes(per);
        let mut accesses = Vec::new();
        for first in (0..ty.lanes).step_by(usize::from(per)) {
            let part = if first == 0 { reg } else { self.upper_half(reg, ty, 4 * u32::from(per)) };
            let source = self.in_reg(part);
            let wide = self.vec_unary(widen(4, 8, true)?, wide_ty, source);
            let (wide, factor) = self.scaled_indices(wide, wide_ty, scale, true);
            accesses.push((first, wide_ty, mem(wide, factor)));
        }
        Some(accesses)
    }

    /// The base of addresses with indices, and their displacement.
    fn indexed_base(&mut self, base: Value, disp: i64) -> (Base, i32) {
        let addr = self.addr(base);
        let disp = addr.disp.wrapping_add(disp);
        // What a memory operand cannot hold goes into the base.
        let (far, disp) = i32::try_from(disp).map_or((disp, 0), |near| (0, near));
        (Base::Reg(self.add_up(super::value::Addr { disp: far, ..addr })), disp)
    }

    /// 64-bit indices times what an address cannot express of a factor, and the rest of it. `extended` if they were 32
    /// bits.
    fn scaled_indices(&mut self, reg: VReg, ty: Type, scale: u32, extended: bool) -> (VReg, u8) {
        if scale.is_power_of_two() {
            return (self.vec_shift_imm(VPSLL_IMM[2], ty, reg, scale.trailing_zeros() - 3), 8);
        }
        let by = self.mask_constant(ty, u64::from(scale));
        if extended && i32::try_from(scale).is_ok() {
            return (self.binary(VPMULDQ[0], ty, reg, by), 1);
        }
        if !self.has_evex() {
            let by = self.constant(ty, u64::from(scale));
            return (self.multiply_64(ty, reg, by), 1);
        }
        (self.binary(VPMULL[2], ty, reg, by), 1)
    }

    /// The mask of one access of a gather or scatter, which is written over.
    fn access_mask(&mut self, mask: Value, first: u8, lanes: u32) -> VReg {
        if !self.has_evex() {
            let whole = self.value(mask);
            return if first == 0 { whole } else { self.upper_half(whole, self.func.ty(mask), 16) };
        }
        if first == 0 {
            return self.exact_mask(mask, lanes);
        }
        let from = self.value(mask);
        let to = self.new_mask();
        let imm = Imm::I8(first as i8);
        self.push(MInst { reg: S::Def(to), rm: Rm::Reg(S::Use(from)), imm, ..op(KSHIFTR[1]) });
        to
    }

    pub(super) fn gather(&mut self, inst: &InstData, ty: Type) -> Result<VReg, CodeError> {
        let [base, index, mask, other] = [0, 1, 2, 3].map(|n| inst.args[n]);
        let size = ty.elem.bytes();
        if size < 4 {
            return Err(self.unsupported(inst));
        }
        if self.scope.target.gathers_by_loads
            && self.is_full(mask)
            && let Some(whole) = self.gather_by_loads(inst, ty)
        {
            return Ok(whole);
        }
        let accesses = self.indexed_memory(inst, base, index).ok_or_else(|| self.unsupported(inst))?;
        let other = self.value(other);
        let mut whole = None;
        for (first, index_ty, mem) in accesses {
            let part_ty = ty.with_lanes(index_ty.lanes);
            let length = len(part_ty).max(len(index_ty));
            let lanes = (16u32 << length) / size.max(index_ty.elem.bytes());
            let k = self.access_mask(mask, first, lanes);
            let half = u32::from(index_ty.lanes) * size;
            let from = if first == 0 { other } else { self.upper_half(other, ty, half) };
            let (to, done) = (self.new_vec(), self.new_mask());
            let (wide_index, wide_lane) = (wide(index_ty.elem), wide(ty.elem));
            let masked = match self.has_evex() {
                true => MInst { k: S::Mod(k, done), ..op(VPGATHER[wide_index][wide_lane]) },
                false => MInst { v: S::Mod(k, done), ..op(VPGATHER_VECTOR[wide_index][wide_lane]) },
            };
            self.push(MInst {
                reg: S::Mod(from, to),
                rm: Rm::Mem(mem),
                bytes: size as u8,
                vsib: true,
                len: length,
                ..masked
            });
            whole = Some(match whole {
                None => to,
                Some(low) => {
                    let (code, len) = if half == 32 { (VINSERT_Y4, 2) } else { (VINSERT_X4, 1) };
                    self.join(code, low, to, len)
                }
            });
        }
        whole.ok_or_else(|| self.unsupported(inst))
    }

    /// A gather of all lanes, put together of loads.
    fn gather_by_loads(&mut self, inst: &InstData, ty: Type) -> Option<VReg> {
        let ir::Imm::Scale { scale, disp } = inst.imm else { return None };
        let (base, disp) = self.indexed_base(inst.args[0], disp);
        let (index, index_ty) = (self.value(inst.args[1]), self.func.ty(inst.args[1]));
        let n = log_bytes(ty.elem);
        let mut parts = Vec::new();
        let per = (16 / ty.elem.bytes()).min(ty.lanes.into()) as u8;
        for first in (0..ty.lanes).step_by(per.into()) {
            let mut part = None;
            for (lane, index) in self.lane_indices(index, index_ty, first, per).into_iter().enumerate() {
                let (index, scale) = match scale {
                    1 | 2 | 4 | 8 => (index, scale as u8),
                    _ => (self.mul_const(index, scale.into()), 1),
                };
                let rm = Rm::Mem(Mem { base, index: Some(index), scale, disp });
                let Some(before) = part else {
                    part = Some(self.vec_from(rm, ty.elem.bytes()));
                    continue;
                };
                let to = self.new_vec();
                let imm = Imm::I8(lane as i8);
                let bytes = ty.elem.bytes() as u8;
                self.push(MInst { reg: S::Def(to), v: S::Use(before), rm, bytes, imm, ..op(VPINSR[n]) });
                part = Some(to);
            }
            parts.extend(part);
        }
        while parts.len() > 1 {
            let (code, len) = if parts.len() == 2 && ty.bytes() == 64 { (VINSERT_Y4, 2) } else { (VINSERT_X4, 1) };
            parts = parts.chunks(2).map(|pair| self.join(code, pair[0], pair[1], len)).collect();
        }
        parts.pop()
    }

    /// Some lanes of a vector of indices, from one at a multiple of 8 or 16 bytes on, as numbers of 64 bits.
    fn lane_indices(&mut self, index: VReg, ty: Type, first: u8, count: u8) -> Vec<VReg> {
        let size = ty.elem.bytes() as u8;
        debug_assert!([first, count].iter().all(|n| (n * size).is_multiple_of(8)), "whole words of indices");
        let mut found = Vec::new();
        let (mut quarter, mut of) = (0, index);
        for word in (first * size / 8)..(first + count) * size / 8 {
            if word / 2 != quarter {
                quarter = word / 2;
                of = self.new_vec();
                let imm = Imm::I8(quarter as i8);
                self.push(MInst { reg: S::Use(index), rm: Rm::Reg(S::Def(of)), imm, len: len(ty), ..op(VEXTRACT_X4) });
            }
            let both = self.extract(of, Type::I64.with_lanes(2), word % 2);
            match size {
                8 => found.push(both),
                _ => {
                    let low = self.new_gpr();
                    self.push(MInst { reg: S::Def(low), rm: Rm::Reg(S::Use(both)), size: 8, ..op(MOVSXD) });
                    found.extend([low, self.shift_imm(SAR_IMM, both, 32, 8)]);
                }
            }
        }
        found
    }

    /// Two vectors one after the other.
    fn join(&mut self, code: Code, low: VReg, high: VReg, len: u8) -> VReg {
        let to = self.new_vec();
        let imm = Imm::I8(1);
        self.push(MInst { reg: S::Def(to), v: S::Use(low), rm: Rm::Reg(S::Use(high)), imm, len, ..op(code) });
        to
    }

    pub(super) fn scatter(&mut self, inst: &InstData) -> Result<(), CodeError> {
        let [base, index, v, mask] = [0, 1, 2, 3].map(|n| inst.args[n]);
        let ty = self.func.ty(v);
        let size = ty.elem.bytes();
        if size < 4 {
            return Err(self.unsupported(inst));
        }
        let accesses = self.indexed_memory(inst, base, index).ok_or_else(|| self.unsupported(inst))?;
        let whole = self.value(v);
        for (first, index_ty, mem) in accesses {
            let part_ty = ty.with_lanes(index_ty.lanes);
            let length = len(part_ty).max(len(index_ty));
            let lanes = (16u32 << length) / size.max(index_ty.elem.bytes());
            let k = self.access_mask(mask, first, lanes);
            let reg = if first == 0 { whole } else { self.upper_half(whole, ty, 32) };
            let done = self.new_mask();
            self.push(MInst {
                reg: S::LateUse(reg),
                rm: Rm::Mem(mem),
                bytes: size as u8,
                k: S::Mod(k, done),
                vsib: true,
                len: length,
                ..op(VPSCATTER[wide(index_ty.elem)][wide(ty.elem)])
            });
        }
        Ok(())
    }
}
