//! The C99 preprocessor: source text in, the parser's tokens out. Start with `Preprocessor`.
//!
//! Tokens flow upwards: `lex::cursor` (one file) → `next_file_token` here (directives, includes) → `expand` (macros) →
//! `next_token` here (values of literals, joined strings). Malformed input never stops the flow but for a few mistakes
//! that would only cause more: a missing header, an endless macro.

mod condition;
mod directive;
mod expand;
mod include;
mod macros;
mod pragma;
pub(crate) mod predefined;
mod region;
#[cfg(test)]
mod tests;

use crate::diag::Diagnostics;
use crate::intern::{Symbol, kw};
use crate::lex::cursor::{FileCursor, Until};
use crate::lex::number::{self, Number};
use crate::lex::raw::{RawFlags, RawKind, RawToken};
use crate::lex::string::{self, Remark};
use crate::lex::token::{FloatSuffix, FloatToken, IntToken, PragmaKind, Punct, Token, TokenKind};
use crate::session::Session;
use crate::source::Header;
use crate::source::{Span, Text, decode, raw_byte};
use macros::{Macro, Macros};
use rustc_hash::FxHashSet;
use std::path::PathBuf;
use std::rc::Rc;

/// Tokens of a translation unit: beyond this it is an error.
const MAX_TOKENS: usize = 32 << 20;
/// Bytes of all source texts, each counted as often as it is included: beyond this it is an error.
const MAX_SOURCE: usize = 256 << 20;
/// Bytes of string literals and of what `#` and `##` make: beyond this it is an error.
const MAX_TEXT: usize = 128 << 20;

/// Preprocesses one translation unit. Mistakes are diagnostics in the session; the tokens go on as well as they can.
pub struct Preprocessor<'s> {
    session: &'s mut Session,
    headers: &'s [Header],
    /// The file that is read, and those that include it.
    files: Vec<OpenFile>,
    macros: Macros,
    /// What is read before the files.
    contexts: Vec<expand::Context>,
    /// Read before everything else.
    pushback: Option<RawToken>,
    /// `next_token` has looked at it already.
    peeked: Option<RawToken>,
    /// White space in front of an expansion that has just begun.
    lead: RawFlags,
    /// White space in front of an expansion to nothing.
    pending_space: bool,
    pragmas: Vec<PragmaKind>,
    /// `__COUNTER__`.
    counter: u32,
    /// The rounding mode of the place that has been read.
    region: region::Region,
    /// `defined` is an operator.
    in_condition: bool,
    arg_depth: u32,
    /// Tokens that the macro use at hand may still make.
    budget: usize,
    /// Tokens that all macro uses may still make.
    work: usize,
    /// Bytes that `#`, `##` and string literals may still make.
    text_budget: usize,
    /// Bytes of source that may still be read.
    source_budget: usize,
    n_tokens: usize,
    /// After a fatal error there is only the end.
    stopped: bool,
    /// Memory for token lists.
    spare: Vec<Vec<RawToken>>,
    /// Files with `#pragma once`.
    once: FxHashSet<String>,
    n_includes: u32,
    end: Span,
}

/// A file that is being read.
struct OpenFile {
    cursor: FileCursor,
    /// Open `#if`s.
    conditions: Vec<condition::Condition>,
    /// For `#include` and `#pragma once`: the path, or the header's name.
    key: String,
    /// Where `#include "…"` looks first, if the file is on disk.
    dir: Option<PathBuf>,
}

impl<'s> Preprocessor<'s> {
    /// Starts with `source` as the file `<kernel>`; `headers` are what `#include` finds first.
    pub fn new(session: &'s mut Session, source: &[u8], headers: &'s [Header]) -> Self {
        Self::named(session, "<kernel>", source, headers)
    }

    /// `new` with a name for the file.
    pub fn named(session: &'s mut Session, name: &str, source: &[u8], headers: &'s [Header]) -> Self {
        let macros = Macros::new(&session.options);
        let mut pp = Self {
            session,
            headers,
            files: Vec::new(),
            macros,
            contexts: Vec::new(),
            pushback: None,
            peeked: None,
            lead: RawFlags::empty(),
            pending_space: false,
            pragmas: Vec::new(),
            counter: 0,
            region: region::Region::default(),
            in_condition: false,
            arg_depth: 0,
            budget: expand::MAX_EXPANSION,
            work: expand::MAX_WORK,
            text_budget: MAX_TEXT,
            source_budget: MAX_SOURCE,
            n_tokens: 0,
            stopped: false,
            spare: Vec::new(),
            once: FxHashSet::default(),
            n_includes: 0,
            end: Span::DUMMY,
        };
        pp.open(name.to_owned(), None, source, Span::DUMMY);
        if !pp.session.options.defines.is_empty() {
            let defines = std::mem::take(&mut pp.session.options.defines);
            pp.open_text("<command line>".into(), None, defines.clone().into(), Span::DUMMY);
            pp.session.options.defines = defines;
        }
        pp
    }

    /// The next token; `Eof` again and again at the end.
    pub fn next_token(&mut self) -> Token {
        if self.session.diags.is_full() {
            self.stop();
        }
        let raw = self.next_unit();
        if raw.kind != RawKind::Eof {
            self.n_tokens += 1;
            if self.n_tokens > MAX_TOKENS {
                self.fatal(raw.span, "the program has too many tokens");
            }
        }
        let mut span = raw.span;
        let kind = match raw.kind {
            RawKind::Ident => constant(raw.symbol()).unwrap_or(TokenKind::Ident(raw.symbol())),
            RawKind::Punct(punct @ (Punct::Hash | Punct::HashHash)) => {
                self.session.diags.error(span, format!("stray '{punct}' in program"));
                TokenKind::Error
            }
            RawKind::Punct(punct) => TokenKind::Punct(punct),
            RawKind::Number => self.number(raw),
            RawKind::Str => self.string(raw, &mut span),
            RawKind::Char => {
                let mut remarks = Vec::new();
                let value = string::character(self.session.interner.text(raw.symbol()), &mut remarks);
                report(&mut self.session.diags, span, remarks);
                TokenKind::Char(value)
            }
            RawKind::Unterminated => {
                let quote = &self.session.interner.text(raw.symbol())[..1];
                self.session.diags.error(span, format!("missing terminating {quote} character"));
                TokenKind::Error
            }
            RawKind::Other => {
                let c = self.session.interner.text(raw.symbol()).chars().next().unwrap_or('\u{fffd}');
                let message = match c {
                    '\\' | '@' | '`' => format!("stray '{c}' in program"),
                    c if raw_byte(c).is_some() => {
                        format!("unexpected byte 0x{:02x}, which is not UTF-8", raw_byte(c).unwrap_or_default())
                    }
                    c if c.is_control() => format!("unexpected character <U+{:04X}>", c as u32),
                    c => format!("unexpected character '{c}' <U+{:04X}>", c as u32),
                };
                self.session.diags.error(span, message);
                TokenKind::Error
            }
            RawKind::Pragma => TokenKind::Pragma(self.pragmas[raw.data as usize]),
            RawKind::Param | RawKind::Placemarker | RawKind::End | RawKind::Eof => TokenKind::Eof,
        };
        Token { kind, span, flags: raw.flags.public() }
    }

    /// All tokens; the last one is `Eof`.
    pub fn tokens(mut self) -> Vec<Token> {
        let len = self.files.first().map_or(0, |f| self.session.sources.text(f.cursor.file).len());
        let mut tokens = Vec::with_capacity(len / 4 + 16);
        loop {
            let token = self.next_token();
            tokens.push(token);
            if token.kind == TokenKind::Eof {
                return tokens;
            }
        }
    }

    /// The next token after macro expansion, for what makes values of them.
    fn next_unit(&mut self) -> RawToken {
        if let Some(token) = self.peeked.take() {
            return token;
        }
        self.renew_budget();
        self.next_expanded()
    }

    /// The next token of the files; directives are carried out on the way.
    fn next_file_token(&mut self) -> RawToken {
        loop {
            let Some(file) = self.files.last_mut() else {
                return RawToken { flags: RawFlags::BOL, ..RawToken::new(RawKind::Eof, 0, self.end) };
            };
            let token = file.cursor.next(Until::Token, self.session);
            match token.kind {
                RawKind::Punct(Punct::Hash) if token.flags.contains(RawFlags::BOL) => {
                    if let Some(pragma) = self.directive(token) {
                        return pragma;
                    }
                }
                RawKind::Eof => {
                    self.end = token.span;
                    self.close();
                }
                _ => return token,
            }
        }
    }

    fn number(&mut self, raw: RawToken) -> TokenKind {
        match number::parse(self.session.interner.text(raw.symbol())) {
            Ok(Number::Int(value, flags)) => TokenKind::Int(IntToken { value, flags }),
            Ok(Number::Float(value, suffix)) => {
                let mut text = raw.symbol();
                if suffix != FloatSuffix::None {
                    let digits = self.session.interner.text(text);
                    let digits = digits[..digits.len() - 1].to_owned();
                    text = self.session.interner.intern(&digits);
                }
                TokenKind::Float(FloatToken { value, text, suffix })
            }
            Err(message) => {
                self.session.diags.error(raw.span, message);
                // Better for what follows than an error token.
                TokenKind::Int(IntToken { value: 0, flags: Default::default() })
            }
        }
    }

    /// A string literal and those that follow it.
    fn string(&mut self, first: RawToken, span: &mut Span) -> TokenKind {
        let mut bytes = Vec::new();
        let mut charged = 0;
        let mut next = first;
        while next.kind == RawKind::Str {
            *span = span.to(next.span);
            let mut remarks = Vec::new();
            string::string(self.session.interner.text(next.symbol()), &mut bytes, &mut remarks);
            report(&mut self.session.diags, next.span, remarks);
            let more = bytes.len() - std::mem::replace(&mut charged, bytes.len());
            self.charge_text(next.span, more);
            next = self.next_unit();
        }
        self.peeked = Some(next);
        TokenKind::Str(self.session.strings.add(&bytes))
    }

    /// Reports an error after which there is only the end.
    fn fatal(&mut self, span: Span, message: impl Into<String>) {
        if !self.stopped {
            self.session.diags.error(span, message);
        }
        self.stop();
    }

    /// Counts `n` bytes of text that the preprocessor has made.
    fn charge_text(&mut self, span: Span, n: usize) {
        self.text_budget = self.text_budget.saturating_sub(n);
        if self.text_budget == 0 {
            self.fatal(span, "the program makes too much text of macros and string literals");
        }
    }

    fn stop(&mut self) {
        self.stopped = true;
        if let Some(last) = self.files.last() {
            let start = self.session.sources.start(last.cursor.file);
            self.end = Span { lo: start, hi: start };
        }
        self.files.clear();
        self.contexts.clear();
        self.pushback = None;
        self.peeked = None;
    }

    /// Starts to read a file. `false` if there is no room for it.
    fn open(&mut self, name: String, dir: Option<PathBuf>, bytes: &[u8], included_at: Span) -> bool {
        // Editors put a byte order mark in front of some files.
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let text = decode(bytes).into_owned();
        self.open_text(name, dir, text.into(), included_at)
    }

    fn open_text(&mut self, name: String, dir: Option<PathBuf>, text: Text, included_at: Span) -> bool {
        self.source_budget = self.source_budget.saturating_sub(text.len());
        self.work += text.len() * expand::WORK_PER_BYTE;
        let file = if self.source_budget == 0 {
            None
        } else {
            self.session.sources.add_file(name.as_str(), text, included_at)
        };
        let Some(file) = file else {
            self.fatal(included_at, "the program is too large");
            return false;
        };
        let cursor = FileCursor::new(file, self.session);
        self.files.push(OpenFile { cursor, conditions: Vec::new(), key: name, dir });
        true
    }

    /// Ends the file that is read.
    fn close(&mut self) {
        if let Some(file) = self.files.pop() {
            for condition in file.conditions {
                self.session.diags.error(condition.span, "unterminated conditional directive");
            }
        }
    }

    /// Makes row `row` of the predefined macros.
    fn make_predefined(&mut self, name: Symbol, row: usize) -> Option<Rc<Macro>> {
        let def = match predefined::body(row) {
            predefined::Body::Dynamic(dynamic) => Macro {
                name,
                kind: macros::MacroKind::Dynamic(dynamic),
                body: Vec::new(),
                body_span: Span::DUMMY,
                name_span: Span::DUMMY,
                has_paste: false,
                is_predefined: true,
                active: Default::default(),
            },
            predefined::Body::Text(text) => {
                let text = predefined::line(row, text, &self.session.options);
                let file = self.session.sources.add_file("<built-in>", text, Span::DUMMY)?;
                let mut cursor = FileCursor::new(file, self.session);
                let mut tokens = Vec::new();
                loop {
                    let token = cursor.next(Until::LineEnd, self.session);
                    if token.is_end() {
                        break;
                    }
                    tokens.push(token);
                }
                let def = macros::parse(&tokens, Span::DUMMY).ok()?;
                Macro { is_predefined: true, ..def }
            }
        };
        debug_assert_eq!(def.name, name, "the interner's base table and the predefined rows go together");
        Some(self.macros.define(def))
    }

    /// The tokens up to the end of the line.
    fn line_tokens(&mut self) -> Vec<RawToken> {
        let mut tokens = self.spare.pop().unwrap_or_default();
        if let Some(file) = self.files.last_mut() {
            loop {
                let token = file.cursor.next(Until::LineEnd, self.session);
                if token.is_end() {
                    break;
                }
                tokens.push(token);
            }
        }
        tokens
    }
}

fn report(diags: &mut Diagnostics, span: Span, remarks: Vec<Remark>) {
    for remark in remarks {
        match remark {
            Remark::Error(message) => drop(diags.error(span, message)),
            Remark::Warning(message) => drop(diags.warning(span, message)),
        }
    }
}

/// The values that the expansions of `INFINITY` and its kin stand for.
fn constant(name: Symbol) -> Option<TokenKind> {
    let (value, text, suffix) = match name {
        kw::CLIFT_INFF => (f64::INFINITY, kw::INF_TEXT, FloatSuffix::Float),
        kw::CLIFT_NANF => (f64::NAN, kw::NAN_TEXT, FloatSuffix::Float),
        kw::CLIFT_INF => (f64::INFINITY, kw::INF_TEXT, FloatSuffix::None),
        _ => return None,
    };
    Some(TokenKind::Float(FloatToken { value, text, suffix }))
}

/// Whether `name` cannot be a macro.
fn is_reserved(name: Symbol) -> bool {
    name == kw::DEFINED || name == kw::VA_ARGS
}
