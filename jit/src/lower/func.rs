//! Function bodies: parameters, slots and statements.

use super::emit::{Emitter, Output};
use super::{Extras, is_record, signature, value_type};
use crate::hir::{self, ExprId, LabelId, LocalId, PlaceId, Stmt, StmtId, Ty, TyKind, Types};
use crate::ir::entity::Arena;
use crate::ir::{Attr, Block, Func, FuncId, Imm, Op, SlotId, Target, Term, Type, Value};
use crate::launch::AddrSpace;
use std::ops::{Deref, DerefMut};

/// State of one function.
pub(super) struct FuncCx<'c, 'u> {
    pub(super) unit: &'u hir::Unit,
    pub(super) hir: &'u hir::Func,
    emitter: Emitter<'c>,
    slots: Arena<LocalId, SlotId>,
    labels: Vec<Block>,
    breaks: Vec<Block>,
    continues: Vec<Block>,
    switches: Vec<Cases>,
    /// Where a struct result goes.
    ret_ptr: Option<Value>,
}

impl<'c> Deref for FuncCx<'c, '_> {
    type Target = Emitter<'c>;
    fn deref(&self) -> &Self::Target {
        &self.emitter
    }
}

impl DerefMut for FuncCx<'_, '_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.emitter
    }
}

/// Labels met so far in a switch body.
#[derive(Default)]
struct Cases {
    cases: Vec<(u64, Target)>,
    default: Option<Block>,
}

/// The body of `hir` as KIR.
pub(super) fn lower_body<'u>(out: &mut Output, unit: &'u hir::Unit, hir: &'u hir::Func, id: FuncId) -> Func {
    let (params, ret) = signature(&unit.types, hir);
    let mut func = Func::new(hir.name.clone(), params, ret);
    func.is_kernel = out.module.funcs[id].is_kernel;
    let mut cx = FuncCx {
        unit,
        hir,
        emitter: Emitter::new(out, func, hir.span),
        slots: Arena::new(),
        labels: Vec::new(),
        breaks: Vec::new(),
        continues: Vec::new(),
        switches: Vec::new(),
        ret_ptr: None,
    };
    cx.bind_params();
    if cx.hir.kernel.is_some() {
        super::variable::keep_ids(&mut cx.emitter);
    }
    cx.labels = hir.labels.keys().map(|_| cx.func.add_block()).collect();
    if let Some(body) = hir.body {
        cx.stmt(body);
    }
    let end = match cx.func.ret {
        Some(ty) => Term::Ret(Some(cx.undef(ty))),
        None => Term::Ret(None),
    };
    cx.end(end);
    cx.emitter.func
}

impl<'u> FuncCx<'_, 'u> {
    pub(super) fn types(&self) -> &'u Types {
        &self.unit.types
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
            let slot = self.slot(&local.name, size, align);
            self.slots.push(slot);
            self.describe(id);
            if (id.0 as usize) < self.hir.n_params {
                let param = params.next().expect("one KIR parameter for each HIR parameter");
                let ptr = self.local_addr(id);
                let attr = self.variable_attr();
                self.store_to(ptr, local.ty, param, attr);
            }
        }
    }

    // ---- instructions

    /// Size and alignment in bytes that a variable asks for.
    fn size_align(&self, id: LocalId) -> (u64, u32) {
        let local = &self.hir.locals[id];
        let (size, natural) = self.types().size_align(local.ty).unwrap_or((0, 1));
        (size, natural.max(local.align))
    }
    pub(super) fn slot_of(&self, id: LocalId) -> SlotId {
        self.slots[id]
    }
    pub(super) fn local_addr(&mut self, id: LocalId) -> Value {
        let (slot, (_, align)) = (self.slots[id], self.size_align(id));
        self.slot_ptr(slot, align)
    }
    /// A fresh slot for a temporary of this type.
    pub(super) fn temp(&mut self, ty: Ty) -> Value {
        let (size, wanted) = self.types().size_align(ty).unwrap_or((0, 1));
        let slot = self.slot("", size, wanted);
        self.slot_ptr(slot, wanted)
    }
    /// Copies an object of this type.
    pub(super) fn copy(&mut self, dst: Value, src: Value, ty: Ty) {
        let size = self.size_of(ty);
        let attr = self.variable_attr();
        self.copy_bytes(dst, src, size, attr);
    }

    // ---- control flow

    // ---- statements

    pub(super) fn stmt(&mut self, id: StmtId) {
        let hir = self.hir;
        match &hir.stmts[id] {
            Stmt::Block(list) => self.block(list),
            Stmt::Expr(e) => self.effect(*e),
            Stmt::Declare(local) => self.declare(*local),
            Stmt::Empty => {}
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

    /// Nothing is in the variable, as checks want to know.
    fn declare(&mut self, local: LocalId) {
        if self.out.extras.contains(Extras::RANGES) {
            let at = self.local_addr(local);
            let (size, _) = self.size_align(local);
            let (nothing, size) = (self.undef(Type::I8), self.bits(Type::I64, size));
            self.push(Op::Memset, None, &[at, nothing, size], Imm::None, Attr::default());
        }
    }

    fn block(&mut self, list: &[StmtId]) {
        let insts = self.func.insts.len();
        list.iter().for_each(|&s| self.stmt(s));
        if self.out.extras.contains(Extras::VARIABLES) {
            let declared = list.iter().filter_map(|&s| match self.hir.stmts[s] {
                Stmt::Declare(local) => Some(local),
                _ => None,
            });
            self.leave_scope(&declared.collect::<Vec<_>>(), insts);
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
        let span = self.hir.exprs[value].span;
        let outer = std::mem::replace(&mut self.span, span);
        let place = self.accessed(place);
        let value = self.value(value);
        self.store(&place, value);
        self.span = outer;
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
