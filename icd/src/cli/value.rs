//! Kernel arguments as `clift run` takes them: `in:FILE`, `i32:5`, `f32:1,2,3,4`, `local:1024` and so on. Text to
//! values; reads no file.

use super::Result;
use super::sizes::Sizes;
use std::path::PathBuf;

/// One argument.
#[derive(Clone, Debug, PartialEq)]
pub enum Arg {
    /// A buffer with a file's contents.
    In(PathBuf),
    /// A buffer of zeros, written to a file afterwards.
    Out(PathBuf, usize),
    /// A buffer with a file's contents, written to another file afterwards.
    InOut(PathBuf, PathBuf),
    /// A buffer of zeros, printed afterwards.
    Print(Element, usize),
    /// A buffer of zeros.
    Zero(usize),
    /// An image of zeros with four channels, and its size.
    Image(Element, Sizes),
    /// A null buffer.
    Null,
    /// Local memory.
    Local(usize),
    /// A value, with 3-component vectors padded to 4.
    Bytes(Vec<u8>),
}

/// Type of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
}

const ELEMENTS: &[(&str, Element, usize)] = &[
    ("i8", Element::I8, 1),
    ("u8", Element::U8, 1),
    ("i16", Element::I16, 2),
    ("u16", Element::U16, 2),
    ("i32", Element::I32, 4),
    ("u32", Element::U32, 4),
    ("i64", Element::I64, 8),
    ("u64", Element::U64, 8),
    ("f32", Element::F32, 4),
    ("f64", Element::F64, 8),
];

/// What `parse` accepts, for the help text.
pub const HELP: &str = "Arguments, in the kernel's order:
  in:FILE          buffer with the contents of FILE
  out:FILE:BYTES   buffer of BYTES zeros, written to FILE afterwards
  inout:FILE:FILE  buffer with the contents of the first file, written to the second afterwards
  print:TYPE:N     buffer of N zeros, printed afterwards
  zero:BYTES       buffer of BYTES zeros
  image:TYPE:X,Y   image of that size with four channels, all zeros; X or X,Y or X,Y,Z; TYPE is not 64 bits wide
  null             null buffer
  local:BYTES      local memory
  TYPE:V[,V...]    value or vector; TYPE is i8 u8 i16 u16 i32 u32 i64 u64 f32 f64";

impl Element {
    /// Bytes of one element.
    pub fn size(self) -> usize {
        ELEMENTS.iter().find(|row| row.1 == self).map_or(1, |row| row.2)
    }

    /// Bytes of the element that `text` stands for.
    fn encode(self, text: &str) -> Option<Vec<u8>> {
        fn integer(text: &str) -> Option<i128> {
            let (sign, digits) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
            let value = match digits.strip_prefix("0x") {
                Some(hex) => i128::from_str_radix(hex, 16).ok()?,
                None => digits.parse().ok()?,
            };
            Some(sign * value)
        }
        macro_rules! as_integer {
            ($ty:ty) => {
                <$ty>::try_from(integer(text)?).ok()?.to_ne_bytes().to_vec()
            };
        }
        Some(match self {
            Self::I8 => as_integer!(i8),
            Self::U8 => as_integer!(u8),
            Self::I16 => as_integer!(i16),
            Self::U16 => as_integer!(u16),
            Self::I32 => as_integer!(i32),
            Self::U32 => as_integer!(u32),
            Self::I64 => as_integer!(i64),
            Self::U64 => as_integer!(u64),
            Self::F32 => text.parse::<f32>().ok()?.to_ne_bytes().to_vec(),
            Self::F64 => text.parse::<f64>().ok()?.to_ne_bytes().to_vec(),
        })
    }

    /// The element that `bytes`, as many as `size`, stand for.
    pub fn decode(self, bytes: &[u8]) -> String {
        fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
            std::array::from_fn(|idx| bytes.get(idx).copied().unwrap_or_default())
        }
        match self {
            Self::I8 => i8::from_ne_bytes(array(bytes)).to_string(),
            Self::U8 => u8::from_ne_bytes(array(bytes)).to_string(),
            Self::I16 => i16::from_ne_bytes(array(bytes)).to_string(),
            Self::U16 => u16::from_ne_bytes(array(bytes)).to_string(),
            Self::I32 => i32::from_ne_bytes(array(bytes)).to_string(),
            Self::U32 => u32::from_ne_bytes(array(bytes)).to_string(),
            Self::I64 => i64::from_ne_bytes(array(bytes)).to_string(),
            Self::U64 => u64::from_ne_bytes(array(bytes)).to_string(),
            Self::F32 => f32::from_ne_bytes(array(bytes)).to_string(),
            Self::F64 => f64::from_ne_bytes(array(bytes)).to_string(),
        }
    }
}

fn element(name: &str) -> Option<Element> {
    ELEMENTS.iter().find(|row| row.0 == name).map(|row| row.1)
}

/// The argument that `text` stands for.
pub fn parse(text: &str) -> Result<Arg> {
    let bad = || format!("argument `{text}` is not understood; see clift run --help");
    if text == "null" {
        return Ok(Arg::Null);
    }
    let (kind, rest) = text.split_once(':').ok_or_else(bad)?;
    let count = |text: &str| text.parse::<usize>().ok().filter(|&n| n > 0).ok_or_else(bad);
    // Paths may contain colons; what follows the last one is the size, or the other path.
    let pair = || rest.rsplit_once(':').filter(|(a, b)| !a.is_empty() && !b.is_empty()).ok_or_else(bad);
    match kind {
        "in" if !rest.is_empty() => Ok(Arg::In(rest.into())),
        "out" => pair().and_then(|(path, size)| Ok(Arg::Out(path.into(), count(size)?))),
        "inout" => pair().map(|(from, to)| Arg::InOut(from.into(), to.into())),
        "print" => pair().and_then(|(ty, n)| Ok(Arg::Print(element(ty).ok_or_else(bad)?, count(n)?))),
        "zero" => Ok(Arg::Zero(count(rest)?)),
        "image" => pair().and_then(|(ty, size)| Ok(Arg::Image(element(ty).ok_or_else(bad)?, size.parse()?))),
        "local" => Ok(Arg::Local(count(rest)?)),
        _ => {
            let element = element(kind).ok_or_else(bad)?;
            let mut values: Vec<Vec<u8>> =
                rest.split(',').map(|value| element.encode(value.trim()).ok_or_else(bad)).collect::<Result<_>>()?;
            if values.len() == 3 {
                values.push(vec![0; element.size()]);
            }
            if !matches!(values.len(), 1 | 2 | 4 | 8 | 16) {
                return Err(format!("argument `{text}`: a vector has 2, 3, 4, 8 or 16 components"));
            }
            Ok(Arg::Bytes(values.concat()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_understood() {
        assert_eq!(parse("in:a:b"), Ok(Arg::In("a:b".into())));
        assert_eq!(parse("out:a:b:12"), Ok(Arg::Out("a:b".into(), 12)));
        assert_eq!(parse("inout:x:y"), Ok(Arg::InOut("x".into(), "y".into())));
        assert_eq!(parse("print:f32:4"), Ok(Arg::Print(Element::F32, 4)));
        assert_eq!(parse("zero:8"), Ok(Arg::Zero(8)));
        assert_eq!(parse("image:u8:7,5"), Ok(Arg::Image(Element::U8, Sizes(vec![7, 5]))));
        assert_eq!(parse("null"), Ok(Arg::Null));
        assert_eq!(parse("local:64"), Ok(Arg::Local(64)));
        assert_eq!(parse("i32:-5"), Ok(Arg::Bytes((-5i32).to_ne_bytes().to_vec())));
        assert_eq!(parse("u8:0xff"), Ok(Arg::Bytes(vec![255])));
        assert_eq!(parse("i16:1,2,3").map(|arg| matches!(arg, Arg::Bytes(bytes) if bytes.len() == 8)), Ok(true));
    }

    #[test]
    fn nonsense_is_refused() {
        for text in [
            "",
            "x",
            "i32",
            "i32:",
            "i32:x",
            "u8:256",
            "u8:-1",
            "f32:1,2,3,4,5",
            "zero:0",
            "out:a",
            "in:",
            "print:i7:3",
            "image:u8",
            "image:u8:x",
            "image:u8:1,2,3,4",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn elements_survive_a_round_trip() {
        for (text, ty) in [
            ("-3", Element::I8),
            ("65535", Element::U16),
            ("-1.5", Element::F64),
            ("18446744073709551615", Element::U64),
        ] {
            assert_eq!(ty.encode(text).map(|bytes| ty.decode(&bytes)).as_deref(), Some(text));
        }
    }
}
