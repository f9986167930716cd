//! Software prefetching (Mowry, Lam and Gupta, "Design and evaluation of a compiler algorithm for prefetching", 1992),
//! of what processors do not foresee: they follow some accesses that go on by a fixed step, but neither the lanes of a
//! gather, one by one, nor the rows of a tile, of which a loop reads a line each and in whose next turn the next one.
//!
//! ```text
//! loop: loop over rows: x = load a + 4 * (row * n + k)      →      x = … ; prefetch a + 4 * (row * n + k + 32)
//!       k += 32
//! ```
//! A load of global memory is prefetched for the next turn of the innermost loop around it that takes long enough for
//! memory to answer in the meantime, if in each turn the address goes on by the same number of bytes, half a line or
//! more (`analysis::turns`). Loads beside each other are one prefetch. A gather has one for each lane, which take as
//! long as the gather itself if memory has been fast: so several gathers must share them, as those of a record's parts
//! do. A hint: nothing that is prefetched need exist. Takes lanes, behind all that chooses how memory is accessed.
//! Linear.

use crate::analysis::trip_count::estimate;
use crate::analysis::turns::Turns;
use crate::ir::cfg::Cfg;
use crate::ir::dom::{Dominators, Loops};
use crate::ir::op::{Attr, Flags};
use crate::ir::{Block, Builder, Func, Imm, Inst, InstData, Op, Type, Value};
use crate::launch::AddrSpace;
use rustc_hash::FxHashMap;

/// Bytes of a line of memory.
const LINE_BYTES: u64 = 64;
const LINE: i64 = LINE_BYTES as i64;
/// Instructions of a turn in which memory answers.
const LONG_TURN: f64 = 150.0;
/// Instructions until it does.
const AHEAD: f64 = 500.0;
/// Loops around an access that are looked at.
const LOOPS: usize = 4;
/// Bytes that are skipped at most.
const FARTHEST: u64 = 4 << 20;
/// Bytes that one row of a tile has at most, in which there is nothing to foresee.
const SHORT_ROW: f64 = 1024.0;
/// Gathers that share one prefetch for each lane.
const SHARING: u32 = 4;
/// Most instructions of this kind in a function.
const MOST: usize = 512;

/// Runs the pass; true if anything is prefetched.
pub fn run(func: &mut Func) -> bool {
    let (cfg, dom, loops) = Loops::of_func(func);
    if loops.loops.is_empty() {
        return false;
    }
    let mut search = Search::new(func, &cfg, &dom, &loops);
    let (mut found, mut count) = (Vec::new(), 0);
    for &block in cfg.rpo() {
        if let Some(innermost) = loops.of(block) {
            for access in search.block(block, innermost) {
                count += prefetches(func, access.inst);
                if count <= MOST {
                    found.push((block, access));
                }
            }
        }
    }
    // From the last one on, so that numbers of instructions hold.
    for &(block, Access { at, inst, ahead, .. }) in found.iter().rev() {
        prefetch(func, block, at, inst, ahead);
    }
    !found.is_empty()
}

/// A load for which there is a prefetch.
#[derive(Clone, Copy)]
struct Access {
    inst: Inst,
    /// Its number in the block.
    at: usize,
    /// So many bytes behind it is what is prefetched.
    ahead: i64,
    /// Loads of the same line.
    sharing: u32,
}

/// What an access shares with others of the same line, most likely: its operands and scale, and the line of its
/// displacement.
type Place = (Value, Option<(Value, u32)>, i64);

fn place(func: &Func, inst: Inst) -> Place {
    let data = &func.insts[inst];
    if let (Op::Gather, &Imm::Scale { scale, disp }) = (data.op, &data.imm) {
        return (data.args[0], Some((data.args[1], scale)), disp.div_euclid(LINE));
    }
    let (mut ptr, mut behind) = (data.args[0], 0_i64);
    while let Some(InstData { op: Op::PtrOff, args, imm: Imm::Disp(disp), .. }) = func.def_inst(ptr) {
        (ptr, behind) = (args[0], behind.wrapping_add(*disp));
    }
    match func.def_inst(ptr) {
        Some(InstData { op: Op::PtrAdd, args, imm: Imm::Scale { scale, disp }, .. }) => {
            (args[0], Some((args[1], *scale)), behind.wrapping_add(*disp).div_euclid(LINE))
        }
        _ => (ptr, None, behind.div_euclid(LINE)),
    }
}

/// How many there are for a load: one for each lane of a gather, or for each line.
fn prefetches(func: &Func, inst: Inst) -> usize {
    let data = &func.insts[inst];
    let loaded = data.result.map_or(Type::I8, |v| func.ty(v));
    if data.op == Op::Gather { usize::from(loaded.lanes) } else { loaded.bytes().div_ceil(LINE as u32) as usize }
}

struct Search<'f> {
    func: &'f Func,
    loops: &'f Loops,
    /// How often the body of each loop runs when it is entered.
    turn_count: Vec<f64>,
    /// Instructions of a turn of each loop, with those of the loops in it.
    turn_length: Vec<f64>,
    growth: FxHashMap<usize, Turns>,
}

impl<'f> Search<'f> {
    fn new(func: &'f Func, cfg: &Cfg, dom: &Dominators, loops: &'f Loops) -> Self {
        let turn_count: Vec<f64> = loops.loops.iter().map(|l| estimate(func, cfg, dom, l)).collect();
        let mut turn_length = vec![0.0; turn_count.len()];
        for &block in cfg.rpo() {
            if let Some(l) = loops.of(block) {
                turn_length[l] += func.blocks[block].insts.len() as f64;
            }
        }
        // Loops come behind those that they are in.
        for l in (0..turn_count.len()).rev() {
            if let Some(around) = loops.loops[l].parent {
                turn_length[around] += turn_length[l] * turn_count[l];
            }
        }
        Self { func, loops, turn_count, turn_length, growth: FxHashMap::default() }
    }

    /// The loads of a block that should be prefetched, one for each line.
    fn block(&mut self, block: Block, innermost: usize) -> Vec<Access> {
        let (func, mut found) = (self.func, Vec::<Access>::new());
        let mut places: FxHashMap<Place, usize> = FxHashMap::default();
        for (at, &inst) in func.blocks[block].insts.iter().enumerate() {
            let Some(ahead) = self.distance(innermost, &func.insts[inst]) else { continue };
            let number = *places.entry(place(func, inst)).or_insert(found.len());
            match found.get_mut(number) {
                Some(access) => access.sharing += 1,
                None => found.push(Access { inst, at, ahead, sharing: 1 }),
            }
        }
        found.retain(|access| access.sharing >= SHARING || func.insts[access.inst].op != Op::Gather);
        found
    }

    /// How many bytes behind what an instruction loads that is which should be prefetched with it; nothing if nothing
    /// should.
    fn distance(&mut self, innermost: usize, data: &InstData) -> Option<i64> {
        let is_gather = data.op == Op::Gather;
        let is_global = || self.func.ty(data.args[0]) == Type::ptr(AddrSpace::Global);
        let is_volatile = data.attr.flags.contains(Flags::VOLATILE);
        if !(is_gather || data.op == Op::Load) || is_volatile || !is_global() || is_gather && !self.loads_all(data) {
            return None;
        }
        let (loops, mut has_rows) = (self.loops, is_gather);
        for l in std::iter::successors(Some(innermost), |&l| loops.loops[l].parent).take(LOOPS) {
            let step = self.step(l, data);
            if self.turn_length[l] >= LONG_TURN {
                let turns = (AHEAD / self.turn_length[l]).ceil().max(1.0) as i64;
                let ahead =
                    step.filter(|step| has_rows && step.unsigned_abs() >= LINE_BYTES / 2)?.checked_mul(turns)?;
                return (ahead.unsigned_abs() <= FARTHEST && self.turn_count[l] > 2.0).then_some(ahead);
            }
            match step.map(i64::unsigned_abs) {
                // The same again, or one after the other.
                Some(0) => return None,
                Some(by @ ..=LINE_BYTES) if by as f64 * self.turn_count[l] > SHORT_ROW => return None,
                Some(..=LINE_BYTES) => {}
                _ => has_rows = true,
            }
        }
        None
    }

    /// By how many bytes a load goes on from turn to turn of a loop.
    fn step(&mut self, l: usize, data: &InstData) -> Option<i64> {
        let (func, loops) = (self.func, self.loops);
        let growth = self.growth.entry(l).or_insert_with(|| Turns::steady(func, &loops.loops[l]));
        let base = growth.of(data.args[0])?;
        match data.imm {
            Imm::Scale { scale, .. } if data.op == Op::Gather => {
                base.checked_add(growth.of(data.args[1])?.checked_mul(scale.into())?)
            }
            _ => Some(base),
        }
    }

    /// True if no lane is masked out, for certain: others may be anywhere.
    fn loads_all(&self, data: &InstData) -> bool {
        self.func.const_bits(data.args[2]).is_some_and(|bits| bits & 1 != 0)
    }
}

/// Prefetches what is `ahead` bytes behind what an instruction loads.
fn prefetch(func: &mut Func, block: Block, at: usize, inst: Inst, ahead: i64) {
    let (data, count) = (func.insts[inst].clone(), prefetches(func, inst));
    let mut b = Builder::at(func, block, at + 1).with_origin(data.origin);
    for n in 0..count {
        let ptr = match data.imm {
            Imm::Scale { scale, disp } => {
                let of = b.func.ty(data.args[1]);
                let index = b.emit(Op::Extract, of.lane(), &[data.args[1]], Imm::Lane(n as u8));
                let index = if of.elem.bits() < 64 { b.convert(Op::Sext, Type::I64, index) } else { index };
                b.ptr_add(data.args[0], index, scale, disp.wrapping_add(ahead))
            }
            _ => b.ptr_off(data.args[0], ahead + n as i64 * LINE),
        };
        b.push(Op::Prefetch, None, &[ptr], Imm::None, Attr::default());
    }
}
