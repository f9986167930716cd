//! What is known of an integer's size without knowing the integer: bounds that follow from the operations that make it
//! (the textbook's known bits, as far as the highest ones go). Must not know blocks or facts of launches.

use crate::ir::{Func, Op, Scalar, Value};

/// Levels of operations that are looked through.
const DEPTH: u32 = 6;

/// The greatest number that an unsigned integer, or any lane of a vector of such, can be.
pub fn upper_bound(func: &Func, v: Value) -> u64 {
    bound(func, v, DEPTH)
}

fn bound(func: &Func, v: Value, depth: u32) -> u64 {
    let bits = func.ty(v).elem.bits().min(64);
    let all = if bits == 64 { u64::MAX } else { (1 << bits) - 1 };
    if let Some(value) = func.const_bits(v) {
        return value & all;
    }
    let Some(data) = func.def_inst(v).filter(|d| depth > 0 && !d.args.is_empty()) else { return all };
    if func.ty(v).elem == Scalar::I1 || func.ty(v).is_float() {
        return all;
    }
    let of = |i: usize| bound(func, data.args[i], depth - 1);
    let constant = |i: usize| func.const_bits(data.args[i]).map(|value| value & all);
    let found = match data.op {
        Op::Splat | Op::Zext | Op::Trunci => Some(of(0)),
        Op::And => Some(of(0).min(of(1))),
        // No bit above the highest of both.
        Op::Or | Op::Xor => Some(u64::MAX.checked_shr((of(0) | of(1)).leading_zeros()).unwrap_or(0)),
        Op::MinU => Some(of(0).min(of(1))),
        Op::MaxU => Some(of(0).max(of(1))),
        Op::Select if data.args.len() == 3 => Some(of(1).max(of(2))),
        Op::Lshr => constant(1).filter(|&by| by < u64::from(bits)).map(|by| of(0) >> by),
        Op::Shl => constant(1).filter(|&by| by < u64::from(bits)).and_then(|by| of(0).checked_mul(1 << by)),
        Op::Add => of(0).checked_add(of(1)),
        Op::Mul => of(0).checked_mul(of(1)),
        Op::DivU => constant(1).filter(|&by| by != 0).map(|by| of(0) / by),
        Op::RemU => constant(1).filter(|&by| by != 0).map(|by| of(0).min(by - 1)),
        // Of two that are not negative.
        Op::MinS if of(0) <= all / 2 && of(1) <= all / 2 => Some(of(0).min(of(1))),
        _ => None,
    };
    found.filter(|&most| most <= all).unwrap_or(all)
}
