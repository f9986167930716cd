//! Code for whose lanes estimates are in doubt gets rivals with fewer or more of them (`KernelCode::rivals`), as soon
//! as its launches have taken many times as long as these take to make. Which is faster is measured: launches that are
//! alike take turns (empirical search, as in Whaley, Petitet and Dongarra, "Automated empirical optimizations of
//! software and the ATLAS project", 2001, but while the program runs). All compute the same bits.
//!
//! Counts and decides only: `executable` makes code, `exec::ndrange` measures it.

use super::contest::{Contest, Trial};
use crate::exec::ndrange::Compiled;
use clift_jit::launch::{ArgValues, LaneChoice};
use once_cell::sync::OnceCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// Launches must have taken so many times as long as code takes to make.
const PATIENCE: u32 = 10;
/// What code takes to make at least.
const LEAST_MAKING: Duration = Duration::from_millis(2);
/// Launches before there is a rival: if it is slow, that is little beside what they took.
const LEAST_LAUNCHES: u32 = 8;
/// So many launches unlike the first one that was measured end a contest.
const MOST_OTHERS: u32 = 256;

/// The rivals of a piece of code.
#[derive(Default)]
pub struct Rivals {
    launches: AtomicU32,
    spent_ns: AtomicU64,
    /// In the order of `KernelCode::rivals`.
    duels: [Duel; 2],
}

#[derive(Default)]
struct Duel {
    is_asked_for: AtomicBool,
    /// The rival, when it has been made.
    code: OnceCell<Arc<Compiled>>,
    contest: Arc<Contest>,
    /// Values and number of groups of the launches that take part.
    like: OnceCell<(ArgValues, u64)>,
    /// Launches that are unlike those.
    others: AtomicU32,
    /// True if the rival is better.
    verdict: OnceCell<bool>,
}

/// What a launch takes.
pub enum Next<'r> {
    /// This, of this choice: there is no rival, or none yet, or it has been decided.
    Code(&'r Arc<Compiled>, LaneChoice),
    /// This, and says how long it took, as long as rivals compete.
    Trial(Arc<Compiled>, Option<Trial>),
    /// What there is; a rival of this choice is to be made.
    Make(LaneChoice),
}

impl Rivals {
    /// What a launch takes that passes these values to so many groups.
    pub fn next<'r>(&'r self, code: &'r Arc<Compiled>, values: &ArgValues, groups: u64) -> Next<'r> {
        let mut best = (code, LaneChoice::Estimated);
        for (&choice, duel) in code.code.rivals().iter().zip(&self.duels) {
            match (duel.verdict.get(), duel.code.get()) {
                (Some(true), Some(rival)) => best = (rival, choice),
                (Some(_), _) => {}
                (None, Some(rival)) => {
                    if let Some((code, trial)) = duel.turn([best.0, rival], (*values, groups)) {
                        return Next::Trial(code, trial);
                    }
                    if duel.verdict.get() == Some(&true) {
                        best = (rival, choice);
                    }
                }
                (None, None) if duel.is_asked_for.load(Relaxed) => return Next::Trial(Arc::clone(best.0), None),
                (None, None) => {
                    let is_due = self.is_due(best.0, best.0.expected_ns(groups));
                    let is_first = is_due && !duel.is_asked_for.swap(true, Relaxed);
                    return if is_first { Next::Make(choice) } else { Next::Code(best.0, best.1) };
                }
            }
        }
        Next::Code(best.0, best.1)
    }

    /// A rival has been made, or could not be.
    pub fn made(&self, of: &Compiled, choice: LaneChoice, rival: Option<Arc<Compiled>>) {
        let duel = of.code.rivals().iter().zip(&self.duels).find(|(other, _)| **other == choice);
        let Some((_, duel)) = duel else { return };
        let _ = match rival {
            Some(rival) => duel.code.set(rival).map_err(|_| ()),
            None => duel.verdict.set(false).map_err(|_| ()),
        };
    }

    /// Counts a launch that will take about so long; true if there has been enough of them for a rival.
    fn is_due(&self, code: &Compiled, expected_ns: u64) -> bool {
        let launches = self.launches.load(Relaxed).saturating_add(1);
        let spent = self.spent_ns.load(Relaxed).saturating_add(expected_ns);
        self.launches.store(launches, Relaxed);
        self.spent_ns.store(spent, Relaxed);
        let worth = code.making.max(LEAST_MAKING) * PATIENCE;
        launches >= LEAST_LAUNCHES && u128::from(spent) >= worth.as_nanos()
    }
}

impl Duel {
    /// What a launch takes as long as there is no verdict.
    fn turn(&self, both: [&Arc<Compiled>; 2], launch: (ArgValues, u64)) -> Option<(Arc<Compiled>, Option<Trial>)> {
        let is_alike = *self.like.get_or_init(|| launch) == launch;
        let turn = if is_alike { self.contest.turn(both) } else { None };
        let is_hopeless = |[code, rival]: [u64; 2]| rival > code + code / 2;
        match self.contest.measured() {
            [Some(code), Some(rival)] if turn.is_none() || is_hopeless([code, rival]) => {
                // What is hardly faster may be so by chance.
                let _ = self.verdict.set(rival < code - code / 20);
                None
            }
            _ if !is_alike && self.others.fetch_add(1, Relaxed) >= MOST_OTHERS => {
                let _ = self.verdict.set(false);
                None
            }
            // The last ones run yet.
            _ => Some(turn.map_or_else(|| (Arc::clone(both[0]), None), |(code, trial)| (code, Some(trial)))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::contest::tests::code;
    use super::*;

    const BOTH: [LaneChoice; 2] = [LaneChoice::Fewer, LaneChoice::More];

    /// Launches until something is to be made.
    fn asked(rivals: &Rivals, of: &Arc<Compiled>) -> LaneChoice {
        of.cost_ps.store(1_000_000_000, Relaxed);
        let next = (0..100).find_map(|_| match rivals.next(of, &ArgValues::default(), 10) {
            Next::Make(choice) => Some(choice),
            _ => None,
        });
        next.expect("a rival is asked for")
    }

    /// Launches until there is a verdict, of code that takes so long each; what is taken then.
    fn decided<'r>(rivals: &'r Rivals, of: &'r Arc<Compiled>, ps: impl Fn(&Arc<Compiled>) -> u64) -> LaneChoice {
        for _ in 0..100 {
            match rivals.next(of, &ArgValues::default(), 10) {
                Next::Trial(code, Some(trial)) => trial.measured(ps(&code)),
                Next::Trial(_, None) => {}
                Next::Code(_, choice) => return choice,
                Next::Make(_) => panic!("one is enough"),
            }
        }
        panic!("no verdict");
    }

    #[test]
    fn rivals_are_made_after_many_times_their_cost() {
        let (rivals, of) = (Rivals::default(), code(&[LaneChoice::More]));
        // Ten launches of a millisecond, and then a hundred of nothing.
        of.cost_ps.store(100_000_000, Relaxed);
        let next = |of: &Arc<Compiled>| matches!(rivals.next(of, &ArgValues::default(), 10), Next::Code(..));
        assert!((0..10).all(|_| next(&of)), "they have taken half as long as it is worth");
        of.cost_ps.store(0, Relaxed);
        assert!((0..100).all(|_| next(&of)));
        of.cost_ps.store(1_000_000_000, Relaxed);
        assert!(matches!(rivals.next(&of, &ArgValues::default(), 10), Next::Make(LaneChoice::More)));
        let waits = rivals.next(&of, &ArgValues::default(), 10);
        assert!(matches!(waits, Next::Trial(code, None) if Arc::ptr_eq(&code, &of)), "it is asked for once");
        // Code without doubt has none.
        let sure = code(&[]);
        sure.cost_ps.store(1_000_000_000, Relaxed);
        assert!((0..100).all(|_| next(&sure)));
    }

    #[test]
    fn the_faster_one_is_taken() {
        for (times, wins) in [([100, 90], true), ([100, 97], false), ([100, 300], false)] {
            let (rivals, of, rival) = (Rivals::default(), code(&[LaneChoice::Fewer]), code(&[]));
            assert_eq!(asked(&rivals, &of), LaneChoice::Fewer);
            rivals.made(&of, LaneChoice::Fewer, Some(Arc::clone(&rival)));
            let choice = decided(&rivals, &of, |code| times[usize::from(Arc::ptr_eq(code, &rival))]);
            assert_eq!(choice == LaneChoice::Fewer, wins, "{times:?}");
        }
    }

    #[test]
    fn the_second_rival_meets_the_winner() {
        let (rivals, of, fewer, more) = (Rivals::default(), code(&BOTH), code(&[]), code(&[]));
        let time = |code: &Arc<Compiled>| match () {
            () if Arc::ptr_eq(code, &of) => 100,
            () if Arc::ptr_eq(code, &fewer) => 50,
            () => 70,
        };
        assert_eq!(asked(&rivals, &of), LaneChoice::Fewer);
        rivals.made(&of, LaneChoice::Fewer, Some(Arc::clone(&fewer)));
        fewer.cost_ps.store(1_000_000_000, Relaxed);
        let next = (0..100).find_map(|_| match rivals.next(&of, &ArgValues::default(), 10) {
            Next::Trial(code, Some(trial)) => {
                trial.measured(time(&code));
                None
            }
            Next::Make(choice) => Some(choice),
            _ => None,
        });
        assert_eq!(next, Some(LaneChoice::More));
        rivals.made(&of, LaneChoice::More, Some(Arc::clone(&more)));
        assert_eq!(decided(&rivals, &of, time), LaneChoice::Fewer);
    }

    #[test]
    fn what_cannot_be_made_or_compared_leaves_the_code_as_it_is() {
        let (rivals, of) = (Rivals::default(), code(&[LaneChoice::More]));
        asked(&rivals, &of);
        rivals.made(&of, LaneChoice::More, None);
        assert_eq!(decided(&rivals, &of, |_| 1), LaneChoice::Estimated);
        // No two launches are alike.
        let (rivals, of) = (Rivals::default(), code(&[LaneChoice::More]));
        asked(&rivals, &of);
        rivals.made(&of, LaneChoice::More, Some(code(&[])));
        let taken = |groups: u64| matches!(rivals.next(&of, &ArgValues::default(), groups), Next::Code(..));
        assert!(!taken(1) && (2..=1 + u64::from(MOST_OTHERS)).all(|groups| !taken(groups)));
        assert!(taken(1000) && taken(1));
    }
}
