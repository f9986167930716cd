//! Context properties.

use crate::cl;
use crate::error::{Result, Status, ensure, fail};
use clift_runtime::context::ContextFlags;

/// Spec: `clCreateContext`, "Context Properties".
pub fn properties(pairs: &[(isize, isize)], is_platform: impl Fn(isize) -> bool) -> Result<ContextFlags> {
    let mut flags = ContextFlags::empty();
    let bad_value = "the value specified for a supported property name is not valid";
    for &(name, value) in pairs {
        match name as cl::cl_uint {
            cl::CL_CONTEXT_PLATFORM => {
                ensure!(
                    is_platform(value),
                    InvalidPlatform,
                    "the platform specified in properties is not a valid platform"
                );
            }
            cl::CL_CONTEXT_INTEROP_USER_SYNC => {
                ensure!(
                    value == cl::CL_FALSE as isize || value == cl::CL_TRUE as isize,
                    InvalidProperty,
                    "the value specified for a supported property name is not valid"
                );
            }
            cl::CL_CONTEXT_MEMORY_INITIALIZE_KHR => {
                // The API's bits are the runtime's.
                let both = ContextFlags::ZERO_LOCAL | ContextFlags::ZERO_PRIVATE;
                let wanted =
                    u32::try_from(value).ok().and_then(ContextFlags::from_bits).filter(|&bits| both.contains(bits));
                let Some(wanted) = wanted else { return fail(Status::InvalidProperty, bad_value) };
                flags |= wanted;
            }
            cl::CL_CONTEXT_TERMINATE_KHR => match value {
                0 => {}
                1 => flags |= ContextFlags::TERMINABLE,
                _ => return fail(Status::InvalidProperty, bad_value),
            },
            _ => {
                return fail(
                    Status::InvalidProperty,
                    "a context property name in properties is not a supported property name",
                );
            }
        }
    }
    super::distinct_names(pairs, Status::InvalidProperty)?;
    Ok(flags)
}
