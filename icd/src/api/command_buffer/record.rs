//! Records commands. Spec: "Recording Commands to a Command-Buffer".

use crate::api::enqueue::image::colour;
use crate::api::enqueue::kernel::RawSizes;
use crate::api::enqueue::rect::side;
use crate::api::enqueue::{fill_pattern, image_origin, svm, triple};
use crate::error::{Result, Status, ensure};
use crate::{cl, convert, ffi, handle};
use clift_runtime::command_buffer::dispatch::DispatchOptions;
use clift_runtime::command_buffer::{CommandBuffer, Place};
use clift_runtime::kernel::Kernel;
use clift_runtime::memory::buffer::Mem;
use clift_runtime::object::Obj;
use clift_runtime::queue::Queue;
use clift_runtime::queue::command::Command;
use std::ffi::c_void;

/// What every command is recorded with besides its own arguments.
#[derive(Clone, Copy)]
struct Raw {
    buffer: cl::cl_command_buffer_khr,
    queue: cl::cl_command_queue,
    properties: *const cl::cl_properties,
    n_points: cl::cl_uint,
    points: *const cl::cl_sync_point_khr,
    sync_point: *mut cl::cl_sync_point_khr,
    handle: *mut cl::cl_mutable_command_khr,
}

impl Raw {
    /// The command-buffer, and the place in it after a look at the queue and the wait list.
    ///
    /// # Safety
    /// Pointers are null or as the specification says; the wait list stays for as long as the result.
    unsafe fn open<'a>(&self) -> Result<(Obj<CommandBuffer>, Place<'a>)> {
        // SAFETY: the caller's promise.
        unsafe {
            let buffer = handle::share::<CommandBuffer>(self.buffer)?;
            let queue = if self.queue.is_null() { None } else { Some(handle::share::<Queue>(self.queue)?) };
            let rule = "sync_point_wait_list is NULL and num_sync_points_in_wait_list is > 0, or the other way round";
            let points = ffi::list(self.points, self.n_points, Status::InvalidSyncPointWaitListKhr, rule)?;
            let place = buffer.place(queue.as_ref(), points)?;
            Ok((buffer, place))
        }
    }

    /// As `open`, for commands that have no properties and no handle.
    ///
    /// # Safety
    /// As `open`.
    unsafe fn open_plain<'a>(&self) -> Result<(Obj<CommandBuffer>, Place<'a>)> {
        // SAFETY: the caller's promise.
        unsafe {
            let opened = self.open()?;
            let is_empty = self.properties.is_null() || self.properties.read_unaligned() == 0;
            ensure!(is_empty, InvalidValue, "values specified in properties are not valid");
            ensure!(self.handle.is_null(), InvalidValue, "mutable_handle is not NULL");
            Ok(opened)
        }
    }

    /// Records a command and stores its sync-point.
    ///
    /// # Safety
    /// `self.sync_point` is null or writable.
    unsafe fn record(&self, buffer: &CommandBuffer, command: Command, place: Place<'_>) -> Result {
        let point = buffer.record(command, place)?;
        // SAFETY: the caller's promise.
        unsafe { ffi::put(self.sync_point, point) };
        Ok(())
    }
}

/// Entry points that record a command without properties and handle: their own parameters, what they become, and the
/// command. What stands after `let unsafe` may trust the caller.
macro_rules! recording {
    ($(
        fn $name:ident($($parameter:ident: $type:ty),*)
        $(let unsafe $values:pat = $converted:expr;)*
        $command:block
    )*) => { $(
        /// Spec: "Recording Commands to a Command-Buffer".
        ///
        /// # Safety
        /// Pointers are null or as the specification says.
        pub unsafe extern "C" fn $name(
            command_buffer: cl::cl_command_buffer_khr,
            command_queue: cl::cl_command_queue,
            properties: *const cl::cl_properties,
            $($parameter: $type,)*
            num_sync_points_in_wait_list: cl::cl_uint,
            sync_point_wait_list: *const cl::cl_sync_point_khr,
            sync_point: *mut cl::cl_sync_point_khr,
            mutable_handle: *mut cl::cl_mutable_command_khr,
        ) -> cl::cl_int {
            let raw = Raw {
                buffer: command_buffer,
                queue: command_queue,
                properties,
                n_points: num_sync_points_in_wait_list,
                points: sync_point_wait_list,
                sync_point,
                handle: mutable_handle,
            };
            ffi::call(stringify!($name), || {
                // SAFETY: the caller's promise.
                let (buffer, place) = unsafe { raw.open_plain()? };
                $(
                    // SAFETY: the caller's promise.
                    let $values = unsafe { $converted };
                )*
                let command: Command = $command;
                // SAFETY: the caller's promise.
                unsafe { raw.record(&buffer, command, place) }
            })
        }
    )* };
}

recording! {
    fn clCommandBarrierWithWaitListKHR() {
        Command::barrier()
    }

    fn clCommandCopyBufferKHR(
        src_buffer: cl::cl_mem,
        dst_buffer: cl::cl_mem,
        src_offset: usize,
        dst_offset: usize,
        size: usize
    )
    let unsafe [source, destination] = [handle::borrow::<Mem>(src_buffer)?, handle::borrow::<Mem>(dst_buffer)?];
    {
        Command::copy_buffer(&source, &destination, src_offset, dst_offset, size)?
    }

    fn clCommandCopyBufferRectKHR(
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
    {
        Command::copy_rect(&source, &destination, from, to, region)?
    }

    fn clCommandCopyBufferToImageKHR(
        src_buffer: cl::cl_mem,
        dst_image: cl::cl_mem,
        src_offset: usize,
        dst_origin: *const usize,
        region: *const usize
    )
    let unsafe [source, destination] = [handle::borrow::<Mem>(src_buffer)?, handle::borrow::<Mem>(dst_image)?];
    let unsafe (origin, region) = (image_origin(&destination, dst_origin)?, triple(region)?);
    {
        Command::copy_buffer_to_image(&source, &destination, src_offset, origin, region)?
    }

    fn clCommandCopyImageKHR(
        src_image: cl::cl_mem,
        dst_image: cl::cl_mem,
        src_origin: *const usize,
        dst_origin: *const usize,
        region: *const usize
    )
    let unsafe [source, destination] = [handle::borrow::<Mem>(src_image)?, handle::borrow::<Mem>(dst_image)?];
    let unsafe [from, to] = [image_origin(&source, src_origin)?, image_origin(&destination, dst_origin)?];
    let unsafe region = triple(region)?;
    {
        Command::copy_image(&source, &destination, from, to, region)?
    }

    fn clCommandCopyImageToBufferKHR(
        src_image: cl::cl_mem,
        dst_buffer: cl::cl_mem,
        src_origin: *const usize,
        region: *const usize,
        dst_offset: usize
    )
    let unsafe [source, destination] = [handle::borrow::<Mem>(src_image)?, handle::borrow::<Mem>(dst_buffer)?];
    let unsafe (origin, region) = (image_origin(&source, src_origin)?, triple(region)?);
    {
        Command::copy_image_to_buffer(&source, &destination, origin, region, dst_offset)?
    }

    fn clCommandFillBufferKHR(
        mem: cl::cl_mem,
        pattern: *const c_void,
        pattern_size: usize,
        offset: usize,
        size: usize
    )
    let unsafe (target, pattern) = (handle::borrow::<Mem>(mem)?, fill_pattern(pattern, pattern_size)?);
    {
        Command::fill_buffer(&target, pattern, offset, size)?
    }

    fn clCommandFillImageKHR(image: cl::cl_mem, fill_color: *const c_void, origin: *const usize, region: *const usize)
    let unsafe target = handle::borrow::<Mem>(image)?;
    let unsafe colour = colour(&target, fill_color)?;
    let unsafe (origin, region) = (image_origin(&target, origin)?, triple(region)?);
    {
        Command::fill_image(&target, colour, origin, region)?
    }

    fn clCommandSVMMemcpyKHR(dst_ptr: *mut c_void, src_ptr: *const c_void, size: usize)
    let unsafe command = svm::copy(dst_ptr, src_ptr, size)?;
    {
        command
    }

    fn clCommandSVMMemFillKHR(svm_ptr: *mut c_void, pattern: *const c_void, pattern_size: usize, size: usize)
    let unsafe command = svm::fill(svm_ptr, pattern, pattern_size, size)?;
    {
        command
    }
}

/// Spec: "Recording Commands to a Command-Buffer".
///
/// # Safety
/// Pointers are null or as the specification says.
pub unsafe extern "C" fn clCommandNDRangeKernelKHR(
    command_buffer: cl::cl_command_buffer_khr,
    command_queue: cl::cl_command_queue,
    properties: *const cl::cl_properties,
    kernel: cl::cl_kernel,
    work_dim: cl::cl_uint,
    global_work_offset: *const usize,
    global_work_size: *const usize,
    local_work_size: *const usize,
    num_sync_points_in_wait_list: cl::cl_uint,
    sync_point_wait_list: *const cl::cl_sync_point_khr,
    sync_point: *mut cl::cl_sync_point_khr,
    mutable_handle: *mut cl::cl_mutable_command_khr,
) -> cl::cl_int {
    let raw = Raw {
        buffer: command_buffer,
        queue: command_queue,
        properties,
        n_points: num_sync_points_in_wait_list,
        points: sync_point_wait_list,
        sync_point,
        handle: mutable_handle,
    };
    let sizes =
        RawSizes { dims: work_dim, offset: global_work_offset, global: global_work_size, local: local_work_size };
    // SAFETY: the caller's promise.
    ffi::call("clCommandNDRangeKernelKHR", || unsafe {
        let (buffer, place) = raw.open()?;
        let kernel = handle::borrow::<Kernel>(kernel)?;
        let pairs = ffi::known_properties(properties, convert::command_buffer::is_dispatch_property);
        let list = pairs.as_ref().and_then(Option::as_deref).map(convert::flat).unwrap_or_default();
        let fields = convert::command_buffer::dispatch(pairs, buffer.properties(), !local_work_size.is_null())?;
        let options = DispatchOptions { fields, properties: list };
        let (point, dispatch) = buffer.record_kernel(&kernel, sizes.resolve()?, options, place)?;
        ffi::put(sync_point, point);
        // The handle lives as long as the command-buffer: nobody releases it.
        ffi::put(mutable_handle, handle::of(&dispatch));
        Ok(())
    })
}
