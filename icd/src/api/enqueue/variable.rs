//! Commands on program-scope variables. Spec: cl_intel_global_variable_access.

#![allow(unsafe_code, reason = "C entry points")]
#![allow(non_snake_case, reason = "names of the C API, found by name only")]

use super::{blocking, host_ptr};
use crate::api::program::variable_name;
use crate::{cl, ffi, handle};
use clift_runtime::program::Program;
use clift_runtime::queue::command::Command;
use std::ffi::{c_char, c_void};

enqueuing! {
    /// Spec: "Global Variable Access".
    fn clEnqueueReadGlobalVariableINTEL(
        program: cl::cl_program,
        name: *const c_char,
        blocking_read: cl::cl_bool,
        size: usize,
        offset: usize,
        ptr: *mut c_void
    )
    let unsafe (program, name, ptr) = (handle::share::<Program>(program)?, variable_name(name)?, host_ptr(ptr)?);
    |target| {
        target.enqueue(Command::read_variable(&program, &name, offset, size, ptr)?, blocking(blocking_read))
    }

    /// Spec: "Global Variable Access".
    fn clEnqueueWriteGlobalVariableINTEL(
        program: cl::cl_program,
        name: *const c_char,
        blocking_write: cl::cl_bool,
        size: usize,
        offset: usize,
        ptr: *const c_void
    )
    let unsafe (program, name, ptr) =
        (handle::share::<Program>(program)?, variable_name(name)?, host_ptr(ptr.cast_mut())?);
    |target| {
        // A write command only reads through the pointer.
        target.enqueue(Command::write_variable(&program, &name, offset, size, ptr)?, blocking(blocking_write))
    }
}
