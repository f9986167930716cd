//! Making instructions of the vector loop, one at a time. Must not know the scalar loop.

use super::widen::Widen;
use crate::ir::{Attr, Block, Builder, Imm, IntPred, Op, SlotId, Term, Type, Value};

impl Widen<'_> {
    /// At the end of the block that is being written.
    pub(super) fn builder(&mut self) -> Builder<'_> {
        Builder::new(self.func, self.block).with_origin(self.origin)
    }
    pub(super) fn enter(&mut self, block: Block, home: Block) {
        self.go_on(block);
        self.home = home;
    }
    pub(super) fn end(&mut self, term: Term) {
        self.builder().end(term);
    }
    /// Goes on in a new block.
    pub(super) fn go_on(&mut self, block: Block) {
        self.func.layout.push(block);
        self.block = block;
    }
    pub(super) fn push(&mut self, op: Op, ty: Option<Type>, args: &[Value], imm: Imm, attr: Attr) -> Option<Value> {
        self.builder().push(op, ty, args, imm, attr)
    }
    pub(super) fn emit(&mut self, op: Op, ty: Type, args: &[Value], imm: Imm) -> Value {
        self.builder().emit(op, ty, args, imm)
    }
    pub(super) fn emit_attr(&mut self, op: Op, ty: Type, args: &[Value], imm: Imm, attr: Attr) -> Value {
        self.builder().typed(op, ty, args, imm, attr)
    }
    pub(super) fn op(&mut self, op: Op, args: &[Value]) -> Value {
        self.builder().op(op, args)
    }
    pub(super) fn op_bits(&mut self, op: Op, v: Value, bits: u64) -> Value {
        self.builder().op_bits(op, v, bits)
    }
    pub(super) fn advance(&mut self, v: Value, by: i64) -> Value {
        self.builder().advance(v, by)
    }
    pub(super) fn convert(&mut self, op: Op, ty: Type, v: Value) -> Value {
        self.builder().convert(op, ty, v)
    }
    pub(super) fn bitcast(&mut self, ty: Type, v: Value) -> Value {
        self.builder().bitcast(ty, v)
    }
    pub(super) fn constant(&mut self, ty: Type, bits: u64) -> Value {
        self.builder().bits(ty, bits)
    }
    pub(super) fn i64(&mut self, v: i64) -> Value {
        self.builder().i64(v)
    }
    pub(super) fn icmp(&mut self, pred: IntPred, a: Value, b: Value) -> Value {
        self.builder().icmp(pred, a, b)
    }
    pub(super) fn icmp_bits(&mut self, pred: IntPred, v: Value, bits: u64) -> Value {
        self.builder().icmp_bits(pred, v, bits)
    }
    pub(super) fn and_mask(&mut self, cond: Value) -> Value {
        match self.mask {
            Some(mask) => self.emit(Op::And, self.mask_type(), &[mask, cond], Imm::None),
            None => cond,
        }
    }
    /// The active lanes as a value.
    pub(super) fn full_mask(&mut self) -> Value {
        self.mask.unwrap_or_else(|| self.constant(self.mask_type(), 1))
    }

    pub(super) fn slot(&mut self, ty: Type) -> SlotId {
        let size = u64::from(ty.bytes());
        self.func.add_slot(size, size.next_power_of_two().min(64))
    }
    pub(super) fn slot_addr(&mut self, slot: SlotId) -> Value {
        self.builder().slot_addr(slot)
    }
    pub(super) fn read(&mut self, slot: SlotId, ty: Type) -> Value {
        self.builder().read(slot, ty)
    }
    pub(super) fn write(&mut self, slot: SlotId, v: Value) {
        self.builder().write(slot, v);
    }
}
