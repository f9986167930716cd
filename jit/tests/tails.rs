//! Groups that do not fill vectors: kernels of all kinds of accesses and of control flow in groups of 1 to 37
//! work-items and of a few in two dimensions. The interpreter and machine code of every kind, the work-items left over
//! one by one or in lanes under masks, must agree bit for bit; buffers are no longer than what the kernels access.
#![allow(unsafe_code, reason = "runs generated code")]

#[path = "support/ndrange.rs"]
mod ndrange;

use ndrange::{Given, Kernel, Range};

const LANES: [u8; 2] = [8, 16];

/// Bytes that every kind of number finds interesting enough.
fn bytes(n: usize) -> Vec<u8> {
    (0..n).map(|i| (i * i * 7 + i * 31) as u8).collect()
}

/// Runs a kernel that takes two buffers of elements of so many bytes, one for each work-item, and local memory unless
/// that has no size, which is per work-item.
fn check(size: usize, local: usize, source: &str) {
    let kernel = Kernel::from_source(source);
    let line = |n: u64, groups: u64| Range { global: [n * groups, 1, 1], local: [n, 1, 1] };
    let mut ranges: Vec<Range> = (1..=18).chain([23, 31, 32, 33, 37]).map(|n| line(n, 1 + n % 3)).collect();
    ranges.push(Range { global: [65, 1, 1], local: [32, 1, 1] });
    ranges.push(Range { global: [20, 6, 1], local: [10, 3, 1] });
    for range in ranges {
        let (n, items) = (range.items(), range.local.iter().product::<u64>() as usize);
        let mut given = vec![Given::Buffer(bytes(n * size)); 2];
        given.extend((local > 0).then_some(Given::Local(items * local)));
        kernel.run(range, &given);
    }
}

const ID: &str = "size_t i = get_global_id(0) + get_global_id(1) * get_global_size(0);";

#[test]
fn elements_of_all_sizes() {
    for (ty, size) in [("uchar", 1), ("ushort", 2), ("uint", 4), ("ulong", 8)] {
        check(
            size,
            0,
            &format!("kernel void k(global const {ty} *x, global {ty} *y) {{ {ID} y[i] = x[i] * 3 + y[i]; }}"),
        );
        check(
            size,
            0,
            &format!(
                "kernel void k(global const {ty} *x, global {ty} *y) {{
                    {ID}
                    size_t last = get_global_size(0) * get_global_size(1) - 1;
                    if (x[i] & 2) y[last - i] = x[last - i] + 1;
                }}"
            ),
        );
    }
}

#[test]
fn records() {
    for (ty, size) in [("uchar4", 4), ("ushort2", 4), ("int2", 8), ("float3", 16), ("int4", 16), ("uint16", 64)] {
        check(
            size,
            0,
            &format!("kernel void k(global const {ty} *x, global {ty} *y) {{ {ID} y[i] = x[i] + y[i].s10{}; }}", {
                let n: usize = ty.trim_start_matches(char::is_alphabetic).parse().expect("components");
                &"23456789abcdef"[..n - 2]
            }),
        );
    }
    check(
        16,
        0,
        &format!("kernel void k(global const int4 *x, global int4 *y) {{ {ID} if (x[i].x & 1) y[i] = x[i].wzyx; }}"),
    );
}

#[test]
fn gathers_and_scatters() {
    for (ty, size) in [("uchar", 1), ("ushort", 2), ("uint", 4), ("ulong", 8)] {
        for index in ["uchar", "short", "ulong"] {
            check(
                size,
                0,
                &format!(
                    "kernel void k(global const {ty} *x, global {ty} *y) {{
                        {ID}
                        {index} n = get_global_size(0) * get_global_size(1), at = x[i] % n, to = (i * 41 + 3) % n;
                        y[to] = x[at] + (x + n / 2)[at / 2];
                        if (x[i] & 1) y[to] ^= x[n - 1 - at];
                    }}"
                ),
            );
        }
    }
}

#[test]
fn lanes_that_part() {
    check(
        4,
        0,
        &format!(
            "kernel void k(global const uint *x, global uint *y) {{
                {ID}
                uint v = x[i], n = 0;
                while (v > 9) {{ v /= 3; n++; if (n == 5) break; }}
                if (v & 1) n += x[i] / (v + 1); else if (v == 4) n = y[i] << v;
                for (uint j = 0; j < (get_global_size(0) & 3); j++) n = n * 5 + x[j];
                y[i] = n;
            }}"
        ),
    );
}

#[test]
fn what_all_share() {
    // The last work-item's value stays.
    check(
        4,
        0,
        "kernel void k(global const int *x, global int *y) {
            y[get_group_id(0)] = get_local_size(0);
            if (get_local_id(0) + 1 == get_local_size(0)) y[get_group_id(0)] = x[get_local_id(0)];
        }",
    );
}

#[test]
fn private_and_local_memory() {
    check(
        4,
        4,
        &format!(
            "kernel void k(global const int *x, global int *y, local int *t) {{
                {ID}
                size_t l = get_local_linear_id(), n = get_local_size(0) * get_local_size(1);
                int own[8];
                for (int j = 0; j < 8; j++) own[j] = x[i] * j + 1;
                t[l] = own[x[i] & 7];
                int keep = own[l & 7];
                barrier(CLK_LOCAL_MEM_FENCE);
                if (get_local_size(0) == get_enqueued_local_size(0)) y[i] = t[n - 1 - l] + keep;
            }}"
        ),
    );
}

#[test]
fn what_goes_from_work_item_to_work_item() {
    for call in [
        "work_group_scan_inclusive_add(x[i])",
        "work_group_scan_exclusive_max(x[i])",
        "work_group_reduce_add(x[i])",
        "work_group_reduce_min(x[i]) + work_group_scan_exclusive_add(x[i])",
        "work_group_any(x[i] == 3)",
        "work_group_broadcast(x[i], 0)",
    ] {
        for ty in ["int", "float"] {
            let source = format!(
                "kernel void k(global const {ty} *x, global {ty} *y) {{
                    size_t i = get_global_linear_id();
                    y[i] = {call};
                }}"
            );
            check(4, 0, &source);
        }
    }
}

#[test]
fn chains_that_wait_and_small_elements() {
    // Several vectors at once, with an inner loop and without; what is asked of `int` is less than it has.
    for (ty, size) in [("char", 1), ("uchar", 1), ("short", 2), ("ushort", 2), ("int", 4), ("float", 4), ("char8", 8)] {
        check(
            size,
            0,
            &format!(
                "kernel void k(global const {ty} *x, global {ty} *y) {{
                    {ID}
                    {ty} a = x[i], b = y[i];
                    for (int n = 0; n < 40; n++) {{ a = (a * a) + b; a = (a * b) - ({ty})3; }}
                    y[i] = a;
                }}"
            ),
        );
    }
    for (ty, wide) in [("char", "int"), ("uchar", "uint"), ("short", "long"), ("ushort", "int")] {
        let size = if ty.ends_with("char") { 1 } else { 2 };
        check(
            size,
            0,
            &format!(
                "kernel void k(global const {ty} *x, global {ty} *y) {{
                    {ID}
                    {wide} a = x[i], b = y[i], c = ((a << 3) ^ (b & ~5)) - (a | 0x7f);
                    {ty} d = ({ty})(-c * 77 + (x[i] << 1));
                    y[i] = (a > b) ? d : ({ty})((c * d) >> 2);
                }}"
            ),
        );
    }
}

#[test]
fn records_of_many_components() {
    for (ty, size) in [("float8", 32), ("float16", 64), ("short8", 16), ("char16", 16), ("double4", 32)] {
        check(
            size,
            0,
            &format!(
                "kernel void k(global const {ty} *x, global {ty} *y) {{
                    {ID}
                    {ty} a = x[i];
                    a.s0 += a.s3; a.s2 -= a.s1;
                    y[i] = a.s3210{};
                }}",
                match () {
                    _ if ty.ends_with("16") => "fedcba987654",
                    _ if ty.ends_with('8') => "7654",
                    _ => "",
                }
            ),
        );
    }
}

#[test]
fn parts_of_values_across_barriers_are_spilled_though_others_made_of_them_are_made_again() {
    check(
        8,
        4,
        &format!(
            "kernel void k(global long *a, global const long *b, local int *t) {{
                {ID}
                int l = get_local_id(0), n = get_local_size(0), u = ((l * 3) ^ 5) + 7, w = u * 11;
                long v = (((long)u * 3) ^ 9) + 100;
                t[l] = (int)b[i];
                barrier(CLK_LOCAL_MEM_FENCE);
                int s = t[(l + 1) % n];
                barrier(CLK_LOCAL_MEM_FENCE);
                t[l] = s;
                barrier(CLK_LOCAL_MEM_FENCE);
                a[i] = v + s + w * 1000000L;
            }}"
        ),
    );
}
