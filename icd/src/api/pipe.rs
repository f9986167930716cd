//! Pipes. Spec: "Pipes".

#![allow(unsafe_code, reason = "C entry points")]

use crate::error::{Status, fail};
use crate::ffi::InfoOut;
use crate::{cl, ffi, handle, info};
use clift_runtime::memory::buffer::Mem;
use std::ffi::c_void;

/// Spec: "Creating Pipe Objects".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreatePipe(
    context: cl::cl_context,
    flags: cl::cl_mem_flags,
    pipe_packet_size: cl::cl_uint,
    pipe_max_packets: cl::cl_uint,
    properties: *const cl::cl_pipe_properties,
    errcode_ret: *mut cl::cl_int,
) -> cl::cl_mem {
    // SAFETY: the caller's promise.
    unsafe {
        ffi::create("clCreatePipe", errcode_ret, || {
            let context = handle::context(context)?;
            // "properties is not NULL"
            if !properties.is_null() {
                return fail(Status::InvalidValue, "properties is not NULL");
            }
            Ok(handle::give(Mem::create_pipe(&context, flags, pipe_packet_size, pipe_max_packets)?))
        })
    }
}

/// Spec: "Pipe Object Queries".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetPipeInfo(
    pipe: cl::cl_mem,
    param_name: cl::cl_pipe_info,
    param_value_size: usize,
    param_value: *mut c_void,
    param_value_size_ret: *mut usize,
) -> cl::cl_int {
    let out = InfoOut { size: param_value_size, value: param_value, size_ret: param_value_size_ret };
    // SAFETY: the caller's promise.
    ffi::call("clGetPipeInfo", || unsafe {
        let mem = handle::borrow::<Mem>(pipe)?;
        // Whatever is asked, only of pipes.
        info::pipe::of(&mem)?;
        out.store(info::query(info::pipe::ROWS, &mem, param_name)?.bytes())
    })
}
