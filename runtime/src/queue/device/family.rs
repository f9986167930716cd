//! A launch from the host with all that it and its descendants enqueue: runs children, and answers what their code
//! asks.
#![allow(unsafe_code, reason = "writes a command's times where a kernel wants them")]

use super::graph::{Graph, HEAD, Taken, Times};
use super::{MAX_EVENTS, OnDevice, Room};
use crate::check::kernel::Watch;
use crate::check::now::{self, Now};
use crate::context::ContextFlags;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::exec::for_any_thread;
use crate::exec::geometry::{self, Geometry};
use crate::exec::meeting::Meeting;
use crate::exec::ndrange::{self, Launch};
use crate::exec::pool;
use crate::exec::printf::Output;
use crate::kernel::{LOCAL_ALIGN, group_rules, max_work_group_size};
use crate::object::Obj;
use crate::program::Program;
use crate::program::executable::Executable;
use crate::queue::Queue;
use crate::queue::command::WorkSizes;
use crate::status::Status;
use crate::sync::{Condvar, Mutex, Rank};
use crate::trace;
use clift_jit::clock::now_ns;
use clift_jit::device::{Asked, DeviceFn, Launcher, RANGE_WORDS};
use clift_jit::race::before::{self, Before, Point};
use clift_jit::target::sub_group_size;
use clift_jit::{ArgKind, KernelInfo, SpecKey, stack};
use smallvec::SmallVec;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Weak};

/// What a child takes of its queue beside its arguments, in bytes.
const CHILD_BYTES: usize = 384;
/// Status of user events that nobody can set any more, as of those of the host.
const ABANDONED: i32 = Status::InvalidEvent.code();

/// What functions for enqueuing return.
const SUCCESS: i32 = 0;
const FAILURE: i32 = -101;
const INVALID_QUEUE: i32 = -102;
const INVALID_RANGE: i32 = -160;
const INVALID_WAIT_LIST: i32 = -57;
const QUEUE_FULL: i32 = -161;
const INVALID_ARG_SIZE: i32 = -51;
const EVENT_ALLOCATION: i32 = -100;
const OUT_OF_RESOURCES: i32 = -5;

/// `CLK_PROFILING_COMMAND_EXEC_TIME`
const EXEC_TIME: u64 = 1;

/// What a launch needs if its kernel may enqueue.
pub struct DeviceSide {
    /// Whose blocks they are.
    pub(crate) program: Obj<Program>,
    pub(crate) executable: Arc<Executable>,
    pub(crate) non_uniform: bool,
    /// Device queues among the arguments, kept alive.
    pub(crate) queues: SmallVec<[Obj<Queue>; 1]>,
    /// The device's default queue when the launch was enqueued, likewise.
    pub(crate) default: Option<Obj<Queue>>,
    /// Where its children belong, once it runs.
    pub(crate) kin: Option<Arc<Kin>>,
}

/// A launch that runs, for what it enqueues.
pub struct Kin {
    family: Arc<Family>,
    /// Where its descendants count.
    node: u32,
    /// For checks what happened before.
    before: Before,
    /// Children that wait until all its groups have ended.
    gates: Mutex<Vec<u32>>,
    /// Where its groups meet, if they run at the same time.
    meeting: Option<Arc<Meeting>>,
}

struct Family {
    program: Obj<Program>,
    executable: Arc<Executable>,
    non_uniform: bool,
    device: Obj<Device>,
    /// The device queues that its kernels can know, by number.
    queues: SmallVec<[(u64, Arc<OnDevice>); 2]>,
    /// What `get_default_queue` returns.
    default: u64,
    traced: u64,
    /// The command, for checks.
    now: Option<Arc<Now>>,
    shared: Arc<Shared>,
}

/// What helpers look at when they have let go of everything else.
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    graph: Graph<Box<Child>>,
    /// Workers of the pool that run children, or will.
    helpers: usize,
    /// Those of them that have begun and may still hold something of the family.
    holders: usize,
    /// The thread that runs the command has nothing to do.
    sleeps: bool,
}

/// A launch that was enqueued by a kernel.
struct Child {
    kernel: usize,
    /// Nothing if there are no work-items.
    geometry: Option<Geometry>,
    block: SmallVec<[u8; 64]>,
    local_sizes: SmallVec<[usize; 2]>,
    local_bytes: usize,
    room: Room,
}

/// How a command ended.
#[derive(Clone, Copy, Default)]
pub(crate) struct Ended {
    /// When the groups of the launch from the host had ended, in ns; 0: with the command.
    pub(crate) at_ns: u64,
    /// 0, or the first error of a child.
    pub(crate) status: i32,
}

/// Runs a launch whose kernel may enqueue, and all its descendants.
pub(crate) fn run(mut launch: Box<Launch>, device: &Device) -> Result<Ended> {
    static TAGS: AtomicU64 = AtomicU64::new(1);
    let side = launch.device_side.as_mut().expect("its kernel may enqueue");
    let context = Arc::clone(side.program.context());
    let graph = Graph::new(TAGS.fetch_add(1, Relaxed));
    let state = State { graph, helpers: 0, holders: 0, sleeps: false };
    let kept_queues = (std::mem::take(&mut side.queues), side.default.take());
    let own = context.own_device(device).ok_or(Error::spec(Status::InvalidDevice, "the device has gone"))?;
    let all = kept_queues.0.iter().chain(&kept_queues.1).filter(|queue| Arc::ptr_eq(queue.device(), &own));
    let known = |queue: &Obj<Queue>| Some((queue.device_handle(), Arc::clone(queue.on_device()?)));
    let family = Arc::new(Family {
        program: Arc::clone(&side.program),
        executable: Arc::clone(&side.executable),
        non_uniform: side.non_uniform,
        device: Arc::clone(&own),
        queues: all.filter_map(known).collect(),
        default: kept_queues.1.as_ref().map_or(0, |queue| queue.device_handle()),
        traced: trace::current(),
        now: now::running(),
        shared: Arc::new(Shared { state: Mutex::new(Rank::Graph, state), changed: Condvar::new() }),
    });
    let kin = Kin::new(&family, HEAD, Before::default(), launch.meeting.clone());
    side.kin = Some(Arc::clone(&kin));
    // Buffers and queues are kept until all has ended.
    let kept = (launch.buffers.clone(), kept_queues);
    let status = run_on_stack(launch, device);
    let at_ns = now_ns();
    kin.open_gates();
    family.update(|graph| graph.end_head(status));
    family.drain();
    drop(kept);
    let status = family.shared.state.lock().graph.failure();
    Ok(Ended { at_ns, status })
}

/// Runs groups; 0, or an error.
fn run_on_stack(mut launch: Box<Launch>, device: &Device) -> i32 {
    ndrange::choose_code(&mut launch);
    let bytes = launch.compiled.code.stack_bytes();
    if pool::is_alone() && !stack::has_room(bytes) {
        return Status::OutOfHostMemory.code();
    }
    let run = for_any_thread(|| ndrange::run(launch, device.pool()));
    match catch_unwind(AssertUnwindSafe(|| stack::with_room(bytes, run))) {
        Ok(Ok(())) => 0,
        Ok(Err(_)) | Err(_) => Status::OutOfResources.code(),
    }
}

impl Kin {
    fn new(family: &Arc<Family>, node: u32, before: Before, meeting: Option<Arc<Meeting>>) -> Arc<Self> {
        let gates = Mutex::new(Rank::Memory, Vec::new());
        Arc::new(Self { family: Arc::clone(family), node, before, gates, meeting })
    }

    /// Its groups have ended.
    fn open_gates(&self) {
        let gates = std::mem::take(&mut *self.gates.lock());
        self.family.open(gates);
    }

    /// Runs groups of the launch on this thread; what their code asks is answered.
    pub(crate) fn during(&self, run: impl FnOnce()) {
        let member = Member { kin: self, gates: Mutex::new(Rank::Memory, Vec::new()) };
        clift_jit::device::within(&member, run);
        let gates = std::mem::take(&mut *member.gates.lock());
        self.family.open(gates);
    }
}

/// Groups that a thread runs one after the other.
struct Member<'a> {
    kin: &'a Kin,
    /// Children that wait until a group has ended.
    gates: Mutex<Vec<u32>>,
}

impl Family {
    fn open(self: &Arc<Self>, gates: Vec<u32>) {
        if !gates.is_empty() {
            self.update(|graph| gates.into_iter().for_each(|id| graph.open(id)));
        }
    }

    /// Changes the graph, and does what follows from it.
    fn update<R>(self: &Arc<Self>, change: impl FnOnce(&mut Graph<Box<Child>>) -> R) -> R {
        let mut state = self.shared.state.lock();
        let result = change(&mut state.graph);
        let (due, dropped) = state.graph.take_due();
        let mut wants_helper = false;
        if state.graph.has_ready() && state.helpers + 1 < self.device.pool().threads() && !state.sleeps {
            state.helpers += 1;
            wants_helper = true;
        }
        let wakes = state.sleeps;
        // Before anyone takes what waited for them.
        due.into_iter().for_each(write_times);
        drop(state);
        drop(dropped);
        if wakes {
            self.shared.changed.notify_one();
        }
        if wants_helper {
            // All workers may be at other things for long: nobody waits for a helper that has not begun.
            let (this, shared) = (Arc::downgrade(self), Arc::clone(&self.shared));
            if !self.device.pool().spawn(move || Self::help(&this, &shared)) {
                self.shared.state.lock().helpers -= 1;
            }
        }
        result
    }

    /// A worker's part: runs children as long as there are ready ones.
    fn help(this: &Weak<Self>, shared: &Shared) {
        let mut family = None;
        loop {
            let taken = {
                let mut state = shared.state.lock();
                if family.is_none() && !state.graph.is_complete() {
                    // As long as it holds the family, that does not end.
                    family = this.upgrade();
                    state.holders += usize::from(family.is_some());
                }
                let taken = state.graph.take().filter(|_| family.is_some());
                if taken.is_none() {
                    state.helpers -= 1;
                }
                taken
            };
            let (Some(taken), Some(family)) = (taken, &family) else { break };
            family.run_child(taken);
        }
        if let Some(family) = family {
            // Whoever waits for the launch may release all that it uses.
            drop(family);
            shared.state.lock().holders -= 1;
            shared.changed.notify_one();
        }
    }

    /// Runs children on this thread until all have ended.
    fn drain(self: &Arc<Self>) {
        let mut state = self.shared.state.lock();
        loop {
            if let Some(taken) = state.graph.take() {
                drop(state);
                self.run_child(taken);
                state = self.shared.state.lock();
            } else if state.graph.is_complete() && state.holders == 0 {
                return;
            } else if state.graph.is_complete() || state.graph.is_running() {
                state.sleeps = true;
                self.shared.changed.wait(&mut state);
                state.sleeps = false;
            } else {
                drop(state);
                self.update(|graph| graph.abandon(ABANDONED));
                state = self.shared.state.lock();
            }
        }
    }

    fn run_child(self: &Arc<Self>, taken: Taken<Box<Child>>) {
        let (node, has_node) = (taken.node(), taken.has_node());
        let now = self.now.as_ref().map(|now| Arc::new(now.part(taken.before.clone())));
        let kin = Kin::new(self, node, taken.before, None);
        let start = now_ns();
        let status = if self.program.context().is_terminated() {
            Status::ContextTerminatedKhr.code()
        } else {
            let run = || match self.launch(*taken.launch, &kin) {
                Ok(None) => 0,
                Ok(Some(launch)) => run_on_stack(launch, &self.device),
                Err(error) => {
                    self.program.context().report(&error.to_string());
                    error.status().code()
                }
            };
            now::within(now.clone(), || trace::within(self.traced, run))
        };
        let times = [start, now_ns()];
        kin.open_gates();
        let after = now.map_or_else(Before::default, |now| now.after());
        self.update(|graph| graph.end(node, has_node, status, times, &after));
    }

    /// Nothing for a child without work-items.
    fn launch(&self, child: Child, kin: &Arc<Kin>) -> Result<Option<Box<Launch>>> {
        let Child { kernel, geometry, block, local_sizes, local_bytes, room } = child;
        drop(room);
        let Some(geometry) = geometry else { return Ok(None) };
        let local_size = geometry.uniform.then(|| geometry.local.map(|l| l as u32));
        let key = SpecKey { local_size, ..SpecKey::of_ids(geometry.offset, geometry.global) };
        let compiled = pool::in_no_fork(|| self.executable.code(kernel, key))?;
        let info = &self.executable.source().kernels()[kernel];
        let side = DeviceSide {
            program: Arc::clone(&self.program),
            executable: Arc::clone(&self.executable),
            non_uniform: self.non_uniform,
            queues: SmallVec::new(),
            default: None,
            kin: Some(Arc::clone(kin)),
        };
        Ok(Some(Box::new(Launch {
            compiled,
            trial: None,
            midway: None,
            watch: self.watch(kernel, &geometry, &block, &local_sizes),
            args: block,
            buffers: SmallVec::new(),
            geometry,
            local_bytes,
            output: Output::default(),
            zero_local: local_bytes > 0 && self.program.context().flags().contains(ContextFlags::ZERO_LOCAL),
            races: None,
            stop: self.program.context().stop_flag(),
            facts: None,
            about: None,
            device_side: info.enqueues.then(|| Box::new(side)),
            meeting: None,
        })))
    }

    /// What checks of a child's code ask.
    fn watch(&self, kernel: usize, geometry: &Geometry, block: &[u8], sizes: &[usize]) -> Option<Arc<Watch>> {
        let watch = Watch::new(&self.executable, &self.program, kernel, geometry);
        let mut watch = watch.filter(Watch::is_checked)?;
        let args = &self.executable.source().kernels()[kernel].args;
        let mut sizes = sizes.iter();
        for (n, arg) in args.iter().enumerate() {
            let word = block[arg.offset..].first_chunk().map_or(0, |&bits| usize::from_ne_bytes(bits));
            match arg.kind {
                ArgKind::Buffer { .. } => _ = watch.address(n, word),
                ArgKind::Local => watch.local(n, word, sizes.next().copied().unwrap_or(0)),
                _ => {}
            }
        }
        Some(Arc::new(watch))
    }

    fn info(&self, kernel: usize) -> Option<&KernelInfo> {
        self.executable.source().kernels().get(kernel).filter(|info| info.is_block)
    }

    /// A device queue of the family's device.
    fn queue(&self, number: u64) -> Option<&Arc<OnDevice>> {
        self.queues.iter().find(|(known, _)| *known == number).map(|(_, queue)| queue)
    }

    /// The groups of an ND-range; nothing if there are no work-items.
    fn geometry(&self, info: &KernelInfo, range: &[u64]) -> std::result::Result<Option<Geometry>, i32> {
        let &[dims, ref sizes @ ..] = range else { return Err(INVALID_RANGE) };
        let n = usize::try_from(dims).ok().filter(|n| (1..=3).contains(n)).ok_or(INVALID_RANGE)?;
        let three = |at: usize| -> [usize; 3] { std::array::from_fn(|d| sizes.get(at + d).map_or(0, |&n| n as usize)) };
        let [offset, global, local] = [three(0), three(3), three(6)];
        let given = local[..n].iter().any(|&size| size > 0).then_some(&local[..n]);
        let sizes = WorkSizes { dims: n as u32, offset: Some(&offset[..n]), global: Some(&global[..n]), local: given };
        geometry::resolve(sizes, &group_rules(info, &self.device, self.non_uniform)).map_err(|_| INVALID_RANGE)
    }
}

fn write_times(times: Times) {
    let place = times.address as *mut [u64; 2];
    if !place.is_null() {
        // SAFETY: the kernel says that there are two words for them, in global memory, which the family keeps; that
        // they are there is its author's duty, as for what it stores itself.
        unsafe { place.write_unaligned(times.words) };
    }
}

impl Launcher for Member<'_> {
    fn ask(&self, asked: Asked<'_>) -> u64 {
        let family = &self.kin.family;
        let (words, word) = (asked.words, |n: usize| asked.words.get(n).copied().unwrap_or(0));
        match asked.what {
            DeviceFn::Enqueue => told(self.enqueue(asked), words[3]),
            DeviceFn::Marker => told(self.marker(asked), words[2]),
            DeviceFn::Retain => {
                family.update(|graph| graph.retain(word(0)));
                0
            }
            DeviceFn::Release => {
                family.update(|graph| graph.release(word(0)));
                0
            }
            DeviceFn::CreateUserEvent => family.update(|graph| match graph.n_events() < MAX_EVENTS as usize {
                true => graph.add_user(),
                false => 0,
            }),
            DeviceFn::IsValid => u64::from(family.update(|graph| graph.is_event(word(0)))),
            DeviceFn::SetStatus => {
                let before = self.before_point(before::enqueuing());
                family.update(|graph| graph.set_user(word(0), word(1) as i32, &before));
                0
            }
            DeviceFn::Capture => {
                if word(1) == EXEC_TIME {
                    family.update(|graph| graph.want_times(word(0), word(2)));
                }
                0
            }
            DeviceFn::DefaultQueue => family.default,
            DeviceFn::WorkGroupSize => {
                family.info(asked.kernel).map_or(0, |info| max_work_group_size(info, &family.device) as u64)
            }
            DeviceFn::PreferredMultiple => family.device.caps().preferred_work_group_size_multiple as u64,
            DeviceFn::SubGroupCount | DeviceFn::MaxSubGroupSize => self.sub_groups(asked),
            DeviceFn::Meet => {
                self.kin.meeting.iter().for_each(|meeting| meeting.meet());
                0
            }
            DeviceFn::CanMeet => u64::from(self.kin.meeting.is_some()),
        }
    }
}

/// What the program is told: which error, or that there was one.
fn told(result: std::result::Result<(), i32>, tells: u64) -> u64 {
    let status = match result {
        Ok(()) => SUCCESS,
        Err(error) if tells != 0 => error,
        Err(_) => FAILURE,
    };
    i64::from(status) as u64
}

impl Member<'_> {
    /// For checks what happened before what a work-item does now.
    fn before_point(&self, point: Option<Point>) -> Before {
        let mut before = self.kin.before.clone();
        point.into_iter().for_each(|point| before.add_point(point));
        before
    }

    fn enqueue(&self, asked: Asked<'_>) -> std::result::Result<(), i32> {
        let point = before::enqueuing();
        let family = &self.kin.family;
        let &[number, flags, n_waits, _, ref range @ ..] = asked.words else { return Err(FAILURE) };
        let queue = family.queue(number).ok_or(INVALID_QUEUE)?;
        let info = family.info(asked.kernel).ok_or(FAILURE)?;
        let (waits_kernel, waits_group) = match flags {
            0 => (false, false),
            1 => (true, false),
            2 => (false, true),
            _ => return Err(FAILURE),
        };
        let geometry = family.geometry(info, &range[..RANGE_WORDS])?;
        let waits = wait_list(n_waits, asked.waits)?;
        if asked.sizes.contains(&0) {
            return Err(INVALID_ARG_SIZE);
        }
        let (block, local_bytes) = arguments(info, asked.block, asked.sizes);
        if local_bytes as u64 > family.device.caps().local_mem_size {
            return Err(OUT_OF_RESOURCES);
        }
        let room = queue.take(CHILD_BYTES + block.len()).ok_or(QUEUE_FULL)?;
        let local_sizes = asked.sizes.iter().map(|&size| size as usize).collect();
        let child = Box::new(Child { kernel: asked.kernel, geometry, block, local_sizes, local_bytes, room });
        let gates = u32::from(waits_kernel || waits_group);
        let mut before = self.before_point(point.map(|point| if waits_group { point.end() } else { point }));
        point.filter(|_| waits_kernel).into_iter().for_each(|point| before.add(point.of));
        let id = self.add((Some(child), before), waits, gates, asked.event)?;
        if waits_kernel {
            self.kin.gates.lock().push(id);
        } else if waits_group {
            self.gates.lock().push(id);
        }
        Ok(())
    }

    fn marker(&self, asked: Asked<'_>) -> std::result::Result<(), i32> {
        let &[number, n_waits, _] = asked.words else { return Err(FAILURE) };
        let queue = self.kin.family.queue(number).ok_or(INVALID_QUEUE)?;
        let waits = wait_list(n_waits, asked.waits)?;
        if waits.is_empty() {
            return Err(INVALID_WAIT_LIST);
        }
        // "event_ret must not be NULL as otherwise this is a no-op."
        if asked.event.is_none() {
            return Ok(());
        }
        // It takes no more than its event; but a queue that is full is full.
        queue.take(CHILD_BYTES).ok_or(QUEUE_FULL)?;
        self.add((None, Before::default()), waits, 0, asked.event).map(|_| ())
    }

    /// Adds a child, whose event goes to a place.
    fn add(
        &self,
        child: (Option<Box<Child>>, Before),
        waits: &[u64],
        gates: u32,
        event: Option<&mut u64>,
    ) -> std::result::Result<u32, i32> {
        let node = self.kin.node;
        self.kin.family.update(|graph| {
            if !waits.iter().all(|&event| graph.is_event(event)) {
                return Err(INVALID_WAIT_LIST);
            }
            if event.is_some() && graph.n_events() >= MAX_EVENTS as usize {
                return Err(EVENT_ALLOCATION);
            }
            let (id, made) = graph.add(child, node, waits, gates, event.is_some());
            if let Some((place, made)) = event.zip(made) {
                *place = made;
            }
            Ok(id)
        })
    }

    fn sub_groups(&self, asked: Asked<'_>) -> u64 {
        let family = &self.kin.family;
        let Some(info) = family.info(asked.kernel) else { return 0 };
        let Ok(Some(geometry)) = family.geometry(info, asked.words) else { return 0 };
        let size = u64::from(sub_group_size(info));
        let items = geometry::items(geometry.local);
        match asked.what {
            DeviceFn::SubGroupCount => items.div_ceil(size),
            _ => size.min(items),
        }
    }
}

/// The events of a list.
fn wait_list(n: u64, list: Option<&[u64]>) -> std::result::Result<&[u64], i32> {
    match (n, list) {
        (0, None) => Ok(&[]),
        (1.., Some(list)) => Ok(list),
        _ => Err(INVALID_WAIT_LIST),
    }
}

/// An argument block with the places of local arguments of these sizes, and the bytes of local memory in all.
fn arguments(info: &KernelInfo, captured: &[u8], sizes: &[u64]) -> (SmallVec<[u8; 64]>, usize) {
    let mut block = SmallVec::from_slice(captured);
    block.resize(info.arg_block_bytes, 0);
    let mut end = info.local_bytes;
    let locals = info.args.iter().filter(|arg| arg.kind == ArgKind::Local);
    for (arg, &size) in locals.zip(sizes) {
        let start = end.next_multiple_of(LOCAL_ALIGN);
        block[arg.offset..arg.offset + 8].copy_from_slice(&(start as u64).to_ne_bytes());
        end = start.saturating_add(usize::try_from(size).unwrap_or(usize::MAX));
    }
    (block, end)
}
