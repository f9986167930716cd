//! Two pieces of code that compute the same take turns until both have been measured. Counts and measures only: who
//! lets them compete decides.

use crate::exec::ndrange::Compiled;
use once_cell::sync::OnceCell;
use std::array;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// Launches that each of both takes.
const TRIALS: usize = 4;
/// Which of them a launch takes, the first or the second, by its number; not in step with programs that repeat
/// themselves.
const TURNS: [usize; 2 * TRIALS] = [1, 0, 0, 1, 0, 1, 1, 0];
/// What was not measured.
const NEVER: u64 = u64::MAX;

/// What was measured of both, and how many launches have taken part.
pub struct Contest {
    launches: AtomicU32,
    /// Picoseconds per group, by turn.
    ps: [[AtomicU64; TRIALS]; 2],
    /// See `result`, when it does not change any more.
    result: OnceCell<Option<[u64; 2]>>,
}

impl Default for Contest {
    fn default() -> Self {
        let ps = array::from_fn(|_| array::from_fn(|_| AtomicU64::new(NEVER)));
        Self { launches: AtomicU32::new(0), ps, result: OnceCell::new() }
    }
}

/// Where a launch says how long its groups took.
pub struct Trial {
    contest: Arc<Contest>,
    which: usize,
    turn: usize,
}

impl Trial {
    /// Takes note of a measurement, in picoseconds per group.
    pub fn measured(&self, ps: u64) {
        self.contest.ps[self.which][self.turn].fetch_min(ps, Relaxed);
    }
}

/// What a launch takes that may take part in a contest.
pub enum Turn {
    /// This code, and says how long it took.
    Trial(Arc<Compiled>, Trial),
    /// The first code: a launch of the second one is to be measured before another begins.
    Waits,
    /// There are no turns any more.
    Over,
}

impl Contest {
    /// What the next launch takes.
    pub fn turn(self: &Arc<Self>, both: [&Arc<Compiled>; 2]) -> Turn {
        // The count stays where it is, so that it does not wrap.
        let n = self.launches.load(Relaxed) as usize;
        let Some(&which) = TURNS.get(n) else { return Turn::Over };
        let turn = TURNS[..n].iter().filter(|&&other| other == which).count();
        let is_measured = |turn: usize| self.ps[which][turn].load(Relaxed) != NEVER;
        if which == 1 && turn > 0 && !is_measured(turn - 1) {
            return Turn::Waits;
        }
        self.launches.store(n as u32 + 1, Relaxed);
        Turn::Trial(Arc::clone(both[which]), Trial { contest: Arc::clone(self), which, turn })
    }

    /// What was measured of both, in picoseconds per group, the least first, and behind it what was not.
    fn measured(&self) -> [[u64; TRIALS]; 2] {
        self.ps.each_ref().map(|turns| {
            let mut all = turns.each_ref().map(|ps| ps.load(Relaxed));
            all.sort_unstable();
            all
        })
    }

    /// What groups of both take, in picoseconds, if that can be said: the second least, as one launch may have had
    /// nothing to do. Nothing if launches take very different times.
    pub fn result(&self) -> Option<[u64; 2]> {
        const SPREAD: u64 = 3;
        if let Some(result) = self.result.get() {
            return *result;
        }
        let measured = self.measured();
        let is_clear = |&[_, second, third, ..]: &[u64; TRIALS]| third != NEVER && third / SPREAD <= second;
        let result = measured.iter().all(is_clear).then(|| measured.map(|all| all[1]));
        if self.is_complete() {
            let _ = self.result.set(result);
        }
        result
    }

    /// True if two launches of the second one took half as long again as the fastest of the first one, or longer.
    pub fn is_hopeless(&self) -> bool {
        let [[first, ..], [second, next, ..]] = self.measured();
        next != NEVER && second > first.saturating_add(first / 2)
    }

    /// All that take part have been measured.
    pub fn is_complete(&self) -> bool {
        self.measured().iter().all(|all| all[TRIALS - 1] != NEVER)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use clift_jit::KernelInfo;
    use clift_jit::launch::LaneChoice;
    use std::time::Duration;

    /// Code that does nothing.
    pub fn code(rivals: &[LaneChoice]) -> Arc<Compiled> {
        #[allow(unsafe_code, reason = "code for a test")]
        let code = {
            unsafe extern "C" fn none(_: *const u8, _: *const clift_jit::Env, _: u64, _: u64) {}
            // SAFETY: it touches nothing.
            unsafe { clift_jit::KernelCode::from_entry(none, 0, 0) }
        };
        Arc::new(Compiled::new(&KernelInfo::default(), code.with_rivals(rivals), Duration::from_millis(1)))
    }

    #[test]
    fn both_take_as_many_turns_and_are_measured() {
        let both = [code(&[]), code(&[])];
        let contest = Arc::new(Contest::default());
        let mut turns = [0; 2];
        while let Turn::Trial(code, trial) = contest.turn([&both[0], &both[1]]) {
            assert!(!contest.is_complete());
            let which = usize::from(Arc::ptr_eq(&code, &both[1]));
            assert_eq!((which, turns[which]), (trial.which, trial.turn));
            turns[which] += 1;
            trial.measured(100 * (which as u64 + 1) + turns[which] as u64);
        }
        assert_eq!(turns, [TRIALS; 2]);
        assert!(contest.is_complete());
        assert_eq!(contest.result(), Some([102, 202]));
    }

    #[test]
    fn the_second_one_runs_one_launch_at_a_time() {
        let both = [code(&[]), code(&[])];
        let contest = Arc::new(Contest::default());
        let next = || contest.turn([&both[0], &both[1]]);
        let Turn::Trial(_, first) = next() else { panic!("the first of the second code") };
        assert!((0..2).all(|_| matches!(next(), Turn::Trial(code, _) if Arc::ptr_eq(&code, &both[0]))));
        assert!((0..100).all(|_| matches!(next(), Turn::Waits)));
        first.measured(1);
        assert!(matches!(next(), Turn::Trial(code, _) if Arc::ptr_eq(&code, &both[1])));
    }

    #[test]
    fn launches_that_differ_tell_nothing() {
        let contest = |ps: [[u64; TRIALS]; 2]| {
            let contest = Contest::default();
            ps.iter().zip(&contest.ps).for_each(|(ps, of)| {
                ps.iter().zip(of).for_each(|(&ps, of)| of.store(ps, Relaxed));
            });
            contest.result()
        };
        assert_eq!(contest([[100, 101, 102, 900], [1, 80, 81, 82]]), Some([101, 80]));
        assert_eq!(contest([[100, 101, 102, 103], [1, 2, 80, 81]]), None);
        assert_eq!(contest([[100, 101, NEVER, NEVER], [80, 80, 80, 80]]), None);
    }
}
