//! Random sequences of calls, with right and wrong handles, against the model of the objects' lives in
//! `common/model.rs`. One test only: the count of live objects is the process's.
//!
//! `FUZZ_SECONDS=3600 cargo test --release -p clift-icd --test sequences` goes on for an hour; a failure prints its
//! seed, for `FUZZ_SEED`.

#[path = "common/choices.rs"]
mod choices;
mod common;
#[path = "common/model.rs"]
mod model;

use choices::Choices;
use common::World;
use model::{STEPS, play};
use std::time::{Duration, Instant};

#[test]
fn calls_say_what_the_model_says() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let world = World::new();
    let start = Instant::now();
    let seeds = match number("FUZZ_SEED") {
        Some(seed) => seed..seed + 1,
        None => 1..u64::MAX,
    };
    let (seconds, mut n) = (number("FUZZ_SECONDS").unwrap_or(2), 0);
    for seed in seeds {
        let random = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        play(world.device, Choices::Random(random), format!("seed {seed}"));
        n += 1;
        if start.elapsed() > Duration::from_secs(seconds) {
            break;
        }
    }
    println!("{n} sequences of {STEPS} steps");
    assert!(n > 0);
}
