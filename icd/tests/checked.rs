//! Kernels with mistakes, and near misses without (`kernels-test/checked`): what `clift run` reports of each with
//! checks, in scalar code and in lanes.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// Values of `CLIFT_ISA` and `CLIFT_FORCE`.
const WAYS: [(&str, &str); 5] =
    [("scalar", ""), ("v128", "width=4"), ("avx2", "width=1"), ("avx2", "width=8"), ("", "")];

/// What a line says that is found there: column, x of the global id, message.
struct Expected {
    line: usize,
    column: String,
    id: String,
    message: String,
}

fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../kernels-test/checked"))
}

fn expected(line: usize, text: &str) -> Option<Expected> {
    let (place, message) = text.split_once("// FIND ")?.1.split_once(": ")?;
    let (column, id) = place.split_once(' ')?;
    let [column, id, message] = [column, id, message].map(str::to_owned);
    Some(Expected { line, column, id, message })
}

/// Kernels with how they are run and what is to be found in each: in the lines from its `RUN` up to the next one, or,
/// if its name does not end in `_not` and there is nothing, in those of the function in front of it.
fn cases(source: &str) -> Vec<(Vec<&str>, Option<Expected>)> {
    let mut cases: Vec<(Vec<&str>, Option<Expected>)> = Vec::new();
    let mut in_front = None;
    for (n, text) in (1..).zip(source.lines()) {
        if let Some(run) = text.strip_prefix("// RUN ") {
            let run: Vec<&str> = run.split_whitespace().collect();
            let has_mistake = !run[0].ends_with("_not");
            cases.push((run, if has_mistake { in_front.take() } else { None }));
        }
        if let Some(found) = expected(n, text) {
            match cases.last_mut() {
                Some((run, of)) if of.is_none() && !run[0].ends_with("_not") => *of = Some(found),
                _ => in_front = Some(found),
            }
        }
    }
    cases
}

#[test]
fn mistakes_are_found_where_they_are_and_nothing_else() {
    let source = fs::read_to_string(folder().join("memory.cl")).expect("kernels");
    let cases = cases(&source);
    let [wrong, right] = [false, true].map(|right| cases.iter().filter(|case| case.1.is_none() == right).count());
    assert!(wrong >= 10 && right >= 10, "{wrong} mistakes, {right} near misses");
    for (isa, force) in WAYS {
        for (run, expected) in &cases {
            let (options, args): (Vec<&str>, Vec<&str>) = run[1..].iter().partition(|arg| arg.starts_with("--"));
            let mut command = Command::new(env!("CARGO_BIN_EXE_clift"));
            command.current_dir(folder()).arg("run").args(options).args(["memory.cl", run[0]]).args(args);
            // Of two groups that run side by side either may be the first.
            command.env("CLIFT_CHECK", "memory").env("CLIFT_FORCE", force).env_remove("CLIFT_CHECK_LOG");
            command.env("CLIFT_THREADS", "1");
            if !isa.is_empty() {
                command.env("CLIFT_ISA", isa);
            }
            let output = command.output().expect("the tool starts");
            let text = String::from_utf8_lossy(&output.stderr);
            let name = format!("{} with `{isa}` `{force}`:\n{text}", run[0]);
            assert!(output.status.success(), "{name}");
            let Some(expected) = expected else {
                assert!(!text.contains("check: memory"), "{name}");
                continue;
            };
            let Expected { line, column, id, message } = expected;
            let head = |message: &str| format!("memory.cl:{line}:{column}: check: memory: {message}\n");
            assert!(message.split(" or ").any(|m| text.starts_with(&head(m))), "{name}\nexpected {message}");
            assert!(text.contains(&format!("\n  work-item: global id ({id}, 0, 0), ")), "{name}");
            assert!(text.contains("clift: check: 1 report"), "{name}");
        }
    }
}
