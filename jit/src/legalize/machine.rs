//! What the legal form may use: the code generator's registers and instructions, as far as legalisation asks.

/// A code generator's abilities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Machine {
    /// Bytes of a vector register: 16, 32 or 64.
    pub register_bytes: u8,
    /// Vectors of booleans live in mask registers as `i1xN`; else they are integers 0 and -1.
    pub masks: bool,
    /// Float arithmetic and conversions take any rounding mode.
    pub directed: bool,
}

impl Machine {
    /// Cranelift: 128 bits.
    pub const V128: Machine = Machine { register_bytes: 16, masks: false, directed: false };
    /// Our own code generator on AVX-512.
    pub const AVX512: Machine = Machine { register_bytes: 64, masks: true, directed: true };
}
