//! Shares the groups of a launch among threads. Groups are numbered linearly, x fastest. The cost of a group is
//! measured and remembered with the code: what takes less than a thread switch pays for runs on the calling thread, the
//! rest is cut into chunks that take long enough to make claiming them free, and smaller ones towards the end, so that
//! all threads end close together. Each thread has a range of neighbouring groups, and takes from others when it has
//! none left. Groups that may wait for each other are begun one by one, in their order, each on a thread that has no
//! other group; there is one thread for each compute unit.

use super::fault;
use super::geometry::Geometry;
use super::meeting::Meeting;
use super::pool::Pool;
use super::printf::Output;
use super::scout::Scout;
use super::workgroup;
use crate::check::commands::About;
use crate::check::kernel::Watch;
use crate::check::race;
use crate::config::Config;
use crate::memory::buffer::Mem;
use crate::object::Obj;
use crate::program::contest::Trial;
use crate::program::midway::Midway;
use crate::queue::device::DeviceSide;
use crate::record::Facts;
use crate::sync::{Mutex, Rank};
use crate::trace;
use clift_jit::race::Sites;
use clift_jit::{KernelCode, KernelInfo};
use smallvec::SmallVec;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// A count on cache lines of its own, or each that counts would take the others' lines from those that read them.
#[repr(align(128))]
pub(crate) struct Count(AtomicU64);

impl Count {
    const fn new() -> Self {
        Self(AtomicU64::new(0))
    }

    /// One more; how many there are.
    pub(crate) fn next(&self) -> u64 {
        self.0.fetch_add(1, Relaxed) + 1
    }
}

/// Code of a kernel for one specialisation, and what its groups cost.
pub struct Compiled {
    /// The kernel's name, for the log.
    name: String,
    /// Machine code.
    pub code: KernelCode,
    /// Groups may wait for each other: see `KernelInfo::may_wait`.
    may_wait: bool,
    /// How long it took to make it.
    pub(crate) making: Duration,
    /// Picoseconds per group as last measured, nearly (see `measured`); 0: never.
    pub(crate) cost_ps: AtomicU64,
    /// Brief launches by one thread.
    brief: Count,
    /// Its number in a trace, and how many launches of it there were since one is written.
    pub(crate) number: u64,
    pub(crate) launches: Count,
}

impl Compiled {
    /// Code of this kernel that has not run yet, and took so long to make.
    pub fn new(info: &KernelInfo, code: KernelCode, making: Duration) -> Self {
        static NUMBERS: AtomicU64 = AtomicU64::new(1);
        Self {
            name: info.name.clone(),
            code,
            may_wait: info.may_wait,
            making,
            cost_ps: AtomicU64::new(0),
            brief: Count::new(),
            number: NUMBERS.fetch_add(1, Relaxed),
            launches: Count::new(),
        }
    }

    /// The kernel's name.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Takes note of what a group costs, in picoseconds. What changes little stays as it is, so that the line stays in
    /// the caches of the threads that enqueue.
    pub(super) fn measured(&self, ps: u64) {
        let known = self.cost_ps.load(Relaxed);
        if known == 0 || ps.abs_diff(known) > known / 8 {
            self.cost_ps.store(ps, Relaxed);
        }
    }

    /// What so many groups should take, on one thread; 0 as long as none has been measured.
    pub(crate) fn expected_ns(&self, groups: u64) -> u64 {
        total_ns(self.cost_ps.load(Relaxed), groups)
    }
}

/// Everything that a launch needs; arguments are as they were when it was enqueued.
pub struct Launch {
    /// What runs.
    pub compiled: Arc<Compiled>,
    /// Where to tell what groups cost, if that is to decide which code later launches take.
    pub trial: Option<Trial>,
    /// Rivals of the code, from which it may choose while it runs.
    pub midway: Option<Midway>,
    /// Argument block.
    pub args: SmallVec<[u8; 64]>,
    /// Buffers in the argument block, kept alive.
    pub buffers: SmallVec<[Obj<Mem>; 4]>,
    /// Sizes.
    pub geometry: Geometry,
    /// Static and dynamic local memory of one group.
    pub local_bytes: usize,
    /// What the work-items print.
    pub output: Output,
    /// Each work-group starts with zeros in its local memory.
    pub zero_local: bool,
    /// What checks ask and report; none unless the program was built with checks.
    pub(crate) watch: Option<Arc<Watch>>,
    /// Its accesses, while it runs, if the code tells of them.
    pub(crate) races: Option<clift_jit::race::Tracking>,
    /// Set when no further work-group is to start.
    pub stop: Option<Arc<AtomicBool>>,
    /// What a recording says of it; none unless the process is recorded.
    pub(crate) facts: Option<Box<Facts>>,
    /// What it touches; none unless commands are watched.
    pub(crate) about: Option<Box<About>>,
    /// What it needs to enqueue; none unless its kernel may.
    pub(crate) device_side: Option<Box<DeviceSide>>,
    /// Where its groups meet, if they are to run at the same time.
    pub(crate) meeting: Option<Arc<Meeting>>,
}

impl Launch {
    /// Takes note of what a group costs, in picoseconds.
    fn measured(&self, ps: u64) {
        self.compiled.measured(ps);
        if let Some(trial) = &self.trial {
            trial.measured(ps);
        }
    }

    /// Whether it is to be told what a group costs: always, but for most brief launches.
    fn is_worth_measuring(&self) -> bool {
        let compiled = &self.compiled;
        let expected = compiled.expected_ns(self.geometry.n_groups);
        if self.trial.is_some() || compiled.cost_ps.load(Relaxed) == 0 || expected >= BRIEF_NS {
            return true;
        }
        compiled.brief.next().is_multiple_of(BRIEF_MEASURED)
    }

    fn is_stopped(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop.load(Relaxed))
    }
}

/// Work below this is not shared, and every thread that is asked to help is to find as much.
const SHARE_NS: u64 = 40_000;
/// What a claimed chunk should take.
pub(super) const CHUNK_NS: u64 = 75_000;
/// What is worth a claim.
const LEAST_CHUNK_NS: u64 = 2_000;
/// A launch that should not be shared looks at the clock so often, or once if it is brief: to look takes as long as a
/// few small groups.
const LOOKS: u64 = 4;
const BRIEF_NS: u64 = 1_000;
/// Of brief launches that only one thread can run one of so many is measured.
const BRIEF_MEASURED: u64 = 16;

/// Takes the code to run now, where checks assumed of other launches what is no longer true. For before its stack is
/// made sure of.
pub fn choose_code(launch: &mut Launch) {
    if let Some(code) = launch.watch.as_ref().and_then(|watch| watch.code_now()) {
        (launch.compiled, launch.trial, launch.midway) = (code, None, None);
    }
}

/// Runs all groups; threads of the pool may help.
pub fn run(mut launch: Box<Launch>, pool: &Pool) {
    fault::install();
    // Races are found within groups' parts between barriers of their own.
    let may_race = Sites::of(&launch.compiled.code).is_some() && launch.meeting.is_none();
    if let Some(watch) = launch.watch.as_ref().filter(|_| may_race) {
        launch.races = Some(race::begin(watch, &launch.compiled, launch.geometry));
    }
    if !race::tells_of_accesses(&launch.compiled) || launch.meeting.is_some() {
        race::memory_unknown(&launch.buffers);
    }
    if !Config::get().logs("kernels") {
        return run_groups(launch, pool);
    }
    let (compiled, geometry) = (Arc::clone(&launch.compiled), launch.geometry);
    let start = Instant::now();
    run_groups(launch, pool);
    let time = start.elapsed();
    let Geometry { global, local, n_groups, uniform, .. } = geometry;
    let shape = if uniform { "" } else { ", not uniform" };
    Config::log("kernels", || format!("{} {global:?} / {local:?}: {n_groups} groups{shape}, {time:?}", compiled.name));
}

fn run_groups(launch: Box<Launch>, pool: &Pool) {
    let n = launch.geometry.n_groups;
    if n == 1 || pool.threads() == 1 && launch.stop.is_none() && launch.midway.is_none() {
        let start = launch.is_worth_measuring().then(Instant::now);
        workgroup::run(&launch, &launch.compiled, 0..n);
        return start.into_iter().for_each(|start| launch.measured(per_group_ps(start, n)));
    }
    if launch.compiled.may_wait || launch.meeting.is_some() {
        return run_together(launch, pool);
    }
    let known = launch.compiled.cost_ps.load(Relaxed);
    let is_small = known > 0 && total_ns(known, n) < SHARE_NS;
    let done = if is_small { run_alone(&launch) } else { 0 };
    if done < n && !launch.is_stopped() {
        share(launch, pool, done..n);
    }
}

/// Runs groups that may wait for each other.
///
/// Panics if groups that are to run at the same time find no threads: the event fails, nothing else.
fn run_together(launch: Box<Launch>, pool: &Pool) {
    let n = launch.geometry.n_groups;
    let next = AtomicU64::new(0);
    let all = launch.meeting.is_some();
    let helpers = if all { n - 1 } else { (n - 1).min(pool.threads() as u64 - 1) } as usize;
    let traced = trace::current();
    let has_run = pool.share_together(helpers, all, move || {
        trace::share(traced, &launch.compiled.name, "groups", || {
            let mut n_done = 0;
            loop {
                let i = next.fetch_add(1, Relaxed);
                // Others wait for a group that is to run at the same time as they do.
                if i >= n || launch.meeting.is_none() && launch.is_stopped() {
                    break n_done;
                }
                /// Also if the group panics.
                struct Leave<'a>(Option<&'a Meeting>);
                impl Drop for Leave<'_> {
                    fn drop(&mut self) {
                        self.0.iter().for_each(|meeting| meeting.leave());
                    }
                }
                let leave = Leave(launch.meeting.as_deref());
                workgroup::run(&launch, &launch.compiled, i..i + 1);
                drop(leave);
                n_done += 1;
            }
        });
    });
    assert!(has_run, "no threads for groups that run at the same time");
}

fn total_ns(per_group_ps: u64, groups: u64) -> u64 {
    per_group_ps.saturating_mul(groups) / 1000
}

fn per_group_ps(start: Instant, groups: u64) -> u64 {
    ((start.elapsed().as_nanos() as u64).saturating_mul(1000) / groups).max(1)
}

/// Runs groups from the first on; returns how many. These are all, unless the time is over in which they should have
/// been done: groups may take longer than they once did.
fn run_alone(launch: &Launch) -> u64 {
    let n = launch.geometry.n_groups;
    let is_brief = launch.compiled.expected_ns(n) < BRIEF_NS;
    let (start, chunk) = (Instant::now(), n.div_ceil(LOOKS));
    let mut done = 0;
    while done < n && !launch.is_stopped() {
        let end = if is_brief && done > 0 { n } else { (done + chunk).min(n) };
        workgroup::run(launch, &launch.compiled, done..end);
        done = end;
        if done < n && start.elapsed().as_nanos() >= u128::from(SHARE_NS) {
            break;
        }
    }
    if done > 0 {
        launch.measured(per_group_ps(start, done));
    }
    done
}

/// Lets the workers and this thread claim chunks of `groups`.
fn share(launch: Box<Launch>, pool: &Pool, groups: Range<u64>) {
    let n = groups.end - groups.start;
    let threads = pool.threads() as u64;
    let known = launch.compiled.cost_ps.load(Relaxed);
    // What has never run may take long, were it two groups only.
    let worth = if known == 0 { n } else { total_ns(known, n) / SHARE_NS };
    let helpers = worth.min(n - 1).min(threads - 1) as usize;
    let parts = Parts::new(groups, helpers + 1);
    let traced = trace::current();
    pool.share(helpers, move || {
        trace::share(traced, &launch.compiled.name, "groups", || {
            let me = parts.enter();
            match &launch.midway {
                None => run_parts(&launch, &parts, me, known),
                Some(midway) => run_and_choose(&launch, midway, &parts, me, known),
            }
        });
    });
}

/// Runs chunks as long as there are any; returns how many groups these were.
fn run_parts(launch: &Launch, parts: &Parts, me: usize, known: u64) -> u64 {
    let (mut n_done, mut cost_ps, start) = (0, known, Instant::now());
    while !launch.is_stopped()
        && let Some(chunk) = parts.claim(me, cost_ps)
    {
        n_done += chunk.end - chunk.start;
        workgroup::run(launch, &launch.compiled, chunk);
        cost_ps = per_group_ps(start, n_done);
    }
    if n_done > 0 {
        launch.measured(cost_ps);
    }
    n_done
}

/// The same with the best code that is known by then, of which one thread finds out.
fn run_and_choose(launch: &Launch, midway: &Midway, parts: &Parts, me: usize, known: u64) -> u64 {
    let mut scout = (me == 0).then(|| Scout::new(midway));
    let mut code = midway.code();
    let (mut n_all, mut n_done, mut cost_ps, mut start) = (0, 0, known, Instant::now());
    while !launch.is_stopped() {
        if !Arc::ptr_eq(code, midway.code()) {
            (code, n_done, start) = (midway.code(), 0, Instant::now());
        }
        if n_done > 0
            && let Some(scout) = &mut scout
        {
            let begun = Instant::now();
            scout.prepare(parts.left(), cost_ps / 1000, parts.ranges.len());
            start += begun.elapsed();
        }
        let Some(chunk) = parts.claim(me, cost_ps) else { break };
        let n = chunk.end - chunk.start;
        n_all += n;
        if let Some((scout, taken)) = scout.as_mut().and_then(|scout| scout.turn().map(|taken| (scout, taken))) {
            let begun = Instant::now();
            workgroup::run(launch, taken, chunk);
            scout.measured(per_group_ps(begun, n));
            start += begun.elapsed();
        } else {
            workgroup::run(launch, code, chunk);
            n_done += n;
            cost_ps = per_group_ps(start, n_done);
            code.measured(cost_ps);
        }
    }
    n_all
}

/// The groups of a launch that have not begun: a range for each thread, so that neighbouring groups, and those that use
/// the same memory in one launch after the other, run on the same core for the most part.
struct Parts {
    ranges: Vec<Mutex<Range<u64>>>,
    entered: AtomicUsize,
}

impl Parts {
    fn new(groups: Range<u64>, threads: usize) -> Self {
        let (n, threads_u64) = (groups.end - groups.start, threads as u64);
        let border = |i: u64| groups.start + n / threads_u64 * i + (n % threads_u64).min(i);
        let ranges = (0..threads_u64).map(|i| Mutex::new(Rank::Leaf, border(i)..border(i + 1)));
        Self { ranges: ranges.collect(), entered: AtomicUsize::new(0) }
    }

    /// How many there are.
    fn left(&self) -> u64 {
        self.ranges.iter().map(len).sum()
    }

    /// The range that the next thread begins with.
    fn enter(&self) -> usize {
        self.entered.fetch_add(1, Relaxed) % self.ranges.len()
    }

    /// Takes the next groups of a range: what is likely to take `CHUNK_NS`, but half of what is left at most, so that
    /// all threads end close together (guided self-scheduling); one group if nothing is known of the cost. Half of the
    /// range with most left goes to one with none (work stealing).
    fn claim(&self, me: usize, cost_ps: u64) -> Option<Range<u64>> {
        loop {
            if let Some(chunk) = take_first(&mut self.ranges[me].lock(), cost_ps) {
                return Some(chunk);
            }
            let (victim, most) = self.ranges.iter().map(|range| (range, len(range))).max_by_key(|&(_, n)| n)?;
            if most == 0 {
                return None;
            }
            let stolen = {
                let mut range = victim.lock();
                let middle = range.start + (range.end - range.start) / 2;
                let stolen = middle..range.end;
                range.end = middle;
                stolen
            };
            *self.ranges[me].lock() = stolen;
        }
    }
}

/// Groups of a range.
fn len(range: &Mutex<Range<u64>>) -> u64 {
    let range = range.lock();
    range.end - range.start
}

/// The first groups of a range.
fn take_first(range: &mut Range<u64>, cost_ps: u64) -> Option<Range<u64>> {
    let lasting = |ns: u64| (ns * 1000).checked_div(cost_ps).unwrap_or(1);
    let left = range.end - range.start;
    let size = lasting(CHUNK_NS).min(left.div_ceil(2)).max(lasting(LEAST_CHUNK_NS)).max(1).min(left);
    let first = range.start;
    range.start += size;
    (size > 0).then_some(first..range.start)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sizes of the chunks of `n` groups, as one of so many threads claims them alone.
    fn sizes(n: u64, threads: usize, cost_ps: u64) -> Vec<u64> {
        let parts = Parts::new(10..10 + n, threads);
        let me = parts.enter();
        let chunks: Vec<Range<u64>> = std::iter::from_fn(|| parts.claim(me, cost_ps)).collect();
        let mut groups: Vec<u64> = chunks.iter().cloned().flatten().collect();
        groups.sort_unstable();
        assert!(groups.into_iter().eq(10..10 + n), "each once");
        chunks.iter().map(|chunk| chunk.end - chunk.start).collect()
    }

    #[test]
    fn chunks_shrink_towards_the_end() {
        // A group takes 1 µs.
        let got = sizes(1000, 1, 1_000_000);
        assert_eq!(got[0], 75);
        assert!(got.is_sorted_by(|a, b| a >= b) && got.iter().rev().skip(1).all(|&n| n >= 2), "{got:?}");
        // Long groups and those of unknown cost are claimed one by one.
        assert_eq!(sizes(6, 2, 200_000_000), [1; 6]);
        assert_eq!(sizes(6, 2, 0), [1; 6]);
        assert_eq!(sizes(64, 64, 1), [1; 64]);
    }

    #[test]
    fn threads_have_neighbouring_groups_and_steal_halves() {
        let parts = Parts::new(0..16, 2);
        let (a, b) = (parts.enter(), parts.enter());
        let claim = |who| parts.claim(who, 0).map(|chunk| chunk.start);
        assert_eq!([claim(a), claim(b), claim(a), claim(b)], [0, 8, 1, 9].map(Some));
        (2..8).for_each(|i| assert_eq!(claim(a), Some(i)));
        // Of 10 to 15 the other half.
        assert_eq!([claim(a), claim(b), claim(a), claim(a)], [13, 10, 14, 15].map(Some));
        assert_eq!([claim(a), claim(b), claim(a)], [Some(12), Some(11), None]);
    }
}
