//! Shared virtual memory of any type. Spec: cl_khr_unified_svm.

#![allow(unsafe_code, reason = "C entry points")]
#![allow(non_snake_case, reason = "names of the C API, found by name only")]

use crate::error::{Error, Result, Status, ensure, fail};
use crate::ffi::{self, InfoOut};
use crate::{cl, convert, handle, info};
use clift_runtime::context::Context;
use clift_runtime::device::Device;
use clift_runtime::memory::svm_type::{self, SvmProperties};
use std::ffi::c_void;

const INVALID: Error =
    Error::spec(Status::InvalidProperty, "the value specified for a supported property name is not valid");

/// A list of allocation properties.
///
/// # Safety
/// The list is null or terminated; handles in it are null or live.
unsafe fn properties(context: &Context, list: *const u64) -> Result<SvmProperties> {
    // SAFETY: the caller's promise.
    let Some(pairs) = (unsafe { ffi::properties(list) }) else { return Ok(SvmProperties::default()) };
    let mut properties = SvmProperties { list: convert::flat(&pairs), ..SvmProperties::default() };
    for &(name, value) in &pairs {
        match cl::cl_uint::try_from(name) {
            Ok(cl::CL_SVM_ALLOC_ASSOCIATED_DEVICE_HANDLE_KHR) if value == 0 => properties.device = None,
            Ok(cl::CL_SVM_ALLOC_ASSOCIATED_DEVICE_HANDLE_KHR) => {
                let handle = std::ptr::with_exposed_provenance_mut(value as usize);
                // SAFETY: the caller's promise.
                let device = unsafe { handle::share::<Device>(handle) }.map_err(|_| INVALID)?;
                context.check_device(&device).map_err(|_| INVALID)?;
                properties.device = Some(device);
            }
            Ok(cl::CL_SVM_ALLOC_ACCESS_FLAGS_KHR) if svm_type::are_access_flags(value) => properties.access = value,
            Ok(cl::CL_SVM_ALLOC_ALIGNMENT_KHR) => properties.alignment = value as usize,
            Ok(cl::CL_SVM_ALLOC_ACCESS_FLAGS_KHR) => return Err(INVALID),
            _ => {
                let rule = "a memory property name in properties is not a supported property name";
                return fail(Status::InvalidProperty, rule);
            }
        }
    }
    convert::distinct_names(&pairs, Status::InvalidProperty)?;
    Context::check_svm_alignment(properties.alignment)?;
    Ok(properties)
}

/// Spec: "Allocating SVM With Properties".
///
/// # Safety
/// Pointers are null or as the specification says.
pub unsafe extern "C" fn clSVMAllocWithPropertiesKHR(
    context: cl::cl_context,
    list: *const u64,
    svm_type_index: cl::cl_uint,
    size: usize,
    errcode_ret: *mut cl::cl_int,
) -> *mut c_void {
    // SAFETY: the caller's promise.
    unsafe {
        ffi::create("clSVMAllocWithPropertiesKHR", errcode_ret, || {
            let context = handle::context(context)?;
            let properties = properties(&context, list)?;
            let address = context.svm_alloc_as(svm_type_index, properties, size)?;
            Ok(std::ptr::with_exposed_provenance_mut(address))
        })
    }
}

/// Spec: "Freeing SVM Allocations".
///
/// # Safety
/// Pointers are null or as the specification says; no command uses the memory.
pub unsafe extern "C" fn clSVMFreeWithPropertiesKHR(
    context: cl::cl_context,
    list: *const u64,
    flags: cl::cl_bitfield,
    ptr: *mut c_void,
) -> cl::cl_int {
    // SAFETY: the caller's promise.
    ffi::call("clSVMFreeWithPropertiesKHR", || unsafe {
        let context = handle::borrow::<Context>(context)?;
        convert::no_properties(ffi::properties(list).as_deref())?;
        ensure!(flags == 0, InvalidValue, "flags contains an invalid SVM free flag");
        let is_start = context.svm_info(ptr.addr()).is_some_and(|info| info.start == ptr.addr());
        ensure!(
            ptr.is_null() || is_start,
            InvalidValue,
            "ptr is not a value returned by clSVMAlloc, clSVMAllocWithPropertiesKHR, or a NULL pointer"
        );
        context.svm_free(ptr.addr());
        Ok(())
    })
}

/// Spec: "Querying SVM Allocations".
///
/// # Safety
/// Pointers are null or as the specification says; `ptr` may be any address.
pub unsafe extern "C" fn clGetSVMPointerInfoKHR(
    context: cl::cl_context,
    device: cl::cl_device_id,
    ptr: *const c_void,
    param_name: cl::cl_uint,
    param_value_size: usize,
    param_value: *mut c_void,
    param_value_size_ret: *mut usize,
) -> cl::cl_int {
    let out = InfoOut { size: param_value_size, value: param_value, size_ret: param_value_size_ret };
    // SAFETY: the caller's promise.
    ffi::call("clGetSVMPointerInfoKHR", || unsafe {
        let context = handle::borrow::<Context>(context)?;
        // All devices can do the same with an allocation.
        if !device.is_null() {
            context.check_device(&handle::share::<Device>(device)?)?;
        }
        out.store(info::query(info::svm::ROWS, &context.svm_info(ptr.addr()), param_name)?.bytes())
    })
}

/// Spec: "Suggesting an SVM Type".
///
/// # Safety
/// Pointers are null or as the specification says.
pub unsafe extern "C" fn clGetSVMSuggestedTypeIndexKHR(
    context: cl::cl_context,
    required_capabilities: cl::cl_bitfield,
    desired_capabilities: cl::cl_bitfield,
    list: *const u64,
    _size: usize,
    suggested_svm_type_index: *mut cl::cl_uint,
) -> cl::cl_int {
    // SAFETY: the caller's promise.
    ffi::call("clGetSVMSuggestedTypeIndexKHR", || unsafe {
        let context = handle::borrow::<Context>(context)?;
        properties(&context, list)?;
        ensure!(!suggested_svm_type_index.is_null(), InvalidValue, "suggested_svm_type_index is NULL");
        let suggested = svm_type::suggest(required_capabilities, desired_capabilities);
        ffi::put(suggested_svm_type_index, suggested.unwrap_or(cl::cl_uint::MAX));
        Ok(())
    })
}
