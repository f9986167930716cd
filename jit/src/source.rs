//! Source texts and places in them. Every file and every macro expansion of a compilation has its own range of global
//! positions, so that eight bytes say where a token stands and how it came there.

use crate::intern::Symbol;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

/// A range of source positions, half open. Positions are global over all files and macro expansions of a compilation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Span {
    /// First position.
    pub lo: u32,
    /// One past the last position.
    pub hi: u32,
}

/// A text that is cheap to clone.
#[derive(Clone, Debug)]
pub enum Text {
    /// Part of this library.
    Static(&'static str),
    /// Read from somewhere.
    Shared(Arc<str>),
}

/// A named text that `#include` may find before the file system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// Name as `#include` spells it, or the file's path as it was found.
    pub name: String,
    /// Text.
    pub text: String,
    /// What this stands in for.
    pub kind: HeaderKind,
}

/// Where a header is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeaderKind {
    /// By its name, before all files: what `clCompileProgram` passes.
    Named,
    /// In the folder where the file was that a compilation has read.
    File,
}

/// A source file of a `SourceMap`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileId(u32);

/// Where something is written, for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place<'a> {
    /// File name, as `#line` wants it.
    pub file: &'a str,
    /// Line from 1, as `#line` wants it.
    pub line: u32,
    /// Column from 1, in characters.
    pub col: u32,
}

/// One step on the way from a place in a macro's body to the source line that uses the macro.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// Where, always inside one file.
    pub span: Span,
    /// The macro in whose body this is; `None` is plain source.
    pub in_macro: Option<Symbol>,
}

/// All source texts and macro expansions of a compilation.
#[derive(Clone, Debug)]
pub struct SourceMap {
    files: Vec<SourceFile>,
    expansions: Vec<Expansion>,
    /// By `start`, ascending.
    entries: Vec<Entry>,
    /// First free position.
    next: u32,
}

#[derive(Clone, Debug)]
struct SourceFile {
    name: Arc<str>,
    text: Text,
    start: u32,
    included_at: Span,
    /// Byte offsets of line starts, made when first asked for.
    lines: OnceLock<Vec<u32>>,
    /// `#line` directives, by offset.
    marks: Vec<LineMark>,
    /// `#pragma CLIFT CHECK`, by offset: whether what stands from there on is checked.
    checks: Vec<(u32, bool)>,
}

/// From byte `offset` (a line's start) on, lines count from `line`.
#[derive(Clone, Debug)]
struct LineMark {
    offset: u32,
    line: u32,
    name: Option<Arc<str>>,
}

#[derive(Clone, Copy, Debug)]
struct Expansion {
    /// First position.
    start: u32,
    /// The macro's body, in a file.
    body_lo: u32,
    /// The macro's name where it is used.
    call: Span,
    name: Symbol,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    start: u32,
    what: What,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    File(u32),
    Expansion(u32),
}

impl Span {
    /// No place.
    pub const DUMMY: Span = Span { lo: 0, hi: 0 };

    /// From `lo` up to `hi`.
    pub fn new(lo: u32, hi: u32) -> Self {
        Self { lo, hi }
    }

    /// From the start of `self` to the end of `other`. The ends may lie in different macro expansions: the span is then
    /// good for diagnostics, which find what surrounds both, but `hi < lo` is possible.
    pub fn to(self, other: Span) -> Self {
        if other == Self::DUMMY {
            self
        } else if self == Self::DUMMY {
            other
        } else {
            Self { lo: self.lo, hi: other.hi }
        }
    }

    /// An empty span at the start.
    pub fn start(self) -> Self {
        Self { lo: self.lo, hi: self.lo }
    }

    /// An empty span behind the end.
    pub fn end(self) -> Self {
        Self { lo: self.hi, hi: self.hi }
    }

    /// Whether there is no place.
    pub fn is_dummy(self) -> bool {
        self.lo == 0
    }
}

/// Bytes of a source that are no part of UTF-8 stand in its text as characters from here on, so that comments and
/// strings of another encoding pass through.
const RAW_BYTES: u32 = 0x10_ff00;

/// The text of a source in any encoding that extends ASCII.
pub fn decode(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return text.into();
    }
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().filter_map(|&byte| char::from_u32(RAW_BYTES + u32::from(byte))));
    }
    text.into()
}

/// The byte that `c` stands for in a decoded source, if it was no part of UTF-8.
pub fn raw_byte(c: char) -> Option<u8> {
    (c as u32).checked_sub(RAW_BYTES).filter(|byte| *byte >= 0x80).map(|byte| byte as u8)
}

impl Deref for Text {
    type Target = str;
    fn deref(&self) -> &str {
        match self {
            Self::Static(text) => text,
            Self::Shared(text) => text,
        }
    }
}

impl From<&'static str> for Text {
    fn from(text: &'static str) -> Self {
        Self::Static(text)
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self::Shared(text.into())
    }
}

impl Default for SourceMap {
    fn default() -> Self {
        Self::new()
    }
}

impl SourceMap {
    /// Positions end here; the rest of the `u32` is kept free so that arithmetic on positions cannot wrap.
    const LIMIT: u32 = u32::MAX - (1 << 20);

    /// No files.
    pub fn new() -> Self {
        Self { files: Vec::new(), expansions: Vec::new(), entries: Vec::new(), next: 1 }
    }

    /// Registers a text. `included_at` is the `#include` that asked for it or `DUMMY`. `None` if there are no positions
    /// left for it.
    pub fn add_file(&mut self, name: impl Into<Arc<str>>, text: Text, included_at: Span) -> Option<FileId> {
        let len = u32::try_from(text.len()).ok()?.checked_add(1)?;
        let start = self.allocate(len, What::File(self.files.len() as u32))?;
        let name = name.into();
        self.files.push(SourceFile {
            name,
            text,
            start,
            included_at,
            lines: OnceLock::new(),
            marks: Vec::new(),
            checks: Vec::new(),
        });
        Some(FileId(self.files.len() as u32 - 1))
    }

    /// Registers an expansion of macro `name` at `call` (the name's span there). A token of the body at position `p`
    /// gets the position `p - body.lo + result`. `None` if there are no positions left.
    pub fn add_expansion(&mut self, name: Symbol, body: Span, call: Span) -> Option<u32> {
        // One more, so that the point behind the last token still belongs to the expansion.
        let start = self.allocate(body.hi - body.lo + 1, What::Expansion(self.expansions.len() as u32))?;
        self.expansions.push(Expansion { start, body_lo: body.lo, call, name });
        Some(start)
    }

    /// The file's text.
    pub fn text(&self, file: FileId) -> &Text {
        &self.files[file.0 as usize].text
    }

    /// The position of the file's first byte.
    pub fn start(&self, file: FileId) -> u32 {
        self.files[file.0 as usize].start
    }

    /// The file's name as it was registered.
    pub fn name(&self, file: FileId) -> &str {
        &self.files[file.0 as usize].name
    }

    /// `#line line "name"`: says that the line that starts at byte `offset` of the file has number `line`. Offsets must
    /// not decrease from call to call. Without `name`, the name in force stays.
    pub fn set_line(&mut self, file: FileId, offset: u32, line: u32, name: Option<&str>) {
        let marks = &mut self.files[file.0 as usize].marks;
        let name = name.map(Arc::from).or_else(|| marks.last().and_then(|m| m.name.clone()));
        marks.push(LineMark { offset, line, name });
    }

    /// `#pragma CLIFT CHECK`: whether code is checked that stands behind this position, up to the next such pragma or
    /// the file's end. Positions must not decrease from call to call.
    pub fn set_checked(&mut self, pos: u32, is_checked: bool) {
        if let Some((file, offset)) = self.file_at(self.outer(pos)) {
            self.files[file.0 as usize].checks.push((offset, is_checked));
        }
    }

    /// Whether code at this place is checked, in a program that is built with checks. What comes from a macro is where
    /// the macro is used.
    pub fn is_checked(&self, span: Span) -> bool {
        let Some((file, offset)) = self.file_at(self.outer(span.lo)) else { return true };
        let checks = &self.files[file.0 as usize].checks;
        let before = checks.partition_point(|mark| mark.0 <= offset);
        checks[..before].last().is_none_or(|mark| mark.1)
    }

    /// File, line and column of a position. In a macro's expansion: of the place that uses the macro.
    pub fn lookup(&self, pos: u32) -> Place<'_> {
        let Some((file, offset)) = self.file_at(self.outer(pos)) else { return Place { file: "", line: 0, col: 0 } };
        let file = &self.files[file.0 as usize];
        let (line, start) = file.line_of(offset);
        let col =
            file.text.as_bytes()[start as usize..offset as usize].iter().filter(|&&b| b & 0xc0 != 0x80).count() + 1;
        let (number, name) = file.presumed(line, offset);
        Place { file: name, line: number, col: col as u32 }
    }

    /// The line of a position as `__LINE__` gives it.
    pub fn line(&self, pos: u32) -> u32 {
        self.lookup(pos).line
    }

    /// The file that a position outside of macro expansions is in, and the byte offset there.
    pub fn file_at(&self, pos: u32) -> Option<(FileId, u32)> {
        match self.entry(pos)?.what {
            What::File(file) => {
                let offset = pos - self.files[file as usize].start;
                Some((FileId(file), offset.min(self.files[file as usize].text.len() as u32)))
            }
            What::Expansion(_) => None,
        }
    }

    /// The `#include` that brought the file of a position, or `DUMMY`.
    pub fn included_at(&self, pos: u32) -> Span {
        self.file_at(self.outer(pos)).map_or(Span::DUMMY, |(file, _)| self.files[file.0 as usize].included_at)
    }

    /// The position in a file of what stands at `pos`: of a macro's use if `pos` is in an expansion, outermost first.
    pub fn outer(&self, mut pos: u32) -> u32 {
        while let Some(Entry { what: What::Expansion(e), .. }) = self.entry(pos) {
            pos = self.expansions[*e as usize].call.lo;
        }
        pos
    }

    /// Where the token at `pos` is written: in the macro's body if `pos` is in an expansion.
    pub fn spelling(&self, pos: u32) -> u32 {
        match self.entry(pos) {
            Some(Entry { start, what: What::Expansion(e) }) => pos - start + self.expansions[*e as usize].body_lo,
            _ => pos,
        }
    }

    /// Where `span` is, for people: the source line first, then macro bodies from the outermost to the innermost. Empty
    /// for `DUMMY`. Ends that lie in different expansions are traced to what surrounds both.
    pub fn levels(&self, span: Span) -> Vec<Level> {
        let mut chain = self.chain(span.lo, span.hi.max(1));
        if chain.is_empty() {
            return chain.into_iter().map(|(_, level)| level).collect();
        }
        let last = span.hi.saturating_sub(1);
        let same = self.entry(last).map(|e| e.what) == Some(chain[0].0) && span.hi >= span.lo;
        if !same && span.hi != span.lo {
            let ends = self.chain(last, span.hi);
            let common = chain.iter().position(|(what, _)| ends.iter().any(|(w, _)| w == what));
            if let Some(at) = common {
                chain.drain(..at);
                let (what, first) = &mut chain[0];
                if let Some((_, end)) = ends.iter().find(|(w, _)| w == what) {
                    let (lo, hi) = (first.span.lo.min(end.span.lo), first.span.hi.max(end.span.hi));
                    first.span = Span { lo, hi };
                }
            }
        }
        chain.into_iter().rev().map(|(_, level)| level).collect()
    }

    /// From the entry of `lo` outwards: each entry with the part of it that leads to `lo`, spelt in a file.
    fn chain(&self, mut lo: u32, mut hi: u32) -> Vec<(What, Level)> {
        let mut chain = Vec::new();
        while lo != 0
            && let Some(entry) = self.entry(lo)
        {
            let end =
                if hi < lo || self.entry(hi.saturating_sub(1)).is_none_or(|e| e.what != entry.what) { lo } else { hi };
            match entry.what {
                What::File(_) => {
                    chain.push((entry.what, Level { span: Span { lo, hi: end.max(lo) }, in_macro: None }));
                    break;
                }
                What::Expansion(e) => {
                    let e = &self.expansions[e as usize];
                    let spelt = |p: u32| p - e.start + e.body_lo;
                    let span = Span { lo: spelt(lo), hi: spelt(end.max(lo)) };
                    chain.push((entry.what, Level { span, in_macro: Some(e.name) }));
                    (lo, hi) = (e.call.lo, e.call.hi);
                }
            }
        }
        chain
    }

    fn allocate(&mut self, len: u32, what: What) -> Option<u32> {
        let start = self.next;
        self.next = start.checked_add(len).filter(|&end| end <= Self::LIMIT)?;
        self.entries.push(Entry { start, what });
        Some(start)
    }

    /// The entry that `pos` is in.
    fn entry(&self, pos: u32) -> Option<&Entry> {
        let after = self.entries.partition_point(|e| e.start <= pos);
        self.entries[..after].last()
    }
}

impl SourceFile {
    /// Number from 0 and start of the line that byte `offset` is in.
    fn line_of(&self, offset: u32) -> (u32, u32) {
        let lines = self.lines.get_or_init(|| {
            let bytes = self.text.as_bytes();
            let mut starts = vec![0];
            starts.extend(bytes.iter().enumerate().filter(|&(_, &b)| b == b'\n').map(|(i, _)| i as u32 + 1));
            starts
        });
        let line = lines.partition_point(|&start| start <= offset) - 1;
        (line as u32, lines[line])
    }

    /// Number and file name of physical line `line` (from 0) with byte `offset` in it, as `#line` wants them.
    fn presumed(&self, line: u32, offset: u32) -> (u32, &str) {
        let after = self.marks.partition_point(|m| m.offset <= offset);
        match self.marks[..after].last() {
            None => (line + 1, &self.name),
            Some(mark) => {
                let number = mark.line.wrapping_add(line - self.line_of(mark.offset).0);
                (number, mark.name.as_ref().unwrap_or(&self.name))
            }
        }
    }

    /// The line that byte `offset` is in, without its end.
    fn line_text(&self, offset: u32) -> (&str, u32) {
        let (_, start) = self.line_of(offset);
        let rest = &self.text[start as usize..];
        let line = rest.split('\n').next().unwrap_or("");
        (line.strip_suffix('\r').unwrap_or(line), start)
    }
}

impl SourceMap {
    /// The source line that a position in a file is in, without its end, and the position of its first byte.
    pub fn source_line(&self, pos: u32) -> Option<(&str, u32)> {
        let (file, offset) = self.file_at(pos)?;
        let file = &self.files[file.0 as usize];
        let (text, start) = file.line_text(offset);
        Some((text, file.start + start))
    }
}
