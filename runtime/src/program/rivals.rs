//! Code for whose lanes estimates are in doubt gets rivals with fewer or more of them, or with other neighbours in them
//! (`KernelCode::rivals`), as soon as its launches have taken many times as long as these take to make. Which is faster
//! is measured: launches that are alike take turns (empirical search, as in Whaley, Petitet and Dongarra, "Automated
//! empirical optimizations of software and the ATLAS project", 2001, but while the program runs). All compute the same
//! bits, if no work-items race, but for NaNs: which of two comes out.
//!
//! Counts and decides only: `executable` makes code, `exec::ndrange` measures it.

use super::contest::{Contest, Trial, Turn};
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
/// So many launches unlike those that take part end a contest.
const MOST_OTHERS: u32 = 4096;

/// The rivals of a piece of code.
#[derive(Default)]
pub struct Rivals {
    launches: AtomicU32,
    spent_ns: AtomicU64,
    /// In the order of `KernelCode::rivals`.
    duels: [Duel; LaneChoice::COUNT - 1],
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
    /// This, and says how long it took.
    Trial(Arc<Compiled>, Trial),
    /// What there is, of its choice; a rival of the other choice is to be made.
    Make(&'r Arc<Compiled>, LaneChoice, LaneChoice),
}

impl Rivals {
    /// What a launch takes that passes these values to so many groups.
    pub fn next<'r>(&'r self, code: &'r Arc<Compiled>, values: &ArgValues, groups: u64) -> Next<'r> {
        let mut best = (code, LaneChoice::Estimated);
        for (choice, duel) in self.of(code) {
            match (duel.verdict.get(), duel.code.get()) {
                (Some(true), Some(rival)) => best = (rival, choice),
                (Some(_), _) => {}
                (None, Some(rival)) => {
                    // The first one that takes part says how large all are: little beside what made them due, but as
                    // large as those may have been. What the very first ones took is not known. (One that was made in
                    // the midst of a launch, which ended before it was decided, is due as others are.)
                    let expected = best.0.expected_ns(groups);
                    let spent = self.spent_ns.load(Relaxed);
                    let is_small = self.is_due(best.0, expected) && expected <= 2 * (spent / u64::from(LEAST_LAUNCHES));
                    if (is_small || duel.like.get().is_some())
                        && let Some((code, trial)) = duel.turn([best.0, rival], (*values, groups))
                    {
                        return Next::Trial(code, trial);
                    }
                    match duel.verdict.get() {
                        Some(true) => best = (rival, choice),
                        Some(false) => {}
                        None => return Next::Code(best.0, best.1),
                    }
                }
                (None, None) if duel.is_asked_for.load(Relaxed) => return Next::Code(best.0, best.1),
                (None, None) => {
                    let is_due = self.is_due(best.0, best.0.expected_ns(groups));
                    let is_first = is_due && !duel.is_asked_for.swap(true, Relaxed);
                    return if is_first { Next::Make(best.0, best.1, choice) } else { Next::Code(best.0, best.1) };
                }
            }
        }
        Next::Code(best.0, best.1)
    }

    /// The best of those rivals that are better than the code, as far as that is decided.
    pub fn best(&self, code: &Compiled) -> Option<&Arc<Compiled>> {
        let won = self.of(code).filter(|(_, duel)| duel.verdict.get() == Some(&true));
        won.filter_map(|(_, duel)| duel.code.get()).last()
    }

    /// The rivals of which nobody knows yet whether they are better, and that may take turns with the code in one
    /// launch: interchanged code numbers groups in another order, and is fast with many neighbours at once.
    fn open(&self, code: &Compiled) -> impl Iterator<Item = (LaneChoice, &Duel)> {
        self.of(code).filter(|&(choice, duel)| choice != LaneChoice::Interchanged && duel.verdict.get().is_none())
    }

    /// True if there are such.
    pub fn are_open(&self, code: &Compiled) -> bool {
        self.open(code).next().is_some()
    }

    /// The rival that is to be made now by whoever asks, if nobody makes it and that is worth it.
    pub fn to_make(&self, code: &Compiled, is_worth: impl Fn(Duration) -> bool) -> Option<LaneChoice> {
        let (choice, duel) = self.open(code).next()?;
        let is_wanted = || is_worth(code.making.max(LEAST_MAKING)) && !duel.is_asked_for.swap(true, Relaxed);
        (duel.code.get().is_none() && is_wanted()).then_some(choice)
    }

    /// The rival that is to be decided next, if it has been made.
    pub fn undecided(&self, code: &Compiled) -> Option<(LaneChoice, &Arc<Compiled>)> {
        let (choice, duel) = self.open(code).next()?;
        Some((choice, duel.code.get()?))
    }

    /// Remembers whether a rival is better, unless that has been decided.
    pub fn settle(&self, code: &Compiled, choice: LaneChoice, wins: bool) {
        let duel = self.of(code).find(|(other, _)| *other == choice);
        duel.iter().for_each(|(_, duel)| _ = duel.verdict.set(wins));
    }

    /// The rivals of this code.
    fn of(&self, code: &Compiled) -> impl Iterator<Item = (LaneChoice, &Duel)> {
        code.code.rivals().iter().copied().zip(&self.duels)
    }

    /// A rival has been made, or could not be.
    pub fn made(&self, of: &Compiled, choice: LaneChoice, rival: Option<Arc<Compiled>>) {
        let Some((_, duel)) = self.of(of).find(|(other, _)| *other == choice) else { return };
        match rival {
            Some(rival) => {
                // So that its first launch is shared among threads as others are.
                rival.cost_ps.store(of.cost_ps.load(Relaxed), Relaxed);
                let _ = duel.code.set(rival);
            }
            None => _ = duel.verdict.set(false),
        }
    }

    /// A rival that was to be made is not: another launch may ask for it.
    pub fn not_made(&self, of: &Compiled, choice: LaneChoice) {
        let duels = self.of(of).filter(|(other, _)| *other == choice);
        duels.for_each(|(_, duel)| duel.is_asked_for.store(false, Relaxed));
    }

    /// Counts a launch that will take about so long; true if there has been enough of them for a rival.
    fn is_due(&self, code: &Compiled, expected_ns: u64) -> bool {
        let launches = self.launches.load(Relaxed).saturating_add(1);
        let spent = self.spent_ns.load(Relaxed).saturating_add(expected_ns);
        self.launches.store(launches, Relaxed);
        self.spent_ns.store(spent, Relaxed);
        let worth = code.making.max(LEAST_MAKING).saturating_mul(PATIENCE);
        launches >= LEAST_LAUNCHES && u128::from(spent) >= worth.as_nanos()
    }
}

impl Duel {
    /// What a launch takes that takes part; nothing if it does not, or there is a verdict.
    fn turn(&self, both: [&Arc<Compiled>; 2], launch: (ArgValues, u64)) -> Option<(Arc<Compiled>, Trial)> {
        if *self.like.get_or_init(|| launch) != launch {
            if self.others.fetch_add(1, Relaxed) >= MOST_OTHERS {
                let _ = self.verdict.set(false);
            }
            return None;
        }
        match self.contest.turn(both) {
            // Two launches that were much slower are enough.
            Turn::Trial(..) if self.contest.is_hopeless() => {}
            Turn::Trial(code, trial) => return Some((code, trial)),
            Turn::Over if self.contest.is_complete() => {}
            // Some of those that take part have not ended yet.
            Turn::Waits | Turn::Over => return None,
        }
        // What is hardly faster may be so by chance.
        let wins = self.contest.result().is_some_and(|[code, rival]| rival < code - code / 20);
        let _ = self.verdict.set(wins);
        None
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
            Next::Make(_, _, choice) => Some(choice),
            _ => None,
        });
        next.expect("a rival is asked for")
    }

    /// Launches until there is a verdict, of code that takes so long each; what is taken then.
    fn decided<'r>(rivals: &'r Rivals, of: &'r Arc<Compiled>, ps: impl Fn(&Arc<Compiled>) -> u64) -> LaneChoice {
        for _ in 0..100 {
            match rivals.next(of, &ArgValues::default(), 10) {
                Next::Trial(code, trial) => trial.measured(ps(&code)),
                Next::Code(..) => break,
                Next::Make(..) => panic!("one is enough"),
            }
        }
        match rivals.next(of, &ArgValues::default(), 10) {
            Next::Code(_, choice) => choice,
            _ => panic!("no verdict"),
        }
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
        let asks = || matches!(rivals.next(&of, &ArgValues::default(), 10), Next::Make(_, _, LaneChoice::More));
        assert!(asks() && next(&of), "it is asked for once");
        rivals.not_made(&of, LaneChoice::More);
        assert!(asks());
        // Code without doubt has none.
        let sure = code(&[]);
        sure.cost_ps.store(1_000_000_000, Relaxed);
        assert!((0..100).all(|_| next(&sure)));
    }

    /// Its groups have numbers in another order: some would run twice, and others never.
    #[test]
    fn interchanged_code_does_not_come_in_the_midst_of_a_launch() {
        let of = code(&[LaneChoice::Interchanged, LaneChoice::More]);
        let rivals = Rivals::default();
        assert!(rivals.are_open(&of));
        assert_eq!(rivals.to_make(&of, |_| true), Some(LaneChoice::More));
        assert!(rivals.undecided(&of).is_none(), "nobody has made it");
        rivals.made(&of, LaneChoice::More, Some(code(&[])));
        assert_eq!(rivals.undecided(&of).map(|(choice, _)| choice), Some(LaneChoice::More));
        rivals.settle(&of, LaneChoice::More, false);
        assert!(!rivals.are_open(&of) && rivals.best(&of).is_none());
        assert!(!Rivals::default().are_open(&code(&[LaneChoice::Interchanged])));
    }

    /// A rival that was made in the midst of a launch, which did not decide, takes turns as soon as others would.
    #[test]
    fn what_one_launch_left_open_others_decide() {
        let (rivals, of, rival) = (Rivals::default(), code(&[LaneChoice::Fewer]), code(&[]));
        of.cost_ps.store(1_000_000_000, Relaxed);
        assert_eq!(rivals.to_make(&of, |_| true), Some(LaneChoice::Fewer));
        rivals.made(&of, LaneChoice::Fewer, Some(Arc::clone(&rival)));
        for _ in 0..LEAST_LAUNCHES {
            if let Next::Trial(code, trial) = rivals.next(&of, &ArgValues::default(), 10) {
                trial.measured(if Arc::ptr_eq(&code, &rival) { 50 } else { 100 });
            }
        }
        let choice = decided(&rivals, &of, |code| if Arc::ptr_eq(code, &rival) { 50 } else { 100 });
        assert_eq!(choice, LaneChoice::Fewer);
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

    /// Nothing is expected of the first launch, and the others take somewhat longer from launch to launch.
    #[test]
    fn launches_of_one_size_take_part() {
        let (rivals, of, rival) = (Rivals::default(), code(&[LaneChoice::Fewer]), code(&[]));
        let next = (0..100).find_map(|n| {
            of.cost_ps.store(if n == 0 { 0 } else { 1_000_000_000 + n * 10_000_000 }, Relaxed);
            match rivals.next(&of, &ArgValues::default(), 10) {
                Next::Make(_, _, choice) => Some(choice),
                _ => None,
            }
        });
        assert_eq!(next, Some(LaneChoice::Fewer));
        rivals.made(&of, LaneChoice::Fewer, Some(Arc::clone(&rival)));
        let choice = decided(&rivals, &of, |code| if Arc::ptr_eq(code, &rival) { 50 } else { 100 });
        assert_eq!(choice, LaneChoice::Fewer);
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
            Next::Trial(code, trial) => {
                trial.measured(time(&code));
                None
            }
            Next::Make(_, _, choice) => Some(choice),
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
        let next = |groups: u64| rivals.next(&of, &ArgValues::default(), groups);
        assert!(matches!(next(1), Next::Trial(..)));
        assert!((2..3 + u64::from(MOST_OTHERS)).all(|groups| matches!(next(groups), Next::Code(..))));
        assert!(matches!(next(1), Next::Code(..)), "the contest is over");
    }
}
