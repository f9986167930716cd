//! Copies and fills with stores that go past the caches. A transfer that is larger than the caches gains by them: a
//! usual store first reads the line that it overwrites, and what it leaves in the caches is driven out before anyone
//! reads it. Knows addresses only; whose they are is `host`'s business.
#![allow(unsafe_code, reason = "raw copies, and intrinsics that take raw pointers")]

/// How a transfer stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stores {
    /// Through the caches.
    Cached,
    /// Past them.
    Streaming,
}

/// Transfers from this size on are too large for the caches that a core may count on.
const STREAMING_BYTES: usize = 32 << 20;

/// Launches that fill so many bytes are. More than for transfers: the next launch is likely to read what this one
/// leaves, and one that finds it in a large shared cache runs a quarter faster. From here on even that does not pay.
const LAUNCH_STREAMING_BYTES: usize = 64 << 20;

impl Stores {
    /// There are stores past the caches here; elsewhere nothing asks for them.
    pub const CAN_STREAM: bool = cfg!(target_arch = "x86_64");

    /// What suits a transfer of so many bytes in all.
    pub fn suiting(size: usize) -> Self {
        Self::from(size, STREAMING_BYTES)
    }

    /// What suits a launch that fills so many bytes of one buffer.
    pub fn suiting_launch(size: usize) -> Self {
        Self::from(size, LAUNCH_STREAMING_BYTES)
    }

    fn from(size: usize, least: usize) -> Self {
        if Self::CAN_STREAM && size >= least { Self::Streaming } else { Self::Cached }
    }
}

/// Copies bytes that do not overlap, or that are the same.
///
/// # Safety
/// `size` bytes can be read and written.
#[cfg(target_arch = "x86_64")]
pub unsafe fn copy(source: *const u8, target: *mut u8, size: usize) {
    use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_sfence, _mm_stream_si128};
    let head = target.align_offset(64).min(size);
    let body = (size - head) / 64 * 64;
    // SAFETY: head, body and tail make up `size`; streaming stores want 16-byte alignment, which a multiple of 16 bytes
    // past `head` has. The fence orders them before what another thread does once it knows that they are done.
    unsafe {
        std::ptr::copy(source, target, head);
        for i in (head..head + body).step_by(64) {
            let (from, to) = (source.add(i).cast::<__m128i>(), target.add(i).cast::<__m128i>());
            // All loads first, and written out: an array's `map` may stay a call.
            let line = [
                _mm_loadu_si128(from),
                _mm_loadu_si128(from.add(1)),
                _mm_loadu_si128(from.add(2)),
                _mm_loadu_si128(from.add(3)),
            ];
            for (k, part) in line.into_iter().enumerate() {
                _mm_stream_si128(to.add(k), part);
            }
        }
        std::ptr::copy(source.add(head + body), target.add(head + body), size - head - body);
        _mm_sfence();
    }
}

/// Repeats a pattern whose length divides `PERIOD`.
///
/// # Safety
/// `size` bytes can be written.
#[cfg(target_arch = "x86_64")]
pub unsafe fn fill(target: *mut u8, size: usize, pattern: &[u8]) {
    use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_sfence, _mm_stream_si128};
    let head = target.align_offset(64).min(size);
    let body = (size - head) / PERIOD * PERIOD;
    let block: [u8; PERIOD] = std::array::from_fn(|i| pattern[(head + i) % pattern.len()]);
    // SAFETY: as in `copy`; the pattern goes on after each whole `PERIOD`.
    unsafe {
        for (i, byte) in pattern.iter().cycle().take(head).enumerate() {
            target.add(i).write(*byte);
        }
        let block_at = block.as_ptr().cast::<__m128i>();
        let parts: [__m128i; PERIOD / 16] = std::array::from_fn(|k| _mm_loadu_si128(block_at.add(k)));
        for i in (head..head + body).step_by(PERIOD) {
            let to = target.add(i).cast::<__m128i>();
            for (k, part) in parts.into_iter().enumerate() {
                _mm_stream_si128(to.add(k), part);
            }
        }
        std::ptr::copy_nonoverlapping(block.as_ptr(), target.add(head + body), size - head - body);
        _mm_sfence();
    }
}

/// The length that a pattern's must divide.
pub const PERIOD: usize = 128;

/// As above, by usual stores: `Stores::suiting` never asks for others here.
///
/// # Safety
/// `size` bytes can be read and written.
#[cfg(not(target_arch = "x86_64"))]
pub unsafe fn copy(source: *const u8, target: *mut u8, size: usize) {
    // SAFETY: the caller's promise.
    unsafe { std::ptr::copy(source, target, size) }
}

/// As above, by usual stores.
///
/// # Safety
/// `size` bytes can be written.
#[cfg(not(target_arch = "x86_64"))]
pub unsafe fn fill(target: *mut u8, size: usize, pattern: &[u8]) {
    for (i, byte) in pattern.iter().cycle().take(size).enumerate() {
        // SAFETY: the caller's promise.
        unsafe { target.add(i).write(*byte) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPARE: u8 = 0xee;

    #[test]
    fn copies_move_just_their_bytes() {
        let source: Vec<u8> = (0..1000u32).map(|i| (i * 7 + i / 256) as u8).collect();
        for (from, to) in [(0, 0), (1, 0), (0, 1), (13, 50), (64, 63)] {
            for size in [0, 1, 15, 16, 63, 64, 65, 127, 128, 500] {
                let mut target = vec![SPARE; 1000];
                // SAFETY: both ranges lie inside the vectors.
                unsafe { copy(source[from..].as_ptr(), target[to..].as_mut_ptr(), size) }
                assert_eq!(target[to..to + size], source[from..from + size]);
                assert!(target[..to].iter().chain(&target[to + size..]).all(|&byte| byte == SPARE));
            }
        }
    }

    #[test]
    fn fills_repeat_the_pattern_from_the_first_byte() {
        for length in [1, 2, 4, 8, 16, 32, 64, 128] {
            let pattern: Vec<u8> = (1..=length).collect();
            for to in [0, 1, 2, 60, 64, 100] {
                for size in [0, 1, 3, 64, 127, 128, 129, 700] {
                    let mut target = vec![SPARE; 1000];
                    // SAFETY: the range lies inside the vector.
                    unsafe { fill(target[to..].as_mut_ptr(), size, &pattern) }
                    let want: Vec<u8> = pattern.iter().copied().cycle().take(size).collect();
                    assert_eq!(target[to..to + size], want);
                    assert!(target[..to].iter().chain(&target[to + size..]).all(|&byte| byte == SPARE));
                }
            }
        }
    }
}
