//! `__attribute__((…))`, `_Static_assert`, and `asm` (which is refused).

use super::Parser;
use super::cursor::{AtSemi, P, Tok};
use super::keyword::Kw;
use crate::ast::{Attr, AttrArg, ExprId, Ident, List, StrId};
use crate::intern::Symbol;
use smallvec::SmallVec;

/// Attributes of one thing, in order.
pub(super) type Attrs = SmallVec<[Attr; 2]>;

/// Attributes whose arguments are parsed, without underscores around. Those of all others are passed over.
const WITH_ARGS: &[&str] = &[
    "aligned",
    "reqd_work_group_size",
    "work_group_size_hint",
    "vec_type_hint",
    "opencl_unroll_hint",
    "ext_vector_type",
    "vector_size",
    "endian",
    "nosvm",
    "intel_reqd_sub_group_size",
    "intel_vec_len_hint",
    "reqd_sub_group_size",
    "max_work_group_size",
    "address_space",
];

/// Those that make vector types.
const VECTOR: &[&str] = &["ext_vector_type", "vector_size"];

impl Parser<'_> {
    /// Any number of `__attribute__((…))`, added to `attrs`.
    pub(super) fn opt_attributes(&mut self, attrs: &mut Attrs) {
        while self.tok() == Tok::Kw(Kw::Attribute) {
            self.bump();
            let outer = self.span();
            if !self.expect(P::LParen, "expected '(' after '__attribute__'") {
                return;
            }
            let inner = self.span();
            if !self.expect(P::LParen, "expected '(' after '('") {
                if self.skip_until(&[P::RParen], AtSemi::Stop) {
                    self.bump();
                }
                continue;
            }
            loop {
                if let Some(attr) = self.opt_attribute() {
                    attrs.push(attr);
                }
                if !self.eat(P::Comma) {
                    break;
                }
            }
            self.close(P::RParen, inner);
            self.close(P::RParen, outer);
        }
    }

    /// Attributes in a place where they mean nothing.
    pub(super) fn skip_attributes(&mut self) {
        let mut attrs = Attrs::new();
        self.opt_attributes(&mut attrs);
        self.refuse_vector_attrs(&attrs);
    }

    /// Attributes of what has no name make no vector types.
    pub(super) fn refuse_vector_attrs(&mut self, attrs: &Attrs) {
        for attr in attrs {
            let name = bare(self.names.text(attr.name.name)).to_owned();
            if VECTOR.contains(&name.as_str()) {
                self.error_at(attr.span, format!("'{name}' attribute is for typedefs, variables and members only"));
            }
        }
    }

    /// Whether an attribute makes a vector type of what it stands on.
    pub(super) fn has_vector_attr(&self, attrs: &Attrs) -> bool {
        attrs.iter().any(|a| VECTOR.contains(&bare(self.names.text(a.name.name))))
    }

    /// `name` or `name(args)`; nothing between two commas is allowed.
    fn opt_attribute(&mut self) -> Option<Attr> {
        let start = self.start();
        let name: Symbol = match self.token().kind {
            crate::lex::token::TokenKind::Ident(name) => name,
            _ => return None,
        };
        let name = Ident { name, span: self.span() };
        self.bump();
        let mut args = List::EMPTY;
        if self.at(P::LParen) {
            let open = self.span();
            if !WITH_ARGS.contains(&bare(self.names.text(name.name))) {
                self.bump();
                if self.skip_until(&[P::RParen], AtSemi::Stop) {
                    self.bump();
                }
                return Some(Attr { name, args, span: self.since(start) });
            }
            self.bump();
            if !self.enter() {
                return None;
            }
            let mut list: SmallVec<[AttrArg; 4]> = SmallVec::new();
            while !self.at(P::RParen) {
                list.push(if self.starts_type_name(self.tok()) {
                    AttrArg::Type(self.type_name())
                } else {
                    AttrArg::Expr(self.conditional_expr())
                });
                if !self.eat(P::Comma) {
                    break;
                }
            }
            self.close(P::RParen, open);
            self.leave();
            args = self.ast.add_list(&list);
        }
        Some(Attr { name, args, span: self.since(start) })
    }

    /// `_Static_assert(cond, "message");`
    pub(super) fn static_assert(&mut self) -> (ExprId, Option<StrId>) {
        self.bump();
        let open = self.span();
        if !self.expect(P::LParen, "expected '(' after '_Static_assert'") || !self.enter() {
            let cond = self.error_expr(open);
            self.semi("expected ';' after '_Static_assert'");
            return (cond, None);
        }
        let cond = self.conditional_expr();
        let mut message = None;
        if self.eat(P::Comma) {
            if self.tok() == Tok::Str {
                message = Some(self.string_literals());
            } else {
                self.error_here("expected string literal for diagnostic message in static_assert");
            }
        }
        self.close(P::RParen, open);
        self.leave();
        self.semi("expected ';' after '_Static_assert'");
        (cond, message)
    }

    /// Refuses inline assembly and steps over it, up to the end of its parentheses.
    pub(super) fn asm(&mut self) {
        self.error_here("inline assembly is not supported in OpenCL C");
        self.bump();
        while matches!(self.tok(), Tok::Kw(Kw::Flag(_) | Kw::Goto)) {
            self.bump();
        }
        if self.eat(P::LParen) && self.skip_until(&[P::RParen], AtSemi::Stop) {
            self.bump();
        }
    }
}

/// An attribute's name without `__` on both sides.
fn bare(name: &str) -> &str {
    name.strip_prefix("__").and_then(|n| n.strip_suffix("__")).unwrap_or(name)
}
