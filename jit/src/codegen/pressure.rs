//! Which register allocator a function gets: the usual one, which backtracks, takes time that grows with the square of
//! what is counted here. Functions for which that would be too long get one of linear time and code that is worse,
//! which may run at half the speed; later, with more effort, most of them get the usual one (tiered compilation). Must
//! not know a code generator.

use super::isa::Allocator;
use crate::analysis::live_area::{MOST_LIVE, live_area};
use crate::ir::{Func, Op};

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
        let (live, live_blocks) = live_area(func, &func.layout, |_| 1, |_| 1);
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
