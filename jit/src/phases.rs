//! Phases of the compiler for whoever wants to know how long they take: nobody, unless `watch` was called.

use crate::clock::now_ns;
use crate::reserve;
use std::sync::OnceLock;

/// Is told of a phase's name, begin and end, by the clock.
pub type Watcher = fn(&'static str, u64, u64);

static WATCHER: OnceLock<Watcher> = OnceLock::new();

/// From now on each phase is told to this one; the first caller's stays.
pub fn watch(watcher: Watcher) {
    let _ = WATCHER.set(watcher);
}

/// Does a phase, unless memory is short.
pub(crate) fn phase<T>(name: &'static str, work: impl FnOnce() -> T) -> T {
    reserve::look();
    let Some(watcher) = WATCHER.get() else { return work() };
    let begun = now_ns();
    let result = work();
    watcher(name, begun, now_ns());
    result
}
