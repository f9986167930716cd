//! Shared virtual memory outside of queues. The device does not support it. Spec: "Shared Virtual Memory".

#![allow(unsafe_code, reason = "C entry points")]

use crate::error::{Status, fail};
use crate::{cl, ffi, handle, validate};
use clift_runtime::context::Context;
use clift_runtime::kernel::Kernel;
use std::ffi::c_void;

/// Spec: "SVM Allocations" (`clSVMAlloc`): null, as no device in the context supports SVM.
///
/// # Safety
/// `context` is null or a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clSVMAlloc(
    context: cl::cl_context,
    _flags: cl::cl_svm_mem_flags,
    _size: usize,
    _alignment: cl::cl_uint,
) -> *mut c_void {
    // SAFETY: the caller's promise.
    ffi::pointer("clSVMAlloc", || unsafe {
        handle::borrow::<Context>(context)?;
        fail(Status::InvalidOperation, "no devices in context support SVM")
    })
}

/// Spec: `clSVMFree`. There is no allocation to free.
#[unsafe(no_mangle)]
pub extern "C" fn clSVMFree(_context: cl::cl_context, _svm_pointer: *mut c_void) {}

/// Spec: "Setting Kernel Arguments".
///
/// # Safety
/// `kernel` is null or a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clSetKernelArgSVMPointer(
    kernel: cl::cl_kernel,
    _arg_index: cl::cl_uint,
    _arg_value: *const c_void,
) -> cl::cl_int {
    // SAFETY: the caller's promise.
    ffi::call("clSetKernelArgSVMPointer", || unsafe {
        handle::borrow::<Kernel>(kernel)?;
        fail(Status::InvalidOperation, "no devices in the context associated with kernel support SVM")
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
        let value = ffi::slice(param_value.cast::<u8>(), param_value_size);
        validate::kernel::exec_info(param_name, value)
    })
}
