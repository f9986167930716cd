//! Expressions: operators, assignments, conditions.

use super::builtin::Arg;
use super::func::FuncCx;
use crate::hir::{
    BinOp, Builtin, Callee, CmpOp, ConstValue, ConvKind, ExprId, ExprKind, FpAttr, Ty, TyKind, Types, UnOp,
};
use crate::ir::{Attr, Block, Flags, FloatPred, FuncId, Imm, IntPred, Op, Rounding, Scalar, Type, Value};
use crate::launch::AddrSpace;

impl FuncCx<'_, '_> {
    /// The value of a non-void expression; an address for structs.
    pub(super) fn value(&mut self, id: ExprId) -> Value {
        match self.expr(id) {
            Some(value) => value,
            None => {
                let ty = self.value_type(self.hir.exprs[id].ty);
                self.undef(ty)
            }
        }
    }

    /// Evaluates for effects only.
    pub(super) fn effect(&mut self, id: ExprId) {
        self.expr(id);
    }

    fn expr(&mut self, id: ExprId) -> Option<Value> {
        let hir = self.hir;
        let expr = &hir.exprs[id];
        let outer = std::mem::replace(&mut self.span, expr.span);
        let value = self.expr_kind(&expr.kind, expr.ty);
        self.span = outer;
        value
    }

    fn expr_kind(&mut self, kind: &ExprKind, hir_ty: Ty) -> Option<Value> {
        let ty = self.value_type(hir_ty);
        Some(match kind {
            ExprKind::Const(c) => self.constant(c, ty),
            ExprKind::Undef => self.undef(ty),
            ExprKind::Load(place) => {
                let addr = self.accessed(*place);
                self.load(&addr)
            }
            ExprKind::AddrOf(place) | ExprKind::Decay(place) => {
                let addr = self.place(*place);
                match addr.lanes.as_deref() {
                    Some([lane]) => {
                        let bytes = self.value_type(addr.ty).elem.bytes();
                        self.ptr_off(addr.ptr, i64::from(*lane) * i64::from(bytes))
                    }
                    _ => addr.ptr,
                }
            }
            ExprKind::Unary(op, e) => {
                let v = self.value(*e);
                match op {
                    UnOp::Neg if ty.is_float() => self.same(Op::Fneg, &[v]),
                    UnOp::Neg => self.same(Op::Neg, &[v]),
                    UnOp::Not => self.same(Op::Not, &[v]),
                }
            }
            ExprKind::Binary(op, fp, a, b) => {
                let a = self.value(*a);
                let b = self.value(*b);
                self.binary(*op, *fp, a, b, hir_ty)
            }
            ExprKind::Compare(..) | ExprKind::LogicalNot(_) | ExprKind::LogicalVector(..) if ty.is_vector() => {
                let mask = self.mask_kind(kind).expect("these kinds are masks");
                self.emit(Op::Sext, ty, &[mask], Imm::None)
            }
            ExprKind::Compare(..) | ExprKind::LogicalNot(_) | ExprKind::LogicalAnd(..) | ExprKind::LogicalOr(..) => {
                let cond = self.cond_kind(kind).expect("these kinds are conditions");
                self.bool_as(cond, ty)
            }
            ExprKind::LogicalVector(..) => self.undef(ty),
            ExprKind::Cond(c, a, b) => return self.conditional(*c, *a, *b, hir_ty),
            ExprKind::VectorCond(c, a, b) => {
                let c = self.mask(*c);
                let a = self.value(*a);
                let b = self.value(*b);
                self.emit(Op::Select, ty, &[c, a, b], Imm::None)
            }
            ExprKind::Assign(place, e) => {
                let addr = self.accessed(*place);
                let v = self.value(*e);
                self.store(&addr, v);
                v
            }
            ExprKind::CompoundAssign { place, op, fp, rhs, compute } => {
                let place_ty = self.hir.places[*place].ty;
                let addr = self.accessed(*place);
                let old = self.load(&addr);
                let new = if let TyKind::Pointer { .. } = self.types().kind(place_ty) {
                    self.move_pointer(old, place_ty, *rhs, *op == BinOp::Sub)
                } else {
                    let rhs = self.value(*rhs);
                    let old = self.convert(old, place_ty, *compute, false, fp.rm);
                    let new = self.binary(*op, *fp, old, rhs, *compute);
                    self.convert_back(new, *compute, place_ty, fp.rm)
                };
                self.store(&addr, new);
                new
            }
            ExprKind::IncDec { place, delta, post, fp } => {
                let place_ty = self.hir.places[*place].ty;
                let addr = self.accessed(*place);
                let old = self.load(&addr);
                let new = self.inc_dec(old, place_ty, *delta, *fp);
                self.store(&addr, new);
                if *post { old } else { new }
            }
            ExprKind::Convert(ConvKind::Void, e) => {
                self.effect(*e);
                return None;
            }
            ExprKind::Convert(kind, e) => self.convert_expr(*kind, *e, hir_ty),
            ExprKind::AsType(e) => {
                let v = self.value(*e);
                self.as_type(v, ty)
            }
            ExprKind::Build(parts) => {
                let parts: Vec<Value> = parts.iter().map(|&e| self.value(e)).collect();
                self.build(ty, &parts)
            }
            ExprKind::Swizzle(e, lanes) => {
                let v = self.value(*e);
                self.swizzle(v, lanes)
            }
            ExprKind::PtrAdd(p, i) => {
                let p_ty = self.hir.exprs[*p].ty;
                let p = self.value(*p);
                self.move_pointer(p, p_ty, *i, false)
            }
            ExprKind::PtrSub(p, i) => {
                let p_ty = self.hir.exprs[*p].ty;
                let p = self.value(*p);
                self.move_pointer(p, p_ty, *i, true)
            }
            ExprKind::PtrDiff(a, b) => {
                let (pointee, _) = self.pointee(self.hir.exprs[*a].ty);
                let size = self.size_of(pointee).max(1);
                let a = self.value(*a);
                let b = self.value(*b);
                let a = self.emit(Op::PtrToInt, Type::I64, &[a], Imm::None);
                let b = self.emit(Op::PtrToInt, Type::I64, &[b], Imm::None);
                let bytes = self.same(Op::Sub, &[a, b]);
                let size = self.bits(Type::I64, size);
                self.same(Op::DivS, &[bytes, size])
            }
            ExprKind::Call(Callee::User(f), args) => return self.call_user(*f, args, hir_ty),
            ExprKind::Call(Callee::Builtin(Builtin::Device(what, block)), args) => {
                return self.call_device(*what, *block, args, hir_ty);
            }
            ExprKind::Call(Callee::Builtin(b), args) => return self.call_builtin(b, args, hir_ty),
            ExprKind::Comma(a, b) => {
                self.effect(*a);
                return self.expr(*b);
            }
            ExprKind::InitLoad(init, place) => {
                self.stmt(*init);
                let addr = self.accessed(*place);
                self.load(&addr)
            }
        })
    }

    fn constant(&mut self, c: &ConstValue, ty: Type) -> Value {
        match c {
            ConstValue::Int(bits) | ConstValue::Float(bits) => self.bits(ty, *bits),
            ConstValue::Vector(lanes) if lanes.iter().all(|l| *l == lanes[0]) => self.bits(ty, lanes[0]),
            ConstValue::Vector(lanes) => {
                let lanes: Vec<Value> = lanes.iter().map(|&bits| self.bits(ty.lane(), bits)).collect();
                self.emit(Op::Build, ty, &lanes, Imm::None)
            }
        }
    }

    /// An operator on two operands of KIR types as the op wants them; `ty` decides the signedness.
    pub(super) fn binary(&mut self, op: BinOp, fp: FpAttr, a: Value, b: Value, ty: Ty) -> Value {
        let signed = self.is_signed(ty);
        let float = self.func.ty(a).is_float();
        let op = match op {
            BinOp::Add if float => Op::Fadd,
            BinOp::Sub if float => Op::Fsub,
            BinOp::Mul if float => Op::Fmul,
            BinOp::Div if float => Op::Fdiv,
            BinOp::Rem if float => Op::Frem,
            BinOp::Add => Op::Add,
            BinOp::Sub => Op::Sub,
            BinOp::Mul => Op::Mul,
            BinOp::Div if signed => Op::DivS,
            BinOp::Div => Op::DivU,
            BinOp::Rem if signed => Op::RemS,
            BinOp::Rem => Op::RemU,
            BinOp::And => Op::And,
            BinOp::Or => Op::Or,
            BinOp::Xor => Op::Xor,
            BinOp::Shl => Op::Shl,
            BinOp::Shr if signed => Op::Ashr,
            BinOp::Shr => Op::Lshr,
        };
        let mut attr = Attr::default();
        if float {
            attr.rm = fp.rm;
            attr.flags = fp.flags;
        } else if signed && matches!(op, Op::Add | Op::Sub | Op::Mul) && !self.func.ty(a).is_vector() {
            // Components of vectors are not promoted, and programs that count on wrap, `char` above all, are common.
            attr.flags = Flags::NSW;
        }
        let ty = self.func.ty(a);
        if op == Op::Fdiv {
            return self.divide(a, b, attr);
        }
        self.emit_attr(op, ty, &[a, b], Imm::None, attr)
    }

    /// pointer ± index * sizeof(pointee).
    fn move_pointer(&mut self, p: Value, p_ty: Ty, index: ExprId, back: bool) -> Value {
        let (pointee, _) = self.pointee(p_ty);
        let size = if pointee == Types::VOID { 1 } else { self.size_of(pointee) };
        let mut index = self.index(index);
        if back {
            index = self.same(Op::Neg, &[index]);
        }
        self.ptr_add(p, index, size)
    }

    fn inc_dec(&mut self, old: Value, ty: Ty, delta: i8, fp: FpAttr) -> Value {
        let kir = self.func.ty(old);
        if ty == Types::BOOL {
            return match delta {
                1 => self.bits(Type::I1, 1),
                _ => self.same(Op::Not, &[old]),
            };
        }
        if kir.is_ptr() {
            let (pointee, _) = self.pointee(ty);
            let size = if pointee == Types::VOID { 1 } else { self.size_of(pointee) as i64 };
            return self.ptr_off(old, size * i64::from(delta));
        }
        let one = match kir.elem {
            Scalar::F16 => 0x3c00,
            Scalar::F32 => u64::from(1f32.to_bits()),
            Scalar::F64 => 1f64.to_bits(),
            _ => 1,
        };
        let one = self.bits(kir, one);
        self.binary(if delta > 0 { BinOp::Add } else { BinOp::Sub }, fp, old, one, ty)
    }

    /// Converts between arithmetic types with equal lane counts; `sat` clamps to an integer target's range.
    pub(super) fn convert(&mut self, v: Value, from: Ty, to: Ty, sat: bool, rm: Rounding) -> Value {
        let lanes = self.func.ty(v).lanes;
        if to == Types::BOOL {
            return self.is_true(v);
        }
        let dst = self.value_type(to).with_lanes(lanes);
        let signed = [self.is_signed(from), self.is_signed(to)];
        self.convert_lanes(v, dst, signed, sat, rm)
    }

    /// Converts the result of a compound assignment back to its place's type.
    fn convert_back(&mut self, v: Value, from: Ty, to: Ty, rm: Rounding) -> Value {
        if to == Types::BOOL && from != Types::BOOL {
            return self.is_true(v);
        }
        let to_float = self.value_type(to).is_float();
        // float → integer truncates whatever the rounding region.
        let rm = if to_float { rm } else { Rounding::Rtz };
        self.convert(v, from, to, false, rm)
    }

    // ---- conditions

    /// A scalar expression as i1.
    pub(super) fn cond(&mut self, id: ExprId) -> Value {
        let hir = self.hir;
        let expr = &hir.exprs[id];
        let outer = std::mem::replace(&mut self.span, expr.span);
        let value = match self.cond_kind(&expr.kind) {
            Some(cond) => cond,
            None => {
                let v = self.value(id);
                self.is_true(v)
            }
        };
        self.span = outer;
        value
    }

    /// The i1 of a comparison or logical operator; `None` for other kinds.
    fn cond_kind(&mut self, kind: &ExprKind) -> Option<Value> {
        Some(match kind {
            ExprKind::Compare(op, a, b) if !self.value_type(self.hir.exprs[*a].ty).is_vector() => {
                self.compare(*op, *a, *b)
            }
            ExprKind::LogicalNot(e) if !self.value_type(self.hir.exprs[*e].ty).is_vector() => {
                let c = self.cond(*e);
                self.same(Op::Not, &[c])
            }
            ExprKind::LogicalAnd(a, b) => self.short_circuit(*a, *b, false),
            ExprKind::LogicalOr(a, b) => self.short_circuit(*a, *b, true),
            ExprKind::Convert(ConvKind::ToBool, e) => self.cond(*e),
            _ => return None,
        })
    }

    fn short_circuit(&mut self, a: ExprId, b: ExprId, known: bool) -> Value {
        let [more, end] = std::array::from_fn(|_| self.func.add_block());
        let result = self.func.add_param(end, Type::I1);
        let a = self.cond(a);
        let constant = self.bits(Type::I1, u64::from(known));
        let skip = crate::ir::Target { block: end, args: [constant].as_slice().into() };
        let go = crate::ir::Target::plain(more);
        let (then, els) = if known { (skip, go) } else { (go, skip) };
        self.end(crate::ir::Term::Br { cond: a, then, els });
        self.enter(more);
        let b = self.cond(b);
        self.jump_with(end, b);
        self.enter(end);
        result
    }

    /// Branches on a scalar expression, `&&`, `||` and `!` as control flow.
    pub(super) fn cond_branch(&mut self, id: ExprId, then: Block, els: Block) {
        let hir = self.hir;
        match &hir.exprs[id].kind {
            ExprKind::LogicalNot(e) if !self.value_type(hir.exprs[*e].ty).is_vector() => {
                self.cond_branch(*e, els, then);
            }
            ExprKind::LogicalAnd(a, b) => {
                let more = self.func.add_block();
                self.cond_branch(*a, more, els);
                self.enter(more);
                self.cond_branch(*b, then, els);
            }
            ExprKind::LogicalOr(a, b) => {
                let more = self.func.add_block();
                self.cond_branch(*a, then, more);
                self.enter(more);
                self.cond_branch(*b, then, els);
            }
            _ => {
                let cond = self.cond(id);
                self.branch(cond, then, els);
            }
        }
    }

    /// A vector expression as i1 lanes: true where the sign bit is set.
    pub(super) fn mask(&mut self, id: ExprId) -> Value {
        let hir = self.hir;
        match self.mask_kind(&hir.exprs[id].kind) {
            Some(mask) => mask,
            None => {
                let v = self.value(id);
                self.sign_mask(v)
            }
        }
    }

    fn mask_kind(&mut self, kind: &ExprKind) -> Option<Value> {
        Some(match kind {
            ExprKind::Compare(op, a, b) if self.value_type(self.hir.exprs[*a].ty).is_vector() => {
                self.compare(*op, *a, *b)
            }
            ExprKind::LogicalNot(e) if self.value_type(self.hir.exprs[*e].ty).is_vector() => {
                let v = self.lanes_true(*e);
                self.same(Op::Not, &[v])
            }
            ExprKind::LogicalVector(op, a, b) => {
                let a = self.lanes_true(*a);
                let b = self.lanes_true(*b);
                self.same(if *op == BinOp::Or { Op::Or } else { Op::And }, &[a, b])
            }
            _ => return None,
        })
    }

    /// Lanes != 0.
    fn lanes_true(&mut self, id: ExprId) -> Value {
        let hir = self.hir;
        if let Some(mask) = self.mask_kind(&hir.exprs[id].kind) {
            return mask;
        }
        let v = self.value(id);
        let ty = self.func.ty(v);
        let zero = self.bits(ty, 0);
        let i1 = ty.with_elem(Scalar::I1);
        if ty.is_float() {
            self.emit(Op::Fcmp, i1, &[v, zero], Imm::FloatPred(FloatPred::UNe))
        } else {
            self.emit(Op::Icmp, i1, &[v, zero], Imm::IntPred(IntPred::Ne))
        }
    }

    fn compare(&mut self, op: CmpOp, a: ExprId, b: ExprId) -> Value {
        let signed = self.is_signed(self.hir.exprs[a].ty);
        let a = self.value(a);
        let b = self.value(b);
        let ty = self.func.ty(a);
        let i1 = ty.with_elem(Scalar::I1);
        if ty.is_float() {
            let pred = match op {
                CmpOp::Eq => FloatPred::OEq,
                CmpOp::Ne => FloatPred::UNe,
                CmpOp::Lt => FloatPred::OLt,
                CmpOp::Le => FloatPred::OLe,
                CmpOp::Gt => FloatPred::OGt,
                CmpOp::Ge => FloatPred::OGe,
            };
            return self.emit(Op::Fcmp, i1, &[a, b], Imm::FloatPred(pred));
        }
        let pred = match (op, signed) {
            (CmpOp::Eq, _) => IntPred::Eq,
            (CmpOp::Ne, _) => IntPred::Ne,
            (CmpOp::Lt, true) => IntPred::SLt,
            (CmpOp::Le, true) => IntPred::SLe,
            (CmpOp::Gt, true) => IntPred::SGt,
            (CmpOp::Ge, true) => IntPred::SGe,
            (CmpOp::Lt, false) => IntPred::ULt,
            (CmpOp::Le, false) => IntPred::ULe,
            (CmpOp::Gt, false) => IntPred::UGt,
            (CmpOp::Ge, false) => IntPred::UGe,
        };
        self.emit(Op::Icmp, i1, &[a, b], Imm::IntPred(pred))
    }

    fn conditional(&mut self, c: ExprId, a: ExprId, b: ExprId, ty: Ty) -> Option<Value> {
        let [then, els, end] = std::array::from_fn(|_| self.func.add_block());
        // Made before the branch, so that its address reaches both sides and the join.
        let temp = self.is_record(ty).then(|| self.temp(ty));
        self.cond_branch(c, then, els);
        if let Some(temp) = temp {
            for (block, side) in [(then, a), (els, b)] {
                self.enter(block);
                let v = self.value(side);
                self.copy(temp, v, ty);
                self.jump(end);
            }
            self.enter(end);
            return Some(temp);
        }
        let void = ty == Types::VOID;
        let result = (!void).then(|| {
            let kir = self.value_type(ty);
            self.func.add_param(end, kir)
        });
        for (block, side) in [(then, a), (els, b)] {
            self.enter(block);
            if void {
                self.effect(side);
                self.jump(end);
            } else {
                let v = self.value(side);
                self.jump_with(end, v);
            }
        }
        self.enter(end);
        result
    }

    // ---- calls

    fn call_user(&mut self, f: crate::hir::FnId, args: &[ExprId], ret: Ty) -> Option<Value> {
        let callee = &self.unit.funcs[f];
        let by_ref = super::record_param(callee);
        let mut values = Vec::with_capacity(args.len() + 1);
        let result_slot = self.is_record(ret).then(|| self.temp(ret));
        values.extend(result_slot);
        for &arg in args {
            let ty = self.hir.exprs[arg].ty;
            let v = self.value(arg);
            values.push(if self.is_record(ty) {
                // The callee owns its copy.
                let temp = self.temp(ty);
                self.copy(temp, v, ty);
                self.cast_pointer(temp, by_ref)
            } else {
                v
            });
        }
        let id = FuncId(f.0);
        let kir_ret = self.out.module.funcs[id].ret;
        let result = self.push(Op::Call, kir_ret, &values, Imm::Func(id), Attr::default());
        result_slot.or(result)
    }

    fn call_builtin(&mut self, builtin: &Builtin, args: &[ExprId], ret: Ty) -> Option<Value> {
        let mut values = Vec::with_capacity(args.len());
        for &arg in args {
            let value = self.value(arg);
            let ty = self.hir.exprs[arg].ty;
            let pointee = match self.types().kind(ty) {
                TyKind::Pointer { pointee, .. } => {
                    Some((self.size_of(*pointee) as u32, self.value_type(*pointee).elem.bytes()))
                }
                _ => None,
            };
            values.push(Arg { value, signed: self.is_signed(ty), pointee });
        }
        let ret = (ret != Types::VOID).then(|| self.value_type(ret));
        self.builtin(builtin, &values, ret)
    }

    /// True for signed integers and vectors of them (`bool` and pointers are unsigned).
    pub(super) fn is_signed(&self, ty: Ty) -> bool {
        let (elem, _) = self.types().lanes(ty);
        match self.types().kind(elem) {
            TyKind::Int { signed, .. } => *signed,
            TyKind::Enum(_) => true,
            TyKind::Atomic(inner) => self.is_signed(*inner),
            _ => false,
        }
    }

    fn convert_expr(&mut self, kind: ConvKind, e: ExprId, to: Ty) -> Value {
        let from = self.hir.exprs[e].ty;
        let kir = self.value_type(to);
        match kind {
            ConvKind::Arith { sat, rm } => {
                let v = self.value(e);
                self.convert(v, from, to, sat, rm)
            }
            ConvKind::ToBool => self.cond(e),
            ConvKind::Splat => {
                let v = self.value(e);
                self.emit(Op::Splat, kir, &[v], Imm::None)
            }
            ConvKind::Pointer => {
                let v = self.value(e);
                self.cast_pointer(v, kir)
            }
            ConvKind::PointerInt => {
                let v = self.value(e);
                if kir.is_ptr() {
                    let wide = self.convert(v, from, Types::ULONG, false, Rounding::Rte);
                    self.emit(Op::IntToPtr, kir, &[wide], Imm::None)
                } else {
                    let wide = self.emit(Op::PtrToInt, Type::I64, &[v], Imm::None);
                    self.convert(wide, Types::ULONG, to, false, Rounding::Rte)
                }
            }
            ConvKind::Void => {
                let ty = Type::ptr(AddrSpace::Private);
                self.undef(ty)
            }
        }
    }
}
