//! Text of the trace event format: one object for each event, strings escaped. Knows nothing of what is traced.

use std::fmt::Write as _;
use std::io::Write as _;

/// Appends `text` as a JSON string.
pub fn string(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => out.extend([b'\\', byte]),
            0..0x20 | 0x7f => write!(out, "\\u{byte:04x}").expect("a vector takes all"),
            _ => out.push(byte),
        }
    }
    out.push(b'"');
}

/// Appends a time in microseconds, which the format wants.
fn micros(out: &mut Vec<u8>, ns: u64) {
    write!(out, "{}.{:03}", ns / 1000, ns % 1000).expect("a vector takes all");
}

/// An event in the making: the text is whole when it is dropped.
pub struct Event<'a> {
    out: &'a mut Vec<u8>,
    has_args: bool,
}

impl<'a> Event<'a> {
    /// Begins an event of phase `ph` at `ns` on a thread.
    pub fn new(out: &'a mut Vec<u8>, ph: char, name: &str, process: u32, thread: u32, ns: u64) -> Self {
        out.extend(b",\n{\"name\":");
        string(out, name);
        write!(out, ",\"ph\":\"{ph}\",\"pid\":{process},\"tid\":{thread},\"ts\":").expect("a vector takes all");
        micros(out, ns);
        Self { out, has_args: false }
    }

    /// How long it took.
    pub fn duration(self, ns: u64) -> Self {
        self.out.extend(b",\"dur\":");
        micros(self.out, ns);
        self
    }

    /// A member of the event itself.
    pub fn member(self, key: &str, value: &str) -> Self {
        self.out.push(b',');
        string(self.out, key);
        self.out.push(b':');
        string(self.out, value);
        self
    }

    /// The number by which the ends of an arrow find each other.
    pub fn id(self, id: u64) -> Self {
        write!(self.out, ",\"id\":{id}").expect("a vector takes all");
        self
    }

    fn key(&mut self, key: &str) {
        self.out.extend(if self.has_args { &b","[..] } else { b",\"args\":{" });
        self.has_args = true;
        string(self.out, key);
        self.out.push(b':');
    }

    /// An argument that is a number.
    pub fn number(&mut self, key: &str, value: impl std::fmt::Display) {
        self.key(key);
        write!(self.out, "{value}").expect("a vector takes all");
    }

    /// An argument that is a time, in microseconds as all times.
    pub fn time(&mut self, key: &str, ns: u64) {
        self.key(key);
        micros(self.out, ns);
    }

    /// An argument that is a text.
    pub fn text(&mut self, key: &str, value: &str) {
        self.key(key);
        string(self.out, value);
    }

    /// An argument that is a list of numbers.
    pub fn numbers(&mut self, key: &str, values: &[u64]) {
        self.key(key);
        let mut list = String::from("[");
        for (i, value) in values.iter().enumerate() {
            write!(list, "{}{value}", if i == 0 { "" } else { "," }).expect("a string takes all");
        }
        self.out.extend(list.bytes());
        self.out.push(b']');
    }

    /// An argument that is a list of texts.
    pub fn texts(&mut self, key: &str, values: &[String]) {
        self.key(key);
        self.out.push(b'[');
        for (i, value) in values.iter().enumerate() {
            self.out.extend((i > 0).then_some(b','));
            string(self.out, value);
        }
        self.out.push(b']');
    }
}

impl Drop for Event<'_> {
    fn drop(&mut self) {
        self.out.extend(if self.has_args { &b"}}"[..] } else { b"}" });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_escaped() {
        let mut out = Vec::new();
        string(&mut out, "a\"b\\c\n\u{0}\u{7f}ä\u{fffd}");
        assert_eq!(String::from_utf8(out).expect("UTF-8"), "\"a\\\"b\\\\c\\u000a\\u0000\\u007fä\u{fffd}\"");
    }

    #[test]
    fn events_are_objects() {
        let mut out = Vec::new();
        let mut event = Event::new(&mut out, 'X', "n", 1, 2, 1_234_567).duration(5).member("cat", "c").id(9);
        event.number("a", 1);
        event.numbers("b", &[1, 2]);
        event.texts("c", &["x".into(), "y".into()]);
        event.time("t", 1_000);
        drop(event);
        drop(Event::new(&mut out, 'i', "m", 1, 2, 0));
        let want = ",\n{\"name\":\"n\",\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":1234.567,\"dur\":0.005,\"cat\":\"c\",\
                    \"id\":9,\"args\":{\"a\":1,\"b\":[1,2],\"c\":[\"x\",\"y\"],\"t\":1.000}}\
                    ,\n{\"name\":\"m\",\"ph\":\"i\",\"pid\":1,\"tid\":2,\"ts\":0.000}";
        assert_eq!(String::from_utf8(out).expect("UTF-8"), want);
    }
}
