//! Shared virtual memory by types of allocations: what can be asked of them, what they are used for, bad input. Spec:
//! cl_khr_unified_svm.

#![allow(unsafe_code, reason = "calls the C API")]

mod common;

use clift_runtime::memory::svm_type::{SvmCapabilities as Caps, TYPES};
use common::*;

const DEVICE: u64 = cl::CL_SVM_ALLOC_ASSOCIATED_DEVICE_HANDLE_KHR as u64;
const ACCESS: u64 = cl::CL_SVM_ALLOC_ACCESS_FLAGS_KHR as u64;
const ALIGNMENT: u64 = cl::CL_SVM_ALLOC_ALIGNMENT_KHR as u64;

fn alloc(world: &World, list: &[u64], ty: u32, size: usize) -> (*mut c_void, cl::cl_int) {
    let (list, mut err) = (if list.is_empty() { null() } else { list.as_ptr() }, -1);
    // SAFETY: a live handle, a terminated list.
    let memory = unsafe { clSVMAllocWithPropertiesKHR(world.context, list, ty, size, &raw mut err) };
    (memory, err)
}

fn info<T: Default + Clone>(world: &World, at: *const c_void, name: u32) -> Vec<T> {
    let mut size = 0;
    // SAFETY: the places are as large as is said.
    unsafe {
        let ask = |size, value, ret| clGetSVMPointerInfoKHR(world.context, null_mut(), at, name, size, value, ret);
        assert_eq!(ask(0, null_mut(), &raw mut size), 0);
        let mut values = vec![T::default(); size / size_of::<T>()];
        assert_eq!(ask(size, values.as_mut_ptr().cast(), null_mut()), 0);
        values
    }
}

fn free(world: &World, at: *mut c_void) -> cl::cl_int {
    // SAFETY: a live handle; no command uses the memory.
    unsafe { clSVMFreeWithPropertiesKHR(world.context, null(), 0, at) }
}

/// The types that the macros of the header describe, and what the platform, the device and suggestions say of them.
#[test]
fn types() {
    let world = World::new();
    let list = |query: &dyn Fn(usize, *mut c_void, *mut usize) -> cl::cl_int| {
        let mut size = 0;
        assert_eq!(query(0, null_mut(), &raw mut size), 0);
        let mut values = vec![0u64; size / 8];
        assert_eq!(query(size, values.as_mut_ptr().cast(), null_mut()), 0);
        values
    };
    let [of_platform, of_device, atoms] = [
        // SAFETY: live handles, the places are as large as is said.
        list(&|n, to, ret| unsafe {
            clGetPlatformInfo(world.platform, cl::CL_PLATFORM_SVM_TYPE_CAPABILITIES_KHR, n, to, ret)
        }),
        // SAFETY: as above.
        list(&|n, to, ret| unsafe {
            clGetDeviceInfo(world.device, cl::CL_DEVICE_SVM_TYPE_CAPABILITIES_KHR, n, to, ret)
        }),
        // SAFETY: as above.
        list(&|n, to, ret| unsafe {
            clGetDeviceInfo(world.device, cl::CL_DEVICE_SVM_CONCURRENT_ACCESS_ATOM_SIZE_KHR, n, to, ret)
        }),
    ];
    assert_eq!((of_platform.len(), of_platform == of_device), (6, true));
    assert_eq!(atoms, [0, 1, 0, 1, 1, 1]);
    let (single, owned, any, context) = (1, 1 << 2, 1 << 3, 1 << 4);
    let (host, read, write, map) = (1 << 5, 1 << 6, 1 << 7, 1 << 8);
    let (kernels, indirect, atomic) = (0b11 << 9, 1 << 14, 1 << 11);
    let least = [
        single | any | context | map | kernels | atomic,
        single | any | context | read | write | map | kernels | atomic | 1 << 12,
        single | owned | kernels | atomic | indirect,
        single | any | context | host | read | write | kernels | indirect,
        single | read | write | kernels | indirect,
        single | 2 | any | context | read | write | map | kernels | atomic | 0b111 << 12,
    ];
    for (at, least) in (0..).zip(least) {
        assert_eq!(of_device[at as usize] & least, least, "type {at}");
        let suggest = |required, desired| {
            let mut index = 77;
            // SAFETY: a live handle, a valid place.
            let err =
                unsafe { clGetSVMSuggestedTypeIndexKHR(world.context, required, desired, null(), 0, &raw mut index) };
            assert_eq!(err, 0);
            index
        };
        // What is fine-grain can do all that what is shared with a device can.
        assert_eq!(suggest(0, of_device[at as usize]), if at == 4 { 1 } else { at });
        let suggested = suggest(least, 0);
        assert_eq!(of_device[suggested as usize] & least, least);
        assert_eq!(suggest(least | 1 << 40, 0), u32::MAX);
    }
}

const SOURCE: &str = "
    struct node { global struct node *next; int value; };
    kernel void sum(global struct node *list, global int *total) {
        int n = 0;
        for (global struct node *p = list; p; p = p->next)
            n += p->value;
        *total = n;
    }
    kernel void number(global int *out, int first) { out[get_global_id(0)] = first + get_global_id(0); }";

#[repr(C)]
struct Node {
    next: *mut Node,
    value: i32,
}

/// Lists of nodes in memory of all types, which a kernel finds by one pointer.
#[test]
fn kernels_use_all_types() {
    let world = World::new();
    let program = world.built(SOURCE);
    let [sum, number] = ["sum", "number"].map(|name| world.kernel(program, name));
    let device = [DEVICE, world.device.expose_provenance() as u64, ACCESS, 0x1, ALIGNMENT, 64, 0];
    let mut first = null_mut::<Node>();
    let mut all = Vec::new();
    for (at, ty) in (0..).zip(TYPES) {
        let list = if ty.contains(Caps::DEVICE_UNASSOCIATED) { &[][..] } else { &device };
        let (memory, err) = alloc(&world, list, at, 16 * 100);
        assert!(err == 0 && memory.addr().is_multiple_of(128));
        let own = memory.cast::<Node>();
        // SAFETY: there is room for so many nodes.
        unsafe {
            if ty.contains(Caps::DEVICE_OWNED) {
                // What the host cannot write is copied there.
                let nodes: Vec<Node> = (0..100)
                    .map(|n| Node { next: if n == 0 { first } else { own.add(n - 1) }, value: n as i32 })
                    .collect();
                let from = nodes.as_ptr().cast();
                let copy = clEnqueueSVMMemcpyWithPropertiesKHR;
                assert_eq!(copy(world.queue, null(), 1, memory, from, 1600, 0, null(), null_mut()), 0);
            } else {
                let is_mapped = !ty.contains(Caps::HOST_WRITE);
                let map = |yes: bool| {
                    let flags = cl::CL_MAP_WRITE;
                    let err = match yes {
                        true => clEnqueueSVMMap(world.queue, 1, flags, memory, 1600, 0, null(), null_mut()),
                        false => clEnqueueSVMUnmap(world.queue, memory, 0, null(), null_mut()),
                    };
                    assert_eq!(err, 0);
                };
                is_mapped.then(|| map(true));
                for n in 0..100 {
                    let next = if n == 0 { first } else { own.add(n - 1) };
                    own.add(n).write(Node { next, value: n as i32 });
                }
                is_mapped.then(|| map(false));
            }
            first = own.add(99);
        }
        all.push(memory);
    }
    let mut total = 0i32;
    let yes: cl::cl_bool = 1;
    // SAFETY: live handles, valid pointers.
    unsafe {
        let name = cl::CL_KERNEL_EXEC_INFO_SVM_INDIRECT_ACCESS_KHR;
        assert_eq!(clSetKernelExecInfo(sum, name, size_of_val(&yes), (&raw const yes).cast()), 0);
        assert_eq!(clSetKernelArgSVMPointer(sum, 0, first.cast()), 0);
        assert_eq!(clSetKernelArgSVMPointer(sum, 1, (&raw mut total).cast()), 0);
        assert_eq!((clEnqueueTask(world.queue, sum, 0, null(), null_mut()), clFinish(world.queue)), (0, 0));
        assert_eq!(total, 6 * 4950);
        // What the device made is copied out, and filled.
        let (memory, n) = (all[2], 400usize);
        assert_eq!(clSetKernelArgSVMPointer(number, 0, memory), 0);
        assert_eq!(clSetKernelArg(number, 1, 4, (&raw const total).cast()), 0);
        let err = clEnqueueNDRangeKernel(world.queue, number, 1, null(), &raw const n, null(), 0, null(), null_mut());
        let zero = 0u16;
        let fill = clEnqueueSVMMemFill(world.queue, memory, (&raw const zero).cast(), 2, 4, 0, null(), null_mut());
        let mut got = vec![0i32; n];
        let to = got.as_mut_ptr().cast();
        let copy = clEnqueueSVMMemcpy(world.queue, 1, to, memory, 4 * n, 0, null(), null_mut());
        assert_eq!((err, fill, copy), (0, 0, 0));
        assert!(got[0] == 0 && (1..n).all(|i| got[i] == total + i as i32));
    }
    all.iter().for_each(|&memory| assert_eq!(free(&world, memory), 0));
    // SAFETY: live handles.
    unsafe { assert_eq!((clReleaseKernel(sum), clReleaseKernel(number), clReleaseProgram(program)), (0, 0, 0)) };
}

#[test]
fn queries() {
    let world = World::new();
    let device = world.device.expose_provenance();
    let list = [ACCESS, 0x301, DEVICE, device as u64, ALIGNMENT, 0, 0];
    let (memory, err) = alloc(&world, &list, 4, 1000);
    assert_eq!(err, 0);
    let (last, after) = (memory.wrapping_byte_add(999), memory.wrapping_byte_add(1000));
    for at in [memory, last] {
        assert_eq!(info::<u32>(&world, at, cl::CL_SVM_INFO_TYPE_INDEX_KHR), [4]);
        assert_eq!(info::<u64>(&world, at, cl::CL_SVM_INFO_CAPABILITIES_KHR), [TYPES[4].bits()]);
        assert_eq!(info::<u64>(&world, at, cl::CL_SVM_INFO_PROPERTIES_KHR), list);
        assert_eq!(info::<u64>(&world, at, cl::CL_SVM_INFO_ACCESS_FLAGS_KHR), [0x301]);
        assert_eq!(info::<usize>(&world, at, cl::CL_SVM_INFO_BASE_PTR_KHR), [memory.addr()]);
        assert_eq!(info::<usize>(&world, at, cl::CL_SVM_INFO_SIZE_KHR), [1000]);
        assert_eq!(info::<usize>(&world, at, cl::CL_SVM_INFO_ASSOCIATED_DEVICE_HANDLE_KHR), [device]);
    }
    let mine = 5u32;
    for at in [after, (&raw const mine).cast_mut().cast(), null_mut()] {
        assert_eq!(info::<u32>(&world, at, cl::CL_SVM_INFO_TYPE_INDEX_KHR), [u32::MAX]);
        assert_eq!(info::<u64>(&world, at, cl::CL_SVM_INFO_CAPABILITIES_KHR), [0]);
        assert!(info::<u64>(&world, at, cl::CL_SVM_INFO_PROPERTIES_KHR).is_empty());
        assert_eq!(info::<u64>(&world, at, cl::CL_SVM_INFO_ACCESS_FLAGS_KHR), [0]);
        assert_eq!(info::<usize>(&world, at, cl::CL_SVM_INFO_BASE_PTR_KHR), [0]);
        assert_eq!(info::<usize>(&world, at, cl::CL_SVM_INFO_SIZE_KHR), [0]);
        assert_eq!(info::<usize>(&world, at, cl::CL_SVM_INFO_ASSOCIATED_DEVICE_HANDLE_KHR), [0]);
    }
    // What the older function allocates has a type, too.
    for (flags, ty) in [(cl::CL_MEM_READ_WRITE, 0), (cl::CL_MEM_SVM_FINE_GRAIN_BUFFER, 1)] {
        // SAFETY: a live handle.
        let memory = unsafe { clSVMAlloc(world.context, flags, 64, 0) };
        assert_eq!(info::<u32>(&world, memory, cl::CL_SVM_INFO_TYPE_INDEX_KHR), [ty]);
        assert!(info::<u64>(&world, memory, cl::CL_SVM_INFO_PROPERTIES_KHR).is_empty());
        assert_eq!(free(&world, memory), 0);
    }
    // SAFETY: a live handle; no command uses the memory.
    unsafe { clSVMFree(world.context, memory) };
    assert_eq!(info::<usize>(&world, memory, cl::CL_SVM_INFO_SIZE_KHR), [0]);
}

/// No bytes are no mistake, wherever they would be.
#[test]
fn nothing_may_be_anywhere() {
    let world = World::new();
    assert_eq!(alloc(&world, &[], 0, 0), (null_mut(), 0));
    assert_eq!(free(&world, null_mut()), 0);
    let (memory, err) = alloc(&world, &[0], 1, 64);
    assert_eq!((err, info::<u64>(&world, memory, cl::CL_SVM_INFO_PROPERTIES_KHR)), (0, vec![0]));
    let (queue, byte) = (world.queue, 1u8);
    let pattern = (&raw const byte).cast();
    let (mut both, pointers) = ([null_mut(), memory], [null(), memory.cast_const()]);
    // SAFETY: live handles, valid pointers.
    unsafe {
        let copy = |to, from, size| clEnqueueSVMMemcpy(queue, 1, to, from, size, 0, null(), null_mut());
        let fill = |to, size| clEnqueueSVMMemFill(queue, to, pattern, 1, size, 0, null(), null_mut());
        let migrate = |sizes| clEnqueueSVMMigrateMem(queue, 2, pointers.as_ptr(), sizes, 0, 0, null(), null_mut());
        check(&[
            ("copy", 0, &|| copy(null_mut(), null(), 0)),
            ("copy from null", cl::CL_INVALID_VALUE, &|| copy(memory, null(), 1)),
            ("copy to null", cl::CL_INVALID_VALUE, &|| copy(null_mut(), memory, 1)),
            ("fill", 0, &|| fill(null_mut(), 0)),
            ("fill at null", cl::CL_INVALID_VALUE, &|| fill(null_mut(), 1)),
            ("fill with nothing", cl::CL_INVALID_VALUE, &|| {
                clEnqueueSVMMemFill(queue, null_mut(), null(), 1, 0, 0, null(), null_mut())
            }),
            ("migrate", 0, &|| migrate(null())),
            ("migrate no bytes", 0, &|| migrate([0, 64].as_ptr())),
            ("migrate bytes at null", cl::CL_INVALID_VALUE, &|| migrate([1, 64].as_ptr())),
        ]);
        let mut err = -1;
        let commands = clCreateCommandBufferKHR(1, &raw const queue, null(), &raw mut err);
        let record_copy = |to, size| {
            let from = null();
            clCommandSVMMemcpyKHR(commands, null_mut(), null(), to, from, size, 0, null(), null_mut(), null_mut())
        };
        let record_fill = |to, size| {
            let (none, size_of_pattern) = (null_mut(), 1);
            clCommandSVMMemFillKHR(
                commands,
                none,
                null(),
                to,
                pattern,
                size_of_pattern,
                size,
                0,
                null(),
                null_mut(),
                null_mut(),
            )
        };
        check(&[
            ("a command-buffer", 0, &|| err),
            ("recorded copy", 0, &|| record_copy(null_mut(), 0)),
            ("recorded copy from null", cl::CL_INVALID_VALUE, &|| record_copy(memory, 1)),
            ("recorded fill", 0, &|| record_fill(null_mut(), 0)),
            ("recorded fill at null", cl::CL_INVALID_VALUE, &|| record_fill(null_mut(), 1)),
            ("the end", 0, &|| clFinalizeCommandBufferKHR(commands)),
            ("their execution", 0, &|| clEnqueueCommandBufferKHR(0, null_mut(), commands, 0, null(), null_mut())),
            ("their release", 0, &|| clReleaseCommandBufferKHR(commands)),
        ]);
        assert_eq!(clEnqueueSVMFree(queue, 2, both.as_mut_ptr(), None, null_mut(), 0, null(), null_mut()), 0);
        assert_eq!(clFinish(queue), 0);
    }
    assert_eq!(info::<u32>(&world, memory, cl::CL_SVM_INFO_TYPE_INDEX_KHR), [u32::MAX]);
}

#[test]
fn bad_input() {
    let (world, other) = (World::new(), World::new());
    let device = world.device.expose_provenance() as u64;
    let code = |list: &[u64], ty| alloc(&world, list, ty, 64).1;
    let (memory, err) = alloc(&world, &[DEVICE, device, 0], 2, 64);
    assert_eq!(err, 0);
    let (some, mut size, mut index) = ([0x1234u64, 1, 0], 0, 0);
    let (size, index) = (&raw mut size, &raw mut index);
    // SAFETY: live handles or null, terminated lists.
    unsafe {
        let ask = |context, device, name| clGetSVMPointerInfoKHR(context, device, memory, name, 0, null_mut(), size);
        let known = cl::CL_SVM_INFO_SIZE_KHR;
        let release = |context, list: *const u64, flags, at| clSVMFreeWithPropertiesKHR(context, list, flags, at);
        let suggest = |context, list, to| clGetSVMSuggestedTypeIndexKHR(context, 0, 0, list, 0, to);
        let inside = memory.wrapping_byte_add(1);
        check(&[
            ("no context", cl::CL_INVALID_CONTEXT, &|| {
                code_of(|err| clSVMAllocWithPropertiesKHR(null_mut(), null(), 0, 64, err))
            }),
            ("no such type", cl::CL_INVALID_VALUE, &|| code(&[], 6)),
            ("unknown property", cl::CL_INVALID_PROPERTY, &|| code(&some, 0)),
            ("a property twice", cl::CL_INVALID_PROPERTY, &|| code(&[ACCESS, 0, ACCESS, 0, 0], 0)),
            ("unknown access", cl::CL_INVALID_PROPERTY, &|| code(&[ACCESS, 4, 0], 0)),
            ("alignment of 3", cl::CL_INVALID_PROPERTY, &|| code(&[ALIGNMENT, 3, 0], 0)),
            ("alignment of 256", cl::CL_INVALID_PROPERTY, &|| code(&[ALIGNMENT, 256, 0], 0)),
            ("of a device without one", cl::CL_INVALID_PROPERTY, &|| code(&[], 2)),
            ("shared by nobody", cl::CL_INVALID_PROPERTY, &|| code(&[DEVICE, 0, 0], 4)),
            ("not a device", cl::CL_INVALID_PROPERTY, &|| {
                code(&[DEVICE, world.queue.expose_provenance() as u64, 0], 2)
            }),
            ("too large", 1, &|| i32::from(alloc(&world, &[], 0, usize::MAX / 2).1 < 0)),
            ("free without context", cl::CL_INVALID_CONTEXT, &|| release(null_mut(), null(), 0, memory)),
            ("free with property", cl::CL_INVALID_PROPERTY, &|| release(world.context, some.as_ptr(), 0, memory)),
            ("free with flags", cl::CL_INVALID_VALUE, &|| release(world.context, null(), 1, memory)),
            ("free what is inside", cl::CL_INVALID_VALUE, &|| release(world.context, null(), 0, inside)),
            ("free what is another's", cl::CL_INVALID_VALUE, &|| release(other.context, null(), 0, memory)),
            ("ask no context", cl::CL_INVALID_CONTEXT, &|| ask(null_mut(), null_mut(), known)),
            ("ask no device", cl::CL_INVALID_DEVICE, &|| ask(world.context, world.context, known)),
            ("ask a device", 0, &|| ask(world.context, world.device, known)),
            ("unknown question", cl::CL_INVALID_VALUE, &|| ask(world.context, null_mut(), 1)),
            ("suggest to nobody", cl::CL_INVALID_VALUE, &|| suggest(world.context, null(), null_mut())),
            ("suggest without context", cl::CL_INVALID_CONTEXT, &|| suggest(null_mut(), null(), index)),
            ("suggest with property", cl::CL_INVALID_PROPERTY, &|| suggest(world.context, some.as_ptr(), index)),
            ("copy with property", cl::CL_INVALID_PROPERTY, &|| {
                let copy = clEnqueueSVMMemcpyWithPropertiesKHR;
                copy(world.queue, some.as_ptr(), 1, memory, inside, 0, 0, null(), null_mut())
            }),
            ("map what is a device's", cl::CL_INVALID_VALUE, &|| {
                clEnqueueSVMMap(world.queue, 1, cl::CL_MAP_READ, memory, 64, 0, null(), null_mut())
            }),
            ("unmap what is a device's", cl::CL_INVALID_VALUE, &|| {
                clEnqueueSVMUnmap(world.queue, memory, 0, null(), null_mut())
            }),
        ]);
        let null_pointers = [null::<c_void>(), inside];
        let program = world.built(SOURCE);
        let kernel = world.kernel(program, "sum");
        let (name, list) = (cl::CL_KERNEL_EXEC_INFO_SVM_PTRS, null_pointers.as_ptr().cast());
        assert_eq!(clSetKernelExecInfo(kernel, name, 16, list), 0);
        let name = cl::CL_KERNEL_EXEC_INFO_SVM_INDIRECT_ACCESS_KHR;
        assert_eq!(clSetKernelExecInfo(kernel, name, 2, list), cl::CL_INVALID_VALUE);
        assert_eq!((clReleaseKernel(kernel), clReleaseProgram(program)), (0, 0));
    }
    assert_eq!(free(&world, memory), 0);
}
