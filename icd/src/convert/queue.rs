//! Command-queue properties.

use crate::cl;
use crate::error::{Result, Status, ensure, fail};
use clift_runtime::queue::{QueueFlags, device};

const DEVICE_QUEUE: cl::cl_bitfield = cl::CL_QUEUE_ON_DEVICE | cl::CL_QUEUE_ON_DEVICE_DEFAULT;
const LOCAL_THREAD: cl::cl_bitfield = cl::CL_QUEUE_THREAD_LOCAL_EXEC_ENABLE_INTEL;

/// The bits of `clCreateCommandQueue`.
pub fn host_flags(bits: cl::cl_bitfield) -> Result<QueueFlags> {
    match QueueFlags::from_bits(bits) {
        Some(flags) if bits & DEVICE_QUEUE == 0 => Ok(flags),
        _ => fail(Status::InvalidValue, "values specified in properties are not valid"),
    }
}

/// The list of `clCreateCommandQueueWithProperties`: flags, and the size of a queue on the device.
pub fn properties(pairs: &[(u64, u64)]) -> Result<(QueueFlags, u32)> {
    let mut bits = 0;
    let (mut size, mut has_hint) = (None, false);
    for &(name, value) in pairs {
        match cl::cl_uint::try_from(name) {
            Ok(cl::CL_QUEUE_PROPERTIES) => bits = value,
            Ok(cl::CL_QUEUE_SIZE) => size = Some(value),
            // Hints: one of high, medium, low.
            Ok(cl::CL_QUEUE_PRIORITY_KHR | cl::CL_QUEUE_THROTTLE_KHR) if matches!(value, 0b1 | 0b10 | 0b100) => {
                has_hint = true;
            }
            _ => return fail(Status::InvalidValue, "values specified in properties are not valid"),
        }
    }
    super::distinct_names(pairs, Status::InvalidValue)?;
    if bits & DEVICE_QUEUE != 0 {
        let is_valid = bits & cl::CL_QUEUE_ON_DEVICE != 0 && bits & cl::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE != 0;
        ensure!(is_valid, InvalidValue, "values specified in properties are not valid");
        let size = size.unwrap_or(device::PREFERRED_SIZE.into());
        ensure!(size > 0, InvalidValue, "values specified in properties are not valid");
        ensure!(
            size <= device::MAX_SIZE.into() && !has_hint && bits & LOCAL_THREAD == 0,
            InvalidQueueProperties,
            "values specified in properties are valid but are not supported by device"
        );
        let flags = QueueFlags::from_bits(bits);
        let rule = "values specified in properties are not valid";
        return flags.map_or_else(|| fail(Status::InvalidValue, rule), |flags| Ok((flags, size as u32)));
    }
    // "CL_QUEUE_SIZE can only be specified if CL_QUEUE_ON_DEVICE is set in CL_QUEUE_PROPERTIES"
    ensure!(size.is_none(), InvalidValue, "values specified in properties are not valid");
    host_flags(bits).map(|flags| (flags, 0))
}
