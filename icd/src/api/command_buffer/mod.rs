//! Command-buffers: create, finalize, enqueue, query. Spec: "Command-Buffers". Commands are recorded in `record` and
//! changed in `update`.

#![allow(unsafe_code, reason = "C entry points")]
#![allow(non_snake_case, reason = "names of the C API, found by name only")]

pub mod record;
pub mod update;

use crate::api::enqueue;
use crate::error::{Status, fail};
use crate::ffi::{self, InfoOut};
use crate::{cl, convert, handle, info};
use clift_runtime::command_buffer::CommandBuffer;
use clift_runtime::command_buffer::dispatch::Dispatch;
use clift_runtime::command_buffer::remap::Mapping;
use clift_runtime::queue::{Queue, WantEvent};
use std::ffi::c_void;

/// Spec: "Creating Command-Buffer Objects".
///
/// # Safety
/// Pointers are null or as the specification says.
pub unsafe extern "C" fn clCreateCommandBufferKHR(
    num_queues: cl::cl_uint,
    queues: *const cl::cl_command_queue,
    properties: *const cl::cl_properties,
    errcode_ret: *mut cl::cl_int,
) -> cl::cl_command_buffer_khr {
    // SAFETY: the caller's promise.
    unsafe {
        ffi::create("clCreateCommandBufferKHR", errcode_ret, || {
            let list = ffi::elements(queues, num_queues, "num_queues is zero or queues is NULL")?;
            let queues = handle::share_all::<Queue>(list)?;
            queues[0].context().check_alive()?;
            let pairs = ffi::known_properties(properties, convert::command_buffer::is_buffer_property);
            let list = pairs.as_ref().and_then(Option::as_deref).map(convert::flat).unwrap_or_default();
            let flags = convert::command_buffer::buffer(pairs)?;
            Ok(handle::give(CommandBuffer::create(&queues, flags, list)?))
        })
    }
}

/// Spec: "Creating Command-Buffer Objects".
///
/// # Safety
/// `command_buffer` is null or a handle.
pub unsafe extern "C" fn clRetainCommandBufferKHR(command_buffer: cl::cl_command_buffer_khr) -> cl::cl_int {
    // SAFETY: the caller's promise.
    ffi::call("clRetainCommandBufferKHR", || unsafe { handle::retain::<CommandBuffer>(command_buffer) })
}

/// Spec: "Creating Command-Buffer Objects".
///
/// # Safety
/// `command_buffer` is null or a handle.
pub unsafe extern "C" fn clReleaseCommandBufferKHR(command_buffer: cl::cl_command_buffer_khr) -> cl::cl_int {
    // SAFETY: the caller's promise.
    ffi::call("clReleaseCommandBufferKHR", || unsafe { handle::release::<CommandBuffer>(command_buffer) })
}

/// Spec: "Enqueuing a Command-Buffer".
///
/// # Safety
/// `command_buffer` is null or a handle.
pub unsafe extern "C" fn clFinalizeCommandBufferKHR(command_buffer: cl::cl_command_buffer_khr) -> cl::cl_int {
    // SAFETY: the caller's promise.
    ffi::call("clFinalizeCommandBufferKHR", || unsafe { handle::borrow::<CommandBuffer>(command_buffer)?.finalize() })
}

/// Spec: "Enqueuing a Command-Buffer".
///
/// # Safety
/// Pointers are null or as the specification says.
pub unsafe extern "C" fn clEnqueueCommandBufferKHR(
    num_queues: cl::cl_uint,
    queues: *mut cl::cl_command_queue,
    command_buffer: cl::cl_command_buffer_khr,
    num_events_in_wait_list: cl::cl_uint,
    event_wait_list: *const cl::cl_event,
    event: *mut cl::cl_event,
) -> cl::cl_int {
    // SAFETY: the caller's promise.
    ffi::call("clEnqueueCommandBufferKHR", || unsafe {
        let buffer = handle::borrow::<CommandBuffer>(command_buffer)?;
        let rule = "queues is NULL and num_queues is > 0, or queues is not NULL and num_queues is 0";
        let queues = ffi::list(queues, num_queues, Status::InvalidValue, rule)?;
        let rule = "num_queues is > 0 and not the same value as num_queues set on command_buffer creation";
        if !queues.is_empty() && queues.len() != buffer.queues().len() {
            return fail(Status::InvalidValue, rule);
        }
        let queues = handle::share_all::<Queue>(queues)?;
        let waits = enqueue::wait_list(num_events_in_wait_list, event_wait_list)?;
        let want = if event.is_null() { WantEvent::No } else { WantEvent::Yes };
        if let Some(made) = buffer.enqueue(&queues, &waits, want)? {
            ffi::put(event, handle::give(made));
        }
        Ok(())
    })
}

/// Spec: "Remapping Command-Buffers".
///
/// # Safety
/// Pointers are null or as the specification says.
pub unsafe extern "C" fn clRemapCommandBufferKHR(
    command_buffer: cl::cl_command_buffer_khr,
    automatic: cl::cl_bool,
    num_queues: cl::cl_uint,
    queues: *mut cl::cl_command_queue,
    num_handles: cl::cl_uint,
    handles: *mut cl::cl_mutable_command_khr,
    handles_ret: *mut cl::cl_mutable_command_khr,
    errcode_ret: *mut cl::cl_int,
) -> cl::cl_command_buffer_khr {
    // SAFETY: the caller's promise.
    unsafe {
        ffi::create("clRemapCommandBufferKHR", errcode_ret, || {
            let buffer = handle::borrow::<CommandBuffer>(command_buffer)?;
            let queues = ffi::elements(queues, num_queues, "num_queues is 0, or queues is NULL")?;
            let rule = "handles or handles_ret is NULL and num_handles is > 0, or not NULL and num_handles is 0";
            let list = ffi::list(handles, num_handles, Status::InvalidValue, rule)?;
            if handles_ret.is_null() != list.is_empty() {
                return fail(Status::InvalidValue, rule);
            }
            let queues = handle::share_all::<Queue>(queues)?;
            let rule = "a handle in handles is not a valid command handle belonging to command_buffer";
            let handles = handle::share_all::<Dispatch>(list).or_else(|_| fail(Status::InvalidValue, rule))?;
            let mapping = if automatic == cl::CL_FALSE { Mapping::Explicit } else { Mapping::Automatic };
            let (copy, copies) = buffer.remap(mapping, &queues, &handles)?;
            for (idx, copy) in copies.iter().enumerate() {
                // As when they are recorded, nobody releases them.
                handles_ret.add(idx).write_unaligned(handle::of(copy));
            }
            Ok(handle::give(copy))
        })
    }
}

/// Spec: "Command-Buffer Queries".
///
/// # Safety
/// Pointers are null or as the specification says.
pub unsafe extern "C" fn clGetCommandBufferInfoKHR(
    command_buffer: cl::cl_command_buffer_khr,
    param_name: cl::cl_uint,
    param_value_size: usize,
    param_value: *mut c_void,
    param_value_size_ret: *mut usize,
) -> cl::cl_int {
    let out = InfoOut { size: param_value_size, value: param_value, size_ret: param_value_size_ret };
    // SAFETY: the caller's promise.
    ffi::call("clGetCommandBufferInfoKHR", || unsafe {
        let buffer = handle::borrow::<CommandBuffer>(command_buffer)?;
        out.store(info::query(info::command_buffer::ROWS, &buffer, param_name)?.bytes())
    })
}
