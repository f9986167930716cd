//! Expressions over values of the function being written: `(bits & 0x8000) << 16` emits its instructions from left to
//! right. A number on the right is a constant of the left operand's type.

use super::out::Out;
use crate::ir::{FloatPred, Imm, IntPred, Op, Scalar, Type, Value};
use std::ops;

/// A value to compute with: a scalar or a vector.
#[derive(Clone, Copy)]
pub(super) struct Expr<'o> {
    pub(super) out: &'o Out,
    pub(super) v: Value,
}

/// What may stand to the right of an operator.
pub(super) trait Operand {
    /// Applies an op whose result has the left operand's type.
    fn apply(self, op: Op, left: Expr<'_>) -> Value;
    /// The operand itself.
    fn beside(self, left: Expr<'_>) -> Value;
}

impl Operand for Expr<'_> {
    fn apply(self, op: Op, left: Expr<'_>) -> Value {
        left.out.op2(op, left.v, self.v)
    }
    fn beside(self, _: Expr<'_>) -> Value {
        self.v
    }
}

impl Operand for u64 {
    fn apply(self, op: Op, left: Expr<'_>) -> Value {
        left.out.op2c(op, left.v, self)
    }
    fn beside(self, left: Expr<'_>) -> Value {
        left.out.like(left.v, self)
    }
}

impl<'o> Expr<'o> {
    fn of(self, v: Value) -> Self {
        Self { v, ..self }
    }
    pub(super) fn ty(self) -> Type {
        self.out.ty(self.v)
    }
    /// Bits of an element.
    pub(super) fn bits(self) -> u32 {
        self.ty().elem.bits()
    }
    /// A constant of this one's type.
    pub(super) fn like(self, bits: u64) -> Self {
        self.of(self.out.like(self.v, bits))
    }
    pub(super) fn op1(self, op: Op) -> Self {
        self.of(self.out.op1(op, self.v))
    }
    pub(super) fn op(self, op: Op, right: impl Operand) -> Self {
        self.of(right.apply(op, self))
    }
    pub(super) fn lshr(self, by: impl Operand) -> Self {
        self.op(Op::Lshr, by)
    }
    pub(super) fn ashr(self, by: impl Operand) -> Self {
        self.op(Op::Ashr, by)
    }
    pub(super) fn abs(self) -> Self {
        self.op1(Op::Fabs)
    }
    /// `self * b + c`, rounded once.
    pub(super) fn fma(self, b: Self, c: Self) -> Self {
        self.of(self.out.emit(Op::Fma, self.ty(), &[self.v, b.v, c.v], Imm::None))
    }
    pub(super) fn icmp(self, pred: IntPred, right: impl Operand) -> Self {
        self.of(self.out.icmp(pred, self.v, right.beside(self)))
    }
    pub(super) fn fcmp(self, pred: FloatPred, right: impl Operand) -> Self {
        self.of(self.out.fcmp(pred, self.v, right.beside(self)))
    }
    /// `a` where this holds, else `b`.
    pub(super) fn select(self, a: Self, b: Self) -> Self {
        self.of(self.out.select(self.v, a.v, b.v))
    }
    pub(super) fn convert(self, op: Op, ty: Type) -> Self {
        self.of(self.out.convert(op, ty, self.v))
    }
    pub(super) fn bitcast(self, ty: Type) -> Self {
        self.of(self.out.bitcast(ty, self.v))
    }
    pub(super) fn as_int(self) -> Self {
        self.of(self.out.as_int(self.v))
    }
    /// The f32 of these bits.
    pub(super) fn as_f32(self) -> Self {
        self.bitcast(self.ty().with_elem(Scalar::F32))
    }
    pub(super) fn slide(self, at: usize, count: usize) -> Self {
        self.of(self.out.slide(self.v, at, count))
    }
    pub(super) fn resize(self, to: Scalar, extend: Op) -> Self {
        self.of(self.out.resize(self.v, to, extend))
    }
}

macro_rules! operators {
    ($($operator:ident $method:ident $int:ident $float:ident,)*) => {$(
        impl<R: Operand> ops::$operator<R> for Expr<'_> {
            type Output = Self;
            fn $method(self, right: R) -> Self {
                self.op(if self.ty().is_float() { Op::$float } else { Op::$int }, right)
            }
        }
    )*};
}

operators! {
    Add add Add Fadd,
    Sub sub Sub Fsub,
    Mul mul Mul Fmul,
    BitAnd bitand And And,
    BitOr bitor Or Or,
    BitXor bitxor Xor Xor,
    Shl shl Shl Shl,
}

impl ops::Neg for Expr<'_> {
    type Output = Self;
    fn neg(self) -> Self {
        self.op1(if self.ty().is_float() { Op::Fneg } else { Op::Neg })
    }
}

impl ops::Not for Expr<'_> {
    type Output = Self;
    fn not(self) -> Self {
        self.op1(Op::Not)
    }
}
