//! The file that `build` and `run` are given: OpenCL C, or a SPIR-V module.

use super::{Result, shown};
use clift_jit::spirv;
use std::path::Path;

/// What is in the file.
pub enum Input {
    /// OpenCL C, under the file's own name, so that diagnostics show it.
    Source(Vec<u8>),
    /// A module of SPIR-V in either byte order.
    Module(Vec<u8>),
}

/// Reads a file. A module is known by its first word.
pub fn read(path: &Path) -> Result<Input> {
    let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", shown(path)))?;
    if spirv::is_module(&bytes) {
        return Ok(Input::Module(bytes));
    }
    let name = shown(path).replace('\\', "\\\\").replace('"', "\\\"");
    let mut source = format!("#line 1 \"{}\"\n", name.replace('\n', " ")).into_bytes();
    // A byte order mark is one at the beginning only.
    source.extend(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes));
    Ok(Input::Source(source))
}
