//! Data races among the work-items of a group, between two barriers: what one writes and another accesses, unless one
//! has released and the other acquired in between. Of programs that have one nothing is known.

use super::access::Access;
use crate::interp::memory::{Kind, Memory};
use crate::ir::op::Order;
use crate::ir::{InstData, Op};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A work-item and when it accessed a byte last.
type Visit = (usize, u64);

/// Who has accessed a byte since the last barrier.
#[derive(Default)]
struct Seen {
    writers: SmallVec<[Visit; 1]>,
    readers: SmallVec<[Visit; 1]>,
    /// By atomic operations.
    atomics: SmallVec<[Visit; 1]>,
}

/// Watches accesses.
#[derive(Default)]
pub(super) struct Races {
    seen: FxHashMap<u64, Seen>,
    /// Goes up with each instruction.
    now: u64,
    /// When each work-item released and acquired last.
    released: FxHashMap<usize, u64>,
    acquired: FxHashMap<usize, u64>,
    /// A read that depends on the order of work-items.
    pub found: Option<String>,
    /// What is left may depend on the order of work-items.
    pub is_written_twice: bool,
}

/// True for memory that more than one work-item can get at.
pub(super) fn is_shared(memory: &Memory, address: u64) -> bool {
    matches!(memory.kind(address), Some(Kind::Buffer | Kind::Global | Kind::Local))
}

impl Races {
    pub(super) fn meet(&mut self) {
        self.seen.clear();
    }

    pub(super) fn execute(
        &mut self,
        item: usize,
        data: &InstData,
        all: &[Access],
        memory: &Memory,
        text: impl Fn() -> String,
    ) {
        self.now += 1;
        let order = data.attr.order;
        if matches!(data.op, Op::AtomicLoad | Op::AtomicRmw | Op::AtomicCas | Op::Fence)
            && matches!(order, Order::Acquire | Order::AcqRel | Order::SeqCst)
        {
            self.acquired.insert(item, self.now);
        }
        for access in all.iter().filter(|a| is_shared(memory, a.address)) {
            // A buffer has fewer bytes.
            for at in access.bytes().take(1 << 20) {
                self.touch(item, at, access, &text);
            }
        }
        if matches!(data.op, Op::AtomicStore | Op::AtomicRmw | Op::AtomicCas | Op::Fence)
            && matches!(order, Order::Release | Order::AcqRel | Order::SeqCst)
        {
            self.released.insert(item, self.now);
        }
    }

    fn touch(&mut self, item: usize, at: u64, access: &Access, text: &dyn Fn() -> String) {
        let seen = self.seen.entry(at).or_default();
        let acquired = self.acquired.get(&item).copied().unwrap_or(0);
        // Others' accesses that nothing orders before this one.
        let open = |list: &[Visit]| {
            list.iter().any(|&(other, when)| {
                let released = self.released.get(&other).copied().unwrap_or(0);
                other != item && !(when <= released && released < acquired)
            })
        };
        let races = match (access.writes, access.atomic) {
            (false, false) => open(&seen.writers) || open(&seen.atomics),
            (true, false) => open(&seen.readers) || open(&seen.atomics),
            (_, true) => open(&seen.writers) || open(&seen.readers),
        };
        if races && self.found.is_none() {
            self.found = Some(text());
        }
        let other = |list: &[Visit]| list.iter().any(|&(other, _)| other != item);
        // The order decides what atomic operations find, and who is behind a lock when.
        self.is_written_twice |= (access.atomic || access.writes) && (other(&seen.writers) || other(&seen.atomics));
        let list = match (access.writes, access.atomic) {
            (false, false) => &mut seen.readers,
            (true, false) => &mut seen.writers,
            (_, true) => &mut seen.atomics,
        };
        match list.iter_mut().find(|(who, _)| *who == item) {
            Some((_, when)) => *when = self.now,
            None => list.push((item, self.now)),
        }
    }
}
