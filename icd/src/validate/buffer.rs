//! Buffer creation, as far as C's shapes go: flags, sizes and host pointers are the runtime's
//! (`clift_runtime::memory::buffer`).

use crate::cl;
use crate::error::{Result, Status, ensure, fail};
use std::ffi::c_void;

/// No property of `clCreateBufferWithProperties` exists without an extension.
pub fn properties(pairs: &[(u64, u64)]) -> Result {
    if pairs.is_empty() {
        return Ok(());
    }
    fail(Status::InvalidProperty, "a property name in properties is not a supported property name")
}

/// Spec: `clCreateSubBuffer`.
pub fn create_info(create_type: cl::cl_buffer_create_type, info: *const c_void) -> Result {
    ensure!(!info.is_null(), InvalidValue, "buffer_create_info is NULL");
    ensure!(
        create_type == cl::CL_BUFFER_CREATE_TYPE_REGION,
        InvalidValue,
        "the value specified in buffer_create_type is not valid"
    );
    Ok(())
}
