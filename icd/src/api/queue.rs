//! Command queues. Spec: "Command-Queues", "Flush and Finish".

#![allow(unsafe_code, reason = "C entry points")]

use crate::error::{Result, Status, ensure, fail};
use crate::ffi::{self, InfoOut};
use crate::{cl, convert, handle, info};
use clift_runtime::device::Device;
use clift_runtime::queue::{Queue, QueueFlags};
use std::ffi::c_void;

/// Spec: "Command-Queues".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateCommandQueueWithProperties(
    context: cl::cl_context,
    device: cl::cl_device_id,
    properties: *const cl::cl_queue_properties,
    errcode_ret: *mut cl::cl_int,
) -> cl::cl_command_queue {
    // SAFETY: the caller's promise.
    unsafe {
        ffi::create("clCreateCommandQueueWithProperties", errcode_ret, || {
            let pairs = ffi::properties(properties);
            let list = pairs.as_deref().map(convert::flat).unwrap_or_default();
            create(context, device, || convert::queue::properties(&pairs.unwrap_or_default()), list)
        })
    }
}

/// Spec: "Command-Queues".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateCommandQueue(
    context: cl::cl_context,
    device: cl::cl_device_id,
    properties: cl::cl_command_queue_properties,
    errcode_ret: *mut cl::cl_int,
) -> cl::cl_command_queue {
    // SAFETY: the caller's promise.
    unsafe {
        ffi::create("clCreateCommandQueue", errcode_ret, || {
            create(context, device, || convert::queue::host_flags(properties).map(|flags| (flags, 0)), Vec::new())
        })
    }
}

/// # Safety
/// Handles are null or live.
unsafe fn create(
    context: cl::cl_context,
    device: cl::cl_device_id,
    properties: impl FnOnce() -> Result<(QueueFlags, u32)>,
    list: Vec<cl::cl_queue_properties>,
) -> Result<*mut c_void> {
    // SAFETY: the caller's promise.
    unsafe {
        let context = handle::context(context)?;
        let device = handle::borrow::<Device>(device)?;
        context.check_device(&device)?;
        let (flags, size) = properties()?;
        Ok(handle::give(Queue::create(&context, &device, flags, list, size)?))
    }
}

/// Spec: "Command-Queues".
///
/// # Safety
/// Handles are null or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clSetDefaultDeviceCommandQueue(
    context: cl::cl_context,
    device: cl::cl_device_id,
    command_queue: cl::cl_command_queue,
) -> cl::cl_int {
    // SAFETY: the caller's promise.
    ffi::call("clSetDefaultDeviceCommandQueue", || unsafe {
        let context = handle::context(context)?;
        let device = handle::borrow::<Device>(device)?;
        context.check_device(&device)?;
        let queue = handle::share::<Queue>(command_queue)?;
        ensure!(
            queue.context().handle_address() == context.handle_address(),
            InvalidCommandQueue,
            "command_queue is not a valid command-queue for device"
        );
        context.device_queues().set_default(&device, &queue)
    })
}

/// Spec: "Command-Queues".
///
/// # Safety
/// `command_queue` is null or a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clRetainCommandQueue(command_queue: cl::cl_command_queue) -> cl::cl_int {
    // SAFETY: the caller's promise.
    ffi::call("clRetainCommandQueue", || unsafe { handle::retain::<Queue>(command_queue) })
}

/// Spec: "Command-Queues".
///
/// # Safety
/// `command_queue` is null or a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clReleaseCommandQueue(command_queue: cl::cl_command_queue) -> cl::cl_int {
    // SAFETY: the caller's promise.
    ffi::call("clReleaseCommandQueue", || unsafe { handle::release::<Queue>(command_queue) })
}

/// Spec: "Command-Queues".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetCommandQueueInfo(
    command_queue: cl::cl_command_queue,
    param_name: cl::cl_command_queue_info,
    param_value_size: usize,
    param_value: *mut c_void,
    param_value_size_ret: *mut usize,
) -> cl::cl_int {
    let out = InfoOut { size: param_value_size, value: param_value, size_ret: param_value_size_ret };
    // SAFETY: the caller's promise.
    ffi::call("clGetCommandQueueInfo", || unsafe {
        let queue = handle::borrow::<Queue>(command_queue)?;
        out.store(info::query(info::queue::ROWS, &queue, param_name)?.bytes())
    })
}

/// Spec: "Command-Queues".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clSetCommandQueueProperty(
    command_queue: cl::cl_command_queue,
    _properties: cl::cl_command_queue_properties,
    _enable: cl::cl_bool,
    _old_properties: *mut cl::cl_command_queue_properties,
) -> cl::cl_int {
    // SAFETY: the caller's promise.
    ffi::call("clSetCommandQueueProperty", || unsafe {
        handle::borrow::<Queue>(command_queue)?;
        fail(
            Status::InvalidOperation,
            "no devices in the context associated with command_queue support modifying the properties of a command-queue",
        )
    })
}

/// Spec: "Flush and Finish".
///
/// # Safety
/// `command_queue` is null or a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clFlush(command_queue: cl::cl_command_queue) -> cl::cl_int {
    // SAFETY: the caller's promise.
    ffi::call("clFlush", || unsafe {
        let queue = handle::share::<Queue>(command_queue)?;
        queue.check_host()?;
        queue.flush();
        Ok(())
    })
}

/// Spec: "Flush and Finish".
///
/// # Safety
/// `command_queue` is null or a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clFinish(command_queue: cl::cl_command_queue) -> cl::cl_int {
    // SAFETY: the caller's promise.
    ffi::call("clFinish", || unsafe {
        let queue = handle::share::<Queue>(command_queue)?;
        queue.check_host()?;
        queue.finish()
    })
}
