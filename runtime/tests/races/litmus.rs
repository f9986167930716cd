//! What `weak` lets happen, and what not: the well-known small programs of weak memory.

use crate::primitives::thread;
use crate::weak::AtomicU32;
use shuttle::scheduler::RandomScheduler;
use std::collections::BTreeSet;
use std::sync::atomic::Ordering::{self, Acquire, Relaxed, Release, SeqCst};
use std::sync::{Arc, Mutex};

const ROUNDS: usize = 500;

/// What two threads have read, in all rounds.
fn outcomes(
    one: impl Fn(&[AtomicU32; 2]) -> u32 + Copy + Send + Sync + 'static,
    other: impl Fn(&[AtomicU32; 2]) -> u32 + Copy + Send + Sync + 'static,
) -> BTreeSet<(u32, u32)> {
    let seen = Arc::new(Mutex::new(BTreeSet::new()));
    let all = Arc::clone(&seen);
    let mut config = shuttle::Config::new();
    config.silence_warnings = true;
    shuttle::Runner::new(RandomScheduler::new(ROUNDS), config).run(move || {
        super::weak::begin();
        let variables = Arc::new([AtomicU32::new(0), AtomicU32::new(0)]);
        let theirs = Arc::clone(&variables);
        let thread = thread::spawn(move || other(&theirs));
        let first = one(&variables);
        let second = thread.join().expect("no panic");
        all.lock().expect("no panic").insert((first, second));
    });
    seen.lock().expect("no panic").clone()
}

fn expect(name: &str, seen: &BTreeSet<(u32, u32)>, outcome: (u32, u32), want: bool) -> Result<(), String> {
    if seen.contains(&outcome) == want { Ok(()) } else { Err(format!("{name}: {outcome:?} is in {seen:?}: {}", !want)) }
}

/// Data, then a flag; whoever sees the flag sees the data, if the orders say so.
fn message_passing(store: Ordering, load: Ordering) -> BTreeSet<(u32, u32)> {
    outcomes(
        move |[data, flag]| {
            data.store(1, Relaxed);
            flag.store(1, store);
            0
        },
        move |[data, flag]| flag.load(load) * 10 + data.load(Relaxed),
    )
}

/// Each stores, then reads what the other one stores.
fn store_buffering(store: Ordering, load: Ordering) -> BTreeSet<(u32, u32)> {
    let side = move |mine: &AtomicU32, other: &AtomicU32| {
        mine.store(1, store);
        other.load(load)
    };
    outcomes(move |[a, b]| side(a, b), move |[a, b]| side(b, a))
}

/// A release is continued by additions of others, and ends with a store.
fn release_sequence(is_added: bool) -> BTreeSet<(u32, u32)> {
    outcomes(
        move |[data, flag]| {
            data.store(1, Relaxed);
            flag.store(1, Release);
            match is_added {
                true => _ = flag.fetch_add(1, Relaxed),
                false => flag.store(2, Relaxed),
            }
            0
        },
        |[data, flag]| flag.load(Acquire) * 10 + data.load(Relaxed),
    )
}

pub fn all() -> Result<(), String> {
    expect("relaxed message", &message_passing(Relaxed, Relaxed), (0, 10), true)?;
    expect("released message", &message_passing(Release, Relaxed), (0, 10), true)?;
    expect("acquired message", &message_passing(Relaxed, Acquire), (0, 10), true)?;
    for order in [(Release, Acquire), (SeqCst, SeqCst)] {
        let seen = message_passing(order.0, order.1);
        expect("passed message", &seen, (0, 10), false)?;
        expect("passed message", &seen, (0, 11), true)?;
        expect("passed message", &seen, (0, 0), true)?;
    }
    expect("relaxed stores", &store_buffering(Relaxed, Relaxed), (0, 0), true)?;
    expect("released stores", &store_buffering(Release, Acquire), (0, 0), true)?;
    expect("stores and relaxed loads", &store_buffering(SeqCst, Relaxed), (0, 0), true)?;
    expect("sequential stores", &store_buffering(SeqCst, SeqCst), (0, 0), false)?;
    expect("continued release", &release_sequence(true), (0, 20), false)?;
    expect("ended release", &release_sequence(false), (0, 20), true)?;
    // Nobody reads an older value than before, and additions get lost nowhere.
    let coherent = outcomes(
        |[a, _]| {
            a.store(1, Relaxed);
            a.store(2, Relaxed);
            0
        },
        |[a, _]| a.load(Relaxed) * 10 + a.load(Relaxed),
    );
    expect("coherence", &coherent, (0, 21), false)?;
    expect("coherence", &coherent, (0, 10), false)?;
    expect("coherence", &coherent, (0, 12), true)?;
    let add = |[a, _]: &[AtomicU32; 2]| a.fetch_add(1, Relaxed);
    let added = outcomes(add, add);
    expect("additions", &added, (0, 0), false)?;
    expect("additions", &added, (1, 0), true)
}
