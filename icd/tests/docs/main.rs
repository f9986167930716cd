//! Runs what the documents for users show: README.md and icd/docs. Each fenced block is a file or a session of
//! commands. A file (` ```c first.c `) is written to the document's folder; some command must name it. The commands of
//! a `console` block run in one shell, in that folder, with the tool in the path and the driver installed for loaders;
//! what they print must be what the document shows, with `…` for what it leaves out.
//!
//! A comment in front of a block changes that, and must give one of the reasons that this file knows:
//! `<!-- needs WHAT -->` (see `NEEDS`; with `CLIFT_REQUIRE_DOCS=1` nothing may be missing), `<!-- not run: WHY -->`
//! (see `UNRUN`), `<!-- numbers vary -->`, `<!-- exit code N -->`. Comments may also have files and commands that
//! readers do not need: see `document`.
//!
//! `CLIFT_DOCS=NAME` runs only the documents whose path contains that.

mod compare;
mod document;

use document::{Command as Shown, Part, Rules};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::{env, fs};

/// Why commands are not run.
const UNRUN: [&str; 6] = [
    "only an example",
    "changes the system",
    "takes minutes",
    // Packages are made and installed by CI, in a system of their own.
    "installs a package",
    "needs perf",
    "needs another driver",
];

/// A reason of this form names the test that does what the block shows.
const OTHER_TEST: &str = "see ";

/// What may be missing on a machine: its name in documents, and a command that succeeds where it is there.
const NEEDS: [(&str, &str); 7] = [
    ("clinfo", "test -n \"$LOADER\" && command -v clinfo"),
    ("patchelf", "command -v patchelf"),
    ("a loader", "test -n \"$LOADER\""),
    ("opencl.hpp", "echo '#include <CL/opencl.hpp>' | c++ -E -x c++ - >/dev/null"),
    ("pyopencl", "python3 -c 'import pyopencl, numpy, mako'"),
    ("crates", "cd first-rust && mkdir -p src && touch src/main.rs && cargo fetch -q"),
    ("AVX2", "grep -qw avx2 /proc/cpuinfo"),
];

/// That of these which no installation brings.
const HARDWARE: &str = "AVX2";

/// Seconds that the commands of one block may take.
const SECONDS: &str = "900";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a crate lies in the workspace").to_owned()
}

/// README.md and what is in icd/docs, as paths from the root.
fn documents() -> Vec<String> {
    let entries = fs::read_dir(root().join("icd/docs")).expect("the folder of documents");
    let mut found: Vec<String> = entries
        .map(|entry| format!("icd/docs/{}", entry.expect("it can be read").file_name().to_string_lossy()))
        .filter(|path| path.ends_with(".md"))
        .collect();
    found.push("README.md".to_owned());
    found.sort();
    assert!(found.len() > 5, "{found:?}");
    found
}

#[test]
fn what_documents_show_is_what_happens() {
    let only = env::var("CLIFT_DOCS").unwrap_or_default();
    let queue = Mutex::new(documents().into_iter().filter(|path| path.contains(&only)));
    let (wrong, reasons) = (Mutex::new(String::new()), Mutex::new(BTreeSet::new()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(path) = { queue.lock().expect("no panic").next() } {
                    let (errors, used) = Place::new(&path).run();
                    wrong.lock().expect("no panic").push_str(&errors);
                    reasons.lock().expect("no panic").extend(used);
                }
            });
        }
    });
    let wrong = wrong.into_inner().expect("no panic");
    assert!(wrong.is_empty(), "{wrong}");
    let reasons = reasons.into_inner().expect("no panic");
    for name in UNRUN.into_iter().chain(NEEDS.map(|(name, _)| name)).filter(|_| only.is_empty()) {
        assert!(reasons.contains(name), "no document has the reason `{name}` any more");
    }
}

/// The name by which a heading is linked to.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

/// Links between documents lead to headings that are there; that the files are is a matter of `tidy`.
#[test]
fn links_lead_to_headings() {
    let read = |path: &Path| fs::read_to_string(path).unwrap_or_default();
    assert_eq!(anchor("`clift run`: X, or Y"), "clift-run-x-or-y");
    let mut n_links = 0;
    for path in documents() {
        let path = root().join(path);
        let text = read(&path);
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let Some((file, name)) = target.split_once('#').filter(|_| !target.contains("://")) else { continue };
            let to = if file.is_empty() { text.clone() } else { read(&path.with_file_name(file)) };
            let mut headings = to.lines().filter(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#'));
            assert!(headings.any(|heading| anchor(heading.trim()) == name), "{}: {target}", path.display());
            n_links += 1;
        }
    }
    assert!(n_links > 30, "only {n_links} links");
}

/// A document and the folder that it is run in.
struct Place {
    path: String,
    folder: tempfile::TempDir,
    /// What of `NEEDS` has been asked for, and whether it is there.
    there: BTreeMap<String, bool>,
    errors: String,
}

impl Place {
    fn new(path: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["bin", "lib", "vendors", "work"] {
            fs::create_dir(folder.path().join(name)).expect("it is new");
        }
        let tool = Path::new(env!("CARGO_BIN_EXE_clift"));
        let at = |name: &str| folder.path().join(name);
        std::os::unix::fs::symlink(tool, at("bin/clift")).expect("a link");
        let mut install = Command::new(tool);
        let status = install.arg("install").arg("--vendors").arg(at("vendors")).stdout(Stdio::null()).status();
        assert!(status.expect("the tool starts").success());
        let library = fs::read_to_string(at("vendors/clift.icd")).expect("it was written");
        // As `-lOpenCL` finds it where the loader's package for development is not installed, or no loader is.
        let linked = loader().unwrap_or_else(|| library.trim().into());
        for name in ["lib/libOpenCL.so", "lib/libOpenCL.so.1", "lib/libclift.so"] {
            let to = if name.ends_with("clift.so") { Path::new(library.trim()) } else { &linked };
            std::os::unix::fs::symlink(to, at(name)).expect("a link");
        }
        Self { path: path.to_owned(), folder, there: BTreeMap::new(), errors: String::new() }
    }

    fn wrong(&mut self, line: usize, why: &str) {
        let _ = writeln!(self.errors, "{}:{line}: {why}", self.path);
    }

    /// Runs it all; what is wrong, and the reasons for what is not run.
    fn run(mut self) -> (String, BTreeSet<String>) {
        let text = fs::read_to_string(root().join(&self.path)).expect("a document");
        let parts = match document::parts(&text) {
            Ok(parts) => parts,
            Err(why) => return (format!("{}:{why}\n", self.path), BTreeSet::new()),
        };
        let (mut files, mut commands, mut reasons) = (Vec::new(), String::new(), BTreeSet::new());
        for (line, part) in &parts {
            match part {
                Part::File { name, text } => {
                    let file = self.folder.path().join("work").join(name);
                    fs::create_dir_all(file.parent().expect("a folder")).expect("it can be made");
                    fs::write(file, text).expect("it can be written");
                    files.push((*line, name));
                }
                Part::Session { commands: shown, rules } => {
                    reasons.extend(rules.needs.iter().cloned());
                    commands.extend(shown.iter().flat_map(|command| [&command.text, "\n"]));
                    self.session(*line, shown, rules);
                }
                Part::Unrun { commands: shown, reason } => {
                    reasons.insert(reason.clone());
                    self.unrun(*line, shown, reason);
                }
            }
        }
        for (line, name) in files {
            // A project's files are those of its manifest.
            let folder = name.split('/').next().unwrap_or_default();
            if !commands.contains(name.as_str()) && !commands.contains(&format!("{folder}/Cargo.toml")) {
                self.wrong(line, &format!("no command uses `{name}`"));
            }
        }
        (self.errors, reasons)
    }

    /// A shell with the tool in its path and the driver installed.
    fn shell(&self, script: &str) -> Command {
        let at = |name: &str| self.folder.path().join(name);
        let mut command = Command::new("timeout");
        command.args([SECONDS, "sh", "-c", script]).current_dir(at("work")).stdin(Stdio::null());
        for (name, _) in env::vars_os() {
            let name = name.to_string_lossy().into_owned();
            if ["CLIFT_", "OCL_ICD_", "CARGO_PKG_", "CARGO_MANIFEST_"].iter().any(|start| name.starts_with(start)) {
                command.env_remove(name);
            }
        }
        let path = env::var_os("PATH").unwrap_or_default();
        let paths = [at("bin")].into_iter().chain(env::split_paths(&path));
        command.env("PATH", env::join_paths(paths).expect("a path"));
        command.env("OCL_ICD_VENDORS", at("vendors")).env("LIBRARY_PATH", at("lib")).env("LD_LIBRARY_PATH", at("lib"));
        command.env("XDG_CACHE_HOME", at("cache")).env("XDG_CONFIG_HOME", at("config")).env("NO_COLOR", "1");
        command.env("LOADER", loader().unwrap_or_default());
        // What Rust programs are made of stays for the next time; only CI may ask for it.
        command.env("CARGO_TARGET_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("docs"));
        command.env("CARGO_NET_OFFLINE", if must_have_all() { "false" } else { "true" }).env_remove("RUSTFLAGS");
        if !Path::new("/usr/include/CL/cl.h").exists() {
            command.env("CPATH", root().join("kernels-test/hosts/include"));
        }
        command
    }

    /// Whether something is there that may be missing.
    fn has(&mut self, line: usize, what: &str) -> bool {
        if let Some(&is_there) = self.there.get(what) {
            return is_there;
        }
        let Some((_, probe)) = NEEDS.iter().find(|(name, _)| *name == what) else {
            self.wrong(line, &format!("`{what}` is nothing that this test knows how to look for"));
            return false;
        };
        let output = self.shell(probe).output().expect("a shell");
        let is_there = output.status.success();
        if !is_there && must_have_all() && what != HARDWARE {
            self.wrong(line, &format!("{what} is missing: {}", String::from_utf8_lossy(&output.stderr)));
        } else if !is_there {
            println!("{}:{line}: not run, since {what} is missing", self.path);
        }
        self.there.insert(what.to_owned(), is_there);
        is_there
    }

    /// Runs commands and compares what they print.
    fn session(&mut self, line: usize, shown: &[Shown], rules: &Rules) {
        if !rules.needs.iter().all(|what| self.has(line, what)) {
            return;
        }
        const END: &str = "\u{1}code ";
        let mut script = "exec 2>&1\n".to_owned();
        for command in shown {
            let _ = write!(
                script,
                "{}\nclift_code=$?; printf '{END}%d\\n' $clift_code; (exit $clift_code)\n",
                command.text
            );
        }
        let output = self.shell(&script).output().expect("a shell");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let mut rest = text.as_str();
        for (n, command) in shown.iter().enumerate() {
            let Some((printed, after)) = rest.split_once(END) else {
                return self.wrong(line, &format!("`{}` does not end:\n{rest}", command.text));
            };
            let (code, after) = after.split_once('\n').unwrap_or((after, ""));
            rest = after;
            let is_last = n + 1 == shown.len();
            // The code of a command is not looked at if the next one shows it.
            let is_shown = shown.get(n + 1).is_some_and(|next| next.text == "echo $?");
            let want = if is_last { rules.code } else { 0 };
            if !is_shown && code != want.to_string() {
                self.wrong(line, &format!("`{}` ends with {code}:\n{printed}", command.text));
            } else if let Some(why) = compare::difference(&command.output, printed, rules.any_numbers) {
                self.wrong(line, &format!("`{}`: {why}", command.text));
            }
        }
    }

    /// Commands that are not run must have a good reason, be commands, and have options of the tool that exist.
    fn unrun(&mut self, line: usize, shown: &[Shown], reason: &str) {
        let is_known = match reason.strip_prefix(OTHER_TEST) {
            Some(test) => root().join(test).is_file(),
            None => UNRUN.contains(&reason),
        };
        if !is_known {
            self.wrong(line, &format!("`{reason}` is no reason that this test knows"));
        }
        for command in shown {
            let mut check = Command::new("sh");
            if !check.args(["-n", "-c", &command.text]).status().is_ok_and(|status| status.success()) {
                self.wrong(line, &format!("`{}` is no command", command.text));
            }
            let mut words = command.text.split_whitespace().skip_while(|word| !word.ends_with("clift"));
            let Some(verb) = words.nth(1).filter(|verb| verb.chars().all(|c| c.is_ascii_lowercase())) else { continue };
            let help = Command::new(env!("CARGO_BIN_EXE_clift")).args([verb, "--help"]).output().expect("the tool");
            let help = String::from_utf8_lossy(&help.stdout).into_owned();
            let options = words.take_while(|word| *word != "#" && *word != "--");
            for word in options.filter(|word| word.starts_with("--")).chain(["Usage"]) {
                if !help.contains(word) {
                    self.wrong(line, &format!("`{}`: `clift {verb} --help` does not know {word}", command.text));
                }
            }
        }
    }
}

/// Whether what documents need may not be missing.
fn must_have_all() -> bool {
    env::var_os("CLIFT_REQUIRE_DOCS").is_some_and(|value| value == "1")
}

/// The ICD loader that the C compiler finds.
fn loader() -> Option<PathBuf> {
    let output = Command::new("cc").arg("-print-file-name=libOpenCL.so.1").output().ok()?;
    let path = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
    path.canonicalize().ok().filter(|_| path.is_absolute())
}
