//! `-clift-correctly-rounded`: results of the functions that have such a form are the nearest floats, bit by bit.
//!
//! The reference is the host's double function, which is less than 2^-49 off: where that does not tell to which float a
//! result is rounded, `correctly_rounded.txt` has the result, computed with MPFR. `hypot` and powers that are halfway
//! between two floats have integers as their reference. Kernels run in groups, hence in lanes where the machine has
//! them; all vector widths give the bits of the scalar.
//!
//! Every float, by hand, a minute or two for a function:
//! `FLOAT_FUNCTIONS=exp,log cargo test --release -p clift-jit --test correctly_rounded -- --ignored --nocapture`.
//! Arguments whose result the table lacks are printed, and fail the run.
#![allow(unsafe_code, reason = "calls the host's math library and generated code")]

#[path = "support/kernel.rs"]
mod kernel;
#[path = "support/reference_math.rs"]
mod reference_math;
#[path = "support/rng.rs"]
mod rng;

use clift_jit::SpecKey;
use kernel::{Buffer, Program};
use reference_math::exp10;
use rng::Rng;
use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// A function of one argument, and the host's for doubles.
type Unary = (&'static str, fn(f64) -> f64);

const UNARY: &[Unary] = &[
    ("acos", f64::acos),
    ("asin", f64::asin),
    ("atan", f64::atan),
    ("cbrt", f64::cbrt),
    ("cos", f64::cos),
    ("exp", f64::exp),
    ("exp10", |x| exp10(x)),
    ("exp2", f64::exp2),
    ("log", f64::ln),
    ("log10", f64::log10),
    ("log2", f64::log2),
    ("sin", f64::sin),
    ("tan", f64::tan),
];

const OPTIONS: &str = "-cl-std=CL3.0 -clift-correctly-rounded";
const WIDTHS: [usize; 6] = [1, 2, 3, 4, 8, 16];

/// Work-items of a launch at most, and of a group.
const ITEMS: usize = 1 << 20;
const GROUP: usize = 256;

/// Results that the host's function does not tell, by function and arguments.
type Table = HashMap<(String, [u32; 2]), u32>;

fn table() -> Table {
    let bits = |word: &str| u32::from_str_radix(word.trim_start_matches("0x"), 16).expect("bits");
    let row = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let second = if words.len() == 4 { bits(words[2]) } else { 0 };
        ((words[0].to_owned(), [bits(words[1]), second]), bits(words[words.len() - 1]))
    };
    include_str!("correctly_rounded.txt").lines().filter(|line| !line.starts_with('#')).map(row).collect()
}

/// The float nearest to what a double less than 2^-49 off stands for, if that tells.
fn nearest(double: f64) -> Option<f32> {
    let [below, above] = [1.0 - 2f64.powi(-49), 1.0 + 2f64.powi(-49)].map(|factor| (double * factor) as f32);
    (below.to_bits() == above.to_bits() || double.is_nan()).then_some(below)
}

fn is_same(got: u32, want: f32) -> bool {
    got == want.to_bits() || (want.is_nan() && f32::from_bits(got).is_nan())
}

/// `of` on arguments that lie `step[1]` apart, from `step[0]` on.
fn unary_program(name: &str) -> Program {
    let source = format!(
        "kernel void every(global float *out, global const uint *step) {{
            size_t i = get_global_id(0);
            out[i] = {name}(as_float(step[0] + (uint)i * step[1]));
        }}"
    );
    Program::with_options(&source, OPTIONS)
}

fn run(program: &Program, kernel: &str, items: usize, args: &[&Buffer]) {
    let key = SpecKey { small_ids: true, ..SpecKey::default() };
    let addresses: Vec<u64> = args.iter().map(|buffer| buffer.address()).collect();
    program.run_as(kernel, key, [items.div_ceil(GROUP) as u64, items.min(GROUP) as u64], &addresses);
}

fn uints(values: &[u32]) -> Buffer {
    Buffer::new(&values.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<_>>())
}

/// Holds every `step`-th float against the reference; how many the table had to tell, and what is wrong or unknown.
fn check_unary(name: &str, of: fn(f64) -> f64, step: u32, table: &Table) -> (u64, Vec<String>) {
    let program = unary_program(name);
    let (next, found) = (AtomicU64::new(0), Mutex::new((0, Vec::new())));
    let len = (ITEMS as u64 * u64::from(step)).min(1 << 31);
    let part = |first: u64| {
        let items = len.div_ceil(u64::from(step)) as usize;
        let out = Buffer::zeroed(4 * items.next_multiple_of(GROUP));
        run(&program, "every", items, &[&out, &uints(&[first as u32, step])]);
        for (bits, &got) in (first..first + len).step_by(step as usize).map(|bits| bits as u32).zip(out.as_words()) {
            let want = match nearest(of(f64::from(f32::from_bits(bits)))) {
                Some(want) if is_same(got, want) => continue,
                None => table.get(&(name.to_owned(), [bits, 0])).map(|&bits| f32::from_bits(bits)),
                want => want,
            };
            let (known, wrong) = &mut *found.lock().expect("nobody panicked");
            *known += u64::from(want.is_some());
            if !want.is_some_and(|want| is_same(got, want)) {
                wrong.push(format!("{name} {bits:#010x} is {got:#010x}, not {want:?}"));
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let first = next.fetch_add(len, Ordering::Relaxed);
                    if first >= 1 << 32 {
                        break;
                    }
                    part(first);
                }
            });
        }
    });
    found.into_inner().expect("nobody panicked")
}

/// Results of a function of one or two arguments at all widths, which must agree.
fn results(name: &str, columns: &[Vec<u32>]) -> Vec<u32> {
    let len = columns[0].len().next_multiple_of(48 * GROUP);
    let params: String = ["a", "b"][..columns.len()].iter().map(|x| format!(", global const float *{x}")).collect();
    let mut source = String::new();
    for width in WIDTHS {
        let load = |x: &str| if width == 1 { format!("{x}[i]") } else { format!("vload{width}(i, {x})") };
        let args = ["a", "b"][..columns.len()].iter().map(|x| load(x)).collect::<Vec<_>>().join(", ");
        let call = format!("{name}({args})");
        let store = if width == 1 { format!("o[i] = {call}") } else { format!("vstore{width}({call}, i, o)") };
        source +=
            &format!("kernel void k{width}(global float *o{params}) {{ size_t i = get_global_id(0); {store}; }}\n");
    }
    let program = Program::with_options(&source, OPTIONS);
    let inputs: Vec<Buffer> = columns
        .iter()
        .map(|column| {
            let mut column = column.clone();
            column.resize(len, 0);
            uints(&column)
        })
        .collect();
    let all = WIDTHS.map(|width| {
        let out = Buffer::zeroed(4 * len);
        let args: Vec<&Buffer> = std::iter::once(&out).chain(&inputs).collect();
        run(&program, &format!("k{width}"), len / width, &args);
        out.words()
    });
    for (width, words) in WIDTHS.iter().zip(&all) {
        assert!(*words == all[0], "{name} of {width}");
    }
    let [mut first, ..] = all;
    first.truncate(columns[0].len());
    first
}

/// Zeros, ones, subnormals, ends of ranges, infinities, NaN, of both signs, with their neighbours.
fn edges() -> Vec<u32> {
    let bounds = [87.0, 88.8, 89.0, 104.0, 126.0, 128.0, 149.0, 150.0, 37.0, 38.6, 45.0, 0.5, 2.5, 33554432.0f32];
    let whole = (1..=20).map(|n| n as f32).chain((1..=10).map(|n| 10f32.powi(n))).chain(bounds).map(f32::to_bits);
    let bits = (0..255).map(|n| n << 23).chain([1, 0x007f_ffff, 0x7f7f_ffff, 0x7f80_0000, 0x7fc0_0000]).chain(whole);
    let near = bits.flat_map(|bits| [bits.saturating_sub(1), bits, bits + 1]);
    near.flat_map(|bits| [bits, bits | 1 << 31]).collect()
}

#[test]
fn a_sample_and_all_hard_cases_of_one_argument() {
    let table = table();
    for &(name, of) in UNARY {
        let (_, wrong) = check_unary(name, of, 2003, &table);
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        let mut args = edges();
        args.extend(table.keys().filter(|(function, _)| function == name).map(|(_, args)| args[0]));
        for (&bits, got) in args.iter().zip(results(name, std::slice::from_ref(&args))) {
            let told = || f32::from_bits(table[&(name.to_owned(), [bits, 0])]);
            let want = nearest(of(f64::from(f32::from_bits(bits)))).unwrap_or_else(told);
            assert!(is_same(got, want), "{name} {bits:#010x} is {got:#010x}, not {want:e}");
        }
    }
}

#[test]
#[ignore = "a minute or two for a function"]
fn every_float() {
    let wanted = std::env::var("FLOAT_FUNCTIONS").unwrap_or_default();
    let table = table();
    let mut all = 0;
    for &(name, of) in UNARY.iter().filter(|f| wanted.is_empty() || wanted.split(',').any(|name| name == f.0)) {
        let start = Instant::now();
        let (known, wrong) = check_unary(name, of, 1, &table);
        println!("{name}: {} of 2^32 wrong, {known} by the table, {:.0?}", wrong.len(), start.elapsed());
        wrong.iter().for_each(|line| println!("{line}"));
        all += wrong.len();
    }
    assert!(all == 0, "{all} wrong");
}

/// The float nearest to m 2^e, of two equally near ones the even one, in integers.
fn round(m: u128, e: i32, is_inexact: bool) -> f32 {
    if m == 0 {
        return 0.0;
    }
    // Bits that go: all but 24, more for subnormal results.
    let drop = (128 - m.leading_zeros() as i32 - 24).max(-149 - e);
    let mantissa = match drop {
        ..=0 => m << -drop,
        1..=127 => {
            let (kept, rest, half) = (m >> drop, m & ((1 << drop) - 1), 1 << (drop - 1));
            let is_above = rest > half || (rest == half && (is_inexact || kept & 1 == 1));
            kept + u128::from(is_above)
        }
        _ => 0,
    };
    // A product with a power of two that is exact, or infinite.
    (mantissa as f64 * 2f64.powi(e + drop)) as f32
}

/// The whole number and the exponent that a positive float is made of.
fn parts(x: f32) -> (u128, i32) {
    let bits = x.to_bits();
    let (exponent, fraction) = ((bits >> 23) as i32, u128::from(bits & 0x007f_ffff));
    if exponent == 0 { (fraction, -149) } else { (fraction | 1 << 23, exponent - 150) }
}

/// Hypotenuse in integers.
fn hypot(x: f32, y: f32) -> f32 {
    let (x, y) = (x.abs(), y.abs());
    if x.is_infinite() || y.is_infinite() {
        return f32::INFINITY;
    }
    if x.is_nan() || y.is_nan() {
        return f32::NAN;
    }
    let ((large, e), (small, e_small)) = (parts(x.max(y)), parts(x.min(y)));
    if small == 0 || e - e_small > 30 {
        return x.max(y);
    }
    let e = e_small.min(e);
    let [large, small] = [(large, parts(x.max(y)).1), (small, e_small)].map(|(m, of)| m << (of - e));
    // Four more bits, so that a half of the last one counts for subnormal results as well.
    let square = (large * large + small * small) << 8;
    let root = square.isqrt();
    // A rest is above all bits that are there, so below the half of none.
    let is_inexact = root * root != square;
    round(root, e - 4, is_inexact)
}

fn pairs_near(table: &Table, name: &str) -> Vec<[u32; 2]> {
    table.keys().filter(|(function, _)| function == name).map(|(_, args)| *args).collect()
}

/// Every edge beside every other.
fn edge_pairs() -> Vec<[u32; 2]> {
    let edges: Vec<u32> = edges().into_iter().step_by(5).collect();
    edges.iter().flat_map(|&x| edges.iter().map(move |&y| [x, y])).collect()
}

fn check_pairs(name: &str, pairs: &[[u32; 2]], reference: impl Fn(f32, f32) -> Option<f32>) {
    let columns = [0, 1].map(|n| pairs.iter().map(|pair| pair[n]).collect::<Vec<u32>>());
    let mut known = 0;
    for (&[x, y], got) in pairs.iter().zip(results(name, &columns)) {
        if let Some(want) = reference(f32::from_bits(x), f32::from_bits(y)) {
            known += 1;
            assert!(is_same(got, want), "{name} {x:#010x} {y:#010x} is {got:#010x}, not {want:e}");
        }
    }
    assert!(known >= pairs.len() - pairs.len() / 100_000 - 1, "{name}: {known} of {} are known", pairs.len());
}

#[test]
fn hypotenuses() {
    let mut pairs = edge_pairs();
    let mut rng = Rng(0x9e37_79b9_7f4a_7c15);
    for n in 0..1 << 20 {
        let [x, y] = [rng.next() as u32, rng.next() as u32];
        // Of all sizes; of sizes that both count; subnormal.
        pairs.push(match n % 3 {
            0 => [x, y],
            1 => [x, (x & 0x7f80_0000).wrapping_add((y & 0x03ff_ffff).wrapping_sub(0x01ff_ffff)) & 0x7fff_ffff],
            _ => [x & 0x01ff_ffff, y & 0x01ff_ffff],
        });
    }
    // Right triangles of whole sides, the longest of 25 bits: their hypotenuse is halfway between two floats.
    let mut ties = 0;
    for p in (4096..5792u64).step_by(3) {
        for q in (1..p).step_by(7) {
            let (x, y, z) = (p * p - q * q, 2 * p * q, p * p + q * q);
            if z >> 24 == 1 && z & 1 == 1 && x.max(y) < 1 << 24 {
                ties += 1;
                pairs.push([x as f32, y as f32].map(f32::to_bits));
                pairs.push([x as f32 * 2f32.powi(-120), y as f32 * 2f32.powi(-120)].map(f32::to_bits));
            }
        }
    }
    assert!(ties > 1000, "{ties} ties");
    check_pairs("hypot", &pairs, |x, y| Some(hypot(x, y)));
}

/// Powers that are halfway between two floats, and their neighbours' results, in integers.
fn exact_powers() -> Vec<([u32; 2], f32)> {
    let mut all = Vec::new();
    for y in 2..=31u32 {
        for m in (1..1u128 << 24).step_by(2).take_while(|m| m.checked_pow(y).is_some_and(|power| power < 1 << 26)) {
            let power = m.pow(y);
            // A power with a scale, subnormal ones too; its root of 2^k.
            for e in [0, 1, -1, -140 / y as i32, -149 / y as i32, -150 / y as i32, 100 / y as i32] {
                let base = m as f64 * 2f64.powi(e);
                if f64::from(base as f32) == base {
                    all.push(([(base as f32).to_bits(), (y as f32).to_bits()], round(power, e * y as i32, false)));
                }
                let root = y.trailing_zeros().min(4);
                let (x, part) = (m.checked_pow(1 << root), y as f32 / f32::powi(2.0, root as i32));
                if let Some(x) = x.filter(|&x| root > 0 && x < 1 << 24) {
                    all.push(([(x as f32).to_bits(), part.to_bits()], round(power, 0, false)));
                }
            }
        }
    }
    for n in -155i32..=129 {
        all.push(([2f32.to_bits(), (n as f32).to_bits()], round(1, n, false)));
    }
    all
}

#[test]
fn powers() {
    let (table, exact) = (table(), exact_powers());
    let mut pairs = edge_pairs();
    pairs.extend(exact.iter().map(|(pair, _)| pair));
    pairs.extend(pairs_near(&table, "pow"));
    let mut rng = Rng(0x9e37_79b9_7f4a_7c15);
    for n in 0..1 << 20 {
        let x = f32::from_bits(rng.next() as u32);
        let unit = (rng.next() >> 10) as f64 / 2f64.powi(53) - 1.0;
        let x = if n % 4 == 0 { 1.0 + unit as f32 / 4.0 } else { x };
        // Exponents with powers that are numbers, subnormal ones among them.
        let most = 155.0 / f64::from(x.abs()).log2().abs();
        pairs.push([x.to_bits(), ((most * unit) as f32).to_bits()]);
        pairs.push([x.abs().to_bits(), ((rng.next() % 64) as f32 / 4.0 - 8.0).to_bits()]);
    }
    let exact: HashMap<[u32; 2], f32> = exact.into_iter().collect();
    assert!(exact.len() > 1000, "{} exact powers", exact.len());
    check_pairs("pow", &pairs, |x, y| {
        let pair = [x.to_bits(), y.to_bits()];
        let told = || table.get(&("pow".to_owned(), pair)).map(|&bits| f32::from_bits(bits));
        let power = f64::from(x).powf(f64::from(y));
        exact.get(&pair).copied().or_else(|| nearest(power)).or_else(told)
    });
}

/// Seconds that this thread has run for.
fn processor_time() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a live structure of the right type.
    assert_eq!(unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) }, 0);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// What the option costs: nanoseconds of a result without and with it, and the ratio, medians of several rounds.
#[test]
#[ignore = "measures times"]
fn times() {
    const CALLS: [(&str, [f32; 2]); 18] = [
        ("acos(x)", [-1.0, 1.0]),
        ("asin(x)", [-1.0, 1.0]),
        ("atan(x)", [-8.0, 8.0]),
        ("cbrt(x)", [-1000.0, 1000.0]),
        ("cos(x)", [-100.0, 100.0]),
        ("cos(x)", [1e8, 1e9]),
        ("exp(x)", [-20.0, 20.0]),
        ("exp10(x)", [-20.0, 20.0]),
        ("exp2(x)", [-20.0, 20.0]),
        ("hypot(x, y)", [-1000.0, 1000.0]),
        ("log(x)", [0.0, 1000.0]),
        ("log10(x)", [0.0, 1000.0]),
        ("log2(x)", [0.0, 1000.0]),
        ("pow(x, y)", [0.0, 10.0]),
        ("sin(x)", [-100.0, 100.0]),
        ("sin(x)", [1e8, 1e9]),
        ("sincos(x, &y)", [-100.0, 100.0]),
        ("tan(x)", [-100.0, 100.0]),
    ];
    const TURNS: u32 = 1000;
    let mut rng = Rng(0x9e37_79b9_7f4a_7c15);
    for (call, [least, most]) in CALLS {
        let source = format!(
            "kernel void k(global float *o, global const float *a, global const uint *turns) {{
                size_t i = get_global_id(0);
                float sum = 0;
                for (uint n = 0; n < 16 * turns[0]; n++) {{
                    float x = a[(n & 15) * 4096 + i], y = a[(n + 5 & 15) * 4096 + i];
                    sum += {call};
                }}
                o[i] = sum;
            }}"
        );
        let mut value = || (least + (most - least) * (rng.next() >> 40) as f32 / 2f32.powi(24)).to_bits();
        let values = uints(&(0..16 * 4096).map(|_| value()).collect::<Vec<_>>());
        let programs = ["-cl-std=CL3.0", OPTIONS].map(|options| Program::with_options(&source, options));
        let out = Buffer::zeroed(4 * 4096);
        let time = |program: &Program, turns: u32| {
            let start = processor_time();
            run(program, "k", 4096, &[&out, &values, &uints(&[turns])]);
            processor_time() - start
        };
        let mut rounds: Vec<[f64; 3]> = Vec::new();
        for _ in 0..7 {
            let [plain, rounded] = [&programs[0], &programs[1]].map(|program| {
                // Compiling is in both.
                (time(program, TURNS) - time(program, 0)) * 1e9 / f64::from(TURNS) / f64::from(16 * 4096)
            });
            rounds.push([plain, rounded, rounded / plain]);
        }
        rounds.sort_by(|a, b| a[2].total_cmp(&b[2]));
        let [plain, rounded, ratio] = rounds[rounds.len() / 2];
        println!("{call:14} {least:6} to {most:6}: {plain:.2} ns, {rounded:.2} ns, {ratio:.2}");
    }
}

/// Both results of `sincos` are those of its parts, and half, double, `native_` and `half_` functions are the same as
/// without the option; it wins over less precision.
#[test]
fn what_the_option_is_about() {
    let source = |call: &str| {
        format!(
            "kernel void k(global double *o, global const float *a) {{
                size_t i = get_global_id(0);
                float x = a[i], c; double d = x; half h = x; (void)d; (void)h; (void)c;
                o[i] = {call};
            }}"
        )
    };
    let args: Vec<f32> = (0..4096).map(|n| n as f32 * 0.37 + 0.1).collect();
    let results = |call: &str, options: &str| {
        let program = Program::with_options(&source(call), &format!("-cl-std=CL3.0 {options}"));
        let out = Buffer::zeroed(8 * args.len());
        run(&program, "k", args.len(), &[&out, &uints(&args.iter().map(|x| x.to_bits()).collect::<Vec<_>>())]);
        out.long_words()
    };
    let rounded = "-clift-correctly-rounded";
    assert_eq!(results("sincos(x, &c)", rounded), results("sin(x)", rounded));
    assert_eq!(results("(sincos(x, &c), c)", rounded), results("cos(x)", rounded));
    for call in ["sin(d)", "exp(h)", "log(h)", "pow(d, 0.3)", "native_sin(x)", "half_exp2(x)", "hypot(h, h)", "sinh(x)"]
    {
        assert_eq!(results(call, rounded), results(call, ""), "{call}");
    }
    for call in ["sin(x)", "cos(x)", "log(x)", "pow(x, 0.3f)"] {
        assert_ne!(results(call, rounded), results(call, ""), "{call}");
        assert_eq!(results(call, rounded), results(call, &format!("-cl-fast-relaxed-math {rounded}")), "{call}");
    }
    assert_eq!(results("pow(x, 3.0f)", rounded), results("pow(x, c = 3.0f)", rounded));
}
