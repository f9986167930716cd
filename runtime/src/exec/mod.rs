//! How commands run: `pool` has the threads.

pub mod pool;
