//! Worker threads: the only user of rayon.
//!
//! Jobs are shared by closures that claim parts of the work until there are none. The calling thread works too, and waits
//! only for workers that have begun: a worker that is busy elsewhere finds nothing left when it comes, so a short job is
//! never held up by a long one.
#![allow(unsafe_code, reason = "a guard for the time of a fork")]

use super::pin;
use crate::fork;
use crate::sync::{Condvar, Mutex, Rank};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Weak};

/// Stack of a worker beyond what a kernel takes: our own frames, and those of code generation for the most part.
const OWN_STACK_BYTES: usize = 1280 << 10;

/// Worker threads of a device, started at the first parallel job.
pub struct Pool {
    threads: usize,
    caller: Caller,
    started: Mutex<Option<Started>>,
}

/// What the thread that has a job does.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Caller {
    /// It is one of the pool's threads.
    Works,
    /// It waits: all work is done by workers on these CPUs.
    Waits(Vec<usize>),
}

/// Taken before any pool's `started`, so that a fork need wait for one lock only.
static STARTING: Mutex<()> = Mutex::new(Rank::Threads, ());

/// Keeps all pools as they are, for the time of a fork.
pub(crate) fn hold() -> Box<dyn Any> {
    // SAFETY: a static.
    Box::new(unsafe { STARTING.lock_for_fork() })
}

struct Started {
    workers: Arc<rayon::ThreadPool>,
    /// `fork::count` when they started: a child has no workers.
    forks: u32,
}

struct Shared<F> {
    work: F,
    /// Workers that have begun and not ended.
    active: Mutex<usize>,
    ended: Condvar,
    panicked: AtomicBool,
}

impl<F: Fn()> Shared<F> {
    /// A worker's part.
    fn help(&self) {
        *self.active.lock() += 1;
        if catch_unwind(AssertUnwindSafe(&self.work)).is_err() {
            self.panicked.store(true, Relaxed);
        }
        *self.active.lock() -= 1;
        self.ended.notify_one();
    }
}

impl Pool {
    /// A pool of this size; no thread starts yet.
    pub fn new(threads: usize) -> Self {
        Self::with(threads, Caller::Works)
    }

    /// A pool whose jobs run on `threads` workers of its own, which stay on these CPUs (on any if there are none).
    pub fn apart(threads: usize, cpus: Vec<usize>) -> Self {
        Self::with(threads, Caller::Waits(cpus))
    }

    fn with(threads: usize, caller: Caller) -> Self {
        Self { threads: threads.max(1), caller, started: Mutex::new(Rank::Leaf, None) }
    }

    /// Runs a job where the pool's jobs run: here, or on a worker while this thread waits.
    pub fn enter<T: Send>(&self, job: impl FnOnce() -> T + Send) -> T {
        let workers = if self.caller == Caller::Works { None } else { self.workers() };
        match workers {
            Some(workers) => workers.install(job),
            None => job(),
        }
    }

    /// Threads that may work on one job, the thread that calls `share` included.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Runs `work` on this thread and on up to `helpers` workers at once. `work` claims parts of the whole until there
    /// are none, so that everything is done once it has returned here and in every worker that had begun; that is when
    /// `share` returns. Without threads to be had, this thread is alone.
    ///
    /// Panics if a worker did.
    pub fn share(&self, helpers: usize, work: impl Fn() + Send + Sync + 'static) {
        let helpers = helpers.min(self.threads - 1);
        let pool = if helpers == 0 { None } else { self.workers() };
        let Some(pool) = pool else { return work() };
        let shared = Arc::new(Shared {
            work,
            active: Mutex::new(Rank::Leaf, 0),
            ended: Condvar::new(),
            panicked: AtomicBool::new(false),
        });
        for _ in 0..helpers {
            // Weak, so that a worker that comes late keeps nothing alive.
            let shared = Arc::downgrade(&shared);
            pool.spawn(move || {
                if let Some(shared) = Weak::upgrade(&shared) {
                    shared.help();
                }
            });
        }
        let own = catch_unwind(AssertUnwindSafe(&shared.work));
        let mut active = shared.active.lock();
        while *active > 0 {
            shared.ended.wait(&mut active);
        }
        drop(active);
        if let Err(panic) = own {
            std::panic::resume_unwind(panic);
        }
        assert!(!shared.panicked.load(Relaxed), "a worker panicked");
    }

    /// The workers; none if the system gives no threads.
    fn workers(&self) -> Option<Arc<rayon::ThreadPool>> {
        let _starting = STARTING.lock();
        let mut started = self.started.lock();
        if let Some(Started { workers, .. }) = started.as_ref().filter(|s| s.forks == fork::count()) {
            return Some(Arc::clone(workers));
        }
        let builder = rayon::ThreadPoolBuilder::new()
            .thread_name(|i| format!("clift-worker-{i}"))
            .stack_size(clift_jit::codegen::MAX_STACK as usize + OWN_STACK_BYTES);
        let builder = match self.caller.clone() {
            Caller::Works => builder.num_threads(self.threads - 1),
            Caller::Waits(cpus) => builder.num_threads(self.threads).start_handler(move |_| pin::to(&cpus)),
        };
        let workers = Arc::new(builder.build().ok()?);
        let fresh = Started { workers: Arc::clone(&workers), forks: fork::count() };
        // Workers of before a fork do not exist here, and nothing may wait for them to end.
        std::mem::forget(started.replace(fresh));
        Some(workers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;
    use std::sync::mpsc;

    /// A job that adds up `0..n`, and its result so far.
    fn sum(n: usize) -> (impl Fn() + Send + Sync + 'static, Arc<AtomicUsize>) {
        let (claims, sum) = (AtomicUsize::new(0), Arc::new(AtomicUsize::new(0)));
        let theirs = Arc::clone(&sum);
        let work = move || {
            loop {
                let i = claims.fetch_add(1, Relaxed);
                if i >= n {
                    break;
                }
                theirs.fetch_add(i, Relaxed);
            }
        };
        (work, sum)
    }

    #[test]
    fn work_is_shared() {
        let pool = Pool::new(4);
        for _ in 0..100 {
            let (work, sum) = sum(1000);
            pool.share(3, work);
            assert_eq!(sum.load(Relaxed), 499_500);
        }
    }

    #[test]
    fn one_thread_starts_no_pool() {
        let pool = Pool::new(1);
        let (work, sum) = sum(10);
        pool.share(9, work);
        assert_eq!(sum.load(Relaxed), 45);
        assert!(pool.started.lock().is_none());
    }

    #[test]
    fn busy_workers_hold_nobody_up() {
        let pool = Pool::new(2);
        let (begun, has_begun) = mpsc::channel();
        let (go, gate) = mpsc::channel::<()>();
        let gate = std::sync::Mutex::new(gate);
        pool.workers().expect("threads").spawn(move || {
            begun.send(()).expect("test waits");
            gate.lock().expect("one user").recv().expect("test sends");
        });
        has_begun.recv().expect("the only worker is busy now");
        let (work, sum) = sum(1000);
        pool.share(1, work);
        assert_eq!(sum.load(Relaxed), 499_500);
        go.send(()).expect("the worker waits");
    }

    #[test]
    fn a_pool_apart_keeps_the_caller_out() {
        let me = std::thread::current().id();
        for threads in [1, 2] {
            let pool = Arc::new(Pool::apart(threads, vec![0]));
            let seen = Arc::new(std::sync::Mutex::new(std::collections::BTreeSet::new()));
            let (inner, theirs) = (Arc::clone(&pool), Arc::clone(&seen));
            pool.enter(move || {
                let n = AtomicUsize::new(0);
                inner.share(9, move || {
                    while n.fetch_add(1, Relaxed) < 100 {
                        let thread = std::thread::current();
                        assert_ne!(thread.id(), me);
                        theirs.lock().expect("no panic").insert(thread.name().map(str::to_owned));
                        std::thread::sleep(std::time::Duration::from_micros(50));
                    }
                });
            });
            let seen = seen.lock().expect("no panic");
            assert!((1..=threads).contains(&seen.len()), "{seen:?}");
            assert!(seen.iter().all(|name| name.as_deref().is_some_and(|name| name.starts_with("clift-worker-"))));
        }
    }

    #[test]
    fn panics_come_through() {
        let pool = Pool::new(3);
        let n = AtomicUsize::new(0);
        let work = move || {
            if n.fetch_add(1, Relaxed) == 0 {
                std::panic::resume_unwind(Box::new("on purpose"));
            }
        };
        assert!(catch_unwind(AssertUnwindSafe(|| pool.share(2, work))).is_err());
    }
}
