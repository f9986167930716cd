//! Mapped regions of a memory object and their counts. Maps are zero-copy: an address is storage plus offset.

use crate::error::{Error, Result};
use crate::status::Status;
use crate::sync::{Mutex, Rank};
use bitflags::bitflags;

bitflags! {
    /// `cl_map_flags`.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct MapFlags: u64 {
        /// The host reads.
        const READ = 1;
        /// The host writes.
        const WRITE = 1 << 1;
        /// The host writes all of it, old contents do not matter.
        const WRITE_INVALIDATE_REGION = 1 << 2;
    }
}

impl MapFlags {
    /// Checks the caller's bits.
    ///
    /// # Errors
    /// `InvalidValue` ← unknown bits or a contradiction.
    pub fn check(bits: u64) -> Result<Self> {
        const BAD: Error = Error::spec(Status::InvalidValue, "values specified in map_flags are not valid");
        let flags = Self::from_bits(bits).ok_or(BAD)?;
        // "CL_MAP_READ or CL_MAP_WRITE and CL_MAP_WRITE_INVALIDATE_REGION are mutually exclusive"
        ensure!(!flags.contains(Self::WRITE_INVALIDATE_REGION) || flags == Self::WRITE_INVALIDATE_REGION, BAD);
        Ok(flags)
    }
}

/// The regions of one object that are mapped now.
pub struct Maps {
    /// Address and how often it is mapped.
    regions: Mutex<Vec<(usize, u32)>>,
}

impl Maps {
    /// None.
    pub const fn new() -> Self {
        Self { regions: Mutex::new(Rank::Memory, Vec::new()) }
    }

    /// Number of maps.
    pub fn count(&self) -> u32 {
        self.regions.lock().iter().map(|r| r.1).sum()
    }

    /// Notes one more map at this address.
    pub fn add(&self, address: usize) {
        let mut regions = self.regions.lock();
        match regions.iter_mut().find(|r| r.0 == address) {
            Some(region) => region.1 += 1,
            None => regions.push((address, 1)),
        }
    }

    /// Whether there is a map at this address.
    pub fn contains(&self, address: usize) -> bool {
        self.regions.lock().iter().any(|r| r.0 == address)
    }

    /// Takes one map at this address away.
    ///
    /// # Errors
    /// `NotMapped` ← there is none.
    pub fn remove(&self, address: usize) -> Result<()> {
        let mut regions = self.regions.lock();
        let at = regions.iter().position(|r| r.0 == address).ok_or(Error::NotMapped { address })?;
        regions[at].1 -= 1;
        if regions[at].1 == 0 {
            regions.swap_remove(at);
        }
        Ok(())
    }
}

impl Default for Maps {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_per_address() {
        let maps = Maps::new();
        maps.add(16);
        maps.add(16);
        maps.add(32);
        assert_eq!(maps.count(), 3);
        assert_eq!(maps.remove(8), Err(Error::NotMapped { address: 8 }));
        for address in [16, 32, 16] {
            assert_eq!(maps.remove(address), Ok(()));
        }
        assert_eq!(maps.count(), 0);
        assert!(maps.remove(16).is_err());
    }
}
