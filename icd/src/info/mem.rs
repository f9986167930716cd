//! `clGetMemObjectInfo`. Spec: "Memory Object Queries".

use super::{InfoWriter, Written, info_rows};
use crate::error::Result;
use clift_runtime::memory::buffer::Mem;
use clift_runtime::object::Object;

info_rows! {
    /// Every memory object query.
    ROWS: Object<Mem>;
    CL_MEM_TYPE => |m, w| w.put(&(m.mem_type() as u32));
    CL_MEM_FLAGS => |m, w| w.put(&m.flags().bits());
    CL_MEM_SIZE => |m, w| w.put(&m.size());
    CL_MEM_HOST_PTR => |m, w| w.put(&m.host_address());
    CL_MEM_MAP_COUNT => |m, w| w.put(&m.map_count());
    CL_MEM_REFERENCE_COUNT => |m, w| w.put(&m.reference_count());
    CL_MEM_CONTEXT => |m, w| w.object(m.context());
    CL_MEM_ASSOCIATED_MEMOBJECT => parent;
    CL_MEM_OFFSET => |m, w| w.put(&m.offset());
    CL_MEM_USES_SVM_POINTER => |m, w| w.flag(m.uses_svm_pointer().into());
    CL_MEM_PROPERTIES => |m, w| w.put(m.properties());
    CL_MEM_DEVICE_ADDRESS_EXT => |m, w| w.put(&m.device_addresses()?[..]);
}

fn parent(mem: &Object<Mem>, writer: &mut InfoWriter) -> Result<Written> {
    match mem.parent() {
        Some(parent) => writer.object(parent),
        None => writer.null(),
    }
}
