//! Directed roundings without touching the host's control register. An operation is done to nearest; whether that
//! result lies on the wrong side of the true value is found exactly, and if so it is moved by one unit in the last
//! place. Such a step also leads from an overflow's infinity back to the largest finite number, and from zero to the
//! smallest one. No branches, and the same sequence for a scalar and for a part of a vector, where a scalar's mask is
//! lane 0 of a vector's. Spec: cl_khr_select_fprounding_mode.
//!
//! How the true value is compared with the result s:
//! - a sum: b > s-a or a > s-b. One of the differences is exact (Fast2Sum), the other one is rounded monotonically and
//!   thus never tells the wrong thing; infinities make NaNs, which compare as false.
//! - an f32 product: exact in f64. An f32 fused multiply-add: a sum of that product, in f64.
//! - an f64 product, and any quotient: the residual by fma, scaled where it would underflow.
//! - an f64 fused multiply-add: as a sum of product, error of the product and addend.
//! - conversions: the source and the result in a format that holds both.

use super::Legalizer;
use super::expr::Expr;
use super::out::Out;
use crate::ir::{Attr, FloatPred, Imm, IntPred, Op, Rounding, Scalar, Type, Value};
use smallvec::SmallVec;

const F64_SIGN: u64 = 1 << 63;

/// Attributes of a conversion from float as the legal form has it.
pub(super) const TRUNCATE: Attr = Attr {
    flags: crate::ir::op::Flags::empty(),
    rm: Rounding::Rtz,
    align: 0,
    order: crate::ir::Order::SeqCst,
    scope: crate::ir::Scope::Device,
};

/// The halves of a register, in wider lanes.
type Halves<'o> = SmallVec<[Expr<'o>; 2]>;

impl Legalizer<'_> {
    /// An arithmetic op with a directed rounding, on scalars or on parts.
    pub(super) fn rounded(&self, op: Op, rm: Rounding, args: &[Value]) -> Option<Value> {
        let ty = self.out.ty(args[0]);
        let wide = ty.elem == Scalar::F64;
        let halves = if ty.is_vector() { 2 } else { 1 };
        let v: SmallVec<[Expr<'_>; 3]> = args.iter().map(|&a| self.out.expr(self.out.as_lanes(a))).collect();
        let result = match op {
            Op::Fadd => sum(v[0], v[1], rm),
            Op::Fsub => sum(v[0], -v[1], rm),
            Op::Fmul if wide => product(v[0], v[1], rm),
            Op::Fmul => single_product(v[0], v[1], halves, rm),
            Op::Fdiv => quotient(v[0], v[1], rm),
            Op::Fma if wide => fused(v[0], v[1], v[2], rm),
            Op::Fma => single_fused(v[0], v[1], v[2], halves, rm),
            _ => return None,
        };
        Some(of_lanes(result, ty))
    }

    /// f64 to f32.
    pub(super) fn narrow(&self, double: Value, rm: Rounding) -> Value {
        if rm == Rounding::Rte || self.target.directed {
            return self.out.typed(Op::Fptrunc, Type::F32, &[double], Imm::None, Attr { rm, ..Attr::default() });
        }
        let truth = self.out.expr(self.out.as_lanes(double));
        of_lanes(narrowed(truth, rm, |wrong| narrow_mask(&[wrong])), Type::F32)
    }

    /// As `narrow`, of the lanes of a vector: the result is in the low lanes of four.
    pub(super) fn narrow_part(&self, truth: Value, rm: Rounding) -> Value {
        let words = Type::I32.with_lanes(4);
        let low = |wrong: Expr<'_>| self.out.expr(self.out.alternate_as(words, [wrong.v, wrong.v]));
        narrowed(self.out.expr(truth), rm, low).v
    }

    /// Integers of 32 or 64 bits to f32 or f64 where that is not exact: a scalar, or a part of 32-bit ones.
    pub(super) fn int_to_rounded(&self, op: Op, to: Scalar, v: Value, rm: Rounding) -> Value {
        let from = self.out.ty(v);
        let (high, low) = exact_halves(op, self.out.expr(self.out.as_lanes(v)));
        let sum = high + low;
        let single = to == Scalar::F32 && from.elem == Scalar::I64;
        // Rounded twice, a result may be the neighbour on the other side of the true value, which does as well.
        let near = if single { sum.convert(Op::Fptrunc, Type::F32.with_lanes(4)) } else { sum };
        let back = if single { widen(near, 1)[0] } else { near };
        // Exact: an integer with few digits.
        let low_part = back - high;
        let (low, low_part) = match rm {
            Rounding::Rtz => {
                let signs = signs(back);
                (flip(low, signs), flip(low_part, signs))
            }
            _ => (low, low_part),
        };
        let wrong = low.fcmp(beyond(rm), low_part);
        let wrong = if single { narrow_mask(&[wrong]) } else { wrong };
        of_lanes(step(near, wrong, rm), from.with_elem(to))
    }

    /// a + b, scalars or vectors, an inexact sum made odd. For operands far from overflow.
    pub(super) fn sum_to_odd(&self, a: Value, b: Value) -> Value {
        let (sum, error) = two_sum(self.out.expr(a), self.out.expr(b));
        let size = error.abs();
        let inexact = size.like(0).fcmp(FloatPred::OLt, size);
        let (bits, error) = (sum.as_int(), error.as_int());
        // Towards zero first, if the sum was rounded away from it.
        let truncated = bits + (bits ^ error).ashr(u64::from(bits.bits()) - 1);
        inexact.select(truncated | 1, bits).bitcast(sum.ty()).v
    }

    /// The sign that rounding towards -inf gives a sum that is exactly zero: minus, unless both operands are +0.
    pub(super) fn negative_zero_sum(&self, a: Value, b: Value, sum: Value) -> Value {
        let [a, b, sum] = [a, b, sum].map(|v| self.out.expr(v));
        let is_zero = sum.fcmp(FloatPred::OEq, 0);
        let sign = (a.as_int() | b.as_int()) & F64_SIGN;
        is_zero.select(sign, sum.as_int()).bitcast(Type::F64).v
    }
}

// ---- scalars as lane 0 of a vector

impl Out {
    /// A value as a vector: a scalar in lane 0. The other lanes hold zeros or what stands there already.
    pub(super) fn as_lanes(&self, v: Value) -> Value {
        let scalar = self.ty(v);
        if scalar.is_vector() {
            return v;
        }
        let ty = scalar.with_lanes((16 / scalar.elem.bytes()) as u8);
        match (self.operand_of(v, Op::Extract, &Imm::Lane(0)), self.const_bits(v)) {
            (Some(whole), _) if self.ty(whole) == ty => whole,
            (_, Some(bits)) => self.bits(ty, bits),
            _ => self.first_lane(ty, v),
        }
    }
}

/// A vector as a value of type `ty`: itself, or its lane 0.
fn of_lanes(v: Expr<'_>, ty: Type) -> Value {
    if ty.is_vector() { v.v } else { v.out.extract(v.v, 0) }
}

/// The sign bits of `v`.
fn signs(v: Expr<'_>) -> Expr<'_> {
    let bits = v.as_int();
    bits & (1 << (bits.bits() - 1))
}

/// `v` with its sign changed where `signs` has one.
fn flip<'o>(v: Expr<'o>, signs: Expr<'o>) -> Expr<'o> {
    (v.as_int() ^ signs).bitcast(v.ty())
}

/// 2^exp in the type of `like`.
fn power(like: Expr<'_>, exp: i32) -> Expr<'_> {
    like.like(power_bits(like.ty().elem, exp))
}

/// 2^exp where `mask` holds, else 1.
fn scale<'o>(mask: Expr<'o>, exp: i32, like: Expr<'o>) -> Expr<'o> {
    let elem = like.ty().elem;
    let one = power_bits(elem, 0);
    ((mask & (power_bits(elem, exp) ^ one)) ^ one).bitcast(like.ty())
}

/// The lower half of the lanes of a register of f32 as f64, and if there are two `halves` the upper one.
fn widen(v: Expr<'_>, halves: usize) -> Halves<'_> {
    let double = same_register(v.ty(), Scalar::F64);
    let lanes = usize::from(double.lanes);
    (0..halves).map(|half| v.slide(half * lanes, lanes).convert(Op::Fpext, double)).collect()
}

/// Masks on what `widen` makes as a mask on what it was made of.
fn narrow_mask<'o>(masks: &[Expr<'o>]) -> Expr<'o> {
    let words = same_register(masks[0].ty(), Scalar::I32);
    match masks[..] {
        [low, high] => low.out.expr(low.out.alternate_as(words, [low.v, high.v])),
        // Lane 0 of f64 is lane 0 of f32.
        _ => masks[0].bitcast(words),
    }
}

// ---- the last step

/// How a true value compares with a result on its wrong side; with `Rtz`, where both are made positive.
fn beyond(rm: Rounding) -> FloatPred {
    if rm == Rounding::Rtp { FloatPred::OGt } else { FloatPred::OLt }
}

/// Moves a result by one unit in the direction of the mode where `wrong` holds.
fn step<'o>(near: Expr<'o>, wrong: Expr<'o>, rm: Rounding) -> Expr<'o> {
    let bits = near.as_int();
    // Patterns grow away from zero, and a mask is -1.
    let delta = match rm {
        Rounding::Rtz | Rounding::Rte => wrong,
        Rounding::Rtp => wrong & (bits.icmp(IntPred::SLt, 0) | 1),
        Rounding::Rtn => wrong & (bits.icmp(IntPred::SGt, u64::MAX) | 1),
    };
    (bits + delta).bitcast(near.ty())
}

/// Whether the result `near` lies on the wrong side of the true value; both in the same format and of the same sign.
fn is_wrong<'o>(truth: Expr<'o>, near: Expr<'o>, rm: Rounding) -> Expr<'o> {
    match rm {
        Rounding::Rtp | Rounding::Rtn => truth.fcmp(beyond(rm), near),
        Rounding::Rtz | Rounding::Rte => {
            // Of one sign, the larger magnitude has the larger pattern. (One NaN may become another.)
            let truth = truth.as_int();
            near.as_int().icmp(IntPred::SGt, truth)
        }
    }
}

/// `is_wrong` for a true value that is a sum.
fn is_wrong_sum<'o>(a: Expr<'o>, b: Expr<'o>, near: Expr<'o>, rm: Rounding) -> Expr<'o> {
    let (a, b, near) = if rm == Rounding::Rtz {
        let signs = signs(near);
        (flip(a, signs), flip(b, signs), near.abs())
    } else {
        (a, b, near)
    };
    let (b_part, a_part) = (near - a, near - b);
    b.fcmp(beyond(rm), b_part) | a.fcmp(beyond(rm), a_part)
}

// ---- arithmetic

fn sum<'o>(a: Expr<'o>, b: Expr<'o>, rm: Rounding) -> Expr<'o> {
    // The negative of the negative sum differs in the sign of an exact zero.
    let near = if rm == Rounding::Rtn { -(-b - a) } else { a + b };
    step(near, is_wrong_sum(a, b, near, rm), rm)
}

fn single_product<'o>(a: Expr<'o>, b: Expr<'o>, halves: usize, rm: Rounding) -> Expr<'o> {
    let near = a * b;
    let [wide_a, wide_b, wide_near] = [a, b, near].map(|v| widen(v, halves));
    let masks: Halves<'_> = (0..halves).map(|i| is_wrong(wide_a[i] * wide_b[i], wide_near[i], rm)).collect();
    step(near, narrow_mask(&masks), rm)
}

/// a*b + c to nearest, with the sign of an exact zero that the mode wants.
fn nearest_fused<'o>(a: Expr<'o>, b: Expr<'o>, c: Expr<'o>, rm: Rounding) -> Expr<'o> {
    if rm == Rounding::Rtn { -(-a).fma(b, -c) } else { a.fma(b, c) }
}

fn single_fused<'o>(a: Expr<'o>, b: Expr<'o>, c: Expr<'o>, halves: usize, rm: Rounding) -> Expr<'o> {
    let near = nearest_fused(a, b, c, rm);
    let [wide_a, wide_b, wide_c, wide_near] = [a, b, c, near].map(|v| widen(v, halves));
    // The differences of this sum are exact, too: f64 has room for a product of f32 and an f32 beside it.
    let wrong = |i: usize| is_wrong_sum(wide_a[i] * wide_b[i], wide_c[i], wide_near[i], rm);
    let masks: Halves<'_> = (0..halves).map(wrong).collect();
    step(near, narrow_mask(&masks), rm)
}

/// f64: the sign of the error of a product, by fma.
fn product<'o>(a: Expr<'o>, b: Expr<'o>, rm: Rounding) -> Expr<'o> {
    let near = a * b;
    // A tiny product's error would underflow: scale both factors by 2^600, of which neither is large then.
    let is_tiny = near.abs().fcmp(FloatPred::OLt, power(near, -900));
    let scale = scale(is_tiny, 600, near);
    let (scaled_a, scaled_b) = (a * scale, b * scale);
    let error = scaled_a.fma(scaled_b, -(near * scale * scale));
    step_by_error(near, error, (rm == Rounding::Rtz).then_some(near), rm)
}

/// f64: the sign of a*b + c less its nearest value, from errors of sums. (Boldo and Muller, "Exact and approximated
/// error of the FMA", IEEE Transactions on Computers 60, 2011.) Everything is scaled so that the factors are near one.
fn fused<'o>(a: Expr<'o>, b: Expr<'o>, c: Expr<'o>, rm: Rounding) -> Expr<'o> {
    const NEGLIGIBLE: i32 = 200;
    let near = nearest_fused(a, b, c, rm);
    let (scale_a, scale_b) = (exponent_to_one(a), exponent_to_one(b));
    // The addend and the result are multiplied by both scales in two equal steps.
    let both = scale_a + scale_b;
    let first = both.lshr(1);
    let second = both - first;
    let [scale_a, scale_b, first, second] = [scale_a, scale_b, first, second].map(of_exponent);
    let (a, b) = (a * scale_a, b * scale_b);
    let [scaled_c, scaled] = [c, near].map(|v| v * first * second);
    let product = a * b;
    let product_error = a.fma(b, -product);
    // An addend beside which the product is negligible is the result; only the product's sign matters, if it has one.
    let (magnitude, c_magnitude) = (scaled_c.abs(), c.abs());
    let (limit, infinity) = (power(c, NEGLIGIBLE), c.like(f64::INFINITY.to_bits()));
    let is_far = magnitude.fcmp(FloatPred::OGt, limit);
    let is_finite = c_magnitude.fcmp(FloatPred::OLt, infinity);
    let is_alone = product.fcmp(FloatPred::OEq, 0);
    let keep = !((is_far | is_alone) & is_finite);
    // Of a negligible addend only the sign matters.
    let least = power(c, -NEGLIGIBLE);
    let is_tiny = magnitude.fcmp(FloatPred::OLt, least);
    let is_tiny = is_tiny & c_magnitude.fcmp(FloatPred::OGt, 0);
    let signs = signs(c);
    let signed = least.as_int() | signs;
    let c_bits = is_tiny.select(signed, scaled_c.as_int()) & keep;
    let near_bits = scaled.as_int() & keep;
    let (scaled_c, scaled) = (c_bits.bitcast(c.ty()), near_bits.bitcast(c.ty()));
    let (small, small_error) = two_sum(scaled_c, product_error);
    let (large, large_error) = two_sum(product, small);
    let error = large - scaled + large_error + small_error;
    step_by_error(near, error, (rm == Rounding::Rtz).then_some(near), rm)
}

/// The stored exponent of the power of two by which an f64 has to be multiplied to come near one; subnormal numbers
/// become as small as 2^-51, infinity stays.
fn exponent_to_one(v: Expr<'_>) -> Expr<'_> {
    let exponent = v.as_int().lshr(52) & 0x7ff;
    // On 32-bit lanes, which have an instruction for it; the upper ones are zero.
    let ty = exponent.ty();
    let exponent = exponent.bitcast(same_register(ty, Scalar::I32)).op(Op::MinS, 2045).bitcast(ty);
    exponent.like(2046) - exponent
}

/// The f64 that is a power of two with this stored exponent.
fn of_exponent(exponent: Expr<'_>) -> Expr<'_> {
    (exponent << 52).bitcast(exponent.ty().with_elem(Scalar::F64))
}

/// A sum and its error.
fn two_sum<'o>(a: Expr<'o>, b: Expr<'o>) -> (Expr<'o>, Expr<'o>) {
    let sum = a + b;
    let b_part = sum - a;
    let a_part = sum - b_part;
    (sum, (a - a_part) + (b - b_part))
}

/// The sign of the error of a quotient q is that of (a - q*b) / b.
fn quotient<'o>(a: Expr<'o>, b: Expr<'o>, rm: Rounding) -> Expr<'o> {
    let near = a.op(Op::Fdiv, b);
    // The residual of a small dividend would underflow. The quotient is not too large to be scaled along.
    let (limit, up) = if a.ty().elem == Scalar::F64 { (-900, 200) } else { (-90, 60) };
    let is_small = a.abs().fcmp(FloatPred::OLt, power(a, limit));
    let scale = scale(is_small, up, a);
    let scaled_a = a * scale;
    let residual = (-(near * scale)).fma(b, scaled_a);
    // The quotient's sign times that of b is that of a.
    step_by_error(near, residual, Some(if rm == Rounding::Rtz { a } else { b }), rm)
}

/// Steps by the sign of `error`, changed by that of `relative`: for `Rtz` that of the error relative to the result.
fn step_by_error<'o>(near: Expr<'o>, error: Expr<'o>, relative: Option<Expr<'o>>, rm: Rounding) -> Expr<'o> {
    let error = relative.map_or(error, |relative| {
        let signs = signs(relative);
        flip(error, signs)
    });
    step(near, error.fcmp(beyond(rm), 0), rm)
}

/// f64 to f32; `words` makes a mask on the one a mask on the other.
fn narrowed<'o>(truth: Expr<'o>, rm: Rounding, words: impl FnOnce(Expr<'o>) -> Expr<'o>) -> Expr<'o> {
    let near = truth.convert(Op::Fptrunc, Type::F32.with_lanes(4));
    let wrong = is_wrong(truth, near.convert(Op::Fpext, truth.ty()), rm);
    step(near, words(wrong), rm)
}

/// Two floats of the width of integers, of which these are the sums: the lower half and, exactly as well, the rest.
fn exact_halves(op: Op, v: Expr<'_>) -> (Expr<'_>, Expr<'_>) {
    let int = v.ty();
    let half = v.bits() / 2;
    if half == 16 && op == Op::Sitofp {
        let ty = int.with_elem(Scalar::F32);
        let (low, high) = (v & 0xffff, v & 0xffff_0000);
        return (high.convert(op, ty), low.convert(op, ty));
    }
    // Each half becomes the last digits of a power of two. Both of these are taken off the upper one; signed integers
    // have 2^(bits-1) added first, whose bit is that of a power of two among the digits.
    let (elem, digits) = if half == 16 { (Scalar::F32, 23) } else { (Scalar::F64, 52) };
    let low_base = power_bits(elem, digits);
    let sign = if op == Op::Sitofp { 1u64 << (half - 1) } else { 0 };
    let high_base = power_bits(elem, digits + half as i32) | sign;
    let high = v.lshr(u64::from(half)) ^ high_base;
    let low = if half == 32 {
        // In one instruction: 32-bit lanes of both.
        let words = same_register(int, Scalar::I32);
        let lanes = usize::from(words.lanes);
        let base = v.like(low_base);
        let operands = [v, base].map(|v| v.bitcast(words).v);
        let picks = (0..lanes).map(|i| if i % 2 == 0 { i } else { lanes + i });
        v.out.expr(v.out.shuffle(words, operands, picks))
    } else {
        v & 0xffff | low_base
    };
    // The base of the lower half is the last digit but `half` of that of the upper one.
    let ty = int.with_elem(elem);
    let both = v.out.expr(v.out.bits(ty, high_base | 1 << (digits - half as i32)));
    let (high, low) = (high.bitcast(ty), low.bitcast(ty));
    (high - both, low)
}

/// A register of this type's length with lanes of another kind.
fn same_register(ty: Type, elem: Scalar) -> Type {
    Type::scalar(elem).with_lanes((ty.bytes() / elem.bytes()) as u8)
}

/// The bits of 2^exp, a normal number of the format.
fn power_bits(elem: Scalar, exp: i32) -> u64 {
    let (bias, digits) = if elem == Scalar::F32 { (127, 23) } else { (1023, 52) };
    ((exp + bias) as u64) << digits
}
