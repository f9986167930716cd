//! Every float through every math function of one argument, a run by hand:
//! `cargo test -p clift-jit --test float_errors -- --ignored --nocapture` takes half a minute to minutes for a
//! function; the debug profile serves, as the time goes into generated code and the host's library.
//! `FLOAT_FUNCTIONS=exp,log` picks some.
//!
//! The reference is our own double function on the same argument (`double`), compared inside the kernel, if the float
//! body goes its own way; every 127th argument and the worst one found also go to the host's double function. Where the
//! float body computes by the double one, whose mistakes it would share, every argument goes to the host's (`host`).
//! The double functions are held against the host's library in `builtin_math.rs`; what a reference is off, a few ulp of
//! double, is some 1e-8 ulp of float. Otherwise float and double share nothing but digits of 2 / pi. Kernels run in
//! groups, hence in lanes where the machine has them.
//!
//! The worst errors go to `float_errors.txt` beside the specification's limits ("Relative Error as ULPs"); that table
//! is checked always. A zero of the wrong sign counts as an infinite error. `sincos` gives the bits of `sin` and `cos`
//! (`builtin_math.rs`); `relaxed_math.rs` has the functions of less precision.
//!
//! `pairs_of_floats` and `every_pair_of_halves` do so for functions of two arguments, on all cores, and print the worst
//! errors and how many results are not the nearest number; of pairs, too, every 127th goes to the host's double
//! function. What our double functions are off is in `hard_cases.txt`: where a body for float computes by the one for
//! double (`atan2pi`), it is that which tells that the result was rounded from the right number.
#![allow(unsafe_code, reason = "calls the host's math library and generated code")]

#[path = "support/kernel.rs"]
mod kernel;
#[path = "support/reference_math.rs"]
mod reference_math;
#[path = "support/sweep.rs"]
mod sweep;

use kernel::{Buffer, Program};
use reference_math::{UNARY, float_ulps, frexp, lgamma_r, logb};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Instant;
use sweep::{Found, ITEMS, PAIRS, PER_ITEM, SAMPLE, error_text, on_all_cores, run, specified, uints, worst_of_pairs};

/// A function under test.
struct Function {
    name: &'static str,
    /// Its value in OpenCL C for the argument `x`, with a `w` of the same type and an int `n` to point to.
    call: String,
    of: fn(f64) -> f64,
    /// Results are exact, not rounded.
    exact: bool,
    /// Every argument goes to the host's function.
    by_host: bool,
}

/// Functions whose float body computes by the double one (or that have none), or means something else in double.
const BY_HOST: &[&str] = &["acospi", "asinpi", "atanpi", "fract", "lgamma", "native_recip"];

/// All functions: those whose value is the call's, and the others.
fn functions() -> Vec<Function> {
    let function = |name, call: &str, of, exact| {
        let by_host = BY_HOST.contains(&name);
        Function { name, call: call.to_owned(), of, exact, by_host }
    };
    let others = [
        function("fract", "fract(x, &w)", fract, false),
        function("frexp", "frexp(x, &n)", |x| frexp(x, &mut 0), true),
        function("ilogb", "ilogb(x)", ilogb, true),
        function("lgamma", "lgamma(x)", |x| lgamma_r(x, &mut 0), false),
        function("modf", "modf(x, &w)", modf, true),
        function("native_recip", "native_recip(x)", f64::recip, false),
    ];
    let unary = UNARY.iter().map(|f| function(f.name, &format!("{}(x)", f.name), f.of, f.exact));
    let mut all: Vec<Function> = unary.chain(others).collect();
    all.sort_by_key(|f| f.name);
    all
}

/// What is left above the next lower integer, below 1 also when rounded.
fn fract(x: f64) -> f64 {
    let rest = if x.is_infinite() { 0.0 } else { x - x.floor() };
    match rest {
        0.0 => 0f64.copysign(x),
        rest if rest < 1.0 - 2f64.powi(-24) => rest,
        rest if rest.is_nan() => rest,
        _ => 1.0 - 2f64.powi(-24),
    }
}

fn modf(x: f64) -> f64 {
    if x.is_infinite() { 0f64.copysign(x) } else { x.fract().copysign(x) }
}

/// The exponent; what stands for those of 0, infinity and NaN is the next float.
fn ilogb(x: f64) -> f64 {
    match x {
        0.0 => f64::from(i32::MIN),
        x if x.is_finite() => logb(x),
        _ => f64::from(i32::MAX),
    }
}

/// What a function was found to do wrong at most.
#[derive(Clone, Copy)]
struct Worst {
    /// 0.5 if every result was the nearest float.
    ulps: f64,
    at: u32,
}

impl Worst {
    fn none(function: &Function) -> Self {
        Self { ulps: if function.exact { 0.0 } else { 0.5 }, at: 0 }
    }

    /// The worse one; of equal ones the one with the lower argument.
    fn or(self, other: Self) -> Self {
        let is_worse = other.ulps > self.ulps || (other.ulps == self.ulps && other.at < self.at);
        if is_worse { other } else { self }
    }
}

fn table() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/float_errors.txt")
}

fn read() -> BTreeMap<String, Worst> {
    let text = std::fs::read_to_string(table()).unwrap_or_default();
    let row = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let at = u32::from_str_radix(words[3].trim_start_matches("0x"), 16).expect("bits");
        (words[0].to_owned(), Worst { ulps: words[2].parse().expect("a number"), at })
    };
    text.lines().filter(|line| !line.starts_with('#')).map(row).collect()
}

fn write(rows: &BTreeMap<String, Worst>) {
    let mut text = String::from(
        "# Worst errors of float functions over all arguments: function, the specification's limit and the error found \
         in ulp\n# (0.500: always the nearest float; 0.000: exact), the argument's bits, what every argument was held \
         against.\n",
    );
    for function in functions() {
        if let Some(worst) = rows.get(function.name) {
            let (name, limit) = (function.name, specified(function.name));
            let reference = if function.by_host { "host" } else { "double" };
            text += &format!("{name:12} {limit:3} {:.3} {:#010x} {reference}\n", worst.ulps, worst.at);
        }
    }
    std::fs::write(table(), text).expect("the table can be written");
}

/// `values` writes a float result per work-item; `compare` finds the worst of `PER_ITEM` arguments against double.
fn program(function: &Function) -> Program {
    let (call, error) = (&function.call, error_text("float"));
    let compare = format!(
        "static double wide(double x) {{ double w; int n; return {call}; }}
        kernel void compare(global double *worst, global uint *at, global const uint *first) {{
            double most = 0.0;
            uint where = 0;
            for (uint n = 0; n < {PER_ITEM}; n++) {{
                uint bits = first[0] + n * {ITEMS} + (uint)get_global_id(0);
                float y = single(as_float(bits));
                double want = wide(as_float(bits));
                {error}
                where = error > most ? bits : where;
                most = fmax(error, most);
            }}
            worst[get_global_id(0)] = most;
            at[get_global_id(0)] = where;
        }}"
    );
    Program::new(&format!(
        "static float single(float x) {{ float w; int n; return {call}; }}
        kernel void values(global float *out, global const uint *first_step) {{
            size_t i = get_global_id(0);
            out[i] = single(as_float(first_step[0] + (uint)i * first_step[1]));
        }}
        {}",
        if function.by_host { "" } else { &compare }
    ))
}

/// Every `step`-th argument against the host's function.
fn against_host(function: &Function, program: &Program, step: u64) -> Worst {
    let part = |first: u64| {
        let out = Buffer::zeroed(4 * ITEMS as usize);
        run(program, "values", ITEMS, &[&out, &uints(&[first as u32, step as u32])]);
        let mut worst = Worst::none(function);
        let args = (first..1 << 32).step_by(step as usize).map(|bits| bits as u32);
        for (bits, &got) in args.zip(out.as_words()) {
            let want = (function.of)(f64::from(f32::from_bits(bits)));
            if got != (want as f32).to_bits() {
                worst = worst.or(Worst { ulps: error(f32::from_bits(got), want), at: bits });
            }
        }
        worst
    };
    on_all_cores(Worst::none(function), [1 << 32, ITEMS * step], part, Worst::or)
}

/// Every argument against our double function; the worst as the host sees it.
fn against_double(function: &Function, program: &Program) -> Worst {
    let none = Worst { ulps: 0.0, at: 0 };
    let part = |first: u64| {
        let (errors, at) = (Buffer::zeroed(8 * ITEMS as usize), Buffer::zeroed(4 * ITEMS as usize));
        run(program, "compare", ITEMS, &[&errors, &at, &uints(&[first as u32])]);
        let found = errors.long_words().into_iter().zip(at.words());
        found.fold(none, |worst, (error, at)| worst.or(Worst { ulps: f64::from_bits(error), at }))
    };
    let worst = on_all_cores(none, [1 << 32, ITEMS * PER_ITEM], part, Worst::or);
    let got = Buffer::zeroed(4);
    run(program, "values", 1, &[&got, &uints(&[worst.at, 0])]);
    let of_host = error(f32::from_bits(got.as_words()[0]), (function.of)(f64::from(f32::from_bits(worst.at))));
    let agree = of_host == worst.ulps || (of_host - worst.ulps).abs() < 1e-4;
    assert!(agree, "{}: {of_host} ulp, not {} at {:#010x}", function.name, worst.ulps, worst.at);
    Worst { ulps: of_host, ..worst }
}

/// The error in ulp; infinite for a zero of the wrong sign.
fn error(got: f32, want: f64) -> f64 {
    let is_wrong_zero = got == 0.0 && want == 0.0 && got.is_sign_negative() != want.is_sign_negative();
    if is_wrong_zero { f64::INFINITY } else { float_ulps(got, want) }
}

#[test]
#[ignore = "a minute for a function"]
fn every_float() {
    let wanted = std::env::var("FLOAT_FUNCTIONS").unwrap_or_default();
    let mut rows = read();
    for function in functions().iter().filter(|f| wanted.is_empty() || wanted.split(',').any(|name| name == f.name)) {
        let start = Instant::now();
        let program = program(function);
        let worst = if function.by_host {
            against_host(function, &program, 1)
        } else {
            against_host(function, &program, SAMPLE).or(against_double(function, &program))
        };
        println!("{:12} {:.3} ulp at {:#010x}, {:.0?}", function.name, worst.ulps, worst.at, start.elapsed());
        rows.insert(function.name.into(), worst);
        write(&rows);
    }
    check(&rows);
}

/// Holds functions of two arguments against our double functions and the host's.
fn check_pairs(ty: &str, numbers: u64) {
    let wanted = std::env::var("FLOAT_FUNCTIONS").unwrap_or_default();
    let is_wanted = |name: &str| wanted.is_empty() || wanted.split(',').any(|other| other == name);
    for pair in PAIRS.iter().filter(|pair| is_wanted(pair.name)) {
        let limit = if ty == "float" { pair.float } else { pair.half };
        let start = Instant::now();
        let Found { ulps, at: [x, y], others } = worst_of_pairs(ty, pair, numbers);
        let call = pair.call;
        println!("{call:16} {ty} {ulps:.4} ulp at {x:#x} {y:#x}, {others} not nearest, {:.0?}", start.elapsed());
        // The nearest number counts as 0; half an ulp is allowed for that alone.
        assert!(ulps <= limit && (limit > 0.5 || ulps == 0.0), "{call} of {ty}: {ulps} ulp at {x:#x} {y:#x}");
    }
}

#[test]
#[ignore = "seconds for a function"]
fn pairs_of_floats() {
    check_pairs("float", 1 << 28);
}

/// For functions of a half and an int, every half with every int of 16 bits.
#[test]
#[ignore = "half a minute for a function"]
fn every_pair_of_halves() {
    check_pairs("half", 1 << 32);
}

#[test]
fn the_table_is_within_the_limits() {
    let rows = read();
    let names: Vec<&str> = functions().iter().map(|f| f.name).collect();
    assert!(rows.keys().eq(&names), "every function has a row");
    for f in UNARY {
        assert!(rows[f.name].ulps <= f.float, "{} is promised within {} ulp", f.name, f.float);
    }
    check(&rows);
}

/// The document's table for `float` is what was found.
#[test]
fn the_document_has_these_figures() {
    let text = include_str!("../docs/accuracy.md");
    for (name, worst) in read() {
        let row = text.lines().find(|line| line.starts_with(&format!("| `{name}` |")));
        let row = row.unwrap_or_else(|| panic!("jit/docs/accuracy.md has no row for {name}"));
        let figure = row.split('|').nth(3).map(str::trim);
        assert_eq!(figure, Some(format!("{:.2}", worst.ulps).as_str()), "{name} in jit/docs/accuracy.md");
    }
}

fn check(rows: &BTreeMap<String, Worst>) {
    for (name, worst) in rows {
        assert!(
            worst.ulps.is_finite() && worst.ulps <= specified(name),
            "{name}: {} ulp at {:#010x}",
            worst.ulps,
            worst.at
        );
    }
}
