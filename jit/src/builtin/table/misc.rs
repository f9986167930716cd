//! Miscellaneous vector functions, printf, clocks, hints to the compiler, conversions of `bfloat16`.

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

/// From `float`.
const fn to_bfloat16(name: &'static str, width: Widths) -> Row {
    Row::new(name, Elems::FLOAT, width, Pat::N(Elem::UShort), &[T], Body::Special(Special::ToBfloat16))
        .pure()
        .feature("cl_intel_bfloat16_conversions")
        .cite("cl_intel_bfloat16_conversions")
}

/// To `float`.
const fn from_bfloat16(name: &'static str, width: Widths) -> Row {
    Row::new(name, Elems::USHORT, width, Pat::N(Elem::Float), &[T], Body::Special(Special::FromBfloat16))
        .pure()
        .feature("cl_intel_bfloat16_conversions")
        .cite("cl_intel_bfloat16_conversions")
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
    hint("__builtin_assume", Pat::Void, &[Pat::S(Elem::Int)], Special::Nothing),
    to_bfloat16("intel_convert_bfloat16_as_ushort", Widths::W1),
    to_bfloat16("intel_convert_bfloat162_as_ushort2", Widths::W2),
    to_bfloat16("intel_convert_bfloat163_as_ushort3", Widths::W3),
    to_bfloat16("intel_convert_bfloat164_as_ushort4", Widths::W4),
    to_bfloat16("intel_convert_bfloat168_as_ushort8", Widths::W8),
    to_bfloat16("intel_convert_bfloat1616_as_ushort16", Widths::W16),
    from_bfloat16("intel_convert_as_bfloat16_float", Widths::W1),
    from_bfloat16("intel_convert_as_bfloat162_float2", Widths::W2),
    from_bfloat16("intel_convert_as_bfloat163_float3", Widths::W3),
    from_bfloat16("intel_convert_as_bfloat164_float4", Widths::W4),
    from_bfloat16("intel_convert_as_bfloat168_float8", Widths::W8),
    from_bfloat16("intel_convert_as_bfloat1616_float16", Widths::W16),
];
