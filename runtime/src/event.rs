//! Events: status, timestamps, callbacks. What waits for what is decided by `queue::graph`; an event only knows its
//! node there. Events hold no other events, so dropping the last one of a long chain cannot recurse.

use crate::callbacks;
use crate::check::{api, commands};
use crate::context::{Callback, Context};
use crate::error::{Error, Result};
use crate::object::{Body, Kind, Obj, Object};
use crate::primitives::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering::Relaxed, Ordering::SeqCst};
use crate::queue::command::CommandType;
use crate::queue::graph::NodeId;
use crate::queue::order::PIECE;
use crate::queue::scheduler::Target;
use crate::queue::{NO_ROOM, Queue, QueueFlags};
use crate::status::Status;
use crate::sync::{Mutex, Rank};
use crate::trace::{self, Done};
use clift_jit::clock::now_ns;
use smallvec::SmallVec;
use std::sync::{Arc, OnceLock};

/// Execution states of a command; the discriminant is the API's number. Errors are negative numbers instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(i32)]
pub enum State {
    /// `CL_COMPLETE`.
    Complete = 0,
    /// `CL_RUNNING`.
    Running = 1,
    /// `CL_SUBMITTED`.
    Submitted = 2,
    /// `CL_QUEUED`.
    Queued = 3,
}

/// The five profiling stamps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stamp {
    /// `CL_PROFILING_COMMAND_QUEUED`.
    Queued,
    /// `CL_PROFILING_COMMAND_SUBMIT`.
    Submit,
    /// `CL_PROFILING_COMMAND_START`.
    Start,
    /// `CL_PROFILING_COMMAND_END`.
    End,
    /// `CL_PROFILING_COMMAND_COMPLETE`: the end of what a kernel enqueued, too.
    Complete,
}

/// Runs once with the status that it was registered for, or the negative error.
pub type EventCallback = Box<dyn FnOnce(i32) + Send>;

/// Status of a user event that was released for good before it was set: whatever waited for it fails.
const ABANDONED: i32 = Status::InvalidEvent.code();

/// What an event belongs to.
enum Owner {
    /// A command's queue.
    Queue(Obj<Queue>),
    /// A user event's context.
    Context(Obj<Context>),
}

/// An event.
pub struct Event {
    owner: Owner,
    command_type: CommandType,
    /// A `State` number, or negative.
    status: AtomicI32,
    /// `NodeId` in the context's graph.
    node: AtomicU64,
    /// Position in the queue, for telling "queued" from "submitted".
    sequence: AtomicU64,
    /// ns: queued, submit, start, end, complete; 0: not taken.
    times: [AtomicU64; 5],
    /// For a trace: where its end is noted.
    pub(crate) traced: OnceLock<Arc<Done>>,
    /// Whether `callbacks` may have anything.
    has_callbacks: AtomicBool,
    callbacks: Mutex<Vec<(State, EventCallback)>>,
    /// Where it stands among commands, if these are watched.
    moment: OnceLock<Arc<commands::Moment>>,
    /// Of a command-buffer on several queues: the execution that the command is a part of.
    whole: Option<Obj<Event>>,
    /// Of such an execution.
    spread: Option<Box<Spread>>,
}

/// What the event of an execution on several queues knows besides.
struct Spread {
    queues: Box<[Obj<Queue>]>,
    /// Nodes of its parts.
    parts: OnceLock<Vec<NodeId>>,
}

impl Body for Event {
    const KIND: Kind = Kind::Event;
}

impl Event {
    fn new(owner: Owner, command_type: CommandType, state: State) -> Self {
        Self {
            owner,
            command_type,
            status: AtomicI32::new(state as i32),
            node: AtomicU64::new(NodeId::NONE.to_bits()),
            sequence: AtomicU64::new(0),
            times: [const { AtomicU64::new(0) }; 5],
            traced: OnceLock::new(),
            has_callbacks: AtomicBool::new(false),
            callbacks: Mutex::new(Rank::Event, Vec::new()),
            moment: OnceLock::new(),
            whole: None,
            spread: None,
        }
    }

    /// The event of a command that is about to be enqueued.
    pub(crate) fn for_command(queue: &Obj<Queue>, command_type: CommandType) -> Obj<Self> {
        let event = Self::new(Owner::Queue(Arc::clone(queue)), command_type, State::Queued);
        event.stamp(0);
        Object::new(event)
    }

    /// The event of a command-buffer whose commands are about to be enqueued one by one.
    pub(crate) fn for_queues(queues: &[Obj<Queue>]) -> Obj<Self> {
        let owner = Owner::Queue(Arc::clone(&queues[0]));
        let spread = Some(Box::new(Spread { queues: queues.into(), parts: OnceLock::new() }));
        let mut event = Self::new(owner, CommandType::CommandBuffer, State::Queued);
        event.spread = spread;
        event.stamp(0);
        Object::new(event)
    }

    /// The event of one of its commands.
    pub(crate) fn part_of(queue: &Obj<Queue>, whole: &Obj<Self>) -> Obj<Self> {
        let owner = Owner::Queue(Arc::clone(queue));
        let mut event = Self::new(owner, CommandType::CommandBuffer, State::Queued);
        event.whole = Some(Arc::clone(whole));
        Object::new(event)
    }

    /// Names the nodes of its commands, once.
    pub(crate) fn set_parts(&self, nodes: Vec<NodeId>) {
        if let Some(spread) = &self.spread {
            let _ = spread.parts.set(nodes);
        }
    }

    /// What is cancelled with it, unless it runs.
    pub(crate) fn own_nodes(&self) -> Vec<NodeId> {
        let parts = self.spread.as_ref().and_then(|spread| spread.parts.get());
        match parts {
            Some(_) if self.status() <= State::Running as i32 => Vec::new(),
            Some(parts) => parts.iter().copied().chain([self.node()]).collect(),
            None => vec![self.node()],
        }
    }

    /// `clCreateUserEvent`: submitted until `set_user_status`.
    ///
    /// # Errors
    /// `OutOfHostMemory`.
    pub fn create_user(context: &Obj<Context>) -> Result<Obj<Self>> {
        let node = context.scheduler().add_user().ok_or(NO_ROOM)?;
        let event = Self::new(Owner::Context(Arc::clone(context)), CommandType::User, State::Submitted);
        if trace::is_on() {
            let _ = event.traced.set(Arc::default());
        }
        event.node.store(node.to_bits(), Relaxed);
        if commands::is_on() {
            event.set_moment(commands::user_event());
        }
        Ok(Object::new(event))
    }

    /// `clWaitForEvents`: waits until all are complete, and runs what is ready of what they wait for on this thread.
    ///
    /// # Errors
    /// `InvalidValue` ← no events; `ContextMismatch`; `WaitedEventFailed` ← one of them ended with an error (after all
    /// have ended).
    pub fn wait_all(events: &[Obj<Self>]) -> Result<()> {
        api::blocks();
        let first = events.first().ok_or(Error::spec(Status::InvalidValue, "num_events is zero"))?;
        let same = |e: &Obj<Self>| Arc::ptr_eq(e.context(), first.context());
        ensure!(events.iter().all(same), Error::ContextMismatch);
        // "clWaitForEvents … performs an implicit flush": the queues of all events must progress while we wait for one.
        let is_open = |event: &&Obj<Self>| event.status() > 0;
        events.iter().filter(is_open).filter_map(|event| event.queue()).for_each(|queue| queue.note_flush());
        // Lists of this length find memory even when it is short.
        for piece in events.chunks(PIECE) {
            let open = piece.iter().filter(is_open);
            let targets = open.map(|event| Target { node: event.node(), queue: event.queue(), event: Some(event) });
            let targets: SmallVec<[_; 4]> = targets.collect();
            if !targets.is_empty() {
                first.context().scheduler().wait(&targets);
            }
        }
        if commands::is_on() {
            events.iter().for_each(|event| commands::known(event));
        }
        // Not complete after the wait: a fork has left the thread that ran it behind.
        match events.iter().map(|e| e.status()).find(|&s| s != State::Complete as i32) {
            Some(status) => Err(Error::WaitedEventFailed { status }),
            None => Ok(()),
        }
    }

    /// `clCancelCommandsIMG`: commands that have not started, and what waits for their events, will not run; their
    /// events end with `CancelledImg`. User events have no command and stay as they are.
    ///
    /// Spec: cl_img_cancel_command.
    pub fn cancel_all(events: &[Obj<Self>]) {
        let mut events = events.to_vec();
        events.sort_by_key(|event| event.context().handle_address());
        for ours in events.chunk_by(|a, b| Arc::ptr_eq(a.context(), b.context())) {
            let cancelled = ours[0].context().scheduler().cancel(ours);
            cancelled.iter().for_each(|event| event.fire());
        }
    }

    /// `CL_EVENT_CONTEXT`.
    pub fn context(&self) -> &Obj<Context> {
        match &self.owner {
            Owner::Queue(queue) => queue.context(),
            Owner::Context(context) => context,
        }
    }

    /// `CL_EVENT_COMMAND_QUEUE`; `None` for user events, and for what is on several queues.
    pub fn only_queue(&self) -> Option<&Obj<Queue>> {
        self.queue().filter(|_| self.spread.as_ref().is_none_or(|spread| spread.queues.len() == 1))
    }

    /// Its queue, or one of several; `None` for user events.
    pub(crate) fn queue(&self) -> Option<&Obj<Queue>> {
        match &self.owner {
            Owner::Queue(queue) => Some(queue),
            Owner::Context(_) => None,
        }
    }

    /// `CL_EVENT_COMMAND_TYPE`.
    pub fn command_type(&self) -> CommandType {
        self.command_type
    }

    /// `CL_EVENT_COMMAND_EXECUTION_STATUS`: a `State` number or a negative error. A program that polls makes progress:
    /// the query flushes the event's queue.
    pub fn execution_status(&self) -> i32 {
        let status = self.status();
        if status <= State::Complete as i32 && commands::is_on() {
            commands::known(self);
        }
        let Some(queue) = self.queue().filter(|_| status >= State::Submitted as i32) else { return status };
        let flushed = queue.is_flushed(self.sequence.load(Relaxed));
        if !flushed {
            queue.flush();
        }
        if flushed { status.min(State::Submitted as i32) } else { status }
    }

    /// A profiling stamp in ns of `clock`.
    ///
    /// # Errors
    /// `ProfilingInfoNotAvailable` ← queue without profiling, user event, or command not complete.
    pub fn profiling_ns(&self, stamp: Stamp) -> Result<u64> {
        // "CL_QUEUE_PROFILING_ENABLE flag is not set for the command-queue, if the execution status of the command
        // identified by event is not CL_COMPLETE, or if event is a user event object"
        let available = self.profiles() && self.status() == State::Complete as i32;
        ensure!(available, Error::spec(Status::ProfilingInfoNotAvailable, "no profiling information for this event"));
        if commands::is_on() {
            commands::known(self);
        }
        let index = match stamp {
            Stamp::Queued => 0,
            Stamp::Submit => 1,
            Stamp::Start => 2,
            Stamp::End => 3,
            Stamp::Complete => 4,
        };
        Ok(self.times[index].load(Relaxed))
    }

    fn profiles(&self) -> bool {
        let profiles = |queue: &Obj<Queue>| queue.flags().contains(QueueFlags::PROFILING);
        match &self.spread {
            Some(spread) => spread.queues.iter().all(profiles),
            None => self.queue().is_some_and(profiles),
        }
    }

    fn stamp(&self, index: usize) {
        if self.profiles() {
            self.times[index].store(now_ns(), Relaxed);
        }
    }

    /// Where it stands among commands, if these are watched.
    pub(crate) fn moment(&self) -> Option<&Arc<commands::Moment>> {
        self.moment.get()
    }

    pub(crate) fn set_moment(&self, moment: Arc<commands::Moment>) {
        let _ = self.moment.set(moment);
    }

    pub(crate) fn status(&self) -> i32 {
        self.status.load(SeqCst)
    }

    pub(crate) fn node(&self) -> NodeId {
        NodeId::from_bits(self.node.load(Relaxed))
    }

    /// Notes the event's place; called under the graph's lock before anybody else can see the event.
    pub(crate) fn place(&self, node: NodeId, sequence: u64) {
        self.node.store(node.to_bits(), Relaxed);
        self.sequence.store(sequence, Relaxed);
    }

    /// The command starts to run.
    pub(crate) fn begin(&self) {
        if let Some(whole) = &self.whole {
            whole.begin_whole();
        }
        if self.spread.is_some() {
            return self.begin_whole();
        }
        self.stamp(1);
        self.stamp(2);
        self.reach(State::Running as i32);
    }

    /// The first of the commands of an execution on several queues starts to run, or another one.
    fn begin_whole(&self) {
        let [queued, running] = [State::Queued, State::Running].map(|state| state as i32);
        if self.status.compare_exchange(queued, running, SeqCst, SeqCst).is_ok() {
            self.stamp(1);
            self.stamp(2);
            if self.has_callbacks.load(SeqCst) {
                self.fire();
            }
        }
    }

    /// The command has ended, and its own work-items so many ns on the clock (0: now); `status` is 0 or negative. The
    /// graph is told after this.
    pub(crate) fn end(&self, status: i32, ended_ns: u64) {
        self.stamp(4);
        let ended = if ended_ns == 0 { self.times[4].load(Relaxed) } else { ended_ns };
        if self.profiles() {
            self.times[3].store(ended, Relaxed);
        }
        self.reach(status);
    }

    /// The command will not run. Called under the graph's lock; whoever releases that calls `fire`.
    pub(crate) fn cancel(&self, status: i32) {
        self.status.store(status, SeqCst);
    }

    fn reach(&self, status: i32) {
        self.status.store(status, SeqCst);
        if self.has_callbacks.load(SeqCst) {
            self.fire();
        }
    }

    /// Hands over the callbacks whose state has been reached.
    fn fire(&self) {
        let mut callbacks = self.callbacks.lock();
        let status = self.status();
        let due = callbacks.extract_if(.., |c| c.0 as i32 >= status);
        let jobs: Vec<Callback> = due.map(|(state, callback)| job(state, callback, status)).collect();
        callbacks::post(jobs);
    }
}

/// The callback gets the state that it was registered for, or the error.
fn job(state: State, callback: EventCallback, status: i32) -> Callback {
    let status = if status < 0 { status } else { state as i32 };
    Box::new(move || callback(status))
}

impl Object<Event> {
    /// `clSetUserEventStatus`: `status` is 0 or negative.
    ///
    /// # Errors
    /// `InvalidEvent` ← not a user event; `InvalidValue` ← `status` is positive; `InvalidOperation` ← already set.
    pub fn set_user_status(&self, status: i32) -> Result<()> {
        ensure!(
            self.command_type == CommandType::User,
            Error::spec(Status::InvalidEvent, "event is not a valid user event object")
        );
        ensure!(
            status <= 0,
            Error::spec(Status::InvalidValue, "execution_status is not CL_COMPLETE or a negative integer value")
        );
        let set = self.status.compare_exchange(State::Submitted as i32, status, SeqCst, SeqCst);
        ensure!(
            set.is_ok(),
            Error::spec(Status::InvalidOperation, "the execution status of event has already been changed")
        );
        if let Some(done) = self.traced.get() {
            trace::user_event(done, now_ns());
        }
        if commands::is_on() {
            commands::set_user_event(self);
        }
        if self.has_callbacks.load(SeqCst) {
            self.fire();
        }
        self.context().scheduler().complete_user(self.node(), status);
        Ok(())
    }

    /// `clSetEventCallback`: runs `callback` on a thread of ours once the event has reached `state` or an error. The
    /// event is kept alive until then.
    ///
    /// # Errors
    /// `InvalidValue` ← `state` is `Queued`.
    pub fn on_state(self: &Arc<Self>, state: State, callback: EventCallback) -> Result<()> {
        ensure!(
            state != State::Queued,
            Error::spec(
                Status::InvalidValue,
                "command_exec_callback_type is not CL_SUBMITTED, CL_RUNNING or CL_COMPLETE"
            )
        );
        // The callback's argument is the event: it must outlive the callback even if the program releases it now.
        let keep = Arc::clone(self);
        let callback: EventCallback = Box::new(move |status| {
            if status <= State::Complete as i32 && commands::is_on() {
                commands::known(&keep);
            }
            callback(status);
            drop(keep);
        });
        self.callbacks.lock().push((state, callback));
        self.has_callbacks.store(true, SeqCst);
        // Whoever changes the status later sees the flag; what was reached before is found here.
        let submitted = self.queue().is_some_and(|q| q.is_flushed(self.sequence.load(Relaxed)));
        if self.status() <= state as i32 || (submitted && state == State::Submitted) {
            self.fire_up_to(submitted);
        } else if state == State::Submitted
            && let Some(queue) = self.queue()
        {
            queue.watch_submission(self);
        }
        Ok(())
    }

    fn fire_up_to(&self, submitted: bool) {
        self.fire();
        if submitted {
            self.submitted();
        }
    }

    /// The event's queue was flushed: fires callbacks for `Submitted`.
    pub(crate) fn submitted(&self) {
        let mut callbacks = self.callbacks.lock();
        let status = self.status();
        let due = callbacks.extract_if(.., |c| c.0 == State::Submitted);
        let jobs: Vec<Callback> = due.map(|(state, callback)| job(state, callback, status)).collect();
        callbacks::post(jobs);
    }

    /// Position in its queue.
    pub(crate) fn sequence(&self) -> u64 {
        self.sequence.load(Relaxed)
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // Fail-on-drop: a user event that nobody can set any more must not block its dependants for ever.
        if self.command_type == CommandType::User && *self.status.get_mut() > 0 {
            self.context().scheduler().complete_user(self.node(), ABANDONED);
        }
    }
}
