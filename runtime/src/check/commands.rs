//! Races between commands, and between commands and the host, as far as the host tells: two commands touch the same
//! bytes, one of them writes, and no queue, event, barrier or wait of the host orders them.
//!
//! Commands get their vector clock (`clock`) when they begin, from the commands that they waited for, from their queue,
//! and from what the host knew when it enqueued them; then their accesses meet those before them (`history`). So what
//! is found does not depend on which of two unordered commands ran first, or whether they overlapped in time. All
//! threads of the host are one: they may synchronise with each other in ways that nobody sees, and what one has waited
//! for another may know. Mapped regions are accesses of the map and the unmap command, which move the whole region; the
//! host's own accesses are seen where `guard` closes the pages to it, not those through a `host_ptr` without a map.
//!
//! Transfers are known to the byte. Of a kernel it is known which buffers it has and which it may write; that is enough
//! to see that a transfer of a whole buffer races with it. With a transfer of a part it does if the part has what some
//! of its work-items are certain to access (`ahead`). None of this is enough for two kernels, each of which may have
//! its own part: what these access is compared where they do it (`race`).

use super::api::{self, PAUSE, PAUSES};
use super::clock::{Chains, Clock, Epoch};
use super::guard::{Guard, Stage, Touch};
pub(crate) use super::history::Access;
use super::history::{History, Made};
use super::host::{self, Call};
use super::now::{Now, now_running, running};
use super::objects;
use super::report::{Kind, Report, Side};
use super::{Kinds, Site, enabled, is_known};
use crate::callbacks;
use crate::event::Event;
use crate::exec::fault;
use crate::object::{Obj, Object};
use crate::queue::command::{Command, CommandType};
use crate::queue::order::Role;
use crate::queue::{Queue, QueueFlags};
use crate::sync::{Mutex, Rank};
use smallvec::SmallVec;
use std::any::Any;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, OnceLock};
use std::thread;

/// What a report says of a command.
#[derive(Debug, Default)]
pub(super) struct Info {
    /// The how manieth command that was enqueued.
    number: u64,
    call: Option<Call>,
    /// Name of the kernel; empty for others.
    kernel: String,
    program: u32,
    /// Names of arguments.
    arguments: Vec<String>,
}

/// A command, from its enqueueing on.
pub struct Moment {
    number: u64,
    queue: usize,
    role: Role,
    /// Nobody knows when it may begin, as it waits for what the host has still to do, or when it ends, as it does so
    /// while it runs (`may_wait`).
    is_held: bool,
    may_wait: bool,
    has_ended: AtomicBool,
    /// What it touches is guarded since it may begin at any time.
    is_waiting: AtomicBool,
    /// It unmaps what is not the host's since it was enqueued.
    is_handed_over: AtomicBool,
    /// What the host knew.
    host: Arc<Clock>,
    waits: Mutex<Vec<Arc<Moment>>>,
    /// What happened before it, and itself; set when it begins.
    clock: OnceLock<Clock>,
    accesses: Vec<Access>,
    map: Option<Change>,
    info: Arc<Info>,
}

impl Moment {
    /// Whether what waits for it may have to wait for the host.
    fn holds(&self) -> bool {
        let lasts = self.may_wait || self.is_held && self.clock.get().is_none();
        lasts && !self.has_ended.load(SeqCst)
    }
}

/// How long chains of waiting commands are dropped without recursion.
impl Drop for Moment {
    fn drop(&mut self) {
        let mut work = std::mem::take(self.waits.get_mut());
        while let Some(moment) = work.pop() {
            if let Some(mut last) = Arc::into_inner(moment) {
                work.append(last.waits.get_mut());
            }
        }
    }
}

/// What commands of a queue know by being there.
#[derive(Default)]
struct Line {
    /// In-order queues only.
    chain: Option<u32>,
    /// What the next command knows: the last command, or the last barrier.
    next: Clock,
    /// Everything that has begun.
    all: Clock,
    /// Commands that hold others, of which the last one is known to.
    held: Vec<Arc<Moment>>,
}

impl Line {
    /// Whether commands that come now may have to wait for the host. In a queue out of order most need not, but what is
    /// behind a barrier; they are all taken to.
    fn is_held(&mut self) -> bool {
        while self.held.pop_if(|last| !last.holds()).is_some() {}
        !self.held.is_empty()
    }

    fn hold(&mut self, moment: &Arc<Moment>) {
        if self.held.len() == self.held.capacity() {
            self.held.retain(|moment| moment.holds());
            self.held.reserve(self.held.len() + 1);
        }
        self.held.push(Arc::clone(moment));
    }
}

#[derive(Default)]
struct State {
    chains: Chains,
    host: Arc<Clock>,
    lines: HashMap<usize, Line>,
    /// Not begun.
    pending: BTreeMap<u64, Arc<Moment>>,
    history: History<Info>,
    guard: Guard<Info>,
    mapped: Vec<Mapped>,
    /// How often commands of a call and kernel began late, so that touches of their memory were seen.
    pauses: HashMap<Site, u32>,
    count: u64,
}

static STATE: Mutex<Option<State>> = Mutex::new(Rank::Leaf, None);

fn with<T>(use_it: impl FnOnce(&mut State) -> T) -> T {
    use_it(STATE.lock().get_or_insert_default())
}

/// Whether commands are watched: for races, or for memory that is freed too early.
pub(crate) fn is_on() -> bool {
    enabled(Kinds::RACES | Kinds::API)
}

/// Whether the host is seen to touch what commands use, for which memory is to have pages of its own.
pub(crate) fn guards() -> bool {
    enabled(Kinds::RACES)
}

/// Keeps everything as it is, for the time of a fork.
#[allow(unsafe_code, reason = "a guard for the time of a fork")]
pub(crate) fn hold() -> Box<dyn Any> {
    // SAFETY: a static.
    Box::new(unsafe { STATE.lock_for_fork() })
}

/// What a command is, as far as this module wants to know.
#[derive(Default)]
pub(crate) struct About {
    /// Name of the kernel; empty for others.
    pub kernel: String,
    /// Number of its program.
    pub program: u32,
    /// Names of its arguments.
    pub arguments: Vec<String>,
    /// What it touches.
    pub accesses: Vec<Access>,
    /// Regions that it maps or unmaps.
    pub map: Option<Change>,
}

/// What a command does to the regions that are mapped. They are known by a key and an address.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    /// From now on the host has these.
    Map { key: usize, address: usize, ranges: SmallVec<[Range<usize>; 2]>, writes: bool },
    /// The host gives them back.
    Unmap { key: usize, address: usize },
}

/// A region that the host has.
struct Mapped {
    key: usize,
    address: usize,
    ranges: SmallVec<[Range<usize>; 2]>,
    writes: bool,
    by: Arc<Info>,
    /// The host has not given it back yet, be it by a command that has not begun.
    is_hosts: bool,
    /// What has touched it all the same.
    offenders: Vec<Epoch>,
}

/// A command is about to be enqueued.
pub(crate) fn submit(queue: &Object<Queue>, command: &Command, waits: &[Obj<Event>], about: About) -> Arc<Moment> {
    let call = host::call();
    let About { kernel, program, arguments, accesses, map } = about;
    if kernel.is_empty() {
        let what = |access: &Access| if access.writes { "written" } else { "read" };
        accesses.iter().for_each(|access| api::touches(&access.range, what(access)));
        match &map {
            Some(Change::Map { key: 0, ranges, .. }) => ranges.iter().for_each(|range| api::touches(range, "mapped")),
            Some(Change::Unmap { key: 0, address }) => api::touches(&(*address..address + 1), "unmapped"),
            _ => {}
        }
    }
    let waits: Vec<_> = waits.iter().filter_map(|event| event.moment().cloned()).collect();
    let role = command.role(waits.is_empty());
    with(|state| {
        let line = state.lines.entry(queue.handle_address()).or_default();
        let may_wait = command.may_wait();
        let is_held = may_wait || line.is_held() || waits.iter().any(|moment| moment.holds());
        state.count += 1;
        let info = Arc::new(Info { number: state.count, call, kernel, program, arguments });
        let moment = Arc::new(Moment {
            number: state.count,
            queue: queue.handle_address(),
            role,
            is_held,
            may_wait,
            has_ended: AtomicBool::new(false),
            is_waiting: AtomicBool::new(false),
            is_handed_over: AtomicBool::new(false),
            host: Arc::clone(&state.host),
            waits: Mutex::new(Rank::Leaf, waits),
            clock: OnceLock::new(),
            accesses,
            map,
            info,
        });
        state.pending.insert(moment.number, Arc::clone(&moment));
        if is_held {
            state.lines.entry(moment.queue).or_default().hold(&moment);
        } else if guards() {
            state.hand_over(&moment);
            state.wait(&moment);
        }
        moment
    })
}

/// A command is not enqueued after all.
pub(crate) fn withdraw(moment: &Moment) {
    with(|state| {
        state.pending.remove(&moment.number);
        moment.has_ended.store(true, SeqCst);
        state.does_nothing(moment);
    });
}

/// A command that has not begun is cancelled, and touches nothing.
pub(crate) fn cancelled(moment: &Moment) {
    with(|state| state.does_nothing(moment));
}

/// While it lives, its command runs on this thread.
pub(crate) struct Running {
    before: Option<Arc<Now>>,
    moment: Arc<Moment>,
    /// The host may not touch its memory.
    is_guarded: bool,
}

impl Running {
    /// The command has ended, and somebody may get to know it: its memory is the host's.
    pub fn ended(&mut self) {
        self.moment.has_ended.store(true, SeqCst);
        if std::mem::take(&mut self.is_guarded) {
            with(|state| state.guard.leave(&self.moment.accesses, Stage::Runs));
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.ended();
        drop(now_running(self.before.take()));
    }
}

/// A command begins, or is passed over because what it waited for has failed.
pub(crate) fn begin(moment: Arc<Moment>, queue: &Queue, kind: CommandType, runs: bool) -> Running {
    let is_guarded = guards() && runs;
    if is_guarded {
        fault::let_in();
        pause(&moment);
    }
    let waits = std::mem::take(&mut *moment.waits.lock());
    let in_order = !queue.flags().contains(QueueFlags::OUT_OF_ORDER);
    let (clock, epoch, found) = with(|state| {
        state.pending.remove(&moment.number);
        let mut clock = Clock::clone(&moment.host);
        waits.iter().filter_map(|wait| wait.clock.get()).for_each(|theirs| clock.join(theirs));
        let line = state.lines.entry(moment.queue).or_default();
        clock.join(&line.next);
        if matches!(moment.role, Role::Marker | Role::Barrier) {
            clock.join(&line.all);
        }
        let chain = match (in_order, line.chain) {
            (true, None) => {
                line.chain = state.chains.own(&clock);
                line.chain
            }
            (true, own) => own,
            (false, _) => state.chains.find(&clock),
        };
        let epoch = chain.map(|chain| state.chains.next(chain, &mut clock));
        // Functions of the program are the host, which knows that they run.
        if matches!(kind, CommandType::NativeKernel | CommandType::SvmFree) {
            Arc::make_mut(&mut state.host).join(&clock);
        }
        let found = epoch.filter(|_| runs).map(|epoch| state.access(&moment, epoch, &mut clock));
        if is_guarded {
            state.guard.enter(&moment.accesses, Stage::Runs, &moment.info);
        }
        if runs {
            state.wait_no_more(&moment);
        } else {
            state.does_nothing(&moment);
        }
        let line = state.lines.entry(moment.queue).or_default();
        line.all.join(&clock);
        if in_order || matches!(moment.role, Role::Barrier | Role::BarrierOnList) {
            line.next.join(&clock);
        }
        (clock, epoch, found.unwrap_or_default())
    });
    let _ = moment.clock.set(clock.clone());
    if enabled(Kinds::RACES) {
        found.races.iter().for_each(|(made, other)| race(made, other));
        found.mapped.iter().for_each(|(access, writes, by)| mapped(&moment.info, access, *writes, by));
    }
    Running { before: now_running(Some(Arc::new(Now::new(clock, epoch)))), moment, is_guarded }
}

/// Leaves the host some time in which it is seen to touch what a command is about to write, as often for each kernel
/// and call as `api` does that for others; none if it waits for the command here.
fn pause(moment: &Arc<Moment>) {
    let is_wanted = with(|state| {
        let is_closed = state.wait(moment);
        if !is_closed || host::is_in_call() {
            return false;
        }
        let site = Site::of(("pause", moment.info.call, &moment.info.kernel));
        let has_room = state.pauses.len() < MAX_PAUSED;
        match state.pauses.get_mut(&site) {
            Some(count) => {
                *count += 1;
                *count <= PAUSES
            }
            None => has_room && state.pauses.insert(site, 1).is_none(),
        }
    });
    if is_wanted {
        thread::sleep(PAUSE);
    }
}

/// Calls and kernels whose commands begin late.
const MAX_PAUSED: usize = 4096;

/// A user event was set by the host, or by a command that runs on this thread: what waits for it happens after that.
pub(crate) fn set_user_event(event: &Event) {
    let clock = running().map_or_else(|| with(|state| Clock::clone(&state.host)), |now| Clock::clone(&now.clock));
    event.moment().into_iter().for_each(|moment| _ = moment.clock.set(clock.clone()));
}

/// The moment of a user event, which is set later.
pub(crate) fn user_event() -> Arc<Moment> {
    let info = Arc::default();
    Arc::new(Moment {
        number: 0,
        queue: 0,
        role: Role::Plain,
        is_held: true,
        may_wait: false,
        has_ended: AtomicBool::new(false),
        is_waiting: AtomicBool::new(false),
        is_handed_over: AtomicBool::new(false),
        host: Arc::default(),
        waits: Mutex::new(Rank::Leaf, Vec::new()),
        clock: OnceLock::new(),
        accesses: Vec::new(),
        map: None,
        info,
    })
}

/// The host has learnt that an event is complete.
pub(crate) fn known(event: &Event) {
    let Some(clock) = event.moment().and_then(|moment| moment.clock.get()) else { return };
    with(|state| Arc::make_mut(&mut state.host).join(clock));
}

/// The host has learnt that all commands of a queue are complete.
pub(crate) fn known_queue(queue: &Object<Queue>) {
    with(|state| {
        if let Some(line) = state.lines.get(&queue.handle_address()) {
            Arc::make_mut(&mut state.host).join(&line.all);
        }
    });
}

/// The host has learnt that all commands are complete.
pub(crate) fn known_all() {
    with(|state| {
        let all = state.chains.all();
        Arc::make_mut(&mut state.host).join(&all);
    });
}

/// A queue is gone.
pub(crate) fn queue_gone(address: usize) {
    with(|state| {
        let chain = state.lines.remove(&address).and_then(|line| line.chain);
        chain.into_iter().for_each(|chain| state.chains.disown(chain));
    });
}

/// A block of memory with pages of its own has got a purpose.
pub(crate) fn memory_made(range: Range<usize>) {
    with(|state| state.guard.made(range));
}

/// The host knows this address, and may use the memory while commands do, or may not.
pub(crate) fn memory_shown(address: usize, to_both: bool) {
    with(|state| state.guard.show(address, to_both));
}

/// The child of a fork has no commands that go on.
pub(crate) fn forked() {
    if guards() {
        with(|state| {
            state.guard.forked();
            state.lines.values_mut().for_each(|line| line.held.clear());
        });
    }
}

/// A thread has touched memory that it may not, at this address, with the instruction there: false if it is none of
/// ours. Else it is open now, and the thread is reported if it is the host program's own.
pub(crate) fn touched(address: usize, writes: Option<bool>, instruction: usize) -> bool {
    let Some(touch) = with(|state| state.guard.touched(address, writes)) else { return false };
    let Some(touch) = touch.filter(|_| is_host()) else { return true };
    let call = host::from_fault(instruction);
    // Where there is room for that: a thread of the program's may have a small stack for signals.
    thread::scope(|scope| {
        let told = thread::Builder::new().spawn_scoped(scope, || report_touch(&touch, address, call));
        match told {
            Ok(told) => _ = told.join(),
            Err(_) => report_touch(&touch, address, call),
        }
    });
    true
}

/// Whether this thread runs the program's code now.
fn is_host() -> bool {
    let is_ours = || {
        let me = thread::current();
        me.name().is_some_and(|name| name.starts_with("clift-") && name != callbacks::NAME)
    };
    !host::is_in_call() && running().is_none() && !is_ours()
}

/// Memory is given back: what is there next is other memory.
pub(crate) fn memory_gone(range: Range<usize>) {
    with(|state| {
        state.guard.gone(range.start);
        state.history.forget(range.clone());
        state.mapped.retain(|mapped| !mapped.has(&range));
    });
}

/// The host frees memory that commands know by its address. True if one of them may still use it: then it is reported,
/// and the memory is better kept.
pub(crate) fn freeing(range: Range<usize>) -> bool {
    let found = with(|state| {
        let overlaps = |access: &Access| access.overlaps(&range);
        let changes = |change: &Change| match change {
            Change::Map { ranges, .. } => ranges.iter().any(|region| meet(region, &range)),
            Change::Unmap { key, address } => {
                state.mapped.iter().any(|mapped| (mapped.key, mapped.address) == (*key, *address) && mapped.has(&range))
            }
        };
        let uses = |moment: &Moment| moment.accesses.iter().any(overlaps) || moment.map.as_ref().is_some_and(changes);
        let pending = state.pending.values().find(|moment| uses(moment));
        let pending = pending.map(|moment| (Arc::clone(&moment.info), true));
        let begun = || Some((state.history.unknown(range.clone(), &state.host)?.by, false));
        pending.or_else(begun)
    });
    let found = found.filter(|_| enabled(Kinds::API));
    found.iter().for_each(|(user, is_pending)| early(user, *is_pending, range.start));
    found.is_some()
}

/// What a command does wrong.
#[derive(Default)]
struct Found {
    /// With the command that it races with.
    races: Vec<(Made<Info>, Made<Info>)>,
    /// What it touches while the host has it, whether for writing, and by which command.
    mapped: Vec<(Access, bool, Arc<Info>)>,
}

impl State {
    /// A command may begin at any time. True if what it writes is closed.
    fn wait(&mut self, moment: &Arc<Moment>) -> bool {
        let is_new = !moment.is_waiting.swap(true, SeqCst);
        let is_closed = self.guard.enter(&moment.accesses, Stage::Waits, &moment.info);
        if !is_new {
            self.guard.leave(&moment.accesses, Stage::Waits);
        }
        is_closed
    }

    /// It has begun, or never will.
    fn wait_no_more(&mut self, moment: &Moment) {
        if moment.is_waiting.swap(false, SeqCst) {
            self.guard.leave(&moment.accesses, Stage::Waits);
        }
    }

    /// A command that unmaps is enqueued, and the region is not the host's any more.
    fn hand_over(&mut self, moment: &Moment) {
        if self.set_hosts(moment, false) {
            moment.is_handed_over.store(true, SeqCst);
        }
    }

    /// A command is not enqueued after all, or passed over: what it was to unmap stays mapped.
    fn does_nothing(&mut self, moment: &Moment) {
        self.wait_no_more(moment);
        if moment.is_handed_over.swap(false, SeqCst) {
            self.set_hosts(moment, true);
        }
    }

    /// The region that a command unmaps is the host's, or is not; false if there is none of which that is new.
    fn set_hosts(&mut self, moment: &Moment, is_hosts: bool) -> bool {
        let Some(Change::Unmap { key, address }) = &moment.map else { return false };
        let is_it = |mapped: &&mut Mapped| (mapped.key, mapped.address, mapped.is_hosts) == (*key, *address, !is_hosts);
        let Some(mapped) = self.mapped.iter_mut().rev().find(is_it) else { return false };
        mapped.is_hosts = is_hosts;
        let change = if is_hosts { Guard::map } else { Guard::unmap };
        mapped.ranges.iter().for_each(|range| change(&mut self.guard, range));
        true
    }

    /// The accesses of a command that begins.
    fn access(&mut self, moment: &Moment, epoch: Epoch, clock: &mut Clock) -> Found {
        let mut found = Found::default();
        let changed = moment.map.as_ref().map_or_else(Vec::new, |change| self.change(change, moment, clock));
        for access in moment.accesses.iter().chain(&changed) {
            let made = Made { access: access.clone(), epoch, by: Arc::clone(&moment.info) };
            if let Some(other) = self.history.note(&made, clock) {
                // From here on they count as ordered: what follows from the one mistake is not reported too.
                clock.set(other.epoch);
                found.races.push((made, other));
            }
        }
        for access in moment.accesses.iter().filter(|access| !access.host) {
            // What a kernel is certain to do to an argument's memory, and what it may, are one.
            if access.argument.is_some() && found.mapped.iter().any(|(last, ..)| last.argument == access.argument) {
                continue;
            }
            if let Some(mapped) = self.mapped.iter_mut().find(|mapped| mapped.forbids(access)) {
                mapped.offenders.push(epoch);
                found.mapped.push((access.clone(), mapped.writes, Arc::clone(&mapped.by)));
            }
        }
        found
    }

    /// Notes that a region is mapped or unmapped. A map moves it to the host, the unmap of one for writing moves it
    /// back: whole, whatever the host has touched. With what was found to touch it in between the unmap does not race
    /// once more.
    fn change(&mut self, change: &Change, moment: &Moment, clock: &mut Clock) -> Vec<Access> {
        let access = |range: &Range<usize>, writes| Access::of(range.clone(), writes);
        match change {
            Change::Map { key, address, ranges, writes } => {
                let by = Arc::clone(&moment.info);
                let (ranges, writes) = (ranges.clone(), *writes);
                let accesses = ranges.iter().map(|range| access(range, false)).collect();
                ranges.iter().for_each(|range| self.guard.map(range));
                self.mapped.push(Mapped {
                    key: *key,
                    address: *address,
                    ranges,
                    writes,
                    by,
                    is_hosts: true,
                    offenders: Vec::new(),
                });
                accesses
            }
            Change::Unmap { key, address } => {
                let is_it = |mapped: &Mapped| mapped.key == *key && mapped.address == *address;
                let given_back = |mapped: &Mapped| is_it(mapped) && !mapped.is_hosts;
                let at = self.mapped.iter().rposition(given_back).or_else(|| self.mapped.iter().rposition(is_it));
                let Some(at) = at else { return Vec::new() };
                let Mapped { ranges, writes, is_hosts, offenders, .. } = self.mapped.swap_remove(at);
                ranges.iter().filter(|_| is_hosts).for_each(|range| self.guard.unmap(range));
                offenders.into_iter().for_each(|epoch| clock.set(epoch));
                ranges.iter().map(|range| access(range, writes)).collect()
            }
        }
    }
}

/// Whether they have an address in common.
fn meet(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.start < other.end && other.start < one.end
}

impl Mapped {
    /// Whether any of this memory is in it.
    fn has(&self, memory: &Range<usize>) -> bool {
        self.ranges.iter().any(|region| meet(region, memory))
    }

    /// Whether a command may not do this as long as the region is mapped.
    fn forbids(&self, access: &Access) -> bool {
        let region = |range: &Range<usize>| Access::of(range.clone(), self.writes);
        let meets = |range: &&Range<usize>| access.overlaps(range) && access.meets(&region(range));
        (self.writes || access.writes) && self.ranges.iter().any(|range| meets(&range))
    }
}

fn mapped(user: &Info, access: &Access, writes: bool, by: &Info) {
    let site = Site::of(("mapped", user.call, &user.kernel, access.argument, by.call));
    if is_known(site) {
        return;
    }
    super::report(site, || {
        let purpose = if writes { "writing" } else { "reading" };
        let message = format!("{}, which is mapped for {purpose}", user.does(access));
        let mut report = Report::new(Kind::Race, message);
        report.kernel.clone_from(&user.kernel);
        report.program = user.program;
        report.sides = vec![user.side(String::new()), by.side("the map".to_owned())];
        report.object = objects::at(access.range.start);
        report.notes.push("until it is unmapped the memory is the host's".to_owned());
        report
    });
}

fn report_touch(touch: &Touch<Info>, address: usize, call: Call) {
    let Touch { by, access, writes } = touch;
    let site = Site::of(("touch", call, by.call, &by.kernel, access.argument));
    super::report(site, || {
        let does = match writes {
            Some(true) => "writes",
            Some(false) => "reads",
            None => "touches",
        };
        let message = format!("the host {does} memory that {}, and has not waited for it", by.uses(access));
        let mut report = Report::new(Kind::Race, message);
        report.kernel.clone_from(&by.kernel);
        report.program = by.program;
        report.sides = vec![Side { call: Some(call), ..Side::default() }, by.side(by.does(access))];
        report.object = objects::at(address);
        report.offset = report.object.as_ref().map(|object| address as i64 - object.address as i64);
        let why = "memory that a command uses is the command's from its enqueueing until it has ended";
        report.notes.push(why.to_owned());
        report
    });
}

fn early(user: &Info, is_pending: bool, address: usize) {
    let call = host::call();
    let site = Site::of(("freed early", call, &user.kernel, user.call));
    super::report(site, || {
        let state = if is_pending { "has not run yet" } else { "may still run, since nothing has waited for it" };
        let message = format!("memory is freed that {} uses, which {state}", user.describe());
        let mut report = Report::new(Kind::Api, message);
        report.sides = vec![Side { call, ..Side::default() }, user.side("the command that uses it".to_owned())];
        report.object = objects::at(address);
        report
    });
}

impl Info {
    fn describe(&self) -> String {
        match (&self.call, self.kernel.is_empty()) {
            (_, false) => format!("kernel `{}`", self.kernel),
            (Some(call), true) => format!("a command of {}", call.name),
            (None, true) => "a command".to_owned(),
        }
    }

    /// `` kernel `f` may write ``.
    fn uses(&self, access: &Access) -> String {
        format!("{} {}", self.describe(), Self::verb(access))
    }

    fn verb(access: &Access) -> &'static str {
        match (access.writes, access.all) {
            (true, true) => "writes",
            (true, false) => "may write",
            (false, _) => "reads",
        }
    }

    /// `` kernel `f` may write `out` ``.
    fn does(&self, access: &Access) -> String {
        let name = access.argument.and_then(|n| self.arguments.get(n)).map(|name| format!("`{name}`"));
        let object = name.unwrap_or_else(|| format!("{} bytes", access.range.len()));
        format!("{} {object}", self.uses(access))
    }

    fn side(&self, label: String) -> Side {
        Side { label, call: self.call, ..Side::default() }
    }
}

fn race(made: &Made<Info>, other: &Made<Info>) {
    // The report is at the command that was enqueued later, whichever ran first.
    let (made, other) = if made.by.number < other.by.number { (other, made) } else { (made, other) };
    let kinds = |made: &Made<Info>| (made.by.call, made.by.kernel.clone(), made.access.argument, made.access.writes);
    let site = Site::of(("commands", kinds(made), kinds(other)));
    if is_known(site) {
        return;
    }
    super::report(site, || {
        let message = format!("{}, and nothing orders it with a command before", made.by.does(&made.access));
        let mut report = Report::new(Kind::Race, message);
        report.kernel.clone_from(&made.by.kernel);
        report.program = made.by.program;
        report.sides = vec![made.by.side(String::new()), other.by.side(other.by.does(&other.access))];
        let first = made.access.range.start.max(other.access.range.start);
        report.object = objects::at(first);
        report.offset = report.object.as_ref().map(|object| first as i64 - object.address as i64);
        let why = "no event, barrier, queue order or wait of the host leads from one to the other";
        report.notes.push(why.to_owned());
        report
    });
}

/// Ranges of a rectangle's rows: one if it is packed; none if there are too many to look at.
pub(crate) fn rows(rect: &crate::memory::region::Rect, start: usize) -> SmallVec<[Range<usize>; 2]> {
    const MAX_ROWS: usize = 1 << 14;
    if rect.is_packed() {
        return std::iter::once(start + rect.start..start + rect.end).collect();
    }
    let [width, height, depth] = rect.region;
    if height.saturating_mul(depth) > MAX_ROWS {
        return SmallVec::new();
    }
    let row = |z: usize| (0..height).map(move |y| start + rect.row(y, z));
    (0..depth).flat_map(row).map(|at| at..at + width).collect()
}
