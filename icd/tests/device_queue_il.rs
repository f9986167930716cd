//! Device-side enqueue in a module of SPIR-V, put together by hand: a block with what it captured and a local argument,
//! which waits for a user event and for a marker; and modules whose blocks are none.

#![allow(unsafe_code, reason = "calls the C API")]

mod common;
#[path = "common/spirv.rs"]
#[allow(dead_code, reason = "the module there is another")]
mod spirv;

use common::*;
use spirv::{op, text};

/// `kernel void k(queue_t q, global int *out)` enqueues a block twice that adds 100 to `out[0]` by way of local memory:
/// once a user event is set, and behind a marker. Then `out[1]` has the sum of errors, `out[2]` the largest work-group
/// of the block, `out[3]` whether the user event is valid. `locals` is how many sizes of local arguments are passed,
/// `function` the block's function, of which there are the right one (50) and the kernel (70).
fn module(locals: usize, function: u32) -> Vec<u8> {
    let [void, int, long, char, bool, queue, event, array, range] = [1, 2, 3, 4, 5, 6, 7, 8, 9];
    let [to_int, captured, own, bytes, shared, local, own_event, list] = [10, 11, 12, 13, 14, 15, 16, 17];
    let [shared_first, shared_second, own_first, own_second, of_kernel, of_block] = [18, 19, 20, 21, 22, 23];
    let [c0, c1, c4, c8, c16, c100, three, l0, l1, l2, l3, null_list] =
        [30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41];
    let (block, kernel) = (50, 70);
    let mut words = vec![0x0723_0203, 0x0001_0200, 0, 200, 0];
    let mut add = |code, operands: &[u32]| words.extend(op(code, operands));
    // Addresses, Kernel, Int64, DeviceEnqueue, GenericPointer, Int8
    [4, 6, 11, 19, 38, 39].iter().for_each(|&capability| add(17, &[capability]));
    add(14, &[2, 2]);
    add(15, &[&[6, kernel][..], &text("k")].concat());
    add(19, &[void]);
    add(20, &[bool]);
    for (ty, bits) in [(int, 32), (long, 64), (char, 8)] {
        add(21, &[ty, bits, 0]);
    }
    add(37, &[queue]);
    add(35, &[event]);
    add(43, &[int, three, 3]);
    add(28, &[array, long, three]);
    add(30, &[range, int, array, array, array]);
    add(32, &[to_int, 5, int]);
    add(30, &[captured, to_int, int]);
    for (pointer, class, to) in [
        (own, 7, captured),
        (bytes, 8, char),
        (shared, 8, captured),
        (local, 4, int),
        (own_event, 7, event),
        (list, 8, event),
        (shared_first, 8, to_int),
        (shared_second, 8, int),
        (own_first, 7, to_int),
        (own_second, 7, int),
    ] {
        add(32, &[pointer, class, to]);
    }
    add(33, &[of_kernel, void, queue, to_int]);
    add(33, &[of_block, void, bytes, local]);
    for (id, n) in [(c0, 0), (c1, 1), (c4, 4), (c8, 8), (c16, 16), (c100, 100)] {
        add(43, &[int, id, n]);
    }
    for (id, n) in [(l0, 0), (l1, 1), (l2, 2), (l3, 3)] {
        add(43, &[long, id, n, 0]);
    }
    add(46, &[list, null_list]);
    // The block: *local = captured.second; *captured.first += *local.
    add(54, &[void, block, 0, of_block]);
    add(55, &[bytes, 51]);
    add(55, &[local, 52]);
    add(248, &[53]);
    add(124, &[shared, 54, 51]);
    add(65, &[shared_first, 55, 54, c0]);
    add(61, &[to_int, 56, 55]);
    add(65, &[shared_second, 57, 54, c1]);
    add(61, &[int, 58, 57]);
    add(62, &[52, 58]);
    add(61, &[int, 59, 52]);
    add(61, &[int, 60, 56]);
    add(128, &[int, 61, 59, 60]);
    add(62, &[56, 61]);
    add(253, &[]);
    add(56, &[]);
    add(54, &[void, kernel, 0, of_kernel]);
    add(55, &[queue, 71]);
    add(55, &[to_int, 72]);
    add(248, &[73]);
    add(59, &[own, 74, 7]);
    [75, 83, 86].iter().for_each(|&id| add(59, &[own_event, id, 7]));
    add(65, &[own_first, 76, 74, c0]);
    add(62, &[76, 72]);
    add(65, &[own_second, 77, 74, c1]);
    add(62, &[77, c100]);
    add(121, &[shared, 78, 74]);
    add(124, &[bytes, 79, 78]);
    add(304, &[range, 80, l1, l0, l0]);
    for (from, to) in [(75, 81), (83, 84), (86, 87)] {
        add(121, &[list, to, from]);
    }
    add(299, &[event, 82]);
    add(62, &[83, 82]);
    let sizes = vec![c4; locals];
    add(292, &[&[int, 85, 71, c0, 80, c1, 84, 81, function, 79, c16, c8][..], &sizes].concat());
    add(291, &[int, 88, 71, c1, 81, 87]);
    add(292, &[&[int, 89, 71, c1, 80, c1, 87, null_list, function, 79, c16, c8][..], &sizes].concat());
    add(300, &[bool, 91, 82]);
    add(301, &[82, c0]);
    add(297, &[82]);
    [82, 82].iter().for_each(|&id| add(298, &[id]));
    add(295, &[int, 92, function, 79, c16, c8]);
    add(128, &[int, 93, 85, 88]);
    add(128, &[int, 94, 93, 89]);
    add(169, &[int, 95, 91, c1, c0]);
    for (place, at, value) in [(96, l1, 94), (97, l2, 92), (98, l3, 95)] {
        add(67, &[to_int, place, 72, at]);
        add(62, &[place, value]);
    }
    add(303, &[queue, 99]);
    add(253, &[]);
    add(56, &[]);
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn program(world: &World, il: &[u8]) -> (cl::cl_program, cl::cl_int) {
    let mut status = 1;
    // SAFETY: all pointers are null or valid.
    unsafe {
        let program = clCreateProgramWithIL(world.context, il.as_ptr().cast(), il.len(), &raw mut status);
        assert_eq!(status, 0);
        let status = clBuildProgram(program, 0, null(), null(), None, null_mut());
        (program, status)
    }
}

#[test]
fn modules_enqueue_blocks() {
    let world = World::new();
    let (program, status) = program(&world, &module(1, 50));
    assert_eq!(status, 0, "{}", world.log(program));
    let list =
        [u64::from(cl::CL_QUEUE_PROPERTIES), cl::CL_QUEUE_ON_DEVICE | cl::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0];
    let mut status = 1;
    // SAFETY: pointers are null or valid.
    unsafe {
        let queue = clCreateCommandQueueWithProperties(world.context, world.device, list.as_ptr(), &raw mut status);
        assert_eq!(status, 0);
        let mut names = [0u8; 64];
        let into = names.as_mut_ptr().cast();
        assert_eq!(clGetProgramInfo(program, cl::CL_PROGRAM_KERNEL_NAMES, 64, into, null_mut()), 0);
        assert!(names.starts_with(b"k\0"), "{names:?}");
        let kernel = clCreateKernel(program, c"k".as_ptr(), &raw mut status);
        assert_eq!(status, 0);
        let out = world.buffer(16);
        let mut found = [0i32; 4];
        let from = found.as_ptr().cast();
        assert_eq!(clEnqueueWriteBuffer(world.queue, out, 1, 0, 16, from, 0, null(), null_mut()), 0);
        assert_eq!(clSetKernelArg(kernel, 0, 8, (&raw const queue).cast()), 0);
        assert_eq!(clSetKernelArg(kernel, 1, 8, (&raw const out).cast()), 0);
        let one = 1usize;
        let range = &raw const one;
        let status = clEnqueueNDRangeKernel(world.queue, kernel, 1, null(), range, null(), 0, null(), null_mut());
        assert_eq!(status, 0);
        let into = found.as_mut_ptr().cast();
        assert_eq!(clEnqueueReadBuffer(world.queue, out, 1, 0, 16, into, 0, null(), null_mut()), 0);
        assert!(found[2] > 0, "{found:?}");
        assert_eq!([found[0], found[1], found[3]], [200, 0, 1]);
        assert_eq!(clReleaseMemObject(out), 0);
        assert_eq!(clReleaseKernel(kernel), 0);
        assert_eq!(clReleaseCommandQueue(queue), 0);
        assert_eq!(clReleaseProgram(program), 0);
    }
}

#[test]
fn wrong_blocks_are_errors_of_the_build() {
    let world = World::new();
    for (locals, function, message) in [
        (0, 50, "there is not one size for each local argument"),
        (2, 50, "there is not one size for each local argument"),
        (1, 70, "this is no function of a block"),
        (1, 30, "%30 is no function"),
    ] {
        let (program, status) = program(&world, &module(locals, function));
        assert_eq!(status, cl::CL_BUILD_PROGRAM_FAILURE);
        assert!(world.log(program).contains(message), "{}", world.log(program));
        // SAFETY: ours.
        assert_eq!(unsafe { clReleaseProgram(program) }, 0);
    }
}
