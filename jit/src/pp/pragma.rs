//! `#pragma` and `_Pragma`. What the compiler proper must know becomes a token; everything unknown is ignored, as the
//! standard says. Only malformed `OPENCL` and `CLIFT` pragmas are worth a warning.

use super::Preprocessor;
use crate::features;
use crate::intern::{Symbol, kw};
use crate::lex::number::{self, Number};
use crate::lex::raw::{RawFlags, RawKind, RawToken, scan};
use crate::lex::token::{PragmaExtension, PragmaKind, PragmaRounding, PragmaSwitch, Punct};
use crate::source::Span;

impl Preprocessor<'_> {
    /// The pragma with `tokens` behind `#pragma`: a token for the parser, if it has to know.
    pub(super) fn pragma(&mut self, tokens: &[RawToken], span: Span, flags: RawFlags) -> Option<RawToken> {
        let kind = self.pragma_kind(tokens, span)?;
        self.pragmas.push(kind);
        let data = self.pragmas.len() as u32 - 1;
        Some(RawToken { kind: RawKind::Pragma, flags, data, span })
    }

    /// `_Pragma ( "…" )` behind `_Pragma`.
    pub(super) fn pragma_operator(&mut self, operator: RawToken) -> Option<RawToken> {
        let open = self.next_raw();
        let string = if open.is_punct(Punct::LParen) { self.next_raw() } else { open };
        let close = if string.kind == RawKind::Str { self.next_raw() } else { string };
        if !open.is_punct(Punct::LParen) || string.kind != RawKind::Str || !close.is_punct(Punct::RParen) {
            self.session.diags.error(operator.span, "_Pragma takes a string literal in parentheses");
            if matches!(close.kind, RawKind::Ident | RawKind::Punct(Punct::Semi | Punct::RBrace)) {
                self.pushback = Some(close);
            }
            return None;
        }
        let literal = string.text(&self.session.interner);
        let text = literal[1..literal.len() - 1].replace("\\\"", "\"").replace("\\\\", "\\");
        let mut tokens = Vec::new();
        let mut at = 0;
        while let Some(skip) = text[at..].find(|c: char| !c.is_ascii_whitespace() && c != '\0') {
            let flags = if skip > 0 { RawFlags::SPACE } else { RawFlags::empty() };
            let scanned = scan(&text, at + skip, &mut self.session.interner);
            tokens.push(RawToken { kind: scanned.kind, flags, data: scanned.data, span: string.span });
            at = scanned.end;
        }
        self.pragma(&tokens, operator.span.to(close.span), operator.flags)
    }

    fn pragma_kind(&mut self, tokens: &[RawToken], span: Span) -> Option<PragmaKind> {
        let (&first, rest) = tokens.split_first()?;
        if first.kind != RawKind::Ident {
            return None;
        }
        match (first.symbol(), rest) {
            (kw::OPENCL, _) => self.opencl_pragma(rest, span),
            (kw::STDC, [name, value @ ..]) if name.is_ident(kw::FP_CONTRACT) => self.contract_pragma(value, span),
            (kw::UNROLL, _) => self.unroll_count(rest),
            (kw::NOUNROLL, []) => Some(PragmaKind::NoUnroll),
            (kw::GCC, [name, rest @ ..]) if name.is_ident(kw::UNROLL) => self.unroll_count(rest),
            (kw::CLANG, [name, option, value @ ..]) if self.is_word(*name, "loop") => {
                if option.is_ident(kw::UNROLL) {
                    return match value {
                        [_, word, _] if self.is_word(*word, "disable") => Some(PragmaKind::NoUnroll),
                        [_, word, _] if self.is_word(*word, "enable") || self.is_word(*word, "full") => {
                            Some(PragmaKind::Unroll(None))
                        }
                        _ => None,
                    };
                }
                if self.is_word(*option, "unroll_count") { self.unroll_count(value) } else { None }
            }
            (word, _) if self.session.interner.text(word) == "CLIFT" => {
                self.clift_pragma(rest, span);
                None
            }
            (kw::ONCE, []) => {
                if let Some(file) = self.files.last() {
                    self.once.insert(file.key.clone());
                }
                None
            }
            _ => None,
        }
    }

    /// `#pragma CLIFT CHECK ON`, or `OFF`: for code that knows better than the checks.
    fn clift_pragma(&mut self, tokens: &[RawToken], span: Span) {
        let switch = match tokens {
            [name, value] if self.is_word(*name, "CHECK") => switch(*value),
            _ => None,
        };
        match switch {
            Some(PragmaSwitch::On | PragmaSwitch::Default) => self.session.sources.set_checked(span.lo, true),
            Some(PragmaSwitch::Off) => self.session.sources.set_checked(span.lo, false),
            None => _ = self.session.diags.warning(span, "expected CHECK ON or CHECK OFF after CLIFT; pragma ignored"),
        }
    }

    fn opencl_pragma(&mut self, tokens: &[RawToken], span: Span) -> Option<PragmaKind> {
        let Some((&name, rest)) = tokens.split_first() else {
            self.session.diags.warning(span, "#pragma OPENCL needs more; ignored");
            return None;
        };
        if name.is_ident(kw::FP_CONTRACT) {
            return self.contract_pragma(rest, span);
        }
        if name.is_ident(kw::SELECT_ROUNDING_MODE) {
            let mode = match rest {
                [mode] if mode.is_ident(kw::RTE) => PragmaRounding::Rte,
                [mode] if mode.is_ident(kw::RTZ) => PragmaRounding::Rtz,
                [mode] if mode.is_ident(kw::RTP) => PragmaRounding::Rtp,
                [mode] if mode.is_ident(kw::RTN) => PragmaRounding::Rtn,
                _ => {
                    let message = "expected rte, rtz, rtp or rtn after SELECT_ROUNDING_MODE; pragma ignored";
                    self.session.diags.warning(span, message);
                    return None;
                }
            };
            if !self.region.is_enabled {
                let message = "SELECT_ROUNDING_MODE needs '#pragma OPENCL EXTENSION cl_khr_select_fprounding_mode : enable' \
                               above it; pragma ignored";
                self.session.diags.warning(span, message);
                return None;
            }
            return Some(PragmaKind::Rounding(mode));
        }
        if name.is_ident(kw::P_EXTENSION) {
            return self.extension_pragma(rest, span);
        }
        let text = name.text(&self.session.interner);
        let message = format!("unknown pragma OPENCL {text}; ignored");
        self.session.diags.warning(span, message);
        None
    }

    fn contract_pragma(&mut self, value: &[RawToken], span: Span) -> Option<PragmaKind> {
        let switch = if let [value] = value { switch(*value) } else { None };
        if switch.is_none() {
            self.session.diags.warning(span, "expected ON, OFF or DEFAULT after FP_CONTRACT; pragma ignored");
        }
        switch.map(PragmaKind::FpContract)
    }

    fn extension_pragma(&mut self, tokens: &[RawToken], span: Span) -> Option<PragmaKind> {
        let behaviour = match tokens {
            [name, colon, word] if name.kind == RawKind::Ident && colon.is_punct(Punct::Colon) => match word.symbol() {
                _ if word.kind != RawKind::Ident => None,
                kw::ENABLE | kw::REQUIRE => Some(PragmaExtension::Enable),
                kw::DISABLE => Some(PragmaExtension::Disable),
                // Clang's own headers say which extension declares what.
                kw::BEGIN | kw::END => return None,
                _ => None,
            },
            _ => None,
        };
        let Some(behaviour) = behaviour else {
            let message = "expected 'EXTENSION name : enable' or ': disable'; pragma ignored";
            self.session.diags.warning(span, message);
            return None;
        };
        let name = tokens[0].symbol();
        if name == kw::ALL && behaviour == PragmaExtension::Enable {
            self.session.diags.warning(span, "'all' can only be disabled; pragma ignored");
            return None;
        }
        if name != kw::ALL && features::feature(self.session.interner.text(name)).is_none() {
            let message = format!("extension '{}' is not supported; pragma ignored", self.session.interner.text(name));
            self.session.diags.warning(tokens[0].span, message);
            return None;
        }
        Some(PragmaKind::Extension(name, behaviour))
    }

    /// `4`, `(4)` or nothing.
    fn unroll_count(&mut self, tokens: &[RawToken]) -> Option<PragmaKind> {
        let tokens = self.expand_list(tokens);
        let number = match tokens[..] {
            [] => return Some(PragmaKind::Unroll(None)),
            [number] => number,
            [open, number, close] if open.is_punct(Punct::LParen) && close.is_punct(Punct::RParen) => number,
            _ => return None,
        };
        match number::parse(number.text(&self.session.interner)) {
            Ok(Number::Int(value, _)) if number.kind == RawKind::Number => match u32::try_from(value) {
                Ok(0 | 1) => Some(PragmaKind::NoUnroll),
                Ok(count) => Some(PragmaKind::Unroll(Some(count))),
                Err(_) => None,
            },
            _ => None,
        }
    }

    fn is_word(&self, token: RawToken, word: &str) -> bool {
        token.kind == RawKind::Ident && self.session.interner.text(Symbol(token.data)) == word
    }
}

fn switch(token: RawToken) -> Option<PragmaSwitch> {
    match token.symbol() {
        _ if token.kind != RawKind::Ident => None,
        kw::ON => Some(PragmaSwitch::On),
        kw::OFF => Some(PragmaSwitch::Off),
        kw::P_DEFAULT => Some(PragmaSwitch::Default),
        _ => None,
    }
}
