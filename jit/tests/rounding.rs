//! Rounding regions, from OpenCL C to machine code, bit for bit against the processor's own rounding modes
//! (`support/reference.rs`): operators, fused multiply-add, conversions and `vstore_half`, on special values and on
//! random ones made to be hard, for every type and vector width; and the same operations folded from constants. The
//! exact arithmetic of folding and of the interpreter is held against the processor as well.
//!
//! `cargo test -p clift-jit --test rounding -- --ignored` runs ten million pairs per operation and mode.
#![allow(unsafe_code, reason = "runs generated code on buffers made here")]

#[path = "support/hard.rs"]
mod hard;
#[path = "support/kernel.rs"]
mod kernel;
#[path = "support/reference.rs"]
mod reference;

use clift_jit::features;
use clift_jit::ir::softfloat;
use clift_jit::ir::{Imm, Op, Rounding, Scalar};
use hard::{Rng, mask, random_row, specials};
use kernel::{Buffer, Program};

const MODES: [(&str, Rounding); 4] =
    [("rte", Rounding::Rte), ("rtz", Rounding::Rtz), ("rtp", Rounding::Rtp), ("rtn", Rounding::Rtn)];
const WIDTHS: [usize; 6] = [1, 2, 3, 4, 8, 16];
const ENABLE: &str = "#pragma OPENCL EXTENSION cl_khr_select_fprounding_mode : enable\n";

/// A type by its OpenCL name.
type Named = (&'static str, Scalar);

const FLOAT: Named = ("float", Scalar::F32);
const DOUBLE: Named = ("double", Scalar::F64);
const HALF: Named = ("half", Scalar::F16);
const INTS: [(Named, bool); 8] = [
    (("char", Scalar::I8), true),
    (("uchar", Scalar::I8), false),
    (("short", Scalar::I16), true),
    (("ushort", Scalar::I16), false),
    (("int", Scalar::I32), true),
    (("uint", Scalar::I32), false),
    (("long", Scalar::I64), true),
    (("ulong", Scalar::I64), false),
];

/// The types with arithmetic.
fn floats() -> Vec<Named> {
    let half = features::feature("cl_khr_fp16").map(|_| HALF);
    [FLOAT, DOUBLE].into_iter().chain(half).collect()
}

/// What a kernel computes: its text over `a`, `b` and `c`, and the op that defines the answer.
#[derive(Clone, Copy)]
struct Case {
    text: &'static str,
    op: Op,
    /// How the operands of `op` follow from `a`, `b` and `c`: numbers of them, negative ones negated, 9 for the
    /// number 1.
    args: &'static [i32],
}

const fn op(text: &'static str, op: Op, args: &'static [i32]) -> Case {
    Case { text, op, args }
}

/// The four operators, plain and compound.
const OPERATORS: &[Case] = &[
    op("r = a + b;", Op::Fadd, &[1, 2]),
    op("r = a - b;", Op::Fsub, &[1, 2]),
    op("r = a * b;", Op::Fmul, &[1, 2]),
    op("r = a / b;", Op::Fdiv, &[1, 2]),
    op("r = a; r += b;", Op::Fadd, &[1, 2]),
    op("r = a; r -= b;", Op::Fsub, &[1, 2]),
    op("r = a; r *= b;", Op::Fmul, &[1, 2]),
    op("r = a; r /= b;", Op::Fdiv, &[1, 2]),
];

/// ++ and --, which vectors have for integers only.
const STEPS: &[Case] = &[op("r = a; r++;", Op::Fadd, &[1, 9]), op("r = a; --r;", Op::Fsub, &[1, 9])];

/// Contracted expressions.
const FUSED: &[Case] = &[
    op("r = a * b + c;", Op::Fma, &[1, 2, 3]),
    op("r = a * b - c;", Op::Fma, &[1, 2, -3]),
    op("r = c - a * b;", Op::Fma, &[-1, 2, 3]),
];

/// Name of a vector type.
fn vector(name: &str, width: usize) -> String {
    if width == 1 { name.to_owned() } else { format!("{name}{width}") }
}

/// Loads and stores element `i` of arrays of vectors, which for three components are packed.
fn load(width: usize, array: &str) -> String {
    if width == 1 { format!("{array}[i]") } else { format!("vload{width}(i, {array})") }
}

fn store(width: usize, value: &str) -> String {
    if width == 1 { format!("o[i] = {value};") } else { format!("vstore{width}({value}, i, o);") }
}

/// A kernel `name` that computes `case` on vectors.
fn arithmetic(name: &str, case: &Case, ty: Named, width: usize) -> String {
    let (elem, whole) = (ty.0, vector(ty.0, width));
    let operands: String =
        ["a", "b", "c"].iter().map(|v| format!("{whole} {v} = {}; ", load(width, &format!("p{v}")))).collect();
    format!(
        "kernel void {name}(global {elem} *pa, global {elem} *pb, global {elem} *pc, global {elem} *o) {{ \
         size_t i = get_global_id(0); {operands}{whole} r; {} {} }}\n",
        case.text,
        store(width, "r")
    )
}

/// A program with `kernels(mode)` in a region of each mode.
fn regions(kernels: impl Fn(&str) -> String) -> Program {
    let regions = MODES.map(|(mode, _)| format!("#pragma OPENCL SELECT_ROUNDING_MODE {mode}\n{}", kernels(mode)));
    Program::new(&format!("{ENABLE}{}", regions.concat()))
}

fn pack(kind: Scalar, values: impl Iterator<Item = u64>) -> Buffer {
    let size = kind.bytes() as usize;
    let bytes: Vec<u8> = values.flat_map(|v| v.to_le_bytes().into_iter().take(size)).collect();
    Buffer::new(&bytes)
}

fn unpack(kind: Scalar, buffer: &Buffer) -> Vec<u64> {
    let size = kind.bytes() as usize;
    let wide = |chunk: &[u8]| chunk.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
    buffer.bytes().chunks_exact(size).map(wide).collect()
}

fn is_nan(kind: Scalar, bits: u64) -> bool {
    let infinity = match kind {
        Scalar::F16 => 0x7c00,
        Scalar::F32 => 0x7f80_0000,
        _ => 0x7ff0_0000_0000_0000,
    };
    bits & (mask(kind) >> 1) > infinity
}

/// Same bits, or both NaN.
fn same(kind: Scalar, a: u64, b: u64) -> bool {
    a == b || is_nan(kind, a) && is_nan(kind, b)
}

/// The operands that `case` takes from a row of three.
fn operands(case: &Case, kind: Scalar, row: &[u64; 3]) -> Vec<u64> {
    let one = reference::eval(Op::Sitofp, Scalar::I32, kind, &[1], &Imm::None, Rounding::Rte);
    let sign = (mask(kind) >> 1) + 1;
    let operand = |&n: &i32| match n {
        9 => one,
        n => row[n.unsigned_abs() as usize - 1] ^ if n < 0 { sign } else { 0 },
    };
    case.args.iter().map(operand).collect()
}

/// Runs `name` on rows of operands and compares every component.
fn check_rows(program: &Program, name: &str, case: &Case, kind: Scalar, width: usize, rm: Rounding, rows: &[[u64; 3]]) {
    let rows = &rows[..rows.len() / width * width];
    let mut inputs = [0, 1, 2].map(|n| pack(kind, rows.iter().map(|row| row[n])));
    let mut out = Buffer::zeroed(rows.len() * kind.bytes() as usize);
    let [a, b, c] = &mut inputs;
    program.run(name, (rows.len() / width) as u64, &mut [a, b, c, &mut out]);
    for (row, got) in rows.iter().zip(unpack(kind, &out)) {
        let args = operands(case, kind, row);
        let want = reference::eval(case.op, kind, kind, &args, &Imm::None, rm);
        assert!(same(kind, got, want), "{name} `{}` {rm:?} on {args:x?}: {got:x}, not {want:x}", case.text);
    }
}

/// Pairs of all special values with a third from among them, and random rows.
fn rows(kind: Scalar, op: Op, n_random: usize, rng: &mut Rng) -> Vec<[u64; 3]> {
    let list = specials(kind);
    let mut rows = Vec::new();
    for &a in &list {
        for &b in &list {
            rows.push([a, b, list[rng.below(list.len())]]);
        }
    }
    rows.extend((0..n_random).map(|_| random_row(kind, op, rng)));
    rows
}

/// All cases on one type and width.
fn check_arithmetic(cases: &[Case], ty: Named, width: usize, n_random: usize) {
    let text = |mode: &str| -> String {
        let one = |(n, case): (usize, &Case)| arithmetic(&format!("k{n}_{mode}"), case, ty, width);
        cases.iter().enumerate().map(one).collect()
    };
    let program = regions(text);
    let mut rng = Rng::new(width as u64);
    for (n, case) in cases.iter().enumerate() {
        let rows = rows(ty.1, case.op, n_random, &mut rng);
        for (mode, rm) in MODES {
            check_rows(&program, &format!("k{n}_{mode}"), case, ty.1, width, rm, &rows);
        }
    }
}

#[test]
fn operators_of_every_type_and_width() {
    for ty in floats() {
        for width in WIDTHS {
            check_arithmetic(OPERATORS, ty, width, 4000);
        }
        check_arithmetic(STEPS, ty, 1, 4000);
    }
}

#[test]
fn contracted_expressions_are_rounded_once() {
    // Without the instruction nothing is contracted.
    if !features::has_fast_fma() {
        return;
    }
    // Half has no such instruction and is never contracted.
    for ty in [FLOAT, DOUBLE] {
        for width in WIDTHS {
            check_arithmetic(FUSED, ty, width, 8000);
        }
    }
}

/// Conversions to `to` by each form that takes the mode of its place, and one by suffix that does not.
fn check_conversions(from: Named, signed: bool, to: Named, width: usize, values: &[u64]) {
    let (source, target) = (vector(from.0, width), vector(to.0, width));
    let mut forms = vec![format!("r = convert_{target}(a);"), format!("r = convert_{target}_rtp(a);")];
    if width == 1 {
        forms.extend(["r = a;".to_owned(), format!("r = ({target})a;"), format!("r = ({target})0; r += a;")]);
    }
    let program = regions(|mode| {
        let kernel = |(n, form): (usize, &String)| {
            format!(
                "kernel void k{n}_{mode}(global {} *pa, global {} *o) {{ size_t i = get_global_id(0); {source} a = {}; \
                 {target} r; {form} {} }}\n",
                from.0,
                to.0,
                load(width, "pa"),
                store(width, "r")
            )
        };
        forms.iter().enumerate().map(kernel).collect()
    });
    let values = &values[..values.len() / width * width];
    let op = match (from.1.is_float(), signed) {
        (true, _) if from.1.bytes() > to.1.bytes() => Op::Fptrunc,
        (true, _) => Op::Fpext,
        (false, true) => Op::Sitofp,
        (false, false) => Op::Uitofp,
    };
    for (n, form) in forms.iter().enumerate() {
        for (mode, rm) in MODES {
            let rm = if n == 1 { Rounding::Rtp } else { rm };
            let mut input = pack(from.1, values.iter().copied());
            let mut out = Buffer::zeroed(values.len() * to.1.bytes() as usize);
            program.run(&format!("k{n}_{mode}"), (values.len() / width) as u64, &mut [&mut input, &mut out]);
            for (&value, got) in values.iter().zip(unpack(to.1, &out)) {
                // The compound form adds in the wider of the two types.
                let add = |kind, x| reference::eval(Op::Fadd, kind, kind, &[0, x], &Imm::None, rm);
                let value_or_sum = if n == 4 && op == Op::Fptrunc { add(from.1, value) } else { value };
                let want = reference::eval(op, from.1, to.1, &[value_or_sum], &Imm::None, rm);
                let want = if n == 4 && op != Op::Fptrunc { add(to.1, want) } else { want };
                assert!(same(to.1, got, want), "{} `{form}` {mode} on {value:x}: {got:x}, not {want:x}", from.0);
            }
        }
    }
}

#[test]
fn integers_convert_in_the_mode() {
    let mut rng = Rng::new(3);
    for (from, signed) in INTS {
        let values = hard::integers(from.1, 6000, &mut rng);
        for to in floats() {
            for width in WIDTHS {
                check_conversions(from, signed, to, width, &values);
            }
        }
    }
}

#[test]
fn floats_convert_in_the_mode() {
    let mut rng = Rng::new(4);
    for from in floats() {
        for to in floats().into_iter().filter(|to| to != &from) {
            let values = hard::for_narrowing(from.1, to.1, 20_000, &mut rng);
            for width in WIDTHS {
                check_conversions(from, true, to, width, &values);
            }
        }
    }
}

/// `vstore_half` and `vstorea_half` of every width, without suffix and with one.
#[test]
fn halves_are_stored_in_the_mode() {
    let mut rng = Rng::new(5);
    for from in [FLOAT, DOUBLE] {
        let values = hard::for_narrowing(from.1, Scalar::F16, 30_000, &mut rng);
        for width in WIDTHS {
            let suffix = if width == 1 { String::new() } else { width.to_string() };
            // Three aligned halves take the room of four.
            let forms = [("vstore_half", "", width), ("vstorea_half", "", if width == 3 { 4 } else { width })]
                .into_iter()
                .chain([("vstore_half", "_rtn", width)]);
            let forms: Vec<_> = forms.collect();
            let program = regions(|mode| {
                let kernel = |(n, (store, rounding, _)): (usize, &(&str, &str, usize))| {
                    let load = load(width, "pa");
                    let from = from.0;
                    format!(
                        "kernel void k{n}_{mode}(global {from} *pa, global half *o) {{ size_t i = get_global_id(0); \
                         {store}{suffix}{rounding}({load}, i, o); }}\n"
                    )
                };
                forms.iter().enumerate().map(kernel).collect()
            });
            let values = &values[..values.len() / width * width];
            for (n, &(store, rounding, stride)) in forms.iter().enumerate() {
                for (mode, rm) in MODES {
                    let rm = if rounding == "_rtn" { Rounding::Rtn } else { rm };
                    let items = values.len() / width;
                    let mut input = pack(from.1, values.iter().copied());
                    let mut out = Buffer::zeroed(items * stride * 2);
                    program.run(&format!("k{n}_{mode}"), items as u64, &mut [&mut input, &mut out]);
                    let got = unpack(Scalar::F16, &out);
                    for (at, &value) in values.iter().enumerate() {
                        let got = got[at / width * stride + at % width];
                        let want = reference::eval(Op::Fptrunc, from.1, Scalar::F16, &[value], &Imm::None, rm);
                        let what = format!("{store}{suffix}{rounding} of {}", from.0);
                        assert!(same(Scalar::F16, got, want), "{what} {mode} on {value:x}: {got:x}, not {want:x}");
                    }
                }
            }
        }
    }
}

/// A constant with these bits, as a file-scope initialiser can have it.
fn literal(kind: Scalar, bits: u64) -> String {
    let x = match kind {
        Scalar::F32 => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits),
    };
    let sign = if bits > mask(kind) >> 1 { "-" } else { "" };
    let suffix = if kind == Scalar::F32 { "f" } else { "" };
    if x.is_nan() {
        return format!("{sign}(INFINITY - INFINITY)");
    }
    if x.is_infinite() {
        return format!("{sign}INFINITY");
    }
    let bits = x.to_bits();
    let (exponent, fraction) = ((bits >> 52 & 0x7ff) as i64, bits & ((1 << 52) - 1));
    let (lead, exponent) = if exponent == 0 { (0, -1022) } else { (1, exponent - 1023) };
    format!("{sign}0x{lead}.{fraction:013x}p{exponent}{suffix}")
}

/// Constant expressions, at file scope, inside a kernel and in what is inlined there, have the values that the machine
/// would compute.
#[test]
fn folded_constants_equal_computed_values() {
    let mut rng = Rng::new(6);
    let cases: Vec<Case> = OPERATORS[..4].iter().chain(&FUSED[..1]).copied().collect();
    for ty in [FLOAT, DOUBLE] {
        let kind = ty.1;
        let list = specials(kind);
        for case in cases.iter().filter(|c| c.op != Op::Fma || features::has_fast_fma()) {
            let n = 400;
            let rows: Vec<[u64; 3]> = (0..n)
                .map(|i| {
                    let special = [0; 3].map(|_| list[rng.below(list.len())]);
                    if i % 2 == 0 { special } else { random_row(kind, case.op, &mut rng) }
                })
                .collect();
            let constants = |row: &[u64; 3]| row.map(|bits| format!("(({}){})", ty.0, literal(kind, bits)));
            let infix = |[a, b, c]: [String; 3]| match case.op {
                Op::Fadd => format!("{a} + {b}"),
                Op::Fsub => format!("{a} - {b}"),
                Op::Fmul => format!("{a} * {b}"),
                Op::Fdiv => format!("{a} / {b}"),
                _ => format!("{a} * {b} + {c}"),
            };
            let text = |row: &[u64; 3]| infix(constants(row));
            let program = regions(|mode| {
                let list: Vec<String> = rows.iter().map(text).collect();
                let store = |(i, row): (usize, &[u64; 3])| {
                    let call = format!("f_{mode}({})", constants(row).join(", "));
                    format!("o[{}] = {};\no[{}] = {call};\n", n + i, text(row), 2 * n + i)
                };
                let stores: String = rows.iter().enumerate().map(store).collect();
                format!(
                    "constant {t} table_{mode}[] = {{ {} }};\n{t} f_{mode}({t} a, {t} b, {t} c) {{ return {}; }}\n\
                     kernel void k_{mode}(global {t} *o) {{ \
                     for (int i = 0; i < {n}; i++) o[i] = table_{mode}[i];\n{stores} }}\n",
                    list.join(",\n"),
                    infix(["a", "b", "c"].map(str::to_owned)),
                    t = ty.0
                )
            });
            for (mode, rm) in MODES {
                let mut out = Buffer::zeroed(3 * n * kind.bytes() as usize);
                program.run(&format!("k_{mode}"), 1, &mut [&mut out]);
                for (i, got) in unpack(kind, &out).into_iter().enumerate() {
                    let args = operands(case, kind, &rows[i % n]);
                    let want = reference::eval(case.op, kind, kind, &args, &Imm::None, rm);
                    let place = ["initialiser", "kernel", "inlined function"][i / n];
                    let what = case.text;
                    assert!(same(kind, got, want), "{place} {what} {mode} {args:x?}: {got:x}, not {want:x}");
                }
            }
        }
    }
}

/// The arithmetic that folds and interprets, against the processor.
#[test]
fn exact_arithmetic_agrees_with_the_processor() {
    let mut rng = Rng::new(7);
    for kind in [Scalar::F16, Scalar::F32, Scalar::F64] {
        let f = softfloat::Format::of(kind);
        for op in [Op::Fadd, Op::Fsub, Op::Fmul, Op::Fdiv, Op::Fma] {
            for row in rows(kind, op, 20_000, &mut rng) {
                let [a, b, c] = row;
                for (_, rm) in MODES {
                    let got = match op {
                        Op::Fadd => softfloat::add(f, a, b, rm),
                        Op::Fsub => softfloat::sub(f, a, b, rm),
                        Op::Fmul => softfloat::mul(f, a, b, rm),
                        Op::Fdiv => softfloat::div(f, a, b, rm),
                        _ => softfloat::fma(f, a, b, c, rm),
                    };
                    let want = reference::eval(op, kind, kind, &row, &Imm::None, rm);
                    assert!(same(kind, got, want), "{op:?} {kind} {rm:?} on {row:x?}: {got:x}, not {want:x}");
                }
            }
        }
        for to in [Scalar::F16, Scalar::F32].into_iter().filter(|to| to.bytes() < kind.bytes()) {
            for value in hard::for_narrowing(kind, to, 50_000, &mut rng) {
                for (_, rm) in MODES {
                    let got = softfloat::convert(f, softfloat::Format::of(to), value, rm);
                    let want = reference::eval(Op::Fptrunc, kind, to, &[value], &Imm::None, rm);
                    assert!(same(to, got, want), "{kind} to {to} {rm:?} on {value:x}: {got:x}, not {want:x}");
                }
            }
        }
    }
}

/// Ten million rows per operation and mode, in parts.
#[test]
#[ignore = "takes minutes; for nightly runs"]
fn ten_million_pairs_of_float() {
    const PART: usize = 100_000;
    let cases: Vec<Case> = OPERATORS[..4].iter().chain(&FUSED[..1]).copied().collect();
    for ty in [FLOAT, DOUBLE] {
        let program = regions(|mode| {
            let one = |(n, case): (usize, &Case)| arithmetic(&format!("k{n}_{mode}"), case, ty, 4);
            cases.iter().enumerate().map(one).collect()
        });
        let parts = if ty == FLOAT { 100 } else { 20 };
        for (n, case) in cases.iter().enumerate().filter(|(_, c)| c.op != Op::Fma || features::has_fast_fma()) {
            let mut rng = Rng::new(1000 + n as u64);
            for _ in 0..parts {
                let rows: Vec<[u64; 3]> = (0..PART).map(|_| random_row(ty.1, case.op, &mut rng)).collect();
                for (mode, rm) in MODES {
                    check_rows(&program, &format!("k{n}_{mode}"), case, ty.1, 4, rm, &rows);
                }
            }
        }
    }
}

/// Sums and products in `modes` of every `step`-th half with every half, against the exact arithmetic (which is held
/// against the processor above).
fn check_pairs_of_halves(modes: &[(&str, Rounding)], step: usize) {
    if features::feature("cl_khr_fp16").is_none() {
        return;
    }
    let cases = [OPERATORS[0], OPERATORS[2]];
    let program = regions(|mode| {
        let one = |(n, case): (usize, &Case)| arithmetic(&format!("k{n}_{mode}"), case, HALF, 4);
        cases.iter().enumerate().map(one).collect()
    });
    let every: Vec<u64> = (0..0x1_0000).collect();
    let mut b = pack(Scalar::F16, every.iter().copied());
    for a in (0..0x1_0000).step_by(step) {
        let mut same_a = pack(Scalar::F16, every.iter().map(|_| a));
        let mut unused = Buffer::zeroed(every.len() * 2);
        for (n, case) in cases.iter().enumerate() {
            for &(mode, rm) in modes {
                let mut out = Buffer::zeroed(every.len() * 2);
                let name = format!("k{n}_{mode}");
                program.run(&name, every.len() as u64 / 4, &mut [&mut same_a, &mut b, &mut unused, &mut out]);
                for (&b, got) in every.iter().zip(unpack(Scalar::F16, &out)) {
                    let exact = if case.op == Op::Fadd { softfloat::add } else { softfloat::mul };
                    let want = exact(softfloat::F16, a, b, rm);
                    assert!(same(Scalar::F16, got, want), "{name} on {a:x} {b:x}: {got:x}, not {want:x}");
                }
            }
        }
    }
}

#[test]
fn some_pairs_of_halves() {
    check_pairs_of_halves(&MODES, 3989);
}

/// All pairs, each day in another mode.
#[test]
#[ignore = "takes many minutes; for nightly runs"]
fn every_pair_of_halves() {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("a clock after 1970");
    let day = (now.as_secs() / 86_400 % 4) as usize;
    check_pairs_of_halves(&MODES[day..=day], 1);
}
