//! Support for tests that see Clift only through the C API.
//!
//! Start at `host` for the calls that a test makes, at `case` for the directives of `cases/**/*.cl`.

pub mod case;
pub mod host;
pub mod loader;
pub mod value;
