//! Coordinates made of a flat index, and flat indices of neighbours made of those: all leave the same bytes as the
//! interpreter, whether they are the flat index again, lie in one row for all work-items, or in several.
#![allow(unsafe_code, reason = "runs generated code")]

#[path = "support/ndrange.rs"]
mod ndrange;

use ndrange::{Given, Kernel, Range, side_by_side};

const LANES: [u8; 2] = [8, 16];

/// Elements of what is read and written; indices are held to it.
const SIZE: u32 = 512;

/// How coordinates are made of `i`, with rows of `w` and planes of `h` rows, and the indices that are made of those.
const WAYS: [(&str, &[&str]); 10] = [
    ("x = i % w, y = i / w", &["y * w + x", "x + (y + 1) * w", "(y - 1) * w + x - 1", "y * w - x", "y + x * w"]),
    ("x = i % w, y = i / w % h, z = i / (w * h)", &["(z * h + y) * w + x", "z * h * w + (y + 2) * w + x", "x + w * y"]),
    (
        "x = i / (h * w), y = i % (h * w) / w, z = i % (h * w) % w",
        &["x * h * w + y * w + z", "(x * h + y + 1) * w + z + 1"],
    ),
    ("x = i & 7, y = i >> 3", &["(y << 3) + x", "y * 8 + x + 1", "y * 16 + x", "(i & ~7) + x"]),
    ("x = i & 127, y = i >> 7", &["(y << 7) + x", "(y + 1) * 128 + x - 128", "x * 2 + y"]),
    ("x = i % 64, y = i / 64", &["y * 64 + x", "y * 65 + x", "(y ^ 1) * 64 + x"]),
    ("x = (i + w - 1) % w, y = (i + 1) % w", &["x", "y", "x + y"]),
    ("x = (i + h * w - 1) % (h * w), y = (h * w + i + w) % (h * w)", &["x", "y", "x * 2 - y + i"]),
    ("x = i % h, y = i % w", &["x * w + y", "i / w * h + x", "i / h * h + x"]),
    ("x = (i - 40) % w, y = (i - 40) / w", &["x + w * y + 40", "y * w + x + 80", "(x + w) % w"]),
];

fn bytes(values: impl IntoIterator<Item = u32>) -> Given {
    Given::Buffer(values.into_iter().flat_map(u32::to_le_bytes).collect())
}

fn indices_of(ty: &str) {
    let ways: Vec<(&str, &str)> =
        WAYS.iter().flat_map(|&(made, indices)| indices.iter().map(move |&index| (made, index))).collect();
    side_by_side(&ways, |(made, index)| {
        for sizes in ["w = e[0], h = e[1]", "w = 16, h = 5", "w = 100, h = 3"] {
            let kernel = Kernel::from_source(&format!(
                "typedef {ty} T;
                 kernel void k(constant int *e, global const int *in, global int *out) {{
                     T i = get_global_id(0) + e[2], {sizes}, {made};
                     out[get_global_id(0)] = in[({index}) & {}] + 3 * (int)x - (int)y;
                 }}",
                SIZE - 1
            ));
            for (local, groups) in [(64, 2), (100, 1), (7, 3)] {
                let range = Range { global: [local * groups, 1, 1], local: [local, 1, 1] };
                for [w, h, base] in [[16, 5, 0], [100, 3, 0], [128, 2, 36], [1000, 7, 950], [1, 1, 3], [0, 2, 5]] {
                    let given = [bytes([w, h, base]), bytes((0..SIZE).map(|i| i * i)), bytes((0..SIZE).map(|_| 7))];
                    kernel.run(range, &given);
                }
            }
        }
    });
}

#[test]
fn indices_of_ints() {
    indices_of("int");
}

#[test]
fn indices_of_unsigned_ints() {
    indices_of("uint");
}

#[test]
fn indices_of_longs() {
    indices_of("long");
}

#[test]
fn indices_of_sizes() {
    indices_of("size_t");
}
