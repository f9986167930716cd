//! Whether lanes pay, and how many: what one turn of the loop costs for W work-items in lanes against W turns of the scalar
//! loop. Units are roughly cycles of throughput; a loop is taken to go round 8 times. Must not change code.

use super::carry::Update;
use super::interleave::Estimate;
use super::record::is_elementwise;
use super::shape::{Facts, Shape, Shapes};
use super::{Config, Tails, loops::ItemLoop};
use crate::ir::dom::Loop;
use crate::ir::entity::Entity;
use crate::ir::op::Flags;
use crate::ir::{Block, Func, Inst, InstData, Op, Scalar, Type, Value};
use crate::launch::AddrSpace;
use crate::legalize::works_on_wide_vectors;
use rustc_hash::{FxHashMap, FxHashSet};

/// Turns of an inner loop, for weights.
pub(super) const TURNS: f64 = 8.0;
/// Lanes must be better by this much.
const GAIN: f64 = 1.15;
/// A vector that is not full must be better than scalar work-items by this much: those the processor runs beside full vectors.
const GAIN_OF_LAST: f64 = 1.3;
/// What a masked store of that vector costs more: nothing is loaded near it, or at that place of another page, before it is
/// done.
const MASKED_STORE: f64 = 8.0;
/// What it costs more if it accesses local memory: loads wait for stores of other widths and for masked ones. Of `FEW` vectors, and
/// of more, which are done in the meantime.
const MASKED_LOCAL: [f64; 2] = [40.0, 10.0];
const FEW: u64 = 4;
/// What a sum and a scan cost more that other vectors have begun.
const JOINED_FOLD: f64 = 10.0;
const JOINED_SCAN: f64 = 40.0;
/// Lane of a gather or scatter, and on processors that are slow at them.
const GATHER: f64 = 0.8;
const SLOW_GATHER: f64 = 2.8;
/// One of two neighbours there.
const PAIRED_GATHER: f64 = 1.6;
/// A register of what is taken out of elements of which three are gathered as one.
const TAKEN_OUT: f64 = 2.0;
/// Lane of a scatter of more than 8 to lines that may all have one place in the cache, which has room for no more than 8 or 12.
const STEEP: f64 = 4.0;
/// A masked access of an interleaved group, with the mask.
const MASKED_GROUP: f64 = 4.0;
/// Lines at this distance have one place in the cache.
const PAGE: i64 = 4096;
/// A shuffle of two registers.
const SHUFFLE: f64 = 1.5;
/// Operations begun in a cycle.
pub(super) const PER_CYCLE: f64 = 2.0;

/// Registers for what lives within a turn of a loop only.
const TEMPORARIES: f64 = 2.0;
/// Instructions of a block that is long.
const LONG: usize = 100;
/// Registers for scalars.
const SCALARS: f64 = 13.0;
/// What it costs to read a value from memory, mostly as an operand, and to put it there.
const RELOAD: f64 = 0.5;
const SPILL: f64 = 1.0;
/// Cycles of an operation on halves that is done in `float`.
const HALF_LATENCY: f64 = 16.0;
/// Operations between a vector of equal components and what makes it one.
const EVEN_DEPTH: u32 = 4;
/// Operations that the processor looks ahead: while a work-item waits for itself, those of the next that are among them run.
pub(super) const WINDOW: f64 = 256.0;
/// Vectors of twice as many lanes may take more registers by this much.
const TWICE: f64 = 1.2;

/// Picks the number of lanes, or says that scalar code is better.
pub(super) fn width(
    func: &Func,
    items: &ItemLoop,
    facts: &Facts,
    shapes: &Shapes,
    config: Config,
    tails: Tails,
) -> Result<u8, String> {
    let trips = super::tail::trips(func, items);
    let mut best: Option<(f64, u8)> = None;
    let mut ratios = Vec::new();
    // The fewer lanes, the more often they are side by side, and what is not there goes lane by lane: see `window`.
    let strewn = !config.has_scatter() && items.blocks.iter().any(|&b| is_strewn(func, facts, shapes, b));
    let mut width = if strewn { config.max_width.min(config.register_bytes / 4) } else { config.max_width };
    while width >= config.min_width.max(2) {
        let cost = Cost::new(func, facts, shapes, width, config);
        let (scalar, lanes) = cost.of(items);
        let lanes = lanes.max(0.1);
        let ratio = match trips.map(|n| (n / u64::from(width), n % u64::from(width))) {
            None | Some((_, 0)) => scalar * f64::from(width) / lanes,
            Some((whole, rest)) => {
                let all = scalar * (whole * u64::from(width) + rest) as f64;
                let one_by_one = scalar * rest as f64;
                let last = match tails {
                    Tails::Scalar => one_by_one,
                    Tails::Masked => lanes,
                    Tails::Last if config.has_scatter() => lanes,
                    Tails::Last if rest > 1 => one_by_one.min(cost.last(items)),
                    Tails::Last => one_by_one,
                };
                all / (lanes * whole as f64 + last)
            }
        };
        ratios.push(format!("{ratio:.2} with {width} lanes"));
        if best.is_none_or(|(r, _)| ratio > r) {
            best = Some((ratio, width));
        }
        width /= 2;
    }
    match best {
        Some((ratio, width)) if ratio >= GAIN => Ok(width),
        _ => Err(format!("lanes would not pay (estimated gain {})", ratios.join(", "))),
    }
}

/// True if a block accesses local memory at places that vary.
fn is_strewn(func: &Func, facts: &Facts, shapes: &Shapes, block: Block) -> bool {
    func.blocks[block].insts.iter().map(|&i| &func.insts[i]).any(|data| {
        let place = data.args.first().copied().filter(|&v| is_local(func.ty(v)));
        matches!(data.op, Op::Load | Op::Store) && place.is_some_and(|v| shapes.at(facts, v, block) == Shape::Varying)
    })
}

fn is_local(ty: Type) -> bool {
    ty == Type::ptr(AddrSpace::Local)
}

/// What a loop over work-items costs with a number of lanes.
pub(super) struct Cost<'a> {
    func: &'a Func,
    facts: &'a Facts,
    shapes: &'a Shapes,
    width: u8,
    register: u32,
    /// Masked accesses, gathers and per-lane shifts are instructions.
    wide: bool,
    /// Scatters are, too, and masked accesses to lanes of less than 32 bits.
    scatter: bool,
    /// What a lane of a gather or scatter costs.
    gather: f64,
    /// Not all lanes have a work-item.
    last: bool,
    /// Scalar code, too, has the program's vectors in registers of full size.
    whole: bool,
}

impl<'a> Cost<'a> {
    pub fn new(func: &'a Func, facts: &'a Facts, shapes: &'a Shapes, width: u8, config: Config) -> Self {
        let (register, wide, scatter) = (u32::from(config.register_bytes), config.is_wide(), config.has_scatter());
        let whole = wide && works_on_wide_vectors(func);
        let gather = if config.slow_gathers { SLOW_GATHER } else { GATHER };
        Self { func, facts, shapes, width, register, wide, scatter, gather, last: false, whole }
    }

    /// True if work-items that do not fill a vector better run under a mask than one by one. Of so many as nobody knows there are
    /// half as many as fill it.
    pub fn last_pays(&self, items: &ItemLoop) -> bool {
        let width = u64::from(self.width);
        let rest = super::tail::trips(self.func, items).map_or(width / 2, |n| n % width);
        rest > 1 && self.of(items).0 * rest as f64 >= self.last(items)
    }

    /// True if vectors of twice as many lanes take hardly more registers, as those of small elements do, which fill none: no
    /// lanes that part, and no work-items left over. (That something waits is for `jam`.)
    pub fn twice_pays(&self, items: &ItemLoop) -> bool {
        let even = super::tail::trips(self.func, items).is_some_and(|n| n.is_multiple_of(2 * u64::from(self.width)));
        let parts = items.blocks.iter().any(|&b| self.shapes.is_divergent(b) || self.shapes.is_masked(b));
        // Machines with scatters have 32 registers.
        self.scatter && even && !parts && {
            let (once, twice) = (self.registers(items), Cost { width: 2 * self.width, ..*self }.registers(items));
            once > 0.0 && twice <= TWICE * once
        }
    }

    /// Registers that the instructions of a turn write.
    fn registers(&self, items: &ItemLoop) -> f64 {
        let insts = items.blocks.iter().flat_map(|&b| self.func.blocks[b].insts.iter().map(move |&i| (b, i)));
        let written = insts.map(|(block, inst)| {
            let data = &self.func.insts[inst];
            let Some(v) = data.result.filter(|&v| self.varies(v)) else { return 0.0 };
            let ty = self.distinct(v);
            let parts = match data.op {
                Op::Build | Op::Extract | Op::Insert | Op::Shuffle | Op::Splat => 0.0,
                // In `float`.
                _ if ty.elem == Scalar::F16 && data.op != Op::Load => self.parts(ty.with_elem(Scalar::F32)),
                _ => self.parts(ty),
            };
            parts * self.weight(block)
        });
        written.sum()
    }

    /// What one vector that is not full costs, with a margin.
    fn last(&self, items: &ItemLoop) -> f64 {
        let many = super::tail::trips(self.func, items).is_none_or(|n| n >= FEW * u64::from(self.width));
        let mut insts = items.blocks.iter().flat_map(|&b| &self.func.blocks[b].insts).map(|&i| &self.func.insts[i]);
        let local = insts.any(|data| data.args.first().is_some_and(|&v| is_local(self.func.ty(v))));
        let waits = if local { MASKED_LOCAL[usize::from(many)] } else { 0.0 };
        GAIN_OF_LAST * (Cost { last: true, ..*self }.of(items).1 + waits)
    }

    /// Scalar and lane cost of one turn.
    fn of(&self, items: &ItemLoop) -> (f64, f64) {
        let (mut scalar, mut lanes) = (2.0, 3.0);
        for &block in &items.blocks {
            let (s, l) = self.block(block);
            let (scalar_spills, lane_spills) = self.spills(block);
            let wait = if self.facts.inner_loop(block).is_none() { PER_CYCLE * self.path(block) } else { 0.0 };
            let waiting = |work: f64| (wait * (work / WINDOW).min(1.0)).max(work);
            scalar += waiting(s + scalar_spills) * self.weight(block);
            lanes += waiting(l + lane_spills) * self.weight(block);
        }
        let loops = &self.facts.loops.loops;
        let innermost = |l: &&Loop| !loops.iter().any(|inner| l.blocks[1..].contains(&inner.header));
        for l in loops.iter().filter(|l| items.blocks.contains(&l.header) && l.header != items.header).filter(innermost)
        {
            let (scalar_work, lane_work) =
                l.blocks.iter().map(|&b| self.block(b)).fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1));
            let (weight, wait) = (self.weight(l.header), PER_CYCLE * self.latency(l));
            scalar += (wait - scalar_work).max(0.0) * weight;
            lanes += (wait - lane_work).max(2.0 * self.spilled(l)) * weight;
        }
        (scalar, lanes)
    }

    /// Vector registers that a turn of an innermost loop lacks for what goes round it and what it reads from outside.
    fn spilled(&self, l: &Loop) -> f64 {
        let varies = |v: Value| self.varies(v) && !self.func.ty(v).is_ptr();
        let insts = || l.blocks.iter().flat_map(|&b| &self.func.blocks[b].insts).map(|&i| &self.func.insts[i]);
        let params = l.blocks.iter().flat_map(|&b| &self.func.blocks[b].params);
        let inside: FxHashSet<Value> = params.copied().chain(insts().filter_map(|data| data.result)).collect();
        let mut live: FxHashSet<Value> =
            self.func.blocks[l.header].params.iter().copied().filter(|&v| varies(v)).collect();
        for data in insts().filter(|data| data.result.is_some_and(varies)) {
            live.extend(data.args.iter().filter(|v| !inside.contains(v) && !self.func.ty(**v).is_ptr()));
        }
        let registers = |&v: &Value| match varies(v) {
            true => self.parts(self.distinct(v)),
            // One for all parts; constants come from memory.
            false if self.func.const_bits(v).is_none() => 1.0,
            false => 0.0,
        };
        let live: f64 = live.iter().map(registers).sum();
        (live + TEMPORARIES - if self.scatter { 32.0 } else { 16.0 }).max(0.0)
    }

    /// What a long block costs more, in scalar code and in lanes, because not all that lives at one time has a register: of what
    /// lives, an operand is in memory as often as there is no register for it.
    fn spills(&self, block: Block) -> (f64, f64) {
        let insts = &self.func.blocks[block].insts;
        if insts.len() < LONG && !self.whole {
            return (0.0, 0.0);
        }
        let registers = if self.scatter { 32.0 } else { 16.0 } - TEMPORARIES;
        let varies = |v: &Value| self.varies(*v) && !self.func.ty(*v).is_ptr();
        let size = |v: Value| {
            let ty = self.func.ty(v);
            let scalars = if self.whole && ty.is_vector() { 0.0 } else { f64::from(ty.lanes) };
            (scalars, self.parts(self.distinct(v)))
        };
        let sum = |a: (f64, f64), b: (f64, f64)| (a.0 + b.0, a.1 + b.1);
        let (mut live, mut now, mut cost) = (FxHashSet::default(), (0.0, 0.0), (0.0, 0.0));
        for data in insts.iter().rev().map(|&i| &self.func.insts[i]) {
            let made = data.result.filter(|v| live.remove(v)).map_or((0.0, 0.0), size);
            now = (now.0 - made.0, now.1 - made.1);
            let mut read = (0.0, 0.0);
            for &v in data.args.iter().filter(|v| varies(v)) {
                read = sum(read, size(v));
                if live.insert(v) {
                    now = sum(now, size(v));
                }
            }
            let missing = |live: f64, registers: f64| (1.0 - registers / live.max(registers)).max(0.0);
            let none = (missing(now.0, SCALARS), missing(now.1, registers));
            cost.0 += none.0 * (RELOAD * read.0 + SPILL * made.0);
            cost.1 += none.1 * (RELOAD * read.1 + SPILL * made.1);
        }
        cost
    }

    /// Scalar and lane cost of a block.
    fn block(&self, block: Block) -> (f64, f64) {
        let end = match self.shapes.is_divergent(block) {
            true => (1.5, if self.wide { 2.0 } else { 4.0 }),
            false => (0.5, 0.5),
        };
        let insts = self.func.blocks[block].insts.iter().map(|&inst| self.inst(block, inst));
        insts.fold(end, |a, b| (a.0 + b.0, a.1 + b.1))
    }

    /// Cycles from what goes round a loop to what goes round next.
    fn latency(&self, l: &Loop) -> f64 {
        let params = self.func.blocks[l.header].params.iter();
        let mut since: FxHashMap<Value, f64> = params.filter(|&&v| self.varies(v)).map(|&v| (v, 0.0)).collect();
        for data in l.blocks.iter().flat_map(|&b| &self.func.blocks[b].insts).map(|&i| &self.func.insts[i]) {
            let before = data.args.iter().filter_map(|v| since.get(v)).copied().reduce(f64::max);
            self.take(data, before, &mut since);
        }
        let back = l.latches.iter().flat_map(|&b| self.func.blocks[b].term.targets());
        let round = back.filter(|t| t.block == l.header).flat_map(|t| t.args.clone());
        round.filter_map(|v| since.get(&v).copied()).fold(0.0, f64::max)
    }

    /// Cycles from the beginning of a block to its end, if there were units for everything.
    fn path(&self, block: Block) -> f64 {
        let mut since: FxHashMap<Value, f64> = FxHashMap::default();
        for data in self.func.blocks[block].insts.iter().map(|&i| &self.func.insts[i]) {
            let before = data.args.iter().filter_map(|v| since.get(v)).copied().fold(0.0, f64::max);
            self.take(data, Some(before), &mut since);
        }
        since.into_values().fold(0.0, f64::max)
    }

    /// Notes when a value is there whose operands are there after so many cycles.
    fn take(&self, data: &InstData, before: Option<f64>, since: &mut FxHashMap<Value, f64>) {
        let Some(result) = data.result.filter(|&v| self.varies(v)) else { return };
        let ty = self.func.ty(result);
        if data.op != Op::Load {
            since.extend(before.map(|before| (result, before + latency(data.op, ty))));
        }
    }

    /// True for addresses or indices at one distance from lane to lane that only the launch tells, or that is pages.
    fn is_steep(&self, block: Block, v: Value) -> bool {
        let shape = |v: Value| self.shapes.at(self.facts, v, block);
        let ty = self.func.ty(v);
        // Local memory fits the cache.
        if is_local(ty) {
            return false;
        }
        if let Shape::Affine(stride) = shape(v) {
            return ty.is_ptr() && stride % PAGE == 0;
        }
        let Some(data) = self.func.def_inst(v).filter(|_| shape(v) == Shape::Varying) else { return false };
        let even = |v: Value| matches!(shape(v), Shape::Uniform | Shape::Affine(_));
        match (data.op, &data.args[..]) {
            (Op::PtrAdd, &[base, index]) => even(base) && self.is_steep(block, index),
            (Op::PtrOff | Op::AsCast | Op::Sext | Op::Zext | Op::Trunci, &[of]) => self.is_steep(block, of),
            (Op::Add | Op::Sub, &[a, b]) if even(b) => self.is_steep(block, a),
            (Op::Add, &[a, b]) if even(a) => self.is_steep(block, b),
            (Op::Mul, &[a, b]) => even(a) && even(b),
            (Op::Shl, &[a, b]) => even(a) && shape(b) == Shape::Uniform,
            _ => false,
        }
    }

    fn varies(&self, v: Value) -> bool {
        self.shapes.of(v) == Shape::Varying
    }

    fn weight(&self, block: Block) -> f64 {
        let mut weight = 1.0;
        let mut at = self.facts.inner_loop(block);
        while let Some(l) = at {
            weight *= TURNS;
            at = self.facts.parent(l);
        }
        weight
    }

    /// True in a loop that lanes leave at different times.
    fn parts_ways(&self, block: Block) -> bool {
        self.facts.inner_loop(block).is_some_and(|l| self.shapes.is_divergent_loop(l))
    }

    /// Registers for the lanes of a value.
    fn parts(&self, ty: Type) -> f64 {
        let bytes = if ty.elem == Scalar::I1 { 4 } else { ty.elem.bytes() };
        f64::from((bytes * u32::from(self.width)).div_ceil(self.register) * u32::from(ty.lanes))
    }

    /// The type of what there is to know of a value: a scalar's if the components of a vector are equal.
    fn distinct(&self, v: Value) -> Type {
        let ty = self.func.ty(v);
        if ty.is_vector() && self.is_even(v, EVEN_DEPTH) { Type::scalar(ty.elem) } else { ty }
    }

    /// True for a vector of equal components.
    fn is_even(&self, v: Value, depth: u32) -> bool {
        let Some(data) = self.func.def_inst(v).filter(|_| depth > 0) else { return false };
        match data.op {
            Op::Const | Op::Splat => true,
            _ => {
                let even = |&a: &Value| !self.func.ty(a).is_vector() || self.is_even(a, depth - 1);
                is_elementwise(self.func, data) && data.args.iter().all(even)
            }
        }
    }

    fn inst(&self, block: Block, inst: Inst) -> (f64, f64) {
        let data = &self.func.insts[inst];
        let ty = data.result.or(data.args.get(1).copied()).map_or(Type::I32, |v| self.func.ty(v));
        let n = f64::from(ty.lanes);
        let w = f64::from(self.width);
        let shape = |v: Value| self.shapes.at(self.facts, v, block);
        let scalar = n * self.scalar_op(data.op, ty);
        if let Some(update) = self.shapes.carried.update(inst) {
            let join = match update {
                Update::Fold(..) if self.last => JOINED_FOLD,
                Update::Scan(..) if self.last => JOINED_SCAN,
                _ => 0.0,
            };
            let lanes = match update {
                Update::Fold(..) => self.parts(ty) * self.lane_op(data.op, ty, &data.args),
                Update::Scan(..) => {
                    let steps = w.log2() + 1.0;
                    self.parts(ty) * steps * (self.lane_op(data.op, ty, &data.args) + 1.0)
                }
                Update::Serial(_) => w * (scalar + 1.0),
            };
            return (scalar, join + lanes);
        }
        match data.op {
            Op::Load | Op::Store => {
                let volatile = data.attr.flags.contains(Flags::VOLATILE);
                let parted = self.shapes.is_masked(block);
                let masked = parted || self.last;
                let wait = if self.last && data.op == Op::Store { MASKED_STORE * self.parts(ty) } else { 0.0 };
                let uniform = data.op == Op::Load || shape(data.args[1]) == Shape::Uniform;
                // A vector of one work-item is one access.
                let register = if self.whole { f64::from(self.register) } else { 16.0 };
                let scalar = if ty.lanes > 1 { (n * f64::from(ty.elem.bytes()) / register).max(1.0) } else { 1.0 };
                let words = super::memory::words(ty);
                let split = if words.is_some() { 2.0 * n } else { 0.0 };
                let ty = words.map_or(ty, |n| Type::I32.with_lanes(n));
                let (size, n) = (i64::from(ty.elem.bytes()), f64::from(ty.lanes));
                let group = match shape(data.args[0]) {
                    Shape::Affine(s) => {
                        let access = (block, data.op == Op::Load);
                        self.shapes.strided.group(access, (s, size), self.width, self.scatter)
                    }
                    _ => None,
                };
                // Neighbours are one gather: see `pair`.
                let gather = if n > 1.0 && size < 8 { self.gather.min(PAIRED_GATHER) } else { self.gather };
                // Three small ones, too: see `three`.
                let joint = data.op == Op::Load && n == 3.0 && size <= 2;
                let (gathers, taken_out) = if joint { (size as f64, TAKEN_OUT * self.parts(ty)) } else { (n, 0.0) };
                let lanes = match shape(data.args[0]) {
                    _ if volatile => 12.0 * w,
                    Shape::Uniform if uniform => 1.0,
                    Shape::Affine(s) if s.abs() == size && n == 1.0 && !masked => self.parts(ty),
                    Shape::Affine(s) if s.abs() == size && n == 1.0 && self.wide && (self.scatter || size >= 4) => {
                        self.parts(ty) * 1.5
                    }
                    Shape::Affine(s) if s.abs() == size && n == 1.0 && !self.last => self.parts(ty) + 0.6 * w,
                    // To load a register, and to shuffle as often as every other lane changes places.
                    Shape::Affine(s) if s == size * i64::from(ty.lanes) && n > 1.0 && !masked => {
                        self.parts(ty) * (1.0 + SHUFFLE * n.log2())
                    }
                    // A mask for each part.
                    Shape::Affine(s) if s == size * i64::from(ty.lanes) && n > 1.0 && !parted && size >= 4 => {
                        self.parts(ty) * 4.0
                    }
                    _ if let Some(group) = group
                        && (self.scatter || group.whole && !masked) =>
                    {
                        self.interleaved(group, ty, masked)
                    }
                    _ if self.scatter && data.op == Op::Store && w > 8.0 && self.is_steep(block, data.args[0]) => {
                        n * w * STEEP.max(gather) + 2.0
                    }
                    // Two gathers of half the lanes take no longer than one, and fewer lanes wait for the last to leave.
                    _ if self.scatter && self.parts_ways(block) => {
                        let wait = if w * size as f64 > 32.0 || gather > GATHER { 1.4 } else { 1.0 };
                        gathers * w * wait * gather + 1.0 + taken_out
                    }
                    _ if self.scatter || (self.wide && data.op == Op::Load && (size >= 4 || joint)) => {
                        gathers * w * if self.last { 1.5 } else { 1.0 } * gather + 2.0 + taken_out
                    }
                    _ => n * w * if masked { 3.0 } else { 2.0 },
                };
                (scalar, lanes + split + wait)
            }
            Op::Call | Op::Printf | Op::Memcpy | Op::Memset => {
                let uniform = data.result.is_some_and(|v| shape(v) == Shape::Uniform);
                (30.0, if uniform { 30.0 } else { 36.0 * w })
            }
            // Local memory has one thread: its atomics are plain accesses, which the processor overlaps; lanes have to be taken
            // out of vectors first.
            op if !op.is_pure() && data.args.first().is_some_and(|&v| is_local(self.func.ty(v))) => {
                let unused = data.result.is_none_or(|v| !self.facts.used[v.index()]);
                let full = self.facts.inner_loop(block).map_or(!self.shapes.is_masked(block), |l| {
                    self.facts.loops.loops[l].latches.iter().all(|&b| self.facts.dom.dominates(block, b))
                });
                (3.0, if unused && full { 6.0 } else { 16.0 } * w)
            }
            op if !op.is_pure() => (18.0, 24.0 * w),
            _ => {
                let varying = data.result.is_some_and(|v| shape(v) == Shape::Varying);
                let address = data.result.is_some_and(|v| self.func.ty(v).is_ptr());
                let free = address || matches!(data.op, Op::Build | Op::Extract | Op::Insert | Op::Shuffle | Op::Splat);
                let narrow = match ty.lanes {
                    1 => scalar,
                    _ if self.whole => scalar / n * f64::from(ty.bytes().div_ceil(self.register)),
                    _ => (scalar / 3.0).max(1.0),
                };
                let scalar = if free { 0.3 } else { narrow };
                match varying {
                    false => (scalar, scalar),
                    true if free => (scalar, if address { 0.5 } else { 0.0 }),
                    true => {
                        let distinct = data.result.map_or(ty, |v| self.distinct(v));
                        (scalar, self.parts(distinct) * self.lane_op(data.op, ty, &data.args))
                    }
                }
            }
        }
    }

    /// A member of an interleaved group: its share of the whole accesses, and shuffles of as many registers as its lanes lie in. Where
    /// stores leave gaps, or not all lanes are there, of masks as well.
    fn interleaved(&self, group: Estimate, ty: Type, masked: bool) -> f64 {
        let (step, members) = (group.step as f64, group.members as f64);
        let bytes = group.step as u32 * ty.elem.bytes() * u32::from(self.width);
        let sources = f64::from(bytes.div_ceil(self.register)).min(step);
        // Narrow elements of two registers take several instructions without byte permutes.
        let shuffle = match ty.elem.bytes() {
            _ if self.scatter => 1.0,
            1 | 2 => 3.0,
            _ => 2.0,
        };
        let access = if masked || !group.whole { MASKED_GROUP } else { 1.0 };
        self.parts(ty) * (access * step / members + (sources - 1.0).max(1.0) * shuffle)
    }

    fn scalar_op(&self, op: Op, ty: Type) -> f64 {
        match op {
            Op::Fdiv | Op::Sqrt => 4.0,
            Op::DivS | Op::DivU | Op::RemS | Op::RemU => 8.0,
            Op::Frem => 40.0,
            Op::Const | Op::Undef => 0.0,
            Op::Trunci | Op::Sext | Op::Zext | Op::Bitcast => 0.5,
            Op::Fmin | Op::Fmax | Op::Rint | Op::Floor | Op::Ceil | Op::Trunc => 2.0,
            _ if ty.elem == Scalar::F16 && ty.is_float() => 8.0,
            _ => 1.0,
        }
    }

    /// Per register.
    fn lane_op(&self, op: Op, ty: Type, args: &[Value]) -> f64 {
        let per_register = f64::from(self.register / ty.elem.bytes().max(1));
        let uniform_amount = args.get(1).is_some_and(|&v| self.shapes.of(v) == Shape::Uniform);
        let wide_int = matches!(ty.elem, Scalar::I64);
        match op {
            Op::Fdiv | Op::Sqrt => {
                if ty.elem == Scalar::F64 {
                    8.0
                } else {
                    5.0
                }
            }
            Op::DivS | Op::DivU | Op::RemS | Op::RemU if wide_int => 12.0 * per_register,
            Op::DivS | Op::DivU | Op::RemS | Op::RemU => 3.0 * per_register,
            Op::Frem => 44.0 * per_register,
            Op::Shl | Op::Lshr | Op::Ashr | Op::Rotl if uniform_amount || self.wide => 1.0,
            Op::Shl | Op::Lshr | Op::Ashr | Op::Rotl => 2.5 * per_register,
            Op::Mul | Op::MulHiS | Op::MulHiU if wide_int => 4.0,
            Op::MulHiS | Op::MulHiU => 4.0,
            // By way of words.
            Op::Mul if ty.elem == Scalar::I8 => 6.0,
            Op::Clz | Op::Ctz | Op::Popcnt | Op::Bitrev => {
                if self.wide {
                    3.0
                } else {
                    3.0 * per_register
                }
            }
            Op::Fmin | Op::Fmax | Op::Fptosi | Op::Fptoui | Op::Uitofp => 3.0,
            Op::Icmp | Op::Fcmp | Op::Select => 1.5,
            Op::Sext | Op::Zext | Op::Trunci => 1.0,
            Op::ExtractDyn => 6.0,
            // Converted to f32 and back, at most.
            _ if ty.elem == Scalar::F16 && ty.is_float() => {
                if self.wide {
                    5.0
                } else {
                    12.0
                }
            }
            _ => 1.0,
        }
    }
}

/// Cycles from the operands of an operation to its result.
pub(super) fn latency(op: Op, ty: Type) -> f64 {
    match op {
        Op::Build | Op::Extract | Op::Insert | Op::Shuffle | Op::Splat => 0.0,
        Op::Fadd | Op::Fsub | Op::Fmul | Op::Fma if ty.elem == Scalar::F16 => HALF_LATENCY,
        Op::Fadd | Op::Fsub | Op::Fmul | Op::Fma => 4.0,
        Op::Mul if ty.elem.bits() >= 32 => 10.0,
        Op::Mul => 5.0,
        Op::Fdiv | Op::Sqrt => 15.0,
        Op::Fpext | Op::Fptrunc => 7.0,
        _ if ty.is_float() => 4.0,
        _ => 1.0,
    }
}
