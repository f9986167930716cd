//! Semaphores. Spec: "Semaphores" (cl_khr_semaphore).

#![allow(unsafe_code, reason = "C entry points")]
#![allow(non_snake_case, reason = "names of the C API, found by name only")]

use crate::api::enqueue::enqueuing;
use crate::error::{Result, Status, ensure, fail};
use crate::ffi::{self, InfoOut};
use crate::{cl, handle, info};
use clift_runtime::device::Device;
use clift_runtime::object::Obj;
use clift_runtime::semaphore::{Handle, Semaphore};
use std::ffi::c_void;
use std::os::fd::{AsRawFd, IntoRawFd};

/// A semaphore's properties.
struct Properties {
    device: Option<Obj<Device>>,
    handle: Handle,
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
    let (mut has_type, mut devices, mut exports, mut fd) = (false, None, None, None);
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
            Ok(cl::CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR) if exports.is_none() => {
                let types: Vec<u64> = std::iter::from_fn(|| Some(next()).filter(|&word| word != 0)).collect();
                let are_known = types.iter().all(|&ty| ty == u64::from(cl::CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR));
                ensure!(are_known, InvalidProperty, "a type of handle to export is not supported");
                ensure!(types.len() <= 1, InvalidValue, "more than one semaphore handle type is to be exported");
                exports = Some(!types.is_empty());
            }
            Ok(cl::CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR) if fd.is_none() => {
                // A number that is no descriptor is refused as one.
                fd = Some(i32::try_from(next()).unwrap_or(-1));
            }
            _ => {
                let rule = "a property name in sema_props is not supported, or specified more than once";
                return fail(Status::InvalidProperty, rule);
            }
        }
    }
    ensure!(has_type, InvalidValue, "sema_props do not specify CL_SEMAPHORE_TYPE_KHR");
    let handle = match (exports, fd) {
        (Some(_), Some(_)) => {
            return fail(Status::InvalidOperation, "sema_props specify an external handle and types to export");
        }
        (_, Some(fd)) => Handle::Import(fd),
        (Some(true), None) => Handle::Export,
        _ => Handle::None,
    };
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
    Ok(Properties { device, handle, list: read })
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
            let Properties { device, handle, list } = properties(sema_props)?;
            Ok(handle::give(Semaphore::create(&context, device.as_ref(), list, handle)?))
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

/// The semaphores of a command.
///
/// # Safety
/// A non-null list has `n` elements, null or handles.
unsafe fn semaphores(n: cl::cl_uint, list: *const cl::cl_semaphore_khr) -> Result<Vec<Obj<Semaphore>>> {
    // SAFETY: the caller's promise.
    unsafe { handle::share_all(ffi::elements(list, n, "num_sema_objects is 0, or sema_objects is NULL")?) }
}

// Payloads are for types of semaphores that we do not have.
enqueuing! {
    /// Spec: "Waiting On and Signaling Semaphores".
    fn clEnqueueWaitSemaphoresKHR(
        num_sema_objects: cl::cl_uint,
        sema_objects: *const cl::cl_semaphore_khr,
        _sema_payload_list: *const cl::cl_ulong
    )
    let unsafe list = semaphores(num_sema_objects, sema_objects)?;
    |target| {
        target.enqueue_by(|queue, waits, want| queue.wait_semaphores(&list, waits, want))
    }

    /// Spec: "Waiting On and Signaling Semaphores".
    fn clEnqueueSignalSemaphoresKHR(
        num_sema_objects: cl::cl_uint,
        sema_objects: *const cl::cl_semaphore_khr,
        _sema_payload_list: *const cl::cl_ulong
    )
    let unsafe list = semaphores(num_sema_objects, sema_objects)?;
    |target| {
        target.enqueue_by(|queue, waits, want| queue.signal_semaphores(&list, waits, want))
    }
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

/// Spec: "Exporting Semaphore External Handles" (cl_khr_external_semaphore).
///
/// # Safety
/// Pointers are null or as the specification says.
pub unsafe extern "C" fn clGetSemaphoreHandleForTypeKHR(
    sema_object: cl::cl_semaphore_khr,
    device: cl::cl_device_id,
    handle_type: cl::cl_uint,
    handle_size: usize,
    handle_ptr: *mut c_void,
    handle_size_ret: *mut usize,
) -> cl::cl_int {
    let out = InfoOut { size: handle_size, value: handle_ptr, size_ret: handle_size_ret };
    // SAFETY: the caller's promise.
    ffi::call("clGetSemaphoreHandleForTypeKHR", || unsafe {
        let semaphore = handle::borrow::<Semaphore>(sema_object)?;
        let device = handle::share::<Device>(device)?;
        ensure!(
            handle_type == cl::CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR,
            InvalidValue,
            "handle_type was not specified when sema_object was created"
        );
        let fd = semaphore.export(&device)?;
        out.store(&fd.as_raw_fd().to_ne_bytes())?;
        if !handle_ptr.is_null() {
            // The caller's from now on.
            let _ = fd.into_raw_fd();
        }
        Ok(())
    })
}
