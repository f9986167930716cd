//! Compares what a launch left in memory with what it left when it was recorded: bit for bit, or, where elements are
//! floats, within a tolerance. The report is for people: how many, where first, how far at most.

use clift_runtime::record::entry::{Arg, Launch, Value};
use half::f16;
use std::fmt;

/// `CL_HALF_FLOAT` and `CL_FLOAT` of images.
const IMAGE_HALF: u32 = 0x10DD;
const IMAGE_FLOAT: u32 = 0x10DE;

/// What elements of memory are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Floats {
    /// 16 bits.
    Half,
    /// 32 bits.
    Float,
    /// 64 bits.
    Double,
}

/// What counts as equal.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tolerance {
    /// Units in the last place.
    pub ulps: u64,
    /// Absolute difference.
    pub absolute: f64,
}

/// How two memories differ.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// Elements, or bytes if nothing is known of elements.
    count: usize,
    of: usize,
    element: &'static str,
    first: usize,
    expected: String,
    got: String,
    /// Of floats: in units in the last place and absolute, and where.
    largest: Option<(u64, f64, usize)>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { count, of, element, first, expected, got, .. } = self;
        write!(f, "{count} of {of} {element} differ, the first at {first}: {expected} was recorded, {got} came")?;
        match self.largest {
            Some((ulps, absolute, at)) if ulps == u64::MAX => {
                write!(f, "; at {at} one of both is no number ({absolute})")
            }
            Some((ulps, absolute, at)) => write!(f, "; the largest difference, at {at}, is {ulps} ulp ({absolute:e})"),
            None => Ok(()),
        }
    }
}

impl Floats {
    fn bytes(self) -> usize {
        match self {
            Self::Half => 2,
            Self::Float => 4,
            Self::Double => 8,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Half => "halves",
            Self::Float => "floats",
            Self::Double => "doubles",
        }
    }

    /// A number, and a place on a line on which neighbours are one apart; none for what is no number.
    fn parse(self, bytes: &[u8]) -> (f64, Option<i128>) {
        let mut whole = [0; 8];
        whole[..bytes.len()].copy_from_slice(bytes);
        let bits = u64::from_le_bytes(whole);
        let (value, sign) = match self {
            Self::Half => (f16::from_bits(bits as u16).to_f64(), 1u64 << 15),
            Self::Float => (f64::from(f32::from_bits(bits as u32)), 1 << 31),
            Self::Double => (f64::from_bits(bits), 1 << 63),
        };
        let size = i128::from(bits & (sign - 1));
        let place = if bits & sign == 0 { size } else { -size };
        (value, (!value.is_nan()).then_some(place))
    }
}

/// What the elements of a memory of a launch are, if they are floats, as the arguments that lead to it say.
pub fn floats(launch: &Launch, memory: usize) -> Option<Floats> {
    let leads_to = |arg: &&Arg| match &arg.value {
        Value::Buffer(view) | Value::Image(view, _) => view.memory as usize == memory,
        Value::Pointer { memory: number, .. } => *number as usize == memory,
        _ => false,
    };
    let of = |arg: &Arg| match &arg.value {
        Value::Image(_, image) => match image.data_type {
            IMAGE_HALF => Some(Floats::Half),
            IMAGE_FLOAT => Some(Floats::Float),
            _ => None,
        },
        _ => match arg.type_name.trim_end_matches(['*', ' ']).trim_end_matches(|c: char| c.is_ascii_digit()) {
            "half" => Some(Floats::Half),
            "float" => Some(Floats::Float),
            "double" => Some(Floats::Double),
            _ => None,
        },
    };
    let args = || launch.args.iter().filter(leads_to);
    let written = args().find(|arg| !arg.is_const);
    written.or_else(|| args().next()).and_then(of)
}

/// How `got` differs from `expected`, which has as many bytes; none if it is equal, as far as the tolerance goes.
pub fn compare(expected: &[u8], got: &[u8], floats: Option<Floats>, tolerance: Tolerance) -> Option<Difference> {
    if expected == got {
        return None;
    }
    let floats = floats.filter(|floats| expected.len().is_multiple_of(floats.bytes()));
    let bytes = floats.map_or(1, Floats::bytes);
    let (mut count, mut first) = (0, None);
    let mut largest: Option<(u64, f64, usize)> = None;
    let pairs = expected.chunks_exact(bytes).zip(got.chunks_exact(bytes)).enumerate();
    for (at, (a, b)) in pairs.filter(|(_, (a, b))| a != b) {
        if let Some(floats) = floats {
            let ((x, x_place), (y, y_place)) = (floats.parse(a), floats.parse(b));
            let (ulps, absolute) = match (x_place, y_place) {
                (None, None) => continue,
                (Some(x_place), Some(y_place)) => ((x_place - y_place).unsigned_abs() as u64, (x - y).abs()),
                _ => (u64::MAX, f64::NAN),
            };
            let is_larger = largest.is_none_or(|(known, ..)| ulps > known);
            let is_bad = !(ulps <= tolerance.ulps || absolute <= tolerance.absolute);
            if is_bad && is_larger {
                largest = Some((ulps, absolute, at));
            }
            if !is_bad {
                continue;
            }
        }
        count += 1;
        first = first.or(Some(at));
    }
    let first = first?;
    let shown = |all: &[u8]| {
        let element = &all[first * bytes..][..bytes];
        match floats {
            Some(floats) => format!("{:?}", floats.parse(element).0),
            None => format!("{:#04x}", element[0]),
        }
    };
    let element = floats.map_or("bytes", Floats::name);
    let (of, expected, got) = (expected.len() / bytes, shown(expected), shown(got));
    Some(Difference { count, of, element, first, expected, got, largest })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[f32]) -> Vec<u8> {
        values.iter().flat_map(|value| value.to_le_bytes()).collect()
    }

    #[test]
    fn bytes_are_compared_exactly() {
        assert_eq!(compare(&[1, 2, 3], &[1, 2, 3], None, Tolerance::default()), None);
        let found = compare(&[1, 2, 3], &[1, 4, 5], None, Tolerance { ulps: 100, absolute: 1e9 }).expect("they differ");
        assert_eq!(found.to_string(), "2 of 3 bytes differ, the first at 1: 0x02 was recorded, 0x04 came");
    }

    #[test]
    fn floats_may_differ_within_the_tolerance() {
        let float = Some(Floats::Float);
        let (a, b) = (of(&[1.0, f32::NAN, 0.0]), of(&[1.000_000_1, -f32::NAN, -0.0]));
        let found = compare(&a, &b, float, Tolerance::default()).expect("one ulp");
        let text = "1 of 3 floats differ, the first at 0: 1.0 was recorded, 1.0000001192092896 came; the largest \
                    difference, at 0, is 1 ulp (1.1920928955078125e-7)";
        assert_eq!(found.to_string(), text);
        assert_eq!(compare(&a, &b, float, Tolerance { ulps: 1, absolute: 0.0 }), None);
        assert_eq!(compare(&a, &b, float, Tolerance { ulps: 0, absolute: 1e-6 }), None);
        // Across zero, and to no number.
        let tiny = of(&[f32::from_bits(1)]);
        let far = compare(&tiny, &of(&[-f32::from_bits(2)]), float, Tolerance::default()).expect("they differ");
        assert_eq!(far.largest.map(|(ulps, ..)| ulps), Some(3));
        let none = compare(&tiny, &of(&[f32::NAN]), float, Tolerance { ulps: 9, absolute: 9.0 }).expect("no number");
        assert_eq!(none.largest.map(|(ulps, ..)| ulps), Some(u64::MAX));
    }
}
