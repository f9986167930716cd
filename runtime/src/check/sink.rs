//! Where reports go: counted by site, filtered, written in one piece each to stderr or a file, and summed up when the
//! process ends.
#![allow(unsafe_code, reason = "registers a function with the C library, and writes to a descriptor from it")]

use super::report::Report;
use super::suppress::Rules;
use super::table::{Found, Head, Site, Table};
use super::{json, text};
use crate::config::{Check, Config};
use crate::sync::{Mutex, Rank};
use std::any::Any;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry::{Occupied, Vacant};
use std::fs::{File, OpenOptions};
use std::io::{Cursor, Write};
use std::os::fd::AsRawFd;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

static TABLE: Table = Table::new();
static SUPPRESSED: AtomicU64 = AtomicU64::new(0);
/// A platform was asked for and checks are on: there is something to sum up, were it nothing.
static CHECKED: AtomicBool = AtomicBool::new(false);
/// What has been reported, by what it says, and its place in the table. Held while a report is written.
static WRITING: Mutex<BTreeMap<Site, usize>> = Mutex::new(Rank::Leaf, BTreeMap::new());
static SINK: OnceLock<Sink> = OnceLock::new();

/// Characters of a report's place in the summary, whose lines are bounded.
const MAX_HEAD: usize = 200;

struct Sink {
    /// `CLIFT_CHECK_LOG`; stderr if none.
    file: Option<File>,
    is_json: bool,
    rules: Rules,
    /// `CLIFT_CHECK_COUNT`.
    count: Option<File>,
    abort: bool,
}

/// Counts once more at a site that is known: then there is nothing else to do. Cheap enough for every bad access.
pub fn is_known(site: Site) -> bool {
    TABLE.is_known(site)
}

/// Reports what `make` says, if it is the first time at this site, nothing was said that is the same but for numbers,
/// and the user does not suppress it.
pub fn report(site: Site, make: impl FnOnce() -> Report) {
    if let Found::New(at) = TABLE.note(site) {
        let mut made = make();
        made.name_places();
        write(at, &made);
    }
}

/// What stands in the file of counts for a process that is checked; each report has its kind's word there, or this one.
pub const PROCESS: &str = "process";
/// What stands there for a note.
pub const NOTE: &str = "note";

/// Has the process end with a summary, even if nothing is found.
pub fn start() {
    CHECKED.store(super::is_on(), Relaxed);
    if super::is_on()
        && let Some(mut count) = sink().count.as_ref()
    {
        let _ = count.write_all(format!("{PROCESS}\n").as_bytes());
    }
}

/// Keeps the sink as it is, for the time of a fork.
pub(crate) fn hold() -> Box<dyn Any> {
    // SAFETY: a static.
    Box::new(unsafe { WRITING.lock_for_fork() })
}

/// The child of a fork counts its own.
pub(crate) fn forked() {
    TABLE.forget_counts();
    SUPPRESSED.store(0, Relaxed);
}

/// Opens the files.
fn sink() -> &'static Sink {
    SINK.get_or_init(|| Sink::new(&Config::get().check))
}

/// Has the summary written when the process ends, or the library is unloaded: after all functions of the program that
/// are to run then, destructors of global objects in C++ among them, so that what they release is not called a leak.
#[used]
#[cfg_attr(target_os = "linux", unsafe(link_section = ".fini_array"))]
static AT_EXIT: extern "C" fn() = at_exit;

impl Sink {
    fn new(check: &Check) -> Self {
        let (is_json, path) = match &check.log {
            Some(log) => text_or_json(log),
            None => (false, None),
        };
        let rules = check.suppress.as_deref().map_or_else(Rules::default, |path| {
            Rules::read(path).unwrap_or_else(|why| {
                eprintln!("clift: {}: {why}", path.display());
                Rules::default()
            })
        });
        let open = |path: &std::path::Path| {
            let file = OpenOptions::new().create(true).append(true).open(path);
            file.inspect_err(|error| eprintln!("clift: {}: {error}", path.display())).ok()
        };
        Self {
            file: path.and_then(|path| open(path.as_ref())),
            is_json,
            rules,
            count: check.count.as_deref().and_then(open),
            abort: check.abort,
        }
    }
}

/// Whether a log is to have JSON lines, and its path: `json:PATH`, or one that ends in `.json` or `.jsonl`. `%p` in it
/// is the process id.
fn text_or_json(log: &str) -> (bool, Option<String>) {
    let (is_json, path) = match log.strip_prefix("json:") {
        Some(path) => (true, path),
        None => (log.ends_with(".json") || log.ends_with(".jsonl"), log),
    };
    let path = path.replace("%p", &std::process::id().to_string());
    (is_json, (!path.is_empty() && path != "-").then_some(path))
}

#[cold]
fn write(at: usize, report: &Report) {
    let sink = sink();
    if sink.rules.suppress(report) {
        SUPPRESSED.fetch_add(1, Relaxed);
        return;
    }
    let mut out = if sink.is_json { json::line(report) } else { text::render(report) };
    if sink.is_json {
        out.push('\n');
    }
    {
        let mut said = WRITING.lock();
        // A macro may do the same mistake at many sites of one place.
        match report.essence().map(|essence| said.entry(Site::of(essence))) {
            Some(Occupied(first)) => return TABLE.merge(at, *first.get()),
            Some(Vacant(new)) => _ = new.insert(at),
            None => {}
        }
        // What cannot be written is lost: a program is not to fail because its log does.
        let _ = match &sink.file {
            Some(file) => (&mut &*file).write_all(out.as_bytes()),
            None => std::io::stderr().write_all(out.as_bytes()),
        };
        if let Some(mut count) = sink.count.as_ref() {
            let word = if report.is_note { NOTE } else { report.kind.word() };
            let _ = count.write_all(format!("{word}\n").as_bytes());
        }
    }
    let head: String = report.head().chars().take(MAX_HEAD).collect();
    let is_note = report.is_note;
    TABLE.name(at, Head { text: format!("{head}: check: {}", report.word()), is_note });
    if sink.abort && !is_note {
        std::process::abort();
    }
}

/// Waits for no lock: a signal's handler may have called `exit` in the middle of anything.
extern "C" fn at_exit() {
    let is_checked = CHECKED.load(Relaxed);
    if is_checked && super::handles::is_on() {
        // A panic must not leave this function.
        let _ = std::panic::catch_unwind(super::handles::leaked);
    }
    let sink = match SINK.get() {
        Some(sink) => sink,
        None if is_checked => self::sink(),
        None => return,
    };
    let descriptor = sink.file.as_ref().map_or(libc::STDERR_FILENO, AsRawFd::as_raw_fd);
    let mut sums = Sums::default();
    for (head, count) in TABLE.counts() {
        let Some(head) = head else { continue };
        if head.is_note {
            sums.notes += 1;
        } else {
            sums.sites += 1;
            sums.found += count;
        }
        if count > 1 && !sink.is_json {
            line(descriptor, |out| writeln!(out, "{}: found {count} times", head.text));
        }
        if count > 1 && sink.is_json {
            line(descriptor, |out| json::count(out, &head.text, count));
        }
    }
    sums.beyond = TABLE.beyond();
    sums.suppressed = SUPPRESSED.load(Relaxed);
    match sink.is_json {
        true => line(descriptor, |out| json::sums(out, &sums)),
        // Whoever counts for himself sums up for all processes.
        false if sink.count.is_some() => {}
        false => line(descriptor, |out| text::sums(out, &sums)),
    }
}

/// What has been found in all.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sums {
    /// Different reports that are no notes.
    pub sites: u64,
    /// How often their mistakes were found.
    pub found: u64,
    /// Different notes.
    pub notes: u64,
    /// Reports and notes that the user did not want.
    pub suppressed: u64,
    /// Findings for which there was no room.
    pub beyond: u64,
}

/// Writes one line of a bounded length.
fn line(descriptor: i32, write: impl FnOnce(&mut Cursor<[u8; 2048]>) -> std::io::Result<()>) {
    let mut line = Cursor::new([0; 2048]);
    // More than the line holds is left out.
    let _ = write(&mut line);
    let length = line.position() as usize;
    // SAFETY: the bytes are `line`'s.
    let _ = unsafe { libc::write(descriptor, line.get_ref().as_ptr().cast(), length) };
}
