//! Unified shared memory outside of queues. Spec: cl_intel_unified_shared_memory.

#![allow(unsafe_code, reason = "C entry points")]

use crate::error::{Result, Status, fail};
use crate::ffi::{self, InfoOut};
use crate::{cl, convert, handle, info};
use clift_runtime::context::Context;
use clift_runtime::device::Device;
use clift_runtime::kernel::Kernel;
use clift_runtime::memory::usm::Owner;
use clift_runtime::object::Obj;
use std::ffi::c_void;

/// An allocation's size, alignment and properties as C passes them.
struct Wish {
    properties: *const cl::cl_mem_properties,
    size: usize,
    alignment: cl::cl_uint,
}

impl Wish {
    /// # Safety
    /// The properties are null or a terminated list.
    unsafe fn allocate(self, context: &Obj<Context>, owner: Owner) -> Result<*mut c_void> {
        // SAFETY: the caller's promise.
        let pairs = unsafe { ffi::properties(self.properties) }.unwrap_or_default();
        let mut flags = 0;
        for &(name, value) in &pairs {
            if name != u64::from(cl::CL_MEM_ALLOC_FLAGS_INTEL) {
                return fail(
                    Status::InvalidProperty,
                    "a memory property name in properties is not a supported property name",
                );
            }
            flags = value;
        }
        convert::distinct_names(&pairs, Status::InvalidProperty)?;
        let address = context.usm_alloc(owner, flags, self.size, self.alignment)?;
        Ok(std::ptr::with_exposed_provenance_mut(address))
    }
}

/// `clHostMemAllocINTEL`. Spec: "Host Allocations".
///
/// # Safety
/// Pointers are null or as the specification says.
pub unsafe extern "C" fn host_mem_alloc(
    context: cl::cl_context,
    properties: *const cl::cl_mem_properties,
    size: usize,
    alignment: cl::cl_uint,
    errcode_ret: *mut cl::cl_int,
) -> *mut c_void {
    // SAFETY: the caller's promise.
    unsafe {
        ffi::create("clHostMemAllocINTEL", errcode_ret, || {
            let context = handle::borrow::<Context>(context)?;
            Wish { properties, size, alignment }.allocate(&context, Owner::Host)
        })
    }
}

/// `clDeviceMemAllocINTEL`. Spec: "Device Allocations".
///
/// # Safety
/// Pointers are null or as the specification says.
pub unsafe extern "C" fn device_mem_alloc(
    context: cl::cl_context,
    device: cl::cl_device_id,
    properties: *const cl::cl_mem_properties,
    size: usize,
    alignment: cl::cl_uint,
    errcode_ret: *mut cl::cl_int,
) -> *mut c_void {
    // SAFETY: the caller's promise.
    unsafe {
        ffi::create("clDeviceMemAllocINTEL", errcode_ret, || {
            let context = handle::borrow::<Context>(context)?;
            let device = handle::share::<Device>(device)?;
            Wish { properties, size, alignment }.allocate(&context, Owner::Device(device))
        })
    }
}

/// `clSharedMemAllocINTEL`. Spec: "Shared Allocations".
///
/// # Safety
/// Pointers are null or as the specification says.
pub unsafe extern "C" fn shared_mem_alloc(
    context: cl::cl_context,
    device: cl::cl_device_id,
    properties: *const cl::cl_mem_properties,
    size: usize,
    alignment: cl::cl_uint,
    errcode_ret: *mut cl::cl_int,
) -> *mut c_void {
    // SAFETY: the caller's promise.
    unsafe {
        ffi::create("clSharedMemAllocINTEL", errcode_ret, || {
            let context = handle::borrow::<Context>(context)?;
            let device = if device.is_null() { None } else { Some(handle::share::<Device>(device)?) };
            Wish { properties, size, alignment }.allocate(&context, Owner::Shared(device))
        })
    }
}

/// `clMemFreeINTEL`. Spec: "Freeing Allocations".
///
/// # Safety
/// `context` is null or a handle; no command uses the memory.
pub unsafe extern "C" fn mem_free(context: cl::cl_context, ptr: *mut c_void) -> cl::cl_int {
    // SAFETY: the caller's promise.
    ffi::call("clMemFreeINTEL", || unsafe { handle::borrow::<Context>(context)?.usm_free(ptr.addr()) })
}

/// `clMemBlockingFreeINTEL`. Spec: "Freeing Allocations".
///
/// # Safety
/// `context` is null or a handle.
pub unsafe extern "C" fn mem_blocking_free(context: cl::cl_context, ptr: *mut c_void) -> cl::cl_int {
    // SAFETY: the caller's promise.
    ffi::call("clMemBlockingFreeINTEL", || unsafe { handle::share::<Context>(context)?.usm_free_after_use(ptr.addr()) })
}

/// `clGetMemAllocInfoINTEL`. Spec: "Unified Shared Memory Queries".
///
/// # Safety
/// Pointers are null or as the specification says; `ptr` may be any address.
pub unsafe extern "C" fn get_mem_alloc_info(
    context: cl::cl_context,
    ptr: *const c_void,
    param_name: cl::cl_uint,
    param_value_size: usize,
    param_value: *mut c_void,
    param_value_size_ret: *mut usize,
) -> cl::cl_int {
    let out = InfoOut { size: param_value_size, value: param_value, size_ret: param_value_size_ret };
    // SAFETY: the caller's promise.
    ffi::call("clGetMemAllocInfoINTEL", || unsafe {
        let found = handle::borrow::<Context>(context)?.usm_info(ptr.addr());
        out.store(info::query(info::usm::ROWS, &found, param_name)?.bytes())
    })
}

/// `clSetKernelArgMemPointerINTEL`. Spec: "Using Unified Shared Memory with Kernels".
///
/// # Safety
/// `kernel` is null or a handle.
pub unsafe extern "C" fn set_kernel_arg_mem_pointer(
    kernel: cl::cl_kernel,
    arg_index: cl::cl_uint,
    arg_value: *const c_void,
) -> cl::cl_int {
    // SAFETY: the caller's promise.
    ffi::call("clSetKernelArgMemPointerINTEL", || unsafe {
        handle::borrow::<Kernel>(kernel)?.set_arg_svm(arg_index, arg_value.expose_provenance())
    })
}
