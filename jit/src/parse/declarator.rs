//! Declarators: pointers, arrays, parameter lists and parentheses around a name, turned inside out into a type.

use super::Parser;
use super::attr::Attrs;
use super::cursor::{AtSemi, P, Tok};
use super::decl::Site;
use super::keyword::{Kw, Meaning};
use crate::ast::{ArrayLen, Attr, DeclFlags, DeclId, Ident, List, ParamsForm, Quals, Type, TypeId, TypeKind};
use crate::source::Span;
use smallvec::SmallVec;

/// Whether a declarator has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Naming {
    Required,
    Optional,
    None,
}

/// One step from the name outwards.
struct Chunk {
    kind: ChunkKind,
    quals: Quals,
    attrs: List<Attr>,
    span: Span,
}

enum ChunkKind {
    Pointer,
    Block,
    Array(ArrayLen),
    Function(List<DeclId>, ParamsForm),
}

/// What a declarator says so far.
struct Declarator {
    name: Option<Ident>,
    /// From the name outwards.
    chunks: SmallVec<[Chunk; 4]>,
    attrs: Attrs,
}

impl Parser<'_> {
    /// A declarator with a name, around `base`; attributes inside its parentheses go to `attrs`. `None` after an error.
    pub(super) fn opt_named_declarator(&mut self, base: TypeId, attrs: &mut Attrs) -> Option<(Ident, TypeId)> {
        let (name, ty) = self.declarator(base, Naming::Required, attrs);
        name.map(|name| (name, ty))
    }

    /// A declarator without a name.
    pub(super) fn abstract_declarator(&mut self, base: TypeId) -> TypeId {
        self.declarator(base, Naming::None, &mut Attrs::new()).1
    }

    fn declarator(&mut self, base: TypeId, naming: Naming, attrs: &mut Attrs) -> (Option<Ident>, TypeId) {
        // The usual cases without any ado.
        if let Tok::Ident(name) = self.tok()
            && naming != Naming::None
            && !matches!(self.peek(1), Tok::P(P::LParen | P::LBracket))
        {
            let name = Ident { name, span: self.span() };
            self.bump();
            return (Some(name), base);
        }
        let mut d = Declarator { name: None, chunks: SmallVec::new(), attrs: Attrs::new() };
        let is_good = self.chunks(&mut d, naming);
        attrs.append(&mut d.attrs);
        let mut ty = base;
        for chunk in d.chunks.into_iter().rev() {
            let kind = match chunk.kind {
                ChunkKind::Pointer => TypeKind::Pointer(ty),
                ChunkKind::Block => TypeKind::Block(ty),
                ChunkKind::Array(len) => TypeKind::Array { elem: ty, len },
                ChunkKind::Function(params, form) => TypeKind::Function { ret: ty, params, form },
            };
            ty = self.ast.add(Type { kind, quals: chunk.quals, attrs: chunk.attrs, span: chunk.span });
        }
        if is_good && naming == Naming::Required && d.name.is_none() {
            self.error_here("expected identifier or '('");
        }
        (d.name, ty)
    }

    /// Reads one level of a declarator. `false` after an error.
    fn chunks(&mut self, d: &mut Declarator, naming: Naming) -> bool {
        let mut pointers: SmallVec<[Chunk; 2]> = SmallVec::new();
        loop {
            let span = self.span();
            let kind = match self.tok() {
                Tok::P(P::Star) => ChunkKind::Pointer,
                Tok::P(P::Caret) => ChunkKind::Block,
                _ => break,
            };
            self.bump();
            let (mut quals, mut attrs) = (Quals::NONE, Attrs::new());
            loop {
                match self.tok() {
                    Tok::Kw(kw @ (Kw::Flag(_) | Kw::Space(_) | Kw::Access(_))) => {
                        self.qualifier(kw, &mut quals);
                        self.bump();
                    }
                    Tok::Kw(Kw::Attribute) => self.opt_attributes(&mut attrs),
                    _ => break,
                }
            }
            self.refuse_vector_attrs(&attrs);
            let attrs = self.ast.add_list(&attrs);
            pointers.push(Chunk { kind, quals, attrs, span });
            if d.chunks.len() + pointers.len() > super::MAX_NESTING {
                self.nesting_error();
                return false;
            }
        }
        let is_good = match self.tok() {
            Tok::Ident(name) if naming != Naming::None => {
                d.name = Some(Ident { name, span: self.span() });
                self.bump();
                true
            }
            Tok::P(P::LParen) if self.opens_declarator(naming) => {
                let open = self.span();
                self.bump();
                if !self.enter() {
                    return false;
                }
                self.opt_attributes(&mut d.attrs);
                let is_good = self.chunks(d, naming);
                self.close(P::RParen, open);
                self.leave();
                is_good
            }
            _ if naming == Naming::Required => {
                self.error_here("expected identifier or '('");
                false
            }
            _ => true,
        };
        if !is_good {
            return false;
        }
        loop {
            let start = self.span();
            let (kind, quals) = match self.tok() {
                Tok::P(P::LBracket) => self.array_suffix(),
                Tok::P(P::LParen) => {
                    let (params, form) = self.params();
                    (ChunkKind::Function(params, form), Quals::NONE)
                }
                _ => break,
            };
            d.chunks.push(Chunk { kind, quals, attrs: List::EMPTY, span: start.to(self.prev_span()) });
            if d.chunks.len() + pointers.len() > super::MAX_NESTING {
                self.nesting_error();
                return false;
            }
        }
        d.chunks.extend(pointers.into_iter().rev());
        true
    }

    /// At `(` in place of a name: whether a declarator follows rather than parameters.
    fn opens_declarator(&self, naming: Naming) -> bool {
        match self.peek(1) {
            Tok::P(P::Star | P::Caret | P::LParen | P::LBracket) | Tok::Kw(Kw::Attribute) => true,
            Tok::Ident(name) => naming == Naming::Required || (naming == Naming::Optional && !self.names_type(name)),
            _ => naming == Naming::Required,
        }
    }

    /// `[ … ]`, the cursor at the bracket.
    fn array_suffix(&mut self) -> (ChunkKind, Quals) {
        let open = self.span();
        self.bump();
        let mut quals = Quals::NONE;
        let mut is_static = false;
        if !self.enter() {
            return (ChunkKind::Array(ArrayLen::Unknown), quals);
        }
        loop {
            match self.tok() {
                Tok::Kw(kw @ Kw::Flag(_)) => self.qualifier(kw, &mut quals),
                Tok::Kw(Kw::Storage(crate::ast::Storage::Static)) => is_static = true,
                _ => break,
            }
            self.bump();
        }
        let len = if self.at(P::RBracket) {
            ArrayLen::Unknown
        } else if self.at(P::Star) && self.peek(1) == Tok::P(P::RBracket) {
            self.bump();
            ArrayLen::Star
        } else {
            let len = self.assign_expr();
            if is_static { ArrayLen::Static(len) } else { ArrayLen::Expr(len) }
        };
        self.close(P::RBracket, open);
        self.leave();
        (ChunkKind::Array(len), quals)
    }

    /// A parameter list, the cursor at its `(`.
    pub(super) fn params(&mut self) -> (List<DeclId>, ParamsForm) {
        let open = self.span();
        self.bump();
        if self.eat(P::RParen) {
            return (List::EMPTY, ParamsForm::Empty);
        }
        if self.tok() == Tok::Kw(Kw::Void) && self.peek(1) == Tok::P(P::RParen) {
            self.bump();
            self.bump();
            return (List::EMPTY, ParamsForm::Prototype);
        }
        if !self.enter() {
            return (List::EMPTY, ParamsForm::Empty);
        }
        let mark = self.scopes.push();
        let mut params: SmallVec<[DeclId; 8]> = SmallVec::new();
        let mut form = ParamsForm::Prototype;
        loop {
            if self.eat(P::Ellipsis) {
                form = ParamsForm::Variadic;
                break;
            }
            params.push(self.param());
            if !matches!(self.tok(), Tok::P(P::Comma | P::RParen)) {
                self.error_here_with("expected ')'".into(), Some((open, "to match this '('".into())));
                if self.at(P::LBrace) || !self.skip_until(&[P::Comma, P::RParen], AtSemi::Stop) {
                    break;
                }
            }
            if !self.eat(P::Comma) {
                break;
            }
        }
        self.scopes.pop(mark);
        self.close(P::RParen, open);
        self.leave();
        (self.ast.add_list(&params), form)
    }

    /// One parameter.
    fn param(&mut self) -> DeclId {
        let specs = self.specs(Site::Param, Attrs::new());
        let mut attrs = specs.attrs.clone();
        let (name, ty) = self.declarator(specs.ty, Naming::Optional, &mut attrs);
        self.opt_attributes(&mut attrs);
        if let Some(name) = name {
            self.scopes.declare(name.name, Meaning::Ordinary);
        }
        self.add_decl(&specs, name, ty, &attrs, DeclFlags::PARAM)
    }
}
