//! Row jam: a loop over rows of work-items takes several rows a turn, instruction by instruction. What does not depend on the
//! row is computed once, and a load that all rows make at the same place is one load:
//!
//! ```text
//! rows y: k: b = load B[k]; s(y) += A[y][k] * b      → rows y, y + 1: k: b = load B[k]; s += A[y][k] * b; t += A[y + 1][k] * b
//! ```
//! A loop over vectors of work-items takes several vectors a turn in the same way, where one would wait for itself: chains of
//! operations, each of which needs the result of the one before, run beside each other. (Unroll-and-jam; interleaving.)
//!
//! Work-items do not wait for each other within a region, so that any order of their instructions will do, and memory that one
//! of them writes no other may read. Rows must take the same way through the loop's body. Takes SSA form in lanes.

use super::Config;
use super::cost::{PER_CYCLE, TURNS, WINDOW, latency};
use super::loops::closed;
use super::split::push;
use crate::ir::cfg::Cfg;
use crate::ir::dom::{Dominators, Loop, Loops};
use crate::ir::entity::Entity;
use crate::ir::op::Flags;
use crate::ir::{Attr, Block, BlockData, Func, Imm, Inst, InstData, IntPred, Op, Scalar, Term, Type, Value};
use crate::pass::alias::is_pure_call;
use crate::pass::licm::make_preheaders;
use crate::source::Span;
use rustc_hash::{FxHashMap, FxHashSet};

/// Rows per turn that are tried.
const ROWS: [u32; 2] = [4, 2];
/// A turn must be better by this much.
const GAIN: f64 = 1.15;
/// Vectors per turn that are tried.
const VECTORS: [u32; 3] = [2, 4, 8];
/// Twice as many must be better by this much.
const MORE: f64 = 1.1;
/// Vector registers for what lives within one row's instructions.
const TEMPORARIES: u32 = 2;
/// Most instructions made for a loop.
const MAX_INSTS: usize = 800;

/// Jams the loops for which it pays. For each loop over rows, in the order of the layout: how many a turn takes then.
pub(super) fn run(func: &mut Func, config: Config) -> Vec<Option<u32>> {
    let heads = |func: &Func, is: fn(&BlockData) -> bool| -> Vec<Block> {
        func.layout.iter().copied().filter(|&b| is(&func.blocks[b])).collect()
    };
    let headers = heads(func, |data| data.rows);
    let mut jammed = vec![None; headers.len()];
    let vectors = heads(func, |data| data.vectors);
    if headers.len() + vectors.len() == 0 || func.live_insts().any(|(_, i)| func.insts[i].op == Op::SlotAddr) {
        return jammed;
    }
    make_preheaders(func);
    let cfg = Cfg::new(func);
    let loops = Loops::new(func, &cfg, &Dominators::new(&cfg));
    let mut done: Vec<&Loop> = Vec::new();
    for l in &loops.loops {
        if let Some(at) = headers.iter().position(|&b| b == l.header)
            && let Some(rows) = Rows::find(func, &cfg, &loops, l)
            && let Some(n) = rows.count(func, config)
        {
            rows.jam(func, &cfg, n);
            jammed[at] = Some(n);
            done.push(l);
        }
    }
    for l in loops.loops.iter().filter(|l| vectors.contains(&l.header)) {
        if !done.iter().any(|rows| rows.blocks.contains(&l.header))
            && let Some(rows) = Rows::find(func, &cfg, &loops, l)
            && let Some(n) = rows.count_vectors(func, config)
        {
            rows.jam(func, &cfg, n);
            done.push(l);
        }
    }
    if done.is_empty() {
        // Blocks that were for nothing.
        crate::pass::cleanup::run(func);
    }
    jammed
}

/// A loop over rows, or over vectors, that may be jammed.
struct Rows<'a> {
    l: &'a Loop,
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
        let before = closed(func, cfg, l)?;
        // From 0 in constant steps up to a constant.
        let first = func.blocks[before].term.targets()[0].args[0];
        let Term::Br { cond, then, .. } = &func.blocks[latch].term else { return None };
        let (test, next) = (func.def_inst(*cond)?, *then.args.first()?);
        let step = func.def_inst(next)?;
        let counts = func.const_bits(first) == Some(0)
            && then.block == l.header
            && test.op == Op::Icmp
            && test.imm == Imm::IntPred(IntPred::ULt)
            && test.args[0] == next
            && step.op == Op::Add
            && step.args[0] == row;
        let step = func.const_bits(step.args[1]).filter(|&by| counts && by > 0)?;
        let n = func.const_bits(test.args[1]).filter(|n| n.is_multiple_of(step))? / step;
        let mut users = vec![(0, None); func.values.len()];
        for &block in &l.blocks {
            for &inst in &func.blocks[block].insts {
                func.insts[inst].args.iter().for_each(|v| users[v.index()] = (users[v.index()].0 + 1, Some(inst)));
            }
            func.blocks[block].term.for_each_value(|v| users[v.index()].0 += 1);
        }
        let mut rows = Self { l, loops, row, step, n, varying: FxHashSet::default(), users };
        rows.is_simple(func).then_some(())?;
        rows.find_varying(func, latch).then_some(rows)
    }

    fn insts<'f>(&self, func: &'f Func) -> impl Iterator<Item = (Block, Inst, &'f InstData)> {
        let blocks = self.l.blocks.iter();
        blocks.flat_map(move |&b| func.blocks[b].insts.iter().map(move |&i| (b, i, &func.insts[i])))
    }

    /// True if the loop does nothing but compute, load and store.
    fn is_simple(&self, func: &Func) -> bool {
        self.insts(func).all(|(_, _, data)| {
            let plain =
                matches!(data.op, Op::Load | Op::Store | Op::LoadMasked | Op::StoreMasked | Op::Gather | Op::Scatter);
            data.op.is_pure() || plain || is_pure_call(data)
        })
    }

    /// Finds what depends on the row; false if the way through the loop does, or if all rows write to one place.
    fn find_varying(&mut self, func: &Func, latch: Block) -> bool {
        self.varying.insert(self.row);
        let mut before = 0;
        while self.varying.len() > before {
            before = self.varying.len();
            for &block in &self.l.blocks {
                for &inst in &func.blocks[block].insts {
                    let data = &func.insts[inst];
                    let own = data.attr.flags.contains(Flags::VOLATILE);
                    if own || data.args.iter().any(|v| self.varying.contains(v)) {
                        self.varying.extend(data.result);
                    }
                }
                let targets = func.blocks[block].term.targets();
                for target in targets.into_iter().filter(|t| self.l.blocks.contains(&t.block)) {
                    let handed = func.blocks[target.block].params.iter().zip(&target.args);
                    let varying: Vec<Value> =
                        handed.filter(|(_, v)| self.varying.contains(v)).map(|(&p, _)| p).collect();
                    self.varying.extend(varying);
                }
            }
        }
        let varies = |v: &Value| self.varying.contains(v);
        let turns = self.l.blocks.iter().filter(|&&b| b != latch).any(|&b| match &func.blocks[b].term {
            Term::Br { cond: v, .. } | Term::Switch { value: v, .. } => varies(v),
            _ => false,
        });
        let place = |data: &InstData| data.args[..1 + usize::from(data.op == Op::Scatter)].iter().any(varies);
        !turns && self.insts(func).all(|(_, _, data)| !writes(data) || place(data))
    }

    fn varies(&self, func: &Func, inst: Inst) -> bool {
        let data = &func.insts[inst];
        data.result.is_none_or(|v| self.varying.contains(&v))
    }

    /// How many rows to take at once.
    fn count(&self, func: &Func, config: Config) -> Option<u32> {
        let (mut once, mut each) = (0.0, 0.0);
        for (block, inst, data) in self.insts(func) {
            let cost = cost(func, data, config) * self.weight(block);
            *if self.varies(func, inst) { &mut each } else { &mut once } += cost;
        }
        if let Some(most) = config.rows {
            return ROWS.into_iter().find(|&n| n <= u32::from(most) && self.divides(func, n));
        }
        let gain = |n: u32| f64::from(n) * (once + each) / (once + f64::from(n) * each);
        ROWS.into_iter().find(|&n| self.fits(func, config, n)).filter(|&n| gain(n) >= GAIN)
    }

    /// How many vectors to take at once: as many as make it worth while, since one waits for itself.
    fn count_vectors(&self, func: &Func, config: Config) -> Option<u32> {
        if let Some(most) = config.rows {
            return ROWS.into_iter().find(|&n| n <= u32::from(most) && self.divides(func, n));
        }
        let gain = |n: u32| f64::from(n) * self.time(func, config, 1) / self.time(func, config, n);
        let mut best = 1;
        for n in VECTORS.into_iter().filter(|&n| self.fits(func, config, n)) {
            if gain(n) >= MORE * gain(best) && gain(n) >= GAIN {
                best = n;
            }
        }
        (best > 1).then_some(best)
    }

    /// Turns of the loops that a block is in, within this one.
    fn weight(&self, block: Block) -> f64 {
        let mut depth = 0;
        let mut at = self.loops.of(block);
        while let Some(id) = at.filter(|&id| self.loops.loops[id].header != self.l.header) {
            depth += 1;
            at = self.loops.loops[id].parent;
        }
        f64::powi(TURNS, depth)
    }

    /// True if so many at once leave none over, and the code is not too large.
    fn divides(&self, func: &Func, n: u32) -> bool {
        let made = self.insts(func).filter(|&(_, inst, _)| self.varies(func, inst)).count();
        let small = made * 2 <= MAX_INSTS && self.insts(func).count() <= 2 * MAX_INSTS;
        small && self.n.is_multiple_of(u64::from(n)) && made * n as usize <= MAX_INSTS
    }

    /// True if besides there are registers for them.
    fn fits(&self, func: &Func, config: Config, n: u32) -> bool {
        let registers = if config.has_scatter() { 32 } else { 16 };
        self.divides(func, n) && {
            let (shared, own) = self.pressure(func, config);
            shared + n * own + TEMPORARIES <= registers
        }
    }

    /// Cycles of a turn of `n`: what there is to begin, or what has to be waited for where that takes longer. In straight code
    /// the processor begins what comes next meanwhile, as far as it looks ahead.
    fn time(&self, func: &Func, config: Config, n: u32) -> f64 {
        let work = |block: Block| {
            let insts = func.blocks[block].insts.iter();
            let costs = insts.map(|&inst| {
                let times = if self.varies(func, inst) { f64::from(n) } else { 1.0 };
                times * cost(func, &func.insts[inst], config)
            });
            costs.sum::<f64>()
        };
        let innermost = |l: &Loop| !self.loops.loops.iter().any(|inner| l.blocks[1..].contains(&inner.header));
        let mut cycles = 0.0;
        for &block in &self.l.blocks {
            let l = self.loops.of(block).map(|id| &self.loops.loops[id]).filter(|l| l.header != self.l.header);
            cycles += match l {
                Some(l) if innermost(l) && l.header != block => continue,
                Some(l) if innermost(l) => {
                    let begun = l.blocks.iter().map(|&b| work(b)).sum::<f64>() / PER_CYCLE;
                    begun.max(Self::round(func, l)) * self.weight(block)
                }
                Some(_) => work(block) / PER_CYCLE * self.weight(block),
                None => {
                    let work = work(block);
                    let path = since(func, &[block], &[]).into_values().fold(0.0, f64::max);
                    (work / PER_CYCLE).max(path * (work / WINDOW).min(1.0))
                }
            };
        }
        cycles
    }

    /// Cycles from what goes round a loop to what goes round next in its place, of whatever that takes longest for.
    fn round(func: &Func, l: &Loop) -> f64 {
        let back = l.latches.iter().flat_map(|&b| func.blocks[b].term.targets()).find(|t| t.block == l.header);
        let Some(back) = back else { return 0.0 };
        let params = func.blocks[l.header].params.iter().zip(&back.args);
        let cycles = params.map(|(&param, next)| since(func, &l.blocks, &[param]).get(next).copied().unwrap_or(0.0));
        cycles.fold(0.0, f64::max)
    }

    /// The instructions of a block as groups that are copied as one: an instruction, and in front of it those that are for it
    /// alone. What lives within a group does so in one row at a time.
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
            let small = data.result.is_some_and(|v| !func.ty(v).is_vector()) || matches!(data.op, Op::Splat | Op::Load);
            if small && self.varies(func, inst) && self.varies(func, insts[user]) && (data.op.is_pure() || !passes()) {
                end[at] = into;
            }
        }
        let mut groups: Vec<Vec<Inst>> = vec![Vec::new(); insts.len()];
        end.iter().zip(insts).for_each(|(&at, &inst)| groups[at].push(inst));
        groups.retain(|group| !group.is_empty());
        groups
    }

    /// Vector registers that are in use at once in an innermost loop, at most: those that all rows share, and those of one row.
    fn pressure(&self, func: &Func, config: Config) -> (u32, u32) {
        let registers = |v: Value| match func.def_inst(v) {
            Some(data) if data.op == Op::Const => 0,
            Some(data) if data.op == Op::Splat => 1,
            _ => parts(func.ty(v), config),
        };
        let inner = |id: usize| self.loops.loops.iter().any(|inner| inner.parent == Some(id));
        let innermost = self.loops.loops.iter().enumerate();
        let innermost = innermost.filter(|(id, l)| self.l.blocks.contains(&l.header) && !inner(*id)).map(|(_, l)| l);
        let mut most = (0, 0);
        for l in innermost {
            // What comes from outside is live everywhere.
            let blocks = || l.blocks.iter().map(|b| &func.blocks[*b]);
            let mut outside: FxHashSet<Value> =
                blocks().flat_map(|b| &b.insts).flat_map(|&i| func.insts[i].args.iter().copied()).collect();
            blocks().flat_map(|b| &b.params).for_each(|v| _ = outside.remove(v));
            blocks().flat_map(|b| &b.insts).filter_map(|&i| func.insts[i].result).for_each(|v| _ = outside.remove(&v));
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
        let header = self.l.header;
        let mut blocks = self.l.blocks.clone();
        cfg.sort(&mut blocks);
        // What the values of the first row are in the others.
        let mut copies: Vec<FxHashMap<Value, Value>> = vec![FxHashMap::default(); n as usize - 1];
        // Of a block that parameters are added to: those that had varied.
        let own = |v: &Value| *v != self.row && self.varying.contains(v);
        for &block in &blocks {
            for v in func.blocks[block].params.clone().into_iter().filter(own) {
                for map in &mut copies {
                    let ty = func.ty(v);
                    map.insert(v, func.add_param(block, ty));
                }
            }
        }
        for &block in &blocks {
            let groups = self.groups(func, block);
            func.blocks[block].insts.clear();
            if block == header {
                for (by, map) in (1..).zip(&mut copies) {
                    let by = push(func, block, Op::Const, Type::I64, &[], Imm::Bits(by * self.step));
                    let exact = Attr { flags: Flags::NSW | Flags::NUW, ..Attr::default() };
                    let row = func.make_inst(Op::Add, Some(Type::I64), &[self.row, by], Imm::None, exact, Span::DUMMY);
                    func.blocks[block].insts.push(row);
                    map.extend(func.insts[row].result.map(|v| (self.row, v)));
                }
            }
            for group in groups {
                func.blocks[block].insts.extend(&group);
                if !self.varies(func, group[0]) {
                    continue;
                }
                for map in &mut copies {
                    for &inst in &group {
                        let data = func.insts[inst].clone();
                        let ty = data.result.map(|v| func.ty(v));
                        let args: Vec<Value> = data.args.iter().map(|v| map.get(v).copied().unwrap_or(*v)).collect();
                        let copy = func.make_inst(data.op, ty, &args, data.imm, data.attr, data.span);
                        func.blocks[block].insts.push(copy);
                        map.extend(data.result.zip(func.insts[copy].result));
                    }
                }
            }
        }
        for &block in &blocks {
            let mut term = func.blocks[block].term.clone();
            for target in term.targets_mut() {
                if !self.l.blocks.contains(&target.block) {
                    // Behind the loop, the last row's values are used.
                    let last = copies.last().expect("more than one row");
                    target.args.iter_mut().for_each(|v| *v = last.get(v).copied().unwrap_or(*v));
                    continue;
                }
                let params = func.blocks[target.block].params.iter().zip(&target.args);
                let first: Vec<Value> = params.filter(|(param, _)| own(param)).map(|(_, &v)| v).collect();
                // In the order in which the parameters were added.
                for v in first {
                    target.args.extend(copies.iter().map(|map| map.get(&v).copied().unwrap_or(v)));
                }
            }
            func.blocks[block].term = term;
        }
        let latch = self.l.latches[0];
        let by = push(func, latch, Op::Const, Type::I64, &[], Imm::Bits(u64::from(n) * self.step));
        let bound = push(func, latch, Op::Const, Type::I64, &[], Imm::Bits(self.n * self.step));
        let next = push(func, latch, Op::Add, Type::I64, &[self.row, by], Imm::None);
        let more = push(func, latch, Op::Icmp, Type::I1, &[next, bound], Imm::IntPred(IntPred::ULt));
        if let Term::Br { cond, then, .. } = &mut func.blocks[latch].term {
            *cond = more;
            then.args[0] = next;
        }
    }
}

/// After how many cycles the values of these blocks are there that depend on some, or on any if there are none.
fn since(func: &Func, blocks: &[Block], from: &[Value]) -> FxHashMap<Value, f64> {
    let mut since: FxHashMap<Value, f64> = from.iter().map(|&v| (v, 0.0)).collect();
    for data in blocks.iter().flat_map(|&b| &func.blocks[b].insts).map(|&i| &func.insts[i]) {
        let Some(result) = data.result else { continue };
        let before = data.args.iter().filter_map(|v| since.get(v)).copied().reduce(f64::max);
        let before = before.or(from.is_empty().then_some(0.0)).filter(|_| data.op != Op::Load);
        since.extend(before.map(|before| (result, before + latency(data.op, func.ty(result)))));
    }
    since
}

fn writes(data: &InstData) -> bool {
    matches!(data.op, Op::Store | Op::StoreMasked | Op::Scatter)
}

/// Vector registers for a value.
fn parts(ty: Type, config: Config) -> u32 {
    match ty.lanes {
        1 => 0,
        _ if ty.elem == Scalar::I1 => 0,
        _ => ty.bytes().div_ceil(u32::from(config.register_bytes)),
    }
}

/// Roughly, in operations begun.
fn cost(func: &Func, data: &InstData, config: Config) -> f64 {
    let ty = data.result.or(data.args.get(1).copied()).map_or(Type::I32, |v| func.ty(v));
    match data.op {
        Op::Const | Op::Undef | Op::PtrOff => 0.0,
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
