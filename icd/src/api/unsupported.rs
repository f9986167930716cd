//! What stands in the dispatch table for functions of sharing extensions that Clift does not have: calls through a
//! loader end in `CL_INVALID_OPERATION` instead of a jump to null. Names that these stand for are in `dispatch`.

#![allow(unsafe_code, reason = "writes the caller's errcode_ret")]

use crate::{cl, ffi};
use std::ffi::c_void;

/// Any function that returns a `cl_int`: the C calling convention lets the callee ignore its arguments.
pub extern "C" fn status() -> cl::cl_int {
    cl::CL_INVALID_OPERATION
}

/// `clCreateFromGLBuffer` and `clCreateFromGLRenderbuffer`.
///
/// # Safety
/// `errcode_ret` is null or writable.
pub unsafe extern "C" fn create_from_gl_buffer(
    _context: cl::cl_context,
    _flags: cl::cl_mem_flags,
    _object: cl::cl_uint,
    errcode_ret: *mut cl::cl_int,
) -> *mut c_void {
    // SAFETY: the caller's promise.
    unsafe { refuse(errcode_ret) }
}

/// `clCreateFromGLTexture` and its 2D and 3D forms.
///
/// # Safety
/// `errcode_ret` is null or writable.
pub unsafe extern "C" fn create_from_gl_texture(
    _context: cl::cl_context,
    _flags: cl::cl_mem_flags,
    _target: cl::cl_uint,
    _level: cl::cl_int,
    _texture: cl::cl_uint,
    errcode_ret: *mut cl::cl_int,
) -> *mut c_void {
    // SAFETY: the caller's promise.
    unsafe { refuse(errcode_ret) }
}

/// `clCreateEventFromGLsyncKHR`.
///
/// # Safety
/// `errcode_ret` is null or writable.
pub unsafe extern "C" fn create_event_from_sync(
    _context: cl::cl_context,
    _sync: *mut c_void,
    errcode_ret: *mut cl::cl_int,
) -> *mut c_void {
    // SAFETY: the caller's promise.
    unsafe { refuse(errcode_ret) }
}

/// `clCreateEventFromEGLSyncKHR`.
///
/// # Safety
/// `errcode_ret` is null or writable.
pub unsafe extern "C" fn create_event_from_sync_display(
    _context: cl::cl_context,
    _sync: *mut c_void,
    _display: *mut c_void,
    errcode_ret: *mut cl::cl_int,
) -> *mut c_void {
    // SAFETY: the caller's promise.
    unsafe { refuse(errcode_ret) }
}

/// `clCreateFromEGLImageKHR`.
///
/// # Safety
/// `errcode_ret` is null or writable.
pub unsafe extern "C" fn create_from_egl_image(
    _context: cl::cl_context,
    _display: *mut c_void,
    _image: *mut c_void,
    _flags: cl::cl_mem_flags,
    _properties: *const isize,
    errcode_ret: *mut cl::cl_int,
) -> *mut c_void {
    // SAFETY: the caller's promise.
    unsafe { refuse(errcode_ret) }
}

/// # Safety
/// `errcode_ret` is null or writable.
unsafe fn refuse(errcode_ret: *mut cl::cl_int) -> *mut c_void {
    // SAFETY: the caller's promise.
    unsafe { ffi::put(errcode_ret, cl::CL_INVALID_OPERATION) };
    std::ptr::null_mut()
}
