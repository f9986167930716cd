//! `struct`, `union` and `enum` specifiers.

use super::Parser;
use super::attr::Attrs;
use super::cursor::{AtSemi, P, Tok};
use super::decl::Site;
use super::keyword::{Kw, Meaning};
use crate::ast::{DeclFlags, DeclId, EnumSpec, Enumerator, Ident, Record, RecordKind, TypeKind};
use smallvec::SmallVec;

impl Parser<'_> {
    /// `struct` or `union`, the cursor at the keyword.
    pub(super) fn record_spec(&mut self) -> TypeKind {
        let start = self.start();
        let kind = if self.tok() == Tok::Kw(Kw::Union) { RecordKind::Union } else { RecordKind::Struct };
        let word = if kind == RecordKind::Union { "union" } else { "struct" };
        self.bump();
        let mut attrs = Attrs::new();
        self.opt_attributes(&mut attrs);
        let tag = self.opt_tag(word);
        let members = if self.at(P::LBrace) {
            let members = self.members();
            self.opt_attributes(&mut attrs);
            Some(self.ast.add_list(&members))
        } else {
            if tag.is_none() {
                self.error_here(format!("declaration of anonymous {word} must be a definition"));
                return TypeKind::Error;
            }
            None
        };
        let attrs = self.ast.add_list(&attrs);
        let span = self.since(start);
        TypeKind::Record(self.ast.add(Record { kind, tag, members, attrs, span }))
    }

    /// `enum`, the cursor at the keyword.
    pub(super) fn enum_spec(&mut self) -> TypeKind {
        let start = self.start();
        self.bump();
        let mut attrs = Attrs::new();
        self.opt_attributes(&mut attrs);
        let tag = self.opt_tag("enum");
        let enumerators = if self.at(P::LBrace) {
            let enumerators = self.enumerators();
            self.opt_attributes(&mut attrs);
            Some(self.ast.add_list(&enumerators))
        } else {
            if tag.is_none() {
                self.error_here("expected identifier or '{'");
                return TypeKind::Error;
            }
            None
        };
        let attrs = self.ast.add_list(&attrs);
        let span = self.since(start);
        TypeKind::Enum(self.ast.add(EnumSpec { tag, enumerators, attrs, span }))
    }

    fn opt_tag(&mut self, word: &'static str) -> Option<Ident> {
        let Tok::Ident(name) = self.tok() else { return None };
        self.tags.insert(name, word);
        let tag = Ident { name, span: self.span() };
        self.bump();
        Some(tag)
    }

    fn members(&mut self) -> SmallVec<[DeclId; 8]> {
        let mut members = SmallVec::new();
        let open = self.span();
        self.bump();
        if !self.enter() {
            return members;
        }
        while !self.at(P::RBrace) && !self.at_eof() {
            let start = self.start();
            match self.tok() {
                Tok::P(P::Semi) => self.bump(),
                Tok::Kw(Kw::StaticAssert) => {
                    self.static_assert();
                }
                Tok::Kw(kw) if kw.starts_stmt() => break,
                _ => self.member_group(&mut members),
            }
            if self.stuck_at(start) {
                self.bump();
            }
        }
        self.close(P::RBrace, open);
        self.leave();
        members
    }

    /// The members that share one list of specifiers, with the `;`.
    fn member_group(&mut self, members: &mut SmallVec<[DeclId; 8]>) {
        let specs = self.specs(Site::Member, Attrs::new());
        if specs.has_ended || self.at(P::Semi) {
            if matches!(self.ast[specs.ty].kind, TypeKind::Record(_)) {
                members.push(self.add_decl(&specs, None, specs.ty, &specs.attrs, DeclFlags::MEMBER));
            } else {
                self.standalone(&specs);
            }
            self.eat(P::Semi);
            return;
        }
        loop {
            let mut attrs = specs.attrs.clone();
            self.opt_attributes(&mut attrs);
            let (mut name, mut ty) = (None, specs.ty);
            if !self.at(P::Colon) {
                let Some((ident, of)) = self.opt_named_declarator(specs.ty, &mut attrs) else {
                    if self.skip_until(&[P::Semi], AtSemi::Stop) {
                        self.bump();
                    }
                    return;
                };
                (name, ty) = (Some(ident), of);
            }
            let bits = self.eat(P::Colon).then(|| self.conditional_expr());
            self.opt_attributes(&mut attrs);
            let decl = self.add_decl(&specs, name, ty, &attrs, DeclFlags::MEMBER);
            self.ast[decl].bits = bits;
            members.push(decl);
            if !self.eat(P::Comma) {
                break;
            }
        }
        self.semi("expected ';' at end of declaration list");
    }

    fn enumerators(&mut self) -> SmallVec<[Enumerator; 8]> {
        let mut list = SmallVec::new();
        let open = self.span();
        self.bump();
        if !self.enter() {
            return list;
        }
        while !self.at(P::RBrace) && !self.at_eof() {
            let Tok::Ident(name) = self.tok() else {
                self.error_here("expected identifier");
                break;
            };
            let name = Ident { name, span: self.span() };
            self.bump();
            self.skip_attributes();
            let value = self.eat(P::Eq).then(|| self.conditional_expr());
            self.scopes.declare(name.name, Meaning::Ordinary);
            list.push(Enumerator { name, value });
            if !self.eat(P::Comma) {
                break;
            }
        }
        self.close(P::RBrace, open);
        self.leave();
        list
    }
}
