//! What operations take on this machine, beside what the cost tables (`target::costs`) say: cycles of throughput, for
//! scalars and for a register of lanes of each vector back end. `cargo bench -p clift-jit --bench costs [-- filter]`.
//!
//! A kernel has a loop in which ten values of each work-item take the operation with their neighbours, so that none
//! waits for the one before; a cycle is what one sum waits for another. Tables count in units of a simple operation,
//! which is why the last column of each pair has both divided by theirs. `CLIFT_ISA` is read once, so each back end is
//! measured in a process of its own.
#![allow(unsafe_code, reason = "runs generated code on buffers made here")]

mod support;

use clift_jit::ir::{Op, Scalar, Type};
use clift_jit::target;
use std::process::Command;
use std::time::Duration;
use support::{Kernel, aligned, memory};

/// Work-items of a launch, which is one group.
const ITEMS: u64 = 64;
/// Values of a work-item.
const VALUES: usize = 10;
/// Turns of the loop.
const LOOP: usize = 64;
/// Launches of each kernel, the fastest of which counts.
const TURNS: usize = 200;
const BACK_ENDS: [&str; 4] = ["scalar", "v128", "avx2", "avx512"];

/// Operations that a row is about.
struct Row {
    name: &'static str,
    /// Type of the values in OpenCL C.
    ty: &'static str,
    elem: Scalar,
    /// Of `x`, its neighbour `y`, and `n`, which is the same for all work-items.
    expr: &'static str,
    /// What it is made of, each by one number for all lanes or not.
    ops: &'static [(Op, bool)],
}

const fn row(
    name: &'static str,
    (ty, elem): (&'static str, Scalar),
    expr: &'static str,
    ops: &'static [(Op, bool)],
) -> Row {
    Row { name, ty, elem, expr, ops }
}

const I: (&str, Scalar) = ("int", Scalar::I32);
const U: (&str, Scalar) = ("uint", Scalar::I32);
const L: (&str, Scalar) = ("ulong", Scalar::I64);
const F: (&str, Scalar) = ("float", Scalar::F32);
const D: (&str, Scalar) = ("double", Scalar::F64);

/// The first row is what the others are divided by.
const ROWS: &[Row] = &[
    row("simple", I, "(x ^ y) + n", &[(Op::Xor, false), (Op::Add, false)]),
    row("simple, long", L, "(x ^ y) + n", &[(Op::Xor, false), (Op::Add, false)]),
    row("simple, float", F, "x * y + n", &[(Op::Fmul, false), (Op::Fadd, false)]),
    row("simple, double", D, "x * y + n", &[(Op::Fmul, false), (Op::Fadd, false)]),
    row("compare", I, "(x < y ? n : x) ^ y", &[(Op::Icmp, false), (Op::Select, false), (Op::Xor, false)]),
    row("extremum", F, "fmin(x, y) + n", &[(Op::Fmin, false), (Op::Fadd, false)]),
    row("round", F, "rint(x) + y", &[(Op::Rint, false), (Op::Fadd, false)]),
    row("shift", U, "x << (y & 31)", &[(Op::Shl, false), (Op::And, false)]),
    row("shift by one", U, "(x << n) ^ y", &[(Op::Shl, true), (Op::Xor, false)]),
    row("multiply", I, "x * y + n", &[(Op::Mul, false), (Op::Add, false)]),
    row("high multiply", U, "mul_hi(x, y) + n", &[(Op::MulHiU, false), (Op::Add, false)]),
    row("long multiply", L, "x * y + n", &[(Op::Mul, false), (Op::Add, false)]),
    row("divide", U, "x / (y | 1) + n", &[(Op::DivU, false), (Op::Or, false), (Op::Add, false)]),
    row("divide by one", U, "(x ^ y) / n", &[(Op::DivU, true), (Op::Xor, false)]),
    row("long divide", L, "x / (y | 1) + n", &[(Op::DivU, false), (Op::Or, false), (Op::Add, false)]),
    row("float divide", F, "x / y + n", &[(Op::Fdiv, false), (Op::Fadd, false)]),
    row("float root", F, "sqrt(x) + y", &[(Op::Sqrt, false), (Op::Fadd, false)]),
    row("double divide", D, "x / y + n", &[(Op::Fdiv, false), (Op::Fadd, false)]),
    row("double root", D, "sqrt(x) + y", &[(Op::Sqrt, false), (Op::Fadd, false)]),
    row("count bits", U, "popcount(x) ^ y", &[(Op::Popcnt, false), (Op::Xor, false)]),
    row("trailing zeros", U, "ctz(x) ^ y", &[(Op::Ctz, false), (Op::Xor, false)]),
    row("leading zeros", U, "clz(x) ^ y", &[(Op::Clz, false), (Op::Xor, false)]),
    row("int to float", F, "convert_float(as_int(x)) + y", &[(Op::Sitofp, false), (Op::Fadd, false)]),
    row("uint to float", F, "convert_float(as_uint(x)) + y", &[(Op::Uitofp, false), (Op::Fadd, false)]),
    row("float to int", F, "as_float(convert_int(x)) + y", &[(Op::Fptosi, false), (Op::Fadd, false)]),
];

/// A chain of sums, each of which waits for the one before: what a cycle is.
const CHAIN: &str = "kernel void k(global uint *a, global uint *o, uint n) { uint x = a[0];\n\
    for (uint k = 0; k < 100000; k++) { x = (x ^ k) + n; x = (x ^ k) + n; } o[0] = x; }";

fn source(row: &Row) -> String {
    let (ty, expr) = (row.ty, row.expr);
    let value = |k: usize| format!("x{k}");
    let declared: String = (0..VALUES).map(|k| format!("{ty} x{k} = a[i + {k} * {ITEMS}]; ")).collect();
    let steps: String = (0..VALUES)
        .map(|k| {
            let next = value((k + 1) % VALUES);
            let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let step: String = expr
                .split_inclusive(|c| !is_name(c))
                .map(|part| {
                    let (name, rest) = part.split_at(part.trim_end_matches(|c| !is_name(c)).len());
                    let name = match name {
                        "x" => value(k),
                        "y" => next.clone(),
                        name => name.into(),
                    };
                    name + rest
                })
                .collect();
            format!("x{k} = {step}; ")
        })
        .collect();
    let stored: String = (0..VALUES).map(|k| format!("o[i + {k} * {ITEMS}] = x{k}; ")).collect();
    format!(
        "kernel void k(global {ty} *a, global {ty} *o, {ty} n) {{ size_t i = get_global_id(0); {declared}\n\
         for (int k = 0; k < {LOOP}; k++) {{ {steps} }}\n{stored} }}"
    )
}

/// The fastest of some launches of one group.
fn time(kernel: &Kernel, elem: Scalar, items: u64, turns: usize) -> Duration {
    let mut arrays = [values(elem), array()];
    (0..turns).map(|_| kernel.time(&mut arrays, number(elem, 3), items, 1)).min().expect("a launch")
}

/// Room for the values of all work-items.
fn array() -> Vec<u128> {
    memory(VALUES * ITEMS as usize * size_of::<u64>())
}

/// The bits of a number, near one if it is a float.
fn number(elem: Scalar, n: u64) -> u64 {
    match elem {
        Scalar::F32 => u64::from((1.0 + n as f32 * 1e-3).to_bits()),
        Scalar::F64 => (1.0 + n as f64 * 1e-3).to_bits(),
        _ => n,
    }
}

/// Values of all work-items, which are ordinary ones: sums and quotients stay in range.
fn values(elem: Scalar) -> Vec<u128> {
    let mut words = array();
    let bytes = elem.bytes() as usize;
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let start = aligned(&mut words);
    for n in 0..VALUES * ITEMS as usize {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let bits = if elem.is_float() { number(elem, state % 900) } else { state };
        // SAFETY: there is room for so many, and for what lies before the first.
        unsafe { std::ptr::copy_nonoverlapping(bits.to_ne_bytes().as_ptr(), start.add(n * bytes), bytes) }
    }
    words
}

/// Prints, for each row, measured cycles and the table's units, or `-` where work-items stay one by one.
fn measure(filter: &str) {
    let chain = Kernel::new(CHAIN, Some([1; 3]));
    let cycle = time(&chain, Scalar::I32, 1, 20).as_secs_f64() / 400_000.0;
    let lanes = target::lanes();
    for row in ROWS.iter().filter(|row| row.name == ROWS[0].name || row.name.contains(filter)) {
        let kernel = Kernel::new(&source(row), Some([ITEMS as u32, 1, 1]));
        let in_lanes = kernel.code.remarks().iter().any(|remark| remark.contains(" lanes: "));
        let ty = Type::scalar(row.elem);
        let (parts, table) = match lanes {
            Some(_) if !in_lanes => {
                println!("-");
                continue;
            }
            Some(target) => {
                let bytes = u64::from(row.elem.bytes()) * ITEMS;
                let cost = |&(op, by_one): &(Op, bool)| target.lane_op(op, ty, by_one);
                (bytes / u64::from(target.register_bytes), row.ops.iter().map(cost).sum::<f64>())
            }
            None => {
                let target = target::Backend::Cranelift.target();
                (ITEMS, row.ops.iter().map(|&(op, _)| target.scalar_op(op, ty)).sum())
            }
        };
        let steps = (VALUES * LOOP) as f64 * parts as f64;
        println!("{:.3} {table:.3}", time(&kernel, row.elem, ITEMS, TURNS).as_secs_f64() / cycle / steps);
    }
}

fn main() {
    let mut args = std::env::args().skip(1).filter(|arg| !arg.starts_with("--"));
    let filter = args.next().unwrap_or_default();
    if std::env::var_os("CLIFT_ISA").is_some() {
        return measure(&filter);
    }
    let me = std::env::current_exe().expect("this program's name");
    let columns: Vec<Vec<Option<[f64; 2]>>> = BACK_ENDS
        .iter()
        .map(|name| {
            let output = Command::new(&me).arg(&filter).env("CLIFT_ISA", name).output().expect("runs itself");
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            let text = String::from_utf8(output.stdout).expect("numbers");
            let pair = |line: &str| {
                let (measured, table) = line.split_once(' ')?;
                Some([measured.parse().ok()?, table.parse().ok()?])
            };
            text.lines().map(pair).collect()
        })
        .collect();
    print!("{:16}", "cycles (× table)");
    BACK_ENDS.iter().for_each(|name| print!("{name:>18}"));
    println!();
    let shown = ROWS.iter().filter(|row| row.name == ROWS[0].name || row.name.contains(&filter));
    for (n, row) in shown.enumerate() {
        print!("{:16}", row.name);
        for column in &columns {
            let cell = column.get(n).copied().flatten().zip(column[0]);
            let text = cell.map(|([measured, table], [unit, simple])| {
                format!("{measured:.2} ({:.2})", measured / unit / (table / simple))
            });
            print!("{:>18}", text.unwrap_or_else(|| "-".into()));
        }
        println!();
    }
}
