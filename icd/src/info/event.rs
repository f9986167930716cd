//! `clGetEventInfo` and `clGetEventProfilingInfo`. Spec: "Event Objects", "Profiling Operations on Memory Objects and
//! Kernels".

use super::{InfoWriter, Written, info_rows};
use crate::error::Result;
use clift_runtime::event::{Event, Stamp};
use clift_runtime::object::Object;

info_rows! {
    /// Every event query.
    ROWS: Object<Event>;
    CL_EVENT_COMMAND_QUEUE => queue;
    CL_EVENT_CONTEXT => |e, w| w.object(e.context());
    CL_EVENT_COMMAND_TYPE => |e, w| w.put(&(e.command_type() as u32));
    CL_EVENT_COMMAND_EXECUTION_STATUS => |e, w| w.put(&e.execution_status());
    CL_EVENT_REFERENCE_COUNT => |e, w| w.put(&e.reference_count());
}

info_rows! {
    /// Every profiling query.
    PROFILING_ROWS: Object<Event>;
    CL_PROFILING_COMMAND_QUEUED => |e, w| w.put(&e.profiling_ns(Stamp::Queued)?);
    CL_PROFILING_COMMAND_SUBMIT => |e, w| w.put(&e.profiling_ns(Stamp::Submit)?);
    CL_PROFILING_COMMAND_START => |e, w| w.put(&e.profiling_ns(Stamp::Start)?);
    CL_PROFILING_COMMAND_END => |e, w| w.put(&e.profiling_ns(Stamp::End)?);
    CL_PROFILING_COMMAND_COMPLETE => |e, w| w.put(&e.profiling_ns(Stamp::Complete)?);
}

fn queue(event: &Object<Event>, writer: &mut InfoWriter) -> Result<Written> {
    match event.only_queue() {
        Some(queue) => writer.object(queue),
        None => writer.null(),
    }
}
