//! Program objects and their queries; building is in `build`. Spec: "Program Objects".

#![allow(unsafe_code, reason = "C entry points")]

use crate::error::{Result, Status, ensure, fail};
use crate::ffi::{self, InfoOut};
use crate::{callback, cl, handle, info};
use clift_runtime::context::Context;
use clift_runtime::device::Device;
use clift_runtime::object::Obj;
use clift_runtime::program::Program;
use std::ffi::{c_char, c_void};

/// Spec: "Creating Program Objects".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateProgramWithSource(
    context: cl::cl_context,
    count: cl::cl_uint,
    strings: *const *const c_char,
    lengths: *const usize,
    errcode_ret: *mut cl::cl_int,
) -> cl::cl_program {
    // SAFETY: the caller's promise.
    unsafe {
        ffi::create("clCreateProgramWithSource", errcode_ret, || {
            let context = handle::context(context)?;
            let strings = ffi::elements(strings, count, "count is zero or strings is NULL")?;
            let lengths = ffi::slice(lengths, strings.len());
            let mut source = Vec::new();
            for (idx, &string) in strings.iter().enumerate() {
                // "If an element in lengths is zero, its accompanying string is null-terminated."
                let part = match lengths.map_or(0, |lengths| lengths[idx]) {
                    0 => ffi::string(string),
                    length => ffi::slice(string.cast::<u8>(), length),
                };
                let Some(part) = part else {
                    return fail(Status::InvalidValue, "any entry in strings is NULL");
                };
                // Twice: a vector that grows may have both places for a while.
                ffi::room(part.len().saturating_add(source.len()).saturating_mul(2))?;
                source.extend_from_slice(part);
            }
            Ok(handle::give(Program::create_with_source(&context, source)))
        })
    }
}

/// Spec: "Creating Program Objects".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateProgramWithBinary(
    context: cl::cl_context,
    num_devices: cl::cl_uint,
    device_list: *const cl::cl_device_id,
    lengths: *const usize,
    binaries: *const *const u8,
    binary_status: *mut cl::cl_int,
    errcode_ret: *mut cl::cl_int,
) -> cl::cl_program {
    // SAFETY: the caller's promise.
    unsafe {
        ffi::create("clCreateProgramWithBinary", errcode_ret, || {
            let context = handle::context(context)?;
            let n = num_devices as usize;
            check_devices(device_list, num_devices, &context)?;
            let (Some(lengths), Some(binaries)) = (ffi::slice(lengths, n), ffi::slice(binaries, n)) else {
                return fail(Status::InvalidValue, "lengths or binaries is NULL");
            };
            let statuses = |idx: usize, status: Status| {
                if !binary_status.is_null() {
                    ffi::put(binary_status.add(idx), status as cl::cl_int);
                }
            };
            // The machine is one: every device of a context runs the same binary.
            let mut program = None;
            for (idx, (&length, &binary)) in lengths.iter().zip(binaries).enumerate() {
                let Some(binary) = ffi::slice(binary, length).filter(|bytes| !bytes.is_empty()) else {
                    statuses(idx, Status::InvalidValue);
                    return fail(Status::InvalidValue, "any entry in lengths is zero or binaries is NULL");
                };
                ffi::room(binary.len().saturating_mul(2))?;
                match Program::create_with_binary(&context, binary) {
                    Ok(made) => {
                        statuses(idx, Status::Success);
                        program.get_or_insert(made);
                    }
                    Err(error) => {
                        statuses(idx, error.status());
                        return Err(error);
                    }
                }
            }
            match program {
                Some(program) => Ok(handle::give(program)),
                None => fail(Status::InvalidValue, "num_devices is zero"),
            }
        })
    }
}

/// There are no built-in kernels. Spec: "Creating Program Objects".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateProgramWithBuiltInKernels(
    context: cl::cl_context,
    num_devices: cl::cl_uint,
    device_list: *const cl::cl_device_id,
    kernel_names: *const c_char,
    errcode_ret: *mut cl::cl_int,
) -> cl::cl_program {
    // SAFETY: the caller's promise.
    unsafe {
        ffi::create("clCreateProgramWithBuiltInKernels", errcode_ret, || {
            let context = handle::context(context)?;
            ensure!(!kernel_names.is_null(), InvalidValue, "kernel_names is NULL");
            check_devices(device_list, num_devices, &context)?;
            fail(
                Status::InvalidValue,
                "kernel_names contains a kernel name that is not supported by any of the devices in device_list",
            )
        })
    }
}

/// A device list that must be there.
///
/// # Safety
/// A non-null list has `n` elements, null or handles.
unsafe fn check_devices(list: *const cl::cl_device_id, n: cl::cl_uint, context: &Context) -> Result {
    // SAFETY: the caller's promise.
    let list = unsafe { ffi::elements(list, n, "device_list is NULL or num_devices is zero")? };
    // SAFETY: as above.
    let devices: Vec<Obj<Device>> = unsafe { handle::share_all(list)? };
    devices.iter().try_for_each(|device| context.check_device(device))
}

/// Spec: "Creating Program Objects".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateProgramWithIL(
    context: cl::cl_context,
    il: *const c_void,
    length: usize,
    errcode_ret: *mut cl::cl_int,
) -> cl::cl_program {
    // SAFETY: the caller's promise.
    unsafe {
        ffi::create("clCreateProgramWithIL", errcode_ret, || {
            let context = handle::context(context)?;
            let Some(il) = ffi::slice(il.cast::<u8>(), length).filter(|il| !il.is_empty()) else {
                return fail(Status::InvalidValue, "il is NULL or length is zero");
            };
            ffi::room(il.len().saturating_mul(2))?;
            Ok(handle::give(Program::create_with_il(&context, il)?))
        })
    }
}

/// Spec: "Retaining and Releasing Program Objects".
///
/// # Safety
/// `program` is null or a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clRetainProgram(program: cl::cl_program) -> cl::cl_int {
    // SAFETY: the caller's promise.
    ffi::call("clRetainProgram", || unsafe { handle::retain::<Program>(program) })
}

/// Spec: "Retaining and Releasing Program Objects".
///
/// # Safety
/// `program` is null or a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clReleaseProgram(program: cl::cl_program) -> cl::cl_int {
    // SAFETY: the caller's promise.
    ffi::call("clReleaseProgram", || unsafe { handle::release::<Program>(program) })
}

/// Spec: "Setting SPIR-V Specialization Constants", `clSetProgramReleaseCallback`.
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clSetProgramReleaseCallback(
    program: cl::cl_program,
    pfn_notify: cl::program_notify,
    _user_data: *mut c_void,
) -> cl::cl_int {
    // SAFETY: the caller's promise.
    ffi::call("clSetProgramReleaseCallback", || unsafe {
        handle::borrow::<Program>(program)?;
        callback::required(pfn_notify)?;
        fail(
            Status::InvalidOperation,
            "no devices in the context associated with program support destructors for program scope global variables",
        )
    })
}

/// Spec: "Setting SPIR-V Specialization Constants".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clSetProgramSpecializationConstant(
    program: cl::cl_program,
    spec_id: cl::cl_uint,
    spec_size: usize,
    spec_value: *const c_void,
) -> cl::cl_int {
    // SAFETY: the caller's promise.
    ffi::call("clSetProgramSpecializationConstant", || unsafe {
        let program = handle::borrow::<Program>(program)?;
        let Some(value) = ffi::slice(spec_value.cast::<u8>(), spec_size) else {
            return fail(Status::InvalidValue, "spec_value is NULL");
        };
        program.set_spec_constant(spec_id, value)
    })
}

/// The name of a program-scope variable.
///
/// # Safety
/// `name` is null or a zero-terminated string.
pub(crate) unsafe fn variable_name(name: *const c_char) -> Result<String> {
    // SAFETY: the caller's promise.
    match unsafe { ffi::string(name) } {
        Some(name) => Ok(String::from_utf8_lossy(name).into_owned()),
        None => fail(Status::InvalidValue, "name is NULL"),
    }
}

/// `clGetDeviceGlobalVariablePointerINTEL`: every device of a context sees the same variable.
///
/// # Safety
/// Pointers are null or valid.
pub unsafe extern "C" fn get_device_global_variable_pointer(
    device: cl::cl_device_id,
    program: cl::cl_program,
    global_variable_name: *const c_char,
    global_variable_size_ret: *mut usize,
    global_variable_pointer_ret: *mut *mut c_void,
) -> cl::cl_int {
    // SAFETY: the caller's promise.
    ffi::call("clGetDeviceGlobalVariablePointerINTEL", || unsafe {
        let device = handle::share::<Device>(device)?;
        let program = handle::borrow::<Program>(program)?;
        program.context().check_device(&device)?;
        let variable = program.variable(&variable_name(global_variable_name)?)?;
        ensure!(!global_variable_pointer_ret.is_null(), InvalidValue, "global_variable_pointer_ret is NULL");
        ffi::put(global_variable_size_ret, variable.size);
        ffi::put(global_variable_pointer_ret, std::ptr::with_exposed_provenance_mut(variable.address));
        Ok(())
    })
}

/// Spec: "Program Object Queries".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetProgramInfo(
    program: cl::cl_program,
    param_name: cl::cl_program_info,
    param_value_size: usize,
    param_value: *mut c_void,
    param_value_size_ret: *mut usize,
) -> cl::cl_int {
    let out = InfoOut { size: param_value_size, value: param_value, size_ret: param_value_size_ret };
    // SAFETY: the caller's promise.
    ffi::call("clGetProgramInfo", || unsafe {
        let program = handle::borrow::<Program>(program)?;
        let answer = info::query(info::program::ROWS, &program, param_name)?;
        if param_name == cl::CL_PROGRAM_BINARIES {
            return binaries(&program, answer.bytes().len(), out);
        }
        out.store(answer.bytes())
    })
}

/// "param_value points to an array of n pointers allocated by the caller": fills the memory behind those that are not
/// null.
///
/// # Safety
/// As `clGetProgramInfo`.
unsafe fn binaries(program: &Program, list_bytes: usize, out: InfoOut) -> Result {
    if !out.value.is_null() {
        ensure!(
            list_bytes <= out.size,
            InvalidValue,
            "the size in bytes specified by param_value_size is less than the size of the return type and param_value is \
             not NULL"
        );
        let binary = program.binary();
        let pointers = out.value.cast::<*mut u8>();
        for idx in 0..list_bytes / size_of::<*mut u8>() {
            // SAFETY: the list has that many pointers, each null or to as many bytes as CL_PROGRAM_BINARY_SIZES said.
            unsafe {
                let target = pointers.add(idx).read_unaligned();
                if !target.is_null() {
                    std::ptr::copy_nonoverlapping(binary.as_ptr(), target, binary.len());
                }
            }
        }
    }
    // SAFETY: null or writable.
    unsafe { ffi::put(out.size_ret, list_bytes) };
    Ok(())
}

/// Spec: "Program Object Queries".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetProgramBuildInfo(
    program: cl::cl_program,
    device: cl::cl_device_id,
    param_name: cl::cl_program_build_info,
    param_value_size: usize,
    param_value: *mut c_void,
    param_value_size_ret: *mut usize,
) -> cl::cl_int {
    let out = InfoOut { size: param_value_size, value: param_value, size_ret: param_value_size_ret };
    // SAFETY: the caller's promise.
    ffi::call("clGetProgramBuildInfo", || unsafe {
        let program = handle::borrow::<Program>(program)?;
        let device = handle::share::<Device>(device)?;
        program.context().check_device(&device)?;
        out.store(info::query(info::program::BUILD_ROWS, &program, param_name)?.bytes())
    })
}
