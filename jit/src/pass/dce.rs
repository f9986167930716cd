//! Removes instructions and block parameters whose values nobody needs. Keeps everything with effects. Linear.

use crate::ir::entity::Entity;
use crate::ir::op::{Effects, Flags};
use crate::ir::{Func, InstData, Value, ValueDef};

/// True if the instruction may go when its result is unused.
fn is_removable(inst: &InstData) -> bool {
    let effects = inst.op.row().effects;
    ((effects - Effects::READS).is_empty() || super::alias::is_pure_call(inst))
        && !inst.attr.flags.contains(Flags::VOLATILE)
}

/// Runs the pass.
pub fn run(func: &mut Func) {
    let mut live = vec![false; func.values.len()];
    let mut work: Vec<Value> = Vec::new();
    // Arguments of branches count only if the parameter they feed is live.
    let mut feeds: Vec<Vec<Value>> = vec![Vec::new(); func.values.len()];
    for &block in &func.layout {
        for &inst in &func.blocks[block].insts {
            let inst = &func.insts[inst];
            if !is_removable(inst) {
                work.extend(&inst.args);
            }
        }
        let term = &func.blocks[block].term;
        let mut n_args = 0;
        for target in term.targets() {
            n_args += target.args.len();
            for (&arg, &param) in target.args.iter().zip(&func.blocks[target.block].params) {
                feeds[param.index()].push(arg);
            }
        }
        // The terminator's own operands come before branch arguments.
        let mut own = Vec::new();
        term.for_each_value(|v| own.push(v));
        own.truncate(own.len() - n_args);
        work.extend(own);
    }
    let entry = func.entry();
    work.extend(&func.blocks[entry].params);
    while let Some(v) = work.pop() {
        if std::mem::replace(&mut live[v.index()], true) {
            continue;
        }
        match func.values[v].def {
            ValueDef::Inst(inst) => work.extend(&func.insts[inst].args),
            ValueDef::Param(..) => work.append(&mut feeds[v.index()]),
        }
    }
    for i in 0..func.layout.len() {
        let block = func.layout[i];
        let insts = &func.insts;
        func.blocks[block].insts.retain(|&inst| {
            let inst = &insts[inst];
            !is_removable(inst) || inst.result.is_some_and(|r| live[r.index()])
        });
        if block != entry {
            drop_params(func, block, &live);
        }
    }
    for i in 0..func.layout.len() {
        let block = func.layout[i];
        let mut term = std::mem::replace(&mut func.blocks[block].term, crate::ir::Term::Unreachable);
        for target in term.targets_mut() {
            let dead = &dead_params(func, target.block);
            if !dead.is_empty() {
                let mut n = 0;
                target.args.retain(|_| {
                    n += 1;
                    !dead.contains(&(n - 1))
                });
            }
        }
        func.blocks[block].term = term;
    }
    for i in 0..func.layout.len() {
        let block = func.layout[i];
        func.blocks[block].params.retain(|p| *p != DEAD);
    }
}

/// Stands in a parameter list for a parameter on its way out.
const DEAD: Value = Value(u32::MAX);

fn drop_params(func: &mut Func, block: crate::ir::Block, live: &[bool]) {
    let mut n = 0;
    for i in 0..func.blocks[block].params.len() {
        let param = func.blocks[block].params[i];
        if live[param.index()] {
            func.values[param].def = ValueDef::Param(block, n);
            n += 1;
        } else {
            func.blocks[block].params[i] = DEAD;
        }
    }
}

fn dead_params(func: &Func, block: crate::ir::Block) -> Vec<usize> {
    func.blocks[block].params.iter().enumerate().filter(|(_, p)| **p == DEAD).map(|(i, _)| i).collect()
}
