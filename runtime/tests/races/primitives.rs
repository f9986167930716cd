//! What `src/primitives.rs` is to the library: here a scheduler decides at each lock, wake-up and atomic access which
//! thread goes on, and time passes when a test says so.
#![allow(unsafe_code, reason = "threads of a scenario run one by one")]
#![allow(missing_docs, reason = "as the standard library's")]

pub use super::weak as atomic;
pub use shuttle::{thread, thread_local};

use std::cell::{RefCell, UnsafeCell};
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, LockResult, PoisonError, TryLockError, TryLockResult};
use std::time::Duration;

/// Something of `shuttle`'s that each scenario makes anew: the library's statics outlive scenarios, and what they know
/// of threads is of no use in the next one.
struct Fresh<T>(RefCell<Option<(u64, Arc<T>)>>);

// SAFETY: `shuttle` runs one thread at a time, and none is interrupted in `get`.
unsafe impl<T: Send + Sync> Sync for Fresh<T> {}

impl<T> Fresh<T> {
    const fn new() -> Self {
        Self(RefCell::new(None))
    }

    fn get(&self, make: impl FnOnce() -> T) -> Arc<T> {
        let mut of = self.0.borrow_mut();
        if of.as_ref().is_none_or(|(scenario, _)| *scenario != atomic::scenario()) {
            *of = Some((atomic::scenario(), Arc::new(make())));
        }
        of.as_ref().map(|(_, it)| Arc::clone(it)).expect("just made")
    }
}

/// A lock.
pub struct Mutex<T> {
    lock: Fresh<shuttle::sync::Mutex<()>>,
    value: UnsafeCell<T>,
}

// SAFETY: the lock says who has the value.
unsafe impl<T: Send> Sync for Mutex<T> {}

/// A held `Mutex`.
pub struct MutexGuard<'a, T> {
    mutex: &'a Mutex<T>,
    /// Always there but inside `Condvar::wait`; goes before what it is a part of.
    guard: Option<shuttle::sync::MutexGuard<'static, ()>>,
    lock: Arc<shuttle::sync::Mutex<()>>,
}

impl<T> Mutex<T> {
    pub const fn new(value: T) -> Self {
        Self { lock: Fresh::new(), value: UnsafeCell::new(value) }
    }

    pub fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
        let lock = self.lock.get(|| shuttle::sync::Mutex::new(()));
        let of = Arc::as_ptr(&lock);
        // SAFETY: the guard that is returned keeps the lock.
        let guard = unsafe { &*of }.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(MutexGuard { mutex: self, guard: Some(guard), lock })
    }

    pub fn try_lock(&self) -> TryLockResult<MutexGuard<'_, T>> {
        let lock = self.lock.get(|| shuttle::sync::Mutex::new(()));
        let of = Arc::as_ptr(&lock);
        // SAFETY: as above.
        let guard = unsafe { &*of }.try_lock().map_err(|_| TryLockError::WouldBlock)?;
        Ok(MutexGuard { mutex: self, guard: Some(guard), lock })
    }

    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        Ok(self.value.get_mut())
    }
}

impl<T> Deref for MutexGuard<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        // SAFETY: the lock is held.
        unsafe { &*self.mutex.value.get() }
    }
}

impl<T> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: the lock is held.
        unsafe { &mut *self.mutex.value.get() }
    }
}

impl<'a, T> MutexGuard<'a, T> {
    /// Gives the lock away for the time of a wait.
    fn during(
        mut self,
        wait: impl FnOnce(shuttle::sync::MutexGuard<'static, ()>) -> LockResult<shuttle::sync::MutexGuard<'static, ()>>,
    ) -> MutexGuard<'a, T> {
        let guard = self.guard.take().expect("held");
        self.guard = Some(wait(guard).unwrap_or_else(PoisonError::into_inner));
        self
    }
}

/// A condition variable whose waits with a limit end when `let_time_pass` says so.
pub struct Condvar(Fresh<shuttle::sync::Condvar>);

/// Whether a wait with a limit ended because of it.
pub struct WaitTimeoutResult(bool);

impl WaitTimeoutResult {
    pub fn timed_out(&self) -> bool {
        self.0
    }
}

impl Default for Condvar {
    fn default() -> Self {
        Self::new()
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
        Self(Fresh::new())
    }

    fn inner(&self) -> Arc<shuttle::sync::Condvar> {
        self.0.get(shuttle::sync::Condvar::new)
    }

    pub fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> LockResult<MutexGuard<'a, T>> {
        let inner = self.inner();
        Ok(guard.during(|guard| inner.wait(guard)))
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
        let inner = self.inner();
        TIMED.lock().expect("no panic").push(Arc::clone(&inner));
        let guard = guard.during(|guard| inner.wait(guard));
        let mut timed = TIMED.lock().expect("no panic");
        let at = timed.iter().position(|condvar| Arc::ptr_eq(condvar, &inner));
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
    atomic::begin();
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
