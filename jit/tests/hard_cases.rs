//! Functions where they are worst: `hard_cases.txt` has the arguments of largest error that a directed search found,
//! and of those that are hard to round, for functions of doubles and of two floats, with the number nearest to the
//! exact value and how far that lies from it, so that errors are known to a fraction of an ulp. No result may be
//! further off than when the table was made, nor than the specification allows ("Relative Error as ULPs").
//!
//! `cargo test --release -p clift-jit --test hard_cases -- --ignored --nocapture search` searches and adds what it
//! finds to the table: random arguments of the kinds in `climb.rs`, then ever again arguments near the worst ones so
//! far; for floats beginning with the worst of 64 times as many random pairs. Its reference are the host's functions of
//! 113 bits (`quad.rs`); the rows were confirmed with MPFR. `FLOAT_FUNCTIONS=exp,log` picks functions, `SEARCH=24` is
//! how many arguments each takes as a power of two, `SEED=2` another sequence of them.
//!
//! `listed` takes arguments from files instead: `HARD_CASES=folder`, with `binary64/exp/exp.wc`,
//! `binary32/hypot/hypotf.wc` and so on in it, an argument or two with a comma on each line: the folder `src` of
//! CORE-MATH is such a one.
#![allow(unsafe_code, reason = "calls the host's math library and generated code")]

#[path = "support/climb.rs"]
mod climb;
#[path = "support/kernel.rs"]
mod kernel;
#[path = "support/quad.rs"]
mod quad;
#[path = "support/reference_math.rs"]
mod reference_math;
#[path = "support/rng.rs"]
mod rng;
#[path = "support/sweep.rs"]
mod sweep;

use climb::{Args, Maker, Pool, Shape};
use kernel::{Buffer, Program};
use quad::Quad;
use reference_math::UNARY;
use rng::Rng;
use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Instant;
use sweep::{PAIRS, bad_pairs, run, specified};

/// Functions of one double that are not exact.
const DOUBLE: &[&str] = &[
    "acos", "acosh", "acospi", "asin", "asinh", "asinpi", "atan", "atanh", "atanpi", "cbrt", "cos", "cosh", "cospi",
    "degrees", "erf", "erfc", "exp", "exp10", "exp2", "expm1", "log", "log10", "log1p", "log2", "radians", "rsqrt",
    "sin", "sinh", "sinpi", "sqrt", "tan", "tanh", "tanpi", "tgamma",
];

/// Arguments that are in every table: the double that is nearest to a multiple of pi / 2, beside numbers of such size.
const KNOWN: &[(&str, f64)] =
    &[("cos", 5.319372648326541e255), ("sin", 5.319372648326541e255), ("tan", 5.319372648326541e255)];

/// A function of a type.
#[derive(Clone, Copy)]
struct Function {
    ty: &'static str,
    name: &'static str,
    shape: Shape,
    /// What the specification allows in ulp.
    limit: f64,
}

impl Function {
    fn digits(&self) -> u32 {
        if self.ty == "double" { 53 } else { 24 }
    }

    /// Whether the specification wants the nearest number: of two equally near ones the even one, which errors do not
    /// tell.
    fn is_rounded(&self) -> bool {
        self.limit <= 0.5
    }

    /// The number that bits of the type stand for.
    fn value(&self, bits: u64) -> f64 {
        if self.ty == "double" { f64::from_bits(bits) } else { f64::from(f32::from_bits(bits as u32)) }
    }

    /// The bits of a number of the type.
    fn bits(&self, x: f64) -> u64 {
        if self.ty == "double" { x.to_bits() } else { u64::from((x as f32).to_bits()) }
    }

    /// The second argument as a number.
    fn second(&self, bits: u64) -> f64 {
        match self.shape {
            Shape::One => 0.0,
            Shape::Two => self.value(bits),
            Shape::WithInt => f64::from((bits as u32).cast_signed()),
        }
    }
}

/// All functions of the table: those of one or two doubles, and of two floats. The exact choices `maxmag` and `minmag`
/// have no hard cases.
fn functions() -> Vec<Function> {
    // Doubles are allowed what floats are, but for a square root.
    let limit = |name: &str| if name == "sqrt" { 0.5 } else { specified(name) };
    let one = DOUBLE.iter().map(|&name| Function { ty: "double", name, shape: Shape::One, limit: limit(name) });
    let pairs = PAIRS.iter().filter(|pair| !pair.name.ends_with("mag"));
    let two = ["double", "float"].into_iter().flat_map(|ty| {
        pairs.clone().map(move |pair| {
            let shape = if pair.call.ends_with("n)") { Shape::WithInt } else { Shape::Two };
            Function { ty, name: pair.name, shape, limit: pair.float }
        })
    });
    one.chain(two).collect()
}

/// A row of the table.
#[derive(Clone, Copy)]
struct Row {
    args: Args,
    /// The bits of the number nearest to the exact value.
    nearest: u64,
    /// How much that value is above it, in units of the last place of the value.
    above: f64,
    /// What our result was off.
    error: f64,
}

type Table = BTreeMap<(String, String), Vec<Row>>;

fn path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/hard_cases.txt")
}

fn read() -> Table {
    let mut table = Table::new();
    for line in std::fs::read_to_string(path()).unwrap_or_default().lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let bits = |at: usize| u64::from_str_radix(words[at].trim_start_matches("0x"), 16).expect("bits");
        let number = |at: usize| words[at].parse().expect("a number");
        let row = Row { args: [bits(2), bits(3)], nearest: bits(4), above: number(5), error: number(6) };
        table.entry((words[0].into(), words[1].into())).or_default().push(row);
    }
    table
}

fn write(table: &Table) {
    let mut text = String::from(
        "# Arguments of large error, and some that are hard to round: type, function, bits of both arguments (or an \
         int; 0 for none),\n# bits of the number nearest to the exact value, how much the value is above that, and \
         what our result was off, in ulp.\n",
    );
    for ((ty, name), rows) in table {
        for Row { args: [x, y], nearest, above, error } in rows {
            text += &format!("{ty} {name} {x:#x} {y:#x} {nearest:#x} {above:.6} {error:.4}\n");
        }
    }
    std::fs::write(path(), text).expect("the table can be written");
}

/// A kernel that applies the function to columns of arguments.
fn program(function: &Function) -> Program {
    let (ty, name) = (function.ty, function.name);
    let (second, args) = match function.shape {
        Shape::One => (ty, "a[i]"),
        Shape::Two => (ty, "a[i], b[i]"),
        Shape::WithInt => ("int", "a[i], b[i]"),
    };
    Program::new(&format!(
        "kernel void k(global {ty} *o, global const {ty} *a, global const {second} *b) {{
            size_t i = get_global_id(0);
            o[i] = {name}({args});
        }}"
    ))
}

/// Bits of our results.
fn results(function: &Function, program: &Program, args: &[Args]) -> Vec<u64> {
    let column = |at: usize, is_long: bool| {
        let bytes =
            |bits: u64| if is_long { bits.to_le_bytes().to_vec() } else { (bits as u32).to_le_bytes().to_vec() };
        let padding = std::iter::repeat_n(0, args.len().next_multiple_of(256) - args.len());
        Buffer::new(&args.iter().map(|args| args[at]).chain(padding).flat_map(bytes).collect::<Vec<u8>>())
    };
    let is_double = function.ty == "double";
    let (a, b) = (column(0, is_double), column(1, is_double && function.shape != Shape::WithInt));
    let len = args.len().next_multiple_of(256);
    let out = Buffer::zeroed(8 * len);
    run(program, "k", len as u64, &[&out, &a, &b]);
    let mut all: Vec<u64> =
        if is_double { out.long_words() } else { out.as_words().iter().map(|&word| u64::from(word)).collect() };
    all.truncate(args.len());
    all
}

/// Our results held against the exact values.
fn checked(function: &Function, program: &Program, quad: &Quad, args: &[Args]) -> Vec<Row> {
    let got = results(function, program, args);
    let [x, y, numbers] = [
        args.iter().map(|args| function.value(args[0])).collect::<Vec<f64>>(),
        args.iter().map(|args| function.second(args[1])).collect(),
        got.iter().map(|&bits| function.value(bits)).collect(),
    ];
    let all = quad.check(function.name, function.digits() as i32, [&x, &y], &numbers);
    let row = |((&args, found), &got): ((&Args, &quad::Checked), &u64)| {
        let nearest = function.bits(found.nearest);
        let is_wrong = function.is_rounded() && got != nearest && !found.nearest.is_nan();
        let error = if is_wrong { f64::INFINITY } else { found.error };
        Row { args, nearest, above: found.above, error }
    };
    args.iter().zip(&all).zip(&got).map(row).collect()
}

/// How many rows of each kind the table has of a function.
const WORST: usize = 4;
const HARDEST: usize = 4;

/// The rows worth keeping: the worst ones, and the hardest to round, that is, nearest to halfway. Exactly so are those
/// of functions that 113 bits hold; of the others none that those do not tell.
fn best(function: &Function, mut rows: Vec<Row>) -> Vec<Row> {
    let mut kept: Vec<Row> = Vec::new();
    let distance = |row: &Row| {
        let distance = 0.5 - row.above.abs();
        let is_hard = row.above != 0.0 && (function.is_rounded() || distance > 1e-12);
        if is_hard { distance } else { 1.0 }
    };
    rows.sort_by(|a, b| b.error.total_cmp(&a.error).then(a.args.cmp(&b.args)));
    rows.dedup_by_key(|row| row.args);
    kept.extend(rows.iter().take(WORST).copied());
    let mut rest = rows.split_off(rows.len().min(WORST));
    rest.sort_by(|a, b| distance(a).total_cmp(&distance(b)));
    kept.extend(rest.into_iter().take(HARDEST));
    kept
}

fn setting(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).map_or(otherwise, |text| text.parse().expect("a number"))
}

/// Climbs from random arguments and the table's to the worst.
fn climb(function: &Function, quad: &Quad, known: &[Row]) -> Vec<Row> {
    const ROUND: u64 = 1 << 13;
    let program = program(function);
    let rng = Rng(setting("SEED", 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let mut maker = Maker { digits: function.digits(), shape: function.shape, rng };
    let mut pool = Pool::new(function.digits());
    let mut kept = checked(function, &program, quad, &known.iter().map(|row| row.args).collect::<Vec<_>>());
    kept.iter().for_each(|row| pool.offer(row.error, row.args));
    if let Some(pair) = PAIRS.iter().find(|pair| function.ty == "float" && pair.name == function.name) {
        let random = bad_pairs(pair, 64 << setting("SEARCH", 22));
        random.into_iter().for_each(|(error, [x, y])| pool.offer(error, [x.into(), y.into()]));
    }
    let rounds: u64 = (1 << setting("SEARCH", 22)) / ROUND;
    for round in 0..rounds {
        let worst = pool.worst();
        // A quarter is new, and every third round is.
        let is_new = |n: u64| n.is_multiple_of(4) || round.is_multiple_of(3) || worst.is_empty();
        let args: Vec<Args> = (0..ROUND)
            .map(|n| {
                if is_new(n) {
                    maker.make()
                } else {
                    // The worst of all most often.
                    let at = maker.rng.below(worst.len());
                    let at = maker.rng.below(at + 1);
                    maker.beside(worst[at].1)
                }
            })
            .collect();
        let rows = checked(function, &program, quad, &args);
        rows.iter().for_each(|row| pool.offer(row.error, row.args));
        kept.extend(rows);
        kept = best(function, kept);
    }
    // Of the worst in each neighbourhood, not the many beside one.
    let worst = pool.worst().into_iter().take(WORST).map(|(_, args)| args);
    let known = KNOWN.iter().filter(|(name, _)| function.shape == Shape::One && *name == function.name);
    let mut args: Vec<Args> = worst.chain(kept.iter().skip(WORST).map(|row| row.args)).collect();
    args.extend(known.map(|(_, x)| [x.to_bits(), 0]));
    let mut seen = HashSet::new();
    args.retain(|&args| seen.insert(args));
    checked(function, &program, quad, &args)
}

fn picked() -> Vec<Function> {
    let wanted = std::env::var("FLOAT_FUNCTIONS").unwrap_or_default();
    let is_wanted = |f: &Function| wanted.is_empty() || wanted.split(',').any(|name| name == f.name);
    functions().into_iter().filter(is_wanted).collect()
}

/// What `of` finds for each function, on all cores.
fn for_all(of: impl Fn(&Function) + Sync) {
    let functions = Mutex::new(picked().into_iter());
    let next = || functions.lock().expect("nobody panicked").next();
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(function) = next() {
                    of(&function);
                }
            });
        }
    });
}

#[test]
#[ignore = "seconds to minutes for a function"]
fn search() {
    let (quad, table) = (Quad::load(), Mutex::new(read()));
    for_all(|function| {
        let start = Instant::now();
        let key = (function.ty.to_owned(), function.name.to_owned());
        let known = table.lock().expect("nobody panicked").get(&key).cloned().unwrap_or_default();
        let rows = climb(function, &quad, &known);
        let worst = &rows[0];
        println!(
            "{} {}: {:.4} ulp at {:#x?}, {:.0?}",
            function.ty,
            function.name,
            worst.error,
            worst.args,
            start.elapsed()
        );
        let mut table = table.lock().expect("nobody panicked");
        table.insert(key, rows);
        write(&table);
    });
    check(&table.into_inner().expect("nobody panicked"));
}

/// Numbers of a file: hexadecimal ones and decimal ones, `inf`, `+snan` and comments among them.
fn listed_args(text: &str, function: &Function) -> Vec<Args> {
    let number = |word: &str| {
        let text = std::ffi::CString::new(word.trim()).expect("a line without zeros");
        // SAFETY: a text with its end.
        function.bits(unsafe { libc::strtod(text.as_ptr(), std::ptr::null_mut()) })
    };
    let lines = text.lines().map(str::trim).filter(|line| !line.starts_with('#') && !line.is_empty());
    let row = |line: &str| match line.split_once(',') {
        Some((x, y)) => [number(x), number(y)],
        None => [number(line), 0],
    };
    lines.map(row).collect()
}

#[test]
#[ignore = "needs lists of arguments"]
fn listed() {
    let folder = PathBuf::from(std::env::var("HARD_CASES").expect("HARD_CASES is a folder"));
    let quad = Quad::load();
    for_all(|function| {
        let (part, ending) = if function.ty == "double" { ("binary64", ".wc") } else { ("binary32", "f.wc") };
        let file = folder.join(part).join(function.name).join(format!("{}{ending}", function.name));
        let Ok(text) = std::fs::read_to_string(file) else { return };
        let args = listed_args(&text, function);
        let rows = checked(function, &program(function), &quad, &args);
        let worst = rows.iter().max_by(|a, b| a.error.total_cmp(&b.error)).expect("a list is not empty");
        let (ty, name) = (function.ty, function.name);
        println!("{ty} {name}: {} arguments, {:.4} ulp at {:#x?}", args.len(), worst.error, worst.args);
        assert!(worst.error <= function.limit, "{ty} {name}: {} ulp", worst.error);
    });
}

/// What a result is off in ulp: units of the last place of the exact value, which the row tells.
fn error(function: &Function, got: u64, row: &Row) -> f64 {
    let [got, nearest] = [got, row.nearest].map(|bits| function.value(bits));
    let is_exact = row.above == 0.0;
    if got.is_nan() || nearest.is_nan() || nearest.is_infinite() || (nearest == 0.0 && is_exact) {
        let is_same = got.to_bits() == nearest.to_bits() || (got.is_nan() && nearest.is_nan());
        return if is_same { 0.0 } else { f64::INFINITY };
    }
    if got.is_sign_negative() != nearest.is_sign_negative() {
        return f64::INFINITY;
    }
    let (digits, most) = if function.ty == "double" { (53, 1023) } else { (24, 127) };
    let mut exponent = ((nearest.to_bits() >> 52 & 0x7ff) as i32 - 1023).max(1 - most);
    // A value below a power of two has the smaller unit.
    let is_power = nearest.to_bits() << 12 == 0 && exponent > 1 - most;
    exponent -= i32::from(is_power && !is_exact && (row.above < 0.0) == (nearest > 0.0));
    let unit = exponent - digits + 1;
    // In two steps, as the power may be no double. Numbers near each other have an exact difference.
    let in_units = |x: f64| match x.is_infinite() {
        true => 2f64.powi(most + 1 - unit).copysign(x),
        false => x * 2f64.powi(-(unit / 2)) * 2f64.powi(unit / 2 - unit),
    };
    (in_units(got) - in_units(nearest) - row.above).abs()
}

/// Every row: its error is not larger than it was, and within the limit.
fn check(table: &Table) {
    for function in functions() {
        let key = (function.ty.to_owned(), function.name.to_owned());
        let Some(rows) = table.get(&key) else { continue };
        let args: Vec<Args> = rows.iter().map(|row| row.args).collect();
        for (row, got) in rows.iter().zip(results(&function, &program(&function), &args)) {
            let (ty, name, [x, y]) = (function.ty, function.name, row.args);
            let error = error(&function, got, row);
            assert!(error <= row.error + 0.001, "{name} of {ty} {x:#x} {y:#x} is {got:#x}, {error} ulp off");
            let promised = UNARY.iter().find(|f| f.name == name && ty == "double").map(|f| f.double.max(0.5));
            assert!(
                promised.is_none_or(|most| error <= most),
                "{name} of {ty} {x:#x}: {error} ulp, more than promised"
            );
            let is_allowed = if function.is_rounded() { got == row.nearest } else { error <= function.limit };
            assert!(is_allowed, "{name} of {ty} {x:#x} {y:#x} is {got:#x}, {error} ulp off");
        }
    }
}

#[test]
fn the_hardest_arguments() {
    let table = read();
    let of = |function: &Function| table.get(&(function.ty.to_owned(), function.name.to_owned()));
    assert!(functions().iter().all(|function| of(function).is_some()), "every function has rows");
    check(&table);
}

/// The document's figures for functions of doubles and of two floats are the worst of the table.
#[test]
fn the_document_has_these_figures() {
    let (table, text) = (read(), include_str!("../docs/accuracy.md"));
    for function in functions() {
        let rows = &table[&(function.ty.to_owned(), function.name.to_owned())];
        let worst = rows.iter().map(|row| row.error).fold(0.0, f64::max);
        let line = text.lines().find(|line| line.starts_with(&format!("| `{}` |", function.name)));
        let line = line.unwrap_or_else(|| panic!("jit/docs/accuracy.md has no row for {}", function.name));
        let figure = line.split('|').nth(if function.ty == "double" { 5 } else { 3 }).map(str::trim);
        assert_eq!(figure, Some(format!("{worst:.2}").as_str()), "{} of {}", function.name, function.ty);
    }
}
