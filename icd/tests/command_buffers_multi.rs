//! cl_khr_command_buffer_multi_device: command-buffers recorded over the queues of several sub-devices, and copies of
//! them for other queues.

#![allow(unsafe_code, reason = "calls the C API")]
#![allow(clippy::undocumented_unsafe_blocks, reason = "live handles, places as large as is said")]

mod common;

use common::*;
use std::sync::Once;
use std::time::Duration;

type Buffer = cl::cl_command_buffer_khr;
type Queue = cl::cl_command_queue;

const OUT_OF_ORDER: u64 = cl::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
const SOURCE: &str = "
kernel void step_(global long *cells, int to, int a, int b) { cells[to] = 31 * cells[a] + cells[b] + 1; }
kernel void wait_for(global volatile int *flags) {
    int seen = 0;
    for (int i = 0; i < 2000000000 && !seen; i++) seen = atomic_or(&flags[0], 0);
    flags[1] = seen;
}
kernel void raise(global volatile int *flags) { atomic_or(&flags[0], 1); }
";

/// Two sub-devices of two compute units each, and their context.
struct Kit {
    world: World,
    devices: [cl::cl_device_id; 2],
    context: cl::cl_context,
    program: cl::cl_program,
}

impl Kit {
    fn new() -> Self {
        static ONCE: Once = Once::new();
        // Each test begins here, so that nothing reads the environment yet.
        ONCE.call_once(|| unsafe { std::env::set_var("CLIFT_THREADS", "4") });
        let world = World::new();
        let list = [cl::CL_DEVICE_PARTITION_EQUALLY as isize, 2, 0];
        let (mut devices, mut err) = ([null_mut(); 2], -1);
        unsafe {
            assert_eq!(clCreateSubDevices(world.device, list.as_ptr(), 2, devices.as_mut_ptr(), null_mut()), 0);
            let context = clCreateContext(null(), 2, devices.as_ptr(), None, null_mut(), &raw mut err);
            assert_eq!(err, 0);
            let text = CString::new(SOURCE).expect("no zero inside");
            let string = text.as_ptr();
            let program = clCreateProgramWithSource(context, 1, &raw const string, null(), &raw mut err);
            assert_eq!(err, 0);
            assert_eq!(clBuildProgram(program, 0, null(), null(), None, null_mut()), 0);
            Self { world, devices, context, program }
        }
    }

    fn queue(&self, device: usize, properties: u64) -> Queue {
        let mut err = -1;
        let queue = unsafe { clCreateCommandQueue(self.context, self.devices[device], properties, &raw mut err) };
        assert_eq!(err, 0);
        queue
    }

    fn mem(&self, bytes: &[u8]) -> cl::cl_mem {
        let (mut err, flags) = (-1, cl::CL_MEM_COPY_HOST_PTR);
        let from = bytes.as_ptr().cast_mut().cast();
        let mem = unsafe { clCreateBuffer(self.context, flags, bytes.len(), from, &raw mut err) };
        assert_eq!(err, 0);
        mem
    }

    fn kernel(&self, name: &str, mem: cl::cl_mem) -> cl::cl_kernel {
        let kernel = self.world.kernel(self.program, name);
        set(kernel, 0, &mem);
        kernel
    }
}

impl Drop for Kit {
    fn drop(&mut self) {
        unsafe {
            assert_eq!(clReleaseProgram(self.program), 0);
            assert_eq!(clReleaseContext(self.context), 0);
            self.devices.iter().for_each(|&device| assert_eq!(clReleaseDevice(device), 0));
        }
    }
}

fn set<T>(kernel: cl::cl_kernel, index: u32, value: &T) {
    assert_eq!(unsafe { clSetKernelArg(kernel, index, size_of::<T>(), std::ptr::from_ref(value).cast()) }, 0);
}

fn make(queues: &[Queue], properties: &[u64]) -> Buffer {
    let (mut err, list) = (-1, if properties.is_empty() { null() } else { properties.as_ptr() });
    let buffer = unsafe { clCreateCommandBufferKHR(queues.len() as u32, queues.as_ptr(), list, &raw mut err) };
    assert_eq!(err, 0);
    buffer
}

fn list(points: &[u32]) -> (u32, *const u32) {
    (points.len() as u32, if points.is_empty() { null() } else { points.as_ptr() })
}

/// Records one work-item of a kernel; gives its sync-point and its handle.
fn launch(buffer: Buffer, queue: Queue, kernel: cl::cl_kernel, points: &[u32]) -> (u32, cl::cl_mutable_command_khr) {
    let (one, (n, points), mut point, mut handle) = (1usize, list(points), 0, null_mut());
    let (none, to) = (null(), (&raw mut point, &raw mut handle));
    let one = &raw const one;
    let code =
        unsafe { clCommandNDRangeKernelKHR(buffer, queue, null(), kernel, 1, none, one, none, n, points, to.0, to.1) };
    assert_eq!(code, 0);
    (point, handle)
}

fn barrier(buffer: Buffer, queue: Queue, points: &[u32]) -> u32 {
    let ((n, points), mut point) = (list(points), 0);
    let to = &raw mut point;
    let code = unsafe { clCommandBarrierWithWaitListKHR(buffer, queue, null(), n, points, to, null_mut()) };
    assert_eq!(code, 0);
    point
}

fn finalize(buffer: Buffer) {
    assert_eq!(unsafe { clFinalizeCommandBufferKHR(buffer) }, 0);
}

fn enqueue(buffer: Buffer, queues: &[Queue], waits: &[cl::cl_event]) -> cl::cl_event {
    let mut event = null_mut();
    let to = if queues.is_empty() { null_mut() } else { queues.as_ptr().cast_mut() };
    let events = if waits.is_empty() { null() } else { waits.as_ptr() };
    let (n, m) = (queues.len() as u32, waits.len() as u32);
    assert_eq!(unsafe { clEnqueueCommandBufferKHR(n, to, buffer, m, events, &raw mut event) }, 0);
    event
}

fn ask<T: Default>(event: cl::cl_event, name: u32) -> T {
    let mut value = T::default();
    let code = unsafe { clGetEventInfo(event, name, size_of::<T>(), (&raw mut value).cast(), null_mut()) };
    assert_eq!(code, 0);
    value
}

fn status(event: cl::cl_event) -> i32 {
    ask(event, cl::CL_EVENT_COMMAND_EXECUTION_STATUS)
}

/// Waits for an event, and lets go of it.
fn finish(event: cl::cl_event) {
    unsafe {
        assert_eq!(clWaitForEvents(1, &raw const event), 0);
        assert_eq!(clReleaseEvent(event), 0);
    }
}

fn read<T: Default + Copy, const N: usize>(queue: Queue, mem: cl::cl_mem) -> [T; N] {
    let mut values = [T::default(); N];
    let (to, size) = (values.as_mut_ptr().cast(), size_of_val(&values));
    assert_eq!(unsafe { clEnqueueReadBuffer(queue, mem, 1, 0, size, to, 0, null(), null_mut()) }, 0);
    values
}

fn remap(buffer: Buffer, automatic: bool, queues: &[Queue]) -> Buffer {
    let (mut err, n, to) = (-1, queues.len() as u32, queues.as_ptr().cast_mut());
    let none = null_mut();
    let copy = unsafe { clRemapCommandBufferKHR(buffer, automatic.into(), n, to, 0, none, none, &raw mut err) };
    assert_eq!(err, 0);
    copy
}

fn release_buffers(buffers: &[Buffer]) {
    buffers.iter().for_each(|&buffer| assert_eq!(unsafe { clReleaseCommandBufferKHR(buffer) }, 0));
}

fn release_queues(queues: &[Queue]) {
    queues.iter().for_each(|&queue| assert_eq!(unsafe { clReleaseCommandQueue(queue) }, 0));
}

/// What waits on one sub-device sees what is recorded after it for the other one.
#[test]
fn commands_on_several_devices_run_at_once() {
    let kit = Kit::new();
    let flags = kit.mem(&[0; 8]);
    let [wait_for, raise] = ["wait_for", "raise"].map(|name| kit.kernel(name, flags));
    let queues = [kit.queue(0, cl::CL_QUEUE_PROFILING_ENABLE), kit.queue(1, cl::CL_QUEUE_PROFILING_ENABLE)];
    let buffer = make(&queues, &[]);
    launch(buffer, queues[0], wait_for, &[]);
    launch(buffer, queues[1], raise, &[]);
    finalize(buffer);
    let event = enqueue(buffer, &[], &[]);
    unsafe {
        assert_eq!(clFlush(queues[0]), 0);
        assert_eq!(clWaitForEvents(1, &raw const event), 0);
        assert_eq!(read::<i32, 2>(queues[0], flags), [1, 1]);
        assert_eq!(ask::<usize>(event, cl::CL_EVENT_COMMAND_QUEUE), 0, "of several queues");
        assert_eq!(ask::<u32>(event, cl::CL_EVENT_COMMAND_TYPE), cl::CL_COMMAND_COMMAND_BUFFER_KHR as u32);
        let names = [
            cl::CL_PROFILING_COMMAND_QUEUED,
            cl::CL_PROFILING_COMMAND_SUBMIT,
            cl::CL_PROFILING_COMMAND_START,
            cl::CL_PROFILING_COMMAND_END,
        ];
        let times = names.map(|name| {
            let mut time = 0u64;
            assert_eq!(clGetEventProfilingInfo(event, name, 8, (&raw mut time).cast(), null_mut()), 0);
            time
        });
        assert!(times[0] > 0 && times.is_sorted() && times[2] < times[3], "{times:?}");
        assert_eq!(clReleaseEvent(event), 0);
        // Of two queues one has no times.
        let plain = kit.queue(1, 0);
        let event = enqueue(buffer, &[queues[0], plain], &[]);
        assert_eq!(clWaitForEvents(1, &raw const event), 0);
        let code = clGetEventProfilingInfo(event, names[0], 8, null_mut(), null_mut());
        assert_eq!(code, cl::CL_PROFILING_INFO_NOT_AVAILABLE);
        assert_eq!(clReleaseEvent(event), 0);
        release_buffers(&[buffer]);
        release_queues(&[queues[0], queues[1], plain]);
        [wait_for, raise].iter().for_each(|&kernel| assert_eq!(clReleaseKernel(kernel), 0));
        assert_eq!(clReleaseMemObject(flags), 0);
    }
}

/// Numbers that seem random.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }
}

const CELLS: usize = 6;

/// Random commands on cells, whose order is kept by sync-points, in-order queues and barriers: by no more than that.
fn record(
    random: &mut Random,
    kit: &Kit,
    mem: cl::cl_mem,
    queues: &[Queue],
    in_order: &[bool],
) -> (Buffer, [i64; CELLS]) {
    let kernel = kit.kernel("step_", mem);
    let buffer = make(queues, &[]);
    let mut cells = [1i64, 2, 3, 4, 5, 6];
    // Since the last barrier: queue, sync-point, cells.
    let mut before: Vec<(usize, u32, [usize; 3])> = Vec::new();
    for _ in 0..60 {
        let queue = random.below(queues.len());
        if random.below(12) == 0 {
            let points: Vec<u32> = before.iter().map(|command| command.1).collect();
            barrier(buffer, queues[queue], if random.below(2) == 0 { &points } else { &[] });
            before.clear();
            continue;
        }
        let [to, a, b] = [0; 3].map(|_| random.below(CELLS));
        let conflicts = |other: &&(usize, u32, [usize; 3])| other.2[0] == a || other.2[0] == b || other.2.contains(&to);
        let is_kept = |other: &&(usize, u32, [usize; 3])| other.0 == queue && in_order[queue];
        let needed = before.iter().filter(conflicts).filter(|other| !is_kept(other));
        let points: Vec<u32> = needed.map(|command| command.1).collect();
        for (index, value) in (1..).zip([to, a, b]) {
            set(kernel, index, &(value as i32));
        }
        let (point, _) = launch(buffer, queues[queue], kernel, &points);
        before.push((queue, point, [to, a, b]));
        cells[to] = cells[a].wrapping_mul(31).wrapping_add(cells[b]).wrapping_add(1);
    }
    assert_eq!(unsafe { clReleaseKernel(kernel) }, 0);
    (buffer, cells)
}

#[test]
fn random_command_buffers_and_their_copies_keep_their_order() {
    let kit = Kit::new();
    let start: Vec<u8> = (1..=CELLS as i64).flat_map(i64::to_ne_bytes).collect();
    let mem = kit.mem(&start);
    let in_order = [true, false, true];
    let queues = [kit.queue(0, 0), kit.queue(1, OUT_OF_ORDER), kit.queue(1, 0)];
    let others = [kit.queue(1, OUT_OF_ORDER), kit.queue(0, OUT_OF_ORDER), kit.queue(0, 0)];
    for seed in 0..12 {
        let (buffer, want) = record(&mut Random(seed), &kit, mem, &queues, &in_order);
        let while_open = remap(buffer, false, &others);
        [buffer, while_open].into_iter().for_each(finalize);
        let all = [
            buffer,
            while_open,
            remap(buffer, false, &others),
            remap(buffer, true, &others),
            remap(buffer, true, &others[..2]),
            remap(buffer, true, &queues[..1]),
            remap(while_open, true, &[queues[1], queues[1], queues[0]]),
            remap(while_open, false, &[queues[0], queues[1], queues[0]]),
        ];
        for (i, &one) in all.iter().enumerate() {
            let from = start.as_ptr().cast();
            let code = unsafe { clEnqueueWriteBuffer(queues[0], mem, 1, 0, 8 * CELLS, from, 0, null(), null_mut()) };
            assert_eq!(code, 0);
            finish(enqueue(one, &[], &[]));
            assert_eq!(read::<i64, CELLS>(queues[0], mem), want, "seed {seed}, copy {i}");
        }
        release_buffers(&all);
    }
    release_queues(&queues);
    release_queues(&others);
    assert_eq!(unsafe { clReleaseMemObject(mem) }, 0);
}

/// Commands before and after on the queues, waits, failures, cancelling.
#[test]
fn an_execution_stands_in_the_order_of_each_queue() {
    let kit = Kit::new();
    let (mem, mut err) = (kit.mem(&[0; 8 * CELLS]), -1);
    let kernel = kit.kernel("step_", mem);
    let queues = [kit.queue(0, 0), kit.queue(1, 0)];
    let buffer = make(&queues, &[]);
    // 2 ← 1 + 1, 3 ← 31 · 1 + 2 …: what comes first can be seen.
    for (queue, [to, a, b]) in [(0, [0i32, 0, 0]), (1, [1, 1, 1]), (0, [2, 0, 0])] {
        (1..).zip([to, a, b]).for_each(|(index, value)| set(kernel, index, &value));
        launch(buffer, queues[queue], kernel, &[]);
    }
    finalize(buffer);
    let [ten, gate_code] = [10i64, -5];
    unsafe {
        let fill = |queue: Queue, cell: usize, waits: &[cl::cl_event]| {
            let (n, events) = (waits.len() as u32, if waits.is_empty() { null() } else { waits.as_ptr() });
            let (pattern, none) = ((&raw const ten).cast(), null_mut());
            assert_eq!(clEnqueueFillBuffer(queue, mem, pattern, 8, 8 * cell, 8, n, events, none), 0);
        };
        let gate = |code: &mut i32| {
            let event = clCreateUserEvent(kit.context, code);
            assert_eq!(*code, 0);
            event
        };
        // After what came before on its queue; later commands of both queues come after all of it.
        let event = gate(&mut err);
        fill(queues[1], 1, &[event]);
        let whole = enqueue(buffer, &[], &[]);
        let mut later = null_mut();
        assert_eq!(clEnqueueMarkerWithWaitList(queues[0], 0, null(), &raw mut later), 0);
        assert_eq!(clFlush(queues[0]), 0);
        std::thread::sleep(Duration::from_millis(20));
        assert!(status(whole) > 0 && status(later) > 0);
        assert_eq!(clSetUserEventStatus(event, 0), 0);
        assert_eq!(clFinish(queues[1]), 0);
        assert_eq!(status(whole), 0, "clFinish of any of its queues waits for all of it");
        finish(whole);
        finish(later);
        assert_eq!(read::<i64, 3>(queues[0], mem), [1, 32 * 10 + 1, 33]);
        assert_eq!(clReleaseEvent(event), 0);
        // Its wait fails: nothing runs.
        let event = gate(&mut err);
        let whole = enqueue(buffer, &[], &[event]);
        assert_eq!(clSetUserEventStatus(event, gate_code as i32), 0);
        let failed = cl::CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
        assert_eq!((clWaitForEvents(1, &raw const whole), status(whole)), (failed, -5));
        [whole, event].iter().for_each(|&event| assert_eq!(clReleaseEvent(event), 0));
        // It is cancelled.
        let event = gate(&mut err);
        let whole = enqueue(buffer, &[], &[event]);
        assert_eq!(cancel_commands(&raw const whole, 1), 0);
        assert_eq!(status(whole), cl::CL_CANCELLED_IMG);
        assert_eq!(clSetUserEventStatus(event, 0), 0);
        queues.iter().for_each(|&queue| assert_eq!(clFinish(queue), 0));
        [whole, event].iter().for_each(|&event| assert_eq!(clReleaseEvent(event), 0));
        assert_eq!(read::<i64, 3>(queues[0], mem), [1, 321, 33], "as it was");
        // An empty one ends, after its waits.
        let empty = make(&queues, &[]);
        finalize(empty);
        let event = gate(&mut err);
        let whole = enqueue(empty, &[], &[event]);
        assert!(status(whole) > 0);
        assert_eq!(clSetUserEventStatus(event, 0), 0);
        finish(whole);
        assert_eq!(clReleaseEvent(event), 0);
        release_buffers(&[buffer, empty]);
        release_queues(&queues);
        assert_eq!(clReleaseKernel(kernel), 0);
        assert_eq!(clReleaseMemObject(mem), 0);
    }
}

/// A kernel of the copy is changed, the one of the original is not.
#[test]
fn handles_of_copies() {
    let kit = Kit::new();
    let cells = [0i64, 100, 1000];
    let mem = kit.mem(&cells.map(i64::to_ne_bytes).concat());
    let kernel = kit.kernel("step_", mem);
    let queues = [kit.queue(0, 0), kit.queue(1, 0)];
    let buffer = make(&queues, &[u64::from(cl::CL_COMMAND_BUFFER_FLAGS_KHR), 2, 0]);
    (1..).zip([0i32, 1, 2]).for_each(|(index, value)| set(kernel, index, &value));
    let (_, other) = launch(buffer, queues[0], kernel, &[]);
    let (_, handle) = launch(buffer, queues[1], kernel, &[]);
    finalize(buffer);
    let (mut given, mut got, mut err) = ([handle, other], [null_mut(); 2], -1);
    let swapped = [queues[1], queues[0]];
    unsafe {
        let (n, to) = (2, swapped.as_ptr().cast_mut());
        let copy = clRemapCommandBufferKHR(buffer, 0, n, to, n, given.as_mut_ptr(), got.as_mut_ptr(), &raw mut err);
        assert_eq!(err, 0);
        assert!(got.iter().all(|new| !new.is_null() && !given.contains(new)) && got[0] != got[1]);
        for (command, queue, of) in [(handle, queues[1], buffer), (got[0], queues[0], copy), (got[1], queues[1], copy)]
        {
            let names = [cl::CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR, cl::CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR];
            for (name, want) in names.into_iter().zip([queue, of]) {
                let mut object = null_mut::<c_void>();
                let code = clGetMutableCommandInfoKHR(command, name, 8, (&raw mut object).cast(), null_mut());
                assert_eq!((code, object), (0, want));
            }
        }
        let two = 2i32;
        let arg = cl::cl_mutable_dispatch_arg_khr { arg_index: 2, arg_size: 4, arg_value: (&raw const two).cast() };
        let config = |command| cl::cl_mutable_dispatch_config_khr {
            command,
            num_args: 1,
            num_svm_args: 0,
            num_exec_infos: 0,
            work_dim: 0,
            arg_list: &raw const arg,
            arg_svm_list: null(),
            exec_info_list: null(),
            global_work_offset: null(),
            global_work_size: null(),
            local_work_size: null(),
        };
        let update = |buffer, command| {
            let (kind, config) = (cl::CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR, config(command));
            let config = (&raw const config).cast::<c_void>();
            clUpdateMutableCommandsKHR(buffer, 1, &raw const kind, &raw const config)
        };
        assert_eq!(update(copy, handle), cl::CL_INVALID_MUTABLE_COMMAND_KHR, "of the original");
        got.iter().for_each(|&command| assert_eq!(update(copy, command), 0));
        finish(enqueue(copy, &[], &[]));
        assert_eq!(read::<i64, 1>(queues[0], mem), [32_001]);
        finish(enqueue(buffer, &[], &[]));
        assert_eq!(read::<i64, 1>(queues[0], mem), [4_101]);
        // The original goes first.
        release_buffers(&[buffer]);
        finish(enqueue(copy, &[], &[]));
        assert_eq!(read::<i64, 1>(queues[0], mem), [32_001]);
        release_buffers(&[copy]);
        release_queues(&queues);
        assert_eq!(clReleaseKernel(kernel), 0);
        assert_eq!(clReleaseMemObject(mem), 0);
    }
}

#[test]
fn bad_input() {
    let (kit, other) = (Kit::new(), World::new());
    let queues = [kit.queue(0, 0), kit.queue(1, 0)];
    let stranger = kit.queue(0, 0);
    let mem = kit.mem(&[0; 64]);
    let kernel = kit.kernel("raise", mem);
    let side = [u64::from(cl::CL_COMMAND_BUFFER_FLAGS_KHR), 4, 0];
    let (buffer, open, alone) = (make(&queues, &side), make(&queues, &[]), make(&queues[..1], &[]));
    let (_, handle) = launch(buffer, queues[0], kernel, &[]);
    let (_, foreign) = launch(open, queues[0], kernel, &[]);
    finalize(buffer);
    let create = |n, list: &[Queue]| {
        let from = if list.is_empty() { null() } else { list.as_ptr() };
        code_of(|err| unsafe {
            let made = clCreateCommandBufferKHR(n, from, null(), err);
            clReleaseCommandBufferKHR(made);
            made
        })
    };
    let record = |buffer, queue| unsafe {
        clCommandBarrierWithWaitListKHR(buffer, queue, null(), 0, null(), null_mut(), null_mut())
    };
    let run = |list: &[Queue]| unsafe {
        let n = list.len() as u32;
        clEnqueueCommandBufferKHR(n, list.as_ptr().cast_mut(), buffer, 0, null(), null_mut())
    };
    let copy = |buffer, automatic, list: &[Queue], n, handles: &[cl::cl_mutable_command_khr], returns: bool| {
        let mut got = [null_mut(); 4];
        let to = if returns { got.as_mut_ptr() } else { null_mut() };
        let pointer = |list: &[*mut c_void]| if list.is_empty() { null_mut() } else { list.as_ptr().cast_mut() };
        let (queues, handles) = ((list.len() as u32, pointer(list)), pointer(handles));
        let code = code_of(|err| unsafe {
            let made = clRemapCommandBufferKHR(buffer, automatic, queues.0, queues.1, n, handles, to, err);
            clReleaseCommandBufferKHR(made);
            made
        });
        assert!(code == 0 || got == [null_mut(); 4], "handles are given only if there is a copy");
        code
    };
    let (value, queue_code, context) = (cl::CL_INVALID_VALUE, cl::CL_INVALID_COMMAND_QUEUE, cl::CL_INVALID_CONTEXT);
    let bad_buffer = cl::CL_INVALID_COMMAND_BUFFER_KHR;
    let [a, b] = queues;
    check(&[
        ("two queues", 0, &|| create(2, &queues)),
        ("one queue twice", 0, &|| create(2, &[a, a])),
        ("queues of none", value, &|| create(0, &queues)),
        ("no queues", value, &|| create(2, &[])),
        ("one is null", queue_code, &|| create(2, &[a, null_mut()])),
        ("one is a context", queue_code, &|| create(2, &[a, kit.context])),
        ("two contexts", context, &|| create(2, &[a, other.queue])),
        ("recorded for one", 0, &|| record(open, b)),
        ("recorded for none", queue_code, &|| record(open, null_mut())),
        ("recorded for the only one", 0, &|| record(alone, null_mut())),
        ("recorded for the only one by name", 0, &|| record(alone, a)),
        ("recorded for another", queue_code, &|| record(open, stranger)),
        ("recorded for one of another context", context, &|| record(open, other.queue)),
        ("recorded for what is no queue", queue_code, &|| record(open, kit.context)),
        ("on others of the same devices", 0, &|| run(&[stranger, b])),
        ("on one", value, &|| run(&[a])),
        ("on three", value, &|| run(&[a, b, b])),
        ("on other devices", cl::CL_INVALID_DEVICE, &|| run(&[b, a])),
        ("on no queue", queue_code, &|| run(&[a, null_mut()])),
        ("copy", 0, &|| copy(buffer, 0, &[b, a], 0, &[], false)),
        ("copy with a handle", 0, &|| copy(buffer, 0, &[b, a], 1, &[handle], true)),
        ("copy by itself", 0, &|| copy(buffer, 1, &[b], 1, &[handle], true)),
        ("copy of none", bad_buffer, &|| copy(null_mut(), 0, &[b, a], 0, &[], false)),
        ("copy of a queue", bad_buffer, &|| copy(a, 0, &[b, a], 0, &[], false)),
        ("copy for none", value, &|| copy(buffer, 1, &[], 0, &[], false)),
        ("copy for too few", value, &|| copy(buffer, 0, &[b], 0, &[], false)),
        ("copy for null", queue_code, &|| copy(buffer, 0, &[b, null_mut()], 0, &[], false)),
        ("copy for another context", context, &|| copy(buffer, 0, &[b, other.queue], 0, &[], false)),
        ("no handles", value, &|| copy(buffer, 0, &[b, a], 1, &[], true)),
        ("nowhere to put handles", value, &|| copy(buffer, 0, &[b, a], 1, &[handle], false)),
        ("handles of none", value, &|| copy(buffer, 0, &[b, a], 0, &[handle], false)),
        ("places of none", value, &|| copy(buffer, 0, &[b, a], 0, &[], true)),
        ("a handle of another", value, &|| copy(buffer, 0, &[b, a], 2, &[handle, foreign], true)),
        ("a handle that is none", value, &|| copy(buffer, 0, &[b, a], 1, &[kernel], true)),
    ]);
    unsafe {
        for queue in [a, b, stranger] {
            assert_eq!(clFinish(queue), 0);
        }
        release_buffers(&[buffer, open, alone]);
        release_queues(&[a, b, stranger]);
        assert_eq!(clReleaseKernel(kernel), 0);
        assert_eq!(clReleaseMemObject(mem), 0);
    }
}

/// What the platform and its devices say of it.
#[test]
fn queries() {
    let kit = Kit::new();
    let (platform, root) = (kit.world.platform, kit.world.device);
    let queues = [kit.queue(0, 0), kit.queue(1, 0)];
    let buffer = make(&queues, &[]);
    let (mut word, mut handles, mut size) = (0u64, [null_mut::<c_void>(); 3], 0);
    unsafe {
        let name = cl::CL_PLATFORM_COMMAND_BUFFER_CAPABILITIES_KHR;
        assert_eq!(clGetPlatformInfo(platform, name, 8, (&raw mut word).cast(), null_mut()), 0);
        assert_eq!(word, 7, "universal sync, explicit and automatic copies");
        for device in [root, kit.devices[1]] {
            let name = cl::CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR;
            assert_eq!(clGetDeviceInfo(device, name, 8, (&raw mut word).cast(), null_mut()), 0);
            assert_ne!(word & cl::CL_COMMAND_BUFFER_CAPABILITY_MULTIPLE_QUEUE_KHR, 0);
            let name = cl::CL_DEVICE_COMMAND_BUFFER_SYNC_DEVICES_KHR;
            assert_eq!(clGetDeviceInfo(device, name, 24, handles.as_mut_ptr().cast(), &raw mut size), 0);
            assert_eq!((handles[0], size), (root, 8));
        }
        let name = cl::CL_COMMAND_BUFFER_QUEUES_KHR;
        assert_eq!(clGetCommandBufferInfoKHR(buffer, name, 24, handles.as_mut_ptr().cast(), &raw mut size), 0);
        assert_eq!((&handles[..2], size), (&queues[..], 16));
        let name = cl::CL_COMMAND_BUFFER_NUM_QUEUES_KHR;
        assert_eq!(clGetCommandBufferInfoKHR(buffer, name, 8, (&raw mut word).cast(), &raw mut size), 0);
        assert_eq!((word as u32, size), (2, 4));
    }
    release_buffers(&[buffer]);
    release_queues(&queues);
}
