//! Tests whether some lane is left, where the way that led there knows: a loop that lanes leave at its head is one test
//! for each turn then. Takes SSA form. Must not know what the lanes do.
//!
//! ```text
//! b1: br mask.any m, b2, b3(none, v)    b2: … jump b3(m, w)    b3(k, x): br mask.any k, b1(x), b4
//!   → b1: br mask.any m, b2, b4         b2: … jump b1(w)
//! ```

use crate::ir::cfg::Cfg;
use crate::ir::dom::Dominators;
use crate::ir::entity::Entity;
use crate::ir::{Block, Func, Op, Target, Term, Value};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Rewrites such tests; true if there were any.
pub(crate) fn run(func: &mut Func) -> bool {
    let n_uses = func.use_counts();
    let tests = func.layout.iter().filter_map(|&b| Some((b, tested(func, &n_uses, b)?)));
    let tests: Vec<(Block, Value)> = tests.collect();
    if tests.is_empty() {
        return false;
    }
    let mut any = false;
    let mut cfg = Cfg::new(func);
    let mut dom = Dominators::new(&cfg);
    let mut users = Users(func.user_blocks());
    for (block, mask) in tests {
        if !hand_over(func, &cfg, &dom, &mut users, block) {
            continue;
        }
        let Term::Br { then, els, .. } = func.blocks[block].term.clone() else { continue };
        let params = func.blocks[block].params.clone();
        let Some(at) = params.iter().position(|&p| p == mask) else { continue };
        let mut changed = false;
        for pred in cfg.preds(block).to_vec() {
            let known = func.blocks[pred].term.targets().into_iter().filter(|t| t.block == block).map(|t| t.args[at]);
            let outcomes: Vec<Option<bool>> = known.map(|v| outcome(func, &cfg, pred, v)).collect();
            if outcomes.iter().all(Option::is_none) {
                continue;
            }
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
                target.args.iter().for_each(|&v| users.of_mut(v).push(pred));
            }
            cfg = Cfg::new(func);
            changed = true;
        }
        if changed {
            dom = Dominators::new(&cfg);
            any = true;
        }
    }
    if any {
        func.remove_unreachable();
    }
    any
}

/// The parameter that is the mask, if a block does nothing but to test one.
fn tested(func: &Func, n_uses: &[u32], block: Block) -> Option<Value> {
    let data = &func.blocks[block];
    let (&[inst], Term::Br { cond, then, els }) = (&data.insts[..], &data.term) else { return None };
    let test = &func.insts[inst];
    let mask = *test.args.first().filter(|_| test.op == Op::MaskAny && test.result == Some(*cond))?;
    let plain = n_uses[cond.index()] == 1 && then.block != els.block && [then, els].iter().all(|t| t.block != block);
    (plain && data.params.contains(&mask) && !data.items).then_some(mask)
}

/// Blocks that may use each value: all that do.
struct Users(Vec<SmallVec<[Block; 2]>>);

impl Users {
    /// Of a value that may be new.
    fn of_mut(&mut self, v: Value) -> &mut SmallVec<[Block; 2]> {
        self.0.resize(self.0.len().max(v.index() + 1), SmallVec::new());
        &mut self.0[v.index()]
    }

    /// Other blocks than `home` that use a value.
    fn others(&mut self, func: &Func, home: Block, v: Value) -> SmallVec<[Block; 2]> {
        let uses = |block: &Block| {
            let mut found = false;
            func.for_each_use(*block, |arg| found |= arg == v);
            found
        };
        let mut blocks = self.of_mut(v).clone();
        blocks.sort_unstable();
        blocks.dedup();
        blocks.retain(|block| *block != home && uses(block));
        blocks
    }
}

/// Sees to it that a block's parameters are for itself only: where one way on leads to all other users, it takes them
/// along. False if that cannot be. Edges stay as they are.
fn hand_over(func: &mut Func, cfg: &Cfg, dom: &Dominators, users: &mut Users, block: Block) -> bool {
    for p in func.blocks[block].params.clone() {
        let others = users.others(func, block, p);
        if others.is_empty() {
            continue;
        }
        let ways: Vec<Block> = func.blocks[block].term.targets().iter().map(|t| t.block).collect();
        let leads = |way: &&Block| cfg.preds(**way) == [block] && others.iter().all(|&user| dom.dominates(**way, user));
        let Some(&way) = ways.iter().find(leads) else { return false };
        let ty = func.ty(p);
        let own = func.add_param(way, ty);
        for target in func.blocks[block].term.targets_mut() {
            if target.block == way {
                target.args.push(p);
            }
        }
        for &user in &others {
            func.map_uses(user, |v| if v == p { own } else { v });
        }
        *users.of_mut(p) = [block].into_iter().collect();
        *users.of_mut(own) = others;
    }
    true
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
