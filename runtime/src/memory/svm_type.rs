//! Types of shared virtual memory: what host and devices may do with an allocation. All memory is of one kind here, so
//! types differ in what they promise only. Spec: cl_khr_unified_svm.

use crate::device::Device;
use crate::object::Obj;
use bitflags::bitflags;

bitflags! {
    /// `cl_svm_capabilities_khr`
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct SvmCapabilities: u64 {
        /// Host and device use the same pointer.
        const SINGLE_ADDRESS_SPACE = 1;
        /// All of the host's memory.
        const SYSTEM_ALLOCATED = 1 << 1;
        /// A device has it.
        const DEVICE_OWNED = 1 << 2;
        /// No device need be named.
        const DEVICE_UNASSOCIATED = 1 << 3;
        /// All devices of the context.
        const CONTEXT_ACCESS = 1 << 4;
        /// The host has it.
        const HOST_OWNED = 1 << 5;
        /// The host reads it without a map.
        const HOST_READ = 1 << 6;
        /// The host writes it without a map.
        const HOST_WRITE = 1 << 7;
        /// The host may map it.
        const HOST_MAP = 1 << 8;
        /// Kernels read it.
        const DEVICE_READ = 1 << 9;
        /// Kernels write it.
        const DEVICE_WRITE = 1 << 10;
        /// By atomic functions.
        const DEVICE_ATOMIC_ACCESS = 1 << 11;
        /// Host and devices at the same time.
        const CONCURRENT_ACCESS = 1 << 12;
        /// The same by atomic functions.
        const CONCURRENT_ATOMIC_ACCESS = 1 << 13;
        /// Kernels find it by pointers in memory.
        const INDIRECT_ACCESS = 1 << 14;

        /// What all types have.
        const COMMON = 1 | 0b111 << 9 | 1 << 14;
        /// What is for host and kernels at the same time.
        const FINE = Self::COMMON.bits() | 0b11 << 6 | 0b11 << 12;
        /// For no device in particular.
        const FOR_ALL = 0b11 << 3;
    }
}

/// Bytes that host and devices may use at the same time as their neighbours.
pub const CONCURRENT_ATOM_BYTES: usize = 1;

/// The types, by index: coarse-grain buffers, fine-grain buffers, of a device, of the host, shared by the host and a
/// device, the system's.
pub const TYPES: [SvmCapabilities; 6] = {
    use SvmCapabilities as S;
    [
        S::COMMON.union(S::FOR_ALL).union(S::HOST_MAP),
        S::FINE.union(S::FOR_ALL).union(S::HOST_MAP),
        S::COMMON.union(S::DEVICE_OWNED),
        S::FINE.union(S::FOR_ALL).union(S::HOST_OWNED),
        S::FINE,
        S::FINE.union(S::FOR_ALL).union(S::HOST_MAP).union(S::SYSTEM_ALLOCATED),
    ]
};

/// The type of coarse-grain buffers.
pub(super) const COARSE: u32 = 0;
/// The type of fine-grain buffers.
pub(super) const FINE: u32 = 1;

/// `cl_svm_alloc_access_flags_khr`: what the host, and the device, will not do.
const ACCESS_FLAGS: u64 = 0b11_0000_0011;

/// Whether these are flags of access.
pub fn are_access_flags(bits: u64) -> bool {
    bits & !ACCESS_FLAGS == 0
}

/// What `clSVMAllocWithPropertiesKHR` is told of an allocation besides its type and size.
#[derive(Clone, Default)]
pub struct SvmProperties {
    /// `CL_SVM_ALLOC_ASSOCIATED_DEVICE_HANDLE_KHR`
    pub device: Option<Obj<Device>>,
    /// `CL_SVM_ALLOC_ACCESS_FLAGS_KHR`, valid ones.
    pub access: u64,
    /// `CL_SVM_ALLOC_ALIGNMENT_KHR`; 0: any.
    pub alignment: usize,
    /// The caller's list with its terminator; empty if none was given.
    pub list: Vec<u64>,
}

/// What is known of an address inside an allocation.
pub struct SvmInfo {
    /// A place in `TYPES`.
    pub type_index: u32,
    /// Where the allocation begins.
    pub start: usize,
    /// Its bytes.
    pub size: usize,
    /// As it was allocated.
    pub properties: SvmProperties,
}

/// `clGetSVMSuggestedTypeIndexKHR`: of the types that have what is required the first with most of what is desired.
pub fn suggest(required: u64, desired: u64) -> Option<u32> {
    let suits = |&at: &u32| TYPES[at as usize].bits() & required == required;
    let types = 0..TYPES.len() as u32;
    types.filter(suits).rev().max_by_key(|&at| (TYPES[at as usize].bits() & desired).count_ones())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_told_apart() {
        for (at, ty) in (0..).zip(TYPES) {
            // What is fine-grain can do all that what is shared with a device can.
            let first = if at == 4 { 1 } else { at };
            assert_eq!((suggest(0, ty.bits()), suggest(ty.bits(), 0)), (Some(first), Some(first)));
            assert!(!ty.contains(SvmCapabilities::DEVICE_OWNED | SvmCapabilities::DEVICE_UNASSOCIATED));
        }
        assert_eq!((suggest(0, 0), suggest(1 << 15, 0), suggest(1, 1 << 40)), (Some(0), None, Some(0)));
        let both = SvmCapabilities::DEVICE_OWNED | SvmCapabilities::HOST_OWNED;
        assert_eq!(suggest(both.bits(), 0), None);
    }
}
