//! Vectors that are read only to be written back with other components, as code does that cannot store one of them.

use crate::ir::{Func, Imm, InstData, Op, Value};
use rustc_hash::FxHashSet;

/// The vectors of which components are replaced, and that are not used otherwise, but by what nobody uses. Linear.
pub fn find(func: &Func) -> FxHashSet<Value> {
    let (mut replaced, mut used) = (FxHashSet::default(), FxHashSet::default());
    let wanted = wanted(func);
    for (_, inst) in func.live_insts() {
        let data = &func.insts[inst];
        if is_idle(data, &wanted) {
            continue;
        }
        let n = match data.op {
            Op::Insert => 1,
            Op::Shuffle if takes_of_both(func, data) => 2,
            _ => 0,
        };
        replaced.extend(&data.args[..n]);
        used.extend(&data.args[n..]);
    }
    for &block in &func.layout {
        func.blocks[block].term.for_each_value(|v| _ = used.insert(v));
    }
    replaced.retain(|v| !used.contains(v));
    replaced
}

/// True for a shuffle whose result has components of two vectors: else it only picks some of one.
fn takes_of_both(func: &Func, data: &InstData) -> bool {
    let Imm::Lanes(order) = &data.imm else { return false };
    let first = func.ty(data.args[0]).lanes;
    data.args[0] != data.args[1] && order.iter().any(|&lane| lane < first) && order.iter().any(|&lane| lane >= first)
}

/// The values that instructions and terminators use.
pub fn wanted(func: &Func) -> FxHashSet<Value> {
    let mut wanted: FxHashSet<Value> = func.live_insts().flat_map(|(_, inst)| func.insts[inst].args.clone()).collect();
    for &block in &func.layout {
        func.blocks[block].term.for_each_value(|v| _ = wanted.insert(v));
    }
    wanted
}

/// True for an instruction that only computes what nobody uses.
pub fn is_idle(data: &InstData, wanted: &FxHashSet<Value>) -> bool {
    data.op.is_pure() && data.result.is_some_and(|v| !wanted.contains(&v))
}
