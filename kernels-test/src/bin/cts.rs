//! Runs built Khronos conformance tests against libclift.so, one sub-test per process, and compares with the
//! expectations in `kernels-test/cts/expected.txt`. An unexpected pass counts as a difference too.
//!
//! ```text
//! cargo run --release -p clift-kernels-test --bin cts --
//!     FOLDER [--record] [--seconds N] [--spir-v] [--args "…"] [BINARY[:SUBTEST]]...
//! ```
//! FOLDER is searched for executables named `test_*`. `--record` rewrites the expectations of what was run; a reason
//! stays as long as the outcome does. With `--spir-v` the suite's kernels come as SPIR-V modules, which an offline
//! compiler makes; rows of that mode stand beside the others. `kernels-test/docs/khronos.md` tells more. Must not know
//! anything of the driver but its file.

use std::collections::BTreeMap;
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs};

/// The lines of the expectations file.
type Table = BTreeMap<Key, Row>;

/// What a line of the expectations file is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    binary: String,
    sub: String,
    /// Whether the kernels come as SPIR-V modules.
    modules: bool,
}

/// What a line of the expectations file says of its key.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Row {
    /// `pass`, `fail`, `skip`, `crash` or `timeout`.
    outcome: String,
    /// The binary's arguments, joined by commas, and the time limit: `-w@120s`. `full` stands for no arguments,
    /// `spir-v` for those that ask for modules.
    how: String,
    /// Why it does not pass; empty if it does, or if nobody has said.
    reason: String,
}

/// What the command line asks.
struct Request {
    folder: PathBuf,
    record: bool,
    limit: Duration,
    modules: bool,
    args: Vec<String>,
    wanted: Vec<String>,
}

fn main() -> ExitCode {
    match run() {
        Ok(0) => ExitCode::SUCCESS,
        Ok(n) => {
            println!("{n} sub-tests differ from the expectations");
            ExitCode::FAILURE
        }
        Err(message) => {
            eprintln!("cts: {message}");
            ExitCode::from(2)
        }
    }
}

fn request() -> Result<Request, String> {
    let mut folder = None;
    let (mut record, mut limit, mut modules, mut extra, mut wanted) = (false, 120, false, Vec::new(), Vec::new());
    let mut args = env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--record" => record = true,
            "--spir-v" => modules = true,
            "--seconds" => {
                let n = args.next().and_then(|n| n.parse().ok());
                limit = n.ok_or("--seconds needs a number")?;
            }
            "--args" => {
                let words = args.next().ok_or("--args needs a string")?;
                extra = words.split_whitespace().map(str::to_owned).collect();
            }
            _ if folder.is_none() => folder = Some(PathBuf::from(arg)),
            _ => wanted.push(arg),
        }
    }
    let usage = "usage: cts FOLDER [--record] [--seconds N] [--spir-v] [--args \"…\"] [BINARY[:SUBTEST]]...";
    let folder = folder.ok_or(usage)?;
    Ok(Request { folder, record, limit: Duration::from_secs(limit), modules, args: extra, wanted })
}

fn run() -> Result<usize, String> {
    let request = request()?;
    let driver = driver()?;
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("cts/expected.txt");
    let expected = read_table(&path)?;
    let mut differences = 0;
    let mut totals: BTreeMap<String, usize> = BTreeMap::new();
    for binary in find_tests(&request.folder)? {
        let name = binary.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        let subs = if name == CONVERSIONS { conversions() } else { list(&binary)? };
        for sub in subs {
            if !is_wanted(&request.wanted, &name, &sub) {
                continue;
            }
            let Some(outcome) = run_one(&binary, &sub, &driver, &request)? else { continue };
            *totals.entry(outcome.clone()).or_default() += 1;
            let key = Key { binary: name.clone(), sub: sub.clone(), modules: request.modules };
            if request.record {
                println!("{name} {sub} {outcome}");
                let how = how(&arguments(&name, &request.args), request.modules, request.limit);
                record_in(&path, key, outcome, how)?;
            } else {
                let want = expected.get(&key).map_or("unknown", |row| row.outcome.as_str());
                let same = want == outcome;
                println!("{name} {sub} {outcome}{}", if same { String::new() } else { format!(" (expected {want})") });
                differences += usize::from(!same);
            }
        }
    }
    println!("{totals:?}");
    Ok(differences)
}

/// Notes an outcome in the expectations file, which other runs may be writing as well.
fn record_in(path: &Path, key: Key, outcome: String, how: String) -> Result<(), String> {
    let note = || -> std::io::Result<Result<(), String>> {
        let mut file = fs::OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        file.lock()?;
        let mut text = String::new();
        file.read_to_string(&mut text)?;
        let mut table = match parse_table(&text) {
            Ok(table) => table,
            Err((line, why)) => return Ok(Err(format!("line {line}: {why}"))),
        };
        record(&mut table, key, outcome, how);
        file.set_len(0)?;
        file.rewind()?;
        file.write_all(table_text(&table).as_bytes())?;
        Ok(Ok(()))
    };
    note().map_err(|e| e.to_string()).flatten().map_err(|why| format!("{}: {why}", path.display()))
}

/// Notes an outcome. The reason stays if the outcome does.
fn record(table: &mut Table, key: Key, outcome: String, how: String) {
    let old = table.get(&key).filter(|row| row.outcome == outcome);
    let reason = old.map_or_else(String::new, |row| row.reason.clone());
    table.insert(key, Row { outcome, how, reason });
}

/// The driver beside this executable.
fn driver() -> Result<PathBuf, String> {
    let exe = env::current_exe().map_err(|e| e.to_string())?;
    let path = exe.with_file_name("libclift.so");
    if path.is_file() { Ok(path) } else { Err(format!("{} is missing: build the workspace first", path.display())) }
}

fn is_wanted(wanted: &[String], binary: &str, sub: &str) -> bool {
    wanted.is_empty()
        || wanted.iter().any(|w| match w.split_once(':') {
            Some((b, s)) => b == binary && s.strip_suffix('*').map_or(s == sub, |prefix| sub.starts_with(prefix)),
            None => w == binary,
        })
}

/// Executables named `test_*` below a folder, sorted.
fn find_tests(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    let mut work = vec![folder.to_owned()];
    while let Some(dir) = work.pop() {
        let entries = fs::read_dir(&dir).map_err(|e| format!("{}: {e}", dir.display()))?;
        for entry in entries.flatten() {
            let path = entry.path();
            let name = entry.file_name().to_string_lossy().into_owned();
            if path.is_dir() {
                work.push(path);
            } else if name.starts_with("test_") && !name.contains('.') {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Names of the sub-tests of a binary.
fn list(binary: &Path) -> Result<Vec<String>, String> {
    let output = Command::new(binary).arg("--list").output().map_err(|e| format!("{}: {e}", binary.display()))?;
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(text
        .lines()
        .filter_map(|line| line.strip_prefix('\t'))
        .map(|n| n.trim().to_owned())
        .filter(|n| !n.is_empty())
        .collect())
}

/// The binary that registers one sub-test, `conversions`, and takes the cases inside it as arguments. Without `--args`
/// it tries 2^20 values of each source type wider than 16 bits, and all of the others.
const CONVERSIONS: &str = "test_conversions";

/// Goes through all bit patterns of float and double. Without `--args` it takes one in 512.
const HALF: &str = "test_half";

/// Every argument of every function takes hours; a sample serves.
const BRUTE_FORCE: &str = "test_bruteforce";

/// The binary that fills the device's memory. Without `--args` it takes a tenth of it, for the sake of its neighbours.
const ALLOCATIONS: &str = "test_allocations";

/// The binary whose time goes into loops of atomic operations. Without `--args` it makes a tenth of them.
const ATOMICS: &str = "test_c11_atomics";

/// The binaries that go through all formats and sizes of images. Without `--args` they take sizes up to a dozen and,
/// where they let one choose, one channel order, which has every channel type.
const IMAGES: [(&str, &[&str]); 7] = [
    ("test_cl_copy_images", &["small_images", "CL_RGBA"]),
    ("test_cl_fill_images", &["small_images", "CL_RGBA"]),
    ("test_cl_get_info", &["small_images"]),
    ("test_cl_read_write_images", &["small_images", "CL_RGBA"]),
    ("test_image_streams", &["small_images", "CL_RGBA"]),
    ("test_kernel_image_methods", &["small_images"]),
    ("test_samplerless_reads", &["small_images", "CL_RGBA"]),
];

/// All cases of `test_conversions`: `int_sat_rtz_float` and so on.
fn conversions() -> Vec<String> {
    let types = ["uchar", "char", "ushort", "short", "uint", "int", "half", "float", "double", "ulong", "long"];
    let mut names = Vec::new();
    for to in types {
        let saturations: &[&str] = if matches!(to, "half" | "float" | "double") { &[""] } else { &["", "_sat"] };
        for from in types {
            for sat in saturations {
                for mode in ["", "_rte", "_rtp", "_rtn", "_rtz"] {
                    names.push(format!("{to}{sat}{mode}_{from}"));
                }
            }
        }
    }
    names
}

/// The arguments of a binary behind the name of the sub-test: those that the command line gives, or a sample that does
/// not take hours.
fn arguments<'a>(binary: &str, given: &'a [String]) -> Vec<&'a str> {
    if !given.is_empty() {
        return given.iter().map(String::as_str).collect();
    }
    match binary {
        CONVERSIONS => vec!["-w", "-[32]"],
        HALF | BRUTE_FORCE => vec!["-w"],
        ALLOCATIONS => vec!["10%"],
        ATOMICS => vec!["-w", "-internalIterations", "1000"],
        _ => IMAGES.iter().find(|(name, _)| *name == binary).map_or_else(Vec::new, |row| row.1.to_vec()),
    }
}

/// The arguments with which the suite calls `cl_offline_compiler` for each kernel, keeps the module beside the binary
/// and gives it to the driver.
const MODULES: [&str; 4] = ["--compilation-mode", "spir-v", "--compilation-cache-path", "."];

/// What the suite logs for each module that it gives to the driver.
const GIVEN: &str = "clCreateProgramWithSource replaced with clCreateProgramWithIL";

/// How the expectations file names the arguments that ask for modules.
const SPIRV: &str = "spir-v";

/// Arguments and time limit as the expectations file has them.
fn how(arguments: &[&str], modules: bool, limit: Duration) -> String {
    let words: Vec<&str> = modules.then_some(SPIRV).into_iter().chain(arguments.iter().copied()).collect();
    let words = if words.is_empty() { "full".to_owned() } else { words.join(",") };
    format!("{words}@{}s", limit.as_secs())
}

/// Whether a row was run with modules.
fn with_modules(how: &str) -> bool {
    how.split([',', '@']).next() == Some(SPIRV)
}

/// Runs one sub-test: `pass`, `fail`, `skip`, `crash` or `timeout`; nothing if it was to take modules and had none, as
/// it builds no kernel, or builds it by calls of its own.
fn run_one(binary: &Path, sub: &str, driver: &Path, request: &Request) -> Result<Option<String>, String> {
    let results = env::temp_dir().join(format!("clift-cts-{}.json", std::process::id()));
    let log = results.with_extension("log");
    let _ = fs::remove_file(&results);
    let stdout = fs::File::create(&log).map_err(|e| format!("{}: {e}", log.display()))?;
    let name = binary.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let is_conversion = name == CONVERSIONS;
    let mut child = Command::new(binary)
        .arg(sub)
        // The binaries' own arguments stand last: some of them read theirs from the end.
        .args(if request.modules { MODULES.as_slice() } else { &[] })
        .args(arguments(&name, &request.args))
        .env("OCL_ICD_FILENAMES", driver)
        .env("OCL_ICD_VENDORS", "/nonexistent")
        .env("CL_CONFORMANCE_RESULTS_FILENAME", &results)
        .current_dir(binary.parent().unwrap_or(Path::new(".")))
        .stdout(stdout)
        .stderr(Stdio::null())
        .spawn()
        .map_err(|e| format!("{}: {e}", binary.display()))?;
    let start = Instant::now();
    loop {
        match child.try_wait().map_err(|e| e.to_string())? {
            Some(_) => break,
            None if start.elapsed() > request.limit => {
                let _ = child.kill();
                let _ = child.wait();
                return Ok(Some("timeout".into()));
            }
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    }
    let text = fs::read_to_string(&results).unwrap_or_default();
    let log_text = String::from_utf8_lossy(&fs::read(&log).unwrap_or_default()).into_owned();
    let _ = fs::remove_file(&results);
    let _ = fs::remove_file(&log);
    // `"results":{"name":"pass"}` with any blanks; the name is unique in the file's results.
    let key = if is_conversion { "\"conversions\"".to_owned() } else { format!("\"{sub}\"") };
    let after = text.split("\"results\"").nth(1).and_then(|t| t.split(&key).nth(1));
    let outcome = after.and_then(|t| t.split('"').nth(1));
    if request.modules && matches!(outcome, Some("pass" | "skip")) && !log_text.contains(GIVEN) {
        return Ok(None);
    }
    // The conversions binary passes a case that it leaves out as well; what it tried is in its log.
    if is_conversion && outcome == Some("pass") && !log_text.contains("Testing...") {
        return Ok(Some("skip".into()));
    }
    Ok(Some(outcome.unwrap_or("crash").to_owned()))
}

fn read_table(path: &Path) -> Result<Table, String> {
    let text = fs::read_to_string(path).unwrap_or_default();
    parse_table(&text).map_err(|(line, why)| format!("{}:{line}: {why}", path.display()))
}

/// The table that a text holds, or the number of the line that cannot be read and why.
fn parse_table(text: &str) -> Result<Table, (usize, String)> {
    let mut table = Table::new();
    for (n, line) in text.lines().enumerate() {
        if line.starts_with('#') || line.trim().is_empty() {
            continue;
        }
        let (words, reason) = line.split_once(" # ").unwrap_or((line, ""));
        let words: Vec<&str> = words.split_whitespace().collect();
        let [binary, sub, outcome, how] = words[..] else { return Err((n + 1, "four words wanted".into())) };
        if !OUTCOMES.contains(&outcome) {
            return Err((n + 1, format!("`{outcome}` is no outcome")));
        }
        let row = Row { outcome: outcome.into(), how: how.into(), reason: reason.trim().into() };
        let key = Key { binary: binary.into(), sub: sub.into(), modules: with_modules(how) };
        if table.insert(key, row).is_some() {
            return Err((n + 1, format!("{binary} {sub} stands twice")));
        }
    }
    Ok(table)
}

/// What may come out of a sub-test.
const OUTCOMES: [&str; 5] = ["pass", "fail", "skip", "crash", "timeout"];

/// What stands on top of the expectations file.
const HEADER: &str = "\
# Expected outcomes of Khronos conformance sub-tests, in the order: binary, sub-test, outcome, how it was run, # reason.
# - Outcome: pass | fail | skip | crash | timeout. Whatever is no pass has a reason.
# - How: the binary's arguments, joined by commas; `full` if there were none; `?` where they are not recorded; `spir-v`
#   in front of them if the kernels came as modules, which is a row of its own. Behind `@` stands the time limit where
#   it is recorded. kernels-test/docs/khronos.md says what the arguments mean.
# Written by the runner, kernels-test/src/bin/cts.rs, with --record.
";

fn table_text(table: &Table) -> String {
    let mut text = HEADER.to_owned();
    for (Key { binary, sub, .. }, Row { outcome, how, reason }) in table {
        text.push_str(&format!("{binary} {sub} {outcome} {how}"));
        if !reason.is_empty() {
            text.push_str(&format!(" # {reason}"));
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMMITTED: &str = include_str!("../../cts/expected.txt");

    #[test]
    fn the_committed_table_reads_and_writes_the_same() {
        let table = parse_table(COMMITTED).expect("it can be read");
        assert!(table.len() > 2000, "only {} rows", table.len());
        assert_eq!(table_text(&table), COMMITTED);
    }

    #[test]
    fn what_does_not_pass_has_a_reason_and_what_passes_has_none() {
        for (Key { binary, sub, .. }, row) in parse_table(COMMITTED).expect("it can be read") {
            assert_eq!(row.outcome != "pass", !row.reason.is_empty(), "{binary} {sub} {}: {}", row.outcome, row.reason);
        }
    }

    #[test]
    fn lines_that_say_too_little_are_refused() {
        assert_eq!(parse_table("# text\na b pass"), Err((2, "four words wanted".into())));
        assert_eq!(parse_table("a b good full"), Err((1, "`good` is no outcome".into())));
        assert_eq!(parse_table("a b pass full\na b pass ?"), Err((2, "a b stands twice".into())));
    }

    #[test]
    fn a_reason_stays_as_long_as_the_outcome() {
        let mut table = parse_table("a b skip ? # no device").expect("it can be read");
        let key = || Key { binary: "a".into(), sub: "b".into(), modules: false };
        let how = how(&arguments(HALF, &[]), false, Duration::from_secs(60));
        record(&mut table, key(), "skip".into(), how);
        assert_eq!(table[&key()], Row { outcome: "skip".into(), how: "-w@60s".into(), reason: "no device".into() });
        record(&mut table, key(), "pass".into(), "full@60s".into());
        assert_eq!(table[&key()].reason, "");
    }

    #[test]
    fn runs_at_once_lose_no_rows() {
        let path = env::temp_dir().join(format!("clift-cts-rows-{}.txt", std::process::id()));
        let note = |n: usize| {
            let key = Key { binary: "a".into(), sub: format!("s{n}"), modules: false };
            record_in(&path, key, "pass".into(), "full@60s".into()).expect("it can be written");
        };
        std::thread::scope(|scope| {
            for n in 0..8 {
                let note = &note;
                scope.spawn(move || (0..8).for_each(|m| note(8 * n + m)));
            }
        });
        let table = read_table(&path);
        fs::remove_file(&path).expect("it was written");
        assert_eq!(table.map(|table| table.len()), Ok(64));
    }

    #[test]
    fn arguments_of_the_command_line_take_the_place_of_the_sample() {
        assert_eq!(arguments(IMAGES[0].0, &[]), ["small_images", "CL_RGBA"]);
        assert_eq!(arguments(IMAGES[0].0, &["max_images".to_owned()]), ["max_images"]);
        assert_eq!(how(&arguments("test_api", &[]), false, Duration::from_secs(120)), "full@120s");
    }

    #[test]
    fn rows_with_modules_stand_beside_the_others() {
        let how = |name| how(&arguments(name, &[]), true, Duration::from_secs(60));
        assert_eq!((how("test_api"), how(HALF)), ("spir-v@60s".into(), "spir-v,-w@60s".into()));
        let text = format!("{HEADER}a b pass full\na b fail spir-v@60s # no module\na c pass spir-v,-w@60s\n");
        let table = parse_table(&text).expect("it can be read");
        assert_eq!(table.keys().map(|key| key.modules).collect::<Vec<_>>(), [false, true, true]);
        assert_eq!(table_text(&table), text);
        assert_eq!(parse_table("a b pass spir-v\na b pass spir-v,-w"), Err((2, "a b stands twice".into())));
    }
}
