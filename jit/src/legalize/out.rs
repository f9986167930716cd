//! The function being written: a cursor with one-line helpers, and constants kept once per function.

use crate::ir::{Attr, Block, FloatPred, Func, Imm, Inst, IntPred, Op, Scalar, Type, Value};
use crate::launch::AddrSpace;
use crate::source::Span;
use rustc_hash::FxHashMap;

/// The function under construction. All types are legal ones: scalars without f16.
pub(super) struct Out {
    pub(super) func: Func,
    pub(super) block: Block,
    pub(super) span: Span,
    /// Masks are vectors of i1, not of integers.
    pub(super) mask_registers: bool,
    constants: FxHashMap<(Type, u64), Value>,
    constant_insts: Vec<Inst>,
}

impl Out {
    pub(super) fn new(func: Func, mask_registers: bool) -> Self {
        let block = func.entry();
        Self {
            func,
            block,
            span: Span::DUMMY,
            mask_registers,
            constants: FxHashMap::default(),
            constant_insts: Vec::new(),
        }
    }

    /// The finished function: constants stand first in the entry block.
    pub(super) fn finish(mut self) -> Func {
        let entry = self.func.entry();
        let insts = &mut self.func.blocks[entry].insts;
        insts.splice(0..0, self.constant_insts);
        self.func
    }

    pub(super) fn ty(&self, v: Value) -> Type {
        self.func.ty(v)
    }

    pub(super) fn push(&mut self, op: Op, ty: Option<Type>, args: &[Value], imm: Imm, attr: Attr) -> Option<Value> {
        let inst = self.func.make_inst(op, ty, args, imm, attr, self.span);
        self.func.blocks[self.block].insts.push(inst);
        self.func.insts[inst].result
    }

    pub(super) fn typed(&mut self, op: Op, ty: Type, args: &[Value], imm: Imm, attr: Attr) -> Value {
        let inst = self.func.make_inst(op, Some(ty), args, imm, attr, self.span);
        self.func.blocks[self.block].insts.push(inst);
        match self.func.insts[inst].result {
            Some(v) => v,
            None => unreachable!("make_inst gives a result for a type"),
        }
    }

    /// A constant; one instruction per function.
    pub(super) fn bits(&mut self, ty: Type, bits: u64) -> Value {
        let mask = if ty.elem.bits() == 64 { u64::MAX } else { (1 << ty.elem.bits()) - 1 };
        let bits = bits & mask;
        if let Some(&v) = self.constants.get(&(ty, bits)) {
            return v;
        }
        let inst = self.func.make_inst(Op::Const, Some(ty), &[], Imm::Bits(bits), Attr::default(), Span::DUMMY);
        self.constant_insts.push(inst);
        match self.func.insts[inst].result {
            Some(v) => {
                self.constants.insert((ty, bits), v);
                v
            }
            None => unreachable!("make_inst gives a result for a type"),
        }
    }

    /// A constant of the type of `like`.
    pub(super) fn like(&mut self, like: Value, bits: u64) -> Value {
        self.bits(self.ty(like), bits)
    }

    /// A vector of integers whose lanes are rotated to the left by a scalar, with shifts.
    pub(super) fn rotate(&mut self, a: Value, by: Value) -> Value {
        let width = u64::from(self.ty(a).elem.bits());
        let rest = match self.func.const_bits(by) {
            Some(by_bits) => self.like(by, width - by_bits % width),
            None => {
                let width = self.like(by, width);
                self.op2(Op::Sub, width, by)
            }
        };
        let high = self.op2(Op::Shl, a, by);
        let low = self.op2(Op::Lshr, a, rest);
        self.op2(Op::Or, high, low)
    }

    /// An f32 constant with as many lanes as `like`.
    pub(super) fn f32_like(&mut self, like: Value, x: f32) -> Value {
        self.bits(self.ty(like).with_elem(Scalar::F32), u64::from(x.to_bits()))
    }

    pub(super) fn f64(&mut self, x: f64) -> Value {
        self.bits(Type::F64, x.to_bits())
    }

    /// An op whose result has the type of its first operand.
    pub(super) fn op1(&mut self, op: Op, a: Value) -> Value {
        self.typed(op, self.ty(a), &[a], Imm::None, Attr::default())
    }

    /// As `op1`.
    pub(super) fn op2(&mut self, op: Op, a: Value, b: Value) -> Value {
        self.typed(op, self.ty(a), &[a, b], Imm::None, Attr::default())
    }

    /// As `op1`.
    pub(super) fn op3(&mut self, op: Op, a: Value, b: Value, c: Value) -> Value {
        self.typed(op, self.ty(a), &[a, b, c], Imm::None, Attr::default())
    }

    /// Binary op with a constant on the right.
    pub(super) fn op2c(&mut self, op: Op, a: Value, bits: u64) -> Value {
        // Vectors shift by one scalar.
        let is_shift = matches!(op, Op::Shl | Op::Lshr | Op::Ashr);
        let b = if is_shift && self.ty(a).is_vector() { self.bits(Type::I32, bits) } else { self.like(a, bits) };
        self.op2(op, a, b)
    }

    pub(super) fn convert(&mut self, op: Op, ty: Type, a: Value) -> Value {
        self.typed(op, ty, &[a], Imm::None, Attr::default())
    }

    /// Same bits as an integer, or as another type of the same width.
    pub(super) fn bitcast(&mut self, ty: Type, a: Value) -> Value {
        if self.ty(a) == ty { a } else { self.convert(Op::Bitcast, ty, a) }
    }

    /// The bits of a float as an integer of its width.
    pub(super) fn as_int(&mut self, a: Value) -> Value {
        let ty = self.ty(a);
        self.bitcast(ty.with_elem(ty.elem.as_int()), a)
    }

    /// The f32 of these bits.
    pub(super) fn as_f32(&mut self, a: Value) -> Value {
        self.bitcast(self.ty(a).with_elem(Scalar::F32), a)
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
    pub(super) fn resize(&mut self, a: Value, to: Scalar, extend: Op) -> Value {
        let ty = Type::scalar(to);
        match self.ty(a).elem.bits().cmp(&to.bits()) {
            std::cmp::Ordering::Less => self.convert(extend, ty, a),
            std::cmp::Ordering::Equal => a,
            std::cmp::Ordering::Greater => self.convert(Op::Trunci, ty, a),
        }
    }

    pub(super) fn icmp(&mut self, pred: IntPred, a: Value, b: Value) -> Value {
        self.typed(Op::Icmp, self.mask_type(self.ty(a)), &[a, b], Imm::IntPred(pred), Attr::default())
    }

    pub(super) fn icmpc(&mut self, pred: IntPred, a: Value, bits: u64) -> Value {
        let b = self.like(a, bits);
        self.icmp(pred, a, b)
    }

    pub(super) fn fcmp(&mut self, pred: FloatPred, a: Value, b: Value) -> Value {
        self.typed(Op::Fcmp, self.mask_type(self.ty(a)), &[a, b], Imm::FloatPred(pred), Attr::default())
    }

    pub(super) fn select(&mut self, c: Value, a: Value, b: Value) -> Value {
        self.typed(Op::Select, self.ty(a), &[c, a, b], Imm::None, Attr::default())
    }

    pub(super) fn offset(&mut self, ptr: Value, bytes: u64) -> Value {
        if bytes == 0 {
            return ptr;
        }
        self.typed(Op::PtrOff, self.ty(ptr), &[ptr], Imm::Disp(bytes as i64), Attr::default())
    }

    pub(super) fn slot_addr(&mut self, slot: crate::ir::SlotId) -> Value {
        let ty = Type::ptr(AddrSpace::Private);
        self.typed(Op::SlotAddr, ty, &[], Imm::Slot(slot), Attr::default())
    }
}
