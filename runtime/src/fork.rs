//! `fork`: the child has only the thread that forked. What counts threads compares its number of forks with this one
//! and starts anew, so that the child of a process which has used OpenCL can go on using it. A fork waits until no
//! thread of ours holds a lock that the child will want.
#![allow(unsafe_code, reason = "registers functions with the C library")]

use crate::check::{ahead, api, commands, handles, objects, quarantine, sink};
use crate::device::partition;
use crate::object::{Body, Obj, Object};
use crate::queue::scheduler;
use crate::sync::{Mutex, Rank};
use crate::{callbacks, context, exec, memory, object, program, record, trace};
use clift_jit::codegen::debug;
use clift_jit::race::order;
use std::any::Any;
use std::cell::Cell;
use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Once, Weak};

static FORKS: AtomicU32 = AtomicU32::new(0);
/// The thread that is left in the child of a fork, as `this_thread` names it; 0 if there was no fork.
static FORKER: AtomicUsize = AtomicUsize::new(0);

// Guards of the thread that is about to fork, or just has, in the order in which they were taken. Nothing is left of
// them to be dropped with the thread, so that one that is ending can fork, too.
thread_local!(static HELD: Cell<ManuallyDrop<Vec<Box<dyn Any>>>> = const { Cell::new(ManuallyDrop::new(Vec::new())) });

/// From now on forks are counted.
pub fn watch() {
    static ONCE: Once = Once::new();
    // SAFETY: the functions take no arguments and do not unwind.
    ONCE.call_once(|| unsafe {
        libc::pthread_atfork(Some(before), Some(in_parent), Some(in_child));
    });
}

/// A name of the calling thread, the same in the child of a fork.
pub(crate) fn this_thread() -> usize {
    // SAFETY: a question without preconditions.
    unsafe { libc::pthread_self() as usize }
}

/// True for a thread of before the last fork that the child does not have.
pub(crate) fn is_gone(thread: usize) -> bool {
    thread != FORKER.load(Relaxed)
}

/// How often this process and those before it have forked since `watch`, counted in the child.
pub fn count() -> u32 {
    FORKS.load(Relaxed)
}

/// Objects of a kind whose locks the child of a fork will want, whatever other threads are at. Kernels, events,
/// semaphores and command-buffers are not held: a child cannot count on one that another thread is changing.
pub(crate) struct Registry<T: Body>(Mutex<Vec<Weak<Object<T>>>>);

impl<T: Body> Registry<T> {
    pub(crate) const fn new() -> Self {
        Self(Mutex::new(Rank::Leaf, Vec::new()))
    }

    /// A new one.
    pub(crate) fn add(&self, object: &Obj<T>) {
        let mut all = self.0.lock();
        // So that it is looked through once for as many new ones as live, and has no more than twice as many.
        if all.len() == all.capacity() {
            all.retain(|one| one.strong_count() > 0);
            let live = all.len();
            all.reserve(live);
        }
        all.push(Arc::downgrade(object));
    }

    /// All that live, and the list as it is for as long as the second result lives.
    fn hold(&'static self) -> (Vec<Obj<T>>, Box<dyn Any>) {
        // SAFETY: a static.
        let all = unsafe { self.0.lock_for_fork() };
        (all.iter().filter_map(Weak::upgrade).collect(), Box::new(all))
    }
}

unsafe extern "C" fn before() {
    // First what may want the others, then in the order of their ranks.
    let background = exec::pool::hold_background();
    let ((programs, program_list), (contexts, context_list)) = (program::ALL.hold(), context::ALL.hold());
    let locks_of_programs: Vec<_> = programs.iter().map(|program| program.hold()).collect();
    // They go last, when nothing is held any more: what is the last reference by then runs what an end runs.
    let mut guards: Vec<Box<dyn Any>> = vec![Box::new(programs), Box::new(contexts.clone()), background];
    guards.extend(locks_of_programs);
    guards.push(record::hold());
    guards.extend(contexts.iter().flat_map(|context| context.hold()));
    guards.extend([program_list, context_list]);
    guards.extend(scheduler::hold_all());
    guards.extend([callbacks::hold(), exec::pool::hold(), memory::recycle::hold(), partition::hold()]);
    guards.extend(object::hold_live());
    guards.extend([
        ahead::hold(),
        api::hold(),
        objects::hold(),
        quarantine::hold(),
        handles::hold(),
        commands::hold(),
        sink::hold(),
    ]);
    guards.extend([order::hold(), trace::hold()]);
    guards.extend(debug::hold());
    HELD.set(ManuallyDrop::new(guards));
}

unsafe extern "C" fn in_parent() {
    let guards = ManuallyDrop::into_inner(HELD.take());
    guards.into_iter().rev().for_each(drop);
}

unsafe extern "C" fn in_child() {
    FORKS.fetch_add(1, Relaxed);
    FORKER.store(this_thread(), Relaxed);
    sink::forked();
    let guards = ManuallyDrop::into_inner(HELD.take());
    guards.into_iter().rev().for_each(drop);
    commands::forked();
    order::forked();
    debug::forked();
}
