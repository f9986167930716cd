//! Whether lanes pay, and how many: what one turn of the loop costs for W work-items in lanes against W turns of the
//! scalar loop. Units are roughly cycles of throughput; a loop is taken to go round 8 times. Must not change code.

use super::Reason;
use super::access::{Pattern, is_local};
use super::interleave::Estimate;
use super::recurrence::Update;
use super::shape::{Facts, LINE, Shape, Shapes};
use super::{Config, Tails};
use crate::analysis::live_area::{MOST_LIVE, live_area};
use crate::ir::cfg::Cfg;
use crate::ir::dom::{Loop, Loops};
use crate::ir::entity::Entity;
use crate::ir::op::Flags;
use crate::ir::{Block, Func, Imm, Inst, InstData, Op, Scalar, Type, Value};
use crate::legalize::{is_large, is_narrow, loop_weight, saved_by_whole_vectors};
use crate::target::{Costs, Target};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;

/// Turns of an inner loop, for weights.
pub(super) const TURNS: f64 = 8.0;
/// Lanes are taken from this gain on: hardly a margin, as the estimates of those that hardly pay are low.
pub(super) const GAIN: f64 = 1.05;
/// Estimated gains that may be losses, and losses that may be gains: such code has a rival, and which of them is faster
/// is measured. On a machine with slow gathers a product of a sparse matrix was estimated to gain 1.4, and took 1.6
/// times as long.
pub(super) const DOUBTFUL: Range<f64> = 0.4..2.5;
/// Lanes that try a compare-exchange again, as others were in their way, may be slower than estimates by this factor. A
/// histogram whose neighbours share bins was estimated to gain 3.1, and took 2.2 times as long.
const RETRIES: f64 = 8.0;
/// The same for loops in which lanes wait for the one that takes longest: how long that is, data say. Such a loop with
/// sums in bins was estimated to gain 2.5, and took four times as long.
const WAITS: f64 = 2.0;
/// How many turns the lane that takes longest has of a loop that lanes leave one by one, over what they have on the
/// average: 1 if all have as many, 1.9 if any number up to a limit is as likely, 3.4 of 16 lanes if chance decides
/// after each turn.
const LONGEST: f64 = 1.5;
/// Lanes of inner loops take the place of those of work-items from this share of their gain on: less is claimed for
/// them (`SIDE_BY_SIDE`, `USUAL_TURNS`).
pub(super) const BETTER: f64 = 0.7;
/// A vector that is not full must be better than scalar work-items by this much: those the processor runs beside full
/// vectors.
const GAIN_OF_LAST: f64 = 1.3;
/// What a turn of an inner loop takes in scalar code over its cost here: the processor begins the next turns meanwhile,
/// with four operations in a cycle and more, while vectors of 64 bytes and gathers are as slow as they are. Rows of
/// fields of records, estimated to gain 1.2 to 2 without it, took twice to four times as long in lanes.
const SIDE_BY_SIDE: f64 = 0.5;
/// Turns of an inner loop that nobody knows the number of, for the share of a last vector that is not full.
const USUAL_TURNS: u64 = 36;
/// What lanes of an inner loop cost beyond their turns: masks, first indices and numbers for all lanes.
const SET_UP: f64 = 16.0;
/// What is lost where code becomes so large that registers are allocated in a hurry: kernels of long vectors took four
/// to seven times as long.
const HASTY: f64 = 4.0;
/// So many vectors are few: see `Memory::no_forwarding`.
const FEW: u64 = 4;
/// What a sum and a scan cost more that other vectors have begun.
const JOINED_FOLD: f64 = 10.0;
const JOINED_SCAN: f64 = 40.0;
/// Registers for what lives within a turn of a loop only.
const TEMPORARIES: f64 = 2.0;
/// Instructions of a block that is long.
const LONG: usize = 100;
/// Vectors of twice as many lanes may take more registers by this much.
const TWICE: f64 = 1.2;
/// What a vector of twice as many lanes takes of the time of two.
const SHARED: f64 = 0.97;
/// Most operations of an index that are looked at.
const MOST_STEPS: u32 = 64;
/// Most instructions of a loop that is done for twice as many lanes.
const MOST_TWICE: usize = 800;

/// A number of lanes.
pub(super) struct Width {
    pub lanes: u8,
    /// The estimated gain, where that was a question.
    pub gain: Option<f64>,
    /// That of half as many lanes, where the target has such.
    pub gain_of_half: Option<f64>,
}

/// Picks the number of lanes, or says that scalar code is better.
pub(super) fn width(func: &Func, shapes: &Shapes, config: Config, tails: Tails) -> Result<Width, Reason> {
    let items = &shapes.facts.items;
    let trips = super::epilogue::trips(func, items);
    let mut best: Option<(f64, u8)> = None;
    let mut ratios = Vec::new();
    let target = config.target;
    let mut width = config.max_width;
    let narrowest = config.min_width.max(2);
    let writes = |data: &InstData| data.op == Op::Store;
    // Half of a vector would have room for all work-items there are.
    while trips.is_some_and(|n| 2 * n <= u64::from(width)) && width / 2 >= narrowest {
        width /= 2;
    }
    while width >= narrowest {
        let cost = Cost::new(func, shapes, width, config);
        let (scalar, lanes) = cost.of();
        let set_up = if config.inner_loop { SET_UP } else { 0.0 };
        let lanes = lanes.max(0.1) * if cost.is_hasty() { HASTY } else { 1.0 };
        let usual = config.inner_loop.then_some(USUAL_TURNS);
        let ratio = match trips.or(usual).map(|n| (n / u64::from(width), n % u64::from(width))) {
            Some((whole, rest)) if rest > 0 || config.inner_loop => {
                let all = scalar * (whole * u64::from(width) + rest) as f64;
                let one_by_one = scalar * rest as f64;
                let last = match tails {
                    _ if rest == 0 => 0.0,
                    Tails::Scalar => one_by_one,
                    Tails::Last if target.masks && config.inner_loop => cost.last(),
                    Tails::Masked => lanes + cost.waits(writes),
                    Tails::Last if target.masks => lanes + cost.waits(writes),
                    Tails::Last if rest > 1 => one_by_one.min(cost.last()),
                    Tails::Last => one_by_one,
                };
                all / (set_up + lanes * whole as f64 + last)
            }
            _ => scalar * f64::from(width) / lanes,
        };
        ratios.push((ratio, width));
        if best.is_none_or(|(r, _)| ratio > r) {
            best = Some((ratio, width));
        }
        width /= 2;
    }
    let no_doubt = config.least_gain == DOUBTFUL.end;
    let least_gain = if no_doubt { doubtful(doubt(func, shapes)).end } else { config.least_gain };
    match best {
        Some((gain, lanes)) if gain >= least_gain => {
            let half = ratios.iter().find(|(_, width)| 2 * width == lanes);
            Ok(Width { lanes, gain: Some(gain), gain_of_half: half.map(|(gain, _)| *gain) })
        }
        Some((ratio, _)) if ratio >= GAIN => Err(Reason::InDoubt(ratio)),
        _ => Err(Reason::WouldNotPay(ratios)),
    }
}

/// By how much lanes may be slower than estimates because work-items go their own ways.
pub(super) fn doubt(func: &Func, shapes: &Shapes<'_>) -> f64 {
    match () {
        () if shapes.retries(func) => RETRIES,
        () if shapes.has_divergent_loops() => WAITS,
        () => 1.0,
    }
}

/// `DOUBTFUL` for such lanes.
pub(super) fn doubtful(doubt: f64) -> Range<f64> {
    DOUBTFUL.start..DOUBTFUL.end * doubt
}

/// True if scalar code may have vectors of this type in registers that they fill.
pub(super) fn may_stay_whole(ty: Type) -> bool {
    is_large(ty) || is_narrow(ty) && ty.bytes() >= 16
}

/// True if scalar code of some instructions, with weights, has the program's vectors in registers of full size; those
/// of small elements, too, if these count.
pub(super) fn keeps_vectors_whole<'a>(
    func: &'a Func,
    insts: impl Iterator<Item = (i64, &'a InstData)>,
    target: &Target,
    narrow: bool,
) -> bool {
    target.register_bytes > 16 && saved_by_whole_vectors(func, insts, narrow) > 0
}

/// How far from each other neighbouring lanes access memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Distance {
    /// Within a line of the cache.
    Near,
    /// At least a line.
    Far,
    /// So that all lines have one place in the first cache.
    Pages,
}

/// What a loop over work-items costs with a number of lanes.
pub(super) struct Cost<'a> {
    func: &'a Func,
    facts: &'a Facts,
    shapes: &'a Shapes<'a>,
    width: u8,
    target: &'static Target,
    /// Not all lanes have a work-item.
    last: bool,
    /// Scalar code, too, has the program's vectors in registers of full size.
    whole: bool,
    /// What scalar code takes over what its operations cost.
    side_by_side: f64,
}

impl<'a> Cost<'a> {
    pub fn new(func: &'a Func, shapes: &'a Shapes<'a>, width: u8, config: Config) -> Self {
        let target = config.target;
        let loops = &shapes.facts.loops;
        let insts = func.live_insts().map(|(block, inst)| (loop_weight(loops, block), &func.insts[inst]));
        // With the costs of whole vectors of small elements lanes were refused that were up to five times better.
        let whole = keeps_vectors_whole(func, insts, target, false);
        let side_by_side = if config.inner_loop { SIDE_BY_SIDE } else { 1.0 };
        Self { func, facts: shapes.facts, shapes, width, target, last: false, whole, side_by_side }
    }

    /// True if work-items that do not fill a vector better run under a mask than one by one. Of so many as nobody knows
    /// there are half as many as fill it.
    pub fn last_pays(&self) -> bool {
        let width = u64::from(self.width);
        let rest = self.trips().map_or(width / 2, |n| n % width);
        rest > 1 && self.of().0 * rest as f64 >= self.last()
    }

    /// True if vectors of twice as many lanes are better: they take hardly more registers, as those of small elements
    /// do, which fill none, and no lanes part; or they need less of what is done once per vector, and have registers
    /// enough, so that two chains of operations run beside each other. No work-items are left over. (Loops within that
    /// wait, and those over rows, are for `unroll_and_jam`.)
    pub fn twice_pays(&self) -> bool {
        let even = self.trips().is_some_and(|n| n.is_multiple_of(2 * u64::from(self.width)));
        if self.target.vector_registers < 32 || !even {
            return false;
        }
        let items = &self.facts.items;
        let double = Cost { width: 2 * self.width, ..*self };
        let parts = || items.blocks.iter().any(|&b| self.shapes.is_divergent(b) || self.shapes.is_masked(b));
        let fits = || {
            let (once, twice) = (self.registers(), double.registers());
            once > 0.0 && twice <= TWICE * once
        };
        let is_short = self.func.size_of(&items.blocks) <= MOST_TWICE;
        let has_rows = || self.func.layout.iter().any(|&b| self.func.blocks[b].rows.is_some());
        let has_registers = || {
            items.blocks.iter().all(|&b| double.pressure(b).1 == 0.0)
                && double.facts.innermost().all(|(_, l)| double.spilled(l) == 0.0)
        };
        let shares = || double.of().1 <= SHARED * 2.0 * self.of().1;
        fits() && !parts()
            || is_short
                && !has_rows()
                && !self.inner_loops_part_or_wait()
                && self.is_plain()
                && has_registers()
                && shares()
    }

    /// True if two turns cost at least as much as one turn of others.
    pub fn are_two_dearer_than(&self, other: &Self) -> bool {
        other.of().1 <= 2.0 * self.of().1
    }

    /// True if all that lanes work on are vectors of whole registers and what they access are such, or gathers: nothing
    /// is left to arrange for passes that work on one register, as they do with bytes, records, rows and local memory.
    /// Nor are there scans, which take a step more for twice as many lanes.
    fn is_plain(&self) -> bool {
        let is_whole =
            |v: Value| !self.varies(v) || self.func.ty(v).elem == Scalar::I1 || self.func.ty(v).elem.bytes() >= 4;
        self.facts.items.blocks.iter().all(|&block| {
            self.func.blocks[block].insts.iter().all(|&inst| {
                let data = &self.func.insts[inst];
                if matches!(self.shapes.carried.update(inst), Some(Update::Scan(..))) {
                    return false;
                }
                let v = match data.op {
                    Op::Load => data.result,
                    Op::Store => Some(data.args[1]),
                    _ => return data.result.is_none_or(is_whole) && !matches!(data.op, Op::SlotAddr | Op::Memcpy),
                };
                let (ptr, ty) = (data.args[0], v.map(|v| self.func.ty(v)));
                let size = ty.map_or(0, |ty| i64::from(ty.elem.bytes()));
                let shape = self.shapes.at(ptr, block);
                let pattern = Pattern::of(shape, size, ty.map_or(1, |ty| ty.lanes.into()));
                let is_placed = match pattern {
                    Pattern::Uniform | Pattern::Consecutive => true,
                    // Twice as many rows have no place in the first cache.
                    Pattern::Arbitrary if self.facts.rows.contains(&inst) => false,
                    Pattern::Arbitrary => !is_local(self.func.ty(ptr)) && !self.is_steep(block, ptr),
                    Pattern::Reversed | Pattern::Records | Pattern::Strided => false,
                };
                is_placed && size >= 4
            })
        })
    }

    /// True if lanes leave a loop within at different times, or such a loop waits for itself.
    fn inner_loops_part_or_wait(&self) -> bool {
        self.facts.innermost().any(|(number, l)| {
            let work: f64 = l.blocks.iter().map(|&b| self.block(b).1).sum();
            self.shapes.is_divergent_loop(number) || self.target.costs.issue_width * self.latency(l) > work
        })
    }

    /// Registers that the instructions of a turn write.
    fn registers(&self) -> f64 {
        let insts = self.func.insts_of(&self.facts.items.blocks);
        let written = insts.map(|(block, inst)| {
            let data = &self.func.insts[inst];
            let Some(v) = data.result.filter(|&v| self.varies(v)) else { return 0.0 };
            let ty = self.func.ty(v);
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
    fn last(&self) -> f64 {
        GAIN_OF_LAST * (Cost { last: true, ..*self }.of().1 + self.waits(|_| true))
    }

    /// What loads wait for local memory that a vector which is not full has written, if there is such an access to it.
    fn waits(&self, counts: impl Fn(&InstData) -> bool) -> f64 {
        let many = self.trips().is_none_or(|n| n >= FEW * u64::from(self.width));
        let mut insts = self.func.data_of(&self.facts.items.blocks);
        let local = insts.any(|data| counts(data) && data.args.first().is_some_and(|&v| is_local(self.func.ty(v))));
        if local { self.target.costs.memory.no_forwarding[usize::from(many)] } else { 0.0 }
    }

    /// Scalar and lane cost of one turn.
    fn of(&self) -> (f64, f64) {
        let Costs { issue_width, window, .. } = self.target.costs;
        let items = &self.facts.items;
        let (mut scalar, mut lanes) = (2.0, 3.0);
        for &block in &items.blocks {
            let (s, l) = self.block(block);
            let (scalar_spills, lane_spills) = self.spills(block);
            let wait = if self.facts.inner_loop(block).is_none() { issue_width * self.path(block) } else { 0.0 };
            let waiting = |work: f64| (wait * (work / window).min(1.0)).max(work);
            scalar += waiting(s + scalar_spills) * self.weight(block);
            let longest = if self.parts_ways(block) { LONGEST } else { 1.0 };
            lanes += waiting(l + lane_spills) * self.weight(block) * longest;
        }
        for (_, l) in self.facts.innermost() {
            let (scalar_work, lane_work) =
                l.blocks.iter().map(|&b| self.block(b)).fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1));
            let (weight, wait) = (self.weight(l.header), issue_width * self.latency(l));
            scalar += (wait - scalar_work).max(0.0) * weight;
            lanes += (wait - lane_work).max(2.0 * self.spilled(l)) * weight;
        }
        // One item after the other, in lanes as well.
        let sums = self.shapes.carried.accumulations().map(|inst| &self.func.insts[inst]);
        let latency = |data: &InstData| data.result.map_or(0.0, |v| self.target.latency(data.op, self.func.ty(v)));
        let wait = issue_width * sums.map(latency).fold(0.0, f64::max);
        ((scalar * self.side_by_side).max(wait), lanes.max(wait * f64::from(self.width)))
    }

    /// True if more lives in lanes than the register allocator that makes good code can take while somebody waits, but
    /// not in scalar code.
    fn is_hasty(&self) -> bool {
        let components = |v: Value| u64::from(self.func.ty(v).lanes);
        let parts = |v: Value| if self.varies(v) { self.parts(self.func.ty(v)) as u64 } else { components(v) };
        self.live(parts) > MOST_LIVE && self.live(components) <= MOST_LIVE
    }

    /// How much lives how long, if values take so many registers each.
    fn live(&self, registers: impl Fn(Value) -> u64) -> u64 {
        let steps = |inst: &InstData| match (inst.op, inst.result) {
            (Op::Build | Op::Extract | Op::Insert | Op::Shuffle, _) => 0,
            (Op::Store, _) => registers(inst.args[1]),
            (_, v) => v.map_or(1, &registers),
        };
        live_area(self.func, &self.facts.items.blocks, &registers, steps).0
    }

    /// Vector registers that a turn of an innermost loop lacks for what goes round it and what it reads from outside.
    fn spilled(&self, l: &Loop) -> f64 {
        let varies = |v: Value| self.varies(v) && !self.func.ty(v).is_ptr();
        let insts = || self.func.data_of(&l.blocks);
        let params = l.blocks.iter().flat_map(|&b| &self.func.blocks[b].params);
        let inside: FxHashSet<Value> = params.copied().chain(insts().filter_map(|data| data.result)).collect();
        let mut live: FxHashSet<Value> =
            self.func.blocks[l.header].params.iter().copied().filter(|&v| varies(v)).collect();
        for data in insts().filter(|data| data.result.is_some_and(varies)) {
            live.extend(data.args.iter().filter(|v| !inside.contains(v) && !self.func.ty(**v).is_ptr()));
        }
        let registers = |&v: &Value| match varies(v) {
            true => self.parts(self.func.ty(v)),
            // One for all parts; constants come from memory.
            false if self.func.const_bits(v).is_none() => 1.0,
            false => 0.0,
        };
        let live: f64 = live.iter().map(registers).sum();
        (live + TEMPORARIES - f64::from(self.target.vector_registers)).max(0.0)
    }

    /// What a long block costs more, in scalar code and in lanes, because not all that lives at one time has a
    /// register: of what lives, an operand is in memory as often as there is no register for it.
    fn spills(&self, block: Block) -> (f64, f64) {
        if self.func.blocks[block].insts.len() < LONG && !self.whole {
            return (0.0, 0.0);
        }
        self.pressure(block)
    }

    /// The same for any block.
    fn pressure(&self, block: Block) -> (f64, f64) {
        let insts = &self.func.blocks[block].insts;
        let registers = f64::from(self.target.vector_registers) - TEMPORARIES;
        let (scalars, memory) = (f64::from(self.target.scalar_registers), &self.target.costs.memory);
        let varies = |v: &Value| self.varies(*v) && !self.func.ty(*v).is_ptr();
        let size = |v: Value| {
            let ty = self.func.ty(v);
            let scalars = if self.whole && ty.is_vector() { 0.0 } else { f64::from(ty.lanes) };
            (scalars, self.parts(self.func.ty(v)))
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
            let none = (missing(now.0, scalars), missing(now.1, registers));
            cost.0 += none.0 * (memory.reload * read.0 + memory.spill * made.0);
            cost.1 += none.1 * (memory.reload * read.1 + memory.spill * made.1);
        }
        cost
    }

    /// Scalar and lane cost of a block.
    fn block(&self, block: Block) -> (f64, f64) {
        let end = match self.shapes.is_divergent(block) {
            true => (1.5, self.target.costs.lanes.branch),
            false => (0.5, 0.5),
        };
        let insts = self.func.blocks[block].insts.iter().map(|&inst| self.inst(block, inst));
        insts.fold(end, |a, b| (a.0 + b.0, a.1 + b.1))
    }

    /// Cycles from what goes round a loop to what goes round next.
    fn latency(&self, l: &Loop) -> f64 {
        let params = self.func.blocks[l.header].params.iter().copied().filter(|&v| self.varies(v));
        let since = since(self.func, &l.blocks, Some(params.collect()), self.target, |v| self.varies(v));
        let back = l.latches.iter().flat_map(|&b| self.func.handed(b)).filter(|&(to, ..)| to == l.header);
        back.filter_map(|(.., v)| since.get(&v).copied()).fold(0.0, f64::max)
    }

    /// Cycles from the beginning of a block to its end, if there were units for everything.
    fn path(&self, block: Block) -> f64 {
        since(self.func, &[block], None, self.target, |v| self.varies(v)).into_values().fold(0.0, f64::max)
    }

    /// True for addresses or indices at one distance from lane to lane that only the launch tells, or that is pages.
    fn is_steep(&self, block: Block, v: Value) -> bool {
        let shape = |v: Value| self.shapes.at(v, block);
        let ty = self.func.ty(v);
        // Local memory fits the cache.
        if is_local(ty) {
            return false;
        }
        if let Shape::Affine(stride) = shape(v) {
            return ty.is_ptr() && stride % self.target.costs.memory.way_bytes == 0;
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

    /// How many times as long an access in lanes takes because each work-item walks along memory of its own.
    fn walk(&self, block: Block, inst: Inst) -> f64 {
        if !self.facts.walks.contains(&inst) {
            return 1.0;
        }
        match self.distance(block, self.func.insts[inst].args[0], 1, &mut { MOST_STEPS }) {
            Distance::Near => 1.0,
            Distance::Far => self.target.costs.memory.walk,
            Distance::Pages => self.target.costs.memory.walk_on_pages,
        }
    }

    /// True if lanes gather from rows of their own, or write such, in inner loops that all of them go round equally
    /// often. (Turns that only read whole rows add something up, mostly, in an order that lanes of theirs would not
    /// keep.)
    pub fn walks_in_step(&self) -> bool {
        let walks = |(block, inst): (Block, Inst)| {
            let only_reads = self.facts.rows.contains(&inst) && self.func.insts[inst].op == Op::Load;
            let is_far = !only_reads && self.walk(block, inst) > 1.0;
            is_far && !self.parts_ways(block) && !self.shapes.is_masked(block)
        };
        self.facts.innermost().any(|(_, l)| self.func.insts_of(&l.blocks).any(walks))
    }

    /// How far from each other neighbouring lanes are, if one more of the value is so many bytes. They are far for a
    /// product with what only the launch knows, for what memory says, and for what an unknown computation gives;
    /// indices that are clamped, or come from floats, are taken to lie as close as their operands.
    fn distance(&self, block: Block, v: Value, bytes: i64, steps: &mut u32) -> Distance {
        match self.shapes.at(v, block) {
            Shape::Uniform => return Distance::Near,
            Shape::Affine(stride) => return self.distance_of(stride.saturating_mul(bytes)),
            Shape::Unknown | Shape::Varying => {}
        }
        if *steps == 0 {
            return Distance::Far;
        }
        *steps -= 1;
        let mut of = |v: Value, times: i64| self.distance(block, v, bytes.saturating_mul(times), steps);
        let Some(data) = self.func.def_inst(v) else {
            // What goes round the loop began in front of it.
            let l = self.facts.inner_loop(block).map(|l| &self.facts.loops.loops[l]);
            let first = l.and_then(|l| entered_with(self.func, &self.facts.cfg, l, v));
            return first.map_or(Distance::Far, |first| of(first, 1));
        };
        let known = |v: Value| self.func.const_bits(v).map(|bits| bits as i64);
        match (data.op, &data.args[..], &data.imm) {
            (Op::PtrAdd, &[base, index], &Imm::Scale { scale, .. }) => of(base, 1).max(of(index, scale.into())),
            (Op::Mul, &[a, b], _) => match (known(a), known(b)) {
                (_, Some(n)) => of(a, n),
                (Some(n), _) => of(b, n),
                _ => Distance::Far,
            },
            (Op::Shl, &[a, b], _) => known(b).map_or(Distance::Far, |n| of(a, 1 << (n & 31))),
            (Op::Add | Op::Sub | Op::And | Op::MinS | Op::MinU | Op::MaxS | Op::MaxU, &[a, b], _)
            | (Op::Select, &[_, a, b], _) => of(a, 1).max(of(b, 1)),
            (Op::Sext | Op::Zext | Op::Trunci | Op::PtrOff | Op::AsCast | Op::Neg | Op::Not, &[a], _) => of(a, 1),
            (Op::Fptosi | Op::Fptoui, ..) => Distance::Near,
            _ => Distance::Far,
        }
    }

    /// That of lanes so many bytes from each other.
    fn distance_of(&self, bytes: i64) -> Distance {
        match bytes.saturating_abs() {
            ..LINE => Distance::Near,
            n if n % self.target.costs.memory.way_bytes == 0 => Distance::Pages,
            _ => Distance::Far,
        }
    }

    fn trips(&self) -> Option<u64> {
        super::epilogue::trips(self.func, &self.facts.items)
    }

    fn varies(&self, v: Value) -> bool {
        self.shapes.of(v) == Shape::Varying
    }

    fn weight(&self, block: Block) -> f64 {
        weight(&self.facts.loops, self.facts.number, block)
    }

    /// True in a loop that lanes leave at different times.
    fn parts_ways(&self, block: Block) -> bool {
        self.facts.inner_loop(block).is_some_and(|l| self.shapes.is_divergent_loop(l))
    }

    /// Registers for the lanes of a value.
    fn parts(&self, ty: Type) -> f64 {
        let bytes = if ty.elem == Scalar::I1 { 4 } else { ty.elem.bytes() };
        f64::from(self.target.registers(bytes * u32::from(self.width)) * u32::from(ty.lanes))
    }

    fn inst(&self, block: Block, inst: Inst) -> (f64, f64) {
        let data = &self.func.insts[inst];
        let ty = data.result.or(data.args.get(1).copied()).map_or(Type::I32, |v| self.func.ty(v));
        let n = f64::from(ty.lanes);
        let w = f64::from(self.width);
        let shape = |v: Value| self.shapes.at(v, block);
        let scalar = n * self.target.scalar_op(data.op, ty);
        if let Some(update) = self.shapes.carried.update(inst) {
            return (scalar, self.update(&update, data, ty, scalar));
        }
        match data.op {
            Op::Load | Op::Store => self.access(block, inst, ty),
            Op::Call | Op::Printf | Op::Device | Op::Memcpy | Op::Memset => {
                let uniform = data.result.is_some_and(|v| shape(v) == Shape::Uniform);
                (30.0, if uniform { 30.0 } else { 36.0 * w })
            }
            // Where a mistake is found, which is seldom.
            Op::CheckReport => (0.0, 0.0),
            // A call for any number of lanes.
            Op::Track | Op::Meet => (30.0, 60.0),
            // One for all lanes, with a sum over them, and one up to each.
            Op::AtomicRmw if self.shapes.is_aggregated(self.func, block, data) => {
                let scalar = if is_local(self.func.ty(data.args[0])) { 3.0 } else { 18.0 };
                let used = data.result.is_some_and(|v| self.facts.used[v.index()]);
                let steps = w.log2() * if used { 2.0 } else { 1.0 };
                (scalar, scalar + 2.0 * steps * self.parts(ty) + self.target.costs.lanes.branch)
            }
            // Local memory has one thread: its atomics are plain accesses, which the processor overlaps; lanes have to
            // be taken out of vectors first.
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
                    _ if self.whole => scalar / n * f64::from(self.target.registers(ty.bytes())),
                    _ => (scalar / 3.0).max(1.0),
                };
                let scalar = if free { 0.3 } else { narrow };
                match varying {
                    false => (scalar, scalar),
                    true if free => (scalar, if address { 0.5 } else { 0.0 }),
                    true => (scalar, self.parts(ty) * self.lane_op(data, ty)),
                }
            }
        }
    }

    /// What lanes take for a step of a recurrence.
    fn update(&self, update: &Update, data: &InstData, ty: Type, scalar: f64) -> f64 {
        let join = match update {
            Update::Fold(..) if self.last => JOINED_FOLD,
            Update::Scan(..) if self.last => JOINED_SCAN,
            _ => 0.0,
        };
        let w = f64::from(self.width);
        let lanes = match update {
            Update::Fold(..) => self.parts(ty) * self.lane_op(data, ty),
            Update::Scan(..) => self.parts(ty) * (w.log2() + 1.0) * (self.lane_op(data, ty) + 1.0),
            Update::Accumulate(_) | Update::Serial(_) => w * (scalar + 1.0),
            Update::Chosen => 0.0,
        };
        join + lanes
    }

    /// What a load or a store of a value of this type takes, once and in lanes.
    fn access(&self, block: Block, inst: Inst, ty: Type) -> (f64, f64) {
        let data = &self.func.insts[inst];
        let n = f64::from(ty.lanes);
        let w = f64::from(self.width);
        let shape = |v: Value| self.shapes.at(v, block);
        let (target, costs) = (self.target, &self.target.costs.memory);
        let volatile = data.attr.flags.contains(Flags::VOLATILE);
        let parted = self.shapes.is_masked(block);
        let masked = parted || self.last;
        let wait = if self.last && data.op == Op::Store { costs.masked_store * self.parts(ty) } else { 0.0 };
        let uniform = data.op == Op::Load || shape(data.args[1]) == Shape::Uniform;
        // A vector of one work-item is one access.
        let register = if self.whole { f64::from(target.register_bytes) } else { 16.0 };
        let scalar = if ty.lanes > 1 { (n * f64::from(ty.elem.bytes()) / register).max(1.0) } else { 1.0 };
        let words = super::memory::words(ty);
        let split = if words.is_some() { 2.0 * n } else { 0.0 };
        let ty = words.map_or(ty, |n| Type::I32.with_lanes(n));
        let (size, n) = (i64::from(ty.elem.bytes()), f64::from(ty.lanes));
        let narrow_masks = target.accesses_under_masks(8);
        let group = match shape(data.args[0]) {
            Shape::Affine(s) => {
                let access = (block, data.op == Op::Load);
                self.shapes.strided.group(access, (s, size), self.width, narrow_masks)
            }
            _ => None,
        };
        // Neighbours are one gather: see `coalesce`.
        let gather = match data.op {
            Op::Store if n > 1.0 && size < 8 => costs.scatter / 2.0,
            Op::Store => costs.scatter,
            _ if masked => costs.gather,
            _ => costs.gather_of_all,
        };
        let gather = if n > 1.0 && size < 8 { gather.min(costs.paired_gather) } else { gather };
        let gather = gather * self.walk(block, inst);
        // Three small ones, too.
        let joint = data.op == Op::Load && n == 3.0 && size <= 2;
        let (gathers, taken_out) = if joint { (size as f64, costs.taken_out * self.parts(ty)) } else { (n, 0.0) };
        let pattern = Pattern::of(shape(data.args[0]), size, ty.lanes.into());
        let lanes = match pattern {
            _ if volatile => 12.0 * w,
            Pattern::Arbitrary if !masked && w >= 8.0 && !self.parts_ways(block) && self.facts.rows.contains(&inst) => {
                n * w * size as f64 * costs.row_byte
            }
            Pattern::Uniform if uniform => 1.0,
            Pattern::Consecutive | Pattern::Reversed if !masked => self.parts(ty),
            Pattern::Consecutive | Pattern::Reversed if target.accesses_under_masks(8 * ty.elem.bytes()) => {
                self.parts(ty) * 1.5
            }
            Pattern::Consecutive | Pattern::Reversed if !self.last => self.parts(ty) + 0.6 * w,
            // To load a register, and to shuffle as often as every other lane changes places.
            Pattern::Records if !masked => self.parts(ty) * (1.0 + target.costs.lanes.shuffle * n.log2()),
            // A mask for each part.
            Pattern::Records if !parted && size >= 4 => self.parts(ty) * 4.0,
            _ if let Some(group) = group
                && (narrow_masks || group.whole && !masked) =>
            {
                self.interleaved(group, ty, masked)
            }
            _ if target.scatter && data.op == Op::Store && w > 8.0 && self.is_steep(block, data.args[0]) => {
                n * w * costs.steep_scatter.max(gather) + 2.0
            }
            // Two gathers of half the lanes take no longer than one, and fewer lanes wait for the last to
            // leave.
            _ if target.scatter && self.parts_ways(block) => {
                let wait = if w * size as f64 > f64::from(costs.quick_gather_bytes) { 1.4 } else { 1.0 };
                gathers * w * wait * gather + 1.0 + taken_out
            }
            _ if target.scatter || (target.gather && data.op == Op::Load && (size >= 4 || joint)) => {
                gathers * w * if self.last { 1.5 } else { 1.0 } * gather + 2.0 + taken_out
            }
            _ => n * w * if masked { 3.0 } else { 2.0 },
        };
        (scalar, lanes + split + wait)
    }

    /// A member of an interleaved group: its share of the whole accesses, and shuffles of as many registers as its
    /// lanes lie in. Where stores leave gaps, or not all lanes are there, of masks as well.
    fn interleaved(&self, group: Estimate, ty: Type, masked: bool) -> f64 {
        let (step, members) = (group.step as f64, group.members as f64);
        let bytes = group.step as u32 * ty.elem.bytes() * u32::from(self.width);
        let sources = f64::from(self.target.registers(bytes)).min(step);
        let shuffle = self.target.costs.lanes.deinterleave[usize::from(ty.elem.bytes() > 2)];
        let access = if masked || !group.whole { self.target.costs.memory.masked_group } else { 1.0 };
        self.parts(ty) * (access * step / members + (sources - 1.0).max(1.0) * shuffle)
    }

    /// Cycles for a register of lanes.
    fn lane_op(&self, data: &InstData, ty: Type) -> f64 {
        let by_one = data.args.get(1).is_some_and(|&v| self.shapes.of(v) == Shape::Uniform);
        self.target.lane_op(data.op, ty, by_one)
    }
}

/// The value with which a parameter of a loop's header begins, if there is one.
fn entered_with(func: &Func, cfg: &Cfg, l: &Loop, param: Value) -> Option<Value> {
    let at = func.blocks[l.header].params.iter().position(|&p| p == param)?;
    let mut entries = cfg.handed(func, l.header, at).filter(|(from, _)| !l.blocks.contains(from));
    entries.next().filter(|_| entries.next().is_none()).map(|(_, v)| v)
}

/// Turns of the loops that a block is in, within one of them.
pub(super) fn weight(loops: &Loops, within: usize, block: Block) -> f64 {
    let depth = |l: usize| loops.loops[l].depth;
    let own = loops.of(block).map_or(depth(within), depth);
    TURNS.powi((own - depth(within)) as i32)
}

/// After how many cycles those values of some blocks are there that are asked for and depend on some, or on any if none
/// are given.
pub(super) fn since(
    func: &Func,
    blocks: &[Block],
    from: Option<Vec<Value>>,
    target: &Target,
    is_asked: impl Fn(Value) -> bool,
) -> FxHashMap<Value, f64> {
    let mut since: FxHashMap<Value, f64> = from.iter().flatten().map(|&v| (v, 0.0)).collect();
    for data in func.data_of(blocks) {
        let Some(result) = data.result.filter(|&v| is_asked(v)) else { continue };
        let before = data.args.iter().filter_map(|v| since.get(v)).copied().reduce(f64::max);
        let before = before.or(from.is_none().then_some(0.0)).filter(|_| data.op != Op::Load);
        since.extend(before.map(|before| (result, before + target.latency(data.op, func.ty(result)))));
    }
    since
}
