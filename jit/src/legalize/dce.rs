//! Removes instructions and block parameters that nothing observable needs. Taking vectors apart leaves many: components
//! never read, and loop-carried values that only feed themselves. Linear time.

use super::is_volatile;
use crate::ir::entity::Entity;
use crate::ir::op::Effects;
use crate::ir::{Block, Func, InstData, Op, Value, ValueDef};

/// Runs on a whole function.
pub(super) fn run(func: &mut Func) {
    let mut live = vec![false; func.values.len()];
    let mut work: Vec<Value> = Vec::new();
    let mut incoming: Vec<Vec<Block>> = vec![Vec::new(); func.blocks.len()];
    for &block in &func.layout {
        let data = &func.blocks[block];
        for &inst in &data.insts {
            if has_effect(&func.insts[inst]) {
                work.extend_from_slice(&func.insts[inst].args);
            }
        }
        for target in data.term.targets() {
            incoming[target.block.index()].push(block);
        }
        match &data.term {
            crate::ir::Term::Br { cond, .. } => work.push(*cond),
            crate::ir::Term::Switch { value, .. } => work.push(*value),
            crate::ir::Term::Ret(Some(v)) => work.push(*v),
            _ => {}
        }
    }
    let entry = func.entry();
    work.extend_from_slice(&func.blocks[entry].params);
    while let Some(value) = work.pop() {
        if std::mem::replace(&mut live[value.index()], true) {
            continue;
        }
        match func.values[value].def {
            ValueDef::Inst(inst) => work.extend_from_slice(&func.insts[inst].args),
            ValueDef::Param(block, n) => {
                for &from in &incoming[block.index()] {
                    for target in func.blocks[from].term.targets() {
                        if target.block == block {
                            work.push(target.args[n as usize]);
                        }
                    }
                }
            }
        }
    }
    let keep: Vec<Vec<bool>> =
        func.blocks.values().map(|b| b.params.iter().map(|p| live[p.index()]).collect()).collect();
    for block in func.layout.clone() {
        let insts = std::mem::take(&mut func.blocks[block].insts);
        let kept = insts
            .into_iter()
            .filter(|&i| {
                let inst = &func.insts[i];
                has_effect(inst) || inst.result.is_some_and(|r| live[r.index()])
            })
            .collect();
        let data = &mut func.blocks[block];
        data.insts = kept;
        for target in data.term.targets_mut() {
            let mut flags = keep[target.block.index()].iter();
            target.args.retain(|_| flags.next() == Some(&true));
        }
        if block == entry {
            continue;
        }
        let mut flags = keep[block.index()].iter();
        data.params.retain(|_| flags.next() == Some(&true));
        for (n, param) in data.params.clone().into_iter().enumerate() {
            func.values[param].def = ValueDef::Param(block, n as u32);
        }
    }
}

fn has_effect(inst: &InstData) -> bool {
    match inst.op {
        Op::Load => is_volatile(inst),
        op => op.row().effects.intersects(Effects::WRITES | Effects::ORDERED),
    }
}
