//! A few seconds of what `soak` does for hours.

use std::path::PathBuf;
use std::process::Command;

/// The driver that cargo built for this test.
fn driver() -> PathBuf {
    let exe = std::env::current_exe().expect("a test knows where it is");
    let near = exe.ancestors().skip(1).take(2).map(|folder| folder.join("libclift.so"));
    near.into_iter().find(|path| path.is_file()).expect("cargo built libclift.so")
}

fn soak(args: &[&str]) {
    let output = Command::new(env!("CARGO_BIN_EXE_soak")).args(args).arg("--library").arg(driver()).output();
    let output = output.expect("it starts");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{args:?}: {said}{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.starts_with("soak: done "), "{said}");
}

#[test]
fn a_bit_of_everything_stays_flat() {
    soak(&["--seconds", "5", "--seed", "7"]);
}

#[test]
fn many_launches_stay_flat() {
    soak(&["--launches", "3000000", "--threads", "2"]);
}
