//! The function being written: a cursor with one-line helpers, and constants kept once per function. `expr` writes
//! expressions.

use super::expr::Expr;
use crate::ir::Origin;
use crate::ir::{
    Attr, Block, Builder, FloatPred, Func, Imm, Inst, IntPred, Op, Scalar, SlotId, Target, Term, Type, Value,
};
use crate::launch::AddrSpace;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::cell::{Cell, Ref, RefCell, RefMut};

/// A shuffle of two parts, in the block that it is in.
#[derive(PartialEq, Eq, Hash)]
struct Shuffled {
    block: Block,
    part: Type,
    operands: [Value; 2],
    lanes: SmallVec<[u8; 64]>,
}

/// The function under construction. All types are legal ones: scalars without f16. What writes takes `&self`, so that
/// calls nest.
pub(super) struct Out {
    func: RefCell<Func>,
    /// Where instructions go.
    pub(super) block: Cell<Block>,
    pub(super) origin: Cell<Origin>,
    /// Masks are vectors of i1, not of integers.
    pub(super) mask_registers: bool,
    constants: RefCell<FxHashMap<(Type, u64), Value>>,
    constant_insts: RefCell<Vec<Inst>>,
    shuffled: RefCell<FxHashMap<Shuffled, Value>>,
}

impl Out {
    pub(super) fn new(func: Func, mask_registers: bool) -> Self {
        Self {
            block: Cell::new(func.entry()),
            func: RefCell::new(func),
            origin: Cell::new(Origin::UNKNOWN),
            mask_registers,
            constants: RefCell::default(),
            constant_insts: RefCell::default(),
            shuffled: RefCell::default(),
        }
    }

    /// The finished function: constants stand first in the entry block.
    pub(super) fn finish(self) -> Func {
        let mut func = self.func.into_inner();
        let entry = func.entry();
        func.blocks[entry].insts.splice(0..0, self.constant_insts.into_inner());
        func
    }

    pub(super) fn func(&self) -> Ref<'_, Func> {
        self.func.borrow()
    }

    pub(super) fn func_mut(&self) -> RefMut<'_, Func> {
        self.func.borrow_mut()
    }

    /// Ends the block.
    pub(super) fn end(&self, term: Term) {
        self.func_mut().blocks[self.block.get()].term = term;
    }

    pub(super) fn jump(&self, block: Block, args: &[Value]) {
        self.end(Term::Jump(Target { block, args: args.into() }));
    }

    pub(super) fn ty(&self, v: Value) -> Type {
        self.func().ty(v)
    }

    pub(super) fn const_bits(&self, v: Value) -> Option<u64> {
        self.func().const_bits(v)
    }

    /// The first operand of a value, if it is made by such an instruction.
    pub(super) fn operand_of(&self, v: Value, op: Op, imm: &Imm) -> Option<Value> {
        self.func().def_inst(v).filter(|d| d.op == op && d.imm == *imm).map(|d| d.args[0])
    }

    /// A value to compute with.
    pub(super) fn expr(&self, v: Value) -> Expr<'_> {
        Expr { out: self, v }
    }

    pub(super) fn push(&self, op: Op, ty: Option<Type>, args: &[Value], imm: Imm, attr: Attr) -> Option<Value> {
        Builder::new(&mut self.func_mut(), self.block.get())
            .with_origin(self.origin.get())
            .push(op, ty, args, imm, attr)
    }

    pub(super) fn typed(&self, op: Op, ty: Type, args: &[Value], imm: Imm, attr: Attr) -> Value {
        Builder::new(&mut self.func_mut(), self.block.get())
            .with_origin(self.origin.get())
            .typed(op, ty, args, imm, attr)
    }

    /// An op without attributes.
    pub(super) fn emit(&self, op: Op, ty: Type, args: &[Value], imm: Imm) -> Value {
        self.typed(op, ty, args, imm, Attr::default())
    }

    /// A constant; one instruction per function.
    pub(super) fn bits(&self, ty: Type, bits: u64) -> Value {
        let bits = bits & (u64::MAX >> (64 - ty.elem.bits()));
        *self.constants.borrow_mut().entry((ty, bits)).or_insert_with(|| {
            let mut func = self.func_mut();
            let inst = func.make_inst(Op::Const, Some(ty), &[], Imm::Bits(bits), Attr::default(), Origin::UNKNOWN);
            self.constant_insts.borrow_mut().push(inst);
            func.insts[inst].result.expect("a type was given")
        })
    }

    /// A constant of the type of `like`.
    pub(super) fn like(&self, like: Value, bits: u64) -> Value {
        self.bits(self.ty(like), bits)
    }

    /// A vector of integers whose lanes are rotated to the left by a scalar, with shifts.
    pub(super) fn rotate(&self, a: Value, by: Value) -> Value {
        let width = u64::from(self.ty(a).elem.bits());
        let rest = match self.const_bits(by) {
            Some(by_bits) => self.like(by, width - by_bits % width),
            None => self.op2(Op::Sub, self.like(by, width), by),
        };
        self.op2(Op::Or, self.op2(Op::Shl, a, by), self.op2(Op::Lshr, a, rest))
    }

    /// An op whose result has the type of its first operand.
    pub(super) fn op1(&self, op: Op, a: Value) -> Value {
        self.emit(op, self.ty(a), &[a], Imm::None)
    }

    /// As `op1`.
    pub(super) fn op2(&self, op: Op, a: Value, b: Value) -> Value {
        self.emit(op, self.ty(a), &[a, b], Imm::None)
    }

    /// Binary op with a constant on the right.
    pub(super) fn op2c(&self, op: Op, a: Value, bits: u64) -> Value {
        // Vectors shift by one scalar.
        let is_shift = matches!(op, Op::Shl | Op::Lshr | Op::Ashr);
        let ty = if is_shift && self.ty(a).is_vector() { Type::I32 } else { self.ty(a) };
        self.op2(op, a, self.bits(ty, bits))
    }

    pub(super) fn convert(&self, op: Op, ty: Type, a: Value) -> Value {
        self.emit(op, ty, &[a], Imm::None)
    }

    /// Same bits as an integer, or as another type of the same width.
    pub(super) fn bitcast(&self, ty: Type, a: Value) -> Value {
        if self.ty(a) == ty { a } else { self.convert(Op::Bitcast, ty, a) }
    }

    /// The bits of a float as an integer of its width.
    pub(super) fn as_int(&self, a: Value) -> Value {
        let ty = self.ty(a);
        self.bitcast(ty.with_elem(ty.elem.as_int()), a)
    }

    /// The type of a comparison of such values.
    pub(super) fn mask_type(&self, ty: Type) -> Type {
        match ty {
            _ if ty.is_vector() && !self.mask_registers => ty.with_elem(ty.elem.as_int()),
            _ if ty.is_vector() => ty.with_elem(Scalar::I1),
            _ => Type::I1,
        }
    }

    /// Integer of any width to any other, zero- or sign-extending.
    pub(super) fn resize(&self, a: Value, to: Scalar, extend: Op) -> Value {
        let ty = Type::scalar(to);
        match self.ty(a).elem.bits().cmp(&to.bits()) {
            std::cmp::Ordering::Less => self.convert(extend, ty, a),
            std::cmp::Ordering::Equal => a,
            std::cmp::Ordering::Greater => self.convert(Op::Trunci, ty, a),
        }
    }

    pub(super) fn icmp(&self, pred: IntPred, a: Value, b: Value) -> Value {
        self.emit(Op::Icmp, self.mask_type(self.ty(a)), &[a, b], Imm::IntPred(pred))
    }

    pub(super) fn icmpc(&self, pred: IntPred, a: Value, bits: u64) -> Value {
        self.icmp(pred, a, self.like(a, bits))
    }

    pub(super) fn fcmp(&self, pred: FloatPred, a: Value, b: Value) -> Value {
        self.emit(Op::Fcmp, self.mask_type(self.ty(a)), &[a, b], Imm::FloatPred(pred))
    }

    pub(super) fn select(&self, c: Value, a: Value, b: Value) -> Value {
        self.emit(Op::Select, self.ty(a), &[c, a, b], Imm::None)
    }

    pub(super) fn offset(&self, ptr: Value, bytes: u64) -> Value {
        if bytes == 0 {
            return ptr;
        }
        self.emit(Op::PtrOff, self.ty(ptr), &[ptr], Imm::Disp(bytes as i64))
    }

    pub(super) fn slot_addr(&self, slot: SlotId) -> Value {
        self.emit(Op::SlotAddr, Type::ptr(AddrSpace::Private), &[], Imm::Slot(slot))
    }

    // ---- lanes moved

    /// A vector with this scalar in lane 0; the other lanes mean nothing.
    pub(super) fn first_lane(&self, ty: Type, v: Value) -> Value {
        self.insert(self.emit(Op::Undef, ty, &[], Imm::None), v, 0)
    }

    pub(super) fn insert(&self, whole: Value, v: Value, lane: usize) -> Value {
        self.emit(Op::Insert, self.ty(whole), &[whole, v], Imm::Lane(lane as u8))
    }

    /// A vector with scalars in its lanes from lane 1 on; what is first stands in lane 0 already.
    pub(super) fn insert_all(&self, whole: Value, lanes: &[Value]) -> Value {
        lanes.iter().enumerate().skip(1).fold(whole, |whole, (i, &v)| self.insert(whole, v, i))
    }

    pub(super) fn extract(&self, v: Value, lane: usize) -> Value {
        self.emit(Op::Extract, self.ty(v).lane(), &[v], Imm::Lane(lane as u8))
    }

    /// A part with these lanes of two others.
    pub(super) fn shuffle(&self, part: Type, [a, b]: [Value; 2], picks: impl Iterator<Item = usize>) -> Value {
        self.emit(Op::Shuffle, part, &[a, b], Imm::Lanes(picks.map(|lane| lane as u8).collect()))
    }

    /// A shuffle of two parts: for each lane which of them and which lane of that, or `None` for any.
    pub(super) fn shuffle_two(
        &self,
        part: Type,
        [a, b]: [Value; 2],
        place: impl Fn(usize) -> Option<(usize, usize)>,
    ) -> Value {
        let per = usize::from(part.lanes);
        let operands = [a, b].map(|v| self.as_part(part, v));
        // Lanes that mean nothing: let them stay where they are.
        let lanes: SmallVec<[u8; 64]> =
            (0..per).map(|i| place(i).map_or(i, |(operand, lane)| operand * per + lane) as u8).collect();
        if lanes.iter().enumerate().all(|(i, &l)| usize::from(l) == i) {
            return operands[0];
        }
        let key = Shuffled { block: self.block.get(), part, operands, lanes };
        if let Some(&same) = self.shuffled.borrow().get(&key) {
            return same;
        }
        let made = self.emit(Op::Shuffle, part, &operands, Imm::Lanes(key.lanes.as_slice().into()));
        self.shuffled.borrow_mut().insert(key, made);
        made
    }

    /// A mask register stands for parts of any number of lanes: one as a part of this type.
    fn as_part(&self, part: Type, v: Value) -> Value {
        let lanes = usize::from(self.ty(v).lanes);
        let per = usize::from(part.lanes);
        if lanes == per { v } else { self.shuffle(part, [v, v], (0..per).map(|i| i % lanes)) }
    }

    /// `count` lanes of a part from lane `at` on, moved to the bottom.
    pub(super) fn slide(&self, v: Value, at: usize, count: usize) -> Value {
        if at == 0 { v } else { self.shuffle_two(self.ty(v), [v, v], |i| Some((0, at + i % count))) }
    }

    /// Every second lane of two parts, from lane `first` on.
    pub(super) fn alternate(&self, parts: [Value; 2], first: usize) -> Value {
        let ty = self.ty(parts[0]);
        self.shuffle(ty, parts, (0..ty.lanes.into()).map(|i| 2 * i + first))
    }

    /// As `alternate`, of two registers seen as parts of type `part`; of the first one alone if that is twice as long.
    pub(super) fn alternate_as(&self, part: Type, [a, b]: [Value; 2]) -> Value {
        let bytes = self.ty(a).bytes();
        if bytes == part.bytes() {
            return self.alternate([a, b].map(|v| self.bitcast(part, v)), 0);
        }
        let whole = self.bitcast(part.with_lanes((bytes / part.elem.bytes()) as u8), a);
        self.shuffle(part, [whole, whole], (0..part.lanes.into()).map(|i| 2 * i))
    }
}
