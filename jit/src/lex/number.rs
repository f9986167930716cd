//! Values of pp-numbers.

use super::float;
use super::token::{FloatSuffix, IntFlags};

/// What a pp-number is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    Int(u64, IntFlags),
    Float(f64, FloatSuffix),
}

/// The value of a pp-number, or what is wrong with it.
pub(crate) fn parse(text: &str) -> Result<Number, String> {
    let bytes = text.as_bytes();
    let (base, digits_at) = match bytes {
        [b'0', b'x' | b'X', ..] => (16, 2),
        [b'0', b'b' | b'B', ..] => (2, 2),
        _ => (10, 0),
    };
    let mut end = digits_at;
    let mut has_point = false;
    let mut n_digits = 0;
    while let Some(&b) = bytes.get(end) {
        match b {
            b'.' if !has_point && base != 2 => has_point = true,
            b'0'..=b'9' => n_digits += 1,
            b'a'..=b'f' | b'A'..=b'F' if base == 16 => n_digits += 1,
            _ => break,
        }
        end += 1;
    }
    let exponent = matches!((base, bytes.get(end)), (10, Some(b'e' | b'E')) | (16, Some(b'p' | b'P')));
    if n_digits == 0 {
        return Err(match base {
            16 if !has_point && !exponent => format!("invalid suffix '{}' on integer constant", &text[1..]),
            2 => format!("invalid suffix '{}' on integer constant", &text[1..]),
            _ => "floating constant has no digits".into(),
        });
    }
    if has_point || exponent {
        return float_constant(text, base, end, exponent);
    }
    let (base, digits) = match base {
        10 if bytes[0] == b'0' && end > 1 => (8, &bytes[1..end]),
        _ => (base, &bytes[digits_at..end]),
    };
    let suffix = &text[end..];
    let mut flags = match suffix {
        "" => IntFlags::empty(),
        "u" | "U" => IntFlags::UNSIGNED,
        "l" | "L" | "ll" | "LL" => IntFlags::LONG,
        "ul" | "uL" | "Ul" | "UL" | "lu" | "lU" | "Lu" | "LU" | "ull" | "uLL" | "Ull" | "ULL" | "llu" | "llU"
        | "LLu" | "LLU" => IntFlags::UNSIGNED | IntFlags::LONG,
        _ => return Err(format!("invalid suffix '{suffix}' on integer constant")),
    };
    let mut value = 0u64;
    for &b in digits {
        let digit = (b as char).to_digit(16).unwrap_or(0);
        if digit >= base {
            return Err(format!(
                "invalid digit '{}' in {} constant",
                b as char,
                if base == 8 { "octal" } else { "binary" }
            ));
        }
        value = value
            .checked_mul(u64::from(base))
            .and_then(|v| v.checked_add(u64::from(digit)))
            .ok_or("integer constant is too large for any type")?;
    }
    flags.set(IntFlags::DECIMAL, base == 10);
    Ok(Number::Int(value, flags))
}

fn float_constant(text: &str, base: u32, mut end: usize, exponent: bool) -> Result<Number, String> {
    let bytes = text.as_bytes();
    if exponent {
        end += 1;
        if matches!(bytes.get(end), Some(b'+' | b'-')) {
            end += 1;
        }
        let digits = bytes[end..].iter().take_while(|b| b.is_ascii_digit()).count();
        if digits == 0 {
            return Err("exponent has no digits".into());
        }
        end += digits;
    } else if base == 16 {
        return Err("hexadecimal floating constant requires an exponent".into());
    }
    let suffix = match &text[end..] {
        "" => FloatSuffix::None,
        "f" | "F" => FloatSuffix::Float,
        "h" | "H" => FloatSuffix::Half,
        "l" | "L" => FloatSuffix::Long,
        other => return Err(format!("invalid suffix '{other}' on floating constant")),
    };
    let digits = &text[..end];
    // The standard library rounds correctly, and faster.
    let value =
        if base == 16 { float::to_f64(digits) } else { digits.parse().unwrap_or_else(|_| float::to_f64(digits)) };
    Ok(Number::Float(value, suffix))
}

#[cfg(test)]
mod tests {
    use super::{Number, parse};
    use crate::lex::token::{FloatSuffix, IntFlags};

    #[test]
    fn integers() {
        let none = IntFlags::empty();
        let (u, l, d) = (IntFlags::UNSIGNED, IntFlags::LONG, IntFlags::DECIMAL);
        for (text, value, flags) in [
            ("0", 0, d),
            ("42", 42, d),
            ("42u", 42, d | u),
            ("1ULL", 1, d | u | l),
            ("1lu", 1, d | u | l),
            ("9L", 9, d | l),
            ("0777", 0o777, none),
            ("0xFFu", 255, u),
            ("0xffffffffffffffff", u64::MAX, none),
            ("0b101", 5, none),
            ("18446744073709551615", u64::MAX, d),
            ("00", 0, none),
        ] {
            assert_eq!(parse(text), Ok(Number::Int(value, flags)), "{text}");
        }
    }

    #[test]
    fn floats() {
        for (text, value, suffix) in [
            ("1.0", 1.0, FloatSuffix::None),
            (".5f", 0.5, FloatSuffix::Float),
            ("1.F", 1.0, FloatSuffix::Float),
            ("1e3", 1000.0, FloatSuffix::None),
            ("1.5e-3h", 0.0015, FloatSuffix::Half),
            ("0x1.8p1", 3.0, FloatSuffix::None),
            ("0x1p-2f", 0.25, FloatSuffix::Float),
            ("2.0L", 2.0, FloatSuffix::Long),
            ("09.5", 9.5, FloatSuffix::None),
        ] {
            assert_eq!(parse(text), Ok(Number::Float(value, suffix)), "{text}");
        }
    }

    #[test]
    fn mistakes_are_named() {
        for (text, message) in [
            ("1x", "invalid suffix 'x' on integer constant"),
            ("1f", "invalid suffix 'f' on integer constant"),
            ("0x", "invalid suffix 'x' on integer constant"),
            ("089", "invalid digit '8' in octal constant"),
            ("0b12", "invalid digit '2' in binary constant"),
            ("1lL", "invalid suffix 'lL' on integer constant"),
            ("18446744073709551616", "integer constant is too large for any type"),
            ("1e", "exponent has no digits"),
            ("1e+", "exponent has no digits"),
            ("0x1.0", "hexadecimal floating constant requires an exponent"),
            ("1.0g", "invalid suffix 'g' on floating constant"),
            ("1.2.3", "invalid suffix '.3' on floating constant"),
            ("0x.p1", "floating constant has no digits"),
            ("0xe+1", "invalid suffix '+1' on integer constant"),
        ] {
            assert_eq!(parse(text), Err(message.to_owned()), "{text}");
        }
    }
}
