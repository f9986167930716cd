//! Directed roundings without touching the host's control register. An operation is done to nearest; whether that result lies
//! on the wrong side of the true value is found exactly, and if so it is moved by one unit in the last place. Such a step
//! also leads from an overflow's infinity back to the largest finite number, and from zero to the smallest one. No branches,
//! and the same sequence for a scalar and for a part of a vector, where a scalar's mask is lane 0 of a vector's. Spec: cl_khr_select_fprounding_mode.
//!
//! How the true value is compared with the result s:
//! - a sum: b > s-a or a > s-b. One of the differences is exact (Fast2Sum), the other one is rounded monotonically and thus
//!   never tells the wrong thing; infinities make NaNs, which compare as false.
//! - an f32 product: exact in f64. An f32 fused multiply-add: a sum of that product, in f64.
//! - an f64 product, and any quotient: the residual by fma, scaled where it would underflow.
//! - an f64 fused multiply-add: as a sum of product, error of the product and addend.
//! - conversions: the source and the result in a format that holds both.

use super::Legalizer;
use super::pieces::Pieces;
use crate::ir::{Attr, FloatPred, Imm, InstData, IntPred, Op, Rounding, Scalar, Type, Value};
use smallvec::smallvec;

const F64_SIGN: u64 = 1 << 63;

/// Attributes of a conversion from float as the legal form has it.
pub(super) const TRUNCATE: Attr = Attr {
    flags: crate::ir::op::Flags::empty(),
    rm: Rounding::Rtz,
    align: 0,
    order: crate::ir::Order::SeqCst,
    scope: crate::ir::Scope::Device,
};

impl Legalizer<'_> {
    /// An arithmetic op with a directed rounding, on scalars or on parts.
    pub(super) fn rounded(&mut self, op: Op, rm: Rounding, args: &[Value]) -> Option<Value> {
        let ty = self.out.ty(args[0]);
        let wide = ty.elem == Scalar::F64;
        let halves = if ty.is_vector() { 2 } else { 1 };
        let v: Pieces = args.iter().map(|&a| self.as_lanes(a)).collect();
        let result = match op {
            Op::Fadd => self.sum(v[0], v[1], rm),
            Op::Fsub => {
                let minus = self.out.op1(Op::Fneg, v[1]);
                self.sum(v[0], minus, rm)
            }
            Op::Fmul if wide => self.product(v[0], v[1], rm),
            Op::Fmul => self.single_product(v[0], v[1], halves, rm),
            Op::Fdiv => self.quotient(v[0], v[1], rm),
            Op::Fma if wide => self.fused(v[0], v[1], v[2], rm),
            Op::Fma => self.single_fused(v[0], v[1], v[2], halves, rm),
            _ => return None,
        };
        Some(self.of_lanes(result, ty))
    }

    // ---- scalars as lane 0 of a vector

    /// A value as a vector: a scalar in lane 0. The other lanes hold zeros or what stands there already.
    pub(super) fn as_lanes(&mut self, v: Value) -> Value {
        let scalar = self.out.ty(v);
        if scalar.is_vector() {
            return v;
        }
        let ty = scalar.with_lanes((16 / scalar.elem.bytes()) as u8);
        match self.out.func.def_inst(v) {
            Some(InstData { op: Op::Extract, imm: Imm::Lane(0), args, .. }) if self.out.ty(args[0]) == ty => args[0],
            Some(InstData { op: Op::Const, imm: Imm::Bits(bits), .. }) => {
                let bits = *bits;
                self.out.bits(ty, bits)
            }
            _ => {
                let undef = self.out.typed(Op::Undef, ty, &[], Imm::None, Attr::default());
                self.out.typed(Op::Insert, ty, &[undef, v], Imm::Lane(0), Attr::default())
            }
        }
    }

    /// A vector as a value of type `ty`: itself, or its lane 0.
    fn of_lanes(&mut self, v: Value, ty: Type) -> Value {
        if ty.is_vector() { v } else { self.out.typed(Op::Extract, ty, &[v], Imm::Lane(0), Attr::default()) }
    }

    /// A comparison as a mask.
    fn mask(&mut self, pred: FloatPred, a: Value, b: Value) -> Value {
        let ty = self.out.ty(a);
        let ty = ty.with_elem(ty.elem.as_int());
        self.out.typed(Op::Fcmp, ty, &[a, b], Imm::FloatPred(pred), Attr::default())
    }

    /// The sign bits of `v`.
    fn signs(&mut self, v: Value) -> Value {
        let bits = self.out.as_int(v);
        let sign = 1 << (self.out.ty(bits).elem.bits() - 1);
        self.out.op2c(Op::And, bits, sign)
    }

    /// `v` with its sign changed where `signs` has one.
    fn flip(&mut self, v: Value, signs: Value) -> Value {
        let bits = self.out.as_int(v);
        let flipped = self.out.op2(Op::Xor, bits, signs);
        self.out.bitcast(self.out.ty(v), flipped)
    }

    /// 2^exp in the type of `like`.
    fn power(&mut self, like: Value, exp: i32) -> Value {
        let bits = power_bits(self.out.ty(like).elem, exp);
        self.out.like(like, bits)
    }

    /// 2^exp where `mask` holds, else 1.
    fn scale(&mut self, mask: Value, exp: i32, like: Value) -> Value {
        let ty = self.out.ty(like);
        let one = power_bits(ty.elem, 0);
        let difference = self.out.op2c(Op::And, mask, power_bits(ty.elem, exp) ^ one);
        let scale = self.out.op2c(Op::Xor, difference, one);
        self.out.bitcast(ty, scale)
    }

    /// The lower half of the lanes of a register of f32 as f64, and if there are two `halves` the upper one.
    fn widen(&mut self, v: Value, halves: usize) -> Pieces {
        let ty = self.out.ty(v);
        let double = same_register(ty, Scalar::F64);
        let mut wide: Pieces = smallvec![self.out.convert(Op::Fpext, double, v)];
        if halves == 2 {
            let high = self.slide(v, usize::from(double.lanes), usize::from(double.lanes));
            wide.push(self.out.convert(Op::Fpext, double, high));
        }
        wide
    }

    /// Masks on what `widen` makes as a mask on what it was made of.
    fn narrow_mask(&mut self, masks: &[Value]) -> Value {
        let words = same_register(self.out.ty(masks[0]), Scalar::I32);
        match masks[..] {
            [low, high] => self.alternate_as(words, [low, high]),
            // Lane 0 of f64 is lane 0 of f32.
            _ => self.out.bitcast(words, masks[0]),
        }
    }

    // ---- the last step

    /// Moves a result by one unit in the direction of the mode where `wrong` holds.
    fn step(&mut self, near: Value, wrong: Value, rm: Rounding) -> Value {
        let out = &mut self.out;
        let bits = out.as_int(near);
        let ty = out.ty(bits);
        // Patterns grow away from zero, and a mask is -1.
        let delta = if rm == Rounding::Rtz {
            wrong
        } else {
            let (pred, limit) = if rm == Rounding::Rtp { (IntPred::SLt, 0) } else { (IntPred::SGt, u64::MAX) };
            let limit = out.bits(ty, limit);
            let inwards = out.typed(Op::Icmp, ty, &[bits, limit], Imm::IntPred(pred), Attr::default());
            let direction = out.op2c(Op::Or, inwards, 1);
            out.op2(Op::And, wrong, direction)
        };
        let stepped = out.op2(Op::Add, bits, delta);
        out.bitcast(out.ty(near), stepped)
    }

    /// Whether the result `near` lies on the wrong side of the true value; both in the same format and of the same sign.
    fn is_wrong(&mut self, truth: Value, near: Value, rm: Rounding) -> Value {
        match rm {
            Rounding::Rtp => self.mask(FloatPred::OGt, truth, near),
            Rounding::Rtn => self.mask(FloatPred::OLt, truth, near),
            Rounding::Rtz | Rounding::Rte => {
                // Of one sign, the larger magnitude has the larger pattern. (One NaN may become another.)
                let (truth, near) = (self.out.as_int(truth), self.out.as_int(near));
                let ty = self.out.ty(near);
                self.out.typed(Op::Icmp, ty, &[near, truth], Imm::IntPred(IntPred::SGt), Attr::default())
            }
        }
    }

    /// `is_wrong` for a true value that is a sum.
    fn is_wrong_sum(&mut self, a: Value, b: Value, near: Value, rm: Rounding) -> Value {
        let (a, b, near) = if rm == Rounding::Rtz {
            let signs = self.signs(near);
            (self.flip(a, signs), self.flip(b, signs), self.out.op1(Op::Fabs, near))
        } else {
            (a, b, near)
        };
        let pred = if rm == Rounding::Rtp { FloatPred::OGt } else { FloatPred::OLt };
        let b_part = self.out.op2(Op::Fsub, near, a);
        let a_part = self.out.op2(Op::Fsub, near, b);
        let by_b = self.mask(pred, b, b_part);
        let by_a = self.mask(pred, a, a_part);
        self.out.op2(Op::Or, by_b, by_a)
    }

    // ---- arithmetic

    fn sum(&mut self, a: Value, b: Value, rm: Rounding) -> Value {
        let near = if rm == Rounding::Rtn {
            // The negative of the negative sum differs in the sign of an exact zero.
            let minus = self.out.op1(Op::Fneg, b);
            let minus = self.out.op2(Op::Fsub, minus, a);
            self.out.op1(Op::Fneg, minus)
        } else {
            self.out.op2(Op::Fadd, a, b)
        };
        let wrong = self.is_wrong_sum(a, b, near, rm);
        self.step(near, wrong, rm)
    }

    fn single_product(&mut self, a: Value, b: Value, halves: usize, rm: Rounding) -> Value {
        let near = self.out.op2(Op::Fmul, a, b);
        let [wide_a, wide_b, wide_near] = [a, b, near].map(|v| self.widen(v, halves));
        let masks: Pieces = (0..wide_a.len())
            .map(|i| {
                let truth = self.out.op2(Op::Fmul, wide_a[i], wide_b[i]);
                self.is_wrong(truth, wide_near[i], rm)
            })
            .collect();
        let wrong = self.narrow_mask(&masks);
        self.step(near, wrong, rm)
    }

    /// a*b + c to nearest, with the sign of an exact zero that the mode wants.
    fn nearest_fused(&mut self, a: Value, b: Value, c: Value, rm: Rounding) -> Value {
        if rm != Rounding::Rtn {
            return self.out.op3(Op::Fma, a, b, c);
        }
        let (minus_a, minus_c) = (self.out.op1(Op::Fneg, a), self.out.op1(Op::Fneg, c));
        let minus = self.out.op3(Op::Fma, minus_a, b, minus_c);
        self.out.op1(Op::Fneg, minus)
    }

    fn single_fused(&mut self, a: Value, b: Value, c: Value, halves: usize, rm: Rounding) -> Value {
        let near = self.nearest_fused(a, b, c, rm);
        let [wide_a, wide_b, wide_c, wide_near] = [a, b, c, near].map(|v| self.widen(v, halves));
        let masks: Pieces = (0..wide_a.len())
            .map(|i| {
                // The differences of this sum are exact, too: f64 has room for a product of f32 and an f32 beside it.
                let product = self.out.op2(Op::Fmul, wide_a[i], wide_b[i]);
                self.is_wrong_sum(product, wide_c[i], wide_near[i], rm)
            })
            .collect();
        let wrong = self.narrow_mask(&masks);
        self.step(near, wrong, rm)
    }

    /// f64: the sign of the error of a product, by fma.
    fn product(&mut self, a: Value, b: Value, rm: Rounding) -> Value {
        let near = self.out.op2(Op::Fmul, a, b);
        // A tiny product's error would underflow: scale both factors by 2^600, of which neither is large then.
        let magnitude = self.out.op1(Op::Fabs, near);
        let limit = self.power(near, -900);
        let is_tiny = self.mask(FloatPred::OLt, magnitude, limit);
        let scale = self.scale(is_tiny, 600, near);
        let out = &mut self.out;
        let scaled_a = out.op2(Op::Fmul, a, scale);
        let scaled_b = out.op2(Op::Fmul, b, scale);
        let scaled = out.op2(Op::Fmul, near, scale);
        let scaled = out.op2(Op::Fmul, scaled, scale);
        let minus = out.op1(Op::Fneg, scaled);
        let error = out.op3(Op::Fma, scaled_a, scaled_b, minus);
        let signs = if rm == Rounding::Rtz { Some(self.signs(near)) } else { None };
        self.step_by_error(near, error, signs, rm)
    }

    /// f64: the sign of a*b + c less its nearest value, from errors of sums. (Boldo and Muller, "Exact and approximated error
    /// of the FMA", IEEE Transactions on Computers 60, 2011.) Everything is scaled so that the factors are near one.
    fn fused(&mut self, a: Value, b: Value, c: Value, rm: Rounding) -> Value {
        const NEGLIGIBLE: i32 = 200;
        let near = self.nearest_fused(a, b, c, rm);
        let (scale_a, scale_b) = (self.exponent_to_one(a), self.exponent_to_one(b));
        // The addend and the result are multiplied by both scales in two equal steps.
        let out = &mut self.out;
        let both = out.op2(Op::Add, scale_a, scale_b);
        let one = out.bits(Type::I32, 1);
        let first = out.op2(Op::Lshr, both, one);
        let second = out.op2(Op::Sub, both, first);
        let [scale_a, scale_b, first, second] = [scale_a, scale_b, first, second].map(|e| self.of_exponent(e));
        let out = &mut self.out;
        let a = out.op2(Op::Fmul, a, scale_a);
        let b = out.op2(Op::Fmul, b, scale_b);
        let [scaled_c, scaled] = [c, near].map(|v| {
            let once = out.op2(Op::Fmul, v, first);
            out.op2(Op::Fmul, once, second)
        });
        let product = out.op2(Op::Fmul, a, b);
        let minus = out.op1(Op::Fneg, product);
        let product_error = out.op3(Op::Fma, a, b, minus);
        // An addend beside which the product is negligible is the result; only the product's sign matters, if it has one.
        let magnitude = out.op1(Op::Fabs, scaled_c);
        let c_magnitude = out.op1(Op::Fabs, c);
        let limit = self.power(c, NEGLIGIBLE);
        let infinity = self.out.like(c, f64::INFINITY.to_bits());
        let is_far = self.mask(FloatPred::OGt, magnitude, limit);
        let is_finite = self.mask(FloatPred::OLt, c_magnitude, infinity);
        let zero = self.out.like(c, 0);
        let is_alone = self.mask(FloatPred::OEq, product, zero);
        let is_far = self.out.op2(Op::Or, is_far, is_alone);
        let is_far = self.out.op2(Op::And, is_far, is_finite);
        let keep = self.out.op1(Op::Not, is_far);
        // Of a negligible addend only the sign matters.
        let least = self.power(c, -NEGLIGIBLE);
        let is_tiny = self.mask(FloatPred::OLt, magnitude, least);
        let is_nonzero = self.mask(FloatPred::OGt, c_magnitude, zero);
        let is_tiny = self.out.op2(Op::And, is_tiny, is_nonzero);
        let signs = self.signs(c);
        let out = &mut self.out;
        let least = out.as_int(least);
        let signed = out.op2(Op::Or, least, signs);
        let c_bits = out.as_int(scaled_c);
        let c_bits = out.select(is_tiny, signed, c_bits);
        let c_bits = out.op2(Op::And, c_bits, keep);
        let near_bits = out.as_int(scaled);
        let near_bits = out.op2(Op::And, near_bits, keep);
        let double = out.ty(c);
        let (scaled_c, scaled) = (out.bitcast(double, c_bits), out.bitcast(double, near_bits));
        let (small, small_error) = self.two_sum(scaled_c, product_error);
        let (large, large_error) = self.two_sum(product, small);
        let out = &mut self.out;
        let rest = out.op2(Op::Fsub, large, scaled);
        let rest = out.op2(Op::Fadd, rest, large_error);
        let error = out.op2(Op::Fadd, rest, small_error);
        let signs = if rm == Rounding::Rtz { Some(self.signs(near)) } else { None };
        self.step_by_error(near, error, signs, rm)
    }

    /// The stored exponent of the power of two by which an f64 has to be multiplied to come near one; subnormal numbers
    /// become as small as 2^-51, infinity stays.
    fn exponent_to_one(&mut self, v: Value) -> Value {
        let out = &mut self.out;
        let bits = out.as_int(v);
        let ty = out.ty(bits);
        let amount = out.bits(Type::I32, 52);
        let exponent = out.op2(Op::Lshr, bits, amount);
        let exponent = out.op2c(Op::And, exponent, 0x7ff);
        // On 32-bit lanes, which have an instruction for it; the upper ones are zero.
        let words = out.bitcast(same_register(ty, Scalar::I32), exponent);
        let words = out.op2c(Op::MinS, words, 2045);
        let exponent = out.bitcast(ty, words);
        let base = out.bits(ty, 2046);
        out.op2(Op::Sub, base, exponent)
    }

    /// The f64 that is a power of two with this stored exponent.
    fn of_exponent(&mut self, exponent: Value) -> Value {
        let amount = self.out.bits(Type::I32, 52);
        let bits = self.out.op2(Op::Shl, exponent, amount);
        self.out.bitcast(self.out.ty(bits).with_elem(Scalar::F64), bits)
    }

    /// A sum and its error.
    fn two_sum(&mut self, a: Value, b: Value) -> (Value, Value) {
        let out = &mut self.out;
        let sum = out.op2(Op::Fadd, a, b);
        let b_part = out.op2(Op::Fsub, sum, a);
        let a_part = out.op2(Op::Fsub, sum, b_part);
        let a_error = out.op2(Op::Fsub, a, a_part);
        let b_error = out.op2(Op::Fsub, b, b_part);
        let error = out.op2(Op::Fadd, a_error, b_error);
        (sum, error)
    }

    /// The sign of the error of a quotient q is that of (a - q*b) / b.
    fn quotient(&mut self, a: Value, b: Value, rm: Rounding) -> Value {
        let near = self.out.op2(Op::Fdiv, a, b);
        // The residual of a small dividend would underflow. The quotient is not too large to be scaled along.
        let (limit, up) = if self.out.ty(a).elem == Scalar::F64 { (-900, 200) } else { (-90, 60) };
        let magnitude = self.out.op1(Op::Fabs, a);
        let limit = self.power(a, limit);
        let is_small = self.mask(FloatPred::OLt, magnitude, limit);
        let scale = self.scale(is_small, up, a);
        let out = &mut self.out;
        let scaled_a = out.op2(Op::Fmul, a, scale);
        let scaled = out.op2(Op::Fmul, near, scale);
        let minus = out.op1(Op::Fneg, scaled);
        let residual = out.op3(Op::Fma, minus, b, scaled_a);
        // The quotient's sign times that of b is that of a.
        let signs = self.signs(if rm == Rounding::Rtz { a } else { b });
        self.step_by_error(near, residual, Some(signs), rm)
    }

    /// Steps by the sign of `error`, changed by `signs`: for `Rtz` that of the error relative to the result.
    fn step_by_error(&mut self, near: Value, error: Value, signs: Option<Value>, rm: Rounding) -> Value {
        let error = signs.map_or(error, |signs| self.flip(error, signs));
        let pred = if rm == Rounding::Rtp { FloatPred::OGt } else { FloatPred::OLt };
        let zero = self.out.like(error, 0);
        let wrong = self.mask(pred, error, zero);
        self.step(near, wrong, rm)
    }

    // ---- conversions

    /// f64 to f32.
    pub(super) fn narrow(&mut self, double: Value, rm: Rounding) -> Value {
        if rm == Rounding::Rte || self.machine.directed {
            return self.out.typed(Op::Fptrunc, Type::F32, &[double], Imm::None, Attr { rm, ..Attr::default() });
        }
        let truth = self.as_lanes(double);
        let near = self.out.convert(Op::Fptrunc, Type::F32.with_lanes(4), truth);
        let back = self.widen(near, 1)[0];
        let wrong = self.is_wrong(truth, back, rm);
        let wrong = self.narrow_mask(&[wrong]);
        let result = self.step(near, wrong, rm);
        self.of_lanes(result, Type::F32)
    }

    /// As `narrow`, of the lanes of a vector: the result is in the low lanes of four.
    pub(super) fn narrow_part(&mut self, truth: Value, rm: Rounding) -> Value {
        let near = self.out.convert(Op::Fptrunc, Type::F32.with_lanes(4), truth);
        let back = self.out.convert(Op::Fpext, self.out.ty(truth), near);
        let wrong = self.is_wrong(truth, back, rm);
        let wrong = self.alternate_as(Type::I32.with_lanes(4), [wrong, wrong]);
        self.step(near, wrong, rm)
    }

    /// Integers of 32 or 64 bits to f32 or f64 where that is not exact: a scalar, or a part of 32-bit ones.
    pub(super) fn int_to_rounded(&mut self, op: Op, to: Scalar, v: Value, rm: Rounding) -> Value {
        let from = self.out.ty(v);
        let v = self.as_lanes(v);
        let (high, low) = self.exact_halves(op, v);
        let sum = self.out.op2(Op::Fadd, high, low);
        let single = to == Scalar::F32 && from.elem == Scalar::I64;
        // Rounded twice, a result may be the neighbour on the other side of the true value, which does as well.
        let near = if single { self.out.convert(Op::Fptrunc, Type::F32.with_lanes(4), sum) } else { sum };
        let back = if single { self.widen(near, 1)[0] } else { near };
        // Exact: an integer with few digits.
        let low_part = self.out.op2(Op::Fsub, back, high);
        let wrong = if rm == Rounding::Rtz {
            let signs = self.signs(back);
            let (low, low_part) = (self.flip(low, signs), self.flip(low_part, signs));
            self.mask(FloatPred::OLt, low, low_part)
        } else {
            self.mask(if rm == Rounding::Rtp { FloatPred::OGt } else { FloatPred::OLt }, low, low_part)
        };
        let wrong = if single { self.narrow_mask(&[wrong]) } else { wrong };
        let result = self.step(near, wrong, rm);
        self.of_lanes(result, from.with_elem(to))
    }

    /// Two floats of the width of integers, of which these are the sums: the lower half and, exactly as well, the rest.
    fn exact_halves(&mut self, op: Op, v: Value) -> (Value, Value) {
        let out = &mut self.out;
        let int = out.ty(v);
        let bits = int.elem.bits();
        let half = bits / 2;
        if bits == 32 && op == Op::Sitofp {
            let ty = int.with_elem(Scalar::F32);
            let low = out.op2c(Op::And, v, 0xffff);
            let high = out.op2c(Op::And, v, 0xffff_0000);
            return (out.convert(Op::Sitofp, ty, high), out.convert(Op::Sitofp, ty, low));
        }
        // Each half becomes the last digits of a power of two. Both of these are taken off the upper one; signed integers
        // have 2^(bits-1) added first, whose bit is that of a power of two among the digits.
        let (elem, digits) = if bits == 32 { (Scalar::F32, 23) } else { (Scalar::F64, 52) };
        let ty = int.with_elem(elem);
        let low_base = power_bits(elem, digits);
        let sign = if op == Op::Sitofp { 1u64 << (half - 1) } else { 0 };
        let high_base = power_bits(elem, digits + half as i32) | sign;
        let amount = out.bits(Type::I32, u64::from(half));
        let high = out.op2(Op::Lshr, v, amount);
        let high = out.op2c(Op::Xor, high, high_base);
        let low = if bits == 64 {
            // In one instruction: 32-bit lanes of both.
            let words = same_register(int, Scalar::I32);
            let base = out.bits(int, low_base);
            let (v, base) = (out.bitcast(words, v), out.bitcast(words, base));
            let picks: Vec<u8> = (0..words.lanes).map(|i| if i % 2 == 0 { i } else { words.lanes + i }).collect();
            out.typed(Op::Shuffle, words, &[v, base], Imm::Lanes(picks.into()), Attr::default())
        } else {
            let low = out.op2c(Op::And, v, 0xffff);
            out.op2c(Op::Or, low, low_base)
        };
        // The base of the lower half is the last digit but `half` of that of the upper one.
        let both = out.bits(ty, high_base | 1 << (digits - half as i32));
        let (high, low) = (out.bitcast(ty, high), out.bitcast(ty, low));
        (out.op2(Op::Fsub, high, both), low)
    }

    // ---- sums for f16

    /// a + b, scalars or vectors, an inexact sum made odd. For operands far from overflow.
    pub(super) fn sum_to_odd(&mut self, a: Value, b: Value) -> Value {
        let (sum, error) = self.two_sum(a, b);
        let out = &mut self.out;
        let ty = out.ty(sum);
        let size = out.op1(Op::Fabs, error);
        let zero = out.bits(ty, 0);
        let inexact = out.fcmp(FloatPred::OLt, zero, size);
        let (bits, error) = (out.as_int(sum), out.as_int(error));
        // Towards zero first, if the sum was rounded away from it.
        let signs = out.op2(Op::Xor, bits, error);
        let step = out.op2c(Op::Ashr, signs, u64::from(ty.elem.bits()) - 1);
        let truncated = out.op2(Op::Add, bits, step);
        let odd = out.op2c(Op::Or, truncated, 1);
        let result = out.select(inexact, odd, bits);
        out.bitcast(ty, result)
    }

    /// The sign that rounding towards -inf gives a sum that is exactly zero: minus, unless both operands are +0.
    pub(super) fn negative_zero_sum(&mut self, a: Value, b: Value, sum: Value) -> Value {
        let out = &mut self.out;
        let zero = out.f64(0.0);
        let is_zero = out.fcmp(FloatPred::OEq, sum, zero);
        let (a, b) = (out.as_int(a), out.as_int(b));
        let signs = out.op2(Op::Or, a, b);
        let sign = out.op2c(Op::And, signs, F64_SIGN);
        let bits = out.as_int(sum);
        let result = out.select(is_zero, sign, bits);
        out.bitcast(Type::F64, result)
    }
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
