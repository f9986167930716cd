//! Indices that may wrap, are chosen between an index and what stands in for it, or are mended past an edge: loops for
//! work-items in which nothing of that happens leave the same bytes as the interpreter, and so do the others.
#![allow(unsafe_code, reason = "runs generated code")]

#[path = "support/ndrange.rs"]
mod ndrange;

use ndrange::{Given, Kernel, Range};

const LANES: [u8; 2] = [8, 16];

fn bytes(values: &[u32]) -> Given {
    Given::Buffer(values.iter().flat_map(|v| v.to_le_bytes()).collect())
}

/// What has wrapped is told from what has not by the bits above the lowest 32.
#[test]
fn sums_wrap_anywhere() {
    for (sum, from) in [
        ("(ulong)(y * e[1] + x + e[0])", 0u32),
        ("(ulong)(e[0] - x - y * e[1])", 64),
        ("(ulong)(2 * (x + y * e[1]) + e[0] - 1)", 0),
        ("(ulong)mad24(y, 3 * e[1], mul24(x, 3u) + e[0])", 0),
        ("(ulong)(uint)((long)x + y * e[1] + e[0])", 0),
        ("(ulong)(uint)(e[0] - get_local_id(0))", 64),
        ("(ulong)(uint)((long)(int)e[0] - 3 * (long)x - get_local_id(1))", 128),
        ("(ulong)(uint)(0x7fffffffffffffe0 + e[0] + get_local_id(0))", 0),
        ("(ulong)(uint)(((ulong)e[0] << 31) + e[0] + get_local_id(0) - 5 * get_local_id(1))", 0),
        ("(ulong)((long)(int)(x + y * e[1] + e[0]) + 0x80000000)", 1 << 31),
        ("(ulong)((long)(int)(e[0] - x - e[1] * y) + 0x80000000)", 1 << 31),
    ] {
        let kernel = Kernel::from_source(&format!(
            "kernel void k(constant uint *e, global int *out) {{
                uint x = get_local_id(0), y = get_local_id(1);
                ulong j = {sum};
                if (j < 200) out[j] += 1000 * y + x;
            }}"
        ));
        for local in [[32, 1, 1], [32, 2, 1], [20, 3, 1]] {
            let range = Range { global: local, local };
            for base in [0, 1, 40, 100, -100i32, -64, -33, -32, -31, -17, -16, -15, -8, -7, -1, 1 << 30] {
                for row in [32, 33, 64, 0x7fff_fff0] {
                    let out: Vec<u32> = (0..256).map(|i| i * i).collect();
                    kernel.run(range, &[bytes(&[from.wrapping_add(base as u32), row]), bytes(&out)]);
                }
            }
        }
    }
}

/// A sum that grows by half of all numbers is small, and then large. (Bytes: the address of larger elements wraps
/// back.)
#[test]
fn sums_of_64_bits_grow_by_anything() {
    for sum in ["e[0] + get_local_id(0) * 0x8000000000000000UL", "e[0] - (get_local_id(0) << 63)"] {
        let kernel = Kernel::from_source(&format!(
            "kernel void k(constant uint *e, global const uchar *in, global uint *out) {{
                uint j = (uint)({sum});
                out[get_local_id(0)] = in[j];
            }}"
        ));
        // From the first to the last it grows by nothing, or by half.
        for n in [65, 64] {
            let range = Range { global: [n, 1, 1], local: [n, 1, 1] };
            kernel.run(range, &[bytes(&[77]), Given::Buffer((0..128).collect()), bytes(&[0; 65])]);
        }
    }
}

/// Loops that go round until a number is met, and indices beside their counters.
#[test]
fn counters_wrap_anywhere() {
    for round in [
        "int i = e[2]; do { BODY i--; } while (i != 0);",
        "for (int i = e[3]; i != (int)e[4]; i++) { BODY }",
        "for (uint i = e[4]; i != e[3]; --i) { BODY }",
        "for (int i = e[3]; i < (int)e[4]; i++) { BODY }",
        "int i = e[3]; do { BODY } while (++i < (int)e[4]);",
        "int i = e[3]; do { BODY } while (i++ < (int)e[4]);",
        "int n = e[2]; if (n > 0) { long i = 0; do { BODY } while (++i != n); }",
        "int n = e[2]; if (n >= 1) { long i = n; do { BODY } while (i-- != 1); }",
        "int n = e[2]; if (n < 0) return; for (ulong i = 0; i != (ulong)n; i++) { BODY }",
    ] {
        for body in ["J += e[1];", "if (J > 300) break; J -= e[1];"] {
            let kernel = Kernel::from_source(&format!(
                "kernel void k(constant uint *e, global int *out) {{
                    uint x = get_local_id(0), j = x + e[0];
                    {}
                }}",
                round.replace("BODY", &format!("if (j < 200) out[j] += 1000 * (int)i + x; {body}")).replace('J', "j")
            ));
            let range = Range { global: [32, 1, 1], local: [32, 1, 1] };
            for base in [0, -64i32, -31, -1] {
                for step in [1, 32, -7i32 as u32] {
                    for (n, from) in [(1, 0), (7, -3i32), (9, i32::MAX - 4)] {
                        let to = from.wrapping_add(n) as u32;
                        let out: Vec<u32> = (0..256).map(|i| i * i).collect();
                        kernel.run(range, &[bytes(&[base as u32, step, n as u32, from as u32, to]), bytes(&out)]);
                    }
                }
            }
        }
    }
}

#[test]
fn indices_are_chosen_and_mended_anywhere() {
    let reflect = "do { if (d < 0) d = -d - 1 + 1; else d = n - 1 - (d - n) - 1; } while (d >= n || d < 0);";
    for mend in [
        "d = d < n && d > 0 ? d : 0;",
        "d = d >= 0 ? d : n - 1; d = n <= d ? n - 2 : d;",
        "d = d < 0 ? -d : d; d = d >= n ? -d - 2 + 2 * n : d;",
        "d = clamp(d, 0, n - 1);",
        "d = min(max(d, 1), n - 1) - 1;",
        "d = clamp(min(2 * (n - 1) - d, max(d, -d)), 0, n - 1);",
        "d = clamp(min(2 * (n - 1) - d + 1, max(d, -d - 1)), 0, n - 1);",
        "d = clamp(max(-d, d), 0, n - 1);",
        "if (d < 0) d = 0; if (d > n - 1) d = n - 1;",
        &format!("if (d >= n || d < 0) {{ {reflect} }}"),
        &format!("if (!(d < n && d >= 0)) {{ {reflect} }}"),
    ] {
        for at in ["mad24(y, w, d)", "(y * (uint)w + (uint)d)", "y * w + n - 1 - d"] {
            let kernel = Kernel::from_source(&format!(
                "kernel void k(constant int *e, global const int *in, global int *out) {{
                    int x = get_global_id(0), y = get_global_id(1), n = e[1], w = e[2], d = x + e[0];
                    {mend}
                    out[y * 48 + x] = in[{at}];
                }}"
            ));
            let range = Range { global: [48, 4, 1], local: [16, 2, 1] };
            let source: Vec<u32> = (0..4 * 60).map(|i| i * i).collect();
            for (shift, n) in [(0, 48), (0, 47), (1, 48), (-1, 48), (-1, 60), (5, 56), (-20, 33), (40, 50), (-90, 60)] {
                let given = [bytes(&[shift as u32, n, 60]), bytes(&source), bytes(&[0; 4 * 48])];
                kernel.run(range, &given);
            }
        }
    }
}

/// Loops within a nest: each turn has an index of its own.
#[test]
fn sums_of_turns_wrap_anywhere() {
    for (turns, sum) in [
        ("uint k = e[2]; k < e[3]; k++", "k * e[1] + x + e[0]"),
        ("uint k = e[2]; k <= e[3]; k++", "x + e[0] - k"),
        ("int k = e[2]; k < (int)e[3]; k += 2", "(uint)(y + k) * e[1] + e[0] + x"),
        ("uint k = 0; k < 3; k++", "(k + y) * e[1] - x + e[0]"),
    ] {
        let kernel = Kernel::from_source(&format!(
            "kernel void k(constant uint *e, global const int *in, global int *out) {{
                uint x = get_local_id(0), y = get_local_id(1);
                int sum = 0;
                for ({turns}) {{
                    ulong j = {sum};
                    if (j < 200) sum += in[j] ^ k;
                }}
                out[y * 32 + x] = sum;
            }}"
        ));
        for local in [[32, 1, 1], [20, 3, 1]] {
            let range = Range { global: local, local };
            for base in [0, 1, 40, 100, -100i32, -33, -32, -31, -16, -15, -8, -1, 1 << 30] {
                for [row, first, end] in [[32, 0, 3], [33, 1, 1], [64, 2, 0], [0x7fff_fff0, 0, 4], [3, -3i32 as u32, 5]]
                {
                    // A counter that passes the largest number goes on for long.
                    let first = if turns.starts_with("uint") { first & 0xff } else { first };
                    let source: Vec<u32> = (0..256).map(|i| i * i).collect();
                    let given = [bytes(&[base as u32, row, first, end]), bytes(&source), bytes(&[0; 96])];
                    kernel.run(range, &given);
                }
            }
        }
    }
}

/// Indices that branches choose between, as unrolled loops do: `r` says for how many rows, and what is added may wrap.
#[test]
fn indices_that_branches_choose_between() {
    for (ty, step) in [("int", "j = e[1] + j;"), ("uint", "j += e[1];"), ("int", "j = mad24(8, (int)e[1] / 8, j);")] {
        let turn = format!("if (r + {{n}} < e[2]) {{ if (j + x < 250) out[(ulong)j + x] += j; {step} }}");
        let turns: String = (0..4).map(|n| turn.replace("{n}", &n.to_string())).collect();
        let kernel = Kernel::from_source(&format!(
            "kernel void k(constant uint *e, global int *out) {{
                uint x = get_local_id(0) / 64, r = get_local_id(1);
                {ty} j = 3 * (int)get_local_id(0) + e[0];
                {turns}
            }}"
        ));
        for local in [[32, 1, 1], [20, 3, 1]] {
            for (base, row) in [(0, 64), (5, 0), (-64i32 as u32, 64), (200, -100i32 as u32), (7, 1 << 31)] {
                for rows in 0..5 {
                    let out: Vec<u32> = (0..256).map(|i| i * i).collect();
                    kernel.run(Range { global: local, local }, &[bytes(&[base, row, rows]), bytes(&out)]);
                }
            }
        }
    }
}

/// Loops in which work-items go on behind what all have taken: their first values may wrap, steps may be short, or lead
/// back, and bounds may be out of reach.
#[test]
fn strides_of_the_group_wrap_anywhere() {
    for (ty, first, test) in [
        ("int", "x + e[0]", "<"),
        ("uint", "x + e[0]", "<"),
        ("uint", "3 * x + e[0]", "<="),
        ("long", "(int)e[0] + (long)x", "<"),
        ("ulong", "((ulong)0 - e[2]) + x", "<"),
        ("ulong", "(ulong)(int)e[0] + 2 * x", "<="),
    ] {
        for rest in ["", "out[64 + x] += y; y += 3;"] {
            let kernel = Kernel::from_source(&format!(
                "kernel void k(constant uint *e, global int *out) {{
                    uint x = get_local_id(0), y = x * e[2];
                    for ({ty} i = {first}; i {test} ({ty})e[1]; i += ({ty})(int)e[2]) {{
                        atomic_add(out + x, 7 * (int)i + 1);
                        {rest}
                    }}
                    out[128 + x] = 5;
                }}"
            ));
            let range = Range { global: [64, 1, 1], local: [64, 1, 1] };
            for base in [0, -32i32, -63, 0x7fff_ffe0] {
                for (bound, step) in [(200, 64), (200, 1 << 30), (300, 200), (200, 63), (0, 64), (90, 7)] {
                    // From far below it takes too long.
                    if step < 1 << 30 && !ty.starts_with('u') && base.unsigned_abs() > 1000 {
                        continue;
                    }
                    kernel.run(range, &[bytes(&[base as u32, bound, step]), bytes(&[0; 192])]);
                }
                // Downwards, which ends where nothing has a sign.
                if ty.starts_with('u') && base <= 0 {
                    kernel.run(range, &[bytes(&[base as u32 + 900, 2000, -256i32 as u32]), bytes(&[0; 192])]);
                    kernel.run(range, &[bytes(&[base as u32 + 100, 160, -256i32 as u32]), bytes(&[0; 192])]);
                }
            }
        }
    }
}

/// Work-items up to a bound that is farther from the first one than a signed number says.
#[test]
fn distances_of_bounds_fit_no_signed_number() {
    for sum in ["e[0] + (long)get_local_id(0)", "e[0] + (int)get_local_id(0)"] {
        let kernel = Kernel::from_source(&format!(
            "kernel void k(constant long *e, global int *out) {{
                long i = {sum};
                if (i < e[1]) out[get_local_id(0)] += 1;
            }}"
        ));
        let range = Range { global: [64, 1, 1], local: [64, 1, 1] };
        let far = 1i64 << 62;
        let (min, max) = (i64::MIN, i64::MAX);
        for (from, to) in [(min, 100), (-far - 10, far + 10), (min, max), (-20, 20), (max - 63, max), (5, min), (0, -1)]
        {
            let ends = [from, to].iter().flat_map(|n| n.to_le_bytes()).collect();
            kernel.run(range, &[Given::Buffer(ends), bytes(&[0; 64])]);
        }
    }
}
