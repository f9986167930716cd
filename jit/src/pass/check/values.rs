//! Checks of values: reads of private variables that nothing has written, integer divisions and conversions to integers
//! that have no result, and calls of `printf` whose format and arguments do not go together. For modules as lowered:
//! every variable is still a slot (`private` has them), and no function of the library has come in. Linear.

use super::access::report;
use super::plant::{Plant, Plants};
use super::site;
use crate::ir::check::Checked;
use crate::ir::{Builder, Flags, FloatPred, Func, FuncId, Imm, Inst, IntPred, Module, Op, Scalar, Type, Value};
use half::f16;

/// Notes the checks of a function of a module, from which it has been taken out.
pub(super) fn find(module: &mut Module, id: FuncId, func: &Func, plants: &mut Plants) {
    divisions(module, id, func, plants);
    conversions(module, id, func, plants);
    printf(module, id, func, plants);
}

/// True if a division has a result, and if the divisor is 0.
fn has_quotient(b: &mut Builder<'_>, inst: Inst) -> (Value, Value) {
    let data = b.func.insts[inst].clone();
    let [left, right] = [data.args[0], data.args[1]];
    let ty = b.func.ty(left);
    let all = |b: &mut Builder<'_>, bits: u64| b.bits(ty, bits);
    let any = |b: &mut Builder<'_>, v: Value| {
        if ty.is_vector() { b.emit(Op::MaskAny, Type::I1, &[v], Imm::None) } else { v }
    };
    let zero = all(b, 0);
    let is_zero = b.icmp(IntPred::Eq, right, zero);
    let is_zero = any(b, is_zero);
    let mut is_bad = is_zero;
    if matches!(data.op, Op::DivS | Op::RemS) {
        let bits = ty.elem.bits();
        let (ones, least) = (all(b, u64::MAX >> (64 - bits)), all(b, 1 << (bits - 1)));
        let [a, d] = [(left, least), (right, ones)].map(|(v, limit)| b.icmp(IntPred::Eq, v, limit));
        let leaves = b.op(Op::And, &[a, d]);
        let leaves = any(b, leaves);
        is_bad = b.op(Op::Or, &[is_zero, leaves]);
    }
    (b.op(Op::Not, &[is_bad]), is_zero)
}

fn divisions(module: &mut Module, id: FuncId, func: &Func, plants: &mut Plants) {
    for (_, inst) in func.live_insts() {
        let data = &func.insts[inst];
        let is_remainder = match data.op {
            Op::DivS | Op::DivU => false,
            Op::RemS | Op::RemU => true,
            _ => continue,
        };
        let bits = func.ty(data.args[1]).elem.bits();
        let is_right = |divisor: u64| divisor != 0 && divisor != u64::MAX >> (64 - bits);
        if func.const_bits(data.args[1]).is_some_and(is_right) || !module.is_checked(func, data.origin) {
            continue;
        }
        let number = site(module, id, data.origin, Checked::Division { is_remainder });
        let ask = move |b: &mut Builder<'_>| {
            let (right, is_zero) = has_quotient(b, inst);
            let zero = b.i64(0);
            let why = b.convert(Op::Zext, Type::I64, is_zero);
            (right, [zero, why, zero, zero])
        };
        plants.entry(inst).or_default().push(Plant::Check(number, None, Box::new(ask)));
    }
}

/// Conversions that have no result for all numbers.
fn conversions(module: &mut Module, id: FuncId, func: &Func, plants: &mut Plants) {
    for (_, inst) in func.live_insts() {
        let data = &func.insts[inst];
        if !data.attr.flags.contains(Flags::IN_RANGE) || !module.is_checked(func, data.origin) {
            continue;
        }
        let number = site(module, id, data.origin, Checked::Conversion);
        let ask = move |b: &mut Builder<'_>| {
            let zero = b.i64(0);
            (is_in_range(b, inst), [zero; 4])
        };
        plants.entry(inst).or_default().push(Plant::Check(number, None, Box::new(ask)));
    }
}

/// What `printf` says it could not print.
fn printf(module: &mut Module, id: FuncId, func: &Func, plants: &mut Plants) {
    for (_, inst) in func.live_insts() {
        let data = &func.insts[inst];
        let (Op::Printf, Some(status), true) = (data.op, data.result, module.is_checked(func, data.origin)) else {
            continue;
        };
        let number = site(module, id, data.origin, Checked::Printf);
        let ask = move |b: &mut Builder<'_>| {
            let zero = b.i64(0);
            (b.icmp_bits(IntPred::Eq, status, 0), [zero; 4])
        };
        plants.entry(inst).or_default().push(Plant::CheckResult(number, Box::new(ask)));
    }
}

/// True if a conversion to integers has a result for all components, truncated as it may be.
fn is_in_range(b: &mut Builder<'_>, inst: Inst) -> Value {
    let data = b.func.insts[inst].clone();
    let (v, to) = (data.args[0], b.func.ty(data.result.expect("a conversion")));
    let from = b.func.ty(v);
    let bits = to.elem.bits() - u32::from(data.op == Op::Fptosi);
    let high = 2f64.powi(bits as i32);
    let low = if data.op == Op::Fptosi { -high } else { 0.0 };
    // Down to the next whole number, if the type has it: else nothing lies between.
    let has_next = low == 0.0 || bits < significand_bits(from.elem);
    let (low, is_above) = if has_next { (low - 1.0, FloatPred::OGt) } else { (low, FloatPred::OGe) };
    let [low, high] = [low, high].map(|limit| b.bits(from, float_bits(from.elem, limit)));
    let above = b.fcmp(is_above, v, low);
    let below = b.fcmp(FloatPred::OLt, v, high);
    let all = b.op(Op::And, &[above, below]);
    if from.is_vector() { b.emit(Op::MaskAll, Type::I1, &[all], Imm::None) } else { all }
}

/// Bits that a number of this type has, the hidden one included.
fn significand_bits(ty: Scalar) -> u32 {
    match ty {
        Scalar::F16 => f16::MANTISSA_DIGITS,
        Scalar::F32 => f32::MANTISSA_DIGITS,
        _ => f64::MANTISSA_DIGITS,
    }
}

/// A number of this type, or an infinity if it is too large for it.
fn float_bits(ty: Scalar, number: f64) -> u64 {
    match ty {
        Scalar::F16 => f16::from_f64(number).to_bits().into(),
        Scalar::F32 => (number as f32).to_bits().into(),
        _ => number.to_bits(),
    }
}

/// What was planted in functions that have come into a kernel names the kernel's work-items and places.
pub(super) fn name_work_items(module: &mut Module, id: FuncId, func: &mut Func) {
    for block in func.layout.clone() {
        if !func.blocks[block].insts.iter().any(|&inst| func.insts[inst].op == Op::CheckReport) {
            continue;
        }
        for inst in std::mem::take(&mut func.blocks[block].insts) {
            let data = func.insts[inst].clone();
            let mut b = Builder::new(func, block).with_origin(data.origin);
            let old = (data.op == Op::CheckReport).then(|| b.func.const_bits(data.args[0])).flatten();
            let Some(old) = old.and_then(|n| module.checks.sites.get(n as usize)).map(|site| site.what) else {
                b.place(inst);
                continue;
            };
            let number = site(module, id, data.origin, old);
            report(&mut b, number, std::array::from_fn(|n| data.args[n + 1]));
        }
    }
}
