//! Device types.

use crate::cl;
use crate::error::{Result, ensure};
use clift_runtime::device::Device;
use clift_runtime::object::Obj;

const KNOWN: cl::cl_device_type = cl::CL_DEVICE_TYPE_DEFAULT
    | cl::CL_DEVICE_TYPE_CPU
    | cl::CL_DEVICE_TYPE_GPU
    | cl::CL_DEVICE_TYPE_ACCELERATOR
    | cl::CL_DEVICE_TYPE_CUSTOM;

/// Those of `devices`, all CPUs, that match a type.
///
/// Spec: `clGetDeviceIDs`.
pub fn matching(device_type: cl::cl_device_type, devices: &[Obj<Device>]) -> Result<&[Obj<Device>]> {
    let is_valid = device_type == cl::CL_DEVICE_TYPE_ALL || (device_type != 0 && device_type & !KNOWN == 0);
    ensure!(is_valid, InvalidDeviceType, "device_type is not a valid value");
    let is_match = device_type & (cl::CL_DEVICE_TYPE_DEFAULT | cl::CL_DEVICE_TYPE_CPU) != 0;
    ensure!(is_match && !devices.is_empty(), DeviceNotFound, "no OpenCL devices that matched device_type were found");
    Ok(devices)
}
