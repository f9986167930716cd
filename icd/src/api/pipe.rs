//! Pipes. The device does not support them. Spec: "Pipes".

#![allow(unsafe_code, reason = "C entry points")]

use crate::error::{Status, fail};
use crate::{cl, ffi, handle};
use clift_runtime::memory::buffer::Mem;
use std::ffi::c_void;

/// Spec: "Creating Pipe Objects".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreatePipe(
    context: cl::cl_context,
    _flags: cl::cl_mem_flags,
    _pipe_packet_size: cl::cl_uint,
    _pipe_max_packets: cl::cl_uint,
    _properties: *const cl::cl_pipe_properties,
    errcode_ret: *mut cl::cl_int,
) -> cl::cl_mem {
    // SAFETY: the caller's promise.
    unsafe {
        ffi::create("clCreatePipe", errcode_ret, || {
            handle::context(context)?;
            fail(Status::InvalidOperation, "no devices in context support pipes")
        })
    }
}

/// No memory object is a pipe. Spec: "Pipe Object Queries".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetPipeInfo(
    pipe: cl::cl_mem,
    _param_name: cl::cl_pipe_info,
    _param_value_size: usize,
    _param_value: *mut c_void,
    _param_value_size_ret: *mut usize,
) -> cl::cl_int {
    // SAFETY: the caller's promise.
    ffi::call("clGetPipeInfo", || unsafe {
        handle::borrow::<Mem>(pipe)?;
        fail(Status::InvalidMemObject, "pipe is not a valid pipe object")
    })
}
