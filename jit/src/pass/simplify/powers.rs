//! Values with at most one bit set: powers of two, and 0. Counters that double or halve are among them, so that
//! remainders by the distances of a tree reduction become masks.

use super::int::DEPTH;
use crate::ir::{Func, Op, Value};
use rustc_hash::FxHashSet;

/// How often edges are looked at before the question is dropped, so that the work stays linear.
const SWEEPS: usize = 8;

/// The parameters of blocks that are powers of two, or 0, whatever way leads there: the largest set that is closed.
/// Empty in functions that do not ask.
pub(super) fn parameters(func: &Func) -> FxHashSet<Value> {
    let asks = |&(_, inst): &(_, _)| {
        let data = &func.insts[inst];
        matches!(data.op, Op::RemS | Op::RemU) && func.const_bits(data.args[1]).is_none()
    };
    let mut found = FxHashSet::default();
    if !func.live_insts().any(|at| asks(&at)) {
        return found;
    }
    for &block in &func.layout {
        let edges = func.handed(block);
        found.extend(edges.map(|(_, param, _)| param).filter(|&param| func.ty(param).is_int()));
    }
    for _ in 0..SWEEPS {
        let before = found.len();
        for &block in &func.layout {
            for (_, param, arg) in func.handed(block) {
                if !is_power(func, arg, &found, DEPTH) {
                    found.remove(&param);
                }
            }
        }
        if found.len() == before {
            return found;
        }
    }
    FxHashSet::default()
}

/// True if every lane has at most one bit set, where that is so of some parameters of blocks.
pub(super) fn is_power(func: &Func, v: Value, params: &FxHashSet<Value>, depth: u32) -> bool {
    if params.contains(&v) {
        return true;
    }
    let Some(data) = func.def_inst(v).filter(|_| depth > 0 && func.ty(v).is_int()) else { return false };
    let arg = |n: usize| is_power(func, data.args[n], params, depth - 1);
    match data.op {
        Op::Const => func.const_bits(v).is_some_and(|bits| bits & bits.wrapping_sub(1) == 0),
        Op::Shl | Op::Lshr | Op::Zext | Op::Trunci | Op::Splat => arg(0),
        Op::Mul | Op::MinU | Op::MaxU => arg(0) && arg(1),
        Op::And => arg(0) || arg(1),
        Op::Select => arg(1) && arg(2),
        _ => false,
    }
}
