//! Runs every `cases/**/*.cl`, or those of the folder that `CLIFT_CASES` names, as one test: what its directives ask
//! (see `case`) must come out of the driver. Then all of them again in processes of their own, one for each way to make
//! code (`WAYS`): the driver reads its environment once. And each of them as debuggers want it (`DEBUGGED`).
//!
//! `CLIFT_CASES_KEEP=FOLDER` writes there what each case leaves, and with `CLIFT_CASES_SAME=FOLDER` each has to leave
//! what it left there, on another machine.
//!
//! Beside many a case lie its modules, which have to give the same: one that LLVM's translator made (`.spv`), one of
//! clang 22's own back end (`.22.spv`). To make modules anew, and of other compilers, `CLIFT_CASES_SPIRV` may name a
//! program that is called with a source, a file to write and options, and makes SPIR-V: then the cases with kernels run
//! from the modules that it makes, and what it cannot compile is shown as ignored.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, io};

use clift_kernels_test::case::Case;
use libtest_mimic::{Arguments, Failed, Trial};

/// Set in the processes that make code in one way.
const CHILD: &str = "CLIFT_CASES_CHILD";

/// Options with which variables are in memory for debuggers.
const DEBUGGED: &str = "-g -cl-opt-disable";

/// Values of `CLIFT_ISA` and `CLIFT_FORCE`.
const WAYS: [(&str, &str); 27] = [
    ("scalar", ""),
    ("scalar", "generic,resume"),
    ("v128", "width=4"),
    ("v128", "width=8"),
    ("v128", "width=16,generic"),
    ("v128", "width=4,resume"),
    ("avx2", "width=1"),
    ("avx2", "width=4"),
    ("avx2", "width=8"),
    ("avx2", "width=8,generic,resume"),
    ("avx2", "width=16"),
    ("avx2", "width=8,last"),
    ("avx2", "large"),
    ("avx2", "rows=4"),
    ("avx512", "width=1"),
    ("avx512", "width=4"),
    ("avx512", "width=8,generic"),
    ("avx512", "width=16"),
    ("avx512", "width=16,generic,resume"),
    ("avx512", "width=32"),
    ("avx512", "width=16,masked"),
    ("avx512", "width=8,last"),
    ("avx512", "large"),
    ("avx512", "width=16,rows=1"),
    ("avx512", "values"),
    ("scalar", "values"),
    ("", "generic"),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments = Arguments::from_args();
    let own = || Path::new(env!("CARGO_MANIFEST_DIR")).join("cases");
    let folder = std::env::var_os("CLIFT_CASES").map_or_else(own, PathBuf::from);
    let mut trials = Vec::new();
    let compiler = std::env::var_os("CLIFT_CASES_SPIRV");
    for path in sources(&folder)? {
        let name = path.strip_prefix(&folder)?.with_extension("").display().to_string();
        let Some(compiler) = &compiler else {
            for extension in ["spv", "22.spv"] {
                let (path, beside) = (path.clone(), path.with_extension(extension));
                if beside.exists() {
                    let run = move || run_module(&path, &fs::read(&beside)?);
                    trials.push(Trial::test(format!("{name}.{extension}"), run));
                }
            }
            if std::env::var_os(CHILD).is_none() {
                let path = path.clone();
                trials.push(Trial::test(format!("{name} {DEBUGGED}"), move || run(&path, DEBUGGED).map(drop)));
            }
            let file = name.replace(['/', '\\'], "_");
            trials.push(Trial::test(name, move || compare(&file, &run(&path, "")?)));
            continue;
        };
        let module = module(Path::new(compiler), &path)?;
        let is_ignored = module.is_none();
        let trial = Trial::test(name, move || run_module(&path, &module.unwrap_or_default()));
        trials.push(trial.with_ignored_flag(is_ignored));
    }
    if trials.is_empty() {
        return Err("no cases".into());
    }
    if std::env::var_os(CHILD).is_none() {
        let way = |(isa, force): (&'static str, &'static str)| {
            let name = format!("all cases: {}", format!("{isa} {force}").trim());
            Trial::test(name, move || run_all(isa, force))
        };
        trials.extend(WAYS.map(way));
    }
    libtest_mimic::run(&arguments, trials).exit();
}

/// Runs a case with more options; what it leaves.
fn run(path: &Path, options: &str) -> Result<String, Failed> {
    let source = fs::read_to_string(path)?;
    let mut case = Case::parse(&source)?;
    case.options = format!("{} {options}", case.options);
    Ok(case.run(source.as_bytes())?)
}

/// Keeps what a case leaves in a file of this name, or compares it with what it left elsewhere.
fn compare(name: &str, left: &str) -> Result<(), Failed> {
    let folder = |variable: &str| std::env::var_os(variable).map(PathBuf::from);
    if let Some(folder) = folder("CLIFT_CASES_KEEP") {
        fs::create_dir_all(&folder)?;
        fs::write(folder.join(name), left)?;
    }
    let Some(folder) = folder("CLIFT_CASES_SAME") else { return Ok(()) };
    let other = fs::read_to_string(folder.join(name))?;
    let [ours, theirs]: [Vec<&str>; 2] = [left, &other].map(|text| text.split_whitespace().collect());
    if ours.len() != theirs.len() {
        return Err(format!("{} elements, there {}", ours.len(), theirs.len()).into());
    }
    match ours.iter().zip(&theirs).enumerate().find(|(_, (a, b))| a != b) {
        Some((at, (ours, theirs))) => Err(format!("element {at} of all is {ours}, there it was {theirs}").into()),
        None => Ok(()),
    }
}

/// The module that a compiler makes of a case; none if it makes none, or if no kernel would run.
fn module(compiler: &Path, path: &Path) -> io::Result<Option<Vec<u8>>> {
    let case = Case::parse(&fs::read_to_string(path)?).map_err(io::Error::other)?;
    let folder = tempfile::tempdir()?;
    let out = folder.path().join("case.spv");
    let options = case.options.split_whitespace();
    let done = Command::new(compiler).arg(path).arg(&out).args(options).output()?;
    if !done.status.success() || !case.has_runs() {
        return Ok(None);
    }
    fs::read(out).map(Some)
}

fn run_module(path: &Path, module: &[u8]) -> Result<(), Failed> {
    Case::parse(&fs::read_to_string(path)?)?.run(module)?;
    Ok(())
}

/// This test once more, with code made in one way.
fn run_all(isa: &str, force: &str) -> Result<(), Failed> {
    let mut command = Command::new(std::env::current_exe()?);
    let command = command.args(["--test-threads", "1"]).env(CHILD, "1").env("CLIFT_FORCE", force);
    let command = if isa.is_empty() { command.env_remove("CLIFT_ISA") } else { command.env("CLIFT_ISA", isa) };
    let output = command.output()?;
    if output.status.success() {
        return Ok(());
    }
    Err(String::from_utf8_lossy(&output.stdout).into_owned().into())
}

/// Files `*.cl` below a folder, sorted.
fn sources(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let (mut found, mut work) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = work.pop() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                work.push(path);
            } else if path.extension().is_some_and(|e| e == "cl") {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}
