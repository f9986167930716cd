//! Settings of samplers.

use crate::cl;
use crate::error::{Result, Status, ensure, fail};
use clift_runtime::sampler::{Addressing, Coordinates, Filter, Settings};

/// `cl_addressing_mode`
pub fn addressing(mode: cl::cl_addressing_mode) -> Result<Addressing> {
    let modes =
        [Addressing::None, Addressing::ClampToEdge, Addressing::Clamp, Addressing::Repeat, Addressing::MirroredRepeat];
    let found = modes.into_iter().find(|&known| known as cl::cl_addressing_mode == mode);
    found.map_or_else(|| fail(Status::InvalidValue, "addressing_mode is not valid"), Ok)
}

/// `cl_filter_mode`
pub fn filter(mode: cl::cl_filter_mode) -> Result<Filter> {
    let found = [Filter::Nearest, Filter::Linear].into_iter().find(|&known| known as cl::cl_filter_mode == mode);
    found.map_or_else(|| fail(Status::InvalidValue, "filter_mode is not valid"), Ok)
}

/// `normalized_coords`
pub fn coordinates(flag: cl::cl_bool) -> Result<Coordinates> {
    match flag {
        cl::CL_FALSE => Ok(Coordinates::Texels),
        cl::CL_TRUE => Ok(Coordinates::Normalised),
        _ => fail(Status::InvalidValue, "normalized_coords is not valid"),
    }
}

/// Settings of a sampler from a property list. Spec: `clCreateSamplerWithProperties`.
pub fn properties(pairs: &[(u64, u64)]) -> Result<Settings> {
    super::distinct_names(pairs, Status::InvalidValue)?;
    let mut settings = Settings::default();
    for &(name, value) in pairs {
        let Ok(value) = u32::try_from(value) else {
            return fail(
                Status::InvalidValue,
                "the value specified for a property name in sampler_properties is not valid",
            );
        };
        match cl::cl_uint::try_from(name) {
            Ok(cl::CL_SAMPLER_NORMALIZED_COORDS) => settings.coordinates = coordinates(value)?,
            Ok(cl::CL_SAMPLER_ADDRESSING_MODE) => settings.addressing = addressing(value)?,
            Ok(cl::CL_SAMPLER_FILTER_MODE) => settings.filter = filter(value)?,
            Ok(cl::CL_SAMPLER_MIP_FILTER_MODE_KHR) => settings.mip_filter = filter(value)?,
            Ok(cl::CL_SAMPLER_LOD_MIN_KHR) => settings.lod[0] = f32::from_bits(value),
            Ok(cl::CL_SAMPLER_LOD_MAX_KHR) => settings.lod[1] = f32::from_bits(value),
            _ => return fail(Status::InvalidValue, "a property name in sampler_properties is not supported"),
        }
    }
    // False for NaN as well.
    let is_range = settings.lod[0] <= settings.lod[1];
    ensure!(is_range, InvalidValue, "the levels of detail of the sampler are NaN or none lies between them");
    Ok(settings)
}
