//! Work-group functions.

use crate::builtin::sig::{Attrs, Body, Elem, Elems, Pat, Row, Special, Widths};
use crate::ir::{CollectiveOp, Op};

const T: Pat = Pat::T;
const INT: Pat = Pat::S(Elem::Int);
const SIZE: Pat = Pat::S(Elem::ULong);
const S: Elems = Elems::INT.union(Elems::LONG);
const U: Elems = Elems::UINT.union(Elems::ULONG);
const ADD: Elems = S.union(U);
const ALL: Elems = ADD.union(Elems::FLOATS);

const fn vote(name: &'static str, op: Op) -> Row {
    attrs(Row::plain(name, INT, &[INT], Body::Special(Special::Collective(op, None))))
}

const fn generic(name: &'static str, elems: Elems, params: &'static [Pat], op: Op, how: Option<CollectiveOp>) -> Row {
    attrs(Row::new(name, elems, Widths::W1, T, params, Body::Special(Special::Collective(op, how))))
}

const fn attrs(row: Row) -> Row {
    row.attr(Attrs::CONVERGENT)
        .since(200)
        .feature("__opencl_c_work_group_collective_functions")
        .cite("Work-group Collective Functions")
}

/// Expands to the rows of one reduction or scan: `add`, `min`, `max` over every type.
macro_rules! family {
    ($name:literal, $op:ident) => {
        [
            generic(concat!($name, "_add"), ADD, &[T], Op::$op, Some(CollectiveOp::Add)),
            generic(concat!($name, "_add"), Elems::FLOATS, &[T], Op::$op, Some(CollectiveOp::Fadd)),
            generic(concat!($name, "_min"), S, &[T], Op::$op, Some(CollectiveOp::MinS)),
            generic(concat!($name, "_min"), U, &[T], Op::$op, Some(CollectiveOp::MinU)),
            generic(concat!($name, "_min"), Elems::FLOATS, &[T], Op::$op, Some(CollectiveOp::Fmin)),
            generic(concat!($name, "_max"), S, &[T], Op::$op, Some(CollectiveOp::MaxS)),
            generic(concat!($name, "_max"), U, &[T], Op::$op, Some(CollectiveOp::MaxU)),
            generic(concat!($name, "_max"), Elems::FLOATS, &[T], Op::$op, Some(CollectiveOp::Fmax)),
        ]
    };
}

/// Votes and broadcasts. The coordinates of a broadcast are local ids.
pub static ROWS: &[Row] = &[
    vote("work_group_all", Op::WgAll),
    vote("work_group_any", Op::WgAny),
    generic("work_group_broadcast", ALL, &[T, SIZE], Op::WgBroadcast, None),
    generic("work_group_broadcast", ALL, &[T, SIZE, SIZE], Op::WgBroadcast, None),
    generic("work_group_broadcast", ALL, &[T, SIZE, SIZE, SIZE], Op::WgBroadcast, None),
];

/// `work_group_reduce_…`
pub static REDUCE: &[Row] = &family!("work_group_reduce", WgReduce);

/// `work_group_scan_inclusive_…`
pub static SCAN_INCLUSIVE: &[Row] = &family!("work_group_scan_inclusive", WgScanInc);

/// `work_group_scan_exclusive_…`
pub static SCAN_EXCLUSIVE: &[Row] = &family!("work_group_scan_exclusive", WgScanExc);
