//! Tests from source text through preprocessor, parser and sema. Each file under `cases/` holds sources and what comes
//! out for them: the HIR of what is accepted, diagnostics of what is not. `BLESS=1` rewrites the outputs.

mod bodies;
mod fuzz;

use super::{Mode, check};
use crate::diag::{Diagnostic, Severity};
use crate::hir::{Unit, dump};
use crate::session::Session;
use std::path::PathBuf;

/// A checked text.
struct Checked {
    session: Session,
    unit: Unit,
}

fn run(source: &str, options: &str, mode: Mode) -> Checked {
    let mut session = Session::new(options);
    let tokens = crate::pp::Preprocessor::new(&mut session, source.as_bytes(), &[]).tokens();
    let ast = crate::parse::parse(&tokens, &mut session);
    let unit = check(&mut session, &ast, mode);
    Checked { session, unit }
}

impl Checked {
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

    /// Diagnostics, then the HIR and the kernels if there is no error.
    fn output(&self) -> String {
        let mut out = self.log();
        if !self.session.diags.has_errors() {
            out += &dump::dump(&self.unit);
            for kernel in self.unit.funcs.values().filter_map(|f| f.kernel.as_ref()) {
                if kernel.args.iter().any(|arg| arg.is_const || arg.is_volatile) || !kernel.attributes.is_empty() {
                    out += &format!(
                        "kernel info {}: {} bytes; {}\n",
                        kernel.name, kernel.arg_block_bytes, kernel.attributes
                    );
                    for arg in &kernel.args {
                        let flags =
                            [(arg.is_const, " const"), (arg.is_restrict, " restrict"), (arg.is_volatile, " volatile")];
                        let flags: String = flags.iter().filter(|f| f.0).map(|f| f.1).collect();
                        out += &format!(
                            "  {} {}: {:?} at {}+{}{flags}\n",
                            arg.type_name, arg.name, arg.kind, arg.offset, arg.size
                        );
                    }
                }
            }
        }
        out
    }
}

/// Compares every case of a file: sources and outputs are separated by `>>>`, cases by `====`.
fn golden(file: &str, mode: Mode) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/sema/tests/cases").join(file);
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    let mut blessed = String::new();
    let mut wrong = String::new();
    let mut count = 0;
    for case in text.split("====\n").filter(|case| !case.trim().is_empty()) {
        let (source, want) = case.split_once(">>>\n").unwrap_or((case, ""));
        let options = source.lines().next().and_then(|line| line.strip_prefix("// options: ")).unwrap_or("");
        let got = run(source, options, mode).output();
        if got != want {
            wrong += &format!("{source}>>> want\n{want}>>> got\n{got}\n");
        }
        blessed += &format!("{}{source}>>>\n{got}", if count == 0 { "" } else { "====\n" });
        count += 1;
    }
    assert!(count > 0, "{file} has no cases");
    if std::env::var_os("BLESS").is_some_and(|v| v == "1") {
        std::fs::write(&path, blessed).expect("the cases can be written");
    } else {
        assert!(wrong.is_empty(), "{file}:\n{wrong}");
    }
}

#[test]
fn accepted_programs() {
    golden("accept.txt", Mode::User);
}

#[test]
fn rejected_programs() {
    golden("reject.txt", Mode::User);
}

#[test]
fn address_spaces() {
    golden("spaces.txt", Mode::User);
}

#[test]
fn atomic_objects() {
    golden("atomics.txt", Mode::User);
}

#[test]
fn initialisers_and_constants() {
    golden("constants.txt", Mode::User);
}

#[test]
fn builtin_calls() {
    golden("builtins.txt", Mode::User);
}

#[test]
fn body_files() {
    golden("body_files.txt", Mode::Builtin);
}
