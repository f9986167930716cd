//! Coverage-guided fuzzing: what a target does with its bytes (`targets`, which `kernels-test/tests/corpus.rs` runs,
//! too), and how bytes become others that are worth a look (`mutators`). What judges a call belongs to `targets`;
//! nothing there may depend on libFuzzer.

pub mod mutators;
pub mod targets;
