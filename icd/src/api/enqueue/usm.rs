//! Commands on unified shared memory. Spec: cl_intel_unified_shared_memory.

#![allow(unsafe_code, reason = "C entry points")]

use super::{Call, blocking, host_ptr};
use crate::error::{Status, fail};
use crate::{cl, ffi};
use clift_runtime::queue::Blocking;
use clift_runtime::queue::command::{Command, CommandType};
use std::ffi::c_void;

/// `clEnqueueMemFillINTEL`. Spec: "Filling and Copying Unified Shared Memory".
///
/// # Safety
/// Pointers are null or as the specification says.
pub unsafe extern "C" fn enqueue_mem_fill(
    command_queue: cl::cl_command_queue,
    dst_ptr: *mut c_void,
    pattern: *const c_void,
    pattern_size: usize,
    size: usize,
    num_events_in_wait_list: cl::cl_uint,
    event_wait_list: *const cl::cl_event,
    event: *mut cl::cl_event,
) -> cl::cl_int {
    let call = Call { queue: command_queue, n_waits: num_events_in_wait_list, waits: event_wait_list, event };
    // SAFETY: the caller's promise.
    ffi::call("clEnqueueMemFillINTEL", || unsafe {
        let target = call.target()?;
        let memory = host_ptr(dst_ptr)?;
        let Some(pattern) = ffi::slice(pattern.cast::<u8>(), pattern_size) else {
            return fail(Status::InvalidValue, "pattern is NULL");
        };
        target.enqueue(Command::memfill(CommandType::MemFillIntel, memory, pattern, size)?, Blocking::No)
    })
}

/// `clEnqueueMemcpyINTEL`. Spec: "Filling and Copying Unified Shared Memory".
///
/// # Safety
/// Pointers are null or as the specification says.
pub unsafe extern "C" fn enqueue_memcpy(
    command_queue: cl::cl_command_queue,
    blocking_copy: cl::cl_bool,
    dst_ptr: *mut c_void,
    src_ptr: *const c_void,
    size: usize,
    num_events_in_wait_list: cl::cl_uint,
    event_wait_list: *const cl::cl_event,
    event: *mut cl::cl_event,
) -> cl::cl_int {
    let call = Call { queue: command_queue, n_waits: num_events_in_wait_list, waits: event_wait_list, event };
    // SAFETY: the caller's promise; a copy only reads through its source.
    ffi::call("clEnqueueMemcpyINTEL", || unsafe {
        let target = call.target()?;
        let (to, from) = (host_ptr(dst_ptr)?, host_ptr(src_ptr.cast_mut())?);
        target.enqueue(Command::memcpy(CommandType::MemcpyIntel, to, from, size)?, blocking(blocking_copy))
    })
}

/// `clEnqueueMigrateMemINTEL`: a hint, for any range. Spec: "Unified Shared Memory Hints".
///
/// # Safety
/// Pointers are null or as the specification says; `ptr` may be any address.
pub unsafe extern "C" fn enqueue_migrate_mem(
    command_queue: cl::cl_command_queue,
    _ptr: *const c_void,
    _size: usize,
    flags: cl::cl_mem_migration_flags,
    num_events_in_wait_list: cl::cl_uint,
    event_wait_list: *const cl::cl_event,
    event: *mut cl::cl_event,
) -> cl::cl_int {
    let call = Call { queue: command_queue, n_waits: num_events_in_wait_list, waits: event_wait_list, event };
    // SAFETY: the caller's promise.
    ffi::call("clEnqueueMigrateMemINTEL", || unsafe {
        call.target()?.enqueue(Command::usm_migrate(flags)?, Blocking::No)
    })
}

/// `clEnqueueMemAdviseINTEL`: a hint, for any range. Spec: "Unified Shared Memory Hints".
///
/// # Safety
/// Pointers are null or as the specification says; `ptr` may be any address.
pub unsafe extern "C" fn enqueue_mem_advise(
    command_queue: cl::cl_command_queue,
    _ptr: *const c_void,
    _size: usize,
    advice: cl::cl_uint,
    num_events_in_wait_list: cl::cl_uint,
    event_wait_list: *const cl::cl_event,
    event: *mut cl::cl_event,
) -> cl::cl_int {
    let call = Call { queue: command_queue, n_waits: num_events_in_wait_list, waits: event_wait_list, event };
    // SAFETY: the caller's promise.
    ffi::call("clEnqueueMemAdviseINTEL", || unsafe {
        call.target()?.enqueue(Command::usm_advise(advice)?, Blocking::No)
    })
}
