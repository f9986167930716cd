//! Read, write, copy and fill of buffers. Spec: "Reading, Writing and Copying Buffer Objects", "Filling Buffer Objects".

#![allow(unsafe_code, reason = "C entry points")]

use super::{Call, blocking, host_ptr};
use crate::error::{Status, fail};
use crate::{cl, ffi, handle};
use clift_runtime::memory::buffer::Mem;
use clift_runtime::queue::Blocking;
use clift_runtime::queue::command::Command;
use std::ffi::c_void;

/// Spec: "Reading, Writing and Copying Buffer Objects".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clEnqueueReadBuffer(
    command_queue: cl::cl_command_queue,
    buffer: cl::cl_mem,
    blocking_read: cl::cl_bool,
    offset: usize,
    size: usize,
    ptr: *mut c_void,
    num_events_in_wait_list: cl::cl_uint,
    event_wait_list: *const cl::cl_event,
    event: *mut cl::cl_event,
) -> cl::cl_int {
    let call = Call { queue: command_queue, n_waits: num_events_in_wait_list, waits: event_wait_list, event };
    // SAFETY: the caller's promise.
    ffi::call("clEnqueueReadBuffer", || unsafe {
        let target = call.target()?;
        let buffer = handle::borrow::<Mem>(buffer)?;
        let command = Command::read_buffer(&buffer, offset, size, host_ptr(ptr)?)?;
        target.enqueue(command, blocking(blocking_read))
    })
}

/// Spec: "Reading, Writing and Copying Buffer Objects".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clEnqueueWriteBuffer(
    command_queue: cl::cl_command_queue,
    buffer: cl::cl_mem,
    blocking_write: cl::cl_bool,
    offset: usize,
    size: usize,
    ptr: *const c_void,
    num_events_in_wait_list: cl::cl_uint,
    event_wait_list: *const cl::cl_event,
    event: *mut cl::cl_event,
) -> cl::cl_int {
    let call = Call { queue: command_queue, n_waits: num_events_in_wait_list, waits: event_wait_list, event };
    // SAFETY: the caller's promise; a write command only reads through the pointer.
    ffi::call("clEnqueueWriteBuffer", || unsafe {
        let target = call.target()?;
        let buffer = handle::borrow::<Mem>(buffer)?;
        let command = Command::write_buffer(&buffer, offset, size, host_ptr(ptr.cast_mut())?)?;
        target.enqueue(command, blocking(blocking_write))
    })
}

/// Spec: "Reading, Writing and Copying Buffer Objects".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clEnqueueCopyBuffer(
    command_queue: cl::cl_command_queue,
    src_buffer: cl::cl_mem,
    dst_buffer: cl::cl_mem,
    src_offset: usize,
    dst_offset: usize,
    size: usize,
    num_events_in_wait_list: cl::cl_uint,
    event_wait_list: *const cl::cl_event,
    event: *mut cl::cl_event,
) -> cl::cl_int {
    let call = Call { queue: command_queue, n_waits: num_events_in_wait_list, waits: event_wait_list, event };
    // SAFETY: the caller's promise.
    ffi::call("clEnqueueCopyBuffer", || unsafe {
        let target = call.target()?;
        let source = handle::borrow::<Mem>(src_buffer)?;
        let destination = handle::borrow::<Mem>(dst_buffer)?;
        let command = Command::copy_buffer(&source, &destination, src_offset, dst_offset, size)?;
        target.enqueue(command, Blocking::No)
    })
}

/// Spec: "Filling Buffer Objects".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clEnqueueFillBuffer(
    command_queue: cl::cl_command_queue,
    buffer: cl::cl_mem,
    pattern: *const c_void,
    pattern_size: usize,
    offset: usize,
    size: usize,
    num_events_in_wait_list: cl::cl_uint,
    event_wait_list: *const cl::cl_event,
    event: *mut cl::cl_event,
) -> cl::cl_int {
    let call = Call { queue: command_queue, n_waits: num_events_in_wait_list, waits: event_wait_list, event };
    // SAFETY: the caller's promise.
    ffi::call("clEnqueueFillBuffer", || unsafe {
        let target = call.target()?;
        let buffer = handle::borrow::<Mem>(buffer)?;
        let Some(pattern) = ffi::slice(pattern.cast::<u8>(), pattern_size) else {
            return fail(Status::InvalidValue, "pattern is NULL");
        };
        target.enqueue(Command::fill_buffer(&buffer, pattern, offset, size)?, Blocking::No)
    })
}
