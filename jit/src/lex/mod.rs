//! Characters to preprocessing tokens to tokens. Start with `token`. Lexing never fails: bad input is a token of kind
//! `Error` and a diagnostic. Knows nothing of macros or grammar.

pub mod token;
