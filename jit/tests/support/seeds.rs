//! One random seed after another, as the environment says: `FUZZ_START` is the first, `FUZZ_SECONDS` how long (1), or
//! `FUZZ_COUNT` how many, `FUZZ_SEED` the only one.

#![allow(dead_code, reason = "each test uses a part")]

use std::panic::catch_unwind;
use std::process::abort;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// No seed takes so long but one whose machine code does not end. Nothing can stop that but the end of the process.
const LIMIT: Duration = Duration::from_mins(5);

/// A number in the environment.
pub fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// Runs `check` on the seeds; panics with the number of one that panics.
pub fn each(check: fn(u64)) {
    each_for(1, check);
}

/// As `each`, for so many seconds if the environment does not say.
pub fn each_for(seconds: u64, check: fn(u64)) {
    if let Some(seed) = number("FUZZ_SEED") {
        return check(seed);
    }
    let end = Instant::now() + Duration::from_secs(number("FUZZ_SECONDS").unwrap_or(seconds));
    let first = number("FUZZ_START").unwrap_or(1);
    let goes_on = |next: u64| number("FUZZ_COUNT").map_or_else(|| Instant::now() < end, |count| next < first + count);
    let seed = AtomicU64::new(first);
    let (done, next) = channel();
    thread::scope(|scope| {
        scope.spawn(|| {
            let next = next;
            loop {
                match next.recv_timeout(LIMIT) {
                    Ok(()) => {}
                    Err(RecvTimeoutError::Disconnected) => break,
                    Err(RecvTimeoutError::Timeout) => {
                        eprintln!("seed {} does not end", seed.load(Ordering::Relaxed));
                        abort();
                    }
                }
            }
        });
        let done = done;
        while goes_on(seed.load(Ordering::Relaxed)) {
            let now = seed.load(Ordering::Relaxed);
            assert!(catch_unwind(|| check(now)).is_ok(), "seed {now}");
            seed.store(now + 1, Ordering::Relaxed);
            done.send(()).expect("the other thread waits");
        }
    });
    println!("programs up to seed {}", seed.into_inner());
}
