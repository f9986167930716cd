//! Image format queries.

use crate::cl;
use crate::error::{Result, ensure};
use clift_runtime::memory::buffer::MemFlags;

/// Spec: `clGetSupportedImageFormats`.
pub fn format_query(flags: cl::cl_mem_flags, image_type: cl::cl_mem_object_type) -> Result {
    let known = MemFlags::all().bits() | cl::CL_MEM_KERNEL_READ_AND_WRITE;
    ensure!(flags & !known == 0, InvalidValue, "flags is not valid");
    let is_image = matches!(
        image_type,
        cl::CL_MEM_OBJECT_IMAGE1D
            | cl::CL_MEM_OBJECT_IMAGE1D_BUFFER
            | cl::CL_MEM_OBJECT_IMAGE2D
            | cl::CL_MEM_OBJECT_IMAGE3D
            | cl::CL_MEM_OBJECT_IMAGE1D_ARRAY
            | cl::CL_MEM_OBJECT_IMAGE2D_ARRAY
    );
    ensure!(is_image, InvalidValue, "image_type is not valid");
    Ok(())
}
