//! Memory: variables of functions, loads, stores, copies, addresses of parts, and the variables that the implementation
//! fills. Spec: SPIR-V, "Memory Instructions", "BuiltIn".

use super::constant::{is_element_chain, is_untyped_chain};
use super::function::{Def, FuncCx};
use super::module::Filled;
use super::ty::Kind;
use super::words::{Id, Inst};
use crate::device::DeviceFn;
use crate::hir::Builtin;
use crate::ir::op::Rounding;
use crate::ir::{Attr, Flags, Imm, IntPred, Op as Kir, Scalar, Type, Value};
use crate::launch::AddrSpace;
use crate::lower::Extras;
use crate::lower::builtin::Arg;
use spirv::{BuiltIn, Decoration, MemoryAccess, Op};

/// Memory operands behind whose mask an operand stands.
const WITH_OPERAND: MemoryAccess = MemoryAccess::ALIGNED
    .union(MemoryAccess::MAKE_POINTER_AVAILABLE)
    .union(MemoryAccess::MAKE_POINTER_VISIBLE)
    .union(MemoryAccess::ALIAS_SCOPE_INTEL_MASK)
    .union(MemoryAccess::NO_ALIAS_INTEL_MASK);

impl FuncCx<'_> {
    /// Translates an instruction on memory; false if it is none.
    pub(super) fn memory_inst(&mut self, op: Op, inst: &Inst) -> Result<bool, String> {
        match op {
            Op::Variable | Op::UntypedVariableKHR => self.local_variable(op, inst)?,
            Op::Load => {
                let (ty, id) = (inst.word(0)?, inst.word(1)?);
                let def = self.load(inst.word(2)?, ty, inst.rest(3))?;
                self.define(id, ty, def)?;
            }
            Op::Store => {
                let (pointer, object) = (inst.word(0)?, inst.word(1)?);
                let at = self.pointer(pointer)?;
                let ty = self.type_of(object)?;
                let attr = self.access(pointer, ty, inst.rest(2))?;
                self.store_object(at, object, ty, attr)?;
            }
            Op::CopyMemory => {
                let (to, from) = (inst.word(0)?, inst.word(1)?);
                // One of both may be untyped.
                let ty = self.pointee(to).or_else(|_| self.pointee(from))?;
                let attr = self.copying([to, from], inst.rest(2));
                let (to, from) = (self.pointer(to)?, self.pointer(from)?);
                self.copy_as(to, from, ty, attr)?;
            }
            Op::CopyMemorySized => {
                let attr = self.copying([inst.word(0)?, inst.word(1)?], inst.rest(3));
                let (to, from) = (self.pointer(inst.word(0)?)?, self.pointer(inst.word(1)?)?);
                let size = self.value(inst.word(2)?)?;
                let size = self.index(size, false)?;
                self.e.push(Kir::Memcpy, None, &[to, from, size], Imm::None, attr);
            }
            Op::AccessChain
            | Op::InBoundsAccessChain
            | Op::PtrAccessChain
            | Op::InBoundsPtrAccessChain
            | Op::UntypedAccessChainKHR
            | Op::UntypedInBoundsAccessChainKHR
            | Op::UntypedPtrAccessChainKHR
            | Op::UntypedInBoundsPtrAccessChainKHR => {
                let (ty, id) = (inst.word(0)?, inst.word(1)?);
                let def = self.access_chain(op, inst, ty)?;
                self.define(id, ty, def)?;
            }
            Op::LifetimeStart | Op::LifetimeStop | Op::UntypedPrefetchKHR => {}
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn local_variable(&mut self, op: Op, inst: &Inst) -> Result<(), String> {
        let (ty, id) = (inst.word(0)?, inst.word(1)?);
        let untyped = op == Op::UntypedVariableKHR;
        let object = if untyped { inst.word(3)? } else { self.pointee_of_type(ty)? };
        let init = inst.words.get(if untyped { 4 } else { 3 });
        let Kind::Pointer { space: Some(AddrSpace::Private), .. } = self.module.ty(ty)?.kind else {
            return Err("variables of functions are private".into());
        };
        let of = self.module.object(object)?;
        let (size, align) = (of.size, self.module.alignment(id, of));
        let described = self.places.variables.private.remove(&id);
        // Checks are of variables that have names.
        let number = if self.e.out.extras.contains(Extras::RANGES) { format!("%{id}") } else { String::new() };
        let name = self.module.names.get(&id).map_or(&*number, |name| name);
        let slot = self.e.slot(described.as_ref().map_or(name, |(name, _)| name), size, align);
        self.e.func.slots[slot].variable = described.map(|(_, variable)| variable);
        let at = self.e.slot_ptr(slot, align);
        self.define(id, ty, Def::Value(at))?;
        match init {
            Some(&init) => self.store_object(at, init, object, Attr::default()),
            None => Ok(()),
        }
    }

    /// What a pointer type points to.
    pub(super) fn pointee_of_type(&self, ty: Id) -> Result<Id, String> {
        match self.module.ty(ty)?.kind {
            Kind::Pointer { pointee: Some(pointee), .. } => Ok(pointee),
            _ => Err(format!("%{ty} is no type of typed pointers")),
        }
    }

    /// An operand that is a pointer.
    pub(super) fn pointer(&mut self, id: Id) -> Result<Value, String> {
        let value = self.value(id)?;
        if self.e.func.ty(value).is_ptr() { Ok(value) } else { Err(format!("%{id} is no pointer")) }
    }

    /// Whether each access through a pointer is made, since debuggers see what is there.
    fn keeps(&mut self, pointer: Id) -> bool {
        let extras = self.e.out.extras;
        extras.contains(Extras::VARIABLES)
            && matches!(self.def(pointer), Ok(Def::Value(at)) if self.e.func.ty(at) == Type::ptr(AddrSpace::Private))
    }

    /// The facts that an access states: memory operands, and decorations of the pointer.
    fn access(&mut self, pointer: Id, ty: Id, operands: &[u32]) -> Result<Attr, String> {
        let mut attr = Attr::default();
        let mask = MemoryAccess::from_bits_retain(operands.first().copied().unwrap_or(0));
        let is_volatile = self.module.decoration(pointer, Decoration::Volatile).is_some();
        let is_volatile = is_volatile || self.keeps(pointer);
        attr.flags.set(Flags::VOLATILE, mask.contains(MemoryAccess::VOLATILE) || is_volatile);
        if mask.contains(MemoryAccess::ALIGNED) {
            let align = *operands.get(1).ok_or("an alignment is missing")?;
            let natural = self.module.ty(ty)?.scalar().map_or(1, Scalar::bytes);
            if !align.is_power_of_two() {
                return Err("an alignment is no power of two".into());
            }
            // More than the elements of a vector need matters to checks only.
            let is_checked = self.e.out.extras.contains(Extras::ELEMENTS) && align <= 128;
            if align < natural || is_checked && align > natural {
                attr.align = align as u8;
            }
        }
        Ok(attr)
    }

    /// The facts that a copy states: a set of memory operands for both sides, or one for the target and one for the
    /// source.
    fn copying(&mut self, pointers: [Id; 2], mut operands: &[u32]) -> Attr {
        let mut flags = Flags::empty();
        for id in pointers {
            let is_volatile = self.module.decoration(id, Decoration::Volatile).is_some() || self.keeps(id);
            flags.set(Flags::VOLATILE, flags.contains(Flags::VOLATILE) || is_volatile);
        }
        while let [mask, rest @ ..] = operands {
            let mask = MemoryAccess::from_bits_retain(*mask);
            flags.set(Flags::VOLATILE, flags.contains(Flags::VOLATILE) || mask.contains(MemoryAccess::VOLATILE));
            let n = (mask & WITH_OPERAND).bits().count_ones() as usize;
            operands = rest.get(n..).unwrap_or_default();
        }
        Attr { flags, ..Attr::default() }
    }

    fn load(&mut self, pointer: Id, ty: Id, operands: &[u32]) -> Result<Def, String> {
        if let Def::BuiltIn(builtin, component) = self.def(pointer)? {
            return self.builtin_value(builtin, component, ty).map(Def::Value);
        }
        let at = self.pointer(pointer)?;
        if self.module.ty(ty)?.is_aggregate() {
            let place = self.temp(ty)?;
            let attr = self.copying([pointer; 2], operands);
            self.copy_as(place, at, ty, attr)?;
            return Ok(Def::Memory(place));
        }
        let attr = self.access(pointer, ty, operands)?;
        self.load_number(at, ty, attr).map(Def::Value)
    }

    /// Loads a number or a pointer. Booleans are bytes in memory.
    pub(super) fn load_number(&mut self, at: Value, ty: Id, attr: Attr) -> Result<Value, String> {
        let kir = self.kir(ty)?;
        if self.module.ty(ty)?.size == 0 {
            return Err("this type has no size".into());
        }
        if kir.elem != Scalar::I1 {
            return Ok(self.e.emit_attr(Kir::Load, kir, &[at], Imm::None, attr));
        }
        let bytes = self.e.emit_attr(Kir::Load, kir.with_elem(Scalar::I8), &[at], Imm::None, attr);
        let zero = self.e.bits(kir.with_elem(Scalar::I8), 0);
        Ok(self.e.emit(Kir::Icmp, kir, &[bytes, zero], Imm::IntPred(IntPred::Ne)))
    }

    /// Stores a number or a pointer.
    pub(super) fn store_number(&mut self, at: Value, value: Value, attr: Attr) {
        let ty = self.e.func.ty(value);
        let value = match ty.elem {
            Scalar::I1 => self.e.emit(Kir::Zext, ty.with_elem(Scalar::I8), &[value], Imm::None),
            _ => value,
        };
        self.e.push(Kir::Store, None, &[at, value], Imm::None, attr);
    }

    /// Stores what an id stands for, of this type.
    pub(super) fn store_object(&mut self, at: Value, id: Id, ty: Id, attr: Attr) -> Result<(), String> {
        if self.module.ty(ty)?.is_aggregate() {
            let (from, found) = self.memory(id)?;
            if self.module.ty(found)?.size != self.module.ty(ty)?.size {
                return Err(format!("%{id} does not have the type of its place"));
            }
            let attr = Attr { flags: attr.flags & Flags::VOLATILE, ..Attr::default() };
            return self.copy_as(at, from, ty, attr);
        }
        let value = self.value(id)?;
        self.want(value, self.kir(ty)?)?;
        self.store_number(at, value, attr);
        Ok(())
    }

    // ---- addresses

    /// An index as `i64`.
    pub(super) fn index(&mut self, index: Value, signed: bool) -> Result<Value, String> {
        let ty = self.e.func.ty(index);
        if !ty.is_int() || ty.is_vector() || ty == Type::I1 {
            return Err("an index is an integer".into());
        }
        Ok(self.e.convert_lanes(index, Type::I64, [signed; 2], false, Rounding::Rte))
    }

    fn access_chain(&mut self, op: Op, inst: &Inst, ty: Id) -> Result<Def, String> {
        let (untyped, by_element) = (is_untyped_chain(op), is_element_chain(op));
        let (base, mut indices) = if untyped { (inst.word(3)?, inst.rest(4)) } else { (inst.word(2)?, inst.rest(3)) };
        let mut at = if untyped { inst.word(2)? } else { self.pointee(base)? };
        if let (Def::BuiltIn(builtin, None), false, [index]) = (self.def(base)?, by_element, indices) {
            let index = self.value(*index)?;
            return Ok(Def::BuiltIn(builtin, Some(index)));
        }
        let mut pointer = self.pointer(base)?;
        if by_element {
            let [element, rest @ ..] = indices else { return Err("an index is missing".into()) };
            let size = self.module.ty(at)?.size;
            pointer = self.step(pointer, *element, size)?;
            indices = rest;
        }
        for &index in indices {
            let of = self.module.ty(at)?;
            if let Kind::Struct { .. } = of.kind {
                let (inner, offset) = of.part(self.module.index(index)?).ok_or("there is no such member")?;
                pointer = self.e.ptr_off(pointer, offset);
                at = inner;
                continue;
            }
            let (inner, size) = of.part(1).ok_or("a type without parts is indexed")?;
            pointer = self.step(pointer, index, size as u64)?;
            at = inner;
        }
        let to = self.kir(ty)?;
        if !to.is_ptr() {
            return Err("the result is no pointer".into());
        }
        Ok(Def::Value(self.cast(pointer, to)))
    }

    /// A pointer so many elements further.
    fn step(&mut self, pointer: Value, index: Id, size: u64) -> Result<Value, String> {
        if let Ok(index) = self.module.index(index) {
            return Ok(self.e.ptr_off(pointer, index.wrapping_mul(size as i64)));
        }
        let index = self.value(index)?;
        let index = self.index(index, true)?;
        Ok(self.e.ptr_add(pointer, index, size))
    }

    // ---- variables that the implementation fills

    /// The value of a variable, or of a component, as this type.
    fn builtin_value(&mut self, builtin: Filled, component: Option<Value>, ty: Id) -> Result<Value, String> {
        let to = self.kir(ty)?;
        let Filled::Known(builtin) = builtin else {
            let valid = self.e.ask((DeviceFn::CanMeet, 0), &[], [None; 2], None, Some(Type::I1));
            return valid.filter(|_| to == Type::I1).ok_or_else(|| "whether barriers are valid is a bool".into());
        };
        let query = match builtin {
            BuiltIn::GlobalInvocationId => Kir::Gid,
            BuiltIn::LocalInvocationId => Kir::Lid,
            BuiltIn::WorkgroupId => Kir::Grp,
            BuiltIn::WorkgroupSize => Kir::Lsz,
            BuiltIn::EnqueuedWorkgroupSize => Kir::Elsz,
            BuiltIn::GlobalSize => Kir::Gsz,
            BuiltIn::NumWorkgroups => Kir::Ngrp,
            BuiltIn::GlobalOffset => Kir::Goff,
            _ => return self.builtin_scalar(builtin, to),
        };
        if !to.is_int() || to.elem == Scalar::I1 {
            return Err("ids and sizes are integers".into());
        }
        if let Some(component) = component {
            let dim = self.index(component, false)?;
            let dim = self.e.convert_lanes(dim, Type::I32, [false; 2], false, Rounding::Rte);
            let arg = Arg { value: dim, signed: false, pointee: None };
            let value = self.e.builtin(&Builtin::WorkItem(query), &[arg], Some(Type::I64));
            let value = value.ok_or("a query has a result")?;
            return Ok(self.e.convert_lanes(value, to, [false; 2], false, Rounding::Rte));
        }
        if to.lanes != 3 {
            return Err("ids and sizes have three components".into());
        }
        let lanes = [0, 1, 2].map(|dim| {
            let value = self.e.emit(query, Type::I64, &[], Imm::Dim(dim));
            self.e.convert_lanes(value, to.lane(), [false; 2], false, Rounding::Rte)
        });
        Ok(self.e.emit(Kir::Build, to, &lanes, Imm::None))
    }

    fn builtin_scalar(&mut self, builtin: BuiltIn, to: Type) -> Result<Value, String> {
        if builtin == BuiltIn::WorkDim {
            let dim = self.e.emit(Kir::WorkDim, Type::I32, &[], Imm::None);
            return Ok(self.e.convert_lanes(dim, to, [false; 2], false, Rounding::Rte));
        }
        let name = match builtin {
            BuiltIn::GlobalLinearId => "get_global_linear_id",
            BuiltIn::LocalInvocationIndex => "get_local_linear_id",
            BuiltIn::SubgroupSize => "get_sub_group_size",
            BuiltIn::SubgroupMaxSize => "get_max_sub_group_size",
            BuiltIn::NumSubgroups => "get_num_sub_groups",
            BuiltIn::NumEnqueuedSubgroups => "get_enqueued_num_sub_groups",
            BuiltIn::SubgroupId => "get_sub_group_id",
            BuiltIn::SubgroupLocalInvocationId => "get_sub_group_local_id",
            BuiltIn::SubgroupEqMask => "get_sub_group_eq_mask",
            BuiltIn::SubgroupGeMask => "get_sub_group_ge_mask",
            BuiltIn::SubgroupGtMask => "get_sub_group_gt_mask",
            BuiltIn::SubgroupLeMask => "get_sub_group_le_mask",
            BuiltIn::SubgroupLtMask => "get_sub_group_lt_mask",
            _ => return Err(format!("kernels have no built-in variable {builtin:?}")),
        };
        let value = self.named(name, &[], None)?.ok_or("a query has a result")?;
        if self.e.func.ty(value).lanes != to.lanes || !to.is_int() {
            return Err("the variable has another type".into());
        }
        Ok(self.e.convert_lanes(value, to, [false; 2], false, Rounding::Rte))
    }

    /// Such a variable in memory, for what takes its address elsewhere.
    pub(super) fn builtin_in_memory(
        &mut self,
        id: Id,
        builtin: Filled,
        component: Option<Value>,
    ) -> Result<Value, String> {
        let whole = match self.module.var_of.get(&id) {
            Some(&n) => self.module.vars[n].ty,
            None => self.pointee(id)?,
        };
        let ty = match (component, &self.module.ty(whole)?.kind) {
            (Some(_), Kind::Vector { elem, .. }) => *elem,
            _ => whole,
        };
        let value = self.builtin_value(builtin, component, ty)?;
        let place = self.temp(ty)?;
        self.store_number(place, value, Attr::default());
        Ok(place)
    }
}
