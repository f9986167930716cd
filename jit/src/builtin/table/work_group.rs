//! Work-group functions: collectives of OpenCL C, and those of `cl_khr_work_group_uniform_arithmetic`.

use crate::builtin::{Attrs, Body, Elem, Elems, Pat, Row, Special, Widths};
use crate::ir::{CollectiveOp, Op};

const T: Pat = Pat::T;
const INT: Pat = Pat::S(Elem::Int);
const SIZE: Pat = Pat::S(Elem::ULong);
const S: Elems = Elems::INT.union(Elems::LONG);
const U: Elems = Elems::UINT.union(Elems::ULONG);
const INTS: Elems = S.union(U);
const FLOATS: Elems = Elems::FLOATS;
const ALL: Elems = INTS.union(FLOATS);

const fn collective(
    name: &'static str,
    elems: Elems,
    params: &'static [Pat],
    op: Op,
    how: Option<CollectiveOp>,
) -> Row {
    core(Row::new(name, elems, Widths::W1, T, params, Body::Special(Special::Collective(op, how))))
}

const fn vote(name: &'static str, op: Op, how: Option<CollectiveOp>) -> Row {
    core(Row::plain(name, INT, &[INT], Body::Special(Special::Vote(op, how))))
}

const fn core(row: Row) -> Row {
    row.attr(Attrs::CONVERGENT)
        .since(200)
        .feature("__opencl_c_work_group_collective_functions")
        .cite("Work-group Collective Functions")
}

/// A row of the extension.
const fn more(row: Row) -> Row {
    row.feature("cl_khr_work_group_uniform_arithmetic").cite("Work-group Collective Uniform Arithmetic Functions")
}

/// Expands to the rows of one reduction or scan, one per operation and kind of type.
macro_rules! family {
    ($name:literal, $op:ident) => {
        [
            family!($name, "_add", INTS, $op, Add),
            family!($name, "_add", FLOATS, $op, Fadd),
            family!($name, "_min", S, $op, MinS),
            family!($name, "_min", U, $op, MinU),
            family!($name, "_min", FLOATS, $op, Fmin),
            family!($name, "_max", S, $op, MaxS),
            family!($name, "_max", U, $op, MaxU),
            family!($name, "_max", FLOATS, $op, Fmax),
            more(family!($name, "_mul", INTS, $op, Mul)),
            more(family!($name, "_mul", FLOATS, $op, Fmul)),
            more(family!($name, "_and", INTS, $op, And)),
            more(family!($name, "_or", INTS, $op, Or)),
            more(family!($name, "_xor", INTS, $op, Xor)),
            more(vote(concat!($name, "_logical_and"), Op::$op, Some(CollectiveOp::And))),
            more(vote(concat!($name, "_logical_or"), Op::$op, Some(CollectiveOp::Or))),
            more(vote(concat!($name, "_logical_xor"), Op::$op, Some(CollectiveOp::Xor))),
        ]
    };
    ($name:literal, $suffix:literal, $elems:ident, $op:ident, $how:ident) => {
        collective(concat!($name, $suffix), $elems, &[T], Op::$op, Some(CollectiveOp::$how))
    };
}

/// Votes and broadcasts. The coordinates of a broadcast are local ids.
pub static ROWS: &[Row] = &[
    vote("work_group_all", Op::WgAll, None),
    vote("work_group_any", Op::WgAny, None),
    collective("work_group_broadcast", ALL, &[T, SIZE], Op::WgBroadcast, None),
    collective("work_group_broadcast", ALL, &[T, SIZE, SIZE], Op::WgBroadcast, None),
    collective("work_group_broadcast", ALL, &[T, SIZE, SIZE, SIZE], Op::WgBroadcast, None),
];

/// `work_group_reduce_…`
pub static REDUCE: &[Row] = &family!("work_group_reduce", WgReduce);

/// `work_group_scan_inclusive_…`
pub static SCAN_INCLUSIVE: &[Row] = &family!("work_group_scan_inclusive", WgScanInc);

/// `work_group_scan_exclusive_…`
pub static SCAN_EXCLUSIVE: &[Row] = &family!("work_group_scan_exclusive", WgScanExc);
