//! Tells debuggers, unwinders and profilers of code in memory, and debuggers and unwinders when it goes: the interface
//! that gdb and lldb share (gdb's manual, "JIT Compilation Interface"), and `__register_frame` of the compiler's
//! run-time library.
#![allow(unsafe_code, reason = "interfaces of debuggers and unwinders are in C")]

use super::{LineTable, Perf, ProgramPlace, dwarf, elf, perf};
use parking_lot::Mutex;
use std::ffi::c_void;
use std::pin::Pin;
use std::ptr;

/// A file in memory, as gdb finds it.
#[repr(C)]
struct Entry {
    next: *mut Entry,
    prev: *mut Entry,
    file: *const u8,
    size: u64,
}

#[repr(C)]
struct Descriptor {
    version: u32,
    action: u32,
    relevant: *mut Entry,
    first: *mut Entry,
}

// SAFETY: debuggers read it while the process stands still; this library writes it under `LIST`.
unsafe impl Sync for Descriptor {}

const REGISTER: u32 = 1;
const UNREGISTER: u32 = 2;

/// Where debuggers look; under the name that they know.
#[unsafe(no_mangle)]
static mut __jit_debug_descriptor: Descriptor =
    Descriptor { version: 1, action: 0, relevant: ptr::null_mut(), first: ptr::null_mut() };

/// Where debuggers stop when the list has changed; under the name that they know.
#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn __jit_debug_register_code() {
    // SAFETY: nothing is done. For all that the compiler knows memory is read, so that what was written to the list in
    // front of a call is there.
    unsafe { std::arch::asm!("", options(nostack, preserves_flags)) };
}

/// Guards the list.
static LIST: Mutex<()> = Mutex::new(());

/// Keeps the list as it is.
pub(super) fn hold() -> impl Sized + 'static {
    LIST.lock()
}

unsafe extern "C" {
    fn __register_frame(begin: *const c_void);
    fn __deregister_frame(begin: *const c_void);
}

/// Code that others know of, until this goes.
pub(in super::super) struct Published {
    eh_frame: Box<[u8]>,
    entry: Pin<Box<Entry>>,
    _file: Box<[u8]>,
}

// SAFETY: what the pointers lead to is touched under `LIST` only.
unsafe impl Send for Published {}
// SAFETY: as above.
unsafe impl Sync for Published {}

/// Tells of functions at these addresses, and of variables of the program.
///
/// # Errors
/// Why their tables cannot be written.
pub(in super::super) fn publish(
    functions: &[(u64, &LineTable)],
    variables: &[(u64, ProgramPlace)],
) -> Result<Published, String> {
    match super::perf() {
        Perf::Off => {}
        Perf::Map => perf::map(functions),
        Perf::Jitdump => perf::jitdump(functions),
    }
    let why = |error: gimli::write::Error| format!("no tables for debuggers: {error}");
    let eh_frame = dwarf::eh_frame(functions).map_err(why)?.into_boxed_slice();
    let debug = dwarf::sections(functions, variables).map_err(why)?;
    let start = functions.iter().map(|&(address, _)| address).min().unwrap_or(0);
    let end = functions.iter().map(|&(address, table)| address + u64::from(table.len)).max().unwrap_or(start);
    let symbols: Vec<elf::Symbol<'_>> =
        functions.iter().map(|&(address, table)| (&*table.function, address, table.len.into())).collect();
    let file = elf::file((start, end - start), &symbols, &debug, (eh_frame.as_ptr() as u64, &eh_frame));
    let file = file.into_boxed_slice();
    let mut entry =
        Box::pin(Entry { next: ptr::null_mut(), prev: ptr::null_mut(), file: file.as_ptr(), size: file.len() as u64 });
    let _list = LIST.lock();
    let this: *mut Entry = &raw mut *entry;
    // SAFETY: the list is this thread's; its entries live until they have taken themselves out. The section ends with
    // an empty entry.
    unsafe {
        let list = &raw mut __jit_debug_descriptor;
        (*this).next = (*list).first;
        if let Some(next) = (*this).next.as_mut() {
            next.prev = this;
        }
        ((*list).first, (*list).relevant, (*list).action) = (this, this, REGISTER);
        __jit_debug_register_code();
        (*list).action = 0;
        __register_frame(eh_frame.as_ptr().cast());
    }
    Ok(Published { eh_frame, entry, _file: file })
}

impl Drop for Published {
    fn drop(&mut self) {
        let _list = LIST.lock();
        let this: *mut Entry = &raw mut *self.entry;
        // SAFETY: as in `publish`; the entry is in the list.
        unsafe {
            __deregister_frame(self.eh_frame.as_ptr().cast());
            let list = &raw mut __jit_debug_descriptor;
            let (next, prev) = ((*this).next, (*this).prev);
            match prev.as_mut() {
                Some(prev) => prev.next = next,
                None => (*list).first = next,
            }
            if let Some(next) = next.as_mut() {
                next.prev = prev;
            }
            ((*list).relevant, (*list).action) = (this, UNREGISTER);
            __jit_debug_register_code();
            (*list).action = 0;
        }
    }
}
