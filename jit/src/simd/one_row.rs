//! Divisions of flat indices whose quotient is the same for all work-items of a nest.
//!
//! ```text
//! i = global id;  x = i % w;  y = i / w;  a[x + 1]    →   x = i₀ % w + (i − i₀);  y = i₀ / w
//!                                                         in a copy of the loops, where i₀ / w = i₁ / w
//! ```
//! A remainder jumps back to 0 somewhere for all that is known, so that accesses at places made of it are gathers.
//! Where the first and the last index have one quotient, all between have it, and the remainder grows as the index
//! does. That is so for most groups if rows are long, and for nearly all if the division only wraps a neighbour's index
//! round the edge of the whole, as `(i + d + n) % n` does. It is asked once in front of the nest (loop versioning).

use super::no_wrap::{Growth, MAX_STRIDE};
use super::versioning::{Fact, Kind, Nest};
use crate::ir::entity::Entity;
use crate::ir::op::Flags;
use crate::ir::{Attr, Builder, Copies, Func, Imm, Inst, InstData, IntPred, Op, Type, Value, ValueDef};

/// Rows are longer than this many work-items, or most groups would lie across two.
const LEAST_ROW: u64 = 63;
/// Most divisions that are asked about, each with a division in front of the nest.
pub(super) const MOST: usize = 32;

/// True for what may be a division: masks and shifts are by powers of two.
pub(super) fn is_division(op: Op) -> bool {
    matches!(op, Op::DivU | Op::RemU | Op::DivS | Op::RemS | Op::And | Op::Lshr)
}

impl Nest {
    /// What is asked so that a division has one quotient.
    pub(super) fn divided(&self, func: &Func, inst: Inst) -> Option<Fact> {
        let data = &func.insts[inst];
        let &[index, by] = &data.args[..] else { return None };
        let constant = func.const_bits(by);
        let row = match data.op {
            Op::And => constant.and_then(|mask| mask.checked_add(1)).filter(|row| row.is_power_of_two()),
            Op::Lshr => constant.filter(|&by| by < 31).map(|by| 1 << by),
            _ => constant,
        };
        let is_known = match row {
            Some(row) => row > LEAST_ROW && row <= i32::MAX as u64,
            None => !matches!(data.op, Op::And | Op::Lshr) && self.is_fixed(func, by),
        };
        let kind = if matches!(data.op, Op::DivU | Op::DivS | Op::Lshr) { Kind::Quotient } else { Kind::Remainder };
        let index = self.resolve(index);
        let ty = func.ty(index);
        let growths = self.growths(func, index).filter(|_| is_known && (ty == Type::I32 || ty == Type::I64))?;
        let (own, turns) = growths.split_at(self.counters.len());
        let fits = |&g: &Growth| matches!(g, Growth::By(s) if (0..=MAX_STRIDE).contains(&s));
        let grows = own.iter().all(fits) && own[0] != Growth::By(0) && turns.iter().all(|&g| g == Growth::By(0));
        grows.then_some(Fact { inst, index, pred: IntPred::ULe, bound: by, kind })
    }

    /// The length of a row, in front of the nest.
    fn row(&self, b: &mut Builder<'_>, fact: &Fact) -> Value {
        let ty = b.func.ty(fact.index);
        match (b.func.insts[fact.inst].op, b.func.const_bits(fact.bound)) {
            (Op::And, Some(mask)) => b.bits(ty, mask + 1),
            (Op::Lshr, Some(by)) => b.bits(ty, 1 << by),
            _ => self.repeat(b, fact.bound, &[]),
        }
    }

    /// True, in front of the nest, if all indices have one quotient. `ends` has the first and the last value of each
    /// counter.
    pub(super) fn has_one_quotient(&self, b: &mut Builder<'_>, fact: &Fact, ends: &[(Value, [Value; 2])]) -> Value {
        let [low, high] = self.at_ends(b, fact.index, ends);
        let row = self.row(b, fact);
        let zero = b.bits(b.func.ty(row), 0);
        let rest = b.op(Op::RemU, &[low, row]);
        let left = b.op(Op::Sub, &[row, rest]);
        let span = b.op(Op::Sub, &[high, low]);
        let mut asked = vec![(IntPred::SGt, row, zero), (IntPred::ULt, span, left)];
        // From the first to the last nothing wraps, or the last would be the smaller one.
        match b.func.insts[fact.inst].op {
            Op::DivS | Op::RemS => asked.extend([(IntPred::SGe, low, zero), (IntPred::SLe, low, high)]),
            _ => asked.push((IntPred::ULe, low, high)),
        }
        let holds: Vec<Value> = asked.into_iter().map(|(pred, x, y)| b.icmp(pred, x, y)).collect();
        holds.into_iter().reduce(|all, holds| b.op(Op::And, &[all, holds])).expect("there are questions")
    }

    /// The quotient, or the remainder in a copy of the nest, where there is one quotient.
    pub(super) fn in_one_row(
        &self,
        func: &mut Func,
        fact: &Fact,
        ends: &[(Value, [Value; 2])],
        copies: &Copies,
    ) -> Value {
        let growths = self.growths(func, fact.index).expect("seen before");
        let ty = func.ty(fact.index);
        let mut b = Builder::new(func, self.before);
        let [low, _] = self.at_ends(&mut b, fact.index, ends);
        let row = self.row(&mut b, fact);
        if fact.kind == Kind::Quotient {
            return b.op(Op::DivU, &[low, row]);
        }
        let mut sum = b.op(Op::RemU, &[low, row]);
        if ty == Type::I32 {
            sum = b.convert(Op::Zext, Type::I64, sum);
        }
        let InstData { result, origin, .. } = func.insts[fact.inst];
        let old = result.expect("a remainder");
        let block = copies.block(self.homes[old.index()].expect("in the nest"));
        let ValueDef::Inst(copy) = func.values[copies.value(old)].def else { unreachable!("a remainder") };
        let mut b = Builder::before(func, block, copy).with_origin(origin);
        for (&(counter, [first, _]), growth) in ends.iter().zip(growths) {
            let Growth::By(stride @ 1..) = growth else { continue };
            let n = b.op(Op::Sub, &[copies.value(counter), first]);
            let far = b.op_bits(Op::Mul, n, stride as u64);
            sum = b.op(Op::Add, &[sum, far]);
        }
        if ty == Type::I64 {
            return sum;
        }
        let exact = Attr { flags: Flags::NSW | Flags::NUW, ..Attr::default() };
        b.typed(Op::Trunci, ty, &[sum], Imm::None, exact)
    }
}
