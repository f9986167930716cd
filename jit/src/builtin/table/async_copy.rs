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

/// Copies of lines and planes: to where, from where, then sizes.
const fn lines(name: &'static str, params: &'static [Pat], planes: bool) -> Row {
    let body = Body::Special(Special::AsyncCopyLines { planes });
    Row::plain(name, EVENT, params, body)
        .attr(Attrs::CONVERGENT)
        .feature("cl_khr_extended_async_copies")
        .cite("Extended Async Copy Functions")
}

const VOID: Pat = Pat::Void;
const VOID_TO_LOCAL: Pat = Pat::Ptr(&VOID, Spaces::LOCAL, Quals::empty());
const VOID_FROM_LOCAL: Pat = Pat::Ptr(&VOID, Spaces::LOCAL, Quals::CONST);
const VOID_TO_GLOBAL: Pat = Pat::Ptr(&VOID, Spaces::GLOBAL, Quals::empty());
const VOID_FROM_GLOBAL: Pat = Pat::Ptr(&VOID, Spaces::GLOBAL, Quals::CONST);

/// Parameters of copies of lines.
const fn to_from_2d(to: Pat, from: Pat) -> [Pat; 10] {
    [to, SIZE, from, SIZE, SIZE, SIZE, SIZE, SIZE, SIZE, EVENT]
}

/// Parameters of copies of planes.
const fn to_from_3d(to: Pat, from: Pat) -> [Pat; 13] {
    [to, SIZE, from, SIZE, SIZE, SIZE, SIZE, SIZE, SIZE, SIZE, SIZE, SIZE, EVENT]
}

/// Rows.
pub static ROWS: &[Row] = &[
    copy("async_work_group_copy", &[TO_LOCAL, FROM_GLOBAL, SIZE, EVENT], Special::AsyncCopy),
    copy("async_work_group_copy", &[TO_GLOBAL, FROM_LOCAL, SIZE, EVENT], Special::AsyncCopy),
    copy("async_work_group_strided_copy", &[TO_LOCAL, FROM_GLOBAL, SIZE, SIZE, EVENT], Special::AsyncStridedCopy)
        .since(110),
    copy("async_work_group_strided_copy", &[TO_GLOBAL, FROM_LOCAL, SIZE, SIZE, EVENT], Special::AsyncStridedCopy)
        .since(110),
    lines("async_work_group_copy_2D2D", &const { to_from_2d(VOID_TO_LOCAL, VOID_FROM_GLOBAL) }, false),
    lines("async_work_group_copy_2D2D", &const { to_from_2d(VOID_TO_GLOBAL, VOID_FROM_LOCAL) }, false),
    lines("async_work_group_copy_3D3D", &const { to_from_3d(VOID_TO_LOCAL, VOID_FROM_GLOBAL) }, true),
    lines("async_work_group_copy_3D3D", &const { to_from_3d(VOID_TO_GLOBAL, VOID_FROM_LOCAL) }, true),
    Row::plain("async_work_group_copy_fence", Pat::Void, &[Pat::S(Elem::UInt)], Body::Special(Special::CopyFence))
        .attr(Attrs::CONVERGENT)
        .feature("cl_khr_async_work_group_copy_fence")
        .cite(TITLE),
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
    Row::new("prefetch", Elems::ALL, Widths::ANY, Pat::Void, &[FROM_GLOBAL, SIZE], Body::Special(Special::Nothing))
        .cite(TITLE),
];
