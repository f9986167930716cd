//! Commands on images. Spec: "Image Objects".

#![allow(unsafe_code, reason = "C entry points")]

use super::{Call, blocking, host_ptr, image_origin, triple};
use crate::error::{Result, ensure};
use crate::{cl, ffi, handle};
use clift_runtime::memory::buffer::Mem;
use clift_runtime::queue::Blocking;
use clift_runtime::queue::command::Command;
use std::ffi::c_void;

enqueuing! {
    /// Spec: "Reading, Writing and Copying Image Objects".
    #[unsafe(no_mangle)]
    fn clEnqueueReadImage(
        image: cl::cl_mem,
        blocking_read: cl::cl_bool,
        origin: *const usize,
        region: *const usize,
        row_pitch: usize,
        slice_pitch: usize,
        ptr: *mut c_void
    )
    let unsafe image = handle::borrow::<Mem>(image)?;
    let unsafe (origin, region, ptr) = (image_origin(&image, origin)?, triple(region)?, host_ptr(ptr)?);
    |target| {
        let command = Command::read_image(&image, origin, region, [row_pitch, slice_pitch], ptr)?;
        target.enqueue(command, blocking(blocking_read))
    }

    /// Spec: "Reading, Writing and Copying Image Objects".
    #[unsafe(no_mangle)]
    fn clEnqueueWriteImage(
        image: cl::cl_mem,
        blocking_write: cl::cl_bool,
        origin: *const usize,
        region: *const usize,
        input_row_pitch: usize,
        input_slice_pitch: usize,
        ptr: *const c_void
    )
    let unsafe image = handle::borrow::<Mem>(image)?;
    let unsafe (origin, region, ptr) =
        (image_origin(&image, origin)?, triple(region)?, host_ptr(ptr.cast_mut())?);
    |target| {
        // A write command only reads through the pointer.
        let command = Command::write_image(&image, origin, region, [input_row_pitch, input_slice_pitch], ptr)?;
        target.enqueue(command, blocking(blocking_write))
    }
}

/// The colour to fill an image with.
///
/// # Safety
/// A non-null `fill_color` has four elements of four bytes, one for depth images.
pub unsafe fn colour(image: &Mem, fill_color: *const c_void) -> Result<[u32; 4]> {
    ensure!(!fill_color.is_null(), InvalidValue, "fill_color is NULL");
    let is_depth = image.image().is_some_and(|image| image.format().order == cl::CL_DEPTH);
    // SAFETY: the caller's promise.
    unsafe {
        Ok(match is_depth {
            true => [fill_color.cast::<u32>().read_unaligned(), 0, 0, 0],
            false => fill_color.cast::<[u32; 4]>().read_unaligned(),
        })
    }
}

enqueuing! {
    /// Spec: "Filling Image Objects".
    #[unsafe(no_mangle)]
    fn clEnqueueFillImage(
        image: cl::cl_mem,
        fill_color: *const c_void,
        origin: *const usize,
        region: *const usize
    )
    let unsafe image = handle::borrow::<Mem>(image)?;
    let unsafe colour = colour(&image, fill_color)?;
    let unsafe (origin, region) = (image_origin(&image, origin)?, triple(region)?);
    |target| {
        target.enqueue(Command::fill_image(&image, colour, origin, region)?, Blocking::No)
    }

    /// Spec: "Reading, Writing and Copying Image Objects".
    #[unsafe(no_mangle)]
    fn clEnqueueCopyImage(
        src_image: cl::cl_mem,
        dst_image: cl::cl_mem,
        src_origin: *const usize,
        dst_origin: *const usize,
        region: *const usize
    )
    let unsafe [source, destination] = [handle::borrow::<Mem>(src_image)?, handle::borrow::<Mem>(dst_image)?];
    let unsafe [from, to] = [image_origin(&source, src_origin)?, image_origin(&destination, dst_origin)?];
    let unsafe region = triple(region)?;
    |target| {
        target.enqueue(Command::copy_image(&source, &destination, from, to, region)?, Blocking::No)
    }

    /// Spec: "Copying between Image and Buffer Objects".
    #[unsafe(no_mangle)]
    fn clEnqueueCopyImageToBuffer(
        src_image: cl::cl_mem,
        dst_buffer: cl::cl_mem,
        src_origin: *const usize,
        region: *const usize,
        dst_offset: usize
    )
    let unsafe [source, destination] = [handle::borrow::<Mem>(src_image)?, handle::borrow::<Mem>(dst_buffer)?];
    let unsafe (origin, region) = (image_origin(&source, src_origin)?, triple(region)?);
    |target| {
        let command = Command::copy_image_to_buffer(&source, &destination, origin, region, dst_offset)?;
        target.enqueue(command, Blocking::No)
    }

    /// Spec: "Copying between Image and Buffer Objects".
    #[unsafe(no_mangle)]
    fn clEnqueueCopyBufferToImage(
        src_buffer: cl::cl_mem,
        dst_image: cl::cl_mem,
        src_offset: usize,
        dst_origin: *const usize,
        region: *const usize
    )
    let unsafe [source, destination] = [handle::borrow::<Mem>(src_buffer)?, handle::borrow::<Mem>(dst_image)?];
    let unsafe (origin, region) = (image_origin(&destination, dst_origin)?, triple(region)?);
    |target| {
        let command = Command::copy_buffer_to_image(&source, &destination, src_offset, origin, region)?;
        target.enqueue(command, Blocking::No)
    }
}

/// Spec: "Mapping Image Objects".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clEnqueueMapImage(
    command_queue: cl::cl_command_queue,
    image: cl::cl_mem,
    blocking_map: cl::cl_bool,
    map_flags: cl::cl_map_flags,
    origin: *const usize,
    region: *const usize,
    image_row_pitch: *mut usize,
    image_slice_pitch: *mut usize,
    num_events_in_wait_list: cl::cl_uint,
    event_wait_list: *const cl::cl_event,
    event: *mut cl::cl_event,
    errcode_ret: *mut cl::cl_int,
) -> *mut c_void {
    let call = Call { queue: command_queue, n_waits: num_events_in_wait_list, waits: event_wait_list, event };
    // SAFETY: the caller's promise.
    unsafe {
        ffi::create("clEnqueueMapImage", errcode_ret, || {
            let target = call.target()?;
            let mem = handle::borrow::<Mem>(image)?;
            let (command, mapped) = Command::map_image(&mem, map_flags, image_origin(&mem, origin)?, triple(region)?)?;
            ensure!(!image_row_pitch.is_null(), InvalidValue, "image_row_pitch is NULL");
            // "image is a 3D image, 1D or 2D image array object and image_slice_pitch is NULL"
            let has_slices = mapped.slice_pitch != 0;
            ensure!(!has_slices || !image_slice_pitch.is_null(), InvalidValue, "image_slice_pitch is NULL");
            target.enqueue(command, blocking(blocking_map))?;
            ffi::put(image_row_pitch, mapped.row_pitch);
            ffi::put(image_slice_pitch, mapped.slice_pitch);
            Ok(std::ptr::with_exposed_provenance_mut(mapped.address))
        })
    }
}
