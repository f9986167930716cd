//! Diagnostics: collecting them, and rendering them into a build log.

mod render;

use crate::intern::Interner;
use crate::source::{SourceMap, Span};

pub use render::excerpt;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// There will be no program.
    Error,
    /// Probably a mistake.
    Warning,
    /// More about the diagnostic in front of it.
    Note,
}

/// A message about the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// Where, or `DUMMY`.
    pub span: Span,
    /// What: one line, starts in lower case, no full stop.
    pub message: String,
    /// More about it.
    pub notes: Vec<Note>,
}

/// A remark that belongs to a diagnostic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Where, or `DUMMY`.
    pub span: Span,
    /// What.
    pub message: String,
}

/// What happens to warnings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Warnings {
    /// They are reported.
    #[default]
    Report,
    /// `-w`: they are dropped.
    Drop,
    /// `-Werror`: they are errors.
    Error,
}

/// How a log looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Style {
    /// Text only: for build logs.
    #[default]
    Plain,
    /// With colours: for terminals.
    Colour,
}

/// All diagnostics of a compilation, in the order in which they were found.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    policy: Warnings,
    n_errors: u32,
    n_warnings: u32,
}

/// A diagnostic that was just added, to add notes to.
#[derive(Debug)]
pub struct Handle<'a> {
    diagnostic: Option<&'a mut Diagnostic>,
}

impl Diagnostics {
    /// After so many errors the rest is dropped, and stages should stop (`is_full`).
    pub const MAX_ERRORS: u32 = 20;
    /// After so many warnings the rest is dropped.
    pub const MAX_WARNINGS: u32 = 100;

    /// Nothing yet; warnings are reported.
    pub fn new() -> Self {
        Self::default()
    }

    /// Says what happens to warnings from now on.
    pub fn set_policy(&mut self, policy: Warnings) {
        self.policy = policy;
    }

    /// Adds an error.
    pub fn error(&mut self, span: Span, message: impl Into<String>) -> Handle<'_> {
        self.n_errors += 1;
        if self.n_errors > Self::MAX_ERRORS {
            return Handle { diagnostic: None };
        }
        self.push(Severity::Error, span, message.into())
    }

    /// Adds a warning (an error under `-Werror`, nothing under `-w`).
    pub fn warning(&mut self, span: Span, message: impl Into<String>) -> Handle<'_> {
        match self.policy {
            Warnings::Drop => Handle { diagnostic: None },
            Warnings::Error => self.error(span, message.into() + " [-Werror]"),
            Warnings::Report => {
                self.n_warnings += 1;
                if self.n_warnings > Self::MAX_WARNINGS {
                    return Handle { diagnostic: None };
                }
                self.push(Severity::Warning, span, message.into())
            }
        }
    }

    /// The diagnostics that are kept.
    pub fn list(&self) -> &[Diagnostic] {
        &self.list
    }

    /// Number of errors, dropped ones too.
    pub fn n_errors(&self) -> u32 {
        self.n_errors
    }

    /// Number of warnings, dropped ones too, without those that became errors.
    pub fn n_warnings(&self) -> u32 {
        self.n_warnings
    }

    /// Whether there is an error.
    pub fn has_errors(&self) -> bool {
        self.n_errors > 0
    }

    /// Whether errors have been dropped, so that looking for more is of no use.
    pub fn is_full(&self) -> bool {
        self.n_errors > Self::MAX_ERRORS
    }

    /// All of them as text; empty if there is nothing to say.
    pub fn render(&self, sources: &SourceMap, names: &Interner, style: Style) -> String {
        render::render(self, sources, names, style)
    }

    fn push(&mut self, severity: Severity, span: Span, message: String) -> Handle<'_> {
        // A type that is looked at twice is told of once.
        if self
            .list
            .last()
            .is_some_and(|last| last.severity == severity && last.span == span && last.message == message)
        {
            return Handle { diagnostic: None };
        }
        self.list.push(Diagnostic { severity, span, message, notes: Vec::new() });
        Handle { diagnostic: self.list.last_mut() }
    }
}

impl Handle<'_> {
    /// Adds a note.
    pub fn note(self, span: Span, message: impl Into<String>) -> Self {
        if let Handle { diagnostic: Some(diagnostic) } = self {
            diagnostic.notes.push(Note { span, message: message.into() });
            return Handle { diagnostic: Some(diagnostic) };
        }
        self
    }
}
