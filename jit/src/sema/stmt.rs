//! Statements.

use super::Sema;
use super::convert::{Why, truncate};
use super::ty::Num;
use crate::ast::{self, LabelKind, StmtKind};
use crate::hir::{LabelId, Stmt, StmtId, Ty, Types};
use crate::intern::Symbol;
use crate::source::Span;
use rustc_hash::FxHashMap;

/// What surrounds a statement, and the labels of the function.
#[derive(Debug, Default)]
pub(super) struct Flow {
    loops: u32,
    /// Loops and switches that `break` may leave.
    breakable: u32,
    switches: Vec<Switch>,
    labels: FxHashMap<Symbol, Label>,
}

#[derive(Debug)]
struct Switch {
    ty: Ty,
    seen: FxHashMap<u64, Span>,
    default: Option<Span>,
}

#[derive(Debug)]
struct Label {
    id: LabelId,
    defined: Option<Span>,
    used: Option<Span>,
}

/// GNU case ranges longer than this are refused.
const MAX_CASE_RANGE: i128 = 1 << 16;

impl Sema<'_> {
    /// The statements of a block, in a scope that the caller has opened.
    pub(super) fn compound(&mut self, list: &[ast::StmtId], out: &mut Vec<StmtId>) {
        let around = self.fp;
        for &id in list {
            self.stmt(id, out);
            if self.session.diags.is_full() {
                break;
            }
        }
        // Both pragmas hold to the end of the compound statement that they stand in.
        self.fp = around;
    }

    /// A statement in its own scope, as one HIR statement.
    fn sub_stmt(&mut self, id: ast::StmtId) -> StmtId {
        let mut out = Vec::new();
        self.scopes.enter();
        self.stmt(id, &mut out);
        self.scopes.leave();
        match out.as_slice() {
            [] => self.push_stmt(Stmt::Empty),
            &[single] => single,
            _ => self.push_stmt(Stmt::Block(out)),
        }
    }

    pub(super) fn stmt(&mut self, id: ast::StmtId, out: &mut Vec<StmtId>) {
        let ast = self.ast;
        let node = &ast[id];
        let is_loop = matches!(
            node.kind,
            StmtKind::For { .. } | StmtKind::While { .. } | StmtKind::DoWhile { .. } | StmtKind::Error
        );
        self.stmt_attrs(node.attrs, is_loop);
        match node.kind {
            StmtKind::Error | StmtKind::Empty => {}
            StmtKind::Expr(e) => {
                if let Some(value) = self.discarded(e) {
                    let s = self.push_stmt(Stmt::Expr(value));
                    out.push(s);
                }
            }
            StmtKind::Decl { base, decls } => self.local_decl(base, &ast[decls], out),
            StmtKind::Compound(list) => {
                let mut inner = Vec::new();
                self.scopes.enter();
                self.compound(&ast[list], &mut inner);
                self.scopes.leave();
                let s = self.push_stmt(Stmt::Block(inner));
                out.push(s);
            }
            StmtKind::If { cond, then, els } => {
                let c = self.condition_expr(cond);
                let then = self.sub_stmt(then);
                let els = els.map(|els| self.sub_stmt(els));
                if let Some(c) = c {
                    let s = self.push_stmt(Stmt::If(c, then, els));
                    out.push(s);
                }
            }
            StmtKind::While { cond, body } => {
                let c = self.condition_expr(cond);
                let body = self.loop_body(body);
                if let Some(c) = c {
                    let s = self.push_stmt(Stmt::While { cond: Some(c), step: None, body });
                    out.push(s);
                }
            }
            StmtKind::DoWhile { body, cond } => {
                let body = self.loop_body(body);
                if let Some(cond) = self.condition_expr(cond) {
                    let s = self.push_stmt(Stmt::DoWhile { body, cond });
                    out.push(s);
                }
            }
            StmtKind::For { init, cond, step, body } => {
                self.scopes.enter();
                let mut inner = Vec::new();
                if let Some(init) = init {
                    self.stmt(init, &mut inner);
                }
                let c = cond.map(|cond| self.condition_expr(cond));
                let step = step.map(|step| self.discarded(step));
                let body = self.loop_body(body);
                self.scopes.leave();
                if let (None | Some(Some(_)), None | Some(Some(_))) = (c, step) {
                    let s = self.push_stmt(Stmt::While { cond: c.flatten(), step: step.flatten(), body });
                    inner.push(s);
                }
                let s = self.push_stmt(Stmt::Block(inner));
                out.push(s);
            }
            StmtKind::Switch { cond, body } => self.switch(cond, body, out),
            StmtKind::Labeled { labels, body } => {
                for label in &ast[labels] {
                    self.label(*label, out);
                }
                self.stmt(body, out);
            }
            StmtKind::Goto(name) => {
                let label = self.label_id(name);
                if let Some(entry) = self.flow.labels.get_mut(&name.name) {
                    entry.used.get_or_insert(name.span);
                }
                let s = self.push_stmt(Stmt::Goto(label));
                out.push(s);
            }
            StmtKind::Break => {
                if self.flow.breakable == 0 {
                    self.err(node.span, "'break' statement not in loop or switch statement");
                    return;
                }
                let s = self.push_stmt(Stmt::Break);
                out.push(s);
            }
            StmtKind::Continue => {
                if self.flow.loops == 0 {
                    self.err(node.span, "'continue' statement not in loop statement");
                    return;
                }
                let s = self.push_stmt(Stmt::Continue);
                out.push(s);
            }
            StmtKind::Return(value) => self.return_stmt(value, node.span, out),
            StmtKind::Pragma(pragma) => self.pragma(pragma),
            StmtKind::StaticAssert { cond, message } => self.static_assert(cond, message),
        }
    }

    /// An expression whose value is not used; structs need no load.
    fn discarded(&mut self, e: ast::ExprId) -> Option<crate::hir::ExprId> {
        let op = self.expr(e)?;
        if op.ty == Types::VOID {
            return match op.kind {
                super::operand::OpKind::Value(e) => Some(e),
                super::operand::OpKind::Place(_) => None,
            };
        }
        if self.is_array(op.ty) {
            return None;
        }
        self.value_of(op)
    }

    fn condition_expr(&mut self, e: ast::ExprId) -> Option<crate::hir::ExprId> {
        let value = self.value(e)?;
        if let ast::ExprKind::Assign { op: None, .. } = self.ast[e].kind {
            self.warn(self.ast[e].span, "using the result of an assignment as a condition without parentheses");
        }
        self.condition(value, self.ast[e].span)
    }

    fn loop_body(&mut self, body: ast::StmtId) -> StmtId {
        self.flow.loops += 1;
        self.flow.breakable += 1;
        let body = self.sub_stmt(body);
        self.flow.loops -= 1;
        self.flow.breakable -= 1;
        body
    }

    fn switch(&mut self, cond: ast::ExprId, body: ast::StmtId, out: &mut Vec<StmtId>) {
        let mut value = self.value(cond);
        let mut ty = Types::ERROR;
        if let Some(e) = value {
            let from = self.ty_of(e);
            if self.is_integer(from) {
                ty = self.promote(from);
                value = Some(self.cast(e, ty));
            } else {
                let text = format!("statement requires expression of integer type ('{}' invalid)", self.show(from));
                self.err(self.ast[cond].span, text);
                value = None;
            }
        }
        self.flow.switches.push(Switch { ty, seen: FxHashMap::default(), default: None });
        self.flow.breakable += 1;
        let body = self.sub_stmt(body);
        self.flow.breakable -= 1;
        self.flow.switches.pop();
        if let Some(value) = value {
            let s = self.push_stmt(Stmt::Switch { value, body });
            out.push(s);
        }
    }

    fn label(&mut self, label: ast::Label, out: &mut Vec<StmtId>) {
        match label.kind {
            LabelKind::Name(name) => {
                let id = self.label_id(name);
                let before = self.flow.labels.get_mut(&name.name).and_then(|entry| entry.defined.replace(name.span));
                if let Some(before) = before {
                    let text = format!("redefinition of label '{}'", self.text(name.name));
                    self.err_note(name.span, text, before, "previous definition is here");
                    return;
                }
                let s = self.push_stmt(Stmt::Label(id));
                out.push(s);
            }
            LabelKind::Default => {
                let Some(switch) = self.flow.switches.last_mut() else {
                    self.err(label.span, "'default' statement not in switch statement");
                    return;
                };
                if let Some(before) = switch.default.replace(label.span) {
                    self.err_note(
                        label.span,
                        "multiple default labels in one switch",
                        before,
                        "previous default label is here",
                    );
                    return;
                }
                let s = self.push_stmt(Stmt::Default);
                out.push(s);
            }
            LabelKind::Case(first, last) => {
                let what = "case value";
                let first_value = self.int_constant_expr(first, what);
                let last_value = last.map(|last| self.int_constant_expr(last, what));
                let Some(switch) = self.flow.switches.last() else {
                    self.err(label.span, "'case' statement not in switch statement");
                    return;
                };
                let ty = switch.ty;
                let (Some(first), None | Some(Some(_))) = (first_value, last_value) else { return };
                let last = last_value.flatten().unwrap_or(first);
                if ty == Types::ERROR {
                    return;
                }
                if last < first {
                    self.warn(label.span, "empty case range specified");
                    return;
                }
                if last - first > MAX_CASE_RANGE {
                    self.err(label.span, format!("case ranges longer than {MAX_CASE_RANGE} values are not supported"));
                    return;
                }
                let bits = match self.num(ty) {
                    Some(Num::Int(bits, _)) => bits,
                    _ => 32,
                };
                for value in first..=last {
                    let stored = truncate(value as u64, bits);
                    let before = self.flow.switches.last_mut().and_then(|s| s.seen.insert(stored, label.span));
                    if let Some(before) = before {
                        self.err_note(
                            label.span,
                            format!("duplicate case value '{value}'"),
                            before,
                            "previous case defined here",
                        );
                        return;
                    }
                    let s = self.push_stmt(Stmt::Case(stored));
                    out.push(s);
                }
            }
        }
    }

    fn label_id(&mut self, name: ast::Ident) -> LabelId {
        if let Some(label) = self.flow.labels.get(&name.name) {
            return label.id;
        }
        let text = self.text(name.name).to_owned();
        let id = self.f.labels.push(text);
        self.flow.labels.insert(name.name, Label { id, defined: None, used: None });
        id
    }

    /// At a function's end: every `goto` needs its label.
    pub(super) fn check_labels(&mut self) {
        let mut missing: Vec<(Span, Symbol)> = self
            .flow
            .labels
            .iter()
            .filter(|(_, label)| label.defined.is_none())
            .filter_map(|(&name, label)| Some((label.used?, name)))
            .collect();
        missing.sort_unstable();
        for (span, name) in missing {
            let text = format!("use of undeclared label '{}'", self.text(name));
            self.err(span, text);
        }
    }

    fn return_stmt(&mut self, value: Option<ast::ExprId>, span: Span, out: &mut Vec<StmtId>) {
        let ret = self.f.ret;
        let name = self.current.map(|f| self.text(self.fns[f.0 as usize].name).to_owned()).unwrap_or_default();
        let stmt = match value {
            None if ret == Types::ERROR => return,
            None if self.infers.is_some() => {
                self.infer_return(Types::VOID, span);
                Stmt::Return(None)
            }
            None if ret == Types::VOID => Stmt::Return(None),
            None => {
                self.err(span, format!("non-void function '{name}' should return a value"));
                return;
            }
            Some(e) => {
                let infers = self.infers == Some(false);
                let Some(value) = (if infers { self.value(e) } else { self.discarded_or_value(e, ret) }) else {
                    return;
                };
                if self.infers.is_some() {
                    self.infer_return(self.ty_of(value), span);
                }
                let ret = self.f.ret;
                if ret == Types::VOID {
                    if self.ty_of(value) != Types::VOID {
                        self.err(self.ast[e].span, format!("void function '{name}' should not return a value"));
                        return;
                    }
                    let s = self.push_stmt(Stmt::Expr(value));
                    out.push(s);
                    Stmt::Return(None)
                } else {
                    match self.convert(value, ret, &Why::Return, self.ast[e].span) {
                        Some(value) => Stmt::Return(Some(value)),
                        None => return,
                    }
                }
            }
        };
        let s = self.push_stmt(stmt);
        out.push(s);
    }

    fn discarded_or_value(&mut self, e: ast::ExprId, ret: Ty) -> Option<crate::hir::ExprId> {
        if ret == Types::VOID { self.discarded(e) } else { self.value(e) }
    }
}
