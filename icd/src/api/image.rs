//! Images. The device does not support them: every call checks what comes before that and then says so. Spec: "Image
//! Objects".

#![allow(unsafe_code, reason = "C entry points")]

use crate::error::{Result, Status, ensure, fail};
use crate::{cl, ffi, handle, validate};
use clift_runtime::context::Context;
use clift_runtime::memory::buffer::Mem;
use std::ffi::c_void;

/// # Safety
/// `context` is null or a handle.
unsafe fn refuse(context: cl::cl_context) -> Result<*mut c_void> {
    // SAFETY: the caller's promise.
    unsafe { handle::borrow::<Context>(context)? };
    fail(Status::InvalidOperation, "there are no devices in context that support images")
}

/// Spec: "Creating Image Objects".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateImage(
    context: cl::cl_context,
    _flags: cl::cl_mem_flags,
    _image_format: *const cl::cl_image_format,
    _image_desc: *const cl::cl_image_desc,
    _host_ptr: *mut c_void,
    errcode_ret: *mut cl::cl_int,
) -> cl::cl_mem {
    // SAFETY: the caller's promise.
    unsafe { ffi::create("clCreateImage", errcode_ret, || refuse(context)) }
}

/// Spec: "Creating Image Objects".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateImageWithProperties(
    context: cl::cl_context,
    _properties: *const cl::cl_mem_properties,
    _flags: cl::cl_mem_flags,
    _image_format: *const cl::cl_image_format,
    _image_desc: *const cl::cl_image_desc,
    _host_ptr: *mut c_void,
    errcode_ret: *mut cl::cl_int,
) -> cl::cl_mem {
    // SAFETY: the caller's promise.
    unsafe { ffi::create("clCreateImageWithProperties", errcode_ret, || refuse(context)) }
}

/// Spec: "Creating Image Objects".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateImage2D(
    context: cl::cl_context,
    _flags: cl::cl_mem_flags,
    _image_format: *const cl::cl_image_format,
    _image_width: usize,
    _image_height: usize,
    _image_row_pitch: usize,
    _host_ptr: *mut c_void,
    errcode_ret: *mut cl::cl_int,
) -> cl::cl_mem {
    // SAFETY: the caller's promise.
    unsafe { ffi::create("clCreateImage2D", errcode_ret, || refuse(context)) }
}

/// Spec: "Creating Image Objects".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateImage3D(
    context: cl::cl_context,
    _flags: cl::cl_mem_flags,
    _image_format: *const cl::cl_image_format,
    _image_width: usize,
    _image_height: usize,
    _image_depth: usize,
    _image_row_pitch: usize,
    _image_slice_pitch: usize,
    _host_ptr: *mut c_void,
    errcode_ret: *mut cl::cl_int,
) -> cl::cl_mem {
    // SAFETY: the caller's promise.
    unsafe { ffi::create("clCreateImage3D", errcode_ret, || refuse(context)) }
}

/// An empty list. Spec: "Querying List of Supported Image Formats".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetSupportedImageFormats(
    context: cl::cl_context,
    flags: cl::cl_mem_flags,
    image_type: cl::cl_mem_object_type,
    num_entries: cl::cl_uint,
    image_formats: *mut cl::cl_image_format,
    num_image_formats: *mut cl::cl_uint,
) -> cl::cl_int {
    // SAFETY: the caller's promise.
    ffi::call("clGetSupportedImageFormats", || unsafe {
        handle::borrow::<Context>(context)?;
        ensure!(
            num_entries > 0 || image_formats.is_null(),
            InvalidValue,
            "num_entries is zero and image_formats is not NULL"
        );
        validate::image::format_query(flags, image_type)?;
        ffi::put(num_image_formats, 0);
        Ok(())
    })
}

/// No memory object is an image. Spec: "Image Object Queries".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetImageInfo(
    image: cl::cl_mem,
    _param_name: cl::cl_image_info,
    _param_value_size: usize,
    _param_value: *mut c_void,
    _param_value_size_ret: *mut usize,
) -> cl::cl_int {
    // SAFETY: the caller's promise.
    ffi::call("clGetImageInfo", || unsafe {
        handle::borrow::<Mem>(image)?;
        fail(Status::InvalidMemObject, "image is not a valid image object")
    })
}
