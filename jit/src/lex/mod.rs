//! Characters to preprocessing tokens to tokens. Start with `token`. Lexing never fails: bad input is a token of its
//! own kind, and a diagnostic where it matters. Knows nothing of macros or grammar.

pub(crate) mod cursor;
pub mod float;
pub(crate) mod number;
pub(crate) mod raw;
pub(crate) mod string;
pub mod token;
