//! Integer arithmetic on parts.

use crate::ir::{Attr, Imm, IntPred, Op, Scalar, Type, Value};
use crate::legalize::Legalizer;
use crate::legalize::pieces::int_of;

impl Legalizer<'_> {
    /// An integer op on one part, or a shift of one by a scalar; `None` if there is no way to do it there.
    pub(super) fn int_part(&mut self, op: Op, elem: Scalar, args: &[Value]) -> Option<Value> {
        use Op::*;
        let bits = elem.bits();
        let (a, b) = (args[0], args.get(1).copied().unwrap_or(args[0]));
        let by_scalar = !self.out.ty(b).is_vector();
        let wide = bits == 64 && !self.machine.wide_integers;
        if op == Mul
            && bits >= 32
            && let Some(product) = self.multiply_by_constant(bits, a, b)
        {
            return Some(product);
        }
        Some(match op {
            Add | Sub | And | Or | Xor => self.out.op2(op, a, b),
            Not | Neg | AbsS => self.out.op1(op, a),
            Mul if bits == 8 => self.multiply_bytes(a, b),
            Mul => self.out.op2(Mul, a, b),
            MinS | MinU | MaxS | MaxU if wide => {
                let pred = match op {
                    MinS => IntPred::SLt,
                    MinU => IntPred::ULt,
                    MaxS => IntPred::SGt,
                    _ => IntPred::UGt,
                };
                let first = self.out.icmp(pred, a, b);
                self.out.select(first, a, b)
            }
            MinS | MinU | MaxS | MaxU => self.out.op2(op, a, b),
            Shl | Lshr | Ashr if by_scalar => self.out.op2(op, a, b),
            Ashr if wide && self.machine.lane_shifts > 0 => {
                // The sign bit, moved along, spreads upwards in a difference.
                let b = self.out.op2c(And, b, u64::from(bits - 1));
                let sign = self.out.like(a, 1 << (bits - 1));
                let sign = self.out.op2(Lshr, sign, b);
                let moved = self.out.op2(Lshr, a, b);
                let flipped = self.out.op2(Xor, moved, sign);
                self.out.op2(Sub, flipped, sign)
            }
            Shl | Lshr | Ashr if self.shifts_by_lane(bits) => {
                // Amounts beyond the width mean something else to the machine.
                let b = self.out.op2c(And, b, u64::from(bits - 1));
                self.out.op2(op, a, b)
            }
            Rotl if self.machine.lane_rotates
                && bits >= 32
                && (!by_scalar || self.out.func.const_bits(b).is_some()) =>
            {
                self.out.op2(Rotl, a, b)
            }
            Rotl if by_scalar => self.out.rotate(a, b),
            Rotl if self.shifts_by_lane(bits) => {
                let rest = self.out.op1(Neg, b);
                let high = self.int_part(Shl, elem, &[a, b])?;
                let low = self.int_part(Lshr, elem, &[a, rest])?;
                self.out.op2(Or, high, low)
            }
            AddSatS | AddSatU | SubSatS | SubSatU if bits <= 16 => self.out.op2(op, a, b),
            AddSatS | SubSatS => self.saturate(op, elem, a, b),
            AddSatU => {
                let sum = self.out.op2(Add, a, b);
                let wrapped = self.out.icmp(IntPred::ULt, sum, a);
                let ones = self.out.like(a, u64::MAX);
                self.out.select(wrapped, ones, sum)
            }
            SubSatU => {
                let larger = self.int_part(MaxU, elem, &[a, b])?;
                self.out.op2(Sub, larger, b)
            }
            RhaddU if bits <= 16 => self.out.op2(op, a, b),
            HaddS => self.average(And, Add, Ashr, a, b),
            HaddU => self.average(And, Add, Lshr, a, b),
            RhaddS => self.average(Or, Sub, Ashr, a, b),
            RhaddU => self.average(Or, Sub, Lshr, a, b),
            MulHiS | MulHiU if bits == 32 && self.machine.high_products => self.out.op2(op, a, b),
            MulHiS | MulHiU if bits == 32 => self.multiply_high(op, a, b),
            DivS | DivU | RemS | RemU if bits == 32 => self.divide_words(op, a, b),
            Popcnt => self.count_bits(bits, a),
            Ctz => {
                // The ones below the lowest set bit.
                let less = self.out.op2c(Add, a, u64::MAX);
                let not = self.out.op1(Not, a);
                let below = self.out.op2(And, not, less);
                self.count_bits(bits, below)
            }
            Clz => {
                let mut smeared = a;
                let mut distance = 1;
                while distance < bits {
                    let moved = self.out.op2c(Lshr, smeared, u64::from(distance));
                    smeared = self.out.op2(Or, smeared, moved);
                    distance *= 2;
                }
                let above = self.out.op1(Not, smeared);
                self.count_bits(bits, above)
            }
            Bitrev => self.reverse_bits(bits, a),
            _ => return None,
        })
    }

    /// True if lanes of so many bits shift by one amount each in one instruction.
    pub(super) fn shifts_by_lane(&self, bits: u32) -> bool {
        let narrowest = u32::from(self.machine.lane_shifts);
        narrowest > 0 && bits >= narrowest
    }

    /// The same register as lanes of another width.
    fn as_width(&mut self, v: Value, bits: u32) -> Value {
        let ty = Type::scalar(int_of(bits)).with_lanes((self.out.ty(v).bytes() * 8 / bits) as u8);
        self.out.bitcast(ty, v)
    }

    /// Two shifts and a sum, where the factor is 2ᵐ ± 2ⁿ: a fifth of a product's latency.
    fn multiply_by_constant(&mut self, bits: u32, a: Value, b: Value) -> Option<Value> {
        let factor = self.out.func.const_bits(b).filter(|&c| c != 0)?;
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

    /// Bytes by way of words: even ones where they are, odd ones of which one factor is moved down.
    fn multiply_bytes(&mut self, a: Value, b: Value) -> Value {
        let ty = self.out.ty(a);
        let (a, b) = (self.as_width(a, 16), self.as_width(b, 16));
        let out = &mut self.out;
        let even = out.op2(Op::Mul, a, b);
        let even = out.op2c(Op::And, even, 0xff);
        let (a, b) = (out.op2c(Op::Lshr, a, 8), out.op2c(Op::And, b, 0xff00));
        let odd = out.op2(Op::Mul, a, b);
        let both = out.op2(Op::Or, even, odd);
        out.bitcast(ty, both)
    }

    /// The upper halves of products of 32-bit lanes.
    fn multiply_high(&mut self, op: Op, a: Value, b: Value) -> Value {
        let extend = if op == Op::MulHiS { Op::Sext } else { Op::Zext };
        let ty = self.out.ty(a);
        let half = usize::from(ty.lanes) / 2;
        let long = Type::I64.with_lanes(half as u8);
        let products = [0, half].map(|at| {
            let (a, b) = (self.slide(a, at, half), self.slide(b, at, half));
            let (a, b) = (self.out.convert(extend, long, a), self.out.convert(extend, long, b));
            let product = self.out.op2(Op::Mul, a, b);
            self.out.bitcast(ty, product)
        });
        self.alternate(products, 1)
    }

    /// Every second lane of two parts, from lane `first` on.
    pub(super) fn alternate(&mut self, [a, b]: [Value; 2], first: u8) -> Value {
        let ty = self.out.ty(a);
        let picks: Vec<u8> = (0..ty.lanes).map(|i| 2 * i + first).collect();
        self.out.typed(Op::Shuffle, ty, &[a, b], Imm::Lanes(picks.into()), Attr::default())
    }

    /// As `alternate`, of two registers seen as parts of type `part`; of the first one alone if that is twice as long.
    pub(in crate::legalize) fn alternate_as(&mut self, part: Type, [a, b]: [Value; 2]) -> Value {
        let bytes = self.out.ty(a).bytes();
        if bytes == part.bytes() {
            let both = [a, b].map(|v| self.out.bitcast(part, v));
            return self.alternate(both, 0);
        }
        let whole = self.out.bitcast(part.with_lanes((bytes / part.elem.bytes()) as u8), a);
        let picks: Vec<u8> = (0..part.lanes).map(|i| 2 * i).collect();
        self.out.typed(Op::Shuffle, part, &[whole, whole], Imm::Lanes(picks.into()), Attr::default())
    }

    /// Total division of 32-bit lanes. A quotient of f64 never rounds up to an integer it does not reach, and its sum with
    /// 1.5 * 2^52 has the integer's low bits in its own.
    fn divide_words(&mut self, op: Op, a: Value, b: Value) -> Value {
        let is_signed = matches!(op, Op::DivS | Op::RemS);
        let convert = if is_signed { Op::Sitofp } else { Op::Uitofp };
        let ty = self.out.ty(a);
        let half = usize::from(ty.lanes) / 2;
        let double = Type::F64.with_lanes(half as u8);
        let quotients = [0, half].map(|at| {
            let (a, b) = (self.slide(a, at, half), self.slide(b, at, half));
            let (a, b) = (self.out.convert(convert, double, a), self.out.convert(convert, double, b));
            let quotient = self.out.op2(Op::Fdiv, a, b);
            self.low_word(quotient)
        });
        let quotient = self.alternate(quotients, 0);
        self.finish_division(op, a, b, quotient)
    }

    /// f64 lanes truncated to integers, in the low words of 32-bit lanes. For values that 33 bits hold.
    pub(super) fn low_word(&mut self, double: Value) -> Value {
        let out = &mut self.out;
        let whole = out.op1(Op::Trunc, double);
        let base = out.like(double, 6_755_399_441_055_744f64.to_bits());
        let sum = out.op2(Op::Fadd, whole, base);
        self.as_width(sum, 32)
    }

    /// As `divide_words` for 8- and 16-bit numbers in 32-bit lanes, by f32. What is above the low 16 bits means nothing.
    pub(super) fn divide_narrow(&mut self, op: Op, a: Value, b: Value) -> Value {
        let out = &mut self.out;
        let ty = out.ty(a);
        let single = ty.with_elem(Scalar::F32);
        let (float_a, float_b) = (out.convert(Op::Sitofp, single, a), out.convert(Op::Sitofp, single, b));
        let quotient = out.op2(Op::Fdiv, float_a, float_b);
        let whole = out.op1(Op::Trunc, quotient);
        let base = out.like(whole, u64::from(12_582_912f32.to_bits()));
        let sum = out.op2(Op::Fadd, whole, base);
        let quotient = out.bitcast(ty, sum);
        self.finish_division(op, a, b, quotient)
    }

    /// x/0 = 0, and the remainder from the quotient.
    fn finish_division(&mut self, op: Op, a: Value, b: Value, quotient: Value) -> Value {
        let zero = self.out.like(b, 0);
        let by_zero = self.out.icmp(IntPred::Eq, b, zero);
        let quotient = self.select_part(by_zero, zero, quotient);
        if matches!(op, Op::DivS | Op::DivU) {
            return quotient;
        }
        let product = self.out.op2(Op::Mul, quotient, b);
        self.out.op2(Op::Sub, a, product)
    }

    /// Set bits per lane: per byte, then summed up.
    fn count_bits(&mut self, bits: u32, v: Value) -> Value {
        let ty = self.out.ty(v);
        let bytes = self.as_width(v, 8);
        let counts = self.out.op1(Op::Popcnt, bytes);
        let mut sums = self.out.bitcast(ty, counts);
        let mut distance = bits / 2;
        while distance >= 8 {
            let moved = self.out.op2c(Op::Lshr, sums, u64::from(distance));
            sums = self.out.op2(Op::Add, sums, moved);
            distance /= 2;
        }
        if bits > 8 { self.out.op2c(Op::And, sums, 0x7f) } else { sums }
    }

    /// Bits in reverse order: within bytes, then the bytes.
    fn reverse_bits(&mut self, bits: u32, v: Value) -> Value {
        let ty = self.out.ty(v);
        let mut words = self.as_width(v, 16);
        for (distance, mask) in [(4, 0x0f0f), (2, 0x3333), (1, 0x5555)] {
            let out = &mut self.out;
            let up = out.op2c(Op::And, words, mask);
            let up = out.op2c(Op::Shl, up, distance);
            let down = out.op2c(Op::Lshr, words, distance);
            let down = out.op2c(Op::And, down, mask);
            words = out.op2(Op::Or, up, down);
        }
        if bits == 8 {
            return self.out.bitcast(ty, words);
        }
        let bytes = self.as_width(words, 8);
        let byte_ty = self.out.ty(bytes);
        let size = (bits / 8) as u8;
        let picks: Vec<u8> = (0..byte_ty.lanes).map(|i| i / size * size + size - 1 - i % size).collect();
        let swapped = self.out.typed(Op::Shuffle, byte_ty, &[bytes, bytes], Imm::Lanes(picks.into()), Attr::default());
        self.out.bitcast(ty, swapped)
    }
}
