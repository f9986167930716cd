//! What checks and shims return, and the two ways to state a broken condition of the specification. The error itself is
//! the runtime's: its `status` is the C code, its text the condition. Must not decide anything.

pub use clift_runtime::{Error, Status};

/// What shims and checks return.
pub type Result<T = ()> = std::result::Result<T, Error>;

/// The failure of a condition, where there is no test to write.
pub fn fail<T>(status: Status, condition: &'static str) -> Result<T> {
    Err(Error::Spec { status, condition })
}

/// Returns an error unless `holds`. The text is the specification's condition for the error.
macro_rules! ensure {
    ($holds:expr, $status:ident, $condition:literal) => {
        if !$holds {
            return Err($crate::error::Error::Spec { status: $crate::error::Status::$status, condition: $condition });
        }
    };
}
pub(crate) use ensure;
