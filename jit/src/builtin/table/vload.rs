//! Vector data load and store functions.

use crate::builtin::{Body, Elem, Elems, Pat, Quals, Row, Spaces, Special, Widths};
use crate::ir::op::Rounding;

const T: Pat = Pat::T;
const E: Pat = Pat::E;
const HALF_ELEM: Pat = Pat::S(Elem::Half);
const SIZE: Pat = Pat::S(Elem::ULong);
const TITLE: &str = "Vector Data Load and Store Functions";
const FROM: Pat = Pat::Ptr(&E, Spaces::READABLE, Quals::CONST);
const TO: Pat = Pat::Ptr(&E, Spaces::WRITABLE, Quals::empty());
const FROM_HALF: Pat = Pat::Ptr(&HALF_ELEM, Spaces::READABLE, Quals::CONST);
const TO_HALF: Pat = Pat::Ptr(&HALF_ELEM, Spaces::WRITABLE, Quals::empty());

const fn load(name: &'static str, width: Widths) -> Row {
    Row::new(name, Elems::ALL, width, T, &[SIZE, FROM], Body::Special(Special::Vload)).cite(TITLE)
}

const fn store(name: &'static str, width: Widths) -> Row {
    Row::new(name, Elems::ALL, width, Pat::Void, &[T, SIZE, TO], Body::Special(Special::Vstore)).cite(TITLE)
}

/// `vloadn`.
pub static LOAD: &[Row] = &[
    load("vload2", Widths::W2),
    load("vload3", Widths::W3),
    load("vload4", Widths::W4),
    load("vload8", Widths::W8),
    load("vload16", Widths::W16),
];

/// `vstoren`.
pub static STORE: &[Row] = &[
    store("vstore2", Widths::W2),
    store("vstore3", Widths::W3),
    store("vstore4", Widths::W4),
    store("vstore8", Widths::W8),
    store("vstore16", Widths::W16),
];

const fn load_half(name: &'static str, width: Widths, what: Special) -> Row {
    Row::new(name, Elems::FLOAT, width, T, &[SIZE, FROM_HALF], Body::Special(what)).cite(TITLE)
}

const fn store_half(name: &'static str, width: Widths, what: Special) -> Row {
    Row::new(name, Elems::FD, width, Pat::Void, &[T, SIZE, TO_HALF], Body::Special(what)).cite(TITLE)
}

/// Expands to every width and rounding of the half stores and loads.
macro_rules! half_rows {
    ($(($suffix:literal, $width:ident)),*) => {
        &[
            load_half("vload_half", Widths::W1, Special::VloadHalf { aligned: false }),
            $(load_half(concat!("vload_half", $suffix), Widths::$width, Special::VloadHalf { aligned: false }),)*
            load_half("vloada_half", Widths::W1, Special::VloadHalf { aligned: true }),
            $(load_half(concat!("vloada_half", $suffix), Widths::$width, Special::VloadHalf { aligned: true }),)*
            half_rows!(@store "vstore_half", W1, false, None), half_rows!(@store "vstore_half_rte", W1, false, Some(Rounding::Rte)),
            half_rows!(@store "vstore_half_rtz", W1, false, Some(Rounding::Rtz)), half_rows!(@store "vstore_half_rtp", W1, false, Some(Rounding::Rtp)),
            half_rows!(@store "vstore_half_rtn", W1, false, Some(Rounding::Rtn)),
            half_rows!(@store "vstorea_half", W1, true, None), half_rows!(@store "vstorea_half_rte", W1, true, Some(Rounding::Rte)),
            half_rows!(@store "vstorea_half_rtz", W1, true, Some(Rounding::Rtz)), half_rows!(@store "vstorea_half_rtp", W1, true, Some(Rounding::Rtp)),
            half_rows!(@store "vstorea_half_rtn", W1, true, Some(Rounding::Rtn)),
            $(
                half_rows!(@store concat!("vstore_half", $suffix), $width, false, None),
                half_rows!(@store concat!("vstore_half", $suffix, "_rte"), $width, false, Some(Rounding::Rte)),
                half_rows!(@store concat!("vstore_half", $suffix, "_rtz"), $width, false, Some(Rounding::Rtz)),
                half_rows!(@store concat!("vstore_half", $suffix, "_rtp"), $width, false, Some(Rounding::Rtp)),
                half_rows!(@store concat!("vstore_half", $suffix, "_rtn"), $width, false, Some(Rounding::Rtn)),
                half_rows!(@store concat!("vstorea_half", $suffix), $width, true, None),
                half_rows!(@store concat!("vstorea_half", $suffix, "_rte"), $width, true, Some(Rounding::Rte)),
                half_rows!(@store concat!("vstorea_half", $suffix, "_rtz"), $width, true, Some(Rounding::Rtz)),
                half_rows!(@store concat!("vstorea_half", $suffix, "_rtp"), $width, true, Some(Rounding::Rtp)),
                half_rows!(@store concat!("vstorea_half", $suffix, "_rtn"), $width, true, Some(Rounding::Rtn)),
            )*
        ]
    };
    (@store $name:expr, $width:ident, $aligned:literal, $rounding:expr) => {
        store_half($name, Widths::$width, Special::VstoreHalf { aligned: $aligned, rounding: $rounding })
    };
}

/// `vload_half…`, `vloada_half…`, `vstore_half…`, `vstorea_half…`.
pub static HALF: &[Row] = half_rows!(("2", W2), ("3", W3), ("4", W4), ("8", W8), ("16", W16));
