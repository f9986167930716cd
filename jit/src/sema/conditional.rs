//! The conditional operator, with scalar and vector conditions.

use super::Sema;
use super::ty::Num;
use crate::ast;
use crate::hir::{ExprId, ExprKind, PlaceKind, Quals, Ty, TyKind, Types};
use crate::source::Span;

impl Sema<'_> {
    /// `cond ? then : els`. Spec: OpenCL C, "Ternary Selection Operator".
    pub(super) fn conditional(
        &mut self,
        cond: ast::ExprId,
        then: Option<ast::ExprId>,
        els: ast::ExprId,
        op_span: Span,
        span: Span,
    ) -> Option<ExprId> {
        let cond_value = self.value(cond);
        let then_value = match then {
            Some(then) => self.value(then),
            // GNU `a ?: b` evaluates `a` once; a copy keeps it so.
            None => cond_value,
        };
        let els_value = self.value(els);
        let (mut c, mut a, b) = (cond_value?, then_value?, els_value?);
        let mut prelude = None;
        if then.is_none() {
            let ty = self.ty_of(c);
            let local = self.temp_local(ty, span);
            let place = self.push_place(PlaceKind::Local(local), ty, Quals::empty(), span);
            prelude = Some(self.push(ExprKind::Assign(place, c), ty, span));
            c = self.push(ExprKind::Load(place), ty, span);
            a = self.push(ExprKind::Load(place), ty, span);
        }
        let e = if self.is_vector(self.ty_of(c)) {
            self.vector_conditional(c, a, b, op_span, span)?
        } else {
            let c = {
                let ty = self.ty_of(c);
                if !self.is_scalar(ty) {
                    let text =
                        format!("used type '{}' where arithmetic, pointer or vector type is required", self.show(ty));
                    self.err(self.f.exprs[c].span, text);
                    return None;
                }
                c
            };
            let (a, b, ty) = self.conditional_sides(a, b, op_span)?;
            self.push(ExprKind::Cond(c, a, b), ty, span)
        };
        Some(match prelude {
            Some(first) => {
                let ty = self.ty_of(e);
                self.push(ExprKind::Comma(first, e), ty, span)
            }
            None => e,
        })
    }

    fn conditional_sides(&mut self, a: ExprId, b: ExprId, op_span: Span) -> Option<(ExprId, ExprId, Ty)> {
        let (at, bt) = (self.ty_of(a), self.ty_of(b));
        if at == bt {
            return Some((a, b, at));
        }
        if at == Types::VOID || bt == Types::VOID {
            return Some((self.cast(a, Types::VOID), self.cast(b, Types::VOID), Types::VOID));
        }
        if self.elem_num(at).is_some() && self.elem_num(bt).is_some() {
            return match self.common_type(at, bt, Some(a), Some(b)) {
                Ok(ty) => Some((self.cast(a, ty), self.cast(b, ty), ty)),
                Err(why) => {
                    self.no_common(why, at, bt, op_span);
                    None
                }
            };
        }
        for (from, to_ty, first) in [(b, at, false), (a, bt, true)] {
            let opaque = matches!(self.kind(to_ty), TyKind::Opaque(_));
            if (self.is_pointer(to_ty) || opaque) && self.is_null_constant(from) {
                let null = self.cast_checked(from, to_ty);
                return Some(if first { (null, b, to_ty) } else { (a, null, to_ty) });
            }
        }
        if let (Some((ap, aq, aspace)), Some((bp, bq, bspace))) = (self.pointee(at), self.pointee(bt)) {
            let space = if Self::space_fits(aspace, bspace) {
                bspace
            } else if Self::space_fits(bspace, aspace) {
                aspace
            } else {
                let text = format!(
                    "conditional operator with the second and third operands of type ('{}' and '{}') which are pointers to \
                     non-overlapping address spaces",
                    self.show(at),
                    self.show(bt)
                );
                self.err(op_span, text);
                return None;
            };
            let pointee = if ap == bp {
                ap
            } else {
                if ap != Types::VOID && bp != Types::VOID {
                    let text = format!("pointer type mismatch ('{}' and '{}')", self.show(at), self.show(bt));
                    self.warn(op_span, text);
                }
                Types::VOID
            };
            let ty = self.unit.types.pointer(pointee, aq | bq, space);
            return Some((self.cast(a, ty), self.cast(b, ty), ty));
        }
        let text = format!("incompatible operand types ('{}' and '{}')", self.show(at), self.show(bt));
        self.err(op_span, text);
        None
    }

    fn vector_conditional(&mut self, c: ExprId, a: ExprId, b: ExprId, op_span: Span, span: Span) -> Option<ExprId> {
        let (ct, at, bt) = (self.ty_of(c), self.ty_of(a), self.ty_of(b));
        let (c_elem, lanes) = self.unit.types.lanes(ct);
        if !self.is_integer(c_elem) {
            let text = format!("vector condition of type '{}' must have elements of integer type", self.show(ct));
            self.err(self.f.exprs[c].span, text);
            return None;
        }
        let ty = if self.is_arith(at) && self.is_arith(bt) {
            let elem = self.common_scalar(at, bt)?;
            // Two scalars take the condition's width; an integer constant also its element size.
            let elem = match (self.num(elem), self.size_of(c_elem)) {
                (Some(Num::Int(bits, signed)), Some(bytes)) if u64::from(bits) != bytes * 8 => {
                    self.unit.types.intern(TyKind::Int { bits: (bytes * 8) as u8, signed })
                }
                _ => elem,
            };
            self.unit.types.vector(elem, lanes)
        } else {
            match self.common_type(at, bt, Some(a), Some(b)) {
                Ok(ty) => ty,
                Err(why) => {
                    self.no_common(why, at, bt, op_span);
                    return None;
                }
            }
        };
        let (elem, n) = self.unit.types.lanes(ty);
        if n != lanes || self.size_of(elem) != self.size_of(c_elem) {
            let text = format!(
                "vector condition type '{}' and result type '{}' do not have the same number of elements of the same size",
                self.show(ct),
                self.show(ty)
            );
            self.err(op_span, text);
            return None;
        }
        let (a, b) = (self.cast(a, ty), self.cast(b, ty));
        Some(self.push(ExprKind::VectorCond(c, a, b), ty, span))
    }
}
