//! Values in registers, as immediates, as memory operands; constants; addresses.

use super::{Select, Val, class, gpr_size};
use crate::codegen::object::Symbol;
use crate::codegen::x64wide::code::{self, *};
use crate::codegen::x64wide::encode::{Code, Imm};
use crate::codegen::x64wide::mir::{Base, Kind, MInst, Mem, Rm, S};
use crate::error::CodeError;
use crate::ir::entity::Entity;
use crate::ir::{self, InstData, Op, Scalar, Type, Value};
use regalloc2::VReg;

/// An address that is not added up yet.
#[derive(Clone, Copy)]
pub(super) struct Addr {
    pub base: Base,
    pub index: Option<VReg>,
    pub scale: u8,
    pub disp: i64,
}

impl Addr {
    fn of(base: Base) -> Self {
        Self { base, index: None, scale: 1, disp: 0 }
    }
}

/// An operand that an instruction takes from a register or from memory.
#[derive(Clone, Copy)]
pub(super) struct Source {
    pub rm: Rm,
    /// One element for all lanes.
    pub bcast: bool,
    /// Bytes of memory, if it is there.
    pub bytes: u8,
}

/// Vector length code of a type: 0, 1, 2 for up to 16, 32, 64 bytes.
pub(super) fn len(ty: Type) -> u8 {
    match ty.bytes() {
        0..=16 => 0,
        17..=32 => 1,
        _ => 2,
    }
}

/// 0 for elements of up to 32 bits, 1 for 64 bits.
pub(super) fn wide(elem: Scalar) -> usize {
    usize::from(elem.bytes() == 8)
}

impl Select<'_> {
    /// A value in a register of its class.
    pub(super) fn value(&mut self, v: Value) -> VReg {
        match self.vals[v.index()] {
            Val::Reg(reg) => reg,
            Val::Addr(Addr { base: Base::Reg(reg), index: None, disp: 0, .. }) => reg,
            Val::Addr(addr) => {
                if let Some(&reg) = self.made.get(&v) {
                    return reg;
                }
                let reg = self.add_up(addr);
                self.made.insert(v, reg);
                reg
            }
            Val::Later => {
                if let Some(&reg) = self.made.get(&v) {
                    return reg;
                }
                let reg = self.make(v);
                self.made.insert(v, reg);
                reg
            }
        }
    }

    /// Computes a late value.
    fn make(&mut self, v: Value) -> VReg {
        let func = self.func;
        let Some(inst) = func.def_inst(v) else { unreachable!("parameters are in registers") };
        match (inst.op, &inst.imm) {
            (Op::Const, ir::Imm::Bits(bits)) => self.constant(func.ty(v), *bits),
            (Op::Const | Op::Undef, _) => self.constant(func.ty(v), 0),
            _ => {
                // Late ops are such as always have code.
                let failed = self.inst(inst).is_err();
                debug_assert!(!failed, "late ops have code");
                match self.vals[v.index()] {
                    Val::Reg(reg) => {
                        self.vals[v.index()] = Val::Later;
                        reg
                    }
                    _ => self.new_reg(class(func.ty(v))),
                }
            }
        }
    }

    /// A constant in a register; a splat for vectors.
    pub(super) fn constant(&mut self, ty: Type, bits: u64) -> VReg {
        let reg = self.new_reg(class(ty));
        match class(ty) {
            regalloc2::RegClass::Int => {
                let bits = if ty == Type::I1 { bits & 1 } else { bits };
                if bits == 0 {
                    self.push(MInst { reg: S::Def(reg), size: 4, ..MInst::new(Kind::Zero) });
                } else {
                    self.push(MInst { reg: S::Def(reg), size: 8, ..MInst::new(Kind::Mov64(bits)) });
                }
            }
            regalloc2::RegClass::Float if bits == 0 => {
                self.push(MInst { reg: S::Def(reg), ..MInst::new(Kind::Zero) });
            }
            regalloc2::RegClass::Float => {
                if ty.is_vector() && !self.has_evex() && bits == u64::MAX >> (64 - ty.elem.bits()) {
                    let ones = Kind::Itself(VPCMPEQ[2]);
                    self.push(MInst { reg: S::Def(reg), len: len(ty), ..MInst::new(ones) });
                } else if !ty.is_vector() {
                    let mem = self.pool(&bits.to_le_bytes()[..ty.bytes() as usize]);
                    let code = VMOVS[wide(ty.elem)];
                    self.push(MInst { reg: S::Def(reg), rm: Rm::Mem(mem), bytes: ty.bytes() as u8, ..op(code) });
                } else if len(ty) == 0 {
                    let mem = self.pool_splat(ty, bits, 16);
                    self.push(MInst { reg: S::Def(reg), rm: Rm::Mem(mem), bytes: 16, ..op(VMOVAPS) });
                } else {
                    self.broadcast_constant(reg, ty, bits);
                }
            }
            regalloc2::RegClass::Vector => {
                let code = if bits & 1 == 0 { KXOR } else { KXNOR };
                self.push(MInst { reg: S::Def(reg), ..MInst::new(Kind::Itself(code)) });
            }
        }
        reg
    }

    fn broadcast_constant(&mut self, reg: VReg, ty: Type, bits: u64) {
        let bytes = ty.elem.bytes() as usize;
        let mem = self.pool(&bits.to_le_bytes()[..bytes]);
        let code = VPBROADCAST[bytes.trailing_zeros() as usize];
        self.push(MInst { reg: S::Def(reg), rm: Rm::Mem(mem), bytes: bytes as u8, len: len(ty), ..op(code) });
    }

    /// Constant bytes behind the function's code, aligned to their number.
    pub(super) fn pool(&mut self, bytes: &[u8]) -> Mem {
        let next = self.out.const_at.len() as u32;
        let number = *self.consts.entry(bytes.to_vec()).or_insert(next);
        if number == next {
            let start = self.out.consts.len().next_multiple_of(bytes.len().next_power_of_two().min(64));
            self.out.consts.resize(start, 0);
            self.out.const_at.push(start as u32);
            self.out.consts.extend_from_slice(bytes);
        }
        Mem { base: Base::Const(number), index: None, scale: 1, disp: 0 }
    }

    /// A splat of `total` bytes.
    pub(super) fn pool_splat(&mut self, ty: Type, bits: u64, total: usize) -> Mem {
        let lane = bits.to_le_bytes();
        let bytes: Vec<u8> = lane[..ty.elem.bytes() as usize].iter().copied().cycle().take(total).collect();
        self.pool(&bytes)
    }

    /// An integer constant as a sign-extended 32-bit immediate.
    pub(super) fn imm(&self, v: Value) -> Option<i32> {
        let ty = self.func.ty(v);
        if ty.is_vector() || ty.is_float() {
            return None;
        }
        let bits = self.func.const_bits(v)?;
        let shift = 64 - if ty == Type::I1 { 8 } else { ty.elem.bits() };
        i32::try_from((bits << shift) as i64 >> shift).ok()
    }

    /// A general-register operand from a register or, if it is a load that may be delayed, from memory. `size` is what
    /// the instruction reads.
    pub(super) fn int_source(&mut self, v: Value, size: u8) -> Rm {
        if u32::from(size) == self.func.ty(v).bytes()
            && let Some(mem) = self.late_load(v)
        {
            return Rm::Mem(mem);
        }
        Rm::Reg(S::Use(self.value(v)))
    }

    /// The address of a load that is to be done now.
    pub(super) fn late_load(&mut self, v: Value) -> Option<Mem> {
        if !matches!(self.vals[v.index()], Val::Later) || self.made.contains_key(&v) {
            return None;
        }
        let inst = self.func.def_inst(v).filter(|d| d.op == Op::Load)?;
        Some(self.mem(inst.args[0]))
    }

    /// A vector-register operand: a register, a constant, or a load that may be delayed. `broadcasts` if the
    /// instruction can spread one element of 32 or 64 bits.
    pub(super) fn source(&mut self, v: Value, broadcasts: bool) -> Source {
        let ty = self.func.ty(v);
        let bytes = ty.bytes();
        let whole = !ty.is_vector() || bytes == 16 << len(ty);
        if whole && let Some(mem) = self.late_load(v) {
            return Source { rm: Rm::Mem(mem), bcast: false, bytes: bytes as u8 };
        }
        if let Some(bits) = self.func.const_bits(v)
            && bits != 0
            && !self.made.contains_key(&v)
        {
            if !ty.is_vector() {
                let mem = self.pool(&bits.to_le_bytes()[..bytes as usize]);
                return Source { rm: Rm::Mem(mem), bcast: false, bytes: bytes as u8 };
            }
            if len(ty) == 0 || !self.has_evex() {
                let total = 16 << len(ty);
                let mem = self.pool_splat(ty, bits, total);
                return Source { rm: Rm::Mem(mem), bcast: false, bytes: total as u8 };
            }
            if broadcasts && ty.elem.bytes() >= 4 {
                let size = ty.elem.bytes() as usize;
                let mem = self.pool(&bits.to_le_bytes()[..size]);
                return Source { rm: Rm::Mem(mem), bcast: true, bytes: size as u8 };
            }
        }
        Source { rm: Rm::Reg(S::Use(self.value(v))), bcast: false, bytes: 0 }
    }

    /// True if a value can be a memory operand now.
    pub(super) fn foldable(&self, v: Value) -> bool {
        if self.made.contains_key(&v) || !matches!(self.vals[v.index()], Val::Later) {
            return false;
        }
        self.func.def_inst(v).is_some_and(|d| d.op == Op::Load) || self.func.const_bits(v).is_some_and(|bits| bits != 0)
    }

    // ---- addresses

    /// A pointer's address.
    pub(super) fn addr(&mut self, v: Value) -> Addr {
        match self.vals[v.index()] {
            Val::Addr(addr) => addr,
            _ => Addr::of(Base::Reg(self.value(v))),
        }
    }

    /// A pointer as a memory operand.
    pub(super) fn mem(&mut self, v: Value) -> Mem {
        let addr = self.addr(v);
        self.fit(addr)
    }

    /// An address as a memory operand.
    pub(super) fn fit(&mut self, addr: Addr) -> Mem {
        match i32::try_from(addr.disp) {
            Ok(disp) if disp.unsigned_abs() < 1 << 30 => {
                Mem { base: addr.base, index: addr.index, scale: addr.scale, disp }
            }
            _ => {
                let far = self.constant(Type::I64, addr.disp as u64);
                let rest = self.add_up(Addr { disp: 0, ..addr });
                Mem { base: Base::Reg(rest), index: Some(far), scale: 1, disp: 0 }
            }
        }
    }

    /// An address in one register.
    pub(super) fn add_up(&mut self, addr: Addr) -> VReg {
        if let Addr { base: Base::Reg(reg), index: None, disp: 0, .. } = addr {
            return reg;
        }
        let mem = self.fit(addr);
        let reg = self.new_gpr();
        self.push(MInst { reg: S::Def(reg), rm: Rm::Mem(mem), size: 8, ..op(LEA) });
        reg
    }

    /// The address of a symbol.
    pub(super) fn symbol(&mut self, symbol: Symbol) -> VReg {
        let reg = self.new_reg(regalloc2::RegClass::Int);
        self.push(MInst { reg: S::Def(reg), size: 8, ..MInst::new(Kind::SymbolAddress(symbol)) });
        reg
    }

    pub(super) fn address(&mut self, inst: &InstData) -> Result<(), CodeError> {
        let Some(result) = inst.result else { return Err(self.unsupported(inst)) };
        let val = match (inst.op, &inst.imm) {
            (Op::PtrOff, ir::Imm::Disp(disp)) => {
                let addr = self.addr(inst.args[0]);
                Val::Addr(Addr { disp: addr.disp.wrapping_add(*disp), ..addr })
            }
            (Op::PtrAdd, ir::Imm::Scale { scale, disp }) => {
                let addr = self.addr(inst.args[0]);
                Val::Addr(self.indexed(addr, inst.args[1], *scale, *disp))
            }
            (Op::AsCast | Op::IntToPtr, _) => self.vals_of(inst.args[0]),
            (Op::PtrToInt, _) => Val::Reg(self.value(inst.args[0])),
            (Op::GlobalAddr, ir::Imm::Global(global)) => Val::Reg(self.symbol(Symbol::Global(*global))),
            (Op::SlotAddr, ir::Imm::Slot(slot)) => Val::Addr(Addr::of(Base::Slot(slot.index() as u32))),
            _ => return Err(self.unsupported(inst)),
        };
        self.vals[result.index()] = match val {
            Val::Addr(addr) if addr.index.is_some() && self.plan.is_base(result) => Val::Reg(self.add_up(addr)),
            val => val,
        };
        Ok(())
    }

    fn vals_of(&mut self, v: Value) -> Val {
        match self.vals[v.index()] {
            Val::Addr(addr) => Val::Addr(addr),
            _ => Val::Reg(self.value(v)),
        }
    }

    fn indexed(&mut self, addr: Addr, index: Value, scale: u32, disp: i64) -> Addr {
        let mut addr = Addr { disp: addr.disp.wrapping_add(disp), ..addr };
        let mut index = index;
        // Constants of the index move into the displacement; a load that the sum took in is not done again.
        if let Some(add) = self.func.def_inst(index)
            && matches!(add.op, Op::Add | Op::Sub)
            && let Some(c) = self.func.const_bits(add.args[1])
            && (self.in_register(add.args[0]) || self.made.contains_key(&add.args[0]))
        {
            let c = if add.op == Op::Add { c as i64 } else { (c as i64).wrapping_neg() };
            if c.unsigned_abs() < 1 << 24 {
                addr.disp = addr.disp.wrapping_add(c.wrapping_mul(i64::from(scale)));
                index = add.args[0];
            }
        }
        if let Some(c) = self.func.const_bits(index) {
            return Addr { disp: addr.disp.wrapping_add((c as i64).wrapping_mul(i64::from(scale))), ..addr };
        }
        let mut reg = self.value(index);
        let mut factor = scale;
        if !matches!(scale, 1 | 2 | 4 | 8) {
            // What is left of the factor fits the address.
            factor = if scale == 0 { 1 } else { 1 << scale.trailing_zeros().min(3) };
            let rest = scale / factor;
            reg = match self.scaled.get(&(index, rest)) {
                Some(&known) => known,
                None => self.multiply(reg, rest),
            };
            self.scaled.insert((index, rest), reg);
        }
        if addr.index.is_some() {
            let disp = addr.disp;
            let sum = self.add_up(Addr { disp: 0, ..addr });
            addr = Addr { disp, ..Addr::of(Base::Reg(sum)) };
        }
        Addr { index: Some(reg), scale: factor as u8, ..addr }
    }

    fn multiply(&mut self, reg: VReg, factor: u32) -> VReg {
        let to = self.new_gpr();
        if factor.is_power_of_two() {
            let imm = Imm::I8(factor.trailing_zeros() as i8);
            self.push(MInst { rm: Rm::Reg(S::Mod(reg, to)), size: 8, imm, ..op(SHL_IMM) });
        } else {
            let (code, imm) = match i8::try_from(factor) {
                Ok(short) => (IMUL_IMM8, Imm::I8(short)),
                Err(_) => (IMUL_IMM, Imm::I32(factor as i32)),
            };
            self.push(MInst { reg: S::Def(to), rm: Rm::Reg(S::Use(reg)), size: 8, imm, ..op(code) });
        }
        to
    }

    // ---- small pieces that several kinds of ops use

    /// `reg = code(rm)`.
    pub(super) fn unary(&mut self, code: Code, size: u8, rm: Rm) -> VReg {
        let to = self.new_gpr();
        self.push(MInst { reg: S::Def(to), rm, size, ..op(code) });
        to
    }

    /// A general register copied into a vector register's lane 0; the rest is zero.
    pub(super) fn vec_from(&mut self, from: Rm, bytes: u32) -> VReg {
        let to = self.new_vec();
        let code = VMOV_IN[usize::from(bytes == 8)];
        self.push(MInst { reg: S::Def(to), rm: from, bytes: bytes as u8, ..op(code) });
        to
    }

    /// Lane 0 of a vector register in a general register.
    pub(super) fn gpr_from(&mut self, from: VReg, bytes: u32) -> VReg {
        let to = self.new_gpr();
        let code = VMOV_OUT[usize::from(bytes == 8)];
        self.push(MInst { reg: S::Use(from), rm: Rm::Reg(S::Def(to)), ..op(code) });
        to
    }

    /// A narrow integer extended to 32 bits (or more, as `size` says).
    pub(super) fn extend(&mut self, v: Value, signed: bool, size: u8) -> VReg {
        let ty = self.func.ty(v);
        if !signed && self.is_clean(v) {
            return self.value(v);
        }
        let (code, size) = match (ty.elem.bytes(), signed) {
            (1, true) => (MOVSX8, size),
            (1, false) => (MOVZX8, 4),
            (2, true) => (MOVSX16, size),
            (2, false) => (MOVZX16, 4),
            (4, true) if size == 8 => (MOVSXD, 8),
            (4, false) if size == 8 => (code::MOV, 4),
            _ => return self.value(v),
        };
        let rm = match self.late_load(v) {
            Some(mem) => Rm::Mem(mem),
            None => Rm::Reg(S::Use(self.value(v))),
        };
        self.unary(code, size, rm)
    }

    /// True if a register holds zeros above the value's width.
    pub(super) fn is_clean(&self, v: Value) -> bool {
        self.clean[v.index()] && matches!(self.vals[v.index()], Val::Reg(_))
    }

    /// True if a value has a register of its own.
    pub(super) fn in_register(&self, v: Value) -> bool {
        matches!(self.vals[v.index()], Val::Reg(_))
    }

    pub(super) fn size_of(&self, v: Value) -> u8 {
        gpr_size(self.func.ty(v))
    }
}

/// An instruction of the table without operands.
pub(super) fn op(code: Code) -> MInst {
    MInst::new(Kind::Op(code))
}
