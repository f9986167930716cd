//! Two pieces of code that compute the same take turns until both have been measured. Counts and measures only: who
//! lets them compete decides.

use crate::exec::ndrange::Compiled;
use std::array;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// Launches that each of both takes.
const TRIALS: u32 = 4;
/// Which of them a launch takes, the first or the second, by its number; not in step with programs that repeat
/// themselves.
const TURNS: [usize; 2 * TRIALS as usize] = [1, 0, 0, 1, 0, 1, 1, 0];

/// What was measured of both, and how many launches have taken part.
pub struct Contest {
    launches: AtomicU32,
    /// The least picoseconds per group.
    least_ps: [AtomicU64; 2],
}

impl Default for Contest {
    fn default() -> Self {
        Self { launches: AtomicU32::new(0), least_ps: array::from_fn(|_| AtomicU64::new(u64::MAX)) }
    }
}

/// Where a launch says how long its groups took.
pub struct Trial {
    contest: Arc<Contest>,
    which: usize,
}

impl Trial {
    /// Takes note of a measurement, in picoseconds per group.
    pub fn measured(&self, ps: u64) {
        self.contest.least_ps[self.which].fetch_min(ps, Relaxed);
    }
}

impl Contest {
    /// The code that a launch takes, and where it says how long it took; nothing when enough launches take part.
    pub fn turn(self: &Arc<Self>, both: [&Arc<Compiled>; 2]) -> Option<(Arc<Compiled>, Trial)> {
        // The count stays where it is, so that it does not wrap.
        let n = self.launches.load(Relaxed);
        let which = *TURNS.get(n as usize)?;
        self.launches.store(n + 1, Relaxed);
        Some((Arc::clone(both[which]), Trial { contest: Arc::clone(self), which }))
    }

    /// The least picoseconds per group of both, as far as they have been measured.
    pub fn measured(&self) -> [Option<u64>; 2] {
        self.least_ps.each_ref().map(|ps| Some(ps.load(Relaxed)).filter(|&ps| ps != u64::MAX))
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
        while let Some((code, trial)) = contest.turn([&both[0], &both[1]]) {
            let which = usize::from(Arc::ptr_eq(&code, &both[1]));
            turns[which] += 1;
            assert_eq!(which, trial.which);
            trial.measured(100 * (which as u64 + 1) + turns[which]);
        }
        assert_eq!(turns, [u64::from(TRIALS); 2]);
        assert_eq!(contest.measured(), [Some(101), Some(201)]);
        assert_eq!(Contest::default().measured(), [None; 2]);
    }
}
