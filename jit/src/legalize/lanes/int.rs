//! Integer arithmetic on parts.

use crate::analysis::range::upper_bound;
use crate::ir::{Imm, IntPred, Op, Scalar, Type, Value};
use crate::legalize::Legalizer;
use crate::legalize::expr::Expr;
use crate::legalize::pieces::int_of;
use crate::legalize::round::TRUNCATE;

/// 1.5 times the power of two at which the last digit of an f64 is a unit.
pub(super) const MAGIC: u64 = 6_755_399_441_055_744f64.to_bits();

impl Legalizer<'_> {
    /// An integer op on one part, or a shift of one by a scalar; `None` if there is no way to do it there.
    pub(super) fn int_part(&self, op: Op, elem: Scalar, args: &[Value]) -> Option<Value> {
        use Op::*;
        let bits = elem.bits();
        let (a, b) = (args[0], args.get(1).copied().unwrap_or(args[0]));
        let by_scalar = !self.out.ty(b).is_vector();
        let wide = bits == 64 && !self.target.wide_integers;
        if op == Mul
            && bits >= 32
            && let Some(product) = self.multiply_by_constant(bits, a, b)
        {
            return Some(product);
        }
        Some(match op {
            Add | Sub | And | Or | Xor => self.out.op2(op, a, b),
            Not | Neg | AbsS => self.out.op1(op, a),
            Mul if bits == 8 => multiply_bytes(self.out.expr(a), self.out.expr(b)).v,
            Mul => self.out.op2(Mul, a, b),
            MinS | MinU | MaxS | MaxU if wide => self.select_less(op, a, b),
            MinS | MinU | MaxS | MaxU => self.out.op2(op, a, b),
            Shl | Lshr | Ashr if by_scalar => self.out.op2(op, a, b),
            Ashr if wide && self.target.lane_shifts > 0 => shift_sign(self.out.expr(a), self.out.expr(b)).v,
            Shl | Lshr | Ashr if self.shifts_by_lane(bits) => {
                // Amounts beyond the width mean something else to the machine.
                let most = u64::from(bits - 1);
                let is_within = upper_bound(&self.out.func(), b) <= most;
                self.out.op2(op, a, if is_within { b } else { self.out.op2c(And, b, most) })
            }
            Rotl if self.target.lane_rotates && bits >= 32 && (!by_scalar || self.out.const_bits(b).is_some()) => {
                self.out.op2(Rotl, a, b)
            }
            Rotl if by_scalar => self.out.rotate(a, b),
            Rotl if self.shifts_by_lane(bits) => {
                let rest = self.out.op1(Neg, b);
                let high = self.int_part(Shl, elem, &[a, b])?;
                self.out.op2(Or, high, self.int_part(Lshr, elem, &[a, rest])?)
            }
            AddSatS | AddSatU | SubSatS | SubSatU | RhaddU if bits <= 16 => self.out.op2(op, a, b),
            AddSatU => {
                let sum = self.out.expr(self.out.op2(Add, a, b));
                sum.icmp(IntPred::ULt, self.out.expr(a)).select(sum.like(u64::MAX), sum).v
            }
            SubSatU => self.out.op2(Sub, self.int_part(MaxU, elem, &[a, b])?, b),
            Dot4Uu | Dot4Ss | Dot4Us => self.dot_part(op, a, b),
            MulHiS | MulHiU if bits == 32 && self.target.high_products => self.out.op2(op, a, b),
            MulHiS | MulHiU if bits == 32 => self.multiply_high(op, a, b),
            DivS | DivU | RemS | RemU if bits == 32 => self.divide_words(op, a, b),
            DivS | DivU | RemS | RemU if bits == 64 && self.target.wide_integers => self.divide_longs(op, a, b),
            Popcnt | Ctz if self.target.counts_bits(bits) => self.out.op1(op, a),
            Clz if self.target.leading_zeros && bits >= 32 => self.out.op1(Clz, a),
            Popcnt => count_bits(self.out.expr(a)).v,
            Ctz => {
                // The ones below the lowest set bit.
                let a = self.out.expr(a);
                let less = a + u64::MAX;
                count_bits(!a & less).v
            }
            Clz => leading_zeros(self.out.expr(a)).v,
            Bitrev => reverse_bits(self.out.expr(a)).v,
            Bswap => reverse_bytes(self.out.expr(a)).v,
            _ => return self.bounded(op, a, b),
        })
    }

    /// `MinS` … `MaxU` by a comparison.
    fn select_less(&self, op: Op, a: Value, b: Value) -> Value {
        let pred = match op {
            Op::MinS => IntPred::SLt,
            Op::MinU => IntPred::ULt,
            Op::MaxS => IntPred::SGt,
            _ => IntPred::UGt,
        };
        self.out.select(self.out.icmp(pred, a, b), a, b)
    }

    /// True if lanes of so many bits shift by one amount each in one instruction.
    pub(super) fn shifts_by_lane(&self, bits: u32) -> bool {
        let narrowest = u32::from(self.target.lane_shifts);
        narrowest > 0 && bits >= narrowest
    }

    /// Two shifts and a sum, where the factor is 2ᵐ ± 2ⁿ: a fifth of a product's latency.
    fn multiply_by_constant(&self, bits: u32, a: Value, b: Value) -> Option<Value> {
        let factor = self.out.const_bits(b).filter(|&c| c != 0)?;
        let low = factor.trailing_zeros();
        let odd = factor >> low;
        let (op, high) = match (odd.wrapping_add(1), odd - 1) {
            (above, _) if above.is_power_of_two() => (Op::Sub, above),
            (_, below) if below.is_power_of_two() => (Op::Add, below),
            _ => return None,
        };
        let high = low + high.trailing_zeros();
        if high >= bits {
            return None;
        }
        let large = self.out.op2c(Op::Shl, a, u64::from(high));
        let small = if low == 0 { a } else { self.out.op2c(Op::Shl, a, u64::from(low)) };
        Some(self.out.op2(op, large, small))
    }

    /// The upper halves of products of 32-bit lanes.
    fn multiply_high(&self, op: Op, a: Value, b: Value) -> Value {
        let extend = if op == Op::MulHiS { Op::Sext } else { Op::Zext };
        let ty = self.out.ty(a);
        self.out.alternate(self.by_halves(Scalar::I64, extend, [a, b], |[a, b]| (a * b).bitcast(ty)), 1)
    }

    /// What is computed of the lower and the upper half of the lanes of parts, extended to a wider kind.
    pub(super) fn by_halves<'o, const N: usize>(
        &'o self,
        wide: Scalar,
        extend: Op,
        parts: [Value; N],
        compute: impl Fn([Expr<'o>; N]) -> Expr<'o>,
    ) -> [Value; 2] {
        let half = usize::from(self.out.ty(parts[0]).lanes) / 2;
        let ty = Type::scalar(wide).with_lanes(half as u8);
        [0, half].map(|at| {
            let halves = parts.map(|v| self.out.expr(v).slide(at, half));
            compute(halves.map(|v| v.convert(extend, ty))).v
        })
    }

    /// Total division of 32-bit lanes. A quotient of f64 never rounds up to an integer it does not reach, and its sum
    /// with 1.5 * 2^52 has the integer's low bits in its own.
    fn divide_words(&self, op: Op, a: Value, b: Value) -> Value {
        let convert = if matches!(op, Op::DivS | Op::RemS) { Op::Sitofp } else { Op::Uitofp };
        let quotients = self.by_halves(Scalar::F64, convert, [a, b], |[a, b]| low_bits(a.op(Op::Fdiv, b)));
        self.finish_division(op, a, b, self.out.alternate(quotients, 0))
    }

    /// Total division of 64-bit lanes, in two steps. With a reciprocal that is too small by up to 2^-49 of itself, the
    /// first quotient is too small by up to 2^15; that of what it leaves is too small by less than 1, and one more when
    /// it is cut off.
    fn divide_longs(&self, op: Op, a: Value, b: Value) -> Value {
        let signed = matches!(op, Op::DivS | Op::RemS);
        let magnitude = |v: Value| self.out.expr(if signed { self.out.op1(Op::AbsS, v) } else { v });
        let (x, y) = (magnitude(a), magnitude(b));
        let (ty, float) = (x.ty(), x.ty().with_elem(Scalar::F64));
        let divisor = y.convert(Op::Uitofp, float);
        let reciprocal = divisor.like((1.0 - 2f64.powi(-50)).to_bits()).op(Op::Fdiv, divisor);
        let estimate = |x: Expr<'_>| {
            let quotient = (x.convert(Op::Uitofp, float) * reciprocal).v;
            self.out.expr(self.out.typed(Op::Fptoui, ty, &[quotient], Imm::None, TRUNCATE))
        };
        let first = estimate(x);
        let rest = x - first * y;
        let second = estimate(rest);
        let rest = rest - second * y;
        let quotient = first + second;
        let quotient = rest.icmp(IntPred::UGe, y).select(quotient + 1, quotient);
        let quotient = if signed {
            let sign = (self.out.expr(a) ^ self.out.expr(b)).ashr(63);
            (quotient ^ sign) - sign
        } else {
            quotient
        };
        self.finish_division(op, a, b, quotient.v)
    }

    /// As `divide_words` for 8- and 16-bit numbers in 32-bit lanes, by f32. What is above the low 16 bits means
    /// nothing.
    pub(super) fn divide_narrow(&self, op: Op, a: Value, b: Value) -> Value {
        let single = self.out.ty(a).with_elem(Scalar::F32);
        let [float_a, float_b] = [a, b].map(|v| self.out.expr(v).convert(Op::Sitofp, single));
        self.finish_division(op, a, b, low_bits(float_a.op(Op::Fdiv, float_b)).v)
    }

    /// x/0 = 0, and the remainder from the quotient.
    fn finish_division(&self, op: Op, a: Value, b: Value, quotient: Value) -> Value {
        let zero = self.out.like(b, 0);
        let by_zero = self.out.icmp(IntPred::Eq, b, zero);
        let quotient = self.select_part(by_zero, zero, quotient);
        if matches!(op, Op::DivS | Op::DivU) {
            return quotient;
        }
        self.out.op2(Op::Sub, a, self.out.op2(Op::Mul, quotient, b))
    }
}

/// The same register as lanes of another width.
pub(super) fn as_width(v: Expr<'_>, bits: u32) -> Expr<'_> {
    v.bitcast(Type::scalar(int_of(bits)).with_lanes((v.ty().bytes() * 8 / bits) as u8))
}

/// Floats truncated to integers, in the low words of their lanes. For f64 that 33 bits hold, and f32 below 2^22, of
/// which only the low 16 bits mean anything.
pub(super) fn low_bits(float: Expr<'_>) -> Expr<'_> {
    let whole = float.op1(Op::Trunc);
    let base = if float.bits() == 32 { 12_582_912f32.to_bits().into() } else { MAGIC };
    as_width(whole + base, 32)
}

/// `Ashr` by logical shifts: the sign bit, moved along, spreads upwards in a difference.
fn shift_sign<'o>(a: Expr<'o>, by: Expr<'o>) -> Expr<'o> {
    let top = a.bits() - 1;
    let by = by & u64::from(top);
    let sign = a.like(1 << top).lshr(by);
    (a.lshr(by) ^ sign) - sign
}

/// Bytes by way of words: even ones where they are, odd ones of which one factor is moved down.
fn multiply_bytes<'o>(a: Expr<'o>, b: Expr<'o>) -> Expr<'o> {
    let ty = a.ty();
    let (a, b) = (as_width(a, 16), as_width(b, 16));
    let even = (a * b) & 0xff;
    let odd = a.lshr(8) * (b & 0xff00);
    (even | odd).bitcast(ty)
}

/// Zeros above the highest set bit, which all below it take over.
fn leading_zeros(a: Expr<'_>) -> Expr<'_> {
    let distances = (0..a.bits().ilog2()).map(|n| 1 << n);
    let smeared = distances.fold(a, |smeared, distance: u64| smeared | smeared.lshr(distance));
    count_bits(!smeared)
}

/// Set bits per lane: per byte, then summed up.
fn count_bits(v: Expr<'_>) -> Expr<'_> {
    let mut sums = as_width(v, 8).op1(Op::Popcnt).bitcast(v.ty());
    let mut distance = v.bits() / 2;
    while distance >= 8 {
        sums = sums + sums.lshr(u64::from(distance));
        distance /= 2;
    }
    if v.bits() > 8 { sums & 0x7f } else { sums }
}

/// Bits in reverse order: within bytes, then the bytes.
fn reverse_bits(v: Expr<'_>) -> Expr<'_> {
    let mut words = as_width(v, 16);
    for (distance, mask) in [(4, 0x0f0f), (2, 0x3333), (1, 0x5555)] {
        let up = (words & mask) << distance;
        words = up | words.lshr(distance) & mask;
    }
    reverse_bytes(words.bitcast(v.ty()))
}

/// The bytes of each lane in reverse order.
fn reverse_bytes(v: Expr<'_>) -> Expr<'_> {
    let size = (v.bits() / 8) as usize;
    if size == 1 {
        return v;
    }
    let bytes = as_width(v, 8);
    let lanes = usize::from(bytes.ty().lanes);
    let picks = (0..lanes).map(|i| i / size * size + size - 1 - i % size);
    v.out.expr(v.out.shuffle(bytes.ty(), [bytes.v, bytes.v], picks)).bitcast(v.ty())
}
