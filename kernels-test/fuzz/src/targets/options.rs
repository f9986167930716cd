//! Strings of options, through `clBuildProgram`, `clCompileProgram` and `clLinkProgram`.

#![allow(unsafe_code, reason = "calls the C API")]

use super::common::*;
use std::cell::LazyCell;

/// Looks at what options can change: macros, the version, precision.
const SOURCE: &str = "#ifdef A
A
#endif
#ifdef B
constant int b = B;
#endif
kernel void k(global float *p) { p[0] = sqrt(p[1]) / p[2] * 1.0 + __OPENCL_C_VERSION__; }";

thread_local! {
    static WORLD: LazyCell<World> = LazyCell::new(World::new);
}

/// Builds, compiles and links with the text as options: they succeed, or say why not; what was asked for is told.
pub fn run(bytes: &[u8]) {
    let text: Vec<u8> = bytes.split(|&byte| byte == 0).next().unwrap_or_default().into();
    // Folders are searched, whatever they are.
    if text.windows(2).any(|two| two == b"-I") {
        return;
    }
    let text = CString::new(text).expect("it ends at the first zero");
    WORLD.with(|world| {
        for call in [build, compile, link] {
            call(world, &text);
        }
    });
}

fn build(world: &World, options: &CString) {
    let program = world.program(SOURCE);
    // SAFETY: pointers are null or valid.
    let code = unsafe { clBuildProgram(program, 0, null(), options.as_ptr(), None, null_mut()) };
    judge(world, program, options, code, cl::CL_INVALID_BUILD_OPTIONS, cl::CL_BUILD_PROGRAM_FAILURE);
}

fn compile(world: &World, options: &CString) {
    let program = world.program(SOURCE);
    // SAFETY: pointers are null or valid.
    let code =
        unsafe { clCompileProgram(program, 0, null(), options.as_ptr(), 0, null(), null_mut(), None, null_mut()) };
    judge(world, program, options, code, cl::CL_INVALID_COMPILER_OPTIONS, cl::CL_COMPILE_PROGRAM_FAILURE);
}

fn link(world: &World, options: &CString) {
    let part = world.program(SOURCE);
    // SAFETY: pointers are null or valid; the part is ours.
    unsafe {
        let code = clCompileProgram(part, 0, null(), null(), 0, null(), null_mut(), None, null_mut());
        assert_eq!(code, 0);
        let mut code = 1;
        let (to, options_text) = (&raw mut code, options.as_ptr());
        let program = clLinkProgram(world.context, 0, null(), options_text, 1, &raw const part, None, null_mut(), to);
        if program.is_null() {
            assert!([cl::CL_INVALID_LINKER_OPTIONS, cl::CL_LINK_PROGRAM_FAILURE].contains(&code), "{code}");
        } else {
            judge(world, program, options, code, cl::CL_INVALID_LINKER_OPTIONS, cl::CL_LINK_PROGRAM_FAILURE);
        }
        assert_eq!(clReleaseProgram(part), 0);
    }
}

/// Checks what a call left in the program, and lets go of that.
fn judge(world: &World, program: cl::cl_program, options: &CString, code: i32, invalid: i32, failure: i32) {
    let log = world.log(program);
    assert!(!log.contains("internal compiler error"), "{log}");
    assert!(code == 0 || code == invalid || code == failure, "{code}");
    // What is not UTF-8 never becomes options of the program.
    assert!(code == 0 || !log.is_empty() || options.to_str().is_err(), "{code} without a word");
    let mut told = vec![0u8; options.as_bytes_with_nul().len() + 1];
    let (size, mut needed) = (told.len(), 0);
    // SAFETY: pointers are valid; the program is ours.
    unsafe {
        let to = told.as_mut_ptr().cast();
        let name = cl::CL_PROGRAM_BUILD_OPTIONS;
        assert_eq!(clGetProgramBuildInfo(program, world.device, name, size, to, &raw mut needed), 0);
        assert_eq!(clReleaseProgram(program), 0);
    }
    if code == 0 {
        assert_eq!(&told[..needed], options.as_bytes_with_nul(), "CL_PROGRAM_BUILD_OPTIONS");
    }
}
