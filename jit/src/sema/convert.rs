//! Conversions: usual arithmetic conversions, implicit conversions as by assignment, explicit casts. Every conversion
//! that the language makes silently becomes a HIR node here. Spec: OpenCL C, "Conversions and Type Casting".

use super::Sema;
use super::const_eval::Value;
use super::ty::Num;
use crate::hir::{ConstValue, ConvKind, ExprId, ExprKind, FpAttr, OpaqueKind, Quals, Ty, TyKind, Types};
use crate::ir::op::Rounding;
use crate::launch::AddrSpace;
use crate::source::Span;

/// Why a value is converted; gives the words of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Why {
    /// `x = value`.
    Assign,
    /// `T x = value`.
    Init,
    /// An argument of a function.
    Arg,
    /// `return value`.
    Return,
}

/// How an implicit conversion would go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Implicit {
    /// Same type.
    Same,
    /// Numbers, scalar to vector, null constant to pointer or event, pointer to bool.
    Value,
    /// Pointers that fit.
    Pointer,
    /// Pointers that fit apart from lost qualifiers.
    Discards,
    /// Pointers to different types.
    PointeeDiffers,
    /// Pointers to pointers to different address spaces.
    Nested,
    /// Pointers to address spaces that do not overlap.
    Space,
    /// Not convertible.
    No,
}

/// Why two operands have no common type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoCommon {
    /// Different vector types, or not numbers.
    Types,
    /// The scalar has a greater rank than the vector's element.
    Rank,
}

impl Sema<'_> {
    /// Integer promotion of a scalar type.
    pub(super) fn promote(&self, ty: Ty) -> Ty {
        match self.num(ty) {
            Some(Num::Bool) => Types::INT,
            Some(Num::Int(bits, _)) if bits < 32 => Types::INT,
            _ => ty,
        }
    }

    /// The common type of two scalar numbers.
    pub(super) fn common_scalar(&self, a: Ty, b: Ty) -> Option<Ty> {
        match (self.num(a)?, self.num(b)?) {
            (Num::Float(x), Num::Float(y)) => Some(if x >= y { a } else { b }),
            (Num::Float(_), _) => Some(a),
            (_, Num::Float(_)) => Some(b),
            _ => {
                let (a, b) = (self.promote(a), self.promote(b));
                let (Num::Int(x, xs), Num::Int(y, ys)) = (self.num(a)?, self.num(b)?) else { return None };
                Some(if x != y {
                    if x > y { a } else { b }
                } else if !xs {
                    a
                } else if !ys {
                    b
                } else {
                    a
                })
            }
        }
    }

    /// The common type of two operands, vectors included; `a_expr` and `b_expr` let constants through that fit the
    /// element type although their own type has a greater rank.
    pub(super) fn common_type(
        &self,
        a: Ty,
        b: Ty,
        a_expr: Option<ExprId>,
        b_expr: Option<ExprId>,
    ) -> Result<Ty, NoCommon> {
        match (self.is_vector(a), self.is_vector(b)) {
            (true, true) if a == b => Ok(a),
            (true, true) => Err(NoCommon::Types),
            (true, false) => self.widened(a, b, b_expr),
            (false, true) => self.widened(b, a, a_expr),
            (false, false) => self.common_scalar(a, b).ok_or(NoCommon::Types),
        }
    }

    fn widened(&self, vector: Ty, scalar: Ty, expr: Option<ExprId>) -> Result<Ty, NoCommon> {
        let elem = self.unit.types.lanes(vector).0;
        let (Some(e), Some(s)) = (self.num(elem), self.num(scalar)) else { return Err(NoCommon::Types) };
        if rank(s) <= rank(e) || expr.is_some_and(|expr| self.constant_fits(expr, e)) {
            Ok(vector)
        } else {
            Err(NoCommon::Rank)
        }
    }

    /// True if a constant keeps its value in the given type; floating constants fit any floating type.
    fn constant_fits(&self, expr: ExprId, to: Num) -> bool {
        match (self.num(self.f.exprs[expr].ty), to) {
            (Some(Num::Float(_)), Num::Float(_)) => self.eval(expr).is_some(),
            (Some(Num::Int(..) | Num::Bool), Num::Float(_)) => true,
            (Some(Num::Int(..) | Num::Bool), Num::Int(bits, signed)) => {
                let Some(value) = self.eval_int(expr) else { return false };
                if bits >= 64 {
                    return true;
                }
                let span = 1i128 << bits;
                // Both readings of the bits are let through: `uchar4 & ~1` and `char4 ^ 0xff` are what people write.
                let low = -(span / 2);
                let _ = signed;
                (low..span).contains(&value)
            }
            _ => false,
        }
    }

    /// Adds a conversion node, or nothing if the type is right already. Arithmetic, splats, pointers, bool, void; the
    /// caller has checked that it is allowed.
    pub(super) fn cast(&mut self, e: ExprId, to: Ty) -> ExprId {
        let rm = self.fp.rm;
        self.cast_rm(e, to, rm)
    }

    fn cast_rm(&mut self, e: ExprId, to: Ty, region: Rounding) -> ExprId {
        let from = self.f.exprs[e].ty;
        let span = self.f.exprs[e].span;
        if from == to || self.is_error(from) || self.is_error(to) {
            return e;
        }
        if to == Types::VOID {
            return self.push(ExprKind::Convert(ConvKind::Void, e), to, span);
        }
        if self.is_vector(to) && !self.is_vector(from) {
            let elem = self.unit.types.lanes(to).0;
            let e = self.cast_rm(e, elem, region);
            return self.push(ExprKind::Convert(ConvKind::Splat, e), to, span);
        }
        let to_pointer = self.is_pointer(to);
        let from_pointer = self.is_pointer(from);
        let kind = match (from_pointer, to_pointer) {
            (true, true) => ConvKind::Pointer,
            (_, false) if to == Types::BOOL => ConvKind::ToBool,
            (true, false) | (false, true) => ConvKind::PointerInt,
            (false, false) => {
                if let Some(folded) = self.fold_int(e, to) {
                    return self.push(ExprKind::Const(folded), to, span);
                }
                let rm = if self.is_float_elem(to) { region } else { Rounding::Rtz };
                ConvKind::Arith { sat: false, rm }
            }
        };
        self.push(ExprKind::Convert(kind, e), to, span)
    }

    /// An integer literal in another integer type, or in a floating type that holds it exactly.
    fn fold_int(&self, e: ExprId, to: Ty) -> Option<ConstValue> {
        let ExprKind::Const(ConstValue::Int(bits)) = self.f.exprs[e].kind else { return None };
        let (Num::Int(from_bits, signed), to) = (self.num(self.f.exprs[e].ty)?, self.num(to)?) else { return None };
        let value = if signed { sign_extend(bits, from_bits) as u64 } else { bits };
        match to {
            Num::Int(bits, _) => Some(ConstValue::Int(truncate(value, bits))),
            Num::Float(32) if value <= 1 << 24 => Some(ConstValue::Float(u64::from((value as f32).to_bits()))),
            Num::Float(64) if value <= 1 << 53 => Some(ConstValue::Float((value as f64).to_bits())),
            _ => None,
        }
    }

    /// True for `0`, `(void *)0` and constant expressions of that value.
    pub(super) fn is_null_constant(&self, e: ExprId) -> bool {
        let expr = &self.f.exprs[e];
        match &expr.kind {
            ExprKind::Const(ConstValue::Int(0)) => self.is_integer(expr.ty) || self.is_void_pointer(expr.ty),
            ExprKind::Convert(ConvKind::PointerInt, inner) => {
                self.is_void_pointer(expr.ty) && self.is_null_constant(*inner)
            }
            ExprKind::Convert(ConvKind::Arith { .. }, inner) => {
                self.is_integer(expr.ty) && self.is_integer(self.f.exprs[*inner].ty) && self.is_null_constant(*inner)
            }
            _ => false,
        }
    }

    fn is_void_pointer(&self, ty: Ty) -> bool {
        self.pointee(ty).is_some_and(|(pointee, ..)| pointee == Types::VOID)
    }

    /// True if a pointer to `from` may become a pointer to `to` without a cast.
    pub(super) fn space_fits(from: AddrSpace, to: AddrSpace) -> bool {
        from == to || (to == AddrSpace::Generic && from != AddrSpace::Constant)
    }

    /// True for pointer types, at any depth, that lead into different address spaces.
    fn differs_inside(&self, mut a: Ty, mut b: Ty) -> bool {
        while let (Some((ap, _, aspace)), Some((bp, _, bspace))) = (self.pointee(a), self.pointee(b)) {
            if aspace != bspace {
                return true;
            }
            (a, b) = (ap, bp);
        }
        false
    }

    /// How `e` would convert to `to` as by assignment.
    pub(super) fn implicit(&self, e: ExprId, to: Ty) -> Implicit {
        let from = self.f.exprs[e].ty;
        if from == to || self.is_error(from) || self.is_error(to) {
            return Implicit::Same;
        }
        if self.is_arith(from) && (self.is_arith(to) || self.is_vector(to)) {
            return Implicit::Value;
        }
        if let Some((to_pointee, to_quals, to_space)) = self.pointee(to) {
            if self.is_null_constant(e) {
                return Implicit::Value;
            }
            let Some((from_pointee, from_quals, from_space)) = self.pointee(from) else { return Implicit::No };
            if !Self::space_fits(from_space, to_space) {
                return Implicit::Space;
            }
            let same = from_pointee == to_pointee || from_pointee == Types::VOID || to_pointee == Types::VOID;
            if !same {
                let nested = self.differs_inside(from_pointee, to_pointee);
                return if nested { Implicit::Nested } else { Implicit::PointeeDiffers };
            }
            let lost = (from_quals - to_quals) & (Quals::CONST | Quals::VOLATILE);
            return if lost.is_empty() { Implicit::Pointer } else { Implicit::Discards };
        }
        match self.kind(to) {
            TyKind::Bool if self.is_pointer(from) => Implicit::Value,
            TyKind::Opaque(kind) if kind.is_object() && self.is_null_constant(e) => Implicit::Value,
            TyKind::Opaque(OpaqueKind::Sampler) if self.sampler_bits(e).is_some() => Implicit::Value,
            _ => Implicit::No,
        }
    }

    /// Converts as by assignment; a conversion that is not allowed is reported and gives `None`.
    pub(super) fn convert(&mut self, e: ExprId, to: Ty, why: &Why, span: Span) -> Option<ExprId> {
        let from = self.f.exprs[e].ty;
        if self.is_error(from) || self.is_error(to) {
            return None;
        }
        match self.implicit(e, to) {
            Implicit::Same if self.is_sampler(to) => return Some(self.sampler_value(e)),
            Implicit::Same => return Some(e),
            Implicit::Value | Implicit::Pointer => {}
            Implicit::Discards => {
                let text = format!("{} discards qualifiers", self.why_text(why, from, to));
                self.warn(span, text);
            }
            Implicit::PointeeDiffers => {
                let text = format!("incompatible pointer types {}", self.why_text(why, from, to));
                self.warn(span, text);
            }
            kind @ (Implicit::Space | Implicit::Nested) => {
                let nested = if kind == Implicit::Nested { "nested " } else { "" };
                let text = format!("{} changes address space of {nested}pointer", self.why_text(why, from, to));
                self.err(span, text);
                return None;
            }
            Implicit::No => {
                let text = match (why, self.is_pointer(from), self.is_pointer(to)) {
                    (_, true, false) if self.is_integer(to) => {
                        format!("incompatible pointer to integer conversion {}", self.why_text(why, from, to))
                    }
                    (_, false, true) if self.is_integer(from) => {
                        format!("incompatible integer to pointer conversion {}", self.why_text(why, from, to))
                    }
                    (Why::Assign, ..) => {
                        format!("assigning to '{}' from incompatible type '{}'", self.show(to), self.show(from))
                    }
                    (Why::Init, ..) => format!(
                        "initializing '{}' with an expression of incompatible type '{}'",
                        self.show(to),
                        self.show(from)
                    ),
                    (Why::Arg, ..) => {
                        format!("passing '{}' to parameter of incompatible type '{}'", self.show(from), self.show(to))
                    }
                    (Why::Return, ..) => format!(
                        "returning '{}' from a function with incompatible result type '{}'",
                        self.show(from),
                        self.show(to)
                    ),
                };
                self.err(span, text);
                return None;
            }
        }
        self.warn_lossy(e, to, span);
        Some(self.cast_checked(e, to))
    }

    /// `cast`, with null constants becoming null of the target type.
    pub(super) fn cast_checked(&mut self, e: ExprId, to: Ty) -> ExprId {
        let span = self.f.exprs[e].span;
        if self.is_sampler(to) {
            return self.sampler_value(e);
        }
        let opaque = matches!(self.kind(to), TyKind::Opaque(_));
        if (self.is_pointer(to) || opaque) && self.is_null_constant(e) {
            return self.push(ExprKind::Const(ConstValue::Int(0)), to, span);
        }
        self.cast(e, to)
    }

    /// The bits of a sampler that is written as an integer constant, or of a constant sampler.
    /// Spec: OpenCL C, "Samplers".
    pub(super) fn sampler_bits(&self, e: ExprId) -> Option<u32> {
        let ty = self.f.exprs[e].ty;
        if self.is_sampler(ty) {
            return match self.eval(e)? {
                Value::Bits(bits) => Some(bits as u32),
                _ => None,
            };
        }
        if !self.is_integer(ty) || self.size_of(ty)? > 4 {
            return None;
        }
        u32::try_from(self.eval_int(e)?).ok()
    }

    /// A sampler from a sampler or an integer constant; constants keep their value in sight of the passes.
    pub(super) fn sampler_value(&mut self, e: ExprId) -> ExprId {
        let Some(bits) = self.sampler_bits(e) else { return e };
        let ty = self.unit.types.intern(TyKind::Opaque(OpaqueKind::Sampler));
        let span = self.f.exprs[e].span;
        self.push(ExprKind::Const(ConstValue::Int(bits.into())), ty, span)
    }

    /// Warns of integer constants that change their value.
    fn warn_lossy(&mut self, e: ExprId, to: Ty, span: Span) {
        let from = self.f.exprs[e].ty;
        let (Some(Num::Int(..)), Some(Num::Int(bits, signed))) = (self.num(from), self.elem_num(to)) else { return };
        if !matches!(self.f.exprs[e].kind, ExprKind::Const(_)) {
            return;
        }
        let Some(value) = self.eval_int(e) else { return };
        let span_of = 1i128 << bits;
        if value >= span_of || value < -(span_of / 2) {
            let kept = truncate(value as u64, bits);
            let kept = if signed { sign_extend(kept, bits) as i128 } else { i128::from(kept) };
            let text = format!(
                "implicit conversion from '{}' to '{}' changes value from {value} to {kept}",
                self.show(from),
                self.show(to)
            );
            self.warn(span, text);
        }
    }

    fn why_text(&self, why: &Why, from: Ty, to: Ty) -> String {
        let (from, to) = (self.show(from), self.show(to));
        match why {
            Why::Assign => format!("assigning '{from}' to '{to}'"),
            Why::Init => format!("initializing '{to}' with an expression of type '{from}'"),
            Why::Arg => format!("passing '{from}' to parameter of type '{to}'"),
            Why::Return => format!("returning '{from}' from a function with result type '{to}'"),
        }
    }

    /// `(to)e`. Spec: OpenCL C, "Explicit Casts".
    pub(super) fn explicit_cast(&mut self, e: ExprId, to: Ty, span: Span) -> Option<ExprId> {
        let from = self.f.exprs[e].ty;
        if self.is_error(from) || self.is_error(to) {
            return None;
        }
        if from == to {
            return Some(e);
        }
        if to == Types::VOID {
            return Some(self.cast(e, to));
        }
        if from == Types::VOID {
            let text = format!("operand of type 'void' where '{}' is required", self.show(to));
            self.err(span, text);
            return None;
        }
        let bad = |sema: &mut Self, text: String| {
            sema.err(span, text);
            None
        };
        if self.is_vector(from) || self.is_vector(to) {
            if self.is_vector(from) {
                let text = if self.is_vector(to) {
                    format!("invalid conversion between vector type '{}' and '{}'", self.show(from), self.show(to))
                } else {
                    format!("invalid conversion from vector type '{}' to '{}'", self.show(from), self.show(to))
                };
                let name = self.show(to);
                if self.is_vector(to) || self.is_arith(to) {
                    self.err_note(span, text, span, format!("use convert_{name}() for values or as_{name}() for bits"));
                    return None;
                }
                return bad(self, text);
            }
            if !self.is_arith(from) {
                let text = format!("invalid conversion from '{}' to vector type '{}'", self.show(from), self.show(to));
                return bad(self, text);
            }
            let elem = self.unit.types.lanes(to).0;
            if from == Types::BOOL && self.is_integer(elem) {
                // "true" becomes all bits set in a vector of integers.
                let e = self.cast(e, elem);
                let neg = self.push(ExprKind::Unary(crate::hir::UnOp::Neg, e), elem, span);
                return Some(self.cast(neg, to));
            }
            return Some(self.cast(e, to));
        }
        // Bodies look behind the opaque types: an image is the address of its descriptor, a sampler its bits.
        if self.builtin_mode() && self.image(from).is_some() && self.is_pointer(to) {
            return Some(self.push(ExprKind::Convert(ConvKind::Pointer, e), to, span));
        }
        if self.builtin_mode() && self.is_sampler(from) && to == Types::UINT {
            let rm = Rounding::Rte;
            return Some(self.push(ExprKind::Convert(ConvKind::Arith { sat: false, rm }, e), to, span));
        }
        match (self.pointee(from), self.pointee(to)) {
            (Some((_, _, from_space)), Some((_, _, to_space))) => {
                if self.is_null_constant(e) {
                    return Some(self.cast_checked(e, to));
                }
                let ok = Self::space_fits(from_space, to_space)
                    || (from_space == AddrSpace::Generic && to_space != AddrSpace::Constant);
                if !ok {
                    let text = format!(
                        "casting '{}' to type '{}' changes address space of pointer",
                        self.show(from),
                        self.show(to)
                    );
                    return bad(self, text);
                }
                Some(self.cast(e, to))
            }
            (Some(_), None) if self.is_integer(to) => Some(self.cast(e, to)),
            (None, Some(_)) if self.is_integer(from) => Some(self.cast(e, to)),
            (None, None) if self.is_arith(from) && self.is_arith(to) => {
                if to == Types::HALF || from == Types::HALF {
                    self.need_half(span)?;
                }
                Some(self.cast(e, to))
            }
            _ => {
                if matches!(self.implicit(e, to), Implicit::Value) {
                    return Some(self.cast_checked(e, to));
                }
                let scalar = |sema: &Self, ty| sema.is_arith(ty) || sema.is_pointer(ty);
                let text = if scalar(self, from) && scalar(self, to) {
                    format!("'{}' cannot be cast to type '{}'", self.show(from), self.show(to))
                } else if scalar(self, to) {
                    format!("operand of type '{}' where arithmetic or pointer type is required", self.show(from))
                } else {
                    format!("used type '{}' where arithmetic or pointer type is required", self.show(to))
                };
                bad(self, text)
            }
        }
    }

    /// Attributes of a floating-point operator written here.
    pub(super) fn fp_attr(&self) -> FpAttr {
        FpAttr { rm: self.fp.rm, flags: self.fp.flags() }
    }

    /// A scalar that can be a condition: number or pointer. Reports others.
    pub(super) fn condition(&mut self, e: ExprId, span: Span) -> Option<ExprId> {
        let ty = self.f.exprs[e].ty;
        if self.is_error(ty) {
            return None;
        }
        if self.is_scalar(ty) {
            return Some(e);
        }
        let text = format!("statement requires expression of scalar type ('{}' invalid)", self.show(ty));
        self.err(span, text);
        None
    }
}

/// Rank for widening a scalar to a vector. Spec: OpenCL C, "Usual Arithmetic Conversions".
fn rank(num: Num) -> u32 {
    match num {
        Num::Bool => 0,
        Num::Int(bits, signed) => u32::from(bits) * 2 + u32::from(!signed),
        Num::Float(bits) => 1000 + u32::from(bits),
    }
}

/// The low bits of a value.
pub(super) fn truncate(value: u64, bits: u8) -> u64 {
    if bits >= 64 { value } else { value & ((1u64 << bits) - 1) }
}

/// The value of the low bits read as signed.
pub(super) fn sign_extend(value: u64, bits: u8) -> i64 {
    let shift = 64 - u32::from(bits.clamp(1, 64));
    ((value << shift) as i64) >> shift
}
