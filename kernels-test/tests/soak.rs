//! A few seconds of what `soak` does for hours.

use std::path::PathBuf;
use std::process::Command;

/// The driver that cargo built for this test.
fn driver() -> PathBuf {
    let exe = std::env::current_exe().expect("a test knows where it is");
    let near = exe.ancestors().skip(1).take(2).map(|folder| folder.join("libclift.so"));
    near.into_iter().find(|path| path.is_file()).expect("cargo built libclift.so")
}

/// One of these runs, each longer than the one before, must stay flat: on a busy machine it takes longer until a
/// process is warm, and what grows does so in all of them. Nothing else may go wrong in any.
fn soak(args: &[&str], sizes: [&str; 3]) {
    let mut grown = String::new();
    for size in sizes {
        let mut command = Command::new(env!("CARGO_BIN_EXE_soak"));
        let output = command.args(args).arg(size).arg("--library").arg(driver()).output().expect("it starts");
        let said = String::from_utf8_lossy(&output.stdout);
        if output.status.success() {
            return assert!(said.starts_with("soak: done "), "{said}");
        }
        let says = said.strip_prefix("soak: growth of ");
        grown += says.unwrap_or_else(|| panic!("{args:?} {size}: {said}{}", String::from_utf8_lossy(&output.stderr)));
    }
    panic!("{args:?} {sizes:?}: {grown}");
}

#[test]
fn a_bit_of_everything_stays_flat() {
    soak(&["--seed", "7", "--seconds"], ["5", "20", "60"]);
}

#[test]
fn many_launches_stay_flat() {
    soak(&["--threads", "2", "--launches"], ["3000000", "6000000", "12000000"]);
}
