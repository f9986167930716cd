//! Bad input to shared virtual memory: each condition with its code.

#![allow(unsafe_code, reason = "calls the C API")]

mod common;

use common::*;

const FINE: cl::cl_svm_mem_flags = cl::CL_MEM_SVM_FINE_GRAIN_BUFFER;

#[test]
fn allocation() {
    let world = World::new();
    let alloc = |flags, size, alignment| {
        // SAFETY: the context is live.
        unsafe {
            let memory = clSVMAlloc(world.context, flags, size, alignment);
            clSVMFree(world.context, memory);
            !memory.is_null()
        }
    };
    let cases = [
        ("default", true, alloc(0, 64, 0)),
        ("read only", true, alloc(cl::CL_MEM_READ_ONLY, 64, 0)),
        ("fine", true, alloc(cl::CL_MEM_READ_WRITE | FINE, 64, 0)),
        ("atomics", true, alloc(FINE | cl::CL_MEM_SVM_ATOMICS, 64, 0)),
        ("atomics of a coarse one", false, alloc(cl::CL_MEM_SVM_ATOMICS, 64, 0)),
        ("two accesses", false, alloc(cl::CL_MEM_READ_ONLY | cl::CL_MEM_WRITE_ONLY, 64, 0)),
        ("flag of buffers", false, alloc(cl::CL_MEM_ALLOC_HOST_PTR, 64, 0)),
        ("unknown flag", false, alloc(1 << 40, 64, 0)),
        ("size 0", false, alloc(0, 0, 0)),
        ("all memory", false, alloc(0, usize::MAX, 0)),
        ("alignment", true, alloc(0, 64, 128)),
        ("alignment of no power of two", false, alloc(0, 64, 48)),
        ("alignment of more than long16", false, alloc(0, 64, 256)),
    ];
    for (name, want, got) in cases {
        assert_eq!(got, want, "{name}");
    }
    // SAFETY: neither is a context with this allocation.
    unsafe {
        assert!(clSVMAlloc(null_mut(), 0, 64, 0).is_null());
        assert!(clSVMAlloc(world.queue, 0, 64, 0).is_null());
        clSVMFree(world.context, null_mut());
        clSVMFree(null_mut(), null_mut());
    }
}

#[test]
fn commands() {
    let (world, other) = (World::new(), World::new());
    let event = other.user_event();
    let failed = world.user_event();
    let pattern = [7u64; 32];
    let from = pattern.as_ptr().cast::<c_void>();
    // SAFETY: pointers are null or valid for what the calls that succeed do.
    unsafe {
        assert_eq!(clSetUserEventStatus(failed, -1), 0);
        let memory = clSVMAlloc(world.context, 0, 1024, 0);
        assert!(!memory.is_null());
        let at = |offset: usize| memory.cast::<u8>().add(offset).cast::<c_void>();
        let (queue, foreign, failure) = (world.queue, &raw const event, &raw const failed);
        let copy = |to, from, size, n, waits| clEnqueueSVMMemcpy(queue, 1, to, from, size, n, waits, null_mut());
        let fill = |to, from, n, size| clEnqueueSVMMemFill(queue, to, from, n, size, 0, null(), null_mut());
        let map = |flags, to, size, n, waits| clEnqueueSVMMap(queue, 1, flags, to, size, n, waits, null_mut());
        let unmap = |to, n, waits| clEnqueueSVMUnmap(queue, to, n, waits, null_mut());
        let free =
            |n, list, waits, events| clEnqueueSVMFree(queue, n, list, None, null_mut(), waits, events, null_mut());
        let migrate = |n, list: *const *const c_void, sizes, flags| {
            clEnqueueSVMMigrateMem(queue, n, list, sizes, flags, 0, null(), null_mut())
        };
        let mut list = [null_mut::<c_void>()];
        let list = list.as_mut_ptr();
        let inside = [at(0).cast_const(), at(1020).cast_const()];
        let (fits, long) = ([1024usize, 4], [1024usize, 5]);
        let (whole, outside) = ([0usize, 0], [from]);
        let (inside, outside) = (inside.as_ptr(), outside.as_ptr());
        check(&[
            ("copy", 0, &|| copy(at(0), at(512).cast_const(), 512, 0, null())),
            ("copy from the host", 0, &|| copy(at(0), from, 256, 0, null())),
            ("copy: not a queue", cl::CL_INVALID_COMMAND_QUEUE, &|| {
                clEnqueueSVMMemcpy(world.context, 1, at(0), from, 4, 0, null(), null_mut())
            }),
            ("copy to null", cl::CL_INVALID_VALUE, &|| copy(null_mut(), from, 4, 0, null())),
            ("copy from null", cl::CL_INVALID_VALUE, &|| copy(at(0), null(), 4, 0, null())),
            ("copy up", cl::CL_MEM_COPY_OVERLAP, &|| copy(at(255), at(0).cast_const(), 256, 0, null())),
            ("copy down", cl::CL_MEM_COPY_OVERLAP, &|| copy(at(0), at(255).cast_const(), 256, 0, null())),
            ("copy in place", cl::CL_MEM_COPY_OVERLAP, &|| copy(at(0), at(0).cast_const(), 1, 0, null())),
            ("copy: waits without list", cl::CL_INVALID_EVENT_WAIT_LIST, &|| copy(at(0), from, 4, 1, null())),
            ("copy: list without waits", cl::CL_INVALID_EVENT_WAIT_LIST, &|| copy(at(0), from, 4, 0, foreign)),
            ("copy: foreign event", cl::CL_INVALID_CONTEXT, &|| copy(at(0), from, 4, 1, foreign)),
            ("copy: failed event", cl::CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, &|| {
                copy(at(0), from, 4, 1, failure)
            }),
            ("fill", 0, &|| fill(at(128), from, 128, 256)),
            ("fill null", cl::CL_INVALID_VALUE, &|| fill(null_mut(), from, 4, 4)),
            ("fill from null", cl::CL_INVALID_VALUE, &|| fill(at(0), null(), 4, 4)),
            ("fill: pattern of 0", cl::CL_INVALID_VALUE, &|| fill(at(0), from, 0, 4)),
            ("fill: pattern of 12", cl::CL_INVALID_VALUE, &|| fill(at(0), from, 12, 24)),
            ("fill: pattern of 256", cl::CL_INVALID_VALUE, &|| fill(at(0), from, 256, 256)),
            ("fill: half a pattern", cl::CL_INVALID_VALUE, &|| fill(at(0), from, 8, 12)),
            ("fill: misaligned", cl::CL_INVALID_VALUE, &|| fill(at(4), from, 8, 16)),
            ("fill: not a queue", cl::CL_INVALID_COMMAND_QUEUE, &|| {
                clEnqueueSVMMemFill(null_mut(), at(0), from, 4, 4, 0, null(), null_mut())
            }),
            ("map", 0, &|| map(cl::CL_MAP_READ | cl::CL_MAP_WRITE, at(4), 4, 0, null())),
            ("map null", cl::CL_INVALID_VALUE, &|| map(cl::CL_MAP_READ, null_mut(), 4, 0, null())),
            ("map nothing", cl::CL_INVALID_VALUE, &|| map(cl::CL_MAP_READ, at(0), 0, 0, null())),
            ("map: unknown flags", cl::CL_INVALID_VALUE, &|| map(1 << 20, at(0), 4, 0, null())),
            ("map: contradiction", cl::CL_INVALID_VALUE, &|| {
                map(cl::CL_MAP_READ | cl::CL_MAP_WRITE_INVALIDATE_REGION, at(0), 4, 0, null())
            }),
            ("map: foreign event", cl::CL_INVALID_CONTEXT, &|| map(cl::CL_MAP_READ, at(0), 4, 1, foreign)),
            ("map: failed event", cl::CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, &|| {
                map(cl::CL_MAP_READ, at(0), 4, 1, failure)
            }),
            ("unmap", 0, &|| unmap(at(4), 0, null())),
            ("unmap null", cl::CL_INVALID_VALUE, &|| unmap(null_mut(), 0, null())),
            ("unmap: foreign event", cl::CL_INVALID_CONTEXT, &|| unmap(at(4), 1, foreign)),
            ("unmap: not a queue", cl::CL_INVALID_COMMAND_QUEUE, &|| {
                clEnqueueSVMUnmap(world.context, at(4), 0, null(), null_mut())
            }),
            ("migrate", 0, &|| migrate(2, inside, fits.as_ptr(), 0)),
            ("migrate to the host", 0, &|| migrate(2, inside, null(), cl::CL_MIGRATE_MEM_OBJECT_HOST)),
            ("migrate: whole allocations", 0, &|| migrate(2, inside, whole.as_ptr(), 0)),
            ("migrate nothing", cl::CL_INVALID_VALUE, &|| migrate(0, inside, null(), 0)),
            ("migrate null", cl::CL_INVALID_VALUE, &|| migrate(1, null(), null(), 0)),
            ("migrate: unknown flags", cl::CL_INVALID_VALUE, &|| migrate(1, inside, null(), 1 << 20)),
            ("migrate: too long", cl::CL_INVALID_VALUE, &|| migrate(2, inside, long.as_ptr(), 0)),
            ("migrate: no allocation", cl::CL_INVALID_VALUE, &|| migrate(1, outside, fits.as_ptr(), 0)),
            ("free nothing", 0, &|| free(0, null_mut(), 0, null())),
            ("free null", 0, &|| free(1, list, 0, null())),
            ("free: count without list", cl::CL_INVALID_VALUE, &|| free(1, null_mut(), 0, null())),
            ("free: list without count", cl::CL_INVALID_VALUE, &|| free(0, list, 0, null())),
            ("free: foreign event", cl::CL_INVALID_CONTEXT, &|| free(1, list, 1, foreign)),
            ("free: waits without list", cl::CL_INVALID_EVENT_WAIT_LIST, &|| free(1, list, 1, null())),
            ("free: not a queue", cl::CL_INVALID_COMMAND_QUEUE, &|| {
                clEnqueueSVMFree(world.context, 1, list, None, null_mut(), 0, null(), null_mut())
            }),
        ]);
        assert_eq!(clFinish(queue), 0);
        clSVMFree(world.context, memory);
        assert_eq!(clSetUserEventStatus(event, 0), 0);
        for event in [event, failed] {
            assert_eq!(clReleaseEvent(event), 0);
        }
    }
}

#[test]
fn buffers() {
    let world = World::new();
    // SAFETY: pointers are null or valid.
    unsafe {
        let memory = clSVMAlloc(world.context, 0, 1024, 0);
        let create = |flags, size, at| {
            code_of(|err| {
                let buffer = clCreateBuffer(world.context, flags, size, at, err);
                if !buffer.is_null() {
                    assert_eq!(clReleaseMemObject(buffer), 0);
                }
                buffer
            })
        };
        let middle = memory.cast::<u8>().add(512).cast::<c_void>();
        check(&[
            ("all", 0, &|| create(cl::CL_MEM_USE_HOST_PTR, 1024, memory)),
            ("the rest", 0, &|| create(cl::CL_MEM_USE_HOST_PTR, 512, middle)),
            ("more", cl::CL_INVALID_BUFFER_SIZE, &|| create(cl::CL_MEM_USE_HOST_PTR, 1025, memory)),
            ("more than the rest", cl::CL_INVALID_BUFFER_SIZE, &|| create(cl::CL_MEM_USE_HOST_PTR, 513, middle)),
            ("copy more", cl::CL_INVALID_BUFFER_SIZE, &|| create(cl::CL_MEM_COPY_HOST_PTR, 1025, memory)),
            ("no flag", cl::CL_INVALID_HOST_PTR, &|| create(0, 1024, memory)),
        ]);
        clSVMFree(world.context, memory);
    }
}
