//! How commands run. `transfer` moves bytes, `ndrange` shares groups among threads, `workgroup` calls generated code,
//! `pool` has the threads, `pin` keeps them on their CPUs, `printf` orders what kernels print, `geometry` decides sizes. Knows nothing of queues' order.

pub mod geometry;
pub mod ndrange;
mod pin;
pub mod pool;
pub mod printf;
pub mod transfer;
pub mod workgroup;

use crate::device::Device;
use crate::error::Result;
use crate::queue::command::{Command, Work};

/// Runs a command to its end: on this thread, with the device's workers' help if it is large; for a sub-device on its own
/// workers only.
///
/// # Errors
/// What went wrong while it ran; the event gets its code.
pub(crate) fn run(command: Command, device: &Device) -> Result<()> {
    if device.is_root() { run_here(command, device) } else { device.pool().enter(|| run_here(command, device)) }
}

fn run_here(command: Command, device: &Device) -> Result<()> {
    match command.into_work() {
        Work::Nothing => {}
        Work::Read { buffer, span, target } => transfer::read(buffer, span, target, device),
        Work::Write { buffer, span, source } => transfer::write(buffer, span, source, device),
        Work::ReadRect(payload) => transfer::read_rect(*payload, device),
        Work::WriteRect(payload) => transfer::write_rect(*payload, device),
        Work::Copy { source, target, from, to } => transfer::copy(source, target, from, to, device),
        Work::CopyRect(payload) => transfer::copy_rect(*payload, device),
        Work::Fill(payload) => transfer::fill(*payload, device),
        Work::CopyMemory(payload) => transfer::copy_memory(*payload, device),
        Work::FillMemory(payload) => transfer::fill_memory(*payload, device),
        Work::FillRect(payload) => transfer::fill_rect(*payload, device),
        // Maps and unmaps are zero-copy; their place in the order is all that counts.
        Work::Map { object, .. } | Work::Unmap { object, .. } => drop(object),
        Work::Migrate(objects) => drop(objects),
        Work::Launch(launch) => ndrange::run(*launch),
        Work::Native { function, objects } => {
            function();
            drop(objects);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
