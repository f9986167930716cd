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
//! `pairs_of_floats` and `every_pair_of_halves` do so for functions of two arguments, and print the worst errors.
#![allow(unsafe_code, reason = "calls the host's math library and generated code")]

#[path = "support/kernel.rs"]
mod kernel;
#[path = "support/reference_math.rs"]
mod reference_math;

use clift_jit::SpecKey;
use kernel::{Buffer, Program};
use reference_math::{UNARY, float_ulps, frexp, lgamma_r, logb};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// What the specification allows in ulp, full profile: 0.5 for "correctly rounded" where the exact result may be no
/// float, `INFINITY` where it allows anything.
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
    ("fract", 0.5),
    ("frexp", 0.0),
    ("ilogb", 0.0),
    ("lgamma", f64::INFINITY),
    ("log", 3.0),
    ("log10", 3.0),
    ("log1p", 2.0),
    ("log2", 3.0),
    ("logb", 0.0),
    ("modf", 0.0),
    ("native_recip", 2.5),
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

fn specified(name: &str) -> f64 {
    SPECIFIED.iter().find(|(n, _)| *n == name).map(|(_, limit)| *limit).expect("the table has every function")
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

/// Work-items of a launch and of a group.
const ITEMS: u64 = 1 << 14;
const GROUP: u64 = 256;
/// Arguments of a work-item that compares.
const PER_ITEM: u64 = 1 << 10;
/// How many arguments lie between two that go to the host's function, if not all do. Odd, so that every low digit
/// occurs.
const SAMPLE: u64 = 127;

/// Declares `error`, what a result `y` of float or half is off in ulp, where `want` was wanted: in units of the last
/// place, of which the smallest is that of the smallest normal number.
fn error_text(ty: &str) -> String {
    let (bits, normal, beyond, last) = match ty {
        "float" => ("as_uint", "0x1p-126", "0x1p128", "0x1p-23"),
        _ => ("as_ushort", "0x1p-14", "0x1p16", "0x1p-10"),
    };
    format!(
        "ulong binade = max(as_ulong(want) & 0x7ff0000000000000, as_ulong({normal}));
        double got = isinf(y) ? copysign({beyond}, (double)y) : (double)y;
        double error = fabs(got - want) / (as_double(binade) * {last});
        error = isnan(error) || (y == 0 && want == 0) ? INFINITY : error;
        error = {bits}(y) == {bits}(({ty})want) || (isnan(y) && isnan(want)) ? 0.0 : error;"
    )
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

fn run(program: &Program, kernel: &str, items: u64, args: &[&Buffer]) {
    let key = SpecKey { small_ids: true, ..SpecKey::default() };
    let addresses: Vec<u64> = args.iter().map(|buffer| buffer.address()).collect();
    program.run_as(kernel, key, [items.div_ceil(GROUP), items.min(GROUP)], &addresses);
}

fn uints(values: &[u32]) -> Buffer {
    Buffer::new(&values.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<_>>())
}

/// The worst that `part` finds in the parts of `len` arguments that all bit patterns fall into, on all cores.
fn on_all_cores(start: Worst, len: u64, part: impl Fn(u64) -> Worst + Sync) -> Worst {
    let (worst, next) = (Mutex::new(start), AtomicU64::new(0));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let first = next.fetch_add(len, Ordering::Relaxed);
                    if first >= 1 << 32 {
                        break;
                    }
                    let found = part(first);
                    let mut worst = worst.lock().expect("nobody panicked");
                    *worst = worst.or(found);
                }
            });
        }
    });
    worst.into_inner().expect("nobody panicked")
}

/// Every `step`-th argument against the host's function.
fn against_host(function: &Function, program: &Program, step: u64) -> Worst {
    on_all_cores(Worst::none(function), ITEMS * step, |first| {
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
    })
}

/// Every argument against our double function; the worst as the host sees it.
fn against_double(function: &Function, program: &Program) -> Worst {
    let worst = on_all_cores(Worst { ulps: 0.0, at: 0 }, ITEMS * PER_ITEM, |first| {
        let (errors, at) = (Buffer::zeroed(8 * ITEMS as usize), Buffer::zeroed(4 * ITEMS as usize));
        run(program, "compare", ITEMS, &[&errors, &at, &uints(&[first as u32])]);
        let found = errors.long_words().into_iter().zip(at.words());
        found.fold(Worst { ulps: 0.0, at: 0 }, |worst, (error, at)| worst.or(Worst { ulps: f64::from_bits(error), at }))
    });
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

/// Functions of two arguments and what the specification allows them in ulp, for float and half; `n` is an int.
const PAIRS: &[(&str, f64, f64)] = &[
    ("atan2(x, y)", 6.0, 2.0),
    ("atan2pi(x, y)", 6.0, 2.0),
    ("fdim(x, y)", 0.5, 0.5),
    ("fmod(x, y)", 0.0, 0.0),
    ("hypot(x, y)", 4.0, 2.0),
    ("ldexp(x, n)", 0.5, 0.5),
    ("maxmag(x, y)", 0.0, 0.0),
    ("minmag(x, y)", 0.0, 0.0),
    ("pow(x, y)", 16.0, 4.0),
    ("pown(x, n)", 16.0, 4.0),
    ("powr(x, y)", 16.0, 4.0),
    ("remainder(x, y)", 0.0, 0.0),
    ("rootn(x, n)", 16.0, 4.0),
];

/// Makes `u`, `v` and `n` of `number`: floats of which a third have any bits, a third are of similar size, and of a
/// third the first is within [1/4, 4) and the other so that its powers are mostly numbers.
const FLOATS: &str = "
    ulong z = (number + 1ul) * 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    z ^= z >> 31;
    uint a = (uint)z, b = (uint)(z >> 32);
    uint kind = number % 3, near = (a & 0x7f800000) + (b & 0x03ffffff) - 0x02000000;
    a = kind == 2 ? 0x3e800000 + (a & 0x01ffffff) : a;
    b = kind == 1 ? (near & 0x7fffffff) | (b & 0x80000000) : b;
    b = kind == 2 ? (b & 0x80000000) | (0x40000000 + (b & 0x02ffffff)) : b;
    float u = as_float(a), v = as_float(b);
    int n = (int)b >> (a & 31);";

/// The same of two halves, every pair for the numbers below 2^32.
const HALVES: &str = "
    half u = as_half((ushort)(number >> 16)), v = as_half((ushort)number);
    int n = (short)number;";

/// The worst error of a function of two arguments for the first `numbers` numbers, and a number where it occurs.
fn worst_of_pairs(ty: &str, call: &str, numbers: u64) -> (f64, u32) {
    let (make, error) = (if ty == "float" { FLOATS } else { HALVES }, error_text(ty));
    let source = format!(
        "static {ty} single({ty} x, {ty} y, int n) {{ return {call}; }}
        static double wide(double x, double y, int n) {{ return {call}; }}
        kernel void compare(global double *worst, global uint *at, global const uint *first) {{
            double most = 0.0;
            uint where = 0;
            for (uint k = 0; k < {PER_ITEM}; k++) {{
                uint number = first[0] + k * {ITEMS} + (uint)get_global_id(0);
                {make}
                {ty} y = single(u, v, n);
                double want = wide((double)u, (double)v, n);
                {error}
                where = error > most ? number : where;
                most = fmax(error, most);
            }}
            worst[get_global_id(0)] = most;
            at[get_global_id(0)] = where;
        }}"
    );
    let program = Program::new(&source);
    let mut worst = (0.0, 0);
    for first in (0..numbers).step_by((ITEMS * PER_ITEM) as usize) {
        let (errors, at) = (Buffer::zeroed(8 * ITEMS as usize), Buffer::zeroed(4 * ITEMS as usize));
        run(&program, "compare", ITEMS, &[&errors, &at, &uints(&[first as u32])]);
        for (error, at) in errors.long_words().into_iter().zip(at.words()) {
            if f64::from_bits(error) > worst.0 {
                worst = (f64::from_bits(error), at);
            }
        }
    }
    worst
}

/// Holds functions of two arguments against our double functions.
fn check_pairs(ty: &str, numbers: u64) {
    let wanted = std::env::var("FLOAT_FUNCTIONS").unwrap_or_default();
    for &(call, float, half) in PAIRS {
        let name = call.split('(').next().unwrap_or(call);
        if !wanted.is_empty() && wanted.split(',').all(|other| other != name) {
            continue;
        }
        let limit = if ty == "float" { float } else { half };
        let start = Instant::now();
        let (error, at) = worst_of_pairs(ty, call, numbers);
        // A result that is rounded is off by that.
        let error = if limit == 0.0 { error } else { error.max(0.5) };
        println!("{call:16} {ty} {error:.3} ulp at {at:#010x}, {:.0?}", start.elapsed());
        assert!(error <= limit, "{call} of {ty}: {error} ulp");
    }
}

#[test]
#[ignore = "seconds for a function"]
fn pairs_of_floats() {
    check_pairs("float", 1 << 28);
}

/// For functions of a half and an int, every half with every int of 16 bits.
#[test]
#[ignore = "a minute for a function"]
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
