//! Binary operators, assignments, contraction. Spec: OpenCL C, "Operators"; "FP_CONTRACT".

use super::Sema;
use super::convert::Why;
use super::ty::Num;
use crate::ast::{self, BinaryOp};
use crate::hir::{BinOp, Builtin, Callee, CmpOp, ExprId, ExprKind, FpAttr, PlaceId, PlaceKind, Quals, Ty, Types, UnOp};
use crate::ir::Rounding;
use crate::ir::op::{Attr, Flags, Imm, Op};
use crate::launch::AddrSpace;
use crate::source::Span;

/// Deepest place or expression of a compound assignment that is looked through, so that it can be fused.
const MAX_REPEATED_DEPTH: u32 = 64;

impl Sema<'_> {
    pub(super) fn binary(
        &mut self,
        op: BinaryOp,
        lhs: ast::ExprId,
        rhs: ast::ExprId,
        op_span: Span,
        span: Span,
    ) -> Option<ExprId> {
        let a = self.value(lhs);
        let b = self.value(rhs);
        let (a, b) = (a?, b?);
        self.binary_values(op, a, b, op_span, span)
    }

    fn binary_values(&mut self, op: BinaryOp, a: ExprId, b: ExprId, op_span: Span, span: Span) -> Option<ExprId> {
        match op {
            BinaryOp::LogAnd | BinaryOp::LogOr => self.logical(op, a, b, op_span, span),
            BinaryOp::Lt | BinaryOp::Gt | BinaryOp::Le | BinaryOp::Ge | BinaryOp::Eq | BinaryOp::Ne => {
                self.comparison(op, a, b, op_span, span)
            }
            BinaryOp::Shl | BinaryOp::Shr => {
                let (at, bt) = (self.ty_of(a), self.ty_of(b));
                let ty = self.shift_type(at, bt, op_span)?;
                self.warn_shift(b, ty, op_span);
                let a = self.cast(a, ty);
                let b = self.shift_amount(b, ty);
                let fp = FpAttr::default();
                Some(self.push(ExprKind::Binary(bin_op(op)?, fp, a, b), ty, span))
            }
            BinaryOp::Add | BinaryOp::Sub if self.is_pointer(self.ty_of(a)) || self.is_pointer(self.ty_of(b)) => {
                self.pointer_arith(op, a, b, op_span, span)
            }
            _ => self.arith(op, a, b, op_span, span),
        }
    }

    /// The common type of the operands of an arithmetic operator; reports what does not fit.
    fn arith_type(
        &mut self,
        op: BinaryOp,
        a: (Ty, Option<ExprId>),
        b: (Ty, Option<ExprId>),
        op_span: Span,
    ) -> Option<Ty> {
        let integers_only = matches!(op, BinaryOp::Rem | BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor);
        let fits = |sema: &Self, ty: Ty| match sema.elem_num(ty) {
            Some(Num::Float(_)) => !integers_only,
            Some(_) => true,
            None => false,
        };
        if self.is_error(a.0) || self.is_error(b.0) {
            return None;
        }
        if !fits(self, a.0) || !fits(self, b.0) {
            self.no_common_scalar(a.0, b.0, op_span);
            return None;
        }
        match self.common_type(a.0, b.0, a.1, b.1) {
            Ok(ty) => Some(ty),
            Err(why) => {
                self.no_common(why, a.0, b.0, op_span);
                None
            }
        }
    }

    fn no_common_scalar(&mut self, a: Ty, b: Ty, span: Span) {
        let text = format!("invalid operands to binary expression ('{}' and '{}')", self.show(a), self.show(b));
        self.err(span, text);
    }

    fn arith(&mut self, op: BinaryOp, a: ExprId, b: ExprId, op_span: Span, span: Span) -> Option<ExprId> {
        let ty = self.arith_type(op, (self.ty_of(a), Some(a)), (self.ty_of(b), Some(b)), op_span)?;
        if matches!(op, BinaryOp::Div | BinaryOp::Rem) && self.is_int_elem(ty) {
            self.warn_zero(op, b, op_span);
        }
        let a = self.cast(a, ty);
        let b = self.cast(b, ty);
        Some(self.arith_node(bin_op(op)?, a, b, ty, span))
    }

    /// An operator on converted operands: fused if that is allowed here.
    fn arith_node(&mut self, op: BinOp, a: ExprId, b: ExprId, ty: Ty, span: Span) -> ExprId {
        let fp = if self.is_float_elem(ty) { self.fp_attr() } else { FpAttr::default() };
        if let Some(fused) = self.contract(op, a, b, ty, fp, span) {
            return fused;
        }
        self.push(ExprKind::Binary(op, fp, a, b), ty, span)
    }

    /// `a*b + c` rounded once, where the program allows it and the hardware does it in one instruction. Only products
    /// written as operand of the sum itself are fused: a value that went through a variable is a `Load` here.
    fn contract(&mut self, op: BinOp, a: ExprId, b: ExprId, ty: Ty, fp: FpAttr, span: Span) -> Option<ExprId> {
        if !self.fp.contract || !matches!(op, BinOp::Add | BinOp::Sub) || !crate::features::has_fast_fma() {
            return None;
        }
        let half = match self.elem_num(ty) {
            Some(Num::Float(32 | 64)) => false,
            Some(Num::Float(16)) if fp.rm == Rounding::Rte && self.fp.permitted.contains(Flags::CONTRACT) => {
                !crate::features::has_half_arithmetic()
            }
            _ => return None,
        };
        let product = |sema: &Self, e: ExprId| match sema.f.exprs[e].kind {
            ExprKind::Binary(BinOp::Mul, at, x, y) if at.rm == fp.rm => Some((x, y)),
            _ => None,
        };
        let negate = op == BinOp::Sub;
        let (mut x, y, mut addend) = match (product(self, a), product(self, b)) {
            (Some((x, y)), _) => (x, y, b),
            (None, Some((x, y))) => (x, y, a),
            (None, None) => return None,
        };
        if negate {
            if addend == b {
                addend = self.push(ExprKind::Unary(UnOp::Neg, addend), ty, span);
            } else {
                x = self.push(ExprKind::Unary(UnOp::Neg, x), ty, span);
            }
        }
        let attr = Attr { rm: fp.rm, flags: fp.flags, ..Attr::default() };
        let callee = Callee::Builtin(Builtin::Op(Op::Fma, Imm::None, attr));
        if !half {
            return Some(self.push(ExprKind::Call(callee, vec![x, y, addend]), ty, span));
        }
        // A `mad` of halves is one of floats, rounded twice: once to each type.
        let lanes = self.unit.types.lanes(ty).1;
        let wide = self.unit.types.vector(Types::FLOAT, lanes);
        let args = [x, y, addend].map(|e| self.cast(e, wide)).to_vec();
        let sum = self.push(ExprKind::Call(callee, args), wide, span);
        Some(self.cast(sum, ty))
    }

    fn warn_zero(&mut self, op: BinaryOp, b: ExprId, span: Span) {
        if self.is_integer(self.ty_of(b)) && self.eval_int(b) == Some(0) {
            let what = if op == BinaryOp::Div { "division" } else { "remainder" };
            self.warn(span, format!("{what} by zero is undefined"));
        }
    }

    fn warn_shift(&mut self, b: ExprId, ty: Ty, span: Span) {
        let elem = self.unit.types.lanes(ty).0;
        let (Some(Num::Int(bits, _)), true) = (self.num(elem), self.is_integer(self.ty_of(b))) else { return };
        match self.eval_int(b) {
            Some(n) if n < 0 => self.warn(span, "shift count is negative"),
            Some(n) if n >= i128::from(bits) => self.warn(span, "shift count >= width of type"),
            _ => {}
        }
    }

    /// Type of a shift: that of the promoted left operand. Spec: OpenCL C, "Shift Operators".
    fn shift_type(&mut self, at: Ty, bt: Ty, op_span: Span) -> Option<Ty> {
        if self.is_error(at) || self.is_error(bt) {
            return None;
        }
        if !self.is_int_elem(at) || !self.is_int_elem(bt) {
            self.no_common_scalar(at, bt, op_span);
            return None;
        }
        match (self.is_vector(at), self.is_vector(bt)) {
            (false, false) => Some(self.promote(at)),
            (true, false) => Some(at),
            (false, true) => {
                let text = format!(
                    "requested shift is a vector of type '{}' but the first operand is not a vector ('{}')",
                    self.show(bt),
                    self.show(at)
                );
                self.err(op_span, text);
                None
            }
            (true, true) => {
                if self.unit.types.lanes(at).1 != self.unit.types.lanes(bt).1 {
                    let text = format!(
                        "vector operands do not have the same number of elements ('{}' and '{}')",
                        self.show(at),
                        self.show(bt)
                    );
                    self.err(op_span, text);
                    return None;
                }
                Some(at)
            }
        }
    }

    /// The amount in the type of the shift: it counts modulo the width, so that narrowing is harmless.
    fn shift_amount(&mut self, b: ExprId, ty: Ty) -> ExprId {
        self.cast(b, ty)
    }

    fn pointer_arith(&mut self, op: BinaryOp, a: ExprId, b: ExprId, op_span: Span, span: Span) -> Option<ExprId> {
        let (at, bt) = (self.ty_of(a), self.ty_of(b));
        if self.is_error(at) || self.is_error(bt) {
            return None;
        }
        match (self.pointee(at), self.pointee(bt)) {
            (Some((ap, ..)), Some((bp, ..))) if op == BinaryOp::Sub => {
                if ap != bp {
                    let text =
                        format!("'{}' and '{}' are not pointers to compatible types", self.show(at), self.show(bt));
                    self.err(op_span, text);
                    return None;
                }
                self.complete_pointee(ap, op_span)?;
                let b = self.cast(b, at);
                Some(self.push(ExprKind::PtrDiff(a, b), Types::LONG, span))
            }
            (Some((ap, ..)), None) if self.is_integer(bt) => {
                self.complete_pointee(ap, op_span)?;
                let b = if bt == Types::BOOL { self.cast(b, Types::INT) } else { b };
                let kind = if op == BinaryOp::Add { ExprKind::PtrAdd(a, b) } else { ExprKind::PtrSub(a, b) };
                Some(self.push(kind, at, span))
            }
            (None, Some((bp, ..))) if self.is_integer(at) && op == BinaryOp::Add => {
                self.complete_pointee(bp, op_span)?;
                let a = if at == Types::BOOL { self.cast(a, Types::INT) } else { a };
                Some(self.push(ExprKind::PtrAdd(b, a), bt, span))
            }
            _ => {
                self.no_common_scalar(at, bt, op_span);
                None
            }
        }
    }

    /// Spec: OpenCL C, "Relational Operators", "Equality Operators".
    fn comparison(&mut self, op: BinaryOp, a: ExprId, b: ExprId, op_span: Span, span: Span) -> Option<ExprId> {
        let (at, bt) = (self.ty_of(a), self.ty_of(b));
        if self.is_error(at) || self.is_error(bt) {
            return None;
        }
        let cmp = match op {
            BinaryOp::Lt => CmpOp::Lt,
            BinaryOp::Gt => CmpOp::Gt,
            BinaryOp::Le => CmpOp::Le,
            BinaryOp::Ge => CmpOp::Ge,
            BinaryOp::Eq => CmpOp::Eq,
            _ => CmpOp::Ne,
        };
        if matches!(op, BinaryOp::Eq | BinaryOp::Ne)
            && let Some(ty) = [at, bt].into_iter().find(|&ty| self.is_handle(ty))
        {
            let a = self.convert(a, ty, &super::convert::Why::Assign, op_span)?;
            let b = self.convert(b, ty, &super::convert::Why::Assign, op_span)?;
            return Some(self.push(ExprKind::Compare(cmp, a, b), Types::INT, span));
        }
        if self.is_pointer(at) || self.is_pointer(bt) {
            let (a, b) = self.comparable_pointers(a, b, op_span)?;
            return Some(self.push(ExprKind::Compare(cmp, a, b), Types::INT, span));
        }
        let ty = self.arith_type(BinaryOp::Add, (at, Some(a)), (bt, Some(b)), op_span)?;
        let a = self.cast(a, ty);
        let b = self.cast(b, ty);
        let result = if self.is_vector(ty) { self.mask_type(ty) } else { Types::INT };
        Some(self.push(ExprKind::Compare(cmp, a, b), result, span))
    }

    fn comparable_pointers(&mut self, a: ExprId, b: ExprId, op_span: Span) -> Option<(ExprId, ExprId)> {
        let (at, bt) = (self.ty_of(a), self.ty_of(b));
        match (self.pointee(at), self.pointee(bt)) {
            (Some((ap, _, aspace)), Some((bp, _, bspace))) => {
                if self.is_null_constant(b) {
                    return Some((a, self.cast_checked(b, at)));
                }
                if self.is_null_constant(a) {
                    return Some((self.cast_checked(a, bt), b));
                }
                if !Self::space_fits(aspace, bspace) && !Self::space_fits(bspace, aspace) {
                    let text = format!(
                        "comparison between ('{}' and '{}') which are pointers to non-overlapping address spaces",
                        self.show(at),
                        self.show(bt)
                    );
                    self.err(op_span, text);
                    return None;
                }
                if ap != bp && ap != Types::VOID && bp != Types::VOID {
                    let text =
                        format!("comparison of distinct pointer types ('{}' and '{}')", self.show(at), self.show(bt));
                    self.warn(op_span, text);
                }
                if Self::space_fits(bspace, aspace) { Some((a, self.cast(b, at))) } else { Some((self.cast(a, bt), b)) }
            }
            (Some(_), None) if self.is_null_constant(b) => Some((a, self.cast_checked(b, at))),
            (None, Some(_)) if self.is_null_constant(a) => Some((self.cast_checked(a, bt), b)),
            (Some(_), None) if self.is_integer(bt) => {
                let text =
                    format!("comparison between pointer and integer ('{}' and '{}')", self.show(at), self.show(bt));
                self.warn(op_span, text);
                Some((a, self.cast(b, at)))
            }
            (None, Some(_)) if self.is_integer(at) => {
                let text =
                    format!("comparison between pointer and integer ('{}' and '{}')", self.show(at), self.show(bt));
                self.warn(op_span, text);
                Some((self.cast(a, bt), b))
            }
            _ => {
                self.no_common_scalar(at, bt, op_span);
                None
            }
        }
    }

    /// Spec: OpenCL C, "Logical Operators".
    fn logical(&mut self, op: BinaryOp, a: ExprId, b: ExprId, op_span: Span, span: Span) -> Option<ExprId> {
        let (at, bt) = (self.ty_of(a), self.ty_of(b));
        if self.is_error(at) || self.is_error(bt) {
            return None;
        }
        if self.is_vector(at) || self.is_vector(bt) {
            let ty = self.arith_type(BinaryOp::Add, (at, Some(a)), (bt, Some(b)), op_span)?;
            let a = self.cast(a, ty);
            let b = self.cast(b, ty);
            let result = self.mask_type(ty);
            let kind = if op == BinaryOp::LogAnd { BinOp::And } else { BinOp::Or };
            return Some(self.push(ExprKind::LogicalVector(kind, a, b), result, span));
        }
        if !self.is_scalar(at) || !self.is_scalar(bt) {
            self.no_common_scalar(at, bt, op_span);
            return None;
        }
        let kind = if op == BinaryOp::LogAnd { ExprKind::LogicalAnd(a, b) } else { ExprKind::LogicalOr(a, b) };
        Some(self.push(kind, Types::INT, span))
    }

    // ---- assignment

    pub(super) fn plain_assign(&mut self, lhs: ast::ExprId, rhs: ast::ExprId, span: Span) -> Option<ExprId> {
        let target = self.expr(lhs);
        let value = self.value(rhs);
        let target = target?;
        let place = self.modifiable(target, "assign to");
        let (place, value) = (place?, value?);
        let rhs_span = self.ast[rhs].span;
        let value = self.convert(value, target.ty, &Why::Assign, rhs_span)?;
        Some(self.assign(place, value, span))
    }

    pub(super) fn compound_assign(
        &mut self,
        op: BinaryOp,
        lhs: ast::ExprId,
        rhs: ast::ExprId,
        op_span: Span,
        span: Span,
    ) -> Option<ExprId> {
        let target = self.expr(lhs);
        let value = self.value(rhs);
        let target = target?;
        let place = self.modifiable(target, "assign to");
        let (place, value) = (place?, value?);
        let (ty, value_ty) = (target.ty, self.ty_of(value));
        if self.is_error(value_ty) {
            return None;
        }
        let bin = bin_op(op)?;
        let fp = self.fp_attr();
        if let Some((pointee, ..)) = self.pointee(ty) {
            if !matches!(op, BinaryOp::Add | BinaryOp::Sub) || !self.is_integer(value_ty) {
                self.no_common_scalar(ty, value_ty, op_span);
                return None;
            }
            self.complete_pointee(pointee, op_span)?;
            let rhs = if value_ty == Types::BOOL { self.cast(value, Types::INT) } else { value };
            let kind = ExprKind::CompoundAssign { place, op: bin, fp: FpAttr::default(), rhs, compute: ty };
            return Some(self.push(kind, ty, span));
        }
        let (compute, rhs) = if matches!(op, BinaryOp::Shl | BinaryOp::Shr) {
            let compute = self.shift_type(ty, value_ty, op_span)?;
            self.warn_shift(value, compute, op_span);
            let rhs = self.shift_amount(value, compute);
            (compute, rhs)
        } else {
            let compute = self.arith_type(op, (ty, None), (value_ty, Some(value)), op_span)?;
            if matches!(op, BinaryOp::Div | BinaryOp::Rem) && self.is_int_elem(compute) {
                self.warn_zero(op, value, op_span);
            }
            let rhs = self.cast(value, compute);
            (compute, rhs)
        };
        if self.is_vector(compute) && !self.is_vector(ty) {
            let text = format!("assigning to '{}' from incompatible type '{}'", self.show(ty), self.show(compute));
            self.err(op_span, text);
            return None;
        }
        let fp = if self.is_float_elem(compute) { fp } else { FpAttr::default() };
        // `x += a*b` is one expression too: fuse it if reading the place twice is the same as reading it once.
        if compute == ty
            && matches!(bin, BinOp::Add | BinOp::Sub)
            && matches!(self.f.exprs[rhs].kind, ExprKind::Binary(BinOp::Mul, ..))
            && self.is_repeatable(place, 0)
            && (self.is_fixed(place, 0) || self.is_repeatable_expr(rhs, 0))
        {
            let old = self.value_of(self.place_operand(place, Quals::empty(), AddrSpace::Private))?;
            if let Some(fused) = self.contract(bin, old, rhs, ty, fp, span) {
                return Some(self.assign(place, fused, span));
            }
        }
        if let PlaceKind::Lanes(base, lanes) = &self.f.places[place].kind {
            let n = self.unit.types.lanes(self.f.places[*base].ty).1;
            // The missing lane of a 3-vector: only the plain forms know about it.
            if lanes.iter().any(|&lane| lane >= n) {
                let old = self.value_of(self.place_operand(place, Quals::empty(), AddrSpace::Private))?;
                let old = self.cast(old, compute);
                let new = self.push(ExprKind::Binary(bin, fp, old, rhs), compute, span);
                let new = self.cast(new, ty);
                return Some(self.assign(place, new, span));
            }
        }
        Some(self.push(ExprKind::CompoundAssign { place, op: bin, fp, rhs, compute }, ty, span))
    }

    /// True if nothing that happens in between can make a place another one.
    fn is_fixed(&self, place: PlaceId, depth: u32) -> bool {
        match &self.f.places[place].kind {
            _ if depth > MAX_REPEATED_DEPTH => false,
            PlaceKind::Local(_) | PlaceKind::Var(_) | PlaceKind::WgVar(_) => true,
            PlaceKind::Field(base, _) | PlaceKind::Lanes(base, _) => self.is_fixed(*base, depth + 1),
            PlaceKind::Index(base, e) => {
                matches!(self.f.exprs[*e].kind, ExprKind::Const(_)) && self.is_fixed(*base, depth + 1)
            }
            PlaceKind::Deref(_) | PlaceKind::Temp(_) => false,
        }
    }

    /// True if evaluating a place twice has no effect that once has not.
    fn is_repeatable(&self, place: PlaceId, depth: u32) -> bool {
        let p = &self.f.places[place];
        if p.volatile || depth > MAX_REPEATED_DEPTH {
            return false;
        }
        match &p.kind {
            PlaceKind::Local(_) | PlaceKind::Var(_) | PlaceKind::WgVar(_) => true,
            PlaceKind::Deref(e) => self.is_repeatable_expr(*e, depth + 1),
            PlaceKind::Field(base, _) | PlaceKind::Lanes(base, _) => self.is_repeatable(*base, depth + 1),
            PlaceKind::Index(base, e) => self.is_repeatable(*base, depth + 1) && self.is_repeatable_expr(*e, depth + 1),
            PlaceKind::Temp(_) => false,
        }
    }

    fn is_repeatable_expr(&self, e: ExprId, depth: u32) -> bool {
        if depth > MAX_REPEATED_DEPTH {
            return false;
        }
        match &self.f.exprs[e].kind {
            ExprKind::Const(_) => true,
            ExprKind::Load(place) | ExprKind::AddrOf(place) | ExprKind::Decay(place) => {
                self.is_repeatable(*place, depth + 1)
            }
            ExprKind::Unary(_, a) | ExprKind::Convert(_, a) => self.is_repeatable_expr(*a, depth + 1),
            ExprKind::Swizzle(a, _) | ExprKind::AsType(a) => self.is_repeatable_expr(*a, depth + 1),
            ExprKind::Binary(_, _, a, b) | ExprKind::PtrAdd(a, b) | ExprKind::PtrSub(a, b) => {
                self.is_repeatable_expr(*a, depth + 1) && self.is_repeatable_expr(*b, depth + 1)
            }
            ExprKind::Build(args) => args.iter().all(|&a| self.is_repeatable_expr(a, depth + 1)),
            ExprKind::Call(Callee::Builtin(Builtin::Op(op, ..)), args) => {
                op.is_pure() && args.iter().all(|&a| self.is_repeatable_expr(a, depth + 1))
            }
            _ => false,
        }
    }
}

/// The arithmetic operator of a token.
fn bin_op(op: BinaryOp) -> Option<BinOp> {
    Some(match op {
        BinaryOp::Mul => BinOp::Mul,
        BinaryOp::Div => BinOp::Div,
        BinaryOp::Rem => BinOp::Rem,
        BinaryOp::Add => BinOp::Add,
        BinaryOp::Sub => BinOp::Sub,
        BinaryOp::Shl => BinOp::Shl,
        BinaryOp::Shr => BinOp::Shr,
        BinaryOp::BitAnd => BinOp::And,
        BinaryOp::BitXor => BinOp::Xor,
        BinaryOp::BitOr => BinOp::Or,
        BinaryOp::Lt
        | BinaryOp::Gt
        | BinaryOp::Le
        | BinaryOp::Ge
        | BinaryOp::Eq
        | BinaryOp::Ne
        | BinaryOp::LogAnd
        | BinaryOp::LogOr => return None,
    })
}
