//! The thread of a long launch that tries rivals of its code on some of the launch's groups. Groups of a launch may
//! take very different times, but neighbours mostly take about as long: so rival and code run in pairs, one right
//! behind the other, each first in every other pair, and the one that wins three of at most five is taken. What the
//! thread spends is bounded by what is left to be done.

use super::ndrange::{CHUNK_NS, Compiled};
use crate::program::midway::Midway;
use clift_jit::launch::LaneChoice;
use std::sync::Arc;
use std::time::Duration;

/// Pairs to be won.
const ENOUGH: u32 = 3;
/// What must be left when a rival is tried: twenty times as much as five pairs take.
const LEAST_LEFT_NS: u64 = 200 * CHUNK_NS;
/// So many groups must be left, so that a rival of which estimates are wrong is not most of what there is; and those of
/// which each takes longer are none to try something on.
const LEAST_GROUPS: u64 = 16;
const LONGEST_GROUP_NS: u64 = 20_000_000;
/// A rival that takes so many times as long, and has lost another pair, is not tried again: one may have been
/// interrupted.
const HOPELESS: u64 = 4;

/// What the thread has found out about the rival at hand.
pub(super) struct Scout<'l> {
    midway: &'l Midway,
    /// Time for making rivals so far.
    spent: Duration,
    rival: Option<(LaneChoice, &'l Arc<Compiled>)>,
    pairs: Pairs,
}

/// Pairs of measurements.
#[derive(Default)]
struct Pairs {
    /// Runs so far, two of which are a pair.
    runs: u32,
    /// Picoseconds per group of a pair's first run.
    first: u64,
    wins: u32,
    losses: u32,
}

impl Pairs {
    /// True if it is the rival's turn.
    fn is_rivals_turn(&self) -> bool {
        // Of four runs the first and the last.
        matches!(self.runs % 4, 0 | 3)
    }

    /// Takes note of what the turn took; whether the rival is better, as soon as that is known.
    fn measured(&mut self, ps: u64) -> Option<bool> {
        let is_rival = self.is_rivals_turn();
        self.runs += 1;
        if self.runs % 2 == 1 {
            self.first = ps;
            return None;
        }
        let (rival, code) = if is_rival { (ps, self.first) } else { (self.first, ps) };
        // What is hardly faster may be so by chance.
        *(if rival < code - code / 20 { &mut self.wins } else { &mut self.losses }) += 1;
        let is_hopeless = rival / HOPELESS > code && self.losses >= 2;
        (self.wins == ENOUGH || self.losses == ENOUGH || is_hopeless).then_some(self.wins == ENOUGH)
    }
}

impl<'l> Scout<'l> {
    pub(super) fn new(midway: &'l Midway) -> Self {
        Self { midway, spent: Duration::ZERO, rival: None, pairs: Pairs::default() }
    }

    /// Finds a rival to try, and makes it if there is none yet, if what is left to be done is enough for it: so many
    /// groups, of which each takes so long, for so many threads.
    pub(super) fn prepare(&mut self, groups: u64, group_ns: u64, threads: usize) {
        let left_ns = groups.saturating_mul(group_ns);
        let is_enough = groups >= LEAST_GROUPS && group_ns <= LONGEST_GROUP_NS && left_ns >= LEAST_LEFT_NS;
        if self.rival.is_none() && is_enough {
            (self.rival, self.pairs) = (self.midway.rival(left_ns, threads, &mut self.spent), Pairs::default());
        }
    }

    /// The code of which the next groups tell something, if there is such.
    pub(super) fn turn(&self) -> Option<&'l Arc<Compiled>> {
        let (_, rival) = self.rival?;
        Some(if self.pairs.is_rivals_turn() { rival } else { self.midway.code() })
    }

    /// Takes note of what they took, in picoseconds for each.
    pub(super) fn measured(&mut self, ps: u64) {
        let Some((choice, rival)) = self.rival else { return };
        if self.pairs.is_rivals_turn() {
            rival.measured(ps);
        }
        if let Some(wins) = self.pairs.measured(ps) {
            self.midway.settle(choice, wins);
            self.rival = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What comes of runs that take so long, and after how many.
    fn outcome(rival: &[u64], code: &[u64]) -> (Option<bool>, u32) {
        let (mut rival, mut code, mut pairs) = (rival.iter().cycle(), code.iter().cycle(), Pairs::default());
        for _ in 0..20 {
            let ps = *if pairs.is_rivals_turn() { rival.next() } else { code.next() }.expect("endless");
            if let Some(wins) = pairs.measured(ps) {
                return (Some(wins), pairs.runs);
            }
        }
        (None, pairs.runs)
    }

    #[test]
    fn three_pairs_of_five_decide() {
        assert_eq!(outcome(&[50], &[100]), (Some(true), 6));
        assert_eq!(outcome(&[97], &[100]), (Some(false), 6));
        assert_eq!(outcome(&[50, 300, 50, 50, 50], &[100]), (Some(true), 8), "one was interrupted");
        assert_eq!(outcome(&[50, 300, 50, 300, 50], &[100]), (Some(true), 10));
        // Both take longer from group to group.
        assert_eq!(outcome(&[80, 800, 8000], &[100, 1000, 10000]), (Some(true), 6));
        assert_eq!(outcome(&[500], &[100]), (Some(false), 4), "that is enough");
    }

    #[test]
    fn each_is_first_in_every_other_pair() {
        let mut pairs = Pairs::default();
        let mut turns = Vec::new();
        for _ in 0..8 {
            turns.push(pairs.is_rivals_turn());
            pairs.runs += 1;
        }
        assert_eq!(turns, [true, false, false, true, true, false, false, true]);
    }
}
