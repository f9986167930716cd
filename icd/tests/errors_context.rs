//! Bad input to platform, device, context and queue calls: each condition with its code.

#![allow(unsafe_code, reason = "calls the C API")]

mod common;

use common::*;

unsafe extern "C" fn ignore(_: *const std::ffi::c_char, _: *const c_void, _: usize, _: *mut c_void) {}

#[test]
fn platforms_and_devices() {
    let world = World::new();
    let mut handle: cl::cl_device_id = null_mut();
    let mut n = 0;
    // SAFETY: pointers are null or valid.
    unsafe {
        check(&[
            ("no place and no count", cl::CL_INVALID_VALUE, &|| clGetPlatformIDs(0, null_mut(), null_mut())),
            ("a place for none", cl::CL_INVALID_VALUE, &|| {
                clGetPlatformIDs(0, (&raw const handle).cast_mut(), null_mut())
            }),
            ("count only", 0, &|| clGetPlatformIDs(0, null_mut(), (&raw const n).cast_mut())),
            ("no such platform", cl::CL_INVALID_PLATFORM, &|| {
                clGetDeviceIDs(world.queue, cl::CL_DEVICE_TYPE_ALL, 0, null_mut(), (&raw const n).cast_mut())
            }),
            ("type 0", cl::CL_INVALID_DEVICE_TYPE, &|| {
                clGetDeviceIDs(world.platform, 0, 0, null_mut(), (&raw const n).cast_mut())
            }),
            ("unknown type", cl::CL_INVALID_DEVICE_TYPE, &|| {
                clGetDeviceIDs(world.platform, 1 << 20, 0, null_mut(), (&raw const n).cast_mut())
            }),
            ("no place and no count of devices", cl::CL_INVALID_VALUE, &|| {
                clGetDeviceIDs(world.platform, cl::CL_DEVICE_TYPE_CPU, 0, null_mut(), null_mut())
            }),
            ("a place for no device", cl::CL_INVALID_VALUE, &|| {
                let place = (&raw const handle).cast_mut();
                clGetDeviceIDs(world.platform, cl::CL_DEVICE_TYPE_CPU, 0, place, null_mut())
            }),
            ("no GPU", cl::CL_DEVICE_NOT_FOUND, &|| {
                clGetDeviceIDs(world.platform, cl::CL_DEVICE_TYPE_GPU, 0, null_mut(), (&raw const n).cast_mut())
            }),
            ("a GPU or a CPU", 0, &|| {
                let both = cl::CL_DEVICE_TYPE_GPU | cl::CL_DEVICE_TYPE_CPU;
                clGetDeviceIDs(world.platform, both, 0, null_mut(), (&raw const n).cast_mut())
            }),
            ("timer without place", cl::CL_INVALID_VALUE, &|| clGetHostTimer(world.device, null_mut())),
            ("timers without place", cl::CL_INVALID_VALUE, &|| {
                clGetDeviceAndHostTimer(world.device, null_mut(), null_mut())
            }),
        ]);
        handle = world.device;
        n += 1;
        assert_eq!(clGetDeviceIDs(null_mut(), cl::CL_DEVICE_TYPE_DEFAULT, 1, &raw mut handle, &raw mut n), 0);
        assert_eq!((handle, n), (world.device, 1));
    }
}

#[test]
fn contexts() {
    let world = World::new();
    let device = &raw const world.device;
    let create = |list: &[isize], n: u32, devices: *const cl::cl_device_id| {
        let list = if list.is_empty() { null() } else { list.as_ptr() };
        // SAFETY: lists are terminated, pointers null or valid.
        code_of(|err| unsafe { clCreateContext(list, n, devices, None, null_mut(), err) })
    };
    let platform = cl::CL_CONTEXT_PLATFORM as isize;
    let sync = cl::CL_CONTEXT_INTEROP_USER_SYNC as isize;
    let ours = world.platform.addr() as isize;
    let wrong = [world.queue];
    check(&[
        ("no devices", cl::CL_INVALID_VALUE, &|| create(&[], 1, null())),
        ("zero devices", cl::CL_INVALID_VALUE, &|| create(&[], 0, device)),
        ("not a device", cl::CL_INVALID_DEVICE, &|| create(&[], 1, wrong.as_ptr())),
        ("unknown property", cl::CL_INVALID_PROPERTY, &|| create(&[0x7777, 1, 0], 1, device)),
        ("null platform", cl::CL_INVALID_PLATFORM, &|| create(&[platform, 0, 0], 1, device)),
        ("wrong platform", cl::CL_INVALID_PLATFORM, &|| create(&[platform, world.queue.addr() as isize, 0], 1, device)),
        ("property twice", cl::CL_INVALID_PROPERTY, &|| create(&[platform, ours, platform, ours, 0], 1, device)),
        ("bad value", cl::CL_INVALID_PROPERTY, &|| create(&[sync, 7, 0], 1, device)),
        ("data without callback", cl::CL_INVALID_VALUE, &|| {
            // SAFETY: pointers are valid.
            code_of(|err| unsafe { clCreateContext(null(), 1, device, None, device.cast_mut().cast(), err) })
        }),
        ("bad type", cl::CL_INVALID_DEVICE_TYPE, &|| {
            // SAFETY: pointers are null or valid.
            code_of(|err| unsafe { clCreateContextFromType(null(), 0, None, null_mut(), err) })
        }),
        ("no such type", cl::CL_DEVICE_NOT_FOUND, &|| {
            // SAFETY: pointers are null or valid.
            code_of(|err| unsafe { clCreateContextFromType(null(), cl::CL_DEVICE_TYPE_GPU, None, null_mut(), err) })
        }),
        ("no callback", cl::CL_INVALID_VALUE, &|| {
            // SAFETY: the context is live.
            unsafe { clSetContextDestructorCallback(world.context, None, null_mut()) }
        }),
    ]);
    // SAFETY: pointers are valid, the list is terminated.
    unsafe {
        let list = [platform, ours, sync, 1, 0];
        let mut err = -1;
        let context = clCreateContext(list.as_ptr(), 1, device, Some(ignore), null_mut(), &raw mut err);
        assert_eq!(err, 0);
        let mut got = [0isize; 5];
        let size = size_of_val(&got);
        let name = cl::CL_CONTEXT_PROPERTIES;
        assert_eq!(clGetContextInfo(context, name, size, got.as_mut_ptr().cast(), null_mut()), 0);
        assert_eq!(got, list);
        assert_eq!(clReleaseContext(context), 0);
        // The error code may be left out.
        let context = clCreateContext(null(), 1, device, None, null_mut(), null_mut());
        assert_eq!(clReleaseContext(context), 0);
    }
}

#[test]
fn queues() {
    let world = World::new();
    let create = |list: &[u64]| {
        // SAFETY: lists are terminated.
        code_of(|err| unsafe { clCreateCommandQueueWithProperties(world.context, world.device, list.as_ptr(), err) })
    };
    let (flags, size) = (u64::from(cl::CL_QUEUE_PROPERTIES), u64::from(cl::CL_QUEUE_SIZE));
    let on_device = cl::CL_QUEUE_ON_DEVICE | cl::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    // SAFETY: pointers are null or valid.
    unsafe {
        check(&[
            ("not a device", cl::CL_INVALID_DEVICE, &|| {
                code_of(|err| clCreateCommandQueue(world.context, world.queue, 0, err))
            }),
            ("unknown bits", cl::CL_INVALID_VALUE, &|| {
                code_of(|err| clCreateCommandQueue(world.context, world.device, 1 << 40, err))
            }),
            ("unknown property", cl::CL_INVALID_VALUE, &|| create(&[0x7777, 1, 0])),
            ("unknown flag", cl::CL_INVALID_VALUE, &|| create(&[flags, 1 << 40, 0])),
            ("size of a host queue", cl::CL_INVALID_VALUE, &|| create(&[size, 64, 0])),
            ("property twice", cl::CL_INVALID_VALUE, &|| create(&[flags, 1, flags, 2, 0])),
            ("device queue in order", cl::CL_INVALID_VALUE, &|| create(&[flags, cl::CL_QUEUE_ON_DEVICE, 0])),
            ("large device queue", cl::CL_INVALID_QUEUE_PROPERTIES, &|| create(&[flags, on_device, size, 1 << 40, 0])),
            ("empty list", 0, &|| {
                let mut err = -1;
                let list = [0u64, 0, 0];
                let queue =
                    clCreateCommandQueueWithProperties(world.context, world.device, list.as_ptr(), &raw mut err);
                clReleaseCommandQueue(queue)
            }),
            ("default device queue", cl::CL_INVALID_COMMAND_QUEUE, &|| {
                clSetDefaultDeviceCommandQueue(world.context, world.device, null_mut())
            }),
            ("property of a queue", cl::CL_INVALID_OPERATION, &|| {
                clSetCommandQueueProperty(world.queue, cl::CL_QUEUE_PROFILING_ENABLE, 1, null_mut())
            }),
        ]);
    }
}
