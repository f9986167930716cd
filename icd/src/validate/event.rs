//! Event callbacks.

use crate::cl;
use crate::error::{Result, Status, fail};
use clift_runtime::event::State;

/// Spec: `clSetEventCallback`.
pub fn callback_state(callback_type: cl::cl_int) -> Result<State> {
    match callback_type {
        cl::CL_SUBMITTED => Ok(State::Submitted),
        cl::CL_RUNNING => Ok(State::Running),
        cl::CL_COMPLETE => Ok(State::Complete),
        _ => fail(Status::InvalidValue, "command_exec_callback_type is not CL_SUBMITTED, CL_RUNNING, or CL_COMPLETE"),
    }
}
