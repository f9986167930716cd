//! Relational functions.

use super::cl;
use crate::builtin::{Body, Elem, Elems, Pat, Row, Special, Widths};
use crate::ir::op::FloatPred;

const T: Pat = Pat::T;
const TITLE: &str = "Relational Functions";

const fn compare(name: &'static str, predicate: FloatPred) -> Row {
    let body = Body::Special(Special::Relational(predicate));
    Row::new(name, Elems::FLOATS, Widths::ANY, Pat::Rel, &[T, T], body).elementwise().cite(TITLE)
}

/// Scalar form: 0 or 1.
const fn classify(name: &'static str) -> Row {
    class(name, Widths::W1, name)
}

/// Vector form: 0 or -1 in an integer of the component's size.
const fn classify_vec(name: &'static str, lane: &'static str) -> Row {
    class(name, Widths::VEC, lane)
}

const fn class(name: &'static str, widths: Widths, function: &'static str) -> Row {
    Row::new(name, Elems::FLOATS, widths, Pat::Rel, &[T], cl("relational/class.cl", function)).elementwise().cite(TITLE)
}

const fn reduce(name: &'static str, what: Special) -> Row {
    let ret = Pat::S(Elem::Int);
    Row::new(name, Elems::SINTS, Widths::ANY, ret, &[T], Body::Special(what)).pure().cite(TITLE)
}

const fn choose(name: &'static str, params: &'static [Pat], what: Special) -> Row {
    Row::new(name, Elems::ALL, Widths::ANY, T, params, Body::Special(what)).elementwise().cite(TITLE)
}

/// Rows.
pub static ROWS: &[Row] = &[
    compare("isequal", FloatPred::OEq),
    compare("isnotequal", FloatPred::UNe),
    compare("isgreater", FloatPred::OGt),
    compare("isgreaterequal", FloatPred::OGe),
    compare("isless", FloatPred::OLt),
    compare("islessequal", FloatPred::OLe),
    compare("islessgreater", FloatPred::ONe),
    compare("isordered", FloatPred::Ord),
    compare("isunordered", FloatPred::Uno),
    classify("isfinite"),
    classify_vec("isfinite", "isfinite_lane"),
    classify("isinf"),
    classify_vec("isinf", "isinf_lane"),
    classify("isnan"),
    classify_vec("isnan", "isnan_lane"),
    classify("isnormal"),
    classify_vec("isnormal", "isnormal_lane"),
    classify("signbit"),
    classify_vec("signbit", "signbit_lane"),
    reduce("any", Special::Any),
    reduce("all", Special::All),
    choose("bitselect", &[T, T, T], Special::Bitselect),
    choose("select", &[T, T, Pat::I], Special::Select),
    choose("select", &[T, T, Pat::U], Special::Select),
];
