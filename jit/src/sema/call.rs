//! Calls: user functions, and the way to builtins. Spec: OpenCL C, "Restrictions".

use super::convert::Why;
use super::scope::Entity;
use super::{CallEdge, Sema};
use crate::ast;
use crate::hir::{Callee, ExprId, ExprKind, FnId};
use crate::source::Span;

impl Sema<'_> {
    pub(super) fn call(&mut self, callee: ast::ExprId, args: ast::List<ast::ExprId>, span: Span) -> Option<ExprId> {
        let ast = self.ast;
        let args = &ast[args];
        let mut at = callee;
        while let ast::ExprKind::Paren(inner) = ast[at].kind {
            at = inner;
        }
        if self.is_block(at) {
            return self.call_block(at, args, span);
        }
        let ast::ExprKind::Ident(name) = ast[at].kind else {
            for &arg in args {
                self.value(arg);
            }
            let op = self.expr(callee)?;
            let text = format!("called object type '{}' is not a function", self.show(op.ty));
            self.err(ast[callee].span, text);
            return None;
        };
        if self.scopes.find(name.name).is_none() && super::device::is_device_function(self.text(name.name)) {
            return self.call_device(name, args, span);
        }
        // All arguments are checked, so that each mistake is told.
        let values: Vec<Option<ExprId>> = args.iter().map(|&arg| self.value(arg)).collect();
        let entity = self.scopes.find(name.name).map(|named| named.entity.clone());
        match entity {
            Some(Entity::Funcs(list)) => {
                let values: Vec<ExprId> = values.into_iter().collect::<Option<_>>()?;
                self.call_user(name, &list, args, values, span)
            }
            Some(Entity::Broken) => None,
            Some(Entity::Typedef(_)) => {
                let text = format!("unexpected type name '{}': expected expression", self.text(name.name));
                self.err(name.span, text);
                None
            }
            Some(
                Entity::Local(..) | Entity::Block(_) | Entity::WgVar(..) | Entity::Var(..) | Entity::Enumerator(..),
            ) => {
                let op = self.expr(at)?;
                if self.is_error(op.ty) {
                    return None;
                }
                let text = format!("called object type '{}' is not a function or function pointer", self.show(op.ty));
                self.err(ast[callee].span, text);
                None
            }
            None => {
                let values: Vec<ExprId> = values.into_iter().collect::<Option<_>>()?;
                self.call_builtin(name, args, values, span)
            }
        }
    }

    fn call_user(
        &mut self,
        name: ast::Ident,
        list: &[FnId],
        args: &[ast::ExprId],
        values: Vec<ExprId>,
        span: Span,
    ) -> Option<ExprId> {
        let &[only] = list else { return self.call_overloaded(name, list, args, values, span) };
        let info = self.fns[only.0 as usize].clone();
        if self.builtin_mode() {
            // A body file may define some overloads of a builtin; the others stay visible.
            let exact = info.params.len() == values.len() && self.all_exact(&info.params, &values);
            if !exact {
                return self.call_overloaded(name, list, args, values, span);
            }
        }
        if info.params.len() != values.len() {
            let how = if values.len() < info.params.len() { "few" } else { "many" };
            let text =
                format!("too {how} arguments to function call, expected {}, have {}", info.params.len(), values.len());
            let note = format!("'{}' declared here", self.text(name.name));
            self.err_note(span, text, info.span, note);
            return None;
        }
        self.finish_user_call(only, args, values, span)
    }

    /// Converts the arguments and makes the call.
    pub(super) fn finish_user_call(
        &mut self,
        f: FnId,
        args: &[ast::ExprId],
        values: Vec<ExprId>,
        span: Span,
    ) -> Option<ExprId> {
        let info = self.fns[f.0 as usize].clone();
        let mut converted = Vec::with_capacity(values.len());
        let mut ok = true;
        for (i, (&value, &param)) in values.iter().zip(&info.params).enumerate() {
            let at = args.get(i).map_or(span, |&arg| self.ast[arg].span);
            match self.convert(value, param, &Why::Arg, at) {
                Some(value) => converted.push(value),
                None => ok = false,
            }
        }
        if !ok {
            return None;
        }
        if let Some(caller) = self.current
            && self.unevaluated == 0
        {
            self.calls.push(CallEdge { caller, callee: f, span });
        }
        if !self.in_function {
            self.err(span, "function call is not a compile-time constant");
            return None;
        }
        Some(self.push(ExprKind::Call(Callee::User(f), converted), info.ret, span))
    }
}
