//! Statements.

use super::attr::Attrs;
use super::cursor::{AtSemi, P, PragmaSite, Start, Tok};
use super::decl::{Group, Site};
use super::keyword::{Kw, Meaning};
use super::{MAX_TREE_DEPTH, Parser};
use crate::ast::{ExprId, Ident, Label, LabelKind, List, Stmt, StmtId, StmtKind};
use smallvec::SmallVec;

impl Parser<'_> {
    /// `{ … }`, the cursor at the brace; a scope of its own.
    pub(super) fn compound(&mut self) -> StmtId {
        let (start, open) = (self.start(), self.span());
        self.bump();
        let mark = self.scopes.push();
        let mut list: SmallVec<[StmtId; 16]> = SmallVec::new();
        let mut behind = PragmaSite::BlockStart;
        loop {
            self.pragmas(behind, &mut list);
            behind = PragmaSite::Statement;
            if self.at(P::RBrace) || self.at_eof() {
                break;
            }
            let before = self.start();
            list.push(self.block_item());
            if self.stuck_at(before) {
                self.bump();
            }
        }
        self.scopes.pop(mark);
        self.close(P::RBrace, open);
        let list = self.ast.add_list(&list);
        self.add_stmt(StmtKind::Compound(list), start)
    }

    /// The pragmas in front of the cursor, as statements.
    fn pragmas(&mut self, site: PragmaSite, list: &mut SmallVec<[StmtId; 16]>) {
        while let Some(pragma) = self.take_pragma(site) {
            let stmt = Stmt { kind: StmtKind::Pragma(pragma), attrs: List::EMPTY, span: pragma.span };
            list.push(self.ast.add(stmt));
        }
    }

    /// A declaration or statement.
    fn block_item(&mut self) -> StmtId {
        let start = self.start();
        let mut attrs = Attrs::new();
        self.opt_attributes(&mut attrs);
        if self.at_decl() { self.decl_stmt(attrs, start) } else { self.stmt_with(attrs, start) }
    }

    /// Whether a declaration begins at the cursor, rather than a statement.
    fn at_decl(&self) -> bool {
        match self.tok() {
            Tok::Kw(Kw::Extension) => self.starts_decl(self.peek(1)),
            Tok::Kw(kw) => kw.starts_decl(),
            Tok::Ident(_) if self.peek(1) == Tok::P(P::Colon) => false,
            Tok::Ident(name) => match self.scopes.meaning(name) {
                Meaning::Builtin(_) | Meaning::Typedef { .. } => true,
                Meaning::Unknown => self.looks_like_decl(),
                _ => false,
            },
            _ => false,
        }
    }

    /// At an undeclared name at the start of a statement: whether it was meant as a type.
    fn looks_like_decl(&self) -> bool {
        let mut n = 1;
        while n < 4 && self.peek(n) == Tok::P(P::Star) {
            n += 1;
        }
        let Tok::Ident(name) = self.peek(n) else {
            return n == 1 && matches!(self.peek(1), Tok::Kw(kw) if kw.starts_type());
        };
        n == 1
            || (self.scopes.meaning(name) == Meaning::Unknown
                && matches!(self.peek(n + 1), Tok::P(P::Eq | P::Semi | P::Comma | P::LBracket)))
    }

    /// A declaration as a statement.
    fn decl_stmt(&mut self, attrs: Attrs, start: Start) -> StmtId {
        let specs = self.specs(Site::Block, attrs);
        let base = specs.ty;
        if specs.has_ended || self.eat(P::Semi) {
            self.standalone(&specs);
            return self.add_stmt(StmtKind::Decl { base, decls: List::EMPTY }, start);
        }
        let kind = match self.group(&specs, Site::Block) {
            Some(Group::Decls(decls)) => StmtKind::Decl { base, decls },
            Some(Group::Function(_)) | None => StmtKind::Error,
        };
        self.add_stmt(kind, start)
    }

    /// A statement that is part of another.
    fn stmt(&mut self) -> StmtId {
        let start = self.start();
        if self.pragma_waits() {
            // `if (c) #pragma unroll for …`: pragma and statement make a block.
            let mut list = SmallVec::new();
            self.pragmas(PragmaSite::Statement, &mut list);
            list.push(self.stmt_without_pragma());
            let list = self.ast.add_list(&list);
            return self.add_stmt(StmtKind::Compound(list), start);
        }
        self.stmt_without_pragma()
    }

    fn stmt_without_pragma(&mut self) -> StmtId {
        let start = self.start();
        let mut attrs = Attrs::new();
        self.opt_attributes(&mut attrs);
        if self.at_decl() {
            self.error_here("expected expression");
            let mark = self.scopes.push();
            let decl = self.decl_stmt(attrs, start);
            self.scopes.pop(mark);
            return decl;
        }
        self.stmt_with(attrs, start)
    }

    /// A statement behind its attributes.
    fn stmt_with(&mut self, attrs: Attrs, start: Start) -> StmtId {
        if !self.enter() {
            return self.add_stmt(StmtKind::Error, start);
        }
        let stmt = self.stmt_inner(start);
        self.leave();
        if !attrs.is_empty() {
            self.ast[stmt].attrs = self.ast.add_list(&attrs);
        }
        stmt
    }

    fn stmt_inner(&mut self, start: Start) -> StmtId {
        let kind = match self.tok() {
            Tok::P(P::LBrace) => return self.compound(),
            Tok::P(P::Semi) => {
                self.bump();
                StmtKind::Empty
            }
            // Only attributes: `__attribute__((fallthrough))` without its semicolon, at the end.
            Tok::P(P::RBrace) => {
                self.error_here("expected statement");
                StmtKind::Error
            }
            Tok::Ident(_) if self.peek(1) == Tok::P(P::Colon) => self.labeled(),
            Tok::Kw(Kw::Case | Kw::Default) => self.labeled(),
            Tok::Kw(Kw::If) => return self.if_chain(),
            Tok::Kw(Kw::While) => {
                self.bump();
                let cond = self.condition("while");
                StmtKind::While { cond, body: self.scoped_stmt() }
            }
            Tok::Kw(Kw::Do) => self.do_while(),
            Tok::Kw(Kw::For) => self.for_loop(),
            Tok::Kw(Kw::Switch) => {
                self.bump();
                let cond = self.condition("switch");
                StmtKind::Switch { cond, body: self.scoped_stmt() }
            }
            Tok::Kw(Kw::Goto) => {
                self.bump();
                let Tok::Ident(name) = self.tok() else {
                    self.error_here("expected identifier");
                    self.semi("expected ';' after goto statement");
                    return self.add_stmt(StmtKind::Error, start);
                };
                let label = Ident { name, span: self.span() };
                self.bump();
                self.semi("expected ';' after goto statement");
                StmtKind::Goto(label)
            }
            Tok::Kw(Kw::Break) => {
                self.bump();
                self.semi("expected ';' after break statement");
                StmtKind::Break
            }
            Tok::Kw(Kw::Continue) => {
                self.bump();
                self.semi("expected ';' after continue statement");
                StmtKind::Continue
            }
            Tok::Kw(Kw::Return) => {
                self.bump();
                let value = if self.at(P::Semi) { None } else { Some(self.expr()) };
                self.semi("expected ';' after return statement");
                StmtKind::Return(value)
            }
            Tok::Kw(Kw::StaticAssert) => {
                let (cond, message) = self.static_assert();
                StmtKind::StaticAssert { cond, message }
            }
            Tok::Kw(Kw::Asm) => {
                self.asm();
                self.semi("expected ';' after expression");
                StmtKind::Error
            }
            Tok::Kw(Kw::Else) => {
                self.error_here("expected expression");
                self.bump();
                return self.stmt();
            }
            _ => {
                let e = self.expr();
                self.semi("expected ';' after expression");
                StmtKind::Expr(e)
            }
        };
        self.add_stmt(kind, start)
    }

    /// The body of a loop or branch: a scope of its own even without braces.
    fn scoped_stmt(&mut self) -> StmtId {
        let mark = self.scopes.push();
        let body = self.stmt();
        self.scopes.pop(mark);
        body
    }

    /// `( expr )` behind a keyword.
    fn condition(&mut self, word: &str) -> ExprId {
        let open = self.span();
        if !self.expect(P::LParen, &format!("expected '(' after '{word}'")) {
            if self.skip_until(&[P::RParen, P::LBrace], AtSemi::Stop) && self.at(P::RParen) {
                self.bump();
            }
            return self.error_expr(open);
        }
        if !self.enter() {
            return self.error_expr(open);
        }
        let cond = self.expr();
        self.close(P::RParen, open);
        self.leave();
        cond
    }

    /// `if`, with its chain of `else if`s read in a loop.
    fn if_chain(&mut self) -> StmtId {
        let mut arms: SmallVec<[(ExprId, StmtId, Start); 4]> = SmallVec::new();
        let mut els = None;
        loop {
            let start = self.start();
            self.bump();
            let cond = self.condition("if");
            let then = self.scoped_stmt();
            arms.push((cond, then, start));
            if self.tok() != Tok::Kw(Kw::Else) {
                break;
            }
            self.bump();
            if self.tok() != Tok::Kw(Kw::If) || self.pragma_waits() {
                els = Some(self.scoped_stmt());
                break;
            }
            if arms.len() as u32 >= MAX_TREE_DEPTH {
                self.error_here(format!("more than {MAX_TREE_DEPTH} 'else if' in a row"));
                self.stop();
                break;
            }
        }
        self.peak += arms.len() as u32;
        let mut chain = None;
        while let Some((cond, then, start)) = arms.pop() {
            let stmt = self.add_stmt(StmtKind::If { cond, then, els: chain.or(els) }, start);
            chain = Some(stmt);
        }
        chain.unwrap_or_else(|| self.ast.add(Stmt { kind: StmtKind::Error, attrs: List::EMPTY, span: self.span() }))
    }

    fn do_while(&mut self) -> StmtKind {
        self.bump();
        let body = self.scoped_stmt();
        if self.tok() != Tok::Kw(Kw::While) {
            self.error_here("expected 'while' in do/while loop");
            return StmtKind::Error;
        }
        self.bump();
        let cond = self.condition("while");
        self.semi("expected ';' after do/while statement");
        StmtKind::DoWhile { body, cond }
    }

    fn for_loop(&mut self) -> StmtKind {
        self.bump();
        let open = self.span();
        if !self.expect(P::LParen, "expected '(' after 'for'") {
            if self.skip_until(&[P::RParen, P::LBrace], AtSemi::Pass) && self.eat(P::RParen) {
                self.scoped_stmt();
            } else if self.at(P::LBrace) {
                self.compound();
            }
            return StmtKind::Error;
        }
        let mark = self.scopes.push();
        let init = if self.eat(P::Semi) {
            None
        } else if self.at_decl() {
            let start = self.start();
            Some(self.decl_stmt(Attrs::new(), start))
        } else {
            let start = self.start();
            let e = self.expr();
            self.for_semi();
            Some(self.add_stmt(StmtKind::Expr(e), start))
        };
        let cond = if self.at(P::Semi) || self.at(P::RParen) { None } else { Some(self.expr()) };
        self.for_semi();
        let step = if self.at(P::RParen) { None } else { Some(self.expr()) };
        if self.at(P::Semi) {
            self.error_here("expected ')'");
            self.skip_until(&[P::RParen], AtSemi::Pass);
        }
        self.close(P::RParen, open);
        let body = self.scoped_stmt();
        self.scopes.pop(mark);
        StmtKind::For { init, cond, step, body }
    }

    /// A `;` between the parts of a `for`.
    fn for_semi(&mut self) {
        if self.expect(P::Semi, "expected ';' in 'for' statement specifier") {
            return;
        }
        if self.skip_until(&[P::Semi, P::RParen, P::LBrace], AtSemi::Stop) && self.at(P::Semi) {
            self.bump();
        }
    }

    /// Labels and what they mark.
    fn labeled(&mut self) -> StmtKind {
        let mut labels: SmallVec<[Label; 4]> = SmallVec::new();
        loop {
            let start = self.start();
            let (kind, word) = match self.tok() {
                Tok::Ident(name) if self.peek(1) == Tok::P(P::Colon) => {
                    let name = Ident { name, span: self.span() };
                    self.bump();
                    (LabelKind::Name(name), "label")
                }
                Tok::Kw(Kw::Case) => {
                    self.bump();
                    let first = self.conditional_expr();
                    let last = self.eat(P::Ellipsis).then(|| self.conditional_expr());
                    (LabelKind::Case(first, last), "'case'")
                }
                Tok::Kw(Kw::Default) => {
                    self.bump();
                    (LabelKind::Default, "'default'")
                }
                _ => break,
            };
            if !self.eat(P::Colon) {
                let behind = self.prev_span().end();
                self.error_at(behind, format!("expected ':' after {word}"));
                let goes_on = !matches!(self.tok(), Tok::P(p) if p != P::LBrace);
                if !goes_on && self.skip_until(&[P::Colon], AtSemi::Stop) {
                    self.bump();
                }
            }
            labels.push(Label { kind, span: self.since(start) });
            if self.pragma_waits() {
                break;
            }
        }
        let labels = self.ast.add_list(&labels);
        let start = self.start();
        let body = if self.at(P::RBrace) && !self.pragma_waits() {
            let span = self.span();
            self.warn(span, "label at end of compound statement is a C23 extension");
            self.add_stmt(StmtKind::Empty, start)
        } else if !self.pragma_waits() && self.at_decl() {
            let span = self.span();
            self.warn(span, "label followed by a declaration is a C23 extension");
            self.decl_stmt(Attrs::new(), start)
        } else {
            self.stmt()
        };
        StmtKind::Labeled { labels, body }
    }

    fn add_stmt(&mut self, kind: StmtKind, start: Start) -> StmtId {
        let span = self.since(start);
        self.ast.add(Stmt { kind, attrs: List::EMPTY, span })
    }
}
