//! Floating collectives give the same bits with any number of threads and in every run. The driver reads its
//! environment once, so each number of threads is a process of its own: this test started again.

use clift_kernels_test::host::{Host, Range};
use std::collections::hash_map::DefaultHasher;
use std::env;
use std::hash::{Hash, Hasher};
use std::process::Command;

/// Set in the child processes.
const CHILD: &str = "CLIFT_SAME_BITS_CHILD";
const N: usize = 100_003;

const SOURCE: &str = "
    kernel void k(global const float *in, global float *sums, global float *scans, global double *products) {
        size_t i = get_global_id(0);
        float v = in[i];
        sums[i] = work_group_reduce_add(v);
        scans[i] = work_group_scan_inclusive_add(v * 1.1f) + work_group_scan_exclusive_mul(1 + v * 1e-3f);
        products[i] = work_group_reduce_mul(1 + v * 1e-2) + work_group_scan_exclusive_min((double)v);
    }";

#[test]
fn floating_collectives_repeat_bit_by_bit() {
    if env::var_os(CHILD).is_some() {
        return child().unwrap_or_else(|message| panic!("{message}"));
    }
    let run = |threads: &str| {
        let mut command = Command::new(env::current_exe().expect("the test's own file"));
        command.args(["--exact", "floating_collectives_repeat_bit_by_bit", "--nocapture"]);
        let output = command.env(CHILD, "1").env("CLIFT_THREADS", threads).output().expect("it starts");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{threads} threads: {text}{}", String::from_utf8_lossy(&output.stderr));
        let line = text.lines().find_map(|line| line.split_once("bits: "));
        line.expect("the child prints its result").1.to_owned()
    };
    let want = run("1");
    for threads in ["1", "2", "3", "8"] {
        assert_eq!(run(threads), want, "{threads} threads");
    }
}

/// Prints a hash of all results.
fn child() -> Result<(), String> {
    let host = Host::new()?;
    let value = |i: u32| (i.wrapping_mul(2_654_435_761) >> 8) as f32 / (1 << 20) as f32 - 7.5;
    let input: Vec<u8> = (0..N as u32).flat_map(|i| value(i).to_le_bytes()).collect();
    let input = host.buffer(&input)?;
    let outputs = [4 * N, 4 * N, 8 * N].map(|size| (size, host.buffer(&vec![0; size])));
    let program = host.build(SOURCE.as_bytes(), "-cl-std=CL3.0")?;
    let kernel = program.kernel("k")?;
    kernel.set_buffer(0, Some(&input))?;
    let mut hash = DefaultHasher::new();
    let mut buffers = Vec::new();
    for (n, (size, buffer)) in outputs.into_iter().enumerate() {
        let buffer = buffer?;
        kernel.set_buffer(1 + n as u32, Some(&buffer))?;
        buffers.push((size, buffer));
    }
    host.run(&kernel, &Range { dims: 1, global: [N, 1, 1], local: Some([100, 1, 1]), offset: None })?;
    for (size, buffer) in &buffers {
        let bytes = buffer.read(*size)?;
        if bytes.iter().all(|&b| b == 0) {
            return Err("nothing was computed".into());
        }
        bytes.hash(&mut hash);
    }
    println!("\nbits: {:016x}", hash.finish());
    Ok(())
}
