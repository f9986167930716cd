//! Commands of queues, one file per kind, and what they share: the wait list, the event to return, the enqueue itself.
//! Spec: "The OpenCL Runtime".

#![allow(unsafe_code, reason = "reads wait lists and writes events for C entry points")]

pub mod buffer;
pub mod image;
pub mod kernel;
pub mod map;
pub mod rect;
pub mod svm;
pub mod sync;
pub mod usm;

use crate::error::{Result, Status, fail};
use crate::{cl, ffi, handle};
use clift_runtime::event::Event;
use clift_runtime::memory::host::HostPtr;
use clift_runtime::object::Obj;
use clift_runtime::queue::command::Command;
use clift_runtime::queue::{Blocking, Queue, WantEvent};
use smallvec::SmallVec;
use std::ffi::c_void;

/// What most commands are called with besides their own arguments.
#[derive(Clone, Copy)]
struct Call {
    queue: cl::cl_command_queue,
    n_waits: cl::cl_uint,
    waits: *const cl::cl_event,
    event: *mut cl::cl_event,
}

/// Checked queue, wait list, and where the event goes.
struct Target {
    queue: handle::Ref<Queue>,
    waits: SmallVec<[Obj<Event>; 4]>,
    event: *mut cl::cl_event,
}

impl Call {
    /// Handles first: the queue and the wait list.
    ///
    /// # Safety
    /// Pointers are null or as the specification says.
    unsafe fn target(self) -> Result<Target> {
        // SAFETY: the caller's promise.
        unsafe {
            let queue = handle::borrow::<Queue>(self.queue)?;
            let waits = wait_list(self.n_waits, self.waits)?;
            Ok(Target { queue, waits, event: self.event })
        }
    }
}

impl Target {
    /// Enqueues and returns the event to the caller, who wants one if the pointer is not null.
    ///
    /// # Safety
    /// `self.event` is null or writable.
    unsafe fn enqueue(self, command: Command, blocking: Blocking) -> Result {
        let want = if self.event.is_null() { WantEvent::No } else { WantEvent::Yes };
        if let Some(event) = self.queue.enqueue(command, &self.waits, blocking, want)? {
            // SAFETY: the caller's promise.
            unsafe { ffi::put(self.event, handle::give(event)) };
        }
        Ok(())
    }
}

/// Spec: "event_wait_list is NULL and num_events_in_wait_list is greater than zero", its mirror, "event objects in
/// event_wait_list are not valid events".
///
/// # Safety
/// A non-null list has `n` elements, null or handles.
pub unsafe fn wait_list(n: cl::cl_uint, list: *const cl::cl_event) -> Result<SmallVec<[Obj<Event>; 4]>> {
    // SAFETY: the caller's promise.
    let Some(handles) = (unsafe { ffi::slice(list, n as usize) }) else {
        return match n {
            0 => Ok(SmallVec::new()),
            _ => fail(
                Status::InvalidEventWaitList,
                "event_wait_list is NULL and num_events_in_wait_list is greater than zero",
            ),
        };
    };
    if n == 0 {
        return fail(Status::InvalidEventWaitList, "event_wait_list is not NULL and num_events_in_wait_list is zero");
    }
    let not_an_event = "event objects in event_wait_list are not valid events";
    let share = |&event: &cl::cl_event| {
        // SAFETY: the caller's promise.
        unsafe { handle::share(event) }.or_else(|_| fail(Status::InvalidEventWaitList, not_an_event))
    };
    handles.iter().map(share).collect()
}

fn blocking(flag: cl::cl_bool) -> Blocking {
    if flag == cl::CL_FALSE { Blocking::No } else { Blocking::Yes }
}

/// "ptr is NULL"
///
/// # Safety
/// As `HostPtr::new`.
pub unsafe fn host_ptr(ptr: *mut c_void) -> Result<HostPtr> {
    // SAFETY: the caller's promise.
    match unsafe { HostPtr::new(ptr.cast()) } {
        Some(ptr) => Ok(ptr),
        None => fail(Status::InvalidValue, "ptr is NULL"),
    }
}

/// Three sizes.
///
/// # Safety
/// `sizes` is null or has three elements.
pub unsafe fn triple(sizes: *const usize) -> Result<[usize; 3]> {
    // SAFETY: the caller's promise.
    match unsafe { ffi::triple(sizes) } {
        Some(sizes) => Ok(sizes),
        None => fail(Status::InvalidValue, "an origin or region is NULL"),
    }
}
