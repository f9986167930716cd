//! Intrinsics: names that map one to one to KIR ops and that only builtin bodies may call. `as_<type>` and
//! `convert_<type>` work in bodies as in any program.

use crate::builtin::{Attrs, Body, Elems, Pat, Row, Widths};
use crate::ir::op::Op;

const T: Pat = Pat::T;

const fn op(name: &'static str, elems: Elems, params: &'static [Pat], op: Op) -> Row {
    Row::new(name, elems, Widths::ANY, T, params, Body::Op(op)).elementwise().attr(Attrs::INTRINSIC)
}

const SINTS: Elems = Elems::SINTS;
const UINTS: Elems = Elems::UINTS;
const INTS: Elems = Elems::INTS;
const FLOATS: Elems = Elems::FLOATS;

/// Rows.
pub static ROWS: &[Row] = &[
    op("__clift_fma", FLOATS, &[T, T, T], Op::Fma),
    op("__clift_sqrt", FLOATS, &[T], Op::Sqrt),
    op("__clift_rint", FLOATS, &[T], Op::Rint),
    op("__clift_floor", FLOATS, &[T], Op::Floor),
    op("__clift_ceil", FLOATS, &[T], Op::Ceil),
    op("__clift_trunc", FLOATS, &[T], Op::Trunc),
    op("__clift_fabs", FLOATS, &[T], Op::Fabs),
    op("__clift_copysign", FLOATS, &[T, T], Op::Copysign),
    op("__clift_fmin", FLOATS, &[T, T], Op::Fmin),
    op("__clift_fmax", FLOATS, &[T, T], Op::Fmax),
    op("__clift_clz", INTS, &[T], Op::Clz),
    op("__clift_ctz", INTS, &[T], Op::Ctz),
    op("__clift_popcount", INTS, &[T], Op::Popcnt),
    op("__clift_mulhi", SINTS, &[T, T], Op::MulHiS),
    op("__clift_mulhi", UINTS, &[T, T], Op::MulHiU),
    op("__clift_min", SINTS, &[T, T], Op::MinS),
    op("__clift_min", UINTS, &[T, T], Op::MinU),
    op("__clift_max", SINTS, &[T, T], Op::MaxS),
    op("__clift_max", UINTS, &[T, T], Op::MaxU),
    op("__clift_dot4_uu", Elems::UINT, &[T, T], Op::Dot4Uu),
    op("__clift_dot4_ss", Elems::INT, &[T, T], Op::Dot4Ss),
    op("__clift_dot4_us", Elems::INT, &[T, T], Op::Dot4Us),
    op("__clift_add_sat", SINTS, &[T, T], Op::AddSatS),
    op("__clift_add_sat", UINTS, &[T, T], Op::AddSatU),
];
