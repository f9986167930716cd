//! Row jam: a loop over rows of work-items takes several rows a turn, instruction by instruction. What does not depend
//! on the row is computed once, and a load that all rows make at the same place is one load:
//!
//! ```text
//! rows y: k: b = load B[k]; s(y) += A[y][k] * b
//!   → rows y, y + 1: k: b = load B[k]; s += A[y][k] * b; t += A[y + 1][k] * b
//! ```
//! A loop over vectors of work-items takes several vectors a turn in the same way, where one would wait for itself:
//! chains of operations, each of which needs the result of the one before, run beside each other, or where reductions
//! of several vectors share steps (`expand_reductions`). (Unroll-and-jam; interleaving.)
//!
//! Work-items do not wait for each other within a region, so that any order of their instructions will do, and memory
//! that one of them writes no other may read. Rows must take the same way through the loop's body. Takes SSA form in
//! lanes.

use super::Config;
use super::cost::{since, weight};
use super::expand_reductions::steps;
use crate::analysis::alias::is_pure_call;
use crate::analysis::induction::Counted;
use crate::analysis::slice::dependents;
use crate::ir::cfg::Cfg;
use crate::ir::dom::{Loop, Loops};
use crate::ir::entity::Entity;
use crate::ir::op::Flags;
use crate::ir::{Block, Func, Inst, InstData, Op, Scalar, Term, Type, Value};
use crate::launch::AddrSpace;
use crate::loops::jam::Jam;
use crate::loops::lcssa::entry_of_closed;
use crate::target::{Costs, Target};
use rustc_hash::FxHashSet;

/// Rows per turn that are tried.
const ROWS: [u32; 2] = [4, 2];
/// A turn must be better by this much.
const GAIN: f64 = 1.15;
/// Vectors per turn that are tried.
const VECTORS: [u32; 3] = [2, 4, 8];
/// The same where they share the steps of reductions: what they store together should fill a register, as loads of
/// whole registers wait for narrower stores (no store forwarding).
const REDUCED_VECTORS: [u32; 4] = [2, 4, 8, 16];
/// Twice as many must be better by this much.
const MORE: f64 = 1.1;
/// Vector registers for what lives within one row's instructions.
const TEMPORARIES: u32 = 2;
/// Operations of a reduction's step: two shuffles, and one that combines.
const STEP: u32 = 3;
/// Most instructions made for a loop.
const MAX_INSTS: usize = 800;

/// Jams the loops for which it pays: the numbers of loops over rows (`BlockData::rows`) and how many a turn takes then;
/// and whether there was any loop.
pub(super) fn run(func: &mut Func, config: Config) -> (Vec<(u32, u32)>, bool) {
    let mut jammed = Vec::new();
    let (cfg, _, loops) = Loops::of_func(func);
    let mut done: Vec<&Loop> = Vec::new();
    for l in &loops.loops {
        if let Some(at) = func.blocks[l.header].rows
            && let Some(rows) = Rows::find(func, &cfg, &loops, l)
            && let Some(n) = rows.count(func, config)
        {
            rows.jam(func, &cfg, n);
            jammed.push((at, n));
            done.push(l);
        }
    }
    for l in &loops.loops {
        if func.blocks[l.header].vectors
            && !done.iter().any(|rows| rows.blocks.contains(&l.header))
            && let Some(rows) = Rows::find(func, &cfg, &loops, l)
            && let Some(n) = rows.count_vectors(func, config)
        {
            rows.jam(func, &cfg, n);
            done.push(l);
        }
    }
    (jammed, !done.is_empty())
}

/// A loop over rows, or over vectors, that may be jammed.
struct Rows<'a> {
    l: &'a Loop,
    /// Its number among all.
    id: usize,
    loops: &'a Loops,
    /// The number of the row, the header's only parameter.
    row: Value,
    /// Work-items from one to the next; 1 for rows.
    step: u64,
    /// Rows in all.
    n: u64,
    /// Values that depend on the row.
    varying: FxHashSet<Value>,
    /// For each value: how often the loop uses it, and one instruction that does.
    users: Vec<(u32, Option<Inst>)>,
}

impl<'a> Rows<'a> {
    fn find(func: &Func, cfg: &Cfg, loops: &'a Loops, l: &'a Loop) -> Option<Self> {
        let (&[row], &[latch]) = (&func.blocks[l.header].params[..], &l.latches[..]) else { return None };
        entry_of_closed(func, cfg, l)?;
        // From 0 in constant steps up to a constant.
        let counted = Counted::at_latch(func, cfg, l)?;
        let counts = func.const_bits(counted.first) == Some(0) && counted.bound.if_true && func.ty(row) == Type::I64;
        let step = u64::try_from(counted.step).ok().filter(|_| counts)?;
        let n = counted.turns(func)?;
        let mut users = vec![(0, None); func.values.len()];
        for &block in &l.blocks {
            for &inst in &func.blocks[block].insts {
                func.insts[inst].args.iter().for_each(|v| users[v.index()] = (users[v.index()].0 + 1, Some(inst)));
            }
            func.blocks[block].term.for_each_value(|v| users[v.index()].0 += 1);
        }
        let id = loops.of(l.header)?;
        let mut rows = Self { l, id, loops, row, step, n, varying: FxHashSet::default(), users };
        rows.is_simple(func).then_some(())?;
        rows.find_varying(func, latch).then_some(rows)
    }

    /// True if the loop does nothing but compute, load and store, and that not in slots, which turns share.
    fn is_simple(&self, func: &Func) -> bool {
        let slots = func.uses_slots();
        func.data_of(&self.l.blocks).all(|data| {
            let plain =
                matches!(data.op, Op::Load | Op::Store | Op::LoadMasked | Op::StoreMasked | Op::Gather | Op::Scatter);
            data.op.is_pure() || plain && !(slots && may_be_slot(func, data.args[0])) || is_pure_call(data)
        })
    }

    /// Finds what depends on the row; false if the way through the loop does, or if all rows write to one place.
    fn find_varying(&mut self, func: &Func, latch: Block) -> bool {
        let own = func.data_of(&self.l.blocks).filter(|data| data.attr.flags.contains(Flags::VOLATILE));
        let from = own.filter_map(|data| data.result).chain([self.row]);
        self.varying = dependents(func, &self.l.blocks, from, |_| true, |to| self.l.blocks.contains(&to));
        let varies = |v: &Value| self.varying.contains(v);
        let turns = self.l.blocks.iter().filter(|&&b| b != latch).any(|&b| match &func.blocks[b].term {
            Term::Br { cond: v, .. } | Term::Switch { value: v, .. } => varies(v),
            _ => false,
        });
        let place = |data: &InstData| data.args[..1 + usize::from(data.op == Op::Scatter)].iter().any(varies);
        !turns && func.data_of(&self.l.blocks).all(|data| !writes(data) || place(data))
    }

    fn varies(&self, func: &Func, inst: Inst) -> bool {
        let data = &func.insts[inst];
        data.result.is_none_or(|v| self.varying.contains(&v))
    }

    /// How many rows to take at once.
    fn count(&self, func: &Func, config: Config) -> Option<u32> {
        let work = |n: u32| {
            let insts = func.insts_of(&self.l.blocks);
            insts
                .map(|(block, inst)| self.cost(func, config, inst, n) * weight(self.loops, self.id, block))
                .sum::<f64>()
        };
        let one = work(1);
        if let Some(most) = config.rows {
            return ROWS.into_iter().find(|&n| n <= u32::from(most) && self.divides(func, n));
        }
        let gain = |n: u32| f64::from(n) * one / work(n);
        ROWS.into_iter().find(|&n| self.fits(func, config, n)).filter(|&n| gain(n) >= GAIN)
    }

    /// How many vectors to take at once: as many as make it worth while, since one waits for itself.
    fn count_vectors(&self, func: &Func, config: Config) -> Option<u32> {
        if let Some(most) = config.rows {
            return ROWS.into_iter().find(|&n| n <= u32::from(most) && self.divides(func, n));
        }
        let gain = |n: u32| f64::from(n) * self.time(func, config, 1) / self.time(func, config, n);
        let reduces = func.data_of(&self.l.blocks).any(|data| data.op == Op::ReduceTree);
        let (tried, more): (&[u32], f64) = if reduces { (&REDUCED_VECTORS, 1.0) } else { (&VECTORS, MORE) };
        let mut best = 1;
        for n in tried.iter().copied().filter(|&n| self.fits(func, config, n)) {
            if gain(n) >= more * gain(best) && gain(n) >= GAIN {
                best = n;
            }
        }
        (best > 1).then_some(best)
    }

    /// True if so many at once leave none over, and the code is not too large.
    fn divides(&self, func: &Func, n: u32) -> bool {
        let made = func.insts_of(&self.l.blocks).filter(|&(_, inst)| self.varies(func, inst)).count();
        let small = made * 2 <= MAX_INSTS && func.size_of(&self.l.blocks) <= 2 * MAX_INSTS;
        small && self.n.is_multiple_of(u64::from(n)) && made * n as usize <= MAX_INSTS
    }

    /// True if besides there are registers for them.
    fn fits(&self, func: &Func, config: Config, n: u32) -> bool {
        let registers = u32::from(config.target.vector_registers);
        self.divides(func, n) && {
            let (shared, own) = self.pressure(func, config);
            shared + n * own + TEMPORARIES <= registers
        }
    }

    /// An instruction of a turn of `n`, in operations begun.
    fn cost(&self, func: &Func, config: Config, inst: Inst, n: u32) -> f64 {
        let data = &func.insts[inst];
        let n = if self.varies(func, inst) { n } else { 1 };
        match data.op {
            Op::ReduceTree => {
                let vector = func.ty(data.args[0]);
                f64::from(STEP * steps(vector.lanes, n) * parts(vector, config).max(1))
            }
            _ => f64::from(n) * cost(func, data, config),
        }
    }

    /// Cycles of a turn of `n`: what there is to begin, or what has to be waited for where that takes longer. In
    /// straight code the processor begins what comes next meanwhile, as far as it looks ahead.
    fn time(&self, func: &Func, config: Config, n: u32) -> f64 {
        let Costs { issue_width, window, .. } = config.target.costs;
        let work = |block: Block| {
            let insts = func.blocks[block].insts.iter();
            insts.map(|&inst| self.cost(func, config, inst, n)).sum::<f64>()
        };
        let innermost = |l: &Loop| !self.loops.loops.iter().any(|inner| l.blocks[1..].contains(&inner.header));
        let mut cycles = 0.0;
        for &block in &self.l.blocks {
            let l = self.loops.of(block).map(|id| &self.loops.loops[id]).filter(|l| l.header != self.l.header);
            cycles += match l {
                Some(l) if innermost(l) && l.header != block => continue,
                Some(l) if innermost(l) => {
                    let begun = l.blocks.iter().map(|&b| work(b)).sum::<f64>() / issue_width;
                    begun.max(Self::round(func, l, config.target)) * weight(self.loops, self.id, block)
                }
                Some(_) => work(block) / issue_width * weight(self.loops, self.id, block),
                None => {
                    let work = work(block);
                    let path = since(func, &[block], None, config.target, |_| true).into_values().fold(0.0, f64::max);
                    (work / issue_width).max(path * (work / window).min(1.0))
                }
            };
        }
        cycles
    }

    /// Cycles from what goes round a loop to what goes round next in its place, of whatever that takes longest for.
    fn round(func: &Func, l: &Loop, target: &Target) -> f64 {
        let back = l.latches.iter().flat_map(|&b| func.blocks[b].term.targets()).find(|t| t.block == l.header);
        let Some(back) = back else { return 0.0 };
        let params = func.blocks[l.header].params.iter().zip(&back.args);
        let after = |param: Value| since(func, &l.blocks, Some(vec![param]), target, |_| true);
        params.filter_map(|(&param, next)| after(param).get(next).copied()).fold(0.0, f64::max)
    }

    /// The instructions of a block as groups that are copied as one: an instruction, and in front of it those that are
    /// for it alone. What lives within a group does so in one row at a time.
    fn groups(&self, func: &Func, block: Block) -> Vec<Vec<Inst>> {
        let insts = &func.blocks[block].insts;
        // The place in the block of the last instruction of each one's group.
        let mut end: Vec<usize> = (0..insts.len()).collect();
        for (at, &inst) in insts.iter().enumerate().rev() {
            let data = &func.insts[inst];
            let only = data.result.map(|v| self.users[v.index()]).and_then(|(n, user)| user.filter(|_| n == 1));
            let Some(user) = only.and_then(|user| insts.iter().position(|&i| i == user)) else { continue };
            let into = end[user];
            let passes = || insts[at..into].iter().any(|&i| writes(&func.insts[i]));
            // Vector operations take turns with what is shared.
            // Reductions stay next to each other.
            let small = data.result.is_some_and(|v| !func.ty(v).is_vector()) && data.op != Op::ReduceTree
                || matches!(data.op, Op::Splat | Op::Load);
            if small && self.varies(func, inst) && self.varies(func, insts[user]) && (data.op.is_pure() || !passes()) {
                end[at] = into;
            }
        }
        let mut groups: Vec<Vec<Inst>> = vec![Vec::new(); insts.len()];
        end.iter().zip(insts).for_each(|(&at, &inst)| groups[at].push(inst));
        groups.retain(|group| !group.is_empty());
        groups
    }

    /// Vector registers that are in use at once in an innermost loop, at most: those that all rows share, and those of
    /// one row.
    fn pressure(&self, func: &Func, config: Config) -> (u32, u32) {
        let registers = |v: Value| match func.def_inst(v) {
            Some(data) if data.op == Op::Const => 0,
            Some(data) if data.op == Op::Splat => 1,
            // Its operand, which waits for the others.
            Some(data) if data.op == Op::ReduceTree => parts(func.ty(data.args[0]), config),
            _ => parts(func.ty(v), config),
        };
        let inner = |id: usize| self.loops.loops.iter().any(|inner| inner.parent == Some(id));
        let innermost = self.loops.loops.iter().enumerate();
        let innermost = innermost.filter(|(id, l)| self.l.blocks.contains(&l.header) && !inner(*id)).map(|(_, l)| l);
        let mut most = (0, 0);
        for l in innermost {
            // What comes from outside is live everywhere.
            let data = || func.data_of(&l.blocks);
            let mut outside: FxHashSet<Value> = data().flat_map(|data| data.args.iter().copied()).collect();
            l.blocks.iter().flat_map(|&b| &func.blocks[b].params).for_each(|v| _ = outside.remove(v));
            data().filter_map(|data| data.result).for_each(|v| _ = outside.remove(&v));
            let mut live_in: Vec<(Block, FxHashSet<Value>)> = Vec::new();
            // Once for values of the loop that later blocks use, once more for those that go round.
            for &b in l.blocks.iter().rev().chain(l.blocks.iter().rev()) {
                let mut live = outside.clone();
                let next = func.blocks[b].term.targets();
                let next = live_in.iter().filter(|(block, _)| next.iter().any(|t| t.block == *block));
                next.for_each(|(_, values)| live.extend(values));
                func.blocks[b].term.for_each_value(|v| live.extend([v]));
                for group in self.groups(func, b).iter().rev() {
                    let of = |own| live.iter().filter(|v| self.varying.contains(v) == own).map(|&v| registers(v)).sum();
                    let now: (u32, u32) = (of(false), of(true));
                    if now.0 + 4 * now.1 > most.0 + 4 * most.1 {
                        most = now;
                    }
                    let data = || group.iter().map(|&i| &func.insts[i]);
                    data().filter_map(|data| data.result).for_each(|v| _ = live.remove(&v));
                    live.extend(data().flat_map(|data| &data.args).filter(|v| !Self::is_within(func, group, **v)));
                }
                func.blocks[b].params.iter().for_each(|v| _ = live.remove(v));
                live_in.retain(|&(block, _)| block != b);
                live_in.push((b, live));
            }
        }
        most
    }

    /// True if one of these instructions makes a value.
    fn is_within(func: &Func, group: &[Inst], v: Value) -> bool {
        group.iter().any(|&i| func.insts[i].result == Some(v))
    }

    /// Rewrites the loop to take `n` rows a turn.
    fn jam(&self, func: &mut Func, cfg: &Cfg, n: u32) {
        let exact = Flags::NSW | Flags::NUW;
        let counts = Jam { l: self.l, counter: self.row, step: self.step, exact, varying: &self.varying };
        counts.apply(func, cfg, (n, self.n), |func, block| self.groups(func, block));
    }
}

/// True if an address may be that of a slot: what lies in constant memory, as arguments and the environment do, is
/// none.
fn may_be_slot(func: &Func, mut ptr: Value) -> bool {
    while let Some(data) = func.def_inst(ptr) {
        match data.op {
            Op::PtrAdd | Op::PtrOff | Op::AsCast => ptr = data.args[0],
            Op::SlotAddr => return true,
            Op::Load if func.ty(data.args[0]) == Type::ptr(AddrSpace::Constant) => return false,
            _ => break,
        }
    }
    [AddrSpace::Private, AddrSpace::Generic].into_iter().any(|space| func.ty(ptr) == Type::ptr(space))
}

fn writes(data: &InstData) -> bool {
    matches!(data.op, Op::Store | Op::StoreMasked | Op::Scatter)
}

/// Vector registers for a value.
fn parts(ty: Type, config: Config) -> u32 {
    match ty.lanes {
        1 => 0,
        _ if ty.elem == Scalar::I1 => 0,
        _ => config.target.registers(ty.bytes()),
    }
}

/// Roughly, in operations begun.
fn cost(func: &Func, data: &InstData, config: Config) -> f64 {
    let ty = data.result.or(data.args.get(1).copied()).map_or(Type::I32, |v| func.ty(v));
    match data.op {
        Op::Const | Op::Undef | Op::PtrOff | Op::LocalBase => 0.0,
        // Part of the access.
        Op::PtrAdd | Op::Splat => 0.0,
        Op::Gather | Op::Scatter => f64::from(ty.lanes),
        _ if ty.lanes == 1 && data.op != Op::Load => 0.5,
        Op::Fdiv | Op::Sqrt => 5.0 * f64::from(parts(ty, config).max(1)),
        // Converted to `float` and back.
        Op::Fadd | Op::Fsub | Op::Fmul | Op::Fma if ty.elem == Scalar::F16 => 4.0 * f64::from(parts(ty, config).max(1)),
        Op::Call => 20.0,
        _ => f64::from(parts(ty, config).max(1)),
    }
}
