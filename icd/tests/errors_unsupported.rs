//! Features that the device does not have answer with the specification's code, after their handles were checked.

#![allow(unsafe_code, reason = "calls the C API")]

mod common;

use clift::dispatch::ENTRIES;
use common::*;

#[test]
fn destructors() {
    let world = World::new();
    let program = world.program("kernel void f(void) {}");
    unsafe extern "C" fn ignore(_: cl::cl_program, _: *mut c_void) {}
    // SAFETY: pointers are null or valid.
    unsafe {
        check(&[("clSetProgramReleaseCallback", cl::CL_INVALID_OPERATION, &|| {
            clSetProgramReleaseCallback(program, Some(ignore), null_mut())
        })]);
        assert_eq!(clReleaseProgram(program), 0);
    }
}

/// Functions of sharing extensions stand in the loader's table. Null goes in wherever they take something, as what they
/// would check first is not there to be checked.
#[test]
fn sharing() {
    type Status = unsafe extern "C" fn(*mut c_void, *mut c_void, *mut c_void, *mut c_void, *mut c_void) -> cl::cl_int;
    type Buffer = unsafe extern "C" fn(*mut c_void, u64, u32, *mut cl::cl_int) -> *mut c_void;
    type Texture = unsafe extern "C" fn(*mut c_void, u64, u32, i32, u32, *mut cl::cl_int) -> *mut c_void;
    type Sync = unsafe extern "C" fn(*mut c_void, *mut c_void, *mut cl::cl_int) -> *mut c_void;
    type EglSync = unsafe extern "C" fn(*mut c_void, *mut c_void, *mut c_void, *mut cl::cl_int) -> *mut c_void;
    type EglImage =
        unsafe extern "C" fn(*mut c_void, *mut c_void, *mut c_void, u64, *const isize, *mut cl::cl_int) -> *mut c_void;
    let none = null_mut();
    let refused = ENTRIES.iter().filter(|entry| !entry.is_supported && !entry.address.is_null());
    for entry in refused {
        let address = entry.address;
        // SAFETY: the specification gives the functions with these names these types.
        let code = unsafe {
            match entry.name {
                "clCreateFromGLBuffer" | "clCreateFromGLRenderbuffer" => {
                    let call = std::mem::transmute::<*const (), Buffer>(address);
                    code_of(|err| call(none, 0, 0, err))
                }
                "clCreateFromGLTexture" | "clCreateFromGLTexture2D" | "clCreateFromGLTexture3D" => {
                    let call = std::mem::transmute::<*const (), Texture>(address);
                    code_of(|err| call(none, 0, 0, 0, 0, err))
                }
                "clCreateEventFromGLsyncKHR" => {
                    let call = std::mem::transmute::<*const (), Sync>(address);
                    code_of(|err| call(none, none, err))
                }
                "clCreateEventFromEGLSyncKHR" => {
                    let call = std::mem::transmute::<*const (), EglSync>(address);
                    code_of(|err| call(none, none, none, err))
                }
                "clCreateFromEGLImageKHR" => {
                    let call = std::mem::transmute::<*const (), EglImage>(address);
                    code_of(|err| call(none, none, none, 0, null(), err))
                }
                _ => std::mem::transmute::<*const (), Status>(address)(none, none, none, none, none),
            }
        };
        assert_eq!(code, cl::CL_INVALID_OPERATION, "{}", entry.name);
    }
}
