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
    )
    let unsafe buffer = handle::borrow::<Mem>(buffer)?;
    let unsafe device_side = side(buffer_origin, buffer_row_pitch, buffer_slice_pitch)?;
    let unsafe host_side = side(host_origin, host_row_pitch, host_slice_pitch)?;
    let unsafe (region, ptr) = (triple(region)?, host_ptr(ptr)?);
    |target| {
        let command = Command::read_rect(&buffer, device_side, host_side, region, ptr)?;
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
    )
    let unsafe buffer = handle::borrow::<Mem>(buffer)?;
    let unsafe device_side = side(buffer_origin, buffer_row_pitch, buffer_slice_pitch)?;
    let unsafe host_side = side(host_origin, host_row_pitch, host_slice_pitch)?;
    let unsafe (ptr, region) = (host_ptr(ptr.cast_mut())?, triple(region)?);
    |target| {
        // A write command only reads through the pointer.
        let command = Command::write_rect(&buffer, device_side, host_side, region, ptr)?;
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
    )
    let unsafe [source, destination] = [handle::borrow::<Mem>(src_buffer)?, handle::borrow::<Mem>(dst_buffer)?];
    let unsafe from = side(src_origin, src_row_pitch, src_slice_pitch)?;
    let unsafe to = side(dst_origin, dst_row_pitch, dst_slice_pitch)?;
    let unsafe region = triple(region)?;
    |target| {
        target.enqueue(Command::copy_rect(&source, &destination, from, to, region)?, Blocking::No)
    }
}
