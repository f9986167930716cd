//! Machine code of every elementwise op on every type and width, bit for bit against `support/reference.rs`.
#![allow(unsafe_code, reason = "runs generated code on buffers made here")]

#[path = "support/machine.rs"]
mod machine;
#[path = "support/reference.rs"]
mod reference;
#[path = "support/rng.rs"]
mod rng;
#[path = "support/values.rs"]
mod values;

use clift_jit::ir::{Attr, FloatPred, Imm, IntPred, Module, Op, Rounding, Scalar, Type};
use machine::*;
use rng::Rng;
use values::{equal, random, specials};

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
            if rng.next().is_multiple_of(8) {
                specials(k)[rng.next() as usize % specials(k).len()]
            } else {
                random(k, rng)
            }
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
    let bytes = rows.len() * memory(case.ret).elem.bytes() as usize;
    for backend in backends() {
        let out = run_by(backend, &Module::default(), &func, &inputs, bytes, n as u64);
        for (i, row) in rows.iter().enumerate() {
            let mut row = row.clone();
            for (a, ty) in case.args.iter().enumerate() {
                if ty.lanes == 1 {
                    row[a] = rows[i / lanes * lanes][a];
                }
            }
            let want = reference::eval(case.op, kinds[0], case.ret.elem, &row, &case.imm, case.rm);
            let got = read_lane(&out, case.ret.elem, i);
            assert!(
                equal(case.ret.elem, case.op, got, want),
                "{name}, {backend:?}: on {row:x?} got {got:x}, not {want:x}"
            );
        }
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
    let unary = [Not, Neg, Clz, Ctz, Popcnt, Bitrev, Bswap, AbsS];
    let binary = [
        Add, Sub, Mul, MulHiS, MulHiU, DivS, DivU, RemS, RemU, And, Or, Xor, Shl, Lshr, Ashr, Rotl, MinS, MinU, MaxS,
        MaxU, AddSatS, AddSatU, SubSatS, SubSatU, HaddS, HaddU, RhaddS, RhaddU,
    ];
    for ty in widths(&INTS) {
        check_all(unary.map(|op| Case::same(op, 1, ty)));
        check_all(binary.map(|op| Case::same(op, 2, ty)));
    }
    for ty in widths(&[Scalar::I32]) {
        check_all([Dot4Uu, Dot4Ss, Dot4Us].map(|op| Case::same(op, 2, ty)));
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
