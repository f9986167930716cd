//! Semaphores: order of signal and wait, failures, abandoned waits; the hints of queues; each condition of bad use.

#![allow(unsafe_code, reason = "calls the C API")]

mod common;

use common::*;

const TYPE: u64 = cl::CL_SEMAPHORE_TYPE_KHR as u64;
const DEVICES: u64 = cl::CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR as u64;

fn make(world: &World) -> cl::cl_semaphore_khr {
    let (list, mut err) = ([TYPE, 1, DEVICES, world.device.expose_provenance() as u64, 0, 0], -1);
    // SAFETY: a terminated list.
    let semaphore = unsafe { clCreateSemaphoreWithPropertiesKHR(world.context, list.as_ptr(), &raw mut err) };
    assert_eq!(err, 0);
    semaphore
}

fn payload(semaphore: cl::cl_semaphore_khr) -> u64 {
    let mut value = 77;
    let name = cl::CL_SEMAPHORE_PAYLOAD_KHR;
    // SAFETY: a live handle, eight writable bytes.
    assert_eq!(unsafe { clGetSemaphoreInfoKHR(semaphore, name, 8, (&raw mut value).cast(), null_mut()) }, 0);
    value
}

fn signal(queue: cl::cl_command_queue, semaphore: cl::cl_semaphore_khr, waits: &[cl::cl_event]) -> cl::cl_event {
    let mut event = null_mut();
    let list = if waits.is_empty() { null() } else { waits.as_ptr() };
    let n = waits.len() as u32;
    // SAFETY: live handles.
    let code = unsafe { clEnqueueSignalSemaphoresKHR(queue, 1, &raw const semaphore, null(), n, list, &raw mut event) };
    assert_eq!(code, 0);
    event
}

fn wait(queue: cl::cl_command_queue, semaphore: cl::cl_semaphore_khr) -> cl::cl_event {
    let mut event = null_mut();
    // SAFETY: live handles.
    let code = unsafe { clEnqueueWaitSemaphoresKHR(queue, 1, &raw const semaphore, null(), 0, null(), &raw mut event) };
    assert_eq!(code, 0);
    event
}

/// Waits for an event and gives its status; releases it.
fn end(event: cl::cl_event) -> i32 {
    let mut status = 77;
    let name = cl::CL_EVENT_COMMAND_EXECUTION_STATUS;
    // SAFETY: a live event, four writable bytes.
    unsafe {
        clWaitForEvents(1, &raw const event);
        assert_eq!(clGetEventInfo(event, name, 4, (&raw mut status).cast(), null_mut()), 0);
        assert_eq!(clReleaseEvent(event), 0);
    }
    status
}

#[test]
fn a_wait_meets_its_signal_in_either_order() {
    let world = World::new();
    let mut err = -1;
    // SAFETY: live handles.
    let second = unsafe { clCreateCommandQueue(world.context, world.device, 0, &raw mut err) };
    assert_eq!(err, 0);
    let semaphore = make(&world);
    for _ in 0..3 {
        assert_eq!(payload(semaphore), 0);
        assert_eq!(end(signal(world.queue, semaphore, &[])), 0);
        assert_eq!(payload(semaphore), 1);
        assert_eq!(end(wait(second, semaphore)), 0);
        assert_eq!(payload(semaphore), 0);
        let waiting = wait(second, semaphore);
        assert_eq!(end(signal(world.queue, semaphore, &[])), 0);
        assert_eq!(end(waiting), 0);
    }
    // What the wait holds back sees what the signal came after.
    let gate = world.user_event();
    let mem = world.buffer(4);
    let (before, after, mut got) = (7u32, 9u32, 0u32);
    let fill = |queue, value: &u32, n, waits| {
        let pattern = std::ptr::from_ref(value).cast();
        // SAFETY: live handles, a pattern of four bytes.
        assert_eq!(unsafe { clEnqueueFillBuffer(queue, mem, pattern, 4, 0, 4, n, waits, null_mut()) }, 0);
    };
    fill(world.queue, &before, 1, &raw const gate);
    let signalled = signal(world.queue, semaphore, &[]);
    let waited = wait(second, semaphore);
    fill(second, &after, 0, null());
    // SAFETY: live handles, four writable bytes.
    unsafe {
        assert_eq!(clSetUserEventStatus(gate, 0), 0);
        let to = (&raw mut got).cast();
        assert_eq!(clEnqueueReadBuffer(second, mem, 1, 0, 4, to, 0, null(), null_mut()), 0);
        assert_eq!((got, end(signalled), end(waited)), (9, 0, 0));
        for code in [
            clReleaseSemaphoreKHR(semaphore),
            clReleaseEvent(gate),
            clReleaseMemObject(mem),
            clReleaseCommandQueue(second),
        ] {
            assert_eq!(code, 0);
        }
    }
}

#[test]
fn failures_reach_the_wait() {
    let world = World::new();
    let mut err = -1;
    // SAFETY: live handles.
    let second = unsafe { clCreateCommandQueue(world.context, world.device, 0, &raw mut err) };
    let (semaphore, gate) = (make(&world), world.user_event());
    let signalled = signal(world.queue, semaphore, &[gate]);
    let waited = wait(second, semaphore);
    // SAFETY: live handles.
    unsafe { assert_eq!(clSetUserEventStatus(gate, -5), 0) };
    assert_eq!(end(signalled), -5);
    assert!(end(waited) < 0);
    assert_eq!(payload(semaphore), 0);
    // The next pair is not disturbed.
    assert_eq!((end(signal(world.queue, semaphore, &[])), end(wait(second, semaphore))), (0, 0));
    // A wait that nobody can end any more.
    let waited = wait(second, semaphore);
    // SAFETY: live handles.
    unsafe { assert_eq!(clReleaseSemaphoreKHR(semaphore), 0) };
    assert!(end(waited) < 0);
    // SAFETY: live handles.
    unsafe {
        assert_eq!(clReleaseEvent(gate), 0);
        assert_eq!(clReleaseCommandQueue(second), 0);
    }
}

#[test]
fn bad_use() {
    let (world, other) = (World::new(), World::new());
    let semaphore = make(&world);
    let device = world.device.expose_provenance() as u64;
    let create = |context, properties: &[u64]| {
        let list = if properties.is_empty() { null() } else { properties.as_ptr() };
        // SAFETY: lists are null or as the specification says, as far as their names are known.
        code_of(|err| unsafe {
            let semaphore = clCreateSemaphoreWithPropertiesKHR(context, list, err);
            clReleaseSemaphoreKHR(semaphore);
            semaphore
        })
    };
    let (own, bad_event) = (world.context, world.context);
    check(&[
        ("binary", 0, &|| create(own, &[TYPE, 1, 0])),
        ("device", 0, &|| create(own, &[DEVICES, device, 0, TYPE, 1, 0])),
        ("context", -34, &|| create(null_mut(), &[TYPE, 1, 0])),
        ("null", -30, &|| create(own, &[])),
        ("no type", -30, &|| create(own, &[DEVICES, device, 0, 0])),
        ("type", -64, &|| create(own, &[TYPE, 2, 0])),
        ("name", -64, &|| create(own, &[u64::MAX])),
        ("twice", -64, &|| create(own, &[TYPE, 1, TYPE, 0])),
        ("no device", -33, &|| create(own, &[TYPE, 1, DEVICES, 0, 0])),
        ("two devices", -33, &|| create(own, &[TYPE, 1, DEVICES, device, device, 0, 0])),
        ("not a device", -33, &|| create(own, &[TYPE, 1, DEVICES, own.expose_provenance() as u64, 0, 0])),
    ]);
    let failed = world.user_event();
    let foreign = other.user_event();
    // SAFETY: pointers are null or valid.
    unsafe {
        assert_eq!(clSetUserEventStatus(failed, -1), 0);
        type Call = unsafe extern "C" fn(
            cl::cl_command_queue,
            u32,
            *const cl::cl_semaphore_khr,
            *const u64,
            u32,
            *const cl::cl_event,
            *mut cl::cl_event,
        ) -> i32;
        for call in [clEnqueueSignalSemaphoresKHR as Call, clEnqueueWaitSemaphoresKHR as Call] {
            let run = |queue, n, list: *const cl::cl_semaphore_khr, n_waits, waits: *const cl::cl_event| {
                call(queue, n, list, null(), n_waits, waits, null_mut())
            };
            let (one, wrong, no_event) = (&raw const semaphore, &raw const own, &raw const bad_event);
            check(&[
                ("good", 0, &|| run(world.queue, 1, one, 0, null())),
                ("queue", -36, &|| run(null_mut(), 1, one, 0, null())),
                ("context", -34, &|| run(other.queue, 1, one, 0, null())),
                ("none", -30, &|| run(world.queue, 0, one, 0, null())),
                ("null", -30, &|| run(world.queue, 1, null(), 0, null())),
                ("no semaphore", -1142, &|| run(world.queue, 1, wrong, 0, null())),
                ("waits", -57, &|| run(world.queue, 1, one, 1, null())),
                ("no event", -57, &|| run(world.queue, 1, one, 1, no_event)),
                ("foreign event", -34, &|| run(world.queue, 1, one, 1, &raw const foreign)),
                ("failed event", -14, &|| run(world.queue, 1, one, 1, &raw const failed)),
            ]);
        }
        check(&[
            ("info", -30, &|| clGetSemaphoreInfoKHR(semaphore, 0, 0, null_mut(), null_mut())),
            ("no semaphore", -1142, &|| clGetSemaphoreInfoKHR(own, 0, 0, null_mut(), null_mut())),
            ("export to no device", -33, &|| {
                clGetSemaphoreHandleForTypeKHR(semaphore, null_mut(), 0, 0, null_mut(), null_mut())
            }),
            ("export", -30, &|| {
                let (device, ty) = (world.device, cl::CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR);
                clGetSemaphoreHandleForTypeKHR(semaphore, device, ty, 0, null_mut(), null_mut())
            }),
            ("export of none", -1142, &|| {
                clGetSemaphoreHandleForTypeKHR(own, null_mut(), 0, 0, null_mut(), null_mut())
            }),
            ("retain", -1142, &|| clRetainSemaphoreKHR(null_mut())),
            ("release", -1142, &|| clReleaseSemaphoreKHR(world.queue)),
        ]);
        assert_eq!(clFinish(world.queue), 0);
        assert_eq!(clReleaseSemaphoreKHR(semaphore), 0);
        assert_eq!(clReleaseEvent(failed), 0);
        assert_eq!(clReleaseEvent(foreign), 0);
    }
}

#[test]
fn hints_of_queues() {
    let world = World::new();
    let (priority, throttle) = (u64::from(cl::CL_QUEUE_PRIORITY_KHR), u64::from(cl::CL_QUEUE_THROTTLE_KHR));
    let create = |list: &[u64]| {
        // SAFETY: a terminated list; the answer has as many bytes as the list.
        code_of(|err| unsafe {
            let queue = clCreateCommandQueueWithProperties(world.context, world.device, list.as_ptr(), err);
            if !queue.is_null() {
                let mut back = vec![77u64; list.len()];
                let (name, size) = (cl::CL_QUEUE_PROPERTIES_ARRAY, 8 * list.len());
                assert_eq!(clGetCommandQueueInfo(queue, name, size, back.as_mut_ptr().cast(), null_mut()), 0);
                assert_eq!(back, list);
                clReleaseCommandQueue(queue);
            }
            queue
        })
    };
    for value in [cl::CL_QUEUE_PRIORITY_HIGH_KHR, cl::CL_QUEUE_PRIORITY_MED_KHR, cl::CL_QUEUE_PRIORITY_LOW_KHR] {
        assert_eq!(create(&[priority, value, 0]), 0);
        assert_eq!(create(&[throttle, value, priority, value, 0]), 0);
    }
    for list in [[priority, 0, 0], [priority, 3, 0], [throttle, 8, 0], [throttle, u64::MAX, 0]] {
        assert_eq!(create(&list), cl::CL_INVALID_VALUE);
    }
    assert_eq!(create(&[priority, 1, priority, 1, 0]), cl::CL_INVALID_VALUE);
    let on_device = cl::CL_QUEUE_ON_DEVICE | cl::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    let list = [u64::from(cl::CL_QUEUE_PROPERTIES), on_device, priority, 1, 0];
    assert_eq!(create(&list), cl::CL_INVALID_QUEUE_PROPERTIES);
}

const EXPORTS: u64 = cl::CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR as u64;
const FD: u64 = cl::CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR as u64;

fn listed(world: &World, list: &[u64]) -> Result<cl::cl_semaphore_khr, i32> {
    let mut err = -1;
    // SAFETY: a terminated list.
    let semaphore = unsafe { clCreateSemaphoreWithPropertiesKHR(world.context, list.as_ptr(), &raw mut err) };
    if err == 0 { Ok(semaphore) } else { Err(err) }
}

/// A descriptor of an exportable semaphore.
fn exported(world: &World, semaphore: cl::cl_semaphore_khr) -> i32 {
    let (mut fd, mut size) = (-1i32, 0usize);
    let (to, ty) = ((&raw mut fd).cast(), FD as u32);
    // SAFETY: four writable bytes.
    let code = unsafe { clGetSemaphoreHandleForTypeKHR(semaphore, world.device, ty, 4, to, &raw mut size) };
    assert_eq!((code, size), (0, 4));
    fd
}

/// cl_khr_external_semaphore_opaque_fd: all that have the payload are one semaphore, across contexts.
#[test]
fn semaphores_with_a_handle_are_one() {
    let (here, there) = (World::new(), World::new());
    let first = listed(&here, &[TYPE, 1, EXPORTS, FD, 0, 0]).expect("exportable");
    let second = listed(&there, &[TYPE, 1, FD, exported(&here, first) as u64, 0]).expect("imported");
    let third = listed(&here, &[TYPE, 1, FD, exported(&here, first) as u64, 0]).expect("imported again");
    assert_eq!([first, second, third].map(payload), [0; 3]);
    assert_eq!(end(signal(here.queue, first, &[])), 0);
    assert_eq!([first, second, third].map(payload), [1; 3]);
    assert_eq!(end(wait(there.queue, second)), 0);
    assert_eq!([first, second, third].map(payload), [0; 3]);
    // A wait that comes first, and leaves the other queue alone.
    let early = wait(here.queue, third);
    assert_eq!(end(signal(there.queue, second, &[])), 0);
    assert_eq!(end(early), 0);
    // Many at once: each wait takes one signal.
    for turn in 0..200 {
        let waits = [wait(here.queue, first), wait(there.queue, second)];
        let extra = World::new();
        let fourth = listed(&extra, &[TYPE, 1, FD, exported(&here, first) as u64, 0]).expect("imported");
        assert_eq!(end(signal(extra.queue, fourth, &[])), 0);
        assert_eq!(end(signal(extra.queue, fourth, &[])), 0);
        assert_eq!(waits.map(end), [0; 2], "turn {turn}");
        // SAFETY: ours.
        assert_eq!(unsafe { clReleaseSemaphoreKHR(fourth) }, 0);
    }
    assert_eq!(payload(first), 0);
    for semaphore in [first, second, third] {
        // SAFETY: ours.
        assert_eq!(unsafe { clReleaseSemaphoreKHR(semaphore) }, 0);
    }
}

/// A signal that will not come fails the wait of its own semaphore, and no other; so does a closed descriptor.
#[test]
fn waits_for_shared_semaphores_fail() {
    let (world, other) = (World::new(), World::new());
    let second = other.queue;
    let mut err = -1;
    // SAFETY: live handles.
    let own = unsafe { clCreateCommandQueue(world.context, world.device, 0, &raw mut err) };
    let semaphore = listed(&world, &[TYPE, 1, EXPORTS, FD, 0, 0]).expect("exportable");
    let imported = listed(&other, &[TYPE, 1, FD, exported(&world, semaphore) as u64, 0]).expect("imported");
    let gate = world.user_event();
    let signalled = signal(world.queue, semaphore, &[gate]);
    let waits = [wait(own, semaphore), wait(second, imported)];
    // SAFETY: live handles.
    unsafe { assert_eq!(clSetUserEventStatus(gate, -5), 0) };
    assert_eq!(end(signalled), -5);
    assert_eq!(end(waits[0]), cl::CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    // The next pair is not disturbed.
    assert_eq!((end(signal(world.queue, semaphore, &[])), end(waits[1])), (0, 0));
    let fd = exported(&world, semaphore);
    let closed = listed(&world, &[TYPE, 1, FD, fd as u64, 0]).expect("imported");
    // What other tests open in this process gets other numbers.
    // SAFETY: a descriptor that is open; at its number there is one of a folder now, which cannot be read.
    unsafe {
        let folder = libc::open(c"/".as_ptr(), libc::O_RDONLY | libc::O_DIRECTORY);
        assert_eq!(libc::dup2(folder, fd), fd);
        assert_eq!(libc::close(folder), 0);
    }
    assert_eq!(end(wait(own, closed)), cl::CL_OUT_OF_RESOURCES);
    // SAFETY: live handles.
    unsafe {
        for semaphore in [semaphore, imported, closed] {
            assert_eq!(clReleaseSemaphoreKHR(semaphore), 0);
        }
        assert_eq!(clReleaseEvent(gate), 0);
        assert_eq!(clReleaseCommandQueue(own), 0);
    }
}

#[test]
fn bad_handles() {
    let world = World::new();
    let file = std::fs::File::open("/dev/null").expect("it is there");
    let no_semaphore = std::os::fd::AsRawFd::as_raw_fd(&file) as u64;
    let code = |list: &[u64]| listed(&world, list).map_or_else(|code| code, |_| 0);
    let first = listed(&world, &[TYPE, 1, EXPORTS, FD, 0, 0]).expect("exportable");
    let (flag, list) = (cl::CL_SEMAPHORE_EXPORTABLE_KHR, cl::CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR);
    let (mut is_exportable, mut ty, mut size) = (7u32, 7u32, 7usize);
    let plain = make(&world);
    let imported = listed(&world, &[TYPE, 1, FD, exported(&world, first) as u64, 0]).expect("imported");
    let export = |semaphore, ty, size, to: *mut i32| {
        // SAFETY: `to` is null or has room for a descriptor.
        unsafe { clGetSemaphoreHandleForTypeKHR(semaphore, world.device, ty, size, to.cast(), null_mut()) }
    };
    let mut fd = -1;
    let fd = &raw mut fd;
    check(&[
        ("no descriptor", cl::CL_INVALID_PROPERTY, &|| code(&[TYPE, 1, FD, u64::from(u32::MAX), 0])),
        ("no semaphore", cl::CL_INVALID_PROPERTY, &|| code(&[TYPE, 1, FD, no_semaphore, 0])),
        ("two handles", cl::CL_INVALID_PROPERTY, &|| code(&[TYPE, 1, FD, no_semaphore, FD, no_semaphore, 0])),
        ("unknown type", cl::CL_INVALID_PROPERTY, &|| code(&[TYPE, 1, EXPORTS, 0x2056, 0, 0])),
        ("two types", cl::CL_INVALID_VALUE, &|| code(&[TYPE, 1, EXPORTS, FD, FD, 0, 0])),
        ("both ways", cl::CL_INVALID_OPERATION, &|| code(&[TYPE, 1, FD, no_semaphore, EXPORTS, FD, 0, 0])),
        ("export of a plain one", cl::CL_INVALID_VALUE, &|| export(plain, FD as u32, 4, fd)),
        ("export of an imported one", cl::CL_INVALID_VALUE, &|| export(imported, FD as u32, 4, fd)),
        ("another type", cl::CL_INVALID_VALUE, &|| export(first, 0x2058, 4, fd)),
        ("no room", cl::CL_INVALID_VALUE, &|| export(first, FD as u32, 3, fd)),
        ("only the size", 0, &|| export(first, FD as u32, 0, null_mut())),
    ]);
    // SAFETY: places of the sizes that are said; the handles are ours.
    unsafe {
        assert_eq!(clGetSemaphoreInfoKHR(first, flag, 4, (&raw mut is_exportable).cast(), null_mut()), 0);
        assert_eq!(clGetSemaphoreInfoKHR(first, list, 4, (&raw mut ty).cast(), &raw mut size), 0);
        assert_eq!((is_exportable, u64::from(ty), size), (1, FD, 4));
        assert_eq!(clGetSemaphoreInfoKHR(plain, flag, 4, (&raw mut is_exportable).cast(), null_mut()), 0);
        assert_eq!(clGetSemaphoreInfoKHR(plain, list, 4, (&raw mut ty).cast(), &raw mut size), 0);
        assert_eq!((is_exportable, size), (0, 0));
        for semaphore in [first, plain, imported] {
            assert_eq!(clReleaseSemaphoreKHR(semaphore), 0);
        }
    }
}

/// A wait for another process that never comes ends with its context.
#[test]
fn a_wait_for_others_ends_with_its_context() {
    let usual = World::new();
    let (list, mut err) = ([cl::CL_CONTEXT_TERMINATE_KHR as isize, 1, 0], -1);
    // SAFETY: live handles, a terminated list.
    unsafe {
        let context = clCreateContext(list.as_ptr(), 1, &raw const usual.device, None, null_mut(), &raw mut err);
        assert_eq!(err, 0);
        let queue = clCreateCommandQueue(context, usual.device, 0, &raw mut err);
        let world = World { platform: usual.platform, device: usual.device, context, queue };
        let semaphore = listed(&world, &[TYPE, 1, EXPORTS, FD, 0, 0]).expect("exportable");
        let event = wait(queue, semaphore);
        assert_eq!(terminate(context), 0);
        assert_eq!(end(event), cl::CL_CONTEXT_TERMINATED_KHR);
        assert_eq!(clReleaseSemaphoreKHR(semaphore), 0);
    }
}
