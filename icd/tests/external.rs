//! Memory behind file descriptors: what is wrong, with its code, and that objects of one file are one memory, in this
//! process; `kernels-test/hosts/shared.c` has two.

#![allow(unsafe_code, reason = "calls the C API")]

mod common;

use common::*;
use std::fs::File;
use std::os::fd::{AsRawFd, IntoRawFd};
use std::os::unix::fs::MetadataExt;

const RW: cl::cl_mem_flags = cl::CL_MEM_READ_WRITE;
const FD: u64 = cl::CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR;
const DEVICES: u64 = cl::CL_MEM_DEVICE_HANDLE_LIST_KHR;

/// A file of 4096 bytes that has no name.
fn file() -> File {
    let file = tempfile::tempfile().expect("a file");
    file.set_len(4096).expect("there is room");
    file
}

fn number(file: &File) -> u64 {
    file.as_raw_fd() as u64
}

/// A descriptor of the same file that is given away.
fn given(file: &File) -> u64 {
    file.try_clone().expect("a descriptor").into_raw_fd() as u64
}

/// The number of a descriptor that has been closed. Other tests, which get the lowest ones, do not get it.
fn closed(file: &File) -> u64 {
    // SAFETY: a new descriptor, and its end.
    unsafe {
        let fd = libc::fcntl(file.as_raw_fd(), libc::F_DUPFD_CLOEXEC, 900);
        assert!(fd >= 900);
        assert_eq!(libc::close(fd), 0);
        fd as u64
    }
}

/// Whether this is a descriptor of the file; other tests may have opened theirs by the same number.
fn is_of(fd: u64, file: &File) -> bool {
    let place = |name: String| std::fs::metadata(name).map(|found| (found.dev(), found.ino())).ok();
    place(format!("/proc/self/fd/{fd}")) == place(format!("/proc/self/fd/{}", number(file)))
}

fn buffer(world: &World, list: &[u64], flags: u64, size: usize, host: *mut c_void) -> Result<cl::cl_mem, i32> {
    let mut err = 1;
    // SAFETY: the list is terminated.
    let mem = unsafe { clCreateBufferWithProperties(world.context, list.as_ptr(), flags, size, host, &raw mut err) };
    if err == 0 { Ok(mem) } else { Err(err) }
}

#[test]
fn creation() {
    let world = World::new();
    let file = file();
    let (fd, device) = (number(&file), world.device.addr() as u64);
    let closed = closed(&file);
    let mut bytes = [0u8; 64];
    let host = bytes.as_mut_ptr().cast::<c_void>();
    let code = |list: &[u64], flags, size, host| match buffer(&world, list, flags, size, host) {
        Err(code) => code,
        // SAFETY: just made.
        Ok(mem) => unsafe { clReleaseMemObject(mem) },
    };
    let plain = |list: &[u64]| code(list, RW, 64, null_mut());
    let bad = cl::CL_INVALID_PROPERTY;
    check(&[
        ("two handles", bad, &|| plain(&[FD, fd, FD, fd, 0])),
        ("no descriptor", bad, &|| plain(&[FD, u64::from(u32::MAX), 0])),
        ("more than a descriptor is", bad, &|| plain(&[FD, 1 << 32, 0])),
        ("closed", bad, &|| plain(&[FD, closed, 0])),
        ("devices without a handle", bad, &|| plain(&[DEVICES, device, 0, 0])),
        ("devices twice", bad, &|| plain(&[FD, fd, DEVICES, device, 0, DEVICES, device, 0, 0])),
        ("no device", cl::CL_INVALID_DEVICE, &|| plain(&[FD, fd, DEVICES, world.queue.addr() as u64, 0, 0])),
        ("larger than the file", bad, &|| code(&[FD, fd, 0], RW, 4097, null_mut())),
        ("nothing", cl::CL_INVALID_BUFFER_SIZE, &|| code(&[FD, fd, 0], RW, 0, null_mut())),
        ("where", cl::CL_INVALID_VALUE, &|| code(&[FD, fd, 0], RW | cl::CL_MEM_ALLOC_HOST_PTR, 64, null_mut())),
        ("copy", cl::CL_INVALID_VALUE, &|| code(&[FD, fd, 0], RW | cl::CL_MEM_COPY_HOST_PTR, 64, host)),
        ("pointer", cl::CL_INVALID_HOST_PTR, &|| code(&[FD, fd, 0], RW, 64, host)),
        ("right", 0, &|| plain(&[FD, given(&file), 0])),
        ("for a device", 0, &|| plain(&[DEVICES, device, 0, FD, given(&file), 0])),
        ("for no device in particular", 0, &|| plain(&[FD, given(&file), DEVICES, 0, 0])),
        ("immutable", 0, &|| code(&[FD, given(&file), 0], cl::CL_MEM_IMMUTABLE_EXT, 64, null_mut())),
        ("with an address", 0, &|| plain(&[FD, given(&file), cl::CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, 1, 0])),
    ]);
    assert!(is_of(fd, &file), "no object was made of it");
}

#[test]
fn handing_over() {
    let world = World::new();
    let (file, plain) = (file(), world.buffer(64));
    let mem = buffer(&world, &[FD, given(&file), 0], RW, 64, null_mut()).expect("a buffer");
    let mut err = 1;
    // SAFETY: pointers are null or valid.
    unsafe {
        let elsewhere = clCreateContext(null(), 1, &raw const world.device, None, null_mut(), &raw mut err);
        let other = clCreateCommandQueue(elsewhere, world.device, 0, &raw mut err);
        assert_eq!(err, 0);
        let failed = world.user_event();
        assert_eq!(clSetUserEventStatus(failed, -1), 0);
        let acquire = |queue, n, list: &[cl::cl_mem], events: &[cl::cl_event]| {
            let list = if list.is_empty() { null() } else { list.as_ptr() };
            let waits = if events.is_empty() { null() } else { events.as_ptr() };
            let call = clEnqueueAcquireExternalMemObjectsKHR(queue, n, list, events.len() as u32, waits, null_mut());
            let back = clEnqueueReleaseExternalMemObjectsKHR(queue, n, list, events.len() as u32, waits, null_mut());
            assert_eq!(call, back);
            call
        };
        check(&[
            ("some of nothing", cl::CL_INVALID_VALUE, &|| acquire(world.queue, 1, &[], &[])),
            ("none of something", cl::CL_INVALID_VALUE, &|| acquire(world.queue, 0, &[mem], &[])),
            ("own memory", cl::CL_INVALID_MEM_OBJECT, &|| acquire(world.queue, 2, &[mem, plain], &[])),
            ("null", cl::CL_INVALID_MEM_OBJECT, &|| acquire(world.queue, 2, &[mem, null_mut()], &[])),
            ("another context", cl::CL_INVALID_COMMAND_QUEUE, &|| acquire(other, 1, &[mem], &[])),
            ("after a failure", cl::CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, &|| {
                acquire(world.queue, 1, &[mem], &[failed])
            }),
            ("nothing", 0, &|| acquire(world.queue, 0, &[], &[])),
            ("right", 0, &|| acquire(world.queue, 1, &[mem], &[])),
        ]);
        assert_eq!(clFinish(world.queue), 0);
        assert_eq!(clReleaseEvent(failed), 0);
        assert_eq!(clReleaseCommandQueue(other), 0);
        assert_eq!(clReleaseContext(elsewhere), 0);
        assert_eq!(clReleaseMemObject(mem), 0);
        assert_eq!(clReleaseMemObject(plain), 0);
    }
}

#[test]
fn objects_of_one_file_are_one_memory() {
    let world = World::new();
    let file = file();
    let first = [FD, given(&file), 0];
    let mem = buffer(&world, &first, RW, 4096, null_mut()).expect("a buffer");
    assert!(!is_of(first[1], &file));
    let list = [FD, given(&file), 0];
    let format =
        cl::cl_image_format { image_channel_order: cl::CL_RGBA, image_channel_data_type: cl::CL_UNSIGNED_INT8 };
    let desc = cl::cl_image_desc {
        image_type: cl::CL_MEM_OBJECT_IMAGE2D,
        image_width: 5,
        image_height: 4,
        image_depth: 0,
        image_array_size: 0,
        image_row_pitch: 32,
        image_slice_pitch: 0,
        num_mip_levels: 0,
        num_samples: 0,
        buffer: null_mut(),
    };
    let mut err = 1;
    // SAFETY: pointers are null or valid, lists are terminated.
    unsafe {
        let image = |list: &[u64], desc: &cl::cl_image_desc, err: *mut i32| {
            clCreateImageWithProperties(world.context, list.as_ptr(), RW, &format, desc, null_mut(), err)
        };
        let code = |list: &[u64], desc: cl::cl_image_desc| code_of(|err| image(list, &desc, err));
        check(&[
            ("levels", cl::CL_INVALID_IMAGE_DESCRIPTOR, &|| {
                code(&list, cl::cl_image_desc { num_mip_levels: 2, image_row_pitch: 0, ..desc })
            }),
            ("two sources", cl::CL_INVALID_IMAGE_DESCRIPTOR, &|| {
                code(&list, cl::cl_image_desc { buffer: mem, ..desc })
            }),
            ("larger than the file", cl::CL_INVALID_PROPERTY, &|| {
                code(&list, cl::cl_image_desc { image_row_pitch: 1028, ..desc })
            }),
            ("no property of images", cl::CL_INVALID_PROPERTY, &|| {
                code(&[cl::CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, 1, 0], cl::cl_image_desc { image_row_pitch: 0, ..desc })
            }),
        ]);
        let image = image(&list, &desc, &raw mut err);
        assert_eq!(err, 0);
        assert!(!is_of(list[1], &file));
        drop(file);
        let both = [mem, image];
        let (queue, none) = (world.queue, null_mut());
        assert_eq!(clEnqueueAcquireExternalMemObjectsKHR(queue, 2, both.as_ptr(), 0, null(), none), 0);
        let bytes: Vec<u8> = (0..128).map(|i| i as u8 ^ 0x5a).collect();
        assert_eq!(clEnqueueWriteBuffer(queue, mem, 1, 0, 128, bytes.as_ptr().cast(), 0, null(), none), 0);
        let (origin, region, mut texels) = ([0usize; 3], [5usize, 4, 1], [0u8; 80]);
        let (origin, region, to) = (origin.as_ptr(), region.as_ptr(), texels.as_mut_ptr().cast());
        assert_eq!(clEnqueueReadImage(queue, image, 1, origin, region, 0, 0, to, 0, null(), none), 0);
        let want: Vec<u8> = (0..4).flat_map(|row| bytes[32 * row..32 * row + 20].to_vec()).collect();
        assert_eq!(texels[..], want);
        let (mut back, mut size) = ([7u64; 3], 0);
        let to = back.as_mut_ptr().cast();
        assert_eq!(clGetMemObjectInfo(image, cl::CL_MEM_PROPERTIES, 24, to, &raw mut size), 0);
        assert_eq!((back, size), (list, 24));
        assert_eq!(clEnqueueReleaseExternalMemObjectsKHR(queue, 2, both.as_ptr(), 0, null(), none), 0);
        assert_eq!(clFinish(queue), 0);
        assert_eq!(clReleaseMemObject(image), 0);
        assert_eq!(clReleaseMemObject(mem), 0);
    }
}
