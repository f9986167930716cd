//! `clift check`: runs a program with Clift as its only OpenCL and has the driver look for mistakes. Sums up what all
//! processes of the program were told of, and ends with a code that says whether there was anything.

use super::{Result, child, shown};
use clift_runtime::check::sink::{NOTE, PROCESS};
use clift_runtime::check::{Kind, Kinds};
use std::fs;
use std::path::{Path, PathBuf};

/// Options of check.
#[derive(clap::Args)]
pub struct Args {
    /// Look for these kinds of mistakes only: memory, races, barriers, values, shifts, api, nans, with commas between
    /// them
    #[arg(long, value_name = "KINDS", default_value = "all", value_parser = kinds)]
    only: String,
    /// Write the reports to a file; %p in its name is the process id
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Write the reports as JSON, one a line
    #[arg(long)]
    json: bool,
    /// A file that lists what is not to be reported
    #[arg(long, value_name = "FILE")]
    suppress: Option<PathBuf>,
    /// Abort the program at the first report
    #[arg(long)]
    abort: bool,
    /// The code to end with if there is a report; 0: the program's own
    #[arg(long, value_name = "CODE", default_value_t = 1)]
    error_exitcode: u8,
    #[command(flatten)]
    child: child::Options,
}

/// A list of kinds, all of which there are.
fn kinds(list: &str) -> std::result::Result<String, String> {
    let is_known = |name: &str| Kinds::NAMES.iter().any(|row| row.0 == name.trim());
    match list.split(',').find(|name| !is_known(name)) {
        Some(name) => Err(format!("there is no kind `{name}`")),
        None => Ok(list.to_owned()),
    }
}

/// Runs the program; the code is the one for reports if there are any, else the program's own.
pub fn run(args: &Args) -> Result<u8> {
    let folder = tempfile::tempdir().map_err(|error| format!("cannot make a temporary folder: {error}"))?;
    let count = folder.path().join("count");
    let mut program = args.child.child()?;
    program.env("CLIFT_CHECK", &args.only).env("CLIFT_CHECK_COUNT", &count);
    if let Some(log) = log(args)? {
        program.env("CLIFT_CHECK_LOG", log);
    }
    if let Some(file) = &args.suppress {
        fs::metadata(file).map_err(|error| format!("{}: {error}", shown(file)))?;
        program.env("CLIFT_CHECK_SUPPRESS", absolute(file)?);
    }
    if args.abort {
        program.env("CLIFT_CHECK_ABORT", "1");
    }
    let status = program.run()?;
    let found = fs::read_to_string(&count).unwrap_or_default();
    if !found.lines().any(|line| line == PROCESS) {
        if !status.success() {
            return Ok(child::code(status));
        }
        return Err(format!("{} did not use Clift, so nothing has been checked", args.child.name()));
    }
    let total = summary(&found);
    if total > 0 && args.error_exitcode > 0 {
        return Ok(args.error_exitcode);
    }
    Ok(child::code(status))
}

/// What the driver is told of the log; nothing if it is text on stderr. An older log is replaced.
fn log(args: &Args) -> Result<Option<String>> {
    let path = args.log.as_deref().map(absolute).transpose()?;
    if let Some(path) = path.as_ref().filter(|path| path.exists()) {
        fs::remove_file(path).map_err(|error| format!("{}: {error}", shown(path)))?;
    }
    let path = path.map(|path| shown(&path));
    Ok(if args.json { Some(format!("json:{}", path.as_deref().unwrap_or("-"))) } else { path })
}

/// Programs go elsewhere.
fn absolute(path: &Path) -> Result<PathBuf> {
    std::path::absolute(path).map_err(|error| format!("{}: {error}", shown(path)))
}

/// Says on stderr how many reports there were of which kind, and how many notes; returns how many reports in all.
fn summary(found: &str) -> usize {
    let count = |word: &str| found.lines().filter(|line| *line == word).count();
    let kinds = Kind::ALL.into_iter().map(|kind| (kind.word(), count(kind.word())));
    let kinds: Vec<_> = kinds.filter(|row| row.1 > 0).collect();
    let total = kinds.iter().map(|row| row.1).sum();
    let list: Vec<String> = kinds.iter().map(|(word, n)| format!("{n} {word}")).collect();
    let notes = match count(NOTE) {
        0 => String::new(),
        1 => "; 1 note".to_owned(),
        n => format!("; {n} notes"),
    };
    match total {
        0 => eprintln!("clift: check: no reports{notes}"),
        1 => eprintln!("clift: check: 1 report: {}{notes}", list.join(", ")),
        n => eprintln!("clift: check: {n} reports: {}{notes}", list.join(", ")),
    }
    total
}
