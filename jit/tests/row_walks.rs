//! Work-items that walk along rows of memory of their own leave the same bytes as the interpreter, whether lanes load
//! the rows, gather, or lie along a row: loops of all kinds of steps, counters, pointers and elements.
#![allow(unsafe_code, reason = "runs generated code")]

#[path = "support/ndrange.rs"]
mod ndrange;

use ndrange::{Given, Kernel, Range};

const LANES: [u8; 2] = [0, 16];

/// Elements of a row.
const WIDTH: u32 = 24;
/// Rows in all.
const ROWS: u32 = 64;

/// Of a work-item `i`: what it adds up of `a`, which has `w` elements in a row.
const BODIES: [&str; 25] = [
    "for (int k = 0; k < w; k++) s += a[i * w + k];",
    "for (uint k = 0; k < (uint)w; k++) s = s * 3 + a[(uint)i * w + k];",
    "global const T *p = a + i * w; for (int k = 0; k < w; k++) s += *p++ * 3;",
    "global const T *p = a + i * w, *q = a; for (int k = w; k > 0; k--) s += *p++ * *q++;",
    "global const T *p = a + (size_t)i * w, *end = p + w; while (p < end) s += *p++;",
    "global const T *p = a + i * w + w; for (int k = 0; k < w; k++) s = s * 5 + *--p;",
    "for (int k = w - 1; k >= 0; k--) s = s * 3 + a[i * w + k];",
    "for (int k = 0; k + 3 < w; k += 4) s += a[i * w + k] * 3 + a[i * w + k + 1] * 5 + a[i * w + k + 2] - a[i * w + k + 3];",
    "for (int k = 0; k + 1 < w; k += 2) s = s * 3 + a[i * w + k] - a[i * w + k + 1];",
    "for (int k = 1; k < w - 1; k++) s = s * 3 + a[i * w + k - 1] - a[i * w + k] + a[i * w + k + 1];",
    "for (int k = 0; k < w; k++) s += a[i * w + k] * a[(i ^ 1) * w + k] - a[(i / 2) * w + k];",
    "for (int k = 0; k < w; k++) { T t = a[i * w + k]; if (t > 60) s += t; else s ^= 1; }",
    "for (int k = 0; k < w; k++) { T t = a[i * w + k]; if (a[k] > 60) s = s * 3 + t; else s -= t; }",
    "T m = 0; for (int k = 0; k < w; k++) { T t = a[i * w + k]; if (t > m) { m = t; s = k; } }",
    "for (int k = 0; k < w; k++) { T t = a[i * w + k]; if (t > 120) break; s += t; }",
    "for (int c = 0; c < 3; c++) { T d = 0; for (int k = 0; k < w; k++) d += (a[i * w + k] - a[c * w + k]) * 2; s ^= d; }",
    "for (int k = 0; k < w; k++) out[i * w + k] = a[i * w + k] + 1; s = a[i];",
    "if (i < w) for (int k = 0; k < w; k++) s = s * 3 + a[i * w + k];",
    // Columns, of which several are read at once.
    "for (int j = 0; j < w; j++) { T t = i; for (int k = 0; k < w; k++) t = t * 3 + a[k * w + j]; out[i * w + j] = t; }",
    "T r[24]; for (int k = 0; k < w; k++) r[k] = a[i * w + k] + 1;
     for (uint j = 0; j < (uint)w; j++) { T t = 0; for (int k = 0; k < w; k++) t += r[k] * a[k * w + j]; out[i * w + j] = t; }",
    "for (int j = 1; j < w; j++) { T t = 0; for (int k = 0; k < w; k++) if (k != 3) t ^= a[k * w + j] * 5 + a[k * w + j - 1];
                                  out[i * w + j] = t; }",
    // Numbers that are below zero at first.
    "for (int j = -5; j < w - 5; j++) { T t = (T)(((ulong)(uint)j + (ulong)(uint)(j + 1)) >> 31);
                                       for (int k = 0; k < w; k++) t = t * 3 + a[k * w + j + 5];
                                       out[i * w + j + 5] = t; }",
    // The header does more than to test.
    "for (int j = 0; w > 0; j++) { out[i * w + j] ^= 5; if (j >= w - 1) break;
                                   T t = 0; for (int k = 0; k < w; k++) t += a[k * w + j];
                                   out[i * w + j] += t; }",
    "T u; for (int j = 0; (u = a[w * w + j], j < w); j++) { T t = 0; for (int k = 0; k < w; k++) t += a[k * w + j] * u;
                                                          out[i * w + j] = t; }",
    // What one turn writes, the next reads.
    "for (int j = 1; j < w; j++) { T t = out[i * w + j - 1]; for (int k = 0; k < w; k++) t += a[k * w + j]; out[i * w + j] = t; }",
];

fn buffer(bytes: u32) -> Given {
    Given::Buffer((0..bytes).map(|i| (i.wrapping_mul(0x9e37_79b1) >> 25) as u8).collect())
}

fn rows_of(ty: &str, size: u32) {
    for body in BODIES {
        let kernel = Kernel::from_source(&format!(
            "typedef {ty} T;
             kernel void k(global const T *a, global T *out, constant int *e) {{
                 int w = e[0], i = get_global_id(0);
                 T s = 0;
                 {body}
                 out[{WIDTH} * {ROWS} + i] = s;
             }}"
        ));
        for (items, width) in [(ROWS, WIDTH), (32, 7), (ROWS, 3), (20, 16), (ROWS, 0)] {
            let range = Range { global: [items.into(), 1, 1], local: [items.into(), 1, 1] };
            let given = [
                buffer(size * WIDTH * ROWS),
                buffer(size * (WIDTH + 1) * ROWS),
                Given::Buffer(width.to_le_bytes().to_vec()),
            ];
            kernel.run(range, &given);
        }
    }
}

#[test]
fn rows_of_ints() {
    rows_of("int", 4);
}

#[test]
fn rows_of_longs() {
    rows_of("long", 8);
}

#[test]
fn rows_of_small_elements() {
    for ty in ["char", "ushort"] {
        rows_of(ty, if ty == "char" { 1 } else { 2 });
    }
}

/// The program's vectors, and records.
#[test]
fn rows_of_records() {
    for body in [
        "for (int k = 0; k < w / 4; k++) s += vload4(k, a + i * w);",
        "global const int4 *p = (global const int4 *)(a + i * w); for (int k = 0; k < w / 4; k++) s = s * 3 + p[k];",
        "for (int k = 0; k < w / 4; k++) { int4 t = vload4(k, a + i * w); s.x += t.y * 3 - t.w; s.y ^= t.x; }",
        "for (int k = 0; k < w / 2; k++) { int2 t = vload2(k, a + i * w); s.x = s.x * 3 + t.y; s.y ^= t.x; }",
        "for (int k = 0; k < w / 8; k++) { int8 t = vload8(k, a + i * w); s = s * 3 + t.lo - t.hi; }",
        "for (int k = 0; k < w / 6; k++) s.x = s.x * 3 + a[i * w + 6 * k + 5] - a[i * w + 6 * k + 2];",
    ] {
        let kernel = Kernel::from_source(&format!(
            "kernel void k(global const int *a, global int4 *out, constant int *e) {{
                 int w = e[0], i = get_global_id(0);
                 int4 s = 0;
                 {body}
                 out[i] = s;
             }}"
        ));
        for (items, width) in [(ROWS, WIDTH), (32, 8), (ROWS, 4), (20, 16), (ROWS, 0)] {
            let range = Range { global: [items.into(), 1, 1], local: [items.into(), 1, 1] };
            let given = [buffer(4 * WIDTH * ROWS), buffer(16 * ROWS), Given::Buffer(width.to_le_bytes().to_vec())];
            kernel.run(range, &given);
        }
    }
}
