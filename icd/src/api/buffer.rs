//! Buffers and what all memory objects share. Spec: "Buffer Objects", "Retaining and Releasing Memory Objects".

#![allow(unsafe_code, reason = "C entry points")]

use crate::error::{Error, Result, Status, ensure};
use crate::ffi::{self, InfoOut};
use crate::{callback, cl, convert, handle, info};
use clift_runtime::memory::buffer::Mem;
use clift_runtime::memory::host::HostPtr;
use std::ffi::c_void;

/// Spec: "Creating Buffer Objects".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateBuffer(
    context: cl::cl_context,
    flags: cl::cl_mem_flags,
    size: usize,
    host_ptr: *mut c_void,
    errcode_ret: *mut cl::cl_int,
) -> cl::cl_mem {
    // SAFETY: the caller's promise.
    unsafe { ffi::create("clCreateBuffer", errcode_ret, || create(context, std::ptr::null(), flags, size, host_ptr)) }
}

/// Spec: "Creating Buffer Objects".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateBufferWithProperties(
    context: cl::cl_context,
    properties: *const cl::cl_mem_properties,
    flags: cl::cl_mem_flags,
    size: usize,
    host_ptr: *mut c_void,
    errcode_ret: *mut cl::cl_int,
) -> cl::cl_mem {
    // SAFETY: the caller's promise.
    unsafe {
        ffi::create("clCreateBufferWithProperties", errcode_ret, || create(context, properties, flags, size, host_ptr))
    }
}

/// `clCreateBufferWithPropertiesINTEL`: another error for properties is all that differs. Spec:
/// cl_intel_create_buffer_with_properties.
///
/// # Safety
/// Pointers are null or as the specification says.
pub unsafe extern "C" fn create_with_properties_intel(
    context: cl::cl_context,
    properties: *const cl::cl_mem_properties,
    flags: cl::cl_mem_flags,
    size: usize,
    host_ptr: *mut c_void,
    errcode_ret: *mut cl::cl_int,
) -> cl::cl_mem {
    // SAFETY: the caller's promise.
    unsafe {
        ffi::create("clCreateBufferWithPropertiesINTEL", errcode_ret, || {
            create(context, properties, flags, size, host_ptr).map_err(|error| match error {
                Error::Spec { status: Status::InvalidProperty, condition } => {
                    Error::Spec { status: Status::InvalidValue, condition }
                }
                other => other,
            })
        })
    }
}

/// # Safety
/// As `clCreateBufferWithProperties`.
unsafe fn create(
    context: cl::cl_context,
    properties: *const cl::cl_mem_properties,
    flags: cl::cl_mem_flags,
    size: usize,
    host_ptr: *mut c_void,
) -> Result<*mut c_void> {
    // SAFETY: the caller's promise; `host_ptr` has `size` bytes.
    unsafe {
        let context = handle::context(context)?;
        let pairs = ffi::properties(properties);
        let list = convert::buffer_properties(pairs.as_deref())?;
        Ok(handle::give(Mem::create_buffer(&context, flags, size, HostPtr::new(host_ptr.cast()), list)?))
    }
}

/// Spec: "Creating Buffer Objects".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateSubBuffer(
    buffer: cl::cl_mem,
    flags: cl::cl_mem_flags,
    buffer_create_type: cl::cl_buffer_create_type,
    buffer_create_info: *const c_void,
    errcode_ret: *mut cl::cl_int,
) -> cl::cl_mem {
    // SAFETY: the caller's promise.
    unsafe {
        ffi::create("clCreateSubBuffer", errcode_ret, || {
            let buffer = handle::borrow::<Mem>(buffer)?;
            ensure!(!buffer_create_info.is_null(), InvalidValue, "buffer_create_info is NULL");
            let is_region = buffer_create_type == cl::CL_BUFFER_CREATE_TYPE_REGION;
            ensure!(is_region, InvalidValue, "the value specified in buffer_create_type is not valid");
            let region = buffer_create_info.cast::<cl::cl_buffer_region>().read_unaligned();
            Ok(handle::give(Mem::create_sub_buffer(&buffer, flags, region.origin, region.size)?))
        })
    }
}

/// Spec: "Retaining and Releasing Memory Objects".
///
/// # Safety
/// `memobj` is null or a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clRetainMemObject(memobj: cl::cl_mem) -> cl::cl_int {
    // SAFETY: the caller's promise.
    ffi::call("clRetainMemObject", || unsafe { handle::retain::<Mem>(memobj) })
}

/// Spec: "Retaining and Releasing Memory Objects".
///
/// # Safety
/// `memobj` is null or a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clReleaseMemObject(memobj: cl::cl_mem) -> cl::cl_int {
    // SAFETY: the caller's promise.
    ffi::call("clReleaseMemObject", || unsafe { handle::release::<Mem>(memobj) })
}

/// Spec: "Retaining and Releasing Memory Objects".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clSetMemObjectDestructorCallback(
    memobj: cl::cl_mem,
    pfn_notify: cl::mem_destructor,
    user_data: *mut c_void,
) -> cl::cl_int {
    // SAFETY: the caller's promise.
    ffi::call("clSetMemObjectDestructorCallback", || unsafe {
        let mem = handle::borrow::<Mem>(memobj)?;
        let function = callback::required(pfn_notify)?;
        mem.on_destroy(callback::once(function, &mem, user_data));
        Ok(())
    })
}

/// Spec: "Memory Object Queries".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetMemObjectInfo(
    memobj: cl::cl_mem,
    param_name: cl::cl_mem_info,
    param_value_size: usize,
    param_value: *mut c_void,
    param_value_size_ret: *mut usize,
) -> cl::cl_int {
    let out = InfoOut { size: param_value_size, value: param_value, size_ret: param_value_size_ret };
    // SAFETY: the caller's promise.
    ffi::call("clGetMemObjectInfo", || unsafe {
        let mem = handle::borrow::<Mem>(memobj)?;
        out.store(info::query(info::mem::ROWS, &mem, param_name)?.bytes())
    })
}
