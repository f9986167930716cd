//! The command that a thread runs, for checks: what happened before it, and which of the launches that its kernels
//! enqueue (`queue::device`) comes behind which. Must not know what commands touch.

use super::clock::{Clock, Epoch};
use clift_jit::race::before::{Before, Name};
use std::cell::RefCell;
use std::mem::ManuallyDrop;
use std::sync::{Arc, OnceLock};

/// What happened before a command that runs, and its place among all; no place if there are too many.
pub(crate) struct Now {
    pub(super) clock: Arc<Clock>,
    epoch: Option<Epoch>,
    part: Option<Part>,
}

/// A launch that a kernel of the command enqueued.
struct Part {
    /// Which others happened before.
    before: Before,
    /// Its own name, if accesses are tracked.
    name: OnceLock<Name>,
}

// The command that this thread runs, for what it does to events and for its launches. After the command it is nobody's,
// so that there is nothing to drop with the thread, and one that is ending can run commands, too.
thread_local! {
    static RUNNING: RefCell<ManuallyDrop<Option<Arc<Now>>>> = const { RefCell::new(ManuallyDrop::new(None)) };
}

/// From now on this thread runs this command; gives the one that it had.
pub(super) fn now_running(now: Option<Arc<Now>>) -> Option<Arc<Now>> {
    ManuallyDrop::into_inner(RUNNING.replace(ManuallyDrop::new(now)))
}

/// The command that this thread runs, if commands are watched.
pub(crate) fn running() -> Option<Arc<Now>> {
    RUNNING.with_borrow(|now| Option::clone(now))
}

/// Runs a part of a command that another thread runs.
pub(crate) fn within<R>(now: Option<Arc<Now>>, run: impl FnOnce() -> R) -> R {
    struct Restore(Option<Arc<Now>>);
    impl Drop for Restore {
        fn drop(&mut self) {
            drop(now_running(self.0.take()));
        }
    }
    let _restore = Restore(now_running(now));
    run()
}

impl Now {
    /// A command that begins.
    pub(super) fn new(clock: Clock, epoch: Option<Epoch>) -> Self {
        Self { clock: Arc::new(clock), epoch, part: None }
    }

    /// A number that no other command has; 0 if it has no place among all.
    pub(crate) fn number(&self) -> u64 {
        self.epoch.map_or(0, |epoch| u64::from(epoch.chain) << 32 | u64::from(epoch.time))
    }

    /// A launch that a kernel of the command enqueued, and which others of these happened before.
    pub(crate) fn part(&self, before: Before) -> Self {
        let part = Some(Part { before, name: OnceLock::new() });
        Self { clock: Arc::clone(&self.clock), epoch: self.epoch, part }
    }

    /// Which others happened before this one; nothing for the whole command.
    pub(crate) fn before(&self) -> Option<&Before> {
        self.part.as_ref().map(|part| &part.before)
    }

    /// Its launch begins.
    pub(crate) fn begins(&self, name: Name) {
        self.part.iter().for_each(|part| _ = part.name.set(name));
    }

    /// What has happened before what comes behind it.
    pub(crate) fn after(&self) -> Before {
        let Some(Part { before, name }) = &self.part else { return Before::default() };
        let mut after = before.clone();
        name.get().into_iter().for_each(|&name| after.add(name));
        after
    }

    /// Whether the command with this number happened before.
    pub(crate) fn follows(&self, number: u64) -> bool {
        self.clock.knows(Epoch { chain: (number >> 32) as u32, time: number as u32 })
    }
}
