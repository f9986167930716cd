//! Proves that in reachable blocks every use is dominated by its definition. Unreachable code may use what it likes.

use super::List;
use crate::ir::cfg::Cfg;
use crate::ir::dom::Dominators;
use crate::ir::entity::{Block, Entity, Value};
use crate::ir::func::{Func, ValueDef};

/// Checks all uses.
pub(super) fn func(func: &Func, out: &mut List) {
    let cfg = Cfg::new(func);
    let dom = Dominators::new(&cfg);
    // Block and place of each instruction.
    let mut at = vec![(Block(0), 0u32); func.insts.len()];
    for &b in &func.layout {
        for (n, &i) in func.blocks[b].insts.iter().enumerate() {
            at[i.index()] = (b, n as u32);
        }
    }
    let dominates = |v: Value, b: Block, n: u32| match func.values[v].def {
        ValueDef::Param(def, _) => dom.dominates(def, b),
        ValueDef::Inst(i) => {
            let (def, place) = at[i.index()];
            if def == b { place < n } else { dom.dominates(def, b) }
        }
    };
    for &b in cfg.rpo() {
        for (n, &i) in func.blocks[b].insts.iter().enumerate() {
            for &v in &func.insts[i].args {
                if !dominates(v, b, n as u32) {
                    out.inst(i, format!("{v} does not dominate this use"));
                }
            }
        }
        func.blocks[b].term.for_each_value(|v| {
            if !dominates(v, b, u32::MAX) {
                out.term(b, format!("{v} does not dominate this use"));
            }
        });
    }
}
