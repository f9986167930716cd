//! Calls of builtin functions that a front end has resolved.

use super::Extras;
use super::emit::Emitter;
use crate::device::DeviceFn;
use crate::hir::Builtin;
use crate::ir::op::{Flags, Order, RmwOp, Scope, TypeRule};
use crate::ir::{Attr, FENCE_COPIES, FENCE_WAIT, Imm, IntPred, Op, Scalar, Slot, Type, Value};
use crate::launch::AddrSpace;

/// Regions that a barrier orders, as in `cl_mem_fence_flags`: local and global.
const ALL_MEMORY: u8 = 3;

/// An argument of a builtin function, with what its type says beside its KIR type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arg {
    pub(crate) value: Value,
    /// A signed integer, or a vector of them.
    pub(crate) signed: bool,
    /// Of a pointer (not an image): bytes of what it points to, and of an element of that.
    pub(crate) pointee: Option<(u32, u32)>,
}

impl Emitter<'_> {
    /// A call; `None` as the type of the result is `void`.
    pub(crate) fn builtin(&mut self, builtin: &Builtin, args: &[Arg], ret: Option<Type>) -> Option<Value> {
        let mut values: Vec<Value> = args.iter().map(|arg| arg.value).collect();
        let ty = ret.unwrap_or(Type::I32);
        let is_known = |v: Value| self.func.const_bits(v).is_some();
        if matches!(builtin, Builtin::Op(Op::Fmin | Op::Fmax, ..)) && is_known(values[0]) && !is_known(values[1]) {
            // The order only matters for which zero a zero is, which the specification leaves open; a number in the
            // second place needs no care for NaN.
            values.swap(0, 1);
        }
        Some(match builtin {
            Builtin::Op(op, imm, attr) => {
                let ty = (op.row().rule != TypeRule::None).then_some(ty);
                return self.push(*op, ty, &values, imm.clone(), *attr);
            }
            Builtin::Library { file, symbol, elementwise } => {
                return self.library(file, symbol, *elementwise, args, ret);
            }
            Builtin::Mul24 { signed } => {
                let flags = if *signed { Flags::SHORT_S } else { Flags::SHORT_U };
                let product = self.emit_attr(Op::Mul, ty, &values[..2], Imm::None, Attr { flags, ..Attr::default() });
                let Some(&addend) = values.get(2) else { return Some(product) };
                // The product may wrap; the sum of two `int`s is one of C's, which need not.
                let flags = if *signed && !ty.is_vector() { Flags::NSW } else { Flags::empty() };
                self.emit_attr(Op::Add, ty, &[product, addend], Imm::None, Attr { flags, ..Attr::default() })
            }
            Builtin::Vload => {
                let ptr = self.element_ptr(values[1], args[0], ty.bytes());
                self.emit(Op::Load, ty, &[ptr], Imm::None)
            }
            Builtin::Vstore => {
                let bytes = self.func.ty(values[0]).bytes();
                let ptr = self.element_ptr(values[2], args[1], bytes);
                return self.push(Op::Store, None, &[ptr, values[0]], Imm::None, Attr::default());
            }
            Builtin::VloadHalf { aligned } => {
                let halves = ty.with_elem(Scalar::F16);
                let ptr = self.element_ptr(values[1], args[0], half_stride(halves, *aligned));
                let v = self.emit(Op::Load, halves, &[ptr], Imm::None);
                self.emit(Op::Fpext, ty, &[v], Imm::None)
            }
            Builtin::VstoreHalf { aligned, rm } => {
                let halves = self.func.ty(values[0]).with_elem(Scalar::F16);
                let attr = Attr { rm: *rm, ..Attr::default() };
                let v = self.emit_attr(Op::Fptrunc, halves, &[values[0]], Imm::None, attr);
                let ptr = self.element_ptr(values[2], args[1], half_stride(halves, *aligned));
                return self.push(Op::Store, None, &[ptr, v], Imm::None, Attr::default());
            }
            Builtin::WorkItem(op) => self.work_item(*op, values[0]),
            Builtin::GlobalLinearId => {
                let mut id = self.bits(Type::I64, 0);
                for dim in (0..3).rev() {
                    let [gid, off, size] = [Op::Gid, Op::Goff, Op::Gsz].map(|op| self.query(op, dim));
                    let here = self.same(Op::Sub, &[gid, off]);
                    let scaled = self.same(Op::Mul, &[id, size]);
                    id = self.same(Op::Add, &[scaled, here]);
                }
                id
            }
            Builtin::LocalLinearId => {
                let ids = [0, 1, 2].map(|dim| self.query(Op::Lid, dim));
                self.local_linear(&ids)
            }
            Builtin::Barrier => {
                let flags = values.first().and_then(|&flags| self.func.const_bits(flags));
                let flags = flags.map_or(ALL_MEMORY, |flags| flags as u8 & ALL_MEMORY);
                return self.push(Op::Barrier, None, &[], Imm::FenceFlags(flags), Attr::default());
            }
            Builtin::WaitGroupEvents => {
                let events = self.awaited_events(&values);
                return self.push(
                    Op::Barrier,
                    None,
                    &events,
                    Imm::FenceFlags(ALL_MEMORY | FENCE_WAIT),
                    Attr::default(),
                );
            }
            Builtin::CopyFence => {
                if self.out.extras.contains(Extras::MEETINGS) {
                    self.push(Op::Barrier, None, &[], Imm::FenceFlags(FENCE_COPIES), Attr::default());
                }
                return None;
            }
            Builtin::Fence => {
                // `atomic_work_item_fence` names order and scope; the older functions are for the work-group.
                let attr = match values[..] {
                    [_, order, scope] => self.ordering(&[order, scope], 1),
                    _ => Attr { order: Order::AcqRel, scope: Scope::WorkGroup, ..Attr::default() },
                };
                return self.push(Op::Fence, None, &[], Imm::None, attr);
            }
            Builtin::Arrive => {
                let scope = match values[..] {
                    [_, scope] => self.ordering(&[scope], 0).scope,
                    _ => Scope::WorkGroup,
                };
                self.arrive(Attr { order: Order::Release, scope, ..Attr::default() });
                return None;
            }
            Builtin::DeviceBarrier => {
                self.device_barrier();
                return None;
            }
            Builtin::IsDeviceBarrierValid => {
                return self.ask((DeviceFn::CanMeet, 0), &[], [None; 2], None, Some(ty));
            }
            Builtin::Collective(op, what) => self.collective(*op, what.map_or(Imm::None, Imm::Collective), &values, ty),
            Builtin::Vote(op, what) => {
                let cond = self.is_true(values[0]);
                let result = self.emit(*op, Type::I1, &[cond], what.map_or(Imm::None, Imm::Collective));
                self.bool_as(result, ty)
            }
            Builtin::AsyncCopy => {
                let one = self.bits(Type::I64, 1);
                self.async_copy(args, values[2], one, values[3])
            }
            Builtin::AsyncStridedCopy => self.async_copy(args, values[2], values[3], values[4]),
            Builtin::AsyncCopyLines { planes } => self.copy_lines(&values, *planes),
            Builtin::Nothing => return None,
            Builtin::AtomicRmw(op) => {
                let value = match values.get(1) {
                    Some(&v) => v,
                    None => self.bits(ty, 1),
                };
                self.atomic(Op::AtomicRmw, ty, &[values[0], value], Imm::Rmw(*op))
            }
            Builtin::AtomicCas => self.atomic(Op::AtomicCas, ty, &values, Imm::None),
            Builtin::Atomic(what) => return self.atomic_object(*what, &values, ty),
            Builtin::ToSpace(space) => self.in_space(values[0], *space),
            Builtin::GetFence => {
                let local = self.points_to(values[0], AddrSpace::Local);
                let [yes, no] = [1, 2].map(|flag| self.bits(ty, flag));
                self.emit(Op::Select, ty, &[local, yes, no], Imm::None)
            }
            Builtin::Shuffle => self.shuffle(values[0], values[1], ty),
            Builtin::Shuffle2 => self.shuffle2(values[0], values[1], values[2], ty),
            Builtin::AnyAll { all } => {
                let op = if *all { Op::MaskAll } else { Op::MaskAny };
                let mut sign = self.sign_mask(values[0]);
                if self.func.ty(sign).is_vector() {
                    sign = self.emit(op, Type::I1, &[sign], Imm::None);
                }
                self.bool_as(sign, ty)
            }
            Builtin::Select => {
                let c = if ty.is_vector() { self.sign_mask(values[2]) } else { self.is_true(values[2]) };
                self.emit(Op::Select, ty, &[c, values[1], values[0]], Imm::None)
            }
            Builtin::Bitselect => {
                let bits = ty.with_elem(ty.elem.as_int());
                let [a, b, c] = [0, 1, 2].map(|i| self.as_type(values[i], bits));
                let diff = self.same(Op::Xor, &[a, b]);
                let picked = self.same(Op::And, &[diff, c]);
                let result = self.same(Op::Xor, &[a, picked]);
                self.as_type(result, ty)
            }
            Builtin::Clock => {
                let ns = self.emit(Op::Clock, Type::I64, &[], Imm::None);
                self.as_type(ns, ty)
            }
            Builtin::ToBfloat16 => self.bfloat16_of(values[0], ty),
            Builtin::FromBfloat16 => self.float_of_bfloat16(values[0], ty),
            Builtin::SubGroup { f, cluster, together } => {
                if *together {
                    self.all_come(*f, &values);
                }
                return self.sub_group(*f, *cluster, &values, ty);
            }
            Builtin::Pipe(f, bytes) => return self.pipe(*f, *bytes, &values, ty),
            Builtin::Printf => self.printf(&values),
            // With what the unit knows of blocks: see `device`.
            Builtin::Device(..) => return None,
            Builtin::Relational(pred) => {
                let i1 = self.func.ty(values[0]).with_elem(Scalar::I1);
                let c = self.emit(Op::Fcmp, i1, &[values[0], values[1]], Imm::FloatPred(*pred));
                let op = if ty.is_vector() { Op::Sext } else { Op::Zext };
                self.emit(op, ty, &[c], Imm::None)
            }
        })
    }

    /// The first half of a split barrier: to arrive is to release. Checked code finds out whether all work-items do, at
    /// a barrier that orders nothing.
    pub(crate) fn arrive(&mut self, attr: Attr) {
        self.push(Op::Fence, None, &[], Imm::None, attr);
        if self.out.extras.contains(Extras::MEETINGS) {
            self.push(Op::Barrier, None, &[], Imm::FenceFlags(0), Attr::default());
        }
    }

    /// A barrier of all groups: one of the group, where its first work-item waits for the other groups', and another
    /// one. All memory is ordered, whatever the flags say.
    pub(crate) fn device_barrier(&mut self) {
        let barrier = |e: &mut Self| e.push(Op::Barrier, None, &[], Imm::FenceFlags(ALL_MEMORY), Attr::default());
        barrier(self);
        let ids = [0, 1, 2].map(|dim| self.query(Op::Lid, dim));
        let any = ids[1..].iter().fold(ids[0], |any, &id| self.same(Op::Or, &[any, id]));
        let [first, end] = std::array::from_fn(|_| self.func.add_block());
        let zero = self.bits(Type::I64, 0);
        let is_first = self.emit(Op::Icmp, Type::I1, &[any, zero], Imm::IntPred(IntPred::Eq));
        self.branch(is_first, first, end);
        self.enter(first);
        self.ask((DeviceFn::Meet, 0), &[], [None; 2], None, None);
        self.jump(end);
        self.enter(end);
        barrier(self);
    }

    /// Packs the arguments in a slot.
    fn printf(&mut self, values: &[Value]) -> Value {
        let align = crate::printf::ARG_ALIGN;
        let (mut size, mut offsets) = (0u64, Vec::new());
        for &value in &values[2..] {
            offsets.push(size);
            size += u64::from(self.func.ty(value).bytes()).next_multiple_of(align as u64);
        }
        let slot = self.func.slots.push(Slot::new(String::new(), size, align as u32));
        let base = self.emit(Op::SlotAddr, Type::ptr(AddrSpace::Private), &[], Imm::Slot(slot));
        for (&value, offset) in values[2..].iter().zip(offsets) {
            let place = self.ptr_off(base, offset as i64);
            self.push(Op::Store, None, &[place, value], Imm::None, Attr::default());
        }
        self.emit(Op::Printf, Type::I32, &[values[0], values[1], base], Imm::None)
    }

    /// base + offset * bytes, the offset extended by its own sign.
    fn element_ptr(&mut self, base: Value, offset: Arg, bytes: u32) -> Value {
        let offset = match self.func.ty(offset.value) {
            Type::I64 => offset.value,
            _ => self.emit(if offset.signed { Op::Sext } else { Op::Zext }, Type::I64, &[offset.value], Imm::None),
        };
        self.ptr_add(base, offset, u64::from(bytes))
    }

    fn library(
        &mut self,
        file: &'static str,
        symbol: &str,
        elementwise: bool,
        args: &[Arg],
        ret: Option<Type>,
    ) -> Option<Value> {
        let lanes =
            args.iter().map(|arg| self.func.ty(arg.value).lanes).chain(ret.map(|ty| ty.lanes)).max().unwrap_or(1);
        let lanes = if elementwise { lanes } else { 1 };
        let mut results = Vec::new();
        for lane in 0..lanes {
            let mut operands = Vec::with_capacity(args.len());
            for &Arg { value, pointee, .. } in args {
                operands.push(if let Some((_, elem)) = pointee {
                    // Library bodies take generic pointers.
                    let p = self.ptr_off(value, i64::from(lane) * i64::from(elem));
                    self.cast_pointer(p, Type::ptr(AddrSpace::Generic))
                } else if lanes > 1 {
                    self.extract(value, lane)
                } else {
                    value
                });
            }
            let params = operands.iter().map(|&v| self.func.ty(v)).collect();
            let ret = if lanes > 1 { ret.map(Type::lane) } else { ret };
            let callee = self.out.library_func(file, symbol, params, ret);
            results.extend(self.push(Op::Call, ret, &operands, Imm::Func(callee), Attr::default()));
        }
        match ret {
            Some(ty) if lanes > 1 => Some(self.build(ty, &results)),
            _ => results.first().copied(),
        }
    }

    // ---- work-items

    fn query(&mut self, op: Op, dim: u8) -> Value {
        self.emit(op, Type::I64, &[], Imm::Dim(dim))
    }

    /// A query with an argument that may be out of range. Spec: OpenCL C, "Work-Item Functions".
    fn work_item(&mut self, op: Op, dim: Value) -> Value {
        let default = u64::from(matches!(op, Op::Lsz | Op::Elsz | Op::Gsz | Op::Ngrp));
        match self.func.const_bits(dim) {
            Some(dim @ 0..3) => self.query(op, dim as u8),
            Some(_) => self.bits(Type::I64, default),
            None => {
                let mut result = self.bits(Type::I64, default);
                let ty = self.func.ty(dim);
                for d in 0..3 {
                    let v = self.query(op, d);
                    let d = self.bits(ty, u64::from(d));
                    let here = self.emit(Op::Icmp, Type::I1, &[dim, d], Imm::IntPred(IntPred::Eq));
                    result = self.emit(Op::Select, Type::I64, &[here, v, result], Imm::None);
                }
                result
            }
        }
    }

    /// Linear local id of local ids `[x, y, z]`.
    fn local_linear(&mut self, ids: &[Value; 3]) -> Value {
        let mut id = ids[2];
        for dim in [1, 0] {
            let size = self.query(Op::Lsz, dim);
            let scaled = self.same(Op::Mul, &[id, size]);
            id = self.same(Op::Add, &[scaled, ids[usize::from(dim)]]);
        }
        id
    }

    fn collective(&mut self, op: Op, what: Imm, values: &[Value], ty: Type) -> Value {
        match op {
            Op::WgBroadcast => {
                let zero = self.bits(Type::I64, 0);
                let mut ids = [zero; 3];
                ids[..values.len() - 1].copy_from_slice(&values[1..]);
                let from = self.local_linear(&ids);
                self.emit(op, ty, &[values[0], from], what)
            }
            _ => self.emit(op, ty, &[values[0]], what),
        }
    }

    /// The events that a call of `wait_group_events` waits for, as operands of the barrier, in checked code.
    fn awaited_events(&mut self, values: &[Value]) -> Vec<Value> {
        /// Longer lists are taken for all events.
        const MOST: u64 = 64;
        if !self.out.extras.contains(Extras::MEETINGS) {
            return Vec::new();
        }
        match (self.func.const_bits(values[0]), values[1]) {
            (Some(n), list) if n <= MOST => (0..n)
                .map(|i| {
                    let at = self.ptr_off(list, 8 * i as i64);
                    self.emit(Op::Load, Type::I64, &[at], Imm::None)
                })
                .collect(),
            _ => vec![self.bits(Type::I64, u64::MAX)],
        }
    }

    /// The event of the copy that comes next: `event`, unless that is none.
    fn event_of_copy(&mut self, event: Value) -> Value {
        match self.out.extras.contains(Extras::MEETINGS) {
            true => self.emit(Op::AsyncEvent, Type::I64, &[event], Imm::None),
            false => event,
        }
    }

    fn push_copy(&mut self, operands: [Value; 9], event: Value) {
        let event = self.out.extras.contains(Extras::MEETINGS).then_some(event);
        let operands: Vec<Value> = operands.into_iter().chain(event).collect();
        self.push(Op::AsyncCopy, None, &operands, Imm::None, Attr::default());
    }

    /// The stride is in elements. The result is the event.
    fn async_copy(&mut self, args: &[Arg], n: Value, stride: Value, event: Value) -> Value {
        let (bytes, _) = args[0].pointee.unwrap_or((1, 1));
        let size = self.bits(Type::I64, u64::from(bytes));
        let stride = match self.func.const_bits(stride) {
            Some(1) => size,
            _ => self.same(Op::Mul, &[stride, size]),
        };
        self.copy_by_group([args[0].value, args[1].value], bytes, [n, stride], event)
    }

    /// Copies `n` elements of `bytes` bytes once for the group. The stride, in bytes, belongs to the global side. The
    /// result is the event, which is the one that is given, if any.
    pub(crate) fn copy_by_group(
        &mut self,
        [dst, src]: [Value; 2],
        bytes: u32,
        [n, stride]: [Value; 2],
        event: Value,
    ) -> Value {
        let size = self.bits(Type::I64, u64::from(bytes));
        let (dst_stride, src_stride) =
            if self.func.ty(dst) == Type::ptr(AddrSpace::Local) { (size, stride) } else { (stride, size) };
        let [zero, one] = [0, 1].map(|number| self.bits(Type::I64, number));
        let event = self.event_of_copy(event);
        self.push_copy([dst, src, size, n, dst_stride, src_stride, one, zero, zero], event);
        event
    }

    /// `async_work_group_copy_2D2D` and `…_3D3D`, whose parameters are in elements. The result is the event.
    fn copy_lines(&mut self, values: &[Value], planes: bool) -> Value {
        let [dst, dst_offset, src, src_offset, size, elements, lines] = std::array::from_fn(|n| values[n]);
        let [one, zero] = [1, 0].map(|number| self.bits(Type::I64, number));
        let (planes, strides, event) = match (planes, &values[7..]) {
            (true, &[planes, src_line, src_plane, dst_line, dst_plane, event]) => {
                (planes, [dst_line, src_line, dst_plane, src_plane], event)
            }
            (_, rest) => (one, [rest[1], rest[0], zero, zero], rest[2]),
        };
        let [dst_offset, src_offset, bytes] =
            [dst_offset, src_offset, elements].map(|n| self.same(Op::Mul, &[n, size]));
        let [dst_line, src_line, dst_plane, src_plane] = strides.map(|n| self.same(Op::Mul, &[n, size]));
        let (dst, src) = (self.ptr_add(dst, dst_offset, 1), self.ptr_add(src, src_offset, 1));
        let event = self.event_of_copy(event);
        self.push_copy([dst, src, bytes, lines, dst_line, src_line, planes, dst_plane, src_plane], event);
        event
    }

    // ---- atomics of OpenCL 1.x: relaxed, device scope

    fn atomic(&mut self, op: Op, ty: Type, args: &[Value], imm: Imm) -> Value {
        let attr = Attr { order: Order::Relaxed, scope: Scope::Device, ..Attr::default() };
        match (&imm, ty.is_float()) {
            // Exchange of a float moves bits.
            (Imm::Rmw(RmwOp::Xchg), true) => {
                let int = ty.with_elem(ty.elem.as_int());
                let bits = self.as_type(args[1], int);
                let old = self.emit_attr(op, int, &[args[0], bits], imm, attr);
                self.as_type(old, ty)
            }
            _ => self.emit_attr(op, ty, args, imm, attr),
        }
    }
}

/// Bytes from one element of `vload_halfn`/`vstore_halfn` to the next.
fn half_stride(halves: Type, aligned: bool) -> u32 {
    if aligned && halves.lanes == 3 { 8 } else { halves.bytes() }
}
