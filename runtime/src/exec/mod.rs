//! How commands run. `transfer` moves bytes, `ndrange` shares groups among threads, `workgroup` calls generated code,
//! `pool` has the threads, `geometry` decides sizes. Knows nothing of queues' order.

pub mod geometry;
pub mod ndrange;
pub mod pool;
pub mod transfer;
pub mod workgroup;

use crate::device::Device;
use crate::error::Result;
use crate::queue::command::{Command, Work};

/// Runs a command to its end on this thread, with the device's workers' help if it is large.
///
/// # Errors
/// What went wrong while it ran; the event gets its code.
pub(crate) fn run(command: Command, device: &Device) -> Result<()> {
    match command.into_work() {
        Work::Nothing => {}
        Work::Read { buffer, span, target } => {
            transfer::read(buffer.bytes().sub(span.offset, span.size), target, device)
        }
        Work::Write { buffer, span, source } => {
            transfer::write(buffer.bytes().sub(span.offset, span.size), source, device)
        }
        Work::ReadRect(payload) => transfer::read_rect(&payload),
        Work::WriteRect(payload) => transfer::write_rect(&payload),
        Work::Copy { source, target, from, to } => {
            let from = source.bytes().sub(from.offset, from.size);
            transfer::copy(from, target.bytes().sub(to.offset, to.size), device);
        }
        Work::CopyRect(payload) => transfer::copy_rect(&payload),
        Work::Fill(fill) => {
            transfer::fill(fill.buffer.bytes().sub(fill.span.offset, fill.span.size), &fill.pattern, device)
        }
        // Maps and unmaps are zero-copy; their place in the order is all that counts.
        Work::Map { object, .. } | Work::Unmap { object, .. } => drop(object),
        Work::Migrate(objects) => drop(objects),
        Work::Launch(launch) => ndrange::run(&launch),
        Work::Native { function, objects } => {
            function();
            drop(objects);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
