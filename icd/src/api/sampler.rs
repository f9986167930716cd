//! Samplers. They need image support, which the device does not have; so no handle is a sampler. Spec: "Sampler
//! Objects".

#![allow(unsafe_code, reason = "C entry points")]

use crate::error::{Result, Status, fail};
use crate::{cl, ffi, handle};
use clift_runtime::context::Context;
use std::ffi::c_void;

/// # Safety
/// `context` is null or a handle.
unsafe fn refuse(context: cl::cl_context) -> Result<*mut c_void> {
    // SAFETY: the caller's promise.
    unsafe { handle::borrow::<Context>(context)? };
    fail(Status::InvalidOperation, "images are not supported by any device associated with context")
}

fn no_sampler() -> Result {
    fail(Status::InvalidSampler, "sampler is not a valid sampler object")
}

/// Spec: "Creating Sampler Objects".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateSamplerWithProperties(
    context: cl::cl_context,
    _sampler_properties: *const cl::cl_sampler_properties,
    errcode_ret: *mut cl::cl_int,
) -> cl::cl_sampler {
    // SAFETY: the caller's promise.
    unsafe { ffi::create("clCreateSamplerWithProperties", errcode_ret, || refuse(context)) }
}

/// Spec: "Creating Sampler Objects".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateSampler(
    context: cl::cl_context,
    _normalized_coords: cl::cl_bool,
    _addressing_mode: cl::cl_addressing_mode,
    _filter_mode: cl::cl_filter_mode,
    errcode_ret: *mut cl::cl_int,
) -> cl::cl_sampler {
    // SAFETY: the caller's promise.
    unsafe { ffi::create("clCreateSampler", errcode_ret, || refuse(context)) }
}

/// Spec: "Creating Sampler Objects".
#[unsafe(no_mangle)]
pub extern "C" fn clRetainSampler(_sampler: cl::cl_sampler) -> cl::cl_int {
    ffi::call("clRetainSampler", no_sampler)
}

/// Spec: "Creating Sampler Objects".
#[unsafe(no_mangle)]
pub extern "C" fn clReleaseSampler(_sampler: cl::cl_sampler) -> cl::cl_int {
    ffi::call("clReleaseSampler", no_sampler)
}

/// Spec: "Sampler Object Queries".
#[unsafe(no_mangle)]
pub extern "C" fn clGetSamplerInfo(
    _sampler: cl::cl_sampler,
    _param_name: cl::cl_sampler_info,
    _param_value_size: usize,
    _param_value: *mut c_void,
    _param_value_size_ret: *mut usize,
) -> cl::cl_int {
    ffi::call("clGetSamplerInfo", no_sampler)
}
