//! C callbacks as values that other threads may call: one constructor per kind. The specification makes the application
//! responsible for thread safety of its callbacks, so function and user data may travel.

#![allow(unsafe_code, reason = "calls the application's functions")]

use crate::cl;
use crate::error::{Result, Status, ensure, fail};
use crate::handle;
use clift_jit::control;
use clift_runtime::context::{Callback, Notify};
use clift_runtime::event::{Event, EventCallback};
use clift_runtime::object::{Body, Obj, Object};
use clift_runtime::program::Program;
use clift_runtime::queue::Queue;
use std::ffi::{CString, c_void};

/// Calls a function of the application's. What it does to the thread's floating-point modes ends with it.
fn theirs<R>(call: impl FnOnce() -> R) -> R {
    let _usual = control::Usual::enter();
    call()
}

/// A function that must be there.
pub fn required<F>(function: Option<F>) -> Result<F> {
    function.map_or_else(|| fail(Status::InvalidValue, "pfn_notify is NULL"), Ok)
}

/// Data may only be there with the function that gets it.
pub fn check_user_data<F>(function: Option<F>, user_data: *mut c_void) -> Result {
    ensure!(function.is_some() || user_data.is_null(), InvalidValue, "pfn_notify is NULL but user_data is not NULL");
    Ok(())
}

/// The application's own pointer, only ever handed back to it.
#[derive(Clone, Copy)]
struct UserData(*mut c_void);
// SAFETY: never dereferenced by us. Spec: "It is the application's responsibility to ensure that the callback function
// is thread-safe" stands with every registration.
unsafe impl Send for UserData {}
// SAFETY: as above.
unsafe impl Sync for UserData {}

impl UserData {
    fn get(self) -> *mut c_void {
        self.0
    }
}

/// An object's handle for its callback. No reference: the object is being destroyed, or its event is held elsewhere.
#[derive(Clone, Copy)]
struct Raw(usize);

impl Raw {
    fn get(self) -> *mut c_void {
        std::ptr::with_exposed_provenance_mut(self.0)
    }
}

fn raw<T: Body>(object: &Object<T>) -> Raw {
    Raw(handle::of(object).expose_provenance())
}

/// `pfn_notify` of a context. Spec: "Contexts".
pub fn context_notify(function: cl::context_notify, user_data: *mut c_void) -> Option<Notify> {
    let (function, user) = (function?, UserData(user_data));
    Some(Box::new(move |message, private| {
        let text = CString::new(message.replace('\0', " ")).unwrap_or_default();
        // SAFETY: the application passed this function for these arguments.
        theirs(|| unsafe { function(text.as_ptr(), private.as_ptr().cast(), private.len(), user.get()) })
    }))
}

/// A destructor or build callback: function of a handle and user data. Spec: `clSetContextDestructorCallback`,
/// `clSetMemObjectDestructorCallback`, `clBuildProgram`.
pub fn once<T: Body>(
    function: unsafe extern "C" fn(*mut c_void, *mut c_void),
    object: &Object<T>,
    user_data: *mut c_void,
) -> Callback {
    let (handle, user) = (raw(object), UserData(user_data));
    // SAFETY: the application passed this function for these arguments.
    Box::new(move || theirs(|| unsafe { function(handle.get(), user.get()) }))
}

/// `user_func` of a native kernel with its copied argument block. Spec: `clEnqueueNativeKernel`.
pub fn native(function: unsafe extern "C" fn(*mut c_void), args: Option<Vec<u8>>) -> Callback {
    Box::new(move || {
        // As aligned as the application's own block may have been.
        let mut block = args.map(|bytes| {
            let mut words = vec![0u128; bytes.len().div_ceil(size_of::<u128>())];
            for (word, chunk) in words.iter_mut().zip(bytes.chunks(size_of::<u128>())) {
                let mut full = [0; size_of::<u128>()];
                full[..chunk.len()].copy_from_slice(chunk);
                *word = u128::from_ne_bytes(full);
            }
            words
        });
        let pointer = block.as_mut().map_or(std::ptr::null_mut(), |words| words.as_mut_ptr().cast());
        // SAFETY: the application passed this function for a block of these bytes.
        theirs(|| unsafe { function(pointer) });
    })
}

/// `pfn_free_func` with its copied list of addresses. Spec: `clEnqueueSVMFree`.
pub fn svm_free(
    function: unsafe extern "C" fn(cl::cl_command_queue, cl::cl_uint, *mut *mut c_void, *mut c_void),
    queue: &Object<Queue>,
    addresses: Vec<usize>,
    user_data: *mut c_void,
) -> Callback {
    let (handle, user) = (raw(queue), UserData(user_data));
    Box::new(move || {
        let mut list: Vec<*mut c_void> = addresses.into_iter().map(std::ptr::with_exposed_provenance_mut).collect();
        // SAFETY: the application passed this function for these arguments; the list is as long as is said.
        theirs(|| unsafe { function(handle.get(), list.len() as cl::cl_uint, list.as_mut_ptr(), user.get()) });
    })
}

/// `pfn_notify` of an event. Spec: `clSetEventCallback`.
pub fn event_notify(
    function: unsafe extern "C" fn(*mut c_void, cl::cl_int, *mut c_void),
    event: &Object<Event>,
    user_data: *mut c_void,
) -> EventCallback {
    let (handle, user) = (raw(event), UserData(user_data));
    // SAFETY: the application passed this function for these arguments.
    Box::new(move |status| theirs(|| unsafe { function(handle.get(), status, user.get()) }))
}

/// What a link calls with its program.
pub type LinkNotify = Box<dyn FnOnce(&Obj<Program>) + Send>;

/// `pfn_notify` of a link, whose program is made by the call itself. Spec: `clLinkProgram`.
pub fn link_notify(function: unsafe extern "C" fn(*mut c_void, *mut c_void), user_data: *mut c_void) -> LinkNotify {
    let user = UserData(user_data);
    // SAFETY: the application passed this function for these arguments.
    Box::new(move |program| theirs(|| unsafe { function(handle::of(program), user.get()) }))
}
