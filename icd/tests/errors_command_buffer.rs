//! Bad input to command-buffers: each condition with its code. What all functions that record have in common is checked
//! for every one of them.

#![allow(unsafe_code, reason = "calls the C API")]
#![allow(clippy::undocumented_unsafe_blocks, reason = "every row passes live objects of the kit, or bad handles")]

mod common;

use clift::dispatch::ENTRIES;
use common::*;

const FIELDS: u64 = cl::CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR as u64;
const ASSERTS: u64 = cl::CL_MUTABLE_DISPATCH_ASSERTS_KHR as u64;

#[test]
fn creation() {
    let world = World::new();
    let queues = [world.queue; 2];
    let create = |n, queues: *const cl::cl_command_queue, properties: &[u64]| {
        let list = if properties.is_empty() { null() } else { properties.as_ptr() };
        // SAFETY: lists are null or as long as is said, as far as their names are known.
        code_of(|err| unsafe {
            let buffer = clCreateCommandBufferKHR(n, queues, list, err);
            clReleaseCommandBufferKHR(buffer);
            buffer
        })
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
        ("one queue twice", 0, &|| create(2, [world.queue; 2].as_ptr(), &[])),
        ("null", cl::CL_INVALID_VALUE, &|| create(1, null(), &[])),
        ("no queue but a context", cl::CL_INVALID_COMMAND_QUEUE, &|| create(1, context.as_ptr(), &[])),
        ("unknown name", cl::CL_INVALID_VALUE, &|| create(1, at, &[u64::MAX])),
        ("synchronised without the host", 0, &|| create(1, at, &[flags, 4, 0])),
        ("unknown flag", cl::CL_INVALID_VALUE, &|| create(1, at, &[flags, 8, 0])),
        ("unknown assert", cl::CL_INVALID_VALUE, &|| create(1, at, &[asserts, 2, 0])),
        ("twice", cl::CL_INVALID_VALUE, &|| create(1, at, &[flags, 1, flags, 1, 0])),
    ]);
}

/// Objects of one context to record with.
struct Kit {
    world: World,
    mem: cl::cl_mem,
    image: cl::cl_mem,
    program: cl::cl_program,
    kernel: cl::cl_kernel,
    host: Box<[u8; 64]>,
}

impl Kit {
    fn new() -> Self {
        let world = World::new();
        let program = world.built("kernel void put(global int *out) { out[get_global_id(0)] = 1; }");
        let (mem, kernel) = (world.buffer(64), world.kernel(program, "put"));
        let format =
            cl::cl_image_format { image_channel_order: cl::CL_RGBA, image_channel_data_type: cl::CL_UNORM_INT8 };
        let (flags, mut err) = (cl::CL_MEM_READ_WRITE, -1);
        let image = unsafe {
            assert_eq!(clSetKernelArg(kernel, 0, 8, (&raw const mem).cast()), 0);
            clCreateImage2D(world.context, flags, &raw const format, 4, 4, 0, null_mut(), &raw mut err)
        };
        assert_eq!(err, 0);
        Self { world, mem, image, program, kernel, host: Box::new([0; 64]) }
    }

    fn open(&self) -> cl::cl_command_buffer_khr {
        let mut err = -1;
        let buffer = unsafe { clCreateCommandBufferKHR(1, &raw const self.world.queue, null(), &raw mut err) };
        assert_eq!(err, 0);
        buffer
    }

    fn closed(&self) -> cl::cl_command_buffer_khr {
        let buffer = self.open();
        assert_eq!(unsafe { clFinalizeCommandBufferKHR(buffer) }, 0);
        buffer
    }
}

impl Drop for Kit {
    fn drop(&mut self) {
        unsafe {
            clReleaseMemObject(self.mem);
            clReleaseMemObject(self.image);
            clReleaseKernel(self.kernel);
            clReleaseProgram(self.program);
        }
    }
}

/// What every command is recorded with.
#[derive(Clone, Copy)]
struct Place {
    buffer: cl::cl_command_buffer_khr,
    queue: cl::cl_command_queue,
    properties: *const u64,
    n: u32,
    points: *const u32,
    handle: *mut cl::cl_mutable_command_khr,
}

impl Place {
    const fn of(buffer: cl::cl_command_buffer_khr) -> Self {
        Self { buffer, queue: null_mut(), properties: null(), n: 0, points: null(), handle: null_mut() }
    }
}

type Row = (&'static str, unsafe fn(&Kit, Place) -> cl::cl_int);

static ZERO: [usize; 3] = [0; 3];
static ONE: [usize; 3] = [1; 3];
static FOUR: [usize; 3] = [4, 1, 1];

const ROWS: &[Row] = &[
    ("clCommandBarrierWithWaitListKHR", |_, p| unsafe {
        clCommandBarrierWithWaitListKHR(p.buffer, p.queue, p.properties, p.n, p.points, null_mut(), p.handle)
    }),
    ("clCommandCopyBufferKHR", |k, p| unsafe {
        let none = null_mut();
        clCommandCopyBufferKHR(p.buffer, p.queue, p.properties, k.mem, k.mem, 0, 32, 16, p.n, p.points, none, p.handle)
    }),
    ("clCommandCopyBufferRectKHR", |k, p| unsafe {
        let (zero, four, one, none) = (ZERO.as_ptr(), FOUR.as_ptr(), ONE.as_ptr(), null_mut());
        clCommandCopyBufferRectKHR(
            p.buffer,
            p.queue,
            p.properties,
            k.mem,
            k.mem,
            zero,
            four,
            one,
            0,
            0,
            0,
            0,
            p.n,
            p.points,
            none,
            p.handle,
        )
    }),
    ("clCommandCopyBufferToImageKHR", |k, p| unsafe {
        let (zero, one, none) = (ZERO.as_ptr(), ONE.as_ptr(), null_mut());
        clCommandCopyBufferToImageKHR(
            p.buffer,
            p.queue,
            p.properties,
            k.mem,
            k.image,
            0,
            zero,
            one,
            p.n,
            p.points,
            none,
            p.handle,
        )
    }),
    ("clCommandCopyImageKHR", |k, p| unsafe {
        static THREE: [usize; 3] = [3, 3, 0];
        let (zero, three, one, none) = (ZERO.as_ptr(), THREE.as_ptr(), ONE.as_ptr(), null_mut());
        clCommandCopyImageKHR(
            p.buffer,
            p.queue,
            p.properties,
            k.image,
            k.image,
            zero,
            three,
            one,
            p.n,
            p.points,
            none,
            p.handle,
        )
    }),
    ("clCommandCopyImageToBufferKHR", |k, p| unsafe {
        let (zero, one, none) = (ZERO.as_ptr(), ONE.as_ptr(), null_mut());
        clCommandCopyImageToBufferKHR(
            p.buffer,
            p.queue,
            p.properties,
            k.image,
            k.mem,
            zero,
            one,
            0,
            p.n,
            p.points,
            none,
            p.handle,
        )
    }),
    ("clCommandFillBufferKHR", |k, p| unsafe {
        let (from, none) = (k.host.as_ptr().cast(), null_mut());
        clCommandFillBufferKHR(p.buffer, p.queue, p.properties, k.mem, from, 4, 0, 16, p.n, p.points, none, p.handle)
    }),
    ("clCommandFillImageKHR", |k, p| unsafe {
        let (from, zero, one, none) = (k.host.as_ptr().cast(), ZERO.as_ptr(), ONE.as_ptr(), null_mut());
        clCommandFillImageKHR(p.buffer, p.queue, p.properties, k.image, from, zero, one, p.n, p.points, none, p.handle)
    }),
    ("clCommandNDRangeKernelKHR", |k, p| unsafe {
        let (size, none) = (FOUR.as_ptr(), null_mut());
        clCommandNDRangeKernelKHR(
            p.buffer,
            p.queue,
            p.properties,
            k.kernel,
            1,
            null(),
            size,
            null(),
            p.n,
            p.points,
            none,
            p.handle,
        )
    }),
    ("clCommandSVMMemcpyKHR", |k, p| unsafe {
        let from = k.host.as_ptr();
        let (to, from, none) = (from.cast_mut().add(32).cast(), from.cast(), null_mut());
        clCommandSVMMemcpyKHR(p.buffer, p.queue, p.properties, to, from, 16, p.n, p.points, none, p.handle)
    }),
    ("clCommandSVMMemFillKHR", |k, p| unsafe {
        let (from, none) = (k.host.as_ptr(), null_mut());
        let to = from.cast_mut().cast();
        clCommandSVMMemFillKHR(p.buffer, p.queue, p.properties, to, from.cast(), 1, 16, p.n, p.points, none, p.handle)
    }),
];

#[test]
fn every_function_that_records() {
    for entry in ENTRIES.iter().filter(|entry| entry.name.starts_with("clCommand")) {
        assert!(ROWS.iter().any(|row| row.0 == entry.name), "{} is left out", entry.name);
    }
    let (kit, other) = (Kit::new(), Kit::new());
    let (open, closed, alien) = (kit.open(), kit.closed(), other.open());
    let mut err = -1;
    let another = unsafe { clCreateCommandQueue(kit.world.context, kit.world.device, 0, &raw mut err) };
    assert_eq!(err, 0);
    let (late, no_list, mut handle) = (1u32 << 20, [u64::MAX, 0, 0], null_mut());
    let late = &raw const late;
    let place = Place::of(open);
    let points = cl::CL_INVALID_SYNC_POINT_WAIT_LIST_KHR;
    for (name, call) in ROWS {
        // Without objects of a context there is nothing to belong to another one.
        let is_bound = !name.contains("SVM") && !name.contains("Barrier");
        let is_kernel = name.contains("Kernel");
        for (what, want, place) in [
            ("null", cl::CL_INVALID_COMMAND_BUFFER_KHR, Place::of(null_mut())),
            ("a queue", cl::CL_INVALID_COMMAND_BUFFER_KHR, Place::of(kit.world.queue)),
            ("finalized", cl::CL_INVALID_OPERATION, Place::of(closed)),
            ("on its queue", 0, Place { queue: kit.world.queue, ..place }),
            ("on another queue", cl::CL_INVALID_COMMAND_QUEUE, Place { queue: another, ..place }),
            ("on one of another context", cl::CL_INVALID_CONTEXT, Place { queue: other.world.queue, ..place }),
            ("on what is no queue", cl::CL_INVALID_COMMAND_QUEUE, Place { queue: kit.mem, ..place }),
            ("points without list", points, Place { n: 1, ..place }),
            ("a list of none", points, Place { points: late, ..place }),
            ("no such point", points, Place { n: 1, points: late, ..place }),
            ("unknown property", cl::CL_INVALID_VALUE, Place { properties: no_list.as_ptr(), ..place }),
            ("empty properties", 0, Place { properties: no_list[1..].as_ptr(), ..place }),
            ("right", 0, place),
            ("another context", if is_bound { cl::CL_INVALID_CONTEXT } else { 0 }, Place::of(alien)),
            ("handle", if is_kernel { 0 } else { cl::CL_INVALID_VALUE }, Place { handle: &raw mut handle, ..place }),
        ] {
            let code = unsafe { call(&kit, place) };
            assert_eq!(code, want, "{name}: {what}");
        }
    }
    for buffer in [open, closed, alien] {
        assert_eq!(unsafe { clReleaseCommandBufferKHR(buffer) }, 0);
    }
    assert_eq!(unsafe { clReleaseCommandQueue(another) }, 0);
}

/// Conditions of one function only.
#[test]
fn recording() {
    let kit = Kit::new();
    let (open, mem, queue) = (kit.open(), kit.mem, kit.world.queue);
    let asserts = [ASSERTS, 1, 0];
    let unknown_field = [FIELDS, 32, 0];
    let zero = 0u32;
    let pattern = (&raw const zero).cast::<c_void>();
    unsafe {
        let copy = |from, to, offset| {
            let (none, points) = (null_mut(), null_mut());
            clCommandCopyBufferKHR(open, none, null(), from, to, offset, 0, 16, 0, null(), points, null_mut())
        };
        let fill = |pattern: *const c_void, size| {
            let (none, points) = (null_mut(), null_mut());
            clCommandFillBufferKHR(open, none, null(), mem, pattern, size, 0, 16, 0, null(), points, null_mut())
        };
        let colour = |image, colour: *const c_void, region: *const usize| {
            let (none, at, points) = (null_mut(), ZERO.as_ptr(), null_mut());
            clCommandFillImageKHR(open, none, null(), image, colour, at, region, 0, null(), points, null_mut())
        };
        let range = |properties: *const u64, kernel, dims, local: *const usize| {
            let (none, size, points) = (null_mut(), FOUR.as_ptr(), null_mut());
            clCommandNDRangeKernelKHR(
                open,
                none,
                properties,
                kernel,
                dims,
                null(),
                size,
                local,
                0,
                null(),
                points,
                null_mut(),
            )
        };
        let svm = |to: *mut c_void, from: *const c_void| {
            clCommandSVMMemcpyKHR(open, null_mut(), null(), to, from, 4, 0, null(), null_mut(), null_mut())
        };
        check(&[
            ("copy a queue", cl::CL_INVALID_MEM_OBJECT, &|| copy(queue, mem, 16)),
            ("copy to an image", cl::CL_INVALID_MEM_OBJECT, &|| copy(mem, kit.image, 16)),
            ("copy over itself", cl::CL_MEM_COPY_OVERLAP, &|| copy(mem, mem, 8)),
            ("copy beyond", cl::CL_INVALID_VALUE, &|| copy(mem, mem, 60)),
            ("fill with null", cl::CL_INVALID_VALUE, &|| fill(null(), 4)),
            ("fill with 3 bytes", cl::CL_INVALID_VALUE, &|| fill(pattern, 3)),
            ("colour a buffer", cl::CL_INVALID_MEM_OBJECT, &|| colour(mem, kit.host.as_ptr().cast(), ONE.as_ptr())),
            ("no colour", cl::CL_INVALID_VALUE, &|| colour(kit.image, null(), ONE.as_ptr())),
            ("no region", cl::CL_INVALID_VALUE, &|| colour(kit.image, kit.host.as_ptr().cast(), null())),
            ("not a kernel", cl::CL_INVALID_KERNEL, &|| range(null(), mem, 1, null())),
            ("unknown field", cl::CL_INVALID_VALUE, &|| range(unknown_field.as_ptr(), kit.kernel, 1, null())),
            ("assert without local size", cl::CL_INVALID_VALUE, &|| range(asserts.as_ptr(), kit.kernel, 1, null())),
            ("assert", 0, &|| range(asserts.as_ptr(), kit.kernel, 1, FOUR.as_ptr())),
            ("dimensions", cl::CL_INVALID_WORK_DIMENSION, &|| range(null(), kit.kernel, 4, null())),
            ("copy to null", cl::CL_INVALID_VALUE, &|| svm(null_mut(), pattern)),
            ("copy memory over itself", cl::CL_MEM_COPY_OVERLAP, &|| svm(pattern.cast_mut(), pattern)),
        ]);
        assert_eq!(clReleaseCommandBufferKHR(open), 0);
    }
}

#[test]
fn use_of_finished_ones() {
    let (kit, other) = (Kit::new(), World::new());
    let (open, closed) = (kit.open(), kit.closed());
    let queue = kit.world.queue;
    let enqueue = |n, queues: *mut cl::cl_command_queue, buffer| unsafe {
        clEnqueueCommandBufferKHR(n, queues, buffer, 0, null(), null_mut())
    };
    let (mut own, mut wrong) = ([queue; 2], [kit.world.context]);
    let (own, wrong) = (own.as_mut_ptr(), wrong.as_mut_ptr());
    let mut foreign = other.queue;
    let foreign = &raw mut foreign;
    unsafe {
        check(&[
            ("recording", cl::CL_INVALID_OPERATION, &|| enqueue(0, null_mut(), open)),
            ("empty one", 0, &|| enqueue(0, null_mut(), closed)),
            ("on a queue", 0, &|| enqueue(1, own, closed)),
            ("no buffer", cl::CL_INVALID_COMMAND_BUFFER_KHR, &|| enqueue(0, null_mut(), queue)),
            ("no queues", cl::CL_INVALID_VALUE, &|| enqueue(1, null_mut(), closed)),
            ("no number", cl::CL_INVALID_VALUE, &|| enqueue(0, own, closed)),
            ("two queues", cl::CL_INVALID_VALUE, &|| enqueue(2, own, closed)),
            ("not a queue", cl::CL_INVALID_COMMAND_QUEUE, &|| enqueue(1, wrong, closed)),
            ("another context", cl::CL_INVALID_CONTEXT, &|| enqueue(1, foreign, closed)),
            ("finalized twice", cl::CL_INVALID_OPERATION, &|| clFinalizeCommandBufferKHR(closed)),
            ("update of a plain one", cl::CL_INVALID_OPERATION, &|| {
                clUpdateMutableCommandsKHR(closed, 0, null(), null_mut())
            }),
            ("info", cl::CL_INVALID_VALUE, &|| clGetCommandBufferInfoKHR(closed, 0, 0, null_mut(), null_mut())),
        ]);
        assert_eq!(clFinish(queue), 0);
        for buffer in [open, closed] {
            assert_eq!(clReleaseCommandBufferKHR(buffer), 0);
        }
    }
}
