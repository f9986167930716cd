//! Which register allocator a function gets: the usual one, which backtracks, takes time that grows with the square of
//! what is counted here. Functions for which that would be too long get one of linear time and code that is worse,
//! which may run at half the speed; later, with more effort, most of them get the usual one (tiered compilation). Must
//! not know a code generator.

use super::isa::Allocator;
use crate::ir::entity::Entity;
use crate::ir::{Func, Op, Value, ValueDef};

/// How long allocation may take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Effort {
    /// Somebody waits for the code.
    #[default]
    Quick,
    /// Many seconds: there is other code to run meanwhile.
    Thorough,
}

/// Most instructions; and an eighth as many blocks.
const MOST: u64 = 20_000;
/// Most instructions between definition and last use, summed over all values.
const MOST_LIVE: u64 = 1 << 22;
/// Most blocks in between, summed, times the arguments that all blocks hand over.
const MOST_BLOCKS: u64 = 1 << 28;
/// Most calls: each takes registers from all values that live across it.
const MOST_CALLS: u64 = 1 << 11;
/// So many times as much with more effort.
const THOROUGH: u64 = 16;

/// The allocator for a function, and whether it would be the usual one with more effort.
pub fn allocator(func: &Func, effort: Effort) -> (Allocator, bool) {
    let work = Work::of(func);
    match effort {
        _ if !work.exceeds(1) => (Allocator::Backtracking, false),
        Effort::Thorough if !work.exceeds(THOROUGH) => (Allocator::Backtracking, false),
        Effort::Thorough => (Allocator::SinglePass, false),
        Effort::Quick => (Allocator::SinglePass, !work.exceeds(THOROUGH)),
    }
}

/// What the usual allocator's time depends on.
struct Work {
    insts: u64,
    blocks: u64,
    calls: u64,
    live: u64,
    live_blocks: u64,
}

impl Work {
    fn of(func: &Func) -> Self {
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
        let calls = func.live_insts().filter(|&(_, inst)| is_call(func.insts[inst].op)).count() as u64;
        let (live, live_blocks) = live_area(func);
        Self { insts: func.n_live_insts() as u64, blocks: func.layout.len() as u64, calls, live, live_blocks }
    }

    /// True if that is too much, `times` as much being allowed as usual.
    fn exceeds(&self, times: u64) -> bool {
        self.insts > MOST * times
            || self.blocks > MOST / 8 * times
            || self.calls > MOST_CALLS * times
            || self.live > MOST_LIVE * times
            || self.live_blocks > MOST_BLOCKS * times
    }
}

/// What `MOST_LIVE` and `MOST_BLOCKS` bound, in the order of the layout.
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
