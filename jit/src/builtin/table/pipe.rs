//! Pipes: reading, writing, reservations of work-items, work-groups and sub-groups, queries. What a pointer leads to
//! must have the type of the pipe's packets, which `sema` checks.

use crate::builtin::{Accesses, Attrs, Body, Elem, Pat, PipeBy, PipeEnd, PipeFn, Quals, Row, Spaces, Special};

const INT: Pat = Pat::S(Elem::Int);
const UINT: Pat = Pat::S(Elem::UInt);
const IN: Pat = Pat::Pipe(Accesses::READ);
const OUT: Pat = Pat::Pipe(Accesses::WRITE);
const ANY: Pat = Pat::Pipe(Accesses::READ.union(Accesses::WRITE));
const ID: Pat = Pat::ReserveId;
const TO: Pat = Pat::Ptr(&Pat::Void, Spaces::WRITABLE, Quals::empty());
const FROM: Pat = Pat::Ptr(&Pat::Void, Spaces::WRITABLE, Quals::CONST);

const fn pipe(name: &'static str, ret: Pat, params: &'static [Pat], what: PipeFn) -> Row {
    Row::plain(name, ret, params, Body::Special(Special::Pipe(what)))
        .since(200)
        .feature("__opencl_c_pipes")
        .cite("Pipe Functions")
}

const fn reserve(name: &'static str, params: &'static [Pat], end: PipeEnd, by: PipeBy) -> Row {
    by_group(pipe(name, ID, params, PipeFn::Reserve(end, by)), by)
}

const fn commit(name: &'static str, params: &'static [Pat], end: PipeEnd, by: PipeBy) -> Row {
    by_group(pipe(name, Pat::Void, params, PipeFn::Commit(end, by)), by)
}

const fn by_group(row: Row, by: PipeBy) -> Row {
    match by {
        PipeBy::Item => row,
        PipeBy::WorkGroup | PipeBy::SubGroup => row.attr(Attrs::CONVERGENT),
    }
}

/// Rows.
pub static ROWS: &[Row] = &[
    pipe("read_pipe", INT, &[IN, TO], PipeFn::Move(PipeEnd::Read)),
    pipe("write_pipe", INT, &[OUT, FROM], PipeFn::Move(PipeEnd::Write)),
    pipe("read_pipe", INT, &[IN, ID, UINT, TO], PipeFn::MoveReserved(PipeEnd::Read)),
    pipe("write_pipe", INT, &[OUT, ID, UINT, FROM], PipeFn::MoveReserved(PipeEnd::Write)),
    reserve("reserve_read_pipe", &[IN, UINT], PipeEnd::Read, PipeBy::Item),
    reserve("reserve_write_pipe", &[OUT, UINT], PipeEnd::Write, PipeBy::Item),
    commit("commit_read_pipe", &[IN, ID], PipeEnd::Read, PipeBy::Item),
    commit("commit_write_pipe", &[OUT, ID], PipeEnd::Write, PipeBy::Item),
    reserve("work_group_reserve_read_pipe", &[IN, UINT], PipeEnd::Read, PipeBy::WorkGroup),
    reserve("work_group_reserve_write_pipe", &[OUT, UINT], PipeEnd::Write, PipeBy::WorkGroup),
    commit("work_group_commit_read_pipe", &[IN, ID], PipeEnd::Read, PipeBy::WorkGroup),
    commit("work_group_commit_write_pipe", &[OUT, ID], PipeEnd::Write, PipeBy::WorkGroup),
    reserve("sub_group_reserve_read_pipe", &[IN, UINT], PipeEnd::Read, PipeBy::SubGroup),
    reserve("sub_group_reserve_write_pipe", &[OUT, UINT], PipeEnd::Write, PipeBy::SubGroup),
    commit("sub_group_commit_read_pipe", &[IN, ID], PipeEnd::Read, PipeBy::SubGroup),
    commit("sub_group_commit_write_pipe", &[OUT, ID], PipeEnd::Write, PipeBy::SubGroup),
    pipe("is_valid_reserve_id", INT, &[ID], PipeFn::IsValid),
    pipe("get_pipe_num_packets", UINT, &[ANY], PipeFn::NumPackets),
    pipe("get_pipe_max_packets", UINT, &[ANY], PipeFn::MaxPackets),
];
