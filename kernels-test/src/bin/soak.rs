//! Runs `hosts/soak.c`, which does a bit of everything without end, and looks at its process from outside: memory,
//! mappings, threads and descriptors must stay what they are once it is warm, and it must not get slower.
//!
//! ```text
//! cargo build --release && cargo run --release -p clift-kernels-test --bin soak --
//!     [--seconds N] [--seed S] [--threads T] [--builds N | --launches N] [--library FILE]
//! ```
//! Exit code 1 if the host finds an error, does not end, leaves something alive, grows or slows down. Must not know
//! anything of the driver but its file.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::{env, fs};

/// What the command line asks.
struct Request {
    seconds: u64,
    seed: u64,
    threads: u64,
    /// Only these, as many.
    only: Option<(&'static str, u64)>,
    library: PathBuf,
}

/// What a process has and has done.
#[derive(Clone, Copy, Debug)]
struct Sample {
    /// Processor time in hundredths of a second.
    ticks: u64,
    acts: u64,
    /// Of `statm`, in KiB.
    resident: u64,
    mappings: u64,
    threads: u64,
    files: u64,
}

fn main() -> ExitCode {
    let outcome = parse(env::args().skip(1)).and_then(|request| run(&request));
    match outcome {
        Ok(summary) => {
            println!("soak: {summary}");
            ExitCode::SUCCESS
        }
        Err(message) => {
            println!("soak: {message}");
            ExitCode::FAILURE
        }
    }
}

fn parse(mut args: impl Iterator<Item = String>) -> Result<Request, String> {
    let near = env::current_exe().map_err(|e| e.to_string())?;
    let places = near.ancestors().skip(1).take(2).map(|folder| folder.join("libclift.so"));
    let library = places.into_iter().find(|path| path.is_file());
    let mut library = library.ok_or_else(|| format!("no libclift.so near {}: build it first", near.display()));
    let mut request = Request { seconds: 60, seed: 1, threads: 4, only: None, library: PathBuf::new() };
    while let Some(arg) = args.next() {
        let value = args.next().ok_or_else(|| format!("{arg} needs a value"))?;
        let number = || value.parse().map_err(|_| format!("{arg} {value}: not a number"));
        match arg.as_str() {
            "--seconds" => request.seconds = number()?,
            "--seed" => request.seed = number()?,
            "--threads" => request.threads = number()?,
            "--builds" => request.only = Some(("builds", number()?)),
            "--launches" => request.only = Some(("launches", number()?)),
            "--library" => library = Ok(value.into()),
            _ => return Err(format!("{arg} is not known")),
        }
    }
    request.library = library?;
    Ok(request)
}

fn compile(library: &Path, program: &Path) -> Result<(), String> {
    let hosts = Path::new(env!("CARGO_MANIFEST_DIR")).join("hosts");
    let mut compiler = Command::new(env::var_os("CC").unwrap_or("cc".into()));
    compiler.args(["-O1", "-g", "-std=gnu11", "-pthread", "-I"]).arg(hosts.join("include")).arg("-o").arg(program);
    let folder = library.parent().unwrap_or(Path::new("."));
    compiler.arg(hosts.join("soak.c")).arg(library).arg(format!("-Wl,-rpath,{}", folder.display())).arg("-lm");
    let output = compiler.output().map_err(|e| format!("no C compiler: {e}"))?;
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
}

fn run(request: &Request) -> Result<String, String> {
    let folder = env::temp_dir().join(format!("clift-soak-{}", std::process::id()));
    fs::create_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let program = folder.join("soak");
    let outcome = compile(&request.library, &program).and_then(|()| watch(request, &program));
    let _ = fs::remove_dir_all(&folder);
    outcome
}

fn watch(request: &Request, program: &Path) -> Result<String, String> {
    let mut host = Command::new(program);
    host.args([request.seconds, request.seed, request.threads].map(|n| n.to_string()));
    if let Some((what, n)) = request.only {
        host.arg(what).arg(n.to_string());
    }
    // What the heap keeps for each thread would be growth for a long time.
    host.env("CLIFT_LOG", "leaks").env("CLIFT_CACHE", "off").env("MALLOC_ARENA_MAX", "2").env_remove("LD_LIBRARY_PATH");
    let mut host = host.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().map_err(|e| format!("no host: {e}"))?;
    let process = PathBuf::from(format!("/proc/{}", host.id()));
    let (mut samples, mut rest) = (Vec::new(), Vec::new());
    for line in BufReader::new(host.stderr.take().ok_or("no stderr")?).lines() {
        let line = line.map_err(|e| e.to_string())?;
        match line.strip_prefix("acts ").and_then(|n| n.parse().ok()) {
            Some(acts) => samples.extend(sample(&process, acts)),
            None => rest.push(line),
        }
    }
    let status = host.wait().map_err(|e| e.to_string())?;
    let rest = rest.join("\n");
    if !status.success() {
        return Err(format!("{status}\n{rest}"));
    }
    if !rest.ends_with("clift: still alive: nothing") {
        return Err(format!("all is released, but\n{rest}"));
    }
    judge(&samples).map(|summary| format!("{}; {summary}", rest.lines().next().unwrap_or_default()))
}

fn sample(process: &Path, acts: u64) -> Option<Sample> {
    let statm = fs::read_to_string(process.join("statm")).ok()?;
    let resident = statm.split(' ').nth(1)?.parse::<u64>().ok()? * 4;
    let mappings = fs::read_to_string(process.join("maps")).ok()?.lines().count() as u64;
    let count = |name| Some(fs::read_dir(process.join(name)).ok()?.count() as u64);
    // Behind the name, which is in brackets: state, eleven numbers, and the times in user and kernel mode.
    let stat = fs::read_to_string(process.join("stat")).ok()?;
    let ticks = stat.rsplit_once(") ")?.1.split(' ').skip(11).take(2).filter_map(|n| n.parse::<u64>().ok()).sum();
    Some(Sample { ticks, acts, resident, mappings, threads: count("task")?, files: count("fd")? })
}

/// Compares the last third with the one before; the first one is for warming up.
fn judge(samples: &[Sample]) -> Result<String, String> {
    let third = samples.len() / 3;
    if third < 3 {
        return Err(format!("only {} looks at the process", samples.len()));
    }
    let (middle, last) = (&samples[third..2 * third], &samples[2 * third..]);
    let mut summary = Vec::new();
    let mut grown = Vec::new();
    // What may come on top is what a thread more or less, and what it has at the moment, make.
    type Column = (&'static str, fn(&Sample) -> u64, u64);
    let columns: [Column; 4] = [
        ("KiB of memory", |s| s.resident, 12 << 10),
        ("mappings", |s| s.mappings, 40),
        ("threads", |s| s.threads, 6),
        ("descriptors", |s| s.files, 0),
    ];
    for (name, value, slack) in columns {
        let (before, after) = (middle_of(middle, value), middle_of(last, value));
        summary.push(format!("{before} → {after} {name}"));
        if after > before + before / 50 + slack {
            grown.push(name);
        }
    }
    let (before, after) = (rate(middle), rate(last));
    summary.push(format!("{before:.0} → {after:.0} acts a second of processor time"));
    // Other processes share caches and cores.
    if after < before / 2.0 {
        grown.push("time");
    }
    match grown.is_empty() {
        true => Ok(summary.join(", ")),
        false => Err(format!("growth of {}: {}", grown.join(", "), summary.join(", "))),
    }
}

/// The median.
fn middle_of(samples: &[Sample], value: fn(&Sample) -> u64) -> u64 {
    let mut values: Vec<u64> = samples.iter().map(value).collect();
    values.sort_unstable();
    values[values.len() / 2]
}

fn rate(samples: &[Sample]) -> f64 {
    let (first, last) = (samples[0], samples[samples.len() - 1]);
    (last.acts - first.acts) as f64 / ((last.ticks - first.ticks) as f64 / 100.0).max(1e-2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(change: impl Fn(u64, &mut Sample)) -> Vec<Sample> {
        let of = |n: u64| {
            let mut sample =
                Sample { ticks: n * 10, acts: n * 50, resident: 100_000, mappings: 200, threads: 9, files: 5 };
            change(n, &mut sample);
            sample
        };
        (0..60).map(of).collect()
    }

    #[test]
    fn growth_is_found_and_noise_is_not() {
        assert!(judge(&samples(|_, _| {})).is_ok());
        assert!(judge(&samples(|n, s| s.resident += n % 7 * 1000)).is_ok());
        assert!(judge(&samples(|n, s| s.resident += n.min(15) * 10_000)).is_ok(), "warming up");
        let found = |samples: &[Sample]| judge(samples).expect_err("growth");
        assert!(found(&samples(|n, s| s.resident += n * 1000)).starts_with("growth of KiB of memory: "));
        assert!(found(&samples(|n, s| s.mappings += n * 3)).starts_with("growth of mappings: "));
        assert!(found(&samples(|n, s| s.threads += n / 2)).starts_with("growth of threads: "));
        assert!(found(&samples(|n, s| s.files += n / 20)).starts_with("growth of descriptors: "));
        assert!(found(&samples(|n, s| s.acts = 3000 - (60 - n).pow(2) / 2)).starts_with("growth of time: "));
        assert!(judge(&samples(|_, _| {})[..8]).is_err());
    }
}
