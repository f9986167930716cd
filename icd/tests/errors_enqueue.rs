//! What all commands of queues have in common, for every function that enqueues one: the conditions on the queue, the
//! wait list and the contexts of both, and a call that is right.

#![allow(unsafe_code, reason = "calls the C API")]
#![allow(clippy::undocumented_unsafe_blocks, reason = "every row passes live objects of the kit, or bad handles")]

mod common;

use clift::dispatch::ENTRIES;
use common::*;
use std::os::fd::IntoRawFd;

/// Objects that the calls work on.
struct Kit {
    world: World,
    buffer: cl::cl_mem,
    target: cl::cl_mem,
    image: cl::cl_mem,
    picture: cl::cl_mem,
    program: cl::cl_program,
    kernel: cl::cl_kernel,
    semaphore: cl::cl_semaphore_khr,
    /// A buffer in memory from outside.
    external: cl::cl_mem,
    /// A finalized command-buffer without commands.
    commands: cl::cl_command_buffer_khr,
    /// 1024 bytes of the device, shared memory and the host's.
    svm: *mut c_void,
    usm: *mut c_void,
    host: Box<[u64; 128]>,
}

impl Kit {
    fn new() -> Self {
        let world = World::new();
        let program = world.program("int cells[16]; kernel void k(global int *a) { a[get_global_id(0)] = cells[0]; }");
        assert_eq!(unsafe { clBuildProgram(program, 0, null(), c"-cl-std=CL2.0".as_ptr(), None, null_mut()) }, 0);
        let kernel = world.kernel(program, "k");
        let (buffer, target) = (world.buffer(1024), world.buffer(1024));
        let format =
            cl::cl_image_format { image_channel_order: cl::CL_RGBA, image_channel_data_type: cl::CL_UNORM_INT8 };
        let image = || {
            let mut err = -1;
            // SAFETY: a valid format, no memory of the host.
            let image = unsafe {
                let flags = cl::CL_MEM_READ_WRITE;
                clCreateImage2D(world.context, flags, &raw const format, 4, 4, 0, null_mut(), &raw mut err)
            };
            assert_eq!(err, 0);
            image
        };
        let (image, picture) = (image(), image());
        let list = [u64::from(cl::CL_SEMAPHORE_TYPE_KHR), 1, 0];
        // SAFETY: live handles, a terminated list.
        unsafe {
            assert_eq!(clSetKernelArg(kernel, 0, 8, (&raw const buffer).cast()), 0);
            let semaphore = clCreateSemaphoreWithPropertiesKHR(world.context, list.as_ptr(), null_mut());
            let commands = clCreateCommandBufferKHR(1, &raw const world.queue, null(), null_mut());
            assert_eq!(clFinalizeCommandBufferKHR(commands), 0);
            let svm = clSVMAlloc(world.context, 0, 1024, 0);
            let usm = host_mem_alloc(world.context, null(), 1024, 0, null_mut());
            assert!(!semaphore.is_null() && !svm.is_null() && !usm.is_null());
            let host = Box::new([0; 128]);
            let file = tempfile::tempfile().expect("a file");
            file.set_len(64).expect("there is room");
            let list = [cl::CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, file.into_raw_fd() as u64, 0];
            let external = clCreateBufferWithProperties(world.context, list.as_ptr(), 0, 64, null_mut(), null_mut());
            assert!(!external.is_null());
            Self {
                world,
                buffer,
                target,
                image,
                picture,
                program,
                kernel,
                semaphore,
                external,
                commands,
                svm,
                usm,
                host,
            }
        }
    }

    fn host(&self) -> *mut c_void {
        self.host.as_ptr().cast_mut().cast()
    }
}

impl Drop for Kit {
    fn drop(&mut self) {
        unsafe {
            clFinish(self.world.queue);
            for mem in [self.buffer, self.target, self.image, self.picture, self.external] {
                clReleaseMemObject(mem);
            }
            clReleaseKernel(self.kernel);
            clReleaseProgram(self.program);
            clReleaseSemaphoreKHR(self.semaphore);
            clReleaseCommandBufferKHR(self.commands);
            clSVMFree(self.world.context, self.svm);
            mem_free(self.world.context, self.usm);
        }
    }
}

/// What every call ends with.
#[derive(Clone, Copy)]
struct Ends {
    queue: cl::cl_command_queue,
    n: u32,
    waits: *const cl::cl_event,
    event: *mut cl::cl_event,
}

/// A function, the type of its command, the code on a queue of another context (0: it has no objects of a context), and
/// the call.
struct Row {
    name: &'static str,
    command: u32,
    foreign: cl::cl_int,
    call: unsafe fn(&Kit, Ends) -> cl::cl_int,
}

const fn row(name: &'static str, command: u32, foreign: cl::cl_int, call: unsafe fn(&Kit, Ends) -> cl::cl_int) -> Row {
    Row { name, command, foreign, call }
}

static ZERO: [usize; 3] = [0; 3];
static FOUR: [usize; 3] = [4, 4, 1];
const OTHER: cl::cl_int = cl::CL_INVALID_CONTEXT;

unsafe extern "C" fn nothing(_: *mut c_void) {}

/// The code of a call that gives an address.
fn address(call: impl FnOnce(*mut cl::cl_int) -> *mut c_void) -> cl::cl_int {
    let mut err = 1;
    assert_eq!(call(&raw mut err).is_null(), err != 0);
    err
}

const ROWS: &[Row] = &[
    row("clEnqueueReadBuffer", 0x11F3, OTHER, |k, e| unsafe {
        clEnqueueReadBuffer(e.queue, k.buffer, 1, 0, 64, k.host(), e.n, e.waits, e.event)
    }),
    row("clEnqueueWriteBuffer", 0x11F4, OTHER, |k, e| unsafe {
        clEnqueueWriteBuffer(e.queue, k.buffer, 1, 0, 64, k.host(), e.n, e.waits, e.event)
    }),
    row("clEnqueueCopyBuffer", 0x11F5, OTHER, |k, e| unsafe {
        clEnqueueCopyBuffer(e.queue, k.buffer, k.target, 0, 0, 64, e.n, e.waits, e.event)
    }),
    row("clEnqueueReadBufferRect", 0x1201, OTHER, |k, e| unsafe {
        let (zero, region) = (ZERO.as_ptr(), FOUR.as_ptr());
        clEnqueueReadBufferRect(e.queue, k.buffer, 1, zero, zero, region, 0, 0, 0, 0, k.host(), e.n, e.waits, e.event)
    }),
    row("clEnqueueWriteBufferRect", 0x1202, OTHER, |k, e| unsafe {
        let (zero, region) = (ZERO.as_ptr(), FOUR.as_ptr());
        clEnqueueWriteBufferRect(e.queue, k.buffer, 1, zero, zero, region, 0, 0, 0, 0, k.host(), e.n, e.waits, e.event)
    }),
    row("clEnqueueCopyBufferRect", 0x1203, OTHER, |k, e| unsafe {
        let (zero, region) = (ZERO.as_ptr(), FOUR.as_ptr());
        clEnqueueCopyBufferRect(e.queue, k.buffer, k.target, zero, zero, region, 0, 0, 0, 0, e.n, e.waits, e.event)
    }),
    row("clEnqueueFillBuffer", 0x1207, OTHER, |k, e| unsafe {
        clEnqueueFillBuffer(e.queue, k.buffer, k.host(), 4, 0, 64, e.n, e.waits, e.event)
    }),
    row("clEnqueueReadImage", 0x11F6, OTHER, |k, e| unsafe {
        let (zero, region) = (ZERO.as_ptr(), FOUR.as_ptr());
        clEnqueueReadImage(e.queue, k.image, 1, zero, region, 0, 0, k.host(), e.n, e.waits, e.event)
    }),
    row("clEnqueueWriteImage", 0x11F7, OTHER, |k, e| unsafe {
        let (zero, region) = (ZERO.as_ptr(), FOUR.as_ptr());
        clEnqueueWriteImage(e.queue, k.image, 1, zero, region, 0, 0, k.host(), e.n, e.waits, e.event)
    }),
    row("clEnqueueCopyImage", 0x11F8, OTHER, |k, e| unsafe {
        let (zero, region) = (ZERO.as_ptr(), FOUR.as_ptr());
        clEnqueueCopyImage(e.queue, k.image, k.picture, zero, zero, region, e.n, e.waits, e.event)
    }),
    row("clEnqueueCopyImageToBuffer", 0x11F9, OTHER, |k, e| unsafe {
        let (zero, region) = (ZERO.as_ptr(), FOUR.as_ptr());
        clEnqueueCopyImageToBuffer(e.queue, k.image, k.buffer, zero, region, 0, e.n, e.waits, e.event)
    }),
    row("clEnqueueCopyBufferToImage", 0x11FA, OTHER, |k, e| unsafe {
        let (zero, region) = (ZERO.as_ptr(), FOUR.as_ptr());
        clEnqueueCopyBufferToImage(e.queue, k.buffer, k.image, 0, zero, region, e.n, e.waits, e.event)
    }),
    row("clEnqueueFillImage", 0x1208, OTHER, |k, e| unsafe {
        let (zero, region) = (ZERO.as_ptr(), FOUR.as_ptr());
        clEnqueueFillImage(e.queue, k.image, k.host(), zero, region, e.n, e.waits, e.event)
    }),
    row("clEnqueueMapBuffer", 0x11FB, OTHER, |k, e| {
        address(|err| unsafe { clEnqueueMapBuffer(e.queue, k.target, 1, 1, 0, 64, e.n, e.waits, e.event, err) })
    }),
    row("clEnqueueMapImage", 0x11FC, OTHER, |k, e| {
        let (zero, region, mut pitch) = (ZERO.as_ptr(), FOUR.as_ptr(), 0);
        let pitch = &raw mut pitch;
        address(|err| unsafe {
            let none = null_mut();
            clEnqueueMapImage(e.queue, k.picture, 1, 1, zero, region, pitch, none, e.n, e.waits, e.event, err)
        })
    }),
    row("clEnqueueUnmapMemObject", 0x11FD, OTHER, |k, e| unsafe {
        let own = k.world.queue;
        let mapped = clEnqueueMapBuffer(own, k.buffer, 1, 1, 0, 64, 0, null(), null_mut(), null_mut());
        let code = clEnqueueUnmapMemObject(e.queue, k.buffer, mapped, e.n, e.waits, e.event);
        if code != 0 {
            assert_eq!(clEnqueueUnmapMemObject(own, k.buffer, mapped, 0, null(), null_mut()), 0);
        }
        code
    }),
    row("clEnqueueMigrateMemObjects", 0x1206, OTHER, |k, e| unsafe {
        clEnqueueMigrateMemObjects(e.queue, 1, &raw const k.buffer, 0, e.n, e.waits, e.event)
    }),
    row("clEnqueueNDRangeKernel", 0x11F0, OTHER, |k, e| unsafe {
        let sizes = FOUR.as_ptr();
        clEnqueueNDRangeKernel(e.queue, k.kernel, 1, null(), sizes, null(), e.n, e.waits, e.event)
    }),
    row("clEnqueueTask", 0x11F1, OTHER, |k, e| unsafe { clEnqueueTask(e.queue, k.kernel, e.n, e.waits, e.event) }),
    row("clEnqueueNativeKernel", 0x11F2, OTHER, |k, e| unsafe {
        let mut args = [k.buffer];
        let (args, size) = (args.as_mut_ptr().cast::<c_void>(), size_of::<cl::cl_mem>());
        let (mem, place) = (&raw const k.buffer, args.cast_const());
        clEnqueueNativeKernel(e.queue, Some(nothing), args, size, 1, mem, &raw const place, e.n, e.waits, e.event)
    }),
    row("clEnqueueMarkerWithWaitList", 0x11FE, 0, |_, e| unsafe {
        clEnqueueMarkerWithWaitList(e.queue, e.n, e.waits, e.event)
    }),
    row("clEnqueueBarrierWithWaitList", 0x1205, 0, |_, e| unsafe {
        clEnqueueBarrierWithWaitList(e.queue, e.n, e.waits, e.event)
    }),
    row("clEnqueueSVMFree", 0x1209, 0, |_, e| unsafe {
        clEnqueueSVMFree(e.queue, 0, null_mut(), None, null_mut(), e.n, e.waits, e.event)
    }),
    row("clEnqueueSVMMemcpyWithPropertiesKHR", 0x120A, 0, |k, e| unsafe {
        clEnqueueSVMMemcpyWithPropertiesKHR(e.queue, null(), 1, k.svm, k.host(), 64, e.n, e.waits, e.event)
    }),
    row("clEnqueueSVMMemcpy", 0x120A, 0, |k, e| unsafe {
        clEnqueueSVMMemcpy(e.queue, 1, k.svm, k.host(), 64, e.n, e.waits, e.event)
    }),
    row("clEnqueueSVMMemFill", 0x120B, 0, |k, e| unsafe {
        clEnqueueSVMMemFill(e.queue, k.svm, k.host(), 4, 64, e.n, e.waits, e.event)
    }),
    row("clEnqueueSVMMap", 0x120C, 0, |k, e| unsafe {
        clEnqueueSVMMap(e.queue, 1, 1, k.svm, 64, e.n, e.waits, e.event)
    }),
    row("clEnqueueSVMUnmap", 0x120D, 0, |k, e| unsafe { clEnqueueSVMUnmap(e.queue, k.svm, e.n, e.waits, e.event) }),
    row("clEnqueueAcquireExternalMemObjectsKHR", 0x2047, cl::CL_INVALID_COMMAND_QUEUE, |k, e| unsafe {
        clEnqueueAcquireExternalMemObjectsKHR(e.queue, 1, &raw const k.external, e.n, e.waits, e.event)
    }),
    row("clEnqueueReleaseExternalMemObjectsKHR", 0x2048, cl::CL_INVALID_COMMAND_QUEUE, |k, e| unsafe {
        clEnqueueReleaseExternalMemObjectsKHR(e.queue, 1, &raw const k.external, e.n, e.waits, e.event)
    }),
    row("clEnqueueMigrateMemObjectEXT", 0x4040, OTHER, |k, e| unsafe {
        clEnqueueMigrateMemObjectEXT(e.queue, 1, &raw const k.buffer, 0, e.n, e.waits, e.event)
    }),
    row("clEnqueueSVMMigrateMem", 0x120E, cl::CL_INVALID_VALUE, |k, e| unsafe {
        let svm = k.svm.cast_const();
        clEnqueueSVMMigrateMem(e.queue, 1, &raw const svm, null(), 0, e.n, e.waits, e.event)
    }),
    row("clEnqueueMemFillINTEL", 0x4204, 0, |k, e| unsafe {
        clEnqueueMemFillINTEL(e.queue, k.usm, k.host(), 4, 64, e.n, e.waits, e.event)
    }),
    row("clEnqueueMemcpyINTEL", 0x4205, 0, |k, e| unsafe {
        clEnqueueMemcpyINTEL(e.queue, 1, k.usm, k.host(), 64, e.n, e.waits, e.event)
    }),
    row("clEnqueueMigrateMemINTEL", 0x4206, 0, |k, e| unsafe {
        clEnqueueMigrateMemINTEL(e.queue, k.usm, 64, 0, e.n, e.waits, e.event)
    }),
    row("clEnqueueMemAdviseINTEL", 0x4207, 0, |k, e| unsafe {
        clEnqueueMemAdviseINTEL(e.queue, k.usm, 64, 0, e.n, e.waits, e.event)
    }),
    row("clEnqueueReadGlobalVariableINTEL", 0x418E, OTHER, |k, e| unsafe {
        let name = c"cells".as_ptr();
        clEnqueueReadGlobalVariableINTEL(e.queue, k.program, name, 1, 60, 4, k.host(), e.n, e.waits, e.event)
    }),
    row("clEnqueueWriteGlobalVariableINTEL", 0x418F, OTHER, |k, e| unsafe {
        let name = c"cells".as_ptr();
        clEnqueueWriteGlobalVariableINTEL(e.queue, k.program, name, 1, 64, 0, k.host(), e.n, e.waits, e.event)
    }),
    row("clEnqueueCommandBufferKHR", 0x12A8, OTHER, |k, e| unsafe {
        let mut queue = e.queue;
        clEnqueueCommandBufferKHR(1, &raw mut queue, k.commands, e.n, e.waits, e.event)
    }),
    // The signal before the wait, so that what is right comes to an end.
    row("clEnqueueSignalSemaphoresKHR", 0x2043, OTHER, |k, e| unsafe {
        clEnqueueSignalSemaphoresKHR(e.queue, 1, &raw const k.semaphore, null(), e.n, e.waits, e.event)
    }),
    row("clEnqueueWaitSemaphoresKHR", 0x2042, OTHER, |k, e| unsafe {
        clEnqueueWaitSemaphoresKHR(e.queue, 1, &raw const k.semaphore, null(), e.n, e.waits, e.event)
    }),
];

/// Calls every function and compares.
fn all(kit: &Kit, what: &str, ends: Ends, want: impl Fn(&Row) -> cl::cl_int) {
    for row in ROWS {
        let code = unsafe { (row.call)(kit, ends) };
        assert_eq!(code, want(row), "{}: {what}", row.name);
    }
}

#[test]
fn no_function_is_left_out() {
    // These have neither wait list nor event, or their own conditions: in `handles` and `errors_event`.
    let apart = ["clEnqueueBarrier", "clEnqueueMarker", "clEnqueueWaitForEvents"];
    for entry in ENTRIES.iter().filter(|entry| entry.is_supported && entry.name.starts_with("clEnqueue")) {
        let has_row = ROWS.iter().any(|row| row.name == entry.name);
        assert_ne!(has_row, apart.contains(&entry.name), "{}", entry.name);
    }
}

#[test]
fn right_calls() {
    let kit = Kit::new();
    let gate = kit.world.user_event();
    unsafe {
        assert_eq!(clSetUserEventStatus(gate, 0), 0);
        for row in ROWS {
            let mut event = null_mut();
            let ends = Ends { queue: kit.world.queue, n: 1, waits: &raw const gate, event: &raw mut event };
            assert_eq!((row.call)(&kit, ends), 0, "{}", row.name);
            let (mut command, name) = (0u32, cl::CL_EVENT_COMMAND_TYPE);
            assert_eq!(clGetEventInfo(event, name, 4, (&raw mut command).cast(), null_mut()), 0, "{}", row.name);
            assert_eq!(command, row.command, "{}", row.name);
            assert_eq!(clWaitForEvents(1, &raw const event), 0, "{}", row.name);
            assert_eq!(clReleaseEvent(event), 0);
        }
        assert_eq!(clReleaseEvent(gate), 0);
    }
}

#[test]
fn queues() {
    let (kit, other) = (Kit::new(), World::new());
    let on = |queue| Ends { queue, n: 0, waits: null(), event: null_mut() };
    all(&kit, "null", on(null_mut()), |_| cl::CL_INVALID_COMMAND_QUEUE);
    all(&kit, "not a queue", on(kit.world.context), |_| cl::CL_INVALID_COMMAND_QUEUE);
    all(&kit, "a queue of another context", on(other.queue), |row| row.foreign);
    assert_eq!(unsafe { clFinish(other.queue) }, 0);
}

#[test]
fn wait_lists() {
    let (kit, other) = (Kit::new(), World::new());
    let (event, foreign, not_an_event, none) = (kit.world.user_event(), other.user_event(), kit.buffer, null_mut());
    let with = |n, waits| Ends { queue: kit.world.queue, n, waits, event: null_mut() };
    let bad = cl::CL_INVALID_EVENT_WAIT_LIST;
    all(&kit, "events without a list", with(1, null()), |_| bad);
    all(&kit, "a list of none", with(0, &raw const event), |_| bad);
    all(&kit, "not an event", with(1, &raw const not_an_event), |_| bad);
    all(&kit, "a null event", with(1, &raw const none), |_| bad);
    all(&kit, "an event of another context", with(1, &raw const foreign), |_| cl::CL_INVALID_CONTEXT);
    unsafe {
        for event in [event, foreign] {
            assert_eq!(clSetUserEventStatus(event, 0), 0);
            assert_eq!(clReleaseEvent(event), 0);
        }
    }
}

/// "the execution status of any of the events in event_wait_list is a negative integer value": calls that block say so.
#[test]
fn events_that_have_failed() {
    let kit = Kit::new();
    let failed = kit.world.user_event();
    assert_eq!(unsafe { clSetUserEventStatus(failed, -7) }, 0);
    // Commands on semaphores and on memory from outside have this condition whether they block or not.
    let blocks = [
        "ReadBuffer",
        "WriteBuffer",
        "ReadBufferRect",
        "WriteBufferRect",
        "ReadImage",
        "WriteImage",
        "MapBuffer",
        "MapImage",
        "SVMMemcpy",
        "SVMMemcpyWithPropertiesKHR",
        "SVMMap",
        "MemcpyINTEL",
        "ReadGlobalVariableINTEL",
        "WriteGlobalVariableINTEL",
        "SignalSemaphoresKHR",
        "WaitSemaphoresKHR",
        "AcquireExternalMemObjectsKHR",
        "ReleaseExternalMemObjectsKHR",
    ];
    let ends = Ends { queue: kit.world.queue, n: 1, waits: &raw const failed, event: null_mut() };
    all(&kit, "a failed event", ends, |row| {
        let says_so = blocks.contains(&row.name.trim_start_matches("clEnqueue"));
        if says_so { cl::CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST } else { 0 }
    });
    unsafe {
        assert_eq!(clFinish(kit.world.queue), 0);
        assert_eq!(clReleaseEvent(failed), 0);
    }
}
