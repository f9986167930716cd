//! `clGetImageInfo`, `clGetImageRequirementsInfoEXT` and `clGetSamplerInfo`. Spec: "Image Object Queries", "Querying
//! Image Requirements", "Sampler Object Queries".

use super::{InfoWriter, Written, info_rows};
use crate::cl;
use crate::error::{Result, Status, fail};
use clift_runtime::memory::buffer::{Mem, MemType};
use clift_runtime::memory::image::Image;
use clift_runtime::memory::requirements::Wanted;
use clift_runtime::object::Object;
use clift_runtime::sampler::Sampler;

/// The image that a memory object must be.
fn of(mem: &Object<Mem>) -> Result<&Image> {
    mem.image().map_or_else(|| fail(Status::InvalidMemObject, "image is not a valid image object"), Ok)
}

info_rows! {
    /// Every image query.
    ROWS: Object<Mem>;
    CL_IMAGE_FORMAT => |i, w| w.put(&[of(i)?.format().order, of(i)?.format().data_type][..]);
    CL_IMAGE_ELEMENT_SIZE => |i, w| w.put(&of(i)?.element_bytes());
    CL_IMAGE_ROW_PITCH => |i, w| w.put(&of(i)?.row_pitch());
    CL_IMAGE_SLICE_PITCH => |i, w| w.put(&of(i)?.slice_pitch());
    CL_IMAGE_WIDTH => |i, w| w.put(&of(i)?.sizes()[0]);
    CL_IMAGE_HEIGHT => |i, w| w.put(&of(i)?.sizes()[1]);
    CL_IMAGE_DEPTH => |i, w| w.put(&of(i)?.sizes()[2]);
    CL_IMAGE_ARRAY_SIZE => |i, w| w.put(&of(i)?.sizes()[3]);
    CL_IMAGE_BUFFER => buffer;
    CL_IMAGE_NUM_MIP_LEVELS => |i, w| w.put(&of(i)?.mip_levels());
    CL_IMAGE_NUM_SAMPLES => |i, w| of(i).and_then(|_| w.put(&0u32));
}

/// "the buffer object associated with image"
fn buffer(mem: &Object<Mem>, writer: &mut InfoWriter) -> Result<Written> {
    of(mem)?;
    match mem.parent() {
        Some(parent) if parent.mem_type() == MemType::Buffer => writer.object(parent),
        _ => writer.null(),
    }
}

info_rows! {
    /// Every sampler query.
    SAMPLER_ROWS: Object<Sampler>;
    CL_SAMPLER_REFERENCE_COUNT => |s, w| w.put(&s.reference_count());
    CL_SAMPLER_CONTEXT => |s, w| w.object(s.context());
    CL_SAMPLER_NORMALIZED_COORDS => |s, w| w.put(&(s.settings().coordinates as cl::cl_bool));
    CL_SAMPLER_ADDRESSING_MODE => |s, w| w.put(&(s.settings().addressing as u32));
    CL_SAMPLER_FILTER_MODE => |s, w| w.put(&(s.settings().filter as u32));
    CL_SAMPLER_MIP_FILTER_MODE_KHR => |s, w| w.put(&(s.settings().mip_filter as u32));
    CL_SAMPLER_LOD_MIN_KHR => |s, w| w.put(&s.settings().lod[0].to_bits());
    CL_SAMPLER_LOD_MAX_KHR => |s, w| w.put(&s.settings().lod[1].to_bits());
    CL_SAMPLER_PROPERTIES => |s, w| w.put(s.properties());
}

info_rows! {
    /// Every query of `clGetImageRequirementsInfoEXT`.
    REQUIREMENT_ROWS: Wanted;
    CL_IMAGE_REQUIREMENTS_BASE_ADDRESS_ALIGNMENT_EXT => |q, w| w.put(&q.alignment()?);
    CL_IMAGE_REQUIREMENTS_ROW_PITCH_ALIGNMENT_EXT => |q, w| w.put(&q.alignment()?);
    CL_IMAGE_REQUIREMENTS_SLICE_PITCH_ALIGNMENT_EXT => |q, w| w.put(&q.alignment()?);
    CL_IMAGE_REQUIREMENTS_SIZE_EXT => |q, w| w.put(&q.size()?);
    CL_IMAGE_REQUIREMENTS_MAX_WIDTH_EXT => |q, w| w.put(&(q.max_size(0)? as u32));
    CL_IMAGE_REQUIREMENTS_MAX_HEIGHT_EXT => |q, w| w.put(&(q.max_size(1)? as u32));
    CL_IMAGE_REQUIREMENTS_MAX_DEPTH_EXT => |q, w| w.put(&(q.max_size(2)? as u32));
    CL_IMAGE_REQUIREMENTS_MAX_ARRAY_SIZE_EXT => |q, w| w.put(&(q.max_size(3)? as u32));
}
