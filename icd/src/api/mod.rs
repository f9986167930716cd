//! The exported functions, one file per object: they turn C arguments into checked values, call the runtime, and turn
//! the result back. No rules inside: those stand in `validate`.

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
pub mod unsupported;
pub mod usm;
