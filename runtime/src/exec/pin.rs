//! Keeps a thread on some of the machine's CPUs.
#![allow(unsafe_code, reason = "the system call that sets a thread's affinity mask")]

/// Lets the calling thread run on these CPUs only. Without effect if the system does not allow it any more: it is about
/// speed, not results.
pub fn to(cpus: &[usize]) {
    // SAFETY: a mask without CPUs is all zeros.
    let mut mask: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    let known = cpus.iter().filter(|&&cpu| cpu < 8 * size_of::<libc::cpu_set_t>());
    // SAFETY: the number is inside the mask.
    known.for_each(|&cpu| unsafe { libc::CPU_SET(cpu, &mut mask) });
    if !cpus.is_empty() {
        // SAFETY: reads a mask of the size that it is told.
        unsafe { libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const mask) };
    }
}
