//! A small tokenizer, so that these tests do not depend on the preprocessor.
use crate::lex::token::*;
use crate::session::Session;
use crate::source::{Span, Text};

pub(super) fn tokens(source: &str, session: &mut Session) -> Vec<Token> {
    let file = session.sources.add_file("<kernel>", Text::from(source.to_owned()), Span::DUMMY).unwrap();
    let base = session.sources.start(file);
    let b = source.as_bytes();
    let (mut i, mut out, mut bol) = (0, Vec::new(), true);
    while i < b.len() {
        let s = i;
        let c = b[i];
        if c == b'\n' {
            bol = true;
            i += 1;
            continue;
        }
        if c.is_ascii_whitespace() {
            i += 1;
            continue;
        }
        let kind = if c == b'#' && bol {
            while i < b.len() && b[i] != b'\n' {
                i += 1;
            }
            let t = &source[s..i];
            TokenKind::Pragma(if t.contains("rtz") {
                PragmaKind::Rounding(PragmaRounding::Rtz)
            } else if t.contains("rte") {
                PragmaKind::Rounding(PragmaRounding::Rte)
            } else if t.contains("unroll") {
                PragmaKind::Unroll(Some(4))
            } else {
                PragmaKind::FpContract(PragmaSwitch::Off)
            })
        } else if c.is_ascii_alphabetic() || c == b'_' {
            while i < b.len() && (b[i].is_ascii_alphanumeric() || b[i] == b'_') {
                i += 1;
            }
            TokenKind::Ident(session.interner.intern(&source[s..i]))
        } else if c.is_ascii_digit() || (c == b'.' && b.get(i + 1).is_some_and(u8::is_ascii_digit)) {
            while i < b.len() && (b[i].is_ascii_alphanumeric() || b[i] == b'.') {
                i += 1;
            }
            let t = &source[s..i];
            if t.contains('.') {
                let (digits, suffix) = match t.as_bytes()[t.len() - 1] {
                    b'f' => (&t[..t.len() - 1], FloatSuffix::Float),
                    b'h' => (&t[..t.len() - 1], FloatSuffix::Half),
                    _ => (t, FloatSuffix::None),
                };
                TokenKind::Float(FloatToken {
                    value: digits.parse().unwrap(),
                    text: session.interner.intern(digits),
                    suffix,
                })
            } else {
                let d = t.trim_end_matches(['u', 'U', 'l', 'L']);
                let mut flags = IntFlags::DECIMAL;
                if t.contains(['u', 'U']) {
                    flags |= IntFlags::UNSIGNED;
                }
                if t.contains(['l', 'L']) {
                    flags |= IntFlags::LONG;
                }
                TokenKind::Int(IntToken { value: d.parse().unwrap_or(0), flags })
            }
        } else if c == b'"' {
            i += 1;
            while b[i] != b'"' {
                i += 1;
            }
            i += 1;
            TokenKind::Str(session.strings.add(&b[s + 1..i - 1]))
        } else if c == b'\'' {
            i += 3;
            TokenKind::Char(i32::from(b[s + 1]))
        } else {
            let p = Punct::ALL.iter().filter(|p| source[s..].starts_with(p.text())).max_by_key(|p| p.text().len());
            match p {
                Some(p) => {
                    i += p.text().len();
                    TokenKind::Punct(*p)
                }
                None => {
                    i += 1;
                    TokenKind::Error
                }
            }
        };
        out.push(Token {
            kind,
            span: Span::new(base + s as u32, base + i as u32),
            flags: if bol { TokenFlags::BOL } else { TokenFlags::empty() },
        });
        bol = false;
    }
    let end = base + b.len() as u32;
    out.push(Token { kind: TokenKind::Eof, span: Span::new(end, end), flags: TokenFlags::BOL });
    out
}
