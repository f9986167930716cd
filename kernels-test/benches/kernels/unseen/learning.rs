//! Data and references of kernels of machine learning and statistics.

use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};
use rayon::slice::ParallelSlice;

use super::{case, inputs};
use crate::data::{Arg, Case, Random, all, all_near, bytes, f32_at, float, int, line, near, plane};
use crate::data::{same, u32_at, words, zeros};

pub fn kmeans() -> Case {
    const POINTS: usize = 1 << 17;
    const CENTERS: usize = 8;
    const FEATURES: usize = 34;
    let mut random = Random(71);
    let [features, centers] = [FEATURES * POINTS, FEATURES * CENTERS].map(|n| random.floats(n, [0.0, 1.0]));
    let mut args = vec![Arg::In(features), Arg::In(centers), zeros(4 * POINTS)];
    args.extend([POINTS, CENTERS, FEATURES].map(int));
    case(args, line(POINTS, 256), |args, out| {
        let [features, centers] = inputs(args, [0, 1]);
        all(POINTS, |i| {
            let square = |center: &[f64]| -> f64 {
                center.iter().enumerate().map(|(k, at)| (features[k * POINTS + i] - at).powi(2)).sum()
            };
            let distances: Vec<f64> = centers.chunks(FEATURES).map(square).collect();
            let least = distances.iter().copied().fold(f64::INFINITY, f64::min);
            let got = u32_at(&out[0], i) as usize;
            // Two centres may be equally near but for the last bit.
            let is_right = distances.get(got).is_some_and(|distance| *distance <= least * (1.0 + 1e-5));
            if is_right { Ok(()) } else { Err(format!("is {got} with the distances {distances:?}")) }
        })
    })
}

pub fn backprop() -> Case {
    const INPUTS: usize = 1 << 17;
    const HIDDEN: usize = 16;
    let mut random = Random(72);
    let [values, weights] = [INPUTS + 1, (INPUTS + 1) * (HIDDEN + 1)].map(|n| random.floats(n, [0.0, 1.0]));
    let args = vec![Arg::In(values), Arg::In(weights), zeros(4 * INPUTS), int(HIDDEN)];
    case(args, plane([HIDDEN, INPUTS], [16, 16]), |args, out| {
        let [values, weights] = inputs(args, [0, 1]);
        near(&out[0], 1e-5, |i| {
            let lines = (1..=16).map(|k| i / HIDDEN * 16 + k);
            lines.map(|line| values[line] * weights[line * (HIDDEN + 1) + i % HIDDEN + 1]).sum()
        })
    })
}

pub fn streamcluster() -> Case {
    const POINTS: usize = 1 << 16;
    const CENTERS: usize = 8;
    const DIMENSIONS: usize = 32;
    const NEW: usize = 12345;
    let center = |k: usize| k * POINTS / CENTERS;
    let mut random = Random(73);
    // Weight, padding, the centre in eight bytes, cost, padding.
    let points = bytes(POINTS, |_| {
        let assigned = center(random.bits() as usize % CENTERS) as u64;
        let mut point = [0; 24];
        point[..4].copy_from_slice(&random.float([0.5, 1.5]).to_le_bytes());
        point[8..16].copy_from_slice(&assigned.to_le_bytes());
        point[16..20].copy_from_slice(&random.float([0.0, 10.0]).to_le_bytes());
        point
    });
    let coordinates = random.floats(DIMENSIONS * POINTS, [0.0, 1.0]);
    let places = bytes(POINTS, |i| ((i * CENTERS / POINTS) as i32).to_le_bytes());
    let mut args = vec![Arg::In(points), Arg::In(coordinates), zeros(4 * POINTS * (CENTERS + 1)), Arg::In(places)];
    args.extend([zeros(POINTS), int(POINTS), int(DIMENSIONS), Arg::Value((NEW as u64).to_le_bytes().into())]);
    args.push(int(CENTERS));
    case(args, line(POINTS, 256), |args, out| {
        let [coordinates] = inputs(args, [1]);
        let points = args[0].bytes();
        let gain = |i: usize| {
            let square = |k: usize| (coordinates[k * POINTS + i] - coordinates[k * POINTS + NEW]).powi(2);
            let distance: f64 = (0..DIMENSIONS).map(square).sum();
            distance * f32_at(points, 6 * i) - f32_at(points, 6 * i + 4)
        };
        let gains: Vec<f64> = (0..POINTS).into_par_iter().map(gain).collect();
        near(&out[0], 1e-4, |at| {
            let (i, k) = (at / (CENTERS + 1), at % (CENTERS + 1));
            let place = if gains[i] < 0.0 { CENTERS } else { u32_at(points, 6 * i + 2) as usize * CENTERS / POINTS };
            if k == place { -gains[i].abs() } else { 0.0 }
        })?;
        all(POINTS, |i| {
            let want = if gains[i] < 0.0 { b'1' } else { 0 };
            // Costs that are alike but for the last bit.
            let is_right = out[1][i] == want || (gains[i].abs() < 1e-4 && [0, b'1'].contains(&out[1][i]));
            if is_right { Ok(()) } else { Err(format!("is {} with the gain {}", out[1][i], gains[i])) }
        })
    })
}

pub fn particle_filter() -> Case {
    const N: usize = 8192;
    let mut random = Random(74);
    let [xs, ys] = [(); 2].map(|()| random.floats(N, [0.0, 128.0]));
    let weights: Vec<f32> = (0..N).map(|_| random.float([0.0, 2.0 / N as f32])).collect();
    let sums = weights.iter().scan(0.0, |sum, weight| {
        *sum += weight;
        Some(*sum)
    });
    let sums: Vec<f32> = sums.collect();
    let numbers = bytes(N, |i| ((i as f32 + 0.5) / N as f32).to_le_bytes());
    let mut args: Vec<_> = [xs, ys, bytes(N, |i| sums[i].to_le_bytes()), numbers].map(Arg::In).into();
    args.extend([zeros(4 * N), zeros(4 * N), int(N)]);
    case(args, line(N, 128), |args, out| {
        let [sums, numbers] = inputs(args, [2, 3]);
        let place = |i: usize| sums.partition_point(|sum| *sum < numbers[i]).min(N - 1);
        (0..2).try_for_each(|axis| same(&out[axis], |i| u32_at(args[axis].bytes(), place(i))))
    })
}

pub fn softmax() -> Case {
    const LINES: usize = 2048;
    const COLUMNS: usize = 1000;
    let values = Random(75).floats(LINES * COLUMNS, [-5.0, 5.0]);
    case(vec![Arg::In(values), zeros(4 * LINES * COLUMNS), int(COLUMNS)], line(256 * LINES, 256), |args, out| {
        let [values] = inputs(args, [0]);
        let sums: Vec<f64> = values.par_chunks(COLUMNS).map(|line| line.iter().map(|x| x.exp()).sum()).collect();
        all_near(LINES * COLUMNS, [1e-5, 0.0], |i| f32_at(&out[0], i), |i| values[i].exp() / sums[i / COLUMNS])
    })
}

pub fn layer_norm() -> Case {
    const LINES: usize = 2048;
    const COLUMNS: usize = 768;
    const EPSILON: f32 = 1e-5;
    let mut random = Random(76);
    let values = random.floats(LINES * COLUMNS, [-1.0, 3.0]);
    let [gamma, beta] = [[0.5, 1.5], [-1.0, 1.0]].map(|range| random.floats(COLUMNS, range));
    let mut args: Vec<_> = [values, gamma, beta].map(Arg::In).into();
    args.extend([zeros(4 * LINES * COLUMNS), int(COLUMNS), float(EPSILON)]);
    case(args, line(128 * LINES, 128), |args, out| {
        let [values, gamma, beta] = inputs(args, [0, 1, 2]);
        let moments = |line: &[f64]| {
            let mean = line.iter().sum::<f64>() / COLUMNS as f64;
            let variance = line.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / COLUMNS as f64;
            (mean, 1.0 / (variance + f64::from(EPSILON)).sqrt())
        };
        let moments: Vec<_> = values.par_chunks(COLUMNS).map(moments).collect();
        near(&out[0], 1e-5, |i| {
            let ((mean, scale), column) = (moments[i / COLUMNS], i % COLUMNS);
            (values[i] - mean) * scale * gamma[column] + beta[column]
        })
    })
}

pub fn gemv_int8() -> Case {
    const N: usize = 4096;
    let mut random = Random(77);
    let [matrix, vector] = [N * N, N].map(|n| Arg::In(random.words(n / 4)));
    let scales = random.floats(N, [1e-4, 1e-3]);
    let args = vec![matrix, vector, Arg::In(scales), zeros(4 * N), int(N), int(N)];
    case(args, line(N, 64), |args, out| {
        let [scales] = inputs(args, [2]);
        let [matrix, vector] = [0, 1].map(|k| args[k].bytes());
        let product = |(line, scale): (&[u8], &f64)| {
            let terms = line.iter().zip(vector).map(|(a, b)| i32::from(*a as i8) * i32::from(*b as i8));
            f64::from(terms.sum::<i32>()) * scale
        };
        let want: Vec<_> = matrix.par_chunks(N).zip(&scales).map(product).collect();
        near(&out[0], 1e-6, |i| want[i])
    })
}

pub fn im2col() -> Case {
    const CHANNELS: usize = 64;
    const SIDE: usize = 56;
    const SIZE: usize = 3;
    const PAD: usize = 1;
    const N: usize = CHANNELS * SIDE * SIDE;
    let image = Random(78).floats(N, [0.1, 1.0]);
    let mut args = vec![int(N), Arg::In(image)];
    args.extend([SIDE, SIDE, SIZE, PAD, 1, SIDE, SIDE].map(int));
    args.push(zeros(4 * SIZE * SIZE * N));
    case(args, line(N, 256), |args, out| {
        let image = words(args[1].bytes());
        same(&out[0], |i| {
            let (place, offset) = (i % (SIDE * SIDE), i / (SIDE * SIDE) % (SIZE * SIZE));
            let (x, y) = (place % SIDE + offset % SIZE, place / SIDE + offset / SIZE);
            let is_inside = [x, y].iter().all(|at| (PAD..SIDE + PAD).contains(at));
            let channel = i / (SIDE * SIDE * SIZE * SIZE);
            if is_inside { image[(channel * SIDE + y - PAD) * SIDE + x - PAD] } else { 0 }
        })
    })
}

pub fn max_pool() -> Case {
    const BATCH: usize = 2;
    const CHANNELS: usize = 64;
    const SIDE: usize = 112;
    const STRIDE: usize = 2;
    const SIZE: usize = 3;
    const PAD: usize = 1;
    const TO: usize = (SIDE + 2 * PAD - SIZE) / STRIDE + 1;
    const N: usize = BATCH * CHANNELS * TO * TO;
    let image = Random(79).floats(BATCH * CHANNELS * SIDE * SIDE, [-1.0, 1.0]);
    let mut args = vec![int(N), Arg::In(image)];
    args.extend([SIDE, SIDE, CHANNELS, STRIDE, SIZE, PAD].map(int));
    args.extend([zeros(4 * N), zeros(4 * N)]);
    case(args, line(N, 256), |args, out| {
        let image = args[1].bytes();
        let most = |at: usize| {
            let (x, y, plane) = (at % TO * STRIDE, at / TO % TO * STRIDE, at / (TO * TO) * SIDE * SIDE);
            let window = (0..SIZE * SIZE).map(|k| (x + k % SIZE, y + k / SIZE));
            let inside = window.filter(|(x, y)| [x, y].iter().all(|at| (PAD..SIDE + PAD).contains(*at)));
            let places = inside.map(|(x, y)| plane + (y - PAD) * SIDE + x - PAD);
            // The first of those that are alike.
            places.reduce(|best, i| if f32_at(image, i) > f32_at(image, best) { i } else { best }).unwrap_or(0)
        };
        let places: Vec<_> = (0..N).into_par_iter().map(most).collect();
        same(&out[0], |i| u32_at(image, places[i]))?;
        same(&out[1], |i| places[i] as u32)
    })
}
