//! What has no lane form, one active lane after the other: calls, atomics, printf, volatile accesses. Operands are laid
//! down in memory, and a loop over the mask's bits takes them from there; atomics of all lanes take theirs from the
//! vectors.

use super::shape::Shape;
use super::widen::{Lanes, Widen};
use crate::ir::{Imm, InstData, IntPred, Op, Scalar, SlotId, Target, Term, Type, Value};
use smallvec::SmallVec;

/// An operand of one lane after the other.
enum Operand {
    /// The same for all.
    Same(Value),
    /// Vectors of components, with bytes for booleans, and the type of one lane.
    Parts(SmallVec<[Elements; 1]>, Type),
    /// Pointers as one base and indices, how these are extended, and what they are multiplied by.
    Indexed { base: Value, indices: Elements, extend: Option<Op>, scale: Imm },
}

/// A vector whose lanes are wanted one by one.
struct Elements {
    vector: Value,
    /// The same in memory, if it is there.
    slot: Option<SlotId>,
}

/// Which lane.
#[derive(Clone, Copy)]
enum Lane {
    Known(u8),
    /// One that a value (i64) says; `Elements` are in memory.
    Any(Value),
}

impl Widen<'_> {
    /// Executes an instruction for each active lane, by increasing lane.
    pub(super) fn one_by_one(&mut self, data: &InstData) {
        self.counts.serial += 1;
        let mut operands: SmallVec<[Operand; 4]> = data.args.iter().map(|&arg| self.operand(arg)).collect();
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
                self.each_lane(data, &mut operands, &results);
                self.end(Term::Jump(Target::plain(end)));
                self.go_on(end);
            }
            _ => self.each_lane(data, &mut operands, &results),
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
            self.one_lane(data, operands, results, Lane::Known(lane));
        }
    }

    /// A loop over the active lanes.
    fn each_lane(&mut self, data: &InstData, operands: &mut [Operand], results: &[(SlotId, Type)]) {
        operands.iter_mut().for_each(|operand| self.lay_down(operand));
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
        self.one_lane(data, operands, results, Lane::Any(lane));
        let less = self.op_bits(Op::Sub, bits, 1);
        let rest = self.op(Op::And, &[bits, less]);
        self.write(left, rest);
        self.end(Term::Jump(Target::plain(head)));
        self.go_on(end);
    }

    fn one_lane(&mut self, data: &InstData, operands: &[Operand], results: &[(SlotId, Type)], lane: Lane) {
        let args: SmallVec<[Value; 4]> = operands.iter().map(|operand| self.take(operand, lane)).collect();
        let ty = data.result.map(|r| self.func.ty(r));
        let value = self.push(data.op, ty, &args, data.imm.clone(), data.attr);
        if let (Some(value), Some(ty), false) = (value, ty, results.is_empty()) {
            let lane = match lane {
                Lane::Known(lane) => self.i64(i64::from(lane)),
                Lane::Any(lane) => lane,
            };
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

    fn operand(&mut self, v: Value) -> Operand {
        if self.shape(v) == Shape::Uniform {
            return Operand::Same(self.scalar(v));
        }
        if let Some((base, index, extend, scale)) = self.base_and_index(v) {
            return Operand::Indexed { base, indices: Elements { vector: index, slot: None }, extend, scale };
        }
        let ty = self.func.ty(v);
        let parts = self.vector(v).into_iter().map(|part| {
            let bytes = Type::I8.with_lanes(self.width);
            let boolean = ty.elem == Scalar::I1;
            let vector = if boolean { self.emit(Op::Zext, bytes, &[part], Imm::None) } else { part };
            Elements { vector, slot: None }
        });
        Operand::Parts(parts.collect(), ty)
    }

    fn lay_down(&mut self, operand: &mut Operand) {
        let elements = match operand {
            Operand::Same(_) => &mut [],
            Operand::Parts(parts, _) => parts.as_mut_slice(),
            Operand::Indexed { indices, .. } => std::slice::from_mut(indices),
        };
        for elements in elements {
            let slot = self.slot(self.func.ty(elements.vector));
            self.write(slot, elements.vector);
            elements.slot = Some(slot);
        }
    }

    /// One lane of an operand.
    fn take(&mut self, operand: &Operand, lane: Lane) -> Value {
        match operand {
            Operand::Same(v) => *v,
            Operand::Indexed { base, indices, extend, scale } => {
                let index = self.element_at(indices, lane);
                let index = extend.map_or(index, |extend| self.emit(extend, Type::I64, &[index], Imm::None));
                self.emit(Op::PtrAdd, self.func.ty(*base), &[*base, index], scale.clone())
            }
            Operand::Parts(parts, ty) => {
                let parts: Lanes = parts
                    .iter()
                    .map(|elements| {
                        let v = self.element_at(elements, lane);
                        self.boolean(v, *ty)
                    })
                    .collect();
                self.put_together(*ty, &parts)
            }
        }
    }

    fn element_at(&mut self, elements: &Elements, lane: Lane) -> Value {
        let elem = self.func.ty(elements.vector).lane();
        match lane {
            Lane::Known(lane) => self.known_lane(elements.vector, lane),
            Lane::Any(lane) => {
                let slot = elements.slot.expect("elements are laid down for lanes that are not known");
                let ptr = self.element(slot, elem, lane);
                self.emit(Op::Load, elem, &[ptr], Imm::None)
            }
        }
    }

    /// A lane of a vector. Narrow integers leave a long vector 64 bits at a time, which are then taken apart.
    fn known_lane(&mut self, v: Value, lane: u8) -> Value {
        let ty = self.func.ty(v);
        let per = (64 / ty.elem.bits().max(1)) as u8;
        if per == 1 || !ty.elem.is_int() || ty.bytes() < 16 {
            return self.emit(Op::Extract, ty.lane(), &[v], Imm::Lane(lane));
        }
        let words = self.emit(Op::Bitcast, Type::I64.with_lanes(ty.lanes / per), &[v], Imm::None);
        let word = self.emit(Op::Extract, Type::I64, &[words], Imm::Lane(lane / per));
        let low = self.op_bits(Op::Lshr, word, u64::from(lane % per) * u64::from(ty.elem.bits()));
        self.emit(Op::Trunci, ty.lane(), &[low], Imm::None)
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
