//! What work-items keep to themselves and from one parallel region to the next, and what ids are known to be, as
//! work-group functions for AVX-512 show. Nothing runs.
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

#[test]
fn ids_of_dimensions_of_size_1_are_the_same_for_all() {
    let source = "kernel void k(global int *a, local int *t, int w) {
        int l = get_local_id(0);
        if (get_global_id(1) >= w) return;
        t[l] = a[l];
        barrier(CLK_LOCAL_MEM_FENCE);
        a[l] = t[l ^ 1];
    }";
    let group = |local| made(Backend::Avx512, source, local).group;
    // The group goes on to the barrier or to the end where one of its work-items says so, or all at once.
    assert!(group([64, 2, 1]).contains("switch "));
    assert!(!group([64, 1, 1]).contains("switch "));
}

#[test]
fn ids_are_divided_in_32_bits() {
    let is_narrow = |body: &str, op: &str| {
        let source = format!("kernel void k(global ulong *x) {{ size_t i = get_global_id(0); x[i] {body}; }}");
        let text = made(Backend::Avx512, &source, [64, 1, 1]).group;
        text.lines().any(|line| line.contains(": i32") && line.contains(op))
    };
    for body in ["= i / 1000", "= (i / 30) / 7", "= (long)i / (long)(get_local_id(0) + 1)"] {
        assert!(is_narrow(body, " = div.u "), "{body}");
    }
    for body in ["= i % 1000", "= i % 77 % 13", "= i % get_global_size(0)"] {
        assert!(is_narrow(body, " = rem.u "), "{body}");
    }
    // Of these nobody knows how large they are.
    for body in ["/= 1000", "= i * i / 1000", "= (i + 2147483647) / 1000", "= (i - 1) / 1000"] {
        assert!(!is_narrow(body, " = div."), "{body}");
    }
}

/// Sums in private arrays that are known part by part: of so many parts as become values, and of more, which are kept
/// in registers in some loops only.
#[test]
fn sums_of_many_private_elements_are_no_obstacle() {
    for elements in [80, 300] {
        let all = |part: &str| -> String { (0..elements).map(|n| part.replace('#', &n.to_string())).collect() };
        let source = format!(
            "kernel void k(global float *d, global const float *p, int n, int m) {{
                float b[{elements}], s = 0;
                int o = get_local_id(0) * {elements};
                for (int j = 0; j < m; j++) {{
                    {}
                    bool c = j % 25 < 20;
                    for (int i = 0; i < n; i++) {{ float v = c ? p[i] : 0; {} }}
                    {}
                }}
                d[get_global_id(0)] = s;
            }}",
            all("b[#] = 0; "),
            all("b[#] += v * p[o + #]; "),
            all("s += c ? b[#] : 0; "),
        );
        let remarks = made(Backend::Avx512, &source, [64, 1, 1]).remarks;
        assert!(remarks.contains("work-item loop 0: 16 lanes"), "{remarks}");
    }
}
