//! Indices that were taken apart and put together again are what they were (the opposite of delinearisation).
//!
//! ```text
//! x = i / (h·d);  y = i % (h·d) / d;  z = i % (h·d) % d
//! a[(x·h + y + 1)·d + z]    →   a[i + d]
//! ```
//! Programs give each work-item a flat index, compute coordinates from it for their edges, and flat indices of
//! neighbours from those. An index is written as a linear form over values (the textbook's affine forms, here with
//! products of two values for rows whose length is an argument), and a quotient times the divisor is, together with
//! the remainder, the dividend: `a / b · b + a % b = a`, also for shifts and masks. A remainder that is written as
//! `a - a / b · b` meets its quotient in the sum by itself. What is left grows as the flat index does, so that
//! neighbours are accessed as neighbours.
//!
//! All of it is modulo 2 to the number of bits, also for a divisor of 0, for which a quotient is 0, and a form goes
//! through an extension only where the sum that is extended is known not to wrap. Indices of addresses, and sums that
//! are extended to such. Needs SSA form; changes no block.

use crate::analysis::range::{Range, Ranges};
use crate::ir::op::Flags;
use crate::ir::{Block, Builder, Func, Inst, InstData, Op, Type, Value};
use smallvec::SmallVec;

/// Deepest look into operands.
const DEPTH: u32 = 12;
/// Most terms of a form.
const TERMS: usize = 24;
/// Most operations that are looked through for one.
const STEPS: u32 = 100;

/// Runs the pass; true if it has changed anything.
pub fn run(func: &mut Func) -> bool {
    if !func.live_insts().any(|(_, inst)| is_remainder(&func.insts[inst]) || is_quotient(&func.insts[inst])) {
        return false;
    }
    let mut any = false;
    for block in func.layout.clone() {
        for inst in func.blocks[block].insts.clone() {
            any |= index_of(func, &func.insts[inst]).is_some_and(|index| rewrite(func, block, inst, index));
        }
    }
    any
}

/// The index of an address, or a sum that may wrap before it is extended.
fn index_of(func: &Func, data: &InstData) -> Option<Value> {
    let (index, exact) = match data.op {
        Op::PtrAdd => (data.args[1], Flags::default()),
        Op::Sext => (data.args[0], Flags::NSW),
        Op::Zext => (data.args[0], Flags::NUW),
        _ => return None,
    };
    let sum = func.def_inst(index).filter(|_| matches!(func.ty(index), Type::I32 | Type::I64))?;
    let is_sum = match sum.op {
        Op::Add | Op::Sub => data.op == Op::PtrAdd || !sum.attr.flags.contains(exact),
        Op::Sext | Op::Zext => data.op == Op::PtrAdd,
        _ => false,
    };
    is_sum.then_some(index)
}

/// True for what may be a remainder.
fn is_remainder(data: &InstData) -> bool {
    matches!(data.op, Op::RemU | Op::RemS | Op::And)
}

/// True for what may be a quotient.
fn is_quotient(data: &InstData) -> bool {
    matches!(data.op, Op::DivU | Op::DivS | Op::Lshr | Op::Ashr)
}

/// Replaces the index of an instruction if its form has quotients with their remainders, or had.
fn rewrite(func: &mut Func, block: Block, inst: Inst, index: Value) -> bool {
    let mut form = Form { func, terms: Vec::new(), left: STEPS };
    let recomposed = form.add(index, Reading::Same, 1, DEPTH).and_then(|()| form.recompose());
    if recomposed.is_none_or(|any| !any && !form.has_lost_quotient()) {
        return false;
    }
    let (terms, ty) = (form.terms, func.ty(index));
    let origin = func.insts[inst].origin;
    let mut b = Builder::before(func, block, inst).with_origin(origin);
    let sum = emit(&mut b, ty, &terms);
    func.insts[inst].args.iter_mut().filter(|arg| **arg == index).for_each(|arg| *arg = sum);
    true
}

/// Makes the sum.
fn emit(b: &mut Builder<'_>, ty: Type, terms: &[Term]) -> Value {
    let constant = terms.iter().filter(|t| t.factors.is_empty()).fold(0i64, |sum, t| sum.wrapping_add(t.times));
    let mut sum = None;
    for term in terms.iter().filter(|t| !t.factors.is_empty() && t.times != 0) {
        let factors: SmallVec<[Value; 2]> = term.factors.iter().map(|leaf| leaf.emit(b, ty)).collect();
        let product = factors.into_iter().reduce(|x, y| b.op(Op::Mul, &[x, y])).expect("a factor");
        let product = if term.times == 1 { product } else { b.op_bits(Op::Mul, product, term.times as u64) };
        sum = Some(sum.map_or(product, |sum| b.op(Op::Add, &[sum, product])));
    }
    match sum {
        Some(sum) if constant != 0 => b.op_bits(Op::Add, sum, constant as u64),
        Some(sum) => sum,
        None => b.bits(ty, constant as u64),
    }
}

/// As what a value of a form's leaves is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Reading {
    /// As it is: it has the form's type.
    Same,
    /// As a signed number of 32 bits, in 64.
    Signed,
    /// As an unsigned number of 32 bits, in 64.
    Unsigned,
}

/// What a form is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Leaf {
    value: Value,
    reading: Reading,
}

impl Leaf {
    fn emit(self, b: &mut Builder<'_>, ty: Type) -> Value {
        match self.reading {
            Reading::Same => self.value,
            Reading::Signed => b.convert(Op::Sext, ty, self.value),
            Reading::Unsigned => b.convert(Op::Zext, ty, self.value),
        }
    }
}

/// A product of up to two leaves and a constant.
#[derive(Clone, Debug)]
struct Term {
    factors: SmallVec<[Leaf; 2]>,
    times: i64,
}

/// A sum of terms.
struct Form<'f> {
    func: &'f Func,
    terms: Vec<Term>,
    /// How many operations may still be looked through.
    left: u32,
}

impl Form<'_> {
    /// Adds a multiple of a value; none if that is too long a sum.
    fn add(&mut self, v: Value, reading: Reading, times: i64, depth: u32) -> Option<()> {
        self.left = self.left.checked_sub(1)?;
        if let Some(bits) = self.constant(v, reading) {
            return self.push(Term { factors: SmallVec::new(), times: bits.wrapping_mul(times) });
        }
        let func = self.func;
        let data = func.def_inst(v).filter(|_| depth > 0);
        let Some(data) = data.filter(|data| reading == Reading::Same || !self.may_wrap(data, reading)) else {
            return self.push_leaf(v, reading, times);
        };
        let constant = |i: usize| data.args.get(i).and_then(|&v| func.const_bits(v));
        let depth = depth - 1;
        match data.op {
            Op::Add | Op::Sub => {
                self.add(data.args[0], reading, times, depth)?;
                let times = if data.op == Op::Sub { times.wrapping_neg() } else { times };
                self.add(data.args[1], reading, times, depth)
            }
            Op::Mul if constant(1).is_some() => {
                let factor = self.constant(data.args[1], reading).expect("a constant");
                self.add(data.args[0], reading, times.wrapping_mul(factor), depth)
            }
            Op::Shl if constant(1).is_some_and(|by| by < 32) => {
                let factor = 1i64 << constant(1).expect("a constant");
                self.add(data.args[0], reading, times.wrapping_mul(factor), depth)
            }
            Op::Mul => self.add_product(data, reading, times, depth),
            Op::Sext | Op::Zext if reading == Reading::Same && func.ty(data.args[0]) == Type::I32 => {
                let reading = if data.op == Op::Sext { Reading::Signed } else { Reading::Unsigned };
                self.add(data.args[0], reading, times, depth)
            }
            // Nothing is lost.
            Op::Trunci if reading != Reading::Same && func.ty(data.args[0]) == Type::I64 => {
                self.add(data.args[0], Reading::Same, times, depth)
            }
            _ => self.push_leaf(v, reading, times),
        }
    }

    /// Adds a multiple of the product of two values that are sums of leaves, or a leaf if there are too many.
    fn add_product(&mut self, data: &InstData, reading: Reading, times: i64, depth: u32) -> Option<()> {
        let mut factor = |i: usize| {
            let mut form = Form { func: self.func, terms: Vec::new(), left: self.left };
            form.add(data.args[i], reading, 1, depth)?;
            self.left = form.left;
            Some(form.terms)
        };
        let (a, b) = (factor(0)?, factor(1)?);
        if a.iter().chain(&b).any(|t| t.factors.len() > 1) || a.len() * b.len() > TERMS {
            return self.push_leaf(data.result.expect("a product"), reading, times);
        }
        for x in &a {
            for y in &b {
                let factors = x.factors.iter().chain(&y.factors).copied().collect();
                self.push(Term { factors, times: x.times.wrapping_mul(y.times).wrapping_mul(times) })?;
            }
        }
        Some(())
    }

    fn push_leaf(&mut self, value: Value, reading: Reading, times: i64) -> Option<()> {
        self.push(Term {
            factors: [Leaf { value, reading: self.natural(value, reading) }].into_iter().collect(),
            times,
        })
    }

    fn push(&mut self, term: Term) -> Option<()> {
        let is_like = |t: &&mut Term| {
            t.factors == term.factors || t.factors.iter().rev().eq(term.factors.iter()) && t.factors.len() == 2
        };
        match self.terms.iter_mut().find(is_like) {
            Some(t) => t.times = t.times.wrapping_add(term.times),
            None => self.terms.push(term),
        }
        (self.terms.len() <= TERMS).then_some(())
    }

    /// A constant as it is read.
    fn constant(&self, v: Value, reading: Reading) -> Option<i64> {
        let bits = self.func.const_bits(v)?;
        match (reading, self.func.ty(v)) {
            (Reading::Unsigned, _) => Some(bits as i64),
            (_, Type::I32) => Some(i64::from(bits as i32)),
            _ => Some(bits as i64),
        }
    }

    /// The reading of what is not negative is one for both.
    fn natural(&self, v: Value, reading: Reading) -> Reading {
        if reading == Reading::Signed && self.range(v, true).least >= 0 { Reading::Unsigned } else { reading }
    }

    fn range(&self, v: Value, signed: bool) -> Range {
        Ranges { func: self.func, signed, known: &|_| None }.of(v)
    }

    /// False if the result of a 32-bit operation is known to be that of unbounded numbers.
    fn may_wrap(&self, data: &InstData, reading: Reading) -> bool {
        let signed = reading == Reading::Signed;
        let flag = if signed { Flags::NSW } else { Flags::NUW };
        if data.attr.flags.contains(flag) {
            return false;
        }
        let &[a, b] = &data.args[..] else { return true };
        let all = Range::apply(data.op, self.range(a, signed), self.range(b, signed));
        !matches!(data.op, Op::Add | Op::Sub | Op::Mul | Op::Shl)
            || !all.is_some_and(|all| Range::full(32, signed).contains(all))
    }

    /// Replaces quotients and remainders by what was divided; true if there were any, none if the sum is too long.
    fn recompose(&mut self) -> Option<bool> {
        let mut any = false;
        while let Some((quotient, remainder, dividend)) = self.pair() {
            let times = self.terms[remainder].times;
            for at in [quotient.max(remainder), quotient.min(remainder)] {
                self.terms.remove(at);
            }
            any = true;
            self.add(dividend.value, dividend.reading, times, DEPTH)?;
        }
        Some(any)
    }

    /// True if multiples of a quotient have met whose sum is nothing.
    fn has_lost_quotient(&self) -> bool {
        let is_of_quotient = |leaf: &Leaf| self.func.def_inst(leaf.value).is_some_and(is_quotient);
        self.terms.iter().any(|t| t.times == 0 && t.factors.iter().any(is_of_quotient))
    }

    /// Terms that are a quotient times the divisor, and the remainder, and what was divided.
    fn pair(&self) -> Option<(usize, usize, Leaf)> {
        let remainders = self.terms.iter().enumerate().filter(|(_, t)| t.factors.len() == 1 && t.times != 0);
        for (at, term) in remainders {
            let leaf = term.factors[0];
            let Some(data) = self.func.def_inst(leaf.value).filter(|data| is_remainder(data)) else { continue };
            for (other, quotient) in self.terms.iter().enumerate().filter(|&(other, _)| other != at) {
                if let Some(dividend) = self.dividend(data, leaf.reading, term.times, quotient) {
                    return Some((other, at, dividend));
                }
            }
        }
        None
    }

    /// What was divided, if a term is `times` the divisor of a remainder and the quotient.
    fn dividend(&self, remainder: &InstData, reading: Reading, times: i64, term: &Term) -> Option<Leaf> {
        let &[dividend, divisor] = &remainder.args[..] else { return None };
        let quotient = |leaf: &Leaf| self.func.def_inst(leaf.value).filter(|data| data.args.first() == Some(&dividend));
        let constant = self.func.const_bits(divisor);
        let signed = match (&term.factors[..], constant) {
            (&[leaf], Some(by)) => {
                let data = quotient(&leaf)?;
                let other = self.func.const_bits(*data.args.get(1)?)?;
                let (signed, row) = match (remainder.op, data.op) {
                    (Op::RemU, Op::DivU) if other == by => (false, by as i64),
                    (Op::RemS, Op::DivS) if other == by => (true, self.constant(divisor, Reading::Same)?),
                    (Op::And, Op::Lshr | Op::Ashr) if other < 32 && by == (1 << other) - 1 => {
                        (data.op == Op::Ashr, 1 << other)
                    }
                    // What the mask leaves, and what it takes away.
                    (Op::And, Op::And) if by.wrapping_add(other) == self.ones(dividend) && by & other == 0 => {
                        (leaf.reading == Reading::Signed, 1)
                    }
                    _ => return None,
                };
                let is_so = row > 0 && self.reads(&leaf, signed) && term.times == times.wrapping_mul(row);
                is_so.then_some(signed)?
            }
            (&[a, b], None) if term.times == times => {
                let (leaf, by) = if b.value == divisor { (a, b) } else { (b, a) };
                let signed = match (remainder.op, quotient(&leaf)?.op) {
                    (Op::RemU, Op::DivU) => false,
                    (Op::RemS, Op::DivS) => true,
                    _ => return None,
                };
                let is_it = by.value == divisor && quotient(&leaf)?.args[1] == divisor;
                (is_it && self.reads(&leaf, signed) && self.reads(&by, signed)).then_some(signed)?
            }
            _ => return None,
        };
        let own = Leaf { value: remainder.result?, reading };
        let reading = match reading {
            Reading::Same => Reading::Same,
            _ if signed => Reading::Signed,
            _ => Reading::Unsigned,
        };
        self.reads(&own, signed).then_some(Leaf { value: dividend, reading })
    }

    /// All bits of a value's type.
    fn ones(&self, v: Value) -> u64 {
        if self.func.ty(v) == Type::I32 { u32::MAX.into() } else { u64::MAX }
    }

    /// True if a leaf is its value as a signed, or as an unsigned number.
    fn reads(&self, leaf: &Leaf, signed: bool) -> bool {
        match leaf.reading {
            Reading::Same => true,
            Reading::Signed => signed,
            Reading::Unsigned => !signed || self.range(leaf.value, true).least >= 0,
        }
    }
}
