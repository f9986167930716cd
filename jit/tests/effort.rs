//! Functions that are costly to the usual register allocator get one of linear time, and the usual one with more
//! effort: what is made in either way computes what the interpreter does (`ndrange` takes one for groups of any size,
//! the other for those of one size).
#![allow(unsafe_code, reason = "runs generated code")]

#[path = "support/ndrange.rs"]
mod ndrange;

use clift_jit::{SpecKey, build};
use ndrange::{Given, Kernel, Range};

const LANES: [u8; 2] = [8, 16];

/// A kernel of so many statements that use twelve variables in turn.
fn source(n: usize) -> String {
    let vars: Vec<String> = (0..12).map(|v| format!("x{v} = i * {}", 2 * v + 3)).collect();
    let statement = |j: usize| {
        format!("x{} = (x{} * {} ^ x{} >> 3) + a[i & 3];", j % 12, (j + 1) % 12, 2 * j + 1, (j * 7 + 5) % 12)
    };
    let sum: Vec<String> = (0..12).map(|v| format!("x{v}")).collect();
    format!(
        "kernel void k(global const uint *a, global uint *b) {{ uint i = get_global_id(0), {};\n{}\nb[i] = {}; }}",
        vars.join(", "),
        (0..n).map(statement).collect::<Vec<_>>().join("\n"),
        sum.join(" ^ ")
    )
}

/// Whether code that is made with more effort or without is hasty.
fn is_hasty(source: &str) -> [bool; 2] {
    let program = build(source.as_bytes(), "", &[]).program.unwrap_or_else(|_| panic!("builds"));
    [true, false].map(|thorough| {
        let key = SpecKey { local_size: Some([16, 1, 1]), small_ids: true, thorough, ..SpecKey::default() };
        program.code(0, key).unwrap_or_else(|e| panic!("{}", e.message)).is_hasty()
    })
}

#[test]
fn only_large_functions_are_made_in_a_hurry() {
    assert_eq!(is_hasty(&source(100)), [false, false]);
    assert_eq!(is_hasty(&source(6000)), [false, true]);
}

#[test]
fn both_allocators_make_the_same_of_a_function() {
    let kernel = Kernel::from_source(&source(6000));
    let given = [Given::Buffer((0..16).collect()), Given::Buffer(vec![0; 4 * 10])];
    kernel.run(Range { global: [10, 1, 1], local: [5, 1, 1] }, &given);
}
