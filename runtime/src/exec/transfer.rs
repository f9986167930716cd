//! Reads, writes, copies and fills, rectangular ones too; large ones on all workers, very large ones past the caches.
//! Ranges were validated when the command was made.

use crate::device::Device;
use crate::memory::buffer::Mem;
use crate::memory::host::{HostPtr, Storage};
use crate::memory::region::{Rect, Span};
use crate::memory::stream::Stores;
use crate::object::Obj;
use crate::queue::command::{BufferRect, Fill, FillRect, HostRect, MemoryCopy, MemoryFill, Transfer};
use crate::trace;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Transfers below this are done by one thread.
const PARALLEL_BYTES: usize = 4 << 20;
/// Bytes that a worker claims at once; a multiple of every fill pattern's size.
const CHUNK_BYTES: usize = 1 << 20;

/// Calls `part(first, count)` for consecutive parts of `n` units of `unit` bytes, in parallel if that pays.
fn in_parts(n: usize, unit: usize, device: &Device, part: impl Fn(usize, usize) + Send + Sync + 'static) {
    if n.saturating_mul(unit) < PARALLEL_BYTES {
        return part(0, n);
    }
    let chunk = (CHUNK_BYTES / unit).max(1);
    let n_parts = n.div_ceil(chunk);
    let next = AtomicUsize::new(0);
    let traced = trace::current();
    device.pool().share(n_parts - 1, move || {
        trace::share(traced, "transfer", "bytes", || {
            let mut done = 0;
            loop {
                let i = next.fetch_add(1, Relaxed);
                if i >= n_parts {
                    break (done * unit) as u64;
                }
                let first = i * chunk;
                let size = chunk.min(n - first);
                part(first, size);
                done += size;
            }
        });
    });
}

/// Whether two ranges of `size` bytes do not overlap or are the same; otherwise the order of parts would matter.
fn apart(a: usize, b: usize, size: usize) -> bool {
    a.abs_diff(b) >= size || a == b
}

/// Buffer to host.
pub fn read(buffer: Obj<Mem>, span: Span, target: HostPtr, device: &Device) {
    let bytes = buffer.bytes().sub(span.offset, span.size);
    if !apart(bytes.address(), target.address(), span.size) {
        return bytes.read_to(target, span.size, Stores::Cached);
    }
    let stores = Stores::suiting(span.size);
    in_parts(span.size, 1, device, move |first, size| {
        buffer.bytes().sub(span.offset + first, size).read_to(target.offset(first), size, stores);
    });
}

/// Host to buffer.
pub fn write(buffer: Obj<Mem>, span: Span, source: HostPtr, device: &Device) {
    let bytes = buffer.bytes().sub(span.offset, span.size);
    if !apart(bytes.address(), source.address(), span.size) {
        return bytes.write_from(source, span.size, Stores::Cached);
    }
    let stores = Stores::suiting(span.size);
    in_parts(span.size, 1, device, move |first, size| {
        buffer.bytes().sub(span.offset + first, size).write_from(source.offset(first), size, stores);
    });
}

/// Within the device's memory.
pub(crate) fn within(transfer: Transfer, device: &Device) {
    match transfer {
        Transfer::Copy { source, target, from, to } => copy(source, target, from, to, device),
        Transfer::CopyRect(job) => copy_rect(*job, device),
        Transfer::Fill(job) => fill(*job, device),
        Transfer::CopyMemory(job) => copy_memory(job, device),
        Transfer::FillMemory(job) => fill_memory(*job, device),
        Transfer::FillRect(job) => fill_rect(*job, device),
    }
}

/// Buffer to buffer. Overlap was refused, but USE_HOST_PTR buffers may alias.
fn copy(source: Obj<Mem>, target: Obj<Mem>, from: Span, to: Span, device: &Device) {
    let (a, b) = (source.bytes().sub(from.offset, from.size), target.bytes().sub(to.offset, to.size));
    if !apart(a.address(), b.address(), from.size) {
        return b.copy_from(a, Stores::Cached);
    }
    let stores = Stores::suiting(from.size);
    in_parts(from.size, 1, device, move |first, size| {
        let part = source.bytes().sub(from.offset + first, size);
        target.bytes().sub(to.offset + first, size).copy_from(part, stores);
    });
}

/// Pattern to buffer.
fn fill(job: Fill, device: &Device) {
    let stores = Stores::suiting(job.span.size);
    in_parts(job.span.size, 1, device, move |first, size| {
        job.buffer.bytes().sub(job.span.offset + first, size).fill(&job.pattern, stores);
    });
}

/// Address to address; overlap was refused.
fn copy_memory(job: MemoryCopy, device: &Device) {
    let [source, target] = [job.source, job.target].map(|side| Storage::borrowed(side, job.size));
    let stores = Stores::suiting(job.size);
    in_parts(job.size, 1, device, move |first, size| {
        target.span().sub(first, size).copy_from(source.span().sub(first, size), stores);
    });
}

/// Pattern to an address.
fn fill_memory(job: MemoryFill, device: &Device) {
    let target = Storage::borrowed(job.target, job.size);
    let stores = Stores::suiting(job.size);
    in_parts(job.size, 1, device, move |first, size| {
        target.span().sub(first, size).fill(&job.pattern, stores);
    });
}

/// Calls `row(offset in a, offset in b, bytes)` for each row, or once for everything if both sides are packed.
fn rows(a: Rect, b: Rect, device: &Device, row: impl Fn(usize, usize, usize) + Send + Sync + 'static) {
    if a.is_packed() && b.is_packed() {
        return in_parts(a.size_bytes(), 1, device, move |first, n| row(a.start + first, b.start + first, n));
    }
    let [width, height, depth] = a.region;
    in_parts(height * depth, width, device, move |first, n| {
        for i in first..first + n {
            let (y, z) = (i % height, i / height);
            row(a.row(y, z), b.row(y, z), width);
        }
    });
}

/// Buffer to host.
pub(crate) fn read_rect(job: HostRect, device: &Device) {
    let HostRect { buffer, rect, host, host_rect } = job;
    rows(rect, host_rect, device, move |at, there, n| {
        buffer.bytes().sub(at, n).read_to(host.offset(there), n, Stores::Cached)
    });
}

/// Host to buffer.
pub(crate) fn write_rect(job: HostRect, device: &Device) {
    let HostRect { buffer, rect, host, host_rect } = job;
    rows(rect, host_rect, device, move |at, there, n| {
        buffer.bytes().sub(at, n).write_from(host.offset(there), n, Stores::Cached)
    });
}

/// Buffer to buffer.
fn copy_rect(job: BufferRect, device: &Device) {
    let BufferRect { source, target, from, to } = job;
    rows(from, to, device, move |a, b, n| target.bytes().sub(b, n).copy_from(source.bytes().sub(a, n), Stores::Cached));
}

/// Pattern to a rectangle.
fn fill_rect(job: FillRect, device: &Device) {
    let FillRect { object, rect, pattern } = job;
    let [width, height, depth] = rect.region;
    in_parts(height * depth, width, device, move |first, n| {
        for i in first..first + n {
            object.bytes().sub(rect.row(i % height, i / height), width).fill(&pattern, Stores::Cached);
        }
    });
}
