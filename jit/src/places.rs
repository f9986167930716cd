//! Sources that outlive their compilation, so that machine code can be told in lines of theirs, and places for people.
//! Must not know KIR, which refers to places by numbers, or what a source is written in.

use crate::source::{SourceMap, Span};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// A place that people can look up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// The function whose code this is; empty if nobody knows.
    pub function: String,
    /// File name as the source has it, or as `#line` or a module's debug information wants it; may be empty.
    pub file: String,
    /// Line from 1; 0 if nobody knows.
    pub line: u32,
    /// Column from 1, in characters; 0 if nobody knows.
    pub column: u32,
    /// The source's line without its end, if the source is there.
    pub text: Option<String>,
    /// The function belongs to the built-in library, so that its source means nothing to users.
    pub is_library: bool,
}

impl Frame {
    /// True if users have a source that this is in.
    pub fn is_users(&self) -> bool {
        !self.is_library && self.line > 0
    }
}

impl fmt::Display for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)?;
        if self.column > 0 { write!(f, ":{}", self.column) } else { Ok(()) }
    }
}

/// What instructions can come from.
pub trait Source: fmt::Debug + Send + Sync {
    /// Whether code at this place is checked, in a program that is built with checks.
    fn is_checked(&self, _at: Span) -> bool {
        true
    }

    /// Where a span is: the place itself, then, if the source knows that the code came in through calls, those from the
    /// innermost on. Empty if nobody knows. Functions have names as far as the source knows more than KIR.
    fn frames(&self, span: Span) -> Vec<Frame>;
}

/// A source of a module: a number in its `sources`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SourceId(u32);

/// The sources of a module.
#[derive(Clone, Debug, Default)]
pub struct Sources(Vec<Arc<dyn Source>>);

impl SourceId {
    /// Of what has no source.
    pub const NONE: SourceId = SourceId(u32::MAX);
}

impl Sources {
    /// One source, which is number 0: that of functions that say nothing else.
    pub fn one(source: Arc<dyn Source>) -> Self {
        Self(vec![source])
    }
    /// Adds a source that may be there already.
    pub fn add(&mut self, source: &Arc<dyn Source>) -> SourceId {
        let known = self.0.iter().position(|known| Arc::ptr_eq(known, source));
        let at = known.unwrap_or_else(|| {
            self.0.push(source.clone());
            self.0.len() - 1
        });
        SourceId(at as u32)
    }
    /// The source, if there is one.
    pub fn get(&self, id: SourceId) -> Option<&Arc<dyn Source>> {
        self.0.get(id.0 as usize)
    }
}

impl Source for SourceMap {
    fn is_checked(&self, at: Span) -> bool {
        SourceMap::is_checked(self, at)
    }

    /// A macro's text is at the line that uses the macro.
    fn frames(&self, span: Span) -> Vec<Frame> {
        if span.is_dummy() {
            return Vec::new();
        }
        let place = self.lookup(span.lo);
        let text = self.source_line(self.outer(span.lo)).map(|(text, _)| text.to_owned());
        vec![Frame { file: place.file.into(), line: place.line, column: place.col, text, ..Frame::default() }]
    }
}
