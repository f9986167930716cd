//! Tokens to syntax tree: recursive descent, with precedence climbing for operators. Never fails and never panics: what
//! cannot be parsed becomes an error node and a diagnostic.
//!
//! Start with `parse`. `cursor` holds the token window and recovery; `decl`, `declarator`, `record`, `attr`, `stmt` and
//! `expr` the grammar; `scope` and `keyword` which names are types. A function without `opt_` in its name always reads
//! something or reports something. Nothing here knows what a name stands for beyond "a type or not".

mod attr;
mod cursor;
mod decl;
mod declarator;
mod expr;
mod keyword;
mod record;
mod scope;
mod stmt;
mod suggest;
#[cfg(test)]
mod tests;

use crate::ast::{Ast, ExprKind, FloatLit, FloatSuffix, IntLit, Pragma, StmtId, TypeId};
use crate::diag::Diagnostics;
use crate::intern::{Interner, Strings, Symbol};
use crate::lex::float::{self, Format};
use crate::lex::token::{self, IntFlags, Token, TokenKind};
use crate::session::Session;
use cursor::Tok;
use keyword::Meaning;
use rustc_hash::FxHashMap;
use scope::Scopes;

pub(crate) use suggest::nearest;

/// Levels of brackets, blocks, declarators and prefix operators that may be inside one another.
pub const MAX_NESTING: usize = 256;

/// Depth of the expression trees that the parser makes, also of `else if` chains: an upper bound for every later
/// recursion over the tree (each adds at most `MAX_NESTING` for the statements around).
pub const MAX_TREE_DEPTH: u32 = 4096;

/// Parses a preprocessed translation unit: all its tokens, or those up to `Eof`. Errors go to the session's
/// diagnostics. The session's version decides whether `pipe` and `generic` are keywords.
pub fn parse(tokens: &[Token], session: &mut Session) -> Ast {
    Parser::new(tokens, session).run()
}

struct Parser<'a> {
    /// Everything that was read, pragmas too.
    tokens: &'a [Token],
    strings: &'a Strings,
    names: &'a Interner,
    diags: &'a mut Diagnostics,
    /// Tokens without pragmas, each with its number in `tokens`; the last is `Eof`.
    toks: Vec<(Tok, u32)>,
    /// Pragmas, each with the number in `toks` of the token that follows it.
    pragmas: Vec<(u32, Pragma)>,
    pos: usize,
    next_pragma: usize,
    ast: Ast,
    scopes: Scopes,
    /// Tags met anywhere, each with its keyword: for messages only.
    tags: FxHashMap<Symbol, &'static str>,
    /// Levels of brackets and the like that are open.
    nesting: usize,
    /// Depth of the tree under each expression.
    depths: Vec<u32>,
    /// Depth of the expressions inside type names, where there are any.
    type_depths: FxHashMap<TypeId, u32>,
    /// The same for bodies of blocks and statement expressions.
    body_depths: FxHashMap<StmtId, u32>,
    /// Greatest depth of an expression since `begin_depth`.
    peak: u32,
    /// Token at which an error was reported last.
    last_error: Option<usize>,
    /// The parse has been given up.
    stopped: bool,
}

impl<'a> Parser<'a> {
    fn new(tokens: &'a [Token], session: &'a mut Session) -> Self {
        let version = session.options.std.number();
        let Session { interner: names, strings, diags, .. } = session;
        let names = &*names;
        let mut scopes = Scopes::default();
        let mut toks = Vec::with_capacity(tokens.len() + 1);
        let mut pragmas = Vec::new();
        for (i, token) in tokens.iter().enumerate() {
            let tok = match token.kind {
                TokenKind::Ident(name) => {
                    match scopes.meaning_or(name, || keyword::classify(names.text(name), version)) {
                        Meaning::Keyword(kw) => Tok::Kw(kw),
                        _ => Tok::Ident(name),
                    }
                }
                TokenKind::Int(_) => Tok::Int,
                TokenKind::Float(_) => Tok::Float,
                TokenKind::Char(_) => Tok::Char,
                TokenKind::Str(_) => Tok::Str,
                TokenKind::Punct(p) => Tok::P(p),
                TokenKind::Pragma(kind) => {
                    pragmas.push((toks.len() as u32, Pragma { kind, span: token.span }));
                    continue;
                }
                TokenKind::Error => Tok::Bad,
                TokenKind::Eof => break,
            };
            toks.push((tok, i as u32));
        }
        // An `Eof` token stands for itself; without one the last token lends its place.
        let end = tokens.iter().position(|t| t.kind == TokenKind::Eof).unwrap_or(tokens.len().saturating_sub(1));
        toks.push((Tok::Eof, end as u32));
        Self {
            tokens,
            strings,
            names,
            diags,
            toks,
            pragmas,
            pos: 0,
            next_pragma: 0,
            ast: Ast::default(),
            scopes,
            tags: FxHashMap::default(),
            nesting: 0,
            depths: Vec::new(),
            type_depths: FxHashMap::default(),
            body_depths: FxHashMap::default(),
            peak: 0,
            last_error: None,
            stopped: false,
        }
    }

    fn run(mut self) -> Ast {
        if !self.tokens.is_empty() {
            self.unit();
        }
        self.ast
    }

    /// The integer literal at the cursor.
    fn int_literal(&self) -> ExprKind {
        let TokenKind::Int(int) = self.token().kind else { return ExprKind::Error };
        ExprKind::Int(IntLit {
            value: int.value,
            is_unsigned: int.flags.contains(IntFlags::UNSIGNED),
            is_long: int.flags.contains(IntFlags::LONG),
            is_decimal: int.flags.contains(IntFlags::DECIMAL),
        })
    }

    /// The floating-point literal at the cursor.
    fn float_literal(&self) -> ExprKind {
        let TokenKind::Float(lit) = self.token().kind else { return ExprKind::Error };
        let suffix = match lit.suffix {
            token::FloatSuffix::None | token::FloatSuffix::Long => FloatSuffix::None,
            token::FloatSuffix::Float => FloatSuffix::Float,
            token::FloatSuffix::Half => FloatSuffix::Half,
        };
        let text = self.names.text(lit.text);
        let f32 = f32::from_bits(float::convert(text, Format::Float, token::PragmaRounding::Rte).bits as u32);
        ExprKind::Float(FloatLit { f64: lit.value, f32, text: lit.text, suffix })
    }

    /// The character literal at the cursor.
    fn char_literal(&self) -> ExprKind {
        let TokenKind::Char(value) = self.token().kind else { return ExprKind::Error };
        ExprKind::Char(crate::ast::CharLit { value })
    }

    /// Adds the bytes of the string literal at the cursor.
    fn string_bytes(&self, bytes: &mut Vec<u8>) {
        if let TokenKind::Str(literal) = self.token().kind {
            bytes.extend_from_slice(self.strings.bytes(literal));
        }
    }
}
