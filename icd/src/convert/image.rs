//! Image types, formats and descriptions.

use crate::cl;
use crate::error::{Result, Status, ensure, fail};
use clift_runtime::memory::buffer::{Mem, MemFlags, MemType};
use clift_runtime::memory::format::Format;
use clift_runtime::memory::image::Shape;
use clift_runtime::object::Obj;

/// The image type of this number.
pub fn image_type(number: cl::cl_mem_object_type) -> Option<MemType> {
    MemType::IMAGES.into_iter().find(|&ty| ty as cl::cl_mem_object_type == number)
}

/// Spec: `clGetSupportedImageFormats`.
pub fn format_query(flags: cl::cl_mem_flags, number: cl::cl_mem_object_type) -> Result<(MemType, MemFlags)> {
    let Some(flags) = MemFlags::from_bits(flags) else { return fail(Status::InvalidValue, "flags is not valid") };
    match image_type(number) {
        Some(ty) => Ok((ty, flags)),
        None => fail(Status::InvalidValue, "image_type is not valid"),
    }
}

/// Flags of `clGetImageRequirementsInfoEXT`.
pub fn requirement_flags(bits: cl::cl_mem_flags) -> Result<MemFlags> {
    let Some(flags) = MemFlags::from_bits(bits) else { return fail(Status::InvalidValue, "flags is not valid") };
    let accesses = bits & (cl::CL_MEM_READ_WRITE | cl::CL_MEM_READ_ONLY | cl::CL_MEM_WRITE_ONLY);
    ensure!(accesses.count_ones() <= 1, InvalidValue, "flags has more than one access of kernels");
    Ok(flags)
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
        mip_levels: desc.num_mip_levels,
        samples: desc.num_samples,
        source,
    })
}

/// A description that may leave the type open. The object that it may name does not count.
pub fn open_shape(desc: &cl::cl_image_desc) -> Result<(Shape<'static>, Option<MemType>)> {
    let type_or_any = if desc.image_type == 0 { cl::CL_MEM_OBJECT_IMAGE2D } else { desc.image_type };
    let shape = shape(&cl::cl_image_desc { image_type: type_or_any, ..*desc }, None)?;
    Ok((shape, (desc.image_type != 0).then_some(shape.mem_type)))
}
