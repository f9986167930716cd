//! The thread that runs event callbacks. It is its own, so that a callback which takes a lock of the program cannot
//! meet a thread of the program that holds this lock while it helps to run commands. It starts with the first callback,
//! ends when idle, and gets a substitute while a callback blocks in one of our waits. If the system gives no thread,
//! whoever comes by without locks runs them (`catch_up`): late and in a place that is not the best, but they run.
#![allow(unsafe_code, reason = "a guard for the time of a fork")]

use crate::context::Callback;
use crate::exec::fault;
use crate::fork;
use crate::primitives::{thread, thread_local};
use crate::sync::{Condvar, Guard, Mutex, Rank, assert_unlocked};
use clift_jit::reserve;
use clift_jit::stack::THREAD_BYTES;
use std::any::Any;
use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

const IDLE: Duration = Duration::from_secs(2);
/// The threads' name.
pub(crate) const NAME: &str = "clift-callback";

struct State {
    jobs: VecDeque<Callback>,
    /// Threads that run, wait for jobs, or are blocked inside a callback.
    threads: usize,
    idle: usize,
    blocked: usize,
    /// `fork::count` when the threads were counted.
    forks: u32,
}

static STATE: Mutex<State> =
    Mutex::new(Rank::Threads, State { jobs: VecDeque::new(), threads: 0, idle: 0, blocked: 0, forks: 0 });

static WAKE: Condvar = Condvar::new();

/// There may be jobs and no thread to run them.
static STRANDED: AtomicBool = AtomicBool::new(false);

thread_local!(static HERE: Cell<bool> = const { Cell::new(false) });

fn lock() -> Guard<'static, State> {
    let mut state = STATE.lock();
    if state.forks != fork::count() {
        // The child of a fork has none of the threads.
        (state.threads, state.idle, state.blocked, state.forks) = (0, 0, 0, fork::count());
    }
    state
}

/// Keeps the list as it is, for the time of a fork.
pub(crate) fn hold() -> Box<dyn Any> {
    // SAFETY: a static.
    Box::new(unsafe { STATE.lock_for_fork() })
}

/// Hands callbacks over, in order. May be called under locks below `Rank::Threads`.
pub fn post(jobs: impl IntoIterator<Item = Callback>) {
    let mut state = lock();
    let before = state.jobs.len();
    state.jobs.extend(jobs);
    if state.jobs.len() > before {
        ensure_thread(state);
    }
}

/// Wakes or starts a thread if there are jobs and nobody to run them.
fn ensure_thread(mut state: Guard<'_, State>) {
    if state.jobs.is_empty() {
        return;
    }
    if state.idle > 0 {
        WAKE.notify_one();
    } else if state.threads == state.blocked {
        state.threads += 1;
        drop(state);
        let thread = thread::Builder::new().name(NAME.into()).stack_size(THREAD_BYTES);
        if reserve::before_thread().and_then(|()| thread.spawn(work)).is_err() {
            // No thread to be had: the jobs wait for the next `post` or `catch_up`.
            lock().threads -= 1;
            STRANDED.store(true, Relaxed);
        }
    }
}

/// To be called without locks and often: runs callbacks for which there was no thread when they were handed over, on a
/// thread if there is one by now, else on this one.
#[inline]
pub fn catch_up() {
    if STRANDED.load(Relaxed) {
        run_stranded();
    }
}

#[cold]
fn run_stranded() {
    STRANDED.store(false, Relaxed);
    ensure_thread(lock());
    let mut state = lock();
    if !STRANDED.swap(false, Relaxed) || state.threads > state.blocked {
        return;
    }
    state.threads += 1;
    let was_here = HERE.with(|here| here.replace(true));
    let mut state = run_all(state);
    HERE.with(|here| here.set(was_here));
    state.threads -= 1;
}

/// Runs callbacks until there are none.
fn run_all(mut state: Guard<'static, State>) -> Guard<'static, State> {
    while let Some(job) = state.jobs.pop_front() {
        drop(state);
        assert_unlocked();
        // A panic in a callback is the callback's: the thread goes on.
        let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(job));
        state = lock();
    }
    state
}

fn work() {
    HERE.with(|here| here.set(true));
    fault::let_in();
    let mut state = lock();
    loop {
        state = run_all(state);
        state.idle += 1;
        let too_long = WAKE.wait_for(&mut state, IDLE);
        state.idle -= 1;
        // One active thread keeps the callbacks in order; substitutes leave once their original is back.
        let spare = state.threads > state.blocked + 1;
        if state.jobs.is_empty() && (spare || too_long) {
            state.threads -= 1;
            return;
        }
    }
}

/// Whether this thread runs callbacks.
pub(crate) fn is_here() -> bool {
    HERE.with(Cell::get)
}

/// While it lives, the calling thread counts as blocked if it runs a callback, and another one takes over.
pub struct Blocked(bool);

impl Blocked {
    /// To be made before a wait.
    pub fn enter() -> Self {
        let here = HERE.with(Cell::get);
        if here {
            let mut state = lock();
            state.blocked += 1;
            ensure_thread(state);
        }
        Self(here)
    }
}

impl Drop for Blocked {
    fn drop(&mut self) {
        if self.0 {
            let mut state = lock();
            state.blocked = state.blocked.saturating_sub(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[test]
    fn callbacks_run_and_survive_a_panic() {
        let (tx, rx) = mpsc::channel();
        let failing: Callback = Box::new(|| std::panic::resume_unwind(Box::new("on purpose")));
        post([failing]);
        for i in 0..100 {
            let tx = tx.clone();
            post([Box::new(move || tx.send(i).expect("receiver lives")) as Callback]);
        }
        // In order, unless the other test's blocked callback has let a substitute in.
        let mut got: Vec<i32> = rx.iter().take(100).collect();
        got.sort_unstable();
        assert_eq!(got, (0..100).collect::<Vec<_>>());
    }

    #[test]
    fn a_blocked_callback_does_not_stop_the_others() {
        let (tx, rx) = mpsc::channel::<()>();
        let (done, finished) = mpsc::channel::<()>();
        post([Box::new(move || {
            let _blocked = Blocked::enter();
            rx.recv().expect("the second callback sends");
            done.send(()).expect("test waits");
        }) as Callback]);
        post([Box::new(move || tx.send(()).expect("the first one waits")) as Callback]);
        finished.recv_timeout(Duration::from_secs(20)).expect("no deadlock");
    }
}
