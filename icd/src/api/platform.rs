//! Platforms, lookup of functions by name, and cl_khr_icd. Spec: "Querying Platforms", "The OpenCL Installable Client
//! Driver Loader".

#![allow(unsafe_code, reason = "C entry points")]

use crate::error::{Result, ensure};
use crate::ffi::{self, InfoOut};
use crate::{cl, dispatch, handle, info, trace};
use clift_runtime::check::sink;
use clift_runtime::object::{self, Obj};
use clift_runtime::platform::Platform;
use std::ffi::{c_char, c_void};
use std::sync::Once;

/// The platform; before the first object is made, its dispatch word is set.
pub fn the_platform() -> &'static Obj<Platform> {
    static WORD: Once = Once::new();
    WORD.call_once(|| {
        trace::quiet_panics();
        object::set_dispatch_word(handle::dispatch_word());
        sink::start();
    });
    Platform::get()
}

/// The platform behind a handle; null means the only one there is.
///
/// # Safety
/// `platform` is null or a handle.
pub unsafe fn resolve(platform: cl::cl_platform_id) -> Result<&'static Obj<Platform>> {
    let the_one = the_platform();
    if !platform.is_null() {
        // SAFETY: the caller's promise.
        unsafe { handle::borrow::<Platform>(platform)? };
    }
    Ok(the_one)
}

/// Spec: "Querying Platforms".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetPlatformIDs(
    num_entries: cl::cl_uint,
    platforms: *mut cl::cl_platform_id,
    num_platforms: *mut cl::cl_uint,
) -> cl::cl_int {
    ffi::call("clGetPlatformIDs", || {
        ensure!(
            num_entries > 0 || platforms.is_null(),
            InvalidValue,
            "num_entries is equal to zero and platforms is not NULL"
        );
        ensure!(
            !num_platforms.is_null() || !platforms.is_null(),
            InvalidValue,
            "both num_platforms and platforms are NULL"
        );
        // SAFETY: the caller's promise.
        unsafe { ffi::put_list(&[handle::of(the_platform())], platforms, num_entries, num_platforms) };
        Ok(())
    })
}

/// Spec: cl_khr_icd.
///
/// # Safety
/// As `clGetPlatformIDs`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clIcdGetPlatformIDsKHR(
    num_entries: cl::cl_uint,
    platforms: *mut cl::cl_platform_id,
    num_platforms: *mut cl::cl_uint,
) -> cl::cl_int {
    // SAFETY: the caller's promise.
    unsafe { clGetPlatformIDs(num_entries, platforms, num_platforms) }
}

/// Spec: "Querying Platforms".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetPlatformInfo(
    platform: cl::cl_platform_id,
    param_name: cl::cl_platform_info,
    param_value_size: usize,
    param_value: *mut c_void,
    param_value_size_ret: *mut usize,
) -> cl::cl_int {
    let out = InfoOut { size: param_value_size, value: param_value, size_ret: param_value_size_ret };
    // SAFETY: the caller's promise.
    ffi::call("clGetPlatformInfo", || unsafe {
        let platform = resolve(platform)?;
        out.store(info::query(info::platform::ROWS, platform, param_name)?.bytes())
    })
}

/// Spec: "Unloading the OpenCL Compiler". There is nothing to unload.
#[unsafe(no_mangle)]
pub extern "C" fn clUnloadCompiler() -> cl::cl_int {
    cl::CL_SUCCESS
}

/// Spec: "Unloading the OpenCL Compiler". There is nothing to unload.
///
/// # Safety
/// `platform` is null or a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clUnloadPlatformCompiler(platform: cl::cl_platform_id) -> cl::cl_int {
    ffi::call("clUnloadPlatformCompiler", || {
        the_platform();
        // SAFETY: the caller's promise.
        unsafe { handle::borrow::<Platform>(platform) }.map(drop)
    })
}

/// Spec: "Retrieving Extension Function Pointers".
///
/// # Safety
/// `func_name` is null or a zero-terminated string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetExtensionFunctionAddress(func_name: *const c_char) -> *mut c_void {
    // SAFETY: the caller's promise.
    let name = unsafe { ffi::string(func_name) };
    name.map_or(std::ptr::null(), dispatch::lookup).cast_mut().cast()
}

/// Spec: "Retrieving Extension Function Pointers".
///
/// # Safety
/// `platform` is null or a handle, `func_name` null or a zero-terminated string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetExtensionFunctionAddressForPlatform(
    platform: cl::cl_platform_id,
    func_name: *const c_char,
) -> *mut c_void {
    ffi::pointer("clGetExtensionFunctionAddressForPlatform", || {
        the_platform();
        // SAFETY: the caller's promise.
        unsafe {
            handle::borrow::<Platform>(platform)?;
            Ok(clGetExtensionFunctionAddress(func_name))
        }
    })
}

/// What a loader asks for each function that it dispatches itself. Spec: cl_khr_icd.
///
/// # Safety
/// As `clGetExtensionFunctionAddressForPlatform`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clIcdGetFunctionAddressForPlatformKHR(
    platform: cl::cl_platform_id,
    func_name: *const c_char,
) -> *mut c_void {
    // SAFETY: the caller's promise.
    unsafe { clGetExtensionFunctionAddressForPlatform(platform, func_name) }
}

/// Sets the second word of the platform, its devices, and all objects made from now on. Spec: cl_khr_icd.
///
/// # Safety
/// `platform` is null or a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clIcdSetPlatformDispatchDataKHR(
    platform: cl::cl_platform_id,
    dispatch_data: *mut c_void,
) -> cl::cl_int {
    ffi::call("clIcdSetPlatformDispatchDataKHR", || {
        the_platform();
        // SAFETY: the caller's promise.
        let platform = unsafe { handle::borrow::<Platform>(platform)? };
        let word = dispatch_data.expose_provenance();
        object::set_loader_word(word);
        platform.set_own_loader_word(word);
        platform.devices().iter().for_each(|device| device.set_own_loader_word(word));
        Ok(())
    })
}
