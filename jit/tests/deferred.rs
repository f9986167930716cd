//! Privatised reductions: atomics whose results nobody wants, to the same places from each group, which a thread may
//! accumulate over its groups. Whether it does or must not, the bytes are those of the interpreter.
#![allow(unsafe_code, reason = "runs generated code")]

#[path = "support/ndrange.rs"]
mod ndrange;

use clift_jit::pipeline::Runner;
use clift_jit::wg::{self, Sharing};
use clift_jit::{SpecKey, analysis, lowered};
use ndrange::{Given, Kernel, Range};

const LANES: [u8; 2] = [8, 16];

/// True if atomics of a source's kernel are privatised in groups of 64: they get private memory, if no group waits.
fn is_privatised(source: &str) -> bool {
    let mut module = lowered(source.as_bytes(), "-cl-std=CL3.0").unwrap_or_else(|log| panic!("{source}\n{log}"));
    Runner::default().program(&mut module);
    if analysis::waits::may_wait(&module, module.kernels[0].1) {
        return false;
    }
    let key = SpecKey { local_size: Some([64, 1, 1]), small_ids: true, ..SpecKey::default() };
    let mut group = Runner::default().group(&module, 0, key, Sharing::Auto);
    let before = group.scratch_per_item;
    wg::privatise::run(&mut group.func, &mut group.scratch_per_item, key);
    group.scratch_per_item > before
}

/// Runs a kernel of an input and an output of words, in lines and planes of groups.
fn check(name: &str, privatised: bool, body: &str) {
    let source = format!(
        "kernel void k(global const uint *in, global uint *n) {{
            local uint own[64];
            size_t l = get_local_id(0), w = get_local_size(0);
            uint x = in[get_global_id(0) + get_global_id(1) * get_global_size(0)];
            {body}
        }}"
    );
    let kernel = Kernel::from_source(&source);
    assert_eq!(is_privatised(&source), privatised, "{name}");
    let line = |local: u64, groups: u64| Range { global: [local * groups, 1, 1], local: [local, 1, 1] };
    let plane = Range { global: [32, 6, 1], local: [16, 2, 1] };
    for range in [line(1, 3), line(16, 5), line(64, 4), line(37, 3), Range { global: [70, 1, 1], ..line(32, 3) }, plane]
    {
        let words = |n: usize| (0..n as u32).flat_map(|i| (i.wrapping_mul(0x9e37_79b9) >> 7).to_le_bytes()).collect();
        kernel.run(range, &[Given::Buffer(words(range.items())), Given::Buffer(words(256))]);
    }
}

#[test]
fn histograms() {
    check(
        "merged at the end",
        true,
        "own[l] = 0; barrier(CLK_LOCAL_MEM_FENCE); atomic_inc(&own[x % w]); barrier(CLK_LOCAL_MEM_FENCE);
         atomic_add(&n[l], own[l]);",
    );
    check("two halves", true, "atomic_add(&n[l], x & 0xffff); atomic_sub(&n[l + 64], x >> 16);");
    check("where there is something", true, "if (x & 4) atomic_or(n + l + 3, x);");
    check("bits that turn", true, "atomic_xor(&n[2 * l], x);");
    check("one for each work-item", false, "atomic_inc(&n[x & 255]);");
}

#[test]
fn counters() {
    check("by all", true, "if (x & 1) atomic_inc(n + 7);");
    check(
        "by one",
        true,
        "if (l == 0) own[0] = 0; barrier(CLK_LOCAL_MEM_FENCE); atomic_add(&own[0], x); barrier(CLK_LOCAL_MEM_FENCE);
         if (l == 0) atomic_add(n, own[0]);",
    );
    check("of rows", true, "if (x & 1) atomic_add(&n[get_local_id(1)], x);");
}

/// Kernels whose work-items read a flag that others write, so that only what becomes of the addition is asked.
fn waits(name: &str, body: &str) {
    let source = format!(
        "kernel void k(global const uint *in, global int *n, volatile global int *turn) {{
            local int own;
            size_t l = get_local_id(0);
            int g = get_group_id(0);
            global int *plain = (global int *)turn;
            {body}
            if (l == 0) atomic_inc(turn);
        }}"
    );
    assert!(!is_privatised(&source), "{name}");
}

#[test]
fn groups_that_wait_for_each_other_see_additions_at_once() {
    // The store keeps passes from reading once, in front of the loop.
    let barrier = "plain[2 + l] = g; barrier(CLK_GLOBAL_MEM_FENCE);";
    waits("volatile", "if (l == 0) while (*turn != g);");
    waits("volatile, no loop", "if (*turn < 100) n[g] = 1;");
    waits("written volatile", "*(volatile global int *)(n + g) = 1;");
    waits("generic", "volatile int *t = turn; if (l == 0) while (*t != g);");
    waits("a vector", "if (l == 0) while (((volatile global int4 *)turn)->y != g);");
    waits("plain, by each", &format!("do {{ {barrier} }} while (*plain != g);"));
    waits("plain, by one", &format!("do {{ {barrier} if (l == 0) own = *plain; {barrier} }} while (own != g);"));
    waits(
        "plain, by a flag",
        &format!("bool more = true; while (more) {{ {barrier} if (*plain == g) more = false; }}"),
    );
    waits("plain, counted", &format!("for (int i = 0; i < 5;) {{ {barrier} if (*plain == g) i += 2; else i = 0; }}"));
    waits("a fence of the group", "while (plain[0] != g) mem_fence(CLK_GLOBAL_MEM_FENCE);");
}

#[test]
fn loops_that_only_read_do_not_wait() {
    check("a count", true, "uint s = 0; for (uint i = 0; i < 5; i++) s += in[(x + i) % 3]; atomic_add(&n[l], s);");
    check(
        "a count with a condition",
        true,
        "own[l] = 0; for (uint i = 0; i < 5; i++) { if (in[(x + i) % 3] & 1) continue; own[l] += i; }
         atomic_add(&n[l], own[l]);",
    );
    check(
        "strides over barriers",
        true,
        "own[l] = 0; barrier(CLK_LOCAL_MEM_FENCE);
         for (uint i = l; i < 200; i += w) if (in[i % 3] & 1) atomic_inc(&own[i % w]);
         barrier(CLK_LOCAL_MEM_FENCE); atomic_add(&n[l], own[l]);",
    );
}

#[test]
fn what_can_be_told_is_not_put_off() {
    check("the old value", false, "if (l == 0) n[64 + get_group_id(0) % 64] = atomic_add(n, 0);");
    check("a later read", false, "atomic_add(&n[l], x); n[128 + l] = n[l] - n[l];");
    check("a later write", false, "atomic_add(&n[l], x); n[128 + l] = x & 0;");
    check(
        "a read by others",
        false,
        "atomic_add(&n[l], x & 0); barrier(CLK_GLOBAL_MEM_FENCE); n[128 + l] = n[w - 1 - l] & 0;",
    );
    check("kinds that do not commute", false, "atomic_or(&n[0], 1 << l); atomic_or(n + 1, x); atomic_xor(n + 2, x);");
    check("another's order", false, "atomic_max(n, x); atomic_add(n + 1, 1);");
    check("places of groups", false, "atomic_add(&n[get_group_id(0) % 100], x);");
    check(
        "fences",
        false,
        "atomic_add(&n[l], x); atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);",
    );
}
