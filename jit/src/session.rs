//! What the stages of one front-end run share.

use crate::diag::{Diagnostics, Style};
use crate::intern::Interner;
use crate::lex::token::Strings;
use crate::options::Options;
use crate::pp::predefined;
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
    /// A session for `clBuildProgram` options `options`. Mistakes in them are errors in `diags`: then the build must end
    /// with `BuildError::Options`.
    pub fn new(options: &str) -> Self {
        let mut session = Self { interner: predefined::interner(), ..Self::default() };
        session.options = Options::parse(options, &mut session.sources, &mut session.diags);
        session.diags.set_policy(session.options.warnings);
        session
    }

    /// The build log: all diagnostics as text.
    pub fn log(&self, style: Style) -> String {
        self.diags.render(&self.sources, &self.interner, style)
    }
}
