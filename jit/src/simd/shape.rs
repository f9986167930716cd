//! Which values of an item loop are alike in all lanes, and which branches part the lanes.
//!
//! Facts grow from "unknown" over "uniform" and "affine" to "varying" until nothing changes. A branch on a varying
//! value is *divergent*: from its targets labels spread until its immediate postdominator; where two labels meet, lanes
//! that took different ways meet, and block parameters there vary. If a label gets round to the header of a loop around
//! the branch, some lanes go round again while others have left, or have come to the postdominator: the loop is
//! divergent, and what it computes varies for those who use it behind. Blocks with a label are *masked*: not all lanes
//! need be there. Must not emit code.

use super::Reason;
use super::interleave::Strided;
use super::item_loop::ItemLoop;
use super::multiples::Aligned;
use super::transpose_rows::CHUNK;
use crate::analysis::address::growth;
use crate::analysis::alias::is_pure_call;
use crate::analysis::range::Exact;
use crate::analysis::turns::Turns;
use crate::analysis::waits::waiting_loops;
use crate::ir::cfg::Cfg;
use crate::ir::dom::{Dominators, Loop, Loops, Postdominators};
use crate::ir::entity::Entity;
use crate::ir::op::Flags;
use crate::ir::{Block, Func, Imm, Inst, InstData, Op, Term, Type, Value};
use crate::launch::AddrSpace;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::cell::OnceCell;

/// Bytes of a line of the cache.
pub(super) const LINE: i64 = 64;
/// Most parts of an address that are looked at.
const MOST_PARTS: u32 = 64;
/// Registers for the elements of all turns in the pieces in which rows are loaded, in 16 lanes.
const ROW_REGISTERS: u64 = 16;

/// How a value differs from lane to lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// Not seen yet.
    Unknown,
    /// The same in all lanes.
    Uniform,
    /// Lane i holds lane 0's value + i × this (bytes, for pointers; modulo the width of the type).
    Affine(i64),
    /// Anything.
    Varying,
}

/// A loop over work-items and what the control-flow graph says of it.
pub(super) struct Facts {
    pub cfg: Cfg,
    pub dom: Dominators,
    pub post: Postdominators,
    pub loops: Loops,
    /// Private arrays whose lanes lie side by side.
    pub woven: super::memory::Woven,
    pub items: ItemLoop,
    /// Its number among the loops.
    pub number: usize,
    /// The block that defines each value of the loop.
    pub homes: Vec<Option<Block>>,
    within: Vec<bool>,
    /// Whether something in the loop, or behind it, uses a value.
    pub used: Vec<bool>,
    /// Accesses to buffers, in innermost loops within, where a work-item goes on from turn to turn by a line of the
    /// cache or less.
    pub walks: FxHashSet<Inst>,
    /// Those of them that `transpose_rows` will load in one piece for several turns, if lanes stay together.
    pub rows: FxHashSet<Inst>,
    /// Debuggers are told of variables.
    pub is_told: bool,
}

impl Facts {
    pub(super) fn new(func: &Func, items: ItemLoop) -> Self {
        let (cfg, dom, loops) = Loops::of_func(func);
        let post = Postdominators::new(func, &cfg);
        let mut within = vec![false; func.blocks.len()];
        items.blocks.iter().for_each(|b| within[b.index()] = true);
        let mut used = vec![false; func.values.len()];
        items.blocks.iter().for_each(|&b| func.for_each_use(b, |v| used[v.index()] = true));
        let woven = super::memory::Woven::find(func, &items);
        let number = loops.of(items.header).expect("a loop");
        let is_told = func.slots.values().any(|slot| slot.variable.is_some());
        let homes = func.homes(&items.blocks);
        let (walks, rows) = Default::default();
        let mut this = Self { homes, cfg, dom, post, loops, woven, items, number, within, used, walks, rows, is_told };
        let strides = this.innermost().map(|(_, l)| (l, strides(func, l)));
        let found: Vec<_> = strides.map(|(l, walks)| (transposable(func, &this, l, &walks), walks)).collect();
        for (rows, walks) in found {
            this.rows.extend(rows);
            this.walks.extend(walks.into_iter().map(|(inst, _)| inst));
        }
        this
    }
    /// The innermost loops within a turn, with their numbers.
    pub(super) fn innermost(&self) -> impl Iterator<Item = (usize, &Loop)> {
        let within = |l: &Loop| self.within(l.header) && l.header != self.items.header;
        let innermost = self.loops.innermost();
        innermost.map(|n| (n, &self.loops.loops[n])).filter(move |(_, l)| within(l))
    }
    /// True for a block of the item loop.
    pub(super) fn within(&self, block: Block) -> bool {
        self.within[block.index()]
    }
    /// The innermost loop of a block, unless that is the item loop itself.
    pub(super) fn inner_loop(&self, block: Block) -> Option<usize> {
        self.loops.of(block).filter(|&l| l != self.number)
    }
    /// The loop around an inner loop, unless that is the item loop.
    pub(super) fn parent(&self, l: usize) -> Option<usize> {
        self.loops.loops[l].parent.filter(|&l| l != self.number)
    }
    /// The loops around a block within the item loop, the innermost first.
    pub(super) fn loops_around(&self, block: Block) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(self.inner_loop(block), |&l| self.parent(l))
    }
    pub(super) fn contains(&self, l: usize, block: Block) -> bool {
        self.loops.contains(l, block)
    }
    /// True if every work-item comes to a block.
    pub(super) fn is_in_every(&self, block: Block) -> bool {
        self.dom.dominates(block, self.items.latch)
    }
    /// What one work-item hands to the next.
    pub(super) fn back<'f>(&self, func: &'f Func) -> &'f [Value] {
        &func.blocks[self.items.latch].term.only_target(self.items.header).expect("a loop").args
    }
}

/// For an operation that numbers the block of a power of two that a number lies in, or that gives its place in the
/// block: the bits of the place, and true for the latter.
fn block_bits(func: &Func, data: &InstData) -> Option<(u32, bool)> {
    let bits = func.ty(data.result?).elem.bits();
    let by = func.const_bits(*data.args.get(1)?)?;
    match data.op {
        Op::And if by & 1 != 0 => Some((by.trailing_ones(), true)),
        Op::And => Some((by.trailing_zeros(), false)),
        Op::Lshr | Op::Ashr => Some((by as u32 & (bits - 1), false)),
        _ => None,
    }
}

/// The accesses of an innermost loop to buffers that go on by no more than a line from turn to turn, and by how many
/// bytes.
fn strides(func: &Func, l: &Loop) -> Vec<(Inst, i64)> {
    let buffers = [AddrSpace::Global, AddrSpace::Constant].map(Type::ptr);
    let is_buffer = |v: Value| buffers.contains(&func.ty(v));
    let accesses = func.insts_of(&l.blocks).map(|(_, inst)| inst);
    let accesses = accesses.filter(|&inst| matches!(func.insts[inst].op, Op::Load | Op::Store));
    let accesses: Vec<Inst> = accesses.filter(|&inst| is_buffer(func.insts[inst].args[0])).collect();
    if accesses.is_empty() {
        return Vec::new();
    }
    let turns = Turns::new(func, l);
    let walks = |by: &i64| *by != 0 && by.unsigned_abs() <= LINE as u64;
    let stride = |inst: Inst| Some((inst, turns.of(func.insts[inst].args[0]).filter(walks)?));
    accesses.into_iter().filter_map(stride).collect()
}

/// Those of them that read most of what a work-item goes over, or write all of it, in each turn of a loop.
fn transposable(func: &Func, facts: &Facts, l: &Loop, walks: &[(Inst, i64)]) -> Vec<Inst> {
    let &[latch] = &l.latches[..] else { return Vec::new() };
    let is_plain = |data: &InstData| matches!(data.op, Op::Load | Op::Store) || data.op.row().effects.is_empty();
    if !l.exiting(func).all(|block| block == l.header) || !func.data_of(&l.blocks).all(is_plain) {
        return Vec::new();
    }
    let is_store = |inst: Inst| func.insts[inst].op == Op::Store;
    let accessed = |inst: Inst| {
        let data = &func.insts[inst];
        let value = if is_store(inst) { Some(data.args[1]) } else { data.result };
        value.map(|v| func.ty(v)).filter(|ty| matches!(ty.elem.bytes(), 4 | 8)).map_or(0, |ty| u64::from(ty.bytes()))
    };
    let mut bytes: FxHashMap<(i64, bool), u64> = FxHashMap::default();
    for &(inst, stride) in walks {
        *bytes.entry((stride, is_store(inst))).or_default() += accessed(inst);
    }
    let whole = |&&block: &&Block| block != l.header && facts.dom.dominates(block, latch);
    let in_every_turn: FxHashSet<Inst> =
        l.blocks.iter().filter(whole).flat_map(|&block| &func.blocks[block].insts).copied().collect();
    let mut left = ROW_REGISTERS;
    let is_row = |&&(inst, stride): &&(Inst, i64)| {
        let (bytes, size) = (bytes[&(stride, is_store(inst))], stride.unsigned_abs());
        let is_enough = if is_store(inst) { bytes == size } else { 4 * bytes >= 3 * size };
        let is_whole = accessed(inst) > 0
            && in_every_turn.contains(&inst)
            && is_enough
            && is_sum(func, facts, l, func.insts[inst].args[0], &mut { MOST_PARTS });
        let turns = (CHUNK.unsigned_abs() / size).max(1);
        let needed = turns * accessed(inst) / 4;
        let fits = is_whole && needed <= left;
        left -= if fits { needed } else { 0 };
        fits
    };
    walks.iter().filter(is_row).map(|&(inst, _)| inst).collect()
}

/// True if nothing but sums and products make an address, so that its strides are what they seem; `parts` more values
/// may be looked at.
fn is_sum(func: &Func, facts: &Facts, l: &Loop, v: Value, parts: &mut u32) -> bool {
    let is_inside = facts.homes[v.index()].is_some_and(|block| l.blocks.contains(&block));
    let Some(data) = func.def_inst(v).filter(|_| is_inside) else { return true };
    let Some(left) = parts.checked_sub(1) else { return false };
    *parts = left;
    let sum = matches!(
        data.op,
        Op::Add | Op::Sub | Op::Mul | Op::Shl | Op::Sext | Op::Zext | Op::PtrAdd | Op::PtrOff | Op::AsCast | Op::Const
    );
    sum && data.args.iter().all(|&arg| is_sum(func, facts, l, arg, parts))
}

/// Results of the analysis.
pub(super) struct Shapes<'a> {
    /// What it was asked of.
    pub facts: &'a Facts,
    shapes: Vec<Shape>,
    divergent: Vec<bool>,
    masked: Vec<bool>,
    joins: Vec<bool>,
    divergent_loops: Vec<bool>,
    /// Header parameters that one work-item hands to the next, and what is computed from them: see `recurrence`.
    pub carried: super::recurrence::Carried,
    aligned: Aligned,
    /// Most lanes that shapes hold for.
    width: u8,
    /// Accesses at small strides.
    pub strided: Strided,
}

impl<'a> Shapes<'a> {
    /// Shapes that hold for up to `max_width` lanes.
    pub(super) fn analyse(func: &Func, facts: &'a Facts, max_width: u8) -> Result<Self, Reason> {
        let items = &facts.items;
        let carried = super::recurrence::Carried::find(func, facts)?;
        let aligned = Aligned::find(func, facts, &carried, max_width);
        let mut this = Self {
            facts,
            shapes: vec![Shape::Unknown; func.values.len()],
            divergent: vec![false; func.blocks.len()],
            masked: vec![false; func.blocks.len()],
            joins: vec![false; func.blocks.len()],
            divergent_loops: vec![false; facts.loops.loops.len()],
            carried,
            aligned,
            width: max_width,
            strided: Strided::default(),
        };
        for (i, &param) in func.blocks[items.header].params.iter().enumerate() {
            this.shapes[param.index()] = match this.carried.step(i) {
                Some(step) => Shape::Affine(step),
                None if this.carried.is_constant(i) => Shape::Uniform,
                None => Shape::Varying,
            };
        }
        // Facts only grow, so that this ends.
        while items.blocks.iter().filter(|&&block| this.visit(func, block)).count() > 0 {}
        this.strided = Strided::find(func, &this);
        Ok(this)
    }

    /// The reason if lanes may go round a loop, while others have left it, until something in memory changes
    /// (`analysis::waits`): the others could be the ones to change it, and in lockstep they wait. Work-items one after
    /// the other do not. A function that is called may hold such a loop. A loop that tries a compare-exchange again
    /// until it succeeds waits for nobody: those of the lanes that are left come one after the other, and each time the
    /// first one does.
    pub(super) fn may_wait(&self, func: &Func) -> Option<Reason> {
        let facts = self.facts;
        let calls = |inst: &Inst| func.insts[*inst].op == Op::Call && !is_pure_call(&func.insts[*inst]);
        if facts.items.blocks.iter().any(|&block| func.blocks[block].insts.iter().any(calls)) {
            return Some(Reason::Call);
        }
        let looks = |inst: &Inst| {
            let data = &func.insts[*inst];
            let atomic = matches!(data.op, Op::AtomicLoad | Op::AtomicRmw | Op::AtomicCas);
            atomic || data.op == Op::Load && data.attr.flags.contains(Flags::VOLATILE)
        };
        let mut loops = (0..facts.loops.loops.len()).filter(|&l| self.divergent_loops[l]);
        let waiting = OnceCell::new();
        let waits = loops.any(|l| {
            let Loop { header, blocks, .. } = &facts.loops.loops[l];
            let looks = blocks.iter().any(|&block| func.blocks[block].insts.iter().any(looks));
            looks && waiting.get_or_init(|| waiting_loops(func)).contains(header)
        });
        waits.then_some(Reason::MayWait)
    }

    /// True if lanes leave a loop with a compare-exchange one by one: those that have failed try again.
    pub(super) fn retries(&self, func: &Func) -> bool {
        let swaps = |&block: &Block| func.blocks[block].insts.iter().any(|&i| func.insts[i].op == Op::AtomicCas);
        let mut loops = self.facts.loops.loops.iter().zip(&self.divergent_loops);
        loops.any(|(l, &is_divergent)| is_divergent && l.blocks.iter().any(swaps))
    }

    /// True if lanes leave some loop one by one.
    pub(super) fn has_divergent_loops(&self) -> bool {
        self.divergent_loops.contains(&true)
    }
    /// Shape of a value where it is defined.
    pub(super) fn of(&self, v: Value) -> Shape {
        match self.home(v) {
            Some(_) => self.shapes[v.index()],
            None => Shape::Uniform,
        }
    }
    /// Shape of a value for a user in `block`.
    pub(super) fn at(&self, v: Value, block: Block) -> Shape {
        if self.left_loop(v, block).is_some() { Shape::Varying } else { self.of(v) }
    }
    /// The innermost divergent loop that defines the value and that `block` is behind.
    pub(super) fn left_loop(&self, v: Value, block: Block) -> Option<usize> {
        let mut around = self.facts.loops_around(self.home(v)?);
        around.find(|&l| self.divergent_loops[l] && !self.facts.contains(l, block))
    }
    pub(super) fn home(&self, v: Value) -> Option<Block> {
        self.facts.homes[v.index()]
    }
    /// True if lanes part at the end of the block.
    pub(super) fn is_divergent(&self, block: Block) -> bool {
        self.divergent[block.index()]
    }
    /// True if not all lanes need be in the block.
    pub(super) fn is_masked(&self, block: Block) -> bool {
        self.masked[block.index()]
    }
    pub(super) fn is_divergent_loop(&self, l: usize) -> bool {
        self.divergent_loops[l]
    }

    /// Numbers of lanes, fewer than these, of which a vector lies within one of the blocks that affine values number or
    /// have places in.
    pub(super) fn block_widths(&self, func: &Func, least: u8) -> SmallVec<[u8; 2]> {
        let mut widths = SmallVec::new();
        for data in func.data_of(&self.facts.items.blocks) {
            let Some((bits, _)) = block_bits(func, data) else { continue };
            let is_cut = data.result.is_some_and(|v| self.of(v) == Shape::Varying);
            let Shape::Affine(stride) = self.of(data.args[0]) else { continue };
            let lane_bits = bits.saturating_sub(stride.trailing_zeros());
            let width = 1u8.checked_shl(lane_bits).filter(|width| (least..self.width).contains(width));
            widths.extend(width.filter(|width| is_cut && !widths.contains(width)));
        }
        widths
    }
    /// True for an affine value of which only the lowest bits, which carry nothing into the others, differ from lane to
    /// lane: extended, it is as affine.
    fn carries_nothing(&self, func: &Func, v: Value) -> bool {
        matches!(self.of(v), Shape::Affine(stride) if self.aligned.extent(func, v, stride).is_some())
    }

    /// True for what has no lane form and is done for one active lane after the other.
    pub(super) fn is_serial(&self, func: &Func, block: Block, data: &InstData) -> bool {
        // Each lane has a variable of its own, so that all may be accessed at once.
        let is_variable = || self.facts.is_told && func.ty(data.args[0]) == Type::ptr(AddrSpace::Private);
        let volatile = data.attr.flags.contains(Flags::VOLATILE) && !is_variable();
        match data.op {
            _ if data.result.is_some_and(|v| self.of(v) != Shape::Varying) => false,
            Op::Load | Op::Store => volatile,
            Op::Fence | Op::Track | Op::Meet => false,
            op if op.is_sub_group() => false,
            Op::Memset | Op::Memcpy => !data.args.iter().all(|&v| self.at(v, block) == Shape::Uniform),
            Op::IsLocal | Op::IsPrivate | Op::CheckObject => true,
            op => !op.is_pure() && !self.is_aggregated(func, block, data),
        }
    }

    fn raise(&mut self, v: Value, to: Shape) -> bool {
        let old = self.shapes[v.index()];
        let new = match (old, to) {
            (Shape::Unknown, new) => new,
            (old, Shape::Unknown) => old,
            (Shape::Varying, _) => Shape::Varying,
            (Shape::Affine(_), Shape::Uniform) => Shape::Varying,
            (_, new) if new == old => old,
            (Shape::Uniform, Shape::Affine(s)) => Shape::Affine(s),
            _ => Shape::Varying,
        };
        self.shapes[v.index()] = new;
        new != old
    }

    fn visit(&mut self, func: &Func, block: Block) -> bool {
        let items = &self.facts.items;
        let mut changed = false;
        if block != items.header {
            for i in 0..func.blocks[block].params.len() {
                let shape = self.param(func, block, i);
                changed |= self.raise(func.blocks[block].params[i], shape);
            }
        }
        for &inst in &func.blocks[block].insts {
            if let Some(result) = func.insts[inst].result {
                let shape = self.inst(func, block, inst);
                changed |= self.raise(result, shape);
            }
        }
        if let Term::Br { cond, then, els } = &func.blocks[block].term
            && block != items.latch
            && !self.divergent[block.index()]
            && then != els
            && matches!(self.at(*cond, block), Shape::Varying | Shape::Affine(_))
        {
            self.divergent[block.index()] = true;
            self.part(func, block);
            changed = true;
        }
        changed
    }

    fn param(&self, func: &Func, block: Block, i: usize) -> Shape {
        if self.carried.hidden(func.blocks[block].params[i]).is_some() {
            return Shape::Varying;
        }
        let mut joined = Shape::Unknown;
        let mut first: Option<Value> = None;
        let mut same = true;
        for (pred, arg) in self.facts.cfg.handed(func, block, i) {
            same &= *first.get_or_insert(arg) == arg;
            // Lanes that leave a loop do so each in its own iteration, be it one value that they bring.
            let shape = if self.left_loop(arg, block).is_some() { Shape::Varying } else { self.at(arg, pred) };
            joined = match (joined, shape) {
                (Shape::Unknown, s) | (s, Shape::Unknown) => s,
                (a, b) if a == b => a,
                _ => Shape::Varying,
            };
        }
        // Where lanes meet that came different ways, they bring different values.
        if self.joins[block.index()] && !same { Shape::Varying } else { joined }
    }

    fn inst(&self, func: &Func, block: Block, inst: Inst) -> Shape {
        use Shape::{Affine, Uniform, Unknown, Varying};
        let data = &func.insts[inst];
        if data.result.is_some_and(|v| self.carried.hidden(v).is_some()) {
            return Varying;
        }
        let shape = |i: usize| self.at(data.args[i], block);
        let shapes = || data.args.iter().map(|&v| self.at(v, block));
        if shapes().any(|s| s == Unknown) {
            return Unknown;
        }
        let uniform = shapes().all(|s| s == Uniform);
        let volatile = data.attr.flags.contains(Flags::VOLATILE);
        match data.op {
            // Every lane has its own copy of private memory.
            Op::SlotAddr => {
                let Imm::Slot(slot) = data.imm else { return Varying };
                return Affine(self.facts.woven.stride(slot, &func.slots[slot]) as i64);
            }
            Op::Load if volatile => return Varying,
            Op::Load | Op::IsLocal | Op::IsPrivate | Op::CheckObject => {
                return if uniform { Uniform } else { Varying };
            }
            Op::Call if data.attr.flags.contains(Flags::PURE) && uniform => return Uniform,
            // What lanes with a value of their own ask for is nobody's business if they are not active.
            Op::SgBallot => return Uniform,
            Op::SgShuffle => return if shapes().any(|s| s == Uniform) { Uniform } else { Varying },
            Op::SgReduce => {
                let whole = matches!(data.imm, Imm::Cluster(_, n) if n == 0 || n >= self.width);
                return if whole { Uniform } else { Varying };
            }
            op if !op.is_pure() => return Varying,
            _ if uniform => return Uniform,
            _ => {}
        }
        let ty = data.result.map_or(Type::I64, |v| func.ty(v));
        if ty.is_vector() {
            return Varying;
        }
        match (data.op, &data.imm) {
            (Op::And | Op::Lshr | Op::Ashr, _) => match (shape(0), block_bits(func, data)) {
                (Affine(s), Some((bits, is_lower))) => match self.aligned.extent(func, data.args[0], s) {
                    Some(extent) if bits >= extent => {
                        if is_lower {
                            Affine(s)
                        } else {
                            Uniform
                        }
                    }
                    _ => Varying,
                },
                _ => Varying,
            },
            (Op::Trunci, _) if ty.elem.bits() < 32 => Varying,
            (Op::Sext | Op::Zext, _) if ty == Type::I64 => match shape(0) {
                Affine(s) if self.carries_nothing(func, data.args[0]) || self.is_exact(func, block, data) => Affine(s),
                _ => Varying,
            },
            // Elements side by side for all lanes: how far apart they are depends on how many lanes there are.
            (Op::PtrAdd, _)
                if shape(1) != Uniform && data.result.is_some_and(|v| self.facts.woven.elem(v).is_some()) =>
            {
                Varying
            }
            (Op::Icmp, &Imm::IntPred(pred)) => {
                let [a, b] = [data.args[0], data.args[1]];
                let same = match (shape(0), shape(1)) {
                    (Affine(s), Uniform) => self.aligned.agree(func, pred, a, s, b),
                    (Uniform, Affine(s)) => self.aligned.agree(func, pred.swapped(), b, s, a),
                    _ => false,
                };
                if same { Uniform } else { Varying }
            }
            _ => {
                let by = growth(func, data, |i| match shape(i) {
                    Uniform => Some(0),
                    Affine(s) => Some(s),
                    _ => None,
                });
                by.map_or(Varying, |by| if by == 0 { Uniform } else { Affine(by) })
            }
        }
    }

    /// True if an extension to 64 bits is of a sum that does not wrap.
    pub(super) fn is_exact(&self, func: &Func, block: Block, data: &InstData) -> bool {
        let is_uniform = &|v| self.at(v, block) == Shape::Uniform;
        Exact { func, signed: data.op == Op::Sext, resolve: &|v| v, is_uniform }.range(data.args[0]).is_some()
    }

    /// Spreads labels from a divergent branch. Lanes have met at its postdominator, unless some come there only in
    /// another iteration of a loop around both: then all have met behind that loop.
    fn part(&mut self, func: &Func, branch: Block) {
        let facts = self.facts;
        let mut end = facts.post.of(branch);
        loop {
            let rounds = self.spread(func, branch, end);
            let outside = |block: &Block| !rounds.iter().any(|&l| facts.contains(l, *block));
            let next = std::iter::successors(end, |&block| facts.post.of(block)).find(outside);
            if next == end {
                return;
            }
            end = next;
        }
    }

    /// Spreads labels from a divergent branch to where lanes have met; the loops around it that they go round in.
    fn spread(&mut self, func: &Func, branch: Block, end: Option<Block>) -> SmallVec<[usize; 2]> {
        let facts = self.facts;
        let mut rounds = SmallVec::new();
        // A label is the number of a target, or, above those, the block where lanes have met.
        let mut labels: Vec<Option<u32>> = vec![None; func.blocks.len()];
        let mut work: Vec<Block> = Vec::new();
        let met = func.blocks.len() as u32;
        let mut arrivals: Vec<(Block, u32)> =
            func.blocks[branch].term.targets().into_iter().enumerate().map(|(i, t)| (t.block, i as u32)).collect();
        loop {
            for (block, label) in arrivals.drain(..).filter(|&(b, _)| facts.within(b)) {
                let old = labels[block.index()];
                let new = if old.is_none_or(|l| l == label) { label } else { met + block.0 };
                if old.is_some_and(|l| l != label) {
                    self.joins[block.index()] = true;
                }
                if old != Some(new) {
                    labels[block.index()] = Some(new);
                    work.push(block);
                }
            }
            let Some(block) = work.pop() else { break };
            if Some(block) == end {
                continue;
            }
            self.masked[block.index()] = true;
            // Round a loop: others have left it.
            let around = facts.inner_loop(block).filter(|&l| facts.loops.loops[l].header == block);
            if let Some(l) = around.filter(|&l| facts.contains(l, branch)) {
                rounds.push(l);
                if !self.divergent_loops[l] {
                    self.divergent_loops[l] = true;
                    self.mark_loop(func, l);
                }
            }
            if block != branch
                && let Some(label) = labels[block.index()]
            {
                arrivals.extend(func.blocks[block].term.targets().into_iter().map(|t| (t.block, label)));
            }
        }
        rounds
    }

    /// A divergent loop: its blocks are masked, and lanes meet where it is left.
    fn mark_loop(&mut self, func: &Func, l: usize) {
        let facts = self.facts;
        for &block in &facts.loops.loops[l].blocks {
            self.masked[block.index()] = true;
            for target in func.blocks[block].term.targets() {
                if !facts.contains(l, target.block) {
                    self.joins[target.block.index()] = true;
                }
            }
        }
    }
}
