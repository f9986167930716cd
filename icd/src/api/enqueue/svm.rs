//! Commands on shared virtual memory. Spec: "Shared Virtual Memory".

#![allow(unsafe_code, reason = "C entry points")]

use super::{blocking, fill_pattern, host_ptr};
use crate::error::{Result, Status, fail};
use crate::{callback, cl, convert, ffi};
use clift_runtime::queue::Blocking;
use clift_runtime::queue::command::{Command, CommandType};
use std::ffi::c_void;
use std::sync::Arc;

enqueuing! {
    /// Spec: "Shared Virtual Memory".
    #[unsafe(no_mangle)]
    fn clEnqueueSVMFree(
        num_svm_pointers: cl::cl_uint,
        svm_pointers: *mut *mut c_void,
        pfn_free_func: cl::svm_free_notify,
        user_data: *mut c_void
    )
    let unsafe list = {
        let rule =
            "num_svm_pointers is 0 and svm_pointers is not NULL, or svm_pointers is NULL and num_svm_pointers is not 0";
        ffi::list(svm_pointers, num_svm_pointers, Status::InvalidValue, rule)?
    };
    |target| {
        let addresses: Vec<usize> = list.iter().map(|pointer| pointer.expose_provenance()).collect();
        let free = match pfn_free_func {
            Some(function) => callback::svm_free(function, &target.queue, addresses, user_data),
            None => {
                let context = Arc::clone(target.queue.context());
                Box::new(move || addresses.into_iter().for_each(|address| context.svm_free(address)))
            }
        };
        target.enqueue(Command::svm_free(free), Blocking::No)
    }

    /// Spec: "Shared Virtual Memory".
    #[unsafe(no_mangle)]
    fn clEnqueueSVMMemcpy(
        blocking_copy: cl::cl_bool,
        dst_ptr: *mut c_void,
        src_ptr: *const c_void,
        size: usize
    )
    let unsafe command = copy(dst_ptr, src_ptr, size)?;
    |target| {
        target.enqueue(command, blocking(blocking_copy))
    }

    /// Spec: cl_khr_unified_svm, "Using Copying SVM with Properties".
    #[expect(non_snake_case, reason = "a name of the C API, found by name only")]
    fn clEnqueueSVMMemcpyWithPropertiesKHR(
        properties: *const u64,
        blocking_copy: cl::cl_bool,
        dst_ptr: *mut c_void,
        src_ptr: *const c_void,
        size: usize
    )
    let unsafe command = {
        convert::no_properties(ffi::properties(properties).as_deref())?;
        copy(dst_ptr, src_ptr, size)?
    };
    |target| {
        target.enqueue(command, blocking(blocking_copy))
    }

    /// Spec: "Shared Virtual Memory".
    #[unsafe(no_mangle)]
    fn clEnqueueSVMMemFill(svm_ptr: *mut c_void, pattern: *const c_void, pattern_size: usize, size: usize)
    let unsafe command = fill(svm_ptr, pattern, pattern_size, size)?;
    |target| {
        target.enqueue(command, Blocking::No)
    }

    /// Spec: "Shared Virtual Memory".
    #[unsafe(no_mangle)]
    fn clEnqueueSVMMap(blocking_map: cl::cl_bool, flags: cl::cl_map_flags, svm_ptr: *mut c_void, size: usize)
    let unsafe memory = host_ptr(svm_ptr)?;
    |target| {
        let command = Command::svm_map(target.queue.context(), flags, memory.address(), size)?;
        target.enqueue(command, blocking(blocking_map))
    }

    /// Spec: "Shared Virtual Memory".
    #[unsafe(no_mangle)]
    fn clEnqueueSVMUnmap(svm_ptr: *mut c_void)
    let unsafe memory = host_ptr(svm_ptr)?;
    |target| {
        let command = Command::svm_unmap(target.queue.context(), memory.address())?;
        target.enqueue(command, Blocking::No)
    }

    /// Spec: "Shared Virtual Memory".
    #[unsafe(no_mangle)]
    fn clEnqueueSVMMigrateMem(
        num_svm_pointers: cl::cl_uint,
        svm_pointers: *const *const c_void,
        sizes: *const usize,
        flags: cl::cl_mem_migration_flags
    )
    let unsafe ranges = {
        let n = num_svm_pointers as usize;
        let Some(pointers) = ffi::slice(svm_pointers, n) else {
            return fail(Status::InvalidValue, "svm_pointers is NULL");
        };
        let sizes = ffi::slice(sizes, n).unwrap_or_default().iter().copied().chain(std::iter::repeat(0));
        pointers.iter().map(|pointer| pointer.addr()).zip(sizes).collect::<Vec<_>>()
    };
    |target| {
        let command = Command::svm_migrate(target.queue.context(), &ranges, flags)?;
        target.enqueue(command, Blocking::No)
    }
}

/// A copy of memory that is known by its address.
///
/// # Safety
/// As `HostPtr::new`, if there are bytes to copy.
pub unsafe fn copy(to: *mut c_void, from: *const c_void, size: usize) -> Result<Command> {
    if size == 0 {
        return Ok(Command::svm_copy_nothing());
    }
    // SAFETY: the caller's promise. A copy only reads through its source.
    let [to, from] = unsafe { [host_ptr(to)?, host_ptr(from.cast_mut())?] };
    Command::memcpy(CommandType::SvmMemcpy, to, from, size)
}

/// A fill of memory that is known by its address.
///
/// # Safety
/// As `fill_pattern`; as `HostPtr::new`, if there are bytes to fill.
pub unsafe fn fill(to: *mut c_void, pattern: *const c_void, pattern_size: usize, size: usize) -> Result<Command> {
    // SAFETY: the caller's promise.
    let pattern = unsafe { fill_pattern(pattern, pattern_size)? };
    if size == 0 {
        return Command::svm_fill_nothing(to.addr(), pattern);
    }
    // SAFETY: the caller's promise.
    Command::memfill(CommandType::SvmMemFill, unsafe { host_ptr(to)? }, pattern, size)
}
