//! Masks: comparisons, logic, selection, tests.

use super::width_of;
use crate::ir::entity::Entity;
use crate::ir::{Attr, FloatPred, Imm, InstData, IntPred, Op, Rounding, Scalar, Type, Value};
use crate::legalize::Legalizer;
use crate::legalize::pieces::Pieces;

/// True if vectors have instructions for the contrary of a predicate only.
fn is_contrary(pred: IntPred, elem: Scalar) -> bool {
    use IntPred::*;
    match pred {
        Ne | SLe | SGe => true,
        // Smaller unsigned numbers have a minimum and a maximum, which tell whether one is not above or not below the other.
        ULt | UGt => elem.bits() < 64,
        ULe | UGe => elem.bits() == 64,
        Eq | SLt | SGt => false,
    }
}

impl Legalizer<'_> {
    pub(super) fn compare(&mut self, inst: &InstData) -> bool {
        let Some(result) = inst.result else { return false };
        let ty = self.old.ty(inst.args[0]);
        if ty.elem == Scalar::I1 {
            return false;
        }
        let mut operands = [self.own_parts(inst.args[0]), self.own_parts(inst.args[1])];
        let mut width = width_of(ty.elem);
        if ty.elem == Scalar::F16 {
            for pieces in &mut operands {
                match self.convert_pieces(Op::Fpext, ty, Scalar::F32, Rounding::Rte, pieces) {
                    Some(wide) => *pieces = wide,
                    None => return false,
                }
            }
            width = 32;
        }
        let [a, b] = operands;
        let parts: Pieces = a.iter().zip(&b).map(|(&a, &b)| self.compare_part(&inst.imm, a, b)).collect();
        self.set_parts(result, &parts, width);
        true
    }

    fn compare_part(&mut self, imm: &Imm, a: Value, b: Value) -> Value {
        let out = &mut self.out;
        match *imm {
            Imm::IntPred(pred) if !out.mask_registers && is_contrary(pred, out.ty(a).elem) => {
                let holds = out.icmp(pred.inverted(), a, b);
                out.op1(Op::Not, holds)
            }
            Imm::IntPred(pred) => out.icmp(pred, a, b),
            // Two predicates that Cranelift lacks for vectors.
            Imm::FloatPred(FloatPred::ONe) if !out.mask_registers => {
                let ordered = out.fcmp(FloatPred::Ord, a, b);
                let different = out.fcmp(FloatPred::UNe, a, b);
                out.op2(Op::And, ordered, different)
            }
            Imm::FloatPred(FloatPred::UEq) if !out.mask_registers => {
                let unordered = out.fcmp(FloatPred::Uno, a, b);
                let same = out.fcmp(FloatPred::OEq, a, b);
                out.op2(Op::Or, unordered, same)
            }
            Imm::FloatPred(pred) => out.fcmp(pred, a, b),
            _ => unreachable!("comparisons have a predicate"),
        }
    }

    /// The width in which an op on masks works: that of its operands if they agree, else the result's home.
    fn common_width(&self, result: Value, args: &[Value]) -> u8 {
        let held = |v: Value| self.map[v.index()].2;
        let first = held(args[0]);
        if first != 0 && args.iter().all(|&a| held(a) == first) { first } else { self.choice[result.index()] }
    }

    /// And, or, exclusive or, complement of masks; sums and products modulo 2.
    pub(super) fn mask_logic(&mut self, inst: &InstData) -> bool {
        let Some(result) = inst.result else { return false };
        let op = match inst.op {
            Op::And | Op::Or | Op::Xor | Op::Not => inst.op,
            Op::Add | Op::Sub => Op::Xor,
            Op::Mul => Op::And,
            _ => return false,
        };
        let width = self.common_width(result, &inst.args);
        let a = self.parts(inst.args[0], width);
        let parts: Pieces = match inst.args.get(1) {
            None => a.iter().map(|&a| self.out.op1(op, a)).collect(),
            Some(&b) => {
                let b = self.parts(b, width);
                a.iter().zip(&b).map(|(&a, &b)| self.out.op2(op, a, b)).collect()
            }
        };
        self.set_parts(result, &parts, width);
        true
    }

    pub(super) fn select_lanes(&mut self, inst: &InstData) -> bool {
        let Some(result) = inst.result else { return false };
        let [cond, a, b] = inst.args[..] else { return false };
        let ty = self.old.ty(result);
        let is_mask = ty.elem == Scalar::I1;
        let width = if is_mask { self.common_width(result, &inst.args[1..]) } else { width_of(ty.elem) };
        let masks = if self.old.ty(cond).is_vector() {
            self.parts(cond, width)
        } else {
            let scalar = self.scalar(cond);
            let mask_ty = Type::I1.with_lanes(ty.lanes);
            let one = self.put_together(&[scalar], mask_ty, width)[0];
            Pieces::from_elem(one, self.layout(mask_ty, width).count)
        };
        let (a, b) = (self.parts(a, width), self.parts(b, width));
        let parts: Pieces = (0..a.len()).map(|i| self.select_part(masks[i], a[i], b[i])).collect();
        self.set_parts(result, &parts, width);
        true
    }

    /// `a` where a part of a mask holds, else `b`.
    pub(super) fn select_part(&mut self, mask: Value, a: Value, b: Value) -> Value {
        if a == b {
            return a;
        }
        let ty = self.out.ty(a);
        if !self.out.mask_registers {
            if let Some(InstData { op: Op::Not, args, .. }) = self.out.func.def_inst(mask) {
                let contrary = args[0];
                return self.select_part(contrary, b, a);
            }
            // Zero on one side needs no selection.
            if self.out.func.const_bits(b) == Some(0) {
                let bits = self.out.as_int(a);
                let kept = self.out.op2(Op::And, bits, mask);
                return self.out.bitcast(ty, kept);
            }
            if self.out.func.const_bits(a) == Some(0) {
                let other = self.out.op1(Op::Not, mask);
                let bits = self.out.as_int(b);
                let kept = self.out.op2(Op::And, bits, other);
                return self.out.bitcast(ty, kept);
            }
        } else if ty.elem == Scalar::I1 {
            let a = self.out.op2(Op::And, mask, a);
            let other = self.out.op1(Op::Not, mask);
            let b = self.out.op2(Op::And, other, b);
            return self.out.op2(Op::Or, a, b);
        }
        self.out.select(mask, a, b)
    }

    pub(in crate::legalize) fn test_mask(&mut self, inst: &InstData) -> bool {
        let Some(result) = inst.result else { return false };
        let mask = inst.args[0];
        let value = match inst.op {
            Op::MaskAny => self.any(mask),
            Op::MaskAll => self.all(mask),
            _ => self.mask_bits(mask),
        };
        self.set(result, &[value]);
        true
    }

    /// The parts of a mask as they are held, and their width.
    fn held_mask(&mut self, mask: Value) -> (Pieces, u8) {
        let width = match self.map[mask.index()].2 {
            0 => self.choice[mask.index()],
            width => width,
        };
        (self.parts(mask, width), width)
    }

    fn any(&mut self, mask: Value) -> Value {
        let (parts, width) = self.held_mask(mask);
        let ty = self.old.ty(mask);
        if !usize::from(ty.lanes).is_multiple_of(self.layout(ty, width).per) {
            let bits = self.mask_bits(mask);
            return self.out.icmpc(IntPred::Ne, bits, 0);
        }
        let joined = self.combine(Op::Or, &parts);
        self.out.typed(Op::MaskAny, Type::I1, &[joined], Imm::None, Attr::default())
    }

    /// True if all lanes of a mask are set.
    pub(super) fn all(&mut self, mask: Value) -> Value {
        let (parts, width) = self.held_mask(mask);
        let ty = self.old.ty(mask);
        let per = self.layout(ty, width).per;
        if !usize::from(ty.lanes).is_multiple_of(per) {
            let bits = self.mask_bits(mask);
            return self.out.icmpc(IntPred::Eq, bits, u64::MAX >> (64 - ty.lanes));
        }
        let joined = self.combine(Op::And, &parts);
        if self.out.mask_registers {
            return self.out.typed(Op::MaskAll, Type::I1, &[joined], Imm::None, Attr::default());
        }
        let (bits, lanes) = self.high_bits(joined);
        self.out.icmpc(IntPred::Eq, bits, u64::MAX >> (64 - lanes))
    }

    fn combine(&mut self, op: Op, parts: &[Value]) -> Value {
        parts[1..].iter().fold(parts[0], |all, &part| self.out.op2(op, all, part))
    }

    /// A bit for each lane of a part of a mask, or for each byte of lanes of two; and how many.
    fn high_bits(&mut self, part: Value) -> (Value, u32) {
        let ty = self.out.ty(part);
        let part = match ty.elem {
            // There is no instruction for words.
            Scalar::I16 => self.out.bitcast(Type::I8.with_lanes(ty.lanes * 2), part),
            _ => part,
        };
        let bits = self.out.typed(Op::MaskBits, Type::I64, &[part], Imm::None, Attr::default());
        (bits, u32::from(self.out.ty(part).lanes))
    }

    /// Bit i is lane i of a mask; the rest is 0.
    pub(super) fn mask_bits(&mut self, mask: Value) -> Value {
        let (parts, width) = self.held_mask(mask);
        self.bits_of_mask(&parts, self.old.ty(mask).lanes, width)
    }

    /// As `mask_bits`, of the parts of a mask of this width.
    pub(in crate::legalize) fn bits_of_mask(&mut self, parts: &[Value], lanes: u8, width: u8) -> Value {
        let mut width = width;
        let mut parts = Pieces::from_slice(parts);
        if !self.out.mask_registers {
            // Bytes have an instruction for the bits of a whole register.
            let narrow = if parts.len() > 2 || width == 16 { 8 } else { width };
            parts = self.resize_mask(&parts, lanes, width, narrow);
            width = narrow;
        }
        let per = self.layout(Type::I1.with_lanes(lanes), width).per;
        let mut whole: Option<Value> = None;
        for (i, &part) in parts.iter().enumerate() {
            let bits = self.out.typed(Op::MaskBits, Type::I64, &[part], Imm::None, Attr::default());
            whole = Some(match whole {
                None => bits,
                Some(low) => {
                    let high = self.out.op2c(Op::Shl, bits, (i * per) as u64);
                    self.out.op2(Op::Or, low, high)
                }
            });
        }
        let Some(bits) = whole else { unreachable!("a mask has parts") };
        if usize::from(lanes) < parts.len() * per {
            return self.out.op2c(Op::And, bits, u64::MAX >> (64 - lanes));
        }
        bits
    }

    /// Bit number `lane` as a truth value.
    pub(in crate::legalize) fn bit(&mut self, bits: Value, lane: u8) -> Value {
        let one = self.out.op2c(Op::And, bits, 1 << lane);
        self.out.icmpc(IntPred::Ne, one, 0)
    }

    /// True for a constant mask of all ones.
    pub(super) fn is_full(&self, mask: Value) -> bool {
        self.old.const_bits(mask) == Some(1)
    }
}
