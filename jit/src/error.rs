//! How code generation fails. Must not know the stage that failed.

/// A failure after the front end has accepted a program: always our bug or a lack of memory.
#[derive(Clone, Debug)]
pub struct CodeError {
    /// What went wrong, for the log.
    pub message: String,
}
