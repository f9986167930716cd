//! The object model: platform, devices, contexts, memory objects, programs, kernels, events, queues.
//!
//! Reading order: `object` (what a handle points to), `device`, `context`, `memory`, `program`, `kernel`, `event`, then
//! `queue` (one dependency graph for all queues of a context) and `exec` (how commands run). `record` writes launches
//! to a file if it is asked to, `trace` what happens when, `check` reports mistakes of programs. Knows no C types and
//! no raw handles; all user code (callbacks) arrives as boxed closures and runs with no lock held.

pub mod status;
#[macro_use]
pub mod error;
mod cache;
pub mod callbacks;
pub mod check;
pub mod command_buffer;
pub mod config;
pub mod context;
pub mod device;
pub mod event;
pub mod exec;
mod fork;
pub mod kernel;
mod leaks;
pub mod memory;
pub mod object;
pub mod platform;
mod primitives;
pub mod program;
pub mod queue;
pub mod record;
pub mod sampler;
pub mod semaphore;
mod shared_semaphore;
pub mod sync;
mod trace;

pub use context::Context;
pub use device::Device;
pub use error::{Error, Result};
pub use event::Event;
pub use kernel::Kernel;
pub use memory::buffer::Mem;
pub use object::{Kind, Obj, Object};
pub use platform::Platform;
pub use program::Program;
pub use queue::Queue;
pub use status::Status;
