//! The runtime's one error type. Variants carry the numbers that a person needs to see what went wrong; `status` gives
//! the specification's code. Must not know C types.

use crate::object::Kind;
use crate::status::Status;
use std::fmt;

/// Result of every fallible runtime operation.
pub type Result<T> = std::result::Result<T, Error>;

/// Why an operation was refused or failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// A condition that the specification lists for this call; `condition` is the specification's sentence, shortened.
    Spec {
        /// Code that the specification gives for the condition.
        status: Status,
        /// The condition in the specification's words.
        condition: &'static str,
    },
    /// A handle is null, stale, or of another kind.
    Handle {
        /// What was expected.
        expected: Kind,
    },
    /// An object was released more often than it was retained.
    OverRelease {
        /// The object's kind.
        kind: Kind,
    },
    /// Objects of one call belong to different contexts.
    ContextMismatch,
    /// A buffer size is zero or too large.
    BufferSize {
        /// Bytes asked for.
        size: usize,
        /// Most bytes allowed.
        max: u64,
    },
    /// A region leaves the object.
    RegionOutOfBounds {
        /// First byte of the region.
        offset: usize,
        /// Bytes of the region.
        size: usize,
        /// Bytes of the object.
        limit: usize,
    },
    /// Pitches or a region of a rectangular copy contradict each other or overflow.
    RectShape {
        /// Which rule is broken.
        rule: &'static str,
    },
    /// Source and destination of a copy overlap.
    CopyOverlap,
    /// A sub-buffer's origin is not a multiple of the device's base address alignment.
    MisalignedSubBuffer {
        /// Byte offset asked for.
        origin: usize,
        /// Alignment in bytes.
        align: usize,
    },
    /// The host may not access the object in this way, by its `HOST_…` flags.
    HostAccess,
    /// Memory for an object could not be had.
    Allocation {
        /// Bytes asked for.
        size: usize,
    },
    /// A map was asked to unmap an address that it did not return.
    NotMapped {
        /// The address.
        address: usize,
    },
    /// An argument index is not below the number of arguments.
    ArgIndex {
        /// Index asked for.
        index: u32,
        /// Number of arguments.
        count: u32,
    },
    /// An argument's size is wrong.
    ArgSize {
        /// Argument index.
        index: u32,
        /// Bytes passed.
        got: usize,
        /// Bytes wanted.
        want: usize,
    },
    /// An argument's value is wrong for its type.
    ArgValue {
        /// Argument index.
        index: u32,
    },
    /// An argument was never set, or its buffer is gone.
    ArgUnset {
        /// Argument index.
        index: u32,
    },
    /// Work dimension, sizes or offsets break a limit.
    WorkSize {
        /// The code for the broken limit.
        status: Status,
        /// The rule.
        rule: &'static str,
        /// Dimension, 0 to 2.
        dim: usize,
        /// The value found.
        value: u64,
    },
    /// The program could not be built; the log says why.
    BuildFailure,
    /// The program could not be compiled; the log says why.
    CompileFailure,
    /// The program could not be linked; the log says why.
    LinkFailure,
    /// The build options are malformed.
    BuildOptions,
    /// No kernel of this name.
    KernelName {
        /// The name.
        name: String,
    },
    /// An event of a wait list, or one that was waited for, ended with an error.
    WaitedEventFailed {
        /// Its status.
        status: i32,
    },
    /// Code generation or another inner part failed: our bug or a lack of memory.
    Internal {
        /// What happened.
        message: String,
    },
}

impl Error {
    /// A broken condition with the specification's code and words.
    pub const fn spec(status: Status, condition: &'static str) -> Self {
        Self::Spec { status, condition }
    }

    /// The specification's code.
    pub const fn status(&self) -> Status {
        match self {
            Self::Spec { status, .. } | Self::WorkSize { status, .. } => *status,
            Self::Handle { expected } | Self::OverRelease { kind: expected } => expected.invalid_status(),
            Self::ContextMismatch => Status::InvalidContext,
            Self::BufferSize { .. } => Status::InvalidBufferSize,
            Self::RegionOutOfBounds { .. } | Self::RectShape { .. } | Self::NotMapped { .. } => Status::InvalidValue,
            Self::CopyOverlap => Status::MemCopyOverlap,
            Self::MisalignedSubBuffer { .. } => Status::MisalignedSubBufferOffset,
            Self::HostAccess => Status::InvalidOperation,
            Self::Allocation { .. } => Status::MemObjectAllocationFailure,
            Self::ArgIndex { .. } => Status::InvalidArgIndex,
            Self::ArgSize { .. } => Status::InvalidArgSize,
            Self::ArgValue { .. } => Status::InvalidArgValue,
            Self::ArgUnset { .. } => Status::InvalidKernelArgs,
            Self::BuildFailure => Status::BuildProgramFailure,
            Self::CompileFailure => Status::CompileProgramFailure,
            Self::LinkFailure => Status::LinkProgramFailure,
            Self::BuildOptions => Status::InvalidBuildOptions,
            Self::KernelName { .. } => Status::InvalidKernelName,
            Self::WaitedEventFailed { .. } => Status::ExecStatusErrorForEventsInWaitList,
            Self::Internal { .. } => Status::OutOfResources,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Spec { condition, .. } => f.write_str(condition),
            Self::Handle { expected } => write!(f, "not a valid {} handle", expected.name()),
            Self::OverRelease { kind } => write!(f, "{} released more often than retained", kind.name()),
            Self::ContextMismatch => f.write_str("objects belong to different contexts"),
            Self::BufferSize { size, max } => write!(f, "buffer size {size} is not in 1..={max}"),
            Self::RegionOutOfBounds { offset, size, limit } => {
                write!(f, "region of {size} bytes at {offset} leaves an object of {limit} bytes")
            }
            Self::RectShape { rule } => f.write_str(rule),
            Self::CopyOverlap => f.write_str("source and destination regions overlap"),
            Self::MisalignedSubBuffer { origin, align } => {
                write!(f, "sub-buffer origin {origin} is not a multiple of {align}")
            }
            Self::HostAccess => f.write_str("the object's flags forbid this host access"),
            Self::Allocation { size } => write!(f, "no memory for {size} bytes"),
            Self::NotMapped { address } => write!(f, "{address:#x} is not a mapped address of this object"),
            Self::ArgIndex { index, count } => write!(f, "argument index {index} of {count}"),
            Self::ArgSize { index, got, want } => write!(f, "argument {index}: size {got}, expected {want}"),
            Self::ArgValue { index } => write!(f, "argument {index}: value not valid for its type"),
            Self::ArgUnset { index } => write!(f, "argument {index} is not set, or its buffer was released"),
            Self::WorkSize { rule, dim, value, .. } => write!(f, "{rule} (dimension {dim}: {value})"),
            Self::BuildFailure => f.write_str("program build failed"),
            Self::CompileFailure => f.write_str("program compilation failed"),
            Self::LinkFailure => f.write_str("program link failed"),
            Self::BuildOptions => f.write_str("malformed build options"),
            Self::KernelName { name } => write!(f, "no kernel named `{name}`"),
            Self::WaitedEventFailed { status } => write!(f, "a waited-for event ended with status {status}"),
            Self::Internal { message } => f.write_str(message),
        }
    }
}

impl std::error::Error for Error {}

/// Returns the error from the enclosing function unless the condition holds. The specification's sentence stands above.
#[macro_export]
macro_rules! ensure {
    ($condition:expr, $error:expr $(,)?) => {
        if !$condition {
            return Err($error);
        }
    };
}
