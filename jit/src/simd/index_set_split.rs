//! Loops over vectors of work-items whose lanes are compared with a bound, as in `l >= s ? part[l - s] : 0`: no more
//! than one vector is on both sides of the bound. Such a loop becomes two, and the one that lies wholly where the
//! comparison holds needs no mask.
//!
//! ```text
//! b(i): m = l + i >= s, …; br i + W < n, b(i + W), exit
//!   → a(i): as b; br i + W < e, a(i + W), next    next: br i + W < n, b(i + W), exit    b: m = all lanes
//! ```
//! with `e` the least multiple of W that is not below `s`. A comparison that holds at first (`<`, `<=`) has its mask in
//! the second loop. Takes SSA form, loops of one block, and counts of lanes that fill vectors.

use crate::analysis::induction::Counted;
use crate::ir::cfg::Cfg;
use crate::ir::dom::Loop;
use crate::ir::{Block, Builder, Func, Imm, IntPred, Op, Scalar, Type, Value, ValueDef};
use crate::loops::lcssa::is_closed;
use crate::loops::split;

/// Longest block that is worth a second copy, in instructions.
const LONGEST: usize = 48;
/// Counts go no further.
const MOST: u64 = 1 << 16;

/// A loop to be split.
struct Found {
    block: Block,
    /// The only other block that leads to it.
    before: Block,
    /// The count's next value, its step, and its end.
    next: Value,
    step: u64,
    n: u64,
    mask: Value,
    /// The comparison holds from the bound on, and not up to it.
    late: bool,
    /// What the lanes are compared with, and whether a lane that is equal to it lies below the bound.
    bound: Value,
    after: bool,
    signed: bool,
}

/// Splits such loops; true if there were any.
pub(crate) fn run(func: &mut Func) -> bool {
    let is_masked = |b: Block| func.blocks[b].insts.iter().any(|&i| func.insts[i].op == Op::LoadMasked);
    let blocks: Vec<Block> = func.layout.iter().copied().filter(|&b| is_masked(b)).collect();
    let mut any = false;
    for block in blocks {
        if let Some(found) = find(func, block) {
            split(func, &found);
            any = true;
        }
    }
    any
}

fn find(func: &Func, block: Block) -> Option<Found> {
    let data = &func.blocks[block];
    if !data.term.targets().iter().any(|t| t.block == block) || data.insts.len() > LONGEST {
        return None;
    }
    let cfg = Cfg::new(func);
    let &[before] = &cfg.preds(block).iter().copied().filter(|&b| b != block).collect::<Vec<_>>()[..] else {
        return None;
    };
    let l = Loop { header: block, latches: vec![block], blocks: vec![block], parent: None, depth: 1 };
    let counted = Counted::at_latch(func, &cfg, &l).filter(|c| c.bound.is_next && c.bound.if_true)?;
    let (count, step) = (counted.counter.now, u64::try_from(counted.step).ok()?);
    let (next, n) = (counted.counter.next, counted.turns(func)?.checked_mul(step)?);
    let counts = func.const_bits(counted.first) == Some(0) && func.const_bits(counted.bound.than) == Some(n);
    if !counts || !step.is_power_of_two() || n > MOST || n <= step {
        return None;
    }
    let inside = |v: Value| match func.values[v].def {
        ValueDef::Param(home, _) => home == block,
        ValueDef::Inst(inst) => data.insts.contains(&inst),
    };
    let (mask, late, bound, after, signed) = data.insts.iter().find_map(|&inst| {
        let compare = &func.insts[inst];
        let (Op::Icmp, Imm::IntPred(pred), Some(mask)) = (compare.op, &compare.imm, compare.result) else {
            return None;
        };
        let (late, after) = match pred {
            IntPred::SGe | IntPred::UGe => (true, false),
            IntPred::SGt | IntPred::UGt => (true, true),
            IntPred::SLt | IntPred::ULt => (false, false),
            IntPred::SLe | IntPred::ULe => (false, true),
            IntPred::Eq | IntPred::Ne => return None,
        };
        let is_lanes = u64::from(func.ty(mask).lanes) == step && is_lanes(func, compare.args[0], count);
        let bound = func.def_inst(compare.args[1]).filter(|d| d.op == Op::Splat)?.args[0];
        (is_lanes && !inside(bound)).then_some((mask, late, bound, after, pred.is_signed()))
    })?;
    let is_mask = |d: &crate::ir::InstData| d.op == Op::LoadMasked && d.args[1] == mask;
    if !data.insts.iter().any(|&i| is_mask(&func.insts[i])) {
        return None;
    }
    let found = Found { block, before, next, step, n, mask, late, bound, after, signed };
    is_closed(func, &[block], &func.user_blocks()).then_some(found)
}

/// True for `count + lane`; counts are small, so that no size of integers is too small for them.
fn is_lanes(func: &Func, v: Value, count: Value) -> bool {
    let is_count = |v: Value| {
        let Some(splat) = func.def_inst(v).filter(|d| d.op == Op::Splat) else { return false };
        let narrow = func.def_inst(splat.args[0]).filter(|d| d.op == Op::Trunci);
        narrow.map_or(splat.args[0], |d| d.args[0]) == count
    };
    let is_iota = |v: Value| func.def_inst(v).is_some_and(|d| d.op == Op::Iota);
    let wide = func.ty(v).elem.bits() >= 32;
    let sum = func.def_inst(v).filter(|d| d.op == Op::Add && wide);
    sum.is_some_and(|d| is_count(d.args[0]) && is_iota(d.args[1]) || is_count(d.args[1]) && is_iota(d.args[0]))
}

fn split(func: &mut Func, found: &Found) {
    let block = found.block;
    let copies = split::at_bound(func, block, found.before, found.next, |b| {
        let mut bound = found.bound;
        let extend = if found.signed { Op::Sext } else { Op::Zext };
        if b.func.ty(bound).elem != Scalar::I64 {
            bound = b.convert(extend, Type::I64, bound);
        }
        if found.signed {
            bound = b.op_bits(Op::MaxS, bound, 0);
        }
        bound = b.op_bits(Op::MinU, bound, found.n);
        let up = u64::from(found.after) + if found.late { found.step - 1 } else { 0 };
        bound = b.op_bits(Op::Add, bound, up);
        bound = b.op_bits(Op::And, bound, found.step.wrapping_neg());
        b.op_bits(Op::MinU, bound, found.n)
    });

    // The mask of the loop that needs none.
    let (bare, mask) = if found.late { (block, found.mask) } else { (copies.block(block), copies.value(found.mask)) };
    let ty = func.ty(mask);
    let all = Builder::at(func, bare, 0).bits(ty, 1);
    for &inst in &func.blocks[bare].insts {
        let data = &mut func.insts[inst];
        match data.op {
            Op::LoadMasked if data.args[1] == mask => {
                data.op = Op::Load;
                data.args.truncate(1);
            }
            Op::StoreMasked if data.args[2] == mask => {
                data.op = Op::Store;
                data.args.truncate(2);
            }
            _ => data.args.iter_mut().filter(|arg| **arg == mask).for_each(|arg| *arg = all),
        }
    }
    func.blocks[bare].term.map_values(|v| if v == mask { all } else { v });
}
