//! Which bytes of a group's local memory nobody has written. Must not know of accesses or reports.

/// A bit for each byte of the local memory that begins at an address: set for what the group has not written.
pub(super) struct LocalWritten {
    start: u64,
    unwritten: Vec<u64>,
}

impl LocalWritten {
    /// Of so many bytes, all of them written until `begin_group`.
    pub fn new(start: u64, bytes: usize) -> Self {
        Self { start, unwritten: vec![0; bytes.div_ceil(64)] }
    }

    /// Another group has written nothing.
    pub fn begin_group(&mut self) {
        self.unwritten.fill(u64::MAX);
    }

    /// Of so many bytes, at most 64: a bit for each that nobody has written. What lies outside is written.
    pub fn unwritten(&self, address: u64, bytes: u64) -> u64 {
        let at = address.wrapping_sub(self.start);
        let word = |n: u64| self.unwritten.get(n as usize).copied().unwrap_or(0);
        let (n, shift) = (at / 64, at % 64);
        let high = if shift > 0 { word(n + 1) << (64 - shift) } else { 0 };
        (word(n) >> shift | high) & u64::MAX >> (64 - bytes.clamp(1, 64))
    }

    /// So many bytes are written now, as far as they lie inside.
    pub fn set_written(&mut self, address: u64, bytes: u64) {
        let mut at = address.wrapping_sub(self.start);
        let end = at.saturating_add(bytes).min(64 * self.unwritten.len() as u64);
        while at < end {
            let n = (64 - at % 64).min(end - at);
            self.unwritten[(at / 64) as usize] &= !(u64::MAX >> (64 - n) << (at % 64));
            at += n;
        }
    }
}
