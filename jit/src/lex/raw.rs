//! Preprocessing tokens, and the scanner that makes one from the bytes at a place. No white space, comments or line
//! splices here: `cursor` has them.

use super::token::{Punct, TokenFlags};
use crate::intern::{Interner, Symbol, hash};
use crate::source::Span;

/// A preprocessing token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RawToken {
    pub(crate) kind: RawKind,
    pub(crate) flags: RawFlags,
    /// What belongs to the kind: usually the symbol of the text.
    pub(crate) data: u32,
    pub(crate) span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RawKind {
    /// `data` is the name.
    Ident,
    /// A pp-number; `data` is its text.
    Number,
    /// A character constant; `data` is its text with quotes.
    Char,
    /// A string literal; `data` is its text with quotes.
    Str,
    /// A quote without its counterpart on the same line; `data` is the text up to the line's end.
    Unterminated,
    Punct(Punct),
    /// Any other character; `data` is its text.
    Other,
    /// In a macro's body: a parameter; `data` is its number.
    Param,
    /// What an empty operand of `##` leaves. Spec: C99, "The ## operator".
    Placemarker,
    /// A pragma that goes to the parser; `data` is its number.
    Pragma,
    /// The end of a directive's line, or of a list of tokens.
    End,
    Eof,
}

bitflags::bitflags! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
    pub(crate) struct RawFlags: u8 {
        /// First of its line.
        const BOL = 1;
        /// White space in front.
        const SPACE = 2;
        /// A macro's name that must not be expanded any more. Spec: C99, "Rescanning and further replacement".
        const NO_EXPAND = 4;
        /// In a macro's body: a parameter behind `#`.
        const STRINGIFY = 8;
        /// In a macro's body: `##` follows.
        const PASTE = 16;
    }
}

impl RawFlags {
    /// Whether there is white space of any kind in front.
    pub(crate) fn is_spaced(self) -> bool {
        self.intersects(Self::BOL | Self::SPACE)
    }

    /// What the parser sees of them.
    pub(crate) fn public(self) -> TokenFlags {
        TokenFlags::from_bits_truncate(self.bits())
    }
}

impl RawToken {
    pub(crate) fn new(kind: RawKind, data: u32, span: Span) -> Self {
        Self { kind, flags: RawFlags::empty(), data, span }
    }

    pub(crate) fn symbol(self) -> Symbol {
        Symbol(self.data)
    }

    pub(crate) fn is_ident(self, name: Symbol) -> bool {
        self.kind == RawKind::Ident && self.data == name.0
    }

    pub(crate) fn is_punct(self, punct: Punct) -> bool {
        self.kind == RawKind::Punct(punct)
    }

    /// Whether there are no more tokens.
    pub(crate) fn is_end(self) -> bool {
        matches!(self.kind, RawKind::End | RawKind::Eof)
    }

    /// The token as written.
    pub(crate) fn text(self, names: &Interner) -> &str {
        match self.kind {
            RawKind::Punct(p) => p.text(),
            RawKind::Ident
            | RawKind::Number
            | RawKind::Char
            | RawKind::Str
            | RawKind::Unterminated
            | RawKind::Other => names.text(self.symbol()),
            RawKind::Param | RawKind::Placemarker | RawKind::Pragma | RawKind::End | RawKind::Eof => "",
        }
    }
}

/// What `scan` finds.
pub(crate) struct Scan {
    pub(crate) kind: RawKind,
    pub(crate) data: u32,
    pub(crate) end: usize,
}

/// Bytes that names start with.
const START: u8 = 1;
/// Bytes inside names (and pp-numbers).
const WORD: u8 = 2;
const DIGIT: u8 = 4;

static CLASS: [u8; 256] = {
    let mut class = [0; 256];
    let mut b = 0;
    while b < 128 {
        let c = b as u8;
        if c.is_ascii_alphabetic() || c == b'_' || c == b'$' {
            class[b] = START | WORD;
        } else if c.is_ascii_digit() {
            class[b] = WORD | DIGIT;
        }
        b += 1;
    }
    class
};

/// The token at byte `start` of `text`, which is inside `text` and no white space.
pub(crate) fn scan(text: &str, start: usize, names: &mut Interner) -> Scan {
    let bytes = text.as_bytes();
    let first = bytes[start];
    let class = CLASS[first as usize];
    if class & START != 0 {
        return word(text, start, start + 1, names);
    }
    let second = byte(bytes, start + 1);
    if class & DIGIT != 0 || first == b'.' && second.is_ascii_digit() {
        return number(text, start, names);
    }
    match first {
        b'"' | b'\'' => return quoted(text, start, names),
        0x80.. => {
            let c = text[start..].chars().next().unwrap_or('\u{fffd}');
            let end = start + c.len_utf8();
            if c.is_alphabetic() {
                return word(text, start, end, names);
            }
            return Scan { kind: RawKind::Other, data: names.intern(&text[start..end]).0, end };
        }
        _ => {}
    }
    match punct(first, second, byte(bytes, start + 2), byte(bytes, start + 3)) {
        Some((punct, len)) => Scan { kind: RawKind::Punct(punct), data: 0, end: start + len },
        None => Scan { kind: RawKind::Other, data: names.intern(&text[start..start + 1]).0, end: start + 1 },
    }
}

fn byte(bytes: &[u8], at: usize) -> u8 {
    bytes.get(at).copied().unwrap_or(0)
}

fn word(text: &str, start: usize, mut end: usize, names: &mut Interner) -> Scan {
    let bytes = text.as_bytes();
    end = word_end(text, end);
    let symbol = names.intern_hashed(&text[start..end], hash(&bytes[start..end]));
    Scan { kind: RawKind::Ident, data: symbol.0, end }
}

/// The end of the run of word characters from `end` on.
fn word_end(text: &str, mut end: usize) -> usize {
    let bytes = text.as_bytes();
    loop {
        while end < bytes.len() && CLASS[bytes[end] as usize] & WORD != 0 {
            end += 1;
        }
        if byte(bytes, end) < 0x80 {
            return end;
        }
        match text[end..].chars().next() {
            Some(c) if c.is_alphanumeric() => end += c.len_utf8(),
            _ => return end,
        }
    }
}

/// A pp-number: also takes in what no constant has, so that mistakes are one token.
fn number(text: &str, start: usize, names: &mut Interner) -> Scan {
    let bytes = text.as_bytes();
    let mut end = start + 1;
    loop {
        end = word_end(text, end);
        match byte(bytes, end) {
            b'.' => end += 1,
            b'+' | b'-' if matches!(bytes[end - 1], b'e' | b'E' | b'p' | b'P') => end += 1,
            _ => break,
        }
    }
    Scan { kind: RawKind::Number, data: names.intern(&text[start..end]).0, end }
}

fn quoted(text: &str, start: usize, names: &mut Interner) -> Scan {
    let bytes = text.as_bytes();
    let quote = bytes[start];
    let mut end = start + 1;
    let kind = loop {
        match bytes.get(end) {
            None | Some(b'\n') => break RawKind::Unterminated,
            Some(b'\r') if byte(bytes, end + 1) == b'\n' => break RawKind::Unterminated,
            Some(b'\\') => end += if matches!(byte(bytes, end + 1), b'\\' | b'"' | b'\'') { 2 } else { 1 },
            Some(&b) => {
                end += 1;
                if b == quote {
                    break if quote == b'"' { RawKind::Str } else { RawKind::Char };
                }
            }
        }
    };
    Scan { kind, data: names.intern(&text[start..end]).0, end }
}

fn punct(a: u8, b: u8, c: u8, d: u8) -> Option<(Punct, usize)> {
    use Punct::*;
    Some(match (a, b) {
        (b'(', _) => (LParen, 1),
        (b')', _) => (RParen, 1),
        (b',', _) => (Comma, 1),
        (b';', _) => (Semi, 1),
        (b'[', _) => (LBracket, 1),
        (b']', _) => (RBracket, 1),
        (b'{', _) => (LBrace, 1),
        (b'}', _) => (RBrace, 1),
        (b'.', b'.') if c == b'.' => (Ellipsis, 3),
        (b'.', _) => (Dot, 1),
        (b'=', b'=') => (EqEq, 2),
        (b'=', _) => (Eq, 1),
        (b'*', b'=') => (StarEq, 2),
        (b'*', _) => (Star, 1),
        (b'+', b'+') => (PlusPlus, 2),
        (b'+', b'=') => (PlusEq, 2),
        (b'+', _) => (Plus, 1),
        (b'-', b'>') => (Arrow, 2),
        (b'-', b'-') => (MinusMinus, 2),
        (b'-', b'=') => (MinusEq, 2),
        (b'-', _) => (Minus, 1),
        (b'/', b'=') => (SlashEq, 2),
        (b'/', _) => (Slash, 1),
        (b'%', b'=') => (PercentEq, 2),
        (b'%', b'>') => (RBrace, 2),
        (b'%', b':') if (c, d) == (b'%', b':') => (HashHash, 4),
        (b'%', b':') => (Hash, 2),
        (b'%', _) => (Percent, 1),
        (b'&', b'&') => (AmpAmp, 2),
        (b'&', b'=') => (AmpEq, 2),
        (b'&', _) => (Amp, 1),
        (b'|', b'|') => (PipePipe, 2),
        (b'|', b'=') => (PipeEq, 2),
        (b'|', _) => (Pipe, 1),
        (b'^', b'=') => (CaretEq, 2),
        (b'^', _) => (Caret, 1),
        (b'~', _) => (Tilde, 1),
        (b'!', b'=') => (Ne, 2),
        (b'!', _) => (Bang, 1),
        (b'<', b'<') if c == b'=' => (ShlEq, 3),
        (b'<', b'<') => (Shl, 2),
        (b'<', b'=') => (Le, 2),
        (b'<', b':') => (LBracket, 2),
        (b'<', b'%') => (LBrace, 2),
        (b'<', _) => (Lt, 1),
        (b'>', b'>') if c == b'=' => (ShrEq, 3),
        (b'>', b'>') => (Shr, 2),
        (b'>', b'=') => (Ge, 2),
        (b'>', _) => (Gt, 1),
        (b'?', _) => (Question, 1),
        (b':', b'>') => (RBracket, 2),
        (b':', _) => (Colon, 1),
        (b'#', b'#') => (HashHash, 2),
        (b'#', _) => (Hash, 1),
        _ => return None,
    })
}
