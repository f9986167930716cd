//! What the legal form may use: the code generator's registers and instructions, as far as legalisation asks.

use crate::ir::Type;

/// A code generator's abilities. In lane form legal vectors are whole registers, or for short vectors the next smaller power
/// of two down to 16 bytes that holds all lanes. Lanes beyond the vector's mean nothing. Conversions between elements of
/// different size take as many low lanes of their operand as their result has; `Shuffle` may change the number of lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Machine {
    /// Bytes of a vector register: 16, 32 or 64.
    pub register_bytes: u8,
    /// Vectors of booleans live in mask registers as `i1xN`; else they are integers 0 and -1.
    pub masks: bool,
    /// Float arithmetic and conversions take any rounding mode.
    pub directed: bool,
    /// `LoadMasked`, `StoreMasked` and `Gather` on whole registers of 32- and 64-bit elements; indices are as wide. The former two
    /// on narrower elements as well if there are mask registers.
    pub masked_memory: bool,
    /// `Scatter`, as above.
    pub scatter: bool,
    /// Bits of the narrowest lanes that shift by one amount per lane (`Shl`, `Lshr`, `Ashr`): 16 or 32; 0 for none.
    pub lane_shifts: u8,
    /// `Rotl` by one amount per lane, of 32 and 64 bits.
    pub lane_rotates: bool,
    /// `MinS` … `MaxU`, `Ashr` by one amount per lane, and conversions from and to floats on vectors of 64-bit integers, and from f64 to
    /// 32-bit ones.
    pub wide_integers: bool,
    /// `MulHiS` and `MulHiU` on vectors of 32-bit integers.
    pub high_products: bool,
    /// `Trunci` from and to any size in one step.
    pub narrows: bool,
    /// `Fpext` and `Fptrunc` between vectors of f16, as i16, and f32; the latter in any rounding mode.
    pub half_conversions: bool,
    /// `Fadd`, `Fsub`, `Fmul`, `Fdiv`, `Fma` and `Sqrt` on vectors of f16, as i16, in any rounding mode.
    pub half_arithmetic: bool,
    /// `Permute` of 8-bit elements, if there are mask registers.
    pub byte_permutes: bool,
}

impl Machine {
    /// True for `Permute` on a legal vector: on whole registers of 32-bit elements and, if there are mask registers, on
    /// all of 16 bits and more. There, vectors of indices and of the result may be shorter than the two that lanes are
    /// picked from.
    pub fn permutes(&self, ty: Type) -> bool {
        let whole = ty.bytes() == u32::from(self.register_bytes);
        let masked = self.masks && (ty.elem.bits() >= 16 || self.byte_permutes);
        ty.elem.bits() == 32 && whole || masked
    }

    /// Cranelift: 128 bits.
    pub const V128: Machine = Machine {
        register_bytes: 16,
        masks: false,
        directed: false,
        masked_memory: false,
        scatter: false,
        lane_shifts: 0,
        lane_rotates: false,
        wide_integers: false,
        high_products: false,
        narrows: false,
        half_conversions: false,
        half_arithmetic: false,
        byte_permutes: false,
    };
    /// Our own code generator on AVX2, with FMA, F16C and BMI.
    pub const AVX2: Machine = Machine {
        register_bytes: 32,
        masks: false,
        directed: false,
        masked_memory: true,
        scatter: false,
        lane_shifts: 32,
        lane_rotates: false,
        wide_integers: false,
        high_products: true,
        narrows: false,
        half_conversions: true,
        half_arithmetic: false,
        byte_permutes: false,
    };
    /// Our own code generator on AVX-512, without what is beyond its baseline.
    pub const AVX512: Machine = Machine {
        register_bytes: 64,
        masks: true,
        directed: true,
        masked_memory: true,
        scatter: true,
        lane_shifts: 16,
        lane_rotates: true,
        wide_integers: true,
        high_products: true,
        narrows: true,
        half_conversions: true,
        half_arithmetic: false,
        byte_permutes: false,
    };
}
