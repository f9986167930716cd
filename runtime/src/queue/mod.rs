//! Command queues: submit, flush, finish. What runs when is decided by `graph`; `scheduler` joins it with threads.

pub mod command;
pub mod device;
pub mod graph;
pub mod image;
pub mod order;
pub mod scheduler;
pub mod svm;
mod touches;
mod variable;

use crate::check::known::Counted;
use crate::check::{api, commands};
use crate::context::Context;
use crate::device::Device;
use crate::device::partition::UnitsOfQueue;
use crate::error::{Error, Result};
use crate::event::Event;
use crate::fork;
use crate::kernel::TOO_MANY_GROUPS;
use crate::object::{Body, Kind, Obj, Object};
use crate::primitives::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use crate::status::Status;
use crate::sync::{Mutex, Rank};
use crate::trace;
use bitflags::bitflags;
use clift_jit::clock::now_ns;
use command::{Command, Work};
use device::OnDevice;
use graph::NodeId;
use order::Order;
use scheduler::{Target, Task};
use smallvec::SmallVec;
use std::collections::VecDeque;
use std::sync::{Arc, Weak};

bitflags! {
    /// `cl_command_queue_properties`.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct QueueFlags: u64 {
        /// Commands may run in any order that waits and barriers allow.
        const OUT_OF_ORDER = 1;
        /// Events carry timestamps.
        const PROFILING = 1 << 1;
        /// A queue for kernels to enqueue to.
        const ON_DEVICE = 1 << 2;
        /// The one that kernels find without being given it.
        const ON_DEVICE_DEFAULT = 1 << 3;
        /// Commands are executed by the thread that enqueues them, before the call returns. Spec:
        /// cl_intel_exec_by_local_thread.
        const LOCAL_THREAD = 1 << 31;
    }
}

/// Whether the call returns before the command has run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocking {
    /// Return at once.
    No,
    /// Return when the command is complete.
    Yes,
}

/// Whether the caller wants an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WantEvent {
    /// The event pointer was null.
    No,
    /// Return an event (with no API reference yet: `into_handle` adds it).
    Yes,
}

/// This many commands may gather before the queue flushes itself, so that a program that never does keeps no memory.
const BACKLOG: u64 = 1 << 16;

/// What calls say if there is no memory for another node of the graph.
pub(crate) const NO_ROOM: Error =
    Error::spec(Status::OutOfHostMemory, "there is a failure to allocate resources required on the host");

/// For a trace so many flushes are remembered.
const MAX_FLUSHES: usize = 256;

/// A command queue.
pub struct Queue {
    context: Obj<Context>,
    device: Obj<Device>,
    flags: QueueFlags,
    properties: Vec<u64>,
    /// Commands enqueued so far.
    enqueued: AtomicU64,
    /// Commands covered by a flush.
    flushed: AtomicU64,
    /// What it has as a queue on the device.
    on_device: Option<Arc<OnDevice>>,
    order: Mutex<Order>,
    /// Events with callbacks for "submitted" that wait for a flush.
    submission_watchers: Mutex<Vec<Weak<Object<Event>>>>,
    has_watchers: AtomicBool,
    /// Its number in a trace, and what each of the last flushes covered when, if one is written.
    number: u64,
    flushes: Mutex<VecDeque<(u64, u64)>>,
    skips: trace::Skips,
    _counted: Counted,
    /// Compute units that no other queue may have, until it is released and its commands have ended.
    units: Option<Mutex<Option<Arc<UnitsOfQueue>>>>,
}

impl Body for Queue {
    const KIND: Kind = Kind::Queue;
    fn last_release(queue: &Object<Self>) {
        // "clReleaseCommandQueue performs an implicit flush"
        queue.flush();
        // Events may keep it for long.
        drop(queue.units.as_ref().and_then(|units| units.lock().take()));
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        self.context.mapped().leave();
    }
}

impl Queue {
    /// `clCreateCommandQueue` and `clCreateCommandQueueWithProperties`; `properties` is the caller's list with its
    /// terminator for `CL_QUEUE_PROPERTIES_ARRAY`, empty if none was given. A queue on the device has `size` bytes; if
    /// it is to be the default, and there is one, that is the result.
    ///
    /// # Errors
    /// `InvalidDevice` ← the device is not one of the context's; `OutOfResources` ← it shares compute units with a
    /// sub-device by names that has queues.
    pub fn create(
        context: &Obj<Context>,
        device: &Obj<Device>,
        flags: QueueFlags,
        properties: Vec<u64>,
        size: u32,
    ) -> Result<Obj<Self>> {
        context.check_device(device)?;
        let is_default = flags.contains(QueueFlags::ON_DEVICE_DEFAULT);
        if is_default && let Some(queue) = context.device_queues().default(device) {
            return Ok(queue);
        }
        let units = UnitsOfQueue::take(device)?;
        let order = if flags.contains(QueueFlags::OUT_OF_ORDER) { Order::out_of_order() } else { Order::in_order() };
        context.mapped().enter();
        static NUMBERS: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(1);
        let queue = Object::new(Self {
            context: Arc::clone(context),
            device: Arc::clone(device),
            flags,
            properties,
            enqueued: AtomicU64::new(0),
            skips: trace::Skips::default(),
            flushed: AtomicU64::new(0),
            on_device: flags.contains(QueueFlags::ON_DEVICE).then(|| OnDevice::new(size)),
            order: Mutex::new(Rank::Queue, order),
            submission_watchers: Mutex::new(Rank::Queue, Vec::new()),
            has_watchers: AtomicBool::new(false),
            number: NUMBERS.fetch_add(1, SeqCst),
            flushes: Mutex::new(Rank::Leaf, VecDeque::new()),
            _counted: Counted::new(flags.contains(QueueFlags::OUT_OF_ORDER)),
            units: units.map(|units| Mutex::new(Rank::Queue, Some(Arc::new(units)))),
        });
        if queue.on_device.is_some() {
            context.device_queues().add(&queue);
            if is_default {
                context.device_queues().set_default(device, &queue)?;
            }
        }
        Ok(queue)
    }

    /// `CL_QUEUE_CONTEXT`.
    pub fn context(&self) -> &Obj<Context> {
        &self.context
    }

    /// `CL_QUEUE_DEVICE`.
    pub fn device(&self) -> &Obj<Device> {
        &self.device
    }

    /// `CL_QUEUE_PROPERTIES`.
    pub fn flags(&self) -> QueueFlags {
        self.flags
    }

    /// Whether the thread that enqueues a command executes it.
    pub(crate) fn is_local(&self) -> bool {
        self.flags.contains(QueueFlags::LOCAL_THREAD)
    }

    /// How many groups of a launch run at the same time.
    pub(crate) fn max_concurrent_groups(&self) -> usize {
        if self.is_local() { 1 } else { self.device.caps().max_compute_units as usize }
    }

    /// What it has as a queue on the device; none for a queue of the host.
    pub fn on_device(&self) -> Option<&Arc<OnDevice>> {
        self.on_device.as_ref()
    }

    /// Checks that the host may use it for commands.
    ///
    /// # Errors
    /// `InvalidCommandQueue`.
    pub fn check_host(&self) -> Result<()> {
        let rule = "command_queue is not a valid host command-queue";
        ensure!(self.on_device.is_none(), Error::spec(Status::InvalidCommandQueue, rule));
        Ok(())
    }

    /// `CL_QUEUE_PROPERTIES_ARRAY`.
    pub fn properties(&self) -> &[u64] {
        &self.properties
    }

    /// `clFlush`: everything enqueued so far will run without further calls.
    pub fn flush(&self) {
        self.note_flush();
        self.context.scheduler().flush();
    }

    /// Everything enqueued so far counts as submitted. The caller sees to it that it runs.
    pub(crate) fn note_flush(&self) {
        let enqueued = self.enqueued.load(SeqCst);
        let flushed = self.flushed.fetch_max(enqueued, SeqCst);
        if trace::is_on() && flushed < enqueued {
            let mut flushes = self.flushes.lock();
            if flushes.len() == MAX_FLUSHES {
                flushes.pop_front();
            }
            flushes.push_back((enqueued, now_ns()));
        }
        if self.has_watchers.load(SeqCst) {
            let due: Vec<Weak<Object<Event>>> = {
                let mut watchers = self.submission_watchers.lock();
                let all = std::mem::take(&mut *watchers);
                let is_due = |e: &Weak<Object<Event>>| e.upgrade().is_none_or(|e| self.is_flushed(e.sequence()));
                let (due, rest): (Vec<_>, Vec<_>) = all.into_iter().partition(is_due);
                self.has_watchers.store(!rest.is_empty(), SeqCst);
                *watchers = rest;
                due
            };
            due.iter().filter_map(Weak::upgrade).for_each(|event| event.submitted());
        }
    }

    /// For a trace: when the command with this place in the queue was covered by a flush, if one of the last did.
    pub(crate) fn submitted_at(&self, sequence: u64) -> Option<u64> {
        let flushes = self.flushes.lock();
        flushes.iter().find(|flush| flush.0 >= sequence).map(|flush| flush.1)
    }

    /// What kernels know it by; never 0.
    pub(crate) fn device_handle(&self) -> u64 {
        device::HANDLE_TAG | self.number
    }

    /// Its number in a trace.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Whether the command with this place in the queue is covered by a flush.
    pub(crate) fn is_flushed(&self, sequence: u64) -> bool {
        self.flushed.load(SeqCst) >= sequence
    }

    /// Has `event.submitted` called at the next flush. Whoever notes a flush looks for watchers afterwards, and this
    /// the other way round: in one order for all threads, so that one of the two sees the other.
    pub(crate) fn watch_submission(&self, event: &Obj<Event>) {
        self.submission_watchers.lock().push(Arc::downgrade(event));
        self.has_watchers.store(true, SeqCst);
        // A flush may have come in between.
        if self.is_flushed(event.sequence()) {
            event.submitted();
        }
    }
}

impl Object<Queue> {
    /// What a trace says of a command that is being enqueued.
    fn trace(&self, command: &Command, waits: &[Obj<Event>], event: Option<&Obj<Event>>) -> Option<Box<trace::Traced>> {
        let mut traced = trace::admit(command, &self.skips)?;
        waits.iter().filter_map(|wait| wait.traced.get()).for_each(|done| traced.wait_for(done));
        if let Some(event) = event {
            let _ = event.traced.set(Arc::clone(traced.done()));
        }
        Some(traced)
    }

    /// `clFinish`: waits until everything enqueued so far is complete, and runs what is ready of that on this thread.
    ///
    /// # Errors
    /// `OutOfHostMemory`: nothing has been awaited.
    pub fn finish(self: &Arc<Self>) -> Result<()> {
        api::blocks();
        self.note_flush();
        let outstanding = self.order.lock().outstanding().ok_or(NO_ROOM)?;
        for piece in outstanding {
            let target = |node| Target { node, queue: Some(self), event: None };
            let targets: SmallVec<[_; 4]> = piece.into_iter().map(target).collect();
            self.context.scheduler().wait(&targets);
        }
        if commands::is_on() {
            commands::known_queue(self);
        }
        Ok(())
    }

    /// Puts a command into the queue. All checks of the command's own arguments are made by its constructor.
    ///
    /// # Errors
    /// `ContextMismatch` ← the command's objects or the waited-for events belong to another context;
    /// `WaitedEventFailed` ← blocking, and an event of the wait list ended with an error; blocking, and the command
    /// failed; `OutOfHostMemory`.
    pub fn enqueue(
        self: &Arc<Self>,
        command: Command,
        waits: &[Obj<Event>],
        blocking: Blocking,
        want: WantEvent,
    ) -> Result<Option<Obj<Event>>> {
        self.check_takes(waits)?;
        // "both its blocking non-blocking calls behave the same"
        let blocking = if self.is_local() { Blocking::Yes } else { blocking };
        if blocking == Blocking::Yes {
            api::blocks();
        }
        ensure!(command.is_of(&self.context), Error::ContextMismatch);
        // "the read and write operations are blocking and the execution status of any of the events in
        // event_wait_list is a negative integer value"
        if blocking == Blocking::Yes
            && let Some(status) = waits.iter().map(|e| e.status()).find(|&s| s < 0)
        {
            return Err(Error::WaitedEventFailed { status });
        }
        if let Work::Launch(launch) = command.work() {
            let fits = launch.geometry.n_groups <= self.max_concurrent_groups() as u64;
            ensure!(launch.meeting.is_none() || fits, TOO_MANY_GROUPS);
        }
        command.admit()?;
        let undo = command.undo();
        let needs_event = want == WantEvent::Yes || blocking == Blocking::Yes;
        let waiter = (blocking == Blocking::Yes).then(fork::this_thread);
        let event = needs_event.then(|| Event::for_command(self, command.kind()));
        let node = match self.submit_for(command, waits, event.as_ref(), waiter) {
            Ok(node) => node,
            Err(error) => {
                undo.into_iter().for_each(|undo| undo());
                return Err(error);
            }
        };
        if let (Blocking::Yes, Some(event)) = (blocking, &event) {
            // "a blocking command performs an implicit flush"
            self.note_flush();
            if self.is_local() {
                waits.iter().filter_map(|wait| wait.queue()).for_each(|queue| queue.note_flush());
                self.context.scheduler().run_here(node, event);
            } else {
                self.context.scheduler().wait(&[Target { node, queue: Some(self), event: Some(event) }]);
            }
            if commands::is_on() {
                commands::known(event);
            }
            if event.status() != 0 {
                undo.into_iter().for_each(|undo| undo());
                let has_no_stack = self.is_local() && event.status() == Status::OutOfHostMemory.code();
                return Err(if has_no_stack { NO_ROOM } else { Error::WaitedEventFailed { status: event.status() } });
            }
        }
        Ok(event.filter(|_| want == WantEvent::Yes))
    }

    /// Checks that it may take a command that waits for these.
    ///
    /// # Errors
    /// `InvalidCommandQueue` ← a queue on the device; `ContextTerminatedKhr`; `ContextMismatch`.
    pub(crate) fn check_takes(&self, waits: &[Obj<Event>]) -> Result<()> {
        self.check_host()?;
        self.context.check_alive()?;
        let ours = |event: &Obj<Event>| Arc::ptr_eq(event.context(), &self.context);
        ensure!(waits.iter().all(ours), Error::ContextMismatch);
        Ok(())
    }

    /// Puts a command that has been checked into the queue, with its event if anybody wants to know. Gives its node.
    ///
    /// # Errors
    /// `OutOfHostMemory`.
    pub(crate) fn submit(
        self: &Arc<Self>,
        command: Command,
        waits: &[Obj<Event>],
        event: Option<&Obj<Event>>,
    ) -> Result<NodeId> {
        self.submit_for(command, waits, event, None)
    }

    /// The same for a thread that waits for it.
    fn submit_for(
        self: &Arc<Self>,
        command: Command,
        waits: &[Obj<Event>],
        event: Option<&Obj<Event>>,
        waiter: Option<usize>,
    ) -> Result<NodeId> {
        let role = command.role(waits.is_empty());
        let traced = self.trace(&command, waits, event);
        let moment = commands::is_on().then(|| commands::submit(self, &command, waits, touches::about(&command)));
        if let (Some(event), Some(moment)) = (event, &moment) {
            event.set_moment(Arc::clone(moment));
        }
        let (event, queue) = (event.cloned(), Arc::clone(self));
        let _units = self.units.as_ref().and_then(|units| units.lock().clone());
        let task = Task { event, command, queue, traced, sequence: 0, moment, waiter, _units };
        let (placed, sequence) = {
            let mut order = self.order.lock();
            let sequence = self.enqueued.fetch_add(1, SeqCst) + 1;
            (self.context.scheduler().submit(task, &mut order, role, waits, sequence), sequence)
        };
        let node = placed.map_err(|task| {
            task.moment.iter().for_each(|moment| commands::withdraw(moment));
            NO_ROOM
        })?;
        if sequence.is_multiple_of(BACKLOG) {
            self.flush();
        }
        Ok(node)
    }
}
