//! Vectors that are read only to be written back with other components, as code does that cannot store one of them.

use crate::ir::{Func, Op, Value};
use rustc_hash::FxHashSet;

/// The vectors of which components are replaced, and that are not used otherwise. Linear.
pub fn find(func: &Func) -> FxHashSet<Value> {
    let (mut replaced, mut used) = (FxHashSet::default(), FxHashSet::default());
    for (_, inst) in func.live_insts() {
        let data = &func.insts[inst];
        let n = match data.op {
            Op::Insert => 1,
            Op::Shuffle if data.args[0] != data.args[1] => 2,
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
