//! Declarations: file scope, specifiers, declarator lists, function bodies, initialisers.

use super::attr::Attrs;
use super::cursor::{AtSemi, P, PragmaSite, Start, Tok};
use super::keyword::{self, Kw, Meaning};
use super::{Parser, suggest};
use crate::ast::ty::builtin_names;
use crate::ast::{
    Builtin, Decl, DeclFlags, DeclId, Designator, ExprId, ExprKind, Ident, InitItem, Item, ItemKind, List, Quals,
    Scalar, Storage, Type, TypeId, TypeKind,
};
use crate::intern::Symbol;
use crate::reserve;
use crate::source::Span;
use smallvec::SmallVec;

/// Where a declaration stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Site {
    File,
    Block,
    Member,
    Param,
    TypeName,
}

/// What the specifiers of a declaration say.
pub(super) struct Specs {
    pub(super) start: Start,
    pub(super) storage: Storage,
    pub(super) flags: DeclFlags,
    pub(super) ty: TypeId,
    pub(super) attrs: Attrs,
    /// The `;` behind them is missing; reported already.
    pub(super) has_ended: bool,
}

/// A list of declarators, or a function with its body.
pub(super) enum Group {
    Decls(List<DeclId>),
    Function(DeclId),
}

/// Type words met so far.
#[derive(Default)]
struct Words {
    base: Option<Base>,
    unsigned: Option<bool>,
    size: Size,
    is_pipe: bool,
    is_broken: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Base {
    Char,
    Int,
    Other(Scalar),
    Done(TypeKind),
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Size {
    #[default]
    None,
    Short,
    Long,
    LongLong,
}

impl Parser<'_> {
    /// The whole translation unit.
    pub(super) fn unit(&mut self) {
        loop {
            reserve::look();
            while let Some(pragma) = self.take_pragma(PragmaSite::File) {
                self.ast.items.push(Item { kind: ItemKind::Pragma(pragma), span: pragma.span });
            }
            if self.at_eof() {
                return;
            }
            let start = self.start();
            if let Some(kind) = self.opt_item() {
                let span = self.since(start);
                self.ast.items.push(Item { kind, span });
            }
            if self.stuck_at(start) {
                self.bump();
            }
        }
    }

    /// One item at file scope; `None` for a stray semicolon and the like.
    fn opt_item(&mut self) -> Option<ItemKind> {
        while self.tok() == Tok::Kw(Kw::Extension) {
            self.bump();
        }
        match self.tok() {
            Tok::P(P::Semi) => {
                self.bump();
                None
            }
            Tok::P(P::RBrace) => {
                self.error_here("extraneous closing brace ('}')");
                self.bump();
                None
            }
            Tok::Kw(Kw::StaticAssert) => {
                let (cond, message) = self.static_assert();
                Some(ItemKind::StaticAssert { cond, message })
            }
            Tok::Kw(Kw::Asm) => {
                self.asm();
                Some(ItemKind::Error)
            }
            Tok::Kw(Kw::Attribute) | Tok::Ident(_) => Some(self.item_decl()),
            tok if self.starts_decl(tok) => Some(self.item_decl()),
            _ => {
                self.error_here("expected external declaration");
                self.skip_item();
                Some(ItemKind::Error)
            }
        }
    }

    fn item_decl(&mut self) -> ItemKind {
        let specs = self.specs(Site::File, Attrs::new());
        if specs.has_ended || self.eat(P::Semi) {
            self.standalone(&specs);
            return ItemKind::Decl { base: specs.ty, decls: List::EMPTY };
        }
        match self.group(&specs, Site::File) {
            Some(Group::Decls(decls)) => ItemKind::Decl { base: specs.ty, decls },
            Some(Group::Function(decl)) => ItemKind::Function(decl),
            None => ItemKind::Error,
        }
    }

    /// Steps over what is left of a broken item: to behind its `;` or its body.
    fn skip_item(&mut self) {
        if self.skip_until(&[P::Semi, P::LBrace], AtSemi::Stop) {
            if self.at(P::LBrace) {
                self.bump();
                self.skip_until(&[P::RBrace], AtSemi::Pass);
            }
            self.bump();
        }
    }

    /// Warns of a declaration that declares nothing.
    pub(super) fn standalone(&mut self, specs: &Specs) {
        let says_something = match self.ast[specs.ty].kind {
            TypeKind::Record(id) => self.ast[id].tag.is_some(),
            TypeKind::Enum(_) | TypeKind::Error => true,
            _ => false,
        };
        if !says_something {
            let span = self.ast[specs.ty].span;
            self.warn(span, "declaration does not declare anything");
        }
    }

    /// Declarators with initialisers up to and with the `;`, or a function with its body. `None` after an error from
    /// which nothing could be saved.
    pub(super) fn group(&mut self, specs: &Specs, site: Site) -> Option<Group> {
        let mut decls: SmallVec<[DeclId; 4]> = SmallVec::new();
        loop {
            let Some(decl) = self.opt_declared(specs, DeclFlags::empty()) else {
                if site == Site::File {
                    self.skip_item();
                } else if self.skip_until(&[P::Semi], AtSemi::Stop) {
                    self.bump();
                }
                let saved = !decls.is_empty();
                return saved.then(|| Group::Decls(self.ast.add_list(&decls)));
            };
            decls.push(decl);
            let is_function = matches!(self.ast[self.ast[decl].ty].kind, TypeKind::Function { .. });
            if self.at(P::LBrace) && decls.len() == 1 && is_function && specs.storage != Storage::Typedef {
                if site == Site::Block {
                    self.error_here("function definition is not allowed here");
                }
                self.body(decl);
                return Some(match site {
                    Site::File => Group::Function(decl),
                    _ => Group::Decls(self.ast.add_list(&decls)),
                });
            }
            if self.eat(P::Eq) {
                let init = self.initializer();
                self.ast[decl].init = Some(init);
            }
            if self.comma_is_semi() {
                self.error_here("expected ';' at end of declaration");
                self.bump();
                return Some(Group::Decls(self.ast.add_list(&decls)));
            }
            if !self.eat(P::Comma) {
                break;
            }
        }
        let list = self.ast.add_list(&decls);
        if site == Site::File && self.at(P::LBrace) {
            self.error_here("expected ';' after top level declarator");
            self.skip_item();
        } else {
            self.semi(match site {
                Site::File => "expected ';' after top level declarator",
                _ => "expected ';' at end of declaration",
            });
        }
        Some(Group::Decls(list))
    }

    /// At a comma behind a declarator: whether an expression follows, as in `for (int i = 0, i < n; i++)`.
    fn comma_is_semi(&self) -> bool {
        let Tok::Ident(name) = self.peek(1) else { return false };
        self.at(P::Comma)
            && self.scopes.meaning(name) == Meaning::Ordinary
            && matches!(
                self.peek(2),
                Tok::P(P::Lt | P::Le | P::Gt | P::Ge | P::EqEq | P::Ne | P::PlusPlus | P::MinusMinus)
            )
    }

    /// One declarator with the attributes behind it; its name is declared from here on. `None` if there is no name.
    fn opt_declared(&mut self, specs: &Specs, flags: DeclFlags) -> Option<DeclId> {
        let mut attrs = specs.attrs.clone();
        self.opt_attributes(&mut attrs);
        let (name, ty) = self.opt_named_declarator(specs.ty, &mut attrs)?;
        if self.tok() == Tok::Kw(Kw::Asm) {
            self.asm();
        }
        self.opt_attributes(&mut attrs);
        let is_vector = self.names_vector(ty) || self.has_vector_attr(&attrs);
        self.scopes.declare(
            name.name,
            if specs.storage == Storage::Typedef { Meaning::Typedef { is_vector } } else { Meaning::Ordinary },
        );
        Some(self.add_decl(specs, Some(name), ty, &attrs, flags))
    }

    /// Adds a declaration's node.
    pub(super) fn add_decl(
        &mut self,
        specs: &Specs,
        name: Option<Ident>,
        ty: TypeId,
        attrs: &Attrs,
        flags: DeclFlags,
    ) -> DeclId {
        let attrs = self.ast.add_list(attrs);
        let span = self.since(specs.start);
        self.ast.add(Decl {
            name,
            storage: specs.storage,
            flags: specs.flags | flags,
            ty,
            attrs,
            init: None,
            bits: None,
            body: None,
            span,
        })
    }

    /// The body of a function.
    fn body(&mut self, decl: DeclId) {
        if !self.enter() {
            return;
        }
        let mark = self.scopes.push();
        if let TypeKind::Function { params, .. } = self.ast[self.ast[decl].ty].kind {
            self.declare_params(params);
        }
        let body = self.compound();
        self.ast[decl].body = Some(body);
        self.scopes.pop(mark);
        self.leave();
    }

    /// Makes the names of parameters known in the current scope.
    pub(super) fn declare_params(&mut self, params: List<DeclId>) {
        for &param in &self.ast[params] {
            if let Some(name) = self.ast[param].name {
                self.scopes.declare(name.name, Meaning::Ordinary);
            }
        }
    }

    /// What follows `=`: an expression or a braced list.
    pub(super) fn initializer(&mut self) -> ExprId {
        if !self.at(P::LBrace) {
            return self.assign_expr();
        }
        let (start, open) = (self.start(), self.span());
        self.bump();
        if !self.enter() {
            return self.error_expr(open);
        }
        let mut items: SmallVec<[InitItem; 8]> = SmallVec::new();
        while !self.at(P::RBrace) && !self.at_eof() {
            let item_start = self.start();
            let mut designators: SmallVec<[Designator; 2]> = SmallVec::new();
            while self.at(P::Dot) || self.at(P::LBracket) {
                match self.opt_designator() {
                    Some(designator) => designators.push(designator),
                    None => break,
                }
            }
            if !designators.is_empty() {
                self.expect(P::Eq, "expected '=' or another designator");
            }
            let value = self.initializer();
            let designators = self.ast.add_list(&designators);
            items.push(InitItem { designators, value, span: self.since(item_start) });
            if !self.eat(P::Comma) {
                break;
            }
        }
        self.close(P::RBrace, open);
        self.leave();
        let items = self.ast.add_list(&items);
        let span = self.since(start);
        self.add_expr(ExprKind::InitList(items), span)
    }

    fn opt_designator(&mut self) -> Option<Designator> {
        let open = self.span();
        if self.eat(P::Dot) {
            let Tok::Ident(name) = self.tok() else {
                self.error_here("expected a field designator, such as '.field = 4'");
                return None;
            };
            let ident = Ident { name, span: self.span() };
            self.bump();
            return Some(Designator::Member(ident));
        }
        self.bump();
        let first = self.conditional_expr();
        let last = self.eat(P::Ellipsis).then(|| self.conditional_expr());
        self.close(P::RBracket, open);
        Some(last.map_or(Designator::Index(first), |last| Designator::Range(first, last)))
    }

    /// Declaration specifiers, with at least one of them or an error. `attrs` are attributes that stood in front.
    pub(super) fn specs(&mut self, site: Site, attrs: Attrs) -> Specs {
        let start = self.start();
        let mut specs = Specs {
            start,
            storage: Storage::None,
            flags: DeclFlags::empty(),
            ty: TypeId::new(0),
            attrs,
            has_ended: false,
        };
        let mut words = Words::default();
        let mut quals = Quals::NONE;
        loop {
            let span = self.span();
            match self.tok() {
                Tok::Kw(Kw::Attribute) => {
                    self.opt_attributes(&mut specs.attrs);
                    continue;
                }
                Tok::Kw(kw @ (Kw::Flag(_) | Kw::Space(_) | Kw::Access(_))) => self.qualifier(kw, &mut quals),
                Tok::Kw(Kw::Storage(storage)) => self.storage(storage, site, &mut specs),
                Tok::Kw(Kw::Inline) => specs.flags |= DeclFlags::INLINE,
                Tok::Kw(Kw::Kernel) => specs.flags |= DeclFlags::KERNEL,
                Tok::Kw(Kw::Extension) => {}
                Tok::Kw(Kw::Pipe) => words.is_pipe = true,
                Tok::Kw(kw @ (Kw::Struct | Kw::Union | Kw::Enum | Kw::Typeof)) => {
                    let kind = match kw {
                        Kw::Typeof => self.type_of(),
                        Kw::Enum => self.enum_spec(),
                        _ => self.record_spec(),
                    };
                    self.word(&mut words, span, |_| Ok(Base::Done(kind)));
                    if self.lacks_semi_behind(kind, site) {
                        let word = if kw == Kw::Enum { "enum" } else { "struct" };
                        let behind = self.prev_span().end();
                        self.error_at(behind, format!("expected ';' after {word}"));
                        specs.has_ended = true;
                        break;
                    }
                    continue;
                }
                Tok::Kw(kw) if kw.starts_type() => self.type_word(&mut words, kw, span),
                Tok::Ident(name) if !words.any() => match self.scopes.meaning(name) {
                    Meaning::Builtin(builtin) => words.base = Some(Base::Done(TypeKind::Builtin(builtin))),
                    Meaning::Typedef { .. } => words.base = Some(Base::Done(TypeKind::Named(name))),
                    _ => {
                        let began = !self.stuck_at(start);
                        if !self.means_unknown_type(site, began) {
                            break;
                        }
                        words.base = match self.unknown_type(name) {
                            Repair::Replaced => Some(Base::Done(TypeKind::Error)),
                            Repair::Specifier(kw) => {
                                if kw == Kw::Kernel {
                                    specs.flags |= DeclFlags::KERNEL;
                                }
                                None
                            }
                        };
                    }
                },
                _ => break,
            }
            self.bump();
        }
        let span = if self.stuck_at(start) { self.span() } else { self.since(start) };
        let kind = match words.finish() {
            Some(kind) => kind,
            None => {
                self.error_here(match site {
                    Site::TypeName => "expected a type",
                    Site::Param if self.stuck_at(start) => "expected parameter declarator",
                    _ => "type specifier missing, defaults to 'int'",
                });
                TypeKind::Error
            }
        };
        specs.ty = if words.is_pipe && kind != TypeKind::Error {
            let packet = Type { kind, quals: Quals { access: None, ..quals }, attrs: List::EMPTY, span };
            let packet = self.ast.add(packet);
            let quals = Quals { access: quals.access, ..Quals::NONE };
            self.ast.add(Type { kind: TypeKind::Pipe(packet), quals, attrs: List::EMPTY, span })
        } else {
            self.ast.add(Type { kind, quals, attrs: List::EMPTY, span })
        };
        specs
    }

    /// Behind a specifier: whether it defines a record or an enum and a new declaration begins, not a declarator.
    fn lacks_semi_behind(&self, kind: TypeKind, site: Site) -> bool {
        let is_definition = match kind {
            TypeKind::Record(id) => self.ast[id].members.is_some(),
            TypeKind::Enum(id) => self.ast[id].enumerators.is_some(),
            _ => false,
        };
        let starts_anew = match self.tok() {
            Tok::Kw(Kw::Flag(_) | Kw::Access(_)) => false,
            Tok::Kw(Kw::Space(_) | Kw::Storage(_) | Kw::Inline | Kw::Kernel) => self.at_line_start(),
            Tok::Kw(kw) => kw.starts_type(),
            Tok::Ident(name) => self.names_type(name) && matches!(self.peek(1), Tok::Ident(_)),
            _ => false,
        };
        is_definition && starts_anew && matches!(site, Site::File | Site::Block | Site::Member)
    }

    fn storage(&mut self, storage: Storage, site: Site, specs: &mut Specs) {
        let span = self.span();
        match site {
            Site::TypeName | Site::Member => {
                self.error_at(span, "type name does not allow storage class to be specified");
                return;
            }
            Site::Param if storage != Storage::Register => {
                self.error_at(span, "invalid storage class specifier in function declarator");
                return;
            }
            _ => {}
        }
        if matches!(storage, Storage::Auto | Storage::Register) {
            let word = storage_word(storage);
            self.error_at(span, format!("OpenCL C does not support the '{word}' storage class specifier"));
            return;
        }
        if specs.storage == storage {
            let word = self.spelling();
            self.warn(span, format!("duplicate '{word}' declaration specifier"));
        } else if specs.storage != Storage::None {
            let old = storage_word(specs.storage);
            self.error_at(span, format!("cannot combine with previous '{old}' declaration specifier"));
        } else {
            specs.storage = storage;
        }
    }

    /// Adds a qualifier to `quals`, the cursor at it.
    pub(super) fn qualifier(&mut self, kw: Kw, quals: &mut Quals) {
        let span = self.span();
        match kw {
            Kw::Flag(flag) => {
                if quals.flags.contains(flag) {
                    let word = self.spelling();
                    self.warn(span, format!("duplicate '{word}' declaration specifier"));
                }
                quals.flags |= flag;
            }
            Kw::Space(space) => match quals.addr {
                None => quals.addr = Some(space),
                Some(old) if old == space => self.warn(span, "multiple identical address spaces specified for type"),
                Some(_) => self.error_at(span, "multiple address spaces specified for type"),
            },
            Kw::Access(access) => match quals.access {
                None => quals.access = Some(access),
                Some(old) if old == access => {
                    let word = self.spelling();
                    self.warn(span, format!("duplicate '{word}' declaration specifier"));
                }
                Some(_) => self.error_at(span, "multiple access qualifiers"),
            },
            _ => {}
        }
    }

    /// Adds a keyword of a type, the cursor at it.
    fn type_word(&mut self, words: &mut Words, kw: Kw, span: Span) {
        let base = match kw {
            Kw::Signed | Kw::Unsigned => {
                return self.word(words, span, |words| words.sign(kw == Kw::Unsigned));
            }
            Kw::Short | Kw::Long => return self.word(words, span, |words| words.size(kw == Kw::Long)),
            Kw::Void => Base::Done(TypeKind::Builtin(Builtin::Void)),
            Kw::Char => Base::Char,
            Kw::Int => Base::Int,
            Kw::Float => Base::Other(Scalar::Float),
            Kw::Double => Base::Other(Scalar::Double),
            Kw::Half => Base::Other(Scalar::Half),
            _ => Base::Other(Scalar::Bool),
        };
        self.word(words, span, |_| Ok(base));
    }

    /// Adds what `next` makes of the words so far; reports what does not go together.
    fn word(&mut self, words: &mut Words, span: Span, next: impl FnOnce(&mut Words) -> Result<Base, Option<String>>) {
        let result = match next(words) {
            Ok(base) => words.base(base),
            Err(None) => return,
            Err(Some(message)) => Err(message),
        };
        if let Err(message) = result {
            words.is_broken = true;
            self.error_at(span, message);
        }
    }

    /// `typeof(…)`.
    fn type_of(&mut self) -> TypeKind {
        self.bump();
        let open = self.span();
        if self.paren_starts_type() {
            self.bump();
            let ty = self.type_name();
            self.close(P::RParen, open);
            return TypeKind::TypeofType(ty);
        }
        if !self.expect(P::LParen, "expected '(' after 'typeof'") || !self.enter() {
            return TypeKind::Error;
        }
        let expr = self.expr();
        self.close(P::RParen, open);
        self.leave();
        TypeKind::TypeofExpr(expr)
    }

    /// Specifiers and abstract declarator.
    pub(super) fn type_name(&mut self) -> TypeId {
        let outer = self.begin_depth();
        let specs = self.specs(Site::TypeName, Attrs::new());
        self.refuse_vector_attrs(&specs.attrs);
        let ty = self.abstract_declarator(specs.ty);
        self.end_depth_of_type(outer, ty);
        ty
    }

    /// At a name that is no type, where specifiers are read: whether it was meant as a type. `began`: there are
    /// specifiers before it.
    fn means_unknown_type(&self, site: Site, began: bool) -> bool {
        let mut n = 1;
        while n < 8 && matches!(self.peek(n), Tok::P(P::Star) | Tok::Kw(Kw::Flag(_) | Kw::Space(_))) {
            n += 1;
        }
        match self.peek(n) {
            Tok::Ident(_) => true,
            Tok::Kw(kw) if kw.starts_type() => true,
            Tok::P(P::Comma | P::RParen | P::LBracket) => site == Site::Param && !began || site == Site::TypeName,
            Tok::P(P::LParen) if n > 1 => true,
            _ => matches!(site, Site::TypeName) || (site == Site::Param && !began),
        }
    }

    /// Reports an unknown type name, the cursor at it.
    pub(super) fn unknown_type(&mut self, name: Symbol) -> Repair {
        let text = self.names.text(name);
        if text == "__block" {
            self.error_here("the '__block' storage type is not supported in OpenCL C");
            let goes_on = self.starts_decl(self.peek(1));
            // Like a word that says nothing.
            return if goes_on { Repair::Specifier(Kw::Extension) } else { Repair::Replaced };
        }
        if let Some(word) = self.tags.get(&name) {
            self.error_here(format!("must use '{word}' tag to refer to type '{text}'"));
            return Repair::Replaced;
        }
        // Where another type follows, a word that goes together with one was meant.
        if self.starts_decl(self.peek(1))
            && let Some(word) = suggest::nearest(text, keyword::DECL_KEYWORDS.iter().copied())
            && !keyword::is_type_word(word)
            && let Meaning::Keyword(kw) = keyword::classify(word, 0)
        {
            let message = format!("unknown type name '{text}'; did you mean '{word}'?");
            self.error_here(message);
            return Repair::Specifier(kw);
        }
        let mut all: Vec<String> = self.scopes.typedefs().map(|name| self.names.text(name).to_owned()).collect();
        all.extend(builtin_names().map(str::to_owned));
        all.extend(keyword::DECL_KEYWORDS.iter().filter(|word| keyword::is_type_word(word)).map(|&word| word.into()));
        if text.ends_with(|c: char| c.is_ascii_digit()) {
            let widths = ["2", "3", "4", "8", "16"];
            let vector = |name: String| Builtin::by_name(&name).is_some().then_some(name);
            all.extend(builtin_names().flat_map(|e| widths.iter().filter_map(move |n| vector(format!("{e}{n}")))));
        }
        let message = match suggest::nearest(text, all.iter().map(String::as_str)) {
            Some(near) => format!("unknown type name '{text}'; did you mean '{near}'?"),
            None => format!("unknown type name '{text}'"),
        };
        self.error_here(message);
        Repair::Replaced
    }

    /// Whether a type as written is a vector type, as far as the parser can tell.
    pub(super) fn names_vector(&self, ty: TypeId) -> bool {
        match self.ast[ty].kind {
            TypeKind::Builtin(Builtin::Vector(..)) => true,
            TypeKind::Named(name) => self.scopes.meaning(name) == Meaning::Typedef { is_vector: true },
            TypeKind::TypeofType(ty) => self.names_vector(ty),
            _ => false,
        }
    }
}

/// How an unknown type name is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Repair {
    /// As a type.
    Replaced,
    /// As this keyword, in front of a type.
    Specifier(Kw),
}

impl Words {
    /// Whether any word of a type has been met.
    fn any(&self) -> bool {
        self.base.is_some() || self.unsigned.is_some() || self.size != Size::None || self.is_broken
    }

    fn sign(&mut self, unsigned: bool) -> Result<Base, Option<String>> {
        match self.unsigned {
            Some(old) if old != unsigned => return Err(Some(clash(if old { "unsigned" } else { "signed" }))),
            _ => {}
        }
        if let Some(base) = self.base.filter(|b| !matches!(b, Base::Char | Base::Int)) {
            return Err(Some(clash(&base.word())));
        }
        self.unsigned = Some(unsigned);
        Err(None)
    }

    fn size(&mut self, long: bool) -> Result<Base, Option<String>> {
        if let Some(base) = self.base.filter(|&b| b != Base::Int) {
            return Err(Some(match base {
                Base::Other(Scalar::Double) if long => LONG_DOUBLE.to_owned(),
                _ => clash(&base.word()),
            }));
        }
        self.size = match (self.size, long) {
            (Size::None, false) => Size::Short,
            (Size::None, true) => Size::Long,
            (Size::Long, true) => Size::LongLong,
            (Size::Short, _) => return Err(Some(clash("short"))),
            (Size::Long | Size::LongLong, _) => return Err(Some(clash("long"))),
        };
        Err(None)
    }

    fn base(&mut self, base: Base) -> Result<(), String> {
        if let Some(old) = self.base {
            return Err(clash(&old.word()));
        }
        match (base, self.size, self.unsigned) {
            (Base::Int, _, _) | (_, Size::None, None) | (Base::Char, Size::None, _) => {}
            (Base::Other(Scalar::Double), Size::Long, _) => return Err(LONG_DOUBLE.to_owned()),
            (_, Size::Short, _) => return Err(clash("short")),
            (_, Size::Long | Size::LongLong, _) => return Err(clash("long")),
            (_, Size::None, Some(unsigned)) => return Err(clash(if unsigned { "unsigned" } else { "signed" })),
        }
        self.base = Some(base);
        Ok(())
    }

    /// The type; `None` if there is no word of one.
    fn finish(&self) -> Option<TypeKind> {
        if self.is_broken {
            return Some(TypeKind::Error);
        }
        let unsigned = self.unsigned == Some(true);
        let pick = |signed_ty, unsigned_ty| if unsigned { unsigned_ty } else { signed_ty };
        let scalar = match (self.base, self.size) {
            (Some(Base::Done(kind)), _) => return Some(kind),
            (Some(Base::Other(scalar)), _) => scalar,
            (Some(Base::Char), _) => pick(Scalar::Char, Scalar::UChar),
            (_, Size::Short) => pick(Scalar::Short, Scalar::UShort),
            (_, Size::Long | Size::LongLong) => pick(Scalar::Long, Scalar::ULong),
            (Some(Base::Int), Size::None) => pick(Scalar::Int, Scalar::UInt),
            (None, Size::None) if self.unsigned.is_some() => pick(Scalar::Int, Scalar::UInt),
            (None, Size::None) => return None,
        };
        Some(TypeKind::Builtin(Builtin::Scalar(scalar)))
    }
}

const LONG_DOUBLE: &str = "'long double' is reserved in OpenCL C";

impl Base {
    fn word(self) -> String {
        match self {
            Base::Char => "char".into(),
            Base::Int => "int".into(),
            Base::Other(scalar) => scalar.name().into(),
            Base::Done(TypeKind::Builtin(builtin)) => builtin.to_string(),
            Base::Done(TypeKind::Record(_)) => "struct".into(),
            Base::Done(TypeKind::Enum(_)) => "enum".into(),
            Base::Done(_) => "type-name".into(),
        }
    }
}

fn clash(old: &str) -> String {
    format!("cannot combine with previous '{old}' declaration specifier")
}

fn storage_word(storage: Storage) -> &'static str {
    match storage {
        Storage::None => "",
        Storage::Typedef => "typedef",
        Storage::Extern => "extern",
        Storage::Static => "static",
        Storage::Auto => "auto",
        Storage::Register => "register",
    }
}
