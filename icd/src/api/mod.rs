//! The exported functions, one file per object: they turn C arguments into the runtime's values, call the runtime, and
//! turn the result back.
//!
//! Conditions that stand here are those that only the C form can break: handles (`handle`), pointers that are null and
//! counts that do not fit their lists (mostly `ffi::elements` and `ffi::list`), sizes of what pointers lead to, numbers
//! that name nothing (`convert`), and calls for what this platform does not have. All others, on values and on how
//! objects fit together, stand in the constructors and methods of the runtime. Where the specification's order of
//! errors asks for one of those early, the function calls the runtime's check by name (`Context::check_device`,
//! `WorkSizes::check_dims`).

pub mod buffer;
pub mod build;
pub mod command_buffer;
pub mod context;
pub mod device;
pub mod enqueue;
pub mod event;
pub mod image;
pub mod kernel;
pub mod pipe;
pub mod platform;
pub mod program;
pub mod queue;
pub mod sampler;
pub mod semaphore;
pub mod svm;
pub mod unified_svm;
pub mod unsupported;
pub mod usm;
