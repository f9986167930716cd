//! Worker threads: the only user of rayon.
//!
//! Jobs are shared by closures that claim parts of the work until there are none. The calling thread works too, and
//! waits only for workers that have begun: a worker that is busy elsewhere finds nothing left when it comes, so a short
//! job is never held up by a long one.
//!
//! ```text
//! A job:           new            the caller's part is done             no helper is active
//!                  ────▶ open ──────────────────────────────▶ closed ──────────────────────▶ dropped by the caller
//!
//! A helper of it:        comes while it is open       its part is done
//!              spawned ──────────────────────▶ active ─────────────────▶ ended
//!                 └────── comes when it is closed: does nothing ───────────▲
//!
//! Workers (`started`):  the first job that wants helpers             a fork, in the child
//!                none ──────────────────────────────────▶ started ────────────────────────▶ forgotten, as if none
//!
//! A worker's wakefulness:  a job's part is done        none came for `LINGER`
//!                 at a job ──────────────────▶ lingers ──────────────────────▶ sleeps, until one comes
//!                    └──────── one comes ────────┘
//!
//! A gang:        share_together, none idle          the job has ended        share_together
//!                ─────────────────────────▶ at it ───────────────────▶ idle ───────────────▶ at it
//!                                             └── two are idle: it ends
//! ```
#![allow(unsafe_code, reason = "a guard for the time of a fork")]

use super::{fault, pin};
use crate::fork;
use crate::sync::{Condvar, Mutex, Rank};
use clift_jit::reserve;
use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Stack of a worker beyond what a kernel takes: our own frames, and those of code generation for the most part.
const OWN_STACK_BYTES: usize = 1280 << 10;

/// How long a thread that waits for helpers keeps its processor.
const SPIN: Duration = Duration::from_micros(50);

/// How long a thread without work stays awake, for what comes next; other threads may have its processor. Launches that
/// follow each other leave less between them for the most part, and to wake a thread takes longer than many a launch.
const LINGER: Duration = Duration::from_micros(200);

/// Worker threads of a device, started at the first parallel job.
pub struct Pool {
    threads: usize,
    caller: Caller,
    started: Mutex<Option<Started>>,
    /// Further workers, `threads - 1` each time, that have no job: see `share_together`.
    gangs: Mutex<Vec<Started>>,
}

/// What the thread that has a job does.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Caller {
    /// It is one of the pool's threads.
    Works,
    /// It waits: all work is done by workers on these CPUs.
    Waits(Vec<usize>),
}

/// So many gangs without a job are kept.
const IDLE_GANGS: usize = 2;

/// Taken before any pool's `started` and `gangs`, so that a fork need wait for one lock only.
static STARTING: Mutex<()> = Mutex::new(Rank::Threads, ());

/// Keeps all pools as they are, for the time of a fork.
pub(crate) fn hold() -> Box<dyn Any> {
    // SAFETY: a static.
    Box::new(unsafe { STARTING.lock_for_fork() })
}

/// The background at the moment.
struct Background {
    /// Jobs that are being done.
    running: usize,
    /// Forks that wait until there is none; no other job begins meanwhile.
    forks: usize,
}

static BACKGROUND: Mutex<Background> = Mutex::new(Rank::Leaf, Background { running: 0, forks: 0 });
static BACKGROUND_CHANGED: Condvar = Condvar::new();

/// Keeps the background empty, for the time of a fork: the child would wait for what its parent's threads have begun.
pub(crate) fn hold_background() -> Box<dyn Any> {
    // SAFETY: a static.
    let mut background = unsafe { BACKGROUND.lock_for_fork() };
    background.forks += 1;
    while background.running > 0 {
        BACKGROUND_CHANGED.wait(&mut background);
    }
    background.forks -= 1;
    BACKGROUND_CHANGED.notify_all();
    Box::new(background)
}

/// Does a part of a job that a fork has to wait for, since its child would miss the end of it. It may be part of
/// another one.
pub(crate) fn in_no_fork<T>(part: impl FnOnce() -> T) -> T {
    thread_local!(static IS_PART: Cell<bool> = const { Cell::new(false) });
    /// Also if the part panics.
    struct Running;
    impl Drop for Running {
        fn drop(&mut self) {
            IS_PART.set(false);
            BACKGROUND.lock().running -= 1;
            BACKGROUND_CHANGED.notify_all();
        }
    }
    if IS_PART.get() {
        return part();
    }
    {
        let mut background = BACKGROUND.lock();
        while background.forks > 0 {
            BACKGROUND_CHANGED.wait(&mut background);
        }
        background.running += 1;
    }
    IS_PART.set(true);
    let _running = Running;
    part()
}

thread_local!(static IS_ALONE: Cell<bool> = const { Cell::new(false) });

/// Does what `work` does on this thread only, without any pool's help; or else with it, though this may be a part of
/// what is done alone.
pub(crate) fn alone_if<T>(is_alone: bool, work: impl FnOnce() -> T) -> T {
    /// Also if the work panics.
    struct Before(bool);
    impl Drop for Before {
        fn drop(&mut self) {
            IS_ALONE.set(self.0);
        }
    }
    let _before = Before(IS_ALONE.replace(is_alone));
    work()
}

/// Whether what this thread does is done by it alone.
pub(crate) fn is_alone() -> bool {
    IS_ALONE.get()
}

struct Started {
    workers: Arc<rayon::ThreadPool>,
    /// `fork::count` when they started: a child has no workers.
    forks: u32,
}

/// A closure that several threads run at once. It is open until the thread that made it has run it; by then it belongs
/// to that thread again, which drops it.
pub(crate) struct Job<F> {
    state: Mutex<JobState<F>>,
    /// Helpers that have begun and not ended: those that may have a share of `work`. Changes under the lock.
    active: AtomicUsize,
    ended: Condvar,
}

struct JobState<F> {
    /// What to do, while the job is open.
    work: Option<Arc<F>>,
    /// A helper panicked.
    has_panicked: bool,
}

impl<F: Fn()> Job<F> {
    pub(crate) fn new(work: F) -> Self {
        let state = JobState { work: Some(Arc::new(work)), has_panicked: false };
        Self { state: Mutex::new(Rank::Leaf, state), active: AtomicUsize::new(0), ended: Condvar::new() }
    }

    /// A helper's part; none once the job is closed.
    pub(crate) fn help(&self) {
        let work = {
            let state = self.state.lock();
            let Some(work) = state.work.clone() else { return };
            self.active.fetch_add(1, Relaxed);
            work
        };
        let has_panicked = catch_unwind(AssertUnwindSafe(&*work)).is_err();
        // First of all: what counts as ended holds nothing.
        drop(work);
        let mut state = self.state.lock();
        state.has_panicked |= has_panicked;
        self.active.fetch_sub(1, Relaxed);
        drop(state);
        self.ended.notify_one();
    }

    /// The part of the thread that made the job. When this returns, the closure is dropped and nobody runs it.
    ///
    /// Panics if the closure did, here or in a helper.
    pub(crate) fn finish(&self) {
        let work = self.state.lock().work.clone();
        let own = work.as_deref().map_or(Ok(()), |work| catch_unwind(AssertUnwindSafe(work)));
        // Not the last one, so that nothing is dropped under the lock.
        self.state.lock().work = None;
        self.spin();
        let mut state = self.state.lock();
        while self.active.load(Relaxed) > 0 {
            self.ended.wait(&mut state);
        }
        let has_panicked = state.has_panicked;
        drop(state);
        drop(work);
        if let Err(panic) = own {
            std::panic::resume_unwind(panic);
        }
        assert!(!has_panicked, "a worker panicked");
    }

    /// Waits a little for the helpers: their parts mostly end with the caller's, and to wake it takes longer than that.
    fn spin(&self) {
        let start = Instant::now();
        while self.active.load(Relaxed) > 0 {
            match start.elapsed() {
                time if time < SPIN => std::hint::spin_loop(),
                time if time < LINGER => std::thread::yield_now(),
                _ => break,
            }
        }
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
        Self {
            threads: threads.max(1),
            caller,
            started: Mutex::new(Rank::Leaf, None),
            gangs: Mutex::new(Rank::Leaf, Vec::new()),
        }
    }

    /// Runs a job where the pool's jobs run: here, or on a worker while this thread waits.
    pub fn enter<T: Send>(&self, job: impl FnOnce() -> T + Send) -> T {
        let workers = if self.caller == Caller::Works || is_alone() { None } else { self.workers() };
        match workers {
            Some(workers) => workers.install(job),
            None => job(),
        }
    }

    /// Threads that may work on one job, the thread that calls `share` included.
    pub fn threads(&self) -> usize {
        if is_alone() { 1 } else { self.threads }
    }

    /// Runs `work` on this thread and on up to `helpers` workers at once. `work` claims parts of the whole until there
    /// are none, so that everything is done once it has returned here and in every worker that had begun; that is when
    /// `share` returns, with `work` dropped. Without threads to be had, this thread is alone.
    ///
    /// Panics if a worker did.
    pub fn share(&self, helpers: usize, work: impl Fn() + Send + Sync + 'static) {
        let helpers = helpers.min(self.threads() - 1);
        let pool = if helpers == 0 { None } else { self.workers() };
        match pool {
            Some(pool) => share_with(&pool, helpers, work),
            None => work(),
        }
    }

    /// Does a job on a worker as soon as one is free; false if there is no worker, and nothing is done.
    pub(crate) fn spawn(&self, job: impl FnOnce() + Send + 'static) -> bool {
        let Some(workers) = (self.threads() > 1).then(|| self.workers()).flatten() else { return false };
        workers.spawn(move || {
            // A panic is the job's own affair.
            let _ = catch_unwind(AssertUnwindSafe(job));
        });
        true
    }

    /// Does a job on a worker while this thread goes on; not at all if there is no thread beside this one, if all work
    /// is done by workers, who would keep a launch waiting, or, in the child of a fork, if the job had not begun. So
    /// nothing may depend on it. False if it is known that it will not be done.
    pub fn in_background(&self, job: impl FnOnce() + Send + 'static) -> bool {
        let has_others = self.threads > 1 && self.caller == Caller::Works;
        let Some(workers) = has_others.then(|| self.workers()).flatten() else { return false };
        workers.spawn(move || {
            // A panic is the job's own affair.
            let _ = catch_unwind(AssertUnwindSafe(|| in_no_fork(job)));
        });
        true
    }

    /// As `share`, for parts that wait for each other: `helpers` workers, up to the pool's size, begin at once,
    /// whatever else runs. A pool's workers may be at other jobs, which may wait in turn, so these are a gang of others
    /// (gang scheduling). The system sees to it that all go on if they are more than the processors. Without threads to
    /// be had, this thread is alone, unless `all` are needed: then the result is false, and nothing is done.
    pub fn share_together(&self, helpers: usize, all: bool, work: impl Fn() + Send + Sync + 'static) -> bool {
        let wanted = helpers;
        let helpers = wanted.min(self.threads() - 1);
        let gang = if helpers == 0 { None } else { self.take_gang() };
        if all && wanted > gang.as_ref().map_or(0, |_| helpers) {
            return false;
        }
        let Some(gang) = gang else {
            work();
            return true;
        };
        share_with(&gang.workers, helpers, work);
        let _starting = STARTING.lock();
        let mut gangs = self.gangs.lock();
        if gangs.len() < IDLE_GANGS {
            gangs.push(gang);
        }
        true
    }

    /// A gang without a job; none if the system gives no threads.
    fn take_gang(&self) -> Option<Started> {
        {
            let _starting = STARTING.lock();
            let mut gangs = self.gangs.lock();
            while let Some(gang) = gangs.pop() {
                if gang.forks == fork::count() {
                    return Some(gang);
                }
                std::mem::forget(gang);
            }
        }
        let _starting = STARTING.lock();
        self.start(self.threads - 1)
    }

    /// The workers; none if the system gives no threads.
    fn workers(&self) -> Option<Arc<rayon::ThreadPool>> {
        let _starting = STARTING.lock();
        let mut started = self.started.lock();
        if let Some(Started { workers, .. }) = started.as_ref().filter(|s| s.forks == fork::count()) {
            return Some(Arc::clone(workers));
        }
        let own = usize::from(self.caller == Caller::Works);
        let fresh = self.start(self.threads - own)?;
        let workers = Arc::clone(&fresh.workers);
        // Workers of before a fork do not exist here, and nothing may wait for them to end.
        std::mem::forget(started.replace(fresh));
        Some(workers)
    }

    /// Starts workers; none if the system gives no threads.
    fn start(&self, threads: usize) -> Option<Started> {
        reserve::before_thread().ok()?;
        let builder = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|i| format!("clift-worker-{i}"))
            .stack_size(clift_jit::codegen::MAX_STACK as usize + OWN_STACK_BYTES);
        let builder = match self.caller.clone() {
            Caller::Works => builder.start_handler(|_| fault::let_in()),
            Caller::Waits(cpus) => builder.start_handler(move |_| {
                fault::let_in();
                pin::to(&cpus);
            }),
        };
        Some(Started { workers: Arc::new(builder.build().ok()?), forks: fork::count() })
    }
}

/// Keeps a worker awake for jobs that come soon; those that come are done here.
fn linger() {
    thread_local! {
        static LINGERS: Cell<bool> = const { Cell::new(false) };
    }
    if LINGERS.replace(true) {
        return;
    }
    let mut idle_since = Instant::now();
    while idle_since.elapsed() < LINGER {
        if rayon::yield_now() == Some(rayon::Yield::Executed) {
            idle_since = Instant::now();
        } else {
            std::thread::yield_now();
        }
    }
    LINGERS.set(false);
}

/// Runs `work` on this thread and, once each, on `helpers` of these workers that come before it has ended.
fn share_with(workers: &rayon::ThreadPool, helpers: usize, work: impl Fn() + Send + Sync + 'static) {
    let job = Arc::new(Job::new(work));
    for _ in 0..helpers {
        let job = Arc::clone(&job);
        workers.spawn(move || {
            job.help();
            drop(job);
            linger();
        });
    }
    job.finish();
}

#[cfg(test)]
mod tests {
    use super::*;
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

    /// A job of `n` parts that each end when all have begun.
    fn meeting(n: usize) -> impl Fn() + Send + Sync + 'static {
        let begun = AtomicUsize::new(0);
        move || {
            if begun.fetch_add(1, Relaxed) < n {
                while begun.load(Relaxed) < n {
                    std::thread::yield_now();
                }
            }
        }
    }

    #[test]
    fn parts_that_wait_for_each_other_run_together() {
        let pool = Arc::new(Pool::new(3));
        // Several at once, while the pool's own workers are busy.
        let (go, gate) = mpsc::channel::<()>();
        let gate = Arc::new(std::sync::Mutex::new(gate));
        for _ in 0..2 {
            let gate = Arc::clone(&gate);
            pool.workers().expect("threads").spawn(move || _ = gate.lock().expect("no panic").recv());
        }
        let threads = [(); 4].map(|()| {
            let pool = Arc::clone(&pool);
            std::thread::spawn(move || (0..50).for_each(|_| assert!(pool.share_together(9, false, meeting(3)))))
        });
        threads.into_iter().for_each(|thread| thread.join().expect("no panic"));
        assert!((1..=IDLE_GANGS).contains(&pool.gangs.lock().len()));
        assert!(!pool.share_together(3, true, || panic!("there are three threads")));
        drop(go);
    }

    #[test]
    fn a_fork_waits_for_the_background() {
        let (go, gate) = mpsc::channel::<()>();
        let (begun, has_begun) = mpsc::channel();
        let done = Arc::new(AtomicUsize::new(0));
        let theirs = Arc::clone(&done);
        let pool = Pool::new(2);
        pool.in_background(move || {
            begun.send(()).expect("test waits");
            gate.recv().expect("test sends");
            theirs.store(1, Relaxed);
            panic!("on purpose");
        });
        has_begun.recv().expect("a worker has begun");
        let fork = std::thread::spawn(move || {
            let _held = hold_background();
            done.load(Relaxed)
        });
        go.send(()).expect("the worker waits");
        assert_eq!(fork.join().expect("no panic"), 1);
        // Without threads there is no background.
        Pool::new(1).in_background(|| panic!("is not done"));
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
