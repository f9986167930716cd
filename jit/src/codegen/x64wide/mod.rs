//! Our own code generator for x86-64: an alternative to Cranelift for whole kernels, on one of two machines (`Isa`): AVX-512,
//! or AVX2 with FMA, F16C and BMI. `compile` is the way in.
//!
//! `select` chooses instructions (`mir`) from the table in `code`; the `regalloc2` crate allocates registers of three
//! classes (general, vector, mask); `emit` lays out the frame and encodes with `encode`; `listing` is for developers.
//! The machines share all of it. Without EVEX there are 16 vector registers of 32 bytes, no mask registers (a mask is a
//! vector of integers 0 and -1), no embedded rounding, and no broadcast operands; a row of the table names the instruction
//! that takes its place there, and what needs other operands or several instructions asks `Isa::has_evex`.
//! Must not know Cranelift.

mod code;
mod cold;
mod emit;
mod encode;
mod listing;
mod mir;
mod select;

pub use emit::Emitted;

use super::ProgramData;
use crate::error::CodeError;
use crate::legalize::Legal;
use rustc_hash::FxHashMap;

/// Beyond this many instructions register allocation takes too long; Cranelift has a faster allocator for such functions.
const MANY_INSTS: usize = 30_000;

/// The machine that code is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isa {
    /// AVX2, FMA, F16C, BMI, BMI2, LZCNT, POPCNT: VEX only.
    Avx2,
    /// All of these, and AVX-512 F, DQ, BW, VL and CD.
    Avx512,
}

impl Isa {
    /// True if the processor has all instructions that code for this machine may use.
    pub fn is_available(self) -> bool {
        let vex = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("f16c")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt");
        let evex = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512cd");
        vex && (evex || !self.has_evex())
    }

    /// Bytes of a vector register.
    pub fn register_bytes(self) -> u32 {
        if self.has_evex() { 64 } else { 32 }
    }

    /// True if there are EVEX encodings: 32 vector registers of up to 64 bytes, mask registers, embedded rounding,
    /// broadcasts from memory.
    pub fn has_evex(self) -> bool {
        self == Self::Avx512
    }
}

/// Code of the root and its callees, in this order.
///
/// # Errors
/// `CodeError` for what this code generator does not cover.
pub fn compile(isa: Isa, legal: &Legal, data: &ProgramData, with_listing: bool) -> Result<Vec<Emitted>, CodeError> {
    let callees: FxHashMap<_, _> = (1u32..).zip(&legal.callees).map(|(number, (id, _))| (*id, number)).collect();
    let scope = select::Scope { isa, callees: &callees, data };
    std::iter::once(&legal.root)
        .chain(legal.callees.iter().map(|(_, func)| func))
        .map(|func| {
            if func.n_live_insts() > MANY_INSTS {
                return Err(CodeError::too_large(format!("`{}` is too large for wide code", func.name)));
            }
            let code = select::select(func, &scope)?;
            let is_root = std::ptr::eq(func, &raw const legal.root);
            emit::emit(isa, func, &code, is_root, with_listing)
        })
        .collect()
}
