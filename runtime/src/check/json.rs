//! Reports as JSON, one object a line (RFC 8259, JSON Lines). What is not known is left out.

use super::host::Call;
use super::objects::Object;
use super::report::{Item, Place, Report, Side};
use super::sink::Sums;
use std::fmt::{self, Write as _};
use std::io::{self, Write};

/// A report.
pub(super) fn line(report: &Report) -> String {
    let mut out = Writer::new();
    out.field("type", |out| out.string("report"));
    out.field("kind", |out| out.string(report.kind.word()));
    if report.is_note {
        out.field("note", |out| out.text("true"));
    }
    out.field("message", |out| out.string(&report.message));
    if !report.kernel.is_empty() {
        out.field("kernel", |out| out.string(&report.kernel));
    }
    if report.program > 0 {
        out.field("program", |out| out.number(report.program));
    }
    out.field("sides", |out| out.list(&report.sides, side));
    if let Some(object) = &report.object {
        out.field("object", |out| self::object(out, object));
    }
    if let Some(offset) = report.offset {
        out.field("offset", |out| out.number(offset));
    }
    out.field("notes", |out| out.list(&report.notes, |out, note| out.string(note)));
    out.end()
}

fn side(out: &mut Writer, side: &Side) {
    out.open();
    if !side.label.is_empty() {
        out.field("label", |out| out.string(&side.label));
    }
    out.field("places", |out| out.list(&side.places, place));
    out.field("items", |out| out.list(&side.items, item));
    if let Some(call) = &side.call {
        out.field("call", |out| self::call(out, call));
    }
    out.close();
}

fn place(out: &mut Writer, place: &Place) {
    out.open();
    out.field("file", |out| out.string(&place.file));
    out.field("line", |out| out.number(place.line));
    out.field("column", |out| out.number(place.column));
    out.field("width", |out| out.number(place.width));
    out.field("text", |out| out.string(&place.text));
    out.field("function", |out| out.string(&place.function));
    out.close();
}

fn item(out: &mut Writer, item: &Item) {
    out.open();
    for (name, id) in [("global", item.global), ("local", item.local), ("group", item.group)] {
        out.field(name, |out| out.list(&id, |out, n| out.number(n)));
    }
    out.close();
}

fn call(out: &mut Writer, call: &Call) {
    out.open();
    out.field("function", |out| out.string(call.name));
    if let Some(location) = call.location() {
        out.field("module", |out| out.string(&location.module));
        out.field("offset", |out| out.number(location.offset));
        if !location.symbol.is_empty() {
            out.field("symbol", |out| out.string(&location.symbol));
        }
    }
    out.close();
}

fn object(out: &mut Writer, object: &Object) {
    out.open();
    out.field("what", |out| out.string(object.what.word()));
    if !object.name.is_empty() {
        out.field("name", |out| out.string(&object.name));
    }
    out.field("size", |out| out.number(object.size));
    if object.number > 0 {
        out.field("number", |out| out.number(object.number));
    }
    if let Some(call) = &object.created {
        out.field("created", |out| self::call(out, call));
    }
    if object.is_freed {
        out.field("freed", |out| match &object.freed {
            Some(call) => self::call(out, call),
            None => out.text("true"),
        });
    }
    out.close();
}

/// How often a report's mistake was found. Allocates nothing.
pub(super) fn count(out: &mut impl Write, head: &str, count: u64) -> io::Result<()> {
    write!(out, r#"{{"type":"count","report":""#)?;
    for c in head.chars() {
        match escape(c) {
            Some(Escape::Short(c)) => write!(out, "\\{c}")?,
            Some(Escape::Code(code)) => write!(out, "\\u{code:04x}")?,
            None => write!(out, "{c}")?,
        }
    }
    writeln!(out, r#"","found":{count}}}"#)
}

/// The last line. Allocates nothing.
pub(super) fn sums(out: &mut impl Write, sums: &Sums) -> io::Result<()> {
    let Sums { sites, found, notes, suppressed, beyond } = sums;
    let reports = format_args!(r#""reports":{sites},"found":{found},"notes":{notes}"#);
    writeln!(out, r#"{{"type":"summary",{reports},"suppressed":{suppressed},"beyond":{beyond}}}"#)
}

enum Escape {
    Short(char),
    Code(u32),
}

/// What a character of a string becomes, unless it stays.
fn escape(c: char) -> Option<Escape> {
    match c {
        '"' | '\\' => Some(Escape::Short(c)),
        '\n' => Some(Escape::Short('n')),
        '\t' => Some(Escape::Short('t')),
        c if c.is_control() => Some(Escape::Code(c as u32)),
        _ => None,
    }
}

/// Writes one object.
struct Writer {
    text: String,
    /// Whether a comma goes in front of the next field or element.
    comma: bool,
}

impl Writer {
    fn new() -> Self {
        Self { text: "{".to_owned(), comma: false }
    }

    fn end(mut self) -> String {
        self.text.push('}');
        self.text
    }

    fn text(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn open(&mut self) {
        self.text.push('{');
        self.comma = false;
    }

    fn close(&mut self) {
        self.text.push('}');
        self.comma = true;
    }

    fn separate(&mut self) {
        if self.comma {
            self.text.push(',');
        }
        self.comma = false;
    }

    fn field(&mut self, name: &str, value: impl FnOnce(&mut Self)) {
        self.separate();
        self.string(name);
        self.text.push(':');
        value(self);
        self.comma = true;
    }

    fn list<T>(&mut self, values: &[T], each: impl Fn(&mut Self, &T)) {
        self.text.push('[');
        for (n, value) in values.iter().enumerate() {
            if n > 0 {
                self.text.push(',');
            }
            each(self, value);
        }
        self.text.push(']');
    }

    fn number(&mut self, number: impl fmt::Display) {
        let _ = write!(self.text, "{number}");
    }

    fn string(&mut self, text: &str) {
        self.text.push('"');
        for c in text.chars() {
            match escape(c) {
                Some(Escape::Short(c)) => self.text.extend(['\\', c]),
                Some(Escape::Code(code)) => _ = write!(self.text, "\\u{code:04x}"),
                None => self.text.push(c),
            }
        }
        self.text.push('"');
    }
}
