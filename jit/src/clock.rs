//! The one clock: of kernels, of profiling and of the host timer. Spec: OpenCL C, "Kernel Clock Functions".

use std::sync::OnceLock;
use std::time::Instant;

/// Nanoseconds since a fixed point in this process's life; never zero, never decreasing, alike on all threads.
pub extern "C" fn now_ns() -> u64 {
    static ORIGIN: OnceLock<Instant> = OnceLock::new();
    ORIGIN.get_or_init(Instant::now).elapsed().as_nanos() as u64 + 1_000_000_000
}
