//! What a group keeps for its work-items from one barrier to the next: vectors of every length and element, and private
//! arrays that loops fill, with loops of unknown length in them. The interpreter and machine code of every kind agree
//! bit for bit.
#![allow(unsafe_code, reason = "runs generated code")]

#[path = "support/ndrange.rs"]
mod ndrange;

use ndrange::{Given, Kernel, Range};

const LANES: [u8; 2] = [8, 32];

/// Runs a kernel on a buffer of `per` bytes and one of 4 bytes for each work-item.
fn check(source: &str, per: usize) {
    let kernel = Kernel::from_source(source);
    for (local, groups) in [(3, 2), (32, 2), (45, 1)] {
        let n = local * groups;
        let data = (0..per * n).map(|i| (i * i * 3 + i * 7) as u8 & 0x3f).collect();
        let given = [Given::Buffer(data), Given::Buffer(vec![0; 4 * n])];
        kernel.run(Range { global: [n as u64, 1, 1], local: [local as u64, 1, 1] }, &given);
    }
}

#[test]
fn vectors() {
    for (ty, size) in [("uchar", 1), ("short", 2), ("int", 4), ("float", 4), ("ulong", 8)] {
        for lanes in [2, 3, 4, 8] {
            let source = format!(
                "kernel void k(global const {ty} *x, global int *y) {{
                    size_t i = get_global_id(0), l = get_local_id(0), n = get_local_size(0);
                    local {ty}{lanes} part[64];
                    {ty}{lanes} v = vload{lanes}(i, x), sum = v;
                    for (int j = 0; j < 3; j++) {{
                        part[l] = v + ({ty})j;
                        barrier(CLK_LOCAL_MEM_FENCE);
                        if (l & 1) sum = sum + part[n - 1 - l] * ({ty})2;
                        sum.y += v.x;
                        barrier(CLK_LOCAL_MEM_FENCE);
                    }}
                    y[i] = (int)(sum.x + v.y) * 31 + (int)sum.y * 7 + (int)sum.s{};
                }}",
                lanes - 1
            );
            check(&source, size * lanes);
        }
    }
}

#[test]
fn comparisons_of_vectors() {
    let source = "kernel void k(global const int *x, global int *y) {
        size_t i = get_global_id(0), l = get_local_id(0);
        local int part[64];
        int3 v = vload3(i, x), less = v < v.zxy;
        part[l] = v.y;
        barrier(CLK_LOCAL_MEM_FENCE);
        int3 picked = less ? v : part[0];
        barrier(CLK_LOCAL_MEM_FENCE);
        y[i] = picked.x + 3 * picked.y + 5 * picked.z + (less.z & part[l]);
    }";
    check(source, 12);
}

#[test]
fn arrays_that_nests_of_loops_fill() {
    let source = "kernel void k(global const uchar *x, global int *y) {
        int i = get_global_id(0), n = get_global_size(0), l = get_local_id(0);
        local float3 part[64];
        float3 data[5];
        int at = i - 2;
        for (int r = 0; r < 5; r++, at++) {
            int p = at;
            while (p < 0 || p >= n) p = p < 0 ? -p - 1 : 2 * n - 1 - p;
            data[r] = convert_float3(vload3(p, x));
        }
        float3 total = 0;
        for (int c = 0; c < 2; c++) {
            float3 sum = 0;
            for (int r = 0; r < 5; r++) sum += data[r] * (float)(r + c);
            part[l] = sum;
            barrier(CLK_LOCAL_MEM_FENCE);
            if (l + c > 0 && l + c < (int)get_local_size(0)) total += part[l + c];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        y[i] = (int)(total.x + total.y * 3 + total.z * 7 + data[4].y);
    }";
    check(source, 3);
}
