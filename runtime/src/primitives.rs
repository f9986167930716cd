//! What the queues take from the standard library to meet other threads. The test `races` compiles the same
//! code over other primitives, which decide who runs next and when time passes.

pub use std::sync::{Condvar, Mutex, MutexGuard, atomic};
pub use std::{thread, thread_local};
