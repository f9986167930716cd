//! Commands on shared virtual memory and on any other memory of the host, which kernels see just as well.

use super::command::{Command, CommandType, MemoryCopy, MemoryFill, Transfer, Work, check_migration, check_pattern};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::memory::host::HostPtr;
use crate::memory::map::MapFlags;
use crate::status::Status;

impl Command {
    /// `clEnqueueSVMFree`: `free` runs once.
    pub fn svm_free(free: Box<dyn FnOnce() + Send>) -> Self {
        Self::hook(CommandType::SvmFree, free)
    }

    /// `clEnqueueSVMMemcpy` and `clEnqueueMemcpyINTEL`, as `kind` says.
    ///
    /// # Errors
    /// `CopyOverlap`.
    pub fn memcpy(kind: CommandType, target: HostPtr, source: HostPtr, size: usize) -> Result<Self> {
        // "the values specified for dst_ptr, src_ptr and size result in an overlapping copy"
        ensure!(target.address().abs_diff(source.address()) >= size, Error::CopyOverlap);
        let copy = Transfer::CopyMemory(MemoryCopy { source, target, size });
        Ok(Self::of_any_context(kind, Work::Transfer(copy)))
    }

    /// `clEnqueueSVMMemFill` and `clEnqueueMemFillINTEL`, as `kind` says; the pattern is copied.
    ///
    /// # Errors
    /// `InvalidValue` ← pattern size not one of 1, 2, 4 … 128, address or size not a multiple of it.
    pub fn memfill(kind: CommandType, target: HostPtr, pattern: &[u8], size: usize) -> Result<Self> {
        check_pattern(pattern, target.address(), size)?;
        let fill = Transfer::FillMemory(Box::new(MemoryFill { target, size, pattern: pattern.to_vec() }));
        Ok(Self::of_any_context(kind, Work::Transfer(fill)))
    }

    /// `clEnqueueSVMMap`: a validated no-op, since the host always sees what kernels have written; `flags` are the
    /// caller's bits.
    ///
    /// # Errors
    /// `InvalidValue` ← size 0, flags, memory of a type that is not mapped.
    pub fn svm_map(context: &Context, flags: u64, address: usize, size: usize) -> Result<Self> {
        ensure!(size > 0, Error::spec(Status::InvalidValue, "size is zero"));
        context.svm_check_map(address)?;
        let writes = MapFlags::check(flags)?.writes();
        Ok(Self::of_any_context(CommandType::SvmMap, Work::MapAddress { address, size, writes }))
    }

    /// `clEnqueueSVMUnmap`: as `svm_map`.
    ///
    /// # Errors
    /// `InvalidValue` ← memory of a type that is not mapped.
    pub fn svm_unmap(context: &Context, address: usize) -> Result<Self> {
        context.svm_check_map(address)?;
        Ok(Self::of_any_context(CommandType::SvmUnmap, Work::UnmapAddress { address }))
    }

    /// A copy of no bytes, whatever the pointers. Spec: cl_khr_unified_svm.
    pub fn svm_copy_nothing() -> Self {
        Self::of_any_context(CommandType::SvmMemcpy, Work::Nothing)
    }

    /// A fill of no bytes at an address, which may be null. Spec: cl_khr_unified_svm.
    ///
    /// # Errors
    /// As `memfill`.
    pub fn svm_fill_nothing(address: usize, pattern: &[u8]) -> Result<Self> {
        check_pattern(pattern, address, 0)?;
        Ok(Self::of_any_context(CommandType::SvmMemFill, Work::Nothing))
    }

    /// `clEnqueueSVMMigrateMem`: a validated no-op. `ranges` are addresses and sizes; size 0 means the whole
    /// allocation.
    ///
    /// # Errors
    /// `InvalidValue` ← no ranges, unknown flags, a range that does not lie in an allocation of the context.
    pub fn svm_migrate(context: &Context, ranges: &[(usize, usize)], flags: u64) -> Result<Self> {
        ensure!(!ranges.is_empty(), Error::spec(Status::InvalidValue, "num_svm_pointers is zero"));
        check_migration(flags)?;
        let is_nothing = |range: &(usize, usize)| *range == (0, 0);
        let is_inside = |&(address, size): &(usize, usize)| context.svm_room(address).is_some_and(|room| size <= room);
        let rule = "a range is not contained within an SVM allocation returned by clSVMAlloc";
        ensure!(
            ranges.iter().all(|range| is_nothing(range) || is_inside(range)),
            Error::spec(Status::InvalidValue, rule)
        );
        Ok(Self::of_any_context(CommandType::SvmMigrateMem, Work::Nothing))
    }

    /// `clEnqueueMigrateMemINTEL`: a validated hint.
    ///
    /// # Errors
    /// `InvalidValue` ← unknown flags.
    pub fn usm_migrate(flags: u64) -> Result<Self> {
        check_migration(flags)?;
        Ok(Self::of_any_context(CommandType::MigrateMemIntel, Work::Nothing))
    }

    /// `clEnqueueMemAdviseINTEL`: 0 is no advice, and there is no other yet.
    ///
    /// # Errors
    /// `InvalidValue` ← an advice.
    pub fn usm_advise(advice: u32) -> Result<Self> {
        let rule = "advice is not supported advice for the device associated with command_queue";
        ensure!(advice == 0, Error::spec(Status::InvalidValue, rule));
        Ok(Self::of_any_context(CommandType::MemAdviseIntel, Work::Nothing))
    }
}
