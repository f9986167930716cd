//! Inner-loop vectorisation: where no loop over work-items is in lanes, as in groups of one work-item, innermost loops
//! whose turns do not depend on each other become loops over items, and their turns run in lanes.
//!
//! ```text
//! head(i, sum): p = a + i * 4; …; sum' = sum + x; i' = i + 1; br i' < n, head(i', sum'), out(sum')
//!   → head(i, sum, t) items: …; t' = t + 1; br t' < turns, head(i', sum', t'), out(sum')       t = 0 at first
//! ```
//! What turns access must be apart (`analysis::dependence`), and what one hands to the next must be a counter, or a
//! chain that lanes can follow (`recurrence`): sums of floats in the order of turns, so that all machines have the bits
//! that the loop has. The program's vectors that go from turn to turn are taken apart: each component is a chain of its
//! own; loops whose vectors fill registers as they are stay scalar. Takes loops that test at their end
//! (`loops::rotate`), in the form of work-group functions. Whether lanes pay is for `cost`. Each loop takes time by the
//! size of the function, for as many loops as `MAX_WORK` allows, and by pairs of its accesses. (Allen and Kennedy,
//! "Optimizing Compilers for Modern Architectures".) Where the number of turns is not known, few of them take a copy of
//! the loop that stays scalar.

use super::{Lanes, Place, cost};
use crate::analysis::address::Address;
use crate::analysis::alias::Alias;
use crate::analysis::dependence::are_independent;
use crate::analysis::induction::Counted;
use crate::ir::cfg::Cfg;
use crate::ir::dom::{Dominators, Loop, Loops};
use crate::ir::op::Flags;
use crate::ir::{Block, Builder, Func, Imm, Inst, IntPred, Op, SlotId, Term, Type, Value, ValueDef};
use crate::launch::AddrSpace;
use crate::loops::{lcssa, simplify, version};
use crate::target::Target;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// Most loops times instructions that are looked at.
pub(super) const MAX_WORK: usize = 1 << 20;

/// Most results of a turn, components of vectors counted one by one: a turn with more keeps the machine busy by itself,
/// and its lanes would be too many for registers.
const MAX_RESULTS: usize = 1 << 11;

/// Turns have to fill one of so many of a vector's lanes, and two at least. Of products of sparse matrices in 16 lanes,
/// one with five turns a row took 0.7 of scalar code's time, one with two turns five times as long.
const ENOUGH: u8 = 4;

/// True if some loop might become one over items: one that counts, and does nothing but compute, load and store.
pub(crate) fn applies(func: &Func) -> bool {
    let (cfg, _, loops) = Loops::of_func(func);
    !loops.is_irreducible() && loops.innermost().any(|n| may_count(func, &cfg, &loops.loops[n]))
}

fn may_count(func: &Func, cfg: &Cfg, l: &Loop) -> bool {
    let &[latch] = &l.latches[..] else { return false };
    let counts = [l.header, latch].into_iter().any(|test| Counted::by_test(func, cfg, l, test).is_some());
    // Two ways out: `search_loops` may leave one.
    counts && !func.blocks[l.header].items && l.exiting(func).count() <= 2 && is_small(func, l) && is_plain(func, l)
}

/// True if a turn is not too large.
fn is_small(func: &Func, l: &Loop) -> bool {
    let results = func.data_of(&l.blocks).filter_map(|data| data.result);
    results.map(|v| usize::from(func.ty(v).lanes)).sum::<usize>() <= MAX_RESULTS
}

/// True if a loop does nothing but compute, load and store.
fn is_plain(func: &Func, l: &Loop) -> bool {
    func.data_of(&l.blocks).all(|data| {
        let access = matches!(data.op, Op::Load | Op::Store) && !data.attr.flags.contains(Flags::VOLATILE);
        access || data.op.is_pure() && data.op != Op::SlotAddr || crate::analysis::alias::is_pure_call(data)
    })
}

/// Makes loops over items of the loops that can be, in place of those that are there; true if there are any.
pub(crate) fn run(func: &mut Func, lanes: &mut Lanes) -> bool {
    let (_, _, loops) = Loops::of_func(func);
    let most = MAX_WORK / func.n_live_insts().max(1);
    let headers = loops.innermost().map(|n| loops.loops[n].header).filter(|&b| !func.blocks[b].items);
    let headers: Vec<Block> = headers.take(most).collect();
    func.layout.clone().into_iter().for_each(|b| func.blocks[b].items = false);
    lanes.loops.clear();
    for header in headers {
        if make_items(func, header, lanes.config.target).is_some() {
            lanes.loops.push((lanes.loops.len(), header, Place::InnerLoop));
        }
    }
    !lanes.loops.is_empty()
}

/// Makes a loop over items of the loop of a header.
fn make_items(func: &mut Func, header: Block, target: &Target) -> Option<()> {
    let (cfg, dom, loops) = Loops::of_func(func);
    let l = loops.loops.iter().find(|l| l.header == header)?;
    let &[latch] = &l.latches[..] else { return None };
    let is_closed = l.exiting(func).all(|b| b == latch);
    if !is_closed || !is_small(func, l) || !is_plain(func, l) || !owns_no_slot(func, l) {
        return None;
    }
    let hands_whole_vectors = func.blocks[header].params.iter().any(|&v| cost::may_stay_whole(func.ty(v)));
    let insts = || func.data_of(&l.blocks).map(|data| (1, data));
    if hands_whole_vectors && cost::keeps_vectors_whole(func, insts(), target, true) {
        return None;
    }
    let counted = Counted::at_latch(func, &cfg, l)?;
    let first = func.blocks[l.entry(&cfg)?].term.only_target(header)?.args.clone();
    let turns = counted.turns(func);
    if turns.is_some_and(|n| n < 2) || !are_independent(func, &Alias::new(func), l, &first, turns) {
        return None;
    }
    let plan = Plan::new(func, &counted)?;
    let before = simplify::make_preheader(func, &cfg, l);
    let exit = lcssa::close_at(func, &l.blocks, latch);
    let is_known = turns.is_some();
    let turns = plan.emit(func, before);
    let before = if is_known { before } else { keep_few_scalar(func, l, before, turns, target) };
    count_turns(func, l, before, turns);
    if func.blocks[header].params.iter().any(|&v| func.ty(v).is_vector()) {
        take_apart(func, &cfg, &dom, l, exit);
    }
    func.blocks[header].items = true;
    Some(())
}

/// Has a copy of a loop, which stays scalar, do turns that are so few that lanes would not pay (loop versioning). The
/// block in front of the loop.
fn keep_few_scalar(func: &mut Func, l: &Loop, before: Block, turns: Value, target: &Target) -> Block {
    let enough = u64::from(target.max_lanes / ENOUGH);
    let copies = func.copy_blocks(&l.blocks);
    let mut b = Builder::new(func, before);
    let enough = b.bits(Type::I64, enough.max(2));
    let are_few = b.icmp(IntPred::ULt, turns, enough);
    version::choose(func, before, are_few, &copies);
    func.split_edge(before, l.header)
}

/// True if all private arrays that a loop accesses are accessed outside it, too. (Of others, each lane would have its
/// own.)
fn owns_no_slot(func: &Func, l: &Loop) -> bool {
    let slot = |v: Value| Address::of(func, v).slot(func);
    let is_private = |v: Value| {
        let ty = func.ty(v);
        ty == Type::ptr(AddrSpace::Private) || ty == Type::ptr(AddrSpace::Generic)
    };
    let accesses = |data: &&crate::ir::InstData| matches!(data.op, Op::Load | Op::Store);
    let mut own: FxHashSet<SlotId> = FxHashSet::default();
    for data in func.data_of(&l.blocks).filter(accesses) {
        match slot(data.args[0]) {
            Some(slot) => _ = own.insert(slot),
            None if is_private(data.args[0]) => return false,
            None => {}
        }
    }
    if !own.is_empty() {
        for &block in func.layout.iter().filter(|b| !l.blocks.contains(b)) {
            let insts = func.blocks[block].insts.iter().map(|&inst| &func.insts[inst]);
            insts.filter(|data| !data.op.is_pure()).for_each(|data| {
                data.args.iter().filter_map(|&v| slot(v)).for_each(|slot| _ = own.remove(&slot));
            });
        }
    }
    own.is_empty()
}

/// How the number of turns is computed.
struct Plan {
    counted: Counted,
    /// `than`, if it is constant.
    than: Option<u64>,
    /// The counter falls.
    falls: bool,
    /// It may reach `than`.
    includes: bool,
}

impl Plan {
    fn new(func: &Func, counted: &Counted) -> Option<Self> {
        use IntPred::{Eq, Ne, SGe, SGt, SLe, SLt, UGe, UGt, ULe, ULt};
        let (step, pred) = (counted.step, counted.bound.pred);
        let than = func.const_bits(counted.bound.than);
        let bits = func.ty(counted.counter.now).elem.bits();
        if counted.counter.extension.is_some() || bits < 32 || step.unsigned_abs() > 1 << 20 {
            return None;
        }
        let all = u64::MAX >> (64 - bits);
        let (falls, includes) = match pred {
            Ne if step.abs() == 1 => (step < 0, false),
            ULt | SLt => (false, false),
            UGt | SGt => (true, false),
            // Nothing is beyond the last number.
            ULe if than.is_some_and(|n| n & all != all) => (false, true),
            SLe if than.is_some_and(|n| n & all != all >> 1) => (false, true),
            UGe if than.is_some_and(|n| n & all != 0) => (true, true),
            SGe if than.is_some_and(|n| n & all != all ^ all >> 1) => (true, true),
            Eq | Ne | ULe | SLe | UGe | SGe => return None,
        };
        let flag = if pred.is_signed() { Flags::NSW } else { Flags::NUW };
        let next = func.def_inst(counted.counter.next)?;
        let fits = step.abs() == 1 || next.attr.flags.contains(flag) && !includes;
        (falls == (step < 0) && fits).then_some(Self { counted: *counted, than, falls, includes })
    }

    /// The number of turns (i64), at the end of the block in front of the loop.
    fn emit(&self, func: &mut Func, before: Block) -> Value {
        let Counted { counter, first, step, bound } = self.counted;
        let ty = func.ty(counter.now);
        let mut b = Builder::new(func, before);
        let than = self.than.map_or(bound.than, |bits| b.bits(ty, bits));
        let start = if bound.is_next { b.op_bits(Op::Add, first, step as u64) } else { first };
        let (from, to) = if self.falls { (than, start) } else { (start, than) };
        let more = b.icmp(bound.pred, start, than);
        let mut left = b.op(Op::Sub, &[to, from]);
        if ty != Type::I64 {
            left = b.convert(Op::Zext, Type::I64, left);
        }
        if self.includes {
            left = b.op_bits(Op::Add, left, 1);
        }
        let by = step.unsigned_abs();
        if by > 1 {
            let up = b.op_bits(Op::Add, left, by - 1);
            left = b.op_bits(Op::DivU, up, by);
        }
        let none = b.i64(0);
        let left = b.op(Op::Select, &[more, left, none]);
        b.op_bits(Op::Add, left, 1)
    }
}

/// Gives a loop a counter of its turns that ends it.
fn count_turns(func: &mut Func, l: &Loop, before: Block, turns: Value) {
    let latch = l.latches[0];
    let count = func.add_param(l.header, Type::I64);
    let zero = Builder::new(func, before).i64(0);
    let entry = func.blocks[before].term.targets_mut();
    entry.into_iter().filter(|t| t.block == l.header).for_each(|t| t.args.push(zero));
    let term = func.blocks[latch].term.clone();
    let mut b = Builder::new(func, latch);
    let next = b.op_bits(Op::Add, count, 1);
    let more = b.icmp(IntPred::ULt, next, turns);
    let targets = term.targets();
    let [mut back, out] =
        [true, false].map(|is| targets.iter().find(|t| (t.block == l.header) == is).map(|&t| t.clone()).expect("ends"));
    back.args.push(next);
    b.end(Term::Br { cond: more, then: back, els: out });
}

/// A vector's components.
type Parts = SmallVec<[Value; 4]>;

/// Takes the program's vectors in a loop apart, those that are handed on above all (scalarisation).
struct Apart<'f> {
    func: &'f mut Func,
    parts: FxHashMap<Value, Parts>,
    /// What takes the place of values.
    with: FxHashMap<Value, Value>,
}

fn take_apart(func: &mut Func, cfg: &Cfg, dom: &Dominators, l: &Loop, exit: Block) {
    let mut blocks = l.blocks.clone();
    cfg.sort(&mut blocks);
    debug_assert!(blocks.iter().all(|&b| dom.dominates(l.header, b)));
    let mut apart = Apart { func, parts: FxHashMap::default(), with: FxHashMap::default() };
    blocks.push(exit);
    let handed: Vec<(Block, Vec<usize>)> = blocks.iter().map(|&b| (b, apart.params(b))).collect();
    for &block in &blocks {
        apart.block(block);
    }
    // What is handed over is known only now.
    for (block, places) in handed {
        if !places.is_empty() {
            apart.edges(block, &places);
        }
    }
    let with = apart.with;
    for block in func.layout.clone() {
        func.map_uses(block, |mut v| {
            while let Some(&other) = with.get(&v) {
                v = other;
            }
            v
        });
    }
}

impl Apart<'_> {
    /// Gives a block a parameter for each component of its vectors, behind the others; the places of the vectors, which
    /// go.
    fn params(&mut self, block: Block) -> Vec<usize> {
        let old = std::mem::take(&mut self.func.blocks[block].params);
        let is_vector = |func: &Func, v: Value| func.ty(v).is_vector();
        let places = (0..old.len()).filter(|&i| is_vector(self.func, old[i])).collect();
        let (vectors, rest): (Vec<Value>, Vec<Value>) = old.into_iter().partition(|&v| is_vector(self.func, v));
        for (i, &v) in rest.iter().enumerate() {
            self.func.values[v].def = ValueDef::Param(block, i as u32);
        }
        self.func.blocks[block].params = rest;
        let mut made: Vec<(Value, Parts)> = Vec::new();
        for v in vectors {
            let ty = self.func.ty(v);
            let parts = (0..ty.lanes).map(|_| self.func.add_param(block, ty.lane())).collect();
            made.push((v, parts));
        }
        let mut b = Builder::at(self.func, block, 0);
        for (v, parts) in made {
            let ty = b.func.ty(v);
            let whole = b.emit(Op::Build, ty, &parts, Imm::None);
            self.with.insert(v, whole);
            self.parts.insert(whole, parts.clone());
            self.parts.insert(v, parts);
        }
        places
    }

    /// Hands over components in place of vectors.
    fn edges(&mut self, to: Block, places: &[usize]) {
        let from: Vec<Block> = self.func.layout.iter().copied().filter(|&b| leads(self.func, b, to)).collect();
        for block in from {
            let mut term = self.func.blocks[block].term.clone();
            let at = self.func.blocks[block].insts.len();
            let mut at = at;
            for target in term.targets_mut().into_iter().filter(|t| t.block == to) {
                let vectors: Vec<Value> = places.iter().map(|&i| target.args[i]).collect();
                let mut i = 0;
                target.args.retain(|_| {
                    i += 1;
                    !places.contains(&(i - 1))
                });
                for v in vectors {
                    for lane in 0..self.func.ty(v).lanes {
                        let part = self.part(block, &mut at, v, lane);
                        target.args.push(part);
                    }
                }
            }
            self.func.blocks[block].term = term;
        }
    }

    /// A component of a vector, which may have to be taken out of it, at a place in a block.
    fn part(&mut self, block: Block, at: &mut usize, v: Value, lane: u8) -> Value {
        if let Some(parts) = self.parts.get(&v) {
            return parts[usize::from(lane)];
        }
        let ty = self.func.ty(v).lane();
        let old = self.func.blocks[block].insts.len();
        let mut b = Builder::at(self.func, block, *at);
        let data = b.func.def_inst(v).cloned();
        let part = match data {
            Some(data) if data.op == Op::Const => b.typed(Op::Const, ty, &[], data.imm, data.attr),
            _ => b.emit(Op::Extract, ty, &[v], Imm::Lane(lane)),
        };
        *at += self.func.blocks[block].insts.len() - old;
        part
    }

    fn block(&mut self, block: Block) {
        let mut at = 0;
        while at < self.func.blocks[block].insts.len() {
            let inst = self.func.blocks[block].insts[at];
            self.inst(block, &mut at, inst);
            at += 1;
        }
    }

    /// Makes the components of an instruction's result in front of it.
    fn inst(&mut self, block: Block, at: &mut usize, inst: Inst) {
        let data = self.func.insts[inst].clone();
        let Some(result) = data.result else { return };
        let ty = self.func.ty(result);
        let whole = |cx: &Self, i: usize| cx.func.ty(data.args[i]);
        if data.op == Op::Extract
            && let (Some(parts), &Imm::Lane(lane)) = (self.parts.get(&data.args[0]), &data.imm)
        {
            let part = parts[usize::from(lane)];
            self.with.insert(result, part);
            return;
        }
        if !ty.is_vector() || self.parts.contains_key(&result) {
            return;
        }
        let n = ty.lanes;
        let parts: Parts = match (data.op, &data.imm) {
            (Op::Build, _) if data.args.len() == usize::from(n) => data.args.iter().copied().collect(),
            (Op::Splat, _) => std::iter::repeat_n(data.args[0], usize::from(n)).collect(),
            (Op::Insert, &Imm::Lane(lane)) => {
                let parts =
                    (0..n).map(|i| if i == lane { data.args[1] } else { self.part(block, at, data.args[0], i) });
                parts.collect()
            }
            (Op::Shuffle, Imm::Lanes(lanes)) => {
                let first = whole(self, 0).lanes;
                let of = |&i: &u8| if i < first { (data.args[0], i) } else { (data.args[1], i - first) };
                let from: Vec<(Value, u8)> = lanes.iter().map(of).collect();
                from.into_iter().map(|(v, lane)| self.part(block, at, v, lane)).collect()
            }
            (op, _) if op.is_elementwise() => (0..n)
                .map(|lane| {
                    let args: SmallVec<[Value; 4]> = data
                        .args
                        .iter()
                        .map(|&v| if self.func.ty(v).is_vector() { self.part(block, at, v, lane) } else { v })
                        .collect();
                    let old = self.func.blocks[block].insts.len();
                    let mut b = Builder::at(self.func, block, *at).with_origin(data.origin);
                    let part = b.typed(op, ty.lane(), &args, data.imm.clone(), data.attr);
                    *at += self.func.blocks[block].insts.len() - old;
                    part
                })
                .collect(),
            _ => return,
        };
        let old = self.func.blocks[block].insts.len();
        let whole = Builder::at(self.func, block, *at).emit(Op::Build, ty, &parts, Imm::None);
        *at += self.func.blocks[block].insts.len() - old;
        self.with.insert(result, whole);
        self.parts.insert(whole, parts.clone());
        self.parts.insert(result, parts);
    }
}

fn leads(func: &Func, from: Block, to: Block) -> bool {
    func.blocks[from].term.targets().iter().any(|t| t.block == to)
}
