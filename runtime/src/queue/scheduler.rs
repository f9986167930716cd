//! Joins the dependency graph of a context with the threads that run its commands.
//!
//! Ready commands stand in one list. Threads of the program that wait (`wait`) run what stands there, their own queue's
//! commands first, so a small command costs no thread switch. Background workers exist only once somebody flushed while
//! there was something to run (`flush`) or a waiting thread left work behind; they end when idle.
//!
//! Invariant: if the list is not empty and nobody is running commands, nobody has asked for them yet. Every path that
//! could break it (a runner leaving, a user event, a flush) calls `wake_worker`.
#![allow(unsafe_code, reason = "guards for the time of a fork")]

use super::Queue;
use super::command::Command;
use super::graph::{Edge, Graph, NodeId, Watched};
use super::order::{Order, Role};
use crate::callbacks::Blocked;
use crate::event::Event;
use crate::exec;
use crate::fork;
use crate::object::Obj;
use crate::primitives::{Instant, thread, thread_local};
use crate::status::Status;
use crate::sync::{Condvar, Guard, Mutex, Rank};
use std::any::Any;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Weak};
use std::time::Duration;

/// A worker with nothing to do ends after this.
const IDLE: Duration = Duration::from_secs(1);
/// A runner that has been at it for this long and sees more work calls another worker.
const SLOW: Duration = Duration::from_micros(100);
/// How far a waiting thread looks for a command of its own queue.
const LOOK_AHEAD: usize = 16;

/// A command in the graph.
pub struct Task {
    /// `None` if nobody wants to know.
    pub event: Option<Obj<Event>>,
    /// What to do.
    pub command: Command,
    /// Kept until the command is complete.
    pub queue: Obj<Queue>,
}

struct State {
    graph: Graph<Task>,
    ready: VecDeque<NodeId>,
    sleepers: Vec<Sleeper>,
    /// Background threads alive, and those of them that wait for work.
    workers: usize,
    idle: usize,
    max_workers: usize,
    /// Threads that only wait, for a command that a sub-device's own workers run.
    away: usize,
    /// When a worker last took a command.
    taken: Option<Instant>,
    closed: bool,
    /// `fork::count` when the threads above were counted.
    forks: u32,
}

/// A program's thread that waits for a node.
struct Sleeper {
    target: NodeId,
    wake: Arc<Condvar>,
}

/// Graph, ready list and sleepers of one context.
pub struct Scheduler {
    state: Mutex<State>,
    work: Condvar,
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
            max_workers,
            away: 0,
            taken: None,
            closed: false,
            forks: fork::count(),
        };
        let me = Arc::new(Self { state: Mutex::new(Rank::Graph, state), work: Condvar::new() });
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
        state
    }

    /// Adds a user event's node.
    pub fn add_user(&self) -> NodeId {
        self.lock().graph.add(None)
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

    /// Puts a command into the graph, after what its queue and its wait list demand. `sequence` is its place in the
    /// queue. Nothing runs yet.
    pub fn submit(&self, task: Task, order: &mut Order, role: Role, waits: &[Obj<Event>], sequence: u64) -> NodeId {
        let mut state = self.lock();
        let graph = &mut state.graph;
        let id = graph.add(Some(task));
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
        if graph.is_ready(id) {
            state.ready.push_back(id);
        }
        id
    }

    /// Everything that is ready will run without further calls.
    pub fn flush(self: &Arc<Self>) {
        let state = self.lock();
        if !state.ready.is_empty() {
            self.wake_worker(state);
        }
    }

    /// Runs ready commands on this thread until `target` is complete; those of `prefer` first.
    pub fn wait(self: &Arc<Self>, target: NodeId, prefer: Option<&Obj<Queue>>) {
        let _blocked = Blocked::enter();
        let mut state = self.lock();
        let mut runner = Runner::new();
        while state.graph.is_live(target) {
            if let Some(node) = state.pop(prefer) {
                state = self.run(state, node, &mut runner);
                continue;
            }
            let wake = WAKE.with(Arc::clone);
            state.graph.watch(target);
            state.sleepers.push(Sleeper { target, wake: Arc::clone(&wake) });
            wake.wait(&mut state);
            state.sleepers.retain(|s| !Arc::ptr_eq(&s.wake, &wake));
        }
        if !state.ready.is_empty() {
            self.wake_worker(state);
        }
    }

    /// Runs ready commands on this thread until all that are in the graph now are complete. User events that nothing
    /// waits for are left alone.
    pub fn wait_for_all(self: &Arc<Self>) {
        let commands = self.lock().graph.live_commands();
        for node in commands {
            self.wait(node, None);
        }
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

    /// Wakes an idle worker, or starts one if there is none or those that exist are stuck in long commands.
    fn wake_worker(self: &Arc<Self>, state: Guard<'_, State>) {
        let slow = || state.away >= state.workers || state.taken.is_some_and(|t| t.elapsed() > SLOW);
        let stuck = || state.workers < state.max_workers && slow();
        if state.idle > 0 {
            drop(state);
            self.work.notify_one();
        } else if state.workers == 0 || stuck() {
            self.start_worker(state);
        }
    }

    fn start_worker(self: &Arc<Self>, mut state: Guard<'_, State>) {
        state.workers += 1;
        drop(state);
        let me = Arc::clone(self);
        let started = thread::Builder::new().name("clift-queue".into()).spawn(move || me.work());
        if started.is_err() {
            // No thread to be had: this one does the work.
            let mut state = self.lock();
            state.workers -= 1;
            let mut runner = Runner::new();
            while let Some(node) = state.pop(None) {
                state = self.run(state, node, &mut runner);
            }
        }
    }

    /// A background worker's life.
    fn work(self: Arc<Self>) {
        let mut state = self.lock();
        loop {
            let mut runner = Runner::new();
            while let Some(node) = state.pop(None) {
                state.taken = Some(Instant::now());
                state = self.run(state, node, &mut runner);
            }
            if state.closed {
                break;
            }
            state.idle += 1;
            let too_long = self.work.wait_for(&mut state, IDLE);
            state.idle -= 1;
            if state.ready.is_empty() && too_long {
                break;
            }
        }
        state.workers -= 1;
    }

    /// Runs one command with the lock released, and takes it again.
    fn run<'a>(
        self: &'a Arc<Self>,
        mut state: Guard<'a, State>,
        node: NodeId,
        runner: &mut Runner,
    ) -> Guard<'a, State> {
        let (task, failure) = state.graph.start(node);
        let is_away = task.as_ref().is_some_and(|task| !task.queue.device().is_root());
        state.away += usize::from(is_away);
        if runner.is_slow(&state, is_away) && state.workers < state.max_workers {
            if state.idle > 0 {
                drop(state);
                self.work.notify_one();
            } else {
                self.start_worker(state);
            }
        } else {
            drop(state);
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

/// Runs a task or, if it inherits a failure, only ends its event. Everything that the task held is dropped here, with no
/// lock held, because that may run destructor callbacks.
fn execute(task: Task, failure: i32) -> i32 {
    let Task { event, command, queue } = task;
    let status = if failure < 0 {
        drop(command);
        failure
    } else {
        if let Some(event) = &event {
            event.begin();
        }
        match catch_unwind(AssertUnwindSafe(|| exec::run(command, queue.device()))) {
            Ok(Ok(())) if queue.context().is_terminated() => Status::ContextTerminatedKhr.code(),
            Ok(Ok(())) => 0,
            Ok(Err(error)) => {
                queue.context().report(&error.to_string());
                error.status().code()
            }
            Err(_) => Status::OutOfResources.code(),
        }
    };
    if let Some(event) = &event {
        event.end(status);
    }
    status
}

impl State {
    /// In the child of a fork: the other threads are gone, and with them the commands that they were running.
    fn forget_threads(&mut self) {
        self.forks = fork::count();
        (self.workers, self.idle, self.away) = (0, 0, 0);
        self.sleepers.clear();
        for node in self.graph.live_commands() {
            if self.graph.is_ready(node) && self.graph.payload(node).is_none() {
                self.complete(node, Status::OutOfResources.code());
            }
        }
    }

    /// Takes a ready command.
    fn pop(&mut self, prefer: Option<&Obj<Queue>>) -> Option<NodeId> {
        if let Some(queue) = prefer.filter(|_| self.ready.len() > 1) {
            let own = |&id: &NodeId| self.graph.payload(id).is_some_and(|t| Arc::ptr_eq(&t.queue, queue));
            if let Some(at) = self.ready.iter().take(LOOK_AHEAD).position(own) {
                return self.ready.remove(at);
            }
        }
        self.ready.pop_front()
    }

    /// Ends a node, queues what became ready, wakes those who waited for it.
    fn complete(&mut self, node: NodeId, status: i32) {
        let ready = &mut self.ready;
        let before = ready.len();
        let Watched(watched) = self.graph.complete(node, status, |id| ready.push_back(id));
        if self.sleepers.is_empty() {
            return;
        }
        if watched {
            for sleeper in self.sleepers.iter().filter(|s| s.target == node) {
                sleeper.wake.notify_one();
            }
        }
        // The caller goes on with one of the new commands; a sleeping thread may help with the others.
        if self.ready.len() > before.max(1)
            && let Some(sleeper) = self.sleepers.last()
        {
            sleeper.wake.notify_one();
        }
    }
}

/// Since when a thread has been running commands.
struct Runner {
    n_run: u32,
    since: Option<Instant>,
}

impl Runner {
    const fn new() -> Self {
        Self { n_run: 0, since: None }
    }

    /// Whether there is more work and this thread has been slow with it, or will be: it `is_away`. Looks at the clock every
    /// few commands only.
    fn is_slow(&mut self, state: &State, is_away: bool) -> bool {
        if state.ready.is_empty() || is_away {
            return is_away && !state.ready.is_empty();
        }
        self.n_run += 1;
        match self.since {
            None => {
                self.since = Some(Instant::now());
                false
            }
            // Slow commands are few, so the first ones are looked at each time.
            Some(since) if self.n_run < 4 || self.n_run.is_multiple_of(64) => {
                let slow = since.elapsed() > SLOW * self.n_run.min(64) / 4;
                self.since = Some(Instant::now());
                self.n_run = self.n_run.min(64);
                slow
            }
            Some(_) => false,
        }
    }
}
