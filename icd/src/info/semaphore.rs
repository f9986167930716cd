//! `clGetSemaphoreInfoKHR`. Spec: "Semaphore Queries".

use super::info_rows;
use crate::cl;
use clift_runtime::object::Object;
use clift_runtime::semaphore::{Handle, Semaphore};

info_rows! {
    /// Every semaphore query.
    ROWS: Object<Semaphore>;
    CL_SEMAPHORE_CONTEXT_KHR => |s, w| w.object(s.context());
    CL_SEMAPHORE_REFERENCE_COUNT_KHR => |s, w| w.put(&s.reference_count());
    CL_SEMAPHORE_PROPERTIES_KHR => |s, w| w.put(s.properties());
    CL_SEMAPHORE_TYPE_KHR => |_, w| w.put(&cl::CL_SEMAPHORE_TYPE_BINARY_KHR);
    CL_SEMAPHORE_PAYLOAD_KHR => |s, w| w.put(&s.payload());
    CL_SEMAPHORE_EXPORTABLE_KHR => |s, w| w.flag((s.handle() == Handle::Export).into());
    CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR => |s, w| match s.handle() {
        Handle::Export => w.put(&cl::CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR),
        Handle::None | Handle::Import(_) => w.empty(),
    };
    CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR => |s, w| {
        let handles: Vec<usize> = s.devices().iter().map(|d| d.handle_address()).collect();
        w.put(&handles[..])
    };
}
