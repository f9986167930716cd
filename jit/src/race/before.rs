//! What happened before a part of a command that has several at a time: launches that a kernel enqueues. A vector clock
//! (Mattern 1989, Fidge 1988) over the numbers that launches have in shadow memory, of which there are few: of the
//! launches that had a number one after the other, those up to a point of time are known. Beside whole launches, groups
//! of a launch that still runs are known up to where they enqueued.
//!
//! Must not know what accesses mean, nor what kernels wait for.

use super::shadow::LAST_LAUNCH;
use std::cell::RefCell;
use std::collections::VecDeque;

/// A launch: its number in shadow memory, and how many launches began up to it in the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Name {
    /// 1 to `LAST_LAUNCH`.
    pub launch: u32,
    /// No other launch has it.
    pub serial: u64,
}

/// Where a work-item is that enqueues: what its group did up to there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// Its launch.
    pub of: Name,
    /// Its group.
    pub group: u64,
    /// All of the group's segments below, and of this one what the work-item did.
    pub segment: u32,
    /// The work-item's number in the group.
    pub item: u16,
    /// So many work-items of a sub-group have met in the segment; 0 if none have.
    pub sub_group: u16,
    /// The group has acquired what others released.
    pub has_acquired: bool,
}

impl Point {
    /// The end of its group, which may acquire something up to there.
    pub fn end(self) -> Self {
        Self { segment: u32::MAX, has_acquired: true, ..self }
    }

    /// True if what another work-item of the group did in the segment came before.
    pub fn is_behind(&self, item: u16) -> bool {
        item == self.item || self.sub_group != 0 && item / self.sub_group == self.item / self.sub_group
    }
}

/// What happened before; nothing by default, which takes a word.
#[derive(Clone, Debug, Default)]
pub struct Before(Option<Box<Known>>);

#[derive(Clone, Debug, Default)]
struct Known {
    /// By number the last serial; 0: none.
    launches: Vec<u64>,
    points: Vec<Point>,
    has_acquired: bool,
}

/// Points are kept of no more; a launch with an older one counts as known to its end.
const MAX_POINTS: usize = 64;

impl Before {
    /// A launch has ended before, which may have acquired something.
    pub fn add(&mut self, Name { launch, serial }: Name) {
        let known = self.0.get_or_insert_default();
        known.has_acquired = true;
        let n = launch as usize;
        if known.launches.len() <= n {
            known.launches.resize(n + 1, 0);
        }
        known.launches[n] = known.launches[n].max(serial);
        known.points.retain(|point| point.of.launch != launch || point.of.serial > known.launches[n]);
    }

    /// What a work-item did up to a point happened before.
    pub fn add_point(&mut self, point: Point) {
        let is_known = self.has(point.of);
        let known = self.0.get_or_insert_default();
        known.has_acquired |= point.has_acquired;
        let place = |point: &Point| (point.of, point.group, point.item);
        match known.points.iter_mut().find(|old| place(old) == place(&point)) {
            _ if is_known => {}
            Some(old) => old.segment = old.segment.max(point.segment),
            None => known.points.push(point),
        }
        if known.points.len() > MAX_POINTS {
            let oldest = known.points[0].of;
            self.add(oldest);
        }
    }

    /// What happened before `other` happened before this, too.
    pub fn join(&mut self, other: &Self) {
        let Some(theirs) = &other.0 else { return };
        if self.0.is_none() {
            self.0.clone_from(&other.0);
            return;
        }
        for (launch, &serial) in (0..).zip(&theirs.launches).filter(|(_, serial)| **serial > 0) {
            self.add(Name { launch, serial });
        }
        theirs.points.iter().for_each(|&point| self.add_point(point));
        self.0.iter_mut().for_each(|known| known.has_acquired |= theirs.has_acquired);
    }

    /// True if a launch has ended before. Of those with the last number nobody could tell which one is meant.
    pub fn has(&self, Name { launch, serial }: Name) -> bool {
        let last = self.0.as_ref().and_then(|known| known.launches.get(launch as usize).copied());
        launch == LAST_LAUNCH || last.unwrap_or(0) >= serial
    }

    /// Points of launches that have not ended before.
    pub fn points(&self) -> &[Point] {
        self.0.as_ref().map_or(&[], |known| &known.points)
    }

    /// Something before has acquired what others released.
    pub fn has_acquired(&self) -> bool {
        self.0.as_ref().is_some_and(|known| known.has_acquired)
    }
}

thread_local! {
    /// Work-items of groups that this thread runs which are about to enqueue.
    static ENQUEUING: RefCell<VecDeque<Point>> = const { RefCell::new(VecDeque::new()) };
}

/// A work-item is about to enqueue a kernel on this thread, or to set an event.
pub(super) fn will_enqueue(point: Point) {
    // A thread that is ending has nobody who would ask.
    _ = ENQUEUING.try_with(|points| points.borrow_mut().push_back(point));
}

/// Where the work-item is that enqueues a kernel, or sets an event, on this thread; nothing if its code does not tell.
/// To be asked once for each.
pub fn enqueuing() -> Option<Point> {
    ENQUEUING.try_with(|points| points.borrow_mut().pop_front()).ok().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(launch: u32, serial: u64) -> Name {
        Name { launch, serial }
    }

    fn point(of: Name, group: u64, segment: u32) -> Point {
        Point { of, group, segment, item: 3, sub_group: 0, has_acquired: false }
    }

    #[test]
    fn what_is_known_of_a_number_is_known_of_those_that_had_it_before() {
        let mut before = Before::default();
        assert!(!before.has(name(5, 1)) && before.has(name(LAST_LAUNCH, 9)));
        before.add(name(5, 7));
        assert!(before.has(name(5, 7)) && before.has(name(5, 2)));
        assert!(!before.has(name(5, 8)) && !before.has(name(4, 1)));
    }

    #[test]
    fn points_are_joined_until_their_launch_has_ended() {
        let mut one = Before::default();
        one.add_point(point(name(2, 4), 0, 10));
        let mut two = Before::default();
        two.add(name(1, 3));
        two.add_point(Point { has_acquired: true, ..point(name(2, 4), 0, 12) });
        two.add_point(point(name(2, 4), 1, 11));
        one.join(&two);
        let segments = |before: &Before| before.points().iter().map(|p| (p.group, p.segment)).collect::<Vec<_>>();
        assert_eq!(segments(&one), [(0, 12), (1, 11)]);
        assert!(one.has(name(1, 3)) && one.has_acquired());
        one.add(name(2, 4));
        one.join(&two);
        assert_eq!(segments(&one), []);
        assert_eq!(point(name(2, 4), 0, 10).end().segment, u32::MAX);
    }

    #[test]
    fn sub_groups_are_behind_together() {
        let alone = point(name(2, 4), 0, 10);
        assert!(alone.is_behind(3) && !alone.is_behind(2));
        let met = Point { sub_group: 4, ..alone };
        assert!(met.is_behind(0) && !met.is_behind(4));
    }

    #[test]
    fn too_many_points_stand_for_their_launch() {
        let mut before = Before::default();
        (0..1000).for_each(|group| before.add_point(point(name(2, 4), group, 10)));
        assert!(before.has(name(2, 4)) && before.points().is_empty());
    }
}
