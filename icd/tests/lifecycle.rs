//! Objects go away when the program lets go of them, whatever order it does that in, and threads may share them. One
//! test only: the count of live objects is the process's.

#![allow(unsafe_code, reason = "calls the C API")]

mod common;

use clift_runtime::object::{Kind, leak_report};
use common::*;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::time::{Duration, Instant};

const SOURCE: &str = "kernel void add(global int *a, int n) { a[get_global_id(0)] += n; }";
const N_THREADS: usize = 4;
const N_ROUNDS: usize = 200;

static ENDED: AtomicU32 = AtomicU32::new(0);

unsafe extern "C" fn note_event(_: cl::cl_event, _: cl::cl_int, _: *mut c_void) {
    ENDED.fetch_add(1, SeqCst);
}

unsafe extern "C" fn note_object(_: *mut c_void, _: *mut c_void) {
    ENDED.fetch_add(1000, SeqCst);
}

/// A thread's work on objects that all threads share: its own queue, kernel, buffers and events.
fn work(world: &World, program: cl::cl_program) {
    let mut err = -1;
    // SAFETY: all pointers are valid, the handles are live.
    unsafe {
        let out_of_order = cl::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
        let queue = clCreateCommandQueue(world.context, world.device, out_of_order, &raw mut err);
        assert_eq!(err, 0);
        let kernel = world.kernel(program, "add");
        for round in 0..N_ROUNDS {
            let buffer = world.buffer(64);
            let (mut filled, mut added) = (null_mut(), null_mut());
            let (pattern, n, global) = (round as i32, 5i32, 16usize);
            let pattern = (&raw const pattern).cast();
            assert_eq!(clEnqueueFillBuffer(queue, buffer, pattern, 4, 0, 64, 0, null(), &raw mut filled), 0);
            assert_eq!(clSetKernelArg(kernel, 0, 8, (&raw const buffer).cast()), 0);
            assert_eq!(clSetKernelArg(kernel, 1, 4, (&raw const n).cast()), 0);
            let status = clEnqueueNDRangeKernel(
                queue,
                kernel,
                1,
                null(),
                &raw const global,
                null(),
                1,
                &raw const filled,
                &raw mut added,
            );
            assert_eq!(status, 0);
            assert_eq!(clSetEventCallback(added, cl::CL_COMPLETE, Some(note_event), null_mut()), 0);
            let mut got = [0i32; 16];
            let to = got.as_mut_ptr().cast();
            // The buffer and the first event go before the command that needs them has run.
            assert_eq!(clReleaseEvent(filled), 0);
            let read = clEnqueueReadBuffer(queue, buffer, cl::CL_TRUE, 0, 64, to, 1, &raw const added, null_mut());
            assert_eq!(read, 0);
            assert_eq!(got, [round as i32 + 5; 16]);
            assert_eq!(clReleaseMemObject(buffer), 0);
            assert_eq!(clReleaseEvent(added), 0);
        }
        assert_eq!(clReleaseCommandQueue(queue), 0);
        assert_eq!(clReleaseKernel(kernel), 0);
    }
}

/// A handle that threads may use.
#[derive(Clone, Copy)]
struct Shared<T>(T);
// SAFETY: handles may be used from any thread.
unsafe impl<T> Send for Shared<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for Shared<T> {}

impl<T> Shared<T> {
    fn get(&self) -> &T {
        &self.0
    }
}

#[test]
fn nothing_is_left() {
    let world = World::new();
    let program = world.built(SOURCE);
    let shared = Shared((&world, program));
    std::thread::scope(|scope| {
        for _ in 0..N_THREADS {
            scope.spawn(|| work(shared.get().0, shared.get().1));
        }
    });
    // SAFETY: the handles are ours.
    unsafe {
        assert_eq!(clSetContextDestructorCallback(world.context, Some(note_object), null_mut()), 0);
        let buffer = world.buffer(1024);
        assert_eq!(clSetMemObjectDestructorCallback(buffer, Some(note_object), null_mut()), 0);
        let gate = world.user_event();
        let (mut bytes, mut later) = ([0u8; 1024], null_mut());
        let to = bytes.as_mut_ptr().cast();
        let queue = world.queue;
        let status = clEnqueueReadBuffer(queue, buffer, cl::CL_FALSE, 0, 1024, to, 1, &raw const gate, &raw mut later);
        assert_eq!(status, 0);
        // Everything is released while a command still waits.
        assert_eq!(clReleaseMemObject(buffer), 0);
        assert_eq!(clReleaseProgram(program), 0);
        // So is what is mapped, and nobody unmaps it.
        let (mapped, mut err) = (world.buffer(1024), -1);
        let read = cl::CL_MAP_READ;
        clEnqueueMapBuffer(queue, mapped, cl::CL_FALSE, read, 0, 1024, 0, null(), null_mut(), &raw mut err);
        assert_eq!((err, clReleaseMemObject(mapped)), (0, 0));
        drop(world);
        assert_eq!(ENDED.load(SeqCst) / 1000, 0, "the waiting command holds buffer and context");
        assert_eq!(clSetUserEventStatus(gate, 0), 0);
        assert_eq!(clReleaseEvent(gate), 0);
        assert_eq!(clWaitForEvents(1, &raw const later), 0);
        assert_eq!(clReleaseEvent(later), 0);
    }
    let is_clean = || {
        let left = leak_report().into_iter().filter(|(kind, _)| !matches!(kind, Kind::Platform | Kind::Device));
        left.count() == 0 && ENDED.load(SeqCst) == 2000 + (N_THREADS * N_ROUNDS) as u32
    };
    // Callbacks may come a little later.
    let start = Instant::now();
    while !is_clean() && start.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(is_clean(), "{:?}, {} callbacks", leak_report(), ENDED.load(SeqCst));
}
