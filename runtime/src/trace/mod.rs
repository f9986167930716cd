//! `CLIFT_TRACE`: what happens when, in the trace event format that Perfetto and Chrome show. What is an event and what
//! it says is decided here; `sink` has the file and the threads' buffers, `json` the text.
//!
//! A command is a slice on the thread that runs it, with its times as arguments; threads that help have slices of their
//! own for their shares. A dependency is an arrow (flow events) from the end of one command to the start of the other.
//! Builds have slices for what the compiler does.
//!
//! To note a command takes a microsecond or two, which is much beside a launch of a few work-items. So each thread that
//! enqueues has a budget (a token bucket) of a part of its processor time, and commands that are expected to take less
//! than two hundred times of what noting them costs are left out when it is spent: of a flood of small commands there
//! is a sample. Each launch that is noted says which of its code's launches it is.
//!
//! What is off costs the look at one static.

mod json;
mod sink;

pub use json::Event;
pub use sink::{flush, hold, is_on, start};

use crate::exec::ndrange::Compiled;
use crate::memory::buffer::Mem;
use crate::object::Obj;
use crate::queue::command::{Command, Transfer, Work};
use clift_jit::clock::now_ns;
use sink::{Thread, with_thread};
use smallvec::SmallVec;
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// What it costs to note a slice, its share of writing the file included.
const SLICE_NS: u64 = 2_000;
/// A budget's part of the time: one of so many.
const PART: u64 = 200;
/// What a budget begins with, and does not grow beyond.
const BURST_NS: i64 = 2_000_000;
/// So many launches of code of which none has ended yet may be anything, and are noted.
const FIRST: u64 = 64;
/// So many small commands are left out at most before one is noted.
const MOST_SKIPPED: u64 = 2000;
/// Shorter gaps between a worker's shares are not worth a slice.
const LEAST_IDLE_NS: u64 = 1_000;

static COMMANDS: AtomicU64 = AtomicU64::new(1);
static ARROWS: AtomicU64 = AtomicU64::new(1);

/// What there is of this for each thread. In one place: to find it takes a call in a shared library.
struct Local {
    /// The command that the thread works for, if that is traced.
    current: Cell<u64>,
    /// The end of the thread's last share of work, if it is one of ours; 0 after work that is not traced.
    worked: Cell<u64>,
    budget: Cell<Budget>,
}

thread_local! {
    static LOCAL: Local = const {
        Local {
            current: Cell::new(0),
            worked: Cell::new(0),
            budget: Cell::new(Budget { credit: BURST_NS, last: 0, skipped: 0 }),
        }
    };
}

/// What a thread may spend.
#[derive(Clone, Copy)]
struct Budget {
    credit: i64,
    /// The time, of its processor, when it was looked at.
    last: u64,
    /// Small commands since then that were left out.
    skipped: u64,
}

impl Budget {
    /// Pays for a small command at this time; says how many others are to be left out then.
    fn pay(&mut self, cost: u64, now: u64) -> u64 {
        let passed = if self.last == 0 { 0 } else { now.saturating_sub(self.last) };
        let each = (passed / (self.skipped + 1)).max(1);
        self.last = now;
        self.credit = self.credit.saturating_add((passed / PART) as i64).min(BURST_NS) - cost as i64;
        let skip = (cost * PART / each).clamp(1, MOST_SKIPPED / 2);
        // Not in step with a program that repeats itself.
        self.skipped = if self.credit < 0 { skip + now % skip } else { 0 };
        self.skipped
    }
}

/// The end of a command, for the arrows to what waits for it.
#[derive(Default)]
pub struct Done {
    thread: AtomicU32,
    ended: AtomicU64,
}

/// A command that is traced, from the call that enqueues it on.
pub struct Traced {
    number: u64,
    queued: u64,
    /// Its place among the launches of its code; 0 if it is no launch.
    launch: u64,
    /// Where its end is to be noted.
    done: Arc<Done>,
    /// What it waits for.
    after: SmallVec<[Arc<Done>; 2]>,
}

/// Small commands of a queue that are yet to be left out: beside what the queue changes with every command. Threads
/// that share a queue may leave out some more or less.
#[derive(Debug, Default)]
pub struct Skips(AtomicU64);

/// Work for a command to be noted: it is traced if this gives something.
#[inline]
pub fn admit(command: &Command, skips: &Skips) -> Option<Box<Traced>> {
    if is_on() { note(command, skips) } else { None }
}

fn note(command: &Command, Skips(skips): &Skips) -> Option<Box<Traced>> {
    let launch = count(command.work());
    let (expected, slices) = match command.work() {
        Work::Sequence(works) => (works.iter().map(expected_ns).try_fold(0u64, |sum, ns| Some(sum + ns?)), works.len()),
        work => (expected_ns(work), 0),
    };
    let cost = SLICE_NS * (slices as u64 + 1);
    let expected = expected.filter(|&ns| ns > 0 || launch > FIRST);
    if expected.is_some_and(|ns| ns < cost * PART) {
        let skip = skips.load(Relaxed);
        if skip > 0 {
            skips.store(skip - 1, Relaxed);
            return None;
        }
        LOCAL.with(|local| {
            let mut budget = local.budget.get();
            skips.store(budget.pay(cost, processor_ns()), Relaxed);
            local.budget.set(budget);
        });
    }
    let (number, queued) = (COMMANDS.fetch_add(1, Relaxed), now_ns());
    Some(Box::new(Traced { number, queued, launch, done: Arc::default(), after: SmallVec::new() }))
}

/// Time that this thread has had of a processor: a busy machine does not add to it, nor does waiting.
#[allow(unsafe_code, reason = "asks the C library")]
fn processor_ns() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is there to be written.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// About how long some work takes, 0 for launches of code of which none has ended yet; nothing if it may be anything.
fn expected_ns(work: &Work) -> Option<u64> {
    match work {
        Work::Launch(launch) => Some(launch.compiled.expected_ns(launch.geometry.n_groups)),
        Work::Native { .. } | Work::Sequence(_) => None,
        // Ten bytes a nanosecond.
        work => Some(bytes(work) / 10),
    }
}

/// Bytes that are moved.
fn bytes(work: &Work) -> u64 {
    let bytes = match work {
        Work::Read { span, .. } | Work::Write { span, .. } => span.size,
        Work::ReadRect(job) | Work::WriteRect(job) => job.rect.size_bytes(),
        Work::Transfer(Transfer::Copy { from, .. }) => from.size,
        Work::Transfer(Transfer::CopyRect(job)) => job.from.size_bytes(),
        Work::Transfer(Transfer::Fill(job)) => job.span.size,
        Work::Transfer(Transfer::FillRect(job)) => job.rect.size_bytes(),
        Work::Transfer(Transfer::CopyMemory(job)) => job.size,
        Work::Transfer(Transfer::FillMemory(job)) => job.size,
        Work::Nothing
        | Work::Map { .. }
        | Work::Unmap { .. }
        | Work::Launch(_)
        | Work::Native { .. }
        | Work::Migrate(_)
        | Work::MapAddress { .. }
        | Work::UnmapAddress { .. }
        | Work::Sequence(_) => 0,
    };
    bytes as u64
}

impl Traced {
    /// Where its end will be found.
    pub fn done(&self) -> &Arc<Done> {
        &self.done
    }

    /// Notes that it waits for another command.
    pub fn wait_for(&mut self, other: &Arc<Done>) {
        if !self.after.iter().any(|known| Arc::ptr_eq(known, other)) {
            self.after.push(Arc::clone(other));
        }
    }

    /// The command begins to run on this thread.
    pub fn begin(self: Box<Self>, command: &Command, queue: u64, submitted: Option<u64>) -> Running {
        let begun = now_ns().max(self.queued);
        let submitted = submitted.unwrap_or(begun).clamp(self.queued, begun);
        let facts = Facts::of(command.work());
        let name = facts.name.clone().unwrap_or_else(|| format!("{:?}", command.kind()));
        let kind = facts.name.is_some().then(|| format!("{:?}", command.kind()));
        Running { traced: self, facts, name, kind, queue, submitted, begun }
    }
}

/// A traced command that runs.
pub struct Running {
    traced: Box<Traced>,
    facts: Facts,
    name: String,
    kind: Option<String>,
    queue: u64,
    submitted: u64,
    begun: u64,
}

impl Running {
    /// Its number, for `within`.
    pub fn number(&self) -> u64 {
        self.traced.number
    }

    /// It has ended with this status.
    pub fn end(self, status: i32) {
        // So that an arrow has a place to begin and one to end in.
        let (begun, ended) = (self.begun, now_ns().max(self.begun + 2));
        with_thread(|thread| {
            idle(thread, begun, ended);
            thread.put('X', &self.name, begun, |event| {
                let mut event = event.duration(ended - begun).member("cat", "command");
                event.number("command", self.traced.number);
                event.number("queue", self.queue);
                if let Some(kind) = &self.kind {
                    event.text("kind", kind);
                }
                event.time("queued", self.traced.queued);
                event.time("submitted", self.submitted);
                event.time("started", begun);
                event.time("ended", ended);
                if status < 0 {
                    event.number("status", status);
                }
                if self.traced.launch > 0 {
                    event.number("launch", self.traced.launch);
                }
                self.facts.put(&mut event);
            });
            for before in &self.traced.after {
                let (from, at) = (before.thread.load(Relaxed), before.ended.load(Relaxed));
                // It was traced, and ended as commands do.
                if from > 0 {
                    arrow(thread, (from, at - 1), (thread.number(), begun + 1));
                }
            }
            self.traced.done.ended.store(ended, Relaxed);
            self.traced.done.thread.store(thread.number(), Relaxed);
            thread.tidy(ended);
        });
    }
}

/// An arrow from a place in a slice to one in another.
fn arrow(thread: &Thread, from: (u32, u64), to: (u32, u64)) {
    let id = ARROWS.fetch_add(1, Relaxed);
    let category = |event: Event<'_>| drop(event.id(id).member("cat", "dependency"));
    thread.put_on(from.0, 's', "dependency", from.1, category);
    thread.put_on(to.0, 'f', "dependency", to.1, |event| category(event.member("bp", "e")));
}

/// Notes that one of our threads had nothing to do until now, and is at it until `ended`.
fn idle(thread: &Thread, begun: u64, ended: u64) {
    if !thread.is_worker() {
        return;
    }
    let since = LOCAL.with(|local| local.worked.replace(ended));
    if since > 0 && begun.saturating_sub(since) >= LEAST_IDLE_NS {
        thread.put('X', "idle", since, |event| drop(event.duration(begun - since).member("cat", "idle")));
    }
}

/// A user event was set.
pub fn user_event(done: &Done, begun: u64) {
    let ended = now_ns().max(begun + 2);
    with_thread(|thread| {
        thread.put('X', "user event", begun, |event| drop(event.duration(ended - begun).member("cat", "command")));
        done.ended.store(ended, Relaxed);
        done.thread.store(thread.number(), Relaxed);
        thread.tidy(ended);
    });
}

/// What there is to say of some work.
#[derive(Default)]
struct Facts {
    /// The kernel's name.
    name: Option<String>,
    launch: Option<LaunchFacts>,
    bytes: u64,
}

struct LaunchFacts {
    code: u64,
    global: SmallVec<[u64; 3]>,
    local: SmallVec<[u64; 3]>,
    groups: u64,
}

impl Facts {
    fn of(work: &Work) -> Self {
        let Work::Launch(launch) = work else { return Self { bytes: bytes(work), ..Self::default() } };
        let (geometry, compiled) = (&launch.geometry, &launch.compiled);
        let dims = geometry.dims as usize;
        let mut mems: SmallVec<[(usize, usize); 8]> =
            launch.buffers.iter().map(|mem: &Obj<Mem>| (mem.handle_address(), mem.size())).collect();
        mems.sort_unstable();
        mems.dedup();
        let facts = LaunchFacts {
            code: compiled.number,
            global: geometry.global[..dims].into(),
            local: geometry.local[..dims].into(),
            groups: geometry.n_groups,
        };
        let bytes = mems.iter().map(|&(_, size)| size as u64).sum();
        Self { name: Some(compiled.name().to_owned()), launch: Some(facts), bytes }
    }

    fn put(&self, event: &mut Event<'_>) {
        if let Some(launch) = &self.launch {
            event.number("code", launch.code);
            event.numbers("global", &launch.global);
            event.numbers("local", &launch.local);
            event.number("groups", launch.groups);
        }
        if self.bytes > 0 {
            event.number("bytes", self.bytes);
        }
    }
}

/// Counts a launch, traced or not, and gives its place among those of its code.
fn count(work: &Work) -> u64 {
    let Work::Launch(launch) = work else { return 0 };
    launch.compiled.launches.next()
}

/// The command that this thread works for; 0 if that is not traced.
pub fn current() -> u64 {
    if is_on() { LOCAL.with(|local| local.current.get()) } else { 0 }
}

/// Does work for a command; 0 if that is not traced, and the thread is not idle for all that.
pub fn within<T>(command: u64, work: impl FnOnce() -> T) -> T {
    struct Restore(u64);
    impl Drop for Restore {
        fn drop(&mut self) {
            LOCAL.with(|local| local.current.set(self.0));
        }
    }
    if !is_on() {
        return work();
    }
    let before = LOCAL.with(|local| {
        if command == 0 {
            local.worked.set(0);
        }
        local.current.replace(command)
    });
    let _restore = (before != command).then_some(Restore(before));
    work()
}

/// Does one of the pieces of work that a command consists of.
pub fn part<T>(work: Work, run: impl FnOnce(Work) -> T) -> T {
    if current() == 0 {
        return run(work);
    }
    let (facts, begun) = (Facts::of(&work), now_ns());
    let done = run(work);
    let ended = now_ns();
    with_thread(|thread| {
        thread.put('X', facts.name.as_deref().unwrap_or("transfer"), begun, |event| {
            let mut event = event.duration(ended - begun).member("cat", "part");
            event.number("command", current());
            facts.put(&mut event);
        });
        thread.tidy(ended);
    });
    done
}

/// A thread's share of a command: `work` gives how much that was.
pub fn share(command: u64, name: &str, unit: &str, work: impl FnOnce() -> u64) {
    if command == 0 {
        within(0, work);
        return;
    }
    let begun = now_ns();
    let n = work();
    let ended = now_ns();
    if n == 0 {
        return;
    }
    with_thread(|thread| {
        // Its own command's thread is not idle before its share.
        if current() != command {
            idle(thread, begun, ended);
        }
        thread.put('X', name, begun, |event| {
            let mut event = event.duration(ended - begun).member("cat", "share");
            event.number("command", command);
            event.number(unit, n);
        });
        thread.tidy(ended);
    });
}

/// A thread of the program waits.
pub fn wait<T>(work: impl FnOnce() -> T) -> T {
    if !is_on() {
        return work();
    }
    slice("wait", "wait", work, |_, _| {})
}

/// Something that is always traced, with arguments.
pub fn slice<T>(name: &str, category: &str, work: impl FnOnce() -> T, args: impl FnOnce(&mut Event<'_>, &T)) -> T {
    if !is_on() {
        return work();
    }
    let begun = now_ns();
    let result = work();
    let ended = now_ns();
    with_thread(|thread| {
        thread.put('X', name, begun, |event| {
            let mut event = event.duration(ended - begun).member("cat", category);
            args(&mut event, &result);
        });
        thread.tidy(ended);
    });
    result
}

/// A phase of the compiler has ended.
pub fn phase(name: &'static str, begun: u64, ended: u64) {
    if is_on() {
        with_thread(|thread| {
            thread.put('X', name, begun, |event| drop(event.duration(ended - begun).member("cat", "phase")));
            thread.tidy(ended);
        });
    }
}

/// What is said of machine code that was made.
pub fn code(event: &mut Event<'_>, compiled: &Compiled, local_size: Option<[u32; 3]>) {
    event.number("code", compiled.number);
    if let Some(size) = local_size {
        event.numbers("local", &size.map(u64::from));
    }
    event.texts("remarks", compiled.code.remarks());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_kept() {
        let mut budget = Budget { credit: BURST_NS, last: 0, skipped: 0 };
        // How many of `n` commands that follow each other by `each` are noted.
        let mut noted = |from: u64, each: u64, n: u64| {
            let (mut i, mut noted) = (0, 0);
            while i < n {
                let skip = budget.pay(SLICE_NS, from + each * i);
                assert!(skip <= MOST_SKIPPED, "{skip}");
                i += 1 + skip;
                noted += 1;
            }
            noted
        };
        assert_eq!(noted(1_000_000, 1000, 900), 900, "a few are all noted");
        assert!(noted(2_000_000, 1, 1_000_000) > 500, "the shortest there are");
        let n = 1_000_000;
        let rest = noted(2_000_000, 1000, n) * SLICE_NS;
        let most = BURST_NS as u64 + n * 1000 / PART;
        assert!(rest <= most && rest > most / 4, "{rest} of {most}");
        assert!(noted(10_000_000_000, 10_000_000, 2000) > 1000, "there is time enough for most");
    }
}
