//! Samplers. Spec: "Sampler Objects".

#![allow(unsafe_code, reason = "C entry points")]

use crate::ffi::{self, InfoOut};
use crate::{cl, convert, handle, info};
use clift_runtime::sampler::{Sampler, Settings};
use std::ffi::c_void;

/// Spec: "Creating Sampler Objects".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateSamplerWithProperties(
    context: cl::cl_context,
    sampler_properties: *const cl::cl_sampler_properties,
    errcode_ret: *mut cl::cl_int,
) -> cl::cl_sampler {
    // SAFETY: the caller's promise.
    unsafe {
        ffi::create("clCreateSamplerWithProperties", errcode_ret, || {
            let context = handle::context(context)?;
            let pairs = ffi::properties(sampler_properties);
            let settings = convert::sampler::properties(pairs.as_deref().unwrap_or_default())?;
            let list = pairs.as_deref().map(convert::flat).unwrap_or_default();
            Ok(handle::give(Sampler::create(&context, settings, list)?))
        })
    }
}

/// Spec: "Creating Sampler Objects".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateSampler(
    context: cl::cl_context,
    normalized_coords: cl::cl_bool,
    addressing_mode: cl::cl_addressing_mode,
    filter_mode: cl::cl_filter_mode,
    errcode_ret: *mut cl::cl_int,
) -> cl::cl_sampler {
    // SAFETY: the caller's promise.
    unsafe {
        ffi::create("clCreateSampler", errcode_ret, || {
            let context = handle::context(context)?;
            let coordinates = convert::sampler::coordinates(normalized_coords)?;
            let addressing = convert::sampler::addressing(addressing_mode)?;
            let filter = convert::sampler::filter(filter_mode)?;
            let settings = Settings { coordinates, addressing, filter, ..Settings::default() };
            Ok(handle::give(Sampler::create(&context, settings, Vec::new())?))
        })
    }
}

/// Spec: "Creating Sampler Objects".
///
/// # Safety
/// `sampler` is null or a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clRetainSampler(sampler: cl::cl_sampler) -> cl::cl_int {
    // SAFETY: the caller's promise.
    ffi::call("clRetainSampler", || unsafe { handle::retain::<Sampler>(sampler) })
}

/// Spec: "Creating Sampler Objects".
///
/// # Safety
/// `sampler` is null or a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clReleaseSampler(sampler: cl::cl_sampler) -> cl::cl_int {
    // SAFETY: the caller's promise.
    ffi::call("clReleaseSampler", || unsafe { handle::release::<Sampler>(sampler) })
}

/// Spec: "Sampler Object Queries".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetSamplerInfo(
    sampler: cl::cl_sampler,
    param_name: cl::cl_sampler_info,
    param_value_size: usize,
    param_value: *mut c_void,
    param_value_size_ret: *mut usize,
) -> cl::cl_int {
    let out = InfoOut { size: param_value_size, value: param_value, size_ret: param_value_size_ret };
    // SAFETY: the caller's promise.
    ffi::call("clGetSamplerInfo", || unsafe {
        let sampler = handle::borrow::<Sampler>(sampler)?;
        out.store(info::query(info::image::SAMPLER_ROWS, &sampler, param_name)?.bytes())
    })
}
