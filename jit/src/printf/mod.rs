//! `printf`: reading formats, and turning packed arguments into text. Used by sema (which checks formats), by the
//! interpreter and by generated code through `output::call`. Formatting is our own and exact: the host's printf knows
//! no vectors and follows the host program's locale.
//!
//! A call is packed as three things: the format; the argument types as bytes, one `Kind::code` and one lane count per
//! argument, ended by 0; the arguments, each at the next multiple of 8 bytes. The types are those that the arguments
//! have, not those that the format asks for, so that a wrong format prints nonsense but reads nothing that is not
//! there. Spec: OpenCL C, "printf".

mod float;
pub mod output;

/// Type of a packed argument's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the types themselves")]
pub enum Kind {
    I8,
    I16,
    I32,
    I64,
    F16,
    F32,
    F64,
    Pointer,
}

impl Kind {
    const ALL: [Kind; 8] = [Self::I8, Self::I16, Self::I32, Self::I64, Self::F16, Self::F32, Self::F64, Self::Pointer];

    /// Its byte in the list of types.
    pub fn code(self) -> u8 {
        self as u8 + 1
    }

    /// Bytes of one element.
    pub fn bytes(self) -> usize {
        match self {
            Self::I8 => 1,
            Self::I16 | Self::F16 => 2,
            Self::I32 | Self::F32 => 4,
            Self::I64 | Self::F64 | Self::Pointer => 8,
        }
    }

    /// As OpenCL C calls it.
    fn name(self) -> &'static str {
        match self {
            Self::I8 => "char",
            Self::I16 => "short",
            Self::I32 => "int",
            Self::I64 => "long",
            Self::F16 => "half",
            Self::F32 => "float",
            Self::F64 => "double",
            Self::Pointer => "pointer",
        }
    }

    fn is_float(self) -> bool {
        matches!(self, Self::F16 | Self::F32 | Self::F64)
    }
}

/// Alignment of each packed argument.
pub const ARG_ALIGN: usize = 8;

/// Kind, lanes and byte offset of each argument, from the list of types; stops at what is no type.
pub fn layout(types: &[u8]) -> (Vec<(Kind, usize, usize)>, usize) {
    let (mut args, mut end) = (Vec::new(), 0usize);
    for pair in types.chunks_exact(2) {
        let Some(&kind) = usize::from(pair[0]).checked_sub(1).and_then(|n| Kind::ALL.get(n)) else { break };
        let lanes = usize::from(pair[1]);
        args.push((kind, lanes, end));
        end += (kind.bytes() * lanes).next_multiple_of(ARG_ALIGN);
    }
    (args, end)
}

/// What a conversion makes of its argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conversion {
    /// `d` `i`
    Signed,
    /// `o` `u` `x` `X`: base and case.
    Unsigned(Radix),
    /// `f` `F` `e` `E` `g` `G` `a` `A`
    Float(FloatStyle),
    /// `c`
    Char,
    /// `s`
    String,
    /// `p`
    Pointer,
}

/// Base of an unsigned conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the usual names")]
pub enum Radix {
    Octal,
    Decimal,
    Hex,
}

/// Style of a float conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "named by their letters")]
pub enum FloatStyle {
    F,
    E,
    G,
    A,
}

/// Length modifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// None.
    Default,
    /// `hh`
    Hh,
    /// `h`
    H,
    /// `hl`
    Hl,
    /// `l`
    L,
    /// `z` and `t`, of OpenCL C 3.1: 64 bits.
    Size,
    /// Another language's, which means 64 bits here: `ll` `j`, `L` for floats.
    Foreign,
}

/// A conversion specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spec {
    /// Byte range in the format.
    pub start: usize,
    /// See `start`.
    pub end: usize,
    /// `-`
    pub left: bool,
    /// `+`
    pub plus: bool,
    /// Space.
    pub space: bool,
    /// `#`
    pub alternative: bool,
    /// `0`
    pub zero: bool,
    /// Field width.
    pub width: usize,
    /// Precision.
    pub precision: Option<usize>,
    /// Lanes of a vector specifier.
    pub vector: Option<u8>,
    /// Length modifier.
    pub length: Length,
    /// What.
    pub conversion: Conversion,
    /// Written with an upper-case letter.
    pub upper: bool,
}

/// Part of a format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece<'f> {
    /// Text to copy; `%%` is a piece of its own.
    Text(&'f [u8]),
    /// A conversion.
    Convert(Spec),
    /// Text from a `%` on that is no conversion, and why.
    Bad {
        /// Byte range in the format.
        start: usize,
        /// See `start`.
        end: usize,
        /// A message without a subject, e.g. "invalid conversion specifier 'y'".
        message: String,
    },
}

/// What `%s` prints for an argument that is no string of the program's data.
const NO_STRING: &[u8] = b"(invalid)";

/// Wider fields and more digits are refused.
const MAX_WIDTH: usize = 65_535;

/// Splits a format into its pieces.
pub fn pieces(format: &[u8]) -> impl Iterator<Item = Piece<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = format.get(at..).filter(|rest| !rest.is_empty())?;
        let start = at;
        if rest[0] != b'%' {
            let len = rest.iter().position(|&b| b == b'%').unwrap_or(rest.len());
            at += len;
            return Some(Piece::Text(&rest[..len]));
        }
        if rest.get(1) == Some(&b'%') {
            at += 2;
            return Some(Piece::Text(b"%"));
        }
        let mut cursor = Cursor { format, at: start + 1 };
        let spec = cursor.spec(start);
        at = cursor.at;
        Some(match spec {
            Ok(spec) => Piece::Convert(spec),
            Err(message) => Piece::Bad { start, end: at, message },
        })
    })
}

struct Cursor<'f> {
    format: &'f [u8],
    at: usize,
}

impl Cursor<'_> {
    fn peek(&self) -> Option<u8> {
        self.format.get(self.at).copied()
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.format[self.at.min(self.format.len())..].starts_with(text.as_bytes());
        if found {
            self.at += text.len();
        }
        found
    }

    fn number(&mut self) -> Result<Option<usize>, String> {
        let digits = self.format[self.at.min(self.format.len())..].iter().take_while(|b| b.is_ascii_digit()).count();
        let text = &self.format[self.at..self.at + digits];
        self.at += digits;
        if digits == 0 {
            return Ok(None);
        }
        let value = text.iter().try_fold(0usize, |n, b| n.checked_mul(10)?.checked_add(usize::from(b - b'0')));
        match value.filter(|&n| n <= MAX_WIDTH) {
            Some(n) => Ok(Some(n)),
            None => Err(format!("field width or precision is greater than {MAX_WIDTH}")),
        }
    }

    fn spec(&mut self, start: usize) -> Result<Spec, String> {
        let mut spec = Spec {
            start,
            end: start,
            left: false,
            plus: false,
            space: false,
            alternative: false,
            zero: false,
            width: 0,
            precision: None,
            vector: None,
            length: Length::Default,
            conversion: Conversion::Signed,
            upper: false,
        };
        while let Some(flag) = self.peek() {
            match flag {
                b'-' => spec.left = true,
                b'+' => spec.plus = true,
                b' ' => spec.space = true,
                b'#' => spec.alternative = true,
                b'0' => spec.zero = true,
                _ => break,
            }
            self.at += 1;
        }
        if self.peek() == Some(b'*') {
            self.at += 1;
            return Err("field width '*' is not supported in OpenCL C".into());
        }
        spec.width = self.number()?.unwrap_or(0);
        if self.eat(".") {
            if self.peek() == Some(b'*') {
                self.at += 1;
                return Err("precision '*' is not supported in OpenCL C".into());
            }
            spec.precision = Some(self.number()?.unwrap_or(0));
        }
        if self.eat("v") {
            match self.number()? {
                Some(n @ (2 | 3 | 4 | 8 | 16)) => spec.vector = Some(n as u8),
                Some(n) => return Err(format!("invalid vector size {n}: 2, 3, 4, 8 or 16 expected")),
                None => return Err("vector specifier 'v' without a size".into()),
            }
        }
        let lengths = [
            ("hh", Length::Hh),
            ("hl", Length::Hl),
            ("h", Length::H),
            ("ll", Length::Foreign),
            ("l", Length::L),
            ("z", Length::Size),
            ("t", Length::Size),
            ("j", Length::Foreign),
            ("L", Length::Foreign),
        ];
        if let Some(&(_, length)) = lengths.iter().find(|(text, _)| self.eat(text)) {
            spec.length = length;
        }
        let Some(letter) = self.peek() else { return Err("incomplete conversion specifier".into()) };
        self.at += 1;
        spec.end = self.at;
        spec.upper = letter.is_ascii_uppercase();
        spec.conversion = match letter {
            b'd' | b'i' => Conversion::Signed,
            b'o' => Conversion::Unsigned(Radix::Octal),
            b'u' => Conversion::Unsigned(Radix::Decimal),
            b'x' | b'X' => Conversion::Unsigned(Radix::Hex),
            b'f' | b'F' => Conversion::Float(FloatStyle::F),
            b'e' | b'E' => Conversion::Float(FloatStyle::E),
            b'g' | b'G' => Conversion::Float(FloatStyle::G),
            b'a' | b'A' => Conversion::Float(FloatStyle::A),
            b'c' => Conversion::Char,
            b's' => Conversion::String,
            b'p' => Conversion::Pointer,
            b'n' => return Err("conversion specifier 'n' is not supported in OpenCL C".into()),
            _ => {
                // A whole character of the source.
                while self.peek().is_some_and(|b| b & 0xc0 == 0x80) {
                    self.at += 1;
                }
                let text = String::from_utf8_lossy(&self.format[spec.end - 1..self.at]).into_owned();
                return Err(format!("invalid conversion specifier '{text}'"));
            }
        };
        Ok(spec)
    }
}

/// Formats a call into `out`. `string` reads the bytes of a string before its end from an address, at most so many;
/// `None` if there is none. Parts of the format that are wrong or without arguments are copied as they are, arguments
/// that do not fit are converted somehow.
///
/// # Errors
/// What was wrong first.
pub fn format(
    out: &mut Vec<u8>,
    format: &[u8],
    types: &[u8],
    args: &[u8],
    string: &dyn Fn(u64, usize) -> Option<Vec<u8>>,
) -> Result<(), Wrong> {
    let (layout, _) = layout(types);
    let mut next = layout.into_iter();
    let mut result = Ok(());
    for piece in pieces(format) {
        match piece {
            Piece::Text(text) => out.extend_from_slice(text),
            Piece::Bad { start, end, message } => {
                out.extend_from_slice(&format[start..end]);
                result = result.and(Err(Wrong(message)));
            }
            Piece::Convert(spec) => {
                let written = &format[spec.start..spec.end];
                let Some((kind, lanes, at)) = next.next() else {
                    out.extend_from_slice(written);
                    result = result.and(Err(Wrong::no_argument(written)));
                    continue;
                };
                if !fits(&spec, kind, lanes) {
                    result = result.and(Err(Wrong::argument(written, kind, lanes)));
                }
                for lane in 0..lanes {
                    if lane > 0 {
                        out.push(b',');
                    }
                    let at = at + lane * kind.bytes();
                    let mut word = [0; 8];
                    if let Some(bytes) = args.get(at..at + kind.bytes()) {
                        word[..bytes.len()].copy_from_slice(bytes);
                    }
                    if !convert(out, &spec, kind, u64::from_le_bytes(word), string) {
                        result = result.and(Err(Wrong::no_string(written)));
                    }
                }
            }
        }
    }
    result
}

/// What is wrong with a format or its arguments, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong(pub String);

impl Wrong {
    fn no_argument(written: &[u8]) -> Self {
        Self(format!("there is no argument for '{}'", String::from_utf8_lossy(written)))
    }

    fn argument(written: &[u8], kind: Kind, lanes: usize) -> Self {
        let lanes = if lanes == 1 { String::new() } else { lanes.to_string() };
        Self(format!("'{}' does not go with '{}{lanes}'", String::from_utf8_lossy(written), kind.name()))
    }

    fn no_string(written: &[u8]) -> Self {
        Self(format!("the argument of '{}' is no string of the program", String::from_utf8_lossy(written)))
    }
}

/// True if a conversion is for arguments of this type, as they are passed.
pub(crate) fn fits(spec: &Spec, kind: Kind, lanes: usize) -> bool {
    if lanes != usize::from(spec.vector.unwrap_or(1)) {
        return false;
    }
    let is_long = matches!(spec.length, Length::L | Length::Size | Length::Foreign);
    match (spec.conversion, spec.vector) {
        (Conversion::Pointer | Conversion::String, _) => kind == Kind::Pointer,
        (Conversion::Float(_), None) => kind.is_float(),
        (Conversion::Float(_), Some(_)) => match spec.length {
            Length::H => kind == Kind::F16,
            Length::Hl => kind == Kind::F32,
            // Not OpenCL C's, but it is understood.
            Length::Default => kind.is_float(),
            _ => kind == Kind::F64,
        },
        (Conversion::Signed | Conversion::Unsigned(_), _) if is_long => kind == Kind::I64,
        (Conversion::Signed | Conversion::Unsigned(_), Some(_)) => match spec.length {
            Length::Hh => kind == Kind::I8,
            Length::H => kind == Kind::I16,
            _ => kind == Kind::I32,
        },
        (Conversion::Signed | Conversion::Unsigned(_) | Conversion::Char, _) => {
            matches!(kind, Kind::I8 | Kind::I16 | Kind::I32)
        }
    }
}

/// One value; false if it should have been a string and is none.
fn convert(
    out: &mut Vec<u8>,
    spec: &Spec,
    kind: Kind,
    bits: u64,
    string: &dyn Fn(u64, usize) -> Option<Vec<u8>>,
) -> bool {
    match spec.conversion {
        Conversion::Signed => {
            let value = as_signed(kind, bits);
            let value = match spec.length {
                Length::Hh => i64::from(value as i8),
                Length::H => i64::from(value as i16),
                _ => value,
            };
            let digits = integer_digits(spec, value.unsigned_abs(), Radix::Decimal);
            pad(out, spec, sign(spec, value < 0), &digits, spec.precision.is_none());
        }
        Conversion::Unsigned(radix) => {
            let value = match (kind.is_float(), spec.length) {
                (true, _) => as_signed(kind, bits) as u64,
                (false, Length::Hh) => u64::from(bits as u8),
                (false, Length::H) => u64::from(bits as u16),
                _ => bits,
            };
            let mut digits = integer_digits(spec, value, radix);
            if spec.alternative && radix == Radix::Octal && !digits.starts_with("0") {
                digits.insert(0, '0');
            }
            let prefix = match (spec.alternative && radix == Radix::Hex && value != 0, spec.upper) {
                (true, false) => "0x",
                (true, true) => "0X",
                _ => "",
            };
            pad(out, spec, prefix, &digits, spec.precision.is_none());
        }
        Conversion::Float(style) => {
            let value = as_float(kind, bits);
            let text = float::digits(value.abs(), style, spec);
            let mut prefix = sign(spec, value.is_sign_negative()).to_owned();
            if style == FloatStyle::A && value.is_finite() {
                prefix.push_str(if spec.upper { "0X" } else { "0x" });
            }
            pad(out, spec, &prefix, &text, value.is_finite());
        }
        Conversion::Char => pad_bytes(out, spec, &[as_signed(kind, bits) as u8]),
        Conversion::Pointer => pad(out, spec, "", &format!("{bits:#x}"), false),
        Conversion::String => {
            let most = spec.precision.unwrap_or(usize::MAX);
            let text = match (kind, bits) {
                (Kind::Pointer, 0) => Some(b"(null)".to_vec()),
                (Kind::Pointer, _) => string(bits, most),
                _ => None,
            };
            let is_string = text.is_some();
            let mut text = text.unwrap_or_else(|| NO_STRING.to_vec());
            text.truncate(most);
            pad_bytes(out, spec, &text);
            return is_string;
        }
    }
    true
}

/// An integer by its own sign, a float's integral part.
fn as_signed(kind: Kind, bits: u64) -> i64 {
    match kind {
        Kind::I8 => i64::from(bits as i8),
        Kind::I16 => i64::from(bits as i16),
        Kind::I32 => i64::from(bits as i32),
        Kind::I64 | Kind::Pointer => bits as i64,
        Kind::F16 | Kind::F32 | Kind::F64 => as_float(kind, bits) as i64,
    }
}

fn as_float(kind: Kind, bits: u64) -> f64 {
    match kind {
        Kind::F16 => half::f16::from_bits(bits as u16).to_f64(),
        Kind::F32 => f64::from(f32::from_bits(bits as u32)),
        Kind::F64 => f64::from_bits(bits),
        _ => as_signed(kind, bits) as f64,
    }
}

fn sign(spec: &Spec, negative: bool) -> &'static str {
    match (negative, spec.plus, spec.space) {
        (true, ..) => "-",
        (false, true, _) => "+",
        (false, false, true) => " ",
        _ => "",
    }
}

/// Digits, at least as many as the precision says; zero with precision 0 has none.
fn integer_digits(spec: &Spec, value: u64, radix: Radix) -> String {
    let precision = spec.precision.unwrap_or(1);
    if value == 0 && precision == 0 {
        return String::new();
    }
    match (radix, spec.upper) {
        (Radix::Octal, _) => format!("{value:0precision$o}"),
        (Radix::Decimal, _) => format!("{value:0precision$}"),
        (Radix::Hex, false) => format!("{value:0precision$x}"),
        (Radix::Hex, true) => format!("{value:0precision$X}"),
    }
}

/// Writes prefix and digits in the field; `zeros`: the `0` flag counts.
fn pad(out: &mut Vec<u8>, spec: &Spec, prefix: &str, digits: &str, zeros: bool) {
    let fill = spec.width.saturating_sub(prefix.len() + digits.len());
    if spec.zero && zeros && !spec.left {
        out.extend_from_slice(prefix.as_bytes());
        out.extend(std::iter::repeat_n(b'0', fill));
        out.extend_from_slice(digits.as_bytes());
        return;
    }
    let mut whole = prefix.as_bytes().to_vec();
    whole.extend_from_slice(digits.as_bytes());
    pad_bytes(out, spec, &whole);
}

fn pad_bytes(out: &mut Vec<u8>, spec: &Spec, text: &[u8]) {
    let fill = spec.width.saturating_sub(text.len());
    let (before, after) = if spec.left { (0, fill) } else { (fill, 0) };
    out.extend(std::iter::repeat_n(b' ', before));
    out.extend_from_slice(text);
    out.extend(std::iter::repeat_n(b' ', after));
}

#[cfg(test)]
mod tests;
