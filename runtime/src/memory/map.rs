//! Mapped regions of memory objects and their counts. Maps are zero-copy: an address is storage plus offset. What is
//! mapped stays, whatever is released, because the host may use the memory until it has unmapped it.

use super::buffer::Mem;
use crate::error::{Error, Result};
use crate::object::Obj;
use crate::status::Status;
use crate::sync::{Mutex, Rank};
use bitflags::bitflags;
use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;

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

    /// Whether the host may write.
    pub fn writes(self) -> bool {
        self.intersects(Self::WRITE | Self::WRITE_INVALIDATE_REGION)
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

/// A context's memory objects that are mapped. Each holds the context, so they are kept for as long only as somebody
/// could unmap them: until the context has been released and its queues are gone.
pub(crate) struct Mapped {
    state: Mutex<MappedState>,
}

struct MappedState {
    /// By address of the object, with the number of its maps.
    objects: BTreeMap<usize, (Obj<Mem>, u32)>,
    /// The program's reference to the context, and queues.
    users: usize,
}

impl Mapped {
    /// Nothing is mapped, and the context is the program's.
    pub(crate) fn new() -> Self {
        Self { state: Mutex::new(Rank::Memory, MappedState { objects: BTreeMap::new(), users: 1 }) }
    }

    /// Keeps the list as it is, for the time of a fork.
    ///
    /// # Safety
    /// It lives longer than what is returned.
    #[allow(unsafe_code, reason = "a guard for the time of a fork")]
    pub(crate) unsafe fn hold(&self) -> Box<dyn Any> {
        // SAFETY: the caller's promise.
        Box::new(unsafe { self.state.lock_for_fork() })
    }

    /// Notes one more map of this object.
    pub(crate) fn add(&self, object: &Obj<Mem>) {
        let mut state = self.state.lock();
        state.objects.entry(object.handle_address()).or_insert_with(|| (Arc::clone(object), 0)).1 += 1;
    }

    /// Takes one map of this object away, which the caller keeps alive.
    pub(crate) fn remove(&self, object: &Obj<Mem>) {
        let mut state = self.state.lock();
        let address = object.handle_address();
        let is_last = state.objects.get_mut(&address).is_some_and(|(_, maps)| {
            *maps -= 1;
            *maps == 0
        });
        if is_last {
            state.objects.remove(&address);
        }
    }

    /// There is one more that can unmap.
    pub(crate) fn enter(&self) {
        self.state.lock().users += 1;
    }

    /// There is one less that can unmap; after the last one nothing is kept.
    pub(crate) fn leave(&self) {
        let mut state = self.state.lock();
        state.users = state.users.saturating_sub(1);
        let gone = if state.users == 0 { std::mem::take(&mut state.objects) } else { BTreeMap::new() };
        drop(state);
        drop(gone);
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
