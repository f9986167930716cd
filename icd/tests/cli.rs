//! The `clift` tool as a user sees it: output, exit codes, files.

#[path = "common/spirv.rs"]
mod spirv;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const SOURCE: &str = "kernel void twice(global const int *in, global int *out, int add) {
    size_t i = get_global_id(0);
    out[i] = 2 * in[i] + add;
}
";

fn clift(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_clift")).args(args).current_dir(folder).output().expect("the tool starts")
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A command that must fail with one line that says `why`.
fn refused(folder: &Path, args: &[&str], why: &str) {
    let output = clift(folder, args);
    assert!(!output.status.success(), "{args:?} succeeds");
    let text = stderr(&output);
    let last = text.lines().last().unwrap_or_default();
    assert!(last.starts_with("clift: ") && last.contains(why), "{args:?}: {text}");
}

#[test]
fn info_names_platform_device_and_variables() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = clift(folder.path(), &["info"]);
    assert!(output.status.success());
    let text = stdout(&output);
    let (major, minor) = clift_jit::features::VERSION;
    for part in ["Clift", &format!("OpenCL {major}.{minor}"), "Compute units", "libclift.so", "CLIFT_LOG"] {
        assert!(text.contains(part), "{part} is missing in:\n{text}");
    }
}

#[test]
fn build_shows_diagnostics_and_stages() {
    let folder = tempfile::tempdir().expect("a folder");
    let put = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("it can be written");
    put("good.cl", SOURCE);
    put("bad.cl", "kernel void f(global int *a) {\n    a[0] = nothing;\n}\n");
    put("define.cl", "kernel void f(global int *a) { a[0] = N; }\n");
    let output = clift(folder.path(), &["build", "good.cl"]);
    assert!(output.status.success() && output.stdout.is_empty() && output.stderr.is_empty(), "{}", stderr(&output));
    let output = clift(folder.path(), &["build", "bad.cl"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("bad.cl:2:12: error"), "{}", stderr(&output));
    assert!(!stderr(&output).contains('\u{1b}'), "colours without a terminal");
    assert!(clift(folder.path(), &["build", "define.cl", "--", "-DN=4"]).status.success());
    put("marked.cl", &format!("\u{feff}{SOURCE}"));
    let output = clift(folder.path(), &["build", "marked.cl"]);
    assert!(output.status.success(), "a byte order mark: {}", stderr(&output));
    for (stage, part) in [("kir", "func @twice"), ("group", "func @twice"), ("clif", "; twice: "), ("asm", "push")] {
        if stage == "asm" && !cfg!(target_arch = "x86_64") {
            continue;
        }
        let output = clift(folder.path(), &["build", "good.cl", "--emit", stage, "--kernel", "twice", "--local", "8"]);
        assert!(stdout(&output).contains(part), "{stage}: {}{}", stdout(&output), stderr(&output));
    }
    put("magic.spv", "\u{3}\u{2}#\u{7}");
    refused(folder.path(), &["build", "none.cl"], "none.cl");
    refused(folder.path(), &["build", "good.cl", "--emit", "spirv-text"], "not SPIR-V");
    refused(folder.path(), &["build", "magic.spv", "--emit", "spirv-text"], "header");
    refused(folder.path(), &["build", "magic.spv"], "not compiled");
    refused(folder.path(), &["run", "magic.spv", "twice", "--global", "8"], "not well-formed");
    refused(folder.path(), &["build", "good.cl", "--emit", "kir", "--kernel", "nil"], "nil");
}

#[test]
fn run_reads_and_writes_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    fs::write(at("twice.cl"), SOURCE).expect("it can be written");
    let input: Vec<u8> = (0..8i32).flat_map(i32::to_ne_bytes).collect();
    fs::write(at("in"), &input).expect("it can be written");
    let output = clift(
        folder.path(),
        &["run", "twice.cl", "twice", "--global", "8", "--local", "4", "in:in", "out:result:32", "i32:-5"],
    );
    assert!(output.status.success(), "{}", stderr(&output));
    let want: Vec<u8> = (0..8i32).flat_map(|i| (2 * i - 5).to_ne_bytes()).collect();
    assert_eq!(fs::read(at("result")).expect("it was written"), want);
    let output = clift(folder.path(), &["run", "twice.cl", "twice", "--global", "4", "in:in", "print:i32:4", "i32:1"]);
    assert_eq!(stdout(&output), "1 3 5 7\n", "{}", stderr(&output));
    let run = |args: &[&'static str]| [&["run", "twice.cl", "twice", "--global", "8"], args].concat();
    refused(folder.path(), &run(&["in:in", "print:i32:8"]), "3 arguments");
    refused(folder.path(), &run(&["in:missing", "print:i32:8", "i32:1"]), "missing");
    refused(folder.path(), &run(&["in:in", "print:i32:8", "i64:1"]), "argument 2");
    refused(folder.path(), &run(&["in:in", "print:i32:8", "what"]), "not understood");
    refused(folder.path(), &["run", "twice.cl", "nil", "--global", "8"], "nil");
    refused(folder.path(), &run(&["in:in", "print:i32:8", "i32:1", "--local", "3"]), "multiple of the local size");
    refused(folder.path(), &run(&["in:in", "print:i32:8", "i32:1", "--local", "2,2"]), "dimensions");
}

#[test]
fn modules_are_built_shown_and_run() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("k.spv"), spirv::module(None)).expect("it can be written");
    let output = clift(folder.path(), &["build", "k.spv"]);
    assert!(output.status.success() && output.stdout.is_empty() && output.stderr.is_empty(), "{}", stderr(&output));
    for (args, part) in [
        (["--emit", "kir"], "func @k"),
        (["--emit", "spirv-text"], "OpEntryPoint Kernel %13 \"k\""),
        (["--print-after", "all"], "-- "),
    ] {
        let output = clift(folder.path(), &[&["build", "k.spv"][..], &args].concat());
        assert!(stdout(&output).contains(part), "{args:?}: {}{}", stdout(&output), stderr(&output));
    }
    let output = clift(folder.path(), &["run", "k.spv", "k", "--global", "1", "print:i32:1"]);
    assert_eq!(stdout(&output), "42\n", "{}", stderr(&output));
}

#[test]
fn install_and_uninstall_write_one_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let vendors = folder.path().join("vendors");
    let file = vendors.join("clift.icd");
    let output = clift(folder.path(), &["install", "--vendors", "vendors", "--dry-run"]);
    assert!(output.status.success() && !file.exists(), "{}", stderr(&output));
    assert!(clift(folder.path(), &["install", "--vendors", "vendors"]).status.success());
    let text = fs::read_to_string(&file).expect("it was written");
    let library = Path::new(text.trim_end());
    assert!(library.is_absolute() && library.is_file() && text.ends_with("libclift.so\n"), "{text}");
    assert!(clift(folder.path(), &["uninstall", "--vendors", "vendors"]).status.success());
    assert!(!file.exists());
    refused(folder.path(), &["uninstall", "--vendors", "vendors"], "clift.icd");
    assert!(clift(folder.path(), &["install", "--prefix", "prefix"]).status.success());
    assert!(folder.path().join("prefix/etc/OpenCL/vendors/clift.icd").is_file());
    refused(folder.path(), &["install", "--vendors", "vendors", "--library", "none.so"], "none.so");
}

#[test]
fn the_version_is_the_drivers_and_more_is_said_if_asked() {
    let folder = tempfile::tempdir().expect("a folder");
    let version = concat!("clift ", env!("CARGO_PKG_VERSION"), "\n");
    assert_eq!(stdout(&clift(folder.path(), &["--version"])), version);
    assert_eq!(stdout(&clift(folder.path(), &["-V"])), version);
    let text = stdout(&clift(folder.path(), &["--version", "--verbose"]));
    let cpu = clift_runtime::device::Device::root().caps().name.clone();
    for part in [version, std::env::consts::ARCH, &cpu, "__opencl_c_fp64", "Vector code"] {
        assert!(text.contains(part), "{part} is missing in:\n{text}");
    }
    let output = clift(folder.path(), &["--verbose"]);
    assert!(output.status.code() == Some(2) && stderr(&output).contains("--version"), "{}", stderr(&output));
}

/// As after `cargo install`, which copies programs only.
#[test]
fn a_tool_that_left_its_library_behind_takes_a_copy() {
    let Some(built) = option_env!("CLIFT_BUILT") else {
        eprintln!("skipped: this build does not record where it was");
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let (tool, library) = (folder.path().join("bin/clift"), folder.path().join("bin/libclift.so"));
    fs::create_dir(folder.path().join("bin")).expect("it is new");
    fs::write(folder.path().join(".crates.toml"), "[v1]\n").expect("it can be written");
    // By a process of its own: what other tests start meanwhile would have the file open for writing.
    let copied = Command::new("cp").arg(env!("CARGO_BIN_EXE_clift")).arg(&tool).status().expect("there is cp");
    assert!(copied.success());
    let run = |args: &[&str]| {
        let output = Command::new(&tool).args(args).current_dir(folder.path()).output().expect("the tool starts");
        assert!(output.status.success(), "{args:?}: {}", stderr(&output));
        stdout(&output)
    };
    assert!(run(&["info"]).contains(built), "nothing was installed, but what was built is not found");
    run(&["install", "--vendors", "vendors"]);
    let text = fs::read_to_string(folder.path().join("vendors/clift.icd")).expect("it was written");
    assert_eq!(Path::new(text.trim_end()), library.canonicalize().expect("it was copied"));
    assert!(!run(&["info"]).contains(built), "the copy is not taken");
    run(&["uninstall", "--vendors", "vendors"]);
    assert!(!library.exists());
}

/// Compute units that `clift info` shows under an affinity mask of the first `n` CPUs of ours.
#[allow(unsafe_code, reason = "sets the affinity mask of a process that has not begun")]
fn units(n: usize, threads: Option<&str>) -> String {
    use std::os::unix::process::CommandExt;
    let mut command = Command::new(env!("CARGO_BIN_EXE_clift"));
    command.arg("info").env_remove("CLIFT_THREADS").envs(threads.map(|threads| ("CLIFT_THREADS", threads)));
    // SAFETY: between fork and exec it makes system calls only; masks are of the size that is said.
    unsafe {
        command.pre_exec(move || {
            let size = size_of::<libc::cpu_set_t>();
            let (mut ours, mut mask): (libc::cpu_set_t, libc::cpu_set_t) = (std::mem::zeroed(), std::mem::zeroed());
            libc::sched_getaffinity(0, size, &raw mut ours);
            (0..8 * size)
                .filter(|&cpu| libc::CPU_ISSET(cpu, &ours))
                .take(n)
                .for_each(|cpu| libc::CPU_SET(cpu, &mut mask));
            if libc::sched_setaffinity(0, size, &raw const mask) == 0 {
                Ok(())
            } else {
                Err(std::io::Error::last_os_error())
            }
        });
    }
    let text = stdout(&command.output().expect("the tool starts"));
    let line = text.lines().find(|line| line.starts_with("Compute units")).expect("a line with the units");
    line.rsplit(' ').next().unwrap_or_default().to_owned()
}

#[test]
fn the_affinity_mask_counts_and_the_variable_overrides_it() {
    let all = std::thread::available_parallelism().expect("known").get();
    assert_eq!(units(1, None), "1");
    assert_eq!(units(all, None), all.to_string());
    assert_eq!(units(1, Some("5")), "5");
    assert_eq!(units(1, Some("none")), "1");
}
