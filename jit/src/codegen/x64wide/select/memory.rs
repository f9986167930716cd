//! Loads, stores, copies, fills, atomics and fences.

use super::value::{Addr, len, op, wide};
use super::{Select, Val};
use crate::codegen::x64wide::code::*;
use crate::codegen::x64wide::encode::{Code, Imm};
use crate::codegen::x64wide::mir::{Kind, MInst, Mem, RAX, Rm, Rmw, S, Stream, gpr};
use crate::codegen::{helper::Helper, x64wide::mir::Base};
use crate::error::CodeError;
use crate::ir::entity::Entity;
use crate::ir::op::{Flags, RmwOp};
use crate::ir::{self, InstData, Op, Order, Scalar, Scope, Type, Value};
use crate::launch::{AddrSpace, Env};
use regalloc2::{Operand, VReg};
use rustc_hash::FxHashMap;
use std::mem::offset_of;

/// Copies and fills up to this many bytes are inlined.
const INLINE_BYTES: i64 = 512;
/// So many pieces are in registers at once.
const AT_ONCE: usize = 8;

/// A store of a general register of this many bytes; a load widens.
fn int_load(bytes: u32) -> (Code, u8) {
    match bytes {
        1 => (MOVZX8, 4),
        2 => (MOVZX16, 4),
        4 => (MOV, 4),
        _ => (MOV, 8),
    }
}

impl Select<'_> {
    pub(super) fn load(&mut self, inst: &InstData) -> Result<(), CodeError> {
        let Some(result) = inst.result else { return Err(self.unsupported(inst)) };
        let ty = self.func.ty(result);
        let mem = self.mem(inst.args[0]);
        let reg = self.load_from(ty, mem).ok_or_else(|| self.unsupported(inst))?;
        if !ty.is_vector() && ty.elem.is_int() {
            self.define_clean(inst, reg)
        } else {
            self.define(inst, reg)
        }
        Ok(())
    }

    /// A load of any type that may be in memory.
    pub(super) fn load_from(&mut self, ty: Type, mem: Mem) -> Option<VReg> {
        let bytes = ty.bytes();
        if !ty.is_vector() && !ty.is_float() {
            let (code, size) = int_load(bytes);
            return Some(self.unary(code, size, Rm::Mem(mem)));
        }
        let to = self.new_vec();
        let inst = match bytes {
            4 => op(VMOVS[0]),
            8 => op(VMOVS[1]),
            16 | 32 | 64 => MInst { len: len(ty), ..op(VMOVUP[wide(ty.elem)]) },
            1 | 2 => {
                let (code, size) = int_load(bytes);
                let narrow = self.unary(code, size, Rm::Mem(mem));
                return Some(self.vec_from(Rm::Reg(S::Use(narrow)), 4));
            }
            _ => return None,
        };
        self.push(MInst { reg: S::Def(to), rm: Rm::Mem(mem), bytes: bytes as u8, ..inst });
        Some(to)
    }

    pub(super) fn store(&mut self, inst: &InstData) -> Result<(), CodeError> {
        let v = inst.args[1];
        let ty = self.func.ty(v);
        if !ty.is_vector() && !ty.is_float() {
            let size = ty.bytes() as u8;
            if let Some(imm) = self.imm(v) {
                let mem = self.mem(inst.args[0]);
                self.store_imm(mem, size, imm);
                return Ok(());
            }
            let reg = self.value(v);
            let mem = self.mem(inst.args[0]);
            self.push(MInst { reg: S::Use(reg), rm: Rm::Mem(mem), size, ..op(MOV_STORE) });
            return Ok(());
        }
        // The bits of a scalar constant need no vector register.
        if !ty.is_vector()
            && let Some(bits) = self.func.const_bits(v)
            && let Ok(imm) = if ty == Type::F32 { Ok(bits as u32 as i32) } else { i32::try_from(bits as i64) }
        {
            let mem = self.mem(inst.args[0]);
            self.store_imm(mem, ty.bytes() as u8, imm);
            return Ok(());
        }
        let reg = self.value(v);
        self.store_value(inst, ty, reg)
    }

    /// The store of a float or vector that is in `reg`, of all its lanes.
    pub(super) fn store_value(&mut self, inst: &InstData, ty: Type, reg: VReg) -> Result<(), CodeError> {
        let ptr = inst.args[0];
        if self.streams(inst, ty) {
            self.stream(ty, reg, ptr, VMOVUP_STORE[wide(ty.elem)], None);
            return Ok(());
        }
        let mem = self.mem(ptr);
        self.store_to(ty, reg, mem).ok_or_else(|| self.unsupported(inst))
    }

    fn store_imm(&mut self, mem: Mem, size: u8, imm: i32) {
        let imm = match size {
            1 => Imm::I8(imm as i8),
            2 => Imm::I16(imm as i16),
            _ => Imm::I32(imm),
        };
        self.push(MInst { rm: Rm::Mem(mem), size, imm, ..op(MOV_IMM) });
    }

    /// A store of a float or vector.
    pub(super) fn store_to(&mut self, ty: Type, reg: VReg, mem: Mem) -> Option<()> {
        let bytes = ty.bytes();
        let inst = match bytes {
            4 => op(VMOVS_STORE[0]),
            8 => op(VMOVS_STORE[1]),
            16 | 32 | 64 => MInst { len: len(ty), ..op(VMOVUP_STORE[wide(ty.elem)]) },
            1 | 2 => {
                let narrow = self.gpr_from(reg, 4);
                self.push(MInst { reg: S::Use(narrow), rm: Rm::Mem(mem), size: bytes as u8, ..op(MOV_STORE) });
                return Some(());
            }
            _ => return None,
        };
        self.push(MInst { reg: S::Use(reg), rm: Rm::Mem(mem), bytes: bytes as u8, ..inst });
        Some(())
    }

    /// True for a store that may go past the caches, of a whole register: a line, or with AVX2 half of one, whose other
    /// half is stored next to it.
    pub(super) fn streams(&self, inst: &InstData, ty: Type) -> bool {
        inst.attr.flags.contains(Flags::STREAM) && ty.bytes() == u32::from(self.scope.target.register_bytes)
    }

    /// Such a store, which needs an aligned address and a full mask, or otherwise the one by `through`.
    pub(super) fn stream(&mut self, ty: Type, reg: VReg, ptr: Value, through: Code, mask: Option<(VReg, Code)>) {
        let addr = self.addr(ptr);
        let at = self.add_up(addr);
        let stream = Stream { past: VMOVNTP_STORE[wide(ty.elem)], through, test: mask.map(|(_, test)| test) };
        self.push(MInst {
            reg: S::Use(reg),
            rm: Rm::Mem(Mem { base: Base::Reg(at), index: None, scale: 1, disp: 0 }),
            k: mask.map_or(S::No, |(mask, _)| S::Use(mask)),
            len: len(ty),
            bytes: ty.bytes() as u8,
            ..MInst::new(Kind::Stream(stream))
        });
        self.out.streams = true;
    }

    // ---- copies and fills

    pub(super) fn memcpy(&mut self, inst: &InstData) -> Result<(), CodeError> {
        let count = self.func.const_bits(inst.args[2]).map(|n| n as i64);
        let Some(count) = count.filter(|n| (0..=INLINE_BYTES).contains(n)) else {
            return self.call_helper(inst, Helper::Memcpy);
        };
        let (to, from) = (self.addr(inst.args[0]), self.addr(inst.args[1]));
        // Equal regions are fine, as each piece is loaded first.
        for pieces in pieces(count, self.scope.target.register_bytes).chunks(AT_ONCE) {
            let load = |&(ty, at): &(Type, i64)| {
                let mem = self.fit(Addr { disp: from.disp.wrapping_add(at), ..from });
                self.load_from(ty, mem)
            };
            let loaded: Vec<Option<VReg>> = pieces.iter().map(load).collect();
            for (&(ty, at), reg) in pieces.iter().zip(loaded) {
                let mem = self.fit(Addr { disp: to.disp.wrapping_add(at), ..to });
                match reg {
                    Some(reg) if ty.is_vector() => self.store_to(ty, reg, mem).ok_or_else(|| self.unsupported(inst))?,
                    Some(reg) => {
                        let size = ty.bytes() as u8;
                        self.push(MInst { reg: S::Use(reg), rm: Rm::Mem(mem), size, ..op(MOV_STORE) });
                    }
                    None => return Err(self.unsupported(inst)),
                }
            }
        }
        Ok(())
    }

    pub(super) fn memset(&mut self, inst: &InstData) -> Result<(), CodeError> {
        let byte = self.func.const_bits(inst.args[1]);
        let count = self.func.const_bits(inst.args[2]).map(|n| n as i64);
        let (Some(byte), Some(count)) = (byte, count.filter(|n| (0..=INLINE_BYTES).contains(n))) else {
            return self.call_helper(inst, Helper::Memset);
        };
        let to = self.addr(inst.args[0]);
        let pattern = u64::from_ne_bytes([byte as u8; 8]);
        let mut vectors: FxHashMap<Type, VReg> = FxHashMap::default();
        for (ty, at) in pieces(count, self.scope.target.register_bytes) {
            let mem = self.fit(Addr { disp: to.disp.wrapping_add(at), ..to });
            if ty.is_vector() {
                let reg = *vectors.entry(ty).or_insert_with(|| self.constant(ty, pattern & 0xffff_ffff));
                self.store_to(ty, reg, mem).ok_or_else(|| self.unsupported(inst))?;
            } else if ty.bytes() == 8 {
                let reg = self.constant(ty, pattern);
                self.push(MInst { reg: S::Use(reg), rm: Rm::Mem(mem), size: 8, ..op(MOV_STORE) });
            } else {
                self.store_imm(mem, ty.bytes() as u8, pattern as i32);
            }
        }
        Ok(())
    }

    // ---- atomics

    fn space(&self, v: Value) -> AddrSpace {
        match self.func.ty(v).elem {
            Scalar::Ptr(space) => space,
            _ => AddrSpace::Generic,
        }
    }

    /// True if other threads may see the memory: a work-group runs on one thread.
    fn shared(&self, ptr: Value) -> bool {
        !matches!(self.space(ptr), AddrSpace::Private | AddrSpace::Local)
    }

    /// A value's bits in a general register.
    fn int_bits(&mut self, v: Value) -> VReg {
        let ty = self.func.ty(v);
        let reg = self.value(v);
        if ty.is_float() { self.gpr_from(reg, ty.bytes()) } else { reg }
    }

    /// Defines the result from its bits in a general register.
    fn define_bits(&mut self, inst: &InstData, ty: Type, bits: VReg) {
        let reg = if ty.is_float() { self.vec_from(Rm::Reg(S::Use(bits)), ty.bytes()) } else { bits };
        self.define(inst, reg);
    }

    pub(super) fn atomic(&mut self, inst: &InstData) -> Result<(), CodeError> {
        let ptr = inst.args[0];
        let ty = match inst.op {
            Op::AtomicStore => self.func.ty(inst.args[1]),
            _ => inst.result.map_or(Type::I32, |r| self.func.ty(r)),
        };
        if ty.elem == Scalar::I1 || ty.is_vector() {
            return Err(self.unsupported(inst));
        }
        let size = ty.bytes() as u8;
        match inst.op {
            Op::AtomicLoad => self.load(inst)?,
            Op::AtomicStore => {
                let weak = matches!(inst.attr.order, Order::Relaxed | Order::Release);
                if weak || !self.shared(ptr) {
                    return self.store(inst);
                }
                let bits = self.int_bits(inst.args[1]);
                let mem = self.mem(ptr);
                let old = self.new_gpr();
                self.push(MInst { reg: S::Mod(bits, old), rm: Rm::Mem(mem), size, ..op(XCHG) });
            }
            Op::AtomicCas => {
                let (expected, desired) = (self.int_bits(inst.args[1]), self.int_bits(inst.args[2]));
                let mem = self.mem(ptr);
                let old = self.new_gpr();
                let lock = self.shared(ptr);
                let mut cas = MInst { reg: S::Use(desired), rm: Rm::Mem(mem), size, lock, ..op(CMPXCHG) };
                cas.fixed.push(Operand::reg_fixed_use(expected, gpr(RAX)));
                cas.fixed.push(Operand::reg_fixed_def(old, gpr(RAX)));
                self.push(cas);
                self.define_bits(inst, ty, old);
            }
            Op::AtomicRmw => {
                let ir::Imm::Rmw(rmw) = inst.imm else { return Err(self.unsupported(inst)) };
                self.rmw(inst, rmw, ty)?;
            }
            _ => return Err(self.unsupported(inst)),
        }
        Ok(())
    }

    fn rmw(&mut self, inst: &InstData, rmw: RmwOp, ty: Type) -> Result<(), CodeError> {
        let ptr = inst.args[0];
        let size = ty.bytes() as u8;
        let wanted = inst.result.is_some_and(|r| self.plan.uses(r) > 0);
        let lock = self.shared(ptr);
        if rmw == RmwOp::Fadd && ty.is_float() {
            let value = self.value(inst.args[1]);
            let temp = self.new_vec();
            let old = self.atomic_loop(Rmw::Fadd, ptr, ty, lock, Operand::reg_use_at_end(value), Some(temp));
            self.define_bits(inst, ty, old);
            return Ok(());
        }
        let bits = self.int_bits(inst.args[1]);
        let alu = match rmw {
            RmwOp::Add => Some((ADD_TO, 0)),
            RmwOp::Sub => Some((SUB_TO, 5)),
            RmwOp::And => Some((AND_TO, 4)),
            RmwOp::Or => Some((OR_TO, 1)),
            RmwOp::Xor => Some((XOR_TO, 6)),
            _ => None,
        };
        if let Some((code, _)) = alu
            && !wanted
        {
            let mem = self.mem(ptr);
            self.push(MInst { reg: S::Use(bits), rm: Rm::Mem(mem), size, lock, ..op(code) });
            if let Some(result) = inst.result {
                self.vals[result.index()] = Val::Reg(bits);
            }
            return Ok(());
        }
        let old = match rmw {
            RmwOp::Add | RmwOp::Sub => {
                let mut addend = bits;
                if rmw == RmwOp::Sub {
                    addend = self.new_gpr();
                    self.push(MInst { rm: Rm::Reg(S::Mod(bits, addend)), size: 8, ..op(NEG) });
                }
                let mem = self.mem(ptr);
                let old = self.new_gpr();
                self.push(MInst { reg: S::Mod(addend, old), rm: Rm::Mem(mem), size, lock, ..op(XADD) });
                old
            }
            RmwOp::Xchg => {
                let mem = self.mem(ptr);
                let old = self.new_gpr();
                self.push(MInst { reg: S::Mod(bits, old), rm: Rm::Mem(mem), size, ..op(XCHG) });
                old
            }
            _ => {
                let step = match (rmw, alu) {
                    (_, Some((_, digit))) => Rmw::Alu(digit),
                    (RmwOp::MinS, _) => Rmw::Keep(Cc::Le),
                    (RmwOp::MinU, _) => Rmw::Keep(Cc::Be),
                    (RmwOp::MaxS, _) => Rmw::Keep(Cc::Ge),
                    (RmwOp::MaxU, _) => Rmw::Keep(Cc::Ae),
                    _ => return Err(self.unsupported(inst)),
                };
                self.atomic_loop(step, ptr, ty, lock, Operand::reg_use_at_end(bits), None)
            }
        };
        self.define_bits(inst, ty, old);
        Ok(())
    }

    /// A compare-exchange loop; the old value's bits.
    fn atomic_loop(&mut self, step: Rmw, ptr: Value, ty: Type, lock: bool, value: Operand, temp: Option<VReg>) -> VReg {
        let mem = self.mem(ptr);
        let (old, new) = (self.new_gpr(), self.new_gpr());
        let size = ty.bytes() as u8;
        let mut inst = MInst { rm: Rm::Mem(mem), size, lock, ..MInst::new(Kind::AtomicLoop(step)) };
        inst.fixed.push(value);
        inst.fixed.push(Operand::reg_def_at_start(new));
        inst.fixed.push(Operand::reg_fixed_def_at_start(old, gpr(RAX)));
        inst.fixed.extend(temp.map(Operand::reg_def_at_start));
        self.push(inst);
        old
    }

    pub(super) fn fence(&mut self, inst: &InstData) -> Result<(), CodeError> {
        // Within a work-group program order is enough.
        if matches!(inst.attr.scope, Scope::Device | Scope::AllDevices) && inst.attr.order != Order::Relaxed {
            self.push(MInst::new(Kind::Fence));
        }
        Ok(())
    }

    pub(super) fn prefetch(&mut self, inst: &InstData) -> Result<(), CodeError> {
        let mem = self.mem(inst.args[0]);
        self.push(MInst { rm: Rm::Mem(mem), size: 4, ..op(PREFETCHT0) });
        Ok(())
    }

    /// Whether an address lies in local memory, or in the private memory of this thread: scratch or stack. Frames of
    /// generated code lie between the stack pointer and `Env`.
    pub(super) fn where_is(&mut self, inst: &InstData) -> Result<(), CodeError> {
        let &[ptr, env] = &inst.args[..] else { return Err(self.unsupported(inst)) };
        let (ptr, env) = (self.value(ptr), self.value(env));
        let reg = if inst.op == Op::IsLocal {
            self.within(ptr, env, offset_of!(Env, local), offset_of!(Env, local_bytes))
        } else {
            let scratch = self.within(ptr, env, offset_of!(Env, scratch), offset_of!(Env, scratch_bytes));
            let zero = self.constant(Type::I32, 0);
            let top = self.new_gpr();
            self.push(MInst { reg: S::Def(top), size: 8, ..MInst::new(Kind::StackPointer) });
            let at = self.sub(ptr, top);
            let size = self.sub(env, top);
            self.push(MInst { reg: S::Use(at), rm: Rm::Reg(S::Use(size)), size: 8, ..op(CMP) });
            let stack = self.set_cc(zero, Cc::B);
            let to = self.new_gpr();
            self.push(MInst { reg: S::Mod(scratch, to), rm: Rm::Reg(S::Use(stack)), size: 4, ..op(OR) });
            to
        };
        self.define_clean(inst, reg);
        Ok(())
    }

    fn sub(&mut self, a: VReg, b: VReg) -> VReg {
        let to = self.new_gpr();
        self.push(MInst { reg: S::Mod(a, to), rm: Rm::Reg(S::Use(b)), size: 8, ..op(SUB) });
        to
    }

    /// `ptr - *(env + base) < *(env + bytes)`.
    fn within(&mut self, ptr: VReg, env: VReg, base: usize, bytes: usize) -> VReg {
        let field = |disp: usize| Mem { base: Base::Reg(env), index: None, scale: 1, disp: disp as i32 };
        let zero = self.constant(Type::I32, 0);
        let at = self.new_gpr();
        self.push(MInst { reg: S::Mod(ptr, at), rm: Rm::Mem(field(base)), size: 8, ..op(SUB) });
        self.push(MInst { reg: S::Use(at), rm: Rm::Mem(field(bytes)), size: 8, ..op(CMP) });
        self.set_cc(zero, Cc::B)
    }
}

/// Pieces in which `bytes` bytes move, largest first: registers of at most `most` bytes.
fn pieces(bytes: i64, most: u8) -> Vec<(Type, i64)> {
    let mut pieces = Vec::new();
    let mut at = 0;
    let vectors = [16, 8, 4].map(|n| Type::I32.with_lanes(n)).into_iter().filter(|ty| ty.bytes() <= u32::from(most));
    for ty in vectors.chain([Type::I64, Type::I32, Type::I16, Type::I8]) {
        while bytes - at >= i64::from(ty.bytes()) {
            pieces.push((ty, at));
            at += i64::from(ty.bytes());
        }
    }
    pieces
}
