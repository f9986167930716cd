//! Makes instructions: what the lowering of OpenCL C and of SPIR-V have in common. A function under construction, the
//! module that it belongs to and the builtin functions that it calls. Must not know HIR's functions or SPIR-V.

use super::Extras;
use crate::hir::FnId;
use crate::ir::op::{Flags, Rounding};
use crate::ir::{
    Attr, Block, Builder, FloatPred, Func, FuncId, Imm, IntPred, Module, Op, Scalar, Slot, SlotId, Target, Term, Type,
    Value,
};
use crate::launch::{AddrSpace, MEMORY_ALIGN};
use crate::source::Span;
use rustc_hash::FxHashMap;

/// A module under construction, with the functions of the builtin library that it calls.
#[derive(Default)]
pub(crate) struct Output {
    pub(crate) module: Module,
    library: FxHashMap<String, FuncId>,
    /// Declared functions and the library files that define them.
    pub(crate) wanted: Vec<(FuncId, &'static str)>,
    /// What is wanted besides what the program says.
    pub(crate) extras: Extras,
    /// Types of which debuggers are told.
    pub(super) described: super::variable::Described,
    /// Numbers of the unit's kernels.
    pub(crate) kernels: FxHashMap<FnId, u32>,
}

impl Output {
    /// Of an empty module.
    pub(crate) fn new(extras: Extras) -> Self {
        Self { extras, ..Self::default() }
    }
    /// The declaration of a library function, made at its first use.
    pub(super) fn library_func(
        &mut self,
        file: &'static str,
        symbol: &str,
        params: Vec<Type>,
        ret: Option<Type>,
    ) -> FuncId {
        if let Some(&id) = self.library.get(symbol) {
            return id;
        }
        let mut decl = Func::declaration(symbol, params, ret);
        decl.is_builtin = true;
        let id = self.module.funcs.push(decl);
        self.library.insert(symbol.to_owned(), id);
        self.wanted.push((id, file));
        id
    }
}

/// Bytes and alignment of memory in which an object of this size finds a place with this alignment: see `aligned_up`.
pub(crate) fn with_slack(size: u64, align: u32) -> (u64, u32) {
    (size + u64::from(align.saturating_sub(MEMORY_ALIGN)), align.min(MEMORY_ALIGN))
}

/// A function under construction, and the place where instructions go.
pub(crate) struct Emitter<'m> {
    pub(crate) out: &'m mut Output,
    pub(crate) func: Func,
    /// Where instructions go; blocks after a jump are made afresh and stay without predecessors.
    pub(crate) block: Block,
    pub(crate) span: Span,
}

impl<'m> Emitter<'m> {
    /// At the start of an empty function.
    pub(crate) fn new(out: &'m mut Output, func: Func, span: Span) -> Self {
        let block = func.entry();
        Self { out, func, block, span }
    }

    /// Appends an instruction at the current place.
    pub(crate) fn push(&mut self, op: Op, ty: Option<Type>, args: &[Value], imm: Imm, attr: Attr) -> Option<Value> {
        Builder::new(&mut self.func, self.block).with_origin(self.span.into()).push(op, ty, args, imm, attr)
    }
    /// Appends an instruction with a result of type `ty`.
    pub(crate) fn emit(&mut self, op: Op, ty: Type, args: &[Value], imm: Imm) -> Value {
        self.emit_attr(op, ty, args, imm, Attr::default())
    }
    /// `emit` with attributes.
    pub(crate) fn emit_attr(&mut self, op: Op, ty: Type, args: &[Value], imm: Imm, attr: Attr) -> Value {
        self.push(op, Some(ty), args, imm, attr).expect("a type was given")
    }
    /// An op whose operands and result have one type.
    pub(crate) fn same(&mut self, op: Op, args: &[Value]) -> Value {
        let ty = self.func.ty(args[0]);
        self.emit(op, ty, args, Imm::None)
    }
    /// A constant (splat) from bits already cut to the width.
    pub(crate) fn bits(&mut self, ty: Type, bits: u64) -> Value {
        self.emit(Op::Const, ty, &[], Imm::Bits(bits))
    }
    pub(crate) fn undef(&mut self, ty: Type) -> Value {
        self.emit(Op::Undef, ty, &[], Imm::None)
    }
    /// The place in memory made by `with_slack` at which an object with this alignment lies.
    pub(crate) fn aligned_up(&mut self, ptr: Value, align: u32) -> Value {
        if align <= MEMORY_ALIGN {
            return ptr;
        }
        let address = self.emit(Op::PtrToInt, Type::I64, &[ptr], Imm::None);
        let zero = self.bits(Type::I64, 0);
        let below = self.same(Op::Sub, &[zero, address]);
        let mask = self.bits(Type::I64, u64::from(align) - 1);
        let gap = self.same(Op::And, &[below, mask]);
        self.ptr_add(ptr, gap, 1)
    }
    /// Private memory for an object of this size and alignment.
    pub(crate) fn slot(&mut self, name: &str, size: u64, wanted: u32) -> SlotId {
        let (size, align) = with_slack(size, wanted);
        self.func.slots.push(Slot::new(name.to_owned(), size, align))
    }
    /// Where the object with this alignment lies in a slot.
    pub(crate) fn slot_ptr(&mut self, slot: SlotId, align: u32) -> Value {
        let ptr = self.emit(Op::SlotAddr, Type::ptr(AddrSpace::Private), &[], Imm::Slot(slot));
        self.aligned_up(ptr, align)
    }
    /// Copies so many bytes.
    pub(crate) fn copy_bytes(&mut self, dst: Value, src: Value, size: u64, attr: Attr) {
        if size > 0 && dst != src {
            let n = self.bits(Type::I64, size);
            self.push(Op::Memcpy, None, &[dst, src, n], Imm::None, attr);
        }
    }
    /// Puts a block made earlier at the end of the layout and goes on there.
    pub(crate) fn enter(&mut self, block: Block) {
        self.func.layout.push(block);
        self.block = block;
    }
    /// Ends the current block.
    pub(crate) fn end(&mut self, term: Term) {
        self.func.blocks[self.block].term = term;
    }
    pub(crate) fn jump(&mut self, block: Block) {
        self.end(Term::Jump(Target::plain(block)));
    }
    pub(crate) fn jump_with(&mut self, block: Block, value: Value) {
        self.end(Term::Jump(Target { block, args: [value].as_slice().into() }));
    }
    pub(crate) fn branch(&mut self, cond: Value, then: Block, els: Block) {
        self.end(Term::Br { cond, then: Target::plain(then), els: Target::plain(els) });
    }
    /// After a jump: what follows is unreachable unless a label stands there.
    pub(crate) fn dead_end(&mut self) {
        let block = self.func.add_block();
        self.enter(block);
    }
    /// base + index * size.
    pub(crate) fn ptr_add(&mut self, base: Value, index: Value, size: u64) -> Value {
        let ty = self.func.ty(base);
        match u32::try_from(size) {
            Ok(scale) => self.emit(Op::PtrAdd, ty, &[base, index], Imm::Scale { scale, disp: 0 }),
            Err(_) => {
                let size = self.bits(Type::I64, size);
                let bytes = self.same(Op::Mul, &[index, size]);
                self.emit(Op::PtrAdd, ty, &[base, bytes], Imm::Scale { scale: 1, disp: 0 })
            }
        }
    }
    /// base + disp.
    pub(crate) fn ptr_off(&mut self, base: Value, disp: i64) -> Value {
        if disp == 0 {
            return base;
        }
        let ty = self.func.ty(base);
        self.emit(Op::PtrOff, ty, &[base], Imm::Disp(disp))
    }
    /// i1 → 0/1 of an integer type, or the i1 itself.
    pub(crate) fn bool_as(&mut self, cond: Value, ty: Type) -> Value {
        if ty == Type::I1 { cond } else { self.emit(Op::Zext, ty, &[cond], Imm::None) }
    }
    /// v != 0 for any scalar.
    pub(crate) fn is_true(&mut self, v: Value) -> Value {
        let ty = self.func.ty(v);
        if ty == Type::I1 {
            return v;
        }
        let zero = self.bits(ty, 0);
        if ty.is_float() {
            self.emit(Op::Fcmp, Type::I1, &[v, zero], Imm::FloatPred(FloatPred::UNe))
        } else {
            self.emit(Op::Icmp, Type::I1, &[v, zero], Imm::IntPred(IntPred::Ne))
        }
    }
    /// Sign bits as i1.
    pub(crate) fn sign_mask(&mut self, v: Value) -> Value {
        let ty = self.func.ty(v);
        let zero = self.bits(ty, 0);
        self.emit(Op::Icmp, ty.with_elem(Scalar::I1), &[v, zero], Imm::IntPred(IntPred::SLt))
    }
    /// A pointer in another address space.
    pub(crate) fn cast_pointer(&mut self, p: Value, to: Type) -> Value {
        if self.func.ty(p) == to { p } else { self.emit(Op::AsCast, to, &[p], Imm::None) }
    }
    /// A quotient of floats. Where the permission is there, a reciprocal that can be shared, moved out of loops and
    /// folded; only floats may be less than correctly rounded.
    pub(crate) fn divide(&mut self, a: Value, b: Value, attr: Attr) -> Value {
        let ty = self.func.ty(a);
        if attr.flags.contains(Flags::ARCP) && attr.rm == Rounding::Rte && ty.elem == Scalar::F32 {
            let one = self.bits(ty, u64::from(1f32.to_bits()));
            let inverse = self.emit_attr(Op::Fdiv, ty, &[one, b], Imm::None, attr);
            return self.emit_attr(Op::Fmul, ty, &[a, inverse], Imm::None, attr);
        }
        self.emit_attr(Op::Fdiv, ty, &[a, b], Imm::None, attr)
    }
}
