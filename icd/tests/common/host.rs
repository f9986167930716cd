//! C host programs of tests, compiled and linked with the library that cargo built.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The newest library near the tool.
pub fn library() -> PathBuf {
    let folder = Path::new(env!("CARGO_BIN_EXE_clift")).parent().expect("a folder").to_owned();
    let places = [folder.join("libclift.so"), folder.join("deps/libclift.so")];
    let age = |path: &&PathBuf| path.metadata().and_then(|data| data.modified()).ok();
    places.iter().filter(|path| path.is_file()).max_by_key(age).expect("cargo built libclift.so").clone()
}

/// Compiles `source` to `program`, with these further options, and links it with `library`. Whoever runs it should take
/// `LD_LIBRARY_PATH` from it, which cargo sets and where an older library may lie.
pub fn compile(source: &Path, program: &Path, library: &Path, options: &[&str]) {
    let headers = Path::new(env!("CARGO_MANIFEST_DIR")).join("../kernels-test/hosts/include");
    let output = Command::new(std::env::var_os("CC").unwrap_or("cc".into()))
        .args(["-Wall", "-Wextra", "-Werror", "-std=gnu11", "-ffp-contract=off", "-pthread"])
        .args(options)
        .arg("-I")
        .arg(headers)
        .arg("-o")
        .arg(program)
        .arg(source)
        .arg(library)
        .arg(format!("-Wl,-rpath,{}", library.parent().expect("a folder").display()))
        .arg("-lm")
        .output()
        .expect("there is a C compiler");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The source of a host program of `kernels-test/hosts`.
pub fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../kernels-test/hosts").join(name)
}
