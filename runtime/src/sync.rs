//! Locks with ranks. A thread may take a lock only if its rank is higher than that of every lock it holds; debug builds
//! check this at each `lock`, so a possible deadlock is a panic in tests rather than a hang at a user's. No lock is
//! ever held across user code (callbacks, native kernels, destructors).
//!
//! The locks are the standard library's because they know no list of waiting threads: after a fork such a list would
//! name threads that are not there, and hand the lock to them. `fork` says which locks a fork waits for.
#![allow(unsafe_code, reason = "a guard that outlives its borrow")]

use crate::primitives;
use std::ops::{Deref, DerefMut};
use std::sync::PoisonError;
use std::time::Duration;

/// The rank table: the order in which locks may be taken, outermost first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Rank {
    /// A queue's submission order: held while a command gets its place in the graph.
    Queue,
    /// A command-buffer's list of commands.
    CommandBuffer,
    /// A recorded kernel's arguments and sizes.
    Dispatch,
    /// A program's build state.
    Program,
    /// A kernel's argument slots.
    Kernel,
    /// The recording: held while a launch runs that is recorded.
    Record,
    /// A memory object's map table and destructor list; a context's destructor list; a semaphore's gates.
    Memory,
    /// A context's dependency graph and ready list.
    Graph,
    /// An event's callbacks.
    Event,
    /// The background and callback threads' job lists.
    Threads,
    /// The live set of debug builds, the memory that is kept, log output.
    Leaf,
}

#[cfg(debug_assertions)]
mod held {
    use super::Rank;
    use std::cell::RefCell;
    crate::primitives::thread_local!(static HELD: RefCell<Vec<Rank>> = const { RefCell::new(Vec::new()) });

    pub fn push(rank: Rank) {
        let _ = HELD.try_with(|held| {
            let mut held = held.borrow_mut();
            if let Some(&top) = held.iter().max() {
                assert!(top < rank, "lock order: {rank:?} taken while holding {top:?}");
            }
            held.push(rank);
        });
    }

    pub fn pop(rank: Rank) {
        let _ = HELD.try_with(|held| {
            let mut held = held.borrow_mut();
            if let Some(at) = held.iter().rposition(|&r| r == rank) {
                held.remove(at);
            }
        });
    }

    pub fn none() -> bool {
        HELD.try_with(|held| held.borrow().is_empty()).unwrap_or(true)
    }
}

/// Asserts in debug builds that this thread holds no lock: to be called before user code runs.
pub fn assert_unlocked() {
    #[cfg(debug_assertions)]
    assert!(held::none(), "user code must not run under a lock");
}

/// A mutex with a rank.
pub struct Mutex<T> {
    inner: primitives::Mutex<T>,
    rank: Rank,
}

impl<T> Mutex<T> {
    /// A new lock of this rank.
    pub const fn new(rank: Rank, value: T) -> Self {
        Self { inner: primitives::Mutex::new(value), rank }
    }

    /// Takes the lock. Panics in debug builds if the thread holds a lock of the same or a higher rank.
    pub fn lock(&self) -> Guard<'_, T> {
        #[cfg(debug_assertions)]
        held::push(self.rank);
        self.lock_unranked()
    }

    /// Takes the lock if nobody has it: at the end of a process, which may come in the middle of anything.
    pub fn try_lock(&self) -> Option<Guard<'_, T>> {
        let inner = self.inner.try_lock().ok()?;
        #[cfg(debug_assertions)]
        held::push(self.rank);
        Some(Guard { inner: Some(inner), _held: Held(self.rank) })
    }

    /// The data of a thread that has panicked is as good as any: panics end in an error of their command.
    fn lock_unranked(&self) -> Guard<'_, T> {
        let inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        Guard { inner: Some(inner), _held: Held(self.rank) }
    }

    /// Takes the lock for the time of a fork, among others of the same rank.
    ///
    /// # Safety
    /// The mutex outlives the guard.
    pub unsafe fn lock_for_fork(&self) -> Guard<'static, T> {
        let this: *const Self = self;
        // SAFETY: the caller's promise.
        unsafe { &*this }.lock_unranked()
    }

    /// The value, without locking.
    pub fn get_mut(&mut self) -> &mut T {
        self.inner.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Held(#[cfg_attr(not(debug_assertions), expect(dead_code, reason = "read by debug builds only"))] Rank);

impl Drop for Held {
    fn drop(&mut self) {
        #[cfg(debug_assertions)]
        held::pop(self.0);
    }
}

/// A held `Mutex`.
pub struct Guard<'a, T> {
    /// Always there but inside `Condvar::wait`.
    inner: Option<primitives::MutexGuard<'a, T>>,
    _held: Held,
}

impl<T> Deref for Guard<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        self.inner.as_ref().expect("held")
    }
}

impl<T> DerefMut for Guard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.inner.as_mut().expect("held")
    }
}

/// A condition variable for `Mutex`.
#[derive(Default)]
pub struct Condvar(primitives::Condvar);

impl Condvar {
    /// A new condition variable.
    pub const fn new() -> Self {
        Self(primitives::Condvar::new())
    }

    /// Releases the lock, sleeps until notified, takes the lock again.
    pub fn wait<T>(&self, guard: &mut Guard<'_, T>) {
        guard.inner = guard.inner.take().map(|g| self.0.wait(g).unwrap_or_else(PoisonError::into_inner));
    }

    /// As `wait`, but no longer than `limit`; says whether that has passed.
    pub fn wait_for<T>(&self, guard: &mut Guard<'_, T>, limit: Duration) -> bool {
        let held = guard.inner.take().expect("held");
        let (held, result) = self.0.wait_timeout(held, limit).unwrap_or_else(PoisonError::into_inner);
        guard.inner = Some(held);
        result.timed_out()
    }

    /// Wakes one sleeper.
    pub fn notify_one(&self) {
        self.0.notify_one();
    }

    /// Wakes all sleepers.
    pub fn notify_all(&self) {
        self.0.notify_all();
    }
}

#[cfg(all(test, debug_assertions))]
mod tests {
    use super::*;

    #[test]
    fn rising_ranks_are_fine_and_falling_ones_are_caught() {
        let (low, high) = (Mutex::new(Rank::Queue, 0), Mutex::new(Rank::Event, 0));
        {
            let _a = low.lock();
            let _b = high.lock();
        }
        let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let _b = high.lock();
            let _a = low.lock();
        }));
        assert!(caught.is_err());
        assert_unlocked();
    }
}
