//! Context properties.

use crate::cl;
use crate::error::{Result, Status, ensure, fail};

/// Spec: `clCreateContext`, "Context Properties".
pub fn properties(pairs: &[(isize, isize)], is_platform: impl Fn(isize) -> bool) -> Result {
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
            _ => {
                return fail(
                    Status::InvalidProperty,
                    "a context property name in properties is not a supported property name",
                );
            }
        }
    }
    super::distinct_names(pairs, Status::InvalidProperty)
}
