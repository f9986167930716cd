//! What the vectoriser says of kernels of known shape: which accesses are whole vectors, and that the kernel runs in
//! lanes at all. The last remark says which code generator made the machine code. All of it is for fixed targets, which
//! the host need not have; nothing is run. Those of our own generator are there on x86-64 only.
#![cfg(target_arch = "x86_64")]

use clift_jit::ir::Func;
use clift_jit::pipeline::Runner;
use clift_jit::simd::{Config, InLanes, Outcome, Remark, Rest};
use clift_jit::target::{Backend, Target};
use clift_jit::wg::Sharing;
use clift_jit::{Emit, SpecKey, build, lowered};
use made::{Made, made};

mod choice;
#[path = "../support/made.rs"]
mod made;

/// The remarks for AVX-512.
fn remarks(source: &str, local: [u32; 3]) -> String {
    made(Backend::Avx512, source, local).remarks
}

/// The remarks on the only kernel of a source as the driver makes it for this host.
fn remarks_here(source: &str, local: [u32; 3]) -> String {
    let program = build(source.as_bytes(), "-cl-std=CL3.0", &[]).program.unwrap_or_else(|_| panic!("builds: {source}"));
    let key = SpecKey { local_size: Some(local), small_ids: true, ..SpecKey::default() };
    program.emit(0, key, Emit::Remarks).expect("compiles")
}

fn check(source: &str, local: [u32; 3], regions: &[&str]) {
    let text = remarks(source, local);
    let lines: Vec<&str> = text.lines().collect();
    let (last, lines) = lines.split_last().expect("what made the machine code");
    assert!(last.contains("machine code by ") && !last.contains("does not cover"), "{text}{source}");
    assert_eq!(lines.len(), regions.len(), "{text}{source}");
    for (line, want) in lines.iter().zip(regions) {
        assert!(line.contains(want), "`{want}` is not in `{line}`\n{source}");
    }
}

const ALL: [u32; 3] = [64, 1, 1];

#[test]
fn neighbours_in_memory_are_vectors() {
    for id in ["int i", "uint i", "size_t i", "long i"] {
        let source = format!(
            "kernel void k(global const float *x, global float *y, float a, int n) {{
                {id} = get_global_id(0);
                if (i < n) y[i] = a * x[i] + y[i + 1];
            }}"
        );
        check(&source, ALL, &["lanes: 0 uniform, 3 contiguous, 0 strided, 0 gathered"]);
    }
}

#[test]
fn turns_of_inner_loops_are_lanes_where_work_items_are_not() {
    let source = "kernel void k(global const float4 *p, global float *out, int n) {
        local float x[64], f[64];
        for (int j = 0; j < 64; j++) { x[j] = p[j].x; f[j] = 0; }
        float3 sum = 0;
        for (uint i = 0; i < 9; i++) for (uint j = 0; j < 64; j++) {
            float3 d = p[j + i].xyz - p[i].xyz;
            float r = dot(d, d);
            if (r < 3) { sum += d * native_exp(-r) * sqrt(r * x[j]) / (r + 1); f[j] += r; }
        }
        for (int j = 1; j < 64; j++) f[j] += f[j - 1];
        vstore3(sum, 0, out);
        out[9] = f[63];
    }";
    let lanes = ["inner loop 0: 16 lanes", "inner loop 1: 32 lanes", "inner loop 2: 16 lanes"];
    check(source, [1, 1, 1], &lanes);
}

#[test]
fn loops_whose_vectors_fill_registers_stay_as_they_are() {
    let source = "kernel void k(global const float16 *a, global float16 *o, int n) {
        float16 sum = 0;
        for (int j = 0; j < n; j++) sum += a[j] * a[j + 1];
        o[0] = sum;
    }";
    check(source, [1, 1, 1], &[]);
    // What is beside a loop does not matter.
    let source = "kernel void k(global const float16 *a, global const int2 *b, global float16 *o, int n) {
        float16 x = a[0] + a[1];
        int2 sum = 0;
        for (int j = 0; j < n; j++) sum += b[j] * b[j];
        o[0] = x + convert_float(sum.x + sum.y);
    }";
    check(source, [1, 1, 1], &["inner loop 0: 16 lanes"]);
}

/// The first loop over work-items has copies, for indices that wrap and those that do not; both lead to the second.
#[test]
fn loops_behind_copies_of_others_run_in_lanes() {
    let source = "kernel void k(global const float4 *p, global float4 *out, local float4 *tile, int n) {
        uint l = get_local_id(0), size = get_local_size(0);
        float4 own = p[get_global_id(0)], sum = 0;
        for (int i = 0; i < n / size; i++) {
            int from = i * size + l;
            tile[l] = p[from];
            barrier(CLK_LOCAL_MEM_FENCE);
            for (int j = 0; j < size; j++) {
                float4 r = tile[j] - own;
                sum += r * tile[j].w / sqrt(r.x * r.x + r.y * r.y + r.z * r.z + 1);
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        out[get_global_id(0)] = sum;
    }";
    let text = remarks(source, [256, 1, 1]);
    assert!(!text.contains("scalar"), "{text}");
}

/// What takes some computation, but is the same along a row of work-items, is known to be behind a barrier.
#[test]
fn rows_have_addresses_in_common_behind_barriers() {
    let source = "kernel void k(global uint *a, global uint *b, local uint *l, int w) {
        int x = get_local_id(0), y = get_local_id(1), tx = y & 1, ty = y >> 1;
        global uint *p = a + ((ty ^ w) * 8 + (tx | 5) * 2) * w + (ty & 3) * 7;
        global uint *q = b + ((tx ^ w) * 3 - (ty | 9) * 5) * w + (tx & y) * 11;
        l[y * 32 + 31 - x] = p[x];
        barrier(CLK_LOCAL_MEM_FENCE);
        q[x] = l[y * 32 + x] + p[x + 1];
    }";
    let lanes = ["2 contiguous, 0 strided, 0 gathered", "3 contiguous, 0 strided, 0 gathered"];
    check(source, [32, 4, 1], &lanes);
}

#[test]
fn vectors_run_where_memory_does() {
    let source = "kernel void k(global const float *a, global const float *b, global float *c, int n) {
        int row = get_global_id(0), column = get_global_id(1);
        float sum = 0;
        for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + column];
        c[row * n + column] = sum;
    }";
    check(source, [16, 16, 1], &["lanes: 1 uniform, 2 contiguous, 0 strided, 0 gathered"]);
    assert!(remarks_here(source, [16, 16, 1]).contains("work-item loops interchanged: vectors along y"));
    check(source, [256, 1, 1], &["lanes: 1 uniform, 0 contiguous, 0 strided, 2 gathered"]);
}

/// A guard, and barriers in one arm of a branch of a loop behind it.
const GUARDED: &str = "kernel void k(global float *a, local float *t, int h, int w) {
    int l = get_local_id(0), x = get_global_id(1);
    if (x < w) {
        float v = 0;
        for (int y = 0; y < h; y++) {
            if (y == 0) v = a[l];
            else { t[l] = v; barrier(CLK_LOCAL_MEM_FENCE); v = t[l ^ 1] + a[y * 64 + l]; }
            barrier(CLK_LOCAL_MEM_FENCE);
            t[l] = v * v;
            barrier(CLK_LOCAL_MEM_FENCE);
            a[y * 64 + l] = t[63 - l];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }
}";

#[test]
fn cycles_of_regions_with_several_entries_have_lanes() {
    // Work-items part at the guard, so that each region says which is the next: there are ways into the loop of regions
    // that do not lead through one of them.
    let text = remarks(GUARDED, [64, 2, 1]);
    assert!(text.contains("16 lanes") && !text.contains("scalar"), "{text}");
}

#[test]
fn rows_and_columns_of_a_line() {
    for (lid, x, y) in
        [("size_t l", "l % 32", "l / 32"), ("uint l", "l & 31", "l >> 5"), ("uint l", "(l + 64) % 32u", "l & 32")]
    {
        let source = format!(
            "kernel void k(global const float *row, global const float *column, global float *out) {{
                {lid} = get_local_id(0);
                out[get_global_id(0)] = row[{x}] * column[{y}];
            }}"
        );
        check(&source, ALL, &["lanes: 1 uniform, 2 contiguous, 0 strided, 0 gathered"]);
    }
}

/// An array of structures of arrays of 32 elements, where an index may wrap, and where it does not.
#[test]
fn neighbours_in_a_block_of_a_line() {
    for id in ["int i", "uint i", "size_t i", "long i"] {
        let source = format!(
            "kernel void k(global const float *x, global float *y, int n) {{
                {id} = get_global_id(0);
                y[i / 32 * 96 + i % 32] = x[(i / 32 * n + 1) * 32 + i % 32 + 64];
            }}"
        );
        check(&source, ALL, &["lanes: 0 uniform, 2 contiguous, 0 strided, 0 gathered"]);
    }
}

#[test]
fn records_are_taken_apart() {
    let source = "kernel void k(global const float4 *x, global float4 *y) {
        size_t i = get_global_id(0);
        y[i] = x[i].wzyx + 1;
    }";
    check(source, ALL, &["0 contiguous, 2 strided, 0 gathered"]);
}

#[test]
fn records_that_stay_whole_are_not_taken_apart() {
    let whole = [
        "float4 s = 0; for (int j = 0; j < n; j++) s += x[i + j] * a; y[i] = s / (float)n;",
        "y[i] = fma(x[i], (float4)a, y[i]);",
    ];
    let apart = [
        "y[i] = x[i].wzyx;",
        "y[i] = x[i] * x[i].x;",
        "y[i] = x[i] * (float4)(a, 1, 2, 3);",
        "float4 v = x[i]; if (v.x > a) v += y[i]; y[i] = v;",
    ];
    for (body, moves) in whole.iter().map(|b| (b, false)).chain(apart.iter().map(|b| (b, true))) {
        let text = in_lanes(&format!(
            "kernel void k(global const float4 *x, global float4 *y, float a, int n) {{ int i = get_global_id(0); {body} }}"
        ));
        assert_eq!(text.contains(" = extract "), moves, "{body}\n{text}");
    }
}

#[test]
fn what_all_share_is_loaded_once() {
    let source = "kernel void k(global const float4 *x, global float *y, int n) {
        size_t i = get_global_id(0);
        float sum = 0;
        for (int j = 0; j < n; j++) sum += x[j].x * i;
        y[i] = sum;
    }";
    check(source, ALL, &["lanes: 1 uniform, 1 contiguous, 0 strided, 0 gathered"]);
}

#[test]
fn functions_that_write_what_they_are_given() {
    // Too large, too often called to come in for their own sake: what matters is that work-items run side by side.
    let rounds = "a ^= (a << 5) + b[i & 15]; b[(i + 3) & 15] += a >> 2; i += a & 7;\n".repeat(80);
    let source = format!(
        "void mix(uint *b, uint i) {{ uint a = b[i & 15];\n{rounds} b[0] ^= a; }}
        void both(uint *b, uint i) {{ mix(b, i); mix(b, i + 1); }}
        kernel void k(global uint *out) {{
            uint b[16];
            for (uint i = 0; i < 16; i++) b[i] = i * get_global_id(0);
            both(b, 1); both(b, 2); mix(b, 3);
            out[get_global_id(0)] = b[0];
        }}"
    );
    check(&source, ALL, &["16 lanes: "]);
}

/// The kernel of a source as a work-group function in lanes.
fn group(source: &str) -> String {
    made(Backend::Avx512, source, ALL).group
}

#[test]
fn neighbours_are_gathered_and_scattered_together() {
    let numbers = |text: &str, op: &str| text.lines().filter(|line| line.contains(op)).count();
    let cases = [
        // Each lane loads a whole point.
        ("float4", "y[at[i]] = x[at[i]] * 2.0f;", 0, 2),
        ("float", "int j = 3 * at[i]; y[j] *= 2; y[j + 1] *= 3; y[j + 2] *= 4;", 2, 2),
        ("uchar", "int j = 5 * at[i]; uchar a = x[j], b = x[j + 1]; y[j] = b; y[j + 1] = a;", 1, 1),
        // Three small ones are one, too.
        ("uchar", "int j = 5 * at[i]; y[i] = x[j] * x[j + 1] + x[j + 2];", 1, 0),
        ("ushort", "ushort3 v = vload3(0, x + at[i]); y[i] = v.x * v.y + v.z;", 1, 0),
        ("uchar", "int j = at[i], s = 0; for (int k = 0; k < 7; k++) s = s * 3 + x[j + k]; y[i] = s;", 2, 0),
        // What may be the same memory stays in order.
        ("float", "int j = 3 * at[i]; y[j] = x[j]; y[j + 1] = x[j + 1];", 2, 2),
        ("int", "int j = 3 * at[i]; y[j] = 1; y[x[j]] = 2; y[j + 1] = 3;", 1, 3),
    ];
    for (ty, body, gathers, scatters) in cases {
        let text = in_lanes(&format!(
            "kernel void k(global const int *at, global const {ty} *x, global {ty} *y) {{ int i = get_global_id(0); {body} }}"
        ));
        let found = (numbers(&text, " = gather "), numbers(&text, "  scatter "));
        assert_eq!(found, (gathers, scatters), "{body}\n{text}");
    }
}

/// Interleaved access groups: no gather and no scatter is left of them.
#[test]
fn elements_a_few_apart_are_accessed_whole() {
    let cases = [
        ("uchar", "y[i] = x[3 * i] + x[3 * i + 1] + x[3 * i + 2];", "1 contiguous, 3 strided"),
        ("uchar", "vstore3(vload3(n - 1 - i, x), i, y);", "0 contiguous, 2 strided"),
        ("ushort", "y[2 * i + 1] = x[i]; y[2 * i] = x[n - i];", "2 contiguous, 2 strided"),
        ("float", "y[i] = x[4 * i + 3] - x[2 * i];", "1 contiguous, 2 strided"),
        ("float", "y[3 * i + 2] = x[3 * i]; y[3 * i + 1] = x[3 * i + 1]; y[3 * i] = x[3 * i + 2];", "6 strided"),
    ];
    for (ty, body, accesses) in cases {
        let source = format!(
            "kernel void k(global const {ty} *restrict x, global {ty} *restrict y, int n) {{
                int i = get_global_id(0);
                {body}
            }}"
        );
        let (text, code) = (remarks(&source, ALL), group(&source));
        assert!(text.contains(&format!("{accesses}, 0 gathered")), "{text}{body}");
        assert!(!code.contains("gather") && !code.contains("scatter"), "{body}\n{code}");
    }
}

#[test]
fn private_arrays_lie_side_by_side() {
    let source = "kernel void k(global const float *x, global float *y, int n) {
        size_t i = get_global_id(0);
        float w[16];
        for (int j = 0; j < 16; j++) w[j] = x[i] * j;
        for (int r = 0; r < n; r++) for (int j = 0; j < 16; j++) w[(j + r) & 15] += w[j] * w[(j + 3) & 15];
        y[i] = w[n & 15];
    }";
    let text = remarks(source, ALL);
    assert!(text.contains("lanes:") && text.contains("0 gathered"), "{text}");
}

#[test]
fn private_arrays_of_words_and_bytes_lie_side_by_side() {
    let source = "kernel void k(global const uchar *x, global uint *y, int n) {
        size_t i = get_global_id(0);
        uint w[16];
        for (int j = 0; j < 16; j++) w[j] = j;
        for (int j = 0; j < n; j++) ((uchar *)w)[j ^ 3] = x[i + j];
        for (int r = 0; r < n; r++) for (int j = 0; j < 16; j++) w[(j + r) & 15] += w[j] ^ ((ushort *)w)[j];
        y[i] = w[n & 15];
    }";
    let text = remarks(source, ALL);
    assert!(text.contains("lanes:") && text.contains("0 gathered, 0 lane by lane"), "{text}");
}

/// Rows of work-items that load the same column take turns with it; where there is one row, or where each has its own
/// way, they do not.
#[test]
fn rows_are_taken_together() {
    let product = |guard: &str| {
        format!(
            "kernel void k(global const float *a, global const float *b, global float *c, int n) {{
                int x = get_global_id(0), y = get_global_id(1);
                {guard}
                float sum = 0;
                for (int j = 0; j < n; j++) sum = fma(a[y * n + j], b[j * n + x], sum);
                c[y * n + x] = sum;
            }}"
        )
    };
    check(&product(""), [16, 16, 1], &["0 strided, 0 gathered, 0 lane by lane, 4 rows at once"]);
    check(&product(""), [16, 2, 1], &["0 strided, 0 gathered, 0 lane by lane, 2 rows at once"]);
    for (guard, local) in [("", [16, 1, 1]), ("", [16, 3, 1]), ("n = (y & 1) ? n : n / 2;", [16, 16, 1])] {
        let text = remarks(&product(guard), local);
        assert!(text.contains(" lanes: ") && !text.contains("rows"), "{guard} {local:?}: {text}");
    }
}

/// Slots that another loop over work-items uses do not matter.
#[test]
fn rows_are_taken_together_beside_slots() {
    let source = "kernel void k(global const float *a, global const float *b, global float *c, int n) {
        local float first[256];
        int l = get_local_id(0) + 16 * get_local_id(1);
        volatile float own = a[l];
        first[l] = own;
        barrier(CLK_LOCAL_MEM_FENCE);
        int x = get_global_id(0), y = get_global_id(1);
        float sum = first[0];
        for (int j = 0; j < n; j++) sum = fma(a[y * n + j], b[j * n + x], sum);
        c[y * n + x] = sum;
    }";
    check(source, [16, 16, 1], &["scalar", "4 rows at once"]);
}

/// No wider than there are work-items.
#[test]
fn vectors_are_as_wide_as_groups() {
    let source = "kernel void k(global const float *x, global float *y) {
        size_t i = get_global_id(0);
        y[i] = x[i] * x[i] + 1;
    }";
    check(source, [8, 1, 1], &[" 8 lanes"]);
    check(source, [16, 1, 1], &[" 16 lanes"]);
    assert!(!remarks(source, [8, 1, 1]).contains("mask"));
}

/// Groups that lie wholly within an image have no masks, and their rows take the same way.
#[test]
fn guards_cost_nothing_away_from_edges() {
    for guard in ["if (x >= n || y >= m) return;", "if (x < n && y < m)", "if (!(y < m)) return; if (x < n)"] {
        let source = format!(
            "kernel void k(global const float *a, global const float *b, global float *c, int n, int m) {{
                int x = get_global_id(0), y = get_global_id(1);
                {guard} {{
                    float sum = 0;
                    for (int j = 0; j < n; j++) sum = fma(a[y * n + j], b[j * n + x], sum);
                    c[y * n + x] = sum;
                }}
            }}"
        );
        let text = remarks(&source, [16, 16, 1]);
        let loops: Vec<&str> = text.lines().collect();
        let [inner, outer, _] = loops[..] else { panic!("two loops, {guard}: {text}") };
        assert!(
            inner.contains("inner groups, ") && inner.contains("0 gathered, 0 lane by lane, 4 rows at once"),
            "{text}"
        );
        assert!(!outer.contains("inner") && !outer.contains("rows"), "{text}");
    }
    // Nothing is behind the guard but a store: `edge` takes it, and there is one row.
    check(
        "kernel void k(global int *p, int n) { int i = get_global_id(0); if (i < n) p[i] = i; }",
        ALL,
        &["lanes: 0 uniform"],
    );
}

/// Counters that start at an id are neighbours all the way, where they do not wrap or where the bound says so.
#[test]
fn strides_of_a_loop() {
    let source = |head: &str| {
        format!(
            "kernel void k(global const float *in, global float *out, int n, int row) {{
                float sum = 0;
                for ({head}) sum += in[row * n + j] * in[j];
                out[get_global_id(0)] = sum;
            }}"
        )
    };
    for head in
        ["int j = get_local_id(0); j < n; j += 64", "size_t j = get_global_id(0); j < n; j += get_global_size(0)"]
    {
        check(&source(head), ALL, &["lanes: 0 uniform, 3 contiguous, 0 strided, 0 gathered"]);
    }
    for head in [
        "int j = get_global_id(0); j < n; j += get_global_size(0)",
        "int j = get_local_id(0); j <= n; j += get_local_size(0)",
        "uint j = get_global_id(0); n > j; j += get_global_size(0)",
        "uint j = get_local_id(0); j < n; j += 64",
    ] {
        let text = remarks(&source(head), ALL);
        let unsigned = head.starts_with("uint");
        // Multiples of the number of lanes wrap together.
        let aligned = head.contains("local_id");
        let slow = if aligned { "2 contiguous, 0 strided, 1 gathered" } else { "1 contiguous, 0 strided, 2 gathered" };
        let fast = if unsigned { "2 contiguous, 0 strided, 1 gathered" } else { "3 contiguous, 0 strided, 0 gathered" };
        assert!(text.contains(&format!("inner rows, 0 uniform, {fast}")) && text.contains(slow), "{head}: {text}");
    }
}

/// Neighbours to the left are neighbours.
#[test]
fn differences_are_sums() {
    let source = "kernel void k(global const uchar *in, global int *out, int w) {
        int x = get_global_id(0), y = get_global_id(1);
        out[y * w + x] = in[(y - 1) * w + x - 1] + in[y * w + x - 1] + in[(y + 1) * w + (x - 2) + 1];
    }";
    check(source, ALL, &["lanes: 0 uniform, 4 contiguous, 0 strided, 0 gathered"]);
}

/// Filters that repeat the edge of an image gather there, and nowhere else.
#[test]
fn clamps_cost_nothing_where_they_do_nothing() {
    let source = "kernel void k(global const float *in, global float *out, int w) {
        int x = get_global_id(0);
        out[x] = in[clamp(x - 1, 0, w - 1)] + in[x] + in[min(x + 1, w - 1)];
    }";
    let rows = ["inner rows, 0 uniform, 4 contiguous, 0 strided, 0 gathered", "0 strided, 2 gathered"];
    check(source, ALL, &rows);
    // Reflections at edges.
    let source = "kernel void k(global const float *in, global float *out, int w) {
        int x = get_global_id(0), a = x - 1, b = x + 1, m = w - 1;
        a = clamp(min(m * 2 - a, max(a, -a)), 0, m);
        b = clamp(min(m * 2 - b + 1, max(b, -b - 1)), 0, m);
        out[x] = in[a] + in[x] + in[b];
    }";
    check(source, ALL, &rows);
}

/// Products of 24 bits by small constants do not wrap; sums of `int`s need not.
#[test]
fn short_products_are_seen_through() {
    let source = "kernel void k(global const uchar *in, int step, int offset, global uchar *out, int w, int h) {
        int x = get_global_id(0), y = get_global_id(1);
        if (x >= w || y >= h) return;
        int i = mad24(y, step, mad24(x, (int)sizeof(float), offset));
        out[mad24(y, w, x)] = *(global const float *)(in + i) + in[mul24(y, step) + x];
    }";
    check(source, [64, 4, 1], &["3 contiguous, 0 strided, 0 gathered", "3 contiguous, 0 strided, 0 gathered"]);
}

/// Halves of even sums of group and local ids are sums again, which fit an `int`.
#[test]
fn halves_of_ids_are_seen_through() {
    let source = "kernel void k(global const float *in, global float *out) {
        const int at = (get_group_id(0) * get_local_size(0) + get_local_id(0) * 2) / 2;
        out[at * 3] = in[at];
    }";
    check(source, ALL, &["lanes: 0 uniform, 1 contiguous, 1 strided, 0 gathered"]);
}

/// Elements of long records are loaded whole if most of them are wanted; where there are no scatters, gathers are for
/// them.
#[test]
fn records_longer_than_four_are_loaded_whole() {
    let source = "kernel void k(global const float *in, global float *out) {
        size_t i = get_global_id(0);
        out[i] = in[8 * i] + in[8 * i + 2] * in[8 * i + 5];
    }";
    let code = group(source);
    if code.contains("f32x16") {
        assert!(!code.contains("gather"), "{code}");
    }
}

/// Indices that might wrap are asked about in front of the loop; the other one is scalar, of which nothing is said.
#[test]
fn sums_that_might_wrap_are_asked_about() {
    for (index, ty) in [("y * w + x", "uint"), ("mad24(y, w, x)", "uint"), ("(int)((uint)y * w + x)", "int")] {
        let source = format!(
            "kernel void k(global const float *in, global float *out, uint w) {{
                {ty} x = get_global_id(0), y = get_global_id(1);
                {ty} i = {index};
                out[i] = in[i] + in[i + 1u];
            }}"
        );
        check(&source, [64, 4, 1], &["lanes: 0 uniform, 3 contiguous, 0 strided, 0 gathered"]);
    }
    let source = "kernel void k(global const float *a, global const float *b, global float *c, uint n) {
        uint x = get_global_id(0), y = get_global_id(1);
        float sum = 0;
        for (uint k = 0; k < n; k++) sum += a[y * n + k] * b[k * n + x];
        c[y * n + x] = sum;
    }";
    check(source, [16, 16, 1], &["lanes: 1 uniform, 2 contiguous, 0 strided, 0 gathered"]);
}

/// What stands in for an index past an edge is gathered at edges, and nowhere else.
#[test]
fn choices_cost_nothing_where_they_do_nothing() {
    for mend in [
        "d = d < n && d > 0 ? d : 0;",
        "d = d < 0 ? -d : d; d = d >= n ? -d - 2 + 2 * n : d;",
        "if (d >= n || d < 0) do { if (d < 0) d = -d; else d = n - 1 - (d - n) - 1; } while (d >= n || d < 0);",
    ] {
        let source = format!(
            "kernel void k(global const float *in, global float *out, int n, int step) {{
                int x = get_global_id(0), y = get_global_id(1), d = x - 1;
                {mend}
                out[mad24(y, step, x)] = in[mad24(y, step, d)];
            }}"
        );
        let text = remarks(&source, [64, 2, 1]);
        assert!(text.contains("inner groups, 0 uniform, 2 contiguous, 0 strided, 0 gathered"), "{mend}: {text}");
    }
}

#[test]
fn loops_that_work_items_leave_at_different_times() {
    let source = "kernel void k(global int *out, float s) {
        size_t i = get_global_id(0);
        float x = 0, y = 0;
        int n = 0;
        for (; n < 100 && x * x + y * y < 4; n++) { float t = x * x - y * y + i * s; y = 2 * x * y; x = t; }
        out[i] = n;
    }";
    check(source, ALL, &["lanes: 0 uniform, 1 contiguous"]);
}

/// What branches choose between, or begins far from a work-item's id, is as contiguous as what it is made of.
#[test]
fn indices_behind_branches() {
    let turn = "if (y + N < rows) { out[j] = in[i]; i = mad24(8, step, i); j += step; }";
    let turns: String = [0, 8, 16, 24].map(|n| turn.replace('N', &n.to_string())).concat();
    let source = format!(
        "kernel void k(global const int *in, global int *out, int step, int rows, int offset, int n) {{
            int x = get_global_id(0), y = get_global_id(1);
            int i = mad24(y, step, n - x - 1 + offset), j = mad24(y, step, x + offset);
            {turns}
        }}"
    );
    let all = "0 uniform, 8 contiguous, 0 strided, 0 gathered";
    check(&source, [32, 8, 1], &[all, all]);
    let source = "kernel void k(global const uchar *in, global uchar *out, int step, int rows, int offset, int n) {
        int x = get_global_id(0), y0 = get_global_id(1);
        int i = mad24(y0, step, mad24(n - x - 1, 3, offset)), j = mad24(y0, step, mad24(x, 3, offset));
        for (int y = y0, y1 = min(rows, y0 + 1); y < y1; y++) {
            vstore3(vload3(0, in + i), 0, out + j);
            i += step;
            j += step;
        }
    }";
    let remarks = made(Backend::Avx2, source, [64, 1, 1]).remarks;
    assert!(remarks.contains("0 contiguous, 2 strided, 0 gathered"), "{remarks}");
}

/// Indices that are made of what the group has in common are made again behind a barrier.
#[test]
fn indices_beyond_barriers() {
    let source = "kernel void k(global const int *in, global int *out, int n, local int *t) {
        int l = get_local_id(0), column = n > 3 ? (int)get_group_id(0) % n : 0, at = 64 * column + l;
        t[l] = in[at];
        barrier(CLK_LOCAL_MEM_FENCE);
        out[at] = t[63 - l];
    }";
    check(source, ALL, &["2 contiguous, 0 strided, 0 gathered", "2 contiguous, 0 strided, 0 gathered"]);
}

/// Each step of a reduction has as many lanes as it has work-items; those that need fewer than four are scalar.
#[test]
fn steps_of_a_reduction() {
    let source = "kernel void k(global const float *in, global float *out) {
        local float t[64];
        int l = get_local_id(0);
        t[l] = in[get_global_id(0)];
        for (int s = 32; s > 0; s >>= 1) {
            barrier(CLK_LOCAL_MEM_FENCE);
            if (l < s) t[l] += t[l + s];
        }
        if (l == 0) out[get_group_id(0)] = t[0];
    }";
    let widths: Vec<u8> = on(&Target::AVX512, source, 64)
        .0
        .into_iter()
        .map(|remark| match remark.outcome {
            Outcome::Lanes(lanes) => lanes.width,
            Outcome::Scalar(_) => 1,
        })
        .collect();
    assert_eq!(widths, [32, 32, 16, 8, 4, 1, 1]);
}

#[test]
fn regions_between_barriers() {
    let source = "kernel void k(global const float *in, global float *out, local float *t) {
        size_t l = get_local_id(0);
        t[l] = in[get_global_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
        out[get_global_id(0)] = t[get_local_size(0) - 1 - l];
    }";
    check(source, ALL, &["2 contiguous, 0 strided, 0 gathered", "2 contiguous, 0 strided, 0 gathered"]);
}

/// The remarks and the work-group function for groups of so many work-items on a target, whatever the host has.
fn on(target: &'static Target, source: &str, local: u32) -> (Vec<Remark>, Func) {
    let mut module = lowered(source.as_bytes(), "-cl-std=CL3.0").unwrap_or_else(|log| panic!("{source}\n{log}"));
    Runner::default().program(&mut module);
    let key = SpecKey { local_size: Some([local, 1, 1]), small_ids: true, ..SpecKey::default() };
    let mut group = Runner::default().group(&module, 0, key, Sharing::Auto);
    let remarks = Runner::default().lanes(&module, &mut group.func, Config::new(target));
    (remarks, group.func)
}

/// The work-group function, whose work-items must be in lanes.
fn in_lanes(source: &str) -> String {
    let (remarks, func) = on(&Target::AVX512, source, ALL[0]);
    assert!(func.is_lanes, "{remarks:?}\n{source}");
    func.to_string()
}

/// What became of each loop over work-items that is in lanes; all of them are.
fn lanes(source: &str, local: u32, target: &'static Target) -> Vec<InLanes> {
    let in_lanes = |remark: Remark| match remark.outcome {
        Outcome::Lanes(lanes) => lanes,
        Outcome::Scalar(why) => panic!("scalar: {why}\n{source}"),
    };
    on(target, source, local).0.into_iter().map(in_lanes).collect()
}

/// What is left of a group runs in lanes under a mask where that pays; groups that fill vectors need none.
#[test]
fn groups_that_do_not_fill_vectors() {
    let source = "kernel void k(global const float *x, global float4 *y, local float *t) {
        size_t l = get_local_id(0);
        t[l] = exp(x[get_global_id(0)]);
        barrier(CLK_LOCAL_MEM_FENCE);
        y[get_global_id(0)] = t[get_local_size(0) - 1 - l];
    }";
    for (local, end) in [(64, Rest::Scalar), (100, Rest::LastMask), (37, Rest::LastMask), (7, Rest::Masks)] {
        let found = lanes(source, local, &Target::AVX512);
        assert!(found.len() == 2 && found.iter().all(|lanes| lanes.rest == end), "{local}: {found:?}");
    }
    // Without mask registers masks cost more.
    let source = "kernel void k(global const float *x, global float *y) {
        size_t i = get_group_id(0) * get_local_size(0) + get_local_id(0);
        y[i] = exp(x[i]) * sqrt(x[i]) + ((1ul << 32) + get_local_id(0)) % 3;
    }";
    let sizes = [(64, Rest::Scalar), (65, Rest::Scalar), (37, Rest::LastMask), (7, Rest::OneMask)];
    for (local, end) in sizes {
        let found = lanes(source, local, &Target::AVX2);
        assert!(found.len() == 1 && found[0].rest == end, "{local}: {found:?}");
    }
    // Some lanes have no masked access.
    let narrow = source.replace("global float *y", "global short *y").replace("exp(x[i]) * sqrt(x[i])", "x[i]");
    let found = lanes(&narrow, 37, &Target::AVX2);
    assert!(found.len() == 1 && found[0].rest == Rest::Scalar, "{found:?}");
}

/// Lines at a distance of pages drive each other out of the cache: fewer at once.
#[test]
fn transposed_stores_take_fewer_lanes() {
    for (address, width) in [("x * n + y", 8), ("y * n + x", 32), ("x * 1024 + y", 8), ("x * 1028 + y", 16)] {
        let source = format!(
            "kernel void k(global const float *in, global float *out, int n) {{
                int x = get_global_id(0), y = get_global_id(1);
                out[{address}] = in[y * n + x];
            }}"
        );
        let found = lanes(&source, 64, &Target::AVX512);
        assert!(found.len() == 1 && found[0].width == width, "{address}: {found:?}");
    }
    // Local memory is small.
    let source = "kernel void k(global const float *in, local float *t, int n) {
        t[get_local_id(0) * n] = in[get_global_id(0)];
    }";
    let found = lanes(source, 64, &Target::AVX512);
    assert!(found.len() == 1 && found[0].width == 16, "{found:?}");
}

/// Arrays that live across barriers: elements of neighbours lie side by side.
#[test]
fn private_arrays_across_barriers_are_interleaved() {
    let source = |access: &str| {
        format!(
            "kernel void k(global float *x, int n) {{
                local float t[64];
                int l = get_local_id(0);
                float a[32];
                for (int i = 0; i < 32; i++) a[i] = x[i * 64 + l];
                t[l] = a[n & 31];
                barrier(CLK_LOCAL_MEM_FENCE);
                for (int i = 0; i < n; i++) a[i & 31] += t[i & 63];
                {access}
                for (int i = 0; i < 32; i++) x[i * 64 + l] = a[i];
            }}"
        )
    };
    let text = remarks(&source(""), ALL);
    assert!(!text.contains("scalar") && text.matches(" 0 gathered, 0 lane by lane").count() == 2, "{text}");
    let text = remarks(&source("((uchar *)a)[n & 127] = 0;"), ALL);
    assert!(!text.contains(" 0 gathered, 0 lane by lane"), "{text}");
}
