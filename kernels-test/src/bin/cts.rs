//! Runs built Khronos conformance tests against libclift.so, one sub-test per process, and compares with the
//! expectations in `kernels-test/cts/expected.txt`. An unexpected pass counts as a difference too.
//!
//! ```text
//! cargo run --release -p clift-kernels-test --bin cts --
//!     FOLDER [--quick] [--record] [--since DATE] [--seconds N] [--spir-v]
//!     [--full | --args "…"] [BINARY[:SUBTEST]]...
//! ```
//! FOLDER is searched for executables named `test_*`. `--record` rewrites the expectations of what was run; a reason
//! stays as long as the outcome does. `--since` leaves out what was recorded on that day or later, which continues a
//! run that was ended. With `--spir-v` the suite's kernels come as SPIR-V modules, which an offline compiler makes.
//! `--full` gives no arguments to the binaries that are shrunk by default. Rows of other arguments stand beside each
//! other. `--quick` takes a day's share of each binary. `kernels-test/docs/khronos.md` tells more. Must not know
//! anything of the driver but its file.

use std::collections::BTreeMap;
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant, SystemTime};
use std::{env, fs};

/// The lines of the expectations file.
type Table = BTreeMap<Key, Row>;

/// What a line of the expectations file is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    binary: String,
    sub: String,
    /// The binary's arguments, joined by commas. `full` stands for none, `spir-v` for those that ask for modules, `?`
    /// for unknown ones.
    arguments: String,
}

/// What a line of the expectations file says of its key.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Row {
    /// `pass`, `fail`, `skip`, `crash` or `timeout`.
    outcome: String,
    /// The time limit in seconds, where it is recorded.
    limit: Option<u64>,
    /// Processor time and day, where they are recorded.
    taken: Option<Taken>,
    /// Why it does not pass; empty if it does, or if nobody has said.
    reason: String,
}

/// When a sub-test was run, and how long.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Taken {
    /// Tenths of seconds of processor time, of all threads.
    tenths: u64,
    /// `2026-11-30`.
    date: String,
}

/// What the command line asks.
struct Request {
    folder: PathBuf,
    /// Whether to take the day's share of each binary.
    quick: bool,
    record: bool,
    /// The first day whose rows stand.
    since: Option<String>,
    limit: Duration,
    modules: bool,
    /// The binaries' arguments in place of the default ones.
    args: Option<Vec<String>>,
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
    let (mut quick, mut record, mut since, mut limit, mut modules) = (false, false, None, 120, false);
    let (mut given, mut wanted) = (None, Vec::new());
    let mut args = env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--quick" => quick = true,
            "--record" => record = true,
            "--since" => {
                let day = args.next().filter(|day| is_date(day));
                since = Some(day.ok_or("--since needs a day, such as 2026-11-30")?);
            }
            "--spir-v" => modules = true,
            "--full" => given = Some(Vec::new()),
            "--seconds" => {
                let n = args.next().and_then(|n| n.parse().ok());
                limit = n.ok_or("--seconds needs a number")?;
            }
            "--args" => {
                let words = args.next().ok_or("--args needs a string")?;
                given = Some(words.split_whitespace().map(str::to_owned).collect());
            }
            _ if folder.is_none() => folder = Some(PathBuf::from(arg)),
            _ => wanted.push(arg),
        }
    }
    let usage = "usage: cts FOLDER [--quick] [--record] [--since DATE] [--seconds N] [--spir-v] \
                 [--full | --args \"…\"] [BINARY[:SUBTEST]]...";
    let folder = folder.ok_or(usage)?;
    Ok(Request { folder, quick, record, since, limit: Duration::from_secs(limit), modules, args: given, wanted })
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
        let arguments = named(&arguments(&name, request.args.as_deref()), request.modules);
        let keys = subs.into_iter().filter(|sub| is_wanted(&request.wanted, &name, sub)).map(|sub| Key {
            binary: name.clone(),
            sub,
            arguments: arguments.clone(),
        });
        let keys = if request.quick { share(&expected, keys, days()) } else { keys.collect() };
        for key in keys {
            let sub = key.sub.clone();
            if request.since.as_ref().is_some_and(|day| stands(expected.get(&key), day, request.limit)) {
                continue;
            }
            let before = children_tenths();
            let Some(outcome) = run_one(&binary, &sub, &driver, &request)? else { continue };
            let tenths = children_tenths() - before;
            *totals.entry(outcome.clone()).or_default() += 1;
            if request.record {
                println!("{name} {sub} {outcome} {}", seconds(tenths));
                let taken = Some(Taken { tenths, date: date(days()) });
                let limit = Some(request.limit.as_secs());
                record_in(&path, key, Row { outcome, limit, taken, reason: String::new() })?;
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
fn record_in(path: &Path, key: Key, row: Row) -> Result<(), String> {
    let note = || -> std::io::Result<Result<(), String>> {
        let mut file = fs::OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        file.lock()?;
        let mut text = String::new();
        file.read_to_string(&mut text)?;
        let mut table = match parse_table(&text) {
            Ok(table) => table,
            Err((line, why)) => return Ok(Err(format!("line {line}: {why}"))),
        };
        record(&mut table, key, row);
        file.set_len(0)?;
        file.rewind()?;
        file.write_all(table_text(&table).as_bytes())?;
        Ok(Ok(()))
    };
    note().map_err(|e| e.to_string()).flatten().map_err(|why| format!("{}: {why}", path.display()))
}

/// Notes an outcome. The reason stays if the outcome does.
fn record(table: &mut Table, key: Key, mut row: Row) {
    if let Some(old) = table.get(&key).filter(|old| old.outcome == row.outcome) {
        row.reason.clone_from(&old.reason);
    }
    table.insert(key, row);
}

/// Whether a row was recorded on a day or later and need not be run again: all but what ran into a shorter time limit.
fn stands(row: Option<&Row>, day: &str, limit: Duration) -> bool {
    row.is_some_and(|row| {
        let recent = row.taken.as_ref().is_some_and(|taken| taken.date.as_str() >= day);
        recent && (row.outcome != "timeout" || row.limit.is_some_and(|old| old >= limit.as_secs()))
    })
}

/// What a day's share of a binary may take, in tenths of seconds of processor time.
const QUICK: u64 = 300;

/// A day's share of what a binary is to run: every n-th of those whose rows tell their time, with an n that is large
/// enough for `QUICK`. After n days all have been run, but those that take longer alone.
fn share(table: &Table, keys: impl Iterator<Item = Key>, day: u64) -> Vec<Key> {
    let tenths = |key: &Key| table.get(key).filter(|row| row.outcome != "timeout")?.taken.as_ref().map(|t| t.tenths);
    let (keys, times): (Vec<Key>, Vec<u64>) =
        keys.filter_map(|key| tenths(&key).filter(|&time| time <= QUICK).map(|time| (key, time))).unzip();
    let shares = times.iter().sum::<u64>().div_ceil(QUICK).max(1);
    (0..).zip(keys).filter(|(n, _)| n % shares == day % shares).map(|(_, key)| key).collect()
}

/// Whether a word looks like `2026-11-30`, in which form dates sort.
fn is_date(word: &str) -> bool {
    let parts: Vec<&str> = word.split('-').collect();
    let digits = parts.iter().all(|part| part.bytes().all(|c| c.is_ascii_digit()));
    digits && parts.iter().map(|part| part.len()).eq([4, 2, 2])
}

/// The days since the first of January 1970, in UTC.
fn days() -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs() / 86400
}

/// The date of a day that is counted from the first of January 1970.
fn date(day: u64) -> String {
    // Years begin in March, so that the leap day stands last. There are 146097 days in 400 years, 719468 between the
    // first of March of year 0 and 1970.
    let shifted = day + 719_468;
    let (era, day) = (shifted / 146_097, shifted % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let (day, month) = (day - (153 * month + 2) / 5 + 1, if month < 10 { month + 3 } else { month - 9 });
    format!("{:04}-{month:02}-{day:02}", 400 * era + year + u64::from(month <= 2))
}

/// Processor time of the sub-tests that have ended, in tenths of seconds; 0 if the system does not tell.
fn children_tenths() -> u64 {
    let text = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // Behind the name in parentheses, the fields 13 and 14 are user and system time in hundredths of seconds.
    let fields = text.rsplit(')').next().unwrap_or_default().split_whitespace();
    fields.skip(13).take(2).filter_map(|ticks| ticks.parse::<u64>().ok()).sum::<u64>() / 10
}

/// Tenths of seconds as the expectations file has them: `2.5s`.
fn seconds(tenths: u64) -> String {
    format!("{}.{}s", tenths / 10, tenths % 10)
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

/// The binary that registers one sub-test, `conversions`, and takes the cases inside it as arguments.
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
fn arguments<'a>(binary: &str, given: Option<&'a [String]>) -> Vec<&'a str> {
    if let Some(given) = given {
        return given.iter().map(String::as_str).collect();
    }
    match binary {
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

/// How the expectations file tells that there were no arguments.
const FULL: &str = "full";

/// Arguments as the expectations file has them.
fn named(arguments: &[&str], modules: bool) -> String {
    let words: Vec<&str> = modules.then_some(SPIRV).into_iter().chain(arguments.iter().copied()).collect();
    if words.is_empty() { FULL.to_owned() } else { words.join(",") }
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
        .args(arguments(&name, request.args.as_deref()))
        // Khronos' loader reads the first, and finds no folder in the second; Debian's takes a library as the second.
        .env("OCL_ICD_FILENAMES", driver)
        .env("OCL_ICD_VENDORS", driver)
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
        let (binary, sub, outcome, how, taken) = match words[..] {
            [binary, sub, outcome, how] => (binary, sub, outcome, how, None),
            [binary, sub, outcome, how, seconds, date] => {
                let taken = parse_taken(seconds, date).ok_or_else(|| (n + 1, "no seconds and day".to_owned()))?;
                (binary, sub, outcome, how, Some(taken))
            }
            _ => return Err((n + 1, "four or six words wanted".into())),
        };
        if !OUTCOMES.contains(&outcome) {
            return Err((n + 1, format!("`{outcome}` is no outcome")));
        }
        let (arguments, limit) = match how.split_once('@') {
            None => (how, None),
            Some((arguments, limit)) => {
                let limit = limit.strip_suffix('s').and_then(|limit| limit.parse().ok());
                (arguments, Some(limit.ok_or_else(|| (n + 1, "no time limit behind @".to_owned()))?))
            }
        };
        let row = Row { outcome: outcome.into(), limit, taken, reason: reason.trim().into() };
        let key = Key { binary: binary.into(), sub: sub.into(), arguments: arguments.into() };
        if table.insert(key, row).is_some() {
            return Err((n + 1, format!("{binary} {sub} stands twice")));
        }
    }
    Ok(table)
}

/// `2.5s` and `2026-11-30`.
fn parse_taken(seconds: &str, date: &str) -> Option<Taken> {
    let (whole, tenth) = seconds.strip_suffix('s')?.split_once('.').filter(|(_, tenth)| tenth.len() == 1)?;
    let tenths = whole.parse::<u64>().ok()?.checked_mul(10)?.checked_add(tenth.parse().ok()?)?;
    is_date(date).then(|| Taken { tenths, date: date.to_owned() })
}

/// What may come out of a sub-test.
const OUTCOMES: [&str; 5] = ["pass", "fail", "skip", "crash", "timeout"];

/// What stands on top of the expectations file.
const HEADER: &str = "\
# Expected outcomes of Khronos conformance sub-tests, in the order: binary, sub-test, outcome, how it was run, # reason.
# - Outcome: pass | fail | skip | crash | timeout. Whatever is no pass has a reason.
# - How: the binary's arguments, joined by commas; `full` if there were none; `?` where they are not recorded; `spir-v`
#   in front of them if the kernels came as modules. Behind `@` stands the time limit where it is recorded. Then come
#   seconds of processor time and the day, where they are recorded. A sub-test has a row for each list of arguments.
#   kernels-test/docs/khronos.md says what the arguments mean.
# Written by the runner, kernels-test/src/bin/cts.rs, with --record.
";

fn table_text(table: &Table) -> String {
    let mut text = HEADER.to_owned();
    for (Key { binary, sub, arguments }, Row { outcome, limit, taken, reason }) in table {
        text.push_str(&format!("{binary} {sub} {outcome} {arguments}"));
        if let Some(limit) = limit {
            text.push_str(&format!("@{limit}s"));
        }
        if let Some(Taken { tenths, date }) = taken {
            text.push_str(&format!(" {} {date}", seconds(*tenths)));
        }
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
        assert_eq!(parse_table("# text\na b pass"), Err((2, "four or six words wanted".into())));
        assert_eq!(parse_table("a b good full"), Err((1, "`good` is no outcome".into())));
        assert_eq!(parse_table("a b pass full@soon"), Err((1, "no time limit behind @".into())));
        assert_eq!(parse_table("a b pass full 1.5s today"), Err((1, "no seconds and day".into())));
        assert_eq!(parse_table("a b pass full\na b pass full@60s"), Err((2, "a b stands twice".into())));
    }

    fn key(arguments: &str) -> Key {
        Key { binary: "a".into(), sub: "b".into(), arguments: arguments.into() }
    }

    fn row(outcome: &str) -> Row {
        let taken = Some(Taken { tenths: 25, date: "2026-11-30".into() });
        Row { outcome: outcome.into(), limit: Some(60), taken, reason: String::new() }
    }

    #[test]
    fn a_reason_stays_as_long_as_the_outcome() {
        let mut table = parse_table("a b skip -w # no device").expect("it can be read");
        let arguments = named(&arguments(HALF, None), false);
        record(&mut table, key(&arguments), row("skip"));
        assert_eq!(table_text(&table), format!("{HEADER}a b skip -w@60s 2.5s 2026-11-30 # no device\n"));
        record(&mut table, key(&arguments), row("pass"));
        assert_eq!(table_text(&table), format!("{HEADER}a b pass -w@60s 2.5s 2026-11-30\n"));
    }

    #[test]
    fn runs_at_once_lose_no_rows() {
        let path = env::temp_dir().join(format!("clift-cts-rows-{}.txt", std::process::id()));
        let note = |n: usize| {
            let key = Key { sub: format!("s{n}"), ..key(FULL) };
            record_in(&path, key, row("pass")).expect("it can be written");
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
        assert_eq!(arguments(IMAGES[0].0, None), ["small_images", "CL_RGBA"]);
        assert_eq!(arguments(IMAGES[0].0, Some(&["max_images".to_owned()])), ["max_images"]);
        assert_eq!(named(&arguments(IMAGES[0].0, Some(&[])), false), "full");
        assert_eq!(named(&arguments("test_api", None), false), "full");
    }

    #[test]
    fn rows_of_other_arguments_stand_beside_each_other() {
        let named = |name| named(&arguments(name, None), true);
        assert_eq!((named("test_api"), named(HALF)), ("spir-v".into(), "spir-v,-w".into()));
        let text = "a b pass -w@60s\na b timeout full@60s 2.5s 2026-11-30 # hours\na b fail spir-v # no module\n";
        let table = parse_table(text).expect("it can be read");
        assert_eq!(table.keys().map(|key| key.arguments.as_str()).collect::<Vec<_>>(), ["-w", "full", "spir-v"]);
        assert_eq!(table_text(&table), format!("{HEADER}{text}"));
    }

    #[test]
    fn a_run_goes_on_behind_the_rows_since_its_first_day() {
        let minute = Duration::from_secs(60);
        let pass = row("pass");
        assert!(stands(Some(&pass), "2026-11-30", minute) && stands(Some(&pass), "2026-09-30", minute));
        assert!(!stands(Some(&pass), "2026-12-01", minute) && !stands(None, "2026-11-30", minute));
        assert!(!stands(Some(&Row { taken: None, ..pass }), "2026-11-30", minute));
        let timeout = row("timeout");
        assert!(stands(Some(&timeout), "2026-11-30", minute) && !stands(Some(&timeout), "2026-11-30", 2 * minute));
    }

    #[test]
    fn a_share_a_day_makes_the_whole() {
        let mut table = Table::new();
        let keys: Vec<Key> = (0..70).map(|n| Key { sub: format!("s{n}"), ..key(FULL) }).collect();
        for (n, key) in keys.iter().enumerate() {
            let taken = Taken { tenths: if n == 9 { QUICK + 1 } else { QUICK / 20 }, date: date(0) };
            table.insert(key.clone(), Row { taken: (n < 60).then_some(taken), ..row("pass") });
        }
        let shares: Vec<Vec<Key>> = (0..3).map(|day| share(&table, keys.iter().cloned(), day)).collect();
        assert_eq!(shares.iter().map(Vec::len).collect::<Vec<_>>(), [20, 20, 19]);
        let mut all = shares.concat();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 59);
        assert_eq!(share(&table, keys.iter().cloned(), 3), shares[0]);
    }

    #[test]
    fn the_shares_of_a_day_take_a_quarter_of_an_hour() {
        let table = parse_table(COMMITTED).expect("it can be read");
        let mut binaries: BTreeMap<&str, Vec<Key>> = BTreeMap::new();
        for key in table.keys().filter(|key| key.arguments == named(&arguments(&key.binary, None), false)) {
            binaries.entry(&key.binary).or_default().push(key.clone());
        }
        for day in 0..30 {
            let keys = binaries.values().flat_map(|keys| share(&table, keys.iter().cloned(), day));
            let tenths: u64 = keys.filter_map(|key| table[&key].taken.as_ref().map(|taken| taken.tenths)).sum();
            assert!(tenths <= 9000, "day {day}: {}", seconds(tenths));
        }
    }

    #[test]
    fn days_have_dates() {
        let dates = [(0, "1970-01-01"), (11_016, "2000-02-29"), (20_453, "2025-12-31"), (20_787, "2026-11-30")];
        for (day, text) in dates {
            assert_eq!(date(day), text);
        }
        assert!(is_date(&date(days())) && !is_date("today") && !is_date("1-12-2026"));
    }

    #[test]
    fn processor_time_is_that_of_children() {
        let before = children_tenths();
        let count = "i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done";
        assert!(Command::new("sh").args(["-c", count]).status().expect("there is a shell").success());
        assert!(children_tenths() > before);
        assert_eq!((seconds(25), parse_taken("2.5s", "2026-11-30")), ("2.5s".into(), row("pass").taken));
    }
}
