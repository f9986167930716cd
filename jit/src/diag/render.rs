//! Diagnostics as text: one header line `file:line:col: error: message`, the source line with carets, then notes in the
//! same form. What stands in a macro is shown where the macro is used, with a note for each macro on the way.

use super::{Diagnostic, Diagnostics, Severity, Style};
use crate::intern::Interner;
use crate::source::{Level as SourceLevel, SourceMap, Span, raw_byte};
use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use std::borrow::Cow;
use std::fmt::Write;
use std::ops::Range;

/// Columns of a log.
const WIDTH: usize = 120;
/// Bytes around the place of interest that are shown of a very long line; the renderer trims further to `WIDTH`.
const WINDOW: usize = 300;
/// Characters of a message or file name.
const MAX_MESSAGE: usize = 500;
/// Macro expansions that a diagnostic names at each end of a long chain.
const MAX_LEVELS: usize = 4;

/// All of `diags`.
pub(super) fn render(diags: &Diagnostics, sources: &SourceMap, names: &Interner, style: Style) -> String {
    let renderer = match style {
        Style::Plain => Renderer::plain(),
        Style::Colour => Renderer::styled(),
    };
    let renderer = renderer.term_width(WIDTH).decor_style(DecorStyle::Ascii);
    let mut log = Log { out: String::new(), sources, names, style, renderer };
    for diagnostic in diags.list() {
        log.diagnostic(diagnostic);
    }
    if diags.is_full() {
        log.header(Span::DUMMY, Severity::Error, "too many errors emitted, stopping now");
    }
    if let Some(n) = diags.n_warnings().checked_sub(Diagnostics::MAX_WARNINGS).filter(|&n| n > 0) {
        log.header(Span::DUMMY, Severity::Warning, &format!("{n} more warnings not shown"));
    }
    log.out
}

/// A source line with its number and carets below `width` characters from a column on (both from 1), in the form of the
/// log's: for messages about a program that has been compiled already.
pub fn excerpt(line: &str, number: u32, column: u32, width: u32) -> String {
    let byte = |n: usize| line.char_indices().nth(n).map_or(line.len(), |(at, _)| at);
    let lo = byte(column.max(1) as usize - 1);
    let hi = byte((column.max(1) as usize - 1).saturating_add(width.max(1) as usize));
    let renderer = Renderer::plain().term_width(WIDTH).decor_style(DecorStyle::Ascii);
    snippet(&renderer, line, number.max(1) as usize, lo..hi, Level::ERROR)
}

/// A source line with carets below a range of its bytes.
fn snippet(renderer: &Renderer, line: &str, number: usize, bytes: Range<usize>, level: Level<'_>) -> String {
    let Range { start: lo, end: hi } = bytes;
    let (from, to) = match line.len() > 2 * WINDOW {
        true => (floor(line, lo.saturating_sub(WINDOW)), ceil(line, lo + WINDOW)),
        false => (0, line.len()),
    };
    let cut = if from > 0 { "..." } else { "" };
    let [before, marked, after] =
        [from..lo, lo..hi.min(to), hi.min(to)..to].map(|part| line[part].chars().map(legible).collect::<String>());
    let text = format!("{cut}{before}{marked}{after}{}", if to < line.len() { "..." } else { "" });
    let range = cut.len() + before.len()..cut.len() + before.len() + marked.len();
    let snippet = Snippet::source(text).line_start(number).annotation(AnnotationKind::Primary.span(range));
    let rendered = renderer.render(&[Group::with_level(level).element(snippet)]);
    // The first line is an empty gutter.
    rendered.lines().skip(1).flat_map(|line| [line.trim_end(), "\n"]).collect()
}

struct Log<'a> {
    out: String,
    sources: &'a SourceMap,
    names: &'a Interner,
    style: Style,
    renderer: Renderer,
}

impl Log<'_> {
    fn diagnostic(&mut self, diagnostic: &Diagnostic) {
        self.message(diagnostic.span, diagnostic.severity, &diagnostic.message);
        for note in &diagnostic.notes {
            self.message(note.span, Severity::Note, &note.message);
        }
    }

    fn message(&mut self, span: Span, severity: Severity, message: &str) {
        let levels = self.sources.levels(span);
        let Some((place, macros)) = levels.split_first() else { return self.header(Span::DUMMY, severity, message) };
        if severity != Severity::Note {
            self.includes(place.span);
        }
        self.header(place.span, severity, message);
        self.snippet(place.span, severity);
        let n = macros.len();
        for (i, level) in macros.iter().enumerate() {
            if n > 2 * MAX_LEVELS && i >= MAX_LEVELS && i < n - MAX_LEVELS {
                if i == MAX_LEVELS {
                    let skipped = n - 2 * MAX_LEVELS;
                    self.header(Span::DUMMY, Severity::Note, &format!("{skipped} more macro expansions not shown"));
                }
                continue;
            }
            self.expansion(level);
        }
    }

    fn expansion(&mut self, level: &SourceLevel) {
        let name = level.in_macro.map_or("", |name| self.names.text(name));
        let message = format!("in expansion of macro '{name}'");
        self.header(level.span, Severity::Note, &message);
        self.snippet(level.span, Severity::Note);
    }

    /// The chain of `#include`s that leads to a place, outermost last.
    fn includes(&mut self, span: Span) {
        let mut at = self.sources.included_at(span.lo);
        while !at.is_dummy() {
            let place = self.sources.lookup(at.lo);
            let _ = writeln!(self.out, "in file included from {}:{}:", printable(place.file), place.line);
            at = self.sources.included_at(at.lo);
        }
    }

    fn header(&mut self, span: Span, severity: Severity, message: &str) {
        let message = printable(message);
        let (word, colour) = match severity {
            Severity::Error => ("error", 31),
            Severity::Warning => ("warning", 35),
            Severity::Note => ("note", 36),
        };
        let mut place = String::new();
        if !span.is_dummy() {
            let p = self.sources.lookup(span.lo);
            place = format!("{}:{}:{}: ", printable(p.file), p.line, p.col);
        }
        let _ = match self.style {
            Style::Plain => writeln!(self.out, "{place}{word}: {message}"),
            Style::Colour => {
                writeln!(self.out, "\x1b[1m{place}\x1b[{colour}m{word}: \x1b[0m\x1b[1m{message}\x1b[0m")
            }
        };
    }

    /// The source line of `span` with carets below.
    fn snippet(&mut self, span: Span, severity: Severity) {
        let Some((line, start)) = self.sources.source_line(span.lo) else { return };
        if line.trim().is_empty() {
            return;
        }
        let lo = floor(line, (span.lo.saturating_sub(start)) as usize);
        let hi = ceil(line, (span.hi.saturating_sub(start)) as usize).max(lo);
        let level = match severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
            Severity::Note => Level::NOTE,
        };
        let number = self.sources.line(span.lo).max(1) as usize;
        self.out.push_str(&snippet(&self.renderer, line, number, lo..hi, level));
    }
}

/// One line of at most `MAX_MESSAGE` characters without control characters: sources can put anything into a message.
fn printable(text: &str) -> Cow<'_, str> {
    if text.len() <= MAX_MESSAGE && !text.contains(|c: char| c.is_control() || raw_byte(c).is_some()) {
        return text.into();
    }
    let shown = |c: char| if c.is_control() { ' ' } else { legible(c) };
    let mut line: String = text.chars().take(MAX_MESSAGE).map(shown).collect();
    if text.chars().nth(MAX_MESSAGE).is_some() {
        line.push_str("...");
    }
    line.into()
}

/// What stands in a log for a character of a source.
fn legible(c: char) -> char {
    if raw_byte(c).is_some() { char::REPLACEMENT_CHARACTER } else { c }
}

fn floor(line: &str, at: usize) -> usize {
    line.floor_char_boundary(at.min(line.len()))
}

fn ceil(line: &str, at: usize) -> usize {
    line.ceil_char_boundary(at.min(line.len()))
}
