//! Data and references of kernels on particles, cells and points in space.

use std::f64::consts::{PI, TAU};

use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::{case, inputs};
use crate::data::{Arg, Case, Random, all, all_near, bytes, f32_at, float, int, line, near, plane};
use crate::data::{u32_at, volume, words, zeros};

type Vector = [f64; 3];

fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn sub(a: Vector, b: Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn scale(a: Vector, by: f64) -> Vector {
    a.map(|a| a * by)
}

/// The first three of some numbers from `at` on.
fn vector(from: &[f64], at: usize) -> Vector {
    [from[at], from[at + 1], from[at + 2]]
}

pub fn md() -> Case {
    const SIDE: usize = 32;
    const ATOMS: usize = SIDE * SIDE * SIDE;
    const NEIGHBOURS: usize = 128;
    const CUTOFF2: f32 = 16.0;
    const LJ1: f32 = 1.5;
    const LJ2: f32 = 2.0;
    let mut random = Random(51);
    // A lattice with some disorder; each atom's neighbours are the nearest places.
    let positions = bytes(4 * ATOMS, |i| {
        let place = [i / 4 % SIDE, i / 4 / SIDE % SIDE, i / 4 / SIDE / SIDE, 0][i % 4];
        (1.4 * place as f32 + random.float([0.0, 0.2])).to_le_bytes()
    });
    let coordinates = |i: i32| [i % 7 - 3, i / 7 % 7 - 3, i / 49 - 3];
    let mut steps: Vec<_> = (0..343).map(coordinates).filter(|step| *step != [0; 3]).collect();
    steps.sort_by_key(|step| step.iter().map(|x| x * x).sum::<i32>());
    let list = bytes(NEIGHBOURS * ATOMS, |at| {
        let (i, step) = (at % ATOMS, steps[at / ATOMS]);
        let [x, y, z] = [0, 1, 2].map(|k| {
            let place = [i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE][k];
            (place + SIDE).wrapping_add_signed(step[k] as isize) % SIDE
        });
        (((z * SIDE + y) * SIDE + x) as i32).to_le_bytes()
    });
    let mut args = vec![zeros(16 * ATOMS), Arg::In(positions), int(NEIGHBOURS), Arg::In(list)];
    args.extend([float(CUTOFF2), float(LJ1), float(LJ2), int(ATOMS)]);
    case(args, line(ATOMS, 256), |args, out| {
        let [positions] = inputs(args, [1]);
        let list = words(args[3].bytes());
        let force = |i: usize| {
            (0..NEIGHBOURS).fold([0.0; 4], |sum: [f64; 4], j| {
                let other = 4 * list[j * ATOMS + i] as usize;
                let d = sub(vector(&positions, 4 * i), vector(&positions, other));
                if dot(d, d) >= f64::from(CUTOFF2) {
                    return sum;
                }
                let (r2, r6) = (1.0 / dot(d, d), 1.0 / dot(d, d).powi(3));
                let strength = r2 * r6 * (f64::from(LJ1) * r6 - f64::from(LJ2));
                [sum[0] + d[0] * strength, sum[1] + d[1] * strength, sum[2] + d[2] * strength, 0.0]
            })
        };
        let forces: Vec<_> = (0..ATOMS).into_par_iter().map(force).collect();
        // A pair at the very cutoff contributes up to 2e-4.
        all_near(4 * ATOMS, [1e-4, 5e-4], |i| f32_at(&out[0], i), |i| forces[i / 4][i % 4])
    })
}

pub fn lavamd() -> Case {
    const SIDE: usize = 4;
    const BOXES: usize = SIDE * SIDE * SIDE;
    const PARTICLES: usize = 100;
    const N: usize = BOXES * PARTICLES;
    const ALPHA: f32 = 0.5;
    let neighbour = |bx: usize, k: usize| {
        let [x, y, z] =
            [[1, 1], [SIDE, 3], [SIDE * SIDE, 9]].map(|[a, b]| (bx / a % SIDE + k / b % 3 + SIDE - 1) % SIDE);
        (z * SIDE + y) * SIDE + x
    };
    let boxes = bytes(28 * BOXES, |i| {
        let number = if i % 28 == 0 { 27 } else { neighbour(i / 28, i % 28 - 1) };
        (number as i32).to_le_bytes()
    });
    let mut random = Random(52);
    let [places, charges] = [4 * N, N].map(|n| random.floats(n, [0.1, 1.0]));
    let mut args = vec![float(ALPHA), int(BOXES), Arg::In(boxes), Arg::In(places), Arg::In(charges)];
    args.push(zeros(16 * N));
    case(args, line(128 * BOXES, 128), move |args, out| {
        let [places, charges] = inputs(args, [3, 4]);
        let a2 = 2.0 * f64::from(ALPHA * ALPHA);
        let force = |i: usize| {
            let (own, mut sum) = (vector(&places, 4 * i + 1), [0.0; 4]);
            let others = (0..27).flat_map(|k| (0..PARTICLES).map(move |j| neighbour(i / PARTICLES, k) * PARTICLES + j));
            for j in others {
                let other = vector(&places, 4 * j + 1);
                let strength = charges[j] * (-a2 * (places[4 * i] + places[4 * j] - dot(own, other))).exp();
                let push = scale(sub(own, other), 2.0 * strength);
                sum = [sum[0] + strength, sum[1] + push[0], sum[2] + push[1], sum[3] + push[2]];
            }
            sum
        };
        let forces: Vec<_> = (0..N).into_par_iter().map(force).collect();
        all_near(4 * N, [1e-4, 1e-2], |i| f32_at(&out[0], i), |i| forces[i / 4][i % 4])
    })
}

pub fn cutcp() -> Case {
    const NX: usize = 64;
    const NY: usize = 64;
    const NZ: usize = 32;
    const DEPTH: usize = 8;
    /// Lattice points along a side of a bin.
    const POINTS: usize = 8;
    const BX: usize = NX / POINTS + 2;
    const BY: usize = NY / POINTS + 2;
    const BZ: usize = NZ / POINTS + 2;
    const SPACING: f32 = 0.5;
    const CUTOFF2: f32 = 16.0;
    let mut random = Random(53);
    let mut atoms = Vec::new();
    for bin in 0..BX * BY * BZ {
        let count = 4 + random.bits() as usize % (DEPTH - 3);
        let corner = [bin % BX, bin / BX % BY, bin / BX / BY].map(|at| (at * POINTS) as f32 - POINTS as f32);
        for _ in 0..count {
            // Between lattice points, so that no distance is tiny.
            let place = corner.map(|at| SPACING * (at + (random.bits() % 8) as f32 + random.float([0.25, 0.75])));
            atoms.extend(place.iter().chain(&[random.float([0.5, 1.5])]).flat_map(|x| x.to_le_bytes()));
        }
        atoms.resize(16 * DEPTH * (bin + 1), 0);
    }
    let mut args = vec![Arg::In(atoms), int(BX), int(BY), zeros(4 * NX * NY * NZ)];
    args.extend([SPACING, CUTOFF2, 1.0 / CUTOFF2].map(float));
    case(args, volume([NX, NY, NZ], [8, 8, 2]), |args, out| {
        let [atoms] = inputs(args, [0]);
        near(&out[0], 1e-4, |i| {
            let at = [i % NX, i / NX % NY, i / NX / NY];
            let point = at.map(|at| at as f64 * f64::from(SPACING));
            let bins = (0..27).map(|k| {
                let [x, y, z] = [[0, 1], [1, 3], [2, 9]].map(|[axis, step]| at[axis] / POINTS + k / step % 3);
                (z * BY + y) * BX + x
            });
            let potential = |atom: &[f64]| {
                if atom[3] == 0.0 {
                    return 0.0;
                }
                let d = sub(vector(atom, 0), point);
                let part = 1.0 - dot(d, d) / f64::from(CUTOFF2);
                if part > 0.0 { atom[3] / dot(d, d).sqrt() * part * part } else { 0.0 }
            };
            bins.flat_map(|bin| atoms[4 * DEPTH * bin..][..4 * DEPTH].chunks(4)).map(potential).sum()
        })
    })
}

pub fn tpacf() -> Case {
    const N: usize = 2048;
    const BINS: usize = 20;
    const GROUP: usize = 128;
    let mut random = Random(54);
    let mut points = [const { Vec::new() }; 3];
    for _ in 0..N {
        let (z, angle) = (random.float([-1.0, 1.0]), random.float([0.0, TAU as f32]));
        let radius = (1.0 - z * z).sqrt();
        for (axis, x) in points.iter_mut().zip([radius * angle.cos(), radius * angle.sin(), z]) {
            axis.extend_from_slice(&x.to_le_bytes());
        }
    }
    let limits = bytes(BINS + 1, |bin| match bin {
        0 => 1.5f32.to_le_bytes(),
        BINS => (-1.5f32).to_le_bytes(),
        bin => ((PI * bin as f64 / BINS as f64).cos() as f32).to_le_bytes(),
    });
    let mut args: Vec<_> = points.map(Arg::In).into();
    args.extend([Arg::In(limits), zeros(4 * BINS * N / GROUP), int(N)]);
    case(args, line(N, GROUP), |args, out| {
        let [x, y, z, limits] = inputs(args, [0, 1, 2, 3]);
        // How many pairs surely lie in a bin, and how many may: those at its edge depend on the last bit.
        let count = |group: usize| {
            let mut counts = [[0u32; 2]; BINS];
            for i in GROUP * group..GROUP * (group + 1) {
                for k in 0..i {
                    let cosine = dot([x[i], y[i], z[i]], [x[k], y[k], z[k]]);
                    let [low, high] =
                        [1e-6, -1e-6].map(|off| limits.partition_point(|limit| *limit > cosine + off) - 1);
                    counts[low][1] += 1;
                    if low == high { counts[low][0] += 1 } else { counts[high][1] += 1 }
                }
            }
            counts
        };
        let counts: Vec<_> = (0..N / GROUP).into_par_iter().map(count).collect();
        all(BINS * N / GROUP, |i| {
            let (got, [least, most]) = (u32_at(&out[0], i), counts[i / BINS][i % BINS]);
            let is_right = (least..=most).contains(&got);
            if is_right { Ok(()) } else { Err(format!("is {got} where {least} to {most} is right")) }
        })?;
        let total: u32 = words(&out[0]).iter().sum();
        if total as usize == N * (N - 1) / 2 { Ok(()) } else { Err(format!("{total} pairs were counted")) }
    })
}

pub fn mri_q() -> Case {
    const POINTS: usize = 1 << 14;
    const WAVES: usize = 512;
    let mut random = Random(55);
    let mut args = vec![int(WAVES)];
    args.extend((0..3).map(|_| Arg::In(random.floats(POINTS, [-1.0, 1.0]))));
    args.extend([zeros(4 * POINTS), zeros(4 * POINTS), Arg::In(random.floats(4 * WAVES, [-1.0, 1.0]))]);
    case(args, line(POINTS, 256), |args, out| {
        let [x, y, z, waves] = inputs(args, [1, 2, 3, 6]);
        let sum = |i: usize| {
            waves.chunks(4).fold([0.0; 2], |sum, wave| {
                let (sin, cos) = (TAU * dot(vector(wave, 0), [x[i], y[i], z[i]])).sin_cos();
                [sum[0] + wave[3] * cos, sum[1] + wave[3] * sin]
            })
        };
        let sums: Vec<_> = (0..POINTS).into_par_iter().map(sum).collect();
        (0..2).try_for_each(|k| near(&out[k], 1e-3, |i| sums[i][k]))
    })
}

/// What the gas of a cell does: density, momentum, energy; and what flows along each axis of the five.
struct Gas {
    own: [f64; 5],
    flows: [Vector; 5],
    pressure: f64,
    speeds: f64,
}

impl Gas {
    fn new(own: [f64; 5]) -> Self {
        let momentum = vector(&own, 1);
        let velocity = scale(momentum, 1.0 / own[0]);
        let pressure = 0.4 * (own[4] - 0.5 * own[0] * dot(velocity, velocity));
        let mut flows = [momentum; 5];
        for (axis, flow) in flows[1..4].iter_mut().enumerate() {
            *flow = scale(momentum, velocity[axis]);
            flow[axis] += pressure;
        }
        flows[4] = scale(velocity, own[4] + pressure);
        Self { own, flows, pressure, speeds: dot(velocity, velocity).sqrt() + (1.4 * pressure / own[0]).sqrt() }
    }
}

pub fn cfd() -> Case {
    const CELLS: usize = 96 << 10;
    const NEIGHBOURS: usize = 4;
    const RANGES: [[f32; 2]; 5] = [[1.0, 2.0], [-0.5, 0.5], [-0.5, 0.5], [-0.5, 0.5], [3.0, 5.0]];
    let mut random = Random(56);
    let steps = [1, CELLS - 1, 310, CELLS - 310];
    let neighbours = bytes(NEIGHBOURS * CELLS, |i| {
        let near = (i % CELLS + steps[i / CELLS] + random.bits() as usize % 4) % CELLS;
        let kind = random.bits() % 64;
        (if kind < 2 { -1 - kind as i32 } else { near as i32 }).to_le_bytes()
    });
    let normals = random.floats(3 * NEIGHBOURS * CELLS, [-1.0, 1.0]);
    let variables = bytes(5 * CELLS, |i| random.float(RANGES[i / CELLS]).to_le_bytes());
    let far = bytes(5, |i| random.float(RANGES[i]).to_le_bytes());
    let mut args: Vec<_> = [neighbours, normals, variables, far].map(Arg::In).into();
    args.extend([zeros(20 * CELLS), int(CELLS)]);
    case(args, line(CELLS, 192), |args, out| {
        let [normals, variables, far] = inputs(args, [1, 2, 3]);
        let neighbours = words(args[0].bytes());
        let gas = |i: usize| Gas::new([0, 1, 2, 3, 4].map(|k| variables[i + k * CELLS]));
        let far = Gas::new([0, 1, 2, 3, 4].map(|k| far[k]));
        let flux = |i: usize| {
            let (own, mut flux) = (gas(i), [0.0; 5]);
            for j in 0..NEIGHBOURS {
                let normal = [0, 1, 2].map(|axis| normals[i + (j + axis * NEIGHBOURS) * CELLS]);
                let neighbour = neighbours[i + j * CELLS] as i32;
                let other = if neighbour >= 0 { &gas(neighbour as usize) } else { &far };
                let smooth = if neighbour < 0 { 0.0 } else { -0.1 * dot(normal, normal).sqrt() };
                for (k, sum) in flux.iter_mut().enumerate() {
                    *sum += match (neighbour, k) {
                        (-1, 1..4) => normal[k - 1] * own.pressure,
                        (-1, _) => 0.0,
                        _ => {
                            smooth * (own.speeds + other.speeds) * (own.own[k] - other.own[k])
                                + 0.5 * (dot(normal, own.flows[k]) + dot(normal, other.flows[k]))
                        }
                    };
                }
            }
            flux
        };
        let fluxes: Vec<_> = (0..CELLS).into_par_iter().map(flux).collect();
        near(&out[0], 1e-4, |i| fluxes[i % CELLS][i / CELLS])
    })
}

/// What `rates.cl` writes out: the exponents of its rates.
const RATES: [[f64; 3]; 12] = [
    [14.8, -0.406, 835.2],
    [5.11, 0.67, 316.5],
    [6.02, 0.31, 172.6],
    [8.29, -0.1, 0.0],
    [7.62, -0.5, 52.9],
    [10.6, -0.76, 0.0],
    [9.28, 0.0, 349.0],
    [4.73, 0.24, 54.6],
    [0.0; 3],
    [3.25, 0.2, 799.0],
    [6.84, 0.0, 213.0],
    [4.6, 0.2, 471.0],
];

pub fn rates() -> Case {
    const N: usize = 1 << 17;
    let temperatures = Random(57).floats(N, [0.8, 2.0]);
    let args = vec![Arg::In(temperatures), zeros(48 * N), zeros(48 * N), int(N), float(1000.0)];
    case(args, line(N, 128), |args, out| {
        let [temperatures] = inputs(args, [0]);
        let forth = |i: usize| {
            let t = 1000.0 * temperatures[i % N];
            let rate = |[a, b, e]: [f64; 3]| (a + b * t.ln() - e / t).exp();
            match i / N {
                8 => 0.45 * rate(RATES[7]) + 2.0 * (-1.2 - 300.0 / t).exp(),
                reaction => rate(RATES[reaction]),
            }
        };
        let back = |i: usize| {
            let t = 1000.0 * temperatures[i % N];
            let log = t.ln();
            let [a, b, c, d] = [
                0.5 * log + 1.25e-3 * t - 3.1,
                0.8 * log - 0.75e-3 * t - 4.2,
                1.1 * log - 1500.0 / t - 5.9,
                0.3 * log + 2e5 / (t * t) - 1.7,
            ];
            let logs = [a - b, b - c, a + c - b - d, a + d, b + b - d, c + d - a];
            let more = [a - c - d, b + d - a, c - b, d - a, d + c, a + b];
            forth(i) / [logs, more][i / N / 6][i / N % 6].exp()
        };
        all_near(12 * N, [1e-4, 1e-20], |i| f32_at(&out[0], i), forth)?;
        all_near(12 * N, [1e-4, 1e-20], |i| f32_at(&out[1], i), back)
    })
}

pub fn rays() -> Case {
    const N: usize = 512;
    const SPHERES: usize = 64;
    const LIGHT: Vector = [0.6, -0.64, -0.48];
    let mut random = Random(58);
    let ranges = [[-3.0, 3.0], [-3.0, 3.0], [4.0, 12.0], [0.3, 0.9]];
    let spheres = bytes(4 * SPHERES, |i| random.float(ranges[i % 4]).to_le_bytes());
    let args = vec![Arg::In(spheres), int(SPHERES), zeros(4 * N * N), int(N), int(N)];
    case(args, plane([N, N], [16, 16]), |args, out| {
        let [spheres] = inputs(args, [0]);
        all(N * N, |i| {
            let [x, y] = [i % N, i / N].map(|p| (p as f64 + 0.5) / N as f64 - 0.5);
            let direction = scale([x, y, 1.0], 1.0 / dot([x, y, 1.0], [x, y, 1.0]).sqrt());
            let (mut is_edge, mut hits) = (false, Vec::new());
            for sphere in spheres.chunks(4) {
                let center = vector(sphere, 0);
                let along = dot(center, direction);
                let rest = along * along - dot(center, center) + sphere[3] * sphere[3];
                is_edge |= rest.abs() < 1e-3;
                hits.extend((rest > 0.0).then(|| (along - rest.sqrt(), center)));
            }
            hits.sort_by(|a, b| a.0.total_cmp(&b.0));
            is_edge |= hits.len() > 1 && hits[1].0 - hits[0].0 < 1e-4;
            let light = hits.first().map_or(0.0, |(t, center)| {
                let normal = sub(scale(direction, *t), *center);
                dot(normal, LIGHT).max(0.0) / dot(normal, normal).sqrt()
            });
            let (got, want) = (f32_at(&out[0], i), 0.05 + 0.9 * light);
            // At an edge, the last bit says which side of it a pixel shows.
            let is_right = if is_edge { (0.05..0.951).contains(&(got + 1e-6)) } else { (got - want).abs() < 2e-3 };
            if is_right { Ok(()) } else { Err(format!("is {got} where {want} is right")) }
        })
    })
}
