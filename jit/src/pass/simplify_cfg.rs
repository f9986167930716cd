//! Control-flow cleanup: unreachable blocks go, branches on constants become jumps, chains of blocks are merged, empty
//! blocks are skipped, block parameters that always get one value are replaced by it. Convergent operations are neither
//! moved nor duplicated: only jumps change. Linear but for a few rounds.

use super::forward::Forward;
use crate::ir::entity::Entity;
use crate::ir::{Block, Func, Target, Term, Value};

/// Runs the pass.
pub fn run(func: &mut Func) {
    for _ in 0..4 {
        fold_branches(func);
        skip_empty(func);
        func.remove_unreachable();
        let mut changed = single_value_params(func);
        changed |= merge_chains(func);
        if !changed {
            break;
        }
    }
}

/// For each block the number of edges that lead to it.
pub(super) fn n_preds(func: &Func) -> Vec<u32> {
    let mut n_preds = vec![0; func.blocks.len()];
    for &b in &func.layout {
        func.blocks[b].term.for_each_target(|t| n_preds[t.block.index()] += 1);
    }
    n_preds
}

fn fold_branches(func: &mut Func) {
    for i in 0..func.layout.len() {
        let block = func.layout[i];
        let new = match &func.blocks[block].term {
            Term::Br { cond, then, els } => match func.const_bits(*cond) {
                Some(bits) => Some(Term::Jump(if bits & 1 != 0 { then.clone() } else { els.clone() })),
                None if then == els => Some(Term::Jump(then.clone())),
                None => None,
            },
            Term::Switch { value, cases, default } => match func.const_bits(*value) {
                Some(bits) => {
                    let hit = cases.iter().find(|(case, _)| *case == bits).map(|(_, t)| t);
                    Some(Term::Jump(hit.unwrap_or(default).clone()))
                }
                None if cases.iter().all(|(_, t)| t == default) => Some(Term::Jump(default.clone())),
                None => None,
            },
            _ => None,
        };
        if let Some(new) = new {
            func.blocks[block].term = new;
        }
    }
}

/// Redirects edges into blocks that only jump on.
fn skip_empty(func: &mut Func) {
    // Where an edge to this block ends up, if it is empty and passes nothing of its own on.
    let hop = |func: &Func, block: Block| -> Option<Target> {
        let data = &func.blocks[block];
        match &data.term {
            Term::Jump(t) if data.insts.is_empty() && data.params.is_empty() && t.block != block => Some(t.clone()),
            _ => None,
        }
    };
    let entry = func.entry();
    for i in 0..func.layout.len() {
        let block = func.layout[i];
        let mut term = func.blocks[block].term.clone();
        let mut changed = false;
        for target in term.targets_mut() {
            // A cycle of empty blocks is an endless loop: stop following it.
            for _ in 0..8 {
                match hop(func, target.block) {
                    Some(next) if next.block != entry => {
                        *target = next;
                        changed = true;
                    }
                    _ => break,
                }
            }
        }
        if changed {
            func.blocks[block].term = term;
        }
    }
}

/// Replaces parameters that get one value (or themselves) from every edge.
fn single_value_params(func: &mut Func) -> bool {
    let mut forward = Forward::new(func);
    let mut any = false;
    loop {
        let mut incoming: Vec<Incoming> = vec![Incoming::None; func.values.len()];
        for &block in &func.layout {
            for target in func.blocks[block].term.targets() {
                for (&arg, &param) in target.args.iter().zip(&func.blocks[target.block].params) {
                    let arg = forward.get(arg);
                    let slot = &mut incoming[param.index()];
                    *slot = match *slot {
                        _ if arg == param => *slot,
                        Incoming::None => Incoming::One(arg),
                        Incoming::One(v) if v == arg => *slot,
                        _ => Incoming::Many,
                    };
                }
            }
        }
        let mut gone = vec![false; func.values.len()];
        for &block in &func.layout[1..] {
            for &param in &func.blocks[block].params {
                // Another parameter of the same round may stand for this one already.
                if let Incoming::One(v) = incoming[param.index()]
                    && forward.get(v) != param
                {
                    forward.set(param, v);
                    gone[param.index()] = true;
                }
            }
        }
        if !gone.contains(&true) {
            break;
        }
        any = true;
        func.retain_params(|param| !gone[param.index()]);
    }
    forward.apply(func);
    any
}

#[derive(Clone, Copy)]
enum Incoming {
    None,
    One(Value),
    Many,
}

/// Appends blocks with one predecessor to a predecessor that only jumps there.
fn merge_chains(func: &mut Func) -> bool {
    let n_preds = n_preds(func);
    let entry = func.entry();
    let mut forward = Forward::new(func);
    let mut gone = vec![false; func.blocks.len()];
    for i in 0..func.layout.len() {
        let block = func.layout[i];
        if gone[block.index()] {
            continue;
        }
        while let Term::Jump(target) = &func.blocks[block].term {
            let next = target.block;
            if next == block || next == entry || n_preds[next.index()] != 1 || gone[next.index()] {
                break;
            }
            for (&param, &arg) in func.blocks[next].params.iter().zip(&target.args) {
                forward.set(param, arg);
            }
            let insts = std::mem::take(&mut func.blocks[next].insts);
            let term = std::mem::replace(&mut func.blocks[next].term, Term::Unreachable);
            func.blocks[block].insts.extend(insts);
            func.blocks[block].term = term;
            gone[next.index()] = true;
        }
    }
    let any = gone.iter().any(|&g| g);
    if any {
        func.layout.retain(|b| !gone[b.index()]);
        forward.apply(func);
    }
    any
}
