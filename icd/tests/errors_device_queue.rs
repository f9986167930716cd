//! Device queues: creation, queries, arguments, and each condition of the specification with its code. What kernels do
//! with them is in `kernels-test/hosts/children.c`.

#![allow(unsafe_code, reason = "calls the C API")]

mod common;

use common::*;

const SOURCE: &str = "
    void down(queue_t q, global uint *out, uint n) {
        out[0]++;
        if (n > 0) enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{ down(q, out, n - 1); });
    }
    kernel void k(queue_t q, global uint *out) { down(q, out, 100); }
    void (^at_file_scope)(void) = ^{};
    kernel void l(global uint *out) { out[0] = get_default_queue() != CLK_NULL_QUEUE; at_file_scope(); }
";

const FLAGS: u64 = cl::CL_QUEUE_PROPERTIES as u64;
const SIZE: u64 = cl::CL_QUEUE_SIZE as u64;
const ON_DEVICE: u64 = cl::CL_QUEUE_ON_DEVICE | cl::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;

fn create(world: &World, list: &[u64]) -> (cl::cl_command_queue, cl::cl_int) {
    let mut status = 1;
    // SAFETY: lists are terminated.
    let queue =
        unsafe { clCreateCommandQueueWithProperties(world.context, world.device, list.as_ptr(), &raw mut status) };
    (queue, status)
}

fn device_queue(world: &World, more: u64) -> cl::cl_command_queue {
    let (queue, status) = create(world, &[FLAGS, ON_DEVICE | more, 0]);
    assert_eq!(status, 0);
    queue
}

fn limit(world: &World, name: cl::cl_device_info) -> u32 {
    let mut value = 0u32;
    // SAFETY: there is room.
    let status = unsafe { clGetDeviceInfo(world.device, name, 4, (&raw mut value).cast(), null_mut()) };
    assert_eq!(status, 0);
    value
}

/// A query of a queue: its status and its first eight bytes.
fn asked(queue: cl::cl_command_queue, name: cl::cl_command_queue_info) -> (cl::cl_int, u64) {
    let mut value = 0u64;
    // SAFETY: there is room.
    let status = unsafe { clGetCommandQueueInfo(queue, name, 8, (&raw mut value).cast(), null_mut()) };
    (status, value)
}

#[test]
fn creation_and_queries() {
    let world = World::new();
    let most = u64::from(limit(&world, cl::CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE));
    let usual = u64::from(limit(&world, cl::CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE));
    // The least that the specification asks for.
    assert!(usual >= 16 << 10 && most >= 256 << 10 && usual <= most);
    assert!(limit(&world, cl::CL_DEVICE_MAX_ON_DEVICE_QUEUES) >= 1);
    assert!(limit(&world, cl::CL_DEVICE_MAX_ON_DEVICE_EVENTS) >= 1024);
    assert_eq!(asked(world.queue, cl::CL_QUEUE_DEVICE_DEFAULT), (0, 0), "no default");
    let default = cl::CL_QUEUE_ON_DEVICE_DEFAULT;
    for (what, list, expected) in [
        ("in order", &[FLAGS, cl::CL_QUEUE_ON_DEVICE, 0][..], cl::CL_INVALID_VALUE),
        (
            "default of the host",
            &[FLAGS, default | cl::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0],
            cl::CL_INVALID_VALUE,
        ),
        ("an unknown flag", &[FLAGS, ON_DEVICE | 1 << 40, 0], cl::CL_INVALID_VALUE),
        ("no size", &[FLAGS, ON_DEVICE, SIZE, 0, 0], cl::CL_INVALID_VALUE),
        ("too large", &[FLAGS, ON_DEVICE, SIZE, most + 1, 0], cl::CL_INVALID_QUEUE_PROPERTIES),
        ("far too large", &[SIZE, u64::MAX, FLAGS, ON_DEVICE, 0], cl::CL_INVALID_QUEUE_PROPERTIES),
    ] {
        assert_eq!(create(&world, list).1, expected, "{what}");
    }
    for (list, size) in [(&[FLAGS, ON_DEVICE, 0][..], usual), (&[SIZE, most, FLAGS, ON_DEVICE, 0], most)] {
        let (queue, status) = create(&world, list);
        assert_eq!(status, 0);
        assert_eq!(asked(queue, cl::CL_QUEUE_SIZE), (0, size));
        assert_eq!(asked(queue, cl::CL_QUEUE_PROPERTIES), (0, ON_DEVICE));
        // SAFETY: ours.
        assert_eq!(unsafe { clReleaseCommandQueue(queue) }, 0);
    }
    assert_eq!(asked(world.queue, cl::CL_QUEUE_SIZE).0, cl::CL_INVALID_COMMAND_QUEUE);
    // A second default queue is the first.
    let [first, second] = [(); 2].map(|()| device_queue(&world, default));
    assert_eq!(first, second);
    assert_eq!(asked(world.queue, cl::CL_QUEUE_DEVICE_DEFAULT), (0, first.addr() as u64));
    assert_eq!(asked(first, cl::CL_QUEUE_REFERENCE_COUNT).1 as u32, 2);
    // SAFETY: ours.
    unsafe {
        assert_eq!(clReleaseCommandQueue(first), 0);
        assert_eq!(clReleaseCommandQueue(first), 0);
    }
    assert_eq!(asked(world.queue, cl::CL_QUEUE_DEVICE_DEFAULT), (0, 0), "it has gone");
}

#[test]
fn what_the_host_may_not_do() {
    let (world, other) = (World::new(), World::new());
    let queue = device_queue(&world, 0);
    let foreign = device_queue(&other, 0);
    let buffer = world.buffer(64);
    let (mut word, mut status) = (0u32, 0);
    let into = (&raw mut word).cast::<c_void>();
    let set_default = |queue| {
        // SAFETY: live handles, or null.
        unsafe { clSetDefaultDeviceCommandQueue(world.context, world.device, queue) }
    };
    // SAFETY: pointers are null or valid.
    unsafe {
        check(&[
            ("flush", cl::CL_INVALID_COMMAND_QUEUE, &|| clFlush(queue)),
            ("finish", cl::CL_INVALID_COMMAND_QUEUE, &|| clFinish(queue)),
            ("marker", cl::CL_INVALID_COMMAND_QUEUE, &|| clEnqueueMarkerWithWaitList(queue, 0, null(), null_mut())),
            ("read", cl::CL_INVALID_COMMAND_QUEUE, &|| {
                clEnqueueReadBuffer(queue, buffer, 1, 0, 4, into, 0, null(), null_mut())
            }),
            ("default: null", cl::CL_INVALID_COMMAND_QUEUE, &|| set_default(null_mut())),
            ("default: of the host", cl::CL_INVALID_COMMAND_QUEUE, &|| set_default(world.queue)),
            ("default: of another context", cl::CL_INVALID_COMMAND_QUEUE, &|| set_default(foreign)),
            ("default: no context", cl::CL_INVALID_CONTEXT, &|| {
                clSetDefaultDeviceCommandQueue(null_mut(), world.device, queue)
            }),
            ("default: no device", cl::CL_INVALID_DEVICE, &|| {
                clSetDefaultDeviceCommandQueue(world.context, null_mut(), queue)
            }),
            ("default", 0, &|| set_default(queue)),
        ]);
        let program = world.program(SOURCE);
        let options = c"-cl-std=CL3.0 -cl-kernel-arg-info".as_ptr();
        assert_eq!(clBuildProgram(program, 0, null(), options, None, null_mut()), 0, "{}", world.log(program));
        let kernel = clCreateKernel(program, c"k".as_ptr(), &raw mut status);
        assert_eq!(status, 0);
        let size = size_of::<cl::cl_command_queue>();
        let set = |queue: *const cl::cl_command_queue, size| clSetKernelArg(kernel, 0, size, queue.cast());
        let nothing: cl::cl_command_queue = null_mut();
        let as_queue: cl::cl_command_queue = buffer.cast();
        check(&[
            ("size", cl::CL_INVALID_ARG_SIZE, &|| set(&raw const queue, 4)),
            ("null", cl::CL_INVALID_DEVICE_QUEUE, &|| set(&raw const nothing, size)),
            ("no value", cl::CL_INVALID_DEVICE_QUEUE, &|| set(null(), size)),
            ("a buffer", cl::CL_INVALID_DEVICE_QUEUE, &|| set(&raw const as_queue, size)),
            ("of the host", cl::CL_INVALID_DEVICE_QUEUE, &|| set(&raw const world.queue, size)),
            ("of another context", cl::CL_INVALID_CONTEXT, &|| set(&raw const foreign, size)),
            ("a device queue", 0, &|| set(&raw const queue, size)),
            ("its address", cl::CL_INVALID_ARG_VALUE, &|| clSetKernelArgSVMPointer(kernel, 0, null())),
        ]);
        for queue in [queue, foreign] {
            assert_eq!(clReleaseCommandQueue(queue), 0);
        }
        assert_eq!(clReleaseKernel(kernel), 0);
    }
}

/// Blocks are no kernels for the host; queues are arguments by value; a kernel is complete when its children are.
#[test]
fn programs_and_launches() {
    let world = World::new();
    let queue = device_queue(&world, cl::CL_QUEUE_ON_DEVICE_DEFAULT);
    let program = world.program(SOURCE);
    let (mut n, mut status) = (0usize, 0);
    // SAFETY: pointers are null or valid.
    unsafe {
        let options = c"-cl-std=CL3.0 -cl-kernel-arg-info".as_ptr();
        assert_eq!(clBuildProgram(program, 0, null(), options, None, null_mut()), 0, "{}", world.log(program));
        let into = (&raw mut n).cast();
        assert_eq!(clGetProgramInfo(program, cl::CL_PROGRAM_NUM_KERNELS, 8, into, null_mut()), 0);
        assert_eq!(n, 2);
        let mut names = [0u8; 64];
        let into = names.as_mut_ptr().cast();
        assert_eq!(clGetProgramInfo(program, cl::CL_PROGRAM_KERNEL_NAMES, 64, into, null_mut()), 0);
        assert!(names.starts_with(b"k;l\0"), "{names:?}");
        for name in [c"down.block1", c"at_file_scope", c".block2"] {
            clCreateKernel(program, name.as_ptr(), &raw mut status);
            assert_eq!(status, cl::CL_INVALID_KERNEL_NAME, "{name:?}");
        }
        let kernel = clCreateKernel(program, c"k".as_ptr(), &raw mut status);
        assert_eq!(status, 0);
        let mut text = [0u8; 16];
        let name = cl::CL_KERNEL_ARG_TYPE_NAME;
        assert_eq!(clGetKernelArgInfo(kernel, 0, name, 16, text.as_mut_ptr().cast(), null_mut()), 0);
        assert!(text.starts_with(b"queue_t\0"), "{text:?}");
        let mut word = 0u32;
        let name = cl::CL_KERNEL_ARG_ADDRESS_QUALIFIER;
        assert_eq!(clGetKernelArgInfo(kernel, 0, name, 4, (&raw mut word).cast(), null_mut()), 0);
        assert_eq!(word, cl::CL_KERNEL_ARG_ADDRESS_PRIVATE);

        let (profiled, status) = create(&world, &[FLAGS, cl::CL_QUEUE_PROFILING_ENABLE, 0]);
        assert_eq!(status, 0);
        let out = world.buffer(4);
        let (zero, one) = (0u32, 1usize);
        let from = (&raw const zero).cast();
        assert_eq!(clEnqueueWriteBuffer(profiled, out, 1, 0, 4, from, 0, null(), null_mut()), 0);
        assert_eq!(clSetKernelArg(kernel, 0, 8, (&raw const queue).cast()), 0);
        assert_eq!(clSetKernelArg(kernel, 1, 8, (&raw const out).cast()), 0);
        let mut event = null_mut();
        let range = &raw const one;
        assert_eq!(clEnqueueNDRangeKernel(profiled, kernel, 1, null(), range, null(), 0, null(), &raw mut event), 0);
        // It need not stay: the launch has it.
        assert_eq!(clReleaseCommandQueue(queue), 0);
        assert_eq!(clWaitForEvents(1, &raw const event), 0);
        let times = [cl::CL_PROFILING_COMMAND_START, cl::CL_PROFILING_COMMAND_END, cl::CL_PROFILING_COMMAND_COMPLETE];
        let times = times.map(|name| {
            let mut time = 0u64;
            assert_eq!(clGetEventProfilingInfo(event, name, 8, (&raw mut time).cast(), null_mut()), 0);
            time
        });
        assert!(times[0] <= times[1] && times[1] < times[2], "{times:?}");
        let into = (&raw mut word).cast();
        assert_eq!(clEnqueueReadBuffer(profiled, out, 1, 0, 4, into, 0, null(), null_mut()), 0);
        assert_eq!(word, 101);
        assert_eq!(clReleaseEvent(event), 0);
        assert_eq!(clReleaseMemObject(out), 0);
        assert_eq!(clReleaseKernel(kernel), 0);
        assert_eq!(clReleaseProgram(program), 0);
        assert_eq!(clReleaseCommandQueue(profiled), 0);
    }
}
