//! `clGetCommandBufferInfoKHR` and `clGetMutableCommandInfoKHR`. Spec: "Command-Buffer Queries".

use super::{InfoWriter, Written, info_rows};
use crate::cl;
use crate::error::Result;
use clift_runtime::command_buffer::CommandBuffer;
use clift_runtime::command_buffer::dispatch::Dispatch;
use clift_runtime::object::Object;

info_rows! {
    /// Every command-buffer query.
    ROWS: Object<CommandBuffer>;
    CL_COMMAND_BUFFER_NUM_QUEUES_KHR => |b, w| w.put(&(b.queues().len() as cl::cl_uint));
    CL_COMMAND_BUFFER_QUEUES_KHR => queues;
    CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR => |b, w| w.put(&b.reference_count());
    CL_COMMAND_BUFFER_STATE_KHR => |b, w| w.put(&(b.state() as cl::cl_uint));
    CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR => |b, w| w.put(b.properties());
    CL_COMMAND_BUFFER_CONTEXT_KHR => |b, w| w.object(b.context());
}

info_rows! {
    /// Every query of a recorded kernel.
    COMMAND_ROWS: Object<Dispatch>;
    CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR => queue;
    CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR => buffer;
    CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR => |_, w| w.put(&cl::CL_COMMAND_NDRANGE_KERNEL);
    CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR => |d, w| w.put(d.properties());
    CL_MUTABLE_DISPATCH_KERNEL_KHR => |d, w| w.object(d.kernel());
    CL_MUTABLE_DISPATCH_DIMENSIONS_KHR => |d, w| w.put(&d.sizes().dims);
    CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR => |d, w| sizes(d, Some(d.sizes().offset), w);
    CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR => |d, w| sizes(d, d.sizes().global, w);
    CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR => |d, w| sizes(d, d.sizes().local, w);
}

fn queues(buffer: &Object<CommandBuffer>, writer: &mut InfoWriter) -> Result<Written> {
    let handles: Vec<usize> = buffer.queues().iter().map(|queue| queue.handle_address()).collect();
    writer.put(&handles[..])
}

fn queue(dispatch: &Object<Dispatch>, writer: &mut InfoWriter) -> Result<Written> {
    match dispatch.queue() {
        Some(queue) => writer.object(&queue),
        None => writer.null(),
    }
}

fn buffer(dispatch: &Object<Dispatch>, writer: &mut InfoWriter) -> Result<Written> {
    match dispatch.buffer() {
        Some(buffer) => writer.object(&buffer),
        None => writer.null(),
    }
}

/// One value for each dimension; zeros if they were not set.
fn sizes(dispatch: &Dispatch, sizes: Option<[usize; 3]>, writer: &mut InfoWriter) -> Result<Written> {
    writer.put(&sizes.unwrap_or_default()[..dispatch.sizes().dims as usize])
}
