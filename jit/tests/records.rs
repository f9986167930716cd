//! Vectors of bytes, shorts and halves that are loaded, computed with component by component and stored, which lanes
//! hold in the order of memory: comparisons, selections, conversions, sums that saturate, in whole vectors of
//! work-items and in those that are left, before and behind a guard. The interpreter and machine code of every kind
//! agree bit for bit, and nothing is touched on the page behind, which allows no access.
#![allow(unsafe_code, reason = "runs generated code")]

#[path = "support/ndrange.rs"]
mod ndrange;

use ndrange::{Given, Kernel, Range, side_by_side};

const LANES: [u8; 2] = [8, 32];

/// An element type, its bytes, and the type of comparisons.
const TYPES: [(&str, usize, &str); 4] =
    [("uchar", 1, "char"), ("char", 1, "char"), ("ushort", 2, "short"), ("short", 2, "short")];

/// What is computed of `a`, `b` and `s`, vectors `V` and a scalar; `W` has elements of twice the size, `C` is what
/// comparisons make.
const BODIES: [&str; 8] = [
    "a > b ? a : (V)(s)",
    "convert_V_sat(convert_W(a) * convert_W(b) - (W)(99))",
    "add_sat(a, b) - min(a, (V)(s))",
    "abs_diff(a, b) << 1 == convert_U(a) ? b : hadd(a, b)",
    "convert_V((a == b) | (a < (V)(s)))",
    "select(a, b, (convert_C(b) ^ convert_C(a)) < (C)3)",
    "convert_V(convert_F(a) * 0.37f + convert_F(b))",
    "a.s0 < s ? a + b : a * (V)3",
];

/// Runs a kernel for launches of several sizes.
fn check(source: &str, record: usize) {
    let kernel = Kernel::from_source(source);
    for (local, groups) in [(5, 1), (32, 2), (45, 1)] {
        let n = local * groups;
        let fill = |step: usize| Given::Buffer((0..n * record).map(|i| (i * i * step + i * 89) as u8).collect());
        let given = [fill(5), fill(3), Given::Buffer(vec![0; n * record])];
        kernel.run(Range { global: [n as u64, 1, 1], local: [local as u64, 1, 1] }, &given);
    }
}

#[test]
fn component_by_component() {
    let vectors: Vec<_> = TYPES.iter().flat_map(|&ty| [2, 4, 8, 16].map(|lanes| (ty, lanes))).collect();
    side_by_side(&vectors, |&((ty, size, compared), lanes)| {
        let unsigned = format!("u{compared}{lanes}");
        let wide = if size == 1 { "short" } else { "int" };
        let wide = if ty.starts_with('u') { format!("u{wide}{lanes}") } else { format!("{wide}{lanes}") };
        for (i, body) in BODIES.iter().enumerate() {
            let names = [
                ("V", format!("{ty}{lanes}")),
                ("W", wide.clone()),
                ("U", unsigned.clone()),
                ("C", format!("{compared}{lanes}")),
                ("F", format!("float{lanes}")),
            ];
            let body = names.iter().fold((*body).to_owned(), |body, (name, ty)| body.replace(name, ty));
            let guard = if i % 2 == 0 { "" } else { "if (i < get_global_size(0) - 3)" };
            check(
                &format!(
                    "typedef {ty}{lanes} T;
                    kernel void k(global const T *x, global const T *y, global T *z) {{
                        size_t i = get_global_id(0);
                        {ty} s = 77;
                        {guard} {{
                            T a = x[i], b = y[i];
                            z[i] = {body};
                        }}
                    }}"
                ),
                size * lanes,
            );
        }
    });
}
