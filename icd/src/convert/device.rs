//! Device types and partition properties.

use crate::cl;
use crate::error::{Result, Status, ensure, fail};
use clift_runtime::device::Device;
use clift_runtime::device::partition::Scheme;
use clift_runtime::device::topology::Domain;
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

/// The bit of an affinity domain.
pub fn domain_bit(domain: Domain) -> cl::cl_bitfield {
    match domain {
        Domain::Numa => cl::CL_DEVICE_AFFINITY_DOMAIN_NUMA,
        Domain::L4 => cl::CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE,
        Domain::L3 => cl::CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE,
        Domain::L2 => cl::CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE,
        Domain::L1 => cl::CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE,
    }
}

/// The properties of a partition up to the zero that ends them, which also ends a list of counts.
///
/// Spec: `clCreateSubDevices`.
pub fn scheme(properties: Option<&[isize]>) -> Result<Scheme> {
    let invalid = || fail(Status::InvalidValue, "values specified in properties are not valid");
    let Some([name, values @ ..]) = properties else { return invalid() };
    match (cl::cl_uint::try_from(*name), values) {
        (Ok(cl::CL_DEVICE_PARTITION_EQUALLY), &[size]) => match usize::try_from(size) {
            Ok(size) => Ok(Scheme::Equally(size)),
            Err(_) => invalid(),
        },
        (Ok(cl::CL_DEVICE_PARTITION_BY_COUNTS), counts) => {
            let counts: std::result::Result<Vec<usize>, _> = counts.iter().map(|&n| usize::try_from(n)).collect();
            match counts {
                Ok(counts) => Ok(Scheme::ByCounts(counts)),
                Err(_) => fail(
                    Status::InvalidDevicePartitionCount,
                    "the number of compute units requested for one or more sub-devices is less than zero",
                ),
            }
        }
        (Ok(cl::CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN), &[bit]) => match bit as cl::cl_bitfield {
            cl::CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE => Ok(Scheme::NextPartitionable),
            bit => match Domain::ALL.into_iter().find(|&domain| domain_bit(domain) == bit) {
                Some(domain) => Ok(Scheme::ByDomain(domain)),
                None => invalid(),
            },
        },
        // The list's end has been read, so that other negative names were none.
        (Ok(cl::CL_DEVICE_PARTITION_BY_NAMES_INTEL), [names @ .., cl::CL_PARTITION_BY_NAMES_LIST_END_INTEL]) => {
            let names: std::result::Result<Vec<usize>, _> = names.iter().map(|&n| usize::try_from(n)).collect();
            names.map_or_else(|_| invalid(), |names| Ok(Scheme::ByNames(names)))
        }
        _ => invalid(),
    }
}
