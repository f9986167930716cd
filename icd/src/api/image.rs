//! Images and their queries. Spec: "Image Objects".

#![allow(unsafe_code, reason = "C entry points")]

use super::buffer::{Of, mem_properties};
use crate::error::{Error, Result, Status, ensure, fail};
use crate::ffi::InfoOut;
use crate::{cl, convert, ffi, handle, info};
use clift_runtime::memory::buffer::Mem;
use clift_runtime::memory::format::Format;
use clift_runtime::memory::host::HostPtr;
use clift_runtime::memory::image;
use clift_runtime::memory::requirements::Wanted;
use std::ffi::c_void;
use std::sync::Arc;

/// # Safety
/// As `clCreateImageWithProperties`.
unsafe fn create(
    context: cl::cl_context,
    properties: *const cl::cl_mem_properties,
    flags: cl::cl_mem_flags,
    image_format: *const cl::cl_image_format,
    desc: *const cl::cl_image_desc,
    host_ptr: *mut c_void,
) -> Result<*mut c_void> {
    // SAFETY: the caller's promise; `host_ptr` has as many bytes as format and description say.
    unsafe {
        let context = handle::context(context)?;
        let list = mem_properties(properties, Of::Image)?;
        let format = (!image_format.is_null()).then(|| convert::image::format(&image_format.read_unaligned()));
        ensure!(!desc.is_null(), InvalidImageDescriptor, "image_desc is NULL");
        let desc = desc.read_unaligned();
        let source = if desc.buffer.is_null() {
            None
        } else {
            let not_a_mem = "mem_object is not a valid memory object";
            Some(handle::share::<Mem>(desc.buffer).or_else(|_| fail(Status::InvalidImageDescriptor, not_a_mem))?)
        };
        let shape = convert::image::shape(&desc, source.as_ref())?;
        let host_ptr = HostPtr::new(host_ptr.cast());
        Ok(handle::give(Mem::create_image(&context, flags, format, &shape, host_ptr, list)?))
    }
}

/// The errors of `clCreateImage2D` and `clCreateImage3D` for sizes and pitches have a code of their own.
fn old_code(error: Error) -> Error {
    match error {
        Error::Spec { status: Status::InvalidImageDescriptor, condition } => {
            Error::Spec { status: Status::InvalidImageSize, condition }
        }
        other => other,
    }
}

/// A description without anything.
fn no_desc(image_type: cl::cl_mem_object_type) -> cl::cl_image_desc {
    cl::cl_image_desc {
        image_type,
        image_width: 0,
        image_height: 0,
        image_depth: 0,
        image_array_size: 0,
        image_row_pitch: 0,
        image_slice_pitch: 0,
        num_mip_levels: 0,
        num_samples: 0,
        buffer: std::ptr::null_mut(),
    }
}

/// Spec: "Creating Image Objects".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateImage(
    context: cl::cl_context,
    flags: cl::cl_mem_flags,
    image_format: *const cl::cl_image_format,
    image_desc: *const cl::cl_image_desc,
    host_ptr: *mut c_void,
    errcode_ret: *mut cl::cl_int,
) -> cl::cl_mem {
    // SAFETY: the caller's promise.
    unsafe {
        ffi::create("clCreateImage", errcode_ret, || {
            create(context, std::ptr::null(), flags, image_format, image_desc, host_ptr)
        })
    }
}

/// Spec: "Creating Image Objects".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateImageWithProperties(
    context: cl::cl_context,
    properties: *const cl::cl_mem_properties,
    flags: cl::cl_mem_flags,
    image_format: *const cl::cl_image_format,
    image_desc: *const cl::cl_image_desc,
    host_ptr: *mut c_void,
    errcode_ret: *mut cl::cl_int,
) -> cl::cl_mem {
    // SAFETY: the caller's promise.
    unsafe {
        ffi::create("clCreateImageWithProperties", errcode_ret, || {
            create(context, properties, flags, image_format, image_desc, host_ptr)
        })
    }
}

/// Spec: "Creating Image Objects".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateImage2D(
    context: cl::cl_context,
    flags: cl::cl_mem_flags,
    image_format: *const cl::cl_image_format,
    image_width: usize,
    image_height: usize,
    image_row_pitch: usize,
    host_ptr: *mut c_void,
    errcode_ret: *mut cl::cl_int,
) -> cl::cl_mem {
    let desc = cl::cl_image_desc { image_width, image_height, image_row_pitch, ..no_desc(cl::CL_MEM_OBJECT_IMAGE2D) };
    // SAFETY: the caller's promise.
    unsafe {
        ffi::create("clCreateImage2D", errcode_ret, || {
            create(context, std::ptr::null(), flags, image_format, &desc, host_ptr).map_err(old_code)
        })
    }
}

/// Spec: "Creating Image Objects".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateImage3D(
    context: cl::cl_context,
    flags: cl::cl_mem_flags,
    image_format: *const cl::cl_image_format,
    image_width: usize,
    image_height: usize,
    image_depth: usize,
    image_row_pitch: usize,
    image_slice_pitch: usize,
    host_ptr: *mut c_void,
    errcode_ret: *mut cl::cl_int,
) -> cl::cl_mem {
    let desc = cl::cl_image_desc {
        image_width,
        image_height,
        image_depth,
        image_row_pitch,
        image_slice_pitch,
        ..no_desc(cl::CL_MEM_OBJECT_IMAGE3D)
    };
    // SAFETY: the caller's promise.
    unsafe {
        ffi::create("clCreateImage3D", errcode_ret, || {
            handle::context(context)?;
            ensure!(image_depth > 1, InvalidImageSize, "image_depth is not greater than 1");
            create(context, std::ptr::null(), flags, image_format, &desc, host_ptr).map_err(old_code)
        })
    }
}

/// Spec: "Querying List of Supported Image Formats".
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
        handle::context(context)?;
        ensure!(
            num_entries > 0 || image_formats.is_null(),
            InvalidValue,
            "num_entries is zero and image_formats is not NULL"
        );
        let (image_type, flags) = convert::image::format_query(flags, image_type)?;
        // A `cl_image_format` is these two numbers.
        let pair = |f: Format| [f.order, f.data_type];
        let list: Vec<[u32; 2]> = image::formats(image_type, flags).into_iter().map(pair).collect();
        ffi::put_list(&list, image_formats.cast(), num_entries, num_image_formats);
        Ok(())
    })
}

/// Spec: "Image Object Queries".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetImageInfo(
    image: cl::cl_mem,
    param_name: cl::cl_image_info,
    param_value_size: usize,
    param_value: *mut c_void,
    param_value_size_ret: *mut usize,
) -> cl::cl_int {
    let out = InfoOut { size: param_value_size, value: param_value, size_ret: param_value_size_ret };
    // SAFETY: the caller's promise.
    ffi::call("clGetImageInfo", || unsafe {
        let mem = handle::borrow::<Mem>(image)?;
        out.store(info::query(info::image::ROWS, &mem, param_name)?.bytes())
    })
}

/// Spec: "Querying Image Requirements".
///
/// # Safety
/// Pointers are null or as the specification says.
pub unsafe extern "C" fn get_requirements_info(
    context: cl::cl_context,
    properties: *const cl::cl_mem_properties,
    flags: cl::cl_mem_flags,
    image_format: *const cl::cl_image_format,
    image_desc: *const cl::cl_image_desc,
    param_name: cl::cl_image_requirements_info_ext,
    param_value_size: usize,
    param_value: *mut c_void,
    param_value_size_ret: *mut usize,
) -> cl::cl_int {
    let out = InfoOut { size: param_value_size, value: param_value, size_ret: param_value_size_ret };
    // SAFETY: the caller's promise.
    ffi::call("clGetImageRequirementsInfoEXT", || unsafe {
        let context = handle::context(context)?;
        convert::no_properties(ffi::properties(properties).as_deref())?;
        let flags = convert::image::requirement_flags(flags)?;
        let format = (!image_format.is_null()).then(|| convert::image::format(&image_format.read_unaligned()));
        let desc = (!image_desc.is_null()).then(|| image_desc.read_unaligned());
        let shape = desc.map(|desc| convert::image::open_shape(&desc)).transpose()?;
        let (shape, mem_type) = shape.unzip();
        let (context, mem_type) = (Arc::clone(&context), mem_type.flatten());
        let wanted = Wanted { context, flags, format, shape, mem_type };
        wanted.check_format()?;
        out.store(info::query(info::image::REQUIREMENT_ROWS, &wanted, param_name)?.bytes())
    })
}
