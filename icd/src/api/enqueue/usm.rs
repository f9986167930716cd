//! Commands on unified shared memory. Spec: cl_intel_unified_shared_memory.

#![allow(unsafe_code, reason = "C entry points")]
#![allow(non_snake_case, reason = "names of the C API, found by name only")]

use super::{blocking, fill_pattern, host_ptr};
use crate::{cl, ffi};
use clift_runtime::queue::Blocking;
use clift_runtime::queue::command::{Command, CommandType};
use std::ffi::c_void;

enqueuing! {
    /// Spec: "Filling and Copying Unified Shared Memory".
    fn clEnqueueMemFillINTEL(dst_ptr: *mut c_void, pattern: *const c_void, pattern_size: usize, size: usize)
    let unsafe (memory, pattern) = (host_ptr(dst_ptr)?, fill_pattern(pattern, pattern_size)?);
    |target| {
        target.enqueue(Command::memfill(CommandType::MemFillIntel, memory, pattern, size)?, Blocking::No)
    }

    /// Spec: "Filling and Copying Unified Shared Memory".
    fn clEnqueueMemcpyINTEL(
        blocking_copy: cl::cl_bool,
        dst_ptr: *mut c_void,
        src_ptr: *const c_void,
        size: usize
    )
    let unsafe [to, from] = [host_ptr(dst_ptr)?, host_ptr(src_ptr.cast_mut())?];
    |target| {
        // A copy only reads through its source.
        target.enqueue(Command::memcpy(CommandType::MemcpyIntel, to, from, size)?, blocking(blocking_copy))
    }

    /// A hint, for any range. Spec: "Unified Shared Memory Hints".
    fn clEnqueueMigrateMemINTEL(_ptr: *const c_void, _size: usize, flags: cl::cl_mem_migration_flags) |target| {
        target.enqueue(Command::usm_migrate(flags)?, Blocking::No)
    }

    /// A hint, for any range. Spec: "Unified Shared Memory Hints".
    fn clEnqueueMemAdviseINTEL(_ptr: *const c_void, _size: usize, advice: cl::cl_uint) |target| {
        target.enqueue(Command::usm_advise(advice)?, Blocking::No)
    }
}
