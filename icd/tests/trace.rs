//! `CLIFT_TRACE` and `clift profile` as a user has them, of a C host program that does a bit of everything. Traces are
//! read by a JSON parser and held to the rules of the trace event format: slices of a thread nest, and each arrow has
//! two ends, each in a slice.

#[path = "common/host.rs"]
mod host;

use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The host program, in `folder`.
fn host(folder: &Path) -> PathBuf {
    let program = folder.join("traced \"x\"");
    host::compile(&host::source("traced.c"), &program, &host::library(), &["-O1"]);
    program
}

/// Runs the host program with a trace.
fn run(program: &Path, how: &str, trace: &Path, limits: &str) -> Output {
    Command::new(program)
        .arg(how)
        .env("CLIFT_TRACE", trace)
        .env("CLIFT_TRACE_LIMITS", limits)
        .env("CLIFT_THREADS", "4")
        .env("CLIFT_CACHE", "off")
        // The library that the program was linked with, not one of an earlier build.
        .env_remove("LD_LIBRARY_PATH")
        .output()
        .expect("it starts")
}

/// The events of a file, which must be whole if it is said to be; else it may lack its end.
fn events(file: &Path, is_whole: bool) -> Vec<Value> {
    let text = fs::read_to_string(file).expect("it was written, in UTF-8");
    let text = if is_whole { text } else { text.trim_end().trim_end_matches(']').to_owned() + "]" };
    let events: Vec<Value> = serde_json::from_str(&text).expect("an array");
    check(&events, is_whole);
    events
}

fn ns(value: &Value) -> i64 {
    (value.as_f64().expect("a number") * 1000.0).round() as i64
}

/// What the format asks for. Of a process that was killed, or once the file is full, there may be arrows whose slices
/// are missing: those that other threads had not written yet.
fn check(events: &[Value], is_whole: bool) {
    let has_all = is_whole && named(events, "the trace is full").is_empty();
    let mut threads: BTreeMap<i64, Vec<(i64, i64)>> = BTreeMap::new();
    let (mut begins, mut ends) = (BTreeMap::new(), BTreeMap::new());
    for event in events {
        assert!(event["name"].is_string() && event["pid"].is_i64() && event["ts"].is_number(), "{event}");
        let (tid, at) = (event["tid"].as_i64().expect("a number"), ns(&event["ts"]));
        let id = || event["id"].as_u64().expect("a number");
        match event["ph"].as_str().expect("a letter") {
            "X" => threads.entry(tid).or_default().push((at, at + ns(&event["dur"]))),
            "s" => assert!(begins.insert(id(), (tid, at)).is_none(), "one begin: {event}"),
            "f" => assert!(ends.insert(id(), (tid, at)).is_none() && event["bp"] == "e", "one end: {event}"),
            phase => assert!(["M", "i"].contains(&phase), "{event}"),
        }
    }
    for slices in threads.values_mut() {
        slices.sort_by_key(|&(begun, ended)| (begun, -ended));
        let mut open: Vec<i64> = Vec::new();
        for &(begun, ended) in &*slices {
            open.retain(|&end| end > begun);
            assert!(open.iter().all(|&end| ended <= end), "slices of a thread nest: {begun}..{ended}");
            open.push(ended);
        }
    }
    assert!(begins.keys().eq(ends.keys()), "arrows have two ends");
    for (id, begin) in &begins {
        let end = &ends[id];
        assert!(begin.1 <= end.1, "arrows lead forwards");
        for (tid, at) in [begin, end] {
            let is_in = threads.get(tid).is_some_and(|of| of.iter().any(|slice| (slice.0..slice.1).contains(at)));
            assert!(is_in || !has_all, "an arrow's end is in a slice");
        }
    }
}

fn named<'a>(events: &'a [Value], name: &str) -> Vec<&'a Value> {
    events.iter().filter(|event| event["name"] == name).collect()
}

#[test]
fn a_trace_has_what_happened() {
    let folder = tempfile::tempdir().expect("a folder");
    let (program, trace) = (host(folder.path()), folder.path().join("t.json"));
    let output = run(&program, "return", &trace, "");
    assert!(output.status.success() && output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    let events = events(&trace, true);
    let commands: Vec<&Value> = events.iter().filter(|event| event["cat"] == "command").collect();
    for name in [
        "FillBuffer",
        "scale",
        "WriteImage",
        "ReadImage",
        "SvmMemcpy",
        "MapBuffer",
        "UnmapMemObject",
        "CopyBuffer",
        "CommandBuffer",
        "Barrier",
        "user event",
    ] {
        assert!(commands.iter().any(|event| event["name"] == name), "{name}");
    }
    for event in commands.iter().filter(|event| event["name"] != "user event") {
        let times = ["queued", "submitted", "started", "ended"].map(|key| ns(&event["args"][key]));
        assert!(times.is_sorted() && times[2] == ns(&event["ts"]), "{event}");
    }
    // The diamond: 1 → 2, 2 → 3, 2 → 4, 3 → 5, 4 → 5, and the barrier waits for what was not complete.
    assert!(events.iter().filter(|event| event["ph"] == "s").count() >= 5);
    let image = &named(&events, "ReadImage")[0]["args"];
    assert_eq!(image["bytes"], 64 * 64 * 4);
    let launches: Vec<&&Value> = commands.iter().filter(|event| event["name"] == "scale").collect();
    assert_eq!(launches.len(), 4);
    assert!(launches.iter().all(|event| event["args"]["global"][0] == 1 << 22));
    // Shares of a launch are all of its groups.
    let number = |event: &Value, key: &str| event["args"][key].as_u64().unwrap_or(0);
    for launch in launches {
        let shares = events.iter().filter(|event| event["cat"] == "share");
        let ours = shares.filter(|share| number(share, "command") == number(launch, "command"));
        assert_eq!(ours.map(|share| number(share, "groups")).sum::<u64>(), number(launch, "groups"));
    }
    assert_eq!(events.iter().filter(|event| event["cat"] == "part").count(), 2, "of the command-buffer");
    let build = named(&events, "build")[0];
    assert_eq!(build["args"]["options"].as_str().map(|text| text.contains("\"\\\"\\\\\"")), Some(true), "{build}");
    for phase in ["preprocess", "parse", "check", "lower", "link", "optimise", "work-groups and lanes", "machine code"]
    {
        assert!(named(&events, phase).iter().any(|event| event["cat"] == "phase"), "{phase}");
    }
    let code = named(&events, "code of scale");
    assert!(code[0]["args"]["remarks"][0].as_str().is_some_and(|remark| remark.contains("loop 0")), "{code:?}");
    let process = &named(&events, "process_name")[0]["args"]["name"];
    assert_eq!(process, "traced \"x\"");
}

#[test]
fn a_trace_is_valid_however_the_process_ends() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = host(folder.path());
    for (how, is_whole) in [("exit", true), ("_exit", false), ("abort", false)] {
        let trace = folder.path().join(format!("{how}.json"));
        assert!(!run(&program, how, &trace, "").status.success());
        assert!(!named(&events(&trace, is_whole), "FillBuffer").is_empty(), "{how}");
    }
}

#[test]
fn a_fork_has_a_trace_of_its_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let (program, trace) = (host(folder.path()), folder.path().join("t.json"));
    assert!(run(&program, "fork", &trace, "").status.success());
    let parent = events(&trace, true);
    assert_eq!(named(&parent, "scale").iter().filter(|event| event["cat"] == "command").count(), 5);
    let files = fs::read_dir(folder.path()).expect("it is there").flatten().map(|entry| entry.path());
    let children: Vec<PathBuf> = files
        .filter(|file| file.file_name().is_some_and(|name| name.to_string_lossy().starts_with("t.json.")))
        .collect();
    let [child] = &children[..] else { panic!("one child: {children:?}") };
    let child = events(child, true);
    assert_eq!(named(&child, "scale").iter().filter(|event| event["cat"] == "command").count(), 1);
    assert_ne!(parent[0]["pid"], child[0]["pid"]);
}

#[test]
fn a_trace_is_bounded_and_a_file_that_is_there_stays() {
    let folder = tempfile::tempdir().expect("a folder");
    let (program, trace) = (host(folder.path()), folder.path().join("t.json"));
    assert!(run(&program, "many", &trace, "bytes=100000").status.success());
    let many = events(&trace, true);
    assert_eq!(named(&many, "the trace is full").len(), 1);
    let size = fs::metadata(&trace).expect("it was written").len();
    assert!((30_000..101_000).contains(&size), "{size}");
    assert!(run(&program, "return", &trace, "nonsense=,bytes=-1").status.success());
    assert_eq!(fs::metadata(&trace).expect("it is there").len(), size, "nothing was added");
    let output = run(&program, "return", &folder.path().join("none/t.json"), "");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && said.matches("the trace").count() == 1, "{said}");
}

fn profile(folder: &Path, args: &[&str]) -> Output {
    let mut tool = Command::new(env!("CARGO_BIN_EXE_clift"));
    tool.current_dir(folder).env_remove("LD_LIBRARY_PATH").env("CLIFT_CACHE", "off");
    tool.arg("profile").args(args).output().expect("the tool starts")
}

#[test]
fn a_profile_says_where_time_goes() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = host(folder.path());
    let program = program.to_str().expect("a name");
    let output = profile(folder.path(), &["--html", "p.html", "--trace", "t.json", program, "many"]);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{text}");
    for part in ["items/s", "serial", "scale", "lanes: ", "gap of ", "between commands"] {
        assert!(text.contains(part), "{part} in {text}");
    }
    events(&folder.path().join("t.json"), true);
    let page = fs::read_to_string(folder.path().join("p.html")).expect("it was written");
    for part in ["<svg", "FillBuffer", "traced &quot;x&quot;", "</html>"] {
        assert!(page.contains(part), "{part} in {page}");
    }
    assert!(!page.contains("http"), "it needs nothing else");
    let output = profile(folder.path(), &["--json", program, "exit"]);
    assert_eq!(output.status.code(), Some(3), "the program's");
    let profile_json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let commands = profile_json["commands"].as_array().expect("a list");
    let scale = commands.iter().find(|row| row["name"] == "scale").expect("it ran");
    assert!(scale["count"].as_u64() >= Some(4) && scale["median_us"].as_f64() > Some(0.0), "{scale}");
    let shares: f64 = commands.iter().filter_map(|row| row["share"].as_f64()).sum();
    assert!((0.999..1.001).contains(&shares), "{shares}");
    // Of a flood of launches those up to the last one that was noted are counted; two thousand may have followed it.
    let output = profile(folder.path(), &["--json", program, "many"]);
    let profile_json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let commands = profile_json["commands"].as_array().expect("a list");
    let serial = commands.iter().find(|row| row["name"] == "serial").expect("it ran");
    let count = serial["count"].as_u64().expect("a number");
    assert!((198_000..=200_002).contains(&count), "{serial}");
    let output = profile(folder.path(), &["true"]);
    assert_eq!(output.status.code(), Some(2));
}
