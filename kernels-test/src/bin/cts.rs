//! Runs built Khronos conformance tests against libclift.so, one sub-test per process, and compares with the expectations in
//! `kernels-test/cts/expected.txt`. An unexpected pass counts as a difference too.
//!
//! `cargo run --release -p clift-kernels-test --bin cts -- FOLDER [--record] [--seconds N] [--args "…"] [BINARY[:SUBTEST]]...`
//! FOLDER is searched for executables named `test_*`. `--record` rewrites the expectations of what was run. Must not know
//! anything of the driver but its file.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs};

/// One line of the expectations file: binary, sub-test, outcome.
type Table = BTreeMap<(String, String), String>;

/// What the command line asks.
struct Request {
    folder: PathBuf,
    record: bool,
    limit: Duration,
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
    let (mut record, mut limit, mut extra, mut wanted) = (false, 120, Vec::new(), Vec::new());
    let mut args = env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--record" => record = true,
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
    let folder = folder.ok_or("usage: cts FOLDER [--record] [--seconds N] [--args \"…\"] [BINARY[:SUBTEST]]...")?;
    Ok(Request { folder, record, limit: Duration::from_secs(limit), args: extra, wanted })
}

fn run() -> Result<usize, String> {
    let request = request()?;
    let driver = driver()?;
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("cts/expected.txt");
    let mut expected = read_table(&path)?;
    let mut differences = 0;
    let mut totals: BTreeMap<String, usize> = BTreeMap::new();
    for binary in find_tests(&request.folder)? {
        let name = binary.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        let subs = if name == CONVERSIONS { conversions() } else { list(&binary)? };
        for sub in subs {
            if !is_wanted(&request.wanted, &name, &sub) {
                continue;
            }
            let outcome = run_one(&binary, &sub, &driver, &request)?;
            *totals.entry(outcome.clone()).or_default() += 1;
            let key = (name.clone(), sub.clone());
            if request.record {
                println!("{name} {sub} {outcome}");
                expected.insert(key, outcome);
            } else {
                let want = expected.get(&key).map_or("unknown", String::as_str);
                let same = want == outcome;
                println!("{name} {sub} {outcome}{}", if same { String::new() } else { format!(" (expected {want})") });
                differences += usize::from(!same);
            }
        }
    }
    if request.record {
        write_table(&path, &expected)?;
    }
    println!("{totals:?}");
    Ok(differences)
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

/// The binaries that go through all formats and sizes of images. Without `--args` they take sizes up to a dozen and, where
/// they let one choose, one channel order, which has every channel type.
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

/// Runs one sub-test: `pass`, `fail`, `skip`, `crash` or `timeout`.
fn run_one(binary: &Path, sub: &str, driver: &Path, request: &Request) -> Result<String, String> {
    let results = env::temp_dir().join(format!("clift-cts-{}.json", std::process::id()));
    let _ = fs::remove_file(&results);
    let is_conversion = binary.ends_with(CONVERSIONS);
    let image_args = IMAGES.iter().find(|(name, _)| binary.ends_with(name)).map_or(&[][..], |row| row.1);
    let sample = match request.args.is_empty() {
        true if is_conversion => vec!["-w", "-[32]"],
        true if !image_args.is_empty() => image_args.to_vec(),
        true if binary.ends_with(HALF) || binary.ends_with(BRUTE_FORCE) => vec!["-w"],
        true if binary.ends_with(ALLOCATIONS) => vec!["10%"],
        true if binary.ends_with(ATOMICS) => vec!["-w", "-internalIterations", "1000"],
        _ => request.args.iter().map(String::as_str).collect(),
    };
    let mut child = Command::new(binary)
        .arg(sub)
        .args(sample)
        .env("OCL_ICD_FILENAMES", driver)
        .env("OCL_ICD_VENDORS", "/nonexistent")
        .env("CL_CONFORMANCE_RESULTS_FILENAME", &results)
        .current_dir(binary.parent().unwrap_or(Path::new(".")))
        .stdout(if is_conversion { Stdio::piped() } else { Stdio::null() })
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
                return Ok("timeout".into());
            }
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    }
    let text = fs::read_to_string(&results).unwrap_or_default();
    let _ = fs::remove_file(&results);
    // `"results":{"name":"pass"}` with any blanks; the name is unique in the file's results.
    let key = if is_conversion { "\"conversions\"".to_owned() } else { format!("\"{sub}\"") };
    let after = text.split("\"results\"").nth(1).and_then(|t| t.split(&key).nth(1));
    let outcome = after.and_then(|t| t.split('"').nth(1));
    // The conversions binary passes a case that it leaves out as well; what it tried is in its log, a page long.
    let mut log = String::new();
    if let Some(mut stdout) = child.stdout.take() {
        let _ = stdout.read_to_string(&mut log);
    }
    if is_conversion && outcome == Some("pass") && !log.contains("Testing...") {
        return Ok("skip".into());
    }
    Ok(outcome.unwrap_or("crash").to_owned())
}

fn read_table(path: &Path) -> Result<Table, String> {
    let text = fs::read_to_string(path).unwrap_or_default();
    let mut table = Table::new();
    for (n, line) in text.lines().enumerate() {
        if line.starts_with('#') || line.trim().is_empty() {
            continue;
        }
        let mut words = line.split_whitespace();
        match (words.next(), words.next(), words.next()) {
            (Some(b), Some(s), Some(o)) => table.insert((b.into(), s.into()), o.into()),
            _ => return Err(format!("{}:{}: three words wanted", path.display(), n + 1)),
        };
    }
    Ok(table)
}

fn write_table(path: &Path, table: &Table) -> Result<(), String> {
    let mut text = String::from(
        "# Expected outcome of Khronos conformance sub-tests: binary, sub-test, pass | fail | skip | crash | timeout.\n\
         # Written by the runner in kernels-test/src/bin/cts.rs with --record.\n",
    );
    for ((binary, sub), outcome) in table {
        text.push_str(&format!("{binary} {sub} {outcome}\n"));
    }
    fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))
}
