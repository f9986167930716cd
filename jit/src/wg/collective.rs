//! Collectives and asynchronous copies. No pass over the work-items is needed for any of them: the loop that leads to one runs
//! by increasing linear local id, so it gathers the operands as the work-items come by (`gather`), in variables that it sets
//! up beforehand (`open_gathers`). What is left to do once per group when all have arrived is little (`meet`).
//!
//! A scan's result is known when its work-item has given its operand. So a scan is an ordinary instruction of its region,
//! unless a loop leads back to it without passing a cut; then it is a cut, and its result lies in the record.
//! The order of floating operands is laid down in `ir::collective`.

use super::assemble::Asm;
use super::geometry::ItemLoop;
use crate::ir::collective::{CollectiveOp, REDUCE_COLUMNS, SCAN_RUN};
use crate::ir::{Attr, Imm, Inst, IntPred, Op, Scalar, SlotId, Type, Value};

/// Variables in which one loop over work-items gathers the operands of one operation.
#[derive(Clone)]
pub(super) enum Gather {
    /// What the operands so far come to, as an integer: votes, integer reductions, and broadcasts (the bits of the operand that
    /// is wanted, or those of all others as 0).
    Value(SlotId, Type),
    /// `REDUCE_COLUMNS` values in memory: floating reductions.
    Columns(SlotId),
    /// Scans.
    Scan(Scan),
    /// The operands of the last work-item, alike for all: asynchronous copies.
    Uniform(Vec<SlotId>),
}

#[derive(Clone, Copy)]
pub(super) struct Scan {
    /// The result of the work-item at hand.
    result: SlotId,
    /// All operands so far; with `run`, those of whole runs.
    base: SlotId,
    /// Operands of the run at hand, where runs matter.
    run: Option<SlotId>,
    /// Exclusive scans: the result of the next work-item. May be `base`.
    next: Option<SlotId>,
}

impl Asm<'_> {
    /// Sets up what the next loop over work-items gathers for an operation.
    pub(super) fn open_gather(&mut self, inst: Inst) {
        let gather = match self.gathers.get(&inst) {
            Some(gather) => gather.clone(),
            None => {
                let gather = self.make_gather(inst);
                self.gathers.insert(inst, gather.clone());
                gather
            }
        };
        let data = &self.old.insts[inst];
        let Some(ty) = data.result.map(|r| self.old.ty(r)) else { return };
        let op = operation(&data.imm);
        let neutral = op.map_or(u64::from(data.op == Op::WgAll), |op| op.neutral(ty.elem));
        match gather {
            Gather::Value(slot, ty) => {
                let neutral = self.bits(ty, neutral);
                self.write_slot(slot, neutral);
            }
            Gather::Columns(slot) => {
                let neutral = self.bits(ty, neutral);
                let columns = self.emit(Op::Splat, ty.with_lanes(REDUCE_COLUMNS as u8), &[neutral], Imm::None);
                self.write_slot(slot, columns);
            }
            Gather::Scan(scan) => {
                for slot in [Some(scan.base), scan.run].into_iter().flatten() {
                    let neutral = self.bits(ty, neutral);
                    self.write_slot(slot, neutral);
                }
                if let (Some(next), Some(op)) = (scan.next, op) {
                    let identity = self.bits(ty, op.identity(ty.elem));
                    self.write_slot(next, identity);
                }
            }
            Gather::Uniform(_) => {}
        }
    }

    fn make_gather(&mut self, inst: Inst) -> Gather {
        let data = &self.old.insts[inst];
        let (op, args) = (data.op, &data.args);
        let Some(ty) = data.result.map(|r| self.old.ty(r)) else {
            let types: Vec<Type> = args.iter().map(|&arg| self.old.ty(arg)).collect();
            return Gather::Uniform(types.into_iter().map(|ty| self.slot_for(ty)).collect());
        };
        let how = operation(&data.imm);
        match (op, how) {
            (Op::WgScanInc | Op::WgScanExc, Some(how)) => {
                let base = self.slot_for(ty);
                let run = matches!(how, CollectiveOp::Fadd | CollectiveOp::Fmul).then(|| self.slot_for(ty));
                let same = run.is_none() && how.neutral(ty.elem) == how.identity(ty.elem);
                let next = (op == Op::WgScanExc).then(|| if same { base } else { self.slot_for(ty) });
                Gather::Scan(Scan { result: self.slot_for(ty), base, run, next })
            }
            (Op::WgReduce, Some(how)) if how.is_float() => {
                Gather::Columns(self.slot_for(ty.with_lanes(REDUCE_COLUMNS as u8)))
            }
            _ => {
                let ty = if ty.elem == Scalar::I1 { Type::I32 } else { ty.with_elem(ty.elem.as_int()) };
                Gather::Value(self.slot_for(ty), ty)
            }
        }
    }

    /// A work-item meets an operation with these operands.
    pub(super) fn gather(&mut self, inst: Inst, operands: &[Value], items: &ItemLoop) {
        let data = &self.old.insts[inst];
        let (op, how) = (data.op, operation(&data.imm));
        let ty = data.result.map(|r| self.old.ty(r));
        match (self.gathers[&inst].clone(), ty) {
            (Gather::Value(slot, ty), Some(_)) => {
                let mut v = self.as_bits(operands[0], ty);
                if op == Op::WgBroadcast {
                    let mine = self.icmp(IntPred::Eq, items.index, operands[1]);
                    let nothing = self.bits(ty, 0);
                    v = self.emit(Op::Select, ty, &[mine, v, nothing], Imm::None);
                }
                let op = match op {
                    Op::WgAll => Op::And,
                    Op::WgAny | Op::WgBroadcast => Op::Or,
                    _ => how.map_or(op, CollectiveOp::op),
                };
                self.accumulate(slot, op, ty, v);
            }
            (Gather::Columns(slot), Some(ty)) => {
                let how = how.expect("a reduction");
                let id = items.index;
                let mask = self.i64(REDUCE_COLUMNS as i64 - 1);
                let column = self.same(Op::And, &[id, mask]);
                let columns = self.slot_addr(slot);
                let scale = Imm::Scale { scale: ty.bytes(), disp: 0 };
                let ptr = self.emit(Op::PtrAdd, self.new.ty(columns), &[columns, column], scale);
                let left = self.load(ptr, ty);
                let v = self.same(how.op(), &[operands[0], left]);
                self.store(ptr, v);
            }
            (Gather::Scan(scan), Some(ty)) => self.scan(scan, how.expect("a scan"), ty, operands[0], items),
            (Gather::Uniform(slots), _) => {
                for (&slot, &v) in slots.iter().zip(operands) {
                    self.write_slot(slot, v);
                }
            }
            (_, None) => unreachable!("only copies have no result"),
        }
    }

    fn scan(&mut self, scan: Scan, how: CollectiveOp, ty: Type, v: Value, items: &ItemLoop) {
        if let Some(next) = scan.next {
            let result = self.read_slot(next, ty);
            self.write_slot(scan.result, result);
        }
        let sum = match scan.run {
            None => self.accumulate(scan.base, how.op(), ty, v),
            Some(run) => {
                let mask = self.i64(SCAN_RUN as i64 - 1);
                let place = self.same(Op::And, &[items.index, mask]);
                let is_last = self.icmp(IntPred::Eq, place, mask);
                let run_sum = self.accumulate(run, how.op(), ty, v);
                let neutral = self.bits(ty, how.neutral(ty.elem));
                let next_run = self.emit(Op::Select, ty, &[is_last, neutral, run_sum], Imm::None);
                self.write_slot(run, next_run);
                let base = self.read_slot(scan.base, ty);
                let sum = self.same(how.op(), &[run_sum, base]);
                let next_base = self.emit(Op::Select, ty, &[is_last, sum, base], Imm::None);
                self.write_slot(scan.base, next_base);
                sum
            }
        };
        self.write_slot(scan.next.unwrap_or(scan.result), sum);
    }

    /// Takes `v` into a variable; its new value.
    fn accumulate(&mut self, slot: SlotId, op: Op, ty: Type, v: Value) -> Value {
        let left = self.read_slot(slot, ty);
        let v = self.same(op, &[v, left]);
        self.write_slot(slot, v);
        v
    }

    /// The bits of a scalar as an integer, and a truth value as 0 or 1.
    fn as_bits(&mut self, v: Value, ty: Type) -> Value {
        match self.new.ty(v) {
            from if from == ty => v,
            from if from.elem == Scalar::I1 => self.emit(Op::Zext, ty, &[v], Imm::None),
            _ => self.emit(Op::Bitcast, ty, &[v], Imm::None),
        }
    }

    fn of_bits(&mut self, v: Value, to: Type) -> Value {
        match self.new.ty(v) {
            from if from == to => v,
            from if to.elem == Scalar::I1 => {
                let zero = self.bits(from, 0);
                self.icmp(IntPred::Ne, v, zero)
            }
            _ => self.emit(Op::Bitcast, to, &[v], Imm::None),
        }
    }

    /// The variable that holds a scan's result after `gather`.
    pub(super) fn scan_result(&self, inst: Inst) -> SlotId {
        match self.gathers[&inst] {
            Gather::Scan(scan) => scan.result,
            _ => unreachable!("not a scan"),
        }
    }

    /// What the group does at cut `k` when all work-items have arrived. The current block is the cut's handler.
    pub(super) fn meet(&mut self, k: usize) {
        let inst = self.cuts[k].inst.expect("the entry has no handler");
        let Some(gather) = self.gathers.get(&inst).cloned() else { return };
        let data = self.old.insts[inst].clone();
        self.span = data.span;
        match (gather, data.result.map(|r| self.old.ty(r))) {
            (Gather::Value(slot, held), Some(ty)) => {
                let v = self.read_slot(slot, held);
                let v = self.of_bits(v, ty);
                let result = self.result_slot(k);
                self.write_slot(result, v);
            }
            (Gather::Columns(slot), Some(ty)) => {
                let how = operation(&data.imm).expect("a reduction");
                let v = self.join_columns(slot, how, ty);
                let result = self.result_slot(k);
                self.write_slot(result, v);
            }
            (Gather::Uniform(slots), _) => self.async_copy(inst, &slots, &data.imm),
            _ => {}
        }
    }

    /// Joins the columns of a floating reduction, halves at a time.
    fn join_columns(&mut self, slot: SlotId, how: CollectiveOp, ty: Type) -> Value {
        let mut lanes = REDUCE_COLUMNS as u8;
        let mut columns = self.read_slot(slot, ty.with_lanes(lanes));
        while lanes > 2 {
            lanes /= 2;
            let half = |asm: &mut Self, from: u8| {
                let imm = Imm::Lanes((from..from + lanes).collect());
                asm.emit(Op::Shuffle, ty.with_lanes(lanes), &[columns, columns], imm)
            };
            let (left, right) = (half(self, 0), half(self, lanes));
            columns = self.same(how.op(), &[right, left]);
        }
        let [left, right] = [0, 1].map(|lane| self.emit(Op::Extract, ty, &[columns], Imm::Lane(lane)));
        self.same(how.op(), &[right, left])
    }

    /// Copies elements once for the group.
    fn async_copy(&mut self, inst: Inst, slots: &[SlotId], imm: &Imm) {
        let Imm::Bytes(bytes) = *imm else { return };
        let args = &self.old.insts[inst].args;
        let [dst, src, n, dst_stride, src_stride] = std::array::from_fn(|i| {
            let ty = self.old.ty(args[i]);
            match self.old.const_bits(args[i]) {
                Some(bits) => self.bits(ty, bits),
                None => self.read_slot(slots[i], ty),
            }
        });
        let size = self.i64(i64::from(bytes));
        let contiguous = [dst_stride, src_stride].iter().all(|&s| self.new.const_bits(s) == Some(1));
        if contiguous {
            let total = self.same(Op::Mul, &[n, size]);
            self.push(Op::Memcpy, None, &[dst, src, total], Imm::None, Attr::default());
            return;
        }
        let i = self.slot_for(Type::I64);
        let zero = self.i64(0);
        self.write_slot(i, zero);
        let [head, body, exit] = std::array::from_fn(|_| self.new.add_block());
        self.jump(head);
        self.enter(head);
        let now = self.read_slot(i, Type::I64);
        let more = self.icmp(IntPred::ULt, now, n);
        self.branch(more, body, exit);
        self.enter(body);
        let scale = Imm::Scale { scale: bytes, disp: 0 };
        let [to, from] = [(dst, dst_stride), (src, src_stride)].map(|(base, stride)| {
            let index = self.same(Op::Mul, &[now, stride]);
            let ty = self.new.ty(base);
            self.emit(Op::PtrAdd, ty, &[base, index], scale.clone())
        });
        self.push(Op::Memcpy, None, &[to, from, size], Imm::None, Attr::default());
        let one = self.i64(1);
        let next = self.same(Op::Add, &[now, one]);
        self.write_slot(i, next);
        self.jump(head);
        self.enter(exit);
    }
}

fn operation(imm: &Imm) -> Option<CollectiveOp> {
    match imm {
        Imm::Collective(op) => Some(*op),
        _ => None,
    }
}
