//! Shared virtual memory outside of queues. Spec: "Shared Virtual Memory".

#![allow(unsafe_code, reason = "C entry points")]

use crate::error::{Result, Status, ensure, fail};
use crate::{cl, ffi, handle};
use clift_runtime::context::Context;
use clift_runtime::kernel::Kernel;
use std::ffi::c_void;

/// Spec: "Shared Virtual Memory".
///
/// # Safety
/// `context` is null or a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clSVMAlloc(
    context: cl::cl_context,
    flags: cl::cl_svm_mem_flags,
    size: usize,
    alignment: cl::cl_uint,
) -> *mut c_void {
    // SAFETY: the caller's promise.
    ffi::pointer("clSVMAlloc", || unsafe {
        let context = handle::context(context)?;
        Ok(std::ptr::with_exposed_provenance_mut(context.svm_alloc(flags, size, alignment)?))
    })
}

/// Spec: "Shared Virtual Memory".
///
/// # Safety
/// `context` is null or a handle; no command uses the memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clSVMFree(context: cl::cl_context, svm_pointer: *mut c_void) {
    // SAFETY: the caller's promise.
    ffi::call("clSVMFree", || unsafe {
        handle::borrow::<Context>(context)?.svm_free(svm_pointer.addr());
        Ok(())
    });
}

/// Spec: "Setting Kernel Arguments".
///
/// # Safety
/// `kernel` is null or a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clSetKernelArgSVMPointer(
    kernel: cl::cl_kernel,
    arg_index: cl::cl_uint,
    arg_value: *const c_void,
) -> cl::cl_int {
    // SAFETY: the caller's promise.
    ffi::call("clSetKernelArgSVMPointer", || unsafe {
        handle::borrow::<Kernel>(kernel)?.set_arg_svm(arg_index, arg_value.expose_provenance())
    })
}

/// Spec: "Setting Kernel Arguments".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clSetKernelExecInfo(
    kernel: cl::cl_kernel,
    param_name: cl::cl_kernel_exec_info,
    param_value_size: usize,
    param_value: *const c_void,
) -> cl::cl_int {
    // SAFETY: the caller's promise.
    ffi::call("clSetKernelExecInfo", || unsafe {
        exec_info(&*handle::borrow::<Kernel>(kernel)?, param_name, param_value_size, param_value)
    })
}

/// Every kernel may use all memory of the host, so there is nothing to remember of that. Spec: `clSetKernelExecInfo`.
///
/// # Safety
/// A non-null `value` has `size` bytes.
pub unsafe fn exec_info(kernel: &Kernel, name: cl::cl_kernel_exec_info, size: usize, value: *const c_void) -> Result {
    let size_is_valid = match name {
        cl::CL_KERNEL_EXEC_INFO_SVM_PTRS | cl::CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL => {
            size.is_multiple_of(size_of::<*mut c_void>())
        }
        cl::CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT => size.is_multiple_of(size_of::<cl::cl_ulong>()),
        cl::CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM
        | cl::CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL
        | cl::CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL
        | cl::CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL
        | cl::CL_KERNEL_EXEC_INFO_SVM_INDIRECT_ACCESS_KHR => size == size_of::<cl::cl_bool>(),
        cl::CL_KERNEL_EXEC_INFO_DISPATCH_TYPE_INTEL => size == size_of::<cl::cl_uint>(),
        _ => return fail(Status::InvalidValue, "param_name is not valid"),
    };
    ensure!(size_is_valid, InvalidValue, "the size specified by param_value_size is not valid");
    ensure!(
        !value.is_null() || size == 0,
        InvalidValue,
        "param_value is NULL and param_value_size is greater than zero"
    );
    if name == cl::CL_KERNEL_EXEC_INFO_DISPATCH_TYPE_INTEL {
        // SAFETY: it has the bytes of a number.
        match unsafe { value.cast::<cl::cl_uint>().read_unaligned() } {
            cl::CL_KERNEL_EXEC_INFO_DISPATCH_TYPE_DEFAULT_INTEL => kernel.set_concurrent(false),
            cl::CL_KERNEL_EXEC_INFO_DISPATCH_TYPE_CONCURRENT_INTEL => kernel.set_concurrent(true),
            _ => return fail(Status::InvalidValue, "param_value is not a valid dispatch type"),
        }
    }
    Ok(())
}
