//! Values as cases write them: lists of numbers of one OpenCL type, made into bytes or compared with bytes.
//!
//! In a list: decimal or 0x numbers (0x gives the bits of a floating-point value), `inf`, `-inf`, `nan`, `min`, `max`
//! (the limits of an integer type), `a..b` (integers from a to b), `v*n` (v, n times). In expected values `nan` is any
//! NaN and `_` is anything.

/// A scalar type of OpenCL C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// An integer type.
    Int {
        /// Size in bytes.
        size: usize,
        /// Its sign.
        sign: Sign,
    },
    /// `half`
    Half,
    /// `float`
    Float,
    /// `double`
    Double,
}

/// Whether an integer type has negative values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// `char`, `short`, `int`, `long`
    Signed,
    /// `uchar`, `ushort`, `uint`, `ulong`
    Unsigned,
}

/// An expected element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Want {
    /// Any value.
    Any,
    /// Any NaN.
    Nan,
    /// These bits.
    Bits(u64),
}

impl Type {
    /// The type with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        use Sign::{Signed, Unsigned};
        Some(match name {
            "char" => Self::Int { size: 1, sign: Signed },
            "uchar" => Self::Int { size: 1, sign: Unsigned },
            "short" => Self::Int { size: 2, sign: Signed },
            "ushort" => Self::Int { size: 2, sign: Unsigned },
            "int" => Self::Int { size: 4, sign: Signed },
            "uint" => Self::Int { size: 4, sign: Unsigned },
            "long" => Self::Int { size: 8, sign: Signed },
            "ulong" => Self::Int { size: 8, sign: Unsigned },
            "half" => Self::Half,
            "float" => Self::Float,
            "double" => Self::Double,
            _ => return None,
        })
    }

    /// Bytes of one value.
    pub fn size(self) -> usize {
        match self {
            Self::Int { size, .. } => size,
            Self::Half => 2,
            Self::Float => 4,
            Self::Double => 8,
        }
    }

    /// Reads a list of expected values.
    pub fn parse(self, list: &str) -> Result<Vec<Want>, String> {
        let mut values = Vec::new();
        for word in list.split_whitespace() {
            if let Some((first, last)) = word.split_once("..") {
                let end = |text: &str| text.parse::<i64>().map_err(|_| format!("`{word}`: not a range"));
                for value in end(first)?..=end(last)? {
                    values.push(self.one(&value.to_string())?);
                }
                continue;
            }
            let (value, count) = match word.split_once('*') {
                Some((value, count)) => (value, count.parse().map_err(|_| format!("`{word}`: not a count"))?),
                None => (word, 1usize),
            };
            let value = self.one(value)?;
            values.extend(std::iter::repeat_n(value, count));
        }
        Ok(values)
    }

    /// The bytes of a list of values to give to a kernel: `nan` is a quiet NaN, `_` zero.
    pub fn bytes(self, values: &[Want]) -> Vec<u8> {
        let nan = match self {
            Self::Int { .. } => 0,
            Self::Half => 0x7e00,
            Self::Float => 0x7fc0_0000,
            Self::Double => 0x7ff8_0000_0000_0000,
        };
        let bits = values.iter().map(|value| match value {
            Want::Any => 0,
            Want::Nan => nan,
            Want::Bits(bits) => *bits,
        });
        bits.flat_map(|bits: u64| bits.to_le_bytes().into_iter().take(self.size())).collect()
    }

    /// The elements in `bytes` in hexadecimal; NaNs are all `nan`, as no machine gives the same.
    pub fn digits(self, bytes: &[u8]) -> impl Iterator<Item = String> {
        bytes.chunks_exact(self.size()).map(bits).map(move |bits| match self {
            Self::Half | Self::Float | Self::Double if self.float(bits).is_nan() => "nan".into(),
            _ => format!("{bits:x}"),
        })
    }

    /// Compares the elements in `bytes` with what was expected, floating point within `ulp`.
    ///
    /// Errors: says which element differs first, and lists all elements.
    pub fn compare(self, bytes: &[u8], wanted: &[Want], ulp: u64) -> Result<(), String> {
        let found: Vec<u64> = bytes.chunks_exact(self.size()).map(bits).collect();
        let differs = |(want, found): (&Want, &u64)| match *want {
            Want::Any => false,
            Want::Nan => !self.float(*found).is_nan(),
            Want::Bits(want) => want != *found && (ulp == 0 || self.distance(want, *found).is_none_or(|d| d > ulp)),
        };
        let Some(at) = wanted.iter().zip(&found).position(differs) else {
            return if wanted.len() == found.len() { Ok(()) } else { Err("a different number of elements".into()) };
        };
        let want = match wanted[at] {
            Want::Any => "_".into(),
            Want::Nan => "nan".into(),
            Want::Bits(bits) => self.show(bits),
        };
        let all: Vec<String> = found.iter().map(|&bits| self.show(bits)).collect();
        Err(format!("element {at} is {}, expected {want}\nall: {}", all[at], all.join(" ")))
    }

    fn one(self, word: &str) -> Result<Want, String> {
        if word == "_" {
            return Ok(Want::Any);
        }
        let bad = || format!("`{word}` is no value of this type");
        let Self::Int { size, sign } = self else {
            if word == "nan" {
                return Ok(Want::Nan);
            }
            if let Some(hex) = word.strip_prefix("0x") {
                return u64::from_str_radix(hex, 16).map(Want::Bits).map_err(|_| bad());
            }
            return Ok(Want::Bits(match self {
                Self::Half => half::f16::from_f64(word.parse().map_err(|_| bad())?).to_bits().into(),
                Self::Float => word.parse::<f32>().map_err(|_| bad())?.to_bits().into(),
                _ => word.parse::<f64>().map_err(|_| bad())?.to_bits(),
            }));
        };
        let n_bits = 8 * size as u32;
        let (min, max) = match sign {
            Sign::Signed => (-(1i128 << (n_bits - 1)), (1i128 << (n_bits - 1)) - 1),
            Sign::Unsigned => (0, (1i128 << n_bits) - 1),
        };
        let (value, max) = match word.strip_prefix("0x") {
            Some(hex) => (i128::from_str_radix(hex, 16).map_err(|_| bad())?, (1i128 << n_bits) - 1),
            None => match word {
                "min" => (min, max),
                "max" => (max, max),
                _ => (word.parse().map_err(|_| bad())?, max),
            },
        };
        if value < min || value > max {
            return Err(bad());
        }
        Ok(Want::Bits(value as u64 & (u64::MAX >> (64 - n_bits))))
    }

    fn float(self, bits: u64) -> f64 {
        match self {
            Self::Int { .. } => bits as f64,
            Self::Half => half::f16::from_bits(bits as u16).to_f64(),
            Self::Float => f32::from_bits(bits as u32).into(),
            Self::Double => f64::from_bits(bits),
        }
    }

    /// How many representable values apart two floating-point numbers are; `None` for integers and NaN.
    fn distance(self, a: u64, b: u64) -> Option<u64> {
        if matches!(self, Self::Int { .. }) || self.float(a).is_nan() || self.float(b).is_nan() {
            return None;
        }
        let sign = 1u64 << (8 * self.size() - 1);
        let order = |bits: u64| if bits & sign == 0 { bits as i64 } else { -((bits & (sign - 1)) as i64) };
        Some(order(a).abs_diff(order(b)))
    }

    fn show(self, bits: u64) -> String {
        match self {
            Self::Int { size, sign: Sign::Signed } => {
                let shift = 64 - 8 * size;
                (((bits << shift) as i64) >> shift).to_string()
            }
            Self::Int { .. } => bits.to_string(),
            Self::Float => format!("{:?}", f32::from_bits(bits as u32)),
            _ => format!("{:?}", self.float(bits)),
        }
    }
}

fn bits(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists() {
        let int = Type::from_name("int").expect("a type");
        let list = int.parse("1..3 min 7*2 _ 0xffffffff").expect("a list");
        assert_eq!(int.bytes(&list).len(), 32);
        assert_eq!(list[3], Want::Bits(0x8000_0000));
        assert_eq!(list[7], Want::Bits(0xffff_ffff));
        assert!(int.parse("2147483648").is_err());
        assert!(int.parse("1.5").is_err());
    }

    #[test]
    fn digits_of_nan_are_alike() {
        let float = Type::from_name("float").expect("a type");
        let bytes = [1.0f32, f32::NAN, -f32::NAN].map(f32::to_le_bytes).concat();
        assert_eq!(float.digits(&bytes).collect::<Vec<_>>(), ["3f800000", "nan", "nan"]);
        let int = Type::from_name("int").expect("a type");
        assert_eq!(int.digits(&bytes).collect::<Vec<_>>(), ["3f800000", "7fc00000", "ffc00000"]);
    }

    #[test]
    fn comparisons() {
        let float = Type::from_name("float").expect("a type");
        let list = float.parse("1 nan 0 _").expect("a list");
        let bytes = |values: [f32; 4]| values.map(f32::to_le_bytes).concat();
        assert!(float.compare(&bytes([1.0, f32::NAN, 0.0, 5.0]), &list, 0).is_ok());
        assert!(float.compare(&bytes([1.0, 1.0, 0.0, 5.0]), &list, 0).is_err());
        assert!(float.compare(&bytes([1.0, f32::NAN, -0.0, 5.0]), &list, 0).is_err());
        let next = f32::from_bits(1f32.to_bits() - 1);
        assert!(float.compare(&bytes([next, f32::NAN, -0.0, 5.0]), &list, 1).is_ok());
        assert!(float.compare(&bytes([next, f32::NAN, -0.0, 5.0]), &list, 0).is_err());
    }
}
