//! `build`: source and options in, a `Program` and its log out. The pipeline as one page of calls.
//! Must not know OpenCL objects.

use crate::launch::{KernelCode, KernelInfo, SpecKey};
use std::sync::Arc;

/// A named text that `#include` may find before the file system: what `clCompileProgram` passes as headers.
#[derive(Clone, Debug)]
pub struct Header {
    /// Name as `#include` spells it.
    pub name: String,
    /// Text.
    pub text: String,
}

/// What `build` returns, whether it worked or not.
pub struct Build {
    /// Everything for `CL_PROGRAM_BUILD_LOG`; empty if there is nothing to say.
    pub log: String,
    /// The program, unless there was an error.
    pub program: Result<Arc<Program>, BuildError>,
}

/// Why there is no program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuildError {
    /// The options string has an unknown or malformed option.
    Options,
    /// The source has errors.
    Source,
}

/// A failure after the front end has accepted a program: always our bug or a lack of memory.
#[derive(Clone, Debug)]
pub struct CodeError {
    /// What went wrong, for the log.
    pub message: String,
}

/// A built program: kernels' metadata, optimised KIR, and the machine code made so far.
pub struct Program {
    pub(crate) kernels: Vec<KernelInfo>,
}

/// Compiles `source` (the concatenation of all strings; bytes that are not UTF-8 are an error in the log) under the
/// `clBuildProgram` options `options`.
pub fn build(source: &[u8], options: &str, headers: &[Header]) -> Build {
    let _ = (source, options, headers);
    Build { log: String::new(), program: Err(BuildError::Source) }
}

impl Program {
    /// The kernels in source order.
    pub fn kernels(&self) -> &[KernelInfo] {
        &self.kernels
    }

    /// Machine code for kernel number `kernel`, compiled at the first call for each key; other threads wait for it.
    ///
    /// # Errors
    /// `CodeError` if code generation fails; the failure is not cached.
    pub fn code(&self, kernel: usize, key: SpecKey) -> Result<Arc<KernelCode>, CodeError> {
        let _ = (kernel, key);
        Err(CodeError { message: "code generation is not there yet".into() })
    }
}
