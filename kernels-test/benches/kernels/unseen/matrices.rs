//! Data and references of kernels on matrices, graphs as matrices, and transforms.

use std::f64::consts::PI;

use super::{case, inputs};
use crate::data::{Arg, Case, Random, bytes, int, line, near, plane, same, words, zeros};

pub fn lud() -> Case {
    const N: usize = 1024;
    const BLOCK: usize = 16;
    let matrix = Random(41).floats(N * N, [1.0, 2.0]);
    case(vec![Arg::Out(matrix), int(N), int(0)], plane([N - BLOCK; 2], [BLOCK; 2]), |args, out| {
        let [m] = inputs(args, [0]);
        near(&out[0], 1e-5, |i| {
            let (x, y) = (i % N, i / N);
            let terms = if x.min(y) < BLOCK { 0 } else { BLOCK };
            m[i] - (0..terms).map(|k| m[y * N + k] * m[k * N + x]).sum::<f64>()
        })
    })
}

pub fn gaussian() -> Case {
    const N: usize = 1024;
    const STEP: usize = 100;
    let mut random = Random(42);
    let [m, a, b] = [N * N, N * N, N].map(|n| random.floats(n, [-1.0, 1.0]));
    let args = vec![Arg::In(m), Arg::Out(a), Arg::Out(b), int(N), int(STEP)];
    case(args, plane([N, N], [16, 16]), |args, out| {
        let [m, a, b] = inputs(args, [0, 1, 2]);
        let factor = |line: usize| if line > STEP { m[N * line + STEP] } else { 0.0 };
        near(&out[0], 1e-6, |i| {
            let pivot = if i % N < STEP { 0.0 } else { a[N * STEP + i % N] };
            a[i] - factor(i / N) * pivot
        })?;
        near(&out[1], 1e-6, |i| b[i] - factor(i) * b[STEP])
    })
}

pub fn floyd_warshall() -> Case {
    const N: usize = 1024;
    const PASS: usize = 500;
    let mut random = Random(43);
    let distances = bytes(N * N, |i| (if i % N == i / N { 0 } else { 1 + random.bits() % 1000 }).to_le_bytes());
    let paths = bytes(N * N, |i| ((i / N) as u32).to_le_bytes());
    let args = vec![Arg::Out(distances), Arg::Out(paths), int(N), int(PASS)];
    case(args, plane([N, N], [16, 16]), |args, out| {
        let (distances, paths) = (words(args[0].bytes()), words(args[1].bytes()));
        let through = |i: usize| distances[i / N * N + PASS] + distances[PASS * N + i % N];
        same(&out[0], |i| distances[i].min(through(i)))?;
        same(&out[1], |i| if through(i) < distances[i] { PASS as u32 } else { paths[i] })
    })
}

pub fn ell() -> Case {
    const ROWS: usize = 1 << 17;
    const PLACES: usize = 32;
    let mut random = Random(44);
    let lengths = bytes(ROWS, |_| (8 + random.bits() % 25).to_le_bytes());
    let columns = bytes(ROWS * PLACES, |i| {
        let column = (i % ROWS + random.bits() as usize % 8192).saturating_sub(4096).min(ROWS - 1);
        (column as i32).to_le_bytes()
    });
    let [values, vector] = [ROWS * PLACES, ROWS].map(|n| random.floats(n, [-1.0, 1.0]));
    let mut args: Vec<_> = [values, vector, columns, lengths].map(Arg::In).into();
    args.extend([int(ROWS), zeros(4 * ROWS)]);
    case(args, line(ROWS, 128), |args, out| {
        let [values, vector] = inputs(args, [0, 1]);
        let (columns, lengths) = (words(args[2].bytes()), words(args[3].bytes()));
        near(&out[0], 1e-5, |row| {
            let places = (0..lengths[row] as usize).map(|k| k * ROWS + row);
            places.map(|i| values[i] * vector[columns[i] as usize]).sum()
        })
    })
}

pub fn fft4() -> Case {
    const N: usize = 1 << 20;
    const DONE: usize = 1024;
    let data = Random(45).floats(2 * N, [-1.0, 1.0]);
    case(vec![Arg::In(data), zeros(8 * N), int(DONE)], line(N / 4, 256), |args, out| {
        let [data] = inputs(args, [0]);
        near(&out[0], 1e-5, |at| {
            // Element `part` of a transform of four elements, each turned by its twiddle factor.
            let (place, is_imaginary) = (at / 2, at % 2 == 1);
            let (k, part, done) = (place % DONE, place / DONE % 4, place / (4 * DONE) * DONE);
            let turned = (0..4).map(|n| {
                let angle = -PI * n as f64 * (k as f64 / (2 * DONE) as f64 + part as f64 / 2.0);
                let [re, im] = [0, 1].map(|axis| data[2 * (done + k + n * N / 4) + axis]);
                let (sin, cos) = angle.sin_cos();
                if is_imaginary { re * sin + im * cos } else { re * cos - im * sin }
            });
            turned.sum()
        })
    })
}
