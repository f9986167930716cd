//! Shared virtual memory: the allocations of a context. Kernels use the host's addresses as they are, so an allocation
//! is ordinary memory, and every kind of sharing works on all of it; the table is there to free it and to tell what
//! belongs to it. Spec: OpenCL API, "Shared Virtual Memory".

use super::buffer::MemFlags;
use super::host::Storage;
use super::svm_type::{self, SvmCapabilities, SvmInfo, SvmProperties, TYPES};
use crate::check::objects::{self, What};
use crate::check::{api, commands, quarantine};
use crate::context::Context;
use crate::device::caps::BASE_ALIGN_BYTES;
use crate::error::{Error, Result};
use crate::status::Status;
use crate::sync::{Mutex, Rank};
use bitflags::bitflags;
use std::any::Any;
use std::collections::BTreeMap;
use std::ops::Range;

bitflags! {
    /// `cl_svm_mem_flags`.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    struct SvmFlags: u64 {
        const KERNEL = MemFlags::KERNEL.bits();
        const FINE_GRAIN_BUFFER = 1 << 10;
        const ATOMICS = 1 << 11;
    }
}

impl SvmFlags {
    fn are_valid(bits: u64) -> bool {
        let Some(flags) = Self::from_bits(bits) else {
            return false;
        };
        let one_access = (flags & Self::KERNEL).bits().count_ones() <= 1;
        one_access && (!flags.contains(Self::ATOMICS) || flags.contains(Self::FINE_GRAIN_BUFFER))
    }
}

/// Bytes behind the end of each allocation that are its own: a pointer one past the end leads to nobody else's memory.
pub(super) const BEHIND: usize = 1;

/// The allocations of a context, by address. Those that are left when the context goes away go with it.
pub(crate) struct Allocations(Mutex<BTreeMap<usize, Allocation>>);

struct Allocation {
    storage: Storage,
    /// A place in `TYPES`.
    type_index: u32,
    properties: SvmProperties,
}

impl Allocation {
    /// Bytes that were asked for.
    fn size(&self) -> usize {
        self.storage.span().len() - BEHIND
    }

    fn capabilities(&self) -> SvmCapabilities {
        TYPES[self.type_index as usize]
    }

    /// Made for host and kernels at the same time.
    fn is_fine(&self) -> bool {
        self.capabilities().contains(SvmCapabilities::CONCURRENT_ACCESS)
    }
}

impl Allocations {
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

impl Drop for Allocations {
    fn drop(&mut self) {
        self.0.get_mut().keys().for_each(|&address| objects::gone(address));
    }
}

impl Context {
    /// `clSVMAlloc`; `flags` are the caller's bits. Returns the address of new memory, in
    /// which anything may be.
    ///
    /// # Errors
    /// `InvalidValue` ← flags, alignment; `BufferSize`; `Allocation`.
    pub fn svm_alloc(&self, flags: u64, size: usize, alignment: u32) -> Result<usize> {
        ensure!(
            SvmFlags::are_valid(flags),
            Error::spec(Status::InvalidValue, "values specified in flags are not valid")
        );
        let max = self.devices().iter().map(|d| d.caps().max_mem_alloc_size).min().unwrap_or(0);
        ensure!(size > 0 && size as u64 <= max, Error::BufferSize { size, max });
        // "It must be a power of two up to the largest data type supported by the OpenCL device."
        ensure!(
            alignment == 0 || (alignment.is_power_of_two() && alignment as usize <= BASE_ALIGN_BYTES),
            Error::spec(Status::InvalidValue, "alignment is not a power of two or cannot be supported")
        );
        let is_fine = SvmFlags::from_bits_retain(flags).contains(SvmFlags::FINE_GRAIN_BUFFER);
        let type_index = if is_fine { svm_type::FINE } else { svm_type::COARSE };
        self.svm_new(type_index, SvmProperties::default(), size)
    }

    /// `clSVMAllocWithPropertiesKHR`: as `svm_alloc`, for memory of the type of this index; 0 if no bytes are wanted.
    ///
    /// # Errors
    /// `InvalidValue` ← no such type; `InvalidProperty` ← the type needs a device, and there is none; `BufferSize`;
    /// `Allocation`.
    ///
    /// Spec: cl_khr_unified_svm.
    pub fn svm_alloc_as(&self, type_index: u32, properties: SvmProperties, size: usize) -> Result<usize> {
        let rule = "svm_type_index is greater than the number of SVM types supported by the devices in context";
        let ty = TYPES.get(type_index as usize).ok_or(Error::spec(Status::InvalidValue, rule))?;
        let rule = "the associated device handle property is required by the specified SVM type";
        let has_device = properties.device.is_some() || ty.contains(SvmCapabilities::DEVICE_UNASSOCIATED);
        ensure!(has_device, Error::spec(Status::InvalidProperty, rule));
        if size == 0 {
            return Ok(0);
        }
        let max = self.devices().iter().map(|d| d.caps().max_mem_alloc_size).min().unwrap_or(0);
        ensure!(size as u64 <= max, Error::BufferSize { size, max });
        self.svm_new(type_index, properties, size)
    }

    /// Checks `CL_SVM_ALLOC_ALIGNMENT_KHR`.
    ///
    /// # Errors
    /// `InvalidProperty`.
    pub fn check_svm_alignment(alignment: usize) -> Result<()> {
        let rule = "the alignment is not a power of two, or is larger than the size of the largest data type";
        let is_valid = alignment == 0 || alignment.is_power_of_two() && alignment <= BASE_ALIGN_BYTES;
        ensure!(is_valid, Error::spec(Status::InvalidProperty, rule));
        Ok(())
    }

    fn svm_new(&self, type_index: u32, properties: SvmProperties, size: usize) -> Result<usize> {
        let storage = Storage::recycled(self.recycler(), size + BEHIND)?;
        let address = storage.address();
        let allocation = Allocation { storage, type_index, properties };
        // The host leaves alone what is a device's.
        let is_fine = allocation.is_fine() || allocation.capabilities().contains(SvmCapabilities::DEVICE_OWNED);
        self.svm().0.lock().insert(address, allocation);
        objects::made(What::Svm, address, address, size, false);
        if commands::guards() {
            commands::memory_shown(address, is_fine);
        }
        Ok(address)
    }

    /// `clSVMFree`. An address that is not the start of an allocation is left alone.
    pub fn svm_free(&self, address: usize) {
        if address == 0 {
            return;
        }
        let allocation = self.svm().0.lock().remove(&address);
        let is_used = |allocation: &Allocation| commands::freeing(address..address + allocation.size());
        let keep = commands::is_on() && allocation.as_ref().is_some_and(is_used);
        match allocation {
            Some(allocation) => quarantine::freed(allocation.storage, keep),
            None => api::no_allocation(address, false),
        }
    }

    /// Whether an address lies in memory that was made for host and kernels at the same time.
    pub(crate) fn svm_is_fine(&self, address: usize) -> bool {
        let table = self.svm().0.lock();
        table.range(..=address).next_back().is_some_and(|(_, allocation)| allocation.is_fine())
    }

    /// `clGetSVMPointerInfoKHR`: the allocation that an address lies in.
    pub fn svm_info(&self, address: usize) -> Option<SvmInfo> {
        let table = self.svm().0.lock();
        let (&start, allocation) = table.range(..=address).next_back()?;
        let (size, type_index) = (allocation.size(), allocation.type_index);
        (address - start < size).then(|| SvmInfo { type_index, start, size, properties: allocation.properties.clone() })
    }

    /// Checks that the host may map what lies at an address, if that is in an allocation.
    ///
    /// # Errors
    /// `InvalidValue`.
    pub(crate) fn svm_check_map(&self, address: usize) -> Result<()> {
        let rule = "svm_ptr does not support mapping and unmapping for access on the host";
        let may_map = |info: &SvmInfo| TYPES[info.type_index as usize].contains(SvmCapabilities::HOST_MAP);
        let is_valid = self.svm_info(address).as_ref().is_none_or(may_map);
        ensure!(is_valid, Error::spec(Status::InvalidValue, rule));
        Ok(())
    }

    /// Bytes from an address to the end of the allocation that it lies in; none if it lies in none.
    pub(crate) fn svm_room(&self, address: usize) -> Option<usize> {
        self.svm_allocation(address).map(|range| range.end - address).filter(|&room| room > 0)
    }

    /// All allocations.
    pub(crate) fn svm_allocations(&self) -> Vec<Range<usize>> {
        let table = self.svm().0.lock();
        table.iter().map(|(&start, allocation)| start..start + allocation.size()).collect()
    }

    /// Copies what is in the allocation that starts there; none if there is none.
    pub(crate) fn svm_contents(&self, start: usize) -> Option<Vec<u8>> {
        let table = self.svm().0.lock();
        let allocation = table.get(&start)?;
        Some(allocation.storage.span().sub(0, allocation.size()).to_vec())
    }

    /// The allocation that an address lies in or is the end of.
    pub(crate) fn svm_allocation(&self, address: usize) -> Option<Range<usize>> {
        let table = self.svm().0.lock();
        let (&start, allocation) = table.range(..=address).next_back()?;
        Some(start..start + allocation.size()).filter(|range| address <= range.end)
    }
}
