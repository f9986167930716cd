//! Making instructions of the vector loop, one at a time. Must not know the scalar loop.

use super::widen::Widen;
use crate::ir::{Attr, Block, Imm, IntPred, Op, Scalar, Slot, SlotId, Term, Type, Value};
use crate::launch::AddrSpace;

impl Widen<'_> {
    pub(super) fn enter(&mut self, block: Block, home: Block) {
        self.func.layout.push(block);
        self.block = block;
        self.home = home;
    }
    pub(super) fn end(&mut self, term: Term) {
        self.func.blocks[self.block].term = term;
    }
    /// Goes on in a new block.
    pub(super) fn go_on(&mut self, block: Block) {
        self.func.layout.push(block);
        self.block = block;
    }
    pub(super) fn push(&mut self, op: Op, ty: Option<Type>, args: &[Value], imm: Imm, attr: Attr) -> Option<Value> {
        let inst = self.func.make_inst(op, ty, args, imm, attr, self.span);
        self.func.blocks[self.block].insts.push(inst);
        self.func.insts[inst].result
    }
    pub(super) fn emit(&mut self, op: Op, ty: Type, args: &[Value], imm: Imm) -> Value {
        self.emit_attr(op, ty, args, imm, Attr::default())
    }
    pub(super) fn emit_attr(&mut self, op: Op, ty: Type, args: &[Value], imm: Imm, attr: Attr) -> Value {
        self.push(op, Some(ty), args, imm, attr).expect("a type was given")
    }
    pub(super) fn constant(&mut self, ty: Type, bits: u64) -> Value {
        let width = ty.elem.bits();
        let bits = if width == 64 { bits } else { bits & ((1 << width) - 1) };
        self.emit(Op::Const, ty, &[], Imm::Bits(bits))
    }
    pub(super) fn i64(&mut self, v: i64) -> Value {
        self.constant(Type::I64, v as u64)
    }
    pub(super) fn icmp(&mut self, pred: IntPred, a: Value, b: Value) -> Value {
        let ty = self.func.ty(a).with_elem(Scalar::I1);
        self.emit(Op::Icmp, ty, &[a, b], Imm::IntPred(pred))
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
        self.func.slots.push(Slot { size, align: size.next_power_of_two().min(64) as u32, name: String::new() })
    }
    pub(super) fn slot_addr(&mut self, slot: SlotId) -> Value {
        self.emit(Op::SlotAddr, Type::ptr(AddrSpace::Private), &[], Imm::Slot(slot))
    }
    pub(super) fn read(&mut self, slot: SlotId, ty: Type) -> Value {
        let ptr = self.slot_addr(slot);
        self.emit(Op::Load, ty, &[ptr], Imm::None)
    }
    pub(super) fn write(&mut self, slot: SlotId, v: Value) {
        let ptr = self.slot_addr(slot);
        self.push(Op::Store, None, &[ptr, v], Imm::None, Attr::default());
    }
}
