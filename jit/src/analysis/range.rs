//! Ranges of integers that follow from the operations that make them (interval arithmetic, the textbook's value
//! ranges), zeros among their lowest bits (known bits), and sums that are known not to wrap. Must not know blocks.

use crate::ir::op::Flags;
use crate::ir::{Func, Imm, InstData, Op, Type, Value};
use crate::launch::{MAX_LOCAL_SIZE, MAX_WORK_ITEM_ID};

/// Levels of operations that are looked through.
const DEPTH: u32 = 6;
/// Most operations of a sum that is known not to wrap.
const MAX_TERMS: u32 = 64;

/// The greatest number that an unsigned integer, or any lane of a vector of such, can be.
pub fn upper_bound(func: &Func, v: Value) -> u64 {
    Ranges { func, signed: false, known: &|_| None }.of(v).most as u64
}

/// The numbers from one to another, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// The first.
    pub least: i128,
    /// The last.
    pub most: i128,
}

impl Range {
    /// The numbers from one to another.
    pub const fn new(least: i128, most: i128) -> Self {
        Self { least, most }
    }
    /// All numbers of so many bits.
    pub fn full(bits: u32, signed: bool) -> Self {
        if signed { Self::new(-1 << (bits - 1), (1 << (bits - 1)) - 1) } else { Self::new(0, (1 << bits) - 1) }
    }
    /// One number, from its bits.
    pub fn constant(bits: u32, signed: bool, value: u64) -> Self {
        let unused = 64 - bits;
        let value =
            if signed { i128::from((value as i64) << unused >> unused) } else { i128::from(value << unused >> unused) };
        Self::new(value, value)
    }
    /// True if all numbers of the other one are among these.
    pub fn contains(self, other: Self) -> bool {
        self.least <= other.least && other.most <= self.most
    }

    /// Those of the numbers that are in another range; all of that if there are none, as in code that is never reached.
    pub fn within(self, other: Self) -> Self {
        let both = Self::new(self.least.max(other.least), self.most.min(other.most));
        if both.least <= both.most { both } else { other }
    }

    /// What an operation makes of two numbers from these ranges if it does not wrap; none if that is not known.
    pub fn apply(op: Op, a: Self, b: Self) -> Option<Self> {
        let is_natural = a.least >= 0 && b.least >= 0;
        let by = u32::try_from(b.least).ok().filter(|&by| a.least >= 0 && b.least == b.most && by < 64);
        Some(match op {
            Op::Add => Self::new(a.least + b.least, a.most + b.most),
            Op::Sub => Self::new(a.least - b.most, a.most - b.least),
            Op::Mul => {
                let corner = |x: i128, y: i128| x.checked_mul(y);
                let [p, q] = [corner(a.least, b.least)?, corner(a.least, b.most)?];
                let [r, s] = [corner(a.most, b.least)?, corner(a.most, b.most)?];
                Self::new(p.min(q).min(r).min(s), p.max(q).max(r).max(s))
            }
            Op::Shl if b.least == b.most && (0..64).contains(&b.least) => {
                let times = 1i128 << b.least;
                Self::new(a.least.checked_mul(times)?, a.most.checked_mul(times)?)
            }
            Op::Lshr => by.map(|by| Self::new(a.least >> by, a.most >> by))?,
            Op::And if is_natural => Self::new(0, a.most.min(b.most)),
            Op::And if b.least >= 0 => Self::new(0, b.most),
            Op::And if a.least >= 0 => Self::new(0, a.most),
            // No bit above the highest of both.
            Op::Or | Op::Xor if is_natural => Self::new(0, i128::MAX >> ((a.most | b.most).leading_zeros() - 1)),
            // 0 where the divisor is.
            Op::DivU if is_natural => Self::new(0, a.most / b.least.max(1)),
            Op::RemU if is_natural && b.least > 0 => Self::new(0, a.most.min(b.most - 1)),
            Op::RemU if is_natural => Self::new(0, a.most),
            _ => return None,
        })
    }
}

/// Ranges of integers, and of the lanes of vectors of such.
pub struct Ranges<'a> {
    /// The function.
    pub func: &'a Func,
    /// Whether numbers are read as signed ones.
    pub signed: bool,
    /// What is known of a value besides.
    pub known: &'a dyn Fn(Value) -> Option<Range>,
}

impl Ranges<'_> {
    /// The range of a value.
    pub fn of(&self, v: Value) -> Range {
        self.within(v, DEPTH)
    }

    fn within(&self, v: Value, depth: u32) -> Range {
        let &Self { func, signed, .. } = self;
        let ty = func.ty(v);
        let bits = ty.elem.bits().min(64);
        let full = Range::full(bits, signed);
        if let Some(value) = func.const_bits(v) {
            return Range::constant(bits, signed, value);
        }
        if let Some(known) = (self.known)(v) {
            return known;
        }
        let Some(data) = func.def_inst(v).filter(|_| depth > 0 && ty.is_int() && bits > 1) else { return full };
        let of = |i: usize| self.within(data.args[i], depth - 1);
        // Numbers up to here are the same whether they are read as signed or not.
        let alike = |r: Range| r.least >= 0 && r.most <= Range::full(bits, true).most;
        let found = match data.op {
            Op::Iota => Some(Range::new(0, i128::from(ty.lanes) - 1)),
            op if op.is_sub_group_query() || matches!(op, Op::Lid | Op::Lsz | Op::Elsz) => {
                Some(Range::new(0, MAX_LOCAL_SIZE.into()))
            }
            Op::Gid | Op::Grp | Op::Gsz | Op::Ngrp | Op::Goff => Some(Range::new(0, MAX_WORK_ITEM_ID.into())),
            Op::Clz | Op::Ctz | Op::Popcnt => Some(Range::new(0, bits.into())),
            // The facts together: the value is not negative either way.
            Op::Trunci if data.attr.flags.contains(Flags::NSW | Flags::NUW) => {
                Some(of(0).within(Range::new(0, Range::full(bits, true).most)))
            }
            Op::Splat | Op::Trunci | Op::Extract => Some(of(0)),
            Op::Shuffle => Some((of(0), of(1))).map(|(a, b)| Range::new(a.least.min(b.least), a.most.max(b.most))),
            Op::Sext | Op::Zext => {
                let (arg, narrow) = (of(0), func.ty(data.args[0]).elem.bits());
                match (data.op, signed) {
                    (Op::Zext, true) if arg.least < 0 => Some(Range::full(narrow, false)),
                    (Op::Sext, false) => Some(arg).filter(|arg| arg.most <= Range::full(narrow, true).most),
                    _ => Some(arg),
                }
            }
            Op::Select => Some((of(1), of(2))).map(|(a, b)| Range::new(a.least.min(b.least), a.most.max(b.most))),
            op @ (Op::MinU | Op::MaxU | Op::MinS | Op::MaxS) => {
                let (a, b) = (of(0), of(1));
                let pick = if matches!(op, Op::MinU | Op::MinS) { i128::min } else { i128::max };
                let fits = matches!(op, Op::MinS | Op::MaxS) == signed || alike(a) && alike(b);
                fits.then(|| Range::new(pick(a.least, b.least), pick(a.most, b.most)))
            }
            Op::Dot4Uu => Some(Range::new(0, 4 * 255 * 255)),
            Op::Dot4Ss => Some(Range::new(4 * -128 * 127, 4 * 128 * 128)),
            Op::Dot4Us => Some(Range::new(4 * -128 * 255, 4 * 127 * 255)),
            // Of as many bits and more, only the lowest ones of the number count.
            Op::Shl if of(1).most >= i128::from(bits) => None,
            Op::Lshr => {
                let (a, any) = (of(0), Range::new(0, i128::from(bits) - 1));
                let by = Some(of(1)).filter(|&by| any.contains(by)).unwrap_or(any);
                (a.least >= 0).then(|| Range::new(a.least >> by.most, a.most >> by.least))
            }
            op @ (Op::Add | Op::Sub | Op::Mul | Op::Shl) => {
                let does_not_wrap = data.attr.flags.contains(if signed { Flags::NSW } else { Flags::NUW });
                Range::apply(op, of(0), of(1)).map(|found| if does_not_wrap { found.within(full) } else { found })
            }
            op if data.args.len() == 2 => Range::apply(op, of(0), of(1)),
            _ => None,
        };
        found.filter(|&found| full.contains(found)).unwrap_or(full)
    }
}

/// Of which 32-bit values, read signed or unsigned, the sum that their operations say in unbounded integers is known to
/// be the value itself, since none of them wraps in a work-item that gets there. `simd::widen::wide` computes that sum
/// in 64 bits.
pub struct Exact<'a> {
    /// The function.
    pub func: &'a Func,
    /// Whether numbers are read as signed ones.
    pub signed: bool,
    /// What to take a value for.
    pub resolve: &'a dyn Fn(Value) -> Value,
    /// What all lanes share needs no sum.
    pub is_uniform: &'a dyn Fn(Value) -> bool,
}

impl Exact<'_> {
    /// The range of such a value; none for others.
    pub fn range(&self, v: Value) -> Option<Range> {
        self.within(v, &mut { MAX_TERMS })
    }

    fn within(&self, v: Value, left: &mut u32) -> Option<Range> {
        let &Self { func, signed, .. } = self;
        let v = (self.resolve)(v);
        let full = Range::full(32, signed);
        if func.ty(v) != Type::I32 || *left == 0 {
            return None;
        }
        *left -= 1;
        if (self.is_uniform)(v) {
            return Some(func.const_bits(v).map_or(full, |bits| Range::constant(32, signed, bits)));
        }
        let data = func.def_inst(v)?;
        let does_not_wrap = data.attr.flags.contains(if signed { Flags::NSW } else { Flags::NUW });
        match data.op {
            Op::Trunci => {
                // The facts together: the value is not negative either way.
                let both = data.attr.flags.contains(Flags::NSW | Flags::NUW);
                does_not_wrap.then_some(if both { Range::new(0, i128::from(i32::MAX)) } else { full })
            }
            Op::And => {
                // Of a number that is exact, and so in 64 bits the same there.
                let mask = func.const_bits(data.args[1]).map(|bits| Range::constant(32, true, bits))?;
                self.within(data.args[0], left).filter(|_| mask.least >= 0).map(|_| Range::new(0, mask.most))
            }
            Op::Add | Op::Sub | Op::Mul | Op::Shl => {
                let mut term = |i: usize| match func.const_bits(data.args[i]) {
                    // An unsigned addend with the highest bit set is a subtrahend.
                    Some(bits) if data.op == Op::Add => Some(Range::constant(32, true, bits)),
                    _ => self.within(data.args[i], left),
                };
                let found =
                    Range::apply(data.op, term(0)?, term(1)?).filter(|_| data.op != Op::Shl || shifts(func, data))?;
                let kept = found.within(full);
                (does_not_wrap || kept == found).then_some(kept)
            }
            _ => None,
        }
    }
}

/// True for a shift of 32 bits by a constant number of them.
fn shifts(func: &Func, data: &InstData) -> bool {
    func.const_bits(data.args[1]).is_some_and(|by| by < 32)
}

/// How many of the lowest bits of a scalar integer operation's result are zero; 64 for 0. `of` says it of the operands.
pub fn low_zeros(func: &Func, data: &InstData, of: impl Fn(Value) -> u32) -> u32 {
    let of = |i: usize| of(data.args[i]);
    let Some(bits) =
        data.result.map(|v| func.ty(v)).filter(|ty| ty.is_int() && !ty.is_vector()).map(|ty| ty.elem.bits())
    else {
        return 0;
    };
    match (data.op, &data.imm) {
        (Op::Const, Imm::Bits(value)) => value.trailing_zeros(),
        (Op::Add | Op::Sub | Op::Or, _) => of(0).min(of(1)),
        (Op::And, _) => of(0).max(of(1)),
        (Op::Mul, _) => of(0) + of(1),
        (Op::Shl, _) => of(0) + func.const_bits(data.args[1]).map_or(0, |by| by as u32 & (bits - 1)),
        (Op::Select, _) => of(1).min(of(2)),
        (Op::Neg | Op::Sext | Op::Zext | Op::Trunci, _) => of(0),
        _ => 0,
    }
    .min(u64::BITS)
}
