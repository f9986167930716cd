//! Commands and their constructors. A `Command` exists only if its arguments are valid: the constructors hold the
//! specification's conditions, `exec` runs them without asking again.

use super::order::Role;
use crate::check::race;
use crate::context::Context;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::exec::ndrange::Launch;
use crate::kernel::Kernel;
use crate::memory::buffer::{HostAccess, Mem};
use crate::memory::host::HostPtr;
use crate::memory::map::MapFlags;
use crate::memory::region::{Rect, RectSide, Span};
use crate::object::Obj;
use crate::queue::Queue;
use crate::record;
use crate::status::Status;
use smallvec::SmallVec;
use std::ops::Range;
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
    ReadImage = 0x11F6,
    WriteImage = 0x11F7,
    CopyImage = 0x11F8,
    CopyImageToBuffer = 0x11F9,
    CopyBufferToImage = 0x11FA,
    MapBuffer = 0x11FB,
    MapImage = 0x11FC,
    UnmapMemObject = 0x11FD,
    Marker = 0x11FE,
    ReadBufferRect = 0x1201,
    WriteBufferRect = 0x1202,
    CopyBufferRect = 0x1203,
    User = 0x1204,
    Barrier = 0x1205,
    MigrateMemObjects = 0x1206,
    FillBuffer = 0x1207,
    FillImage = 0x1208,
    SvmFree = 0x1209,
    SvmMemcpy = 0x120A,
    SvmMemFill = 0x120B,
    SvmMap = 0x120C,
    SvmUnmap = 0x120D,
    SvmMigrateMem = 0x120E,
    CommandBuffer = 0x12A8,
    SemaphoreWait = 0x2042,
    SemaphoreSignal = 0x2043,
    AcquireExternalMemObjectsKhr = 0x2047,
    ReleaseExternalMemObjectsKhr = 0x2048,
    MigrateMemObjectExt = 0x4040,
    ReadGlobalVariableIntel = 0x418E,
    WriteGlobalVariableIntel = 0x418F,
    MemFillIntel = 0x4204,
    MemcpyIntel = 0x4205,
    MigrateMemIntel = 0x4206,
    MemAdviseIntel = 0x4207,
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

impl WorkSizes<'_> {
    /// The local size that the caller asked for, 1 in dimensions that there are not.
    pub(crate) fn local_size(&self) -> Option<[u64; 3]> {
        let given = self.local?;
        Some([0, 1, 2].map(|dim| given.get(dim).map_or(1, |&size| size as u64)))
    }

    /// The number of dimensions, if there can be so many: before slices of that length are made.
    ///
    /// # Errors
    /// `InvalidWorkDimension`.
    pub fn check_dims(dims: u32) -> Result<usize> {
        let rule = "work_dim is not 1, 2 or 3";
        ensure!((1..=3).contains(&dims), Error::spec(Status::InvalidWorkDimension, rule));
        Ok(dims as usize)
    }
}

/// Ends one map.
fn map(object: &Obj<Mem>, address: usize) {
    object.context().mapped().add(object);
    object.maps.add(address);
}

fn unmap(object: &Obj<Mem>, address: usize) -> Result<()> {
    object.maps.remove(address)?;
    object.context().mapped().remove(object);
    Ok(())
}

/// What a command does when it runs.
pub(crate) enum Work {
    /// Markers, barriers, migrations, maps: nothing but their place in the order.
    Nothing,
    Read {
        buffer: Obj<Mem>,
        span: Span,
        target: HostPtr,
    },
    Write {
        buffer: Obj<Mem>,
        span: Span,
        source: HostPtr,
    },
    ReadRect(Box<HostRect>),
    WriteRect(Box<HostRect>),
    Transfer(Transfer),
    Map {
        object: Obj<Mem>,
        address: usize,
        /// What the host gets, and whether to write; for the checks.
        ranges: SmallVec<[Range<usize>; 2]>,
        writes: bool,
    },
    Unmap {
        object: Obj<Mem>,
        address: usize,
    },
    /// Of shared virtual memory.
    MapAddress {
        address: usize,
        size: usize,
        writes: bool,
    },
    /// As `MapAddress`.
    UnmapAddress {
        address: usize,
    },
    Launch(Box<Launch>),
    Native {
        function: Box<dyn FnOnce() -> Result<()> + Send>,
        objects: Vec<Obj<Mem>>,
    },
    Migrate(Vec<Obj<Mem>>),
    /// The commands of a command-buffer, each to run after the one before it.
    Sequence(Vec<Work>),
}

/// Moves bytes within the device's memory: what may run any number of times.
#[derive(Clone)]
pub(crate) enum Transfer {
    Copy {
        source: Obj<Mem>,
        target: Obj<Mem>,
        from: Span,
        to: Span,
    },
    CopyRect(Box<BufferRect>),
    Fill(Box<Fill>),
    FillRect(Box<FillRect>),
    /// Memory that is known by its address.
    CopyMemory(MemoryCopy),
    /// As `CopyMemory`.
    FillMemory(Box<MemoryFill>),
}

/// Payload of the rectangular commands between a buffer and the host.
pub(crate) struct HostRect {
    pub buffer: Obj<Mem>,
    pub rect: Rect,
    pub host: HostPtr,
    pub host_rect: Rect,
}

/// Payload of a rectangular copy.
#[derive(Clone)]
pub(crate) struct BufferRect {
    pub source: Obj<Mem>,
    pub target: Obj<Mem>,
    pub from: Rect,
    pub to: Rect,
}

/// Payload of a fill.
#[derive(Clone)]
pub(crate) struct Fill {
    pub buffer: Obj<Mem>,
    pub span: Span,
    pub pattern: Vec<u8>,
}

/// Payload of a copy between addresses.
#[derive(Clone, Copy)]
pub(crate) struct MemoryCopy {
    pub source: HostPtr,
    pub target: HostPtr,
    pub size: usize,
}

/// Payload of a fill at an address.
#[derive(Clone)]
pub(crate) struct MemoryFill {
    pub target: HostPtr,
    pub size: usize,
    pub pattern: Vec<u8>,
}

/// Payload of a fill of a rectangle, whose rows are multiples of the pattern.
#[derive(Clone)]
pub(crate) struct FillRect {
    pub object: Obj<Mem>,
    pub rect: Rect,
    pub pattern: Vec<u8>,
}

/// A valid command with everything that it needs to run.
pub struct Command {
    kind: CommandType,
    work: Work,
    /// Address of the context object of everything in `work`; 0 if there is nothing.
    context: usize,
}

/// A function that does not fail as one that might.
fn always(function: Box<dyn FnOnce() + Send>) -> Box<dyn FnOnce() -> Result<()> + Send> {
    Box::new(move || {
        function();
        Ok(())
    })
}

impl Command {
    pub(super) fn of(kind: CommandType, context: &Obj<Context>, work: Work) -> Self {
        Self { kind, work, context: context.handle_address() }
    }

    /// A command without memory objects.
    pub(super) fn of_any_context(kind: CommandType, work: Work) -> Self {
        Self { kind, work, context: 0 }
    }

    /// Its type.
    pub fn kind(&self) -> CommandType {
        self.kind
    }

    /// Whether its objects belong to this context.
    pub(crate) fn is_of(&self, context: &Obj<Context>) -> bool {
        self.context == 0 || self.context == context.handle_address()
    }

    /// How it stands in its queue.
    pub(crate) fn role(&self, waits_for_nothing: bool) -> Role {
        match (self.kind, waits_for_nothing) {
            (CommandType::Marker, true) => Role::Marker,
            (CommandType::Barrier, true) => Role::Barrier,
            (CommandType::Barrier, false) => Role::BarrierOnList,
            _ => Role::Plain,
        }
    }

    /// Takes effect on what queries show at the moment of the call: map counts.
    pub(crate) fn admit(&self) -> Result<()> {
        match &self.work {
            Work::Map { object, address, .. } => {
                map(object, *address);
                Ok(())
            }
            Work::Unmap { object, address } => unmap(object, *address),
            _ => Ok(()),
        }
    }

    /// What takes back `admit` if the caller learns that the command failed or was not enqueued, and gets no address
    /// from it.
    pub(crate) fn undo(&self) -> Option<impl FnOnce() + use<>> {
        let (object, address, is_map) = match &self.work {
            Work::Map { object, address, .. } => (Arc::clone(object), *address, true),
            Work::Unmap { object, address } => (Arc::clone(object), *address, false),
            _ => return None,
        };
        Some(move || match is_map {
            // Somebody may have guessed the address and unmapped it.
            true => _ = unmap(&object, address),
            false => map(&object, address),
        })
    }

    /// What it will do.
    pub(crate) fn work(&self) -> &Work {
        &self.work
    }

    /// What it does.
    pub(crate) fn into_work(self) -> Work {
        self.work
    }

    /// `clEnqueueReadBuffer`.
    ///
    /// # Errors
    /// `RegionOutOfBounds`, `HostAccess`.
    pub fn read_buffer(buffer: &Obj<Mem>, offset: usize, size: usize, target: HostPtr) -> Result<Self> {
        buffer.check_buffer()?;
        let span = Span::new(offset, size, buffer.size())?;
        buffer.check_host_access(HostAccess::Read)?;
        let work = Work::Read { buffer: Arc::clone(buffer), span, target };
        Ok(Self::of(CommandType::ReadBuffer, buffer.context(), work))
    }

    /// `clEnqueueWriteBuffer`.
    ///
    /// # Errors
    /// `RegionOutOfBounds`, `HostAccess`.
    pub fn write_buffer(buffer: &Obj<Mem>, offset: usize, size: usize, source: HostPtr) -> Result<Self> {
        buffer.check_buffer()?;
        let span = Span::new(offset, size, buffer.size())?;
        buffer.check_host_access(HostAccess::Write)?;
        let work = Work::Write { buffer: Arc::clone(buffer), span, source };
        Ok(Self::of(CommandType::WriteBuffer, buffer.context(), work))
    }

    /// `clEnqueueReadBufferRect`; the host side's origin is an offset from `target`.
    ///
    /// # Errors
    /// `RectShape`, `RegionOutOfBounds`, `HostAccess`.
    pub fn read_rect(
        buffer: &Obj<Mem>,
        side: RectSide,
        host_side: RectSide,
        region: [usize; 3],
        target: HostPtr,
    ) -> Result<Self> {
        let payload = HostRect::new(buffer, side, host_side, region, target)?;
        buffer.check_host_access(HostAccess::Read)?;
        Ok(Self::of(CommandType::ReadBufferRect, buffer.context(), Work::ReadRect(payload)))
    }

    /// `clEnqueueWriteBufferRect`; the host side's origin is an offset from `source`.
    ///
    /// # Errors
    /// `RectShape`, `RegionOutOfBounds`, `HostAccess`.
    pub fn write_rect(
        buffer: &Obj<Mem>,
        side: RectSide,
        host_side: RectSide,
        region: [usize; 3],
        source: HostPtr,
    ) -> Result<Self> {
        let payload = HostRect::new(buffer, side, host_side, region, source)?;
        buffer.check_host_access(HostAccess::Write)?;
        Ok(Self::of(CommandType::WriteBufferRect, buffer.context(), Work::WriteRect(payload)))
    }

    /// `clEnqueueCopyBuffer`.
    ///
    /// # Errors
    /// `RegionOutOfBounds`, `ContextMismatch`, `CopyOverlap`.
    pub fn copy_buffer(
        source: &Obj<Mem>,
        target: &Obj<Mem>,
        source_offset: usize,
        target_offset: usize,
        size: usize,
    ) -> Result<Self> {
        source.check_buffer()?;
        target.check_buffer()?;
        target.check_mutable()?;
        let from = Span::new(source_offset, size, source.size())?;
        let to = Span::new(target_offset, size, target.size())?;
        ensure!(Arc::ptr_eq(source.context(), target.context()), Error::ContextMismatch);
        // "src_buffer and dst_buffer are the same buffer or sub-buffer object and the source and destination regions
        // overlap, or they are different sub-buffers of the same associated buffer object and they overlap"
        let absolute = |mem: &Mem, span: Span| Span { offset: mem.offset() + span.offset, ..span };
        let overlap = source.same_storage(target) && absolute(source, from).overlaps(absolute(target, to));
        ensure!(!overlap, Error::CopyOverlap);
        let copy = Transfer::Copy { source: Arc::clone(source), target: Arc::clone(target), from, to };
        Ok(Self::of(CommandType::CopyBuffer, source.context(), Work::Transfer(copy)))
    }

    /// `clEnqueueCopyBufferRect`.
    ///
    /// # Errors
    /// `RectShape`, `RegionOutOfBounds`, `ContextMismatch`, `CopyOverlap`; `InvalidValue` ← same buffer with different
    /// pitches.
    pub fn copy_rect(
        source: &Obj<Mem>,
        target: &Obj<Mem>,
        source_side: RectSide,
        target_side: RectSide,
        region: [usize; 3],
    ) -> Result<Self> {
        source.check_buffer()?;
        target.check_buffer()?;
        target.check_mutable()?;
        let from = Rect::within(source_side, region, source.size())?;
        let to = Rect::within(target_side, region, target.size())?;
        // "src_buffer and dst_buffer are the same buffer object and src_slice_pitch is not equal to dst_slice_pitch and
        // src_row_pitch is not equal to dst_row_pitch"
        let pitches_differ = from.slice_pitch != to.slice_pitch && from.row_pitch != to.row_pitch;
        let rule = "source and destination are the same buffer and their pitches differ";
        ensure!(!(Arc::ptr_eq(source, target) && pitches_differ), Error::RectShape { rule });
        ensure!(Arc::ptr_eq(source.context(), target.context()), Error::ContextMismatch);
        let overlap =
            source.same_storage(target) && from.shifted(source.offset()).overlaps(&to.shifted(target.offset()));
        ensure!(!overlap, Error::CopyOverlap);
        let payload = BufferRect { source: Arc::clone(source), target: Arc::clone(target), from, to };
        Ok(Self::of(
            CommandType::CopyBufferRect,
            source.context(),
            Work::Transfer(Transfer::CopyRect(Box::new(payload))),
        ))
    }

    /// `clEnqueueFillBuffer`; the pattern is copied.
    ///
    /// # Errors
    /// `InvalidValue` ← pattern size not one of 1, 2, 4 … 128, offset or size not a multiple of it;
    /// `RegionOutOfBounds`.
    pub fn fill_buffer(buffer: &Obj<Mem>, pattern: &[u8], offset: usize, size: usize) -> Result<Self> {
        buffer.check_buffer()?;
        buffer.check_mutable()?;
        check_pattern(pattern, offset, size)?;
        let span = Span::new(offset, size, buffer.size())?;
        let fill = Fill { buffer: Arc::clone(buffer), span, pattern: pattern.to_vec() };
        Ok(Self::of(CommandType::FillBuffer, buffer.context(), Work::Transfer(Transfer::Fill(Box::new(fill)))))
    }

    /// `clEnqueueMapBuffer`; `flags` are the caller's bits. The second result is the address to return to the caller;
    /// the map counts once the command is enqueued.
    ///
    /// # Errors
    /// `InvalidValue` ← flags; `RegionOutOfBounds`, `HostAccess`.
    pub fn map_buffer(buffer: &Obj<Mem>, flags: u64, offset: usize, size: usize) -> Result<(Self, usize)> {
        buffer.check_buffer()?;
        let span = Span::new(offset, size, buffer.size())?;
        let writes = map_access(buffer, flags)?;
        let address = buffer.data_address() + span.offset;
        if writes {
            race::memory_written(address, span.size);
        }
        let ranges = std::iter::once(address..address + span.size).collect();
        let work = Work::Map { object: Arc::clone(buffer), address, ranges, writes };
        Ok((Self::of(CommandType::MapBuffer, buffer.context(), work), address))
    }

    /// `clEnqueueUnmapMemObject`. The map ends once the command is enqueued.
    ///
    /// # Errors
    /// `InvalidMemObject` ← a pipe; `NotMapped`, here or from `enqueue`.
    pub fn unmap(object: &Obj<Mem>, address: usize) -> Result<Self> {
        let rule = "memobj is a pipe object";
        ensure!(object.pipe().is_none(), Error::spec(Status::InvalidMemObject, rule));
        ensure!(object.maps.contains(address), Error::NotMapped { address });
        let work = Work::Unmap { object: Arc::clone(object), address };
        Ok(Self::of(CommandType::UnmapMemObject, object.context(), work))
    }

    /// `clEnqueueMigrateMemObjects`: a validated no-op, since host and device memory are one.
    ///
    /// # Errors
    /// `InvalidValue` ← no objects or unknown flags; `ContextMismatch`.
    pub fn migrate(objects: &[Obj<Mem>], flags: u64) -> Result<Self> {
        let bad = |condition| Error::spec(Status::InvalidValue, condition);
        let first = objects.first().ok_or(bad("num_mem_objects is zero or mem_objects is NULL"))?;
        check_migration(flags)?;
        ensure!(objects.iter().all(|o| Arc::ptr_eq(o.context(), first.context())), Error::ContextMismatch);
        let work = Work::Migrate(objects.to_vec());
        Ok(Self::of(CommandType::MigrateMemObjects, first.context(), work))
    }

    /// A command that does nothing with objects of `context` but is in order with those that do.
    pub(crate) fn of_objects(kind: CommandType, context: &Obj<Context>, objects: &[Obj<Mem>]) -> Self {
        Self::of(kind, context, Work::Migrate(objects.to_vec()))
    }

    /// `clEnqueueMigrateMemObjectEXT`: the same under an older name, and with one flag only.
    ///
    /// # Errors
    /// As `migrate`.
    ///
    /// Spec: cl_ext_migrate_memobject.
    pub fn migrate_ext(objects: &[Obj<Mem>], flags: u64) -> Result<Self> {
        // CL_MIGRATE_MEM_OBJECT_HOST_EXT
        let rule = "flags is not 0 or is not CL_MIGRATE_MEM_OBJECT_HOST_EXT";
        ensure!(flags & !1 == 0, Error::spec(Status::InvalidValue, rule));
        Ok(Self { kind: CommandType::MigrateMemObjectExt, ..Self::migrate(objects, flags)? })
    }

    /// `clEnqueueNDRangeKernel`: takes the arguments as they are now.
    ///
    /// # Errors
    /// `ArgUnset`, `WorkSize` with the code of the broken limit; `Internal` ← code generation.
    pub fn ndrange(kernel: &Obj<Kernel>, device: &Obj<Device>, sizes: WorkSizes<'_>) -> Result<Self> {
        Self::launch(CommandType::NdrangeKernel, kernel, device, sizes)
    }

    /// `clEnqueueTask`: one work-item.
    ///
    /// # Errors
    /// As `ndrange`.
    pub fn task(kernel: &Obj<Kernel>, device: &Obj<Device>) -> Result<Self> {
        let sizes = WorkSizes { dims: 1, offset: None, global: Some(&[1]), local: Some(&[1]) };
        Self::launch(CommandType::Task, kernel, device, sizes)
    }

    fn launch(kind: CommandType, kernel: &Obj<Kernel>, device: &Obj<Device>, sizes: WorkSizes<'_>) -> Result<Self> {
        let work = match kernel.work(device, sizes)? {
            Some(launch) => Work::Launch(launch),
            None => {
                kernel.check_args()?;
                Work::Nothing
            }
        };
        Ok(Self::of(kind, kernel.program().context(), work))
    }

    /// `clEnqueueNativeKernel`: `function` runs once; `objects` stay alive until then. Objects of several contexts are
    /// refused by `enqueue`.
    pub fn native(function: Box<dyn FnOnce() + Send>, objects: Vec<Obj<Mem>>) -> Self {
        let context = objects.first().map_or(0, |o| o.context().handle_address());
        let same = objects.iter().all(|o| o.context().handle_address() == context);
        record::note_native();
        // No context has this address.
        let context = if same { context } else { usize::MAX };
        let function = always(function);
        Self { kind: CommandType::NativeKernel, work: Work::Native { function, objects }, context }
    }

    /// Whether it may wait for something on the thread that runs it: a function of the program, which may free memory,
    /// for anything, a semaphore for another process.
    pub(crate) fn may_wait(&self) -> bool {
        matches!(self.kind, CommandType::NativeKernel | CommandType::SvmFree | CommandType::SemaphoreWait)
    }

    /// A command that calls `function`, once.
    pub(crate) fn hook(kind: CommandType, function: Box<dyn FnOnce() + Send>) -> Self {
        Self::try_hook(kind, always(function))
    }

    /// The same, which fails if `function` does.
    pub(crate) fn try_hook(kind: CommandType, function: Box<dyn FnOnce() -> Result<()> + Send>) -> Self {
        Self::of_any_context(kind, Work::Native { function, objects: Vec::new() })
    }

    /// An execution of a command-buffer: `works` one after the other.
    pub(crate) fn sequence(context: &Obj<Context>, works: Vec<Work>) -> Self {
        Self::of(CommandType::CommandBuffer, context, Work::Sequence(works))
    }

    /// One command of a command-buffer that is executed on several queues.
    pub(crate) fn recorded(context: &Obj<Context>, work: Work) -> Self {
        Self::of(CommandType::CommandBuffer, context, work)
    }

    /// `clEnqueueMarkerWithWaitList` and `clEnqueueMarker`: an empty wait list means all commands before it.
    pub fn marker() -> Self {
        Self::of_any_context(CommandType::Marker, Work::Nothing)
    }

    /// `clEnqueueBarrierWithWaitList` and `clEnqueueBarrier`: as `marker`, and later commands wait for it.
    pub fn barrier() -> Self {
        Self::of_any_context(CommandType::Barrier, Work::Nothing)
    }
}

/// Checks the flags of a migration.
///
/// # Errors
/// `InvalidValue`.
pub(super) fn check_migration(flags: u64) -> Result<()> {
    // CL_MIGRATE_MEM_OBJECT_HOST and CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED
    let rule = "flags is not 0 or is not any of the values described in the table";
    ensure!(flags & !0b11 == 0, Error::spec(Status::InvalidValue, rule));
    Ok(())
}

/// Checks a fill's pattern against the place that it fills.
///
/// # Errors
/// `InvalidValue`.
pub(super) fn check_pattern(pattern: &[u8], start: usize, size: usize) -> Result<()> {
    let n = pattern.len();
    ensure!(
        n.is_power_of_two() && n <= 128,
        Error::spec(Status::InvalidValue, "pattern_size is 0 or not one of {1, 2, 4, 8, 16, 32, 64, 128}")
    );
    ensure!(
        start.is_multiple_of(n) && size.is_multiple_of(n),
        Error::spec(Status::InvalidValue, "start and size of the region are not a multiple of pattern_size")
    );
    Ok(())
}

/// Checks the flags of a map, and that the object's flags allow it; says whether it is for writing.
///
/// # Errors
/// `InvalidValue` ← flags; `HostAccess`.
pub(super) fn map_access(mem: &Mem, flags: u64) -> Result<bool> {
    let flags = MapFlags::check(flags)?;
    if flags.contains(MapFlags::READ) {
        mem.check_host_access(HostAccess::Read)?;
    }
    if flags.writes() {
        mem.check_host_access(HostAccess::Write)?;
    }
    Ok(flags.writes())
}

impl HostRect {
    fn new(
        buffer: &Obj<Mem>,
        side: RectSide,
        host_side: RectSide,
        region: [usize; 3],
        host: HostPtr,
    ) -> Result<Box<Self>> {
        buffer.check_buffer()?;
        let rect = Rect::within(side, region, buffer.size())?;
        let host_rect = Rect::new(host_side, region)?;
        Ok(Box::new(Self { buffer: Arc::clone(buffer), rect, host, host_rect }))
    }
}

/// The local size that `Command::ndrange` would choose (`clGetKernelSuggestedLocalWorkSizeKHR`).
///
/// # Errors
/// As `Command::ndrange`; `ContextMismatch`; `WorkSize` ← no global size.
pub fn suggested_local_size(kernel: &Obj<Kernel>, queue: &Queue, sizes: WorkSizes<'_>) -> Result<[usize; 3]> {
    ensure!(Arc::ptr_eq(kernel.program().context(), queue.context()), Error::ContextMismatch);
    let geometry = kernel.any_geometry(queue.device(), WorkSizes { local: None, ..sizes })?;
    kernel.check_args()?;
    let none = Error::WorkSize {
        status: Status::InvalidGlobalWorkSize,
        rule: "global_work_size is NULL or has a zero",
        dim: 0,
        value: 0,
    };
    geometry.map(|g| g.local.map(|l| l as usize)).ok_or(none)
}

/// How many groups of this local size run at the same time (`clGetKernelMaxConcurrentWorkGroupCountINTEL`).
///
/// # Errors
/// As `Command::ndrange`; `ContextMismatch`; `InvalidWorkGroupSize` ← no local size.
///
/// Spec: cl_intel_concurrent_dispatch.
pub fn max_concurrent_groups(kernel: &Obj<Kernel>, queue: &Queue, sizes: WorkSizes<'_>) -> Result<usize> {
    queue.check_host()?;
    ensure!(Arc::ptr_eq(kernel.program().context(), queue.context()), Error::ContextMismatch);
    WorkSizes::check_dims(sizes.dims)?;
    ensure!(sizes.local.is_some(), Error::spec(Status::InvalidWorkGroupSize, "local_work_size is NULL"));
    kernel.any_geometry(queue.device(), WorkSizes { global: sizes.local, ..sizes })?;
    kernel.check_args()?;
    Ok(queue.max_concurrent_groups())
}
