//! Queues whose commands are executed by the threads that enqueue them. Spec: cl_intel_exec_by_local_thread.

#![allow(unsafe_code, reason = "calls the C API")]

mod common;

use common::*;
use std::sync::Once;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::thread;
use std::time::{Duration, Instant};

const LOCAL: u64 = cl::CL_QUEUE_THREAD_LOCAL_EXEC_ENABLE_INTEL;
const ITEMS: usize = 1 << 18;

const SOURCE: &str = "
    kernel void sum(global const int *in, global int *out, local int *part) {
        size_t i = get_local_id(0), n = get_local_size(0);
        part[i] = in[get_global_id(0)];
        for (size_t d = n / 2; d > 0; d /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            if (i < d)
                part[i] += part[i + d];
        }
        if (i == 0)
            out[get_group_id(0)] = part[0];
    }
    kernel void add(global int *a, int n) { a[get_global_id(0)] += n; }
    kernel void large(global int *a, int n) {
        int own[65536];
        for (int i = 0; i < 65536; i++)
            own[i * 7 & 65535] = i + n;
        a[0] = own[a[1] & 65535];
    }
    #ifdef __opencl_c_device_enqueue
    kernel void parent(global int *a) {
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(64, 8), ^{
            a[get_global_id(0)] = get_global_id(0) + 1;
        });
    }
    #endif";

/// A world whose device has four compute units on any machine.
fn world() -> World {
    static ONCE: Once = Once::new();
    // SAFETY: each test begins here, so that nothing reads the environment yet.
    ONCE.call_once(|| unsafe { std::env::set_var("CLIFT_THREADS", "4") });
    World::new()
}

fn queue(context: cl::cl_context, device: cl::cl_device_id, properties: u64) -> cl::cl_command_queue {
    let mut err = -1;
    // SAFETY: live handles.
    let queue = unsafe { clCreateCommandQueue(context, device, properties, &raw mut err) };
    assert_eq!(err, 0);
    queue
}

fn status(event: cl::cl_event) -> i32 {
    let mut status = 77;
    let to = (&raw mut status).cast();
    // SAFETY: a live handle, four writable bytes.
    let err = unsafe { clGetEventInfo(event, cl::CL_EVENT_COMMAND_EXECUTION_STATUS, 4, to, null_mut()) };
    assert_eq!(err, 0);
    status
}

unsafe fn set_arg<T>(kernel: cl::cl_kernel, n: u32, value: T) {
    // SAFETY: the kernel lives, the value is of the argument's type.
    assert_eq!(unsafe { clSetKernelArg(kernel, n, size_of::<T>(), (&raw const value).cast()) }, 0);
}

/// Enqueues a kernel over so many work-items without anything else.
unsafe fn launch(queue: cl::cl_command_queue, kernel: cl::cl_kernel, items: usize, group: usize) -> i32 {
    let (items, group) = (&raw const items, &raw const group);
    // SAFETY: live handles.
    unsafe { clEnqueueNDRangeKernel(queue, kernel, 1, null(), items, group, 0, null(), null_mut()) }
}

static RUN_BY: AtomicU64 = AtomicU64::new(0);

unsafe extern "C" fn look(_: *mut c_void) {
    // SAFETY: no conditions.
    RUN_BY.store(unsafe { libc::pthread_self() }, SeqCst);
}

fn has_workers() -> bool {
    let names = std::fs::read_dir("/proc/self/task")
        .expect("Linux")
        .filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("comm")).ok());
    names.into_iter().any(|name| name.starts_with("clift-worker"))
}

/// Writes, fills, copies, kernels, functions and maps, on the device and on a part of it: each is complete when its
/// call returns, and no worker has been started for it.
#[test]
fn commands_are_complete_at_once_and_start_no_workers() {
    let world = world();
    let (by_counts, mut part) = ([cl::CL_DEVICE_PARTITION_BY_COUNTS as isize, 2, 0, 0], null_mut());
    // SAFETY: live handles, valid pointers, terminated lists.
    unsafe {
        assert_eq!(clCreateSubDevices(world.device, by_counts.as_ptr(), 1, &raw mut part, null_mut()), 0);
        let (devices, mut err) = ([world.device, part], -1);
        let context = clCreateContext(null(), 2, devices.as_ptr(), None, null_mut(), &raw mut err);
        assert_eq!(err, 0);
        let text = CString::new(SOURCE).expect("no zero inside");
        let string = text.as_ptr();
        let program = clCreateProgramWithSource(context, 1, &raw const string, null(), &raw mut err);
        assert_eq!((err, clBuildProgram(program, 0, null(), c"-cl-std=CL3.0".as_ptr(), None, null_mut())), (0, 0));
        let kernel = world.kernel(program, "sum");
        let buffer = |size| {
            let mut err = -1;
            let buffer = clCreateBuffer(context, 0, size, null_mut(), &raw mut err);
            assert_eq!(err, 0);
            buffer
        };
        let (a, b, sums) = (buffer(4 * ITEMS), buffer(4 * ITEMS), buffer(4 * ITEMS / 64));
        for device in devices {
            let properties: [u64; 3] = [u64::from(cl::CL_QUEUE_PROPERTIES), LOCAL | cl::CL_QUEUE_PROFILING_ENABLE, 0];
            let queue = clCreateCommandQueueWithProperties(context, device, properties.as_ptr(), &raw mut err);
            assert_eq!(err, 0);
            let mut bits = 0u64;
            let to = (&raw mut bits).cast();
            assert_eq!(clGetCommandQueueInfo(queue, cl::CL_QUEUE_PROPERTIES, 8, to, null_mut()), 0);
            assert_eq!(bits, properties[1]);
            let values: Vec<i32> = (0..ITEMS as i32).map(|i| i * 3).collect();
            let (from, size, three) = (values.as_ptr().cast(), 4 * ITEMS, 3);
            let mut events = [null_mut(); 4];
            let [write, copy, sum, map] = &mut events;
            assert_eq!(clEnqueueWriteBuffer(queue, a, 0, 0, size, from, 0, null(), &raw mut *write), 0);
            let pattern = (&raw const three).cast();
            assert_eq!(clEnqueueFillBuffer(queue, b, pattern, 4, 0, size, 0, null(), null_mut()), 0);
            assert_eq!(clEnqueueCopyBuffer(queue, a, b, 0, 0, size / 2, 1, &raw const *write, &raw mut *copy), 0);
            set_arg(kernel, 0, b);
            set_arg(kernel, 1, sums);
            assert_eq!(clSetKernelArg(kernel, 2, 256, null()), 0);
            let (items, group) = (ITEMS, 64usize);
            let (items, group) = (&raw const items, &raw const group);
            let mut err = clEnqueueNDRangeKernel(queue, kernel, 1, null(), items, group, 0, null(), &raw mut *sum);
            assert_eq!(err, 0);
            let at = clEnqueueMapBuffer(
                queue,
                sums,
                0,
                cl::CL_MAP_READ,
                0,
                size / 64,
                0,
                null(),
                &raw mut *map,
                &raw mut err,
            );
            // Nothing has been flushed or awaited.
            let got = std::slice::from_raw_parts(at.cast::<i32>(), ITEMS / 64);
            let first = |group: usize| (0..64).map(|i| (group as i32 * 64 + i) * 3).sum::<i32>();
            assert!(got.iter().enumerate().all(|(i, &sum)| sum == if i < ITEMS / 128 { first(i) } else { 192 }));
            assert_eq!(clEnqueueUnmapMemObject(queue, sums, at, 0, null(), null_mut()), 0);
            let err = clEnqueueNativeKernel(queue, Some(look), null_mut(), 0, 0, null(), null(), 0, null(), null_mut());
            assert_eq!((err, RUN_BY.load(SeqCst)), (0, libc::pthread_self()));
            let mut ends = 0;
            for event in events {
                assert_eq!(status(event), cl::CL_COMPLETE);
                let [start, end] = [cl::CL_PROFILING_COMMAND_START, cl::CL_PROFILING_COMMAND_END].map(|name| {
                    let mut time = 0u64;
                    assert_eq!(clGetEventProfilingInfo(event, name, 8, (&raw mut time).cast(), null_mut()), 0);
                    time
                });
                assert!(ends <= start && start <= end);
                ends = end;
                assert_eq!(clReleaseEvent(event), 0);
            }
            assert_eq!((clFlush(queue), clFinish(queue), clReleaseCommandQueue(queue)), (0, 0, 0));
        }
        // Children of a kernel, too.
        let bits = cl::CL_QUEUE_ON_DEVICE | cl::CL_QUEUE_ON_DEVICE_DEFAULT | cl::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
        let properties = [u64::from(cl::CL_QUEUE_PROPERTIES), bits, 0];
        let children = clCreateCommandQueueWithProperties(context, world.device, properties.as_ptr(), &raw mut err);
        let (own, parent) = (queue(context, world.device, LOCAL), world.kernel(program, "parent"));
        set_arg(parent, 0, a);
        assert_eq!((err, launch(own, parent, 1, 1)), (0, 0));
        let mut got = [0i32; 64];
        assert_eq!(clEnqueueReadBuffer(own, a, 0, 0, 256, got.as_mut_ptr().cast(), 0, null(), null_mut()), 0);
        assert!((1..65).eq(got));
        assert!(!has_workers(), "somebody has helped");
        [own, children].into_iter().for_each(|queue| assert_eq!(clReleaseCommandQueue(queue), 0));
        [a, b, sums].into_iter().for_each(|buffer| assert_eq!(clReleaseMemObject(buffer), 0));
        assert_eq!((clReleaseKernel(parent), clReleaseKernel(kernel), clReleaseProgram(program)), (0, 0, 0));
        assert_eq!((clReleaseContext(context), clReleaseDevice(part)), (0, 0));
    }
}

/// A command waits for other queues' commands, which nobody has flushed, and for the program; and fails with them.
#[test]
fn wait_lists_are_awaited() {
    let world = world();
    let program = world.built(SOURCE);
    let kernel = world.kernel(program, "add");
    let (own, buffer) = (queue(world.context, world.device, LOCAL), world.buffer(64));
    let mut got = [0i32; 16];
    // SAFETY: live handles, valid pointers.
    unsafe {
        let (zero, mut filled) = (0i32, null_mut());
        let pattern = (&raw const zero).cast();
        assert_eq!(clEnqueueFillBuffer(world.queue, buffer, pattern, 4, 0, 64, 0, null(), &raw mut filled), 0);
        set_arg(kernel, 0, buffer);
        set_arg(kernel, 1, 5i32);
        let (items, mut added) = (16usize, null_mut());
        let (items, waits) = (&raw const items, &raw const filled);
        let err = clEnqueueNDRangeKernel(own, kernel, 1, null(), items, null(), 1, waits, &raw mut added);
        assert_eq!((err, status(filled), status(added)), (0, 0, 0));
        // What waits for it elsewhere finds it complete.
        let to = got.as_mut_ptr().cast();
        assert_eq!(clEnqueueReadBuffer(world.queue, buffer, 1, 0, 64, to, 1, &raw const added, null_mut()), 0);
        assert_eq!(got, [5; 16]);
        let user = world.user_event();
        let (start, send) = (Instant::now(), user.expose_provenance());
        let setter = thread::spawn(move || {
            thread::sleep(Duration::from_millis(60));
            clSetUserEventStatus(std::ptr::with_exposed_provenance_mut(send), 0)
        });
        let err = clEnqueueNDRangeKernel(own, kernel, 1, null(), items, null(), 1, &raw const user, null_mut());
        assert!(err == 0 && start.elapsed() >= Duration::from_millis(50));
        assert_eq!(setter.join().expect("no panic"), 0);
        let failed = world.user_event();
        assert_eq!(clSetUserEventStatus(failed, -5), 0);
        let mut none = null_mut();
        let err = clEnqueueNDRangeKernel(own, kernel, 1, null(), items, null(), 1, &raw const failed, &raw mut none);
        assert_eq!((err, none), (cl::CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, null_mut()));
        assert_eq!(clEnqueueReadBuffer(own, buffer, 0, 0, 64, to, 0, null(), null_mut()), 0);
        assert_eq!(got, [10; 16]);
        [user, failed, filled, added].into_iter().for_each(|event| assert_eq!(clReleaseEvent(event), 0));
        assert_eq!((clReleaseCommandQueue(own), clReleaseMemObject(buffer)), (0, 0));
        assert_eq!((clReleaseKernel(kernel), clReleaseProgram(program)), (0, 0));
    }
}

/// What a command waits for is cancelled, and the command with it: its call ends at once, and its queue goes on.
#[test]
fn what_is_cancelled_is_not_awaited() {
    let world = world();
    for bits in [LOCAL, LOCAL | cl::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE] {
        let (own, gate, buffer) = (queue(world.context, world.device, bits), world.user_event(), world.buffer(8));
        let (values, mut filled) = ([0u32, 7, 8, 9], null_mut());
        // SAFETY: live handles, valid pointers.
        unsafe {
            let fill = |queue, value: usize, wait: Option<&cl::cl_event>, event| {
                let (pattern, n) = ((&raw const values[value]).cast(), wait.iter().len() as u32);
                let list = wait.map_or(null(), |event| &raw const *event);
                clEnqueueFillBuffer(queue, buffer, pattern, 4, 0, 8, n, list, event)
            };
            assert_eq!(fill(own, 0, None, null_mut()), 0);
            assert_eq!(fill(world.queue, 1, Some(&gate), &raw mut filled), 0);
            let send = filled.expose_provenance();
            let canceller = thread::spawn(move || {
                thread::sleep(Duration::from_millis(60));
                let event = std::ptr::with_exposed_provenance_mut(send);
                cancel_commands(&raw const event, 1)
            });
            assert_eq!(fill(own, 2, Some(&filled), null_mut()), cl::CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
            assert_eq!(canceller.join().expect("no panic"), 0);
            assert_eq!((status(filled), clSetUserEventStatus(gate, 0)), (cl::CL_CANCELLED_IMG, 0));
            assert_eq!((clFinish(own), clFinish(world.queue)), (0, 0));
            let mut got = [1u32; 2];
            assert_eq!(clEnqueueReadBuffer(own, buffer, 0, 0, 8, got.as_mut_ptr().cast(), 0, null(), null_mut()), 0);
            assert_eq!(got, [0; 2]);
            assert_eq!(fill(own, 3, None, null_mut()), 0);
            [gate, filled].into_iter().for_each(|event| assert_eq!(clReleaseEvent(event), 0));
            assert_eq!((clReleaseCommandQueue(own), clReleaseMemObject(buffer)), (0, 0));
        }
    }
}

/// Two threads on one queue: in order, the second waits for the first one's command; out of order it does not.
#[test]
fn threads_share_a_queue() {
    let world = world();
    for (bits, waits) in [(LOCAL, true), (LOCAL | cl::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, false)] {
        let (own, gate, buffer) = (queue(world.context, world.device, bits), world.user_event(), world.buffer(8));
        let [queue, event, mem] = [own, gate, buffer].map(|handle| handle.expose_provenance());
        let fill = move |value: u32, at: usize, gate: &[usize]| {
            let gates: Vec<cl::cl_event> = gate.iter().map(|&g| std::ptr::with_exposed_provenance_mut(g)).collect();
            let list = if gates.is_empty() { null() } else { gates.as_ptr() };
            let [queue, mem] = [queue, mem].map(std::ptr::with_exposed_provenance_mut);
            let pattern = (&raw const value).cast();
            // SAFETY: live handles.
            unsafe { clEnqueueFillBuffer(queue, mem, pattern, 4, at, 4, gates.len() as u32, list, null_mut()) }
        };
        let first = thread::spawn(move || fill(1, 0, &[event]));
        thread::sleep(Duration::from_millis(50));
        let second = thread::spawn(move || fill(2, 4, &[]));
        thread::sleep(Duration::from_millis(100));
        assert_eq!((first.is_finished(), second.is_finished()), (false, !waits));
        // SAFETY: live handles, valid pointers.
        unsafe {
            assert_eq!(clSetUserEventStatus(gate, 0), 0);
            assert_eq!((first.join().expect("no panic"), second.join().expect("no panic")), (0, 0));
            let mut got = [0u32; 2];
            assert_eq!(clEnqueueReadBuffer(own, buffer, 0, 0, 8, got.as_mut_ptr().cast(), 0, null(), null_mut()), 0);
            assert_eq!(got, [1, 2]);
            assert_eq!((clReleaseEvent(gate), clReleaseCommandQueue(own), clReleaseMemObject(buffer)), (0, 0, 0));
        }
    }
}

/// Many threads, each with a queue of its own: what they share are the graph and the kernel.
#[test]
fn many_threads_have_queues() {
    let world = world();
    let program = world.built(SOURCE);
    let [context, device, program] = [world.context, world.device, program].map(|handle| handle.expose_provenance());
    let run = move |n: i32| {
        let [context, device, program] = [context, device, program].map(std::ptr::with_exposed_provenance_mut);
        let own = queue(context, device, LOCAL);
        let mut err = -1;
        // SAFETY: live handles, valid pointers.
        unsafe {
            let kernel = clCreateKernel(program, c"add".as_ptr(), &raw mut err);
            let buffer = clCreateBuffer(context, 0, 4096, null_mut(), &raw mut err);
            let (zero, mut got) = (0i32, [0i32; 1024]);
            let pattern = (&raw const zero).cast();
            assert_eq!(clEnqueueFillBuffer(own, buffer, pattern, 4, 0, 4096, 0, null(), null_mut()), 0);
            set_arg(kernel, 0, buffer);
            set_arg(kernel, 1, n);
            (0..500).for_each(|_| assert_eq!(launch(own, kernel, 1024, 64), 0));
            assert_eq!(clEnqueueReadBuffer(own, buffer, 0, 0, 4096, got.as_mut_ptr().cast(), 0, null(), null_mut()), 0);
            assert_eq!(got, [500 * n; 1024]);
            assert_eq!((clReleaseKernel(kernel), clReleaseMemObject(buffer), clReleaseCommandQueue(own)), (0, 0, 0));
        }
    };
    let threads: Vec<_> = (1..9).map(|n| thread::spawn(move || run(n))).collect();
    threads.into_iter().for_each(|thread| thread.join().expect("no panic"));
    // SAFETY: a live handle.
    assert_eq!(unsafe { clReleaseProgram(std::ptr::with_exposed_provenance_mut(program)) }, 0);
}

#[test]
fn bad_input() {
    let world = world();
    let program = world.built(SOURCE);
    let large = world.kernel(program, "large");
    let (own, buffer, zero) = (queue(world.context, world.device, LOCAL), world.buffer(64), 0i32);
    let create = |bits: u64| {
        let properties = [u64::from(cl::CL_QUEUE_PROPERTIES), bits, 0];
        // SAFETY: live handles, a terminated list.
        code_of(|err| unsafe {
            clCreateCommandQueueWithProperties(world.context, world.device, properties.as_ptr(), err)
        })
    };
    let on_device = cl::CL_QUEUE_ON_DEVICE | cl::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    // SAFETY: live handles, valid pointers.
    unsafe {
        check(&[
            ("on the device", cl::CL_INVALID_QUEUE_PROPERTIES, &|| create(LOCAL | on_device)),
            ("unknown bit", cl::CL_INVALID_VALUE, &|| create(LOCAL | 1 << 30)),
            ("a command-buffer", cl::CL_INCOMPATIBLE_COMMAND_QUEUE_KHR, &|| {
                code_of(|err| clCreateCommandBufferKHR(1, &raw const own, null(), err))
            }),
        ]);
        let mut err = -1;
        let commands = clCreateCommandBufferKHR(1, &raw const world.queue, null(), &raw mut err);
        assert_eq!((err, clFinalizeCommandBufferKHR(commands)), (0, 0));
        let mut queues = own;
        let enqueue = |queues| clEnqueueCommandBufferKHR(1, queues, commands, 0, null(), null_mut());
        assert_eq!(enqueue(&raw mut queues), cl::CL_INCOMPATIBLE_COMMAND_QUEUE_KHR);
        assert_eq!(clReleaseCommandBufferKHR(commands), 0);
        // "A host thread which fails to immediately invoke an enqueue API call because of out of stack memory".
        let pattern = (&raw const zero).cast();
        assert_eq!(clEnqueueFillBuffer(own, buffer, pattern, 4, 0, 64, 0, null(), null_mut()), 0);
        set_arg(large, 0, buffer);
        set_arg(large, 1, 1i32);
        let [queue, kernel] = [own, large].map(|handle| handle.expose_provenance());
        let on = |bytes| {
            let run = move || {
                let [queue, kernel] = [queue, kernel].map(std::ptr::with_exposed_provenance_mut);
                launch(queue, kernel, 1, 1)
            };
            thread::Builder::new().stack_size(bytes).spawn(run).expect("a thread").join().expect("no panic")
        };
        assert_eq!((on(160 << 10), on(8 << 20)), (cl::CL_OUT_OF_HOST_MEMORY, 0));
        assert_eq!((clReleaseCommandQueue(own), clReleaseMemObject(buffer)), (0, 0));
        assert_eq!((clReleaseKernel(large), clReleaseProgram(program)), (0, 0));
    }
}
