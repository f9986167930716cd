//! Features that the device does not have answer with the specification's code, after their handles were checked.

#![allow(unsafe_code, reason = "calls the C API")]

mod common;

use common::*;

#[test]
fn images_samplers_and_pipes() {
    let world = World::new();
    let buffer = world.buffer(64);
    let mut n = 7u32;
    let origin = [0usize; 3];
    let at = origin.as_ptr();
    // SAFETY: pointers are null or valid.
    unsafe {
        check(&[
            ("clCreateImage", cl::CL_INVALID_OPERATION, &|| {
                code_of(|err| clCreateImage(world.context, 0, null(), null(), null_mut(), err))
            }),
            ("clCreateImageWithProperties", cl::CL_INVALID_OPERATION, &|| {
                code_of(|err| clCreateImageWithProperties(world.context, null(), 0, null(), null(), null_mut(), err))
            }),
            ("clCreateImage2D", cl::CL_INVALID_OPERATION, &|| {
                code_of(|err| clCreateImage2D(world.context, 0, null(), 1, 1, 0, null_mut(), err))
            }),
            ("clCreateImage3D", cl::CL_INVALID_OPERATION, &|| {
                code_of(|err| clCreateImage3D(world.context, 0, null(), 1, 1, 1, 0, 0, null_mut(), err))
            }),
            ("clCreateSampler", cl::CL_INVALID_OPERATION, &|| {
                code_of(|err| clCreateSampler(world.context, 0, cl::CL_ADDRESS_NONE, cl::CL_FILTER_NEAREST, err))
            }),
            ("clCreateSamplerWithProperties", cl::CL_INVALID_OPERATION, &|| {
                code_of(|err| clCreateSamplerWithProperties(world.context, null(), err))
            }),
            ("clCreatePipe", cl::CL_INVALID_OPERATION, &|| {
                code_of(|err| clCreatePipe(world.context, 0, 4, 4, null(), err))
            }),
            ("clGetImageInfo", cl::CL_INVALID_MEM_OBJECT, &|| clGetImageInfo(buffer, 0, 0, null_mut(), null_mut())),
            ("clGetPipeInfo", cl::CL_INVALID_MEM_OBJECT, &|| clGetPipeInfo(buffer, 0, 0, null_mut(), null_mut())),
            ("clEnqueueReadImage", cl::CL_INVALID_OPERATION, &|| {
                clEnqueueReadImage(world.queue, buffer, 1, at, at, 0, 0, null_mut(), 0, null(), null_mut())
            }),
            ("clEnqueueFillImage", cl::CL_INVALID_OPERATION, &|| {
                clEnqueueFillImage(world.queue, buffer, null(), at, at, 0, null(), null_mut())
            }),
            ("clEnqueueMapImage", cl::CL_INVALID_OPERATION, &|| {
                code_of(|err| {
                    let (queue, none) = (world.queue, null_mut());
                    clEnqueueMapImage(queue, buffer, 1, 1, at, at, null_mut(), null_mut(), 0, null(), none, err)
                })
            }),
            ("formats of a buffer", cl::CL_INVALID_VALUE, &|| {
                clGetSupportedImageFormats(world.context, 0, cl::CL_MEM_OBJECT_BUFFER, 0, null_mut(), null_mut())
            }),
            ("formats for unknown flags", cl::CL_INVALID_VALUE, &|| {
                let kind = cl::CL_MEM_OBJECT_IMAGE2D;
                clGetSupportedImageFormats(world.context, 1 << 40, kind, 0, null_mut(), null_mut())
            }),
        ]);
        let kind = cl::CL_MEM_OBJECT_IMAGE2D;
        assert_eq!(clGetSupportedImageFormats(world.context, 1, kind, 5000, null_mut(), &raw mut n), 0);
        assert_eq!(n, 0);
        assert_eq!(clReleaseMemObject(buffer), 0);
    }
}

#[test]
fn shared_virtual_memory_and_intermediate_languages() {
    let world = World::new();
    let program = world.program("kernel void f(void) {}");
    let mut word = 0u32;
    let at = (&raw mut word).cast::<c_void>();
    unsafe extern "C" fn ignore(_: cl::cl_program, _: *mut c_void) {}
    // SAFETY: pointers are null or valid.
    unsafe {
        assert!(clSVMAlloc(world.context, 0, 64, 0).is_null());
        clSVMFree(world.context, null_mut());
        check(&[
            ("clEnqueueSVMFree", cl::CL_INVALID_OPERATION, &|| {
                clEnqueueSVMFree(world.queue, 0, null_mut(), None, null_mut(), 0, null(), null_mut())
            }),
            ("clEnqueueSVMMemcpy", cl::CL_INVALID_OPERATION, &|| {
                clEnqueueSVMMemcpy(world.queue, 1, at, at, 4, 0, null(), null_mut())
            }),
            ("clEnqueueSVMMemFill", cl::CL_INVALID_OPERATION, &|| {
                clEnqueueSVMMemFill(world.queue, at, at, 4, 4, 0, null(), null_mut())
            }),
            ("clEnqueueSVMMap", cl::CL_INVALID_OPERATION, &|| {
                clEnqueueSVMMap(world.queue, 1, 1, at, 4, 0, null(), null_mut())
            }),
            ("clEnqueueSVMUnmap", cl::CL_INVALID_OPERATION, &|| {
                clEnqueueSVMUnmap(world.queue, at, 0, null(), null_mut())
            }),
            ("clEnqueueSVMMigrateMem", cl::CL_INVALID_OPERATION, &|| {
                clEnqueueSVMMigrateMem(world.queue, 1, null(), null(), 0, 0, null(), null_mut())
            }),
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
