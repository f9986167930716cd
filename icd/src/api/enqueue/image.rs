//! Commands on images. The device does not support images: every call checks queue and wait list and then says so. Spec:
//! "Image Objects".

#![allow(unsafe_code, reason = "C entry points")]

use super::Call;
use crate::error::{Result, Status, fail};
use crate::{cl, ffi};
use std::ffi::c_void;

/// # Safety
/// Pointers are null or as the specification says.
unsafe fn refuse<T>(call: Call) -> Result<T> {
    // SAFETY: the caller's promise.
    unsafe { call.target()? };
    fail(Status::InvalidOperation, "the device associated with command_queue does not support images")
}

/// Spec: "Reading, Writing and Copying Image Objects".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clEnqueueReadImage(
    command_queue: cl::cl_command_queue,
    _image: cl::cl_mem,
    _blocking_read: cl::cl_bool,
    _origin: *const usize,
    _region: *const usize,
    _row_pitch: usize,
    _slice_pitch: usize,
    _ptr: *mut c_void,
    num_events_in_wait_list: cl::cl_uint,
    event_wait_list: *const cl::cl_event,
    event: *mut cl::cl_event,
) -> cl::cl_int {
    let call = Call { queue: command_queue, n_waits: num_events_in_wait_list, waits: event_wait_list, event };
    // SAFETY: the caller's promise.
    ffi::call("clEnqueueReadImage", || unsafe { refuse(call) })
}

/// Spec: "Reading, Writing and Copying Image Objects".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clEnqueueWriteImage(
    command_queue: cl::cl_command_queue,
    _image: cl::cl_mem,
    _blocking_write: cl::cl_bool,
    _origin: *const usize,
    _region: *const usize,
    _input_row_pitch: usize,
    _input_slice_pitch: usize,
    _ptr: *const c_void,
    num_events_in_wait_list: cl::cl_uint,
    event_wait_list: *const cl::cl_event,
    event: *mut cl::cl_event,
) -> cl::cl_int {
    let call = Call { queue: command_queue, n_waits: num_events_in_wait_list, waits: event_wait_list, event };
    // SAFETY: the caller's promise.
    ffi::call("clEnqueueWriteImage", || unsafe { refuse(call) })
}

/// Spec: "Filling Image Objects".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clEnqueueFillImage(
    command_queue: cl::cl_command_queue,
    _image: cl::cl_mem,
    _fill_color: *const c_void,
    _origin: *const usize,
    _region: *const usize,
    num_events_in_wait_list: cl::cl_uint,
    event_wait_list: *const cl::cl_event,
    event: *mut cl::cl_event,
) -> cl::cl_int {
    let call = Call { queue: command_queue, n_waits: num_events_in_wait_list, waits: event_wait_list, event };
    // SAFETY: the caller's promise.
    ffi::call("clEnqueueFillImage", || unsafe { refuse(call) })
}

/// Spec: "Reading, Writing and Copying Image Objects".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clEnqueueCopyImage(
    command_queue: cl::cl_command_queue,
    _src_image: cl::cl_mem,
    _dst_image: cl::cl_mem,
    _src_origin: *const usize,
    _dst_origin: *const usize,
    _region: *const usize,
    num_events_in_wait_list: cl::cl_uint,
    event_wait_list: *const cl::cl_event,
    event: *mut cl::cl_event,
) -> cl::cl_int {
    let call = Call { queue: command_queue, n_waits: num_events_in_wait_list, waits: event_wait_list, event };
    // SAFETY: the caller's promise.
    ffi::call("clEnqueueCopyImage", || unsafe { refuse(call) })
}

/// Spec: "Copying between Image and Buffer Objects".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clEnqueueCopyImageToBuffer(
    command_queue: cl::cl_command_queue,
    _src_image: cl::cl_mem,
    _dst_buffer: cl::cl_mem,
    _src_origin: *const usize,
    _region: *const usize,
    _dst_offset: usize,
    num_events_in_wait_list: cl::cl_uint,
    event_wait_list: *const cl::cl_event,
    event: *mut cl::cl_event,
) -> cl::cl_int {
    let call = Call { queue: command_queue, n_waits: num_events_in_wait_list, waits: event_wait_list, event };
    // SAFETY: the caller's promise.
    ffi::call("clEnqueueCopyImageToBuffer", || unsafe { refuse(call) })
}

/// Spec: "Copying between Image and Buffer Objects".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clEnqueueCopyBufferToImage(
    command_queue: cl::cl_command_queue,
    _src_buffer: cl::cl_mem,
    _dst_image: cl::cl_mem,
    _src_offset: usize,
    _dst_origin: *const usize,
    _region: *const usize,
    num_events_in_wait_list: cl::cl_uint,
    event_wait_list: *const cl::cl_event,
    event: *mut cl::cl_event,
) -> cl::cl_int {
    let call = Call { queue: command_queue, n_waits: num_events_in_wait_list, waits: event_wait_list, event };
    // SAFETY: the caller's promise.
    ffi::call("clEnqueueCopyBufferToImage", || unsafe { refuse(call) })
}

/// Spec: "Mapping Image Objects".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clEnqueueMapImage(
    command_queue: cl::cl_command_queue,
    _image: cl::cl_mem,
    _blocking_map: cl::cl_bool,
    _map_flags: cl::cl_map_flags,
    _origin: *const usize,
    _region: *const usize,
    _image_row_pitch: *mut usize,
    _image_slice_pitch: *mut usize,
    num_events_in_wait_list: cl::cl_uint,
    event_wait_list: *const cl::cl_event,
    event: *mut cl::cl_event,
    errcode_ret: *mut cl::cl_int,
) -> *mut c_void {
    let call = Call { queue: command_queue, n_waits: num_events_in_wait_list, waits: event_wait_list, event };
    // SAFETY: the caller's promise.
    unsafe { ffi::create("clEnqueueMapImage", errcode_ret, || refuse(call)) }
}
