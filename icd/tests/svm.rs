//! Shared virtual memory does what it is for: host and kernels follow the same pointers, in allocations and in any
//! other memory, in turns and at the same time.

#![allow(unsafe_code, reason = "calls the C API")]

mod common;

use common::*;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed, Ordering::SeqCst};

const SOURCE: &str = "
struct node { global struct node *next; int value; };
kernel void sum(global struct node *list, global int *total) {
    int n = 0;
    for (global struct node *p = list; p; p = p->next) { n += p->value; p->value = -p->value; }
    *total = n;
}
kernel void shift(global int *to, global int *from) { size_t i = get_global_id(0); to[i] = from[i] + 1; }
kernel void alias(global int *a, global int *b, global uchar *c, global int *out) {
    *a = 1; *b = 2; out[0] = *a; *c = 3; out[1] = *b; int *d = b; *a = 4; out[2] = *d; *d = 5; out[3] = *a;
}
kernel void bytes(global uchar *a, uchar v) { a[2 * get_global_id(0)] = v; }
kernel void look(constant int *table, global int *to) { to[get_global_id(0)] = table[get_global_id(0)]; }
kernel void talk(volatile global atomic_uint *a, global int *data) {
    *data = 42;
    atomic_store_explicit(a, 1, memory_order_release, memory_scope_all_svm_devices);
    while (atomic_load_explicit(a, memory_order_acquire, memory_scope_all_svm_devices) != 2) {}
    *data += 1;
}
";

#[repr(C)]
struct Node {
    next: *mut Node,
    value: i32,
}

/// A program of OpenCL C 3.0.
fn built(world: &World) -> cl::cl_program {
    let program = world.program(SOURCE);
    // SAFETY: pointers are valid.
    let status = unsafe { clBuildProgram(program, 0, null(), c"-cl-std=CL3.0".as_ptr(), None, null_mut()) };
    assert_eq!(status, 0, "{}", world.log(program));
    program
}

/// `n` elements.
fn alloc<T>(world: &World, flags: cl::cl_svm_mem_flags, n: usize) -> *mut T {
    // SAFETY: the context is live.
    let memory = unsafe { clSVMAlloc(world.context, flags, n * size_of::<T>(), 0) };
    assert!(!memory.is_null() && memory.addr().is_multiple_of(128));
    memory.cast()
}

/// Runs a kernel on pointers.
fn run(world: &World, kernel: cl::cl_kernel, pointers: &[*const c_void], n: usize) {
    // SAFETY: pointers are valid.
    unsafe {
        for (index, &pointer) in (0..).zip(pointers) {
            assert_eq!(clSetKernelArgSVMPointer(kernel, index, pointer), 0);
        }
        let (queue, global) = (world.queue, &raw const n);
        assert_eq!(clEnqueueNDRangeKernel(queue, kernel, 1, null(), global, null(), 0, null(), null_mut()), 0);
        assert_eq!(clFinish(queue), 0);
    }
}

#[test]
fn the_device_shares_everything() {
    let world = World::new();
    let mut caps = 0u64;
    let name = cl::CL_DEVICE_SVM_CAPABILITIES;
    // SAFETY: pointers are valid.
    assert_eq!(unsafe { clGetDeviceInfo(world.device, name, 8, (&raw mut caps).cast(), null_mut()) }, 0);
    let all = cl::CL_DEVICE_SVM_COARSE_GRAIN_BUFFER
        | cl::CL_DEVICE_SVM_FINE_GRAIN_BUFFER
        | cl::CL_DEVICE_SVM_FINE_GRAIN_SYSTEM
        | cl::CL_DEVICE_SVM_ATOMICS;
    assert_eq!(caps, all);
}

#[test]
fn kernels_follow_pointers_through_allocations_and_host_memory() {
    let world = World::new();
    let program = built(&world);
    let kernel = world.kernel(program, "sum");
    let nodes = alloc::<Node>(&world, 0, 10);
    let total = alloc::<i32>(&world, cl::CL_MEM_SVM_FINE_GRAIN_BUFFER, 1);
    let mut outside: Vec<Node> = (0..10).map(|i| Node { next: null_mut(), value: 100 * i }).collect();
    // SAFETY: both lists have ten nodes.
    unsafe {
        for i in 0..10 {
            let there = outside.as_mut_ptr().add(i);
            nodes.add(i).write(Node { next: there, value: i as i32 });
            (*there).next = if i < 9 { nodes.add(i + 1) } else { null_mut() };
        }
        run(&world, kernel, &[nodes.cast(), total.cast()], 1);
        assert_eq!(*total, 45 + 4500);
        assert!((0..10).all(|i| (*nodes.add(i)).value == -(i as i32) && outside[i].value == -100 * i as i32));
        for memory in [nodes.cast(), total.cast()] {
            clSVMFree(world.context, memory);
        }
        assert_eq!(clReleaseKernel(kernel), 0);
        assert_eq!(clReleaseProgram(program), 0);
    }
}

#[test]
fn arguments_may_overlap_and_lie_inside_of_allocations() {
    let world = World::new();
    let program = built(&world);
    let [shift, bytes, look, alias] = ["shift", "bytes", "look", "alias"].map(|name| world.kernel(program, name));
    const N: usize = 1000;
    let memory = alloc::<i32>(&world, 0, N + 1);
    // SAFETY: indices are below the sizes.
    unsafe {
        (0..=N).for_each(|i| *memory.add(i) = i as i32);
        run(&world, shift, &[memory.cast(), memory.cast()], N);
        assert!((0..N).all(|i| *memory.add(i) == i as i32 + 1));
        let (same, mut out) = (memory.cast_const().cast(), [0i32; 4]);
        run(&world, alias, &[same, same, same, out.as_mut_ptr().cast()], 1);
        assert_eq!(out, [2, 3, 4, 5], "one address in three arguments");
        // The kernel owns even bytes, the rest must stay.
        let mut mixed = vec![0xAAu8; 2 * N];
        let v = 0x55u8;
        assert_eq!(clSetKernelArg(bytes, 1, 1, (&raw const v).cast()), 0);
        run(&world, bytes, &[mixed.as_mut_ptr().cast()], N);
        assert!(mixed.chunks(2).all(|pair| *pair == [0x55, 0xAA]));
        let mut copy = vec![0i32; N - 3];
        run(&world, look, &[memory.add(3).cast(), copy.as_mut_ptr().cast()], N - 3);
        assert!((0..N - 3).all(|i| copy[i] == *memory.add(i + 3)));
        clSVMFree(world.context, memory.cast());
        for kernel in [shift, bytes, look, alias] {
            assert_eq!(clReleaseKernel(kernel), 0);
        }
        assert_eq!(clReleaseProgram(program), 0);
    }
}

#[test]
fn host_and_kernel_talk_while_the_kernel_runs() {
    let world = World::new();
    let program = built(&world);
    let kernel = world.kernel(program, "talk");
    let flags = cl::CL_MEM_SVM_FINE_GRAIN_BUFFER | cl::CL_MEM_SVM_ATOMICS;
    let (flag, data) = (alloc::<u32>(&world, flags, 1), alloc::<i32>(&world, flags, 1));
    // SAFETY: pointers are valid; the flag orders accesses to the data.
    unsafe {
        for (index, pointer) in [(0, flag.cast::<c_void>()), (1, data.cast())] {
            assert_eq!(clSetKernelArgSVMPointer(kernel, index, pointer), 0);
        }
        let one = 1usize;
        let (queue, mut done) = (world.queue, null_mut());
        let status = clEnqueueNDRangeKernel(queue, kernel, 1, null(), &raw const one, null(), 0, null(), &raw mut done);
        assert_eq!(status, 0);
        assert_eq!(clFlush(queue), 0);
        let shared = AtomicU32::from_ptr(flag);
        while shared.load(SeqCst) != 1 {
            std::thread::yield_now();
        }
        assert_eq!(*data, 42);
        *data = 99;
        shared.store(2, SeqCst);
        assert_eq!(clWaitForEvents(1, &raw const done), 0);
        assert_eq!(*data, 100);
        assert_eq!(clReleaseEvent(done), 0);
        for memory in [flag.cast(), data.cast()] {
            clSVMFree(world.context, memory);
        }
        assert_eq!(clReleaseKernel(kernel), 0);
        assert_eq!(clReleaseProgram(program), 0);
    }
}

/// The command type of an event, which it releases.
fn kind_of(event: cl::cl_event) -> u32 {
    let mut kind = 0u32;
    // SAFETY: pointers are valid.
    unsafe {
        let to = (&raw mut kind).cast();
        assert_eq!(clGetEventInfo(event, cl::CL_EVENT_COMMAND_TYPE, 4, to, null_mut()), 0);
        assert_eq!(clReleaseEvent(event), 0);
    }
    kind
}

#[test]
fn copies_fills_and_maps() {
    let world = World::new();
    // Large enough for several threads.
    const N: usize = 3 << 20;
    let (a, b) = (alloc::<u32>(&world, 0, N), alloc::<u32>(&world, 0, N));
    let host: Vec<u32> = (0..N as u32).collect();
    let mut events: [cl::cl_event; 5] = [null_mut(); 5];
    let places = events.as_mut_ptr();
    let event = |i: usize| places.wrapping_add(i);
    // SAFETY: all memory has `N` words.
    unsafe {
        let (queue, words) = (world.queue, [7u32, 8]);
        let pattern = words.as_ptr().cast();
        assert_eq!(clEnqueueSVMMemFill(queue, a.cast(), pattern, 8, 4 * N, 0, null(), event(0)), 0);
        let status = clEnqueueSVMMemcpy(queue, 0, b.cast(), host.as_ptr().cast(), 4 * N, 0, null(), event(1));
        assert_eq!(status, 0);
        let middle = a.add(N / 2).cast();
        assert_eq!(clEnqueueSVMMemcpy(queue, 0, middle, b.cast(), 2 * N, 0, null(), null_mut()), 0);
        assert_eq!(clEnqueueSVMMap(queue, 1, cl::CL_MAP_READ, a.cast(), 4 * N, 0, null(), event(2)), 0);
        for i in 0..N {
            let want = if i < N / 2 { words[i % 2] } else { (i - N / 2) as u32 };
            assert_eq!(*a.add(i), want, "{i}");
        }
        assert_eq!(clEnqueueSVMUnmap(queue, a.cast(), 0, null(), event(3)), 0);
        let (list, flags) = ([a.cast_const().cast::<c_void>()], 0);
        let status = clEnqueueSVMMigrateMem(queue, 1, list.as_ptr(), null(), flags, 0, null(), event(4));
        assert_eq!(status, 0);
        assert_eq!(clFinish(queue), 0);
        let kinds = places.cast::<[cl::cl_event; 5]>().read().map(kind_of);
        assert_eq!(
            kinds,
            [
                cl::CL_COMMAND_SVM_MEMFILL,
                cl::CL_COMMAND_SVM_MEMCPY,
                cl::CL_COMMAND_SVM_MAP,
                cl::CL_COMMAND_SVM_UNMAP,
                cl::CL_COMMAND_SVM_MIGRATE_MEM
            ]
        );
        for memory in [a, b] {
            clSVMFree(world.context, memory.cast());
        }
    }
}

static FREED: AtomicU32 = AtomicU32::new(0);

unsafe extern "C" fn free_all(queue: cl::cl_command_queue, n: cl::cl_uint, list: *mut *mut c_void, user: *mut c_void) {
    let mut context: cl::cl_context = null_mut();
    // SAFETY: the test's own arguments come back.
    unsafe {
        assert_eq!(clGetCommandQueueInfo(queue, cl::CL_QUEUE_CONTEXT, 8, (&raw mut context).cast(), null_mut()), 0);
        for i in 0..n as usize {
            clSVMFree(context, *list.add(i));
        }
        (*user.cast::<AtomicU32>()).fetch_add(n, Relaxed);
    }
}

#[test]
fn frees_wait_for_their_turn() {
    let world = World::new();
    let gate = world.user_event();
    let mut mine = [alloc::<u8>(&world, 0, 64).cast::<c_void>(), alloc::<u8>(&world, 0, 1 << 20).cast()];
    let mut theirs = [alloc::<u8>(&world, 0, 64).cast::<c_void>()];
    let all = [mine[0].cast_const(), mine[1].cast_const(), theirs[0].cast_const()];
    // An address lies in an allocation as long as it can be migrated.
    let lives = |at: &*const c_void| {
        // SAFETY: pointers are valid.
        unsafe { clEnqueueSVMMigrateMem(world.queue, 1, at, null(), 0, 0, null(), null_mut()) == 0 }
    };
    // SAFETY: pointers are valid.
    unsafe {
        let (queue, user) = (world.queue, (&raw const FREED).cast_mut().cast());
        let mut event = null_mut();
        let list = mine.as_mut_ptr();
        assert_eq!(clEnqueueSVMFree(queue, 2, list, Some(free_all), user, 1, &raw const gate, null_mut()), 0);
        let list = theirs.as_mut_ptr();
        assert_eq!(clEnqueueSVMFree(queue, 1, list, None, null_mut(), 0, null(), &raw mut event), 0);
        // The lists are copied.
        mine = [null_mut(); 2];
        theirs = [null_mut()];
        assert!(mine.iter().chain(&theirs).all(|p| p.is_null()));
        assert!(all.iter().all(lives));
        assert_eq!(FREED.load(Relaxed), 0);
        assert_eq!(clSetUserEventStatus(gate, 0), 0);
        assert_eq!(clFinish(queue), 0);
        assert_eq!(FREED.load(Relaxed), 2);
        assert!(!all.iter().any(lives));
        assert_eq!(kind_of(event), cl::CL_COMMAND_SVM_FREE);
        assert_eq!(clReleaseEvent(gate), 0);
    }
}

#[test]
fn buffers_on_shared_memory() {
    let world = World::new();
    let uses = |mem: cl::cl_mem| {
        let mut flag: cl::cl_bool = 7;
        let to = (&raw mut flag).cast();
        // SAFETY: pointers are valid.
        assert_eq!(unsafe { clGetMemObjectInfo(mem, cl::CL_MEM_USES_SVM_POINTER, 4, to, null_mut()) }, 0);
        flag
    };
    let memory = alloc::<u32>(&world, 0, 256);
    let mut host = vec![0u32; 256];
    let mut err = -1;
    let part = cl::cl_buffer_region { origin: 512, size: 512 };
    // SAFETY: all memory has 256 words.
    unsafe {
        let mut create = |flags, at: *mut u32| {
            let buffer = clCreateBuffer(world.context, flags, 1024, at.cast(), &raw mut err);
            assert_eq!(err, 0);
            buffer
        };
        let shared = create(cl::CL_MEM_USE_HOST_PTR, memory);
        let copied = create(cl::CL_MEM_COPY_HOST_PTR, memory);
        let plain = create(cl::CL_MEM_USE_HOST_PTR, host.as_mut_ptr());
        let region = (&raw const part).cast();
        let sub = clCreateSubBuffer(shared, 0, cl::CL_BUFFER_CREATE_TYPE_REGION, region, &raw mut err);
        assert_eq!(err, 0);
        assert_eq!([shared, copied, plain, sub].map(uses), [1, 0, 0, 1]);
        let word = 5u32;
        let pattern = (&raw const word).cast();
        assert_eq!(clEnqueueFillBuffer(world.queue, sub, pattern, 4, 0, 512, 0, null(), null_mut()), 0);
        assert_eq!(clFinish(world.queue), 0);
        assert!((0..256).all(|i| *memory.add(i) == if i < 128 { 0 } else { 5 }));
        for mem in [sub, shared, copied, plain] {
            assert_eq!(clReleaseMemObject(mem), 0);
        }
        clSVMFree(world.context, memory.cast());
    }
}
