//! Data and references of filters on images of bytes.

use super::case;
use crate::data::{Arg, Case, Random, all, float, int, line, plane, zeros};

/// Every byte in `got` is one that `want` may be rounded to, give or take `slack`.
fn rounded(got: &[u8], slack: f64, want: impl Fn(usize) -> f64 + Sync) -> Result<(), String> {
    all(got.len(), |i| {
        let (got, want) = (got[i], want(i));
        let is_right = (f64::from(got) - want).abs() <= 0.5 + slack;
        if is_right { Ok(()) } else { Err(format!("is {got} where {want} is right")) }
    })
}

/// Every byte in `got` is that of `want`.
fn equal(got: &[u8], want: impl Fn(usize) -> u8 + Sync) -> Result<(), String> {
    all(got.len(), |i| {
        let (got, want) = (got[i], want(i));
        if got == want { Ok(()) } else { Err(format!("is {got} where {want} is right")) }
    })
}

pub fn bilateral() -> Case {
    const N: usize = 512;
    const RADIUS: usize = 3;
    const SPACE: f32 = 1.0 / 18.0;
    const RANGE: f32 = 1.0 / 1800.0;
    let image = Random(61).words(N * N / 4);
    let mut args = vec![Arg::In(image), zeros(N * N), int(N), int(N), int(RADIUS)];
    args.extend([SPACE, RANGE].map(float));
    case(args, plane([N, N], [16, 16]), |args, out| {
        let image = args[0].bytes();
        let side = 2 * RADIUS + 1;
        rounded(&out[0], 1e-3, |i| {
            let (mut sum, mut weights) = (0.0, 0.0);
            for k in 0..side * side {
                let [x, y] = [i % N + k % side, i / N + k / side].map(|at| at.saturating_sub(RADIUS).min(N - 1));
                let [dx, dy] = [k % side, k / side].map(|at| at as f64 - RADIUS as f64);
                let value = f64::from(image[y * N + x]);
                let difference = value - f64::from(image[i]);
                let exponent = (dx * dx + dy * dy) * f64::from(SPACE) + difference * difference * f64::from(RANGE);
                sum += (-exponent).exp() * value;
                weights += (-exponent).exp();
            }
            sum / weights
        })
    })
}

pub fn median() -> Case {
    const N: usize = 1024;
    let image = Random(62).words(N * N / 4);
    case(vec![Arg::In(image), zeros(N * N), int(N), int(N)], plane([N, N], [16, 16]), |args, out| {
        let image = args[0].bytes();
        equal(&out[0], |i| {
            if [i % N, i / N].iter().any(|&at| at == 0 || at == N - 1) {
                return 0;
            }
            let mut nine: [u8; 9] = std::array::from_fn(|k| image[i + k / 3 * N + k % 3 - N - 1]);
            nine.sort_unstable();
            nine[4]
        })
    })
}

pub fn sobel() -> Case {
    const N: usize = 1024;
    let image = Random(63).words(N * N);
    case(vec![Arg::In(image), zeros(4 * N * N)], plane([N, N], [16, 16]), |args, out| {
        let image = args[0].bytes();
        // The result is cut off, so it is the middle between two whole numbers that is rounded.
        rounded(&out[0], 1e-3, |at| {
            let (x, y) = (at / 4 % N, at / 4 / N);
            if [x, y].iter().any(|&at| at == 0 || at == N - 1) {
                return 0.0;
            }
            let pixel = |dx: usize, dy: usize| f64::from(image[4 * ((y + dy - 1) * N + x + dx - 1) + at % 4]);
            let across = |d: usize| pixel(0, d) + 2.0 * pixel(1, d) + pixel(2, d);
            let down = |d: usize| pixel(d, 0) + 2.0 * pixel(d, 1) + pixel(d, 2);
            let edge = (across(0) - across(2)).hypot(down(0) - down(2)) / 2.0;
            if edge >= 255.0 { 255.0 } else { (edge - 0.5).max(0.0) }
        })
    })
}

pub fn yuv() -> Case {
    const PIXELS: usize = 1 << 21;
    const FACTORS: [[i32; 3]; 3] = [[66, 129, 25], [-38, -74, 112], [112, -94, -18]];
    let image = Random(64).words(3 * PIXELS / 4);
    case(vec![Arg::In(image), zeros(3 * PIXELS), int(PIXELS)], line(PIXELS, 256), |args, out| {
        let image = args[0].bytes();
        equal(&out[0], |i| {
            let colours = &image[i - i % 3..][..3];
            let sum: i32 = FACTORS[i % 3].iter().zip(colours).map(|(factor, colour)| factor * i32::from(*colour)).sum();
            (((sum + 128) >> 8) + [16, 128, 128][i % 3]).clamp(0, 255) as u8
        })
    })
}

pub fn resize() -> Case {
    const FROM: [usize; 2] = [1024, 768];
    const TO: [usize; 2] = [1600, 1200];
    const SCALE: f32 = 0.64;
    let image = Random(65).words(3 * FROM[0] * FROM[1] / 4);
    let mut args = vec![Arg::In(image), int(FROM[0]), int(FROM[1]), zeros(3 * TO[0] * TO[1]), int(TO[0]), int(TO[1])];
    args.extend([SCALE, SCALE].map(float));
    case(args, plane(TO, [16, 16]), |args, out| {
        let image = args[0].bytes();
        // A coordinate is off by up to 1e-4, and neighbours differ by up to 255.
        rounded(&out[0], 0.05, |i| {
            let place = [i / 3 % TO[0], i / 3 / TO[0]].map(|at| (at as f64 + 0.5) * f64::from(SCALE) - 0.5);
            let [u, v] = place.map(|at| at - at.floor());
            let pixel = |dx: f64, dy: f64| {
                let [x, y] = [0, 1].map(|k| (place[k].floor() + [dx, dy][k]).clamp(0.0, FROM[k] as f64 - 1.0) as usize);
                f64::from(image[3 * (y * FROM[0] + x) + i % 3])
            };
            let line = |dy: f64| pixel(0.0, dy) * (1.0 - u) + pixel(1.0, dy) * u;
            line(0.0) * (1.0 - v) + line(1.0) * v
        })
    })
}
