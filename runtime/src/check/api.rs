//! Mistakes in calls that the calls themselves show: blocking in a callback, ranges that may not be, arguments whose
//! memory is gone, a kernel that two threads use at once.

use super::host::{self, Call};
use super::objects;
use super::report::{Kind, Report, Side};
use super::{Kinds, Site, enabled};
use crate::error::Error;
use crate::sync::{Mutex, Rank};
use std::any::Any;
use std::collections::HashMap;
use std::ops::Range;
use std::thread::{self, ThreadId};
use std::time::Duration;

/// Whether calls are watched.
pub(crate) fn is_on() -> bool {
    enabled(Kinds::API)
}

/// A report at the call that this thread is in.
fn here(site: &str, report: impl FnOnce(&mut Report), message: impl FnOnce() -> String) {
    let call = host::call();
    super::report(Site::of((site, call)), || {
        let mut made = Report::new(Kind::Api, message());
        made.sides = vec![Side { call, ..Side::default() }];
        report(&mut made);
        made
    });
}

/// This thread is about to wait, or to do what takes long, which callbacks may not.
pub(crate) fn blocks() {
    if is_on() && crate::callbacks::is_here() {
        let note = "\"the behavior of … blocking OpenCL operations … in a callback is undefined\"; Clift lets it wait";
        let add = |report: &mut Report| report.notes.push(note.to_owned());
        here("blocks", add, || "a call that blocks, in a callback".to_owned());
    }
}

/// A call was refused: reports what is a mistake whatever the program does about it.
pub fn refused(error: &Error) {
    if !is_on() {
        return;
    }
    let note = match error {
        Error::CopyOverlap => "the result of such a copy depends on the order of its bytes; copy through other memory",
        Error::RegionOutOfBounds { .. } if host::call().is_none_or(|call| call.name.starts_with("clEnqueue")) => {
            "the command was not enqueued, and nothing was moved"
        }
        Error::RegionOutOfBounds { .. } => "the call failed, and nothing was made",
        Error::NotMapped { .. } => "an address can be unmapped as often as it was mapped, in the object that it is of",
        _ => return,
    };
    here("refused", |report| report.notes.push(note.to_owned()), || error.to_string());
}

/// An address was to be freed at which no SVM or USM allocation begins. `says_so`: the call fails.
pub(crate) fn no_allocation(address: usize, says_so: bool) {
    if !is_on() || address == 0 {
        return;
    }
    let object = objects::allocation_at(address);
    if says_so && object.is_none() {
        return;
    }
    let what = match &object {
        Some(object) if object.is_freed => "memory is freed that has been freed before",
        Some(object) if object.address == address => {
            "memory is freed with a context that it is not of, and so it is not"
        }
        Some(_) => "memory is freed by an address inside of it, and so it is not",
        None => "memory is freed by an address at which no allocation begins",
    };
    here("no allocation", |report| report.object = object, || what.to_owned());
}

/// The call is for bytes of memory, which it, or a command of it, uses by their address.
pub(crate) fn touches(range: &Range<usize>, what: &str) {
    if !is_on() {
        return;
    }
    let is_bad = |of: &objects::Object| of.is_freed || range.end > of.address + of.size;
    let Some(object) = objects::allocation_at(range.start).filter(is_bad) else { return };
    let how = if object.is_freed { "in memory that has been freed" } else { "across the end of the memory" };
    let add = |report: &mut Report| {
        report.offset = Some((range.start - object.address) as i64);
        report.object = Some(object);
    };
    here("touches", add, || match range.len() {
        1 => format!("1 byte is {what} {how}"),
        n => format!("{n} bytes are {what} {how}"),
    });
}

/// A kernel is to be launched whose argument was memory that has been released.
pub(crate) fn argument_is_gone(kernel: &str, argument: &str, handle: usize) {
    if is_on() {
        let add = |report: &mut Report| {
            kernel.clone_into(&mut report.kernel);
            let object = objects::freed_by_key(handle);
            report.object = object.map(|object| objects::Object { name: argument.to_owned(), ..object });
            report.notes.push("a kernel does not keep the memory of its arguments; the call fails".to_owned());
        };
        here("gone", add, || {
            format!("kernel `{kernel}` is launched with `{argument}`, whose memory has been released")
        });
    }
}

/// Who uses a kernel.
#[derive(Default)]
struct Users {
    now: Vec<(ThreadId, Option<Call>, bool)>,
    /// Who did last.
    last: Option<ThreadId>,
    /// Times that a call was drawn out.
    waited: u32,
}

static USERS: Mutex<Option<HashMap<usize, Users>>> = Mutex::new(Rank::Leaf, None);

/// Keeps the table as it is, for the time of a fork.
#[allow(unsafe_code, reason = "a guard for the time of a fork")]
pub(crate) fn hold() -> Box<dyn Any> {
    // SAFETY: a static.
    Box::new(unsafe { USERS.lock_for_fork() })
}

/// How long a call is drawn out, and how often for each kernel, once several threads have used it: so that what seldom
/// overlaps is seen to (Erickson, Musuvathi, Burckhardt, Olynyk, "Effective data-race detection for the kernel", 2010).
pub(super) const PAUSE: Duration = Duration::from_micros(200);
pub(super) const PAUSES: u32 = 256;

/// While it lives, this thread uses a kernel.
pub(crate) struct Using(usize);

impl Using {
    /// This thread sets an argument of the kernel at this address, or takes all to launch it.
    pub fn enter(kernel: usize, name: &str, sets: bool) -> Option<Self> {
        if !is_on() {
            return None;
        }
        let (me, call) = (thread::current().id(), host::call());
        let (other, pause) = {
            let mut table = USERS.lock();
            let users = table.get_or_insert_default().entry(kernel).or_default();
            let other = users.now.iter().find(|(who, _, theirs)| *who != me && (sets || *theirs)).copied();
            users.now.push((me, call, sets));
            let pause = sets && users.last.replace(me).is_some_and(|last| last != me) && users.waited < PAUSES;
            users.waited += u32::from(pause);
            (other, pause)
        };
        let using = Self(kernel);
        if let Some((_, theirs, _)) = other {
            let add = |report: &mut Report| {
                name.clone_into(&mut report.kernel);
                let label = "the call of another thread, at the same time".to_owned();
                report.sides.push(Side { label, call: theirs, ..Side::default() });
                let note = "clSetKernelArg is the call that is not safe to make for one kernel from two threads";
                report.notes.push(note.to_owned());
            };
            here("shared kernel", add, || format!("kernel `{name}` is used by two threads at once"));
        }
        if pause {
            thread::sleep(PAUSE);
        }
        Some(using)
    }
}

impl Drop for Using {
    fn drop(&mut self) {
        let me = thread::current().id();
        let mut table = USERS.lock();
        let Some(table) = &mut *table else { return };
        let Some(users) = table.get_mut(&self.0) else { return };
        if let Some(at) = users.now.iter().rposition(|(who, ..)| *who == me) {
            users.now.swap_remove(at);
        }
    }
}

/// A kernel is gone.
pub(crate) fn kernel_gone(kernel: usize) {
    USERS.lock().as_mut().into_iter().for_each(|table| _ = table.remove(&kernel));
}
