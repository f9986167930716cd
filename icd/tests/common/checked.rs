//! What `clift run` reports of the kernels of a file of `kernels-test/checked`, in scalar code and in lanes, by one
//! thread and by several.

#![allow(dead_code, reason = "each test uses a part")]

use std::fmt::Write as _;
use std::fs;
use std::process::{Command, Output};

/// Variables of the environment.
pub type Way = &'static [(&'static str, &'static str)];

/// Where the files are.
pub const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../kernels-test/checked");

/// Ways to make and run code.
pub const WAYS: [Way; 6] = [
    &[],
    &[("CLIFT_THREADS", "1")],
    &[("CLIFT_ISA", "scalar")],
    &[("CLIFT_ISA", "v128"), ("CLIFT_FORCE", "width=4")],
    &[("CLIFT_ISA", "avx2"), ("CLIFT_FORCE", "width=8")],
    &[("CLIFT_ISA", "avx2"), ("CLIFT_FORCE", "width=1"), ("CLIFT_THREADS", "4")],
];

/// A kernel of a file.
struct Case {
    name: String,
    args: Vec<String>,
    /// Lines that are reported, with the word that says so, and what reports that begin there say.
    marks: Vec<(usize, &'static str, String)>,
}

/// What was reported, of all sides of it.
#[derive(Debug, Default)]
struct Report {
    word: String,
    message: String,
    lines: Vec<usize>,
    items: Vec<String>,
    kernel: String,
    /// It says where in an object.
    has_place_in_object: bool,
}

/// The word, and what follows it behind a colon.
fn mark(line: &str) -> Option<(&'static str, &str)> {
    let (word, message) = line.rsplit_once("// ").map(|(_, mark)| mark.split_once(": ").unwrap_or((mark, "")))?;
    let words = ["race", "benign", "value", "barrier", "event"];
    words.into_iter().find(|&is| is == word).map(|word| (word, message))
}

/// Kernels with their marks. Functions in front of a kernel are its own.
fn cases(text: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    let (mut marks, mut args, mut is_open) = (Vec::new(), Vec::new(), false);
    for (n, line) in (1..).zip(text.lines()) {
        if let Some(given) = line.strip_prefix("//= ") {
            args = given.split_whitespace().map(str::to_owned).collect();
        }
        if let Some(head) = line.strip_prefix("kernel void ") {
            let name = head.split('(').next().unwrap_or_default().to_owned();
            cases.push(Case { name, args: std::mem::take(&mut args), marks: std::mem::take(&mut marks) });
            is_open = true;
        }
        if let Some(mark) = mark(line).map(|(word, message)| (n, word, message.to_owned())) {
            match cases.last_mut().filter(|_| is_open) {
                Some(case) => case.marks.push(mark),
                None => marks.push(mark),
            }
        }
        is_open &= line != "}";
    }
    cases
}

fn reports(file: &str, text: &str) -> Vec<Report> {
    let mut reports: Vec<Report> = Vec::new();
    for line in text.lines() {
        if let Some((place, message)) = line.split_once(": check: ").filter(|(place, _)| place.starts_with(file)) {
            let number = place.split(':').nth(1).and_then(|n| n.parse().ok()).unwrap_or(0);
            if message.contains(": found ") || message.contains(": in `") {
                continue;
            }
            if !message.contains(": the other side") {
                let word = if message.ends_with("(both write the same value)") { "benign" } else { message };
                let word = word.split(':').next().unwrap_or_default().to_owned();
                reports.push(Report { word, message: message.to_owned(), ..Report::default() });
            }
            reports.last_mut().expect("a report").lines.push(number);
        }
        let Some(report) = reports.last_mut() else { continue };
        if let Some(kernel) = line.strip_prefix("  kernel: ") {
            report.kernel = kernel.to_owned();
        } else if line.starts_with("  offset: ") {
            report.has_place_in_object = true;
        } else if line.starts_with("  work-item: ") {
            report.items.push(line.to_owned());
        }
    }
    reports
}

/// How many work-items a report names at least.
fn least_items(message: &str) -> usize {
    match message {
        _ if message.contains("pass different arguments") => 2,
        // A group does that as a whole.
        _ if ["nothing waits for", "copy of memory of"].iter().any(|what| message.contains(what)) => 0,
        _ => 1,
    }
}

/// True for reports that say where in an object.
fn is_of_memory(report: &Report) -> bool {
    matches!(&*report.word, "race" | "benign" | "event") || report.message.contains("memory that nothing has written")
}

/// What is wrong with the reports of a kernel.
fn faults(case: &Case, reports: &[Report]) -> String {
    let mut faults = String::new();
    for report in reports {
        // Work-items that race may happen to write the same.
        let fits = |word: &str| word == report.word || word == "race" && report.word == "benign";
        let is_marked = |line: &usize| case.marks.iter().any(|mark| mark.0 == *line && fits(mark.1));
        let says = |mark: &&(usize, &str, String)| Some(&mark.0) == report.lines.first();
        let is_right = report.lines.iter().all(is_marked)
            && case.marks.iter().find(says).is_some_and(|mark| report.message.contains(&mark.2))
            && report.kernel == format!("`{}` of program 1", case.name)
            && report.items.len() >= least_items(&report.message)
            && (report.has_place_in_object || !is_of_memory(report))
            && (report.items.is_empty() || report.items.get(1) != report.items.first());
        if !is_right {
            _ = writeln!(faults, "not expected: {report:?}");
        }
    }
    for (line, word, _) in &case.marks {
        if !reports.iter().any(|report| report.lines.contains(line) && report.word == *word) {
            _ = writeln!(faults, "missing: {word} in line {line}");
        }
    }
    faults
}

/// Runs a kernel of a source or module.
pub fn run(file: &str, kinds: &str, kernel: &str, args: &[String], way: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_clift"));
    command.current_dir(FOLDER).args(["run", file, kernel]).args(args);
    command.env("CLIFT_CHECK", kinds).env_remove("CLIFT_CHECK_LOG").envs(way.iter().copied());
    command.output().expect("the tool starts")
}

/// Runs the kernels of a file, of which so many at least are to be wrong, and as many right.
pub fn check(file: &str, kinds: &str, least: usize) {
    check_ways(file, file, kinds, least, &[], &WAYS);
}

/// Runs what a compiler made of the kernels of a file, with lines (see `kernels-test/docs/testing.md`), but for those
/// that are not to be told by modules.
pub fn check_module(file: &str, kinds: &str, least: usize, not_told: &[&str]) {
    check_ways(file, &file.replace(".cl", ".spv"), kinds, least, not_told, &WAYS[..3]);
}

fn check_ways(file: &str, program: &str, kinds: &str, least: usize, not_told: &[&str], ways: &[Way]) {
    let mut cases = cases(&fs::read_to_string(format!("{FOLDER}/{file}")).expect("kernels"));
    cases.retain(|case| !not_told.contains(&case.name.as_str()));
    let [wrong, right] = [false, true].map(|right| cases.iter().filter(|case| case.marks.is_empty() == right).count());
    assert!(wrong >= least && right >= least, "{wrong} mistakes, {right} near misses");
    let mut all = String::new();
    for way in ways {
        for case in &cases {
            let args: Vec<String> =
                case.args.iter().filter(|arg| program == file || !arg.starts_with("--options")).cloned().collect();
            let output = run(program, kinds, &case.name, &args, way);
            let text = String::from_utf8_lossy(&output.stderr);
            let mut faults = faults(case, &reports(file, &text));
            if !output.status.success() || !text.contains("clift: check: ") {
                _ = writeln!(faults, "{}", output.status);
            }
            if !faults.is_empty() {
                _ = writeln!(all, "{} {way:?}:\n{faults}{text}", case.name);
            }
        }
    }
    assert!(all.is_empty(), "{all}");
}
