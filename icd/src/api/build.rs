//! Building, compiling and linking of programs. Spec: "Building Program Executables", "Separate Compilation and Linking
//! of Programs".

#![allow(unsafe_code, reason = "C entry points")]

use crate::error::{Result, Status, ensure, fail};
use crate::{callback, cl, ffi, handle};
use clift_runtime::context::Context;
use clift_runtime::device::Device;
use clift_runtime::object::Obj;
use clift_runtime::program::{self, Program};
use std::ffi::{c_char, c_void};

/// The optional device list of a build: checked, and otherwise without effect since all devices run the same code.
///
/// # Safety
/// A non-null list has `n` elements, null or handles.
unsafe fn check_devices(list: *const cl::cl_device_id, n: cl::cl_uint, context: &Context) -> Result {
    let rule = "device_list is NULL and num_devices is greater than zero, or the other way round";
    // SAFETY: the caller's promise.
    let devices: Vec<Obj<Device>> = unsafe { handle::share_all(ffi::list(list, n, Status::InvalidValue, rule)?)? };
    devices.iter().try_for_each(|device| context.check_device(device))
}

/// Spec: "Building Program Executables".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clBuildProgram(
    program: cl::cl_program,
    num_devices: cl::cl_uint,
    device_list: *const cl::cl_device_id,
    options: *const c_char,
    pfn_notify: cl::program_notify,
    user_data: *mut c_void,
) -> cl::cl_int {
    // SAFETY: the caller's promise.
    ffi::call("clBuildProgram", || unsafe {
        let program = handle::share::<Program>(program)?;
        callback::check_user_data(pfn_notify, user_data)?;
        check_devices(device_list, num_devices, program.context())?;
        let done = pfn_notify.map(|function| callback::once(function, &program, user_data));
        program.build(ffi::string(options).unwrap_or_default(), done)
    })
}

/// Spec: "Separate Compilation and Linking of Programs".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCompileProgram(
    program: cl::cl_program,
    num_devices: cl::cl_uint,
    device_list: *const cl::cl_device_id,
    options: *const c_char,
    num_input_headers: cl::cl_uint,
    input_headers: *const cl::cl_program,
    header_include_names: *const *const c_char,
    pfn_notify: cl::program_notify,
    user_data: *mut c_void,
) -> cl::cl_int {
    // SAFETY: the caller's promise.
    ffi::call("clCompileProgram", || unsafe {
        let program = handle::share::<Program>(program)?;
        let n = num_input_headers as usize;
        let is_null = [input_headers.is_null(), header_include_names.is_null()];
        ensure!(
            is_null == [n == 0; 2],
            InvalidValue,
            "num_input_headers is zero and header_include_names or input_headers are not NULL, or the other way round"
        );
        callback::check_user_data(pfn_notify, user_data)?;
        check_devices(device_list, num_devices, program.context())?;
        let (programs, names) = (ffi::slice(input_headers, n), ffi::slice(header_include_names, n));
        let mut headers = Vec::with_capacity(n);
        for (&header, &name) in programs.unwrap_or_default().iter().zip(names.unwrap_or_default()) {
            let Some(name) = ffi::string(name) else {
                return fail(Status::InvalidValue, "an entry of header_include_names is NULL");
            };
            headers.push((String::from_utf8_lossy(name).into_owned(), handle::share::<Program>(header)?));
        }
        let done = pfn_notify.map(|function| callback::once(function, &program, user_data));
        program.compile(ffi::string(options).unwrap_or_default(), &headers, done)
    })
}

/// A failed link can give both a program, whose log says why, and an error code. Spec: "Separate Compilation and
/// Linking of Programs".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clLinkProgram(
    context: cl::cl_context,
    num_devices: cl::cl_uint,
    device_list: *const cl::cl_device_id,
    options: *const c_char,
    num_input_programs: cl::cl_uint,
    input_programs: *const cl::cl_program,
    pfn_notify: cl::program_notify,
    user_data: *mut c_void,
    errcode_ret: *mut cl::cl_int,
) -> cl::cl_program {
    let mut made = std::ptr::null_mut();
    // SAFETY: the caller's promise.
    let code = ffi::call("clLinkProgram", || unsafe {
        let context = handle::context(context)?;
        let rule = "num_input_programs is zero or input_programs is NULL";
        let inputs = ffi::elements(input_programs, num_input_programs, rule)?;
        callback::check_user_data(pfn_notify, user_data)?;
        check_devices(device_list, num_devices, &context)?;
        let inputs = handle::share_all(inputs)?;
        let done = pfn_notify.map(|function| callback::link_notify(function, user_data));
        let (program, result) = program::link(&context, ffi::string(options).unwrap_or_default(), &inputs, done);
        made = program.map_or(std::ptr::null_mut(), handle::give);
        result
    });
    // SAFETY: null or writable.
    unsafe { ffi::put(errcode_ret, code) };
    made
}
