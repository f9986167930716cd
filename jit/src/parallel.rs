//! Work on several threads. They are made for it: the child of a fork has none of a pool's.

use crate::reserve;
use std::cell::Cell;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Stack of the threads: enough for passes and code generation, which recurse over no trees.
pub const STACK_BYTES: usize = 2 << 20;

thread_local! {
    /// This thread does one of the things already that are done side by side.
    static IS_PART: Cell<bool> = const { Cell::new(false) };
}

/// What `work` gives for these, in their order: on as many threads as there are processors, which take the first ones
/// first, or on this one if it is part of something that is done side by side. A panic comes through.
pub fn map<T: Send, R: Send>(items: Vec<T>, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    if items.len() < 2 || IS_PART.get() {
        return items.into_iter().map(work).collect();
    }
    let n_threads = thread::available_parallelism().map_or(1, usize::from).min(items.len());
    let items: Vec<Mutex<Option<T>>> = items.into_iter().map(|item| Mutex::new(Some(item))).collect();
    let next = AtomicUsize::new(0);
    let take_part = || {
        let _part = Part::new();
        let mut made = Vec::new();
        loop {
            let at = next.fetch_add(1, Relaxed);
            let Some(item) = items.get(at) else { return made };
            let item = item.lock().unwrap_or_else(PoisonError::into_inner).take().expect("taken once");
            made.push((at, work(item)));
        }
    };
    let mut made = thread::scope(|scope| {
        let start = |_| {
            let builder = thread::Builder::new().name("clift-build".into()).stack_size(STACK_BYTES);
            // The part of a thread that is not to be had is the others'.
            reserve::before_thread().and_then(|()| builder.spawn_scoped(scope, take_part)).ok()
        };
        let threads: Vec<_> = (1..n_threads).filter_map(start).collect();
        let mut made = take_part();
        for thread in threads {
            made.extend(thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        made
    });
    made.sort_unstable_by_key(|&(at, _)| at);
    made.into_iter().map(|(_, result)| result).collect()
}

/// As long as it lives, this thread is part of something.
struct Part(bool);

impl Part {
    fn new() -> Self {
        Self(IS_PART.replace(true))
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        IS_PART.set(self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    #[test]
    fn results_are_in_order() {
        let squares: Vec<usize> = (0..1000).map(|n| n * n).collect();
        assert_eq!(map((0..1000).collect(), |n: usize| n * n), squares);
        assert_eq!(map(Vec::new(), |n: usize| n), Vec::<usize>::new());
    }

    #[test]
    fn parts_are_not_parted_again() {
        let is_alone = |_| {
            let me = thread::current().id();
            map(vec![(); 8], |()| thread::current().id()).iter().all(|&id| id == me)
        };
        assert_eq!(map(vec![(); 8], is_alone), [true; 8]);
        assert!(!IS_PART.get());
    }

    #[test]
    fn panics_come_through() {
        let work = |n: usize| if n == 5 { resume_unwind(Box::new("on purpose")) } else { n };
        let caught = catch_unwind(AssertUnwindSafe(|| map((0..9).collect(), work)));
        assert_eq!(caught.expect_err("it panics").downcast_ref(), Some(&"on purpose"));
        assert!(!IS_PART.get());
    }
}
