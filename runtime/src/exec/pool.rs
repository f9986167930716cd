//! Worker threads: the only user of rayon.

use once_cell::sync::OnceCell;

/// Worker threads of a device, started at the first parallel job.
pub struct Pool {
    threads: usize,
    rayon: OnceCell<rayon::ThreadPool>,
}

impl Pool {
    /// A pool of this size; no thread starts yet.
    pub fn new(threads: usize) -> Self {
        Self { threads: threads.max(1), rayon: OnceCell::new() }
    }

    /// Threads that may work on one job, the calling thread included.
    pub fn threads(&self) -> usize {
        let _ = &self.rayon;
        self.threads
    }
}
