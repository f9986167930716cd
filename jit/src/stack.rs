//! The stack of the calling thread. Generated code keeps private arrays there and the compiler recurses, while the host
//! program's threads may have stacks of any size: who needs more than is left runs on a thread of its own.
#![allow(unsafe_code, reason = "asks the C library where the stack is")]

use crate::reserve;
use std::cell::Cell;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// What callers and callees of `with_room` take beside the bytes that are asked for: some frames of this library, and
/// those of a signal's handler.
const SLACK: usize = 16 << 10;

/// So much is there on any stack, known or not, as the call that leads here takes more.
const ALWAYS: usize = 4 << 10;

/// The stack in bytes of threads that need nothing special. It is said for each thread: of one for which nothing is
/// said, the standard library asks `RUST_MIN_STACK`, which may be anything and of anybody's making.
pub const THREAD_BYTES: usize = 2 << 20;

/// Whether `with_room` runs what takes so many bytes here.
pub fn has_room(bytes: usize) -> bool {
    bytes <= ALWAYS || left().is_some_and(|left| left >= bytes.saturating_add(SLACK))
}

/// Runs `work`, which takes no more than so many bytes of stack: here if they are left, else on a thread of its own
/// while this one waits. A panic comes through.
///
/// # Errors
/// What the system says if there is no thread to be had.
pub fn with_room<T: Send>(bytes: usize, work: impl FnOnce() -> T + Send) -> std::io::Result<T> {
    if has_room(bytes) {
        return Ok(work());
    }
    apart("clift-stack", bytes, work).map(|done| done.unwrap_or_else(|panic| resume_unwind(panic)))
}

/// Runs `work` on a thread of its own with this name and at least so many bytes of stack. Gives what it returns, or its
/// panic.
///
/// # Errors
/// What the system says if there is no thread to be had.
pub fn apart<T: Send>(
    name: &str,
    bytes: usize,
    work: impl FnOnce() -> T + Send,
) -> std::io::Result<std::thread::Result<T>> {
    reserve::before_thread()?;
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name(name.into()).stack_size(bytes.saturating_add(SLACK));
        let thread = thread.spawn_scoped(scope, || catch_unwind(AssertUnwindSafe(work)))?;
        Ok(thread.join().unwrap_or_else(Err))
    })
}

/// Bytes that are left of this thread's stack; `None` if this is another stack than the thread began on, such as a
/// fibre's, or if the system does not tell.
pub fn left() -> Option<usize> {
    let stack = own();
    let here = 0u8;
    let here = std::hint::black_box(&raw const here).addr();
    stack.contains(&here).then(|| here - stack.start)
}

/// The addresses of the stack that this thread began on, without its guard pages, which are below; none if the system
/// does not tell. It is asked once for each thread.
pub fn own() -> Range<usize> {
    thread_local!(static STACK: Cell<Option<(usize, usize)>> = const { Cell::new(None) });
    let (start, end) = STACK.get().unwrap_or_else(|| {
        let Range { start, end } = bounds().unwrap_or(0..0);
        STACK.set(Some((start, end)));
        (start, end)
    });
    start..end
}

/// The addresses of this thread's stack, without its guard pages.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn bounds() -> Option<Range<usize>> {
    let mut start = std::ptr::null_mut();
    let mut size = 0;
    // SAFETY: the attributes are initialised by the first call and destroyed by the last; the places are valid.
    unsafe {
        let mut attributes = std::mem::zeroed::<libc::pthread_attr_t>();
        if libc::pthread_getattr_np(libc::pthread_self(), &raw mut attributes) != 0 {
            return None;
        }
        let status = libc::pthread_attr_getstack(&raw const attributes, &raw mut start, &raw mut size);
        libc::pthread_attr_destroy(&raw mut attributes);
        (status == 0).then(|| start.addr()..start.addr() + size)
    }
}

/// Not known on this system.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn bounds() -> Option<Range<usize>> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread::{self, Builder, ThreadId};

    /// On a thread with a stack of so many bytes.
    fn on<T: Send + 'static>(bytes: usize, work: impl FnOnce() -> T + Send + 'static) -> T {
        Builder::new().stack_size(bytes).spawn(work).expect("a thread").join().expect("no panic")
    }

    fn at(bytes: usize) -> ThreadId {
        with_room(bytes, || thread::current().id()).expect("a thread")
    }

    #[test]
    fn what_is_left_is_known() {
        if cfg!(not(target_os = "linux")) {
            return;
        }
        let left_of = |bytes| on(bytes, || left().expect("known"));
        assert!((128 << 10..=256 << 10).contains(&left_of(256 << 10)));
        assert!((3 << 20..=4 << 20).contains(&left_of(4 << 20)));
    }

    #[test]
    fn what_does_not_fit_runs_elsewhere() {
        on(256 << 10, || {
            let me = thread::current().id();
            assert_eq!(at(0), me);
            assert_eq!(at(64 << 10), me);
            for bytes in [240 << 10, 256 << 10, 1 << 20] {
                assert_ne!(at(bytes), me);
                // It does fit there.
                assert!(with_room(bytes, || left().is_none_or(|left| left >= bytes)).expect("a thread"));
            }
        });
    }

    #[test]
    fn panics_come_through() {
        let caught = catch_unwind(|| with_room(64 << 20, || resume_unwind(Box::new("on purpose"))));
        assert_eq!(caught.expect_err("it panics").downcast_ref(), Some(&"on purpose"));
    }
}
