//! Rectangular read, write and copy of buffers. Spec: "Reading, Writing and Copying Buffer Objects".

#![allow(unsafe_code, reason = "C entry points")]

use super::{blocking, host_ptr, triple};
use crate::error::Result;
use crate::{cl, ffi, handle};
use clift_runtime::memory::buffer::Mem;
use clift_runtime::memory::region::RectSide;
use clift_runtime::queue::Blocking;
use clift_runtime::queue::command::Command;
use std::ffi::c_void;

/// One side of a rectangular copy.
///
/// # Safety
/// `origin` is null or has three elements.
pub unsafe fn side(origin: *const usize, row_pitch: usize, slice_pitch: usize) -> Result<RectSide> {
    // SAFETY: the caller's promise.
    Ok(RectSide { origin: unsafe { triple(origin)? }, row_pitch, slice_pitch })
}

enqueuing! {
    /// Spec: "Reading, Writing and Copying Buffer Objects".
    #[unsafe(no_mangle)]
    fn clEnqueueReadBufferRect(
        buffer: cl::cl_mem,
        blocking_read: cl::cl_bool,
        buffer_origin: *const usize,
        host_origin: *const usize,
        region: *const usize,
        buffer_row_pitch: usize,
        buffer_slice_pitch: usize,
        host_row_pitch: usize,
        host_slice_pitch: usize,
        ptr: *mut c_void
    ) |target| {
        let buffer = handle::borrow::<Mem>(buffer)?;
        let device_side = side(buffer_origin, buffer_row_pitch, buffer_slice_pitch)?;
        let host_side = side(host_origin, host_row_pitch, host_slice_pitch)?;
        let command = Command::read_rect(&buffer, device_side, host_side, triple(region)?, host_ptr(ptr)?)?;
        target.enqueue(command, blocking(blocking_read))
    }

    /// Spec: "Reading, Writing and Copying Buffer Objects".
    #[unsafe(no_mangle)]
    fn clEnqueueWriteBufferRect(
        buffer: cl::cl_mem,
        blocking_write: cl::cl_bool,
        buffer_origin: *const usize,
        host_origin: *const usize,
        region: *const usize,
        buffer_row_pitch: usize,
        buffer_slice_pitch: usize,
        host_row_pitch: usize,
        host_slice_pitch: usize,
        ptr: *const c_void
    ) |target| {
        // A write command only reads through the pointer.
        let buffer = handle::borrow::<Mem>(buffer)?;
        let device_side = side(buffer_origin, buffer_row_pitch, buffer_slice_pitch)?;
        let host_side = side(host_origin, host_row_pitch, host_slice_pitch)?;
        let source = host_ptr(ptr.cast_mut())?;
        let command = Command::write_rect(&buffer, device_side, host_side, triple(region)?, source)?;
        target.enqueue(command, blocking(blocking_write))
    }

    /// Spec: "Reading, Writing and Copying Buffer Objects".
    #[unsafe(no_mangle)]
    fn clEnqueueCopyBufferRect(
        src_buffer: cl::cl_mem,
        dst_buffer: cl::cl_mem,
        src_origin: *const usize,
        dst_origin: *const usize,
        region: *const usize,
        src_row_pitch: usize,
        src_slice_pitch: usize,
        dst_row_pitch: usize,
        dst_slice_pitch: usize
    ) |target| {
        let source = handle::borrow::<Mem>(src_buffer)?;
        let destination = handle::borrow::<Mem>(dst_buffer)?;
        let source_side = side(src_origin, src_row_pitch, src_slice_pitch)?;
        let destination_side = side(dst_origin, dst_row_pitch, dst_slice_pitch)?;
        let command = Command::copy_rect(&source, &destination, source_side, destination_side, triple(region)?)?;
        target.enqueue(command, Blocking::No)
    }
}
