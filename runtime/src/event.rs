//! Events: status, timestamps, callbacks. The order of execution is decided by `queue::graph`, not here.

use crate::context::Context;
use crate::error::Result;
use crate::object::{Body, Kind, Obj, Object};
use crate::queue::Queue;
use crate::queue::command::CommandType;
use std::sync::Arc;

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
    /// `CL_PROFILING_COMMAND_COMPLETE`.
    Complete,
}

/// Runs once with the status that it was registered for, or the negative error.
pub type EventCallback = Box<dyn FnOnce(i32) + Send>;

/// An event.
pub struct Event {
    context: Obj<Context>,
    queue: Option<Obj<Queue>>,
    command_type: CommandType,
}

impl Body for Event {
    const KIND: Kind = Kind::Event;
}

impl Event {
    /// `clCreateUserEvent`: submitted until `set_user_status`.
    pub fn create_user(context: &Obj<Context>) -> Obj<Self> {
        Object::new(Self { context: Arc::clone(context), queue: None, command_type: CommandType::User })
    }

    /// `clWaitForEvents` without its argument checks except: all of one context. Runs ready commands on this thread.
    ///
    /// # Errors
    /// `ContextMismatch`; `WaitedEventFailed` ← one of them ended with an error (after all have ended).
    pub fn wait_all(events: &[Obj<Self>]) -> Result<()> {
        let _ = events;
        Ok(())
    }

    /// `CL_EVENT_CONTEXT`.
    pub fn context(&self) -> &Obj<Context> {
        &self.context
    }

    /// `CL_EVENT_COMMAND_QUEUE`; `None` for user events.
    pub fn queue(&self) -> Option<&Obj<Queue>> {
        self.queue.as_ref()
    }

    /// `CL_EVENT_COMMAND_TYPE`.
    pub fn command_type(&self) -> CommandType {
        self.command_type
    }

    /// `CL_EVENT_COMMAND_EXECUTION_STATUS`: a `State` number or a negative error. A program that polls makes progress:
    /// the query flushes the event's queue.
    pub fn execution_status(&self) -> i32 {
        State::Submitted as i32
    }

    /// A profiling stamp in ns of `clock`.
    ///
    /// # Errors
    /// `ProfilingInfoNotAvailable` ← queue without profiling, user event, or command not complete.
    pub fn profiling_ns(&self, stamp: Stamp) -> Result<u64> {
        let _ = stamp;
        Err(crate::error::Error::spec(crate::status::Status::ProfilingInfoNotAvailable, "no profiling information"))
    }
}

impl Object<Event> {
    /// `clSetUserEventStatus`: `status` is 0 or negative.
    ///
    /// # Errors
    /// `InvalidEvent` ← not a user event; `InvalidValue` ← `status` is positive; `InvalidOperation` ← already set.
    pub fn set_user_status(self: &Arc<Self>, status: i32) -> Result<()> {
        let _ = status;
        Ok(())
    }

    /// `clSetEventCallback`: runs `callback` on a thread of ours once the event has reached `state` or an error.
    ///
    /// # Errors
    /// `InvalidValue` ← `state` is `Queued`.
    pub fn on_state(self: &Arc<Self>, state: State, callback: EventCallback) -> Result<()> {
        let _ = (state, callback);
        Ok(())
    }
}
