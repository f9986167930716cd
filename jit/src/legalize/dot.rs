//! Dot products of bytes: of unsigned ones by signed ones where the target has that, else of words.

use super::Legalizer;
use crate::ir::{Op, Scalar, Type, Value};

impl Legalizer<'_> {
    /// Of scalars, in a vector's first lane.
    pub(super) fn dot(&self, op: Op, a: Value, b: Value) -> Value {
        let part = Type::I32.with_lanes(4);
        let (a, b) = (self.out.first_lane(part, a), self.out.first_lane(part, b));
        let sums = self.dot_part(op, a, b);
        self.part_lane(sums, 0)
    }

    /// Of the lanes of two parts.
    pub(super) fn dot_part(&self, op: Op, a: Value, b: Value) -> Value {
        if self.target.byte_dots {
            return self.dot_by_signed(op, a, b);
        }
        let [even_a, odd_a] = self.words(a, op == Op::Dot4Ss);
        let [even_b, odd_b] = self.words(b, op != Op::Dot4Uu);
        let even = self.out.op2(Op::Dot2S, even_a, even_b);
        let odd = self.out.op2(Op::Dot2S, odd_a, odd_b);
        self.out.op2(Op::Add, even, odd)
    }

    /// A byte with its highest bit flipped is, read the other way, 128 less or more; 128 times the other operand's
    /// bytes make up for that.
    fn dot_by_signed(&self, op: Op, a: Value, b: Value) -> Value {
        const HIGHEST: u64 = 0x8080_8080;
        let out = &self.out;
        let flips = out.like(a, HIGHEST);
        match op {
            Op::Dot4Uu => {
                let less = out.op2(Op::Xor, b, flips);
                let (dot, minus) = (out.op2(Op::Dot4Us, a, less), out.op2(Op::Dot4Us, a, flips));
                out.op2(Op::Sub, dot, minus)
            }
            Op::Dot4Ss => {
                let more = out.op2(Op::Xor, a, flips);
                let (dot, plus) = (out.op2(Op::Dot4Us, more, b), out.op2(Op::Dot4Us, flips, b));
                out.op2(Op::Sub, dot, plus)
            }
            _ => out.op2(op, a, b),
        }
    }

    /// The even and the odd bytes of a part, extended to words.
    fn words(&self, v: Value, is_signed: bool) -> [Value; 2] {
        let out = &self.out;
        let ty = out.ty(v);
        let words = out.bitcast(Type::scalar(Scalar::I16).with_lanes(2 * ty.lanes), v);
        let down = if is_signed { Op::Ashr } else { Op::Lshr };
        let odd = out.op2c(down, words, 8);
        let even = match is_signed {
            true => {
                let up = out.op2c(Op::Shl, words, 8);
                out.op2c(Op::Ashr, up, 8)
            }
            false => out.op2c(Op::And, v, 0x00ff_00ff),
        };
        [even, odd].map(|v| out.bitcast(ty, v))
    }
}
