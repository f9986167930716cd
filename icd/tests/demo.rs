//! The C host programs of `kernels-test/hosts`, compiled and run by `clift demo` as a user would: linked with the
//! driver, and through an installed ICD loader. With `CLIFT_REQUIRE_LOADER=1` a missing loader is a failure.

use std::path::Path;
use std::process::Command;

/// Runs the demo and returns what it printed.
fn demo(arguments: &[&str]) -> String {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    let output = Command::new(env!("CARGO_BIN_EXE_clift"))
        .arg("demo")
        .args(arguments)
        .arg(manifest.join("Cargo.toml"))
        .arg(manifest.join("src/lib.rs"))
        // Cargo's leads to libraries of earlier builds first.
        .env_remove("LD_LIBRARY_PATH")
        .output()
        .expect("the tool starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    for name in ["saxpy", "mandelbrot", "sha256", "matmul", "nbody", "histogram", "interval", "graph", "replay"] {
        assert!(text.lines().any(|line| line.starts_with(&format!("{name}: "))), "no line of {name} in\n{text}");
    }
    assert!(text.contains("2 equal to sha256sum's"), "{text}");
    text
}

#[test]
fn host_programs_linked_directly() {
    let text = demo(&["--direct"]);
    assert!(text.starts_with("linked directly with "), "{text}");
}

#[test]
fn host_programs_through_the_loader() {
    let text = demo(&[]);
    let required = std::env::var_os("CLIFT_REQUIRE_LOADER").is_some_and(|v| v == "1");
    assert!(!required || text.starts_with("through the loader "), "{text}");
}
