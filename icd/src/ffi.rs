//! The border itself: no panic crosses it, error codes go where the call's signature wants them, and C's pointers
//! become slices, strings, lists and optional outputs. Knows no OpenCL object.

#![allow(unsafe_code, reason = "reads and writes memory that the C caller describes by pointers")]

use crate::cl;
use crate::error::{Error, Result, Status, fail};
use crate::trace::InCall;
use clift_jit::{control, reserve};
use clift_runtime::{callbacks, check};
use std::ffi::{CStr, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs a call's body. Panics end in `CL_OUT_OF_RESOURCES`.
pub fn call(name: &'static str, body: impl FnOnce() -> Result) -> cl::cl_int {
    match guarded(name, body) {
        Ok(()) => cl::CL_SUCCESS,
        Err(code) => code,
    }
}

/// Runs the body of a call that returns an object or null and its error code through `errcode_ret`, which may be null.
///
/// # Safety
/// `errcode_ret` is null or writable.
pub unsafe fn create(
    name: &'static str,
    errcode_ret: *mut cl::cl_int,
    body: impl FnOnce() -> Result<*mut c_void>,
) -> *mut c_void {
    let (object, code) = match guarded(name, body) {
        Ok(object) => (object, cl::CL_SUCCESS),
        Err(code) => (std::ptr::null_mut(), code),
    };
    // SAFETY: the caller's promise.
    unsafe { put(errcode_ret, code) };
    object
}

/// Runs the body of a call that returns a pointer and no code.
pub fn pointer(name: &'static str, body: impl FnOnce() -> Result<*mut c_void>) -> *mut c_void {
    guarded(name, body).unwrap_or(std::ptr::null_mut())
}

fn guarded<T>(name: &'static str, body: impl FnOnce() -> Result<T>) -> std::result::Result<T, cl::cl_int> {
    if reserve::is_short() && begins_something(name) {
        let error = Error::spec(Status::OutOfHostMemory, "there is not enough memory to begin anything");
        log_error(name, &error);
        return Err(error.status() as cl::cl_int);
    }
    let _named = check::names_calls().then(|| check::host::InCall::enter(name));
    let outcome = {
        let _in_call = InCall::enter();
        let _usual = control::Usual::enter();
        catch_unwind(AssertUnwindSafe(body))
    };
    callbacks::catch_up();
    match outcome {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => {
            log_error(name, &error);
            Err(error.status() as cl::cl_int)
        }
        Err(_) => Err(cl::CL_OUT_OF_RESOURCES),
    }
}

/// Whether a call makes objects or commands. The others, which may release some, go on with what there is.
fn begins_something(name: &str) -> bool {
    const WORDS: [&str; 9] = ["Create", "Clone", "Remap", "Build", "Compile", "Link", "Enqueue", "Command", "SVMAlloc"];
    let name = name.strip_prefix("cl").unwrap_or(name);
    WORDS.iter().any(|word| name.starts_with(word)) || name.contains("MemAlloc")
}

#[cold]
fn log_error(name: &str, error: &Error) {
    crate::trace::error(name, error);
    check::refused(error);
}

/// For bytes that a call is about to copy, as many as the application says: whether there is memory for them.
///
/// Errors: `CL_OUT_OF_HOST_MEMORY`.
pub fn room(bytes: usize) -> Result {
    let room = Vec::<u8>::new().try_reserve_exact(bytes);
    room.map_err(|_| Error::spec(Status::OutOfHostMemory, "there is no memory for a copy of what the call was given"))
}

/// `n` elements at `ptr`, or `None` if `ptr` is null or misaligned, or there cannot be so many.
///
/// # Safety
/// A non-null `ptr` has `n` readable elements that nobody changes during the call.
pub unsafe fn slice<'a, T>(ptr: *const T, n: usize) -> Option<&'a [T]> {
    let fits = n.checked_mul(size_of::<T>()).is_some_and(|bytes| bytes <= isize::MAX as usize);
    if ptr.is_null() || !ptr.is_aligned() || !fits {
        return None;
    }
    // SAFETY: not null, aligned, of a size that memory can have, and as long as the caller says.
    Some(unsafe { std::slice::from_raw_parts(ptr, n) })
}

/// The elements of a list that must have some.
///
/// Errors: `CL_INVALID_VALUE` if it has none.
///
/// # Safety
/// As `slice`.
pub unsafe fn elements<'a, T>(ptr: *const T, n: cl::cl_uint, condition: &'static str) -> Result<&'a [T]> {
    // SAFETY: the caller's promise.
    match unsafe { slice(ptr, n as usize) } {
        Some(list) if n > 0 => Ok(list),
        _ => fail(Status::InvalidValue, condition),
    }
}

/// The elements of a list that is null if it has none, and only then.
///
/// Errors: `status` otherwise.
///
/// # Safety
/// As `slice`.
pub unsafe fn list<'a, T>(ptr: *const T, n: cl::cl_uint, status: Status, condition: &'static str) -> Result<&'a [T]> {
    // SAFETY: the caller's promise.
    match unsafe { slice(ptr, n as usize) } {
        None if n == 0 => Ok(&[]),
        Some(list) if n > 0 => Ok(list),
        _ => fail(status, condition),
    }
}

/// Three sizes at `ptr`, or `None` if it is null.
///
/// # Safety
/// A non-null `ptr` has three readable elements.
pub unsafe fn triple(ptr: *const usize) -> Option<[usize; 3]> {
    if ptr.is_null() {
        return None;
    }
    // SAFETY: three readable elements, of any alignment.
    Some(unsafe { ptr.cast::<[usize; 3]>().read_unaligned() })
}

/// The zero-terminated string at `ptr` without its terminator, or `None` if it is null.
///
/// # Safety
/// A non-null `ptr` is a zero-terminated string that outlives `'a`.
pub unsafe fn string<'a>(ptr: *const c_char) -> Option<&'a [u8]> {
    if ptr.is_null() {
        return None;
    }
    // SAFETY: the caller's promise.
    Some(unsafe { CStr::from_ptr(ptr) }.to_bytes())
}

/// The pairs of a zero-terminated property list, or `None` if it is null.
///
/// # Safety
/// A non-null `ptr` is a list of pairs, ended by a zero in the place of a name.
pub unsafe fn properties<T: Copy + Default + PartialEq>(ptr: *const T) -> Option<Vec<(T, T)>> {
    if ptr.is_null() {
        return None;
    }
    let mut pairs = Vec::new();
    let mut at = ptr;
    loop {
        // SAFETY: the list has not ended yet, so there is a name.
        let name = unsafe { at.read_unaligned() };
        if name == T::default() {
            return Some(pairs);
        }
        // SAFETY: a name is followed by its value.
        let value = unsafe { at.add(1).read_unaligned() };
        pairs.push((name, value));
        // SAFETY: a pair is followed by the next name or the end.
        at = unsafe { at.add(2) };
    }
}

/// The elements of a partition's list before its first zero, or `None` if it is null. After
/// `CL_DEVICE_PARTITION_BY_NAMES_INTEL` a zero is a name: the list goes on to its end or to a name that stands there
/// twice.
///
/// # Safety
/// A non-null `ptr` is a list that a zero ends.
pub unsafe fn partition(ptr: *const isize) -> Option<Vec<isize>> {
    if ptr.is_null() {
        return None;
    }
    // SAFETY: nothing is read past the end that the caller promises.
    let mut values = (0..).map(|idx| unsafe { ptr.add(idx).read_unaligned() });
    let mut list = Vec::new();
    if let Some(scheme) = values.next().filter(|&scheme| scheme != 0) {
        list.push(scheme);
        if scheme == cl::CL_DEVICE_PARTITION_BY_NAMES_INTEL as isize {
            loop {
                let name = values.next()?;
                let is_last = name < 0 || list[1..].contains(&name);
                list.push(name);
                if is_last {
                    break;
                }
            }
            if list.last() != Some(&cl::CL_PARTITION_BY_NAMES_LIST_END_INTEL) {
                return Some(list);
            }
        }
        list.extend(values.take_while(|&value| value != 0));
    }
    Some(list)
}

/// As `properties`, for lists that may be nonsense: reading ends at the first name that `is_known` refuses, with `None`
/// in the inner option.
///
/// # Safety
/// A non-null `ptr` is a list of pairs as far as its names are known, and then has one more element.
pub unsafe fn known_properties(ptr: *const u64, is_known: fn(u64) -> bool) -> Option<Option<Vec<(u64, u64)>>> {
    if ptr.is_null() {
        return None;
    }
    let mut pairs = Vec::new();
    let mut at = ptr;
    loop {
        // SAFETY: the list has not ended yet, so there is a name.
        let name = unsafe { at.read_unaligned() };
        if name == 0 {
            return Some(Some(pairs));
        }
        if !is_known(name) {
            return Some(None);
        }
        // SAFETY: a name is followed by its value, and a pair by the next name or the end.
        let value = unsafe { at.add(1).read_unaligned() };
        pairs.push((name, value));
        // SAFETY: as above.
        at = unsafe { at.add(2) };
    }
}

/// Stores `value` at `ptr` unless that is null.
///
/// # Safety
/// A non-null `ptr` is writable.
pub unsafe fn put<T>(ptr: *mut T, value: T) {
    if !ptr.is_null() {
        // SAFETY: the caller's promise.
        unsafe { ptr.write_unaligned(value) };
    }
}

/// Stores as many of `values` as fit in `n` elements at `ptr`, and how many there are in `n_ret`; either may be null.
///
/// # Safety
/// A non-null `ptr` has `n` writable elements, a non-null `n_ret` is writable.
pub unsafe fn put_list<T: Copy>(values: &[T], ptr: *mut T, n: cl::cl_uint, n_ret: *mut cl::cl_uint) {
    if !ptr.is_null() {
        let n_stored = values.len().min(n as usize);
        for (idx, value) in values[..n_stored].iter().enumerate() {
            // SAFETY: idx < n.
            unsafe { ptr.add(idx).write_unaligned(*value) };
        }
    }
    // SAFETY: the caller's promise.
    unsafe { put(n_ret, values.len() as cl::cl_uint) };
}

/// Where the answer to an information query goes.
#[derive(Clone, Copy)]
pub struct InfoOut {
    /// Bytes at `value`.
    pub size: usize,
    /// Null if only the size is wanted.
    pub value: *mut c_void,
    /// Receives the answer's size in bytes; may be null.
    pub size_ret: *mut usize,
}

impl InfoOut {
    /// Copies an answer out.
    ///
    /// Errors: `CL_INVALID_VALUE` if `value` is not null and too small.
    ///
    /// # Safety
    /// The fields are as the caller of a `clGet*Info` promises.
    pub unsafe fn store(&self, bytes: &[u8]) -> Result {
        if !self.value.is_null() {
            crate::error::ensure!(
                bytes.len() <= self.size,
                InvalidValue,
                "the size in bytes specified by param_value_size is less than the size of the return type and \
                 param_value is not NULL"
            );
            // SAFETY: `value` has `size` writable bytes and cannot overlap our own buffer.
            unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.value.cast(), bytes.len()) };
        }
        // SAFETY: null or writable.
        unsafe { put(self.size_ret, bytes.len()) };
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_ends_in_an_error_code() {
        crate::trace::quiet_panics();
        let code = call("clTest", || panic!("inside a call"));
        assert_eq!(code, cl::CL_OUT_OF_RESOURCES);
    }

    #[test]
    fn property_lists_end_at_a_zero_name() {
        let list: [u64; 5] = [7, 0, 9, 4, 0];
        // SAFETY: the list is terminated.
        assert_eq!(unsafe { properties(list.as_ptr()) }, Some(vec![(7, 0), (9, 4)]));
        // SAFETY: null is allowed.
        assert_eq!(unsafe { properties::<u64>(std::ptr::null()) }, None);
        let empty = [0u64, 0, 0];
        // SAFETY: the list is terminated.
        assert_eq!(unsafe { properties(empty.as_ptr()) }, Some(vec![]));
    }

    #[test]
    fn an_answer_that_does_not_fit_leaves_everything_alone() {
        let (mut value, mut size) = ([9u8; 4], 77usize);
        let out = InfoOut { size: 4, value: value.as_mut_ptr().cast(), size_ret: &raw mut size };
        // SAFETY: four writable bytes, one writable size.
        let result = unsafe { out.store(&[1, 2, 3, 4, 5]) };
        assert_eq!(result.map_err(|e| e.status() as i32), Err(cl::CL_INVALID_VALUE));
        assert_eq!((value, size), ([9; 4], 77));
        // SAFETY: as above.
        unsafe { out.store(&[1, 2]) }.expect("fits");
        assert_eq!((value, size), ([1, 2, 9, 9], 2));
    }
}
