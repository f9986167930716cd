//! The names of the family `convert_<type>[_sat][_rounding]`, which has no rows.
//! Spec: OpenCL C, "Explicit Conversions".

use super::sig::{Elem, Widths};
use crate::ir::op::Rounding;

/// What a function of the family does with a number of as many components.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conversion {
    /// Element type of the result.
    pub elem: Elem,
    /// Its components.
    pub width: u8,
    /// `_sat`
    pub saturates: bool,
    /// `_rte` and its kin.
    pub rounding: Option<Rounding>,
}

impl Conversion {
    /// The conversion of this name.
    pub fn named(name: &str) -> Option<Self> {
        let mut rest = name.strip_prefix("convert_")?;
        let mut rounding = None;
        for (suffix, mode) in
            [("_rte", Rounding::Rte), ("_rtz", Rounding::Rtz), ("_rtp", Rounding::Rtp), ("_rtn", Rounding::Rtn)]
        {
            if let Some(before) = rest.strip_suffix(suffix) {
                (rest, rounding) = (before, Some(mode));
                break;
            }
        }
        let narrowed = rest.strip_suffix("_sat");
        let (rest, saturates) = (narrowed.unwrap_or(rest), narrowed.is_some());
        let (elem, width) = Elem::ALL.into_iter().find_map(|elem| {
            let digits = rest.strip_prefix(elem.name())?;
            let width = Widths::LIST.into_iter().find(|width| *width > 1 && width.to_string() == digits);
            if digits.is_empty() { Some((elem, 1)) } else { width.map(|width| (elem, width)) }
        })?;
        (!saturates || !elem.is_float()).then_some(Self { elem, width, saturates, rounding })
    }
}
