//! Integer ops: division made total, saturation, averages, high halves.

use super::Legalizer;
use super::expr::Expr;
use crate::ir::{Imm, InstData, IntPred, Op, Scalar, Type, Value};

impl Legalizer<'_> {
    /// One component of an integer op; `None` if there is no such op.
    pub(super) fn int(&self, inst: &InstData, elem: Scalar, args: &[Value]) -> Option<Value> {
        use Op::*;
        let bits = elem.bits();
        if bits == 1 {
            return self.boolean(inst, args);
        }
        let (a, b) = (args[0], args.get(1).copied().unwrap_or(args[0]));
        Some(match inst.op {
            Add | Sub | Mul | And | Or | Xor | Not | Neg | Shl | Lshr | Ashr | Rotl | Clz | Ctz | Popcnt | Bitrev
            | Bswap | MinS | MinU | MaxS | MaxU | AbsS => {
                let ty = self.out.ty(a);
                self.out.typed(inst.op, ty, args, Imm::None, inst.attr)
            }
            Icmp => self.out.typed(Icmp, Type::I1, args, inst.imm.clone(), inst.attr),
            MulHiS | MulHiU if bits == 64 => self.out.op2(inst.op, a, b),
            MulHiS => self.mul_high(Sext, Ashr, elem, a, b),
            MulHiU => self.mul_high(Zext, Lshr, elem, a, b),
            DivS | DivU | RemS | RemU => self.division(inst.op, elem, a, b),
            AddSatU => self.out.op2(Add, self.out.op2(MinU, a, self.out.op1(Not, b)), b),
            SubSatU => self.out.op2(Sub, self.out.op2(MaxU, a, b), b),
            Dot4Uu | Dot4Ss | Dot4Us => self.dot(inst.op, a, b),
            op => return self.bounded(op, a, b),
        })
    }

    fn boolean(&self, inst: &InstData, args: &[Value]) -> Option<Value> {
        use Op::*;
        Some(match inst.op {
            And | Or | Xor => self.out.op2(inst.op, args[0], args[1]),
            Not => self.out.op1(Not, args[0]),
            // Arithmetic modulo 2.
            Add | Sub => self.out.op2(Xor, args[0], args[1]),
            Mul => self.out.op2(And, args[0], args[1]),
            Icmp => {
                let bytes = [0, 1].map(|n| self.out.convert(Sext, Type::I8, args[n]));
                self.out.typed(Icmp, Type::I1, &bytes, inst.imm.clone(), inst.attr)
            }
            _ => return None,
        })
    }

    fn mul_high(&self, extend: Op, shift: Op, elem: Scalar, a: Value, b: Value) -> Value {
        let wide = if elem == Scalar::I32 { Type::I64 } else { Type::I32 };
        let [a, b] = [a, b].map(|v| self.out.expr(v).convert(extend, wide));
        (a * b).op(shift, u64::from(elem.bits())).convert(Op::Trunci, Type::scalar(elem)).v
    }

    /// Saturating sums of signed numbers, and averages: of scalars or parts.
    pub(super) fn bounded(&self, op: Op, a: Value, b: Value) -> Option<Value> {
        use Op::*;
        let [a, b] = [a, b].map(|v| self.out.expr(v));
        Some(match op {
            AddSatS | SubSatS => saturate(op, a, b).v,
            HaddS => average(And, Add, Ashr, a, b).v,
            HaddU => average(And, Add, Lshr, a, b).v,
            RhaddS => average(Or, Sub, Ashr, a, b).v,
            RhaddU => average(Or, Sub, Lshr, a, b).v,
            _ => return None,
        })
    }

    /// Total division and remainder: x/0 = 0, x%0 = x, MIN/-1 = MIN, MIN%-1 = 0.
    fn division(&self, op: Op, elem: Scalar, a: Value, b: Value) -> Value {
        let [a, b] = [a, b].map(|v| self.out.expr(v));
        if let Some(divisor) = self.out.const_bits(b.v) {
            return divide_by_constant(op, elem, a, b, divisor).v;
        }
        let signed = matches!(op, Op::DivS | Op::RemS);
        let by_zero = b.icmp(IntPred::Eq, 0);
        let zero = a.like(0);
        let quotient = if elem == Scalar::I64 {
            let mut unsafe_divisor = by_zero;
            if signed {
                let overflow = a.icmp(IntPred::Eq, i64::MIN as u64) & b.icmp(IntPred::Eq, u64::MAX);
                unsafe_divisor = by_zero | overflow;
            }
            let divisor = unsafe_divisor.select(b.like(1), b);
            a.op(if signed { Op::DivS } else { Op::DivU }, divisor)
        } else {
            divide_as_floats(elem, signed, a, b)
        };
        let quotient = by_zero.select(zero, quotient);
        // One division serves both if the quotient is wanted too.
        if matches!(op, Op::DivS | Op::DivU) { quotient.v } else { (a - quotient * b).v }
    }
}

/// Signed saturation: if the wrapped result's sign is wrong, the limit on the side of the first operand's sign.
fn saturate<'o>(op: Op, a: Expr<'o>, b: Expr<'o>) -> Expr<'o> {
    let top = u64::from(a.bits() - 1);
    let is_sum = op == Op::AddSatS;
    let result = if is_sum { a + b } else { a - b };
    // For a + b both signs must differ from the result's; for a - b, a's from the result's and from b's.
    let both = (a ^ result) & if is_sum { b ^ result } else { a ^ b };
    let overflow = both.icmp(IntPred::SLt, 0);
    let limit = a.ashr(top) ^ ((1u64 << top) - 1);
    overflow.select(limit, result)
}

/// Halved sum: common bits plus (or minus, to round up) half the differing ones.
fn average<'o>(common: Op, combine: Op, shift: Op, a: Expr<'o>, b: Expr<'o>) -> Expr<'o> {
    a.op(common, b).op(combine, (a ^ b).op(shift, 1))
}

/// The quotient in a float with more than twice the bits, or with enough that no quotient below an integer rounds up to
/// it: f32 for 16 bits (relative distance at least 2^-16), f64 for 32 bits. Truncation is then exact.
fn divide_as_floats<'o>(elem: Scalar, signed: bool, a: Expr<'o>, b: Expr<'o>) -> Expr<'o> {
    let (float, via, back) = if elem == Scalar::I32 {
        (Type::F64, if signed { Scalar::I32 } else { Scalar::I64 }, Type::I64)
    } else {
        (Type::F32, Scalar::I32, Type::I32)
    };
    let extend = if signed { Op::Sext } else { Op::Zext };
    let [a, b] = [a, b].map(|v| v.resize(via, extend));
    let [a, b] = [a, b].map(|v| v.convert(Op::Sitofp, float));
    let quotient = a.op(Op::Fdiv, b);
    let whole = a.out.typed(Op::Fptosi, back, &[quotient.v], Imm::None, super::round::TRUNCATE);
    a.out.expr(whole).convert(Op::Trunci, Type::scalar(elem))
}

fn divide_by_constant<'o>(op: Op, elem: Scalar, a: Expr<'o>, b: Expr<'o>, divisor: u64) -> Expr<'o> {
    let all_ones = u64::MAX >> (64 - elem.bits());
    match (op, divisor) {
        (Op::DivS | Op::DivU, 0) => return a.like(0),
        (Op::RemS | Op::RemU, 0) => return a,
        (Op::DivS, d) if d == all_ones => return -a,
        (Op::RemS, d) if d == all_ones => return a.like(0),
        _ if elem.bits() >= 32 => return a.op(op, b),
        _ => {}
    }
    let signed = matches!(op, Op::DivS | Op::RemS);
    let unused = 64 - elem.bits();
    let divisor = if signed { ((divisor << unused) as i64 >> unused) as u64 } else { divisor };
    let wide = a.convert(if signed { Op::Sext } else { Op::Zext }, Type::I32);
    wide.op(op, divisor).convert(Op::Trunci, Type::scalar(elem))
}
