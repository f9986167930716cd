//! Kernel objects, their arguments and queries. Spec: "Kernel Objects".

#![allow(unsafe_code, reason = "C entry points")]

use crate::api::enqueue::kernel::RawSizes;
use crate::error::{Error, Result, Status, ensure, fail};
use crate::ffi::{self, InfoOut};
use crate::{cl, handle, info};
use clift_jit::ArgKind;
use clift_runtime::device::Device;
use clift_runtime::kernel::{ArgValue, Kernel};
use clift_runtime::memory::buffer::Mem;
use clift_runtime::object::Obj;
use clift_runtime::program::Program;
use clift_runtime::queue::Queue;
use clift_runtime::queue::command;
use clift_runtime::sampler::Sampler;
use std::ffi::{c_char, c_void};
use std::sync::Arc;

/// Spec: "Creating Kernel Objects".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateKernel(
    program: cl::cl_program,
    kernel_name: *const c_char,
    errcode_ret: *mut cl::cl_int,
) -> cl::cl_kernel {
    // SAFETY: the caller's promise.
    unsafe {
        ffi::create("clCreateKernel", errcode_ret, || {
            let program = handle::borrow::<Program>(program)?;
            let Some(name) = ffi::string(kernel_name) else {
                return fail(Status::InvalidValue, "kernel_name is NULL");
            };
            Ok(handle::give(program.create_kernel(&String::from_utf8_lossy(name))?))
        })
    }
}

/// Spec: "Creating Kernel Objects".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateKernelsInProgram(
    program: cl::cl_program,
    num_kernels: cl::cl_uint,
    kernels: *mut cl::cl_kernel,
    num_kernels_ret: *mut cl::cl_uint,
) -> cl::cl_int {
    // SAFETY: the caller's promise.
    ffi::call("clCreateKernelsInProgram", || unsafe {
        let program = handle::borrow::<Program>(program)?;
        let names = program.kernel_names()?;
        ensure!(
            kernels.is_null() || num_kernels as usize >= names.len(),
            InvalidValue,
            "kernels is not NULL and num_kernels is less than the number of kernels in program"
        );
        if !kernels.is_null() {
            let made: Vec<Obj<Kernel>> = names.iter().map(|name| program.create_kernel(name)).collect::<Result<_>>()?;
            for (idx, kernel) in made.into_iter().enumerate() {
                ffi::put(kernels.add(idx), handle::give(kernel));
            }
        }
        ffi::put(num_kernels_ret, names.len() as cl::cl_uint);
        Ok(())
    })
}

/// Spec: "Creating Kernel Objects".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCloneKernel(source_kernel: cl::cl_kernel, errcode_ret: *mut cl::cl_int) -> cl::cl_kernel {
    // SAFETY: the caller's promise.
    unsafe {
        ffi::create("clCloneKernel", errcode_ret, || {
            Ok(handle::give(handle::borrow::<Kernel>(source_kernel)?.clone_kernel()))
        })
    }
}

/// Spec: "Creating Kernel Objects".
///
/// # Safety
/// `kernel` is null or a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clRetainKernel(kernel: cl::cl_kernel) -> cl::cl_int {
    // SAFETY: the caller's promise.
    ffi::call("clRetainKernel", || unsafe { handle::retain::<Kernel>(kernel) })
}

/// Spec: "Creating Kernel Objects".
///
/// # Safety
/// `kernel` is null or a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clReleaseKernel(kernel: cl::cl_kernel) -> cl::cl_int {
    // SAFETY: the caller's promise.
    ffi::call("clReleaseKernel", || unsafe { handle::release::<Kernel>(kernel) })
}

/// Spec: "Setting Kernel Arguments".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clSetKernelArg(
    kernel: cl::cl_kernel,
    arg_index: cl::cl_uint,
    arg_size: usize,
    arg_value: *const c_void,
) -> cl::cl_int {
    // SAFETY: the caller's promise.
    ffi::call("clSetKernelArg", || unsafe {
        let kernel = handle::borrow::<Kernel>(kernel)?;
        set_arg(&kernel, arg_index, arg_size, arg_value)
    })
}

/// Sets an argument from what C passes.
///
/// # Safety
/// As `clSetKernelArg`.
pub unsafe fn set_arg(
    kernel: &Obj<Kernel>,
    arg_index: cl::cl_uint,
    arg_size: usize,
    arg_value: *const c_void,
) -> Result {
    // SAFETY: the caller's promise: a non-null value has `arg_size` bytes.
    unsafe {
        match kernel.arg_kind(arg_index)? {
            ArgKind::Value => {
                let Some(bytes) = ffi::slice(arg_value.cast::<u8>(), arg_size) else {
                    return Err(Error::ArgValue { index: arg_index });
                };
                kernel.set_arg(arg_index, ArgValue::Bytes(bytes))
            }
            ArgKind::Buffer { .. } | ArgKind::Image { .. } | ArgKind::Pipe { .. } => {
                let mem = match handle_value(arg_index, arg_size, arg_value)? {
                    mem if mem.is_null() => None,
                    mem => Some(handle::share::<Mem>(mem)?),
                };
                kernel.set_arg(arg_index, ArgValue::Mem(mem.as_ref()))
            }
            // "If the argument is declared with the local qualifier, the arg_value entry must be NULL". A size of zero
            // is worse.
            ArgKind::Local if !arg_value.is_null() && arg_size > 0 => Err(Error::ArgValue { index: arg_index }),
            ArgKind::Local => kernel.set_arg(arg_index, ArgValue::Local(arg_size)),
            ArgKind::Queue => {
                // "if the argument is of type queue_t and arg_value is not a valid device queue object"
                let bad = |_| Error::spec(Status::InvalidDeviceQueue, "arg_value is not a valid device queue object");
                let queue = handle_value(arg_index, arg_size, arg_value)?;
                let queue = handle::share::<Queue>(queue).map_err(bad)?;
                kernel.set_arg(arg_index, ArgValue::Queue(Some(&queue)))
            }
            ArgKind::Sampler => {
                let sampler = handle::share::<Sampler>(handle_value(arg_index, arg_size, arg_value)?)?;
                kernel.set_arg(arg_index, ArgValue::Sampler(&sampler))
            }
        }
    }
}

/// The handle that an argument value of this size points to; null if the value itself is null.
///
/// # Safety
/// A non-null `value` has `size` bytes.
unsafe fn handle_value(index: cl::cl_uint, size: usize, value: *const c_void) -> Result<*mut c_void> {
    let want = size_of::<*mut c_void>();
    if size != want {
        return Err(Error::ArgSize { index, got: size, want });
    }
    if value.is_null() {
        return Ok(std::ptr::null_mut());
    }
    // SAFETY: the caller's promise.
    Ok(unsafe { value.cast::<*mut c_void>().read_unaligned() })
}

/// Spec: "Kernel Object Queries".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetKernelInfo(
    kernel: cl::cl_kernel,
    param_name: cl::cl_kernel_info,
    param_value_size: usize,
    param_value: *mut c_void,
    param_value_size_ret: *mut usize,
) -> cl::cl_int {
    let out = InfoOut { size: param_value_size, value: param_value, size_ret: param_value_size_ret };
    // SAFETY: the caller's promise.
    ffi::call("clGetKernelInfo", || unsafe {
        let kernel = handle::borrow::<Kernel>(kernel)?;
        out.store(info::query(info::kernel::ROWS, &kernel, param_name)?.bytes())
    })
}

/// Spec: "Kernel Object Queries".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetKernelArgInfo(
    kernel: cl::cl_kernel,
    arg_index: cl::cl_uint,
    param_name: cl::cl_kernel_arg_info,
    param_value_size: usize,
    param_value: *mut c_void,
    param_value_size_ret: *mut usize,
) -> cl::cl_int {
    let out = InfoOut { size: param_value_size, value: param_value, size_ret: param_value_size_ret };
    // SAFETY: the caller's promise.
    ffi::call("clGetKernelArgInfo", || unsafe {
        let kernel = handle::borrow::<Kernel>(kernel)?;
        kernel.arg_kind(arg_index)?;
        let arg = &kernel.info().args[arg_index as usize];
        out.store(info::query(info::kernel::ARG_ROWS, arg, param_name)?.bytes())
    })
}

/// The device of a kernel query: null means the only one.
///
/// # Safety
/// `device` is null or a handle.
unsafe fn kernel_device(kernel: &Kernel, device: cl::cl_device_id) -> Result<Obj<Device>> {
    if device.is_null() {
        return match kernel.program().devices() {
            [only] => Ok(Arc::clone(only)),
            _ => fail(Status::InvalidDevice, "device is NULL but there is more than one device associated with kernel"),
        };
    }
    // SAFETY: the caller's promise.
    let device = unsafe { handle::share::<Device>(device)? };
    kernel.program().context().check_device(&device)?;
    Ok(device)
}

/// Spec: "Kernel Object Queries".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetKernelWorkGroupInfo(
    kernel: cl::cl_kernel,
    device: cl::cl_device_id,
    param_name: cl::cl_kernel_work_group_info,
    param_value_size: usize,
    param_value: *mut c_void,
    param_value_size_ret: *mut usize,
) -> cl::cl_int {
    let out = InfoOut { size: param_value_size, value: param_value, size_ret: param_value_size_ret };
    // SAFETY: the caller's promise.
    ffi::call("clGetKernelWorkGroupInfo", || unsafe {
        let kernel = handle::share::<Kernel>(kernel)?;
        let device = kernel_device(&kernel, device)?;
        let on_device = info::kernel::OnDevice { kernel, device };
        out.store(info::query(info::kernel::WORK_GROUP_ROWS, &on_device, param_name)?.bytes())
    })
}

/// Spec: "Kernel Object Queries".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetKernelSubGroupInfo(
    kernel: cl::cl_kernel,
    device: cl::cl_device_id,
    param_name: cl::cl_kernel_sub_group_info,
    input_value_size: usize,
    input_value: *const c_void,
    param_value_size: usize,
    param_value: *mut c_void,
    param_value_size_ret: *mut usize,
) -> cl::cl_int {
    let out = InfoOut { size: param_value_size, value: param_value, size_ret: param_value_size_ret };
    // SAFETY: the caller's promise.
    ffi::call("clGetKernelSubGroupInfo", || unsafe {
        let kernel = handle::share::<Kernel>(kernel)?;
        let device = kernel_device(&kernel, device)?;
        let (word, dims) = (size_of::<usize>(), param_value_size / size_of::<usize>());
        let whole = input_value_size.is_multiple_of(word) && input_value_size <= 3 * word;
        let n = if whole { input_value_size / word } else { 0 };
        let input = ffi::slice(input_value.cast::<usize>(), n).unwrap_or_default().to_vec();
        let query = info::kernel::SubGroups { kernel, device, input, dims: dims.clamp(1, 3) };
        out.store(info::query(info::kernel::SUB_GROUP_ROWS, &query, param_name)?.bytes())
    })
}

/// Spec: "Kernel Object Queries".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetKernelSuggestedLocalWorkSize(
    command_queue: cl::cl_command_queue,
    kernel: cl::cl_kernel,
    work_dim: cl::cl_uint,
    global_work_offset: *const usize,
    global_work_size: *const usize,
    suggested_local_work_size: *mut usize,
) -> cl::cl_int {
    let sizes =
        RawSizes { dims: work_dim, offset: global_work_offset, global: global_work_size, local: std::ptr::null() };
    // SAFETY: the caller's promise.
    ffi::call("clGetKernelSuggestedLocalWorkSize", || unsafe {
        let queue = handle::borrow::<Queue>(command_queue)?;
        let kernel = handle::borrow::<Kernel>(kernel)?;
        ensure!(!suggested_local_work_size.is_null(), InvalidValue, "suggested_local_work_size is NULL");
        let sizes = sizes.resolve()?;
        let local = command::suggested_local_size(&kernel, &queue, sizes)?;
        for (dim, size) in local.iter().take(work_dim as usize).enumerate() {
            ffi::put(suggested_local_work_size.add(dim), *size);
        }
        Ok(())
    })
}

/// `clGetKernelMaxConcurrentWorkGroupCountINTEL`. Spec: cl_intel_concurrent_dispatch.
///
/// # Safety
/// Pointers are null or as the specification says.
pub unsafe extern "C" fn get_max_concurrent_work_group_count(
    command_queue: cl::cl_command_queue,
    kernel: cl::cl_kernel,
    work_dim: cl::cl_uint,
    global_work_offset: *const usize,
    local_work_size: *const usize,
    max_work_group_count: *mut usize,
) -> cl::cl_int {
    let sizes =
        RawSizes { dims: work_dim, offset: global_work_offset, global: std::ptr::null(), local: local_work_size };
    // SAFETY: the caller's promise.
    ffi::call("clGetKernelMaxConcurrentWorkGroupCountINTEL", || unsafe {
        let queue = handle::borrow::<Queue>(command_queue)?;
        let kernel = handle::borrow::<Kernel>(kernel)?;
        let count = command::max_concurrent_groups(&kernel, &queue, sizes.resolve()?)?;
        ensure!(!max_work_group_count.is_null(), InvalidValue, "max_work_group_count is NULL");
        ffi::put(max_work_group_count, count);
        Ok(())
    })
}

/// `clSetKernelArgDevicePointerEXT`. Spec: cl_ext_buffer_device_address.
///
/// # Safety
/// `kernel` is null or a handle.
pub unsafe extern "C" fn set_arg_device_pointer(
    kernel: cl::cl_kernel,
    arg_index: cl::cl_uint,
    arg_value: cl::cl_ulong,
) -> cl::cl_int {
    // SAFETY: the caller's promise.
    ffi::call("clSetKernelArgDevicePointerEXT", || unsafe {
        handle::borrow::<Kernel>(kernel)?.set_arg_device_pointer(arg_index, arg_value as usize)
    })
}
