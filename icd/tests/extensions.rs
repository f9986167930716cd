//! Small extensions, each seen to work.

#![allow(unsafe_code, reason = "calls the C API")]

mod common;

use common::*;

/// Launches `kernel` with one work-item on `queue` and waits. Gives its event.
fn run(queue: cl::cl_command_queue, kernel: cl::cl_kernel) -> cl::cl_event {
    let (n, mut event) = (1usize, null_mut());
    // SAFETY: live handles, one dimension.
    unsafe {
        let (none, waits) = (null(), null());
        let code = clEnqueueNDRangeKernel(queue, kernel, 1, none, &raw const n, none, 0, waits, &raw mut event);
        assert_eq!(code, 0);
        assert_eq!(clFinish(queue), 0);
    }
    event
}

/// cl_khr_kernel_clock: kernels read the clock of profiling.
#[test]
fn the_clock_of_kernels_is_that_of_profiling() {
    let (world, mut err) = (World::new(), -1);
    let program = world.built("kernel void read(global ulong *out) { *out = clock_read_device(); }");
    let (kernel, mem) = (world.kernel(program, "read"), world.buffer(8));
    // SAFETY: live handles, writable places of the sizes that are said.
    unsafe {
        let queue = clCreateCommandQueue(world.context, world.device, cl::CL_QUEUE_PROFILING_ENABLE, &raw mut err);
        assert_eq!(err, 0);
        assert_eq!(clSetKernelArg(kernel, 0, 8, (&raw const mem).cast()), 0);
        let event = run(queue, kernel);
        let (mut got, mut times) = (0u64, [0u64; 2]);
        let to = (&raw mut got).cast();
        assert_eq!(clEnqueueReadBuffer(queue, mem, 1, 0, 8, to, 0, null(), null_mut()), 0);
        for (time, name) in times.iter_mut().zip([cl::CL_PROFILING_COMMAND_START, cl::CL_PROFILING_COMMAND_END]) {
            let to = std::ptr::from_mut(time).cast();
            assert_eq!(clGetEventProfilingInfo(event, name, 8, to, null_mut()), 0);
        }
        assert!(times[0] <= got && got <= times[1], "{got} in {times:?}");
        assert_eq!(clReleaseEvent(event), 0);
        assert_eq!(clReleaseMemObject(mem), 0);
        assert_eq!(clReleaseKernel(kernel), 0);
        assert_eq!(clReleaseProgram(program), 0);
        assert_eq!(clReleaseCommandQueue(queue), 0);
    }
}
