//! Collectives and asynchronous copies. None of them needs a loop over the work-items of its own: the work-item loop
//! that leads to one runs by increasing linear local id, so it accumulates the operands as work-items come by
//! (`accumulate`), in variables that are set up beforehand (`reset_accumulator`). What is left to do once per group
//! when all have arrived is little (`finish_collective`).
//!
//! A scan's result is known when its work-item has given its operand. So a scan is an ordinary instruction of its
//! region, unless a loop leads back to it without passing a barrier; then it is a barrier, and its result lies in the
//! context. The order of floating operands is laid down in `ir::collective`.

use super::assemble::GroupBuilder;
use super::context::ContextArray;
use super::geometry::ItemLoop;
use crate::ir::collective::{CollectiveOp, REDUCE_COLUMNS, SCAN_RUN};
use crate::ir::{Attr, Imm, Inst, InstData, IntPred, Op, Scalar, SlotId, Type, Value};

/// Variables in which one work-item loop accumulates the operands of one operation.
#[derive(Clone)]
pub(super) enum Accumulator {
    /// What the operands so far come to, as an integer: votes, integer reductions, and broadcasts (the bits of the
    /// operand that is wanted, or those of all others as 0).
    Integer { slot: SlotId, ty: Type, op: Op, neutral: u64 },
    /// `REDUCE_COLUMNS` partial results in memory: floating reductions.
    Partial { slot: SlotId, ty: Type, op: CollectiveOp },
    /// Scans.
    Scan(Scan),
    /// The operands of the last work-item, alike for all: asynchronous copies, and waits for them in checked code.
    Operands(Vec<SlotId>),
}

#[derive(Clone, Copy)]
pub(super) struct Scan {
    ty: Type,
    op: CollectiveOp,
    /// The result of the work-item at hand.
    result: SlotId,
    /// All operands so far; with `run`, those of whole runs.
    base: SlotId,
    /// Operands of the run at hand, where runs matter.
    run: Option<SlotId>,
    /// Exclusive scans: the result of the next work-item. May be `base`.
    next: Option<SlotId>,
}

/// True if a convergent instruction takes something from work-items.
pub(super) fn has_operands(data: &InstData) -> bool {
    data.op != Op::Barrier || !data.args.is_empty()
}

impl GroupBuilder<'_> {
    /// Sets up what the next work-item loop accumulates for an operation.
    pub(super) fn reset_accumulator(&mut self, inst: Inst) {
        if !self.accumulators.contains_key(&inst) {
            let new = self.new_accumulator(inst);
            self.accumulators.insert(inst, new);
        }
        match self.accumulators[&inst] {
            Accumulator::Integer { slot, ty, neutral, .. } => self.set_slot(slot, ty, neutral),
            Accumulator::Partial { slot, ty, op } => {
                let neutral = self.b.bits(ty, op.neutral(ty.elem));
                let partials = self.b.emit(Op::Splat, ty.with_lanes(REDUCE_COLUMNS as u8), &[neutral], Imm::None);
                self.write_slot(slot, partials);
            }
            Accumulator::Scan(Scan { ty, op, base, run, next, .. }) => {
                for slot in [Some(base), run].into_iter().flatten() {
                    self.set_slot(slot, ty, op.neutral(ty.elem));
                }
                if let Some(next) = next {
                    self.set_slot(next, ty, op.identity(ty.elem));
                }
            }
            Accumulator::Operands(_) => {}
        }
    }

    fn new_accumulator(&mut self, inst: Inst) -> Accumulator {
        let data = &self.old.insts[inst];
        let Some(ty) = data.result.map(|r| self.old.ty(r)) else {
            return Accumulator::Operands(data.args.iter().map(|&arg| self.slot_for(self.old.ty(arg))).collect());
        };
        let (op, neutral) = match (data.op, &data.imm) {
            (Op::WgScanInc | Op::WgScanExc, &Imm::Collective(op)) => {
                let base = self.slot_for(ty);
                let run = matches!(op, CollectiveOp::Fadd | CollectiveOp::Fmul).then(|| self.slot_for(ty));
                let same = run.is_none() && op.neutral(ty.elem) == op.identity(ty.elem);
                let next = (data.op == Op::WgScanExc).then(|| if same { base } else { self.slot_for(ty) });
                return Accumulator::Scan(Scan { ty, op, result: self.slot_for(ty), base, run, next });
            }
            (Op::WgReduce, &Imm::Collective(op)) if op.is_float() => {
                let slot = self.slot_for(ty.with_lanes(REDUCE_COLUMNS as u8));
                return Accumulator::Partial { slot, ty, op };
            }
            (_, Imm::Collective(op)) => (op.op(), op.neutral(ty.elem)),
            (Op::WgAll, _) => (Op::And, 1),
            _ => (Op::Or, 0),
        };
        let ty = if ty.elem == Scalar::I1 { Type::I32 } else { ty.with_elem(ty.elem.as_int()) };
        Accumulator::Integer { slot: self.slot_for(ty), ty, op, neutral }
    }

    /// A work-item meets an operation with these operands.
    pub(super) fn accumulate(&mut self, inst: Inst, operands: &[Value], items: &ItemLoop) {
        match self.accumulators[&inst].clone() {
            Accumulator::Integer { slot, ty, op, .. } => {
                let mut v = self.as_bits(operands[0], ty);
                if self.old.insts[inst].op == Op::WgBroadcast {
                    let mine = self.b.icmp(IntPred::Eq, items.index, operands[1]);
                    let nothing = self.b.bits(ty, 0);
                    v = self.b.op(Op::Select, &[mine, v, nothing]);
                }
                self.combine(slot, op, ty, v);
            }
            Accumulator::Partial { slot, ty, op } => self.add_to_column(slot, ty, op, items.index, operands[0]),
            Accumulator::Scan(scan) => self.scan(scan, operands[0], items),
            Accumulator::Operands(slots) => {
                for (&slot, &v) in slots.iter().zip(operands) {
                    self.write_slot(slot, v);
                }
            }
        }
    }

    /// Takes the operand of a work-item into its column of a floating reduction.
    fn add_to_column(&mut self, slot: SlotId, ty: Type, op: CollectiveOp, index: Value, operand: Value) {
        let mask = self.b.i64(REDUCE_COLUMNS as i64 - 1);
        let number = self.b.op(Op::And, &[index, mask]);
        let partials = self.b.slot_addr(slot);
        let ptr = self.b.ptr_add(partials, number, ty.bytes(), 0);
        let left = self.load(ptr, ty);
        let v = self.b.op(op.op(), &[operand, left]);
        self.store(ptr, v);
    }

    /// Does so for the operands of all work-items, which lie in the context.
    fn combine_operands(&mut self, array: ContextArray, slot: SlotId, ty: Type, op: CollectiveOp) {
        let lsz = self.group().lsz;
        let all = self.items_of(lsz);
        let i = self.slot_for(Type::I64);
        self.set_slot(i, Type::I64, 0);
        let [body, exit] = std::array::from_fn(|_| self.b.func.add_block());
        self.jump(body);
        self.b.enter(body);
        let now = self.read_slot(i, Type::I64);
        let ptr = self.element_at(array, now);
        let operand = self.load(ptr, ty);
        self.add_to_column(slot, ty, op, now, operand);
        let one = self.b.i64(1);
        let next = self.combine(i, Op::Add, Type::I64, one);
        let more = self.b.icmp(IntPred::ULt, next, all);
        self.b.branch(more, body, exit);
        self.b.enter(exit);
    }

    fn scan(&mut self, scan: Scan, v: Value, items: &ItemLoop) {
        let Scan { ty, op, .. } = scan;
        if let Some(next) = scan.next {
            let result = self.read_slot(next, ty);
            self.write_slot(scan.result, result);
        }
        let sum = match scan.run {
            None => self.combine(scan.base, op.op(), ty, v),
            Some(run) => {
                let mask = self.b.i64(SCAN_RUN as i64 - 1);
                let place = self.b.op(Op::And, &[items.index, mask]);
                let is_last = self.b.icmp(IntPred::Eq, place, mask);
                let run_sum = self.combine(run, op.op(), ty, v);
                let neutral = self.b.bits(ty, op.neutral(ty.elem));
                let next_run = self.b.op(Op::Select, &[is_last, neutral, run_sum]);
                self.write_slot(run, next_run);
                let base = self.read_slot(scan.base, ty);
                let sum = self.b.op(op.op(), &[run_sum, base]);
                let next_base = self.b.op(Op::Select, &[is_last, sum, base]);
                self.write_slot(scan.base, next_base);
                sum
            }
        };
        self.write_slot(scan.next.unwrap_or(scan.result), sum);
    }

    /// The bits of a scalar as an integer, and a truth value as 0 or 1.
    fn as_bits(&mut self, v: Value, ty: Type) -> Value {
        match self.b.func.ty(v) {
            from if from == ty => v,
            from if from.elem == Scalar::I1 => self.b.convert(Op::Zext, ty, v),
            _ => self.b.convert(Op::Bitcast, ty, v),
        }
    }

    fn of_bits(&mut self, v: Value, to: Type) -> Value {
        match self.b.func.ty(v) {
            from if from == to => v,
            from if to.elem == Scalar::I1 => {
                let zero = self.b.bits(from, 0);
                self.b.icmp(IntPred::Ne, v, zero)
            }
            _ => self.b.convert(Op::Bitcast, to, v),
        }
    }

    /// The variable that holds a scan's result after `accumulate`.
    pub(super) fn scan_result(&self, inst: Inst) -> SlotId {
        match self.accumulators[&inst] {
            Accumulator::Scan(scan) => scan.result,
            _ => unreachable!("not a scan"),
        }
    }

    /// What the group does at a barrier when all work-items have arrived. The current block is the barrier's handler.
    pub(super) fn finish_collective(&mut self, k: usize, inst: Inst) {
        if let (Some(&array), Some(Accumulator::Partial { slot, ty, op })) =
            (self.context.operands.get(&k), self.accumulators.get(&inst).cloned())
        {
            self.combine_operands(array, slot, ty, op);
        }
        let Some(accumulator) = self.accumulators.get(&inst).cloned() else { return };
        let data = &self.old.insts[inst];
        self.b.origin = data.origin;
        let (v, result) = match (accumulator, data.result) {
            (Accumulator::Integer { slot, ty, .. }, Some(result)) => {
                let v = self.read_slot(slot, ty);
                (self.of_bits(v, self.old.ty(result)), result)
            }
            (Accumulator::Partial { slot, ty, op }, Some(result)) => (self.join_partials(slot, op, ty), result),
            (Accumulator::Operands(slots), _) if data.op == Op::AsyncCopy => return self.async_copy(k, inst, &slots),
            (Accumulator::Operands(slots), _) => return self.tell_of_waits(inst, &slots),
            _ => return,
        };
        let slot = self.uniform_slot(result);
        self.write_slot(slot, v);
    }

    /// Joins the partial results of a floating reduction, halves at a time.
    fn join_partials(&mut self, slot: SlotId, op: CollectiveOp, ty: Type) -> Value {
        let mut lanes = REDUCE_COLUMNS as u8;
        let mut partials = self.read_slot(slot, ty.with_lanes(lanes));
        while lanes > 2 {
            lanes /= 2;
            let half = |this: &mut Self, from: u8| {
                let imm = Imm::Lanes((from..from + lanes).collect());
                this.b.emit(Op::Shuffle, ty.with_lanes(lanes), &[partials, partials], imm)
            };
            let (left, right) = (half(self, 0), half(self, lanes));
            partials = self.b.op(op.op(), &[right, left]);
        }
        let [left, right] = [0, 1].map(|lane| self.b.emit(Op::Extract, ty, &[partials], Imm::Lane(lane)));
        self.b.op(op.op(), &[right, left])
    }

    /// The operands that work-items have left in slots.
    pub(super) fn operands(&mut self, inst: Inst, slots: &[SlotId]) -> Vec<Value> {
        let args = self.old.insts[inst].args.clone();
        let operand = |(&arg, &slot): (&Value, &SlotId)| {
            let ty = self.old.ty(arg);
            match self.old.const_bits(arg) {
                Some(bits) => self.b.bits(ty, bits),
                None => self.read_slot(slot, ty),
            }
        };
        args.iter().zip(slots).map(operand).collect()
    }

    /// Copies planes of lines once for the group.
    fn async_copy(&mut self, k: usize, inst: Inst, slots: &[SlotId]) {
        let operands = self.operands(inst, slots);
        let [dst, src, mut bytes, mut lines, dst_line, src_line, planes, dst_plane, src_plane] =
            std::array::from_fn(|i| operands[i]);
        self.tell_of_copy(k, &operands);
        // Lines that lie end to end are one.
        let line = self.b.func.const_bits(bytes);
        if line.is_some() && [dst_line, src_line].iter().all(|&stride| self.b.func.const_bits(stride) == line) {
            bytes = self.b.op(Op::Mul, &[lines, bytes]);
            lines = self.b.i64(1);
        }
        self.copy_nest([dst, src], bytes, &[[planes, dst_plane, src_plane], [lines, dst_line, src_line]]);
    }

    /// Copies so many bytes in loops, each of which has a trip count and what to add to destination and source.
    fn copy_nest(&mut self, [dst, src]: [Value; 2], bytes: Value, loops: &[[Value; 3]]) {
        let Some((&[n, dst_stride, src_stride], inner)) = loops.split_first() else {
            self.b.push(Op::Memcpy, None, &[dst, src, bytes], Imm::None, Attr::default());
            return;
        };
        if self.b.func.const_bits(n) == Some(1) {
            return self.copy_nest([dst, src], bytes, inner);
        }
        let i = self.slot_for(Type::I64);
        self.set_slot(i, Type::I64, 0);
        let [head, body, exit] = std::array::from_fn(|_| self.b.func.add_block());
        self.jump(head);
        self.b.enter(head);
        let now = self.read_slot(i, Type::I64);
        let more = self.b.icmp(IntPred::ULt, now, n);
        self.b.branch(more, body, exit);
        self.b.enter(body);
        let ends = [(dst, dst_stride), (src, src_stride)].map(|(base, stride)| {
            let index = self.b.op(Op::Mul, &[now, stride]);
            self.b.ptr_add(base, index, 1, 0)
        });
        self.copy_nest(ends, bytes, inner);
        let one = self.b.i64(1);
        self.combine(i, Op::Add, Type::I64, one);
        self.jump(head);
        self.b.enter(exit);
    }
}
