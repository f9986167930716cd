//! Makes instructions at one place of a function, as LLVM's `IRBuilder` and Cranelift's `FuncCursor` do. Types follow
//! from the op table's rule; constants fold nowhere here.

use super::entity::{Block, FuncId, Inst, SlotId, Value};
use super::func::{Func, InstData, Target, Term};
use super::op::{Attr, FloatPred, Imm, IntPred, Op, TypeRule};
use super::origin::Origin;
use super::ty::{Scalar, Type};
use crate::launch::AddrSpace;

/// An insertion point in a function: the end of a block, or a place between two of its instructions. What is inserted
/// stands in front of the point.
pub struct Builder<'f> {
    /// The function.
    pub func: &'f mut Func,
    /// Where instructions go.
    pub block: Block,
    /// Number in the block of the instruction behind the insertion point; none at the end.
    next: Option<usize>,
    /// Given to every instruction.
    pub origin: Origin,
}

impl<'f> Builder<'f> {
    /// A builder at the end of `block`, in front of its terminator.
    pub fn new(func: &'f mut Func, block: Block) -> Self {
        Self { func, block, next: None, origin: Origin::UNKNOWN }
    }
    /// A builder in front of the instruction number `next` of `block`.
    pub fn at(func: &'f mut Func, block: Block, next: usize) -> Self {
        Self { func, block, next: Some(next), origin: Origin::UNKNOWN }
    }
    /// A builder in front of an instruction of `block`. Panics if it is not there.
    pub fn before(func: &'f mut Func, block: Block, inst: Inst) -> Self {
        let next = func.blocks[block].insts.iter().position(|&i| i == inst).expect("in its block");
        Self::at(func, block, next)
    }
    /// A builder behind where a value is made: behind its instruction, or at the top of the block whose parameter it
    /// is.
    pub fn behind(func: &'f mut Func, block: Block, v: Value) -> Self {
        let place = func.blocks[block].insts.iter().position(|&i| func.insts[i].result == Some(v));
        Self::at(func, block, place.map_or(0, |at| at + 1))
    }
    /// Gives instructions this place in the source.
    pub fn with_origin(self, origin: Origin) -> Self {
        Self { origin, ..self }
    }
    /// Inserts an instruction that has been made, or that has been taken out elsewhere.
    pub fn place(&mut self, inst: Inst) {
        let insts = &mut self.func.blocks[self.block].insts;
        match &mut self.next {
            Some(next) => {
                insts.insert(*next, inst);
                *next += 1;
            }
            None => insts.push(inst),
        }
    }
    /// Inserts an instruction and returns its result (`None` for ops without one).
    pub fn push(&mut self, op: Op, ty: Option<Type>, args: &[Value], imm: Imm, attr: Attr) -> Option<Value> {
        let inst = self.func.make_inst(op, ty, args, imm, attr, self.origin);
        self.place(inst);
        self.func.insts[inst].result
    }
    /// Inserts a copy of an instruction with other operands, at its place in the source.
    pub fn copy(&mut self, inst: Inst, args: &[Value]) -> Option<Value> {
        let InstData { op, ref imm, attr, result, origin, .. } = self.func.insts[inst];
        let (imm, ty) = (imm.clone(), result.map(|v| self.func.ty(v)));
        let copy = self.func.make_inst(op, ty, args, imm, attr, origin);
        self.place(copy);
        self.func.insts[copy].result
    }
    /// Inserts an op without attributes whose result type is given.
    pub fn emit(&mut self, op: Op, ty: Type, args: &[Value], imm: Imm) -> Value {
        self.typed(op, ty, args, imm, Attr::default())
    }
    /// Inserts an op whose rule is `Same`, `Compare` or `Select`.
    pub fn op(&mut self, op: Op, args: &[Value]) -> Value {
        self.op_attr(op, args, Attr::default())
    }
    /// `op` of a value and a constant of its type.
    pub fn op_bits(&mut self, op: Op, v: Value, bits: u64) -> Value {
        let bits = self.bits(self.func.ty(v), bits);
        self.op(op, &[v, bits])
    }
    /// An integer or an address, and so much more.
    pub fn advance(&mut self, v: Value, by: i64) -> Value {
        if self.func.ty(v).is_ptr() { self.ptr_off(v, by) } else { self.op_bits(Op::Add, v, by as u64) }
    }
    /// `op` with attributes.
    pub fn op_attr(&mut self, op: Op, args: &[Value], attr: Attr) -> Value {
        let ty = match op.row().rule {
            TypeRule::Same => self.func.ty(args[0]),
            TypeRule::Select => self.func.ty(args[1]),
            TypeRule::Compare => self.func.ty(args[0]).with_elem(Scalar::I1),
            TypeRule::Explicit | TypeRule::None => panic!("{op:?} needs an explicit type"),
        };
        self.push(op, Some(ty), args, Imm::None, attr).expect("the op has a result")
    }
    /// Inserts an op whose result type is given.
    pub fn typed(&mut self, op: Op, ty: Type, args: &[Value], imm: Imm, attr: Attr) -> Value {
        self.push(op, Some(ty), args, imm, attr).expect("the op has a result")
    }
    /// A conversion or other one-operand op with a given result type.
    pub fn convert(&mut self, op: Op, ty: Type, arg: Value) -> Value {
        self.typed(op, ty, &[arg], Imm::None, Attr::default())
    }
    /// A bitcast, or the value itself if it has the type.
    pub fn bitcast(&mut self, ty: Type, arg: Value) -> Value {
        if self.func.ty(arg) == ty { arg } else { self.convert(Op::Bitcast, ty, arg) }
    }
    /// A constant from its bits; splat for vectors.
    pub fn bits(&mut self, ty: Type, bits: u64) -> Value {
        let mask = if ty.elem.bits() == 64 { u64::MAX } else { (1 << ty.elem.bits()) - 1 };
        self.typed(Op::Const, ty, &[], Imm::Bits(bits & mask), Attr::default())
    }
    /// An i64 constant.
    pub fn i64(&mut self, value: i64) -> Value {
        self.bits(Type::I64, value as u64)
    }
    /// An i32 constant.
    pub fn i32(&mut self, value: i32) -> Value {
        self.bits(Type::I32, value as u32 as u64)
    }
    /// A condition, and all those before it, if there are any.
    pub fn and(&mut self, all: Option<Value>, cond: Value) -> Value {
        all.map_or(cond, |all| self.op(Op::And, &[all, cond]))
    }
    /// An integer or pointer comparison.
    pub fn icmp(&mut self, pred: IntPred, a: Value, b: Value) -> Value {
        let ty = match self.func.ty(a) {
            ty if ty.is_ptr() => Type::I1,
            ty => ty.with_elem(Scalar::I1),
        };
        self.typed(Op::Icmp, ty, &[a, b], Imm::IntPred(pred), Attr::default())
    }
    /// A comparison of an integer with a constant.
    pub fn icmp_bits(&mut self, pred: IntPred, v: Value, bits: u64) -> Value {
        let bits = self.bits(self.func.ty(v), bits);
        self.icmp(pred, v, bits)
    }
    /// A float comparison.
    pub fn fcmp(&mut self, pred: FloatPred, a: Value, b: Value) -> Value {
        let ty = self.func.ty(a).with_elem(Scalar::I1);
        self.typed(Op::Fcmp, ty, &[a, b], Imm::FloatPred(pred), Attr::default())
    }
    /// base + index * scale + disp.
    pub fn ptr_add(&mut self, base: Value, index: Value, scale: u32, disp: i64) -> Value {
        let ty = self.func.ty(base);
        self.typed(Op::PtrAdd, ty, &[base, index], Imm::Scale { scale, disp }, Attr::default())
    }
    /// base + disp.
    pub fn ptr_off(&mut self, base: Value, disp: i64) -> Value {
        if disp == 0 {
            return base;
        }
        let ty = self.func.ty(base);
        self.typed(Op::PtrOff, ty, &[base], Imm::Disp(disp), Attr::default())
    }
    /// The address of a slot.
    pub fn slot_addr(&mut self, slot: SlotId) -> Value {
        self.emit(Op::SlotAddr, Type::ptr(AddrSpace::Private), &[], Imm::Slot(slot))
    }
    /// A load.
    pub fn load(&mut self, ty: Type, ptr: Value, attr: Attr) -> Value {
        self.typed(Op::Load, ty, &[ptr], Imm::None, attr)
    }
    /// A store.
    pub fn store(&mut self, ptr: Value, value: Value, attr: Attr) {
        self.push(Op::Store, None, &[ptr, value], Imm::None, attr);
    }
    /// Loads a variable.
    pub fn read(&mut self, slot: SlotId, ty: Type) -> Value {
        let ptr = self.slot_addr(slot);
        self.load(ty, ptr, Attr::default())
    }
    /// Stores to a variable.
    pub fn write(&mut self, slot: SlotId, value: Value) {
        let ptr = self.slot_addr(slot);
        self.store(ptr, value, Attr::default());
    }
    /// A call.
    pub fn call(&mut self, callee: FuncId, ret: Option<Type>, args: &[Value]) -> Option<Value> {
        self.push(Op::Call, ret, args, Imm::Func(callee), Attr::default())
    }
    /// Ends the block; a block is ended once.
    pub fn end(&mut self, term: Term) {
        self.func.blocks[self.block].term = term;
    }
    /// Ends the block with a jump.
    pub fn jump(&mut self, block: Block, args: &[Value]) {
        self.end(Term::Jump(Target { block, args: args.into() }));
    }
    /// Ends the block with a branch without arguments.
    pub fn branch(&mut self, cond: Value, then: Block, els: Block) {
        self.end(Term::Br { cond, then: Target::plain(then), els: Target::plain(els) });
    }
    /// Appends a new block to the layout and moves there.
    pub fn start_block(&mut self) -> Block {
        let block = self.func.add_block();
        self.enter(block);
        block
    }
    /// Puts an existing block at the end of the layout and moves there.
    pub fn enter(&mut self, block: Block) {
        self.func.layout.push(block);
        (self.block, self.next) = (block, None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::ValueDef;

    /// The constants of a block.
    fn constants(func: &Func, block: Block) -> Vec<u64> {
        let insts = func.blocks[block].insts.iter();
        insts.filter_map(|&i| func.insts[i].result.and_then(|v| func.const_bits(v))).collect()
    }

    #[test]
    fn what_is_inserted_stands_in_order_in_front_of_the_insertion_point() {
        let mut func = Func::new("f", vec![Type::I32], None);
        let entry = func.entry();
        let param = func.blocks[entry].params[0];
        let mut b = Builder::new(&mut func, entry);
        let first = b.i32(1);
        b.i32(9);
        let last = func.blocks[entry].insts[1];
        let mut b = Builder::before(&mut func, entry, last);
        b.i32(4);
        b.i32(5);
        let mut b = Builder::behind(&mut func, entry, first);
        b.i32(2);
        b.i32(3);
        Builder::behind(&mut func, entry, param).i32(0);
        Builder::at(&mut func, entry, 7).i32(10);
        assert_eq!(constants(&func, entry), [0, 1, 2, 3, 4, 5, 9, 10]);
    }

    #[test]
    fn a_copy_keeps_its_place_in_the_source_and_new_ones_get_the_builders() {
        let mut func = Func::new("f", vec![Type::I32], None);
        let entry = func.entry();
        let param = func.blocks[entry].params[0];
        let here = Origin::from(crate::source::Span { lo: 3, hi: 5 });
        let mut b = Builder::new(&mut func, entry).with_origin(here);
        let sum = b.op(Op::Add, &[param, param]);
        let mut b = Builder::new(&mut func, entry);
        let one = b.i32(1);
        let ValueDef::Inst(inst) = b.func.values[sum].def else { unreachable!("a sum") };
        let copy = b.copy(inst, &[one, param]).expect("a sum has a result");
        let [copy, one] = [copy, one].map(|v| func.def_inst(v).expect("an instruction"));
        assert_eq!((copy.op, copy.args[1], copy.origin), (Op::Add, param, here));
        assert_eq!(one.origin, Origin::UNKNOWN);
    }
}
