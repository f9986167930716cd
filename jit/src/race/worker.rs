//! What a thread does for the accesses of the groups that it runs: generated code calls `track` beside each, for a
//! work-item or for all lanes of a vector at once, and `meet` where groups begin, work-items meet, or enqueue kernels.
//!
//! **Order.** Barriers order the work-items of a group: a barrier with the fence of global memory begins a new segment
//! (`cell`) of that, one with the fence of local memory of that. Operations of sub-groups order the work-items of a
//! sub-group from there to the next barrier. Atomic operations that release and acquire, with fences or by their own
//! order, are taken for more than they are: what a group did up to the end of a segment in which it released something,
//! wherever, comes before all that a group does which has acquired something, wherever. So queues, locks, groups that
//! wait for each other and the last one that sums up give no false alarm, and races between groups that synchronise at
//! all are not seen. Launches are ordered by whoever runs them (`order`).
//!
//! The way of most accesses through this file is `Worker::line` and `Cell::quick`; what is neither the work-item's own
//! nor past, nor read by many, takes `Cell::step`. Must not know how reports look.
#![allow(unsafe_code, reason = "called by generated code with the addresses that it is about to access")]

mod meetings;

use super::before::{self, Name, Point};
use super::cell::{Access, Cell, Clash, Kind, Relation, short_site};
use super::copies::{Copied, MAX_COPIES};
use super::intents::{Intent, Intents};
use super::local::LocalWritten;
use super::now::Now;
use super::order::{Command, Other, Peer, Ticket};
use super::shadow::{self, LAST_SEGMENT};
use super::{Code, Elsewhere, Form, Meeting, Order, Race, Side, Sink, Space, Unwritten, WorkItem};
use crate::launch::Env;
use rustc_hash::FxHashSet;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

/// A launch whose accesses are tracked.
pub struct Tracking {
    ticket: Ticket,
    /// Its code tells of accesses, not only of where work-items meet.
    accesses: bool,
    sink: Arc<dyn Sink>,
    seen: Mutex<FxHashSet<Seen>>,
    intents: Intents,
}

/// What is reported once for each launch: the same again is only counted by whoever gets it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Seen {
    Race {
        here: u16,
        there: Option<u8>,
        /// The number of the other launch, 0 for this one: sites of two launches may have the same number. Of two that
        /// had it one after the other while this one ran, one is told.
        launch: u32,
        kinds: [bool; 3],
        benign: bool,
    },
    Unwritten(u16),
    Apart {
        site: u32,
        elsewhere: Elsewhere,
    },
    /// Copy, access, other copy.
    Unwaited((u32, Option<u16>, Option<u32>)),
    Differ {
        site: u32,
        arg: u32,
    },
}

impl Tracking {
    /// Of a launch that begins now, whose code tells of `accesses` or only of where work-items meet. `sink` gets what
    /// is found, and `peer` is for what other launches find that race with it.
    pub fn new(sink: Arc<dyn Sink>, command: &Command<'_>, peer: Peer, accesses: bool) -> Self {
        Self {
            ticket: Ticket::take(command, peer),
            accesses,
            sink,
            seen: Mutex::default(),
            intents: Intents::default(),
        }
    }

    /// For what comes behind it.
    pub fn name(&self) -> Name {
        self.ticket.name()
    }

    fn has(&self, seen: Seen) -> bool {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).contains(&seen)
    }

    fn is_new(&self, seen: Seen) -> bool {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).insert(seen)
    }
}

/// A thread that runs groups of a launch.
pub struct Worker<'l> {
    launch: &'l Tracking,
    /// The order of the loops over groups and work-items, the outermost dimension first.
    order: [u8; 3],
    group: u64,
    /// Segment of global memory; 0 if there are no more.
    segment: u32,
    /// Earlier segments of the group in which, and since which, it has released nothing.
    unreleased: Vec<u32>,
    /// Segment of local memory, whose cells are this thread's own: what is not of this segment is past.
    local_segment: u32,
    local_start: u64,
    local_bytes: u64,
    local_cells: Vec<u64>,
    local_written: LocalWritten,
    /// Begin and length of the last range of any length that was written: each work-item tells of a group's copy.
    last_range: (u64, u64),
    /// What the group has done that may order it with others.
    has_fenced: bool,
    has_atomics: bool,
    has_released: bool,
    has_acquired: bool,
    /// Asynchronous copies that nothing has waited for yet, at most `MAX_COPIES`.
    copies: Vec<Copied>,
    /// Work-items of the group have parted: what follows from that is no news.
    has_parted: bool,
    /// Work-items of the sub-groups that have met since the last barrier; 0 if none have.
    sub_group: u32,
    /// The last race that was met, of which the launch knows: `Tracking::seen` has a lock.
    met: Option<Seen>,
    /// Races to be reported when the accesses that were told of have been made: reports take their time, in which
    /// others would not see what is written.
    found: Vec<(Race, Option<Other>)>,
}

impl Drop for Worker<'_> {
    fn drop(&mut self) {
        self.report_found();
    }
}

/// Where an access goes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Global,
    Local,
    Private,
}

impl<'l> Worker<'l> {
    /// Of a thread whose groups have this local memory, which may be zeros where each begins.
    pub fn new(launch: &'l Tracking, local: *const u8, local_bytes: usize, is_zeroed: bool) -> Self {
        let tracked = if launch.accesses { local_bytes } else { 0 };
        Self {
            launch,
            order: [2, 1, 0],
            group: 0,
            segment: 0,
            unreleased: Vec::new(),
            local_segment: 0,
            local_start: local.addr() as u64,
            local_bytes: local_bytes as u64,
            local_cells: vec![0; tracked.div_ceil(4)],
            local_written: LocalWritten::new(local.addr() as u64, if is_zeroed { 0 } else { tracked }),
            last_range: (0, 0),
            has_fenced: false,
            has_atomics: false,
            has_released: false,
            has_acquired: false,
            copies: Vec::new(),
            has_parted: false,
            sub_group: 0,
            met: None,
            found: Vec::new(),
        }
    }

    /// For `Env::races`, as long as this is not used otherwise.
    pub fn handle(&mut self) -> *mut core::ffi::c_void {
        (&raw mut *self).cast()
    }

    // ---- order

    fn meet(&mut self, env: &Env, meeting: Meeting, [value, more]: [u64; 2]) {
        match meeting {
            Meeting::Group { order } => self.begin_group(order, value),
            Meeting::Barrier { local, global, copies } => {
                if copies {
                    self.copies.iter_mut().for_each(|copy| copy.is_fenced = true);
                }
                if global {
                    self.has_acquired |= self.has_atomics;
                    self.next_segment();
                }
                if local {
                    self.next_local_segment();
                }
                if local || global {
                    self.sub_group = 0;
                }
            }
            Meeting::SubGroup { items } => self.sub_group = items,
            Meeting::Fence => {
                self.has_fenced = true;
                self.has_acquired |= self.has_atomics;
            }
            Meeting::Apart => self.part(env, value as usize, more as u32),
            Meeting::Copy { site } if self.copies.len() < MAX_COPIES => {
                self.copies.push(Copied::new(site, value));
            }
            Meeting::CopySide { writes } => self.copy_side(value..value.saturating_add(more), writes),
            Meeting::Wait => self.copies.retain(|copy| value != u64::MAX && copy.event != value),
            Meeting::Compare { site, arg } => self.compare(site, arg, value as usize, more),
            Meeting::End => self.end_copies(),
            Meeting::Come { site, first } => self.come(site, first, value, more),
            Meeting::Disagree { site, first } if value & more != 0 => {
                let [who, other] = [value, value & more].map(|bits| first + bits.trailing_zeros());
                self.differ(site, 0, [who, other]);
            }
            Meeting::Enqueue => self.enqueue(value, more),
            Meeting::Copy { .. } | Meeting::Arrive { .. } | Meeting::Disagree { .. } => {}
        }
    }

    fn begin_group(&mut self, order: [u8; 3], group: u64) {
        (self.order, self.group, self.has_parted) = (order, group, false);
        self.copies.clear();
        if !self.launch.accesses {
            return;
        }
        self.launch.ticket.set_order(order);
        self.segment = shadow::new_segment(self.launch.ticket.launch, group).unwrap_or(0);
        self.unreleased.clear();
        self.next_local_segment();
        self.local_written.begin_group();
        self.last_range = (0, 0);
        (self.has_fenced, self.has_atomics, self.has_released) = (false, false, false);
        self.has_acquired = self.launch.ticket.has_acquired;
        self.sub_group = 0;
    }

    /// Work-items of the lanes in a mask, the first one's of which is `item`, are about to enqueue kernels.
    fn enqueue(&mut self, item: u64, mask: u64) {
        let (of, has_acquired) = (self.launch.name(), self.has_acquired);
        let (group, segment, sub_group) = (self.group, self.segment, self.sub_group as u16);
        let point = |item: u64| Point { of, group, segment, item: item as u16, sub_group, has_acquired };
        let mut left = mask;
        while left != 0 {
            before::will_enqueue(point(item + u64::from(left.trailing_zeros())));
            left &= left - 1;
        }
    }

    fn next_segment(&mut self) {
        if self.segment != 0 {
            self.unreleased.push(self.segment);
            self.segment = shadow::new_segment(self.launch.ticket.launch, self.group).unwrap_or(0);
        }
    }

    fn next_local_segment(&mut self) {
        self.local_segment += 1;
        if self.local_segment > LAST_SEGMENT {
            self.local_cells.fill(0);
            self.local_segment = 1;
        }
    }

    fn order(&mut self, order: Order) {
        if order.releases || self.has_fenced {
            self.has_released = true;
            shadow::release(self.segment);
            self.unreleased.drain(..).for_each(shadow::release);
        }
        self.has_acquired |= order.acquires;
        self.has_atomics = true;
    }

    /// How a segment of global memory lies to the current one.
    fn relation(&self, segment: u32) -> Relation {
        match segment == self.segment {
            true => Relation::Same,
            false => self.launch.ticket.relation(segment, self.group, self.has_acquired),
        }
    }

    // ---- places

    #[inline]
    fn place(&self, env: &Env, address: u64, space: Space) -> Place {
        match space {
            Space::Global => Place::Global,
            Space::Local => Place::Local,
            Space::Generic => {
                let here = 0u8;
                let stack = (&raw const here).addr() as u64..(&raw const *env).addr() as u64;
                let scratch = env.scratch.addr() as u64;
                let local = self.local_start..self.local_start + env.local_bytes;
                if local.contains(&address) {
                    Place::Local
                } else if stack.contains(&address) || (scratch..scratch + env.scratch_bytes).contains(&address) {
                    Place::Private
                } else {
                    Place::Global
                }
            }
        }
    }

    // ---- accesses

    /// Lane i, of those in the mask, accesses `address` plus i times the stride.
    fn line(&mut self, env: &Env, address: u64, mask: u64, stride: i64, now: Now) {
        let place = self.place(env, address, now.code.space);
        if place == Place::Private {
            return;
        }
        let count = mask.trailing_ones();
        let is_dense = mask != 0 && mask >> count == 0 || mask == u64::MAX;
        let bytes = now.code.bytes;
        let has_cells = matches!(bytes, 1 | 2) || bytes.is_multiple_of(4);
        let is_plain = !now.code.kind.atomic && has_cells && stride == i64::from(bytes);
        if is_dense && is_plain && address & 3 == 0 && bytes > 0 {
            return self.neighbours(place, address, count, now);
        }
        let mut left = mask;
        while left != 0 {
            let lane = left.trailing_zeros();
            left &= left - 1;
            let at = address.wrapping_add_signed(stride.wrapping_mul(i64::from(lane)));
            self.one(place, at, now.lane(lane));
        }
    }

    /// Neighbouring lanes access neighbouring elements, the first of which begins where a cell does.
    fn neighbours(&mut self, place: Place, address: u64, count: u32, now: Now) {
        let size = now.code.bytes;
        let lanes = |this: &mut Self, lanes: Range<u32>, now: Now| {
            lanes.for_each(|lane| this.one(place, address + u64::from(size * lane), now.lane(lane)));
        };
        let bytes = u64::from(size * count);
        if now.code.values {
            if now.code.kind.writes {
                self.written(place, address, bytes);
            } else if (0..bytes).step_by(64).any(|at| self.unwritten(place, address + at, (bytes - at).min(64)) != 0) {
                return lanes(self, 0..count, now);
            }
        }
        let now = Now { code: Code { values: false, ..now.code }, ..now };
        if !now.code.races {
            return;
        }
        let n_cells = (bytes / 4) as usize;
        let local = (address.wrapping_sub(self.local_start) / 4) as usize;
        let (cells, first, segment) = match place {
            Place::Private => return,
            Place::Local => {
                let cells = self.local_cells.get_mut(local..local + n_cells);
                (cells.map(<[u64]>::as_mut_ptr), self.local_segment, self.local_segment)
            }
            Place::Global if self.segment == 0 => return,
            Place::Global => {
                // Of one region: the next one's cells lie elsewhere.
                let cells = shadow::cells(address).filter(|_| address >> 32 == (address + bytes) >> 32);
                (cells, self.launch.ticket.first, self.segment)
            }
        };
        let Some(cells) = cells else { return lanes(self, 0..count, now) };
        // Lanes of a cell, or cells of a lane.
        let (per_cell, per_lane) = (4 / size.clamp(1, 4), (size / 4).max(1));
        let fresh = Cell::fresh(now.access(15), segment).of_elements(size);
        for n in 0..n_cells as u32 {
            let lane = n / per_lane * per_cell;
            let fresh = fresh.by(now.item + u64::from(lane));
            // SAFETY: there are as many cells.
            if unsafe { is_usual(cells.add(n as usize), fresh, now.access(15), [first, segment]) } {
                continue;
            }
            match per_lane {
                1 if per_cell > 1 => {
                    // Those whose bytes others have touched first: of two groups a cell keeps the last.
                    // SAFETY: as in `is_usual`.
                    let old = Cell(unsafe { &*cells.add(n as usize).cast::<AtomicU64>() }.load(Relaxed));
                    let others = old.bytes_against(now.code.kind);
                    let is_touched = |lane: &u32| others >> ((lane % per_cell) * size) & 15 >> (4 - size) != 0;
                    let all = lane..lane + per_cell;
                    for lane in all.clone().filter(is_touched).chain(all.filter(|lane| !is_touched(lane))) {
                        lanes(self, lane..lane + 1, now);
                    }
                }
                1 => lanes(self, lane..lane + 1, now),
                _ => {
                    let word = address + 4 * u64::from(n);
                    let (now, at) = (now.lane(lane), address + u64::from(size * lane));
                    self.word(place, word, now.access(15), at, now);
                }
            }
        }
        lanes(self, (4 * n_cells as u32 / size).min(count)..count, now);
    }

    /// All lanes of the mask access one place: as many as can tell each other's accesses apart.
    fn same(&mut self, env: &Env, address: u64, mask: u64, now: Now) {
        let place = self.place(env, address, now.code.space);
        // Two writers are a race already: what the others write says whether it is benign.
        let many = now.code.kind.writes && !now.code.kind.atomic;
        let mut left = mask;
        for _ in 0..if many { 64 } else { 2 } {
            if left != 0 && place != Place::Private {
                let lane = left.trailing_zeros();
                left &= left - 1;
                self.one(place, address, now.lane(lane));
            }
        }
    }

    /// A work-item's access.
    fn one(&mut self, place: Place, address: u64, now: Now) {
        if now.code.bytes == 0 {
            // SAFETY: the caller's promise: a number lies there.
            let bytes = if now.value.is_null() { 0 } else { unsafe { now.value.cast::<u64>().read_unaligned() } };
            if self.last_range != (address, bytes) {
                self.last_range = (address, bytes);
                self.written(place, address, bytes);
            }
            return;
        }
        let bytes = u64::from(now.code.bytes);
        if now.code.values {
            if now.code.kind.writes && !now.code.reads {
                self.written(place, address, bytes);
            } else if !self.is_written(place, address, bytes, now.code.components) {
                self.report_unwritten(place, address, now);
                if now.code.kind.writes {
                    self.written(place, address, bytes);
                }
            }
        }
        if !now.code.races {
            return;
        }
        let (mut at, end) = (address, address + bytes);
        while at < end {
            let word = at & !3;
            let stop = end.min(word + 4);
            let bytes = (15u8 >> (4 - (stop - at))) << (at - word);
            if !self.word(place, word, now.access(bytes), address, now) {
                return;
            }
            at = stop;
        }
    }

    /// An access to bytes of one cell; false if it was reported.
    #[inline]
    fn word(&mut self, place: Place, word: u64, access: Access, address: u64, now: Now) -> bool {
        let is_plain = !access.kind.atomic;
        if place == Place::Local {
            let n = (word.wrapping_sub(self.local_start) / 4) as usize;
            let Some(&old) = self.local_cells.get(n) else { return true };
            let (old, segment) = (Cell(old), self.local_segment);
            if is_plain && let Some(new) = old.quick(Cell::fresh(access, segment), access, segment, segment) {
                self.local_cells[n] = new.0;
                return true;
            }
            let relation = if old.segment() == segment { Relation::Same } else { Relation::Past };
            let (new, clash) = old.step(access, segment, relation);
            self.local_cells[n] = new.0;
            return clash.is_none_or(|clash| self.clash(place, address, now, clash));
        }
        let (Some(cell), true) = (shadow::cells(word), self.segment != 0) else { return true };
        let (fresh, range) = (Cell::fresh(access, self.segment), [self.launch.ticket.first, self.segment]);
        // SAFETY: the cell is there.
        if is_plain && unsafe { is_usual(cell, fresh, access, range) } {
            return true;
        }
        // SAFETY: as in `is_usual`.
        let cell = unsafe { &*cell.cast::<AtomicU64>() };
        let old = Cell(cell.load(Relaxed));
        let relation = self.relation(old.segment());
        let (mut new, clash) = old.step(access, self.segment, relation);
        let is_shared_now = new.is_read_by_groups() && !old.is_read_by_groups();
        if is_shared_now && self.launch.ticket.has(old.segment()) {
            let first = shadow::segment(old.segment()).group_near(self.group);
            new = new.set_distance(self.group.wrapping_sub(first) as i64);
        }
        if new != old {
            cell.store(new.0, Relaxed);
        }
        clash.is_none_or(|clash| self.clash(place, address, now, clash))
    }

    // ---- memory never written

    /// Of so many bytes, at most 64: a bit for each that nobody has written.
    fn unwritten(&self, place: Place, address: u64, bytes: u64) -> u64 {
        match place {
            Place::Global => shadow::unwritten(address, bytes as u32),
            Place::Local => self.local_written.unwritten(address, bytes),
            Place::Private => 0,
        }
    }

    fn is_written(&self, place: Place, address: u64, bytes: u64, components: u32) -> bool {
        let unwritten = self.unwritten(place, address, bytes);
        // Of a vector, others than those that were written may not matter.
        let all = u64::MAX >> (64 - bytes.clamp(1, 64));
        unwritten == 0 || components > 1 && unwritten != all
    }

    fn written(&mut self, place: Place, address: u64, bytes: u64) {
        match place {
            Place::Global => shadow::set_written(address, bytes),
            Place::Local => self.local_written.set_written(address, bytes),
            Place::Private => {}
        }
    }

    // ---- reports

    /// Reports a race, unless something orders the two after all; false if it did.
    #[cold]
    fn clash(&mut self, place: Place, address: u64, now: Now, clash: Clash) -> bool {
        let item = now.item as u32;
        let is_local = place == Place::Local;
        let of_launch = is_local || self.launch.ticket.has(clash.segment);
        let distance = clash.distance.filter(|&n| n != 0).map(i64::from);
        let segment = shadow::segment(clash.segment);
        let group = match () {
            () if is_local => Some(self.group),
            () if clash.distance == Some(0) => None,
            () if !of_launch => Some(segment.group().wrapping_add_signed(distance.unwrap_or(0))),
            () => Some(segment.group_near(self.group).wrapping_add_signed(distance.unwrap_or(0))),
        };
        let is_group = of_launch && group == Some(self.group);
        if is_group {
            let same_sub_group =
                |other: u16| self.sub_group != 0 && u32::from(other) / self.sub_group == item / self.sub_group;
            if clash.item.is_some_and(same_sub_group) || self.has_released && self.has_acquired {
                return true;
            }
        }
        let is_shared = clash.distance.is_some();
        if !of_launch && !is_shared {
            let ticket = &self.launch.ticket;
            let is_past = match clash.item {
                Some(item) => ticket.has_point(clash.segment, item),
                // Of all that the group did some came before.
                None => ticket.has_points(clash.segment, clash.in_segment),
            };
            if is_past {
                return true;
            }
        }
        // Others that have read it may have told that they have.
        if is_shared && self.has_released && self.has_acquired {
            return true;
        }
        let kinds = [clash.kind.writes, clash.kind.atomic, is_local];
        let launch = if of_launch { 0 } else { segment.launch };
        let seen = |benign| Seen::Race { here: now.code.site, there: clash.site, launch, kinds, benign };
        let plain_write = |kind: Kind| kind.writes && !kind.atomic;
        let both_write = plain_write(clash.kind) && plain_write(now.code.kind);
        let same = || self.writes_the_same(address, now, &clash, is_group);
        let soon = || {
            // SAFETY: what is written is in memory of the caller's.
            let mine = unsafe { std::slice::from_raw_parts(now.value, now.code.bytes as usize) };
            let (segment, awaits, value) = (self.segment, clash.segment, mine.to_vec());
            self.launch.intents.come_true(&Intent { segment, awaits, address, value }, same)
        };
        let can_wait = !is_group
            && !now.value.is_null()
            && self.met != Some(seen(false))
            && !self.launch.has(seen(false))
            && self.launch.ticket.is_running(clash.segment);
        let benign = both_write && (same() || can_wait && soon());
        let there = Side {
            kind: clash.kind,
            site: clash.site.map(u16::from),
            who: WorkItem { group, item: clash.item.map(u32::from) },
        };
        let met = Some(seen(benign));
        if self.met != met && self.launch.is_new(seen(benign)) {
            let here = Side { kind: now.code.kind, site: Some(now.code.site), who: self.me(item) };
            let (bytes, order) = (now.code.bytes, self.order);
            let other = if of_launch { None } else { self.launch.ticket.other(clash.segment) };
            // Of several that have read it one is known, and that may be this group.
            let is_anyone = clash.distance == Some(0) && !is_local && self.launch.ticket.has_company();
            let address = self.told(address, is_local);
            let race = Race { address, bytes, is_local, here, there, of_launch, is_anyone, benign, order };
            self.found.push((race, other));
        }
        self.met = met;
        false
    }

    #[inline]
    fn report_found(&mut self) {
        if !self.found.is_empty() {
            self.found.drain(..).for_each(|(race, other)| self.launch.sink.race(&race, other.as_ref()));
        }
    }

    /// An address, as reports have it.
    fn told(&self, address: u64, is_local: bool) -> u64 {
        // A bad pointer may lead in front of it.
        if is_local { address.wrapping_sub(self.local_start) } else { address }
    }

    fn me(&self, item: u32) -> WorkItem {
        WorkItem { group: Some(self.group), item: Some(item) }
    }

    /// True if a write is of what the memory holds, which another has written, or is about to write in a lane of the
    /// same vector.
    fn writes_the_same(&self, address: u64, now: Now, clash: &Clash, is_group: bool) -> bool {
        if now.value.is_null() {
            return false;
        }
        let n = now.code.bytes as usize;
        // A lane of the same vector that came before has not written yet, either.
        let first = now.item - u64::from(now.lane);
        let is_same_site = is_group && clash.site == Some(short_site(now.code.site));
        let other = clash.item.filter(|_| is_same_site).and_then(|item| u64::from(item).checked_sub(first));
        let lane = other.filter(|&lane| lane < u64::from(now.lane) && now.mask >> lane & 1 != 0);
        // It may be another time that it was there.
        // SAFETY: an active lane.
        let lane = lane.filter(|&lane| unsafe { now.place_of(lane as u32) } == address);
        // SAFETY: the value is in memory of the caller's, and so is that of each other lane of the vector; the address
        // is about to be written.
        unsafe {
            let mine = std::slice::from_raw_parts(now.value, n);
            match lane {
                Some(_) if !now.code.lanes => true,
                Some(lane) => {
                    let back = (u64::from(now.lane) - lane) as usize * n;
                    mine == std::slice::from_raw_parts(now.value.sub(back), n)
                }
                None => mine == std::slice::from_raw_parts(address as *const u8, n),
            }
        }
    }

    #[cold]
    fn report_unwritten(&self, place: Place, address: u64, now: Now) {
        if self.launch.is_new(Seen::Unwritten(now.code.site)) {
            let (bytes, is_local, site) = (now.code.bytes, place == Place::Local, now.code.site);
            let (address, who) = (self.told(address, is_local), self.me(now.item as u32));
            self.launch.sink.unwritten(&Unwritten { address, bytes, is_local, site, who, order: self.order });
        }
    }
}

/// Makes what becomes of a cell by `Cell::quick`; false if that says nothing. `range` is the first segment that is not
/// past, and the current one.
///
/// # Safety
/// There is a cell. Other threads may write it meanwhile: then one of the two accesses is forgotten.
#[inline]
unsafe fn is_usual(cell: *mut u64, fresh: Cell, access: Access, [first, segment]: [u32; 2]) -> bool {
    // SAFETY: the caller's promise.
    let word = unsafe { &*cell.cast::<AtomicU64>() };
    let old = Cell(word.load(Relaxed));
    let new = old.quick(fresh, access, first, segment);
    if let Some(new) = new.filter(|new| *new != old) {
        word.store(new.0, Relaxed);
    }
    new.is_some()
}

/// What generated code calls beside an access, or beside those of all lanes: where, by whom (a mask of lanes and the
/// number of lane 0's work-item in the group), what is written (or null; in lanes, or one for all) and what kind of
/// access it is.
///
/// # Safety
/// `env` is that of the groups that run; its `races` is null or a worker that nobody else uses. What `form` says of
/// `address` and `value` is true.
pub unsafe extern "C" fn track(address: u64, env: *const Env, mask: u64, item: u64, value: *const u8, code: u64) {
    // SAFETY: the caller's promise.
    let (worker, env) = unsafe { ((*env).races.cast::<Worker<'static>>().as_mut(), &*env) };
    let Some(worker) = worker else { return };
    worker.report_found();
    let code = Code::from_bits(code);
    let now = Now { code, item, address, value, mask, lane: 0 };
    if code.kind.atomic {
        worker.order(code.order);
    }
    if !worker.copies.is_empty() && code.bytes > 0 {
        let mut left = mask;
        while left != 0 {
            let lane = left.trailing_zeros();
            left &= left - 1;
            // SAFETY: an active lane.
            worker.meets_copies(unsafe { now.place_of(lane) }, now.lane(lane));
        }
    }
    match code.form {
        Form::One => {
            let place = worker.place(env, address, code.space);
            if place != Place::Private {
                worker.one(place, address, now);
            }
        }
        Form::Same => worker.same(env, address, mask, now),
        Form::Line(stride) => worker.line(env, address, mask, stride.into(), now),
        Form::Table => {
            let mut left = mask;
            while left != 0 {
                let lane = left.trailing_zeros();
                left &= left - 1;
                // SAFETY: an address for each lane lies there.
                let at = unsafe { *(address as *const u64).add(lane as usize) };
                let place = worker.place(env, at, code.space);
                if place != Place::Private {
                    worker.one(place, at, now.lane(lane));
                }
            }
        }
    }
}

/// What generated code calls where work-items meet.
///
/// # Safety
/// As for `track`.
pub unsafe extern "C" fn meet(code: u64, env: *const Env, value: u64, more: u64) {
    // SAFETY: the caller's promise.
    let (worker, env) = unsafe { ((*env).races.cast::<Worker<'static>>().as_mut(), &*env) };
    if let Some(worker) = worker {
        worker.report_found();
        worker.meet(env, Meeting::from_bits(code), [value, more]);
    }
}
