//! Building, compiling and linking of programs. Spec: "Building Program Executables", "Separate Compilation and Linking
//! of Programs".

#![allow(unsafe_code, reason = "C entry points")]

use crate::error::{Result, Status, fail};
use crate::validate::program::Step;
use crate::{callback, cl, ffi, handle, validate};
use clift_runtime::device::Device;
use clift_runtime::object::Obj;
use clift_runtime::program::{self, Program};
use std::ffi::{c_char, c_void};

/// The optional device list of a build: checked, and otherwise without effect since all devices run the same code.
///
/// # Safety
/// A non-null list has `n` elements, null or handles.
unsafe fn check_devices(list: *const cl::cl_device_id, n: cl::cl_uint, known: &[Obj<Device>]) -> Result {
    validate::program::device_list_shape(list.is_null(), n as usize)?;
    // SAFETY: the caller's promise.
    let handles = unsafe { ffi::slice(list, n as usize) }.unwrap_or_default();
    // SAFETY: as above.
    let share = |&device: &cl::cl_device_id| unsafe { handle::share(device) };
    let devices: Vec<Obj<Device>> = handles.iter().map(share).collect::<Result<_>>()?;
    validate::program::device_members(&devices, known)
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
        validate::notify(pfn_notify.is_some(), user_data)?;
        check_devices(device_list, num_devices, program.devices())?;
        let options = validate::program::options(ffi::string(options))?;
        let done = pfn_notify.map(|function| callback::once(function, &program, user_data));
        program.build(options, done).map_err(|error| Step::Build.adapt(error))
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
        validate::program::header_lists(n, input_headers.is_null(), header_include_names.is_null())?;
        validate::notify(pfn_notify.is_some(), user_data)?;
        check_devices(device_list, num_devices, program.devices())?;
        let (programs, names) = (ffi::slice(input_headers, n), ffi::slice(header_include_names, n));
        let mut headers = Vec::with_capacity(n);
        for (&header, &name) in programs.unwrap_or_default().iter().zip(names.unwrap_or_default()) {
            let Some(name) = ffi::string(name) else {
                return fail(Status::InvalidValue, "an entry of header_include_names is NULL");
            };
            headers.push((String::from_utf8_lossy(name).into_owned(), handle::share::<Program>(header)?));
        }
        validate::program::same_context(program.context(), headers.iter().map(|(_, p)| p.context().clone()))?;
        let options = validate::program::options(ffi::string(options)).map_err(|error| Step::Compile.adapt(error))?;
        let done = pfn_notify.map(|function| callback::once(function, &program, user_data));
        program.compile(options, &headers, done).map_err(|error| Step::Compile.adapt(error))
    })
}

/// A failed link can give both a program, whose log says why, and an error code. Spec: "Separate Compilation and Linking
/// of Programs".
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
        let n = num_input_programs as usize;
        validate::program::input_programs(n, input_programs.is_null())?;
        validate::notify(pfn_notify.is_some(), user_data)?;
        check_devices(device_list, num_devices, context.devices())?;
        let handles = ffi::slice(input_programs, n).unwrap_or_default();
        let inputs: Vec<Obj<Program>> = handles.iter().map(|&input| handle::share(input)).collect::<Result<_>>()?;
        validate::program::same_context(&context, inputs.iter().map(|input| input.context().clone()))?;
        let options = validate::program::options(ffi::string(options)).map_err(|error| Step::Link.adapt(error))?;
        let done = pfn_notify.map(|function| callback::link_notify(function, user_data));
        let (program, result) = program::link(&context, options, &inputs, done);
        made = program.map_or(std::ptr::null_mut(), handle::give);
        result.map_err(|error| Step::Link.adapt(error))
    });
    // SAFETY: null or writable.
    unsafe { ffi::put(errcode_ret, code) };
    made
}
