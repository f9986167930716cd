//! Geometric functions. Bodies are written for each width; half goes through float.

use super::cl;
use crate::builtin::{Attrs, Body, Elems, Pat, Row, Widths};

const T: Pat = Pat::T;
const E: Pat = Pat::E;

const fn geo(name: &'static str, ret: Pat, params: &'static [Pat], body: Body) -> Row {
    Row::new(name, Elems::FLOATS, Widths::GEO, ret, params, body)
        .pure()
        .attr(Attrs::HALF_VIA_FLOAT)
        .cite("Geometric Functions")
}

const fn fast(name: &'static str, ret: Pat, params: &'static [Pat], body: Body) -> Row {
    Row::new(name, Elems::FLOAT, Widths::GEO, ret, params, body).pure().cite("Geometric Functions")
}

/// Rows.
pub static ROWS: &[Row] = &[
    Row::new("cross", Elems::FLOATS, Widths::W3.union(Widths::W4), T, &[T, T], cl("geometric/cross.cl", "cross"))
        .pure()
        .attr(Attrs::HALF_VIA_FLOAT)
        .cite("Geometric Functions"),
    geo("dot", E, &[T, T], cl("geometric/dot.cl", "dot")),
    geo("length", E, &[T], cl("geometric/length.cl", "length")),
    geo("distance", E, &[T, T], cl("geometric/length.cl", "distance")),
    geo("normalize", T, &[T], cl("geometric/normalize.cl", "normalize")),
    fast("fast_length", E, &[T], cl("geometric/fast.cl", "fast_length")),
    fast("fast_distance", E, &[T, T], cl("geometric/fast.cl", "fast_distance")),
    fast("fast_normalize", T, &[T], cl("geometric/fast.cl", "fast_normalize")),
];
