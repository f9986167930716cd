//! `clGetCommandQueueInfo`. Spec: "Command-Queues".

use super::info_rows;
use crate::error::{Status, fail};
use clift_runtime::object::Object;
use clift_runtime::queue::Queue;

info_rows! {
    /// Every queue query.
    ROWS: Object<Queue>;
    CL_QUEUE_CONTEXT => |q, w| w.object(q.context());
    CL_QUEUE_DEVICE => |q, w| w.object(q.device());
    CL_QUEUE_REFERENCE_COUNT => |q, w| w.put(&q.reference_count());
    CL_QUEUE_PROPERTIES => |q, w| w.put(&q.flags().bits());
    CL_QUEUE_PROPERTIES_ARRAY => |q, w| w.put(q.properties());
    CL_QUEUE_SIZE => |q, w| match q.on_device() {
        Some(on_device) => w.put(&on_device.size),
        None => fail(Status::InvalidCommandQueue, "command_queue is not a valid command-queue for param_name"),
    };
    CL_QUEUE_DEVICE_DEFAULT => |q, w| match q.context().device_queues().default(q.device()) {
        Some(queue) => w.object(&queue),
        None => w.null(),
    };
}
