//! Devices. Spec: "Querying Devices", "Partitioning a Device".

#![allow(unsafe_code, reason = "C entry points")]

use crate::api::platform;
use crate::error::ensure;
use crate::ffi::{self, InfoOut};
use crate::{cl, convert, handle, info};
use clift_runtime::device::Device;
use clift_runtime::device::partition::Partition;
use std::ffi::c_void;

/// Spec: "Querying Devices".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetDeviceIDs(
    platform: cl::cl_platform_id,
    device_type: cl::cl_device_type,
    num_entries: cl::cl_uint,
    devices: *mut cl::cl_device_id,
    num_devices: *mut cl::cl_uint,
) -> cl::cl_int {
    // SAFETY: the caller's promise.
    ffi::call("clGetDeviceIDs", || unsafe {
        let platform = platform::resolve(platform)?;
        ensure!(
            num_entries > 0 || devices.is_null(),
            InvalidValue,
            "num_entries is equal to zero and devices is not NULL"
        );
        ensure!(!num_devices.is_null() || !devices.is_null(), InvalidValue, "both num_devices and devices are NULL");
        let matching = convert::device::matching(device_type, platform.devices())?;
        let handles: Vec<_> = matching.iter().map(|device| handle::of(device)).collect();
        ffi::put_list(&handles, devices, num_entries, num_devices);
        Ok(())
    })
}

/// Spec: "Querying Devices".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetDeviceInfo(
    device: cl::cl_device_id,
    param_name: cl::cl_device_info,
    param_value_size: usize,
    param_value: *mut c_void,
    param_value_size_ret: *mut usize,
) -> cl::cl_int {
    let out = InfoOut { size: param_value_size, value: param_value, size_ret: param_value_size_ret };
    // SAFETY: the caller's promise.
    ffi::call("clGetDeviceInfo", || unsafe {
        let device = handle::borrow::<Device>(device)?;
        out.store(info::query(info::device::ROWS, &device, param_name)?.bytes())
    })
}

/// Spec: "Partitioning a Device".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateSubDevices(
    in_device: cl::cl_device_id,
    properties: *const cl::cl_device_partition_property,
    num_devices: cl::cl_uint,
    out_devices: *mut cl::cl_device_id,
    num_devices_ret: *mut cl::cl_uint,
) -> cl::cl_int {
    // SAFETY: the caller's promise.
    ffi::call("clCreateSubDevices", || unsafe {
        let device = handle::borrow::<Device>(in_device)?;
        let scheme = convert::device::scheme(ffi::partition(properties).as_deref())?;
        let partition = Partition::new(&device, scheme)?;
        let n = partition.n_devices();
        if !out_devices.is_null() {
            ensure!(
                n <= num_devices as usize,
                InvalidValue,
                "out_devices is not NULL and num_devices is less than the number of sub-devices created"
            );
            let handles: Vec<_> = partition.create().into_iter().map(handle::give).collect();
            ffi::put_list(&handles, out_devices, num_devices, std::ptr::null_mut());
        }
        ffi::put(num_devices_ret, n as cl::cl_uint);
        Ok(())
    })
}

/// Spec: "Partitioning a Device".
///
/// # Safety
/// `device` is null or a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clRetainDevice(device: cl::cl_device_id) -> cl::cl_int {
    // SAFETY: the caller's promise. Root devices are not counted.
    ffi::call("clRetainDevice", || unsafe {
        if handle::borrow::<Device>(device)?.is_root() { Ok(()) } else { handle::retain::<Device>(device) }
    })
}

/// Spec: "Partitioning a Device".
///
/// # Safety
/// `device` is null or a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clReleaseDevice(device: cl::cl_device_id) -> cl::cl_int {
    // SAFETY: the caller's promise. Root devices are not counted.
    ffi::call("clReleaseDevice", || unsafe {
        if handle::borrow::<Device>(device)?.is_root() { Ok(()) } else { handle::release::<Device>(device) }
    })
}

/// Spec: "Querying Devices".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetDeviceAndHostTimer(
    device: cl::cl_device_id,
    device_timestamp: *mut cl::cl_ulong,
    host_timestamp: *mut cl::cl_ulong,
) -> cl::cl_int {
    // SAFETY: the caller's promise.
    ffi::call("clGetDeviceAndHostTimer", || unsafe {
        let device = handle::borrow::<Device>(device)?;
        ensure!(!host_timestamp.is_null(), InvalidValue, "host_timestamp is NULL");
        ensure!(!device_timestamp.is_null(), InvalidValue, "device_timestamp is NULL");
        let now = device.timer_ns();
        ffi::put(device_timestamp, now);
        ffi::put(host_timestamp, now);
        Ok(())
    })
}

/// Spec: "Querying Devices".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetHostTimer(device: cl::cl_device_id, host_timestamp: *mut cl::cl_ulong) -> cl::cl_int {
    // SAFETY: the caller's promise.
    ffi::call("clGetHostTimer", || unsafe {
        let device = handle::borrow::<Device>(device)?;
        ensure!(!host_timestamp.is_null(), InvalidValue, "host_timestamp is NULL");
        ffi::put(host_timestamp, device.timer_ns());
        Ok(())
    })
}
