//! Cells against a model that forgets nothing.

use super::before::Before;
use super::cell::{Access, Cell, Clash, Kind, Relation};
use super::*;

/// A generator of numbers (xorshift).
struct Rng(u64);

impl Rng {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) % n
    }
}

/// An access and who did it.
#[derive(Clone, Copy, Debug)]
struct Event {
    group: u32,
    /// Barriers of the group before it.
    epoch: u32,
    access: Access,
}

impl Event {
    fn races_with(&self, other: &Self) -> bool {
        let (a, b) = (self.access, other.access);
        let unordered = self.group != other.group || self.epoch == other.epoch && a.item != b.item;
        unordered && a.bytes & b.bytes != 0 && (a.kind.writes || b.kind.writes) && !(a.kind.atomic && b.kind.atomic)
    }
}

/// A cell, and everything that happened to it.
struct Both {
    cell: Cell,
    events: Vec<Event>,
    /// Of each segment, whose it is.
    segments: Vec<(u32, u32)>,
}

impl Both {
    fn segment(&mut self, group: u32, epoch: u32) -> u32 {
        let found = self.segments.iter().position(|&s| s == (group, epoch));
        let n = found.unwrap_or_else(|| {
            self.segments.push((group, epoch));
            self.segments.len() - 1
        });
        n as u32 + 1
    }

    /// Adds an access: what the cell says, and with which events it really races.
    fn add(&mut self, event: Event) -> (Option<Clash>, Vec<Event>) {
        let segment = self.segment(event.group, event.epoch);
        let old = self.cell.segment();
        let relation = match old.checked_sub(1).map(|n| self.segments[n as usize]) {
            None => Relation::Past,
            Some(_) if old == segment => Relation::Same,
            Some((group, _)) if group == event.group => Relation::Earlier,
            Some(_) => Relation::Other,
        };
        let (cell, clash) = self.cell.step(event.access, segment, relation);
        self.cell = cell;
        let real = self.events.iter().filter(|e| e.races_with(&event)).copied().collect();
        self.events.push(event);
        (clash, real)
    }
}

/// Runs random accesses of a few work-items of a few groups, group by group or mixed; how many first races there were,
/// and how many of those the cells saw.
fn run(seed: u64, sizes: &[u32], atomics: bool) -> (u32, u32) {
    let mut rng = Rng(seed * 0x9e37_79b9 + 1);
    let (mut real_races, mut seen) = (0, 0);
    for _ in 0..4000 {
        let mut both = Both { cell: Cell::default(), events: Vec::new(), segments: Vec::new() };
        let groups = 1 + rng.below(3) as u32;
        let mut epochs = vec![0; groups as usize];
        let writes_in = 1 + rng.below(6);
        let is_in_order = rng.below(2) == 0;
        let n = 1 + rng.below(10) as u32;
        for k in 0..n {
            let group = if is_in_order { k * groups / n } else { rng.below(groups.into()) as u32 };
            epochs[group as usize] += u32::from(rng.below(4) == 0);
            let size = sizes[rng.below(sizes.len() as u64) as usize];
            let at = rng.below(u64::from(4 / size)) as u32 * size;
            let bytes = (((1u32 << size) - 1) << at) as u8;
            let kind = Kind { writes: rng.below(writes_in) == 0, atomic: atomics && size == 4 && rng.below(2) == 0 };
            // Several do the same, and some at other places.
            let access = Access { item: rng.below(4) as u16, bytes, kind, site: rng.below(3) as u8 };
            let event = Event { group, epoch: epochs[group as usize], access };
            let (clash, real) = both.add(event);
            let all = format!("{:?}", both.events);
            if let Some(clash) = clash {
                assert!(!real.is_empty(), "seed {seed}: a race that is none: {clash:?} in {all}");
                check_names(&both, &clash, &real, &all);
            }
            if !real.is_empty() {
                real_races += 1;
                seen += u32::from(clash.is_some());
                // What comes behind is not compared: the cell has forgotten who raced.
                break;
            }
        }
    }
    (real_races, seen)
}

/// What the cell says of the other side is true of one of those that the access races with.
fn check_names(both: &Both, clash: &Clash, real: &[Event], all: &str) {
    let (group, _) = both.segments[clash.segment as usize - 1];
    let is_far = clash.distance.is_some();
    // Of plain and atomic accesses by one work-item the cell keeps one kind.
    let is_mixed = both.events.iter().any(|e| e.access.kind.atomic);
    let fits = |e: &&Event| {
        (is_far || e.group == group)
            && clash.item.is_none_or(|item| e.access.item == item)
            && clash.site.is_none_or(|site| is_mixed || e.access.site == site)
            && (is_mixed || clash.kind.writes == e.access.kind.writes)
    };
    assert!(real.iter().any(|e| fits(&e)), "{clash:?} is none of {real:?} in {all}");
}

#[test]
fn of_whole_cells_every_first_race_is_seen() {
    for seed in 1..20 {
        let (real, seen) = run(seed, &[4], false);
        assert!(real > 500, "{real}");
        assert_eq!(real, seen, "seed {seed}");
    }
}

#[test]
fn parts_of_cells_give_no_false_alarm() {
    for (seed, sizes) in [&[1][..], &[2], &[1, 2], &[1, 2, 4]].iter().enumerate() {
        let (real, seen) = run(seed as u64 + 100, sizes, false);
        assert!(real > 500 && seen * 10 >= real * 6, "{seen} of {real} for {sizes:?}");
    }
}

#[test]
fn atomics_give_no_false_alarm() {
    for seed in 1..20 {
        let (real, seen) = run(seed + 200, &[4], true);
        assert!(real > 500 && seen * 10 >= real * 8, "{seen} of {real}");
    }
}

#[test]
fn neighbours_keep_their_bytes() {
    for (size, n) in [(1u32, 4u16), (2, 2)] {
        let kind = |writes| Kind { writes, atomic: false };
        let access = |item: u16, k: u16, writes| {
            let bytes = (((1u32 << size) - 1) << (u32::from(k) * size)) as u8;
            Access { item, bytes, kind: kind(writes), site: 1 }
        };
        let mut cell = Cell::default();
        for k in 0..n {
            let relation = if k == 0 { Relation::Past } else { Relation::Same };
            let (next, clash) = cell.step(access(20 + k, k, true), 5, relation);
            assert_eq!(clash, None);
            cell = next;
        }
        for k in 0..n {
            let (_, own) = cell.step(access(20 + k, k, false), 5, Relation::Same);
            let (_, other) = cell.step(access(7, k, false), 5, Relation::Same);
            assert_eq!(own, None);
            assert_eq!(other.and_then(|clash| clash.item), Some(20 + k));
        }
    }
}

#[test]
fn codes_go_there_and_back() {
    let code = Code {
        bytes: 12,
        site: 4000,
        kind: Kind { writes: true, atomic: true },
        order: Order { releases: true, acquires: false },
        reads: true,
        space: Space::Generic,
        form: Form::Line(-4096),
        components: 3,
        races: true,
        values: false,
        lanes: true,
    };
    assert_eq!(Code::from_bits(code.to_bits()), code);
    for meeting in [
        Meeting::Group { order: [1, 2, 0] },
        Meeting::Barrier { local: true, global: false, copies: true },
        Meeting::SubGroup { items: 16 },
        Meeting::Fence,
        Meeting::Arrive { site: 70_000 },
        Meeting::Apart,
        Meeting::Copy { site: u32::MAX },
        Meeting::CopySide { writes: true },
        Meeting::Wait,
        Meeting::Compare { site: u32::MAX, arg: 3 },
        Meeting::Come { site: 5, first: 64 },
        Meeting::Disagree { site: u32::MAX, first: (1 << 28) - 1 },
        Meeting::End,
    ] {
        assert_eq!(Meeting::from_bits(meeting.to_bits()), meeting);
    }
}

#[test]
fn bits_of_bytes_never_written() {
    // Addresses that nobody has: the shadow alone is touched.
    let start = (77u64 << 32) - 200;
    shadow::set_unwritten(start, 400);
    let is_unwritten = |at: u64| shadow::unwritten(at, 1) != 0;
    assert!((0..400).all(|n| is_unwritten(start + n)) && !is_unwritten(start - 1) && !is_unwritten(start + 400));
    shadow::set_written(start + 190, 20);
    assert!((0..400).all(|n| is_unwritten(start + n) != (190..210).contains(&n)));
    assert_eq!(shadow::unwritten(start + 188, 4), 3);
    shadow::copy_unwritten(start + 4000, start + 180, 100);
    assert!((0..100).all(|n| is_unwritten(start + 4000 + n) != (10..30).contains(&n)));
    shadow::forget(start, 8000);
    assert!((0..8000).all(|n| !is_unwritten(start + n)));
}

#[test]
fn the_site_of_another_atomic_is_not_this_work_items_own() {
    let by = |item, site, atomic| Access { item, bytes: 15, kind: Kind { writes: true, atomic }, site };
    let cell = Cell::fresh(by(0, 1, true), 1);
    let (cell, clash) = cell.step(by(1, 2, true), 1, Relation::Same);
    assert_eq!(clash, None);
    let (_, clash) = cell.step(by(0, 3, false), 1, Relation::Same);
    let clash = clash.expect("the other's atomic operation");
    assert_eq!((clash.item, clash.site), (None, None));
}

#[test]
fn a_write_is_not_hidden_by_the_same_work_items_atomic() {
    let kind = |writes, atomic| Kind { writes, atomic };
    let access = |item, kind| Access { item, bytes: 15, kind, site: 1 };
    let cell = Cell::fresh(access(0, kind(true, false)), 1);
    let (cell, clash) = cell.step(access(0, kind(true, true)), 1, Relation::Same);
    assert_eq!(clash, None);
    let (_, clash) = cell.step(access(1, kind(true, true)), 1, Relation::Same);
    assert_eq!(clash.map(|clash| (clash.item, clash.kind)), Some((Some(0), kind(true, false))));
}

#[test]
fn words_of_segments_that_ended_are_given_back() {
    let _alone = LAUNCHES.lock();
    // Other tests may have launches under way, which keep them.
    let is_given_back = || {
        let ticket = take(0, &[]);
        let segment = shadow::new_segment(ticket.launch, 77).expect("segments");
        (0..1 << 17).for_each(|n| _ = shadow::new_segment(ticket.launch, n));
        assert!(shadow::segment(segment).is_of(77));
        drop(ticket);
        let next = take(0, &[]);
        let last = shadow::new_segment(next.launch, 78).expect("segments");
        assert!(shadow::segment(last).is_of(78));
        // The first page may have words that are still wanted.
        (segment + 1024..segment + 2048).all(|n| shadow::segment(n).launch == 0)
    };
    assert!((0..20).any(|_| is_given_back()));
}

#[test]
fn groups_far_away_are_told_apart_and_named() {
    let _alone = LAUNCHES.lock();
    let (one, other) = (take(0, &[]), take(0, &[]));
    assert_ne!(one.launch, other.launch);
    for group in [0, 1, (1 << 25) - 1, 1 << 25, (1 << 32) + 5, u64::MAX - 3] {
        let segment = shadow::segment(shadow::new_segment(one.launch, group).expect("segments"));
        assert!(segment.is_of(group) && segment.launch == one.launch);
        for near in [group, group.wrapping_add(1 << 24), group.wrapping_sub((1 << 24) - 1)] {
            assert_eq!(segment.group_near(near), group, "near {near}");
            assert_eq!(segment.is_of(near), near == group);
        }
    }
}

/// Launches of one test must not take numbers from another's.
static LAUNCHES: std::sync::Mutex<()> = std::sync::Mutex::new(());

/// A launch of a command that happened after these.
fn take(command: u64, after: &[u64]) -> order::Ticket {
    let follows = |other: u64| after.contains(&other);
    let of = order::Command { number: command, follows: &follows, before: None };
    order::Ticket::take(&of, std::sync::Arc::new(command))
}

/// A launch that a kernel of a command enqueued, behind these parts of it.
fn take_part(command: u64, before: &Before) -> order::Ticket {
    let of = order::Command { number: command, follows: &|_| false, before: Some(before) };
    order::Ticket::take(&of, std::sync::Arc::new(command))
}

#[test]
fn launches_race_unless_their_commands_are_ordered() {
    let _alone = LAUNCHES.lock();
    let segment_of = |ticket: &order::Ticket| shadow::new_segment(ticket.launch, 7).expect("segments");
    // Commands whose numbers no other test has.
    let [a, b, c, d] = [1001, 1002, 1003, 1004];
    let one = take(a, &[]);
    let of_a = segment_of(&one);
    drop(one);
    let two = take(b, &[]);
    let of_b = segment_of(&two);
    assert_eq!(two.relation(of_a, 7, false), Relation::Other);
    assert_eq!(two.relation(of_b, 7, false), Relation::Earlier);
    assert_eq!(two.other(of_a).and_then(|other| other.peer.downcast_ref::<u64>().copied()), Some(a));
    drop(two);
    // After one of them, and in one command with it.
    let three = take(c, &[b]);
    let of_c = segment_of(&three);
    assert_eq!(three.relation(of_a, 7, false), Relation::Other);
    assert_eq!(three.relation(of_b, 7, false), Relation::Past);
    drop(three);
    let again = take(c, &[b]);
    assert_eq!(again.relation(of_c, 7, false), Relation::Past);
    let four = take(d, &[a, b, c]);
    assert_eq!(four.relation(segment_of(&again), 7, false), Relation::Other, "it is under way");
    assert_eq!(four.relation(of_c, 7, false), Relation::Past);
    // What is released comes before all that has acquired.
    shadow::release(of_a);
    assert_eq!(take(1005, &[]).relation(of_a, 8, true), Relation::Past);
}

#[test]
fn parts_of_a_command_race_unless_one_is_behind_the_other() {
    let _alone = LAUNCHES.lock();
    let segment_of = |ticket: &order::Ticket, group: u64| shadow::new_segment(ticket.launch, group).expect("segments");
    let head = take(1101, &[]);
    let (early, now, later) = (segment_of(&head, 7), segment_of(&head, 7), segment_of(&head, 8));
    let point = before::Point { of: head.name(), group: 7, segment: now, item: 3, sub_group: 0, has_acquired: false };
    let mut before = Before::default();
    before.add_point(point);
    let child = take_part(1101, &before);
    let relations = |ticket: &order::Ticket| [early, now, later].map(|segment| ticket.relation(segment, 0, false));
    assert_eq!(relations(&child), [Relation::Past, Relation::Other, Relation::Other]);
    assert_eq!([3, 4].map(|item| child.has_point(now, item)), [true, false]);
    assert!(child.has_points(now, false) && !child.has_points(now, true) && !child.has_points(later, false));
    assert!(!child.has_point(later, 3) && !child.has_acquired);
    assert!(child.is_running(now) && child.has_company());
    assert!(child.other(now).is_some_and(|other| other.is_same_command));
    before.add_point(point.end());
    assert_eq!(relations(&take_part(1101, &before)), [Relation::Past, Relation::Past, Relation::Other]);
    drop(head);
    assert!(!child.is_running(now));
    assert_eq!(relations(&child), [Relation::Past, Relation::Other, Relation::Other]);
    let of_child = segment_of(&child, 0);
    let sibling = take_part(1101, &before);
    assert_eq!(sibling.relation(of_child, 0, false), Relation::Other);
    drop(child);
    before.add(point.of);
    let last = take_part(1101, &before);
    assert_eq!(relations(&last), [Relation::Past; 3]);
    assert_eq!(last.relation(of_child, 0, false), Relation::Other, "it is not known to have ended");
    assert_eq!(take(1102, &[1101]).relation(of_child, 0, false), Relation::Past, "the command has");
}

#[test]
fn the_oldest_launches_are_forgotten_and_their_numbers_used_again() {
    let _alone = LAUNCHES.lock();
    let mut segments = Vec::new();
    for n in 0..200 {
        let ticket = take(2000 + n, &[]);
        segments.push(shadow::new_segment(ticket.launch, n).expect("segments"));
    }
    let last = take(2300, &[]);
    let relation = |n: usize| last.relation(segments[n], 0, false);
    assert_eq!([relation(0), relation(100), relation(199)], [Relation::Past, Relation::Past, Relation::Other]);
}

#[test]
fn launches_without_segments_and_beyond_all_numbers_are_ordered_by_time() {
    let _alone = LAUNCHES.lock();
    // Nothing comes between them.
    (0..3).for_each(|n| drop(take(3000 + n, &[])));
    let under_way: Vec<_> = (0..70).map(|n| take(3100 + n, &[])).collect();
    let (last, before) = (under_way.last().expect("some"), take(3200, &[]));
    let segment = shadow::new_segment(before.launch, 1).expect("segments");
    assert_eq!(last.launch, before.launch, "there are no more numbers");
    drop(before);
    drop(under_way);
    assert_eq!(take(3201, &[3200]).relation(segment, 2, false), Relation::Past);
    let forked = take(3202, &[]);
    order::forked();
    let segment = shadow::new_segment(forked.launch, 1).expect("segments");
    assert_eq!(
        take(3203, &[]).relation(segment, 2, false),
        Relation::Past,
        "the parent's launches are not the child's"
    );
}

#[test]
#[allow(unsafe_code, reason = "cells by address")]
fn memory_that_is_gone_has_no_past() {
    let memory = vec![0u32; 64];
    let address = memory.as_ptr().addr() as u64;
    // SAFETY: each cell is there, and used by this thread and by nothing else at a time.
    let cell = |n: u64| unsafe { &mut *shadow::cells(address + 4 * n).expect("memory") };
    (0..64).for_each(|n| *cell(n) = 1);
    shadow::forget(address + 5, 40);
    assert_eq!((0..14).map(|n| *cell(n)).collect::<Vec<_>>(), [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1]);
}

#[test]
fn nothing_is_reserved_for_memory_that_is_gone() {
    // Addresses of which no other test has any.
    let address = 0x1234_5678_9000;
    shadow::forget(address + 8, 100);
    shadow::forget(address, 1 << 20);
    assert!(!shadow::has_cells(address));
}

/// Else each buffer would lie in a region of its own, behind the shadow of the one before.
#[test]
fn shadows_do_not_lie_where_the_next_buffers_will() {
    // Large enough to be mappings of their own.
    let buffer = || vec![0u8; 40 << 20];
    let first = buffer();
    let cells = (0x5123..0x5127).map(|region| shadow::cells(region << 32).expect("there are addresses"));
    assert_eq!(cells.filter(|cell| !cell.is_null()).count(), 4);
    let second = buffer();
    assert!(first.as_ptr().addr().abs_diff(second.as_ptr().addr()) < 1 << 32);
}
