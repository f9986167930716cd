//! Host memory: where buffers and shared virtual memory live, pointers that callers give, and every raw access to
//! either.
//!
//! Why raw copies are sound here: OpenCL makes the caller responsible for ordering commands that touch the same bytes
//! ("Memory Model"), so racing accesses are the caller's error and hit plain bytes only; this file never makes a Rust
//! reference to such bytes, only raw pointers, and every range is checked against its storage before a pointer is made.
#![allow(unsafe_code, reason = "raw copies of memory shared with host program and kernels")]

use super::block::Block;
use super::external::Mapping;
use super::recycle::{self, Recycler};
use crate::check::{commands, race};
use crate::error::{Error, Result};
use crate::memory::stream::{self, Stores};
use std::marker::PhantomData;
use std::ptr::NonNull;
use std::sync::Arc;

/// An address that the host program gave, with its promise about the bytes behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostPtr(NonNull<u8>);

// SAFETY: the promise of `HostPtr::new` is not bound to a thread.
unsafe impl Send for HostPtr {}
// SAFETY: as above; the type itself gives no access.
unsafe impl Sync for HostPtr {}

impl HostPtr {
    /// Wraps a caller's pointer; `None` for null.
    ///
    /// # Safety
    /// The bytes that the call which gets this value reads or writes through it (size, region and pitches as given to
    /// that call) are valid until the command is complete, or for the life of a USE_HOST_PTR buffer.
    pub unsafe fn new(pointer: *mut u8) -> Option<Self> {
        NonNull::new(pointer).map(Self)
    }

    /// The address.
    pub fn address(self) -> usize {
        self.0.as_ptr().addr()
    }

    /// The address `bytes` further.
    pub fn offset(self, bytes: usize) -> Self {
        Self(NonNull::new(self.0.as_ptr().wrapping_add(bytes)).unwrap_or(self.0))
    }

    pub(crate) fn as_ptr(self) -> *mut u8 {
        self.0.as_ptr()
    }
}

/// Memory of a buffer: its own, 128-byte aligned, or the caller's.
pub struct Storage {
    start: NonNull<u8>,
    size: usize,
    /// `None` for the caller's memory.
    own: Option<Block>,
    /// Memory that others see too.
    shared: Option<Mapping>,
    /// Who gets the block when it is free.
    home: Option<Arc<Recycler>>,
}

// SAFETY: plain bytes; see the file's head for races.
unsafe impl Send for Storage {}
// SAFETY: as above.
unsafe impl Sync for Storage {}

impl Storage {
    /// New memory, zero-filled (lazily by the system when large), that goes back to the system.
    ///
    /// # Errors
    /// `Allocation`.
    pub fn zeroed(size: usize) -> Result<Self> {
        let block = recycle::fresh(size).ok_or(Error::Allocation { size })?;
        made(&block);
        Ok(Self { start: block.start(), size, own: Some(block), shared: None, home: None })
    }

    /// Memory that comes from `home` and goes back there. It holds zeros or what the same context has left in it.
    ///
    /// # Errors
    /// `Allocation`.
    pub(crate) fn recycled(home: &Arc<Recycler>, size: usize) -> Result<Self> {
        let block = home.take(size).ok_or(Error::Allocation { size })?;
        made(&block);
        Ok(Self { start: block.start(), size, own: Some(block), shared: None, home: Some(Arc::clone(home)) })
    }

    /// The caller's memory.
    pub fn borrowed(pointer: HostPtr, size: usize) -> Self {
        Self { start: pointer.0, size, own: None, shared: None, home: None }
    }

    /// Memory behind a file descriptor, which others may see.
    ///
    /// # Errors
    /// `InvalidProperty` ← as `Mapping::new`.
    pub(super) fn shared(fd: i32, size: usize) -> Result<Self> {
        let mapping = Mapping::new(fd, size)?;
        Ok(Self { start: mapping.start(), size, own: None, shared: Some(mapping), home: None })
    }

    /// Address of the first byte.
    pub fn address(&self) -> usize {
        self.start.as_ptr().addr()
    }

    /// Whether it is memory of the caller or of others.
    pub fn is_borrowed(&self) -> bool {
        self.own.is_none()
    }

    /// Its pages go back to the system, with what is in them; the addresses stay. False if it has none of its own.
    pub(crate) fn empty(&mut self) -> bool {
        self.own.as_mut().is_some_and(Block::empty)
    }

    /// All bytes.
    pub fn span(&self) -> Bytes<'_> {
        Bytes { start: self.start.as_ptr(), size: self.size, _storage: PhantomData }
    }
}

/// A block gets a purpose.
fn made(block: &Block) {
    if commands::guards() && block.is_mapped() {
        let start = block.start().as_ptr().addr();
        commands::memory_made(start..start + block.bytes());
    }
}

impl Drop for Storage {
    fn drop(&mut self) {
        let is_going = self.own.is_some() || self.shared.is_some();
        if is_going {
            race::memory_gone(self.address(), self.size);
        }
        if is_going && commands::is_on() {
            commands::memory_gone(self.address()..self.address() + self.size);
        }
        if let (Some(block), Some(home)) = (self.own.take(), &self.home) {
            home.give_back(block);
        }
    }
}

/// Bytes of a storage. Copies check their ranges; a range that leaves the bytes moves nothing (callers have validated
/// it).
#[derive(Clone, Copy)]
pub struct Bytes<'a> {
    start: *mut u8,
    size: usize,
    _storage: PhantomData<&'a Storage>,
}

// SAFETY: a range of a `Storage`, which is `Sync`.
unsafe impl Send for Bytes<'_> {}
// SAFETY: as above.
unsafe impl Sync for Bytes<'_> {}

impl<'a> Bytes<'a> {
    /// The range `offset .. offset + size`, cut to what exists.
    pub fn sub(self, offset: usize, size: usize) -> Bytes<'a> {
        let offset = offset.min(self.size);
        let size = size.min(self.size - offset);
        // SAFETY: `offset` is within the storage.
        Bytes { start: unsafe { self.start.add(offset) }, size, _storage: PhantomData }
    }

    /// Address of the first byte.
    pub fn address(self) -> usize {
        self.start.addr()
    }

    /// Number of bytes.
    pub fn len(self) -> usize {
        self.size
    }

    /// Address of the first byte, for generated code.
    pub(crate) fn as_mut_ptr(self) -> *mut u8 {
        self.start
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.size == 0
    }

    /// Copies up to `size` bytes from the caller's memory. Streaming needs ranges that are apart or the same.
    pub fn write_from(self, source: HostPtr, size: usize, stores: Stores) {
        race::memory_written(self.address(), size.min(self.size));
        // SAFETY: the target range is the storage's, the source is promised by `HostPtr::new`.
        unsafe { copy(source.as_ptr(), self.start, size.min(self.size), stores) }
    }

    /// Copies up to `size` bytes to the caller's memory, as `write_from`.
    pub fn read_to(self, target: HostPtr, size: usize, stores: Stores) {
        // SAFETY: as `write_from`, the other way round.
        unsafe { copy(self.start, target.as_ptr(), size.min(self.size), stores) }
    }

    /// Copies bytes of another range, as `write_from`; the shorter length counts.
    pub fn copy_from(self, source: Bytes<'_>, stores: Stores) {
        race::memory_copied(self.address(), source.address(), source.size.min(self.size));
        // SAFETY: both ranges are their storages'.
        unsafe { copy(source.start, self.start, source.size.min(self.size), stores) }
    }

    /// A copy.
    pub(crate) fn to_vec(self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.size);
        // SAFETY: the source range is the storage's; the vector has room for it, and the copy fills that.
        unsafe {
            copy(self.start, out.as_mut_ptr(), self.size, Stores::Cached);
            out.set_len(self.size);
        }
        out
    }

    /// Repeats `pattern` over the bytes; a remainder shorter than the pattern gets the pattern's first bytes.
    pub fn fill(self, pattern: &[u8], stores: Stores) {
        race::memory_written(self.address(), self.size);
        match pattern {
            [] => {}
            _ if stores == Stores::Streaming && stream::PERIOD.is_multiple_of(pattern.len()) => {
                // SAFETY: the range is the storage's.
                unsafe { stream::fill(self.start, self.size, pattern) }
            }
            // SAFETY: the range is the storage's.
            [byte] => unsafe { self.start.write_bytes(*byte, self.size) },
            _ => {
                let mut done = pattern.len().min(self.size);
                // SAFETY: `done` bytes of both exist; a pattern is Rust memory and cannot overlap a storage.
                unsafe { std::ptr::copy_nonoverlapping(pattern.as_ptr(), self.start, done) }
                // Doubling up to a block that stays in the cache, then block by block.
                let block = (64 << 10) / pattern.len() * pattern.len();
                while done < self.size {
                    let n = done.min(block.max(pattern.len())).min(self.size - done);
                    // SAFETY: `done + n <= size`, and `n <= done` keeps the two ranges apart.
                    unsafe { std::ptr::copy_nonoverlapping(self.start, self.start.add(done), n) }
                    done += n;
                }
            }
        }
    }
}

/// Copies bytes.
///
/// # Safety
/// `size` bytes can be read and written. Streaming: they do not overlap, or are the same.
unsafe fn copy(source: *const u8, target: *mut u8, size: usize, stores: Stores) {
    match stores {
        // SAFETY: the caller's promise; this copy allows overlap.
        Stores::Cached => unsafe { std::ptr::copy(source, target, size) },
        // SAFETY: the caller's promise.
        Stores::Streaming => unsafe { stream::copy(source, target, size) },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::caps::BASE_ALIGN_BYTES;

    fn read(bytes: Bytes<'_>) -> Vec<u8> {
        let mut out = vec![0u8; bytes.len()];
        // SAFETY: `out` has as many bytes as are read.
        let target = unsafe { HostPtr::new(out.as_mut_ptr()) };
        bytes.read_to(target.expect("not null"), bytes.len(), Stores::Cached);
        out
    }

    #[test]
    fn new_memory_is_aligned_and_zero() {
        for size in [1, 127, 4096, 300 << 10, (1 << 20) + 1] {
            let storage = Storage::zeroed(size).expect("memory");
            assert_eq!(storage.address() % BASE_ALIGN_BYTES, 0);
            assert!(read(storage.span()).iter().all(|&b| b == 0));
        }
        assert!(Storage::zeroed(usize::MAX).is_err());
        assert!(Storage::zeroed(isize::MAX as usize - 4096).is_err());
    }

    #[test]
    fn fills_repeat_the_pattern() {
        let storage = Storage::zeroed(200_000).expect("memory");
        for pattern in [vec![7u8], vec![1, 2], (0..16).collect(), (0..128).collect::<Vec<u8>>()] {
            let bytes = storage.span().sub(128, 128 * 1024);
            for stores in [Stores::Cached, Stores::Streaming] {
                bytes.fill(&[0], Stores::Cached);
                bytes.fill(&pattern, stores);
                assert!(read(bytes).iter().enumerate().all(|(i, &b)| b == pattern[i % pattern.len()]));
            }
        }
        assert!(read(storage.span().sub(0, 128)).iter().all(|&b| b == 0));
    }

    #[test]
    fn ranges_are_cut_to_the_storage() {
        let storage = Storage::zeroed(10).expect("memory");
        assert_eq!(storage.span().sub(4, 100).len(), 6);
        assert!(storage.span().sub(11, 1).is_empty());
        assert!(storage.span().sub(usize::MAX, usize::MAX).is_empty());
    }
}
