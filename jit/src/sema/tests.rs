//! Tests from source text through preprocessor, parser and sema.
