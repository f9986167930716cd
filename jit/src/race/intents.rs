//! What threads are about to write while they wait for others: a thread tells of a write before it is made, so that
//! whoever finds a race with it may have to wait until memory shows whether both write the same. Two that wait for each
//! other would never see that, and tell each other here. Must not know cells.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long another thread may be kept from writing what it has told of, and how often it is let go ahead, which takes
/// longer on a busy machine: once for each place that then races.
const PATIENCE: Duration = Duration::from_millis(100);
const TURNS: u32 = 1000;

/// Writes that threads of a launch have told of, and will make when they have stopped waiting.
#[derive(Default)]
pub struct Intents(Mutex<Vec<Intent>>);

#[derive(Clone, PartialEq, Eq)]
struct Intent {
    thread: std::thread::ThreadId,
    address: u64,
    value: Vec<u8>,
}

impl Intents {
    /// Whether something is true that another thread, which has told of its write, is about to make true, or is going
    /// to as soon as it need not wait for this one, which will write a value to the same address.
    pub fn come_true(&self, address: u64, value: &[u8], is: impl Fn() -> bool) -> bool {
        let mine = Intent { thread: std::thread::current().id(), address, value: value.to_vec() };
        self.with(|all| all.push(mine.clone()));
        let is_other = |i: &Intent| i.thread != mine.thread && (i.address, &i.value) == (mine.address, &mine.value);
        let (deadline, mut turns, mut found) = (Instant::now() + PATIENCE, 0, false);
        while !found && (turns < TURNS || Instant::now() < deadline) {
            std::thread::yield_now();
            turns += 1;
            found = is() || self.with(|all| all.iter().any(is_other));
        }
        self.with(|all| all.retain(|i| *i != mine));
        found
    }

    fn with<T>(&self, f: impl FnOnce(&mut Vec<Intent>) -> T) -> T {
        f(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::Intents;

    #[test]
    fn threads_that_wait_for_each_other_tell_what_they_write() {
        let wait = |address: [u64; 2], values: [u8; 2]| {
            let (intents, begin) = (Intents::default(), std::sync::Barrier::new(2));
            let one = |n: usize| {
                begin.wait();
                intents.come_true(address[n], &[values[n]], || false)
            };
            std::thread::scope(|scope| {
                let other = scope.spawn(|| one(1));
                [one(0), other.join().expect("it ends")]
            })
        };
        // The first to see the other goes on, and writes what the second then finds in memory.
        assert!(wait([64, 64], [1, 1]).contains(&true));
        assert_eq!(wait([64, 64], [1, 2]), [false, false]);
        assert_eq!(wait([64, 68], [1, 1]), [false, false]);
    }

    #[test]
    fn nothing_is_left_behind() {
        let intents = Intents::default();
        assert!(intents.come_true(8, &[1], || true));
        assert!(!intents.come_true(8, &[1], || false));
        assert!(intents.0.lock().expect("nobody has it").is_empty());
    }
}
