//! Contexts. Spec: "Contexts".

#![allow(unsafe_code, reason = "C entry points")]

use crate::api::platform;
use crate::error::Result;
use crate::ffi::{self, InfoOut};
use crate::{callback, cl, convert, handle, info};
use clift_runtime::context::{Context, ContextFlags};
use clift_runtime::platform::Platform;
use std::ffi::c_void;

/// Spec: "Contexts".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateContext(
    properties: *const cl::cl_context_properties,
    num_devices: cl::cl_uint,
    devices: *const cl::cl_device_id,
    pfn_notify: cl::context_notify,
    user_data: *mut c_void,
    errcode_ret: *mut cl::cl_int,
) -> cl::cl_context {
    // SAFETY: the caller's promise.
    unsafe {
        ffi::create("clCreateContext", errcode_ret, || {
            platform::the_platform();
            let (properties, flags) = context_properties(properties)?;
            let list = ffi::elements(devices, num_devices, "devices is NULL or num_devices is equal to zero")?;
            callback::check_user_data(pfn_notify, user_data)?;
            let devices = handle::share_all(list)?;
            let notify = callback::context_notify(pfn_notify, user_data);
            Ok(handle::give(Context::create_with(flags, &devices, properties, notify)?))
        })
    }
}

/// Spec: "Contexts".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateContextFromType(
    properties: *const cl::cl_context_properties,
    device_type: cl::cl_device_type,
    pfn_notify: cl::context_notify,
    user_data: *mut c_void,
    errcode_ret: *mut cl::cl_int,
) -> cl::cl_context {
    // SAFETY: the caller's promise.
    unsafe {
        ffi::create("clCreateContextFromType", errcode_ret, || {
            let platform = platform::the_platform();
            let (properties, flags) = context_properties(properties)?;
            callback::check_user_data(pfn_notify, user_data)?;
            let devices = convert::device::matching(device_type, platform.devices())?;
            let notify = callback::context_notify(pfn_notify, user_data);
            Ok(handle::give(Context::create_with(flags, devices, properties, notify)?))
        })
    }
}

/// The list as the caller gave it, checked.
///
/// # Safety
/// `properties` is null or a terminated list.
unsafe fn context_properties(properties: *const isize) -> Result<(Vec<isize>, ContextFlags)> {
    // SAFETY: the caller's promise; the value of CL_CONTEXT_PLATFORM is a handle.
    unsafe {
        let Some(pairs) = ffi::properties(properties) else { return Ok(Default::default()) };
        let is_platform =
            |value: isize| handle::borrow::<Platform>(std::ptr::with_exposed_provenance_mut(value as usize)).is_ok();
        let flags = convert::context::properties(&pairs, is_platform)?;
        Ok((convert::flat(&pairs), flags))
    }
}

/// Spec: "Contexts".
///
/// # Safety
/// `context` is null or a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clRetainContext(context: cl::cl_context) -> cl::cl_int {
    // SAFETY: the caller's promise.
    ffi::call("clRetainContext", || unsafe { handle::retain::<Context>(context) })
}

/// Spec: "Contexts".
///
/// # Safety
/// `context` is null or a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clReleaseContext(context: cl::cl_context) -> cl::cl_int {
    // SAFETY: the caller's promise.
    ffi::call("clReleaseContext", || unsafe { handle::release::<Context>(context) })
}

/// Spec: "Contexts".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetContextInfo(
    context: cl::cl_context,
    param_name: cl::cl_context_info,
    param_value_size: usize,
    param_value: *mut c_void,
    param_value_size_ret: *mut usize,
) -> cl::cl_int {
    let out = InfoOut { size: param_value_size, value: param_value, size_ret: param_value_size_ret };
    // SAFETY: the caller's promise.
    ffi::call("clGetContextInfo", || unsafe {
        let context = handle::borrow::<Context>(context)?;
        out.store(info::query(info::context::ROWS, &context, param_name)?.bytes())
    })
}

/// Spec: "Contexts".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clSetContextDestructorCallback(
    context: cl::cl_context,
    pfn_notify: cl::context_destructor,
    user_data: *mut c_void,
) -> cl::cl_int {
    // SAFETY: the caller's promise.
    ffi::call("clSetContextDestructorCallback", || unsafe {
        let context = handle::borrow::<Context>(context)?;
        let function = callback::required(pfn_notify)?;
        context.on_destroy(callback::once(function, &context, user_data));
        Ok(())
    })
}

/// Spec: "Contexts" (cl_khr_terminate_context).
///
/// # Safety
/// `context` is null or a handle.
pub unsafe extern "C" fn terminate(context: cl::cl_context) -> cl::cl_int {
    // SAFETY: the caller's promise.
    ffi::call("clTerminateContextKHR", || unsafe { handle::share::<Context>(context)?.terminate() })
}
