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

/// A context of the world's device with these properties.
fn context(world: &World, properties: &[isize]) -> Result<cl::cl_context, cl::cl_int> {
    let mut err = -1;
    let (list, device) = (properties.as_ptr(), &raw const world.device);
    // SAFETY: a terminated list, one device.
    let context = unsafe { clCreateContext(list, 1, device, None, null_mut(), &raw mut err) };
    if err == 0 { Ok(context) } else { Err(err) }
}

/// A world whose context has these properties; its platform and device are the usual ones.
fn world_with(properties: &[isize]) -> World {
    let usual = World::new();
    let (context, mut err) = (context(&usual, properties).expect("context"), -1);
    // SAFETY: live handles.
    let queue = unsafe { clCreateCommandQueue(context, usual.device, 0, &raw mut err) };
    assert_eq!(err, 0);
    World { platform: usual.platform, device: usual.device, context, queue }
}

const INITIALIZE: isize = cl::CL_CONTEXT_MEMORY_INITIALIZE_KHR as isize;
const TERMINATE: isize = cl::CL_CONTEXT_TERMINATE_KHR as isize;

/// `dirty` leaves -1 where `look` looks; both keep an array across a barrier.
const DIRTY: &str = "
kernel void dirty(global int *out, local int *scratch) {
    local int mine[64];
    int array[64];
    for (int i = 0; i < 64; i++) mine[i] = scratch[i] = array[(i * 7 + out[0] * 0) & 63] = -1;
    barrier(CLK_LOCAL_MEM_FENCE);
    int sum = 0;
    for (int i = 0; i < 64; i++) sum += array[(i + out[0] * 0) & 63] + mine[i] + scratch[i];
    out[get_global_id(0)] = sum;
}
kernel void look(global int *out, local int *scratch) {
    local int mine[64];
    int array[64], x;
    if (out[1] == 12345)
        for (int i = 0; i < 64; i++) x = array[out[i] & 63] = mine[i] = scratch[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    int dirt = x;
    for (int i = 0; i < 64; i++) dirt |= (array[(i + out[1] * 0) & 63] ? 1 : 0) | (mine[i] | scratch[i] ? 2 : 0);
    barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
    mine[get_local_id(0)] = scratch[get_local_id(0)] = -1;
    out[get_global_id(0)] = dirt;
}";

/// What `look` sees after `dirty` has run on the same thread.
fn dirt(world: &World) -> [i32; 16] {
    let (program, mem, mut got) = (world.built(DIRTY), world.buffer(64), [-7i32; 16]);
    // SAFETY: live handles, sizes of one dimension.
    unsafe {
        for name in ["dirty", "look"] {
            let kernel = world.kernel(program, name);
            assert_eq!(clSetKernelArg(kernel, 0, 8, (&raw const mem).cast()), 0);
            assert_eq!(clSetKernelArg(kernel, 1, 256, null()), 0);
            let n = 16usize;
            let (none, waits, n) = (null(), null(), &raw const n);
            assert_eq!(clEnqueueNDRangeKernel(world.queue, kernel, 1, none, n, n, 0, waits, null_mut()), 0);
            assert_eq!(clFinish(world.queue), 0);
            assert_eq!(clReleaseKernel(kernel), 0);
        }
        let to = got.as_mut_ptr().cast();
        assert_eq!(clEnqueueReadBuffer(world.queue, mem, 1, 0, 64, to, 0, null(), null_mut()), 0);
        assert_eq!(clReleaseMemObject(mem), 0);
        assert_eq!(clReleaseProgram(program), 0);
    }
    got
}

/// cl_khr_initialize_memory: what other kernels left behind is not seen.
#[test]
fn local_and_private_memory_start_as_zeros() {
    // Twice, so that memory has been used.
    dirt(&World::new());
    assert_eq!(dirt(&World::new()), [3; 16], "without the property there is dirt to see");
    assert_eq!(dirt(&world_with(&[INITIALIZE, 1, 0])), [1; 16], "local");
    assert_eq!(dirt(&world_with(&[INITIALIZE, 2, 0])), [2; 16], "private");
    assert_eq!(dirt(&world_with(&[INITIALIZE, 3, 0])), [0; 16], "both");
}

#[test]
fn properties_of_contexts() {
    let world = World::new();
    for (list, want) in [
        ([INITIALIZE, 0, 0], Ok(())),
        ([INITIALIZE, 1, 0], Ok(())),
        ([INITIALIZE, 4, 0], Err(cl::CL_INVALID_PROPERTY)),
        ([INITIALIZE, -1, 0], Err(cl::CL_INVALID_PROPERTY)),
        ([TERMINATE, 0, 0], Ok(())),
        ([TERMINATE, 1, 0], Ok(())),
        ([TERMINATE, 2, 0], Err(cl::CL_INVALID_PROPERTY)),
    ] {
        let got = context(&world, &list);
        // SAFETY: the context is ours.
        assert_eq!(got.map(|context| unsafe { assert_eq!(clReleaseContext(context), 0) }), want, "{list:?}");
    }
}

fn status(event: cl::cl_event) -> i32 {
    let (mut status, name) = (77, cl::CL_EVENT_COMMAND_EXECUTION_STATUS);
    // SAFETY: a live event, four writable bytes.
    assert_eq!(unsafe { clGetEventInfo(event, name, 4, (&raw mut status).cast(), null_mut()) }, 0);
    status
}

/// cl_khr_terminate_context: a kernel of very many work-groups stops, what waits ends, nothing new begins.
#[test]
fn a_terminated_context_ends_its_commands() {
    const ENDED: i32 = cl::CL_CONTEXT_TERMINATED_KHR;
    let world = world_with(&[TERMINATE, 1, 0]);
    let program = world.built(
        "kernel void spin(global int *out) { int x = 0; for (int i = 0; i < 100000; i++) x = x * 5 + i; if (x == 1) out[0] = x; }",
    );
    let (kernel, mem, gate) = (world.kernel(program, "spin"), world.buffer(4), world.user_event());
    let (n, local) = (1usize << 28, 1usize);
    let (mut running, mut waiting, mut err) = (null_mut(), null_mut(), -1);
    // SAFETY: live handles, sizes of one dimension.
    unsafe {
        let second = clCreateCommandQueue(world.context, world.device, 0, &raw mut err);
        assert_eq!(err, 0);
        assert_eq!(clSetKernelArg(kernel, 0, 8, (&raw const mem).cast()), 0);
        let (none, waits, to) = (null(), null(), &raw mut running);
        let (global, local) = (&raw const n, &raw const local);
        assert_eq!(clEnqueueNDRangeKernel(world.queue, kernel, 1, none, global, local, 0, waits, to), 0);
        assert_eq!(clFlush(world.queue), 0);
        assert_eq!(clEnqueueMarkerWithWaitList(second, 1, &raw const gate, &raw mut waiting), 0);
        while status(running) > 1 {
            std::thread::yield_now();
        }
        assert_eq!(clSetUserEventStatus(gate, 7), cl::CL_INVALID_VALUE);
        assert_eq!(terminate(world.context), 0);
        for event in [running, waiting] {
            assert_eq!(clWaitForEvents(1, &raw const event), cl::CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
            assert_eq!(status(event), ENDED);
        }
        assert_eq!(clFinish(world.queue), 0);
        let enqueue = || clEnqueueMarkerWithWaitList(world.queue, 0, null(), null_mut());
        let buffer = || code_of(|err| clCreateBuffer(world.context, 0, 4, null_mut(), err));
        check(&[
            ("again", ENDED, &|| terminate(world.context)),
            ("enqueue", ENDED, &enqueue),
            ("buffer", ENDED, &buffer),
            ("event", ENDED, &|| code_of(|err| clCreateUserEvent(world.context, err))),
            ("queue", ENDED, &|| code_of(|err| clCreateCommandQueue(world.context, world.device, 0, err))),
            ("kernel", ENDED, &|| code_of(|err| clCreateKernel(program, c"spin".as_ptr(), err))),
            ("query", 0, &|| clGetContextInfo(world.context, cl::CL_CONTEXT_NUM_DEVICES, 0, null_mut(), null_mut())),
            ("user event", 0, &|| clSetUserEventStatus(gate, 0)),
            ("not a context", cl::CL_INVALID_CONTEXT, &|| terminate(null_mut())),
            ("not for it", cl::CL_INVALID_OPERATION, &|| terminate(World::new().context)),
        ]);
        for event in [running, waiting, gate] {
            assert_eq!(clReleaseEvent(event), 0);
        }
        assert_eq!(clReleaseKernel(kernel), 0);
        assert_eq!(clReleaseMemObject(mem), 0);
        assert_eq!(clReleaseProgram(program), 0);
        assert_eq!(clReleaseCommandQueue(second), 0);
    }
}

/// cl_ext_immutable_memory_objects.
#[test]
fn nothing_writes_to_immutable_memory() {
    const IMMUTABLE: u64 = cl::CL_MEM_IMMUTABLE_EXT;
    const COPY: u64 = cl::CL_MEM_COPY_HOST_PTR;
    let world = World::new();
    let data = [5u32; 64];
    let host = data.as_ptr().cast_mut().cast::<c_void>();
    let create = |flags, host| {
        // SAFETY: the host's memory has 256 bytes, or there is none.
        code_of(|err| unsafe {
            let mem = clCreateBuffer(world.context, flags, 256, host, err);
            clReleaseMemObject(mem);
            mem
        })
    };
    let invalid = cl::CL_INVALID_VALUE;
    check(&[
        ("copy", 0, &|| create(IMMUTABLE | COPY, host)),
        ("use", 0, &|| create(IMMUTABLE | cl::CL_MEM_USE_HOST_PTR | cl::CL_MEM_READ_ONLY, host)),
        ("no contents", invalid, &|| create(IMMUTABLE, null_mut())),
        ("read and write", invalid, &|| create(IMMUTABLE | COPY | cl::CL_MEM_READ_WRITE, host)),
        ("write", invalid, &|| create(IMMUTABLE | COPY | cl::CL_MEM_WRITE_ONLY, host)),
        ("host writes", invalid, &|| create(IMMUTABLE | COPY | cl::CL_MEM_HOST_WRITE_ONLY, host)),
    ]);
    let mut err = -1;
    // SAFETY: live handles; pointers and regions are within their memory.
    unsafe {
        let mem = clCreateBuffer(world.context, IMMUTABLE | COPY, 256, host, &raw mut err);
        assert_eq!(err, 0);
        let plain = world.buffer(256);
        let queue = world.queue;
        let region = cl::cl_buffer_region { origin: 0, size: 128 };
        let region = (&raw const region).cast::<c_void>();
        let part = |flags| {
            code_of(|err| {
                let part = clCreateSubBuffer(mem, flags, cl::CL_BUFFER_CREATE_TYPE_REGION, region, err);
                clReleaseMemObject(part);
                part
            })
        };
        let sizes = [16usize, 1, 1];
        let (zero, size) = ([0usize; 3], sizes.as_ptr());
        let origin = zero.as_ptr();
        let map = |flags| {
            code_of(|err| {
                let at = clEnqueueMapBuffer(queue, mem, 1, flags, 0, 16, 0, null(), null_mut(), err);
                clEnqueueUnmapMemObject(queue, mem, at, 0, null(), null_mut());
                at
            })
        };
        let refused = cl::CL_INVALID_OPERATION;
        let none = null();
        let program = world.built(
            "kernel void f(global const int *in, constant int *table, global int *out) { *out = *in + *table; }",
        );
        let kernel = world.kernel(program, "f");
        let arg = |index| clSetKernelArg(kernel, index, 8, (&raw const mem).cast());
        check(&[
            ("pointer to const", 0, &|| arg(0)),
            ("pointer to constant", 0, &|| arg(1)),
            ("pointer", cl::CL_INVALID_ARG_VALUE, &|| arg(2)),
            ("part", 0, &|| part(0)),
            ("part to write", invalid, &|| part(cl::CL_MEM_WRITE_ONLY)),
            ("write", refused, &|| clEnqueueWriteBuffer(queue, mem, 1, 0, 16, host, 0, none, null_mut())),
            ("fill", refused, &|| clEnqueueFillBuffer(queue, mem, host, 4, 0, 16, 0, none, null_mut())),
            ("copy to it", refused, &|| clEnqueueCopyBuffer(queue, plain, mem, 0, 0, 16, 0, none, null_mut())),
            ("copy from it", 0, &|| clEnqueueCopyBuffer(queue, mem, plain, 0, 0, 16, 0, none, null_mut())),
            ("rectangle to it", refused, &|| {
                clEnqueueCopyBufferRect(queue, plain, mem, origin, origin, size, 0, 0, 0, 0, 0, none, null_mut())
            }),
            ("map", 0, &|| map(cl::CL_MAP_READ)),
            ("map to write", refused, &|| map(cl::CL_MAP_WRITE)),
        ]);
        assert_eq!(clFinish(queue), 0);
        assert_eq!(clReleaseKernel(kernel), 0);
        assert_eq!(clReleaseProgram(program), 0);
        assert_eq!(clReleaseMemObject(mem), 0);
        assert_eq!(clReleaseMemObject(plain), 0);
    }
}

/// cl_khr_device_uuid: the same each time, another for each device.
#[test]
fn devices_have_identifiers() {
    let world = World::new();
    let uuid = |device, name| {
        let mut bytes = [0u8; 16];
        // SAFETY: sixteen writable bytes.
        assert_eq!(unsafe { clGetDeviceInfo(device, name, 16, bytes.as_mut_ptr().cast(), null_mut()) }, 0);
        bytes
    };
    let own = uuid(world.device, cl::CL_DEVICE_UUID_KHR);
    assert_eq!(own, uuid(world.device, cl::CL_DEVICE_UUID_KHR));
    assert_ne!(own, uuid(world.device, cl::CL_DRIVER_UUID_KHR));
    let list = [cl::CL_DEVICE_PARTITION_EQUALLY as isize, 1, 0];
    let (mut parts, mut n) = ([null_mut(); 2], 0);
    // SAFETY: a terminated list, two writable places.
    if unsafe { clCreateSubDevices(world.device, list.as_ptr(), 2, parts.as_mut_ptr(), &raw mut n) } == 0 && n == 2 {
        let [a, b] = parts.map(|part| uuid(part, cl::CL_DEVICE_UUID_KHR));
        assert!(a != b && a != own && b != own);
        // SAFETY: the sub-devices are ours.
        for part in parts {
            // SAFETY: the sub-devices are ours.
            unsafe { assert_eq!(clReleaseDevice(part), 0) };
        }
    }
}

/// cl_pocl_content_size: a kernel keeps some of its input and says how much; both arrive, on another queue, too.
#[test]
fn the_size_of_a_buffers_content_is_a_hint() {
    let (world, mut err) = (World::new(), -1);
    let source = "kernel void odd(global const uchar *in, global uchar *out, global ulong *size, int n) {
        ulong kept = 0;
        for (int i = 0; i < n; i++)
            if (in[i] & 1) out[kept++] = in[i];
        *size = kept;
    }";
    let program = world.built(source);
    let (kernel, input, output, size) =
        (world.kernel(program, "odd"), world.buffer(256), world.buffer(256), world.buffer(8));
    let bytes: [u8; 256] = std::array::from_fn(|i| (i * 7) as u8);
    let (mut kept, mut got, n) = (0u64, [0u8; 256], 256i32);
    // SAFETY: live handles, places of the sizes that are said.
    unsafe {
        assert_eq!(set_content_size(output, size), 0);
        let other = clCreateCommandQueue(world.context, world.device, 0, &raw mut err);
        assert_eq!(err, 0);
        let from = bytes.as_ptr().cast();
        assert_eq!(clEnqueueWriteBuffer(world.queue, input, 1, 0, 256, from, 0, null(), null_mut()), 0);
        for (index, mem) in (0..).zip([&input, &output, &size]) {
            assert_eq!(clSetKernelArg(kernel, index, 8, std::ptr::from_ref(mem).cast()), 0);
        }
        assert_eq!(clSetKernelArg(kernel, 3, 4, (&raw const n).cast()), 0);
        let event = run(world.queue, kernel);
        assert_eq!(clEnqueueMigrateMemObjects(other, 1, &raw const output, 0, 0, null(), null_mut()), 0);
        assert_eq!(clEnqueueReadBuffer(other, size, 1, 0, 8, (&raw mut kept).cast(), 0, null(), null_mut()), 0);
        assert_eq!(kept, 128);
        let to = got.as_mut_ptr().cast();
        assert_eq!(clEnqueueReadBuffer(other, output, 1, 0, 128, to, 0, null(), null_mut()), 0);
        let want: Vec<u8> = bytes.into_iter().filter(|byte| byte % 2 == 1).collect();
        assert_eq!(got[..128], want);
        assert_eq!(clReleaseEvent(event), 0);
        for mem in [input, output, size] {
            assert_eq!(clReleaseMemObject(mem), 0);
        }
        assert_eq!(clReleaseKernel(kernel), 0);
        assert_eq!(clReleaseProgram(program), 0);
        assert_eq!(clReleaseCommandQueue(other), 0);
    }
}

/// A buffer whose address can be asked for, and that address.
fn addressed(world: &World, flags: cl::cl_mem_flags, bytes: &mut [u64]) -> (cl::cl_mem, u64) {
    let list = [cl::CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, 1, 0];
    let (mut err, mut address, mut size) = (-1, 0u64, 0);
    // SAFETY: the list is terminated, the pointers valid.
    unsafe {
        let host = bytes.as_mut_ptr().cast();
        let size_in = size_of_val(bytes);
        let buffer = clCreateBufferWithProperties(world.context, list.as_ptr(), flags, size_in, host, &raw mut err);
        assert_eq!(err, 0);
        let name = cl::CL_MEM_DEVICE_ADDRESS_EXT;
        assert_eq!(clGetMemObjectInfo(buffer, name, 8, (&raw mut address).cast(), &raw mut size), 0);
        assert_eq!(size, 8, "one device");
        (buffer, address)
    }
}

/// A list whose nodes are in two buffers, linked by addresses; the kernel gets that of the first node.
#[test]
fn kernels_follow_addresses_of_buffers() {
    let world = World::new();
    let program = world.built(
        "struct node { global struct node *next; ulong value; };
         kernel void sum(global struct node *node, global ulong *out) {
             ulong sum = 0;
             for (; node; node = node->next)
                 sum += node->value++;
             *out = sum;
         }",
    );
    let kernel = world.kernel(program, "sum");
    // Node i of a buffer is words 2 i and 2 i + 1; nodes alternate between the buffers.
    let copy = cl::CL_MEM_COPY_HOST_PTR;
    let [(left, at_left), (right, at_right)] = [0, 1].map(|_| addressed(&world, copy, &mut [0; 200]));
    let values: [[u64; 200]; 2] = std::array::from_fn(|side| {
        std::array::from_fn(|word| match (side, word / 2, word % 2) {
            (0, i, 0) => at_right + 16 * i as u64,
            (1, 99, 0) => 0,
            (1, i, 0) => at_left + 16 * (i as u64 + 1),
            (_, i, _) => 2 * i as u64 + side as u64,
        })
    });
    let (out, at_out) = addressed(&world, copy, &mut [0]);
    let node = [at_left + 16 * 10, at_right];
    let mut result = [0u64; 1];
    let mut nodes = [0u64; 200];
    // SAFETY: live handles, places of enough bytes.
    unsafe {
        for (buffer, words) in [(left, &values[0]), (right, &values[1])] {
            let from = words.as_ptr().cast();
            assert_eq!(clEnqueueWriteBuffer(world.queue, buffer, 1, 0, 1600, from, 0, null(), null_mut()), 0);
        }
        assert_eq!(set_arg_device_pointer(kernel, 0, node[0]), 0);
        assert_eq!(set_arg_device_pointer(kernel, 1, at_out), 0);
        let name = cl::CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT;
        assert_eq!(clSetKernelExecInfo(kernel, name, 16, [at_left, at_right].as_ptr().cast()), 0);
        run(world.queue, kernel);
        assert_eq!(clEnqueueReadBuffer(world.queue, out, 1, 0, 8, (&raw mut result).cast(), 0, null(), null_mut()), 0);
        assert_eq!(result[0], (20..200).sum::<u64>(), "from the node in the middle of the buffer on");
        let to = nodes.as_mut_ptr().cast();
        assert_eq!(clEnqueueReadBuffer(world.queue, right, 1, 0, 1600, to, 0, null(), null_mut()), 0);
        assert_eq!((nodes[19], nodes[21]), (19, 22), "those before are as they were");
        // The same buffer as an object has the same address.
        assert_eq!(clSetKernelArg(kernel, 0, 8, (&raw const right).cast()), 0);
        run(world.queue, kernel);
        assert_eq!(clEnqueueReadBuffer(world.queue, out, 1, 0, 8, (&raw mut result).cast(), 0, null(), null_mut()), 0);
        // The first nine that were not met before, then those that grew by one.
        assert_eq!(result[0], (1..20).sum::<u64>() + (20..200).map(|v| v + 1).sum::<u64>());
        for buffer in [left, right, out] {
            assert_eq!(clReleaseMemObject(buffer), 0);
        }
    }
    // Memory of the host keeps its address.
    let mut words = [1u64, 2];
    let (buffer, address) = addressed(&world, cl::CL_MEM_USE_HOST_PTR, &mut words);
    assert_eq!(address, words.as_ptr().addr() as u64);
    // SAFETY: live handles.
    unsafe {
        assert_eq!(clReleaseMemObject(buffer), 0);
        assert_eq!(clReleaseKernel(kernel), 0);
        assert_eq!(clReleaseProgram(program), 0);
    }
}
