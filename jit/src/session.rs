//! What the stages of one front-end run share. `Session::new` is the preprocessor's, which knows the first names.

use crate::diag::{Diagnostics, Style};
use crate::intern::{Interner, Strings};
use crate::options::Options;
use crate::source::Header;
use crate::source::SourceMap;

/// Sources, names, options and diagnostics of one compilation.
#[derive(Debug, Default)]
pub struct Session {
    /// Source texts and macro expansions.
    pub sources: SourceMap,
    /// Errors and warnings so far.
    pub diags: Diagnostics,
    /// Names.
    pub interner: Interner,
    /// Bytes of string literals.
    pub strings: Strings,
    /// Files that `#include` read from disk, once each.
    pub included: Vec<Header>,
    /// What the options string asks.
    pub options: Options,
}

impl Session {
    /// The build log: all diagnostics as text.
    pub fn log(&self, style: Style) -> String {
        self.diags.render(&self.sources, &self.interner, style)
    }
}
