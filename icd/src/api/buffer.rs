//! Buffers and what all memory objects share. Spec: "Buffer Objects", "Retaining and Releasing Memory Objects".

#![allow(unsafe_code, reason = "C entry points")]

use crate::error::{Error, Result, Status, ensure, fail};
use crate::ffi::{self, InfoOut};
use crate::{callback, cl, handle, info};
use clift_runtime::device::Device;
use clift_runtime::memory::buffer::Mem;
use clift_runtime::memory::external::{External, Properties};
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

/// What a property list is of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Of {
    Buffer,
    Image,
}

const BAD_VALUE: Error =
    Error::spec(Status::InvalidProperty, "the value specified for a supported property name is not valid");

/// Reads the properties of a memory object; the list of devices has a terminator of its own.
///
/// # Safety
/// `list` is null or as the specification says, as far as names are known and stand once.
pub(super) unsafe fn mem_properties(list: *const cl::cl_mem_properties, of: Of) -> Result<Properties> {
    if list.is_null() {
        return Ok(Properties::default());
    }
    let (mut at, mut read) = (list, Vec::new());
    let mut next = || {
        // SAFETY: the caller's promise: the list has not ended.
        let word = unsafe { at.read_unaligned() };
        // SAFETY: as above.
        at = unsafe { at.add(1) };
        read.push(word);
        word
    };
    let (mut fd, mut devices, mut asks_address): (_, Option<Vec<u64>>, _) = (None, None, None);
    loop {
        match next() {
            0 => break,
            cl::CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR if fd.is_none() => {
                let number = i32::try_from(next()).ok();
                fd = Some(number.ok_or(BAD_VALUE)?);
            }
            cl::CL_MEM_DEVICE_HANDLE_LIST_KHR if devices.is_none() => {
                devices = Some(std::iter::from_fn(|| Some(next()).filter(|&word| word != 0)).collect());
            }
            cl::CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT if asks_address.is_none() && of == Of::Buffer => {
                let value = next();
                asks_address = Some(match value {
                    0 => false,
                    1 => true,
                    _ => return Err(BAD_VALUE),
                });
            }
            _ => {
                let rule = "a property name in properties is not supported, or specified more than once";
                return fail(Status::InvalidProperty, rule);
            }
        }
    }
    ensure!(
        devices.is_none() || fd.is_some(),
        InvalidProperty,
        "CL_MEM_DEVICE_HANDLE_LIST_KHR is specified without an external memory handle"
    );
    // SAFETY: the caller's promise: handles, or nothing that looks like one.
    let device = |&word: &u64| unsafe { handle::share::<Device>(std::ptr::with_exposed_provenance_mut(word as usize)) };
    let devices = devices.unwrap_or_default().iter().map(device).collect::<Result<Vec<_>>>()?;
    let external = fd.map(|fd| External { fd, devices });
    Ok(Properties { list: read, external, asks_address: asks_address.unwrap_or(false) })
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
        let list = mem_properties(properties, Of::Buffer)?;
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

/// `clSetContentSizeBufferPoCL`. Spec: cl_pocl_content_size.
///
/// # Safety
/// The handles are null or as the specification says.
pub unsafe extern "C" fn set_content_size(buffer: cl::cl_mem, content_size_buffer: cl::cl_mem) -> cl::cl_int {
    // SAFETY: the caller's promise.
    ffi::call("clSetContentSizeBufferPoCL", || unsafe {
        let buffer = handle::borrow::<Mem>(buffer)?;
        buffer.check_content_size(&*handle::borrow::<Mem>(content_size_buffer)?)
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
