//! Random OpenCL C programs: the interpreter, on KIR as it was lowered, and machine code of every kind leave the same.
//! Runs for about a second, or as `support/seeds.rs` says; `FUZZ_SEED` shows the program too.
//! With `FUZZ_KEEP=FOLDER` machine code is for others to make: the programs are kept there with what the interpreter
//! leaves, as cases that the tests of `kernels-test` run on any OpenCL and machine (`CLIFT_CASES`, `CL_UNDER_TEST`).
//! `FUZZ_KEEP_HALVES=1` keeps those with halves, too, which not every OpenCL has.
#![allow(unsafe_code, reason = "runs generated code")]

#[path = "support/generate/mod.rs"]
mod generate;
#[path = "support/ndrange.rs"]
mod ndrange;
#[path = "support/seeds.rs"]
mod seeds;

use generate::{GROUP, ITEMS, TILE_BYTES, has_halves, inputs, program, wide_program};
use ndrange::{Given, Kernel, Range};
use std::fmt::Write;

/// Groups of four must fill vectors.
const LANES: [u8; 2] = [2, 4];

#[test]
fn random_programs_mean_one_thing() {
    seeds::each(check);
}

/// Indices of arrays were within each other until there was no stack left.
#[test]
fn programs_end() {
    let nested = |seed| {
        let program = wide_program(seed);
        let depths = program.chars().scan(0i32, |depth, c| {
            *depth += i32::from(c == '[') - i32::from(c == ']');
            Some(*depth)
        });
        depths.max().unwrap_or(0)
    };
    // 21 in some of these where nothing bounds them.
    assert!((0..10_000).all(|seed| nested(seed) <= 12));
}

fn check(seed: u64) {
    let source = program(seed);
    if seeds::number("FUZZ_SEED").is_some() {
        println!("{source}");
    }
    let inputs = inputs(seed);
    let given = [
        Given::Buffer(vec![0xa5; 8 * (2 * GROUP * GROUP) as usize]),
        Given::Buffer(inputs.iter().flat_map(|x| x.to_le_bytes()).collect()),
        Given::Local(TILE_BYTES),
    ];
    // A trailing group, then none: the code for an exact size.
    let last = ITEMS / GROUP * GROUP;
    let whole = Range { global: [last, 1, 1], local: [GROUP, 1, 1] };
    if let Some(folder) = std::env::var_os("FUZZ_KEEP") {
        if !has_halves(seed) || seeds::number("FUZZ_KEEP_HALVES") == Some(1) {
            let left = Kernel::interpreted(&source, whole, &given);
            let path = std::path::Path::new(&folder).join(format!("{seed}.cl"));
            std::fs::write(path, case(&source, &inputs, &left[0][..8 * last as usize]))
                .expect("the folder can be written");
        }
        return;
    }
    let kernel = Kernel::from_source(&source);
    kernel.run(Range { global: [ITEMS, 1, 1], local: [GROUP, 1, 1] }, &given);
    kernel.run(whole, &given);
    // Rows that may be taken at once.
    kernel.run(Range { global: [GROUP, 2 * GROUP, 1], local: [GROUP, GROUP, 1] }, &given);
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
