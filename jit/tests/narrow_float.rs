//! Numbers of `double` that are `float`s leave the same bytes as the interpreter, which computes with `double`s.
#![allow(unsafe_code, reason = "runs generated code")]

#[path = "support/ndrange.rs"]
mod ndrange;

use ndrange::{Given, Kernel, Range, side_by_side};

const LANES: [u8; 2] = [8, 16];

/// `float`s at edges, and between them and around some constants.
fn numbers() -> Vec<u32> {
    let edges = [0.0f32, 1e-45, 1.1e-38, 1.2e-38, 0.1, 0.5, 1.0, 3.0, 16_777_216.0, 3e38, f32::MAX, f32::INFINITY];
    let near = edges.iter().flat_map(|x| [x.to_bits().saturating_sub(1), x.to_bits(), x.to_bits() + 1]);
    let random = (1..80u32).map(|i| i.wrapping_mul(0x9e37_79b1) >> 1);
    let mut all: Vec<u32> = near.chain(random).filter(|bits| !f32::from_bits(*bits).is_nan()).collect();
    all.extend(all.clone().into_iter().map(|bits| bits | 1 << 31));
    all
}

fn run(expressions: &[&str]) {
    let numbers = numbers();
    let n = numbers.len() as u64 / 64 * 64;
    let range = Range { global: [n, 1, 1], local: [64, 1, 1] };
    side_by_side(expressions, |expression| {
        let kernel = Kernel::from_source(&format!(
            "kernel void k(global const float *in, global uint *out) {{
                 int i = get_global_id(0), n = get_global_size(0);
                 double d = 0.1;
                 uint sum = 0;
                 for (int j = 0; j < n; j += 3) {{
                     float x = in[i], y = in[j], z = in[(i + j) % n];
                     float r = {expression};
                     sum = sum * 31 + (isnan(r) ? 7 : as_uint(r));
                 }}
                 out[i] = sum;
             }}"
        ));
        let bytes = |values: &[u32]| Given::Buffer(values.iter().flat_map(|v| v.to_le_bytes()).collect());
        kernel.run(range, &[bytes(&numbers), bytes(&vec![0; n as usize])]);
    });
}

#[test]
fn arithmetic() {
    run(&[
        "(double)x + y",
        "(double)x - y",
        "(double)x * y",
        "x / (double)y",
        "x * 0.5",
        "x * 1e-30 * y",
        "1.0 - x",
        "0.1 * x",
        "1e300 / x",
        "sqrt((double)x)",
        "fabs((double)x) - y",
        "-(double)x",
        "fmax((double)x, 0.25 * y)",
        "fmin(fmax((double)x, -1.0), 1.0)",
        "floor((double)x)",
        "x > y ? z : 0.0",
        "x > y ? z : 0.1",
        "(double)(short)i * x + (uchar)j * 0.25",
        "fma((double)x, (double)y, (double)z)",
        "(float)((double)x * y) + z",
    ]);
}

#[test]
fn comparisons() {
    run(&[
        "x > 0.0",
        "x > 0.1 ? y : z",
        "0.1 > x ? y : z",
        "x >= 0.1",
        "0.1 >= x",
        "x < 0.1",
        "0.1 < x",
        "x <= 0.1",
        "0.1 <= x",
        "!(x < -0.1)",
        "!(x >= -0.1) + 2 * !(-0.1 > x)",
        "(x == 0.1) + 2 * (x != 0.1) + 4 * (x == 0.5)",
        "(x > 1e300) + 2 * (x >= -1e300) + 4 * (x < 1e300) + 8 * (x > 1e-300) + 16 * (x < -1e-300) + 32 * (x >= -1e-300)",
        "(x > 3.4028235e38) + 2 * (x >= 3.40282346638528859e38) + 4 * (x < 3.4028236e38)",
        "isgreater((double)x, 0.1) + 2 * islessgreater((double)x, 0.1) + 4 * isunordered((double)x, (double)y)",
        "((double)x < y) + 2 * ((double)x == y) + 4 * (x < d)",
        "((short)j < 0.1 * 30) + 2 * ((uchar)i > 7.5)",
        "fmax(fmax(0.0f, fabs(x)), fabs(y))",
        "fmin(fabs(x), 0.0f)",
    ]);
}
