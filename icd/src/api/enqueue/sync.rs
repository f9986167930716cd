//! Markers and barriers. Spec: "Markers, Barriers and Waiting for Events".

#![allow(unsafe_code, reason = "C entry points")]

use super::Call;
use crate::error::ensure;
use crate::{cl, ffi, handle};
use clift_runtime::queue::command::Command;
use clift_runtime::queue::{Blocking, Queue, WantEvent};

enqueuing! {
    /// Spec: "Markers, Barriers and Waiting for Events".
    #[unsafe(no_mangle)]
    fn clEnqueueMarkerWithWaitList() |target| {
        target.enqueue(Command::marker(), Blocking::No)
    }

    /// Spec: "Markers, Barriers and Waiting for Events".
    #[unsafe(no_mangle)]
    fn clEnqueueBarrierWithWaitList() |target| {
        target.enqueue(Command::barrier(), Blocking::No)
    }
}

/// Spec: "Markers, Barriers and Waiting for Events".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clEnqueueMarker(command_queue: cl::cl_command_queue, event: *mut cl::cl_event) -> cl::cl_int {
    let call = Call { queue: command_queue, n_waits: 0, waits: std::ptr::null(), event };
    // SAFETY: the caller's promise.
    ffi::call("clEnqueueMarker", || unsafe {
        let target = call.target()?;
        ensure!(!event.is_null(), InvalidValue, "event is NULL");
        target.enqueue(Command::marker(), Blocking::No)
    })
}

/// Spec: "Markers, Barriers and Waiting for Events".
///
/// # Safety
/// `command_queue` is null or a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clEnqueueBarrier(command_queue: cl::cl_command_queue) -> cl::cl_int {
    let call = Call { queue: command_queue, n_waits: 0, waits: std::ptr::null(), event: std::ptr::null_mut() };
    // SAFETY: the caller's promise.
    ffi::call("clEnqueueBarrier", || unsafe { call.target()?.enqueue(Command::barrier(), Blocking::No) })
}

/// A barrier with a wait list, under the error codes of OpenCL 1.0. Spec: "Markers, Barriers and Waiting for Events".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clEnqueueWaitForEvents(
    command_queue: cl::cl_command_queue,
    num_events: cl::cl_uint,
    event_list: *const cl::cl_event,
) -> cl::cl_int {
    // SAFETY: the caller's promise.
    ffi::call("clEnqueueWaitForEvents", || unsafe {
        let queue = handle::share::<Queue>(command_queue)?;
        let list = ffi::elements(event_list, num_events, "num_events is zero or event_list is NULL")?;
        let events = handle::share_all(list)?;
        queue.enqueue(Command::barrier(), &events, Blocking::No, WantEvent::No).map(drop)
    })
}
