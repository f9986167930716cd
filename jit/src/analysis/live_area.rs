//! How much lives how long in a function: what a backtracking register allocator's time depends on, with the square of
//! it. Must not know who allocates.

use crate::ir::{Block, Func, InstData, Op, Value};
use rustc_hash::FxHashMap;

/// Most instructions between definition and last use, summed over all values, of functions that get the allocator of
/// best code while somebody waits for them.
pub const MOST_LIVE: u64 = 1 << 22;

/// Steps between definition and last use of each value within some blocks, summed over all registers, in the order of
/// these; and blocks in between, summed, times the arguments that all of them hand over. A value takes `registers` of
/// them, and an instruction is so many `steps`.
pub fn live_area(
    func: &Func,
    blocks: &[Block],
    registers: impl Fn(Value) -> u64,
    steps: impl Fn(&InstData) -> u64,
) -> (u64, u64) {
    // Instruction and block of the first and last mention of each value.
    let mut lives: FxHashMap<Value, [(u64, u64); 2]> = FxHashMap::default();
    let mut touch = |v: Value, at: (u64, u64)| {
        let life = lives.entry(v).or_insert([at; 2]);
        *life = [life[0].min(at), life[1].max(at)];
    };
    let (mut at, mut handed) = (0, 0);
    for (n, &block) in (0..).zip(blocks) {
        let data = &func.blocks[block];
        data.params.iter().for_each(|&v| touch(v, (at, n)));
        for &inst in &data.insts {
            let inst = &func.insts[inst];
            at += steps(inst);
            inst.args.iter().copied().chain(inst.result).for_each(|v| touch(v, (at, n)));
        }
        at += 1;
        data.term.for_each_value(|v| touch(v, (at, n)));
        data.term.for_each_target(|target| handed += target.args.len() as u64);
    }
    let (mut insts, mut between) = (0, 0);
    for (&value, [from, to]) in &lives {
        // What is as cheap to make as to keep is made where it is used.
        let is_kept = func
            .def_inst(value)
            .is_none_or(|data| !matches!(data.op, Op::Const | Op::GlobalAddr | Op::SlotAddr | Op::Undef));
        if is_kept {
            insts += registers(value) * (to.0 - from.0);
            between += to.1 - from.1;
        }
    }
    (insts, between.saturating_mul(handed))
}
