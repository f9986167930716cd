//! What work-items keep from one parallel region to the next, as work-group functions for AVX-512 show. Nothing runs.
#![cfg(target_arch = "x86_64")]

#[path = "support/made.rs"]
mod made;

use clift_jit::target::Backend;
use made::made;

#[test]
fn sums_of_multiples_of_ids_are_made_again_behind_barriers() {
    // The second index takes 13 operations, most of which are the group's.
    let source = "kernel void k(global const float *in, global float *out, int n) {
        local float t[256];
        int x = get_local_id(0), y = get_local_id(1), g = get_group_id(1);
        int at = (n + 1) * 16 * g + (n + 1) * y + x + 1 + (n + 1);
        t[16 * y + x] = in[16 * g + y + 1];
        barrier(CLK_LOCAL_MEM_FENCE);
        out[at] = t[255 - 16 * y - x] * in[at];
    }";
    let text = made(Backend::Avx512, source, [16, 16, 1]);
    assert!(!text.group.contains("gather") && text.remarks.contains(" 0 gathered, 0 lane"), "{}", text.group);
    // Nothing is kept of the work-items.
    assert!(!text.group.contains("ptr.add %7,"), "{}", text.group);
}

#[test]
fn indices_are_kept_across_barriers_in_place_of_addresses() {
    let source = "kernel void k(global const int *in, global float *out) {
        local float t[64];
        int l = get_local_id(0), at = max(in[get_global_id(0)], 0) & 63;
        float sum = 0;
        for (int i = 0; i < 9; i++) {
            t[l] = sum + i;
            barrier(CLK_LOCAL_MEM_FENCE);
            sum += t[at];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        out[get_global_id(0)] = sum;
    }";
    let group = made(Backend::Avx512, source, [64, 1, 1]).group;
    assert!(group.contains("i32x16 = load") && !group.contains("i64x16 = load"), "{group}");
}
