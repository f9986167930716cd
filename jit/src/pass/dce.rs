//! Removes instructions and block parameters whose values nobody needs. Keeps everything with effects. Linear.

use crate::ir::entity::Entity;
use crate::ir::op::{Effects, Flags};
use crate::ir::{Func, InstData, Value, ValueDef};

/// True if the instruction may go when its result is unused.
pub(super) fn is_removable(inst: &InstData) -> bool {
    let effects = inst.op.row().effects;
    ((effects - Effects::READS).is_empty() || crate::analysis::alias::is_pure_call(inst))
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
    sweep(func, &live);
}

/// Removes what may go of instructions and block parameters that are not live.
pub(super) fn sweep(func: &mut Func, live: &[bool]) {
    for i in 0..func.layout.len() {
        let block = func.layout[i];
        let insts = &func.insts;
        func.blocks[block].insts.retain(|&inst| {
            let inst = &insts[inst];
            !is_removable(inst) || inst.result.is_some_and(|r| live[r.index()])
        });
    }
    func.retain_params(|param| live[param.index()]);
}
