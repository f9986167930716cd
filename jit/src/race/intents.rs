//! What threads are about to write while they wait for others: a thread tells of a write before it is made, so that
//! whoever finds a race with it may have to wait until memory shows whether both write the same. Threads that wait for
//! each other in a circle would never see that, and tell each other here. Must not know cells.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long another thread may be kept from writing what it has told of, and how often it is let go ahead, which takes
/// longer on a busy machine: once for each place that then races.
const PATIENCE: Duration = Duration::from_millis(100);
const TURNS: u32 = 1000;

/// Writes that threads of a launch have told of, and will make when they have stopped waiting.
#[derive(Default)]
pub struct Intents(Mutex<Vec<Intent>>);

/// What a thread is about to write.
#[derive(Clone, PartialEq, Eq)]
pub struct Intent {
    /// The segment in which it does.
    pub segment: u32,
    /// The segment whose write it waits for.
    pub awaits: u32,
    /// Where.
    pub address: u64,
    /// The bytes.
    pub value: Vec<u8>,
}

impl Intents {
    /// Whether something is true that another thread, which has told of its write, is about to make true, or is going
    /// to as soon as it need not wait for this one. Others that wait are waited for.
    pub fn come_true(&self, mine: &Intent, is: impl Fn() -> bool) -> bool {
        self.with(|all| all.push(mine.clone()));
        let (mut begin, mut turns) = (Instant::now(), 0);
        let found = loop {
            std::thread::yield_now();
            turns += 1;
            if is() {
                break true;
            }
            let (waits, all_write) = self.with(|all| (Self::of(all, mine.awaits).is_some(), Self::in_cycle(all, mine)));
            if let Some(the_same) = all_write {
                break the_same;
            }
            if waits {
                (begin, turns) = (Instant::now(), 0);
            }
            if turns > TURNS && begin.elapsed() > PATIENCE {
                break false;
            }
        };
        self.with(|all| {
            if let Some(at) = all.iter().position(|i| i == mine) {
                all.swap_remove(at);
            }
        });
        found
    }

    fn of(all: &[Intent], segment: u32) -> Option<&Intent> {
        all.iter().find(|i| i.segment == segment)
    }

    /// If all threads that this one waits for wait for it: whether they all write the same.
    fn in_cycle(all: &[Intent], mine: &Intent) -> Option<bool> {
        let (mut at, mut the_same) = (mine.awaits, true);
        for _ in all {
            let other = Self::of(all, at)?;
            the_same &= (other.address, &other.value) == (mine.address, &mine.value);
            at = other.awaits;
            if at == mine.segment {
                return Some(the_same);
            }
        }
        // A cycle that this one is not in ends by itself.
        None
    }

    fn with<T>(&self, f: impl FnOnce(&mut Vec<Intent>) -> T) -> T {
        f(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::{Intent, Intents};

    /// What threads find that wait for each other's segments and for nothing else.
    fn wait<const N: usize>(awaits: [u32; N], address: [u64; N], values: [u8; N]) -> [bool; N] {
        let (intents, begin) = (Intents::default(), std::sync::Barrier::new(N));
        let one = |n: usize| {
            let (awaits, address, value) = (awaits[n], address[n], vec![values[n]]);
            begin.wait();
            intents.come_true(&Intent { segment: n as u32, awaits, address, value }, || false)
        };
        let found = std::thread::scope(|scope| {
            let one = &one;
            let threads = std::array::from_fn::<_, N, _>(|n| scope.spawn(move || one(n)));
            threads.map(|thread| thread.join().expect("it ends"))
        });
        assert!(intents.0.lock().expect("nobody has it").is_empty());
        found
    }

    #[test]
    fn threads_that_wait_for_each_other_tell_what_they_write() {
        // The first to see the others goes on, and writes what the next then finds in memory.
        assert!(wait([1, 0], [64, 64], [1, 1]).contains(&true));
        assert!(wait([1, 2, 0], [64; 3], [1; 3]).contains(&true));
        assert_eq!(wait([1, 0], [64, 64], [1, 2]), [false, false]);
        assert_eq!(wait([1, 0], [64, 68], [1, 1]), [false, false]);
        assert_eq!(wait([1, 2, 0], [64; 3], [1, 1, 2]), [false; 3]);
    }

    #[test]
    fn another_that_writes_the_same_is_no_excuse() {
        assert_eq!(wait([7, 0], [64, 64], [2, 2]), [false, false]);
    }
}
