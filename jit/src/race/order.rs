//! Launches, and which of those before one may not be ordered with it.
//!
//! Whoever runs launches may say which command each one belongs to and, when it begins, which commands happened before
//! (`Command`). What other launches did, be it long ago, races with what it does: so it does not matter whether the two
//! overlapped in time. Launches that have ended are remembered as long as there are numbers for them, and not too many
//! segments: the oldest ones are forgotten first, which then count as having happened before. So does all that has
//! ended of commands that nobody knows the order of, and of the same command, unless its parts say what was `before`
//! them.
//!
//! Must not know what accesses mean, nor commands.

use super::before::{Before, Name, Point};
use super::cell::Relation;
use super::shadow::{self, LAST_LAUNCH, LAST_SEGMENT, Segment};
use std::any::Any;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What the caller knows of a launch, for reports of races with it.
pub type Peer = Arc<dyn Any + Send + Sync>;

/// What a launch belongs to.
pub struct Command<'a> {
    /// A number that no other command has; 0 if nothing is known of its order.
    pub number: u64,
    /// Whether another command happened before.
    pub follows: &'a dyn Fn(u64) -> bool,
    /// Of a part of the command which other parts happened before; none: all that began before.
    pub before: Option<&'a Before>,
}

/// From here on everything is cleared before the next launch that is alone.
const MANY_SEGMENTS: u32 = LAST_SEGMENT / 2;
/// Launches that have ended are remembered while they, and what came behind them, have no more segments.
const KEPT_SEGMENTS: u32 = 1 << 20;
/// Words of so many segments that nobody asks for are given back at once.
const MANY_WORDS: u32 = 1 << 16;

/// A launch that is under way or remembered.
struct Known {
    /// Its number, which no other one has, but for `LAST_LAUNCH`: that have all for which there are no more.
    launch: u32,
    /// How many launches began up to this one.
    serial: u64,
    command: u64,
    /// Its segments are not below.
    first: u32,
    has_ended: bool,
    peer: Peer,
    loops: Arc<AtomicU32>,
}

/// In the order in which they began, and from where on there may be segments' words in memory.
struct All {
    known: Vec<Known>,
    words_from: u32,
    /// How many launches have begun.
    begun: u64,
}

static ALL: Mutex<All> = Mutex::new(All { known: Vec::new(), words_from: 0, begun: 0 });

/// Keeps everything as it is, for the time of a fork.
pub fn hold() -> Box<dyn Any> {
    Box::new(all())
}

/// The child of a fork has no launches that go on.
pub fn forked() {
    all().known.clear();
}

fn all() -> MutexGuard<'static, All> {
    ALL.lock().unwrap_or_else(PoisonError::into_inner)
}

impl All {
    /// No launch is under way.
    fn tidy_up(&mut self) {
        let last = shadow::last_segment();
        if last > MANY_SEGMENTS {
            self.known.clear();
            self.words_from = 0;
            return shadow::clear();
        }
        // A launch without segments begins behind the last one.
        self.known.retain(|known| last.saturating_sub(known.first) < KEPT_SEGMENTS);
        let end = self.known.first().map_or(last + 1, |known| known.first);
        if end.saturating_sub(self.words_from) > MANY_WORDS {
            self.words_from = shadow::give_back_words(self.words_from..end);
        }
    }

    /// A number for one more launch.
    fn number(&mut self) -> u32 {
        let is_free = |number: &u32| self.known.iter().all(|known| known.launch != *number);
        if let Some(free) = (1..LAST_LAUNCH).find(is_free) {
            return free;
        }
        match self.known.iter().position(|known| known.has_ended) {
            Some(oldest) => self.known.remove(oldest).launch,
            None => LAST_LAUNCH,
        }
    }
}

/// A launch that is under way.
#[derive(Debug)]
pub struct Ticket {
    /// Its number, which no other one has that is under way or remembered, as far as there are numbers.
    pub launch: u32,
    serial: u64,
    command: u64,
    /// Segments below are of launches that happened before this one.
    pub first: u32,
    /// Segments below are of launches that began before this one.
    born: u32,
    /// By number of a launch that began before and is not known to have happened before: its segments are not below.
    unordered: [u32; LAST_LAUNCH as usize + 1],
    /// Up to where groups of those are known to have happened before all the same.
    points: Vec<Point>,
    /// Its groups have acquired what others released, before they begin.
    pub has_acquired: bool,
    loops: Arc<AtomicU32>,
}

/// A launch that another one races with.
pub struct Other {
    /// It is of the same command.
    pub is_same_command: bool,
    /// What the caller said of it.
    pub peer: Peer,
    /// The order of its loops over groups and work-items, the outermost dimension first.
    pub order: [u8; 3],
}

impl Ticket {
    /// A launch begins.
    pub fn take(command: &Command<'_>, peer: Peer) -> Self {
        let mut all = all();
        if all.known.iter().all(|known| known.has_ended) {
            all.tidy_up();
        }
        let launch = all.number();
        let born = shadow::last_segment() + 1;
        let (mut first, mut unordered) = (born, [u32::MAX; LAST_LAUNCH as usize + 1]);
        // Nobody could tell which of those with the last number is meant: what they do is not compared.
        let mut points = Vec::new();
        for known in all.known.iter().filter(|known| known.launch != LAST_LAUNCH && command.number != 0) {
            let name = Name { launch: known.launch, serial: known.serial };
            let is_past = match known.command == command.number {
                true => command.before.is_none_or(|before| before.has(name)),
                false => (command.follows)(known.command),
            };
            if !is_past {
                first = first.min(known.first);
                let at = &mut unordered[known.launch as usize];
                *at = (*at).min(known.first);
                let its = command.before.map_or(&[][..], Before::points).iter();
                points.extend(its.filter(|point| point.of == name));
            }
        }
        all.begun += 1;
        let (loops, serial) = (Arc::default(), all.begun);
        let has_acquired = command.before.is_some_and(Before::has_acquired);
        let (command, shared) = (command.number, Arc::clone(&loops));
        all.known.push(Known { launch, serial, command, first: born, has_ended: false, peer, loops: shared });
        Self { launch, serial, command, first, born, unordered, points, has_acquired, loops }
    }

    /// For what comes behind it.
    pub fn name(&self) -> Name {
        Name { launch: self.launch, serial: self.serial }
    }

    /// How a segment lies to the one of a group of the launch; it is not that one.
    pub fn relation(&self, segment: u32, group: u64, has_acquired: bool) -> Relation {
        if segment < self.first {
            return Relation::Past;
        }
        let whose = shadow::segment(segment);
        if self.has(segment) && whose.is_of(group) {
            return if whose.released { Relation::Released } else { Relation::Earlier };
        }
        let is_anyone = whose.launch == LAST_LAUNCH && self.launch != LAST_LAUNCH;
        let is_past = segment < self.born && segment < self.unordered[whose.launch as usize];
        let is_known = || self.points_of(whose).any(|point| segment < point.segment);
        if is_anyone || is_past || whose.released && has_acquired || is_known() {
            Relation::Past
        } else {
            Relation::Other
        }
    }

    /// What is known of a segment's group, whose launch is not known to have ended before.
    fn points_of(&self, whose: Segment) -> impl Iterator<Item = &Point> {
        self.points.iter().filter(move |point| point.of.launch == whose.launch && whose.is_of(point.group))
    }

    /// True if what a work-item did in a segment happened before the launch.
    pub fn has_point(&self, segment: u32, item: u16) -> bool {
        self.points_of(shadow::segment(segment)).any(|point| point.segment == segment && point.is_behind(item))
    }

    /// True if something that the group of a segment did happened before the launch; `here`: that several work-items
    /// did in the segment.
    pub fn has_points(&self, segment: u32, here: bool) -> bool {
        let is_it = |point: &Point| !here || point.segment == segment && point.sub_group != 0;
        self.points_of(shadow::segment(segment)).any(is_it)
    }

    /// True if the launch that a segment is of goes on.
    pub fn is_running(&self, segment: u32) -> bool {
        let launch = shadow::segment(segment).launch;
        let known = |known: &&Known| known.launch == launch && known.first <= segment;
        self.has(segment) || all().known.iter().rev().find(known).is_some_and(|known| !known.has_ended)
    }

    /// True if launches are known that are not ordered with this one.
    pub fn has_company(&self) -> bool {
        let unordered = |known: &Known| self.unordered[known.launch as usize] <= known.first;
        all().known.iter().any(|known| known.serial > self.serial || known.serial < self.serial && unordered(known))
    }

    /// True if a segment is of this launch.
    pub fn has(&self, segment: u32) -> bool {
        segment >= self.born && shadow::segment(segment).launch == self.launch
    }

    /// The launch that a segment is of; nothing if that is not known any more.
    pub fn other(&self, segment: u32) -> Option<Other> {
        let (all, launch) = (all(), shadow::segment(segment).launch);
        let known = all.known.iter().rev().find(|known| known.launch == launch && known.first <= segment)?;
        let [a, b, c, _] = known.loops.load(Relaxed).to_le_bytes();
        let is_same_command = known.command == self.command;
        Some(Other { is_same_command, peer: Arc::clone(&known.peer), order: [a, b, c] })
    }

    /// The order of its loops, which `other` tells.
    pub fn set_order(&self, order: [u8; 3]) {
        self.loops.store(u32::from_le_bytes([order[0], order[1], order[2], 0]), Relaxed);
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let mut all = all();
        let Some(at) = all.known.iter().position(|known| Arc::ptr_eq(&known.loops, &self.loops)) else { return };
        // Of several with one number nobody could tell which is meant.
        if all.known[at].command == 0 || self.launch == LAST_LAUNCH {
            all.known.remove(at);
        } else {
            all.known[at].has_ended = true;
        }
    }
}
