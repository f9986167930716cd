//! Memory that comes from outside of OpenCL by a handle: `cl_khr_external_memory`. A handle is a file descriptor of
//! memory that can be mapped, such as that of `memfd_create`, and may come from another process. Who makes an object of
//! it gives it away, as "File Descriptor Handle Types" of the specification says, and it is closed at once: the
//! object's mapping keeps the memory.
#![allow(unsafe_code, reason = "maps files")]

use super::buffer::{Mem, MemFlags, PRIVATE_ADDRESS};
use super::host::HostPtr;
use crate::context::Context;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::event::Event;
use crate::object::{Obj, Object};
use crate::queue::command::{Command, CommandType};
use crate::queue::{Blocking, Queue, WantEvent};
use crate::status::Status;
use std::os::fd::{FromRawFd, OwnedFd};
use std::ptr::NonNull;
use std::sync::Arc;

/// What a property list says of where the memory comes from.
pub struct External {
    /// The file descriptor.
    pub fd: i32,
    /// Devices that the object is for; empty for all of the context.
    pub devices: Vec<Obj<Device>>,
}

/// A property list of a memory object.
#[derive(Default)]
pub struct Properties {
    /// As the caller wrote it, with its terminator; empty if there was none.
    pub list: Vec<u64>,
    /// What it says of memory from outside.
    pub external: Option<External>,
    /// `CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT` is set.
    pub asks_address: bool,
}

impl From<Vec<u64>> for Properties {
    /// A list without lists in it, and without memory from outside.
    fn from(list: Vec<u64>) -> Self {
        let asks_address = list.as_chunks::<2>().0.contains(&[PRIVATE_ADDRESS, 1]);
        Self { list, external: None, asks_address }
    }
}

impl Properties {
    /// Checks what goes along with memory from outside.
    ///
    /// # Errors
    /// `InvalidDevice` ← a device that is not of the context; `InvalidValue` ← flags that say where memory comes from;
    /// `InvalidHostPtr` ← a pointer to other memory.
    pub(super) fn check(&self, context: &Context, flags: MemFlags, host_ptr: Option<HostPtr>) -> Result<()> {
        let Some(external) = &self.external else { return Ok(()) };
        external.devices.iter().try_for_each(|device| context.check_device(device))?;
        let other = MemFlags::USE_HOST_PTR | MemFlags::COPY_HOST_PTR | MemFlags::ALLOC_HOST_PTR;
        let rule = "properties includes an external memory handle and flags says where the memory is";
        ensure!(!flags.intersects(other), Error::spec(Status::InvalidValue, rule));
        let rule = "properties includes an external memory handle and host_ptr is not NULL";
        ensure!(host_ptr.is_none(), Error::spec(Status::InvalidHostPtr, rule));
        Ok(())
    }
}

/// A part of the address space that shows a file's memory.
pub(super) struct Mapping {
    start: NonNull<u8>,
    bytes: usize,
}

// SAFETY: an address and a size; the type gives no access.
unsafe impl Send for Mapping {}
// SAFETY: as above.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// The first `size` bytes behind a descriptor, to read and to write. The descriptor is closed.
    ///
    /// # Errors
    /// `InvalidProperty` ← it is none of a file that has so many bytes and that can be mapped; it stays the caller's.
    pub(super) fn new(fd: i32, size: usize) -> Result<Self> {
        let bad = Error::spec(Status::InvalidProperty, "the external memory handle is no descriptor of so much memory");
        // SAFETY: a plain struct of numbers, all of which may be 0.
        let mut stat: libc::stat = unsafe { std::mem::zeroed() };
        // SAFETY: the struct is writable; a number that is no descriptor is refused. Access behind the end of a file
        // ends the process, so the size counts.
        let found = unsafe { libc::fstat(fd, &raw mut stat) };
        let has_bytes = u64::try_from(stat.st_size).is_ok_and(|bytes| bytes >= size as u64);
        ensure!(found == 0 && has_bytes, bad);
        let (rights, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED);
        // SAFETY: a mapping at an address of the kernel's choice touches nothing that exists.
        let at = unsafe { libc::mmap(std::ptr::null_mut(), size, rights, flags, fd, 0) };
        let start = NonNull::new(at.cast()).filter(|_| at != libc::MAP_FAILED).ok_or(bad)?;
        // SAFETY: an open descriptor, which the specification gives to us.
        drop(unsafe { OwnedFd::from_raw_fd(fd) });
        Ok(Self { start, bytes: size })
    }

    /// The first byte.
    pub(super) fn start(&self) -> NonNull<u8> {
        self.start
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: `new` mapped exactly this range, which nobody uses any more.
        unsafe { libc::munmap(self.start.as_ptr().cast(), self.bytes) };
    }
}

impl Object<Queue> {
    /// `clEnqueueAcquireExternalMemObjectsKHR` and, to give them back, `clEnqueueReleaseExternalMemObjectsKHR`: nothing
    /// moves, since all see the same memory; what counts is the order.
    ///
    /// # Errors
    /// `InvalidMemObject` ← an object without external memory; `InvalidCommandQueue` ← the queue's device is none of an
    /// object's, or of another context; `WaitedEventFailed`.
    pub fn hand_over(
        self: &Arc<Self>,
        objects: &[Obj<Mem>],
        acquires: bool,
        waits: &[Obj<Event>],
        want: WantEvent,
    ) -> Result<Option<Obj<Event>>> {
        let rule = "a memory object was not created with an external memory handle";
        let are_external = objects.iter().all(|object| object.external_devices().is_some());
        ensure!(are_external, Error::spec(Status::InvalidMemObject, rule));
        let fits = |object: &Obj<Mem>| {
            let devices = object.external_devices().unwrap_or_default();
            Arc::ptr_eq(object.context(), self.context())
                && (devices.is_empty() || devices.iter().any(|device| Arc::ptr_eq(device, self.device())))
        };
        let rule = "command_queue is of another context than a memory object, or of a device that it is not for";
        ensure!(objects.iter().all(fits), Error::spec(Status::InvalidCommandQueue, rule));
        if let Some(status) = waits.iter().map(|event| event.status()).find(|&status| status < 0) {
            return Err(Error::WaitedEventFailed { status });
        }
        let kind = match acquires {
            true => CommandType::AcquireExternalMemObjectsKhr,
            false => CommandType::ReleaseExternalMemObjectsKhr,
        };
        self.enqueue(Command::of_objects(kind, self.context(), objects), waits, Blocking::No, want)
    }
}
