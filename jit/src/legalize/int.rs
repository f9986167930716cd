//! Integer ops: division made total, saturation, averages, high halves.

use super::Legalizer;
use crate::ir::{Imm, InstData, IntPred, Op, Scalar, Type, Value};

impl Legalizer<'_> {
    /// One component of an integer op; `None` if there is no such op.
    pub(super) fn int(&mut self, inst: &InstData, elem: Scalar, args: &[Value]) -> Option<Value> {
        use Op::*;
        let bits = elem.bits();
        if bits == 1 {
            return self.boolean(inst, args);
        }
        let (a, b) = (args[0], args.get(1).copied().unwrap_or(args[0]));
        Some(match inst.op {
            Add | Sub | Mul | And | Or | Xor | Not | Neg | Shl | Lshr | Ashr | Rotl | Clz | Ctz | Popcnt | Bitrev
            | MinS | MinU | MaxS | MaxU | AbsS => {
                let ty = self.out.ty(a);
                self.out.typed(inst.op, ty, args, Imm::None, inst.attr)
            }
            Icmp => self.out.typed(Icmp, Type::I1, args, inst.imm.clone(), inst.attr),
            MulHiS | MulHiU if bits == 64 => self.out.op2(inst.op, a, b),
            MulHiS => self.mul_high(Sext, Ashr, elem, a, b),
            MulHiU => self.mul_high(Zext, Lshr, elem, a, b),
            DivS | DivU | RemS | RemU => self.division(inst.op, elem, a, b),
            AddSatU => {
                let room = self.out.op1(Not, b);
                let a = self.out.op2(MinU, a, room);
                self.out.op2(Add, a, b)
            }
            SubSatU => {
                let a = self.out.op2(MaxU, a, b);
                self.out.op2(Sub, a, b)
            }
            AddSatS | SubSatS => self.saturate(inst.op, elem, a, b),
            HaddS => self.average(And, Add, Ashr, a, b),
            HaddU => self.average(And, Add, Lshr, a, b),
            RhaddS => self.average(Or, Sub, Ashr, a, b),
            RhaddU => self.average(Or, Sub, Lshr, a, b),
            _ => return None,
        })
    }

    fn boolean(&mut self, inst: &InstData, args: &[Value]) -> Option<Value> {
        use Op::*;
        Some(match inst.op {
            And | Or | Xor => self.out.op2(inst.op, args[0], args[1]),
            Not => self.out.op1(Not, args[0]),
            // Arithmetic modulo 2.
            Add | Sub => self.out.op2(Xor, args[0], args[1]),
            Mul => self.out.op2(And, args[0], args[1]),
            Icmp => {
                let a = self.out.convert(Sext, Type::I8, args[0]);
                let b = self.out.convert(Sext, Type::I8, args[1]);
                self.out.typed(Icmp, Type::I1, &[a, b], inst.imm.clone(), inst.attr)
            }
            _ => return None,
        })
    }

    fn mul_high(&mut self, extend: Op, shift: Op, elem: Scalar, a: Value, b: Value) -> Value {
        let wide = if elem == Scalar::I32 { Type::I64 } else { Type::I32 };
        let a = self.out.convert(extend, wide, a);
        let b = self.out.convert(extend, wide, b);
        let product = self.out.op2(Op::Mul, a, b);
        let high = self.out.op2c(shift, product, u64::from(elem.bits()));
        self.out.convert(Op::Trunci, Type::scalar(elem), high)
    }

    /// Signed saturation: if the wrapped result's sign is wrong, the limit on the side of the first operand's sign.
    pub(super) fn saturate(&mut self, op: Op, elem: Scalar, a: Value, b: Value) -> Value {
        let out = &mut self.out;
        let top = u64::from(elem.bits() - 1);
        let result = out.op2(if op == Op::AddSatS { Op::Add } else { Op::Sub }, a, b);
        let from_a = out.op2(Op::Xor, a, result);
        // For a + b both signs must differ from the result's; for a - b, a's from the result's and from b's.
        let other = if op == Op::AddSatS { out.op2(Op::Xor, b, result) } else { out.op2(Op::Xor, a, b) };
        let both = out.op2(Op::And, from_a, other);
        let overflow = out.icmpc(IntPred::SLt, both, 0);
        let sign = out.op2c(Op::Ashr, a, top);
        let limit = out.op2c(Op::Xor, sign, (1u64 << top) - 1);
        out.select(overflow, limit, result)
    }

    /// Halved sum: common bits plus (or minus, to round up) half the differing ones.
    pub(super) fn average(&mut self, common: Op, combine: Op, shift: Op, a: Value, b: Value) -> Value {
        let common = self.out.op2(common, a, b);
        let differing = self.out.op2(Op::Xor, a, b);
        let half = self.out.op2c(shift, differing, 1);
        self.out.op2(combine, common, half)
    }

    /// Total division and remainder: x/0 = 0, x%0 = x, MIN/-1 = MIN, MIN%-1 = 0.
    fn division(&mut self, op: Op, elem: Scalar, a: Value, b: Value) -> Value {
        let signed = matches!(op, Op::DivS | Op::RemS);
        let divide = if signed { Op::DivS } else { Op::DivU };
        let remainder = matches!(op, Op::RemS | Op::RemU);
        if let Some(divisor) = self.out.func.const_bits(b) {
            return self.divide_by_constant(op, elem, a, b, divisor);
        }
        let extend = if signed { Op::Sext } else { Op::Zext };
        let out = &mut self.out;
        let by_zero = out.icmpc(IntPred::Eq, b, 0);
        let zero = out.like(a, 0);
        if elem == Scalar::I64 {
            let mut unsafe_divisor = by_zero;
            if signed {
                let min = out.icmpc(IntPred::Eq, a, i64::MIN as u64);
                let minus_one = out.icmpc(IntPred::Eq, b, u64::MAX);
                let overflow = out.op2(Op::And, min, minus_one);
                unsafe_divisor = out.op2(Op::Or, by_zero, overflow);
            }
            let one = out.like(b, 1);
            let divisor = out.select(unsafe_divisor, one, b);
            let quotient = out.op2(divide, a, divisor);
            let quotient = out.select(by_zero, zero, quotient);
            if !remainder {
                return quotient;
            }
            // One division serves both if the quotient is wanted too.
            let product = out.op2(Op::Mul, quotient, b);
            return out.op2(Op::Sub, a, product);
        }
        // The quotient in a float with more than twice the bits, or with enough that no quotient below an integer rounds
        // up to it: f32 for 16 bits (relative distance at least 2^-16), f64 for 32 bits. Truncation is then exact.
        let (float, via, back) = if elem == Scalar::I32 {
            (Type::F64, if signed { Scalar::I32 } else { Scalar::I64 }, Type::I64)
        } else {
            (Type::F32, Scalar::I32, Type::I32)
        };
        let wide_a = out.resize(a, via, extend);
        let wide_b = out.resize(b, via, extend);
        let float_a = out.convert(Op::Sitofp, float, wide_a);
        let float_b = out.convert(Op::Sitofp, float, wide_b);
        let quotient = out.op2(Op::Fdiv, float_a, float_b);
        let quotient = out.typed(Op::Fptosi, back, &[quotient], Imm::None, super::round::TRUNCATE);
        let quotient = out.convert(Op::Trunci, Type::scalar(elem), quotient);
        let quotient = out.select(by_zero, zero, quotient);
        if !remainder {
            return quotient;
        }
        let product = out.op2(Op::Mul, quotient, b);
        out.op2(Op::Sub, a, product)
    }

    fn divide_by_constant(&mut self, op: Op, elem: Scalar, a: Value, b: Value, divisor: u64) -> Value {
        let out = &mut self.out;
        let all_ones = u64::MAX >> (64 - elem.bits());
        match (op, divisor) {
            (Op::DivS | Op::DivU, 0) => return out.like(a, 0),
            (Op::RemS | Op::RemU, 0) => return a,
            (Op::DivS, d) if d == all_ones => return out.op1(Op::Neg, a),
            (Op::RemS, d) if d == all_ones => return out.like(a, 0),
            _ => {}
        }
        if elem.bits() >= 32 {
            return out.op2(op, a, b);
        }
        let extend = if matches!(op, Op::DivS | Op::RemS) { Op::Sext } else { Op::Zext };
        let a = out.convert(extend, Type::I32, a);
        let sign = 64 - elem.bits();
        let d = if extend == Op::Sext { ((divisor << sign) as i64 >> sign) as u64 } else { divisor };
        let result = out.op2c(op, a, d);
        out.convert(Op::Trunci, Type::scalar(elem), result)
    }
}
