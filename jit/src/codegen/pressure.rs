//! For which functions the usual register allocator, which backtracks, would take too long: it grows with the square of
//! what is counted here. Such functions get one of linear time and code that is worse. Must not know a code generator.

use crate::ir::entity::Entity;
use crate::ir::{Func, Op, Value, ValueDef};

/// Most instructions between definition and last use, summed over all values.
const MOST_INSTS: u64 = 1 << 22;
/// Most blocks in between, summed, times the arguments that all blocks hand over.
const MOST_BLOCKS: u64 = 1 << 28;
/// Most calls: each takes registers from all values that live across it.
const MOST_CALLS: usize = 1 << 11;

/// True if registers should be allocated in linear time.
pub fn is_costly(func: &Func) -> bool {
    let is_call = |op: Op| {
        matches!(
            op,
            Op::Call
                | Op::Printf
                | Op::Device
                | Op::Clock
                | Op::CheckArg
                | Op::CheckObject
                | Op::CheckReport
                | Op::Track
                | Op::Meet
        )
    };
    if func.live_insts().filter(|&(_, inst)| is_call(func.insts[inst].op)).count() > MOST_CALLS {
        return true;
    }
    let (insts, blocks) = live_area(func);
    insts > MOST_INSTS || blocks > MOST_BLOCKS
}

/// What `MOST_INSTS` and `MOST_BLOCKS` bound, in the order of the layout.
fn live_area(func: &Func) -> (u64, u64) {
    // Instruction and block of the first and last mention of each value.
    let mut lives: Vec<Option<[(u32, u32); 2]>> = vec![None; func.values.len()];
    let mut touch = |v: Value, at: (u32, u32)| {
        let life = lives[v.index()].get_or_insert([at; 2]);
        *life = [life[0].min(at), life[1].max(at)];
    };
    let (mut at, mut handed) = (0, 0);
    for (n, &block) in (0..).zip(&func.layout) {
        let data = &func.blocks[block];
        data.params.iter().for_each(|&v| touch(v, (at, n)));
        for &inst in &data.insts {
            at += 1;
            let inst = &func.insts[inst];
            inst.args.iter().copied().chain(inst.result).for_each(|v| touch(v, (at, n)));
        }
        at += 1;
        data.term.for_each_value(|v| touch(v, (at, n)));
        data.term.for_each_target(|target| handed += target.args.len() as u64);
    }
    let (mut insts, mut blocks) = (0, 0);
    for (value, life) in func.values.values().zip(&lives) {
        // What is as cheap to make as to keep is made where it is used.
        let is_kept = match value.def {
            ValueDef::Inst(inst) => {
                !matches!(func.insts[inst].op, Op::Const | Op::GlobalAddr | Op::SlotAddr | Op::Undef)
            }
            ValueDef::Param(..) => true,
        };
        if let Some([from, to]) = life.filter(|_| is_kept) {
            insts += u64::from(to.0 - from.0);
            blocks += u64::from(to.1 - from.1);
        }
    }
    (insts, blocks.saturating_mul(handed))
}
