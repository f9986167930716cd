//! The API's objects by their handles: how they were made, and released. Released handles are kept apart for a while,
//! so that their use is a report instead of a crash. Filled only while the API is checked.
#![allow(
    unsafe_code,
    reason = "reads counts of objects that the table keeps alive, and a guard for the time of a fork"
)]

use super::host::{self, Call};
use super::objects::{self, Leak, Object};
use super::report::{Kind, Report, Side};
use super::{Kinds, Site, enabled};
use crate::object;
use crate::primitives::atomic::AtomicU32;
use crate::sync::{Mutex, Rank};
use std::any::Any;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::atomic::Ordering::Relaxed;

/// Released objects whose memory is kept, so that no other has their handle.
const KEPT: usize = 4096;

struct Live {
    kind: object::Kind,
    created: Option<Call>,
    released: Option<Call>,
    /// Address of the API's count in the object.
    refs: usize,
}

#[derive(Default)]
struct Tables {
    live: HashMap<usize, Live>,
    dead: HashMap<usize, Live>,
    /// What keeps the memory, the oldest first.
    kept: VecDeque<(usize, Box<dyn Any + Send>)>,
}

static TABLES: Mutex<Option<Tables>> = Mutex::new(Rank::Leaf, None);

/// Whether handles are watched.
pub(crate) fn is_on() -> bool {
    enabled(Kinds::API)
}

/// Keeps the tables as they are, for the time of a fork.
pub(crate) fn hold() -> Box<dyn Any> {
    // SAFETY: a static.
    Box::new(unsafe { TABLES.lock_for_fork() })
}

/// A new object.
pub(crate) fn made(kind: object::Kind, handle: usize, refs: &AtomicU32) {
    let live = Live { kind, created: host::call(), released: None, refs: std::ptr::from_ref(refs).expose_provenance() };
    let mut tables = TABLES.lock();
    let tables = tables.get_or_insert_default();
    tables.dead.remove(&handle);
    tables.live.insert(handle, live);
}

/// The last reference of the API is being released; `keep` keeps the memory.
pub(crate) fn released(handle: usize, keep: Box<dyn Any + Send>) {
    let call = host::call();
    let oldest = {
        let mut tables = TABLES.lock();
        let tables = tables.get_or_insert_default();
        tables.live.get_mut(&handle).into_iter().for_each(|live| live.released = call);
        tables.kept.push_back((handle, keep));
        if tables.kept.len() > KEPT { tables.kept.pop_front() } else { None }
    };
    drop(oldest);
}

/// An object is gone.
pub(crate) fn gone(handle: usize) {
    let mut tables = TABLES.lock();
    let Some(tables) = &mut *tables else { return };
    if let Some(live) = tables.live.remove(&handle) {
        if tables.dead.len() >= 2 * KEPT {
            let kept = &tables.kept;
            let is_kept = |handle: &usize| kept.iter().any(|(other, _)| other == handle);
            tables.dead.retain(|handle, _| is_kept(handle));
        }
        tables.dead.insert(handle, live);
    }
}

/// The kind of a live object.
pub(crate) fn kind(handle: usize) -> Option<object::Kind> {
    TABLES.lock().as_ref()?.live.get(&handle).map(|live| live.kind)
}

/// A handle was given that is none: reports it if it was one.
pub fn misused(handle: usize) {
    if !is_on() {
        return;
    }
    let found = TABLES.lock().as_ref().and_then(|tables| {
        let dead = tables.dead.get(&handle)?;
        Some((dead.kind, dead.created, dead.released))
    });
    if let Some((kind, created, released)) = found {
        let call = host::call();
        super::report(Site::of(("released", call, created)), || {
            let mut report = Report::new(Kind::Api, format!("use of {} that has been released", one(kind)));
            let side = |label: &str, call| Side { label: label.to_owned(), call, ..Side::default() };
            report.sides = vec![side("", call)];
            report.sides.extend(created.map(|call| side("where it was made", Some(call))));
            report.sides.extend(released.map(|call| side("where its last reference was released", Some(call))));
            let object = objects::freed_by_key(handle);
            report.object = object.map(|object| Object { created: None, freed: None, is_freed: false, ..object });
            report
        });
    }
}

/// More references were released than there were.
pub fn over_released(kind: object::Kind) {
    if is_on() {
        let call = host::call();
        super::report(Site::of(("over-released", call)), || {
            let message = format!("release of {} to which the program has no reference", one(kind));
            let mut report = Report::new(Kind::Api, message);
            report.sides = vec![Side { call, ..Side::default() }];
            report
        });
    }
}

/// Reports what is still alive when the process ends, by the calls that made it.
pub(super) fn leaked() {
    use object::Kind::{Device, MutableCommand, Platform};
    let mut leaks = BTreeMap::<(&str, usize), (Call, object::Kind, Vec<usize>)>::new();
    {
        // A signal's handler may have called `exit` in the middle of anything.
        let Some(tables) = TABLES.try_lock() else { return };
        let Some(tables) = &*tables else { return };
        for (&handle, live) in &tables.live {
            // SAFETY: whoever drops the object waits for the table first.
            let refs = unsafe { &*std::ptr::with_exposed_provenance::<AtomicU32>(live.refs) };
            let is_leak = refs.load(Relaxed) > 0 && !matches!(live.kind, Platform | Device | MutableCommand);
            if let Some(call) = live.created.filter(|_| is_leak) {
                leaks.entry((call.name, call.address)).or_insert((call, live.kind, Vec::new())).2.push(handle);
            }
        }
    }
    for (call, kind, handles) in leaks.into_values() {
        let mut leak = Leak::default();
        objects::try_by_keys(&handles).iter().for_each(|object| leak.add(object.as_ref()));
        let n = leak.count;
        let what = if n == 1 { format!("{} is", one(kind)) } else { format!("{n} {}s are", kind.name()) };
        report_leak(call, leak, format!("{what} never released"));
    }
    let mut leaks: Vec<_> = objects::never_freed().into_iter().collect();
    leaks.sort_by_key(|((what, call), _)| (what.word(), call.name, call.address));
    for ((what, call), leak) in leaks {
        let what = what.word();
        let message = match leak.count {
            1 => format!("an {what} is never freed"),
            n => format!("{n} {what}s are never freed"),
        };
        report_leak(call, leak, message);
    }
}

/// Reports what a call has made; of several, the first is named.
fn report_leak(call: Call, leak: Leak, message: String) {
    super::report(Site::of(("leaked", call)), || {
        let mut report = Report::new(Kind::Api, message);
        report.sides = vec![Side { call: Some(call), ..Side::default() }];
        if leak.count > 1 && leak.bytes > 0 {
            report.notes.push(format!("{} bytes in all; the first object is shown", leak.bytes));
        }
        report.object = leak.first.map(|object| Object { created: None, ..object });
        report
    });
}

/// `an event`.
fn one(kind: object::Kind) -> String {
    let article = if kind.name().starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {}", kind.name())
}
