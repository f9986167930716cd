//! Atomic operations of all work-items on one place, which lanes do at once, leave the same bytes as the interpreter:
//! what each work-item has found, and what there is in the end.
#![allow(unsafe_code, reason = "runs generated code")]

#[path = "support/ndrange.rs"]
mod ndrange;

use ndrange::{Given, Kernel, Range};

const LANES: [u8; 2] = [8, 16];

/// Builtin function and operand, by a number of the work-item's own.
const OPERATIONS: [(&str, &str); 9] = [
    ("atomic_add", ", v"),
    ("atomic_sub", ", v"),
    ("atomic_inc", ""),
    ("atomic_dec", ""),
    ("atomic_min", ", v"),
    ("atomic_max", ", v"),
    ("atomic_and", ", v | 0x1000"),
    ("atomic_or", ", v & 0x7f0f"),
    ("atomic_xor", ", v"),
];

fn numbers(n: u32, of: impl Fn(u32) -> u32) -> Given {
    Given::Buffer((0..n).flat_map(|i| of(i).to_le_bytes()).collect())
}

fn run(kernel: &Kernel, sizes: &[(u64, u32)]) {
    for &(items, n) in sizes {
        let range = Range { global: [items, 1, 1], local: [items, 1, 1] };
        let given = [
            numbers(64, |i| 0x7fff_ff00 ^ i),
            numbers(64, |i| (i * i).wrapping_mul(0x9e37_79b1) >> (i % 31)),
            numbers(64, |i| i),
            numbers(1, |_| n),
        ];
        kernel.run(range, &given);
    }
}

#[test]
fn lanes_find_what_work_items_would() {
    for (n, (name, operand)) in OPERATIONS.into_iter().enumerate() {
        for (place, condition) in
            [("at", "true"), ("at", "(v & 3) == 0"), ("at + n", "(int)i < n"), ("at", "i > 3 && (v & 1)")]
        {
            for found in ["out[i] = ", ""] {
                let ty = ["int", "uint"][(n + place.len() + found.len()) % 2];
                let kernel = Kernel::from_source(&format!(
                    "kernel void k(global {ty} *at, global const {ty} *x, global {ty} *out, constant int *e) {{
                        int n = e[0];
                        size_t i = get_global_id(0);
                        {ty} v = x[i];
                        if ({condition}) {found}{name}({place}{operand});
                    }}"
                ));
                run(&kernel, &[(64, 20), (37, 0), (5, 3), (1, 1)]);
            }
        }
    }
}

/// In local memory, and in loops that lanes leave at different times, where only the sum is the same.
#[test]
fn places_may_be_local_and_lanes_few() {
    for (name, operand) in OPERATIONS {
        let kernel = Kernel::from_source(&format!(
            "kernel void k(global int *at, global const int *x, global int *out, constant int *e) {{
                local int all[2];
                size_t i = get_local_id(0);
                int v = x[i];
                if (i == 0) all[0] = all[1] = at[e[0]];
                barrier(CLK_LOCAL_MEM_FENCE);
                out[i] = {name}(&all[0]{operand});
                for (int n = v & 7; n > 0; n--) {{ v += n; {name}(&all[1]{operand}); }}
                barrier(CLK_LOCAL_MEM_FENCE);
                at[i] = all[i & 1];
            }}"
        ));
        run(&kernel, &[(64, 20), (37, 0), (5, 3)]);
    }
}
