//! Command-buffers: what is recorded when, and what an update changes. Bad use is in `errors_command_buffer`.

#![allow(unsafe_code, reason = "calls the C API")]

mod common;

use common::*;

const SOURCE: &str = "
kernel void put(global int *out, int value) { out[get_global_id(0)] = value + (int)get_global_id(0); }
";

const MUTABLE: &[u64] = &[cl::CL_COMMAND_BUFFER_FLAGS_KHR as u64, 2, 0];
const ARGUMENTS: &[u64] = &[cl::CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR as u64, 1 << 3, 0];

/// A command-buffer with `properties`.
fn make(world: &World, properties: *const u64) -> cl::cl_command_buffer_khr {
    let mut err = -1;
    // SAFETY: one live queue, a terminated list or null.
    let buffer = unsafe { clCreateCommandBufferKHR(1, &raw const world.queue, properties, &raw mut err) };
    assert_eq!(err, 0);
    buffer
}

fn state(buffer: cl::cl_command_buffer_khr) -> u32 {
    let mut state = 77;
    let name = cl::CL_COMMAND_BUFFER_STATE_KHR;
    // SAFETY: a live handle, four writable bytes.
    let code = unsafe { clGetCommandBufferInfoKHR(buffer, name, 4, (&raw mut state).cast(), null_mut()) };
    assert_eq!(code, 0);
    state
}

fn read<const N: usize>(world: &World, mem: cl::cl_mem) -> [i32; N] {
    let mut values = [0i32; N];
    let to = values.as_mut_ptr().cast();
    // SAFETY: a blocking read into an array of that size.
    let code = unsafe { clEnqueueReadBuffer(world.queue, mem, 1, 0, 4 * N, to, 0, null(), null_mut()) };
    assert_eq!(code, 0);
    values
}

fn set_value(kernel: cl::cl_kernel, mem: cl::cl_mem, value: i32) {
    // SAFETY: values of the arguments' sizes.
    unsafe {
        assert_eq!(clSetKernelArg(kernel, 0, 8, (&raw const mem).cast()), 0);
        assert_eq!(clSetKernelArg(kernel, 1, 4, (&raw const value).cast()), 0);
    }
}

fn config(command: cl::cl_mutable_command_khr) -> cl::cl_mutable_dispatch_config_khr {
    cl::cl_mutable_dispatch_config_khr {
        command,
        num_args: 0,
        num_svm_args: 0,
        num_exec_infos: 0,
        work_dim: 0,
        arg_list: null(),
        arg_svm_list: null(),
        exec_info_list: null(),
        global_work_offset: null(),
        global_work_size: null(),
        local_work_size: null(),
    }
}

/// Updates with these configurations.
fn update(buffer: cl::cl_command_buffer_khr, configs: &[&cl::cl_mutable_dispatch_config_khr]) -> i32 {
    let types = vec![cl::CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR; configs.len()];
    let pointers: Vec<*const c_void> = configs.iter().map(|config| std::ptr::from_ref(*config).cast()).collect();
    // SAFETY: both lists have as many elements as is said.
    unsafe { clUpdateMutableCommandsKHR(buffer, configs.len() as u32, types.as_ptr(), pointers.as_ptr()) }
}

#[test]
fn a_record_keeps_its_arguments_and_objects() {
    let world = World::new();
    let (program, mem) = (world.built(SOURCE), world.buffer(64));
    let kernel = world.kernel(program, "put");
    let buffer = make(&world, null());
    let n = 4usize;
    let mut point = 0;
    // SAFETY: live handles, sizes of one dimension.
    unsafe {
        set_value(kernel, mem, 10);
        let code = clCommandNDRangeKernelKHR(
            buffer,
            null_mut(),
            null(),
            kernel,
            1,
            null(),
            &raw const n,
            null(),
            0,
            null(),
            &raw mut point,
            null_mut(),
        );
        assert_eq!((code, point), (0, 1));
        set_value(kernel, mem, 99);
        let code = clCommandCopyBufferKHR(
            buffer,
            null_mut(),
            null(),
            mem,
            mem,
            0,
            32,
            16,
            1,
            &raw const point,
            &raw mut point,
            null_mut(),
        );
        assert_eq!((code, point), (0, 2));
        assert_eq!(state(buffer), 0);
        assert_eq!(clFinalizeCommandBufferKHR(buffer), 0);
        assert_eq!(state(buffer), 1);
        // The record holds them.
        assert_eq!(clReleaseKernel(kernel), 0);
        assert_eq!(clReleaseProgram(program), 0);
        for _ in 0..3 {
            let zero = 0u32;
            let pattern = (&raw const zero).cast();
            assert_eq!(clEnqueueFillBuffer(world.queue, mem, pattern, 4, 0, 64, 0, null(), null_mut()), 0);
            let mut event = null_mut();
            assert_eq!(clEnqueueCommandBufferKHR(0, null_mut(), buffer, 0, null(), &raw mut event), 0);
            let mut kind = 0;
            let name = cl::CL_EVENT_COMMAND_TYPE;
            assert_eq!(clGetEventInfo(event, name, 4, (&raw mut kind).cast(), null_mut()), 0);
            assert_eq!(kind, cl::CL_COMMAND_COMMAND_BUFFER_KHR);
            assert_eq!(clReleaseEvent(event), 0);
            let values: [i32; 12] = read(&world, mem);
            assert_eq!(values, [10, 11, 12, 13, 0, 0, 0, 0, 10, 11, 12, 13]);
        }
        assert_eq!(clReleaseCommandBufferKHR(buffer), 0);
        assert_eq!(clReleaseMemObject(mem), 0);
    }
}

#[test]
fn an_update_changes_everything_or_nothing() {
    let world = World::new();
    let (program, mem) = (world.built(SOURCE), world.buffer(64));
    let kernel = world.kernel(program, "put");
    let buffer = make(&world, MUTABLE.as_ptr());
    let (n, mut command, mut fixed) = (4usize, null_mut(), null_mut());
    let no_fields = [u64::from(cl::CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR), 0, 0];
    // SAFETY: live handles, sizes of one dimension.
    unsafe {
        set_value(kernel, mem, 10);
        for (properties, handle) in [(null(), &raw mut command), (no_fields.as_ptr(), &raw mut fixed)] {
            let code = clCommandNDRangeKernelKHR(
                buffer,
                null_mut(),
                properties,
                kernel,
                1,
                null(),
                &raw const n,
                null(),
                0,
                null(),
                null_mut(),
                handle,
            );
            assert_eq!(code, 0);
        }
        let value = 20i32;
        let arg = |arg_index, arg_size| cl::cl_mutable_dispatch_arg_khr {
            arg_index,
            arg_size,
            arg_value: (&raw const value).cast(),
        };
        let (good, bad) = (arg(1, 4), arg(1, 3));
        let change = cl::cl_mutable_dispatch_config_khr { num_args: 1, arg_list: &raw const good, ..config(command) };
        assert_eq!(update(buffer, &[&change]), cl::CL_INVALID_OPERATION, "still recording");
        assert_eq!(clFinalizeCommandBufferKHR(buffer), 0);
        let wrong_size = cl::cl_mutable_dispatch_config_khr { arg_list: &raw const bad, ..change };
        let wrong_command = cl::cl_mutable_dispatch_config_khr { command: buffer, ..change };
        let not_allowed = cl::cl_mutable_dispatch_config_khr { command: fixed, ..change };
        let other_dims = cl::cl_mutable_dispatch_config_khr { work_dim: 2, ..config(command) };
        let no_list = cl::cl_mutable_dispatch_config_khr { arg_list: null(), ..change };
        let local = [3usize];
        let uneven = cl::cl_mutable_dispatch_config_khr { local_work_size: local.as_ptr(), ..config(command) };
        let too_far = [usize::MAX];
        let offset = cl::cl_mutable_dispatch_config_khr { global_work_offset: too_far.as_ptr(), ..config(command) };
        for (name, config, want) in [
            ("size", &wrong_size, cl::CL_INVALID_ARG_SIZE),
            ("command", &wrong_command, cl::CL_INVALID_MUTABLE_COMMAND_KHR),
            ("field", &not_allowed, cl::CL_INVALID_OPERATION),
            ("dimensions", &other_dims, cl::CL_INVALID_OPERATION),
            ("list", &no_list, cl::CL_INVALID_VALUE),
            ("uniformity", &uneven, cl::CL_INVALID_WORK_GROUP_SIZE),
            ("offset", &offset, cl::CL_INVALID_GLOBAL_OFFSET),
        ] {
            assert_eq!(update(buffer, &[&change, config]), want, "{name}");
        }
        let run = || {
            assert_eq!(clEnqueueCommandBufferKHR(0, null_mut(), buffer, 0, null(), null_mut()), 0);
            read::<6>(&world, mem)
        };
        assert_eq!(run(), [10, 11, 12, 13, 0, 0], "no part of an update that failed");
        let (sizes, offsets) = ([2usize], [4usize]);
        let moved = cl::cl_mutable_dispatch_config_khr {
            global_work_size: sizes.as_ptr(),
            global_work_offset: offsets.as_ptr(),
            ..config(command)
        };
        assert_eq!(update(buffer, &[&change, &moved]), 0);
        assert_eq!(run(), [10, 11, 12, 13, 24, 25]);
        assert_eq!(clReleaseCommandBufferKHR(buffer), 0);
        assert_eq!(clReleaseKernel(kernel), 0);
        assert_eq!(clReleaseProgram(program), 0);
        assert_eq!(clReleaseMemObject(mem), 0);
    }
}

#[test]
fn arguments_may_come_after_recording_if_that_was_said() {
    let world = World::new();
    let (program, mem) = (world.built(SOURCE), world.buffer(64));
    let kernel = world.kernel(program, "put");
    let n = 4usize;
    let record = |buffer, properties, handle| {
        // SAFETY: live handles, sizes of one dimension.
        unsafe {
            clCommandNDRangeKernelKHR(
                buffer,
                null_mut(),
                properties,
                kernel,
                1,
                null(),
                &raw const n,
                null(),
                0,
                null(),
                null_mut(),
                handle,
            )
        }
    };
    let (plain, buffer) = (make(&world, null()), make(&world, MUTABLE.as_ptr()));
    let mut command = null_mut();
    assert_eq!(record(plain, ARGUMENTS.as_ptr(), null_mut()), cl::CL_INVALID_KERNEL_ARGS);
    assert_eq!(record(buffer, null(), null_mut()), cl::CL_INVALID_KERNEL_ARGS);
    assert_eq!(record(buffer, ARGUMENTS.as_ptr(), &raw mut command), 0);
    // SAFETY: live handles, values of the arguments' sizes.
    unsafe {
        assert_eq!(clFinalizeCommandBufferKHR(buffer), 0);
        assert_eq!(state(buffer), 2);
        let enqueue = || clEnqueueCommandBufferKHR(0, null_mut(), buffer, 0, null(), null_mut());
        assert_eq!(enqueue(), cl::CL_INVALID_OPERATION);
        let value = 5i32;
        let args = [
            cl::cl_mutable_dispatch_arg_khr { arg_index: 0, arg_size: 8, arg_value: (&raw const mem).cast() },
            cl::cl_mutable_dispatch_arg_khr { arg_index: 1, arg_size: 4, arg_value: (&raw const value).cast() },
        ];
        let change = cl::cl_mutable_dispatch_config_khr { num_args: 2, arg_list: args.as_ptr(), ..config(command) };
        assert_eq!(update(buffer, &[&change]), 0);
        assert_eq!((state(buffer), enqueue()), (1, 0));
        assert_eq!(read(&world, mem), [5, 6, 7, 8]);
        for buffer in [plain, buffer] {
            assert_eq!(clReleaseCommandBufferKHR(buffer), 0);
        }
        assert_eq!(clReleaseKernel(kernel), 0);
        assert_eq!(clReleaseProgram(program), 0);
        assert_eq!(clReleaseMemObject(mem), 0);
    }
}
