//! Map, unmap and migrate. Spec: "Mapping Buffer Objects", "Unmapping Mapped Memory Objects", "Migrating Memory
//! Objects".

#![allow(unsafe_code, reason = "C entry points")]

use super::{Call, blocking};
use crate::error::{Result, Status, ensure, fail};
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
    fn clEnqueueUnmapMemObject(memobj: cl::cl_mem, mapped_ptr: *mut c_void) |target| {
        // Shared: the map that ends may be the last that keeps the object.
        let mem = handle::share::<Mem>(memobj)?;
        target.enqueue(Command::unmap(&mem, mapped_ptr.addr())?, Blocking::No)
    }

    /// Spec: "Migrating Memory Objects".
    #[unsafe(no_mangle)]
    fn clEnqueueMigrateMemObjects(
        num_mem_objects: cl::cl_uint,
        mem_objects: *const cl::cl_mem,
        flags: cl::cl_mem_migration_flags
    ) |target| {
        ensure!(num_mem_objects > 0, InvalidValue, "num_mem_objects is zero");
        let Some(list) = ffi::slice(mem_objects, num_mem_objects as usize) else {
            return fail(Status::InvalidValue, "mem_objects is NULL");
        };
        let objects: Vec<Obj<Mem>> = list.iter().map(|&mem| handle::share(mem)).collect::<Result<_>>()?;
        target.enqueue(Command::migrate(&objects, flags)?, Blocking::No)
    }
}
