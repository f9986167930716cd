//! SVM and USM allocations that have been freed are kept apart for a while, so that nothing else has their addresses
//! and an access to one is known for what it is (the quarantine of AddressSanitizer: Serebryany, Bruening, Potapenko,
//! Vyukov, 2012). Large ones give their pages back and keep the addresses only. Filled only while accesses to memory
//! or calls are checked.
#![allow(unsafe_code, reason = "a guard for the time of a fork")]

use super::{Kinds, enabled, objects};
use crate::memory::host::Storage;
use crate::sync::{Mutex, Rank};
use std::any::Any;
use std::collections::VecDeque;

/// Allocations that are kept: as many as `objects` remembers.
const KEPT: usize = objects::FREED;
/// Bytes of memory that they have together, and of addresses.
const BYTES: usize = 64 << 20;
const ADDRESSES: usize = 1 << 30;

struct Kept {
    storage: Storage,
    /// What it still has of memory.
    bytes: usize,
}

static ALL: Mutex<VecDeque<Kept>> = Mutex::new(Rank::Leaf, VecDeque::new());

/// Keeps everything as it is, for the time of a fork.
pub(crate) fn hold() -> Box<dyn Any> {
    // SAFETY: a static.
    Box::new(unsafe { ALL.lock_for_fork() })
}

/// An allocation is freed. `for_good`: commands may still use it, and its memory is never given back.
pub(crate) fn freed(mut storage: Storage, for_good: bool) {
    objects::freed(storage.address());
    if for_good {
        return std::mem::forget(storage);
    }
    if !(enabled(Kinds::MEMORY | Kinds::API) || objects::has_checked()) {
        return;
    }
    let bytes = if storage.empty() { 0 } else { storage.span().len() };
    let oldest: Vec<Kept> = {
        let mut all = ALL.lock();
        all.push_back(Kept { storage, bytes });
        let mut memory: usize = all.iter().map(|kept| kept.bytes).sum();
        let mut addresses: usize = all.iter().map(|kept| kept.storage.span().len()).sum();
        let mut too_many = 0;
        while all.len() - too_many > KEPT || memory > BYTES || addresses > ADDRESSES {
            memory -= all[too_many].bytes;
            addresses -= all[too_many].storage.span().len();
            too_many += 1;
        }
        all.drain(..too_many).collect()
    };
    forget(&oldest);
}

/// Gives everything back: memory, or addresses, are short.
pub(crate) fn empty() {
    let all: Vec<Kept> = ALL.lock().drain(..).collect();
    forget(&all);
}

/// From here on the addresses may be anybody's.
fn forget(all: &[Kept]) {
    all.iter().for_each(|kept| objects::forget(kept.storage.address()));
}
