//! Values of character constants and string literals. Spec: C99, "Character constants".

use crate::source::raw_byte;

/// Something about an escape sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Remark {
    Error(String),
    Warning(String),
}

/// Appends the bytes of the string literal `text` (with its quotes) to `out`.
pub(crate) fn string(text: &str, out: &mut Vec<u8>, remarks: &mut Vec<Remark>) {
    let mut rest = inside(text);
    while let Some(at) = rest.find(|c| c == '\\' || raw_byte(c).is_some()) {
        out.extend_from_slice(&rest.as_bytes()[..at]);
        rest = &rest[at..];
        let (unit, len) = unit(rest, remarks);
        match unit {
            Unit::Byte(b) => out.push(b),
            Unit::Char(c) => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
        rest = &rest[len..];
    }
    out.extend_from_slice(rest.as_bytes());
}

/// The value of the character constant `text` (with its quotes).
pub(crate) fn character(text: &str, remarks: &mut Vec<Remark>) -> i32 {
    let mut rest = inside(text);
    let mut value = 0i32;
    let mut n = 0;
    while !rest.is_empty() {
        let (unit, len) = unit(rest, remarks);
        rest = &rest[len..];
        let byte = match unit {
            Unit::Byte(b) => b,
            Unit::Char(c) if c.is_ascii() => c as u8,
            Unit::Char(c) => {
                remarks.push(Remark::Error(format!("character '{c}' is too large for a character constant")));
                0
            }
        };
        value = if n == 0 { i32::from(byte as i8) } else { value.wrapping_shl(8) | i32::from(byte) };
        n += 1;
    }
    match n {
        0 => remarks.push(Remark::Error("empty character constant".into())),
        1 => {}
        2..=4 => remarks.push(Remark::Warning("multi-character character constant".into())),
        _ => remarks.push(Remark::Warning("character constant too long for its type".into())),
    }
    value
}

enum Unit {
    Byte(u8),
    Char(char),
}

fn inside(text: &str) -> &str {
    text.get(1..text.len() - 1).unwrap_or("")
}

/// The character or escape sequence at the start of `text`, which is not empty, and how many bytes it takes.
fn unit(text: &str, remarks: &mut Vec<Remark>) -> (Unit, usize) {
    match text.chars().next().unwrap_or_default() {
        '\\' => escape(text, remarks),
        c => (raw_byte(c).map_or(Unit::Char(c), Unit::Byte), c.len_utf8()),
    }
}

/// The escape sequence at the start of `text`: what it stands for and how many bytes it takes.
fn escape(text: &str, remarks: &mut Vec<Remark>) -> (Unit, usize) {
    let bytes = text.as_bytes();
    let Some(c) = text[1..].chars().next() else { return (Unit::Byte(b'\\'), 1) };
    let byte = match c {
        'n' => b'\n',
        't' => b'\t',
        'r' => b'\r',
        'a' => 7,
        'b' => 8,
        'f' => 12,
        'v' => 11,
        'e' => 27,
        '\\' | '\'' | '"' | '?' => c as u8,
        '0'..='7' => {
            let n = bytes[1..].iter().take(3).take_while(|b| (b'0'..=b'7').contains(b)).count();
            let value = bytes[1..=n].iter().fold(0u32, |v, b| v * 8 + u32::from(b - b'0'));
            if value > 255 {
                remarks.push(Remark::Error("octal escape sequence out of range".into()));
            }
            return (Unit::Byte(value as u8), n + 1);
        }
        'x' => {
            let n = bytes[2..].iter().take_while(|b| b.is_ascii_hexdigit()).count();
            let value = text[2..2 + n]
                .chars()
                .fold(0u32, |v, c| (v.saturating_mul(16)).saturating_add(c.to_digit(16).unwrap_or(0)));
            if n == 0 {
                remarks.push(Remark::Error("\\x used with no following hex digits".into()));
            } else if value > 255 {
                remarks.push(Remark::Error("hex escape sequence out of range".into()));
            }
            return (Unit::Byte(value as u8), n + 2);
        }
        'u' | 'U' => {
            let want = if c == 'u' { 4 } else { 8 };
            let n = bytes[2..].iter().take(want).take_while(|b| b.is_ascii_hexdigit()).count();
            let value = u32::from_str_radix(&text[2..2 + n], 16).ok().filter(|_| n == want).and_then(char::from_u32);
            let Some(value) = value else {
                remarks.push(Remark::Error(format!("incomplete or invalid universal character name \\{c}")));
                return (Unit::Byte(b'?'), n + 2);
            };
            return (Unit::Char(value), n + 2);
        }
        c => {
            remarks.push(Remark::Warning(format!("unknown escape sequence '\\{}'", c.escape_debug())));
            return (raw_byte(c).map_or(Unit::Char(c), Unit::Byte), 1 + c.len_utf8());
        }
    };
    (Unit::Byte(byte), 2)
}

#[cfg(test)]
mod tests {
    use super::{Remark, character, string};

    fn bytes(text: &str) -> (Vec<u8>, Vec<Remark>) {
        let (mut out, mut remarks) = (Vec::new(), Vec::new());
        string(text, &mut out, &mut remarks);
        (out, remarks)
    }

    #[test]
    fn strings() {
        assert_eq!(bytes(r#""""#), (b"".to_vec(), vec![]));
        assert_eq!(bytes(r#""a\tb\\\"\x41\1018\0""#), (b"a\tb\\\"AA8\0".to_vec(), vec![]));
        assert_eq!(
            bytes(r#""\xff\377é\u00e9""#),
            ("\u{0}\u{0}éé".bytes().map(|b| if b == 0 { 255 } else { b }).collect(), vec![])
        );
        assert_eq!(bytes(r#""\q""#).1, [Remark::Warning("unknown escape sequence '\\q'".into())]);
        assert_eq!(bytes(r#""\x""#).1, [Remark::Error("\\x used with no following hex digits".into())]);
        assert_eq!(bytes(r#""\x1234""#).1, [Remark::Error("hex escape sequence out of range".into())]);
        assert_eq!(bytes(r#""\uD800""#).1.len(), 1);
    }

    #[test]
    fn characters() {
        let value = |text: &str| {
            let mut remarks = Vec::new();
            (character(text, &mut remarks), remarks.len())
        };
        assert_eq!(value("'a'"), (97, 0));
        assert_eq!(value("'\\0'"), (0, 0));
        assert_eq!(value("'\\xff'"), (-1, 0));
        assert_eq!(value("'\\''"), (39, 0));
        assert_eq!(value("'ab'"), (0x6162, 1));
        assert_eq!(value("''"), (0, 1));
        assert_eq!(value("'é'").1, 1);
    }
}
