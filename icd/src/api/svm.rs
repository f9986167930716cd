//! Shared virtual memory outside of queues. Spec: "Shared Virtual Memory".

#![allow(unsafe_code, reason = "C entry points")]

use crate::{cl, ffi, handle, validate};
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
        handle::borrow::<Kernel>(kernel)?;
        validate::kernel::exec_info(param_name, param_value_size, param_value)
    })
}
