//! cl_img_cancel_command: commands that have not started do not run, their events end at once, others go on.

#![allow(unsafe_code, reason = "calls the C API")]

mod common;

use common::*;
use std::sync::atomic::{AtomicI32, Ordering::SeqCst};
use std::time::Duration;

const CANCELLED: i32 = cl::CL_CANCELLED_IMG;

fn status(event: cl::cl_event) -> i32 {
    let (mut status, name) = (77, cl::CL_EVENT_COMMAND_EXECUTION_STATUS);
    // SAFETY: a live event, four writable bytes.
    assert_eq!(unsafe { clGetEventInfo(event, name, 4, (&raw mut status).cast(), null_mut()) }, 0);
    status
}

fn cancel(events: &[cl::cl_event]) {
    // SAFETY: live events.
    assert_eq!(unsafe { cancel_commands(events.as_ptr(), events.len()) }, 0);
}

fn wait(event: cl::cl_event) -> i32 {
    // SAFETY: a live event.
    unsafe { clWaitForEvents(1, &raw const event) }
}

/// Fills one `int` of the buffer with `value` after these events; gives the command's event.
fn fill(queue: cl::cl_command_queue, mem: cl::cl_mem, at: usize, value: i32, waits: &[cl::cl_event]) -> cl::cl_event {
    let mut event = null_mut();
    let list = if waits.is_empty() { null() } else { waits.as_ptr() };
    let (n, pattern) = (waits.len() as u32, (&raw const value).cast());
    // SAFETY: live handles; the place is within the buffer.
    let code = unsafe { clEnqueueFillBuffer(queue, mem, pattern, 4, 4 * at, 4, n, list, &raw mut event) };
    assert_eq!(code, 0);
    event
}

fn read<const N: usize>(world: &World, mem: cl::cl_mem) -> [i32; N] {
    let mut got = [0; N];
    let to = got.as_mut_ptr().cast();
    // SAFETY: live handles, enough bytes.
    assert_eq!(unsafe { clEnqueueReadBuffer(world.queue, mem, 1, 0, 4 * N, to, 0, null(), null_mut()) }, 0);
    got
}

fn queue(world: &World, properties: cl::cl_command_queue_properties) -> cl::cl_command_queue {
    let mut err = -1;
    // SAFETY: live handles.
    let queue = unsafe { clCreateCommandQueue(world.context, world.device, properties, &raw mut err) };
    assert_eq!(err, 0);
    queue
}

fn release(events: &[cl::cl_event]) {
    // SAFETY: the events are ours.
    events.iter().for_each(|&event| assert_eq!(unsafe { clReleaseEvent(event) }, 0));
}

/// Behind a gate: 0, 1 and 2 in order, 3 of another queue waits for 1's event and 4 for 3's.
#[test]
fn what_waits_for_a_cancelled_command_is_cancelled_and_what_follows_runs() {
    let (world, other_properties) = (World::new(), cl::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    let (mem, gate, other) = (world.buffer(24), world.user_event(), queue(&world, other_properties));
    let mut events = vec![fill(world.queue, mem, 0, 10, &[gate])];
    events.push(fill(world.queue, mem, 1, 11, &[]));
    events.push(fill(world.queue, mem, 2, 12, &[]));
    events.push(fill(other, mem, 3, 13, &[events[1]]));
    events.push(fill(other, mem, 4, 14, &[events[0], events[3]]));
    cancel(&[events[1]]);
    let now: Vec<i32> = events.iter().map(|&event| status(event)).collect();
    assert!(now[0] > 0 && now[2] > 0, "{now:?}");
    assert_eq!([now[1], now[3], now[4]], [CANCELLED; 3], "before the gate opens");
    for at in [1, 3, 4] {
        assert_eq!(wait(events[at]), cl::CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "{at}");
    }
    // So are commands that come later.
    let late = fill(other, mem, 5, 15, &[events[4]]);
    assert_eq!((status(late), wait(late)), (CANCELLED, cl::CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST));
    // SAFETY: live handles.
    unsafe {
        assert_eq!(clSetUserEventStatus(gate, 0), 0);
        assert_eq!((clFinish(world.queue), clFinish(other)), (0, 0));
    }
    let [a, _, b, ..] = read::<6>(&world, mem);
    assert_eq!([a, b], [10, 12]);
    assert!(read::<6>(&world, mem)[1] != 11 && !read::<6>(&world, mem)[3..].iter().any(|v| (13..16).contains(v)));
    assert_eq!([status(events[0]), status(events[2])], [0, 0]);
    // What has ended is as it was.
    cancel(&events);
    assert_eq!([status(events[0]), status(events[1])], [0, CANCELLED]);
    events.extend([late, gate]);
    release(&events);
    // SAFETY: the handles are ours.
    unsafe {
        assert_eq!(clReleaseCommandQueue(other), 0);
        assert_eq!(clReleaseMemObject(mem), 0);
    }
}

/// A command after a cancelled one still comes after those before that.
#[test]
fn a_cancelled_command_keeps_its_place() {
    let world = World::new();
    let (mem, gate) = (world.buffer(4), world.user_event());
    let first = fill(world.queue, mem, 0, 1, &[gate]);
    let cancelled = fill(world.queue, mem, 0, 2, &[]);
    let last = fill(world.queue, mem, 0, 3, &[]);
    cancel(&[cancelled]);
    // SAFETY: live handles.
    unsafe {
        assert_eq!(clFlush(world.queue), 0);
        std::thread::sleep(Duration::from_millis(30));
        assert!(status(last) > 0, "the gate is closed");
        assert_eq!(clSetUserEventStatus(gate, 0), 0);
        assert_eq!(wait(last), 0);
        assert_eq!((status(first), status(cancelled)), (0, CANCELLED));
        assert_eq!(read(&world, mem), [3]);
        release(&[first, cancelled, last, gate]);
        assert_eq!(clReleaseMemObject(mem), 0);
    }
}

static CALLED_WITH: AtomicI32 = AtomicI32::new(77);

unsafe extern "C" fn called(_: cl::cl_event, status: cl::cl_int, _: *mut c_void) {
    CALLED_WITH.store(status, SeqCst);
}

/// A thread that waits already, one in a blocking call, and a callback are told; the gate is never opened until all
/// have been.
#[test]
fn those_who_wait_are_told() {
    let world = World::new();
    let (mem, gate, other) = (world.buffer(4), world.user_event(), queue(&world, 0));
    let event = fill(world.queue, mem, 0, 1, &[gate]);
    let mut got = 5;
    // SAFETY: live handles.
    unsafe {
        assert_eq!(clSetEventCallback(event, cl::CL_COMPLETE, Some(called), null_mut()), 0);
        let [event_at, mem_at, other_at] = [event, mem, other].map(|handle| handle.expose_provenance());
        let at = std::ptr::with_exposed_provenance_mut::<c_void>;
        let to = (&raw mut got).expose_provenance();
        std::thread::scope(|scope| {
            let waits = scope.spawn(move || wait(at(event_at)));
            let reads = scope.spawn(move || {
                let (waits, to) = (at(event_at), at(to));
                clEnqueueReadBuffer(at(other_at), at(mem_at), 1, 0, 4, to, 1, &raw const waits, null_mut())
            });
            std::thread::sleep(Duration::from_millis(50));
            assert!(!waits.is_finished() && !reads.is_finished());
            cancel(&[event]);
            for thread in [waits, reads] {
                let code = thread.join().expect("no panic");
                assert_eq!(code, cl::CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
            }
        });
        while CALLED_WITH.load(SeqCst) == 77 {
            std::thread::yield_now();
        }
        assert_eq!((CALLED_WITH.load(SeqCst), got), (CANCELLED, 5));
        assert_eq!(clSetUserEventStatus(gate, 0), 0);
        assert_eq!((clFinish(world.queue), clFinish(other)), (0, 0));
        assert_eq!(got, 5, "nothing is read later either");
        release(&[event, gate]);
        assert_eq!(clReleaseCommandQueue(other), 0);
        assert_eq!(clReleaseMemObject(mem), 0);
    }
}

/// A search over many parts that ends when one has found something: what runs ends as usual, the rest does not run.
#[test]
fn the_rest_of_a_search_is_cancelled() {
    const PARTS: usize = 200;
    let world = World::new();
    let source = "kernel void search(global int *found, global int *tried, int part) {
        int x = part;
        for (int i = 0; i < 3000000; i++) x = x * 1103515245 + 12345;
        if (part == 3 || x == 1) *found = part;
        tried[part] = 1;
    }";
    let program = world.built(source);
    let (kernel, found, tried) = (world.kernel(program, "search"), world.buffer(4), world.buffer(4 * PARTS));
    let mut events = [null_mut(); PARTS];
    let (zero, n) = (0, 1usize);
    // SAFETY: live handles, one dimension.
    unsafe {
        let pattern = (&raw const zero).cast();
        for (mem, size) in [(found, 4), (tried, 4 * PARTS)] {
            assert_eq!(clEnqueueFillBuffer(world.queue, mem, pattern, 4, 0, size, 0, null(), null_mut()), 0);
        }
        assert_eq!(clSetKernelArg(kernel, 0, 8, (&raw const found).cast()), 0);
        assert_eq!(clSetKernelArg(kernel, 1, 8, (&raw const tried).cast()), 0);
        for (part, event) in (0i32..).zip(&mut events) {
            assert_eq!(clSetKernelArg(kernel, 2, 4, (&raw const part).cast()), 0);
            let (none, event) = (null(), std::ptr::from_mut(event));
            assert_eq!(clEnqueueNDRangeKernel(world.queue, kernel, 1, none, &raw const n, none, 0, null(), event), 0);
        }
        assert_eq!(clFlush(world.queue), 0);
        assert_eq!(wait(events[3]), 0);
        cancel(&events);
        assert_eq!(clFinish(world.queue), 0);
        let tried_parts = read::<PARTS>(&world, tried);
        for (part, (&event, tried)) in events.iter().zip(tried_parts).enumerate() {
            let want = if tried == 1 { 0 } else { CANCELLED };
            assert_eq!(status(event), want, "{part}");
        }
        assert_eq!((read(&world, found), tried_parts[..4].iter().sum::<i32>()), ([3], 4));
        assert!(tried_parts.iter().sum::<i32>() < PARTS as i32 / 2, "{tried_parts:?}");
        release(&events);
        assert_eq!(clReleaseKernel(kernel), 0);
        assert_eq!(clReleaseProgram(program), 0);
        assert_eq!(clReleaseMemObject(found), 0);
        assert_eq!(clReleaseMemObject(tried), 0);
    }
}
