//! The rows on whose kernels the passes were tuned: kernel, data, reference. Sizes are such that a row takes some
//! milliseconds. Kernels that nobody tuned anything on belong in `unseen`.

use rayon::iter::{IntoParallelIterator, ParallelIterator};
use rayon::slice::{ParallelSlice, ParallelSliceMut};

use crate::data::{
    Arg, Case, Random, all_near, bytes, f32_at, float, floats, int, line, near, plane, same, u32_at, words, zeros,
};
use crate::rows::{Group, Row, Work};

/// `CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT`.
const COLLECTIVES: u32 = 0x1068;
/// `CL_DEVICE_MAX_NUM_SUB_GROUPS`.
const SUB_GROUPS: u32 = 0x105C;
/// `CL_DEVICE_IMAGE_SUPPORT`.
const IMAGES: u32 = 0x1016;
/// `CL_DEVICE_DOUBLE_FP_CONFIG`.
const DOUBLES: u32 = 0x1032;
/// `CL_DEVICE_HALF_FP_CONFIG`.
const HALVES: u32 = 0x1033;

const fn row(group: Group, name: &'static str, [file, kernel, c]: [&'static str; 3], setup: fn() -> Case) -> Row {
    Row { name, group, work: Work::Kernel { file, kernel, options: "" }, needs: None, c: Some(c), setup }
}

const fn math(function: &'static str, c: &'static str, options: &'static str, setup: fn() -> Case) -> Row {
    let work = Work::Kernel { file: "math.cl", kernel: "math", options };
    Row { name: function, group: Group::Math, work, needs: None, c: Some(c), setup }
}

const fn math_double(name: &'static str, c: &'static str, options: &'static str, setup: fn() -> Case) -> Row {
    Row { group: Group::Double, needs: Some(DOUBLES), ..math(name, c, options, setup) }
}

const fn math_half(name: &'static str, c: &'static str, options: &'static str, setup: fn() -> Case) -> Row {
    Row { group: Group::Half, needs: Some(HALVES), ..math(name, c, options, setup) }
}

const fn sub_group(name: &'static str, kernel: &'static str, setup: fn() -> Case) -> Row {
    let work = Work::Kernel { file: "sub_group.cl", kernel, options: "-cl-std=CL3.0" };
    Row { name, group: Group::Subgroup, work, needs: Some(SUB_GROUPS), c: None, setup }
}

const fn peak(name: &'static str, c: &'static str, options: &'static str, setup: fn() -> Case) -> Row {
    let work = Work::Kernel { file: "peak.cl", kernel: "peak", options };
    Row { name, group: Group::Compute, work, needs: None, c: Some(c), setup }
}

/// The rows.
pub const ROWS: &[Row] = &[
    row(Group::Bandwidth, "saxpy, 512 MiB", ["saxpy.cl", "saxpy", "saxpy"], saxpy),
    row(Group::Bandwidth, "saxpy, in L1", ["saxpy.cl", "saxpy_l1", "saxpy_l1"], saxpy_l1),
    row(Group::Bandwidth, "float4 copy, 256 MiB", ["copy.cl", "copy4", "copy"], copy4),
    row(Group::Bandwidth, "transpose, naive, 64 MiB", ["transpose.cl", "transpose_naive", "transpose_naive"], || {
        transpose(1)
    }),
    Row {
        name: "copy buffer, 256 MiB",
        group: Group::Bandwidth,
        work: Work::Copy,
        needs: None,
        c: Some("copy"),
        setup: copy_buffer,
    },
    Row {
        name: "fill buffer, 256 MiB",
        group: Group::Bandwidth,
        work: Work::Fill,
        needs: None,
        c: Some("fill"),
        setup: fill_buffer,
    },
    peak("multiply-add peak, float", "peak_float", "-DT=float", || peak_floating(&FLOAT)),
    Row {
        needs: Some(DOUBLES),
        ..peak("multiply-add peak, double", "peak_double", "-DT=double", || peak_floating(&DOUBLE))
    },
    peak("multiply-add peak, uint", "peak_uint", "-DT=uint -DT_IS_UINT=1", || {
        peak_case(4, [int(1_664_525), int(1_013_904_223)], |out| {
            let step = |x: u32, _| x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let chains = chains(|start| (0..PEAK_ROUNDS).fold(start as u32, step));
            same(out, |i| chains[i..i + 8].iter().fold(0, |sum: u32, chain| sum.wrapping_add(*chain)))
        })
    }),
    row(Group::Compute, "n-body, 4096 bodies", ["nbody.cl", "nbody", "nbody"], nbody),
    row(Group::Compute, "Mandelbrot, 512 × 512", ["mandelbrot.cl", "mandelbrot", "mandelbrot"], mandelbrot),
    row(Group::Compute, "Black-Scholes, 512 Ki", ["black_scholes.cl", "black_scholes", "black_scholes"], black_scholes),
    row(Group::Compute, "GEMM, naive, 512³", ["gemm.cl", "gemm_naive", "gemm"], gemm),
    row(Group::Compute, "GEMM, tiled, 512³", ["gemm.cl", "gemm_tiled", "gemm"], gemm),
    row(Group::Compute, "convolution 5 × 5, 1 Mi", ["convolution.cl", "convolution", "convolution"], convolution),
    row(Group::Compute, "SpMV, 128 Ki rows", ["spmv.cl", "spmv", "spmv"], spmv),
    row(Group::Compute, "SHA-256, 64 Ki blocks", ["sha256.cl", "sha256", "sha256"], sha256),
    Row {
        needs: Some(IMAGES),
        ..row(Group::Compute, "image, linear filter, 1 Mi", ["image.cl", "image_linear", "image_linear"], image)
    },
    row(Group::Compute, "half conversion, 1 Mi", ["half.cl", "half_scale", "half_scale"], half_scale),
    row(Group::Local, "transpose, tiled, 64 MiB", ["transpose.cl", "transpose_tiled", "transpose_tiled"], || {
        transpose(16)
    }),
    row(Group::Local, "tree reduction, 4 Mi", ["reduce.cl", "reduce", "reduce"], reduce),
    row(Group::Local, "scan by hand, 4 Mi", ["scan.cl", "scan_hand", "scan"], || scan(0)),
    Row {
        needs: Some(COLLECTIVES),
        work: Work::Kernel { file: "scan.cl", kernel: "scan_collective", options: "-cl-std=CL3.0 -DCOLLECTIVE" },
        ..row(Group::Local, "scan, collective, 4 Mi", ["", "", "scan"], || scan(0))
    },
    row(Group::Local, "exclusive scan by hand, 4 Mi", ["scan.cl", "scan_sweep", "scan_exclusive"], || scan(1)),
    Row {
        needs: Some(COLLECTIVES),
        work: Work::Kernel {
            file: "scan.cl",
            kernel: "scan_collective_exclusive",
            options: "-cl-std=CL3.0 -DCOLLECTIVE",
        },
        ..row(Group::Local, "exclusive scan, collective, 4 Mi", ["", "", "scan_exclusive"], || scan(1))
    },
    row(Group::Local, "bitonic sort of 512, 1 Mi", ["bitonic.cl", "bitonic", "bitonic"], bitonic),
    row(Group::Local, "histogram, local atomics, 8 Mi", ["histogram.cl", "histogram", "histogram"], histogram),
    sub_group("tree reduction, sub-groups, 4 Mi", "sub_group_sum", reduce),
    sub_group("sum by exchange, 4 Mi", "sub_group_butterfly", reduce),
    sub_group("scan, sub-groups, 4 Mi", "sub_group_scan", || scan(0)),
    sub_group("rows of a matrix, 4096 × 1024", "sub_group_rows", matrix_rows),
    sub_group("odd elements, ballot, 4 Mi", "sub_group_odd", odd),
    math("sin", "math_sin", "-DT=float -DFUNCTION(x,y)=sin(x)", || {
        math_case(&FLOAT, [-100.0, 100.0], [0.0, 1.0], |x, _| x.sin())
    }),
    math("cos", "math_cos", "-DT=float -DFUNCTION(x,y)=cos(x)", || {
        math_case(&FLOAT, [-100.0, 100.0], [0.0, 1.0], |x, _| x.cos())
    }),
    math("exp", "math_exp", "-DT=float -DFUNCTION(x,y)=exp(x)", || {
        math_case(&FLOAT, [-20.0, 20.0], [0.0, 1.0], |x, _| x.exp())
    }),
    math("log", "math_log", "-DT=float -DFUNCTION(x,y)=log(x)", || {
        math_case(&FLOAT, [1e-3, 1e6], [0.0, 1.0], |x, _| x.ln())
    }),
    math("pow", "math_pow", "-DT=float -DFUNCTION(x,y)=pow(x,y)", || {
        math_case(&FLOAT, [1e-3, 20.0], [-8.0, 8.0], f64::powf)
    }),
    math("atan", "math_atan", "-DT=float -DFUNCTION(x,y)=atan(x)", || {
        math_case(&FLOAT, [-20.0, 20.0], [0.0, 1.0], |x, _| x.atan())
    }),
    math("atan2", "math_atan2", "-DT=float -DFUNCTION(x,y)=atan2(x,y)", || {
        math_case(&FLOAT, [-9.0, 9.0], [-9.0, 9.0], f64::atan2)
    }),
    math("erf", "math_erf", "-DT=float -DFUNCTION(x,y)=erf(x)", || {
        math_case(&FLOAT, [-4.0, 4.0], [0.0, 1.0], |x, _| wide::erf(x))
    }),
    math("tgamma", "math_tgamma", "-DT=float -DFUNCTION(x,y)=tgamma(x)", || {
        math_case(&FLOAT, [0.5, 30.0], [0.0, 1.0], |x, _| wide::tgamma(x))
    }),
    math_double("sin, double", "math_sin_double", "-DT=double -DFUNCTION(x,y)=sin(x)", || {
        math_case(&DOUBLE, [-100.0, 100.0], [0.0, 1.0], |x, _| x.sin())
    }),
    math_double("exp, double", "math_exp_double", "-DT=double -DFUNCTION(x,y)=exp(x)", || {
        math_case(&DOUBLE, [-20.0, 20.0], [0.0, 1.0], |x, _| x.exp())
    }),
    math_double("pow, double", "math_pow_double", "-DT=double -DFUNCTION(x,y)=pow(x,y)", || {
        math_case(&DOUBLE, [1e-3, 20.0], [-8.0, 8.0], f64::powf)
    }),
    math_double("atan, double", "math_atan_double", "-DT=double -DFUNCTION(x,y)=atan(x)", || {
        math_case(&DOUBLE, [-20.0, 20.0], [0.0, 1.0], |x, _| x.atan())
    }),
    math_double("erf, double", "math_erf_double", "-DT=double -DFUNCTION(x,y)=erf(x)", || {
        math_case(&DOUBLE, [-4.0, 4.0], [0.0, 1.0], |x, _| wide::erf(x))
    }),
    math_half("sin, half", "math_sin_half", "-DT=half -DFUNCTION(x,y)=sin(x)", || {
        math_case(&HALF, [-100.0, 100.0], [0.0, 1.0], |x, _| x.sin())
    }),
    math_half("pow, half", "math_pow_half", "-DT=half -DFUNCTION(x,y)=pow(x,y)", || {
        math_case(&HALF, [0.25, 4.0], [-4.0, 4.0], f64::powf)
    }),
    math_half("atan, half", "math_atan_half", "-DT=half -DFUNCTION(x,y)=atan(x)", || {
        math_case(&HALF, [-20.0, 20.0], [0.0, 1.0], |x, _| x.atan())
    }),
    math_half("erf, half", "math_erf_half", "-DT=half -DFUNCTION(x,y)=erf(x)", || {
        math_case(&HALF, [-4.0, 4.0], [0.0, 1.0], |x, _| wide::erf(x))
    }),
];

/// Functions of the C library that the standard library lacks.
mod wide {
    #![allow(unsafe_code, reason = "calls the C library")]

    mod c {
        unsafe extern "C" {
            pub safe fn erf(x: f64) -> f64;
            pub safe fn tgamma(x: f64) -> f64;
        }
    }

    pub use c::{erf, tgamma};
}

fn saxpy() -> Case {
    const N: usize = 1 << 26;
    let mut random = Random(1);
    let (x, y) = (random.floats(N, [-1.0, 1.0]), random.floats(N, [-1.0, 1.0]));
    Case {
        args: vec![Arg::In(x), Arg::Out(y), float(1.5)],
        range: line(N, 256),
        units: N,
        check: Box::new(|args, out| {
            near(&out[0], 1e-6, |i| 1.5 * f32_at(args[0].bytes(), i) + f32_at(args[1].bytes(), i))
        }),
    }
}

fn saxpy_l1() -> Case {
    const CHUNK: usize = 2048;
    const GROUPS: usize = 64;
    const ROUNDS: usize = 256;
    let mut random = Random(2);
    let (x, y) = (random.floats(CHUNK, [-1.0, 1.0]), random.floats(CHUNK * GROUPS, [-1.0, 1.0]));
    Case {
        args: vec![Arg::In(x), Arg::Out(y), float(0.5), int(ROUNDS)],
        range: line(256 * GROUPS, 256),
        units: GROUPS,
        check: Box::new(|args, out| {
            let want = |i| 0.5 * ROUNDS as f64 * f32_at(args[0].bytes(), i % CHUNK) + f32_at(args[1].bytes(), i);
            near(&out[0], 1e-4, want)
        }),
    }
}

fn copied(args: &[Arg], out: &[Vec<u8>]) -> Result<(), String> {
    same(&out[0], |i| u32_at(args[0].bytes(), i))
}

fn copy4() -> Case {
    Case { range: line(1 << 24, 256), ..copy_buffer() }
}

fn copy_buffer() -> Case {
    const SIZE: usize = 1 << 28;
    Case {
        args: vec![Arg::In(Random(3).words(SIZE / 4)), zeros(SIZE)],
        range: line(1, 1),
        units: SIZE / 65536,
        check: Box::new(copied),
    }
}

fn fill_buffer() -> Case {
    const SIZE: usize = 1 << 28;
    Case {
        args: vec![zeros(SIZE), int(0x1234_5678)],
        range: line(1, 1),
        units: SIZE / 65536,
        check: Box::new(|_, out| same(&out[0], |_| 0x1234_5678)),
    }
}

/// `tile` lines of the result are a unit of the C version.
fn transpose(tile: usize) -> Case {
    const N: usize = 4096;
    Case {
        args: vec![Arg::In(Random(4).words(N * N)), zeros(4 * N * N), int(N)],
        range: plane([N, N], [16, 16]),
        units: N / tile,
        check: Box::new(|args, out| same(&out[0], |i| u32_at(args[0].bytes(), i % N * N + i / N))),
    }
}

const PEAK_ROUNDS: usize = 256;
const PEAK_ITEMS: usize = 1 << 17;

/// What the chains of all starts come to; a work-item adds up eight, each a step after the one before.
fn chains<T: Send>(chain: impl Fn(usize) -> T + Sync + Send) -> Vec<T> {
    (0..PEAK_ITEMS + 8).into_par_iter().map(chain).collect()
}

/// `x = x a + b`, over and over; elements have so many bytes.
fn peak_case(size: usize, [a, b]: [Arg; 2], check: impl Fn(&[u8]) -> Result<(), String> + 'static) -> Case {
    Case {
        args: vec![zeros(size * PEAK_ITEMS), a, b, int(PEAK_ROUNDS)],
        range: line(PEAK_ITEMS, 256),
        units: PEAK_ITEMS / 16,
        check: Box::new(move |_, out| check(&out[0])),
    }
}

fn peak_floating(of: &'static Precision) -> Case {
    let [a, b] = [0.999, 0.5].map(of.put);
    let [factor, summand] = [&a, &b].map(|bytes| (of.get)(bytes));
    peak_case(of.size, [a, b].map(Arg::Value), move |out| {
        let chains = chains(|start| (0..PEAK_ROUNDS).fold(start as f64, |x, _| x * factor + summand));
        all_near(PEAK_ITEMS, [1e-5; 2], |i| of.at(out, i), |i| chains[i..i + 8].iter().sum())
    })
}

fn nbody() -> Case {
    const N: usize = 4096;
    Case {
        args: vec![Arg::In(Random(5).floats(4 * N, [0.0, 1.0])), zeros(16 * N), int(N)],
        range: line(N, 64),
        units: N,
        check: Box::new(|args, out| {
            let bodies = floats(args[0].bytes());
            // Three sums, and the sum of all magnitudes: terms cancel, so the error is relative to that.
            let pull = |own: &[f64]| {
                bodies.chunks(4).fold([0.0; 4], |sum: [f64; 4], body| {
                    let d = [0, 1, 2].map(|k| body[k] - own[k]);
                    let length = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
                    let strength = body[3] / ((length + 1e-3) * (length + 1e-3).sqrt());
                    let [x, y, z] = [0, 1, 2].map(|k| sum[k] + d[k] * strength);
                    [x, y, z, sum[3] + length.sqrt() * strength]
                })
            };
            let pulls: Vec<_> = bodies.par_chunks(4).map(pull).collect();
            let want = |i: usize| if i % 4 == 3 { 0.0 } else { pulls[i / 4][i % 4] / pulls[i / 4][3] };
            all_near(4 * N, [0.0, 1e-5], |i| f32_at(&out[0], i) / pulls[i / 4][3], want)
        }),
    }
}

fn mandelbrot() -> Case {
    const WIDTH: usize = 512;
    const LIMIT: usize = 256;
    let count = |px: usize, py: usize| {
        let step = 2.8f32 / WIDTH as f32;
        let (cx, cy) = (-2.1 + px as f32 * step, -1.4 + py as f32 * step);
        let (mut x, mut y, mut n) = (0f32, 0f32, 0);
        while n < LIMIT as u32 && x * x + y * y <= 4.0 {
            (x, y) = (x * x - y * y + cx, 2.0 * x * y + cy);
            n += 1;
        }
        n
    };
    Case {
        args: vec![zeros(4 * WIDTH * WIDTH), int(WIDTH), int(LIMIT)],
        range: plane([WIDTH, WIDTH], [16, 16]),
        units: WIDTH,
        check: Box::new(move |_, out| {
            // Contraction moves single points of the border.
            let is_wrong = |&i: &usize| u32_at(&out[0], i) != count(i % WIDTH, i / WIDTH);
            let wrong = (0..WIDTH * WIDTH).into_par_iter().filter(is_wrong).count();
            if wrong * 50 < WIDTH * WIDTH { Ok(()) } else { Err(format!("{wrong} points are wrong")) }
        }),
    }
}

fn black_scholes() -> Case {
    const N: usize = 1 << 19;
    const RATE: f32 = 0.02;
    const VOLATILITY: f32 = 0.3;
    let mut random = Random(6);
    let [price, strike, years] = [[5.0, 30.0], [1.0, 100.0], [0.25, 10.0]].map(|range| random.floats(N, range));
    Case {
        args: vec![
            Arg::In(price),
            Arg::In(strike),
            Arg::In(years),
            zeros(4 * N),
            zeros(4 * N),
            float(RATE),
            float(VOLATILITY),
        ],
        range: line(N, 256),
        units: N,
        check: Box::new(|args, out| {
            let value = |i: usize, sign: f64| {
                let [s, x, t] = [0, 1, 2].map(|k| f32_at(args[k].bytes(), i));
                let (rate, volatility) = (f64::from(RATE), f64::from(VOLATILITY));
                let spread = volatility * t.sqrt();
                let d1 = ((s / x).ln() + (rate + 0.5 * volatility * volatility) * t) / spread;
                let normal = |d: f64| 0.5 * (1.0 + wide::erf(d / 2f64.sqrt()));
                sign * (s * normal(sign * d1) - x * (-rate * t).exp() * normal(sign * (d1 - spread)))
            };
            near(&out[0], 1e-4, |i| value(i, 1.0)).and_then(|()| near(&out[1], 1e-4, |i| value(i, -1.0)))
        }),
    }
}

fn gemm() -> Case {
    const N: usize = 512;
    let mut random = Random(7);
    let [a, b] = [(); 2].map(|()| Arg::In(random.floats(N * N, [0.0, 1.0])));
    Case {
        args: vec![a, b, zeros(4 * N * N), int(N)],
        range: plane([N, N], [16, 16]),
        units: N,
        check: Box::new(|args, out| {
            let [a, b] = [0, 1].map(|k| floats(args[k].bytes()));
            let product = |line: &[f64]| {
                let mut sums = vec![0.0; N];
                for (factor, b) in line.iter().zip(b.chunks(N)) {
                    sums.iter_mut().zip(b).for_each(|(sum, b)| *sum += factor * b);
                }
                sums
            };
            let lines: Vec<_> = a.par_chunks(N).map(product).collect();
            near(&out[0], 1e-5, |i| lines[i / N][i % N])
        }),
    }
}

fn convolution() -> Case {
    const N: usize = 1024;
    let mut random = Random(8);
    let (image, weights) = (random.floats(N * N, [0.0, 1.0]), random.floats(25, [-0.2, 0.3]));
    Case {
        args: vec![Arg::In(image), Arg::In(weights), zeros(4 * N * N), int(N), int(N)],
        range: plane([N, N], [16, 16]),
        units: N,
        check: Box::new(|args, out| {
            near(&out[0], 1e-5, |i| {
                let at = |center: usize, off: usize| (center + off).saturating_sub(2).min(N - 1);
                (0..25)
                    .map(|k| {
                        let pixel = at(i / N, k / 5) * N + at(i % N, k % 5);
                        f32_at(args[1].bytes(), k) * f32_at(args[0].bytes(), pixel)
                    })
                    .sum()
            })
        }),
    }
}

fn spmv() -> Case {
    const ROWS: usize = 1 << 17;
    let mut random = Random(9);
    let mut starts = vec![0];
    for row in 0..ROWS {
        starts.push(starts[row] + 4 + random.bits() as usize % 25);
    }
    let mut columns = Vec::new();
    for row in 0..ROWS {
        for _ in starts[row]..starts[row + 1] {
            // A band around the diagonal.
            let column = (row + random.bits() as usize % 8192).saturating_sub(4096).min(ROWS - 1);
            columns.extend_from_slice(&(column as i32).to_le_bytes());
        }
    }
    let starts_bytes = bytes(ROWS + 1, |i| (starts[i] as i32).to_le_bytes());
    let values = random.floats(starts[ROWS], [-1.0, 1.0]);
    let x = random.floats(ROWS, [-1.0, 1.0]);
    Case {
        args: vec![Arg::In(starts_bytes), Arg::In(columns), Arg::In(values), Arg::In(x), zeros(4 * ROWS)],
        range: line(ROWS, 64),
        units: ROWS,
        check: Box::new(|args, out| {
            let [starts, columns, values, x] = [0, 1, 2, 3].map(|k| args[k].bytes());
            near(&out[0], 1e-5, |row| {
                let range = u32_at(starts, row) as usize..u32_at(starts, row + 1) as usize;
                range.map(|i| f32_at(values, i) * f32_at(x, u32_at(columns, i) as usize)).sum()
            })
        }),
    }
}

fn sha256() -> Case {
    const N: usize = 1 << 16;
    let primes: Vec<f64> = (2..312u32).filter(|n| (2..*n).all(|d| n % d != 0)).map(f64::from).collect();
    let fraction = |x: f64| (x.fract() * 2f64.powi(32)) as u32;
    let constants: Vec<u32> = primes.iter().map(|p| fraction(p.cbrt())).collect();
    let start: Vec<u32> = primes.iter().take(8).map(|p| fraction(p.sqrt())).collect();
    let args = vec![
        Arg::In(Random(10).words(16 * N)),
        Arg::In(bytes(64, |i| constants[i].to_le_bytes())),
        Arg::In(bytes(8, |i| start[i].to_le_bytes())),
        zeros(32 * N),
    ];
    let compress = move |block: &[u8]| {
        let mut w: Vec<u32> = (0..16).map(|i| u32_at(block, i)).collect();
        for i in 16..64 {
            let [a, b] = [w[i - 15], w[i - 2]];
            let s0 = a.rotate_right(7) ^ a.rotate_right(18) ^ (a >> 3);
            let s1 = b.rotate_right(17) ^ b.rotate_right(19) ^ (b >> 10);
            w.push(w[i - 16].wrapping_add(s0).wrapping_add(w[i - 7]).wrapping_add(s1));
        }
        let mut v = start.clone();
        for (w, k) in w.iter().zip(&constants) {
            let [a, b, c, e, f, g] = [v[0], v[1], v[2], v[4], v[5], v[6]];
            let s1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
            let s0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
            let t1 = [s1, (e & f) ^ (!e & g), *k, *w].into_iter().fold(v[7], u32::wrapping_add);
            v.rotate_right(1);
            v[4] = v[4].wrapping_add(t1);
            v[0] = t1.wrapping_add(s0).wrapping_add((a & b) ^ (a & c) ^ (b & c));
        }
        v.iter().zip(&start).map(|(v, start)| v.wrapping_add(*start)).collect::<Vec<_>>()
    };
    let check = move |args: &[Arg], out: &[Vec<u8>]| {
        let hashes: Vec<_> = args[0].bytes().par_chunks(64).map(&compress).collect();
        same(&out[0], |i| hashes[i / 8][i % 8])
    };
    Case { args, range: line(N, 64), units: N, check: Box::new(check) }
}

fn image() -> Case {
    const N: usize = 1024;
    const SCALE: f32 = 0.83;
    let bytes = Random(11).words(N * N);
    Case {
        args: vec![Arg::Image { size: [N, N], bytes }, zeros(16 * N * N), float(SCALE)],
        range: plane([N, N], [16, 16]),
        units: N,
        check: Box::new(|args, out| {
            // Hardware and drivers may filter with eight bits of fraction.
            near(&out[0], 1.0 / 128.0, |at| {
                let (channel, x, y) = (at % 4, at / 4 % N, at / 4 / N);
                let [u, v] = [x, y].map(|p| f64::from(p as f32 * SCALE) - 0.5);
                let texel = |x: f64, y: f64| {
                    let [x, y] = [x, y].map(|p| p.clamp(0.0, N as f64 - 1.0) as usize);
                    f64::from(args[0].bytes()[4 * (y * N + x) + channel]) / 255.0
                };
                let (x, y, tx, ty) = (u.floor(), v.floor(), u - u.floor(), v - v.floor());
                (1.0 - ty) * ((1.0 - tx) * texel(x, y) + tx * texel(x + 1.0, y))
                    + ty * ((1.0 - tx) * texel(x, y + 1.0) + tx * texel(x + 1.0, y + 1.0))
            })
        }),
    }
}

fn half_scale() -> Case {
    const N: usize = 1 << 20;
    let mut random = Random(12);
    let halfs = bytes(N, |_| half::f16::from_f32(random.float([-100.0, 100.0])).to_le_bytes());
    Case {
        args: vec![Arg::In(halfs), zeros(2 * N), float(1.5)],
        range: line(N, 256),
        units: N,
        check: Box::new(|args, out| {
            let half_at = |bytes: &[u8], i: usize| half::f16::from_le_bytes([bytes[2 * i], bytes[2 * i + 1]]).to_f32();
            let wrong = (0..N).find(|&i| {
                let exact = 1.5 * half_at(args[0].bytes(), i) + 1.0;
                half_at(&out[0], i) != half::f16::from_f32(exact).to_f32()
            });
            wrong.map_or(Ok(()), |i| Err(format!("element {i} is wrong")))
        }),
    }
}

fn reduce() -> Case {
    const N: usize = 1 << 22;
    Case {
        args: vec![Arg::In(Random(13).floats(N, [-1.0, 1.0])), zeros(4 * N / 256)],
        range: line(N, 256),
        units: N / 256,
        check: Box::new(|args, out| {
            near(&out[0], 1e-4, |group| (0..256).map(|i| f32_at(args[0].bytes(), 256 * group + i)).sum())
        }),
    }
}

/// Prefix sums of each group, without the element itself if `left_out` is 1.
fn scan(left_out: usize) -> Case {
    const N: usize = 1 << 22;
    Case {
        args: vec![Arg::In(Random(14).words(N)), zeros(4 * N)],
        range: line(N, 256),
        units: N / 256,
        check: Box::new(move |args, out| {
            let values = words(args[0].bytes());
            let sums = values.par_chunks(256).flat_map_iter(|group| {
                group.iter().scan(0u32, |sum, value| {
                    let before = *sum;
                    *sum = sum.wrapping_add(*value);
                    Some([*sum, before][left_out])
                })
            });
            let sums: Vec<_> = sums.collect();
            same(&out[0], |i| sums[i])
        }),
    }
}

fn matrix_rows() -> Case {
    const ROWS: usize = 4096;
    const COLUMNS: usize = 1024;
    let mut random = Random(20);
    Case {
        args: vec![
            Arg::In(random.floats(ROWS * COLUMNS, [-1.0, 1.0])),
            Arg::In(random.floats(COLUMNS, [-1.0, 1.0])),
            zeros(4 * ROWS),
        ],
        range: line(64 * 256, 256),
        units: ROWS,
        check: Box::new(|args, out| {
            let [matrix, vector] = [0, 1].map(|k| args[k].bytes());
            near(&out[0], 1e-3, |row| (0..COLUMNS).map(|k| f32_at(matrix, row * COLUMNS + k) * f32_at(vector, k)).sum())
        }),
    }
}

/// How many elements before each one of its group are odd.
fn odd() -> Case {
    const N: usize = 1 << 22;
    Case {
        args: vec![Arg::In(Random(21).words(N)), zeros(4 * N)],
        range: line(N, 256),
        units: N / 256,
        check: Box::new(|args, out| {
            let values = words(args[0].bytes());
            let counts = values.par_chunks(256).flat_map_iter(|group| {
                group.iter().scan(0u32, |count, value| {
                    let before = *count;
                    *count += value & 1;
                    Some(before)
                })
            });
            let counts: Vec<_> = counts.collect();
            same(&out[0], |i| counts[i])
        }),
    }
}

fn bitonic() -> Case {
    const N: usize = 1 << 20;
    Case {
        args: vec![Arg::In(Random(15).words(N)), zeros(4 * N)],
        range: line(N / 2, 256),
        units: N / 512,
        check: Box::new(|args, out| {
            let mut want = words(args[0].bytes());
            want.par_chunks_mut(512).for_each(<[u32]>::sort_unstable);
            same(&out[0], |i| want[i])
        }),
    }
}

fn histogram() -> Case {
    const N: usize = 1 << 23;
    Case {
        args: vec![Arg::In(Random(16).words(N)), zeros(4 * 256)],
        range: line(N / 32, 256),
        units: N / 8192,
        check: Box::new(|args, out| {
            let mut want = [0u32; 256];
            (0..N).for_each(|i| want[u32_at(args[0].bytes(), i) as usize & 255] += 1);
            same(&out[0], |i| want[i])
        }),
    }
}

/// A type of built-in functions.
struct Precision {
    size: usize,
    put: fn(f64) -> Vec<u8>,
    get: fn(&[u8]) -> f64,
    /// The widest bound of the specification for the functions here, relative to a result or to 1.
    error: f64,
}

impl Precision {
    /// Element `i` of some bytes.
    fn at(&self, bytes: &[u8], i: usize) -> f64 {
        (self.get)(&bytes[i * self.size..][..self.size])
    }
}

const FLOAT: Precision = Precision {
    size: 4,
    put: |x| (x as f32).to_le_bytes().into(),
    get: |bytes| f32_at(bytes, 0),
    error: 16.0 / (1u64 << 23) as f64,
};
const DOUBLE: Precision = Precision {
    size: 8,
    put: |x| x.to_le_bytes().into(),
    get: |bytes| f64::from_le_bytes(bytes.try_into().expect("eight bytes")),
    error: 16.0 / (1u64 << 52) as f64,
};
const HALF: Precision = Precision {
    size: 2,
    put: |x| half::f16::from_f64(x).to_le_bytes().into(),
    get: |bytes| half::f16::from_le_bytes([bytes[0], bytes[1]]).into(),
    error: 5.0 / (1u64 << 10) as f64,
};

fn math_case(of: &'static Precision, x: [f32; 2], y: [f32; 2], want: fn(f64, f64) -> f64) -> Case {
    const N: usize = 1 << 20;
    let mut random = Random(17);
    let [xs, ys] = [x, y].map(|range| Arg::In((0..N).flat_map(|_| (of.put)(random.float(range).into())).collect()));
    Case {
        args: vec![xs, ys, zeros(of.size * N)],
        range: line(N, 256),
        units: N,
        check: Box::new(move |args, out| {
            let want = |i| want(of.at(args[0].bytes(), i), of.at(args[1].bytes(), i));
            all_near(N, [of.error; 2], |i| of.at(&out[0], i), want)
        }),
    }
}
