//! Miscellaneous vector functions, printf, clocks, hints to the compiler.

use crate::builtin::{Body, Elem, Elems, Pat, Row, Special, Widths};

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

/// All clocks are one: it runs alike for the device, and so for each work-group.
const fn clock(name: &'static str, ret: Pat) -> Row {
    Row::plain(name, ret, &[], Body::Special(Special::Clock))
        .feature("cl_khr_kernel_clock")
        .cite("Kernel Clock Functions")
}

const ULONG: Pat = Pat::S(Elem::ULong);
const UINT2: Pat = Pat::V(Elem::UInt, 2);
const LONG: Pat = Pat::S(Elem::Long);

const fn hint(name: &'static str, ret: Pat, params: &'static [Pat], what: Special) -> Row {
    Row::plain(name, ret, params, Body::Special(what)).feature("cl_khr_expect_assume").cite("cl_khr_expect_assume")
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
    clock("clock_read_device", ULONG),
    clock("clock_read_work_group", ULONG),
    clock("clock_read_hilo_device", UINT2),
    clock("clock_read_hilo_work_group", UINT2),
    // The value, and that it is expected to be the second argument; that a condition holds.
    hint("__builtin_expect", LONG, &[LONG, LONG], Special::Identity),
    hint("__builtin_assume", Pat::Void, &[Pat::S(Elem::Int)], Special::Prefetch),
];
