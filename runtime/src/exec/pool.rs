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
        self.threads
    }

    /// Runs `work` on this thread and on up to `helpers` workers at once, and returns when all of them have returned.
    /// Without threads to be had, this thread is alone. A panic in one of them is passed on.
    pub fn share(&self, helpers: usize, work: impl Fn() + Sync) {
        let helpers = helpers.min(self.threads - 1);
        let pool = if helpers == 0 { None } else { self.workers() };
        let Some(pool) = pool else { return work() };
        pool.in_place_scope(|scope| {
            for _ in 0..helpers {
                scope.spawn(|_| work());
            }
            work();
        });
    }

    fn workers(&self) -> Option<&rayon::ThreadPool> {
        let build = || {
            rayon::ThreadPoolBuilder::new()
                .num_threads(self.threads - 1)
                .thread_name(|i| format!("clift-worker-{i}"))
                .build()
        };
        self.rayon.get_or_try_init(build).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    #[test]
    fn work_is_shared() {
        let (claims, sum) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Pool::new(4).share(3, || {
            loop {
                let i = claims.fetch_add(1, Relaxed);
                if i >= 1000 {
                    break;
                }
                sum.fetch_add(i, Relaxed);
            }
        });
        assert_eq!(sum.into_inner(), 499_500);
    }

    #[test]
    fn one_thread_starts_no_pool() {
        let pool = Pool::new(1);
        let n = AtomicUsize::new(0);
        pool.share(9, || {
            n.fetch_add(1, Relaxed);
        });
        assert_eq!(n.into_inner(), 1);
        assert!(pool.rayon.get().is_none());
    }
}
