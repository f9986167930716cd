//! Map, unmap and migrate. Spec: "Mapping Buffer Objects", "Unmapping Mapped Memory Objects", "Migrating Memory
//! Objects".

#![allow(unsafe_code, reason = "C entry points")]

use super::{Call, blocking};
use crate::error::{Result, Status};
use crate::{cl, ffi, handle};
use clift_runtime::memory::buffer::Mem;
use clift_runtime::object::Obj;
use clift_runtime::queue::Blocking;
use clift_runtime::queue::command::Command;
use std::ffi::c_void;

/// Spec: "Mapping Buffer Objects".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clEnqueueMapBuffer(
    command_queue: cl::cl_command_queue,
    buffer: cl::cl_mem,
    blocking_map: cl::cl_bool,
    map_flags: cl::cl_map_flags,
    offset: usize,
    size: usize,
    num_events_in_wait_list: cl::cl_uint,
    event_wait_list: *const cl::cl_event,
    event: *mut cl::cl_event,
    errcode_ret: *mut cl::cl_int,
) -> *mut c_void {
    let call = Call { queue: command_queue, n_waits: num_events_in_wait_list, waits: event_wait_list, event };
    // SAFETY: the caller's promise.
    unsafe {
        ffi::create("clEnqueueMapBuffer", errcode_ret, || {
            let target = call.target()?;
            let buffer = handle::borrow::<Mem>(buffer)?;
            let (command, address) = Command::map_buffer(&buffer, map_flags, offset, size)?;
            target.enqueue(command, blocking(blocking_map))?;
            Ok(std::ptr::with_exposed_provenance_mut(address))
        })
    }
}

enqueuing! {
    /// Spec: "Unmapping Mapped Memory Objects".
    #[unsafe(no_mangle)]
    fn clEnqueueUnmapMemObject(memobj: cl::cl_mem, mapped_ptr: *mut c_void)
    let unsafe mem = handle::share::<Mem>(memobj)?;
    |target| {
        // Shared: the map that ends may be the last that keeps the object.
        target.enqueue(Command::unmap(&mem, mapped_ptr.addr())?, Blocking::No)
    }

    /// Spec: "Migrating Memory Objects".
    #[unsafe(no_mangle)]
    fn clEnqueueMigrateMemObjects(
        num_mem_objects: cl::cl_uint,
        mem_objects: *const cl::cl_mem,
        flags: cl::cl_mem_migration_flags
    )
    let unsafe objects = {
        let list = ffi::elements(mem_objects, num_mem_objects, "num_mem_objects is zero or mem_objects is NULL")?;
        handle::share_all(list)?
    };
    |target| {
        target.enqueue(Command::migrate(&objects, flags)?, Blocking::No)
    }

    /// Spec: cl_ext_migrate_memobject.
    #[expect(non_snake_case, reason = "a name of the C API, found by name only")]
    fn clEnqueueMigrateMemObjectEXT(
        num_mem_objects: cl::cl_uint,
        mem_objects: *const cl::cl_mem,
        flags: cl::cl_mem_migration_flags
    )
    let unsafe objects = {
        let list = ffi::elements(mem_objects, num_mem_objects, "num_mem_objects is zero or mem_objects is NULL")?;
        handle::share_all(list)?
    };
    |target| {
        target.enqueue(Command::migrate_ext(&objects, flags)?, Blocking::No)
    }

    /// Spec: "Acquiring and Releasing External Memory Objects".
    #[expect(non_snake_case, reason = "a name of the C API, found by name only")]
    fn clEnqueueAcquireExternalMemObjectsKHR(num_mem_objects: cl::cl_uint, mem_objects: *const cl::cl_mem)
    let unsafe objects = objects(num_mem_objects, mem_objects)?;
    |target| {
        target.enqueue_by(|queue, waits, want| queue.hand_over(&objects, true, waits, want))
    }

    /// Spec: "Acquiring and Releasing External Memory Objects".
    #[expect(non_snake_case, reason = "a name of the C API, found by name only")]
    fn clEnqueueReleaseExternalMemObjectsKHR(num_mem_objects: cl::cl_uint, mem_objects: *const cl::cl_mem)
    let unsafe objects = objects(num_mem_objects, mem_objects)?;
    |target| {
        target.enqueue_by(|queue, waits, want| queue.hand_over(&objects, false, waits, want))
    }
}

/// Memory objects of a command that may have none.
///
/// # Safety
/// A non-null list has `n` elements, null or handles.
unsafe fn objects(n: cl::cl_uint, list: *const cl::cl_mem) -> Result<Vec<Obj<Mem>>> {
    let rule = "num_mem_objects is zero and mem_objects is not NULL, or the reverse";
    // SAFETY: the caller's promise.
    unsafe { handle::share_all(ffi::list(list, n, Status::InvalidValue, rule)?) }
}
