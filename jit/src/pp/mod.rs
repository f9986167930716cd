//! The C99 preprocessor: source text in, the parser's tokens out. Start with `Preprocessor`.

pub mod predefined;

use crate::lex::token::{Token, TokenFlags, TokenKind};
use crate::program::Header;
use crate::session::Session;
use crate::source::Span;

/// Preprocesses one translation unit. Mistakes are diagnostics in the session; the tokens go on as well as they can.
pub struct Preprocessor<'s> {
    session: &'s mut Session,
    headers: &'s [Header],
}

impl<'s> Preprocessor<'s> {
    /// Starts with `source` as the file `<kernel>`; `headers` are what `#include` finds first.
    pub fn new(session: &'s mut Session, source: &[u8], headers: &'s [Header]) -> Self {
        let _ = source;
        Self { session, headers }
    }

    /// The next token; `Eof` again and again at the end.
    pub fn next_token(&mut self) -> Token {
        let _ = (&self.session, self.headers);
        Token { kind: TokenKind::Eof, span: Span::DUMMY, flags: TokenFlags::BOL }
    }

    /// All tokens; the last one is `Eof`.
    pub fn tokens(mut self) -> Vec<Token> {
        let mut tokens = Vec::new();
        loop {
            let token = self.next_token();
            tokens.push(token);
            if token.kind == TokenKind::Eof {
                return tokens;
            }
        }
    }
}
