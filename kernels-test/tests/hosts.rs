//! C host programs of `hosts/` that put the driver under strain, compiled with the system's compiler: linked with the
//! driver, through an ICD loader where there is one, and with AddressSanitizer where the compiler has it. Nothing may
//! be alive at the end of a program that released everything, and the checks of calls and commands find nothing in any
//! of them; the programs of `parts` have mistakes for these to find. With `CLIFT_REQUIRE_LOADER=1` a missing loader is
//! a failure.

#[path = "hosts/parts.rs"]
mod parts;

use libtest_mimic::{Arguments, Failed, Trial};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, OnceLock};

/// Program, its arguments, threads of the device (none: as the machine is), exit code, and whether all is released.
struct Case {
    program: &'static str,
    args: &'static [&'static str],
    threads: Option<&'static str>,
    code: i32,
    is_tidy: bool,
}

const fn tidy(program: &'static str, args: &'static [&'static str], threads: Option<&'static str>) -> Case {
    Case { program, args, threads, code: 0, is_tidy: true }
}

const fn cut_short(how: &'static [&'static str]) -> Case {
    Case { program: "endings", args: how, threads: None, code: 7, is_tidy: false }
}

const CASES: &[Case] = &[
    tidy("sub_devices", &[], None),
    tidy("sub_devices", &[], Some("8")),
    tidy("sub_devices", &[], Some("1")),
    tidy("overlaps", &[], None),
    tidy("overlaps", &[], Some("8")),
    tidy("pipes", &[], None),
    tidy("pipes", &[], Some("8")),
    tidy("pipes", &[], Some("1")),
    tidy("pipe_ends", &[], None),
    tidy("pipe_ends", &[], Some("8")),
    tidy("children", &[], None),
    tidy("children", &[], Some("8")),
    tidy("children", &[], Some("1")),
    tidy("families", &[], None),
    tidy("families", &[], Some("8")),
    tidy("families", &[], Some("1")),
    tidy("turns", &[], None),
    tidy("turns", &[], Some("8")),
    tidy("turns", &[], Some("1")),
    tidy("pages", &[], None),
    tidy("levels", &[], None),
    tidy("levels", &[], Some("1")),
    tidy("queries", &[], None),
    tidy("shared", &[], None),
    tidy("shared", &[], Some("1")),
    tidy("usm", &[], None),
    tidy("usm", &[], Some("8")),
    Case { program: "fork", args: &[], threads: None, code: 0, is_tidy: false },
    Case { program: "fork", args: &[], threads: Some("8"), code: 0, is_tidy: false },
    Case { program: "forks_beside", args: &[], threads: None, code: 0, is_tidy: false },
    Case { program: "stacks", args: &[], threads: None, code: 0, is_tidy: false },
    Case { program: "stacks", args: &[], threads: Some("1"), code: 0, is_tidy: false },
    Case { program: "secure", args: &[], threads: None, code: 0, is_tidy: false },
    tidy("late", &[], None),
    tidy("late", &["kinds"], None),
    tidy("late", &[], Some("1")),
    Case { program: "recycle", args: &[], threads: None, code: 0, is_tidy: false },
    Case { program: "recycle", args: &[], threads: Some("8"), code: 0, is_tidy: false },
    cut_short(&["exit"]),
    cut_short(&["thread"]),
    cut_short(&["user"]),
    cut_short(&["handler"]),
    cut_short(&["native"]),
    tidy("endings", &["signals"], None),
    tidy("unload", &["LIBRARY"], None),
    Case { program: "unload", args: &["LIBRARY", "busy"], threads: None, code: 0, is_tidy: false },
    tidy("queues", &[], None),
    tidy("queues", &[], Some("8")),
    tidy("queues", &[], Some("1")),
    tidy("groups", &[], None),
    tidy("groups", &[], Some("8")),
    tidy("groups", &[], Some("1")),
    tidy("natives", &[], None),
    tidy("natives", &[], Some("1")),
    tidy("float_modes", &[], None),
    tidy("float_modes", &[], Some("1")),
    tidy("float_modes", &[], Some("8")),
    tidy("builds", &["2000"], None),
    tidy("stress", &["2", "8"], None),
    tidy("stress", &["2", "8"], Some("8")),
];

/// Programs with launches of all kinds, and from several threads, of which one forks.
const LAUNCHES: [&str; 7] = ["fork", "forks_beside", "overlaps", "usm", "queues", "groups", "stress"];

/// How a program finds the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Way {
    Direct,
    Loader,
    Sanitizer,
    /// As `Direct`, with all checks.
    Checked,
    /// As `Direct`, with checks of calls alone, which look ahead at launches of code without checks.
    Calls,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments = Arguments::from_args();
    let mut trials = Vec::new();
    for case in CASES {
        for way in [Way::Direct, Way::Loader, Way::Sanitizer, Way::Checked, Way::Calls] {
            // A child of a fork and a closed library confuse the sanitizer, and its allocator keeps freed memory for
            // long. The C library drops nothing that threads make for themselves when they are ending.
            let is_apt = !matches!(case.program, "fork" | "unload" | "builds" | "children" | "late") && case.is_tidy;
            let is_possible = match way {
                Way::Direct => true,
                // A loader has nothing to do with the device's threads.
                Way::Loader => case.threads.is_none() && (loader().is_some() || requires_loader()),
                Way::Sanitizer => is_apt && has_sanitizer(),
                Way::Checked => case.is_tidy,
                Way::Calls => LAUNCHES.contains(&case.program),
            };
            if !is_possible {
                continue;
            }
            let threads = case.threads.map(|n| format!(" with {n} threads")).unwrap_or_default();
            let name = format!("{way:?} {} {}{threads}", case.program, case.args.join(" "));
            trials.push(Trial::test(name, move || run(case, way)));
        }
    }
    trials.extend(parts::trials().map_err(|failed| failed.message().unwrap_or("no parts").to_owned())?);
    libtest_mimic::run(&arguments, trials).exit();
}

fn run(case: &Case, way: Way) -> Result<(), Failed> {
    let library = match way {
        Way::Loader => loader().ok_or("CLIFT_REQUIRE_LOADER is 1, and there is no ICD loader")?,
        Way::Direct | Way::Sanitizer | Way::Checked | Way::Calls => driver(),
    };
    let program = compile(case.program, library, way)?;
    let args = case.args.iter().map(|&arg| if arg == "LIBRARY" { library.as_os_str() } else { arg.as_ref() });
    let mut command = Command::new(program);
    command.args(args).env_remove("CLIFT_THREADS").env_remove("LD_LIBRARY_PATH");
    command.env("OCL_ICD_VENDORS", vendors()).env_remove("OCL_ICD_FILENAMES").env("CLIFT_LOG", "leaks");
    command.envs(case.threads.map(|n| ("CLIFT_THREADS", n)));
    let is_checked = matches!(way, Way::Checked | Way::Calls);
    let end = match way {
        Way::Checked | Way::Calls => {
            let kinds = if way == Way::Calls { "api" } else { "all" };
            command.env("CLIFT_CHECK", kinds).env_remove("CLIFT_LOG");
            "clift: check: 0 reports"
        }
        _ => "clift: still alive: nothing",
    };
    let output = command.output()?;
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if output.status.code() != Some(case.code) {
        return Err(format!("{}\n{out}{err}", output.status).into());
    }
    // One line of each process.
    let says_more = err.lines().any(|line| line != end);
    if case.is_tidy && is_checked && says_more {
        return Err(format!("there is no mistake, but\n{err}").into());
    }
    if case.is_tidy && !is_checked && (says_more || err.is_empty()) {
        return Err(format!("all is released, but\n{err}").into());
    }
    Ok(())
}

/// The driver that cargo built for this test.
fn driver() -> &'static Path {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| {
        let exe = std::env::current_exe().expect("a test knows where it is");
        let near = exe.ancestors().skip(1).take(2).map(|folder| folder.join("libclift.so"));
        near.into_iter().find(|path| path.is_file()).expect("cargo built libclift.so")
    })
}

/// A folder that names the driver to a loader. Written once: a program of another test may be reading it.
fn vendors() -> &'static Path {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| {
        let folder = out_folder().join("vendors");
        std::fs::create_dir_all(&folder).expect("a folder of our own");
        std::fs::write(folder.join("clift.icd"), format!("{}\n", driver().display())).expect("a file of our own");
        folder
    })
}

fn compiler() -> Command {
    Command::new(std::env::var_os("CC").unwrap_or("cc".into()))
}

/// An installed ICD loader.
fn loader() -> Option<&'static Path> {
    static PATH: OnceLock<Option<PathBuf>> = OnceLock::new();
    let find = || {
        ["libOpenCL.so", "libOpenCL.so.1"].into_iter().find_map(|name| {
            let output = compiler().arg(format!("-print-file-name={name}")).output().ok()?;
            let path = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
            path.is_absolute().then(|| path.canonicalize().ok()).flatten()
        })
    };
    PATH.get_or_init(find).as_deref()
}

fn requires_loader() -> bool {
    std::env::var_os("CLIFT_REQUIRE_LOADER").is_some_and(|value| value == "1")
}

fn has_sanitizer() -> bool {
    static ANSWER: OnceLock<bool> = OnceLock::new();
    *ANSWER.get_or_init(|| {
        let source = out_folder().join("empty.c");
        std::fs::write(&source, "int main(void) { return 0; }\n").is_ok()
            && compiler()
                .args(["-fsanitize=address", "-o"])
                .arg(out_folder().join("empty"))
                .arg(&source)
                .output()
                .is_ok_and(|output| output.status.success())
            && Command::new(out_folder().join("empty")).status().is_ok_and(|status| status.success())
    })
}

fn out_folder() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

/// Compiles a program against this library, once for each way to find the driver: who comes later waits for the first.
fn compile(name: &'static str, library: &Path, way: Way) -> Result<PathBuf, Failed> {
    type Built = Arc<OnceLock<Result<PathBuf, String>>>;
    static BUILT: Mutex<BTreeMap<(&str, Way), Built>> = Mutex::new(BTreeMap::new());
    let way = match way {
        Way::Checked | Way::Calls => Way::Direct,
        way => way,
    };
    let built = Arc::clone(BUILT.lock().expect("nobody panics with it").entry((name, way)).or_default());
    built.get_or_init(|| compile_for(name, library, way)).clone().map_err(Failed::from)
}

fn compile_for(name: &str, library: &Path, way: Way) -> Result<PathBuf, String> {
    let hosts = Path::new(env!("CARGO_MANIFEST_DIR")).join("hosts");
    let program = out_folder().join(format!("{name}-{way:?}"));
    let mut command = compiler();
    command.args(["-Wall", "-Wextra", "-Werror", "-O1", "-g", "-std=gnu11", "-ffp-contract=off", "-pthread"]);
    command.arg("-I").arg(hosts.join("include")).arg("-o").arg(&program).arg(hosts.join(format!("{name}.c")));
    if way == Way::Sanitizer {
        command.arg("-fsanitize=address");
    }
    if name != "unload" {
        let home = library.parent().unwrap_or(Path::new("."));
        command.arg(library).arg(format!("-Wl,-rpath,{}", home.display()));
    }
    let output = command.args(["-lm", "-ldl"]).output().map_err(|error| error.to_string())?;
    if output.status.success() { Ok(program) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
}
