//! What AArch64 wants before code that was written as data may run: its instruction caches see no stores. Nothing else
//! has to know that.
#![allow(unsafe_code, reason = "maintains caches, by instructions and a call of the system")]

use std::arch::asm;
use std::sync::OnceLock;

/// Commands of `membarrier`: every thread of the process forgets instructions that it has fetched ahead.
const SYNC_CORE: libc::c_int = 1 << 5;
const REGISTER_SYNC_CORE: libc::c_int = 1 << 6;

/// Makes what was written to this memory, which may be read, what all threads fetch as instructions.
pub(super) fn flush(start: *const u8, len: usize) {
    let [data_line, code_line] = line_bytes();
    let (start, end) = (start.addr(), start.addr() + len);
    let lines = |size: usize| (start / size * size..end).step_by(size);
    // SAFETY: cache maintenance of memory that the caller may read.
    unsafe {
        lines(data_line).for_each(|line| asm!("dc cvau, {0}", in(reg) line, options(nostack, preserves_flags)));
        asm!("dsb ish", options(nostack, preserves_flags));
        lines(code_line).for_each(|line| asm!("ic ivau, {0}", in(reg) line, options(nostack, preserves_flags)));
        asm!("dsb ish", "isb", options(nostack, preserves_flags));
    }
    synchronise_threads();
}

/// Bytes of the smallest line of data and of instruction caches.
fn line_bytes() -> [usize; 2] {
    let kinds: u64;
    // SAFETY: Linux lets programs read this register.
    unsafe { asm!("mrs {0}, ctr_el0", out(reg) kinds, options(nomem, nostack, preserves_flags)) };
    [kinds >> 16, kinds].map(|words| 4 << (words & 15))
}

/// Has other threads forget what they fetched from these addresses when other code was there. Systems before Linux 4.16
/// do not know how; there, returns from the kernel, of which there is one before a thread gets new code to run, do it.
fn synchronise_threads() {
    static IS_REGISTERED: OnceLock<bool> = OnceLock::new();
    // SAFETY: these commands have no further arguments.
    let membarrier = |command: libc::c_int| unsafe { libc::syscall(libc::SYS_membarrier, command, 0, 0) } == 0;
    if *IS_REGISTERED.get_or_init(|| membarrier(REGISTER_SYNC_CORE)) {
        membarrier(SYNC_CORE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_powers_of_two() {
        for size in line_bytes() {
            assert!(size.is_power_of_two() && (4..=2048).contains(&size), "{size}");
        }
    }
}
