//! Command-buffers: commands that are recorded once and enqueued any number of times. One enqueue is one command of its
//! queue, which runs what was recorded in the order of recording: that keeps every sync-point, barrier and in-order
//! queue, and each command has all workers to itself. Kernels may be changed between enqueues: see `dispatch`.

pub mod dispatch;

use crate::context::Context;
use crate::error::{Error, Result};
use crate::event::Event;
use crate::kernel::Kernel;
use crate::object::{Body, Kind, Obj, Object};
use crate::queue::command::{Command, Transfer, Work, WorkSizes};
use crate::queue::{Blocking, Queue, WantEvent};
use crate::status::Status;
use crate::sync::{Mutex, Rank};
use bitflags::bitflags;
use dispatch::{Dispatch, DispatchOptions, Update};
use std::sync::Arc;

bitflags! {
    /// `cl_command_buffer_flags_khr`.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct CommandBufferFlags: u64 {
        /// Enqueues need not wait for each other; every command-buffer of ours allows that.
        const SIMULTANEOUS_USE = 1;
        /// Kernels may be changed once recording has ended.
        const MUTABLE = 1 << 1;
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
    /// Barriers, and kernels or transfers of size 0.
    Nothing,
    Transfer(Transfer),
    Dispatch(Obj<Dispatch>),
}

struct Recording {
    is_finalized: bool,
    /// Sync-point n is the command at n - 1.
    commands: Vec<Recorded>,
}

/// A command-buffer.
pub struct CommandBuffer {
    queue: Obj<Queue>,
    flags: CommandBufferFlags,
    properties: Vec<u64>,
    recording: Mutex<Recording>,
}

impl Body for CommandBuffer {
    const KIND: Kind = Kind::CommandBuffer;
}

impl CommandBuffer {
    /// `clCreateCommandBufferKHR`; `properties` is the caller's list with its terminator, empty if none was given.
    pub fn create(queue: &Obj<Queue>, flags: CommandBufferFlags, properties: Vec<u64>) -> Obj<Self> {
        let recording = Recording { is_finalized: false, commands: Vec::new() };
        Object::new(Self {
            queue: Arc::clone(queue),
            flags,
            properties,
            recording: Mutex::new(Rank::CommandBuffer, recording),
        })
    }

    /// `CL_COMMAND_BUFFER_QUEUES_KHR`: the only one.
    pub fn queue(&self) -> &Obj<Queue> {
        &self.queue
    }

    /// `CL_COMMAND_BUFFER_CONTEXT_KHR`.
    pub fn context(&self) -> &Obj<Context> {
        self.queue.context()
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

    /// Checks that commands may still be recorded, and the sync-points that one is to wait for.
    ///
    /// # Errors
    /// `InvalidOperation` ← finalized; `InvalidSyncPointWaitListKhr` ← not a sync-point of this command-buffer.
    pub fn check_recording(&self, waits: &[u32]) -> Result<()> {
        let recording = self.recording.lock();
        let rule = "command_buffer has been finalized";
        ensure!(!recording.is_finalized, Error::spec(Status::InvalidOperation, rule));
        let is_known = |&point: &u32| point > 0 && point as usize <= recording.commands.len();
        let rule = "synchronization-point objects in sync_point_wait_list are not valid synchronization-points";
        ensure!(waits.iter().all(is_known), Error::spec(Status::InvalidSyncPointWaitListKhr, rule));
        Ok(())
    }

    /// Records a transfer within the device's memory, or a barrier. Gives its sync-point.
    ///
    /// # Errors
    /// `ContextMismatch`; `InvalidOperation` ← finalized; `Internal` ← a command that cannot be repeated.
    pub fn record(&self, command: Command) -> Result<u32> {
        ensure!(command.is_of(self.context()), Error::ContextMismatch);
        let recorded = match command.into_work() {
            Work::Nothing => Recorded::Nothing,
            Work::Transfer(transfer) => Recorded::Transfer(transfer),
            _ => return Err(Error::Internal { message: "this command cannot be recorded".into() }),
        };
        self.push(recorded)
    }

    fn push(&self, command: Recorded) -> Result<u32> {
        let mut recording = self.recording.lock();
        // Another thread may have come in between.
        let rule = "command_buffer has been finalized";
        ensure!(!recording.is_finalized, Error::spec(Status::InvalidOperation, rule));
        let full = Error::spec(Status::OutOfResources, "no more commands can be recorded");
        let point = u32::try_from(recording.commands.len() + 1).map_err(|_| full)?;
        recording.commands.push(command);
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
        let lacks_args = |command: &Recorded| matches!(command, Recorded::Dispatch(d) if !d.is_complete());
        match self.is_finalized {
            false => State::Recording,
            true if self.commands.iter().any(lacks_args) => State::Finalized,
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
    ) -> Result<(u32, Obj<Dispatch>)> {
        ensure!(Arc::ptr_eq(kernel.program().context(), self.context()), Error::ContextMismatch);
        let dispatch = Dispatch::record(self, kernel, sizes, options)?;
        let point = self.push(Recorded::Dispatch(Arc::clone(&dispatch)))?;
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

    /// `clEnqueueCommandBufferKHR`: runs what is recorded, with the kernels' arguments as they are now, on `queue` or
    /// on the one that it was recorded for.
    ///
    /// # Errors
    /// `InvalidOperation` ← not executable; `InvalidDevice`, `ContextMismatch` ← the queue is of another one; those of
    /// `Queue::enqueue`.
    pub fn enqueue(
        &self,
        queue: Option<&Obj<Queue>>,
        waits: &[Obj<Event>],
        want: WantEvent,
    ) -> Result<Option<Obj<Event>>> {
        let queue = queue.unwrap_or(&self.queue);
        let works = {
            let recording = self.recording.lock();
            let rule = "command_buffer is not in the Executable state";
            ensure!(recording.state() == State::Executable, Error::spec(Status::InvalidOperation, rule));
            let rule = "an element of queues does not have the same device as the command-queue set on creation";
            ensure!(Arc::ptr_eq(queue.device(), self.queue.device()), Error::spec(Status::InvalidDevice, rule));
            ensure!(Arc::ptr_eq(queue.context(), self.context()), Error::ContextMismatch);
            let work = |command: &Recorded| match command {
                Recorded::Nothing => Ok(Work::Nothing),
                Recorded::Transfer(transfer) => Ok(Work::Transfer(transfer.clone())),
                Recorded::Dispatch(dispatch) => dispatch.work(queue.device()),
            };
            recording.commands.iter().map(work).collect::<Result<Vec<Work>>>()?
        };
        queue.enqueue(Command::sequence(queue.context(), works), waits, Blocking::No, want)
    }
}
