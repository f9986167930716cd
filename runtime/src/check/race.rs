//! Reports of races inside a launch and of memory that nobody has written: who, where, and in which object, from the
//! names that `clift_jit::race` has for them. Also tells that what the host does to buffers. Knows nothing of shadow
//! memory.

use super::kernel::Watch;
use super::now;
use super::objects::{self, Object, What};
use super::report::name_other_program;
use super::{Item, Kind, Kinds, Place, Report, Side, Site};
use crate::exec::geometry::{Geometry, split};
use crate::exec::ndrange::Compiled;
use crate::memory::buffer::Mem;
use crate::object::Obj;
use crate::program::executable::Executable;
use clift_jit::ir::origin::Origin;
use clift_jit::ir::{Met, MetKind, Tracked};
use clift_jit::race::order::{Command, Other};
use clift_jit::race::{
    self, Apart, Differ, Early, Elsewhere, Race, Sink, Sites, Tracking, Unwaited, Unwritten, WorkItem, shadow,
};
use std::sync::{Arc, Weak};

/// Tracks the accesses of a launch that begins now, of the command that this thread runs.
pub(crate) fn begin(watch: &Arc<Watch>, compiled: &Arc<Compiled>, geometry: Geometry) -> Tracking {
    let accesses = tells_of_accesses(compiled);
    let names = Names { watch: Arc::clone(watch), compiled: Arc::clone(compiled), geometry };
    let peer = Arc::new(Peer {
        program: watch.program,
        kernel: watch.info().name.clone(),
        executable: Arc::downgrade(watch.executable()),
        compiled: Arc::downgrade(compiled),
        geometry,
    });
    let now = now::running();
    let follows = |other: u64| now.as_ref().is_some_and(|now| now.follows(other));
    let before = now.as_ref().and_then(|now| now.before());
    let command = Command { number: now.as_ref().map_or(0, |now| now.number()), follows: &follows, before };
    let tracking = Tracking::new(Arc::new(names), &command, peer, accesses);
    now.iter().for_each(|now| now.begins(tracking.name()));
    tracking
}

/// True if code tells what it accesses.
pub(crate) fn tells_of_accesses(compiled: &Compiled) -> bool {
    Sites::of(&compiled.code).is_some_and(|sites| !sites.tracked.is_empty())
}

/// Whether it is to be known what has been written: as soon as a program might ask.
pub(super) fn watches_values() -> bool {
    super::enabled(Kinds::VALUES) || objects::has_checked()
}

/// A buffer was made, and nobody has written it.
pub(crate) fn memory_made(address: usize, size: usize) {
    if watches_values() {
        shadow::set_unwritten(address as u64, size as u64);
    }
}

/// The host has written memory, or may.
pub(crate) fn memory_written(address: usize, size: usize) {
    if watches_values() {
        shadow::set_written(address as u64, size as u64);
    }
}

/// Something that does not tell what it writes may write these.
pub(crate) fn memory_unknown(buffers: &[Obj<Mem>]) {
    for buffer in buffers {
        memory_written(buffer.data_address(), buffer.size());
    }
}

/// Memory was copied, with what nobody has written of it.
pub(crate) fn memory_copied(to: usize, from: usize, size: usize) {
    if watches_values() {
        shadow::copy_unwritten(to as u64, from as u64, size as u64);
    }
}

/// Memory is free.
pub(crate) fn memory_gone(address: usize, size: usize) {
    if watches_values() || super::enabled(Kinds::RACES) {
        shadow::forget(address as u64, size as u64);
    }
}

/// What is remembered of a launch, for later ones that race with it. It keeps nothing alive.
struct Peer {
    program: u32,
    kernel: String,
    executable: Weak<Executable>,
    compiled: Weak<Compiled>,
    geometry: Geometry,
}

/// Says what a launch's numbers are.
struct Names {
    watch: Arc<Watch>,
    compiled: Arc<Compiled>,
    geometry: Geometry,
}

impl Sink for Names {
    fn race(&self, race: &Race, other: Option<&Other>) {
        let Race { is_local, here, there, benign, of_launch, .. } = *race;
        let key = (here.site, there.site, there.kind.writes, there.kind.atomic, is_local, benign, of_launch);
        let peer = other.and_then(|other| other.peer.downcast_ref::<Peer>());
        let with = peer.map(|peer| (peer.program, peer.kernel.as_str()));
        let site = Site::of((self.watch.program, self.watch.kernel, "race", key, with));
        if !super::is_known(site) {
            let is_same_command = other.is_some_and(|other| other.is_same_command);
            let peer = peer.zip(other.map(|other| other.order));
            super::report(site, || self.race_report(race, peer, is_same_command));
        }
    }

    fn unwritten(&self, unwritten: &Unwritten) {
        let site = Site::of((self.watch.program, self.watch.kernel, "unwritten", unwritten.site));
        if !super::is_known(site) {
            super::report(site, || self.unwritten_report(unwritten));
        }
    }

    fn apart(&self, apart: &Apart) {
        let site = Site::of((self.watch.program, self.watch.kernel, "apart", apart.site, apart.elsewhere));
        if !super::is_known(site) {
            super::report(site, || self.apart_report(apart));
        }
    }

    fn unwaited(&self, unwaited: &Unwaited) {
        let by = match unwaited.by {
            Early::End => (None, None),
            Early::Access { site, .. } => (Some(site), None),
            Early::Copy(site) => (None, Some(site)),
        };
        let site = Site::of((self.watch.program, self.watch.kernel, "unwaited", unwaited.copy, by));
        if !super::is_known(site) {
            super::report(site, || self.unwaited_report(unwaited));
        }
    }

    fn differ(&self, differ: &Differ) {
        let site = Site::of((self.watch.program, self.watch.kernel, "differ", differ.site, differ.arg));
        if !super::is_known(site) {
            super::report(site, || self.differ_report(differ));
        }
    }
}

impl Names {
    fn tracked(&self) -> &[Tracked] {
        Sites::of(&self.compiled.code).map_or(&[], |sites| &sites.tracked)
    }

    fn report(&self, kind: Kind, message: String) -> Report {
        let mut report = Report::new(kind, message);
        report.kernel.clone_from(&self.watch.info().name);
        report.program = self.watch.program;
        report
    }

    fn race_report(&self, race: &Race, peer: Option<(&Peer, [u8; 3])>, is_same_command: bool) -> Report {
        let access = race.here.site.and_then(|n| self.tracked().get(usize::from(n)));
        let here = word(race.here.kind, race.bytes);
        let by = match (race.of_launch, race.there.who.group, race.here.who.group) {
            (false, ..) if is_same_command => "another kernel of the command",
            (false, ..) if peer.is_some() => "another command",
            // That is forgotten by now.
            (false, ..) => "another kernel",
            _ if race.is_anyone => "another work-group or kernel",
            (true, Some(a), Some(b)) if a == b => "another work-item of the work-group",
            _ => "a work-item of another work-group",
        };
        let there = word(race.there.kind, 0);
        let what = if race.benign { " (both write the same value)" } else { "" };
        let mut report =
            self.report(Kind::Race, format!("{here} races with {} {there} by {by}{what}", article(race.there.kind)));
        let items = self.item(&race.here.who, race.order).into_iter().collect();
        let first = Side { places: self.places(access), items, ..Side::default() };
        let (other, notes) = match (race.of_launch, peer) {
            (true, _) if race.is_anyone => (Side { label: there.clone(), ..Side::default() }, Vec::new()),
            (true, _) => self.other_side(race, access),
            (false, Some((peer, order))) => (peer.side(&race.there, order), Vec::new()),
            (false, None) => (Side { label: there.clone(), ..Side::default() }, Vec::new()),
        };
        report.is_benign = race.benign;
        report.sides = vec![first, other];
        report.notes = notes;
        self.name_object(&mut report, access, race.address, race.is_local);
        report
    }

    /// The access that came first, as far as it is known.
    fn other_side(&self, race: &Race, access: Option<&Tracked>) -> (Side, Vec<String>) {
        let there = race.there;
        let fits = |t: &&Tracked| t.writes == there.kind.writes && t.atomic == there.kind.atomic;
        let mut might: Vec<&Tracked> = match there.site {
            Some(low) => self.tracked().iter().skip(low.into()).step_by(race::SITES.into()).filter(fits).collect(),
            None => {
                let same = |t: &&Tracked| access.is_none_or(|a| a.arg == t.arg && a.object == t.object);
                self.tracked().iter().filter(fits).filter(same).collect()
            }
        };
        might.dedup_by_key(|t| t.origin);
        let mut notes = Vec::new();
        let places = match might[..] {
            [] => Vec::new(),
            [only] => self.places(Some(only)),
            _ => {
                let line = |t: &&Tracked| self.places(Some(t)).first().map(|place| place.line.to_string());
                let mut lines: Vec<String> = might.iter().filter_map(line).collect();
                lines.dedup();
                notes.push(format!("the other access is one of those in line {}", lines.join(", ")));
                Vec::new()
            }
        };
        let bytes = if let [only] = might[..] { only.bytes } else { 0 };
        let group = match there.who {
            WorkItem { group: Some(group), item: None } => {
                let [x, y, z] = self.geometry.group_id(group, race.order);
                notes.push(format!("the other access is by work-group ({x}, {y}, {z})"));
                Vec::new()
            }
            _ => self.item(&there.who, race.order).into_iter().collect(),
        };
        (Side { label: word(there.kind, bytes), places, items: group, ..Side::default() }, notes)
    }

    fn unwritten_report(&self, unwritten: &Unwritten) -> Report {
        let access = self.tracked().get(usize::from(unwritten.site));
        let of = if unwritten.is_local { "local memory" } else { "memory" };
        let bytes = count(unwritten.bytes);
        let mut report = self.report(Kind::Value, format!("read of {bytes} of {of} that nothing has written"));
        let items = self.item(&unwritten.who, unwritten.order).into_iter().collect();
        report.sides = vec![Side { places: self.places(access), items, ..Side::default() }];
        self.name_object(&mut report, access, unwritten.address, unwritten.is_local);
        report
    }

    fn met(&self, site: u32) -> Option<&Met> {
        Sites::of(&self.compiled.code)?.met.get(site as usize)
    }

    fn apart_report(&self, apart: &Apart) -> Report {
        let here = self.met(apart.site);
        let Apart { arrived, items, .. } = *apart;
        let of = group_word(here);
        let what = format!("{arrived} of {items} work-items of the {of} reach {}", met_word(here));
        let mut report = self.report(Kind::Barrier, what);
        let side = |met: Option<&Met>, who: &WorkItem, label: String| Side {
            label,
            places: met.map_or_else(Vec::new, |met| self.places_of(met.origin)),
            items: self.item(who, apart.order).into_iter().collect(),
            ..Side::default()
        };
        let (there, label) = match apart.elsewhere {
            Elsewhere::At(site) => {
                let there = self.met(site);
                (there, format!("another work-item waits at {}", met_word(there)))
            }
            Elsewhere::Ended => (None, "another work-item has left the kernel".to_owned()),
            Elsewhere::Unknown => (None, "another work-item has taken another way".to_owned()),
        };
        report.sides = vec![side(here, &apart.who, String::new()), side(there, &apart.other, label)];
        report
    }

    fn unwaited_report(&self, unwaited: &Unwaited) -> Report {
        let places = |site| self.met(site).map_or_else(Vec::new, |met| self.places_of(met.origin));
        let copy = Side { label: "the copy".to_owned(), places: places(unwaited.copy), ..Side::default() };
        let [x, y, z] = self.geometry.group_id(unwaited.group, unwaited.order);
        let is_local = unwaited.is_local;
        let mut access = None;
        let (message, sides, note) = match unwaited.by {
            Early::End => {
                let message = "nothing waits for this asynchronous copy".to_owned();
                let note = format!("work-group ({x}, {y}, {z}) ends without a wait for its event");
                (message, vec![Side { label: String::new(), ..copy }], Some(note))
            }
            Early::Access { site, who } => {
                access = self.tracked().get(usize::from(site));
                let what = access.map_or_else(String::new, |access| {
                    word(race::Kind { writes: access.writes, atomic: access.atomic }, access.bytes)
                });
                let of = if is_local { "local memory" } else { "memory" };
                let items = self.item(&who, unwaited.order).into_iter().collect();
                let message = format!("{what} of {of} of an asynchronous copy that nothing has waited for");
                (message, vec![Side { places: self.places(access), items, ..Side::default() }, copy], None)
            }
            Early::Copy(site) => {
                let message = "copy of memory of an asynchronous copy that nothing has waited for".to_owned();
                let note = format!("both copies are by work-group ({x}, {y}, {z})");
                (message, vec![Side { places: places(site), ..Side::default() }, copy], Some(note))
            }
        };
        let mut report = self.report(Kind::Event, message);
        report.sides = sides;
        report.notes.extend(note);
        self.name_object(&mut report, access, unwaited.address, is_local);
        report
    }

    fn differ_report(&self, differ: &Differ) -> Report {
        let met = self.met(differ.site);
        let of = group_word(met);
        let message = format!("work-items of the {of} pass different arguments to {}", met_word(met));
        let mut report = self.report(Kind::Barrier, message);
        let places = met.map_or_else(Vec::new, |met| self.places_of(met.origin));
        let items = |who| self.item(who, differ.order).into_iter().collect();
        let first = Side { places, items: items(&differ.who), ..Side::default() };
        let label = "another work-item passes another value".to_owned();
        report.sides = vec![first, Side { label, items: items(&differ.other), ..Side::default() }];
        report
    }

    fn places(&self, access: Option<&Tracked>) -> Vec<Place> {
        access.map_or_else(Vec::new, |access| self.places_of(access.origin))
    }

    fn places_of(&self, origin: Origin) -> Vec<Place> {
        places(self.watch.executable(), &self.watch.info().name, &self.compiled, origin)
    }

    fn name_object(&self, report: &mut Report, access: Option<&Tracked>, address: u64, is_local: bool) {
        if is_local {
            let locals = Sites::of(&self.compiled.code).map_or(&[][..], |sites| &sites.locals);
            (report.object, report.offset) = self.watch.local_object(locals, address).unzip();
            return;
        }
        let name = access.map(|access| access.object.as_str()).filter(|name| !name.is_empty());
        let name = name.or_else(|| self.watch.name_at(address)).unwrap_or_default();
        let holds =
            |object: &Object| (object.address..object.address + object.size.max(1)).contains(&(address as usize));
        let of_arg = access.and_then(|access| access.arg).and_then(|n| self.watch.arg_object(n as usize, name));
        if let Some(object) = of_arg.filter(holds).or_else(|| objects::at(address as usize)) {
            report.offset = Some(address as i64 - object.address as i64);
            report.object = Some(Object { name: name.to_owned(), ..object });
        } else if let Some(variable) = self.watch.compiled().and_then(|program| program.variable_at(address as usize)) {
            report.offset = Some(address as i64 - variable.start as i64);
            report.object = Some(Object::named(What::Variable, variable.name, variable.size));
        }
    }

    fn item(&self, who: &WorkItem, order: [u8; 3]) -> Option<Item> {
        item(&self.geometry, who, order)
    }
}

impl Peer {
    /// The access of another launch that one of this kernel races with, as far as it is known.
    fn side(&self, there: &race::Side, order: [u8; 3]) -> Side {
        let compiled = self.compiled.upgrade();
        let tracked = compiled.as_ref().and_then(|compiled| Sites::of(&compiled.code)).map_or(&[][..], |s| &s.tracked);
        let fits = |t: &&Tracked| t.writes == there.kind.writes && t.atomic == there.kind.atomic;
        let might = there
            .site
            .into_iter()
            .flat_map(|low| tracked.iter().skip(low.into()).step_by(race::SITES.into()).filter(fits));
        let [only] = might.collect::<Vec<_>>()[..] else {
            return Side { label: self.label(there, 0), items: self.items(there, order), ..Side::default() };
        };
        let mut places = match (self.executable.upgrade(), &compiled) {
            (Some(executable), Some(compiled)) => places(&executable, &self.kernel, compiled, only.origin),
            _ => Vec::new(),
        };
        name_other_program(&mut places, self.program);
        Side { label: self.label(there, only.bytes), places, items: self.items(there, order), ..Side::default() }
    }

    fn label(&self, there: &race::Side, bytes: u32) -> String {
        format!("{} by kernel `{}` of program {}", word(there.kind, bytes), self.kernel, self.program)
    }

    fn items(&self, there: &race::Side, order: [u8; 3]) -> Vec<Item> {
        item(&self.geometry, &there.who, order).into_iter().collect()
    }
}

/// A work-item of a launch.
fn item(geometry: &Geometry, who: &WorkItem, order: [u8; 3]) -> Option<Item> {
    let group = geometry.group_id(who.group?, order);
    let Geometry { global, local, offset, .. } = *geometry;
    let size = |d: usize| local[d].min(global[d].saturating_sub(group[d] * local[d])).max(1);
    let local_id = split(u64::from(who.item?), order, size);
    let global = std::array::from_fn(|d| group[d] * local[d] + local_id[d] + offset[d]);
    Some(Item { global, local: local_id, group })
}

/// Where in the source a place of a kernel's code is, and the calls that it was inlined through.
fn places(executable: &Executable, kernel: &str, compiled: &Compiled, origin: Origin) -> Vec<Place> {
    let (Some(program), Some(sites)) = (executable.source().program(), Sites::of(&compiled.code)) else {
        return Vec::new();
    };
    let frames = program.frames(kernel, &sites.origins, origin);
    frames.into_iter().filter(|frame| !frame.is_library).map(Place::from).collect()
}

fn count(bytes: u32) -> String {
    if bytes == 1 { "1 byte".to_owned() } else { format!("{bytes} bytes") }
}

fn met_word(met: Option<&Met>) -> &'static str {
    match met.map(|met| met.what) {
        Some(MetKind::Barrier) | None => "this barrier",
        Some(MetKind::Wait) => "this wait for events",
        Some(MetKind::Collective) => "this work-group function",
        Some(MetKind::Copy) => "this asynchronous copy",
        Some(MetKind::SubGroup) => "this sub-group function",
    }
}

/// Whose work-items have to meet there.
fn group_word(met: Option<&Met>) -> &'static str {
    if met.is_some_and(|met| met.what == MetKind::SubGroup) { "sub-group" } else { "work-group" }
}

fn article(kind: race::Kind) -> &'static str {
    if kind.atomic { "an" } else { "a" }
}

fn word(kind: race::Kind, bytes: u32) -> String {
    let what = match (kind.atomic, kind.writes) {
        (true, _) => "atomic access",
        (false, true) => "write",
        (false, false) => "read",
    };
    let of = if kind.atomic { "to" } else { "of" };
    if bytes == 0 { what.to_owned() } else { format!("{what} {of} {}", count(bytes)) }
}
