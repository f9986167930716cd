//! Reads, writes, copies and fills, rectangular ones too; large ones on all workers. Ranges were validated when the
//! command was made.

use crate::device::Device;
use crate::memory::host::{Bytes, HostPtr};
use crate::memory::region::Rect;
use crate::queue::command::{BufferRect, HostRect};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Transfers below this are done by one thread.
const PARALLEL_BYTES: usize = 4 << 20;
/// Bytes that a worker claims at once.
const CHUNK_BYTES: usize = 1 << 20;

/// Calls `part(offset, size)` for consecutive parts of `size` bytes, in parallel if that pays.
fn in_parts(size: usize, device: &Device, part: impl Fn(usize, usize) + Sync) {
    if size < PARALLEL_BYTES {
        return part(0, size);
    }
    let n_parts = size.div_ceil(CHUNK_BYTES);
    let next = AtomicUsize::new(0);
    device.pool().share(n_parts - 1, || {
        loop {
            let i = next.fetch_add(1, Relaxed);
            if i >= n_parts {
                break;
            }
            let offset = i * CHUNK_BYTES;
            part(offset, CHUNK_BYTES.min(size - offset));
        }
    });
}

/// Whether two ranges of `size` bytes overlap: then the order of parts would matter.
fn apart(a: usize, b: usize, size: usize) -> bool {
    a.abs_diff(b) >= size || a == b
}

/// Buffer to host.
pub fn read(bytes: Bytes<'_>, target: HostPtr, device: &Device) {
    if !apart(bytes.address(), target.address(), bytes.len()) {
        return bytes.read_to(target, bytes.len());
    }
    in_parts(bytes.len(), device, |offset, size| bytes.sub(offset, size).read_to(target.offset(offset), size));
}

/// Host to buffer.
pub fn write(bytes: Bytes<'_>, source: HostPtr, device: &Device) {
    if !apart(bytes.address(), source.address(), bytes.len()) {
        return bytes.write_from(source, bytes.len());
    }
    in_parts(bytes.len(), device, |offset, size| bytes.sub(offset, size).write_from(source.offset(offset), size));
}

/// Buffer to buffer.
pub fn copy(from: Bytes<'_>, to: Bytes<'_>, device: &Device) {
    if !apart(from.address(), to.address(), from.len()) {
        return to.copy_from(from);
    }
    in_parts(from.len(), device, |offset, size| to.sub(offset, size).copy_from(from.sub(offset, size)));
}

/// Pattern to buffer; the chunk size is a multiple of every pattern size.
pub fn fill(bytes: Bytes<'_>, pattern: &[u8], device: &Device) {
    in_parts(bytes.len(), device, |offset, size| bytes.sub(offset, size).fill(pattern));
}

/// Calls `row(offset in a, offset in b, bytes)` for each run of bytes that is contiguous on both sides.
fn rows(a: &Rect, b: &Rect, mut row: impl FnMut(usize, usize, usize)) {
    if a.is_packed() && b.is_packed() {
        return row(a.start, b.start, a.size_bytes());
    }
    for z in 0..a.region[2] {
        for y in 0..a.region[1] {
            row(a.row(y, z), b.row(y, z), a.region[0]);
        }
    }
}

/// Buffer to host.
pub(crate) fn read_rect(job: &HostRect) {
    let bytes = job.buffer.bytes();
    rows(&job.rect, &job.host_rect, |at, host, size| bytes.sub(at, size).read_to(job.host.offset(host), size));
}

/// Host to buffer.
pub(crate) fn write_rect(job: &HostRect) {
    let bytes = job.buffer.bytes();
    rows(&job.rect, &job.host_rect, |at, host, size| bytes.sub(at, size).write_from(job.host.offset(host), size));
}

/// Buffer to buffer.
pub(crate) fn copy_rect(job: &BufferRect) {
    let (source, target) = (job.source.bytes(), job.target.bytes());
    rows(&job.from, &job.to, |from, to, size| target.sub(to, size).copy_from(source.sub(from, size)));
}
