//! Blocks of memory from the system. Small ones come from the C heap; larger ones are zero pages that are mapped for
//! them, huge ones where they fill these. Who gets a block again once it is free is `recycle`'s business.
#![allow(unsafe_code, reason = "allocation")]

use crate::check::commands;
use crate::device::caps::BASE_ALIGN_BYTES;
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::NonNull;

/// Blocks from this size on are mapped.
const MAPPED_BYTES: usize = 256 << 10;
/// Size and alignment of a huge page on the machines that have them.
const HUGE_PAGE_BYTES: usize = 2 << 20;
/// Mappings are whole pages, of whatever size pages are.
const PAGE_BYTES: usize = 64 << 10;
/// In front of a mapped block, and behind it, lie so many bytes that are nobody's: kernels that load beyond a buffer's
/// ends and do not use what they get, as of the row behind an image's last, go on as they do where buffers come from a
/// heap. They cost addresses only, until they are touched.
const SLACK_BYTES: usize = 64 << 10;

/// A block of memory, 128-byte aligned, that is given back to the system when dropped.
pub(super) struct Block {
    start: NonNull<u8>,
    bytes: usize,
    /// It has pages of its own.
    is_mapped: bool,
    /// Bytes of the mapping on either side.
    slack: usize,
}

// SAFETY: an address and a size; the type gives no access.
unsafe impl Send for Block {}
// SAFETY: as above.
unsafe impl Sync for Block {}

/// The bytes of a block for so many: kernels' vector code may touch the rest of the last line. `None` if there are no
/// such blocks.
pub(super) fn size_for(size: usize) -> Option<usize> {
    // Half of the address space is nobody's, so that sums of sizes do not wrap.
    let size = size.max(1).checked_next_multiple_of(BASE_ALIGN_BYTES).filter(|&s| s <= isize::MAX as usize / 2)?;
    if size < MAPPED_BYTES {
        return Some(size);
    }
    // A fault of a small page costs as much as it takes to clear 10 to 20 of them, so whole huge pages are cheaper even
    // where a fifth of them is wasted.
    let huge = size.next_multiple_of(HUGE_PAGE_BYTES);
    Some(if huge - size <= size / 4 { huge } else { size.next_multiple_of(PAGE_BYTES) })
}

impl Block {
    /// A new block of zeros (lazily by the system when large) for `size` bytes; `None` if there is not so much memory.
    pub(super) fn zeroed(size: usize) -> Option<Self> {
        let bytes = size_for(size)?;
        let heap = || {
            // SAFETY: the size is not zero.
            let start = NonNull::new(unsafe { alloc_zeroed(Self::layout(bytes)?) })?;
            Some(Self { start, bytes, is_mapped: false, slack: 0 })
        };
        // Checks are told of what is touched beyond a block.
        let slack = if commands::guards() { 0 } else { SLACK_BYTES };
        let mapped = |align| Some(Self { start: map(bytes, align, slack)?, bytes, is_mapped: true, slack });
        match bytes {
            // There are not as many mappings to be had as objects.
            ..MAPPED_BYTES if commands::guards() => mapped(1).or_else(heap),
            ..MAPPED_BYTES => heap(),
            MAPPED_BYTES..HUGE_PAGE_BYTES => mapped(1),
            HUGE_PAGE_BYTES.. => mapped(HUGE_PAGE_BYTES),
        }
    }

    /// The first byte.
    pub(super) fn start(&self) -> NonNull<u8> {
        self.start
    }

    /// How many there are.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether it has pages of its own.
    pub(super) fn is_mapped(&self) -> bool {
        self.is_mapped
    }

    /// The system may take the pages, and with them what is in them, until they are written again.
    pub(super) fn offer(&mut self) {
        #[cfg(target_os = "linux")]
        if self.is_mapped {
            // SAFETY: the range is a mapping of ours whose contents nobody relies on. A refusal does no harm.
            unsafe { libc::madvise(self.start.as_ptr().cast(), self.bytes, libc::MADV_FREE) };
        }
    }

    /// The pages go back to the system at once, and are zeros when they are touched again. False if it has none of its
    /// own.
    pub(super) fn empty(&mut self) -> bool {
        // SAFETY: the range is a mapping of ours whose contents nobody relies on.
        self.is_mapped && unsafe { libc::madvise(self.start.as_ptr().cast(), self.bytes, libc::MADV_DONTNEED) } == 0
    }

    fn layout(bytes: usize) -> Option<Layout> {
        Layout::from_size_align(bytes, BASE_ALIGN_BYTES).ok()
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        if self.is_mapped {
            // SAFETY: `map` made exactly this range.
            unsafe { libc::munmap(self.start.as_ptr().sub(self.slack).cast(), self.bytes + 2 * self.slack) };
        } else if let Some(layout) = Self::layout(self.bytes) {
            // SAFETY: `zeroed` made it with this layout.
            unsafe { dealloc(self.start.as_ptr(), layout) }
        }
    }
}

/// A mapping of some bytes behind an address of some alignment, a page or more, and of some more bytes on either side.
/// If it starts with a huge page, such are asked for: without them the translation of addresses halves the speed of
/// kernels that stream, and the first touch of a buffer costs ten times as much.
fn map(bytes: usize, align: usize, slack: usize) -> Option<NonNull<u8>> {
    let all = bytes + 2 * slack;
    if align <= PAGE_BYTES {
        // SAFETY: the mapping is longer.
        return Some(unsafe { map_pages(all)?.add(slack) });
    }
    let first = map_pages(all + align)?;
    // SAFETY: the sum is inside the mapping, and so is what is `align` behind it.
    let head = unsafe { first.add(slack) }.as_ptr().align_offset(align);
    // SAFETY: `head` is less than `align`, by which the mapping is longer.
    let from = unsafe { first.add(head) };
    let (end, tail) = (head + all, align - head);
    // Ends that nobody uses go. If there are as many mappings as there may be, the rest goes as well.
    // SAFETY: the ranges are the mapping's just made, which nobody uses.
    let unmap =
        |at: usize, bytes: usize| bytes == 0 || unsafe { libc::munmap(first.add(at).as_ptr().cast(), bytes) } == 0;
    if !unmap(0, head) {
        unmap(0, all + align);
        return None;
    }
    if !unmap(end, tail) {
        unmap(head, all + tail);
        return None;
    }
    // All of it, so that it stays one mapping: there are not as many to be had as buffers.
    // SAFETY: it names what stays of the mapping. A refusal costs speed only.
    #[cfg(target_os = "linux")]
    unsafe {
        libc::madvise(from.as_ptr().cast(), all, libc::MADV_HUGEPAGE);
    }
    // SAFETY: the mapping is longer.
    Some(unsafe { from.add(slack) })
}

fn map_pages(bytes: usize) -> Option<NonNull<u8>> {
    // SAFETY: an anonymous private mapping at an address of the kernel's choice touches nothing that exists.
    let at = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            bytes,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
            -1,
            0,
        )
    };
    if at == libc::MAP_FAILED { None } else { NonNull::new(at.cast()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_rounded_up_and_waste_a_quarter_at_most() {
        assert_eq!(size_for(1), Some(128));
        assert_eq!(size_for(129), Some(256));
        assert_eq!(size_for(MAPPED_BYTES), Some(MAPPED_BYTES));
        assert_eq!(size_for(1920 * 1080), Some(2 << 20));
        assert_eq!(size_for(1920 * 1080 * 4), Some(8 << 20));
        assert_eq!(size_for((2 << 20) + 1), Some((2 << 20) + PAGE_BYTES));
        for size in (MAPPED_BYTES..32 << 20).step_by(77_777) {
            let bytes = size_for(size).expect("there are such blocks");
            assert!(bytes >= size && bytes - size <= size / 4 + PAGE_BYTES && bytes.is_multiple_of(PAGE_BYTES));
        }
        assert_eq!(size_for(usize::MAX), None);
        assert_eq!(size_for(isize::MAX as usize), None);
    }

    #[test]
    fn blocks_are_aligned() {
        for (size, align) in [(1, 128), (MAPPED_BYTES, 4096), (3 << 20, HUGE_PAGE_BYTES)] {
            let block = Block::zeroed(size).expect("memory");
            assert!(block.start().as_ptr().addr().is_multiple_of(align));
        }
        assert!(Block::zeroed(isize::MAX as usize / 2 - 4096).is_none());
    }

    /// What lies beyond a large block's ends can be read.
    #[test]
    fn ends_have_slack() {
        for size in [MAPPED_BYTES, 1 << 20, HUGE_PAGE_BYTES, (5 << 20) + 1] {
            let block = Block::zeroed(size).expect("memory");
            for at in [-(SLACK_BYTES as isize), -1, block.bytes() as isize, (block.bytes() + SLACK_BYTES - 1) as isize]
            {
                // SAFETY: `map` mapped these bytes, too.
                assert_eq!(unsafe { block.start().offset(at).read_volatile() }, 0, "{size} {at}");
            }
        }
    }
}
