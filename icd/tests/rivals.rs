//! Code of whose lanes estimates are in doubt gets a rival while a program runs, and code for strides of 1 is there
//! from the first launch on; results stay the same.

#[path = "common/host.rs"]
mod host;

use std::process::Command;

#[test]
fn launches_of_rivals_have_the_same_bits() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("doubtful");
    host::compile(&host::source("doubtful.c"), &program, &host::library(), &[]);
    for isa in ["avx2", "scalar"] {
        let mut host = Command::new(&program);
        host.env("CLIFT_ISA", isa).env("CLIFT_LOG", "kernels").env("CLIFT_CACHE", "off").env_remove("LD_LIBRARY_PATH");
        let output = host.output().expect("it starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{isa}: {said}");
        for rival in ["product: a rival, ", "sums: a rival, ", "tiles: a rival, Interchanged", ": a rival, Narrower"] {
            let has_rival = said.contains(rival);
            assert!(has_rival == (isa == "avx2") || cfg!(not(target_arch = "x86_64")), "{isa}: {said}");
        }
    }
}

#[test]
fn strides_of_one_are_known_to_code() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("strides");
    host::compile(&host::source("strides.c"), &program, &host::library(), &[]);
    let mut host = Command::new(&program);
    host.env("CLIFT_LOG", "kernels,remarks").env("CLIFT_CACHE", "off").env_remove("LD_LIBRARY_PATH");
    let output = host.output().expect("it starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    // Once for each kind of launch, and for those without such a stride as before.
    for known in ["inc = 1, to = 1", "to = 1", "inc = 1", "by = 1"].map(|known| format!(": code for {known}\n")) {
        assert_eq!(said.matches(&known).count(), 1, "{known}{said}");
    }
    assert_eq!(said.matches("code for").count(), 4, "{said}");
    // Groups have rows of neighbours in memory, and so have lanes.
    assert_eq!(said.matches("planes: work-item loops interchanged: vectors along y\n").count(), 1, "{said}");
}
