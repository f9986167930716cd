//! How indices change with the counters of a nest of loops over work-items, and when they are the same in 64 bits.
//!
//! ```text
//! zext(y × w + x)  → zext(y × w + x₀) + (x − x₀)     in a copy of the loops, where y × w + x < 2³² for all of them
//! ```
//! A sum of 32 bits that may wrap, as one of `uint`s may, has an extension that jumps somewhere for all that is known,
//! so that accesses of neighbours are gathers. As exact numbers such sums are affine in the counters (the textbook's
//! affine forms): the least and the greatest are at corners of the nest, and if both fit 32 bits, all others do, and
//! none wraps. This is asked once in front of the nest (loop versioning). A sum of 64 bits that is cut to 32, as in
//! `uint j = n - get_global_id(0) - 1`, is asked about in the same way, if it grows by small constants with all
//! counters. Must not know guards.

use super::one_row;
use super::versioning::{Fact, Is, Kind, Nest};
use crate::analysis::address::growth;
use crate::analysis::range::Exact;
use crate::ir::clone::rematerialise;
use crate::ir::entity::Entity;
use crate::ir::{Block, Builder, Copies, Func, InstData, IntPred, Op, Type, Value, ValueDef};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use std::rc::Rc;

/// Levels of operations that are looked through.
const DEPTH: u32 = 8;
/// Most that an index grows by from work-item to work-item, so that one below 2³¹ is not passed within a group.
pub(super) const MAX_STRIDE: i64 = 1 << 10;
/// Most values that a counter may have, less one.
const MAX_SPAN: u64 = 1 << 28;
/// Most counters that an index may grow with: as many products of a 32-bit number and a span have a sum of 64 bits.
const MAX_COUNTERS: usize = 7;
/// Most extensions that are asked about.
const MAX_EXTENSIONS: usize = 24;

/// How a value changes from one value of a counter to the next, modulo its type's range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Growth {
    /// By this.
    By(i64),
    /// By a number that is the same throughout the nest.
    Evenly,
}

/// How a value changes with each counter of a nest; none where that is not known.
pub(super) type Changes = Rc<[Option<Growth>]>;

impl Growth {
    /// Times something that is the same throughout the nest.
    fn scaled(self) -> Self {
        if self == Self::By(0) { self } else { Self::Evenly }
    }
}

/// Values of which the indices of addresses are made.
pub(super) fn addresses(func: &Func, blocks: &[Block]) -> FxHashSet<Value> {
    let insts = || func.data_of(blocks).rev();
    let mut found: FxHashSet<Value> = insts().filter(|d| d.op == Op::PtrAdd).map(|d| d.args[1]).collect();
    let is_part = |op: Op| {
        matches!(op, Op::Add | Op::Sub | Op::Mul | Op::Shl | Op::Neg | Op::Sext | Op::Zext | Op::Trunci | Op::Select)
            || matches!(op, Op::MinS | Op::MaxS | Op::MinU | Op::MaxU | Op::And | Op::Or)
            || one_row::is_division(op)
    };
    let mut n = 0;
    while found.len() > n {
        n = found.len();
        for data in insts().filter(|d| is_part(d.op)) {
            if data.result.is_some_and(|v| found.contains(&v)) {
                found.extend(&data.args[usize::from(data.op == Op::Select)..]);
            }
        }
        let handed = blocks.iter().flat_map(|&b| func.handed(b));
        handed.for_each(|(_, param, arg)| _ = found.contains(&param) && found.insert(arg));
    }
    found
}

/// True for an extension of 32 bits to 64: of a number that has 64 already, it is its lower half.
fn extends(func: &Func, data: &InstData) -> bool {
    match data.op {
        Op::Sext | Op::Zext => func.ty(data.args[0]) == Type::I32,
        Op::And => func.const_bits(data.args[1]) == Some(u32::MAX.into()),
        _ => false,
    }
}

impl Nest {
    /// What a value is where the facts hold.
    pub(super) fn resolve(&self, v: Value) -> Value {
        self.resolved.get(&v).copied().unwrap_or(v)
    }

    /// What counts in the nest: work-items, rows, and in loops within.
    fn all_counters(&self) -> impl Iterator<Item = Value> {
        self.counters.iter().map(|c| c.0).chain(self.turns.iter().map(|t| t.counter))
    }

    /// How a value changes with each of `all_counters`, if it is a sum of them and of what is there before the nest.
    pub(super) fn growths(&self, func: &Func, v: Value) -> Option<Vec<Growth>> {
        let growths: Option<Vec<Growth>> = self.changes(func, v, DEPTH).iter().copied().collect();
        growths.filter(|g| g.iter().filter(|&&g| g != Growth::By(0)).count() <= MAX_COUNTERS)
    }

    /// Takes a value for another one, or for the result of a division of which it is asked that it has one quotient.
    pub(super) fn learn(&mut self, v: Value, is: Is) {
        match is {
            Is::Value(other) => _ = self.resolved.insert(v, other),
            Is::Divided(kind) => _ = self.divided.insert(v, kind),
        }
        self.known.borrow_mut().clear();
    }

    /// True if a value is the same in all work-items of a row.
    fn stays(&self, func: &Func, v: Value) -> bool {
        self.changes(func, v, DEPTH)[0] == Some(Growth::By(0))
    }

    /// How a value changes with each of `all_counters`; none where that is not known.
    fn changes(&self, func: &Func, v: Value, depth: u32) -> Changes {
        let v = self.resolve(v);
        if let Some(known) = self.known.borrow().get(&(v, depth)) {
            return Rc::clone(known);
        }
        let found: Changes = match self.all_counters().position(|counter| v == counter) {
            Some(own) => (0..self.n_counters()).map(|n| Some(Growth::By(i64::from(n == own)))).collect(),
            None if self.is_fixed(func, v) => self.constant(),
            None => match func.def_inst(v).filter(|_| depth > 0) {
                Some(data) => self.changes_of(func, data, v, depth - 1),
                None => (0..self.n_counters()).map(|_| None).collect(),
            },
        };
        self.known.borrow_mut().insert((v, depth), Rc::clone(&found));
        found
    }

    fn n_counters(&self) -> usize {
        self.counters.len() + self.turns.len()
    }

    /// The changes of what is the same throughout the nest.
    fn constant(&self) -> Changes {
        (0..self.n_counters()).map(|_| Some(Growth::By(0))).collect()
    }

    /// How the result of an operation changes.
    fn changes_of(&self, func: &Func, data: &InstData, v: Value, depth: u32) -> Changes {
        match self.divided.get(&v) {
            Some(Kind::Quotient) => return self.constant(),
            Some(_) => return self.changes(func, data.args[0], depth),
            None => {}
        }
        let args: SmallVec<[_; 3]> = data.args.iter().map(|&arg| self.changes(func, arg, depth)).collect();
        let is_even = |i: usize| args[i].iter().all(|&g| g == Some(Growth::By(0)));
        let is_product = data.op == Op::Mul && func.const_bits(data.args[1]).is_none();
        let is_sum = matches!(data.op, Op::Add | Op::Sub | Op::Neg | Op::Not | Op::Mul | Op::Trunci)
            || data.op == Op::Shl && func.const_bits(data.args[1]).is_some();
        let change = |n: usize| {
            if data.op.is_pure() && !args.is_empty() && args.iter().all(|arg| arg[n] == Some(Growth::By(0))) {
                return Some(Growth::By(0));
            }
            match () {
                () if is_product && is_even(1) => args[0][n].map(Growth::scaled),
                () if is_product && is_even(0) => args[1][n].map(Growth::scaled),
                () if is_product || !is_sum || args.iter().any(|arg| arg[n].is_none()) => None,
                () if args.iter().any(|arg| arg[n] == Some(Growth::Evenly)) => Some(Growth::Evenly),
                () => {
                    let by = |i: usize| if let Some(Growth::By(by)) = args[i][n] { Some(by) } else { None };
                    growth(func, data, by).map(Growth::By)
                }
            }
        };
        (0..self.n_counters()).map(change).collect()
    }

    /// Extensions of indices that grow from work-item to work-item, but may wrap for all that is known.
    pub(super) fn extensions(&self, func: &Func) -> Vec<Fact> {
        let addresses = addresses(func, &self.blocks);
        let mut facts = Vec::new();
        for (_, inst) in func.insts_of(&self.blocks) {
            let data = &func.insts[inst];
            let is_index = data.result.is_some_and(|v| func.ty(v) == Type::I64 && addresses.contains(&v));
            if !is_index || !extends(func, data) {
                continue;
            }
            let index = self.resolve(data.args[0]);
            // Where it is asked about, it is made of 64 bits.
            if self.divided.contains_key(&index) {
                continue;
            }
            let Some(growths) = self.growths(func, index) else { continue };
            let Growth::By(stride) = growths[0] else { continue };
            let is_small = |stride: i64| stride.unsigned_abs() <= MAX_STRIDE as u64;
            let grow_by_little = || growths.iter().all(|growth| matches!(growth, Growth::By(s) if is_small(*s)));
            if data.op == Op::And && !grow_by_little() {
                continue;
            }
            let signed = data.op == Op::Sext;
            let exact = Exact { func, signed, resolve: &|v| self.resolve(v), is_uniform: &|v| self.stays(func, v) };
            let is_below = self.is_below(func, inst, &growths[self.counters.len()..]);
            if is_below && stride != 0 && is_small(stride) && exact.range(index).is_none() {
                let pred = if signed { IntPred::SGe } else { IntPred::UGe };
                facts.push(Fact { inst, index, pred, bound: index, kind: Kind::Extension(stride) });
            }
        }
        facts.truncate(MAX_EXTENSIONS);
        facts
    }

    /// True, in front of the nest, if an index of 32 bits wraps nowhere in it and is on its side of its bound; none if
    /// that can be told with less by looking at the ends. `ends` has the first and the last value of each counter.
    pub(super) fn stays_within(&self, b: &mut Builder<'_>, fact: &Fact, ends: &[(Value, [Value; 2])]) -> Option<Value> {
        let growths = self.growths(b.func, fact.index)?;
        let asks_bound = !matches!(fact.kind, Kind::Extension(_));
        let (own, turns) = growths.split_at(self.counters.len());
        let increases =
            own.iter().all(|g| matches!(g, Growth::By(s) if *s >= 0)) && turns.iter().all(|&g| g == Growth::By(0));
        let ty = b.func.ty(fact.index);
        let is_long = ty == Type::I64 && !asks_bound;
        if !(ty == Type::I32 || is_long) || (asks_bound && increases) {
            return None;
        }
        let signed = fact.pred.is_signed();
        let extend = if signed { Op::Sext } else { Op::Zext };
        let zero = b.i64(0);
        let mut asked = Vec::new();
        // The first value of each counter, and how far it is from there to the last.
        let mut first: Vec<(Value, Value)> = Vec::new();
        let mut spans: Vec<Value> = Vec::new();
        for &(counter, [from, to]) in ends {
            first.push((counter, from));
            spans.push(b.op(Op::Sub, &[to, from]));
        }
        for turn in &self.turns {
            let extend = if turn.pred.is_signed() { Op::Sext } else { Op::Zext };
            let [from, bound] = [turn.first, turn.bound].map(|v| self.repeat(b, v, &[]));
            first.push((turn.counter, from));
            let [from, to] = [from, bound].map(|v| b.convert(extend, Type::I64, v));
            let mut span = b.op(Op::Sub, &[to, from]);
            if matches!(turn.pred, IntPred::SLt | IntPred::ULt) {
                span = b.op_bits(Op::Sub, span, 1);
            }
            spans.push(b.op(Op::MaxS, &[span, zero]));
        }
        let start = self.repeat(b, fact.index, &first);
        let wide = if is_long { start } else { b.convert(extend, Type::I64, start) };
        let (mut low, mut high) = (wide, wide);
        if is_long {
            // As it is no more, no sum overflows.
            let most = b.bits(Type::I64, u32::MAX.into());
            asked.push((IntPred::ULe, wide, most));
        }
        for (i, (growth, span)) in growths.into_iter().zip(spans).enumerate() {
            let by = match growth {
                Growth::By(0) => continue,
                Growth::By(stride) => b.i64(stride),
                Growth::Evenly => {
                    let (counter, from) = first[i];
                    first[i].1 = b.op_bits(Op::Add, from, 1);
                    let next = self.repeat(b, fact.index, &first);
                    first[i] = (counter, from);
                    let by = b.op(Op::Sub, &[next, start]);
                    b.convert(Op::Sext, Type::I64, by)
                }
            };
            // No product of these overflows, nor does a sum of a few.
            let far = b.bits(Type::I64, MAX_SPAN);
            asked.push((IntPred::SLe, span, far));
            let all = b.op(Op::Mul, &[by, span]);
            for (end, op) in [(&mut low, Op::MinS), (&mut high, Op::MaxS)] {
                let part = b.op(op, &[all, zero]);
                *end = b.op(Op::Add, &[*end, part]);
            }
        }
        let (least, most) = if signed { (i64::from(i32::MIN), i64::from(i32::MAX)) } else { (0, i64::from(u32::MAX)) };
        let limits = [least, most].map(|bits| b.i64(bits));
        asked.extend([(IntPred::SGe, low, limits[0]), (IntPred::SLe, high, limits[1])]);
        if asks_bound {
            let bound = self.repeat(b, fact.bound, &[]);
            let bound = b.convert(extend, Type::I64, bound);
            asked.push(match fact.pred {
                IntPred::SLt | IntPred::ULt => (IntPred::SLt, high, bound),
                IntPred::SLe | IntPred::ULe => (IntPred::SLe, high, bound),
                IntPred::SGt | IntPred::UGt => (IntPred::SGt, low, bound),
                _ => (IntPred::SGe, low, bound),
            });
        }
        let holds: Vec<Value> = asked.into_iter().map(|(pred, x, y)| b.icmp(pred, x, y)).collect();
        holds.into_iter().reduce(|all, holds| b.op(Op::And, &[all, holds]))
    }

    /// An extension in a copy of the nest, as a sum of 64 bits.
    pub(super) fn linear(&self, func: &mut Func, fact: &Fact, stride: i64, copies: &Copies) -> Value {
        let InstData { op, result, origin, .. } = func.insts[fact.inst];
        let old = result.expect("an extension");
        let block = copies.block(self.homes[old.index()].expect("in the nest"));
        let ValueDef::Inst(copy) = func.values[copies.value(old)].def else { unreachable!("an extension") };
        let mut b = Builder::before(func, block, copy);
        let start = self.at_start(&mut b, fact.index, copies);
        let (items, first, _) = self.counters[0];
        let [items, first] = [items, first].map(|v| copies.value(v));
        b.origin = origin;
        let start = if op == Op::And { start } else { b.convert(op, Type::I64, start) };
        let n = b.op(Op::Sub, &[items, first]);
        let all = b.op_bits(Op::Mul, n, stride as u64);
        b.op(Op::Add, &[start, all])
    }

    /// The value that the copy of an index has in the first work-item.
    fn at_start(&self, b: &mut Builder<'_>, v: Value, copies: &Copies) -> Value {
        let (items, first, _) = self.counters[0];
        rematerialise(b, v, &|func, v| match self.resolve(v) {
            v if v == items => Ok(copies.value(first)),
            v if self.stays(func, v) => Ok(copies.value(v)),
            v => Err(v),
        })
    }
}
