//! Unified shared memory: allocations of a context that are known by their address, for the host, a device, or both.
//! One memory serves them all here, so the kinds differ in what queries say of them. Spec:
//! cl_intel_unified_shared_memory.

use super::host::Storage;
use super::svm::BEHIND;
use crate::check::objects::{self, What};
use crate::check::{api, commands, quarantine};
use crate::context::Context;
use crate::device::Device;
use crate::device::caps::BASE_ALIGN_BYTES;
use crate::error::{Error, Result};
use crate::object::{Obj, Object};
use crate::status::Status;
use crate::sync::{Mutex, Rank};
use bitflags::bitflags;
use std::any::Any;
use std::collections::BTreeMap;
use std::ops::Range;

/// What every device can do with every kind of allocation, memory of the system's allocator included: access, atomic
/// access, and both while the host or another device uses it (`CL_UNIFIED_SHARED_MEMORY_…_INTEL`).
pub const CAPABILITIES: u64 = 0b1111;

/// Who owns an allocation.
#[derive(Clone)]
pub enum Owner {
    /// The host.
    Host,
    /// One device.
    Device(Obj<Device>),
    /// Host and device; without a device, all of the context.
    Shared(Option<Obj<Device>>),
}

bitflags! {
    /// `cl_mem_alloc_flags_intel`
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    struct UsmFlags: u64 {
        const WRITE_COMBINED = 1;
        const FIRST_ON_DEVICE = 1 << 1;
        const FIRST_ON_HOST = 1 << 2;
    }
}

impl UsmFlags {
    fn are_valid(bits: u64, owner: &Owner) -> bool {
        let placement = Self::FIRST_ON_DEVICE | Self::FIRST_ON_HOST;
        match (Self::from_bits(bits), owner) {
            (None, _) => false,
            (Some(flags), Owner::Shared(_)) => !flags.contains(placement),
            (Some(flags), Owner::Host | Owner::Device(_)) => !flags.intersects(placement),
        }
    }
}

struct Allocation {
    storage: Storage,
    owner: Owner,
    flags: u64,
}

impl Allocation {
    /// Bytes that were asked for.
    fn size(&self) -> usize {
        self.storage.span().len() - BEHIND
    }
}

/// The allocations of a context, by address. Those that are left when the context goes away go with it.
pub(crate) struct Usm(Mutex<BTreeMap<usize, Allocation>>);

impl Drop for Usm {
    fn drop(&mut self) {
        self.0.get_mut().keys().for_each(|&address| objects::gone(address));
    }
}

impl Usm {
    pub(crate) const fn new() -> Self {
        Self(Mutex::new(Rank::Memory, BTreeMap::new()))
    }

    /// Keeps the list as it is, for the time of a fork.
    ///
    /// # Safety
    /// It lives longer than what is returned.
    #[allow(unsafe_code, reason = "a guard for the time of a fork")]
    pub(crate) unsafe fn hold(&self) -> Box<dyn Any> {
        // SAFETY: the caller's promise.
        Box::new(unsafe { self.0.lock_for_fork() })
    }
}

/// What is known of an address inside an allocation.
pub struct UsmInfo {
    /// Whose it is.
    pub owner: Owner,
    /// Where the allocation begins.
    pub start: usize,
    /// Its bytes.
    pub size: usize,
    /// `cl_mem_alloc_flags_intel` as given.
    pub flags: u64,
}

impl Context {
    /// `clHostMemAllocINTEL`, `clDeviceMemAllocINTEL`, `clSharedMemAllocINTEL`; `flags` are the caller's bits. Returns
    /// the address of new memory, in which anything may be.
    ///
    /// # Errors
    /// `InvalidDevice` ← of another context; `InvalidProperty` ← flags; `InvalidValue` ← alignment; `BufferSize`;
    /// `OutOfHostMemory`.
    pub fn usm_alloc(&self, owner: Owner, flags: u64, size: usize, alignment: u32) -> Result<usize> {
        let device = match &owner {
            Owner::Device(device) | Owner::Shared(Some(device)) => Some(device),
            Owner::Host | Owner::Shared(None) => None,
        };
        device.map_or(Ok(()), |device| self.check_device(device))?;
        // "CL_INVALID_PROPERTY if either the CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL or
        // CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL flags are specified", for shared memory "if both"
        let rule = "the value specified for a supported property name is not valid";
        ensure!(UsmFlags::are_valid(flags, &owner), Error::spec(Status::InvalidProperty, rule));
        let rule = "alignment is not zero or a power of two, or is greater than the size of the largest data type";
        ensure!(
            alignment == 0 || (alignment.is_power_of_two() && alignment as usize <= BASE_ALIGN_BYTES),
            Error::spec(Status::InvalidValue, rule)
        );
        let devices = self.devices().iter().filter(|&d| device.is_none_or(|own| std::sync::Arc::ptr_eq(own, d)));
        let max = devices.map(|d| d.caps().max_mem_alloc_size).min().unwrap_or(0);
        ensure!(size > 0 && size as u64 <= max, Error::BufferSize { size, max });
        let storage = Storage::recycled(self.recycler(), size + BEHIND)
            .map_err(|_| Error::spec(Status::OutOfHostMemory, "there is not so much memory"))?;
        let address = storage.address();
        self.usm().0.lock().insert(address, Allocation { storage, owner, flags });
        objects::made(What::Usm, address, address, size, false);
        if commands::guards() {
            commands::memory_shown(address, true);
        }
        Ok(address)
    }

    /// `clMemFreeINTEL`; null is left alone.
    ///
    /// # Errors
    /// `InvalidValue` ← not the start of an allocation.
    pub fn usm_free(&self, address: usize) -> Result<()> {
        let allocation = self.usm().0.lock().remove(&address);
        if allocation.is_none() {
            api::no_allocation(address, true);
        }
        ensure!(address == 0 || allocation.is_some(), NO_ALLOCATION);
        let is_used = |allocation: &Allocation| commands::freeing(address..address + allocation.size());
        let keep = commands::is_on() && allocation.as_ref().is_some_and(is_used);
        allocation.into_iter().for_each(|allocation| quarantine::freed(allocation.storage, keep));
        Ok(())
    }

    /// All allocations.
    pub(crate) fn usm_allocations(&self) -> Vec<Range<usize>> {
        let table = self.usm().0.lock();
        table.iter().map(|(&start, allocation)| start..start + allocation.size()).collect()
    }

    /// Copies what is in the allocation that starts there; none if there is none.
    pub(crate) fn usm_contents(&self, start: usize) -> Option<Vec<u8>> {
        let table = self.usm().0.lock();
        let allocation = table.get(&start)?;
        Some(allocation.storage.span().sub(0, allocation.size()).to_vec())
    }

    /// The allocation that an address lies in or is the end of.
    pub(crate) fn usm_allocation(&self, address: usize) -> Option<Range<usize>> {
        let table = self.usm().0.lock();
        let (&start, allocation) = table.range(..=address).next_back()?;
        Some(start..start + allocation.size()).filter(|range| address <= range.end)
    }

    /// Whether an address lies in memory of one device, which the host cannot use.
    pub(crate) fn usm_is_of_device(&self, address: usize) -> bool {
        let table = self.usm().0.lock();
        let found = table.range(..=address).next_back();
        found.is_some_and(|(_, allocation)| matches!(allocation.owner, Owner::Device(_)))
    }

    /// `clGetMemAllocInfoINTEL`: the allocation that an address lies in.
    pub fn usm_info(&self, address: usize) -> Option<UsmInfo> {
        let table = self.usm().0.lock();
        let (&start, allocation) = table.range(..=address).next_back()?;
        let (size, owner, flags) = (allocation.size(), &allocation.owner, allocation.flags);
        (address - start < size).then(|| UsmInfo { owner: owner.clone(), start, size, flags })
    }
}

const NO_ALLOCATION: Error = Error::spec(
    Status::InvalidValue,
    "ptr is not a value returned by clHostMemAllocINTEL, clDeviceMemAllocINTEL, clSharedMemAllocINTEL, or a NULL \
     pointer",
);

impl Object<Context> {
    /// `clMemBlockingFreeINTEL`: a kernel may use memory that it finds by a pointer, so all commands of the context
    /// count.
    ///
    /// # Errors
    /// As `usm_free`.
    pub fn usm_free_after_use(&self, address: usize) -> Result<()> {
        let is_known = address == 0 || self.usm().0.lock().contains_key(&address);
        ensure!(is_known, NO_ALLOCATION);
        if address != 0 {
            self.scheduler().wait_for_all();
            if commands::is_on() {
                commands::known_all();
            }
        }
        self.usm_free(address)
    }
}
