//! What has no lane form, one active lane after the other: calls, atomics, printf, volatile accesses. Operands are laid
//! down in memory, and a loop over the mask's bits takes them from there.

use super::shape::Shape;
use super::widen::{Lanes, Widen};
use crate::ir::{Imm, InstData, IntPred, Op, Scalar, SlotId, Target, Term, Type, Value};
use smallvec::SmallVec;

/// An operand for the loop over lanes.
enum Operand {
    /// The same for all.
    Same(Value),
    /// Components as arrays of one element per lane; whether they stand for booleans.
    Arrays(SmallVec<[(SlotId, Type); 1]>, Type),
    /// Pointers as one base and an array of indices, how these are extended, and what they are multiplied by.
    Indexed { base: Value, indices: (SlotId, Type), extend: Option<Op>, scale: Imm },
}

impl Widen<'_> {
    /// Executes an instruction for each active lane, by increasing lane.
    pub(super) fn one_by_one(&mut self, data: &InstData) {
        self.counts.serial += 1;
        let operands: SmallVec<[Operand; 4]> = data.args.iter().map(|&arg| self.lay_down(arg)).collect();
        let result = data.result.filter(|&r| self.is_used(r)).map(|r| (r, self.func.ty(r)));
        let results: SmallVec<[(SlotId, Type); 1]> = match result {
            Some((_, ty)) => self.arrays(ty),
            None => SmallVec::new(),
        };
        let atomic = matches!(data.op, Op::AtomicLoad | Op::AtomicStore | Op::AtomicRmw | Op::AtomicCas);
        match self.mask {
            None if atomic => self.all_lanes(data, &operands, &results),
            Some(mask) if atomic && self.is_mostly_full() => {
                let [full, part, end] = std::array::from_fn(|_| self.func.add_block());
                let all = self.emit(Op::MaskAll, Type::I1, &[mask], Imm::None);
                self.end(Term::Br { cond: all, then: Target::plain(full), els: Target::plain(part) });
                self.go_on(full);
                self.all_lanes(data, &operands, &results);
                self.end(Term::Jump(Target::plain(end)));
                self.go_on(part);
                self.each_lane(data, &operands, &results);
                self.end(Term::Jump(Target::plain(end)));
                self.go_on(end);
            }
            _ => self.each_lane(data, &operands, &results),
        }
        if let Some((result, ty)) = result {
            let lanes = results
                .iter()
                .map(|&(slot, elem)| {
                    let v = self.read(slot, elem.with_lanes(self.width));
                    self.boolean(v, ty)
                })
                .collect();
            self.set_vector(result, lanes);
        }
    }

    /// True if lanes are missing only because work-items are, or have left the loop.
    fn is_mostly_full(&self) -> bool {
        match self.facts.inner_loop(self.home) {
            None => self.is_whole(),
            Some(l) => self.facts.loops.loops[l].latches.iter().all(|&b| self.facts.dom.dominates(self.home, b)),
        }
    }

    fn all_lanes(&mut self, data: &InstData, operands: &[Operand], results: &[(SlotId, Type)]) {
        for lane in 0..self.width {
            let lane = self.i64(i64::from(lane));
            self.one_lane(data, operands, results, lane);
        }
    }

    /// A loop over the active lanes.
    fn each_lane(&mut self, data: &InstData, operands: &[Operand], results: &[(SlotId, Type)]) {
        let mask = self.full_mask();
        let bits = self.emit(Op::MaskBits, Type::I64, &[mask], Imm::None);
        let left = self.slot(Type::I64);
        self.write(left, bits);
        let [head, body, end] = std::array::from_fn(|_| self.func.add_block());
        self.end(Term::Jump(Target::plain(head)));
        self.go_on(head);
        let bits = self.read(left, Type::I64);
        let more = self.icmp_bits(IntPred::Ne, bits, 0);
        self.end(Term::Br { cond: more, then: Target::plain(body), els: Target::plain(end) });
        self.go_on(body);
        let lane = self.emit(Op::Ctz, Type::I64, &[bits], Imm::None);
        self.one_lane(data, operands, results, lane);
        let less = self.op_bits(Op::Sub, bits, 1);
        let rest = self.op(Op::And, &[bits, less]);
        self.write(left, rest);
        self.end(Term::Jump(Target::plain(head)));
        self.go_on(end);
    }

    fn one_lane(&mut self, data: &InstData, operands: &[Operand], results: &[(SlotId, Type)], lane: Value) {
        let args: SmallVec<[Value; 4]> = operands.iter().map(|operand| self.take(operand, lane)).collect();
        let ty = data.result.map(|r| self.func.ty(r));
        let value = self.push(data.op, ty, &args, data.imm.clone(), data.attr);
        if let (Some(value), Some(ty), false) = (value, ty, results.is_empty()) {
            self.put(value, ty, results, lane);
        }
    }

    /// Arrays for the components of a value.
    fn arrays(&mut self, ty: Type) -> SmallVec<[(SlotId, Type); 1]> {
        let elem = Type::scalar(match ty.elem {
            Scalar::I1 => Scalar::I8,
            Scalar::Ptr(_) => Scalar::I64,
            elem => elem,
        });
        (0..ty.lanes).map(|_| (self.slot(elem.with_lanes(self.width)), elem)).collect()
    }

    fn lay_down(&mut self, v: Value) -> Operand {
        if self.shape(v) == Shape::Uniform {
            return Operand::Same(self.scalar(v));
        }
        if let Some((base, index, extend, scale)) = self.base_and_index(v) {
            let elem = self.func.ty(index).lane();
            let slot = self.slot(elem.with_lanes(self.width));
            self.write(slot, index);
            return Operand::Indexed { base, indices: (slot, elem), extend, scale };
        }
        let ty = self.func.ty(v);
        let lanes = self.vector(v);
        let arrays = self.arrays(ty);
        for (&lane, &(slot, elem)) in lanes.iter().zip(&arrays) {
            let wide = elem.with_lanes(self.width);
            let lane = if ty.elem == Scalar::I1 { self.emit(Op::Zext, wide, &[lane], Imm::None) } else { lane };
            self.write(slot, lane);
        }
        Operand::Arrays(arrays, ty)
    }

    /// One lane of an operand.
    fn take(&mut self, operand: &Operand, lane: Value) -> Value {
        let (arrays, ty) = match operand {
            Operand::Same(v) => return *v,
            Operand::Indexed { base, indices: (slot, elem), extend, scale } => {
                let ptr = self.element(*slot, *elem, lane);
                let index = self.emit(Op::Load, *elem, &[ptr], Imm::None);
                let index = extend.map_or(index, |extend| self.emit(extend, Type::I64, &[index], Imm::None));
                return self.emit(Op::PtrAdd, self.func.ty(*base), &[*base, index], scale.clone());
            }
            Operand::Arrays(arrays, ty) => (arrays, *ty),
        };
        let parts: Lanes = arrays
            .iter()
            .map(|&(slot, elem)| {
                let ptr = self.element(slot, elem, lane);
                let v = self.emit(Op::Load, elem, &[ptr], Imm::None);
                self.boolean(v, ty)
            })
            .collect();
        self.put_together(ty, &parts)
    }

    /// Keeps one lane of the result.
    fn put(&mut self, v: Value, ty: Type, arrays: &[(SlotId, Type)], lane: Value) {
        for (part, &(slot, elem)) in self.take_apart(v).into_iter().zip(arrays) {
            let part = if ty.elem == Scalar::I1 { self.emit(Op::Zext, elem, &[part], Imm::None) } else { part };
            let ptr = self.element(slot, elem, lane);
            self.push(Op::Store, None, &[ptr, part], Imm::None, crate::ir::Attr::default());
        }
    }

    fn element(&mut self, slot: SlotId, elem: Type, lane: Value) -> Value {
        let base = self.slot_addr(slot);
        let imm = Imm::Scale { scale: elem.bytes(), disp: 0 };
        self.emit(Op::PtrAdd, self.func.ty(base), &[base, lane], imm)
    }

    /// Bytes that stand for booleans, as booleans again.
    fn boolean(&mut self, v: Value, ty: Type) -> Value {
        if ty.elem != Scalar::I1 { v } else { self.icmp_bits(IntPred::Ne, v, 0) }
    }
}
