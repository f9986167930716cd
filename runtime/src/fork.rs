//! `fork`: the child has only the thread that forked. What counts threads compares its number of forks with this one and
//! starts anew, so that the child of a process which has used OpenCL can go on using it.
#![allow(unsafe_code, reason = "registers a function with the C library")]

use std::sync::Once;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

static FORKS: AtomicU32 = AtomicU32::new(0);

/// From now on forks are counted.
pub fn watch() {
    static ONCE: Once = Once::new();
    // SAFETY: `in_child` only adds to an atomic, which is all that a child of a process with threads may do.
    ONCE.call_once(|| unsafe {
        libc::pthread_atfork(None, None, Some(in_child));
    });
}

/// How often this process and those before it have forked since `watch`, counted in the child.
pub fn count() -> u32 {
    FORKS.load(Relaxed)
}

unsafe extern "C" fn in_child() {
    FORKS.fetch_add(1, Relaxed);
}
