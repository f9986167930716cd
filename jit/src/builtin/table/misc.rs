//! Miscellaneous vector functions and printf.

use crate::builtin::sig::{Body, Elem, Elems, Pat, Row, Special, Widths};

const T: Pat = Pat::T;
const TITLE: &str = "Miscellaneous Vector Functions";

/// `T` is the source; the mask and the result have the row's own width.
const fn shuffle(ret: Pat, params: &'static [Pat]) -> Row {
    Row::new("shuffle", Elems::ALL, Widths::POW2, ret, params, Body::Special(Special::Shuffle))
        .pure()
        .cite(TITLE)
        .since(110)
}

const fn shuffle2(ret: Pat, params: &'static [Pat]) -> Row {
    Row::new("shuffle2", Elems::ALL, Widths::POW2, ret, params, Body::Special(Special::Shuffle2))
        .pure()
        .cite(TITLE)
        .since(110)
}

/// Rows.
pub static ROWS: &[Row] = &[
    shuffle(Pat::EVec(2), &[T, Pat::UVec(2)]),
    shuffle(Pat::EVec(4), &[T, Pat::UVec(4)]),
    shuffle(Pat::EVec(8), &[T, Pat::UVec(8)]),
    shuffle(Pat::EVec(16), &[T, Pat::UVec(16)]),
    shuffle2(Pat::EVec(2), &[T, T, Pat::UVec(2)]),
    shuffle2(Pat::EVec(4), &[T, T, Pat::UVec(4)]),
    shuffle2(Pat::EVec(8), &[T, T, Pat::UVec(8)]),
    shuffle2(Pat::EVec(16), &[T, T, Pat::UVec(16)]),
    Row::plain("printf", Pat::S(Elem::Int), &[Pat::Variadic], Body::Special(Special::Printf)).since(120).cite("printf"),
];
