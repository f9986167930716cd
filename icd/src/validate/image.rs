//! Image and sampler descriptions, as far as C's shapes go: sizes, pitches and formats are the runtime's
//! (`clift_runtime::memory::image`).

use crate::cl;
use crate::error::{Error, Result, Status, ensure, fail};
use clift_runtime::memory::buffer::{Mem, MemFlags, MemType};
use clift_runtime::memory::format::Format;
use clift_runtime::memory::image::Shape;
use clift_runtime::object::Obj;
use clift_runtime::sampler::{Addressing, Coordinates, Filter};

/// The image type of this number.
pub fn image_type(number: cl::cl_mem_object_type) -> Option<MemType> {
    MemType::IMAGES.into_iter().find(|&ty| ty as cl::cl_mem_object_type == number)
}

/// Spec: `clGetSupportedImageFormats`.
pub fn format_query(flags: cl::cl_mem_flags, number: cl::cl_mem_object_type) -> Result<MemType> {
    ensure!(MemFlags::from_bits(flags).is_some(), InvalidValue, "flags is not valid");
    match image_type(number) {
        Some(ty) => Ok(ty),
        None => fail(Status::InvalidValue, "image_type is not valid"),
    }
}

/// A format as C wrote it.
pub fn format(format: &cl::cl_image_format) -> Format {
    Format { order: format.image_channel_order, data_type: format.image_channel_data_type }
}

/// Spec: "Image Descriptor". `source` is the object behind `mem_object`.
pub fn shape<'a>(desc: &cl::cl_image_desc, source: Option<&'a Obj<Mem>>) -> Result<Shape<'a>> {
    let Some(mem_type) = image_type(desc.image_type) else {
        return fail(Status::InvalidImageDescriptor, "image_type is not valid");
    };
    Ok(Shape {
        mem_type,
        width: desc.image_width,
        height: desc.image_height,
        depth: desc.image_depth,
        layers: desc.image_array_size,
        row_pitch: desc.image_row_pitch,
        slice_pitch: desc.image_slice_pitch,
        is_plain: desc.num_mip_levels == 0 && desc.num_samples == 0,
        source,
    })
}

/// The errors of `clCreateImage2D` and `clCreateImage3D` for sizes and pitches have a code of their own.
pub fn old_code(error: Error) -> Error {
    match error {
        Error::Spec { status: Status::InvalidImageDescriptor, condition } => {
            Error::Spec { status: Status::InvalidImageSize, condition }
        }
        other => other,
    }
}

/// "image_depth ≤ 1" of `clCreateImage3D`.
pub fn depth(depth: usize) -> Result {
    ensure!(depth > 1, InvalidImageSize, "image_depth is not greater than 1");
    Ok(())
}

/// No property of `clCreateImageWithProperties` exists without an extension.
pub fn properties(pairs: &[(u64, u64)]) -> Result {
    if pairs.is_empty() {
        return Ok(());
    }
    fail(Status::InvalidProperty, "a property name in properties is not a supported property name")
}

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
pub fn sampler_properties(pairs: &[(u64, u64)]) -> Result<(Coordinates, Addressing, Filter)> {
    super::distinct_names(pairs, Status::InvalidValue)?;
    let mut settings = (Coordinates::Normalised, Addressing::Clamp, Filter::Nearest);
    for &(name, value) in pairs {
        let Ok(value) = u32::try_from(value) else {
            return fail(
                Status::InvalidValue,
                "the value specified for a property name in sampler_properties is not valid",
            );
        };
        match cl::cl_uint::try_from(name) {
            Ok(cl::CL_SAMPLER_NORMALIZED_COORDS) => settings.0 = coordinates(value)?,
            Ok(cl::CL_SAMPLER_ADDRESSING_MODE) => settings.1 = addressing(value)?,
            Ok(cl::CL_SAMPLER_FILTER_MODE) => settings.2 = filter(value)?,
            _ => return fail(Status::InvalidValue, "a property name in sampler_properties is not supported"),
        }
    }
    Ok(settings)
}
