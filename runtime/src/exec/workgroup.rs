//! Calls generated code for a range of groups: argument block, geometry, and the worker's arena with local memory and
//! scratch.
#![allow(unsafe_code, reason = "the call into generated code and the arena it works in")]

use super::ndrange::{Compiled, Launch};
use super::{fault, geometry};
use crate::memory::host::Storage;
use clift_jit::Env;
use clift_jit::race::Worker;
use std::cell::Cell;
use std::ops::Range;

/// Alignment of every part of an arena, and the slack around it that generated code may touch.
const LINE: usize = 128;
/// A larger arena is given back after the launch.
const KEEP_BYTES: usize = 8 << 20;

thread_local!(static ARENA: Cell<Option<Storage>> = const { Cell::new(None) });

/// Offsets of an arena's parts in bytes: `slack args slack local slack scratch slack`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Layout {
    args: usize,
    local: usize,
    scratch: usize,
    total: usize,
}

impl Layout {
    /// `None` if the sum wraps.
    fn new(args: usize, local: usize, scratch: usize) -> Option<Self> {
        let after =
            |start: usize, size: usize| start.checked_add(size)?.checked_next_multiple_of(LINE)?.checked_add(LINE);
        let local_at = after(LINE, args)?;
        let scratch_at = after(local_at, local)?;
        Some(Self { args: LINE, local: local_at, scratch: scratch_at, total: after(scratch_at, scratch)? })
    }
}

/// Runs the groups with these linear numbers on this thread, by this code of the launch's kernel.
///
/// Panics if there is no memory for the arena: the event fails, nothing else.
pub fn run(launch: &Launch, compiled: &Compiled, groups: Range<u64>) {
    let geometry = &launch.geometry;
    let scratch_bytes = compiled.code.scratch_bytes(geometry::items(geometry.local));
    let layout = Layout::new(launch.args.len(), launch.local_bytes, scratch_bytes).expect("arena size wraps");
    // Taken out while it is in use, so that nothing on this thread can use it a second time. A thread that is ending
    // has none any more.
    let kept = ARENA.try_with(Cell::take).ok().flatten().filter(|arena| arena.span().len() >= layout.total);
    let arena = kept.unwrap_or_else(|| Storage::zeroed(layout.total).expect("no memory for local and private data"));
    let start = arena.span().as_mut_ptr();
    // SAFETY: the arena has at least `layout.total` bytes, and the parts lie inside.
    let (args, local, scratch) =
        unsafe { (start.add(layout.args), start.add(layout.local), start.add(layout.scratch)) };
    // SAFETY: the block fits its part of the arena, which belongs to this thread alone.
    unsafe { std::ptr::copy_nonoverlapping(launch.args.as_ptr(), args, launch.args.len()) };
    let new_worker = |races| Worker::new(races, local, launch.local_bytes, launch.zero_local);
    let mut worker = launch.races.as_ref().map(new_worker);
    let env = Env {
        global_size: geometry.global,
        global_offset: geometry.offset,
        local_size: geometry.local,
        num_groups: geometry.groups,
        work_dim: u64::from(geometry.dims),
        local,
        local_bytes: launch.local_bytes as u64,
        scratch,
        scratch_bytes: scratch_bytes as u64,
        races: worker.as_mut().map_or(std::ptr::null_mut(), Worker::handle),
    };
    // SAFETY: the block was made from `KernelInfo` with live buffers that `launch` holds ("Executing Kernels": what a
    // kernel does outside them is the caller's duty); `env` has local memory and scratch of the promised sizes. Whoever
    // began the launch made sure of its stack, `Midway` of what other code takes, and workers have enough for any.
    let call = |groups: Range<u64>| unsafe { compiled.code.run(args, &env, groups) };
    let kin = launch.device_side.as_ref().and_then(|side| side.kin.as_ref());
    let call = |groups: Range<u64>| match kin {
        None => call(groups),
        Some(kin) => kin.during(|| call(groups)),
    };
    let run = |groups: Range<u64>| match &launch.watch {
        None => call(groups),
        Some(watch) => watch.during(&env, || call(groups)),
    };
    if launch.zero_local || fault::is_wanted() {
        for group in groups.clone() {
            if launch.zero_local {
                // SAFETY: the arena's part for local memory has as many bytes.
                unsafe { std::ptr::write_bytes(local, 0, launch.local_bytes) };
            }
            fault::during(launch, group, || run(group..group + 1));
        }
    } else {
        run(groups.clone());
    }
    launch.output.end(groups, geometry.n_groups);
    if arena.span().len() <= KEEP_BYTES {
        let _ = ARENA.try_with(|kept| kept.set(Some(arena)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_aligned_and_apart() {
        let layout = Layout::new(20, 1000, 1).expect("fits");
        assert_eq!(layout, Layout { args: 128, local: 384, scratch: 1536, total: 1792 });
        assert!(layout.local >= layout.args + 20 + LINE && layout.scratch >= layout.local + 1000 + LINE);
        assert_eq!(Layout::new(0, usize::MAX - 200, 0), None);
    }
}
