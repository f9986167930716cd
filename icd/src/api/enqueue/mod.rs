//! Commands of queues, one file per kind, and what they share: the wait list, the event to return, the enqueue itself.
//! Spec: "The OpenCL Runtime".

#![allow(unsafe_code, reason = "reads wait lists and writes events for C entry points")]

/// Entry points that enqueue a command. A row has the parameters between the queue and the wait list, what they become,
/// and what is done with that; `target` stands for the other parameters. What stands after `let unsafe` may trust the
/// caller.
macro_rules! enqueuing {
    ($(
        $(#[$attribute:meta])*
        fn $name:ident($($parameter:ident: $type:ty),*)
        $(let unsafe $values:pat = $converted:expr;)*
        |$target:ident| $body:block
    )*) => { $(
        $(#[$attribute])*
        ///
        /// # Safety
        /// Pointers are null or as the specification says.
        pub unsafe extern "C" fn $name(
            command_queue: cl::cl_command_queue,
            $($parameter: $type,)*
            num_events_in_wait_list: cl::cl_uint,
            event_wait_list: *const cl::cl_event,
            event: *mut cl::cl_event,
        ) -> cl::cl_int {
            let call = $crate::api::enqueue::Call {
                queue: command_queue,
                n_waits: num_events_in_wait_list,
                waits: event_wait_list,
                event,
            };
            ffi::call(stringify!($name), || {
                // SAFETY: the caller's promise.
                let $target = unsafe { call.target()? };
                $(
                    // SAFETY: the caller's promise.
                    let $values = unsafe { $converted };
                )*
                $body
            })
        }
    )* };
}
pub(crate) use enqueuing;

pub mod buffer;
pub mod image;
pub mod kernel;
pub mod map;
pub mod rect;
pub mod svm;
pub mod sync;
pub mod usm;
pub mod variable;

use crate::error::{Result, Status, fail};
use crate::{cl, ffi, handle};
use clift_runtime::event::Event;
use clift_runtime::memory::buffer::Mem;
use clift_runtime::memory::host::HostPtr;
use clift_runtime::memory::image::{Image, Origin};
use clift_runtime::object::Obj;
use clift_runtime::queue::command::Command;
use clift_runtime::queue::{Blocking, Queue, WantEvent};
use smallvec::SmallVec;
use std::ffi::c_void;

/// What most commands are called with besides their own arguments.
#[derive(Clone, Copy)]
pub(crate) struct Call {
    pub(crate) queue: cl::cl_command_queue,
    pub(crate) n_waits: cl::cl_uint,
    pub(crate) waits: *const cl::cl_event,
    pub(crate) event: *mut cl::cl_event,
}

/// Checked queue, wait list, and where the event goes.
pub(crate) struct Target {
    queue: handle::Ref<Queue>,
    waits: SmallVec<[Obj<Event>; 4]>,
    event: *mut cl::cl_event,
}

impl Call {
    /// Handles first: the queue and the wait list.
    ///
    /// # Safety
    /// Pointers are null or as the specification says, `event` for as long as the target lives.
    pub(crate) unsafe fn target(self) -> Result<Target> {
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
    fn enqueue(self, command: Command, blocking: Blocking) -> Result {
        self.enqueue_by(|queue, waits, want| queue.enqueue(command, waits, blocking, want))
    }

    /// As `enqueue`, by another method of queues.
    pub(crate) fn enqueue_by(
        self,
        method: impl FnOnce(&Obj<Queue>, &[Obj<Event>], WantEvent) -> clift_runtime::Result<Option<Obj<Event>>>,
    ) -> Result {
        let want = if self.event.is_null() { WantEvent::No } else { WantEvent::Yes };
        if let Some(event) = method(&self.queue, &self.waits, want)? {
            // SAFETY: whoever made the target promised that the pointer is writable.
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
    let rule = "event_wait_list is NULL and num_events_in_wait_list is greater than zero, or the other way round";
    // SAFETY: the caller's promise.
    let handles = unsafe { ffi::list(list, n, Status::InvalidEventWaitList, rule)? };
    let not_an_event = "event objects in event_wait_list are not valid events";
    let mut waits = SmallVec::new();
    for &event in handles {
        // SAFETY: the caller's promise.
        waits.push(unsafe { handle::share(event) }.or_else(|_| fail(Status::InvalidEventWaitList, not_an_event))?);
    }
    Ok(waits)
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

/// A fill's pattern.
///
/// # Safety
/// `pattern` is null or has `size` bytes.
pub unsafe fn fill_pattern<'a>(pattern: *const c_void, size: usize) -> Result<&'a [u8]> {
    // SAFETY: the caller's promise.
    match unsafe { ffi::slice(pattern.cast::<u8>(), size) } {
        Some(pattern) => Ok(pattern),
        None => fail(Status::InvalidValue, "pattern is NULL"),
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

/// An origin in an image. Behind three numbers stands the mip level, where the image has levels and its dimensions
/// leave no other place.
///
/// # Safety
/// `numbers` is null or has as many elements as the image says.
pub unsafe fn image_origin(mem: &Mem, numbers: *const usize) -> Result<Origin> {
    // SAFETY: the caller's promise.
    unsafe {
        let [x, y, z] = triple(numbers)?;
        let has_level = mem.image().is_some_and(Image::has_level_behind_origin);
        Ok([x, y, z, if has_level { numbers.add(3).read_unaligned() } else { 0 }])
    }
}
