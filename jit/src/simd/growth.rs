//! How indices change with the counters of a nest of loops over work-items, and when they are the same in 64 bits.
//!
//! ```text
//! zext(y × w + x)  → zext(y × w + x₀) + (x − x₀)     in a copy of the loops, where y × w + x < 2³² for all of them
//! ```
//! A sum of 32 bits that may wrap, as one of `uint`s may, has an extension that jumps somewhere for all that is known, so that
//! accesses of neighbours are gathers. As exact numbers such sums are affine in the counters (the textbook's affine forms): the
//! least and the greatest are at corners of the nest, and if both fit 32 bits, all others do, and none wraps. This is asked once
//! in front of the nest (loop versioning). Must not know guards.

use super::interior::{Fact, Kind, Nest};
use super::shape::Exact;
use super::split::push;
use crate::ir::entity::Entity;
use crate::ir::func::Copies;
use crate::ir::{Attr, Block, Func, Imm, Inst, IntPred, Op, Type, Value};
use crate::source::Span;
use rustc_hash::FxHashSet;

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

impl Growth {
    fn plus(self, other: Self) -> Self {
        match (self, other) {
            (Self::By(a), Self::By(b)) => Self::By(a.wrapping_add(b)),
            _ => Self::Evenly,
        }
    }

    fn times(self, factor: i64) -> Self {
        match self {
            Self::By(a) => Self::By(a.wrapping_mul(factor)),
            Self::Evenly => Self::Evenly,
        }
    }

    /// Times something that is the same throughout the nest.
    fn scaled(self) -> Self {
        if self == Self::By(0) { self } else { Self::Evenly }
    }

    /// As a signed number of a type's width.
    fn of(self, ty: Type) -> Self {
        match self {
            Self::By(a) if ty == Type::I32 => Self::By(i64::from(a as i32)),
            other => other,
        }
    }
}

/// Values of which the indices of addresses are made.
pub(super) fn addresses(func: &Func, blocks: &[Block]) -> FxHashSet<Value> {
    let insts = || blocks.iter().rev().flat_map(|&b| func.blocks[b].insts.iter().rev()).map(|&i| &func.insts[i]);
    let mut found: FxHashSet<Value> = insts().filter(|d| d.op == Op::PtrAdd).map(|d| d.args[1]).collect();
    let is_part = |op: Op| {
        matches!(op, Op::Add | Op::Sub | Op::Mul | Op::Shl | Op::Neg | Op::Sext | Op::Zext | Op::Trunci | Op::Select)
            || matches!(op, Op::MinS | Op::MaxS | Op::MinU | Op::MaxU | Op::And | Op::Or)
    };
    let mut n = 0;
    while found.len() > n {
        n = found.len();
        for data in insts().filter(|d| is_part(d.op)) {
            if data.result.is_some_and(|v| found.contains(&v)) {
                found.extend(&data.args[usize::from(data.op == Op::Select)..]);
            }
        }
        for target in blocks.iter().flat_map(|&b| func.blocks[b].term.targets()) {
            let params = func.blocks[target.block].params.iter().zip(&target.args);
            found.extend(params.filter(|(param, _)| found.contains(param)).map(|(_, &v)| v).collect::<Vec<_>>());
        }
    }
    found
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
        let ty = func.ty(v);
        let growths: Option<Vec<Growth>> =
            self.all_counters().map(|counter| Some(self.growth(func, v, counter, DEPTH)?.of(ty))).collect();
        growths.filter(|g| g.iter().filter(|&&g| g != Growth::By(0)).count() <= MAX_COUNTERS)
    }

    fn growth(&self, func: &Func, v: Value, counter: Value, depth: u32) -> Option<Growth> {
        let v = self.resolve(v);
        if v == counter {
            return Some(Growth::By(1));
        }
        if self.is_fixed(func, v) || self.all_counters().any(|other| v == other) {
            return Some(Growth::By(0));
        }
        let data = func.def_inst(v).filter(|_| depth > 0)?;
        let of = |i: usize| self.growth(func, data.args[i], counter, depth - 1);
        match data.op {
            Op::Add => Some(of(0)?.plus(of(1)?)),
            Op::Sub => Some(of(0)?.plus(of(1)?.times(-1))),
            Op::Neg | Op::Not => Some(of(0)?.times(-1)),
            Op::Mul => match func.const_bits(data.args[1]) {
                Some(factor) => Some(of(0)?.times(factor as i64)),
                None if self.is_even(func, data.args[1], depth - 1) => Some(of(0)?.scaled()),
                None if self.is_even(func, data.args[0], depth - 1) => Some(of(1)?.scaled()),
                None => None,
            },
            Op::Shl => Some(of(0)?.times(1 << func.const_bits(data.args[1]).filter(|&by| by < 16)?)),
            Op::Trunci => of(0),
            _ => None,
        }
    }

    /// True if a value is the same throughout the nest.
    fn is_even(&self, func: &Func, v: Value, depth: u32) -> bool {
        self.all_counters().all(|counter| self.growth(func, v, counter, depth) == Some(Growth::By(0)))
    }

    /// Extensions of indices that grow from work-item to work-item, but may wrap for all that is known.
    pub(super) fn extensions(&self, func: &Func) -> Vec<Fact> {
        let addresses = addresses(func, &self.blocks);
        let items = self.counters[0].0;
        let mut facts = Vec::new();
        for &inst in self.blocks.iter().flat_map(|&b| &func.blocks[b].insts) {
            let data = &func.insts[inst];
            let is_wanted = matches!(data.op, Op::Sext | Op::Zext)
                && data.result.is_some_and(|v| func.ty(v) == Type::I64 && addresses.contains(&v))
                && func.ty(data.args[0]) == Type::I32;
            if !is_wanted {
                continue;
            }
            let index = self.resolve(data.args[0]);
            let Some(growths) = self.growths(func, index) else { continue };
            let Growth::By(stride) = growths[0] else { continue };
            let signed = data.op == Op::Sext;
            let exact = Exact {
                func,
                signed,
                resolve: &|v| self.resolve(v),
                is_uniform: &|v| self.growth(func, v, items, DEPTH) == Some(Growth::By(0)),
            };
            let is_below = self.is_below(func, inst, &growths[self.counters.len()..]);
            if is_below && stride != 0 && stride.abs() <= MAX_STRIDE && exact.range(index).is_none() {
                let pred = if signed { IntPred::SGe } else { IntPred::UGe };
                facts.push(Fact { inst, index, pred, bound: index, kind: Kind::Extension(stride) });
            }
        }
        facts.truncate(MAX_EXTENSIONS);
        facts
    }

    /// True, in front of the nest, if an index of 32 bits wraps nowhere in it and is on its side of its bound; none if that can be
    /// told with less by looking at the ends. `ends` has the first and the last value of each counter.
    pub(super) fn stays_within(&self, func: &mut Func, fact: &Fact, ends: &[(Value, [Value; 2])]) -> Option<Value> {
        let growths = self.growths(func, fact.index)?;
        let asks_bound = !matches!(fact.kind, Kind::Extension(_));
        let (own, turns) = growths.split_at(self.counters.len());
        let increases =
            own.iter().all(|g| matches!(g, Growth::By(s) if *s >= 0)) && turns.iter().all(|&g| g == Growth::By(0));
        if func.ty(fact.index) != Type::I32 || (asks_bound && increases) {
            return None;
        }
        let signed = matches!(fact.pred, IntPred::SLt | IntPred::SLe | IntPred::SGt | IntPred::SGe);
        let extend = if signed { Op::Sext } else { Op::Zext };
        let at = self.before;
        let [zero, one] = [0, 1].map(|bits| push(func, at, Op::Const, Type::I64, &[], Imm::Bits(bits)));
        let mut asked = Vec::new();
        // The first value of each counter, and how far it is from there to the last.
        let mut first: Vec<(Value, Value)> = Vec::new();
        let mut spans: Vec<Value> = Vec::new();
        for &(counter, [from, to]) in ends {
            first.push((counter, from));
            spans.push(push(func, at, Op::Sub, Type::I64, &[to, from], Imm::None));
        }
        for turn in &self.turns {
            let extend = if matches!(turn.pred, IntPred::SLt | IntPred::SLe) { Op::Sext } else { Op::Zext };
            let [from, bound] = [turn.first, turn.bound].map(|v| self.repeat(func, v, &[]));
            first.push((turn.counter, from));
            let [from, to] = [from, bound].map(|v| push(func, at, extend, Type::I64, &[v], Imm::None));
            let mut span = push(func, at, Op::Sub, Type::I64, &[to, from], Imm::None);
            if matches!(turn.pred, IntPred::SLt | IntPred::ULt) {
                span = push(func, at, Op::Sub, Type::I64, &[span, one], Imm::None);
            }
            spans.push(push(func, at, Op::MaxS, Type::I64, &[span, zero], Imm::None));
        }
        let start = self.repeat(func, fact.index, &first);
        let wide = push(func, at, extend, Type::I64, &[start], Imm::None);
        let (mut low, mut high) = (wide, wide);
        for (i, (growth, span)) in growths.into_iter().zip(spans).enumerate() {
            let by = match growth {
                Growth::By(0) => continue,
                Growth::By(stride) => push(func, at, Op::Const, Type::I64, &[], Imm::Bits(stride as u64)),
                Growth::Evenly => {
                    let (counter, from) = first[i];
                    let ty = func.ty(from);
                    let one = push(func, at, Op::Const, ty, &[], Imm::Bits(1));
                    first[i].1 = push(func, at, Op::Add, ty, &[from, one], Imm::None);
                    let next = self.repeat(func, fact.index, &first);
                    first[i] = (counter, from);
                    let by = push(func, at, Op::Sub, Type::I32, &[next, start], Imm::None);
                    push(func, at, Op::Sext, Type::I64, &[by], Imm::None)
                }
            };
            // No product of these overflows, nor does a sum of a few.
            let far = push(func, at, Op::Const, Type::I64, &[], Imm::Bits(MAX_SPAN));
            asked.push((IntPred::SLe, span, far));
            let all = push(func, at, Op::Mul, Type::I64, &[by, span], Imm::None);
            for (end, op) in [(&mut low, Op::MinS), (&mut high, Op::MaxS)] {
                let part = push(func, at, op, Type::I64, &[all, zero], Imm::None);
                *end = push(func, at, Op::Add, Type::I64, &[*end, part], Imm::None);
            }
        }
        let (least, most) = if signed { (i64::from(i32::MIN), i64::from(i32::MAX)) } else { (0, i64::from(u32::MAX)) };
        let limits = [least, most].map(|bits| push(func, at, Op::Const, Type::I64, &[], Imm::Bits(bits as u64)));
        asked.extend([(IntPred::SGe, low, limits[0]), (IntPred::SLe, high, limits[1])]);
        if asks_bound {
            let bound = self.repeat(func, fact.bound, &[]);
            let bound = push(func, at, extend, Type::I64, &[bound], Imm::None);
            asked.push(match fact.pred {
                IntPred::SLt | IntPred::ULt => (IntPred::SLt, high, bound),
                IntPred::SLe | IntPred::ULe => (IntPred::SLe, high, bound),
                IntPred::SGt | IntPred::UGt => (IntPred::SGt, low, bound),
                _ => (IntPred::SGe, low, bound),
            });
        }
        let mut holds = Vec::new();
        for (pred, a, b) in asked {
            holds.push(push(func, at, Op::Icmp, Type::I1, &[a, b], Imm::IntPred(pred)));
        }
        holds.into_iter().reduce(|a, b| push(func, at, Op::And, Type::I1, &[a, b], Imm::None))
    }

    /// An extension in a copy of the nest, as a sum of 64 bits.
    pub(super) fn linear(&self, func: &mut Func, fact: &Fact, stride: i64, copies: &Copies) -> Value {
        let data = func.insts[fact.inst].clone();
        let home = self.homes[data.result.expect("an extension").index()].expect("in the nest");
        let mut made = Vec::new();
        let start = self.at_start(func, fact.index, copies, &mut made);
        let (items, first, _) = self.counters[0];
        let [items, first] = [items, first].map(|v| copies.value(v));
        let mut make = |op: Op, args: &[Value], imm: Imm| {
            let inst = func.make_inst(op, Some(Type::I64), args, imm, Attr::default(), data.span);
            made.push(inst);
            func.insts[inst].result.expect("a type was given")
        };
        let start = make(data.op, &[start], Imm::None);
        let n = make(Op::Sub, &[items, first], Imm::None);
        let stride = make(Op::Const, &[], Imm::Bits(stride as u64));
        let all = make(Op::Mul, &[n, stride], Imm::None);
        let sum = make(Op::Add, &[start, all], Imm::None);
        let block = copies.block(home);
        let copy = copies.value(data.result.expect("an extension"));
        let place = func.blocks[block].insts.iter().position(|&i| func.insts[i].result == Some(copy));
        let place = place.expect("a copy is where the original is");
        func.blocks[block].insts.splice(place..place, made);
        sum
    }

    /// The value that the copy of an index has in the first work-item.
    fn at_start(&self, func: &mut Func, v: Value, copies: &Copies, made: &mut Vec<Inst>) -> Value {
        let v = self.resolve(v);
        let (items, first, _) = self.counters[0];
        if v == items {
            return copies.value(first);
        }
        if self.growth(func, v, items, DEPTH) == Some(Growth::By(0)) {
            return copies.value(v);
        }
        let data = func.def_inst(v).expect("a sum").clone();
        let args: Vec<Value> = data.args.iter().map(|&arg| self.at_start(func, arg, copies, made)).collect();
        let inst = func.make_inst(data.op, Some(func.ty(v)), &args, data.imm, Attr::default(), Span::DUMMY);
        made.push(inst);
        func.insts[inst].result.expect("a type was given")
    }
}
