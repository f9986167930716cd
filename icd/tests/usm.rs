//! Unified shared memory: bad input, queries, and what kernels and commands do with it.

#![allow(unsafe_code, reason = "calls the C API")]

mod common;

use clift::info;
use common::*;

const SOURCE: &str = "kernel void add(global int *a, constant int *b, local int *c, int n) {
    a[get_global_id(0)] += b[get_global_id(0)] + n;
}";
const FLAGS: u64 = cl::CL_MEM_ALLOC_FLAGS_INTEL as u64;

#[test]
fn bad_allocations() {
    let world = World::new();
    let context = world.context;
    // SAFETY: lists are terminated, handles null or live; what is allocated is freed.
    let run = |kind: u32, context, device, list: &[u64], size, alignment| unsafe {
        let list = if list.is_empty() { null() } else { list.as_ptr() };
        code_of(|err| {
            let memory = match kind {
                0 => host_mem_alloc(context, list, size, alignment, err),
                1 => device_mem_alloc(context, device, list, size, alignment, err),
                _ => shared_mem_alloc(context, device, list, size, alignment, err),
            };
            assert_eq!(mem_free(world.context, memory), 0);
            memory
        })
    };
    let (device, none) = (world.device, null_mut());
    for kind in 0..3 {
        let with = |list: &[u64]| run(kind, context, device, list, 64, 0);
        let aligned = |alignment| run(kind, context, device, &[], 64, alignment);
        let placement = if kind == 2 { 0 } else { cl::CL_INVALID_PROPERTY };
        check(&[
            ("right", 0, &|| with(&[])),
            ("empty list", 0, &|| with(&[0])),
            ("not a context", cl::CL_INVALID_CONTEXT, &|| run(kind, world.queue, device, &[], 64, 0)),
            ("no context", cl::CL_INVALID_CONTEXT, &|| run(kind, none, device, &[], 64, 0)),
            ("write combined", 0, &|| with(&[FLAGS, 1, 0])),
            ("first on device", placement, &|| with(&[FLAGS, 2, 0])),
            ("first on host", placement, &|| with(&[FLAGS, 4, 0])),
            ("first on both", cl::CL_INVALID_PROPERTY, &|| with(&[FLAGS, 6, 0])),
            ("unknown flag", cl::CL_INVALID_PROPERTY, &|| with(&[FLAGS, 8, 0])),
            ("unknown property", cl::CL_INVALID_PROPERTY, &|| with(&[FLAGS + 1, 1, 0])),
            ("property twice", cl::CL_INVALID_PROPERTY, &|| with(&[FLAGS, 1, FLAGS, 1, 0])),
            ("alignment", 0, &|| aligned(128)),
            ("alignment of no power of two", cl::CL_INVALID_VALUE, &|| aligned(96)),
            ("alignment of more than long16", cl::CL_INVALID_VALUE, &|| aligned(256)),
            ("nothing", cl::CL_INVALID_BUFFER_SIZE, &|| run(kind, context, device, &[], 0, 0)),
            ("everything", cl::CL_INVALID_BUFFER_SIZE, &|| run(kind, context, device, &[], usize::MAX, 0)),
        ]);
    }
    check(&[
        ("no device", cl::CL_INVALID_DEVICE, &|| run(1, context, none, &[], 64, 0)),
        ("not a device", cl::CL_INVALID_DEVICE, &|| run(1, context, context, &[], 64, 0)),
        ("shared by all", 0, &|| run(2, context, none, &[], 64, 0)),
        ("shared with no device", cl::CL_INVALID_DEVICE, &|| run(2, context, context, &[], 64, 0)),
    ]);
    let list = [cl::CL_DEVICE_PARTITION_EQUALLY as isize, 1, 0];
    let mut parts = vec![null_mut(); 4096];
    let mut n = 0;
    // SAFETY: the list is terminated, there is place enough.
    if unsafe { clCreateSubDevices(device, list.as_ptr(), 4096, parts.as_mut_ptr(), &raw mut n) } == 0 {
        assert_eq!(run(1, context, parts[0], &[], 64, 0), cl::CL_INVALID_DEVICE, "of another context");
        // SAFETY: live handles.
        parts[..n as usize].iter().for_each(|&part| assert_eq!(unsafe { clReleaseDevice(part) }, 0));
    }
}

#[test]
fn bad_use() {
    let (world, other) = (World::new(), World::new());
    let program = world.built(SOURCE);
    let kernel = world.kernel(program, "add");
    let (foreign, failed) = (other.user_event(), world.user_event());
    let values = [1u64; 32];
    let from = values.as_ptr().cast::<c_void>();
    // SAFETY: pointers are null or valid for what the calls that succeed do.
    unsafe {
        assert_eq!(clSetUserEventStatus(failed, -1), 0);
        let memory = host_mem_alloc(world.context, null(), 1024, 0, null_mut());
        let at = |offset: usize| memory.cast::<u8>().add(offset).cast::<c_void>();
        let (queue, foreign, failure) = (world.queue, &raw const foreign, &raw const failed);
        let fill =
            |to, from, n, size, waits, list| clEnqueueMemFillINTEL(queue, to, from, n, size, waits, list, null_mut());
        let copy =
            |to, from, size, waits, list| clEnqueueMemcpyINTEL(queue, 1, to, from, size, waits, list, null_mut());
        let migrate = |flags, waits, list| clEnqueueMigrateMemINTEL(queue, memory, 64, flags, waits, list, null_mut());
        let advise = |advice, waits, list| clEnqueueMemAdviseINTEL(queue, memory, 64, advice, waits, list, null_mut());
        let no_list = cl::CL_INVALID_EVENT_WAIT_LIST;
        let flag = 1u32;
        let flag = (&raw const flag).cast::<c_void>();
        check(&[
            ("free in another context", cl::CL_INVALID_VALUE, &|| mem_free(other.context, memory)),
            ("free the middle", cl::CL_INVALID_VALUE, &|| mem_free(world.context, at(64))),
            ("free the middle after use", cl::CL_INVALID_VALUE, &|| mem_blocking_free(world.context, at(64))),
            ("free without context", cl::CL_INVALID_CONTEXT, &|| mem_free(null_mut(), memory)),
            ("free after use without context", cl::CL_INVALID_CONTEXT, &|| mem_blocking_free(queue, memory)),
            ("free null", 0, &|| mem_free(world.context, null_mut())),
            ("free null after use", 0, &|| mem_blocking_free(world.context, null_mut())),
            ("not a kernel", cl::CL_INVALID_KERNEL, &|| set_kernel_arg_mem_pointer(program, 0, memory)),
            ("no such argument", cl::CL_INVALID_ARG_INDEX, &|| set_kernel_arg_mem_pointer(kernel, 4, memory)),
            ("argument in local memory", cl::CL_INVALID_ARG_VALUE, &|| set_kernel_arg_mem_pointer(kernel, 2, memory)),
            ("argument by value", cl::CL_INVALID_ARG_VALUE, &|| set_kernel_arg_mem_pointer(kernel, 3, memory)),
            ("global argument", 0, &|| set_kernel_arg_mem_pointer(kernel, 0, at(4))),
            ("constant argument", 0, &|| set_kernel_arg_mem_pointer(kernel, 1, from)),
            ("null argument", 0, &|| set_kernel_arg_mem_pointer(kernel, 1, null())),
            ("fill", 0, &|| fill(at(128), from, 128, 256, 0, null())),
            ("fill: not a queue", cl::CL_INVALID_COMMAND_QUEUE, &|| {
                clEnqueueMemFillINTEL(world.context, memory, from, 4, 4, 0, null(), null_mut())
            }),
            ("fill null", cl::CL_INVALID_VALUE, &|| fill(null_mut(), from, 4, 4, 0, null())),
            ("fill misaligned", cl::CL_INVALID_VALUE, &|| fill(at(4), from, 8, 8, 0, null())),
            ("fill from null", cl::CL_INVALID_VALUE, &|| fill(memory, null(), 4, 4, 0, null())),
            ("fill: pattern of 0", cl::CL_INVALID_VALUE, &|| fill(memory, from, 0, 4, 0, null())),
            ("fill: pattern of 12", cl::CL_INVALID_VALUE, &|| fill(memory, from, 12, 24, 0, null())),
            ("fill: pattern of 256", cl::CL_INVALID_VALUE, &|| fill(memory, from, 256, 256, 0, null())),
            ("fill: half a pattern", cl::CL_INVALID_VALUE, &|| fill(memory, from, 8, 12, 0, null())),
            ("fill: waits without list", no_list, &|| fill(memory, from, 4, 4, 1, null())),
            ("fill: list without waits", no_list, &|| fill(memory, from, 4, 4, 0, foreign)),
            ("fill: foreign event", cl::CL_INVALID_CONTEXT, &|| fill(memory, from, 4, 4, 1, foreign)),
            ("copy", 0, &|| copy(memory, from, 256, 0, null())),
            ("copy: not a queue", cl::CL_INVALID_COMMAND_QUEUE, &|| {
                clEnqueueMemcpyINTEL(null_mut(), 1, memory, from, 4, 0, null(), null_mut())
            }),
            ("copy to null", cl::CL_INVALID_VALUE, &|| copy(null_mut(), from, 4, 0, null())),
            ("copy from null", cl::CL_INVALID_VALUE, &|| copy(memory, null(), 4, 0, null())),
            ("copy over itself", cl::CL_MEM_COPY_OVERLAP, &|| copy(memory, at(8), 16, 0, null())),
            ("copy: waits without list", no_list, &|| copy(memory, from, 4, 1, null())),
            ("copy: foreign event", cl::CL_INVALID_CONTEXT, &|| copy(memory, from, 4, 1, foreign)),
            ("copy: failed event", cl::CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, &|| {
                copy(memory, from, 4, 1, failure)
            }),
            ("migrate", 0, &|| migrate(0, 0, null())),
            ("migrate to the host", 0, &|| migrate(cl::CL_MIGRATE_MEM_OBJECT_HOST, 0, null())),
            ("migrate: unknown flags", cl::CL_INVALID_VALUE, &|| migrate(1 << 9, 0, null())),
            ("migrate: not a queue", cl::CL_INVALID_COMMAND_QUEUE, &|| {
                clEnqueueMigrateMemINTEL(world.context, memory, 64, 0, 0, null(), null_mut())
            }),
            ("migrate: foreign event", cl::CL_INVALID_CONTEXT, &|| migrate(0, 1, foreign)),
            ("migrate: list without waits", no_list, &|| migrate(0, 0, foreign)),
            ("advise", 0, &|| advise(0, 0, null())),
            ("advise: unknown", cl::CL_INVALID_VALUE, &|| advise(0x4208, 0, null())),
            ("advise: not a queue", cl::CL_INVALID_COMMAND_QUEUE, &|| {
                clEnqueueMemAdviseINTEL(world.context, memory, 64, 0, 0, null(), null_mut())
            }),
            ("advise: foreign event", cl::CL_INVALID_CONTEXT, &|| advise(0, 1, foreign)),
            ("advise: list without waits", no_list, &|| advise(0, 0, foreign)),
            ("indirect access", 0, &|| {
                clSetKernelExecInfo(kernel, cl::CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL, 4, flag)
            }),
            ("indirect access of another size", cl::CL_INVALID_VALUE, &|| {
                clSetKernelExecInfo(kernel, cl::CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL, 8, flag)
            }),
            ("indirect access to null", cl::CL_INVALID_VALUE, &|| {
                clSetKernelExecInfo(kernel, cl::CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL, 4, null())
            }),
            ("list of pointers", 0, &|| {
                clSetKernelExecInfo(kernel, cl::CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL, 16, values.as_ptr().cast())
            }),
            ("half a pointer", cl::CL_INVALID_VALUE, &|| {
                clSetKernelExecInfo(kernel, cl::CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL, 12, values.as_ptr().cast())
            }),
        ]);
        assert_eq!(clFinish(queue), 0);
        assert_eq!(mem_free(world.context, memory), 0);
        assert_eq!(mem_free(world.context, memory), cl::CL_INVALID_VALUE, "freed already");
        assert_eq!(clSetUserEventStatus(*foreign, 0), 0);
        assert_eq!((clReleaseEvent(*foreign), clReleaseEvent(failed)), (0, 0));
        assert_eq!((clReleaseKernel(kernel), clReleaseProgram(program)), (0, 0));
    }
}

#[test]
fn queries() {
    let world = World::new();
    let (context, device) = (world.context, world.device);
    let flags = [FLAGS, 3, 0];
    // SAFETY: lists are terminated, pointers valid.
    unsafe {
        let host = host_mem_alloc(context, null(), 100, 0, null_mut());
        let own = device_mem_alloc(context, device, null(), 200, 64, null_mut());
        let shared = shared_mem_alloc(context, device, flags.as_ptr(), 300, 0, null_mut());
        let free = shared_mem_alloc(context, null_mut(), null(), 400, 0, null_mut());
        let word = 0u32;
        let elsewhere = (&raw const word).cast::<c_void>().cast_mut();
        let rows = [
            (host, cl::CL_MEM_TYPE_HOST_INTEL, 100, null_mut(), 0),
            (own, cl::CL_MEM_TYPE_DEVICE_INTEL, 200, device, 0),
            (shared, cl::CL_MEM_TYPE_SHARED_INTEL, 300, device, 3),
            (free, cl::CL_MEM_TYPE_SHARED_INTEL, 400, null_mut(), 0),
            (elsewhere, cl::CL_MEM_TYPE_UNKNOWN_INTEL, 0, null_mut(), 0),
        ];
        for (memory, kind, size, owner, flags) in rows {
            assert_eq!(memory.addr() % if size == 0 { 4 } else { 128 }, 0);
            let base = if size == 0 { 0 } else { memory.addr() };
            // Any address inside will do, one past the end will not.
            let inside = memory.cast::<u8>().wrapping_add(usize::from(size > 0) * (size.max(1) - 1));
            let want = |name| match name {
                cl::CL_MEM_ALLOC_TYPE_INTEL => (4, kind as usize),
                cl::CL_MEM_ALLOC_BASE_PTR_INTEL => (8, base),
                cl::CL_MEM_ALLOC_SIZE_INTEL => (8, size),
                cl::CL_MEM_ALLOC_DEVICE_INTEL => (8, owner.addr()),
                cl::CL_MEM_ALLOC_FLAGS_INTEL => (8, flags),
                _ => panic!("a row that no one checks"),
            };
            for row in info::usm::ROWS {
                let (mut value, mut n) = (0usize, 0usize);
                let to = (&raw mut value).cast();
                assert_eq!(get_mem_alloc_info(context, inside.cast(), row.id, 8, to, &raw mut n), 0);
                assert_eq!((n, value), want(row.id), "{} of {size}", row.name);
                let short = get_mem_alloc_info(context, inside.cast(), row.id, n - 1, to, null_mut());
                assert_eq!(short, cl::CL_INVALID_VALUE);
            }
        }
        let mut kind = 0u32;
        let past = host.cast::<u8>().add(100).cast();
        let to = (&raw mut kind).cast();
        assert_eq!(get_mem_alloc_info(context, past, cl::CL_MEM_ALLOC_TYPE_INTEL, 4, to, null_mut()), 0);
        assert_eq!(kind, cl::CL_MEM_TYPE_UNKNOWN_INTEL, "past the end");
        assert_eq!(get_mem_alloc_info(context, host, 0x4190, 4, to, null_mut()), cl::CL_INVALID_VALUE);
        let no_context = get_mem_alloc_info(null_mut(), host, cl::CL_MEM_ALLOC_TYPE_INTEL, 4, to, null_mut());
        assert_eq!(no_context, cl::CL_INVALID_CONTEXT);
        for memory in [host, own, shared, free] {
            assert_eq!(mem_free(context, memory), 0);
        }
    }
}

#[test]
fn events_name_the_commands() {
    let world = World::new();
    let values = [5u32; 16];
    // SAFETY: pointers are valid.
    unsafe {
        let memory = device_mem_alloc(world.context, world.device, null(), 64, 0, null_mut());
        let mut events: [cl::cl_event; 4] = [null_mut(); 4];
        let first = events.as_mut_ptr();
        let (queue, from) = (world.queue, values.as_ptr().cast());
        let places = [0, 1, 2, 3].map(|idx| first.add(idx));
        assert_eq!(clEnqueueMemFillINTEL(queue, memory, from, 4, 64, 0, null(), places[0]), 0);
        assert_eq!(clEnqueueMemcpyINTEL(queue, 0, memory, from, 64, 0, null(), places[1]), 0);
        assert_eq!(clEnqueueMigrateMemINTEL(queue, memory, 64, 0, 0, null(), places[2]), 0);
        assert_eq!(clEnqueueMemAdviseINTEL(queue, memory, 64, 0, 0, null(), places[3]), 0);
        assert_eq!(clWaitForEvents(4, events.as_ptr()), 0);
        for (event, want) in events.into_iter().zip(0x4204u32..) {
            let mut kind = 0u32;
            let to = (&raw mut kind).cast();
            assert_eq!(clGetEventInfo(event, cl::CL_EVENT_COMMAND_TYPE, 4, to, null_mut()), 0);
            assert_eq!((kind, clReleaseEvent(event)), (want, 0));
        }
        assert_eq!(memory.cast::<[u32; 16]>().read(), values);
        assert_eq!(mem_free(world.context, memory), 0);
    }
}
