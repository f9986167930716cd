//! Image formats: which there are, how a texel is laid out, and how a colour becomes a texel (for fills). The functions
//! that kernels call have their own conversions in `jit/builtins/image`.

use clift_jit::image::channel;
use clift_jit::image::format::{Layout, is_packed, layout, padding_bits, shared_bytes, unit_bytes};
pub use clift_jit::image::format::{data_type, order};

use data_type as t;
use order as o;

/// Channel order and data type, in the API's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// `cl_channel_order`
    pub order: u32,
    /// `cl_channel_type`
    pub data_type: u32,
}

/// Channel types that an order may be combined with.
const ALL: &[u32] = &[
    t::UNORM_INT8,
    t::UNORM_INT16,
    t::SNORM_INT8,
    t::SNORM_INT16,
    t::SIGNED_INT8,
    t::SIGNED_INT16,
    t::SIGNED_INT32,
    t::UNSIGNED_INT8,
    t::UNSIGNED_INT16,
    t::UNSIGNED_INT32,
    t::HALF_FLOAT,
    t::FLOAT,
];
const NORMAL: &[u32] = &[t::UNORM_INT8, t::UNORM_INT16, t::SNORM_INT8, t::SNORM_INT16, t::HALF_FLOAT, t::FLOAT];
const BYTES: &[u32] = &[t::UNORM_INT8, t::SNORM_INT8, t::SIGNED_INT8, t::UNSIGNED_INT8];
const PACKED: &[u32] = &[t::UNORM_SHORT_565, t::UNORM_SHORT_555, t::UNORM_INT_101010];
/// `cl_ext_image_unsigned_10x6_12x4_14x2`
const PADDED: &[u32] = &[
    t::UNSIGNED_INT10X6_EXT,
    t::UNSIGNED_INT12X4_EXT,
    t::UNSIGNED_INT14X2_EXT,
    t::UNORM_INT10X6_EXT,
    t::UNORM_INT12X4_EXT,
    t::UNORM_INT14X2_EXT,
];
/// `cl_ext_image_raw10_raw12`: several texels share a byte, so that kernels only read them.
const SHARED: &[u32] = &[t::UNSIGNED_INT_RAW10_EXT, t::UNSIGNED_INT_RAW12_EXT];

/// All formats, by order. `CL_Rx`, `CL_RGx` and `CL_RGBx` are left out: the specification gives the first two one
/// channel more, and all of them another border colour, than the conformance suite expects, so no choice would suit
/// every program.
const ROWS: &[(u32, &[u32])] = &[
    (o::RGBA, ALL),
    (o::RGBA, &[t::UNORM_INT_101010_2]),
    (o::RGBA, PADDED),
    (o::BGRA, BYTES),
    (o::R, ALL),
    (o::R, PADDED),
    (o::R, SHARED),
    (o::RG, ALL),
    (o::RG, PADDED),
    (o::A, ALL),
    (o::RA, ALL),
    (o::ARGB, BYTES),
    (o::ABGR, BYTES),
    (o::ABGR, &[t::UNORM_INT_2_101010_EXT]),
    (o::INTENSITY, NORMAL),
    (o::LUMINANCE, NORMAL),
    (o::RGB, PACKED),
    (o::SRGBA, &[t::UNORM_INT8]),
    (o::SBGRA, &[t::UNORM_INT8]),
    (o::DEPTH, &[t::UNORM_INT16, t::FLOAT]),
];

/// Every format that images of a type can have; only two-dimensional images hold depth.
pub fn supported(holds_depth: bool) -> impl Iterator<Item = Format> {
    let rows = ROWS.iter().filter(move |row| holds_depth || row.0 != o::DEPTH);
    rows.flat_map(|&(order, types)| types.iter().map(move |&data_type| Format { order, data_type }))
}

/// What the channels of a colour are when they are neither float nor normalised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Float,
    Signed,
    Unsigned,
}

impl Format {
    /// Whether the numbers name an order and a type of the API, and the type may have this order.
    /// Spec: OpenCL API, "Image Format Descriptor".
    pub fn is_valid(self) -> bool {
        if !(o::R..=o::ABGR).contains(&self.order) || !data_type::NAMES.iter().any(|name| name.1 == self.data_type) {
            return false;
        }
        match self.data_type {
            t::UNORM_SHORT_565 | t::UNORM_SHORT_555 | t::UNORM_INT_101010 => {
                matches!(self.order, o::RGB | o::RGBX)
            }
            t::UNORM_INT_101010_2 => self.order == o::RGBA,
            t::UNORM_INT_2_101010_EXT => self.order == o::ABGR,
            t::UNSIGNED_INT_RAW10_EXT | t::UNSIGNED_INT_RAW12_EXT => self.order == o::R,
            _ if PADDED.contains(&self.data_type) => matches!(self.order, o::R | o::RG | o::RGBA),
            t::UNORM_INT24 => self.order == o::DEPTH_STENCIL,
            _ => match self.order {
                o::INTENSITY | o::LUMINANCE => NORMAL.contains(&self.data_type),
                o::BGRA | o::ARGB | o::ABGR => BYTES.contains(&self.data_type),
                o::DEPTH => matches!(self.data_type, t::UNORM_INT16 | t::FLOAT),
                o::SRGB | o::SRGBX | o::SRGBA | o::SBGRA => self.data_type == t::UNORM_INT8,
                _ => true,
            },
        }
    }

    /// Whether two formats may be views of the same texels. Spec: "Compatible Image Channel Orders".
    pub fn is_view_of(self, other: Self) -> bool {
        let pair = |a, b| (self.order == a && other.order == b) || (self.order == b && other.order == a);
        self.data_type == other.data_type
            && (self.order == other.order
                || pair(o::SBGRA, o::BGRA)
                || pair(o::SRGBA, o::RGBA)
                || (self.order == o::DEPTH && other.order == o::R))
    }

    /// The layout of a supported format.
    pub fn layout(self) -> Layout {
        layout(self.order, self.data_type)
    }

    /// Texels that share bytes, of which a row has a multiple; 1 where each has its own.
    pub fn block_texels(self) -> usize {
        shared_bytes(self.data_type).map_or(1, |n| n as usize)
    }

    /// Bytes of so many texels, a multiple of `block_texels`, that stand side by side.
    pub fn row_bytes(self, texels: usize) -> usize {
        texels * self.layout().texel_bytes as usize + shared_bytes(self.data_type).map_or(0, |n| texels / n as usize)
    }

    /// `CL_IMAGE_ELEMENT_SIZE` in bytes: of texels that share some, those that one of them is in.
    pub fn element_bytes(self) -> usize {
        shared_bytes(self.data_type).map_or(self.layout().texel_bytes as usize, |_| 2)
    }

    /// Whether kernels may write images of this format.
    pub fn is_writable(self) -> bool {
        shared_bytes(self.data_type).is_none()
    }

    fn class(self) -> Class {
        match self.data_type {
            t::SIGNED_INT8 | t::SIGNED_INT16 | t::SIGNED_INT32 => Class::Signed,
            t::UNSIGNED_INT8 | t::UNSIGNED_INT16 | t::UNSIGNED_INT32 => Class::Unsigned,
            t::UNSIGNED_INT10X6_EXT | t::UNSIGNED_INT12X4_EXT | t::UNSIGNED_INT14X2_EXT => Class::Unsigned,
            _ => Class::Float,
        }
    }

    /// The texel, or the block of texels that share bytes, of a fill colour: four floats, `int`s or `uint`s as the type
    /// wants (one float for depth), as bytes. Rounds and saturates as `write_image` does. Spec: OpenCL API, "Filling
    /// Image Objects".
    pub fn encode(self, colour: [u32; 4]) -> Vec<u8> {
        let layout = self.layout();
        if let Some(n) = shared_bytes(self.data_type) {
            // The lower bits of all fill a byte.
            let low = 8 / n;
            let value = colour[0].min((0x100 << low) - 1);
            let rest = (0..n).fold(0, |bits, i| bits | (value & ((1 << low) - 1)) << (i * low));
            let mut block = vec![(value >> low) as u8; n as usize];
            block.push(rest as u8);
            return block;
        }
        let mut texel = vec![0u8; layout.texel_bytes as usize];
        if is_packed(self.data_type) {
            let [r, g, b, a] = colour.map(f32::from_bits);
            let unorm = |x: f32, max: u32| round(x * max as f32, 0.0, max as f32) as u32;
            let bits = match self.data_type {
                t::UNORM_SHORT_565 => unorm(r, 31) << 11 | unorm(g, 63) << 5 | unorm(b, 31),
                t::UNORM_SHORT_555 => unorm(r, 31) << 10 | unorm(g, 31) << 5 | unorm(b, 31),
                t::UNORM_INT_2_101010_EXT => {
                    unorm(a, 3) << 30 | unorm(b, 1023) << 20 | unorm(g, 1023) << 10 | unorm(r, 1023)
                }
                t::UNORM_INT_101010 => unorm(r, 1023) << 20 | unorm(g, 1023) << 10 | unorm(b, 1023),
                _ => unorm(r, 1023) << 22 | unorm(g, 1023) << 12 | unorm(b, 1023) << 2 | unorm(a, 3),
            };
            let n = texel.len();
            texel.copy_from_slice(&bits.to_le_bytes()[..n]);
            return texel;
        }
        let unit = unit_bytes(self.data_type) as usize;
        for (c, &bits) in colour.iter().enumerate() {
            if layout.channels >> (channel::WRITE_SHIFT + c as u32) & 1 == 0 {
                continue;
            }
            let is_curved = layout.channels & channel::SRGB != 0 && c < 3;
            let at = layout.offset[c] as usize;
            texel[at..at + unit].copy_from_slice(&self.encode_channel(bits, is_curved).to_le_bytes()[..unit]);
        }
        texel
    }

    /// One channel in the low bits.
    fn encode_channel(self, bits: u32, is_curved: bool) -> u32 {
        let float = f32::from_bits(bits);
        let signed = bits as i32;
        let padding = padding_bits(self.data_type);
        let most = 0xffff >> padding;
        match (self.class(), self.data_type) {
            (Class::Unsigned, _) if padding > 0 => bits.min(most) << padding,
            (_, _) if padding > 0 => (round(float * most as f32, 0.0, most as f32) as u32) << padding,
            (Class::Signed, t::SIGNED_INT8) => signed.clamp(-0x80, 0x7f) as u32,
            (Class::Signed, t::SIGNED_INT16) => signed.clamp(-0x8000, 0x7fff) as u32,
            (Class::Unsigned, t::UNSIGNED_INT8) => bits.min(0xff),
            (Class::Unsigned, t::UNSIGNED_INT16) => bits.min(0xffff),
            (Class::Signed | Class::Unsigned, _) => bits,
            (_, t::UNORM_INT8) if is_curved => round(srgb(float) * 255.0, 0.0, 255.0) as u32,
            (_, t::UNORM_INT8) => round(float * 255.0, 0.0, 255.0) as u32,
            (_, t::SNORM_INT8) => round(float * 127.0, -128.0, 127.0) as i32 as u32,
            (_, t::UNORM_INT16) => round(float * 65535.0, 0.0, 65535.0) as u32,
            (_, t::SNORM_INT16) => round(float * 32767.0, -32768.0, 32767.0) as i32 as u32,
            (_, t::HALF_FLOAT) => half::f16::from_f32(float).to_bits().into(),
            _ => bits,
        }
    }
}

/// To nearest even, within bounds; NaN gives 0.
fn round(x: f32, low: f32, high: f32) -> f32 {
    if x.is_nan() { 0.0 } else { x.clamp(low, high).round_ties_even() }
}

/// The sRGB curve (IEC 61966-2-1).
fn srgb(linear: f32) -> f32 {
    if linear <= 0.003_130_8 { 12.92 * linear } else { 1.055 * linear.powf(1.0 / 2.4) - 0.055 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_valid_unique_and_hold_what_the_full_profile_demands() {
        let all: Vec<Format> = supported(true).collect();
        for (i, format) in all.iter().enumerate() {
            assert!(format.is_valid(), "{format:x?}");
            assert!(!all[..i].contains(format), "{format:x?} stands twice");
            let layout = format.layout();
            assert!(layout.offset.iter().all(|&at| at < layout.texel_bytes), "{format:x?}");
        }
        // "Minimum list of required image formats for reading or writing"
        let rgba = ALL.iter().filter(|&&ty| ty != t::SNORM_INT8 && ty != t::SNORM_INT16);
        assert!(rgba.clone().all(|&data_type| all.contains(&Format { order: o::RGBA, data_type })));
        assert!(all.contains(&Format { order: o::BGRA, data_type: t::UNORM_INT8 }));
        // "… for reading and writing"
        let r = ALL.iter().all(|&data_type| all.contains(&Format { order: o::R, data_type }));
        assert!(r);
        assert!(supported(false).all(|format| format.order != o::DEPTH));
    }

    #[test]
    fn colours_become_texels() {
        let encode = |order, data_type, colour: [f32; 4]| Format { order, data_type }.encode(colour.map(f32::to_bits));
        assert_eq!(encode(o::BGRA, t::UNORM_INT8, [1.0, 0.5, 0.0, 2.0]), [0, 128, 255, 255]);
        assert_eq!(encode(o::ARGB, t::SNORM_INT8, [-1.0, 1.0, f32::NAN, 0.5]), [64, 129, 127, 0]);
        assert_eq!(encode(o::RA, t::UNORM_INT16, [1.0, 0.3, 0.3, 0.0]), [255, 255, 0, 0]);
        assert_eq!(encode(o::LUMINANCE, t::FLOAT, [2.5, 1.0, 1.0, 1.0]), 2.5f32.to_le_bytes());
        assert_eq!(encode(o::A, t::HALF_FLOAT, [0.0, 0.0, 0.0, 1.0]), [0x00, 0x3c]);
        assert_eq!(encode(o::RGB, t::UNORM_SHORT_565, [1.0, 0.0, 1.0, 0.0]), 0xf81fu16.to_le_bytes());
        assert_eq!(encode(o::RGBA, t::UNORM_INT_101010_2, [0.0, 1.0, 0.0, 1.0]), (0x3ff003u32).to_le_bytes());
        assert_eq!(encode(o::SRGBA, t::UNORM_INT8, [0.5, 0.0, 1.0, 0.5]), [188, 0, 255, 128]);
        let ints = Format { order: o::RG, data_type: t::SIGNED_INT8 }.encode([300, -300i32 as u32, 1, 1]);
        assert_eq!(ints, [0x7f, 0x80]);
        assert_eq!(encode(o::ABGR, t::UNORM_INT_2_101010_EXT, [1.0, 0.0, 0.5, 1.0]), 0xe00003ffu32.to_le_bytes());
        assert_eq!(encode(o::RG, t::UNORM_INT12X4_EXT, [1.0, 0.5, 0.0, 0.0]), [0xf0, 0xff, 0x00, 0x80]);
        let of_r = |data_type, r| Format { order: o::R, data_type }.encode([r, 7, 7, 7]);
        assert_eq!(of_r(t::UNSIGNED_INT10X6_EXT, 5000), [0xc0, 0xff]);
        assert_eq!(of_r(t::UNSIGNED_INT_RAW10_EXT, 0x2a7), [0xa9, 0xa9, 0xa9, 0xa9, 0xff]);
        assert_eq!(of_r(t::UNSIGNED_INT_RAW10_EXT, 1024), [0xff; 5]);
        assert_eq!(of_r(t::UNSIGNED_INT_RAW12_EXT, 0xabc), [0xab, 0xab, 0xcc]);
    }
}
