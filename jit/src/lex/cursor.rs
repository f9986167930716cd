//! Reads one file: line splices, white space, comments, line ends. Tokens themselves are `raw::scan`'s business.

use super::raw::{RawFlags, RawKind, RawToken, scan};
use crate::session::Session;
use crate::source::{FileId, Span, Text};

/// Where to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Until {
    /// Line ends are white space; the next token may stand on a later line.
    Token,
    /// A line's end is a token `End`, and stays to be read.
    LineEnd,
}

/// A file and a place in it.
#[derive(Debug)]
pub(crate) struct FileCursor {
    pub(crate) file: FileId,
    /// The file without line splices.
    text: Text,
    /// Byte offset in `text`.
    pos: usize,
    /// In front of the next token.
    flags: RawFlags,
    places: Places,
    nul_reported: bool,
}

/// From offsets in the text without splices to positions.
#[derive(Debug)]
struct Places {
    /// Position of the file's first byte.
    base: u32,
    /// Offset in the text without splices, bytes removed up to and including there.
    splices: Vec<(u32, u32)>,
    /// The first splice that the cursor has not passed.
    next: usize,
    /// Its offset.
    next_at: u32,
    /// Bytes removed in front of it.
    removed: u32,
}

impl FileCursor {
    /// At the start of a file of `session.sources`.
    pub(crate) fn new(file: FileId, session: &mut Session) -> Self {
        let base = session.sources.start(file);
        let text = session.sources.text(file).clone();
        let mut cursor = Self {
            file,
            text,
            pos: 0,
            flags: RawFlags::BOL,
            places: Places { base, splices: Vec::new(), next: 0, next_at: u32::MAX, removed: 0 },
            nul_reported: false,
        };
        if cursor.text.as_bytes().contains(&b'\\') {
            cursor.remove_splices(session);
        }
        if cursor.text.starts_with('\u{feff}') {
            cursor.pos = 3;
        }
        cursor
    }

    /// The next token.
    pub(crate) fn next(&mut self, until: Until, session: &mut Session) -> RawToken {
        let kind = self.skip_space(until, session);
        let flags = std::mem::take(&mut self.flags);
        let lo = self.places.position(self.pos);
        if let Some(kind) = kind {
            self.flags = flags;
            return RawToken { kind, flags, data: 0, span: Span { lo, hi: lo } };
        }
        let token = scan(&self.text, self.pos, &mut session.interner);
        self.pos = token.end;
        let hi = self.places.end_position(token.end);
        RawToken { kind: token.kind, flags, data: token.data, span: Span { lo, hi } }
    }

    /// A header's name between `<` and `>` or two `"` on this line: delimiter and name. Nothing is consumed if the next
    /// thing is neither.
    pub(crate) fn header_name(&mut self, session: &mut Session) -> Option<(RawToken, String)> {
        if self.skip_space(Until::LineEnd, session).is_some() {
            return None;
        }
        let rest = &self.text.as_bytes()[self.pos..];
        let close = match rest[0] {
            b'<' => b'>',
            b'"' => b'"',
            _ => return None,
        };
        let line = rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
        let len = rest[1..line].iter().position(|&b| b == close)?;
        let name = self.text[self.pos + 1..self.pos + 1 + len].to_owned();
        let lo = self.places.position(self.pos);
        self.pos += len + 2;
        let hi = self.places.end_position(self.pos);
        Some((RawToken::new(RawKind::Str, u32::from(close == b'>'), Span { lo, hi }), name))
    }

    /// The rest of the line as written, trimmed, and where it is. The line's end stays to be read.
    pub(crate) fn rest_of_line(&mut self) -> (String, Span) {
        let rest = &self.text[self.pos..];
        let line = rest.split('\n').next().unwrap_or("");
        let from = self.pos + (line.len() - line.trim_start().len());
        let text = line.trim().to_owned();
        let (line_end, end) = (self.pos + line.len(), from + text.len());
        let lo = self.places.position(from);
        let hi = self.places.end_position(end).max(lo);
        self.pos = line_end;
        (text, Span { lo, hi })
    }

    /// Byte offset in the file of the line behind the one that is being read. To be called at the line's end.
    pub(crate) fn next_line_offset(&mut self) -> u32 {
        self.places.position(self.pos) - self.places.base + 1
    }

    /// Skips to the line's end, which stays to be read. Comments may take it further.
    pub(crate) fn skip_line(&mut self) {
        let bytes = self.text.as_bytes();
        let mut pos = self.pos;
        while let Some(&b) = bytes.get(pos) {
            match b {
                b'\n' => break,
                b'/' if bytes.get(pos + 1) == Some(&b'*') => pos = comment_end(bytes, pos).unwrap_or(bytes.len()),
                b'/' if bytes.get(pos + 1) == Some(&b'/') => pos = line_end(bytes, pos),
                b'"' | b'\'' => pos = quote_end(bytes, pos),
                _ => pos += 1,
            }
        }
        self.pos = pos;
    }

    /// Skips to behind the next `#` that starts a line; its position, or `None` at the end of the file.
    pub(crate) fn skip_to_directive(&mut self, session: &mut Session) -> Option<Span> {
        loop {
            if let Some(RawKind::Eof) = self.skip_space(Until::Token, session) {
                return None;
            }
            let starts = self.flags.contains(RawFlags::BOL);
            self.flags = RawFlags::empty();
            let rest = &self.text.as_bytes()[self.pos..];
            let len = if rest.starts_with(b"%:") { 2 } else { 1 };
            if starts && (rest[0] == b'#' || len == 2) {
                let lo = self.places.position(self.pos);
                self.pos += len;
                return Some(Span { lo, hi: lo + 1 });
            }
            self.skip_line();
        }
    }

    /// Skips white space and comments; what is there if it is no token.
    fn skip_space(&mut self, until: Until, session: &mut Session) -> Option<RawKind> {
        let bytes = self.text.as_bytes();
        let mut pos = self.pos;
        let mut flags = self.flags;
        let end = loop {
            let Some(&b) = bytes.get(pos) else {
                break Some(if until == Until::LineEnd { RawKind::End } else { RawKind::Eof });
            };
            match b {
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => {
                    flags |= RawFlags::SPACE;
                    pos += 1;
                }
                b'\n' => {
                    if until == Until::LineEnd {
                        break Some(RawKind::End);
                    }
                    flags = RawFlags::BOL;
                    pos += 1;
                }
                b'/' => match bytes.get(pos + 1) {
                    Some(b'/') => {
                        flags |= RawFlags::SPACE;
                        pos = line_end(bytes, pos);
                    }
                    Some(b'*') => {
                        flags |= RawFlags::SPACE;
                        pos = comment_end(bytes, pos).unwrap_or_else(|| {
                            let lo = self.places.base_position(pos);
                            session.diags.error(Span { lo, hi: lo + 2 }, "unterminated /* comment");
                            bytes.len()
                        });
                    }
                    _ => break None,
                },
                0 => {
                    if !self.nul_reported {
                        self.nul_reported = true;
                        let lo = self.places.base_position(pos);
                        session.diags.warning(Span { lo, hi: lo + 1 }, "null character ignored");
                    }
                    flags |= RawFlags::SPACE;
                    pos += 1;
                }
                _ => break None,
            }
        };
        self.pos = pos;
        self.flags = flags;
        end
    }

    /// Takes every backslash-newline out of `text` and notes where. White space between the two is forgiven.
    fn remove_splices(&mut self, session: &mut Session) {
        let text = &*self.text;
        let bytes = text.as_bytes();
        let mut clean = String::new();
        let mut splices = Vec::new();
        let mut from = 0;
        let mut at = 0;
        while let Some(skip) = bytes[at..].iter().position(|&b| b == b'\\') {
            at += skip;
            let space = bytes[at + 1..].iter().take_while(|b| matches!(b, b' ' | b'\t' | b'\r' | 0x0b | 0x0c)).count();
            let newline = at + 1 + space;
            if bytes.get(newline) != Some(&b'\n') {
                at = newline;
                continue;
            }
            if space > usize::from(bytes[newline - 1] == b'\r') {
                let lo = self.places.base + at as u32;
                session.diags.warning(Span { lo, hi: lo + 1 }, "backslash and newline separated by space");
            }
            clean.push_str(&text[from..at]);
            from = newline + 1;
            at = from;
            splices.push((clean.len() as u32, (from - clean.len()) as u32));
        }
        if splices.is_empty() {
            return;
        }
        clean.push_str(&text[from..]);
        self.text = clean.into();
        self.places.next_at = splices[0].0;
        self.places.splices = splices;
    }
}

impl Places {
    /// The position of the character at `offset`; offsets must not decrease from call to call.
    fn position(&mut self, offset: usize) -> u32 {
        let offset = offset as u32;
        while self.next_at <= offset {
            self.pass();
        }
        self.base + self.removed + offset
    }

    /// The position behind the character in front of `offset`.
    fn end_position(&mut self, offset: usize) -> u32 {
        let offset = offset as u32;
        while self.next_at < offset {
            self.pass();
        }
        self.base + self.removed + offset
    }

    /// `position` without moving.
    fn base_position(&self, offset: usize) -> u32 {
        let passed = self.splices.partition_point(|s| s.0 as usize <= offset);
        self.base + self.splices[..passed].last().map_or(0, |s| s.1) + offset as u32
    }

    fn pass(&mut self) {
        self.removed = self.splices[self.next].1;
        self.next += 1;
        self.next_at = self.splices.get(self.next).map_or(u32::MAX, |s| s.0);
    }
}

fn line_end(bytes: &[u8], from: usize) -> usize {
    bytes[from..].iter().position(|&b| b == b'\n').map_or(bytes.len(), |len| from + len)
}

/// Behind the comment that starts at `from`.
fn comment_end(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from + 2;
    loop {
        at += bytes.get(at..)?.iter().position(|&b| b == b'*')? + 1;
        if bytes.get(at) == Some(&b'/') {
            return Some(at + 1);
        }
    }
}

/// Behind the literal that starts at `from`, or the line's end.
fn quote_end(bytes: &[u8], from: usize) -> usize {
    let quote = bytes[from];
    let mut at = from + 1;
    while let Some(&b) = bytes.get(at) {
        match b {
            b'\n' => return at,
            b'\\' if matches!(bytes.get(at + 1), Some(b'\\' | b'"' | b'\'')) => at += 2,
            _ => at += 1,
        }
        if b == quote {
            return at;
        }
    }
    at
}
