//! Interleaved access groups: lanes that access elements at small constant strides, forwards and backwards, all members
//! of a group or some, under masks or not, in one buffer or two. The interpreter and machine code of every kind agree
//! bit for bit, and nothing is touched behind the last element: a page without access follows the buffers.
#![allow(unsafe_code, reason = "runs generated code")]

#[path = "support/ndrange.rs"]
mod ndrange;

use ndrange::{Given, Kernel, Range};
use std::fmt::Write;

const LANES: [u8; 2] = [8, 32];

const TYPES: [(&str, usize); 4] = [("uchar", 1), ("ushort", 2), ("float", 4), ("ulong", 8)];

const ID: &str = "size_t i = get_global_id(0), n = get_global_size(0);";

/// Small whole numbers, which floats hold exactly.
fn elements(n: usize, size: usize) -> Vec<u8> {
    let value = |i: usize| (i * i * 7 + i * 31) as u8;
    let element = |i: usize| match size {
        4 => f32::from(value(i)).to_le_bytes().to_vec(),
        _ => u64::from(value(i)).to_le_bytes()[..size].to_vec(),
    };
    (0..n).flat_map(element).collect()
}

/// Sizes of groups that fill vectors and do not, and how many there are.
const GROUPS: [(usize, usize); 7] = [(1, 3), (8, 2), (45, 2), (7, 2), (64, 1), (11, 1), (32, 1)];

/// Runs a kernel on a buffer of `x` and another of `y` elements for each work-item, in groups of four of the sizes,
/// which take turns from kernel to kernel.
fn check(source: &str, size: usize, x: usize, y: usize) {
    let kernel = Kernel::from_source(source);
    let turn = source.bytes().map(usize::from).sum::<usize>() % GROUPS.len();
    for &(local, groups) in GROUPS.iter().cycle().skip(turn).take(4) {
        let n = local * groups;
        let given = [x, y].map(|per| Given::Buffer(elements(per * n, size)));
        kernel.run(Range { global: [n as u64, 1, 1], local: [local as u64, 1, 1] }, &given);
    }
}

/// The element `part` of `step` of a work-item's, backwards or not.
fn at(step: usize, part: usize, back: bool) -> String {
    if back { format!("{step} * (n - 1 - i) + {part}") } else { format!("{step} * i + {part}") }
}

/// The members that the bits of `set` say.
fn members(set: usize) -> impl Iterator<Item = usize> {
    (0..8).filter(move |part| set >> part & 1 != 0)
}

#[test]
fn any_members_are_loaded() {
    for (ty, size) in TYPES {
        for step in 1..=4 {
            for back in [false, true] {
                // Not all buffers end in an element that is loaded.
                for set in [1, 1 << (step - 1), (1 << step) - 1, 5 & ((1 << step) - 1)] {
                    let terms: Vec<String> = members(set).map(|part| format!("x[{}]", at(step, part, back))).collect();
                    let sum = terms.join(" * 3 + ");
                    check(
                        &format!("kernel void k(global const {ty} *x, global {ty} *y) {{ {ID} y[i] = {sum}; }}"),
                        size,
                        step,
                        1,
                    );
                }
            }
        }
    }
}

#[test]
fn members_of_long_records_are_loaded() {
    for (ty, size) in TYPES {
        for step in 5..=8 {
            for (back, mask) in [(false, ""), (true, ""), (false, "if ((int)x[i] & 2)")] {
                for set in [0b111, 0b10101, (1 << step) - 1, 0b11 | 1 << (step - 1)] {
                    let terms: Vec<String> = members(set).map(|part| format!("x[{}]", at(step, part, back))).collect();
                    let sum = terms.join(" * 3 + ");
                    check(
                        &format!("kernel void k(global const {ty} *x, global {ty} *y) {{ {ID} {mask} y[i] = {sum}; }}"),
                        size,
                        step,
                        1,
                    );
                }
            }
        }
    }
}

#[test]
fn loads_end_where_the_last_lane_does() {
    // Buffers as long as what is loaded of them: in front of the last element come whole strides.
    for (ty, size) in TYPES {
        for step in 2..=4 {
            let kernel = Kernel::from_source(&format!(
                "kernel void k(global const {ty} *x, global {ty} *y) {{ {ID} y[i] = x[{step} * i]; }}"
            ));
            for local in [8, 32, 40] {
                let given =
                    [Given::Buffer(elements((local - 1) * step + 1, size)), Given::Buffer(elements(local, size))];
                kernel.run(Range { global: [local as u64, 1, 1], local: [local as u64, 1, 1] }, &given);
            }
        }
    }
}

#[test]
fn any_members_are_stored() {
    for (ty, size) in TYPES {
        for step in 1..=4 {
            for back in [false, true] {
                for set in [(1 << step) - 1, 1 << (step - 1), 6 & ((1 << step) - 1)] {
                    let mut text =
                        format!("kernel void k(global const {ty} *x, global {ty} *y) {{ {ID} {ty} v = x[i];");
                    // In any order.
                    for part in members(set).collect::<Vec<_>>().into_iter().rev() {
                        let _ = write!(text, "y[{}] = v + {part};", at(step, part, back));
                    }
                    check(&format!("{text} }}"), size, 1, step);
                }
            }
        }
    }
}

#[test]
fn pixels_under_masks() {
    for (ty, size) in TYPES {
        for step in 2..=4 {
            for back in [false, true] {
                let mut text = format!(
                    "kernel void k(global const {ty} *x, global {ty} *y) {{ {ID} if ((int)x[{step} * i] & 2) {{"
                );
                (0..step).for_each(|part| {
                    let (from, to) = (at(step, part, back), at(step, (part + 1) % step, false));
                    let _ = write!(text, "{ty} v{part} = x[{from}] + y[{to}];");
                });
                (0..step).for_each(|part| {
                    let _ = write!(text, "y[{}] = v{part};", at(step, part, false));
                });
                check(&format!("{text} }} }}"), size, step, step);
            }
        }
    }
}

#[test]
fn vectors_of_three() {
    for (ty, size) in TYPES {
        check(
            &format!(
                "kernel void k(global const {ty} *x, global {ty} *y) {{
                    {ID}
                    vstore3(vload3(n - 1 - i, x) + ({ty})2, i, y);
                }}"
            ),
            size,
            3,
            3,
        );
    }
}

#[test]
fn one_buffer() {
    for (ty, size) in TYPES {
        // Members change places; what comes first is seen later.
        for body in [
            "T a = x[3*i], b = x[3*i+1], c = x[3*i+2]; x[3*i] = c; x[3*i+1] = a; x[3*i+2] = b; y[i] = a;",
            "T a = x[3*i]; x[3*i+2] = a + 1; T b = x[3*i+1]; x[3*i] = b + 2; T c = x[3*i+2]; x[3*i+1] = c + a; \
             y[i] = b;",
            "x[3*i+1] = x[3*i] + 1; x[3*i+2] = x[3*i+1] + 1; x[3*i] = x[3*i+2] + 1; y[i] = x[3*i+1];",
            "x[3*i] = 1; x[3*i+1] = 2; x[3*i] = 3; x[3*i+2] = 4; x[3*i+1] = x[3*i] + 5; y[i] = x[3*i+2];",
            "T a = x[3*i+1]; x[3*i] = a; T b = x[3*i+2]; x[3*i+1] = b; T c = x[3*i]; x[3*i+2] = c; y[i] = x[3*i];",
        ] {
            let body = body.replace('T', ty);
            check(&format!("kernel void k(global {ty} *x, global {ty} *y) {{ {ID} {body} }}"), size, 3, 1);
        }
        // The same memory by two names, which nobody knows to be one.
        let source = format!(
            "kernel void k(global {ty} *x, global {ty} *y) {{
                {ID}
                global {ty} *z = x + (y[0] == 250);
                {ty} a = x[2*i];
                z[2*i] = a + 1;
                {ty} b = x[2*i];
                z[2*i+1] = b + 1;
                y[i] = b + x[2*i+1];
            }}"
        );
        check(&source, size, 2, 1);
    }
}

#[test]
fn local_and_private_memory() {
    for (ty, size) in TYPES {
        check(
            &format!(
                "kernel void k(global const {ty} *x, global {ty} *y) {{
                    {ID}
                    local {ty} part[4 * 64];
                    size_t l = get_local_id(0), m = get_local_size(0);
                    part[4*l] = x[2*i]; part[4*l+1] = x[2*i+1] + 1; part[4*l+2] = 7;
                    barrier(CLK_LOCAL_MEM_FENCE);
                    y[2*i] = part[4*(m-1-l)+1] + part[4*(m-1-l)+2];
                    y[2*i+1] = part[4*l];
                }}"
            ),
            size,
            2,
            2,
        );
    }
}

#[test]
fn rows_and_loops() {
    for (ty, size) in [("uchar", 1), ("float", 4)] {
        let kernel = Kernel::from_source(&format!(
            "kernel void k(global const {ty} *x, global {ty} *y) {{
                int c = get_global_id(0), r = get_global_id(1), w = get_global_size(0);
                for (int k = 0; k < 3; k++) {{
                    {ty} a = x[3 * (r * w + c) + k], b = x[3 * (r * w + w - 1 - c) + k];
                    y[3 * (r * w + c) + k] = a + b;
                }}
            }}"
        ));
        for (w, h, local) in [(20, 8, [10, 4]), (64, 4, [64, 4]), (33, 2, [33, 1])] {
            let given = [(); 2].map(|()| Given::Buffer(elements(3 * w * h, size)));
            kernel.run(Range { global: [w as u64, h as u64, 1], local: [local[0], local[1], 1] }, &given);
        }
    }
}

#[test]
fn members_of_local_records_are_stored() {
    // What lies between them stays what it was.
    for (ty, size) in TYPES {
        for step in 2..=4 {
            for back in [false, true] {
                for set in [1, 3, 6 & ((1 << step) - 1), ((1 << step) - 1) & !1] {
                    let place = |part: usize| match back {
                        true => format!("{step} * (l - 1 - j) + {part}"),
                        false => format!("{step} * j + {part}"),
                    };
                    let mut text = format!(
                        "kernel void k(global const {ty} *x, global {ty} *y) {{ {ID}
                         local {ty} t[64 * {step}]; size_t j = get_local_id(0), l = get_local_size(0);"
                    );
                    (0..step).for_each(|part| {
                        let _ = write!(text, "t[{step} * j + {part}] = j + {part};");
                    });
                    text.push_str("barrier(CLK_LOCAL_MEM_FENCE);");
                    for part in members(set) {
                        let _ = write!(text, "t[{}] = x[i] * {};", place(part), part + 2);
                    }
                    text.push_str("barrier(CLK_LOCAL_MEM_FENCE);");
                    (0..step).for_each(|part| {
                        let _ = write!(text, "y[{step} * i + {part}] = t[{step} * j + {part}];");
                    });
                    check(&format!("{text} }}"), size, 1, step);
                }
            }
        }
    }
}
