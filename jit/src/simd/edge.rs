//! Loops over vectors of work-items whose lanes are compared with a bound, as in `l >= s ? part[l - s] : 0`: no more than one
//! vector is on both sides of the bound. Such a loop becomes two, and the one that lies wholly where the comparison holds needs
//! no mask.
//!
//! ```text
//! b(i): m = l + i >= s, …; br i + W < n, b(i + W), exit
//!   → a(i): as b; br i + W < e, a(i + W), next    next: br i + W < n, b(i + W), exit    b: m = all lanes
//! ```
//! with `e` the least multiple of W that is not below `s`. A comparison that holds at first (`<`, `<=`) has its mask in the
//! second loop. Takes SSA form, loops of one block, and counts of lanes that fill vectors.

use crate::ir::cfg::Cfg;
use crate::ir::{Attr, Block, Builder, Func, Imm, IntPred, Op, Scalar, Target, Term, Type, Value, ValueDef};

/// Longest block that is worth a second copy, in instructions.
const LONGEST: usize = 48;
/// Counts go no further.
const MOST: u64 = 1 << 16;

/// A loop to be split.
struct Found {
    block: Block,
    /// The only other block that leads to it, and what that hands over.
    before: Block,
    entry: Target,
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
pub(super) fn run(func: &mut Func) -> bool {
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
    let Term::Br { cond, then: back, els: exit } = &data.term else { return None };
    if back.block != block || exit.block == block || data.insts.len() > LONGEST {
        return None;
    }
    let cfg = Cfg::new(func);
    let &[before] = &cfg.preds(block).iter().copied().filter(|&b| b != block).collect::<Vec<_>>()[..] else {
        return None;
    };
    let &[entry] = &func.blocks[before].term.targets().into_iter().filter(|t| t.block == block).collect::<Vec<_>>()[..]
    else {
        return None;
    };
    let test = func.def_inst(*cond).filter(|d| d.op == Op::Icmp && d.imm == Imm::IntPred(IntPred::ULt))?;
    let (next, n) = (test.args[0], func.const_bits(test.args[1])?);
    let add = func.def_inst(next).filter(|d| d.op == Op::Add)?;
    let (count, step) = (add.args[0], func.const_bits(add.args[1])?);
    let ValueDef::Param(home, at) = func.values[count].def else { return None };
    let at = at as usize;
    let counts = home == block && back.args.get(at) == Some(&next) && func.const_bits(entry.args[at]) == Some(0);
    if !counts || !step.is_power_of_two() || n > MOST || !n.is_multiple_of(step) || n <= step {
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
        let (late, after, signed) = match pred {
            IntPred::SGe => (true, false, true),
            IntPred::SGt => (true, true, true),
            IntPred::SLt => (false, false, true),
            IntPred::SLe => (false, true, true),
            IntPred::UGe => (true, false, false),
            IntPred::UGt => (true, true, false),
            IntPred::ULt => (false, false, false),
            IntPred::ULe => (false, true, false),
            IntPred::Eq | IntPred::Ne => return None,
        };
        let is_lanes = u64::from(func.ty(mask).lanes) == step && is_lanes(func, compare.args[0], count);
        let bound = func.def_inst(compare.args[1]).filter(|d| d.op == Op::Splat)?.args[0];
        (is_lanes && !inside(bound)).then_some((mask, late, bound, after, signed))
    })?;
    let is_mask = |d: &crate::ir::InstData| d.op == Op::LoadMasked && d.args[1] == mask;
    if !data.insts.iter().any(|&i| is_mask(&func.insts[i])) {
        return None;
    }
    // Nothing of the loop is used behind it but what it hands over.
    let escapes = func.layout.iter().filter(|&&b| b != block).any(|&b| {
        let mut found = func.blocks[b].insts.iter().flat_map(|&i| &func.insts[i].args).any(|&v| inside(v));
        func.blocks[b].term.for_each_value(|v| found |= inside(v));
        found
    });
    (!escapes).then_some(Found { block, before, entry: entry.clone(), next, step, n, mask, late, bound, after, signed })
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
    let Term::Br { cond, then: back, els: exit } = func.blocks[block].term.clone() else { unreachable!("found so") };
    let entry = &found.entry;
    let copies = func.copy_blocks(&[block]);
    let first = copies.block(block);
    let [start, next] = [(); 2].map(|()| func.add_block());
    func.layout.retain(|&b| b != first);
    let place = func.layout.iter().position(|&b| b == block).expect("in the layout");
    func.layout.splice(place..place, [start, first, next]);
    let copied =
        |target: &Target, to: Block| Target { block: to, args: target.args.iter().map(|&v| copies.value(v)).collect() };

    // Where the first loop ends.
    let is_narrow = func.ty(found.bound).elem != Scalar::I64;
    let mut b = Builder::new(func, start);
    let mut bound = found.bound;
    let [zero, most] = [0, found.n].map(|n| b.i64(n as i64));
    let extend = if found.signed { Op::Sext } else { Op::Zext };
    if is_narrow {
        bound = b.convert(extend, Type::I64, bound);
    }
    if found.signed {
        bound = b.op(Op::MaxS, &[bound, zero]);
    }
    bound = b.op(Op::MinU, &[bound, most]);
    let up = u64::from(found.after) + if found.late { found.step - 1 } else { 0 };
    let (up, whole) = (b.i64(up as i64), b.i64(-(found.step as i64)));
    bound = b.op(Op::Add, &[bound, up]);
    bound = b.op(Op::And, &[bound, whole]);
    bound = b.op(Op::MinU, &[bound, most]);
    let some = b.icmp(IntPred::ULt, zero, bound);
    let els = Target { block, args: entry.args.clone() };
    b.end(Term::Br { cond: some, then: Target { block: first, args: entry.args.clone() }, els });
    for target in func.blocks[found.before].term.targets_mut() {
        if target.block == block {
            *target = Target::plain(start);
        }
    }

    let last = copies.value(found.next);
    let mut b = Builder::new(func, first);
    let again = b.icmp(IntPred::ULt, last, bound);
    b.end(Term::Br { cond: again, then: copied(&back, first), els: Target::plain(next) });
    let more = copies.value(cond);
    func.blocks[next].term = Term::Br { cond: more, then: copied(&back, block), els: copied(&exit, exit.block) };

    // The mask of the loop that needs none.
    let (bare, mask) = if found.late { (block, found.mask) } else { (first, copies.value(found.mask)) };
    let ty = func.ty(mask);
    let inst = func.make_inst(Op::Const, Some(ty), &[], Imm::Bits(1), Attr::default(), crate::source::Span::DUMMY);
    let all = func.insts[inst].result.expect("a type was given");
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
    func.blocks[bare].insts.insert(0, inst);
}
