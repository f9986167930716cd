//! Division of lanes by what all of them divide by: a product with the divisor's reciprocal, which is made once, where
//! the divisor is (division by invariant integers).
//!
//! The reciprocal is an f64 that is too far from 0 by between 2^-52 and 3 * 2^-52 of itself. So a product with a 32-bit
//! number is never nearer to 0 than the quotient is; and as that is a multiple of 1/d, the product does not reach the
//! next integer either: |x| * 2^-50 is less than 1. Cut off to an integer it is exact. What is divided by 0 is
//! multiplied by 0.
//!
//! Constants have integers as reciprocals where products have upper halves, which takes fewer instructions (Granlund
//! and Montgomery, "Division by Invariant Integers using Multiplication", PLDI 1994).

use super::super::Legalizer;
use super::super::expr::Expr;
use super::super::pieces::Pieces;
use super::int::{MAGIC, as_width, low_bits};
use crate::ir::{Attr, Func, Imm, InstData, IntPred, Op, Rounding, Scalar, Type, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::OnceCell;

/// How much too far from 0 reciprocals are made, but for roundings.
const AWAY: f64 = 1.0 + 2.0 * f64::EPSILON;

/// The reciprocals of a function's divisors: of scalars, as signed numbers or not.
#[derive(Default)]
pub struct Reciprocals {
    wanted: FxHashSet<(Value, bool)>,
    made: FxHashMap<(Value, bool), Value>,
}

/// True for divisions of signed numbers, false for others of integers.
fn is_signed(op: Op) -> Option<bool> {
    match op {
        Op::DivS | Op::RemS => Some(true),
        Op::DivU | Op::RemU => Some(false),
        _ => None,
    }
}

/// Whether 32-bit lanes are divided by a scalar as signed numbers, and that scalar.
fn splat_divisor(func: &Func, data: &InstData) -> Option<(Value, bool)> {
    let signed = is_signed(data.op)?;
    let ty = func.ty(data.args[1]);
    let splat = func.def_inst(data.args[1]).filter(|def| def.op == Op::Splat && ty.elem == Scalar::I32)?;
    Some((splat.args[0], signed))
}

impl Reciprocals {
    /// Those that a function's divisions ask for.
    pub fn of(func: &Func) -> Self {
        let divisors = func.live_insts().filter_map(|(_, inst)| splat_divisor(func, &func.insts[inst]));
        Self { wanted: divisors.collect(), made: FxHashMap::default() }
    }
}

impl Legalizer<'_> {
    /// Makes the reciprocals of a value that has just been mapped, if they are asked for.
    pub(in super::super) fn make_reciprocals(&mut self, old: Value) {
        for signed in [true, false] {
            if self.reciprocals.wanted.contains(&(old, signed)) {
                let reciprocal = self.reciprocal(self.out.expr(self.scalar(old)), signed);
                self.reciprocals.made.insert((old, signed), reciprocal);
            }
        }
    }

    /// The reciprocal of a 32-bit number; 0 of 0.
    fn reciprocal(&self, divisor: Expr<'_>, signed: bool) -> Value {
        let long = divisor.convert(if signed { Op::Sext } else { Op::Zext }, Type::I64);
        let float = long.convert(Op::Sitofp, Type::F64);
        let away = float.like(AWAY.to_bits());
        let quotient = float.like(1f64.to_bits()).op(Op::Fdiv, float) * away;
        divisor.icmp(IntPred::Eq, 0).select(float.like(0), quotient).v
    }

    /// Parts of a division of 32-bit lanes by one number; none if it is not one.
    pub(super) fn divide_by_one(&self, inst: &InstData) -> Option<Pieces> {
        let signed = is_signed(inst.op)?;
        let ty = self.old.ty(inst.args[1]);
        if ty.elem != Scalar::I32 {
            return None;
        }
        let constant = self.old.const_bits(inst.args[1]).map(|bits| bits as u32);
        let reciprocal = match constant {
            Some(bits) => {
                let divisor = if signed { f64::from(bits as i32) } else { f64::from(bits) };
                let bits = if divisor == 0.0 { 0 } else { (AWAY / divisor).to_bits() };
                self.out.bits(Type::F64, bits)
            }
            None => self.reciprocals.made[&splat_divisor(self.old, inst)?],
        };
        let [a, b] = [inst.args[0], inst.args[1]].map(|v| self.parts(v, 32));
        let half = Type::F64.with_lanes(self.out.ty(a[0]).lanes / 2);
        let reciprocals = OnceCell::new();
        let factor = || *reciprocals.get_or_init(|| self.out.convert(Op::Splat, half, reciprocal));
        let divide = |(&a, &b): (&Value, &Value)| {
            let power = constant.filter(|bits| signed && bits.is_power_of_two() && *bits > 1 && *bits < 1 << 31);
            let quotient = match power {
                Some(bits) => shift_to_quotient(self.out.expr(a), bits.trailing_zeros()).v,
                None if let Some(bits) = constant.filter(|_| self.target.high_products) => {
                    divide_by_constant(signed, self.out.expr(a), bits).v
                }
                None => self.multiply_to_quotient(signed, a, self.out.expr(factor())),
            };
            match (inst.op, power) {
                (Op::DivS | Op::DivU, _) => quotient,
                (_, Some(bits)) => {
                    let multiple = self.out.op2c(Op::Shl, quotient, u64::from(bits.trailing_zeros()));
                    self.out.op2(Op::Sub, a, multiple)
                }
                _ => self.out.op2(Op::Sub, a, self.out.op2(Op::Mul, quotient, b)),
            }
        };
        Some(a.iter().zip(&b).map(divide).collect())
    }

    fn multiply_to_quotient(&self, signed: bool, a: Value, factor: Expr<'_>) -> Value {
        let convert = if signed { Op::Sitofp } else { Op::Uitofp };
        let halves = self.by_halves(Scalar::F64, convert, [a], |[a]| {
            if signed || !self.target.directed {
                return low_bits(a * factor);
            }
            // Without a sign, to cut off is to round down, and the sum can do that.
            let magic = a.like(MAGIC);
            let attr = Attr { rm: Rounding::Rtn, ..Attr::default() };
            let sum = self.out.typed(Op::Fma, a.ty(), &[a.v, factor.v, magic.v], Imm::None, attr);
            as_width(self.out.expr(sum), 32)
        });
        self.out.alternate(halves, 0)
    }
}

/// Signed numbers divided by a power of two: towards zero, so that less than 0 becomes more first.
fn shift_to_quotient(a: Expr<'_>, power: u32) -> Expr<'_> {
    let rest = a.ashr(u64::from(a.bits() - 1)).lshr(u64::from(a.bits() - power));
    (a + rest).ashr(u64::from(power))
}

/// Quotients of a constant, by upper halves of products.
fn divide_by_constant(signed: bool, x: Expr<'_>, d: u32) -> Expr<'_> {
    match d {
        0 => x.like(0),
        1 => x,
        d if !signed => divide_unsigned(x, d),
        d => {
            let quotient = divide_signed(x, (d as i32).unsigned_abs());
            if (d as i32) < 0 { x.like(0) - quotient } else { quotient }
        }
    }
}

fn divide_unsigned(x: Expr<'_>, d: u32) -> Expr<'_> {
    let log = d.ilog2();
    if d.is_power_of_two() {
        return x.lshr(u64::from(log));
    }
    let (factor, beyond) = integer_reciprocal(d, 32 + log);
    if beyond <= 1 << log {
        return x.op(Op::MulHiU, factor).lshr(u64::from(log));
    }
    // One more bit: x is added, which must not carry.
    let high = x.op(Op::MulHiU, integer_reciprocal(d, 33 + log).0);
    ((x - high).lshr(1) + high).lshr(u64::from(log))
}

/// By an absolute value.
fn divide_signed(x: Expr<'_>, d: u32) -> Expr<'_> {
    let log = d.ilog2();
    if d == 1 {
        return x;
    }
    if d.is_power_of_two() {
        return shift_to_quotient(x, log);
    }
    let (small, beyond) = integer_reciprocal(d, 31 + log);
    let floor = if beyond <= 1 << log {
        x.op(Op::MulHiS, small).ashr(u64::from(log - 1))
    } else {
        // As a signed number the factor is too small by 2^32.
        (x.op(Op::MulHiS, integer_reciprocal(d, 32 + log).0) + x).ashr(u64::from(log))
    };
    // One more for negative dividends.
    floor + x.lshr(31)
}

/// The lowest 32 bits of the least number that is greater than 2^bits / d, and by how much its product with d exceeds
/// 2^bits: x times that number, shifted down by `bits`, is the quotient while x times the excess is no more than
/// 2^bits.
fn integer_reciprocal(d: u32, bits: u32) -> (u64, u128) {
    let (power, d) = (1u128 << bits, u128::from(d));
    let factor = power / d + 1;
    (factor as u64 & u64::from(u32::MAX), factor * d - power)
}
