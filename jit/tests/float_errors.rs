//! Every float through every math function of one argument, against the host's double functions. A run by hand:
//! `cargo test --release -p clift-jit --test float_errors -- --ignored --nocapture` takes minutes for a function.
//! `FLOAT_FUNCTIONS=exp,log` picks functions, `FLOAT_STEP=n` takes every n-th bit pattern. The worst errors go to
//! `float_errors.txt` beside the specification's limits ("Relative Error as ULPs"); that table is checked always.
#![cfg(target_arch = "x86_64")]
#![allow(unsafe_code, reason = "calls the host's math library and generated code")]

#[path = "support/kernel.rs"]
mod kernel;
#[path = "support/reference_math.rs"]
mod reference_math;

use kernel::{Buffer, Program};
use reference_math::{UNARY, Unary, float_ulps};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// What the specification allows in ulp, full profile. `INFINITY` where it allows anything.
const SPECIFIED: &[(&str, f64)] = &[
    ("acos", 4.0),
    ("acosh", 4.0),
    ("acospi", 5.0),
    ("asin", 4.0),
    ("asinh", 4.0),
    ("asinpi", 5.0),
    ("atan", 5.0),
    ("atanh", 5.0),
    ("atanpi", 5.0),
    ("cbrt", 2.0),
    ("ceil", 0.0),
    ("cos", 4.0),
    ("cosh", 4.0),
    ("cospi", 4.0),
    ("degrees", 2.0),
    ("erf", 16.0),
    ("erfc", 16.0),
    ("exp", 3.0),
    ("exp2", 3.0),
    ("exp10", 3.0),
    ("expm1", 3.0),
    ("fabs", 0.0),
    ("floor", 0.0),
    ("log", 3.0),
    ("log10", 3.0),
    ("log1p", 2.0),
    ("log2", 3.0),
    ("logb", 0.0),
    ("radians", 2.0),
    ("rint", 0.0),
    ("round", 0.0),
    ("rsqrt", 2.0),
    ("sign", 0.0),
    ("sin", 4.0),
    ("sinh", 4.0),
    ("sinpi", 4.0),
    ("sqrt", 3.0),
    ("tan", 5.0),
    ("tanh", 5.0),
    ("tanpi", 6.0),
    ("tgamma", 16.0),
    ("trunc", 0.0),
];

/// What a function was found to do wrong at most.
#[derive(Clone, Copy)]
struct Worst {
    /// 0.5 if every result was the nearest float.
    ulps: f64,
    at: u32,
    /// How many arguments were tried.
    tried: u64,
}

fn table() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/float_errors.txt")
}

fn specified(name: &str) -> f64 {
    SPECIFIED.iter().find(|(n, _)| *n == name).map(|(_, limit)| *limit).expect("the table has every function")
}

fn read() -> BTreeMap<String, Worst> {
    let text = std::fs::read_to_string(table()).unwrap_or_default();
    let row = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let at = u32::from_str_radix(words[3].trim_start_matches("0x"), 16).expect("bits");
        let worst = Worst { ulps: words[2].parse().expect("a number"), at, tried: words[4].parse().expect("a number") };
        (words[0].to_owned(), worst)
    };
    text.lines().filter(|line| !line.starts_with('#')).map(row).collect()
}

fn write(rows: &BTreeMap<String, Worst>) {
    let mut text = String::from(
        "# Worst errors of float functions: function, the specification's limit and the error found in ulp (0.500: always the\n\
         # nearest float; 0.000: exact), the argument's bits, how many of the 4294967296 arguments were tried.\n",
    );
    for (name, worst) in rows {
        let limit = specified(name);
        text += &format!("{name:10} {limit:3} {:.3} {:#010x} {}\n", worst.ulps, worst.at, worst.tried);
    }
    std::fs::write(table(), text).expect("the table can be written");
}

fn measure(function: &Unary, step: usize) -> Worst {
    const CHUNK: u64 = 1 << 20;
    let name = function.name;
    let source = format!(
        "kernel void k(global float16 *o, global const float16 *a) {{ size_t i = get_global_id(0); o[i] = {name}(a[i]); }}"
    );
    let program = Program::new(&source);
    let mut worst = Worst { ulps: if function.exact { 0.0 } else { 0.5 }, at: 0, tried: 0 };
    let all: Vec<u64> = (0..1 << 32).step_by(step * CHUNK as usize).collect();
    for start in all {
        let args: Vec<u32> = (0..CHUNK).map(|n| start + n * step as u64).map_while(|x| u32::try_from(x).ok()).collect();
        let mut input = Buffer::new(&args.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<_>>());
        let mut out = Buffer::zeroed(4 * args.len().next_multiple_of(16));
        program.run("k", args.len().div_ceil(16) as u64, &mut [&mut out, &mut input]);
        for (&bits, got) in args.iter().zip(out.words()) {
            let (got, want) = (f32::from_bits(got), (function.of)(f64::from(f32::from_bits(bits))));
            if got.to_bits() == (want as f32).to_bits() {
                continue;
            }
            let error = float_ulps(got, want);
            if error > worst.ulps {
                (worst.ulps, worst.at) = (error, bits);
            }
        }
        worst.tried += args.len() as u64;
    }
    worst
}

#[test]
#[ignore = "minutes for a function"]
fn every_float() {
    let step = std::env::var("FLOAT_STEP").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    let wanted = std::env::var("FLOAT_FUNCTIONS").unwrap_or_default();
    let mut rows = read();
    for function in UNARY.iter().filter(|f| wanted.is_empty() || wanted.split(',').any(|name| name == f.name)) {
        let worst = measure(function, step);
        println!("{:10} {:.3} ulp at {:#010x}", function.name, worst.ulps, worst.at);
        // A sample does not replace what every argument showed.
        if rows.get(function.name).is_none_or(|old| old.tried <= worst.tried) {
            rows.insert(function.name.into(), worst);
            write(&rows);
        }
    }
    check(&rows);
}

#[test]
fn the_table_is_within_the_limits() {
    let rows = read();
    assert_eq!(rows.len(), UNARY.len(), "every function has a row");
    check(&rows);
}

fn check(rows: &BTreeMap<String, Worst>) {
    for (name, worst) in rows {
        assert!(worst.ulps <= specified(name), "{name}: {} ulp at {:#010x}", worst.ulps, worst.at);
    }
}
