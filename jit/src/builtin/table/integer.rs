//! Integer functions.

use super::cl;
use crate::builtin::{Body, Elem, Elems, Pat, Row, Special, Widths};
use crate::ir::op::Op;

const T: Pat = Pat::T;
const E: Pat = Pat::E;
const TITLE: &str = "Integer Functions";

const fn int(name: &'static str, elems: Elems, ret: Pat, params: &'static [Pat], body: Body) -> Row {
    Row::new(name, elems, Widths::ANY, ret, params, body).elementwise().cite(TITLE)
}

/// The forms with a scalar second and third operand.
const fn mixed(name: &'static str, elems: Elems, params: &'static [Pat], body: Body) -> Row {
    Row::new(name, elems, Widths::VEC, T, params, body).elementwise().cite(TITLE).since(110)
}

const fn op(op: Op) -> Body {
    Body::Op(op)
}

const SINTS: Elems = Elems::SINTS;
const UINTS: Elems = Elems::UINTS;
const INTS: Elems = Elems::INTS;
const WORD: Elems = Elems::INT.union(Elems::UINT);

/// Rows.
pub static ROWS: &[Row] = &[
    int("abs", SINTS, Pat::U, &[T], op(Op::AbsS)),
    int("abs", UINTS, Pat::U, &[T], Body::Special(Special::Identity)),
    int("abs_diff", INTS, Pat::U, &[T, T], cl("integer/abs_diff.cl", "abs_diff")),
    int("add_sat", SINTS, T, &[T, T], op(Op::AddSatS)),
    int("add_sat", UINTS, T, &[T, T], op(Op::AddSatU)),
    int("sub_sat", SINTS, T, &[T, T], op(Op::SubSatS)),
    int("sub_sat", UINTS, T, &[T, T], op(Op::SubSatU)),
    int("hadd", SINTS, T, &[T, T], op(Op::HaddS)),
    int("hadd", UINTS, T, &[T, T], op(Op::HaddU)),
    int("rhadd", SINTS, T, &[T, T], op(Op::RhaddS)),
    int("rhadd", UINTS, T, &[T, T], op(Op::RhaddU)),
    int("clamp", INTS, T, &[T, T, T], cl("integer/clamp.cl", "clamp")).since(110),
    mixed("clamp", INTS, &[T, E, E], cl("integer/clamp.cl", "clamp")),
    int("clz", INTS, T, &[T], op(Op::Clz)),
    int("ctz", INTS, T, &[T], op(Op::Ctz)).since(200),
    int("popcount", INTS, T, &[T], op(Op::Popcnt)).since(120),
    int("max", SINTS, T, &[T, T], op(Op::MaxS)),
    int("max", UINTS, T, &[T, T], op(Op::MaxU)),
    mixed("max", SINTS, &[T, E], op(Op::MaxS)),
    mixed("max", UINTS, &[T, E], op(Op::MaxU)),
    int("min", SINTS, T, &[T, T], op(Op::MinS)),
    int("min", UINTS, T, &[T, T], op(Op::MinU)),
    mixed("min", SINTS, &[T, E], op(Op::MinS)),
    mixed("min", UINTS, &[T, E], op(Op::MinU)),
    int("mul_hi", SINTS, T, &[T, T], op(Op::MulHiS)),
    int("mul_hi", UINTS, T, &[T, T], op(Op::MulHiU)),
    int("mad_hi", INTS, T, &[T, T, T], cl("integer/mad_hi.cl", "mad_hi")),
    int("mad_sat", INTS, T, &[T, T, T], cl("integer/mad_sat.cl", "mad_sat")),
    int("rotate", INTS, T, &[T, T], op(Op::Rotl)),
    // The second operand, the low half, is unsigned whatever the first is.
    Row::new("upsample", EXCEPT_LONG, Widths::ANY, Pat::Wide, &[T, Pat::U], cl("integer/upsample.cl", "upsample"))
        .elementwise()
        .cite(TITLE),
    int("mad24", WORD, T, &[T, T, T], Body::Special(Special::Mul24)),
    int("mul24", WORD, T, &[T, T], Body::Special(Special::Mul24)),
    // OpenCL C 3.0, extended bit operations.
    int("bitfield_insert", INTS, T, &[T, T, UINT, UINT], cl("integer/bitfield.cl", "bitfield_insert")).feature(BITS),
    int(
        "bitfield_extract_signed",
        INTS,
        Pat::I,
        &[T, UINT, UINT],
        cl("integer/bitfield.cl", "bitfield_extract_signed"),
    )
    .feature(BITS),
    int(
        "bitfield_extract_unsigned",
        INTS,
        Pat::U,
        &[T, UINT, UINT],
        cl("integer/bitfield.cl", "bitfield_extract_unsigned"),
    )
    .feature(BITS),
    int("bit_reverse", INTS, T, &[T], op(Op::Bitrev)).feature(BITS),
    // Integer dot product.
    dot("dot", UINT, &[UCHAR4, UCHAR4]),
    dot("dot", SINT, &[CHAR4, CHAR4]),
    dot("dot", SINT, &[UCHAR4, CHAR4]),
    dot("dot", SINT, &[CHAR4, UCHAR4]),
    dot("dot_acc_sat", UINT, &[UCHAR4, UCHAR4, UINT]),
    dot("dot_acc_sat", SINT, &[CHAR4, CHAR4, SINT]),
    dot("dot_acc_sat", SINT, &[UCHAR4, CHAR4, SINT]),
    dot("dot_acc_sat", SINT, &[CHAR4, UCHAR4, SINT]),
    packed("dot_4x8packed_uu_uint", UINT, &[UINT, UINT]),
    packed("dot_4x8packed_ss_int", SINT, &[UINT, UINT]),
    packed("dot_4x8packed_us_int", SINT, &[UINT, UINT]),
    packed("dot_4x8packed_su_int", SINT, &[UINT, UINT]),
    packed("dot_acc_sat_4x8packed_uu_uint", UINT, &[UINT, UINT, UINT]),
    packed("dot_acc_sat_4x8packed_ss_int", SINT, &[UINT, UINT, SINT]),
    packed("dot_acc_sat_4x8packed_us_int", SINT, &[UINT, UINT, SINT]),
    packed("dot_acc_sat_4x8packed_su_int", SINT, &[UINT, UINT, SINT]),
];

const SINT: Pat = Pat::S(Elem::Int);
const CHAR4: Pat = Pat::V(Elem::Char, 4);
const UCHAR4: Pat = Pat::V(Elem::UChar, 4);

const fn dot(name: &'static str, ret: Pat, params: &'static [Pat]) -> Row {
    Row::plain(name, ret, params, cl("integer/dot.cl", name))
        .pure()
        .cite(TITLE)
        .feature("__opencl_c_integer_dot_product_input_4x8bit")
}

const fn packed(name: &'static str, ret: Pat, params: &'static [Pat]) -> Row {
    dot(name, ret, params).feature("__opencl_c_integer_dot_product_input_4x8bit_packed")
}

const EXCEPT_LONG: Elems = INTS.difference(Elems::LONG.union(Elems::ULONG));
const UINT: Pat = Pat::S(Elem::UInt);
const BITS: &str = "cl_khr_extended_bit_ops";
