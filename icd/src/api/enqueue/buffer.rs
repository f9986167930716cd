//! Read, write, copy and fill of buffers. Spec: "Reading, Writing and Copying Buffer Objects", "Filling Buffer Objects".

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
    ) |target| {
        let buffer = handle::borrow::<Mem>(buffer)?;
        let command = Command::read_buffer(&buffer, offset, size, host_ptr(ptr)?)?;
        target.enqueue(command, blocking(blocking_read))
    }

    /// Spec: "Reading, Writing and Copying Buffer Objects".
    #[unsafe(no_mangle)]
    fn clEnqueueWriteBuffer(
        buffer: cl::cl_mem,
        blocking_write: cl::cl_bool,
        offset: usize,
        size: usize,
        ptr: *const c_void
    ) |target| {
        // A write command only reads through the pointer.
        let buffer = handle::borrow::<Mem>(buffer)?;
        let command = Command::write_buffer(&buffer, offset, size, host_ptr(ptr.cast_mut())?)?;
        target.enqueue(command, blocking(blocking_write))
    }

    /// Spec: "Reading, Writing and Copying Buffer Objects".
    #[unsafe(no_mangle)]
    fn clEnqueueCopyBuffer(
        src_buffer: cl::cl_mem,
        dst_buffer: cl::cl_mem,
        src_offset: usize,
        dst_offset: usize,
        size: usize
    ) |target| {
        let source = handle::borrow::<Mem>(src_buffer)?;
        let destination = handle::borrow::<Mem>(dst_buffer)?;
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
    ) |target| {
        let buffer = handle::borrow::<Mem>(buffer)?;
        let pattern = fill_pattern(pattern, pattern_size)?;
        target.enqueue(Command::fill_buffer(&buffer, pattern, offset, size)?, Blocking::No)
    }
}
