//! Async copies from global to local memory and back, and prefetch. A 3-vector counts as a 4-vector.

use crate::builtin::{Attrs, Body, Elem, Elems, Pat, Quals, Row, Spaces, Special, Widths};

const T: Pat = Pat::T;
const SIZE: Pat = Pat::S(Elem::ULong);
const EVENT: Pat = Pat::Event;
const TITLE: &str = "Async Copies from Global to Local Memory, Local to Global Memory, and Prefetch";
const TO_LOCAL: Pat = Pat::Ptr(&T, Spaces::LOCAL, Quals::empty());
const FROM_LOCAL: Pat = Pat::Ptr(&T, Spaces::LOCAL, Quals::CONST);
const TO_GLOBAL: Pat = Pat::Ptr(&T, Spaces::GLOBAL, Quals::empty());
const FROM_GLOBAL: Pat = Pat::Ptr(&T, Spaces::GLOBAL, Quals::CONST);

const fn copy(name: &'static str, params: &'static [Pat], what: Special) -> Row {
    let body = Body::Special(what);
    Row::new(name, Elems::ALL, Widths::ANY, EVENT, params, body).attr(Attrs::CONVERGENT).cite(TITLE)
}

/// Rows.
pub static ROWS: &[Row] = &[
    copy("async_work_group_copy", &[TO_LOCAL, FROM_GLOBAL, SIZE, EVENT], Special::AsyncCopy),
    copy("async_work_group_copy", &[TO_GLOBAL, FROM_LOCAL, SIZE, EVENT], Special::AsyncCopy),
    copy("async_work_group_strided_copy", &[TO_LOCAL, FROM_GLOBAL, SIZE, SIZE, EVENT], Special::AsyncStridedCopy)
        .since(110),
    copy("async_work_group_strided_copy", &[TO_GLOBAL, FROM_LOCAL, SIZE, SIZE, EVENT], Special::AsyncStridedCopy)
        .since(110),
    Row::plain(
        "wait_group_events",
        Pat::Void,
        &[
            Pat::S(Elem::Int),
            Pat::Ptr(&EVENT, Spaces::PRIVATE.union(Spaces::LOCAL).union(Spaces::GENERIC), Quals::empty()),
        ],
        Body::Special(Special::WaitGroupEvents),
    )
    .attr(Attrs::CONVERGENT)
    .cite(TITLE),
    Row::new("prefetch", Elems::ALL, Widths::ANY, Pat::Void, &[FROM_GLOBAL, SIZE], Body::Special(Special::Prefetch))
        .cite(TITLE),
];
