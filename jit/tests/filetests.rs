//! Tests of compiler stages on textual KIR: one file below `filetests/` is one test, its folder says which stage runs.
//!
//! A file holds KIR and, at its end, the expected output as `;= ` lines. `BLESS=1` rewrites those lines. Lines `; …` before
//! them may hold directives. Folders: `text` (read and written), `verify` (errors), `run` (interpreter), `pass/<name>`;
//! `source` holds OpenCL C instead.

#[path = "subtest/pass.rs"]
mod pass;
#[path = "subtest/run.rs"]
mod run;
#[path = "subtest/source.rs"]
mod source;

use clift_jit::ir::text::parse;
use clift_jit::ir::verify::verify;
use libtest_mimic::{Arguments, Failed, Trial};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let args = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/filetests");
    let mut files = Vec::new();
    collect(&root, &mut files);
    files.sort();
    let trials = files.into_iter().map(|file| {
        let name = file.strip_prefix(&root).unwrap_or(&file).display().to_string();
        let test_name = name.clone();
        Trial::test(test_name, move || check(&file, &name))
    });
    let sources = root.join("source");
    let count = Trial::test("source/count", move || {
        let mut files = Vec::new();
        collect(&sources, &mut files);
        let texts: Vec<String> = files.iter().map(fs::read_to_string).collect::<Result<_, _>>()?;
        let n: usize = texts.iter().map(|text| source::count(text)).sum();
        if n >= 400 { Ok(()) } else { Err(format!("only {n} sources").into()) }
    });
    let trials = trials.chain([count]).collect();
    libtest_mimic::run(&args, trials).exit_code()
}

fn collect(dir: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() { collect(&path, out) } else { out.push(path) }
    }
}

fn check(file: &Path, name: &str) -> Result<(), Failed> {
    let text = fs::read_to_string(file)?;
    if name.ends_with(".cl") {
        return match source::check(&text) {
            Err((_, blessed)) if std::env::var_os("BLESS").is_some() => Ok(fs::write(file, blessed)?),
            Err((wrong, _)) => Err(wrong.into()),
            Ok(()) => Ok(()),
        };
    }
    let input: String = text.lines().filter(|l| !l.starts_with(";=")).flat_map(|l| [l, "\n"]).collect();
    let expected: String = text
        .lines()
        .filter_map(|l| l.strip_prefix(";="))
        .flat_map(|l| [l.strip_prefix(' ').unwrap_or(l), "\n"])
        .collect();
    let stages: Vec<&str> = name.split(['/', '\\']).collect();
    let output = match stages[..] {
        _ if !name.ends_with(".kir") => return Err(format!("what is {name}?").into()),
        ["text", _] => match parse(&input) {
            Ok(module) => {
                let text = module.to_string();
                let again = parse(&text).map(|m| m.to_string());
                if again.as_ref() != Ok(&text) {
                    return Err(format!("what was written reads differently:\n{text}\n{again:?}").into());
                }
                text
            }
            Err(error) => format!("{error}\n"),
        },
        ["verify", _] => match verify(&read(&input)?) {
            Ok(()) => "no errors\n".into(),
            Err(errors) => errors.to_string(),
        },
        ["run", _] => run::run(&input, read(&input)?)?,
        ["pass", pass, _] => pass::run(pass, &input, read(&input)?)?,
        _ => return Err(format!("no test reads the folder of {name}").into()),
    };
    if output == expected {
        return Ok(());
    }
    if std::env::var_os("BLESS").is_some() {
        let lines: String = output.lines().map(|l| format!(";= {l}").trim_end().to_owned() + "\n").collect();
        fs::write(file, format!("{}\n{lines}", input.trim_end()))?;
        return Ok(());
    }
    Err(format!("expected:\n{expected}\ngot:\n{output}").into())
}

fn read(input: &str) -> Result<clift_jit::ir::Module, String> {
    parse(input).map_err(|e| e.to_string())
}

/// Panics become messages of the test that caused them, so a broken pass names its file.
#[allow(dead_code, reason = "used by some stages only")]
fn must_verify(module: &clift_jit::ir::Module, when: &str) -> Result<(), String> {
    verify(module).map_err(|e| format!("{when}:\n{e}"))
}
