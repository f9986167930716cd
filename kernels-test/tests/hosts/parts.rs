//! Programs of many parts, each of which makes one mistake or nearly one: the checks report it once, at the right call
//! and with what belongs to it, or nothing. Reports are read as JSON by another crate.

use super::{Way, compile, driver, out_folder};
use libtest_mimic::{Failed, Trial};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A part, as the program lists it.
struct Part {
    program: PathBuf,
    name: String,
    /// Kind, a part of the message, and the call of the report that it leads to.
    want: Option<[String; 3]>,
}

/// A test for each part, and those of the forms that reports have.
pub fn trials() -> Result<Vec<Trial>, Failed> {
    let mut trials = Vec::new();
    // Checks of memory would tell of what is certain where it happens.
    let all = "api,memory,races";
    for (name, kinds) in [
        ("check_races", all),
        ("check_families", all),
        ("check_touches", all),
        ("check_calls", all),
        ("check_launches", "api"),
    ] {
        let program = compile(name, driver(), Way::Direct)?;
        let list = run(&program, "list", &[])?;
        let parts: Vec<Part> = text(&list.stdout).lines().filter_map(|line| part(&program, line)).collect();
        let n_mistakes = parts.iter().filter(|part| part.want.is_some()).count();
        if n_mistakes < 10 || parts.len() - n_mistakes < 10 {
            return Err(format!("{name} has {} parts, {n_mistakes} of them with mistakes", parts.len()).into());
        }
        trials.extend(
            parts.into_iter().map(|part| Trial::test(format!("{name} {}", part.name), move || check(&part, kinds))),
        );
        match name {
            "check_races" => trials.push(Trial::test("reports as text", move || as_text(&program))),
            "check_families" => trials.push(Trial::test("races with two kernels", move || with_each_of_two(&program))),
            "check_calls" => trials.push(Trial::test("suppressed, aborted, counted", move || companions(&program))),
            _ => {}
        }
    }
    Ok(trials)
}

fn part(program: &Path, line: &str) -> Option<Part> {
    let fields: Vec<&str> = line.split('\t').collect();
    let &[name, kind, message, call] = fields.as_slice() else { return None };
    let want = (!kind.is_empty()).then(|| [kind, message, call].map(str::to_owned));
    Some(Part { program: program.to_owned(), name: name.to_owned(), want })
}

fn run(program: &Path, name: &str, variables: &[(&str, &str)]) -> Result<Output, Failed> {
    let mut command = Command::new(program);
    command.arg(name).env_remove("CLIFT_THREADS").env_remove("LD_LIBRARY_PATH").env_remove("CLIFT_CHECK");
    Ok(command.envs(variables.iter().copied()).output()?)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The lines of a log of this type.
fn lines<'a>(log: &'a [Value], what: &str) -> Vec<&'a Value> {
    log.iter().filter(|line| line["type"] == what).collect()
}

fn check(part: &Part, kinds: &str) -> Result<(), Failed> {
    let file = out_folder().join(format!("part-{}.jsonl", part.name));
    let _ = std::fs::remove_file(&file);
    let path = file.to_string_lossy();
    let output = run(&part.program, &part.name, &[("CLIFT_CHECK", kinds), ("CLIFT_CHECK_LOG", &path)])?;
    if !output.status.success() || !output.stderr.is_empty() {
        return Err(format!("{}: {}", output.status, text(&output.stderr)).into());
    }
    let log = std::fs::read_to_string(&file)?;
    let log: Vec<Value> = log.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    let (reports, sums) = (lines(&log, "report"), lines(&log, "summary"));
    if sums.len() != 1 || sums[0]["reports"] != reports.len() {
        return Err(format!("not one right summary: {log:#?}").into());
    }
    let Some([kind, message, call]) = &part.want else {
        return if reports.is_empty() { Ok(()) } else { Err(format!("there is no mistake: {reports:#?}").into()) };
    };
    let (report, more) = reports.split_first().ok_or("no report")?;
    // Two kernels that run at once may meet either way round.
    let is_again = |other: &&Value| call.is_empty() && other["message"].as_str().is_some_and(|m| m.contains(message));
    if !more.iter().all(is_again) {
        return Err(format!("more than the one report: {reports:#?}").into());
    }
    let first = &report["sides"][0];
    let is_there = match call.is_empty() {
        // At accesses of two kernels.
        true => report["sides"].as_array().is_some_and(|sides| sides.iter().all(|side| side["places"][0]["line"] != 0)),
        false => {
            first["call"]["function"] == **call
                && first["call"]["module"].as_str().is_some_and(|module| part.program == Path::new(module))
        }
    };
    let is_right =
        report["kind"] == **kind && report["message"].as_str().is_some_and(|text| text.contains(message)) && is_there;
    // A race has two sides, and memory that has a name.
    let is_whole = kind != "race" || report["sides"].as_array().is_some_and(|sides| sides.len() == 2);
    if is_right && is_whole { Ok(()) } else { Err(format!("not the right report: {report:#?}").into()) }
}

fn as_text(program: &Path) -> Result<(), Failed> {
    let output = run(program, "kernel_uses_mapped", &[("CLIFT_CHECK", "all")])?;
    let err = text(&output.stderr);
    let places = err.lines().map(|line| line.split(" at check_races").next().unwrap_or_default());
    let places: Vec<&str> = places.map(|line| line.split(", made by").next().unwrap_or_default()).collect();
    let want = [
        "clEnqueueNDRangeKernel: check: race: kernel `get` reads `in`, which is mapped for writing",
        "  kernel: `get` of program 1",
        "  call: clEnqueueNDRangeKernel",
        "clEnqueueMapBuffer: check: race: the other side: the map",
        "  call: clEnqueueMapBuffer",
        "  object: buffer 1 of 4096 bytes",
        "  note: until it is unmapped the memory is the host's",
        "clift: check: 1 report",
    ];
    if places == want { Ok(()) } else { Err(err.into()) }
}

/// One read may race with two kernels whose accesses have the same number.
fn with_each_of_two(program: &Path) -> Result<(), Failed> {
    let output = run(program, "child_reads_what_both_write", &[("CLIFT_CHECK", "races")])?;
    let err = text(&output.stderr);
    let all = ["a[ME] = 1;", "a[8 + ME] = 2;"].map(|part| err.contains(part));
    // One of them may meet it either way round.
    let is_all = ["2 reports", "3 reports"].iter().any(|n| err.contains(&format!("clift: check: {n}")));
    if all == [true; 2] && is_all { Ok(()) } else { Err(err.into()) }
}

fn companions(program: &Path) -> Result<(), Failed> {
    let rules = out_folder().join("part-rules.txt");
    let path = rules.to_string_lossy();
    let ends = |name: &str, rule: &str, end: &str| -> Result<(), Failed> {
        std::fs::write(&rules, format!("# A comment.\n\n{rule}\n"))?;
        let output = run(program, name, &[("CLIFT_CHECK", "api"), ("CLIFT_CHECK_SUPPRESS", &path)])?;
        let err = text(&output.stderr);
        if err.trim_end().ends_with(end) { Ok(()) } else { Err(format!("{name} with {rule}: {err}").into()) }
    };
    ends("copy_overlaps", "api:clEnqueueCopy*", "clift: check: 0 reports, 1 suppressed")?;
    ends("copy_overlaps", "*:*", "clift: check: 0 reports, 1 suppressed")?;
    ends("copy_overlaps", "race:*", "clift: check: 1 report")?;
    ends("argument_released", "api:pu?", "clift: check: 0 reports, 1 suppressed")?;
    ends("argument_released", "api:get", "clift: check: 1 report")?;
    let shows = |name: &str, what: &str| -> Result<(), Failed> {
        let err = text(&run(program, name, &[("CLIFT_CHECK", "api")])?.stderr);
        if err.lines().any(|line| line == what) { Ok(()) } else { Err(format!("{name} without {what}: {err}").into()) }
    };
    shows("leaked_buffer", "  object: buffer 3 of 64 bytes")?;
    shows("leaked_svm", "  object: SVM allocation 1 of 4096 bytes")?;
    shows("memory_of_a_context_that_is_gone", "  note: 408000 bytes in all; the first object is shown")?;
    // The first report ends the process.
    let output = run(program, "copy_overlaps", &[("CLIFT_CHECK", "api"), ("CLIFT_CHECK_ABORT", "1")])?;
    let err = text(&output.stderr);
    let is_ended = output.status.code().is_none() && err.starts_with("clEnqueueCopyBuffer: check: api: ");
    // What is not asked for is not looked for.
    let quiet = run(program, "copy_overlaps", &[("CLIFT_CHECK", "memory")])?;
    if is_ended && text(&quiet.stderr) == "clift: check: 0 reports\n" { Ok(()) } else { Err(err.into()) }
}
