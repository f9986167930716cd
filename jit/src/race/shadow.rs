//! Where the shadow of memory lies: for each 4 GiB of addresses that are used at all, eight bytes for four (the cells
//! of races) and one bit for each byte (set where nothing has been written since the memory was made). Both are mapped
//! on first use and never touched before they are needed, so that the system gives them pages one by one (as shadow
//! memory of ThreadSanitizer and MemorySanitizer is), which are zeros at first: no race is known, and everything was
//! written. Finding a cell is one load from a table and a sum.
//!
//! And the **segments** (see `cell`) of all launches, by number: whose they were. Numbers grow while the process lives,
//! so that a launch tells what is left of those before by a comparison, and no cell is cleared between launches
//! (`order`). Must not know what accesses mean.
#![allow(unsafe_code, reason = "memory that is reserved here and found by address")]

use super::cell::SEGMENT_BITS;
use std::ops::Range;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, fence};
use std::sync::{Mutex, OnceLock, PoisonError};

/// Bits of an address within a region.
const REGION_BITS: u32 = 32;
/// Regions of the 48 bits of addresses that processes have.
const REGIONS: usize = 1 << (48 - REGION_BITS);
/// Segments are made no more of than this.
pub const LAST_SEGMENT: u32 = (1 << SEGMENT_BITS) - 1;

/// A table of lazily mapped regions, each with so many bytes of shadow. All zeros at first, so that the library's file
/// has none of it.
struct Regions<const BYTES: usize> {
    starts: [AtomicPtr<u8>; REGIONS],
}

impl<const BYTES: usize> Regions<BYTES> {
    const fn new() -> Self {
        Self { starts: [const { AtomicPtr::new(std::ptr::null_mut()) }; REGIONS] }
    }

    /// The shadow of the region that an address lies in, if there is any.
    #[inline]
    fn of(&self, address: u64) -> Option<*mut u8> {
        let start = self.starts.get((address >> REGION_BITS) as usize)?.load(Relaxed);
        (!start.is_null()).then_some(start)
    }

    /// The same; mapped if it was not. Nothing if the system does not give it.
    #[inline]
    fn of_any(&self, address: u64) -> Option<*mut u8> {
        self.of(address).or_else(|| self.map(address))
    }

    #[cold]
    fn map(&self, address: u64) -> Option<*mut u8> {
        static LOCK: Mutex<()> = Mutex::new(());
        let _guard = LOCK.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(start) = self.of(address) {
            return Some(start);
        }
        let start = reserve(BYTES)?;
        self.starts.get((address >> REGION_BITS) as usize)?.store(start, Relaxed);
        Some(start)
    }

    /// Gives all pages back: zeros again.
    fn clear(&self) {
        for start in &self.starts {
            let start = start.load(Relaxed);
            if !start.is_null() {
                give_back(start, BYTES);
            }
        }
    }
}

/// Cells, by address.
static CELLS: Regions<{ 1 << (REGION_BITS + 1) }> = Regions::new();
/// Bits of bytes that nobody has written, by address.
static UNWRITTEN: Regions<{ 1 << (REGION_BITS - 3) }> = Regions::new();
/// See `copies_of_unwritten`.
static COPIES: AtomicU64 = AtomicU64::new(0);
/// A word of 32 bits for each segment: the group's low bits, then the launch's number, and `RELEASED`.
static SEGMENTS: AtomicPtr<u8> = AtomicPtr::new(std::ptr::null_mut());
/// The last segment that was made.
static SEGMENT: AtomicU32 = AtomicU32::new(0);
/// Of a segment's word: its group has released something since the segment began.
const RELEASED: u32 = 1 << 31;
/// Where in a segment's word the launch is, and so many bits the group has.
const LAUNCH_SHIFT: u32 = 25;
const GROUP: u32 = (1 << LAUNCH_SHIFT) - 1;
/// Launches have numbers from 1 to this.
pub const LAST_LAUNCH: u32 = RELEASED / (GROUP + 1) - 1;

/// Address space without memory behind it. All of it lies in one place, if the system lets it: systems put each mapping
/// beside the last one, so that the next buffer would lie beyond a shadow, in a region that has none, and each small
/// buffer would cost a shadow of its own. (QEMU takes memory for addresses, too.)
fn reserve(bytes: usize) -> Option<*mut u8> {
    static NEXT: AtomicU64 = AtomicU64::new(1 << 45);
    let wanted = NEXT.fetch_add(bytes as u64, Relaxed);
    // SAFETY: a new mapping, of no file; it lies elsewhere if something is there, or if there are no such addresses.
    let start = unsafe {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        libc::mmap(wanted as *mut libc::c_void, bytes, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0)
    };
    (start != libc::MAP_FAILED).then_some(start.cast())
}

/// Bytes of a page, which is not the same on all systems.
fn page_bytes() -> u64 {
    static BYTES: OnceLock<u64> = OnceLock::new();
    // SAFETY: a question without preconditions.
    *BYTES.get_or_init(|| u64::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096).max(4096))
}

/// Makes zeros of a part of a mapping, which are whole pages, and gives these back.
fn give_back(start: *mut u8, bytes: usize) {
    // SAFETY: part of a mapping of this module; nothing but numbers lies there.
    unsafe {
        libc::madvise(start.cast(), bytes, libc::MADV_DONTNEED);
    }
}

/// The cells of memory from an address on, as far as its region goes; nothing for addresses that no process has, or if
/// the system gives no memory.
#[inline]
pub fn cells(address: u64) -> Option<*mut u64> {
    let start = CELLS.of_any(address)?;
    let at = (address & ((1 << REGION_BITS) - 1)) >> 2;
    // SAFETY: a region has a cell for each four bytes.
    Some(unsafe { start.cast::<u64>().add(at as usize) })
}

/// True if an address is in a region that has cells.
#[cfg(test)]
pub(super) fn has_cells(address: u64) -> bool {
    CELLS.of(address).is_some()
}

/// Of so many bytes, at most 64: a bit for each that nobody has written.
#[inline]
pub fn unwritten(address: u64, bytes: u32) -> u64 {
    let at = address & ((1 << REGION_BITS) - 1);
    let left = (1 << REGION_BITS) - at;
    if left < u64::from(bytes) {
        return unwritten(address, left as u32) | unwritten(address + left, bytes - left as u32) << left;
    }
    let Some(start) = UNWRITTEN.of(address) else { return 0 };
    let mask = u64::MAX >> (64 - bytes.clamp(1, 64));
    // SAFETY: a region has a bit for each byte, and all that is asked for lies in one.
    unsafe {
        let word = |n: u64| (*start.cast::<AtomicU64>().add(n as usize)).load(Relaxed);
        let (n, shift) = (at >> 6, at & 63);
        let high = if shift + u64::from(bytes) > 64 { word(n + 1) << (64 - shift) } else { 0 };
        (word(n) >> shift | high) & mask
    }
}

/// True if every byte of a range has been written.
pub fn is_all_written(address: u64, bytes: u64) -> bool {
    const BLOCK: u64 = 64;
    let mut at = address;
    let end = address.saturating_add(bytes);
    while at < end {
        if UNWRITTEN.of(at).is_none() {
            at = ((at >> REGION_BITS) + 1) << REGION_BITS;
            continue;
        }
        if unwritten(at, (end - at).min(BLOCK) as u32) != 0 {
            return false;
        }
        at += BLOCK - at % BLOCK;
    }
    true
}

/// Calls `f` on the words of a range's bits, each with the bits that belong to it, region by region.
fn for_each_word(address: u64, bytes: u64, make: bool, mut f: impl FnMut(&AtomicU64, u64)) {
    let mut at = address;
    let end = address.saturating_add(bytes);
    while at < end {
        let next = ((at >> REGION_BITS) + 1) << REGION_BITS;
        let stop = end.min(next);
        let start = if make { UNWRITTEN.of_any(at) } else { UNWRITTEN.of(at) };
        if let Some(start) = start {
            let mask = (1u64 << REGION_BITS) - 1;
            let (mut bit, last) = (at & mask, (stop - 1) & mask);
            while bit <= last {
                let n = (64 - (bit & 63)).min(last - bit + 1);
                let bits = (u64::MAX >> (64 - n)) << (bit & 63);
                // SAFETY: a region has a bit for each byte.
                f(unsafe { &*start.cast::<AtomicU64>().add((bit >> 6) as usize) }, bits);
                bit += n;
            }
        }
        at = stop;
    }
}

/// Memory is there, and nobody has written it.
pub fn set_unwritten(address: u64, bytes: u64) {
    for_each_word(address, bytes, true, |word, bits| _ = word.fetch_or(bits, Relaxed));
}

/// Memory was written.
pub fn set_written(address: u64, bytes: u64) {
    for_each_word(address, bytes, false, |word, bits| {
        if word.load(Relaxed) & bits != 0 {
            word.fetch_and(!bits, Relaxed);
        }
    });
}

/// Copies of memory that nobody has written, so far: by those, memory that has been written may become such.
pub fn copies_of_unwritten() -> u64 {
    COPIES.load(Relaxed)
}

/// Memory was copied: what was not written before is not, either, where it goes.
pub fn copy_unwritten(to: u64, from: u64, bytes: u64) {
    let mut at = 0;
    while at < bytes {
        let n = (bytes - at).min(64);
        let unwritten = unwritten(from + at, n as u32);
        if unwritten == 0 {
            set_written(to + at, n);
        } else {
            COPIES.fetch_add(1, Relaxed);
            (0..n).for_each(|k| match unwritten >> k & 1 {
                0 => set_written(to + at + k, 1),
                _ => set_unwritten(to + at + k, 1),
            });
        }
        at += n;
    }
}

/// Memory is not there any more: nothing is known of who comes to have these addresses, and the shadow goes, page by
/// page.
pub fn forget(address: u64, bytes: u64) {
    set_written(address, bytes);
    let all = address & !3..address.saturating_add(bytes).next_multiple_of(4);
    // Less than a page of the shadow cannot be given back.
    let granule = page_bytes() / 2;
    let pages = all.start.next_multiple_of(granule)..all.end / granule * granule;
    if pages.is_empty() {
        return clear_cells(all);
    }
    clear_cells(all.start..pages.start);
    clear_cells(pages.end..all.end);
    let mut at = pages.start;
    while at < pages.end {
        let stop = pages.end.min(((at >> REGION_BITS) + 1) << REGION_BITS);
        // Where no cells are, none come to be.
        if CELLS.of(at).is_some()
            && let Some(cells) = cells(at)
        {
            give_back(cells.cast(), 2 * (stop - at) as usize);
        }
        at = stop;
    }
}

/// Nothing is known of a few bytes any more; cells that know nothing are not written, so that they need no memory.
fn clear_cells(addresses: Range<u64>) {
    for at in addresses.step_by(4) {
        if CELLS.of(at).is_some()
            && let Some(cell) = cells(at)
        {
            // SAFETY: the cell is there.
            let cell = unsafe { &*cell.cast::<AtomicU64>() };
            if cell.load(Relaxed) != 0 {
                cell.store(0, Relaxed);
            }
        }
    }
}

/// Whose a segment is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// The launch's number.
    pub launch: u32,
    /// The low bits of the group's number.
    group: u32,
    /// Its group has released something since the segment began.
    pub released: bool,
}

impl Segment {
    /// True if it may be a group's with this number.
    pub fn is_of(self, group: u64) -> bool {
        self.group == group as u32 & GROUP
    }

    /// The low bits of the group's number.
    pub fn group(self) -> u64 {
        self.group.into()
    }

    /// The group's number: of those with these low bits the one nearest to another group's.
    pub fn group_near(self, other: u64) -> u64 {
        let apart = self.group.wrapping_sub(other as u32) << (32 - LAUNCH_SHIFT);
        other.wrapping_add_signed(i64::from(apart as i32 >> (32 - LAUNCH_SHIFT)))
    }
}

fn segment_word(n: u32) -> Option<&'static AtomicU32> {
    let mut start = SEGMENTS.load(Relaxed);
    if start.is_null() {
        static LOCK: Mutex<()> = Mutex::new(());
        let _guard = LOCK.lock().unwrap_or_else(PoisonError::into_inner);
        start = SEGMENTS.load(Relaxed);
        if start.is_null() {
            start = reserve(4 << SEGMENT_BITS)?;
            SEGMENTS.store(start, Relaxed);
        }
    }
    // SAFETY: there is a word for each number below 2^24.
    Some(unsafe { &*start.cast::<AtomicU32>().add((n & LAST_SEGMENT) as usize) })
}

/// The last segment that was made; 0 if none was.
pub fn last_segment() -> u32 {
    SEGMENT.load(Relaxed).min(LAST_SEGMENT)
}

/// Nothing is known any more of races, and segments have numbers from 1 again. Only while no launch is under way.
pub fn clear() {
    CELLS.clear();
    SEGMENT.store(0, Relaxed);
}

/// Nobody will ask any more whose these segments were: as far as they are whole pages, their memory goes. The first one
/// that is left.
pub fn give_back_words(segments: Range<u32>) -> u32 {
    let start = SEGMENTS.load(Relaxed);
    let per_page = (page_bytes() / 4) as u32;
    let (first, behind) = (segments.start / per_page * per_page, segments.end / per_page * per_page);
    if start.is_null() || behind <= first {
        return segments.start;
    }
    // SAFETY: a part of the table.
    let first_word = unsafe { start.cast::<u32>().add(first as usize) };
    give_back(first_word.cast(), 4 * (behind - first) as usize);
    behind
}

/// A new segment of a group; nothing if there are no more.
pub fn new_segment(launch: u32, group: u64) -> Option<u32> {
    if SEGMENT.load(Relaxed) >= LAST_SEGMENT {
        return None;
    }
    let n = SEGMENT.fetch_add(1, Relaxed) + 1;
    if n > LAST_SEGMENT {
        return None;
    }
    segment_word(n)?.store(launch << LAUNCH_SHIFT | group as u32 & GROUP, Relaxed);
    // Whoever finds the segment in a cell finds this word.
    fence(Release);
    Some(n)
}

/// Whose a segment is that was found in a cell.
pub fn segment(n: u32) -> Segment {
    let Some(word) = segment_word(n) else { return Segment { launch: 0, group: 0, released: false } };
    fence(Acquire);
    let word = word.load(Relaxed);
    Segment { launch: (word & !RELEASED) >> LAUNCH_SHIFT, group: word & GROUP, released: word & RELEASED != 0 }
}

/// The group of a segment releases what it did in that.
pub fn release(n: u32) {
    if let Some(word) = segment_word(n)
        && word.load(Relaxed) & RELEASED == 0
    {
        word.fetch_or(RELEASED, Relaxed);
    }
}
