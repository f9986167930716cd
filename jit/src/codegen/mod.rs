//! KIR in work-group form → machine code. `compile` is the way in: it legalises the entry function and everything it
//! calls (`legalize`), translates each to Cranelift's IR (`function`), and puts the machine code into one image (`image`).
//!
//! Start here, then `function` and `inst`. `isa` knows the host, `helper` the Rust functions that generated code calls,
//! `data` the program-scope variables, `dump` the texts a developer may ask for. Must not know OpenCL C, HIR or kernels'
//! metadata.

pub mod data;
pub mod image;
pub mod isa;

pub use data::ProgramData;

use crate::ir::{FuncId, Module};
use crate::launch::KernelCode;
use crate::program::CodeError;
use std::sync::Arc;

/// Scratch memory that work-group code expects at `Env::scratch`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scratch {
    /// Bytes whatever the size of the group.
    pub fixed: usize,
    /// Bytes for each work-item.
    pub per_item: usize,
}

/// Compiles the work-group function `entry` of `module`: parameters argument block, `Env`, first and last linear group id
/// (pointer, pointer, i64, i64), no result.
///
/// # Errors
/// `CodeError` for what the code generator does not support; never a panic.
pub fn compile(module: &Module, entry: FuncId, data: &Arc<ProgramData>, scratch: Scratch) -> Result<KernelCode, CodeError> {
    let _ = (module, entry, data, scratch);
    Err(CodeError { message: "code generation is not there yet".into() })
}
