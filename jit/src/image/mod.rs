//! Images and samplers as generated code sees them: the shapes and accesses of the language's image types, the
//! descriptor that an image argument points to, and the bits of a sampler. The bodies under `builtins/image` read the
//! same layout (`include/image.clh`). `format` is the layout of texels, `facts` what code can be made for. Must not
//! know OpenCL objects.

pub mod facts;
pub mod format;

pub use facts::{Fact, ImageFacts};

/// Shape of an image type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum ImageShape {
    /// `image1d_t`
    D1,
    /// `image1d_buffer_t`
    D1Buffer,
    /// `image1d_array_t`
    D1Array,
    /// `image2d_t`
    D2,
    /// `image2d_array_t`
    D2Array,
    /// `image2d_depth_t`
    D2Depth,
    /// `image2d_array_depth_t`
    D2ArrayDepth,
    /// `image3d_t`
    D3,
}

impl ImageShape {
    /// Every shape.
    pub const ALL: [Self; 8] =
        [Self::D1, Self::D1Buffer, Self::D1Array, Self::D2, Self::D2Array, Self::D2Depth, Self::D2ArrayDepth, Self::D3];

    /// The type's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::D1 => "image1d_t",
            Self::D1Buffer => "image1d_buffer_t",
            Self::D1Array => "image1d_array_t",
            Self::D2 => "image2d_t",
            Self::D2Array => "image2d_array_t",
            Self::D2Depth => "image2d_depth_t",
            Self::D2ArrayDepth => "image2d_array_depth_t",
            Self::D3 => "image3d_t",
        }
    }
}

/// Access qualifier of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum ImageAccess {
    /// `read_only`, also where none is written.
    Read,
    /// `write_only`
    Write,
    /// `read_write`
    ReadWrite,
}

impl ImageAccess {
    /// Every access.
    pub const ALL: [Self; 3] = [Self::Read, Self::Write, Self::ReadWrite];

    /// The qualifier.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read_only",
            Self::Write => "write_only",
            Self::ReadWrite => "read_write",
        }
    }
}

/// What an image argument points to. Sizes that the shape does not have are 1, so that code for three dimensions serves
/// all. The bodies trust it: every texel inside the sizes lies in the image's memory.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct ImageDesc {
    /// Address of the first texel.
    pub data: u64,
    /// Bytes from row to row.
    pub row_pitch: u64,
    /// Bytes from slice to slice, or from layer to layer.
    pub slice_pitch: u64,
    /// Texels.
    pub width: i32,
    /// Rows.
    pub height: i32,
    /// Slices.
    pub depth: i32,
    /// Layers of an array.
    pub layers: i32,
    /// `CL_…` channel data type.
    pub data_type: u32,
    /// `CL_…` channel order.
    pub order: u32,
    /// Bytes of a texel.
    pub texel_bytes: u32,
    /// `channel` bits.
    pub channels: u32,
    /// Byte offset of r, g, b, a in a texel; 0 for channels that it does not have.
    pub offset: [u32; 4],
    /// Alpha of the border colour.
    pub border_alpha: u32,
    /// One of `fast`.
    pub fast: u32,
    /// Mip levels, at least 1. The descriptors of the levels lie one behind the other in memory, of which an image's
    /// own is the first; this is the same in all.
    pub levels: u64,
}

/// Bits of `ImageDesc::channels`.
pub mod channel {
    /// Shift of the mask of channels (r first) that a read takes from the texel; the others read 0, alpha 1.
    pub const READ_SHIFT: u32 = 0;
    /// Shift of the mask of channels that a write stores.
    pub const WRITE_SHIFT: u32 = 4;
    /// The texel is r, g, b, a in this order.
    pub const RGBA: u32 = 1 << 8;
    /// r, g and b are in the sRGB curve.
    pub const SRGB: u32 = 1 << 9;
    /// The image is less than 2^31 bytes from the first texel to the end of the last.
    pub const SMALL: u32 = 1 << 10;
}

/// Formats for which image functions have a path of their own. Any format may say `NONE`.
pub mod fast {
    /// All others.
    pub const NONE: u32 = 0;
    /// `CL_RGBA` (without the sRGB curve) with `CL_UNORM_INT8`.
    pub const RGBA_UNORM8: u32 = 1;
    /// `CL_RGBA` with `CL_FLOAT`.
    pub const RGBA_FLOAT: u32 = 2;
}

/// Bits of a sampler: the values of the `CLK_` macros.
pub mod sampler {
    /// `CLK_NORMALIZED_COORDS_TRUE`
    pub const NORMALIZED: u32 = 1;
    /// All bits that say how addresses are found; none of them: `CLK_ADDRESS_NONE`
    pub const ADDRESS: u32 = CLAMP_TO_EDGE | CLAMP | MIRRORED_REPEAT;
    /// `CLK_ADDRESS_CLAMP_TO_EDGE`
    pub const CLAMP_TO_EDGE: u32 = 2;
    /// `CLK_ADDRESS_CLAMP`
    pub const CLAMP: u32 = 4;
    /// `CLK_ADDRESS_REPEAT`
    pub const REPEAT: u32 = 6;
    /// `CLK_ADDRESS_MIRRORED_REPEAT`
    pub const MIRRORED_REPEAT: u32 = 8;
    /// `CLK_FILTER_NEAREST`
    pub const NEAREST: u32 = 0x10;
    /// `CLK_FILTER_LINEAR`
    pub const LINEAR: u32 = 0x20;
    /// Samples lie between the two nearest mip levels, not in the nearest.
    pub const MIP_LINEAR: u32 = 0x40;
    /// Steps of a whole level in the limits of the level of detail.
    pub const LOD_STEPS: u32 = 256;
    /// The largest limit, in steps; no image has as many levels.
    pub const LOD_TOP: u32 = 0xfff;
    /// Shift of the lower limit, in steps.
    pub const LOD_MIN_SHIFT: u32 = 8;
    /// Shift of how far the upper limit is below `LOD_TOP`, in steps.
    pub const LOD_MAX_SHIFT: u32 = 20;
}
