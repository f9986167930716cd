//! `clGetContextInfo`. Spec: "Contexts".

use super::info_rows;
use clift_runtime::context::Context;
use clift_runtime::object::Object;

info_rows! {
    /// Every context query.
    ROWS: Object<Context>;
    CL_CONTEXT_REFERENCE_COUNT => |c, w| w.put(&c.reference_count());
    CL_CONTEXT_NUM_DEVICES => |c, w| w.put(&(c.devices().len() as u32));
    CL_CONTEXT_DEVICES => |c, w| w.put(&c.devices().iter().map(|d| d.handle_address()).collect::<Vec<usize>>()[..]);
    CL_CONTEXT_PROPERTIES => |c, w| w.put(c.properties());
}
