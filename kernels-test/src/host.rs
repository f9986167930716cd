//! What a host program does, in a safe form: context, queue, buffers, programs, kernels. Every object is released on
//! drop. Errors carry the call's name, the OpenCL error code and the build log. Knows nothing of test cases.

#![allow(unsafe_code, reason = "calls the C API")]

use std::ffi::{CString, c_void};
use std::fmt;
use std::ptr::{null, null_mut};

use crate::loader::{self, Cl, Handle};

const DEVICE_TYPE_ALL: u64 = 0xffff_ffff;
const MEM_READ_WRITE: u64 = 1;
const MEM_OBJECT_IMAGE2D: usize = 0x10F1;
const MEM_COPY_HOST_PTR: u64 = 1 << 5;
const PROGRAM_BUILD_LOG: u32 = 0x1183;
const PLATFORM_NAME: u32 = 0x0902;
const DEVICE_NAME: u32 = 0x102B;
const DRIVER_VERSION: u32 = 0x102D;

/// A call that failed.
#[derive(Debug)]
pub struct Failure {
    /// The function's name.
    pub call: &'static str,
    /// What it returned, `CL_…` as a number.
    pub code: i32,
    /// The build log where the call builds, else empty.
    pub log: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} returned {}", self.call, self.code)?;
        if self.log.is_empty() { Ok(()) } else { write!(f, "\n{}", self.log) }
    }
}

impl From<Failure> for String {
    fn from(failure: Failure) -> Self {
        failure.to_string()
    }
}

/// `Ok` if `code` is `CL_SUCCESS`.
pub fn check(call: &'static str, code: i32) -> Result<(), Failure> {
    if code == 0 { Ok(()) } else { Err(Failure { call, code, log: String::new() }) }
}

/// A context and an in-order queue on the driver's first device.
pub struct Host {
    /// The driver.
    pub cl: &'static Cl,
    /// The first platform.
    pub platform: Handle,
    /// Its first device.
    pub device: Handle,
    /// A context of that device.
    pub context: Handle,
    /// A queue in that context.
    pub queue: Handle,
}

/// The first bytes of a SPIR-V module.
const SPIRV_MAGIC: [u8; 4] = 0x0723_0203u32.to_ne_bytes();

impl Host {
    /// Opens the driver under test.
    ///
    /// Errors: no driver, no device, or a failed call.
    pub fn new() -> Result<Self, String> {
        let cl = loader::driver()?;
        let (mut platform, mut device, mut code) = (null_mut(), null_mut(), 0);
        // SAFETY: each pointer is to one place of the type that the call writes.
        unsafe {
            check("clGetPlatformIDs", (cl.get_platform_ids)(1, &mut platform, null_mut()))?;
            check("clGetDeviceIDs", (cl.get_device_ids)(platform, DEVICE_TYPE_ALL, 1, &mut device, null_mut()))?;
            let context = (cl.create_context)(null(), 1, &device, null(), null_mut(), &mut code);
            check("clCreateContext", code)?;
            let queue = (cl.create_queue)(context, device, 0, &mut code);
            check("clCreateCommandQueue", code)?;
            Ok(Self { cl, platform, device, context, queue })
        }
    }

    /// A buffer that holds a copy of `bytes`, at least one byte.
    pub fn buffer(&self, bytes: &[u8]) -> Result<Buffer<'_>, Failure> {
        let bytes = if bytes.is_empty() { &[0] } else { bytes };
        let mut code = 0;
        // SAFETY: `COPY_HOST_PTR` reads `bytes.len()` bytes during the call.
        let handle = unsafe {
            let flags = MEM_READ_WRITE | MEM_COPY_HOST_PTR;
            (self.cl.create_buffer)(self.context, flags, bytes.len(), bytes.as_ptr().cast_mut().cast(), &mut code)
        };
        check("clCreateBuffer", code)?;
        Ok(Buffer { host: self, handle })
    }

    /// A two-dimensional image, without contents, of `[channel order, channel type]`.
    pub fn image(&self, format: [u32; 2], [width, height]: [usize; 2]) -> Result<Buffer<'_>, Failure> {
        let mut code = 0;
        // A `cl_image_desc` is nine words: type, sizes, pitches, two counts in one, parent.
        let desc = [MEM_OBJECT_IMAGE2D, width, height, 0, 0, 0, 0, 0, 0];
        // SAFETY: format and description are laid out as the call reads them.
        let handle =
            unsafe { (self.cl.create_image)(self.context, MEM_READ_WRITE, &format, &desc, null_mut(), &mut code) };
        check("clCreateImage", code)?;
        Ok(Buffer { host: self, handle })
    }

    /// The platform's name.
    pub fn platform_name(&self) -> Result<String, Failure> {
        let mut name = [0u8; 256];
        let (size, to) = (name.len(), name.as_mut_ptr().cast());
        // SAFETY: writes at most `size` bytes into `name`.
        let code = unsafe { (self.cl.get_platform_info)(self.platform, PLATFORM_NAME, size, to, null_mut()) };
        check("clGetPlatformInfo", code)?;
        Ok(text(&name))
    }

    /// The device's name.
    pub fn device_name(&self) -> Result<String, Failure> {
        self.device_text(DEVICE_NAME)
    }

    /// The version of the driver's software.
    pub fn driver_version(&self) -> Result<String, Failure> {
        self.device_text(DRIVER_VERSION)
    }

    fn device_text(&self, property: u32) -> Result<String, Failure> {
        let mut value = [0u8; 256];
        let (size, to) = (value.len(), value.as_mut_ptr().cast());
        // SAFETY: writes at most `size` bytes into `value`.
        let code = unsafe { (self.cl.get_device_info)(self.device, property, size, to, null_mut()) };
        check("clGetDeviceInfo", code)?;
        Ok(text(&value))
    }

    /// A property of the device that is up to eight bytes long, or `None` where the device does not know it.
    pub fn device_property(&self, property: u32) -> Option<u64> {
        let mut value = 0u64;
        let to = (&raw mut value).cast();
        // SAFETY: writes at most eight bytes into `value`.
        let code = unsafe { (self.cl.get_device_info)(self.device, property, 8, to, null_mut()) };
        (code == 0).then_some(value)
    }

    /// A program made from source or from a SPIR-V module, and built.
    ///
    /// Errors: the build failed; the log is in the failure.
    pub fn build(&self, source: &[u8], options: &str) -> Result<Program<'_>, Failure> {
        let options = CString::new(options).unwrap_or_default();
        let (text, length, mut code) = (source.as_ptr().cast(), source.len(), 0);
        let handle = if source.starts_with(&SPIRV_MAGIC) {
            // SAFETY: `length` bytes, read during the call.
            let handle =
                unsafe { (self.cl.create_il_program)(self.context, source.as_ptr().cast(), length, &mut code) };
            check("clCreateProgramWithIL", code)?;
            handle
        } else {
            // SAFETY: one string of `length` bytes, read during the call.
            let handle = unsafe { (self.cl.create_program)(self.context, 1, &text, &length, &mut code) };
            check("clCreateProgramWithSource", code)?;
            handle
        };
        let program = Program { host: self, handle };
        // SAFETY: the options are a C string; no callback is given, so the call returns when it is done.
        let code = unsafe { (self.cl.build_program)(handle, 1, &self.device, options.as_ptr(), null(), null_mut()) };
        check("clBuildProgram", code).map_err(|failure| Failure { log: program.log(), ..failure })?;
        Ok(program)
    }

    /// Copies the first `size` bytes of a buffer to another and waits for the end.
    pub fn copy(&self, from: &Buffer<'_>, to: &Buffer<'_>, size: usize) -> Result<(), Failure> {
        // SAFETY: the handles are live; the driver checks the size.
        let code =
            unsafe { (self.cl.enqueue_copy)(self.queue, from.handle, to.handle, 0, 0, size, 0, null(), null_mut()) };
        check("clEnqueueCopyBuffer", code)?;
        self.finish()
    }

    /// Repeats a pattern over the first `size` bytes of a buffer and waits for the end.
    pub fn fill(&self, buffer: &Buffer<'_>, pattern: &[u8], size: usize) -> Result<(), Failure> {
        // SAFETY: the pattern is read during the call; the driver checks the sizes.
        let code = unsafe {
            let (from, length) = (pattern.as_ptr().cast(), pattern.len());
            (self.cl.enqueue_fill)(self.queue, buffer.handle, from, length, 0, size, 0, null(), null_mut())
        };
        check("clEnqueueFillBuffer", code)?;
        self.finish()
    }

    fn finish(&self) -> Result<(), Failure> {
        // SAFETY: the queue is live.
        check("clFinish", unsafe { (self.cl.finish)(self.queue) })
    }

    /// Launches a kernel and waits for its end.
    pub fn run(&self, kernel: &Kernel<'_>, range: &Range) -> Result<(), Failure> {
        let local = range.local.as_ref().map_or(null(), |sizes| sizes.as_ptr());
        let offset = range.offset.as_ref().map_or(null(), |sizes| sizes.as_ptr());
        // SAFETY: each array holds three sizes, of which `dims` <= 3 are read.
        let code = unsafe {
            let none = null();
            let sizes = range.global.as_ptr();
            (self.cl.enqueue_kernel)(self.queue, kernel.handle, range.dims, offset, sizes, local, 0, none, null_mut())
        };
        check("clEnqueueNDRangeKernel", code)?;
        self.finish()
    }
}

/// A C string in bytes that may be followed by zeros.
fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim_end_matches('\0').trim().to_owned()
}

impl Drop for Host {
    fn drop(&mut self) {
        // SAFETY: `Host` owns one reference to each.
        unsafe {
            (self.cl.release_queue)(self.queue);
            (self.cl.release_context)(self.context);
        }
    }
}

/// The sizes of a launch, `[x, y, z]`.
#[derive(Clone, Debug)]
pub struct Range {
    /// Number of dimensions, 1 to 3.
    pub dims: u32,
    /// Work-items per dimension.
    pub global: [usize; 3],
    /// Work-items of a group per dimension, or the driver's choice.
    pub local: Option<[usize; 3]>,
    /// First global id per dimension, or zeros.
    pub offset: Option<[usize; 3]>,
}

/// A buffer or an image in a host's context.
pub struct Buffer<'h> {
    host: &'h Host,
    /// The `cl_mem`.
    pub handle: Handle,
}

impl Buffer<'_> {
    /// Reads the first `size` bytes.
    pub fn read(&self, size: usize) -> Result<Vec<u8>, Failure> {
        let mut bytes = vec![0; size];
        if size > 0 {
            let cl = self.host.cl;
            // SAFETY: a blocking read of `size` bytes into a vector of that length.
            let code = unsafe {
                let to = bytes.as_mut_ptr().cast();
                (cl.enqueue_read)(self.host.queue, self.handle, 1, 0, size, to, 0, null(), null_mut())
            };
            check("clEnqueueReadBuffer", code)?;
        }
        Ok(bytes)
    }
}

impl Buffer<'_> {
    /// Writes bytes to the buffer's start.
    pub fn write(&self, bytes: &[u8]) -> Result<(), Failure> {
        let cl = self.host.cl;
        // SAFETY: a blocking write from a slice of that length.
        let code = unsafe {
            let from = bytes.as_ptr().cast();
            (cl.enqueue_write)(self.host.queue, self.handle, 1, 0, bytes.len(), from, 0, null(), null_mut())
        };
        check("clEnqueueWriteBuffer", code)
    }

    /// Writes all texels of a two-dimensional image.
    pub fn write_image(&self, [width, height]: [usize; 2], bytes: &[u8]) -> Result<(), Failure> {
        let (cl, origin, region) = (self.host.cl, [0; 3], [width, height, 1]);
        let pitch = bytes.len() / height;
        // SAFETY: a blocking write of `height` rows of `pitch` bytes from a slice of that length.
        let code = unsafe {
            let (queue, from) = (self.host.queue, bytes.as_ptr().cast());
            (cl.enqueue_write_image)(queue, self.handle, 1, &origin, &region, pitch, 0, from, 0, null(), null_mut())
        };
        check("clEnqueueWriteImage", code)
    }
}

impl Drop for Buffer<'_> {
    fn drop(&mut self) {
        // SAFETY: `Buffer` owns one reference.
        unsafe { (self.host.cl.release_mem)(self.handle) };
    }
}

/// A built program.
pub struct Program<'h> {
    host: &'h Host,
    /// The `cl_program`.
    pub handle: Handle,
}

impl Program<'_> {
    /// The build log, with anything that is not UTF-8 replaced.
    pub fn log(&self) -> String {
        let (cl, device) = (self.host.cl, self.host.device);
        let mut size = 0;
        // SAFETY: asks for the size only.
        unsafe { (cl.get_build_info)(self.handle, device, PROGRAM_BUILD_LOG, 0, null_mut(), &mut size) };
        let mut log = vec![0u8; size];
        // SAFETY: the vector has `size` bytes.
        unsafe {
            let to = log.as_mut_ptr().cast();
            (cl.get_build_info)(self.handle, device, PROGRAM_BUILD_LOG, size, to, null_mut());
        }
        String::from_utf8_lossy(&log).trim_end_matches('\0').to_owned()
    }

    /// A kernel by name.
    pub fn kernel(&self, name: &str) -> Result<Kernel<'_>, Failure> {
        let name = CString::new(name).unwrap_or_default();
        let mut code = 0;
        // SAFETY: the name is a C string.
        let handle = unsafe { (self.host.cl.create_kernel)(self.handle, name.as_ptr(), &mut code) };
        check("clCreateKernel", code)?;
        Ok(Kernel { host: self.host, handle })
    }
}

impl Drop for Program<'_> {
    fn drop(&mut self) {
        // SAFETY: `Program` owns one reference.
        unsafe { (self.host.cl.release_program)(self.handle) };
    }
}

/// A kernel object.
pub struct Kernel<'h> {
    host: &'h Host,
    /// The `cl_kernel`.
    pub handle: Handle,
}

impl Kernel<'_> {
    /// Sets an argument that is passed by value.
    pub fn set_value(&self, index: u32, bytes: &[u8]) -> Result<(), Failure> {
        self.set(index, bytes.len(), bytes.as_ptr().cast())
    }

    /// Sets a buffer or image argument; `None` is the null pointer.
    pub fn set_buffer(&self, index: u32, buffer: Option<&Buffer<'_>>) -> Result<(), Failure> {
        match buffer {
            Some(buffer) => self.set(index, size_of::<Handle>(), (&raw const buffer.handle).cast()),
            None => self.set(index, size_of::<Handle>(), null()),
        }
    }

    /// Sets the size of a `__local` argument in bytes.
    pub fn set_local(&self, index: u32, size_bytes: usize) -> Result<(), Failure> {
        self.set(index, size_bytes, null())
    }

    fn set(&self, index: u32, size_bytes: usize, value: *const c_void) -> Result<(), Failure> {
        // SAFETY: `value` is null or points to `size_bytes` bytes, as each caller shows.
        check("clSetKernelArg", unsafe { (self.host.cl.set_kernel_arg)(self.handle, index, size_bytes, value) })
    }
}

impl Drop for Kernel<'_> {
    fn drop(&mut self) {
        // SAFETY: `Kernel` owns one reference.
        unsafe { (self.host.cl.release_kernel)(self.handle) };
    }
}
