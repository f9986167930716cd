//! What a launch knows of its arguments' memory that spares checked code from telling of accesses: `SpecKey::written`
//! and `SpecKey::apart`. Code is chosen by it when the launch is enqueued, and again when it starts, if it is not so
//! any more.

use crate::exec::geometry::Geometry;
use crate::memory::reach::bit;
use clift_jit::KernelInfo;
use clift_jit::launch::{AddrSpace, ArgKind, SpecKey};
use clift_jit::own::{Id, Launch, Symbol};
use clift_jit::race::shadow;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

/// Whether all of a buffer has been written; what is once stays so, and need not be looked up again, unless something
/// that was not has been copied since: one more than the number of such copies when it was looked up, or 0.
#[derive(Debug, Default)]
pub(crate) struct Written(AtomicU64);

impl Written {
    /// Of the buffer with this memory.
    pub(crate) fn is_all(&self, address: usize, size: usize) -> bool {
        let copies = shadow::copies_of_unwritten() + 1;
        if !super::race::watches_values() || self.0.load(Relaxed) == copies {
            return true;
        }
        let is = shadow::is_all_written(address as u64, size as u64);
        self.0.store(if is { copies } else { 0 }, Relaxed);
        is
    }
}

/// Launches of the process that may run side by side: one for each queue, and another if it is out of order.
static SIDE_BY_SIDE: AtomicUsize = AtomicUsize::new(0);

/// A queue of the host's that there is.
#[derive(Debug)]
pub(crate) struct Counted(usize);

impl Counted {
    /// One more.
    pub(crate) fn new(is_out_of_order: bool) -> Self {
        let this = Self(1 + usize::from(is_out_of_order));
        SIDE_BY_SIDE.fetch_add(this.0, Relaxed);
        this
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        SIDE_BY_SIDE.fetch_sub(self.0, Relaxed);
    }
}

/// What a launch's code was chosen by.
#[derive(Debug)]
pub(super) struct Assumed {
    /// The choice.
    pub key: SpecKey,
    /// `shadow::copies_of_unwritten`, before buffers were asked whether they are written.
    pub copies: u64,
}

impl Assumed {
    /// What code is to be chosen by now; none if that of then is right.
    pub(super) fn outdated(&self) -> Option<SpecKey> {
        let mut key = self.key;
        if shadow::copies_of_unwritten() != self.copies {
            key.written = 0;
        }
        if SIDE_BY_SIDE.load(Relaxed) > 1 {
            key.apart = 0;
        }
        (key != self.key).then_some(key)
    }
}

/// The arguments of whose memory no two work-items access the same byte, or that the kernel only reads; none if other
/// launches may not be ordered with this one, which might access it, too. `block` has the arguments, `disjoint` is as
/// in `SpecKey`.
pub(crate) fn apart(info: &KernelInfo, geometry: &Geometry, block: &[u8], disjoint: u64) -> u64 {
    if info.enqueues || SIDE_BY_SIDE.load(Relaxed) > 1 {
        return 0;
    }
    let is_global = |kind: ArgKind| matches!(kind, ArgKind::Buffer { space: AddrSpace::Global });
    let is_alone = info.args.iter().filter(|arg| is_global(arg.kind)).count() == 1;
    let launch = Sizes { info, geometry, block };
    let apart = info.footprints.iter().filter(|footprint| footprint.is_apart(&launch));
    let only_read = disjoint & !info.pointers.stored;
    apart
        .map(|footprint| bit(footprint.arg as usize))
        .filter(|bit| is_alone || bit & disjoint != 0)
        .fold(only_read, |a, b| a | b)
}

struct Sizes<'a> {
    info: &'a KernelInfo,
    geometry: &'a Geometry,
    block: &'a [u8],
}

impl Launch for Sizes<'_> {
    fn ids(&self, id: Id) -> (i128, i128) {
        let Geometry { offset, global, local, groups, .. } = self.geometry;
        match id {
            Id::Global(d) => (offset[usize::from(d)].into(), global[usize::from(d)].into()),
            Id::Group(d) => (0, groups[usize::from(d)].into()),
            Id::Local(d) => (0, local[usize::from(d)].into()),
        }
    }

    fn symbol(&self, symbol: Symbol) -> Option<i128> {
        match symbol {
            Symbol::GlobalSize(d) => Some(self.geometry.global[usize::from(d)].into()),
            Symbol::LocalSize(d) => self.geometry.uniform.then(|| self.geometry.local[usize::from(d)].into()),
            Symbol::Groups(d) => Some(self.geometry.groups[usize::from(d)].into()),
            Symbol::Arg(n) => {
                let arg = self.info.args.get(n as usize).filter(|arg| arg.kind == ArgKind::Value)?;
                let bytes = self.block.get(arg.offset..arg.offset + arg.size)?;
                match arg.size {
                    4 => Some(i32::from_ne_bytes(bytes.try_into().ok()?).into()),
                    8 => Some(i64::from_ne_bytes(bytes.try_into().ok()?).into()),
                    _ => None,
                }
            }
        }
    }
}
