//! Bad input to program calls, from wrong lists to sources that no compiler likes. The process goes on after each.

#![allow(unsafe_code, reason = "calls the C API")]

mod common;

use common::*;

unsafe extern "C" fn ignore(_: cl::cl_program, _: *mut c_void) {}

#[test]
fn creation() {
    let world = World::new();
    let text = c"kernel void f(void) {}";
    let strings = [text.as_ptr(), null()];
    let bytes = [1u8; 16];
    let (binary, length) = (bytes.as_ptr(), bytes.len());
    let (no_binary, no_length) = (null::<u8>(), 0usize);
    let device = &raw const world.device;
    let wrong = &raw const world.queue;
    // SAFETY: pointers are null or valid, strings terminated.
    unsafe {
        let source = |n, strings| code_of(|err| clCreateProgramWithSource(world.context, n, strings, null(), err));
        let with_binary = |n, devices, lengths, binaries| {
            code_of(|err| clCreateProgramWithBinary(world.context, n, devices, lengths, binaries, null_mut(), err))
        };
        check(&[
            ("no strings", cl::CL_INVALID_VALUE, &|| source(1, null())),
            ("zero strings", cl::CL_INVALID_VALUE, &|| source(0, strings.as_ptr())),
            ("a null string", cl::CL_INVALID_VALUE, &|| source(2, strings.as_ptr())),
            ("binary: no devices", cl::CL_INVALID_VALUE, &|| {
                with_binary(0, device, &raw const length, &raw const binary)
            }),
            ("binary: null devices", cl::CL_INVALID_VALUE, &|| {
                with_binary(1, null(), &raw const length, &raw const binary)
            }),
            ("binary: not a device", cl::CL_INVALID_DEVICE, &|| {
                with_binary(1, wrong, &raw const length, &raw const binary)
            }),
            ("binary: no lengths", cl::CL_INVALID_VALUE, &|| with_binary(1, device, null(), &raw const binary)),
            ("binary: no binaries", cl::CL_INVALID_VALUE, &|| with_binary(1, device, &raw const length, null())),
            ("binary: length 0", cl::CL_INVALID_VALUE, &|| {
                with_binary(1, device, &raw const no_length, &raw const binary)
            }),
            ("binary: null", cl::CL_INVALID_VALUE, &|| with_binary(1, device, &raw const length, &raw const no_binary)),
            ("binary: rubbish", cl::CL_INVALID_BINARY, &|| {
                with_binary(1, device, &raw const length, &raw const binary)
            }),
            ("built-in: no names", cl::CL_INVALID_VALUE, &|| {
                code_of(|err| clCreateProgramWithBuiltInKernels(world.context, 1, device, null(), err))
            }),
            ("built-in: unknown", cl::CL_INVALID_VALUE, &|| {
                code_of(|err| clCreateProgramWithBuiltInKernels(world.context, 1, device, c"f".as_ptr(), err))
            }),
        ]);
        let mut status = 0;
        let err = code_of(|err| {
            clCreateProgramWithBinary(
                world.context,
                1,
                device,
                &raw const length,
                &raw const binary,
                (&raw const status).cast_mut(),
                err,
            )
        });
        status += 0;
        assert_eq!((err, status), (cl::CL_INVALID_BINARY, cl::CL_INVALID_BINARY));
    }
}

#[test]
fn building() {
    let world = World::new();
    let (program, never) = (world.program("kernel void f(void) {}"), world.program("kernel void g(void) {}"));
    let device = &raw const world.device;
    let wrong = &raw const world.queue;
    let bad_utf8 = [b'-', b'D', 0xff, 0];
    let mut word = 0u32;
    let user = (&raw mut word).cast::<c_void>();
    // SAFETY: pointers are null or valid, strings terminated.
    unsafe {
        let build = |n, devices, options, notify, user| clBuildProgram(program, n, devices, options, notify, user);
        check(&[
            ("devices without count", cl::CL_INVALID_VALUE, &|| build(0, device, null(), None, null_mut())),
            ("count without devices", cl::CL_INVALID_VALUE, &|| build(1, null(), null(), None, null_mut())),
            ("not a device", cl::CL_INVALID_DEVICE, &|| build(1, wrong, null(), None, null_mut())),
            ("data without callback", cl::CL_INVALID_VALUE, &|| build(0, null(), null(), None, user)),
            ("unknown option", cl::CL_INVALID_BUILD_OPTIONS, &|| {
                build(0, null(), c"-no-such-option".as_ptr(), None, null_mut())
            }),
            ("a version that there is not", cl::CL_INVALID_BUILD_OPTIONS, &|| {
                build(0, null(), c"-cl-std=CL2.1".as_ptr(), None, null_mut())
            }),
            ("compile: a version that there is not", cl::CL_INVALID_COMPILER_OPTIONS, &|| {
                let options = c"-cl-std=CL2.1".as_ptr();
                clCompileProgram(program, 0, null(), options, 0, null(), null(), None, null_mut())
            }),
            ("options that are no text", cl::CL_INVALID_BUILD_OPTIONS, &|| {
                build(0, null(), bad_utf8.as_ptr().cast(), None, null_mut())
            }),
            ("compile: unknown option", cl::CL_INVALID_COMPILER_OPTIONS, &|| {
                let options = c"-no-such-option".as_ptr();
                clCompileProgram(program, 0, null(), options, 0, null(), null(), None, null_mut())
            }),
            ("compile: headers without count", cl::CL_INVALID_VALUE, &|| {
                clCompileProgram(program, 0, null(), null(), 0, &raw const never, null(), None, null_mut())
            }),
            ("compile: count without headers", cl::CL_INVALID_VALUE, &|| {
                clCompileProgram(program, 0, null(), null(), 1, null(), null(), None, null_mut())
            }),
            ("link: nothing", cl::CL_INVALID_VALUE, &|| {
                code_of(|err| clLinkProgram(world.context, 0, null(), null(), 0, null(), None, null_mut(), err))
            }),
            ("link: not a program", cl::CL_INVALID_PROGRAM, &|| {
                code_of(|err| clLinkProgram(world.context, 0, null(), null(), 1, wrong, None, null_mut(), err))
            }),
            ("link: data without callback", cl::CL_INVALID_VALUE, &|| {
                code_of(|err| clLinkProgram(world.context, 0, null(), null(), 1, &raw const never, None, user, err))
            }),
            ("link: not compiled", cl::CL_INVALID_OPERATION, &|| {
                code_of(|err| {
                    clLinkProgram(world.context, 0, null(), null(), 1, &raw const never, Some(ignore), user, err)
                })
            }),
            ("log of another device", cl::CL_INVALID_DEVICE, &|| {
                let name = cl::CL_PROGRAM_BUILD_LOG;
                clGetProgramBuildInfo(program, world.queue, name, 0, null_mut(), null_mut())
            }),
            ("kernel before build", cl::CL_INVALID_PROGRAM_EXECUTABLE, &|| {
                code_of(|err| clCreateKernel(never, c"g".as_ptr(), err))
            }),
            ("kernels before build", cl::CL_INVALID_PROGRAM_EXECUTABLE, &|| {
                clCreateKernelsInProgram(never, 0, null_mut(), null_mut())
            }),
        ]);
        assert_eq!(clReleaseProgram(never), 0);
        assert_eq!(clReleaseProgram(program), 0);
    }
}

/// Sources that cannot be built: code, text in the log, and the next build works.
#[test]
fn sources() {
    let nested = format!("kernel void f(global int *a) {{ a[0] = {}1{}; }}", "(".repeat(10_000), ")".repeat(10_000));
    let braces = format!("kernel void f(void) {}{}", "{".repeat(10_000), "}".repeat(10_000));
    let cases: &[(&str, &[u8])] = &[
        ("syntax error", b"kernel void f( {"),
        ("unknown name", b"kernel void f(global int *a) { a[0] = b; }"),
        ("nested parentheses", nested.as_bytes()),
        ("nested braces", braces.as_bytes()),
        ("endless macro", b"#define A B B B B B B B B\n#define B C C C C C C C C\n#define C D D D D D D D D\n#define D E E E E E E E E\n#define E F F F F F F F F\n#define F G G G G G G G G\n#define G H H H H H H H H\n#define H I I I I I I I I\n#define I 1 1 1 1 1 1 1 1\nkernel void f(void) { A; }"),
        ("not UTF-8", b"kernel void f(void) { int \xff\xfe; }"),
        ("missing include", b"#include \"no/such/file.h\"\nkernel void f(void) {}"),
        ("recursion", b"void g(int n) { if (n) g(n - 1); }\nkernel void f(void) { g(3); }"),
        ("error directive", b"#error this text\nkernel void f(void) {}"),
    ];
    let world = World::new();
    for (name, source) in cases {
        let (string, length) = (source.as_ptr().cast(), source.len());
        let mut err = -1;
        // SAFETY: the string has `length` bytes.
        unsafe {
            let program =
                clCreateProgramWithSource(world.context, 1, &raw const string, &raw const length, &raw mut err);
            assert_eq!(err, 0, "{name}");
            let status = clBuildProgram(program, 0, null(), null(), None, null_mut());
            assert_eq!(status, cl::CL_BUILD_PROGRAM_FAILURE, "{name}");
            let log = world.log(program);
            assert!(log.contains("error"), "{name}: {log}");
            assert_eq!(clReleaseProgram(program), 0);
        }
    }
    let good = world.built("kernel void f(void) {}");
    // SAFETY: the program is ours.
    assert_eq!(unsafe { clReleaseProgram(good) }, 0);
}
