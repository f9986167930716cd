//! Checks what partial evaluation says (`interp::partial`): a work-item makes each access that it is certain to make.

use super::access::Access;
use super::{Claim, Given, Report, Setup};
use crate::interp::memory::{Kind, Memory};
use crate::interp::partial::{Ids, Kernel, Known, MAX_LAUNCH_STEPS};
use crate::ir::{Func, Inst};
use rustc_hash::FxHashSet;

/// Work-items of a launch that are looked at: the first ones.
const MOST_ITEMS: usize = 256;

/// The accesses of one run of a kernel in kernel form.
#[derive(Default)]
pub(super) struct CertainWatch {
    /// Where buffers begin, by argument.
    pub buffers: Vec<Option<u64>>,
    /// Groups that have begun.
    groups: usize,
    /// Group, work-item, instruction and address.
    made: FxHashSet<(usize, usize, Inst, u64)>,
}

impl CertainWatch {
    pub(super) fn group(&mut self) {
        self.groups += 1;
    }

    pub(super) fn execute(&mut self, item: usize, inst: Inst, accesses: &[Access], memory: &Memory) {
        let shared = accesses.iter().filter(|access| memory.kind(access.address) == Some(Kind::Buffer));
        self.made.extend(shared.map(|access| (self.groups, item, inst, access.address)));
    }

    /// The run, of this kernel, is over.
    pub(super) fn check(&self, func: &Func, setup: &Setup<'_>, report: &mut Report) {
        let args: Vec<Known<'_>> = setup
            .args
            .iter()
            .map(|arg| match arg {
                Given::Value(bytes) => Known::Bytes(bytes),
                Given::Buffer(_) | Given::Again(_) => Known::Memory,
                Given::Local(_) | Given::Null => Known::Other,
            })
            .collect();
        let kernel = Kernel::new(func);
        for (group, item, ids) in items(setup).take(MOST_ITEMS) {
            let mut left = MAX_LAUNCH_STEPS;
            kernel.run(&args, &ids, &mut left, &mut |access| {
                let Some(start) = self.buffers[access.arg as usize] else { return };
                let place = (group, item, access.inst, start.wrapping_add_signed(access.offset));
                report.hold(Claim::Certain, self.made.contains(&place), || {
                    format!("{:?} makes no access to argument {} + {}", ids.global, access.arg, access.offset)
                });
            });
        }
    }
}

/// The work-items of a launch, in the order in which the interpreter runs groups and numbers their work-items, with the
/// numbers of both; the first group is number 1.
fn items(setup: &Setup<'_>) -> impl Iterator<Item = (usize, usize, Ids)> {
    let launch = setup.launch;
    let (global, local) = (launch.global_size, launch.local_size);
    let groups = [0, 1, 2].map(|d| global[d].div_ceil(local[d]));
    let split = |mut n: u64, size: [u64; 3]| {
        size.map(|size| {
            let digit = n % size;
            n /= size;
            digit
        })
    };
    (0..groups.iter().product()).flat_map(move |g| {
        let group = split(g, groups);
        let size = [0, 1, 2].map(|d| local[d].min(global[d] - group[d] * local[d]));
        (0..size.iter().product()).map(move |n| {
            let id = split(n, size);
            let ids = Ids {
                global: [0, 1, 2].map(|d| launch.global_offset[d] + group[d] * local[d] + id[d]),
                local: id,
                group,
                global_size: global,
                local_size: size,
                enqueued_size: local,
                groups,
                offset: launch.global_offset,
            };
            (g as usize + 1, n as usize, ids)
        })
    })
}
