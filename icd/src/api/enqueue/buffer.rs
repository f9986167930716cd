//! Read, write, copy and fill of buffers. Spec: "Reading, Writing and Copying Buffer Objects", "Filling Buffer
//! Objects".

#![allow(unsafe_code, reason = "C entry points")]

use super::{blocking, fill_pattern, host_ptr};
use crate::{cl, ffi, handle};
use clift_runtime::memory::buffer::Mem;
use clift_runtime::queue::Blocking;
use clift_runtime::queue::command::Command;
use std::ffi::c_void;

enqueuing! {
    /// Spec: "Reading, Writing and Copying Buffer Objects".
    #[unsafe(no_mangle)]
    fn clEnqueueReadBuffer(
        buffer: cl::cl_mem,
        blocking_read: cl::cl_bool,
        offset: usize,
        size: usize,
        ptr: *mut c_void
    )
    let unsafe (buffer, ptr) = (handle::borrow::<Mem>(buffer)?, host_ptr(ptr)?);
    |target| {
        target.enqueue(Command::read_buffer(&buffer, offset, size, ptr)?, blocking(blocking_read))
    }

    /// Spec: "Reading, Writing and Copying Buffer Objects".
    #[unsafe(no_mangle)]
    fn clEnqueueWriteBuffer(
        buffer: cl::cl_mem,
        blocking_write: cl::cl_bool,
        offset: usize,
        size: usize,
        ptr: *const c_void
    )
    let unsafe (buffer, ptr) = (handle::borrow::<Mem>(buffer)?, host_ptr(ptr.cast_mut())?);
    |target| {
        // A write command only reads through the pointer.
        target.enqueue(Command::write_buffer(&buffer, offset, size, ptr)?, blocking(blocking_write))
    }

    /// Spec: "Reading, Writing and Copying Buffer Objects".
    #[unsafe(no_mangle)]
    fn clEnqueueCopyBuffer(
        src_buffer: cl::cl_mem,
        dst_buffer: cl::cl_mem,
        src_offset: usize,
        dst_offset: usize,
        size: usize
    )
    let unsafe (source, destination) = (handle::borrow::<Mem>(src_buffer)?, handle::borrow::<Mem>(dst_buffer)?);
    |target| {
        let command = Command::copy_buffer(&source, &destination, src_offset, dst_offset, size)?;
        target.enqueue(command, Blocking::No)
    }

    /// Spec: "Filling Buffer Objects".
    #[unsafe(no_mangle)]
    fn clEnqueueFillBuffer(
        buffer: cl::cl_mem,
        pattern: *const c_void,
        pattern_size: usize,
        offset: usize,
        size: usize
    )
    let unsafe (buffer, pattern) = (handle::borrow::<Mem>(buffer)?, fill_pattern(pattern, pattern_size)?);
    |target| {
        target.enqueue(Command::fill_buffer(&buffer, pattern, offset, size)?, Blocking::No)
    }
}
