//! Which commands touched which bytes last: FastTrack's shadow state (Flanagan, Freund, "FastTrack: Efficient and
//! Precise Dynamic Race Detection", 2009) over ranges of addresses instead of variables. A range has the last write, as
//! one epoch, and the reads since. Besides that it has accesses of which only so much is known that they are somewhere
//! in a range, which are those of kernels whose code does not tell: they meet accesses of the whole range only.

use super::ahead::Certain;
use super::clock::{Clock, Epoch};
use smallvec::SmallVec;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// Ranges that are kept; if there are more, the history begins anew.
const MAX_CELLS: usize = 1 << 18;
/// Accesses somewhere in a range that are kept for each.
const MAX_SOME: usize = 16;
/// Accesses to one argument of a launch that are noted as certain.
const MOST_CERTAIN: usize = 16;

/// What a command does to memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Access {
    /// Addresses.
    pub range: Range<usize>,
    pub writes: bool,
    /// It touches every byte, not just some.
    pub all: bool,
    /// Argument of the kernel, for messages.
    pub argument: Option<usize>,
    /// The memory is the host's own, which a transfer has by its address.
    pub host: bool,
    /// A kernel is certain to make it, who else may only make some in the range. It meets those of transfers: what two
    /// kernels access is compared where they do it.
    pub certain: bool,
    /// Noted for who frees the memory, and no race: kernels may synchronise through it.
    pub shared: bool,
}

impl Access {
    /// Of every byte of a range that commands know by an object.
    pub const fn of(range: Range<usize>, writes: bool) -> Self {
        Self { range, writes, all: true, argument: None, host: false, certain: false, shared: false }
    }

    /// Those to a kernel's argument, whose memory this is, that are certain; it points to `start`.
    pub fn certain<'a>(&self, start: usize, of: impl Iterator<Item = &'a Certain>) -> SmallVec<[Self; 4]> {
        let at = |offset: i64| start.saturating_add_signed(offset as isize).clamp(self.range.start, self.range.end);
        let ranges = of.map(|(_, writes, bytes)| (at(bytes.start)..at(bytes.end), *writes));
        let inside = ranges.filter(|(range, _)| !range.is_empty()).take(MOST_CERTAIN);
        inside.map(|(range, writes)| Self { range, writes, all: true, certain: true, ..self.clone() }).collect()
    }

    /// Whether the two touch the same byte for sure, given that their ranges overlap.
    pub fn meets(&self, other: &Self) -> bool {
        let covers = |a: &Range<usize>, b: &Range<usize>| a.start <= b.start && b.end <= a.end;
        match (self.all, other.all) {
            _ if self.shared || other.shared => false,
            _ if self.certain || other.certain => self.all && other.all && self.certain != other.certain,
            (true, true) => true,
            (true, false) => covers(&self.range, &other.range),
            (false, true) => covers(&other.range, &self.range),
            (false, false) => false,
        }
    }

    /// Whether they have an address in common.
    pub fn overlaps(&self, range: &Range<usize>) -> bool {
        self.range.start < range.end && range.start < self.range.end
    }
}

/// An access that was made.
#[derive(Debug)]
pub(super) struct Made<T> {
    pub access: Access,
    pub epoch: Epoch,
    /// Who made it.
    pub by: Arc<T>,
}

impl<T> Clone for Made<T> {
    fn clone(&self) -> Self {
        Self { access: self.access.clone(), epoch: self.epoch, by: Arc::clone(&self.by) }
    }
}

#[derive(Debug)]
struct Cell<T> {
    end: usize,
    write: Option<Made<T>>,
    reads: SmallVec<[Made<T>; 2]>,
    some: Vec<Made<T>>,
}

/// The history of all memory.
#[derive(Debug)]
pub(super) struct History<T>(BTreeMap<usize, Cell<T>>);

impl<T> Default for History<T> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<T> History<T> {
    /// Notes an access of a command, which this clock knows, and gives one that it races with, if there is any.
    pub fn note(&mut self, made: &Made<T>, clock: &Clock) -> Option<Made<T>> {
        if made.access.range.is_empty() {
            return None;
        }
        if self.0.len() > MAX_CELLS {
            self.0.clear();
        }
        self.split(made.access.range.start);
        self.split(made.access.range.end);
        let found = self.0.range(made.access.range.clone()).find_map(|(_, cell)| cell.race(made, clock));
        if made.access.all && made.access.writes {
            self.overwrite(made);
        } else {
            self.add(made, clock);
        }
        found
    }

    /// An access in this range that a clock does not know.
    pub fn unknown(&self, range: Range<usize>, clock: &Clock) -> Option<Made<T>> {
        let first = self.0.range(..=range.start).next_back().filter(|(_, cell)| cell.end > range.start);
        let inside = self.0.range(range.start.saturating_add(1)..range.end.max(range.start.saturating_add(1)));
        first.into_iter().chain(inside).find_map(|(_, cell)| cell.all().find(|made| !clock.knows(made.epoch)).cloned())
    }

    /// The memory is somebody else's from now on.
    pub fn forget(&mut self, range: Range<usize>) {
        self.split(range.start);
        self.split(range.end);
        let gone: Vec<usize> = self.0.range(range).map(|(&start, _)| start).collect();
        gone.into_iter().for_each(|start| _ = self.0.remove(&start));
    }

    /// Sees to it that no cell has this address inside.
    fn split(&mut self, at: usize) {
        let Some((_, cell)) = self.0.range_mut(..at).next_back() else { return };
        if cell.end > at {
            let Cell { end, write, reads, some } = &*cell;
            let behind = Cell { end: *end, write: write.clone(), reads: reads.clone(), some: some.clone() };
            cell.end = at;
            self.0.insert(at, behind);
        }
    }

    /// All that was there happened before, or has been reported.
    fn overwrite(&mut self, made: &Made<T>) {
        let Range { start, end } = made.access.range;
        let inside: Vec<usize> = self.0.range(start..end).map(|(&start, _)| start).collect();
        inside.into_iter().for_each(|start| _ = self.0.remove(&start));
        let cell = Cell { end, write: Some(made.clone()), reads: SmallVec::new(), some: Vec::new() };
        self.0.insert(start, cell);
    }

    fn add(&mut self, made: &Made<T>, clock: &Clock) {
        let Range { start, end } = made.access.range;
        let mut at = start;
        let mut gaps = Vec::new();
        for (&start, cell) in self.0.range_mut(start..end) {
            if at < start {
                gaps.push(at..start);
            }
            at = cell.end;
            cell.add(made, clock);
        }
        if at < end {
            gaps.push(at..end);
        }
        for gap in gaps {
            let mut cell = Cell { end: gap.end, write: None, reads: SmallVec::new(), some: Vec::new() };
            cell.add(made, clock);
            self.0.insert(gap.start, cell);
        }
    }
}

impl<T> Cell<T> {
    fn all(&self) -> impl Iterator<Item = &Made<T>> {
        self.write.iter().chain(&self.reads).chain(&self.some)
    }

    fn race(&self, made: &Made<T>, clock: &Clock) -> Option<Made<T>> {
        let conflicts = |other: &&Made<T>| {
            (made.access.writes || other.access.writes) && !clock.knows(other.epoch) && other.access.meets(&made.access)
        };
        self.all().find(conflicts).cloned()
    }

    /// Adds an access that does not overwrite. What it makes redundant goes: a later access of the same kind, that
    /// everything which is unordered with the earlier one is unordered with as well.
    fn add(&mut self, made: &Made<T>, clock: &Clock) {
        if made.access.all {
            self.reads.retain(|read| !clock.knows(read.epoch));
            return self.reads.push(made.clone());
        }
        let access = &made.access;
        let is_redundant = |old: &Made<T>| {
            clock.knows(old.epoch) && old.access.range == access.range && access.writes >= old.access.writes
        };
        self.some.retain(|old| !is_redundant(old));
        if self.some.len() == MAX_SOME {
            self.some.remove(0);
        }
        self.some.push(made.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::super::clock::Chains;
    use super::*;
    use proptest::prelude::*;

    #[derive(Clone, Debug)]
    struct Step {
        before: Vec<usize>,
        range: Range<usize>,
        writes: bool,
        all: bool,
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let step = (prop::collection::vec(0usize..12, 0..3), 0usize..24, 1usize..12, any::<bool>(), any::<bool>());
        let step =
            step.prop_map(|(before, start, n, writes, all)| Step { before, range: start..start + n, writes, all });
        prop::collection::vec(step, 1..12)
    }

    proptest! {
        /// Random commands with random orders: the first that races with one before it is found exactly where a look at
        /// all pairs finds one.
        #[test]
        fn races_are_what_all_pairs_say(steps in steps()) {
            let (mut chains, mut history) = (Chains::default(), History::<usize>::default());
            let mut done: Vec<(Epoch, Clock, Access)> = Vec::new();
            for (n, step) in steps.into_iter().enumerate() {
                let mut clock = Clock::default();
                step.before.iter().filter(|&&b| b < n).for_each(|&b| clock.join(&done[b].1));
                let chain = chains.find(&clock).expect("room");
                let known = clock.clone();
                let epoch = chains.next(chain, &mut clock);
                let access = Access { all: step.all, ..Access::of(step.range, step.writes) };
                let races = |(theirs, _, other): &&(Epoch, Clock, Access)| {
                    !known.knows(*theirs) && (access.writes || other.writes) && access.overlaps(&other.range)
                        && access.meets(other)
                };
                let expected = done.iter().any(|other| races(&other));
                let made = Made { access: access.clone(), epoch, by: Arc::new(n) };
                prop_assert_eq!(history.note(&made, &clock).is_some(), expected);
                // Behind the first race the history knows less.
                if expected {
                    break;
                }
                done.push((epoch, clock, access));
            }
        }
    }

    #[test]
    fn memory_that_is_gone_has_no_history() {
        let (mut chains, mut history) = (Chains::default(), History::<()>::default());
        let mut write = |history: &mut History<()>, range: Range<usize>| {
            let mut clock = Clock::default();
            let chain = chains.find(&clock).expect("room");
            let epoch = chains.next(chain, &mut clock);
            history.note(&Made { access: Access::of(range, true), epoch, by: Arc::new(()) }, &clock).is_some()
        };
        assert!(!write(&mut history, 0..100));
        assert!(history.unknown(50..51, &Clock::default()).is_some());
        history.forget(20..60);
        assert!(history.unknown(20..60, &Clock::default()).is_none());
        assert!(!write(&mut history, 20..60));
        assert!(write(&mut history, 10..20) && write(&mut history, 99..120));
    }
}
