//! Command-buffers: create, finalize, enqueue, query. Spec: "Command-Buffers". Commands are recorded in `record` and
//! changed in `update`.

#![allow(unsafe_code, reason = "C entry points")]
#![allow(non_snake_case, reason = "names of the C API, found by name only")]

pub mod record;
pub mod update;

use crate::api::enqueue;
use crate::error::{Status, ensure, fail};
use crate::ffi::{self, InfoOut};
use crate::{cl, convert, handle, info};
use clift_runtime::command_buffer::CommandBuffer;
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
            ensure!(num_queues == 1, InvalidValue, "num_queues is not one");
            let Some(&[queue]) = ffi::slice(queues, 1) else {
                return fail(Status::InvalidValue, "queues is NULL");
            };
            let queue = handle::borrow::<Queue>(queue)?;
            queue.context().check_alive()?;
            let pairs = ffi::known_properties(properties, convert::command_buffer::is_buffer_property);
            let list = pairs.as_ref().and_then(Option::as_deref).map(convert::flat).unwrap_or_default();
            let flags = convert::command_buffer::buffer(pairs)?;
            queue.check_host()?;
            Ok(handle::give(CommandBuffer::create(&queue, flags, list)))
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
        let queue = match *ffi::list(queues, num_queues, Status::InvalidValue, rule)? {
            [] => None,
            [queue] => Some(handle::share::<Queue>(queue)?),
            _ => {
                let rule = "num_queues is > 0 and not the same value as num_queues set on command_buffer creation";
                return fail(Status::InvalidValue, rule);
            }
        };
        let waits = enqueue::wait_list(num_events_in_wait_list, event_wait_list)?;
        let want = if event.is_null() { WantEvent::No } else { WantEvent::Yes };
        if let Some(made) = buffer.enqueue(queue.as_ref(), &waits, want)? {
            ffi::put(event, handle::give(made));
        }
        Ok(())
    })
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
