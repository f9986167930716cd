//! An OpenCL library as a replay uses it: a driver that exports the API, an ICD loader, or a driver that only loaders
//! can use, whose functions stand in the dispatch table of its platform. Calls and their codes, no policy.

#![allow(unsafe_code, reason = "looks functions up by name and calls them")]

use crate::cli::Result;
use crate::dispatch;
use libloading::Library;
use std::ffi::{CString, c_char, c_void};
use std::path::Path;
use std::ptr::{null, null_mut};

/// A `cl_*` object.
pub type Handle = *mut c_void;
/// What `clGetProgramBuildInfo` and others are given as a callback: none.
type NoCallback = *const c_void;

const PLATFORM_NAME: u32 = 0x0902;
const PLATFORM_VERSION: u32 = 0x0901;
/// The functions with which the later versions' parts of the table begin.
const FIRST_OF_2_0: &str = "clCreateCommandQueueWithProperties";
const FIRST_OF_2_1: &str = "clCloneKernel";
const FIRST_OF_2_2: &str = "clSetProgramReleaseCallback";
const DEVICE_NAME: u32 = 0x102B;
const DEVICE_SVM_CAPABILITIES: u32 = 0x1053;
const DEVICE_TYPE: u32 = 0x1000;
const DEVICE_TYPE_CPU: u64 = 1 << 1;
const DEVICE_TYPE_ALL: u64 = 0xffff_ffff;
const SVM_FINE_GRAIN_SYSTEM: u64 = 1 << 2;
const CONTEXT_PLATFORM: isize = 0x1084;
const CONTEXT_MEMORY_INITIALIZE: isize = 0x2030;

macro_rules! functions {
    ($($field:ident = $name:literal ($($arg:ty),*) -> $ret:ty;)*) => {
        /// Functions of the API; those of later versions may be missing.
        #[allow(missing_docs, reason = "each field is named as the function that it holds")]
        #[derive(Clone, Copy)]
        pub struct Functions {
            $(pub $field: Option<unsafe extern "C" fn($($arg),*) -> $ret>,)*
        }

        /// What they are called.
        #[allow(missing_docs, dead_code, reason = "as above; some are looked up and not called")]
        pub struct Names {
            $(pub $field: &'static str,)*
        }

        /// What they are called.
        pub const NAMES: Names = Names { $($field: $name,)* };

        impl Functions {
            fn find(address: impl Fn(&str) -> *const ()) -> Self {
                // SAFETY: the signature is that of the specification; null is `None`.
                Self { $($field: unsafe { std::mem::transmute::<
                    *const (), Option<unsafe extern "C" fn($($arg),*) -> $ret>,
                >(address($name)) },)* }
            }
        }
    };
}

functions! {
    get_platform_ids = "clGetPlatformIDs" (u32, *mut Handle, *mut u32) -> i32;
    get_platform_info = "clGetPlatformInfo" (Handle, u32, usize, *mut c_void, *mut usize) -> i32;
    get_device_ids = "clGetDeviceIDs" (Handle, u64, u32, *mut Handle, *mut u32) -> i32;
    get_device_info = "clGetDeviceInfo" (Handle, u32, usize, *mut c_void, *mut usize) -> i32;
    create_context = "clCreateContext"
        (*const isize, u32, *const Handle, NoCallback, *mut c_void, *mut i32) -> Handle;
    release_context = "clReleaseContext" (Handle) -> i32;
    create_queue = "clCreateCommandQueue" (Handle, Handle, u64, *mut i32) -> Handle;
    release_queue = "clReleaseCommandQueue" (Handle) -> i32;
    finish = "clFinish" (Handle) -> i32;
    create_buffer = "clCreateBuffer" (Handle, u64, usize, *mut c_void, *mut i32) -> Handle;
    create_sub_buffer = "clCreateSubBuffer" (Handle, u64, u32, *const [usize; 2], *mut i32) -> Handle;
    create_image = "clCreateImage"
        (Handle, u64, *const [u32; 2], *const [usize; 9], *mut c_void, *mut i32) -> Handle;
    release_mem = "clReleaseMemObject" (Handle) -> i32;
    create_sampler = "clCreateSampler" (Handle, u32, u32, u32, *mut i32) -> Handle;
    release_sampler = "clReleaseSampler" (Handle) -> i32;
    create_program = "clCreateProgramWithSource" (Handle, u32, *const *const c_char, *const usize, *mut i32) -> Handle;
    create_il_program = "clCreateProgramWithIL" (Handle, *const c_void, usize, *mut i32) -> Handle;
    set_constant = "clSetProgramSpecializationConstant" (Handle, u32, usize, *const c_void) -> i32;
    build_program = "clBuildProgram" (Handle, u32, *const Handle, *const c_char, NoCallback, *mut c_void) -> i32;
    compile_program = "clCompileProgram"
        (Handle, u32, *const Handle, *const c_char, u32, *const Handle, *const *const c_char, NoCallback,
         *mut c_void) -> i32;
    link_program = "clLinkProgram"
        (Handle, u32, *const Handle, *const c_char, u32, *const Handle, NoCallback, *mut c_void, *mut i32) -> Handle;
    get_build_info = "clGetProgramBuildInfo" (Handle, Handle, u32, usize, *mut c_void, *mut usize) -> i32;
    release_program = "clReleaseProgram" (Handle) -> i32;
    create_kernel = "clCreateKernel" (Handle, *const c_char, *mut i32) -> Handle;
    release_kernel = "clReleaseKernel" (Handle) -> i32;
    set_arg = "clSetKernelArg" (Handle, u32, usize, *const c_void) -> i32;
    set_arg_pointer = "clSetKernelArgSVMPointer" (Handle, u32, *const c_void) -> i32;
    set_exec_info = "clSetKernelExecInfo" (Handle, u32, usize, *const c_void) -> i32;
    svm_alloc = "clSVMAlloc" (Handle, u64, usize, u32) -> *mut c_void;
    svm_free = "clSVMFree" (Handle, *mut c_void) -> ();
    enqueue_svm_copy = "clEnqueueSVMMemcpy"
        (Handle, u32, *mut c_void, *const c_void, usize, u32, *const Handle, *mut Handle) -> i32;
    enqueue_kernel = "clEnqueueNDRangeKernel"
        (Handle, Handle, u32, *const usize, *const usize, *const usize, u32, *const Handle, *mut Handle) -> i32;
    enqueue_read = "clEnqueueReadBuffer"
        (Handle, Handle, u32, usize, usize, *mut c_void, u32, *const Handle, *mut Handle) -> i32;
    enqueue_write = "clEnqueueWriteBuffer"
        (Handle, Handle, u32, usize, usize, *const c_void, u32, *const Handle, *mut Handle) -> i32;
    enqueue_read_image = "clEnqueueReadImage"
        (Handle, Handle, u32, *const [usize; 3], *const [usize; 3], usize, usize, *mut c_void, u32, *const Handle,
         *mut Handle) -> i32;
    enqueue_write_image = "clEnqueueWriteImage"
        (Handle, Handle, u32, *const [usize; 3], *const [usize; 3], usize, usize, *const c_void, u32, *const Handle,
         *mut Handle) -> i32;
}

/// Calls a function of a driver, which may not be there: its code, or what it returns.
macro_rules! call {
    ($driver:expr, $field:ident ($($arg:expr),* $(,)?)) => {
        match $driver.functions.$field {
            // SAFETY: what the pointers lead to is as the specification says.
            Some(function) => Ok(unsafe { function($($arg),*) }),
            None => Err(format!("the driver has no {}", $crate::cli::replay::driver::NAMES.$field)),
        }
    };
}

/// `call!` for functions that return a code.
macro_rules! run {
    ($driver:expr, $field:ident ($($arg:expr),* $(,)?)) => {
        call!($driver, $field($($arg),*))
            .and_then(|code| $crate::cli::replay::driver::check($crate::cli::replay::driver::NAMES.$field, code))
    };
}

/// `call!` for functions that return an object and whose last argument is the place of a code.
macro_rules! create {
    ($driver:expr, $field:ident ($($arg:expr),* $(,)?)) => {{
        let mut code = 0;
        call!($driver, $field($($arg,)* &mut code))
            .and_then(|handle| {
                use $crate::cli::replay::driver::{NAMES, check};
                check(NAMES.$field, code).map(|()| handle)
            })
    }};
}

pub(super) use {call, create, run};

/// Fails if the code is one of an error.
pub fn check(what: &str, code: i32) -> Result {
    if code == 0 { Ok(()) } else { Err(format!("{what} returned {code}")) }
}

/// A library with a device and a context for each kind that is asked for.
pub struct Driver {
    /// What to call it: the device's name, or where it came from if others have that one too.
    pub name: String,
    /// Its functions.
    pub functions: Functions,
    /// The device.
    pub device: Handle,
    /// The device can use any memory of this process: because it says so, or because it is the processor.
    pub has_system_svm: bool,
    platform: Handle,
    /// Context and queue, by what is zero when a kernel starts.
    contexts: [Option<(Handle, Handle)>; 4],
    _library: Library,
}

impl Driver {
    /// Loads `PATH` or `PATH@PLATFORM`: of several platforms the one whose name has that text in it, or the first that
    /// has a device.
    pub fn open(text: &str) -> Result<Self> {
        let (path, wanted) = match text.rsplit_once('@') {
            Some((path, wanted)) if !Path::new(text).exists() => (path, Some(wanted)),
            _ => (text, None),
        };
        // SAFETY: the user asks for this library to be run.
        let library = unsafe { Library::new(path) }.map_err(|error| format!("{path}: {error}"))?;
        let mut candidates = candidates(&library).into_iter().filter_map(|(platform, functions)| {
            let name = text_of(|size, to, size_ret| {
                run!(Lookup { functions }, get_platform_info(platform, PLATFORM_NAME, size, to, size_ret))
            });
            let is_wanted = wanted.is_none_or(|wanted| name.to_lowercase().contains(&wanted.to_lowercase()));
            let (mut device, lookup) = (null_mut(), Lookup { functions });
            let is_there = run!(lookup, get_device_ids(platform, DEVICE_TYPE_ALL, 1, &mut device, null_mut())).is_ok();
            (is_wanted && is_there).then_some((platform, functions, device))
        });
        let (platform, functions, device) = candidates.next().ok_or_else(|| match wanted {
            Some(wanted) => format!("{path} has no platform with a device and `{wanted}` in its name"),
            None => format!("{path} has no OpenCL device"),
        })?;
        drop(candidates);
        let lookup = Lookup { functions };
        let name = text_of(|size, to, size_ret| run!(lookup, get_device_info(device, DEVICE_NAME, size, to, size_ret)));
        let bits = |what: u32| {
            let mut bits = 0u64;
            let place = (&raw mut bits).cast();
            // Drivers before 2.0 do not know of shared memory.
            run!(lookup, get_device_info(device, what, 8, place, null_mut())).map_or(0, |()| bits)
        };
        let has_system_svm =
            bits(DEVICE_SVM_CAPABILITIES) & SVM_FINE_GRAIN_SYSTEM != 0 || bits(DEVICE_TYPE) & DEVICE_TYPE_CPU != 0;
        Ok(Self { name, functions, device, has_system_svm, platform, contexts: [None; 4], _library: library })
    }

    /// Context and queue; `zeros` is what `CL_CONTEXT_MEMORY_INITIALIZE_KHR` asks for.
    pub fn context(&mut self, zeros: u32) -> Result<(Handle, Handle)> {
        let place = zeros as usize % self.contexts.len();
        if let Some(known) = self.contexts[place] {
            return Ok(known);
        }
        let properties =
            [CONTEXT_PLATFORM, self.platform.addr() as isize, CONTEXT_MEMORY_INITIALIZE, zeros as isize, 0];
        let plain = [CONTEXT_PLATFORM, self.platform.addr() as isize, 0];
        let list = if zeros == 0 { plain.as_ptr() } else { properties.as_ptr() };
        let context = create!(self, create_context(list, 1, &self.device, null(), null_mut()))?;
        let queue = create!(self, create_queue(context, self.device, 0))?;
        self.contexts[place] = Some((context, queue));
        Ok((context, queue))
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        for (context, queue) in self.contexts.iter().flatten() {
            // Nobody is left to tell.
            let _ = run!(self, release_queue(*queue));
            let _ = run!(self, release_context(*context));
        }
    }
}

/// Functions before there is a driver.
#[derive(Clone, Copy)]
struct Lookup {
    functions: Functions,
}

/// The platforms of a library, each with the functions to be used for it.
fn candidates(library: &Library) -> Vec<(Handle, Functions)> {
    let symbol = |name: &str| {
        let name = CString::new(name).unwrap_or_default();
        // SAFETY: only the address is taken.
        unsafe { library.get::<*const ()>(name.as_bytes_with_nul()) }.map_or(null(), |found| *found)
    };
    let exported = Functions::find(symbol);
    if exported.get_device_ids.is_some() && exported.create_image.is_some() {
        let found = exported.get_platform_ids.map_or(Vec::new(), platforms);
        if !found.is_empty() {
            return found.into_iter().map(|platform| (platform, exported)).collect();
        }
    }
    let mut address = symbol("clIcdGetPlatformIDsKHR");
    let lookup = symbol("clGetExtensionFunctionAddress");
    if address.is_null() && !lookup.is_null() {
        // SAFETY: a function of this name has this signature.
        let lookup: unsafe extern "C" fn(*const c_char) -> *const () = unsafe { std::mem::transmute(lookup) };
        // SAFETY: the name is a C string.
        address = unsafe { lookup(c"clIcdGetPlatformIDsKHR".as_ptr()) };
    }
    // SAFETY: a function of this name has this signature; null is `None`.
    let find: Option<PlatformIds> = unsafe { std::mem::transmute(address) };
    find.map_or(Vec::new(), platforms).into_iter().map(|platform| (platform, table(platform))).collect()
}

type PlatformIds = unsafe extern "C" fn(u32, *mut Handle, *mut u32) -> i32;

fn platforms(find: PlatformIds) -> Vec<Handle> {
    let mut n = 0;
    // SAFETY: asks for the count only.
    let code = unsafe { find(0, null_mut(), &mut n) };
    let mut found = vec![null_mut(); if code == 0 { n.min(64) as usize } else { 0 }];
    // SAFETY: the vector has so many places.
    if !found.is_empty() && unsafe { find(found.len() as u32, found.as_mut_ptr(), null_mut()) } != 0 {
        found.clear();
    }
    found
}

/// The functions in a platform's dispatch table, as far as one of its version reaches.
fn table(platform: Handle) -> Functions {
    // SAFETY: an object of an ICD driver starts with the address of its table.
    let table = unsafe { *platform.cast::<*const *const ()>() };
    let place = |name: &str| dispatch::ENTRIES[..dispatch::N_SLOTS].iter().position(|entry| entry.name == name);
    let slot = |at: usize| {
        // SAFETY: the caller says so.
        unsafe { *table.add(at) }
    };
    let within = |end: Option<&str>| {
        let end = end.and_then(place).unwrap_or(dispatch::N_SLOTS);
        Functions::find(|name| place(name).filter(|&at| at < end).map_or(null(), slot))
    };
    let first = within(Some(FIRST_OF_2_0));
    let version = text_of(|size, to, size_ret| {
        run!(Lookup { functions: first }, get_platform_info(platform, PLATFORM_VERSION, size, to, size_ret))
    });
    let version = version.strip_prefix("OpenCL ").unwrap_or_default().split(' ').next().unwrap_or_default();
    match version {
        "1.0" | "1.1" | "1.2" => first,
        "2.0" => within(Some(FIRST_OF_2_1)),
        "2.1" => within(Some(FIRST_OF_2_2)),
        _ => within(None),
    }
}

/// The text that a query writes.
fn text_of(query: impl Fn(usize, *mut c_void, *mut usize) -> Result) -> String {
    let mut bytes = [0u8; 512];
    let mut size = 0;
    match query(bytes.len(), bytes.as_mut_ptr().cast(), &mut size) {
        Ok(()) => String::from_utf8_lossy(&bytes[..size.min(bytes.len())]).trim_end_matches('\0').trim().to_owned(),
        Err(_) => String::new(),
    }
}
