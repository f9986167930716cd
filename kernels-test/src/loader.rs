//! Finds the driver under test and looks its entry points up. Knows signatures, no rules: `host` has the calls in a
//! safe form.

#![allow(unsafe_code, reason = "looks symbols up by name and gives them C signatures")]

use std::ffi::{c_char, c_void};
use std::path::PathBuf;
use std::sync::OnceLock;

use libloading::Library;

/// A `cl_*` object of any kind.
pub type Handle = *mut c_void;

/// Names another OpenCL library to test, such as `libOpenCL.so.1`.
pub const VARIABLE: &str = "CL_UNDER_TEST";

macro_rules! entry_points {
    ($($field:ident = $symbol:literal ($($arg:ty),*) -> $ret:ty;)*) => {
        /// Entry points of the driver under test.
        #[derive(Debug)]
        #[allow(missing_docs, reason = "each field is named as the function that it holds")]
        pub struct Cl {
            $(pub $field: unsafe extern "C" fn($($arg),*) -> $ret,)*
            _library: Library,
        }

        impl Cl {
            fn look_up(library: Library) -> Result<Self, libloading::Error> {
                Ok(Self {
                    // SAFETY: the signature is that of the OpenCL specification, and the library lives as long as
                    // `Self`.
                    $($field: unsafe { *library.get(concat!($symbol, "\0").as_bytes())? },)*
                    _library: library,
                })
            }
        }
    };
}

entry_points! {
    get_platform_ids = "clGetPlatformIDs" (u32, *mut Handle, *mut u32) -> i32;
    get_platform_info = "clGetPlatformInfo" (Handle, u32, usize, *mut c_void, *mut usize) -> i32;
    get_device_ids = "clGetDeviceIDs" (Handle, u64, u32, *mut Handle, *mut u32) -> i32;
    get_device_info = "clGetDeviceInfo" (Handle, u32, usize, *mut c_void, *mut usize) -> i32;
    create_context = "clCreateContext"
        (*const isize, u32, *const Handle, *const c_void, *mut c_void, *mut i32) -> Handle;
    release_context = "clReleaseContext" (Handle) -> i32;
    create_queue = "clCreateCommandQueue" (Handle, Handle, u64, *mut i32) -> Handle;
    release_queue = "clReleaseCommandQueue" (Handle) -> i32;
    create_buffer = "clCreateBuffer" (Handle, u64, usize, *mut c_void, *mut i32) -> Handle;
    create_sub_buffer = "clCreateSubBuffer" (Handle, u64, u32, *const c_void, *mut i32) -> Handle;
    create_image = "clCreateImage"
        (Handle, u64, *const [u32; 2], *const [usize; 9], *mut c_void, *mut i32) -> Handle;
    release_mem = "clReleaseMemObject" (Handle) -> i32;
    create_il_program = "clCreateProgramWithIL" (Handle, *const c_void, usize, *mut i32) -> Handle;
    create_program = "clCreateProgramWithSource" (Handle, u32, *const *const c_char, *const usize, *mut i32) -> Handle;
    build_program = "clBuildProgram"
        (Handle, u32, *const Handle, *const c_char, *const c_void, *mut c_void) -> i32;
    get_build_info = "clGetProgramBuildInfo" (Handle, Handle, u32, usize, *mut c_void, *mut usize) -> i32;
    release_program = "clReleaseProgram" (Handle) -> i32;
    create_kernel = "clCreateKernel" (Handle, *const c_char, *mut i32) -> Handle;
    set_kernel_arg = "clSetKernelArg" (Handle, u32, usize, *const c_void) -> i32;
    release_kernel = "clReleaseKernel" (Handle) -> i32;
    enqueue_kernel = "clEnqueueNDRangeKernel"
        (Handle, Handle, u32, *const usize, *const usize, *const usize, u32, *const Handle, *mut Handle) -> i32;
    enqueue_read = "clEnqueueReadBuffer"
        (Handle, Handle, u32, usize, usize, *mut c_void, u32, *const Handle, *mut Handle) -> i32;
    enqueue_write = "clEnqueueWriteBuffer"
        (Handle, Handle, u32, usize, usize, *const c_void, u32, *const Handle, *mut Handle) -> i32;
    enqueue_copy = "clEnqueueCopyBuffer"
        (Handle, Handle, Handle, usize, usize, usize, u32, *const Handle, *mut Handle) -> i32;
    enqueue_fill = "clEnqueueFillBuffer"
        (Handle, Handle, *const c_void, usize, usize, usize, u32, *const Handle, *mut Handle) -> i32;
    enqueue_write_image = "clEnqueueWriteImage"
        (Handle, Handle, u32, *const [usize; 3], *const [usize; 3], usize, usize, *const c_void, u32, *const Handle,
         *mut Handle) -> i32;
    wait_for_events = "clWaitForEvents" (u32, *const Handle) -> i32;
    release_event = "clReleaseEvent" (Handle) -> i32;
    finish = "clFinish" (Handle) -> i32;
}

/// The driver under test, opened once per process: what `CL_UNDER_TEST` names, else `libclift.so` near this executable.
///
/// Errors: no such library, or an entry point is missing.
pub fn driver() -> Result<&'static Cl, String> {
    static DRIVER: OnceLock<Result<Cl, String>> = OnceLock::new();
    DRIVER.get_or_init(open).as_ref().map_err(String::clone)
}

fn open() -> Result<Cl, String> {
    let path = driver_path()?;
    let fail = |e: libloading::Error| format!("{}: {e}", path.display());
    // SAFETY: loading an OpenCL library runs its initialisers only, which have no requirements.
    let library = unsafe { Library::new(&path) }.map_err(fail)?;
    Cl::look_up(library).map_err(fail)
}

/// The library under test: what `VARIABLE` names, or what cargo built.
///
/// # Errors
/// There is none.
pub fn driver_path() -> Result<PathBuf, String> {
    if let Some(path) = std::env::var_os(VARIABLE) {
        return Ok(path.into());
    }
    let exe = std::env::current_exe().map_err(|e| e.to_string())?;
    let near = exe.ancestors().skip(1).take(2).map(|folder| folder.join("libclift.so"));
    near.into_iter().find(|path| path.is_file()).ok_or_else(|| format!("no libclift.so near {}", exe.display()))
}
