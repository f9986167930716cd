//! Features that the device does not have answer with the specification's code, after their handles were checked.

#![allow(unsafe_code, reason = "calls the C API")]

mod common;

use common::*;

#[test]
fn pipes() {
    let world = World::new();
    let buffer = world.buffer(64);
    // SAFETY: pointers are null or valid.
    unsafe {
        check(&[
            ("clCreatePipe", cl::CL_INVALID_OPERATION, &|| {
                code_of(|err| clCreatePipe(world.context, 0, 4, 4, null(), err))
            }),
            ("clGetPipeInfo", cl::CL_INVALID_MEM_OBJECT, &|| clGetPipeInfo(buffer, 0, 0, null_mut(), null_mut())),
        ]);
        assert_eq!(clReleaseMemObject(buffer), 0);
    }
}

#[test]
fn intermediate_languages() {
    let world = World::new();
    let program = world.program("kernel void f(void) {}");
    let mut word = 0u32;
    let at = (&raw mut word).cast::<c_void>();
    unsafe extern "C" fn ignore(_: cl::cl_program, _: *mut c_void) {}
    // SAFETY: pointers are null or valid.
    unsafe {
        check(&[
            ("clCreateProgramWithIL", cl::CL_INVALID_OPERATION, &|| {
                code_of(|err| clCreateProgramWithIL(world.context, at, 4, err))
            }),
            ("clSetProgramSpecializationConstant", cl::CL_INVALID_OPERATION, &|| {
                clSetProgramSpecializationConstant(program, 0, 4, at)
            }),
            ("clSetProgramReleaseCallback", cl::CL_INVALID_OPERATION, &|| {
                clSetProgramReleaseCallback(program, Some(ignore), null_mut())
            }),
        ]);
        assert_eq!(clReleaseProgram(program), 0);
    }
}
