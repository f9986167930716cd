//! Command queues: submit, flush, finish. What runs when is decided by `graph`; `scheduler` joins it with threads.

pub mod command;
pub mod scheduler;

use crate::context::Context;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::event::Event;
use crate::object::{Body, Kind, Obj, Object};
use crate::status::Status;
use bitflags::bitflags;
use command::Command;
use std::sync::Arc;

bitflags! {
    /// `cl_command_queue_properties` that a host queue can have.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct QueueFlags: u64 {
        /// Commands may run in any order that waits and barriers allow.
        const OUT_OF_ORDER = 1;
        /// Events carry timestamps.
        const PROFILING = 1 << 1;
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

/// A command queue.
pub struct Queue {
    context: Obj<Context>,
    device: Obj<Device>,
    flags: QueueFlags,
    properties: Vec<u64>,
}

impl Body for Queue {
    const KIND: Kind = Kind::Queue;
    fn last_release(queue: &Object<Self>) {
        queue.flush();
    }
}

impl Queue {
    /// `clCreateCommandQueue` and `clCreateCommandQueueWithProperties`; `properties` is the caller's list with its
    /// terminator for `CL_QUEUE_PROPERTIES_ARRAY`, empty if none was given.
    ///
    /// # Errors
    /// `InvalidDevice` ← the device is not one of the context's.
    pub fn create(
        context: &Obj<Context>,
        device: &Obj<Device>,
        flags: QueueFlags,
        properties: Vec<u64>,
    ) -> Result<Obj<Self>> {
        ensure!(
            context.has_device(device),
            Error::spec(Status::InvalidDevice, "device is not a valid device or is not associated with context")
        );
        Ok(Object::new(Self { context: Arc::clone(context), device: Arc::clone(device), flags, properties }))
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

    /// `CL_QUEUE_PROPERTIES_ARRAY`.
    pub fn properties(&self) -> &[u64] {
        &self.properties
    }

    /// `clFlush`: everything enqueued so far will run without further calls.
    pub fn flush(&self) {}

    /// `clFinish`: runs ready commands on this thread until everything enqueued so far is complete.
    pub fn finish(&self) {}
}

impl Object<Queue> {
    /// Puts a command into the queue. All checks of the command's own arguments are made by its constructor.
    ///
    /// # Errors
    /// `ContextMismatch` ← the command's objects or the waited-for events belong to another context;
    /// `WaitedEventFailed` ← blocking, and an event of the wait list ended with an error.
    pub fn enqueue(
        self: &Arc<Self>,
        command: Command,
        waits: &[Obj<Event>],
        blocking: Blocking,
        want: WantEvent,
    ) -> Result<Option<Obj<Event>>> {
        let _ = (command, waits, blocking, want);
        Ok(None)
    }
}
