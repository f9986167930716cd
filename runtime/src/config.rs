//! Environment options: one commented row each, read once per process.

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
    // Comma-separated topics that may be printed on stderr.
    Row { name: "CLIFT_LOG", help: "topics to print on stderr: api,build,kernels,leaks,all (default: none)" },
];

/// The options of this process.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// `CLIFT_THREADS`, if set to a number in range.
    pub threads: Option<usize>,
    /// `CLIFT_LOG`, split.
    pub log: Vec<String>,
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
        Self { threads, log: var("CLIFT_LOG").map(split).unwrap_or_default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_out_of_range_are_ignored() {
        let with = |threads: &str, log: &str| {
            let (threads, log) = (threads.to_owned(), log.to_owned());
            Config::read(move |name| Some(if name == "CLIFT_THREADS" { threads.clone() } else { log.clone() }))
        };
        assert_eq!(with("0", "").threads, None);
        assert_eq!(with("x", "").threads, None);
        assert_eq!(with(" 3 ", "").threads, Some(3));
        assert!(with("1", "api, kernels").logs("kernels"));
        assert!(!with("1", "api").logs("kernels"));
        assert!(with("1", "all").logs("leaks"));
    }
}
