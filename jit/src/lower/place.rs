//! Places: addresses of objects, loads and stores.

use super::Extras;
use super::func::FuncCx;
use crate::hir::{PlaceId, PlaceKind, Ty, TyKind, Types};
use crate::ir::op::Flags;
use crate::ir::{Attr, GlobalId, Imm, IntPred, LocalVarId, Op, Type, Value};
use crate::launch::AddrSpace;

/// A resolved place.
pub(super) struct Addr {
    /// Address of the object, or of the whole vector if `lanes` is given.
    pub(super) ptr: Value,
    /// Type of the object, or of the whole vector.
    pub(super) ty: Ty,
    /// Lanes of a vector that the place denotes.
    pub(super) lanes: Option<Vec<u8>>,
    /// Attributes of accesses.
    pub(super) attr: Attr,
}

impl FuncCx<'_, '_> {
    /// Evaluates the address of a place, which is not accessed by that: it may be one behind the end of an array.
    pub(super) fn place(&mut self, id: PlaceId) -> Addr {
        self.place_for(id, Extras::empty())
    }
    /// Evaluates the address of a place that will be accessed.
    pub(super) fn accessed(&mut self, id: PlaceId) -> Addr {
        let mut addr = self.place_for(id, self.out.extras);
        // Without checks any address will do that suits the elements of a vector.
        let is_checked = self.out.extras.contains(Extras::ELEMENTS) && !self.unit.has_aligned_typedefs;
        let is_whole = addr.lanes.is_none() && addr.attr.align == 0;
        if is_checked && is_whole && matches!(self.types().kind(addr.ty), TyKind::Vector { .. }) {
            addr.attr.align = self.types().size_align(addr.ty).map_or(0, |(_, align)| align as u8);
        }
        addr
    }

    fn place_for(&mut self, id: PlaceId, extras: Extras) -> Addr {
        let place = &self.hir.places[id];
        let mut attr = Attr::default();
        if place.volatile {
            attr.flags |= Flags::VOLATILE;
        }
        let ptr = match &place.kind {
            PlaceKind::Local(local) => {
                attr.flags |= self.variable_attr().flags;
                self.local_addr(*local)
            }
            PlaceKind::Var(var) => {
                attr.flags |= self.variable_attr().flags;
                let id = GlobalId(var.0);
                let space = self.out.module.globals[id].space;
                self.emit(Op::GlobalAddr, Type::ptr(space), &[], Imm::Global(id))
            }
            PlaceKind::WgVar(var) => {
                attr.flags |= self.variable_attr().flags;
                let id = Imm::LocalVar(LocalVarId(var.0));
                let ptr = self.emit(Op::LocalAddr, Type::ptr(AddrSpace::Local), &[], id);
                let align = self.unit.wg_vars[*var].align;
                self.aligned_up(ptr, align)
            }
            PlaceKind::Deref(e) => self.value(*e),
            PlaceKind::Temp(e) => self.value(*e),
            PlaceKind::Field(base, n) => {
                let base = self.place_for(*base, extras);
                let (offset, align) = self.field(base.ty, *n);
                // A packed record gives no more alignment than its own.
                let natural = self.types().size_align(place.ty).map_or(1, |(_, align)| align);
                if align < natural || (base.attr.align != 0 && u32::from(base.attr.align) < natural) {
                    let base_align = if base.attr.align == 0 { align } else { align.min(u32::from(base.attr.align)) };
                    attr.align = base_align as u8;
                }
                attr.flags |= base.attr.flags & Flags::VOLATILE;
                self.ptr_off(base.ptr, offset as i64)
            }
            PlaceKind::Index(base, index) => {
                let (array, base) = (*base, self.place_for(*base, extras));
                attr.align = base.attr.align;
                attr.flags |= base.attr.flags & Flags::VOLATILE;
                let index = self.index(*index);
                let size = self.size_of(place.ty);
                let at = self.ptr_add(base.ptr, index, size);
                if extras.contains(Extras::ELEMENTS) { self.element(at, array, index) } else { at }
            }
            PlaceKind::Lanes(base, lanes) => {
                let mut base = self.place_for(*base, extras);
                // Lanes of lanes: compose.
                let lanes = match &base.lanes {
                    Some(outer) => lanes.iter().map(|&l| outer[usize::from(l) % outer.len()]).collect(),
                    None => lanes.clone(),
                };
                base.lanes = Some(lanes);
                base.attr.flags |= attr.flags;
                return base;
            }
        };
        Addr { ptr, ty: place.ty, lanes: None, attr }
    }

    /// A pointer to the element of an array, marked if the array is not an object of its own and `index` may be none
    /// of its indices.
    fn element(&mut self, at: Value, array: PlaceId, index: Value) -> Value {
        let place = &self.hir.places[array];
        let is_object = matches!(place.kind, PlaceKind::Local(_) | PlaceKind::Var(_) | PlaceKind::WgVar(_));
        let TyKind::Array { len: Some(count), .. } = *self.types().kind(place.ty) else { return at };
        if is_object || self.is_flexible(array, count) || self.func.const_bits(index).is_some_and(|n| n < count) {
            return at;
        }
        let count = self.bits(Type::I64, count);
        let ty = self.func.ty(at);
        self.emit(Op::Element, ty, &[at, index, count], Imm::None)
    }

    /// True for arrays without elements, which name what follows, and for the last member of a record if it has one
    /// element: by habit these stand for any number.
    fn is_flexible(&self, array: PlaceId, count: u64) -> bool {
        if count == 0 {
            return true;
        }
        let PlaceKind::Field(base, n) = self.hir.places[array].kind else { return false };
        let TyKind::Record(id) = self.types().kind(self.hir.places[base].ty) else { return false };
        count == 1 && n as usize + 1 == self.types().records[*id].fields.len()
    }

    fn field(&self, record: Ty, n: u32) -> (u64, u32) {
        match self.types().kind(record) {
            TyKind::Record(id) => {
                let record = &self.types().records[*id];
                (record.fields[n as usize].offset, record.align)
            }
            _ => (0, 1),
        }
    }

    /// An index expression as i64, extended by its own sign.
    pub(super) fn index(&mut self, e: crate::hir::ExprId) -> Value {
        let ty = self.hir.exprs[e].ty;
        let value = self.value(e);
        let signed = !matches!(self.types().kind(ty), TyKind::Int { signed: false, .. } | TyKind::Bool);
        match self.func.ty(value) {
            Type::I64 => value,
            _ => self.emit(if signed { Op::Sext } else { Op::Zext }, Type::I64, &[value], Imm::None),
        }
    }

    /// The place's value. For structs and arrays: its address.
    pub(super) fn load(&mut self, addr: &Addr) -> Value {
        let whole = self.load_from(addr.ptr, addr.ty, addr.attr);
        match &addr.lanes {
            None => whole,
            Some(lanes) => self.swizzle(whole, lanes),
        }
    }
    /// Loads an object of type `ty`.
    pub(super) fn load_from(&mut self, ptr: Value, ty: Ty, attr: Attr) -> Value {
        if self.is_record(ty) || matches!(self.types().kind(ty), TyKind::Array { .. }) {
            return ptr;
        }
        if ty == Types::BOOL {
            let byte = self.emit_attr(Op::Load, Type::I8, &[ptr], Imm::None, attr);
            let zero = self.bits(Type::I8, 0);
            return self.emit(Op::Icmp, Type::I1, &[byte, zero], Imm::IntPred(IntPred::Ne));
        }
        let ty = self.value_type(ty);
        self.emit_attr(Op::Load, ty, &[ptr], Imm::None, attr)
    }
    /// Stores a value to a place.
    pub(super) fn store(&mut self, addr: &Addr, value: Value) {
        let Some(lanes) = &addr.lanes else {
            return self.store_to(addr.ptr, addr.ty, value, addr.attr);
        };
        let vector = self.func.ty(value).is_vector();
        let elem = self.func.ty(value).lane();
        let in_slot = self.func.ty(addr.ptr) == Type::ptr(AddrSpace::Private);
        let lane_value = |cx: &mut Self, i: usize| match vector {
            true => cx.emit(Op::Extract, elem, &[value], Imm::Lane(i as u8)),
            false => value,
        };
        if in_slot {
            // Whole-vector update: stays promotable to SSA form.
            let ty = self.value_type(addr.ty);
            let mut whole = self.load_from(addr.ptr, addr.ty, addr.attr);
            for (i, &lane) in lanes.iter().enumerate() {
                if lane < ty.lanes {
                    let v = lane_value(self, i);
                    whole = self.emit(Op::Insert, ty, &[whole, v], Imm::Lane(lane));
                }
            }
            self.store_to(addr.ptr, addr.ty, whole, addr.attr);
        } else {
            // Other work-items may own the other lanes: touch only what is written.
            for (i, &lane) in lanes.iter().enumerate() {
                let v = lane_value(self, i);
                let ptr = self.ptr_off(addr.ptr, i64::from(lane) * i64::from(elem.elem.bytes()));
                self.push(Op::Store, None, &[ptr, v], Imm::None, addr.attr);
            }
        }
    }
    /// Stores an object of type `ty`; `value` is an address for structs.
    pub(super) fn store_to(&mut self, ptr: Value, ty: Ty, value: Value, attr: Attr) {
        if self.is_record(ty) || matches!(self.types().kind(ty), TyKind::Array { .. }) {
            return self.copy(ptr, value, ty);
        }
        let value = match ty {
            Types::BOOL => self.emit(Op::Zext, Type::I8, &[value], Imm::None),
            _ => value,
        };
        self.push(Op::Store, None, &[ptr, value], Imm::None, attr);
    }
    /// Fills a place with zero bytes.
    pub(super) fn zero(&mut self, id: PlaceId) {
        let addr = self.place(id);
        if matches!(self.types().kind(addr.ty), TyKind::Array { .. } | TyKind::Record(_)) {
            let n = self.size_of(addr.ty);
            let n = self.bits(Type::I64, n);
            let zero = self.bits(Type::I8, 0);
            self.push(Op::Memset, None, &[addr.ptr, zero, n], Imm::None, addr.attr);
        } else {
            let ty = self.hir.places[id].ty;
            let ty = self.value_type(ty);
            let zero = self.bits(ty, 0);
            self.store(&addr, zero);
        }
    }
}
