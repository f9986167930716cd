//! Launches that take a function over all bit patterns, or over very many pairs, and find the worst error.
#![allow(dead_code, reason = "each test uses a part")]

use crate::kernel::{Buffer, Program};
use crate::reference_math::{fdim, maxmag, minmag, remainder};
use clift_jit::SpecKey;
use half::f16;
use std::f64::consts::PI;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// What the specification allows functions of one float in ulp, full profile: 0.5 for "correctly rounded" where the
/// exact result may be no float, `INFINITY` where it allows anything.
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

/// What the specification allows a function of one float.
pub fn specified(name: &str) -> f64 {
    SPECIFIED.iter().find(|(n, _)| *n == name).map(|(_, limit)| *limit).expect("the table has every function")
}

/// Work-items of a launch and of a group.
pub const ITEMS: u64 = 1 << 14;
const GROUP: u64 = 256;
/// Arguments of a work-item that compares.
pub const PER_ITEM: u64 = 1 << 10;
/// How many arguments lie between two that go to the host's function, if not all do. Odd, so that every low digit
/// occurs.
pub const SAMPLE: u64 = 127;

/// Declares `error`, what a result `y` of float or half is off in ulp, where `want` was wanted: in units of the last
/// place, of which the smallest is that of the smallest normal number.
pub fn error_text(ty: &str) -> String {
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

/// Runs a kernel on so many work-items in groups, hence in lanes where the machine has them.
pub fn run(program: &Program, kernel: &str, items: u64, args: &[&Buffer]) {
    let key = SpecKey { small_ids: true, ..SpecKey::default() };
    let addresses: Vec<u64> = args.iter().map(|buffer| buffer.address()).collect();
    program.run_as(kernel, key, [items.div_ceil(GROUP), items.min(GROUP)], &addresses);
}

/// A buffer of these words.
pub fn uints(values: &[u32]) -> Buffer {
    Buffer::new(&values.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<_>>())
}

/// What `part` finds in the parts of `len` numbers that those below `end` fall into, on all cores, put together.
pub fn on_all_cores<T: Copy + Send>(
    start: T,
    [end, len]: [u64; 2],
    part: impl Fn(u64) -> T + Sync,
    together: impl Fn(T, T) -> T + Sync,
) -> T {
    let (all, next) = (Mutex::new(start), AtomicU64::new(0));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let first = next.fetch_add(len, Ordering::Relaxed);
                    if first >= end {
                        break;
                    }
                    let found = part(first);
                    let mut all = all.lock().expect("nobody panicked");
                    *all = together(*all, found);
                }
            });
        }
    });
    all.into_inner().expect("nobody panicked")
}

/// A function of two arguments.
pub struct Pair {
    pub name: &'static str,
    /// Its call in OpenCL C: of `x` and `y`, or of `x` and the int `n`.
    pub call: &'static str,
    /// What the specification allows in ulp for float and half; 0.5 for "correctly rounded".
    pub float: f64,
    pub half: f64,
    /// By the host's library; the second argument is `y` or `n`.
    pub of: fn(f64, f64) -> f64,
}

const fn pair(call: &'static str, [float, half]: [f64; 2], of: fn(f64, f64) -> f64) -> Pair {
    let (name, _) = call.split_at(call.len() - "(x, y)".len());
    Pair { name, call, float, half, of }
}

pub const PAIRS: &[Pair] = &[
    pair("atan2(x, y)", [6.0, 2.0], f64::atan2),
    pair("atan2pi(x, y)", [6.0, 2.0], |y, x| y.atan2(x) / PI),
    pair("fdim(x, y)", [0.5, 0.5], |x, y| fdim(x, y)),
    pair("fmod(x, y)", [0.0, 0.0], |x, y| x % y),
    pair("hypot(x, y)", [4.0, 2.0], f64::hypot),
    pair("ldexp(x, n)", [0.5, 0.5], |x, n| x * 2f64.powi(n.clamp(-400.0, 400.0) as i32)),
    pair("maxmag(x, y)", [0.0, 0.0], maxmag),
    pair("minmag(x, y)", [0.0, 0.0], minmag),
    pair("pow(x, y)", [16.0, 4.0], f64::powf),
    pair("pown(x, n)", [16.0, 4.0], f64::powf),
    pair("powr(x, y)", [16.0, 4.0], powr),
    pair("remainder(x, y)", [0.0, 0.0], |x, y| remainder(x, y)),
    pair("rootn(x, n)", [16.0, 4.0], rootn),
];

fn powr(x: f64, y: f64) -> f64 {
    let is_undefined = x.is_nan() || y.is_nan() || x < 0.0 || ((x == 0.0 || x.is_infinite()) && y == 0.0);
    if is_undefined || (x == 1.0 && y.is_infinite()) { f64::NAN } else { x.abs().powf(y) }
}

/// Off by some log(x) / n of the last place of double, as 1 / n is rounded.
fn rootn(x: f64, n: f64) -> f64 {
    let is_odd = n % 2.0 != 0.0;
    if n == 0.0 || x.is_nan() || (x < 0.0 && !is_odd) {
        return f64::NAN;
    }
    let root = x.abs().powf(n.recip());
    if is_odd { root.copysign(x) } else { root }
}

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

/// What was found about a function of two arguments.
#[derive(Clone, Copy)]
pub struct Found {
    /// The worst error in ulp; 0 if every result is the nearest number.
    pub ulps: f64,
    /// The arguments' bits, or the second one's as an int.
    pub at: [u32; 2],
    /// How many results are not the nearest number.
    pub others: u64,
}

impl Found {
    const NOTHING: Self = Self { ulps: 0.0, at: [0; 2], others: 0 };

    /// Both; of equal errors the one with the lower arguments.
    fn and(self, other: Self) -> Self {
        let is_worse = other.ulps > self.ulps || (other.ulps == self.ulps && other.at < self.at);
        Self { others: self.others + other.others, ..if is_worse { other } else { self } }
    }
}

/// `compare` finds the worst of `PER_ITEM` pairs against our double function; `values` writes arguments and result.
fn pair_program(ty: &str, call: &str) -> Program {
    let (make, error) = (if ty == "float" { FLOATS } else { HALVES }, error_text(ty));
    let bits = if ty == "float" { "as_uint" } else { "as_ushort" };
    let second = if call.ends_with("n)") { "(uint)n".to_owned() } else { format!("{bits}(v)") };
    Program::new(&format!(
        "static {ty} single({ty} x, {ty} y, int n) {{ return {call}; }}
        static double wide(double x, double y, int n) {{ return {call}; }}
        kernel void compare(global double *worst, global uint4 *at, global const uint *first) {{
            double most = 0.0;
            uint where = 0, others = 0;
            for (uint k = 0; k < {PER_ITEM}; k++) {{
                uint number = first[0] + k * {ITEMS} + (uint)get_global_id(0);
                {make}
                {ty} y = single(u, v, n);
                double want = wide((double)u, (double)v, n);
                {error}
                where = error > most ? number : where;
                most = fmax(error, most);
                others += error > 0.0 ? 1 : 0;
            }}
            uint number = where;
            {make}
            worst[get_global_id(0)] = most;
            at[get_global_id(0)] = (uint4)({bits}(u), {second}, others, 0);
        }}
        kernel void values(global uint4 *out, global const uint *first_step) {{
            uint number = first_step[0] + (uint)get_global_id(0) * first_step[1];
            {make}
            out[get_global_id(0)] = (uint4)({bits}(u), {second}, {bits}(single(u, v, n)), 0);
        }}"
    ))
}

/// The number that bits of a type stand for.
pub fn value(ty: &str, bits: u32) -> f64 {
    if ty == "float" { f64::from(f32::from_bits(bits)) } else { f16::from_bits(bits as u16).to_f64() }
}

/// What bits are off in ulp from `want`; 0 if they are the nearest number.
fn error(ty: &str, bits: u32, want: f64) -> f64 {
    let (digits, most) = if ty == "float" { (24, 127) } else { (11, 15) };
    let got = value(ty, bits);
    if got.is_nan() || want.is_nan() {
        return if got.is_nan() && want.is_nan() { 0.0 } else { f64::INFINITY };
    }
    if got == want || want.is_infinite() || want == 0.0 {
        let is_same = got == want && got.is_sign_negative() == want.is_sign_negative();
        return if is_same { 0.0 } else { f64::INFINITY };
    }
    let exponent = ((want.to_bits() >> 52 & 0x7ff) as i32 - 1023).clamp(1 - most, most);
    let unit = 2f64.powi(exponent - digits + 1);
    // Steps that are exact. What is beyond the numbers stands for infinity.
    let beyond = 2f64.powi(digits);
    let nearest = (want / unit).round_ties_even().clamp(-beyond, beyond);
    let number = (got / unit).clamp(-beyond, beyond);
    let is_same = number == nearest && got.is_sign_negative() == want.is_sign_negative();
    if is_same { 0.0 } else { (number - want / unit).abs() }
}

/// The second argument as the host takes it.
fn second(ty: &str, pair: &Pair, bits: u32) -> f64 {
    if pair.call.ends_with("n)") { f64::from(bits.cast_signed()) } else { value(ty, bits) }
}

/// Holds a function of two arguments against our double one, for the first `numbers` numbers, and every `SAMPLE`-th
/// against the host's.
pub fn worst_of_pairs(ty: &str, pair: &Pair, numbers: u64) -> Found {
    let program = pair_program(ty, pair.call);
    let by_host = on_all_cores(
        Found::NOTHING,
        [numbers, ITEMS * SAMPLE],
        |first| {
            let out = Buffer::zeroed(16 * ITEMS as usize);
            run(&program, "values", ITEMS, &[&out, &uints(&[first as u32, SAMPLE as u32])]);
            let rows = out.as_words().chunks_exact(4).zip((first..numbers).step_by(SAMPLE as usize));
            rows.fold(Found::NOTHING, |found, (row, _)| {
                let want = (pair.of)(value(ty, row[0]), second(ty, pair, row[1]));
                let ulps = error(ty, row[2], want);
                found.and(Found { ulps, at: [row[0], row[1]], others: u64::from(ulps > 0.0) })
            })
        },
        Found::and,
    );
    let part = |first| compare(&program, first).into_iter().fold(Found::NOTHING, Found::and);
    let by_double = on_all_cores(Found::NOTHING, [numbers, ITEMS * PER_ITEM], part, Found::and);
    let of_host = by_host.ulps <= by_double.ulps || by_host.ulps - by_double.ulps < 1e-4;
    assert!(of_host, "{} of {ty}: {} ulp by the host at {:#x?}", pair.name, by_host.ulps, by_host.at);
    by_double
}

/// What each work-item of a launch finds from a number on, against our double function.
fn compare(program: &Program, first: u64) -> Vec<Found> {
    let (errors, at) = (Buffer::zeroed(8 * ITEMS as usize), Buffer::zeroed(16 * ITEMS as usize));
    run(program, "compare", ITEMS, &[&errors, &at, &uints(&[first as u32])]);
    let rows = errors.long_words().into_iter().zip(at.as_words().chunks_exact(4));
    let found = |(ulps, row): (u64, &[u32])| Found {
        ulps: f64::from_bits(ulps),
        at: [row[0], row[1]],
        others: u64::from(row[2]),
    };
    rows.map(found).collect()
}

/// The worst ones among so many random pairs of floats, one of a thousand, and their errors.
pub fn bad_pairs(pair: &Pair, numbers: u64) -> Vec<(f64, [u32; 2])> {
    let program = pair_program("float", pair.call);
    let all = (0..numbers).step_by((ITEMS * PER_ITEM) as usize).flat_map(|first| compare(&program, first));
    all.filter(|found| found.ulps > 0.0).map(|found| (found.ulps, found.at)).collect()
}
