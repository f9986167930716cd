//! Launches whose groups run at the same time and wait for each other. Spec: cl_intel_concurrent_dispatch.

#![allow(unsafe_code, reason = "calls the C API")]

mod common;
#[path = "common/spirv.rs"]
#[allow(dead_code, reason = "the module there is another")]
mod spirv;

use common::*;
use spirv::{op, text};
use std::sync::Once;

const UNITS: usize = 4;
const TYPE: u32 = cl::CL_KERNEL_EXEC_INFO_DISPATCH_TYPE_INTEL;

/// A world whose device has four compute units on any machine.
fn world() -> World {
    static ONCE: Once = Once::new();
    // SAFETY: each test begins here, so that nothing reads the environment yet.
    ONCE.call_once(|| unsafe { std::env::set_var("CLIFT_THREADS", UNITS.to_string()) });
    World::new()
}

fn set_type(kernel: cl::cl_kernel, ty: u32) -> cl::cl_int {
    // SAFETY: a live handle, a number.
    unsafe { clSetKernelExecInfo(kernel, TYPE, 4, (&raw const ty).cast()) }
}

fn most_groups(queue: cl::cl_command_queue, kernel: cl::cl_kernel, local: usize) -> usize {
    let mut n = 0;
    // SAFETY: live handles, valid pointers.
    let err = unsafe { get_max_concurrent_work_group_count(queue, kernel, 1, null(), &raw const local, &raw mut n) };
    assert_eq!(err, 0);
    n
}

fn set_arg<T>(kernel: cl::cl_kernel, n: u32, value: T) {
    // SAFETY: the kernel lives, the value is of the argument's type.
    assert_eq!(unsafe { clSetKernelArg(kernel, n, size_of::<T>(), (&raw const value).cast()) }, 0);
}

fn launch(queue: cl::cl_command_queue, kernel: cl::cl_kernel, global: usize, local: usize) -> cl::cl_int {
    let (global, local) = (&raw const global, &raw const local);
    // SAFETY: live handles.
    unsafe { clEnqueueNDRangeKernel(queue, kernel, 1, null(), global, local, 0, null(), null_mut()) }
}

fn fill(world: &World, buffer: cl::cl_mem, values: &[i32]) {
    let (size, from) = (size_of_val(values), values.as_ptr().cast());
    // SAFETY: live handles, valid pointers.
    assert_eq!(unsafe { clEnqueueWriteBuffer(world.queue, buffer, 1, 0, size, from, 0, null(), null_mut()) }, 0);
}

fn read(world: &World, buffer: cl::cl_mem, n: usize) -> Vec<i32> {
    let mut values = vec![0; n];
    let to = values.as_mut_ptr().cast();
    // SAFETY: live handles, valid pointers.
    assert_eq!(unsafe { clEnqueueReadBuffer(world.queue, buffer, 1, 0, 4 * n, to, 0, null(), null_mut()) }, 0);
    values
}

/// All steps of a walk of heat through a rod in one launch: each needs what the other groups did in the one before.
const HEAT: &str = "
    kernel void heat(global int *from, global int *to, int n, int steps) {
        for (int step = 0; step < steps; step++) {
            for (int i = get_global_id(0); i < n; i += get_global_size(0)) {
                int left = i > 0 ? from[i - 1] : 0, right = i + 1 < n ? from[i + 1] : 0;
                to[i] = (left + 2 * from[i] + right) / 4;
            }
            global int *other = from;
            from = to;
            to = other;
            intel_device_barrier(CLK_GLOBAL_MEM_FENCE);
        }
    }
    kernel void valid(global int *out) { out[get_global_id(0)] = intel_is_device_barrier_valid() ? 7 : 3; }
    // Groups that are through sooner are not waited for.
    kernel void some(global int *sums, int rounds) {
        int own = rounds * (get_group_id(0) + 1);
        for (int i = 0; i < own; i++) {
            atomic_inc(&sums[i]);
            intel_device_barrier(CLK_GLOBAL_MEM_FENCE);
            if (sums[i] != (get_num_groups(0) - i / rounds) * get_local_size(0))
                sums[63] = -1;
        }
    }
    // A barrier of the program's own.
    kernel void turns(volatile global int *at) {
        if (get_local_id(0) == 0) {
            while (at[0] != get_group_id(0)) {}
            at[0] = at[0] + 1;
        }
    }";

fn heat(start: &[i32], steps: usize) -> Vec<i32> {
    let mut now = start.to_vec();
    for _ in 0..steps {
        let at = |i: usize| now.get(i).copied().unwrap_or(0);
        now = (0..now.len()).map(|i| (at(i.wrapping_sub(1)) + 2 * at(i) + at(i + 1)) / 4).collect();
    }
    now
}

#[test]
fn steps_need_all_groups() {
    let world = world();
    let program = world.built(HEAT);
    let kernel = world.kernel(program, "heat");
    let buffer = set_args(&world, kernel, 5);
    assert_eq!((most_groups(world.queue, kernel, 64), set_type(kernel, 1)), (UNITS, 0));
    for (n, steps, groups, local) in [(1000, 100, 4, 64), (5000, 31, 3, 16), (77, 200, 1, 32), (4096, 50, 2, 1)] {
        let start: Vec<i32> = (0..n).map(|i| (i * 7919) % 100_003).collect();
        let [from, to] = [(); 2].map(|()| world.buffer(4 * n as usize));
        fill(&world, from, &start);
        set_arg(kernel, 0, from);
        set_arg(kernel, 1, to);
        set_arg(kernel, 2, n);
        set_arg(kernel, 3, steps);
        assert_eq!(launch(world.queue, kernel, groups * local, local), 0);
        let result = if steps % 2 == 0 { from } else { to };
        assert!(read(&world, result, n as usize) == heat(&start, steps as usize), "{n} {steps} {groups} {local}");
        // SAFETY: live handles.
        [from, to].into_iter().for_each(|buffer| assert_eq!(unsafe { clReleaseMemObject(buffer) }, 0));
    }
    // SAFETY: live handles.
    unsafe {
        assert_eq!((clReleaseKernel(kernel), clReleaseProgram(program), clReleaseMemObject(buffer)), (0, 0, 0));
    }
}

/// Sets all arguments of `heat` to something, both buffers to the one that is returned.
fn set_args(world: &World, kernel: cl::cl_kernel, n: i32) -> cl::cl_mem {
    let buffer = world.buffer(64);
    [0, 1].into_iter().for_each(|at| set_arg(kernel, at, buffer));
    [2, 3].into_iter().for_each(|at| set_arg(kernel, at, n));
    buffer
}

#[test]
fn groups_end_when_they_like_and_many_launches_run_at_once() {
    let world = world();
    let program = world.built(HEAT);
    let [some, valid, turns] = ["some", "valid", "turns"].map(|name| world.kernel(program, name));
    let [sums, out, at] = [(); 3].map(|()| world.buffer(256));
    set_arg(some, 0, sums);
    set_arg(some, 1, 15i32);
    set_arg(valid, 0, out);
    set_arg(turns, 0, at);
    // The default, once more, and back: whether the barrier may be called, and by how many groups.
    for (ty, groups, value) in [(None, 9, 3), (Some(1), 4, 7), (Some(0), 9, 3), (Some(1), 2, 7)] {
        ty.iter().for_each(|&ty| assert_eq!(set_type(valid, ty), 0));
        // SAFETY: a live handle.
        let copy = unsafe { clCloneKernel(valid, null_mut()) };
        assert_eq!(launch(world.queue, copy, 4 * groups, 4), 0);
        assert!(read(&world, out, 4 * groups).iter().all(|&got| got == value));
        // SAFETY: a live handle.
        assert_eq!(unsafe { clReleaseKernel(copy) }, 0);
    }
    [some, turns].into_iter().for_each(|kernel| assert_eq!(set_type(kernel, 1), 0));
    for _ in 0..20 {
        fill(&world, sums, &[0; 64]);
        assert_eq!(launch(world.queue, some, 32, 8), 0);
        let want = |i: usize| if i < 60 { 8 * (4 - i / 15) as i32 } else { 0 };
        assert!(read(&world, sums, 64).into_iter().eq((0..64).map(want)));
        fill(&world, at, &[0; 1]);
        assert_eq!(launch(world.queue, turns, 8, 2), 0);
        assert_eq!(read(&world, at, 1), [4]);
    }
    // On many queues, all of whose launches want all units.
    let queues: Vec<_> = (0..4)
        .map(|_| {
            let mut err = -1;
            // SAFETY: live handles.
            let queue = unsafe { clCreateCommandQueue(world.context, world.device, 0, &raw mut err) };
            let buffer = world.buffer(256);
            fill(&world, buffer, &[0; 64]);
            (queue, buffer)
        })
        .collect();
    for &(queue, buffer) in &queues {
        set_arg(some, 0, buffer);
        // SAFETY: a live handle.
        assert_eq!((launch(queue, some, 32, 8), unsafe { clFlush(queue) }), (0, 0));
    }
    for (queue, buffer) in queues {
        // SAFETY: live handles.
        unsafe {
            assert_eq!(clFinish(queue), 0);
            assert_eq!(read(&world, buffer, 64)[59..], [8, 0, 0, 0, 0]);
            assert_eq!((clReleaseMemObject(buffer), clReleaseCommandQueue(queue)), (0, 0));
        }
    }
    // SAFETY: live handles.
    unsafe {
        [some, valid, turns].into_iter().for_each(|kernel| assert_eq!(clReleaseKernel(kernel), 0));
        [sums, out, at].into_iter().for_each(|buffer| assert_eq!(clReleaseMemObject(buffer), 0));
        assert_eq!(clReleaseProgram(program), 0);
    }
}

#[test]
fn bad_input() {
    let world = world();
    let program = world.built(HEAT);
    let [kernel, bare] = ["heat", "heat"].map(|name| world.kernel(program, name));
    let buffer = set_args(&world, kernel, 1);
    let (mut n, local, large, mut err) = (0, 16usize, 1usize << 20, -1);
    let (n, local, large) = (&raw mut n, &raw const local, &raw const large);
    // SAFETY: live handles or null, valid pointers.
    unsafe {
        let properties = cl::CL_QUEUE_THREAD_LOCAL_EXEC_ENABLE_INTEL;
        let alone = clCreateCommandQueue(world.context, world.device, properties, &raw mut err);
        let count =
            |queue, kernel, dims, local, n| get_max_concurrent_work_group_count(queue, kernel, dims, null(), local, n);
        let other = World::new();
        let set = |size, value: *const u32| clSetKernelExecInfo(kernel, TYPE, size, value.cast());
        check(&[
            ("no queue", cl::CL_INVALID_COMMAND_QUEUE, &|| count(null_mut(), kernel, 1, local, n)),
            ("no kernel", cl::CL_INVALID_KERNEL, &|| count(world.queue, null_mut(), 1, local, n)),
            ("another context", cl::CL_INVALID_CONTEXT, &|| count(other.queue, kernel, 1, local, n)),
            ("dimensions", cl::CL_INVALID_WORK_DIMENSION, &|| count(world.queue, kernel, 4, local, n)),
            ("no local size", cl::CL_INVALID_WORK_GROUP_SIZE, &|| count(world.queue, kernel, 1, null(), n)),
            ("too large a local size", cl::CL_INVALID_WORK_ITEM_SIZE, &|| count(world.queue, kernel, 1, large, n)),
            ("no arguments", cl::CL_INVALID_KERNEL_ARGS, &|| count(world.queue, bare, 1, local, n)),
            ("no place", cl::CL_INVALID_VALUE, &|| count(world.queue, kernel, 1, local, null_mut())),
            ("size of the type", cl::CL_INVALID_VALUE, &|| set(8, &1)),
            ("no type", cl::CL_INVALID_VALUE, &|| set(4, null())),
            ("unknown type", cl::CL_INVALID_VALUE, &|| set(4, &2)),
        ]);
        assert_eq!((most_groups(alone, kernel, 16), set(4, &1)), (1, 0));
        check(&[
            ("too many groups", cl::CL_INVALID_VALUE, &|| launch(world.queue, kernel, 5 * 16, 16)),
            ("two groups on one thread", cl::CL_INVALID_VALUE, &|| launch(alone, kernel, 2 * 16, 16)),
            ("one group on one thread", 0, &|| launch(alone, kernel, 16, 16)),
            ("not uniform", cl::CL_INVALID_WORK_GROUP_SIZE, &|| launch(world.queue, kernel, 40, 16)),
            ("no local size", cl::CL_INVALID_WORK_GROUP_SIZE, &|| {
                clEnqueueNDRangeKernel(world.queue, kernel, 1, null(), local, null(), 0, null(), null_mut())
            }),
            ("what fits", 0, &|| launch(world.queue, kernel, 64, 16)),
        ]);
        assert_eq!((clFinish(world.queue), clReleaseCommandQueue(alone)), (0, 0));
        [kernel, bare].into_iter().for_each(|kernel| assert_eq!(clReleaseKernel(kernel), 0));
        assert_eq!((clReleaseProgram(program), clReleaseMemObject(buffer)), (0, 0));
    }
}

/// `kernel void k(global int *out)`: each work-item adds one to `out[4]`, and after a barrier of the device stores that
/// at its place, or 9 where such a barrier is not valid.
fn module() -> Vec<u8> {
    let [void, int, bool, pointer, of_kernel, filled] = [1, 2, 3, 4, 5, 6];
    let [zero, one, four, nine, device, order, valid] = [10, 11, 12, 13, 14, 15, 16];
    let [long, three, ids] = [7, 8, 9];
    let (kernel, id) = (30, 17);
    let mut words = vec![0x0723_0203, 0x0001_0200, 0, 80, 0];
    let mut add = |code, operands: &[u32]| words.extend(op(code, operands));
    // Addresses, Kernel, Int64, DeviceBarrierINTEL
    [4, 6, 11, 6185].iter().for_each(|&capability| add(17, &[capability]));
    add(10, &text("SPV_INTEL_device_barrier"));
    add(14, &[2, 2]);
    add(15, &[&[6, kernel][..], &text("k"), &[valid, id]].concat());
    // BuiltIn: DeviceBarrierValidINTEL, GlobalInvocationId
    add(71, &[valid, 11, 6186]);
    add(71, &[id, 11, 28]);
    add(19, &[void]);
    add(21, &[int, 32, 0]);
    add(21, &[long, 64, 0]);
    add(20, &[bool]);
    add(23, &[three, long, 3]);
    add(32, &[pointer, 5, int]);
    add(32, &[filled, 1, bool]);
    add(32, &[ids, 1, three]);
    add(33, &[of_kernel, void, pointer]);
    // Scope Device is 1; acquire and release of global memory.
    for (constant, value) in [(zero, 0), (one, 1), (four, 4), (nine, 9), (device, 1), (order, 0x208)] {
        add(43, &[int, constant, value]);
    }
    add(59, &[filled, valid, 1]);
    add(59, &[ids, id, 1]);
    add(54, &[void, kernel, 0, of_kernel]);
    add(55, &[pointer, 31]);
    add(248, &[32]);
    add(61, &[three, 33, id]);
    add(81, &[long, 34, 33, 0]);
    add(67, &[pointer, 35, 31, 34]);
    add(62, &[35, nine]);
    add(67, &[pointer, 36, 31, four]);
    add(234, &[int, 37, 36, device, zero, one]);
    add(61, &[bool, 38, valid]);
    add(247, &[40, 0]);
    add(250, &[38, 39, 40]);
    add(248, &[39]);
    add(224, &[device, device, order]);
    add(61, &[int, 41, 36]);
    add(62, &[35, 41]);
    add(249, &[40]);
    add(248, &[40]);
    add(253, &[]);
    add(56, &[]);
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

#[test]
fn modules_have_barriers_of_the_device() {
    let world = world();
    let (il, mut err) = (module(), 1);
    // SAFETY: all pointers are null or valid.
    unsafe {
        let program = clCreateProgramWithIL(world.context, il.as_ptr().cast(), il.len(), &raw mut err);
        let built = clBuildProgram(program, 0, null(), null(), None, null_mut());
        assert_eq!((err, built), (0, 0), "{}", world.log(program));
        let (kernel, buffer) = (world.kernel(program, "k"), world.buffer(20));
        set_arg(kernel, 0, buffer);
        for (ty, want) in [(0, 9), (1, 4)] {
            fill(&world, buffer, &[0; 5]);
            assert_eq!((set_type(kernel, ty), launch(world.queue, kernel, 4, 1)), (0, 0));
            assert_eq!(read(&world, buffer, 5), [want, want, want, want, 4]);
        }
        assert_eq!((clReleaseKernel(kernel), clReleaseProgram(program), clReleaseMemObject(buffer)), (0, 0, 0));
    }
}

/// A function that a queue for the calling thread calls waits for another queue, whose groups need other threads.
#[test]
fn others_commands_get_help() {
    const MEET: &str = "kernel void meet(global atomic_int *n) {
        atomic_fetch_add(n, 1);
        intel_device_barrier(CLK_GLOBAL_MEM_FENCE);
        if (atomic_load(n) != 4)
            atomic_store(n, 100);
    }";
    unsafe extern "C" fn launch_and_finish(handles: *mut c_void) {
        // SAFETY: two live handles.
        unsafe {
            let [queue, kernel] = handles.cast::<[*mut c_void; 2]>().read_unaligned();
            assert_eq!((launch(queue, kernel, 4, 1), clFinish(queue)), (0, 0));
        }
    }
    let world = world();
    let program = world.program(MEET);
    // SAFETY: a live handle, a string.
    assert_eq!(unsafe { clBuildProgram(program, 0, null(), c"-cl-std=CL3.0".as_ptr(), None, null_mut()) }, 0);
    let kernel = world.kernel(program, "meet");
    let (mut err, buffer) = (-1, world.buffer(4));
    let bits = cl::CL_QUEUE_THREAD_LOCAL_EXEC_ENABLE_INTEL;
    // SAFETY: live handles.
    let own = unsafe { clCreateCommandQueue(world.context, world.device, bits, &raw mut err) };
    assert_eq!((err, set_type(kernel, cl::CL_KERNEL_EXEC_INFO_DISPATCH_TYPE_CONCURRENT_INTEL)), (0, 0));
    // SAFETY: live handles, valid pointers.
    unsafe {
        set_arg(kernel, 0, buffer);
        let (zero, mut n) = (0i32, -1i32);
        let pattern = (&raw const zero).cast();
        assert_eq!(clEnqueueFillBuffer(own, buffer, pattern, 4, 0, 4, 0, null(), null_mut()), 0);
        let mut handles = [world.queue, kernel];
        let (function, args) = (Some(launch_and_finish as _), handles.as_mut_ptr().cast());
        let err = clEnqueueNativeKernel(own, function, args, 16, 0, null(), null(), 0, null(), null_mut());
        assert_eq!(err, 0);
        assert_eq!(clEnqueueReadBuffer(own, buffer, 0, 0, 4, (&raw mut n).cast(), 0, null(), null_mut()), 0);
        assert_eq!(n, 4);
        assert_eq!((clReleaseCommandQueue(own), clReleaseMemObject(buffer)), (0, 0));
        assert_eq!((clReleaseKernel(kernel), clReleaseProgram(program)), (0, 0));
    }
}
