//! A model of the objects' lives: which objects there are, who refers to whom, what has been built and set, and so
//! which code each call returns, how many references an object has, and that nothing is left. Who makes the choices is
//! not known here.

#![allow(unsafe_code, reason = "calls the C API")]
#![allow(clippy::undocumented_unsafe_blocks, reason = "pointers are to locals; wrong handles are live or null")]

use super::choices::Choices;
use super::common::*;
use clift_runtime::object::leak_report;
use std::time::{Duration, Instant};

const SOURCE: &str = "kernel void add(global int *a, int n) { a[get_global_id(0)] += n; }";
/// Bytes of buffers.
const BYTES: usize = 1024;
/// Steps of a sequence, if the choices last.
pub const STEPS: usize = 150;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Context,
    Queue,
    Buffer,
    Program,
    Kernel,
    Event,
    Sampler,
}

use Kind::*;

const KINDS: [Kind; 7] = [Context, Queue, Buffer, Program, Kernel, Event, Sampler];

/// The call that asks for the references, its parameter, and those that change them; and the code for a bad handle.
struct Calls {
    invalid: cl::cl_int,
    references: unsafe fn(*mut c_void, *mut u32) -> cl::cl_int,
    retain: unsafe extern "C" fn(*mut c_void) -> cl::cl_int,
    release: unsafe extern "C" fn(*mut c_void) -> cl::cl_int,
}

macro_rules! calls {
    ($invalid:ident, $info:ident, $references:ident, $retain:ident, $release:ident) => {
        Calls {
            invalid: cl::$invalid,
            references: |object, to| unsafe { $info(object, cl::$references, 4, to.cast(), null_mut()) },
            retain: $retain,
            release: $release,
        }
    };
}

fn calls(kind: Kind) -> Calls {
    match kind {
        Context => {
            calls!(CL_INVALID_CONTEXT, clGetContextInfo, CL_CONTEXT_REFERENCE_COUNT, clRetainContext, clReleaseContext)
        }
        Queue => calls!(
            CL_INVALID_COMMAND_QUEUE,
            clGetCommandQueueInfo,
            CL_QUEUE_REFERENCE_COUNT,
            clRetainCommandQueue,
            clReleaseCommandQueue
        ),
        Buffer => calls!(
            CL_INVALID_MEM_OBJECT,
            clGetMemObjectInfo,
            CL_MEM_REFERENCE_COUNT,
            clRetainMemObject,
            clReleaseMemObject
        ),
        Program => {
            calls!(CL_INVALID_PROGRAM, clGetProgramInfo, CL_PROGRAM_REFERENCE_COUNT, clRetainProgram, clReleaseProgram)
        }
        Kernel => {
            calls!(CL_INVALID_KERNEL, clGetKernelInfo, CL_KERNEL_REFERENCE_COUNT, clRetainKernel, clReleaseKernel)
        }
        Sampler => {
            calls!(CL_INVALID_SAMPLER, clGetSamplerInfo, CL_SAMPLER_REFERENCE_COUNT, clRetainSampler, clReleaseSampler)
        }
        Event => calls!(CL_INVALID_EVENT, clGetEventInfo, CL_EVENT_REFERENCE_COUNT, clRetainEvent, clReleaseEvent),
    }
}

/// What the model knows of an object that the program has references to.
#[derive(Clone, Debug)]
struct Thing {
    kind: Kind,
    handle: *mut c_void,
    references: u32,
    /// The context's handle, its own for a context.
    context: *mut c_void,
    /// A program that is built; a kernel whose arguments are both set.
    is_ready: bool,
    /// Of a kernel, for its program.
    program: *mut c_void,
    /// The buffer that a kernel has; and that the program has none of its references any more: whether a launch is
    /// refused depends on commands that may still have some.
    argument: *mut c_void,
    is_stale: bool,
    /// Of an event: that it is the program's own, and that it has no status yet.
    is_user: bool,
    is_open: bool,
    /// It ended, or will end, with an error.
    has_failed: bool,
    /// Of a buffer; of a kernel, the bytes of the buffer that it has.
    bytes: usize,
    /// Of a buffer: that it is a part of another one.
    is_part: bool,
    /// Of a buffer: where it is mapped.
    maps: Vec<*mut c_void>,
}

struct Model<'a> {
    choices: Choices<'a>,
    device: cl::cl_device_id,
    things: Vec<Thing>,
    steps: Vec<String>,
}

impl Model<'_> {
    fn below(&mut self, n: usize) -> usize {
        self.choices.below(n)
    }

    /// An object of this kind.
    fn any(&mut self, kind: Kind) -> Option<Thing> {
        let all: Vec<Thing> = self.things.iter().filter(|thing| thing.kind == kind).cloned().collect();
        (!all.is_empty()).then(|| all[self.below(all.len())].clone())
    }

    /// Null, or an object of another kind.
    fn wrong(&mut self, kind: Kind) -> *mut c_void {
        let others: Vec<_> = self.things.iter().filter(|thing| thing.kind != kind).map(|thing| thing.handle).collect();
        if others.is_empty() || self.below(4) == 0 { null_mut() } else { others[self.below(others.len())] }
    }

    fn note(&mut self, step: impl Into<String>) {
        self.steps.push(step.into());
    }

    fn expect(&self, got: cl::cl_int, want: cl::cl_int) {
        assert_eq!(got, want, "after {:#?}", self.steps);
    }

    fn made(&mut self, kind: Kind, handle: *mut c_void, context: *mut c_void) -> &mut Thing {
        assert!(!handle.is_null());
        let context = if kind == Context { handle } else { context };
        let (program, flags) = (null_mut(), false);
        self.things.push(Thing {
            kind,
            handle,
            references: 1,
            context,
            is_ready: flags,
            program,
            argument: null_mut(),
            is_stale: flags,
            is_user: flags,
            is_open: flags,
            has_failed: flags,
            bytes: BYTES,
            is_part: flags,
            maps: Vec::new(),
        });
        self.things.last_mut().expect("just pushed")
    }

    fn find(&mut self, handle: *mut c_void) -> &mut Thing {
        self.things.iter_mut().find(|thing| thing.handle == handle).expect("it is there")
    }

    /// One reference more or less, or an attempt at something else's.
    fn count(&mut self) {
        let kind = KINDS[self.below(KINDS.len())];
        let calls = calls(kind);
        if self.below(3) == 0 {
            let handle = self.wrong(kind);
            self.note(format!("retain and release what is no {kind:?}"));
            self.expect(unsafe { (calls.retain)(handle) }, calls.invalid);
            self.expect(unsafe { (calls.release)(handle) }, calls.invalid);
            return;
        }
        let Some(thing) = self.any(kind) else { return };
        if self.below(2) == 0 {
            self.note(format!("retain {kind:?} {:?}", thing.handle));
            self.expect(unsafe { (calls.retain)(thing.handle) }, 0);
            self.find(thing.handle).references += 1;
        } else {
            self.release(&thing);
        }
    }

    fn release(&mut self, thing: &Thing) {
        let calls = calls(thing.kind);
        if thing.references == 1 && thing.is_open {
            // What waits for it would wait for ever.
            self.set_status(thing, 0);
        }
        if thing.references == 1 && !thing.maps.is_empty() {
            return self.unmap_all(thing);
        }
        self.note(format!("release {:?} {:?}", thing.kind, thing.handle));
        let mut count = 0;
        self.expect(unsafe { (calls.references)(thing.handle, &raw mut count) }, 0);
        let found = self.find(thing.handle);
        let (want, left) = (found.references, found.references - 1);
        found.references = left;
        assert_eq!(count, want, "after {:#?}", self.steps);
        self.expect(unsafe { (calls.release)(thing.handle) }, 0);
        if left == 0 {
            self.things.retain(|other| other.handle != thing.handle);
            self.things.iter_mut().for_each(|other| other.is_stale |= other.argument == thing.handle);
        }
    }

    fn set_status(&mut self, event: &Thing, status: cl::cl_int) {
        self.note(format!("set {:?} to {status}", event.handle));
        self.expect(unsafe { clSetUserEventStatus(event.handle, status) }, 0);
        let event = self.find(event.handle);
        event.is_open = false;
        event.has_failed = status < 0;
    }

    fn create(&mut self) {
        let kind = KINDS[self.below(KINDS.len())];
        let Some(context) = self.any(Context).filter(|_| kind != Context) else {
            let device = self.device;
            self.note("create a context");
            let mut code = 1;
            let handle = unsafe { clCreateContext(null(), 1, &device, None, null_mut(), &raw mut code) };
            self.expect(code, 0);
            self.made(Context, handle, null_mut());
            return;
        };
        let is_wrong = self.below(5) == 0;
        let parent = if is_wrong { self.wrong(Context) } else { context.handle };
        let want = if is_wrong { cl::CL_INVALID_CONTEXT } else { 0 };
        let (device, mut code) = (self.device, 1);
        let to = &raw mut code;
        self.note(format!("create a {kind:?} in {parent:?}"));
        let text = CString::new(SOURCE).expect("no zero inside");
        let string = text.as_ptr();
        let out_of_order = self.below(2) as u64 * cl::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
        let handle = match kind {
            Context => return,
            Queue => unsafe { clCreateCommandQueue(parent, device, out_of_order, to) },
            Buffer => unsafe { clCreateBuffer(parent, cl::CL_MEM_READ_WRITE, BYTES, null_mut(), to) },
            Program => unsafe { clCreateProgramWithSource(parent, 1, &raw const string, null(), to) },
            Event => unsafe { clCreateUserEvent(parent, to) },
            Sampler => unsafe { clCreateSampler(parent, cl::CL_FALSE, cl::CL_ADDRESS_NONE, cl::CL_FILTER_NEAREST, to) },
            Kernel => return self.create_kernel(),
        };
        self.expect(code, want);
        assert_eq!(handle.is_null(), is_wrong);
        if !is_wrong {
            let made = self.made(kind, handle, context.handle);
            (made.is_user, made.is_open) = (kind == Event, kind == Event);
        }
    }

    /// A part of a buffer: its second half.
    fn create_part(&mut self) {
        let Some(buffer) = self.any(Buffer) else { return };
        let half = BYTES / 2;
        let (handle, origin, want) = match self.below(6) {
            0 => (self.wrong(Buffer), half, cl::CL_INVALID_MEM_OBJECT),
            _ if buffer.is_part => (buffer.handle, 0, cl::CL_INVALID_MEM_OBJECT),
            1 => (buffer.handle, half + 128, cl::CL_INVALID_VALUE),
            2 => (buffer.handle, 1, cl::CL_MISALIGNED_SUB_BUFFER_OFFSET),
            _ => (buffer.handle, half, 0),
        };
        self.note(format!("create a part of {handle:?} at {origin}"));
        let region = cl::cl_buffer_region { origin, size: half };
        let (region, mut code) = ((&raw const region).cast(), 1);
        let kind = cl::CL_BUFFER_CREATE_TYPE_REGION;
        let part = unsafe { clCreateSubBuffer(handle, 0, kind, region, &raw mut code) };
        self.expect(code, want);
        assert_eq!(part.is_null(), want != 0);
        if want == 0 {
            let made = self.made(Buffer, part, buffer.context);
            (made.bytes, made.is_part) = (half, true);
        }
    }

    /// A kernel with the arguments of another one.
    fn clone_kernel(&mut self) {
        let Some(kernel) = self.any(Kernel) else { return };
        let is_wrong = self.below(4) == 0;
        let from = if is_wrong { self.wrong(Kernel) } else { kernel.handle };
        self.note(format!("clone kernel {from:?}"));
        let mut code = 1;
        let handle = unsafe { clCloneKernel(from, &raw mut code) };
        self.expect(code, if is_wrong { cl::CL_INVALID_KERNEL } else { 0 });
        assert_eq!(handle.is_null(), is_wrong);
        if !is_wrong {
            self.things.push(Thing { handle, references: 1, ..kernel });
        }
    }

    /// Maps a buffer, or unmaps one, also where it is not mapped.
    fn map(&mut self) {
        let (Some(queue), Some(buffer)) = (self.any(Queue), self.any(Buffer)) else { return };
        let is_other = queue.context != buffer.context;
        // It is waited for, and may be behind anything.
        self.close_events();
        let mut code = 1;
        if self.below(3) == 0 {
            let mut elsewhere = 0u64;
            let (start, want) = match buffer.maps.last() {
                _ if is_other => ((&raw mut elsewhere).cast(), cl::CL_INVALID_CONTEXT),
                Some(&start) if self.below(3) != 0 => (start, 0),
                _ => ((&raw mut elsewhere).cast(), cl::CL_INVALID_VALUE),
            };
            self.note(format!("unmap {:?} at {start:?}", buffer.handle));
            code = unsafe { clEnqueueUnmapMemObject(queue.handle, buffer.handle, start, 0, null(), null_mut()) };
            if want == cl::CL_INVALID_CONTEXT {
                assert!([want, cl::CL_INVALID_VALUE].contains(&code), "{code} after {:#?}", self.steps);
                return;
            }
            self.expect(code, want);
            if want == 0 {
                self.expect(unsafe { clFinish(queue.handle) }, 0);
                self.find(buffer.handle).maps.pop();
            }
        } else {
            let want = if is_other { cl::CL_INVALID_CONTEXT } else { 0 };
            self.note(format!("map {:?} in {:?}", buffer.handle, queue.handle));
            let (to, none, bytes) = (&raw mut code, null_mut(), buffer.bytes);
            let mem = buffer.handle;
            let start =
                unsafe { clEnqueueMapBuffer(queue.handle, mem, 1, cl::CL_MAP_READ, 0, bytes, 0, null(), none, to) };
            self.expect(code, want);
            assert_eq!(start.is_null(), is_other);
            if !is_other {
                self.find(buffer.handle).maps.push(start);
            }
        }
        let (mut count, size) = (0u32, size_of::<u32>());
        let to = (&raw mut count).cast();
        self.expect(unsafe { clGetMemObjectInfo(buffer.handle, cl::CL_MEM_MAP_COUNT, size, to, null_mut()) }, 0);
        let want = self.find(buffer.handle).maps.len();
        assert_eq!(count as usize, want, "maps after {:#?}", self.steps);
    }

    /// Unmaps a buffer everywhere, by a queue that is made for it.
    fn unmap_all(&mut self, buffer: &Thing) {
        let (device, mut code) = (self.device, 1);
        self.close_events();
        self.note(format!("unmap {:?} everywhere", buffer.handle));
        let queue = unsafe { clCreateCommandQueue(buffer.context, device, 0, &raw mut code) };
        self.expect(code, 0);
        for &start in &buffer.maps {
            let code = unsafe { clEnqueueUnmapMemObject(queue, buffer.handle, start, 0, null(), null_mut()) };
            self.expect(code, 0);
        }
        self.expect(unsafe { clFinish(queue) }, 0);
        self.expect(unsafe { clReleaseCommandQueue(queue) }, 0);
        self.find(buffer.handle).maps.clear();
    }

    fn create_kernel(&mut self) {
        let Some(program) = self.any(Program) else { return };
        let (handle, name, want) = match self.below(6) {
            0 => (self.wrong(Program), c"add", cl::CL_INVALID_PROGRAM),
            _ if !program.is_ready => (program.handle, c"add", cl::CL_INVALID_PROGRAM_EXECUTABLE),
            1 => (program.handle, c"none", cl::CL_INVALID_KERNEL_NAME),
            _ => (program.handle, c"add", 0),
        };
        self.note(format!("create kernel {name:?} of {handle:?}"));
        let mut code = 1;
        let kernel = unsafe { clCreateKernel(handle, name.as_ptr(), &raw mut code) };
        self.expect(code, want);
        if want == 0 {
            self.made(Kernel, kernel, program.context).program = program.handle;
        }
    }

    fn build(&mut self) {
        let Some(program) = self.any(Program) else { return };
        let has_kernels = self.things.iter().any(|thing| thing.kind == Kernel && thing.program == program.handle);
        let (handle, want) = match self.below(5) {
            0 => (self.wrong(Program), cl::CL_INVALID_PROGRAM),
            _ if has_kernels => (program.handle, cl::CL_INVALID_OPERATION),
            _ => (program.handle, 0),
        };
        self.note(format!("build {handle:?}"));
        self.expect(unsafe { clBuildProgram(handle, 0, null(), null(), None, null_mut()) }, want);
        if want == 0 {
            self.find(program.handle).is_ready = true;
        }
    }

    /// Sets both arguments, or one of a kernel that has fewer.
    fn set_args(&mut self) {
        let (Some(kernel), Some(buffer)) = (self.any(Kernel), self.any(Buffer)) else { return };
        let n = 3i32;
        let set = |kernel, index, size, value: *const c_void| unsafe { clSetKernelArg(kernel, index, size, value) };
        let value = (&raw const buffer.handle).cast();
        self.note(format!("set the arguments of {:?} to {:?}", kernel.handle, buffer.handle));
        match self.below(5) {
            0 => {
                let wrong = self.wrong(Kernel);
                self.expect(set(wrong, 0, 8, value), cl::CL_INVALID_KERNEL);
            }
            1 => self.expect(set(kernel.handle, 2, 4, (&raw const n).cast()), cl::CL_INVALID_ARG_INDEX),
            2 => self.expect(set(kernel.handle, 1, 8, value), cl::CL_INVALID_ARG_SIZE),
            // Memory of another context shows when the kernel is enqueued.
            _ if buffer.context != kernel.context => {}
            _ => {
                self.expect(set(kernel.handle, 0, 8, value), 0);
                self.expect(set(kernel.handle, 1, 4, (&raw const n).cast()), 0);
                let kernel = self.find(kernel.handle);
                (kernel.is_ready, kernel.argument, kernel.is_stale) = (true, buffer.handle, false);
                kernel.bytes = buffer.bytes;
            }
        }
    }

    /// A fill, a launch or a marker behind some events, perhaps with one mistake.
    fn enqueue(&mut self) {
        let Some(queue) = self.any(Queue) else { return };
        let mut waits: Vec<Thing> = Vec::new();
        for _ in 0..self.below(3) {
            waits.extend(self.any(Event).filter(|event| event.context == queue.context));
        }
        let mut list: Vec<_> = waits.iter().map(|event| event.handle).collect();
        let mut handle = queue.handle;
        let mut want = 0;
        match self.below(8) {
            0 => (handle, want) = (self.wrong(Queue), cl::CL_INVALID_COMMAND_QUEUE),
            1 => {
                list.push(self.wrong(Event));
                want = cl::CL_INVALID_EVENT_WAIT_LIST;
            }
            2 => {
                let Some(other) = self.any(Event).filter(|event| event.context != queue.context) else { return };
                list.push(other.handle);
                want = cl::CL_INVALID_CONTEXT;
            }
            _ => {}
        }
        let mut event = null_mut();
        let (n, events) = (list.len() as u32, if list.is_empty() { null() } else { list.as_ptr() });
        let to = &raw mut event;
        let zero = 0i32;
        let got = match self.below(3) {
            0 => {
                self.note(format!("enqueue a marker in {handle:?} behind {list:?}"));
                unsafe { clEnqueueMarkerWithWaitList(handle, n, events, to) }
            }
            1 => {
                let Some(buffer) = self.any(Buffer) else { return };
                let (mut mem, mut offset) = (buffer.handle, 0);
                match self.below(6) {
                    _ if want != 0 && buffer.context != queue.context => return,
                    _ if want != 0 => {}
                    _ if buffer.context != queue.context => want = cl::CL_INVALID_CONTEXT,
                    0 => (mem, want) = (self.wrong(Buffer), cl::CL_INVALID_MEM_OBJECT),
                    1 => (offset, want) = (buffer.bytes, cl::CL_INVALID_VALUE),
                    _ => {}
                }
                self.note(format!("fill {mem:?} at {offset} in {handle:?} behind {list:?}"));
                let bytes = buffer.bytes;
                unsafe { clEnqueueFillBuffer(handle, mem, (&raw const zero).cast(), 4, offset, bytes, n, events, to) }
            }
            _ => {
                let Some(kernel) = self.any(Kernel).filter(|kernel| !kernel.is_stale) else { return };
                let mut function = kernel.handle;
                match self.below(6) {
                    _ if want != 0 && (kernel.context != queue.context || !kernel.is_ready) => return,
                    _ if want != 0 => {}
                    // Two mistakes: the specification does not say which counts.
                    _ if kernel.context != queue.context && !kernel.is_ready => return,
                    _ if kernel.context != queue.context => want = cl::CL_INVALID_CONTEXT,
                    0 => (function, want) = (self.wrong(Kernel), cl::CL_INVALID_KERNEL),
                    _ if !kernel.is_ready => want = cl::CL_INVALID_KERNEL_ARGS,
                    _ => {}
                }
                self.note(format!("launch {function:?} in {handle:?} behind {list:?}"));
                let items = kernel.bytes / 4;
                let (items, none) = (&raw const items, null());
                unsafe { clEnqueueNDRangeKernel(handle, function, 1, none, items, none, n, events, to) }
            }
        };
        self.expect(got, want);
        assert_eq!(event.is_null(), want != 0, "after {:#?}", self.steps);
        if want == 0 {
            self.made(Event, event, queue.context);
        }
    }

    /// A user event's status, once; then the statuses of events that wait for nothing but what has ended.
    fn set_event(&mut self) {
        let Some(event) = self.any(Event) else { return };
        match self.below(6) {
            0 => {
                let wrong = self.wrong(Event);
                self.note("set what is no event");
                self.expect(unsafe { clSetUserEventStatus(wrong, 0) }, cl::CL_INVALID_EVENT);
            }
            _ if !event.is_user => {
                self.note("set a command's event");
                self.expect(unsafe { clSetUserEventStatus(event.handle, 0) }, cl::CL_INVALID_EVENT);
            }
            1 => {
                self.note("set to running");
                self.expect(unsafe { clSetUserEventStatus(event.handle, 1) }, cl::CL_INVALID_VALUE);
            }
            _ if !event.is_open => {
                self.note("set again");
                self.expect(unsafe { clSetUserEventStatus(event.handle, 0) }, cl::CL_INVALID_OPERATION);
            }
            _ => {
                let status = -(self.below(3) as cl::cl_int);
                self.set_status(&event, status);
            }
        }
    }

    fn close_events(&mut self) {
        let open: Vec<Thing> = self.things.iter().filter(|thing| thing.is_open).cloned().collect();
        for event in open {
            self.set_status(&event, 0);
        }
    }

    /// Waits for all that a queue has, after all user events have a status.
    fn finish(&mut self) {
        self.close_events();
        if self.below(4) == 0 {
            let wrong = self.wrong(Queue);
            self.note("finish what is no queue");
            self.expect(unsafe { clFinish(wrong) }, cl::CL_INVALID_COMMAND_QUEUE);
        }
        let Some(queue) = self.any(Queue) else { return };
        self.note(format!("finish {:?}", queue.handle));
        self.expect(unsafe { clFinish(queue.handle) }, 0);
        let Some(event) = self.any(Event).filter(|event| event.is_user) else { return };
        self.note(format!("wait for {:?}", event.handle));
        let want = if event.has_failed { cl::CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST } else { 0 };
        self.expect(unsafe { clWaitForEvents(1, &raw const event.handle) }, want);
    }

    fn step(&mut self) {
        match self.below(16) {
            0..3 => self.create(),
            12 => self.create_part(),
            13 => self.clone_kernel(),
            14 | 15 => self.map(),
            3 | 4 => self.count(),
            5 => self.build(),
            6 => self.set_args(),
            7..10 => self.enqueue(),
            10 => self.set_event(),
            _ => self.finish(),
        }
    }

    /// Lets go of everything, in random order.
    fn end(&mut self) {
        while !self.things.is_empty() {
            let at = self.below(self.things.len());
            let thing = self.things[at].clone();
            self.release(&thing);
        }
    }
}

/// Plays a sequence of steps, for which `choices` decide, and lets go of what is there in the end. `name` is for
/// messages.
///
/// # Panics
/// A call says something else than the model, or an object is left. There must be no other users of the library.
pub fn play(device: cl::cl_device_id, choices: Choices<'_>, name: String) {
    let before = alive();
    let mut model = Model { choices, device, things: Vec::new(), steps: vec![name] };
    for _ in 0..STEPS {
        if model.choices.is_empty() {
            break;
        }
        model.step();
    }
    model.end();
    assert_eq!(settled(before), before, "left alive after {:#?}", model.steps);
}

fn alive() -> u64 {
    leak_report().iter().map(|&(_, n)| n).sum()
}

/// Objects that are alive, once what runs has ended.
fn settled(before: u64) -> u64 {
    let start = Instant::now();
    loop {
        let alive = alive();
        if alive <= before || start.elapsed() > Duration::from_secs(20) {
            return alive;
        }
        std::thread::sleep(Duration::from_micros(50));
    }
}
