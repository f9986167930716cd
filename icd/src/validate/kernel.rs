//! Kernel arguments, work dimensions and native kernels, as far as C's shapes go: sizes are the runtime's
//! (`clift_runtime::queue::command`).

use crate::cl;
use crate::error::{Error, Result, Status, ensure, fail};
use clift_runtime::context::Context;
use clift_runtime::object::Obj;
use std::ffi::c_void;
use std::sync::Arc;

/// Most dimensions of an NDRange.
pub const MAX_DIMS: cl::cl_uint = 3;

/// Number of dimensions.
///
/// Spec: `clEnqueueNDRangeKernel`.
pub fn work_dim(dims: cl::cl_uint) -> Result<usize> {
    ensure!((1..=MAX_DIMS).contains(&dims), InvalidWorkDimension, "work_dim is not valid for the device");
    Ok(dims as usize)
}

/// Size of an argument that is a handle.
pub fn handle_arg(index: cl::cl_uint, arg_size: usize) -> Result {
    if arg_size == size_of::<cl::cl_mem>() {
        return Ok(());
    }
    Err(Error::ArgSize { index, got: arg_size, want: size_of::<cl::cl_mem>() })
}

/// Size and value of an argument in local memory.
pub fn local_arg(index: cl::cl_uint, arg_size: usize, value: *const c_void) -> Result {
    ensure!(
        arg_size > 0,
        InvalidArgSize,
        "the kernel argument is a pointer to the local address space and arg_size is zero"
    );
    // "If the argument is declared with the local qualifier, the arg_value entry must be NULL"
    if !value.is_null() {
        return Err(Error::ArgValue { index });
    }
    Ok(())
}

/// "the context associated with kernel and an OpenCL object pointed to by arg_value are not the same"
pub fn same_context(kernel: &Obj<Context>, other: &Obj<Context>) -> Result {
    if Arc::ptr_eq(kernel, other) { Ok(()) } else { Err(Error::ContextMismatch) }
}

/// Spec: `clSetKernelExecInfo`. Every kernel may use all memory of the host, so there is nothing to remember.
pub fn exec_info(name: cl::cl_kernel_exec_info, size: usize, value: *const c_void) -> Result {
    let size_is_valid = match name {
        cl::CL_KERNEL_EXEC_INFO_SVM_PTRS | cl::CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL => {
            size.is_multiple_of(size_of::<*mut c_void>())
        }
        cl::CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM
        | cl::CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL
        | cl::CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL
        | cl::CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL => size == size_of::<cl::cl_bool>(),
        _ => return fail(Status::InvalidValue, "param_name is not valid"),
    };
    ensure!(size_is_valid, InvalidValue, "the size specified by param_value_size is not valid");
    ensure!(
        !value.is_null() || size == 0,
        InvalidValue,
        "param_value is NULL and param_value_size is greater than zero"
    );
    Ok(())
}

/// Spec: `clEnqueueNativeKernel`.
pub fn native(args: *mut c_void, size: usize, n_mems: usize, mems_is_null: bool, places_is_null: bool) -> Result {
    ensure!(!args.is_null() || size == 0, InvalidValue, "args is a NULL value and cb_args > 0");
    ensure!(!args.is_null() || n_mems == 0, InvalidValue, "args is a NULL value and num_mem_objects > 0");
    ensure!(args.is_null() || size > 0, InvalidValue, "args is not NULL and cb_args is 0");
    ensure!(
        n_mems == 0 || (!mems_is_null && !places_is_null),
        InvalidValue,
        "num_mem_objects > 0 and mem_list or args_mem_loc are NULL"
    );
    ensure!(
        n_mems > 0 || (mems_is_null && places_is_null),
        InvalidValue,
        "num_mem_objects = 0 and mem_list or args_mem_loc are not NULL"
    );
    Ok(())
}
