//! What the queues take from the standard library to meet other threads and the clock. The test `races` compiles the same
//! code over other primitives, which decide who runs next and when time passes.

pub use std::sync::{Condvar, Mutex, MutexGuard, atomic};
pub use std::time::Instant;
pub use std::{thread, thread_local};
