//! Pipes: bounded queues of packets of one size. Makes their memory, which only kernels touch afterwards; what they do
//! with it is in the compiler's `builtins/pipe/pipe.cl`, which has the same layout.

use super::buffer::{Mem, MemFlags, Parts};
use super::external::Properties;
use super::host::Storage;
use super::stream::Stores;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::object::Obj;
use crate::status::Status;
use std::sync::Arc;

/// `CL_DEVICE_MAX_PIPE_ARGS`: there is no limit but that of the argument block.
pub const MAX_PIPE_ARGS: u32 = 128;
/// `CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS`: no limit but that each takes a packet.
pub const MAX_ACTIVE_RESERVATIONS: u32 = 65536;
/// `CL_DEVICE_PIPE_MAX_PACKET_SIZE` in bytes.
pub const MAX_PACKET_BYTES: u32 = 65536;

/// Words of 8 bytes in front of the slots' records: packet size, capacity, the last slot's number, and where packets
/// begin; then the counters of both ends, which begin as 0, as the records do.
const HEADER_WORDS: usize = 80;
/// Alignment of packets: that of the largest type.
const PACKET_ALIGN: usize = 128;

/// What the host knows of a pipe.
#[derive(Clone, Copy, Debug)]
pub struct Pipe {
    /// `CL_PIPE_PACKET_SIZE`
    pub packet_bytes: u32,
    /// `CL_PIPE_MAX_PACKETS`
    pub max_packets: u32,
}

impl Pipe {
    /// The number of the last slot; a power of two of them, so that positions become slots by a mask.
    fn last_slot(self) -> usize {
        (self.max_packets as usize).next_power_of_two() - 1
    }

    /// Where packets begin, in bytes.
    fn data(self) -> usize {
        ((HEADER_WORDS + self.last_slot() + 1) * 8).next_multiple_of(PACKET_ALIGN)
    }

    /// All bytes.
    fn bytes(self) -> Option<usize> {
        (self.last_slot() + 1).checked_mul(self.packet_bytes as usize)?.checked_add(self.data())
    }
}

impl Mem {
    /// `clCreatePipe`; `flags` are the caller's bits.
    ///
    /// # Errors
    /// `InvalidValue` ← flags; `InvalidPipeSize`; `MemObjectAllocationFailure`.
    ///
    /// Spec: OpenCL API, "Creating Pipe Objects".
    pub fn create_pipe(context: &Obj<Context>, flags: u64, packet_bytes: u32, max_packets: u32) -> Result<Obj<Self>> {
        // "Only CL_MEM_READ_WRITE and CL_MEM_HOST_NO_ACCESS can be specified"; without either it is both.
        let allowed = MemFlags::READ_WRITE | MemFlags::HOST_NO_ACCESS;
        let flags = MemFlags::from_bits(flags).filter(|&flags| allowed.contains(flags));
        let flags = flags.ok_or(Error::spec(Status::InvalidValue, "values specified in flags are not valid"))?;
        let flags = if flags.is_empty() { allowed } else { flags.or_default() };
        let fits = (1..=MAX_PACKET_BYTES).contains(&packet_bytes) && max_packets > 0;
        let rule = "pipe_packet_size is 0 or exceeds CL_DEVICE_PIPE_MAX_PACKET_SIZE, or pipe_max_packets is 0";
        ensure!(fits, Error::spec(Status::InvalidPipeSize, rule));
        let pipe = Pipe { packet_bytes, max_packets };
        let size = pipe.bytes().filter(|&size| size as u64 <= context.max_alloc_bytes());
        let size = size.ok_or(Error::Allocation { size: usize::MAX })?;
        let storage = Storage::zeroed(size)?;
        let words = [packet_bytes as usize, max_packets as usize, pipe.last_slot(), pipe.data()];
        let header: Vec<u8> = words.iter().flat_map(|&word| (word as u64).to_ne_bytes()).collect();
        storage.span().sub(0, header.len()).fill(&header, Stores::Cached);
        Ok(Self::from_parts(Parts {
            context: Arc::clone(context),
            flags,
            size,
            offset: 0,
            storage: Arc::new(storage),
            parent: None,
            host_ptr: None,
            properties: Properties::default(),
            image: None,
            pipe: Some(pipe),
            uses_svm: false,
        }))
    }
}
