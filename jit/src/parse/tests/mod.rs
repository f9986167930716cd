//! Tests of the parser: what it accepts and the trees that come out, what it rejects and how it says so, and that no
//! input breaks it.

mod accept;
mod reject;
mod robust;

use crate::ast::{Ast, dump};
use crate::diag::{Diagnostic, Severity};
use crate::pp::Preprocessor;
use crate::session::Session;

/// A parsed text.
struct Parsed {
    session: Session,
    ast: Ast,
}

/// Parses `source` under the build options `options`.
fn parse_with(source: &str, options: &str) -> Parsed {
    let mut session = Session::new(options);
    let tokens = Preprocessor::new(&mut session, source.as_bytes(), &[]).tokens();
    let ast = super::parse(&tokens, &mut session);
    Parsed { session, ast }
}

impl Parsed {
    fn dump(&self) -> String {
        dump::dump(&self.ast, &self.session.interner)
    }

    /// One line per diagnostic and note: `line:column severity: message`.
    fn log(&self) -> String {
        let mut log = String::new();
        for Diagnostic { severity, span, message, notes } in self.session.diags.list() {
            let word = if *severity == Severity::Error { "error" } else { "warning" };
            log += &format!("{} {word}: {message}\n", self.place(span.lo));
            for note in notes {
                log += &format!("{} note: {}\n", self.place(note.span.lo), note.message);
            }
        }
        log
    }

    fn place(&self, pos: u32) -> String {
        let place = self.session.sources.lookup(pos);
        format!("{}:{}", place.line, place.col)
    }
}

/// The tree of a source without mistakes.
fn tree(source: &str) -> String {
    tree_with(source, "-cl-std=CL3.0")
}

fn tree_with(source: &str, options: &str) -> String {
    let parsed = parse_with(source, options);
    assert_eq!(parsed.log(), "", "{source}");
    parsed.dump()
}

/// The tree of an expression without mistakes.
fn expr(source: &str) -> String {
    let parsed = parse_with(&format!("void f() {{ {source}; }}"), "-cl-std=CL3.0");
    assert_eq!(parsed.log(), "", "{source}");
    let dump = parsed.dump();
    let body = dump.strip_prefix("(function f (fn () empty void) { ").and_then(|d| d.strip_suffix(" })\n"));
    body.unwrap_or(&dump).to_owned()
}

/// The diagnostics of a source.
fn log(source: &str) -> String {
    parse_with(source, "-cl-std=CL3.0").log()
}
