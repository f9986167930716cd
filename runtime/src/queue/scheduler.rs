//! Joins the dependency graph of a context with the threads that run its commands.
//!
//! Ready commands stand in one list. A thread of the program that waits (`wait`) runs of these what it waits for,
//! directly or not, so a small command costs no thread switch. All others it leaves to workers: they may take longer
//! than its own, or need what it does after its wait, like a kernel that polls shared memory. Workers take whatever
//! stands there; they exist only once somebody flushed while there was something to run (`flush`) or a waiting thread
//! left work behind, and end when idle. Only where the system gives no threads does a waiting thread run commands of
//! others.
//!
//! Only a command of a queue for threads' own commands (`Queue::is_local`) never stands in the list: the thread that
//! enqueues it waits for what stands before it and runs it (`run_here`).
//!
//! ```text
//! A command:    submit             no predecessor left              run                      complete
//!               ──────▶ waiting ────────────────────────▶ ready ────────▶ being executed ────────────▶ gone
//!
//! It goes this way even if it is not executed because it inherited a failure or its context was terminated.
//!
//! A thread of the program in `wait_for` looks, in this order, for:
//!     target complete        → leaves
//!     something needed ready → runs it, looks again
//!     something else ready   → calls a worker, looks again; then it sleeps
//!     else                   → sleeps until its target is complete or it is called to help with it, looks again
//!
//! A worker:
//!                                            called to work
//!                                ┌─────────────────────────────────────┐
//!                                ▼           nothing ready             │     IDLE has passed, or closed
//!     started to work ───────▶ busy ────────────────────────────────▶ idle ──────────────────────────▶ ended
//!                                ▲                                     │
//!                                │ others are slow, or it is relieved  │ called to look out
//!     started to look out ──▶ lookout ◀────────────────────────────────┘
//!
//! If something is ready when it would end, it is busy once more; if the scheduler was closed, it ends without being
//! idle. Always workers = busy + idle - called + lookout (1 if Called or There).
//!
//! The lookout, of which there is one place:
//!            call_lookout             a worker comes              call_worker
//!     Nobody ───────────▶ Called ──────────────────────▶ There ─────────────────▶ Relieved
//!       ▲                   │                              │                          │
//!       │                   │ call_worker: it is to work   │ others are slow:         │ it wakes: it works
//!       │                   │ instead; or no thread        │ it joins in              │
//!       └───────────────────┴──────────────────────────────┴──────────────────────────┘
//!
//! In the child of a fork there is nobody: all counts are 0, the lookout is Nobody, what was being executed has failed.
//! ```
//!
//! A thread is away while its command may only wait (for a sub-device's workers, or in a function of the program). As
//! long as not all that are busy are away, one of them is expected to come to what is ready; else `call_worker` gets
//! another to work: an idle one, the lookout, or a new one.
//!
//! Invariants: if the list is not empty and nobody is running commands, nobody has asked for them yet. Every path that
//! could break it (a runner leaving, a user event, a flush) calls `wake_worker`. And nobody relies on a thread that is
//! at it to come to the next command: it may be at a long one, or at one that waits for the next. Whoever leaves
//! commands to others that are at it calls a lookout, a worker that joins in if these are slow (`call_lookout`).
#![allow(unsafe_code, reason = "guards for the time of a fork")]

use super::command::Command;
use super::graph::{Edge, Graph, NodeId, Room, Watched};
use super::order::{Order, Role};
use super::{Queue, QueueFlags};
use crate::callbacks::{self, Blocked};
use crate::check::commands;
use crate::device::partition::UnitsOfQueue;
use crate::event::Event;
use crate::exec::{self, pool};
use crate::fork;
use crate::object::Obj;
use crate::primitives::{thread, thread_local};
use crate::status::Status;
use crate::sync::{Condvar, Guard, Mutex, Rank};
use crate::trace::{self, Done, Traced};
use clift_jit::reserve;
use clift_jit::stack::THREAD_BYTES;
use smallvec::SmallVec;
use std::any::Any;
use std::collections::{HashMap, HashSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Weak};
use std::time::Duration;

/// A worker with nothing to do ends after this.
const IDLE: Duration = Duration::from_secs(1);
/// How often a lookout looks.
const WATCH: Duration = Duration::from_micros(100);
/// Commands begun in this time by threads that need no help.
const BRISK: u64 = 64;
/// Commands that a worker begins in this time if they are long.
const FEW: u64 = 4;
/// Threads that only wait are not counted as workers, up to so many.
const MAX_AWAY: usize = 256;
/// How far a waiting thread looks before it finds out all that it may run.
const LOOK_AHEAD: usize = 16;

/// Status of what was cancelled.
const CANCELLED: i32 = Status::CancelledImg.code();

/// A command in the graph.
pub struct Task {
    /// `None` if nobody wants to know.
    pub event: Option<Obj<Event>>,
    /// What to do.
    pub command: Command,
    /// Kept until the command is complete.
    pub queue: Obj<Queue>,
    /// What a trace will say of it, if it is to be in one.
    pub traced: Option<Box<Traced>>,
    /// Its place in the queue, from `submit` on.
    pub sequence: u64,
    /// Where it stands among commands, if these are watched.
    pub(crate) moment: Option<Arc<commands::Moment>>,
    /// The thread that waits for it in the call that enqueued it, which may have given memory of its stack.
    pub waiter: Option<usize>,
    /// What it computes on, if its queue must not share that.
    pub(crate) _units: Option<Arc<UnitsOfQueue>>,
}

struct State {
    graph: Graph<Task>,
    ready: VecDeque<NodeId>,
    sleepers: Vec<Sleeper>,
    /// Background threads alive, those of them that wait for work, and those of these that have been called.
    workers: usize,
    idle: usize,
    called: usize,
    /// Background threads that run commands, or are on their way to.
    busy: usize,
    max_workers: usize,
    lookout: Lookout,
    /// Threads that may only wait: for a sub-device's own workers, or in a function of the program for anything.
    away: usize,
    /// Commands begun so far.
    n_begun: u64,
    closed: bool,
    /// There was a queue whose commands are executed by the threads that enqueue them.
    has_local: bool,
    /// `fork::count` when the threads above were counted.
    forks: u32,
    /// Ends of commands of out-of-order queues that are traced and not complete.
    traced: HashMap<NodeId, Arc<Done>>,
}

/// Whether a worker stands by.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lookout {
    Nobody,
    /// The next worker that comes will.
    Called,
    There,
    /// Has been told to work at once.
    Relieved,
}

/// A node that a thread waits for.
#[derive(Clone, Copy)]
pub struct Target<'a> {
    /// Its name.
    pub node: NodeId,
    /// The queue in which it stands, if it is a command.
    pub queue: Option<&'a Obj<Queue>>,
    /// What is waited for is this event, or its command's turn; it may end before the node does if it is cancelled.
    pub event: Option<&'a Event>,
}

impl Target<'_> {
    fn is_open(&self, state: &State) -> bool {
        state.graph.is_live(self.node) && self.event.is_none_or(|event| event.status() != CANCELLED)
    }
}

/// A program's thread that waits for a node and has nothing to run.
struct Sleeper {
    target: NodeId,
    /// What it runs if it can: see `Graph::needed_for`.
    needed: HashSet<NodeId>,
    wake: Arc<Condvar>,
    /// It has been woken to run something.
    is_called: bool,
}

/// Graph, ready list and sleepers of one context.
pub struct Scheduler {
    state: Mutex<State>,
    /// Where idle workers wait.
    work: Condvar,
    /// Where the lookout does.
    watch: Condvar,
}

/// All schedulers, for forks.
static ALL: Mutex<Vec<Weak<Scheduler>>> = Mutex::new(Rank::Queue, Vec::new());

/// A scheduler's guard, and what keeps it: dropped in this order.
struct Hold {
    _guard: Guard<'static, State>,
    _scheduler: Arc<Scheduler>,
}

/// Keeps all schedulers, and the list of them, as they are, for the time of a fork.
pub(crate) fn hold_all() -> Vec<Box<dyn Any>> {
    // SAFETY: a static.
    let all = unsafe { ALL.lock_for_fork() };
    let hold = |scheduler: Arc<Scheduler>| -> Box<dyn Any> {
        // SAFETY: the guard stands with what keeps its mutex, and goes first.
        Box::new(Hold { _guard: unsafe { scheduler.state.lock_for_fork() }, _scheduler: scheduler })
    };
    let mut guards: Vec<Box<dyn Any>> = all.iter().filter_map(Weak::upgrade).map(hold).collect();
    guards.push(Box::new(all));
    guards
}

thread_local!(static WAKE: Arc<Condvar> = Arc::new(Condvar::new()));

impl Scheduler {
    /// Empty; starts no thread. At most `max_workers` background threads will run.
    pub fn new(max_workers: usize) -> Arc<Self> {
        let state = State {
            graph: Graph::new(),
            ready: VecDeque::new(),
            sleepers: Vec::new(),
            workers: 0,
            idle: 0,
            called: 0,
            busy: 0,
            max_workers,
            lookout: Lookout::Nobody,
            away: 0,
            n_begun: 0,
            closed: false,
            has_local: false,
            forks: fork::count(),
            traced: HashMap::new(),
        };
        let me = Arc::new(Self { state: Mutex::new(Rank::Graph, state), work: Condvar::new(), watch: Condvar::new() });
        let mut all = ALL.lock();
        all.retain(|other| other.strong_count() > 0);
        all.push(Arc::downgrade(&me));
        drop(all);
        me
    }

    fn lock(&self) -> Guard<'_, State> {
        let mut state = self.state.lock();
        if state.forks != fork::count() {
            state.forget_threads();
        }
        debug_assert!(state.counts_agree(), "each worker is in one place");
        state
    }

    /// Adds a user event's node; none if there is no memory for it.
    pub fn add_user(&self) -> Option<NodeId> {
        let graph = &mut self.lock().graph;
        let room = graph.room_for(0)?;
        Some(graph.add(room, None))
    }

    /// Ends a user event's node.
    pub fn complete_user(self: &Arc<Self>, node: NodeId, status: i32) {
        let mut state = self.lock();
        // A terminated context has ended it already.
        if state.graph.is_live(node) {
            state.complete(node, status);
        }
        if !state.ready.is_empty() {
            self.wake_worker(state);
        }
    }

    /// Ends everything with `status` that has not started; what waits for user events waits no more.
    pub fn terminate(self: &Arc<Self>, status: i32) {
        let mut state = self.lock();
        for node in state.graph.abandon(status) {
            state.complete(node, status);
        }
        if !state.ready.is_empty() {
            self.wake_worker(state);
        }
    }

    /// Ends the events of commands that have not started, and of what waits for these events, with `CancelledImg`;
    /// gives them: their callbacks are due. The commands keep their places in the order, and do nothing there.
    pub fn cancel(&self, events: &[Obj<Event>]) -> Vec<Obj<Event>> {
        self.lock().cancel(events.iter().flat_map(|event| event.own_nodes()))
    }

    /// Puts a command into the graph, after what its queue and its wait list demand. `sequence` is its place in the
    /// queue. Nothing runs yet.
    ///
    /// Gives the command back, with nothing changed, if there is no memory for it.
    #[expect(clippy::result_large_err, reason = "where there is no memory it is given back as it came")]
    pub fn submit(
        &self,
        mut task: Task,
        order: &mut Order,
        role: Role,
        waits: &[Obj<Event>],
        sequence: u64,
    ) -> Result<NodeId, Task> {
        task.sequence = sequence;
        let done = task.traced.as_ref().map(|traced| Arc::clone(traced.done()));
        let is_in_order = order.is_in_order();
        let mut state = self.lock();
        state.has_local |= task.queue.is_local();
        let Some(room) = state.room_for(order, role, waits.len()) else { return Err(task) };
        let graph = &mut state.graph;
        let id = graph.add(room, Some(task));
        order.place(graph, id, role);
        for wait in waits {
            // An event's status is final before its node leaves the graph.
            let node = wait.node();
            if graph.is_live(node) {
                graph.link(node, id, Edge::Wait);
            } else if wait.status() < 0 {
                graph.fail(id, wait.status());
            }
        }
        if let Some(event) = graph.payload(id).and_then(|task| task.event.as_ref()) {
            event.place(id, sequence);
        }
        let is_ready = graph.is_ready(id);
        // Its callbacks come later than this.
        if waits.iter().any(|wait| wait.status() == CANCELLED) {
            state.cancel([id]);
        }
        if let Some(done) = done.filter(|_| !is_in_order) {
            state.note_order(id, done);
        }
        if is_ready && !state.is_local(id) {
            state.ready.push_back(id);
        }
        Ok(id)
    }

    /// Runs a command of this thread's on this thread, with nobody's help, once all that it waits for is complete. If
    /// its event is cancelled before that, it is anybody's, and does nothing.
    pub fn run_here(self: &Arc<Self>, node: NodeId, event: &Event) {
        let _blocked = Blocked::enter();
        let mut state = self.lock();
        let before = state.graph.before(node).iter();
        let before: SmallVec<[_; 4]> = before.map(|&node| Target { node, queue: None, event: Some(event) }).collect();
        let mut needed = None;
        for &target in &before {
            state = self.wait_for(state, target, &before, &mut needed);
        }
        let state = if state.graph.is_ready(node) {
            self.run(state, node)
        } else {
            state.graph.payload_mut(node).into_iter().for_each(|task| task.waiter = None);
            state
        };
        if !state.ready.is_empty() {
            self.wake_worker(state);
        }
    }

    /// Everything that is ready will run without further calls.
    pub fn flush(self: &Arc<Self>) {
        let state = self.lock();
        if !state.ready.is_empty() {
            self.wake_worker(state);
        }
    }

    /// Waits until all targets are complete. What they need and is ready runs on this thread.
    pub fn wait(self: &Arc<Self>, targets: &[Target<'_>]) {
        let _blocked = Blocked::enter();
        let mut state = self.lock();
        // Found when the first look is not enough. It only shrinks: nothing is linked to a node that stands in the
        // graph.
        let mut needed = None;
        for &target in targets {
            state = self.wait_for(state, target, targets, &mut needed);
        }
        if !state.ready.is_empty() {
            self.wake_worker(state);
        }
    }

    /// Waits for one of `all`, as `wait`.
    fn wait_for<'a>(
        self: &'a Arc<Self>,
        mut state: Guard<'a, State>,
        target: Target<'_>,
        all: &[Target<'_>],
        needed: &mut Option<HashSet<NodeId>>,
    ) -> Guard<'a, State> {
        let mut has_called = false;
        while target.is_open(&state) {
            if let Some(node) = state.pop_near(target) {
                state = self.run(state, node);
                continue;
            }
            let set = needed.take().unwrap_or_else(|| state.graph.needed_for(all.iter().map(|target| target.node)));
            let useful = state.pop_of(&set);
            if let Some(node) = useful {
                *needed = Some(set);
                state = self.run(state, node);
                continue;
            }
            // A thread that is ending has none any more.
            let wake = WAKE.try_with(Arc::clone).unwrap_or_default();
            state.graph.watch(target.node);
            let sleeper = Sleeper { target: target.node, needed: set, wake: Arc::clone(&wake), is_called: false };
            state.sleepers.push(sleeper);
            let mut has_help = true;
            if state.ready.is_empty() || has_called {
                has_called = false;
                trace::wait(|| wake.wait(&mut state));
            } else {
                // What stands there is for others.
                has_called = true;
                has_help = self.call_worker(state);
                state = self.lock();
            }
            // Not there in the child of a fork.
            let at = state.sleepers.iter().position(|s| Arc::ptr_eq(&s.wake, &wake));
            *needed = at.map(|at| state.sleepers.remove(at).needed);
            // No thread to be had: what it waits for may wait for this.
            if !has_help && let Some(node) = state.ready.pop_front() {
                has_called = false;
                state = self.run(state, node);
            }
        }
        state
    }

    /// Waits until all commands that are in the graph now are complete. User events that nothing waits for are left
    /// alone.
    pub fn wait_for_all(self: &Arc<Self>) {
        let commands = self.lock().graph.live_commands();
        let targets: Vec<_> = commands.into_iter().map(|node| Target { node, queue: None, event: None }).collect();
        self.wait(&targets);
    }

    /// Lets idle workers end; what is still ready runs first.
    pub fn close(&self) {
        self.lock().closed = true;
        self.work.notify_all();
    }

    /// Commands and user events that are not complete.
    pub fn n_live(&self) -> usize {
        self.lock().graph.n_live()
    }

    /// Sees to it that what is ready runs.
    fn wake_worker(self: &Arc<Self>, state: Guard<'_, State>) {
        if !self.call_worker(state) {
            // No thread to be had: this one does the work.
            let mut state = self.lock();
            while let Some(node) = state.ready.pop_front() {
                state = self.run(state, node);
            }
        }
    }

    /// Calls a thread that waits for what is ready; or else a worker, if all that are at it may only wait. Otherwise
    /// these will come to what is ready, or else a lookout. False: nobody will.
    fn call_worker(self: &Arc<Self>, mut state: Guard<'_, State>) -> bool {
        if state.call_sleeper(0) {
            return true;
        }
        if state.idle > state.called {
            state.called += 1;
            state.busy += 1;
            drop(state);
            self.work.notify_one();
            return true;
        }
        if state.away >= state.busy {
            match state.lookout {
                Lookout::Called => {
                    state.lookout = Lookout::Nobody;
                    state.busy += 1;
                    return true;
                }
                Lookout::There => {
                    state.lookout = Lookout::Relieved;
                    state.busy += 1;
                    drop(state);
                    self.watch.notify_one();
                    return true;
                }
                Lookout::Nobody | Lookout::Relieved if state.may_start() => {
                    state.busy += 1;
                    return self.start_worker(state);
                }
                Lookout::Nobody | Lookout::Relieved => {}
            }
        }
        self.call_lookout(state);
        true
    }

    /// Has a worker stand by while others are at it.
    fn call_lookout(self: &Arc<Self>, mut state: Guard<'_, State>) {
        if state.lookout != Lookout::Nobody {
            return;
        }
        if state.idle > state.called {
            state.lookout = Lookout::Called;
            state.called += 1;
            drop(state);
            self.work.notify_one();
        } else if state.may_start() {
            state.lookout = Lookout::Called;
            self.start_worker(state);
        }
    }

    /// Starts a worker, which is counted as busy or as the lookout already. False: the system gives no threads.
    fn start_worker(self: &Arc<Self>, mut state: Guard<'_, State>) -> bool {
        state.workers += 1;
        drop(state);
        let me = Arc::clone(self);
        let thread = thread::Builder::new().name("clift-queue".into()).stack_size(THREAD_BYTES);
        let started = reserve::before_thread().and_then(|()| thread.spawn(move || me.work()));
        if started.is_err() {
            let mut state = self.lock();
            state.workers -= 1;
            if state.lookout == Lookout::Called {
                state.lookout = Lookout::Nobody;
            } else {
                state.busy -= 1;
            }
        }
        started.is_ok()
    }

    /// A background worker's life.
    fn work(self: Arc<Self>) {
        let mut state = self.lock();
        let forks = state.forks;
        loop {
            if state.lookout == Lookout::Called {
                self.look_out(&mut state);
            }
            while let Some(node) = state.ready.pop_front() {
                state = self.run(state, node);
            }
            // A function of the program forked, and this is the child: its workers are other threads.
            if state.forks != forks {
                return;
            }
            state.busy -= 1;
            if state.closed {
                break;
            }
            state.idle += 1;
            let mut too_long = false;
            while state.called == 0 && !state.closed && !too_long {
                too_long = self.work.wait_for(&mut state, IDLE);
            }
            state.idle -= 1;
            if state.called > 0 {
                state.called -= 1;
            } else if state.ready.is_empty() {
                break;
            } else {
                state.busy += 1;
            }
        }
        state.workers -= 1;
    }

    /// Stands by for as long as others begin commands, until they leave some that are ready for too long.
    fn look_out(&self, state: &mut Guard<'_, State>) {
        state.lookout = Lookout::There;
        loop {
            let (before, front) = (state.n_begun, state.ready.front().copied());
            self.watch.wait_for(state, WATCH);
            let n_begun = state.n_begun - before;
            if state.lookout == Lookout::Relieved {
                break;
            }
            // Threads that wait may be brisk and yet leave what is not theirs.
            let is_left = front.is_some() && front == state.ready.front().copied();
            if n_begun == 0 || is_left || (n_begun < BRISK && !state.ready.is_empty()) {
                state.busy += 1;
                // Commands are long: so that many threads are soon at it, as many again join in as are.
                if n_begun < FEW * state.busy as u64 {
                    let n_left = state.ready.len().saturating_sub(1);
                    let n = state.busy.min(n_left).min(state.idle - state.called);
                    state.called += n;
                    state.busy += n;
                    (0..n).for_each(|_| self.work.notify_one());
                }
                break;
            }
        }
        state.lookout = Lookout::Nobody;
    }

    /// Runs one command with the lock released, and takes it again.
    fn run<'a>(self: &'a Arc<Self>, mut state: Guard<'a, State>, node: NodeId) -> Guard<'a, State> {
        let (task, failure) = state.graph.start(node);
        let is_apart = task.as_ref().is_some_and(|task| !task.queue.device().is_root());
        let is_away = is_apart || task.as_ref().is_some_and(|task| task.command.may_wait());
        state.away += usize::from(is_away);
        state.n_begun += 1;
        if state.ready.is_empty() {
            drop(state);
        } else if is_apart {
            self.call_worker(state);
        } else {
            self.call_lookout(state);
        }
        let status = task.map_or(failure, |task| execute(task, failure));
        let mut state = self.lock();
        state.away = state.away.saturating_sub(usize::from(is_away));
        // Not in the child, if the command was a host function that forked.
        if state.graph.is_live(node) {
            state.complete(node, status);
        }
        state
    }
}

/// Runs a task or, if it inherits a failure, only ends its event. Everything that the task held is dropped here, with
/// no lock held, because that may run destructor callbacks.
fn execute(task: Task, failure: i32) -> i32 {
    let Task { event, command, queue, traced, sequence, moment, .. } = task;
    let running = traced.map(|traced| traced.begin(&command, queue.number(), queue.submitted_at(sequence)));
    let number = running.as_ref().map_or(0, trace::Running::number);
    let mut ended_ns = 0;
    let mut checked = moment.map(|moment| commands::begin(moment, &queue, command.kind(), failure == 0));
    let status = if failure < 0 {
        drop(command);
        failure
    } else {
        if let Some(event) = &event {
            event.begin();
        }
        let run = || trace::within(number, || pool::alone_if(queue.is_local(), || exec::run(command, queue.device())));
        match catch_unwind(AssertUnwindSafe(run)) {
            Ok(Ok(_)) if queue.context().is_terminated() => Status::ContextTerminatedKhr.code(),
            Ok(Ok(ended)) => {
                ended_ns = ended.at_ns;
                ended.status
            }
            Ok(Err(error)) => {
                queue.context().report(&error.to_string());
                error.status().code()
            }
            Err(_) => Status::OutOfResources.code(),
        }
    };
    // Before anybody can know that the command has ended, and end the process.
    if let Some(running) = running {
        running.end(status);
    }
    checked.iter_mut().for_each(commands::Running::ended);
    if let Some(event) = &event {
        event.end(status, ended_ns);
    }
    callbacks::catch_up();
    status
}

impl State {
    /// In the child of a fork: the other threads are gone, and with them the commands that they were running.
    fn forget_threads(&mut self) {
        self.forks = fork::count();
        (self.workers, self.idle, self.called, self.busy, self.away) = (0, 0, 0, 0, 0);
        self.lookout = Lookout::Nobody;
        self.sleepers.clear();
        for node in self.graph.live_commands() {
            if self.graph.is_ready(node) && self.graph.payload(node).is_none() {
                self.complete(node, Status::OutOfResources.code());
            }
        }
        // The stacks of their threads may be gone, too.
        let waiter = |&node: &NodeId| self.graph.payload(node).and_then(|task| task.waiter);
        let is_orphan = |node: &NodeId| waiter(node).is_some_and(fork::is_gone);
        let orphans: Vec<NodeId> = self.graph.live_commands().into_iter().filter(is_orphan).collect();
        self.cancel(orphans.iter().copied());
        // Those that were left to their threads are anybody's now.
        for node in orphans {
            let is_local = self.is_local(node);
            self.graph.payload_mut(node).into_iter().for_each(|task| task.waiter = None);
            if is_local && self.graph.is_ready(node) {
                self.ready.push_back(node);
            }
        }
    }

    /// Whether a command is left to the thread that enqueued it.
    fn is_local(&self, id: NodeId) -> bool {
        self.graph.payload(id).is_some_and(|task| task.queue.is_local() && task.waiter.is_some())
    }

    /// Room for a command in its queue's order, in the graph, and, when it is ready, in that list.
    fn room_for(&mut self, order: &mut Order, role: Role, n_waits: usize) -> Option<Room> {
        let n_before = order.room_for(role)?;
        let n_nodes = self.graph.n_live() + 1;
        self.ready.try_reserve(n_nodes.saturating_sub(self.ready.len())).ok()?;
        self.graph.room_for(n_before + n_waits)
    }

    /// Whether each worker is counted in one place.
    fn counts_agree(&self) -> bool {
        let lookout = usize::from(matches!(self.lookout, Lookout::Called | Lookout::There));
        self.workers + self.called == self.busy + self.idle + lookout
    }

    /// Whether there may be another worker: for each thread that only waits there may be one more.
    fn may_start(&self) -> bool {
        self.workers < self.max_workers + self.sleepers.len() + self.away.min(MAX_AWAY)
    }

    /// Takes the target, if it is ready, or what stands before it in its in-order queue: what a short look at the list
    /// finds, which is mostly enough.
    fn pop_near(&mut self, target: Target<'_>) -> Option<NodeId> {
        let is_before = |task: &Task| {
            let is_own = target.queue.is_some_and(|queue| Arc::ptr_eq(&task.queue, queue));
            is_own && !task.queue.flags().contains(QueueFlags::OUT_OF_ORDER)
        };
        let suits = |&id: &NodeId| id == target.node || self.graph.payload(id).is_some_and(is_before);
        let at = self.ready.iter().take(LOOK_AHEAD).position(suits)?;
        self.ready.remove(at)
    }

    /// Takes a ready command out of a set: one that is near the front, or else, as what became ready just now stands at
    /// the end, the last one.
    fn pop_of(&mut self, needed: &HashSet<NodeId>) -> Option<NodeId> {
        let mut ready = self.ready.iter();
        let near = ready.by_ref().take(LOOK_AHEAD).position(|id| needed.contains(id));
        let at = near.or_else(|| Some(LOOK_AHEAD + ready.rposition(|id| needed.contains(id))?))?;
        self.ready.remove(at)
    }

    /// For a trace: a command of an out-of-order queue waits for what it is linked to.
    fn note_order(&mut self, id: NodeId, done: Arc<Done>) {
        let before: SmallVec<[Arc<Done>; 4]> =
            self.graph.before(id).iter().filter_map(|node| self.traced.get(node).map(Arc::clone)).collect();
        if let Some(traced) = self.graph.payload_mut(id).and_then(|task| task.traced.as_mut()) {
            before.iter().for_each(|other| traced.wait_for(other));
        }
        self.traced.insert(id, done);
    }

    /// As `Scheduler::cancel`.
    fn cancel(&mut self, nodes: impl IntoIterator<Item = NodeId>) -> Vec<Obj<Event>> {
        let mut events = Vec::new();
        for node in self.graph.cancel(nodes, CANCELLED) {
            let Some(task) = self.graph.payload_mut(node) else { continue };
            task.moment.iter().for_each(|moment| commands::cancelled(moment));
            let Some(event) = task.event.take() else { continue };
            event.cancel(CANCELLED);
            events.push(event);
            // Those that have a local command of their own sleep until what stands before it is complete.
            let sleepers = self.sleepers.iter().filter(|s| s.target == node || self.has_local);
            sleepers.for_each(|s| s.wake.notify_one());
        }
        events
    }

    /// Ends a node, queues what became ready, wakes those who waited for it.
    fn complete(&mut self, node: NodeId, status: i32) {
        if !self.traced.is_empty() {
            self.traced.remove(&node);
        }
        let ready = &mut self.ready;
        let before = ready.len();
        let Watched(watched) = self.graph.complete(node, status, |id| ready.push_back(id));
        if self.has_local {
            // Their threads wait for what stands before them, and have been woken if this was the last of it.
            let fresh = self.ready.split_off(before);
            let fresh: SmallVec<[NodeId; 4]> = fresh.into_iter().filter(|&id| !self.is_local(id)).collect();
            self.ready.extend(fresh);
        }
        if self.sleepers.is_empty() {
            return;
        }
        if watched {
            for sleeper in self.sleepers.iter().filter(|s| s.target == node) {
                sleeper.wake.notify_one();
            }
        }
        // The caller goes on with one command; a sleeping thread may help with the others.
        if self.ready.len() > before.max(1) {
            self.call_sleeper(before);
        }
    }

    /// Wakes a sleeping thread for one of the ready commands from this place on; false if none needs one of the last of
    /// them.
    fn call_sleeper(&mut self, from: usize) -> bool {
        let last = from.max(self.ready.len().saturating_sub(LOOK_AHEAD));
        let helps = |sleeper: &&mut Sleeper| {
            !sleeper.is_called && self.ready.range(last..).any(|id| sleeper.needed.contains(id))
        };
        let Some(sleeper) = self.sleepers.iter_mut().rfind(helps) else { return false };
        sleeper.is_called = true;
        sleeper.wake.notify_one();
        true
    }
}
