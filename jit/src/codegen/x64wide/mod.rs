//! Our own code generator for x86-64: an alternative to Cranelift for whole kernels, on one of two targets: AVX-512 (F,
//! DQ, BW, VL and CD), or AVX2 with FMA, F16C, BMI, LZCNT and POPCNT (VEX only). `compile` is the way in.
//!
//! `select` chooses instructions (`mir`) from the table in `code`; the `regalloc2` crate allocates registers of three
//! classes (general, vector, mask); `emit` lays out the frame and encodes with `encode`; `listing` is for developers.
//! The targets share all of it. Without EVEX there are 16 vector registers of 32 bytes, no mask registers (a mask is a
//! vector of integers 0 and -1), no embedded rounding, and no broadcast operands; a row of the table names the
//! instruction that takes its place there, and what needs other operands or several instructions asks `has_evex`:
//! whether the target has mask registers. Must not know Cranelift.

mod code;
mod cold;
mod emit;
mod encode;
mod lines;
mod listing;
mod mir;
mod select;

pub use emit::Emitted;

use super::Effort;
use crate::error::CodeError;
use crate::pipeline::Legal;
use crate::target::Target;
use rustc_hash::FxHashMap;

/// Code of the root and its callees, in this order.
///
/// # Errors
/// `CodeError` for what this code generator does not cover.
pub fn compile(
    target: &Target,
    legal: &Legal,
    with_listing: bool,
    with_places: bool,
    effort: Effort,
) -> Result<Vec<Emitted>, CodeError> {
    let callees: FxHashMap<_, _> = (1u32..).zip(&legal.callees).map(|(number, (id, _))| (*id, number)).collect();
    let scope = select::Scope { target, callees: &callees, with_places };
    super::each_function(legal, |number, func| {
        if func.n_live_insts() > target.max_insts {
            return Err(CodeError::too_large(format!("`{}` is too large for wide code", func.name)));
        }
        let code = select::select(func, &scope)?;
        emit::emit(target, func, &code, number == 0, with_listing, effort)
    })
}
