//! Memory that kernels know by its address: where it was in the recorded program, so that addresses in it stay right,
//! and other memory of ours that starts at a given distance from a page.

#![allow(unsafe_code, reason = "maps memory and copies to and from it")]

use crate::cli::Result;
use std::ops::Range;
use std::ptr::NonNull;

/// Bytes of a page, which is not the same on all systems.
fn page_bytes() -> usize {
    // SAFETY: a question without preconditions.
    usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096).max(4096)
}

/// Pages of our own.
pub struct Pages {
    start: NonNull<u8>,
    len: usize,
}

impl Pages {
    /// New pages; at `address` if that is not 0, where nothing must be.
    fn new(address: usize, len: usize) -> Option<Self> {
        let place = if address == 0 { 0 } else { libc::MAP_FIXED_NOREPLACE };
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | place;
        let access = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: replaces no other mapping.
        let found = unsafe { libc::mmap(std::ptr::without_provenance_mut(address), len, access, flags, -1, 0) };
        if found == libc::MAP_FAILED {
            return None;
        }
        let pages = Self { start: NonNull::new(found.cast())?, len };
        // Systems that do not know the flag may choose another place.
        (address == 0 || pages.start.addr().get() == address).then_some(pages)
    }

    /// Memory that starts so many bytes behind a page's start.
    pub fn behind(offset: usize, len: usize) -> Result<Self> {
        let room = len.checked_add(offset + page_bytes()).ok_or("no memory")?;
        Self::new(0, room).ok_or_else(|| format!("no memory of {len} bytes"))
    }

    /// Pages for all ranges, at their addresses; none if something is there.
    pub fn at(ranges: &[Range<usize>]) -> Option<Vec<Self>> {
        let page = page_bytes();
        let rounded = |range: &Range<usize>| range.start / page * page..range.end.next_multiple_of(page);
        let mut pages: Vec<Range<usize>> = ranges.iter().map(rounded).collect();
        pages.sort_by_key(|range| range.start);
        let mut joined: Vec<Range<usize>> = Vec::new();
        for range in pages {
            match joined.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => joined.push(range),
            }
        }
        joined.into_iter().map(|range| Self::new(range.start, range.len())).collect()
    }

    /// Where they start.
    pub fn start(&self) -> *mut u8 {
        self.start.as_ptr()
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: the mapping is this value's.
        unsafe { libc::munmap(self.start.as_ptr().cast(), self.len) };
    }
}

/// Whether any aligned word of these bytes may be an address in one of the ranges.
pub fn may_hold_addresses(bytes: &[u8], ranges: &[Range<usize>]) -> bool {
    let mut words = bytes.as_chunks::<8>().0.iter().map(|word| usize::from_ne_bytes(*word));
    words.any(|word| ranges.iter().any(|range| range.contains(&word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_lie_where_they_are_wanted_unless_something_does() {
        let page = page_bytes();
        let free = Pages::new(0, 8 * page).expect("memory");
        let start = free.start().addr();
        assert!(Pages::at(std::slice::from_ref(&(start..start + 1))).is_none(), "taken");
        drop(free);
        let ranges =
            [start + page + 8..start + page + 80, start + 100..start + 2 * page, start + 5 * page..start + 6 * page];
        let pages = Pages::at(&ranges).expect("free again");
        let found: Vec<_> = pages.iter().map(|pages| (pages.start().addr() - start, pages.len)).collect();
        assert_eq!(found, [(0, 2 * page), (5 * page, page)]);
        assert!(may_hold_addresses(&(start + 101).to_ne_bytes(), &ranges));
        assert!(!may_hold_addresses(&[(start + 4 * page).to_ne_bytes(), [0; 8]].concat(), &ranges));
    }
}
