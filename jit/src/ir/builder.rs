//! Appends instructions to a block. Types follow from the op table's rule; constants fold nowhere here.

use super::entity::{Block, FuncId, Value};
use super::func::{Func, Target, Term};
use super::op::{Attr, FloatPred, Imm, IntPred, Op, TypeRule};
use super::ty::{Scalar, Type};
use crate::source::Span;

/// A cursor at the end of one block of a function.
pub struct Builder<'f> {
    /// The function.
    pub func: &'f mut Func,
    /// Where instructions go.
    pub block: Block,
    /// Given to every instruction.
    pub span: Span,
}

impl<'f> Builder<'f> {
    /// A builder at the end of `block`.
    pub fn new(func: &'f mut Func, block: Block) -> Self {
        Self { func, block, span: Span::DUMMY }
    }
    /// Appends an instruction and returns its result (`None` for ops without one).
    pub fn push(&mut self, op: Op, ty: Option<Type>, args: &[Value], imm: Imm, attr: Attr) -> Option<Value> {
        let inst = self.func.make_inst(op, ty, args, imm, attr, self.span);
        self.func.blocks[self.block].insts.push(inst);
        self.func.insts[inst].result
    }
    /// Appends an op whose rule is `Same`, `Compare` or `Select`.
    pub fn op(&mut self, op: Op, args: &[Value]) -> Value {
        self.op_attr(op, args, Attr::default())
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
    /// Appends an op whose result type is given.
    pub fn typed(&mut self, op: Op, ty: Type, args: &[Value], imm: Imm, attr: Attr) -> Value {
        self.push(op, Some(ty), args, imm, attr).expect("the op has a result")
    }
    /// A conversion or other one-operand op with a given result type.
    pub fn convert(&mut self, op: Op, ty: Type, arg: Value) -> Value {
        self.typed(op, ty, &[arg], Imm::None, Attr::default())
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
    /// An integer or pointer comparison.
    pub fn icmp(&mut self, pred: IntPred, a: Value, b: Value) -> Value {
        let ty = match self.func.ty(a) {
            ty if ty.is_ptr() => Type::I1,
            ty => ty.with_elem(Scalar::I1),
        };
        self.typed(Op::Icmp, ty, &[a, b], Imm::IntPred(pred), Attr::default())
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
    /// A load.
    pub fn load(&mut self, ty: Type, ptr: Value, attr: Attr) -> Value {
        self.typed(Op::Load, ty, &[ptr], Imm::None, attr)
    }
    /// A store.
    pub fn store(&mut self, ptr: Value, value: Value, attr: Attr) {
        self.push(Op::Store, None, &[ptr, value], Imm::None, attr);
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
        self.func.layout.push(block);
        self.block = block;
        block
    }
    /// Puts an existing block at the end of the layout and moves there.
    pub fn enter(&mut self, block: Block) {
        self.func.layout.push(block);
        self.block = block;
    }
}
