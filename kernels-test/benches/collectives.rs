//! Collectives of work-groups and sub-groups beside the same written by hand with local memory and barriers, on one
//! driver in one run.
//!
//! `cargo bench -p clift-kernels-test --bench collectives`. Each figure is the least of `RUNS` runs; the kernels of a
//! row take turns and must give the same numbers. A ratio above 1 means that the collective takes less time. The first
//! table reads and writes 4 Mi elements; the second one, of reductions, reads from the first cache, for groups of
//! several sizes.

use clift_kernels_test::host::{Buffer, Host, Kernel, Range};
use std::time::Instant;

/// How often each kernel runs.
const RUNS: usize = 20;
/// Elements.
const N: usize = 1 << 22;
/// Work-items of a group.
const GROUP: usize = 256;

/// Work-efficient scan: up-sweep and down-sweep over local memory.
const BLELLOCH: &str = "
    local int t[256];
    int l = get_local_id(0), n = get_local_size(0), offset = 1;
    size_t i = get_global_id(0);
    t[l] = in[i];
    for (int d = n >> 1; d > 0; d >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < d) t[offset * (2 * l + 2) - 1] += t[offset * (2 * l + 1) - 1];
        offset *= 2;
    }
    if (l == 0) t[n - 1] = 0;
    for (int d = 1; d < n; d *= 2) {
        offset >>= 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < d) {
            int a = offset * (2 * l + 1) - 1, b = offset * (2 * l + 2) - 1, v = t[a];
            t[a] = t[b];
            t[b] += v;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = t[l];";

/// Step-efficient scan over two halves of local memory.
const HILLIS_STEELE: &str = "
    local int t[512];
    int l = get_local_id(0), n = get_local_size(0), to = 0, from = 1;
    size_t i = get_global_id(0);
    t[l] = l > 0 ? in[i - 1] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int offset = 1; offset < n; offset *= 2) {
        to = 1 - to;
        from = 1 - to;
        t[to * n + l] = l >= offset ? t[from * n + l] + t[from * n + l - offset] : t[from * n + l];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[i] = t[to * n + l];";

/// Tree reduction; each work-item then reads the sum.
const TREE: &str = "
    local int t[256];
    int l = get_local_id(0);
    size_t i = get_global_id(0);
    t[l] = in[i];
    for (int s = get_local_size(0) >> 1; s > 0; s >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < s) t[l] += t[l + s];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = in[i] + t[0];";

/// Work-items of all groups of a reduction, and the elements that they read over and over.
const REDUCED: usize = 1 << 24;
const WINDOW: usize = 1 << 13;

/// One sum for each group: a tree in local memory, sub-groups whose sums meet there, and the collective.
const REDUCTIONS: &str = "
    #define ELEMENT in[get_group_id(0) % (WINDOW / GROUP) * GROUP + get_local_id(0)]
    kernel void tree(global const T *in, global T *sums) {
        local T part[GROUP];
        int l = get_local_id(0);
        part[l] = ELEMENT;
        for (int s = GROUP / 2; s > 0; s >>= 1) {
            barrier(CLK_LOCAL_MEM_FENCE);
            if (l < s) part[l] += part[l + s];
        }
        if (l == 0) sums[get_group_id(0)] = part[0];
    }
    kernel void sub_groups(global const T *in, global T *sums) {
        local T part[GROUP];
        T sum = sub_group_reduce_add(ELEMENT);
        if (get_sub_group_local_id() == 0) part[get_sub_group_id()] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (get_sub_group_id() == 0) {
            sum = 0;
            for (uint k = get_sub_group_local_id(); k < get_num_sub_groups(); k += get_sub_group_size()) sum += part[k];
            sum = sub_group_reduce_add(sum);
            if (get_sub_group_local_id() == 0) sums[get_group_id(0)] = sum;
        }
    }
    kernel void collective(global const T *in, global T *sums) {
        T sum = work_group_reduce_add(ELEMENT);
        if (get_local_id(0) == 0) sums[get_group_id(0)] = sum;
    }";

/// A name and a kernel's body.
type Body = (&'static str, &'static str);

/// A collective and what replaces it.
const ROWS: &[(&str, &str, &[Body])] = &[
    (
        "work_group_scan_exclusive_add",
        "size_t i = get_global_id(0); out[i] = work_group_scan_exclusive_add(in[i]);",
        &[("Blelloch's scan", BLELLOCH), ("Hillis and Steele's scan", HILLIS_STEELE)],
    ),
    (
        "work_group_reduce_add",
        "size_t i = get_global_id(0); out[i] = in[i] + work_group_reduce_add(in[i]);",
        &[("tree reduction", TREE)],
    ),
];

fn main() {
    if let Err(message) = run() {
        eprintln!("collectives: {message}");
        std::process::exit(1);
    }
}

fn run() -> Result<(), String> {
    let host = Host::new()?;
    let input: Vec<u8> = (0..N as u32).flat_map(|i| (i.wrapping_mul(2_654_435_761) >> 20).to_le_bytes()).collect();
    let input = host.buffer(&input)?;
    println!("{N} ints in groups of {GROUP}, least of {RUNS} runs, ms");
    let range = Range { dims: 1, global: [N, 1, 1], local: Some([GROUP, 1, 1]), offset: None };
    for (name, body, rivals) in ROWS {
        let bodies = [*body].into_iter().chain(rivals.iter().map(|(_, body)| *body));
        let programs =
            bodies.map(|body| host.build(source(body).as_bytes(), "-cl-std=CL3.0")).collect::<Result<Vec<_>, _>>()?;
        let mut kernels = Vec::new();
        for program in &programs {
            let (kernel, out) = (program.kernel("k")?, host.buffer(&vec![0; 4 * N])?);
            kernel.set_buffer(0, Some(&input))?;
            kernel.set_buffer(1, Some(&out))?;
            host.run(&kernel, &range)?;
            kernels.push((kernel, out, f64::INFINITY));
        }
        take_turns(&host, &mut kernels, &range)?;
        let (_, out, ours) = &kernels[0];
        let want = out.read(4 * N)?;
        println!("{name:<40} {ours:>9.3}");
        for ((rival, _), (_, out, ms)) in rivals.iter().zip(&kernels[1..]) {
            println!("    {rival:<36} {ms:>9.3}   ratio {:.2}", ms / ours);
            if out.read(4 * N)? != want {
                return Err(format!("{rival} gives something else than {name}"));
            }
        }
    }
    println!("reductions of {REDUCED} elements from the first cache, ms; ratios: the tree's time by the other's");
    println!("{:<8}{:>6}{:>10}{:>12}{:>7}{:>12}{:>7}", "", "group", "tree", "sub-groups", "", "collective", "");
    for elem in ["float", "int"] {
        for group in [64, 128, 256, 512, 1024] {
            reductions(&host, elem, group)?;
        }
    }
    Ok(())
}

/// Runs kernels in turns, and notes the least time of each in milliseconds.
fn take_turns(host: &Host, kernels: &mut [(Kernel<'_>, Buffer<'_>, f64)], range: &Range) -> Result<(), String> {
    for _ in 0..RUNS {
        for (kernel, _, best) in &mut *kernels {
            let start = Instant::now();
            host.run(kernel, range)?;
            *best = best.min(start.elapsed().as_secs_f64() * 1e3);
        }
    }
    Ok(())
}

/// A row of the second table.
fn reductions(host: &Host, elem: &str, group: usize) -> Result<(), String> {
    // Sums of these are exact, in any order.
    let small = |i: usize| (i as u32).wrapping_mul(2_654_435_761) >> 24;
    let bytes = |i: usize| if elem == "float" { (small(i) as f32).to_le_bytes() } else { small(i).to_le_bytes() };
    let input: Vec<u8> = (0..WINDOW).flat_map(bytes).collect();
    let input = host.buffer(&input)?;
    let options = format!("-cl-std=CL3.0 -DT={elem} -DGROUP={group} -DWINDOW={WINDOW}");
    let program = host.build(REDUCTIONS.as_bytes(), &options)?;
    let range = Range { dims: 1, global: [REDUCED, 1, 1], local: Some([group, 1, 1]), offset: None };
    let size = 4 * REDUCED / group;
    let mut kernels = Vec::new();
    for name in ["tree", "sub_groups", "collective"] {
        let (kernel, out) = (program.kernel(name)?, host.buffer(&vec![0; size])?);
        kernel.set_buffer(0, Some(&input))?;
        kernel.set_buffer(1, Some(&out))?;
        host.run(&kernel, &range)?;
        kernels.push((kernel, out, f64::INFINITY));
    }
    take_turns(host, &mut kernels, &range)?;
    let [(_, out, tree), (_, by_sub_groups, sub_groups), (_, by_collective, collective)] = &kernels[..] else {
        unreachable!("three kernels")
    };
    let want = out.read(size)?;
    if by_sub_groups.read(size)? != want || by_collective.read(size)? != want {
        return Err(format!("sums of {group} {elem} differ"));
    }
    let (first, second) = (tree / sub_groups, tree / collective);
    println!("{elem:<8}{group:>6}{tree:>10.3}{sub_groups:>12.3}{first:>7.2}{collective:>12.3}{second:>7.2}");
    Ok(())
}

fn source(body: &str) -> String {
    format!("kernel void k(global const int *in, global int *out) {{ {body} }}")
}
