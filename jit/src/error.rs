//! How code generation fails. Must not know the stage that failed.

/// A failure after the front end has accepted a program: always our bug or a lack of memory.
#[derive(Clone, Debug)]
pub struct CodeError {
    /// What went wrong, for the log.
    pub message: String,
    /// The code, its frame or its variables would be too large: code with fewer lanes may not be.
    pub too_large: bool,
}

impl CodeError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), too_large: false }
    }

    pub(crate) fn too_large(message: impl Into<String>) -> Self {
        Self { message: message.into(), too_large: true }
    }
}
