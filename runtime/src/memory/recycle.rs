//! Blocks of released memory objects, kept for the next ones: a free list with best fit and bounded slack.
//!
//! Programs make an output buffer for each call and release it at once. Fresh pages cost a fault each, and the system
//! clears them; for a buffer in small pages that is fifty times the time of filling it, in huge pages three times. So
//! a block that is released stays with us for a while, and a new object gets the smallest one that is large enough and
//! at most an eighth larger, of these the one released last, which is the likeliest to be in a cache. Below `WORTH`,
//! clearing is cheaper than all this.
//!
//! **Contents.** The specification leaves the contents of a new object undefined, and other drivers hand out what was
//! in the heap. A block goes only to the context that released it, as it is: to clear it would cost as much as the
//! kernel that fills it, and a program that reads what it has not written finds its own data. What a context wrote no
//! other one ever sees: its blocks return to the system with it, and what comes from there is clear.
//! (`cl_khr_initialize_memory` speaks of local and private memory.)
//!
//! **Bounds.** What is kept, by all contexts, is at most an eighth of the memory that the process may use and no more
//! than its objects once took together; the block unused for longest goes first. None is kept for longer than `KEEP`:
//! a thread sees to that, which ends when nothing is left. Beyond an eighth of the bound, blocks are offered to the
//! system (`MADV_FREE`), which takes their pages when it is short of some; and where an allocation fails, all that is
//! kept goes back and it is tried again.
//!
//! **NUMA.** The thread that touches a page first decides on which node it lies, and a block keeps its pages. So
//! nothing is kept in a context with devices on different nodes, where the next object may be another device's.
//! Elsewhere the threads that use a block are those that touched its pages first.
#![allow(unsafe_code, reason = "a guard for the time of a fork, and a question to the system")]

use super::block::{self, Block};
use crate::check::quarantine;
use crate::fork;
use crate::primitives::thread;
use crate::sync::{Condvar, Guard, Mutex, Rank};
use clift_jit::reserve;
use clift_jit::stack::THREAD_BYTES;
use std::any::Any;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Blocks from this size on are kept.
const WORTH: usize = 32 << 10;
/// A block that nobody wants for so long goes back to the system.
const KEEP: Duration = Duration::from_secs(2);
/// The share of the memory that is kept at most.
const SHARE: u64 = 8;
/// The share of that which the system may not take.
const FIRM: usize = 8;
/// As much is kept even by programs whose objects never took so much together.
const LEAST: usize = 64 << 20;
/// A block may be larger than what it is taken for by this share.
const SLACK: usize = 8;

/// One context's part of what is kept, by which its objects get their memory.
pub(crate) struct Recycler {
    id: u64,
    /// Bytes that all contexts may keep; 0 if this one keeps nothing.
    bound: usize,
}

/// What all contexts keep.
struct State {
    kept: Kept,
    /// Bytes of blocks that are in use, and the most that ever were.
    live: usize,
    peak: usize,
    /// There is a thread that gives back what has been kept for long.
    has_keeper: bool,
    /// `fork::count` when that thread started.
    forks: u32,
}

static STATE: Mutex<State> =
    Mutex::new(Rank::Leaf, State { kept: Kept::new(), live: 0, peak: 0, has_keeper: false, forks: 0 });

static TIME: Condvar = Condvar::new();

fn lock() -> Guard<'static, State> {
    let mut state = STATE.lock();
    if state.forks != fork::count() {
        // The child of a fork has the blocks, not the thread.
        (state.has_keeper, state.forks) = (false, fork::count());
    }
    state
}

/// Keeps all blocks as they are, for the time of a fork.
pub(crate) fn hold() -> Box<dyn Any> {
    // SAFETY: a static.
    Box::new(unsafe { STATE.lock_for_fork() })
}

/// A new block of zeros. Everything that is kept makes room for it if need be.
pub(super) fn fresh(size: usize) -> Option<Block> {
    Block::zeroed(size).or_else(|| {
        let all = lock().kept.take_all();
        drop(all);
        quarantine::empty();
        Block::zeroed(size)
    })
}

impl Recycler {
    /// For a context that may use so many bytes of memory. `keeps`: its devices are close to the same memory.
    pub(crate) fn new(memory_bytes: u64, keeps: bool) -> Arc<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let bound = if keeps { memory_bytes.min(address_space()) / SHARE } else { 0 };
        Arc::new(Self { id: NEXT.fetch_add(1, Relaxed), bound: usize::try_from(bound).unwrap_or(usize::MAX) })
    }

    /// A block for so many bytes: one that this context has released, or a new one of zeros.
    pub(super) fn take(&self, size: usize) -> Option<Block> {
        let bytes = block::size_for(size)?;
        if bytes < WORTH {
            return fresh(size);
        }
        let mut state = lock();
        let (block, mut state) = match state.kept.take(self.id, bytes) {
            Some(block) => (block, state),
            None => {
                drop(state);
                (fresh(size)?, lock())
            }
        };
        state.live += block.bytes();
        state.peak = state.peak.max(state.live);
        Some(block)
    }

    /// Takes a block back that `take` gave and that nobody uses any more.
    pub(super) fn give_back(&self, mut block: Block) {
        if block.bytes() < WORTH {
            return;
        }
        let mut state = lock();
        state.live -= block.bytes();
        if state.kept.bytes + block.bytes() > self.bound / FIRM {
            drop(state);
            block.offer();
            state = lock();
        }
        let bound = self.bound.min(state.peak.max(LEAST));
        let surplus = state.kept.put(self.id, block, Instant::now(), bound);
        let wants_keeper = !state.has_keeper && !state.kept.is_empty();
        state.has_keeper |= wants_keeper;
        drop(state);
        drop(surplus);
        let thread = || thread::Builder::new().name("clift-memory".into()).stack_size(THREAD_BYTES);
        if wants_keeper && reserve::before_thread().and_then(|()| thread().spawn(keep_time)).is_err() {
            // No thread to be had: what nobody would give back in time goes now.
            let mut state = lock();
            state.has_keeper = false;
            let all = state.kept.take_all();
            drop(state);
            drop(all);
        }
    }
}

impl Drop for Recycler {
    fn drop(&mut self) {
        let blocks = lock().kept.take_all_of(self.id);
        drop(blocks);
    }
}

/// The limit of the process's address space in bytes.
fn address_space() -> u64 {
    let mut limit = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: 0 };
    // SAFETY: `limit` is valid; a failure leaves it as it is.
    unsafe { libc::getrlimit(libc::RLIMIT_AS, &raw mut limit) };
    limit.rlim_cur
}

/// Gives blocks back when their time is over, until there are none.
fn keep_time() {
    let mut state = lock();
    while let Some(due) = state.kept.due() {
        TIME.wait_for(&mut state, due.saturating_duration_since(Instant::now()));
        let expired = state.kept.expire(Instant::now());
        drop(state);
        drop(expired);
        state = lock();
    }
    state.has_keeper = false;
}

/// The free list: what is kept for whom, by size and by age. Blocks that leave it are for the caller to drop, without
/// the lock.
struct Kept {
    /// By owner, size, and turn, the latest first.
    by_size: BTreeMap<(u64, usize, Reverse<u64>), Block>,
    /// Owner, size, and time of release, by turn.
    by_age: BTreeMap<u64, (u64, usize, Instant)>,
    bytes: usize,
    next_turn: u64,
}

impl Kept {
    const fn new() -> Self {
        Self { by_size: BTreeMap::new(), by_age: BTreeMap::new(), bytes: 0, next_turn: 0 }
    }

    fn is_empty(&self) -> bool {
        self.by_age.is_empty()
    }

    /// Keeps a block. Returns those that have to go for the bound.
    fn put(&mut self, owner: u64, block: Block, now: Instant, bound: usize) -> Vec<Block> {
        let (turn, size) = (self.next_turn, block.bytes());
        self.next_turn += 1;
        self.bytes += size;
        self.by_size.insert((owner, size, Reverse(turn)), block);
        self.by_age.insert(turn, (owner, size, now));
        self.pop_while(|kept, _| kept.bytes > bound)
    }

    /// The block of this owner that fits best.
    fn take(&mut self, owner: u64, bytes: usize) -> Option<Block> {
        let (least, most) = ((owner, bytes, Reverse(u64::MAX)), (owner, bytes + bytes / SLACK, Reverse(0)));
        let (&(_, size, Reverse(turn)), _) = self.by_size.range(least..=most).next()?;
        self.remove(owner, size, turn)
    }

    /// When the next block's time is over.
    fn due(&self) -> Option<Instant> {
        self.by_age.first_key_value().map(|(_, &(_, _, since))| since + KEEP)
    }

    /// The blocks whose time is over.
    fn expire(&mut self, now: Instant) -> Vec<Block> {
        self.pop_while(|_, since| since + KEEP <= now)
    }

    fn take_all(&mut self) -> Vec<Block> {
        self.pop_while(|_, _| true)
    }

    fn take_all_of(&mut self, owner: u64) -> Vec<Block> {
        let range = (owner, 0, Reverse(u64::MAX))..=(owner, usize::MAX, Reverse(0));
        let keys: Vec<_> = self.by_size.range(range).map(|(&key, _)| key).collect();
        keys.into_iter().filter_map(|(owner, size, Reverse(turn))| self.remove(owner, size, turn)).collect()
    }

    /// The oldest blocks, for as long as `goes` says so of the list and the next one's time of release.
    fn pop_while(&mut self, goes: impl Fn(&Self, Instant) -> bool) -> Vec<Block> {
        let mut gone = Vec::new();
        while let Some((&turn, &(owner, size, since))) = self.by_age.first_key_value() {
            if !goes(self, since) {
                break;
            }
            gone.extend(self.remove(owner, size, turn));
        }
        gone
    }

    fn remove(&mut self, owner: u64, size: usize, turn: u64) -> Option<Block> {
        self.by_age.remove(&turn);
        let block = self.by_size.remove(&(owner, size, Reverse(turn)))?;
        self.bytes -= size;
        Some(block)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::host::Storage;
    use crate::memory::stream::Stores;

    const MIB: usize = 1 << 20;

    fn block(size: usize) -> Block {
        Block::zeroed(size).expect("memory")
    }

    fn sizes(blocks: &[Block]) -> Vec<usize> {
        blocks.iter().map(|block| block.bytes() / MIB).collect()
    }

    /// A list with blocks of so many MiB, put there in this order by owner 1.
    fn list(mebibytes: &[usize]) -> Kept {
        let mut kept = Kept::new();
        for &n in mebibytes {
            assert!(kept.put(1, block(n * MIB), Instant::now(), usize::MAX).is_empty());
        }
        kept
    }

    #[test]
    fn the_smallest_block_that_is_large_enough_is_taken() {
        let mut kept = list(&[72, 32, 16, 36]);
        assert_eq!(kept.bytes, 156 * MIB);
        let mut take = |size: usize| kept.take(1, size).map(|block| block.bytes() / MIB);
        assert_eq!(take(60 * MIB), None, "72 is more than an eighth larger");
        assert_eq!(take(32 * MIB), Some(32));
        assert_eq!(take(32 * MIB), Some(36));
        assert_eq!(take(32 * MIB), None);
        assert_eq!(take(64 * MIB), Some(72));
        assert_eq!(take(16 * MIB + 1), None, "smaller than that");
        assert_eq!(kept.bytes, 16 * MIB);
    }

    #[test]
    fn of_equal_blocks_the_last_one_released_is_taken() {
        let mut kept = Kept::new();
        let blocks = [block(MIB), block(MIB), block(MIB)];
        let starts = blocks.each_ref().map(|block| block.start());
        blocks.into_iter().for_each(|block| drop(kept.put(1, block, Instant::now(), usize::MAX)));
        let taken: Vec<Block> = (0..3).filter_map(|_| kept.take(1, MIB)).collect();
        assert_eq!([2, 1, 0].map(|i| starts[i]), [0, 1, 2].map(|i| taken[i].start()));
        assert!(kept.is_empty() && kept.by_size.is_empty() && kept.bytes == 0);
    }

    #[test]
    fn owners_get_their_own_blocks_only() {
        let mut kept = list(&[2, 4]);
        drop(kept.put(0, block(2 * MIB), Instant::now(), usize::MAX));
        drop(kept.put(2, block(2 * MIB), Instant::now(), usize::MAX));
        assert!(kept.take(3, 2 * MIB).is_none());
        assert_eq!(sizes(&kept.take_all_of(1)), [2, 4]);
        assert!(kept.take(1, 2 * MIB).is_none());
        assert!(kept.take(0, 2 * MIB).is_some() && kept.take(2, 2 * MIB).is_some() && kept.is_empty());
    }

    #[test]
    fn the_bound_drives_the_oldest_out() {
        let mut kept = list(&[2, 4, 6]);
        assert!(kept.put(2, block(8 * MIB), Instant::now(), 20 * MIB).is_empty());
        assert_eq!(sizes(&kept.put(2, block(4 * MIB), Instant::now(), 20 * MIB)), [2, 4]);
        assert_eq!(kept.bytes, 18 * MIB);
        assert_eq!(sizes(&kept.put(2, block(40 * MIB), Instant::now(), 20 * MIB)), [6, 8, 4, 40], "fits in no way");
        assert!(kept.is_empty());
        assert_eq!(sizes(&kept.put(2, block(2 * MIB), Instant::now(), 0)), [2], "nothing is kept");
    }

    #[test]
    fn what_is_not_used_goes_when_its_time_is_over() {
        let mut kept = Kept::new();
        let start = Instant::now();
        let at = |ms: u64| start + Duration::from_millis(ms);
        assert_eq!(kept.due(), None);
        for (size, ms) in [(2, 0), (4, 500), (6, 1000)] {
            drop(kept.put(1, block(size * MIB), at(ms), usize::MAX));
        }
        assert_eq!(kept.due(), Some(at(0) + KEEP));
        assert!(kept.expire(at(0) + KEEP - Duration::from_nanos(1)).is_empty());
        // Used in between, it is young again.
        let used = kept.take(1, 2 * MIB).expect("kept");
        drop(kept.put(1, used, at(1500), usize::MAX));
        assert_eq!(sizes(&kept.expire(at(1000) + KEEP)), [4, 6]);
        assert_eq!(kept.due(), Some(at(1500) + KEEP));
        assert_eq!(sizes(&kept.expire(at(9000))), [2]);
        assert_eq!(kept.due(), None);
    }

    #[test]
    fn contexts_keep_what_is_near_and_not_too_much() {
        let far = Recycler::new(u64::MAX, false);
        far.give_back(far.take(MIB).expect("memory"));
        assert!(lock().kept.take(far.id, MIB).is_none());
        let near = Recycler::new(u64::MAX, true);
        near.give_back(near.take(MIB).expect("memory"));
        assert!(lock().kept.take(near.id, MIB).is_some());
        // Of 8 MiB that are kept, the system may take 7.
        let small = Recycler::new(64 << 20, true);
        let used = [1, 2].map(|byte| {
            let storage = Storage::recycled(&small, 2 * MIB).expect("memory");
            storage.span().fill(&[byte], Stores::Cached);
            storage.address()
        });
        assert_eq!(used[0], used[1]);
        small.give_back(small.take(16 * MIB).expect("memory"));
        assert!(lock().kept.take(small.id, 16 * MIB).is_none());
    }
}
