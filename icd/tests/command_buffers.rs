//! Command-buffers: what is recorded when, what an update changes, and each condition of bad use with its code.

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

#[test]
fn creation() {
    let world = World::new();
    let queues = [world.queue; 2];
    let create = |n, queues: *const cl::cl_command_queue, properties: &[u64]| {
        let list = if properties.is_empty() { null() } else { properties.as_ptr() };
        // SAFETY: lists are null or as long as is said, as far as their names are known.
        let code = code_of(|err| unsafe {
            let buffer = clCreateCommandBufferKHR(n, queues, list, err);
            clReleaseCommandBufferKHR(buffer);
            buffer
        });
        code
    };
    let (flags, asserts) =
        (u64::from(cl::CL_COMMAND_BUFFER_FLAGS_KHR), u64::from(cl::CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR));
    let at = queues.as_ptr();
    let context = [world.context];
    check(&[
        ("none", 0, &|| create(1, at, &[])),
        ("empty list", 0, &|| create(1, at, &[0])),
        ("flags and asserts", 0, &|| create(1, at, &[flags, 3, asserts, 1, 0])),
        ("no queue", cl::CL_INVALID_VALUE, &|| create(0, at, &[])),
        ("two queues", cl::CL_INVALID_VALUE, &|| create(2, at, &[])),
        ("null", cl::CL_INVALID_VALUE, &|| create(1, null(), &[])),
        ("no queue but a context", cl::CL_INVALID_COMMAND_QUEUE, &|| create(1, context.as_ptr(), &[])),
        ("unknown name", cl::CL_INVALID_VALUE, &|| create(1, at, &[u64::MAX])),
        ("unknown flag", cl::CL_INVALID_VALUE, &|| create(1, at, &[flags, 4, 0])),
        ("unknown assert", cl::CL_INVALID_VALUE, &|| create(1, at, &[asserts, 2, 0])),
        ("twice", cl::CL_INVALID_VALUE, &|| create(1, at, &[flags, 1, flags, 1, 0])),
    ]);
}

#[test]
fn recording() {
    let (world, other) = (World::new(), World::new());
    let (buffer, closed) = (make(&world, null()), make(&world, null()));
    let (mem, foreign) = (world.buffer(64), other.buffer(64));
    let program = world.built(SOURCE);
    let kernel = world.kernel(program, "put");
    let asserts = [u64::from(cl::CL_MUTABLE_DISPATCH_ASSERTS_KHR), 1, 0];
    let (unknown_name, unknown_field) = ([u64::MAX], [u64::from(cl::CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR), 32, 0]);
    let (bad_point, mut handle, n, zero) = (7u32, null_mut(), 4usize, 0u32);
    let any_handle: *mut cl::cl_mutable_command_khr = &raw mut handle;
    set_value(kernel, mem, 1);
    // SAFETY: pointers are null or valid.
    unsafe {
        assert_eq!(clFinalizeCommandBufferKHR(closed), 0);
        let copy = |buffer, queue, properties, from, to, offset, n_points, points, handle| {
            clCommandCopyBufferKHR(
                buffer,
                queue,
                properties,
                from,
                to,
                offset,
                0,
                16,
                n_points,
                points,
                null_mut(),
                handle,
            )
        };
        let none = (null_mut(), null());
        let fill = |pattern: *const c_void, size| {
            let (a, b) = none;
            clCommandFillBufferKHR(buffer, a, b, mem, pattern, size, 0, 16, 0, null(), null_mut(), null_mut())
        };
        let range = |properties: *const u64, kernel, dims, local: *const usize| {
            let sizes = &raw const n;
            clCommandNDRangeKernelKHR(
                buffer,
                null_mut(),
                properties,
                kernel,
                dims,
                null(),
                sizes,
                local,
                0,
                null(),
                null_mut(),
                null_mut(),
            )
        };
        let svm = |to: *mut c_void, from: *const c_void| {
            clCommandSVMMemcpyKHR(buffer, null_mut(), null(), to, from, 4, 0, null(), null_mut(), null_mut())
        };
        let pattern = (&raw const zero).cast::<c_void>();
        let (point, no_handle) = (&raw const bad_point, null_mut());
        let queue = world.queue;
        check(&[
            ("good", 0, &|| copy(buffer, none.0, none.1, mem, mem, 16, 0, null(), no_handle)),
            ("no buffer", -1138, &|| copy(queue, none.0, none.1, mem, mem, 16, 0, null(), no_handle)),
            ("queue", -36, &|| copy(buffer, queue, none.1, mem, mem, 16, 0, null(), no_handle)),
            ("finalized", -59, &|| copy(closed, none.0, none.1, mem, mem, 16, 0, null(), no_handle)),
            ("property", -30, &|| copy(buffer, none.0, asserts.as_ptr(), mem, mem, 16, 0, null(), no_handle)),
            ("points", -1139, &|| copy(buffer, none.0, none.1, mem, mem, 16, 1, null(), no_handle)),
            ("no points", -1139, &|| copy(buffer, none.0, none.1, mem, mem, 16, 0, point, no_handle)),
            ("no such point", -1139, &|| copy(buffer, none.0, none.1, mem, mem, 16, 1, point, no_handle)),
            ("handle", -30, &|| copy(buffer, none.0, none.1, mem, mem, 16, 0, null(), any_handle)),
            ("context", -34, &|| copy(buffer, none.0, none.1, foreign, foreign, 16, 0, null(), no_handle)),
            ("two contexts", -34, &|| copy(buffer, none.0, none.1, mem, foreign, 16, 0, null(), no_handle)),
            ("no mem", -38, &|| copy(buffer, none.0, none.1, queue, mem, 16, 0, null(), no_handle)),
            ("overlap", -8, &|| copy(buffer, none.0, none.1, mem, mem, 8, 0, null(), no_handle)),
            ("range", -30, &|| copy(buffer, none.0, none.1, mem, mem, 60, 0, null(), no_handle)),
            ("fill", 0, &|| fill(pattern, 4)),
            ("no pattern", -30, &|| fill(null(), 4)),
            ("odd pattern", -30, &|| fill(pattern, 3)),
            ("kernel", 0, &|| range(null(), kernel, 1, null())),
            ("no kernel", -48, &|| range(null(), mem, 1, null())),
            ("name", -30, &|| range(unknown_name.as_ptr(), kernel, 1, null())),
            ("field", -30, &|| range(unknown_field.as_ptr(), kernel, 1, null())),
            ("assert without local size", -30, &|| range(asserts.as_ptr(), kernel, 1, null())),
            ("assert", 0, &|| range(asserts.as_ptr(), kernel, 1, &raw const n)),
            ("dimensions", -53, &|| range(null(), kernel, 4, null())),
            ("null", -30, &|| svm(null_mut(), pattern)),
            ("svm overlap", -8, &|| svm(pattern.cast_mut(), pattern)),
        ]);
        let enqueue = |n, queues: *mut cl::cl_command_queue, buffer, n_waits| {
            clEnqueueCommandBufferKHR(n, queues, buffer, n_waits, null(), null_mut())
        };
        let (mut own, mut far, mut wrong) = ([queue; 2], [other.queue], [world.context]);
        let (own, far, wrong) = (own.as_mut_ptr(), far.as_mut_ptr(), wrong.as_mut_ptr());
        check(&[
            ("recording", -59, &|| enqueue(0, null_mut(), buffer, 0)),
            ("empty one", 0, &|| enqueue(0, null_mut(), closed, 0)),
            ("on a queue", 0, &|| enqueue(1, own, closed, 0)),
            ("no buffer", -1138, &|| enqueue(0, null_mut(), queue, 0)),
            ("no queues", -30, &|| enqueue(1, null_mut(), closed, 0)),
            ("no number", -30, &|| enqueue(0, own, closed, 0)),
            ("two queues", -30, &|| enqueue(2, own, closed, 0)),
            ("no queue", -36, &|| enqueue(1, wrong, closed, 0)),
            ("context", -34, &|| enqueue(1, far, closed, 0)),
            ("waits", -57, &|| enqueue(0, null_mut(), closed, 1)),
            ("finalized twice", -59, &|| clFinalizeCommandBufferKHR(closed)),
            ("update of a plain one", -59, &|| update(closed, &[])),
            ("info", -30, &|| clGetCommandBufferInfoKHR(closed, 0, 0, null_mut(), null_mut())),
            ("info of nothing", -1141, &|| clGetMutableCommandInfoKHR(closed, 0, 0, null_mut(), null_mut())),
            ("release of nothing", -1138, &|| clReleaseCommandBufferKHR(null_mut())),
        ]);
        for buffer in [buffer, closed] {
            assert_eq!(clReleaseCommandBufferKHR(buffer), 0);
        }
        assert_eq!(clReleaseKernel(kernel), 0);
        assert_eq!(clReleaseProgram(program), 0);
        assert_eq!(clReleaseMemObject(mem), 0);
        assert_eq!(clReleaseMemObject(foreign), 0);
    }
}
