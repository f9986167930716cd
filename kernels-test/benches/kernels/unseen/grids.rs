//! Data and references of kernels that step over a grid of cells.

use std::array::from_fn;

use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::{case, inputs};
use crate::data::{Arg, Case, Random, all_near, bytes, f32_at, float, int, line, near, plane, same};
use crate::data::{volume, words, zeros};

/// The indices of the cells above, below, left and right of one; those outside are the cell's own.
fn around(i: usize, width: usize, height: usize) -> [usize; 4] {
    let (x, y) = (i % width, i / width);
    let line = y * width;
    [
        y.saturating_sub(1) * width + x,
        (y + 1).min(height - 1) * width + x,
        line + x.saturating_sub(1),
        line + (x + 1).min(width - 1),
    ]
}

pub fn hotspot() -> Case {
    const N: usize = 1024;
    const STEPS: usize = 2;
    const CAPACITY: f32 = 0.5;
    const RX: f32 = 1.5;
    const RY: f32 = 1.25;
    const RZ: f32 = 80.0;
    const STEP: f32 = 0.0625;
    let mut random = Random(31);
    let (power, temperature) = (random.floats(N * N, [0.0, 8.0]), random.floats(N * N, [320.0, 340.0]));
    let groups = N.div_ceil(16 - 2 * STEPS);
    let mut args = vec![Arg::In(power), Arg::In(temperature), zeros(4 * N * N), int(N), int(N), int(STEPS)];
    args.extend([CAPACITY, RX, RY, RZ, STEP].map(float));
    case(args, plane([16 * groups; 2], [16, 16]), |args, out| {
        let [power, mut now] = inputs(args, [0, 1]);
        let [capacity, rx, ry, rz, step] = [CAPACITY, RX, RY, RZ, STEP].map(f64::from);
        for _ in 0..STEPS {
            let next = |i: usize| {
                let [north, south, west, east] = around(i, N, N).map(|k| now[k]);
                let flow = (north + south - 2.0 * now[i]) / ry + (west + east - 2.0 * now[i]) / rx;
                now[i] + step / capacity * (power[i] + flow + (80.0 - now[i]) / rz)
            };
            now = (0..N * N).into_par_iter().map(next).collect();
        }
        near(&out[0], 1e-5, |i| now[i])
    })
}

pub fn pathfinder() -> Case {
    const COLUMNS: usize = 1 << 18;
    const ROWS: usize = 20;
    let mut random = Random(32);
    let [wall, start] = [ROWS * COLUMNS, COLUMNS].map(|n| bytes(n, |_| (random.bits() % 10).to_le_bytes()));
    let groups = COLUMNS.div_ceil(256 - 2 * ROWS);
    let args = vec![Arg::In(wall), Arg::In(start), zeros(4 * COLUMNS), int(COLUMNS), int(ROWS)];
    case(args, line(256 * groups, 256), |args, out| {
        let (wall, mut costs) = (words(args[0].bytes()), words(args[1].bytes()));
        for row in wall.chunks(COLUMNS) {
            let cheapest = |x: usize| {
                let from = &costs[x.saturating_sub(1)..(x + 2).min(COLUMNS)];
                row[x] + from.iter().min().copied().unwrap_or(0)
            };
            costs = (0..COLUMNS).map(cheapest).collect();
        }
        same(&out[0], |i| costs[i])
    })
}

pub fn srad() -> Case {
    const N: usize = 1024;
    const Q0: f32 = 0.5;
    let mut random = Random(33);
    let image = bytes(N * N, |_| random.float([0.0, 1.0]).exp().to_le_bytes());
    let before = bytes(N, |i| (i.saturating_sub(1) as i32).to_le_bytes());
    let after = bytes(N, |i| ((i + 1).min(N - 1) as i32).to_le_bytes());
    let mut args: Vec<_> = [before.clone(), after.clone(), after, before, image].map(Arg::In).into();
    args.extend((0..5).map(|_| zeros(4 * N * N)));
    args.extend([int(N), int(N * N), float(Q0)]);
    case(args, line(N * N, 256), |args, out| {
        let [image] = inputs(args, [4]);
        let q0 = f64::from(Q0);
        let want = |i: usize| -> [f64; 5] {
            // Columns lie one after the other, so the cells of the other lines are north and south.
            let [west, east, north, south] = around(i, N, N).map(|k| image[k] - image[i]);
            let d = [north, south, west, east];
            let g2 = d.iter().map(|d| d * d).sum::<f64>() / (image[i] * image[i]);
            let l = d.iter().sum::<f64>() / image[i];
            let q = (0.5 * g2 - l * l / 16.0) / (1.0 + 0.25 * l).powi(2);
            let coefficient = 1.0 / (1.0 + (q - q0) / (q0 * (1.0 + q0)));
            [north, south, west, east, coefficient.clamp(0.0, 1.0)]
        };
        (0..5).try_for_each(|k| near(&out[k], 1e-4, |i| want(i)[k]))
    })
}

pub fn stencil7() -> Case {
    const NX: usize = 256;
    const NY: usize = 256;
    const NZ: usize = 32;
    const C0: f32 = 1.0 / 6.0;
    const C1: f32 = 1.0 / 36.0;
    let size = NX * NY * NZ;
    let grid = Random(34).floats(size, [0.0, 1.0]);
    let args = vec![float(C0), float(C1), Arg::In(grid), zeros(4 * size), int(NX), int(NY), int(NZ)];
    case(args, volume([NX, NY, NZ - 2], [32, 4, 1]), |args, out| {
        let [grid] = inputs(args, [2]);
        near(&out[0], 1e-6, |i| {
            let at = [i % NX, i / NX % NY, i / (NX * NY)];
            if at.iter().zip([NX, NY, NZ]).any(|(&at, n)| at == 0 || at == n - 1) {
                return 0.0;
            }
            let sum: f64 = [1, NX, NX * NY].iter().map(|step| grid[i - step] + grid[i + step]).sum();
            f64::from(C1) * sum - f64::from(C0) * grid[i]
        })
    })
}

/// The steps of the nine speeds of `lbm`.
const SPEEDS: [[isize; 2]; 9] = [[0, 0], [1, 0], [0, 1], [-1, 0], [0, -1], [1, 1], [-1, 1], [-1, -1], [1, -1]];
/// The speeds the other way round.
const OPPOSITE: [usize; 9] = [0, 3, 4, 1, 2, 7, 8, 5, 6];

pub fn lbm() -> Case {
    const N: usize = 512;
    const OMEGA: f32 = 1.7;
    let mut random = Random(35);
    let weight = |k: usize| [4.0 / 9.0, 1.0 / 9.0, 1.0 / 36.0][usize::from(k > 0) + usize::from(k > 4)];
    let cells = bytes(9 * N * N, |i| (0.1 * weight(i % 9) as f32 * random.float([0.8, 1.2])).to_le_bytes());
    let obstacles = bytes(N * N, |_| i32::from(random.bits().is_multiple_of(10)).to_le_bytes());
    let args = vec![Arg::In(cells), zeros(36 * N * N), Arg::In(obstacles), int(N), int(N), float(OMEGA)];
    case(args, plane([N, N], [16, 16]), move |args, out| {
        let [cells] = inputs(args, [0]);
        let is_obstacle = words(args[2].bytes());
        let step = |i: usize| -> [f64; 9] {
            let from = |k: usize| {
                let [x, y] = [0, 1].map(|axis| [i % N, i / N][axis] + N.wrapping_add_signed(-SPEEDS[k][axis]));
                cells[9 * (y % N * N + x % N) + k]
            };
            let s: [f64; 9] = from_fn(from);
            if is_obstacle[i] != 0 {
                return OPPOSITE.map(|k| s[k]);
            }
            let density: f64 = s.iter().sum();
            let u = [0, 1].map(|axis| (0..9).map(|k| SPEEDS[k][axis] as f64 * s[k]).sum::<f64>() / density);
            let square = u[0] * u[0] + u[1] * u[1];
            from_fn(|k| {
                let along = SPEEDS[k][0] as f64 * u[0] + SPEEDS[k][1] as f64 * u[1];
                let equal = weight(k) * density * (1.0 + 3.0 * along + 4.5 * along * along - 1.5 * square);
                s[k] + f64::from(OMEGA) * (equal - s[k])
            })
        };
        let want: Vec<_> = (0..N * N).into_par_iter().map(step).collect();
        all_near(9 * N * N, [1e-4, 1e-7], |i| f32_at(&out[0], i), |i| want[i / 9][i % 9])
    })
}

pub fn life() -> Case {
    const N: usize = 1024;
    let mut random = Random(36);
    let cells = bytes(N * N, |_| (random.bits() >> 31).to_le_bytes());
    case(vec![Arg::In(cells), zeros(4 * N * N), int(N), int(N)], plane([N, N], [16, 16]), |args, out| {
        let cells = words(args[0].bytes());
        same(&out[0], |i| {
            let near = |p: usize| [(p + N - 1) % N, p, (p + 1) % N];
            let sum: u32 = near(i / N).iter().flat_map(|y| near(i % N).map(|x| cells[y * N + x])).sum();
            u32::from(sum == 3 || (sum == 4 && cells[i] == 1))
        })
    })
}
