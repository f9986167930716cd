//! Data races among the work-items of a group, between two barriers: what one writes and another accesses. Of programs that have
//! one nothing is known.

use super::access::Access;
use crate::interp::memory::{Kind, Memory};
use rustc_hash::FxHashMap;

/// Who has accessed a byte.
#[derive(Clone, Copy, Default)]
struct Seen {
    writer: Option<usize>,
    reader: Option<usize>,
    atomic: Option<usize>,
    /// More than one reader, or user by atomic operations.
    readers: bool,
    atomics: bool,
}

/// Watches accesses.
#[derive(Default)]
pub(super) struct Races {
    seen: FxHashMap<u64, Seen>,
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

    pub(super) fn access(&mut self, item: usize, all: &[Access], memory: &Memory, text: impl Fn() -> String) {
        for access in all.iter().filter(|a| is_shared(memory, a.address)) {
            // A buffer has fewer bytes.
            for at in access.bytes().take(1 << 20) {
                let seen = self.seen.entry(at).or_default();
                let other = |who: Option<usize>| who.is_some_and(|who| who != item);
                let read = other(seen.reader) || seen.readers;
                let by_atomic = other(seen.atomic) || seen.atomics;
                let races = match (access.writes, access.atomic) {
                    (false, false) => other(seen.writer) || by_atomic,
                    (_, true) => {
                        // The order decides what each finds.
                        self.is_written_twice |= by_atomic;
                        other(seen.writer) || read
                    }
                    (true, false) => {
                        self.is_written_twice |= other(seen.writer);
                        read || by_atomic
                    }
                };
                if races && self.found.is_none() {
                    self.found = Some(text());
                }
                let note = |who: &mut Option<usize>, many: &mut bool| {
                    *many |= who.is_some_and(|who| who != item);
                    *who = Some(item);
                };
                match (access.writes, access.atomic) {
                    (false, false) => note(&mut seen.reader, &mut seen.readers),
                    (_, true) => note(&mut seen.atomic, &mut seen.atomics),
                    (true, false) => seen.writer = Some(item),
                }
            }
        }
    }
}
