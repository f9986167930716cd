//! How commands run. `transfer` moves bytes, `ndrange` shares groups among threads, `workgroup` calls generated code,
//! `pool` has the threads, `pin` keeps them on their CPUs, `meeting` is where groups wait for each other, `printf`
//! orders what kernels print, `geometry` decides sizes. Knows nothing of queues' order.

pub(crate) mod fault;
pub mod geometry;
pub(crate) mod meeting;
pub mod ndrange;
mod pin;
pub mod pool;
pub mod printf;
mod scout;
pub mod transfer;
pub mod workgroup;

use crate::check::{now, race};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::queue::command::{Command, Work};
use crate::queue::device::{self as family, Ended};
use crate::record;
use crate::status::Status;
use crate::trace;
use clift_jit::stack;
use ndrange::Launch;

/// Runs a command to its end: on this thread, with the device's workers' help if it is large; for a sub-device on its
/// own workers only.
///
/// # Errors
/// What went wrong while it ran; the event gets its code.
pub(crate) fn run(command: Command, device: &Device) -> Result<Ended> {
    let work = command.into_work();
    if device.is_root() || pool::is_alone() {
        return perform(work, device);
    }
    device.pool().enter(for_any_thread(|| perform(work, device)))
}

/// What a thread of a command does, for another thread to do.
pub(crate) fn for_any_thread<R>(run: impl FnOnce() -> R) -> impl FnOnce() -> R {
    let (traced, now) = (trace::current(), now::running());
    move || now::within(now, || if traced == 0 { run() } else { trace::within(traced, run) })
}

fn perform(work: Work, device: &Device) -> Result<Ended> {
    let mut ended = Ended::default();
    match work {
        Work::Nothing | Work::MapAddress { .. } | Work::UnmapAddress { .. } => {}
        Work::Read { buffer, span, target } => transfer::read(buffer, span, target, device),
        Work::Write { buffer, span, source } => transfer::write(buffer, span, source, device),
        Work::ReadRect(payload) => transfer::read_rect(*payload, device),
        Work::WriteRect(payload) => transfer::write_rect(*payload, device),
        Work::Transfer(transfer) => transfer::within(transfer, device),
        // Maps and unmaps are zero-copy; their place in the order is all that counts.
        Work::Map { object, .. } | Work::Unmap { object, .. } => drop(object),
        Work::Migrate(objects) => drop(objects),
        Work::Launch(mut launch) => match launch.facts.take() {
            None => ended = run_launch(launch, device)?,
            Some(facts) => ended = record::around(&facts, || run_launch(launch, device))?,
        },
        Work::Native { function, objects } => {
            race::memory_unknown(&objects);
            function()?;
            drop(objects);
        }
        Work::Sequence(works) => {
            for work in works {
                ended = trace::part(work, |work| perform(work, device))?;
                if ended.status < 0 {
                    break;
                }
            }
        }
    }
    Ok(ended)
}

fn run_launch(mut launch: Box<Launch>, device: &Device) -> Result<Ended> {
    if launch.device_side.is_some() {
        return family::run(launch, device);
    }
    ndrange::choose_code(&mut launch);
    let bytes = launch.compiled.code.stack_bytes();
    let rule = "there is no thread with the stack that the kernel's private memory takes";
    let run = || ndrange::run(launch, device.pool());
    if stack::has_room(bytes) {
        run();
        return Ok(Ended::default());
    }
    ensure!(!pool::is_alone(), NO_STACK);
    stack::with_room(bytes, for_any_thread(run))
        .map(|()| Ended::default())
        .map_err(|_| Error::spec(Status::OutOfResources, rule))
}

/// "A host thread which fails to immediately invoke an enqueue API call because of out of stack memory should return
/// CL_OUT_OF_HOST_MEMORY". Spec: cl_intel_exec_by_local_thread.
const NO_STACK: Error =
    Error::spec(Status::OutOfHostMemory, "the calling thread's stack has no room for the kernel's private memory");

#[cfg(test)]
mod tests;
