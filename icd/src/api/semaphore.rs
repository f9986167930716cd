//! Semaphores. Spec: "Semaphores" (cl_khr_semaphore).

#![allow(unsafe_code, reason = "C entry points")]
#![allow(non_snake_case, reason = "names of the C API, found by name only")]

use crate::api::enqueue;
use crate::error::{Result, Status, ensure, fail};
use crate::ffi::{self, InfoOut};
use crate::{cl, handle, info};
use clift_runtime::device::Device;
use clift_runtime::event::Event;
use clift_runtime::object::Obj;
use clift_runtime::queue::{Queue, WantEvent};
use clift_runtime::semaphore::Semaphore;
use std::ffi::c_void;

/// A semaphore's properties.
struct Properties {
    device: Option<Obj<Device>>,
    /// As C wrote them, with the terminator.
    list: Vec<u64>,
}

/// Reads the properties; the list of devices has a terminator of its own.
///
/// # Safety
/// `list` is null or as the specification says, as far as names are known and stand once.
unsafe fn properties(list: *const cl::cl_properties) -> Result<Properties> {
    ensure!(!list.is_null(), InvalidValue, "sema_props is NULL");
    let (mut at, mut read) = (list, Vec::new());
    let mut next = || {
        // SAFETY: the caller's promise: the list has not ended.
        let word = unsafe { at.read_unaligned() };
        // SAFETY: as above.
        at = unsafe { at.add(1) };
        read.push(word);
        word
    };
    let (mut has_type, mut devices) = (false, None);
    loop {
        match u32::try_from(next()) {
            Ok(0) => break,
            Ok(cl::CL_SEMAPHORE_TYPE_KHR) if !has_type => {
                let is_binary = next() == u64::from(cl::CL_SEMAPHORE_TYPE_BINARY_KHR);
                ensure!(is_binary, InvalidProperty, "the value specified for a supported property name is not valid");
                has_type = true;
            }
            Ok(cl::CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR) if devices.is_none() => {
                let handles: Vec<u64> = std::iter::from_fn(|| Some(next()).filter(|&word| word != 0)).collect();
                devices = Some(handles);
            }
            _ => {
                let rule = "a property name in sema_props is not supported, or specified more than once";
                return fail(Status::InvalidProperty, rule);
            }
        }
    }
    ensure!(has_type, InvalidValue, "sema_props do not specify CL_SEMAPHORE_TYPE_KHR");
    let device = match devices.as_deref() {
        None => None,
        Some(&[device]) => {
            // SAFETY: the caller's promise: a handle, or nothing that looks like one.
            Some(unsafe { handle::share::<Device>(std::ptr::with_exposed_provenance_mut(device as usize))? })
        }
        _ => {
            return fail(
                Status::InvalidDevice,
                "CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR does not identify exactly one device",
            );
        }
    };
    Ok(Properties { device, list: read })
}

/// Spec: "Creating Semaphores".
///
/// # Safety
/// Pointers are null or as the specification says.
pub unsafe extern "C" fn clCreateSemaphoreWithPropertiesKHR(
    context: cl::cl_context,
    sema_props: *const cl::cl_properties,
    errcode_ret: *mut cl::cl_int,
) -> cl::cl_semaphore_khr {
    // SAFETY: the caller's promise.
    unsafe {
        ffi::create("clCreateSemaphoreWithPropertiesKHR", errcode_ret, || {
            let context = handle::context(context)?;
            let Properties { device, list } = properties(sema_props)?;
            Ok(handle::give(Semaphore::create(&context, device.as_ref(), list)?))
        })
    }
}

/// Spec: "Retaining and Releasing Semaphores".
///
/// # Safety
/// `sema_object` is null or a handle.
pub unsafe extern "C" fn clRetainSemaphoreKHR(sema_object: cl::cl_semaphore_khr) -> cl::cl_int {
    // SAFETY: the caller's promise.
    ffi::call("clRetainSemaphoreKHR", || unsafe { handle::retain::<Semaphore>(sema_object) })
}

/// Spec: "Retaining and Releasing Semaphores".
///
/// # Safety
/// `sema_object` is null or a handle.
pub unsafe extern "C" fn clReleaseSemaphoreKHR(sema_object: cl::cl_semaphore_khr) -> cl::cl_int {
    // SAFETY: the caller's promise.
    ffi::call("clReleaseSemaphoreKHR", || unsafe { handle::release::<Semaphore>(sema_object) })
}

/// What signals and waits are called with.
struct Call {
    queue: cl::cl_command_queue,
    n: cl::cl_uint,
    semaphores: *const cl::cl_semaphore_khr,
    n_waits: cl::cl_uint,
    waits: *const cl::cl_event,
    event: *mut cl::cl_event,
}

/// A method of queues that enqueues for semaphores.
type Enqueue = fn(&Obj<Queue>, &[Obj<Semaphore>], &[Obj<Event>], WantEvent) -> Result<Option<Obj<Event>>>;

impl Call {
    /// # Safety
    /// Pointers are null or as the specification says.
    unsafe fn enqueue(self, enqueue: Enqueue) -> Result {
        // SAFETY: the caller's promise.
        unsafe {
            let queue = handle::share::<Queue>(self.queue)?;
            let waits = enqueue::wait_list(self.n_waits, self.waits)?;
            let Some(handles) = ffi::slice(self.semaphores, self.n as usize).filter(|list| !list.is_empty()) else {
                return fail(Status::InvalidValue, "num_sema_objects is 0, or sema_objects is NULL");
            };
            let semaphores: Vec<Obj<Semaphore>> =
                handles.iter().map(|&semaphore| handle::share(semaphore)).collect::<Result<_>>()?;
            let want = if self.event.is_null() { WantEvent::No } else { WantEvent::Yes };
            if let Some(event) = enqueue(&queue, &semaphores, &waits, want)? {
                ffi::put(self.event, handle::give(event));
            }
            Ok(())
        }
    }
}

/// Payloads are for types of semaphores that we do not have. Spec: "Waiting On and Signaling Semaphores".
///
/// # Safety
/// Pointers are null or as the specification says.
pub unsafe extern "C" fn clEnqueueWaitSemaphoresKHR(
    command_queue: cl::cl_command_queue,
    num_sema_objects: cl::cl_uint,
    sema_objects: *const cl::cl_semaphore_khr,
    _sema_payload_list: *const cl::cl_ulong,
    num_events_in_wait_list: cl::cl_uint,
    event_wait_list: *const cl::cl_event,
    event: *mut cl::cl_event,
) -> cl::cl_int {
    let call = Call {
        queue: command_queue,
        n: num_sema_objects,
        semaphores: sema_objects,
        n_waits: num_events_in_wait_list,
        waits: event_wait_list,
        event,
    };
    // SAFETY: the caller's promise.
    ffi::call("clEnqueueWaitSemaphoresKHR", || unsafe {
        call.enqueue(|queue, semaphores, waits, want| queue.wait_semaphores(semaphores, waits, want))
    })
}

/// As `clEnqueueWaitSemaphoresKHR`. Spec: "Waiting On and Signaling Semaphores".
///
/// # Safety
/// Pointers are null or as the specification says.
pub unsafe extern "C" fn clEnqueueSignalSemaphoresKHR(
    command_queue: cl::cl_command_queue,
    num_sema_objects: cl::cl_uint,
    sema_objects: *const cl::cl_semaphore_khr,
    _sema_payload_list: *const cl::cl_ulong,
    num_events_in_wait_list: cl::cl_uint,
    event_wait_list: *const cl::cl_event,
    event: *mut cl::cl_event,
) -> cl::cl_int {
    let call = Call {
        queue: command_queue,
        n: num_sema_objects,
        semaphores: sema_objects,
        n_waits: num_events_in_wait_list,
        waits: event_wait_list,
        event,
    };
    // SAFETY: the caller's promise.
    ffi::call("clEnqueueSignalSemaphoresKHR", || unsafe {
        call.enqueue(|queue, semaphores, waits, want| queue.signal_semaphores(semaphores, waits, want))
    })
}

/// Spec: "Semaphore Queries".
///
/// # Safety
/// Pointers are null or as the specification says.
pub unsafe extern "C" fn clGetSemaphoreInfoKHR(
    sema_object: cl::cl_semaphore_khr,
    param_name: cl::cl_uint,
    param_value_size: usize,
    param_value: *mut c_void,
    param_value_size_ret: *mut usize,
) -> cl::cl_int {
    let out = InfoOut { size: param_value_size, value: param_value, size_ret: param_value_size_ret };
    // SAFETY: the caller's promise.
    ffi::call("clGetSemaphoreInfoKHR", || unsafe {
        let semaphore = handle::borrow::<Semaphore>(sema_object)?;
        out.store(info::query(info::semaphore::ROWS, &semaphore, param_name)?.bytes())
    })
}

/// Belongs to cl_khr_external_semaphore, which is not reported: no semaphore can be created with a type of handle to export,
/// so this has one answer. Programs written for both extensions, the Khronos suite among them, ask for its address.
///
/// # Safety
/// `sema_object` is null or a handle.
pub unsafe extern "C" fn clGetSemaphoreHandleForTypeKHR(
    sema_object: cl::cl_semaphore_khr,
    _device: cl::cl_device_id,
    _handle_type: cl::cl_uint,
    _handle_size: usize,
    _handle_ptr: *mut c_void,
    _handle_size_ret: *mut usize,
) -> cl::cl_int {
    // SAFETY: the caller's promise.
    ffi::call("clGetSemaphoreHandleForTypeKHR", || unsafe {
        handle::borrow::<Semaphore>(sema_object)?;
        fail(Status::InvalidValue, "handle_type was not specified when sema_object was created")
    })
}
