//! Every row of the pipeline keeps results. Random programs go through all phases, and behind each pass that changes a
//! function the interpreter must leave in all buffers what it leaves of the source: in kernel form, in work-group form,
//! in lanes and in legal form, for targets that need not be the host's. `program` makes the programs, `stages` walks
//! the pipeline with one of them.
//!
//! By default the same programs run everywhere, and each pass must have changed some of them. `FUZZ_SECONDS` goes on
//! for so long (from seed `FUZZ_START` on), `FUZZ_SEED` runs one program and shows it. Must not run machine code.

#[path = "../support/generate/mod.rs"]
mod generate;
mod program;
#[path = "../subtest/random.rs"]
mod random;
#[path = "../support/seeds.rs"]
mod seeds;
mod stages;

use clift_jit::pipeline::{MODULE_PASSES, PASSES};
use generate::rng;
use std::collections::BTreeMap;
use std::thread;

/// Programs of a default run.
const PROGRAMS: u64 = 760;
/// How many of them each pass must have changed.
const LEAST: usize = 3;

/// Passes for kernels with sub-groups.
const SUB_GROUPS: [&str; 5] = ["sub-group-size", "single-sub-groups", "reducible", "expand-reductions", "slp"];

/// The pass that decides about results: part of what a program means.
const MEANING: &str = "library-calls";

/// Passes of programs that are built with checks.
const CHECKS: [&str; 6] =
    ["lift-queries-checked", "inline-checked", "check-lowered", "variables-of-pointers", "check", "track"];

/// The pass for kernels of more than 100,000 instructions: `tests/lifted_queries.rs` has one.
const OF_LARGE: &str = "lift-queries";

/// What came of many programs.
#[derive(Default)]
struct Tally {
    /// How many programs a pass has changed.
    changed: BTreeMap<&'static str, usize>,
    /// Programs that the interpreter refuses as they stand in the source, and why.
    refused: Vec<String>,
}

#[test]
fn rows_keep_results() {
    if seeds::number("FUZZ_SEED").is_some() || seeds::number("FUZZ_SECONDS").is_some() {
        return seeds::each(|seed| {
            if let Err(why) = check(seed) {
                println!("seed {seed} is refused: {why}");
            }
        });
    }
    let threads = thread::available_parallelism().map_or(1, usize::from) as u64;
    let worker = |first: u64| -> Vec<_> { (first..PROGRAMS).step_by(threads as usize).map(check).collect() };
    let results = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|n| scope.spawn(move || worker(n))).collect();
        // A failure has been printed by its thread.
        workers.into_iter().flat_map(|worker| worker.join().expect("all programs are fine")).collect::<Vec<_>>()
    });
    let mut tally = Tally::default();
    for result in results {
        match result {
            Ok(passes) => passes.into_iter().for_each(|pass| *tally.changed.entry(pass).or_default() += 1),
            Err(why) => tally.refused.push(why),
        }
    }
    // `tests/sub_groups.rs` has programs with sub-groups; what `MEANING` does is done before programs get here, and
    // these are built without checks.
    let rows = PASSES.iter().map(|pass| pass.name).filter(|name| !SUB_GROUPS.contains(name));
    let names = rows
        .chain(MODULE_PASSES.iter().map(|pass| pass.name).filter(|name| ![MEANING, OF_LARGE].contains(name)))
        .filter(|name| !CHECKS.contains(name));
    let times = |name: &str| tally.changed.get(name).copied().unwrap_or(0);
    let rare: Vec<String> =
        names.clone().filter(|name| times(name) < LEAST).map(|name| format!("{name}: {}", times(name))).collect();
    names.for_each(|name| println!("{:>5} {name}", times(name)));
    println!("{} of {PROGRAMS} programs refused: {:#?}", tally.refused.len(), tally.refused);
    assert!(rare.is_empty(), "these passes change fewer than {LEAST} programs: {}", rare.join(", "));
    assert!(tally.refused.len() < PROGRAMS as usize / 10, "too many programs are refused: {:#?}", tally.refused);
}

/// The passes that change the program with this number, or why the interpreter refuses it.
///
/// # Panics
/// If one of them changes what it computes.
fn check(seed: u64) -> Result<Vec<&'static str>, String> {
    let program = program::Program::new(seed);
    if seeds::number("FUZZ_SEED").is_some() {
        println!("{}", program.description);
    }
    stages::check(&program)
}
