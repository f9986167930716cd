//! Bad input to buffer creation and to commands on buffers: each condition with its code.

#![allow(unsafe_code, reason = "calls the C API")]

mod common;

use common::*;

const RW: cl::cl_mem_flags = cl::CL_MEM_READ_WRITE;

#[test]
fn creation() {
    let world = World::new();
    let mut bytes = [0u8; 64];
    let memory = bytes.as_mut_ptr().cast::<c_void>();
    let create = |flags, size, host: *mut c_void| {
        // SAFETY: `host` is null or has 64 bytes.
        code_of(|err| unsafe { clCreateBuffer(world.context, flags, size, host, err) })
    };
    check(&[
        ("size 0", cl::CL_INVALID_BUFFER_SIZE, &|| create(RW, 0, null_mut())),
        ("size of all memory", cl::CL_INVALID_BUFFER_SIZE, &|| create(RW, usize::MAX, null_mut())),
        ("unknown flag", cl::CL_INVALID_VALUE, &|| create(1 << 40, 64, null_mut())),
        ("reserved flag", cl::CL_INVALID_VALUE, &|| create(1 << 6, 64, null_mut())),
        ("flag of images", cl::CL_INVALID_VALUE, &|| create(1 << 12, 64, null_mut())),
        ("both only", cl::CL_INVALID_VALUE, &|| create(cl::CL_MEM_READ_ONLY | cl::CL_MEM_WRITE_ONLY, 64, null_mut())),
        ("use and copy", cl::CL_INVALID_VALUE, &|| {
            create(cl::CL_MEM_USE_HOST_PTR | cl::CL_MEM_COPY_HOST_PTR, 64, memory)
        }),
        ("use and alloc", cl::CL_INVALID_VALUE, &|| {
            create(cl::CL_MEM_USE_HOST_PTR | cl::CL_MEM_ALLOC_HOST_PTR, 64, memory)
        }),
        ("two host accesses", cl::CL_INVALID_VALUE, &|| {
            create(cl::CL_MEM_HOST_READ_ONLY | cl::CL_MEM_HOST_NO_ACCESS, 64, null_mut())
        }),
        ("use nothing", cl::CL_INVALID_HOST_PTR, &|| create(cl::CL_MEM_USE_HOST_PTR, 64, null_mut())),
        ("copy nothing", cl::CL_INVALID_HOST_PTR, &|| create(cl::CL_MEM_COPY_HOST_PTR, 64, null_mut())),
        ("pointer without flag", cl::CL_INVALID_HOST_PTR, &|| create(RW, 64, memory)),
    ]);
}

#[test]
fn properties() {
    let world = World::new();
    let address = cl::CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT;
    // SAFETY: lists are terminated.
    let core = |list: &[u64]| unsafe {
        code_of(|err| clCreateBufferWithProperties(world.context, list.as_ptr(), RW, 64, null_mut(), err))
    };
    // SAFETY: lists are terminated.
    let intel = |list: &[u64], flags, size| unsafe {
        code_of(|err| create_with_properties_intel(world.context, list.as_ptr(), flags, size, null_mut(), err))
    };
    check(&[
        ("none", 0, &|| core(&[0])),
        ("unknown", cl::CL_INVALID_PROPERTY, &|| core(&[0x7777, 1, 0])),
        ("address", 0, &|| core(&[address, 1, 0])),
        ("no address", 0, &|| core(&[address, 0, 0])),
        ("address: value", cl::CL_INVALID_PROPERTY, &|| core(&[address, 2, 0])),
        ("address twice", cl::CL_INVALID_PROPERTY, &|| core(&[address, 1, address, 1, 0])),
        ("address and unknown", cl::CL_INVALID_PROPERTY, &|| core(&[address, 1, 0x7777, 1, 0])),
        ("Intel: none", 0, &|| intel(&[0], RW, 64)),
        ("Intel: unknown", cl::CL_INVALID_VALUE, &|| intel(&[0x7777, 1, 0], RW, 64)),
        ("Intel: twice", cl::CL_INVALID_VALUE, &|| intel(&[address, 1, address, 1, 0], RW, 64)),
        ("Intel: flags", cl::CL_INVALID_VALUE, &|| intel(&[0], 1 << 40, 64)),
        ("Intel: size", cl::CL_INVALID_BUFFER_SIZE, &|| intel(&[0], RW, 0)),
        ("Intel: no pointer", cl::CL_INVALID_HOST_PTR, &|| intel(&[0], cl::CL_MEM_USE_HOST_PTR, 64)),
    ]);
}

#[test]
fn sizes_of_contents() {
    let (world, other) = (World::new(), World::new());
    let (buffer, word, half, foreign) = (world.buffer(64), world.buffer(8), world.buffer(7), other.buffer(8));
    let format = cl::cl_image_format { image_channel_order: cl::CL_R, image_channel_data_type: cl::CL_FLOAT };
    let mut err = -1;
    // SAFETY: live handles, valid pointers.
    unsafe {
        let image = clCreateImage2D(world.context, RW, &raw const format, 4, 4, 0, null_mut(), &raw mut err);
        assert_eq!(err, 0);
        check(&[
            ("a buffer's", 0, &|| set_content_size(buffer, word)),
            ("again", 0, &|| set_content_size(buffer, word)),
            ("too small", cl::CL_INVALID_VALUE, &|| set_content_size(buffer, half)),
            ("an image's", cl::CL_INVALID_VALUE, &|| set_content_size(image, word)),
            ("in an image", cl::CL_INVALID_VALUE, &|| set_content_size(buffer, image)),
            ("of another context", cl::CL_INVALID_CONTEXT, &|| set_content_size(buffer, foreign)),
            ("no buffer", cl::CL_INVALID_MEM_OBJECT, &|| set_content_size(null_mut(), word)),
            ("none to hold it", cl::CL_INVALID_MEM_OBJECT, &|| set_content_size(buffer, world.queue)),
        ]);
        for mem in [buffer, word, half, foreign, image] {
            assert_eq!(clReleaseMemObject(mem), 0);
        }
    }
}

#[test]
fn memory_of_the_host() {
    #[repr(align(4096))]
    struct Page([u8; 4096]);
    let world = World::new();
    let mut page = Page([0; 4096]);
    let force = cl::CL_MEM_FORCE_HOST_MEMORY_INTEL;
    let create = |flags, size, offset: Option<usize>| {
        let host = offset.map_or(null_mut(), |offset| page.0[offset..].as_mut_ptr().cast::<c_void>());
        // SAFETY: `host` is null or has the bytes.
        code_of(|err| unsafe { clCreateBuffer(world.context, flags | force, size, host, err) })
    };
    let create = std::cell::RefCell::new(create);
    let run = |flags, size, offset| create.borrow_mut()(flags, size, offset);
    let parent = world.buffer_with(force, 4096);
    let sub = |flags: u64| {
        let region = cl::cl_buffer_region { origin: 0, size: 64 };
        let kind = cl::CL_BUFFER_CREATE_TYPE_REGION;
        // SAFETY: all pointers are valid.
        code_of(|err| unsafe { clCreateSubBuffer(parent, flags, kind, (&raw const region).cast(), err) })
    };
    let image = || {
        let format = cl::cl_image_format { image_channel_order: cl::CL_RGBA, image_channel_data_type: cl::CL_FLOAT };
        // SAFETY: all pointers are valid.
        code_of(|err| unsafe { clCreateImage2D(world.context, force, &raw const format, 4, 4, 0, null_mut(), err) })
    };
    check(&[
        ("new", 0, &|| run(0, 100, None)),
        ("copied", 0, &|| run(cl::CL_MEM_COPY_HOST_PTR, 100, Some(1))),
        ("used", 0, &|| run(cl::CL_MEM_USE_HOST_PTR, 2048, Some(0))),
        ("used: pointer", cl::CL_INVALID_HOST_PTR, &|| run(cl::CL_MEM_USE_HOST_PTR, 2048, Some(4))),
        ("used: size", cl::CL_INVALID_BUFFER_SIZE, &|| run(cl::CL_MEM_USE_HOST_PTR, 100, Some(0))),
        ("sub-buffer", 0, &|| sub(0)),
        ("sub-buffer that asks for it", cl::CL_INVALID_VALUE, &|| sub(force)),
        ("image", cl::CL_INVALID_VALUE, &image),
    ]);
    // SAFETY: a live handle.
    assert_eq!(unsafe { clReleaseMemObject(parent) }, 0);
}

#[test]
fn sub_buffers() {
    let world = World::new();
    let buffer = world.buffer(1024);
    let read_only = world.buffer_with(cl::CL_MEM_READ_ONLY | cl::CL_MEM_HOST_NO_ACCESS, 1024);
    let create = |parent, flags, kind, region: Option<(usize, usize)>| {
        let region = region.map(|(origin, size)| cl::cl_buffer_region { origin, size });
        let info = region.as_ref().map_or(null(), |region| std::ptr::from_ref(region).cast());
        // SAFETY: the region is null or valid.
        code_of(|err| unsafe { clCreateSubBuffer(parent, flags, kind, info, err) })
    };
    let region = cl::CL_BUFFER_CREATE_TYPE_REGION;
    check(&[
        ("no region", cl::CL_INVALID_VALUE, &|| create(buffer, 0, region, None)),
        ("unknown kind", cl::CL_INVALID_VALUE, &|| create(buffer, 0, 0x7777, Some((0, 64)))),
        ("size 0", cl::CL_INVALID_BUFFER_SIZE, &|| create(buffer, 0, region, Some((0, 0)))),
        ("beyond the end", cl::CL_INVALID_VALUE, &|| create(buffer, 0, region, Some((1024 - 128, 129)))),
        ("wrapping", cl::CL_INVALID_VALUE, &|| create(buffer, 0, region, Some((128, usize::MAX - 64)))),
        ("misaligned", cl::CL_MISALIGNED_SUB_BUFFER_OFFSET, &|| create(buffer, 0, region, Some((4, 64)))),
        ("host pointer", cl::CL_INVALID_VALUE, &|| create(buffer, cl::CL_MEM_USE_HOST_PTR, region, Some((0, 64)))),
        ("more access", cl::CL_INVALID_VALUE, &|| create(read_only, RW, region, Some((0, 64)))),
        ("more host access", cl::CL_INVALID_VALUE, &|| {
            create(read_only, cl::CL_MEM_HOST_READ_ONLY, region, Some((0, 64)))
        }),
    ]);
    let part = cl::cl_buffer_region { origin: 0, size: 256 };
    // SAFETY: all pointers are valid.
    unsafe {
        let mut err = -1;
        let sub = clCreateSubBuffer(buffer, 0, region, (&raw const part).cast(), &raw mut err);
        assert_eq!(err, 0);
        assert_eq!(create(sub, 0, region, Some((0, 64))), cl::CL_INVALID_MEM_OBJECT, "a part of a part");
        for mem in [sub, read_only, buffer] {
            assert_eq!(clReleaseMemObject(mem), 0);
        }
    }
}

#[test]
fn transfers() {
    let (world, other) = (World::new(), World::new());
    let (buffer, foreign) = (world.buffer(1024), other.buffer(1024));
    let hidden = world.buffer_with(cl::CL_MEM_HOST_NO_ACCESS, 1024);
    let event = other.user_event();
    let mut bytes = [0u8; 1024];
    let memory = bytes.as_mut_ptr().cast::<c_void>();
    // SAFETY: `memory` has as many bytes as the calls that succeed may touch; pointers are null or valid.
    let read = |mem, offset, size, to: *mut c_void, n, waits: *const cl::cl_event| unsafe {
        clEnqueueReadBuffer(world.queue, mem, cl::CL_TRUE, offset, size, to, n, waits, null_mut())
    };
    // SAFETY: as above.
    let write = |mem, offset, size, from: *const c_void| unsafe {
        clEnqueueWriteBuffer(world.queue, mem, cl::CL_TRUE, offset, size, from, 0, null(), null_mut())
    };
    // SAFETY: as above.
    let copy = |from, to, at, target, size| unsafe {
        clEnqueueCopyBuffer(world.queue, from, to, at, target, size, 0, null(), null_mut())
    };
    // SAFETY: as above.
    let fill = |pattern: *const c_void, n, offset, size| unsafe {
        clEnqueueFillBuffer(world.queue, buffer, pattern, n, offset, size, 0, null(), null_mut())
    };
    // SAFETY: as above.
    let map = |mem, flags, offset, size| {
        // SAFETY: as above.
        code_of(|err| unsafe {
            clEnqueueMapBuffer(world.queue, mem, cl::CL_TRUE, flags, offset, size, 0, null(), null_mut(), err)
        })
    };
    let not_an_event = [world.queue];
    check(&[
        ("read all", 0, &|| read(buffer, 0, 1024, memory, 0, null())),
        ("read: not a buffer", cl::CL_INVALID_MEM_OBJECT, &|| read(world.queue, 0, 1, memory, 0, null())),
        ("read to null", cl::CL_INVALID_VALUE, &|| read(buffer, 0, 1, null_mut(), 0, null())),
        ("read beyond", cl::CL_INVALID_VALUE, &|| read(buffer, 1, 1024, memory, 0, null())),
        ("read wrapping", cl::CL_INVALID_VALUE, &|| read(buffer, 1, usize::MAX, memory, 0, null())),
        ("read hidden", cl::CL_INVALID_OPERATION, &|| read(hidden, 0, 1, memory, 0, null())),
        ("read foreign", cl::CL_INVALID_CONTEXT, &|| read(foreign, 0, 1, memory, 0, null())),
        ("waits without list", cl::CL_INVALID_EVENT_WAIT_LIST, &|| read(buffer, 0, 1, memory, 1, null())),
        ("list without waits", cl::CL_INVALID_EVENT_WAIT_LIST, &|| read(buffer, 0, 1, memory, 0, &raw const event)),
        ("not an event", cl::CL_INVALID_EVENT_WAIT_LIST, &|| read(buffer, 0, 1, memory, 1, not_an_event.as_ptr())),
        ("foreign event", cl::CL_INVALID_CONTEXT, &|| read(buffer, 0, 1, memory, 1, &raw const event)),
        ("write from null", cl::CL_INVALID_VALUE, &|| write(buffer, 0, 1, null())),
        ("write beyond", cl::CL_INVALID_VALUE, &|| write(buffer, 1024, 1, memory)),
        ("write hidden", cl::CL_INVALID_OPERATION, &|| write(hidden, 0, 1, memory)),
        ("copy", 0, &|| copy(buffer, hidden, 0, 0, 1024)),
        ("copy beyond source", cl::CL_INVALID_VALUE, &|| copy(buffer, hidden, 1, 0, 1024)),
        ("copy beyond target", cl::CL_INVALID_VALUE, &|| copy(buffer, hidden, 0, 1, 1024)),
        ("copy onto itself", cl::CL_MEM_COPY_OVERLAP, &|| copy(buffer, buffer, 0, 8, 16)),
        ("copy beside itself", 0, &|| copy(buffer, buffer, 0, 16, 16)),
        ("copy from foreign", cl::CL_INVALID_CONTEXT, &|| copy(foreign, buffer, 0, 0, 16)),
        ("copy: not a buffer", cl::CL_INVALID_MEM_OBJECT, &|| copy(buffer, world.context, 0, 0, 16)),
        ("fill", 0, &|| fill(memory, 16, 16, 32)),
        ("fill with null", cl::CL_INVALID_VALUE, &|| fill(null(), 4, 0, 16)),
        ("fill with nothing", cl::CL_INVALID_VALUE, &|| fill(memory, 0, 0, 16)),
        ("fill with 3 bytes", cl::CL_INVALID_VALUE, &|| fill(memory, 3, 0, 15)),
        ("fill with 256 bytes", cl::CL_INVALID_VALUE, &|| fill(memory, 256, 0, 256)),
        ("fill: odd offset", cl::CL_INVALID_VALUE, &|| fill(memory, 4, 2, 16)),
        ("fill: odd size", cl::CL_INVALID_VALUE, &|| fill(memory, 4, 0, 18)),
        ("fill beyond", cl::CL_INVALID_VALUE, &|| fill(memory, 4, 1024, 4)),
        ("map: unknown flags", cl::CL_INVALID_VALUE, &|| map(buffer, 1 << 20, 0, 16)),
        ("map beyond", cl::CL_INVALID_VALUE, &|| map(buffer, cl::CL_MAP_READ, 1020, 16)),
        ("map nothing", cl::CL_INVALID_VALUE, &|| map(buffer, cl::CL_MAP_READ, 0, 0)),
        ("map hidden", cl::CL_INVALID_OPERATION, &|| map(hidden, cl::CL_MAP_READ, 0, 16)),
        // SAFETY: pointers are null or valid.
        ("unmap what is not mapped", cl::CL_INVALID_VALUE, &|| unsafe {
            clEnqueueUnmapMemObject(world.queue, buffer, memory, 0, null(), null_mut())
        }),
        // SAFETY: as above.
        ("migrate nothing", cl::CL_INVALID_VALUE, &|| unsafe {
            clEnqueueMigrateMemObjects(world.queue, 0, null(), 0, 0, null(), null_mut())
        }),
        // SAFETY: as above.
        ("migrate: unknown flags", cl::CL_INVALID_VALUE, &|| unsafe {
            clEnqueueMigrateMemObjects(world.queue, 1, &raw const buffer, 1 << 20, 0, null(), null_mut())
        }),
        // SAFETY: as above.
        ("migrate: not a buffer", cl::CL_INVALID_MEM_OBJECT, &|| unsafe {
            clEnqueueMigrateMemObjects(world.queue, 1, &raw const world.queue, 0, 0, null(), null_mut())
        }),
        // SAFETY: as above.
        ("migrate, older: nothing", cl::CL_INVALID_VALUE, &|| unsafe {
            clEnqueueMigrateMemObjectEXT(world.queue, 0, null(), 0, 0, null(), null_mut())
        }),
        // SAFETY: as above.
        ("migrate, older: a flag of the newer", cl::CL_INVALID_VALUE, &|| unsafe {
            clEnqueueMigrateMemObjectEXT(world.queue, 1, &raw const buffer, 2, 0, null(), null_mut())
        }),
        // SAFETY: as above.
        ("migrate, older: not a buffer", cl::CL_INVALID_MEM_OBJECT, &|| unsafe {
            clEnqueueMigrateMemObjectEXT(world.queue, 1, &raw const world.queue, 0, 0, null(), null_mut())
        }),
        // SAFETY: as above.
        ("migrate, older", 0, &|| unsafe {
            clEnqueueMigrateMemObjectEXT(world.queue, 1, &raw const buffer, 1, 0, null(), null_mut())
        }),
        // SAFETY: as above.
        ("migrate", 0, &|| unsafe {
            clEnqueueMigrateMemObjects(world.queue, 1, &raw const buffer, 0, 0, null(), null_mut())
        }),
    ]);
    // SAFETY: the handles are ours.
    unsafe {
        assert_eq!(clFinish(world.queue), 0);
        assert_eq!(clSetUserEventStatus(event, 0), 0);
        assert_eq!(clReleaseEvent(event), 0);
        for mem in [buffer, foreign, hidden] {
            assert_eq!(clReleaseMemObject(mem), 0);
        }
    }
}

#[test]
fn rectangles() {
    let world = World::new();
    let buffer = world.buffer(4096);
    let mut bytes = vec![0u8; 4096];
    let memory = bytes.as_mut_ptr().cast::<c_void>();
    type Sizes = [usize; 3];
    // SAFETY: `memory` has as many bytes as the calls that succeed may touch; pointers are null or valid.
    let read = |origin: Option<Sizes>, region: Sizes, row, slice, host_row, host_slice, to: *mut c_void| unsafe {
        let zero = [0usize; 3];
        let origin = origin.as_ref().map_or(null(), |origin| origin.as_ptr());
        let (queue, wait) = (world.queue, cl::CL_TRUE);
        clEnqueueReadBufferRect(
            queue,
            buffer,
            wait,
            origin,
            zero.as_ptr(),
            region.as_ptr(),
            row,
            slice,
            host_row,
            host_slice,
            to,
            0,
            null(),
            null_mut(),
        )
    };
    // SAFETY: pointers are valid.
    let copy = |from: Sizes, to: Sizes, region: Sizes, row| unsafe {
        let (from, to) = (from.as_ptr(), to.as_ptr());
        clEnqueueCopyBufferRect(
            world.queue,
            buffer,
            buffer,
            from,
            to,
            region.as_ptr(),
            row,
            0,
            row,
            0,
            0,
            null(),
            null_mut(),
        )
    };
    let origin = Some([0, 0, 0]);
    check(&[
        ("a square", 0, &|| read(origin, [16, 4, 1], 64, 0, 16, 0, memory)),
        ("packed", 0, &|| read(origin, [16, 4, 2], 0, 0, 0, 0, memory)),
        ("no origin", cl::CL_INVALID_VALUE, &|| read(None, [16, 4, 1], 64, 0, 16, 0, memory)),
        ("no memory", cl::CL_INVALID_VALUE, &|| read(origin, [16, 4, 1], 64, 0, 16, 0, null_mut())),
        ("no width", cl::CL_INVALID_VALUE, &|| read(origin, [0, 4, 1], 64, 0, 16, 0, memory)),
        ("no depth", cl::CL_INVALID_VALUE, &|| read(origin, [16, 4, 0], 64, 0, 16, 0, memory)),
        ("small row pitch", cl::CL_INVALID_VALUE, &|| read(origin, [16, 4, 1], 15, 0, 16, 0, memory)),
        ("small slice pitch", cl::CL_INVALID_VALUE, &|| read(origin, [16, 4, 2], 16, 63, 16, 0, memory)),
        ("slice pitch between rows", cl::CL_INVALID_VALUE, &|| read(origin, [16, 4, 2], 16, 72, 16, 0, memory)),
        ("small host row pitch", cl::CL_INVALID_VALUE, &|| read(origin, [16, 4, 1], 64, 0, 15, 0, memory)),
        ("small host slice pitch", cl::CL_INVALID_VALUE, &|| read(origin, [16, 4, 2], 64, 0, 16, 63, memory)),
        ("beyond the end", cl::CL_INVALID_VALUE, &|| read(Some([0, 61, 0]), [16, 4, 1], 64, 0, 16, 0, memory)),
        ("wrapping", cl::CL_INVALID_VALUE, &|| read(Some([0, usize::MAX / 2, 0]), [16, 4, 1], 64, 0, 16, 0, memory)),
        ("copy beside", 0, &|| copy([0, 0, 0], [16, 0, 0], [16, 4, 1], 64)),
        ("copy onto", cl::CL_MEM_COPY_OVERLAP, &|| copy([0, 0, 0], [8, 1, 0], [16, 4, 1], 64)),
        ("copy beyond", cl::CL_INVALID_VALUE, &|| copy([0, 0, 0], [0, 61, 0], [16, 4, 1], 64)),
    ]);
    // SAFETY: the handles are ours.
    unsafe {
        assert_eq!(clFinish(world.queue), 0);
        assert_eq!(clReleaseMemObject(buffer), 0);
    }
}
