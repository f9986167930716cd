//! What is mapped stays, though the program has released it, until it has been unmapped or nobody can do that any more.

#![allow(unsafe_code, reason = "calls the C API")]

mod common;

use common::*;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::time::Duration;

const SIZE: usize = 1 << 20;

/// Counts in the number that it is given.
unsafe extern "C" fn note(_: *mut c_void, count: *mut c_void) {
    // SAFETY: the tests give a counter that outlives the object.
    unsafe { &*count.cast::<AtomicU32>() }.fetch_add(1, SeqCst);
}

/// A buffer whose end is counted.
fn counted(world: &World, ended: &AtomicU32) -> cl::cl_mem {
    let buffer = world.buffer(SIZE);
    let count = std::ptr::from_ref(ended).cast_mut().cast();
    // SAFETY: the handle is live.
    assert_eq!(unsafe { clSetMemObjectDestructorCallback(buffer, Some(note), count) }, 0);
    buffer
}

/// Maps all of a buffer.
fn map(world: &World, buffer: cl::cl_mem) -> *mut u8 {
    let (flags, mut err) = (cl::CL_MAP_READ | cl::CL_MAP_WRITE, -1);
    // SAFETY: the handles are live.
    let at = unsafe {
        clEnqueueMapBuffer(world.queue, buffer, cl::CL_TRUE, flags, 0, SIZE, 0, null(), null_mut(), &raw mut err)
    };
    assert_eq!(err, 0);
    at.cast()
}

fn unmap(world: &World, buffer: cl::cl_mem, at: *mut u8) {
    // SAFETY: a map keeps the buffer.
    unsafe {
        assert_eq!(clEnqueueUnmapMemObject(world.queue, buffer, at.cast(), 0, null(), null_mut()), 0);
        assert_eq!(clFinish(world.queue), 0);
    }
}

#[test]
fn a_map_keeps_the_object() {
    let (world, ended) = (World::new(), AtomicU32::new(0));
    let buffer = counted(&world, &ended);
    let (first, second) = (map(&world, buffer), map(&world, buffer));
    // SAFETY: the maps are as long as what is written and read.
    unsafe {
        first.write_bytes(7, SIZE);
        assert_eq!(clReleaseMemObject(buffer), 0);
        let others = [(); 4].map(|()| {
            let other = world.buffer(SIZE);
            let at = map(&world, other);
            assert_ne!(at, first, "the memory is in use");
            at.write_bytes(9, SIZE);
            unmap(&world, other, at);
            other
        });
        assert!(std::slice::from_raw_parts(first, SIZE).iter().all(|&byte| byte == 7));
        unmap(&world, buffer, first);
        assert_eq!(ended.load(SeqCst), 0, "it is still mapped");
        unmap(&world, buffer, second);
        assert_eq!(ended.load(SeqCst), 1);
        for other in others {
            assert_eq!(clReleaseMemObject(other), 0);
        }
    }
}

#[test]
fn what_is_never_unmapped_goes_with_the_last_that_could() {
    let (world, ended) = (World::new(), AtomicU32::new(0));
    let (released, kept) = (counted(&world, &ended), counted(&world, &ended));
    map(&world, released);
    map(&world, kept);
    // SAFETY: the handles are ours.
    unsafe {
        assert_eq!(clReleaseMemObject(released), 0);
        assert_eq!(clReleaseContext(world.context), 0);
        assert_eq!(ended.load(SeqCst), 0, "the queue could still unmap it");
        assert_eq!(clReleaseCommandQueue(world.queue), 0);
        std::mem::forget(world);
        assert_eq!(ended.load(SeqCst), 1);
        assert_eq!(clReleaseMemObject(kept), 0);
        assert_eq!(ended.load(SeqCst), 2);
    }
}

#[test]
fn a_map_that_fails_keeps_nothing() {
    let (world, ended) = (World::new(), AtomicU32::new(0));
    let buffer = counted(&world, &ended);
    let gate = world.user_event();
    let address = gate.expose_provenance();
    // The event fails while the map waits for it.
    let failing = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(20));
        // SAFETY: the event is released after this thread has ended.
        assert_eq!(unsafe { clSetUserEventStatus(std::ptr::with_exposed_provenance_mut(address), -5) }, 0);
    });
    let (queue, flags, list) = (world.queue, cl::CL_MAP_READ, &raw const gate);
    // SAFETY: the handles are live.
    unsafe {
        let err =
            code_of(|err| clEnqueueMapBuffer(queue, buffer, cl::CL_TRUE, flags, 0, SIZE, 1, list, null_mut(), err));
        assert_eq!(err, cl::CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        assert_eq!(clReleaseMemObject(buffer), 0);
        failing.join().expect("no panic");
        assert_eq!(clReleaseEvent(gate), 0);
    }
    assert_eq!(ended.load(SeqCst), 1);
}
