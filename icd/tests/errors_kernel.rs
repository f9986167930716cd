//! Bad input to kernel calls and launches: each condition with its code.

#![allow(unsafe_code, reason = "calls the C API")]

mod common;

use clift_runtime::device::version::EMPTY_LOCAL_ARGS;
use common::*;

const SOURCE: &str = "
kernel void all(global int *out, int n, float4 v, local int *scratch, constant int *table) {
    scratch[get_local_id(0)] = n;
    out[get_global_id(0)] = scratch[get_local_id(0)] + table[0] + (int)v.x;
}
kernel __attribute__((reqd_work_group_size(4, 1, 1))) void four(global int *out) { out[get_global_id(0)] = 4; }
";

#[test]
fn creation_and_arguments() {
    let (world, other) = (World::new(), World::new());
    let program = world.built(SOURCE);
    let kernel = world.kernel(program, "all");
    let (buffer, foreign) = (world.buffer(64), other.buffer(64));
    let word = 7i32;
    let vector = [0f32; 4];
    let handle = size_of::<cl::cl_mem>();
    let at_word = (&raw const word).cast::<c_void>();
    let at_vector = vector.as_ptr().cast::<c_void>();
    let at_buffer = (&raw const buffer).cast::<c_void>();
    let at_foreign = (&raw const foreign).cast::<c_void>();
    let at_queue = (&raw const world.queue).cast::<c_void>();
    let nothing: cl::cl_mem = null_mut();
    let at_nothing = (&raw const nothing).cast::<c_void>();
    let system = cl::CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM;
    // SAFETY: values have as many bytes as is said; pointers are null or valid.
    unsafe {
        let set = |index, size, value| clSetKernelArg(kernel, index, size, value);
        check(&[
            ("no name", cl::CL_INVALID_VALUE, &|| code_of(|err| clCreateKernel(program, null(), err))),
            ("no such kernel", cl::CL_INVALID_KERNEL_NAME, &|| {
                code_of(|err| clCreateKernel(program, c"nil".as_ptr(), err))
            }),
            ("room for one of two", cl::CL_INVALID_VALUE, &|| {
                let mut place = null_mut();
                clCreateKernelsInProgram(program, 1, &raw mut place, null_mut())
            }),
            ("index", cl::CL_INVALID_ARG_INDEX, &|| set(5, 4, at_word)),
            ("buffer", 0, &|| set(0, handle, at_buffer)),
            ("null buffer", 0, &|| set(0, handle, null())),
            ("pointer to null", 0, &|| set(0, handle, at_nothing)),
            ("buffer: size", cl::CL_INVALID_ARG_SIZE, &|| set(0, 4, at_buffer)),
            ("not a buffer", cl::CL_INVALID_MEM_OBJECT, &|| set(0, handle, at_queue)),
            ("foreign buffer", cl::CL_INVALID_CONTEXT, &|| set(0, handle, at_foreign)),
            ("value", 0, &|| set(1, 4, at_word)),
            ("value: size", cl::CL_INVALID_ARG_SIZE, &|| set(1, 2, at_word)),
            ("value: null", cl::CL_INVALID_ARG_VALUE, &|| set(1, 4, null())),
            ("vector", 0, &|| set(2, 16, at_vector)),
            ("vector: size", cl::CL_INVALID_ARG_SIZE, &|| set(2, 12, at_vector)),
            ("local", 0, &|| set(3, 64, null())),
            ("local: size 0", if EMPTY_LOCAL_ARGS { 0 } else { cl::CL_INVALID_ARG_SIZE }, &|| set(3, 0, null())),
            ("local: value", cl::CL_INVALID_ARG_VALUE, &|| set(3, 4, at_word)),
            ("constant", 0, &|| set(4, handle, at_buffer)),
            ("SVM: index", cl::CL_INVALID_ARG_INDEX, &|| clSetKernelArgSVMPointer(kernel, 5, at_word)),
            ("SVM: value", cl::CL_INVALID_ARG_VALUE, &|| clSetKernelArgSVMPointer(kernel, 1, at_word)),
            ("SVM: local", cl::CL_INVALID_ARG_VALUE, &|| clSetKernelArgSVMPointer(kernel, 3, at_word)),
            ("SVM: global", 0, &|| clSetKernelArgSVMPointer(kernel, 0, at_word)),
            ("SVM: null", 0, &|| clSetKernelArgSVMPointer(kernel, 0, null())),
            ("SVM: constant", 0, &|| clSetKernelArgSVMPointer(kernel, 4, at_word)),
            ("device pointer: index", cl::CL_INVALID_ARG_INDEX, &|| set_arg_device_pointer(kernel, 5, 8)),
            ("device pointer: value", cl::CL_INVALID_ARG_INDEX, &|| set_arg_device_pointer(kernel, 1, 8)),
            ("device pointer: local", cl::CL_INVALID_ARG_INDEX, &|| set_arg_device_pointer(kernel, 3, 8)),
            ("device pointer: constant", cl::CL_INVALID_ARG_INDEX, &|| set_arg_device_pointer(kernel, 4, 8)),
            ("device pointer: null", 0, &|| set_arg_device_pointer(kernel, 0, 0)),
            ("device pointer: wrong, but not used", 0, &|| set_arg_device_pointer(kernel, 0, 8)),
            ("device pointers", 0, &|| {
                clSetKernelExecInfo(kernel, cl::CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT, 8, at_buffer)
            }),
            ("device pointers: none", cl::CL_INVALID_VALUE, &|| {
                clSetKernelExecInfo(kernel, cl::CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT, 8, null())
            }),
            ("device pointers: half of one", cl::CL_INVALID_VALUE, &|| {
                clSetKernelExecInfo(kernel, cl::CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT, 12, at_vector)
            }),
            ("SVM list", 0, &|| clSetKernelExecInfo(kernel, cl::CL_KERNEL_EXEC_INFO_SVM_PTRS, 8, at_buffer)),
            ("SVM list: empty", 0, &|| clSetKernelExecInfo(kernel, cl::CL_KERNEL_EXEC_INFO_SVM_PTRS, 0, null())),
            ("SVM list: null", cl::CL_INVALID_VALUE, &|| {
                clSetKernelExecInfo(kernel, cl::CL_KERNEL_EXEC_INFO_SVM_PTRS, 8, null())
            }),
            ("SVM list: half a pointer", cl::CL_INVALID_VALUE, &|| {
                clSetKernelExecInfo(kernel, cl::CL_KERNEL_EXEC_INFO_SVM_PTRS, 12, at_vector)
            }),
            ("SVM system", 0, &|| clSetKernelExecInfo(kernel, system, 4, at_word)),
            ("SVM system: null", cl::CL_INVALID_VALUE, &|| clSetKernelExecInfo(kernel, system, 4, null())),
            ("SVM system: size", cl::CL_INVALID_VALUE, &|| clSetKernelExecInfo(kernel, system, 8, at_vector)),
            ("unknown exec info", cl::CL_INVALID_VALUE, &|| clSetKernelExecInfo(kernel, 0x7777, 4, at_word)),
            ("argument query: index", cl::CL_INVALID_ARG_INDEX, &|| {
                clGetKernelArgInfo(kernel, 5, cl::CL_KERNEL_ARG_NAME, 0, null_mut(), null_mut())
            }),
            ("work-group query: not a device", cl::CL_INVALID_DEVICE, &|| {
                let name = cl::CL_KERNEL_WORK_GROUP_SIZE;
                clGetKernelWorkGroupInfo(kernel, world.queue, name, 0, null_mut(), null_mut())
            }),
            ("sub-groups", 0, &|| {
                let name = cl::CL_KERNEL_MAX_NUM_SUB_GROUPS;
                clGetKernelSubGroupInfo(kernel, world.device, name, 0, null(), 0, null_mut(), null_mut())
            }),
            ("sub-groups: unknown query", cl::CL_INVALID_VALUE, &|| {
                clGetKernelSubGroupInfo(kernel, world.device, 0x7777, 0, null(), 0, null_mut(), null_mut())
            }),
            ("sub-groups: no local size", cl::CL_INVALID_VALUE, &|| {
                let name = cl::CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE;
                clGetKernelSubGroupInfo(kernel, world.device, name, 0, null(), 0, null_mut(), null_mut())
            }),
            ("sub-groups: four dimensions", cl::CL_INVALID_VALUE, &|| {
                let name = cl::CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE;
                clGetKernelSubGroupInfo(
                    kernel,
                    world.device,
                    name,
                    32,
                    [1usize; 4].as_ptr().cast(),
                    0,
                    null_mut(),
                    null_mut(),
                )
            }),
            ("sub-groups: half a count", cl::CL_INVALID_VALUE, &|| {
                let name = cl::CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT;
                clGetKernelSubGroupInfo(kernel, world.device, name, 4, at_word, 0, null_mut(), null_mut())
            }),
            ("rebuild with a kernel", cl::CL_INVALID_OPERATION, &|| {
                clBuildProgram(program, 0, null(), null(), None, null_mut())
            }),
        ]);
        for mem in [buffer, foreign] {
            assert_eq!(clReleaseMemObject(mem), 0);
        }
        assert_eq!(clReleaseKernel(kernel), 0);
        assert_eq!(clReleaseProgram(program), 0);
    }
}

#[test]
fn launches() {
    let (world, other) = (World::new(), World::new());
    let program = world.built(SOURCE);
    let (kernel, unset) = (world.kernel(program, "four"), world.kernel(program, "all"));
    let buffer = world.buffer(4 * 1024);
    let launch =
        |queue, kernel, dims, offset: Option<[usize; 3]>, global: Option<[usize; 3]>, local: Option<[usize; 3]>| {
            let at = |sizes: &Option<[usize; 3]>| sizes.as_ref().map_or(null(), |sizes| sizes.as_ptr());
            // SAFETY: sizes have three elements.
            unsafe {
                clEnqueueNDRangeKernel(queue, kernel, dims, at(&offset), at(&global), at(&local), 0, null(), null_mut())
            }
        };
    // SAFETY: pointers are valid.
    assert_eq!(unsafe { clSetKernelArg(kernel, 0, 8, (&raw const buffer).cast()) }, 0);
    let four = Some([4, 1, 1]);
    check(&[
        ("not a kernel", cl::CL_INVALID_KERNEL, &|| launch(world.queue, program, 1, None, four, None)),
        ("argument not set", cl::CL_INVALID_KERNEL_ARGS, &|| launch(world.queue, unset, 1, None, four, None)),
        ("no dimension", cl::CL_INVALID_WORK_DIMENSION, &|| launch(world.queue, kernel, 0, None, four, None)),
        ("four dimensions", cl::CL_INVALID_WORK_DIMENSION, &|| launch(world.queue, kernel, 4, None, four, None)),
        ("group size not as required", cl::CL_INVALID_WORK_GROUP_SIZE, &|| {
            launch(world.queue, kernel, 1, None, Some([8, 1, 1]), Some([8, 1, 1]))
        }),
        ("group of none", cl::CL_INVALID_WORK_GROUP_SIZE, &|| {
            launch(world.queue, kernel, 1, None, four, Some([0, 1, 1]))
        }),
        ("not divisible", cl::CL_INVALID_WORK_GROUP_SIZE, &|| {
            launch(world.queue, kernel, 1, None, Some([6, 1, 1]), four)
        }),
        ("large group", cl::CL_INVALID_WORK_ITEM_SIZE, &|| {
            launch(world.queue, kernel, 1, None, Some([1 << 20, 1, 1]), Some([1 << 20, 1, 1]))
        }),
        ("offset wraps", cl::CL_INVALID_GLOBAL_OFFSET, &|| {
            launch(world.queue, kernel, 1, Some([usize::MAX - 2, 0, 0]), four, four)
        }),
        ("foreign queue", cl::CL_INVALID_CONTEXT, &|| launch(other.queue, kernel, 1, None, four, four)),
        ("right", 0, &|| launch(world.queue, kernel, 1, None, four, four)),
    ]);
    // SAFETY: the handles are ours.
    unsafe {
        assert_eq!(clFinish(world.queue), 0);
        assert_eq!(clEnqueueTask(world.queue, kernel, 0, null(), null_mut()), cl::CL_INVALID_WORK_GROUP_SIZE);
        assert_eq!(clReleaseMemObject(buffer), 0);
        assert_eq!(clReleaseKernel(unset), 0);
        assert_eq!(clReleaseKernel(kernel), 0);
        assert_eq!(clReleaseProgram(program), 0);
    }
}

/// From OpenCL 3.1 on a local argument may have no bytes: the kernel then leaves it alone.
#[test]
fn a_local_argument_without_bytes() {
    if !EMPTY_LOCAL_ARGS {
        return;
    }
    let world = World::new();
    let program = world.built(
        "kernel void sum(global int *out, local int *a, local int *b, int n) {
             int l = get_local_id(0);
             if (n) a[l] = l;
             b[l] = n ? a[l] + 1 : l + 2;
             barrier(CLK_LOCAL_MEM_FENCE);
             out[l] = b[3 - l];
         }",
    );
    let (kernel, buffer) = (world.kernel(program, "sum"), world.buffer(16));
    // SAFETY: pointers are null or valid.
    unsafe {
        assert_eq!(clSetKernelArg(kernel, 0, 8, (&raw const buffer).cast()), 0);
        assert_eq!(clSetKernelArg(kernel, 2, 16, null()), 0);
        for (size, n, want) in [(0, 0, [5, 4, 3, 2]), (16, 1, [4, 3, 2, 1]), (0, 0, [5, 4, 3, 2])] {
            assert_eq!(clSetKernelArg(kernel, 1, size, null()), 0);
            assert_eq!(clSetKernelArg(kernel, 3, 4, (&raw const n).cast::<c_void>()), 0);
            let four = 4usize;
            let four = &raw const four;
            assert_eq!(clEnqueueNDRangeKernel(world.queue, kernel, 1, null(), four, four, 0, null(), null_mut()), 0);
            let mut got = [0i32; 4];
            let to = got.as_mut_ptr().cast();
            assert_eq!(clEnqueueReadBuffer(world.queue, buffer, 1, 0, 16, to, 0, null(), null_mut()), 0);
            assert_eq!(got, want);
        }
        assert_eq!(clReleaseMemObject(buffer), 0);
        assert_eq!(clReleaseKernel(kernel), 0);
        assert_eq!(clReleaseProgram(program), 0);
    }
}

/// The product of a required size may be 0 in 64 bits.
#[test]
fn required_sizes_beyond_all_limits() {
    let world = World::new();
    let buffer = world.buffer(64);
    let n = [1usize << 23, 1 << 21, 1 << 21];
    let most = world.most_items();
    for (size, runs) in [
        ("4194304, 2097152, 2097152", false),
        ("4294967295, 4294967295, 4294967295", false),
        ("1, 1, 1048576", false),
        (&format!("{most}, 2, 1"), false),
        (&format!("{}, 1, 1", most + 1), false),
        (&format!("{most}, 1, 1"), true),
        (&format!("1, 1, {most}"), true),
    ] {
        let program = world.program(&format!(
            "kernel __attribute__((reqd_work_group_size({size}))) __attribute__((work_group_size_hint({size})))
             void k(global int *a) {{
                 local int l[4];
                 int x[16], i = get_local_id(0);
                 for (int j = 0; j < 16; j++) x[j] = a[(i + j * a[1]) & 7];
                 l[i & 3] = x[a[2] & 15];
                 barrier(CLK_LOCAL_MEM_FENCE);
                 a[i & 7] = l[(i + 1) & 3] + x[a[3] & 15];
             }}"
        ));
        // SAFETY: pointers are null or valid, sizes have three elements.
        unsafe {
            assert_eq!(clBuildProgram(program, 0, null(), c"-cl-std=CL3.0".as_ptr(), None, null_mut()), 0, "{size}");
            let kernel = world.kernel(program, "k");
            assert_eq!(clSetKernelArg(kernel, 0, 8, (&raw const buffer).cast()), 0);
            let global = if runs { [most, 1, most] } else { n };
            let global = global.as_ptr();
            let status = clEnqueueNDRangeKernel(world.queue, kernel, 3, null(), global, null(), 0, null(), null_mut());
            assert_eq!(status, if runs { 0 } else { cl::CL_INVALID_WORK_GROUP_SIZE }, "{size}");
            let mut suggested = [0usize; 3];
            let to = suggested.as_mut_ptr();
            assert_eq!(clGetKernelSuggestedLocalWorkSize(world.queue, kernel, 3, null(), global, to), status, "{size}");
            let properties = null();
            let recording = clCreateCommandBufferKHR(1, &raw const world.queue, properties, null_mut());
            let recorded = clCommandNDRangeKernelKHR(
                recording,
                null_mut(),
                properties,
                kernel,
                3,
                null(),
                global,
                null(),
                0,
                null(),
                null_mut(),
                null_mut(),
            );
            assert_eq!(recorded, status, "{size}");
            assert_eq!(clFinish(world.queue), 0);
            assert_eq!(clReleaseCommandBufferKHR(recording), 0);
            assert_eq!(clReleaseKernel(kernel), 0);
            assert_eq!(clReleaseProgram(program), 0);
        }
    }
    // SAFETY: the handle is ours.
    assert_eq!(unsafe { clReleaseMemObject(buffer) }, 0);
}

#[test]
fn suggested_sizes() {
    type Suggest = unsafe extern "C" fn(
        cl::cl_command_queue,
        cl::cl_kernel,
        cl::cl_uint,
        *const usize,
        *const usize,
        *mut usize,
    ) -> cl::cl_int;
    let world = World::new();
    let program = world.built(SOURCE);
    let (kernel, unset) = (world.kernel(program, "four"), world.kernel(program, "all"));
    let buffer = world.buffer(4 * 1024);
    let global = [1024usize, 1, 1];
    let none = [0usize; 3];
    // SAFETY: the name's function has this type; pointers are null or valid.
    unsafe {
        let name = c"clGetKernelSuggestedLocalWorkSizeKHR".as_ptr();
        let address = clGetExtensionFunctionAddressForPlatform(world.platform, name);
        assert_eq!(address, (clGetKernelSuggestedLocalWorkSize as *mut ()).cast(), "since OpenCL 3.1 in the core");
        let suggest = std::mem::transmute::<*mut c_void, Option<Suggest>>(address).expect("the function");
        assert_eq!(clSetKernelArg(kernel, 0, 8, (&raw const buffer).cast()), 0);
        let mut size = [0usize; 3];
        let to = size.as_mut_ptr();
        let (queue, global, none) = (world.queue, global.as_ptr(), none.as_ptr());
        check(&[
            ("not a queue", cl::CL_INVALID_COMMAND_QUEUE, &|| suggest(kernel, kernel, 1, null(), global, to)),
            ("not a kernel", cl::CL_INVALID_KERNEL, &|| suggest(queue, queue, 1, null(), global, to)),
            ("argument not set", cl::CL_INVALID_KERNEL_ARGS, &|| suggest(queue, unset, 1, null(), global, to)),
            ("no dimension", cl::CL_INVALID_WORK_DIMENSION, &|| suggest(queue, kernel, 0, null(), global, to)),
            ("no sizes", cl::CL_INVALID_GLOBAL_WORK_SIZE, &|| suggest(queue, kernel, 1, null(), null(), to)),
            ("size 0", cl::CL_INVALID_GLOBAL_WORK_SIZE, &|| suggest(queue, kernel, 1, null(), none, to)),
            ("no place", cl::CL_INVALID_VALUE, &|| suggest(queue, kernel, 1, null(), global, null_mut())),
            ("right", 0, &|| suggest(queue, kernel, 3, null(), global, to)),
        ]);
        assert_eq!(size, [4, 1, 1], "the size that the kernel demands");
        assert_eq!(clReleaseMemObject(buffer), 0);
        assert_eq!(clReleaseKernel(unset), 0);
        assert_eq!(clReleaseKernel(kernel), 0);
        assert_eq!(clReleaseProgram(program), 0);
    }
}

#[test]
fn native_kernels() {
    unsafe extern "C" fn store(args: *mut c_void) {
        // SAFETY: the block has a pointer and a number.
        unsafe {
            let block = args.cast::<(*mut u32, u64)>().read_unaligned();
            block.0.write(block.1 as u32);
        }
    }
    let world = World::new();
    let buffer = world.buffer(64);
    let mut args = (buffer, 42u64);
    let at = (&raw mut args).cast::<c_void>();
    let places = [at.cast_const()];
    let outside = [null::<c_void>()];
    // SAFETY: pointers are null or valid.
    unsafe {
        let run = |function, args, size, n, mems, places| {
            clEnqueueNativeKernel(world.queue, function, args, size, n, mems, places, 0, null(), null_mut())
        };
        let mem = &raw const buffer;
        check(&[
            ("no function", cl::CL_INVALID_VALUE, &|| run(None, at, 16, 1, mem, places.as_ptr())),
            ("size without arguments", cl::CL_INVALID_VALUE, &|| run(Some(store), null_mut(), 16, 0, null(), null())),
            ("arguments without size", cl::CL_INVALID_VALUE, &|| run(Some(store), at, 0, 0, null(), null())),
            ("objects without places", cl::CL_INVALID_VALUE, &|| run(Some(store), at, 16, 1, mem, null())),
            ("places without objects", cl::CL_INVALID_VALUE, &|| run(Some(store), at, 16, 0, null(), places.as_ptr())),
            ("place outside", cl::CL_INVALID_VALUE, &|| run(Some(store), at, 16, 1, mem, outside.as_ptr())),
            ("not a buffer", cl::CL_INVALID_MEM_OBJECT, &|| {
                run(Some(store), at, 16, 1, &raw const world.queue, places.as_ptr())
            }),
            ("right", 0, &|| run(Some(store), at, 16, 1, mem, places.as_ptr())),
        ]);
        let mut word = 0u32;
        let to = (&raw mut word).cast();
        assert_eq!(clEnqueueReadBuffer(world.queue, buffer, 1, 0, 4, to, 0, null(), null_mut()), 0);
        assert_eq!(word, 42);
        assert_eq!(args.0, buffer, "the caller's block is left alone");
        assert_eq!(clReleaseMemObject(buffer), 0);
    }
}
