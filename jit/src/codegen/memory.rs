//! Loads, stores, copies, atomics. Every access carries an alias region: Cranelift 0.135 miscompiles functions that mix
//! tagged and untagged accesses (bytecodealliance/wasmtime #14323).

use super::function::{Operand, Translator, clif_type};
use super::helper::Helper;
use crate::error::CodeError;
use crate::ir::op::{Flags, RmwOp};
use crate::ir::{Func, Imm, InstData, Op, Order, Scalar, Scope, Type, Value};
use crate::launch::{AddrSpace, Env};
use cranelift_codegen::ir as clif;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{AliasRegion, AliasRegionData, AtomicRmwOp, InstBuilder, MemFlagsData, types};
use std::mem::offset_of;

/// Copies and fills up to this many bytes are inlined.
const INLINE_BYTES: i64 = 512;
/// So many pieces are in registers at once.
const AT_ONCE: usize = 8;

/// The alias regions of one function, by address space.
pub(super) struct Regions {
    constant: AliasRegion,
    global: AliasRegion,
    local: AliasRegion,
    private: AliasRegion,
}

impl Regions {
    /// Regions by address space; one for all writable ones if the function dereferences a generic pointer, since the
    /// same bytes must never be accessed through two regions.
    pub fn new(func: &Func, target: &mut clif::Function) -> Self {
        let generic = func.layout.iter().flat_map(|&b| &func.blocks[b].insts).any(|&i| {
            let inst = &func.insts[i];
            let touches = match inst.op {
                Op::Load | Op::Store | Op::AtomicLoad | Op::AtomicStore | Op::AtomicRmw | Op::AtomicCas => 1,
                Op::Memset => 1,
                Op::Memcpy => 2,
                _ => 0,
            };
            inst.args.iter().take(touches).any(|&a| func.ty(a).elem == Scalar::Ptr(AddrSpace::Generic))
        });
        let mut region = |user_id, name: &'static str| {
            target.dfg.alias_regions.insert(AliasRegionData { user_id, description: name.into() })
        };
        let constant = region(0, "constant");
        let global = region(1, "global");
        if generic {
            return Self { constant, global, local: global, private: global };
        }
        Self { constant, global, local: region(2, "local"), private: region(3, "private") }
    }

    fn of(&self, space: AddrSpace) -> AliasRegion {
        match space {
            AddrSpace::Constant => self.constant,
            AddrSpace::Global | AddrSpace::Generic => self.global,
            AddrSpace::Local => self.local,
            AddrSpace::Private => self.private,
        }
    }
}

/// How an atomic access is done.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sharing {
    /// No other thread sees the memory: a work-group runs on one thread.
    OneThread,
    /// Other threads may access it.
    Shared,
}

impl Translator<'_, '_> {
    fn flags(&self, ptr: Value, operand: Operand, flags: Flags) -> MemFlagsData {
        let space = self.space(ptr);
        let mut data = MemFlagsData::new().with_notrap().with_alias_region(Some(self.regions.of(space)));
        if space == AddrSpace::Constant || flags.contains(Flags::INVARIANT) {
            data = data.with_readonly();
            // A load that may move is executed whether its block is reached or not.
            if operand.param && flags.contains(Flags::INVARIANT) {
                data = data.with_can_move();
            }
        }
        data
    }

    /// Base register and displacement of an access at `ptr`.
    fn place(&mut self, operand: Operand) -> (clif::Value, i32) {
        match i32::try_from(operand.disp) {
            Ok(disp) if disp < i32::MAX - 64 => (operand.base, disp),
            _ => (self.b.ins().iadd_imm_s(operand.base, operand.disp), 0),
        }
    }

    pub fn load(&mut self, inst: &InstData) {
        let ptr = inst.args[0];
        let operand = self.operand(ptr);
        let Some(result) = inst.result else { return };
        let ty = self.func.ty(result);
        let flags = self.flags(ptr, operand, inst.attr.flags);
        let value = if inst.attr.flags.contains(Flags::VOLATILE) && !ty.is_vector() {
            self.atomic_load(ty, ptr, flags)
        } else {
            let (base, disp) = self.place(operand);
            self.b.ins().load(clif_type(ty), flags, base, disp)
        };
        self.define(inst, value);
    }

    pub fn store(&mut self, inst: &InstData) {
        let ptr = inst.args[0];
        let operand = self.operand(ptr);
        let value = self.value(inst.args[1]);
        let mut flags = self.flags(ptr, operand, inst.attr.flags);
        if inst.attr.flags.contains(Flags::VOLATILE) {
            flags = must_stay(flags);
        }
        let (base, disp) = self.place(operand);
        self.b.ins().store(flags, value, base, disp);
    }

    pub fn memcpy(&mut self, inst: &InstData) {
        let (to, from) = (self.operand(inst.args[0]), self.operand(inst.args[1]));
        let count = self.func.const_bits(inst.args[2]).map(|n| n as i64);
        if let Some(count) = count
            && (0..=INLINE_BYTES).contains(&count)
        {
            let load_flags = self.flags(inst.args[1], from, Flags::empty());
            let store_flags = self.flags(inst.args[0], to, Flags::empty());
            let (from, to) = (self.place(from), self.place(to));
            // Equal regions are fine, as each piece is loaded first.
            for pieces in pieces(count as i32).chunks(AT_ONCE) {
                let load = |&(ty, at): &(clif::Type, i32)| self.b.ins().load(ty, load_flags, from.0, from.1 + at);
                let loaded: Vec<clif::Value> = pieces.iter().map(load).collect();
                for (&(_, at), value) in pieces.iter().zip(loaded) {
                    self.b.ins().store(store_flags, value, to.0, to.1 + at);
                }
            }
            return;
        }
        let args = [self.value(inst.args[0]), self.value(inst.args[1]), self.value(inst.args[2])];
        let helper = self.helper(Helper::Memcpy);
        self.b.ins().call(helper, &args);
    }

    pub fn memset(&mut self, inst: &InstData) {
        let to = self.operand(inst.args[0]);
        let byte = self.func.const_bits(inst.args[1]);
        let count = self.func.const_bits(inst.args[2]).map(|n| n as i64);
        if let (Some(byte), Some(count)) = (byte, count)
            && (0..=INLINE_BYTES).contains(&count)
        {
            let flags = self.flags(inst.args[0], to, Flags::empty());
            let to = self.place(to);
            let pattern = u64::from_ne_bytes([byte as u8; 8]);
            for (ty, at) in pieces(count as i32) {
                let value = if ty == types::I32X4 {
                    let word = self.b.ins().iconst(types::I32, i64::from(pattern as i32));
                    self.b.ins().splat(types::I32X4, word)
                } else {
                    self.b.ins().iconst(ty, super::function::sign_extend(pattern, ty.bits()))
                };
                self.b.ins().store(flags, value, to.0, to.1 + at);
            }
            return;
        }
        let args = [self.value(inst.args[0]), self.value(inst.args[1]), self.value(inst.args[2])];
        let helper = self.helper(Helper::Memset);
        self.b.ins().call(helper, &args);
    }

    /// Global memory is shared with other work-groups; for the rest one thread is all there is.
    fn sharing(&self, ptr: Value) -> Sharing {
        match self.space(ptr) {
            AddrSpace::Private | AddrSpace::Local => Sharing::OneThread,
            _ => Sharing::Shared,
        }
    }

    fn atomic_load(&mut self, ty: Type, ptr: Value, flags: MemFlagsData) -> clif::Value {
        let address = self.value(ptr);
        let int = int_type(ty);
        let value = self.b.ins().atomic_load(int, flags, address);
        self.reinterpret(value, clif_type(ty))
    }

    fn reinterpret(&mut self, value: clif::Value, ty: clif::Type) -> clif::Value {
        if self.b.func.dfg.value_type(value) == ty {
            value
        } else {
            self.b.ins().bitcast(ty, MemFlagsData::new(), value)
        }
    }

    pub fn atomic(&mut self, inst: &InstData) -> Result<(), CodeError> {
        let ptr = inst.args[0];
        let operand = self.operand(ptr);
        let flags = must_stay(self.flags(ptr, operand, Flags::empty()));
        let sharing = self.sharing(ptr);
        let ty = match inst.op {
            Op::AtomicStore => self.func.ty(inst.args[1]),
            _ => inst.result.map_or(Type::I32, |r| self.func.ty(r)),
        };
        if ty.elem == Scalar::I1 || ty.is_vector() {
            return Err(self.unsupported(inst));
        }
        let int = int_type(ty);
        let lane = clif_type(ty);
        match (inst.op, sharing) {
            (Op::AtomicLoad, Sharing::Shared) => {
                let value = self.atomic_load(ty, ptr, flags);
                self.define(inst, value);
            }
            (Op::AtomicLoad, Sharing::OneThread) => {
                let (base, disp) = self.place(operand);
                let value = self.b.ins().load(lane, flags, base, disp);
                self.define(inst, value);
            }
            (Op::AtomicStore, _) => {
                let value = self.value(inst.args[1]);
                // A plain store is atomic, and on x86-64 it releases; only sequential consistency needs more.
                let order = inst.attr.order;
                let weak = order == Order::Relaxed || order == Order::Release && cfg!(target_arch = "x86_64");
                if sharing == Sharing::OneThread || weak {
                    let (base, disp) = self.place(operand);
                    self.b.ins().store(flags, value, base, disp);
                } else {
                    let value = self.reinterpret(value, int);
                    let address = self.value(ptr);
                    self.b.ins().atomic_store(flags, value, address);
                }
            }
            (Op::AtomicCas, _) => {
                let (expected, desired) = (self.value(inst.args[1]), self.value(inst.args[2]));
                let expected = self.reinterpret(expected, int);
                let desired = self.reinterpret(desired, int);
                let old = if sharing == Sharing::Shared {
                    let address = self.value(ptr);
                    self.b.ins().atomic_cas(flags, address, expected, desired)
                } else {
                    let (base, disp) = self.place(operand);
                    let old = self.b.ins().load(int, flags, base, disp);
                    let same = self.b.ins().icmp(IntCC::Equal, old, expected);
                    let new = self.b.ins().select(same, desired, old);
                    self.b.ins().store(flags, new, base, disp);
                    old
                };
                let old = self.reinterpret(old, lane);
                self.define(inst, old);
            }
            (Op::AtomicRmw, _) => {
                let Imm::Rmw(rmw) = inst.imm else { return Err(self.unsupported(inst)) };
                let value = self.value(inst.args[1]);
                let old = self.rmw(rmw, ty, ptr, operand, flags, value, sharing);
                self.define(inst, old);
            }
            _ => return Err(self.unsupported(inst)),
        }
        Ok(())
    }

    #[allow(clippy::too_many_arguments, reason = "one place uses it")]
    fn rmw(
        &mut self,
        rmw: RmwOp,
        ty: Type,
        ptr: Value,
        operand: Operand,
        flags: MemFlagsData,
        value: clif::Value,
        sharing: Sharing,
    ) -> clif::Value {
        let (int, lane) = (int_type(ty), clif_type(ty));
        if sharing == Sharing::OneThread {
            let (base, disp) = self.place(operand);
            let old = self.b.ins().load(lane, flags, base, disp);
            let new = self.combine(rmw, old, value);
            self.b.ins().store(flags, new, base, disp);
            return old;
        }
        let address = self.value(ptr);
        let op = match rmw {
            RmwOp::Add => AtomicRmwOp::Add,
            RmwOp::Sub => AtomicRmwOp::Sub,
            RmwOp::And => AtomicRmwOp::And,
            RmwOp::Or => AtomicRmwOp::Or,
            RmwOp::Xor => AtomicRmwOp::Xor,
            RmwOp::Xchg => AtomicRmwOp::Xchg,
            RmwOp::MinS => AtomicRmwOp::Smin,
            RmwOp::MinU => AtomicRmwOp::Umin,
            RmwOp::MaxS => AtomicRmwOp::Smax,
            RmwOp::MaxU => AtomicRmwOp::Umax,
            RmwOp::Fadd => return self.float_rmw(rmw, int, lane, address, flags, value),
        };
        let value = self.reinterpret(value, int);
        let old = self.b.ins().atomic_rmw(int, flags, op, address, value);
        self.reinterpret(old, lane)
    }

    /// Compare-exchange loop.
    fn float_rmw(
        &mut self,
        rmw: RmwOp,
        int: clif::Type,
        lane: clif::Type,
        address: clif::Value,
        flags: MemFlagsData,
        value: clif::Value,
    ) -> clif::Value {
        let (head, exit) = (self.b.create_block(), self.b.create_block());
        let seen = self.b.append_block_param(head, int);
        let first = self.b.ins().atomic_load(int, flags, address);
        self.b.ins().jump(head, &[first.into()]);
        self.b.switch_to_block(head);
        let old = self.reinterpret(seen, lane);
        let new = self.combine(rmw, old, value);
        let new = self.reinterpret(new, int);
        let found = self.b.ins().atomic_cas(flags, address, seen, new);
        let done = self.b.ins().icmp(IntCC::Equal, found, seen);
        self.b.ins().brif(done, exit, &[], head, &[found.into()]);
        self.b.switch_to_block(exit);
        old
    }

    fn combine(&mut self, rmw: RmwOp, old: clif::Value, value: clif::Value) -> clif::Value {
        let ins = self.b.ins();
        match rmw {
            RmwOp::Add => ins.iadd(old, value),
            RmwOp::Sub => ins.isub(old, value),
            RmwOp::And => ins.band(old, value),
            RmwOp::Or => ins.bor(old, value),
            RmwOp::Xor => ins.bxor(old, value),
            RmwOp::Xchg => value,
            RmwOp::MinS => ins.smin(old, value),
            RmwOp::MinU => ins.umin(old, value),
            RmwOp::MaxS => ins.smax(old, value),
            RmwOp::MaxU => ins.umax(old, value),
            RmwOp::Fadd => ins.fadd(old, value),
        }
    }

    /// Whether an address lies in local memory, or in the private memory of this thread: scratch or stack. Frames of
    /// generated code lie between the stack pointer and `Env`, which `KernelCode::run` keeps on the stack.
    pub fn where_is(&mut self, inst: &InstData) -> Result<(), CodeError> {
        let &[ptr, env] = &inst.args[..] else { return Err(self.unsupported(inst)) };
        let (ptr, env) = (self.value(ptr), self.value(env));
        let flags = MemFlagsData::new().with_notrap().with_readonly().with_alias_region(Some(self.regions.constant));
        let within = |this: &mut Self, base: usize, bytes: usize| {
            let base = this.b.ins().load(types::I64, flags, env, base as i32);
            let bytes = this.b.ins().load(types::I64, flags, env, bytes as i32);
            let at = this.b.ins().isub(ptr, base);
            this.b.ins().icmp(IntCC::UnsignedLessThan, at, bytes)
        };
        let inside = if inst.op == Op::IsLocal {
            within(self, offset_of!(Env, local), offset_of!(Env, local_bytes))
        } else {
            let scratch = within(self, offset_of!(Env, scratch), offset_of!(Env, scratch_bytes));
            let top = self.b.ins().get_stack_pointer(types::I64);
            let at = self.b.ins().isub(ptr, top);
            let size = self.b.ins().isub(env, top);
            let stack = self.b.ins().icmp(IntCC::UnsignedLessThan, at, size);
            self.b.ins().bor(scratch, stack)
        };
        self.define(inst, inside);
        Ok(())
    }

    pub fn fence(&mut self, inst: &InstData) {
        // Within a work-group program order is enough.
        if matches!(inst.attr.scope, Scope::Device | Scope::AllDevices) && inst.attr.order != Order::Relaxed {
            self.b.ins().fence();
        }
    }
}

/// An access that must not be removed or merged away.
fn must_stay(flags: MemFlagsData) -> MemFlagsData {
    flags.with_trap_code(Some(clif::TrapCode::HEAP_OUT_OF_BOUNDS))
}

fn int_type(ty: Type) -> clif::Type {
    match ty.elem.bytes() {
        1 => types::I8,
        2 => types::I16,
        4 => types::I32,
        _ => types::I64,
    }
}

/// Pieces in which `bytes` bytes move, largest first.
fn pieces(bytes: i32) -> Vec<(clif::Type, i32)> {
    let mut pieces = Vec::new();
    let mut at = 0;
    for ty in [types::I32X4, types::I64, types::I32, types::I16, types::I8] {
        while bytes - at >= ty.bytes() as i32 {
            pieces.push((ty, at));
            at += ty.bytes() as i32;
        }
    }
    pieces
}
