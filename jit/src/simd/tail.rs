//! The work-items that do not fill a vector: the scalar loop runs them, or all vectors run under a mask of those that there are.
//!
//! ```text
//! loop i in 0, W, .. while i < n: body of W lanes, of which min(n - i, W) are active
//! ```
//! The mask is never empty, and lane 0 is always set: what is uniform or affine holds without more ado. Lanes beyond the last
//! work-item compute garbage in registers and in their own private memory.

use super::Config;
use super::loops::ItemLoop;
use super::shape::{Facts, Shape, Shapes};
use super::widen::Widen;
use crate::ir::{Block, Func, Imm, IntPred, Op, Term, Type, Value};
use crate::launch::AddrSpace;

/// Work-items of the loop, if that is known.
pub(super) fn trips(func: &Func, items: &ItemLoop) -> Option<u64> {
    let Term::Jump(entry) = &func.blocks[items.before].term else { return None };
    let (start, end) = (func.const_bits(entry.args[items.count])?, func.const_bits(items.bound)?);
    end.checked_sub(start).filter(|&n| n > 0)
}

/// True if all vectors may run under a mask: the machine has masks for everything, nothing goes lane by lane, and the last
/// work-item leaves nothing but chains behind. Not if few work-items may come again and again, as in the last steps of a
/// reduction in local memory: no load finds in the processor what a masked store has just written.
pub(super) fn is_masked(func: &Func, items: &ItemLoop, facts: &Facts, shapes: &Shapes, config: Config) -> bool {
    let serial = |&b: &Block| {
        func.blocks[b]
            .insts
            .iter()
            .any(|&inst| shapes.carried.update(inst).is_none() && shapes.is_serial(facts, b, &func.insts[inst]))
    };
    let to_local = |&b: &Block| {
        let mut stores = func.blocks[b].insts.iter().map(|&inst| &func.insts[inst]).filter(|data| data.op == Op::Store);
        stores.any(|data| func.ty(data.args[0]) == Type::ptr(AddrSpace::Local))
    };
    let again = trips(func, items).is_none() && items.blocks.iter().any(to_local);
    let latch = func.blocks[items.latch].term.targets();
    let out = latch.iter().find(|t| t.block == items.exit);
    let leaves = |&v: &Value| shapes.carried.hidden(v).is_none() && shapes.of(v) != Shape::Uniform;
    config.masked_tails
        && !shapes.carried.is_serial()
        && !again
        && !items.blocks.iter().any(serial)
        && !out.is_some_and(|t| t.args.iter().any(leaves))
}

/// True if vectors of so many lanes are all full.
pub(super) fn is_even(func: &Func, items: &ItemLoop, width: u8) -> bool {
    trips(func, items).is_some_and(|n| n.is_multiple_of(u64::from(width)))
}

impl Widen<'_> {
    /// Makes the mask of the work-items that there are, `count` being the first one's number.
    pub(super) fn open_mask(&mut self, count: Value, bound: Value) {
        let left = self.emit(Op::Sub, Type::I64, &[bound, count], Imm::None);
        let most = self.i64(i64::from(self.width));
        let left = self.emit(Op::MinU, Type::I64, &[left, most], Imm::None);
        let left = self.emit(Op::Trunci, Type::I32, &[left], Imm::None);
        self.left = Some(left);
        self.whole = Some(self.below(0, left));
    }

    /// The lanes whose number, counted from `first`, is less than `end`.
    fn below(&mut self, first: u64, end: Value) -> Value {
        let ty = Type::I32.with_lanes(self.width);
        let mut number = self.steps(ty, 1);
        if first > 0 {
            let first = self.constant(ty, first);
            number = self.emit(Op::Add, ty, &[number, first], Imm::None);
        }
        let end = self.splat(end);
        self.icmp(IntPred::ULt, number, end)
    }

    /// True if all work-items that there are are active.
    pub(super) fn is_whole(&self) -> bool {
        self.mask == self.whole
    }

    /// Where all are active: which lanes hold something, in the vector of number `part` among those of records of `n` elements.
    pub(super) fn part_mask(&mut self, part: i64, n: i64) -> Option<Value> {
        let left = self.left?;
        let n = self.constant(Type::I32, n as u64);
        let all = self.emit(Op::Mul, Type::I32, &[left, n], Imm::None);
        Some(self.below(part as u64 * u64::from(self.width), all))
    }
}
