//! Command-buffers: commands that are recorded once and enqueued any number of times. On one queue an enqueue is one
//! command, which runs what was recorded in the order of recording: that keeps every sync-point, barrier and in-order
//! queue, and each command has all workers to itself. On several queues each recorded command is one of its own (see
//! `spread`), and waits for what `order` says. Kernels may be changed between enqueues: see `dispatch`; `remap` copies
//! command-buffers for other queues.

pub mod dispatch;
mod order;
pub mod remap;
mod spread;

use crate::check::commands;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::event::Event;
use crate::kernel::Kernel;
use crate::object::{Body, Kind, Obj, Object};
use crate::queue::command::{Command, CommandType, Transfer, Work, WorkSizes};
use crate::queue::{Blocking, Queue, QueueFlags, WantEvent};
use crate::status::Status;
use crate::sync::{Mutex, Rank};
use bitflags::bitflags;
use dispatch::{Dispatch, DispatchOptions, Update};
use order::{Before, Order};
use std::sync::Arc;

bitflags! {
    /// `cl_command_buffer_flags_khr`.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct CommandBufferFlags: u64 {
        /// Enqueues need not wait for each other; every command-buffer of ours allows that.
        const SIMULTANEOUS_USE = 1;
        /// Kernels may be changed once recording has ended.
        const MUTABLE = 1 << 1;
        /// Its devices wait for each other without the host; all of ours do.
        const DEVICE_SIDE_SYNC = 1 << 2;
    }
}

/// Where a command-buffer stands in its life; the discriminant is the API's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum State {
    /// Takes commands.
    Recording = 0,
    /// May be enqueued.
    Executable = 1,
    /// Takes no more commands, but a kernel lacks arguments.
    Finalized = 2,
}

/// A recorded command.
enum Recorded {
    /// Transfers of size 0.
    Nothing,
    Barrier,
    Transfer(Transfer),
    Dispatch(Obj<Dispatch>),
}

/// A recorded command in its place.
struct Step {
    command: Recorded,
    /// The number of its queue.
    queue: usize,
    before: Before,
}

struct Recording {
    is_finalized: bool,
    /// Sync-point n is the command at n - 1.
    steps: Vec<Step>,
    order: Order,
}

/// Where a command is recorded: the number of its queue, and the sync-points that it waits for.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    queue: usize,
    points: &'a [u32],
}

fn is_in_order(queue: &Obj<Queue>) -> bool {
    !queue.flags().contains(QueueFlags::OUT_OF_ORDER)
}

/// Checks that no queue has its commands executed by the threads that enqueue them.
///
/// # Errors
/// `IncompatibleCommandQueueKhr`.
fn check_not_local(queues: &[Obj<Queue>]) -> Result<()> {
    let rule = "a command-queue in queues has properties that command-buffers do not support";
    ensure!(!queues.iter().any(|queue| queue.is_local()), Error::spec(Status::IncompatibleCommandQueueKhr, rule));
    Ok(())
}

/// A command-buffer.
pub struct CommandBuffer {
    /// At least one.
    queues: Box<[Obj<Queue>]>,
    flags: CommandBufferFlags,
    properties: Vec<u64>,
    recording: Mutex<Recording>,
}

impl Body for CommandBuffer {
    const KIND: Kind = Kind::CommandBuffer;
}

impl CommandBuffer {
    /// `clCreateCommandBufferKHR`; `properties` is the caller's list with its terminator, empty if none was given.
    ///
    /// # Errors
    /// `InvalidValue` ← no queues; `InvalidCommandQueue` ← one on the device; `IncompatibleCommandQueueKhr` ← one
    /// whose commands are executed by the threads that enqueue them; `ContextMismatch`.
    pub fn create(queues: &[Obj<Queue>], flags: CommandBufferFlags, properties: Vec<u64>) -> Result<Obj<Self>> {
        let first = queues.first().ok_or(Error::spec(Status::InvalidValue, "num_queues is zero"))?;
        queues.iter().try_for_each(|queue| queue.check_host())?;
        check_not_local(queues)?;
        let same = queues.iter().all(|queue| Arc::ptr_eq(queue.context(), first.context()));
        ensure!(same, Error::ContextMismatch);
        let order = Order::new(queues.iter().map(is_in_order));
        let recording = Recording { is_finalized: false, steps: Vec::new(), order };
        Ok(Object::new(Self {
            queues: queues.into(),
            flags,
            properties,
            recording: Mutex::new(Rank::CommandBuffer, recording),
        }))
    }

    /// `CL_COMMAND_BUFFER_QUEUES_KHR`: at least one.
    pub fn queues(&self) -> &[Obj<Queue>] {
        &self.queues
    }

    /// `CL_COMMAND_BUFFER_CONTEXT_KHR`.
    pub fn context(&self) -> &Obj<Context> {
        self.queues[0].context()
    }

    /// `CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR`.
    pub fn properties(&self) -> &[u64] {
        &self.properties
    }

    /// What it was created with.
    pub fn flags(&self) -> CommandBufferFlags {
        self.flags
    }

    /// `CL_COMMAND_BUFFER_STATE_KHR`.
    pub fn state(&self) -> State {
        self.recording.lock().state()
    }

    /// Checks that commands may still be recorded, the queue of one, which is the only one if none is given, and the
    /// sync-points that it is to wait for.
    ///
    /// # Errors
    /// `InvalidCommandQueue` ← none of its queues, or none given of several; `ContextMismatch`; `InvalidOperation` ←
    /// finalized; `InvalidSyncPointWaitListKhr` ← not a sync-point of this command-buffer.
    pub fn place<'a>(&self, queue: Option<&Obj<Queue>>, points: &'a [u32]) -> Result<Place<'a>> {
        let queue = match queue {
            None => {
                let rule = "command_queue is NULL and command_buffer was created with more than one queue";
                ensure!(self.queues.len() == 1, Error::spec(Status::InvalidCommandQueue, rule));
                0
            }
            Some(queue) => {
                ensure!(Arc::ptr_eq(queue.context(), self.context()), Error::ContextMismatch);
                let rule = "command_queue is not a command-queue listed on command_buffer creation";
                let at = self.queues.iter().position(|own| Arc::ptr_eq(own, queue));
                at.ok_or(Error::spec(Status::InvalidCommandQueue, rule))?
            }
        };
        let recording = self.recording.lock();
        let rule = "command_buffer has been finalized";
        ensure!(!recording.is_finalized, Error::spec(Status::InvalidOperation, rule));
        let is_known = |&point: &u32| point > 0 && point as usize <= recording.steps.len();
        let rule = "synchronization-point objects in sync_point_wait_list are not valid synchronization-points";
        ensure!(points.iter().all(is_known), Error::spec(Status::InvalidSyncPointWaitListKhr, rule));
        Ok(Place { queue, points })
    }

    /// Records a transfer within the device's memory, or a barrier. Gives its sync-point.
    ///
    /// # Errors
    /// `ContextMismatch`; `InvalidOperation` ← finalized; `Internal` ← a command that cannot be repeated.
    pub fn record(&self, command: Command, place: Place<'_>) -> Result<u32> {
        ensure!(command.is_of(self.context()), Error::ContextMismatch);
        let is_barrier = command.kind() == CommandType::Barrier;
        let recorded = match command.into_work() {
            Work::Nothing if is_barrier => Recorded::Barrier,
            Work::Nothing => Recorded::Nothing,
            Work::Transfer(transfer) => Recorded::Transfer(transfer),
            _ => return Err(Error::Internal { message: "this command cannot be recorded".into() }),
        };
        self.push(recorded, place)
    }

    fn push(&self, command: Recorded, Place { queue, points }: Place<'_>) -> Result<u32> {
        let mut recording = self.recording.lock();
        // Another thread may have come in between.
        let rule = "command_buffer has been finalized";
        ensure!(!recording.is_finalized, Error::spec(Status::InvalidOperation, rule));
        let full = Error::spec(Status::OutOfResources, "no more commands can be recorded");
        let point = u32::try_from(recording.steps.len() + 1).map_err(|_| full)?;
        let is_barrier = matches!(command, Recorded::Barrier);
        let before = recording.order.next(queue, is_barrier, points.iter().map(|point| point - 1));
        recording.steps.push(Step { command, queue, before });
        Ok(point)
    }

    /// `clFinalizeCommandBufferKHR`.
    ///
    /// # Errors
    /// `InvalidOperation` ← not recording.
    pub fn finalize(&self) -> Result<()> {
        let mut recording = self.recording.lock();
        let rule = "command_buffer is not in the Recording state";
        ensure!(!recording.is_finalized, Error::spec(Status::InvalidOperation, rule));
        recording.is_finalized = true;
        Ok(())
    }
}

impl Recording {
    fn state(&self) -> State {
        let lacks_args = |step: &Step| matches!(&step.command, Recorded::Dispatch(d) if !d.is_complete());
        match self.is_finalized {
            false => State::Recording,
            true if self.steps.iter().any(lacks_args) => State::Finalized,
            true => State::Executable,
        }
    }
}

impl Object<CommandBuffer> {
    /// Records a kernel with the arguments that it has now. Gives its sync-point and the handle for changing it.
    ///
    /// # Errors
    /// `ContextMismatch`; `ArgUnset` ← unless the options let arguments come later; `WorkSize`; `OutOfResources` ←
    /// local memory; `Internal` ← code generation.
    pub fn record_kernel(
        self: &Arc<Self>,
        kernel: &Obj<Kernel>,
        sizes: WorkSizes<'_>,
        options: DispatchOptions,
        place: Place<'_>,
    ) -> Result<(u32, Obj<Dispatch>)> {
        ensure!(Arc::ptr_eq(kernel.program().context(), self.context()), Error::ContextMismatch);
        let dispatch = Dispatch::record(self, place.queue, kernel, sizes, options)?;
        let point = self.push(Recorded::Dispatch(Arc::clone(&dispatch)), place)?;
        Ok((point, dispatch))
    }

    /// Begins `clUpdateMutableCommandsKHR`.
    ///
    /// # Errors
    /// `InvalidOperation` ← still recording, or not created mutable.
    pub fn update(self: &Arc<Self>) -> Result<Update> {
        let rule = "command_buffer has not been finalized";
        ensure!(self.state() != State::Recording, Error::spec(Status::InvalidOperation, rule));
        let rule = "command_buffer was not created with the CL_COMMAND_BUFFER_MUTABLE_KHR flag";
        ensure!(self.flags.contains(CommandBufferFlags::MUTABLE), Error::spec(Status::InvalidOperation, rule));
        Ok(Update::new(self))
    }

    /// `clEnqueueCommandBufferKHR`: runs what is recorded, with the kernels' arguments as they are now, on `queues` or,
    /// if that is empty, on those that it was recorded for.
    ///
    /// # Errors
    /// `InvalidOperation` ← not executable; `IncompatibleCommandQueueKhr` ← as for `create`; `InvalidValue` ← another
    /// number of queues; `InvalidDevice`, `ContextMismatch` ← a queue is of another one; those of `Queue::enqueue`.
    pub fn enqueue(&self, queues: &[Obj<Queue>], waits: &[Obj<Event>], want: WantEvent) -> Result<Option<Obj<Event>>> {
        let queues = if queues.is_empty() { &self.queues } else { queues };
        let parts = {
            let recording = self.recording.lock();
            let rule = "command_buffer is not in the Executable state";
            ensure!(recording.state() == State::Executable, Error::spec(Status::InvalidOperation, rule));
            check_not_local(queues)?;
            let rule = "num_queues is > 0 and not the same value as num_queues set on command_buffer creation";
            ensure!(queues.len() == self.queues.len(), Error::spec(Status::InvalidValue, rule));
            let mut pairs = queues.iter().zip(&self.queues);
            let rule = "an element of queues does not have the same device as the command-queue set on creation";
            let same = pairs.all(|(queue, own)| Arc::ptr_eq(queue.device(), own.device()));
            ensure!(same, Error::spec(Status::InvalidDevice, rule));
            let ours = |queue: &Obj<Queue>| Arc::ptr_eq(queue.context(), self.context());
            ensure!(queues.iter().all(ours), Error::ContextMismatch);
            let part = |step: &Step| {
                let work = match &step.command {
                    Recorded::Nothing | Recorded::Barrier => Work::Nothing,
                    Recorded::Transfer(transfer) => Work::Transfer(transfer.clone()),
                    Recorded::Dispatch(dispatch) => dispatch.work(queues[step.queue].device())?,
                };
                Ok((step.queue, work, step.before.clone()))
            };
            recording.steps.iter().map(part).collect::<Result<Vec<spread::Part>>>()?
        };
        match queues {
            // What is to be told of them is told of commands.
            [queue] if !commands::guards() => {
                let works = parts.into_iter().map(|(_, work, _)| work).collect();
                queue.enqueue(Command::sequence(queue.context(), works), waits, Blocking::No, want)
            }
            _ => spread::enqueue(queues, parts, waits, want),
        }
    }
}
