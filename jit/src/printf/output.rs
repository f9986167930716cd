//! Where the text of `printf` goes: into a buffer of the thread that runs the work-item; whoever runs work-items takes
//! it from there (`take`) and writes it to the host program's standard output (`write`).
#![allow(unsafe_code, reason = "reads what generated code points to, and calls the C library's stdio")]

use super::Wrong;
use std::cell::Cell;
use std::mem::ManuallyDrop;

/// A thread's buffer holds no more than this: then it is written out while the kernel runs. What
/// `CL_DEVICE_PRINTF_BUFFER_SIZE` says.
pub const BUFFER_BYTES: usize = 1 << 20;

thread_local! {
    /// Whoever runs work-items takes it, so that there is nothing to drop with the thread, and one that is ending can
    /// print, too.
    static BUFFER: Cell<ManuallyDrop<Vec<u8>>> = const { Cell::new(ManuallyDrop::new(Vec::new())) };
    static WRONG: Cell<Option<Wrong>> = const { Cell::new(None) };
}

/// What this thread's work-items have printed since the last call.
pub fn take() -> Vec<u8> {
    ManuallyDrop::into_inner(BUFFER.take())
}

/// What was wrong with the last call of this thread that gave -1 since this was asked. Not known of one that is ending.
pub fn take_wrong() -> Option<Wrong> {
    WRONG.try_with(Cell::take).ok().flatten()
}

/// Formats a call into this thread's buffer; gives what `printf` returns: 0, or -1 if anything was wrong. All strings
/// lie in the program's data, which is from `start` to before `end`: no other memory is read as one, whatever a kernel
/// makes of its pointers.
pub(crate) extern "C" fn call(
    format: *const u8,
    types: *const u8,
    args: *const u8,
    start: *const u8,
    end: *const u8,
) -> i32 {
    let string = |at: *const u8, most: usize| {
        let is_data = start <= at && at < end;
        // SAFETY: the program's data lives as long as its code.
        is_data.then(|| unsafe { bytes_of(at, most.min(end as usize - at as usize)) })
    };
    let (Some(format), Some(types)) = (string(format, usize::MAX), string(types, usize::MAX)) else {
        note(Wrong("the format is no string of the program".to_owned()));
        return -1;
    };
    let string = |address: u64, most: usize| string(address as usize as *const u8, most);
    let (_, size) = super::layout(&types);
    // SAFETY: the compiler has packed this many bytes.
    let args = if size == 0 { &[][..] } else { unsafe { std::slice::from_raw_parts(args, size) } };
    let mut buffer = take();
    let result = super::format(&mut buffer, &format, &types, args, &string);
    if buffer.len() > BUFFER_BYTES {
        write(&buffer);
        buffer.clear();
    }
    BUFFER.set(ManuallyDrop::new(buffer));
    match result {
        Ok(()) => 0,
        Err(wrong) => {
            note(wrong);
            -1
        }
    }
}

/// Says what was wrong to whoever asks next.
fn note(wrong: Wrong) {
    let _ = WRONG.try_with(|last| last.set(Some(wrong)));
}

/// The bytes before the first zero, at most so many.
///
/// # Safety
/// They can be read, and the zero too if it is among the first `most`.
unsafe fn bytes_of(start: *const u8, most: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while bytes.len() < most {
        // SAFETY: the caller's promise.
        match unsafe { start.add(bytes.len()).read() } {
            0 => break,
            byte => bytes.push(byte),
        }
    }
    bytes
}

unsafe extern "C" {
    #[cfg_attr(target_os = "macos", link_name = "__stdoutp")]
    static stdout: *mut libc::FILE;
}

/// Writes to the C library's `stdout`, so that a host program's own output keeps its place, and flushes it.
pub fn write(text: &[u8]) {
    if text.is_empty() {
        return;
    }
    // SAFETY: the stream is open as long as the host program keeps it so; the text has its length.
    unsafe {
        libc::fwrite(text.as_ptr().cast(), 1, text.len(), stdout);
        libc::fflush(stdout);
    }
}
