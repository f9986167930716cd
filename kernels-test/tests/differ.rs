//! A few seconds of what `differ` does for hours: Clift in all its modes.

use std::path::PathBuf;
use std::process::{Command, Output};
use std::{env, fs};

fn differ(args: &[&str]) -> (Output, String) {
    // On a busy machine answers take long.
    let output = Command::new(env!("CARGO_BIN_EXE_differ"))
        .args(["--patience", "600"])
        .args(args)
        .arg("--library")
        .arg(driver())
        .output()
        .expect("it starts");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    (output, said)
}

/// The driver that cargo built for this test.
fn driver() -> PathBuf {
    let exe = env::current_exe().expect("a test knows where it is");
    let near = exe.ancestors().skip(1).take(2).map(|folder| folder.join("libclift.so"));
    near.into_iter().find(|path| path.is_file()).expect("cargo built libclift.so")
}

#[test]
fn all_modes_leave_the_same() {
    let (output, said) = differ(&["--programs", "16", "--seed", "500000"]);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.ends_with("differ: 16 programs in 14 ways, 0 with differences\n"), "{said}");
}

/// A macro that only one of two has makes them differ; what is left of a program needs it, and not much more.
#[test]
fn differences_are_found_and_made_smaller() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("7.cl");
    let program = "// seed 7\n\
        ulong twice(ulong x) {\n    return 2 * x;\n}\n\
        kernel void k(global ulong *out, global const int *in, local uint *tile) {\n\
        \x20   const size_t gid = get_global_id(1) * get_global_size(0) + get_global_id(0);\n\
        \x20   ulong h = twice(gid);\n\
        \x20   if (in[3] < 100) {\n        h += 5;\n    }\n\
        #if __OPENCL_VERSION__ && CLIFT_OTHER\n    h += 3 * (gid + 1);\n#endif\n\
        \x20   out[gid] = h;\n}\n";
    fs::write(&file, program).expect("the folder can be written");
    let other = format!("-DCLIFT_OTHER=1 {}", driver().display());
    let (output, said) = differ(&["--few", "--on", &other, "--reduce", file.to_str().expect("a name in UTF-8")]);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    let left = fs::read_to_string(folder.path().join("7.reduced.cl")).expect("what is left");
    assert!(left.contains("CLIFT_OTHER") && !left.contains("twice") && !left.contains("in[3]"), "{left}");

    // A program that has no difference, and one that is not there.
    fs::write(&file, "// seed 7\nkernel void k(global ulong *out, global const int *in, local uint *tile) {}\n")
        .expect("the folder can be written");
    assert!(!differ(&["--few", "--reduce", file.to_str().expect("a name in UTF-8")]).0.status.success());
    assert!(!differ(&["--few", "--reduce", "/none.cl"]).0.status.success());
}

/// A driver that cannot be loaded is a difference, and not the end.
#[test]
fn missing_drivers_are_told() {
    let (output, said) = differ(&["--few", "--on", "/none.so", "--programs", "1"]);
    assert!(!output.status.success() && said.contains("/none.so does not run: "), "{said}");
}
