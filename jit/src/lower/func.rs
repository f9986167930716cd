//! Function bodies: parameters, slots and statements.

use super::{UnitCx, is_record, signature, value_type};
use crate::hir::{self, ExprId, LabelId, LocalId, PlaceId, Stmt, StmtId, Ty, TyKind, Types};
use crate::ir::entity::Arena;
use crate::ir::{Attr, Block, Builder, Func, FuncId, Imm, Op, Slot, SlotId, Target, Term, Type, Value};
use crate::launch::{AddrSpace, MEMORY_ALIGN};
use crate::source::Span;

/// Bytes and alignment of memory in which an object of this size finds a place with this alignment: see `aligned_up`.
pub(super) fn with_slack(size: u64, align: u32) -> (u64, u32) {
    (size + u64::from(align.saturating_sub(MEMORY_ALIGN)), align.min(MEMORY_ALIGN))
}

/// State of one function.
pub(super) struct FuncCx<'c, 'u> {
    pub(super) unit: &'c mut UnitCx<'u>,
    pub(super) hir: &'u hir::Func,
    pub(super) func: Func,
    /// Where instructions go; blocks after a jump are made afresh and stay without predecessors.
    pub(super) block: Block,
    pub(super) span: Span,
    slots: Arena<LocalId, SlotId>,
    labels: Vec<Block>,
    breaks: Vec<Block>,
    continues: Vec<Block>,
    switches: Vec<Cases>,
    /// Where a struct result goes.
    ret_ptr: Option<Value>,
}

/// Labels met so far in a switch body.
#[derive(Default)]
struct Cases {
    cases: Vec<(u64, Target)>,
    default: Option<Block>,
}

/// The body of `hir` as KIR.
pub(super) fn lower_body<'u>(unit: &mut UnitCx<'u>, hir: &'u hir::Func, id: FuncId) -> Func {
    let (params, ret) = signature(&unit.unit.types, hir);
    let mut func = Func::new(hir.name.clone(), params, ret);
    func.is_kernel = unit.module.funcs[id].is_kernel;
    let entry = func.entry();
    let mut cx = FuncCx {
        unit,
        hir,
        func,
        block: entry,
        span: hir.span,
        slots: Arena::new(),
        labels: Vec::new(),
        breaks: Vec::new(),
        continues: Vec::new(),
        switches: Vec::new(),
        ret_ptr: None,
    };
    cx.bind_params();
    cx.labels = hir.labels.keys().map(|_| cx.func.add_block()).collect();
    if let Some(body) = hir.body {
        cx.stmt(body);
    }
    let end = match cx.func.ret {
        Some(ty) => Term::Ret(Some(cx.undef(ty))),
        None => Term::Ret(None),
    };
    cx.func.blocks[cx.block].term = end;
    cx.func
}

impl<'u> FuncCx<'_, 'u> {
    pub(super) fn types(&self) -> &'u Types {
        &self.unit.unit.types
    }
    /// The KIR type of values of `ty`.
    pub(super) fn value_type(&self, ty: Ty) -> Type {
        value_type(self.types(), ty)
    }
    pub(super) fn is_record(&self, ty: Ty) -> bool {
        is_record(self.types(), ty)
    }
    /// Size in bytes of a complete type.
    pub(super) fn size_of(&self, ty: Ty) -> u64 {
        self.types().size_align(ty).map_or(0, |(size, _)| size)
    }
    /// A pointer type's pointee and space.
    pub(super) fn pointee(&self, ty: Ty) -> (Ty, AddrSpace) {
        match self.types().kind(ty) {
            TyKind::Pointer { pointee, space, .. } => (*pointee, *space),
            _ => (Types::ERROR, AddrSpace::Private),
        }
    }

    fn bind_params(&mut self) {
        let entry = self.func.entry();
        let mut params = self.func.blocks[entry].params.clone().into_iter();
        if self.is_record(self.hir.ret) {
            self.ret_ptr = params.next();
        }
        for (id, local) in self.hir.locals.iter() {
            let (size, align) = self.size_align(id);
            let (size, align) = with_slack(size, align);
            let slot = self.func.slots.push(Slot { size, align, name: local.name.clone() });
            self.slots.push(slot);
            if (id.0 as usize) < self.hir.n_params {
                let param = params.next().expect("one KIR parameter for each HIR parameter");
                let ptr = self.local_addr(id);
                self.store_to(ptr, local.ty, param, Attr::default());
            }
        }
    }

    // ---- instructions

    /// Appends an instruction at the current place.
    pub(super) fn push(&mut self, op: Op, ty: Option<Type>, args: &[Value], imm: Imm, attr: Attr) -> Option<Value> {
        Builder::new(&mut self.func, self.block).with_span(self.span).push(op, ty, args, imm, attr)
    }
    /// Appends an instruction with a result of type `ty`.
    pub(super) fn emit(&mut self, op: Op, ty: Type, args: &[Value], imm: Imm) -> Value {
        self.emit_attr(op, ty, args, imm, Attr::default())
    }
    /// `emit` with attributes.
    pub(super) fn emit_attr(&mut self, op: Op, ty: Type, args: &[Value], imm: Imm, attr: Attr) -> Value {
        self.push(op, Some(ty), args, imm, attr).expect("a type was given")
    }
    /// An op whose operands and result have one type.
    pub(super) fn same(&mut self, op: Op, args: &[Value]) -> Value {
        let ty = self.func.ty(args[0]);
        self.emit(op, ty, args, Imm::None)
    }
    /// A constant (splat) from bits already cut to the width.
    pub(super) fn bits(&mut self, ty: Type, bits: u64) -> Value {
        self.emit(Op::Const, ty, &[], Imm::Bits(bits))
    }
    pub(super) fn undef(&mut self, ty: Type) -> Value {
        self.emit(Op::Undef, ty, &[], Imm::None)
    }
    /// Size and alignment in bytes that a variable asks for.
    fn size_align(&self, id: LocalId) -> (u64, u32) {
        let local = &self.hir.locals[id];
        let (size, natural) = self.types().size_align(local.ty).unwrap_or((0, 1));
        (size, natural.max(local.align))
    }
    pub(super) fn local_addr(&mut self, id: LocalId) -> Value {
        let slot = self.slots[id];
        let ptr = self.emit(Op::SlotAddr, Type::ptr(AddrSpace::Private), &[], Imm::Slot(slot));
        self.aligned_up(ptr, self.size_align(id).1)
    }
    /// The place in memory made by `with_slack` at which an object with this alignment lies.
    pub(super) fn aligned_up(&mut self, ptr: Value, align: u32) -> Value {
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
    /// A fresh slot for a temporary of this type.
    pub(super) fn temp(&mut self, ty: Ty) -> Value {
        let (size, wanted) = self.types().size_align(ty).unwrap_or((0, 1));
        let (size, align) = with_slack(size, wanted);
        let slot = self.func.slots.push(Slot { size, align, name: String::new() });
        let ptr = self.emit(Op::SlotAddr, Type::ptr(AddrSpace::Private), &[], Imm::Slot(slot));
        self.aligned_up(ptr, wanted)
    }
    /// Copies an object of this type.
    pub(super) fn copy(&mut self, dst: Value, src: Value, ty: Ty) {
        let size = self.size_of(ty);
        if size > 0 && dst != src {
            let n = self.bits(Type::I64, size);
            self.push(Op::Memcpy, None, &[dst, src, n], Imm::None, Attr::default());
        }
    }

    // ---- control flow

    /// Puts a block made earlier at the end of the layout and goes on there.
    pub(super) fn enter(&mut self, block: Block) {
        self.func.layout.push(block);
        self.block = block;
    }
    /// Ends the current block.
    pub(super) fn end(&mut self, term: Term) {
        self.func.blocks[self.block].term = term;
    }
    pub(super) fn jump(&mut self, block: Block) {
        self.end(Term::Jump(Target::plain(block)));
    }
    pub(super) fn jump_with(&mut self, block: Block, value: Value) {
        self.end(Term::Jump(Target { block, args: [value].as_slice().into() }));
    }
    pub(super) fn branch(&mut self, cond: Value, then: Block, els: Block) {
        self.end(Term::Br { cond, then: Target::plain(then), els: Target::plain(els) });
    }
    /// After a jump: what follows is unreachable unless a label stands there.
    fn dead_end(&mut self) {
        let block = self.func.add_block();
        self.enter(block);
    }

    // ---- statements

    pub(super) fn stmt(&mut self, id: StmtId) {
        let hir = self.hir;
        match &hir.stmts[id] {
            Stmt::Block(list) => list.iter().for_each(|&s| self.stmt(s)),
            Stmt::Expr(e) => self.effect(*e),
            Stmt::Declare(_) | Stmt::Empty => {}
            Stmt::Zero(place) => self.zero(*place),
            Stmt::Init(place, e) => self.assign(*place, *e),
            Stmt::If(cond, then, els) => self.if_stmt(*cond, *then, *els),
            Stmt::While { cond, step, body } => self.while_stmt(*cond, *step, *body),
            Stmt::DoWhile { body, cond } => self.do_while(*body, *cond),
            Stmt::Switch { value, body } => self.switch(*value, *body),
            Stmt::Case(bits) => self.case(Some(*bits)),
            Stmt::Default => self.case(None),
            Stmt::Break => self.leave(self.breaks.last().copied()),
            Stmt::Continue => self.leave(self.continues.last().copied()),
            Stmt::Return(value) => self.ret(*value),
            Stmt::Label(label) => {
                let block = self.label(*label);
                self.jump(block);
                self.enter(block);
            }
            Stmt::Goto(label) => {
                let block = self.label(*label);
                self.leave(Some(block));
            }
        }
    }

    fn label(&self, label: LabelId) -> Block {
        self.labels[label.0 as usize]
    }

    fn leave(&mut self, to: Option<Block>) {
        if let Some(block) = to {
            self.jump(block);
            self.dead_end();
        }
    }

    fn assign(&mut self, place: PlaceId, value: ExprId) {
        let place = self.place(place);
        let value = self.value(value);
        self.store(&place, value);
    }

    fn if_stmt(&mut self, cond: ExprId, then: StmtId, els: Option<StmtId>) {
        let then_block = self.func.add_block();
        let els_block = self.func.add_block();
        let end = if els.is_some() { self.func.add_block() } else { els_block };
        self.cond_branch(cond, then_block, els_block);
        self.enter(then_block);
        self.stmt(then);
        self.jump(end);
        if let Some(els) = els {
            self.enter(els_block);
            self.stmt(els);
            self.jump(end);
        }
        self.enter(end);
    }

    fn while_stmt(&mut self, cond: Option<ExprId>, step: Option<ExprId>, body: StmtId) {
        let [head, body_block, next, end] = std::array::from_fn(|_| self.func.add_block());
        self.jump(head);
        self.enter(head);
        match cond {
            Some(cond) => self.cond_branch(cond, body_block, end),
            None => self.jump(body_block),
        }
        self.enter(body_block);
        self.loop_body(body, end, next);
        self.jump(next);
        self.enter(next);
        if let Some(step) = step {
            self.effect(step);
        }
        self.jump(head);
        self.enter(end);
    }

    fn do_while(&mut self, body: StmtId, cond: ExprId) {
        let [head, next, end] = std::array::from_fn(|_| self.func.add_block());
        self.jump(head);
        self.enter(head);
        self.loop_body(body, end, next);
        self.jump(next);
        self.enter(next);
        self.cond_branch(cond, head, end);
        self.enter(end);
    }

    fn loop_body(&mut self, body: StmtId, on_break: Block, on_continue: Block) {
        self.breaks.push(on_break);
        self.continues.push(on_continue);
        self.stmt(body);
        self.breaks.pop();
        self.continues.pop();
    }

    fn switch(&mut self, value: ExprId, body: StmtId) {
        let value = self.value(value);
        let head = self.block;
        let end = self.func.add_block();
        self.dead_end();
        self.breaks.push(end);
        self.switches.push(Cases::default());
        self.stmt(body);
        self.jump(end);
        self.breaks.pop();
        let Cases { cases, default } = self.switches.pop().expect("pushed above");
        let default = Target::plain(default.unwrap_or(end));
        self.func.blocks[head].term = Term::Switch { value, cases, default };
        self.enter(end);
    }

    fn case(&mut self, bits: Option<u64>) {
        let block = self.func.add_block();
        self.jump(block);
        self.enter(block);
        if let Some(switch) = self.switches.last_mut() {
            match bits {
                Some(bits) => switch.cases.push((bits, Target::plain(block))),
                None => switch.default = Some(block),
            }
        }
    }

    fn ret(&mut self, value: Option<ExprId>) {
        let value = match value {
            Some(e) if self.hir.ret == Types::VOID => {
                self.effect(e);
                None
            }
            Some(e) => {
                let v = self.value(e);
                match self.ret_ptr {
                    Some(ptr) => {
                        self.copy(ptr, v, self.hir.ret);
                        None
                    }
                    None => Some(v),
                }
            }
            None => self.func.ret.map(|ty| self.undef(ty)),
        };
        self.end(Term::Ret(value));
        self.dead_end();
    }
}
