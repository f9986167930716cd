//! Tests of compiler stages on textual KIR: one file below `filetests/` is one test, its folder says which stage runs.
//!
//! A file holds KIR and, at its end, the expected output as `;= ` lines. `BLESS=1` rewrites those lines. Lines `; …`
//! before them may hold directives. Folders: `text` (read and written), `verify` (errors), `run` (interpreter),
//! `pass/<name>`. OpenCL C, with lines `//= `, is in `source` (diagnostics), `pass/<name>`, `wg/<name>`, `simd/<name>`
//! and `legalize/<name>` (what one pass changes), and `codegen` (machine code).

#[path = "subtest/changes.rs"]
mod changes;
#[path = "subtest/codegen.rs"]
mod codegen;
#[path = "subtest/pass.rs"]
mod pass;
#[path = "subtest/run.rs"]
mod run;
#[path = "subtest/settings.rs"]
mod settings;
#[path = "subtest/source.rs"]
mod source;

use clift_jit::ir::text::parse;
use clift_jit::ir::verify::verify;
use clift_jit::pipeline::{MODULE_PASSES, PASSES};
use libtest_mimic::{Arguments, Failed, Trial};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Folders with a folder for each pass.
const STAGES: [&str; 4] = ["pass", "wg", "simd", "legalize"];

fn main() -> ExitCode {
    let args = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/filetests");
    let mut files = Vec::new();
    collect(&root, &mut files);
    files.sort();
    let trials = files.into_iter().map(|file| {
        let name = file.strip_prefix(&root).unwrap_or(&file).display().to_string();
        let test_name = name.clone();
        // Our own generator is for one architecture only, and Cranelift's IR has instructions of the host.
        let foreign: &[&str] = if cfg!(target_arch = "aarch64") { &["_avx", "_v128"] } else { &["_neon"] };
        let is_foreign = name.starts_with("codegen") && foreign.iter().any(|target| name.contains(target));
        Trial::test(test_name, move || check(&file, &name)).with_ignored_flag(is_foreign)
    });
    let sources = root.join("source");
    let count = Trial::test("source/count", move || {
        let mut files = Vec::new();
        collect(&sources, &mut files);
        let texts: Vec<String> = files.iter().map(fs::read_to_string).collect::<Result<_, _>>()?;
        let n: usize = texts.iter().map(|text| source::count(text)).sum();
        if n >= 400 { Ok(()) } else { Err(format!("only {n} sources").into()) }
    });
    let all = root.clone();
    let folders = Trial::test("every pass has a file", move || {
        let names = PASSES.iter().map(|pass| pass.name).chain(MODULE_PASSES.iter().map(|pass| pass.name));
        let missing: Vec<String> = names.filter_map(|name| lacks(&all, name).transpose()).collect::<Result<_, _>>()?;
        if missing.is_empty() { Ok(()) } else { Err(missing.join("; ").into()) }
    });
    let trials = trials.chain([count, folders]).collect();
    libtest_mimic::run(&args, trials).exit_code()
}

fn collect(dir: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() { collect(&path, out) } else { out.push(path) }
    }
}

/// What a pass's folders lack: one case that shows what it does, and one that it leaves alone. A case is a file of
/// OpenCL C, or a function of KIR. In a file `left` something is left alone that the file tells, where a pass always
/// finds something to do elsewhere.
fn lacks(root: &Path, pass: &str) -> Result<Option<String>, String> {
    let mut files = Vec::new();
    STAGES.iter().for_each(|stage| collect(&root.join(stage).join(pass), &mut files));
    let (mut is_shown, mut is_left) = (false, false);
    for file in files {
        let text = fs::read_to_string(&file).map_err(|e| e.to_string())?;
        let changed = match file.extension() {
            Some(kind) if kind == "cl" => vec![changes::changed_by(pass, &text)? != changes::NO_CHANGE],
            _ => pass::changed_functions(pass, read(&text)?)?,
        };
        is_shown |= changed.contains(&true);
        is_left |= changed.contains(&false) || file.file_stem().is_some_and(|stem| stem == "left");
    }
    Ok(match (is_shown, is_left) {
        (false, _) => Some(format!("no file shows what {pass} does")),
        (true, false) => Some(format!("no file shows what {pass} leaves alone")),
        (true, true) => None,
    })
}

fn check(file: &Path, name: &str) -> Result<(), Failed> {
    let text = fs::read_to_string(file)?;
    let stages: Vec<&str> = name.split(['/', '\\']).collect();
    if let &[stage, pass, _] = &stages[..]
        && STAGES.contains(&stage)
        && name.ends_with(".cl")
    {
        let input: String = text.lines().filter(|l| !l.starts_with("//=")).flat_map(|l| [l, "\n"]).collect();
        return compare(file, &text, &input, "//=", &changes::changed_by(pass, &input)?);
    }
    if let &["codegen", _] = &stages[..] {
        let input: String = text.lines().filter(|l| !l.starts_with("//=")).flat_map(|l| [l, "\n"]).collect();
        return compare(file, &text, &input, "//=", &codegen::code(&input)?);
    }
    if name.ends_with(".cl") {
        return match source::check(&text) {
            Err((_, blessed)) if std::env::var_os("BLESS").is_some() => Ok(fs::write(file, blessed)?),
            Err((wrong, _)) => Err(wrong.into()),
            Ok(()) => Ok(()),
        };
    }
    let input: String = text.lines().filter(|l| !l.starts_with(";=")).flat_map(|l| [l, "\n"]).collect();
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
    compare(file, &text, &input, ";=", &output)
}

/// Compares an output with the lines of a file that begin with `mark`.
fn compare(file: &Path, text: &str, input: &str, mark: &str, output: &str) -> Result<(), Failed> {
    let lines: Vec<String> = output.lines().map(|l| format!("{mark} {l}").trim_end().to_owned()).collect();
    let expected: Vec<&str> = text.lines().filter(|l| l.starts_with(mark)).collect();
    if lines == expected {
        return Ok(());
    }
    if std::env::var_os("BLESS").is_some() {
        fs::write(file, format!("{}\n{}\n", input.trim_end(), lines.join("\n")))?;
        return Ok(());
    }
    Err(format!("expected:\n{}\ngot:\n{output}", expected.join("\n")).into())
}

fn read(input: &str) -> Result<clift_jit::ir::Module, String> {
    parse(input).map_err(|e| e.to_string())
}

/// Panics become messages of the test that caused them, so a broken pass names its file.
#[allow(dead_code, reason = "used by some stages only")]
fn must_verify(module: &clift_jit::ir::Module, when: &str) -> Result<(), String> {
    verify(module).map_err(|e| format!("{when}:\n{e}"))
}
