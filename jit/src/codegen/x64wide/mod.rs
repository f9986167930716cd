//! Our own code generator for x86-64 with AVX-512: an alternative to Cranelift for whole kernels. `covers` says whether the
//! machine can run its code; `compile` is the way in.
//!
//! `select` chooses instructions (`mir`) from the table in `code`; the `regalloc2` crate allocates registers of three
//! classes (general, vector, mask); `emit` lays out the frame and encodes with `encode`; `listing` is for developers.
//! Must not know Cranelift.

mod code;
mod emit;
mod encode;
mod listing;
mod mir;
mod select;

pub use emit::Emitted;

use super::ProgramData;
use crate::legalize::Legal;
use crate::program::CodeError;
use rustc_hash::FxHashMap;

/// Beyond this many instructions register allocation takes too long; Cranelift has a faster allocator for such functions.
const MANY_INSTS: usize = 20_000;

/// True if the processor has all instructions that this code generator uses.
pub fn available() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512cd")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt")
            && is_x86_feature_detected!("fma")
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        false
    }
}

/// Code of the root and its callees, in this order.
///
/// # Errors
/// `CodeError` for what this code generator does not cover.
pub fn compile(legal: &Legal, data: &ProgramData, with_listing: bool) -> Result<Vec<Emitted>, CodeError> {
    let callees: FxHashMap<_, _> = (1u32..).zip(&legal.callees).map(|(number, (id, _))| (*id, number)).collect();
    let scope = select::Scope { callees: &callees, data };
    std::iter::once(&legal.root)
        .chain(legal.callees.iter().map(|(_, func)| func))
        .map(|func| {
            if func.n_live_insts() > MANY_INSTS {
                return Err(CodeError { message: format!("`{}` is too large for wide code", func.name) });
            }
            let code = select::select(func, &scope)?;
            let is_root = std::ptr::eq(func, &raw const legal.root);
            emit::emit(func, &code, is_root, with_listing)
        })
        .collect()
}
