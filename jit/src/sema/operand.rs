//! Checked operands: a value, or a place with what the program may do to it. Building of expression and place nodes.

use super::Sema;
use crate::hir::{
    ConstValue, Expr, ExprId, ExprKind, Place, PlaceId, PlaceKind, Quals, Stmt, StmtId, Ty, TyKind, Types,
};
use crate::launch::AddrSpace;
use crate::source::Span;

/// What an expression denotes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operand {
    /// Value or place.
    pub(super) kind: OpKind,
    /// Its type; arrays and structs included.
    pub(super) ty: Ty,
    /// Qualifiers of the place; empty for values.
    pub(super) quals: Quals,
    /// Where the place lies; `Private` for values.
    pub(super) space: AddrSpace,
    /// Where it is written.
    pub(super) span: Span,
}

/// Value or place.
#[derive(Clone, Copy, Debug)]
pub(super) enum OpKind {
    /// A value.
    Value(ExprId),
    /// A place.
    Place(PlaceId),
}

impl Sema<'_> {
    pub(super) fn push(&mut self, kind: ExprKind, ty: Ty, span: Span) -> ExprId {
        self.f.exprs.push(Expr { kind, ty, span })
    }

    pub(super) fn push_place(&mut self, kind: PlaceKind, ty: Ty, quals: Quals, span: Span) -> PlaceId {
        let volatile = quals.contains(Quals::VOLATILE);
        self.f.places.push(Place { kind, ty, volatile, span })
    }

    pub(super) fn push_stmt(&mut self, stmt: Stmt) -> StmtId {
        self.f.stmts.push(stmt)
    }

    pub(super) fn int_const(&mut self, value: u64, ty: Ty, span: Span) -> ExprId {
        self.push(ExprKind::Const(ConstValue::Int(value)), ty, span)
    }

    pub(super) fn value_operand(&self, e: ExprId) -> Operand {
        let expr = &self.f.exprs[e];
        Operand {
            kind: OpKind::Value(e),
            ty: expr.ty,
            quals: Quals::empty(),
            space: AddrSpace::Private,
            span: expr.span,
        }
    }

    pub(super) fn place_operand(&self, place: PlaceId, quals: Quals, space: AddrSpace) -> Operand {
        let p = &self.f.places[place];
        Operand { kind: OpKind::Place(place), ty: p.ty, quals, space, span: p.span }
    }

    pub(super) fn ty_of(&self, e: ExprId) -> Ty {
        self.f.exprs[e].ty
    }

    /// The operand's value: places are loaded, arrays decay to a pointer to their first element.
    pub(super) fn value_of(&mut self, op: Operand) -> Option<ExprId> {
        let place = match op.kind {
            OpKind::Value(e) => return (!self.is_error(op.ty)).then_some(e),
            OpKind::Place(place) => place,
        };
        if let TyKind::Array { elem, quals, .. } = *self.kind(op.ty) {
            let ty = self.unit.types.pointer(elem, quals | (op.quals - Quals::RESTRICT), op.space);
            self.mark_address(place);
            return Some(self.push(ExprKind::Decay(place), ty, op.span));
        }
        if self.is_error(op.ty) {
            return None;
        }
        if let TyKind::Atomic(_) = self.kind(op.ty) {
            let text = format!("an object of type '{}' can be used with atomic functions only", self.show(op.ty));
            self.err(op.span, text);
            return None;
        }
        if op.ty == Types::VOID || self.size_of(op.ty).is_none() {
            let text = format!("incomplete type '{}' where a complete type is required", self.show(op.ty));
            self.err(op.span, text);
            return None;
        }
        if self.elem_half(op.ty) && !self.half_allowed() {
            let text = format!(
                "loading directly from pointer to type '{}' requires cl_khr_fp16; use vload_half instead",
                self.show(op.ty)
            );
            self.err(op.span, text);
            return None;
        }
        if let PlaceKind::Lanes(base, lanes) = &self.f.places[place].kind {
            let (base, lanes) = (*base, lanes.clone());
            let base_ty = self.f.places[base].ty;
            let (_, n) = self.unit.types.lanes(base_ty);
            if lanes.iter().any(|&lane| lane >= n) {
                let span = op.span;
                let whole = self.push(ExprKind::Load(base), base_ty, span);
                return Some(self.push(ExprKind::Swizzle(whole, lanes), op.ty, span));
            }
        }
        Some(self.push(ExprKind::Load(place), op.ty, op.span))
    }

    pub(super) fn elem_half(&self, ty: Ty) -> bool {
        self.unit.types.lanes(ty).0 == Types::HALF
    }

    /// A place that holds the operand: itself, or a temporary for a struct value.
    pub(super) fn place_of(&mut self, op: Operand) -> PlaceId {
        match op.kind {
            OpKind::Place(place) => place,
            OpKind::Value(e) => self.push_place(PlaceKind::Temp(e), op.ty, Quals::empty(), op.span),
        }
    }

    /// Notes that a variable's memory is used otherwise than as a whole.
    pub(super) fn mark_address(&mut self, place: PlaceId) {
        let mut at = place;
        loop {
            match self.f.places[at].kind {
                PlaceKind::Local(local) => {
                    self.f.locals[local].addr_taken = true;
                    return;
                }
                PlaceKind::Field(base, _) | PlaceKind::Index(base, _) | PlaceKind::Lanes(base, _) => at = base,
                PlaceKind::Var(_) | PlaceKind::WgVar(_) | PlaceKind::Deref(_) | PlaceKind::Temp(_) => return,
            }
        }
    }

    /// Field number `n` of a record operand.
    pub(super) fn field(&mut self, base: Operand, n: usize, span: Span) -> Option<Operand> {
        let TyKind::Record(id) = *self.kind(base.ty) else { return None };
        let field = self.unit.types.records[id].fields.get(n)?;
        let (ty, quals) = (field.ty, field.quals | (base.quals - Quals::RESTRICT));
        let place = self.place_of(base);
        self.mark_address(place);
        let place = self.push_place(PlaceKind::Field(place, n as u32), ty, quals, span);
        Some(self.place_operand(place, quals, base.space))
    }

    /// Element `index` of an array place.
    pub(super) fn element(&mut self, base: Operand, index: ExprId, span: Span) -> Option<Operand> {
        let TyKind::Array { elem, quals, .. } = *self.kind(base.ty) else { return None };
        let quals = quals | (base.quals - Quals::RESTRICT);
        let place = self.place_of(base);
        self.mark_address(place);
        let place = self.push_place(PlaceKind::Index(place, index), elem, quals, span);
        Some(self.place_operand(place, quals, base.space))
    }

    /// `*e` of a pointer value.
    pub(super) fn deref(&mut self, e: ExprId, span: Span) -> Option<Operand> {
        let (pointee, quals, space) = self.pointee(self.ty_of(e))?;
        // `*&x` is x.
        if let ExprKind::AddrOf(place) = self.f.exprs[e].kind
            && self.f.places[place].ty == pointee
        {
            return Some(Operand { span, ..self.place_operand(place, quals, space) });
        }
        let place = self.push_place(PlaceKind::Deref(e), pointee, quals, span);
        Some(self.place_operand(place, quals, space))
    }

    /// `&op` of a place.
    pub(super) fn address(&mut self, op: Operand, span: Span) -> Option<ExprId> {
        let OpKind::Place(place) = op.kind else { return None };
        if let PlaceKind::Deref(e) = self.f.places[place].kind {
            return Some(e);
        }
        self.mark_address(place);
        let ty = self.unit.types.pointer(op.ty, op.quals - Quals::RESTRICT, op.space);
        Some(self.push(ExprKind::AddrOf(place), ty, span))
    }

    /// Checks that the program may write to an operand and gives the place.
    pub(super) fn modifiable(&mut self, op: Operand, what: &str) -> Option<PlaceId> {
        let OpKind::Place(place) = op.kind else {
            if !self.is_error(op.ty) {
                self.err(op.span, "expression is not assignable");
            }
            return None;
        };
        if self.is_error(op.ty) {
            return None;
        }
        if let PlaceKind::Temp(_) = self.root(place) {
            self.err(op.span, "expression is not assignable");
            return None;
        }
        if let TyKind::Atomic(_) = self.kind(op.ty) {
            let text = format!("an object of type '{}' can be used with atomic functions only", self.show(op.ty));
            self.err(op.span, text);
            return None;
        }
        if self.is_sampler(op.ty) {
            self.err(op.span, format!("cannot {what} a variable of type 'sampler_t'"));
            return None;
        }
        if self.is_array(op.ty) {
            let text = format!("array type '{}' is not assignable", self.show(op.ty));
            self.err(op.span, text);
            return None;
        }
        if op.quals.contains(Quals::CONST) || op.space == AddrSpace::Constant {
            let name = self.place_name(place);
            let qualifier = if op.quals.contains(Quals::CONST) { "const" } else { "__constant" };
            let text = match name {
                Some(name) => {
                    format!("cannot {what} variable '{name}' with {qualifier}-qualified type '{}'", self.show(op.ty))
                }
                None => format!("cannot {what} {qualifier}-qualified lvalue of type '{}'", self.show(op.ty)),
            };
            self.err(op.span, text);
            return None;
        }
        if op.ty == Types::VOID || self.size_of(op.ty).is_none() {
            let text = format!("incomplete type '{}' is not assignable", self.show(op.ty));
            self.err(op.span, text);
            return None;
        }
        if self.elem_half(op.ty) && !self.half_allowed() {
            let text = format!(
                "assigning directly to pointer to type '{}' requires cl_khr_fp16; use vstore_half instead",
                self.show(op.ty)
            );
            self.err(op.span, text);
            return None;
        }
        if let PlaceKind::Lanes(_, lanes) = &self.f.places[place].kind {
            let mut seen = [false; 16];
            for &lane in lanes {
                if std::mem::replace(&mut seen[usize::from(lane & 15)], true) {
                    self.err(op.span, "vector is not assignable (contains duplicate components)");
                    return None;
                }
            }
        }
        Some(place)
    }

    fn root(&self, place: PlaceId) -> PlaceKind {
        let mut at = place;
        loop {
            match &self.f.places[at].kind {
                PlaceKind::Field(base, _) | PlaceKind::Index(base, _) | PlaceKind::Lanes(base, _) => at = *base,
                other => return other.clone(),
            }
        }
    }

    fn place_name(&self, place: PlaceId) -> Option<String> {
        let name = match self.f.places[place].kind {
            PlaceKind::Local(id) => &self.f.locals[id].name,
            PlaceKind::Var(id) => &self.unit.vars[id].name,
            PlaceKind::WgVar(id) => &self.unit.wg_vars[id].name,
            _ => return None,
        };
        (!name.is_empty()).then(|| name.clone())
    }

    /// `place = value`, both of one type. Lanes that a 3-vector does not have are left out.
    pub(super) fn assign(&mut self, place: PlaceId, value: ExprId, span: Span) -> ExprId {
        let ty = self.f.places[place].ty;
        if let PlaceKind::Lanes(base, lanes) = &self.f.places[place].kind {
            let (base, lanes) = (*base, lanes.clone());
            let n = self.unit.types.lanes(self.f.places[base].ty).1;
            if lanes.iter().any(|&lane| lane >= n) {
                let (kept, picks): (Vec<u8>, Vec<u8>) =
                    lanes.iter().zip(0u8..).filter(|&(&lane, _)| lane < n).map(|(&lane, i)| (lane, i)).unzip();
                let elem = self.unit.types.lanes(ty).0;
                // Only `.hi` and `.odd` of a 3-vector come here: one lane stays.
                if let (&[lane], &[pick]) = (kept.as_slice(), picks.as_slice()) {
                    let target = self.push_place(PlaceKind::Lanes(base, vec![lane]), elem, Quals::empty(), span);
                    let part = self.push(ExprKind::Swizzle(value, vec![pick]), elem, span);
                    let stored = self.push(ExprKind::Assign(target, part), elem, span);
                    let whole = self.push(ExprKind::Load(base), self.f.places[base].ty, span);
                    let result = self.push(ExprKind::Swizzle(whole, lanes), ty, span);
                    return self.push(ExprKind::Comma(stored, result), ty, span);
                }
            }
        }
        self.push(ExprKind::Assign(place, value), ty, span)
    }
}
