//! What the legal form may use: the code generator's registers and instructions, as far as legalisation asks.

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
    /// `LoadMasked`, `StoreMasked`, `Gather` and `Scatter` on whole registers of 32- and 64-bit elements; indices are as wide.
    pub masked_memory: bool,
    /// `Shl`, `Lshr`, `Ashr` by one amount per lane, of 16, 32 and 64 bits; `Rotl` of 32 and 64.
    pub lane_shifts: bool,
    /// `Mul`, `MinS` … `MaxU` and conversions from and to f64 on vectors of 64-bit integers.
    pub wide_integers: bool,
    /// `Fpext` and `Fptrunc` between vectors of f16, as i16, and f32.
    pub half_conversions: bool,
}

impl Machine {
    /// Cranelift: 128 bits.
    pub const V128: Machine = Machine {
        register_bytes: 16,
        masks: false,
        directed: false,
        masked_memory: false,
        lane_shifts: false,
        wide_integers: false,
        half_conversions: false,
    };
    /// Our own code generator on AVX-512.
    pub const AVX512: Machine = Machine {
        register_bytes: 64,
        masks: true,
        directed: true,
        masked_memory: true,
        lane_shifts: true,
        wide_integers: true,
        half_conversions: true,
    };
}
