//! Pointer ↔ runtime object. A handle is the address of an object's first word; every use is checked, in release builds
//! too: not null, aligned, our dispatch table in the first word, the expected kind. Debug builds also ask the runtime's
//! live set, so that stale handles are found before they are read.

#![allow(unsafe_code, reason = "turns C pointers into references after checking what they point to")]

use crate::dispatch::DISPATCH;
use crate::error::{Error, Result};
use clift_runtime::check::misused;
use clift_runtime::context::Context;
use clift_runtime::object::{Body, Kind, Obj, Object, live_kind};
use std::ffi::c_void;
use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::sync::Arc;

/// The words that every object begins with, as `Object` lays them out.
#[repr(C)]
struct Header {
    dispatch: usize,
    loader: usize,
    kind: u32,
}

/// Checks that `handle` points to an object of kind `T`.
///
/// Errors: the kind's `CL_INVALID_*`.
///
/// # Safety
/// `handle` is null, a handle of this library, or memory that may be read for three words.
unsafe fn check<T: Body>(handle: *const c_void) -> Result<*const Object<T>> {
    let bad = Err(Error::Handle { expected: T::KIND });
    let header = handle.cast::<Header>();
    if handle.is_null() || !handle.cast::<Object<T>>().is_aligned() {
        return bad;
    }
    if live_kind(handle.addr()).is_some_and(|kind| kind != Some(T::KIND)) {
        misused(handle.addr());
        return bad;
    }
    // SAFETY: aligned and readable by the caller's promise; the words of a live object that are read never change.
    let (dispatch, kind) = unsafe { ((*header).dispatch, (*header).kind) };
    if dispatch != dispatch_word() || kind != T::KIND as u32 {
        return bad;
    }
    Ok(handle.cast())
}

/// The first word of all our objects.
pub fn dispatch_word() -> usize {
    (&raw const DISPATCH).addr()
}

/// An object for the length of a call: a shared pointer that does not count.
pub struct Ref<T: Body>(ManuallyDrop<Obj<T>>);

impl<T: Body> Deref for Ref<T> {
    type Target = Obj<T>;
    fn deref(&self) -> &Obj<T> {
        &self.0
    }
}

/// The object behind `handle`, for the length of a call.
///
/// # Safety
/// As `check`; and the caller holds a reference for as long as the result lives, which the specification asks of it.
pub unsafe fn borrow<T: Body>(handle: *mut c_void) -> Result<Ref<T>> {
    // SAFETY: handles come from `Arc::as_ptr` of a live `Arc`; the caller's reference keeps it, so that this one need
    // not count.
    unsafe { check::<T>(handle).map(|object| Ref(ManuallyDrop::new(Arc::from_raw(object)))) }
}

/// A context to create something in or to ask about, which must not have been terminated.
///
/// # Safety
/// As `borrow`.
pub unsafe fn context(handle: *mut c_void) -> Result<Ref<Context>> {
    // SAFETY: the caller's promise.
    let context = unsafe { borrow::<Context>(handle)? };
    context.check_alive()?;
    Ok(context)
}

/// The object behind `handle`, shared, for what must outlive the call.
///
/// # Safety
/// As `borrow`.
pub unsafe fn share<T: Body>(handle: *mut c_void) -> Result<Obj<T>> {
    // SAFETY: as `borrow`; handles come from `Arc::as_ptr` of a live `Arc`, which the caller's reference keeps.
    unsafe {
        let object = check::<T>(handle)?;
        Arc::increment_strong_count(object);
        Ok(Arc::from_raw(object))
    }
}

/// Adds an API reference.
///
/// # Safety
/// As `borrow`.
pub unsafe fn retain<T: Body>(handle: *mut c_void) -> Result {
    // SAFETY: the caller's promise.
    unsafe { share::<T>(handle)? }.retain()
}

/// Takes an API reference away.
///
/// # Safety
/// As `borrow`.
pub unsafe fn release<T: Body>(handle: *mut c_void) -> Result {
    // SAFETY: the caller's promise. The clone keeps the object alive until its own release has returned.
    unsafe { share::<T>(handle)? }.release()
}

/// The objects of a list of handles, shared.
///
/// # Safety
/// As `borrow`, for each element.
pub unsafe fn share_all<T: Body>(handles: &[*mut c_void]) -> Result<Vec<Obj<T>>> {
    // SAFETY: the caller's promise.
    handles.iter().map(|&handle| unsafe { share(handle) }).collect()
}

/// The handle of a new object, with its first API reference.
pub fn give<T: Body>(object: Obj<T>) -> *mut c_void {
    object.into_handle().cast_mut().cast()
}

/// The handle of an object for a query, without a reference.
pub fn of<T: Body>(object: &Object<T>) -> *mut c_void {
    std::ptr::from_ref(object).cast_mut().cast()
}

/// What kind of object a handle is, for arguments that may be of several kinds.
///
/// # Safety
/// As `check`.
pub unsafe fn kind(handle: *mut c_void) -> Option<Kind> {
    if handle.is_null() || !handle.cast::<Header>().is_aligned() {
        return None;
    }
    if live_kind(handle.addr()) == Some(None) {
        return None;
    }
    // SAFETY: aligned and readable by the caller's promise.
    let (dispatch, word) = unsafe { ((*handle.cast::<Header>()).dispatch, (*handle.cast::<Header>()).kind) };
    Kind::ALL.into_iter().find(|&kind| dispatch == dispatch_word() && kind as u32 == word)
}
