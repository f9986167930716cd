//! Division of lanes, by one number and by one each, which leaves the same bytes as the interpreter.
#![allow(unsafe_code, reason = "runs generated code")]

#[path = "support/ndrange.rs"]
mod ndrange;
#[path = "support/rng.rs"]
mod rng;

use ndrange::{Given, Kernel, Range};
use rng::Rng;

const LANES: [u8; 2] = [8, 16];

/// Lanes are divided by one number as by one each: at multiples of it and next to them, where a reciprocal shows.
#[test]
fn division_by_one_number() {
    let constants = [1, 2, 3, 7, 10, 16, 19, 641, 1 << 30, i32::MAX, i32::MIN, -1, -2, -5];
    let by_constants: String =
        constants.iter().enumerate().map(|(k, d)| format!("STORE({}, (int)({d})) ", 4 * (k + 24))).collect();
    let kernel = Kernel::from_source(&format!(
        "#define STORE(at, d) \\
            out[(at) * 64 + i] = x / (d), out[((at) + 1) * 64 + i] = x % (d), \\
            out[((at) + 2) * 64 + i] = (uint)x / (uint)(d), out[((at) + 3) * 64 + i] = (uint)x % (uint)(d);
        kernel void k(global const int *in, global const int *divisors, global int *out) {{
            int i = get_global_id(0), x = in[i];
            for (int k = 0; k < 24; k++) {{ int d = divisors[k]; STORE(4 * k, d) }}
            {by_constants}
        }}"
    ));
    let mut random = Rng(71);
    let edges = [0, 1, -1, i32::MIN, i32::MIN + 1, i32::MAX, i32::MAX - 1, 1 << 30];
    for _ in 0..8 {
        let small = (0..8).map(|_| 1 + random.below(1000) as i32).collect::<Vec<_>>();
        let large = (0..8).map(|_| random.next() as i32).collect::<Vec<_>>();
        let divisors = [&edges[..], &small, &large].concat();
        let near = (0..56).map(|k| {
            let d = if k < 28 { divisors[8 + k % 16] } else { constants[k % constants.len()] };
            let times = (random.next() as u32) / (d as u32).max(1);
            (times.wrapping_mul(d as u32)).wrapping_add(random.below(3) as u32).wrapping_sub(1) as i32
        });
        let numbers: Vec<i32> = edges.into_iter().chain(near).collect();
        let bytes = |numbers: &[i32]| Given::Buffer(numbers.iter().flat_map(|n| n.to_le_bytes()).collect());
        let given = [bytes(&numbers), bytes(&divisors), Given::Buffer(vec![0; 64 * 4 * 4 * (24 + constants.len())])];
        kernel.run(Range { global: [64, 1, 1], local: [64, 1, 1] }, &given);
    }
}

/// 64-bit lanes are divided by one number each: of any two lengths, at multiples and next to them, signed or not.
#[test]
fn division_of_long_lanes() {
    let kernel = Kernel::from_source(
        "kernel void k(global const long *in, global const long *divisors, global long *out) {
            int i = get_global_id(0);
            long x = in[i];
            for (int k = 0; k < 16; k++) {
                long d = divisors[k * 64 + i];
                global long *o = out + 4 * 64 * k + i;
                o[0] = x / d, o[64] = x % d, o[128] = (ulong)x / (ulong)d, o[192] = (ulong)x % (ulong)d;
            }
        }",
    );
    let mut random = Rng(72);
    let edges = [0, 1, u64::MAX, 1 << 63, (1 << 63) - 1, (1 << 63) + 1, 1 << 53, (1 << 53) + 1, u64::MAX - 1, 3];
    for _ in 0..24 {
        let numbers: Vec<u64> = (0..64).map(|n| if n < edges.len() { edges[n] } else { length(&mut random) }).collect();
        let divisor = |n: usize| {
            let x = numbers[n % 64];
            match (n / 64, random.below(4)) {
                (k, _) if k < edges.len() => edges[k],
                // Next to what divides it a few times.
                (_, 0) => (x / (1 + random.below(20) as u64)).wrapping_add(random.below(3) as u64).wrapping_sub(1),
                (_, 1) => length(&mut random).wrapping_neg(),
                _ => length(&mut random),
            }
        };
        let divisors: Vec<u64> = (0..64 * 16).map(divisor).collect();
        let bytes = |numbers: &[u64]| Given::Buffer(numbers.iter().flat_map(|n| n.to_le_bytes()).collect());
        let given = [bytes(&numbers), bytes(&divisors), Given::Buffer(vec![0; 64 * 16 * 4 * 8])];
        kernel.run(Range { global: [64, 1, 1], local: [64, 1, 1] }, &given);
    }
}

/// A number of any length.
fn length(random: &mut Rng) -> u64 {
    random.next() >> random.below(64)
}
