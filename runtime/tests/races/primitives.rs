//! What `src/primitives.rs` is to the library: here a scheduler decides at each lock, wake-up and atomic access which
//! thread goes on, and time passes when a test says so.

pub use shuttle::sync::{Mutex, MutexGuard, atomic};
pub use shuttle::{thread, thread_local};

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, LockResult, OnceLock};
use std::time::Duration;

/// A condition variable whose waits with a limit end when `let_time_pass` says so.
#[derive(Default)]
pub struct Condvar(OnceLock<Arc<shuttle::sync::Condvar>>);

/// Whether a wait with a limit ended because of it.
pub struct WaitTimeoutResult(bool);

impl WaitTimeoutResult {
    pub fn timed_out(&self) -> bool {
        self.0
    }
}

/// Where threads wait with a limit. Locked between two scheduling points only.
static TIMED: std::sync::Mutex<Vec<Arc<shuttle::sync::Condvar>>> = std::sync::Mutex::new(Vec::new());
/// How often limits have passed.
static TICKS: AtomicU32 = AtomicU32::new(0);
/// The scenario is over: no wait with a limit lasts.
static OVER: AtomicBool = AtomicBool::new(false);

impl Condvar {
    pub const fn new() -> Self {
        Self(OnceLock::new())
    }

    fn inner(&self) -> &Arc<shuttle::sync::Condvar> {
        self.0.get_or_init(|| Arc::new(shuttle::sync::Condvar::new()))
    }

    pub fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> LockResult<MutexGuard<'a, T>> {
        self.inner().wait(guard)
    }

    pub fn wait_timeout<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        _limit: Duration,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)> {
        let before = TICKS.load(Relaxed);
        if OVER.load(Relaxed) {
            return Ok((guard, WaitTimeoutResult(true)));
        }
        TIMED.lock().expect("no panic").push(Arc::clone(self.inner()));
        let guard = self.inner().wait(guard).expect("the queues go on after a panic");
        let mut timed = TIMED.lock().expect("no panic");
        let at = timed.iter().position(|condvar| Arc::ptr_eq(condvar, self.inner()));
        timed.swap_remove(at.expect("put there before"));
        Ok((guard, WaitTimeoutResult(TICKS.load(Relaxed) != before)))
    }

    pub fn notify_one(&self) {
        self.inner().notify_one();
    }

    pub fn notify_all(&self) {
        self.inner().notify_all();
    }
}

/// Ends the waits with a limit that have begun; says whether there are any.
pub fn let_time_pass() -> bool {
    TICKS.fetch_add(1, Relaxed);
    let timed = TIMED.lock().expect("no panic").clone();
    timed.iter().for_each(|condvar| condvar.notify_all());
    !timed.is_empty()
}

/// A new scenario begins.
pub fn begin() {
    OVER.store(false, Relaxed);
    TIMED.lock().expect("no panic").clear();
}

/// From now on no wait with a limit lasts, so that idle threads end.
pub fn end() {
    OVER.store(true, Relaxed);
    while let_time_pass() {
        thread::yield_now();
    }
}
