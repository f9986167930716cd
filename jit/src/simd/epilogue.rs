//! The work-items that do not fill a vector: the scalar loop runs them, all vectors run under a mask of those that
//! there are, or one vector more does.
//!
//! ```text
//! loop i in 0, W, .. while i < n: body of W lanes, of which min(n - i, W) are active
//! loop i in 0, W, .. while i + W <= n: body of W lanes; if i < n: body of W lanes, of which n - i are active
//! ```
//! Full vectors without masks are faster: masked loads are no operands, no load finds in the processor what a masked
//! store has just written, and on some processors without mask registers such a store takes many times as long. So the
//! rest of the scalar loop becomes a vector in its turn. What all vectors under masks have for them is that there is
//! half the code. The mask is never empty, and lane 0 is always set: what is uniform or affine holds without more ado.
//! Lanes beyond the last work-item compute garbage in registers and in their own private memory.

use super::Reason;
use super::access::is_local;
use super::item_loop::ItemLoop;
use super::shape::{Facts, Shape, Shapes};
use super::widen::{Widen, widen};
use super::{Config, memory};
use crate::ir::{Block, Builder, Func, Inst, InstData, IntPred, Op, SlotId, Term, Type, Value};

/// Longer loops are not there twice where masks are registers of their own, in instructions.
const LONGEST: usize = 100;

/// The vectors that the lanes' code is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Vectors {
    /// Full ones; the scalar loop stays for what is left.
    Full,
    /// All, under masks.
    Masked,
    /// One that is not full, under a mask.
    One,
}

/// Work-items of the loop, if that is known.
pub(super) fn trips(func: &Func, items: &ItemLoop) -> Option<u64> {
    let Term::Jump(entry) = &func.blocks[items.before].term else { return None };
    let (start, end) = (func.const_bits(entry.args[items.count])?, func.const_bits(items.bound)?);
    end.checked_sub(start).filter(|&n| n > 0)
}

/// True if vectors may run under a mask: nothing goes lane by lane, and the last work-item leaves nothing but chains
/// behind. Not if few work-items may come again and again, as in the last steps of a reduction in local memory: no load
/// finds in the processor what a masked store has just written.
pub(super) fn may_mask(func: &Func, shapes: &Shapes) -> bool {
    let items = &shapes.facts.items;
    let serial = |(b, inst): (Block, Inst)| {
        shapes.carried.update(inst).is_none() && shapes.is_serial(func, b, &func.insts[inst])
    };
    let to_local = |data: &InstData| data.op == Op::Store && is_local(func.ty(data.args[0]));
    let again = trips(func, items).is_none() && func.data_of(&items.blocks).any(to_local);
    let latch = func.blocks[items.latch].term.targets();
    let out = latch.iter().find(|t| t.block == items.exit);
    let leaves = |&v: &Value| shapes.carried.hidden(v).is_none() && shapes.of(v) != Shape::Uniform;
    !shapes.carried.is_serial()
        && !again
        && !func.insts_of(&items.blocks).any(serial)
        && !out.is_some_and(|t| t.args.iter().any(leaves))
}

/// True if a loop is too long to be there twice.
pub(super) fn is_long(func: &Func, items: &ItemLoop) -> bool {
    func.size_of(&items.blocks) > LONGEST
}

/// True if vectors of so many lanes are all full.
pub(super) fn is_even(func: &Func, items: &ItemLoop, width: u8) -> bool {
    trips(func, items).is_some_and(|n| n.is_multiple_of(u64::from(width)))
}

/// What full vectors leave of a scalar loop.
pub(super) struct Rest {
    /// Number of the first work-item, if that is known.
    first: Option<u64>,
    /// Private arrays and their sizes.
    slots: Vec<(SlotId, u64)>,
}

impl Rest {
    /// To be asked before the loop is rewritten.
    pub(super) fn before(func: &Func, items: &ItemLoop, width: u8) -> Self {
        let slots = memory::slots(func, &items.blocks).into_iter().map(|slot| (slot, func.slots[slot].size));
        let left = trips(func, items).map(|n| n % u64::from(width));
        let first = left.zip(func.const_bits(items.bound)).map(|(left, end)| end - left);
        Self { first, slots: slots.collect() }
    }

    /// Makes one vector of what is left; an error says why that cannot be, then the scalar loop stays.
    pub(super) fn widen(self, func: &mut Func, items: &ItemLoop, width: u8, config: Config) -> Result<(), Reason> {
        let header = items.header;
        // One way in.
        let outside: Vec<Block> = func.layout.iter().copied().filter(|b| !items.blocks.contains(b)).collect();
        let entry = func.merge_edges(&outside, header);
        if let Some(first) = self.first {
            let first = Builder::new(func, entry).bits(Type::I64, first);
            func.blocks[entry].term.targets_mut()[0].args[items.count] = first;
        }
        func.layout.push(entry);
        // The arrays now belong to full vectors.
        memory::replace_slots(func, &items.blocks, &self.slots);
        let items = ItemLoop::prepare(func, header)?;
        let facts = Facts::new(func, items);
        let shapes = Shapes::analyse(func, &facts, width)?;
        if !may_mask(func, &shapes) {
            return Err(Reason::OneByOne);
        }
        widen(func, &shapes, width, Vectors::One, config);
        Ok(())
    }
}

impl Widen<'_> {
    /// Makes the mask of the work-items that there are, `count` being the first one's number.
    pub(super) fn open_mask(&mut self, count: Value, bound: Value, vectors: Vectors) {
        let mut left = self.op(Op::Sub, &[bound, count]);
        if vectors == Vectors::Masked {
            left = self.op_bits(Op::MinU, left, self.width.into());
        }
        let left = self.convert(Op::Trunci, Type::I32, left);
        self.left = Some(left);
        self.whole = Some(self.below(0, left));
    }

    /// The lanes whose number, counted from `first`, is less than `end`.
    fn below(&mut self, first: u64, end: Value) -> Value {
        let ty = Type::I32.with_lanes(self.width);
        let mut number = self.steps(ty, 1);
        if first > 0 {
            number = self.op_bits(Op::Add, number, first);
        }
        let end = self.splat(end);
        // Both are small; machines without masks know signed comparisons only.
        self.icmp(IntPred::SLt, number, end)
    }

    /// True if all work-items that there are are active.
    pub(super) fn is_whole(&self) -> bool {
        self.mask == self.whole
    }

    /// Where all are active: which lanes hold something, in the vector of number `part` among those of records of `n`
    /// elements.
    pub(super) fn part_mask(&mut self, part: i64, n: i64) -> Option<Value> {
        let left = self.left?;
        let all = self.op_bits(Op::Mul, left, n as u64);
        Some(self.below(part as u64 * u64::from(self.width), all))
    }
}
