//! Programs through every way that makes one: binaries, separate compilation with headers, linking, callbacks, clones.

#![allow(unsafe_code, reason = "calls the C API")]

mod common;

use common::*;
use std::ffi::CStr;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::time::{Duration, Instant};

const SOURCE: &str = "kernel void put(global int *a, int n) { a[get_global_id(0)] = n + (int)get_global_id(0); }";

/// Runs a kernel of one buffer and one number over four work-items.
fn run(world: &World, kernel: cl::cl_kernel, n: i32) -> [i32; 4] {
    run_in(world, kernel, n, cl::CL_MEM_READ_WRITE)
}

/// The same with flags of the buffer.
fn run_in(world: &World, kernel: cl::cl_kernel, n: i32, flags: cl::cl_mem_flags) -> [i32; 4] {
    let buffer = world.buffer_with(flags, 16);
    let (global, mut got) = (4usize, [0i32; 4]);
    let queue = world.queue;
    // SAFETY: all pointers are valid.
    unsafe {
        assert_eq!(clSetKernelArg(kernel, 0, 8, (&raw const buffer).cast()), 0);
        assert_eq!(clSetKernelArg(kernel, 1, 4, (&raw const n).cast()), 0);
        let status = clEnqueueNDRangeKernel(queue, kernel, 1, null(), &raw const global, null(), 0, null(), null_mut());
        assert_eq!(status, 0);
        let to = got.as_mut_ptr().cast();
        assert_eq!(clEnqueueReadBuffer(queue, buffer, cl::CL_TRUE, 0, 16, to, 0, null(), null_mut()), 0);
        assert_eq!(clReleaseMemObject(buffer), 0);
    }
    got
}

fn compile(world: &World, source: &str, options: &CStr, headers: &[(&CStr, cl::cl_program)]) -> cl::cl_program {
    let program = world.program(source);
    let (names, programs): (Vec<_>, Vec<_>) = headers.iter().map(|(name, header)| (name.as_ptr(), *header)).unzip();
    let (names, list) = if names.is_empty() { (null(), null()) } else { (names.as_ptr(), programs.as_ptr()) };
    let n = headers.len() as u32;
    // SAFETY: all pointers are null or valid.
    let status = unsafe { clCompileProgram(program, 0, null(), options.as_ptr(), n, list, names, None, null_mut()) };
    assert_eq!(status, 0, "{}", world.log(program));
    program
}

#[test]
fn a_binary_makes_the_same_program() {
    let world = World::new();
    let program = world.built(SOURCE);
    // SAFETY: all pointers are valid.
    unsafe {
        let mut size = 0usize;
        let name = cl::CL_PROGRAM_BINARY_SIZES;
        assert_eq!(clGetProgramInfo(program, name, 8, (&raw mut size).cast(), null_mut()), 0);
        let mut binary = vec![0u8; size];
        let mut place = binary.as_mut_ptr();
        assert_eq!(clGetProgramInfo(program, cl::CL_PROGRAM_BINARIES, 8, (&raw mut place).cast(), null_mut()), 0);
        let (from, mut err, mut status) = (binary.as_ptr(), -1, -1);
        let device = &raw const world.device;
        let make = |length: usize, err: *mut i32, status: *mut i32| {
            clCreateProgramWithBinary(world.context, 1, device, &raw const length, &raw const from, status, err)
        };
        let again = make(size, &raw mut err, &raw mut status);
        assert_eq!((err, status), (0, 0));
        assert_eq!(clBuildProgram(again, 0, null(), null(), None, null_mut()), 0);
        let kernel = world.kernel(again, "put");
        assert_eq!(run(&world, kernel, 10), [10, 11, 12, 13]);
        // Half a binary is no binary.
        assert!(make(size / 2, &raw mut err, &raw mut status).is_null());
        assert_eq!((err, status), (cl::CL_INVALID_BINARY, cl::CL_INVALID_BINARY));
        assert_eq!(clReleaseKernel(kernel), 0);
        assert_eq!(clReleaseProgram(again), 0);
        assert_eq!(clReleaseProgram(program), 0);
    }
}

#[test]
fn compiled_programs_with_headers_are_linked() {
    let world = World::new();
    let header = world.program("#define BASE 100\n");
    let source = "#include \"sizes/base.h\"\nkernel void put(global int *a, int n) { a[get_global_id(0)] = BASE + n; }";
    let object = compile(&world, source, c"", &[(c"sizes/base.h", header)]);
    let mut err = -1;
    // SAFETY: all pointers are null or valid.
    unsafe {
        let program =
            clLinkProgram(world.context, 0, null(), null(), 1, &raw const object, None, null_mut(), &raw mut err);
        assert_eq!(err, 0);
        let kernel = world.kernel(program, "put");
        assert_eq!(run(&world, kernel, 1), [101; 4]);
        assert_eq!(clReleaseKernel(kernel), 0);
        for program in [program, object, header] {
            assert_eq!(clReleaseProgram(program), 0);
        }
    }
}

/// `pocld` and PoCL have this option of the compiler for the linker as well. Other options of the compiler are refused.
#[test]
fn linking_takes_the_option_for_arguments_information() {
    let world = World::new();
    let object = compile(&world, SOURCE, c"", &[]);
    let mut err = -1;
    // SAFETY: all pointers are null or valid.
    unsafe {
        let link = |options: &CStr, err: *mut i32| {
            let inputs = &raw const object;
            clLinkProgram(world.context, 0, null(), options.as_ptr(), 1, inputs, None, null_mut(), err)
        };
        let program = link(c" -cl-kernel-arg-info", &raw mut err);
        assert_eq!(err, 0);
        let kernel = world.kernel(program, "put");
        let mut name = [0u8; 2];
        let (what, place) = (cl::CL_KERNEL_ARG_NAME, name.as_mut_ptr().cast());
        assert_eq!(clGetKernelArgInfo(kernel, 1, what, name.len(), place, null_mut()), 0);
        assert_eq!(name, *b"n\0");
        assert_eq!(clReleaseKernel(kernel), 0);
        assert!(link(c"-cl-std=CL3.0", &raw mut err).is_null());
        assert_eq!(err, cl::CL_INVALID_LINKER_OPTIONS);
        for program in [program, object] {
            assert_eq!(clReleaseProgram(program), 0);
        }
    }
}

/// The bytes of `CL_PROGRAM_BINARIES` as a new program.
fn reloaded(world: &World, program: cl::cl_program) -> cl::cl_program {
    let (mut size, mut err, mut status) = (0usize, -1, -1);
    // SAFETY: all pointers are valid.
    unsafe {
        let name = cl::CL_PROGRAM_BINARY_SIZES;
        assert_eq!(clGetProgramInfo(program, name, 8, (&raw mut size).cast(), null_mut()), 0);
        let mut binary = vec![0u8; size];
        let mut place = binary.as_mut_ptr();
        assert_eq!(clGetProgramInfo(program, cl::CL_PROGRAM_BINARIES, 8, (&raw mut place).cast(), null_mut()), 0);
        let (from, device) = (binary.as_ptr(), &raw const world.device);
        let (status, err) = (&raw mut status, &raw mut err);
        clCreateProgramWithBinary(world.context, 1, device, &raw const size, &raw const from, status, err)
    }
}

/// Objects, a library of two of them, and the compiler unloaded in between.
#[test]
fn objects_and_libraries_are_linked() {
    let world = World::new();
    let objects = [
        "int scaled(int); kernel void put(global int *a, int n) { a[get_global_id(0)] = scaled(n); }",
        "extern constant int factor; int scaled(int x) { return x * factor; }",
        "constant int factor = 3;",
    ]
    .map(|source| compile(&world, source, c"", &[]));
    let mut err = -1;
    // SAFETY: all pointers are null or valid.
    unsafe {
        let link = |options: &CStr, inputs: &[cl::cl_program], err: *mut i32| {
            let (n, list) = (inputs.len() as u32, inputs.as_ptr());
            clLinkProgram(world.context, 0, null(), options.as_ptr(), n, list, None, null_mut(), err)
        };
        let library = link(c"-create-library", &objects[1..], &raw mut err);
        assert_eq!(err, 0);
        assert_eq!(clUnloadPlatformCompiler(world.platform), 0);
        let again = reloaded(&world, library);
        let program = link(c"", &[objects[0], again], &raw mut err);
        assert_eq!(err, 0, "{}", world.log(program));
        let kernel = world.kernel(program, "put");
        assert_eq!(run(&world, kernel, 5), [15; 4]);
        assert_eq!(clReleaseKernel(kernel), 0);
        // What is missing is told by a program that cannot be run.
        let failed = link(c"", &objects[..2], &raw mut err);
        assert_eq!(err, cl::CL_LINK_PROGRAM_FAILURE);
        assert!(world.log(failed).contains("undefined reference to 'factor'"), "{}", world.log(failed));
        for program in objects.into_iter().chain([library, again, program, failed]) {
            assert_eq!(clReleaseProgram(program), 0);
        }
    }
}

static BUILT: AtomicU32 = AtomicU32::new(0);

unsafe extern "C" fn count(program: cl::cl_program, step: *mut c_void) {
    assert!(!program.is_null());
    BUILT.fetch_add(step.addr() as u32, SeqCst);
}

#[test]
fn callbacks_say_when_a_build_has_ended() {
    let world = World::new();
    let (good, bad) = (world.program(SOURCE), world.program("kernel void f( {"));
    // SAFETY: the callback only counts.
    unsafe {
        for (program, step) in [(good, 1usize), (bad, 16)] {
            let user = std::ptr::without_provenance_mut(step);
            assert_eq!(clBuildProgram(program, 0, null(), null(), Some(count), user), 0);
        }
        let start = Instant::now();
        while BUILT.load(SeqCst) != 17 && start.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(BUILT.load(SeqCst), 17);
        for (program, want) in [(good, cl::CL_BUILD_SUCCESS), (bad, cl::CL_BUILD_ERROR)] {
            let mut status = 7i32;
            let (name, place) = (cl::CL_PROGRAM_BUILD_STATUS, (&raw mut status).cast());
            assert_eq!(clGetProgramBuildInfo(program, world.device, name, 4, place, null_mut()), 0);
            assert_eq!(status, want);
            assert_eq!(clReleaseProgram(program), 0);
        }
    }
}

static MADE: AtomicU32 = AtomicU32::new(0);

unsafe extern "C" fn make(program: cl::cl_program, _: *mut c_void) {
    let mut err = 1;
    // SAFETY: the pointers are valid; the build has ended, so that this does not wait for it.
    unsafe {
        let kernel = clCreateKernel(program, c"k0".as_ptr(), &raw mut err);
        assert_eq!(err, 0);
        assert_eq!(clReleaseKernel(kernel), 0);
    }
    MADE.fetch_add(1, SeqCst);
}

/// Kernels are asked for right after builds with callbacks have begun.
#[test]
fn kernels_wait_for_the_build() {
    let world = World::new();
    let body = "float x = a[get_global_id(0)]; a[get_global_id(0)] = pow(x, 3.5f) + sin(x) * exp(x);";
    let kernels: String = (0..200).map(|n| format!("kernel void k{n}(global float *a) {{ {body} }}\n")).collect();
    let broken = format!("{kernels} kernel void f(");
    let progress = |program| {
        let mut status = 7i32;
        let (name, place) = (cl::CL_PROGRAM_BUILD_STATUS, (&raw mut status).cast());
        // SAFETY: the place has four bytes.
        assert_eq!(unsafe { clGetProgramBuildInfo(program, world.device, name, 4, place, null_mut()) }, 0);
        status
    };
    // SAFETY: pointers are null or valid.
    unsafe {
        let ask = |program, way| match way {
            0 => code_of(|err| {
                let kernel = clCreateKernel(program, c"k199".as_ptr(), err);
                if !kernel.is_null() {
                    assert_eq!(clReleaseKernel(kernel), 0);
                }
                kernel
            }),
            1 => {
                let mut n = 0usize;
                let to = (&raw mut n).cast();
                let code = clGetProgramInfo(program, cl::CL_PROGRAM_NUM_KERNELS, 8, to, null_mut());
                assert_eq!(n, if code == 0 { 200 } else { 0 });
                code
            }
            _ => clCreateKernelsInProgram(program, 0, null_mut(), null_mut()),
        };
        let mut seen_in_progress = 0;
        for way in 0..3 {
            let (good, bad) = (world.program(&kernels), world.program(&broken));
            assert_eq!(clBuildProgram(good, 0, null(), null(), Some(make), null_mut()), 0);
            seen_in_progress += i32::from(progress(good) == cl::CL_BUILD_IN_PROGRESS);
            assert_eq!(ask(good, way), 0);
            assert_eq!(progress(good), cl::CL_BUILD_SUCCESS);
            assert_eq!(clBuildProgram(bad, 0, null(), null(), Some(count_nothing), null_mut()), 0);
            assert_eq!(ask(bad, way), cl::CL_INVALID_PROGRAM_EXECUTABLE);
            assert_eq!(progress(bad), cl::CL_BUILD_ERROR);
            assert_eq!((clReleaseProgram(good), clReleaseProgram(bad)), (0, 0));
        }
        assert!(seen_in_progress > 0, "a query does not wait");
        let start = Instant::now();
        while MADE.load(SeqCst) != 3 && start.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(MADE.load(SeqCst), 3);
    }
}

unsafe extern "C" fn count_nothing(_: cl::cl_program, _: *mut c_void) {}

static GONE: AtomicU32 = AtomicU32::new(0);

unsafe extern "C" fn released(program: cl::cl_program, _: *mut c_void) {
    // The handle may be refused by now, but it is no wild pointer.
    let mut status = 0i32;
    let place = (&raw mut status).cast();
    // SAFETY: the place has four bytes.
    let code = unsafe { clGetProgramInfo(program, cl::CL_PROGRAM_REFERENCE_COUNT, 4, place, null_mut()) };
    assert!(code == 0 || code == cl::CL_INVALID_PROGRAM, "{code}");
    GONE.fetch_add(1, SeqCst);
}

/// Programs that the application gives up while they are being built, compiled and linked.
#[test]
fn programs_are_released_while_they_are_built() {
    let world = World::new();
    let object = compile(&world, SOURCE, c"", &[]);
    // SAFETY: all pointers are null or valid; the callback only looks and counts.
    unsafe {
        for _ in 0..50 {
            let (built, compiled) = (world.program(SOURCE), world.program(SOURCE));
            assert_eq!(clBuildProgram(built, 0, null(), null(), Some(released), null_mut()), 0);
            let status = clCompileProgram(compiled, 0, null(), null(), 0, null(), null(), Some(released), null_mut());
            assert_eq!(status, 0);
            let mut err = -1;
            let (inputs, err_out) = (&raw const object, &raw mut err);
            let callback = Some(released as _);
            let linked = clLinkProgram(world.context, 0, null(), null(), 1, inputs, callback, null_mut(), err_out);
            assert_eq!(err, 0);
            for program in [built, compiled, linked] {
                assert_eq!(clReleaseProgram(program), 0);
            }
        }
        let start = Instant::now();
        while GONE.load(SeqCst) != 150 && start.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(GONE.load(SeqCst), 150);
        assert_eq!(clReleaseProgram(object), 0);
    }
}

#[test]
fn kernels_are_made_together_and_cloned() {
    let world = World::new();
    let program = world.built(&format!("{SOURCE}\nkernel void nothing(void) {{}}"));
    let (mut kernels, mut n) = ([null_mut(); 2], 0);
    // SAFETY: all pointers are valid.
    unsafe {
        assert_eq!(clCreateKernelsInProgram(program, 2, kernels.as_mut_ptr(), &raw mut n), 0);
        assert_eq!(n, 2);
        assert_eq!(run(&world, kernels[0], 5), [5, 6, 7, 8]);
        let mut err = -1;
        let clone = clCloneKernel(kernels[0], &raw mut err);
        assert_eq!(err, 0);
        // The clone has its own arguments.
        assert_eq!(run(&world, clone, 7), [7, 8, 9, 10]);
        assert_eq!(run(&world, kernels[0], 6), [6, 7, 8, 9]);
        for kernel in [clone, kernels[0], kernels[1]] {
            assert_eq!(clReleaseKernel(kernel), 0);
        }
        assert_eq!(clReleaseProgram(program), 0);
    }
}

/// "If an element in lengths is zero, its accompanying string is null-terminated."
#[test]
fn sources_come_in_parts() {
    let world = World::new();
    let parts = [c"kernel void put(global int *a, in", c"t n) { a[get_global_id(0)] ", c"", c"= n; } xxxx"];
    let strings = parts.map(CStr::as_ptr);
    let lengths = [0usize, 0, 0, 6];
    let mut err = -1;
    // SAFETY: all pointers are valid.
    unsafe {
        let (strings, lengths) = (strings.as_ptr(), lengths.as_ptr());
        let program = clCreateProgramWithSource(world.context, 4, strings, lengths, &raw mut err);
        assert_eq!(err, 0);
        let status = clBuildProgram(program, 0, null(), null(), None, null_mut());
        assert_eq!(status, 0, "{}", world.log(program));
        let kernel = world.kernel(program, "put");
        assert_eq!(run(&world, kernel, 3), [3; 4]);
        assert_eq!(clReleaseKernel(kernel), 0);
        assert_eq!(clReleaseProgram(program), 0);
    }
}

/// Variables at program scope belong to one program: they keep their values from launch to launch, a second program of
/// the same source has its own, and a kernel keeps them alive.
#[test]
fn program_scope_variables_belong_to_their_program() {
    let world = World::new();
    let source = "atomic_int n = 5; global long pad[3]; constant int c = 1; kernel void bump(global int *a, int by) { \
        a[get_global_id(0)] = atomic_fetch_add(&n, by) + by + c; }";
    let size = |program: cl::cl_program| {
        let mut size = 0usize;
        let (name, place) = (cl::CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE, (&raw mut size).cast());
        // SAFETY: all pointers are valid.
        assert_eq!(unsafe { clGetProgramBuildInfo(program, world.device, name, 8, place, null_mut()) }, 0);
        size
    };
    let programs = [world.program(source), world.program(source)];
    assert_eq!(size(programs[0]), 0);
    for program in programs {
        // SAFETY: all pointers are null or valid.
        let status = unsafe { clBuildProgram(program, 0, null(), c"-cl-std=CL3.0".as_ptr(), None, null_mut()) };
        assert_eq!(status, 0, "{}", world.log(program));
        assert_eq!(size(program), 4 + 24);
    }
    let kernels = programs.map(|program| world.kernel(program, "bump"));
    for program in programs {
        // SAFETY: the program is ours.
        assert_eq!(unsafe { clReleaseProgram(program) }, 0);
    }
    let sorted = |mut values: [i32; 4]| {
        values.sort_unstable();
        values
    };
    assert_eq!(sorted(run(&world, kernels[0], 1)), [7, 8, 9, 10]);
    assert_eq!(sorted(run(&world, kernels[1], 2)), [8, 10, 12, 14]);
    assert_eq!(sorted(run(&world, kernels[0], 0)), [10; 4]);
    for kernel in kernels {
        // SAFETY: the kernel is ours.
        assert_eq!(unsafe { clReleaseKernel(kernel) }, 0);
    }
}

/// `clEnqueueReadGlobalVariableINTEL` and its kin.
#[test]
fn program_scope_variables_are_read_and_written_by_name() {
    let world = World::new();
    let source = "int table[4] = { 1, 2, 3, 4 }; global int *last = &table[3]; constant int fixed = 5; \
        kernel void bump(global int *a, int by) { \
        int i = get_global_id(0); a[i] = *last + by; if (i < 3) table[i] += 10; }";
    let (program, unbuilt) = (world.program(source), world.program(source));
    let mut cells = [0i32; 4];
    let to = cells.as_mut_ptr().cast::<c_void>();
    let (mut size, mut place) = (0usize, null_mut());
    // SAFETY: all pointers are null or valid.
    unsafe {
        assert_eq!(clBuildProgram(program, 0, null(), c"-cl-std=CL3.0".as_ptr(), None, null_mut()), 0);
        let read = |program, name: *const std::ffi::c_char, size, offset, to| {
            clEnqueueReadGlobalVariableINTEL(world.queue, program, name, 1, size, offset, to, 0, null(), null_mut())
        };
        let write = |name: &CStr, size, offset, from: *const c_void| {
            let name = name.as_ptr();
            clEnqueueWriteGlobalVariableINTEL(world.queue, program, name, 0, size, offset, from, 0, null(), null_mut())
        };
        let table = c"table".as_ptr();
        check(&[
            ("read", 0, &|| read(program, table, 16, 0, to)),
            ("nothing", 0, &|| read(program, table, 0, 16, to)),
            ("no name", cl::CL_INVALID_VALUE, &|| read(program, null(), 4, 0, to)),
            ("another name", cl::CL_INVALID_ARG_VALUE, &|| read(program, c"tabl".as_ptr(), 4, 0, to)),
            ("a kernel's name", cl::CL_INVALID_ARG_VALUE, &|| read(program, c"bump".as_ptr(), 4, 0, to)),
            ("a constant", cl::CL_INVALID_ARG_VALUE, &|| read(program, c"fixed".as_ptr(), 4, 0, to)),
            ("no place", cl::CL_INVALID_VALUE, &|| read(program, table, 4, 0, null_mut())),
            ("too much", cl::CL_INVALID_VALUE, &|| read(program, table, 8, 12, to)),
            ("far off", cl::CL_INVALID_VALUE, &|| read(program, table, 8, usize::MAX, to)),
            ("no program", cl::CL_INVALID_PROGRAM, &|| read(null_mut(), table, 4, 0, to)),
            ("not built", cl::CL_INVALID_PROGRAM_EXECUTABLE, &|| read(unbuilt, table, 4, 0, to)),
        ]);
        assert_eq!(cells, [1, 2, 3, 4]);
        let new = [20i32, 30];
        assert_eq!(write(c"table", 8, 8, new.as_ptr().cast()), 0);
        let kernel = world.kernel(program, "bump");
        assert_eq!(run(&world, kernel, 5), [35; 4]);
        assert_eq!(read(program, table, 16, 0, to), 0);
        assert_eq!(cells, [11, 12, 30, 30]);
        let device = world.device;
        let mut ask = |program, name: &CStr| {
            get_device_global_variable_pointer(device, program, name.as_ptr(), &raw mut size, &raw mut place)
        };
        assert_eq!(ask(unbuilt, c"table"), cl::CL_INVALID_PROGRAM_EXECUTABLE);
        assert_eq!(ask(program, c"nothing"), cl::CL_INVALID_ARG_VALUE);
        assert_eq!(ask(program, c"table"), 0);
        assert_eq!((size, place.cast::<[i32; 4]>().read()), (16, cells));
        // A command keeps the variable.
        let gate = world.user_event();
        let name = c"table".as_ptr();
        let n =
            clEnqueueReadGlobalVariableINTEL(world.queue, program, name, 0, 4, 12, to, 1, &raw const gate, null_mut());
        assert_eq!(n, 0);
        assert_eq!(clReleaseKernel(kernel), 0);
        assert_eq!(clReleaseProgram(program), 0);
        assert_eq!(clSetUserEventStatus(gate, 0), 0);
        assert_eq!(clFinish(world.queue), 0);
        assert_eq!(cells[0], 30);
        assert_eq!(clReleaseEvent(gate), 0);
        assert_eq!(clReleaseProgram(unbuilt), 0);
    }
}

/// Accesses within a buffer that lack only the permission are made as without checks.
#[test]
fn checks_leave_programs_that_work_without_them_as_they_are() {
    let world = World::new();
    let source = "kernel void put(global int *a, int n) { a[get_global_id(0)] = n; a[get_global_id(0)] += 2; }";
    for options in [c"", c"-clift-check=memory"] {
        let program = world.program(source);
        // SAFETY: a live program, and options that end.
        let status = unsafe { clBuildProgram(program, 0, null(), options.as_ptr(), None, null_mut()) };
        assert_eq!(status, 0, "{}", world.log(program));
        let kernel = world.kernel(program, "put");
        for flags in [cl::CL_MEM_READ_ONLY, cl::CL_MEM_WRITE_ONLY, cl::CL_MEM_READ_WRITE] {
            assert_eq!(run_in(&world, kernel, 5, flags), [7; 4], "{options:?} {flags:#x}");
        }
        // SAFETY: live handles.
        unsafe {
            assert_eq!(clReleaseKernel(kernel), 0);
            assert_eq!(clReleaseProgram(program), 0);
        }
    }
}
