//! Buffers and sub-buffers, and what images share with them: flags, creation, host pointers, destructor callbacks.
//! Moves no bytes after creation: see `exec::transfer`.

use super::external::Properties;
use super::host::{HostPtr, Storage};
use super::image::Image;
use super::map::Maps;
use super::pipe::Pipe;
use super::region::Span;
use crate::check::known::Written;
use crate::check::objects::{self, What};
use crate::check::{api, commands, race};
use crate::context::{Callback, Context};
use crate::device::Device;
use crate::device::caps::BASE_ALIGN_BYTES;
use crate::error::{Error, Result};
use crate::memory::stream::Stores;
use crate::object::{Body, Kind, Obj, Object};
use crate::status::Status;
use crate::sync::{Mutex, Rank};
use bitflags::bitflags;
use std::sync::Arc;

bitflags! {
    /// `cl_mem_flags`. Spec: OpenCL API, "List of supported memory flag values".
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct MemFlags: u64 {
        /// Kernels read and write.
        const READ_WRITE = 1;
        /// Kernels only write.
        const WRITE_ONLY = 1 << 1;
        /// Kernels only read.
        const READ_ONLY = 1 << 2;
        /// The caller's memory is the storage.
        const USE_HOST_PTR = 1 << 3;
        /// Storage is host-accessible.
        const ALLOC_HOST_PTR = 1 << 4;
        /// Storage starts as a copy of the caller's memory.
        const COPY_HOST_PTR = 1 << 5;
        /// Nothing writes after creation.
        const IMMUTABLE = 1 << 6;
        /// The host only writes.
        const HOST_WRITE_ONLY = 1 << 7;
        /// The host only reads.
        const HOST_READ_ONLY = 1 << 8;
        /// The host does neither.
        const HOST_NO_ACCESS = 1 << 9;
        /// One kernel reads and writes: images only.
        const KERNEL_READ_AND_WRITE = 1 << 12;
        /// Storage lies in host memory, as it does anyway: buffers only.
        const FORCE_HOST_MEMORY = 1 << 20;
    }
}

impl MemFlags {
    pub(super) const KERNEL: Self = Self::READ_WRITE.union(Self::WRITE_ONLY).union(Self::READ_ONLY);
    const HOST: Self = Self::HOST_WRITE_ONLY.union(Self::HOST_READ_ONLY).union(Self::HOST_NO_ACCESS);
    const WRITERS: Self = Self::READ_WRITE.union(Self::WRITE_ONLY).union(Self::HOST_WRITE_ONLY);
    const PTR: Self = Self::USE_HOST_PTR.union(Self::ALLOC_HOST_PTR).union(Self::COPY_HOST_PTR);

    /// Checks that groups of exclusive flags have at most one member.
    ///
    /// # Errors
    /// `InvalidValue` ← unknown bits or a contradiction.
    pub(super) fn check(bits: u64) -> Result<Self> {
        const BAD: Error = Error::spec(Status::InvalidValue, "values specified in flags are not valid");
        let flags = Self::from_bits(bits).ok_or(BAD)?;
        let at_most_one = |group: Self| (flags & group).bits().count_ones() <= 1;
        ensure!(at_most_one(Self::KERNEL) && at_most_one(Self::HOST), BAD);
        let ptr = flags & Self::PTR;
        ensure!(!ptr.contains(Self::USE_HOST_PTR) || ptr == Self::USE_HOST_PTR, BAD);
        // "CL_MEM_IMMUTABLE_EXT is set in flags and CL_MEM_READ_WRITE, CL_MEM_WRITE_ONLY, or CL_MEM_HOST_WRITE_ONLY is
        // set"
        ensure!(!(flags.contains(Self::IMMUTABLE) && flags.intersects(Self::WRITERS)), BAD);
        Ok(flags)
    }

    /// The flags of a new object with memory of its own.
    ///
    /// # Errors
    /// As `check`; `InvalidValue` ← nothing can ever be in an immutable object.
    pub(super) fn check_new(bits: u64, is_external: bool) -> Result<Self> {
        let flags = Self::check(bits)?;
        if flags.contains(Self::IMMUTABLE) && !is_external {
            let rule = "CL_MEM_IMMUTABLE_EXT needs CL_MEM_COPY_HOST_PTR or CL_MEM_USE_HOST_PTR";
            let has_contents = flags.intersects(Self::COPY_HOST_PTR | Self::USE_HOST_PTR);
            ensure!(has_contents, Error::spec(Status::InvalidValue, rule));
        }
        Ok(flags)
    }

    /// With what kernels may do if the caller did not say.
    pub(super) fn or_default(self) -> Self {
        if self.intersects(Self::KERNEL | Self::IMMUTABLE) { self } else { self | Self::READ_WRITE }
    }
}

/// `CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT`: a property of buffers, whether their address is fixed (it is) and can be asked
/// for.
pub const PRIVATE_ADDRESS: u64 = 0x5000;

/// How a host command means to touch a memory object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostAccess {
    /// Read or map for reading.
    Read,
    /// Write or map for writing.
    Write,
}

/// What kind of memory object it is: `CL_MEM_TYPE`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum MemType {
    /// Buffer or sub-buffer.
    Buffer = 0x10F0,
    /// 2D image.
    Image2d = 0x10F1,
    /// 3D image.
    Image3d = 0x10F2,
    /// Array of 2D images.
    Image2dArray = 0x10F3,
    /// 1D image.
    Image1d = 0x10F4,
    /// Array of 1D images.
    Image1dArray = 0x10F5,
    /// 1D image in a buffer.
    Image1dBuffer = 0x10F6,
    /// Pipe.
    Pipe = 0x10F7,
}

impl MemType {
    /// All types of images.
    pub const IMAGES: [Self; 6] =
        [Self::Image2d, Self::Image3d, Self::Image2dArray, Self::Image1d, Self::Image1dArray, Self::Image1dBuffer];
}

/// A memory object (`cl_mem`).
pub struct Mem {
    context: Obj<Context>,
    flags: MemFlags,
    size: usize,
    /// First byte in the storage.
    offset: usize,
    storage: Arc<Storage>,
    parent: Option<Obj<Mem>>,
    host_ptr: Option<HostPtr>,
    properties: Properties,
    image: Option<Box<Image>>,
    pipe: Option<Pipe>,
    uses_svm: bool,
    on_destroy: Mutex<Vec<Callback>>,
    pub(crate) maps: Maps,
    written: Written,
}

/// What differs between one new memory object and another.
pub(super) struct Parts {
    pub(super) context: Obj<Context>,
    pub(super) flags: MemFlags,
    pub(super) size: usize,
    pub(super) offset: usize,
    pub(super) storage: Arc<Storage>,
    pub(super) parent: Option<Obj<Mem>>,
    pub(super) host_ptr: Option<HostPtr>,
    pub(super) properties: Properties,
    pub(super) image: Option<Box<Image>>,
    pub(super) pipe: Option<Pipe>,
    pub(super) uses_svm: bool,
}

impl Body for Mem {
    const KIND: Kind = Kind::Mem;
}

impl Mem {
    /// `clCreateBuffer` and `clCreateBufferWithProperties`; `flags` are the caller's bits, `properties` the caller's
    /// list with its terminator or empty. What is in new memory is undefined.
    ///
    /// # Errors
    /// `InvalidValue` ← flags; `InvalidBufferSize` ← size; `InvalidHostPtr` ← pointer and flags disagree;
    /// `MemObjectAllocationFailure`; what is wrong with memory from outside.
    ///
    /// Spec: OpenCL API, "Creating Buffer Objects".
    pub fn create_buffer(
        context: &Obj<Context>,
        flags: u64,
        size: usize,
        host_ptr: Option<HostPtr>,
        properties: impl Into<Properties>,
    ) -> Result<Obj<Self>> {
        let properties = properties.into();
        let flags = MemFlags::check_new(flags, properties.external.is_some())?;
        properties.check(context, flags, host_ptr)?;
        let rule = "CL_MEM_KERNEL_READ_AND_WRITE is for images";
        ensure!(!flags.contains(MemFlags::KERNEL_READ_AND_WRITE), Error::spec(Status::InvalidValue, rule));
        // "size is 0, or size is greater than CL_DEVICE_MAX_MEM_ALLOC_SIZE for all devices in context"
        let max = context.max_alloc_bytes();
        ensure!(size > 0 && size as u64 <= max, Error::BufferSize { size, max });
        // "host_ptr is NULL and CL_MEM_USE_HOST_PTR or CL_MEM_COPY_HOST_PTR are set in flags, or host_ptr is not NULL
        // but CL_MEM_COPY_HOST_PTR or CL_MEM_USE_HOST_PTR are not set in flags"
        let wants_ptr = flags.intersects(MemFlags::USE_HOST_PTR | MemFlags::COPY_HOST_PTR);
        const PTR: Error = Error::spec(Status::InvalidHostPtr, "host_ptr and CL_MEM_USE/COPY_HOST_PTR disagree");
        ensure!(wants_ptr == host_ptr.is_some(), PTR);
        if flags.contains(MemFlags::FORCE_HOST_MEMORY | MemFlags::USE_HOST_PTR) {
            let line = context.devices().iter().map(|d| d.caps().global_mem_cacheline_size as usize).max().unwrap_or(1);
            let rule = "CL_MEM_FORCE_HOST_MEMORY_INTEL: host_ptr is not aligned to a cache line";
            let is_aligned = host_ptr.is_some_and(|ptr| ptr.address().is_multiple_of(line));
            ensure!(is_aligned, Error::spec(Status::InvalidHostPtr, rule));
            let rule = "CL_MEM_FORCE_HOST_MEMORY_INTEL: size is not a multiple of a cache line";
            ensure!(size.is_multiple_of(line), Error::spec(Status::InvalidBufferSize, rule));
        }
        // "CL_MEM_USE_HOST_PTR or CL_MEM_COPY_HOST_PTR is set in flags, and host_ptr is a pointer returned by
        // clSVMAlloc, and size is greater than the size passed to clSVMAlloc"
        let room = host_ptr.and_then(|ptr| context.svm_room(ptr.address()));
        if let Some(room) = room {
            ensure!(size <= room, Error::BufferSize { size, max: room as u64 });
        }
        if let Some(ptr) = host_ptr {
            api::touches(&(ptr.address()..ptr.address().saturating_add(size)), "used");
        }
        let flags = flags.or_default();
        let storage = match (&properties.external, host_ptr) {
            (Some(external), _) => Storage::shared(external.fd, size)?,
            (None, Some(ptr)) if flags.contains(MemFlags::USE_HOST_PTR) => Storage::borrowed(ptr, size),
            (None, Some(ptr)) => {
                let storage = Storage::recycled(context.recycler(), size)?;
                storage.span().write_from(ptr, size, Stores::suiting(size));
                storage
            }
            (None, None) => {
                let storage = Storage::recycled(context.recycler(), size)?;
                race::memory_made(storage.address(), size);
                storage
            }
        };
        let host_ptr = host_ptr.filter(|_| flags.contains(MemFlags::USE_HOST_PTR));
        Ok(Self::from_parts(Parts {
            context: Arc::clone(context),
            flags,
            size,
            offset: 0,
            storage: Arc::new(storage),
            parent: None,
            host_ptr,
            properties,
            image: None,
            pipe: None,
            uses_svm: room.is_some() && host_ptr.is_some(),
        }))
    }

    /// `clCreateSubBuffer` with `CL_BUFFER_CREATE_TYPE_REGION`: bytes `origin .. origin + size` of `parent`. Flags that
    /// are not given are the parent's.
    ///
    /// # Errors
    /// `InvalidMemObject` ← parent is a sub-buffer; `InvalidValue` ← flags contradict the parent's or the region leaves
    /// it; `InvalidBufferSize` ← size 0; `MisalignedSubBufferOffset`.
    ///
    /// Spec: OpenCL API, "Creating Buffer Objects", clCreateSubBuffer.
    pub fn create_sub_buffer(parent: &Obj<Self>, flags: u64, origin: usize, size: usize) -> Result<Obj<Self>> {
        parent.context.check_alive()?;
        ensure!(
            parent.parent.is_none(),
            Error::spec(Status::InvalidMemObject, "buffer is not a valid buffer object or is a sub-buffer object")
        );
        parent.check_buffer()?;
        let flags = MemFlags::check(flags)?;
        let rule = "flags specifies CL_MEM_FORCE_HOST_MEMORY_INTEL";
        ensure!(!flags.contains(MemFlags::FORCE_HOST_MEMORY), Error::spec(Status::InvalidValue, rule));
        let flags = parent.inherited_flags(flags)?;
        // "the region specified by the cl_buffer_region structure passed in buffer_create_info is out of bounds"
        ensure!(size > 0, Error::spec(Status::InvalidBufferSize, "the size field of the cl_buffer_region is 0"));
        Span::new(origin, size, parent.size)?;
        // "there are no devices in context associated with buffer for which the origin is aligned"
        ensure!(
            origin.is_multiple_of(BASE_ALIGN_BYTES),
            Error::MisalignedSubBuffer { origin, align: BASE_ALIGN_BYTES }
        );
        let parts = parent.shared_parts(flags);
        let (offset, host_ptr) = (parts.offset + origin, parts.host_ptr.map(|p| p.offset(origin)));
        Ok(Self::from_parts(Parts { size, offset, host_ptr, parent: Some(Arc::clone(parent)), ..parts }))
    }

    pub(super) fn from_parts(parts: Parts) -> Obj<Self> {
        let Parts { context, flags, size, offset, storage, parent, host_ptr, properties, image, pipe, uses_svm } =
            parts;
        let mem = Object::new(Self {
            context,
            flags,
            size,
            offset,
            storage,
            parent,
            host_ptr,
            properties,
            image,
            pipe,
            uses_svm,
            on_destroy: Mutex::new(Rank::Memory, Vec::new()),
            maps: Maps::new(),
            written: Written::default(),
        });
        if mem.image.is_some() {
            // Code that reads and writes images does not tell.
            race::memory_written(mem.data_address(), mem.size);
        }
        let what = match (&mem.image, &mem.pipe, &mem.parent) {
            (Some(_), ..) => What::Image,
            (None, Some(_), _) => What::Pipe,
            (None, None, Some(_)) => What::SubBuffer,
            (None, None, None) => What::Buffer,
        };
        let is_borrowed = mem.flags.contains(MemFlags::USE_HOST_PTR);
        objects::made(what, mem.handle_address(), mem.data_address(), mem.size, is_borrowed);
        mem
    }

    /// An object that shares all of this one's memory.
    pub(super) fn shared_parts(&self, flags: MemFlags) -> Parts {
        Parts {
            context: Arc::clone(&self.context),
            flags,
            size: self.size,
            offset: self.offset,
            storage: Arc::clone(&self.storage),
            parent: None,
            host_ptr: self.host_ptr,
            properties: Properties::default(),
            image: None,
            pipe: None,
            uses_svm: self.uses_svm,
        }
    }

    /// Flags of an object made from this one: those that are not given are this one's.
    ///
    /// # Errors
    /// `InvalidValue` ← the flags contradict this object's.
    pub(super) fn inherited_flags(&self, flags: MemFlags) -> Result<MemFlags> {
        let bad = |condition| Err(Error::spec(Status::InvalidValue, condition));
        // "buffer was created with CL_MEM_WRITE_ONLY and flags specifies CL_MEM_READ_WRITE or CL_MEM_READ_ONLY" and its
        // mirror
        let theirs = self.flags;
        let widens = |limit: MemFlags, wants: MemFlags| theirs.contains(limit) && flags.intersects(wants);
        if widens(MemFlags::WRITE_ONLY, MemFlags::READ_WRITE | MemFlags::READ_ONLY)
            || widens(MemFlags::READ_ONLY, MemFlags::READ_WRITE | MemFlags::WRITE_ONLY)
        {
            return bad("flags give kernels an access that the memory object does not have");
        }
        if widens(MemFlags::IMMUTABLE, MemFlags::WRITERS) {
            return bad("the memory object was created with CL_MEM_IMMUTABLE_EXT and flags give write access");
        }
        // "flags specifies CL_MEM_USE_HOST_PTR, CL_MEM_ALLOC_HOST_PTR or CL_MEM_COPY_HOST_PTR"
        if flags.intersects(MemFlags::PTR) {
            return bad("flags specifies CL_MEM_USE_HOST_PTR, CL_MEM_ALLOC_HOST_PTR or CL_MEM_COPY_HOST_PTR");
        }
        if widens(MemFlags::HOST_WRITE_ONLY, MemFlags::HOST_READ_ONLY)
            || widens(MemFlags::HOST_READ_ONLY, MemFlags::HOST_WRITE_ONLY)
            || widens(MemFlags::HOST_NO_ACCESS, MemFlags::HOST_READ_ONLY | MemFlags::HOST_WRITE_ONLY)
        {
            return bad("flags give the host an access that the memory object does not have");
        }
        let pick = |group: MemFlags| if flags.intersects(group) { flags & group } else { theirs & group };
        let all =
            pick(MemFlags::KERNEL) | pick(MemFlags::HOST) | (theirs & (MemFlags::PTR | MemFlags::FORCE_HOST_MEMORY));
        let immutable = (flags | theirs) & MemFlags::IMMUTABLE;
        Ok(if immutable.is_empty() { all } else { (all - MemFlags::WRITERS) | immutable })
    }

    /// The image, if it is one.
    pub fn image(&self) -> Option<&Image> {
        self.image.as_deref()
    }

    /// What the host knows of the pipe, if it is one.
    pub fn pipe(&self) -> Option<&Pipe> {
        self.pipe.as_ref()
    }

    /// Checks that it is a buffer.
    ///
    /// # Errors
    /// `InvalidMemObject`.
    pub fn check_buffer(&self) -> Result<()> {
        let is_buffer = self.mem_type() == MemType::Buffer;
        ensure!(is_buffer, Error::spec(Status::InvalidMemObject, "buffer is not a valid buffer object"));
        Ok(())
    }

    /// `clSetContentSizeBufferPoCL`: `content` will hold how many bytes of this one mean something. That is a hint for
    /// moving no more than these between memories; here nothing is moved, so it is checked and then of no use.
    ///
    /// # Errors
    /// `InvalidValue` ← one is no buffer, or `content` is smaller than the number; `ContextMismatch`.
    ///
    /// Spec: cl_pocl_content_size.
    pub fn check_content_size(&self, content: &Self) -> Result<()> {
        let are_buffers = [self, content].iter().all(|mem| mem.mem_type() == MemType::Buffer);
        let rule = "buffer or content_size_buffer are not of CL_MEM_OBJECT_BUFFER type, or the latter is too small";
        ensure!(are_buffers && content.size >= size_of::<u64>(), Error::spec(Status::InvalidValue, rule));
        ensure!(Arc::ptr_eq(&self.context, &content.context), Error::ContextMismatch);
        Ok(())
    }

    /// `CL_MEM_TYPE`.
    pub fn mem_type(&self) -> MemType {
        match (&self.image, &self.pipe) {
            (Some(image), _) => image.mem_type(),
            (None, Some(_)) => MemType::Pipe,
            (None, None) => MemType::Buffer,
        }
    }

    /// `CL_MEM_CONTEXT`.
    pub fn context(&self) -> &Obj<Context> {
        &self.context
    }

    /// `CL_MEM_FLAGS`, inherited ones included.
    pub fn flags(&self) -> MemFlags {
        self.flags
    }

    /// `CL_MEM_SIZE` in bytes.
    pub fn size(&self) -> usize {
        self.size
    }

    /// `CL_MEM_OFFSET` in bytes: the sub-buffer's origin, else 0.
    pub fn offset(&self) -> usize {
        if self.image.is_some() { 0 } else { self.offset }
    }

    /// `CL_MEM_ASSOCIATED_MEMOBJECT`.
    pub fn parent(&self) -> Option<&Obj<Self>> {
        self.parent.as_ref()
    }

    /// `CL_MEM_HOST_PTR`: the address given with USE_HOST_PTR (plus the origin for a sub-buffer), else 0.
    pub fn host_address(&self) -> usize {
        self.host_ptr.map_or(0, HostPtr::address)
    }

    /// Whether all of it has been written, as far as that is looked at; else it counts as written.
    pub(crate) fn is_written(&self) -> bool {
        self.written.is_all(self.data_address(), self.size)
    }

    /// `CL_MEM_USES_SVM_POINTER`.
    pub fn uses_svm_pointer(&self) -> bool {
        self.uses_svm && self.image.is_none()
    }

    /// `CL_MEM_MAP_COUNT`.
    pub fn map_count(&self) -> u32 {
        self.maps.count()
    }

    /// The devices that an object in external memory is for, empty for all; none for other objects.
    pub(crate) fn external_devices(&self) -> Option<&[Obj<Device>]> {
        self.properties.external.as_ref().map(|external| &external.devices[..])
    }

    /// `CL_MEM_PROPERTIES`, with the terminator; empty if none were given.
    pub fn properties(&self) -> &[u64] {
        &self.properties.list
    }

    /// `CL_MEM_DEVICE_ADDRESS_EXT`: its address on each device of the context, the same on all.
    ///
    /// # Errors
    /// `InvalidOperation` ← the object was not created with `CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT`.
    ///
    /// Spec: cl_ext_buffer_device_address.
    pub fn device_addresses(&self) -> Result<Vec<u64>> {
        let rule = "the buffer was not allocated with CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT";
        ensure!(self.properties.asks_address, Error::spec(Status::InvalidOperation, rule));
        Ok(vec![self.data_address() as u64; self.context.devices().len()])
    }

    /// Runs `callback` when the object goes away; the last one registered runs first.
    pub fn on_destroy(&self, callback: Callback) {
        self.on_destroy.lock().push(callback);
    }

    /// Checks a host access against the object's flags.
    ///
    /// # Errors
    /// `HostAccess` (`CL_INVALID_OPERATION`).
    pub fn check_host_access(&self, access: HostAccess) -> Result<()> {
        let forbidden = match access {
            HostAccess::Read => MemFlags::HOST_WRITE_ONLY | MemFlags::HOST_NO_ACCESS,
            HostAccess::Write => MemFlags::HOST_READ_ONLY | MemFlags::HOST_NO_ACCESS | MemFlags::IMMUTABLE,
        };
        ensure!(!self.flags.intersects(forbidden), Error::HostAccess);
        Ok(())
    }

    /// Checks that commands may write to it.
    ///
    /// # Errors
    /// `InvalidOperation`.
    pub fn check_mutable(&self) -> Result<()> {
        let rule = "the destination was created with CL_MEM_IMMUTABLE_EXT";
        ensure!(!self.flags.contains(MemFlags::IMMUTABLE), Error::spec(Status::InvalidOperation, rule));
        Ok(())
    }

    /// Address of the object's first byte, as kernels and maps see it.
    pub fn data_address(&self) -> usize {
        self.storage.address() + self.offset
    }

    /// Where its bytes are, among others.
    pub(crate) fn storage(&self) -> &Arc<Storage> {
        &self.storage
    }

    /// Whether two objects have storage in common (then offsets compare).
    pub(crate) fn same_storage(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.storage, &other.storage)
    }

    /// The object's bytes.
    pub(crate) fn bytes(&self) -> super::host::Bytes<'_> {
        self.storage.span().sub(self.offset, self.size)
    }
}

impl Drop for Mem {
    fn drop(&mut self) {
        let callbacks = std::mem::take(self.on_destroy.get_mut());
        if !callbacks.is_empty() && commands::is_on() {
            // Whoever is called knows that nothing uses the memory any more.
            commands::known_all();
        }
        for callback in callbacks.into_iter().rev() {
            callback();
        }
    }
}
