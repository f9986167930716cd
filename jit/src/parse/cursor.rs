//! The token window, errors, and how the parser finds its feet after one.

use super::Parser;
use super::keyword::{Kw, Meaning};
use crate::ast::{Pragma, PragmaKind};
use crate::intern::Symbol;
pub(super) use crate::lex::token::Punct as P;
use crate::lex::token::{Token, TokenFlags, TokenKind};
use crate::source::Span;

/// What the grammar sees of a token; the literal's value is in the token itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tok {
    Eof,
    /// Malformed; reported by the lexer.
    Bad,
    Ident(Symbol),
    Kw(Kw),
    Int,
    Float,
    Char,
    Str,
    P(P),
}

/// Where a node starts: a token's number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Start(usize);

/// What `skip_until` does at a `;` that it was not told to stop at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AtSemi {
    Stop,
    Pass,
}

/// Where a pragma was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PragmaSite {
    File,
    /// Before all declarations and statements of a compound statement.
    BlockStart,
    /// Before any other statement, or at the end of a compound statement.
    Statement,
}

impl Parser<'_> {
    /// The current token.
    pub(super) fn tok(&self) -> Tok {
        self.toks[self.pos].0
    }

    /// The token `n` places ahead.
    pub(super) fn peek(&self, n: usize) -> Tok {
        self.toks[(self.pos + n).min(self.toks.len() - 1)].0
    }

    /// The current token with its literal value.
    pub(super) fn token(&self) -> &Token {
        &self.tokens[self.toks[self.pos].1 as usize]
    }

    /// Where the current token stands.
    pub(super) fn span(&self) -> Span {
        self.token().span
    }

    /// Where the token before the current one stands.
    pub(super) fn prev_span(&self) -> Span {
        self.tokens[self.toks[self.pos.saturating_sub(1)].1 as usize].span
    }

    /// The current token as written, for messages.
    pub(super) fn spelling(&self) -> String {
        match self.token().kind {
            TokenKind::Ident(name) => self.names.text(name).to_owned(),
            TokenKind::Punct(p) => p.text().to_owned(),
            _ => String::new(),
        }
    }

    /// Whether the current token is `p`.
    pub(super) fn at(&self, p: P) -> bool {
        self.tok() == Tok::P(p)
    }

    /// Whether everything is read.
    pub(super) fn at_eof(&self) -> bool {
        self.tok() == Tok::Eof
    }

    /// Whether the current token is the first of its line.
    pub(super) fn at_line_start(&self) -> bool {
        self.token().flags.contains(TokenFlags::BOL)
    }

    /// Steps over the current token.
    pub(super) fn bump(&mut self) {
        if self.pos + 1 < self.toks.len() {
            self.pos += 1;
        }
    }

    /// Steps over `p` if it is there.
    pub(super) fn eat(&mut self, p: P) -> bool {
        let there = self.at(p);
        if there {
            self.bump();
        }
        there
    }

    /// Remembers where a node starts.
    pub(super) fn start(&self) -> Start {
        Start(self.pos)
    }

    /// The span from `start` to the token before the current one.
    pub(super) fn since(&self, start: Start) -> Span {
        let first = self.tokens[self.toks[start.0].1 as usize].span;
        if self.pos <= start.0 { first.start() } else { first.to(self.prev_span()) }
    }

    /// Whether nothing has been read since `start`.
    pub(super) fn stuck_at(&self, start: Start) -> bool {
        self.pos == start.0
    }

    /// The next pragma that stands before the current token. `FP_CONTRACT` is dropped with a warning if it does not
    /// stand where it may. Spec: OpenCL C, "Floating-point Macros and Pragmas".
    pub(super) fn take_pragma(&mut self, site: PragmaSite) -> Option<Pragma> {
        while self.pragma_waits() {
            let (before, pragma) = self.pragmas[self.next_pragma];
            self.next_pragma += 1;
            // One that stands before an earlier token was inside of what has been read since.
            let inside = (before as usize) < self.pos;
            if !matches!(pragma.kind, PragmaKind::FpContract(_)) || (site != PragmaSite::Statement && !inside) {
                return Some(pragma);
            }
            let message = "'FP_CONTRACT' pragma can only appear at file scope or at the start of a compound statement";
            self.warn(pragma.span, message);
        }
        None
    }

    /// Whether a pragma stands before the current token and has not been taken yet.
    pub(super) fn pragma_waits(&self) -> bool {
        self.pragmas.get(self.next_pragma).is_some_and(|p| p.0 as usize <= self.pos)
    }

    /// Reports an error; silent if one was reported at this token already.
    pub(super) fn error_at(&mut self, span: Span, message: impl Into<String>) {
        self.error_with(span, message.into(), None);
    }

    /// Reports an error at the current token; silent if the lexer has complained of that token.
    pub(super) fn error_here(&mut self, message: impl Into<String>) {
        self.error_here_with(message.into(), None);
    }

    /// `error_here` with a note.
    pub(super) fn error_here_with(&mut self, message: String, note: Option<(Span, String)>) {
        if self.tok() == Tok::Bad {
            self.last_error = Some(self.pos);
            return;
        }
        let span = if self.at_eof() { self.prev_span().end() } else { self.span() };
        self.error_with(span, message, note);
    }

    fn error_with(&mut self, span: Span, message: String, note: Option<(Span, String)>) {
        if self.stopped || self.last_error == Some(self.pos) {
            return;
        }
        self.last_error = Some(self.pos);
        let error = self.diags.error(span, message);
        if let Some((span, message)) = note {
            error.note(span, message);
        }
        if self.diags.is_full() {
            self.stop();
        }
    }

    /// Holds back errors at the current token: one was reported for what led here.
    pub(super) fn hush(&mut self) {
        self.last_error = Some(self.pos);
    }

    /// Reports a warning.
    pub(super) fn warn(&mut self, span: Span, message: impl Into<String>) {
        if !self.stopped {
            self.diags.warning(span, message);
        }
    }

    /// Ends the parse: everything that is left is passed over in silence.
    pub(super) fn stop(&mut self) {
        self.stopped = true;
        self.pos = self.toks.len() - 1;
        self.next_pragma = self.pragmas.len();
    }

    /// Goes one level deeper; `false` ends the parse because that is too deep.
    pub(super) fn enter(&mut self) -> bool {
        if self.nesting >= super::MAX_NESTING {
            self.nesting_error();
            return false;
        }
        self.nesting += 1;
        true
    }

    /// Comes back from `enter`.
    pub(super) fn leave(&mut self) {
        self.nesting -= 1;
    }

    /// Reports that something is nested too deeply and ends the parse.
    pub(super) fn nesting_error(&mut self) {
        let span = self.span();
        self.last_error = None;
        self.error_at(span, format!("nesting level exceeds maximum of {}", super::MAX_NESTING));
        self.stop();
    }

    /// Steps over `p` or reports `message` at the current token.
    pub(super) fn expect(&mut self, p: P, message: &str) -> bool {
        let there = self.eat(p);
        if !there {
            self.error_here(message);
        }
        there
    }

    /// Steps over the closing bracket `p` of the one at `open`; if it is not there, reports and looks for it.
    pub(super) fn close(&mut self, p: P, open: Span) {
        if self.eat(p) {
            return;
        }
        let partner = match p {
            P::RParen => "(",
            P::RBracket => "[",
            _ => "{",
        };
        self.error_here_with(format!("expected '{p}'"), Some((open, format!("to match this '{partner}'"))));
        // `if (a {`: only the parenthesis was forgotten.
        if !self.at(P::LBrace) && self.skip_until(&[p], AtSemi::Stop) {
            self.bump();
        }
    }

    /// Steps over `;` or reports that it is missing after `what`, and goes on behind the statement.
    pub(super) fn semi(&mut self, message: &str) {
        if self.eat(P::Semi) {
            return;
        }
        if let Tok::P(p @ (P::RParen | P::RBracket)) = self.tok()
            && self.peek(1) == Tok::P(P::Semi)
        {
            self.error_here(format!("extraneous '{p}' before ';'"));
            self.bump();
            self.bump();
            return;
        }
        if self.tok() == Tok::Bad {
            self.error_here(message);
        } else {
            let span = self.prev_span().end();
            self.error_at(span, message);
        }
        // A new statement on a new line: only the semicolon was forgotten.
        let goes_on = match self.tok() {
            Tok::Kw(kw) => kw.starts_stmt() || kw.starts_decl(),
            Tok::P(P::RBrace) | Tok::Eof => true,
            Tok::Ident(name) => self.at_line_start() || self.names_type(name),
            _ => false,
        };
        if !goes_on && self.skip_until(&[P::Semi], AtSemi::Stop) {
            self.bump();
        }
    }

    /// Goes on to one of `stops` outside of brackets opened on the way. `false` if a closing brace, a semicolon (as
    /// `semi` says) or the end comes first; the cursor is then there.
    pub(super) fn skip_until(&mut self, stops: &[P], semi: AtSemi) -> bool {
        let (mut parens, mut braces) = (0usize, 0usize);
        loop {
            let p = match self.tok() {
                Tok::Eof => return false,
                Tok::P(p) => p,
                _ => {
                    self.bump();
                    continue;
                }
            };
            if parens == 0 && braces == 0 && stops.contains(&p) {
                return true;
            }
            match p {
                P::LBrace => braces += 1,
                P::RBrace if braces == 0 => return false,
                P::RBrace => {
                    braces -= 1;
                    parens = 0;
                }
                P::LParen | P::LBracket if braces == 0 => parens += 1,
                P::RParen | P::RBracket if braces == 0 => parens = parens.saturating_sub(1),
                P::Semi if braces == 0 && semi == AtSemi::Stop => return false,
                _ => {}
            }
            self.bump();
        }
    }

    /// Whether a type name can begin with `tok`.
    pub(super) fn starts_type_name(&self, tok: Tok) -> bool {
        match tok {
            Tok::Kw(kw) => kw.starts_type(),
            Tok::Ident(name) => self.names_type(name),
            _ => false,
        }
    }

    /// Whether a declaration can begin with `tok`.
    pub(super) fn starts_decl(&self, tok: Tok) -> bool {
        match tok {
            Tok::Kw(kw) => kw.starts_decl(),
            Tok::Ident(name) => self.names_type(name),
            _ => false,
        }
    }

    /// Whether `name` is a type here.
    pub(super) fn names_type(&self, name: Symbol) -> bool {
        matches!(self.scopes.meaning(name), Meaning::Builtin(_) | Meaning::Typedef { .. })
    }
}
