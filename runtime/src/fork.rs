//! `fork`: the child has only the thread that forked. What counts threads compares its number of forks with this one
//! and starts anew, so that the child of a process which has used OpenCL can go on using it. A fork waits until no
//! thread of ours holds a lock that the child will want.
#![allow(unsafe_code, reason = "registers functions with the C library")]

use crate::check::{api, commands, handles, objects, sink};
use crate::queue::scheduler;
use crate::{callbacks, exec, memory, object, record, trace};
use clift_jit::codegen::debug;
use std::any::Any;
use std::cell::RefCell;
use std::sync::Once;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

static FORKS: AtomicU32 = AtomicU32::new(0);

// Guards of the thread that is about to fork, or just has, in the order in which they were taken.
thread_local!(static HELD: RefCell<Vec<Box<dyn Any>>> = const { RefCell::new(Vec::new()) });

/// From now on forks are counted.
pub fn watch() {
    static ONCE: Once = Once::new();
    // SAFETY: the functions take no arguments and do not unwind.
    ONCE.call_once(|| unsafe {
        libc::pthread_atfork(Some(before), Some(in_parent), Some(in_child));
    });
}

/// How often this process and those before it have forked since `watch`, counted in the child.
pub fn count() -> u32 {
    FORKS.load(Relaxed)
}

unsafe extern "C" fn before() {
    // First what may want the others, then in the order of their ranks.
    let mut guards = vec![exec::pool::hold_background(), record::hold()];
    guards.extend(scheduler::hold_all());
    guards.extend([callbacks::hold(), exec::pool::hold(), memory::recycle::hold()]);
    guards.extend(object::hold_live());
    guards.extend([api::hold(), objects::hold(), handles::hold(), commands::hold(), sink::hold()]);
    guards.push(trace::hold());
    guards.extend(debug::hold());
    HELD.with_borrow_mut(|held| *held = guards);
}

unsafe extern "C" fn in_parent() {
    let guards = HELD.take();
    guards.into_iter().rev().for_each(drop);
}

unsafe extern "C" fn in_child() {
    FORKS.fetch_add(1, Relaxed);
    sink::forked();
    let guards = HELD.take();
    guards.into_iter().rev().for_each(drop);
    debug::forked();
}
