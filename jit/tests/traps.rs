//! What goes wrong easily in lanes and what no host can see: memory is poisoned here, and ends where buffers do.
#![allow(unsafe_code, reason = "runs generated code")]

#[path = "support/ndrange.rs"]
mod ndrange;

use ndrange::{Given, Kernel, Range};

const LANES: [u8; 2] = [4, 16];

/// Sizes of groups that fill no vector, or not the last one.
const SIZES: [u64; 5] = [1, 3, 5, 19, 37];

fn ints(values: impl Iterator<Item = i32>) -> Vec<u8> {
    values.flat_map(i32::to_le_bytes).collect()
}

fn run(kernel: &Kernel, local: u64, groups: u64, given: &[Given]) -> Vec<i32> {
    let range = Range { global: [local * groups, 1, 1], local: [local, 1, 1] };
    let buffers = kernel.run(range, given);
    buffers[0].chunks_exact(4).map(|b| i32::from_le_bytes(b.try_into().expect("four"))).collect()
}

/// Addresses live across barriers, of which there are as many as work-items; scratch memory behind is 0xa5, which is no
/// address.
#[test]
fn addresses_of_work_items_that_are_not_there() {
    let kernel = Kernel::from_source(
        "kernel void k(global int *out, global int *in, local int *tile) {
            int l = get_local_id(0), n = get_local_size(0);
            global int *p = in;
            if (l % 3 != 1) p = in + in[l] % 32;
            local int *q = tile + in[n - 1 - l] % n;
            tile[l] = 100 * l;
            barrier(CLK_LOCAL_MEM_FENCE);
            int v = 7;
            if (l % 3 != 1) v = *p;
            int w = *q;
            barrier(CLK_LOCAL_MEM_FENCE);
            if (l % 2 == 0) atomic_add(&tile[in[l] % n], *p);
            barrier(CLK_LOCAL_MEM_FENCE);
            out[get_global_id(0)] = 1000 * v + w + tile[l];
        }",
    );
    let inputs: Vec<i32> = (0..64).map(|i| i * 29 % 64).collect();
    for n in SIZES {
        let given = [
            Given::Buffer(vec![0; 8 * n as usize]),
            Given::Buffer(ints(inputs.iter().copied())),
            Given::Local(4 * n as usize),
        ];
        let got = run(&kernel, n, 2, &given);
        let size = n as i32;
        let p = |l: i32| if l % 3 == 1 { inputs[0] } else { inputs[(inputs[l as usize] % 32) as usize] };
        let mut tile: Vec<i32> = (0..size).map(|l| 100 * l).collect();
        let w: Vec<i32> = (0..size).map(|l| 100 * (inputs[(size - 1 - l) as usize] % size)).collect();
        (0..size).filter(|l| l % 2 == 0).for_each(|l| tile[(inputs[l as usize] % size) as usize] += p(l));
        let v = |l: i32| if l % 3 == 1 { 7 } else { p(l) };
        let want: Vec<i32> = (0..size).map(|l| 1000 * v(l) + w[l as usize] + tile[l as usize]).collect();
        assert_eq!(got, want.repeat(2), "{n} work-items");
    }
}

/// Whole vectors would reach behind the last element.
#[test]
fn nothing_behind_the_end_is_read() {
    let kernel = Kernel::from_source(
        "kernel void k(global int *out, global const int *in, global const short *narrow, global const float4 *wide,
                       global const int *size) {
            int n = *size, i = get_global_id(0), v = -1;
            if (i < n) {
                v = in[i] + in[n - 1 - i];
                if (v % 2 == 0) v += narrow[i];
                if (v % 3 == 0) v += (int)wide[i].z + (int)wide[n - 1 - i].x;
            }
            out[i] = v;
        }",
    );
    for n in [4, 20, 36, 44] {
        let given = [
            Given::Buffer(vec![0; 4 * 48]),
            Given::Buffer(ints(0..n)),
            Given::Buffer((0..n as i16).flat_map(i16::to_le_bytes).collect()),
            Given::Buffer((0..4 * n).flat_map(|x| (x as f32).to_le_bytes()).collect()),
            Given::Buffer(ints([n].into_iter())),
        ];
        let got = run(&kernel, 48, 1, &given);
        let want: Vec<i32> = (0..48)
            .map(|i| {
                if i >= n {
                    return -1;
                }
                let mut v = n - 1;
                v += if v % 2 == 0 { i } else { 0 };
                v + if v % 3 == 0 { 4 * i + 2 + 4 * (n - 1 - i) } else { 0 }
            })
            .collect();
        assert_eq!(got, want, "{n} elements");
    }
}
