//! Work-item functions.

use crate::builtin::{Body, Elem, Pat, Row, Special};
use crate::ir::op::Op;

const UINT: Pat = Pat::S(Elem::UInt);
const SIZE: Pat = Pat::S(Elem::ULong);

const fn query(name: &'static str, op: Op) -> Row {
    row(name, SIZE, &[UINT], Body::Special(Special::WorkItem(op)))
}

const fn row(name: &'static str, ret: Pat, params: &'static [Pat], body: Body) -> Row {
    Row::plain(name, ret, params, body).pure().cite("Work-Item Functions")
}

/// Rows.
pub static ROWS: &[Row] = &[
    row("get_work_dim", UINT, &[], Body::Op(Op::WorkDim)),
    query("get_global_size", Op::Gsz),
    query("get_global_id", Op::Gid),
    query("get_local_size", Op::Lsz),
    query("get_enqueued_local_size", Op::Elsz).since(200),
    query("get_local_id", Op::Lid),
    query("get_num_groups", Op::Ngrp),
    query("get_group_id", Op::Grp),
    query("get_global_offset", Op::Goff).since(110),
    row("get_global_linear_id", SIZE, &[], Body::Special(Special::GlobalLinearId)).since(200),
    row("get_local_linear_id", SIZE, &[], Body::Special(Special::LocalLinearId)).since(200),
];
