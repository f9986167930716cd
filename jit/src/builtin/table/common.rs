//! Common functions (on floating-point types).

use super::cl;
use crate::builtin::{Attrs, Body, Elems, Pat, Row, Widths};
use crate::ir::op::Op;

const T: Pat = Pat::T;
const E: Pat = Pat::E;

const fn common(name: &'static str, params: &'static [Pat], body: Body) -> Row {
    row(name, Widths::ANY, params, body)
}

/// The forms with scalar edges beside vectors.
const fn mixed(name: &'static str, params: &'static [Pat], body: Body) -> Row {
    row(name, Widths::VEC, params, body)
}

const fn row(name: &'static str, widths: Widths, params: &'static [Pat], body: Body) -> Row {
    let row = Row::new(name, Elems::FLOATS, widths, T, params, body).elementwise().cite("Common Functions");
    match body {
        Body::Cl { .. } => row.attr(Attrs::HALF_VIA_FLOAT),
        Body::Op(_) | Body::Special(_) => row,
    }
}

/// Rows.
pub static ROWS: &[Row] = &[
    common("clamp", &[T, T, T], cl("common/clamp.cl", "clamp")),
    mixed("clamp", &[T, E, E], cl("common/clamp.cl", "clamp")),
    common("degrees", &[T], cl("common/angle.cl", "degrees")),
    common("radians", &[T], cl("common/angle.cl", "radians")),
    common("max", &[T, T], Body::Op(Op::Fmax)),
    mixed("max", &[T, E], Body::Op(Op::Fmax)),
    common("min", &[T, T], Body::Op(Op::Fmin)),
    mixed("min", &[T, E], Body::Op(Op::Fmin)),
    common("mix", &[T, T, T], cl("common/mix.cl", "mix")),
    mixed("mix", &[T, T, E], cl("common/mix.cl", "mix")),
    common("step", &[T, T], cl("common/step.cl", "step")),
    mixed("step", &[E, T], cl("common/step.cl", "step")),
    common("smoothstep", &[T, T, T], cl("common/step.cl", "smoothstep")),
    mixed("smoothstep", &[E, E, T], cl("common/step.cl", "smoothstep")),
    common("sign", &[T], cl("common/sign.cl", "sign")),
];
