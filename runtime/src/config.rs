//! Environment options: one commented row each, read once per process.

use crate::check::Kinds;
use std::path::PathBuf;
use std::sync::OnceLock;

/// One row: name, what it does.
pub struct Row {
    /// Environment variable.
    pub name: &'static str,
    /// What it does, for `clift info`; the user's guide says more.
    pub help: &'static str,
}

/// The variables that users may want. `clift_jit` reads others, for developers; the user's guide has them all.
pub const ROWS: &[Row] = &[
    // Worker threads of the root device, 1 to 4096; the device's compute units follow.
    Row {
        name: "CLIFT_THREADS",
        help: "number of worker threads (default: CPUs of the affinity mask and cgroup quota)",
    },
    // Read by `clift_jit::target`: one back end for all kernels.
    Row {
        name: "CLIFT_ISA",
        help: "scalar, v128, avx2 or avx512: work-items one by one or in such vectors (default: the widest)",
    },
    // Built programs and machine code; see `Place`.
    Row { name: "CLIFT_CACHE", help: "a folder for built programs and their code, or off (default: ~/.cache/clift)" },
    // Comma-separated topics that may be printed on stderr.
    Row { name: "CLIFT_LOG", help: "topics to print on stderr: api,build,kernels,leaks,all (default: none)" },
    // Read by `clift_jit::codegen::debug`.
    Row { name: "CLIFT_PERF", help: "map or jitdump: files from which perf learns kernels' names, and lines" },
    // Read by `clift_jit::codegen::debug`, too.
    Row { name: "CLIFT_FAULT", help: "1: faults in kernels are told of with their lines before the process dies" },
    // With CLIFT_TRACE_LIMITS; `clift profile` sets both.
    Row { name: "CLIFT_TRACE", help: "a file for a trace of builds, commands and threads, for Perfetto or Chrome" },
    // Set by `clift record`, as is CLIFT_RECORD_LIMITS.
    Row { name: "CLIFT_RECORD", help: "a file to which launches of kernels are recorded, as `clift record` does" },
    // The checked mode; set by `clift check`, as are the next three.
    Row {
        name: "CLIFT_CHECK",
        help: "mistakes to look for: memory,races,barriers,values,shifts,api,nans,all (default: none)",
    },
    Row {
        name: "CLIFT_CHECK_LOG",
        help: "a file for what is found, as text or, if it ends in .json or .jsonl, JSON lines",
    },
    Row { name: "CLIFT_CHECK_SUPPRESS", help: "a file that lists what is not to be reported" },
    Row { name: "CLIFT_CHECK_ABORT", help: "1: the process aborts at the first report" },
];

/// The options of this process.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// `CLIFT_THREADS`, if set to a number in range.
    pub threads: Option<usize>,
    /// `CLIFT_LOG`, split.
    pub log: Vec<String>,
    /// `CLIFT_CACHE`.
    pub cache: Place,
    /// `CLIFT_RECORD` and what bounds the recording.
    pub record: Option<Limits>,
    /// `CLIFT_TRACE` and what bounds the trace.
    pub trace: Option<TraceLimits>,
    /// `CLIFT_CHECK` and its companions.
    pub check: Check,
    /// `CLIFT_FAULT`.
    pub fault: bool,
}

/// Where a trace goes, and how large it may be: `CLIFT_TRACE=FILE` and `CLIFT_TRACE_LIMITS=bytes=N`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceLimits {
    /// The file, wherever the process goes.
    pub path: PathBuf,
    /// Bytes of the file.
    pub bytes: u64,
}

impl TraceLimits {
    /// Bytes of the file, unless the user says otherwise.
    pub const BYTES: u64 = 256 << 20;

    fn new(path: &str, limits: &str) -> Self {
        let bytes = limits.split(',').filter_map(|limit| limit.trim().strip_prefix("bytes=")?.parse().ok()).next_back();
        let path = std::path::absolute(path).unwrap_or_else(|_| path.into());
        Self { path, bytes: bytes.unwrap_or(Self::BYTES) }
    }
}

/// What is checked and where it is reported.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Check {
    /// `CLIFT_CHECK`.
    pub kinds: Kinds,
    /// `CLIFT_CHECK_LOG`; stderr if there is none.
    pub log: Option<String>,
    /// `CLIFT_CHECK_SUPPRESS`.
    pub suppress: Option<PathBuf>,
    /// `CLIFT_CHECK_ABORT`.
    pub abort: bool,
    /// `CLIFT_CHECK_COUNT`: a file that `clift check` counts the reports in.
    pub count: Option<PathBuf>,
}

impl Check {
    fn new(var: impl Fn(&str) -> Option<String>) -> Self {
        let set = |name: &str| var(name).filter(|value| !value.is_empty());
        Self {
            kinds: set("CLIFT_CHECK").map_or(Kinds::empty(), |list| Kinds::parse(&list)),
            log: set("CLIFT_CHECK_LOG"),
            suppress: set("CLIFT_CHECK_SUPPRESS").map(PathBuf::from),
            abort: set("CLIFT_CHECK_ABORT").is_some_and(|value| value != "0"),
            count: set("CLIFT_CHECK_COUNT").map(PathBuf::from),
        }
    }
}

/// Where built programs are kept: `CLIFT_CACHE=DIR`, or nowhere if that is `off` or empty; if it is not set
/// `$XDG_CACHE_HOME/clift`, and if that is not set either `$HOME/.cache/clift`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Place {
    /// Nothing is kept.
    #[default]
    Nowhere,
    /// In this folder.
    Dir(PathBuf),
}

impl Place {
    fn new(var: impl Fn(&str) -> Option<String>) -> Self {
        match var("CLIFT_CACHE").as_deref().map(str::trim) {
            Some("off" | "") => Self::Nowhere,
            // Wherever the process goes.
            Some(dir) => Self::Dir(std::path::absolute(dir).unwrap_or_else(|_| dir.into())),
            None => {
                // XDG Base Directory Specification: relative paths are invalid and ignored.
                let absolute = |name| var(name).map(PathBuf::from).filter(|path| path.is_absolute());
                let base = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")));
                base.map_or(Self::Nowhere, |base| Self::Dir(base.join("clift")))
            }
        }
    }
}

/// What is recorded, and where: `CLIFT_RECORD=FILE` and `CLIFT_RECORD_LIMITS=launches=N,bytes=N,kernel=NAME`, of which
/// the last may stand there more than once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The file.
    pub path: PathBuf,
    /// Launches of each kernel and size.
    pub launches: u64,
    /// Bytes of memory in all, before they are compressed.
    pub bytes: u64,
    /// Only these kernels; all if there are none.
    pub kernels: Vec<String>,
}

impl Limits {
    /// Launches of each kernel and size, unless the user says otherwise.
    pub const LAUNCHES: u64 = 4;
    /// Bytes of memory, unless the user says otherwise.
    pub const BYTES: u64 = 1 << 30;

    fn new(path: PathBuf, limits: &str) -> Self {
        let mut this = Self { path, launches: Self::LAUNCHES, bytes: Self::BYTES, kernels: Vec::new() };
        for limit in limits.split(',') {
            match limit.split_once('=') {
                Some(("launches", n)) => this.launches = n.parse().unwrap_or(this.launches),
                Some(("bytes", n)) => this.bytes = n.parse().unwrap_or(this.bytes),
                Some(("kernel", name)) => this.kernels.push(name.to_owned()),
                _ => {}
            }
        }
        this
    }
}

impl Config {
    /// The options, read from the environment at the first call.
    pub fn get() -> &'static Self {
        static CONFIG: OnceLock<Config> = OnceLock::new();
        CONFIG.get_or_init(|| Self::read(clift_jit::env::var))
    }

    /// Whether a topic may be printed.
    pub fn logs(&self, topic: &str) -> bool {
        self.log.iter().any(|t| t == topic || t == "all")
    }

    /// Prints a line on stderr if its topic was asked for.
    pub fn log(topic: &str, line: impl FnOnce() -> String) {
        if Self::get().logs(topic) {
            eprintln!("clift: {}", line());
        }
    }

    fn read(var: impl Fn(&str) -> Option<String>) -> Self {
        let threads = var("CLIFT_THREADS").and_then(|t| t.trim().parse().ok()).filter(|t| (1..=4096).contains(t));
        let split = |l: String| l.split(',').map(|t| t.trim().to_owned()).filter(|t| !t.is_empty()).collect();
        let limits = || var("CLIFT_RECORD_LIMITS").unwrap_or_default();
        let record =
            var("CLIFT_RECORD").filter(|path| !path.is_empty()).map(|path| Limits::new(path.into(), &limits()));
        let limits = || var("CLIFT_TRACE_LIMITS").unwrap_or_default();
        let trace = var("CLIFT_TRACE").filter(|path| !path.is_empty()).map(|path| TraceLimits::new(&path, &limits()));
        let cache = Place::new(&var);
        let log = var("CLIFT_LOG").map(split).unwrap_or_default();
        let fault = var("CLIFT_FAULT").as_deref() == Some("1");
        Self { threads, log, cache, record, trace, check: Check::new(var), fault }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_out_of_range_are_ignored() {
        let with = |threads: &str, log: &str| {
            let (threads, log) = (threads.to_owned(), log.to_owned());
            Config::read(move |name| match name {
                "CLIFT_THREADS" => Some(threads.clone()),
                "CLIFT_LOG" => Some(log.clone()),
                _ => None,
            })
        };
        assert_eq!(with("0", "").threads, None);
        assert_eq!(with("x", "").threads, None);
        assert_eq!(with(" 3 ", "").threads, Some(3));
        assert!(with("1", "api, kernels").logs("kernels"));
        assert!(!with("1", "api").logs("kernels"));
        assert!(with("1", "all").logs("leaks"));
    }

    #[test]
    fn programs_are_kept_where_users_keep_such_things() {
        let with = |set: &[(&str, &str)]| {
            let value = |name: &str| set.iter().find(|(n, _)| *n == name).map(|(_, value)| (*value).to_owned());
            Place::new(value)
        };
        let dir = |path: &str| Place::Dir(path.into());
        assert_eq!(with(&[]), Place::Nowhere);
        assert_eq!(with(&[("HOME", "/h")]), dir("/h/.cache/clift"));
        assert_eq!(with(&[("HOME", "/h"), ("XDG_CACHE_HOME", "/x")]), dir("/x/clift"));
        assert_eq!(with(&[("HOME", "/h"), ("XDG_CACHE_HOME", "x")]), dir("/h/.cache/clift"));
        assert_eq!(with(&[("HOME", "/h"), ("CLIFT_CACHE", "/c/d")]), dir("/c/d"));
        let here = std::env::current_dir().expect("there").join("c/d");
        assert_eq!(with(&[("HOME", "/h"), ("CLIFT_CACHE", "c/d")]), Place::Dir(here));
        assert_eq!(with(&[("HOME", "/h"), ("CLIFT_CACHE", "off")]), Place::Nowhere);
        assert_eq!(with(&[("HOME", "/h"), ("CLIFT_CACHE", "")]), Place::Nowhere);
    }

    #[test]
    fn a_trace_has_a_limit() {
        for (limits, bytes) in [("", TraceLimits::BYTES), ("bytes=7", 7), ("bytes=x,more", TraceLimits::BYTES)] {
            assert_eq!(TraceLimits::new("/a", limits), TraceLimits { path: "/a".into(), bytes });
        }
    }

    #[test]
    fn a_recording_has_limits() {
        let limits = Limits::new("a".into(), "launches=7,kernel=f,bytes=x,,kernel=g,more");
        let kernels = vec!["f".to_owned(), "g".to_owned()];
        assert_eq!(limits, Limits { path: "a".into(), launches: 7, bytes: Limits::BYTES, kernels });
    }
}
