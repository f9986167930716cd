//! Memory for when the system gives none. Rust code has no answer to a refused allocation but to end the process, which
//! belongs to somebody else; so what the system refuses comes from a reserve that is there from the start, and whoever
//! is about to begin something larger asks first whether memory is short (`is_short`), and whoever is at it looks again
//! now and then (`look`). What is larger than `MOST` is refused as ever: who wants so much has to be prepared for it.
//!
//! ```text
//! A chunk of the reserve:  0 in use  ──take──▶  n in use, behind each other  ──the last is given back──▶  0 in use
//! ```
//!
//! There are no locks: a thread that forks may be the only one in the child.
#![allow(unsafe_code, reason = "allocation")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::UnsafeCell;
use std::ptr;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Acquire, Ordering::Relaxed, Ordering::Release};

/// Bytes of a chunk.
const CHUNK: usize = 1 << 20;
/// How many chunks there are.
const CHUNKS: usize = 16;
/// The most bytes that an allocation takes from the reserve.
pub const MOST: usize = CHUNK / 2;
/// The largest alignment.
const ALIGN: usize = 4096;
/// Memory is short if less than this is left of the reserve: the rest is for what has begun.
const ENOUGH: usize = CHUNK * CHUNKS / 4 * 3;
/// What the system must be able to give so that memory is not short.
const ASKED: Layout = Layout::new::<[u64; 32 << 10]>();

/// The pages are not there until they are written to.
#[repr(align(4096))]
struct Pages(UnsafeCell<[u8; CHUNK * CHUNKS]>);

// SAFETY: its bytes belong to whoever has taken them.
unsafe impl Sync for Pages {}

/// Chunks of memory, each with how far it is given out (lower half) and to how many (upper half).
pub struct Reserve {
    pages: Pages,
    chunks: [AtomicU64; CHUNKS],
    /// Allocations in it.
    taken: AtomicUsize,
}

impl Reserve {
    const fn new() -> Self {
        Self {
            pages: Pages(UnsafeCell::new([0; CHUNK * CHUNKS])),
            chunks: [const { AtomicU64::new(0) }; CHUNKS],
            taken: AtomicUsize::new(0),
        }
    }

    fn start(&self) -> *mut u8 {
        self.pages.0.get().cast()
    }

    fn has(&self, at: *mut u8) -> bool {
        at.addr().wrapping_sub(self.start().addr()) < CHUNK * CHUNKS
    }

    /// Null if there is not so much left.
    #[cold]
    fn take(&self, layout: Layout) -> *mut u8 {
        if layout.size() > MOST || layout.align() > ALIGN {
            return ptr::null_mut();
        }
        for (n, chunk) in self.chunks.iter().enumerate() {
            let place = |state: u64| (state as u32 as usize).next_multiple_of(layout.align());
            let took = chunk.fetch_update(Acquire, Relaxed, |state| {
                let end = place(state) + layout.size();
                (end <= CHUNK).then(|| ((state >> 32) + 1) << 32 | end as u64)
            });
            if let Ok(state) = took {
                self.taken.fetch_add(1, Relaxed);
                // SAFETY: inside the pages.
                return unsafe { self.start().add(n * CHUNK + place(state)) };
            }
        }
        ptr::null_mut()
    }

    /// `at` is what `take` gave.
    #[cold]
    fn give_back(&self, at: *mut u8) {
        let n = (at.addr() - self.start().addr()) / CHUNK;
        let _ = self.chunks[n].fetch_update(Release, Relaxed, |state| {
            let in_use = (state >> 32) - 1;
            Some(if in_use == 0 { 0 } else { in_use << 32 | u64::from(state as u32) })
        });
        self.taken.fetch_sub(1, Relaxed);
    }

    /// Bytes that can be taken.
    fn left(&self) -> usize {
        self.chunks.iter().map(|chunk| CHUNK - chunk.load(Relaxed) as u32 as usize).sum()
    }
}

static RESERVE: Reserve = Reserve::new();

/// The system's heap, with the reserve behind it.
pub struct Heap;

// SAFETY: what the system gives, or bytes of the reserve that nobody else has until they are given back.
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise.
        let at = unsafe { System.alloc(layout) };
        if at.is_null() { RESERVE.take(layout) } else { at }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise.
        let at = unsafe { System.alloc_zeroed(layout) };
        if !at.is_null() {
            return at;
        }
        let at = RESERVE.take(layout);
        if !at.is_null() {
            // SAFETY: just taken, and of this size.
            unsafe { at.write_bytes(0, layout.size()) };
        }
        at
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        if RESERVE.has(at) {
            RESERVE.give_back(at);
        } else {
            // SAFETY: the caller's promise.
            unsafe { System.dealloc(at, layout) }
        }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if !RESERVE.has(at) {
            // SAFETY: the caller's promise.
            let grown = unsafe { System.realloc(at, layout, size) };
            if !grown.is_null() {
                return grown;
            }
        }
        // SAFETY: the caller's promise: the size is not zero, and rounded up it is not too large; both places have the
        // smaller size, and the old one is given up only if there is another.
        unsafe {
            let to = self.alloc(Layout::from_size_align_unchecked(size, layout.align()));
            if !to.is_null() {
                ptr::copy_nonoverlapping(at, to, size.min(layout.size()));
                self.dealloc(at, layout);
            }
            to
        }
    }
}

/// Whether so much of the reserve is in use that nothing should be begun, and the system still gives no memory.
#[inline]
pub fn is_short() -> bool {
    RESERVE.taken.load(Relaxed) > 0 && is_used_up()
}

#[cold]
fn is_used_up() -> bool {
    RESERVE.left() < ENOUGH && !has_system_memory()
}

fn has_system_memory() -> bool {
    // SAFETY: the size is not zero, and what is given goes back at once.
    unsafe {
        let at = System.alloc(std::hint::black_box(ASKED));
        if !at.is_null() {
            System.dealloc(at, ASKED);
        }
        !at.is_null()
    }
}

/// To be asked before a thread is started: what the standard library knows of a thread is in the system's memory, and
/// where that is not to be had, the process ends.
///
/// # Errors
/// `OutOfMemory`.
pub fn before_thread() -> std::io::Result<()> {
    if has_system_memory() { Ok(()) } else { Err(std::io::ErrorKind::OutOfMemory.into()) }
}

/// What a compilation ends with when it is given up: see `look`.
pub struct ShortOfMemory;

/// Gives up what the thread is at, by unwinding with `ShortOfMemory`, if memory is short.
#[inline]
pub(crate) fn look() {
    if is_short() {
        std::panic::resume_unwind(Box::new(ShortOfMemory));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;

    fn reserve() -> Box<Reserve> {
        // SAFETY: all zeros is an empty one, and too large for a stack.
        unsafe { Box::<Reserve>::new_zeroed().assume_init() }
    }

    fn layout(size: usize, align: usize) -> Layout {
        Layout::from_size_align(size, align).expect("good")
    }

    #[test]
    fn what_is_taken_is_apart_and_comes_back() {
        let reserve = reserve();
        let all = reserve.left();
        assert_eq!(all, CHUNK * CHUNKS);
        let mut taken = Vec::new();
        for n in 0.. {
            let layout = layout(1 + n * 37 % MOST, 1 << (n % 13));
            let at = reserve.take(layout);
            if at.is_null() {
                break;
            }
            assert!(at.addr().is_multiple_of(layout.align()) && reserve.has(at));
            // SAFETY: just taken.
            unsafe { at.write_bytes(n as u8, layout.size()) };
            taken.push((at, layout.size(), n as u8));
        }
        assert!(taken.len() > 100 && reserve.left() < ENOUGH);
        for &(at, size, byte) in &taken {
            // SAFETY: taken above, and written.
            assert!(unsafe { std::slice::from_raw_parts(at, size) }.iter().all(|&found| found == byte));
            reserve.give_back(at);
        }
        assert_eq!((reserve.left(), reserve.taken.load(Relaxed)), (all, 0));
        assert!(reserve.take(layout(MOST + 1, 1)).is_null());
        assert!(reserve.take(layout(1, 2 * ALIGN)).is_null());
        let mut other = Box::new(0u8);
        assert!(!reserve.has(ptr::null_mut()) && !reserve.has(&raw mut *other));
    }

    #[test]
    fn what_stays_holds_its_chunk_alone() {
        let reserve = reserve();
        let stays = reserve.take(layout(1, 1));
        let rest: Vec<_> =
            std::iter::repeat_with(|| reserve.take(layout(MOST, 1))).take_while(|at| !at.is_null()).collect();
        rest.iter().for_each(|&at| reserve.give_back(at));
        assert!(reserve.left() >= CHUNK * (CHUNKS - 1));
        reserve.give_back(stays);
        assert_eq!(reserve.left(), CHUNK * CHUNKS);
    }

    #[test]
    fn threads_take_side_by_side() {
        let reserve = reserve();
        std::thread::scope(|scope| {
            for thread in 0..4u8 {
                let reserve = &reserve;
                scope.spawn(move || {
                    let mut own = VecDeque::new();
                    for n in 0..20_000usize {
                        let size = 1 + n * 7919 % 2000;
                        let at = reserve.take(layout(size, 8));
                        if !at.is_null() {
                            // SAFETY: just taken.
                            unsafe { at.write_bytes(thread, size) };
                            own.push_back((at, size));
                        }
                        if own.len() > 50 {
                            let (at, size) = own.pop_front().expect("there are some");
                            // SAFETY: taken above, and written.
                            assert!(unsafe { std::slice::from_raw_parts(at, size) }.iter().all(|&byte| byte == thread));
                            reserve.give_back(at);
                        }
                    }
                    own.into_iter().for_each(|(at, _)| reserve.give_back(at));
                });
            }
        });
        assert_eq!((reserve.left(), reserve.taken.load(Relaxed)), (CHUNK * CHUNKS, 0));
    }

    #[test]
    fn memory_is_not_short_here() {
        assert!(!is_short() && !is_used_up());
        look();
    }
}
