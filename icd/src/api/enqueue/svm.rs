//! Commands on shared virtual memory. The device does not support it: every call checks queue and wait list and then says
//! so. Spec: "Shared Virtual Memory".

#![allow(unsafe_code, reason = "C entry points")]

use super::Call;
use crate::error::{Result, Status, fail};
use crate::{cl, ffi};
use std::ffi::c_void;

/// # Safety
/// Pointers are null or as the specification says.
unsafe fn refuse(call: Call) -> Result {
    // SAFETY: the caller's promise.
    unsafe { call.target()? };
    fail(Status::InvalidOperation, "the device associated with command_queue does not support SVM")
}

/// Spec: "Shared Virtual Memory".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clEnqueueSVMFree(
    command_queue: cl::cl_command_queue,
    _num_svm_pointers: cl::cl_uint,
    _svm_pointers: *mut *mut c_void,
    _pfn_free_func: cl::svm_free_notify,
    _user_data: *mut c_void,
    num_events_in_wait_list: cl::cl_uint,
    event_wait_list: *const cl::cl_event,
    event: *mut cl::cl_event,
) -> cl::cl_int {
    let call = Call { queue: command_queue, n_waits: num_events_in_wait_list, waits: event_wait_list, event };
    // SAFETY: the caller's promise.
    ffi::call("clEnqueueSVMFree", || unsafe { refuse(call) })
}

/// Spec: "Shared Virtual Memory".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clEnqueueSVMMemcpy(
    command_queue: cl::cl_command_queue,
    _blocking_copy: cl::cl_bool,
    _dst_ptr: *mut c_void,
    _src_ptr: *const c_void,
    _size: usize,
    num_events_in_wait_list: cl::cl_uint,
    event_wait_list: *const cl::cl_event,
    event: *mut cl::cl_event,
) -> cl::cl_int {
    let call = Call { queue: command_queue, n_waits: num_events_in_wait_list, waits: event_wait_list, event };
    // SAFETY: the caller's promise.
    ffi::call("clEnqueueSVMMemcpy", || unsafe { refuse(call) })
}

/// Spec: "Shared Virtual Memory".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clEnqueueSVMMemFill(
    command_queue: cl::cl_command_queue,
    _svm_ptr: *mut c_void,
    _pattern: *const c_void,
    _pattern_size: usize,
    _size: usize,
    num_events_in_wait_list: cl::cl_uint,
    event_wait_list: *const cl::cl_event,
    event: *mut cl::cl_event,
) -> cl::cl_int {
    let call = Call { queue: command_queue, n_waits: num_events_in_wait_list, waits: event_wait_list, event };
    // SAFETY: the caller's promise.
    ffi::call("clEnqueueSVMMemFill", || unsafe { refuse(call) })
}

/// Spec: "Shared Virtual Memory".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clEnqueueSVMMap(
    command_queue: cl::cl_command_queue,
    _blocking_map: cl::cl_bool,
    _flags: cl::cl_map_flags,
    _svm_ptr: *mut c_void,
    _size: usize,
    num_events_in_wait_list: cl::cl_uint,
    event_wait_list: *const cl::cl_event,
    event: *mut cl::cl_event,
) -> cl::cl_int {
    let call = Call { queue: command_queue, n_waits: num_events_in_wait_list, waits: event_wait_list, event };
    // SAFETY: the caller's promise.
    ffi::call("clEnqueueSVMMap", || unsafe { refuse(call) })
}

/// Spec: "Shared Virtual Memory".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clEnqueueSVMUnmap(
    command_queue: cl::cl_command_queue,
    _svm_ptr: *mut c_void,
    num_events_in_wait_list: cl::cl_uint,
    event_wait_list: *const cl::cl_event,
    event: *mut cl::cl_event,
) -> cl::cl_int {
    let call = Call { queue: command_queue, n_waits: num_events_in_wait_list, waits: event_wait_list, event };
    // SAFETY: the caller's promise.
    ffi::call("clEnqueueSVMUnmap", || unsafe { refuse(call) })
}

/// Spec: "Shared Virtual Memory".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clEnqueueSVMMigrateMem(
    command_queue: cl::cl_command_queue,
    _num_svm_pointers: cl::cl_uint,
    _svm_pointers: *const *const c_void,
    _sizes: *const usize,
    _flags: cl::cl_mem_migration_flags,
    num_events_in_wait_list: cl::cl_uint,
    event_wait_list: *const cl::cl_event,
    event: *mut cl::cl_event,
) -> cl::cl_int {
    let call = Call { queue: command_queue, n_waits: num_events_in_wait_list, waits: event_wait_list, event };
    // SAFETY: the caller's promise.
    ffi::call("clEnqueueSVMMigrateMem", || unsafe { refuse(call) })
}
