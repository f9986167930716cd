//! What a launch knows of its image and sampler arguments beyond their addresses, as part of the key by which code is
//! made. Sizes are not among it: they differ too often.

use super::format::layout;
use super::{ImageDesc, channel};
use std::mem::offset_of;

/// Image and sampler arguments of a kernel of which a launch can know something: the first ones in order.
pub const MAX_KNOWN: usize = 8;

/// Facts on a kernel's image and sampler arguments, in order, without the other arguments.
pub type ImageFacts = [Fact; MAX_KNOWN];

/// What is known of one argument; the default is nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Fact(u16);

const IS_IMAGE: u16 = 1 << 15;
const IS_SAMPLER: u16 = 1 << 14;
const IS_SMALL: u16 = 1 << 10;
/// The lowest channel order, and the lowest channel type; there are fewer than 32 of both.
const FIRST: [u32; 2] = [super::format::order::R, super::format::data_type::SNORM_INT8];

impl Fact {
    /// An image's channel order and type, and whether it has `channel::SMALL`.
    pub fn image(order: u32, data_type: u32, small: bool) -> Self {
        let [order, data_type] = [order.wrapping_sub(FIRST[0]), data_type.wrapping_sub(FIRST[1])];
        if order >= 32 || data_type >= 32 {
            return Self::default();
        }
        Self(IS_IMAGE | if small { IS_SMALL } else { 0 } | (order << 5 | data_type) as u16)
    }

    /// A sampler's bits; nothing is known of those with limits of the level of detail.
    pub fn sampler(bits: u32) -> Self {
        if bits > 0xff {
            return Self::default();
        }
        Self(IS_SAMPLER | (bits & 0xff) as u16)
    }

    /// True if something is known.
    pub fn is_known(self) -> bool {
        self.0 != 0
    }

    /// The bits of a sampler of which this is known.
    pub fn sampler_bits(self) -> Option<u32> {
        (self.0 & IS_SAMPLER != 0).then_some(u32::from(self.0 & 0xff))
    }

    /// Fields of the descriptor of an image of which this is known: byte offset and value of 32-bit numbers.
    pub fn fields(self) -> Vec<(usize, u32)> {
        if self.0 & IS_IMAGE == 0 {
            return Vec::new();
        }
        let [order, data_type] = [FIRST[0] + u32::from(self.0 >> 5 & 31), FIRST[1] + u32::from(self.0 & 31)];
        let layout = layout(order, data_type);
        let small = if self.0 & IS_SMALL != 0 { channel::SMALL } else { 0 };
        let mut fields = vec![
            (offset_of!(ImageDesc, data_type), data_type),
            (offset_of!(ImageDesc, order), order),
            (offset_of!(ImageDesc, texel_bytes), layout.texel_bytes),
            (offset_of!(ImageDesc, channels), layout.channels | small),
            (offset_of!(ImageDesc, border_alpha), layout.border_alpha),
            (offset_of!(ImageDesc, fast), layout.fast),
        ];
        fields.extend((0..4).map(|i| (offset_of!(ImageDesc, offset) + 4 * i, layout.offset[i])));
        fields
    }
}
