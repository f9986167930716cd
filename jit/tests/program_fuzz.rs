//! Random OpenCL C programs: the interpreter, on KIR as it was lowered, and machine code of every kind leave the same. Runs
//! for about a second; `FUZZ_SECONDS` runs longer, `FUZZ_START` is the first seed, `FUZZ_SEED` runs one program.
//! `FUZZ_KEEP=FOLDER` keeps the programs there with what they leave, as cases that the tests of `kernels-test` run on any
//! OpenCL (`CLIFT_CASES`, `CL_UNDER_TEST`): a second opinion on the front end.
#![allow(unsafe_code, reason = "runs generated code")]

#[path = "support/generate/mod.rs"]
mod generate;
#[path = "support/ndrange.rs"]
mod ndrange;

use generate::{GROUP, ITEMS, TILE_BYTES, has_halves, inputs, program};
use ndrange::{Given, Kernel, Range};
use std::fmt::Write;
use std::panic::catch_unwind;
use std::time::{Duration, Instant};

/// Groups of four must fill vectors.
const LANES: [u8; 2] = [2, 4];

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[test]
fn random_programs_mean_one_thing() {
    if let Some(seed) = number("FUZZ_SEED") {
        println!("{}", program(seed));
        return check(seed);
    }
    let end = Instant::now() + Duration::from_secs(number("FUZZ_SECONDS").unwrap_or(1));
    let mut seed = number("FUZZ_START").unwrap_or(1);
    while Instant::now() < end {
        let seed_ = seed;
        assert!(catch_unwind(|| check(seed_)).is_ok(), "seed {seed}");
        seed += 1;
    }
    println!("programs up to seed {seed}");
}

fn check(seed: u64) {
    let source = program(seed);
    let kernel = Kernel::from_source(&source);
    let inputs = inputs(seed);
    let given = [
        Given::Buffer(vec![0xa5; 8 * ITEMS as usize]),
        Given::Buffer(inputs.iter().flat_map(|x| x.to_le_bytes()).collect()),
        Given::Local(TILE_BYTES),
    ];
    // A trailing group, then none: the code for an exact size.
    let last = ITEMS / GROUP * GROUP;
    kernel.run(Range { global: [ITEMS, 1, 1], local: [GROUP, 1, 1] }, &given);
    let buffers = kernel.run(Range { global: [last, 1, 1], local: [GROUP, 1, 1] }, &given);
    // Not every OpenCL has halves.
    if let Some(folder) = std::env::var_os("FUZZ_KEEP").filter(|_| !has_halves(seed)) {
        let path = std::path::Path::new(&folder).join(format!("{seed}.cl"));
        std::fs::write(path, case(&source, &inputs, &buffers[0][..8 * last as usize]))
            .expect("the folder can be written");
    }
}

/// The program as a case.
fn case(source: &str, inputs: &[i32], out: &[u8]) -> String {
    let mut text = String::from("//@ options: -cl-std=CL3.0\n//@ kernel: k\n");
    let inputs: Vec<String> = inputs.iter().map(ToString::to_string).collect();
    let hashes: Vec<String> =
        out.chunks(8).map(|b| u64::from_le_bytes(b.try_into().expect("eight")).to_string()).collect();
    let _ = writeln!(text, "//@ global: {}\n//@ local: {GROUP}\n//@ out: ulong = {}", hashes.len(), hashes.join(" "));
    let _ = writeln!(text, "//@ in: int = {}\n//@ local-bytes: {TILE_BYTES}\n{source}", inputs.join(" "));
    text
}
