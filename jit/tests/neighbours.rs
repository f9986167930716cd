//! Neighbouring small elements at places of each work-item's own, such as the channels of pixels: two, three, four and
//! more of them, some left out, at odd and even addresses, up to the last byte of their memory. The interpreter and
//! machine code of every kind agree bit for bit, and nothing is touched on the page behind, which allows no access.
#![allow(unsafe_code, reason = "runs generated code")]

#[path = "support/ndrange.rs"]
mod ndrange;

use ndrange::{Given, Kernel, Range};

const LANES: [u8; 2] = [8, 32];

const TYPES: [(&str, usize); 4] = [("uchar", 1), ("char", 1), ("ushort", 2), ("short", 2)];

/// Elements of each buffer that is read.
const ELEMENTS: usize = 203;

/// Runs a kernel with a buffer of elements of `size` bytes, one of a place for each work-item, of 4 bytes or 8, where
/// `reach` elements are, and one of a `float` for each.
fn check(source: &str, size: usize, place: usize, reach: usize) {
    let kernel = Kernel::from_source(source);
    for (local, groups) in [(5, 1), (32, 2), (45, 1), (64, 1)] {
        let n = local * groups;
        let data = (0..ELEMENTS * size).map(|i| (i * i * 5 + i * 89) as u8).collect();
        // First and last place first.
        let last = ELEMENTS - reach;
        let places = (0..n).flat_map(|i| {
            let at = if i == 0 { last } else { (i - 1) * 37 % (last + 1) };
            at.to_le_bytes()[..place].to_vec()
        });
        let given = [data, places.collect(), vec![0; 4 * n]].map(Given::Buffer);
        kernel.run(Range { global: [n as u64, 1, 1], local: [local as u64, 1, 1] }, &given);
    }
}

#[test]
fn any_members() {
    for (ty, size) in TYPES {
        for members in [
            &[0, 1][..],
            &[0, 2],
            &[0, 1, 2],
            &[2, 0, 1],
            &[0, 1, 2, 3],
            &[1, 3, 4],
            &[0, 1, 2, 3, 4, 5, 6],
            &[0, 1, 2, 4, 5, 6],
            &[0, 2, 4, 6],
        ] {
            let terms: Vec<String> = members.iter().map(|m| format!("(float)x[p + {m}]")).collect();
            let reach = members.iter().max().expect("a member") + 1;
            for (place, bytes) in [("int", 4), ("uint", 4), ("long", 8)] {
                let source = format!(
                    "kernel void k(global const {ty} *x, global const {place} *at, global float *y) {{
                        size_t i = get_global_id(0);
                        {place} p = at[i];
                        y[i] = {};
                    }}",
                    terms.join(" * 3 + ")
                );
                check(&source, size, bytes, reach);
            }
        }
    }
}

#[test]
fn pixels() {
    for (ty, size) in TYPES {
        for body in [
            // At multiples of three.
            "p = p / 3; {T}3 v = vload3(p, x); y[i] = v.x + 2 * v.y - v.z;",
            "long q = p / 3; {T}3 v = vload3(q, x); y[i] = v.x + 2 * v.y - v.z;",
            // Next to each other.
            "{T}3 v = vload3(0, x + p), w = vload3(1, x + p); y[i] = v.x * w.x + v.y * w.y + v.z * w.z;",
            "{T}2 v = vload2(0, x + p); y[i] = v.x - 3 * v.y;",
            // At an odd distance from the first.
            "x += 1; {T}3 v = vload3(0, x + p); float3 f = convert_float3(v); y[i] = f.x - f.y * f.z;",
            // Some of the work-items only.
            "if (p & 2) { {T}3 v = vload3(0, x + p); y[i] = (uint)v.x ^ (ulong)v.y << 8 ^ (ushort)v.z; }",
            "{T}3 v = 1; while (p % 5) { v += vload3(0, x + p); p--; } y[i] = v.x + v.y + v.z;",
            // All of the bits count.
            "y[i] = as_float((int)x[p] ^ (int)x[p + 1] << 10 ^ (int)x[p + 2] << 20);",
        ] {
            let source = format!(
                "kernel void k(global const {ty} *x, global const int *at, global float *y) {{
                    size_t i = get_global_id(0);
                    int p = at[i];
                    {}
                }}",
                body.replace("{T}", ty)
            );
            check(&source, size, 4, 7);
        }
    }
}

#[test]
fn what_is_written_in_between_is_seen() {
    for (ty, size) in TYPES {
        let source = format!(
            "kernel void k(global const {ty} *x, global const int *at, global float *y) {{
                size_t i = get_global_id(0), l = get_local_id(0);
                int p = at[i];
                local {ty} part[6 * 64];
                for (int j = 0; j < 6; j++) part[6 * l + j] = x[p + j];
                {ty} a = part[6 * l + p % 3], b = part[6 * l + p % 3 + 1];
                part[6 * l + p % 3 + 2] = a + b;
                y[i] = a + b + part[6 * l + p % 3 + 2];
            }}"
        );
        check(&source, size, 4, 7);
    }
}
