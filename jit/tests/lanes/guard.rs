//! Memory that ends where access ends.

/// Bytes whose last one is the last of its page; the page behind allows no access.
pub struct Guarded {
    map: *mut u8,
    map_bytes: usize,
    len: usize,
}

const PAGE: usize = 4096;

impl Guarded {
    /// A copy of `bytes`.
    pub fn new(bytes: &[u8]) -> Self {
        let pages = bytes.len().div_ceil(PAGE) * PAGE;
        let map_bytes = pages + PAGE;
        // SAFETY: a fresh anonymous mapping.
        let map = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                map_bytes,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        assert_ne!(map, libc::MAP_FAILED);
        let map = map.cast::<u8>();
        // SAFETY: the last page of the mapping.
        assert_eq!(unsafe { libc::mprotect(map.add(pages).cast(), PAGE, libc::PROT_NONE) }, 0);
        let mut this = Self { map, map_bytes, len: bytes.len() };
        this.bytes().copy_from_slice(bytes);
        this
    }
    /// The bytes.
    pub fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: they lie in the mapping in front of its last page.
        unsafe { std::slice::from_raw_parts_mut(self.map.add(self.map_bytes - PAGE - self.len), self.len) }
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: made in `new` with this size.
        unsafe { libc::munmap(self.map.cast(), self.map_bytes) };
    }
}
