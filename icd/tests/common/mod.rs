//! What the tests of this folder share: one platform, device, context and queue, made and released through the C API.

#![allow(unsafe_code, reason = "calls the C API")]
#![allow(dead_code, unused_imports, reason = "each test uses a part")]

pub use clift::api::{
    buffer::*, build::*, command_buffer::record::*, command_buffer::update::*, command_buffer::*, context::*,
    device::*, enqueue::buffer::*, enqueue::image::*, enqueue::kernel::*, enqueue::map::*, enqueue::rect::*,
    enqueue::svm::*, enqueue::sync::*, enqueue::usm::*, enqueue::variable::*, event::*, image::*, kernel::*, pipe::*,
    platform::*, program::*, queue::*, sampler::*, semaphore::*, svm::*, unified_svm::*, usm::*,
};
pub use clift::cl;
pub use std::ffi::{CString, c_void};
pub use std::ptr::{null, null_mut};

/// A description of an image of these sizes (width, height, depth, layers), packed, without a buffer.
pub fn image_desc(image_type: u32, [width, height, depth, layers]: [usize; 4]) -> cl::cl_image_desc {
    cl::cl_image_desc {
        image_type,
        image_width: width,
        image_height: height,
        image_depth: depth,
        image_array_size: layers,
        image_row_pitch: 0,
        image_slice_pitch: 0,
        num_mip_levels: 0,
        num_samples: 0,
        buffer: null_mut(),
    }
}

/// A platform, its device, and a context with an in-order queue.
pub struct World {
    pub platform: cl::cl_platform_id,
    pub device: cl::cl_device_id,
    pub context: cl::cl_context,
    pub queue: cl::cl_command_queue,
}

impl World {
    pub fn new() -> Self {
        let (mut platform, mut device, mut err) = (null_mut(), null_mut(), -1);
        // SAFETY: all pointers are valid.
        unsafe {
            assert_eq!(clGetPlatformIDs(1, &raw mut platform, null_mut()), 0);
            assert_eq!(clGetDeviceIDs(platform, cl::CL_DEVICE_TYPE_ALL, 1, &raw mut device, null_mut()), 0);
            let context = clCreateContext(null(), 1, &raw const device, None, null_mut(), &raw mut err);
            assert_eq!(err, 0);
            let queue = clCreateCommandQueue(context, device, 0, &raw mut err);
            assert_eq!(err, 0);
            Self { platform, device, context, queue }
        }
    }

    /// `CL_DEVICE_MAX_WORK_GROUP_SIZE`.
    pub fn most_items(&self) -> usize {
        let mut most = 0usize;
        let to = (&raw mut most).cast();
        // SAFETY: all pointers are valid.
        let status = unsafe { clGetDeviceInfo(self.device, cl::CL_DEVICE_MAX_WORK_GROUP_SIZE, 8, to, null_mut()) };
        assert_eq!(status, 0);
        most
    }

    /// A buffer of `size` bytes.
    pub fn buffer(&self, size: usize) -> cl::cl_mem {
        self.buffer_with(cl::CL_MEM_READ_WRITE, size)
    }

    /// A buffer with flags.
    pub fn buffer_with(&self, flags: cl::cl_mem_flags, size: usize) -> cl::cl_mem {
        let mut err = -1;
        // SAFETY: all pointers are valid.
        let buffer = unsafe { clCreateBuffer(self.context, flags, size, null_mut(), &raw mut err) };
        assert_eq!(err, 0);
        buffer
    }

    /// A program that is not built.
    pub fn program(&self, source: &str) -> cl::cl_program {
        let text = CString::new(source).expect("no zero inside");
        let (string, mut err) = (text.as_ptr(), -1);
        // SAFETY: all pointers are valid.
        let program = unsafe { clCreateProgramWithSource(self.context, 1, &raw const string, null(), &raw mut err) };
        assert_eq!(err, 0);
        program
    }

    /// A built program.
    pub fn built(&self, source: &str) -> cl::cl_program {
        let program = self.program(source);
        // SAFETY: all pointers are valid.
        let status = unsafe { clBuildProgram(program, 0, null(), null(), None, null_mut()) };
        assert_eq!(status, 0, "{}", self.log(program));
        program
    }

    /// A program's build log.
    pub fn log(&self, program: cl::cl_program) -> String {
        let mut size = 0;
        let query = |to: &mut [u8], size: &mut usize| {
            let start = if to.is_empty() { null_mut() } else { to.as_mut_ptr().cast() };
            // SAFETY: all pointers are valid, and as many bytes as said may be written.
            unsafe { clGetProgramBuildInfo(program, self.device, cl::CL_PROGRAM_BUILD_LOG, to.len(), start, size) }
        };
        assert_eq!(query(&mut [], &mut size), 0);
        let mut log = vec![0u8; size];
        assert_eq!(query(&mut log, &mut size), 0);
        String::from_utf8_lossy(&log[..size.saturating_sub(1)]).into_owned()
    }

    /// A kernel of a built program.
    pub fn kernel(&self, program: cl::cl_program, name: &str) -> cl::cl_kernel {
        let (name, mut err) = (CString::new(name).expect("no zero inside"), -1);
        // SAFETY: all pointers are valid.
        let kernel = unsafe { clCreateKernel(program, name.as_ptr(), &raw mut err) };
        assert_eq!(err, 0);
        kernel
    }

    /// A user event.
    pub fn user_event(&self) -> cl::cl_event {
        let mut err = -1;
        // SAFETY: all pointers are valid.
        let event = unsafe { clCreateUserEvent(self.context, &raw mut err) };
        assert_eq!(err, 0);
        event
    }
}

impl Drop for World {
    fn drop(&mut self) {
        // SAFETY: the handles are ours.
        unsafe {
            clReleaseCommandQueue(self.queue);
            clReleaseContext(self.context);
        }
    }
}

/// The error code of a call that returns an object through `errcode_ret`; an object is an error of the test.
pub fn code_of(call: impl FnOnce(*mut cl::cl_int) -> *mut c_void) -> cl::cl_int {
    let mut err = 1;
    let object = call(&raw mut err);
    assert!(object.is_null() || err == 0, "an object together with {err}");
    assert!(!object.is_null() || err != 0, "no object and no error");
    err
}

/// Checks a table of calls against the codes that they must return.
pub fn check(cases: &[(&str, cl::cl_int, &dyn Fn() -> cl::cl_int)]) {
    let wrong: Vec<String> = cases
        .iter()
        .map(|(name, want, call)| (name, want, call()))
        .filter(|(_, want, got)| *want != got)
        .map(|(name, want, got)| format!("{name}: {got}, should be {want}"))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}
