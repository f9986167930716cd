//! Clift beside another driver, in one run: launch and build latencies, and the time of compute kernels.
//!
//! `cargo bench -p clift-kernels-test --bench peers`. The peer is what `CL_PEER` names (a library), or else the
//! loader's first platform (`libOpenCL.so.1`). Each driver runs in fresh processes of this same program, turn by turn,
//! `ROUNDS` times; every figure is the least of all rounds. A ratio below 1 means that Clift takes less time.

use clift_kernels_test::host::{Host, Range};
use std::collections::BTreeMap;
use std::env;
use std::process::Command;
use std::time::Instant;

/// How often the drivers take turns.
const ROUNDS: usize = 3;
/// Set in the child processes.
const CHILD: &str = "CLIFT_BENCH_CHILD";

fn main() {
    let outcome = if env::var_os(CHILD).is_some() { child() } else { parent() };
    if let Err(message) = outcome {
        eprintln!("peers: {message}");
        std::process::exit(1);
    }
}

/// Measures both drivers and prints the table.
fn parent() -> Result<(), String> {
    let peer = env::var("CL_PEER").unwrap_or_else(|_| "libOpenCL.so.1".into());
    let mut tables = [BTreeMap::new(), BTreeMap::new()];
    let mut order = Vec::new();
    for _ in 0..ROUNDS {
        for (table, library) in tables.iter_mut().zip([None, Some(&peer)]) {
            for (name, ms) in measure(library)? {
                if !order.contains(&name) {
                    order.push(name.clone());
                }
                let best = table.entry(name).or_insert(f64::INFINITY);
                *best = ms.min(*best);
            }
        }
    }
    println!("{:<44} {:>12} {:>12} {:>8}", "least of all rounds, ms", "clift", "peer", "ratio");
    for name in order {
        if let (Some(ours), Some(theirs)) = (tables[0].get(&name), tables[1].get(&name)) {
            println!("{name:<44} {ours:>12.4} {theirs:>12.4} {:>8.3}", ours / theirs);
        }
    }
    Ok(())
}

/// Runs one child; its lines are `name<TAB>milliseconds`.
fn measure(library: Option<&String>) -> Result<Vec<(String, f64)>, String> {
    let exe = env::current_exe().map_err(|e| e.to_string())?;
    let mut command = Command::new(exe);
    command.env(CHILD, "1").env("POCL_KERNEL_CACHE", "0");
    if let Some(library) = library {
        command.env("CL_UNDER_TEST", library);
    }
    let output = command.output().map_err(|e| e.to_string())?;
    if !output.status.success() {
        return Err(format!("child failed: {}", String::from_utf8_lossy(&output.stderr)));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(text
        .lines()
        .filter_map(|l| l.split_once('\t'))
        .filter_map(|(n, v)| Some((n.to_owned(), v.parse().ok()?)))
        .collect())
}

/// A compute kernel of the table.
struct Bench {
    name: &'static str,
    source: &'static str,
    global: [usize; 3],
    local: [usize; 3],
    dims: u32,
}

const fn line(name: &'static str, source: &'static str, n: usize) -> Bench {
    Bench { name, source, global: [n, 1, 1], local: [64, 1, 1], dims: 1 }
}

/// Kernels take one buffer of 4 Mi floats and one of 4 Mi ints.
const BENCHES: &[Bench] = &[
    line(
        "saxpy, 4 Mi floats",
        "kernel void k(global float *a, global int *b) { size_t i = get_global_id(0); a[i] = 1.5f * a[i] + (float)b[i]; }",
        1 << 22,
    ),
    line(
        "integer hash, 64 rounds, 256 Ki items",
        "kernel void k(global float *a, global int *b) { size_t i = get_global_id(0); uint h = i; for (int r = 0; r < 64; r++) { h ^= h >> 16; h *= 0x7feb352d; h ^= h >> 15; h *= 0x846ca68b; h = rotate(h, 7u) + r; } b[i] = h; }",
        1 << 18,
    ),
    Bench {
        name: "mandelbrot, 512 x 512, 256 rounds",
        source: "kernel void k(global float *a, global int *b) { int px = get_global_id(0), py = get_global_id(1); float cx = -2.0f + px * 0.005f, cy = -1.2f + py * 0.005f, x = 0, y = 0; int n = 0; while (n < 256 && x*x + y*y <= 4.0f) { float t = x*x - y*y + cx; y = 2.0f*x*y + cy; x = t; n++; } b[py * 512 + px] = n; }",
        global: [512, 512, 1],
        local: [16, 16, 1],
        dims: 2,
    },
    line(
        "n-body, 2048 bodies, scalar components",
        "kernel void k(global float *a, global int *b) { int i = get_global_id(0); float px = a[3*i], py = a[3*i+1], pz = a[3*i+2], sx = 0, sy = 0, sz = 0; for (int j = 0; j < 2048; j++) { float dx = a[3*j] - px, dy = a[3*j+1] - py, dz = a[3*j+2] - pz; float r = rsqrt(dx*dx + dy*dy + dz*dz + 0.01f); float f = r*r*r; sx += f*dx; sy += f*dy; sz += f*dz; } b[3*i] = as_int(sx); b[3*i+1] = as_int(sy); b[3*i+2] = as_int(sz); }",
        2048,
    ),
    Bench {
        name: "tiled matrix product, 256 x 256",
        source: "kernel void k(global float *a, global int *b) { local float ta[16][16], tb[16][16]; int c = get_global_id(0), r = get_global_id(1), x = get_local_id(0), y = get_local_id(1); float s = 0; for (int t = 0; t < 256; t += 16) { ta[y][x] = a[r*256 + t + x]; tb[y][x] = a[65536 + (t + y)*256 + c]; barrier(CLK_LOCAL_MEM_FENCE); for (int k = 0; k < 16; k++) s += ta[y][k] * tb[k][x]; barrier(CLK_LOCAL_MEM_FENCE); } b[r*256 + c] = as_int(s); }",
        global: [256, 256, 1],
        local: [16, 16, 1],
        dims: 2,
    },
    line(
        "tree reduction in local memory, 1 Mi floats",
        "kernel void k(global float *a, global int *b) { local float t[64]; int l = get_local_id(0); t[l] = a[get_global_id(0)]; for (int s = 32; s > 0; s >>= 1) { barrier(CLK_LOCAL_MEM_FENCE); if (l < s) t[l] += t[l + s]; } if (l == 0) b[get_group_id(0)] = as_int(t[0]); }",
        1 << 20,
    ),
    line(
        "local histogram, 1 Mi items",
        "kernel void k(global float *a, global int *b) { local uint h[64]; int l = get_local_id(0); h[l] = 0; barrier(CLK_LOCAL_MEM_FENCE); atomic_inc(&h[(get_global_id(0) * 2654435761u) >> 26 & 63]); barrier(CLK_LOCAL_MEM_FENCE); b[get_global_id(0)] = h[l]; }",
        1 << 20,
    ),
    line(
        "sin, 1 Mi floats",
        "kernel void k(global float *a, global int *b) { size_t i = get_global_id(0); b[i] = as_int(sin((float)i * 0.001f)); }",
        1 << 20,
    ),
    line(
        "exp, 1 Mi floats",
        "kernel void k(global float *a, global int *b) { size_t i = get_global_id(0); b[i] = as_int(exp((float)i * 1e-5f)); }",
        1 << 20,
    ),
    line(
        "pow, 1 Mi floats",
        "kernel void k(global float *a, global int *b) { size_t i = get_global_id(0); b[i] = as_int(pow((float)i, 1.25f)); }",
        1 << 20,
    ),
    line(
        "atan2, 1 Mi floats",
        "kernel void k(global float *a, global int *b) { size_t i = get_global_id(0); b[i] = as_int(atan2((float)i, 1000.0f)); }",
        1 << 20,
    ),
    line(
        "erf, 1 Mi floats",
        "kernel void k(global float *a, global int *b) { size_t i = get_global_id(0); b[i] = as_int(erf((float)i * 1e-6f)); }",
        1 << 20,
    ),
    line(
        "float4 arithmetic, 256 Ki items, 64 rounds",
        "kernel void k(global float *a, global int *b) { size_t i = get_global_id(0); float4 v = (float4)(i, i + 1, i + 2, i + 3) * 1e-6f, w = v; for (int r = 0; r < 64; r++) { v = v * w + 0.5f; w = w.yzwx * 0.999f; } vstore4(as_int4(v), i, b); }",
        1 << 18,
    ),
];

/// Measures the driver under test and prints lines.
fn child() -> Result<(), String> {
    let start = Instant::now();
    let host = Host::new()?;
    let empty = "kernel void k(global int *p) { p[get_global_id(0)] = 1; }";
    let range = Range { dims: 1, global: [64, 1, 1], local: Some([64, 1, 1]), offset: None };
    let small = host.buffer(&[0; 1 << 10])?;
    let program = host.build(empty.as_bytes(), "")?;
    let kernel = program.kernel("k")?;
    kernel.set_buffer(0, Some(&small))?;
    host.run(&kernel, &range)?;
    report("fresh process to first kernel result", start);
    latencies(&host, &range)?;
    let zeros = vec![0; 1 << 24];
    let (floats, ints) = (host.buffer(&zeros)?, host.buffer(&zeros)?);
    for bench in BENCHES {
        let program = host.build(bench.source.as_bytes(), "")?;
        let kernel = program.kernel("k")?;
        kernel.set_buffer(0, Some(&floats))?;
        kernel.set_buffer(1, Some(&ints))?;
        let range = Range { dims: bench.dims, global: bench.global, local: Some(bench.local), offset: None };
        host.run(&kernel, &range)?;
        println!("{}\t{}", bench.name, least(5, || Ok(host.run(&kernel, &range)?))?);
    }
    images(&host)
}

/// Image filters of 1024 × 1024 texels with four channels.
fn images(host: &Host) -> Result<(), String> {
    const SOURCE: &str = "
        constant sampler_t linear = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
        constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
        kernel void scale(read_only image2d_t a, write_only image2d_t b) {
            int2 p = (int2)(get_global_id(0), get_global_id(1));
            write_imagef(b, p, read_imagef(a, linear, (convert_float2(p) + 0.3f) / 1024.0f));
        }
        kernel void blur(read_only image2d_t a, write_only image2d_t b) {
            int2 p = (int2)(get_global_id(0), get_global_id(1));
            float4 v = 0;
            for (int y = -1; y <= 1; y++)
                for (int x = -1; x <= 1; x++)
                    v += read_imagef(a, nearest, p + (int2)(x, y));
            write_imagef(b, p, v / 9.0f);
        }";
    let program = host.build(SOURCE.as_bytes(), "")?;
    let range = Range { dims: 2, global: [1024, 1024, 1], local: None, offset: None };
    // CL_RGBA with CL_UNORM_INT8 and CL_FLOAT.
    for (format, texels) in [([0x10B5, 0x10D2], "bytes"), ([0x10B5, 0x10DE], "floats")] {
        let (from, to) = (host.image(format, [1024, 1024])?, host.image(format, [1024, 1024])?);
        for (name, what) in [("scale", "linear image filter"), ("blur", "nine image reads")] {
            let kernel = program.kernel(name)?;
            kernel.set_buffer(0, Some(&from))?;
            kernel.set_buffer(1, Some(&to))?;
            host.run(&kernel, &range)?;
            println!("{what}, 1024 x 1024, {texels}\t{}", least(5, || Ok(host.run(&kernel, &range)?))?);
        }
    }
    Ok(())
}

/// Launch and build times.
fn latencies(host: &Host, range: &Range) -> Result<(), String> {
    let program = host.build(b"kernel void k() {}", "")?;
    let kernel = program.kernel("k")?;
    host.run(&kernel, range)?;
    println!("empty kernel, enqueue and finish\t{}", least(2000, || Ok(host.run(&kernel, range)?))?);
    let mut n = 0;
    let build = least(10, || {
        n += 1;
        // A new text each time, so that no cache answers.
        let source = format!("kernel void k(global int *p) {{ p[get_global_id(0)] = {n}; }}");
        let program = host.build(source.as_bytes(), "")?;
        let kernel = program.kernel("k")?;
        let small = host.buffer(&[0; 1 << 10])?;
        kernel.set_buffer(0, Some(&small))?;
        Ok(host.run(&kernel, range)?)
    })?;
    println!("build and first launch, one-line kernel\t{build}");
    for lines in [1250, 5000] {
        let mut source = String::new();
        for i in 0..lines / 5 {
            source.push_str(&format!(
                "int f{i}(int x, int y) {{\n    int a = x * {i} + y;\n    if (a > 100) a -= x / 3;\n    return a ^ (y << 2);\n}}\n"
            ));
        }
        source.push_str(
            "kernel void k(global int *p) { size_t i = get_global_id(0); p[i] = f0(p[i], 1) + f7(p[i], 2); }\n",
        );
        let program = least(3, || {
            host.build(source.as_bytes(), "")?;
            Ok(())
        })?;
        println!("build of {lines} lines\t{program}");
    }
    Ok(())
}

/// Least milliseconds of some runs.
fn least(runs: usize, mut work: impl FnMut() -> Result<(), String>) -> Result<f64, String> {
    let mut best = f64::INFINITY;
    for _ in 0..runs {
        let start = Instant::now();
        work()?;
        best = best.min(start.elapsed().as_secs_f64() * 1e3);
    }
    Ok(best)
}

fn report(name: &str, start: Instant) {
    println!("{name}\t{}", start.elapsed().as_secs_f64() * 1e3);
}
