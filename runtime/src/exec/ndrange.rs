//! Shares the groups of a launch among threads. Groups are numbered linearly, x fastest. The cost of a group is measured
//! and remembered with the code: what takes less than a thread switch pays for runs on the calling thread, the rest is
//! cut into chunks that take long enough to make claiming them free and end close enough together. Groups that may wait for
//! each other are begun one by one, in their order, each on a thread that has no other group; there is one thread for each
//! compute unit.

use super::geometry::Geometry;
use super::pool::Pool;
use super::printf::Output;
use super::workgroup;
use crate::config::Config;
use crate::memory::buffer::Mem;
use crate::object::Obj;
use clift_jit::KernelCode;
use smallvec::SmallVec;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Instant;

/// Code of a kernel for one specialisation, and what its groups cost.
pub struct Compiled {
    /// The kernel's name, for the log.
    name: Arc<str>,
    /// Machine code.
    pub code: Arc<KernelCode>,
    /// Groups may wait for each other: see `KernelInfo::may_wait`.
    may_wait: bool,
    /// Picoseconds per group as last measured; 0: never.
    cost_ps: AtomicU64,
}

impl Compiled {
    /// Code that has not run yet.
    pub fn new(name: Arc<str>, code: Arc<KernelCode>, may_wait: bool) -> Self {
        Self { name, code, may_wait, cost_ps: AtomicU64::new(0) }
    }
}

/// Everything that a launch needs; arguments are as they were when it was enqueued.
pub struct Launch {
    /// What runs.
    pub compiled: Arc<Compiled>,
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
    /// Set when no further work-group is to start.
    pub stop: Option<Arc<AtomicBool>>,
}

impl Launch {
    fn is_stopped(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop.load(Relaxed))
    }
}

/// Work below this is not shared.
const SHARE_NS: u64 = 40_000;
/// What a claimed chunk should take.
const CHUNK_NS: u64 = 75_000;
/// The first groups of code whose cost is unknown run on the calling thread until this has passed.
const PROBE_NS: u64 = 20_000;

/// Runs all groups; threads of the pool may help.
pub fn run(launch: Box<Launch>, pool: &Pool) {
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
    let threads = pool.threads() as u64;
    if n == 1 || threads == 1 && launch.stop.is_none() {
        return workgroup::run(&launch, 0..n);
    }
    if launch.compiled.may_wait {
        return run_together(launch, pool);
    }
    let cost = &launch.compiled.cost_ps;
    let known = cost.load(Relaxed);
    let start = Instant::now();
    let done = match known {
        0 => probe(&launch, start),
        _ if total_ns(known, n) < SHARE_NS => {
            workgroup::run(&launch, 0..n);
            n
        }
        _ => 0,
    };
    if done > 0 {
        cost.store(per_group_ps(start, done), Relaxed);
    }
    // Stopped before anything ran, a launch has no cost yet: it must not count as small.
    if done < n && !launch.is_stopped() {
        let per_group = cost.load(Relaxed).max(1);
        if total_ns(per_group, n - done) < SHARE_NS {
            return workgroup::run(&launch, done..n);
        }
        share(launch, pool, done..n, per_group);
    }
}

/// Runs groups that may wait for each other.
fn run_together(launch: Box<Launch>, pool: &Pool) {
    let n = launch.geometry.n_groups;
    let next = AtomicU64::new(0);
    let helpers = (n - 1).min(pool.threads() as u64 - 1) as usize;
    pool.share_together(helpers, move || {
        loop {
            let i = next.fetch_add(1, Relaxed);
            if i >= n || launch.is_stopped() {
                break;
            }
            workgroup::run(&launch, i..i + 1);
        }
    });
}

fn total_ns(per_group_ps: u64, groups: u64) -> u64 {
    per_group_ps.saturating_mul(groups) / 1000
}

fn per_group_ps(start: Instant, groups: u64) -> u64 {
    ((start.elapsed().as_nanos() as u64).saturating_mul(1000) / groups).max(1)
}

/// Runs groups from the first on, in growing chunks, until the time is enough to tell their cost; returns how many.
fn probe(launch: &Launch, start: Instant) -> u64 {
    let n = launch.geometry.n_groups;
    let (mut done, mut chunk) = (0, 1);
    while done < n && !launch.is_stopped() && start.elapsed().as_nanos() < u128::from(PROBE_NS) {
        let end = (done + chunk).min(n);
        workgroup::run(launch, done..end);
        done = end;
        chunk *= 2;
    }
    done
}

/// Lets the workers and this thread claim chunks of `groups`.
fn share(launch: Box<Launch>, pool: &Pool, groups: Range<u64>, cost_ps: u64) {
    let n = groups.end - groups.start;
    let threads = pool.threads() as u64;
    let wanted = CHUNK_NS.saturating_mul(1000) / cost_ps;
    let chunk = wanted.clamp(1, (n / (4 * threads)).max(1));
    let n_chunks = n.div_ceil(chunk);
    let next = AtomicU64::new(0);
    pool.share((n_chunks - 1).min(threads - 1) as usize, move || {
        let start = Instant::now();
        let mut n_done = 0;
        loop {
            let i = next.fetch_add(1, Relaxed);
            if i >= n_chunks || launch.is_stopped() {
                break;
            }
            let first = groups.start + i * chunk;
            let end = (first + chunk).min(groups.end);
            workgroup::run(&launch, first..end);
            n_done += end - first;
        }
        if n_done > 0 {
            launch.compiled.cost_ps.store(per_group_ps(start, n_done), Relaxed);
        }
    });
}
