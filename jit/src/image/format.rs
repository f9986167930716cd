//! The API's numbers of image formats, and how a texel of each is laid out, in the descriptor's terms. Which formats
//! there are is the runtime's business.

use super::{channel, fast};

/// Expands to a module of constants, and a list of them with their names.
macro_rules! names {
    ($(#[$doc:meta])* $module:ident: $($name:ident = $value:literal,)*) => {
        $(#[$doc])*
        pub mod $module {
            #![expect(missing_docs, reason = "the names of the API")]
            $(pub const $name: u32 = $value;)*
            /// All names, without the `CL_`.
            pub const NAMES: &[(&str, u32)] = &[$((stringify!($name), $name),)*];
        }
    };
}

names! {
    /// `cl_channel_order`.
    order:
    R = 0x10B0,
    A = 0x10B1,
    RG = 0x10B2,
    RA = 0x10B3,
    RGB = 0x10B4,
    RGBA = 0x10B5,
    BGRA = 0x10B6,
    ARGB = 0x10B7,
    INTENSITY = 0x10B8,
    LUMINANCE = 0x10B9,
    RX = 0x10BA,
    RGX = 0x10BB,
    RGBX = 0x10BC,
    DEPTH = 0x10BD,
    DEPTH_STENCIL = 0x10BE,
    SRGB = 0x10BF,
    SRGBX = 0x10C0,
    SRGBA = 0x10C1,
    SBGRA = 0x10C2,
    ABGR = 0x10C3,
}

names! {
    /// `cl_channel_type`.
    data_type:
    SNORM_INT8 = 0x10D0,
    SNORM_INT16 = 0x10D1,
    UNORM_INT8 = 0x10D2,
    UNORM_INT16 = 0x10D3,
    UNORM_SHORT_565 = 0x10D4,
    UNORM_SHORT_555 = 0x10D5,
    UNORM_INT_101010 = 0x10D6,
    SIGNED_INT8 = 0x10D7,
    SIGNED_INT16 = 0x10D8,
    SIGNED_INT32 = 0x10D9,
    UNSIGNED_INT8 = 0x10DA,
    UNSIGNED_INT16 = 0x10DB,
    UNSIGNED_INT32 = 0x10DC,
    HALF_FLOAT = 0x10DD,
    FLOAT = 0x10DE,
    UNORM_INT24 = 0x10DF,
    UNORM_INT_101010_2 = 0x10E0,
    UNORM_INT10X6_EXT = 0x10E1,
    UNSIGNED_INT_RAW10_EXT = 0x10E3,
    UNSIGNED_INT_RAW12_EXT = 0x10E4,
    UNORM_INT_2_101010_EXT = 0x10E5,
    UNSIGNED_INT10X6_EXT = 0x10E6,
    UNSIGNED_INT12X4_EXT = 0x10E7,
    UNSIGNED_INT14X2_EXT = 0x10E8,
    UNORM_INT12X4_EXT = 0x10E9,
    UNORM_INT14X2_EXT = 0x10EA,
}

use data_type as t;
use order as o;

/// How a texel is laid out: fields of `ImageDesc`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields of the descriptor")]
pub struct Layout {
    /// 1 where texels share bytes: see `shared_bytes`.
    pub texel_bytes: u32,
    /// Without `channel::SMALL`.
    pub channels: u32,
    pub offset: [u32; 4],
    pub border_alpha: u32,
    pub fast: u32,
}

/// Bytes of a channel; of the texel for packed types.
pub fn unit_bytes(data_type: u32) -> u32 {
    match data_type {
        t::SNORM_INT8 | t::UNORM_INT8 | t::SIGNED_INT8 | t::UNSIGNED_INT8 => 1,
        t::SIGNED_INT32 | t::UNSIGNED_INT32 | t::FLOAT => 4,
        t::UNORM_INT_101010 | t::UNORM_INT_101010_2 | t::UNORM_INT_2_101010_EXT => 4,
        t::UNSIGNED_INT_RAW10_EXT | t::UNSIGNED_INT_RAW12_EXT => 1,
        _ => 2,
    }
}

/// True if all channels lie in one number.
pub fn is_packed(data_type: u32) -> bool {
    matches!(
        data_type,
        t::UNORM_SHORT_565
            | t::UNORM_SHORT_555
            | t::UNORM_INT_101010
            | t::UNORM_INT_101010_2
            | t::UNORM_INT_2_101010_EXT
    )
}

/// Zero bits below a channel's number, which fills the rest of 16 bits; 0 for types that are stored otherwise.
pub fn padding_bits(data_type: u32) -> u32 {
    match data_type {
        t::UNSIGNED_INT10X6_EXT | t::UNORM_INT10X6_EXT => 6,
        t::UNSIGNED_INT12X4_EXT | t::UNORM_INT12X4_EXT => 4,
        t::UNSIGNED_INT14X2_EXT | t::UNORM_INT14X2_EXT => 2,
        _ => 0,
    }
}

/// For types whose texels share bytes: so many stand in one more byte than they are. Each has one for its upper bits,
/// and in the last one are the lower bits of all, those of the first lowest.
pub fn shared_bytes(data_type: u32) -> Option<u32> {
    match data_type {
        t::UNSIGNED_INT_RAW10_EXT => Some(4),
        t::UNSIGNED_INT_RAW12_EXT => Some(2),
        _ => None,
    }
}

/// The layout of a supported format.
pub fn layout(order: u32, data_type: u32) -> Layout {
    const R: u32 = 1;
    const RG: u32 = 3;
    const RGB: u32 = 7;
    const A: u32 = 8;
    const RA: u32 = 9;
    const RGBA: u32 = 15;
    // Channels in the texel, position of r, g, b, a among them, masks of reads and writes.
    let (n, at, read, write) = match order {
        o::R | o::DEPTH => (1, [0, 0, 0, 0], R, R),
        o::A => (1, [0, 0, 0, 0], A, A),
        o::RG => (2, [0, 1, 0, 0], RG, RG),
        o::RA => (2, [0, 0, 0, 1], RA, RA),
        o::RGB | o::RGBX | o::SRGB => (3, [0, 1, 2, 0], RGB, RGB),
        o::BGRA | o::SBGRA => (4, [2, 1, 0, 3], RGBA, RGBA),
        o::ARGB => (4, [1, 2, 3, 0], RGBA, RGBA),
        o::ABGR => (4, [3, 2, 1, 0], RGBA, RGBA),
        o::INTENSITY => (1, [0, 0, 0, 0], RGBA, R),
        o::LUMINANCE => (1, [0, 0, 0, 0], RGB, R),
        _ => (4, [0, 1, 2, 3], RGBA, RGBA),
    };
    let (unit, packed) = (unit_bytes(data_type), is_packed(data_type));
    let mut channels = read << channel::READ_SHIFT | write << channel::WRITE_SHIFT;
    if at == [0, 1, 2, 3] && !packed {
        channels |= channel::RGBA;
    }
    if matches!(order, o::SRGB | o::SRGBX | o::SRGBA | o::SBGRA) {
        channels |= channel::SRGB;
    }
    // Spec: OpenCL C, "Determining the Border Color or Value".
    let opaque_border = matches!(order, o::R | o::RG | o::RGB | o::LUMINANCE);
    Layout {
        texel_bytes: if packed { unit } else { n * unit },
        channels,
        offset: at.map(|i| if packed { 0 } else { i * unit }),
        border_alpha: opaque_border.into(),
        fast: match (order, data_type) {
            (o::RGBA, t::UNORM_INT8) => fast::RGBA_UNORM8,
            (o::RGBA, t::FLOAT) => fast::RGBA_FLOAT,
            _ => fast::NONE,
        },
    }
}
