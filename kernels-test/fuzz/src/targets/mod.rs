//! What is done with the bytes of an input, a module per target. A target panics, aborts, takes too long or too much
//! memory if something is wrong, and returns otherwise. No libFuzzer here: tests run the same functions.

pub mod api;
pub mod binary;
#[path = "../../../../icd/tests/common/choices.rs"]
mod choices;
#[path = "../../../../icd/tests/common/mod.rs"]
mod common;
pub mod image;
#[path = "../../../../icd/tests/common/model.rs"]
mod model;
pub mod options;
pub mod source;
pub mod spirv;

/// What a target does with an input; a panic is a finding.
pub type Run = fn(&[u8]);

/// Names and functions of the targets.
pub const TARGETS: [(&str, Run); 6] = [
    ("api", api::run),
    ("binary", binary::run),
    ("image", image::run),
    ("options", options::run),
    ("source", source::run),
    ("spirv", spirv::run),
];
