//! Loops over lanes that are compared with a bound: they are split where the comparison changes, and leave the same
//! bytes as the interpreter wherever that is.
#![allow(unsafe_code, reason = "runs generated code")]

#[path = "support/ndrange.rs"]
mod ndrange;

use clift_jit::{Emit, SpecKey, build, target};
use ndrange::{Given, Kernel, Range};

const LANES: [u8; 2] = [8, 16];

/// A kernel whose work-items read neighbours where `compare` of `l` and `s` holds.
fn source(ty: &str, compare: &str, at: &str) -> String {
    format!(
        "kernel void k(global const {ty} *bounds, global int *out, local int *part) {{
            {ty} l = get_local_id(0), s = bounds[get_group_id(0)];
            part[l] = out[get_global_id(0)];
            int sum = part[l] & 7;
            for (int n = 0; n < 3; n++) {{
                barrier(CLK_LOCAL_MEM_FENCE);
                sum += {compare} ? part[{at}] : 1000;
                barrier(CLK_LOCAL_MEM_FENCE);
                part[l] += sum;
                s += n;
            }}
            out[get_global_id(0)] = sum;
        }}"
    )
}

#[test]
fn bounds_lie_anywhere() {
    for (ty, size) in [("int", 4), ("uint", 4), ("long", 8), ("ulong", 8)] {
        for (compare, at) in
            [("l >= s", "l - s"), ("l > s", "l - s"), ("s > l", "l"), ("l <= s", "l"), ("s <= l", "l - s")]
        {
            let kernel = Kernel::from_source(&source(ty, compare, at));
            for local in [64, 48, 40] {
                // Differences of what the comparison lets through lie in the group.
                let least = if at == "l - s" { 0 } else { -64 };
                let bounds = [0i64, 1, 7, 8, 15, 16, 17, 31, 32, 33, 40, 46, 47, 48, 62, 63, 64, 65, 1 << 30, -1, -64];
                let bounds: Vec<i64> = bounds.into_iter().filter(|&bound| bound >= least).collect();
                let items = bounds.len() as u64 * local;
                let range = Range { global: [items, 1, 1], local: [local, 1, 1] };
                let bounds = bounds.iter().flat_map(|bound| bound.to_le_bytes()[..size].to_vec()).collect();
                let out = (0..items as u32).flat_map(|i| (i * i * 5).to_le_bytes()).collect();
                kernel.run(range, &[Given::Buffer(bounds), Given::Buffer(out), Given::Local(4 * local as usize)]);
            }
        }
    }
}

#[test]
fn one_of_two_loops_has_a_mask() {
    let scan = "kernel void k(global int *out, int s) {
        local int a[256], b[256];
        int l = get_local_id(0);
        a[l] = out[get_global_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
        b[l] = a[l] + (l >= s ? a[l - s] : 0);
        barrier(CLK_LOCAL_MEM_FENCE);
        out[get_global_id(0)] = b[255 - l];
    }";
    let program = build(scan.as_bytes(), "", &[]).program.unwrap_or_else(|_| panic!("builds: {scan}"));
    let key = SpecKey { local_size: Some([256, 1, 1]), small_ids: true, ..SpecKey::default() };
    let text = program.emit(0, key, Emit::WorkGroup).expect("compiles");
    let count = |what: &str| text.matches(what).count();
    // Without masks of its own the machine has other loops.
    if target::lanes().is_none_or(|target| !target.masks) {
        return;
    }
    assert_eq!((count("load.masked"), count("icmp.sge"), count("store")), (1, 1, 4), "{text}");
}

/// Work-items that go round a loop before they get to a block of it are not there in that iteration, though they get
/// there at last.
#[test]
fn loops_that_go_round_before_a_block() {
    for first in ["if (x < 0) { x = -x - 1; continue; }", "if (x & 1) { if (x < 9) { x += 2; } x++; continue; }"] {
        for last in ["if (x >= 20) { x -= 20; continue; } break;", "x -= 7; if (x < 30) break;"] {
            let kernel = Kernel::from_source(&format!(
                "kernel void k(global const int *in, global int *out) {{
                    int i = get_global_id(0), x = in[i];
                    for (;;) {{
                        {first}
                        out[i] += (x & 15) + 1;
                        {last}
                    }}
                    out[i] += 100 * x;
                }}"
            ));
            let input = (0..64).flat_map(|i| (i * 37 % 101 - 40i32).to_le_bytes()).collect();
            let given = [Given::Buffer(input), Given::Buffer(vec![0; 256])];
            kernel.run(Range { global: [64, 1, 1], local: [32, 1, 1] }, &given);
        }
    }
}
