//! Masks: comparisons, logic, selection, tests.

use super::{Made, each, width_of};
use crate::ir::entity::Entity;
use crate::ir::{FloatPred, Imm, InstData, IntPred, Op, Rounding, Scalar, Type, Value};
use crate::legalize::Legalizer;
use crate::legalize::pieces::Pieces;

/// True if vectors have instructions for the contrary of a predicate only, where not all of them are there.
fn is_contrary(pred: IntPred, elem: Scalar, all: bool) -> bool {
    use IntPred::*;
    match pred {
        Ne => true,
        _ if all => false,
        SLe | SGe => true,
        // Smaller unsigned numbers have a minimum and a maximum, which tell whether one is not above or not below the
        // other.
        ULt | UGt => elem.bits() < 64,
        ULe | UGe => elem.bits() == 64,
        Eq | SLt | SGt => false,
    }
}

impl Legalizer<'_> {
    pub(super) fn compare(&self, inst: &InstData) -> Made {
        let ty = self.old.ty(inst.args[0]);
        let mut width = width_of(ty.elem);
        if ty.elem == Scalar::I1 {
            return None;
        }
        let mut operands = [0, 1].map(|n| self.own_parts(inst.args[n]));
        if ty.elem == Scalar::F16 {
            width = 32;
            for pieces in &mut operands {
                *pieces = self.convert_pieces(Op::Fpext, ty, Scalar::F32, Rounding::Rte, pieces)?;
            }
        }
        let [a, b] = operands;
        Some((a.iter().zip(&b).map(|(&a, &b)| self.compare_part(&inst.imm, a, b)).collect(), width))
    }

    fn compare_part(&self, imm: &Imm, a: Value, b: Value) -> Value {
        let out = &self.out;
        match *imm {
            Imm::IntPred(pred)
                if !out.mask_registers && is_contrary(pred, out.ty(a).elem, self.target.int_compares) =>
            {
                out.op1(Op::Not, out.icmp(pred.inverted(), a, b))
            }
            Imm::IntPred(pred) => out.icmp(pred, a, b),
            Imm::FloatPred(pred) => self.compare_floats(pred, a, b),
            _ => unreachable!("comparisons have a predicate"),
        }
    }

    /// A comparison of floats by predicates that the machine has.
    pub(in crate::legalize) fn compare_floats(&self, pred: FloatPred, a: Value, b: Value) -> Value {
        use FloatPred::*;
        let out = &self.out;
        let has = |pred| self.target.float_compares.contains(&pred);
        let is_ordered = |v: Value| out.fcmp(OEq, v, v);
        match pred {
            _ if has(pred) => out.fcmp(pred, a, b),
            ONe if has(Ord) => out.op2(Op::And, out.fcmp(Ord, a, b), out.fcmp(UNe, a, b)),
            UEq if has(Uno) => out.op2(Op::Or, out.fcmp(Uno, a, b), out.fcmp(OEq, a, b)),
            ONe => out.op2(Op::Or, out.fcmp(OLt, a, b), out.fcmp(OGt, a, b)),
            Ord if a == b => is_ordered(a),
            Ord => out.op2(Op::And, is_ordered(a), is_ordered(b)),
            _ => out.op1(Op::Not, self.compare_floats(pred.inverted(), a, b)),
        }
    }

    /// The width in which an op on masks works: that of its operands if they agree, else the result's home.
    fn common_width(&self, result: Value, args: &[Value]) -> u8 {
        let held = |v: Value| self.map[v.index()].2;
        let first = held(args[0]);
        if first != 0 && args.iter().all(|&a| held(a) == first) { first } else { self.choice[result.index()] }
    }

    /// And, or, exclusive or, complement of masks; sums and products modulo 2.
    pub(super) fn mask_logic(&self, inst: &InstData, result: Value) -> Made {
        let op = match inst.op {
            Op::And | Op::Or | Op::Xor | Op::Not => inst.op,
            Op::Add | Op::Sub => Op::Xor,
            Op::Mul => Op::And,
            _ => return None,
        };
        let width = self.common_width(result, &inst.args);
        let a = self.parts(inst.args[0], width);
        let parts: Pieces = match inst.args.get(1) {
            None => each(&a, |a| self.out.op1(op, a)),
            Some(&b) => a.iter().zip(&self.parts(b, width)).map(|(&a, &b)| self.out.op2(op, a, b)).collect(),
        };
        Some((parts, width))
    }

    pub(super) fn select_lanes(&self, inst: &InstData, result: Value) -> Made {
        let &[cond, a, b] = &inst.args[..] else { return None };
        let ty = self.old.ty(result);
        let is_mask = ty.elem == Scalar::I1;
        let width = if is_mask { self.common_width(result, &inst.args[1..]) } else { width_of(ty.elem) };
        let masks = if self.old.ty(cond).is_vector() {
            self.parts(cond, width)
        } else {
            self.splat(cond, Type::I1.with_lanes(ty.lanes), width)
        };
        let (a, b) = (self.parts(a, width), self.parts(b, width));
        Some((self.select_parts(&masks, &a, &b), width))
    }

    /// `a` where a mask holds, else `b`.
    pub(super) fn select_parts(&self, masks: &[Value], a: &[Value], b: &[Value]) -> Pieces {
        (0..a.len()).map(|i| self.select_part(masks[i], a[i], b[i])).collect()
    }

    /// `a` where a part of a mask holds, else `b`.
    pub(super) fn select_part(&self, mask: Value, a: Value, b: Value) -> Value {
        if a == b {
            return a;
        }
        let out = &self.out;
        let ty = out.ty(a);
        // Zero on one side needs no selection.
        let kept = |v: Value, mask: Value| out.bitcast(ty, out.op2(Op::And, out.as_int(v), mask));
        if !out.mask_registers {
            if let Some(contrary) = out.operand_of(mask, Op::Not, &Imm::None) {
                return self.select_part(contrary, b, a);
            }
            if out.const_bits(b) == Some(0) {
                return kept(a, mask);
            }
            if out.const_bits(a) == Some(0) {
                let other = out.op1(Op::Not, mask);
                return kept(b, other);
            }
        } else if ty.elem == Scalar::I1 {
            let a = out.op2(Op::And, mask, a);
            return out.op2(Op::Or, a, out.op2(Op::And, out.op1(Op::Not, mask), b));
        }
        out.select(mask, a, b)
    }

    pub(super) fn test_mask(&self, inst: &InstData) -> Pieces {
        let mask = inst.args[0];
        Pieces::from_elem(
            match inst.op {
                Op::MaskAny => self.any(mask),
                Op::MaskAll => self.all(mask),
                _ => self.mask_bits(mask),
            },
            1,
        )
    }

    /// The parts of a mask as they are held, and their width.
    fn held_mask(&self, mask: Value) -> (Pieces, u8) {
        let width = match self.map[mask.index()].2 {
            0 => self.choice[mask.index()],
            width => width,
        };
        (self.parts(mask, width), width)
    }

    fn any(&self, mask: Value) -> Value {
        let (parts, width) = self.held_mask(mask);
        let ty = self.old.ty(mask);
        if !usize::from(ty.lanes).is_multiple_of(self.layout(ty, width).per) {
            return self.out.icmpc(IntPred::Ne, self.mask_bits(mask), 0);
        }
        let joined = self.combine(Op::Or, &parts);
        self.out.convert(Op::MaskAny, Type::I1, joined)
    }

    /// True if all lanes of a mask are set.
    pub(super) fn all(&self, mask: Value) -> Value {
        let (parts, width) = self.held_mask(mask);
        let ty = self.old.ty(mask);
        let per = self.layout(ty, width).per;
        if !usize::from(ty.lanes).is_multiple_of(per) {
            return self.out.icmpc(IntPred::Eq, self.mask_bits(mask), u64::MAX >> (64 - ty.lanes));
        }
        let joined = self.combine(Op::And, &parts);
        if self.out.mask_registers {
            return self.out.convert(Op::MaskAll, Type::I1, joined);
        }
        let (bits, lanes) = self.high_bits(joined);
        self.out.icmpc(IntPred::Eq, bits, u64::MAX >> (64 - lanes))
    }

    fn combine(&self, op: Op, parts: &[Value]) -> Value {
        parts[1..].iter().fold(parts[0], |all, &part| self.out.op2(op, all, part))
    }

    /// A bit for each lane of a part of a mask, or for each byte of lanes of two; and how many.
    fn high_bits(&self, part: Value) -> (Value, u32) {
        let ty = self.out.ty(part);
        let part = match ty.elem {
            // There is no instruction for words.
            Scalar::I16 => self.out.bitcast(Type::I8.with_lanes(ty.lanes * 2), part),
            _ => part,
        };
        let bits = self.out.convert(Op::MaskBits, Type::I64, part);
        (bits, u32::from(self.out.ty(part).lanes))
    }

    /// Bit i is lane i of a mask; the rest is 0.
    pub(super) fn mask_bits(&self, mask: Value) -> Value {
        let (parts, width) = self.held_mask(mask);
        self.bits_of_mask(&parts, self.old.ty(mask).lanes, width)
    }

    /// As `mask_bits`, of the parts of a mask of this width.
    pub(in crate::legalize) fn bits_of_mask(&self, parts: &[Value], lanes: u8, width: u8) -> Value {
        let mut width = width;
        let mut parts = Pieces::from_slice(parts);
        if !self.out.mask_registers {
            // Bytes have an instruction for the bits of a whole register.
            let narrow = if parts.len() > 2 || width == 16 { 8 } else { width };
            parts = self.resize_mask(&parts, lanes, width, narrow);
            width = narrow;
        }
        let per = self.layout(Type::I1.with_lanes(lanes), width).per;
        let bits_of = |part: Value| self.out.convert(Op::MaskBits, Type::I64, part);
        let bits = (1..).zip(&parts[1..]).fold(bits_of(parts[0]), |low, (i, &part)| {
            self.out.op2(Op::Or, low, self.out.op2c(Op::Shl, bits_of(part), (i * per) as u64))
        });
        if usize::from(lanes) < parts.len() * per {
            return self.out.op2c(Op::And, bits, u64::MAX >> (64 - lanes));
        }
        bits
    }

    /// Bit number `lane` as a truth value.
    pub(in crate::legalize) fn bit(&self, bits: Value, lane: u8) -> Value {
        self.out.icmpc(IntPred::Ne, self.out.op2c(Op::And, bits, 1 << lane), 0)
    }

    /// True for a constant mask of all ones.
    pub(super) fn is_full(&self, mask: Value) -> bool {
        self.old.const_bits(mask) == Some(1)
    }
}
