//! Tests whether some lane is left, where the way that led there knows: a loop that lanes leave at its head is one test for
//! each turn then. Takes SSA form. Must not know what the lanes do.
//!
//! ```text
//! b1: br mask.any m, b2, b3(none, v)    b2: … jump b3(m, w)    b3(k, x): br mask.any k, b1(x), b4
//!   → b1: br mask.any m, b2, b4         b2: … jump b1(w)
//! ```

use crate::ir::cfg::Cfg;
use crate::ir::{Block, Func, Op, Target, Term, Value};
use rustc_hash::FxHashMap;

/// Rewrites such tests; true if there were any.
pub(super) fn run(func: &mut Func) -> bool {
    let tests: Vec<(Block, Value)> = func.layout.iter().filter_map(|&b| Some((b, tested(func, b)?))).collect();
    let mut any = false;
    for (block, mask) in tests {
        let Term::Br { then, els, .. } = func.blocks[block].term.clone() else { continue };
        let params = func.blocks[block].params.clone();
        let Some(at) = params.iter().position(|&p| p == mask) else { continue };
        for &pred in Cfg::new(func).preds(block) {
            let cfg = Cfg::new(func);
            let known = func.blocks[pred].term.targets().into_iter().filter(|t| t.block == block).map(|t| t.args[at]);
            let outcomes: Vec<Option<bool>> = known.map(|v| outcome(func, &cfg, pred, v)).collect();
            let mut outcomes = outcomes.into_iter();
            for target in func.blocks[pred].term.targets_mut() {
                if target.block != block {
                    continue;
                }
                let Some(Some(some)) = outcomes.next() else { continue };
                let values: FxHashMap<Value, Value> = params.iter().copied().zip(target.args.iter().copied()).collect();
                let next = if some { &then } else { &els };
                let args = next.args.iter().map(|v| values.get(v).copied().unwrap_or(*v)).collect();
                *target = Target { block: next.block, args };
                any = true;
            }
        }
    }
    if any {
        crate::pass::cleanup::remove_unreachable(func);
    }
    any
}

/// The parameter that is the mask, if a block does nothing but to test one, and its parameters are for its branch only.
fn tested(func: &Func, block: Block) -> Option<Value> {
    let data = &func.blocks[block];
    let (&[inst], Term::Br { cond, then, els }) = (&data.insts[..], &data.term) else { return None };
    let test = &func.insts[inst];
    let mask = *test.args.first().filter(|_| test.op == Op::MaskAny && test.result == Some(*cond))?;
    let own = |v: &Value| data.params.contains(v) || v == cond;
    let elsewhere = func.layout.iter().filter(|&&b| b != block).any(|&b| {
        let data = &func.blocks[b];
        let mut found = data.insts.iter().flat_map(|&i| &func.insts[i].args).any(own);
        data.term.for_each_value(|v| found |= own(&v));
        found
    });
    let plain = !then.args.contains(cond) && !els.args.contains(cond) && then.block != block && els.block != block;
    (plain && !elsewhere && !func.blocks[block].items).then_some(mask)
}

/// Whether a mask has lanes, for who comes from `pred`.
fn outcome(func: &Func, cfg: &Cfg, pred: Block, mask: Value) -> Option<bool> {
    if let Some(bits) = func.const_bits(mask) {
        return Some(bits & 1 == 1);
    }
    // Some lane was there at the last branch, or none.
    let mut at = pred;
    loop {
        let &[before] = cfg.preds(at) else { return None };
        if let Term::Br { cond, then, els } = &func.blocks[before].term
            && then.block != els.block
            && func.def_inst(*cond).is_some_and(|d| d.op == Op::MaskAny && d.args[0] == mask)
        {
            return Some(then.block == at);
        }
        if before == pred {
            return None;
        }
        at = before;
    }
}
