//! Whether control can reach the end of a function that has to return a value. Conditions count as unknown unless they
//! are missing or constant, so that a warning is only given for what is plainly wrong.

use super::Sema;
use crate::hir::{ConstValue, ExprId, ExprKind, Stmt, StmtId, Types};
use crate::source::Span;

impl Sema<'_> {
    /// Warns if the function that was just checked may end without `return`.
    pub(super) fn check_return(&mut self, body: StmtId, end: Span) {
        if self.session.diags.has_errors() || self.f.ret == Types::VOID || !self.falls(body) {
            return;
        }
        let text = if self.has(body, &|stmt| matches!(stmt, Stmt::Return(_))) {
            "non-void function does not return a value in all control paths"
        } else {
            "non-void function does not return a value"
        };
        self.warn(end, text);
    }

    /// Whether control can come out at the end of a statement that it enters at the top or at a label inside.
    fn falls(&self, id: StmtId) -> bool {
        match &self.f.stmts[id] {
            Stmt::Block(list) => {
                let mut reached = true;
                for &stmt in list {
                    if !reached && !self.has(stmt, &is_label) {
                        continue;
                    }
                    reached = self.falls(stmt);
                }
                reached
            }
            Stmt::Return(_) | Stmt::Break | Stmt::Continue | Stmt::Goto(_) => false,
            Stmt::If(_, then, els) => self.falls(*then) || els.is_none_or(|els| self.falls(els)),
            Stmt::While { cond, body, .. } => !cond.is_none_or(|c| self.is_always(c)) || self.breaks(*body),
            Stmt::DoWhile { body, cond } => {
                let repeats = self.is_always(*cond);
                self.breaks(*body)
                    || (!repeats && (self.falls(*body) || self.has(*body, &|stmt| matches!(stmt, Stmt::Continue))))
            }
            Stmt::Switch { body, .. } => {
                !self.has(*body, &|stmt| matches!(stmt, Stmt::Default)) || self.breaks(*body) || self.falls(*body)
            }
            Stmt::Expr(_)
            | Stmt::Declare(_)
            | Stmt::Zero(_)
            | Stmt::Init(..)
            | Stmt::Case(_)
            | Stmt::Default
            | Stmt::Label(_)
            | Stmt::Empty => true,
        }
    }

    /// Whether a condition is a constant other than zero.
    fn is_always(&self, cond: ExprId) -> bool {
        matches!(self.f.exprs[cond].kind, ExprKind::Const(ConstValue::Int(bits)) if bits != 0)
    }

    /// Whether there is a `break` for this loop's or switch's body.
    fn breaks(&self, id: StmtId) -> bool {
        match &self.f.stmts[id] {
            Stmt::Break => true,
            Stmt::Block(list) => list.iter().any(|&s| self.breaks(s)),
            Stmt::If(_, then, els) => self.breaks(*then) || els.is_some_and(|els| self.breaks(els)),
            _ => false,
        }
    }

    fn has(&self, id: StmtId, test: &dyn Fn(&Stmt) -> bool) -> bool {
        let stmt = &self.f.stmts[id];
        test(stmt)
            || match stmt {
                Stmt::Block(list) => list.iter().any(|&s| self.has(s, test)),
                Stmt::If(_, then, els) => self.has(*then, test) || els.is_some_and(|els| self.has(els, test)),
                Stmt::While { body, .. } | Stmt::DoWhile { body, .. } | Stmt::Switch { body, .. } => {
                    self.has(*body, test)
                }
                _ => false,
            }
    }
}

fn is_label(stmt: &Stmt) -> bool {
    matches!(stmt, Stmt::Label(_) | Stmt::Case(_) | Stmt::Default)
}
