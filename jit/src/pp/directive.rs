//! Directives. Spec: C99, "Preprocessing directives".

use super::condition::{Condition, MAX_CONDITIONS};
use super::macros::{self, Macro};
use super::{Preprocessor, is_reserved};
use crate::intern::kw;
use crate::lex::cursor::Until;
use crate::lex::number::{self, Number};
use crate::lex::raw::{RawKind, RawToken};
use crate::lex::string;
use crate::source::Span;

impl Preprocessor<'_> {
    /// Carries out the directive behind `hash`, up to the end of its line. A token if it is a pragma for the parser.
    pub(super) fn directive(&mut self, hash: RawToken) -> Option<RawToken> {
        self.renew_budget();
        let name = self.line_token();
        match name.kind {
            RawKind::End => return None,
            RawKind::Number => {
                // What other preprocessors leave: `# 12 "file"`.
                let mut tokens = self.line_tokens();
                tokens.insert(0, name);
                tokens.truncate(2);
                self.line_directive(&tokens, name.span);
                return None;
            }
            RawKind::Ident => {}
            _ => {
                self.session.diags.error(name.span, "invalid preprocessing directive");
                self.skip_line();
                return None;
            }
        }
        let span = hash.span.to(name.span);
        match name.symbol() {
            kw::DEFINE => self.define(name.span),
            kw::UNDEF => self.undef(name.span),
            kw::IF => {
                let holds = self.condition(span);
                self.open_condition(span, holds);
            }
            kw::IFDEF => {
                let holds = self.condition_name(name).is_some_and(|defined| defined);
                self.open_condition(span, holds);
            }
            kw::IFNDEF => {
                let holds = self.condition_name(name).is_some_and(|defined| !defined);
                self.open_condition(span, holds);
            }
            kw::ELIF | kw::ELSE | kw::ELIFDEF | kw::ELIFNDEF => {
                match self.files.last_mut().and_then(|f| f.conditions.last_mut()) {
                    None => {
                        let text = self.session.interner.text(name.symbol());
                        self.session.diags.error(span, format!("#{text} without #if"));
                        self.skip_line();
                    }
                    Some(condition) => {
                        if condition.seen_else {
                            let note = condition.span;
                            let text = self.session.interner.text(name.symbol());
                            self.session
                                .diags
                                .error(span, format!("#{text} after #else"))
                                .note(note, "the conditional began here");
                        } else if name.is_ident(kw::ELSE) {
                            condition.seen_else = true;
                            self.end_of_line("#else");
                        }
                        self.skip_line();
                        self.skip_group();
                    }
                }
            }
            kw::ENDIF => {
                if self.files.last_mut().and_then(|f| f.conditions.pop()).is_none() {
                    self.session.diags.error(span, "#endif without #if");
                } else {
                    self.end_of_line("#endif");
                }
                self.skip_line();
            }
            kw::INCLUDE => self.include(span),
            kw::LINE => {
                let tokens = self.line_tokens();
                let tokens = self.expand_list(&tokens);
                self.line_directive(&tokens, span);
            }
            kw::ERROR | kw::WARNING => {
                let (text, rest) = self.files.last_mut().map(|f| f.cursor.rest_of_line()).unwrap_or_default();
                let is_error = name.is_ident(kw::ERROR);
                let what = if is_error { "#error" } else { "#warning" };
                let message = format!("{what} {text}");
                let span = if text.is_empty() { span } else { span.to(rest) };
                match is_error {
                    true => self.session.diags.error(span, message.trim_end()),
                    false => self.session.diags.warning(span, message.trim_end()),
                };
            }
            kw::PRAGMA => {
                let tokens = self.line_tokens();
                let span = tokens.last().map_or(span, |t| span.to(t.span));
                return self.pragma(&tokens, span, hash.flags);
            }
            _ => {
                let text = self.session.interner.text(name.symbol());
                self.session.diags.error(name.span, format!("invalid preprocessing directive '#{text}'"));
                self.skip_line();
            }
        }
        None
    }

    /// The next token of the directive's line.
    fn line_token(&mut self) -> RawToken {
        match self.files.last_mut() {
            Some(file) => file.cursor.next(Until::LineEnd, self.session),
            None => RawToken::new(RawKind::End, 0, self.end),
        }
    }

    pub(super) fn skip_line(&mut self) {
        if let Some(file) = self.files.last_mut() {
            file.cursor.skip_line();
        }
    }

    /// Warns if there is more on the line.
    fn end_of_line(&mut self, directive: &str) {
        let token = self.line_token();
        if !token.is_end() {
            self.session.diags.warning(token.span, format!("extra tokens at end of {directive} directive"));
        }
    }

    fn define(&mut self, at: Span) {
        let tokens = self.line_tokens();
        let end = tokens.last().map_or(at, |t| t.span).end();
        let def = match macros::parse(&tokens, end) {
            Ok(def) => def,
            Err(bad) => {
                self.session.diags.error(bad.span, bad.message);
                return;
            }
        };
        if let Some(next) = tokens.get(1)
            && def.kind == macros::MacroKind::Object
            && !next.flags.is_spaced()
        {
            self.session.diags.warning(next.span, "white space is missing after the macro's name");
        }
        self.keep(tokens);
        if let Some(old) = self.macros.get(def.name)
            && !old.is_predefined
            && !old.is_same(&def)
        {
            let text = self.session.interner.text(def.name);
            let message = format!("macro '{text}' redefined");
            self.session.diags.warning(def.name_span, message).note(old.name_span, "previous definition is here");
        }
        self.macros.define(Macro { is_predefined: false, ..def });
    }

    fn undef(&mut self, at: Span) {
        let token = self.line_token();
        if token.kind != RawKind::Ident {
            let span = if token.is_end() { at } else { token.span };
            self.session.diags.error(span, "macro name missing");
            return self.skip_line();
        }
        if is_reserved(token.symbol()) {
            self.session.diags.error(token.span, "this name cannot be a macro");
        }
        self.macros.undefine(token.symbol());
        self.end_of_line("#undef");
        self.skip_line();
    }

    /// `#ifdef`'s name: whether it is a macro. `None` after an error.
    fn condition_name(&mut self, directive: RawToken) -> Option<bool> {
        let token = self.line_token();
        if token.kind != RawKind::Ident {
            let span = if token.is_end() { directive.span } else { token.span };
            let text = self.session.interner.text(directive.symbol());
            self.session.diags.error(span, format!("macro name missing in #{text}"));
            self.skip_line();
            return None;
        }
        let text = match directive.symbol() {
            kw::IFDEF => "#ifdef",
            kw::IFNDEF => "#ifndef",
            _ => "#elifdef",
        };
        self.end_of_line(text);
        self.skip_line();
        Some(self.macros.is_defined(token.symbol()))
    }

    fn open_condition(&mut self, span: Span, holds: bool) {
        let Some(file) = self.files.last_mut() else { return };
        if file.conditions.len() >= MAX_CONDITIONS {
            return self.fatal(span, "conditional directives are nested too deeply");
        }
        file.conditions.push(Condition { span, taken: holds, seen_else: false });
        if !holds {
            self.skip_group();
        }
    }

    /// Skips up to a group of the innermost conditional that is to be read, or its end.
    fn skip_group(&mut self) {
        let mut depth = 0u32;
        loop {
            let Some(file) = self.files.last_mut() else { return };
            let Some(hash) = file.cursor.skip_to_directive(self.session) else { return };
            let name = self.line_token();
            if name.kind == RawKind::Ident {
                let symbol = name.symbol();
                match symbol {
                    kw::IF | kw::IFDEF | kw::IFNDEF => depth += 1,
                    kw::ENDIF if depth == 0 => {
                        self.end_of_line("#endif");
                        self.skip_line();
                        if let Some(file) = self.files.last_mut() {
                            file.conditions.pop();
                        }
                        return;
                    }
                    kw::ENDIF => depth -= 1,
                    kw::ELSE | kw::ELIF | kw::ELIFDEF | kw::ELIFNDEF if depth == 0 => {
                        let Some(condition) = self.files.last_mut().and_then(|f| f.conditions.last_mut()) else {
                            return;
                        };
                        if condition.seen_else {
                            let note = condition.span;
                            let text = self.session.interner.text(symbol);
                            let message = format!("#{text} after #else");
                            let span = hash.to(name.span);
                            self.session.diags.error(span, message).note(note, "the conditional began here");
                        } else {
                            condition.seen_else = symbol == kw::ELSE;
                            let taken = condition.taken;
                            let holds = !taken
                                && match symbol {
                                    kw::ELSE => true,
                                    kw::ELIF => self.condition(hash.to(name.span)),
                                    kw::ELIFDEF => self.condition_name(name).is_some_and(|defined| defined),
                                    _ => self.condition_name(name).is_some_and(|defined| !defined),
                                };
                            if symbol == kw::ELSE {
                                self.end_of_line("#else");
                            }
                            if holds {
                                if let Some(condition) = self.files.last_mut().and_then(|f| f.conditions.last_mut()) {
                                    condition.taken = true;
                                }
                                return self.skip_line();
                            }
                        }
                    }
                    _ => {}
                }
            }
            self.skip_line();
        }
    }

    /// `#line` with what stands behind it, macros expanded.
    fn line_directive(&mut self, tokens: &[RawToken], span: Span) {
        let Some(&first) = tokens.first() else {
            self.session.diags.error(span, "#line needs a line number");
            return;
        };
        let text = self.session.interner.text(first.symbol());
        // Decimal even with a leading zero. Spec: C99, "Line control".
        let is_digits = first.kind == RawKind::Number && text.bytes().all(|b| b.is_ascii_digit());
        let line = match number::parse(text.trim_start_matches('0')) {
            _ if !is_digits => None,
            Ok(Number::Int(value, _)) => u32::try_from(value).ok().filter(|&v| v <= i32::MAX as u32),
            _ if text.bytes().all(|b| b == b'0') => Some(0),
            _ => None,
        };
        let Some(line) = line else {
            let message = if is_digits { "line number out of range" } else { "#line needs a decimal line number" };
            self.session.diags.error(first.span, message);
            return;
        };
        let name = match tokens.get(1) {
            None => None,
            Some(token) if token.kind == RawKind::Str => {
                let (mut bytes, mut remarks) = (Vec::new(), Vec::new());
                string::string(self.session.interner.text(token.symbol()), &mut bytes, &mut remarks);
                super::report(&mut self.session.diags, token.span, remarks);
                Some(String::from_utf8_lossy(&bytes).into_owned())
            }
            Some(token) => {
                self.session.diags.error(token.span, "#line needs a string literal as file name");
                return;
            }
        };
        if let Some(extra) = tokens.get(2) {
            self.session.diags.warning(extra.span, "extra tokens at end of #line directive");
        }
        if let Some(file) = self.files.last_mut() {
            let offset = file.cursor.next_line_offset();
            self.session.sources.set_line(file.cursor.file, offset, line, name.as_deref());
        }
    }
}
