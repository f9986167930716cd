//! Memory that is a command's and not the host's, page by page: what a command may write is closed to everybody from
//! the moment when it may begin until it does, and what commands only read is closed for writing until they have ended.
//! So a host that touches it, through an address that it got by a map or of an SVM allocation, faults, and is told of
//! (protection of pages as in Li, Hudak, "Memory Coherence in Shared Virtual Memory Systems", 1989; the pause in front
//! of a command is that of `api`). While a command that writes runs, its pages are open, since its threads are the
//! host's.
//!
//! Guarded are blocks of our own whose addresses the host knows. Regions that are mapped are the host's, and open. Must
//! not know what a command or a report is: `commands` says who uses what.
#![allow(unsafe_code, reason = "protects pages")]

use super::history::Access;
use crate::exec::fault;
use smallvec::SmallVec;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::ops::Range;
use std::ptr;
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Ranges of one block that commands use at a time; what more of them use is not guarded.
const MAX_USES: usize = 64;
/// Faults in one block, after which it is left open: a host that goes on so makes no further reports.
const MAX_FAULTS: u32 = 1000;
/// Faults of a thread at one address where nothing is closed any more: another thread has opened it since. If there are
/// more, they are not ours.
const MAX_STRAYS: u32 = 100;
/// Parts of blocks that are closed at a time in the process: each makes up to two mappings more, of which a process may
/// have some ten thousand.
const MAX_CLOSED: usize = 8192;

static CLOSED: AtomicUsize = AtomicUsize::new(0);

// The last of those faults, and how many there were in a row.
thread_local!(static STRAYS: Cell<(usize, u32)> = const { Cell::new((0, 0)) });

/// How far a command has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// It may begin at any time.
    Waits,
    /// It runs.
    Runs,
}

/// Who knows the address of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    /// Nobody but us.
    Not,
    /// The host, which may use it only between commands.
    ToHost,
    /// The host, which may use it at any time.
    ToBoth,
}

/// What may be done to pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    Open,
    ReadOnly,
    Closed,
}

/// What commands do to a range, in one way.
#[derive(Debug)]
struct Users<T> {
    waiting: u32,
    running: u32,
    /// The one that was enqueued last.
    by: Option<(Arc<T>, Access)>,
}

impl<T> Default for Users<T> {
    fn default() -> Self {
        Self { waiting: 0, running: 0, by: None }
    }
}

impl<T> Users<T> {
    fn any(&self) -> bool {
        self.waiting + self.running > 0
    }

    fn count(&mut self, stage: Stage) -> &mut u32 {
        match stage {
            Stage::Waits => &mut self.waiting,
            Stage::Runs => &mut self.running,
        }
    }
}

/// A range of addresses that commands use, or that is mapped.
#[derive(Debug)]
struct Use<T> {
    mapped: u32,
    reads: Users<T>,
    writes: Users<T>,
}

impl<T> Default for Use<T> {
    fn default() -> Self {
        Self { mapped: 0, reads: Users::default(), writes: Users::default() }
    }
}

impl<T> Use<T> {
    fn users(&mut self, writes: bool) -> &mut Users<T> {
        if writes { &mut self.writes } else { &mut self.reads }
    }

    fn has_commands(&self) -> bool {
        self.reads.any() || self.writes.any()
    }
}

#[derive(Debug)]
struct Block<T> {
    end: usize,
    shown: Shown,
    uses: BTreeMap<(usize, usize), Use<T>>,
    /// It was touched, and stays open until nothing uses it.
    is_open: bool,
    /// Touches.
    faults: u32,
    /// What is not open, by first page.
    closed: Vec<(Range<usize>, Level)>,
}

/// All blocks, by their first byte. `T` is what is known of a command.
#[derive(Debug)]
pub(super) struct Guard<T>(BTreeMap<usize, Block<T>>);

impl<T> Default for Guard<T> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

/// A touch by somebody who is not a command.
pub(super) struct Touch<T> {
    /// The command that uses the memory, and how.
    pub by: Arc<T>,
    pub access: Access,
    /// Whether it was to be written; none if the processor does not say.
    pub writes: Option<bool>,
}

impl<T> Guard<T> {
    /// A block that has its pages to itself. Nobody knows it yet.
    pub fn made(&mut self, range: Range<usize>) {
        let block = Block {
            end: pages(range.clone()).end,
            shown: Shown::Not,
            uses: BTreeMap::new(),
            is_open: false,
            faults: 0,
            closed: Vec::new(),
        };
        self.0.insert(range.start, block);
    }

    /// It has another purpose from now on, or is given back.
    pub fn gone(&mut self, start: usize) {
        if let Some(mut block) = self.0.remove(&start) {
            block.open();
        }
    }

    /// The host gets to know the block that holds this address; `to_both`: it may use it while commands do.
    pub fn show(&mut self, address: usize, to_both: bool) {
        if let Some(block) = self.at(address).filter(|block| block.shown != Shown::ToBoth) {
            block.shown = if to_both { Shown::ToBoth } else { Shown::ToHost };
        }
    }

    /// A region is mapped.
    pub fn map(&mut self, range: &Range<usize>) {
        self.show(range.start, false);
        let mut is_noted = false;
        self.change(range, |of| (of.mapped, is_noted) = (of.mapped + 1, true));
        if let Some(block) = self.at(range.start).filter(|_| !is_noted) {
            // What cannot be told from the host's is not guarded any more.
            block.give_up();
        }
    }

    /// A mapped region is given back.
    pub fn unmap(&mut self, range: &Range<usize>) {
        self.change(range, |of| of.mapped = of.mapped.saturating_sub(1));
    }

    /// A command is at this stage from now on. True if what it writes is closed.
    pub fn enter(&mut self, accesses: &[Access], stage: Stage, by: &Arc<T>) -> bool {
        let mut is_closed = false;
        for access in accesses.iter().filter(|access| !access.shared && !access.certain) {
            let closed = self.change(&access.range, |of| {
                let users = of.users(access.writes);
                *users.count(stage) += 1;
                if stage == Stage::Waits {
                    users.by = Some((Arc::clone(by), access.clone()));
                }
            });
            is_closed |= closed && access.writes;
        }
        is_closed
    }

    /// A command is at this stage no more.
    pub fn leave(&mut self, accesses: &[Access], stage: Stage) {
        for access in accesses.iter().filter(|access| !access.shared && !access.certain) {
            self.change(&access.range, |of| {
                let users = of.users(access.writes);
                let count = users.count(stage);
                *count = count.saturating_sub(1);
                if !users.any() {
                    users.by = None;
                }
            });
        }
    }

    /// A fault at this address, of a write or not if the processor says so. None if nothing was closed, or cannot be
    /// opened. Else it is open by now, and gives the command whose memory was touched, if it was.
    pub fn touched(&mut self, address: usize, writes: Option<bool>) -> Option<Option<Touch<T>>> {
        let block = self.at(address).filter(|block| block.shown == Shown::ToHost)?;
        let Some(level) = block.closed.iter().find(|(pages, _)| pages.contains(&address)).map(|closed| closed.1) else {
            let (last, n) = STRAYS.get();
            let n = if last == address { n + 1 } else { 1 };
            STRAYS.set((address, n));
            // Opened once more, should the system have refused it before.
            let is_open = n < 3 || protect(&pages(address..address + 1), Level::Open);
            return (n <= MAX_STRAYS && is_open).then_some(None);
        };
        STRAYS.set((0, 0));
        (block.faults, block.is_open) = (block.faults + 1, true);
        if !block.settle() {
            return None;
        }
        let writes = if level == Level::ReadOnly { Some(true) } else { writes };
        let is_here = |(_, access): &&(Arc<T>, Access)| access.range.contains(&address);
        let by_write = block.uses.values().filter_map(|of| of.writes.by.as_ref()).find(is_here);
        let by_read = || block.uses.values().filter_map(|of| of.reads.by.as_ref()).find(is_here);
        let by = by_write.or_else(|| if writes == Some(true) { by_read() } else { None });
        Some(by.map(|(by, access)| Touch { by: Arc::clone(by), access: access.clone(), writes }))
    }

    /// In the child of a fork, where no command goes on. What is mapped is.
    pub fn forked(&mut self) {
        for block in self.0.values_mut() {
            block.uses.retain(|_, of| {
                (of.reads, of.writes) = Default::default();
                of.mapped > 0
            });
            block.settle();
        }
    }

    fn at(&mut self, address: usize) -> Option<&mut Block<T>> {
        self.0.range_mut(..=address).next_back().map(|(_, block)| block).filter(|block| address < block.end)
    }

    /// Changes what is known of a range. True if something of its block is closed then.
    fn change(&mut self, range: &Range<usize>, change: impl FnOnce(&mut Use<T>)) -> bool {
        let block = self.at(range.start).filter(|block| block.shown == Shown::ToHost && !range.is_empty());
        let Some(block) = block else { return false };
        let key = (range.start, range.end.min(block.end));
        if block.uses.len() >= MAX_USES && !block.uses.contains_key(&key) {
            return false;
        }
        let of = block.uses.entry(key).or_default();
        change(of);
        if !of.has_commands() && of.mapped == 0 {
            block.uses.remove(&key);
        }
        block.is_open &= block.uses.values().any(Use::has_commands);
        block.settle();
        !block.closed.is_empty()
    }
}

impl<T> Block<T> {
    /// What is to be closed, in order.
    fn wanted(&self) -> Vec<(Range<usize>, Level)> {
        if self.is_open || self.faults > MAX_FAULTS || !self.uses.values().any(Use::has_commands) {
            return Vec::new();
        }
        let uses: SmallVec<[(Range<usize>, &Use<T>); 4]> =
            self.uses.iter().map(|(&(start, end), of)| (pages(start..end), of)).collect();
        let mut edges: SmallVec<[usize; 8]> = uses.iter().flat_map(|(pages, _)| [pages.start, pages.end]).collect();
        edges.sort_unstable();
        edges.dedup();
        let mut wanted: Vec<(Range<usize>, Level)> = Vec::new();
        for pair in edges.windows(2) {
            let level = level(uses.iter().filter(|(pages, _)| pages.contains(&pair[0])).map(|(_, of)| *of));
            match wanted.last_mut() {
                _ if level == Level::Open => {}
                Some((before, same)) if before.end == pair[0] && *same == level => before.end = pair[1],
                _ => wanted.push((pair[0]..pair[1], level)),
            }
        }
        wanted
    }

    /// Gives the pages the protection that they are to have. False if the system does not open what is to be open.
    fn settle(&mut self) -> bool {
        let mut wanted = self.wanted();
        if wanted == self.closed {
            return true;
        }
        if !wanted.is_empty() && (CLOSED.load(Relaxed) > MAX_CLOSED || !fault::comes_here()) {
            wanted.clear();
        }
        let before = std::mem::take(&mut self.closed);
        CLOSED.fetch_sub(before.len(), Relaxed);
        let mut is_done = true;
        for (pages, _) in before.iter().filter(|closed| !wanted.contains(closed)) {
            is_done &= protect(pages, Level::Open);
        }
        let mut is_closed = true;
        for (pages, level) in wanted.iter().filter(|closed| !before.contains(closed)) {
            is_closed &= protect(pages, *level);
        }
        CLOSED.fetch_add(wanted.len(), Relaxed);
        self.closed = wanted;
        if !is_closed {
            // The system has no room for so many parts.
            is_done &= self.give_up();
        }
        is_done
    }

    /// Leaves it open for good.
    fn give_up(&mut self) -> bool {
        self.faults = MAX_FAULTS + 1;
        self.open()
    }

    fn open(&mut self) -> bool {
        let closed = std::mem::take(&mut self.closed);
        CLOSED.fetch_sub(closed.len(), Relaxed);
        closed.iter().fold(true, |is_done, (pages, _)| protect(pages, Level::Open) && is_done)
    }
}

/// What may be done to pages with these uses.
fn level<'a, T: 'a>(uses: impl Iterator<Item = &'a Use<T>>) -> Level {
    let (mut is_mapped, [mut reads, mut writes, mut will_read, mut will_write]) = (false, [false; 4]);
    for of in uses {
        is_mapped |= of.mapped > 0;
        reads |= of.reads.running > 0;
        writes |= of.writes.running > 0;
        will_read |= of.reads.waiting > 0;
        will_write |= of.writes.waiting > 0;
    }
    match () {
        () if is_mapped || writes => Level::Open,
        () if reads => Level::ReadOnly,
        () if will_write => Level::Closed,
        () if will_read => Level::ReadOnly,
        () => Level::Open,
    }
}

/// The pages that a range touches.
fn pages(range: Range<usize>) -> Range<usize> {
    static BYTES: OnceLock<usize> = OnceLock::new();
    // SAFETY: a question.
    let bytes = *BYTES.get_or_init(|| usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096));
    range.start / bytes * bytes..range.end.next_multiple_of(bytes)
}

/// False if the system refuses.
fn protect(pages: &Range<usize>, level: Level) -> bool {
    let what = match level {
        Level::Open => libc::PROT_READ | libc::PROT_WRITE,
        Level::ReadOnly => libc::PROT_READ,
        Level::Closed => libc::PROT_NONE,
    };
    // SAFETY: pages of a block of ours, which has them to itself. Who uses them meanwhile comes to `touched`.
    unsafe { libc::mprotect(ptr::without_provenance_mut(pages.start), pages.len(), what) == 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const N_PAGES: usize = 6;

    /// Pages of the system's, and a pipe that tells what may be done with them.
    struct Memory {
        start: usize,
        page: usize,
        pipe: [i32; 2],
    }

    impl Memory {
        fn new() -> Self {
            let page = pages(0..1).end;
            let mut pipe = [0; 2];
            // SAFETY: a fresh mapping, and a pair of descriptors.
            let start = unsafe {
                assert_eq!(libc::pipe(pipe.as_mut_ptr()), 0);
                let (what, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
                libc::mmap(ptr::null_mut(), N_PAGES * page, what, flags, -1, 0)
            };
            assert_ne!(start, libc::MAP_FAILED);
            Self { start: start.addr(), page, pipe }
        }

        /// What the system lets us do at an address.
        fn level(&self, address: usize) -> Level {
            let at = ptr::without_provenance_mut(address);
            // SAFETY: the system looks at the address before it touches it.
            unsafe {
                if libc::write(self.pipe[1], at, 1) != 1 {
                    return Level::Closed;
                }
                if libc::read(self.pipe[0], at, 1) == 1 {
                    return Level::Open;
                }
                let mut byte = 0u8;
                assert_eq!(libc::read(self.pipe[0], (&raw mut byte).cast(), 1), 1);
                Level::ReadOnly
            }
        }
    }

    impl Drop for Memory {
        fn drop(&mut self) {
            // SAFETY: what `new` made.
            unsafe {
                libc::munmap(ptr::without_provenance_mut(self.start), N_PAGES * self.page);
                libc::close(self.pipe[0]);
                libc::close(self.pipe[1]);
            }
        }
    }

    #[derive(Clone, Debug)]
    struct Command {
        range: Range<usize>,
        writes: bool,
    }

    fn commands() -> impl Strategy<Value = Vec<Command>> {
        let end = N_PAGES * 16;
        let command = (0..end, 1..end, any::<bool>());
        let command =
            command.prop_map(move |(start, n, writes)| Command { range: start..(start + n).min(end), writes });
        prop::collection::vec(command, 1..8)
    }

    proptest! {
        /// Commands wait, run and end, and regions are mapped and unmapped, in random order: each page lets the host do
        /// what all that use it permit.
        #[test]
        fn pages_are_closed_as_commands_use_them(
            commands in commands(), mut steps in prop::collection::vec(any::<u8>(), 40)
        ) {
            let memory = Memory::new();
            let scaled = |range: &Range<usize>| {
                memory.start + range.start * memory.page / 16..memory.start + range.end * memory.page / 16
            };
            let mut guard = Guard::<usize>::default();
            guard.made(memory.start..memory.start + N_PAGES * memory.page);
            guard.show(memory.start + 5, false);
            // 0: not yet, 1: waits or is mapped, 2: runs, 3: no more.
            let mut stages = vec![0; commands.len()];
            steps.extend(std::iter::repeat_n((0..commands.len() as u8).collect::<Vec<_>>(), 3).flatten());
            for step in steps {
                let n = step as usize % commands.len();
                let (command, is_map) = (&commands[n], n % 4 == 3);
                let accesses = [Access::of(scaled(&command.range), command.writes)];
                match (stages[n], is_map) {
                    (0, true) => guard.map(&accesses[0].range),
                    (1, true) => guard.unmap(&accesses[0].range),
                    (0, false) => _ = guard.enter(&accesses, Stage::Waits, &Arc::new(n)),
                    (1, false) => {
                        guard.enter(&accesses, Stage::Runs, &Arc::new(n));
                        guard.leave(&accesses, Stage::Waits);
                    }
                    (2, false) => guard.leave(&accesses, Stage::Runs),
                    _ => continue,
                }
                stages[n] += 1;
                for page in 0..N_PAGES {
                    let here = |stage: i32, what: fn(usize, &Command) -> bool| {
                        commands.iter().zip(&stages).enumerate().any(|(n, (command, &at))| {
                            let Range { start, end } = command.range;
                            at == stage && start < (page + 1) * 16 && page * 16 < end && what(n, command)
                        })
                    };
                    let is_mapped = |n: usize, _: &Command| n % 4 == 3;
                    let writes = |n: usize, command: &Command| n % 4 != 3 && command.writes;
                    let expected = match () {
                        () if here(1, is_mapped) || here(2, writes) => Level::Open,
                        () if here(2, |n, _| n % 4 != 3) => Level::ReadOnly,
                        () if here(1, writes) => Level::Closed,
                        () if here(1, |_, _| true) => Level::ReadOnly,
                        () => Level::Open,
                    };
                    prop_assert_eq!(memory.level(memory.start + page * memory.page + 7), expected);
                }
            }
            prop_assert!(guard.0.values().all(|block| block.uses.is_empty()));
        }
    }

    #[test]
    fn what_was_touched_is_open_until_nothing_uses_it() {
        let memory = Memory::new();
        let (start, page) = (memory.start, memory.page);
        let mut guard = Guard::<u32>::default();
        guard.made(start..start + N_PAGES * page);
        let writes = [Access::of(start + 8..start + 2 * page, true)];
        // Nobody knows the address.
        assert!(!guard.enter(&writes, Stage::Waits, &Arc::new(1)));
        guard.leave(&writes, Stage::Waits);
        guard.show(start, false);
        assert!(guard.enter(&writes, Stage::Waits, &Arc::new(2)));
        assert_eq!(memory.level(start + page), Level::Closed);
        let touch = guard.touched(start + page, Some(false)).flatten().expect("the command's");
        assert_eq!((*touch.by, touch.writes), (2, Some(false)));
        assert_eq!(memory.level(start + page), Level::Open);
        // In front of what the command writes, though on its page, and where nobody knows any memory.
        assert!(guard.touched(start, Some(true)).is_some_and(|touch| touch.is_none()));
        assert!(guard.touched(start + N_PAGES * page, Some(true)).is_none());
        assert!(!guard.enter(&writes, Stage::Waits, &Arc::new(3)));
        guard.leave(&writes, Stage::Waits);
        guard.leave(&writes, Stage::Waits);
        assert!(guard.enter(&writes, Stage::Waits, &Arc::new(4)));
        assert_eq!(memory.level(start), Level::Closed);
        guard.gone(start);
        assert_eq!(memory.level(start), Level::Open);
    }
}
