//! What happens at a cut once all work-items have reached it: collectives and copies, over the records.
//! The order of work-items is always increasing linear local id, so results repeat from run to run.

use super::assemble::Asm;
use crate::ir::op::CollectiveOp;
use crate::ir::{Attr, Block, Imm, IntPred, Op, Scalar, SlotId, Type, Value};
use crate::launch::AddrSpace;

/// An open loop over the records of a group.
struct RecordLoop {
    record: Value,
    next: Block,
    head: Block,
    exit: Block,
    count: SlotId,
    ptr: SlotId,
}

impl Asm<'_> {
    /// The group's work at cut `k`. The current block is the cut's handler.
    pub(super) fn cut_work(&mut self, k: usize) {
        let inst = self.cuts[k].inst.expect("the entry has no handler");
        let data = self.old.insts[inst].clone();
        self.span = data.span;
        let ty = data.result.map(|r| self.old.ty(r));
        match (data.op, ty) {
            (Op::WgAll, _) => self.fold(k, Type::I1, Op::And, 1),
            (Op::WgAny, _) => self.fold(k, Type::I1, Op::Or, 0),
            (Op::WgReduce, Some(ty)) => {
                let (op, identity) = operation(&data.imm, ty);
                self.fold(k, ty, op, identity);
            }
            (Op::WgScanInc | Op::WgScanExc, Some(ty)) => {
                let (op, identity) = operation(&data.imm, ty);
                self.scan(k, ty, op, identity, data.op == Op::WgScanInc);
            }
            (Op::WgBroadcast, Some(ty)) => self.broadcast(k, ty),
            (Op::AsyncCopy, _) => self.async_copy(k, &data.imm),
            _ => {}
        }
    }

    /// Operand number `i` of cut `k` for the work-item with this record.
    fn operand(&mut self, k: usize, i: usize, record: Value) -> Value {
        let inst = self.cuts[k].inst.expect("not the entry");
        let old = self.old.insts[inst].args[i];
        let ty = self.old.ty(old);
        if let Some(&at) = self.record.operands.get(&(k, i)) {
            let ptr = self.ptr_off(record, at as i64);
            return self.load(ptr, ty);
        }
        if let Some(bits) = self.old.const_bits(old) {
            return self.bits(ty, bits);
        }
        let params = &self.old.blocks[self.old.entry()].params;
        let n = params.iter().position(|&p| p == old).expect("saved, constant or a kernel parameter");
        self.launch().params[n]
    }

    fn n_items(&mut self) -> Value {
        let [x, y, z] = self.group().lsz;
        let xy = self.same(Op::Mul, &[x, y]);
        self.same(Op::Mul, &[xy, z])
    }

    /// Loops over the records of live work-items; the current block becomes the body.
    fn open_records(&mut self) -> RecordLoop {
        let ptr_ty = Type::ptr(AddrSpace::Private);
        let (count, ptr) = (self.slot_for(Type::I64), self.slot_for(ptr_ty));
        let n = self.n_items();
        self.write_slot(count, n);
        let scratch = self.launch().scratch;
        self.write_slot(ptr, scratch);
        let [head, body, next, exit] = std::array::from_fn(|_| self.new.add_block());
        self.jump(head);
        self.enter(head);
        let left = self.read_slot(count, Type::I64);
        let zero = self.i64(0);
        let more = self.icmp(IntPred::Ne, left, zero);
        self.branch(more, body, exit);
        self.enter(body);
        let record = self.read_slot(ptr, ptr_ty);
        if let Some(at) = self.record.alive {
            let flag = self.ptr_off(record, at as i64);
            let alive = self.load(flag, Type::I1);
            let go = self.new.add_block();
            self.branch(alive, go, next);
            self.enter(go);
        }
        RecordLoop { record, next, head, exit, count, ptr }
    }

    fn close_records(&mut self, records: &RecordLoop) {
        self.jump(records.next);
        self.enter(records.next);
        let left = self.read_slot(records.count, Type::I64);
        let one = self.i64(1);
        let left = self.same(Op::Sub, &[left, one]);
        self.write_slot(records.count, left);
        let next = self.ptr_off(records.record, self.record.bytes as i64);
        self.write_slot(records.ptr, next);
        self.jump(records.head);
        self.enter(records.exit);
    }

    /// One result for the group.
    fn fold(&mut self, k: usize, ty: Type, op: Op, identity: u64) {
        let acc = self.result_slot(k);
        let start = self.bits(ty, identity);
        self.write_slot(acc, start);
        let records = self.open_records();
        let v = self.operand(k, 0, records.record);
        let old = self.read_slot(acc, ty);
        let new = self.same(op, &[old, v]);
        self.write_slot(acc, new);
        self.close_records(&records);
    }

    /// A result for each work-item.
    fn scan(&mut self, k: usize, ty: Type, op: Op, identity: u64, inclusive: bool) {
        let acc = self.slot_for(ty);
        let start = self.bits(ty, identity);
        self.write_slot(acc, start);
        let records = self.open_records();
        let v = self.operand(k, 0, records.record);
        let old = self.read_slot(acc, ty);
        let new = self.same(op, &[old, v]);
        self.write_slot(acc, new);
        let at = self.record.results[&k];
        let ptr = self.ptr_off(records.record, at as i64);
        self.store(ptr, if inclusive { new } else { old });
        self.close_records(&records);
    }

    /// The operand of one work-item; an index out of range picks the last one.
    fn broadcast(&mut self, k: usize, ty: Type) {
        let scratch = self.launch().scratch;
        let id = self.operand(k, 1, scratch);
        let n = self.n_items();
        let one = self.i64(1);
        let last = self.same(Op::Sub, &[n, one]);
        let id = self.same(Op::MinU, &[id, last]);
        let stride = self.i64(self.record.bytes as i64);
        let at = self.same(Op::Mul, &[id, stride]);
        let scale = Imm::Scale { scale: 1, disp: 0 };
        let record = self.emit(Op::PtrAdd, Type::ptr(AddrSpace::Private), &[scratch, at], scale);
        let v = self.operand(k, 0, record);
        debug_assert_eq!(self.new.ty(v), ty);
        let slot = self.result_slot(k);
        self.write_slot(slot, v);
    }

    /// Copies elements once for the group; all work-items give the same arguments.
    fn async_copy(&mut self, k: usize, imm: &Imm) {
        let Imm::Bytes(bytes) = *imm else { return };
        let scratch = self.launch().scratch;
        let [dst, src, n, dst_stride, src_stride] = std::array::from_fn(|i| self.operand(k, i, scratch));
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

/// The op of a collective and its identity's bits. Spec: OpenCL C, "Work-group Collective Functions".
fn operation(imm: &Imm, ty: Type) -> (Op, u64) {
    let Imm::Collective(op) = imm else { return (Op::Add, 0) };
    let bits = ty.elem.bits();
    let ones = if bits == 64 { u64::MAX } else { (1 << bits) - 1 };
    let (inf, one) = match ty.elem {
        Scalar::F16 => (0x7c00, 0x3c00),
        Scalar::F32 => (u64::from(f32::INFINITY.to_bits()), u64::from(1f32.to_bits())),
        _ => (f64::INFINITY.to_bits(), 1f64.to_bits()),
    };
    let sign = 1u64 << (bits - 1);
    match op {
        CollectiveOp::Add => (Op::Add, 0),
        CollectiveOp::Fadd => (Op::Fadd, 0),
        CollectiveOp::MinS => (Op::MinS, ones >> 1),
        CollectiveOp::MinU => (Op::MinU, ones),
        CollectiveOp::MaxS => (Op::MaxS, sign),
        CollectiveOp::MaxU => (Op::MaxU, 0),
        CollectiveOp::Fmin => (Op::Fmin, inf),
        CollectiveOp::Fmax => (Op::Fmax, inf | sign),
        CollectiveOp::Mul => (Op::Mul, 1),
        CollectiveOp::Fmul => (Op::Fmul, one),
        CollectiveOp::And => (Op::And, ones),
        CollectiveOp::Or => (Op::Or, 0),
        CollectiveOp::Xor => (Op::Xor, 0),
    }
}
