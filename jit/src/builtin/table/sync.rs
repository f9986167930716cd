//! Synchronisation and explicit fences.

use crate::builtin::{Attrs, Body, Elem, Pat, Row, Special};

const FLAGS: Pat = Pat::S(Elem::UInt);
/// `memory_scope` and `memory_order` are enumerations; their enumerators convert to `int`.
const ENUM: Pat = Pat::S(Elem::Int);
const BARRIERS: &str = "Synchronization Functions";
const FENCES: &str = "Explicit Memory Fence Functions";

const fn barrier(name: &'static str, params: &'static [Pat]) -> Row {
    Row::plain(name, Pat::Void, params, Body::Special(Special::Barrier)).attr(Attrs::CONVERGENT).cite(BARRIERS)
}

const fn fence(name: &'static str) -> Row {
    Row::plain(name, Pat::Void, &[FLAGS], Body::Special(Special::Fence)).cite(FENCES)
}

const fn split(name: &'static str, params: &'static [Pat], what: Special) -> Row {
    let row = Row::plain(name, Pat::Void, params, Body::Special(what)).attr(Attrs::CONVERGENT);
    row.feature("cl_intel_split_work_group_barrier").cite("cl_intel_split_work_group_barrier")
}

const fn among_groups(name: &'static str, ret: Pat, params: &'static [Pat], what: Special) -> Row {
    let row = Row::plain(name, ret, params, Body::Special(what));
    row.feature("cl_intel_concurrent_dispatch").cite("cl_intel_concurrent_dispatch")
}

const fn device_barrier(params: &'static [Pat]) -> Row {
    among_groups("intel_device_barrier", Pat::Void, params, Special::DeviceBarrier).attr(Attrs::CONVERGENT)
}

/// Rows.
pub static ROWS: &[Row] = &[
    barrier("barrier", &[FLAGS]),
    barrier("work_group_barrier", &[FLAGS]).since(200),
    barrier("work_group_barrier", &[FLAGS, ENUM]).since(200),
    // To arrive is to release; the whole barrier is where work-items wait.
    split("intel_work_group_barrier_arrive", &[FLAGS], Special::Arrive),
    split("intel_work_group_barrier_arrive", &[FLAGS, ENUM], Special::Arrive).since(200),
    split("intel_work_group_barrier_wait", &[FLAGS], Special::Barrier),
    split("intel_work_group_barrier_wait", &[FLAGS, ENUM], Special::Barrier).since(200),
    device_barrier(&[FLAGS]),
    device_barrier(&[FLAGS, ENUM]).since(200),
    among_groups("intel_is_device_barrier_valid", Pat::S(Elem::Int), &[], Special::IsDeviceBarrierValid),
    fence("mem_fence"),
    fence("read_mem_fence"),
    fence("write_mem_fence"),
    Row::plain("atomic_work_item_fence", Pat::Void, &[FLAGS, ENUM, ENUM], Body::Special(Special::Fence))
        .since(200)
        .cite("Atomic Functions"),
];
