//! The examples of `cluster/` on this machine, if what they need is installed: MPI and Dask, both with pyopencl. If
//! not, a test says so and passes; with `CLIFT_REQUIRE_CLUSTER=1` it fails. `python3` is the first on the path.

use clift_kernels_test::loader;
use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

/// Whether a command runs and ends well.
fn works(command: &mut Command) -> bool {
    command.output().is_ok_and(|output| output.status.success())
}

/// Whether Python has these modules, and the commands are there.
fn has(modules: &str, commands: &[&str]) -> bool {
    let is_here = works(Command::new("python3").arg("-c").arg(format!("import {modules}")))
        && commands.iter().all(|command| works(Command::new(command).arg("--version")));
    let required = std::env::var_os("CLIFT_REQUIRE_CLUSTER").is_some_and(|value| value == "1");
    let missing = format!("not run: needs python3 with {modules}, and {commands:?}");
    assert!(is_here || !required, "{missing}");
    if !is_here {
        eprintln!("{missing}");
    }
    is_here
}

/// What an example prints, on a device of two compute units that a loader finds through `folder`.
fn run<I: AsRef<OsStr>>(program: &str, args: impl IntoIterator<Item = I>, folder: &Path) -> String {
    let driver = loader::driver_path().expect("there is a library");
    std::fs::write(folder.join("clift.icd"), driver.as_os_str().as_encoded_bytes()).expect("a file of our own");
    let mut command = Command::new(program);
    command.args(args).current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("cluster"));
    command.env("OCL_ICD_VENDORS", folder).env_remove("OCL_ICD_FILENAMES").env("CLIFT_THREADS", "2");
    command.env("PYTHONDONTWRITEBYTECODE", "1").env("XDG_CACHE_HOME", folder).env("DASK_TEMPORARY_DIRECTORY", folder);
    // Open MPI asks these of root, and of machines with fewer processors than processes.
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    command.env("OMPI_MCA_rmaps_base_oversubscribe", "1");
    let output = command.output().expect("the program runs");
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{program}: {}\n{out}{err}", output.status);
    out.into_owned()
}

/// A folder that is removed at the end.
fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder of our own")
}

/// What stands behind a word.
fn behind<'a>(text: &'a str, word: &str) -> &'a str {
    text.split_once(word).unwrap_or_else(|| panic!("no `{word}` in {text}")).1.lines().next().unwrap_or("")
}

#[test]
fn one_field_over_processes_has_the_same_bits() {
    if !has("mpi4py, pyopencl, numpy", &["mpirun"]) {
        return;
    }
    let folder = folder();
    let bits = [1, 2].map(|n| {
        let words = format!("--bind-to none -n {n} python3 field.py --parts 2 --size 96 --steps 60");
        let out = run("mpirun", words.split(' '), folder.path());
        assert!(out.starts_with(&format!("{n} processes: ")), "{out}");
        behind(&out, "bits ").to_owned()
    });
    assert!(bits[0] == bits[1] && bits[0].len() == 16, "{bits:?}");
}

#[test]
fn a_sweep_gives_the_same_if_a_worker_is_killed() {
    if !has("distributed, pyopencl, numpy", &[]) {
        return;
    }
    let folder = folder();
    let sums = ["--workers 1 --parts 2", "--workers 2", "--workers 2 --kill"].map(|how| {
        let words = format!("sweep.py --points 4 --size 64 --steps 400 {how}");
        let out = run("python3", words.split(' '), folder.path());
        assert!(out.contains(" 16 fields, "), "{out}");
        behind(&out, "sum ").to_owned()
    });
    assert!(sums.iter().all(|sum| *sum == sums[0]) && sums[0].parse::<f64>().is_ok_and(|sum| sum > 0.0), "{sums:?}");
}
