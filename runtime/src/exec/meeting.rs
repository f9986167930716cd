//! Where all groups of a launch wait for each other: a barrier of as many as have not ended.

use crate::sync::{Condvar, Mutex, Rank};
use std::sync::atomic::{AtomicU64, Ordering::Acquire, Ordering::Release};
use std::time::{Duration, Instant};

/// How long a group looks for the others before its thread sleeps.
const SPIN: Duration = Duration::from_micros(50);

/// The groups of one launch.
pub(crate) struct Meeting {
    state: Mutex<State>,
    /// How often all have met.
    turn: AtomicU64,
    changed: Condvar,
}

struct State {
    /// Groups that have not ended.
    members: u64,
    /// Those of them that wait.
    arrived: u64,
}

impl Meeting {
    /// A meeting of so many groups, each on a thread of its own.
    pub(crate) fn new(groups: u64) -> Self {
        let state = State { members: groups, arrived: 0 };
        Self { state: Mutex::new(Rank::Leaf, state), turn: AtomicU64::new(0), changed: Condvar::new() }
    }

    /// Waits until all groups that have not ended have called this. What they did before is seen by all.
    pub(crate) fn meet(&self) {
        let mut state = self.state.lock();
        let turn = self.turn.load(Acquire);
        state.arrived += 1;
        if state.arrived == state.members {
            return self.next_turn(&mut state);
        }
        drop(state);
        let start = Instant::now();
        while start.elapsed() < SPIN {
            if self.turn.load(Acquire) != turn {
                return;
            }
            std::thread::yield_now();
        }
        let mut state = self.state.lock();
        while self.turn.load(Acquire) == turn {
            self.changed.wait(&mut state);
        }
    }

    /// A group has ended: nobody waits for it any more.
    pub(crate) fn leave(&self) {
        let mut state = self.state.lock();
        state.members -= 1;
        if state.arrived > 0 && state.arrived == state.members {
            self.next_turn(&mut state);
        }
    }

    fn next_turn(&self, state: &mut State) {
        state.arrived = 0;
        self.turn.fetch_add(1, Release);
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::Ordering::SeqCst;

    #[test]
    fn all_that_have_not_ended_meet() {
        const N: u64 = 5;
        let (meeting, sums) = (Meeting::new(N), [const { AtomicU64::new(0) }; 100]);
        std::thread::scope(|scope| {
            for me in 0..N {
                let (meeting, sums) = (&meeting, &sums);
                // Group n comes to 20 (n + 1) meetings.
                scope.spawn(move || {
                    for (turn, sum) in (0..20 * (me + 1)).zip(sums) {
                        sum.fetch_add(1, SeqCst);
                        meeting.meet();
                        assert_eq!(sum.load(SeqCst), N - turn / 20);
                    }
                    meeting.leave();
                });
            }
        });
        assert_eq!(meeting.turn.load(SeqCst), 100);
    }

    #[test]
    fn one_meets_itself() {
        let meeting = Meeting::new(1);
        meeting.meet();
        meeting.meet();
        meeting.leave();
        assert_eq!(meeting.turn.load(SeqCst), 2);
    }
}
