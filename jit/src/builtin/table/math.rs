//! Math functions.

use super::cl;
use crate::builtin::sig::{Attrs, Body, Elem, Elems, Pat, Row, Special, Widths};
use crate::ir::op::Op;

const T: Pat = Pat::T;
const E: Pat = Pat::E;
const OUT: Pat = Pat::Out(&T);
const INTN: Pat = Pat::N(Elem::Int);
const OUT_INT: Pat = Pat::Out(&INTN);
const TITLE: &str = "Math Functions";

/// A function of all floating-point types by one op.
const fn op(name: &'static str, params: &'static [Pat], op: Op) -> Row {
    Row::new(name, Elems::FLOATS, Widths::ANY, T, params, Body::Op(op)).elementwise().cite(TITLE)
}

/// A function with a scalar OpenCL C body for float and double; half goes through float.
const fn math(name: &'static str, params: &'static [Pat], body: Body) -> Row {
    gen_row(name, T, params, body)
}

const fn gen_row(name: &'static str, ret: Pat, params: &'static [Pat], body: Body) -> Row {
    Row::new(name, Elems::FLOATS, Widths::ANY, ret, params, body).elementwise().attr(Attrs::HALF_VIA_FLOAT).cite(TITLE)
}

/// A float-only form (`native_`, `half_`).
const fn fast(name: &'static str, params: &'static [Pat], body: Body) -> Row {
    Row::new(name, Elems::FLOAT, Widths::ANY, T, params, body).elementwise().cite(TITLE)
}

/// The form whose second operand is a scalar beside a vector.
const fn mixed(name: &'static str, params: &'static [Pat], o: Op) -> Row {
    Row::new(name, Elems::FLOATS, Widths::VEC, T, params, Body::Op(o)).elementwise().cite(TITLE)
}

/// Rows.
pub static ROWS: &[Row] = &[
    op("ceil", &[T], Op::Ceil),
    op("copysign", &[T, T], Op::Copysign),
    op("fabs", &[T], Op::Fabs),
    op("floor", &[T], Op::Floor),
    op("fma", &[T, T, T], Op::Fma),
    op("fmax", &[T, T], Op::Fmax),
    mixed("fmax", &[T, E], Op::Fmax),
    op("fmin", &[T, T], Op::Fmin),
    mixed("fmin", &[T, E], Op::Fmin),
    op("mad", &[T, T, T], Op::Fma),
    op("rint", &[T], Op::Rint),
    op("sqrt", &[T], Op::Sqrt),
    op("trunc", &[T], Op::Trunc),
    fast("native_sqrt", &[T], Body::Op(Op::Sqrt)),
    fast("half_sqrt", &[T], Body::Op(Op::Sqrt)),
];
