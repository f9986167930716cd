//! `clGetPipeInfo`. Spec: "Pipe Object Queries".

use super::info_rows;
use crate::error::{Result, Status, fail};
use clift_runtime::memory::buffer::Mem;
use clift_runtime::memory::pipe::Pipe;
use clift_runtime::object::Object;

/// The pipe that a memory object must be.
pub fn of(mem: &Object<Mem>) -> Result<&Pipe> {
    mem.pipe().map_or_else(|| fail(Status::InvalidMemObject, "pipe is not a valid pipe object"), Ok)
}

info_rows! {
    /// Every pipe query.
    ROWS: Object<Mem>;
    CL_PIPE_PACKET_SIZE => |p, w| w.put(&of(p)?.packet_bytes);
    CL_PIPE_MAX_PACKETS => |p, w| w.put(&of(p)?.max_packets);
    CL_PIPE_PROPERTIES => |p, w| of(p).and_then(|_| w.put::<[u64]>(&[]));
}
