//! `clGetMemAllocInfoINTEL`. Spec: cl_intel_unified_shared_memory.

use super::{InfoWriter, Written, info_rows};
use crate::cl;
use crate::error::Result;
use clift_runtime::memory::usm::{Owner, UsmInfo};

/// What is known of an address; nothing if it lies in no allocation.
pub type Found = Option<UsmInfo>;

info_rows! {
    /// Every query of unified shared memory.
    ROWS: Found;
    CL_MEM_ALLOC_TYPE_INTEL => |a, w| w.put(&kind(a));
    CL_MEM_ALLOC_BASE_PTR_INTEL => |a, w| w.put(&a.as_ref().map_or(0, |a| a.start));
    CL_MEM_ALLOC_SIZE_INTEL => |a, w| w.put(&a.as_ref().map_or(0, |a| a.size));
    CL_MEM_ALLOC_DEVICE_INTEL => device;
    CL_MEM_ALLOC_FLAGS_INTEL => |a, w| w.put(&a.as_ref().map_or(0, |a| a.flags));
}

fn kind(found: &Found) -> cl::cl_uint {
    match found.as_ref().map(|a| &a.owner) {
        None => cl::CL_MEM_TYPE_UNKNOWN_INTEL,
        Some(Owner::Host) => cl::CL_MEM_TYPE_HOST_INTEL,
        Some(Owner::Device(_)) => cl::CL_MEM_TYPE_DEVICE_INTEL,
        Some(Owner::Shared(_)) => cl::CL_MEM_TYPE_SHARED_INTEL,
    }
}

fn device(found: &Found, writer: &mut InfoWriter) -> Result<Written> {
    match found.as_ref().map(|a| &a.owner) {
        Some(Owner::Device(device) | Owner::Shared(Some(device))) => writer.object(device),
        None | Some(Owner::Host | Owner::Shared(None)) => writer.null(),
    }
}
