//! Machine code of every op on every type and width, bit for bit against `support/reference.rs`.
#![cfg(target_arch = "x86_64")]
#![allow(unsafe_code, reason = "runs generated code on buffers made here")]

#[path = "support/reference.rs"]
mod reference;

use clift_jit::codegen::{ProgramData, Scratch, compile};
use clift_jit::ir::op::Flags;
use clift_jit::ir::{
    Attr, Builder, FloatPred, Func, Imm, IntPred, Module, Op, Rounding, Scalar, Target, Term, Type, Value,
};
use clift_jit::launch::{AddrSpace, Env};

const WIDTHS: [u8; 6] = [1, 2, 3, 4, 8, 16];
const INTS: [Scalar; 4] = [Scalar::I8, Scalar::I16, Scalar::I32, Scalar::I64];
const FLOATS: [Scalar; 3] = [Scalar::F16, Scalar::F32, Scalar::F64];
const ROUNDINGS: [Rounding; 4] = [Rounding::Rte, Rounding::Rtz, Rounding::Rtp, Rounding::Rtn];

struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }
}

/// Values where ops go wrong.
fn specials(kind: Scalar) -> Vec<u64> {
    let bits = kind.bits();
    let ones = u64::MAX >> (64 - bits);
    if kind == Scalar::I1 {
        return vec![0, 1];
    }
    if kind.is_int() {
        let mut v = vec![0, 1, 2, 3, 7, 10, ones, ones - 1, ones >> 1, (ones >> 1) + 1, (ones >> 1) - 1, 0x55 & ones];
        v.extend([8, 15, 16, 31, 32, 63, 64].iter().map(|x| x & ones));
        v.extend([bits / 2, bits - 2].map(|n| (1u64 << n) & ones));
        v.extend([24, 53].map(|n: u32| ((1u64 << n.min(bits - 1)) + 1) & ones));
        return v;
    }
    let (mantissa, exponent_bits) = match kind {
        Scalar::F16 => (10, 5),
        Scalar::F32 => (23, 8),
        _ => (52, 11),
    };
    let bias = (1u64 << (exponent_bits - 1)) - 1;
    let value = |exp: u64, fraction: u64| exp << mantissa | fraction;
    let full = (1u64 << mantissa) - 1;
    let top = (1u64 << exponent_bits) - 1;
    let mut v = vec![
        0,
        1,
        2,
        full,
        value(1, 0),
        value(1, 1),
        value(bias, 0),
        value(bias, 1),
        value(bias - 1, 0),
        value(bias - 1, full),
        value(bias, full),
        value(bias + 1, 1 << (mantissa - 1)),
        value(bias + 1, 1 << (mantissa - 2)),
        value(top - 1, full),
        value(top - 1, full - 1),
        value(top, 0),
        value(top, 1 << (mantissa - 1)),
        value(top, 1 << (mantissa - 1) | 1),
    ];
    for limit in [7, 8, 15, 16, 31, 32, 63, 64] {
        if bias + limit < top {
            v.extend([value(bias + limit, 0), value(bias + limit - 1, full), value(bias + limit, 1)]);
        }
    }
    for other in [(5, 15), (8, 127), (11, 1023)] {
        // The edges of the narrower formats: largest finite, smallest normal, smallest subnormal.
        let digits = [10, 23, 52][[5, 8, 11].iter().position(|&x| x == other.0).unwrap_or(0)];
        if other.1 < bias {
            v.extend([
                value(bias + other.1, full),
                value(bias + other.1, full ^ full >> digits),
                value(bias + 1 - other.1, 0),
            ]);
            v.extend([
                value(bias + 1 - other.1 - digits, 0),
                value(bias - other.1 - digits, 0),
                value(bias - other.1 - digits, 1),
            ]);
        }
    }
    let negative: Vec<u64> = v.iter().map(|x| x | 1 << (bits - 1)).collect();
    v.extend(negative);
    v
}

/// A random value with interesting structure.
fn random(kind: Scalar, rng: &mut Rng) -> u64 {
    let bits = kind.bits();
    let ones = u64::MAX >> (64 - bits);
    let raw = rng.next();
    if kind.is_int() {
        return match raw % 4 {
            0 => raw >> 8 & 0xff & ones,
            1 => (raw >> 8) >> (raw % 56),
            2 => !((raw >> 8) >> (raw % 56)),
            _ => rng.next(),
        } & ones;
    }
    let x = rng.next() & ones;
    let (mantissa, exponent_bits) = match kind {
        Scalar::F16 => (10, 5),
        Scalar::F32 => (23, 8),
        _ => (52, 11),
    };
    let bias = (1u64 << (exponent_bits - 1)) - 1;
    let exponent_mask = ((1u64 << exponent_bits) - 1) << mantissa;
    match raw % 4 {
        // Near 1, with few bits set, or anything at all.
        0 => (x & !exponent_mask) | (bias - 4 + raw / 8 % 9) << mantissa,
        1 => (x & !exponent_mask & !(ones >> (bits - mantissa / 2))) | (bias - 2 + raw / 8 % 5) << mantissa,
        2 => (x & !exponent_mask) | (bias / 2 + raw / 8 % bias) << mantissa,
        _ => x,
    }
}

#[derive(Clone)]
struct Case {
    op: Op,
    args: Vec<Type>,
    ret: Type,
    imm: Imm,
    rm: Rounding,
}

impl Case {
    fn same(op: Op, n: usize, ty: Type) -> Self {
        Self { op, args: vec![ty; n], ret: ty, imm: Imm::None, rm: Rounding::Rte }
    }
    fn imm(mut self, imm: Imm, ret: Type) -> Self {
        self.imm = imm;
        self.ret = ret;
        self
    }
    fn rm(mut self, rm: Rounding) -> Self {
        self.rm = rm;
        self
    }
}

/// Loads and stores see booleans as bytes.
fn memory(ty: Type) -> Type {
    if ty.elem == Scalar::I1 { ty.with_elem(Scalar::I8) } else { ty }
}

/// A function `fn(args, env, g0, g1)` that runs `body` for each i in g0..g1 on operands read from arrays and stores the
/// result to the last array.
fn looped(name: &str, args: &[Type], ret: Type, body: impl FnOnce(&mut Builder<'_>, &[Value]) -> Value) -> Func {
    let ptr = Type::ptr(AddrSpace::Constant);
    let mut func = Func::new(name, vec![ptr, ptr, Type::I64, Type::I64], None);
    let entry = func.entry();
    let params = func.blocks[entry].params.clone();
    let (head, work, exit) = (func.add_block(), func.add_block(), func.add_block());
    let i = func.add_param(head, Type::I64);
    let mut b = Builder::new(&mut func, entry);
    let invariant = Attr { flags: Flags::INVARIANT, ..Attr::default() };
    let arrays: Vec<Value> = (0..=args.len())
        .map(|n| {
            let at = b.ptr_off(params[0], 8 * n as i64);
            b.load(Type::ptr(AddrSpace::Global), at, invariant)
        })
        .collect();
    b.jump(head, &[params[2]]);
    b.enter(head);
    let more = b.icmp(IntPred::ULt, i, params[3]);
    b.branch(more, work, exit);
    b.enter(work);
    let operands: Vec<Value> = args
        .iter()
        .zip(&arrays)
        .map(|(&ty, &array)| {
            let at = b.ptr_add(array, i, memory(ty).bytes(), 0);
            let v = b.load(memory(ty), at, Attr::default());
            if ty.elem == Scalar::I1 { b.convert(Op::Trunci, ty, v) } else { v }
        })
        .collect();
    let result = body(&mut b, &operands);
    let result = if ret.elem == Scalar::I1 { b.convert(Op::Zext, memory(ret), result) } else { result };
    let at = b.ptr_add(arrays[args.len()], i, memory(ret).bytes(), 0);
    b.store(at, result, Attr::default());
    let one = b.i64(1);
    let next = b.op(Op::Add, &[i, one]);
    b.jump(head, &[next]);
    b.enter(exit);
    b.end(Term::Ret(None));
    func
}

fn write_lane(buffer: &mut Vec<u8>, kind: Scalar, bits: u64) {
    buffer.extend_from_slice(&bits.to_le_bytes()[..kind.bytes() as usize]);
}

fn read_lane(buffer: &[u8], kind: Scalar, n: usize) -> u64 {
    let size = kind.bytes() as usize;
    let mut bytes = [0; 8];
    bytes[..size].copy_from_slice(&buffer[n * size..][..size]);
    u64::from_le_bytes(bytes)
}

fn env() -> Env {
    Env {
        global_size: [1; 3],
        global_offset: [0; 3],
        local_size: [1; 3],
        num_groups: [1; 3],
        work_dim: 1,
        local: std::ptr::null_mut(),
        local_bytes: 0,
        scratch: std::ptr::null_mut(),
        scratch_bytes: 0,
    }
}

/// Runs a compiled loop over `n` items.
fn run(module: &Module, func: &Func, inputs: &[Vec<u8>], out_bytes: usize, n: u64) -> Vec<u8> {
    let data = ProgramData::new(module).expect("no variables");
    let code =
        compile(module, func, &data, Scratch::default()).unwrap_or_else(|e| panic!("{}: {}", func.name, e.message));
    let mut out = vec![0xa5u8; out_bytes + 64];
    let mut block: Vec<*const u8> = inputs.iter().map(|v| v.as_ptr()).collect();
    block.push(out.as_mut_ptr());
    // SAFETY: the arrays are as long as the loop needs.
    unsafe { code.run(block.as_ptr().cast(), &env(), 0..n) }
    assert!(out[out_bytes..].iter().all(|&b| b == 0xa5), "{}: wrote beyond the result", func.name);
    out.truncate(out_bytes);
    out
}

fn equal(kind: Scalar, op: Op, a: u64, b: u64) -> bool {
    if a == b {
        return true;
    }
    let (nan_above, sign) = match kind {
        Scalar::F16 => (0x7c00u64, 1u64 << 15),
        Scalar::F32 => (0x7f80_0000, 1 << 31),
        Scalar::F64 => (0x7ff0_0000_0000_0000, 1 << 63),
        _ => return false,
    };
    if matches!(op, Op::Fneg | Op::Fabs | Op::Copysign | Op::Select) {
        return false;
    }
    a & !sign > nan_above && b & !sign > nan_above
}

/// Checks one case on special values crossed with each other, and on random ones.
fn check(case: &Case, rng: &mut Rng) {
    let lanes = usize::from(case.ret.lanes);
    let kinds: Vec<Scalar> = case.args.iter().map(|t| t.elem).collect();
    let mut rows: Vec<Vec<u64>> = Vec::new();
    let lists: Vec<Vec<u64>> = kinds.iter().map(|&k| specials(k)).collect();
    let product: usize = lists.iter().map(Vec::len).product();
    let few = product > 4000 || lanes > 1;
    for n in 0..if few { 600 } else { product } {
        let mut n = if few { rng.next() as usize % product } else { n };
        rows.push(lists.iter().map(|l| (l[n % l.len()], n /= l.len()).0).collect());
    }
    for _ in 0..1000 {
        let row = kinds.iter().map(|&k| {
            if rng.next() % 8 == 0 { specials(k)[rng.next() as usize % specials(k).len()] } else { random(k, rng) }
        });
        rows.push(row.collect());
    }
    rows.truncate(rows.len() / lanes * lanes);
    let n = rows.len() / lanes;
    let inputs: Vec<Vec<u8>> = (0..kinds.len())
        .map(|a| {
            let mut buffer = Vec::new();
            if case.args[a].lanes == 1 {
                (0..n).for_each(|i| write_lane(&mut buffer, kinds[a], rows[i * lanes][a]));
            } else {
                rows.iter().for_each(|row| write_lane(&mut buffer, kinds[a], row[a]));
            }
            buffer
        })
        .collect();
    let name = format!("{:?} {:?} -> {} {:?} {:?}", case.op, case.args, case.ret, case.imm, case.rm);
    let func = looped(&name, &case.args, case.ret, |b, args| {
        let attr = Attr { rm: case.rm, ..Attr::default() };
        b.typed(case.op, case.ret, args, case.imm.clone(), attr)
    });
    let out = run(&Module::default(), &func, &inputs, rows.len() * memory(case.ret).elem.bytes() as usize, n as u64);
    for (i, row) in rows.iter().enumerate() {
        let mut row = row.clone();
        for (a, ty) in case.args.iter().enumerate() {
            if ty.lanes == 1 {
                row[a] = rows[i / lanes * lanes][a];
            }
        }
        let want = reference::eval(case.op, kinds[0], case.ret.elem, &row, &case.imm, case.rm);
        let got = read_lane(&out, case.ret.elem, i);
        assert!(equal(case.ret.elem, case.op, got, want), "{name}: on {row:x?} got {got:x}, not {want:x}");
    }
}

fn check_all(cases: impl IntoIterator<Item = Case>) {
    let mut rng = Rng(0x1234_5678_9abc_def1);
    for case in cases {
        check(&case, &mut rng);
    }
}

fn widths(kinds: &[Scalar]) -> Vec<Type> {
    kinds.iter().flat_map(|&k| WIDTHS.map(|w| Type::scalar(k).with_lanes(w))).collect()
}

#[test]
fn integer_ops() {
    use Op::*;
    let unary = [Not, Neg, Clz, Ctz, Popcnt, Bitrev, AbsS];
    let binary = [
        Add, Sub, Mul, MulHiS, MulHiU, DivS, DivU, RemS, RemU, And, Or, Xor, Shl, Lshr, Ashr, Rotl, MinS, MinU, MaxS,
        MaxU, AddSatS, AddSatU, SubSatS, SubSatU, HaddS, HaddU, RhaddS, RhaddU,
    ];
    for ty in widths(&INTS) {
        check_all(unary.map(|op| Case::same(op, 1, ty)));
        check_all(binary.map(|op| Case::same(op, 2, ty)));
    }
}

#[test]
fn boolean_ops() {
    use Op::*;
    for ty in widths(&[Scalar::I1]) {
        check_all([And, Or, Xor].map(|op| Case::same(op, 2, ty)));
        check_all([Not].map(|op| Case::same(op, 1, ty)));
        for to in INTS {
            check_all([Sext, Zext].map(|op| Case { args: vec![ty], ..Case::same(op, 1, ty.with_elem(to)) }));
            check_all([Case { args: vec![ty.with_elem(to)], ..Case::same(Trunci, 1, ty) }]);
        }
    }
}

#[test]
fn comparisons() {
    use FloatPred as F;
    use IntPred as I;
    for ty in widths(&INTS) {
        let preds = [I::Eq, I::Ne, I::SLt, I::SLe, I::SGt, I::SGe, I::ULt, I::ULe, I::UGt, I::UGe];
        check_all(preds.map(|p| Case::same(Op::Icmp, 2, ty).imm(Imm::IntPred(p), ty.with_elem(Scalar::I1))));
    }
    for ty in widths(&FLOATS) {
        let preds = [
            F::OEq,
            F::ONe,
            F::OLt,
            F::OLe,
            F::OGt,
            F::OGe,
            F::Ord,
            F::UEq,
            F::UNe,
            F::ULt,
            F::ULe,
            F::UGt,
            F::UGe,
            F::Uno,
        ];
        check_all(preds.map(|p| Case::same(Op::Fcmp, 2, ty).imm(Imm::FloatPred(p), ty.with_elem(Scalar::I1))));
    }
}

#[test]
fn float_ops() {
    use Op::*;
    for ty in widths(&FLOATS) {
        check_all([Fneg, Fabs, Sqrt, Ceil, Floor, Trunc, Rint].map(|op| Case::same(op, 1, ty)));
        check_all([Fadd, Fsub, Fmul, Fdiv, Copysign, Fmin, Fmax].map(|op| Case::same(op, 2, ty)));
        check_all([Case::same(Fma, 3, ty)]);
    }
    // The reference for this one takes its time on far-apart exponents.
    check_all(FLOATS.map(|k| Case::same(Frem, 2, Type::scalar(k).with_lanes(4))));
}

#[test]
fn directed_arithmetic() {
    use Op::*;
    for ty in widths(&FLOATS) {
        for rm in ROUNDINGS {
            check_all([Fadd, Fsub, Fmul, Fdiv].map(|op| Case::same(op, 2, ty).rm(rm)));
            check_all([Case::same(Fma, 3, ty).rm(rm)]);
        }
    }
}

#[test]
fn directed_arithmetic_on_many_values() {
    use Op::*;
    let mut rng = Rng(77);
    for kind in FLOATS {
        for rm in ROUNDINGS {
            for _ in 0..if kind == Scalar::F64 { 40 } else { 10 } {
                [Fadd, Fsub, Fmul, Fdiv]
                    .iter()
                    .for_each(|&op| check(&Case::same(op, 2, Type::scalar(kind)).rm(rm), &mut rng));
                check(&Case::same(Fma, 3, Type::scalar(kind)).rm(rm), &mut rng);
            }
        }
    }
}

#[test]
fn conversions() {
    use Op::*;
    for lanes in WIDTHS {
        let ty = |k: Scalar| Type::scalar(k).with_lanes(lanes);
        let case = |op, from, to, rm| Case { op, args: vec![ty(from)], ret: ty(to), imm: Imm::None, rm };
        for from in INTS {
            for to in INTS {
                if to.bits() > from.bits() {
                    check_all([Sext, Zext].map(|op| case(op, from, to, Rounding::Rte)));
                } else if to.bits() < from.bits() {
                    check_all([case(Trunci, from, to, Rounding::Rte)]);
                }
            }
            for to in FLOATS {
                for rm in ROUNDINGS {
                    check_all([Sitofp, Uitofp].map(|op| case(op, from, to, rm)));
                    check_all([Fptosi, Fptoui].map(|op| case(op, to, from, rm)));
                }
            }
        }
        for from in FLOATS {
            for to in FLOATS {
                if to.bits() > from.bits() {
                    check_all([case(Fpext, from, to, Rounding::Rte)]);
                } else if to.bits() < from.bits() {
                    check_all(ROUNDINGS.map(|rm| case(Fptrunc, from, to, rm)));
                }
            }
        }
    }
}

#[test]
fn every_half_and_its_neighbours_convert() {
    // All halves to f32 and back; and f32 values around every midpoint, in all modes.
    let mut rng = Rng(3);
    let inputs: Vec<u64> = (0..=0xffffu64).collect();
    let mut buffer = Vec::new();
    inputs.iter().for_each(|&h| write_lane(&mut buffer, Scalar::F16, h));
    let func = looped("widen", &[Type::F16], Type::F32, |b, a| b.convert(Op::Fpext, Type::F32, a[0]));
    let wide = run(&Module::default(), &func, &[buffer], 4 << 16, 1 << 16);
    for &h in &inputs {
        let want = reference::eval(Op::Fpext, Scalar::F16, Scalar::F32, &[h], &Imm::None, Rounding::Rte);
        assert!(equal(Scalar::F32, Op::Fpext, read_lane(&wide, Scalar::F32, h as usize), want), "half {h:x}");
    }
    for (kind, ty) in [(Scalar::F32, Type::F32), (Scalar::F64, Type::F64)] {
        let mut values = Vec::new();
        for h in 0..0xffffu16 {
            let (low, high) = (half::f16::from_bits(h).to_f64(), half::f16::from_bits(h + 1).to_f64());
            let middle = (low + high) / 2.0;
            for x in
                [middle, middle.next_up(), middle.next_down(), low + (high - low) * (rng.next() as f64 / 2f64.powi(64))]
            {
                values.push(if kind == Scalar::F32 { u64::from((x as f32).to_bits()) } else { x.to_bits() });
            }
        }
        let mut buffer = Vec::new();
        values.iter().for_each(|&x| write_lane(&mut buffer, kind, x));
        for rm in ROUNDINGS {
            let func = looped("narrow", &[ty], Type::F16, |b, a| {
                b.typed(Op::Fptrunc, Type::F16, a, Imm::None, Attr { rm, ..Attr::default() })
            });
            let out =
                run(&Module::default(), &func, std::slice::from_ref(&buffer), values.len() * 2, values.len() as u64);
            for (i, &x) in values.iter().enumerate() {
                let want = reference::eval(Op::Fptrunc, kind, Scalar::F16, &[x], &Imm::None, rm);
                let got = read_lane(&out, Scalar::F16, i);
                assert!(equal(Scalar::F16, Op::Fptrunc, got, want), "{kind} {x:x} {rm:?}: got {got:x}, not {want:x}");
            }
        }
    }
}

#[test]
fn selects() {
    for ty in
        widths(&[Scalar::I1, Scalar::I8, Scalar::I16, Scalar::I32, Scalar::I64, Scalar::F16, Scalar::F32, Scalar::F64])
    {
        for cond in [Type::I1, Type::I1.with_lanes(ty.lanes)] {
            check_all([Case { op: Op::Select, args: vec![cond, ty, ty], ret: ty, imm: Imm::None, rm: Rounding::Rte }]);
        }
    }
}

#[test]
fn select_of_compared_floats_keeps_nan_and_zero_signs() {
    for kind in [Scalar::F32, Scalar::F64] {
        let ty = Type::scalar(kind);
        for pred in [FloatPred::OLt, FloatPred::OGt, FloatPred::OLe, FloatPred::UGt] {
            for swapped in [false, true] {
                let func = looped("pick", &[ty, ty], ty, |b, a| {
                    let c = b.fcmp(pred, a[0], a[1]);
                    if swapped { b.op(Op::Select, &[c, a[1], a[0]]) } else { b.op(Op::Select, &[c, a[0], a[1]]) }
                });
                let list = specials(kind);
                let pairs: Vec<(u64, u64)> = list.iter().flat_map(|&x| list.iter().map(move |&y| (x, y))).collect();
                let mut inputs = [Vec::new(), Vec::new()];
                for &(x, y) in &pairs {
                    write_lane(&mut inputs[0], kind, x);
                    write_lane(&mut inputs[1], kind, y);
                }
                let out = run(&Module::default(), &func, &inputs, inputs[0].len(), pairs.len() as u64);
                for (i, &(x, y)) in pairs.iter().enumerate() {
                    let c =
                        reference::eval(Op::Fcmp, kind, Scalar::I1, &[x, y], &Imm::FloatPred(pred), Rounding::Rte) == 1;
                    let want = if c != swapped { x } else { y };
                    assert_eq!(read_lane(&out, kind, i), want, "{pred:?} {swapped} {x:x} {y:x}");
                }
            }
        }
    }
}

#[test]
fn selects_by_the_sign_of_a_comparison() {
    for (kind, int) in [(Scalar::F32, Scalar::I32), (Scalar::F64, Scalar::I64)] {
        for lanes in WIDTHS {
            let ty = Type::scalar(kind).with_lanes(lanes);
            let int = ty.with_elem(int);
            for pred in [IntPred::SLt, IntPred::Ne] {
                let size = kind.bytes() as usize;
                // Bytes 0x40 to 0x4f throughout: no NaNs, and signs all alike.
                let inputs =
                    [3usize, 7].map(|k| -> Vec<u8> { (0..64 * size).map(|i| 0x40 + (i * k % 16) as u8).collect() });
                let func = looped("select by sign", &[ty, ty], ty, |b, a| {
                    let less = b.fcmp(FloatPred::OLt, a[0], a[1]);
                    let wide = b.convert(Op::Sext, int, less);
                    let zero = b.bits(int, 0);
                    let test = b.icmp(pred, wide, zero);
                    b.op(Op::Select, &[test, a[0], a[1]])
                });
                let n = 64 / usize::from(lanes);
                let out = run(&Module::default(), &func, &inputs, n * usize::from(lanes) * size, n as u64);
                for i in 0..n * usize::from(lanes) {
                    let (x, y) = (read_lane(&inputs[0], kind, i), read_lane(&inputs[1], kind, i));
                    // Positive floats compare like their bits.
                    assert_eq!(read_lane(&out, kind, i), x.min(y), "{ty} {pred:?} lane {i}");
                }
            }
        }
    }
}

#[test]
fn division_by_constants() {
    use Op::*;
    let mut rng = Rng(5);
    for kind in INTS {
        let ty = Type::scalar(kind);
        let ones = u64::MAX >> (64 - kind.bits());
        for divisor in [0, 1, 2, 3, 5, 7, 10, 16, 100, ones, ones - 1, ones >> 1, (ones >> 1) + 1] {
            for op in [DivS, DivU, RemS, RemU] {
                let mut values = specials(kind);
                values.extend((0..200).map(|_| random(kind, &mut rng)));
                let mut buffer = Vec::new();
                values.iter().for_each(|&v| write_lane(&mut buffer, kind, v));
                let func = looped("div", &[ty], ty, |b, a| {
                    let d = b.bits(ty, divisor);
                    b.op(op, &[a[0], d])
                });
                let out =
                    run(&Module::default(), &func, std::slice::from_ref(&buffer), buffer.len(), values.len() as u64);
                for (i, &v) in values.iter().enumerate() {
                    let want = reference::eval(op, kind, kind, &[v, divisor & ones], &Imm::None, Rounding::Rte);
                    assert_eq!(read_lane(&out, kind, i), want, "{op:?} {kind}: {v:x} by {divisor:x}");
                }
            }
        }
    }
}

/// Runs `body` on random bytes and compares with `want`, which maps one item's input bytes to its output bytes.
fn check_bytes(
    name: &str,
    args: &[Type],
    ret: Type,
    body: impl FnOnce(&mut Builder<'_>, &[Value]) -> Value,
    want: impl Fn(&[&[u8]]) -> Vec<u8>,
) {
    let mut rng = Rng(9);
    let n = 50;
    let inputs: Vec<Vec<u8>> = args.iter().map(|t| (0..n * t.bytes()).map(|_| rng.next() as u8).collect()).collect();
    let func = looped(name, args, ret, body);
    let out = run(&Module::default(), &func, &inputs, (n * ret.bytes()) as usize, u64::from(n));
    for i in 0..n as usize {
        let item: Vec<&[u8]> = inputs
            .iter()
            .zip(args)
            .map(|(buffer, ty)| &buffer[i * ty.bytes() as usize..][..ty.bytes() as usize])
            .collect();
        let size = ret.bytes() as usize;
        assert_eq!(out[i * size..][..size], want(&item)[..], "{name}, item {i}");
    }
}

#[test]
fn vectors_are_built_taken_apart_and_shuffled() {
    for kind in [Scalar::I8, Scalar::I16, Scalar::I32, Scalar::I64, Scalar::F16, Scalar::F32, Scalar::F64] {
        let size = kind.bytes() as usize;
        for lanes in [2u8, 3, 4, 8, 16] {
            let (lane, ty) = (Type::scalar(kind), Type::scalar(kind).with_lanes(lanes));
            let picks: Vec<u8> = (0..lanes).map(|i| (i * 5 + 3) % (2 * lanes)).collect();
            check_bytes(
                "shuffle",
                &[ty, ty],
                ty,
                |b, a| b.typed(Op::Shuffle, ty, a, Imm::Lanes(picks.clone().into()), Attr::default()),
                |x| {
                    picks
                        .iter()
                        .flat_map(|&p| [x[0], x[1]].concat()[usize::from(p) * size..][..size].to_vec())
                        .collect()
                },
            );
            check_bytes(
                "insert, extract, splat, build",
                &[ty, lane],
                ty,
                |b, a| {
                    let last = b.typed(Op::Extract, lane, &[a[0]], Imm::Lane(lanes - 1), Attr::default());
                    let all = b.convert(Op::Splat, ty, last);
                    let mixed = b.typed(Op::Insert, ty, &[all, a[1]], Imm::Lane(1), Attr::default());
                    let parts: Vec<Value> = (0..lanes)
                        .map(|i| b.typed(Op::Extract, lane, &[mixed], Imm::Lane(i), Attr::default()))
                        .collect();
                    b.typed(Op::Build, ty, &parts, Imm::None, Attr::default())
                },
                |x| {
                    let last = &x[0][x[0].len() - size..];
                    (0..lanes).flat_map(|i| if i == 1 { x[1] } else { last }.to_vec()).collect()
                },
            );
            check_bytes(
                "extract.dyn",
                &[ty, Type::I8],
                lane,
                |b, a| {
                    let index = b.convert(Op::Zext, Type::I32, a[1]);
                    let n = b.i32(i32::from(lanes));
                    let index = b.op(Op::RemU, &[index, n]);
                    b.typed(Op::ExtractDyn, lane, &[a[0], index], Imm::None, Attr::default())
                },
                |x| x[0][usize::from(x[1][0] % lanes) * size..][..size].to_vec(),
            );
            check_bytes("copy", &[ty], ty, |_, a| a[0], |x| x[0].to_vec());
        }
    }
}

#[test]
fn bitcasts_keep_bytes() {
    let kinds = [Scalar::I8, Scalar::I16, Scalar::I32, Scalar::I64, Scalar::F16, Scalar::F32, Scalar::F64];
    let types: Vec<Type> = kinds.iter().flat_map(|&k| WIDTHS.map(|w| Type::scalar(k).with_lanes(w))).collect();
    for &from in &types {
        for &to in types.iter().filter(|t| t.bytes() == from.bytes() && **t != from) {
            check_bytes(
                &format!("{from} as {to}"),
                &[from],
                to,
                |b, a| b.convert(Op::Bitcast, to, a[0]),
                |x| x[0].to_vec(),
            );
        }
    }
}

#[test]
fn vectors_pass_through_calls() {
    for kind in [Scalar::I8, Scalar::F16, Scalar::F32, Scalar::I64] {
        for lanes in WIDTHS {
            let ty = Type::scalar(kind).with_lanes(lanes);
            let mut module = Module::default();
            // Returns its second operand; calls a function that swaps them.
            let mut swap = Func::new("second", vec![ty, ty], Some(ty));
            let params = swap.blocks[swap.entry()].params.clone();
            let entry = swap.entry();
            swap.blocks[entry].term = Term::Ret(Some(params[1]));
            let second = module.funcs.push(swap);
            let mut outer = Func::new("first", vec![ty, ty], Some(ty));
            let entry = outer.entry();
            let params = outer.blocks[entry].params.clone();
            let mut b = Builder::new(&mut outer, entry);
            let v = b.call(second, Some(ty), &[params[1], params[0]]).expect("a result");
            b.end(Term::Ret(Some(v)));
            let first = module.funcs.push(outer);
            let func = looped("calls", &[ty, ty], ty, |b, a| b.call(first, Some(ty), a).expect("a result"));
            let size = ty.bytes() as usize;
            let inputs: Vec<Vec<u8>> =
                (0..2u8).map(|k| (0..size * 3).map(|i| i as u8 ^ (k * 0x5a)).collect()).collect();
            let out = run(&module, &func, &inputs, size * 3, 3);
            assert_eq!(out, inputs[0]);
        }
    }
}

#[test]
fn control_flow_slots_and_switches() {
    // A switch with block arguments in a loop over an over-aligned slot: out = table[x % 4] stored and read back.
    let func = looped("switch", &[Type::I32], Type::I32, |b, a| {
        let slot = b.func.slots.push(clift_jit::ir::Slot { size: 256, align: 128, name: "buf".into() });
        let base = b.typed(Op::SlotAddr, Type::ptr(AddrSpace::Private), &[], Imm::Slot(slot), Attr::default());
        let address = b.typed(Op::PtrToInt, Type::I64, &[base], Imm::None, Attr::default());
        let low = b.i64(127);
        let misaligned = b.op(Op::And, &[address, low]);
        let misaligned = b.convert(Op::Trunci, Type::I32, misaligned);
        let four = b.i32(4);
        let case = b.op(Op::RemU, &[a[0], four]);
        let index = b.convert(Op::Zext, Type::I64, case);
        let (join, other) = (b.func.add_block(), b.func.add_block());
        let picked = b.func.add_param(join, Type::I32);
        let (ten, twenty, thirty) = (b.i32(10), b.i32(20), b.i32(30));
        let to = |v| Target { block: join, args: [v].into_iter().collect() };
        b.end(Term::Switch {
            value: case,
            cases: vec![(0, to(ten)), (1, to(twenty)), (3, to(thirty))],
            default: Target::plain(other),
        });
        b.enter(other);
        b.jump(join, &[a[0]]);
        b.enter(join);
        let at = b.ptr_add(base, index, 4, 64);
        b.store(at, picked, Attr::default());
        let back = b.load(Type::I32, at, Attr::default());
        b.op(Op::Add, &[back, misaligned])
    });
    let values: Vec<u32> = (0..40).collect();
    let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    let out = run(&Module::default(), &func, &[bytes], 160, 40);
    for &v in &values {
        let want = [10, 20, v, 30][v as usize % 4];
        assert_eq!(read_lane(&out, Scalar::I32, v as usize), u64::from(want), "case {v}");
    }
}

/// A function without loop: `fn(args, env, g0, g1)` whose body sees the pointers of the argument block.
fn plain(name: &str, pointers: &[AddrSpace], body: impl FnOnce(&mut Builder<'_>, &[Value])) -> Func {
    let ptr = Type::ptr(AddrSpace::Constant);
    let mut func = Func::new(name, vec![ptr, ptr, Type::I64, Type::I64], None);
    let entry = func.entry();
    let args = func.blocks[entry].params[0];
    let mut b = Builder::new(&mut func, entry);
    let invariant = Attr { flags: Flags::INVARIANT, ..Attr::default() };
    let loaded: Vec<Value> = pointers
        .iter()
        .enumerate()
        .map(|(n, &space)| {
            let at = b.ptr_off(args, 8 * n as i64);
            b.load(Type::ptr(space), at, invariant)
        })
        .collect();
    body(&mut b, &loaded);
    b.end(Term::Ret(None));
    func
}

/// Compiles and runs a function on these buffers.
fn run_on(module: &Module, func: &Func, buffers: &mut [&mut [u8]]) {
    let data = ProgramData::new(module).expect("fits");
    let code = compile(module, func, &data, Scratch::default()).unwrap_or_else(|e| panic!("{}", e.message));
    let block: Vec<*mut u8> = buffers.iter_mut().map(|b| b.as_mut_ptr()).collect();
    // SAFETY: the callers' buffers are as long as their kernels need.
    unsafe { code.run(block.as_ptr().cast(), &env(), 0..1) }
}

#[test]
fn copies_and_fills_of_every_size() {
    let spaces = [AddrSpace::Global, AddrSpace::Global, AddrSpace::Local];
    for constant in [true, false] {
        for n in [0i64, 1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 64, 127, 128, 129, 1000] {
            let func = plain("copy", &spaces, |b, p| {
                // A count that folding does not see: n read back from memory.
                let count = if constant {
                    b.i64(n)
                } else {
                    let at = b.ptr_off(p[2], 2000);
                    b.load(Type::I64, at, Attr::default())
                };
                let to = b.ptr_off(p[0], 5);
                let from = b.ptr_off(p[1], 3);
                b.push(Op::Memcpy, None, &[to, from, count], Imm::None, Attr::default());
                let byte = b.bits(Type::I8, 0xc3);
                b.push(Op::Memset, None, &[p[2], byte, count], Imm::None, Attr::default());
                // Copying onto itself changes nothing.
                b.push(Op::Memcpy, None, &[from, from, count], Imm::None, Attr::default());
            });
            let source: Vec<u8> = (0..2048).map(|i| (i * 7) as u8).collect();
            let (mut to, mut from, mut fill) = (vec![0u8; 2048], source.clone(), vec![0u8; 2048]);
            fill[2000..2008].copy_from_slice(&n.to_le_bytes());
            run_on(&Module::default(), &func, &mut [&mut to, &mut from, &mut fill]);
            let n = n as usize;
            assert_eq!(to[5..5 + n], source[3..3 + n]);
            assert!(to[..5].iter().chain(&to[5 + n..]).all(|&b| b == 0), "{n} bytes");
            assert!(fill[..n].iter().all(|&b| b == 0xc3) && fill[n..2000].iter().all(|&b| b == 0), "{n} bytes");
            assert_eq!(from, source);
        }
    }
}

#[test]
fn atomics_return_the_old_value_and_store_the_new_one() {
    use clift_jit::ir::op::RmwOp as R;
    let mut rng = Rng(21);
    for space in [AddrSpace::Global, AddrSpace::Local, AddrSpace::Private, AddrSpace::Generic] {
        for kind in [Scalar::I32, Scalar::I64, Scalar::F32, Scalar::F64] {
            let ty = Type::scalar(kind);
            let bits = kind.bits();
            let ops: &[R] = if kind.is_float() {
                &[R::Xchg, R::Fadd]
            } else {
                &[R::Add, R::Sub, R::And, R::Or, R::Xor, R::Xchg, R::MinS, R::MinU, R::MaxS, R::MaxU]
            };
            for &op in ops {
                for _ in 0..20 {
                    let (a, v) = (random(kind, &mut rng), random(kind, &mut rng));
                    let func = plain("rmw", &[space, AddrSpace::Global], |b, p| {
                        let v = b.bits(ty, v);
                        let old = b.typed(Op::AtomicRmw, ty, &[p[0], v], Imm::Rmw(op), Attr::default());
                        b.store(p[1], old, Attr::default());
                    });
                    let (mut cell, mut out) = (a.to_le_bytes(), [0u8; 8]);
                    run_on(&Module::default(), &func, &mut [&mut cell, &mut out]);
                    let (sa, sv) = (reference::signed(a, bits), reference::signed(v, bits));
                    let int = |op| reference::eval(op, kind, kind, &[a, v], &Imm::None, Rounding::Rte);
                    let want = match op {
                        R::Add => int(Op::Add),
                        R::Sub => int(Op::Sub),
                        R::And => a & v,
                        R::Or => a | v,
                        R::Xor => a ^ v,
                        R::Xchg => v,
                        R::MinS => {
                            if sa < sv {
                                a
                            } else {
                                v
                            }
                        }
                        R::MaxS => {
                            if sa > sv {
                                a
                            } else {
                                v
                            }
                        }
                        R::MinU => a.min(v),
                        R::MaxU => a.max(v),
                        R::Fadd => int(Op::Fadd),
                    };
                    assert_eq!(read_lane(&out, kind, 0), a, "{op:?} {kind} {space:?}");
                    assert!(equal(kind, Op::Fadd, read_lane(&cell, kind, 0), want), "{op:?} {kind} {space:?}");
                }
            }
            for hit in [true, false] {
                let (a, v) = (random(kind, &mut rng), random(kind, &mut rng));
                let func = plain("cas", &[space, AddrSpace::Global], |b, p| {
                    let expected = b.bits(ty, if hit { a } else { a ^ 1 });
                    let desired = b.bits(ty, v);
                    let old = b.typed(Op::AtomicCas, ty, &[p[0], expected, desired], Imm::None, Attr::default());
                    b.store(p[1], old, Attr::default());
                    b.push(Op::Fence, None, &[], Imm::None, Attr::default());
                    let seen = b.typed(Op::AtomicLoad, ty, &[p[0]], Imm::None, Attr::default());
                    let at = b.ptr_off(p[1], 8);
                    b.push(Op::AtomicStore, None, &[at, seen], Imm::None, Attr::default());
                });
                let (mut cell, mut out) = (a.to_le_bytes(), [0u8; 16]);
                run_on(&Module::default(), &func, &mut [&mut cell, &mut out]);
                assert_eq!(read_lane(&out, kind, 0), a);
                assert_eq!(read_lane(&cell, kind, 0), if hit { v } else { a });
                assert_eq!(read_lane(&out[8..], kind, 0), read_lane(&cell, kind, 0));
            }
        }
    }
}

#[test]
fn float_additions_from_many_threads_lose_nothing() {
    let func = plain("sum", &[AddrSpace::Global], |b, p| {
        let one = b.bits(Type::F32, u64::from(1f32.to_bits()));
        for _ in 0..1000 {
            b.typed(Op::AtomicRmw, Type::F32, &[p[0], one], Imm::Rmw(clift_jit::ir::op::RmwOp::Fadd), Attr::default());
        }
    });
    let module = Module::default();
    let data = ProgramData::new(&module).expect("fits");
    let code = compile(&module, &func, &data, Scratch::default()).unwrap_or_else(|e| panic!("{}", e.message));
    let cell = std::sync::atomic::AtomicU32::new(0);
    std::thread::scope(|s| {
        for _ in 0..4 {
            s.spawn(|| {
                let block = [cell.as_ptr()];
                // SAFETY: one cell, accessed atomically.
                unsafe { code.run(block.as_ptr().cast(), &env(), 0..1) }
            });
        }
    });
    assert_eq!(f32::from_bits(cell.into_inner()), 4000.0);
}

#[test]
fn program_scope_variables_are_shared_by_all_code_of_a_program() {
    use clift_jit::ir::{Global, GlobalId, Init};
    let mut module = Module::default();
    let table: Vec<u8> = [10u32, 20, 30, 40].iter().flat_map(|x| x.to_le_bytes()).collect();
    module.globals.push(Global {
        name: "table".into(),
        space: AddrSpace::Constant,
        size: 16,
        align: 16,
        init: Init { bytes: table, relocs: vec![] },
    });
    module.globals.push(Global {
        name: "counter".into(),
        space: AddrSpace::Global,
        size: 4,
        align: 4,
        init: Init::default(),
    });
    let func = plain("count", &[AddrSpace::Global], |b, p| {
        let table =
            b.typed(Op::GlobalAddr, Type::ptr(AddrSpace::Constant), &[], Imm::Global(GlobalId(0)), Attr::default());
        let counter =
            b.typed(Op::GlobalAddr, Type::ptr(AddrSpace::Global), &[], Imm::Global(GlobalId(1)), Attr::default());
        let n = b.load(Type::I32, counter, Attr::default());
        let one = b.i32(1);
        let next = b.op(Op::Add, &[n, one]);
        b.store(counter, next, Attr::default());
        let index = b.convert(Op::Zext, Type::I64, n);
        let at = b.ptr_add(table, index, 4, 0);
        let v = b.load(Type::I32, at, Attr::default());
        b.store(p[0], v, Attr::default());
    });
    let data = ProgramData::new(&module).expect("fits");
    let codes = [(); 2]
        .map(|()| compile(&module, &func, &data, Scratch::default()).unwrap_or_else(|e| panic!("{}", e.message)));
    drop(data);
    let mut out = 0u32;
    for (i, want) in [10, 20, 30, 40].into_iter().enumerate() {
        let block = [&raw mut out];
        // SAFETY: one result; the variables live as long as the code.
        unsafe { codes[i % 2].run(block.as_ptr().cast(), &env(), 0..1) }
        assert_eq!(out, want);
    }
}

#[test]
fn generic_and_named_pointers_to_the_same_bytes_agree() {
    // store through private, overwrite through generic, read through private.
    let func = plain("alias", &[AddrSpace::Global], |b, p| {
        let slot = b.func.slots.push(clift_jit::ir::Slot { size: 16, align: 4, name: String::new() });
        let private = b.typed(Op::SlotAddr, Type::ptr(AddrSpace::Private), &[], Imm::Slot(slot), Attr::default());
        let generic = b.convert(Op::AsCast, Type::ptr(AddrSpace::Generic), private);
        let (one, two) = (b.i32(1), b.i32(2));
        b.store(private, one, Attr::default());
        b.store(generic, two, Attr::default());
        let v = b.load(Type::I32, private, Attr::default());
        b.store(p[0], v, Attr::default());
    });
    let mut out = [0u8; 4];
    run_on(&Module::default(), &func, &mut [&mut out]);
    assert_eq!(out, 2u32.to_le_bytes());
}

#[test]
fn volatile_accesses_all_happen() {
    let volatile = Attr { flags: Flags::VOLATILE, ..Attr::default() };
    let func = plain("volatile", &[AddrSpace::Global, AddrSpace::Global], |b, p| {
        let first = b.load(Type::I32, p[0], volatile);
        b.store(p[1], first, volatile);
        // p[1] may be p[0].
        let again = b.load(Type::I32, p[0], volatile);
        let sum = b.op(Op::Add, &[first, again]);
        b.store(p[1], sum, volatile);
        let vector = b.load(Type::F32.with_lanes(4), p[0], volatile);
        let at = b.ptr_off(p[1], 16);
        b.store(at, vector, volatile);
    });
    let mut cell = [0u8; 32];
    cell[..4].copy_from_slice(&21u32.to_le_bytes());
    let pointer = cell.as_mut_ptr();
    let module = Module::default();
    let data = ProgramData::new(&module).expect("fits");
    let code = compile(&module, &func, &data, Scratch::default()).unwrap_or_else(|e| panic!("{}", e.message));
    let block = [pointer, pointer];
    // SAFETY: 32 bytes, one thread.
    unsafe { code.run(block.as_ptr().cast(), &env(), 0..1) }
    assert_eq!(read_lane(&cell, Scalar::I32, 0), 42);
    assert_eq!(cell[..16], cell[16..]);
}

#[test]
fn what_cannot_be_compiled_is_an_error() {
    let module = Module::default();
    let data = ProgramData::new(&module).expect("fits");
    let refused =
        |module: &Module, func: &Func| compile(module, func, &data, Scratch::default()).err().map(|e| e.message);
    let barrier = plain("barrier", &[], |b, _| {
        b.push(Op::Barrier, None, &[], Imm::FenceFlags(1), Attr::default());
    });
    assert!(refused(&module, &barrier).is_some_and(|m| m.contains("barrier")));
    let huge = plain("huge", &[AddrSpace::Global], |b, p| {
        let slot = b.func.slots.push(clift_jit::ir::Slot { size: 1 << 30, align: 4, name: String::new() });
        let a = b.typed(Op::SlotAddr, Type::ptr(AddrSpace::Private), &[], Imm::Slot(slot), Attr::default());
        let a = b.convert(Op::PtrToInt, Type::I64, a);
        b.store(p[0], a, Attr::default());
    });
    assert!(refused(&module, &huge).is_some_and(|m| m.contains("private memory")));
    let mut recursive = Module::default();
    let mut again = Func::new("again", vec![], None);
    let entry = again.entry();
    let id = clift_jit::ir::FuncId(0);
    let mut b = Builder::new(&mut again, entry);
    b.call(id, None, &[]);
    b.end(Term::Ret(None));
    recursive.funcs.push(again);
    let caller = plain("caller", &[], |b, _| {
        b.call(id, None, &[]);
    });
    assert!(refused(&recursive, &caller).is_some_and(|m| m.contains("calls itself")));
    let mut missing = Module::default();
    missing.funcs.push(Func::declaration("sin", vec![], None));
    assert!(refused(&missing, &caller).is_some_and(|m| m.contains("`sin` has no body")));
    let wrong = Func::new("wrong", vec![Type::I32], None);
    assert!(refused(&module, &wrong).is_some());
}

#[test]
fn loops_of_all_shapes_count_right() {
    // Nested loops with a break and values used after the loop: for x in inputs, count pairs (i, j) with i*j < x until i > 12.
    let func = looped("count", &[Type::I32], Type::I32, |b, a| {
        let [outer, outer_body, inner, inner_body, next, done, join] = [(); 7].map(|()| b.func.add_block());
        let i = b.func.add_param(outer, Type::I32);
        let n = b.func.add_param(outer, Type::I32);
        let j = b.func.add_param(inner, Type::I32);
        let m = b.func.add_param(inner, Type::I32);
        let result = b.func.add_param(join, Type::I32);
        let (zero, one, limit, cap) = (b.i32(0), b.i32(1), b.i32(20), b.i32(12));
        b.jump(outer, &[zero, zero]);
        b.enter(outer);
        let more = b.icmp(IntPred::SLt, i, limit);
        b.branch(more, outer_body, done);
        b.enter(outer_body);
        let stop = b.icmp(IntPred::SGt, i, cap);
        b.end(Term::Br {
            cond: stop,
            then: Target { block: join, args: [n].into_iter().collect() },
            els: Target { block: inner, args: [zero, n].into_iter().collect() },
        });
        b.enter(inner);
        let product = b.op(Op::Mul, &[i, j]);
        let below = b.icmp(IntPred::SLt, product, a[0]);
        let small = b.icmp(IntPred::SLt, j, limit);
        let go = b.op(Op::And, &[below, small]);
        b.branch(go, inner_body, next);
        b.enter(inner_body);
        let m2 = b.op(Op::Add, &[m, one]);
        let j2 = b.op(Op::Add, &[j, one]);
        b.jump(inner, &[j2, m2]);
        b.enter(next);
        let i2 = b.op(Op::Add, &[i, one]);
        let last = b.op(Op::Add, &[m, j]);
        b.jump(outer, &[i2, last]);
        b.enter(done);
        b.jump(join, &[i]);
        b.enter(join);
        result
    });
    let values: Vec<i32> = vec![-5, 0, 1, 2, 7, 30, 100, 1000];
    let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    let out = run(&Module::default(), &func, &[bytes], values.len() * 4, values.len() as u64);
    for (at, &x) in values.iter().enumerate() {
        let mut n = 0;
        for i in 0..20 {
            if i > 12 {
                break;
            }
            let mut j = 0;
            while i * j < x && j < 20 {
                n += 1;
                j += 1;
            }
            n += j;
        }
        assert_eq!(read_lane(&out, Scalar::I32, at) as i32, n, "x = {x}");
    }
}
