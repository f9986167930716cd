//! Pipes in kernels of OpenCL C and of SPIR-V: both hand on each packet once, through every function there is.

#![allow(unsafe_code, reason = "calls the C API")]

mod common;

use common::*;

/// The module is the translator's, of clang 15 with `-O1`.
const SOURCE: &str = include_str!("../../jit/tests/spirv/pipes.cl");
const MODULE: &[u8] = include_bytes!("../../jit/tests/spirv/pipes-15.spv");

const ITEMS: usize = 256;
const LOCAL: usize = 64;

/// As in the source.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Packet {
    tag: i8,
    n: i32,
    x: [f32; 3],
}

fn packets() -> Vec<Packet> {
    (0..ITEMS as i32).map(|n| Packet { tag: (n * 7) as i8, n, x: [1.0, 2.0, 3.0].map(|x| x * n as f32) }).collect()
}

fn set(kernel: cl::cl_kernel, args: &[cl::cl_mem]) {
    for (index, arg) in (0..).zip(args) {
        // SAFETY: a live handle.
        let status = unsafe { clSetKernelArg(kernel, index, size_of_val(arg), (&raw const *arg).cast()) };
        assert_eq!(status, 0, "argument {index}");
    }
}

/// Runs a kernel of the program to its end.
fn run(world: &World, program: cl::cl_program, name: &str, args: &[cl::cl_mem], items: usize) {
    let kernel = world.kernel(program, name);
    set(kernel, args);
    let local = LOCAL.min(items);
    // SAFETY: pointers are null or valid.
    unsafe {
        let (global, local) = (&raw const items, &raw const local);
        let status = clEnqueueNDRangeKernel(world.queue, kernel, 1, null(), global, local, 0, null(), null_mut());
        assert_eq!(status, 0, "{name}");
        assert_eq!(clFinish(world.queue), 0);
        assert_eq!(clReleaseKernel(kernel), 0);
    }
}

fn read<T: Copy + Default>(world: &World, buffer: cl::cl_mem, n: usize) -> Vec<T> {
    let mut values = vec![T::default(); n];
    let size = size_of_val(&values[..]);
    // SAFETY: there is room for so many bytes, which are numbers.
    let status = unsafe {
        clEnqueueReadBuffer(world.queue, buffer, 1, 0, size, values.as_mut_ptr().cast(), 0, null(), null_mut())
    };
    assert_eq!(status, 0);
    values
}

fn write<T>(world: &World, buffer: cl::cl_mem, values: &[T]) {
    let (size, from) = (size_of_val(values), values.as_ptr().cast());
    // SAFETY: the values have so many bytes.
    let status = unsafe { clEnqueueWriteBuffer(world.queue, buffer, 1, 0, size, from, 0, null(), null_mut()) };
    assert_eq!(status, 0);
}

/// What comes out of a chain of all kernels, in the order of the packets' numbers, and what it counted on its way:
/// packets and capacity of the pipe in front and the one behind after each step.
fn chain(world: &World, program: cl::cl_program) -> (Vec<Packet>, Vec<u32>) {
    let pipe = |packets: usize| {
        let mut status = 0;
        // SAFETY: the pointer is valid.
        let pipe = unsafe {
            clCreatePipe(world.context, 0, size_of::<Packet>() as u32, packets as u32, null(), &raw mut status)
        };
        assert_eq!(status, 0);
        pipe
    };
    // No power of two, so that positions and slots differ.
    let pipes: Vec<cl::cl_mem> = (0..4).map(|n| pipe(ITEMS + n)).collect();
    let [from, to] = [ITEMS * size_of::<Packet>(); 2].map(|size| world.buffer(size));
    let [bad, out] = [4, 16].map(|size| world.buffer(size));
    let mut counted = Vec::new();
    write(world, from, &packets());
    write(world, bad, &[0u32]);
    // The second time, positions go past the slots' end.
    for _ in 0..2 {
        write(world, to, &[Packet::default(); ITEMS]);
        run(world, program, "fill", &[from, pipes[0], bad], ITEMS);
        for (n, name) in ["reserved", "groups", "subs"].iter().enumerate() {
            run(world, program, name, &[pipes[n], pipes[n + 1], bad], ITEMS);
            run(world, program, "numbers", &[pipes[n], pipes[n + 1], out], 1);
            counted.extend(read::<u32>(world, out, 4));
        }
        run(world, program, "drain", &[pipes[3], to, bad], ITEMS);
    }
    assert_eq!(read::<u32>(world, bad, 1), [0], "calls that failed, or should have");
    let mut got = read::<Packet>(world, to, ITEMS);
    got.sort_by_key(|packet| packet.n);
    for mem in pipes.into_iter().chain([from, to, bad, out]) {
        // SAFETY: ours.
        assert_eq!(unsafe { clReleaseMemObject(mem) }, 0);
    }
    (got, counted)
}

#[test]
fn modules_and_sources_hand_on_the_same() {
    let world = World::new();
    let source = world.program(SOURCE);
    let mut status = 1;
    // SAFETY: all pointers are null or valid.
    let module = unsafe { clCreateProgramWithIL(world.context, MODULE.as_ptr().cast(), MODULE.len(), &raw mut status) };
    assert_eq!(status, 0);
    for program in [source, module] {
        // SAFETY: all pointers are null or valid.
        let status = unsafe { clBuildProgram(program, 0, null(), c"-cl-std=CL3.0".as_ptr(), None, null_mut()) };
        assert_eq!(status, 0, "{}", world.log(program));
        let (got, counted) = chain(&world, program);
        assert_eq!(got, packets());
        let n = ITEMS as u32;
        let step = |at: u32| [0, n + at, n, n + at + 1];
        assert_eq!(counted, [0, 1, 2, 0, 1, 2].map(step).concat());
        // SAFETY: ours.
        assert_eq!(unsafe { clReleaseProgram(program) }, 0);
    }
}

/// Queries of modules' kernels say that an argument is a pipe; the device says that modules may have them.
#[test]
fn queries_of_modules_with_pipes() {
    let world = World::new();
    let (mut size, mut flags) = (0, 0u32);
    // SAFETY: all pointers are null or valid.
    unsafe {
        let name = cl::CL_DEVICE_SPIRV_CAPABILITIES_KHR;
        assert_eq!(clGetDeviceInfo(world.device, name, 0, null_mut(), &raw mut size), 0);
        let mut list = vec![0u32; size / 4];
        assert_eq!(clGetDeviceInfo(world.device, name, size, list.as_mut_ptr().cast(), null_mut()), 0);
        // SPIR-V, "Capability": Pipes.
        assert!(list.contains(&17), "{list:?}");
        let to = (&raw mut flags).cast();
        assert_eq!(clGetDeviceInfo(world.device, cl::CL_DEVICE_PIPE_SUPPORT, 4, to, null_mut()), 0);
    }
    assert_eq!(flags, cl::CL_TRUE);
}
